// SPDX-License-Identifier: MIT
// The input and the answer of an engine, and the functions that turn a table of values into a plan.
#ifndef MCO_GUILLOTINE_ENGINE_H
#define MCO_GUILLOTINE_ENGINE_H

#include "base/run.h"
#include "guillotine/model.h"

// One run over the table. With K > 0 stages there are K + 1 levels: F_0 is the best single piece that fits, and F_s is
// F_(s-1) closed along one axis, s = 1..K. The axes alternate so that F_K has cuts along `first`. Without stages there
// is one level.
typedef struct guillotine_job {
    const guillotine_model *model;
    int32_t stages;            // 0: any number
    mco_guillotine_cut first;  // with stages: X or Y, never ANY
    bool wants_table;          // all values must be exact; else only the plate's value and plan must be
    mco_simd simd;
    int threads;               // at least 1
    int64_t memory_bytes;      // limit for the tables; an engine that needs more fails and says how much
    const char *gpus;          // as in mco_guillotine_params
    mco_run *run;              // clock, limits, log; NULL: the run never stops early
} guillotine_job;

// What becomes of a rectangle x[i] x y[j] of the plan. Steps stand depth first, lower or left part first. The rectangle
// is first made as small as its value allows; what that cuts off stays with the last part as waste.
typedef enum guillotine_step_kind {
    GUILLOTINE_WASTE_STEP,
    GUILLOTINE_PIECE_STEP,  // the seed at first = i, second = j
    GUILLOTINE_X_STEP,      // an x cut at position first = i'
    GUILLOTINE_Y_STEP
} guillotine_step_kind;

typedef struct guillotine_step {
    guillotine_step_kind kind;
    int32_t first, second;
} guillotine_step;

typedef struct guillotine_answer {
    mco_stop stop;            // FINISHED; with TIME or CANCELLED there is no value, plan or table
    int64_t value;
    guillotine_step *steps;   // [step_count], owned by the caller
    int64_t step_count;
    int64_t *table_64;        // [columns * rows] if wanted: either this one
    int32_t *table_32;        // or this one
    int64_t relaxations;      // sums evaluated
    int64_t table_bytes;
    int32_t passes;
    mco_work work;            // lane_bits are those of the last pass
    double copy_s;
} guillotine_answer;

// Errors: LIMIT (memory, with the need), MEMORY, DEVICE, INTERNAL.
mco_status guillotine_ref_run(mco_context *ctx, const guillotine_job *job, guillotine_answer *answer);
mco_status guillotine_cpu_run(mco_context *ctx, const guillotine_job *job, guillotine_answer *answer);
mco_status guillotine_gpu_run(mco_context *ctx, const guillotine_job *job, guillotine_answer *answer);
void guillotine_answer_clear(mco_context *ctx, guillotine_answer *answer);

// ---- From values to steps

typedef struct guillotine_values {
    const void *table;
    // V(i,j) of a level, 0..stages; only level 0 where stages are unlimited. INT64_MIN: the value is not known, but too
    // small for the plan to need it.
    int64_t (*at)(const void *table, int32_t level, int32_t i, int32_t j);
} guillotine_values;

// Walks from the plate down to the pieces. *steps [*count] is released by mco_free; NULL if the run is stopped before the end, and
// *stop says why. Errors: INTERNAL (a value that no cut explains), MEMORY. O(nodes * (columns + rows)).
mco_status guillotine_walk(mco_context *ctx, const guillotine_job *job, const guillotine_values *values,
                           guillotine_step **steps, int64_t *count, mco_stop *stop);

// The seed at exactly x[i] x y[j], or -1. O(log seeds).
int64_t guillotine_seed_at(const guillotine_model *model, int32_t i, int32_t j);

// The axis along which level 1..stages is closed.
mco_guillotine_cut guillotine_level_axis(const guillotine_job *job, int32_t level);

// Turns steps into a plan with places on the plate. *nodes [*count] is released by mco_free. `last_cut` is the axis of
// the innermost stage, along which a piece is trimmed first; either axis will do where stages are unlimited. Errors:
// INTERNAL (steps that are no plan), MEMORY.
mco_status guillotine_plan(mco_context *ctx, const mco_guillotine *problem, const guillotine_model *model,
                           const guillotine_step *steps, int64_t step_count, mco_guillotine_cut last_cut,
                           mco_guillotine_node **nodes, int64_t *count);

// Whether the run must stop now, as mco_run_must_stop() says. *stop is then TIME or CANCELLED. `done`: relaxations so
// far.
bool guillotine_is_stopped(const guillotine_job *job, int64_t done, mco_stop *stop);

// The same after each GUILLOTINE_LOOK units of work; *left counts down and begins there. `done` are relaxations.
enum { GUILLOTINE_LOOK = 1 << 20 };  // cells, or sums: a few milliseconds at most
static inline bool guillotine_is_late(const guillotine_job *job, int64_t *left, int64_t work, int64_t done, mco_stop *stop)
{
    *left -= work;
    if (*left > 0)
        return false;
    *left = GUILLOTINE_LOOK;
    return guillotine_is_stopped(job, done, stop);
}

// Relaxations over all cuts x' <= x/2 of all levels of the job, as a plain program evaluates them; at most INT64_MAX.
int64_t guillotine_all_relaxations(const guillotine_job *job);

#endif
