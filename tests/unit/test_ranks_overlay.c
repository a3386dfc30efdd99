// SPDX-License-Identifier: MIT
// Bounds of overlays by several ranks, which are threads here, against one rank: equal duals and equal bounds, bit for bit.
#include "mco/overlay.h"
#include "ranks_threads.h"

typedef struct task {
    const mco_overlay *overlay;
    mco_overlay_bound_params params;
} task;

static mco_overlay_bound_result results[RANKS_MOST];

static void find_bound(ranks_member *m)
{
    const task *t = m->shared;
    results[m->ranks.rank] = (mco_overlay_bound_result)MCO_OVERLAY_BOUND_RESULT_INIT;
    m->status = mco_overlay_bound(m->ctx, t->overlay, &t->params, &results[m->ranks.rank]);
}

static void assert_equal_bounds(const mco_overlay_bound_result *a, const mco_overlay_bound_result *b, int32_t nodes)
{
    assert_memory_equal(a->exact, b->exact, sizeof a->exact);
    assert_true(a->bound == b->bound && a->value == b->value);
    assert_int_equal(a->iterations, b->iterations);
    assert_int_equal(a->best, b->best);
    assert_int_equal(a->stop, b->stop);
    assert_memory_equal(a->duals, b->duals, (size_t)nodes * sizeof *a->duals);
}

static void compare(const task *t)
{
    const int32_t nodes = mco_overlay_nodes(t->overlay);
    mco_overlay_bound_result one = MCO_OVERLAY_BOUND_RESULT_INIT;
    ranks_member members[RANKS_MOST];
    assert_ok(mco_overlay_bound(test_ctx, t->overlay, &t->params, &one));
    for (int ranks = 2; ranks <= 5; ranks += 3) {
        ranks_run(ranks, find_bound, (void *)(uintptr_t)t, members);
        for (int r = 0; r < ranks; r++) {
            assert_string_equal(mco_context_error(members[r].ctx), "");
            assert_int_equal(members[r].status, MCO_OK);
            assert_equal_bounds(&results[r], &one, nodes);
            assert_true(nodes < 10 || results[r].best > 0);
            mco_overlay_bound_result_clear(members[r].ctx, &results[r]);
        }
        ranks_close(ranks, members);
    }
    mco_overlay_bound_result_clear(test_ctx, &one);
}

static mco_overlay *made(int64_t nodes, int64_t degree)
{
    mco_overlay *o = NULL;
    mco_overlay_generation g = MCO_OVERLAY_GENERATION_INIT;
    g.nodes = nodes;
    g.degree = degree;
    g.seed = 3;
    assert_ok(mco_overlay_generate(test_ctx, &g, &o));
    return o;
}

static task task_of(const mco_overlay *o, mco_overlay_method method, int64_t iterations)
{
    task t = {.overlay = o, .params = MCO_OVERLAY_BOUND_PARAMS_INIT};
    t.params.method = method;
    t.params.iterations = iterations;
    t.params.threads = 1;
    t.params.engine = MCO_ENGINE_CPU;
    t.params.start = MCO_OVERLAY_START_ZERO;  // so that the duals of the answer have been exchanged
    return t;
}

static void every_method(void **state)
{
    (void)state;
    const int64_t shapes[][2] = {{700, -1}, {3000, 8}, {3, -1}};  // complete: groups of nodes, rows; sparse; fewer nodes than ranks
    for (int k = 0; k < COUNT_OF(shapes); k++) {
        mco_overlay *o = made(shapes[k][0], shapes[k][1]);
        const task tasks[] = {task_of(o, MCO_OVERLAY_METHOD_JUMP, 30), task_of(o, MCO_OVERLAY_METHOD_STD, 60),
                              task_of(o, MCO_OVERLAY_METHOD_DIST, 12)};
        for (int i = 0; i < COUNT_OF(tasks); i++)
            compare(&tasks[i]);
        mco_overlay_destroy(test_ctx, &o);
    }
}

static void reference_threads_and_gap(void **state)
{
    (void)state;
    mco_overlay *o = made(300, -1);
    task t = task_of(o, MCO_OVERLAY_METHOD_STD, 20);
    t.params.engine = MCO_ENGINE_REFERENCE;
    compare(&t);
    t = task_of(o, MCO_OVERLAY_METHOD_JUMP, 40);
    t.params.threads = 2;
    t.params.start = MCO_OVERLAY_START_AUTO;
    compare(&t);
    t.params.gap = 0.5;
    compare(&t);
    mco_overlay_destroy(test_ctx, &o);
}

// Where the time ends them, all ranks end after the same sweep.
static void time_limit(void **state)
{
    (void)state;
    ranks_member members[3];
    mco_overlay *o = made(1500, -1);
    task t = task_of(o, MCO_OVERLAY_METHOD_JUMP, 1000000);
    t.params.time_limit_s = 0.3;
    ranks_run(3, find_bound, &t, members);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(members[r].status, MCO_OK);
        assert_int_equal(results[r].stop, MCO_STOP_TIME);
        assert_equal_bounds(&results[r], &results[0], 1500);
    }
    for (int r = 0; r < 3; r++)
        mco_overlay_bound_result_clear(members[r].ctx, &results[r]);
    ranks_close(3, members);
    mco_overlay_destroy(test_ctx, &o);
}

// A cancel of one rank ends the first sweep of all, and each tells so.
static void cancel_and_find_bound(ranks_member *m)
{
    if (m->ranks.rank == 1)
        mco_cancel(m->ctx);
    find_bound(m);
}

static void cancel(void **state)
{
    (void)state;
    ranks_member members[3];
    mco_overlay *o = made(1500, -1);
    task t = task_of(o, MCO_OVERLAY_METHOD_JUMP, 50);
    ranks_run(3, cancel_and_find_bound, &t, members);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(members[r].status, MCO_OK);
        assert_int_equal(results[r].stop, MCO_STOP_CANCELLED);
        assert_equal_bounds(&results[r], &results[0], 1500);
    }
    for (int r = 0; r < 3; r++)
        mco_overlay_bound_result_clear(members[r].ctx, &results[r]);
    ranks_close(3, members);
    mco_overlay_destroy(test_ctx, &o);
}

static void refusals(void **state)
{
    (void)state;
    ranks_member members[2];
    mco_overlay *o = made(10, -1);
    task t = task_of(o, MCO_OVERLAY_METHOD_LP, 5);
    ranks_run(2, find_bound, &t, members);
    assert_int_equal(members[0].status, MCO_ERR_ARGUMENT);
    assert_string_equal(mco_context_error(members[1].ctx),
                        "the method lp runs in one process, 2 were started; jump, std and dist are shared");
    ranks_close(2, members);
    t.params.method = MCO_OVERLAY_METHOD_AUTO;
    t.params.asynchronous = 1;
    ranks_run(2, find_bound, &t, members);
    assert_string_equal(mco_context_error(members[0].ctx), "--asynchronous needs ranks that can send each other letters");
    ranks_close(2, members);
    t.params.asynchronous = 0;
    t.params.method = MCO_OVERLAY_METHOD_JUMP;
    t.params.engine = MCO_ENGINE_GPU;
    ranks_run(2, find_bound, &t, members);
    assert_int_equal(members[1].status, MCO_ERR_ARGUMENT);
    ranks_close(2, members);
    mco_overlay_destroy(test_ctx, &o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(every_method), TEST(reference_threads_and_gap), TEST(time_limit), TEST(cancel), TEST(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
