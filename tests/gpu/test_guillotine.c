// SPDX-License-Identifier: MIT
// Guillotine cutting on a GPU: every value of the table and the plan against the reference, or against the cpu engine
// if the reference is slow. Random plates of many shapes, in 32 and 64 bits; refusals and stops.
//
//     gpu_test_guillotine FILE... [table]    times these instances instead: medians of 20 solves, and what the phases of
//                                            one take
#include <string.h>

#include "base/rng.h"
#include "gpu/gpu_support.h"

static long checks;
static mco_context *ctx;

#define MUST(call) GPU_CHECK((call) == MCO_OK, "%s", mco_context_error(ctx))

// ---- Instances

// Sides of pieces lie in [least, most]; with `steps` above 1 they are multiples of it.
typedef struct shape {
    const char *name;
    int32_t width, height;
    int pieces;
    int32_t least_w, most_w, least_h, most_h, steps;
    int64_t most_value;  // 0: the area; else random values up to this
    int rotate;
    int32_t kerf;
} shape;

static const shape shapes[] = {
    {"one piece", 100, 100, 1, 7, 7, 9, 9, 1, 0, 0, 0},
    {"one pattern", 100, 100, 1, 60, 60, 60, 60, 1, 0, 0, 0},
    {"one large piece", 64, 64, 1, 64, 64, 64, 64, 1, 0, 0, 0},
    {"no piece fits", 50, 50, 3, 51, 70, 51, 70, 1, 0, 0, 0},
    {"31 patterns", 31, 31, 4, 1, 4, 1, 4, 1, 30, 0, 0},
    {"32 patterns", 32, 32, 4, 1, 4, 1, 4, 1, 30, 0, 0},
    {"33 patterns", 33, 33, 4, 1, 4, 1, 4, 1, 30, 0, 0},
    {"64 patterns", 64, 64, 5, 1, 6, 1, 6, 1, 60, 0, 0},
    {"65 patterns", 65, 65, 5, 1, 6, 1, 6, 1, 60, 0, 0},
    {"small sides", 150, 170, 8, 3, 40, 2, 40, 1, 2000, 0, 0},
    {"medium sides", 300, 250, 10, 20, 90, 30, 110, 1, 0, 0, 0},
    {"medium sides, weighted", 300, 250, 10, 20, 90, 30, 110, 1, 10000, 0, 0},
    {"large sides", 700, 600, 25, 150, 400, 130, 350, 1, 0, 0, 0},
    {"sides near a tile", 500, 500, 12, 63, 130, 64, 140, 1, 0, 0, 0},
    {"even sides", 600, 500, 12, 60, 200, 40, 200, 2, 0, 0, 0},
    {"rotation", 400, 300, 12, 40, 130, 50, 140, 1, 0, 1, 0},
    {"kerf", 400, 300, 12, 40, 130, 50, 140, 1, 0, 0, 3},
    {"kerf and rotation, weighted", 400, 300, 12, 40, 130, 30, 140, 1, 30000, 1, 2},
    {"flat", 3000, 7, 9, 20, 300, 1, 4, 1, 0, 0, 0},
    {"high", 9, 3000, 9, 1, 5, 35, 300, 1, 0, 0, 0},
    {"64 bits", 300, 250, 10, 20, 90, 30, 110, 1, (int64_t)1 << 45, 0, 0},
    {"64 bits, small sides", 130, 140, 6, 2, 30, 2, 30, 1, (int64_t)1 << 45, 0, 0},
    {"64 bits, large sides", 700, 600, 25, 150, 400, 130, 350, 1, (int64_t)1 << 45, 0, 0},
};
static const shape large_shapes[] = {
    {"1000 patterns", 1200, 1300, 20, 70, 500, 90, 500, 1, 0, 0, 0},
    {"1000 patterns, weighted", 1200, 1300, 20, 70, 500, 90, 500, 1, 100000, 0, 0},
    {"2000 patterns", 2400, 2100, 40, 200, 1200, 120, 900, 1, 0, 0, 0},
    {"2000 patterns of even sides", 4200, 2100, 40, 200, 1200, 120, 900, 2, 0, 0, 0},
    {"small sides", 1500, 1400, 10, 20, 700, 15, 900, 1, 0, 0, 0},
    {"64 bits", 1200, 1300, 20, 70, 500, 90, 500, 1, (int64_t)1 << 45, 0, 0},
};
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

static int32_t side_between(mco_rng *rng, int32_t least, int32_t most, int32_t steps)
{
    const int32_t side = least + (int32_t)mco_rng_below(rng, (uint32_t)(most - least + 1));
    return (side + steps - 1) / steps * steps;
}

static mco_guillotine *make(const shape *s, uint64_t seed)
{
    mco_guillotine_piece pieces[64];
    mco_guillotine *problem = NULL;
    mco_rng rng;
    mco_rng_seed(&rng, seed, 0);
    for (int k = 0; k < s->pieces; k++) {
        mco_guillotine_piece *p = &pieces[k];
        *p = (mco_guillotine_piece){.width = side_between(&rng, s->least_w, s->most_w, s->steps),
                                    .height = side_between(&rng, s->least_h, s->most_h, s->steps),
                                    .is_rotatable = true};
        const uint64_t random = mco_rng_next(&rng);
        p->value = s->most_value > 0 ? (int64_t)(random % (uint64_t)s->most_value) : (int64_t)p->width * p->height;
    }
    MUST(mco_guillotine_create(ctx, s->width, s->height, pieces, s->pieces, &problem));
    return problem;
}

// ---- Parity

static mco_guillotine_result solve(const mco_guillotine *problem, const shape *s, mco_engine engine, int wants_table)
{
    mco_guillotine_params p = MCO_GUILLOTINE_PARAMS_INIT;
    mco_guillotine_result r = MCO_GUILLOTINE_RESULT_INIT;
    p.engine = engine;
    p.rotate = s->rotate;
    p.kerf = s->kerf;
    p.wants_table = wants_table;
    MUST(mco_guillotine_solve(ctx, problem, &p, &r));
    return r;
}

static int64_t value_at(const mco_guillotine_table *t, int64_t cell)
{
    return t->values_32 != NULL ? t->values_32[cell] : t->values[cell];
}

static void expect_equal(const shape *s, uint64_t seed, const mco_guillotine_table *seen, const mco_guillotine_table *expected)
{
    GPU_CHECK(seen->columns == expected->columns && seen->rows == expected->rows, "%s %llu: a table of %lld x %lld, not %lld x %lld",
              s->name, (unsigned long long)seed, (long long)seen->columns, (long long)seen->rows, (long long)expected->columns,
              (long long)expected->rows);
    for (int64_t k = 0; k < seen->columns * seen->rows; k++) {
        checks++;
        if (value_at(seen, k) == value_at(expected, k))
            continue;
        GPU_CHECK(false, "%s %llu: %lld at position %lld, %lld, expected %lld", s->name, (unsigned long long)seed,
                  (long long)value_at(seen, k), (long long)(k / seen->rows), (long long)(k % seen->rows),
                  (long long)value_at(expected, k));
        return;
    }
}

// The solve itself has checked that the plan is worth the value.
static void test_shape(const shape *s, uint64_t seed, mco_engine oracle)
{
    mco_guillotine *problem = make(s, seed);
    if (problem == NULL)
        return;
    mco_guillotine_result expected = solve(problem, s, oracle, 1);
    for (int wants_table = 0; wants_table < 2; wants_table++) {
        mco_guillotine_result seen = solve(problem, s, MCO_ENGINE_GPU, wants_table);
        checks++;
        GPU_CHECK(seen.value == expected.value, "%s %llu: value %lld, expected %lld", s->name, (unsigned long long)seed,
                  (long long)seen.value, (long long)expected.value);
        if (wants_table)
            expect_equal(s, seed, &seen.table, &expected.table);
        mco_guillotine_result_clear(ctx, &seen);
    }
    mco_guillotine_result_clear(ctx, &expected);
    mco_guillotine_destroy(ctx, &problem);
}

static void test_randcut(void)
{
    static const int32_t sides[][3] = {{500, 400, 9}, {1000, 1000, 12}, {1500, 1200, 8}};
    for (int k = 0; k < COUNT_OF(sides); k++)
        for (int64_t seed = 1; seed <= 3; seed++) {
            mco_guillotine *problem = NULL;
            const shape plain = {.name = "randcut"};
            MUST(mco_guillotine_randcut(ctx, sides[k][0], sides[k][1], sides[k][2], seed, &problem));
            mco_guillotine_result r = solve(problem, &plain, MCO_ENGINE_GPU, 0);
            checks++;
            GPU_CHECK(r.value == (int64_t)sides[k][0] * sides[k][1], "randcut %d x %d, %lld: value %lld, the area was expected",
                      (int)sides[k][0], (int)sides[k][1], (long long)seed, (long long)r.value);
            mco_guillotine_result_clear(ctx, &r);
            mco_guillotine_destroy(ctx, &problem);
        }
}

// ---- Refusals and stops

static int cancel(const mco_progress *progress, void *user)
{
    (void)progress;
    (void)user;
    return 1;
}

static void test_limits(void)
{
    const shape *s = &large_shapes[2];
    mco_guillotine *problem = make(s, 5), *long_plate = NULL;
    mco_guillotine_params p = MCO_GUILLOTINE_PARAMS_INIT;
    mco_guillotine_result r = MCO_GUILLOTINE_RESULT_INIT;
    p.engine = MCO_ENGINE_GPU;
    p.memory = 1;
    GPU_CHECK(mco_guillotine_solve(ctx, problem, &p, &r) == MCO_ERR_LIMIT, "%s", mco_context_error(ctx));
    p.memory = 0;
    p.stages = 2;
    GPU_CHECK(mco_guillotine_solve(ctx, problem, &p, &r) == MCO_ERR_ARGUMENT, "%s", mco_context_error(ctx));
    p.stages = 0;
    p.gpus = "77";
    GPU_CHECK(mco_guillotine_solve(ctx, problem, &p, &r) == MCO_ERR_DEVICE, "%s", mco_context_error(ctx));
    p.engine = MCO_ENGINE_AUTO;  // the cores do what the GPU has no room for
    p.gpus = "0";
    MUST(mco_guillotine_create(ctx, (1 << 25) + 1, 50, (mco_guillotine_piece[]){{10000019, 20, 3, true}, {7000003, 9, 1, true}}, 2, &long_plate));
    MUST(mco_guillotine_solve(ctx, long_plate, &p, &r));
    GPU_CHECK(r.work.engine == MCO_ENGINE_CPU && r.outcome == MCO_OUTCOME_OPTIMAL, "engine %s", mco_engine_text(r.work.engine));
    mco_guillotine_result_clear(ctx, &r);
    mco_guillotine_destroy(ctx, &long_plate);
    p.engine = MCO_ENGINE_GPU;
    p.gpus = NULL;
    mco_context_set_callback(ctx, cancel, NULL);
    MUST(mco_guillotine_solve(ctx, problem, &p, &r));
    GPU_CHECK(r.stop == MCO_STOP_CANCELLED || r.stop == MCO_STOP_FINISHED, "stop %d", (int)r.stop);
    mco_context_set_callback(ctx, NULL, NULL);
    checks += 5;
    mco_guillotine_result_clear(ctx, &r);
    mco_guillotine_destroy(ctx, &problem);
}

// ---- Times

enum { RUNS = 20, FEW_RUNS = 4 };
static const double LONG_S = 0.03;  // a solve this long needs only a few runs

static int compare_doubles(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return p < q ? -1 : p > q;
}

static double median_ms(double *seconds, int count)
{
    qsort(seconds, (size_t)count, sizeof *seconds, compare_doubles);
    return 1e3 * (seconds[(count - 1) / 2] + seconds[count / 2]) / 2;
}

static void time_solves(const char *path, const mco_guillotine *problem, int wants_table)
{
    mco_guillotine_params p = MCO_GUILLOTINE_PARAMS_INIT;
    mco_guillotine_result r = MCO_GUILLOTINE_RESULT_INIT;
    double device_s[RUNS], copy_s[RUNS], solve_s[RUNS];
    int runs = RUNS;
    p.engine = MCO_ENGINE_GPU;
    p.wants_table = wants_table;
    for (int k = -1; k < runs; k++) {  // the first run opens the device
        mco_guillotine_result_clear(ctx, &r);
        if (mco_guillotine_solve(ctx, problem, &p, &r) != MCO_OK) {
            GPU_CHECK(false, "%s: %s", path, mco_context_error(ctx));
            return;
        }
        if (k < 0) {
            runs = r.work.solve_s > LONG_S ? FEW_RUNS : RUNS;
            continue;
        }
        device_s[k] = r.work.device_s;
        copy_s[k] = r.copy_s;
        solve_s[k] = r.work.solve_s;
    }
    const double device_ms = median_ms(device_s, runs);
    printf("%s: %lld x %lld patterns, value %lld, %d bits, %d passes, %.4g sums: kernels %.3f ms (%.3g sums/s), copies %.3f ms, "
           "solve %.3f ms\n",
           mco_guillotine_name(problem), (long long)r.patterns_x, (long long)r.patterns_y, (long long)r.value,
           (int)r.work.lane_bits, (int)r.passes, (double)r.relaxations, device_ms, (double)r.relaxations / device_ms * 1e3,
           median_ms(copy_s, runs), median_ms(solve_s, runs));
    mco_guillotine_result_clear(ctx, &r);
}

static void print_line(mco_log_level level, const char *line, void *user)
{
    (void)user;
    if (level == MCO_LOG_DETAIL)
        printf("    %s\n", line);
}

// Solves three times and prints the phases from the log. The first solve opens the device; the others are like those
// that are timed.
static void print_phases(const mco_guillotine *problem, int wants_table)
{
    mco_context *const timed = ctx;
    mco_context_params loud = MCO_CONTEXT_PARAMS_INIT;
    const shape plain = {.name = "phases"};
    loud.log = print_line;
    loud.log_level = MCO_LOG_DETAIL;
    if (mco_context_create(&ctx, &loud) != MCO_OK)
        exit(EXIT_FAILURE);
    for (int k = 0; k < 3; k++) {
        mco_guillotine_result r = solve(problem, &plain, MCO_ENGINE_GPU, wants_table);
        mco_guillotine_result_clear(ctx, &r);
    }
    mco_context_destroy(&ctx);
    ctx = timed;
}

static void time_file(const char *path, int wants_table)
{
    mco_guillotine *problem = NULL;
    if (mco_guillotine_read(ctx, path, &problem) != MCO_OK) {
        GPU_CHECK(false, "%s", mco_context_error(ctx));
        return;
    }
    time_solves(path, problem, wants_table);
    print_phases(problem, wants_table);
    mco_guillotine_destroy(ctx, &problem);
}

int main(int argc, char **argv)
{
    bool wants_table = false;
    mco_device device;
    int files = 0;
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return EXIT_FAILURE;
    gpu_open_first(ctx, &device);
    for (int k = 1; k < argc; k++)
        wants_table |= strcmp(argv[k], "table") == 0;
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "table") != 0 && ++files > 0)
            time_file(argv[k], wants_table);
    if (files == 0) {
        for (int k = 0; k < COUNT_OF(shapes); k++)
            for (uint64_t seed = 1; seed <= 6 && gpu_failures < 20; seed++)
                test_shape(&shapes[k], seed, MCO_ENGINE_REFERENCE);
        for (int k = 0; k < COUNT_OF(large_shapes); k++)
            for (uint64_t seed = 1; seed <= 2 && gpu_failures < 20; seed++)
                test_shape(&large_shapes[k], seed, MCO_ENGINE_CPU);
        test_randcut();
        test_limits();
    }
    mco_device_close(&device);
    mco_context_destroy(&ctx);
    return files > 0 && gpu_failures == 0 ? EXIT_SUCCESS : gpu_summary("guillotine", checks);
}
