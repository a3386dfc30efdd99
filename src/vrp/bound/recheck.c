// SPDX-License-Identifier: MIT
// The recheck (vrp/bound/recheck.h).
#include "vrp/bound/recheck.h"

#include "vrp/bound/recheck_labels.h"
#include "vrp/bound/recheck_tables.h"

// ---- The rows: every plan obeys them

static mco_status check_set(const vrp_recheck *c, const vrp_cut *cut)
{
    int64_t demand = 0;
    for (int32_t k = 0; k < cut->size; k++)
        demand += c->vrp->demand[cut->node[k]];
    int64_t vehicles = (demand + c->vrp->capacity - 1) / c->vrp->capacity;
    vehicles = vehicles > 0 ? vehicles : 1;
    if (cut->size == c->vrp->customers && vehicles < c->fleet.least)
        vehicles = c->fleet.least;
    if (cut->sense != VRP_CUT_AT_LEAST || cut->rhs > 2 * vehicles)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "a row of %d customers wants %s %lld crossings, %lld vehicles serve them", cut->size,
                        cut->sense == VRP_CUT_AT_LEAST ? "at least" : "at most", (long long)cut->rhs, (long long)vehicles);
    return MCO_OK;
}

static mco_status check_rank1(const vrp_recheck *c, const vrp_cut *cut)
{
    const bool is_fraction = cut->numerator > 0 && cut->numerator < cut->denominator;
    if (cut->sense != VRP_CUT_AT_MOST || !is_fraction || cut->rhs < (int64_t)cut->numerator * cut->size / cut->denominator)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "a rank-1 row of %d customers by %d/%d has the right side %lld", cut->size, cut->numerator,
                        cut->denominator, (long long)cut->rhs);
    return MCO_OK;
}

static mco_status check_rows(const vrp_recheck *c)
{
    mco_status st = MCO_OK;
    for (int32_t i = 0; i < c->nodes; i++)
        if (c->price[i] % 2 != 0 || (i == 0 && c->price[i] != 0))
            return mco_fail(c->ctx, MCO_ERR_CHECK, "the price of node %d is %d, an even number was expected, 0 of the depot", i, c->price[i]);
    for (int64_t k = 0; c->cuts != NULL && k < c->cuts->count; k++) {
        const vrp_cut *cut = &c->cuts->cut[k];
        if (cut->price == 0)
            continue;
        if (cut->sense == VRP_CUT_AT_LEAST ? cut->price < 0 : cut->price > 0)
            return mco_fail(c->ctx, MCO_ERR_CHECK, "row %lld has the price %d, the other sign was expected", (long long)k, cut->price);
        for (int32_t m = 0; m < cut->size; m++)
            if (cut->node[m] < 1 || cut->node[m] >= c->nodes || (m > 0 && cut->node[m] <= cut->node[m - 1]))
                return mco_fail(c->ctx, MCO_ERR_CHECK, "row %lld names the node %d twice, or none such exists", (long long)k, cut->node[m]);
        MCO_TRY(cut->kind == VRP_CUT_SET ? check_set(c, cut) : check_rank1(c, cut));
    }
done:
    return st;
}

// Rows of RANK1 cost routes by their whole sequence, which tables do not see: they need labels.
static bool has_priced_rank1(const vrp_recheck *c)
{
    for (int64_t k = 0; c->cuts != NULL && k < c->cuts->count; k++)
        if (c->cuts->cut[k].kind == VRP_CUT_RANK1 && c->cuts->cut[k].price != 0)
            return true;
    return false;
}

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
    const vrp_recheck_labels task = {.nodes = c->nodes, .bits = c->bits, .capacity = c->capacity, .demand = c->demand, .arc = c->arc,
                                     .completion = c->cell, .sets = c->sets, .cuts = c->cuts, .stop_s = c->stop_s};
    return vrp_recheck_least(c->ctx, &task, least, is_done);
}

static mco_status prove(vrp_recheck *c, int64_t *bound, bool *is_done)
{
    mco_status st = MCO_OK;
    bool has_room;
    c->nodes = c->vrp->nodes;
    MCO_TRY(check_rows(c));
    MCO_TRY(vrp_recheck_open(c, &has_room));
    if (!has_room || (has_priced_rank1(c) && c->sets == NULL))
        goto done;
    vrp_recheck_arcs(c);
    vrp_recheck_fill(c, is_done);
    int64_t least = *is_done ? least_route(c) : 0;
    if (*is_done && has_priced_rank1(c))
        MCO_TRY(label_least(c, &least, is_done));
    *bound = *is_done ? bound_of(c, least) : INT64_MIN;
done:
    return st;
}

mco_status vrp_bound_recheck(mco_context *ctx, const mco_vrp *vrp, const vrp_bound_problem *problem, const int32_t *price,
                             const vrp_cuts *cuts, const vrp_ng_sets *sets, double stop_s, int64_t *bound, bool *is_done)
{
    vrp_recheck c = {.ctx = ctx, .vrp = vrp, .unit = problem->unit, .fleet = problem->fleet, .price = price, .cuts = cuts, .sets = sets,
                     .stop_s = stop_s};
    *bound = INT64_MIN;
    *is_done = false;
    const mco_status st = prove(&c, bound, is_done);
    vrp_recheck_close(&c);
    return st;
}
