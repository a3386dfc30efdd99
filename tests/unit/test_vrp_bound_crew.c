// SPDX-License-Identifier: MIT
// Labels of several threads: routes, values of arcs and counts are those of one thread, whatever ends the run.
#include "test_support.h"

#include <math.h>

#include "base/rng.h"
#include "vrp/bound/labels/labels.h"

enum { CUSTOMERS = 40, NODES = CUSTOMERS + 1, ROWS = 12, MOST_THREADS = 4 };

typedef struct fixture {
    mco_vrp *vrp;
    vrp_bound_problem problem;
    vrp_ng_sets sets;
    vrp_cuts cuts;
    int32_t price[NODES];
    int32_t *arcs;
} fixture;

static int32_t draw(uint64_t *state, int32_t below)
{
    return (int32_t)(mco_splitmix64(state) % (uint64_t)below);
}

// Matrices of distances that differ by direction, or places.
static mco_vrp *random_instance(uint64_t *seed, bool is_symmetric)
{
    double x[NODES], y[NODES];
    int32_t demand[CUSTOMERS], matrix[NODES * NODES];
    mco_vrp *vrp = NULL;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.capacity = 24;
    for (int i = 0; i < NODES; i++) {
        x[i] = draw(seed, 100);
        y[i] = draw(seed, 100);
    }
    for (int i = 0; i < CUSTOMERS; i++)
        demand[i] = 1 + draw(seed, 6);
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < NODES; j++)
            matrix[i * NODES + j] = i == j ? 0 : (int32_t)ceil(hypot(x[i] - x[j], y[i] - y[j])) + draw(seed, 20);
    if (is_symmetric)
        assert_ok(mco_vrp_from_coordinates(test_ctx, CUSTOMERS, x, y, demand, &model, &vrp));
    else
        assert_ok(mco_vrp_create(test_ctx, CUSTOMERS, matrix, demand, &model, &vrp));
    return vrp;
}

static void open_fixture(uint64_t seed, bool is_symmetric, fixture *f)
{
    *f = (fixture){.vrp = random_instance(&seed, is_symmetric)};
    assert_ok(vrp_bound_problem_open(test_ctx, f->vrp, 0, false, 4000, &f->problem));
    assert_int_equal(f->problem.is_symmetric, is_symmetric);
    assert_ok(vrp_ng_sets_open(test_ctx, &f->problem, 6, &f->sets));
    vrp_cuts_open(&f->problem, &f->cuts);
    const int32_t span = (int32_t)(40 * f->problem.unit);
    for (int r = 0; r < ROWS; r++) {
        const int32_t first = 1 + draw(&seed, CUSTOMERS - 2), node[3] = {first, first + 1, first + 2};
        const uint64_t memory = mco_splitmix64(&seed) | (uint64_t)7 << first;
        assert_ok(vrp_cuts_add_rank1(test_ctx, &f->cuts, node, 3, (int32_t[]){1, 1, 2}, 3, 1, &memory));
        f->cuts.cut[f->cuts.count - 1].price = -2 * draw(&seed, span / 4);
    }
    for (int i = 1; i < NODES; i++)
        f->price[i] = 2 * (span / 3 + draw(&seed, span / 3));
    assert_ok(mco_alloc(test_ctx, &f->arcs, (int64_t)NODES * f->problem.stride));
    vrp_prices_arcs(&f->problem, f->price, &f->cuts, NULL, f->arcs);
}

static void close_fixture(fixture *f)
{
    mco_free(test_ctx, &f->arcs);
    vrp_cuts_close(test_ctx, &f->cuts);
    vrp_ng_sets_close(test_ctx, &f->sets);
    vrp_bound_problem_close(test_ctx, &f->problem);
    mco_vrp_destroy(test_ctx, &f->vrp);
}

static vrp_label_task task_of(const fixture *f, bool is_elementary, int32_t threads)
{
    return (vrp_label_task){.problem = &f->problem, .arcs = f->arcs, .cuts = &f->cuts, .sets = &f->sets, .below = (int32_t)(-10 * f->problem.unit),
                            .most_routes = 400, .most_labels = 200000, .is_elementary = is_elementary, .threads = threads, .stop_s = INFINITY};
}

static void assert_same(const vrp_routes *a, const vrp_routes *b)
{
    assert_int_equal(a->count, b->count);
    for (int64_t k = 0; k < a->count; k++) {
        assert_int_equal(vrp_routes_length(a, k), vrp_routes_length(b, k));
        assert_memory_equal(a->node + a->first[k], b->node + b->first[k], (size_t)vrp_routes_length(a, k) * sizeof *a->node);
    }
}

// Routes and counts by each number of threads. Returns the labels of a run.
static int64_t compare(const fixture *f, bool is_elementary, int64_t most_labels, int64_t most_routes, vrp_labels_end *end)
{
    vrp_routes first, routes;
    vrp_labels_result one, more;
    for (int32_t threads = 1; threads <= MOST_THREADS; threads++) {
        vrp_label_task task = task_of(f, is_elementary, threads);
        task.most_labels = most_labels;
        task.most_routes = most_routes;
        vrp_routes_open(f->problem.is_symmetric, threads == 1 ? &first : &routes);
        assert_ok(vrp_label(test_ctx, &task, threads == 1 ? &first : &routes, threads == 1 ? &one : &more));
        if (threads == 1)
            continue;
        assert_int_equal(one.end, more.end);
        assert_int_equal(one.least, more.least);
        assert_int_equal(one.labels, more.labels);
        assert_same(&first, &routes);
        vrp_routes_close(test_ctx, &routes);
    }
    vrp_routes_close(test_ctx, &first);
    *end = one.end;
    return one.labels;
}

static void threads_find_the_same_routes(void **state)
{
    (void)state;
    vrp_labels_end end;
    for (int round = 0; round < (TEST_IS_SANITIZED ? 3 : 6); round++) {
        fixture f;
        open_fixture(70 + (uint64_t)round, round % 3 > 0, &f);
        for (int elementary = 0; elementary < 2; elementary++) {
            const int64_t labels = compare(&f, elementary, 400000, 2000, &end);
            assert_true(labels > 2000);  // then threads have had work
            (void)compare(&f, elementary, labels / 2, 2000, &end);
            assert_int_equal(end, VRP_LABELS_LIMIT);
        }
        (void)compare(&f, true, 400000, 1, &end);
        assert_int_equal(end, VRP_LABELS_LIMIT);
        close_fixture(&f);
    }
}

static void threads_value_arcs_alike(void **state)
{
    (void)state;
    for (int round = 0; round < (TEST_IS_SANITIZED ? 3 : 6); round++) {
        fixture f;
        int32_t *one = NULL, *more = NULL;
        vrp_labels_result result;
        open_fixture(90 + (uint64_t)round, round % 3 > 0, &f);
        const size_t cells = (size_t)NODES * (size_t)f.problem.stride;
        assert_ok(mco_alloc(test_ctx, &one, cells));
        assert_ok(mco_alloc(test_ctx, &more, cells));
        const vrp_label_task alone = task_of(&f, false, 1);
        assert_ok(vrp_label_arc_values(test_ctx, &alone, one, &result));
        for (int32_t threads = 2; threads <= MOST_THREADS; threads++) {
            const vrp_label_task task = task_of(&f, false, threads);
            assert_ok(vrp_label_arc_values(test_ctx, &task, more, &result));
            assert_memory_equal(one, more, cells * sizeof *one);
        }
        mco_free(test_ctx, &more);
        mco_free(test_ctx, &one);
        close_fixture(&f);
    }
}

static void failed_allocations_release_all(void **state)
{
    (void)state;
    fixture f;
    open_fixture(99, true, &f);
    const long before = test_memory.live;
    mco_status st = MCO_ERR_MEMORY;
    for (long k = 1; st != MCO_OK; k += 1 + k / 4) {
        const vrp_label_task task = task_of(&f, true, 3);
        vrp_routes routes;
        vrp_labels_result result;
        vrp_routes_open(true, &routes);
        test_fail_allocation(k);
        st = vrp_label(test_ctx, &task, &routes, &result);
        test_fail_allocation(0);
        assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
        vrp_routes_close(test_ctx, &routes);
        assert_int_equal(test_memory.live, before);
    }
    close_fixture(&f);
}

static void a_cancel_ends_threads(void **state)
{
    (void)state;
    fixture f;
    vrp_routes routes;
    vrp_labels_result result;
    open_fixture(98, true, &f);
    const vrp_label_task task = task_of(&f, false, 2);
    vrp_routes_open(true, &routes);
    mco_cancel(test_ctx);
    assert_ok(vrp_label(test_ctx, &task, &routes, &result));
    assert_int_equal(result.end, VRP_LABELS_STOPPED);
    vrp_routes_close(test_ctx, &routes);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(threads_find_the_same_routes, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(threads_value_arcs_alike, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(failed_allocations_release_all, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(a_cancel_ends_threads, test_setup, test_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
