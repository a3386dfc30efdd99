// SPDX-License-Identifier: MIT
// What all parts of a bound compute with: units, loads, fleets, routes in a list, rows, prices.
#include "test_support.h"

#include "base/rng.h"
#include "vrp/bound/prices.h"
#include "vrp/bound/routes.h"

enum { CUSTOMERS = 6, NODES = CUSTOMERS + 1 };

static const int32_t demands[CUSTOMERS] = {4, 6, 2, 8, 4, 6};

static int32_t draw(uint64_t *state, int32_t below)
{
    return (int32_t)(mco_splitmix64(state) % (uint64_t)below);
}

static mco_vrp *from_matrix(const int32_t *matrix, const int32_t *demand, int64_t capacity, double max_length)
{
    mco_vrp *vrp = NULL;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.capacity = capacity;
    model.max_length = max_length;
    assert_ok(mco_vrp_create(test_ctx, CUSTOMERS, matrix, demand, &model, &vrp));
    return vrp;
}

// Distances of places on a line: metric, and no way by the depot is shorter.
static mco_vrp *on_a_line(const int32_t *demand, int64_t capacity, double max_length)
{
    int32_t matrix[NODES * NODES];
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < NODES; j++)
            matrix[i * NODES + j] = 10 * abs(i - j);
    return from_matrix(matrix, demand, capacity, max_length);
}

static void test_problem(void **state)
{
    (void)state;
    vrp_bound_problem p;
    mco_vrp *vrp = on_a_line(demands, 13, -1);
    assert_ok(vrp_bound_problem_open(test_ctx, vrp, 0, false, 1000, &p));
    assert_int_equal(p.capacity, 6);  // 13 / 2
    assert_int_equal(p.least_demand, 1);
    assert_int_equal(p.demand[4], 4);
    assert_true(p.unit == 16 && p.is_exact && p.is_symmetric && p.is_metric);
    assert_int_equal(p.cost[2 * p.stride + 6], 640);
    assert_int_equal(p.cost[3 * p.stride + 3], VRP_NO_ARC);
    assert_int_equal(p.cost[NODES], VRP_NO_ARC);
    assert_int_equal(p.fleet.least, 3);   // 30 / 13
    assert_int_equal(p.fleet.most, 4);    // 30 > 13 K / 2
    assert_int_equal(vrp_bound_proved(&p, 161), 11);
    assert_int_equal(vrp_bound_proved(&p, 160), 10);
    assert_int_equal(vrp_bound_proved(&p, -17), -1);
    assert_int_equal(vrp_bound_route_cost(&p, (int32_t[]){2, 1}, 2), 640);
    vrp_bound_problem_close(test_ctx, &p);
    assert_ok(vrp_bound_problem_open(test_ctx, vrp, 5, true, 40, &p));
    assert_true(p.unit == 0.5 && !p.is_exact);
    assert_int_equal(p.fleet.least, 5);
    assert_int_equal(p.fleet.most, 5);
    assert_int_equal(vrp_bound_proved(&p, 3), 6);
    vrp_bound_problem_close(test_ctx, &p);
    assert_int_equal(vrp_bound_problem_open(test_ctx, vrp, 2, false, 1000, &p), MCO_ERR_ARGUMENT);
    assert_int_equal(vrp_bound_problem_open(test_ctx, vrp, 7, true, 1000, &p), MCO_ERR_ARGUMENT);
    mco_vrp_destroy(test_ctx, &vrp);
}

// Each subset of customers keeps the new capacity if and only if it keeps the old one.
static void test_idle_customers(void **state)
{
    (void)state;
    const int32_t demand[CUSTOMERS] = {4, 0, 2, 0, 8, 6};
    for (int capacity = 8; capacity <= 30; capacity++) {
        vrp_bound_problem p;
        mco_vrp *vrp = on_a_line(demand, capacity, -1);
        assert_ok(vrp_bound_problem_open(test_ctx, vrp, 0, false, 1000, &p));
        for (int set = 0; set < 1 << CUSTOMERS; set++) {
            int64_t old = 0, now = 0;
            for (int c = 0; c < CUSTOMERS; c++) {
                old += (set >> c & 1) * demand[c];
                now += (set >> c & 1) * p.demand[c + 1];
                assert_true(p.demand[c + 1] >= 1);
            }
            assert_int_equal(old <= capacity, now <= p.capacity);
        }
        vrp_bound_problem_close(test_ctx, &p);
        mco_vrp_destroy(test_ctx, &vrp);
    }
}

static void test_lengths_and_triangles(void **state)
{
    (void)state;
    vrp_bound_problem p;
    int32_t matrix[NODES * NODES];
    mco_vrp *vrp = on_a_line(demands, 13, 150);
    assert_ok(vrp_bound_problem_open(test_ctx, vrp, 0, false, 1000, &p));
    assert_int_equal(p.max_length, 2400);
    assert_non_null(p.service);
    assert_int_equal(p.fleet.most, CUSTOMERS);
    vrp_bound_problem_close(test_ctx, &p);
    mco_vrp_destroy(test_ctx, &vrp);
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < NODES; j++)
            matrix[i * NODES + j] = i == 0 || j == 0 ? 5 : 100;
    vrp = from_matrix(matrix, demands, 13, -1);
    assert_ok(vrp_bound_problem_open(test_ctx, vrp, 0, false, 1000, &p));
    assert_false(p.is_metric);
    assert_int_equal(p.fleet.most, CUSTOMERS);
    vrp_bound_problem_close(test_ctx, &p);
    mco_vrp_destroy(test_ctx, &vrp);
}

// A list against a plain array of all that was added.
static void test_routes(void **state)
{
    (void)state;
    enum { ADDED = 5000, LONGEST = 4 };
    uint64_t seed = 7;
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        vrp_routes r;
        bool keep[ADDED];
        int64_t news = 0;
        vrp_routes_open(symmetric == 1, &r);
        for (int k = 0; k < ADDED; k++) {
            int32_t node[LONGEST], count = 1 + draw(&seed, LONGEST);
            int64_t expected = -1, index;
            bool is_new;
            for (int i = 0; i < count; i++)
                node[i] = 1 + draw(&seed, 5);
            for (int64_t o = 0; o < r.count && expected < 0; o++) {
                const int32_t *own = r.node + r.first[o];
                bool same = vrp_routes_length(&r, o) == count, mirrored = same && symmetric == 1;
                for (int i = 0; i < count; i++) {
                    same = same && own[i] == node[i];
                    mirrored = mirrored && own[i] == node[count - 1 - i];
                }
                expected = same || mirrored ? o : -1;
            }
            assert_ok(vrp_routes_add(test_ctx, &r, node, count, 10 * count, &index, &is_new));
            assert_int_equal(is_new, expected < 0);
            assert_int_equal(index, expected < 0 ? news : expected);
            news += is_new;
        }
        assert_int_equal(r.count, news);
        for (int64_t k = 0; k < r.count; k++)
            keep[k] = k % 3 == 1;
        const int32_t second = r.node[r.first[4]];
        vrp_routes_keep(&r, keep);
        assert_int_equal(r.count, (news + 1) / 3);
        assert_int_equal(r.node[r.first[1]], second);
        int64_t index;
        assert_ok(vrp_routes_add(test_ctx, &r, r.node + r.first[1], vrp_routes_length(&r, 1), 1, &index, NULL));
        assert_int_equal(index, 1);
        vrp_routes_empty(&r);
        assert_int_equal(r.count, 0);
        vrp_routes_close(test_ctx, &r);
    }
}

static void test_coefficients(void **state)
{
    (void)state;
    vrp_cuts cuts;
    vrp_bound_problem p = {.nodes = NODES};
    const uint64_t memory[1] = {1 << 1 | 1 << 2 | 1 << 3};
    vrp_cuts_open(&p, &cuts);
    assert_ok(vrp_cuts_add_set(test_ctx, &cuts, (int32_t[]){2, 3}, 2, VRP_CUT_AT_LEAST, 2));
    assert_ok(vrp_cuts_add_rank1(test_ctx, &cuts, (int32_t[]){1, 2, 3}, 3, (int32_t[]){1, 1, 1}, 2, 1, NULL));
    assert_ok(vrp_cuts_add_rank1(test_ctx, &cuts, (int32_t[]){1, 2, 3}, 3, (int32_t[]){1, 1, 1}, 2, 1, memory));
    assert_int_equal(vrp_cut_coefficient(&cuts.cut[0], (int32_t[]){1, 2, 3, 4}, 4), 2);
    assert_int_equal(vrp_cut_coefficient(&cuts.cut[0], (int32_t[]){2, 1, 3}, 3), 4);
    assert_int_equal(vrp_cut_coefficient(&cuts.cut[1], (int32_t[]){1, 5, 3}, 3), 1);
    assert_int_equal(vrp_cut_coefficient(&cuts.cut[2], (int32_t[]){1, 5, 3}, 3), 0);
    assert_int_equal(vrp_cut_coefficient(&cuts.cut[2], (int32_t[]){1, 3, 2, 1}, 4), 2);
    vrp_cuts copy;
    assert_ok(vrp_cuts_copy(test_ctx, &cuts, &copy));
    vrp_cuts_keep(test_ctx, &cuts, (bool[]){true, false, true});
    assert_int_equal(cuts.count, 2);
    assert_non_null(cuts.cut[1].memory);
    assert_int_equal(copy.count, 3);
    vrp_cuts_close(test_ctx, &cuts);
    vrp_cuts_close(test_ctx, &copy);
}

// Adds three SET rows with prices; random sets of one to three customers.
static void add_sets(uint64_t *seed, vrp_cuts *cuts)
{
    for (int k = 0; k < 3; k++) {
        int32_t node[3];
        const int32_t size = 1 + draw(seed, 3), from = 1 + draw(seed, CUSTOMERS - size);
        for (int32_t i = 0; i < size; i++)
            node[i] = from + i;
        assert_ok(vrp_cuts_add_set(test_ctx, cuts, node, size, k < 2 ? VRP_CUT_AT_LEAST : VRP_CUT_AT_MOST, 2));
        cuts->cut[k].price = (k < 2 ? 1 : -1) * draw(seed, 50);
    }
}

// Values along arcs are those of whole routes; the bound of a plan's own least route is at most its cost.
static void test_prices(void **state)
{
    (void)state;
    uint64_t seed = 3;
    mco_vrp *vrp = on_a_line(demands, 13, -1);
    for (int round = 0; round < 200; round++) {
        vrp_bound_problem p;
        vrp_cuts cuts;
        int32_t price[NODES] = {0}, *arcs = NULL;
        int64_t cost = 0, least = INT64_MAX;
        const int32_t plan[4][3] = {{1, 3, 0}, {2, 5, 0}, {4, 0, 0}, {6, 0, 0}}, length[4] = {2, 2, 1, 1};
        assert_ok(vrp_bound_problem_open(test_ctx, vrp, 0, false, 2000, &p));
        assert_ok(mco_alloc(test_ctx, &arcs, p.nodes * p.stride));
        vrp_cuts_open(&p, &cuts);
        add_sets(&seed, &cuts);
        for (int i = 1; i < NODES; i++)
            price[i] = 2 * (draw(&seed, 2000) - 400);
        vrp_prices_arcs(&p, price, &cuts, NULL, arcs);
        for (int r = 0; r < 4; r++) {
            int64_t along = 0;
            for (int k = 0; k <= length[r]; k++)
                along += arcs[(k > 0 ? plan[r][k - 1] : 0) * p.stride + (k < length[r] ? plan[r][k] : 0)];
            assert_int_equal(along, vrp_prices_route(&p, price, &cuts, plan[r], length[r]));
            least = along < least ? along : least;
            cost += vrp_bound_route_cost(&p, plan[r], length[r]);
        }
        // Rows that this plan obeys: with these right-hand sides the bound must hold.
        for (int64_t k = 0; k < cuts.count; k++) {
            cuts.cut[k].rhs = 0;
            for (int r = 0; r < 4; r++)
                cuts.cut[k].rhs += vrp_cut_coefficient(&cuts.cut[k], plan[r], length[r]);
        }
        assert_true(vrp_prices_bound(&p, price, &cuts, least) <= cost);
        vrp_cuts_close(test_ctx, &cuts);
        mco_free(test_ctx, &arcs);
        vrp_bound_problem_close(test_ctx, &p);
    }
    mco_vrp_destroy(test_ctx, &vrp);
}

static void test_rounding(void **state)
{
    (void)state;
    vrp_cuts cuts;
    int32_t price[NODES];
    vrp_bound_problem p = {.nodes = NODES, .is_metric = true};
    const double dual[NODES] = {99, 3.2, 2.9, -5, 7, 0.9, 1e30}, rows[2] = {4.7, -2.9};
    vrp_cuts_open(&p, &cuts);
    assert_ok(vrp_cuts_add_set(test_ctx, &cuts, (int32_t[]){2}, 1, VRP_CUT_AT_LEAST, 2));
    assert_ok(vrp_cuts_add_rank1(test_ctx, &cuts, (int32_t[]){1, 2, 3}, 3, (int32_t[]){1, 1, 1}, 2, 1, NULL));
    vrp_prices_round(&p, dual, rows, 1, price, &cuts);
    assert_int_equal(price[0], 0);
    assert_int_equal(price[1], 4);
    assert_int_equal(price[2], 2);
    assert_int_equal(price[3], 0);
    assert_int_equal(price[6] % 2, 0);
    assert_int_equal(cuts.cut[0].price, 4);
    assert_int_equal(cuts.cut[1].price, -2);
    p.is_metric = false;
    vrp_prices_round(&p, dual, (double[]){-3, 3}, 1, price, &cuts);
    assert_true(price[3] == -4 || price[3] == -6);
    assert_int_equal(cuts.cut[0].price, 0);
    assert_int_equal(cuts.cut[1].price, 0);
    vrp_cuts_close(test_ctx, &cuts);
}

// Prices of a coarse unit in a finer one: what would leave 32 bits is cut off, and the bound falls instead.
static void test_scaled_prices(void **state)
{
    (void)state;
    enum { ROWS = 40 };
    vrp_cuts cuts;
    const int32_t from[NODES] = {0, 100, -6, 1 << 18, 1 << 26, 3, 7};
    int32_t price[NODES];
    int64_t sets = 0;
    vrp_bound_problem p = {.nodes = NODES, .capacity = 10, .least_demand = 2, .demand = (int32_t[]){0, 2, 2, 2, 2, 3, 4}};
    vrp_cuts_open(&p, &cuts);
    for (int32_t k = 0; k < ROWS; k++) {
        assert_ok(vrp_cuts_add_set(test_ctx, &cuts, (int32_t[]){1 + k % 5, 6}, 2, VRP_CUT_AT_LEAST, 2));
        cuts.cut[k].price = 1 << 22;
    }
    assert_ok(vrp_cuts_add_rank1(test_ctx, &cuts, (int32_t[]){1, 2, 3}, 3, (int32_t[]){1, 1, 1}, 2, 1, NULL));
    cuts.cut[ROWS].price = -(1 << 30);
    assert_ok(vrp_prices_scale(test_ctx, &p, from, 16, price, &cuts));
    assert_int_equal(price[1], 1600);
    assert_int_equal(price[2], -96);
    assert_true(price[4] > price[3] && price[4] <= VRP_NO_PATH / 8 / 6 + 1);
    for (int32_t k = 0; k < ROWS; k++) {
        assert_true(cuts.cut[k].price >= 0 && cuts.cut[k].price <= 1 << 26);
        sets += cuts.cut[k].price;
    }
    assert_int_equal(sets, VRP_PRICES_OF_SETS);  // the first rows take all of it
    assert_int_equal(cuts.cut[ROWS - 1].price, 0);
    assert_true(cuts.cut[ROWS].price < 0 && cuts.cut[ROWS].price >= -(VRP_NO_PATH / 8));
    // A share beyond 32 bits lowers prices as far as they go.
    assert_ok(vrp_prices_lower(test_ctx, &p, 150, price, &cuts));
    assert_int_equal(price[1], 1600 - 20);
    assert_int_equal(price[6], 7 * 16 - 40);
    assert_ok(vrp_prices_lower(test_ctx, &p, (int64_t)1 << 58, price, &cuts));
    for (int32_t i = 1; i < NODES; i++)
        assert_true(price[i] % 2 == 0 && price[i] < 0 && price[i] >= -(VRP_NO_PATH / 8));
    vrp_cuts_close(test_ctx, &cuts);
}

static void test_memory_failures(void **state)
{
    (void)state;
    mco_vrp *vrp = on_a_line(demands, 13, 150);
    mco_status st = MCO_ERR_MEMORY;
    long k = 0;
    while (st == MCO_ERR_MEMORY) {
        vrp_bound_problem p = {0};
        vrp_cuts cuts = {0};
        vrp_routes r = {0};
        test_fail_allocation(++k);
        st = vrp_bound_problem_open(test_ctx, vrp, 0, false, 1000, &p);
        if (st == MCO_OK) {
            vrp_cuts_open(&p, &cuts);
            st = vrp_cuts_add_rank1(test_ctx, &cuts, (int32_t[]){1, 2, 3}, 3, (int32_t[]){1, 1, 1}, 2, 1, (uint64_t[]){6});
        }
        for (int32_t i = 1; st == MCO_OK && i <= CUSTOMERS; i++)
            st = vrp_routes_add(test_ctx, &r, &i, 1, 5, NULL, NULL);
        test_fail_allocation(0);
        vrp_routes_close(test_ctx, &r);
        vrp_cuts_close(test_ctx, &cuts);
        vrp_bound_problem_close(test_ctx, &p);
    }
    assert_ok(st);
    assert_true(k > 8);
    mco_vrp_destroy(test_ctx, &vrp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_problem), TEST(test_idle_customers), TEST(test_lengths_and_triangles), TEST(test_routes), TEST(test_coefficients),
        TEST(test_prices),  TEST(test_rounding), TEST(test_scaled_prices),       TEST(test_memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
