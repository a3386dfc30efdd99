// SPDX-License-Identifier: MIT
// Tasks: their lists `behind` against all candidates in order, of small parts and of large ones; and what becomes of them when the search
// has to end.
#include <math.h>

#include "test_support.h"

#include "vrp/search/cores.h"
#include "vrp/search/neighbours.h"
#include "vrp/search/rounds.h"
#include "vrp/search/whole.h"
#include "vrp_support.h"

enum { MOST = 900, ALL_PAIRS = 600, WINDOW = 200, NEAR = 16 };  // ALL_PAIRS and WINDOW as in vrp/search/task.c

// Places of a grid, so that many changes are equal; with real distances they leave it a little. One customer is at the depot, two are at
// the same place.
static mco_vrp *grid(int32_t customers, vrp_rule rule, mco_vrp_distances distances)
{
    static double x[MOST + 1], y[MOST + 1];
    static int32_t demands[MOST];
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp *problem = NULL;
    mco_rng rng;
    mco_rng_seed(&rng, 11, 0);
    for (int32_t i = 0; i <= customers; i++) {
        x[i] = i < 2 ? 20 : mco_rng_below(&rng, 60) + (distances == MCO_VRP_DISTANCES_REAL) * 0.37 * (i % 3);
        y[i] = i < 2 ? 20 : mco_rng_below(&rng, 60);
    }
    x[3] = x[2];
    y[3] = y[2];
    for (int32_t c = 0; c < customers; c++)
        demands[c] = 1;
    model.capacity = customers;
    model.distance = distances;
    assert_ok(mco_vrp_from_coordinates(test_ctx, customers, x, y, demands, &model, &problem));
    problem->rule = rule;
    return problem;
}

// ---- Lists

typedef struct candidate {
    double key;
    int32_t name, node;
} candidate;

static int compare(const void *a, const void *b)
{
    const candidate *p = a, *q = b;
    return p->key != q->key ? (p->key < q->key ? -1 : 1) : (p->name > q->name) - (p->name < q->name);
}

// The customers of a part, the large one's by their direction.
static void line_up(const vrp_part *p, candidate *line)
{
    for (int32_t c = 1; c <= p->customers; c++) {
        line[c - 1] = (candidate){.name = c, .node = c};
        if (p->customers > ALL_PAIRS && p->xy != NULL)
            line[c - 1].key = atan2(p->xy[2 * c + 1] - p->xy[1], p->xy[2 * c] - p->xy[0]);
    }
    qsort(line, (size_t)p->customers, sizeof *line, compare);
}

// The list of the customer at place `at` of the line.
static void assert_list(const vrp_part *p, const candidate *line, int32_t at)
{
    static candidate all[MOST];
    const int32_t n = p->customers, c = line[at].node, *row = p->behind + (int64_t)c * p->neighbours;
    const int32_t from = n > ALL_PAIRS ? -WINDOW : -at, to = n > ALL_PAIRS ? WINDOW : n - 1 - at;
    const bool has_list = n <= ALL_PAIRS || p->xy != NULL;
    int32_t count = 0;
    for (int32_t d = from; d <= to && has_list; d++) {
        const int32_t u = line[(at + d + n) % n].node;
        const int32_t change = vrp_part_distance(p, u, c) + p->depot_distance[c] - p->depot_distance[u];
        if (d != 0)
            all[count++] = (candidate){.key = change, .name = d, .node = u};
    }
    qsort(all, (size_t)count, sizeof *all, compare);
    for (int32_t k = 0; k < p->neighbours; k++) {
        assert_int_equal(row[k], k < count ? all[k].node : 0);
        if (k < count)
            assert_int_equal(p->behind_change[(int64_t)c * p->neighbours + k], (int32_t)all[k].key);
    }
}

static void check_lists(mco_vrp *problem)
{
    static candidate line[MOST];
    vrp_task t = {0};
    const int32_t n = problem->customers;
    int32_t count = NEAR, *near = NULL, *local = calloc((size_t)n + 1, sizeof *local);
    assert_true(local != NULL);
    assert_ok(vrp_neighbours(test_ctx, problem, &count, 1, NULL, &near));
    assert_ok(vrp_task_open(test_ctx, problem, n, 2, NEAR, &t));
    for (int32_t c = 0; c < n; c++)
        t.customer[c] = c;
    vrp_part_fill(&t, n, 2, near, count, local);
    line_up(&t.part, line);
    for (int32_t at = 0; at < n; at++)
        assert_list(&t.part, line, at);
    vrp_task_close(test_ctx, &t);
    mco_free(test_ctx, &near);
    free(local);
}

static void the_least_changes_are_listed(void **state)
{
    (void)state;
    const int32_t sizes[] = {3, NEAR, NEAR + 1, NEAR + 2, ALL_PAIRS, ALL_PAIRS + 1, MOST};
    for (int k = 0; k < COUNT_OF(sizes); k++)
        for (vrp_rule rule = VRP_EUC_2D; rule <= VRP_CEIL_2D; rule++)
            for (mco_vrp_distances distances = MCO_VRP_DISTANCES_ROUNDED; distances <= MCO_VRP_DISTANCES_REAL; distances++) {
                mco_vrp *problem = grid(sizes[k], rule, distances);
                check_lists(problem);
                mco_vrp_destroy(test_ctx, &problem);
            }
}

// Distances that differ by direction, so that changes may be far below 0. A large part without places has no lists.
static void lists_follow_a_matrix(void **state)
{
    (void)state;
    for (int32_t customers = 2; customers <= 602; customers += 200) {
        const vrp_shape shape = {.customers = customers, .distances = 50, .demands = 2, .capacity = customers};
        mco_rng rng;
        mco_rng_seed(&rng, (uint64_t)customers, 0);
        mco_vrp *problem = vrp_case_random(&rng, &shape);
        check_lists(problem);
        vrp_case_free(problem);
    }
}

// ---- Time

enum { TASKS = 3 };

// A search by two threads of a solution with a route each five customers.
typedef struct fixture {
    mco_vrp *problem;
    mco_vrp_params params;
    vrp_processor cores;
    vrp_search search;
    vrp_rounds s;
    int looks, last_look;  // the search ends at look last_look; 0: never
} fixture;

static bool look(void *user)
{
    fixture *f = user;
    return ++f->looks == f->last_look;
}

static void open_fixture(fixture *f, int64_t iterations)
{
    *f = (fixture){.problem = grid(MOST, VRP_EUC_2D, MCO_VRP_DISTANCES_ROUNDED), .params = MCO_VRP_PARAMS_INIT};
    f->params.threads = 2;
    f->params.iterations = iterations;
    f->search = (vrp_search){.ctx = test_ctx, .problem = f->problem, .params = &f->params, .best_cost = -1, .start_cost = -1, .proved = -1,
                             .look = look, .look_user = f};
    f->search.run = mco_run_begin(test_ctx, &(mco_run_settings){.time_limit_s = INFINITY, .target = -1, .objective = "cost"});
    f->s = (vrp_rounds){.search = &f->search, .problem = f->problem, .processor = &f->cores};
    assert_ok(vrp_cores_open(test_ctx, f->problem, &f->params, &f->cores));
    f->cores.ends = vrp_rounds_watch;
    f->cores.user = &f->s;
    assert_ok(vrp_rounds_open(&f->s));
    f->s.now.routes = f->s.now.first[0] = 0;
    for (int32_t c = 0; c < MOST; c += 5)
        vrp_add_route(&f->s.now, (const int32_t[]){c, c + 1, c + 2, c + 3, c + 4}, 5);
    f->s.now_cost = vrp_solution_cost(f->problem, &f->s.now);
    assert_ok(vrp_rounds_note(&f->s, "start"));
    assert_ok(vrp_rounds_find_neighbours(&f->s));
    f->s.temperatures = vrp_temperatures_of(MOST, f->s.now.routes, f->s.now_cost, vrp_rounds_nearest(&f->s), false);
    f->looks = 0;
}

static void close_fixture(fixture *f)
{
    int64_t cost = -1;
    assert_ok(mco_vrp_check(test_ctx, f->problem, &f->s.now, &cost));
    assert_int_equal(cost, f->s.now_cost);
    for (int32_t i = 0; i < f->problem->nodes; i++)
        assert_int_equal(f->s.local[i], 0);
    vrp_rounds_close(&f->s);
    f->cores.close(&f->cores);
    mco_vrp_solution_clear(test_ctx, &f->search.best);
    mco_run_clear(&f->search.run);
    mco_vrp_destroy(test_ctx, &f->problem);
}

// Whether tasks get their lists if the limit is `stop_s` by the clock, and the search is cancelled before. Else none has any.
static bool fills(double stop_s, bool is_cancelled)
{
    fixture f;
    open_fixture(&f, -1);
    assert_ok(vrp_rounds_open_tasks(&f.s, TASKS, MOST));
    vrp_rounds_begin_tasks(&f.s, TASKS);
    for (int32_t r = 0; r < f.s.now.routes; r++)
        vrp_rounds_add_route(&f.s, r % TASKS, r);
    f.search.run.stop_s = stop_s;
    if (is_cancelled)
        mco_cancel(test_ctx);
    const bool is_filled = vrp_rounds_fill_tasks(&f.s, TASKS, TASKS);
    mco_clear_cancel(test_ctx);
    for (int32_t k = 0; k < TASKS; k++)
        assert_int_equal(f.s.tasks[k].part.behind[f.s.tasks[k].part.neighbours] != 0, is_filled);
    close_fixture(&f);
    return is_filled;
}

static void no_list_is_made_when_the_search_has_to_end(void **state)
{
    (void)state;
    assert_true(fills(INFINITY, false));
    assert_false(fills(0, false));
    assert_false(fills(INFINITY, true));
}

// The search ends while it cuts, fills or walks. What it has is a solution all the same (see close_fixture()).
static void a_whole_may_end_at_any_look(void **state)
{
    (void)state;
    for (int last = 1; last <= 40; last += 1 + 4 * TEST_IS_SANITIZED) {
        fixture f;
        open_fixture(&f, 20 * MOST);
        f.last_look = last;
        const int64_t before = f.s.now_cost;
        assert_ok(vrp_whole_anneal(&f.s, 1));
        assert_true(f.search.best_cost <= before);
        close_fixture(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_least_changes_are_listed),
        TEST(lists_follow_a_matrix),
        TEST(no_list_is_made_when_the_search_has_to_end),
        TEST(a_whole_may_end_at_any_look),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
