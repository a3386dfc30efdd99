// SPDX-License-Identifier: MIT
// One call of an entry point (cycles.c), and the choice of a method for a block (method.c).
#ifndef MCO_CYCLES_SOLVER_H
#define MCO_CYCLES_SOLVER_H

#include "cycles/blocks.h"
#include "cycles/solve.h"

enum { CYCLES_METHODS = MCO_CYCLES_METHOD_LABELS + 1 };

typedef struct cycles_solver {
    mco_context *ctx;
    const mco_graph *graph;
    const cycles_listener *listener;  // NULL: count only
    mco_cycles_params p;
    mco_run run;
    cycles_tally tally;
    cycles_sink sink;  // in use if there is a listener or a limit
    cycles_blocks blocks;
    int32_t *through;  // [through_count] ascending, each once
    int32_t through_count;
    double memory_bytes;
    mco_engine engine;  // AUTO: the cores, and a GPU for what would take them long
    int threads;
    bool has_turn;             // of several ranks: this one does what is not shared of the present block
    int64_t largest;           // vertices of the largest block so far
    int64_t by[CYCLES_METHODS];  // blocks of each method
    mco_cycles_result r;
} cycles_solver;

// The names that the options use.
const char *cycles_method_text(mco_cycles_method method);

// Counts, or lists, the cycles of a block by the method and the engine of the parameters. AUTO chooses, and says why in
// s->r.reason. Errors: as mco_cycles_count() says.
mco_status cycles_run_method(cycles_solver *s, cycles_job *job);

// Several processes (ranks.c): what they settle together before the first block, and the sums of what they found behind the last
// one. One process alone does nothing there. Errors: ARGUMENT (a list), MEMORY, and those of other ranks.
mco_status cycles_ranks_begin(cycles_solver *s);
mco_status cycles_ranks_end(cycles_solver *s);

#endif
