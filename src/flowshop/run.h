// SPDX-License-Identifier: MIT
// One call of mco_flowshop_solve: what every engine is given and where its findings go. Only the
// calling thread touches a run; workers hand their findings to it.
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
    mco_gpu *gpus;                    // [gpu_count] chosen; none with an engine of the host
    int gpu_count;
    int64_t upper_bound;              // only schedules below it count; falls with the incumbent
    int64_t fixed_bound;              // N of the fixed-incumbent protocol, -1 without it
    mco_flowshop_result *result;      // incumbent, bound, counters; what engines fill
    mco_flowshop_solution incumbent;  // the same, for the callback
} flowshop_run;

// Offers a schedule; records it if its makespan is below run->upper_bound: rechecks it, then tells the run.
// `source` names who found it in the log. Errors: INTERNAL when the makespan claimed is wrong, MEMORY.
mco_status flowshop_run_improve(flowshop_run *run, int64_t makespan, const int32_t *order, const char *source);

// Takes a schedule over, whatever it is worth: one given by the user or by a checkpoint.
mco_status flowshop_run_adopt(flowshop_run *run, int64_t makespan, const int32_t *order, const char *source);

// Raises the proven bound.
void flowshop_run_raise_bound(flowshop_run *run, int64_t bound);

// True when the run must end; *stop tells why. As mco_run_must_stop(). `work` is nodes or iterations done.
bool flowshop_run_must_stop(flowshop_run *run, int64_t work, mco_stop *stop);

#endif
