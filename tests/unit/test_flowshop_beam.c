// SPDX-License-Identifier: MIT
// Beams: exact where they are wide enough, the same on every engine, bounds that hold.
#include "flowshop_support.h"

#include "flowshop/beam/layer.h"
#include "mco/mco.h"

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
        compare_engines(jobs[i], 6, 620, 9);                    // so close there that sums of 16 bits have to saturate
    }
    compare_engines(40, 33, 99, 7);  // machines that fill no vector
    compare_engines(70, 61, 99, TEST_IS_SANITIZED ? 3 : 7);
    compare_engines(30, 131, 99, 5);
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

// Without targets the greedy has what the last beam leaves of the time. Its schedule goes into the checkpoint, and only beams count.
static void test_greedy_after_beams(void **state)
{
    (void)state;
    enum { JOBS = 60 };
    mco_flowshop *shop = random_shop(JOBS, 30, 8, 99);
    mco_flowshop_result r = MCO_FLOWSHOP_RESULT_INIT, resumed = MCO_FLOWSHOP_RESULT_INIT;
    mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
    p.method = MCO_FLOWSHOP_METHOD_BEAM;
    p.engine = MCO_ENGINE_CPU;
    p.checkpoint = test_path("beams");
    // A busy machine may leave a short limit no time for a beam.
    for (p.time_limit_s = 1; r.iterations == 0 && p.time_limit_s < 100; p.time_limit_s *= 2) {
        mco_flowshop_result_clear(test_ctx, &r);
        assert_ok(mco_flowshop_solve(test_ctx, shop, &p, &r));
        assert_int_equal(r.stop, MCO_STOP_TIME);
    }
    assert_true(r.iterations > 0 && r.iterations < 30);
    p.resume = p.checkpoint;
    p.checkpoint = NULL;
    p.iterations = 0;
    assert_ok(mco_flowshop_solve(test_ctx, shop, &p, &resumed));
    assert_int_equal(resumed.makespan, r.makespan);
    assert_memory_equal(resumed.order, r.order, JOBS * sizeof *r.order);
    mco_flowshop_result_clear(test_ctx, &resumed);
    mco_flowshop_result_clear(test_ctx, &r);
    mco_flowshop_destroy(test_ctx, &shop);
}

// The greedy also has the time that is left after the widest beam, in the first run and in one that resumes a campaign whose widths are
// all done. Without a time limit both end there.
static void run_past_widest(int32_t n, int32_t m)
{
    mco_flowshop *shop = random_shop(n, m, 8, 99);
    mco_flowshop_result beams = MCO_FLOWSHOP_RESULT_INIT, r = MCO_FLOWSHOP_RESULT_INIT, resumed = MCO_FLOWSHOP_RESULT_INIT;
    mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
    p.method = MCO_FLOWSHOP_METHOD_BEAM;
    p.engine = MCO_ENGINE_CPU;
    p.threads = 2;
    p.memory = 1;
    p.checkpoint = test_path("beams");
    assert_ok(mco_flowshop_solve(test_ctx, shop, &p, &beams));
    assert_int_equal(beams.stop, MCO_STOP_MEMORY);
    p.time_limit_s = 0.3 + (TEST_IS_SANITIZED ? 2 : 8) * beams.work.solve_s;
    assert_ok(mco_flowshop_solve(test_ctx, shop, &p, &r));
    assert_int_equal(r.stop, MCO_STOP_TIME);
    assert_true(r.work.solve_s >= p.time_limit_s);
    // On a slow machine the clock may leave out widths.
    assert_true(r.beam_width <= beams.beam_width && r.iterations <= beams.iterations);
    assert_true(r.makespan <= beams.makespan);
    p.resume = p.checkpoint;
    p.time_limit_s = 0.2;
    assert_ok(mco_flowshop_solve(test_ctx, shop, &p, &resumed));
    assert_int_equal(resumed.stop, MCO_STOP_TIME);
    assert_true(resumed.makespan <= r.makespan);
    assert_true(resumed.iterations >= r.iterations);
    mco_flowshop_result_clear(test_ctx, &resumed);
    mco_flowshop_result_clear(test_ctx, &r);
    mco_flowshop_result_clear(test_ctx, &beams);
    mco_flowshop_destroy(test_ctx, &shop);
}

static void test_past_widest(void **state)
{
    (void)state;
    run_past_widest(50, 30);  // without targets
    run_past_widest(80, 20);  // with them
}

// A campaign that is cut after each beam and resumed ends as one without a cut.
static void test_resume(void **state)
{
    (void)state;
    enum { BEAMS = 12 };
    mco_flowshop *shop = random_shop(60, 9, 5, 99);
    mco_flowshop_result whole = solve(shop, MCO_ENGINE_CPU, MCO_SIMD_AUTO, 1, BEAMS);
    const char *path = test_path("beams");
    for (int64_t beams = 1; beams <= BEAMS; beams++) {
        mco_flowshop_result r = MCO_FLOWSHOP_RESULT_INIT;
        mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
        p.method = MCO_FLOWSHOP_METHOD_BEAM;
        p.threads = 1 + (int)(beams % 2);
        p.iterations = beams;
        p.checkpoint = path;
        p.resume = beams > 1 ? path : NULL;
        assert_ok(mco_flowshop_solve(test_ctx, shop, &p, &r));
        assert_false(r.is_checkpoint_lost);
        if (beams == BEAMS) {
            assert_int_equal(r.makespan, whole.makespan);
            assert_int_equal(r.bound, whole.bound);
            assert_int_equal(r.iterations, whole.iterations);
            assert_int_equal(r.beam_width, whole.beam_width);
            assert_memory_equal(r.order, whole.order, 60 * sizeof *r.order);
        }
        mco_flowshop_result_clear(test_ctx, &r);
    }
    mco_flowshop_result_clear(test_ctx, &whole);
    mco_flowshop_destroy(test_ctx, &shop);
}

// Blocks with their size before them; only the calling thread allocates.
enum { HEADER = 64 };
static size_t bytes_now, bytes_most, bytes_allowed = SIZE_MAX;

static void *allocate_counted(size_t bytes, void *user)
{
    (void)user;
    char *memory = bytes_now + bytes <= bytes_allowed ? malloc(bytes + HEADER) : NULL;
    if (memory == NULL)
        return NULL;
    memcpy(memory, &bytes, sizeof bytes);
    bytes_now += bytes;
    bytes_most = bytes_now > bytes_most ? bytes_now : bytes_most;
    return memory + HEADER;
}

static void release_counted(void *memory, void *user)
{
    (void)user;
    if (memory == NULL)
        return;
    size_t bytes;
    memcpy(&bytes, (char *)memory - HEADER, sizeof bytes);
    bytes_now -= bytes;
    free((char *)memory - HEADER);
}

// Beams end before they take more memory than they may.
static void run_in_memory(int32_t n, int32_t m, int threads, int64_t mib)
{
    mco_context_params params = MCO_CONTEXT_PARAMS_INIT;
    mco_context *ctx = NULL;
    mco_flowshop *shop = random_shop(n, m, 4, 99);
    mco_flowshop_result r = MCO_FLOWSHOP_RESULT_INIT;
    mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
    params.allocate = allocate_counted;
    params.release = release_counted;
    assert_ok(mco_context_create(&ctx, &params));
    bytes_now = bytes_most = 0;
    p.method = MCO_FLOWSHOP_METHOD_BEAM;
    p.threads = threads;
    p.memory = mib;
    assert_ok(mco_flowshop_solve(ctx, shop, &p, &r));
    assert_int_equal(r.stop, MCO_STOP_MEMORY);
    assert_true(r.beam_width > 100);
    assert_true(r.beam_bytes <= mib << 20);
    assert_true(bytes_most <= (size_t)mib << 20);
    assert_true(bytes_most * 4 >= (size_t)mib << 20);
    mco_flowshop_result_clear(ctx, &r);
    mco_context_destroy(&ctx);
    mco_flowshop_destroy(test_ctx, &shop);
}

static void test_memory_limit(void **state)
{
    (void)state;
    run_in_memory(80, 20, 1, 1);
    run_in_memory(120, 31, 2, TEST_IS_SANITIZED ? 1 : 3);
}

// Where an allocation fails, the error says so, and the checkpoint has the beams before.
static void test_failure(void **state)
{
    (void)state;
    const char *file = "beams_failed.ckpt";
    mco_context_params params = MCO_CONTEXT_PARAMS_INIT;
    mco_context *ctx = NULL;
    mco_flowshop *shop = random_shop(50, 20, 4, 99);
    mco_flowshop_result r = MCO_FLOWSHOP_RESULT_INIT;
    mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
    params.allocate = allocate_counted;
    params.release = release_counted;
    assert_ok(mco_context_create(&ctx, &params));
    remove(file);
    bytes_now = 0;
    bytes_allowed = 1 << 20;
    p.method = MCO_FLOWSHOP_METHOD_BEAM;
    p.threads = 1;
    p.checkpoint = file;
    assert_int_equal(mco_flowshop_solve(ctx, shop, &p, &r), MCO_ERR_MEMORY);
    bytes_allowed = SIZE_MAX;
    assert_non_null(strstr(mco_context_error(ctx), "memory"));
    p.checkpoint = NULL;
    p.resume = file;
    p.iterations = 0;
    assert_ok(mco_flowshop_solve(test_ctx, shop, &p, &r));
    assert_true(r.iterations > 5 && r.beam_width >= 32);
    remove(file);
    mco_flowshop_result_clear(test_ctx, &r);
    mco_context_destroy(&ctx);
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
    const struct CMUnitTest tests[] = {TEST(test_brute_force), TEST(test_engines), TEST(test_threads), TEST(test_proof), TEST(test_before_tree), TEST(test_limit), TEST(test_greedy_after_beams),
                                       TEST(test_past_widest), TEST(test_resume), TEST(test_memory_limit), TEST(test_failure), TEST(test_refused_engines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
