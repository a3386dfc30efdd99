// SPDX-License-Identifier: MIT
// Engines that evaluate complete neighbourhoods of a giant tour. All give the same answers, so that one descent
// (vrp/sweep/neighbourhood.c) serves all.
#ifndef MCO_VRP_SWEEP_ENGINE_H
#define MCO_VRP_SWEEP_ENGINE_H

#include "vrp/sweep/tour.h"

// The number of moves of a tour with E = `edges` edges: E(E-1)/2 for 2-opt, 4 C(E, 3) for pure 3-opt.
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
    vrp_candidate *rows;     // [edges] best of each x, lowest index; NULL: not wanted; has no meaning with wants_first
    int64_t ahead;           // So many more scans may follow. Each is of the tour that the best move of the scan before
                             // makes, if that improves it (vrp_to_beat()). An engine may work on them in advance.
    bool is_next;            // the scan before had `ahead`, and this one follows it
    // Out:
    vrp_candidate best;      // The best feasible move, of equal ones that of lowest index; it need not improve. With
                             // wants_first the first one that improves; move.x is -1 if there is none.
    int64_t moves, moves_skipped;
} vrp_scan;

typedef struct vrp_engine {
    mco_context *ctx;
    const mco_vrp *problem;
    void *state;             // of the engine
    mco_work work;           // what it works with, and the seconds of its kernels so far
    // Fills *scan. Returns early, with best.move.x -1, once mco_is_cancelled() is true or `stop_s`, a moment of
    // mco_clock_s(), has passed. Errors: LIMIT, MEMORY, DEVICE, INTERNAL.
    mco_status (*scan)(struct vrp_engine *engine, vrp_scan *scan, double stop_s);
    void (*close)(struct vrp_engine *engine);  // releases the state
} vrp_engine;

#endif
