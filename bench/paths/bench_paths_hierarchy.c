// SPDX-License-Identifier: MIT
// Times of what a customizable hierarchy needs before its first query, minimum of N:
//     bench_paths_hierarchy NETWORK [--order FILE | --order flow | --order metis] [--best N]
// NETWORK is any file or folder that mco paths reads. FILE has the order as 32-bit integers, first the vertices that are eliminated
// first; `flow` and `metis` are ways to find one, without --order the library chooses. Rows: order and topology in CPU seconds; customise for each vector unit, with
// and without the list of triangles, in CPU milliseconds on one thread and in milliseconds of wall clock on more.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "paths/hierarchy/customise.h"
#include "paths/hierarchy/order.h"

typedef struct bench {
    mco_context *ctx;
    mco_paths_network *network;
    mco_paths_rows rows;
    paths_topology topology;
    paths_metric metric;
    int32_t *triangle;
    int best;
} bench;

static void require(const bench *b, mco_status st)
{
    if (st == MCO_OK)
        return;
    fprintf(stderr, "bench_paths_hierarchy: %s\n", mco_context_error(b->ctx));
    exit(1);
}

static int32_t *read_order(const bench *b, const char *path)
{
    const size_t n = (size_t)b->rows.vertices;
    int32_t *order = calloc(n + 1, sizeof *order);
    FILE *file = fopen(path, "rb");
    if (order == NULL || file == NULL || fread(order, sizeof *order, n + 1, file) != n) {
        fprintf(stderr, "bench_paths_hierarchy: %s does not hold %zu integers\n", path, n);
        exit(1);
    }
    fclose(file);
    return order;
}

// CPU seconds of processes that have ended: METIS runs in one.
static double children_s(void)
{
    struct rusage use;
    getrusage(RUSAGE_CHILDREN, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) + 1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

static int32_t *find_order(const bench *b, order_way way)
{
    mco_run run = mco_run_begin(b->ctx, &(mco_run_settings){.time_limit_s = MCO_NO_LIMIT});
    int32_t *order = NULL;
    char by[16];
    const double begin_s = mco_cpu_clock_s() + children_s();
    require(b, paths_order_find_by(b->ctx, &b->rows, &run, 1, way, &order, by));
    printf("order by %s: %.3f s\n", by, mco_cpu_clock_s() + children_s() - begin_s);
    mco_run_clear(&run);
    return order;
}

static void time_topology(bench *b, const int32_t *order)
{
    double least_s = HUGE_VAL;
    for (int k = 0; k < b->best; k++) {
        paths_topology_clear(b->ctx, &b->topology);
        const double begin_s = mco_cpu_clock_s();
        require(b, paths_topology_make(b->ctx, &b->rows, order, &b->topology));
        least_s = fmin(least_s, mco_cpu_clock_s() - begin_s);
    }
    const paths_topology *t = &b->topology;
    printf("topology: %.2f ms; %d vertices, %d arcs, height %d, %lld triangles\n", 1e3 * least_s, t->vertices, t->arcs, t->height,
           (long long)t->triangles);
}

static void time_customise(bench *b, bool has_list, mco_simd simd, int32_t threads)
{
    double least_s = HUGE_VAL;
    for (int k = 0; k < b->best; k++) {
        const double begin_s = threads == 1 ? mco_cpu_clock_s() : mco_clock_s();
        require(b, paths_metric_make_on(b->ctx, &b->topology, has_list ? b->triangle : NULL, b->rows.weight, threads, simd, NULL, &b->metric));
        least_s = fmin(least_s, (threads == 1 ? mco_cpu_clock_s() : mco_clock_s()) - begin_s);
    }
    printf("customise, %s, %s, %d thread%s: %.3f ms%s\n", has_list ? "list" : "no list", mco_simd_text(simd), threads, threads == 1 ? "" : "s",
           1e3 * least_s, threads == 1 ? "" : " wall");
}

static void time_all(bench *b, const int32_t *order)
{
    static const mco_simd UNITS[] = {MCO_SIMD_AVX512, MCO_SIMD_AVX2, MCO_SIMD_PORTABLE};
    time_topology(b, order);
    require(b, paths_metric_open(b->ctx, &b->topology, &b->metric));
    const double begin_s = mco_cpu_clock_s();
    require(b, paths_triangles_make(b->ctx, &b->topology, &b->triangle));
    printf("list of triangles: %.2f ms\n", 1e3 * (mco_cpu_clock_s() - begin_s));
    for (int u = 0; u < 3; u++)
        for (int k = 0; k < 2 && mco_simd_has(UNITS[u]); k++)
            time_customise(b, k == 0, UNITS[u], 1);
    for (int32_t threads = 2; threads <= 16; threads *= 2)
        time_customise(b, true, MCO_SIMD_AUTO, threads);
}

int main(int argc, char **argv)
{
    bench b = {.best = 20};
    const char *order_path = NULL;
    for (int k = 2; k + 1 < argc; k += 2)
        if (strcmp(argv[k], "--order") == 0)
            order_path = argv[k + 1];
        else if (strcmp(argv[k], "--best") == 0)
            b.best = atoi(argv[k + 1]);
    if (argc < 2 || b.best < 1 || mco_context_create(&b.ctx, NULL) != MCO_OK) {
        fprintf(stderr, "usage: bench_paths_hierarchy NETWORK [--order FILE | --order flow | --order metis] [--best N]\n");
        return 2;
    }
    require(&b, mco_paths_read(b.ctx, argv[1], 0, &b.network));
    b.rows = mco_paths_view(b.network);
    const bool is_flow = order_path != NULL && strcmp(order_path, "flow") == 0, is_metis = order_path != NULL && strcmp(order_path, "metis") == 0;
    const bool is_read = order_path != NULL && !is_flow && !is_metis;
    int32_t *order = is_read ? read_order(&b, order_path) : find_order(&b, is_flow ? ORDER_FLOW : is_metis ? ORDER_METIS : ORDER_BEST);
    time_all(&b, order);
    if (is_read)
        free(order);
    else
        mco_free(b.ctx, &order);
    mco_free(b.ctx, &b.triangle);
    paths_metric_clear(b.ctx, &b.metric);
    paths_topology_clear(b.ctx, &b.topology);
    mco_paths_destroy(b.ctx, &b.network);
    mco_context_destroy(&b.ctx);
    return 0;
}
