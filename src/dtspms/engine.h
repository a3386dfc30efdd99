// SPDX-License-Identifier: MIT
// Engines: each evaluates loading plans exactly; the searches run on any of them and get the same answers.
#ifndef MCO_DTSPMS_ENGINE_H
#define MCO_DTSPMS_ENGINE_H

#include "dtspms/model.h"
#include "dtspms/walk.h"

// ---- One plan, by the plain algorithm (dtspms/ref.c)

// Length of the best tour of `network`; `tour` [orders], nodes 1..n as visited, or NULL. With it, tables of about
// dtspms_states() * 5 bytes. Errors: MEMORY.
mco_status dtspms_tour(mco_context *ctx, const dtspms_model *model, const dtspms_plan *plan, mco_dtspms_network network,
                       int64_t *cost, int32_t *tour);
// Bytes that dtspms_tour() with a tour takes.
double dtspms_tour_bytes(const int32_t *heights, int32_t stacks);

// ---- Whole neighbourhoods and walks

// One complete evaluation of a neighbourhood of `plan`.
typedef struct dtspms_scan {
    const dtspms_plan *plan;
    mco_dtspms_move kind;
    bool reuse;       // only the best is wanted: tables of the plan and bounds may be used
    int32_t *costs;   // [dtspms_move_count()] pickup + delivery of each move; NULL where not wanted; never with reuse
    // Out:
    int64_t best_move;       // lowest index among the best; -1 where there is no move
    int64_t best_cost_of[2];
    int64_t cost_sum;        // over all moves; -1 with reuse
} dtspms_scan;

typedef struct dtspms_engine {
    mco_context *ctx;
    const dtspms_model *model;
    void *state;  // of the engine
    mco_dtspms_counters counters;
    mco_work work;  // what it works with, and the seconds of its kernels so far
    // Evaluates the moves of a neighbourhood. Errors: MEMORY, DEVICE. Returns early, with best_move -1, once
    // mco_is_cancelled() or `stop_s`, a moment of mco_clock_s(), has passed.
    mco_status (*scan)(struct dtspms_engine *engine, dtspms_scan *scan, double stop_s);
    // Moves each of walks [count] on by `steps` steps, as dtspms_walk_all() does. NULL where the cores are to do it. Errors:
    // MEMORY, DEVICE.
    mco_status (*walk)(struct dtspms_engine *engine, const dtspms_walk_tables *tables, dtspms_walk *walks, int32_t count,
                       int64_t steps);
    int walks;         // that keep its own walk busy; 0 without
    // Costs [count] of moves [count] of the plan, which all change the same positions. NULL on a GPU.
    mco_status (*evaluate)(struct dtspms_engine *engine, const dtspms_plan *plan, const dtspms_move *moves, int64_t count,
                           int32_t *costs);
    void (*close)(struct dtspms_engine *engine);  // releases the state
} dtspms_engine;

// Open an engine for plans of `heights`; *out is all zero before. They take params->threads, simd, gpus, memory. Errors:
// ARGUMENT, LIMIT (tables beyond memory, with what they need), MEMORY, DEVICE.
mco_status dtspms_ref_open(mco_context *ctx, const dtspms_model *model, const int32_t *heights,
                           const mco_dtspms_params *params, dtspms_engine *out);
mco_status dtspms_cpu_open(mco_context *ctx, const dtspms_model *model, const int32_t *heights,
                           const mco_dtspms_params *params, dtspms_engine *out);
mco_status dtspms_gpu_open(mco_context *ctx, const dtspms_model *model, const int32_t *heights,
                           const mco_dtspms_params *params, dtspms_engine *out);

// ---- Bounds (dtspms/bound.c)

// A proven lower bound on the closed tour over all nodes of `network`, without stacks: the optimum of the travelling salesman
// problem where it is found within `seconds`, else a weaker bound. Errors: MEMORY.
mco_status dtspms_tour_bound(mco_context *ctx, const dtspms_model *model, mco_dtspms_network network, double seconds,
                             int64_t *bound);

#endif
