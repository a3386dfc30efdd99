// SPDX-License-Identifier: MIT
// The result file, the same for every problem: docs/formats.md.
#ifndef MCO_RENDER_REPORT_H
#define MCO_RENDER_REPORT_H

#include "base/json.h"
#include "base/options.h"
#include "mco/devices.h"
#include "mco/engine.h"

typedef struct mco_report {
    const char *kind, *name;  // of the problem
    mco_outcome outcome;
    mco_stop stop;
    double objective, bound;  // NaN while unknown
    bool is_unchecked;        // the objective was not recomputed
    int64_t seed;
    mco_option_values options;      // of the solver, to be echoed
    const mco_option_values *more;  // others behind them; NULL: none
    const mco_work *work;
    const mco_improvement *history;  // [history_count]
    int64_t history_count;
    const void *user;  // for the writers of the problem's own members, NULL where it has none
    void (*write_sizes)(mco_json *json, const void *user);
    void (*write_counters)(mco_json *json, const void *user);
    void (*write_solution)(mco_json *json, const void *user);
} mco_report;

// Writes the whole file. Its wall clock runs since the context was created. Errors: IO.
mco_status mco_report_write(mco_context *ctx, const mco_report *report, const char *path);

// ---- Reading

// A member of a result file that a problem wants, and what reads its value.
typedef struct mco_report_member {
    const char *key;
    bool is_inside;  // a member of the object "solution", else of the file
    mco_status (*read)(mco_text *text, void *user);
} mco_report_member;

// Reads a result file, which begins with '{' and is the rest of the text: members [count] are read where they stand, unless
// they are null; all others are skipped. Errors: PARSE with the place, and those of the members.
mco_status mco_report_read(mco_text *text, const mco_report_member *members, size_t count, void *user);

// ---- Parts of it

// The members of one GPU, as `mco devices` and the result file give them. `unusable`: why it cannot be used, NULL if it can.
void mco_report_write_gpu(mco_json *json, const mco_gpu *gpu, const char *unusable);

// "avx512", or "none" where no vector unit was used.
static inline const char *mco_report_simd(mco_simd simd)
{
    return simd != MCO_SIMD_AUTO ? mco_simd_text(simd) : "none";
}

#endif
