// SPDX-License-Identifier: MIT
// Cycles counted by several ranks, which are threads here, against one rank: equal counts for every graph, rule and number.
#include "graph_support.h"
#include "mco/mco.h"
#include "ranks_threads.h"

typedef struct task {
    const mco_graph *graph;
    mco_cycles_params params;
} task;

static mco_cycles_result results[RANKS_MOST];

static void count(ranks_member *m)
{
    const task *t = m->shared;
    results[m->ranks.rank] = (mco_cycles_result)MCO_CYCLES_RESULT_INIT;
    m->status = mco_cycles_count(m->ctx, t->graph, &t->params, &results[m->ranks.rank]);
}

// Counts by 2 to 5 ranks. `shares`: the search is shared, so its nodes are about those of one rank.
static void compare(const task *t, bool shares)
{
    mco_cycles_result one = MCO_CYCLES_RESULT_INIT;
    ranks_member members[RANKS_MOST];
    assert_ok(mco_cycles_count(test_ctx, t->graph, &t->params, &one));
    for (int ranks = 2; ranks <= 5; ranks++) {
        ranks_run(ranks, count, (void *)(uintptr_t)t, members);
        for (int r = 0; r < ranks; r++) {
            const mco_cycles_result *many = &results[r];
            assert_string_equal(mco_context_error(members[r].ctx), "");
            assert_int_equal(members[r].status, MCO_OK);
            assert_int_equal(many->cycles, one.cycles);
            assert_int_equal(many->triangles, one.triangles);
            assert_int_equal(many->longest, one.longest);
            assert_int_equal(many->outcome, MCO_OUTCOME_OPTIMAL);
            assert_true(!shares || many->nodes >= one.nodes / 2);
            for (int32_t k = 1; k <= one.longest; k++)
                assert_true(many->by_length[k * many->limbs] == one.by_length[k * one.limbs]);
            mco_cycles_result_clear(members[r].ctx, &results[r]);
        }
        ranks_close(ranks, members);
    }
    mco_cycles_result_clear(test_ctx, &one);
}

static task task_of(const mco_graph *graph, mco_cycles_method method)
{
    task t = {.graph = graph, .params = MCO_CYCLES_PARAMS_INIT};
    t.params.method = method;
    t.params.engine = MCO_ENGINE_CPU;
    t.params.threads = 1;
    return t;
}

static void every_method(void **state)
{
    (void)state;
    mco_graph *grid = test_graph_generate(MCO_GRAPH_GRID, 6, 7, 0, 0);
    for (int method = MCO_CYCLES_METHOD_AUTO; method <= MCO_CYCLES_METHOD_LABELS; method++) {
        const task t = task_of(grid, (mco_cycles_method)method);
        compare(&t, method == MCO_CYCLES_METHOD_SEARCH);
    }
    mco_graph_destroy(test_ctx, &grid);
}

// Sets of 1 to 16 words, roots beyond them, many blocks.
static void every_width(void **state)
{
    (void)state;
    const struct {
        mco_graph_family family;
        int64_t a, b, max_length;
    } graphs[] = {{MCO_GRAPH_RANDOM, 40, 70, 0}, {MCO_GRAPH_GRID, 9, 11, 16}, {MCO_GRAPH_GRID, 15, 15, 12}, {MCO_GRAPH_GRID, 20, 25, 10},
                  {MCO_GRAPH_REGULAR, 700, 3, 14}, {MCO_GRAPH_WHEEL, 1500, 0, 0}, {MCO_GRAPH_COMPLETE_BIPARTITE, 20, 20, 0},
                  {MCO_GRAPH_ROAD, 12, 25, 30}};
    for (int k = 0; k < COUNT_OF(graphs); k++) {
        mco_graph *graph = test_graph_generate(graphs[k].family, graphs[k].a, graphs[k].b, 0.35, 5);
        task t = task_of(graph, MCO_CYCLES_METHOD_SEARCH);
        t.params.max_length = graphs[k].max_length;
        t.params.threads = 1 + k % 2;
        compare(&t, false);
        mco_graph_destroy(test_ctx, &graph);
    }
}

static void rules(void **state)
{
    (void)state;
    static const int32_t through[3] = {30, 9, 17};
    mco_graph *grid = test_graph_generate(MCO_GRAPH_GRID, 7, 8, 0, 0);
    for (int32_t vertices = 1; vertices <= 3; vertices++) {
        task t = task_of(grid, MCO_CYCLES_METHOD_SEARCH);
        t.params.through = through;
        t.params.through_count = vertices;
        t.params.min_length = 6;
        compare(&t, true);
    }
    mco_graph_destroy(test_ctx, &grid);
}

static void directed(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        mco_rng rng;
        mco_rng_seed(&rng, seed, 0);
        mco_graph *graph = test_graph_random(&rng, 40, 130, true);
        task t = task_of(graph, MCO_CYCLES_METHOD_SEARCH);
        t.params.directed = 1;
        compare(&t, true);
        mco_graph_destroy(test_ctx, &graph);
    }
}

// Counts beyond 64 bits, of one rank; the others add nothing.
static void exact(void **state)
{
    (void)state;
    mco_graph *grid = test_graph_generate(MCO_GRAPH_GRID, 5, 60, 0, 0);
    const task t = task_of(grid, MCO_CYCLES_METHOD_FRONTIER);
    compare(&t, false);
    mco_graph_destroy(test_ctx, &grid);
}

static bool take(const mco_cycles_batch *batch, void *user)
{
    (void)batch, (void)user;
    return true;
}

static void list(ranks_member *m)
{
    const task *t = m->shared;
    mco_cycles_result r = MCO_CYCLES_RESULT_INIT;
    m->status = mco_cycles_list(m->ctx, t->graph, &t->params, take, NULL, &r);
}

static void lists_are_refused(void **state)
{
    (void)state;
    ranks_member members[2];
    mco_graph *grid = test_graph_generate(MCO_GRAPH_GRID, 3, 3, 0, 0);
    task t = task_of(grid, MCO_CYCLES_METHOD_SEARCH);
    ranks_run(2, list, &t, members);
    assert_int_equal(members[1].status, MCO_ERR_ARGUMENT);
    assert_string_equal(mco_context_error(members[0].ctx), "cycles are listed by one process, 2 were started");
    ranks_close(2, members);
    mco_graph_destroy(test_ctx, &grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(every_method), TEST(every_width), TEST(rules), TEST(directed), TEST(exact),
                                       TEST(lists_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
