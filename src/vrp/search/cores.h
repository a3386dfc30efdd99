// SPDX-License-Identifier: MIT
// The processor of cores.
#ifndef MCO_VRP_SEARCH_CORES_H
#define MCO_VRP_SEARCH_CORES_H

#include "vrp/search/processor.h"

// Opens a processor; *out is all zero before. It takes params->threads and simd. Errors: ARGUMENT, MEMORY.
mco_status vrp_cores_open(mco_context *ctx, const mco_vrp *problem, const mco_vrp_params *params, vrp_processor *out);

// Looks for a solution with at most part.routes routes; task->order may hold only some of the customers. If *is_found,
// task holds such a solution, else it is unchanged. `processor` is one of cores; the search takes one core and at most
// plan.steps steps. Errors: MEMORY.
mco_status vrp_cores_pack(vrp_processor *processor, vrp_task *task, double stop_s, bool *is_found);

#endif
