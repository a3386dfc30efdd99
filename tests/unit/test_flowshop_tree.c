// SPDX-License-Identifier: MIT
// The tree search: node counts of published instances, parity of every engine, rule, bound, vector
// unit and lane width with the reference, intervals, checkpoints.
#include "test_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "flowshop/tree/checkpoint.h"
#include "flowshop/tree/explorer.h"
#include "flowshop/tree/ref.h"
#include "flowshop/variants.h"
#include "mco/mco.h"

static mco_context *ctx;

static int set_up(void **state)
{
    (void)state;
    return mco_context_create(&ctx, NULL) == MCO_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    mco_context_destroy(&ctx);
    return 0;
}

// Random times 0..largest. The instance has a seed that a message can repeat.
static mco_flowshop *random_shop(mco_rng *rng, int32_t n, int32_t m, int32_t largest)
{
    mco_flowshop *shop = NULL;
    int32_t *times = calloc((size_t)(n * m) + 1, sizeof *times);
    for (int32_t c = 0; c < n * m; c++)
        times[c] = (int32_t)mco_rng_below(rng, (uint32_t)largest + 1);
    assert_int_equal(mco_flowshop_create(ctx, n, m, times, &shop), MCO_OK);
    free(times);
    return shop;
}

static mco_flowshop_result solve(const mco_flowshop *shop, mco_flowshop_params p)
{
    mco_flowshop_result r = MCO_FLOWSHOP_RESULT_INIT;
    mco_status st = mco_flowshop_solve(ctx, shop, &p, &r);
    if (st != MCO_OK)
        print_message("%s\n", mco_context_error(ctx));
    assert_int_equal(st, MCO_OK);
    return r;
}

// ---- Published trees, with the optimum (or the bound given) known

typedef struct tree {
    const char *name;
    mco_flowshop_bound bound;
    mco_flowshop_branching branching;
    int64_t upper_bound;  // -1: the optimum
    int64_t nodes, leaves;
} tree;

static const tree trees[] = {
    {"ta011", MCO_FLOWSHOP_BOUND_LB1, MCO_FLOWSHOP_BRANCHING_MINMIN, -1, 156873, 36},
    {"ta020", MCO_FLOWSHOP_BOUND_LB1, MCO_FLOWSHOP_BRANCHING_MINMIN, -1, 288357, 0},
    {"ta030", MCO_FLOWSHOP_BOUND_LB1, MCO_FLOWSHOP_BRANCHING_MINMIN, -1, 2742968, 53},
    {"ta011", MCO_FLOWSHOP_BOUND_LB1, MCO_FLOWSHOP_BRANCHING_MINBRANCH, -1, 150678, -1},
    {"ta020", MCO_FLOWSHOP_BOUND_LB1, MCO_FLOWSHOP_BRANCHING_MINBRANCH, -1, 268812, -1},
    {"ta030", MCO_FLOWSHOP_BOUND_LB1, MCO_FLOWSHOP_BRANCHING_MINBRANCH, -1, 2415746, 32},
    {"ta056", MCO_FLOWSHOP_BOUND_LB1, MCO_FLOWSHOP_BRANCHING_MINBRANCH, 3640, 285384, -1},
    {"ta020", MCO_FLOWSHOP_BOUND_LB2, MCO_FLOWSHOP_BRANCHING_MINMIN, -1, 121893, 0},
};

static void test_published_trees(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof trees / sizeof trees[0]; i++) {
        const tree *t = &trees[i];
        mco_flowshop *shop = NULL;
        int64_t best, bound;
        if (TEST_IS_SANITIZED && t->nodes > 1000000)
            continue;
        assert_int_equal(mco_flowshop_taillard(ctx, t->name, &shop), MCO_OK);
        mco_flowshop_best_known(shop, &best, &bound);
        mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
        p.bound = t->bound;
        p.branching = t->branching;
        p.upper_bound = t->upper_bound >= 0 ? t->upper_bound : best;
        p.threads = 1 + (int)(i % 3);
        mco_flowshop_result r = solve(shop, p);
        assert_int_equal(r.nodes, t->nodes);
        if (t->leaves >= 0)
            assert_int_equal(r.leaves, t->leaves);
        assert_int_equal(r.outcome, MCO_OUTCOME_NONE_BELOW);
        assert_int_equal(r.bound, p.upper_bound);
        assert_int_equal(r.makespan, -1);
        mco_flowshop_result_clear(ctx, &r);
        mco_flowshop_destroy(ctx, &shop);
    }
}

// ---- Parity with the reference on whole trees

static int64_t best_by_enumeration(const mco_flowshop *shop)
{
    int32_t n = mco_flowshop_jobs(shop), order[8], counter[8] = {0};
    int64_t best = INT64_MAX, makespan;
    for (int32_t j = 0; j < n; j++)
        order[j] = j;
    for (int32_t i = 0;;) {  // Heap's permutations
        mco_flowshop_check(ctx, shop, order, n, &makespan);
        best = makespan < best ? makespan : best;
        while (i < n && counter[i] >= i)
            counter[i++] = 0;
        if (i >= n)
            return best;
        int32_t other = i % 2 == 0 ? 0 : counter[i], held = order[other];
        order[other] = order[i];
        order[i] = held;
        counter[i]++;
        i = 0;
    }
}

static void compare(const mco_flowshop_result *a, const mco_flowshop_result *b, int32_t n)
{
    assert_int_equal(a->nodes, b->nodes);
    assert_int_equal(a->leaves, b->leaves);
    assert_int_equal(a->bounds, b->bounds);
    assert_int_equal(a->bound, b->bound);
    assert_int_equal(a->outcome, b->outcome);
    assert_memory_equal(a->children_by_depth, b->children_by_depth,
                        (size_t)((n + 1) * a->children_columns) * sizeof *a->children_by_depth);
}

static void test_parity_on_whole_trees(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 20, 0);
    for (int round = 0; round < (TEST_IS_SANITIZED ? 24 : 60); round++) {
        int32_t n = 1 + (int32_t)mco_rng_below(&rng, 7), m = 1 + (int32_t)mco_rng_below(&rng, 6);
        // Every third instance needs 32-bit lanes.
        mco_flowshop *shop = random_shop(&rng, n, m, round % 3 == 0 ? 9000 : round % 3 == 1 ? 12 : 1);
        int64_t optimum = best_by_enumeration(shop);
        for (int rule = MCO_FLOWSHOP_BRANCHING_FORWARD; rule <= MCO_FLOWSHOP_BRANCHING_MAXSUM; rule++)
            for (int bound = MCO_FLOWSHOP_BOUND_LB1; bound <= MCO_FLOWSHOP_BOUND_LB2; bound++) {
                mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
                p.branching = (mco_flowshop_branching)rule;
                p.bound = (mco_flowshop_bound)bound;
                p.upper_bound = optimum;
                p.engine = MCO_ENGINE_REFERENCE;
                mco_flowshop_result expected = solve(shop, p);
                assert_int_equal(expected.outcome, MCO_OUTCOME_NONE_BELOW);
                p.engine = MCO_ENGINE_CPU;
                p.threads = 1 + round % 4;
                for (int simd = MCO_SIMD_AUTO; simd <= MCO_SIMD_PORTABLE; simd++) {
                    p.simd = (mco_simd)simd;
                    if (flowshop_variant_choose(NULL, p.simd, shop) == NULL)
                        continue;
                    mco_flowshop_result r = solve(shop, p);
                    compare(&expected, &r, n);
                    mco_flowshop_result_clear(ctx, &r);
                }
                p.simd = MCO_SIMD_AUTO;
                p.select = MCO_FLOWSHOP_SELECT_BEST;
                mco_flowshop_result best_first = solve(shop, p);
                compare(&expected, &best_first, n);
                mco_flowshop_result_clear(ctx, &best_first);
                // One above the optimum: the search must find the optimum and prove it.
                p.select = MCO_FLOWSHOP_SELECT_DEPTH;
                p.upper_bound = optimum + 1;
                mco_flowshop_result found = solve(shop, p);
                assert_int_equal(found.makespan, optimum);
                assert_int_equal(found.outcome, MCO_OUTCOME_OPTIMAL);
                mco_flowshop_result_clear(ctx, &found);
                mco_flowshop_result_clear(ctx, &expected);
            }
        mco_flowshop_destroy(ctx, &shop);
    }
}

// ---- Parity of single nodes at sizes whose trees are too large

static void ignore_found(flowshop_search *search, int64_t makespan, const int32_t *order)
{
    (void)search;
    (void)makespan;
    (void)order;
}

// Walks the first `left` nodes of the tree in depth-first order, by the reference.
static void first_nodes(flowshop_ref *ref, const flowshop_node *v, int64_t incumbent, int64_t *left, int64_t *rows)
{
    const int32_t n = ref->shop->jobs, children = n - v->front - v->back, columns = flowshop_children_columns(n);
    if (children <= 1 || *left < 0)
        return;
    bool in_front = flowshop_ref_decompose(ref, v);
    int64_t *kept = calloc((size_t)children, sizeof *kept), survivors = 0;
    memcpy(kept, in_front ? ref->front_bounds : ref->back_bounds, (size_t)children * sizeof *kept);
    for (int32_t c = 0; c < children; c++)
        survivors += kept[c] < incumbent;
    if (v->front + v->back > 0) {
        (*left)--;
        if (*left >= 0)
            rows[(int64_t)(v->front + v->back) * columns + (survivors < columns ? survivors : columns - 1)]++;
    }
    flowshop_node child = {.order = calloc((size_t)n, sizeof *child.order)};
    for (int32_t c = 0; c < children && *left > 0; c++)
        if (kept[c] < incumbent) {
            flowshop_ref_child(ref, v, c, in_front, &child);
            first_nodes(ref, &child, incumbent, left, rows);
        }
    free(child.order);
    free(kept);
}

static void test_parity_of_first_nodes(void **state)
{
    (void)state;
    static const int32_t sizes[][2] = {{15, 5},  {16, 10}, {17, 20}, {20, 20}, {31, 3},  {32, 20},
                                       {33, 10}, {50, 20}, {64, 5},  {65, 20}, {67, 33}, {130, 7},
                                       {200, 20}, {300, 2}, {40, 1},  {90, 40}};
    mco_rng rng;
    mco_rng_seed(&rng, 21, 0);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const int32_t n = sizes[s][0], m = sizes[s][1];
        if (TEST_IS_SANITIZED && n * m > 2500)
            continue;
        for (int round = 0; round < 4; round++) {
            const bool is_lb2 = round % 2 == 1;
            mco_flowshop *shop = random_shop(&rng, n, m, round < 2 ? 99 : 60000);
            int64_t bound, count = (is_lb2 ? 12 : 60) / (TEST_IS_SANITIZED ? 4 : 1);
            mco_flowshop_lower_bound(ctx, shop, MCO_FLOWSHOP_BOUND_LB1, &bound);
            mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
            mco_flowshop_result result = {.upper_bound_used = bound + bound / 12};
            flowshop_run run = {.ctx = ctx, .shop = shop, .params = &params, .result = &result,
                                .bound = is_lb2 ? MCO_FLOWSHOP_BOUND_LB2 : MCO_FLOWSHOP_BOUND_LB1,
                                .branching = round < 2 ? MCO_FLOWSHOP_BRANCHING_MINBRANCH : MCO_FLOWSHOP_BRANCHING_MINMIN,
                                .run.stop_s = INFINITY};
            flowshop_ref ref;
            assert_int_equal(flowshop_ref_create(&run, &ref), MCO_OK);
            int64_t cells = (int64_t)(n + 1) * flowshop_children_columns(n), left = count;
            int64_t *rows = calloc((size_t)cells, sizeof *rows);
            flowshop_node root = {.order = calloc((size_t)n, sizeof *root.order)};
            for (int32_t j = 0; j < n; j++)
                root.order[j] = j;
            first_nodes(&ref, &root, result.upper_bound_used, &left, rows);
            for (int simd = MCO_SIMD_AVX512; simd <= MCO_SIMD_PORTABLE; simd++) {
                const flowshop_variant *v = flowshop_variant_choose(NULL, (mco_simd)simd, shop);
                if (v == NULL)
                    continue;
                flowshop_search search = {.shop = shop, .bound = run.bound, .branching = run.branching,
                                          .rule_bound = result.upper_bound_used, .found = ignore_found,
                                          .johnson = is_lb2 ? &ref.johnson : NULL};
                atomic_init(&search.incumbent, result.upper_bound_used);
                flowshop_explorer *x = NULL;
                flowshop_interval whole;
                assert_int_equal(v->explorer->create(ctx, &search, NULL, &x), MCO_OK);
                assert_int_equal(flowshop_interval_create(ctx, n, &whole), MCO_OK);
                v->explorer->unfold(x, &whole, 1);
                flowshop_progress progress = v->explorer->explore(x, count);
                assert_int_equal(v->explorer->nodes(x), count - (left > 0 ? left : 0));
                assert_true(progress == FLOWSHOP_WORK_LEFT || progress == FLOWSHOP_WORK_DONE);
                assert_memory_equal(v->explorer->children_by_depth(x), rows, (size_t)cells * sizeof *rows);
                v->explorer->destroy(ctx, &x);
                flowshop_interval_destroy(ctx, &whole);
            }
            free(root.order);
            free(rows);
            flowshop_ref_destroy(ctx, &ref);
            mco_flowshop_destroy(ctx, &shop);
        }
    }
}

// ---- Intervals

// One explorer is folded, split and unfolded at random; the sum of the nodes must be the tree.
static void test_intervals_partition_the_tree(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 22, 0);
    mco_flowshop *shop = NULL;
    assert_int_equal(mco_flowshop_taillard(ctx, "ta011", &shop), MCO_OK);
    const int32_t n = mco_flowshop_jobs(shop);
    const flowshop_variant *v = flowshop_variant_choose(NULL, MCO_SIMD_AUTO, shop);
    flowshop_search search = {.shop = shop, .bound = MCO_FLOWSHOP_BOUND_LB1, .branching = MCO_FLOWSHOP_BRANCHING_MINBRANCH,
                              .rule_bound = 1582, .found = ignore_found};
    atomic_init(&search.incumbent, 1582);
    flowshop_intervals open = {.jobs = n}, rest = {.jobs = n};
    flowshop_interval piece;
    flowshop_explorer *x = NULL;
    assert_int_equal(v->explorer->create(ctx, &search, NULL, &x), MCO_OK);
    assert_int_equal(v->explorer->room(x), 1);
    assert_int_equal(flowshop_interval_create(ctx, n, &piece), MCO_OK);
    assert_int_equal(flowshop_intervals_add(ctx, &open, &piece), MCO_OK);
    assert_int_equal(flowshop_intervals_reserve(ctx, &rest, 2), MCO_OK);
    while (open.count > 0) {
        int64_t which = mco_rng_below(&rng, (uint32_t)open.count);
        flowshop_interval_copy(&open.items[which], &piece);
        open.count--;
        flowshop_interval_copy(&open.items[open.count], &open.items[which]);
        v->explorer->unfold(x, &piece, 1);
        flowshop_progress progress = v->explorer->explore(x, mco_rng_below(&rng, 3000));
        rest.count = 0;
        int64_t given = open.count < 20 ? v->explorer->split(x, 0.5, 1, &rest) : 0;
        assert_int_equal(given, rest.count);
        v->explorer->fold(x, &rest);
        assert_true(rest.count == given || progress == FLOWSHOP_WORK_LEFT);
        for (int64_t i = 0; i < rest.count; i++)
            assert_int_equal(flowshop_intervals_add(ctx, &open, &rest.items[i]), MCO_OK);
    }
    int64_t nodes = 0;
    const int64_t *rows = v->explorer->children_by_depth(x);
    for (int64_t c = 0; c < (int64_t)(n + 1) * (n + 1); c++)
        nodes += rows[c];
    assert_int_equal(nodes, 150678);
    assert_int_equal(v->explorer->nodes(x), nodes);
    flowshop_interval_destroy(ctx, &piece);
    flowshop_intervals_clear(ctx, &rest);
    flowshop_intervals_clear(ctx, &open);
    v->explorer->destroy(ctx, &x);
    mco_flowshop_destroy(ctx, &shop);
}

static void test_user_intervals_add_up(void **state)
{
    (void)state;
    static const char *const cuts[] = {"", "0.3", "2", "2.0.0.5", "7.11.3", "12.1", "19.18.17", ""};
    mco_flowshop *shop = NULL;
    int64_t nodes = 0, leaves = 0;
    assert_int_equal(mco_flowshop_taillard(ctx, "ta011", &shop), MCO_OK);
    for (size_t i = 0; i + 1 < sizeof cuts / sizeof cuts[0]; i++) {
        char interval[64];
        snprintf(interval, sizeof interval, "%s,%s", cuts[i], cuts[i + 1]);
        mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
        p.upper_bound = 1582;
        p.branching = MCO_FLOWSHOP_BRANCHING_MINBRANCH;
        p.interval = interval;
        p.threads = 2;
        mco_flowshop_result r = solve(shop, p);
        nodes += r.nodes;
        leaves += r.leaves;
        assert_int_equal(r.stop, MCO_STOP_FINISHED);
        assert_int_equal(r.outcome, MCO_OUTCOME_UNKNOWN);  // a slice proves nothing about the whole tree
        mco_flowshop_result_clear(ctx, &r);
    }
    assert_int_equal(nodes, 150678);
    assert_int_equal(leaves, 53);
    mco_flowshop_destroy(ctx, &shop);
}

static void test_bad_intervals(void **state)
{
    (void)state;
    static const char *const bad[] = {"3", "20,", "1.19,", "x,", "3,2", "2,2", "2,2.0", "1,2,3", "-1,", "0.,0.0"};
    mco_flowshop *shop = NULL;
    assert_int_equal(mco_flowshop_taillard(ctx, "ta001", &shop), MCO_OK);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
        mco_flowshop_result r = MCO_FLOWSHOP_RESULT_INIT;
        p.upper_bound = 1278;
        p.interval = bad[i];
        if (mco_flowshop_solve(ctx, shop, &p, &r) != MCO_ERR_ARGUMENT)
            fail_msg("\"%s\" was accepted", bad[i]);
        assert_true(strlen(mco_context_error(ctx)) > 0);
    }
    mco_flowshop_destroy(ctx, &shop);
}

// ---- Checkpoints

static void test_stop_and_resume(void **state)
{
    (void)state;
    mco_flowshop *shop = NULL;
    int64_t resumed = 0;
    char path[64];
    snprintf(path, sizeof path, "test_flowshop_tree-%ld.ckpt", (long)getpid());
    assert_int_equal(mco_flowshop_taillard(ctx, "ta030", &shop), MCO_OK);
    mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
    p.upper_bound = 2178;
    p.branching = MCO_FLOWSHOP_BRANCHING_MINMIN;
    p.threads = 3;
    p.checkpoint = path;
    p.checkpoint_interval_s = 0.01;
    p.time_limit_s = 0.03;
    mco_flowshop_result r = solve(shop, p);
    p.resume = path;
    int legs = 1;
    for (; r.stop == MCO_STOP_TIME; legs++) {
        assert_int_equal(r.nodes_resumed, resumed);
        resumed = r.nodes;
        mco_flowshop_result_clear(ctx, &r);
        p.threads = 1 + legs % 3;
        p.time_limit_s = legs > 3 ? INFINITY : 0.03;
        r = solve(shop, p);
    }
    assert_int_equal(r.nodes, 2742968);
    assert_int_equal(r.leaves, 53);
    assert_int_equal(r.outcome, MCO_OUTCOME_NONE_BELOW);
    mco_flowshop_result_clear(ctx, &r);
    // A finished search resumes with the same answer at once.
    r = solve(shop, p);
    assert_int_equal(r.nodes, 2742968);
    assert_int_equal(r.nodes_resumed, 2742968);
    assert_int_equal(r.outcome, MCO_OUTCOME_NONE_BELOW);
    mco_flowshop_result_clear(ctx, &r);
    mco_flowshop_destroy(ctx, &shop);
    unlink(path);
    strcat(path, ".prev");
    unlink(path);
}

// The checkpoint stores the protocol: resumed without --upper-bound, the search ends as it began.
static void test_resume_of_the_protocol(void **state)
{
    (void)state;
    mco_flowshop *shop = NULL;
    char path[64];
    snprintf(path, sizeof path, "test_flowshop_protocol-%ld.ckpt", (long)getpid());
    assert_int_equal(mco_flowshop_taillard(ctx, "ta011", &shop), MCO_OK);
    mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
    p.upper_bound = 1582;
    p.checkpoint = path;
    p.time_limit_s = 0;
    mco_flowshop_result r = solve(shop, p);
    assert_int_equal(r.stop, MCO_STOP_TIME);
    assert_int_equal(r.outcome, MCO_OUTCOME_UNKNOWN);
    mco_flowshop_result_clear(ctx, &r);
    for (int leg = 0; leg < 2; leg++) {  // the second leg finds nothing left
        mco_flowshop_params q = MCO_FLOWSHOP_PARAMS_INIT;
        q.checkpoint = q.resume = path;
        q.time_limit_s = leg == 0 ? INFINITY : 0;
        r = solve(shop, q);
        assert_int_equal(r.outcome, MCO_OUTCOME_NONE_BELOW);
        assert_int_equal(r.bound, 1582);
        assert_int_equal(r.nodes, 150678);
        mco_flowshop_result_clear(ctx, &r);
    }
    mco_flowshop_destroy(ctx, &shop);
    unlink(path);
    strcat(path, ".prev");
    unlink(path);
}

static int stop_at_incumbent(const mco_progress *progress, void *user)
{
    (void)user;
    return progress->event == MCO_EVENT_INCUMBENT;
}

static void test_callback_stops(void **state)
{
    (void)state;
    mco_flowshop *shop = NULL;
    assert_int_equal(mco_flowshop_taillard(ctx, "ta021", &shop), MCO_OK);
    mco_context_set_callback(ctx, stop_at_incumbent, NULL);
    mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
    mco_flowshop_result r = solve(shop, p);
    mco_context_set_callback(ctx, NULL, NULL);
    assert_int_equal(r.stop, MCO_STOP_CANCELLED);
    assert_int_equal(r.outcome, MCO_OUTCOME_FEASIBLE);
    mco_flowshop_result_clear(ctx, &r);
    mco_cancel(ctx);  // a request made just before is honoured
    r = solve(shop, p);
    assert_int_equal(r.stop, MCO_STOP_CANCELLED);
    mco_flowshop_result_clear(ctx, &r);
    mco_flowshop_destroy(ctx, &shop);
}

static void expect_refused(const mco_flowshop *shop, const mco_flowshop_params *p, const char *part)
{
    mco_flowshop_result r = MCO_FLOWSHOP_RESULT_INIT;
    assert_int_equal(mco_flowshop_solve(ctx, shop, p, &r), MCO_ERR_PARSE);
    if (strstr(mco_context_error(ctx), part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", mco_context_error(ctx), part);
}

static void test_wrong_checkpoints(void **state)
{
    (void)state;
    mco_flowshop *shop = NULL, *other = NULL;
    char path[64];
    snprintf(path, sizeof path, "test_flowshop_wrong-%ld.ckpt", (long)getpid());
    assert_int_equal(mco_flowshop_taillard(ctx, "ta020", &shop), MCO_OK);
    assert_int_equal(mco_flowshop_taillard(ctx, "ta019", &other), MCO_OK);
    mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
    p.upper_bound = 1591;
    p.checkpoint = path;
    p.time_limit_s = 0.002;
    mco_flowshop_result r = solve(shop, p);
    mco_flowshop_result_clear(ctx, &r);
    mco_flowshop_params q = MCO_FLOWSHOP_PARAMS_INIT;
    q.resume = path;
    expect_refused(other, &q, "another instance");
    q.bound = MCO_FLOWSHOP_BOUND_LB2;
    expect_refused(shop, &q, "--bound");
    q.bound = MCO_FLOWSHOP_BOUND_AUTO;
    q.branching = MCO_FLOWSHOP_BRANCHING_MAXSUM;
    expect_refused(shop, &q, "--branching");
    q.branching = MCO_FLOWSHOP_BRANCHING_AUTO;
    q.upper_bound = 1592;
    expect_refused(shop, &q, "upper bound");
    q.upper_bound = -1;
    // A file cut at any length, or with any byte changed, is refused.
    FILE *file = fopen(path, "r");
    static char data[1 << 16];
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    for (size_t cut = 0; cut < size; cut += 1 + size / 97) {
        file = fopen(path, "w");
        fwrite(data, 1, cut, file);
        fclose(file);
        expect_refused(shop, &q, "");
    }
    for (size_t at = 0; at < size; at += 1 + size / 97) {
        data[at] ^= 2;
        file = fopen(path, "w");
        fwrite(data, 1, size, file);
        fclose(file);
        data[at] ^= 2;
        expect_refused(shop, &q, "");
    }
    unlink(path);
    mco_flowshop_destroy(ctx, &other);
    mco_flowshop_destroy(ctx, &shop);
}

// ---- Bounds

static void test_bounds_of_the_example(void **state)
{
    (void)state;
    // Chakroun (2013), figure 2.1: three jobs, four machines.
    static const int32_t times[] = {5, 2, 1, 3, 2, 3, 4, 1, 5, 1, 4, 2};
    mco_flowshop *shop = NULL;
    int64_t bound;
    assert_int_equal(mco_flowshop_create(ctx, 3, 4, times, &shop), MCO_OK);
    assert_int_equal(mco_flowshop_lower_bound(ctx, shop, MCO_FLOWSHOP_BOUND_LB2, &bound), MCO_OK);
    assert_int_equal(bound, 16);
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    mco_flowshop_result result = {.upper_bound_used = 1000};
    flowshop_run run = {.ctx = ctx, .shop = shop, .params = &params, .result = &result, .bound = MCO_FLOWSHOP_BOUND_LB2,
                        .branching = MCO_FLOWSHOP_BRANCHING_FORWARD, .run.stop_s = INFINITY};
    flowshop_ref ref;
    assert_int_equal(flowshop_ref_create(&run, &ref), MCO_OK);
    int32_t order[] = {0, 1, 2};
    flowshop_node root = {.order = order};
    int32_t child_order[3];
    flowshop_node child = {.order = child_order};
    static const int64_t first[] = {20, 17, 16}, last[] = {15, 18, 20};
    for (int c = 0; c < 3; c++) {
        flowshop_ref_child(&ref, &root, c, true, &child);
        assert_int_equal(flowshop_ref_pairs_bound(&ref, &child), first[c]);
        flowshop_ref_child(&ref, &root, c, false, &child);
        assert_int_equal(flowshop_ref_pairs_bound(&ref, &child), last[c]);
    }
    flowshop_ref_destroy(ctx, &ref);
    mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
    mco_flowshop_result r = solve(shop, p);
    assert_int_equal(r.makespan, 16);
    assert_int_equal(r.outcome, MCO_OUTCOME_OPTIMAL);
    mco_flowshop_result_clear(ctx, &r);
    mco_flowshop_destroy(ctx, &shop);
}

// The lower bounds in the headers of Taillard's files, ta001 to ta120.
static void test_one_machine_bounds_at_the_root(void **state)
{
    (void)state;
    static const int64_t published[] = {
        1232, 1290, 1073, 1268, 1198, 1180, 1226, 1170, 1206, 1082,
        1448, 1479, 1407, 1308, 1325, 1290, 1388, 1363, 1472, 1356,
        1911, 1711, 1844, 1810, 1899, 1875, 1875, 1880, 1840, 1900,
        2712, 2808, 2596, 2740, 2837, 2793, 2689, 2667, 2527, 2776,
        2907, 2821, 2801, 2968, 2908, 2941, 3062, 2959, 2795, 3046,
        3480, 3424, 3351, 3336, 3313, 3460, 3427, 3383, 3457, 3438,
        5437, 5208, 5130, 4963, 5195, 5063, 5198, 5038, 5385, 5272,
        5759, 5345, 5623, 5732, 5431, 5246, 5523, 5556, 5779, 5830,
        5851, 6099, 6099, 6072, 6009, 6144, 5991, 6084, 5979, 6298,
        10816, 10422, 10886, 10794, 10437, 10255, 10761, 10663, 10348, 10616,
        10979, 10947, 11150, 11127, 11132, 11085, 11194, 11126, 10965, 11122,
        25922, 26353, 26320, 26424, 26181, 26401, 26300, 26429, 25891, 26315};
    for (int i = 0; i < 120; i++) {
        mco_flowshop *shop = NULL;
        char name[16];
        int64_t bound;
        snprintf(name, sizeof name, "ta%03d", i + 1);
        assert_int_equal(mco_flowshop_taillard(ctx, name, &shop), MCO_OK);
        assert_int_equal(mco_flowshop_lower_bound(ctx, shop, MCO_FLOWSHOP_BOUND_LB1, &bound), MCO_OK);
        assert_int_equal(bound, published[i]);
        mco_flowshop_destroy(ctx, &shop);
    }
}

static void test_two_machine_bounds_at_the_root(void **state)
{
    (void)state;
    static const int64_t expected[] = {1996, 1815, 2008, 1953, 2048, 1969, 2067, 1898, 1915, 1955,
                                       3527, 3529, 3370, 3400, 3371, 3495, 3480, 3451, 3457, 3498};
    for (int i = 0; i < 20; i++) {
        mco_flowshop *shop = NULL;
        char name[16];
        int64_t bound;
        snprintf(name, sizeof name, "ta%03d", i < 10 ? 21 + i : 41 + i);
        assert_int_equal(mco_flowshop_taillard(ctx, name, &shop), MCO_OK);
        assert_int_equal(mco_flowshop_lower_bound(ctx, shop, MCO_FLOWSHOP_BOUND_LB2, &bound), MCO_OK);
        assert_int_equal(bound, expected[i]);
        mco_flowshop_destroy(ctx, &shop);
    }
}

// A bound that is stopped at once is LB1; one that has the time is LB2.
static void test_stopped_bound(void **state)
{
    (void)state;
    mco_flowshop *shop = NULL;
    int64_t lb1, lb2, bound;
    mco_stop stop;
    assert_int_equal(mco_flowshop_taillard(ctx, "ta021", &shop), MCO_OK);
    assert_int_equal(mco_flowshop_lower_bound(ctx, shop, MCO_FLOWSHOP_BOUND_LB1, &lb1), MCO_OK);
    assert_int_equal(mco_flowshop_lower_bound(ctx, shop, MCO_FLOWSHOP_BOUND_LB2, &lb2), MCO_OK);
    assert_true(lb1 < lb2);
    assert_int_equal(mco_flowshop_lower_bound_within(ctx, shop, MCO_FLOWSHOP_BOUND_LB2, 0, &bound, &stop), MCO_OK);
    assert_true(bound == lb1 && stop == MCO_STOP_TIME);
    mco_cancel(ctx);
    assert_int_equal(mco_flowshop_lower_bound_within(ctx, shop, MCO_FLOWSHOP_BOUND_LB2, INFINITY, &bound, &stop), MCO_OK);
    assert_true(bound == lb1 && stop == MCO_STOP_CANCELLED);
    // The request is used up.
    assert_int_equal(mco_flowshop_lower_bound_within(ctx, shop, MCO_FLOWSHOP_BOUND_LB2, INFINITY, &bound, &stop), MCO_OK);
    assert_true(bound == lb2 && stop == MCO_STOP_FINISHED);
    mco_flowshop_destroy(ctx, &shop);
}

static void test_edges(void **state)
{
    (void)state;
    mco_flowshop *shop = NULL;
    mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
    static const int32_t zero[] = {0, 0, 0, 0};
    assert_int_equal(mco_flowshop_create(ctx, 0, 3, NULL, &shop), MCO_OK);
    mco_flowshop_result r = solve(shop, p);
    assert_int_equal(r.makespan, 0);
    assert_int_equal(r.outcome, MCO_OUTCOME_OPTIMAL);
    mco_flowshop_result_clear(ctx, &r);
    mco_flowshop_destroy(ctx, &shop);
    assert_int_equal(mco_flowshop_create(ctx, 2, 2, zero, &shop), MCO_OK);
    r = solve(shop, p);
    assert_int_equal(r.makespan, 0);
    assert_int_equal(r.outcome, MCO_OUTCOME_OPTIMAL);
    mco_flowshop_result_clear(ctx, &r);
    p.upper_bound = 0;
    r = solve(shop, p);
    assert_int_equal(r.outcome, MCO_OUTCOME_NONE_BELOW);
    mco_flowshop_result_clear(ctx, &r);
    // With a start of makespan N the same protocol proves it optimal.
    static const int32_t order[] = {1, 0};
    p.start = order;
    r = solve(shop, p);
    assert_int_equal(r.outcome, MCO_OUTCOME_OPTIMAL);
    assert_int_equal(r.makespan, 0);
    mco_flowshop_result_clear(ctx, &r);
    mco_flowshop_destroy(ctx, &shop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds_of_the_example),
        cmocka_unit_test(test_one_machine_bounds_at_the_root),
        cmocka_unit_test(test_two_machine_bounds_at_the_root),
        cmocka_unit_test(test_stopped_bound),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_parity_on_whole_trees),
        cmocka_unit_test(test_parity_of_first_nodes),
        cmocka_unit_test(test_intervals_partition_the_tree),
        cmocka_unit_test(test_user_intervals_add_up),
        cmocka_unit_test(test_bad_intervals),
        cmocka_unit_test(test_stop_and_resume),
        cmocka_unit_test(test_resume_of_the_protocol),
        cmocka_unit_test(test_callback_stops),
        cmocka_unit_test(test_wrong_checkpoints),
        cmocka_unit_test(test_published_trees),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
