// SPDX-License-Identifier: MIT
// The recheck (vrp/bound/recheck.h).
#include "vrp/bound/recheck.h"

#include "vrp/bound/recheck_labels.h"
#include "vrp/bound/recheck_tables.h"

static int64_t least_route(const vrp_recheck *c)
{
    int64_t least = VRP_RECHECK_NONE;
    for (int64_t load = 1; load <= c->capacity; load++)
        for (int32_t i = 1; i < c->nodes; i++) {
            const int64_t value = c->least[load * c->nodes + i] + c->arc[(int64_t)i * c->nodes];
            least = value < least ? value : least;
        }
    return least;
}

static int64_t bound_of(const vrp_recheck *c, int64_t least)
{
    int64_t sum = least * (least > 0 ? c->fleet.least : c->fleet.most);
    for (int32_t i = 1; i < c->nodes; i++)
        sum += c->price[i];
    for (int64_t k = 0; c->cuts != NULL && k < c->cuts->count; k++)
        sum += c->cuts->cut[k].rhs * c->cuts->cut[k].price;
    return sum;
}

// The least value of a route with RANK1 rows: the tables complete partial routes.
static mco_status label_least(vrp_recheck *c, int64_t *least, bool *is_done)
{
    vrp_recheck_complete(c, is_done);
    if (!*is_done)
        return MCO_OK;
    const vrp_recheck_labels task = vrp_recheck_task(c);
    return vrp_recheck_least(c->ctx, &task, least, is_done);
}

static mco_status prove(vrp_recheck *c, int64_t *bound, bool *is_done)
{
    mco_status st = MCO_OK;
    bool has_room;
    MCO_TRY(vrp_recheck_rows(c));
    MCO_TRY(vrp_recheck_open(c, &has_room));
    if (!has_room || (vrp_recheck_has_rank1(c->cuts) && c->sets == NULL))
        goto done;
    vrp_recheck_arcs(c);
    vrp_recheck_fill(c, is_done);
    int64_t least = *is_done ? least_route(c) : 0;
    if (*is_done && vrp_recheck_has_rank1(c->cuts))
        MCO_TRY(label_least(c, &least, is_done));
    *bound = *is_done ? bound_of(c, least) : INT64_MIN;
done:
    return st;
}

mco_status vrp_bound_recheck(mco_context *ctx, const mco_vrp *vrp, const vrp_bound_problem *problem, vrp_fleet fleet, const int32_t *price,
                             const vrp_cuts *cuts, const vrp_ng_sets *sets, double stop_s, int64_t *bound, bool *is_done)
{
    vrp_recheck c = {.ctx = ctx, .vrp = vrp, .unit = problem->unit, .fleet = fleet, .price = price, .cuts = cuts, .sets = sets,
                     .stop_s = stop_s};
    *bound = INT64_MIN;
    *is_done = false;
    const mco_status st = prove(&c, bound, is_done);
    vrp_recheck_close(&c);
    return st;
}
