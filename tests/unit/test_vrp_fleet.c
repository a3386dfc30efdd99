// SPDX-License-Identifier: MIT
// How many long routes a search takes: one less than at first, where that drives less; as many where it drives farther.
#include "test_support.h"

#include "vrp/search/cores.h"
#include "vrp/search/fleet.h"
#include "vrp_support.h"

enum { TOWNS = 4, OF_TOWN = 135, CUSTOMERS = TOWNS * OF_TOWN };

// Customers of equal demand, 0 or 1, around TOWNS places; a town is 20 wide. Three vehicles carry 60 more.
static mco_vrp *towns(const double place[2 * TOWNS], int32_t demand, int32_t vehicles)
{
    double x[CUSTOMERS + 1] = {0}, y[CUSTOMERS + 1] = {0};
    int32_t demands[CUSTOMERS];
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp *problem = NULL;
    mco_rng rng;
    mco_rng_seed(&rng, 1, 0);
    for (int32_t c = 1; c <= CUSTOMERS; c++) {
        const int32_t town = (c - 1) / OF_TOWN;
        x[c] = place[2 * town] + mco_rng_below(&rng, 20);
        y[c] = place[2 * town + 1] + mco_rng_below(&rng, 20);
        demands[c - 1] = demand;
    }
    model.capacity = (CUSTOMERS + 60) / 3;
    model.vehicles = vehicles;
    assert_ok(mco_vrp_from_coordinates(test_ctx, CUSTOMERS, x, y, demands, &model, &problem));
    return problem;
}

// Begins with routes of as many customers each: four of them are those of the towns. It is so cold that none empties by
// itself, as none does where routes are longer.
static void begin(vrp_rounds *s, int32_t routes)
{
    const mco_vrp *p = s->problem;
    int32_t customer[CUSTOMERS];
    assert_ok(vrp_rounds_open(s));
    for (int32_t c = 0; c < CUSTOMERS; c++)
        customer[c] = c;
    s->now.routes = s->now.first[0] = 0;
    for (int32_t r = 0; r < routes; r++)
        vrp_add_route(&s->now, customer + r * (CUSTOMERS / routes), CUSTOMERS / routes);
    s->now_cost = vrp_solution_cost(p, &s->now);
    assert_ok(vrp_rounds_find_neighbours(s));
    s->temperatures = vrp_temperatures_of(p->customers, routes, s->now_cost, vrp_rounds_nearest(s), false);
    s->temperatures.hot = s->temperatures.cold;
}

typedef struct trial {
    int64_t iterations;
    int32_t exactly, routes;  // routes: at first
    int32_t after, limit;     // routes then, and the limit that holds then
    bool is_none;             // nothing is tried
} trial;

// Chooses the number of routes.
static void choose(mco_vrp *problem, trial t)
{
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    vrp_processor cores = {0};
    vrp_search search = {.ctx = test_ctx, .problem = problem, .params = &params, .exactly = t.exactly, .best_cost = -1,
                         .start_cost = -1, .proved = -1};
    vrp_rounds s = {.search = &search, .problem = problem, .processor = &cores};
    int64_t cost = -1;
    params.threads = 1;
    params.iterations = t.iterations;
    search.run = mco_run_begin(test_ctx, &(mco_run_settings){.time_limit_s = INFINITY, .target = -1, .objective = "cost"});
    assert_ok(vrp_cores_open(test_ctx, problem, &params, &cores));
    cores.ends = vrp_rounds_watch;
    cores.user = &s;
    begin(&s, t.routes);
    assert_ok(vrp_fleet_choose(&s));
    assert_int_equal(s.now.routes, t.after);
    assert_int_equal(s.vehicles, t.limit);
    assert_int_equal(search.iterations == 0, t.is_none);
    assert_ok(mco_vrp_check(test_ctx, problem, &s.now, &cost));
    assert_int_equal(cost, s.now_cost);
    vrp_rounds_close(&s);
    cores.close(&cores);
    mco_vrp_solution_clear(test_ctx, &search.best);
    mco_run_clear(&search.run);
    mco_vrp_destroy(test_ctx, &problem);
}

enum { MANY = 4000000, FEW = 1000000 };  // steps
static const double far[2 * TOWNS] = {5000, 0, 5300, 0, 5000, 300, 5300, 300};
static const double corners[2 * TOWNS] = {1000, 1000, -1000, 1000, 1000, -1000, -1000, -1000};

// The towns are far from the depot and near each other.
static void a_route_less_is_taken_where_it_drives_less(void **state)
{
    (void)state;
    choose(towns(far, 1, 0), (trial){.iterations = MANY, .routes = 4, .after = 3, .limit = 3});
    choose(towns(far, 1, 4), (trial){.iterations = MANY, .routes = 4, .after = 3, .limit = 3});
}

// Three routes carry all, but the third one would drive to three towns.
static void a_route_less_is_not_taken_where_it_drives_farther(void **state)
{
    (void)state;
    choose(towns(corners, 1, 0), (trial){.iterations = MANY, .routes = 4, .after = 4});
    choose(towns(corners, 1, 4), (trial){.iterations = MANY, .routes = 4, .after = 4, .limit = 4});
}

// Few steps tell nothing. Of an exact number there are never fewer, and a single route stays where nobody has a demand.
static void no_need_tries_nothing(void **state)
{
    (void)state;
    choose(towns(far, 1, 0), (trial){.iterations = FEW, .routes = 4, .after = 4, .is_none = true});
    choose(towns(far, 1, 4), (trial){.iterations = MANY, .exactly = 4, .routes = 4, .after = 4, .limit = 4, .is_none = true});
    choose(towns(far, 0, 1), (trial){.iterations = MANY, .routes = 1, .after = 1, .limit = 1, .is_none = true});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_route_less_is_taken_where_it_drives_less),
        TEST(a_route_less_is_not_taken_where_it_drives_farther),
        TEST(no_need_tries_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
