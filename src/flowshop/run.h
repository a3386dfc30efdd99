// SPDX-License-Identifier: MIT
// One call of mco_flowshop_solve: what every engine receives, and where it puts what it finds. Only the calling thread
// touches a run. Workers hand it what they find.
#ifndef MCO_FLOWSHOP_RUN_H
#define MCO_FLOWSHOP_RUN_H

#include "base/run.h"
#include "device/device.h"
#include "flowshop/instance.h"
#include "flowshop/variants.h"

typedef struct flowshop_run {
    mco_run run;                      // clock, ends, history, log
    mco_context *ctx;
    const mco_flowshop *shop;
    const mco_flowshop_params *params;
    const flowshop_variant *variant;  // vector unit and lane width chosen
    mco_flowshop_bound bound;         // resolved, never auto
    mco_flowshop_branching branching; // resolved, never auto
    int threads;                      // resolved, at least 1
    mco_gpu *gpus;                    // [gpu_count] the GPUs chosen; none with an engine of the host
    int gpu_count;
    int64_t upper_bound;              // only shorter schedules count; falls with the incumbent
    int64_t fixed_bound;              // N of the fixed-incumbent protocol, -1 without it
    mco_flowshop_result *result;      // incumbent, bound and counters; the engines fill it
    const struct flowshop_station *station;  // workers elsewhere search the tree; NULL: this process does
    bool is_checkpoint_failing;       // the last checkpoint of a search that goes on could not be written
    mco_flowshop_solution incumbent;  // the incumbent as the callback sees it
    bool has_turns;                   // methods share the time
    bool is_tree_vain;                // the time of a tree search is over, and it has found no schedule
    void (*tend)(void *user);         // called again and again while the greedy runs, such as for checkpoints; or NULL
    void *tend_user;
    double turn_s, patience;          // the present turn began; it may go on without success for so many times what the run took before
} flowshop_run;

// Offers a schedule. If its makespan is below run->upper_bound, checks it again and records it as the incumbent.
// `source` says in the log who found it. Errors: INTERNAL when the claimed makespan is wrong, MEMORY.
mco_status flowshop_run_improve(flowshop_run *run, int64_t makespan, const int32_t *order, const char *source);

// Records a schedule of the user or of a checkpoint as the incumbent, whatever its makespan. Errors as above.
mco_status flowshop_run_adopt(flowshop_run *run, int64_t makespan, const int32_t *order, const char *source);

// Raises the proven bound.
void flowshop_run_raise_bound(flowshop_run *run, int64_t bound);

// True when the run must end, as mco_run_must_stop(); *stop then says why. `work`: nodes or iterations done.
bool flowshop_run_must_stop(flowshop_run *run, int64_t work, mco_stop *stop);

// Begins the turn of a method that shares the time with another. It is over once it has brought no better schedule for `patience` times
// what the run took before: so every method gets some time, and one that makes progress goes on.
void flowshop_run_begin_turn(flowshop_run *run, double patience);
bool flowshop_run_turn_is_over(const flowshop_run *run);
// From now on no turn is over.
void flowshop_run_end_turns(flowshop_run *run);
// A full disk must not end the search. Says once that checkpoints fail, with the error of `ctx`, and once that they are written
// again. `st`: of the last one.
void flowshop_run_tell_checkpoint(flowshop_run *run, mco_status st, const mco_context *ctx);

#endif
