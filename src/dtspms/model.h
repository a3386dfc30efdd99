// SPDX-License-Identifier: MIT
// What all engines share: distances as matrices, loading plans, moves, and how much a dynamic program costs.
//
// Nodes are 0 for the depot, 1..n for orders. Both tours read each stack as a sequence: pickup from bottom to top, delivery
// from top to bottom. Over the sequences a_k of one network, a_k(1..c_k), with a_k(0) = a_k(c_k + 1) = depot:
//
//     F_k(h) = length of the shortest path from the depot that has visited the first h_j nodes of each sequence j and stands
//              at a_k(h_k);  F_k(0) = 0 for all k, infinite for other h with h_k = 0
//     F_k(h + e_k) = min over q of  F_q(h) + D[ a_q(h_q) ][ a_k(h_k + 1) ]
//     tour         = min over q of  F_q(c) + D[ a_q(c_q) ][ depot ]
//
// (Casazza, Ceselli, Nunkesser 2012.) The second line pushes a state to its successors: only F_k is kept, in place, indexed by
// the heights of the stacks after k, while the heights of the stacks before k advance; F of the last stack is one value.
#ifndef MCO_DTSPMS_MODEL_H
#define MCO_DTSPMS_MODEL_H

#include "base/context.h"
#include "dtspms/kernels.h"

typedef struct dtspms_model {
    int32_t orders, stacks, capacity;
    int32_t nodes;              // orders + 1
    int32_t *distance[2];       // [nodes * nodes] row i from node i; the diagonal is 0
    bool is_symmetric[2];
    int32_t longest[2];         // distance
    int64_t path_bound[2];      // no path over each node at most once is longer: the sum of each node's greatest distance
} dtspms_model;

// Errors: ARGUMENT, LIMIT (costs beyond 32 bits), MEMORY. `capacity` 0: ceil(orders / stacks). A capacity too small is no
// error here: the caller has tested it.
mco_status dtspms_model_create(mco_context *ctx, const mco_dtspms *problem, int32_t stacks, int64_t capacity, dtspms_model *out);
void dtspms_model_clear(mco_context *ctx, dtspms_model *model);

// ---- Plans

typedef struct dtspms_plan {
    int32_t heights[MCO_DTSPMS_MAX_STACKS];  // [stacks]
    int32_t *node;  // [orders] nodes 1..n, stack after stack, bottom to top; positions are indices of this array
} dtspms_plan;

// Heights as equal as they can be, the higher stacks first, orders in random order (seeded). plan->node [orders] exists.
void dtspms_plan_random(const dtspms_model *model, uint64_t seed, dtspms_plan *plan);
// The same with the heights that the plan has.
void dtspms_plan_shuffle(const dtspms_model *model, uint64_t seed, dtspms_plan *plan);
// Position of the lowest order of a stack.
int32_t dtspms_plan_first(const dtspms_plan *plan, int32_t stack);
// The sequence of a stack in a network, 0..height + 1, ends at the depot: node of step `step`.
static inline int32_t dtspms_plan_step(const int32_t *lowest, int32_t height, mco_dtspms_network network, int32_t step)
{
    if (step == 0 || step == height + 1)
        return 0;
    return network == MCO_DTSPMS_NETWORK_PICKUP ? lowest[step - 1] : lowest[height - step];
}

// ---- Moves: after one, position[i] holds node[i], all others are as before

typedef struct dtspms_move {
    int32_t count;  // 0..DTSPMS_MOST_CHANGES
    int32_t position[DTSPMS_MOST_CHANGES];
    int32_t node[DTSPMS_MOST_CHANGES];
} dtspms_move;

int64_t dtspms_move_count(mco_dtspms_move kind, int32_t orders);
// Positions p < q < r (r = -1 for a swap) of move `index`; an exchange's rotation is index & 1. O(log n).
void dtspms_move_positions(mco_dtspms_move kind, int32_t orders, int64_t index, int32_t positions[3]);
void dtspms_move_at(const dtspms_plan *plan, mco_dtspms_move kind, int32_t orders, int64_t index, dtspms_move *out);
void dtspms_move_apply(const dtspms_move *move, dtspms_plan *plan);

// ---- Counts: of one tour over these heights, exact up to 10^18, which stands for more

int64_t dtspms_relaxations(const int32_t *heights, int32_t stacks);
// Heights times last stack: entries of a table of all states, for the traceback. As double: may be huge.
double dtspms_states(const int32_t *heights, int32_t stacks);

#endif
