// SPDX-License-Identifier: MIT
// Traffic assignment by several ranks, which are threads here, against one rank: equal flows bit for bit, by both loaders.
#include <math.h>

#include "mco/traffic.h"
#include "ranks_threads.h"
#include "traffic/frank_wolfe/load.h"

static mco_traffic *made(int64_t side, int32_t zones)
{
    mco_traffic *traffic = NULL;
    const mco_traffic_shape shape = {.rows = side, .columns = side, .zones = zones, .destinations = 8, .load = 1, .seed = 4};
    assert_ok(mco_traffic_generate(test_ctx, &shape, &traffic));
    return traffic;
}

// ---- Whole assignments

typedef struct task {
    const mco_traffic *traffic;
    mco_traffic_params params;
} task;

static mco_traffic_result results[RANKS_MOST];

static void assign(ranks_member *m)
{
    const task *t = m->shared;
    results[m->ranks.rank] = (mco_traffic_result)MCO_TRAFFIC_RESULT_INIT;
    m->status = mco_traffic_assign(m->ctx, t->traffic, &t->params, NULL, &results[m->ranks.rank]);
}

static task task_of(const mco_traffic *traffic, mco_traffic_method method)
{
    task t = {.traffic = traffic, .params = MCO_TRAFFIC_PARAMS_INIT};
    t.params.method = method;
    t.params.engine = MCO_ENGINE_CPU;
    t.params.threads = 1;
    t.params.iterations = 25;
    t.params.gap = 1e-9;
    return t;
}

static void assignments(void **state)
{
    (void)state;
    static const mco_traffic_method methods[] = {MCO_TRAFFIC_METHOD_FW, MCO_TRAFFIC_METHOD_CFW, MCO_TRAFFIC_METHOD_BFW};
    mco_traffic *traffic = made(15, 90);
    ranks_member members[RANKS_MOST];
    for (int k = 0; k < COUNT_OF(methods); k++) {
        const task t = task_of(traffic, methods[k]);
        mco_traffic_result one = MCO_TRAFFIC_RESULT_INIT;
        assert_ok(mco_traffic_assign(test_ctx, traffic, &t.params, NULL, &one));
        const int ranks = 2 + k;
        ranks_run(ranks, assign, (void *)(uintptr_t)&t, members);
        for (int r = 0; r < ranks; r++) {
            assert_string_equal(mco_context_error(members[r].ctx), "");
            assert_int_equal(members[r].status, MCO_OK);
            assert_int_equal(results[r].iterations, one.iterations);
            assert_int_equal(results[r].stop, one.stop);
            assert_true(results[r].gap == one.gap && results[r].objective == one.objective && results[r].is_certified);
            assert_memory_equal(results[r].flow, one.flow, (size_t)one.links * sizeof *one.flow);
            mco_traffic_result_clear(members[r].ctx, &results[r]);
        }
        ranks_close(ranks, members);
        mco_traffic_result_clear(test_ctx, &one);
    }
    mco_traffic_destroy(test_ctx, &traffic);
}

// All ranks end by the time limit after the same iteration. On a busy machine there may be no flows yet: then they say so together.
static void time_limit(void **state)
{
    (void)state;
    mco_traffic *traffic = made(40, 400);
    task t = task_of(traffic, MCO_TRAFFIC_METHOD_AUTO);
    ranks_member members[3];
    t.params.iterations = 0;
    t.params.gap = 0;
    t.params.time_limit_s = 1;
    ranks_run(3, assign, &t, members);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(members[r].status, members[0].status);
        assert_true(members[r].status == MCO_OK || (members[r].status == MCO_ERR_STOPPED && results[r].flow == NULL));
        assert_true((results[r].flow == NULL) == (results[0].flow == NULL));
        if (members[r].status != MCO_OK)
            continue;
        assert_int_equal(results[r].stop, MCO_STOP_TIME);
        assert_int_equal(results[r].method, MCO_TRAFFIC_METHOD_BFW);
        assert_int_equal(results[r].iterations, results[0].iterations);
        if (results[0].flow != NULL)
            assert_memory_equal(results[r].flow, results[0].flow, (size_t)results[0].links * sizeof *results[0].flow);
    }
    for (int r = 0; r < 3; r++)
        mco_traffic_result_clear(members[r].ctx, &results[r]);
    ranks_close(3, members);
    mco_traffic_destroy(test_ctx, &traffic);
}

static void refusals(void **state)
{
    (void)state;
    mco_traffic *traffic = made(5, 10);
    task t = task_of(traffic, MCO_TRAFFIC_METHOD_PAIRS);
    ranks_member members[2];
    ranks_run(2, assign, &t, members);
    for (int r = 0; r < 2; r++) {
        assert_int_equal(members[r].status, MCO_ERR_ARGUMENT);
        assert_string_equal(mco_context_error(members[r].ctx),
                            "the method pairs takes one process, 2 were started; fw, cfw and bfw on cores share their loads");
    }
    ranks_close(2, members);
    mco_traffic_destroy(test_ctx, &traffic);
}

// ---- Loaders

typedef mco_status opener(mco_context *ctx, const traffic_call *call, traffic_loader *out);

typedef struct loading {
    const traffic_problem *problem;
    const double *at;  // [links]
    opener *open;
    double *flow[RANKS_MOST], least[RANKS_MOST], gap[RANKS_MOST];
} loading;

// Loads twice, the second time with orders that are there, and proves.
static mco_status load_in(mco_context *ctx, loading *l, int rank)
{
    mco_status st = MCO_OK;
    const mco_run_settings settings = {.time_limit_s = INFINITY, .target = -1, .objective = "objective"};
    mco_run run = mco_run_begin(ctx, &settings);
    mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
    params.threads = 1 + rank % 2;
    const traffic_call call = {.problem = l->problem, .params = &params, .run = &run, .memory = 1e9};
    traffic_loader loader = {0};
    traffic_certificate proof = {0};
    traffic_proof verdict = {0};
    MCO_TRY(l->open(ctx, &call, &loader));
    MCO_TRY(traffic_certificate_open(ctx, l->problem, l->at, NULL, &proof));
    for (int i = 0; i < 2; i++)
        MCO_TRY(loader.load(loader.self, proof.cost, l->flow[rank], &l->least[rank]));
    MCO_TRY(loader.prove(loader.self, &proof));
    MCO_TRY(traffic_certificate_close(ctx, &proof, NULL, &verdict));
    l->gap[rank] = verdict.missing == 0 ? verdict.gap : NAN;
done:
    traffic_certificate_clear(ctx, &proof);
    traffic_loader_close(&loader);
    mco_run_clear(&run);
    return st;
}

static void load(ranks_member *m)
{
    m->status = load_in(m->ctx, m->shared, m->ranks.rank);
}

static void loaders(void **state)
{
    (void)state;
    static opener *const openers[] = {traffic_loader_open_lanes, traffic_loader_open_hierarchy};
    enum { RANKS = 3 };
    mco_traffic *traffic = made(20, 300);
    mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
    traffic_problem p = {0};
    ranks_member members[RANKS];
    assert_ok(traffic_problem_make(test_ctx, traffic, &params, &p));
    double *at = calloc((size_t)p.links, sizeof *at);
    assert_non_null(at);
    for (int32_t a = 0; a < p.links; a++)
        at[a] = a % 7;
    for (int k = 0; k < COUNT_OF(openers); k++) {
        loading many = {.problem = &p, .at = at, .open = openers[k]}, one = many;
        one.flow[0] = calloc((size_t)p.links, sizeof *at);
        for (int r = 0; r < RANKS; r++)
            many.flow[r] = calloc((size_t)p.links, sizeof *at);
        assert_ok(load_in(test_ctx, &one, 0));
        ranks_run(RANKS, load, &many, members);
        for (int r = 0; r < RANKS; r++) {
            assert_string_equal(mco_context_error(members[r].ctx), "");
            assert_int_equal(members[r].status, MCO_OK);
            assert_true(many.least[r] == one.least[0] && many.gap[r] == one.gap[0]);
            assert_memory_equal(many.flow[r], one.flow[0], (size_t)p.links * sizeof *at);
            free(many.flow[r]);
        }
        free(one.flow[0]);
        ranks_close(RANKS, members);
    }
    free(at);
    traffic_problem_clear(test_ctx, &p);
    mco_traffic_destroy(test_ctx, &traffic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(assignments), TEST(time_limit), TEST(refusals), TEST(loaders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
