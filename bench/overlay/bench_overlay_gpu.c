// SPDX-License-Identifier: MIT
// Times of the overlay's bounds on GPUs: kernels by events, and the wall time with transfers. Behind all else, `--gpus LIST` names
// them, or `--pause CLOCKS` says when whole runs look at the words of others.
//     bench_overlay_gpu complete NODES            all methods, as published: DIST 500 x 20, STD 10,000, and jumps to 0.1 %
//     bench_overlay_gpu regular NODES DEGREE      jumps; each node has DEGREE links
//     bench_overlay_gpu skewed NODES DEGREE SKEW  ends of links are drawn as rank to the power of -SKEW
//     bench_overlay_gpu weights NODES DEGREE      as regular, with weights of the links' own
// Sparse instances are made here by threads, without the checks of mco_overlay_create().
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/machine.h"
#include "base/rng.h"
#include "overlay/gpu/gpu.h"

enum { REPEATS = 4, CHUNK = 1 << 12, HIGHEST = 256, LOWEST = 14, SORTED_MOST = 4096 };

static mco_context *ctx;
static mco_team team;
static const char *gpus;
static int32_t pause_clocks;

#define MUST(call)                                             \
    do {                                                       \
        if ((call) != MCO_OK) {                                \
            fprintf(stderr, "%s\n", mco_context_error(ctx));   \
            exit(EXIT_FAILURE);                                \
        }                                                      \
    } while (0)

// ---- Sparse instances

typedef struct maker {
    mco_overlay *o;
    int32_t nodes, *order, *distance;
    int64_t degree, pairs;
    double skew;
    int64_t *first;   // of rows with doubles
    int32_t *to;
    int64_t *count;   // [nodes]
    bool fills;
} maker;

static void each(int64_t items, mco_team_item *work, maker *m)
{
    mco_team_run(&team, (items + CHUNK - 1) / CHUNK, work, NULL, m);
}

static int64_t end_of(int64_t chunk, int64_t items)
{
    return (chunk + 1) * CHUNK < items ? (chunk + 1) * CHUNK : items;
}

static void join_circle(void *shared, int worker, int64_t chunk)
{
    maker *m = shared;
    (void)worker;
    for (int64_t place = chunk * CHUNK; place < end_of(chunk, m->nodes); place++) {
        const int64_t i = m->order[place];
        int32_t *row = m->o->to + i * m->degree;
        m->o->first[i] = i * m->degree;
        for (int64_t k = 0; k < m->degree / 2; k++) {
            const int64_t on = place + m->distance[k], back = place - m->distance[k];
            *row++ = m->order[on < m->nodes ? on : on - m->nodes];
            *row++ = m->order[back >= 0 ? back : back + m->nodes];
        }
    }
}

// The same weight in both rows of a link.
static void draw_weights(void *shared, int worker, int64_t chunk)
{
    maker *m = shared;
    (void)worker;
    for (int64_t i = chunk * CHUNK; i < end_of(chunk, m->nodes); i++)
        for (int64_t a = m->o->first[i]; a < m->o->first[i + 1]; a++) {
            const uint64_t j = (uint64_t)m->o->to[a], low = (uint64_t)i < j ? (uint64_t)i : j;
            uint64_t state = (low << 32) ^ (low == j ? (uint64_t)i : j);
            m->o->weight[a] = (uint32_t)mco_splitmix64(&state);
        }
}

static int32_t draw_end(const maker *m, uint64_t *state)
{
    const double u = (double)(mco_splitmix64(state) >> 11) * 0x1p-53, n = m->nodes, s = 1 - m->skew;
    const double rank = fabs(s) < 1e-9 ? exp(u * log(n + 1)) - 1 : pow(1 + u * (pow(n + 1, s) - 1), 1 / s) - 1;
    return m->order[rank < n - 1 ? (int32_t)rank : m->nodes - 1];
}

// Counts the ends of pairs, then puts them down: the same pairs, since a pair follows from its number.
static void draw_pairs(void *shared, int worker, int64_t chunk)
{
    maker *m = shared;
    (void)worker;
    for (int64_t k = chunk * CHUNK; k < end_of(chunk, m->pairs); k++) {
        uint64_t state = (uint64_t)k * UINT64_C(0x9e3779b97f4a7c15);
        const int32_t a = draw_end(m, &state), b = draw_end(m, &state);
        if (a == b)
            continue;
        const int64_t at = __atomic_fetch_add(&m->count[a], 1, __ATOMIC_RELAXED), bt = __atomic_fetch_add(&m->count[b], 1, __ATOMIC_RELAXED);
        if (m->fills) {
            m->to[m->first[a] + at] = b;
            m->to[m->first[b] + bt] = a;
        }
    }
}

static int compare(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

// Each neighbour once. Long rows by a bit for each node.
static int64_t unite(int32_t *row, int64_t size, int32_t nodes)
{
    int64_t kept = 0;
    if (size > SORTED_MOST) {
        uint64_t *has = calloc((size_t)nodes / 64 + 1, sizeof *has);
        for (int64_t k = 0; has != NULL && k < size; k++)
            has[row[k] / 64] |= UINT64_C(1) << row[k] % 64;
        for (int32_t j = 0; has != NULL && j < nodes; j++)
            if (has[j / 64] >> j % 64 & 1)
                row[kept++] = j;
        free(has);
        return kept;
    }
    qsort(row, (size_t)size, sizeof *row, compare);
    for (int64_t k = 0; k < size; k++)
        if (k == 0 || row[k] != row[k - 1])
            row[kept++] = row[k];
    return kept;
}

static void unite_rows(void *shared, int worker, int64_t chunk)
{
    maker *m = shared;
    (void)worker;
    for (int64_t i = chunk * CHUNK; i < end_of(chunk, m->nodes); i++)
        m->count[i] = unite(m->to + m->first[i], m->first[i + 1] - m->first[i], m->nodes);
}

static void copy_rows(void *shared, int worker, int64_t chunk)
{
    maker *m = shared;
    (void)worker;
    for (int64_t i = chunk * CHUNK; i < end_of(chunk, m->nodes); i++)
        memcpy(m->o->to + m->o->first[i], m->to + m->first[i], (size_t)m->count[i] * sizeof *m->to);
}

static void sum_up(const maker *m, int64_t *first)
{
    first[0] = 0;
    for (int32_t i = 0; i < m->nodes; i++)
        first[i + 1] = first[i] + m->count[i];
}

static void make_skewed(maker *m)
{
    mco_overlay *o = m->o;
    m->pairs = m->degree * m->nodes / 2;
    MUST(mco_alloc(ctx, &m->count, m->nodes));
    MUST(mco_alloc(ctx, &m->first, (int64_t)m->nodes + 1));
    each(m->pairs, draw_pairs, m);
    sum_up(m, m->first);
    MUST(mco_alloc(ctx, &m->to, m->first[m->nodes]));
    memset(m->count, 0, (size_t)m->nodes * sizeof *m->count);
    m->fills = true;
    each(m->pairs, draw_pairs, m);
    each(m->nodes, unite_rows, m);
    sum_up(m, o->first);
    o->links = o->first[m->nodes] / 2;
    MUST(mco_alloc(ctx, &o->to, 2 * o->links));
    each(m->nodes, copy_rows, m);
    mco_free(ctx, &m->to);
    mco_free(ctx, &m->first);
}

static void make_regular(maker *m, mco_rng *rng)
{
    mco_overlay *o = m->o;
    bool *is_taken = NULL;
    MUST(mco_alloc(ctx, &m->distance, m->degree / 2));
    MUST(mco_alloc(ctx, &is_taken, m->nodes));
    for (int64_t k = 0; k < m->degree / 2; k++) {
        do
            m->distance[k] = 1 + (int32_t)mco_rng_below(rng, (uint32_t)(m->nodes - 1) / 2);
        while (is_taken[m->distance[k]]);
        is_taken[m->distance[k]] = true;
    }
    o->links = m->degree / 2 * m->nodes;
    m->degree = m->degree / 2 * 2;
    MUST(mco_alloc(ctx, &o->to, 2 * o->links));
    each(m->nodes, join_circle, m);
    o->first[m->nodes] = 2 * o->links;
    mco_free(ctx, &is_taken);
    mco_free(ctx, &m->distance);
}

static mco_overlay *make(int32_t nodes, int64_t degree, double skew, bool has_weights)
{
    maker m = {.nodes = nodes, .degree = degree, .skew = skew};
    double *uptime = NULL;
    int64_t *bandwidth = NULL;
    mco_rng rng;
    mco_rng_seed(&rng, 1, 0);
    MUST(mco_alloc(ctx, &uptime, nodes));
    MUST(mco_alloc(ctx, &bandwidth, nodes));
    MUST(mco_alloc(ctx, &m.order, nodes));
    for (int32_t i = 0; i < nodes; i++) {
        const int32_t j = (int32_t)mco_rng_below(&rng, (uint32_t)i + 1);
        uptime[i] = mco_rng_real(&rng);
        bandwidth[i] = LOWEST + mco_rng_below(&rng, HIGHEST - LOWEST + 1);
        m.order[i] = m.order[j];
        m.order[j] = i;
    }
    const mco_overlay_data data = {.nodes = nodes, .uptime = uptime, .bandwidth = bandwidth, .most_of_all = -1};
    MUST(overlay_new(ctx, NULL, &data, &m.o));
    MUST(mco_alloc(ctx, &m.o->first, (int64_t)nodes + 1));
    if (skew > 0)
        make_skewed(&m);
    else
        make_regular(&m, &rng);
    for (int32_t i = 0; i < nodes; i++)
        m.o->degree = m.o->degree > m.o->first[i + 1] - m.o->first[i] ? m.o->degree : m.o->first[i + 1] - m.o->first[i];
    if (has_weights) {
        MUST(mco_alloc(ctx, &m.o->weight, 2 * m.o->links));
        each(nodes, draw_weights, &m);
    }
    mco_free(ctx, &m.count);
    mco_free(ctx, &m.order);
    mco_free(ctx, &bandwidth);
    mco_free(ctx, &uptime);
    return m.o;
}

// ---- Runs

typedef struct figures {
    double kernel_s, load_s, run_s, bound;
    int64_t iterations, best;
    bool is_checked;
} figures;

static figures run(const mco_overlay *o, mco_overlay_method method, mco_overlay_start start, int64_t iterations, int64_t most, bool checks)
{
    const mco_run_settings settings = {.time_limit_s = INFINITY, .target = -1, .objective = "bound"};
    mco_overlay_bound_params p = MCO_OVERLAY_BOUND_PARAMS_INIT;
    const overlay_gpu_tuning tuning = {.most = most, .pause = pause_clocks};
    overlay_dual d;
    overlay_gpu g = {0};
    mco_run of = mco_run_begin(ctx, &settings);
    p.method = method;
    p.start = start;
    p.iterations = iterations;
    p.inner = method == MCO_OVERLAY_METHOD_DIST ? 20 : 4;
    MUST(overlay_dual_open(ctx, &of, o, &p, &overlay_plain, mco_settle_threads(0), &d));
    MUST(overlay_gpu_open(&d, gpus, &tuning, &g));
    const double begin_s = mco_clock_s();
    MUST(overlay_gpu_start(&g));
    MUST(overlay_gpu_iterate(&g));
    figures f = {g.part[0].device.kernel_s, g.load_s, mco_clock_s() - begin_s, overlay_bound_of(o, d.least), d.iterations, d.best_iteration, false};
    overlay_gpu_close(&g);
    if (checks) {
        overlay_sum sum;
        (void)overlay_check_best(&d, &sum);  // nothing cancels it
        const double check_s = mco_clock_s() - begin_s - f.run_s;
        f.is_checked = sum.low << 1 == d.least.low && (sum.high << 1 | sum.low >> 63) == d.least.high;
        printf("    check on %d cores %.3f s: %s\n", d.workers, check_s, f.is_checked ? "the same" : "ANOTHER BOUND");
    }
    overlay_dual_close(&d);
    mco_run_clear(&of);
    return f;
}

static figures best_of(const mco_overlay *o, mco_overlay_method method, mco_overlay_start start, int64_t iterations, int64_t most, int repeats)
{
    figures best = run(o, method, start, iterations, most, false);
    for (int k = 1; k < repeats; k++) {
        const figures f = run(o, method, start, iterations, most, false);
        best.load_s = fmin(best.load_s, f.load_s);
        best.run_s = fmin(best.run_s, f.run_s);
        best.kernel_s = fmin(best.kernel_s, f.kernel_s);
    }
    return best;
}

static void print(const char *what, const figures *f)
{
    printf("  %-28s %6lld iterations, kernels %10.4f ms, %8.4f each; run %9.3f ms, open and load %8.1f ms; bound %.10g\n", what, (long long)f->iterations,
           1e3 * f->kernel_s, 1e3 * f->kernel_s / fmax((double)f->iterations, 1), 1e3 * f->run_s, 1e3 * f->load_s, f->bound);
    fflush(stdout);
}

// The first iteration from zero at which the bound is within 0.1 % of `bound`, and its time.
static void to_share(const mco_overlay *o, int64_t iterations, double bound, int repeats)
{
    const mco_overlay_start start = MCO_OVERLAY_START_ZERO;
    int64_t low = 0, high = iterations;  // bounds only fall: bisection
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        const figures f = run(o, MCO_OVERLAY_METHOD_JUMP, start, iterations, middle, false);
        *(f.bound <= 1.001 * bound ? &high : &low) = middle;
    }
    const figures f = best_of(o, MCO_OVERLAY_METHOD_JUMP, start, iterations, high, repeats);
    print(f.bound > 1.001 * bound ? "from zero, 0.1 % is not reached" : "0.1 % from zero", &f);
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[argc - 2], "--gpus") == 0) {
        gpus = argv[argc - 1];
        argc -= 2;
    }
    if (argc > 2 && strcmp(argv[argc - 2], "--pause") == 0) {
        pause_clocks = atoi(argv[argc - 1]);
        argc -= 2;
    }
    const char *kind = argc > 1 ? argv[1] : "";
    const int32_t nodes = argc > 2 ? atoi(argv[2]) : 0;
    const double begin_s = mco_clock_s();
    if (argc < 3 || (strcmp(kind, "complete") != 0 && argc < 4))
        return fprintf(stderr, "bench_overlay_gpu complete NODES | regular|weights NODES DEGREE | skewed NODES DEGREE SKEW\n"), EXIT_FAILURE;
    MUST(mco_context_create(&ctx, NULL));
    MUST(mco_team_open(ctx, mco_settle_threads(0), false, &team));
    if (strcmp(kind, "complete") == 0) {
        mco_overlay_generation how = MCO_OVERLAY_GENERATION_INIT;
        mco_overlay *o = NULL;
        how.nodes = nodes;
        MUST(mco_overlay_generate(ctx, &how, &o));
        printf("complete, %d nodes\n", nodes);
        figures f = run(o, MCO_OVERLAY_METHOD_JUMP, MCO_OVERLAY_START_ZERO, 200, 0, true);
        const double bound = f.bound;
        f = best_of(o, MCO_OVERLAY_METHOD_DIST, MCO_OVERLAY_START_ZERO, 500, 0, REPEATS);
        print("dist 500 x 20, from zero", &f);
        f = best_of(o, MCO_OVERLAY_METHOD_STD, MCO_OVERLAY_START_ZERO, 10000, 0, REPEATS);
        print("std 10000, from zero", &f);
        f = best_of(o, MCO_OVERLAY_METHOD_JUMP, MCO_OVERLAY_START_ZERO, 200, 0, REPEATS);
        print("jump 200, from zero", &f);
        to_share(o, 200, bound, REPEATS);
        mco_overlay_destroy(ctx, &o);
    } else {
        const bool has_weights = strcmp(kind, "weights") == 0;
        mco_overlay *o = make(nodes, atoll(argv[3]), strcmp(kind, "skewed") == 0 && argc > 4 ? atof(argv[4]) : 0, has_weights);
        const mco_overlay_start start = has_weights ? MCO_OVERLAY_START_ZERO : MCO_OVERLAY_START_AUTO;
        printf("%s, %d nodes, %lld links, at most %lld of a node; made in %.1f s, %.3f GB of device memory\n", kind, nodes, (long long)o->links,
               (long long)o->degree, mco_clock_s() - begin_s, 1e-9 * (double)overlay_gpu_bytes(o));
        const bool is_huge = o->links > 300000000;
        const int64_t iterations = is_huge ? 40 : 100;
        const figures all = run(o, MCO_OVERLAY_METHOD_JUMP, start, iterations, 0, !is_huge);
        print("jump", &all);
        const figures plain = run(o, MCO_OVERLAY_METHOD_JUMP, MCO_OVERLAY_START_ZERO, iterations, 6, false);
        print("sweeps of whole rows", &plain);
        if (start == MCO_OVERLAY_START_AUTO) {
            const figures first = run(o, MCO_OVERLAY_METHOD_JUMP, start, iterations, 1, false);
            print(first.bound <= 1.001 * all.bound ? "one jump from the better start, within 0.1 %" : "one jump from the better start", &first);
        }
        if (!is_huge) {
            to_share(o, iterations, all.bound, 2);
            const figures std = run(o, MCO_OVERLAY_METHOD_STD, MCO_OVERLAY_START_ZERO, 30, 0, false);
            print("std", &std);
        } else {
            for (int64_t most = 8; most <= 20; most += 2) {
                const figures f = run(o, MCO_OVERLAY_METHOD_JUMP, MCO_OVERLAY_START_ZERO, iterations, most, false);
                print(f.bound <= 1.001 * all.bound ? "from zero, 0.1 % is reached" : "from zero", &f);
                if (f.bound <= 1.001 * all.bound)
                    break;
            }
        }
        mco_overlay_destroy(ctx, &o);
    }
    mco_team_close(&team);
    mco_context_destroy(&ctx);
    return EXIT_SUCCESS;
}
