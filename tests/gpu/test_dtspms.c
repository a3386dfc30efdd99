// SPDX-License-Identifier: MIT
// Plans on a GPU. Every cost of whole neighbourhoods is compared with the reference, or with the cpu engine if the
// reference is slow. Walks must equal those on a core bit for bit. There are 2 to 6 stacks, even and uneven, symmetric
// and asymmetric distances, 16 and 32 bits; refusals and stops.
//
//     gpu_test_dtspms time    times neighbourhoods and walks of 33, 66 and 132 orders instead
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "dtspms/engine.h"
#include "gpu/gpu_support.h"

static long checks;
static mco_context *ctx;

#define MUST(call) GPU_CHECK((call) == MCO_OK, "%s", mco_context_error(ctx))
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

// ---- Problems

typedef struct shape {
    const char *name;
    int32_t stacks, heights[MCO_DTSPMS_MAX_STACKS];
    int32_t least, most;  // of the distances
    bool is_symmetric;
    int lane_bits;
    bool is_large;        // compared with the cpu engine; above EXCHANGE_ORDERS orders, exchanges of three are left out
} shape;

enum { EXCHANGE_ORDERS = 66 };

static const shape shapes[] = {
    {"two orders", 3, {1, 1, 0}, 0, 100, true, 16, false},
    {"three orders in a stack", 3, {0, 3, 0}, 0, 100, true, 16, false},
    {"three orders", 3, {1, 1, 1}, 0, 1000, false, 16, false},
    {"four orders", 3, {2, 1, 1}, 0, 1000, true, 16, false},
    {"five orders", 3, {2, 2, 1}, 0, 1000, true, 16, false},
    {"six orders", 3, {2, 2, 2}, 0, 1000, false, 16, false},
    {"seven orders", 3, {1, 5, 1}, 0, 1000, true, 16, false},
    {"eight orders", 3, {3, 1, 4}, 0, 1000, true, 16, false},
    {"12 orders", 3, {4, 4, 4}, 0, 140, true, 16, false},
    {"12 orders, uneven", 3, {1, 9, 2}, 0, 140, false, 16, false},
    {"at the limit of 16 bits", 3, {4, 4, 4}, 4600, 4681, true, 16, false},
    {"the same asymmetric", 3, {4, 4, 4}, 4600, 4681, false, 16, false},
    {"beyond the limit of 16 bits", 3, {4, 4, 4}, 4682, 4682, true, 32, false},
    {"32 bits", 3, {4, 3, 5}, 0, 50000000, false, 32, false},
    {"all distances 0", 3, {3, 3, 3}, 0, 0, true, 16, false},
    {"two stacks", 2, {5, 4}, 0, 1000, false, 32, false},
    {"four stacks", 4, {2, 3, 2, 1}, 0, 1000, true, 32, false},
    {"five stacks", 5, {2, 1, 2, 2, 1}, 0, 1000, false, 32, false},
    {"six stacks", 6, {2, 1, 0, 2, 1, 2}, 0, 1000, true, 32, false},
    {"33 orders", 3, {11, 11, 11}, 0, 140, true, 16, true},
    {"33 orders, asymmetric", 3, {11, 11, 11}, 0, 140, false, 16, true},
    {"40 orders, one high stack", 3, {7, 25, 8}, 0, 140, true, 16, true},
    {"36 orders in 32 bits", 3, {12, 12, 12}, 0, 1000000, true, 32, true},
    {"66 orders", 3, {22, 22, 22}, 0, 140, true, 16, true},
    {"66 orders, asymmetric", 3, {22, 23, 21}, 0, 140, false, 16, true},
    {"90 orders", 3, {30, 30, 30}, 0, 140, true, 16, true},
    {"90 orders, asymmetric", 3, {33, 24, 33}, 0, 140, false, 16, true},
    {"132 orders", 3, {44, 44, 44}, 0, 140, true, 16, true},
    {"132 orders, asymmetric", 3, {44, 44, 44}, 0, 140, false, 16, true},
};

static int32_t orders_of(const shape *s)
{
    int32_t orders = 0;
    for (int32_t k = 0; k < s->stacks; k++)
        orders += s->heights[k];
    return orders;
}

static mco_dtspms *make(const shape *s, uint64_t seed)
{
    const int32_t orders = orders_of(s), nodes = orders + 1;
    mco_dtspms *problem = NULL;
    int32_t *distance[2] = {NULL, NULL};
    mco_rng rng;
    mco_rng_seed(&rng, seed, 0);
    for (int network = 0; network < 2; network++) {
        distance[network] = calloc((size_t)nodes * (size_t)nodes, sizeof(int32_t));
        for (int32_t i = 0; i < nodes && distance[network] != NULL; i++)
            for (int32_t j = 0; j < nodes; j++) {
                const int32_t length = s->least + (int32_t)mco_rng_below(&rng, (uint32_t)(s->most - s->least + 1));
                distance[network][i * nodes + j] = s->is_symmetric && j < i ? distance[network][j * nodes + i] : length;
            }
    }
    if (distance[0] != NULL && distance[1] != NULL)
        MUST(mco_dtspms_create(ctx, orders, distance[0], distance[1], &problem));
    free(distance[1]);
    free(distance[0]);
    return problem;
}

// A problem, its model, a random plan, and two engines for it.
typedef struct bench {
    mco_dtspms *problem;
    dtspms_model model;
    dtspms_plan plan;
    int32_t node[256];
    dtspms_engine gpu, oracle;
} bench;

static bool open_bench(const shape *s, mco_dtspms *problem, bool wants_oracle, bench *b)
{
    mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    memset(b, 0, sizeof *b);
    b->problem = problem;
    b->plan.node = b->node;
    bool is_open = dtspms_model_create(ctx, problem, s->stacks, 0, INFINITY, &b->model) == MCO_OK;
    if (is_open) {
        dtspms_plan_random(&b->model, 7, &b->plan);
        memcpy(b->plan.heights, s->heights, sizeof b->plan.heights);
        is_open = dtspms_gpu_open(ctx, &b->model, s->heights, &params, &b->gpu) == MCO_OK;
    }
    if (is_open && wants_oracle)
        is_open =
            (s->is_large ? dtspms_cpu_open : dtspms_ref_open)(ctx, &b->model, s->heights, &params, &b->oracle) == MCO_OK;
    GPU_CHECK(is_open, "%s: %s", s->name, mco_context_error(ctx));
    return is_open;
}

static void close_bench(bench *b)
{
    if (b->oracle.close != NULL)
        b->oracle.close(&b->oracle);
    if (b->gpu.close != NULL)
        b->gpu.close(&b->gpu);
    dtspms_model_clear(ctx, &b->model);
    mco_dtspms_destroy(ctx, &b->problem);
}

// ---- Neighbourhoods

static void expect_equal_scans(const shape *s, const dtspms_scan *seen, const dtspms_scan *expected, int64_t moves)
{
    for (int64_t k = 0; k < moves; k++) {
        checks++;
        if (seen->costs[k] == expected->costs[k])
            continue;
        GPU_CHECK(false, "%s: move %lld of %lld costs %d, expected %d", s->name, (long long)k, (long long)moves,
                  (int)seen->costs[k], (int)expected->costs[k]);
        break;
    }
    checks++;
    GPU_CHECK(seen->best_move == expected->best_move && seen->cost_sum == expected->cost_sum,
              "%s: best move %lld, sum %lld, expected %lld and %lld", s->name, (long long)seen->best_move,
              (long long)seen->cost_sum, (long long)expected->best_move, (long long)expected->cost_sum);
    for (int network = 0; network < 2 && expected->best_move >= 0; network++)
        GPU_CHECK(seen->best_cost_of[network] == expected->best_cost_of[network],
                  "%s: best cost %lld in network %d, expected %lld", s->name, (long long)seen->best_cost_of[network],
                  network, (long long)expected->best_cost_of[network]);
}

static void test_scan(const shape *s, bench *b, mco_dtspms_move kind)
{
    const int64_t moves = dtspms_move_count(kind, b->model.orders);
    dtspms_scan seen = {.plan = &b->plan, .kind = kind}, expected = seen, best = seen;
    const int64_t tours_before = b->gpu.counters.tours;
    seen.costs = malloc((size_t)(moves + 1) * sizeof *seen.costs);
    expected.costs = malloc((size_t)(moves + 1) * sizeof *expected.costs);
    if (seen.costs == NULL || expected.costs == NULL)
        exit(EXIT_FAILURE);
    MUST(b->gpu.scan(&b->gpu, &seen, INFINITY));
    GPU_CHECK(b->gpu.counters.tours == tours_before + 2 * moves, "%s: %lld tours counted, %lld expected", s->name,
              (long long)(b->gpu.counters.tours - tours_before), (long long)(2 * moves));
    MUST(b->oracle.scan(&b->oracle, &expected, INFINITY));
    expect_equal_scans(s, &seen, &expected, moves);
    best.reuse = true;
    MUST(b->gpu.scan(&b->gpu, &best, INFINITY));
    GPU_CHECK(best.best_move == seen.best_move && best.cost_sum == -1, "%s: best move %lld, expected %lld",
              s->name, (long long)best.best_move, (long long)seen.best_move);
    checks += 2;
    free(expected.costs);
    free(seen.costs);
}

// ---- Walks

enum { WALKS = 5, MANY_WALKS = 3000 };

static int skipped;  // runs of walks that the GPU engine refuses

// Tables, and two sets of the same walks: one for the GPU, one for the cores.
typedef struct walk_sets {
    dtspms_walk_tables tables;
    dtspms_walk *seen, *expected;  // [count]
    int32_t count;
} walk_sets;

// The walks have different seeds, and temperatures of 0, about a tenth of a distance, and about the greatest distance.
static void start_walks(const bench *b, const shape *s, int32_t capacity, int32_t count, walk_sets *w)
{
    const int32_t unit = s->most < 4000000 ? s->most : 4000000, temperatures[] = {0, 26 * unit, 256 * unit};
    dtspms_model model = b->model;
    *w = (walk_sets){.count = count};
    model.capacity = capacity;
    MUST(dtspms_walk_tables_make(ctx, &model, &w->tables));
    MUST(mco_alloc(ctx, &w->seen, count));
    MUST(mco_alloc(ctx, &w->expected, count));
    for (int32_t k = 0; k < count; k++) {
        dtspms_walk *const both[] = {&w->seen[k], &w->expected[k]};
        for (int i = 0; i < 2; i++) {
            MUST(dtspms_walk_make(ctx, &w->tables, both[i]));
            dtspms_walk_scatter(&w->tables, 77u + (uint64_t)k, MCO_SIMD_PORTABLE, both[i]);
            both[i]->temperature = temperatures[k % COUNT_OF(temperatures)];
        }
    }
}

static void end_walks(walk_sets *w)
{
    for (int32_t k = 0; k < w->count; k++) {
        dtspms_walk_clear(ctx, &w->expected[k]);
        dtspms_walk_clear(ctx, &w->seen[k]);
    }
    mco_free(ctx, &w->expected);
    mco_free(ctx, &w->seen);
    dtspms_walk_tables_clear(ctx, &w->tables);
}

static bool are_equal(const int32_t *a, const int32_t *b, int32_t count)
{
    return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static void expect_equal_tours(const char *name, const char *which, int32_t walk, int32_t orders, const dtspms_tours *x,
                               const dtspms_tours *y)
{
    GPU_CHECK(x->placed == y->placed && x->cost == y->cost, "%s: walk %d, %s: %d placed, cost %d, expected %d and %d", name,
              (int)walk, which, (int)x->placed, (int)x->cost, (int)y->placed, (int)y->cost);
    GPU_CHECK(are_equal(x->heights, y->heights, COUNT_OF(x->heights)), "%s: walk %d, %s: other heights", name, (int)walk,
              which);
    GPU_CHECK(are_equal(x->stack + 1, y->stack + 1, orders), "%s: walk %d, %s: other stacks", name, (int)walk, which);
    for (int w = 0; w < 2; w++) {
        GPU_CHECK(are_equal(x->node[w], y->node[w], orders + 2), "%s: walk %d, %s: another sequence %d", name, (int)walk,
                  which, w);
        GPU_CHECK(are_equal(x->gap[w], y->gap[w], orders + 1), "%s: walk %d, %s: other lengths %d", name, (int)walk, which,
                  w);
    }
    checks += 7;
}

// Runs both sets for `steps` steps and compares everything.
static void move_both(const char *name, bench *b, walk_sets *w, int64_t steps)
{
    const int32_t orders = b->model.orders;
    MUST(b->gpu.walk(&b->gpu, &w->tables, w->seen, w->count, steps));
    MUST(dtspms_walk_all(ctx, &w->tables, w->expected, w->count, steps, 1, MCO_SIMD_PORTABLE));
    for (int32_t k = 0; k < w->count && gpu_failures < 20; k++) {
        const dtspms_walk *x = &w->seen[k], *y = &w->expected[k];
        GPU_CHECK(x->random == y->random, "%s: walk %d: another random state after %lld steps", name, (int)k, (long long)steps);
        checks++;
        expect_equal_tours(name, "solution", k, orders, &x->now, &y->now);
        expect_equal_tours(name, "best", k, orders, &x->best, &y->best);
    }
}

static void test_walks(const shape *s, bench *b)
{
    static const int64_t steps[] = {1, 7, 300};
    int32_t highest = 0;
    for (int32_t k = 0; k < s->stacks; k++)
        highest = s->heights[k] > highest ? s->heights[k] : highest;
    for (int32_t capacity = highest; capacity <= highest + 3; capacity += 3) {
        walk_sets w;
        if (b->gpu.walk == NULL) {
            skipped++;
            continue;
        }
        start_walks(b, s, capacity, WALKS, &w);
        for (int k = 0; k < COUNT_OF(steps); k++)
            move_both(s->name, b, &w, steps[k]);
        end_walks(&w);
    }
}

// More walks than one warp for each multiprocessor holds; the last warp is partly filled.
static void test_many_walks(void)
{
    static const shape s = {"many walks", 3, {22, 22, 22}, 0, 140, true, 16, true};
    mco_dtspms *problem = make(&s, 3);
    walk_sets w;
    bench b;
    if (problem == NULL || !open_bench(&s, problem, false, &b))
        return;
    start_walks(&b, &s, s.heights[0], MANY_WALKS + 3, &w);
    move_both(s.name, &b, &w, 20);
    end_walks(&w);
    close_bench(&b);
}

static void test_shape(const shape *s)
{
    bench b;
    mco_dtspms *problem = make(s, 3);
    if (problem != NULL && open_bench(s, problem, true, &b)) {
        GPU_CHECK(b.gpu.work.lane_bits == s->lane_bits, "%s: %d bits, expected %d", s->name, (int)b.gpu.work.lane_bits,
                  s->lane_bits);
        test_scan(s, &b, MCO_DTSPMS_MOVE_SWAP);
        if (b.model.orders <= EXCHANGE_ORDERS)
            test_scan(s, &b, MCO_DTSPMS_MOVE_EXCHANGE);
        test_walks(s, &b);
        close_bench(&b);
    }
}

// ---- Refusals and stops

static void test_limits(void)
{
    static const shape six = {"six stacks", 6, {11, 11, 11, 11, 11, 11}, 0, 1000, true, 32, true};
    static const shape large = {"slow", 4, {12, 12, 12, 12}, 0, 1000, true, 32, true};
    mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    bench b = {0};
    dtspms_engine engine = {0};
    params.memory = 1;
    b.problem = make(&six, 1);
    MUST(dtspms_model_create(ctx, b.problem, six.stacks, 0, INFINITY, &b.model));
    GPU_CHECK(dtspms_gpu_open(ctx, &b.model, six.heights, &params, &engine) == MCO_ERR_LIMIT, "%s", mco_context_error(ctx));
    params.memory = 0;
    params.gpus = "77";
    GPU_CHECK(dtspms_gpu_open(ctx, &b.model, six.heights, &params, &engine) == MCO_ERR_DEVICE, "%s", mco_context_error(ctx));
    close_bench(&b);
    mco_dtspms *problem = make(&large, 1);
    if (problem != NULL && open_bench(&large, problem, false, &b)) {
        dtspms_scan scan = {.plan = &b.plan, .kind = MCO_DTSPMS_MOVE_EXCHANGE};
        const double begin_s = mco_clock_s();
        MUST(b.gpu.scan(&b.gpu, &scan, begin_s));
        GPU_CHECK(scan.best_move == -1 && b.gpu.counters.tours > 0, "move %lld after a stop", (long long)scan.best_move);
        close_bench(&b);
    }
    checks += 3;
}

// ---- Times

enum { RUNS = 11, TIMED_STEPS = 400, TIMED_TEMPERATURE = 20 * 256 };

static int compare_doubles(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return p < q ? -1 : p > q;
}

static void time_scan(bench *b, mco_dtspms_move kind)
{
    double kernel_s[RUNS], wall_s[RUNS];
    dtspms_scan scan = {.plan = &b->plan, .kind = kind};
    const int64_t moves = dtspms_move_count(kind, b->model.orders);
    for (int k = -1; k < RUNS; k++) {
        const double device_s = b->gpu.work.device_s, begin_s = mco_clock_s();
        MUST(b->gpu.scan(&b->gpu, &scan, INFINITY));
        if (k >= 0) {
            kernel_s[k] = b->gpu.work.device_s - device_s;
            wall_s[k] = mco_clock_s() - begin_s;
        }
    }
    qsort(kernel_s, RUNS, sizeof *kernel_s, compare_doubles);
    qsort(wall_s, RUNS, sizeof *wall_s, compare_doubles);
    const double relaxations = 2.0 * (double)moves * (double)dtspms_relaxations(b->plan.heights, b->model.stacks);
    printf("%d orders, %s: %lld moves, %.4g relaxations: kernels %.3f ms (least %.3f, %.3g/s), wall %.3f ms; sum %lld, "
           "best %lld + %lld at %lld\n",
           (int)b->model.orders, kind == MCO_DTSPMS_MOVE_SWAP ? "swap" : "3-exchange", (long long)moves, relaxations,
           1e3 * kernel_s[RUNS / 2], 1e3 * kernel_s[0], relaxations / kernel_s[RUNS / 2], 1e3 * wall_s[RUNS / 2],
           (long long)scan.cost_sum, (long long)scan.best_cost_of[0], (long long)scan.best_cost_of[1],
           (long long)scan.best_move);
}

static void time_walks(bench *b, const shape *s, int32_t count, int64_t steps)
{
    walk_sets w;
    start_walks(b, s, s->heights[0], count, &w);
    for (int32_t k = 0; k < count; k++)
        w.seen[k].temperature = TIMED_TEMPERATURE;
    for (int run = 0; run < 3; run++) {
        const double device_s = b->gpu.work.device_s, begin_s = mco_clock_s();
        MUST(b->gpu.walk(&b->gpu, &w.tables, w.seen, count, steps));
        const double kernel_s = b->gpu.work.device_s - device_s, wall_s = mco_clock_s() - begin_s;
        printf("%d orders, %d walks of %lld steps: kernel %.3f ms, %.4g steps/s in all, wall %.3f ms; first at %d, best %d\n",
               (int)b->model.orders, (int)count, (long long)steps, 1e3 * kernel_s, (double)count * (double)steps / kernel_s,
               1e3 * wall_s, (int)w.seen[0].now.cost, (int)w.seen[0].best.cost);
    }
    end_walks(&w);
}

static void time_all(void)
{
    static const int32_t heights[] = {11, 22, 44};
    for (int k = 0; k < COUNT_OF(heights); k++) {
        const int32_t c = heights[k];
        const shape s = {"R00", 3, {c, c, c}, 0, 0, true, 16, true};
        mco_dtspms *problem = NULL;
        bench b;
        MUST(mco_dtspms_named(ctx, "R00", 3 * c, &problem));
        if (problem == NULL || !open_bench(&s, problem, false, &b))
            continue;
        time_scan(&b, MCO_DTSPMS_MOVE_SWAP);
        time_scan(&b, MCO_DTSPMS_MOVE_EXCHANGE);
        for (int32_t share = 1; share <= 4 && b.gpu.walk != NULL; share *= 2)
            time_walks(&b, &s, b.gpu.walks / share, TIMED_STEPS);
        close_bench(&b);
    }
}

int main(int argc, char **argv)
{
    mco_device device;
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return EXIT_FAILURE;
    gpu_open_first(ctx, &device);
    if (argc > 1 && strcmp(argv[1], "time") == 0) {
        time_all();
    } else {
        for (int k = 0; k < COUNT_OF(shapes) && gpu_failures < 20; k++)
            test_shape(&shapes[k]);
        test_many_walks();
        test_limits();
        printf("%d runs of walks skipped: the cores do them\n", skipped);
    }
    mco_device_close(&device);
    mco_context_destroy(&ctx);
    return argc > 1 && gpu_failures == 0 ? EXIT_SUCCESS : gpu_summary("dtspms", checks);
}
