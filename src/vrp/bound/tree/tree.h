// SPDX-License-Identifier: MIT
// Branch and price: what a master leaves open at the root is divided until each part is proved.
//
// A node is divided by the number of routes, or by a set S of customers: x(delta(S)) <= 2r or >= 2r + 2 (Lysgaard, Letchford, Eglese
// 2004). Two customers are the smallest such set, all customers but one stand for an arc of the depot. These are SET rows: arcs carry
// their prices, so passes and labels stay as they are. Two rounds of trials choose the set: programs over the routes at hand, then
// column generation for the best few (strong branching). The open node of least bound is next; its bound is that of all plans.
//
// Where the gap of a node is small enough, its elementary routes are enumerated and the last step (vrp/bound/pool) settles it. The pool
// has no rows of branches: of routes of the same customers only one is enumerated, and an equally cheap one may lie on the other side.
#ifndef MCO_VRP_BOUND_TREE_H
#define MCO_VRP_BOUND_TREE_H

#include "vrp/bound/claims.h"
#include "vrp/bound/columns/master.h"

typedef struct vrp_tree_settings {
    int64_t known;          // scaled cost of a plan; -1: none. Only cheaper plans are looked for
    double stop_s;
    int64_t nodes;          // most that are solved; 0: no limit
    bool cuts_capacity, cuts_rank1;
    int64_t most_labels;    // of an enumeration
    int64_t most_routes;    // of a pool
    int64_t close_labels;   // the same, where the gap is close (VRP_TREE_CLOSE)
    int64_t close_routes;
    int64_t tried_gap;      // units; an enumeration failed at this gap. 0: none was tried
    int64_t tried_close;    // the same of close ones
    bool only_enumerates;   // tries the last step where the master stands, if the gap is small; no column is priced, nothing is divided
    // Called at each node: bound of all plans, scaled. The caller may lower *known. Ends the tree at a status other than MCO_OK. NULL: none.
    mco_status (*note)(void *user, int64_t scaled_bound, int64_t *known);
    void *user;
    vrp_claims *claims;     // parts and prices for the recheck: those of this call replace what it has. NULL: not wanted
} vrp_tree_settings;
#define VRP_TREE_SETTINGS_INIT { .known = -1, .stop_s = INFINITY, .cuts_capacity = true, .cuts_rank1 = true, .most_labels = 1000000, \
                                 .most_routes = 20000, .close_labels = 4000000, .close_routes = 1000000 }
// A gap below this share of the known cost is close, in a run that has taken a while: a pool drops nearly all routes at its root, for its rows
// need no labels. Not with a limit of length.
#define VRP_TREE_CLOSE 0.003

typedef struct vrp_tree_result {
    bool is_done;           // no plan costs less than min(known, cost)
    int64_t bound;          // scaled; no plan costs less; at most min(known, cost). 0: nothing is known
    int64_t cost;           // scaled, of the best plan found; INT64_MAX: none below `known`
    vrp_routes plan;        // its routes; owned
    int64_t nodes;          // solved
    int64_t nodes_aside;    // of these, that nothing divides and that are not proved: their bounds count, and the search went on without them
    int64_t routes_enumerated;
    int64_t tried_gap;      // units; enumerations have failed from here on. 0: none has
    int64_t tried_close;    // the same of close ones
} vrp_tree_result;

// Divides what `master` has solved last. The master's prices prove its bound, or a run of it begins anew. Its program, rows, arcs and
// prices are those of some node afterwards; problem and fleet are as before. The enumeration compares costs that are not rounded. Ends at
// stop_s, or with the run of the master. Errors: MEMORY, DEVICE, INTERNAL (a plan that costs less than a bound).
mco_status vrp_tree_solve(vrp_master *master, const vrp_tree_settings *settings, vrp_tree_result *result);
void vrp_tree_result_clear(mco_context *ctx, vrp_tree_result *result);

#endif
