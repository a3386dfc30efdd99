// SPDX-License-Identifier: MIT
// What all engines share: distances as matrices, loading plans, moves, and how much a dynamic program costs.
//
// Node 0 is the depot; nodes 1..n are the orders. Each tour reads a stack as a sequence: the pickup tour from bottom to
// top, the delivery tour from top to bottom. Let a_k(1..c_k) be the sequences of one network, and let a_k(0) and
// a_k(c_k + 1) be the depot:
//
//     F_k(h) = length of the shortest path from the depot that has visited the first h_j nodes of each sequence j and
//              stands at a_k(h_k);  F_k(0) = 0 for all k, infinite for other h with h_k = 0
//     F_k(h + e_k) = min over q of  F_q(h) + D[ a_q(h_q) ][ a_k(h_k + 1) ]
//     tour         = min over q of  F_q(c) + D[ a_q(c_q) ][ depot ]
//
// (Casazza, Ceselli, Nunkesser 2012.) All engines but the reference push: the second recurrence takes a known state to
// its successors. F_k is then an array over the heights of the stacks after k. It is overwritten in place while the
// heights of the other stacks advance. F of the last stack is one value.
#ifndef MCO_DTSPMS_MODEL_H
#define MCO_DTSPMS_MODEL_H

#include "base/context.h"
#include "dtspms/kernels.h"

typedef struct dtspms_model {
    int32_t orders, stacks, capacity;
    int32_t nodes;              // orders + 1
    int32_t *distance[2];       // [nodes * nodes] row i from node i; the diagonal is 0
    bool is_symmetric[2];
    int32_t longest[2];         // longest distance
    int64_t path_bound[2];      // sum of each node's greatest distance; no path that visits nodes once is longer
    mco_context *ctx;
    double stop_s;              // by mco_clock_s(): when all work with the model ends; INFINITY: never
    bool is_complete;           // false: time was over before all distances were known
} dtspms_model;

// Makes the model of an instance. `capacity` 0 means ceil(orders / stacks). The caller has tested that the capacity is
// large enough. Errors: LIMIT (path_bound of 2^30 or more), MEMORY. O(orders^2).
mco_status dtspms_model_create(mco_context *ctx, const mco_dtspms *problem, int32_t stacks, int64_t capacity, double stop_s,
                               dtspms_model *out);
void dtspms_model_clear(mco_context *ctx, dtspms_model *model);

// Whether time is over, or the context is cancelled.
bool dtspms_is_over(const dtspms_model *model);

enum { DTSPMS_LOOK = 1 << 20 };  // sums, or entries, between two looks at the clock: about a millisecond

// Counts `work` sums and looks at the clock when *left of them are used up. *left begins as DTSPMS_LOOK, so small work never ends
// early.
static inline bool dtspms_is_late(const dtspms_model *model, int64_t *left, int64_t work)
{
    *left -= work;
    if (*left > 0)
        return false;
    *left = DTSPMS_LOOK;
    return dtspms_is_over(model);
}

// ---- Plans

typedef struct dtspms_plan {
    int32_t heights[MCO_DTSPMS_MAX_STACKS];  // [stacks]
    int32_t *node;  // [orders] nodes 1..n, stack after stack, bottom to top; positions are indices of this array
} dtspms_plan;

// Makes a random plan: heights as equal as possible, the higher stacks first, the orders shuffled by `seed`. The caller
// provides plan->node [orders].
void dtspms_plan_random(const dtspms_model *model, uint64_t seed, dtspms_plan *plan);
// Shuffles the orders and keeps the plan's heights.
void dtspms_plan_shuffle(const dtspms_model *model, uint64_t seed, dtspms_plan *plan);
// Position of the lowest order of a stack.
int32_t dtspms_plan_first(const dtspms_plan *plan, int32_t stack);
// Node at step 0..height + 1 of a stack's sequence; the first and the last step are the depot. `lowest` points to the
// lowest order of the stack in the plan.
static inline int32_t dtspms_plan_step(const int32_t *lowest, int32_t height, mco_dtspms_network network, int32_t step)
{
    if (step == 0 || step == height + 1)
        return 0;
    return network == MCO_DTSPMS_NETWORK_PICKUP ? lowest[step - 1] : lowest[height - step];
}

// ---- Moves: a move puts node[i] at position[i] and leaves all other positions as they are

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

// ---- Counts, of one tour over these heights

// Relaxations; 10^18 where stacks * dtspms_states() is greater than that.
int64_t dtspms_relaxations(const int32_t *heights, int32_t stacks);
// Entries of a table of all states, one for each choice of heights and of the last stack. A double, since it may be
// huge.
double dtspms_states(const int32_t *heights, int32_t stacks);

#endif
