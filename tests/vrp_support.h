// SPDX-License-Identifier: MIT
// What the tests of vehicle routing share: random problems and giant tours, the plain walk of a tour and of all its
// neighbours, and optimal routes of few customers. It shares nothing with the engines but the structs, needs neither a
// context nor cmocka, and takes memory from malloc.
#ifndef MCO_VRP_SUPPORT_H
#define MCO_VRP_SUPPORT_H

#include <stdlib.h>
#include <string.h>

#include "vrp/solution.h"
#include "vrp/sweep/neighbourhood.h"
#include "vrp/sweep/ref.h"

// ---- Problems

typedef struct vrp_shape {
    int32_t customers;
    uint32_t distances;  // number of distances, 0..distances - 1; few make ties
    bool is_symmetric;
    uint32_t demands, services;  // numbers of these: 0..demands - 1, 0..services - 1
    int32_t capacity;
    int32_t max_length;  // 0: no limit
    int32_t vehicles;
} vrp_shape;

// Makes a problem with a matrix of distances; vrp_case_free() releases it.
static inline mco_vrp *vrp_case_new(const vrp_shape *shape)
{
    const int32_t nodes = shape->customers + 1;
    mco_vrp *p = calloc(1, sizeof *p);
    if (p == NULL || (p->matrix = calloc((size_t)nodes * (size_t)nodes, sizeof *p->matrix)) == NULL ||
        (p->demand = calloc((size_t)nodes, sizeof *p->demand)) == NULL)
        abort();
    if (shape->services > 1 && (p->service = calloc((size_t)nodes, sizeof *p->service)) == NULL)
        abort();
    p->customers = shape->customers;
    p->nodes = nodes;
    p->rule = VRP_MATRIX;
    p->scale = 1;
    p->is_symmetric = shape->is_symmetric;
    p->capacity = shape->capacity;
    p->load_scale = 1;
    p->max_length = shape->max_length > 0 ? shape->max_length : MCO_VRP_MAX_LENGTH;
    p->vehicles = shape->vehicles;
    p->longest = (int32_t)shape->distances;
    return p;
}

static inline mco_vrp *vrp_case_random(mco_rng *rng, const vrp_shape *shape)
{
    mco_vrp *p = vrp_case_new(shape);
    for (int32_t i = 0; i < p->nodes; i++)
        for (int32_t j = 0; j < p->nodes; j++)
            if (i != j)
                p->matrix[(int64_t)i * p->nodes + j] = p->is_symmetric && j < i
                                                           ? p->matrix[(int64_t)j * p->nodes + i]
                                                           : (int32_t)mco_rng_below(rng, shape->distances);
    for (int32_t i = 1; i < p->nodes; i++) {
        p->demand[i] = (int32_t)mco_rng_below(rng, shape->demands);
        if (p->service != NULL)
            p->service[i] = (int32_t)mco_rng_below(rng, shape->services);
    }
    return p;
}

static inline void vrp_case_free(mco_vrp *p)
{
    free(p->service);
    free(p->demand);
    free(p->matrix);
    free(p);
}

// ---- Tours

// Makes a tour of customers and depots in any order; some of its `routes` routes may be empty. tour->node is to be
// freed.
static inline vrp_tour vrp_case_tour(mco_rng *rng, const mco_vrp *problem, int32_t routes)
{
    const int32_t inner = problem->customers + routes - 1;
    vrp_tour tour = {.node = calloc((size_t)inner + 2, sizeof *tour.node), .count = inner + 2};
    if (tour.node == NULL)
        abort();
    for (int32_t i = 0; i < inner; i++) {
        const int32_t j = (int32_t)mco_rng_below(rng, (uint32_t)i + 1);
        tour.node[1 + i] = tour.node[1 + j];
        tour.node[1 + j] = i < problem->customers ? i + 1 : 0;
    }
    return tour;
}

// Computes cost and penalty of a tour, edge by edge. Returns whether every route keeps capacity and length.
static inline bool vrp_plain_value(const mco_vrp *problem, const int32_t *node, int32_t count, vrp_value *value)
{
    int64_t cost = 0, load = 0, length = 0;
    int32_t routes = 0;
    bool is_feasible = true;
    for (int32_t i = 1; i < count; i++) {
        const int64_t way = problem->matrix != NULL ? problem->matrix[(int64_t)node[i - 1] * problem->nodes + node[i]]
                                                    : vrp_distance(problem, node[i - 1], node[i]);
        cost += way;
        length += way + (problem->service != NULL ? problem->service[node[i]] : 0);
        load += problem->demand[node[i]];
        if (node[i] != 0)
            continue;
        routes += node[i - 1] != 0;
        if (load > problem->capacity || (problem->max_length < MCO_VRP_MAX_LENGTH && length > problem->max_length))
            is_feasible = false;
        load = length = 0;
    }
    value->cost = cost;
    value->penalty = problem->vehicles > 0 && routes > problem->vehicles ? routes : 0;
    return is_feasible;
}

// Appends node[from..to), backwards if asked. Returns the new length.
static inline int32_t vrp_plain_append(int32_t *out, int32_t length, const int32_t *node, int32_t from, int32_t to,
                                       bool backwards)
{
    for (int32_t i = 0; i < to - from; i++)
        out[length++] = backwards ? node[to - 1 - i] : node[from + i];
    return length;
}

// Writes the tour after a move, as mco/vrp.h says, to `out` [tour->count].
static inline void vrp_plain_move(const vrp_tour *tour, vrp_move m, int32_t *out)
{
    const int32_t b = m.x + 1, c = m.y + 1, f = m.z + 1;
    int32_t n = vrp_plain_append(out, 0, tour->node, 0, b, false);
    if (m.z < 0) {
        n = vrp_plain_append(out, n, tour->node, b, c, true);
        vrp_plain_append(out, n, tour->node, c, tour->count, false);
        return;
    }
    if (m.p == 3) {
        n = vrp_plain_append(out, n, tour->node, b, c, true);
        n = vrp_plain_append(out, n, tour->node, c, f, true);
    } else {
        n = vrp_plain_append(out, n, tour->node, c, f, m.p == 2);
        n = vrp_plain_append(out, n, tour->node, b, c, m.p == 1);
    }
    vrp_plain_append(out, n, tour->node, f, tour->count, false);
}

// ---- Neighbourhoods

// Makes the next move in the order of the indices, beginning with {-1, ...}; false after the last.
static inline bool vrp_plain_next(vrp_move *m, int32_t edges, bool is_three_opt)
{
    if (edges < (is_three_opt ? 3 : 2))
        return false;
    if (m->x < 0) {
        *m = is_three_opt ? (vrp_move){0, 1, 2, 0} : (vrp_move){0, 1, -1, -1};
    } else if (!is_three_opt) {
        if (++m->y == edges)
            m->y = ++m->x + 1;
        return m->y < edges;
    } else if (++m->p == 4) {
        m->p = 0;
        if (++m->z == edges)
            m->z = ++m->y + 1;
        if (m->z >= edges) {
            m->y = ++m->x + 1;
            m->z = m->y + 1;
        }
        return m->z < edges;
    }
    return true;
}

// Fills scan->best and scan->rows by walking every neighbour; returns the number of feasible moves. scan->moves counts
// the moves that the filter keeps. With wants_first the walk ends at the first move that improves.
static inline int64_t vrp_plain_scan(const mco_vrp *problem, vrp_scan *scan)
{
    const vrp_tour *tour = scan->tour;
    const int32_t edges = tour->count - 1;
    int32_t *trial = malloc((size_t)tour->count * sizeof *trial);
    vrp_value base;
    if (trial == NULL)
        abort();
    const bool is_base_feasible = vrp_plain_value(problem, tour->node, tour->count, &base);
    const vrp_candidate none = {.move = {-1, -1, -1, -1}};
    int64_t feasible = 0;
    scan->best = none;
    scan->moves = scan->moves_skipped = 0;
    for (int32_t x = 0; scan->rows != NULL && x < edges; x++)
        scan->rows[x] = none;
    for (vrp_move m = none.move; vrp_plain_next(&m, edges, scan->is_three_opt);) {
        vrp_value v;
        if (!vrp_is_kept(scan->filter_seed, scan->keep, m))
            continue;
        scan->moves++;
        vrp_plain_move(tour, m, trial);
        if (!vrp_plain_value(problem, trial, tour->count, &v))
            continue;
        feasible++;
        v.cost -= base.cost;
        const bool improves = !is_base_feasible || v.penalty < base.penalty || (v.penalty == base.penalty && v.cost < 0);
        if (scan->wants_first && !improves)
            continue;
        if (scan->rows != NULL && (scan->rows[m.x].move.x < 0 || vrp_is_less(v, scan->rows[m.x].value)))
            scan->rows[m.x] = (vrp_candidate){m, v};
        if (scan->best.move.x < 0 || vrp_is_less(v, scan->best.value))
            scan->best = (vrp_candidate){m, v};
        if (scan->wants_first)
            break;
    }
    free(trial);
    return feasible;
}

static inline bool vrp_is_same(vrp_candidate a, vrp_candidate b)
{
    if (a.move.x != b.move.x)
        return false;
    return a.move.x < 0 || (a.move.y == b.move.y && a.move.z == b.move.z && a.move.p == b.move.p &&
                            a.value.penalty == b.value.penalty && a.value.cost == b.value.cost);
}

// ---- Optimal routes

enum { VRP_PLAIN_CUSTOMERS = 12 };

// Least cost of routes that keep every rule, by dynamic programs over all sets of at most VRP_PLAIN_CUSTOMERS
// customers: the shortest route through each set, then the best partition into at most `most` routes, or exactly so many. -1 if
// there is none.
static inline int64_t vrp_optimal_cost_of(const mco_vrp *problem, int32_t most, bool exactly)
{
    const int32_t n = problem->customers, sets = 1 << n;
    const int64_t never = INT64_MAX / 4;
    int64_t *path = malloc((size_t)sets * (size_t)(n + 1) * sizeof *path);  // [sets][n], least way through a set to its last
    int64_t *route = malloc((size_t)sets * sizeof *route);
    int64_t *best = malloc((size_t)sets * (size_t)(most + 1) * sizeof *best);  // [most + 1][sets]
    if (n > VRP_PLAIN_CUSTOMERS || path == NULL || route == NULL || best == NULL)
        abort();
    for (int32_t set = 0; set < sets; set++) {
        int64_t load = 0, service = 0;
        route[set] = never;
        for (int32_t c = 0; c < n; c++) {
            int64_t *end = &path[(int64_t)set * n + c];
            *end = never;
            if ((set >> c & 1) == 0)
                continue;
            load += problem->demand[c + 1];
            service += vrp_service(problem, c + 1);
            const int32_t rest = set & ~(1 << c);
            if (rest == 0)
                *end = vrp_distance(problem, 0, c + 1);
            for (int32_t d = 0; d < n; d++)
                if ((rest >> d & 1) != 0 && path[(int64_t)rest * n + d] + vrp_distance(problem, d + 1, c + 1) < *end)
                    *end = path[(int64_t)rest * n + d] + vrp_distance(problem, d + 1, c + 1);
            if (*end + vrp_distance(problem, c + 1, 0) < route[set])
                route[set] = *end + vrp_distance(problem, c + 1, 0);
        }
        if (load > problem->capacity || (vrp_has_max_length(problem) && route[set] + service > problem->max_length))
            route[set] = never;
    }
    for (int32_t set = 0; set < sets; set++)
        best[set] = set == 0 ? 0 : never;
    for (int32_t k = 1; k <= most; k++)
        for (int32_t set = 0; set < sets; set++) {
            int64_t *now = &best[(int64_t)k * sets + set];
            *now = exactly ? never : best[(int64_t)(k - 1) * sets + set];
            for (int32_t part = set; part > 0; part = (part - 1) & set)
                if (route[part] + best[(int64_t)(k - 1) * sets + (set ^ part)] < *now)
                    *now = route[part] + best[(int64_t)(k - 1) * sets + (set ^ part)];
        }
    const int64_t cost = best[(int64_t)most * sets + sets - 1];
    free(best);
    free(route);
    free(path);
    return cost < never ? cost : -1;
}

// The same with no more routes than vehicles.
static inline int64_t vrp_optimal_cost(const mco_vrp *problem)
{
    const int32_t n = problem->customers;
    return vrp_optimal_cost_of(problem, problem->vehicles > 0 && problem->vehicles < n ? problem->vehicles : n, false);
}

#endif
