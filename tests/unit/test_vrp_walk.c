// SPDX-License-Identifier: MIT
// Walks on the cores: annealed exchanges of route ends and of middles, alone, and with asymmetric distances. Two rows of
// customers lead away from the depot. Each of two routes begins in one row and ends in the other, or changes row for its
// middle. One exchange makes them straight; no single customer that moves does.
#include <math.h>

#include "base/clock.h"
#include "test_support.h"

#include "vrp/search/neighbours.h"
#include "vrp/search/walk.h"
#include "vrp_support.h"

enum { ROW = 40, CUSTOMERS = 2 * ROW, NEAR = 16 };

// Customers 1..ROW are the first row, with demands of 1; those of the second row have demands of `heavy`.
static mco_vrp *rows(int32_t heavy, int32_t capacity, double max_length)
{
    enum { STEP = 10, APART = 20 };
    double x[CUSTOMERS + 1] = {0}, y[CUSTOMERS + 1] = {0};
    int32_t demands[CUSTOMERS];
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp *problem = NULL;
    for (int32_t c = 1; c <= CUSTOMERS; c++) {
        const bool is_first = c <= ROW;
        x[c] = STEP * (is_first ? c : c - ROW);
        y[c] = is_first ? APART : -APART;
        demands[c - 1] = is_first ? 1 : heavy;
    }
    model.capacity = capacity;
    if (max_length > 0)
        model.max_length = max_length;
    assert_ok(mco_vrp_from_coordinates(test_ctx, CUSTOMERS, x, y, demands, &model, &problem));
    return problem;
}

static int64_t length_of(const vrp_task *t, int32_t route)
{
    int64_t length = 0;
    int32_t at = 0;
    for (int32_t k = t->first[route]; k < t->first[route + 1]; at = t->order[k++])
        length += vrp_part_distance(&t->part, at, t->order[k]);
    return length + vrp_part_distance(&t->part, at, 0);
}

static int64_t cost_of(const vrp_task *t)
{
    int64_t cost = 0;
    for (int32_t r = 0; r < t->routes; r++)
        cost += length_of(t, r);
    return cost;
}

// Walks from two routes that change rows after `from` customers, and back after `to`. Returns by how much the cost has fallen.
static int64_t walk_gain(const mco_vrp *problem, const vrp_walk_plan *plan, int32_t from, int32_t to)
{
    vrp_task t = {.seed = 1};
    vrp_walk walk = {0};
    const vrp_walk_variant *variant = NULL;
    const atomic_bool stop = false;
    int32_t count = NEAR, *near = NULL, local[CUSTOMERS + 1] = {0};
    assert_ok(vrp_neighbours(test_ctx, problem, &count, 1, NULL, &near));
    assert_ok(vrp_task_open(test_ctx, problem, CUSTOMERS, 2, NEAR, &t));
    assert_ok(vrp_walk_open(test_ctx, CUSTOMERS, 2, &walk));
    assert_ok(vrp_walk_choose(test_ctx, MCO_SIMD_AUTO, &variant));
    t.routes = 2;
    t.first[1] = ROW;
    t.first[2] = CUSTOMERS;
    for (int32_t k = 0; k < ROW; k++) {
        const bool is_changed = k >= from && k < to;
        t.order[k] = is_changed ? ROW + 1 + k : 1 + k;
        t.order[ROW + k] = is_changed ? 1 + k : ROW + 1 + k;
    }
    for (int32_t c = 0; c < CUSTOMERS; c++)
        t.customer[c] = c;
    vrp_part_fill(&t, CUSTOMERS, 2, near, count, local);
    const int64_t before = t.cost = cost_of(&t);
    t.plan = *plan;
    vrp_view_clear(t.view);
    variant->run(&walk, &t, &stop);
    assert_int_equal(t.cost, cost_of(&t));
    for (int32_t r = 0; r < t.routes; r++) {
        int64_t load = 0;
        for (int32_t k = t.first[r]; k < t.first[r + 1]; k++)
            load += t.part.demand[t.order[k]];
        assert_true(load <= problem->capacity);
        assert_true(length_of(&t, r) <= problem->max_length);
    }
    const int64_t fall = before - t.cost;
    vrp_walk_close(test_ctx, &walk);
    vrp_task_close(test_ctx, &t);
    mco_free(test_ctx, &near);
    return fall;
}

// One step, which moves a customer or two, with so many proposals.
static int64_t gain(const mco_vrp *problem, int32_t proposals)
{
    const vrp_walk_plan plan = {.steps = 1, .hot = 1e-3, .cold = 1e-3, .removed = 1, .longest_string = 1, .tails = proposals};
    return walk_gain(problem, &plan, ROW / 2, ROW);
}

// The same from routes that change rows for ten customers in their middle, with exchanges of middles.
static int64_t gain_of_middles(const mco_vrp *problem, int32_t proposals)
{
    const vrp_walk_plan plan = {.steps = 1, .hot = 1e-3, .cold = 1e-3, .removed = 1, .longest_string = 1, .middles = proposals};
    return walk_gain(problem, &plan, 15, 25);
}

// Whatever its steps, such a walk lasts as long as it is told to, or a few steps where that is no time.
static void a_walk_may_go_by_the_clock(void **state)
{
    (void)state;
    enum { SHORT_MS = 60 };
    mco_vrp *problem = rows(1, ROW, 0);
    vrp_walk_plan plan = {.steps = 1, .seconds = SHORT_MS * 1e-3, .hot = 1, .cold = 1e-3, .removed = 10, .longest_string = 10};
    const double begin_s = mco_clock_s();
    const int64_t fall = walk_gain(problem, &plan, ROW / 2, ROW);
    assert_true(mco_clock_s() - begin_s >= plan.seconds);
    assert_true(fall > 0);
    plan.seconds = 1e-9;
    assert_in_range(walk_gain(problem, &plan, ROW / 2, ROW), 0, fall);
    mco_vrp_destroy(test_ctx, &problem);
}

static void ends_of_routes_are_exchanged(void **state)
{
    (void)state;
    mco_vrp *problem = rows(1, ROW, 0);
    assert_true(gain(problem, 0) < 10);
    assert_int_equal(gain(problem, 3000), 62);  // two edges of 10 in the place of two of 41
    mco_vrp_destroy(test_ctx, &problem);
}

// Straight routes carry ROW and 2 * ROW, mixed ones 1.5 * ROW.
static void exchanges_keep_the_capacity(void **state)
{
    (void)state;
    mco_vrp *problem = rows(2, ROW * 7 / 4, 0);
    assert_true(gain(problem, 3000) < 62);
    mco_vrp_destroy(test_ctx, &problem);
}

// Both routes are 853 long at first and 824 after the exchange.
static void routes_with_a_limit_of_length_are_exchanged(void **state)
{
    (void)state;
    mco_vrp *problem = rows(1, ROW, 860);
    assert_int_equal(gain(problem, 3000), 62);
    mco_vrp_destroy(test_ctx, &problem);
}

// Four edges of 10 take the place of four of 41. The second row is heavier: an exchange keeps both loads only if the middles
// have equal numbers of customers, or nearly.
static void middles_of_routes_are_exchanged(void **state)
{
    (void)state;
    mco_vrp *light = rows(1, ROW, 0), *long_enough = rows(1, ROW, 915), *tight = rows(2, 2 * ROW - 8, 0);
    assert_true(gain_of_middles(light, 0) < 10);
    assert_int_equal(gain_of_middles(light, 5000), 124);
    assert_int_equal(gain_of_middles(long_enough, 5000), 124);
    assert_true(gain_of_middles(tight, 5000) < 124);
    mco_vrp_destroy(test_ctx, &tight);
    mco_vrp_destroy(test_ctx, &long_enough);
    mco_vrp_destroy(test_ctx, &light);
}

// Many walks with limits on loads and lengths: what they keep is what their routes cost, and within both limits.
static void middles_keep_every_limit(void **state)
{
    (void)state;
    const vrp_walk_plan plan = {.steps = 300, .hot = 100, .cold = 1, .removed = 10, .longest_string = 10, .exchanges = 10,
                                .middles = 50};
    for (int32_t room = 0; room < 20; room++) {
        mco_vrp *problem = rows(1 + room % 2, (1 + room % 2) * ROW + room, 915 + room);
        walk_gain(problem, &plan, 15, 25);
        mco_vrp_destroy(test_ctx, &problem);
    }
}

// The cost that a walk keeps is that of its routes, in their direction.
static void asymmetric_routes_are_not_turned_round(void **state)
{
    (void)state;
    const vrp_shape shape = {.customers = CUSTOMERS, .distances = 1000, .demands = 9, .capacity = 5 * CUSTOMERS};
    mco_rng rng;
    mco_rng_seed(&rng, 4, 0);
    for (int k = 0; k < 10; k++) {
        mco_vrp *problem = vrp_case_random(&rng, &shape);
        for (int32_t tails = 0; tails <= 20; tails += 20) {
            const vrp_walk_plan plan = {.steps = 500, .hot = 300, .cold = 1, .removed = 10, .longest_string = 10,
                                        .exchanges = 10, .tails = tails, .middles = tails};
            assert_true(walk_gain(problem, &plan, ROW / 2, ROW) > 0);
        }
        vrp_case_free(problem);
    }
}

// Two customers at each place of a circle, two in a route; each second pair of routes has exchanged a customer. In so large a part
// steps stay near one place for a while. All the same, each exchange is found and taken back.
static void steps_come_to_every_place_of_a_large_part(void **state)
{
    (void)state;
    enum { PLACES = 600, ALL = 2 * PLACES, RADIUS = 1000 };
    static double x[ALL + 1], y[ALL + 1];
    static int32_t demands[ALL], local[ALL + 1];
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp *problem = NULL;
    vrp_task t = {.seed = 1, .routes = PLACES};
    vrp_walk walk = {0};
    const vrp_walk_variant *variant = NULL;
    const atomic_bool stop = false;
    int32_t count = NEAR, *near = NULL;
    int64_t best = 0;
    for (int32_t c = 1; c <= ALL; c++) {
        const double turn = 2 * acos(-1) * ((c - 1) / 2) / PLACES;
        x[c] = RADIUS * cos(turn);
        y[c] = RADIUS * sin(turn);
        demands[c - 1] = 1;
    }
    model.capacity = 2;
    assert_ok(mco_vrp_from_coordinates(test_ctx, ALL, x, y, demands, &model, &problem));
    assert_ok(vrp_neighbours(test_ctx, problem, &count, 1, NULL, &near));
    assert_ok(vrp_task_open(test_ctx, problem, ALL, PLACES + 2, NEAR, &t));
    assert_ok(vrp_walk_open(test_ctx, ALL, PLACES + 2, &walk));
    assert_ok(vrp_walk_choose(test_ctx, MCO_SIMD_AUTO, &variant));
    t.routes = PLACES;
    for (int32_t k = 0; k < ALL; k++) {
        t.order[k] = 1 + (k % 4 == 1 ? k + 2 : k % 4 == 3 ? k - 2 : k);
        t.customer[k] = k;
        t.first[k / 2 + 1] = 2 * (k / 2) + 2;
    }
    vrp_part_fill(&t, ALL, PLACES + 2, near, count, local);
    for (int32_t c = 1; c <= ALL; c++)
        best += t.part.depot_distance[c];
    t.cost = cost_of(&t);
    assert_true(t.cost > best);
    t.plan = (vrp_walk_plan){.steps = 100000, .hot = 1, .cold = 1e-3, .removed = 10, .longest_string = 10, .exchanges = 10};
    vrp_view_clear(t.view);
    variant->run(&walk, &t, &stop);
    assert_int_equal(t.cost, cost_of(&t));
    assert_int_equal(t.cost, best);
    vrp_walk_close(test_ctx, &walk);
    vrp_task_close(test_ctx, &t);
    mco_free(test_ctx, &near);
    mco_vrp_destroy(test_ctx, &problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(steps_come_to_every_place_of_a_large_part),
        TEST(a_walk_may_go_by_the_clock),
        TEST(ends_of_routes_are_exchanged),
        TEST(exchanges_keep_the_capacity),
        TEST(routes_with_a_limit_of_length_are_exchanged),
        TEST(middles_of_routes_are_exchanged),
        TEST(middles_keep_every_limit),
        TEST(asymmetric_routes_are_not_turned_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
