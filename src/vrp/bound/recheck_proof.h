// SPDX-License-Identifier: MIT
// The recheck of a whole proof: removed arcs, enumeration, the program over the routes left, and branching. It takes nothing from the
// driver but the parts and their prices (vrp/bound/claims.h), and shares no code with it.
//
// To prove: no plan costs less than `bound`. Suppose that one does; take the cheapest, the first of its kind (recheck_routes.h). It lies in
// one of the parts. There the values of its routes at the prices of the part add up to at most some slack. So each route has a value below
// a limit: the slack, less what all other routes can be worth. All routes below the limit are listed anew. If there is no room for
// any, the part is proved. Else a search over exact covers shows that they make no such plan.
#ifndef MCO_VRP_BOUND_RECHECK_PROOF_H
#define MCO_VRP_BOUND_RECHECK_PROOF_H

#include "vrp/bound/recheck_tables.h"

typedef enum vrp_recheck_end {
    VRP_RECHECK_PROVED,
    VRP_RECHECK_TIME,       // it ran out of time
    VRP_RECHECK_ROOM,       // tables, labels or steps would be too many
    VRP_RECHECK_OPEN,       // the prices do not prove it
    VRP_RECHECK_DISPROVED   // a plan below the bound was found
} vrp_recheck_end;

// bound: scaled, at least 1. fleet: of all plans. sets: any ng sets; they decide on the time alone. part: the one where it ended, unless
// PROVED. Errors: CHECK (parts that leave plans out, rows that not every plan of a part obeys), MEMORY.
mco_status vrp_bound_recheck_proof(mco_context *ctx, const mco_vrp *vrp, vrp_fleet fleet, const vrp_claims *claims, const vrp_ng_sets *sets,
                                   int64_t bound, double stop_s, vrp_recheck_end *end, int64_t *part);

#endif
