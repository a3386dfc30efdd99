// SPDX-License-Identifier: MIT
// Costs of streets at frozen flows of the other links: base + p v + k v^3, as engines take them.
//
// The own terms of a street have this shape already. A marginal cost has a term s v^2 too: what a flow costs streets that it delays at
// roundabouts and in the other direction. It is replaced by p v + k v^3 of the same value and, above a small flow, the same slope at the
// frozen flow. So cost and slope are exact there, and frozen flows that solve the frozen problem solve the true one.
#include "traffic/streets/types.h"

// Below this flow of a lane the slope of the replacement is not exact: it is between the true one and this one's.
static const double LEAST_FLOW = 100;  // cars an hour

// Adds to the marginal costs of the links that street a depends on what their flows cost a: constants, terms in v, and in v^2 (square).
static void add_cross(const traffic_problem *problem, int32_t a, double x, double *base, double *p, double *square)
{
    const mco_traffic_network network = mco_traffic_view(problem->traffic);
    const mco_traffic_street *s = &network.street[a];
    const traffic_street_terms t = traffic_street_terms_of(&network, a);
    if (s->reverse >= 0 && t.reverse_linear > 0) {
        base[problem->link_at[s->reverse]] += x * t.reverse_linear;
        square[problem->link_at[s->reverse]] += 3 * x * t.reverse_cubic;
    }
    for (int j = 0; j < TRAFFIC_STREET_PREFERENTIAL && t.preferential > 0; j++)
        if (s->preferential[j] >= 0)
            p[problem->link_at[s->preferential[j]]] += 2 * x * t.preferential;
    for (int i = 0; i < TRAFFIC_STREET_CIRCULATING && t.circulating > 0; i++)
        if (s->circulating[i] >= 0)
            square[problem->link_at[s->circulating[i]]] += 3 * x * t.circulating;
}

void traffic_streets_freeze(const traffic_problem *problem, bool is_marginal, const double *fixed, const double *frozen, double *base,
                            double *p, double *k)
{
    const mco_traffic_network network = mco_traffic_view(problem->traffic);
    for (int32_t e = 0; e < problem->links; e++) {
        const int32_t a = problem->origin_link[e];
        base[e] = fixed[e];
        p[e] = k[e] = 0;
        if (a < 0)
            continue;
        const traffic_street_terms t = traffic_street_terms_of(&network, a);
        const traffic_street_others others = traffic_street_others_of(&network, a, frozen);
        base[e] += traffic_street_level(&t, &others);
        p[e] = (is_marginal ? 2 : 1) * t.linear;
        k[e] = is_marginal ? 0 : t.cubic;  // a marginal one collects its terms in v^2 first
    }
    if (!is_marginal)
        return;
    for (int32_t a = 0; a < network.links; a++)
        if (frozen[a] > 0)
            add_cross(problem, a, frozen[a], base, p, k);
    for (int32_t e = 0; e < problem->links; e++) {
        const int32_t a = problem->origin_link[e];
        if (a < 0)
            continue;
        // s x^2 = (s x - c x^2) x + c x^3 at the frozen x, with c = s / (2 x): then the slopes agree too.
        const double square = k[e], x = frozen[a] > 0 ? frozen[a] : 0, floor = LEAST_FLOW * network.street[a].lanes;
        const double cubic = square / (2 * (x > floor ? x : floor));
        p[e] += square * x - cubic * x * x;
        k[e] = 4 * traffic_street_terms_of(&network, a).cubic + cubic;
    }
}
