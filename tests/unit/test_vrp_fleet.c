// SPDX-License-Identifier: MIT
// How many long routes a search takes: one less than at first, where that drives less; as many where it drives farther.
#include "test_support.h"

#include "vrp/search/cores.h"
#include "vrp/search/fleet.h"
#include "vrp_support.h"

enum { TOWNS = 4, OF_TOWN = 135, CUSTOMERS = TOWNS * OF_TOWN };

// Customers with demands of 1 to `most` around TOWNS places; a town is `width` wide. `vehicles` carry all, and have `spare` room
// together.
static mco_vrp *towns(const double place[2 * TOWNS], int32_t width, int32_t most, int32_t vehicles, int32_t spare)
{
    double x[CUSTOMERS + 1] = {0}, y[CUSTOMERS + 1] = {0};
    int32_t demands[CUSTOMERS], total = 0;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp *problem = NULL;
    mco_rng rng;
    mco_rng_seed(&rng, 1, 0);
    for (int32_t c = 1; c <= CUSTOMERS; c++) {
        const int32_t town = (c - 1) / OF_TOWN;
        x[c] = place[2 * town] + mco_rng_below(&rng, (uint32_t)width);
        y[c] = place[2 * town + 1] + mco_rng_below(&rng, (uint32_t)width);
        total += demands[c - 1] = 1 + (int32_t)mco_rng_below(&rng, (uint32_t)most);
    }
    model.capacity = (total + spare) / vehicles;
    assert_ok(mco_vrp_from_coordinates(test_ctx, CUSTOMERS, x, y, demands, &model, &problem));
    return problem;
}

// Begins with a route for each town. It is so cold that none empties by itself, as none does where routes are longer.
static void begin(vrp_rounds *s)
{
    const mco_vrp *p = s->problem;
    int32_t customer[CUSTOMERS];
    assert_ok(vrp_rounds_open(s));
    for (int32_t c = 0; c < CUSTOMERS; c++)
        customer[c] = c;
    s->now.routes = s->now.first[0] = 0;
    for (int32_t r = 0; r < TOWNS; r++)
        vrp_add_route(&s->now, customer + r * OF_TOWN, OF_TOWN);
    s->now_cost = vrp_solution_cost(p, &s->now);
    assert_ok(vrp_rounds_find_neighbours(s));
    s->temperatures = vrp_temperatures_of(p->customers, TOWNS, s->now_cost, vrp_rounds_nearest(s));
    s->temperatures.hot = s->temperatures.cold;
}

// Chooses the number of routes. Checks that `after` remain, and the limit that holds then.
static void choose(mco_vrp *problem, int64_t iterations, int32_t after, int32_t limit)
{
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    vrp_processor cores = {0};
    vrp_search search = {.ctx = test_ctx, .problem = problem, .params = &params, .best_cost = -1, .start_cost = -1, .proved = -1};
    vrp_rounds s = {.search = &search, .problem = problem, .processor = &cores};
    int64_t cost = -1;
    params.threads = 1;
    params.iterations = iterations;
    search.run = mco_run_begin(test_ctx, &(mco_run_settings){.time_limit_s = INFINITY, .target = -1, .objective = "cost"});
    assert_ok(vrp_cores_open(test_ctx, problem, &params, &cores));
    cores.ends = vrp_rounds_watch;
    cores.user = &s;
    begin(&s);
    assert_ok(vrp_fleet_choose(&s));
    assert_int_equal(s.now.routes, after);
    assert_int_equal(s.vehicles, limit);
    assert_ok(mco_vrp_check(test_ctx, problem, &s.now, &cost));
    assert_int_equal(cost, s.now_cost);
    vrp_rounds_close(&s);
    cores.close(&cores);
    mco_vrp_solution_clear(test_ctx, &search.best);
    mco_run_clear(&search.run);
    mco_vrp_destroy(test_ctx, &problem);
}

// The towns are far from the depot and near each other.
static void a_route_less_is_taken_where_it_drives_less(void **state)
{
    (void)state;
    const double far[2 * TOWNS] = {5000, 0, 5300, 0, 5000, 300, 5300, 300};
    choose(towns(far, 20, 1, 3, 60), 4000000, 3, 3);
}

// Three routes carry all, but the third one would drive to three towns.
static void a_route_less_is_not_taken_where_it_drives_farther(void **state)
{
    (void)state;
    const double corners[2 * TOWNS] = {1000, 1000, -1000, 1000, 1000, -1000, -1000, -1000};
    choose(towns(corners, 20, 1, 3, 60), 4000000, 4, 0);
}

// Few steps tell nothing.
static void few_steps_try_nothing(void **state)
{
    (void)state;
    const double far[2 * TOWNS] = {5000, 0, 5300, 0, 5000, 300, 5300, 300};
    choose(towns(far, 20, 1, 3, 60), 1000000, 4, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_route_less_is_taken_where_it_drives_less),
        TEST(a_route_less_is_not_taken_where_it_drives_farther),
        TEST(few_steps_try_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
