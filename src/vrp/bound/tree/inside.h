// SPDX-License-Identifier: MIT
// What the parts of a tree share.
#ifndef MCO_VRP_BOUND_TREE_INSIDE_H
#define MCO_VRP_BOUND_TREE_INSIDE_H

#include "vrp/bound/tree/tree.h"

// What a node hands down: prices, rows with their prices, arcs that are gone, the routes worth keeping.
typedef struct tree_state {
    int32_t uses;          // nodes that begin from it
    int32_t *price;        // [nodes]
    vrp_cuts cuts;
    uint64_t *removed;     // [words of nodes * nodes]; NULL: none
    vrp_routes routes;
} tree_state;

// One side of a division: a SET row, or a fleet where node is NULL.
typedef struct tree_side {
    vrp_fleet fleet;
    vrp_cut_sense sense;
    int64_t rhs;
    int32_t size;
    int32_t *node;         // [size]; owned
} tree_side;

typedef struct tree_node {
    bool is_open;
    bool is_aside;         // nothing divides it and it is not proved: others are next, its bound counts
    tree_side side;        // its fleet is that of the node, in every case
    tree_state *from;
    int64_t bound;         // units
    int32_t depth;
    int32_t part;          // of the claims
} tree_node;

// What came of a node: its bound, and two sides if they divide it. All but numbers is owned.
typedef struct tree_outcome {
    int64_t bound;
    bool is_divided;
    bool is_stuck;                  // nothing divides it, and it is not proved
    tree_state *state;              // of both sides
    tree_side sides[2];
    int64_t bounds[2];
    vrp_claim_prices prices[2];     // of what was proved of the sides
} tree_outcome;

typedef struct tree {
    mco_context *ctx;
    vrp_master *m;
    const vrp_tree_settings *settings;
    vrp_tree_result *result;
    const vrp_bound_problem *root;  // the problem as it was
    vrp_bound_problem problem;      // the same with the fleet of the present node
    double artificial_cost;         // at the begin
    int64_t known;                  // scaled; INT64_MAX: none
    int64_t tried_gap;              // units: enumerations fail from here on; INT64_MAX: none has
    int64_t tried_close;            // the same of close ones
    tree_node *nodes;               // [count]
    int64_t count, room;
    bool is_stopped;
    vrp_claims *claims;             // NULL: none
    int64_t part;                   // whose prices tree_price() tells the claims of
    vrp_claim_prices *trial;        // where it puts them during a trial of a side; NULL: there is none
} tree;

bool tree_must_stop(tree *t);
// Whether a bound in units shows that no plan is cheaper than the known one.
bool tree_is_closed(const tree *t, int64_t bound);
// Tells the master and the caller of a plan; *known falls. `routes` are copied if they are cheaper.
mco_status tree_take_plan(tree *t, const vrp_routes *routes);
// Nodes that were set aside are next again: where less is to be proved, more arcs and routes leave.
void tree_set_known(tree *t, int64_t known);

// The open node of least bound after `before` in that order, the deepest of several, the latest of these; before -1: the first of all. -1:
// there is none. Nodes set aside are left out.
int64_t tree_next(const tree *t, int64_t before);
// Solves node k and changes none. Its prices go to the claims of its part. Errors: MEMORY, DEVICE.
mco_status tree_expand(tree *t, int64_t k, tree_outcome *out);
// Makes this the outcome of node k: it is closed, divided, stays open, or is set aside. Errors: MEMORY.
mco_status tree_apply(tree *t, int64_t k, tree_outcome *outcome);
void tree_outcome_clear(mco_context *ctx, tree_outcome *outcome);
// Before node k is solved: tells the caller of the bound of all plans, and takes a better known cost.
mco_status tree_note(tree *t, int64_t k);
// Takes a plan over, if it is cheaper than the known one.
void tree_adopt_plan(tree *t, vrp_routes *plan, int64_t cost);

// ---- Ranks (vrp/bound/tree/share.c)

// The state and the bound of the root become those of rank 0. Errors: MEMORY, those of collectives.
mco_status tree_share_root(tree *t, tree_state **state, int64_t *bound);
// The search of several ranks. Errors: as above, and those of nodes.
mco_status tree_search_by_ranks(tree *t);

// ---- States

// Copies the master's state. Errors: MEMORY.
mco_status tree_state_save(tree *t, tree_state **out);
void tree_state_drop(mco_context *ctx, tree_state **state);  // one use less; the last one frees it
// Makes the master stand at the begin of a node: state and side. Nothing is proved yet. Errors: MEMORY.
mco_status tree_load(tree *t, const tree_state *state, const tree_side *side);
mco_status tree_side_copy(mco_context *ctx, const tree_side *from, tree_side *to);
void tree_side_clear(mco_context *ctx, tree_side *side);

// ---- Nodes

// Column generation at the node where the master stands, to a precision. *bound rises to what is proved. Errors: MEMORY, DEVICE.
mco_status tree_price(tree *t, double precision, double stop_s, int64_t *bound);
// Tells the claims of the master's best prices: of the part where it stands, or of the trial. Errors: MEMORY.
mco_status tree_claim(tree *t);
// Solves a loaded node: columns, cuts, arcs, enumeration. Errors: as above.
mco_status tree_work_on(tree *t, int64_t *bound);
// Enumerates the node's elementary routes and settles them, if there are not too many. `forced`: whatever the gap.
mco_status tree_enumerate(tree *t, bool forced, int64_t *bound);

// ---- Choice

// Chooses two sides for the node where the master stands, whose state is `state`, and what both prove. *found: false if the program is not
// divided by any set. The sides are owned, and so are the prices of what was proved (price NULL: that is
// the bound). Errors: MEMORY, DEVICE.
mco_status tree_choose(tree *t, const tree_state *state, int64_t bound, tree_side out[2], int64_t bounds[2], vrp_claim_prices prices[2],
                       bool *found);

#endif
