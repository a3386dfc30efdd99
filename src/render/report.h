// SPDX-License-Identifier: MIT
// The result file, which has the same form for every problem (docs/formats.md).
#ifndef MCO_RENDER_REPORT_H
#define MCO_RENDER_REPORT_H

#include "base/json.h"
#include "base/options.h"
#include "mco/devices.h"
#include "mco/engine.h"

typedef struct mco_report {
    const char *kind, *name;  // of the problem, and of its instance
    mco_outcome outcome;
    mco_stop stop;
    const char *reason;       // why there is no solution; "" or NULL: none is known
    double objective, bound;  // NaN while unknown
    const double *gap;        // the problem's own gap; NULL: mco_report_gap()
    bool is_unchecked;        // the objective was not recomputed
    int64_t seed;
    mco_option_values options;      // of the solver; the file echoes them
    const mco_option_values *more;  // further options to echo, up to the first whose table is NULL; NULL: none
    const mco_work *work;
    const mco_improvement *history;  // [history_count]
    int64_t history_count;
    const void *user;  // for the writers below, which write the problem's own members; a writer may be NULL
    void (*write_sizes)(mco_json *json, const void *user);
    void (*write_counters)(mco_json *json, const void *user);
    void (*write_solution)(mco_json *json, const void *user);
} mco_report;

// Writes the whole file. Its wall_s counts from the creation of the context. Errors: IO, and those of mco_gpus_list().
mco_status mco_report_write(mco_context *ctx, const mco_report *report, const char *path);

// The gap of the file: |objective - bound| / objective; 0 where both are equal, else NaN for an objective of 0 or less.
double mco_report_gap(double objective, double bound);

// ---- Reading

// A member of a result file that a problem wants, and the function that reads its value.
typedef struct mco_report_member {
    const char *key;
    bool is_inside;  // whether it is a member of the object "solution"; else of the file
    mco_status (*read)(mco_text *text, void *user);
} mco_report_member;

// Reads a result file, which begins with '{' and is the rest of the text: members [count] are read where they stand, unless
// they are null; all others are skipped. A result of another problem than `kind` is refused. Errors: PARSE with the place, and
// those of the members.
mco_status mco_report_read(mco_text *text, const char *kind, const mco_report_member *members, size_t count, void *user);

// ---- Parts of the file

// Writes the object of one GPU, for `mco devices` and the result file. `unusable` says why the GPU cannot be used;
// NULL: it can.
void mco_report_write_gpu(mco_json *json, const mco_gpu *gpu, const char *unusable);

// The name of the vector unit, such as "avx512"; "none" if no unit was used.
static inline const char *mco_report_simd(mco_simd simd)
{
    return simd != MCO_SIMD_AUTO ? mco_simd_text(simd) : "none";
}

#endif
