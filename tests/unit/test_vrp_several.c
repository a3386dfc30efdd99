// SPDX-License-Identifier: MIT
// Several annealings of the whole: how many there are, and that the best of them is what remains.
#include "test_support.h"

#include "vrp/search/cores.h"
#include "vrp/search/several.h"
#include "vrp_support.h"

enum { CUSTOMERS = 240, LONG = 60 };

// Customers of demand 1 at random places, with some room in routes of `size`.
static mco_vrp *scattered(int32_t size, int32_t vehicles)
{
    double x[CUSTOMERS + 1] = {0}, y[CUSTOMERS + 1] = {0};
    int32_t demands[CUSTOMERS];
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp *problem = NULL;
    mco_rng rng;
    mco_rng_seed(&rng, 3, 0);
    for (int32_t c = 1; c <= CUSTOMERS; c++) {
        x[c] = mco_rng_below(&rng, 1000);
        y[c] = mco_rng_below(&rng, 1000);
        demands[c - 1] = 1;
    }
    model.capacity = size + 1;
    model.vehicles = vehicles;
    assert_ok(mco_vrp_from_coordinates(test_ctx, CUSTOMERS, x, y, demands, &model, &problem));
    return problem;
}

typedef struct outcome {
    int32_t count;            // annealings that the steps suffice for
    int64_t before, cost, best;  // of the solution before and after, and of the best one noted
    int64_t steps;
} outcome;

// Begins with routes of `size` customers as they come. Anneals `copies`, or only counts.
static outcome anneal(mco_vrp *problem, int32_t size, int64_t iterations, int32_t threads, int32_t copies)
{
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    vrp_processor cores = {0};
    vrp_search search = {.ctx = test_ctx, .problem = problem, .params = &params, .best_cost = -1, .start_cost = -1, .proved = -1};
    vrp_rounds s = {.search = &search, .problem = problem, .processor = &cores};
    int32_t customer[CUSTOMERS];
    outcome out = {0};
    params.threads = threads;
    params.iterations = iterations;
    search.run = mco_run_begin(test_ctx, &(mco_run_settings){.time_limit_s = INFINITY, .target = -1, .objective = "cost"});
    assert_ok(vrp_cores_open(test_ctx, problem, &params, &cores));
    cores.ends = vrp_rounds_watch;
    cores.user = &s;
    assert_ok(vrp_rounds_open(&s));
    for (int32_t c = 0; c < CUSTOMERS; c++)
        customer[c] = c;
    s.now.routes = s.now.first[0] = 0;
    for (int32_t r = 0; r < CUSTOMERS / size; r++)
        vrp_add_route(&s.now, customer + r * size, size);
    out.before = s.now_cost = vrp_solution_cost(problem, &s.now);
    out.count = vrp_several_count(&s);
    if (copies > 0) {
        assert_ok(vrp_rounds_note(&s, "start"));
        assert_ok(vrp_rounds_find_neighbours(&s));
        s.temperatures = vrp_temperatures_of(CUSTOMERS, s.now.routes, s.now_cost, vrp_rounds_nearest(&s), false);
        assert_ok(vrp_several_anneal(&s, copies, 0.8));
        int64_t cost = -1;
        assert_ok(mco_vrp_check(test_ctx, problem, &s.now, &cost));
        assert_int_equal(cost, s.now_cost);
        assert_ok(mco_vrp_check(test_ctx, problem, &search.best, &cost));
        assert_int_equal(cost, search.best_cost);
    }
    out.cost = s.now_cost;
    out.best = search.best_cost;
    out.steps = search.iterations;
    vrp_rounds_close(&s);
    cores.close(&cores);
    mco_vrp_solution_clear(test_ctx, &search.best);
    mco_run_clear(&search.run);
    mco_vrp_destroy(test_ctx, &problem);
    return out;
}

static int32_t count(int32_t size, int64_t steps_of_customer, int32_t threads)
{
    return anneal(scattered(size, 0), size, steps_of_customer * CUSTOMERS, threads, 0).count;
}

static void long_routes_and_many_steps_have_several(void **state)
{
    (void)state;
    assert_int_equal(count(LONG, 8000, 1), 4);
    assert_int_equal(count(LONG, 7999, 1), 1);
    assert_int_equal(count(LONG, 12000, 1), 6);
    assert_int_equal(count(LONG, 11999, 2), 4);
    assert_int_equal(count(LONG, 1000000, 2), 8);
    assert_int_equal(count(LONG, 1000000, 3), 6);
    assert_int_equal(count(LONG, 1000000, 12), 12);
    assert_int_equal(count(40, 1000000, 1), 1);
}

static void the_best_remains(void **state)
{
    (void)state;
    const outcome first = anneal(scattered(LONG, 0), LONG, 60000, 2, 4);
    assert_true(first.cost < first.before / 3);
    assert_true(first.best <= first.cost);
    assert_in_range(first.steps, 47900, 48100);
    const outcome many = anneal(scattered(LONG, 0), LONG, 240000, 2, 16);  // two are replaced at a time
    assert_true(many.best <= many.cost && many.cost < many.before / 3);
    for (int32_t threads = 1; threads <= 3; threads++) {
        const outcome again = anneal(scattered(LONG, 0), LONG, 60000, threads, 4);
        assert_int_equal(again.before, first.before);
        assert_in_range(again.steps, 47900, 48100);
        if (threads == 2)
            assert_int_equal(again.cost, first.cost);
    }
}

// The check of the result counts its routes.
static void vehicles_limit_every_annealing(void **state)
{
    (void)state;
    for (int32_t vehicles = 4; vehicles <= 6; vehicles++)
        anneal(scattered(LONG, vehicles), LONG, 20000, 2, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(long_routes_and_many_steps_have_several),
        TEST(the_best_remains),
        TEST(vehicles_limit_every_annealing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
