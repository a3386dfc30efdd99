// SPDX-License-Identifier: MIT
// Trees without a hierarchy on one GPU, as CSV: kernel time by events, and wall clock with copies apart; the best of several runs.
//
//     bench_paths_gpu_single [--runs R] [--quick] [--small] [--austin FILE]
//
// One source: a grid of 2048 x 2048 and a road-like network of 2048 x 4096, from the corner and from the centre, by tiles of
// several shapes. Many sources: the zones of a city, FILE, a block for each. The distances of the first shape are certified by
// mco_paths_check(); those of the others are compared with them. --quick: three shapes; --small: a sixteenth of each network.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "paths/single/gpu.h"

typedef struct bench {
    mco_context *ctx;
    int runs;
    bool is_quick, is_small;
    const char *austin;
    bool has_failed;
} bench;

static mco_status fail(bench *b, mco_status st, const char *what)
{
    if (st != MCO_OK) {
        fprintf(stderr, "%s: %s\n", what, mco_context_error(b->ctx));
        b->has_failed = true;
    }
    return st;
}

// ---- One source

static const paths_tiles_tuning shapes[] = {
    {1024, 256, 0, 0},  {1024, 512, 0, 0}, {2048, 512, 0, 0}, {1024, 128, 0, 0}, {512, 128, 0, 0},  {512, 256, 0, 0},
    {512, 512, 0, 0},   {2048, 256, 0, 0}, {1024, 256, 1, 0}, {1024, 256, 2, 0}, {1024, 512, 1, 0}, {1024, 256, 0, 4},
    {1024, 256, 0, 16}, {1024, 256, 0, 64}, {1024, 512, 0, 16}, {2048, 512, 0, 32}, {256, 128, 0, 0}};
enum { SHAPES = sizeof shapes / sizeof shapes[0], QUICK_SHAPES = 3, SOURCES = 2 };

typedef struct single {
    const char *name;
    mco_paths_network *network;
    mco_paths_rows rows;
    int32_t source[SOURCES];
    int32_t *certified[SOURCES];  // [vertices] by vertex; certified[k] is filled by the first shape
    bool is_certified[SOURCES];
    int32_t *by_place, *by_vertex;
    int32_t order_tile;           // of the order in hand
    paths_layout layout;
} single;

static mco_status open_layout(bench *b, single *s, int32_t tile)
{
    mco_status st = MCO_OK;
    int32_t *order = NULL;
    if (s->order_tile == tile || (s->order_tile != 0 && s->rows.x != NULL))  // by places: the same order for all tiles
        return MCO_OK;
    paths_layout_clear(b->ctx, &s->layout);
    MCO_TRY(paths_local_order(b->ctx, &s->rows, tile, &order));
    MCO_TRY(paths_layout_make(b->ctx, &s->rows, order, false, &s->layout));
    s->order_tile = tile;
done:
    mco_free(b->ctx, &order);
    return st;
}

// "yes" after the certificate or a comparison with certified distances.
static const char *certify(bench *b, single *s, int k)
{
    for (int32_t v = 0; v < s->rows.vertices; v++)
        s->by_vertex[v] = s->by_place[s->layout.place[v]];
    if (s->is_certified[k])
        return memcmp(s->by_vertex, s->certified[k], (size_t)s->rows.vertices * sizeof *s->by_vertex) == 0 ? "yes" : "NO";
    if (fail(b, mco_paths_check(b->ctx, s->network, s->source[k], s->by_vertex), "check") != MCO_OK)
        return "NO";
    memcpy(s->certified[k], s->by_vertex, (size_t)s->rows.vertices * sizeof *s->by_vertex);
    s->is_certified[k] = true;
    return "yes";
}

static mco_status measure(bench *b, single *s, paths_tiles *tiles, const paths_tiles_tuning *shape, int k, double open_s)
{
    mco_status st = MCO_OK;
    paths_tiles_stats best = {.tiles_s = 1e9};
    double best_wall_s = 1e9;
    for (int r = 0; r < b->runs; r++) {
        const double begin_s = mco_clock_s();
        MCO_TRY(paths_tiles_tree(b->ctx, tiles, NULL, s->layout.place[s->source[k]], s->by_place, NULL, NULL));
        const double wall_s = mco_clock_s() - begin_s;
        best = paths_tiles_last(tiles)->tiles_s < best.tiles_s ? *paths_tiles_last(tiles) : best;
        best_wall_s = wall_s < best_wall_s ? wall_s : best_wall_s;
    }
    const char *certified = certify(b, s, k);
    b->has_failed |= strcmp(certified, "yes") != 0;
    printf("%s,%d,%lld,%s,tiles,%d,%d,%d,%d,%.4f,%.4f,%.3f,%.3f,%.3f,%.2f,%.2f,%.1f,%s\n", s->name, s->rows.vertices,
           (long long)s->rows.arcs, k == 0 ? "corner" : "centre", shape->tile, shape->threads, best.blocks, shape->exchange,
           1e3 * best.tiles_s, 1e3 * best.begin_s, 1e3 * best_wall_s, 1e3 * best.copy_s, open_s, (double)best.visits / best.tiles,
           (double)best.exchanges / best.tiles, (double)best.sweeps / best.tiles, certified);
    fflush(stdout);
done:
    return st;
}

static mco_status measure_shape(bench *b, single *s, const paths_tiles_tuning *shape)
{
    mco_status st = MCO_OK;
    paths_tiles *tiles = NULL;
    MCO_TRY(open_layout(b, s, shape->tile));
    const double begin_s = mco_clock_s();
    MCO_TRY(paths_tiles_open_tuned(b->ctx, &s->layout, 0, shape, &tiles));
    const double open_s = mco_clock_s() - begin_s;
    for (int k = 0; k < SOURCES; k++)
        MCO_TRY(measure(b, s, tiles, shape, k, open_s));
done:
    paths_tiles_close(b->ctx, &tiles);
    return st;
}

static mco_status measure_network(bench *b, const char *name, mco_paths_family family, int64_t rows, int64_t columns)
{
    mco_status st = MCO_OK;
    const mco_paths_shape shape = {family, b->is_small ? rows / 4 : rows, b->is_small ? columns / 4 : columns, 1};
    single s = {.name = name};
    MCO_TRY(mco_paths_generate(b->ctx, &shape, &s.network, NULL));
    s.rows = mco_paths_view(s.network);
    s.source[1] = (int32_t)(shape.a / 2 * shape.b + shape.b / 2);
    MCO_TRY(mco_alloc(b->ctx, &s.by_place, s.rows.vertices));
    MCO_TRY(mco_alloc(b->ctx, &s.by_vertex, s.rows.vertices));
    for (int k = 0; k < SOURCES; k++)
        MCO_TRY(mco_alloc(b->ctx, &s.certified[k], s.rows.vertices));
    for (int k = 0; k < (b->is_quick ? QUICK_SHAPES : SHAPES); k++)
        MCO_TRY(measure_shape(b, &s, &shapes[k]));
done:
    for (int k = 0; k < SOURCES; k++)
        mco_free(b->ctx, &s.certified[k]);
    mco_free(b->ctx, &s.by_vertex);
    mco_free(b->ctx, &s.by_place);
    paths_layout_clear(b->ctx, &s.layout);
    mco_paths_destroy(b->ctx, &s.network);
    return fail(b, st, name);
}

// ---- Many sources

typedef struct many {
    mco_paths_network *network;
    mco_paths_rows rows;
    paths_layout layout;
    int32_t count;
    int32_t *source;               // places of the zones
    int32_t *distance, *certified;  // [count * vertices] by place
    int32_t mean_weight;
} many;

static mco_status certify_trees(bench *b, many *m)
{
    mco_status st = MCO_OK;
    const int64_t n = m->rows.vertices;
    int32_t *by_vertex = NULL;
    MCO_TRY(mco_alloc(b->ctx, &by_vertex, n));
    for (int64_t k = 0; k < m->count; k++) {
        for (int64_t v = 0; v < n; v++)
            by_vertex[v] = m->distance[k * n + m->layout.place[v]];
        MCO_TRY(mco_paths_check(b->ctx, m->network, m->layout.vertex[m->source[k]], by_vertex));
    }
    memcpy(m->certified, m->distance, (size_t)(m->count * n) * sizeof *m->distance);
done:
    mco_free(b->ctx, &by_vertex);
    return st;
}

static mco_status measure_trees(bench *b, many *m, const paths_block_tuning *tuning, bool is_first)
{
    mco_status st = MCO_OK;
    paths_block_stats stats = {0}, best = {.device_s = 1e9};
    double best_wall_s = 1e9;
    for (int r = 0; r < b->runs; r++) {
        MCO_TRY(paths_block_trees_tuned(b->ctx, &m->layout, 0, NULL, m->count, m->source, tuning, m->distance, &stats));
        best = stats.device_s < best.device_s ? stats : best;
        best_wall_s = stats.wall_s < best_wall_s ? stats.wall_s : best_wall_s;
    }
    if (is_first)
        MCO_TRY(certify_trees(b, m));
    const size_t bytes = (size_t)m->count * (size_t)m->rows.vertices * sizeof *m->distance;
    const bool is_right = memcmp(m->distance, m->certified, bytes) == 0;
    b->has_failed |= !is_right;
    printf("city,%d,%lld,%d zones,block a tree,%d,%d,%d,%d,%.4f,,%.3f,,,%.1f,%.1f,,%s\n", m->rows.vertices, (long long)m->rows.arcs,
           m->count, tuning->queue, tuning->threads, best.blocks, best.delta, 1e3 * best.device_s, 1e3 * best_wall_s,
           (double)best.rounds / m->count, (double)best.scans / m->count, is_right ? "yes" : "NO");
    fflush(stdout);
done:
    return st;
}

static mco_status measure_shapes(bench *b, many *m)
{
    static const int32_t threads[] = {256, 128, 512}, arcs[] = {8, 2, 4, 16, 32, 64}, queues[] = {4096, 1024};
    mco_status st = MCO_OK;
    bool is_first = true;
    for (int q = 0; q < (b->is_quick ? 1 : 2); q++)
        for (int t = 0; t < (b->is_quick ? 1 : 3); t++)
            for (int d = 0; d < 6; d++, is_first = false) {
                const paths_block_tuning tuning = {threads[t], arcs[d] * m->mean_weight, queues[q]};
                MCO_TRY(measure_trees(b, m, &tuning, is_first));
            }
done:
    return st;
}

static mco_status measure_city(bench *b)
{
    mco_status st = MCO_OK;
    many m = {0};
    int32_t *order = NULL;
    int64_t sum = 0;
    MCO_TRY(mco_paths_read(b->ctx, b->austin, 0, &m.network));
    m.rows = mco_paths_view(m.network);
    m.count = m.rows.first_through > 0 ? m.rows.first_through : 1000;
    m.count = m.count < m.rows.vertices ? m.count : m.rows.vertices;
    for (int64_t a = 0; a < m.rows.arcs; a++)
        sum += m.rows.weight[a];
    m.mean_weight = (int32_t)(sum / (m.rows.arcs > 0 ? m.rows.arcs : 1)) + 1;
    MCO_TRY(paths_local_order(b->ctx, &m.rows, 1024, &order));
    MCO_TRY(paths_layout_make(b->ctx, &m.rows, order, false, &m.layout));
    MCO_TRY(mco_alloc(b->ctx, &m.source, m.count));
    MCO_TRY(mco_alloc(b->ctx, &m.distance, (int64_t)m.count * m.rows.vertices));
    MCO_TRY(mco_alloc(b->ctx, &m.certified, (int64_t)m.count * m.rows.vertices));
    for (int32_t k = 0; k < m.count; k++)
        m.source[k] = m.layout.place[k];
    MCO_TRY(measure_shapes(b, &m));
done:
    mco_free(b->ctx, &order);
    mco_free(b->ctx, &m.certified);
    mco_free(b->ctx, &m.distance);
    mco_free(b->ctx, &m.source);
    paths_layout_clear(b->ctx, &m.layout);
    mco_paths_destroy(b->ctx, &m.network);
    return fail(b, st, b->austin);
}

static bool read_arguments(bench *b, int count, char **text)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(text[i], "--quick") == 0)
            b->is_quick = true;
        else if (strcmp(text[i], "--small") == 0)
            b->is_small = true;
        else if (strcmp(text[i], "--runs") == 0 && i + 1 < count && atoi(text[i + 1]) > 0)
            b->runs = atoi(text[++i]);
        else if (strcmp(text[i], "--austin") == 0 && i + 1 < count)
            b->austin = text[++i];
        else
            return false;
    }
    return true;
}

int main(int count, char **text)
{
    bench b = {.runs = 5};
    if (!read_arguments(&b, count, text)) {
        fprintf(stderr, "usage: %s [--runs R] [--quick] [--small] [--austin FILE]\n", text[0]);
        return 2;
    }
    if (mco_context_create(&b.ctx, NULL) != MCO_OK)
        return EXIT_FAILURE;
    printf("graph,vertices,arcs,source,method,tile_or_queue,threads,blocks,exchange_or_delta,kernel_ms,begin_ms,wall_ms,copy_ms,open_s,"
           "visits_or_rounds,exchanges_or_scans,sweeps,certified\n");
    if (b.austin != NULL)
        (void)measure_city(&b);
    (void)measure_network(&b, "grid", MCO_PATHS_GRID, 2048, 2048);
    (void)measure_network(&b, "road", MCO_PATHS_ROAD, 2048, 4096);
    mco_context_destroy(&b.ctx);
    return b.has_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
