// SPDX-License-Identifier: MIT
// Chordless cycles on GPUs, as CSV: kernel time by events and wall clock, the best of several runs each.
//
//     bench_cycles_gpu [--gpus LIST] [--runs R] [--quick]
//
// Rows: count and list by the search, list by products of the frontier's factors (left in device memory, and passed to a sink
// that only takes), and the published algorithm. --quick leaves out 9x10 and larger graphs.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cycles/gpu.h"

typedef struct bench_graph {
    const char *name;
    mco_graph_shape shape;
    int64_t rows;      // of the list in device memory; 0: the search does not list
    bool has_frontier; // its frontier is narrow
    bool has_labels;
    bool is_large;
} bench_graph;

// One graph as one block, and a job on it.
typedef struct bench {
    mco_context *ctx;
    cycles_block block;
    cycles_tally tally;
    cycles_sink sink;
    mco_cycles_result result;
    mco_run run;
    cycles_job job;
    cycles_factors factors;
    const char *gpus;
    int runs;
    bool is_quick;
} bench;

typedef mco_status (*bench_method)(bench *b, const cycles_gpu_tuning *tuning, cycles_gpu_stats *stats);

static bool take_all(const mco_cycles_batch *batch, void *user)
{
    *(int64_t *)user += batch->count;
    return true;
}

static int64_t taken;

static mco_status open_graph(bench *b, const bench_graph *g)
{
    mco_status st = MCO_OK;
    mco_graph *graph = NULL;
    const mco_run_settings settings = {.time_limit_s = MCO_NO_LIMIT, .target = -1, .objective = "cycles"};
    MCO_TRY(mco_graph_generate(b->ctx, &g->shape, &graph));
    const mco_graph_rows rows = mco_graph_view(graph);
    MCO_TRY(graph_simple_make(b->ctx, &rows, false, &b->block.graph));
    MCO_TRY(mco_alloc(b->ctx, &b->block.vertex, rows.vertices));
    for (int32_t v = 0; v < rows.vertices; v++)
        b->block.vertex[v] = v;
    b->tally = (cycles_tally){.ctx = b->ctx};
    b->result = (mco_cycles_result)MCO_CYCLES_RESULT_INIT;
    b->run = mco_run_begin(b->ctx, &settings);
    b->job = (cycles_job){.ctx = b->ctx, .run = &b->run, .block = &b->block, .min_length = 4, .max_length = rows.vertices,
                          .tally = &b->tally, .threads = 1, .memory_bytes = 64e9, .result = &b->result};
done:
    mco_graph_destroy(b->ctx, &graph);
    return st;
}

static void close_graph(bench *b)
{
    cycles_factors_clear(b->ctx, &b->factors);
    cycles_tally_clear(&b->tally);
    graph_simple_clear(b->ctx, &b->block.graph);
    mco_free(b->ctx, &b->block.vertex);
    mco_run_clear(&b->run);
}

// ---- Methods

static mco_status by_search(bench *b, const cycles_gpu_tuning *tuning, cycles_gpu_stats *stats)
{
    return cycles_gpu_search(&b->job, b->gpus, tuning, stats);
}

// On the first GPU: the published algorithm uses one.
static mco_status by_labels(bench *b, const cycles_gpu_tuning *tuning, cycles_gpu_stats *stats)
{
    return cycles_gpu_labels(&b->job, NULL, tuning, stats);
}

static mco_status by_product(bench *b, const cycles_gpu_tuning *tuning, cycles_gpu_stats *stats)
{
    return cycles_gpu_product(&b->job, &b->factors, b->gpus, tuning, stats);
}

static mco_status make_factors(bench *b)
{
    mco_status st = MCO_OK;
    cycles_frontier *frontier = NULL;
    int32_t width;
    double cost;
    MCO_TRY(cycles_frontier_plan(&b->job, &frontier, &width, &cost));
    MCO_TRY(cycles_frontier_run(&b->job, frontier));
    MCO_TRY(cycles_frontier_factors(&b->job, frontier, &b->factors));
done:
    cycles_frontier_destroy(b->ctx, &frontier);
    return st;
}

// ---- Rows

// Runs a method several times and writes its row. `to_sink`: cycles pass to a sink that only takes.
static mco_status measure(bench *b, const char *graph, const char *what, bench_method method, const cycles_gpu_tuning *tuning,
                          bool to_sink)
{
    mco_status st = MCO_OK;
    cycles_gpu_stats best = {.device_s = HUGE_VAL};
    double wall_s = HUGE_VAL;
    const double words = (b->block.graph.vertices + 63) / 64;
    for (int run = 0; run < b->runs; run++) {
        cycles_gpu_stats stats = {0};
        taken = 0;
        b->sink = (cycles_sink){.take = take_all, .user = &taken, .left = INT64_MAX};
        b->job.sink = to_sink ? &b->sink : NULL;
        const double begin_s = mco_clock_s();
        MCO_TRY(method(b, tuning, &stats));
        const double seconds = mco_clock_s() - begin_s;
        wall_s = seconds < wall_s ? seconds : wall_s;
        best = stats.device_s < best.device_s ? stats : best;
    }
    const double cycles = (double)best.cycles, list_tb = cycles * words * 8e-12;
    printf("%s,%s,%lld,%.4f,%.3f,%lld,%.2f,%.2f,%lld,%lld,%lld,%lld\n", graph, what, (long long)best.cycles, 1e3 * best.device_s,
           1e3 * wall_s, (long long)best.steps, 1e-9 * cycles / best.device_s,
           to_sink ? list_tb / wall_s : list_tb / best.device_s, (long long)best.levels, (long long)best.batches,
           (long long)best.dumped, (long long)best.spilled);
    fflush(stdout);
done:
    return st;
}

static mco_status measure_graph(bench *b, const bench_graph *g)
{
    mco_status st = MCO_OK;
    const cycles_gpu_tuning none = {0}, lists = {.rows = g->rows, .makes_lists = true};
    MCO_TRY(open_graph(b, g));
    MCO_TRY(measure(b, g->name, "search count", by_search, &none, false));
    b->job.wants_lengths = true;
    MCO_TRY(measure(b, g->name, "search count by length", by_search, &none, false));
    b->job.wants_lengths = false;
    if (g->rows > 0) {
        MCO_TRY(measure(b, g->name, "search list on device", by_search, &lists, false));
        MCO_TRY(measure(b, g->name, "search list to host", by_search, &none, true));
    }
    if (g->has_frontier) {
        MCO_TRY(make_factors(b));
        MCO_TRY(measure(b, g->name, "product on device", by_product, &none, false));
        if (g->rows > 0)
            MCO_TRY(measure(b, g->name, "product to host", by_product, &none, true));
    }
    if (g->has_labels) {
        MCO_TRY(measure(b, g->name, "labels count", by_labels, &none, false));
        MCO_TRY(measure(b, g->name, "labels list on device", by_labels, &lists, false));
    }
done:
    close_graph(b);
    return st;
}

// Where the time of the search goes: the sizes that decide it.
static mco_status measure_tunings(bench *b, const bench_graph *g)
{
    mco_status st = MCO_OK;
    const struct {
        const char *name;
        cycles_gpu_tuning tuning;
    } tunings[] = {{"stack 64", {.stack = 64}},           {"stack 128", {.stack = 128}},
                   {"stack 256", {.stack = 256}},         {"prefixes 50000", {.prefixes = 50000}},
                   {"prefixes 150000", {.prefixes = 150000}}, {"prefixes 1000000", {.prefixes = 1000000}},
                   {"rounds 2", {.rounds = 2}},           {"rounds 12", {.rounds = 12}}};
    MCO_TRY(open_graph(b, g));
    for (int k = 0; k < (int)(sizeof tunings / sizeof *tunings); k++)
        MCO_TRY(measure(b, g->name, tunings[k].name, by_search, &tunings[k].tuning, false));
done:
    close_graph(b);
    return st;
}

static const bench_graph graphs[] = {
    {"grid-6x10", {.family = MCO_GRAPH_GRID, .a = 6, .b = 10}, 1 << 21, true, true, false},
    {"grid-7x10", {.family = MCO_GRAPH_GRID, .a = 7, .b = 10}, 1 << 24, true, true, false},
    {"grid-8x10", {.family = MCO_GRAPH_GRID, .a = 8, .b = 10}, INT64_C(90) << 20, true, true, false},
    {"random-80-200", {.family = MCO_GRAPH_RANDOM, .a = 80, .b = 200, .seed = 1}, INT64_C(64) << 20, false, false, false},
    {"regular-80-5", {.family = MCO_GRAPH_REGULAR, .a = 80, .b = 5, .seed = 1}, INT64_C(64) << 20, false, true, false},
    {"complete-bipartite-50-50", {.family = MCO_GRAPH_COMPLETE_BIPARTITE, .a = 50, .b = 50}, 1 << 24, false, true, false},
    {"cycle-100", {.family = MCO_GRAPH_CYCLE, .a = 100}, 0, false, true, false},
    {"grid-9x10", {.family = MCO_GRAPH_GRID, .a = 9, .b = 10}, INT64_C(800) << 20, true, false, true},
    {"grid-10x10", {.family = MCO_GRAPH_GRID, .a = 10, .b = 10}, 0, true, false, true}};

int main(int count, char **words)
{
    static bench b = {.runs = 5};
    for (int k = 1; k < count; k++) {
        if (strcmp(words[k], "--quick") == 0)
            b.is_quick = true;
        else if (strcmp(words[k], "--gpus") == 0 && k + 1 < count)
            b.gpus = words[++k];
        else if (strcmp(words[k], "--runs") == 0 && k + 1 < count && atoi(words[k + 1]) > 0)
            b.runs = atoi(words[++k]);
        else {
            fprintf(stderr, "usage: bench_cycles_gpu [--gpus LIST] [--runs R] [--quick]\n");
            return 2;
        }
    }
    if (mco_context_create(&b.ctx, NULL) != MCO_OK)
        return EXIT_FAILURE;
    printf("graph,what,cycles,device_ms,wall_ms,steps,gcycles_per_s,list_tb_per_s,levels,batches,put_back,spilled\n");
    mco_status st = MCO_OK;
    for (int k = 0; k < (int)(sizeof graphs / sizeof *graphs) && st == MCO_OK; k++)
        if (!b.is_quick || !graphs[k].is_large)
            st = measure_graph(&b, &graphs[k]);
    for (int k = 1; k < 4 && st == MCO_OK; k++)
        st = measure_tunings(&b, &graphs[k]);
    if (st != MCO_OK)
        fprintf(stderr, "%s\n", mco_context_error(b.ctx));
    mco_context_destroy(&b.ctx);
    return st == MCO_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
