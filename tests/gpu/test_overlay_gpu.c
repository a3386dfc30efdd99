// SPDX-License-Identifier: MIT
// Bounds of the overlay on a GPU: bit for bit those of the reference, for sizes on both sides of the limits of warps, blocks and whole runs,
// for regular and skewed degrees, for given weights and limits. Stops, refusals, tests of the gap. With the argument `tiny`: small ones, for
// the tools that watch memory; `least`: a few of these, for slower tools.
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "gpu/gpu_support.h"
#include "overlay/gpu/gpu.h"

static long checks;
static mco_context *ctx;
static bool is_tiny;
static int gpu_count;

#define MUST(call) GPU_CHECK((call) == MCO_OK, "%s", mco_context_error(ctx))

// ---- Instances

static mco_overlay *generated(int64_t nodes, int64_t degree, double skew, int64_t seed)
{
    mco_overlay *o = NULL;
    mco_overlay_generation g = MCO_OVERLAY_GENERATION_INIT;
    g.nodes = nodes;
    g.degree = degree;
    g.skew = skew;
    g.seed = seed;
    MUST(mco_overlay_generate(ctx, &g, &o));
    return o;
}

// A random graph, with node 0 as a hub that has `hub` links: weights and limits of its own where they are wanted.
static mco_overlay *random_graph(int32_t nodes, double degree, int32_t hub, bool has_weights, bool has_limits)
{
    mco_overlay *o = NULL;
    mco_rng rng;
    const int64_t room = (int64_t)(degree * nodes) + hub + 1;
    double *uptime = calloc((size_t)nodes, sizeof *uptime), *weight = calloc((size_t)room, sizeof *weight);
    int64_t *bandwidth = calloc((size_t)nodes, sizeof *bandwidth), *most = calloc((size_t)room, sizeof *most), links = 0;
    int32_t *from = calloc((size_t)room, sizeof *from), *to = calloc((size_t)room, sizeof *to);
    mco_rng_seed(&rng, 7, (uint64_t)nodes);
    for (int32_t i = 0; i < nodes; i++) {
        uptime[i] = mco_rng_below(&rng, 20) == 0 ? mco_rng_below(&rng, 2) : mco_rng_real(&rng);
        bandwidth[i] = mco_rng_below(&rng, 300);
    }
    for (int32_t j = 1; j <= hub; j++, links++) {
        from[links] = j % 2 == 0 ? 0 : j;
        to[links] = j % 2 == 0 ? j : 0;
    }
    for (int32_t i = 1; i < nodes; i++)  // distances that ascend: no pair stands twice
        for (int64_t j = (int64_t)i + 1 + mco_rng_below(&rng, 3); j < nodes && links < room; j += 1 + mco_rng_below(&rng, (uint32_t)(2 * nodes / degree))) {
            from[links] = i;
            to[links++] = (int32_t)j;
        }
    for (int64_t k = 0; k < links; k++) {
        weight[k] = 20 * mco_rng_real(&rng) - 2;
        most[k] = mco_rng_below(&rng, 60);
    }
    const mco_overlay_data data = {.nodes = nodes, .uptime = uptime, .bandwidth = bandwidth, .links = links, .from = from, .to = to,
                                   .weight = has_weights ? weight : NULL, .most = has_limits ? most : NULL, .most_of_all = -1};
    MUST(mco_overlay_create(ctx, NULL, &data, &o));
    free(uptime);
    free(weight);
    free(bandwidth);
    free(most);
    free(from);
    free(to);
    return o;
}

// All pairs, whose links are wider than whole runs of std take.
static mco_overlay *wide(void)
{
    enum { NODES = 18 };
    mco_overlay *o = NULL;
    double uptime[NODES];
    int64_t bandwidth[NODES];
    for (int k = 0; k < NODES; k++) {
        uptime[k] = 1 - 0.03 * k;
        bandwidth[k] = OVERLAY_GPU_STD_MOST + 1000003 * (int64_t)k;
    }
    const mco_overlay_data data = {.nodes = NODES, .uptime = uptime, .bandwidth = bandwidth, .links = -1, .most_of_all = -1};
    MUST(mco_overlay_create(ctx, NULL, &data, &o));
    return o;
}

// ---- Parity

static mco_overlay_bound_result bounded(const mco_overlay *o, const mco_overlay_bound_params *p, mco_engine engine)
{
    mco_overlay_bound_result r = MCO_OVERLAY_BOUND_RESULT_INIT;
    mco_overlay_bound_params with = *p;
    with.engine = engine;
    MUST(mco_overlay_bound(ctx, o, &with, &r));
    return r;
}

// What a method leaves, by the engine's own entry: without the search for a fractional overlay.
typedef struct trace {
    overlay_dual d;
    mco_run run;
} trace;

static void run_gpus(const mco_overlay *o, const mco_overlay_bound_params *p, const char *gpus, const overlay_gpu_tuning *tuning, trace *t)
{
    const mco_run_settings settings = {.time_limit_s = p->time_limit_s, .target = -1, .objective = "bound"};
    overlay_gpu g = {0};
    *t = (trace){.run = mco_run_begin(ctx, &settings)};
    MUST(overlay_dual_open(ctx, &t->run, o, p, &overlay_plain, 1, &t->d));
    const mco_status opened = overlay_gpu_open(&t->d, gpus, tuning, &g);
    GPU_CHECK(opened == MCO_OK || opened == MCO_ERR_STOPPED, "%s", mco_context_error(ctx));
    if (opened == MCO_OK) {
        MUST(overlay_gpu_start(&g));
        MUST(overlay_gpu_iterate(&g));
    }
    overlay_gpu_close(&g);
}

static void run_gpu(const mco_overlay *o, const mco_overlay_bound_params *p, const overlay_gpu_tuning *tuning, trace *t)
{
    run_gpus(o, p, NULL, tuning, t);
}

static void trace_close(trace *t)
{
    overlay_dual_close(&t->d);
    mco_run_clear(&t->run);
}

static void same_run(const char *what, const mco_overlay *o, const trace *t, const mco_overlay_bound_result *r)
{
    const uint64_t low = r->exact[0] << 1, high = r->exact[1] << 1 | r->exact[0] >> 63;
    bool is_same = t->d.least.low == low && t->d.least.high == high && t->d.iterations == r->iterations && t->d.best_iteration == r->best &&
                   t->run.history_count == r->history_count && (o->nodes == 0 || memcmp(t->d.best, r->duals, (size_t)o->nodes * 4) == 0);
    for (int64_t k = 0; is_same && k < r->history_count; k++)
        is_same = t->run.history[k].objective == r->history[k].objective;
    GPU_CHECK(is_same, "%s: bound %llu %llu after %lld iterations, best %lld, %lld changes; the reference has %llu %llu, %lld, %lld, %lld", what,
              (unsigned long long)t->d.least.high, (unsigned long long)t->d.least.low, (long long)t->d.iterations, (long long)t->d.best_iteration,
              (long long)t->run.history_count, (unsigned long long)high, (unsigned long long)low, (long long)r->iterations, (long long)r->best,
              (long long)r->history_count);
    checks++;
}

// By one GPU; by several parts of it, which is all that several GPUs do; by all GPUs there are.
static void compare(const char *what, const mco_overlay *o, mco_overlay_bound_params *p)
{
    static const overlay_gpu_tuning tunings[] = {{0}, {.by_sweeps = true}, {.chunk = 3}, {.by_sweeps = true, .copies = 2},
                                                 {.by_sweeps = true, .copies = 3, .by_host = true}, {.by_sweeps = true}};
    static const char *const gpus[] = {NULL, NULL, NULL, NULL, NULL, "all"};
    char name[160];
    mco_overlay_bound_result r = bounded(o, p, MCO_ENGINE_REFERENCE);
    for (size_t k = 0; k < sizeof tunings / sizeof *tunings; k++) {
        trace t;
        if (k == 1 && overlay_gpu_is_shared(o))
            continue;  // as the first one
        if (gpus[k] != NULL && gpu_count == 1)
            continue;
        snprintf(name, sizeof name, "%s, method %d, start %d, tuning %zu", what, (int)p->method, (int)p->start, k);
        run_gpus(o, p, gpus[k], &tunings[k], &t);
        same_run(name, o, &t, &r);
        trace_close(&t);
    }
    mco_overlay_bound_result_clear(ctx, &r);
}

static mco_overlay_bound_params params_of(mco_overlay_method method, int64_t iterations)
{
    mco_overlay_bound_params p = MCO_OVERLAY_BOUND_PARAMS_INIT;
    p.method = method;
    p.iterations = iterations;
    p.inner = method == MCO_OVERLAY_METHOD_DIST ? 20 : method == MCO_OVERLAY_METHOD_JUMP ? 4 : 0;
    return p;
}

// All methods; `iterations` of jumps.
static void methods(const char *what, mco_overlay *o, int64_t iterations)
{
    mco_overlay_bound_params p = params_of(MCO_OVERLAY_METHOD_JUMP, iterations);
    if (o == NULL)
        return;
    compare(what, o, &p);
    p.start = MCO_OVERLAY_START_ZERO;
    compare(what, o, &p);
    p = params_of(MCO_OVERLAY_METHOD_STD, 2 * iterations);
    p.start = o->weight != NULL ? MCO_OVERLAY_START_AUTO : MCO_OVERLAY_START_HALF;
    compare(what, o, &p);
    p.start = MCO_OVERLAY_START_ZERO;
    p.std_norm = MCO_OVERLAY_NORM_SQUARED;
    compare(what, o, &p);
    p = params_of(MCO_OVERLAY_METHOD_DIST, iterations / 2 + 1);
    compare(what, o, &p);
    p.start = MCO_OVERLAY_START_ZERO;
    p.dist_step = MCO_OVERLAY_STEP_SHARE;
    p.dist_keep = MCO_OVERLAY_KEEP_BEST;
    compare(what, o, &p);
    p.dist_step = MCO_OVERLAY_STEP_SIGN;
    p.dist_keep = MCO_OVERLAY_KEEP_LAST;
    p.inner = 45;  // above the limit of views
    compare(what, o, &p);
    mco_overlay_destroy(ctx, &o);
}

// A method's parameters change after some stalls; this needs more iterations.
static void long_runs(void)
{
    mco_overlay *o = generated(70, -1, 0, 3);
    mco_overlay_bound_params p = params_of(MCO_OVERLAY_METHOD_STD, is_tiny ? 20 : 3000);
    compare("long std", o, &p);
    p = params_of(MCO_OVERLAY_METHOD_DIST, is_tiny ? 5 : 300);
    compare("long dist", o, &p);
    p.start = MCO_OVERLAY_START_ZERO;
    compare("long dist", o, &p);
    p = params_of(MCO_OVERLAY_METHOD_JUMP, is_tiny ? 10 : 300);
    p.start = MCO_OVERLAY_START_ZERO;
    compare("long jump", o, &p);
    mco_overlay_destroy(ctx, &o);
}

// Jumps that go on long enough for lists of near links, which change nothing.
static void lists(const char *what, mco_overlay *o)
{
    mco_overlay_bound_params p = params_of(MCO_OVERLAY_METHOD_JUMP, is_tiny ? 28 : 120);
    trace t;
    if (o == NULL)
        return;
    compare(what, o, &p);
    p.start = MCO_OVERLAY_START_ZERO;
    compare(what, o, &p);
    mco_overlay_bound_result r = bounded(o, &p, MCO_ENGINE_REFERENCE);
    run_gpu(o, &p, &(overlay_gpu_tuning){.no_lists = true}, &t);
    same_run(what, o, &t, &r);
    trace_close(&t);
    mco_overlay_bound_result_clear(ctx, &r);
    mco_overlay_destroy(ctx, &o);
}

// ---- By the public entry

static void entry(void)
{
    mco_overlay *o = generated(40, -1, 0, 1);
    for (int k = 0; k < 3; k++) {
        mco_overlay_bound_params p = params_of((mco_overlay_method)(MCO_OVERLAY_METHOD_JUMP + k), 30);
        p.gap = k == 0 ? 0.002 : 0;
        mco_overlay_bound_result a = bounded(o, &p, MCO_ENGINE_REFERENCE), b = bounded(o, &p, MCO_ENGINE_GPU);
        GPU_CHECK(a.exact[0] == b.exact[0] && a.exact[1] == b.exact[1] && a.bound == b.bound && a.value == b.value && a.stop == b.stop &&
                      a.iterations == b.iterations && a.best == b.best && memcmp(a.duals, b.duals, 40 * sizeof *a.duals) == 0,
                  "method %d: bound %.12g after %lld iterations, the reference has %.12g, %lld", (int)p.method, b.bound, (long long)b.iterations, a.bound,
                  (long long)a.iterations);
        GPU_CHECK(b.work.engine == MCO_ENGINE_GPU && b.work.gpus != 0 && b.work.device_s > 0, "what the result says of its engine");
        checks += 2;
        mco_overlay_bound_result_clear(ctx, &a);
        mco_overlay_bound_result_clear(ctx, &b);
    }
    mco_overlay_destroy(ctx, &o);
}

// ---- Stops and refusals

static void stops(void)
{
    mco_overlay *o = generated(3000, 200, 0, 1);
    mco_overlay_bound_params p = params_of(MCO_OVERLAY_METHOD_DIST, 1000000);
    p.inner = 1000;
    p.time_limit_s = 0.3;
    for (int k = 0; k < 4; k++) {  // by the clock, by a cancel
        trace t;
        const overlay_gpu_tuning tuning = {.copies = 1 + k / 2};
        const double begin_s = mco_clock_s();
        if (k % 2 == 1)
            mco_cancel(ctx);
        run_gpu(o, &p, &tuning, &t);
        const double took_s = mco_clock_s() - begin_s;
        GPU_CHECK(took_s < 1.5, "a stop took %.3f s", took_s);
        GPU_CHECK(t.run.stop == (k % 2 == 0 ? MCO_STOP_TIME : MCO_STOP_CANCELLED), "stop %d", (int)t.run.stop);
        GPU_CHECK(t.d.least.high == UINT64_MAX || t.d.iterations > 0, "a bound without an iteration");
        if (t.d.least.high != UINT64_MAX) {
            overlay_sum sum;
            GPU_CHECK(overlay_check_best(&t.d, &sum), "the check was cancelled");
            GPU_CHECK(sum.low << 1 == t.d.least.low, "the bound is not that of the duals");
        }
        trace_close(&t);
        mco_clear_cancel(ctx);
        checks += 3;
    }
    mco_overlay_destroy(ctx, &o);
}

static void refusals(void)
{
    mco_overlay *o = generated(10, -1, 0, 1);
    mco_overlay_bound_params p = params_of(MCO_OVERLAY_METHOD_JUMP, 3);
    mco_overlay_bound_result r = MCO_OVERLAY_BOUND_RESULT_INIT;
    p.engine = MCO_ENGINE_CPU;
    p.gpus = "0";
    GPU_CHECK(mco_overlay_bound(ctx, o, &p, &r) == MCO_ERR_ARGUMENT, "--gpus with cores is not refused");
    p.engine = MCO_ENGINE_GPU;
    p.gpus = "99";
    GPU_CHECK(mco_overlay_bound(ctx, o, &p, &r) == MCO_ERR_DEVICE || r.duals == NULL, "GPU 99 is not refused");
    checks += 2;
    mco_overlay_destroy(ctx, &o);
}

// The parts have all nodes between them, about as many entries each, and what they do not share is said.
static void parts(void)
{
    mco_overlay *skewed = generated(5000, 12, 1, 1), *all = generated(50, -1, 0, 1);
    for (int32_t count = 1; count <= 5; count++) {
        int32_t end = 0;
        int64_t most = 0;
        for (int32_t k = 0; k < count; k++) {
            const int32_t first = overlay_gpu_split(skewed, k, count);
            GPU_CHECK(first == end, "part %d of %d begins at %d, the one before ends at %d", k, count, first, end);
            end = overlay_gpu_split(skewed, k + 1, count);
            const int64_t size = skewed->first[end] - skewed->first[first];
            most = size > most ? size : most;
        }
        GPU_CHECK(end == skewed->nodes && overlay_gpu_split(all, count, count) == all->nodes, "parts end at %d of %d", end, skewed->nodes);
        GPU_CHECK(most <= 2 * (2 * skewed->links / count + skewed->degree), "a part of %d has %lld entries", count, (long long)most);
        checks += 2 + count;
    }
    GPU_CHECK(overlay_gpu_is_shared(skewed) && !overlay_gpu_is_shared(all), "what is shared");
    mco_overlay_destroy(ctx, &skewed);
    mco_overlay_destroy(ctx, &all);
}

static int count_gpus(void)
{
    mco_gpu all[MCO_MAX_GPUS];
    int count = 0;
    const char *reason;
    MUST(mco_gpus_list(ctx, all, &count, &reason));
    return count;
}

int main(int argc, char **argv)
{
    static const int32_t sizes[] = {0, 1, 2, 31, 33, 64, 65, 256, 257, 512, 513, 1000, 1024, 1025, 2000};
    static const int32_t degrees[] = {1, 2, 31, 32, 33, 128, 129, 256, 257, 1023, 1025};
    char what[64];
    is_tiny = argc > 1 && (strcmp(argv[1], "tiny") == 0 || strcmp(argv[1], "least") == 0);
    ctx = gpu_begin();
    gpu_count = count_gpus();
    if (argc > 1 && strcmp(argv[1], "least") == 0) {
        methods("complete, 40 nodes", generated(40, -1, 0, 1), 4);
        methods("limits", random_graph(60, 6, 50, true, true), 2);
        methods("wide", wide(), 4);
        lists("lists", generated(60, 40, 0, 2));
        mco_context_destroy(&ctx);
        return gpu_summary("overlay on a GPU", checks);
    }
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes && !(is_tiny && sizes[k] > 65); k++) {
        snprintf(what, sizeof what, "complete, %d nodes", sizes[k]);
        methods(what, generated(sizes[k], -1, 0, 1), is_tiny ? 8 : sizes[k] > 500 ? 8 : 24);
    }
    for (size_t k = 0; k < sizeof degrees / sizeof *degrees && !(is_tiny && degrees[k] > 33); k++) {
        snprintf(what, sizeof what, "regular, degree %d", degrees[k]);
        methods(what, generated(is_tiny ? 60 : 2000, degrees[k], 0, 1), is_tiny ? 4 : 8);
    }
    methods("skewed", generated(is_tiny ? 200 : 30000, is_tiny ? 10 : 20, 1, 1), is_tiny ? 4 : 12);
    methods("wide", wide(), is_tiny ? 8 : 24);
    methods("weights", random_graph(is_tiny ? 60 : 3000, 20, 0, true, false), is_tiny ? 4 : 12);
    methods("limits", random_graph(is_tiny ? 60 : 3000, 20, is_tiny ? 50 : 1100, false, true), is_tiny ? 4 : 12);
    methods("weights and limits", random_graph(is_tiny ? 60 : 20000, 6, is_tiny ? 50 : 17000, true, true), is_tiny ? 4 : 12);
    lists("lists, regular", generated(is_tiny ? 80 : 1500, is_tiny ? 40 : 200, 0, 2));
    lists("lists, skewed", generated(is_tiny ? 100 : 2000, 30, 0.7, 2));
    lists("lists, weights and limits", random_graph(is_tiny ? 60 : 1500, 30, is_tiny ? 50 : 1400, true, true));
    long_runs();
    entry();
    parts();
    refusals();
    if (!is_tiny)
        stops();
    mco_context_destroy(&ctx);
    return gpu_summary("overlay on a GPU", checks);
}
