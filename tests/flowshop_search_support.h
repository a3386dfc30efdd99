// SPDX-License-Identifier: MIT
// What the tests of the pool of workers share. A mock stands for a GPU: an explorer that holds many intervals, each
// searched by its own CPU explorer, in turns. It goes on until it is called, and fails on request.
#ifndef MCO_FLOWSHOP_SEARCH_SUPPORT_H
#define MCO_FLOWSHOP_SEARCH_SUPPORT_H

#include "test_support.h"

#include <math.h>
#include <pthread.h>

#include "flowshop/tree/engines.h"
#include "mco/mco.h"

// ---- The mock

enum { MOCK_ROOM = 48, MOCK_NODES = 40 };

typedef struct mock {
    flowshop_search *search;
    const flowshop_explorer_ops *inner;  // those of the cores
    flowshop_explorer *slots[MOCK_ROOM];
    bool is_used[MOCK_ROOM];
    int64_t cells;
    int64_t *children_by_depth;
    atomic_llong nodes;
    pthread_t thread;   // the worker's thread, known from the first call on
    bool has_thread;
} mock;

// What the mocks of a test must do, and what they did.
static struct {
    int64_t fail_at;      // after this many nodes of one mock; 0: never
    bool fails_to_open;
    double share_of_gpu, share_of_core;  // the share that an idle worker of this kind last asked for
    atomic_int breaches;  // calls from a thread other than the worker's
    atomic_int splits, calls;
} mocks;

static mock *of(const flowshop_explorer *x)
{
    return (mock *)(uintptr_t)(const void *)x;
}

static mock *enter(const flowshop_explorer *x)
{
    mock *m = of(x);
    if (!m->has_thread) {
        m->thread = pthread_self();
        m->has_thread = true;
    }
    if (!pthread_equal(m->thread, pthread_self()))
        atomic_fetch_add(&mocks.breaches, 1);
    return m;
}

static void mock_destroy(mco_context *ctx, flowshop_explorer **x)
{
    mock *m = of(*x);
    for (int i = 0; i < MOCK_ROOM; i++)
        if (m->slots[i] != NULL)
            m->inner->destroy(ctx, &m->slots[i]);
    mco_free(ctx, &m->children_by_depth);
    mco_free(ctx, x);
}

static mco_status mock_create(mco_context *ctx, flowshop_search *search, const mco_gpu *gpu, flowshop_explorer **out)
{
    mco_status st = MCO_OK;
    mock *m = NULL;
    flowshop_explorer *x = NULL;
    assert_non_null(gpu);
    if (mocks.fails_to_open)
        return mco_fail(ctx, MCO_ERR_DEVICE, "the mock cannot be opened");
    MCO_TRY(mco_alloc(ctx, &m, 1));
    x = (flowshop_explorer *)(void *)m;
    const int32_t n = mco_flowshop_jobs(search->shop);
    m->search = search;
    m->inner = flowshop_variant_choose(NULL, MCO_SIMD_AUTO, search->shop)->explorer;
    m->cells = ((int64_t)n + 1) * flowshop_children_columns(n);
    MCO_TRY(mco_alloc(ctx, &m->children_by_depth, m->cells));
    for (int i = 0; i < MOCK_ROOM; i++)
        MCO_TRY(m->inner->create(ctx, search, NULL, &m->slots[i]));
    *out = x;
    x = NULL;
done:
    if (x != NULL)
        mock_destroy(ctx, &x);
    return st;
}

static int64_t mock_room(const flowshop_explorer *x)
{
    (void)x;
    return MOCK_ROOM;
}

static void mock_unfold(flowshop_explorer *x, const flowshop_interval *intervals, int64_t count)
{
    mock *m = enter(x);
    for (int64_t i = 0; i < count; i++) {
        m->inner->unfold(m->slots[i], &intervals[i], 1);
        m->is_used[i] = true;
    }
}

static int64_t mock_nodes(const flowshop_explorer *x)
{
    return atomic_load(&of(x)->nodes);
}

// Works like a kernel: a round over all slots, then a look at the flags.
static flowshop_progress mock_explore(flowshop_explorer *x, int64_t nodes)
{
    mock *m = enter(x);
    (void)nodes;
    const int64_t begun = mock_nodes(x);
    if (mocks.fail_at > 0 && begun >= mocks.fail_at)
        return FLOWSHOP_WORK_FAILED;
    for (;;) {
        bool is_left = false;
        int64_t sum = 0;
        if (atomic_load(&m->search->must_stop) || (mocks.fail_at > 0 && mock_nodes(x) >= mocks.fail_at))
            return FLOWSHOP_WORK_LEFT;
        if (atomic_load(&m->search->calls) > 0) {
            atomic_fetch_add(&mocks.calls, 1);
            return FLOWSHOP_WORK_LEFT;
        }
        for (int i = 0; i < MOCK_ROOM; i++) {
            m->is_used[i] = m->is_used[i] && m->inner->explore(m->slots[i], MOCK_NODES) == FLOWSHOP_WORK_LEFT;
            is_left |= m->is_used[i];
            sum += m->inner->nodes(m->slots[i]);
        }
        atomic_store(&m->nodes, sum);
        if (!is_left)
            return FLOWSHOP_WORK_DONE;
    }
}

static void mock_fold(const flowshop_explorer *x, flowshop_intervals *out)
{
    const mock *m = enter(x);
    for (int i = 0; i < MOCK_ROOM; i++)
        if (m->is_used[i])
            m->inner->fold(m->slots[i], out);
}

// Gives whole intervals while it has several, then half of the last one.
static int64_t mock_split(flowshop_explorer *x, double share, int64_t room, flowshop_intervals *given)
{
    mock *m = enter(x);
    const int64_t before = given->count;
    int64_t used = 0;
    *(room == MOCK_ROOM ? &mocks.share_of_gpu : &mocks.share_of_core) = share;
    atomic_fetch_add(&mocks.splits, 1);
    for (int i = 0; i < MOCK_ROOM; i++)
        used += m->is_used[i];
    int64_t wanted = (int64_t)ceil(share * (double)used);
    wanted = wanted < room ? wanted : room;
    wanted = wanted < used - 1 ? wanted : used - 1;
    for (int i = MOCK_ROOM - 1; i >= 0 && given->count - before < wanted; i--)
        if (m->is_used[i]) {
            m->inner->fold(m->slots[i], given);
            m->is_used[i] = false;
        }
    for (int i = 0; i < MOCK_ROOM && given->count == before; i++)
        if (m->is_used[i])
            m->inner->split(m->slots[i], 0.5, 1, given);
    return given->count - before;
}

static const int64_t *mock_children_by_depth(const flowshop_explorer *x)
{
    mock *m = enter(x);
    memset(m->children_by_depth, 0, (size_t)m->cells * sizeof *m->children_by_depth);
    for (int i = 0; i < MOCK_ROOM; i++)
        for (int64_t c = 0; c < m->cells; c++)
            m->children_by_depth[c] += m->inner->children_by_depth(m->slots[i])[c];
    return m->children_by_depth;
}

static int64_t mock_leaves(const flowshop_explorer *x)
{
    const mock *m = enter(x);
    int64_t sum = 0;
    for (int i = 0; i < MOCK_ROOM; i++)
        sum += m->inner->leaves(m->slots[i]);
    return sum;
}

static mco_status mock_failure(const flowshop_explorer *x, const char **text)
{
    enter(x);
    *text = "the mock failed as asked";
    return MCO_ERR_DEVICE;
}

static double mock_device_s(const flowshop_explorer *x)
{
    enter(x);
    return 0.25;
}

static const flowshop_explorer_ops mock_explorer = {
    .name = "mock",
    .create = mock_create,
    .destroy = mock_destroy,
    .room = mock_room,
    .unfold = mock_unfold,
    .explore = mock_explore,
    .fold = mock_fold,
    .split = mock_split,
    .children_by_depth = mock_children_by_depth,
    .leaves = mock_leaves,
    .nodes = mock_nodes,
    .failure = mock_failure,
    .device_s = mock_device_s,
};

// ---- One search

typedef struct solve_of_test {
    mco_flowshop_params params;
    flowshop_run run;
    mco_flowshop_result result;
    flowshop_checkpoint state;
    bool is_proved;
    mco_stop stop;
} solve_of_test;

static TEST_UNUSED void prepare(solve_of_test *s, const mco_flowshop *shop, mco_engine engine, int gpus, int threads,
                    int64_t upper_bound)
{
    const int32_t n = mco_flowshop_jobs(shop);
    *s = (solve_of_test){.params = MCO_FLOWSHOP_PARAMS_INIT, .result = MCO_FLOWSHOP_RESULT_INIT};
    memset(&mocks, 0, sizeof mocks);
    s->params.engine = engine;
    s->run = (flowshop_run){.ctx = test_ctx, .shop = shop, .params = &s->params, .result = &s->result,
                            .variant = flowshop_variant_choose(NULL, MCO_SIMD_AUTO, shop),
                            .bound = MCO_FLOWSHOP_BOUND_LB1, .branching = MCO_FLOWSHOP_BRANCHING_MINBRANCH,
                            .threads = threads, .gpu_count = gpus, .upper_bound = upper_bound, .fixed_bound = upper_bound};
    s->run.run = mco_run_begin(
        test_ctx, &(mco_run_settings){.time_limit_s = (double)INFINITY, .target = -1, .objective = "makespan"});
    s->result.makespan = -1;
    s->result.children_columns = flowshop_children_columns(n);
    assert_ok(mco_alloc(test_ctx, &s->run.gpus, MCO_MAX_GPUS));
    assert_ok(mco_alloc(test_ctx, &s->result.children_by_depth, (n + 1) * s->result.children_columns));
    assert_ok(flowshop_checkpoint_create(test_ctx, n, &s->state));
    s->state.rule_bound = upper_bound;
    s->state.is_fixed = true;
}

static TEST_UNUSED void begin_with_root(solve_of_test *s)
{
    flowshop_interval whole = {0};
    assert_ok(flowshop_interval_create(test_ctx, s->state.open.jobs, &whole));
    assert_ok(flowshop_intervals_add(test_ctx, &s->state.open, &whole));
    flowshop_interval_destroy(test_ctx, &whole);
}

static TEST_UNUSED mco_status search(solve_of_test *s)
{
    static const flowshop_engine_setup setup = {
        .gpu_explorer = &mock_explorer, .cores_leg_s = 0.02, .gpus_leg_s = 0.03};
    return flowshop_search_tree_by(&s->run, &setup, &s->state, &s->is_proved, &s->stop);
}

static TEST_UNUSED void end(solve_of_test *s)
{
    assert_int_equal(atomic_load(&mocks.breaches), 0);
    flowshop_checkpoint_destroy(test_ctx, &s->state);
    mco_free(test_ctx, &s->run.gpus);
    mco_run_clear(&s->run.run);
    mco_flowshop_result_clear(test_ctx, &s->result);
}

static mco_flowshop *taillard(const char *name)
{
    mco_flowshop *shop = NULL;
    assert_ok(mco_flowshop_taillard(test_ctx, name, &shop));
    return shop;
}

static TEST_UNUSED void expect_text(const char *part)
{
    if (strstr(mco_context_error(test_ctx), part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", mco_context_error(test_ctx), part);
}

// ---- Who searches

typedef struct team {
    mco_engine engine;
    int gpus, threads;
} team;

static const team teams[] = {
    {MCO_ENGINE_CPU, 0, 2},    {MCO_ENGINE_GPU, 1, 2},    {MCO_ENGINE_GPU, 3, 1},
    {MCO_ENGINE_HYBRID, 1, 1}, {MCO_ENGINE_HYBRID, 1, 3}, {MCO_ENGINE_HYBRID, 2, 2},
};

#endif
