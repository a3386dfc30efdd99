// SPDX-License-Identifier: MIT
// The GPU explorer against a CPU explorer: the same nodes by depth and surviving children, whole or in pieces that
// change hands. With arguments NAME N [RULE [lb2]] it explores one tree and prints its rate.
#include <math.h>
#include <string.h>

#include "flowshop/tree/explorer.h"
#include "flowshop/gpu/explorer.h"
#include "flowshop/variants.h"
#include "gpu/gpu_support.h"

static long checks;

typedef struct pool {
    flowshop_search search;  // first member, because found() receives its address
    int64_t best;
    int32_t order[MCO_FLOWSHOP_MAX_TREE_JOBS];
} pool;

static void found(flowshop_search *search, int64_t makespan, const int32_t *order)
{
    pool *p = (pool *)(void *)search;
    if (makespan < p->best) {
        p->best = makespan;
        memcpy(p->order, order, (size_t)mco_flowshop_jobs(search->shop) * sizeof *order);
    }
    if (makespan < atomic_load(&search->incumbent))
        atomic_store(&search->incumbent, makespan);
}

// The orders for LB2; NULL: LB1.
static const flowshop_johnson *orders;

static void prepare(pool *p, const mco_flowshop *shop, mco_flowshop_branching rule, int64_t bound)
{
    memset(p, 0, sizeof *p);
    p->search.shop = shop;
    p->search.bound = orders != NULL ? MCO_FLOWSHOP_BOUND_LB2 : MCO_FLOWSHOP_BOUND_LB1;
    p->search.johnson = orders;
    p->search.branching = rule;
    p->search.rule_bound = bound;
    p->search.found = found;
    p->best = INT64_MAX;
    atomic_init(&p->search.incumbent, bound);
}

static void must(mco_context *ctx, mco_status st)
{
    if (st == MCO_OK)
        return;
    fprintf(stderr, "%s: %s\n", mco_status_text(st), mco_context_error(ctx));
    exit(EXIT_FAILURE);
}

static int64_t nodes_of(const int64_t *rows, int32_t n)
{
    int64_t sum = 0;
    for (int64_t i = n + 1; i < (int64_t)(n + 1) * (n + 1); i++)
        sum += rows[i];
    return sum;
}

static void explore_on_cpu(mco_context *ctx, pool *p, const flowshop_interval *part, int64_t **rows, int64_t *leaves)
{
    const flowshop_explorer_ops *cpu = flowshop_variant_choose(NULL, MCO_SIMD_AUTO, p->search.shop)->explorer;
    const int32_t n = mco_flowshop_jobs(p->search.shop);
    const int64_t cells = (int64_t)(n + 1) * (n + 1);
    flowshop_explorer *x = NULL;
    must(ctx, cpu->create(ctx, &p->search, NULL, &x));
    cpu->unfold(x, part, 1);
    while (cpu->explore(x, 1 << 20) == FLOWSHOP_WORK_LEFT)
        continue;
    must(ctx, mco_alloc(ctx, rows, cells));
    memcpy(*rows, cpu->children_by_depth(x), (size_t)cells * sizeof **rows);
    *leaves = cpu->leaves(x);
    cpu->destroy(ctx, &x);
}

static void compare_rows(const int64_t *rows, const int64_t *expected, int32_t n, const char *what)
{
    for (int64_t i = n + 1; i < (int64_t)(n + 1) * (n + 1); i++) {
        if (rows[i] == expected[i])
            continue;
        GPU_CHECK(rows[i] == expected[i], "%s: depth %lld, %lld children: %lld nodes, expected %lld", what,
                  (long long)(i / (n + 1)), (long long)(i % (n + 1)), (long long)rows[i], (long long)expected[i]);
        return;
    }
    checks++;
}

// Tests one interval. If schedules below the bound exist, two searches lower the bound at different times and visit
// different nodes. Then the interval is searched again below the best.
static void test_part(mco_context *ctx, const mco_gpu *gpu, const mco_flowshop *shop, const flowshop_interval *part,
                      int64_t bound, mco_flowshop_branching rule)
{
    const flowshop_explorer_ops *ops = &flowshop_gpu_explorer;
    const int32_t n = mco_flowshop_jobs(shop);
    pool on_cpu, on_gpu;
    int64_t *expected = NULL, leaves;
    char what[128];
    const char *text;
    flowshop_explorer *x = NULL;
    snprintf(what, sizeof what, "%s %dx%d below %lld by rule %d", mco_flowshop_name(shop), n, mco_flowshop_machines(shop),
             (long long)bound, (int)rule);
    prepare(&on_cpu, shop, rule, bound);
    explore_on_cpu(ctx, &on_cpu, part, &expected, &leaves);
    prepare(&on_gpu, shop, rule, bound);
    must(ctx, ops->create(ctx, &on_gpu.search, gpu, &x));
    ops->unfold(x, part, 1);
    flowshop_progress end = ops->explore(x, 0);
    GPU_CHECK(end == FLOWSHOP_WORK_DONE, "%s: ended with %d, %s", what, (int)end,
              ops->failure(x, &text) == MCO_OK ? "no failure" : text);
    if (end == FLOWSHOP_WORK_FAILED)
        exit(EXIT_FAILURE);
    GPU_CHECK(on_gpu.best == on_cpu.best, "%s: found %lld, expected %lld", what, (long long)on_gpu.best,
              (long long)on_cpu.best);
    if (on_cpu.best == INT64_MAX) {
        compare_rows(ops->children_by_depth(x), expected, n, what);
        GPU_CHECK(ops->leaves(x) == leaves, "%s: %lld leaves, expected %lld", what, (long long)ops->leaves(x),
                  (long long)leaves);
    }
    if (on_gpu.best < INT64_MAX) {
        int64_t makespan = -1;
        GPU_CHECK(mco_flowshop_check(ctx, shop, on_gpu.order, n, &makespan) == MCO_OK && makespan == on_gpu.best,
                  "%s: the order has makespan %lld, claimed is %lld", what, (long long)makespan, (long long)on_gpu.best);
    }
    checks += 4;
    ops->destroy(ctx, &x);
    mco_free(ctx, &expected);
    if (on_cpu.best < INT64_MAX)
        test_part(ctx, gpu, shop, part, on_cpu.best, rule);
}

static void test_whole(mco_context *ctx, const mco_gpu *gpu, const mco_flowshop *shop, int64_t bound,
                       mco_flowshop_branching rule)
{
    flowshop_interval whole = {0};
    must(ctx, flowshop_interval_create(ctx, mco_flowshop_jobs(shop), &whole));
    test_part(ctx, gpu, shop, &whole, bound, rule);
    flowshop_interval_destroy(ctx, &whole);
}

// Explores in pieces. The search is stopped again and again. What is left is folded, a part goes to a CPU explorer, and
// the rest is unfolded again.
static void test_pieces(mco_context *ctx, const mco_gpu *gpu, const mco_flowshop *shop, int64_t bound)
{
    const flowshop_explorer_ops *ops = &flowshop_gpu_explorer;
    const flowshop_explorer_ops *cpu = flowshop_variant_choose(NULL, MCO_SIMD_AUTO, shop)->explorer;
    const int32_t n = mco_flowshop_jobs(shop);
    const int64_t cells = (int64_t)(n + 1) * (n + 1);
    pool p;
    int64_t *expected = NULL, *sum = NULL, leaves, pieces = 0;
    flowshop_explorer *x = NULL, *y = NULL;
    flowshop_interval whole = {0};
    flowshop_intervals open = {.jobs = n}, given = {.jobs = n};
    prepare(&p, shop, MCO_FLOWSHOP_BRANCHING_MINBRANCH, bound);
    must(ctx, flowshop_interval_create(ctx, n, &whole));
    must(ctx, mco_alloc(ctx, &sum, cells));
    must(ctx, mco_alloc(ctx, &expected, cells));
    // First in one piece on the GPU, because trees large enough to be stopped often are large for a CPU.
    must(ctx, ops->create(ctx, &p.search, gpu, &x));
    ops->unfold(x, &whole, 1);
    GPU_CHECK(ops->explore(x, 0) == FLOWSHOP_WORK_DONE, "the tree is not done");
    memcpy(expected, ops->children_by_depth(x), (size_t)cells * sizeof *expected);
    leaves = ops->leaves(x);
    ops->destroy(ctx, &x);
    must(ctx, ops->create(ctx, &p.search, gpu, &x));
    must(ctx, cpu->create(ctx, &p.search, NULL, &y));
    must(ctx, flowshop_intervals_reserve(ctx, &open, ops->room(x)));
    must(ctx, flowshop_intervals_reserve(ctx, &given, ops->room(x)));
    ops->unfold(x, &whole, 1);
    atomic_store(&p.search.calls, 1);
    for (int round = 0; ops->explore(x, 0) == FLOWSHOP_WORK_LEFT; round++) {
        given.count = open.count = 0;
        if (round % 3 == 0)
            ops->split(x, 0.01, 20, &given);
        for (int64_t i = 0; i < given.count; i++) {
            cpu->unfold(y, &given.items[i], 1);
            while (cpu->explore(y, 1 << 20) == FLOWSHOP_WORK_LEFT)
                continue;
        }
        pieces += given.count;
        if (round % 2 == 0) {
            ops->fold(x, &open);
            ops->unfold(x, open.items, open.count);
        }
    }
    for (int64_t i = 0; i < cells; i++)
        sum[i] = ops->children_by_depth(x)[i] + cpu->children_by_depth(y)[i];
    compare_rows(sum, expected, n, "pieces");
    GPU_CHECK(ops->leaves(x) + cpu->leaves(y) == leaves, "pieces: %lld leaves", (long long)(ops->leaves(x) + cpu->leaves(y)));
    printf("pieces given to the CPU: %lld\n", (long long)pieces);
    checks++;
    ops->destroy(ctx, &x);
    cpu->destroy(ctx, &y);
    flowshop_intervals_clear(ctx, &open);
    flowshop_intervals_clear(ctx, &given);
    flowshop_interval_destroy(ctx, &whole);
    mco_free(ctx, &sum);
    mco_free(ctx, &expected);
}

static void test_pairs(mco_context *ctx, const mco_gpu *gpu, const mco_flowshop *shop, int64_t bound,
                       mco_flowshop_branching rule)
{
    flowshop_johnson johnson = {0};
    must(ctx, flowshop_johnson_create(ctx, shop, (double)INFINITY, &johnson));
    orders = &johnson;
    test_whole(ctx, gpu, shop, bound, rule);
    orders = NULL;
    flowshop_johnson_destroy(ctx, &johnson);
}

static int tell_rate(mco_context *ctx, const mco_gpu *gpu, const char *name, int64_t bound, int rule, bool has_pairs)
{
    const flowshop_explorer_ops *ops = &flowshop_gpu_explorer;
    mco_flowshop *shop = NULL;
    pool p;
    flowshop_explorer *x = NULL;
    flowshop_interval whole = {0};
    must(ctx, mco_flowshop_taillard(ctx, name, &shop));
    flowshop_johnson johnson = {0};
    if (has_pairs)
        must(ctx, flowshop_johnson_create(ctx, shop, (double)INFINITY, &johnson));
    orders = has_pairs ? &johnson : NULL;
    prepare(&p, shop, (mco_flowshop_branching)rule, bound);
    must(ctx, flowshop_interval_create(ctx, mco_flowshop_jobs(shop), &whole));
    must(ctx, ops->create(ctx, &p.search, gpu, &x));
    for (int run = 0; run < 3; run++) {
        double before_s = ops->device_s(x);
        int64_t before = nodes_of(ops->children_by_depth(x), mco_flowshop_jobs(shop));
        ops->unfold(x, &whole, 1);
        while (ops->explore(x, 0) == FLOWSHOP_WORK_LEFT)
            continue;
        const char *text;
        must(ctx, ops->failure(x, &text) == MCO_OK ? MCO_OK : mco_fail(ctx, MCO_ERR_DEVICE, "%s", text));
        int64_t nodes = nodes_of(ops->children_by_depth(x), mco_flowshop_jobs(shop)) - before;
        double seconds = ops->device_s(x) - before_s;
        printf("%s below %lld: %lld nodes, %lld leaves so far, %.3f ms of kernel, %.3f G nodes/s\n", name, (long long)bound,
               (long long)nodes, (long long)ops->leaves(x), 1e3 * seconds, 1e-9 * (double)nodes / seconds);
        fflush(stdout);
    }
    ops->destroy(ctx, &x);
    flowshop_interval_destroy(ctx, &whole);
    flowshop_johnson_destroy(ctx, &johnson);
    mco_flowshop_destroy(ctx, &shop);
    return EXIT_SUCCESS;
}

static void test_taillard(mco_context *ctx, const mco_gpu *gpu)
{
    static const struct { const char *name; int64_t bound; } cases[] = {
        {"ta001", 1278}, {"ta011", 1582}, {"ta020", 1591}, {"ta030", 2178},
        {"ta056", 3640}, {"ta083", 6252}, {"ta042", 2867}, {"ta027", 2273}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        mco_flowshop *shop = NULL;
        must(ctx, mco_flowshop_taillard(ctx, cases[i].name, &shop));
        if (i < 7)
            test_whole(ctx, gpu, shop, cases[i].bound, MCO_FLOWSHOP_BRANCHING_MINBRANCH);
        if (i < 3)
            test_pairs(ctx, gpu, shop, cases[i].bound, MCO_FLOWSHOP_BRANCHING_MINMIN);
        if (i == 2)
            for (int rule = MCO_FLOWSHOP_BRANCHING_MINMIN; rule <= MCO_FLOWSHOP_BRANCHING_MAXSUM; rule++)
                test_whole(ctx, gpu, shop, cases[i].bound, (mco_flowshop_branching)rule);
        if (i == 4 || i == 7)
            test_pieces(ctx, gpu, shop, cases[i].bound + (i == 4 ? 20 : 0));
        mco_flowshop_destroy(ctx, &shop);
    }
}

// Every kernel: numbers of jobs and machines around their limits, small times for wide trees and large times for 32-bit
// lanes.
static void test_shapes(mco_context *ctx, const mco_gpu *gpu)
{
    static const int32_t jobs[] = {1, 2, 3, 5, 8, 9, 10}, machines[] = {1, 2, 5, 8, 9, 13, 20, 21, 33, 60};
    int32_t times[60 * 10];
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++)
        for (size_t k = 0; k < sizeof machines / sizeof machines[0]; k++)
            for (int32_t scale = 1; scale <= 1000; scale *= 1000) {
                mco_flowshop *shop = NULL, *small = NULL;
                const int32_t n = jobs[i], m = machines[k];
                int64_t root;
                must(ctx, mco_flowshop_generate(ctx, n, m, (int32_t)(100 * i + k + 1), &small));
                for (int32_t at = 0; at < n * m; at++)
                    times[at] = scale * mco_flowshop_time(small, at / n, at % n);
                must(ctx, mco_flowshop_create(ctx, n, m, times, &shop));
                must(ctx, mco_flowshop_lower_bound(ctx, shop, MCO_FLOWSHOP_BOUND_LB1, &root));
                // No schedule is shorter than the root's bound. With a bound a third above it, the search has to
                // improve.
                test_whole(ctx, gpu, shop, root, MCO_FLOWSHOP_BRANCHING_MINBRANCH);
                test_whole(ctx, gpu, shop, root + root / 3, MCO_FLOWSHOP_BRANCHING_MINMIN);
                test_pairs(ctx, gpu, shop, root + root / 3, MCO_FLOWSHOP_BRANCHING_MINBRANCH);
                mco_flowshop_destroy(ctx, &small);
                mco_flowshop_destroy(ctx, &shop);
            }
}

// Many jobs: intervals around a node with few free jobs, below a bound that prunes almost nothing.
static void test_many_jobs(mco_context *ctx, const mco_gpu *gpu)
{
    static const int32_t jobs[] = {31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256};
    enum { FREE = 7 };
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++)
        for (int32_t m = 4; m <= 24; m += 10) {
            mco_flowshop *shop = NULL;
            flowshop_interval part = {0};
            const int32_t n = jobs[i];
            int64_t root;
            must(ctx, mco_flowshop_generate(ctx, n, m, (int32_t)(i + 1), &shop));
            must(ctx, mco_flowshop_lower_bound(ctx, shop, MCO_FLOWSHOP_BOUND_LB1, &root));
            must(ctx, flowshop_interval_create(ctx, n, &part));
            part.a_depth = n - FREE;
            part.b_depth = n - FREE - 1;
            for (int32_t d = 0; d < part.a_depth; d++)
                part.a[d] = part.b[d] = (7 * d + m) % (n - d - 1);
            part.b[part.b_depth - 1]++;
            test_part(ctx, gpu, shop, &part, 3 * root, MCO_FLOWSHOP_BRANCHING_MINBRANCH);
            flowshop_interval_destroy(ctx, &part);
            mco_flowshop_destroy(ctx, &shop);
        }
}

int main(int argc, char **argv)
{
    mco_context *ctx = NULL;
    mco_device device = {0};
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return EXIT_FAILURE;
    gpu_open_first(ctx, &device);
    mco_gpu gpu = device.info;
    mco_device_close(&device);
    if (argc >= 3)
        return tell_rate(ctx, &gpu, argv[1], atoll(argv[2]),
                         argc > 3 ? atoi(argv[3]) : MCO_FLOWSHOP_BRANCHING_MINBRANCH, argc > 4);
    test_taillard(ctx, &gpu);
    test_shapes(ctx, &gpu);
    test_many_jobs(ctx, &gpu);
    mco_context_destroy(&ctx);
    return gpu_summary("flow shop explorer on the GPU", checks);
}
