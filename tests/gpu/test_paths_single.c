// SPDX-License-Identifier: MIT
// Trees without a hierarchy on a GPU: tiles and blocks against the reference, on networks of every kind that the layout of the
// arcs knows, in many shapes, many times; limits and stops.
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "gpu/gpu_support.h"
#include "paths/single/gpu.h"

static long checks;
static mco_context *ctx;
static bool is_small;  // few shapes

#define MUST(call) GPU_CHECK((call) == MCO_OK, "%s", mco_context_error(ctx))

// ---- Networks

typedef struct trial {
    const char *name;
    mco_paths_rows rows;
    int64_t *first;
    int32_t *head, *weight;
    int32_t *tail;      // of the arcs as they are drawn, before rows are made
    int64_t room;
    uint64_t state;
} trial;

static int32_t draw(trial *t, int32_t below)
{
    t->state = t->state * 6364136223846793005u + 1442695040888963407u;
    return (int32_t)((t->state >> 33) % (uint64_t)below);
}

static void trial_begin(trial *t, const char *name, int32_t vertices, int64_t room, uint64_t seed)
{
    *t = (trial){.name = name, .room = room, .state = seed * 2 + 1};
    t->rows.vertices = vertices;
    t->first = calloc((size_t)vertices + 1, sizeof *t->first);
    t->head = calloc((size_t)room + 1, sizeof *t->head);
    t->weight = calloc((size_t)room + 1, sizeof *t->weight);
    t->tail = calloc((size_t)room + 1, sizeof *t->tail);
    if (t->first == NULL || t->head == NULL || t->weight == NULL || t->tail == NULL)
        exit(EXIT_FAILURE);
}

static void add(trial *t, int32_t tail, int32_t head, int32_t weight)
{
    if (t->rows.arcs == t->room)
        exit(EXIT_FAILURE);
    t->tail[t->rows.arcs] = tail;
    t->head[t->rows.arcs] = head;
    t->weight[t->rows.arcs++] = weight;
}

// Sorts the arcs by tail.
static void trial_end(trial *t)
{
    const int32_t n = t->rows.vertices;
    const size_t arcs = (size_t)t->rows.arcs;
    int32_t *head = calloc(arcs + 1, sizeof *head), *weight = calloc(arcs + 1, sizeof *weight);
    int64_t *next = calloc((size_t)n + 1, sizeof *next);
    if (head == NULL || weight == NULL || next == NULL)
        exit(EXIT_FAILURE);
    for (int64_t a = 0; a < t->rows.arcs; a++)
        t->first[t->tail[a] + 1]++;
    for (int32_t v = 0; v < n; v++)
        t->first[v + 1] += t->first[v];
    memcpy(next, t->first, (size_t)n * sizeof *next);
    for (int64_t a = 0; a < t->rows.arcs; a++) {
        const int64_t at = next[t->tail[a]]++;
        head[at] = t->head[a];
        weight[at] = t->weight[a];
    }
    free(next);
    free(t->head);
    free(t->weight);
    t->head = head;
    t->weight = weight;
    t->rows.first = t->first;
    t->rows.head = t->head;
    t->rows.weight = t->weight;
}

static void trial_close(trial *t)
{
    free(t->first);
    free(t->head);
    free(t->weight);
    free(t->tail);
}

// Arcs between uniform ends: loops and parallel arcs among them. A tenth of the weights is zero if the greatest is small.
static void make_random(trial *t, int32_t vertices, int32_t arcs, int32_t most, uint64_t seed)
{
    trial_begin(t, "random", vertices, arcs, seed);
    for (int32_t a = 0; a < arcs; a++)
        add(t, draw(t, vertices), draw(t, vertices), draw(t, most + 1));
    trial_end(t);
}

// Arcs between near numbers, so that most of them are inside tiles.
static void make_near(trial *t, int32_t vertices, int32_t arcs, int32_t reach, int32_t most, uint64_t seed)
{
    trial_begin(t, "near", vertices, arcs, seed);
    for (int32_t a = 0; a < arcs; a++) {
        const int32_t tail = draw(t, vertices), head = tail - reach + draw(t, 2 * reach + 1);
        add(t, tail, head < 0 ? 0 : head >= vertices ? vertices - 1 : head, draw(t, most + 1));
    }
    trial_end(t);
}

// A grid of squares with streets in both directions; `open` percent of them exist.
static void make_grid(trial *t, int32_t side, int32_t open, uint64_t seed)
{
    trial_begin(t, open == 100 ? "grid" : "roads", side * side, 4 * (int64_t)side * side, seed);
    for (int32_t v = 0; v < side * side; v++) {
        const int32_t weight = 100 + draw(t, 1000);
        if (v % side + 1 < side && draw(t, 100) < open) {
            add(t, v, v + 1, weight);
            add(t, v + 1, v, weight + draw(t, 50));
        }
        if (v + side < side * side && draw(t, 100) < open) {
            add(t, v, v + side, weight / 2 + 50);
            add(t, v + side, v, weight / 2 + 50);
        }
    }
    trial_end(t);
}

// A circle in one direction, and a hub with arcs from and to all.
static void make_wheel(trial *t, int32_t vertices, uint64_t seed)
{
    trial_begin(t, "wheel", vertices, 3 * (int64_t)vertices, seed);
    for (int32_t v = 1; v < vertices; v++) {
        add(t, v, v + 1 < vertices ? v + 1 : 1, draw(t, 3));
        add(t, 0, v, 5 + draw(t, 1000));
        if (draw(t, 2) == 0)
            add(t, v, 0, draw(t, 100));
    }
    trial_end(t);
}

// ---- Comparison

static void compare(const trial *t, const paths_layout *l, const char *what, int32_t source, const int32_t *expected,
                    const int32_t *seen)
{
    int64_t bad = 0;
    int32_t at = -1;
    for (int32_t v = 0; v < l->vertices; v++)
        if (seen[l->place[v]] != expected[v]) {
            at = bad++ == 0 ? v : at;
        }
    checks++;
    GPU_CHECK(bad == 0, "%s of %d vertices, %s, source %d: %lld labels differ; vertex %d has %d, expected %d", t->name, l->vertices,
              what, source, (long long)bad, at, at < 0 ? 0 : seen[l->place[at]], at < 0 ? 0 : expected[at]);
}

static const paths_tiles_tuning shapes[] = {{1024, 256, 0, 0}, {1024, 128, 0, 0}, {512, 128, 0, 0},  {512, 512, 0, 0},
                                            {2048, 256, 0, 0}, {2048, 512, 0, 0}, {1024, 512, 0, 0}, {1024, 256, 1, 4},
                                            {1024, 256, 0, 1}, {512, 256, 2, 16}, {64, 32, 0, 0},    {64, 64, 0, 3},
                                            {128, 64, 1, 0}};
enum { SHAPES = sizeof shapes / sizeof shapes[0], LARGE_SHAPES = 10 };

// Every shape, `repeats` trees of each of some sources. The small tiles only where there are few of them.
static void try_tiles(const trial *t, const int32_t *order, int repeats, int sources)
{
    paths_layout l = {0};
    trial rng = {.state = 77};
    const int32_t n = t->rows.vertices;
    int32_t *expected = calloc((size_t)n, sizeof *expected), *seen = calloc((size_t)n, sizeof *seen);
    MUST(paths_layout_make(ctx, &t->rows, order, false, &l));
    for (int s = 0; s < (n > 100000 ? LARGE_SHAPES : SHAPES) && expected != NULL && seen != NULL; s++) {
        if (is_small && s != 0 && s < LARGE_SHAPES)
            continue;
        paths_tiles *tiles = NULL;
        char what[80];
        snprintf(what, sizeof what, "tiles of %d, %d threads, exchange %d", shapes[s].tile, shapes[s].threads, shapes[s].exchange);
        MUST(paths_tiles_open_tuned(ctx, &l, 0, &shapes[s], &tiles));
        for (int k = 0; tiles != NULL && k < sources; k++) {
            const int32_t source = k == 0 ? 0 : draw(&rng, n);
            MUST(paths_ref_tree(ctx, &t->rows, source, expected, NULL));
            for (int r = 0; r < repeats; r++) {
                memset(seen, 0xff, (size_t)n * sizeof *seen);
                MUST(paths_tiles_tree(ctx, tiles, NULL, l.place[source], seen, NULL, NULL));
                compare(t, &l, what, source, expected, seen);
            }
        }
        paths_tiles_close(ctx, &tiles);
    }
    paths_layout_clear(ctx, &l);
    free(expected);
    free(seen);
}

static const paths_block_tuning block_shapes[] = {{0, 0, 0}, {32, 1, 2}, {128, 50, 16}, {512, 100000, 0}, {256, MCO_PATHS_NONE - 1, 64}};
enum { BLOCK_SHAPES = sizeof block_shapes / sizeof block_shapes[0], TREES = 40 };

static void try_blocks(const trial *t, const int32_t *order, int repeats)
{
    paths_layout l = {0};
    trial rng = {.state = 78};
    const int32_t n = t->rows.vertices;
    int32_t *expected = calloc((size_t)n * TREES, sizeof *expected), *seen = calloc((size_t)n * TREES, sizeof *seen);
    int32_t source[TREES], place[TREES];
    MUST(paths_layout_make(ctx, &t->rows, order, false, &l));
    for (int k = 0; k < TREES && expected != NULL && l.place != NULL; k++) {
        source[k] = k == 0 ? 0 : draw(&rng, n);
        place[k] = l.place[source[k]];
        MUST(paths_ref_tree(ctx, &t->rows, source[k], expected + (int64_t)k * n, NULL));
    }
    for (int s = 0; s < (is_small ? 2 : BLOCK_SHAPES * repeats) && expected != NULL && seen != NULL; s++) {
        memset(seen, 0xff, (size_t)n * TREES * sizeof *seen);
        MUST(paths_block_trees_tuned(ctx, &l, 0, NULL, TREES, place, &block_shapes[s % BLOCK_SHAPES], seen, NULL));
        for (int k = 0; k < TREES; k++)
            compare(t, &l, "a block a tree", source[k], expected + (int64_t)k * n, seen + (int64_t)k * n);
    }
    paths_layout_clear(ctx, &l);
    free(expected);
    free(seen);
}

static void try_all(trial *t, int repeats)
{
    int32_t *order = NULL;
    MUST(paths_local_order(ctx, &t->rows, 64, &order));
    try_tiles(t, NULL, 1, 1);
    try_tiles(t, order, repeats, 2);
    if (t->rows.vertices <= 20000)
        try_blocks(t, order, 1);
    mco_free(ctx, &order);
    trial_close(t);
}

// ---- Tests

static void test_small(int rounds)
{
    static const int32_t vertices[] = {1, 2, 3, 31, 33, 64, 65, 200, 1025, 3000};
    trial t;
    for (int k = 0; k < rounds; k++) {
        const int32_t n = vertices[k % 10];
        const uint64_t seed = (uint64_t)k;
        make_random(&t, n, n / 2, 9, seed);  // not connected, many zero weights
        try_all(&t, 1);
        make_random(&t, n, 4 * n, 1000, seed);
        try_all(&t, 1);
        make_near(&t, n, 9 * n, 5, 1, seed);  // parallel arcs, zero cycles, more arcs than slots
        try_all(&t, 1);
        make_wheel(&t, n, seed);
        try_all(&t, 1);
    }
}

// The first vertices are ends: no path passes through them, but a source may be one of them.
static void test_ends(int rounds)
{
    trial t;
    for (int k = 0; k < rounds; k++) {
        make_near(&t, 300 + 70 * k, 1200 + 300 * k, 40, 20, (uint64_t)k + 100);
        t.rows.first_through = k % 2 == 0 ? 60 : t.rows.vertices;
        try_all(&t, 1);
    }
}

static void test_wide(int32_t side, int repeats)
{
    trial t;
    make_grid(&t, side, 100, 5);
    try_all(&t, repeats);
    make_grid(&t, side, 62, 6);
    try_all(&t, repeats);
    make_near(&t, side * side, 3 * side * side, side, 1000, 7);
    try_all(&t, repeats);
}

// A path whose last vertex is just within the limit of distances, and one arc more.
static void test_limits(void)
{
    trial t;
    paths_layout l = {0};
    paths_tiles *tiles = NULL;
    int32_t seen[4];
    const int32_t source = 0;
    for (int32_t longer = 0; longer < 2; longer++) {
        trial_begin(&t, "long", 3, 2, 1);
        add(&t, 0, 1, MCO_PATHS_MAX_WEIGHT - 1);
        add(&t, 1, 2, 1 + longer);
        trial_end(&t);
        MUST(paths_layout_make(ctx, &t.rows, NULL, false, &l));
        MUST(paths_tiles_open(ctx, &l, 0, &tiles));
        const mco_status expected = longer ? MCO_ERR_LIMIT : MCO_OK;
        GPU_CHECK(paths_tiles_tree(ctx, tiles, NULL, source, seen, NULL, NULL) == expected, "longer %d", longer);
        GPU_CHECK(paths_block_trees(ctx, &l, 0, NULL, 1, &source, seen, NULL) == expected, "longer %d", longer);
        checks += 2;
        paths_tiles_close(ctx, &tiles);
        paths_layout_clear(ctx, &l);
        trial_close(&t);
    }
    make_near(&t, 70000, 70000, 5, 5, 1);
    MUST(paths_layout_make(ctx, &t.rows, NULL, false, &l));
    GPU_CHECK(paths_block_trees(ctx, &l, 0, NULL, 1, &source, seen, NULL) == MCO_ERR_LIMIT, "70,000 labels do not fit");
    const paths_tiles_tuning no_kernel = {.tile = 1000, .threads = 256};
    GPU_CHECK(paths_tiles_open_tuned(ctx, &l, 0, &no_kernel, &tiles) == MCO_ERR_ARGUMENT, "tiles of 1,000 have no kernel");
    checks += 2;
    paths_layout_clear(ctx, &l);
    trial_close(&t);
}

// A path of a million arcs through tiles of one order is slow on purpose: thousands of visits in a row. The time limit is over
// before it ends; the next tree on the same device is right.
static void test_stop(void)
{
    enum { LENGTH = 4000000, STEP = 1027 };
    static const double LIMIT_S = 0.02, MOST_S = 0.15;
    trial t;
    paths_layout l = {0};
    paths_tiles *tiles = NULL;
    const mco_run_settings settings = {.time_limit_s = LIMIT_S, .target = -1, .objective = "labels"};
    trial_begin(&t, "path", LENGTH, LENGTH, 1);
    for (int64_t k = 0; k + 1 < LENGTH; k++)  // each arc leads to another tile
        add(&t, (int32_t)(k * STEP % LENGTH), (int32_t)((k + 1) * STEP % LENGTH), 1);
    trial_end(&t);
    int32_t *seen = calloc(LENGTH, sizeof *seen);
    MUST(paths_layout_make(ctx, &t.rows, NULL, false, &l));
    MUST(paths_tiles_open(ctx, &l, 0, &tiles));
    mco_run run = mco_run_begin(ctx, &settings);
    const double begin_s = mco_clock_s();
    const mco_status st = paths_tiles_tree(ctx, tiles, &run, 0, seen, NULL, NULL);
    const double took_s = mco_clock_s() - begin_s;
    GPU_CHECK(st == MCO_ERR_STOPPED, "status %d after %.3f s", (int)st, took_s);
    GPU_CHECK(took_s < MOST_S, "%.3f s after a limit of %.3f s", took_s, LIMIT_S);
    checks += 2;
    mco_run_clear(&run);
    paths_tiles_close(ctx, &tiles);
    paths_layout_clear(ctx, &l);
    trial_close(&t);
    free(seen);
}

static void test_stop_of_blocks(void)
{
    enum { COUNT = 100000, SIDE = 100 };
    static const double LIMIT_S = 0.05, MOST_S = 0.5;  // opening the device included
    trial t;
    paths_layout l = {0};
    const mco_run_settings settings = {.time_limit_s = LIMIT_S, .target = -1, .objective = "labels"};
    const paths_block_tuning slow = {.delta = 1};
    make_grid(&t, SIDE, 100, 9);
    int32_t *source = calloc(COUNT, sizeof *source);
    MUST(paths_layout_make(ctx, &t.rows, NULL, false, &l));
    mco_run run = mco_run_begin(ctx, &settings);
    const double begin_s = mco_clock_s();
    const mco_status st = paths_block_trees_tuned(ctx, &l, 0, &run, COUNT, source, &slow, NULL, NULL);
    const double took_s = mco_clock_s() - begin_s;
    GPU_CHECK(st == MCO_ERR_STOPPED, "status %d after %.3f s", (int)st, took_s);
    GPU_CHECK(took_s < MOST_S, "%.3f s after a limit of %.3f s", took_s, LIMIT_S);
    checks += 2;
    mco_run_clear(&run);
    paths_layout_clear(ctx, &l);
    trial_close(&t);
    free(source);
}

// Small networks on a few shapes.
static void test_few(void)
{
    trial t;
    is_small = true;
    make_random(&t, 65, 260, 1000, 1);
    try_all(&t, 1);
    make_near(&t, 200, 1800, 5, 1, 2);
    try_all(&t, 1);
    make_near(&t, 300, 1200, 40, 20, 3);
    t.rows.first_through = 60;
    try_all(&t, 1);
    make_grid(&t, 20, 100, 5);
    try_all(&t, 1);
}

// Without arguments: everything. `small`: a few small networks, for tools that slow kernels down.
int main(int argc, char **argv)
{
#ifdef PATHS_SINGLE_EMULATED  // by a scheduler of threads on the host
    (void)argc;
    (void)argv;
    enum { SMALL = 9, ENDS = 2, SIDE = 40, WIDE_REPEATS = 1 };
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return EXIT_FAILURE;
#else
    enum { SMALL = 30, ENDS = 8, SIDE = 300, WIDE_REPEATS = 20 };
    ctx = gpu_begin();
    if (argc > 1 && strcmp(argv[1], "small") == 0) {
        test_few();
        mco_context_destroy(&ctx);
        return gpu_summary("trees without a hierarchy, small", checks);
    }
#endif
    test_small(SMALL);
    test_ends(ENDS);
    test_wide(SIDE, WIDE_REPEATS);
    test_limits();
#ifndef PATHS_SINGLE_EMULATED
    test_wide(100, 100);
    test_stop();
    test_stop_of_blocks();
#endif
    mco_context_destroy(&ctx);
    return gpu_summary("trees without a hierarchy", checks);
}
