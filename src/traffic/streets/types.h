// SPDX-License-Identifier: MIT
// The twelve types of streets of Jradi (2016, section 8.b) by one table of coefficients: value, derivatives, integral.
//
// T0 = 3.6 length / speed is the free time in seconds (metres, km/h). With x the own flow, z that of the other direction, y and w
// what crosses the end of the street (flows in cars an hour), f lanes and s the factor of a traffic light, a street costs
//
//     t = T0 (1 + (p x + q z)/(A f) + (x/(B f))^3 + (z/(C f))^3 + sum (w/1800)^3) + sum (y/300)^2 + s (3 + T0)
//
// where the type says which terms there are. The sums run over two flows y and three flows w.
#ifndef MCO_TRAFFIC_STREETS_TYPES_H
#define MCO_TRAFFIC_STREETS_TYPES_H

#include "mco/traffic.h"
#include "traffic/model/problem.h"

enum { TRAFFIC_STREET_TYPES = 12, TRAFFIC_STREET_PREFERENTIAL = 2, TRAFFIC_STREET_CIRCULATING = 3 };

// B of types 1 and 2. The thesis prints 500, where all other types have 900 or 1200.
#define TRAFFIC_STREET_SIGNAL_SCALE 500.0

// A street in numbers: the cost is constant + linear x + cubic x^3 + z (reverse_linear + reverse_cubic z^2)
// + preferential sum y^2 + circulating sum w^3. All are 0 or more.
typedef struct traffic_street_terms {
    double constant;
    double linear, cubic;
    double reverse_linear, reverse_cubic;
    double preferential, circulating;
} traffic_street_terms;

// Flows that a street depends on, besides its own. Those of links that are not there are 0.
typedef struct traffic_street_others {
    double z, y[TRAFFIC_STREET_PREFERENTIAL], w[TRAFFIC_STREET_CIRCULATING];
} traffic_street_others;

// Refuses a network that has no types of streets, or a street without a length and a speed above 0, or with a type, lanes, a
// signal or links out of range. Errors: ARGUMENT with the link. O(links).
mco_status traffic_streets_check(mco_context *ctx, const mco_traffic_network *network);
// Whether the cost of some street depends on the flow of another link. O(links).
bool traffic_streets_interact(const mco_traffic_network *network);

// The network has passed traffic_streets_check(). `flow` [links of the network].
traffic_street_terms traffic_street_terms_of(const mco_traffic_network *network, int32_t link);
traffic_street_others traffic_street_others_of(const mco_traffic_network *network, int32_t link, const double *flow);

// The part of the cost that does not depend on x.
double traffic_street_level(const traffic_street_terms *terms, const traffic_street_others *others);
double traffic_street_cost(const traffic_street_terms *terms, double x, const traffic_street_others *others);
// The derivative by x; by each of the others; the integral over x from 0, the others frozen.
double traffic_street_slope(const traffic_street_terms *terms, double x);
traffic_street_others traffic_street_cross(const traffic_street_terms *terms, const traffic_street_others *others);
double traffic_street_integral(const traffic_street_terms *terms, double x, const traffic_street_others *others);

// Costs of all links at flows [links of the network], without fixed costs; or marginal costs of the sum of flow * cost, with what a flow
// adds to the costs of the links that depend on it. cost [links of the network]. O(links).
void traffic_streets_costs(const mco_traffic_network *network, const double *flow, bool is_marginal, double *cost);

// Costs of the links of a problem at frozen flows [links of the network] of the others: base + p v + k v^3, each [links of the problem].
// `fixed` [links of the problem] is what they cost besides; turns and artificial arcs have nothing else. (freeze.c) O(links).
void traffic_streets_freeze(const traffic_problem *problem, bool is_marginal, const double *fixed, const double *frozen, double *base,
                            double *p, double *k);

#endif
