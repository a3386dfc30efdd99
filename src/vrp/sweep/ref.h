// SPDX-License-Identifier: MIT
// The reference of complete neighbourhoods: it decides every move by itself.
#ifndef MCO_VRP_SWEEP_REF_H
#define MCO_VRP_SWEEP_REF_H

#include "vrp/sweep/engine.h"

// Opens the engine for giant tours of `tour_nodes` nodes; *out is all zero before. It takes params->memory and
// hierarchy. Errors: LIMIT, MEMORY.
mco_status vrp_ref_open(mco_context *ctx, const mco_vrp *problem, int32_t tour_nodes, const mco_vrp_params *params,
                        vrp_engine *out);

#endif
