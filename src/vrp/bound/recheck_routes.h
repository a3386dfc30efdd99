// SPDX-License-Identifier: MIT
// The recheck's list of elementary routes: all that a plan may need, of a value below a limit, at given prices. It shares no code with the
// labels of the driver: plain labels, load after load, one way.
//
// Of paths with the same customers and the same end one is enough: the cheapest by costs that are not rounded; of equal costs the first
// one in an order of node sequences, read from the end. The order is the same at all prices. So a cheapest plan that is the first of its
// kind keeps all its routes, whatever the part of the plans and the prices that it is looked for by.
#ifndef MCO_VRP_BOUND_RECHECK_ROUTES_H
#define MCO_VRP_BOUND_RECHECK_ROUTES_H

#include "vrp/bound/recheck_tables.h"
#include "vrp/bound/routes.h"

typedef struct vrp_recheck_list {
    vrp_routes routes;    // of equal customers only the cheapest; their costs are scaled units of mco_vrp
    int64_t *value;       // [routes.count] of each at the prices, RANK1 rows included; the least of those with its customers
    int64_t room;
    bool is_full;         // more than `most` labels: the list is not whole
} vrp_recheck_list;

// Routes that count have a value below `limit` at these other prices too.
typedef struct vrp_recheck_filter {
    const vrp_claim_prices *prices;
    int64_t limit;
} vrp_recheck_filter;

// Routes of a value below `limit` that keep capacity, limit of length, pass the filters, and use no arc of ABSENT in tables->arc. `tables` have sets and are
// complete (vrp_recheck_complete). *is_done false: stop_s is over, or is_full. Errors: MEMORY.
mco_status vrp_recheck_list_routes(const vrp_recheck *tables, int64_t limit, int64_t most, const vrp_recheck_filter *filter, int32_t filters,
                                   vrp_recheck_list *list, bool *is_done);
void vrp_recheck_list_clear(mco_context *ctx, vrp_recheck_list *list);

#endif
