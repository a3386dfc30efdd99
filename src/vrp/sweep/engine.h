// SPDX-License-Identifier: MIT
// Complete neighbourhoods: the giant tour, its moves, and the engines that evaluate all of them. Every engine gives the same
// answer, so the descent (vrp/sweep/neighbourhood.c) is written once.
#ifndef MCO_VRP_SWEEP_ENGINE_H
#define MCO_VRP_SWEEP_ENGINE_H

#include "vrp/instance.h"
#include "vrp/sweep/move.h"

// Routes one after the other, a depot (node 0) before, between and behind them. Edge x leads from node[x] to node[x + 1].
typedef struct vrp_tour {
    int32_t *node;  // [count] 0..customers; the first and the last are 0
    int32_t count;  // T; E = T - 1 edges
} vrp_tour;

// Moves of a tour with `edges` edges: E(E-1)/2, or 4 C(E, 3).
static inline int64_t vrp_move_count(int64_t edges, bool is_three_opt)
{
    return edges < 2 ? 0 : is_three_opt ? edges * (edges - 1) / 2 * (edges - 2) / 3 * 4 : edges * (edges - 1) / 2;
}

// One evaluation of 2-opt or of pure 3-opt.
typedef struct vrp_scan {
    const vrp_tour *tour;
    bool is_three_opt;
    bool wants_first;        // the improving move of lowest index instead of the best
    int hierarchy;           // 0..2: by stored segments; -1: by what is fastest
    uint64_t keep, filter_seed;  // keep = UINT64_MAX: no filter
    mco_vrp_filter filter;
    vrp_candidate *rows;     // [edges] best of each x, lowest index; NULL where not wanted; means nothing with wants_first
    int64_t ahead;           // so many more scans may follow, each of the tour that the best move of the one before makes, as
                             // long as that improves it (vrp_to_beat()): an engine may work on them before they are asked for
    bool is_next;            // the scan before had `ahead`, and this is the scan that follows it
    // Out:
    vrp_candidate best;      // of the feasible moves, lowest index among equals, whether it improves or not; with wants_first
                             // the first that improves, move.x -1 if none does
    int64_t moves, moves_skipped;
} vrp_scan;

typedef struct vrp_engine {
    mco_context *ctx;
    const mco_vrp *problem;
    void *state;             // of the engine
    mco_work work;           // what it works with, and the seconds of its kernels so far
    // Errors: MEMORY, DEVICE. Returns early, with best.move.x -1, once mco_is_cancelled() or `stop_s`, a moment of
    // mco_clock_s(), has passed.
    mco_status (*scan)(struct vrp_engine *engine, vrp_scan *scan, double stop_s);
    void (*close)(struct vrp_engine *engine);  // releases the state
} vrp_engine;

// Open an engine for giant tours of `tour_nodes` nodes; *out is all zero before. They take params->threads, simd, gpus,
// memory. Errors: ARGUMENT, LIMIT, MEMORY, DEVICE.
mco_status vrp_ref_open(mco_context *ctx, const mco_vrp *problem, int32_t tour_nodes, const mco_vrp_params *params,
                        vrp_engine *out);
mco_status vrp_cpu_open(mco_context *ctx, const mco_vrp *problem, int32_t tour_nodes, const mco_vrp_params *params,
                        vrp_engine *out);
mco_status vrp_gpu_open(mco_context *ctx, const mco_vrp *problem, int32_t tour_nodes, const mco_vrp_params *params,
                        vrp_engine *out);

// Cost and penalty of a tour and its routes that are not empty, by a walk; false if a route is too heavy or too long.
// O(count).
bool vrp_tour_value(const mco_vrp *problem, const vrp_tour *tour, vrp_value *value, int32_t *routes);
// What improves the tour: moves whose value, as in vrp_candidate, is less than this. Any feasible move improves a tour with a
// route that is too heavy or too long. O(count).
vrp_value vrp_to_beat(const mco_vrp *problem, const vrp_tour *tour);

// Makes the move: `tour` in place, `spare` [count] working memory. O(count).
void vrp_apply(vrp_tour *tour, vrp_move move, int32_t *spare);

// The descent of mco_vrp_neighbourhood() on an open engine (vrp/sweep/neighbourhood.c): fills what the sweeps make out. The tour is
// the start and becomes the end. Errors: ARGUMENT (independent moves with asymmetric distances, or with --improvement first),
// LIMIT, MEMORY, DEVICE, INTERNAL (a move is not worth what the engine said).
mco_status vrp_descend(mco_context *ctx, vrp_engine *engine, const mco_vrp_params *params, vrp_tour *tour,
                       mco_vrp_neighbourhood_result *result);

// Giant tour of a solution, with empty routes up to the vehicles; and back, empty routes dropped. Errors: MEMORY.
mco_status vrp_tour_of(mco_context *ctx, const mco_vrp *problem, const mco_vrp_solution *solution, vrp_tour *out);
mco_status vrp_solution_of(mco_context *ctx, const mco_vrp *problem, const vrp_tour *tour, mco_vrp_solution *out);

// The same by routes that are lists: a solution with room. Errors: MEMORY.
mco_status vrp_solution_new(mco_context *ctx, int32_t customers, int32_t routes, mco_vrp_solution *out);
// Scaled, all routes together.
int64_t vrp_solution_cost(const mco_vrp *problem, const mco_vrp_solution *solution);

#endif
