// SPDX-License-Identifier: MIT
// Constructions: every solution passes the check. Small solutions equal those that a literal implementation of the
// definitions gives.
#include "test_support.h"

#include "vrp/search/construct.h"
#include "vrp_support.h"

enum { MOST = 40 };

static const mco_vrp_construction ALL[] = {MCO_VRP_CONSTRUCTION_INSERTION, MCO_VRP_CONSTRUCTION_SINGLE,
                                           MCO_VRP_CONSTRUCTION_SAVINGS};

// ---- Problems that can be served

static int32_t way_of(const mco_vrp *p, int32_t node)
{
    return vrp_distance(p, 0, node) + vrp_distance(p, node, 0);
}

static int32_t alone(const mco_vrp *p, int32_t node)
{
    return way_of(p, node) + vrp_service(p, node);
}

// Sets the length limit to 1.5 times the longest route of a single customer.
static void limit_length(mco_vrp *p)
{
    int32_t longest = 0;
    for (int32_t i = 1; i < p->nodes; i++)
        longest = alone(p, i) > longest ? alone(p, i) : longest;
    p->max_length = longest + longest / 2;
}

static mco_vrp *random_matrix(mco_rng *rng, int32_t customers, bool is_symmetric, bool is_limited)
{
    const vrp_shape shape = {.customers = customers, .distances = 1000000, .is_symmetric = is_symmetric, .demands = 20,
                             .services = 100000, .capacity = 19 + (int32_t)mco_rng_below(rng, 60)};
    mco_vrp *p = vrp_case_random(rng, &shape);
    if (is_limited)
        limit_length(p);
    return p;
}

static mco_vrp *random_places(mco_rng *rng, int32_t customers, double width, double height, int32_t capacity)
{
    double *x = calloc((size_t)customers + 1, sizeof *x), *y = calloc((size_t)customers + 1, sizeof *y);
    int32_t *demands = calloc((size_t)customers + 1, sizeof *demands);
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp *p = NULL;
    assert_true(x != NULL && y != NULL && demands != NULL);
    for (int32_t i = 0; i <= customers; i++) {
        x[i] = width * mco_rng_real(rng);
        y[i] = height * mco_rng_real(rng);
        demands[i] = 1 + (int32_t)mco_rng_below(rng, 10);
    }
    model.capacity = capacity;
    assert_ok(mco_vrp_from_coordinates(test_ctx, customers, x, y, demands, &model, &p));
    free(demands);
    free(y);
    free(x);
    return p;
}

static int64_t cost_by(const mco_vrp *problem, mco_vrp_construction construction, int32_t *routes)
{
    mco_vrp_solution s = {0}, again = {0};
    int64_t cost;
    assert_ok(mco_vrp_construct(test_ctx, problem, construction, &s));
    assert_ok(mco_vrp_check(test_ctx, problem, &s, &cost));
    assert_ok(mco_vrp_construct(test_ctx, problem, construction, &again));
    assert_int_equal(s.routes, again.routes);
    assert_memory_equal(s.order, again.order, (size_t)s.customers * sizeof *s.order);
    *routes = s.routes;
    mco_vrp_solution_clear(test_ctx, &again);
    mco_vrp_solution_clear(test_ctx, &s);
    return cost;
}

// ---- The definitions, implemented literally

typedef struct plain_route {
    int32_t node[MOST + 2], count;  // from depot to depot
} plain_route;

static int64_t length_of(const mco_vrp *p, const plain_route *r, int64_t *load, int64_t *cost)
{
    int64_t service = 0;
    *load = *cost = 0;
    for (int32_t i = 1; i < r->count; i++) {
        *cost += vrp_distance(p, r->node[i - 1], r->node[i]);
        *load += p->demand[r->node[i]];
        service += vrp_service(p, r->node[i]);
    }
    return *cost + service;
}

static bool is_allowed(const mco_vrp *p, const plain_route *r)
{
    int64_t load, cost;
    const int64_t length = length_of(p, r, &load, &cost);
    return load <= p->capacity && (!vrp_has_max_length(p) || length <= p->max_length);
}

static void put(plain_route *r, int32_t at, int32_t node)
{
    memmove(r->node + at + 1, r->node + at, (size_t)(r->count - at) * sizeof *r->node);
    r->node[at] = node;
    r->count++;
}

// Inserts the customer at the place of least growth, if one fits; false if none fits.
static bool extend(const mco_vrp *p, plain_route *r, bool *is_routed)
{
    int64_t least = INT64_MAX, load, before, after;
    plain_route best = *r;
    length_of(p, r, &load, &before);
    for (int32_t node = 1; node < p->nodes; node++)
        for (int32_t at = 1; at < r->count && !is_routed[node]; at++) {
            plain_route trial = *r;
            put(&trial, at, node);
            length_of(p, &trial, &load, &after);
            if (after - before >= least || !is_allowed(p, &trial))
                continue;
            least = after - before;
            best = trial;
        }
    for (int32_t i = 0; i < best.count; i++)
        is_routed[best.node[i]] = true;
    *r = best;
    return least < INT64_MAX;
}

static int64_t plain_insertion(const mco_vrp *p, int32_t *routes)
{
    bool is_routed[MOST + 1] = {true};
    int64_t cost = 0, load, of_route;
    for (*routes = 0;; (*routes)++) {
        int32_t seed = 0;
        for (int32_t node = 1; node < p->nodes; node++)
            if (!is_routed[node] && (seed == 0 || way_of(p, node) > way_of(p, seed)))
                seed = node;
        if (seed == 0)
            return cost;
        plain_route r = {{0, seed, 0}, 3};
        is_routed[seed] = true;
        while (extend(p, &r, is_routed))
            ;
        length_of(p, &r, &load, &of_route);
        cost += of_route;
    }
}

// Joins the pair of routes that saves most, among all ordered pairs. Routes may be turned if distances are symmetric.
static bool join_best(const mco_vrp *p, plain_route *r, int32_t *routes)
{
    int64_t most = 0;
    int32_t best_a = -1, best_b = -1;
    plain_route best = {.count = 0};
    for (int32_t a = 0; a < *routes; a++)
        for (int32_t b = 0; b < *routes; b++)
            for (int turn = 0; turn < (p->is_symmetric ? 4 : 1) && a != b; turn++) {
                plain_route joined = {{0}, 1};
                for (int32_t i = 1; i < r[a].count - 1; i++)
                    joined.node[joined.count++] = r[a].node[turn & 1 ? r[a].count - 1 - i : i];
                const int32_t from = joined.node[joined.count - 1];
                for (int32_t i = 1; i < r[b].count - 1; i++)
                    joined.node[joined.count++] = r[b].node[turn & 2 ? r[b].count - 1 - i : i];
                const int32_t to = joined.node[r[a].count - 1];
                joined.node[joined.count++] = 0;
                const int64_t amount =
                    (int64_t)vrp_distance(p, from, 0) + vrp_distance(p, 0, to) - vrp_distance(p, from, to);
                if (amount <= most || !is_allowed(p, &joined))
                    continue;
                most = amount;
                best = joined;
                best_a = a;
                best_b = b;
            }
    if (most == 0)
        return false;
    r[best_a] = best;
    r[best_b] = r[--*routes];
    return true;
}

static int64_t plain_savings(const mco_vrp *p, int32_t *routes)
{
    plain_route r[MOST];
    int64_t cost = 0, load, of_route;
    *routes = p->customers;
    for (int32_t c = 0; c < p->customers; c++)
        r[c] = (plain_route){{0, c + 1, 0}, 3};
    while (join_best(p, r, routes))
        ;
    for (int32_t k = 0; k < *routes; k++) {
        length_of(p, &r[k], &load, &of_route);
        cost += of_route;
    }
    return cost;
}

static void savings_are_as_defined(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 1, 0);
    for (int k = 0; k < 200; k++) {
        mco_vrp *p = random_matrix(&rng, 1 + (int32_t)mco_rng_below(&rng, 12), k & 1, k & 2);
        int32_t routes, plain_routes;
        assert_int_equal(cost_by(p, MCO_VRP_CONSTRUCTION_SAVINGS, &routes), plain_savings(p, &plain_routes));
        assert_int_equal(routes, plain_routes);
        vrp_case_free(p);
    }
}

static void insertion_is_as_defined(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 2, 0);
    for (int k = 0; k < 120; k++) {
        const int32_t n = 1 + (int32_t)mco_rng_below(&rng, MOST);
        const bool has_places = k & 1;  // lengths are limited only with the triangle inequality
        mco_vrp *p = has_places ? random_places(&rng, n, 1e6, 1e6, 40) : random_matrix(&rng, n, k & 2, false);
        if (has_places && (k & 2))
            limit_length(p);
        int32_t routes, plain_routes;
        assert_int_equal(cost_by(p, MCO_VRP_CONSTRUCTION_INSERTION, &routes), plain_insertion(p, &plain_routes));
        assert_int_equal(routes, plain_routes);
        if (has_places)
            mco_vrp_destroy(test_ctx, &p);
        else
            vrp_case_free(p);
    }
}

static void a_route_per_customer(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 3, 0);
    mco_vrp *p = random_matrix(&rng, 9, false, true);
    int32_t routes;
    int64_t cost = 0;
    for (int32_t i = 1; i < p->nodes; i++)
        cost += way_of(p, i);
    assert_int_equal(cost_by(p, MCO_VRP_CONSTRUCTION_SINGLE, &routes), cost);
    assert_int_equal(routes, 9);
    vrp_case_free(p);
}

// ---- Any problem

static void every_construction_keeps_the_rules(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 4, 0);
    for (int k = 0; k < 60; k++)
        for (int c = 0; c < COUNT_OF(ALL); c++) {
            mco_vrp *p = random_matrix(&rng, (int32_t)mco_rng_below(&rng, 120), k & 1, k & 2);
            int32_t routes;
            cost_by(p, ALL[c], &routes);
            vrp_case_free(p);
        }
}

// Sizes at which constructions use the grid and near neighbours. Customers in a square, on a line, all at one place.
static void large_problems_are_near_the_known_quality(void **state)
{
    (void)state;
    enum { CUSTOMERS = 8000, CAPACITY = 110 };
    static const double sides[][2] = {{10000, 10000}, {10000, 0}, {0, 10000}, {10000, 10}, {0, 0}};
    mco_rng rng;
    mco_rng_seed(&rng, 5, 0);
    for (int k = 0; k < COUNT_OF(sides); k++) {
        mco_vrp *p = random_places(&rng, CUSTOMERS, sides[k][0], sides[k][1], CAPACITY);
        int64_t load = 0;
        int32_t routes[COUNT_OF(ALL)];
        int64_t cost[COUNT_OF(ALL)];
        for (int32_t i = 1; i < p->nodes; i++)
            load += p->demand[i];
        for (int c = 0; c < COUNT_OF(ALL); c++)
            cost[c] = cost_by(p, ALL[c], &routes[c]);
        assert_true(routes[0] * 100 < (load / CAPACITY + 1) * 103);
        assert_true(4 * cost[0] <= 5 * cost[2]);       // insertion is at most a quarter above savings
        assert_true(5 * cost[2] < cost[1] || k == 4);  // a route has about 20 customers
        if (k < 4)
            assert_true(routes[2] * 100 < (load / CAPACITY + 1) * 103);
        mco_vrp_destroy(test_ctx, &p);
    }
}

static void long_routes_are_built(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 6, 0);
    mco_vrp *p = random_places(&rng, 6000, 10000, 10000, 1000000000);
    int32_t routes;
    // A tour through n random places in a square of side a is at least about 0.7124 sqrt(n) a long.
    const int64_t cost = cost_by(p, MCO_VRP_CONSTRUCTION_INSERTION, &routes);
    assert_int_equal(routes, 1);
    assert_true((double)cost < 1.35 * 0.7124 * sqrt(6000) * 10000);
    mco_vrp_destroy(test_ctx, &p);
}

static void few_customers_are_built(void **state)
{
    (void)state;
    for (int32_t n = 0; n < 2; n++)
        for (int c = 0; c < COUNT_OF(ALL); c++) {
            const vrp_shape shape = {.customers = n, .distances = 10, .demands = 1, .capacity = 1};
            mco_vrp *p = vrp_case_new(&shape);
            int32_t routes;
            assert_int_equal(cost_by(p, ALL[c], &routes), 0);
            assert_int_equal(routes, n);
            vrp_case_free(p);
        }
}

// Threads share the work and do not change the result.
static void threads_give_the_same_routes(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 8, 0);
    mco_vrp *p = random_places(&rng, 6000, 1000, 1000, 50);
    for (int c = 0; c < COUNT_OF(ALL); c++) {
        mco_vrp_solution first = {0};
        assert_ok(mco_vrp_construct(test_ctx, p, ALL[c], &first));
        for (int threads = 1; threads <= 7; threads += 3) {
            mco_vrp_solution s = {0};
            assert_ok(vrp_construct(test_ctx, p, ALL[c], threads, NULL, &s));
            assert_int_equal(s.customers, first.customers);
            assert_int_equal(s.routes, first.routes);
            assert_memory_equal(s.order, first.order, (size_t)s.customers * sizeof *s.order);
            assert_memory_equal(s.first, first.first, ((size_t)s.routes + 1) * sizeof *s.first);
            mco_vrp_solution_clear(test_ctx, &s);
        }
        mco_vrp_solution_clear(test_ctx, &first);
    }
    mco_vrp_destroy(test_ctx, &p);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    const vrp_shape shape = {.customers = 3, .distances = 10, .demands = 1, .capacity = 5};
    mco_vrp *p = vrp_case_new(&shape);
    mco_vrp_solution s = {0};
    assert_int_equal(mco_vrp_construct(NULL, p, MCO_VRP_CONSTRUCTION_SAVINGS, &s), MCO_ERR_ARGUMENT);
    assert_fails(mco_vrp_construct(test_ctx, NULL, MCO_VRP_CONSTRUCTION_SAVINGS, &s), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_fails(mco_vrp_construct(test_ctx, p, MCO_VRP_CONSTRUCTION_SAVINGS, NULL), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_fails(mco_vrp_construct(test_ctx, p, (mco_vrp_construction)3, &s), MCO_ERR_ARGUMENT,
                 "construction 3 is none of 0, 1, 2");
    vrp_case_free(p);
}

static void a_customer_that_fits_no_vehicle_is_refused(void **state)
{
    (void)state;
    const vrp_shape shape = {.customers = 3, .distances = 10, .demands = 1, .capacity = 5};
    mco_vrp *p = vrp_case_new(&shape);
    p->demand[2] = 6;
    for (int c = 0; c < COUNT_OF(ALL); c++) {
        mco_vrp_solution s = {0};
        assert_int_equal(mco_vrp_construct(test_ctx, p, ALL[c], &s), MCO_ERR_ARGUMENT);
        assert_non_null(strstr(mco_context_error(test_ctx), "6"));
    }
    vrp_case_free(p);
}

static void failed_allocations_leave_nothing(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 7, 0);
    mco_vrp *p = random_places(&rng, 6000, 1000, 1000, 50);
    for (int c = 0; c < COUNT_OF(ALL); c++) {
        long k = 1;
        for (mco_status st = MCO_ERR_MEMORY; st != MCO_OK; k++) {
            mco_vrp_solution s = {0};
            test_fail_allocation(k);
            st = mco_vrp_construct(test_ctx, p, ALL[c], &s);
            test_fail_allocation(0);
            assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
            mco_vrp_solution_clear(test_ctx, &s);
        }
        assert_true(k > (ALL[c] == MCO_VRP_CONSTRUCTION_SINGLE ? 3 : 10));
    }
    mco_vrp_destroy(test_ctx, &p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(savings_are_as_defined),
        TEST(insertion_is_as_defined),
        TEST(a_route_per_customer),
        TEST(every_construction_keeps_the_rules),
        TEST(large_problems_are_near_the_known_quality),
        TEST(long_routes_are_built),
        TEST(few_customers_are_built),
        TEST(threads_give_the_same_routes),
        TEST(wrong_arguments_are_refused),
        TEST(a_customer_that_fits_no_vehicle_is_refused),
        TEST(failed_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
