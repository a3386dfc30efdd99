// SPDX-License-Identifier: MIT
// Prices to begin an ascent of many customers with. A step costs the square of their number, and routes are local: so the map is cut into
// parts of some hundred customers, and each part climbs by itself first.
#ifndef MCO_VRP_BOUND_COLUMNS_PARTS_H
#define MCO_VRP_BOUND_COLUMNS_PARTS_H

#include "vrp/bound/relax/q.h"

// Whether there are enough customers for parts, with coordinates.
bool vrp_has_parts(const vrp_bound_problem *problem);
// price [nodes]: even, of the customers; owned. NULL where the customers are few or have no coordinates, or where the time, until stop_s, does
// not do for all parts. They prove nothing yet. Errors: MEMORY, LIMIT, DEVICE.
mco_status vrp_ascend_parts(mco_context *ctx, const vrp_bound_problem *problem, const vrp_relax_settings *settings, double stop_s,
                            int32_t **price);

#endif
