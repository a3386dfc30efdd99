// SPDX-License-Identifier: MIT
// The waste form of the guillotine GPU engine: value and plan against the cpu engine, from each cap on, over normal
// patterns and raster points. Also that the engine takes this form.
//
//     gpu_test_guillotine_waste FILE... [CAP]    times these instances instead, from that cap on: medians of 20 runs
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "gpu/gpu_support.h"
#include "guillotine/waste_gpu.h"

static long checks;
static mco_context *ctx;

#define MUST(call) GPU_CHECK((call) == MCO_OK, "%s", mco_context_error(ctx))
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum { FIRST_CAP = 400, SECOND_CAP = 4000, LAST_CAP = 32767, SPARSE = 8 };
static const int32_t caps[] = {FIRST_CAP, SECOND_CAP, LAST_CAP};

// ---- Instances

// Sides of pieces lie in [least, most] and are multiples of `steps`. A value is the area of the piece times a random
// factor from `share` thousandths to 1.
typedef struct shape {
    const char *name;
    int32_t width, height;
    int pieces;
    int32_t least_w, most_w, least_h, most_h, steps;
    int share;
    int rotate;
    int32_t kerf;
    int seeds;
} shape;

static const shape shapes[] = {
    {"one piece", 100, 100, 1, 7, 7, 9, 9, 1, 1000, 0, 0, 2},
    {"one pattern", 100, 100, 1, 60, 60, 60, 60, 1, 1000, 0, 0, 2},
    {"31 patterns", 31, 31, 4, 1, 4, 1, 4, 1, 1000, 0, 0, 6},
    {"33 patterns", 33, 33, 4, 1, 4, 1, 4, 1, 1000, 0, 0, 6},
    {"65 patterns", 65, 65, 5, 1, 6, 1, 6, 1, 1000, 0, 0, 6},
    {"small sides", 150, 170, 8, 3, 40, 2, 40, 1, 1000, 0, 0, 8},
    {"medium sides", 300, 250, 10, 20, 90, 30, 110, 1, 1000, 0, 0, 8},
    {"medium sides, weighted", 300, 250, 10, 20, 90, 30, 110, 1, 900, 0, 0, 8},
    {"large sides", 700, 600, 25, 150, 400, 130, 350, 1, 1000, 0, 0, 8},
    {"sides near a tile", 500, 500, 12, 63, 130, 64, 140, 1, 1000, 0, 0, 8},
    {"even sides", 600, 500, 12, 60, 200, 40, 200, 2, 1000, 0, 0, 8},
    {"sides by three", 900, 500, 12, 60, 200, 40, 200, 3, 1000, 0, 0, 8},
    {"rotation", 400, 300, 12, 40, 130, 50, 140, 1, 1000, 1, 0, 8},
    {"kerf", 400, 300, 12, 40, 130, 50, 140, 1, 1000, 0, 3, 8},
    {"kerf and rotation", 400, 300, 12, 40, 130, 30, 140, 1, 1000, 1, 2, 8},
    {"flat", 3000, 7, 9, 20, 300, 1, 4, 1, 1000, 0, 0, 6},
    {"high", 9, 3000, 9, 1, 5, 35, 300, 1, 1000, 0, 0, 6},
    {"many pieces", 700, 650, 30, 20, 300, 25, 350, 1, 1000, 1, 0, 4},
    {"many strips", 400, 420, 14, 5, 200, 6, 300, 1, 1000, 0, 0, 6},
    {"few positions", 1000, 900, 7, 101, 450, 90, 480, 1, 1000, 0, 0, 6},
};
static const shape large_shapes[] = {
    {"1000 patterns", 1200, 1300, 20, 70, 500, 90, 500, 1, 1000, 0, 0, 2},
    {"2000 patterns", 2400, 2100, 40, 200, 1200, 120, 900, 1, 1000, 1, 0, 2},
    {"2000 patterns of even sides", 4200, 2100, 40, 200, 1200, 120, 900, 2, 1000, 0, 0, 2},
    {"small sides", 1500, 1400, 10, 20, 700, 15, 900, 1, 990, 0, 0, 2},
};

static int32_t side_between(mco_rng *rng, int32_t least, int32_t most, int32_t steps)
{
    const int32_t side = least + (int32_t)mco_rng_below(rng, (uint32_t)(most - least + 1));
    return (side + steps - 1) / steps * steps;
}

static mco_guillotine *make(const shape *s, uint64_t seed)
{
    enum { WHOLE = 1000 };
    mco_guillotine_piece pieces[64];
    mco_guillotine *problem = NULL;
    mco_rng rng;
    mco_rng_seed(&rng, seed, 0);
    for (int k = 0; k < s->pieces; k++) {
        mco_guillotine_piece *p = &pieces[k];
        *p = (mco_guillotine_piece){.width = side_between(&rng, s->least_w, s->most_w, s->steps),
                                    .height = side_between(&rng, s->least_h, s->most_h, s->steps),
                                    .is_rotatable = true};
        const int share = s->share + (int)mco_rng_below(&rng, (uint32_t)(WHOLE - s->share + 1));
        p->value = (int64_t)p->width * p->height * share / WHOLE;
    }
    MUST(mco_guillotine_create(ctx, s->width, s->height, pieces, s->pieces, &problem));
    return problem;
}

static mco_gpu first_gpu(void)
{
    mco_gpu gpus[MCO_MAX_GPUS] = {{0}};
    int count = 0;
    const char *why_none;
    MUST(mco_gpus_list(ctx, gpus, &count, &why_none));
    return gpus[0];
}

// ---- Parity

static int64_t area(const guillotine_model *m)
{
    return (int64_t)m->x.at[m->x.count - 1] * m->y.at[m->y.count - 1];
}

static bool suits(const guillotine_model *m, int64_t value)
{
    return m->is_within_area && area(m) - value < LAST_CAP && m->x.side <= SPARSE * m->x.count && m->y.side <= SPARSE * m->y.count;
}

static void check_plan(const char *name, const mco_guillotine *problem, const mco_guillotine_params *params,
                       const guillotine_model *m, const guillotine_answer *a)
{
    mco_guillotine_node *nodes = NULL;
    int64_t count = 0, value = -1;
    MUST(guillotine_plan(ctx, problem, m, a->steps, a->step_count, MCO_GUILLOTINE_CUT_X, &nodes, &count));
    MUST(mco_guillotine_check(ctx, problem, params, nodes, count, &value));
    GPU_CHECK(value == a->value, "%s: a plan worth %lld, not %lld", name, (long long)value, (long long)a->value);
    mco_free(ctx, &nodes);
}

static void test_model(const char *name, const mco_guillotine *problem, const mco_guillotine_params *params,
                       const guillotine_model *m, int64_t expected)
{
    const mco_gpu gpu = first_gpu();
    if (m->x.count < 2 || m->y.count < 2)
        return;
    for (int k = 0; k < COUNT_OF(caps); k++) {
        const guillotine_job job = {.model = m, .threads = 1, .memory_bytes = (int64_t)1 << 34};
        guillotine_answer a = {.stop = MCO_STOP_FINISHED};
        bool is_solved = false;
        checks++;
        MUST(guillotine_gpu_run_waste(ctx, &job, &gpu, caps[k], &a, &is_solved));
        GPU_CHECK(is_solved || !suits(m, expected), "%s, %s, cap %d: not solved, waste %lld", name,
                  m->is_raster ? "raster points" : "patterns", (int)caps[k], (long long)(area(m) - expected));
        GPU_CHECK(!is_solved || a.value == expected, "%s, %s, cap %d: value %lld, expected %lld", name,
                  m->is_raster ? "raster points" : "patterns", (int)caps[k], (long long)a.value, (long long)expected);
        if (is_solved)
            check_plan(name, problem, params, m, &a);
        guillotine_answer_clear(ctx, &a);
    }
}

// Tests both models, and the engine as a whole.
static void test_problem(const char *name, mco_guillotine *problem, int rotate, int32_t kerf, int64_t expected)
{
    mco_guillotine_params p = MCO_GUILLOTINE_PARAMS_INIT;
    mco_guillotine_result r = MCO_GUILLOTINE_RESULT_INIT;
    guillotine_model patterns = {0}, raster = {0};
    p.rotate = rotate;
    p.kerf = kerf;
    if (expected < 0) {
        p.engine = MCO_ENGINE_CPU;
        MUST(mco_guillotine_solve(ctx, problem, &p, &r));
        expected = r.value;
        mco_guillotine_result_clear(ctx, &r);
    }
    MUST(guillotine_model_create(ctx, problem, &p, NULL, &patterns));
    MUST(guillotine_model_raster(ctx, &patterns, &raster));
    test_model(name, problem, &p, &patterns, expected);
    test_model(name, problem, &p, &raster, expected);
    p.engine = MCO_ENGINE_GPU;
    MUST(mco_guillotine_solve(ctx, problem, &p, &r));
    checks++;
    GPU_CHECK(r.value == expected, "%s: value %lld, expected %lld", name, (long long)r.value, (long long)expected);
    mco_guillotine_result_clear(ctx, &r);
    guillotine_model_clear(ctx, &patterns);
    guillotine_model_clear(ctx, &raster);
}

static void test_shapes(const shape *list, int count)
{
    for (int k = 0; k < count; k++)
        for (int seed = 1; seed <= list[k].seeds && gpu_failures < 20; seed++) {
            mco_guillotine *problem = make(&list[k], (uint64_t)seed);
            test_problem(list[k].name, problem, list[k].rotate, list[k].kerf, -1);
            mco_guillotine_destroy(ctx, &problem);
        }
}

// The optimum is the area of the plate.
static void test_randcut(void)
{
    static const int32_t sides[][3] = {{500, 400, 9}, {1000, 1000, 12}, {1500, 1200, 8}, {4000, 4000, 20}, {6000, 6000, 30}};
    for (int k = 0; k < COUNT_OF(sides); k++)
        for (int64_t seed = 1; seed <= 3 && gpu_failures < 20; seed++) {
            mco_guillotine *problem = NULL;
            MUST(mco_guillotine_randcut(ctx, sides[k][0], sides[k][1], sides[k][2], seed, &problem));
            test_problem("randcut", problem, 0, 0, (int64_t)sides[k][0] * sides[k][1]);
            mco_guillotine_destroy(ctx, &problem);
        }
}

// ---- Times

enum { RUNS = 20 };

static int compare_doubles(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return p < q ? -1 : p > q;
}

static double median_ms(double *seconds)
{
    qsort(seconds, RUNS, sizeof *seconds, compare_doubles);
    return 1e3 * (seconds[RUNS / 2 - 1] + seconds[RUNS / 2]) / 2;
}

static void time_model(const char *name, const guillotine_model *m, int32_t first_cap)
{
    const mco_gpu gpu = first_gpu();
    const guillotine_job job = {.model = m, .threads = 1, .memory_bytes = (int64_t)1 << 36};
    double device_s[RUNS], run_s[RUNS];
    guillotine_answer a = {.stop = MCO_STOP_FINISHED};
    bool is_solved = false;
    for (int k = -1; k < RUNS; k++) {  // the first run opens the device
        guillotine_answer_clear(ctx, &a);
        a = (guillotine_answer){.stop = MCO_STOP_FINISHED};
        const double begin_s = mco_clock_s();
        if (guillotine_gpu_run_waste(ctx, &job, &gpu, first_cap, &a, &is_solved) != MCO_OK) {
            GPU_CHECK(false, "%s: %s", name, mco_context_error(ctx));
            break;
        }
        if (k < 0)
            continue;
        device_s[k] = a.work.device_s;
        run_s[k] = mco_clock_s() - begin_s;
    }
    if (gpu_failures == 0)
        printf("%s, %s: %d x %d, value %lld, %s, %d passes, %.4g sums of %.4g: kernels %.3f ms, run %.3f ms\n", name,
               m->is_raster ? "raster points" : "patterns", m->x.count - 1, m->y.count - 1, (long long)a.value,
               is_solved ? "solved" : "not solved", (int)a.passes, (double)a.relaxations,
               (double)guillotine_all_relaxations(&job), median_ms(device_s), median_ms(run_s));
    guillotine_answer_clear(ctx, &a);
}

static void time_file(const char *path, int32_t first_cap)
{
    const mco_guillotine_params p = MCO_GUILLOTINE_PARAMS_INIT;
    mco_guillotine *problem = NULL;
    guillotine_model patterns = {0}, raster = {0};
    if (mco_guillotine_read(ctx, path, &problem) != MCO_OK) {
        GPU_CHECK(false, "%s", mco_context_error(ctx));
        return;
    }
    MUST(guillotine_model_create(ctx, problem, &p, NULL, &patterns));
    MUST(guillotine_model_raster(ctx, &patterns, &raster));
    time_model(path, &patterns, first_cap);
    time_model(path, &raster, first_cap);
    guillotine_model_clear(ctx, &patterns);
    guillotine_model_clear(ctx, &raster);
    mco_guillotine_destroy(ctx, &problem);
}

int main(int argc, char **argv)
{
    const int32_t first_cap = argc > 2 ? (int32_t)strtol(argv[argc - 1], NULL, 10) : 0;  // 0: a file
    mco_device device;
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return EXIT_FAILURE;
    gpu_open_first(ctx, &device);
    for (int k = 1; k < argc - (first_cap > 0); k++)
        time_file(argv[k], first_cap);
    if (argc == 1) {
        test_shapes(shapes, COUNT_OF(shapes));
        test_shapes(large_shapes, COUNT_OF(large_shapes));
        test_randcut();
    }
    mco_device_close(&device);
    mco_context_destroy(&ctx);
    return argc > 1 && gpu_failures == 0 ? EXIT_SUCCESS : gpu_summary("guillotine waste", checks);
}
