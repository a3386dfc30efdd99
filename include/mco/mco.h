// SPDX-License-Identifier: MIT
// mco: many-core combinatorial optimisation. This header includes the whole library.
//
//     mco_context *ctx = NULL;
//     mco_flowshop *shop = NULL;
//     mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
//     mco_flowshop_result result = MCO_FLOWSHOP_RESULT_INIT;
//
//     mco_context_create(&ctx, NULL);
//     mco_flowshop_taillard(ctx, "ta021", &shop);
//     params.time_limit_s = 60;
//     if (mco_flowshop_solve(ctx, shop, &params, &result) == MCO_OK)
//         printf("%lld, at least %lld\n", (long long)result.makespan, (long long)result.bound);
//     mco_flowshop_result_clear(ctx, &result);
//     mco_flowshop_destroy(ctx, &shop);
//     mco_context_destroy(&ctx);
//
// Rules that hold everywhere:
//
// - A negative status means failure. The outputs are untouched, and mco_context_error() says what is wrong.
// - Every instance that a function creates or reads has one destroy function. It takes the address of the pointer and
//   sets the pointer to NULL. It accepts NULL.
// - A pointer must not be NULL unless its comment allows it. A call with such a pointer fails with MCO_ERR_ARGUMENT. A
//   function that returns no status returns 0, NULL or false if the instance is NULL.
// - Ids are 0-based int32_t and must lie in their range. Counts are int64_t.
// - Structs begin with struct_size. Their _INIT macro fills them.
#ifndef MCO_MCO_H
#define MCO_MCO_H

#include "mco/context.h"
#include "mco/cycles.h"
#include "mco/devices.h"
#include "mco/dtspms.h"
#include "mco/engine.h"
#include "mco/flowshop.h"
#include "mco/graph.h"
#include "mco/guillotine.h"
#include "mco/multimodal.h"
#include "mco/options.h"
#include "mco/overlay.h"
#include "mco/paths.h"
#include "mco/reduce.h"
#include "mco/status.h"
#include "mco/traffic.h"
#include "mco/transit.h"
#include "mco/version.h"
#include "mco/vrp.h"
#include "mco/vrp_bound.h"

#endif
