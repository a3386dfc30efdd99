// SPDX-License-Identifier: MIT
// Beams: exact where they are wide enough, the same on every engine, bounds that hold.
#include "test_support.h"

#include "base/rng.h"
#include "flowshop/beam/layer.h"
#include "mco/mco.h"

enum { SKEWED = -1 };  // as `largest`: times of 0 and 1, one in eight of 1000, so that tangents fall below 0

static mco_flowshop *random_shop(int32_t n, int32_t m, uint64_t seed, int32_t largest)
{
    mco_flowshop *shop = NULL;
    mco_rng rng;
    int32_t *times = malloc((size_t)n * (size_t)m * sizeof *times + 1);
    mco_rng_seed(&rng, seed, (uint64_t)n * 1000 + (uint64_t)m);
    for (int32_t c = 0; c < n * m; c++)
        times[c] = largest == SKEWED ? (mco_rng_below(&rng, 8) == 0 ? 1000 : (int32_t)mco_rng_below(&rng, 2))
                                     : (int32_t)mco_rng_below(&rng, (uint32_t)largest + 1);
    assert_ok(mco_flowshop_create(test_ctx, n, m, times, &shop));
    free(times);
    return shop;
}

static int32_t makespan_of(const mco_flowshop *shop, const int32_t *order)
{
    int32_t end[64] = {0};
    const int32_t m = mco_flowshop_machines(shop);
    for (int32_t t = 0; t < mco_flowshop_jobs(shop); t++)
        for (int32_t k = 0; k < m; k++) {
            const int32_t before = k > 0 ? end[k - 1] : 0;
            end[k] = (end[k] > before ? end[k] : before) + mco_flowshop_time(shop, k, order[t]);
        }
    return end[m - 1];
}

static int32_t best_of_rest(const mco_flowshop *shop, int32_t *order, int32_t fixed)
{
    const int32_t n = mco_flowshop_jobs(shop);
    int32_t best = fixed == n ? makespan_of(shop, order) : INT32_MAX;
    for (int32_t t = fixed; t < n; t++) {
        const int32_t job = order[t];
        order[t] = order[fixed];
        order[fixed] = job;
        const int32_t found = best_of_rest(shop, order, fixed + 1);
        best = found < best ? found : best;
        order[fixed] = order[t];
        order[t] = job;
    }
    return best;
}

static mco_flowshop_result solve(const mco_flowshop *shop, mco_engine engine, mco_simd simd, int threads, int64_t beams)
{
    mco_flowshop_result result = MCO_FLOWSHOP_RESULT_INIT;
    mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
    int64_t makespan;
    p.method = MCO_FLOWSHOP_METHOD_BEAM;
    p.engine = engine;
    p.simd = simd;
    p.threads = threads;
    p.iterations = beams;
    assert_ok(mco_flowshop_solve(test_ctx, shop, &p, &result));
    assert_ok(mco_flowshop_check(test_ctx, shop, result.order, mco_flowshop_jobs(shop), &makespan));
    assert_int_equal(makespan, result.makespan);
    assert_true(result.bound <= result.makespan);
    return result;
}

// A beam as wide as the tree discards nothing: it ends with the optimum, proved.
static void test_brute_force(void **state)
{
    (void)state;
    for (int32_t n = 1; n <= (TEST_IS_SANITIZED ? 6 : 8); n++)
        for (int32_t m = 1; m <= 9; m += 2)
            for (uint64_t seed = 1; seed <= 6; seed++) {
                int32_t order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
                mco_flowshop *shop = random_shop(n, m, seed, seed % 2 == 0 ? 99 : 20000);
                const int32_t best = best_of_rest(shop, order, 0);
                mco_flowshop_result few = solve(shop, MCO_ENGINE_REFERENCE, MCO_SIMD_AUTO, 1, 3);
                mco_flowshop_result all = solve(shop, MCO_ENGINE_CPU, MCO_SIMD_AUTO, 1 + (int)(seed % 2), -1);
                assert_true(few.bound <= best && best <= few.makespan);
                assert_int_equal(all.outcome, MCO_OUTCOME_OPTIMAL);
                assert_int_equal(all.makespan, best);
                mco_flowshop_result_clear(test_ctx, &few);
                mco_flowshop_result_clear(test_ctx, &all);
                mco_flowshop_destroy(test_ctx, &shop);
            }
}

// The reference, every vector unit, both widths of lanes, one and two threads: equal orders and bounds.
static void compare_engines(int32_t n, int32_t m, int32_t largest, int64_t beams)
{
    static const mco_simd units[] = {MCO_SIMD_AVX512, MCO_SIMD_AVX2, MCO_SIMD_PORTABLE};
    const flowshop_beam_ops *ops;
    mco_flowshop *shop = random_shop(n, m, 7, largest);
    mco_flowshop_result plain = solve(shop, MCO_ENGINE_REFERENCE, MCO_SIMD_AUTO, 1, beams);
    for (int u = 0; u < COUNT_OF(units); u++)
        for (int threads = 1; threads <= 2 && flowshop_beam_choose(test_ctx, units[u], 16, &ops) == MCO_OK; threads++) {
            mco_flowshop_result r = solve(shop, MCO_ENGINE_CPU, units[u], threads, beams);
            assert_int_equal(r.makespan, plain.makespan);
            assert_int_equal(r.bound, plain.bound);
            assert_int_equal(r.iterations, plain.iterations);
            assert_memory_equal(r.order, plain.order, (size_t)n * sizeof *r.order);
            mco_flowshop_result_clear(test_ctx, &r);
        }
    mco_flowshop_result_clear(test_ctx, &plain);
    mco_flowshop_destroy(test_ctx, &shop);
}

static void test_engines(void **state)
{
    (void)state;
    static const int32_t jobs[] = {2, 9, 33, 64, 65, 129, 200};
    for (int i = 0; i < COUNT_OF(jobs); i++) {
        if (TEST_IS_SANITIZED && jobs[i] > 65)
            continue;
        compare_engines(jobs[i], 5, 99, 12);
        compare_engines(jobs[i], 20, 99, 8);
        compare_engines(jobs[i], 7, MCO_FLOWSHOP_MAX_TIME, 8);  // 32-bit lanes, gaps shifted down
        compare_engines(jobs[i], 9, SKEWED, 8);
        compare_engines(jobs[i], 20, 300, 7);                   // close to 65,535 where there are 200 jobs
    }
}

// Layers wide enough for the team, and for sieves that discard while they fill: equal orders on any number of threads.
static void test_threads(void **state)
{
    (void)state;
    enum { JOBS = 100, MACHINES = 26 };
    const int64_t beams = TEST_IS_SANITIZED ? 9 : 12;
    mco_flowshop *shop = random_shop(JOBS, MACHINES, 3, 99);
    mco_flowshop_result one = solve(shop, MCO_ENGINE_CPU, MCO_SIMD_AUTO, 1, beams);
    for (int threads = 2; threads <= 3; threads++) {
        mco_flowshop_result r = solve(shop, MCO_ENGINE_CPU, MCO_SIMD_AUTO, threads, beams);
        assert_int_equal(r.makespan, one.makespan);
        assert_int_equal(r.bound, one.bound);
        assert_memory_equal(r.order, one.order, JOBS * sizeof *r.order);
        mco_flowshop_result_clear(test_ctx, &r);
    }
    mco_flowshop_result_clear(test_ctx, &one);
    mco_flowshop_destroy(test_ctx, &shop);
}

// Taillard's first instance, from nothing.
static void test_proof(void **state)
{
    (void)state;
    mco_flowshop *shop = NULL;
    assert_ok(mco_flowshop_taillard(test_ctx, "ta001", &shop));
    mco_flowshop_result r = solve(shop, MCO_ENGINE_AUTO, MCO_SIMD_AUTO, 2, -1);
    assert_int_equal(r.outcome, MCO_OUTCOME_OPTIMAL);
    assert_int_equal(r.stop, MCO_STOP_FINISHED);
    assert_int_equal(r.makespan, 1278);
    mco_flowshop_result_clear(test_ctx, &r);
    mco_flowshop_destroy(test_ctx, &shop);
}

// Beams prove an instance before branch and bound begins: no node.
static void test_before_tree(void **state)
{
    (void)state;
    mco_flowshop *shop = NULL;
    mco_flowshop_result r = MCO_FLOWSHOP_RESULT_INIT;
    mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
    assert_ok(mco_flowshop_taillard(test_ctx, "ta065", &shop));
    assert_ok(mco_flowshop_solve(test_ctx, shop, &p, &r));
    assert_int_equal(r.outcome, MCO_OUTCOME_OPTIMAL);
    assert_int_equal(r.makespan, 5250);
    assert_int_equal(r.nodes, 0);
    assert_int_equal(r.iterations, 0);
    mco_flowshop_result_clear(test_ctx, &r);
    mco_flowshop_destroy(test_ctx, &shop);
}

// A time limit cuts a layer short, and the answer is what was known.
static void test_limit(void **state)
{
    (void)state;
    mco_flowshop *shop = NULL;
    mco_flowshop_result r = MCO_FLOWSHOP_RESULT_INIT;
    mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
    assert_ok(mco_flowshop_taillard(test_ctx, "ta101", &shop));
    p.method = MCO_FLOWSHOP_METHOD_BEAM;
    p.time_limit_s = 0.3;
    assert_ok(mco_flowshop_solve(test_ctx, shop, &p, &r));
    assert_int_equal(r.stop, MCO_STOP_TIME);
    assert_true(r.makespan >= 11158 && r.bound <= 11158);
    mco_flowshop_result_clear(test_ctx, &r);
    mco_flowshop_destroy(test_ctx, &shop);
}

// Beams have three engines. Where a GPU is asked for and there is none, the error says so.
static void test_refused_engines(void **state)
{
    (void)state;
    mco_flowshop *shop = random_shop(9, 5, 1, 99);
    mco_flowshop_result r = MCO_FLOWSHOP_RESULT_INIT;
    mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
    mco_gpu gpus[MCO_MAX_GPUS];
    int count;
    const char *reason;
    p.method = MCO_FLOWSHOP_METHOD_BEAM;
    p.engine = MCO_ENGINE_HYBRID;
    assert_int_equal(mco_flowshop_solve(test_ctx, shop, &p, &r), MCO_ERR_ARGUMENT);
    assert_non_null(strstr(mco_context_error(test_ctx), "engine hybrid has no beams"));
    p.engine = MCO_ENGINE_CPU;
    p.gpus = "0";
    assert_int_equal(mco_flowshop_solve(test_ctx, shop, &p, &r), MCO_ERR_ARGUMENT);
    p.engine = MCO_ENGINE_GPU;
    p.gpus = NULL;
    assert_ok(mco_gpus_list(test_ctx, gpus, &count, &reason));
    if (count == 0)
        assert_int_equal(mco_flowshop_solve(test_ctx, shop, &p, &r), MCO_ERR_DEVICE);
    mco_flowshop_result_clear(test_ctx, &r);
    mco_flowshop_destroy(test_ctx, &shop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_brute_force), TEST(test_engines), TEST(test_threads), TEST(test_proof), TEST(test_before_tree), TEST(test_limit), TEST(test_refused_engines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
