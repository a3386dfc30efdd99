// SPDX-License-Identifier: MIT
// Beams on GPUs against beams on the cores: equal schedules, bounds and numbers of beams. With arguments FILE or NAME, a first width, a
// last one and perhaps GPUs (as --gpus), it times one beam of each width that doubles from the first, without targets, and prints its rate.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "flowshop/beam/gpu/engine.h"
#include "gpu/gpu_support.h"

static long checks;
static double begin_s;  // of the program

static void must(mco_context *ctx, mco_status st)
{
    if (st == MCO_OK)
        return;
    fprintf(stderr, "%s: %s\n", mco_status_text(st), mco_context_error(ctx));
    exit(EXIT_FAILURE);
}

// ---- Instances

enum { SKEWED = -1 };  // as `largest`: times of 0 and 1, one in eight of 500, so that tangents fall below 0

static mco_flowshop *random_shop(mco_context *ctx, int32_t n, int32_t m, int32_t largest)
{
    mco_flowshop *shop = NULL;
    mco_rng rng;
    int32_t *times = NULL;
    must(ctx, mco_alloc(ctx, &times, (int64_t)n * m));
    mco_rng_seed(&rng, 11, (uint64_t)n * 1000 + (uint64_t)m);
    for (int32_t c = 0; c < n * m; c++)
        times[c] = largest == SKEWED ? (mco_rng_below(&rng, 8) == 0 ? 500 : (int32_t)mco_rng_below(&rng, 2))
                                     : (int32_t)mco_rng_below(&rng, (uint32_t)largest + 1);
    must(ctx, mco_flowshop_create(ctx, n, m, times, &shop));
    mco_free(ctx, &times);
    return shop;
}

static mco_flowshop_result solve(mco_context *ctx, const mco_flowshop *shop, mco_engine engine, int64_t beams)
{
    mco_flowshop_result result = MCO_FLOWSHOP_RESULT_INIT;
    mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
    p.method = MCO_FLOWSHOP_METHOD_BEAM;
    p.engine = engine;
    p.iterations = beams;
    p.time_limit_s = 60;  // where the cores are slow, the test fails instead of waiting
    must(ctx, mco_flowshop_solve(ctx, shop, &p, &result));
    return result;
}

static void compare(mco_context *ctx, const mco_flowshop *shop, int64_t beams, const char *what)
{
    const int32_t n = mco_flowshop_jobs(shop), m = mco_flowshop_machines(shop);
    mco_flowshop_result cores = solve(ctx, shop, MCO_ENGINE_CPU, beams), gpu = solve(ctx, shop, MCO_ENGINE_GPU, beams);
    GPU_CHECK(gpu.makespan == cores.makespan && gpu.bound == cores.bound && gpu.iterations == cores.iterations,
              "%s %dx%d, %lld beams: makespan %lld, bound %lld, beams %lld; the cores have %lld, %lld, %lld", what, n, m, (long long)beams,
              (long long)gpu.makespan, (long long)gpu.bound, (long long)gpu.iterations, (long long)cores.makespan,
              (long long)cores.bound, (long long)cores.iterations);
    GPU_CHECK(memcmp(gpu.order, cores.order, (size_t)n * sizeof *gpu.order) == 0, "%s %dx%d, %lld beams: another order", what, n, m,
              (long long)beams);
    GPU_CHECK(gpu.work.engine == MCO_ENGINE_GPU && gpu.work.gpus != 0, "%s: engine %s", what, mco_engine_text(gpu.work.engine));
    checks += 3;
    mco_flowshop_result_clear(ctx, &gpu);
    mco_flowshop_result_clear(ctx, &cores);
}

static void test_random(mco_context *ctx, int32_t n, int32_t m, int32_t largest, int64_t beams)
{
    mco_flowshop *shop = random_shop(ctx, n, m, largest);
    compare(ctx, shop, beams, largest == SKEWED ? "skewed" : "random");
    mco_flowshop_destroy(ctx, &shop);
}

// Jobs around the limits of warps, blocks of children and sets; machines around quads and warps; times of one and two bytes.
static void test_shapes(mco_context *ctx)
{
    static const int32_t jobs[] = {2, 3, 31, 32, 33, 64, 65, 96, 128, 129, 193}, machines[] = {1, 3, 4, 5, 20, 31, 33, 60};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) {
            const int32_t largest = (i + k) % 3 == 0 ? SKEWED : (i + k) % 3 == 1 ? 99 : 200;
            test_random(ctx, jobs[i], machines[k], largest, 6);
        }
    test_random(ctx, 500, 20, 99, 7);
    test_random(ctx, 500, 60, 99, 6);
    test_random(ctx, 1024, 20, 40, 4);
    test_random(ctx, 9, 5, 5000, -1);
    test_random(ctx, 5, 128, 127, -1);
    printf("shapes: %ld checks, %.1f s\n", checks, mco_clock_s() - begin_s);
}

// Widths beyond the blocks of all kernels, some with many ties. The cores take seconds for them.
static void test_widths(mco_context *ctx)
{
    static const struct { const char *name; int64_t beams; } cases[] = {{"ta001", -1}, {"ta031", 20}, {"ta051", 16}, {"ta081", 45}, {"ta101", 45}};
    mco_flowshop *shop = NULL;
    test_random(ctx, 40, 10, 3, 14);
    test_random(ctx, 100, 40, 99, 12);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        must(ctx, mco_flowshop_taillard(ctx, cases[i].name, &shop));
        compare(ctx, shop, cases[i].beams, cases[i].name);
        mco_flowshop_destroy(ctx, &shop);
    }
    printf("widths: %ld checks, %.1f s\n", checks, mco_clock_s() - begin_s);
}

// Engine auto goes to the GPU, and gives the schedule of the cores.
static void test_auto(mco_context *ctx)
{
    enum { BEAMS = 13 };  // the last one takes the cores more than a second
    mco_flowshop *shop = random_shop(ctx, 200, 40, 99);
    mco_flowshop_result cores = solve(ctx, shop, MCO_ENGINE_CPU, BEAMS), both = solve(ctx, shop, MCO_ENGINE_AUTO, BEAMS);
    GPU_CHECK(both.makespan == cores.makespan && memcmp(both.order, cores.order, 200 * sizeof *both.order) == 0,
              "auto: makespan %lld, the cores have %lld", (long long)both.makespan, (long long)cores.makespan);
    checks++;
    mco_flowshop_result_clear(ctx, &both);
    mco_flowshop_result_clear(ctx, &cores);
    mco_flowshop_destroy(ctx, &shop);
}

// A limit cuts a beam off soon, and the answer is what was known.
static void test_limit(mco_context *ctx)
{
    mco_flowshop *shop = NULL;
    mco_flowshop_result r = MCO_FLOWSHOP_RESULT_INIT;
    mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
    must(ctx, mco_flowshop_taillard(ctx, "ta101", &shop));
    p.method = MCO_FLOWSHOP_METHOD_BEAM;
    p.engine = MCO_ENGINE_GPU;
    p.time_limit_s = 4;
    const double start_s = mco_clock_s();
    must(ctx, mco_flowshop_solve(ctx, shop, &p, &r));
    const double seconds = mco_clock_s() - start_s;
    GPU_CHECK(r.stop == MCO_STOP_TIME && r.makespan >= 11158 && r.bound <= 11158, "limit: stop %d, makespan %lld, bound %lld", (int)r.stop,
              (long long)r.makespan, (long long)r.bound);
    GPU_CHECK(seconds < 5, "a limit of 4 s took %.2f s", seconds);
    printf("limit of 4 s: %.2f s, makespan %lld, bound %lld\n", seconds, (long long)r.makespan, (long long)r.bound);
    checks += 2;
    mco_flowshop_result_clear(ctx, &r);
    mco_flowshop_destroy(ctx, &shop);
}

// An instance beyond a limit is refused even where the first schedule is optimal, so that no beam would run.
static void test_refusals(mco_context *ctx)
{
    mco_flowshop_result r = MCO_FLOWSHOP_RESULT_INIT;
    mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
    p.method = MCO_FLOWSHOP_METHOD_BEAM;
    p.engine = MCO_ENGINE_GPU;
    static const struct { int32_t jobs, machines, largest; } cases[] = {{1025, 5, 9}, {10, 129, 9}, {70, 20, 1000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mco_flowshop *shop = random_shop(ctx, cases[i].jobs, cases[i].machines, cases[i].largest);
        const mco_status st = mco_flowshop_solve(ctx, shop, &p, &r);
        GPU_CHECK(st == MCO_ERR_LIMIT, "%dx%d: %s", cases[i].jobs, cases[i].machines, mco_status_text(st));
        checks++;
        mco_flowshop_result_clear(ctx, &r);
        mco_flowshop_destroy(ctx, &shop);
    }
}

// ---- Single beams

// The shape of beam.c, for the engine alone.
typedef struct single {
    flowshop_beam_shape shape;
    int32_t *times, *totals, *means;
} single;

static single make_single(mco_context *ctx, const mco_flowshop *shop)
{
    const int32_t n = mco_flowshop_jobs(shop), m = mco_flowshop_machines(shop);
    single s = {.shape = {.jobs = n, .machines = m, .words = (n + 63) / 64, .largest = 1, .idle_share = 1}};
    must(ctx, mco_alloc(ctx, &s.times, (int64_t)n * m));
    must(ctx, mco_alloc(ctx, &s.totals, m));
    must(ctx, mco_alloc(ctx, &s.means, m));
    for (int32_t k = 0; k < m; k++)
        for (int32_t j = 0; j < n; j++) {
            const int32_t time = s.times[(int64_t)j * m + k] = mco_flowshop_time(shop, k, j);
            s.totals[k] += time;
            s.shape.largest = time > s.shape.largest ? time : s.shape.largest;
        }
    for (int32_t k = 0; k < m; k++)
        s.means[k] = s.totals[k] / n > 0 ? s.totals[k] / n : 1;
    while (s.shape.shift < 8 && (int64_t)s.shape.largest * m << (s.shape.shift + 1) <= UINT16_MAX)
        s.shape.shift++;
    s.shape.times = s.times;
    s.shape.totals = s.totals;
    s.shape.means = s.means;
    return s;
}

static void free_single(mco_context *ctx, single *s)
{
    mco_free(ctx, &s->means);
    mco_free(ctx, &s->totals);
    mco_free(ctx, &s->times);
}

static bool never(void *state)
{
    (void)state;
    return false;
}

// A beam that does not fit is refused with what it takes, and one that fits runs.
static void test_memory(mco_context *ctx, const mco_gpu *gpu)
{
    mco_flowshop *shop = random_shop(ctx, 500, 20, 99);
    single s = make_single(ctx, shop);
    flowshop_beam_gpu *beams = NULL;
    flowshop_beam_gpu_answer answer;
    int32_t order[500], depth = 0;
    must(ctx, flowshop_beam_gpu_open(ctx, gpu, 1, &s.shape, 50000, INFINITY, &beams));
    flowshop_beam_gpu_task task = {flowshop_beam_gpu_widest(beams) + 1, 50000, 1, 1, never, NULL, &depth};
    GPU_CHECK(flowshop_beam_gpu_run(beams, &task, &answer, order) == MCO_ERR_MEMORY, "%lld nodes fit", (long long)task.width);
    printf("refused: %s\n", mco_context_error(ctx));
    task.width = 300;
    must(ctx, flowshop_beam_gpu_run(beams, &task, &answer, order));
    GPU_CHECK(answer.is_complete && answer.makespan < 50000 && answer.has_discarded, "makespan %lld", (long long)answer.makespan);
    checks += 2;
    flowshop_beam_gpu_close(ctx, &beams);
    free_single(ctx, &s);
    mco_flowshop_destroy(ctx, &shop);
}

// --memory ends a run without a time limit before it takes more, and the widest beam fills nearly all of it.
static void test_memory_limit(mco_context *ctx)
{
    enum { MIB = 64 };
    mco_flowshop *shop = random_shop(ctx, 200, 40, 99);
    mco_flowshop_result r = MCO_FLOWSHOP_RESULT_INIT;
    mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
    p.method = MCO_FLOWSHOP_METHOD_BEAM;
    p.engine = MCO_ENGINE_GPU;
    p.memory = MIB;
    must(ctx, mco_flowshop_solve(ctx, shop, &p, &r));
    GPU_CHECK(r.stop == MCO_STOP_MEMORY, "%d MiB: stop %d", MIB, (int)r.stop);
    GPU_CHECK(r.beam_bytes <= MIB << 20 && 10 * r.beam_bytes > 9 * (int64_t)(MIB << 20), "%d MiB: width %lld takes %lld bytes", MIB,
              (long long)r.beam_width, (long long)r.beam_bytes);
    printf("limit of %d MiB: width %lld, %lld bytes\n", MIB, (long long)r.beam_width, (long long)r.beam_bytes);
    checks += 2;
    mco_flowshop_result_clear(ctx, &r);
    mco_flowshop_destroy(ctx, &shop);
}

// The same beam on `parts` parts: one GPU several times, then all GPUs there are, in turns.
static void compare_parts(mco_context *ctx, const mco_gpu *gpus, int gpu_count, int32_t n, int32_t m, int32_t largest, int64_t width, int parts)
{
    enum { LOOSE = 40000 };
    mco_flowshop *shop = random_shop(ctx, n, m, largest);
    single s = make_single(ctx, shop);
    mco_gpu chosen[3];
    flowshop_beam_gpu *beams = NULL;
    flowshop_beam_gpu_answer one, all;
    int32_t depth = 0, *orders[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++)
        must(ctx, mco_alloc(ctx, &orders[i], n));
    for (int p = 0; p < parts; p++)
        chosen[p] = gpus[p % gpu_count];
    must(ctx, flowshop_beam_gpu_open(ctx, chosen, parts, &s.shape, LOOSE, INFINITY, &beams));
    flowshop_beam_gpu_task task = {width, LOOSE, 1, 1, never, NULL, &depth};
    for (int i = 0; i < 2; i++) {  // the second time few children are below `upper`
        task.gpus = 1;
        must(ctx, flowshop_beam_gpu_run(beams, &task, &one, orders[0]));
        task.gpus = parts;
        must(ctx, flowshop_beam_gpu_run(beams, &task, &all, orders[1]));
        GPU_CHECK(all.makespan == one.makespan && all.bounded == one.bounded && all.has_discarded == one.has_discarded,
                  "%dx%d, width %lld, %d parts on %d GPUs: makespan %lld, %lld children; one part has %lld, %lld", n, m, (long long)width, parts,
                  gpu_count, (long long)all.makespan, (long long)all.bounded, (long long)one.makespan, (long long)one.bounded);
        GPU_CHECK(one.makespan == INT64_MAX || memcmp(orders[0], orders[1], (size_t)n * sizeof *orders[0]) == 0,
                  "%dx%d, width %lld, %d parts: another order", n, m, (long long)width, parts);
        checks += 2;
        task.upper = one.makespan < task.upper ? one.makespan : task.upper;
    }
    flowshop_beam_gpu_close(ctx, &beams);
    mco_free(ctx, &orders[1]);
    mco_free(ctx, &orders[0]);
    free_single(ctx, &s);
    mco_flowshop_destroy(ctx, &shop);
}

// Parts with no node, with one, with few and with many; lists of candidates that are too short (few values of times).
static void test_parts(mco_context *ctx)
{
    static const struct { int32_t jobs, machines, largest; int64_t width; } cases[] = {
        {2, 3, 9, 1}, {9, 5, 99, 2}, {20, 5, 1, 300}, {33, 4, 2, 1000}, {40, 10, 99, 5000}, {100, 20, 99, 777}, {120, 33, 200, 2048}, {64, 5, SKEWED, 3000}};
    mco_gpu gpus[MCO_MAX_GPUS];
    int count = 0;
    const char *reason = NULL;
    must(ctx, mco_gpus_list(ctx, gpus, &count, &reason));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int parts = 2; parts <= 3; parts++)
            for (int k = 1; k <= (count < 2 ? count : 2); k++)
                compare_parts(ctx, gpus, k, cases[i].jobs, cases[i].machines, cases[i].largest, cases[i].width, parts);
    printf("parts on 1%s: %ld checks, %.1f s\n", count > 1 ? " and 2 GPUs" : " GPU", checks, mco_clock_s() - begin_s);
}

// Every beam prunes at the best schedule of those before, as a run without targets does.
static int tell_rate(mco_context *ctx, const mco_gpu *gpus, int count, const char *name, int64_t first, int64_t last)
{
    mco_flowshop *shop = NULL;
    flowshop_beam_gpu *beams = NULL;
    flowshop_beam_gpu_answer answer;
    int32_t *order = NULL, depth = 0;
    int64_t upper;
    must(ctx, strncmp(name, "ta", 2) == 0 ? mco_flowshop_taillard(ctx, name, &shop) : mco_flowshop_read(ctx, name, 0, &shop));
    single s = make_single(ctx, shop);
    must(ctx, mco_alloc(ctx, &order, s.shape.jobs));
    for (int32_t j = 0; j < s.shape.jobs; j++)
        order[j] = j;
    must(ctx, mco_flowshop_check(ctx, shop, order, s.shape.jobs, &upper));
    must(ctx, flowshop_beam_gpu_open(ctx, gpus, count, &s.shape, upper, INFINITY, &beams));
    for (int64_t width = first; width <= last && width <= flowshop_beam_gpu_widest(beams); width *= 2) {
        const flowshop_beam_gpu_task task = {width, upper, count, 1, never, NULL, &depth};
        const double start_s = mco_clock_s();
        must(ctx, flowshop_beam_gpu_run(beams, &task, &answer, order));
        const double seconds = mco_clock_s() - start_s;
        upper = answer.makespan < upper ? answer.makespan : upper;
        printf("%s width %lld: makespan %lld, %.4f s, %.3g children, %.2f G/s, %.2f GB\n", mco_flowshop_name(shop), (long long)width,
               (long long)upper, seconds, (double)answer.bounded, 1e-9 * (double)answer.bounded / seconds,
               1e-9 * flowshop_beam_gpu_bytes(beams, width));
        fflush(stdout);
    }
    flowshop_beam_gpu_close(ctx, &beams);
    mco_free(ctx, &order);
    free_single(ctx, &s);
    mco_flowshop_destroy(ctx, &shop);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    mco_context *ctx = NULL;
    mco_device device = {0};
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return EXIT_FAILURE;
    gpu_open_first(ctx, &device);
    const mco_gpu gpu = device.info;
    begin_s = mco_clock_s();
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    mco_device_close(&device);
    int code;
    if (argc == 4 && strcmp(argv[1], "random") == 0) {  // random JOBS MACHINES: a small case, for memory checkers
        test_random(ctx, (int32_t)atoi(argv[2]), (int32_t)atoi(argv[3]), 99, 7);
        code = gpu_summary("flowshop beams", checks);
    } else if (argc == 2 && strcmp(argv[1], "parts") == 0) {
        test_parts(ctx);
        code = gpu_summary("flowshop beams", checks);
    } else if (argc == 4 || argc == 5) {
        mco_gpu gpus[MCO_MAX_GPUS];
        int count = 0;
        must(ctx, mco_gpus_choose(ctx, argc == 5 ? argv[4] : NULL, gpus, &count));
        code = tell_rate(ctx, gpus, count, argv[1], atoll(argv[2]), atoll(argv[3]));
    } else {
        test_parts(ctx);
        test_shapes(ctx);
        test_widths(ctx);
        test_auto(ctx);
        test_limit(ctx);
        test_refusals(ctx);
        test_memory(ctx, &gpu);
        test_memory_limit(ctx);
        code = gpu_summary("flowshop beams", checks);
    }
    mco_context_destroy(&ctx);
    return code;
}
