// SPDX-License-Identifier: MIT
// What the entry points share (src/vrp/vrp.c: the search; src/vrp/complete.c: complete neighbourhoods).
#ifndef MCO_VRP_ENTRY_H
#define MCO_VRP_ENTRY_H

#include "base/options.h"
#include "vrp/instance.h"
#include "vrp/sweep/engine.h"

// Copies the parameters to *out. Tests all arguments except the result. Errors: ARGUMENT.
mco_status vrp_take_params(mco_context *ctx, const mco_vrp *problem, const mco_vrp_params *params,
                           const mco_option_table *options, mco_vrp_params *out);
// Compares the cost of the checker with the engine's. Errors: INTERNAL if they differ.
mco_status vrp_compare(mco_context *ctx, int64_t checked, int64_t cost);

static inline mco_work vrp_work_of(const vrp_engine *engine, mco_engine name)
{
    mco_work work = engine->work;
    work.engine = name;
    return work;
}

#endif
