// SPDX-License-Identifier: MIT
// A walk over solutions by ruin and recreate (Schrimpf, Schneider, Stamm-Wilbrandt, Dueck 2000), in the form of slack
// induction by string removals (Christiaens, Vanden Berghe 2020), accepted by annealing (Kirkpatrick, Gelatt, Vecchi
// 1983):
//
//     for each step
//         trial = solution
//         ruin:      take strings of consecutive stops out of either tour, around a random order in one of the networks
//         recreate:  put the orders back, each where both tours together grow least, with blinks
//         if cost(trial) <= cost(solution) + temperature * -ln(u):  solution = trial
//
// The pickup tour and the delivery tour backwards are two **sequences** over the same orders. The solution is feasible
// exactly if the orders of each stack stand in the same succession in both. In each stack with room, an order has one
// **slot** below each order of that stack and one on top. A slot is a run of edges in each sequence; the best edge of
// each sequence is chosen independently of the other. With a small probability a slot **blinks**: it is passed over.
//
// A walk uses integers alone and its own stream of random numbers. So equal seeds give equal walks on every machine.
#ifndef MCO_DTSPMS_WALK_H
#define MCO_DTSPMS_WALK_H

#include "base/simd.h"
#include "dtspms/model.h"

// Both tours over the orders placed so far. Arrays lie in one block.
typedef struct dtspms_tours {
    int32_t placed, cost;
    int32_t heights[DTSPMS_WALK_LANES];  // of the stacks
    int32_t *node[2];    // [placed + 2] sequence of each network, from depot to depot
    int32_t *gap[2];     // [placed + 1] length of the edge to the next
    int32_t *stack;      // [nodes] of each node that is placed
} dtspms_tours;

typedef struct dtspms_walk {
    uint64_t random;      // state of its stream
    int32_t temperature;  // in 1/256 of a unit of cost; at most 2^30
    dtspms_tours now, trial, best;
    char *is_removed;     // [nodes] false between steps
    int32_t *work;        // [3 * nodes + DTSPMS_WALK_LANES] for recreate; the blocks of the tours lie behind it
} dtspms_walk;

// Tables that all walks read.
typedef struct dtspms_walk_tables {
    const dtspms_model *model;  // for its clock
    bool is_complete;           // false: time was over before; then no walk may begin
    int32_t orders, nodes, stacks, capacity;
    // [nodes * nodes] for each sequence, in its direction. Row x of `leave` holds the lengths from x to each node, row
    // x of `reach` those from each node to x.
    const int32_t *leave[2], *reach[2];
    int32_t *turned[2];     // transposed distances behind one of the two, if the network is asymmetric; else NULL
    int32_t near_count;     // min(DTSPMS_NEAR, orders - 1)
    int32_t *near;          // [2][nodes][near_count] nearest orders, nearest first
    int32_t *rank;          // [nodes] rank of each order by its distance from and to the depot in both networks
    uint32_t *logarithms;   // [DTSPMS_LOGARITHMS] -ln((k + 1/2) / 1024) in 1/65536
} dtspms_walk_tables;

// Bytes of the tables, and of each walk, for `orders` orders. Doubles, since they may be huge.
double dtspms_walk_tables_bytes(int32_t orders);
double dtspms_walk_bytes(int32_t orders);

// Makes the tables for at most DTSPMS_MAX_WALK_ORDERS orders; incomplete if time is over. The model is borrowed. Errors: MEMORY. O(orders^2).
mco_status dtspms_walk_tables_make(mco_context *ctx, const dtspms_model *model, dtspms_walk_tables *out);
void dtspms_walk_tables_clear(mco_context *ctx, dtspms_walk_tables *tables);

// Makes a walk with no orders placed. Errors: MEMORY.
mco_status dtspms_walk_make(mco_context *ctx, const dtspms_walk_tables *tables, dtspms_walk *out);
void dtspms_walk_clear(mco_context *ctx, dtspms_walk *walk);
// Starts the walk at this plan with these tours, [orders] nodes each as visited. Its best is this solution too.
void dtspms_walk_enter(const dtspms_walk_tables *tables, const dtspms_plan *plan, const int32_t *const tours[2], dtspms_walk *walk);
// Starts the walk by placing the orders one after the other, in random order. Returns false if time is over; the walk then has
// no solution.
bool dtspms_walk_scatter(const dtspms_walk_tables *tables, uint64_t seed, mco_simd simd, dtspms_walk *walk);
// Writes the plan and the tours, [orders] nodes each as visited, of a complete solution.
void dtspms_tours_plan(const dtspms_walk_tables *tables, const dtspms_tours *from, dtspms_plan *plan, int32_t *const tours[2]);

// Moves each of walks [count] on by `steps` steps, on `threads` threads. It uses the vector unit `simd`, or the
// portable one if the processor lacks it. Errors: MEMORY.
mco_status dtspms_walk_all(mco_context *ctx, const dtspms_walk_tables *tables, dtspms_walk *walks, int32_t count, int64_t steps,
                           int threads, mco_simd simd);

// ---- Recreate, for each vector unit (dtspms/walk_lanes.c)

typedef struct dtspms_place {
    mco_build build;
    // Puts `node` into tours that lack it. `drawn` seeds its blinks; `work` is as in dtspms_walk. Some stack has room.
    void (*place)(const dtspms_walk_tables *tables, int32_t node, uint32_t drawn, int32_t *work, dtspms_tours *tours);
} dtspms_place;

#endif
