// SPDX-License-Identifier: MIT
// What the tests of the genetic search of vehicle routing share: random instances, the network that solutions use, and
// the plain walk of a solution. It shares nothing with the search but the structs.
#ifndef MCO_VRP_GENETIC_SUPPORT_H
#define MCO_VRP_GENETIC_SUPPORT_H

#include "test_support.h"

#include "vrp/genetic/educate.h"
#include "vrp/genetic/genetic.h"
#include "vrp/genetic/pool.h"
#include "vrp/genetic/split.h"

// ---- Instances

typedef struct vrp_made {
    int32_t customers, capacity;
    bool is_matrix;         // symmetric distances 0..999 without coordinates, far from the triangle inequality
    bool is_real;           // exact distances of coordinates
    bool has_service;       // times 0..49, different for each customer
    double max_length;      // negative: none
} vrp_made;

// Coordinates on a square of side 1000, demands 1 to 9.
TEST_UNUSED static mco_vrp *made_problem(mco_rng *rng, const vrp_made *made)
{
    const int32_t n = made->customers, nodes = n + 1;
    double *x = calloc((size_t)nodes, sizeof *x), *y = calloc((size_t)nodes, sizeof *y);
    int32_t *demands = calloc((size_t)nodes, sizeof *demands), *matrix = calloc((size_t)nodes * (size_t)nodes, sizeof *matrix);
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp *problem = NULL;
    assert_true(x != NULL && y != NULL && demands != NULL && matrix != NULL);
    for (int32_t i = 0; i < nodes; i++) {
        x[i] = mco_rng_below(rng, 1000);
        y[i] = mco_rng_below(rng, 1000);
        demands[i] = 1 + (int32_t)mco_rng_below(rng, 9);  // the last demand is not read
        for (int32_t j = 0; j < i; j++)
            matrix[i * nodes + j] = matrix[j * nodes + i] = (int32_t)mco_rng_below(rng, 1000);
    }
    model.capacity = made->capacity;
    model.max_length = made->max_length;
    model.service_time = made->has_service ? 1 : -1;
    model.distance = made->is_real ? MCO_VRP_DISTANCES_REAL : MCO_VRP_DISTANCES_ROUNDED;
    if (made->is_matrix)
        assert_ok(mco_vrp_create(test_ctx, n, matrix, demands, &model, &problem));
    else
        assert_ok(mco_vrp_from_coordinates(test_ctx, n, x, y, demands, &model, &problem));
    for (int32_t i = 1; made->has_service && i < nodes; i++)
        problem->service[i] = (int32_t)(mco_rng_below(rng, 50) * problem->scale);
    free(matrix);
    free(demands);
    free(y);
    free(x);
    return problem;
}

// ---- Networks, in memory from malloc

// For at most `routes` routes, with the `near_count` nearest of every customer; ties go by number.
TEST_UNUSED static vrp_network made_ground(const mco_vrp *p, int32_t routes, int32_t near_count)
{
    const int32_t n = p->customers, nodes = n + 1;
    vrp_network g = {.problem = p, .customers = n, .routes = routes, .near_count = near_count < n - 1 ? near_count : n - 1};
    g.distance_memory = calloc((size_t)nodes * (size_t)nodes, sizeof(int32_t));
    g.service = calloc((size_t)nodes, sizeof(int32_t));
    g.near = calloc((size_t)nodes * (size_t)(g.near_count + 1), sizeof(int32_t));
    assert_true(g.distance_memory != NULL && g.service != NULL && g.near != NULL);
    g.distance = g.distance_memory;
    for (int32_t i = 0; i < nodes; i++) {
        g.service[i] = vrp_service(p, i);
        for (int32_t j = 0; j < nodes; j++)
            g.distance_memory[i * nodes + j] = vrp_distance(p, i, j);
    }
    for (int32_t c = 1; c <= n; c++) {
        int32_t *near = g.near + c * g.near_count, held = 0;
        for (int32_t other = 1; other <= n; other++) {
            if (other == c)
                continue;
            int32_t at = held < g.near_count ? held++ : g.near_count;
            for (; at > 0 && vrp_distance(p, c, near[at - 1]) > vrp_distance(p, c, other); at--)
                if (at < g.near_count)
                    near[at] = near[at - 1];
            if (at < g.near_count)
                near[at] = other;
        }
    }
    return g;
}

TEST_UNUSED static void free_ground(vrp_network *g)
{
    free(g->near);
    free(g->service);
    free(g->distance_memory);
}

// ---- Solutions

// Counts cost and excesses route by route.
TEST_UNUSED static void plain_count(const mco_vrp *p, const vrp_genome *genome, int64_t *cost, int64_t *load_excess,
                                    int64_t *length_excess)
{
    *cost = *load_excess = *length_excess = 0;
    for (int32_t r = 0; r < genome->routes; r++) {
        int64_t load = 0, length = 0, way = 0;
        for (int32_t k = genome->first[r]; k <= genome->first[r + 1]; k++) {
            const int32_t from = k > genome->first[r] ? genome->order[k - 1] : 0;
            const int32_t to = k < genome->first[r + 1] ? genome->order[k] : 0;
            way += vrp_distance(p, from, to);
            length += vrp_service(p, to);
            load += p->demand[to];
        }
        length += way;
        *cost += way;
        *load_excess += load > p->capacity ? load - p->capacity : 0;
        if (p->max_length < MCO_VRP_MAX_LENGTH)
            *length_excess += length > p->max_length ? length - p->max_length : 0;
    }
}

TEST_UNUSED static double plain_cost(const mco_vrp *p, vrp_weights w, const vrp_genome *genome)
{
    int64_t cost = 0, load = 0, length = 0;
    plain_count(p, genome, &cost, &load, &length);
    return (double)cost + w.load * (double)load + w.length * (double)length;
}

// Every customer must occur once, no route may be empty, there may not be too many routes, and neighbours and sums must
// be true.
TEST_UNUSED static void assert_complete(const vrp_network *g, const vrp_genome *genome)
{
    int64_t cost = 0, load = 0, length = 0;
    bool *is_seen = calloc((size_t)g->customers + 1, sizeof *is_seen);
    assert_non_null(is_seen);
    assert_in_range(genome->routes, 1, g->routes);
    assert_int_equal(genome->first[0], 0);
    assert_int_equal(genome->first[genome->routes], g->customers);
    for (int32_t r = 0; r < genome->routes; r++) {
        const int32_t from = genome->first[r], to = genome->first[r + 1];
        assert_true(from < to);
        for (int32_t k = from; k < to; k++) {
            const int32_t c = genome->order[k];
            assert_in_range(c, 1, g->customers);
            assert_false(is_seen[c]);
            is_seen[c] = true;
            assert_int_equal(genome->prev[c], k > from ? genome->order[k - 1] : 0);
            assert_int_equal(genome->next[c], k + 1 < to ? genome->order[k + 1] : 0);
        }
    }
    free(is_seen);
    plain_count(g->problem, genome, &cost, &load, &length);
    assert_int_equal(genome->cost, cost);
    assert_int_equal(genome->load_excess, load);
    assert_int_equal(genome->length_excess, length);
}

// Makes a random tour and cuts it at random into at most `routes` routes.
TEST_UNUSED static void random_genome(const vrp_network *g, int32_t routes, mco_rng *rng, vrp_genome *genome)
{
    const int32_t n = g->customers;
    vrp_random_tour(n, rng, genome->order);
    genome->routes = 0;
    for (int32_t k = 0; k < n; k++)
        if (k == 0 || (genome->routes < routes && mco_rng_below(rng, (uint32_t)n) < (uint32_t)routes))
            genome->first[genome->routes++] = k;
    genome->first[genome->routes] = n;
    vrp_genome_complete(g, genome);
}

#endif
