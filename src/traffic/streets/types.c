// SPDX-License-Identifier: MIT
#include "traffic/streets/types.h"

// A row of the table. Terms that a type lacks have scale 0, which stands for an infinite one.
typedef struct row {
    double p, q;                  // share of the own flow and of the other direction in the linear term
    double linear, cubic, reverse;  // A, B, C: cars an hour of a lane
    bool has_signal, has_preferential, has_circulating;
} row;

static const row table[1 + TRAFFIC_STREET_TYPES] = {
    [1] = {1, 0, 2500, TRAFFIC_STREET_SIGNAL_SCALE, 0, true, false, false},
    [2] = {1, 0, 2500, TRAFFIC_STREET_SIGNAL_SCALE, 0, true, false, false},
    [3] = {3, 1, 8000, 900, 1500, true, false, false},
    [4] = {1, 0, 4000, 900, 0, false, false, false},
    [5] = {1, 0, 4000, 900, 0, false, false, false},
    [6] = {3, 1, 14000, 900, 1600, false, false, false},
    [7] = {1, 0, 2500, 900, 0, false, true, false},
    [8] = {1, 0, 2500, 900, 0, false, true, false},
    [9] = {3, 1, 10000, 900, 1600, false, true, false},
    [10] = {1, 0, 3000, 1200, 0, false, false, true},
    [11] = {1, 0, 3000, 1200, 0, false, false, true},
    [12] = {3, 1, 12000, 1200, 2000, false, false, true},
};
static const double PREFERENTIAL_SCALE = 300, CIRCULATING_SCALE = 1800;  // cars an hour
static const double SIGNAL_BASE_S = 3;                                   // a light delays by s * (3 + T0)
static const double KMH_PER_MS = 3.6;

static double cube(double x)
{
    return x * x * x;
}

// ---- What a street depends on

// The link z of a street whose type has one, -1: none.
static int32_t reverse_of(const mco_traffic_street *street)
{
    return table[street->type].q > 0 ? street->reverse : -1;
}

static const int32_t *preferential_of(const mco_traffic_street *street)
{
    return table[street->type].has_preferential ? street->preferential : NULL;
}

static const int32_t *circulating_of(const mco_traffic_street *street)
{
    return table[street->type].has_circulating ? street->circulating : NULL;
}

bool traffic_streets_interact(const mco_traffic_network *network)
{
    if (network->street == NULL)
        return false;
    for (int32_t a = 0; a < network->links; a++) {
        const mco_traffic_street *s = &network->street[a];
        bool interacts = reverse_of(s) >= 0;
        for (int j = 0; j < TRAFFIC_STREET_PREFERENTIAL && preferential_of(s) != NULL; j++)
            interacts = interacts || s->preferential[j] >= 0;
        for (int i = 0; i < TRAFFIC_STREET_CIRCULATING && circulating_of(s) != NULL; i++)
            interacts = interacts || s->circulating[i] >= 0;
        if (interacts)
            return true;
    }
    return false;
}

static mco_status check_other(mco_context *ctx, const mco_traffic_network *network, int32_t link, const char *what, int32_t other)
{
    if (other < -1 || other >= network->links)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "link %d: the %s link is %d, there are links 1 to %d", link + 1, what, other + 1,
                        network->links);
    if (other == link)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "link %d: the %s link is the link itself", link + 1, what);
    return MCO_OK;
}

static mco_status check_street(mco_context *ctx, const mco_traffic_network *network, int32_t link)
{
    mco_status st = MCO_OK;
    const mco_traffic_street *s = &network->street[link];
    const double length = network->length != NULL ? network->length[link] : 0;
    const double speed = network->speed != NULL ? network->speed[link] : 0;
    if (s->type < 1 || s->type > TRAFFIC_STREET_TYPES)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "link %d: type of street %d, there are 1 to %d", link + 1, s->type, TRAFFIC_STREET_TYPES);
    if (!(s->lanes > 0 && s->lanes < INFINITY))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "link %d: %.9g lanes, a street has more than 0", link + 1, s->lanes);
    if (!(s->signal >= 0 && s->signal < INFINITY))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "link %d: factor of the traffic light %.9g, it must be 0 or more", link + 1, s->signal);
    if (!(speed > 0 && speed < INFINITY))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "link %d: speed %.9g, a street needs one above 0", link + 1, speed);
    if (!(length >= 0 && length < INFINITY))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "link %d: length %.9g, it must be 0 or more", link + 1, length);
    MCO_TRY(check_other(ctx, network, link, "reverse", s->reverse));
    for (int j = 0; j < TRAFFIC_STREET_PREFERENTIAL; j++)
        MCO_TRY(check_other(ctx, network, link, "preferential", s->preferential[j]));
    for (int i = 0; i < TRAFFIC_STREET_CIRCULATING; i++)
        MCO_TRY(check_other(ctx, network, link, "circulating", s->circulating[i]));
done:
    return st;
}

mco_status traffic_streets_check(mco_context *ctx, const mco_traffic_network *network)
{
    mco_status st = MCO_OK;
    if (network->street == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the network has no types of streets: --cost streets needs them");
    for (int32_t a = 0; a < network->links; a++)
        MCO_TRY(check_street(ctx, network, a));
done:
    return st;
}

// ---- A street

traffic_street_terms traffic_street_terms_of(const mco_traffic_network *network, int32_t link)
{
    const mco_traffic_street *s = &network->street[link];
    const row *r = &table[s->type];
    const double length = network->length != NULL ? network->length[link] : 0;
    const double free_s = KMH_PER_MS * length / network->speed[link], f = s->lanes;
    return (traffic_street_terms){
        .constant = free_s + (r->has_signal ? s->signal * (SIGNAL_BASE_S + free_s) : 0),
        .linear = free_s * r->p / (r->linear * f),
        .cubic = free_s / cube(r->cubic * f),
        .reverse_linear = free_s * r->q / (r->linear * f),
        .reverse_cubic = r->reverse > 0 ? free_s / cube(r->reverse * f) : 0,
        .preferential = r->has_preferential ? 1 / (PREFERENTIAL_SCALE * PREFERENTIAL_SCALE) : 0,
        .circulating = r->has_circulating ? free_s / cube(CIRCULATING_SCALE) : 0,
    };
}

static double flow_of(const double *flow, int32_t link)
{
    return link >= 0 && flow[link] > 0 ? flow[link] : 0;
}

traffic_street_others traffic_street_others_of(const mco_traffic_network *network, int32_t link, const double *flow)
{
    const mco_traffic_street *s = &network->street[link];
    traffic_street_others others = {.z = flow_of(flow, reverse_of(s))};
    for (int j = 0; j < TRAFFIC_STREET_PREFERENTIAL && preferential_of(s) != NULL; j++)
        others.y[j] = flow_of(flow, s->preferential[j]);
    for (int i = 0; i < TRAFFIC_STREET_CIRCULATING && circulating_of(s) != NULL; i++)
        others.w[i] = flow_of(flow, s->circulating[i]);
    return others;
}

double traffic_street_level(const traffic_street_terms *t, const traffic_street_others *o)
{
    double level = t->constant + t->reverse_linear * o->z + t->reverse_cubic * cube(o->z);
    for (int j = 0; j < TRAFFIC_STREET_PREFERENTIAL; j++)
        level += t->preferential * o->y[j] * o->y[j];
    for (int i = 0; i < TRAFFIC_STREET_CIRCULATING; i++)
        level += t->circulating * cube(o->w[i]);
    return level;
}

double traffic_street_cost(const traffic_street_terms *t, double x, const traffic_street_others *o)
{
    return traffic_street_level(t, o) + x * (t->linear + t->cubic * (x * x));
}

double traffic_street_slope(const traffic_street_terms *t, double x)
{
    return t->linear + 3 * t->cubic * x * x;
}

traffic_street_others traffic_street_cross(const traffic_street_terms *t, const traffic_street_others *o)
{
    traffic_street_others d = {.z = t->reverse_linear + 3 * t->reverse_cubic * o->z * o->z};
    for (int j = 0; j < TRAFFIC_STREET_PREFERENTIAL; j++)
        d.y[j] = 2 * t->preferential * o->y[j];
    for (int i = 0; i < TRAFFIC_STREET_CIRCULATING; i++)
        d.w[i] = 3 * t->circulating * o->w[i] * o->w[i];
    return d;
}

double traffic_street_integral(const traffic_street_terms *t, double x, const traffic_street_others *o)
{
    return x * (traffic_street_level(t, o) + x * (t->linear / 2 + t->cubic * (x * x) / 4));
}

// ---- All streets

// Adds what the flow of a street costs more by a unit of each flow that it depends on.
static void add_cross(const mco_traffic_network *network, int32_t link, const double *flow, double *cost)
{
    const mco_traffic_street *s = &network->street[link];
    const traffic_street_terms terms = traffic_street_terms_of(network, link);
    const traffic_street_others others = traffic_street_others_of(network, link, flow);
    const traffic_street_others d = traffic_street_cross(&terms, &others);
    const double x = flow_of(flow, link);
    if (reverse_of(s) >= 0)
        cost[s->reverse] += x * d.z;
    for (int j = 0; j < TRAFFIC_STREET_PREFERENTIAL && preferential_of(s) != NULL; j++)
        if (s->preferential[j] >= 0)
            cost[s->preferential[j]] += x * d.y[j];
    for (int i = 0; i < TRAFFIC_STREET_CIRCULATING && circulating_of(s) != NULL; i++)
        if (s->circulating[i] >= 0)
            cost[s->circulating[i]] += x * d.w[i];
}

void traffic_streets_costs(const mco_traffic_network *network, const double *flow, bool is_marginal, double *cost)
{
    for (int32_t a = 0; a < network->links; a++) {
        const traffic_street_terms terms = traffic_street_terms_of(network, a);
        const traffic_street_others others = traffic_street_others_of(network, a, flow);
        const double x = flow_of(flow, a);
        cost[a] = traffic_street_cost(&terms, x, &others) + (is_marginal ? x * traffic_street_slope(&terms, x) : 0);
    }
    for (int32_t a = 0; is_marginal && a < network->links; a++)
        add_cross(network, a, flow, cost);
}
