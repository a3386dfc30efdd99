// SPDX-License-Identifier: MIT
#include "vrp/bound/recheck_proof.h"

#include <string.h>

#include "vrp/bound/recheck_arcs.h"
#include "vrp/bound/recheck_plans.h"
#include "vrp/bound/recheck_routes.h"

enum { TABLE_BITS = 7, MOST_LABELS = 3000000, REMOVALS = 3, LOOK_ROUTES = 64 };

typedef struct proof_check {
    mco_context *ctx;
    const mco_vrp *vrp;
    const vrp_claims *claims;
    const vrp_ng_sets *sets;
    int64_t bound;         // scaled
    double stop_s;
    vrp_recheck_filter *filter;  // [filters] of all plans
    int32_t filters;
    bool **removed;        // [claims->count] arcs that no plan below the bound has in a part; NULL: those of the part that holds it
} proof_check;

// What the prices of a part leave: the values of the routes of a plan below the bound add up to at most this.
typedef struct slack {
    int64_t plans;
} slack;

// ---- The parts: together they hold all plans

static bool is_row_division(const vrp_claim *parent, const vrp_claim *low, const vrp_claim *high)
{
    return low->size > 0 && low->size == high->size && memcmp(low->node, high->node, (size_t)low->size * sizeof *low->node) == 0 &&
           low->sense == VRP_CUT_AT_MOST && high->sense == VRP_CUT_AT_LEAST && low->rhs % 2 == 0 && high->rhs == low->rhs + 2 &&
           low->fleet.least == parent->fleet.least && low->fleet.most == parent->fleet.most &&
           high->fleet.least == parent->fleet.least && high->fleet.most == parent->fleet.most;
}

static bool is_fleet_division(const vrp_claim *parent, const vrp_claim *low, const vrp_claim *high)
{
    return low->size == 0 && high->size == 0 && low->fleet.least == parent->fleet.least && high->fleet.most == parent->fleet.most &&
           high->fleet.least == low->fleet.most + 1;
}

// Routes cross the border of a set an even number of times.
static mco_status check_parts(const proof_check *c, vrp_fleet fleet)
{
    const vrp_claim *all = c->claims->claim;
    if (c->claims->count < 1 || all->parent != -1 || all->size != 0 || all->fleet.least > fleet.least || all->fleet.most < fleet.most)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "the first part does not hold all plans");
    for (int64_t k = 0; k < c->claims->count; k++) {
        const vrp_claim *parent = &all[k], *low = parent->child > 0 ? &all[parent->child] : NULL;
        if (low == NULL)
            continue;
        if (parent->child <= k || parent->child + 1 >= c->claims->count || low[0].parent != k || low[1].parent != k ||
            !(is_row_division(parent, &low[0], &low[1]) || is_fleet_division(parent, &low[0], &low[1])))
            return mco_fail(c->ctx, MCO_ERR_CHECK, "the parts of part %lld leave plans out", (long long)k);
    }
    return MCO_OK;
}

// The prices of a part, or of the next one that holds it.
static const vrp_claim_prices *prices_of(const vrp_claims *claims, int64_t k)
{
    while (k > 0 && claims->claim[k].prices.price == NULL)
        k = claims->claim[k].parent;
    return claims->claim[k].prices.price != NULL ? &claims->claim[k].prices : NULL;
}

// ---- Prices: what plans below the bound leave, and what their routes are worth at least

static slack slack_of(const proof_check *c, const vrp_recheck *t)
{
    const int64_t most = c->bound - 1;
    slack s = {.plans = t->unit >= 1 ? most * (int64_t)t->unit : most / (int64_t)(1 / t->unit)};
    for (int32_t i = 1; i < t->nodes; i++)
        s.plans -= t->price[i];
    for (int64_t k = 0; k < t->cuts->count; k++)
        s.plans -= t->cuts->cut[k].rhs * t->cuts->cut[k].price;
    return s;
}

// The least that routes of the list are worth together, by their share of all demand.
static int64_t share_of(const vrp_recheck *t, const vrp_routes *routes, const int64_t *value)
{
    int64_t share = 0, total = 0;
    for (int32_t i = 1; i < t->nodes; i++)
        total += t->demand[i];
    for (int64_t k = 0; k < routes->count; k++) {
        int64_t load = 0;
        for (int64_t v = routes->first[k]; value[k] < 0 && v < routes->first[k + 1]; v++)
            load += t->demand[routes->node[v]];
        const double part = value[k] < 0 ? -(double)value[k] * ((double)total / (double)load) * (1 + 1e-9) + 1 : 0;
        share = part > (double)share ? (int64_t)part : share;
    }
    return share;
}

// The least that the routes of a plan but `taken` are worth together, by the least value of a route and by a share of the load.
static int64_t worth_of(const vrp_recheck *t, int64_t least, int64_t share, int32_t taken)
{
    if (least >= 0)
        return (t->fleet.least - taken) * least;
    const int64_t by_number = (t->fleet.most - taken) * least;
    return by_number > -share ? by_number : -share;
}

// The least value of a route; `list` holds all below `limit`.
static int64_t least_of(const vrp_recheck_list *list, int64_t limit)
{
    int64_t least = limit;
    for (int64_t k = 0; k < list->routes.count; k++)
        least = list->value[k] < least ? list->value[k] : least;
    return least;
}

// The same bounds from tables alone: routes of a plan have values below the result.
static int64_t limit_by_tables(const vrp_recheck *t, const slack *s)
{
    int64_t least = VRP_RECHECK_NONE, share = 0, total = 0;
    for (int32_t i = 1; i < t->nodes; i++)
        total += t->demand[i];
    for (int64_t load = 1; load <= t->capacity; load++) {
        for (int32_t i = 1; i < t->nodes; i++) {
            const int64_t *cell = t->cell + ((load * t->nodes + i) << t->bits);
            const int64_t value = cell[vrp_recheck_known(t->sets, t->bits, i)] + t->arc[i];
            least = value < least ? value : least;
        }
        const double part = least < 0 ? -(double)least * ((double)total / (double)load) * (1 + 1e-9) + 1 : 0;
        share = part > (double)share ? (int64_t)part : share;
    }
    return s->plans - worth_of(t, least, share, 1) + 1;
}

// ---- Arcs: no route through them is worth less than a limit

// Removes arcs by the tables, whose bounds rise with each arc that is gone, and by `limit`. Tables of some arcs more are as right, so a few
// are no reason to fill them again.
static void remove_by_tables(vrp_recheck *t, const slack *s, int64_t limit, int rounds, bool *is_done)
{
    for (int round = 0; round < rounds && *is_done; round++) {
        const int64_t by_tables = limit_by_tables(t, s);
        if (vrp_recheck_remove_arcs(t, by_tables < limit ? by_tables : limit) < t->nodes)
            break;
        vrp_recheck_complete(t, is_done);
    }
}

// ---- A list of routes makes no plan below the bound

static int64_t times_of(const vrp_cut *cut, const int32_t *node, int32_t count)
{
    int64_t crossings = 0, sum = 0;
    for (int32_t v = 0; v < count; v++) {
        const bool is_in = vrp_set_has(cut->member, node[v]);
        sum += is_in && cut->kind == VRP_CUT_RANK1 ? vrp_cut_numerator(cut, node[v]) : 0;
        crossings += is_in != (v > 0 && vrp_set_has(cut->member, node[v - 1]));
    }
    crossings += count > 0 && vrp_set_has(cut->member, node[count - 1]);
    return cut->kind == VRP_CUT_SET ? crossings : sum / cut->denominator;
}

// Values of the list at the prices of a pool, and the budget of plans.
static int64_t value_by_pool(const proof_check *c, const vrp_recheck *t, const vrp_claim_pool *pool, const vrp_routes *routes, int64_t *value)
{
    const int32_t n = t->nodes - 1;
    int64_t budget = (c->bound - 1) * pool->unit - pool->price[n] * (pool->price[n] > 0 ? t->fleet.least : t->fleet.most);
    for (int32_t i = 0; i < n; i++)
        budget -= pool->price[i];
    for (int64_t r = 0; r < pool->cuts.count; r++)
        budget -= pool->row_price[r] * pool->cuts.cut[r].rhs;
    for (int64_t k = 0; k < routes->count && (k % LOOK_ROUTES != 0 || !vrp_recheck_is_over(t)); k++) {  // the caller looks again
        value[k] = routes->cost[k] * pool->unit - pool->price[n];
        for (int64_t v = routes->first[k]; v < routes->first[k + 1]; v++)
            value[k] -= pool->price[routes->node[v] - 1];
        for (int64_t r = 0; r < pool->cuts.count; r++)
            if (pool->row_price[r] != 0)
                value[k] -= pool->row_price[r] *
                            times_of(&pool->cuts.cut[r], routes->node + routes->first[k], vrp_routes_length(routes, k));
    }
    return budget;
}

// Rows of a pool hold for all plans.
static mco_status check_pool_rows(const vrp_recheck *t, const vrp_claim_pool *pool)
{
    vrp_recheck rows = *t;
    for (int64_t r = 0; r < pool->cuts.count; r++)
        if ((pool->row_price[r] > 0) - (pool->row_price[r] < 0) != pool->cuts.cut[r].price)
            return mco_fail(t->ctx, MCO_ERR_CHECK, "row %lld of a pool has a price of another sign than its row", (long long)r);
    rows.cuts = &pool->cuts;
    rows.claims = NULL;
    return vrp_recheck_rows(&rows);
}

// The greatest sum that values below 0 of routes without a common customer may have, the sign turned: each customer takes its part of
// one route.
static mco_status most_credit(const vrp_recheck *t, const vrp_routes *routes, const int64_t *value, int64_t *credit)
{
    mco_status st = MCO_OK;
    int64_t *part = NULL, all = 0, by_customers = 0;
    const int64_t by_load = share_of(t, routes, value);
    MCO_TRY(mco_alloc(t->ctx, &part, t->nodes));
    for (int64_t k = 0; k < routes->count; k++) {
        const int64_t length = vrp_routes_length(routes, k), own = value[k] < 0 ? (-value[k] + length - 1) / length : 0;
        all += value[k] < 0 ? -value[k] : 0;
        for (int64_t v = routes->first[k]; v < routes->first[k + 1]; v++)
            part[routes->node[v]] = own > part[routes->node[v]] ? own : part[routes->node[v]];
    }
    for (int32_t i = 1; i < t->nodes; i++)
        by_customers += part[i];
    *credit = by_load < by_customers ? by_load : by_customers;
    *credit = all < *credit ? all : *credit;
done:
    mco_free(t->ctx, &part);
    return st;
}

// Drops the routes whose value exceeds the budget and what all others can be worth. `value` moves with them.
static mco_status drop_dear(const vrp_recheck *t, vrp_routes *routes, int64_t *value, int64_t budget)
{
    mco_status st = MCO_OK;
    bool *keep = NULL;
    int64_t kept = 0, credit = 0;
    MCO_TRY(most_credit(t, routes, value, &credit));
    MCO_TRY(mco_alloc(t->ctx, &keep, routes->count));
    for (int64_t k = 0; k < routes->count; k++) {
        keep[k] = value[k] <= budget + credit;
        value[kept] = value[k];
        kept += keep[k];
    }
    vrp_routes_keep(routes, keep);
done:
    mco_free(t->ctx, &keep);
    return st;
}

static mco_status check_list(const proof_check *c, const vrp_recheck *t, int64_t part, vrp_recheck_list *list, const slack *s,
                             vrp_recheck_end *end)
{
    mco_status st = MCO_OK;
    const vrp_claim_pools *pools = &c->claims->claim[part].pools;
    const int64_t before = list->routes.count;
    bool exists, is_done;
    vrp_recheck_plans task = {.customers = t->nodes - 1, .fleet = t->fleet, .routes = &list->routes, .value = list->value, .demand = t->demand,
                              .budget = s->plans, .cost = c->bound, .stop_s = c->stop_s};
    for (int64_t k = 0; k < pools->count && !vrp_recheck_is_over(t); k++) {
        MCO_TRY(check_pool_rows(t, &pools->pool[k]));
        task.budget = value_by_pool(c, t, &pools->pool[k], &list->routes, list->value);
        if (vrp_recheck_is_over(t))
            break;
        MCO_TRY(drop_dear(t, &list->routes, list->value, task.budget));
    }
    *end = VRP_RECHECK_TIME;
    if (vrp_recheck_is_over(t))
        goto done;
    MCO_TRY(vrp_recheck_search_plans(c->ctx, &task, &exists, &is_done));
    *end = exists ? VRP_RECHECK_DISPROVED : is_done ? VRP_RECHECK_PROVED : vrp_recheck_is_over(t) ? VRP_RECHECK_TIME : VRP_RECHECK_ROOM;
    mco_log(c->ctx, MCO_LOG_DETAIL, "recheck: part %lld, %lld routes, %lld behind %lld price%s, plans are searched: %s", (long long)part,
            (long long)before, (long long)list->routes.count, (long long)pools->count, mco_plural(pools->count),
            exists ? "one is cheaper" : is_done ? "none is cheaper" : "not done");
done:
    return st;
}

// ---- A part

static mco_status list_below(const proof_check *c, const vrp_recheck *t, int64_t limit, vrp_recheck_list *list, vrp_recheck_end *end)
{
    bool is_done = false;
    const mco_status st = vrp_recheck_list_routes(t, limit, MOST_LABELS, c->filter, c->filters, list, &is_done);
    *end = is_done ? VRP_RECHECK_PROVED : list->is_full ? VRP_RECHECK_ROOM : VRP_RECHECK_TIME;
    return st;
}

// The arcs without which a part is looked at; NULL: all are there.
static const bool *removed_of(const proof_check *c, int64_t part)
{
    while (part > 0 && c->removed[part] == NULL)
        part = c->claims->claim[part].parent;
    return c->removed[part];
}

// Notes the arcs that are absent in `arc` for a part, and for those that it holds. t->removed may be the list that this one replaces.
static mco_status note_arcs(const proof_check *c, vrp_recheck *t, int64_t part)
{
    const int64_t count = (int64_t)t->nodes * t->nodes;
    bool *absent = NULL;
    const mco_status st = mco_alloc(c->ctx, &absent, count);
    if (st != MCO_OK)
        return st;
    for (int64_t ij = 0; ij < count; ij++)
        absent[ij] = t->arc[ij] >= VRP_RECHECK_ABSENT / 2;
    t->removed = absent;
    mco_free(c->ctx, &c->removed[part]);
    c->removed[part] = absent;
    return MCO_OK;
}

// Fills the tables at the prices, without the arcs removed before, and removes those that they tell.
static mco_status begin_part(const proof_check *c, vrp_recheck *t, int64_t part, const slack *s, bool *is_done)
{
    mco_status st = MCO_OK;
    t->removed = removed_of(c, part);
    vrp_recheck_arcs(t);
    vrp_recheck_complete(t, is_done);
    remove_by_tables(t, s, VRP_RECHECK_NONE, vrp_recheck_has_tails(t) ? 1 : REMOVALS, is_done);
    if (*is_done)
        st = note_arcs(c, t, part);
    return st;
}

// Lists the routes that tell the least value that counts: the cheapest route of a plan has at most its share of the slack. *limit: all
// routes of a plan below the bound have values below it; 0: there is no such plan.
static mco_status find_limit(const proof_check *c, const vrp_recheck *t, const slack *s, int64_t *limit, vrp_recheck_end *end)
{
    mco_status st = MCO_OK;
    vrp_recheck_list list = {0};
    const int64_t first = s->plans > 0 ? s->plans / t->fleet.least + 1 : 1;
    MCO_TRY(list_below(c, t, first, &list, end));
    const int64_t least = least_of(&list, first), share = share_of(t, &list.routes, list.value);
    *limit = s->plans - worth_of(t, least, share, 1) + 1;
    if (worth_of(t, least, share, 0) > s->plans)
        *limit = 0;
    mco_log(c->ctx, MCO_LOG_DETAIL, "recheck: slack %lld, limit %lld", (long long)s->plans, (long long)*limit);
done:
    vrp_recheck_list_clear(c->ctx, &list);
    return st;
}

static mco_status check_part(const proof_check *c, vrp_recheck *t, int64_t part, vrp_recheck_end *end)
{
    mco_status st = MCO_OK;
    vrp_recheck_list list = {0};
    bool is_done = false;
    int64_t limit = 0;
    const slack s = slack_of(c, t);
    *end = VRP_RECHECK_TIME;
    MCO_TRY(begin_part(c, t, part, &s, &is_done));
    if (!is_done)
        return MCO_OK;
    *end = VRP_RECHECK_PROVED;
    if (c->claims->claim[part].child > 0)
        return MCO_OK;
    MCO_TRY(find_limit(c, t, &s, &limit, end));
    if (*end != VRP_RECHECK_PROVED || limit == 0)
        goto done;
    if (!vrp_recheck_has_tails(t))
        remove_by_tables(t, &s, limit, REMOVALS, &is_done);
    *end = VRP_RECHECK_TIME;
    if (is_done)
        MCO_TRY(list_below(c, t, limit, &list, end));
    if (*end == VRP_RECHECK_PROVED)
        MCO_TRY(check_list(c, t, part, &list, &s, end));
done:
    vrp_recheck_list_clear(c->ctx, &list);
    return st;
}

static vrp_recheck tables_of(const proof_check *c, const vrp_claim_prices *prices, int64_t part)
{
    return (vrp_recheck){.ctx = c->ctx, .vrp = c->vrp, .unit = prices->unit, .fleet = c->claims->claim[part].fleet, .price = prices->price,
                         .cuts = &prices->cuts, .sets = c->sets, .most_bits = TABLE_BITS, .stop_s = c->stop_s, .claims = c->claims, .part = part};
}

// Arcs that no plan below the bound has in a part, by prices of its plans. Of all plans also the values that their routes have at most.
static mco_status remove_arcs(proof_check *c, const vrp_claim_removal *removal, vrp_recheck_end *end)
{
    mco_status st = MCO_OK;
    const vrp_claim_prices *prices = &removal->prices;
    bool is_done = false, has_room = false;
    int64_t limit = 0;
    vrp_recheck t = tables_of(c, prices, removal->part);
    MCO_TRY(vrp_recheck_rows(&t));
    MCO_TRY(vrp_recheck_open(&t, &has_room));
    *end = VRP_RECHECK_ROOM;
    if (!has_room)
        goto done;
    const slack s = slack_of(c, &t);
    MCO_TRY(begin_part(c, &t, removal->part, &s, &is_done));
    *end = is_done ? VRP_RECHECK_PROVED : VRP_RECHECK_TIME;
    if (!is_done || !vrp_recheck_has_rank1(&prices->cuts))
        goto done;  // tables tell the same without labels
    MCO_TRY(find_limit(c, &t, &s, &limit, end));
    if (*end == VRP_RECHECK_PROVED) {
        if (removal->part == 0)
            c->filter[c->filters++] = (vrp_recheck_filter){prices, limit};
        MCO_TRY(vrp_recheck_remove_by_tails(&t, limit));
        MCO_TRY(note_arcs(c, &t, removal->part));
    }
    if (*end == VRP_RECHECK_ROOM)
        *end = VRP_RECHECK_PROVED;  // it was a help alone
done:
    vrp_recheck_close(&t);
    return st;
}

static mco_status open_part(const proof_check *c, int64_t part, vrp_recheck_end *end)
{
    mco_status st = MCO_OK;
    const vrp_claim_prices *prices = prices_of(c->claims, part);
    bool has_room = false;
    *end = VRP_RECHECK_OPEN;
    if (prices == NULL)
        return MCO_OK;
    vrp_recheck t = tables_of(c, prices, part);
    MCO_TRY(vrp_recheck_rows(&t));
    MCO_TRY(vrp_recheck_open(&t, &has_room));
    *end = VRP_RECHECK_ROOM;
    if (has_room)
        MCO_TRY(check_part(c, &t, part, end));
done:
    vrp_recheck_close(&t);
    return st;
}

mco_status vrp_bound_recheck_proof(mco_context *ctx, const mco_vrp *vrp, vrp_fleet fleet, const vrp_claims *claims, const vrp_ng_sets *sets,
                                   int64_t bound, double stop_s, vrp_recheck_end *end, int64_t *part)
{
    mco_status st = MCO_OK;
    proof_check c = {.ctx = ctx, .vrp = vrp, .claims = claims, .sets = sets, .bound = bound, .stop_s = stop_s};
    *end = VRP_RECHECK_PROVED;
    *part = 0;
    MCO_TRY(check_parts(&c, fleet));
    for (int64_t k = 0; k < claims->removals; k++)
        if (claims->removal[k].part < 0 || claims->removal[k].part >= claims->count)
            MCO_TRY(mco_fail(ctx, MCO_ERR_CHECK, "arcs are removed from a part that is none"));
    MCO_TRY(mco_alloc(ctx, &c.removed, claims->count));
    MCO_TRY(mco_alloc(ctx, &c.filter, claims->removals));
    for (int64_t k = 0; k < claims->removals && *end == VRP_RECHECK_PROVED; k++)
        MCO_TRY(remove_arcs(&c, &claims->removal[k], end));
    for (int64_t k = 0; k < claims->count && *end == VRP_RECHECK_PROVED; k++) {
        const vrp_claim *claim = &claims->claim[k];
        *part = k;
        if (claim->child == 0 || claim->prices.price != NULL)  // a part comes behind the one that holds it
            MCO_TRY(open_part(&c, k, end));
    }
done:
    for (int64_t k = 0; c.removed != NULL && k < claims->count; k++)
        mco_free(ctx, &c.removed[k]);
    mco_free(ctx, &c.removed);
    mco_free(ctx, &c.filter);
    return st;
}
