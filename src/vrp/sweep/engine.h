// SPDX-License-Identifier: MIT
// Engines that evaluate complete neighbourhoods of a giant tour. All give the same answer, so that the descent
// (vrp/sweep/neighbourhood.c) is written once.
#ifndef MCO_VRP_SWEEP_ENGINE_H
#define MCO_VRP_SWEEP_ENGINE_H

#include "vrp/sweep/tour.h"

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

#endif
