// SPDX-License-Identifier: MIT
// Into how many routes a solution is packed (vrp/search/fleet.c).
#ifndef MCO_VRP_SEARCH_FLEET_H
#define MCO_VRP_SEARCH_FLEET_H

#include "vrp/search/rounds.h"

// Whether no route of the present solution is too long.
bool vrp_fleet_fits(const vrp_rounds *s);
// Keeps as many of the fullest routes as there are vehicles, 0 for any number, none of them too long. Then puts all other
// customers into them, or into new routes, in at most `steps` steps. If that fails the present solution stays. Errors: MEMORY.
mco_status vrp_fleet_pack(vrp_rounds *s, int32_t vehicles, double steps, bool *is_found);
// Where routes are long, their number is free, and there are more than the demand needs: anneals the present solution
// shortly, packs it into a route less and anneals that, and so on while it gains. The best is the present solution then.
// Where it has fewer routes than at first, no later solution has more than it. Errors: MEMORY.
mco_status vrp_fleet_choose(vrp_rounds *s);

#endif
