// SPDX-License-Identifier: MIT
// Split of a giant tour (Prins 2004): a shortest path over the places between customers, with an arc for every route.
// If it has more routes than allowed, a second path is found in a graph with a layer for every route.
#include <string.h>

#include "vrp/genetic/split.h"

struct vrp_split {
    const vrp_network *network;
    double *cost;      // [(routes + 1) * nodes] row k: the cheapest way to place i by k routes; by any number: row 0
    int32_t *from;     // [the same] the place before on that way
};

mco_status vrp_split_open(mco_context *ctx, const vrp_network *network, vrp_split **out)
{
    mco_status st = MCO_OK;
    const int64_t nodes = (int64_t)network->customers + 1;
    MCO_TRY(mco_alloc(ctx, out, 1));
    (*out)->network = network;
    MCO_TRY(mco_alloc(ctx, &(*out)->cost, (network->routes + 1) * nodes));
    MCO_TRY(mco_alloc(ctx, &(*out)->from, (network->routes + 1) * nodes));
done:
    if (st != MCO_OK)
        vrp_split_close(ctx, out);
    return st;
}

void vrp_split_close(mco_context *ctx, vrp_split **split)
{
    if (*split != NULL) {
        mco_free(ctx, &(*split)->from);
        mco_free(ctx, &(*split)->cost);
    }
    mco_free(ctx, split);
}

// Lowers to[i + 1 ...] by the routes that begin at place i, whose own cost is `here`; from[] gets i there.
static void extend(const vrp_split *s, vrp_weights w, const int32_t *order, int32_t i, double here, double *to, int32_t *from)
{
    const vrp_network *g = s->network;
    const mco_vrp *p = g->problem;
    const int32_t n = g->customers;
    const double most = VRP_SPLIT_LOAD * p->capacity;
    int64_t load = 0, distance = 0, service = 0;
    for (int32_t j = i; j < n; j++) {
        const int32_t c = order[j];
        load += p->demand[c];
        if ((double)load > most && j > i)
            break;
        distance += vrp_network_distance(g, j > i ? order[j - 1] : 0, c);
        service += g->service[c];
        const int64_t whole = distance + vrp_network_distance(g, c, 0);
        const double cost = here + (double)whole + vrp_excess(p, w, load, whole + service);
        if (cost < to[j + 1]) {
            to[j + 1] = cost;
            from[j + 1] = i;
        }
    }
}

// Cuts into any number of routes. Returns how many there are.
static int32_t split_freely(vrp_split *s, vrp_weights w, const int32_t *order)
{
    const int32_t n = s->network->customers;
    int32_t routes = 0;
    s->cost[0] = 0;
    for (int32_t i = 1; i <= n; i++)
        s->cost[i] = INFINITY;
    for (int32_t i = 0; i < n; i++)
        extend(s, w, order, i, s->cost[i], s->cost, s->from);
    for (int32_t i = n; i > 0; i = s->from[i])
        routes++;
    return routes;
}

// Cuts into at most network->routes routes; row k is for k routes. Returns how many there are, 0 if that many routes of
// at most VRP_SPLIT_LOAD capacities cannot hold all customers.
static int32_t split_by_layers(vrp_split *s, vrp_weights w, const int32_t *order)
{
    const int32_t n = s->network->customers, most = s->network->routes;
    const int64_t nodes = (int64_t)n + 1;
    int32_t best = 0;
    for (int64_t i = 0; i < (most + 1) * nodes; i++)
        s->cost[i] = i == 0 ? 0 : INFINITY;
    for (int32_t k = 0; k < most; k++)
        for (int32_t i = k; i < n; i++)
            if (s->cost[k * nodes + i] < INFINITY)
                extend(s, w, order, i, s->cost[k * nodes + i], s->cost + (k + 1) * nodes, s->from + (k + 1) * nodes);
    for (int32_t k = 1; k <= most; k++)
        if (s->cost[k * nodes + n] < INFINITY && (best == 0 || s->cost[k * nodes + n] < s->cost[best * nodes + n]))
            best = k;
    return best;
}

void vrp_split_run(vrp_split *s, vrp_weights weights, vrp_genome *genome)
{
    const int32_t n = s->network->customers;
    const int64_t nodes = (int64_t)n + 1;
    int32_t routes = split_freely(s, weights, genome->order), at = n;
    const bool has_layers = routes > s->network->routes;
    if (has_layers)
        routes = split_by_layers(s, weights, genome->order);
    genome->routes = routes > 0 ? routes : s->network->routes;
    for (int32_t k = genome->routes; k >= 0; k--) {
        genome->first[k] = at;
        if (routes == 0)
            at = (int32_t)((int64_t)n * (k - 1) / genome->routes);  // there is no such cut: equal numbers of customers
        else if (k > 0)
            at = has_layers ? s->from[k * nodes + at] : s->from[at];
    }
}
