// SPDX-License-Identifier: MIT
// The descent over complete neighbourhoods.
#ifndef MCO_VRP_SWEEP_NEIGHBOURHOOD_H
#define MCO_VRP_SWEEP_NEIGHBOURHOOD_H

#include "vrp/sweep/engine.h"

// The descent of mco_vrp_neighbourhood() on an open engine. It fills the fields of *result that depend on the sweeps.
// The tour is the start and becomes the end. Errors: ARGUMENT (independent moves with asymmetric distances, or with
// --improvement first), LIMIT, MEMORY, DEVICE, INTERNAL (a move does not have the value that the engine gave).
mco_status vrp_descend(mco_context *ctx, vrp_engine *engine, const mco_vrp_params *params, vrp_tour *tour,
                       mco_vrp_neighbourhood_result *result);

#endif
