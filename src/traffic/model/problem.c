// SPDX-License-Identifier: MIT
// Settles a network under options: links (arcs.c), costs, trips that have a path (reach.c).
#include "traffic/model/problem.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/structs.h"
#include "traffic/model/network.h"
#include "traffic/model/settle.h"
#include "traffic/streets/types.h"

// ---- Costs

// What a class adds to a link for a unit of toll and of length.
typedef struct factors {
    double toll, length;
} factors;

static double factor_of(double own, double of_call, double of_header)
{
    return own >= 0 ? own : of_call >= 0 ? of_call : isnan(of_header) ? 0 : of_header;
}

static factors factors_of(const mco_traffic *traffic, const mco_traffic_params *params, int32_t k)
{
    factors f = {params->toll_factor >= 0 ? params->toll_factor : 0, params->distance_factor >= 0 ? params->distance_factor : 0};
    if (k >= traffic->class_count)
        return f;
    const mco_traffic_class *c = &traffic->classes[k];
    f.toll = factor_of(c->toll_factor, params->toll_factor, c->stated_toll_factor) + (c->value_of_time > 0 ? 1 / c->value_of_time : 0);
    f.length = factor_of(c->distance_factor, params->distance_factor, c->stated_distance_factor);
    return f;
}

mco_status mco_traffic_factors(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_params *params, int32_t k, double *toll,
                               double *distance)
{
    mco_status st = MCO_OK;
    mco_traffic_params p = MCO_TRAFFIC_PARAMS_INIT;
    if (ctx == NULL || traffic == NULL || toll == NULL || distance == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (k < 0 || k >= traffic->class_count)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "class %d of %d", k, traffic->class_count);
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    const factors f = factors_of(traffic, &p, k);
    *toll = f.toll;
    *distance = f.length;
done:
    return st;
}

static bool are_equal(factors a, factors b)
{
    return a.toll == b.toll && a.length == b.length;
}

// Costs that all classes share go to `fixed` [links of the problem], others to problem->extra.
static mco_status settle_extra(mco_context *ctx, const mco_traffic_params *params, traffic_problem *p, double *fixed)
{
    mco_status st = MCO_OK;
    const mco_traffic_network *net = &p->traffic->view;
    const factors first = factors_of(p->traffic, params, 0);
    bool differ = false;
    for (int32_t k = 1; k < p->classes; k++)
        differ = differ || !are_equal(first, factors_of(p->traffic, params, k));
    if (differ)
        MCO_TRY(mco_alloc(ctx, &p->extra, (int64_t)p->classes * p->links));
    for (int32_t k = 0; k < (differ ? p->classes : 1); k++) {
        const factors f = factors_of(p->traffic, params, k);
        double *to = differ ? p->extra + (int64_t)k * p->links : fixed;
        for (int32_t e = 0; e < p->links; e++) {
            const int32_t a = p->origin_link[e];
            if (a >= 0)
                to[e] += (f.toll > 0 ? f.toll * net->toll[a] : 0) + (f.length > 0 ? f.length * net->length[a] : 0);
        }
    }
done:
    return st;
}

static mco_traffic_cost cost_of(const mco_traffic *traffic, const mco_traffic_params *params)
{
    if (params->capacities == MCO_TRAFFIC_CAPACITIES_HARD)
        return MCO_TRAFFIC_COST_BPR;  // without growth: free costs
    if (params->cost != MCO_TRAFFIC_COST_AUTO)
        return params->cost;
    return traffic->view.street != NULL ? MCO_TRAFFIC_COST_STREETS : MCO_TRAFFIC_COST_BPR;
}

// Cars of all trips: no link of a path without cycles has more flow.
static double most_flow(const mco_traffic *traffic, const mco_traffic_params *params)
{
    double most = 0;
    for (int32_t k = 0; k < traffic->class_count; k++)
        for (int64_t i = 0; i < traffic->classes[k].first[traffic->view.zones]; i++)
            most += params->demand_factor * traffic->classes[k].car_equivalent * traffic->classes[k].amount[i];
    return most;
}

// BPR as base + k v^p. A power of 0 is a constant. The marginal cost has p + 1 times the coefficient. A capacity whose power exceeds the
// numbers leaves k = 0: that is right where all trips together would not be felt, else it is refused.
static mco_status settle_bpr(mco_context *ctx, const mco_traffic_params *params, traffic_problem *p, double *base, double *k, double **power)
{
    mco_status st = MCO_OK;
    const mco_traffic_network *net = &p->traffic->view;
    const double most = most_flow(p->traffic, params), unfelt = 0x1p-60;  // by the free time
    bool is_quartic = true;
    MCO_TRY(mco_alloc(ctx, power, p->links));
    for (int32_t e = 0; e < p->links; e++) {
        const int32_t a = p->origin_link[e];
        (*power)[e] = 4;
        if (a < 0)
            continue;
        const bool is_hard = params->capacities == MCO_TRAFFIC_CAPACITIES_HARD;
        const double free = net->free_time[a], growth = is_hard ? 0 : free * net->b[a], c = net->capacity[a], n = net->power[a];
        base[e] += free + (n == 0 ? growth : 0);
        if (growth == 0 || n == 0)
            continue;
        const double scale = n == 4 ? (c * c) * (c * c) : pow(c, n);
        k[e] = growth / scale * (params->objective == MCO_TRAFFIC_SO ? n + 1 : 1);
        if (k[e] < DBL_MIN && growth * pow(most / c, n) > unfelt * free)
            return mco_fail(ctx, MCO_ERR_LIMIT, "link %d: the capacity %.15g to the power %.15g is beyond numbers in double precision", a + 1, c, n);
        (*power)[e] = n;
        is_quartic = is_quartic && n == 4;
    }
    p->costs.shape = is_quartic ? TRAFFIC_QUARTIC : TRAFFIC_POWER;
    if (is_quartic)
        mco_free(ctx, power);
done:
    return st;
}

static const double NO_CAPACITY = 1e300;  // of turns and artificial arcs: flow / capacity is nothing, so their cost is constant

static mco_status settle_parts(mco_context *ctx, const mco_traffic_params *params, bool is_conical, traffic_problem *p, double *base,
                               double *k, double **parameter, double **capacity)
{
    mco_status st = MCO_OK;
    const mco_traffic_network *net = &p->traffic->view;
    MCO_TRY(mco_alloc(ctx, parameter, p->links));
    MCO_TRY(mco_alloc(ctx, capacity, p->links));
    for (int32_t e = 0; e < p->links; e++) {
        const int32_t a = p->origin_link[e];
        (*parameter)[e] = is_conical ? 2 : 0;
        (*capacity)[e] = NO_CAPACITY;
        if (a < 0)
            continue;
        base[e] += net->free_time[a];
        (*capacity)[e] = net->capacity[a];
        k[e] = is_conical ? net->free_time[a] : 0;
        if (!is_conical) {
            (*parameter)[e] = net->b[a];
            continue;
        }
        if (k[e] > 0 && !(net->power[a] > 1))
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "link %d: the power is %.15g; for conical costs it must be above 1", a + 1, net->power[a]);
        if (k[e] > 0)
            (*parameter)[e] = net->power[a];
    }
    p->costs.shape = is_conical ? TRAFFIC_CONICAL : TRAFFIC_AKCELIK;
    p->costs.is_marginal = params->objective == MCO_TRAFFIC_SO;
    p->costs.period = params->period;
done:
    return st;
}

static mco_status settle_streets(mco_context *ctx, const mco_traffic_params *params, const double *fixed, traffic_problem *p, double *base,
                                 double *k, double **linear)
{
    mco_status st = MCO_OK;
    const mco_traffic_network *net = &p->traffic->view;
    double *zeros = NULL;
    MCO_TRY(traffic_streets_check(ctx, net));
    MCO_TRY(mco_alloc(ctx, &zeros, net->links));
    MCO_TRY(mco_alloc(ctx, linear, p->links));
    traffic_streets_freeze(p, params->objective == MCO_TRAFFIC_SO, fixed, zeros, base, *linear, k);
    p->costs.shape = TRAFFIC_CUBIC;
    p->is_integral = !traffic_streets_interact(net);
done:
    mco_free(ctx, &zeros);
    return st;
}

// Refuses costs that are negative for some class, or that are no numbers.
static mco_status check_costs(mco_context *ctx, const traffic_problem *p)
{
    for (int32_t e = 0; e < p->links; e++) {
        const int32_t a = p->origin_link[e];
        if (!isfinite(p->costs.base[e]) || !isfinite(p->costs.k[e]) || (p->costs.p != NULL && !isfinite(p->costs.p[e])))
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "link %d: its cost grows beyond numbers in double precision", a + 1);
        for (int32_t k = 0; k < (p->extra != NULL ? p->classes : 1); k++) {
            const double least = p->costs.base[e] + (p->extra != NULL ? p->extra[(int64_t)k * p->links + e] : 0);
            if (!(least >= 0 && least < INFINITY))
                return mco_fail(ctx, MCO_ERR_ARGUMENT, "link %d costs %.15g without any flow, a number of 0 or more was expected", a + 1, least);
        }
    }
    return MCO_OK;
}

static mco_status settle_costs(mco_context *ctx, const mco_traffic_params *params, const double *fixed, traffic_problem *p)
{
    mco_status st = MCO_OK;
    double *base = NULL, *k = NULL, *parameter = NULL, *capacity = NULL;
    const mco_traffic_cost cost = cost_of(p->traffic, params);
    MCO_TRY(mco_alloc(ctx, &base, p->links));
    MCO_TRY(mco_alloc(ctx, &k, p->links));
    memcpy(base, fixed, (size_t)p->links * sizeof *base);
    p->is_integral = true;
    if (cost == MCO_TRAFFIC_COST_STREETS)
        MCO_TRY(settle_streets(ctx, params, fixed, p, base, k, &parameter));
    else if (cost == MCO_TRAFFIC_COST_BPR)
        MCO_TRY(settle_bpr(ctx, params, p, base, k, &parameter));
    else
        MCO_TRY(settle_parts(ctx, params, cost == MCO_TRAFFIC_COST_CONICAL, p, base, k, &parameter, &capacity));
done:
    p->costs.base = base;
    p->costs.k = k;
    p->costs.p = parameter;
    p->costs.capacity = capacity;
    return st == MCO_OK ? check_costs(ctx, p) : st;
}

// ---- Trips

// Counts trips within a zone, and the others. `at` of class_first: where the trips of a class begin.
typedef struct trips {
    mco_context *ctx;
    traffic_problem *p;
    double demand_factor;
    bool *is_lost;           // by the entries of all classes
    int64_t *class_first;    // [classes + 1]
} trips;

static int32_t end_of(const traffic_problem *p, int32_t zone)
{
    return p->sink != NULL ? p->sink[zone] : zone;
}

// An entry that the greatest part does not settle.
typedef struct doubt {
    int64_t entry;
    int32_t origin, end;
} doubt;

static int compare_doubts(const void *left, const void *right)
{
    const doubt *a = left, *b = right;
    if (a->end != b->end)
        return (a->end > b->end) - (a->end < b->end);
    return a->entry != b->entry ? (a->entry > b->entry) - (a->entry < b->entry) : 0;
}

static int compare_doubts_by_entry(const void *left, const void *right)
{
    const doubt *a = left, *b = right;
    if (a->origin != b->origin)
        return (a->origin > b->origin) - (a->origin < b->origin);
    return (a->entry > b->entry) - (a->entry < b->entry);
}

// Lists the entries that need a search.
static mco_status list_doubts(trips *t, const traffic_reach *reach, doubt **doubts, int64_t *count)
{
    mco_status st = MCO_OK;
    int64_t room = 0;
    const mco_traffic *traffic = t->p->traffic;
    for (int32_t k = 0; k < traffic->class_count; k++) {
        const mco_traffic_class *c = &traffic->classes[k];
        for (int32_t o = 0; o < traffic->view.zones; o++) {
            MCO_TRY(mco_call_in_time(t->ctx, (int64_t)o << 8));
            const bool from = reach->from[o];
            for (int64_t i = c->first[o]; i < c->first[o + 1]; i++) {
                const int32_t end = end_of(t->p, c->to[i]);
                if ((from && reach->into[end]) || c->to[i] == o)
                    continue;
                if (*count == room)
                    MCO_TRY(mco_grow(t->ctx, doubts, &room, *count + 1));
                (*doubts)[(*count)++] = (doubt){t->class_first[k] + i, o, end};
            }
        }
    }
done:
    return st;
}

// Finds the entries without a path.
static mco_status find_lost(trips *t)
{
    mco_status st = MCO_OK;
    traffic_reach reach = {0};
    doubt *doubts = NULL;
    int64_t count = 0, behind = 0;
    MCO_TRY(traffic_reach_open(t->ctx, t->p, &reach));
    MCO_TRY(list_doubts(t, &reach, &doubts, &count));
    for (int64_t i = 0; i < count; i++)  // those with an end that the part does not reach come first: they are asked by end
        if (!reach.into[doubts[i].end]) {
            const doubt swapped = doubts[i];
            doubts[i] = doubts[behind];
            doubts[behind++] = swapped;
        }
    if (count > 0) {
        qsort(doubts, (size_t)behind, sizeof *doubts, compare_doubts);
        qsort(doubts + behind, (size_t)(count - behind), sizeof *doubts, compare_doubts_by_entry);
    }
    for (int64_t i = 0; i < count; i++) {
        MCO_TRY(mco_call_is_over(t->ctx) ? mco_call_in_time(t->ctx, 0) : MCO_OK);
        t->is_lost[doubts[i].entry] = !traffic_reach_has_path(&reach, doubts[i].origin, doubts[i].end);
    }
done:
    mco_free(t->ctx, &doubts);
    traffic_reach_close(t->ctx, &reach);
    return st;
}

static void note_dropped(traffic_problem *p, int32_t k, int32_t from, int32_t to, double amount)
{
    if (p->dropped_pairs < TRAFFIC_NAMED)
        p->first_dropped[p->dropped_pairs] = (struct traffic_pair){k, from, to, amount};
    p->dropped_pairs++;
    p->dropped += amount;
}

// Copies the trips of an origin that are assigned. Ends that are sinks go behind the others, so ends ascend. Returns whether there are any.
static bool fill_row(trips *t, int32_t k, int32_t origin, int64_t *used)
{
    traffic_problem *p = t->p;
    const mco_traffic_class *c = &p->traffic->classes[k];
    const int64_t begin = *used;
    for (int pass = 0; pass < (p->sink != NULL ? 2 : 1); pass++)
        for (int64_t i = c->first[origin]; i < c->first[origin + 1]; i++) {
            const int32_t end = end_of(p, c->to[i]);
            const double amount = c->amount[i] * t->demand_factor;
            if ((end != c->to[i]) != (pass == 1))
                continue;
            if (c->to[i] == origin) {
                p->intrazonal += amount;
            } else if (t->is_lost[t->class_first[k] + i]) {
                if (amount > 0)
                    note_dropped(p, k, origin, c->to[i], amount);
            } else if (amount * c->car_equivalent > 0) {
                p->assigned += amount;
                p->to[*used] = end;
                p->amount[(*used)++] = amount * c->car_equivalent;
            }
        }
    return *used > begin;
}

static mco_status fill_rows(trips *t)
{
    mco_status st = MCO_OK;
    traffic_problem *p = t->p;
    const mco_traffic *traffic = p->traffic;
    const int64_t entries = t->class_first[p->classes];
    int64_t used = 0, most_rows = 0;
    for (int32_t k = 0; k < p->classes; k++)
        for (int32_t o = 0; o < traffic->view.zones; o++)
            most_rows += traffic->classes[k].first[o + 1] > traffic->classes[k].first[o];
    MCO_TRY(mco_alloc(t->ctx, &p->row_class, most_rows));
    MCO_TRY(mco_alloc(t->ctx, &p->row_origin, most_rows));
    MCO_TRY(mco_alloc(t->ctx, &p->row_first, most_rows + 1));
    MCO_TRY(mco_alloc(t->ctx, &p->to, entries));
    MCO_TRY(mco_alloc(t->ctx, &p->amount, entries));
    MCO_TRY(mco_alloc(t->ctx, &p->first_dropped, TRAFFIC_NAMED));
    for (int32_t k = 0; k < p->classes; k++)
        for (int32_t o = 0; o < traffic->view.zones; o++) {
            if (!fill_row(t, k, o, &used))
                continue;
            p->row_class[p->rows] = k;
            p->row_origin[p->rows++] = o;
            p->row_first[p->rows] = used;
        }
    for (int64_t i = 0; i < used; i++)
        p->demand += p->amount[i];
    if (!isfinite(p->demand))
        MCO_TRY(mco_fail(t->ctx, MCO_ERR_ARGUMENT, "the sum of all trips is beyond numbers in double precision"));
done:
    return st;
}

static mco_status settle_trips(mco_context *ctx, const mco_traffic_params *params, traffic_problem *p)
{
    mco_status st = MCO_OK;
    trips t = {.ctx = ctx, .p = p, .demand_factor = params->demand_factor};
    MCO_TRY(mco_alloc(ctx, &t.class_first, (int64_t)p->classes + 1));
    MCO_TRY(mco_alloc(ctx, &p->car_equivalent, p->classes));
    for (int32_t k = 0; k < p->classes; k++) {
        const mco_traffic_class *c = &p->traffic->classes[k];
        t.class_first[k + 1] = t.class_first[k] + c->first[p->traffic->view.zones];
        p->car_equivalent[k] = c->car_equivalent;
    }
    MCO_TRY(mco_alloc(ctx, &t.is_lost, t.class_first[p->classes]));
    if (t.class_first[p->classes] > 0)
        MCO_TRY(find_lost(&t));
    MCO_TRY(fill_rows(&t));
done:
    mco_free(ctx, &t.is_lost);
    mco_free(ctx, &t.class_first);
    return st;
}

// One warning: how many trips are dropped, and the first pairs by name.
static void say_dropped(mco_context *ctx, const traffic_problem *p)
{
    enum { ROOM = 400 };  // a line of the log
    char names[ROOM], from[16], to[16];
    int used = 0;
    if (p->dropped_pairs == 0)
        return;
    const int64_t named = p->dropped_pairs < TRAFFIC_NAMED ? p->dropped_pairs : TRAFFIC_NAMED;
    int64_t shown = 0;
    for (; shown < named; shown++) {
        const struct traffic_pair *d = &p->first_dropped[shown];
        const int room = ROOM - used;
        const int size = snprintf(names + used, (size_t)room, "%s%s to %s", shown > 0 ? ", " : "", mco_traffic_node_name(p->traffic, d->from, from),
                                  mco_traffic_node_name(p->traffic, d->to, to));
        if (size >= room) {
            names[used] = '\0';
            break;
        }
        used += size;
    }
    mco_log(ctx, MCO_LOG_WARNING, "%" PRId64 " pair%s %s no path, %.15g trip%s dropped: from %s%s", p->dropped_pairs, mco_plural(p->dropped_pairs),
            p->dropped_pairs == 1 ? "has" : "have", p->dropped, p->dropped == 1 ? " is" : "s are", names, shown < p->dropped_pairs ? ", ..." : "");
}

// ---- The problem

mco_status traffic_problem_make(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_params *params, traffic_problem *out)
{
    mco_status st = MCO_OK;
    traffic_problem p = {.traffic = traffic, .classes = traffic->class_count};
    double *fixed = NULL;
    MCO_TRY(traffic_settle_arcs(ctx, params, &p, &fixed));
    MCO_TRY(settle_extra(ctx, params, &p, fixed));
    MCO_TRY(settle_costs(ctx, params, fixed, &p));
    MCO_TRY(settle_trips(ctx, params, &p));
    say_dropped(ctx, &p);
    if (p.costs.shape == TRAFFIC_CUBIC) {
        p.fixed = fixed;
        fixed = NULL;
    }
    *out = p;
    p = (traffic_problem){0};
done:
    mco_free(ctx, &fixed);
    traffic_problem_clear(ctx, &p);
    return st;
}

// Arrays that engines must not change are constant in the struct of costs.
static void free_constant(mco_context *ctx, const double *array)
{
    void *memory = (void *)(uintptr_t)array;
    mco_free_bytes(ctx, &memory);
}

void traffic_problem_clear(mco_context *ctx, traffic_problem *p)
{
    mco_free(ctx, &p->first);
    mco_free(ctx, &p->tail);
    mco_free(ctx, &p->head);
    mco_free(ctx, &p->into_first);
    mco_free(ctx, &p->into);
    mco_free(ctx, &p->origin_link);
    mco_free(ctx, &p->link_at);
    mco_free(ctx, &p->sink);
    free_constant(ctx, p->costs.base);
    free_constant(ctx, p->costs.k);
    free_constant(ctx, p->costs.p);
    free_constant(ctx, p->costs.capacity);
    mco_free(ctx, &p->fixed);
    mco_free(ctx, &p->extra);
    mco_free(ctx, &p->car_equivalent);
    mco_free(ctx, &p->row_class);
    mco_free(ctx, &p->row_origin);
    mco_free(ctx, &p->row_first);
    mco_free(ctx, &p->to);
    mco_free(ctx, &p->amount);
    mco_free(ctx, &p->first_dropped);
    *p = (traffic_problem){0};
}
