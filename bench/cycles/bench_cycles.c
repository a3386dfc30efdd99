// SPDX-License-Identifier: MIT
// Times the parts of the frontier method on one graph, CPU seconds, best of N:
//     bench_cycles --grid 8x10 [--columns] [--best N] [--list]
//     bench_cycles --random 60,3 | --road 10x12 | --complete-bipartite 50,50 | --wheel 100 | --cycle 100
// plan; count (plan and plain count); lengths (plan and counts by length); factors (the lists); list (all, into a callback that
// looks at nothing).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "cycles/block.h"
#include "cycles/frontier.h"

enum { MOST_EDGES = 1 << 20 };
static const double MOST_STATES = 1e9;  // beyond this estimate only the plan is timed

typedef struct bench {
    mco_context *ctx;
    cycles_block block;
    int32_t from[MOST_EDGES], to[MOST_EDGES];
    int64_t edges;
    int best;
    size_t bytes, most_bytes;  // allocated
} bench;

static void require(const bench *b, mco_status st)
{
    if (st == MCO_OK)
        return;
    fprintf(stderr, "bench_cycles: %s\n", mco_context_error(b->ctx));
    exit(1);
}

// ---- Graphs

static void add_edge(bench *b, int32_t from, int32_t to)
{
    if (b->edges < MOST_EDGES) {
        b->from[b->edges] = from;
        b->to[b->edges++] = to;
    }
}

// A grid of `rows` rows; vertices are numbered by rows. `drop`: percent of edges that are left out.
static int32_t make_grid(bench *b, int rows, int columns, uint32_t drop)
{
    mco_rng rng;
    mco_rng_seed(&rng, 7, 0);
    for (int v = 0; v < rows * columns; v++) {
        if (v % columns + 1 < columns && mco_rng_below(&rng, 100) >= drop)
            add_edge(b, v, v + 1);
        if (v + columns < rows * columns && mco_rng_below(&rng, 100) >= drop)
            add_edge(b, v, v + columns);
    }
    return rows * columns;
}

static int32_t make_random(bench *b, int n, int degree)
{
    mco_rng rng;
    mco_rng_seed(&rng, 1, 0);
    for (int k = 0; k < n * degree / 2; k++)
        add_edge(b, (int32_t)mco_rng_below(&rng, (uint32_t)n), (int32_t)mco_rng_below(&rng, (uint32_t)n));
    return n;
}

static int32_t make_named(bench *b, const char *kind, int x, int y)
{
    int32_t n = x + y;
    if (strcmp(kind, "--grid") == 0)
        return make_grid(b, x, y, 0);
    if (strcmp(kind, "--road") == 0)
        return make_grid(b, x, y, 22);
    if (strcmp(kind, "--random") == 0)
        return make_random(b, x, y);
    if (strcmp(kind, "--complete-bipartite") == 0)
        for (int i = 0; i < x * y; i++)
            add_edge(b, i / y, x + i % y);
    else
        for (int i = 0; i < x; i++) {
            add_edge(b, i, (i + 1) % x);
            if (strcmp(kind, "--wheel") == 0)
                add_edge(b, i, x);
        }
    return strcmp(kind, "--wheel") == 0 ? x + 1 : n;
}

static void make_block(bench *b, int32_t n)
{
    const mco_graph_edges edges = {.vertices = n, .edges = b->edges, .from = b->from, .to = b->to};
    mco_graph *graph = NULL;
    require(b, graph_build(b->ctx, &edges, "bench", NULL, 0, &graph));
    require(b, graph_simple_make(b->ctx, &graph->rows, false, &b->block.graph));
    require(b, mco_alloc(b->ctx, &b->block.vertex, n));
    for (int32_t v = 0; v < n; v++)
        b->block.vertex[v] = v;
}

// ---- Times

typedef struct measured {
    double seconds;
    uint64_t cycles;
    int64_t states, bytes;
    int32_t width;
    double cost;
} measured;

static bool take_nothing(const mco_cycles_batch *batch, void *user)
{
    *(uint64_t *)user += batch->rows[0] & 1;
    return true;
}

typedef enum part { PLAN, COUNT, LENGTHS, FACTORS, LIST } part;

static measured run_once(bench *b, part what)
{
    const mco_run_settings settings = {.time_limit_s = INFINITY, .target = -1, .objective = "cycles"};
    measured m = {0};
    uint64_t seen = 0;
    mco_run run = mco_run_begin(b->ctx, &settings);
    cycles_tally tally = {.ctx = b->ctx};
    mco_cycles_result result = MCO_CYCLES_RESULT_INIT;
    cycles_sink sink = {.take = take_nothing, .user = &seen, .left = INT64_MAX};
    cycles_job job = {.ctx = b->ctx, .run = &run, .block = &b->block, .min_length = 4, .max_length = b->block.graph.vertices,
                      .wants_lengths = what == LENGTHS, .sink = what == LIST ? &sink : NULL, .tally = &tally, .threads = 1,
                      .memory_bytes = 6e9, .result = &result};
    cycles_frontier *frontier = NULL;
    cycles_factors factors = {0};
    const double begin = mco_cpu_clock_s();
    require(b, cycles_frontier_plan(&job, &frontier, &m.width, &m.cost));
    if (what == FACTORS)
        require(b, cycles_frontier_factors(&job, frontier, &factors));
    else if (what != PLAN)
        require(b, cycles_frontier_run(&job, frontier));
    m.states = frontier->states;
    m.bytes = frontier->bytes;
    cycles_frontier_destroy(b->ctx, &frontier);
    m.seconds = mco_cpu_clock_s() - begin;
    m.cycles = (uint64_t)factors.cycles;
    for (int32_t k = 0; k < tally.lengths; k++)
        m.cycles += tally.by_length[(int64_t)k * tally.limbs];
    cycles_factors_clear(b->ctx, &factors);
    cycles_tally_clear(&tally);
    mco_run_clear(&run);
    return m;
}

// Prints a row and returns the estimate of the states.
static double measure(bench *b, const char *name, part what)
{
    measured best = {.seconds = INFINITY};
    for (int k = 0; k < b->best; k++) {
        const measured m = run_once(b, what);
        if (m.seconds < best.seconds)
            best = m;
    }
    printf("%-8s %10.3f ms  %20llu cycles  width %d  estimate %.3g  states %lld  %.2f MB\n", name, 1e3 * best.seconds,
           (unsigned long long)best.cycles, (int)best.width, best.cost, (long long)best.states, 1e-6 * (double)best.bytes);
    return best.cost;
}

int main(int count, char **arguments)
{
    static bench b = {.best = 9};
    int x = 8, y = 0, n = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    bool lists = false;
    require(&b, mco_context_create(&b.ctx, NULL));
    for (int k = 1; k < count; k++)
        if (strcmp(arguments[k], "--best") == 0 && k + 1 < count)
            b.best = atoi(arguments[++k]);
        else if (strcmp(arguments[k], "--list") == 0)
            lists = true;
        else if (k + 1 < count && sscanf(arguments[k + 1], "%d%*[x,]%d", &x, &y) >= 1)
            n = make_named(&b, arguments[k++], x, y);
    if (n == 0)
        n = make_named(&b, "--grid", 8, 10);
    make_block(&b, n);
    const double estimate = measure(&b, "plan", PLAN);
    if (estimate < MOST_STATES) {
        measure(&b, "count", COUNT);
        measure(&b, "lengths", LENGTHS);
    }
    if (lists && estimate < MOST_STATES) {
        measure(&b, "factors", FACTORS);
        measure(&b, "list", LIST);
    }
    graph_simple_clear(b.ctx, &b.block.graph);
    mco_free(b.ctx, &b.block.vertex);
    mco_context_destroy(&b.ctx);
    return 0;
}
