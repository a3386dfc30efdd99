// SPDX-License-Identifier: MIT
// Published GPU methods for one tree beside ours, as CSV, on road-like networks of the sizes of table 7.7 of Jradi (2016): kernel
// time by events, the best of several runs.
//
//     bench_paths_published [--runs R] [--cap SECONDS] [--largest VERTICES] [--small]
//
// The source is the vertex in the centre. A kernel whose time is over ends, and its row says "cap" instead of "yes": its labels are
// not the distances, and its rounds say how far it came. All other labels are certified by mco_paths_check(), or compared with
// certified ones. Rows of our own: tiles on the GPU, and a heap on one core (wall clock). --small: the sizes divided by 16.
#include "published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "paths/single/gpu.h"

typedef struct bench {
    mco_context *ctx;
    int runs;
    double cap_s;
    int64_t largest;
    bool is_small, has_failed;
} bench;

typedef struct trial {
    const char *name;
    mco_paths_network *network;
    mco_paths_rows rows;
    paths_layout layout;
    int32_t source;                 // a vertex
    mco_device device;
    published_plan plan;
    published_control *h_control;   // pinned
    int32_t *by_place, *by_vertex, *certified;
    bool is_certified;
} trial;

// ---- Networks

static mco_status take(trial *t)
{
    mco_status st = MCO_OK;
    published_plan *p = &t->plan;
    const int64_t n = t->rows.vertices;
    MCO_TRY(mco_device_take(&t->device, MCO_MEMORY_DEVICE, &p->d_label, n));
    MCO_TRY(mco_device_take(&t->device, MCO_MEMORY_DEVICE, &p->d_parent, n));
    for (int k = 0; k < 2; k++)
        MCO_TRY(mco_device_take(&t->device, MCO_MEMORY_DEVICE, &p->d_flag[k], n));
    for (int k = 0; k < 4; k++)
        MCO_TRY(mco_device_take(&t->device, MCO_MEMORY_DEVICE, &p->d_queue[k], n));
    MCO_TRY(mco_device_take(&t->device, MCO_MEMORY_DEVICE, &p->d_partial, 2 * PUBLISHED_MOST_BLOCKS));
    MCO_TRY(mco_device_take(&t->device, MCO_MEMORY_DEVICE, &p->d_control, 1));
    MCO_TRY(mco_device_take(&t->device, MCO_MEMORY_PINNED, &t->h_control, 1));
done:
    return st;
}

static mco_status upload(bench *b, trial *t)
{
    mco_status st = MCO_OK;
    const paths_layout *l = &t->layout;
    int32_t *d_first = NULL;
    int2 *d_arc = NULL;
    MCO_TRY(mco_device_take(&t->device, MCO_MEMORY_DEVICE, &d_first, (int64_t)l->vertices + 1));
    MCO_TRY(mco_device_take(&t->device, MCO_MEMORY_DEVICE, &d_arc, l->arcs));
    MCO_CUDA(b->ctx, cudaMemcpyAsync(d_first, l->first, ((size_t)l->vertices + 1) * sizeof *d_first, cudaMemcpyHostToDevice,
                                     t->device.stream));
    MCO_CUDA(b->ctx, cudaMemcpyAsync(d_arc, l->arc, (size_t)l->arcs * sizeof *d_arc, cudaMemcpyHostToDevice, t->device.stream));
    MCO_CUDA(b->ctx, cudaStreamSynchronize(t->device.stream));
    t->plan.d_first = d_first;
    t->plan.d_arc = d_arc;
done:
    return st;
}

static void plan_trial(bench *b, trial *t)
{
    enum { WINDOW_LEAST = 4, DELTA_ARCS = 16 };
    const paths_layout *l = &t->layout;
    int64_t sum = 0;
    t->plan = (published_plan){.vertices = l->vertices, .source = l->place[t->source], .window = WINDOW_LEAST,
                               .cap_ns = (long long)(1e9 * b->cap_s)};
    for (int32_t v = 0; v < l->vertices; v++)
        t->plan.window = l->first[v + 1] - l->first[v] > t->plan.window ? l->first[v + 1] - l->first[v] : t->plan.window;
    for (int32_t a = 0; a < l->arcs; a++)
        sum += l->arc[a].weight;
    t->plan.delta = (int32_t)(DELTA_ARCS * (sum / (l->arcs > 0 ? l->arcs : 1)) + 1);
}

static mco_status open_trial(bench *b, trial *t, int64_t vertices)
{
    mco_status st = MCO_OK;
    int32_t *order = NULL;
    const int64_t rows = (int64_t)sqrt((double)vertices), columns = vertices / rows;
    const mco_paths_shape shape = {MCO_PATHS_ROAD, rows, columns, 1};
    MCO_TRY(mco_paths_generate(b->ctx, &shape, &t->network, NULL));
    t->rows = mco_paths_view(t->network);
    t->source = (int32_t)(rows / 2 * columns + columns / 2);
    MCO_TRY(paths_local_order(b->ctx, &t->rows, PATHS_TILE_DEFAULT, &order));
    MCO_TRY(paths_layout_make(b->ctx, &t->rows, order, false, &t->layout));
    MCO_TRY(mco_alloc(b->ctx, &t->by_place, t->rows.vertices));
    MCO_TRY(mco_alloc(b->ctx, &t->by_vertex, t->rows.vertices));
    MCO_TRY(mco_alloc(b->ctx, &t->certified, t->rows.vertices));
    plan_trial(b, t);
    MCO_TRY(paths_single_device(b->ctx, 0, &t->device));
    MCO_TRY(take(t));
    MCO_TRY(upload(b, t));
done:
    mco_free(b->ctx, &order);
    return st;
}

static void close_trial(bench *b, trial *t)
{
    mco_device_close(&t->device);
    mco_free(b->ctx, &t->by_place);
    mco_free(b->ctx, &t->by_vertex);
    mco_free(b->ctx, &t->certified);
    paths_layout_clear(b->ctx, &t->layout);
    mco_paths_destroy(b->ctx, &t->network);
}

// ---- Rows

static const char *certify(bench *b, trial *t)
{
    const size_t bytes = (size_t)t->rows.vertices * sizeof *t->by_vertex;
    for (int32_t v = 0; v < t->rows.vertices; v++)
        t->by_vertex[v] = t->by_place[t->layout.place[v]];
    if (t->is_certified)
        return memcmp(t->by_vertex, t->certified, bytes) == 0 ? "yes" : "NO";
    if (mco_paths_check(b->ctx, t->network, t->source, t->by_vertex) != MCO_OK) {
        fprintf(stderr, "%s\n", mco_context_error(b->ctx));
        return "NO";
    }
    memcpy(t->certified, t->by_vertex, bytes);
    t->is_certified = true;
    return "yes";
}

static void print_row(bench *b, const trial *t, const char *method, double ms, int64_t rounds, int64_t barriers, const char *state)
{
    b->has_failed |= strcmp(state, "NO") == 0;
    printf("%s,%d,%lld,%s,%.3f,%lld,%lld,%s\n", t->name, t->rows.vertices, (long long)t->rows.arcs, method, ms, (long long)rounds,
           (long long)barriers, state);
    fflush(stdout);
}

static mco_status run_once(bench *b, trial *t, published_method method, double *seconds)
{
    mco_status st = MCO_OK;
    cudaStream_t stream = t->device.stream;
    *t->h_control = (published_control){.capped_at = INT32_MAX, .least = {MCO_PATHS_NONE, MCO_PATHS_NONE, MCO_PATHS_NONE}};
    MCO_CUDA(b->ctx, cudaMemcpyAsync(t->plan.d_control, t->h_control, sizeof *t->h_control, cudaMemcpyHostToDevice, stream));
    MCO_TRY(mco_device_start_clock(&t->device));
    MCO_CUDA(b->ctx, published_launch(&t->plan, method, stream));
    MCO_TRY(mco_device_stop_clock(&t->device, seconds));  // the kernel looks at the clock itself
    MCO_CUDA(b->ctx, cudaMemcpyAsync(t->h_control, t->plan.d_control, sizeof *t->h_control, cudaMemcpyDeviceToHost, stream));
    MCO_CUDA(b->ctx, cudaStreamSynchronize(stream));
done:
    return st;
}

static mco_status measure_method(bench *b, trial *t, published_method method)
{
    mco_status st = MCO_OK;
    double best_s = INFINITY;
    bool is_capped = false;
    MCO_CUDA(b->ctx, published_shape(&t->plan, method, t->device.info.multiprocessors));
    if (method == PUBLISHED_ONE_VERTEX && t->plan.window > t->plan.blocks) {
        fprintf(stderr, "%s: %d arcs leave a vertex, the method has %d blocks\n", t->name, t->plan.window, t->plan.blocks);
        return MCO_OK;
    }
    for (int r = 0; r < b->runs && !is_capped; r++) {
        double seconds = 0;
        MCO_TRY(run_once(b, t, method, &seconds));
        best_s = seconds < best_s ? seconds : best_s;
        is_capped = t->h_control->capped_at < INT32_MAX;
    }
    MCO_CUDA(b->ctx, cudaMemcpyAsync(t->by_place, t->plan.d_label, (size_t)t->rows.vertices * sizeof *t->by_place,
                                     cudaMemcpyDeviceToHost, t->device.stream));
    MCO_CUDA(b->ctx, cudaStreamSynchronize(t->device.stream));
    print_row(b, t, published_name(method), 1e3 * best_s, t->h_control->rounds, t->h_control->barriers,
              t->h_control->is_full ? "full" : is_capped ? "cap" : certify(b, t));
done:
    return st;
}

static mco_status measure_tiles(bench *b, trial *t)
{
    mco_status st = MCO_OK;
    paths_tiles *tiles = NULL;
    double best_s = INFINITY;
    MCO_TRY(paths_tiles_open(b->ctx, &t->layout, 0, &tiles));
    for (int r = 0; r < b->runs; r++) {
        MCO_TRY(paths_tiles_tree(b->ctx, tiles, NULL, t->layout.place[t->source], t->by_place, NULL, NULL));
        const paths_tiles_stats *last = paths_tiles_last(tiles);
        best_s = last->begin_s + last->tiles_s < best_s ? last->begin_s + last->tiles_s : best_s;
    }
    print_row(b, t, "tiles (mco)", 1e3 * best_s, paths_tiles_last(tiles)->visits, 0, certify(b, t));
done:
    paths_tiles_close(b->ctx, &tiles);
    return st;
}

static mco_status measure_heap(bench *b, trial *t)
{
    mco_status st = MCO_OK;
    paths_search *search = NULL;
    const mco_run_settings settings = {.time_limit_s = MCO_NO_LIMIT, .target = -1, .objective = "labels"};
    mco_run run = mco_run_begin(b->ctx, &settings);
    paths_counts counts = {0};
    MCO_TRY(paths_heap_open(b->ctx, &t->layout, &search));
    const double begin_s = mco_clock_s();
    MCO_TRY(paths_search_tree(b->ctx, search, &run, t->layout.place[t->source], t->by_place, &counts));
    const double wall_s = mco_clock_s() - begin_s;
    print_row(b, t, "heap on a core (mco)", 1e3 * wall_s, counts.taken, 0, certify(b, t));
done:
    paths_search_close(b->ctx, &search);
    mco_run_clear(&run);
    return st;
}

static mco_status measure_size(bench *b, const char *name, int64_t vertices)
{
    mco_status st = MCO_OK;
    trial t = {.name = name};
    MCO_TRY(open_trial(b, &t, vertices));
    MCO_TRY(measure_heap(b, &t));
    MCO_TRY(measure_tiles(b, &t));
    for (int k = 0; k < PUBLISHED_METHODS; k++)
        MCO_TRY(measure_method(b, &t, (published_method)k));
done:
    if (st != MCO_OK) {
        fprintf(stderr, "%s: %s\n", name, mco_context_error(b->ctx));
        b->has_failed = true;
    }
    close_trial(b, &t);
    return st;
}

static bool read_arguments(bench *b, int count, char **text)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(text[i], "--small") == 0)
            b->is_small = true;
        else if (strcmp(text[i], "--runs") == 0 && i + 1 < count && atoi(text[i + 1]) > 0)
            b->runs = atoi(text[++i]);
        else if (strcmp(text[i], "--cap") == 0 && i + 1 < count && atof(text[i + 1]) > 0)
            b->cap_s = atof(text[++i]);
        else if (strcmp(text[i], "--largest") == 0 && i + 1 < count && atoll(text[i + 1]) > 0)
            b->largest = atoll(text[++i]);
        else
            return false;
    }
    return true;
}

int main(int count, char **text)
{
    // Vertices of the networks of table 7.7. Ours have these sizes and a shape of their own.
    static const struct {
        const char *name;
        int64_t vertices;
    } sizes[] = {{"new-york", 264346},    {"bay", 321270},        {"colorado", 435666},      {"florida", 1070376},
                 {"pennsylvania", 1088092}, {"northwest", 1207945}, {"texas", 1379917},        {"northeast", 1524453},
                 {"california-nevada", 1890815}, {"california", 1965206}, {"great-lakes", 2758119}, {"east", 3598623},
                 {"west", 6262104},       {"central", 14081816},  {"usa", 23947347}};
    bench b = {.runs = 3, .cap_s = 1, .largest = INT64_MAX};
    if (!read_arguments(&b, count, text)) {
        fprintf(stderr, "usage: %s [--runs R] [--cap SECONDS] [--largest VERTICES] [--small]\n", text[0]);
        return 2;
    }
    if (mco_context_create(&b.ctx, NULL) != MCO_OK)
        return EXIT_FAILURE;
    printf("size_of,vertices,arcs,method,ms,rounds,barriers,certified\n");
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        if (sizes[k].vertices <= b.largest)
            (void)measure_size(&b, sizes[k].name, b.is_small ? sizes[k].vertices / 16 : sizes[k].vertices);
    mco_context_destroy(&b.ctx);
    return b.has_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
