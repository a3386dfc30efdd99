// SPDX-License-Identifier: MIT
// Tables 4.1 to 4.4, 5.2 to 5.5 and figure 5.8 of Chakroun (2013) on today's chip, by the thesis' protocol (section
// 4.4): the incumbent is fixed, every system must decompose the same number of nodes, and speed-ups are against one
// core. The thesis' lists of sub-problems are lost. Here every system searches a whole tree, which a fixed incumbent
// makes small.
//
//   bench_flowshop_systems INSTANCE INCUMBENT SECONDS [TABLE|all [GPUS]]
//
// The bound is LB2, the branching rule MinBranch. The library's CPU engine on all cores gives the expected number of
// nodes and the time of a core with vector units (wall clock times threads). The time of one plain core is measured
// for SECONDS on the same tree, with the arithmetic and the pending nodes of the devices, and scaled by nodes. Times
// are those of the search alone, without opening the devices and taking memory. Prints a CSV row for each system on
// standard output.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "device/device_cuda.h"
#include "flowshop/systems/pool.h"
#include "mco/mco.h"

typedef struct bench {
    mco_context *ctx;
    mco_flowshop *shop;
    mco_flowshop_params params;
    mco_flowshop_result result;
    flowshop_run run;
    int64_t upper;
    int64_t nodes;     // of the tree, by the CPU engine
    double core_s;     // of one plain core
    double vector_s;   // of one core with vector units
    const char *table; // the table to measure; NULL for all
    mco_gpu gpus[MCO_MAX_GPUS];
    int gpu_count;
} bench;

static void fail(const char *message)
{
    fprintf(stderr, "%s\n", message);
    exit(EXIT_FAILURE);
}

static void need(mco_context *ctx, mco_status st)
{
    if (st != MCO_OK)
        fail(mco_context_error(ctx));
}

// ---- The cores

static void count_nodes(bench *b)
{
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    mco_flowshop_result r = MCO_FLOWSHOP_RESULT_INIT;
    params.engine = MCO_ENGINE_CPU;
    params.bound = MCO_FLOWSHOP_BOUND_LB2;
    params.branching = MCO_FLOWSHOP_BRANCHING_MINBRANCH;
    params.upper_bound = b->upper;
    need(b->ctx, mco_flowshop_solve(b->ctx, b->shop, &params, &r));
    b->nodes = r.nodes;
    b->vector_s = r.work.solve_s * r.work.threads;
    mco_flowshop_result_clear(b->ctx, &r);
}

static void clear_counters(bench *b)
{
    const size_t cells = ((size_t)mco_flowshop_jobs(b->shop) + 1) * (size_t)b->result.children_columns;
    memset(b->result.children_by_depth, 0, cells * sizeof *b->result.children_by_depth);
    b->result.work.device_s = 0;
}

static void measure_core(bench *b, double seconds)
{
    const flowshop_pool_setup setup = {
        .backend = &flowshop_cuda_backend, .streams = 1, .block = 256, .rule_bound = b->upper};
    bool is_proved;
    mco_stop stop;
    clear_counters(b);
    b->result.work.engine = MCO_ENGINE_CPU;
    const double begin_s = mco_clock_s();
    b->run.run.stop_s = begin_s + seconds;
    need(b->ctx, flowshop_pool_search(&b->run, &setup, &is_proved, &stop));
    b->core_s = (mco_clock_s() - begin_s) * (double)b->nodes / (double)b->result.nodes;
    b->run.run.stop_s = (double)INFINITY;
}

// ---- The systems

typedef struct system_row {
    const char *table, *system;
    mco_engine engine;
    int64_t pool_size;
    int streams, threads, gpus;
    bool is_idle_host, prunes_on_host;
} system_row;

static void run_system(bench *b, system_row s)
{
    flowshop_pool_stats stats = {0};
    bool is_proved;
    mco_stop stop;
    if (s.gpus > b->gpu_count || (b->table != NULL && s.table != NULL && strcmp(b->table, s.table) != 0))
        return;
    clear_counters(b);
    b->result.work.engine = s.engine;
    b->run.threads = s.threads;
    const flowshop_pool_setup setup = {.backend = &flowshop_cuda_backend,
                                       .gpus = b->gpus,
                                       .gpu_count = s.gpus > 0 ? s.gpus : 1,
                                       .pool_size = s.pool_size,
                                       .streams = s.streams > 0 ? s.streams : 1,
                                       .block = 256,
                                       .rule_bound = b->upper,
                                       .is_idle_host = s.is_idle_host,
                                       .prunes_on_host = s.prunes_on_host,
                                       .stats = &stats};
    need(b->ctx, flowshop_pool_search(&b->run, &setup, &is_proved, &stop));
    if (s.table == NULL) // the warm-up
        return;
    printf("%s,%s,%s,%lld,%d,%d,%d,%lld,%s,%.4f,%.4f,%.3f,%.3f,%.4f,%.4f,%.4f,%.4f,%lld,%lld,%lld\n",
           mco_flowshop_name(b->shop), s.table, s.system, (long long)s.pool_size, s.streams, s.threads, setup.gpu_count,
           (long long)b->result.nodes, b->result.nodes == b->nodes ? "equal" : "DIFFERENT", stats.search_s,
           b->result.work.device_s, b->core_s / stats.search_s, b->vector_s / stats.search_s, stats.fill_s, stats.finish_s,
           stats.apply_s, stats.lock_s, (long long)(stats.bytes_up + stats.bytes_down), (long long)stats.batches,
           (long long)stats.pool_size);
    fflush(stdout);
}

static void run_tables(bench *b)
{
    static const mco_engine bound = MCO_ENGINE_GPU_BOUND, tree = MCO_ENGINE_GPU_TREE;
    run_system(b, (system_row){.engine = tree, .pool_size = 65536}); // opens the device, loads the kernels
    for (int64_t pool = 4096; pool <= 262144; pool *= 2)
        run_system(b, (system_row){"4.1", "gpu-bound", bound, .pool_size = pool});
    run_system(b, (system_row){"4.1", "gpu-bound adaptive", bound, .pool_size = 0});
    run_system(b, (system_row){"4.2", "gpu-multinode", MCO_ENGINE_GPU_MULTINODE, .pool_size = 0});
    run_system(b, (system_row){"4.2", "gpu-tree", tree, .pool_size = 0});
    run_system(b, (system_row){"4.3", "bounding", bound, .pool_size = 262144});
    run_system(b, (system_row){"4.3", "branching+bounding", tree, .pool_size = 262144, .prunes_on_host = true});
    run_system(b, (system_row){"4.3", "branching+bounding+pruning", tree, .pool_size = 262144});
    for (int threads = 0; threads <= 5; threads++)
        run_system(b, (system_row){"5.2", "gpu-concurrent", MCO_ENGINE_GPU_CONCURRENT, .threads = threads});
    for (int is_idle = 1; is_idle >= 0; is_idle--)
        for (int streams = 2; streams <= 5; streams++)
            run_system(b, (system_row){is_idle ? "5.4" : "5.5", "gpu-cooperative", MCO_ENGINE_GPU_COOPERATIVE,
                                       .streams = streams, .is_idle_host = is_idle != 0});
    for (int gpus = 1; gpus <= 4; gpus *= 2) {
        run_system(b,
                   (system_row){"5.8", "multi-gpu-functional", MCO_ENGINE_MULTI_GPU_FUNCTIONAL, .gpus = gpus});
        run_system(b, (system_row){"5.8", "multi-gpu-bound", MCO_ENGINE_MULTI_GPU_BOUND, .gpus = gpus});
    }
}

int main(int argc, char **argv)
{
    bench b = {.params = MCO_FLOWSHOP_PARAMS_INIT, .result = MCO_FLOWSHOP_RESULT_INIT};
    if (argc < 4)
        fail("usage: bench_flowshop_systems INSTANCE INCUMBENT SECONDS [TABLE|all [GPUS]]");
    if (mco_context_create(&b.ctx, NULL) != MCO_OK)
        return EXIT_FAILURE;
    need(b.ctx, mco_flowshop_taillard(b.ctx, argv[1], &b.shop));
    const int32_t n = mco_flowshop_jobs(b.shop);
    b.upper = strtoll(argv[2], NULL, 10);
    b.table = argc > 4 && strcmp(argv[4], "all") != 0 ? argv[4] : NULL;
    b.result.makespan = -1;
    b.result.children_columns = flowshop_children_columns(n);
    need(b.ctx, mco_alloc(b.ctx, &b.result.children_by_depth, ((int64_t)n + 1) * b.result.children_columns));
    need(b.ctx, mco_flowshop_lower_bound(b.ctx, b.shop, MCO_FLOWSHOP_BOUND_LB1, &b.result.bound));
    b.run = (flowshop_run){.ctx = b.ctx,
                           .shop = b.shop,
                           .params = &b.params,
                           .result = &b.result,
                           .bound = MCO_FLOWSHOP_BOUND_LB2,
                           .branching = MCO_FLOWSHOP_BRANCHING_MINBRANCH,
                           .upper_bound = b.upper,
                           .fixed_bound = b.upper};
    b.run.run = mco_run_begin(b.ctx, &(mco_run_settings){.time_limit_s = (double)INFINITY, .target = -1,
                                                         .objective = "makespan"});
    need(b.ctx, mco_gpus_choose(b.ctx, argc > 5 ? argv[5] : NULL, b.gpus, &b.gpu_count));
    count_nodes(&b);
    measure_core(&b, strtod(argv[3], NULL));
    printf("%s,-,one core,0,0,1,0,%lld,equal,%.4f,0,1,%.3f,0,0,0,0,0,0,0\n", mco_flowshop_name(b.shop),
           (long long)b.nodes, b.core_s, b.vector_s / b.core_s);
    run_tables(&b);
    mco_run_clear(&b.run.run);
    mco_flowshop_result_clear(b.ctx, &b.result);
    mco_flowshop_destroy(b.ctx, &b.shop);
    mco_context_destroy(&b.ctx);
    return EXIT_SUCCESS;
}
