// SPDX-License-Identifier: MIT
// The balance of pairs: which pairs of alternative segments there are, and how flow moves between their segments. One thread.
#ifndef MCO_TRAFFIC_PAIRS_BALANCE_H
#define MCO_TRAFFIC_PAIRS_BALANCE_H

#include "traffic/pairs/lanes.h"

// Two paths from one node to another that share no link, and the rows of one class that use them. Flow moves from the dearer to the
// cheaper one, from each row by its share of what the row has on all links of the dearer one.
typedef struct pairs_pair {
    int32_t count[2];     // links of the segments
    int32_t *link;        // [count[0] + count[1]] from the common tail to the common head
    int64_t link_room;
    int32_t user_class;
    double extra;         // what the class pays more on segment 0 than on segment 1, whatever the flows
    int32_t last[2];      // links by which the segments end
    int32_t next;         // pair that ends at the same node, -1: none
    bool is_live;
    int32_t uses;
    int32_t *use;         // [uses][2 + count[0] + count[1]] batch, lanes, and the slots of the links
    int64_t use_room;
} pairs_pair;

typedef struct pairs_balance {
    mco_context *ctx;
    const traffic_call *call;
    const traffic_problem *problem;
    pairs_store *store;
    const traffic_scanner *scanner;
    const pairs_build *build;
    double *flow, *cost, *slope;  // [links] of all rows together; costs without extras
    double *class_cost;           // [classes][links]; NULL where the problem has no extra
    double *frozen;               // [links] costs of a scan while others change; NULL where the problem has an extra
    double *class_flow;           // [classes][links] as of the last sum; NULL: one class
    pairs_pair *pair;             // [pairs]
    int64_t pair_room;
    int32_t pairs, live;
    int32_t purge_at;             // live pairs at which an eager pass looks for those that have become useless
    int32_t *at_node;             // [nodes] first pair that ends there, -1: none
    int32_t *dead;                // [dead_count] pairs to use again
    int64_t dead_count, dead_room;
    bool is_eager;                // a row that joins a pair shifts at once
    bool is_sample;               // few rows were scanned, so all others that have flow on a new pair's dearer segment join it too
    double candidate;             // a candidate's excess, times gap * total / (rows * nodes)
    double least_difference;      // pairs whose segments differ by less stay as they are
    double moved_excess;          // sum of movable flow * difference of the sweep so far
    // Of the segments that are being built.
    int32_t *back, *front;        // [back_room], [front_room] links, last one first
    int64_t back_room, front_room;
    int32_t *on_tree, *visited;   // [nodes] stamp of the last visit
    int32_t tree_stamp, visit_stamp;
    // Of a move: rows of a pair that have flow.
    double *least;                // [batches][PAIRS_LANES]
    int32_t *mover;               // [batches] uses
    int64_t work;                 // since the last look at the clock
    bool must_stop;
    struct pairs_newton *newton;  // newton.c; NULL until it is needed
    int64_t steps;                // of conjugate gradients, in the last call
} pairs_balance;

// The batch, the lanes and the slots of a use.
static inline int32_t *pairs_use_at(const pairs_pair *pair, int32_t use)
{
    return pair->use + (int64_t)use * (2 + pair->count[0] + pair->count[1]);
}

static inline const int32_t *pairs_segment(const pairs_pair *pair, int side)
{
    return side == 0 ? pair->link : pair->link + pair->count[0];
}

// Looks at the clock after every so many links of work. Returns whether the run must end.
bool pairs_must_stop(pairs_balance *b, int64_t links);

// Sets the flow of a link, its cost and its slope.
static inline void pairs_set_flow(pairs_balance *b, int32_t link, double flow)
{
    const double v = flow > 0 ? flow : 0;
    b->flow[link] = v;
    if (b->problem->costs.shape == TRAFFIC_QUARTIC) {
        const double k = b->problem->costs.k[link], square = v * v;
        b->cost[link] = b->problem->costs.base[link] + k * (square * square);
        b->slope[link] = 4 * k * (square * v);
        return;
    }
    b->cost[link] = traffic_cost(&b->problem->costs, link, v);
    const double slope = traffic_slope(&b->problem->costs, link, v);
    b->slope[link] = slope < 1e100 ? slope : 1e100;  // powers below 1 are infinitely steep at flow 0
}

// Cost of segment 0 minus that of segment 1 for the class of the pair; *slope is the slope of the difference as flow moves.
static inline double pairs_difference(const pairs_balance *b, const pairs_pair *pair, double *slope)
{
    double cost[2] = {0, 0}, sum = 0;
    for (int side = 0; side < 2; side++) {
        const int32_t *link = pairs_segment(pair, side);
        for (int32_t k = 0; k < pair->count[side]; k++) {
            cost[side] += b->cost[link[k]];
            sum += b->slope[link[k]];
        }
    }
    *slope = sum;
    return cost[0] - cost[1] + pair->extra;
}

// ---- begin.c
// What a balance needs besides its context, call, problem, store and scanner. Errors: MEMORY, ARGUMENT (a vector unit that is not here).
mco_status pairs_open_balance(pairs_balance *b);
void pairs_close_balance(pairs_balance *b);
// Sums the flows of all rows anew, which removes the drift of many small moves.
void pairs_sum_flows(pairs_balance *b);
// Costs as scanners take them: a copy, which stays as it is until the next one.
const double *pairs_scan_costs(pairs_balance *b);
// How many shares a pass over the rows has.
int32_t pairs_shares(const pairs_balance *b);
// Flows to begin with: those of the start, and trees for all other rows. Errors: MEMORY, STOPPED.
mco_status pairs_begin_flows(pairs_balance *b);

// ---- segments.c
// Lets the row of a candidate use a pair that ends at the candidate's head: one that is there, else a new one. Cycles of flow that
// it meets vanish. Errors: MEMORY.
mco_status pairs_improve(pairs_balance *b, const traffic_candidate *candidate, const traffic_tree *tree);
// Adds a pair with no row; *index is its number. Errors: MEMORY.
mco_status pairs_add(pairs_balance *b, int32_t user_class, const int32_t *link, int32_t count0, int32_t count1, int32_t *index);
// Adds rows (lanes) of a batch to a pair. Errors: MEMORY.
mco_status pairs_add_use(pairs_balance *b, int32_t index, int32_t batch, uint32_t lanes);
void pairs_remove(pairs_balance *b, int32_t index);

// ---- sums.c: on all threads of the scanner
// Adds the flows of batches first, first + step and so on to flow [links], and to class_flow unless it is NULL. Each link has one thread and one
// order of sums, whatever the number of threads.
void pairs_add_flows(const pairs_balance *b, int32_t first, int32_t step, double *flow, double *class_flow);
// Gives the flows of all rows to a certificate. Errors: MEMORY.
mco_status pairs_prove_balance(const pairs_balance *b, traffic_certificate *proof);

// ---- answer.c
// Flows of links: those of the certificate if there is one; with a state pairs, plan and flows of rows, which leave the store. Errors: MEMORY.
mco_status pairs_give_answer(pairs_balance *b, traffic_answer *out);

// ---- balance.c
// The movable flow of segment `side`: fills mover [*movers] and least.
double pairs_movable(pairs_balance *b, const pairs_pair *pair, int side, int32_t *movers);
// Moves an amount off segment `side`, by the movers and least of pairs_movable(), whose sum is `movable`.
void pairs_move(pairs_balance *b, const pairs_pair *pair, int side, int32_t movers, double movable, double amount);
// Balances a single row on a pair; slot [count[0] + count[1]] in its batch.
void pairs_shift_row(pairs_balance *b, const pairs_pair *pair, pairs_batch *batch, int lane, const int32_t *slot);
// Balances every pair once, in the order of their numbers. Pairs whose dearer segment has no flow vanish.
void pairs_sweep(pairs_balance *b);
// Removes pairs whose dearer segment has no flow.
void pairs_purge(pairs_balance *b);

// ---- newton.c
// One Newton step of all live pairs together. `is_slow`: passes gain little, so the system is solved more accurately. Errors: MEMORY.
mco_status pairs_newton_step(pairs_balance *b, bool is_slow);
void pairs_newton_close(pairs_balance *b);

#endif
