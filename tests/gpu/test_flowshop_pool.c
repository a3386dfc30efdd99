// SPDX-License-Identifier: MIT
// The kernels of the pool systems: every set of operators at several block sizes against the reference on random nodes,
// with both bounds and all rules. Then whole trees by every system. If there are two devices, both parts of the
// functional split use them.
#include <string.h>

#include "base/rng.h"
#include "flowshop/systems/pool.h"
#include "flowshop/systems/tree.h"
#include "flowshop/tree/ref.h"
#include "gpu/gpu_support.h"

static long checks;
static mco_context *ctx;

// ---- Random nodes against the reference

enum { FATHERS = 700, FATHERS_OF_MANY_JOBS = 200, MANY_JOBS = 33 };

typedef struct problem {
    mco_flowshop *shop;
    mco_flowshop_params params;
    mco_flowshop_result result;
    flowshop_run run;
    flowshop_ref ref;
    flowshop_node node;
    int32_t fathers;
    unsigned char *rows;          // [fathers * row_bytes]
    flowshop_survivor *survivors; // [fathers * jobs] by the reference
    int32_t *counts;              // [fathers]
} problem;

static void draw_rows(problem *p, mco_rng *rng)
{
    const int32_t n = p->shop->jobs, bytes = flowshop_row_bytes(n);
    for (int s = 0; s < p->fathers; s++) {
        flowshop_row *row = (flowshop_row *)(void *)(p->rows + (size_t)s * (size_t)bytes);
        uint16_t *order = flowshop_row_order(row);
        const int32_t depth = s == 0 ? 0 : (int32_t)mco_rng_below(rng, (uint32_t)n - 1);
        row->bound = 0;
        row->front = (uint16_t)mco_rng_below(rng, (uint32_t)depth + 1);
        row->back = (uint16_t)(depth - row->front);
        for (int32_t j = 0; j < n; j++)
            order[j] = (uint16_t)j;
        for (int32_t j = n - 1; j > 0; j--) {
            const int32_t other = (int32_t)mco_rng_below(rng, (uint32_t)j + 1);
            const uint16_t held = order[j];
            order[j] = order[other];
            order[other] = held;
        }
    }
}

// Finds the survivors of father s by the reference. The free jobs of a row stand in any order, and the reference takes
// them in this order.
static void expect_survivors(problem *p, int32_t s)
{
    const int32_t n = p->shop->jobs;
    const flowshop_row *row = (const flowshop_row *)(const void *)(p->rows + (size_t)s * (size_t)flowshop_row_bytes(n));
    flowshop_survivor *out = p->survivors + (int64_t)s * n;
    p->node.front = row->front;
    p->node.back = row->back;
    for (int32_t j = 0; j < n; j++)
        p->node.order[j] = flowshop_row_order(row)[j];
    const bool in_front = flowshop_ref_decompose(&p->ref, &p->node);
    const int64_t *bounds = in_front ? p->ref.front_bounds : p->ref.back_bounds;
    const uint32_t word = (uint32_t)s << FLOWSHOP_SLOT_SHIFT | (in_front ? 0u : (uint32_t)FLOWSHOP_BACK_BIT);
    p->counts[s] = 0;
    for (int32_t c = 0; c < n - row->front - row->back; c++)
        if (bounds[c] < p->result.upper_bound_used)
            out[p->counts[s]++] = (flowshop_survivor){word | (uint32_t)c, (int32_t)bounds[c]};
}

static bool agrees(const problem *p, int32_t s, const flowshop_survivor *given, int32_t count)
{
    const flowshop_survivor *expected = p->survivors + (int64_t)s * p->shop->jobs;
    return count == p->counts[s] && memcmp(given, expected, (size_t)count * sizeof *given) == 0;
}

// Compares the survivors of each father. The three kernels write fathers in any order, so first[] finds where each
// begins.
static void check_results(problem *p, const flowshop_batch *batch, int block)
{
    const flowshop_arrays *a = &batch->host;
    int64_t next = 0;
    int32_t *first = calloc((size_t)a->fathers, sizeof *first);
    int wrong = 0;
    if (batch->operators == FLOWSHOP_THREE_KERNELS)
        for (uint32_t i = *a->survivor_count; i > 0; i--)
            first[a->survivors[i - 1].word >> FLOWSHOP_SLOT_SHIFT] = (int32_t)i - 1;
    for (int32_t s = 0; s < a->fathers; s++) {
        flowshop_survivor own[MCO_FLOWSHOP_MAX_TREE_JOBS];
        const flowshop_survivor *given = own;
        int32_t count;
        if (flowshop_host_prunes(batch->operators)) {
            const int32_t *bounds;
            int32_t children;
            bool in_front;
            count = flowshop_choose(&batch->tables, a, s, &bounds, &children, &in_front);
            flowshop_write_survivors(a, s, bounds, children, in_front, own);
        } else {
            count = a->counts[s];
            given = a->survivors + (batch->operators == FLOWSHOP_WHOLE_NODE ? a->offsets[s] / 2 : first[s]);
        }
        next += count;
        wrong += !agrees(p, s, given, count);
    }
    GPU_CHECK(wrong == 0, "%d of %d fathers, %s, operators %d, block %d, bound %d, rule %d", wrong, a->fathers,
              p->shop->name, (int)batch->operators, block, (int)p->run.bound, (int)p->run.branching);
    GPU_CHECK(batch->operators != FLOWSHOP_THREE_KERNELS || next == *a->survivor_count, "%u survivors, %lld counted",
              *a->survivor_count, (long long)next);
    checks += a->fathers;
    free(first);
}

static void check_batch(problem *p, const flowshop_pool_tree *tree, const flowshop_batch_place *place,
                        flowshop_operators operators)
{
    const int32_t n = p->shop->jobs, bytes = flowshop_row_bytes(n);
    flowshop_batch *batch = NULL;
    mco_status st = flowshop_cuda_backend.create(ctx, &tree->tables, operators, place, &batch);
    if (st == MCO_OK)
        st = flowshop_cuda_backend.resize(batch, 2 * n * p->fathers, p->fathers);
    if (st == MCO_OK) {
        flowshop_arrays *a = &batch->host;
        memcpy(a->rows, p->rows, (size_t)p->fathers * (size_t)bytes);
        a->upper = p->result.upper_bound_used;
        a->fathers = p->fathers;
        a->offsets[0] = 0;
        for (int32_t s = 0; s < p->fathers; s++) {
            const flowshop_row *row = flowshop_row_of(a, s);
            a->offsets[s + 1] = a->offsets[s] + 2 * (n - row->front - row->back);
            for (int32_t c = 0; c < a->offsets[s + 1] - a->offsets[s] && operators == FLOWSHOP_BOUND_ONLY; c++)
                a->words[a->offsets[s] + c] = flowshop_child_word(&tree->tables, row, s, c);
        }
        a->children = a->offsets[p->fathers];
        st = flowshop_cuda_backend.begin(batch);
    }
    if (st == MCO_OK)
        st = flowshop_cuda_backend.finish(batch);
    GPU_CHECK(st == MCO_OK, "%s", mco_context_error(ctx));
    if (st == MCO_OK)
        check_results(p, batch, place->block);
    flowshop_cuda_backend.destroy(ctx, &batch);
}

static void check_problem(problem *p, const mco_gpu *gpus, int gpu_count, mco_rng *rng)
{
    static const int blocks[] = {64, 96, 128, 256, 512, 1024};
    flowshop_pool_tree tree = {0};
    bool is_ready;
    const int block = blocks[mco_rng_below(rng, 6)];
    draw_rows(p, rng);
    GPU_CHECK(flowshop_ref_create(&p->run, &p->ref) == MCO_OK, "%s", mco_context_error(ctx));
    GPU_CHECK(flowshop_pool_tree_create(&p->run, ctx, p->result.upper_bound_used, &tree, &is_ready) == MCO_OK, "%s",
              mco_context_error(ctx));
    for (int32_t s = 0; s < p->fathers; s++)
        expect_survivors(p, s);
    for (int operators = FLOWSHOP_BOUND_ONLY; operators <= FLOWSHOP_THREE_KERNELS; operators++) {
        const flowshop_batch_place one = {.gpu = &gpus[0], .block = block};
        check_batch(p, &tree, &one, (flowshop_operators)operators);
    }
    const flowshop_batch_place pair = {.gpu = &gpus[0], .second = &gpus[gpu_count > 1], .block = block};
    check_batch(p, &tree, &pair, FLOWSHOP_THREE_KERNELS);
    flowshop_pool_tree_destroy(&tree);
    flowshop_ref_destroy(ctx, &p->ref);
}

static void test_random_nodes(const mco_gpu *gpus, int gpu_count)
{
    static const int32_t sizes[][2] = {{2, 1},   {3, 2},   {7, 5},   {20, 20}, {31, 3},
                                       {32, 10}, {33, 20}, {50, 20}, {65, 7},  {130, 4}};
    mco_rng rng;
    mco_rng_seed(&rng, 44, 0);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int rule = MCO_FLOWSHOP_BRANCHING_FORWARD; rule <= MCO_FLOWSHOP_BRANCHING_MAXSUM; rule++)
            for (int bound = MCO_FLOWSHOP_BOUND_LB1; bound <= MCO_FLOWSHOP_BOUND_LB2; bound++) {
                const int32_t n = sizes[i][0], m = sizes[i][1];
                problem p = {.params = MCO_FLOWSHOP_PARAMS_INIT, .result = {.children_columns = 1}};
                if (mco_flowshop_generate(ctx, n, m, 1 + (int32_t)mco_rng_below(&rng, 1000000), &p.shop) != MCO_OK)
                    exit(EXIT_FAILURE);
                mco_flowshop_lower_bound(ctx, p.shop, MCO_FLOWSHOP_BOUND_LB1, &p.result.upper_bound_used);
                p.result.upper_bound_used += p.result.upper_bound_used / 5; // some children above, some below
                p.run = (flowshop_run){.ctx = ctx,
                                       .shop = p.shop,
                                       .params = &p.params,
                                       .result = &p.result,
                                       .bound = (mco_flowshop_bound)bound,
                                       .branching = (mco_flowshop_branching)rule,
                                       .upper_bound = p.result.upper_bound_used,
                                       .run.stop_s = (double)INFINITY};
                p.node.order = calloc((size_t)n, sizeof *p.node.order);
                p.fathers = n < MANY_JOBS ? FATHERS : FATHERS_OF_MANY_JOBS;
                p.rows = calloc((size_t)p.fathers, (size_t)flowshop_row_bytes(n));
                p.survivors = calloc((size_t)p.fathers * (size_t)n, sizeof *p.survivors);
                p.counts = calloc((size_t)p.fathers, sizeof *p.counts);
                check_problem(&p, gpus, gpu_count, &rng);
                free(p.counts);
                free(p.survivors);
                free(p.rows);
                free(p.node.order);
                mco_flowshop_destroy(ctx, &p.shop);
            }
}

// ---- Whole trees by every system

static void check_tree(const char *name, mco_engine engine, mco_flowshop_bound bound, int64_t upper,
                       int64_t nodes, int64_t block)
{
    mco_flowshop *shop = NULL;
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    mco_flowshop_result r = MCO_FLOWSHOP_RESULT_INIT;
    params.engine = engine;
    params.bound = bound;
    params.branching = bound == MCO_FLOWSHOP_BOUND_LB1 ? MCO_FLOWSHOP_BRANCHING_MINBRANCH : MCO_FLOWSHOP_BRANCHING_MINMIN;
    params.upper_bound = upper;
    params.block = block;
    params.threads = 4;
    params.gpus = engine >= MCO_ENGINE_MULTI_GPU_BOUND ? "all" : NULL;
    mco_status st = mco_flowshop_taillard(ctx, name, &shop);
    if (st == MCO_OK)
        st = mco_flowshop_solve(ctx, shop, &params, &r);
    GPU_CHECK(st == MCO_OK, "%s, engine %d: %s", name, (int)engine, mco_context_error(ctx));
    GPU_CHECK(r.nodes == nodes && r.outcome == MCO_OUTCOME_NONE_BELOW,
              "%s, engine %d: %lld nodes, %lld expected, outcome %s", name, (int)engine, (long long)r.nodes,
              (long long)nodes, mco_outcome_text(r.outcome));
    printf("%s engine %2d lb%d block %4lld: %lld nodes, %.3f s, kernels %.3f s, %.2f M nodes/s\n", name, (int)engine,
           (int)bound, (long long)block, (long long)r.nodes, r.work.solve_s, r.work.device_s,
           (double)r.nodes / r.work.solve_s * 1e-6);
    checks += 2;
    mco_flowshop_result_clear(ctx, &r);
    mco_flowshop_destroy(ctx, &shop);
}

static void test_whole_trees(void)
{
    for (int e = MCO_ENGINE_GPU_BOUND; e <= MCO_ENGINE_MULTI_GPU_FUNCTIONAL; e++) {
        const mco_engine engine = (mco_engine)e;
        check_tree("ta011", engine, MCO_FLOWSHOP_BOUND_LB1, 1582, 150678, 256);
        check_tree("ta020", engine, MCO_FLOWSHOP_BOUND_LB1, 1591, 268812, 128);
        check_tree("ta030", engine, MCO_FLOWSHOP_BOUND_LB1, 2178, 2415746, 256);
        check_tree("ta020", engine, MCO_FLOWSHOP_BOUND_LB2, 1591, 121893, 256);
    }
}

int main(void)
{
    mco_gpu gpus[MCO_MAX_GPUS];
    int count;
    const char *reason;
    ctx = gpu_begin();
    GPU_CHECK(mco_gpus_list(ctx, gpus, &count, &reason) == MCO_OK, "%s", mco_context_error(ctx));
    test_random_nodes(gpus, count);
    test_whole_trees();
    mco_context_destroy(&ctx);
    return gpu_summary("flowshop_pool", checks);
}
