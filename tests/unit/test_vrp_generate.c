// SPDX-License-Identifier: MIT
// Generated instances of vehicle routing: what the generator promises for every kind of place and demand,
// repeatability, and giant tours with exactly the number of nodes asked for.
#include "test_support.h"

#include "vrp/instance.h"

static mco_vrp_generation generation_of(int64_t customers)
{
    mco_vrp_generation g = MCO_VRP_GENERATION_INIT;
    g.customers = customers;
    return g;
}

static mco_vrp *generate(const mco_vrp_generation *g)
{
    mco_vrp *p = NULL;
    assert_ok(mco_vrp_generate(test_ctx, g, &p));
    return p;
}

// All nodes must be at different integer points of the square.
static void assert_places(const mco_vrp *p, int32_t side)
{
    const size_t points = (size_t)(side + 1) * (size_t)(side + 1);
    char *is_used = calloc(points, 1);
    assert_non_null(is_used);
    for (int32_t i = 0; i < p->nodes; i++) {
        assert_true(p->x[i] >= 0 && p->x[i] <= side && p->x[i] == floor(p->x[i]));
        assert_true(p->y[i] >= 0 && p->y[i] <= side && p->y[i] == floor(p->y[i]));
        char *used = &is_used[(size_t)p->y[i] * (size_t)(side + 1) + (size_t)p->x[i]];
        assert_int_equal(*used, 0);
        *used = 1;
    }
    free(is_used);
}

// Mean distance to the nearest other customer.
static double crowding(const mco_vrp *p)
{
    double sum = 0;
    for (int32_t i = 1; i < p->nodes; i++) {
        double nearest = INFINITY;
        for (int32_t j = 1; j < p->nodes; j++)
            if (j != i)
                nearest = fmin(nearest, hypot(p->x[i] - p->x[j], p->y[i] - p->y[j]));
        sum += nearest;
    }
    return sum / p->customers;
}

static void test_places(void **state)
{
    (void)state;
    for (int depot = MCO_VRP_DEPOT_CENTRE; depot <= MCO_VRP_DEPOT_RANDOM; depot++) {
        double mean[3];
        for (int placement = MCO_VRP_PLACEMENT_RANDOM; placement <= MCO_VRP_PLACEMENT_MIXED; placement++) {
            mco_vrp_generation g = generation_of(400);
            g.depot = (mco_vrp_depot)depot;
            g.placement = (mco_vrp_placement)placement;
            mco_vrp *p = generate(&g);
            assert_int_equal(mco_vrp_customers(p), 400);
            assert_places(p, 1000);
            if (depot == MCO_VRP_DEPOT_CENTRE)
                assert_true(p->x[0] == 500 && p->y[0] == 500);
            if (depot == MCO_VRP_DEPOT_CORNER)
                assert_true(p->x[0] == 0 && p->y[0] == 0);
            mean[placement] = crowding(p);
            mco_vrp_destroy(test_ctx, &p);
        }
        assert_true(mean[MCO_VRP_PLACEMENT_CLUSTERED] < mean[MCO_VRP_PLACEMENT_MIXED]);
        assert_true(mean[MCO_VRP_PLACEMENT_MIXED] < mean[MCO_VRP_PLACEMENT_RANDOM]);
    }
}

// A customer at distance d from a seed is accepted with a probability that falls as exp(-d / 40). With three seeds or
// more in a square, the mean distance to the nearest of the first eight is at most what this density gives: 2 * 40 in
// an open plane.
static void test_clusters(void **state)
{
    (void)state;
    enum { SEEDS = 8 };
    for (int64_t seed = 1; seed <= 5; seed++) {
        mco_vrp_generation g = generation_of(2000);
        g.placement = MCO_VRP_PLACEMENT_CLUSTERED;
        g.seed = seed;
        mco_vrp *p = generate(&g);
        double sum = 0;
        for (int32_t i = 1; i < p->nodes; i++) {
            double nearest = INFINITY;
            for (int32_t s = 1; s <= SEEDS; s++)
                nearest = fmin(nearest, hypot(p->x[i] - p->x[s], p->y[i] - p->y[s]));
            sum += nearest;
        }
        assert_true(sum / p->customers > 20 && sum / p->customers < 95);
        mco_vrp_destroy(test_ctx, &p);
    }
}

static void test_demands(void **state)
{
    (void)state;
    static const int32_t low[] = {1, 1, 5, 1, 50, 1, 1}, high[] = {1, 10, 10, 100, 100, 100, 100};
    for (int type = MCO_VRP_DEMAND_UNIT; type <= MCO_VRP_DEMAND_MANY_SMALL; type++) {
        mco_vrp_generation g = generation_of(3000);
        g.demand = (mco_vrp_demand_type)type;
        g.route_size = 7.5;
        mco_vrp *p = generate(&g);
        int64_t sum = 0;
        int32_t least = INT32_MAX, most = 0, small = 0;
        for (int32_t i = 1; i < p->nodes; i++) {
            const int32_t d = p->demand[i];
            sum += d;
            least = d < least ? d : least;
            most = d > most ? d : most;
            small += d <= 10;
            if (type == MCO_VRP_DEMAND_QUADRANT)
                assert_true(d > 50 ? (p->x[i] < 500) == (p->y[i] < 500) : (p->x[i] < 500) != (p->y[i] < 500));
            if (type == MCO_VRP_DEMAND_MANY_SMALL)
                assert_true(d <= 10 || d >= 50);
        }
        assert_int_equal(least, low[type]);
        assert_int_equal(most, high[type]);
        if (type == MCO_VRP_DEMAND_MANY_SMALL)
            assert_in_range(small, 3000 * 67 / 100, 3000 * 98 / 100);
        const int32_t capacity = (int32_t)ceil(7.5 * (double)sum / 3000);
        assert_int_equal(p->capacity, capacity > most ? capacity : most);
        assert_int_equal(p->demand[0], 0);
        mco_vrp_destroy(test_ctx, &p);
    }
    mco_vrp_generation g = generation_of(50);
    g.demand = MCO_VRP_DEMAND_1_100;
    g.route_size = 1;
    mco_vrp *p = generate(&g);
    assert_ok(vrp_refuse_unservable(test_ctx, p, (double)INFINITY));  // the capacity is at least the greatest demand
    mco_vrp_destroy(test_ctx, &p);
}

static void test_seeds(void **state)
{
    (void)state;
    mco_vrp_generation g = generation_of(100);
    g.placement = MCO_VRP_PLACEMENT_MIXED;
    g.demand = MCO_VRP_DEMAND_1_100;
    g.max_length = 900;
    mco_vrp *a = generate(&g), *b = generate(&g);
    g.seed = 2;
    mco_vrp *c = generate(&g);
    const size_t bytes = 101 * sizeof *a->x;
    assert_memory_equal(a->x, b->x, bytes);
    assert_memory_equal(a->y, b->y, bytes);
    assert_memory_equal(a->demand, b->demand, 101 * sizeof *a->demand);
    assert_int_not_equal(memcmp(a->x, c->x, bytes), 0);
    assert_int_equal(mco_vrp_max_length(a), 900);
    assert_string_equal(mco_vrp_name(c), "vrp-n100-s2");
    mco_vrp_destroy(test_ctx, &c);
    mco_vrp_destroy(test_ctx, &b);
    mco_vrp_destroy(test_ctx, &a);
}

static void test_sizes(void **state)
{
    (void)state;
    static const int64_t sizes[] = {0, 1, 2, 3, 8, 9};
    for (int i = 0; i < COUNT_OF(sizes); i++)
        for (int placement = MCO_VRP_PLACEMENT_RANDOM; placement <= MCO_VRP_PLACEMENT_MIXED; placement++) {
            mco_vrp_generation g = generation_of(sizes[i]);
            g.placement = (mco_vrp_placement)placement;
            mco_vrp *p = generate(&g);
            assert_int_equal(mco_vrp_customers(p), sizes[i]);
            assert_places(p, 1000);
            mco_vrp_destroy(test_ctx, &p);
        }
    // Twice as many customers as the square of the paper takes.
    mco_vrp_generation g = generation_of(400000);
    g.placement = MCO_VRP_PLACEMENT_CLUSTERED;
    mco_vrp *p = generate(&g);
    assert_places(p, 1414);
    mco_vrp_destroy(test_ctx, &p);
}

static void assert_giant_tour(const mco_vrp_generation *g)
{
    mco_vrp_solution s = {0};
    mco_vrp *p = generate(g);
    int64_t cost;
    assert_true(mco_vrp_vehicles(p) >= 1);
    assert_int_equal(mco_vrp_customers(p) + mco_vrp_vehicles(p) + 1, g->giant_tour_nodes);
    assert_ok(mco_vrp_construct(test_ctx, p, MCO_VRP_CONSTRUCTION_INSERTION, &s));
    assert_true(s.routes <= mco_vrp_vehicles(p));
    assert_ok(mco_vrp_check(test_ctx, p, &s, &cost));
    mco_vrp_solution_clear(test_ctx, &s);
    mco_vrp_destroy(test_ctx, &p);
}

static void test_giant_tours(void **state)
{
    (void)state;
    static const int64_t sizes[] = {2, 3, 4, 5, 12, 57, 601};
    for (int i = 0; i < COUNT_OF(sizes); i++)
        for (int type = MCO_VRP_DEMAND_UNIT; type <= MCO_VRP_DEMAND_MANY_SMALL; type++) {
            mco_vrp_generation g = MCO_VRP_GENERATION_INIT;
            g.giant_tour_nodes = sizes[i];
            g.demand = (mco_vrp_demand_type)type;
            g.route_size = i % 2 == 0 ? 1 : 23;
            assert_giant_tour(&g);
        }
    // A tour of the literature with 2,401 nodes and 100 routes.
    mco_vrp_generation g = MCO_VRP_GENERATION_INIT;
    g.giant_tour_nodes = 2401;
    g.route_size = 23;
    g.demand = MCO_VRP_DEMAND_1_100;
    mco_vrp *p = generate(&g);
    assert_int_equal(mco_vrp_customers(p), 2300);
    assert_int_equal(mco_vrp_vehicles(p), 100);
    mco_vrp_destroy(test_ctx, &p);
}

static void test_refusals(void **state)
{
    (void)state;
    mco_vrp *p = NULL;
    mco_vrp_generation g = MCO_VRP_GENERATION_INIT;
    assert_fails(mco_vrp_generate(test_ctx, &g, &p), MCO_ERR_ARGUMENT,
                 "none of --customers and --giant-tour-nodes is given, one was expected");
    g.customers = 5;
    g.giant_tour_nodes = 5;
    assert_fails(mco_vrp_generate(test_ctx, &g, &p), MCO_ERR_ARGUMENT,
                 "each of --customers and --giant-tour-nodes is given, one was expected");
    g.customers = -1;
    g.giant_tour_nodes = 1;
    assert_int_equal(mco_vrp_generate(test_ctx, &g, &p), MCO_ERR_ARGUMENT);
    g = generation_of(5);
    g.route_size = 0.5;
    assert_int_equal(mco_vrp_generate(test_ctx, &g, &p), MCO_ERR_ARGUMENT);
    g.route_size = 2;
    g.struct_size = 0;
    assert_int_equal(mco_vrp_generate(test_ctx, &g, &p), MCO_ERR_ARGUMENT);
    assert_non_null(strstr(mco_context_error(test_ctx), "struct_size of the generation is 0, "));
    g.struct_size = sizeof g + 1;
    assert_int_equal(mco_vrp_generate(test_ctx, &g, &p), MCO_ERR_ARGUMENT);
    assert_fails(mco_vrp_generate(test_ctx, NULL, &p), MCO_ERR_ARGUMENT, "the generation is NULL");
    assert_fails(mco_vrp_generate(test_ctx, &g, NULL), MCO_ERR_ARGUMENT, "a pointer is NULL");
    // Routes of one customer each, whatever the capacity.
    mco_vrp_generation t = MCO_VRP_GENERATION_INIT;
    t.giant_tour_nodes = 40;
    t.depot = MCO_VRP_DEPOT_CENTRE;
    t.max_length = 1420;
    assert_int_equal(mco_vrp_generate(test_ctx, &t, &p), MCO_ERR_ARGUMENT);
    assert_non_null(strstr(mco_context_error(test_ctx), " routes are needed, whatever the capacity, as none may be longer than "
                                                        "1420; 35 customers and 4 vehicles make 40 nodes"));
    assert_null(p);
}

// A struct of an older header ends earlier: a missing member, here the seed, has its default.
// No header had a generation without a seed.
static void test_short_struct(void **state)
{
    (void)state;
    mco_vrp *p = NULL;
    mco_vrp_generation g = generation_of(5);
    g.seed = 99;
    g.struct_size = offsetof(mco_vrp_generation, seed);
    assert_int_equal(mco_vrp_generate(test_ctx, &g, &p), MCO_ERR_ARGUMENT);
    assert_null(p);
}

static void test_memory_failures(void **state)
{
    (void)state;
    mco_status st = MCO_ERR_MEMORY;
    long k = 0;
    mco_vrp_generation g = MCO_VRP_GENERATION_INIT;
    g.giant_tour_nodes = 30;
    g.placement = MCO_VRP_PLACEMENT_MIXED;
    while (st == MCO_ERR_MEMORY) {
        mco_vrp *p = NULL;
        test_fail_allocation(++k);
        st = mco_vrp_generate(test_ctx, &g, &p);
        test_fail_allocation(0);
        assert_int_equal(p != NULL, st == MCO_OK);
        mco_vrp_destroy(test_ctx, &p);
    }
    assert_ok(st);
    assert_true(k > 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_places), TEST(test_clusters),    TEST(test_demands),  TEST(test_seeds),
        TEST(test_sizes),  TEST(test_giant_tours), TEST(test_refusals), TEST(test_short_struct),
        TEST(test_memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
