// SPDX-License-Identifier: MIT
// Engines evaluate loading plans exactly. The searches run on any of them and get the same answers.
#ifndef MCO_DTSPMS_ENGINE_H
#define MCO_DTSPMS_ENGINE_H

#include "dtspms/model.h"
#include "dtspms/walk.h"

// ---- One plan, by the plain algorithm (dtspms/ref.c)

// *cost receives the length of the best tour of `network`. `tour` [orders] receives its nodes 1..n as visited; NULL if
// not wanted. If time is over before the end, *cost is -1. Memory: 4 bytes for each of dtspms_states() entries, 5 with a
// tour. Errors: MEMORY.
mco_status dtspms_tour(mco_context *ctx, const dtspms_model *model, const dtspms_plan *plan, mco_dtspms_network network,
                       int64_t *cost, int32_t *tour);
// Bytes that dtspms_tour() with a tour takes.
double dtspms_tour_bytes(const int32_t *heights, int32_t stacks);

// ---- Whole neighbourhoods and walks

// One complete evaluation of a neighbourhood of `plan`.
typedef struct dtspms_scan {
    const dtspms_plan *plan;
    mco_dtspms_move kind;
    bool reuse;       // only the best move is wanted: bounds may leave out the others
    int32_t *costs;   // [dtspms_move_count()] pickup + delivery of each move; NULL if not wanted, and always with reuse
    // Out:
    int64_t best_move;       // lowest index among the best; -1 if there is no move
    int64_t best_cost_of[2];
    int64_t cost_sum;        // over all moves; -1 with reuse
} dtspms_scan;

typedef struct dtspms_engine {
    mco_context *ctx;
    const dtspms_model *model;
    void *state;  // of the engine
    mco_dtspms_counters counters;
    mco_work work;  // what it works with, and the seconds of its kernels so far
    // Evaluates the moves of a neighbourhood. Returns early, with best_move -1, once mco_is_cancelled() or
    // mco_clock_s() passes `stop_s`. Errors: LIMIT (too many moves for a GPU), MEMORY, DEVICE.
    mco_status (*scan)(struct dtspms_engine *engine, dtspms_scan *scan, double stop_s);
    // Moves each of walks [count] on by `steps` steps, as dtspms_walk_all() does. NULL if the cores do it. Errors:
    // MEMORY, DEVICE.
    mco_status (*walk)(struct dtspms_engine *engine, const dtspms_walk_tables *tables, dtspms_walk *walks, int32_t count,
                       int64_t steps);
    int walks;         // how many walks keep `walk` busy; 0 without it
    // Writes the costs [count] of moves [count] of the plan. All moves have the same positions. A cost is INT32_MAX if time was
    // over before it was known. NULL on a GPU.
    mco_status (*evaluate)(struct dtspms_engine *engine, const dtspms_plan *plan, const dtspms_move *moves, int64_t count,
                           int32_t *costs);
    void (*close)(struct dtspms_engine *engine);  // releases the state
} dtspms_engine;

// Open an engine for plans of `heights`; *out is all zero before. They read params->threads, simd, gpus, memory.
// Errors: ARGUMENT, LIMIT (tables beyond memory; the message says how much they need), MEMORY, DEVICE.
mco_status dtspms_ref_open(mco_context *ctx, const dtspms_model *model, const int32_t *heights,
                           const mco_dtspms_params *params, dtspms_engine *out);
mco_status dtspms_cpu_open(mco_context *ctx, const dtspms_model *model, const int32_t *heights,
                           const mco_dtspms_params *params, dtspms_engine *out);
mco_status dtspms_gpu_open(mco_context *ctx, const dtspms_model *model, const int32_t *heights,
                           const mco_dtspms_params *params, dtspms_engine *out);

// ---- Bounds (dtspms/bound.c)

// *bound receives a proven lower bound on the closed tour over all nodes of `network`, without the stacks. It is the
// optimum of the travelling salesman problem if that is found within `seconds`, else it is weaker. Errors: MEMORY.
mco_status dtspms_tour_bound(mco_context *ctx, const dtspms_model *model, mco_dtspms_network network, double seconds,
                             int64_t *bound);

#endif
