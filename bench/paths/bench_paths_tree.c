// SPDX-License-Identifier: MIT
// Times one tree of shortest paths on cores: heap, buckets, and Bellman, Ford and Moore's rounds over all arcs, which end after
// the first round without a change.
//     bench_paths_tree (--grid 2048x2048 | --road 2048x4096 | --random 1000000,4000000 | --read PATH)
//         [--order FILE|none] [--threads 1,2,4] [--sources N] [--best N] [--shift S] [--rounds]
// The order of the layout is the local one, a file of 32-bit vertices, or the network's own. Sources: the first and the middle
// vertex, then vertices spread over all. Rows of CSV go to standard output: wall milliseconds (least and median of --best), least
// CPU milliseconds, then counts of one tree: `largest` is the most pairs in the queue, stale ones included, `frontier` the most
// vertices with a label that are not settled, which is the size of a heap without stale entries. Every tree is certified.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "paths/network.h"
#include "paths/single/search.h"

enum { TILE = 256, MOST_RUNS = 100 };
static const double ROUNDS_LIMIT_S = 20;  // no further tree of rounds begins after a tree that took longer

typedef struct bench {
    mco_context *ctx;
    mco_paths_network *network;
    mco_paths_rows rows;
    paths_layout layout;
    const char *name, *order, *threads;
    int32_t *distance, *by_vertex;
    int sources, best, shift;
    bool has_rounds;
} bench;

static void require(const bench *b, mco_status st)
{
    if (st == MCO_OK)
        return;
    fprintf(stderr, "bench_paths_tree: %s\n", mco_context_error(b->ctx));
    exit(1);
}

static void *room(size_t count, size_t bytes)
{
    void *memory = calloc(count > 0 ? count : 1, bytes);
    if (memory == NULL) {
        fprintf(stderr, "bench_paths_tree: out of memory\n");
        exit(1);
    }
    return memory;
}

// ---- Bellman, Ford, Moore

static mco_status find_by_rounds(const bench *b, int32_t source, paths_counts *counts)
{
    const paths_layout *l = &b->layout;
    *counts = (paths_counts){.settled = l->vertices};
    for (int32_t v = 0; v < l->vertices; v++)
        b->distance[v] = v == source ? 0 : MCO_PATHS_NONE;
    for (bool is_changed = true; is_changed; counts->rounds++) {
        is_changed = false;
        for (int32_t v = 0; v < l->vertices; v++)
            for (int32_t a = l->first[v]; b->distance[v] < MCO_PATHS_NONE && a < l->first[v + 1]; a++) {
                const int32_t next = b->distance[v] + l->arc[a].weight;
                counts->relaxed++;
                if (next < b->distance[l->arc[a].head]) {
                    b->distance[l->arc[a].head] = next;
                    is_changed = true;
                }
            }
    }
    return MCO_OK;
}

// ---- Rows

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void certify(const bench *b, int32_t source)
{
    for (int32_t v = 0; v < b->rows.vertices; v++)
        b->by_vertex[v] = b->distance[b->layout.place[v]];
    require(b, mco_paths_check(b->ctx, b->network, source, b->by_vertex));
}

// Times the trees of one source; `search` NULL: by rounds.
static void write_row(const bench *b, const char *method, int threads, paths_search *search, int32_t source, int runs)
{
    double wall_ms[MOST_RUNS], cpu_ms = 0;
    paths_counts counts = {0};
    for (int k = 0; k < runs; k++) {
        const double cpu_s = mco_cpu_clock_s(), begin_s = mco_clock_s();
        const int32_t place = b->layout.place[source];
        require(b, search != NULL ? paths_search_tree(b->ctx, search, NULL, place, b->distance, &counts)
                                  : find_by_rounds(b, place, &counts));
        wall_ms[k] = 1e3 * (mco_clock_s() - begin_s);
        const double spent_ms = 1e3 * (mco_cpu_clock_s() - cpu_s);
        cpu_ms = k == 0 || spent_ms < cpu_ms ? spent_ms : cpu_ms;
    }
    certify(b, source);
    qsort(wall_ms, (size_t)runs, sizeof *wall_ms, by_value);
    printf("%s,%d,%" PRId64 ",%s,%d,%d,%.3f,%.3f,%.3f,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n", b->name,
           b->rows.vertices, b->rows.arcs, method, threads, source, wall_ms[0], wall_ms[runs / 2], cpu_ms, counts.settled,
           counts.taken, counts.relaxed, counts.largest, counts.frontier, counts.rounds);
    fflush(stdout);
}

static int32_t source_of(const bench *b, int k)
{
    const int32_t n = b->rows.vertices;
    if (k == 0)
        return 0;
    if (k == 1) {  // of a grid the centre
        const double *x = b->rows.x, *y = b->rows.y;
        if (x == NULL)
            return n / 2;
        double middle[2] = {(x[0] + x[n - 1]) / 2, (y[0] + y[n - 1]) / 2}, least = -1;
        int32_t best = 0;
        for (int32_t v = 0; v < n; v++) {
            const double dx = x[v] - middle[0], dy = y[v] - middle[1], d = dx * dx + dy * dy;
            if (least < 0 || d < least) {
                least = d;
                best = v;
            }
        }
        return best;
    }
    return (int32_t)((int64_t)(k - 1) * n / b->sources);
}

static void write_rows(const bench *b)
{
    paths_search *search = NULL;
    require(b, paths_heap_open(b->ctx, &b->layout, &search));
    for (int k = 0; k < b->sources; k++)
        write_row(b, "heap", 1, search, source_of(b, k), b->best);
    paths_search_close(b->ctx, &search);
    for (const char *at = b->threads; *at != '\0'; at += strcspn(at, ","), at += *at == ',') {
        const int threads = atoi(at);
        require(b, paths_buckets_open(b->ctx, &b->layout, threads > 0 ? threads : 1, &search));
        if (b->shift >= 0)
            paths_buckets_set_shift(search, b->shift);
        for (int k = 0; k < b->sources; k++)
            write_row(b, "buckets", threads, search, source_of(b, k), b->best);
        paths_search_close(b->ctx, &search);
    }
    for (int k = 0; b->has_rounds && k < b->sources; k++) {
        const double begin_s = mco_clock_s();
        write_row(b, "rounds", 1, NULL, source_of(b, k), 1);
        if (mco_clock_s() - begin_s > ROUNDS_LIMIT_S)
            break;
    }
}

// ---- Networks

static void make_network(bench *b, const char *kind, const char *shape_text)
{
    mco_paths_shape shape = {.seed = 1};
    char *end;
    b->name = shape_text;
    if (strcmp(kind, "--read") == 0) {
        require(b, mco_paths_read(b->ctx, shape_text, 0, &b->network));
        return;
    }
    shape.family = strcmp(kind, "--grid") == 0 ? MCO_PATHS_GRID : strcmp(kind, "--road") == 0 ? MCO_PATHS_ROAD : MCO_PATHS_RANDOM;
    shape.a = strtoll(shape_text, &end, 10);
    shape.b = *end != '\0' ? strtoll(end + 1, NULL, 10) : shape.a;
    require(b, mco_paths_generate(b->ctx, &shape, &b->network, NULL));
    b->name = kind + 2;
}

static void lay_out(bench *b)
{
    int32_t *vertex_at = NULL;
    const double begin_s = mco_cpu_clock_s();
    b->rows = mco_paths_view(b->network);
    const size_t n = (size_t)b->rows.vertices;
    if (strcmp(b->order, "local") == 0) {
        require(b, paths_local_order(b->ctx, &b->rows, TILE, &vertex_at));
    } else if (strcmp(b->order, "none") != 0) {
        require(b, mco_alloc(b->ctx, &vertex_at, n));
        FILE *file = fopen(b->order, "rb");
        if (file == NULL || fread(vertex_at, sizeof *vertex_at, n, file) != n) {
            fprintf(stderr, "bench_paths_tree: '%s' does not hold %zu vertices\n", b->order, n);
            exit(1);
        }
        fclose(file);
    }
    fprintf(stderr, "order %s: %.1f ms of CPU time\n", b->order, 1e3 * (mco_cpu_clock_s() - begin_s));
    require(b, paths_layout_make(b->ctx, &b->rows, vertex_at, false, &b->layout));
    mco_free(b->ctx, &vertex_at);
    b->distance = room(n, sizeof *b->distance);
    b->by_vertex = room(n, sizeof *b->by_vertex);
}

static int usage(void)
{
    fprintf(stderr, "usage: bench_paths_tree (--grid AxB | --road AxB | --random N,M | --read PATH) [--order FILE|none] [--threads 1,2]\n"
                    "       [--sources N] [--best N] [--shift S] [--rounds]\n");
    return 1;
}

int main(int argc, char **argv)
{
    bench b = {.order = "local", .threads = "1", .sources = 2, .best = 5, .shift = -1};
    const char *kind = NULL, *shape = NULL;
    for (int k = 1; k < argc; k++) {
        const char *option = argv[k];
        if (strcmp(option, "--rounds") == 0) {
            b.has_rounds = true;
            continue;
        }
        if (++k == argc)
            return usage();
        if (strcmp(option, "--order") == 0)
            b.order = argv[k];
        else if (strcmp(option, "--threads") == 0)
            b.threads = argv[k];
        else if (strcmp(option, "--sources") == 0)
            b.sources = atoi(argv[k]);
        else if (strcmp(option, "--best") == 0)
            b.best = atoi(argv[k]);
        else if (strcmp(option, "--shift") == 0)
            b.shift = atoi(argv[k]);
        else
            kind = option, shape = argv[k];
    }
    if (kind == NULL || b.best < 1 || b.best > MOST_RUNS || b.shift > 29)
        return usage();
    if (mco_context_create(&b.ctx, NULL) != MCO_OK)
        return 1;
    make_network(&b, kind, shape);
    lay_out(&b);
    printf("graph,vertices,arcs,method,threads,source,ms_min,ms_median,cpu_ms_min,settled,taken,relaxed,largest,frontier,rounds\n");
    write_rows(&b);
    free(b.distance);
    free(b.by_vertex);
    paths_layout_clear(b.ctx, &b.layout);
    mco_paths_destroy(b.ctx, &b.network);
    mco_context_destroy(&b.ctx);
    return 0;
}
