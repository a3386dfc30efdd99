// SPDX-License-Identifier: MIT
// The processor of cores.
#ifndef MCO_VRP_SEARCH_CORES_H
#define MCO_VRP_SEARCH_CORES_H

#include "vrp/search/processor.h"

// Opens a processor; *out is all zero before. It takes params->threads and simd. Errors: ARGUMENT, MEMORY.
mco_status vrp_cores_open(mco_context *ctx, const mco_vrp *problem, const mco_vrp_params *params, vrp_processor *out);

// Looks for a solution with at most part.routes routes, from whatever customers task->order holds; *is_found if task now holds
// one, else it is as before. At most plan.steps steps, on one core of a processor of cores. Errors: MEMORY.
mco_status vrp_cores_pack(vrp_processor *processor, vrp_task *task, double stop_s, bool *is_found);

#endif
