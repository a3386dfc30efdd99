// SPDX-License-Identifier: MIT
// What all parts of a bound compute with: integer costs of arcs, integer demands, and how many routes there may be.
//
// Units. A bound computes in units of its own: `unit` of them are one scaled unit of mco_vrp. The unit is a power of two, so
// costs are exact where unit >= 1. Where it is below 1, costs are rounded down: a bound of them is a bound of the instance.
//
// Metric. A bound with covering rows (prices >= 0) holds for every instance. Where triangles fail by more than rounding it is weak,
// and prices of any sign are better. Places on a plane or a sphere are metric but for rounding; a matrix is tested up to
// VRP_METRIC_NODES nodes and taken for non-metric beyond.
//
// Loads. Demands and capacity are divided by the greatest common divisor of the demands, the capacity rounded down. Where Z > 0
// customers have no demand, each demand is multiplied by Z + 1 and those of 0 become 1; the capacity becomes (Z + 1) capacity + Z.
// A route that visits no customer twice keeps the new capacity if and only if it keeps the old one, and every load grows.
//
// Coarse loads. vrp_bound_coarsen_loads() divides demands and capacity by a step and rounds them down. Every route that keeps the capacity keeps
// the coarse one too, some others do as well: bounds hold, and plans need a look at the instance's own demands.
#ifndef MCO_VRP_BOUND_PROBLEM_H
#define MCO_VRP_BOUND_PROBLEM_H

#include "vrp/instance.h"

// Every value of an arc that is at least this is no arc. Values of paths stay below VRP_NO_PATH / 2, or a pass refuses.
enum { VRP_NO_ARC = 1 << 28, VRP_NO_PATH = 1 << 29, VRP_MOST_COST = 1 << 27, VRP_METRIC_NODES = 1500 };

// The number of routes of the plans in question: least <= K <= most. Where K is free, some optimal plan has between both. The most
// follows from joining routes: if no way by the depot is shorter than the direct one, and no length is limited, the loads of every two
// routes exceed the capacity together. So all loads together exceed half of K capacities.
typedef struct vrp_fleet {
    int32_t least, most;
} vrp_fleet;

typedef struct vrp_bound_problem {
    const mco_vrp *vrp;
    int32_t customers, nodes;  // nodes = customers + 1; 0 is the depot
    int32_t stride;            // of a row of arcs: nodes rounded up to a multiple of 16
    int32_t capacity, least_demand;
    int32_t *demand;           // [nodes], [0] = 0, others 1..capacity
    double unit;               // a power of two; cost / unit / scale is a cost in units of the file
    int32_t *cost;             // [nodes * stride] row i holds the arcs from node i; diagonal and padding VRP_NO_ARC
    bool is_exact;             // unit >= 1
    bool is_symmetric;
    bool is_metric;            // no triangle is off by more than rounding: then rows that cover each customer lose little
    vrp_fleet fleet;
    bool has_coarse_loads;     // a route that keeps `capacity` may exceed that of the instance
    // Of a route: distances and service, in units rounded so that no route is lost; INT64_MAX: no limit, or one beyond 2^30 units.
    int64_t max_length;
    int32_t *service;          // [nodes] in the same units; NULL: no limit of length
} vrp_bound_problem;

// `largest_cost`: no arc becomes more than this, nor more than VRP_MOST_COST; the unit follows from it. exactly: K = vehicles; else
// vehicles, where it is not 0, is the most. Errors: MEMORY (says how much for the matrix), ARGUMENT (a customer that fits no vehicle,
// fewer vehicles than the demands need), LIMIT (loads beyond 31 bits where customers have no demand), STOPPED (cancelled).
mco_status vrp_bound_problem_open(mco_context *ctx, const mco_vrp *vrp, int32_t vehicles, bool exactly, int32_t largest_cost,
                                  vrp_bound_problem *out);
// The same, until stop_s by mco_clock_s(). Errors: also STOPPED, then.
mco_status vrp_bound_problem_open_until(mco_context *ctx, const mco_vrp *vrp, int32_t vehicles, bool exactly, int32_t largest_cost,
                                        double stop_s, vrp_bound_problem *out);
// Whether work must end now: at stop_s by mco_clock_s(), or cancelled. Any thread may ask.
bool vrp_bound_is_over(const mco_context *ctx, double stop_s);

// Makes loads coarse where the capacity exceeds `most` > 0; it is near `most` then. Demands below the step become 1, and the capacity grows by
// the number of them. O(nodes).
void vrp_bound_coarsen_loads(vrp_bound_problem *problem, int32_t most);
// Whether a route keeps the capacity of the instance.
bool vrp_bound_route_is_carried(const vrp_bound_problem *problem, const int32_t *node, int32_t count);

void vrp_bound_problem_close(mco_context *ctx, vrp_bound_problem *problem);

// The cost of a route of `count` nodes (customers as nodes 1..customers), in units, the depot at both ends.
int64_t vrp_bound_route_cost(const vrp_bound_problem *problem, const int32_t *node, int32_t count);

// Whether the length of routes is limited.
static inline bool vrp_bound_has_length(const vrp_bound_problem *problem)
{
    return problem->max_length < INT64_MAX && problem->service != NULL;
}

// Whether a route keeps the limit of length, as far as rounded lengths tell. A route of some plan does.
bool vrp_bound_route_fits(const vrp_bound_problem *problem, const int32_t *node, int32_t count);

// The least integer objective, in scaled units of mco_vrp, that a bound of `value` units proves: ceil(value / unit).
int64_t vrp_bound_proved(const vrp_bound_problem *problem, int64_t value);

#endif
