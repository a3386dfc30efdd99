// SPDX-License-Identifier: MIT
// The pool of workers: cores and GPUs on one tree, without a GPU. A mock stands for it, an explorer that
// holds many intervals (each searched by a CPU explorer of its own, in turns), goes on until it is called, and
// fails on request. Whoever searches, however often work changes hands or is written down and taken up
// again: the nodes are those of the published trees.
#include "test_support.h"

#include <math.h>
#include <pthread.h>

#include "base/clock.h"
#include "base/rng.h"
#include "flowshop/flowshop_engines.h"
#include "flowshop/flowshop_ref.h"
#include "mco/mco.h"

// ---- The mock

enum { MOCK_ROOM = 48, MOCK_NODES = 40 };

typedef struct mock {
    flowshop_search *search;
    const flowshop_explorer_ops *inner;  // of the cores
    flowshop_explorer *slots[MOCK_ROOM];
    bool is_used[MOCK_ROOM];
    int64_t cells;
    int64_t *children_by_depth;
    atomic_llong nodes;
    pthread_t thread;   // the worker's, from the first call on
    bool has_thread;
} mock;

// What the mocks of a test do and did.
static struct {
    int64_t fail_at;      // nodes of one mock; 0: never
    bool fails_to_open;
    double share_of_gpu, share_of_core;  // the last asked for by an idle worker of this kind
    atomic_int breaches;  // calls from another thread than the worker's
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
    m->inner = flowshop_variant_choose(MCO_FLOWSHOP_SIMD_AUTO, search->shop)->explorer;
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

// Like a kernel: a round over all slots, then a look at the flags.
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

// Whole intervals while it has several, then half of the last one.
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

static void prepare(solve_of_test *s, const mco_flowshop *shop, mco_flowshop_engine engine, int gpus, int threads,
                    int64_t upper_bound)
{
    const int32_t n = mco_flowshop_jobs(shop);
    *s = (solve_of_test){.params = MCO_FLOWSHOP_PARAMS_INIT};
    memset(&mocks, 0, sizeof mocks);
    s->params.engine = engine;
    s->run = (flowshop_run){.ctx = test_ctx, .shop = shop, .params = &s->params, .result = &s->result,
                            .variant = flowshop_variant_choose(MCO_FLOWSHOP_SIMD_AUTO, shop),
                            .bound = MCO_FLOWSHOP_LB1, .branching = MCO_FLOWSHOP_MINBRANCH,
                            .threads = threads, .gpu_count = gpus, .deadline_s = INFINITY,
                            .upper_bound = upper_bound, .fixed_bound = upper_bound};
    s->result.makespan = -1;
    s->result.children_columns = flowshop_children_columns(n);
    assert_ok(mco_alloc(test_ctx, &s->run.gpus, MCO_MAX_GPUS));
    assert_ok(mco_alloc(test_ctx, &s->result.children_by_depth, (n + 1) * s->result.children_columns));
    assert_ok(flowshop_checkpoint_create(test_ctx, n, &s->state));
    s->state.rule_bound = upper_bound;
    s->state.is_fixed = true;
}

static void begin_with_root(solve_of_test *s)
{
    flowshop_interval whole = {0};
    assert_ok(flowshop_interval_create(test_ctx, s->state.open.jobs, &whole));
    assert_ok(flowshop_intervals_add(test_ctx, &s->state.open, &whole));
    flowshop_interval_destroy(test_ctx, &whole);
}

static mco_status search(solve_of_test *s)
{
    static const flowshop_engine_setup setup = {
        .gpu_explorer = &mock_explorer, .cores_leg_s = 0.02, .gpus_leg_s = 0.03};
    return flowshop_search_tree_by(&s->run, &setup, &s->state, &s->is_proved, &s->stop);
}

static void end(solve_of_test *s)
{
    assert_int_equal(atomic_load(&mocks.breaches), 0);
    flowshop_checkpoint_destroy(test_ctx, &s->state);
    mco_free(test_ctx, &s->run.gpus);
    mco_flowshop_result_clear(test_ctx, &s->result);
}

static mco_flowshop *taillard(const char *name)
{
    mco_flowshop *shop = NULL;
    assert_ok(mco_flowshop_taillard(test_ctx, name, &shop));
    return shop;
}

// ---- Trees

typedef struct team {
    mco_flowshop_engine engine;
    int gpus, threads;
} team;

static const team teams[] = {
    {MCO_FLOWSHOP_ENGINE_CPU, 0, 2},    {MCO_FLOWSHOP_ENGINE_GPU, 1, 2},    {MCO_FLOWSHOP_ENGINE_GPU, 3, 1},
    {MCO_FLOWSHOP_ENGINE_HYBRID, 1, 1}, {MCO_FLOWSHOP_ENGINE_HYBRID, 1, 3}, {MCO_FLOWSHOP_ENGINE_HYBRID, 2, 2},
};

typedef struct tree {
    const char *name;
    mco_flowshop_bound bound;
    mco_flowshop_branching branching;
    int64_t upper_bound, nodes;
} tree;

static const tree trees[] = {
    {"ta011", MCO_FLOWSHOP_LB1, MCO_FLOWSHOP_MINMIN, 1582, 156873},
    {"ta011", MCO_FLOWSHOP_LB1, MCO_FLOWSHOP_MINBRANCH, 1582, 150678},
    {"ta020", MCO_FLOWSHOP_LB1, MCO_FLOWSHOP_MINBRANCH, 1591, 268812},
    {"ta020", MCO_FLOWSHOP_LB2, MCO_FLOWSHOP_MINMIN, 1591, 121893},
    {"ta030", MCO_FLOWSHOP_LB1, MCO_FLOWSHOP_MINBRANCH, 2178, 2415746},
};

static void test_published_trees(void **state)
{
    (void)state;
    for (int t = 0; t < COUNT_OF(trees); t++)
        for (int w = t < COUNT_OF(trees) - 1 ? 0 : 2; w < COUNT_OF(teams); w++) {  // the largest by the larger teams
            mco_flowshop *shop = taillard(trees[t].name);
            solve_of_test s;
            prepare(&s, shop, teams[w].engine, teams[w].gpus, teams[w].threads, trees[t].upper_bound);
            s.run.bound = trees[t].bound;
            s.run.branching = trees[t].branching;
            begin_with_root(&s);
            assert_ok(search(&s));
            assert_int_equal(s.result.nodes, trees[t].nodes);
            assert_int_equal(s.state.open.count, 0);
            assert_int_equal(s.stop, MCO_STOP_FINISHED);
            assert_int_equal(s.result.makespan, -1);
            assert_int_equal(s.result.bound, trees[t].upper_bound);
            assert_true(s.is_proved);
            assert_int_equal(s.result.engine, teams[w].engine);
            assert_true(s.result.device_s == 0.25 * teams[w].gpus);
            end(&s);
            mco_flowshop_destroy(test_ctx, &shop);
        }
}

// A tree above the optimum: whoever finds it, all prune by it.
static void test_optimum_is_found(void **state)
{
    (void)state;
    for (int w = 0; w < COUNT_OF(teams); w++) {
        mco_flowshop *shop = taillard("ta011");
        solve_of_test s;
        prepare(&s, shop, teams[w].engine, teams[w].gpus, teams[w].threads, 1583);
        begin_with_root(&s);
        assert_ok(search(&s));
        assert_int_equal(s.result.makespan, 1582);
        assert_int_equal(s.result.bound, 1582);
        end(&s);
        mco_flowshop_destroy(test_ctx, &shop);
    }
}

static int64_t nodes_by_reference(const mco_flowshop *shop, int64_t upper_bound)
{
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    mco_flowshop_result result = MCO_FLOWSHOP_RESULT_INIT;
    params.engine = MCO_FLOWSHOP_ENGINE_REFERENCE;
    params.upper_bound = upper_bound;
    assert_ok(mco_flowshop_solve(test_ctx, shop, &params, &result));
    const int64_t nodes = result.nodes;
    mco_flowshop_result_clear(test_ctx, &result);
    return nodes;
}

static int64_t optimum_by_reference(const mco_flowshop *shop)
{
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    mco_flowshop_result result = MCO_FLOWSHOP_RESULT_INIT;
    params.engine = MCO_FLOWSHOP_ENGINE_REFERENCE;
    assert_ok(mco_flowshop_solve(test_ctx, shop, &params, &result));
    const int64_t makespan = result.makespan;
    mco_flowshop_result_clear(test_ctx, &result);
    return makespan;
}

// Trees of a few nodes, more workers than intervals: mostly the search for work, and its end.
static void test_tiny_trees(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 31, 0);
    for (int round = 0; round < 60; round++) {
        mco_flowshop *shop = NULL;
        int64_t bound;
        assert_ok(mco_flowshop_generate(test_ctx, 1 + (int32_t)mco_rng_below(&rng, 9), 3, round + 1, &shop));
        assert_ok(mco_flowshop_lower_bound(test_ctx, shop, MCO_FLOWSHOP_LB1, &bound));
        const int64_t upper_bound = bound + 1 + mco_rng_below(&rng, 40);
        const team *w = &teams[round % COUNT_OF(teams)];
        solve_of_test s;
        // Without a schedule found on the way the nodes are those of the reference.
        prepare(&s, shop, w->engine, w->gpus, w->threads, bound);
        begin_with_root(&s);
        assert_ok(search(&s));
        assert_int_equal(s.result.nodes, nodes_by_reference(shop, bound));
        end(&s);
        prepare(&s, shop, w->engine, w->gpus, w->threads, upper_bound);
        begin_with_root(&s);
        assert_ok(search(&s));
        assert_true(s.is_proved);
        end(&s);
        mco_flowshop_destroy(test_ctx, &shop);
    }
}

// ---- Sharing

static void test_shares_follow_power(void **state)
{
    (void)state;
    mco_flowshop *shop = taillard("ta030");
    solve_of_test s;
    prepare(&s, shop, MCO_FLOWSHOP_ENGINE_HYBRID, 2, 2, 2178);
    begin_with_root(&s);
    assert_ok(search(&s));
    // Of two equal GPUs an idle one gets half, a core one part in 201.
    if (mocks.share_of_gpu != 0)
        assert_true(mocks.share_of_gpu == 0.5);
    if (mocks.share_of_core != 0)
        assert_true(fabs(mocks.share_of_core - 1.0 / 201) < 1e-12);
    assert_int_equal(s.result.nodes, 2415746);
    end(&s);
    mco_flowshop_destroy(test_ctx, &shop);
}

// A state of many intervals: all workers begin from it, and what they have not begun is in their notes.
static void test_many_intervals(void **state)
{
    (void)state;
    mco_flowshop *shop = taillard("ta020");
    for (int w = 0; w < COUNT_OF(teams); w++) {
        solve_of_test s;
        flowshop_interval piece = {0};
        prepare(&s, shop, teams[w].engine, teams[w].gpus, teams[w].threads, 1591);
        assert_ok(flowshop_interval_create(test_ctx, 20, &piece));
        for (int32_t first = 0; first < 20; first++)  // all pairs of the first two digits
            for (int32_t second = 0; second < 19; second++) {
                const bool is_last_of_first = second == 18, is_last = is_last_of_first && first == 19;
                piece.a[0] = first;
                piece.a[1] = second;
                piece.a_depth = first + second == 0 ? 0 : second == 0 ? 1 : 2;
                piece.b[0] = is_last_of_first ? first + 1 : first;
                piece.b[1] = second + 1;
                piece.b_depth = is_last ? 0 : is_last_of_first ? 1 : 2;
                assert_ok(flowshop_intervals_add(test_ctx, &s.state.open, &piece));
            }
        assert_ok(search(&s));
        assert_int_equal(s.result.nodes, 268812);
        flowshop_interval_destroy(test_ctx, &piece);
        end(&s);
    }
    mco_flowshop_destroy(test_ctx, &shop);
}

// ---- Notes and checkpoints

static void resume_from(solve_of_test *s, const char *path)
{
    assert_ok(flowshop_checkpoint_read(test_ctx, s->run.shop, path, &s->state));
    s->run.upper_bound = s->state.upper_bound;
}

// Legs cut by the clock, by one team after another; and the checkpoint before the last one of each leg, which
// was taken while the workers went on.
static void test_stop_and_resume(void **state)
{
    (void)state;
    mco_flowshop *shop = taillard("ta030");
    char path[200], before[220];
    snprintf(path, sizeof path, "%s", test_path("pool.ckpt"));
    snprintf(before, sizeof before, "%s.prev", path);
    int resumed = 0;
    bool is_done = false;
    for (int leg = 0; !is_done; leg++) {
        const team *w = &teams[leg % COUNT_OF(teams)];
        solve_of_test s;
        prepare(&s, shop, w->engine, w->gpus, w->threads, 2178);
        s.params.checkpoint = path;
        s.params.checkpoint_interval_s = 0.01;
        s.run.start_s = mco_clock_s();
        s.run.deadline_s = leg < 12 ? s.run.start_s + 0.06 : INFINITY;
        if (leg > 0 && leg % 2 == 1 && access(before, R_OK) == 0) {
            resume_from(&s, before);  // as after a crash: the last leg is lost in part
            resumed++;
        } else if (leg > 0) {
            resume_from(&s, path);
        } else {
            begin_with_root(&s);
        }
        assert_ok(search(&s));
        is_done = s.is_proved;
        assert_int_equal(s.stop, is_done ? MCO_STOP_FINISHED : MCO_STOP_TIME);
        if (is_done)
            assert_int_equal(s.result.nodes, 2415746);
        end(&s);
    }
    assert_true(resumed > 0);
    mco_flowshop_destroy(test_ctx, &shop);
}

// Legs cut short again and again, of many workers on few processors: when one ends, some are about to give work
// to others that leave. None is lost on the way.
static void test_nothing_is_lost_at_stops(void **state)
{
    (void)state;
    static const team crowds[] = {
        {MCO_FLOWSHOP_ENGINE_CPU, 0, 48}, {MCO_FLOWSHOP_ENGINE_CPU, 0, 48}, {MCO_FLOWSHOP_ENGINE_HYBRID, 3, 24}};
    mco_flowshop *shop = taillard("ta030");
    for (int c = 0; c < COUNT_OF(crowds); c++) {
        solve_of_test s;
        prepare(&s, shop, crowds[c].engine, crowds[c].gpus, crowds[c].threads, 2178);
        begin_with_root(&s);
        for (int leg = 0; !s.is_proved; leg++) {
            s.run.deadline_s = leg < 50 ? mco_clock_s() + 0.005 : INFINITY;
            assert_ok(search(&s));
        }
        assert_int_equal(s.result.nodes, 2415746);
        end(&s);
    }
    mco_flowshop_destroy(test_ctx, &shop);
}

// ---- Failing GPUs, failing memory

static void expect_text(const char *part)
{
    if (strstr(mco_context_error(test_ctx), part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", mco_context_error(test_ctx), part);
}

static void test_failure_keeps_the_search(void **state)
{
    (void)state;
    mco_flowshop *shop = taillard("ta020");
    const char *path = test_path("failed.ckpt");
    for (int w = 1; w < COUNT_OF(teams); w++) {
        solve_of_test s;
        prepare(&s, shop, teams[w].engine, teams[w].gpus, teams[w].threads, 1591);
        mocks.fail_at = 20000;
        s.params.checkpoint = path;
        begin_with_root(&s);
        mco_status st = search(&s);
        // The cores may have done nearly all.
        assert_true(st == MCO_ERR_DEVICE || teams[w].engine == MCO_FLOWSHOP_ENGINE_HYBRID);
        if (st == MCO_ERR_DEVICE) {
            expect_text("the mock failed as asked");
            expect_text("--resume");
        }
        end(&s);
        prepare(&s, shop, MCO_FLOWSHOP_ENGINE_CPU, 0, 2, 1591);
        resume_from(&s, path);
        assert_true(st == MCO_OK || s.state.open.count > 0);
        assert_ok(search(&s));
        assert_int_equal(s.result.nodes, 268812);
        end(&s);
    }
    mco_flowshop_destroy(test_ctx, &shop);
}

// The GPU fails, and the k-th allocation with it: the checkpoint, if there is one, still leads to the optimum.
static void test_failure_with_memory_short(void **state)
{
    (void)state;
    mco_flowshop *shop = NULL;
    const char *path = test_path("short.ckpt");
    int64_t optimum;
    assert_ok(mco_flowshop_generate(test_ctx, 9, 4, 1, &shop));
    optimum = optimum_by_reference(shop);
    bool has_failed = true;
    int kept = 0, lost = 0;
    for (long k = 1; has_failed; k++) {
        solve_of_test s;
        prepare(&s, shop, MCO_FLOWSHOP_ENGINE_GPU, 1, 1, 1000);
        mocks.fail_at = 1;
        s.params.checkpoint = path;
        begin_with_root(&s);
        unlink(path);
        test_fail_allocation(k);
        mco_status st = search(&s);
        has_failed = test_memory.calls >= k;
        test_fail_allocation(0);
        assert_true(st == MCO_ERR_DEVICE || (has_failed && st == MCO_ERR_MEMORY));
        end(&s);
        if (st == MCO_ERR_DEVICE) {
            expect_text("the mock failed as asked");
            const bool is_kept = access(path, R_OK) == 0;
            expect_text(is_kept ? "--resume" : "lost");
            kept += is_kept;
            lost += !is_kept;
        }
        if (access(path, R_OK) != 0)
            continue;
        prepare(&s, shop, MCO_FLOWSHOP_ENGINE_CPU, 0, 2, 1000);
        resume_from(&s, path);
        assert_ok(search(&s));
        assert_int_equal(s.run.upper_bound, optimum);
        end(&s);
    }
    assert_true(kept > 0 && lost > 0);
    mco_flowshop_destroy(test_ctx, &shop);
}

static void test_failure_without_checkpoint(void **state)
{
    (void)state;
    mco_flowshop *shop = taillard("ta011");
    solve_of_test s;
    prepare(&s, shop, MCO_FLOWSHOP_ENGINE_GPU, 2, 1, 1582);
    mocks.fail_at = 1000;
    begin_with_root(&s);
    assert_int_equal(search(&s), MCO_ERR_DEVICE);
    expect_text("--checkpoint");
    end(&s);
    prepare(&s, shop, MCO_FLOWSHOP_ENGINE_HYBRID, 2, 2, 1582);
    mocks.fails_to_open = true;
    begin_with_root(&s);
    assert_int_equal(search(&s), MCO_ERR_DEVICE);
    assert_string_equal(mco_context_error(test_ctx), "the mock cannot be opened");
    end(&s);
    mco_flowshop_destroy(test_ctx, &shop);
}

// The k-th allocation fails, for every k: a status, and nothing is left behind.
static void test_memory_fails(void **state)
{
    (void)state;
    mco_flowshop *shop = NULL;
    assert_ok(mco_flowshop_generate(test_ctx, 7, 4, 1, &shop));
    mco_status st = MCO_ERR_MEMORY;
    for (long k = 1; st == MCO_ERR_MEMORY; k++) {
        solve_of_test s;
        prepare(&s, shop, MCO_FLOWSHOP_ENGINE_HYBRID, 1, 1, 500);
        begin_with_root(&s);
        test_fail_allocation(k);
        st = search(&s);
        const bool has_failed = test_memory.calls >= k;
        test_fail_allocation(0);
        assert_int_equal(st, has_failed ? MCO_ERR_MEMORY : MCO_OK);
        end(&s);
    }
    mco_flowshop_destroy(test_ctx, &shop);
}

// ---- Engine auto

// Long enough for all its legs, or not: the tree is the same.
static void test_auto(void **state)
{
    (void)state;
    enum { WHOLE, LOSES_GPU, CANNOT_OPEN, HAS_NO_GPU, CASES };
    mco_flowshop *shop = taillard("ta030");
    for (int c = 0; c < CASES; c++) {
        solve_of_test s;
        prepare(&s, shop, MCO_FLOWSHOP_ENGINE_AUTO, 1, 1, 2178);
        mocks.fail_at = c == LOSES_GPU ? 50000 : 0;
        mocks.fails_to_open = c == CANNOT_OPEN;
        if (c == HAS_NO_GPU) {  // it looks, and finds what this machine has
            mco_free(test_ctx, &s.run.gpus);
            s.run.gpu_count = 0;
        }
        begin_with_root(&s);
        assert_ok(search(&s));
        assert_int_equal(s.result.nodes, 2415746);
        assert_true(s.is_proved);
        end(&s);
    }
    mco_flowshop_destroy(test_ctx, &shop);
}

// ---- Engines and what they refuse

typedef struct refusal {
    mco_flowshop_engine engine;
    const char *part;  // of the message
    mco_flowshop_method method;
    mco_flowshop_select select;
    const char *gpus, *checkpoint;
    int64_t pool_size, streams, block;  // 0: the default
} refusal;

static const refusal refusals[] = {
    {MCO_FLOWSHOP_ENGINE_CPU, "--gpus is \"0\", but cpu uses none", .gpus = "0"},
    {MCO_FLOWSHOP_ENGINE_REFERENCE, "but reference uses none", .gpus = "all"},
    {MCO_FLOWSHOP_ENGINE_AUTO, "but the heuristic uses none", .method = MCO_FLOWSHOP_HEURISTIC, .gpus = "0"},
    {MCO_FLOWSHOP_ENGINE_AUTO, "but --select best uses none", .select = MCO_FLOWSHOP_SELECT_BEST, .gpus = "0"},
    {MCO_FLOWSHOP_ENGINE_GPU, "engine gpu has no heuristic", .method = MCO_FLOWSHOP_HEURISTIC},
    {MCO_FLOWSHOP_ENGINE_HYBRID, "engine hybrid goes its own way", .select = MCO_FLOWSHOP_SELECT_BEST},
    {MCO_FLOWSHOP_ENGINE_GPU_TREE, "--engine auto, cpu, gpu or hybrid", .checkpoint = "c"},
    {MCO_FLOWSHOP_ENGINE_REFERENCE, "--engine auto, cpu, gpu or hybrid", .checkpoint = "c"},
    {MCO_FLOWSHOP_ENGINE_AUTO, "--pool is 7, but engine auto", .pool_size = 7},
    {MCO_FLOWSHOP_ENGINE_HYBRID, "--block is 64, but engine hybrid", .block = 64},
    {MCO_FLOWSHOP_ENGINE_REFERENCE, "--streams is 2, but engine is reference", .streams = 2},
    {MCO_FLOWSHOP_ENGINE_GPU_TREE, "--streams is 2, but engine is gpu-tree", .streams = 2},
};

static void test_refusals(void **state)
{
    (void)state;
    mco_flowshop *shop = taillard("ta001");
    for (int i = 0; i < COUNT_OF(refusals); i++) {
        const refusal *x = &refusals[i];
        mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
        mco_flowshop_result r = MCO_FLOWSHOP_RESULT_INIT;
        p.engine = x->engine;
        p.method = x->method;
        p.select = x->select;
        p.gpus = x->gpus;
        p.checkpoint = x->checkpoint;
        p.pool_size = x->pool_size > 0 ? x->pool_size : p.pool_size;
        p.streams = x->streams > 0 ? x->streams : p.streams;
        p.block = x->block > 0 ? x->block : p.block;
        assert_int_equal(mco_flowshop_solve(test_ctx, shop, &p, &r), MCO_ERR_ARGUMENT);
        expect_text(x->part);
    }
    mco_flowshop_destroy(test_ctx, &shop);
}

// Where there is no GPU, auto says so by using none, the others by failing.
static void test_without_gpus(void **state)
{
    (void)state;
    mco_gpu *gpus = NULL;
    int count;
    const char *reason;
    assert_ok(mco_alloc(test_ctx, &gpus, MCO_MAX_GPUS));
    assert_ok(mco_gpus_list(test_ctx, gpus, &count, &reason));
    mco_free(test_ctx, &gpus);
    if (count > 0)
        skip();
    mco_flowshop *shop = taillard("ta011");
    mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
    mco_flowshop_result r = MCO_FLOWSHOP_RESULT_INIT;
    p.upper_bound = 1582;
    for (mco_flowshop_engine e = MCO_FLOWSHOP_ENGINE_GPU; e <= MCO_FLOWSHOP_ENGINE_MULTI_GPU_FUNCTIONAL; e++) {
        p.engine = e;
        assert_int_equal(mco_flowshop_solve(test_ctx, shop, &p, &r), MCO_ERR_DEVICE);
        expect_text("no GPU");
    }
    p.engine = MCO_FLOWSHOP_ENGINE_AUTO;
    p.branching = MCO_FLOWSHOP_MINMIN;
    p.threads = 2;
    assert_ok(mco_flowshop_solve(test_ctx, shop, &p, &r));
    assert_int_equal(r.engine, MCO_FLOWSHOP_ENGINE_CPU);
    assert_int_equal(r.gpu_count, 0);
    assert_int_equal(r.nodes, 156873);
    mco_flowshop_result_clear(test_ctx, &r);
    p.gpus = "0";  // asked for by name
    assert_int_equal(mco_flowshop_solve(test_ctx, shop, &p, &r), MCO_ERR_DEVICE);
    mco_flowshop_destroy(test_ctx, &shop);
}

// ---- Lists of intervals

static void test_lists(void **state)
{
    (void)state;
    enum { JOBS = 6, COUNT = 100 };
    flowshop_intervals list = {.jobs = JOBS};
    flowshop_interval v = {0};
    assert_ok(flowshop_interval_create(test_ctx, JOBS, &v));
    for (int32_t i = 0; i < COUNT; i++) {
        v = (flowshop_interval){.a_depth = 1, .b_depth = JOBS, .a = v.a, .b = v.b, .bound = i};
        v.a[0] = v.b[JOBS - 1] = i;
        assert_ok(flowshop_intervals_add(test_ctx, &list, &v));
    }
    assert_ok(flowshop_intervals_reserve(test_ctx, &list, 10));  // never less than there is
    assert_true(list.room >= COUNT);
    assert_ok(flowshop_intervals_reserve(test_ctx, &list, 3 * COUNT));
    assert_int_equal(list.room, 3 * COUNT);
    const long calls = test_memory.calls;
    while (list.count < list.room)
        flowshop_interval_copy(&v, flowshop_intervals_push(&list));
    assert_int_equal(test_memory.calls, calls);
    for (int32_t i = 0; i < COUNT; i++) {
        assert_int_equal(list.items[i].bound, i);
        assert_int_equal(list.items[i].a[0], i);
        assert_int_equal(list.items[i].b[JOBS - 1], i);
    }
    for (long k = 1; k <= 2; k++) {  // a list that cannot grow stays as it is
        test_fail_allocation(k);
        assert_int_equal(flowshop_intervals_add(test_ctx, &list, &v), MCO_ERR_MEMORY);
        assert_int_equal(list.count, 3 * COUNT);
        assert_int_equal(list.items[COUNT - 1].bound, COUNT - 1);
    }
    test_fail_allocation(0);
    flowshop_intervals_clear(test_ctx, &list);
    assert_int_equal(list.room, 0);
    flowshop_interval_destroy(test_ctx, &v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_lists),
        TEST(test_published_trees),
        TEST(test_optimum_is_found),
        TEST(test_tiny_trees),
        TEST(test_shares_follow_power),
        TEST(test_many_intervals),
        TEST(test_stop_and_resume),
        TEST(test_nothing_is_lost_at_stops),
        TEST(test_failure_keeps_the_search),
        TEST(test_failure_with_memory_short),
        TEST(test_failure_without_checkpoint),
        TEST(test_memory_fails),
        TEST(test_auto),
        TEST(test_refusals),
        TEST(test_without_gpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
