// SPDX-License-Identifier: MIT
// Tasks: their lists `behind` against all candidates in order, of small parts and of large ones; and none is made when the time is over.
#include <math.h>

#include "test_support.h"

#include "vrp/search/cores.h"
#include "vrp/search/neighbours.h"
#include "vrp/search/rounds.h"
#include "vrp_support.h"

enum { MOST = 900, ALL_PAIRS = 600, WINDOW = 200, NEAR = 16 };  // ALL_PAIRS and WINDOW as in vrp/search/task.c

// Places of a grid, so that many changes are equal. One customer is at the depot, two are at the same place.
static mco_vrp *grid(int32_t customers, vrp_rule rule)
{
    static double x[MOST + 1], y[MOST + 1];
    static int32_t demands[MOST];
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp *problem = NULL;
    mco_rng rng;
    mco_rng_seed(&rng, 11, 0);
    for (int32_t i = 0; i <= customers; i++) {
        x[i] = i < 2 ? 20 : mco_rng_below(&rng, 60);
        y[i] = i < 2 ? 20 : mco_rng_below(&rng, 60);
    }
    x[3] = x[2];
    y[3] = y[2];
    for (int32_t c = 0; c < customers; c++)
        demands[c] = 1;
    model.capacity = customers;
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
        if (p->customers > ALL_PAIRS)
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
    int32_t count = 0;
    for (int32_t d = from; d <= to; d++) {
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
        for (vrp_rule rule = VRP_EUC_2D; rule <= VRP_CEIL_2D; rule++) {
            mco_vrp *problem = grid(sizes[k], rule);
            check_lists(problem);
            mco_vrp_destroy(test_ctx, &problem);
        }
}

// Distances that differ by direction, so that changes may be far below 0.
static void lists_follow_a_matrix(void **state)
{
    (void)state;
    for (int32_t customers = 2; customers <= 302; customers += 100) {
        const vrp_shape shape = {.customers = customers, .distances = 50, .demands = 2, .capacity = customers};
        mco_rng rng;
        mco_rng_seed(&rng, (uint64_t)customers, 0);
        mco_vrp *problem = vrp_case_random(&rng, &shape);
        check_lists(problem);
        vrp_case_free(problem);
    }
}

// ---- Time

// Whether the task of all customers gets its lists before `stop_s` by the clock.
static bool fills(mco_vrp *problem, double stop_s)
{
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    vrp_processor cores = {0};
    vrp_search search = {.ctx = test_ctx, .problem = problem, .params = &params, .best_cost = -1, .start_cost = -1, .proved = -1};
    vrp_rounds s = {.search = &search, .problem = problem, .processor = &cores};
    params.threads = 2;
    search.run = mco_run_begin(test_ctx, &(mco_run_settings){.time_limit_s = INFINITY, .target = -1, .objective = "cost"});
    assert_ok(vrp_cores_open(test_ctx, problem, &params, &cores));
    assert_ok(vrp_rounds_open(&s));
    assert_ok(vrp_rounds_find_neighbours(&s));
    s.now.routes = s.now.first[0] = 0;
    for (int32_t c = 0; c < problem->customers; c++)
        vrp_add_route(&s.now, &c, 1);
    assert_ok(vrp_rounds_open_tasks(&s, 1, problem->customers));
    vrp_rounds_begin_tasks(&s, 1);
    for (int32_t r = 0; r < s.now.routes; r++)
        vrp_rounds_add_route(&s, 0, r);
    search.run.stop_s = stop_s;
    const bool is_filled = vrp_rounds_fill_tasks(&s, 1, 1);
    assert_int_equal(s.tasks[0].part.behind[s.tasks[0].part.neighbours] != 0, is_filled);
    for (int32_t i = 0; i < problem->nodes; i++)
        assert_int_equal(s.local[i], 0);
    vrp_rounds_close(&s);
    cores.close(&cores);
    mco_run_clear(&search.run);
    return is_filled;
}

static void no_list_is_made_when_the_time_is_over(void **state)
{
    (void)state;
    mco_vrp *problem = grid(MOST, VRP_EUC_2D);
    assert_true(fills(problem, INFINITY));
    assert_false(fills(problem, 0));
    mco_vrp_destroy(test_ctx, &problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_least_changes_are_listed),
        TEST(lists_follow_a_matrix),
        TEST(no_list_is_made_when_the_time_is_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
