// SPDX-License-Identifier: MIT
// The hierarchy on a GPU: weights against the loop over triangles, trees and queries against Dijkstra's algorithm, for networks of
// all kinds, cells of all sizes, any number of sources, little memory, new weights, stops and limits.
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rng.h"
#include "gpu/gpu_support.h"
#include "paths/hierarchy/gpu.h"

static long checks;
static mco_context *ctx;

// ---- Steps: each is printed with its time, and one that does not end ends the test as failed

enum { MOST_STEP_S = 30 };
static char step_name[128];
static double step_begin_s;

static void step_is_late(int sig)
{
    static const char text[] = ": this step has not ended, a kernel or a wait hangs\n";
    (void)sig;
    if (write(STDERR_FILENO, step_name, strlen(step_name)) >= 0 && write(STDERR_FILENO, text, sizeof text - 1) >= 0)
        _exit(EXIT_FAILURE);
    _exit(EXIT_FAILURE);
}

// Ends the step before. NULL: the last one has ended.
static void begin_step(const char *name)
{
    const double now_s = mco_clock_s();
    if (step_name[0] != 0 && now_s - step_begin_s > 0.1)
        printf("  %s: %.2f s\n", step_name, now_s - step_begin_s);
    fflush(stdout);
    snprintf(step_name, sizeof step_name, "%s", name == NULL ? "" : name);
    step_begin_s = now_s;
    alarm(name == NULL ? 0 : MOST_STEP_S);
}

#define MUST(call) GPU_CHECK((call) == MCO_OK, "%s", mco_context_error(ctx))

// ---- Networks

typedef struct instance {
    mco_paths_network *network;
    mco_paths_hierarchy *hierarchy;
    paths_metric metric;    // by the oracle
    int32_t vertices;
} instance;

// Takes `network` over.
static void open_instance(instance *in, mco_paths_network *network, const int32_t *order)
{
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    *in = (instance){.network = network, .vertices = network->rows.vertices};
    MUST(mco_paths_prepare(ctx, network, order, &params, &in->hierarchy));
    MUST(paths_metric_open(ctx, &in->hierarchy->topology, &in->metric));
}

static void close_instance(instance *in)
{
    paths_metric_clear(ctx, &in->metric);
    mco_paths_hierarchy_destroy(ctx, &in->hierarchy);
    mco_paths_destroy(ctx, &in->network);
}

static const mco_paths_rows *searched_rows(const instance *in)
{
    return in->hierarchy->expanded != NULL ? &in->hierarchy->expanded->rows : &in->hierarchy->network->rows;
}

// An arc of a network that is made here.
typedef struct made_arc {
    int32_t tail, head;
    double weight;
} made_arc;

static mco_graph *make_graph(int32_t vertices, int64_t arcs, const made_arc *arc)
{
    mco_graph *graph = NULL;
    int32_t *from = calloc((size_t)arcs + 1, sizeof *from), *to = calloc((size_t)arcs + 1, sizeof *to);
    double *weight = calloc((size_t)arcs + 1, sizeof *weight);
    for (int64_t a = 0; a < arcs; a++) {
        from[a] = arc[a].tail;
        to[a] = arc[a].head;
        weight[a] = arc[a].weight;
    }
    const mco_graph_edges edges = {.vertices = vertices, .edges = arcs, .from = from, .to = to, .weight = weight, .is_directed = true};
    MUST(mco_graph_create(ctx, &edges, &graph));
    free(weight);
    free(to);
    free(from);
    return graph;
}

// Random arcs: loops, parallel arcs, weights of zero and lonely vertices occur. `turns`: some vertices have turns.
static mco_paths_network *random_network(mco_rng *rng, int32_t vertices, int32_t arcs, int32_t first_through, int32_t turns)
{
    made_arc *arc = calloc((size_t)arcs + 1, sizeof *arc);
    mco_paths_turn *turn = calloc((size_t)turns + 1, sizeof *turn);
    mco_graph *graph = NULL;
    mco_paths_network *network = NULL;
    mco_paths_model model = MCO_PATHS_MODEL_INIT;
    for (int32_t a = 0; a < arcs; a++)
        arc[a] = (made_arc){.tail = (int32_t)mco_rng_below(rng, (uint32_t)vertices), .head = (int32_t)mco_rng_below(rng, (uint32_t)vertices),
                                 .weight = mco_rng_below(rng, mco_rng_below(rng, 4) == 0 ? 2 : 1000)};
    graph = make_graph(vertices, arcs, arc);
    model.scale = 1;
    model.first_through = first_through;
    MUST(mco_paths_create(ctx, graph, &model, &network));
    if (turns > 0) {  // again, with turns between arcs that meet
        const mco_paths_rows rows = network->rows;
        for (int32_t k = 0; k < turns && rows.arcs > 0; k++) {
            const int64_t from = (int64_t)mco_rng_below(rng, (uint32_t)rows.arcs);
            const int32_t v = rows.head[from];
            if (rows.first[v] == rows.first[v + 1])
                continue;
            turn[model.turn_count++] = (mco_paths_turn){
                .from = from, .to = rows.first[v] + (int64_t)mco_rng_below(rng, (uint32_t)(rows.first[v + 1] - rows.first[v])),
                .cost = (int32_t)mco_rng_below(rng, 100) - 1};
        }
        model.turns = turn;
        mco_paths_network *with_turns = NULL;
        if (mco_paths_create(ctx, graph, &model, &with_turns) == MCO_OK) {  // a turn that occurs twice is refused
            mco_paths_destroy(ctx, &network);
            network = with_turns;
        }
    }
    mco_graph_destroy(ctx, &graph);
    free(turn);
    free(arc);
    return network;
}

// Zones on a city: vertices that no path passes through, joined by arcs both ways to a road network, each at one place of it. Some
// have an arc to another zone of the same place. *order is for the whole, so that the hierarchy is the same whatever the
// build has for finding orders; free() releases it.
static mco_paths_network *city(int32_t zones, int32_t side, int32_t **order)
{
    mco_paths_network *road = NULL, *network = NULL;
    mco_graph *graph = NULL;
    mco_paths_model model = MCO_PATHS_MODEL_INIT;
    const mco_paths_shape shape = {.family = MCO_PATHS_ROAD, .a = side, .b = side, .seed = 5};
    mco_rng rng;
    int32_t *road_order = NULL, place = 0;
    mco_rng_seed(&rng, 21, 0);
    MUST(mco_paths_generate(ctx, &shape, &road, &road_order));
    const mco_paths_rows rows = road->rows;
    made_arc *arc = calloc((size_t)rows.arcs + 8 * (size_t)zones, sizeof *arc);
    int64_t arcs = 0;
    for (int32_t v = 0; v < rows.vertices; v++)
        for (int64_t a = rows.first[v]; a < rows.first[v + 1]; a++)
            arc[arcs++] = (made_arc){.tail = zones + v, .head = zones + rows.head[a], .weight = rows.weight[a]};
    for (int32_t z = 0; z < zones; z++) {
        if (z % 7 != 1)
            place = (int32_t)mco_rng_below(&rng, (uint32_t)rows.vertices);
        for (int32_t k = 0, v = place; k < 3; k++) {
            const bool is_zone = k == 2 && z % 7 == 0 && z + 1 < zones;
            const int32_t other = is_zone ? z + 1 : zones + v;
            arc[arcs++] = (made_arc){.tail = z, .head = other, .weight = mco_rng_below(&rng, 500)};
            if (k != 1)
                arc[arcs++] = (made_arc){.tail = other, .head = z, .weight = mco_rng_below(&rng, 500)};
            v = rows.first[v] < rows.first[v + 1] ? rows.head[rows.first[v]] : v;
        }
    }
    graph = make_graph(zones + rows.vertices, arcs, arc);
    model.scale = 1;
    model.first_through = zones;
    MUST(mco_paths_create(ctx, graph, &model, &network));
    *order = calloc((size_t)zones + (size_t)rows.vertices, sizeof **order);
    for (int32_t k = 0; k < zones + rows.vertices; k++)
        (*order)[k] = k < zones ? k : zones + road_order[k - zones];
    mco_paths_order_clear(ctx, &road_order);
    mco_graph_destroy(ctx, &graph);
    mco_paths_destroy(ctx, &road);
    free(arc);
    return network;
}

// ---- Comparisons

static void expect_weights(const instance *in, paths_device_hierarchy *device, const int32_t *weight, const char *what)
{
    const paths_topology *t = &in->hierarchy->topology;
    int32_t *pair = calloc(2 * (size_t)t->arcs + 1, sizeof *pair);
    paths_metric_ref(t, searched_rows(in)->arcs, weight, (paths_metric *)&in->metric);
    MUST(paths_device_weights(ctx, device, pair));
    int64_t bad = 0;
    for (int64_t k = 0; k < 2 * (int64_t)t->arcs; k++)
        bad += pair[k] != in->metric.pair[k];
    checks++;
    GPU_CHECK(bad == 0, "%s: %lld of %lld weights differ", what, (long long)bad, 2 * (long long)t->arcs);
    free(pair);
}

// Compares every `step`th tree with the reference search, on the network as it is now.
static void expect_trees(const mco_paths_rows *rows, int64_t count, const int32_t *source, const int32_t *distance, int64_t step, const char *what)
{
    int32_t *expected = calloc((size_t)rows->vertices + 1, sizeof *expected);
    for (int64_t k = 0; k < count; k += step) {
        MUST(paths_ref_tree(ctx, rows, source[k], expected, NULL));
        int64_t bad = 0, first = -1;
        for (int32_t v = 0; v < rows->vertices; v++)
            if (distance[k * rows->vertices + v] != expected[v]) {
                bad++;
                first = first < 0 ? v : first;
            }
        checks++;
        GPU_CHECK(bad == 0, "%s: tree %lld from %d: %lld of %d labels differ, the first at %lld: %d, expected %d", what, (long long)k,
                  source[k], (long long)bad, rows->vertices, (long long)first, distance[k * rows->vertices + first], expected[first]);
    }
    free(expected);
}

// By walks, and with `labels` also by labels.
static void expect_queries(const mco_paths_rows *rows, paths_device_hierarchy *device, mco_rng *rng, int64_t count, bool labels, const char *what)
{
    int32_t *source = calloc((size_t)count, sizeof *source), *target = calloc((size_t)count, sizeof *target);
    int32_t *distance = calloc((size_t)count, sizeof *distance), *expected = calloc((size_t)rows->vertices, sizeof *expected);
    double device_s;
    for (int64_t q = 0; q < count; q++) {
        source[q] = q % 16 == 0 ? (int32_t)mco_rng_below(rng, (uint32_t)rows->vertices) : source[q - 1];
        target[q] = q % 16 == 1 ? source[q] : (int32_t)mco_rng_below(rng, (uint32_t)rows->vertices);
    }
    for (int way = PATHS_QUERIES_WALK; way <= (labels ? PATHS_QUERIES_LABELS : PATHS_QUERIES_WALK); way++) {
        const paths_device_tuning tuning = {.queries = (paths_queries_way)way};
        int64_t bad = 0;
        paths_device_tune(device, &tuning);
        memset(distance, 0xff, (size_t)count * sizeof *distance);
        MUST(paths_device_queries(ctx, device, NULL, count, source, target, distance, &device_s));
        for (int64_t q = 0; q < count; q++) {
            if (q % 16 == 0)
                MUST(paths_ref_tree(ctx, rows, source[q], expected, NULL));
            bad += distance[q] != expected[target[q]];
        }
        checks++;
        GPU_CHECK(bad == 0, "%s: %lld of %lld queries by way %d differ", what, (long long)bad, (long long)count, way);
    }
    free(expected);
    free(distance);
    free(target);
    free(source);
}

// Trees of `count` sources, some of them twice, at once and once more for the same sources.
static void try_trees(const instance *in, paths_device_hierarchy *device, mco_rng *rng, int64_t count, int64_t step, const char *what)
{
    const mco_paths_rows *rows = &in->network->rows;
    int32_t *source = calloc((size_t)count + 1, sizeof *source);
    const size_t labels = (size_t)count * (size_t)rows->vertices;
    int32_t *distance = malloc((labels + 1) * sizeof *distance), *pinned = NULL;
    double device_s, copy_s;
    for (int64_t k = 0; k < count; k++)
        source[k] = rows->first_through > 0 && k % 2 == 0 ? (int32_t)mco_rng_below(rng, (uint32_t)rows->first_through)
                                                          : (int32_t)mco_rng_below(rng, (uint32_t)rows->vertices);
    for (int run = 0; run < 2; run++) {
        memset(distance, 0xff, (size_t)count * (size_t)rows->vertices * sizeof *distance);
        MUST(paths_device_trees(ctx, device, NULL, count, source, distance, &device_s, &copy_s));
        expect_trees(rows, count, source, distance, step, what);
    }
    GPU_CHECK(cudaHostAlloc((void **)&pinned, (labels + 1) * sizeof *pinned, cudaHostAllocPortable) == cudaSuccess, "no pinned memory");
    memset(pinned, 0xff, labels * sizeof *pinned);
    MUST(paths_device_trees(ctx, device, NULL, count, source, pinned, &device_s, &copy_s));
    checks++;
    GPU_CHECK(memcmp(pinned, distance, labels * sizeof *pinned) == 0, "%s: labels in pinned memory differ", what);
    (void)cudaFreeHost(pinned);
    free(distance);
    free(source);
}

// ---- Tests

static const int64_t COUNTS[] = {1, 31, 32, 33, 64, 65, 200, 256, 300};

static void small_networks(void)
{
    mco_rng rng;
    mco_rng_seed(&rng, 1, 0);
    for (int k = 0; k < 120; k++) {
        char what[64];
        instance in;
        paths_device_hierarchy *device = NULL;
        const int32_t vertices = k < 3 ? 1 + k / 2 : 1 + (int32_t)mco_rng_below(&rng, k % 3 == 0 ? 400 : 60);
        const int32_t arcs = (int32_t)mco_rng_below(&rng, (uint32_t)vertices * (k % 5 == 0 ? 2 : 4) + 1);
        const int32_t first_through = k % 2 == 0 ? 0 : (int32_t)mco_rng_below(&rng, (uint32_t)vertices + 1);
        const int32_t boundary = k % 4 == 0 ? 1 + (int32_t)mco_rng_below(&rng, 8) : 0;
        paths_device_tuning tuning = {
            .cells = {.leaf_nodes = (int32_t)mco_rng_below(&rng, 20), .nodes = (int32_t)mco_rng_below(&rng, 12), .boundary = boundary,
                      .arcs = boundary > 0 ? boundary + 2 + (int32_t)mco_rng_below(&rng, 100) : 0},
            .per_lane = (int32_t)mco_rng_below(&rng, 3), .group_warps = (int32_t)mco_rng_below(&rng, 9), .dense = k % 4 == 1, .walk = k % 3 == 1};
        if (k % 8 == 5)
            tuning.shared_bytes = 64;  // walks and queries in device memory; cells do not fit
        snprintf(what, sizeof what, "small %d (%d vertices, %d arcs)", k, vertices, arcs);
        begin_step(what);
        open_instance(&in, random_network(&rng, vertices, arcs, first_through, k % 6 == 0 ? 12 : 0), NULL);
        const mco_status st = paths_device_open_tuned(ctx, in.hierarchy, 0, &tuning, &device);
        if (tuning.shared_bytes > 0) {
            GPU_CHECK(st == MCO_ERR_LIMIT, "%s: status %d, expected LIMIT", what, (int)st);
            checks++;
        } else {
            GPU_CHECK(st == MCO_OK, "%s: %s", what, mco_context_error(ctx));
            expect_weights(&in, device, searched_rows(&in)->weight, what);
            try_trees(&in, device, &rng, COUNTS[k % 9], 1, what);
            try_trees(&in, device, &rng, COUNTS[(k + 4) % 9], 1, what);
            expect_queries(&in.network->rows, device, &rng, 256, true, what);
        }
        paths_device_close(ctx, &device);
        close_instance(&in);
    }
}

// A long path in its own order: a height as great as the network, and walks that do not fit into shared memory.
static void tall_network(void)
{
    enum { LENGTH = 40000 };
    instance in;
    mco_rng rng;
    paths_device_hierarchy *device = NULL;
    mco_graph *graph = NULL;
    mco_paths_network *network = NULL;
    made_arc *arc = calloc(2 * LENGTH, sizeof *arc);
    int32_t *order = calloc(LENGTH, sizeof *order);
    mco_rng_seed(&rng, 2, 0);
    for (int32_t v = 0; v + 1 < LENGTH; v++) {
        arc[2 * v] = (made_arc){.tail = v, .head = v + 1, .weight = 1 + v % 3};
        arc[2 * v + 1] = (made_arc){.tail = v + 1, .head = v, .weight = 2};
    }
    for (int32_t v = 0; v < LENGTH; v++)
        order[v] = v;
    graph = make_graph(LENGTH, 2 * (LENGTH - 1), arc);
    MUST(mco_paths_create(ctx, graph, NULL, &network));
    open_instance(&in, network, order);
    MUST(paths_device_open(ctx, in.hierarchy, 0, &device));
    expect_weights(&in, device, network->rows.weight, "tall");
    try_trees(&in, device, &rng, 33, 4, "tall");
    expect_queries(&network->rows, device, &rng, 64, false, "tall");
    const paths_device_stats stats = paths_device_tell(device);
    printf("tall: height %d, %d tiers, %d vertices by levels\n", in.hierarchy->topology.height, stats.tiers, stats.high_count);
    paths_device_close(ctx, &device);
    close_instance(&in);
    mco_graph_destroy(ctx, &graph);
    free(order);
    free(arc);
}

// All pairs joined: rows that are longer than a cell's boundary.
static void dense_network(void)
{
    enum { VERTICES = 900 };
    instance in;
    mco_rng rng;
    paths_device_hierarchy *device = NULL;
    mco_rng_seed(&rng, 3, 0);
    open_instance(&in, random_network(&rng, VERTICES, VERTICES * 40, 0, 0), NULL);
    MUST(paths_device_open(ctx, in.hierarchy, 0, &device));
    const paths_device_stats stats = paths_device_tell(device);
    printf("dense: height %d, %d tiers, %d vertices by %d levels\n", in.hierarchy->topology.height, stats.tiers, stats.high_count, stats.high_levels);
    GPU_CHECK(stats.high_count > 0, "nothing is swept by levels, so that is untested");
    expect_weights(&in, device, in.network->rows.weight, "dense");
    for (int k = 0; k < 9; k++)
        try_trees(&in, device, &rng, COUNTS[k], 16, "dense");
    expect_queries(&in.network->rows, device, &rng, 512, true, "dense");
    paths_device_close(ctx, &device);
    close_instance(&in);
}

// A city with zones in which all zones are sources; batches, tunings, and new weights in one sequence of kernels.
static void cities(void)
{
    enum { ZONES = 1462, SIDE = 110 };
    instance in;
    mco_rng rng;
    int32_t *order = NULL;
    mco_paths_network *network = NULL;
    paths_device_hierarchy *device = NULL;
    static const paths_device_tuning tunings[] = {
        {.per_lane = 0}, {.per_lane = 1}, {.per_lane = 2, .group_warps = 1}, {.per_lane = 1, .group_warps = 8}, {.customise_blocks = 7, .customise_threads = 96},
        {.customise_blocks = 1000000, .customise_threads = 256}, {.batch_bytes = 40000000}, {.cells = {.leaf_nodes = 200, .nodes = 200}},
        {.cells = {.leaf_nodes = 100, .nodes = 128}, .split_warps = 1000}, {.dense = 1, .split_warps = 1000, .walk = 1}};
    mco_rng_seed(&rng, 4, 0);
    begin_step("city: hierarchy");
    network = city(ZONES, SIDE, &order);
    open_instance(&in, network, order);
    printf("city: height %d, %lld triangles\n", in.hierarchy->topology.height, (long long)in.hierarchy->topology.triangles);
    const mco_paths_rows *rows = &in.network->rows;
    int32_t *source = calloc(ZONES, sizeof *source), *weight = calloc((size_t)rows->arcs, sizeof *weight);
    int32_t *distance = malloc((size_t)ZONES * (size_t)rows->vertices * sizeof *distance);
    for (int32_t z = 0; z < ZONES; z++)
        source[z] = z;
    for (int k = 0; k < (int)(sizeof tunings / sizeof *tunings); k++) {
        char what[32];
        double device_s = 0, copy_s = 0;
        snprintf(what, sizeof what, "city, tuning %d", k);
        begin_step(what);
        MUST(paths_device_open_tuned(ctx, in.hierarchy, 0, &tunings[k], &device));
        expect_weights(&in, device, rows->weight, what);
        MUST(paths_device_trees(ctx, device, NULL, ZONES, source, distance, &device_s, &copy_s));
        expect_trees(rows, ZONES, source, distance, 29, what);
        try_trees(&in, device, &rng, 65, 5, what);
        expect_queries(rows, device, &rng, 512, true, what);
        paths_device_close(ctx, &device);
    }
    MUST(paths_device_open(ctx, in.hierarchy, 0, &device));
    MUST(paths_device_trees(ctx, device, NULL, ZONES, source, NULL, NULL, NULL));
    mco_paths_rows changed = *rows;
    changed.weight = weight;
    for (int k = 0; k < 4; k++) {
        double device_s = 0;
        begin_step("city: new weights");
        for (int64_t a = 0; a < rows->arcs; a++)
            weight[a] = mco_rng_below(&rng, 50) == 0 ? MCO_PATHS_NONE : (int32_t)mco_rng_below(&rng, 1000);
        MUST(paths_device_renew(ctx, device, NULL, weight, &device_s));
        expect_weights(&in, device, weight, "renewed");
        MUST(paths_device_labels(ctx, device, NULL, distance, NULL));
        expect_trees(&changed, ZONES, source, distance, 41, "renewed");
    }
    paths_device_close(ctx, &device);
    free(distance);
    free(weight);
    free(source);
    free(order);
    close_instance(&in);
}

static void road_network(void)
{
    instance in;
    mco_rng rng;
    int32_t *order = NULL;
    mco_paths_network *network = NULL;
    paths_device_hierarchy *device = NULL;
    const mco_paths_shape shape = {.family = MCO_PATHS_ROAD, .a = 512, .b = 512, .seed = 9};
    mco_rng_seed(&rng, 5, 0);
    MUST(mco_paths_generate(ctx, &shape, &network, &order));
    open_instance(&in, network, order);
    MUST(paths_device_open(ctx, in.hierarchy, 0, &device));
    for (int run = 0; run < 5; run++) {  // a moving weight is a race
        MUST(paths_device_customise(ctx, device, network->rows.weight, NULL));
        expect_weights(&in, device, network->rows.weight, "road");
    }
    try_trees(&in, device, &rng, 64, 16, "road");
    try_trees(&in, device, &rng, 70, 23, "road");
    expect_queries(&network->rows, device, &rng, 512, true, "road");
    paths_device_close(ctx, &device);
    mco_paths_order_clear(ctx, &order);
    close_instance(&in);
}

// ---- Stops and limits

static void stops_and_limits(void)
{
    instance in;
    paths_device_hierarchy *device = NULL;
    const paths_device_tuning little = {.batch_bytes = 30000000}, none = {.batch_bytes = 1000};
    const mco_run_settings settings = {.time_limit_s = 0, .target = -1, .objective = "trees"}, free_run = {.time_limit_s = MCO_NO_LIMIT, .target = -1, .objective = "trees"};
    int32_t source[256], target[256], *distance, *order = NULL;
    mco_paths_network *network = city(40, 100, &order);
    open_instance(&in, network, order);
    distance = malloc(256 * (size_t)in.vertices * sizeof *distance);
    for (int32_t k = 0; k < 256; k++) {
        source[k] = k;
        target[k] = in.vertices - 1 - k;
    }
    MUST(paths_device_open_tuned(ctx, in.hierarchy, 0, &little, &device));
    mco_run run = mco_run_begin(ctx, &settings);
    GPU_CHECK(paths_device_trees(ctx, device, &run, 256, source, distance, NULL, NULL) == MCO_ERR_STOPPED, "trees go on without time");
    GPU_CHECK(run.stop == MCO_STOP_TIME, "stop %d", (int)run.stop);
    GPU_CHECK(paths_device_queries(ctx, device, &run, 256, source, target, distance, NULL) == MCO_ERR_STOPPED, "queries go on without time");
    mco_run_clear(&run);
    mco_cancel(ctx);
    run = mco_run_begin(ctx, &free_run);
    GPU_CHECK(paths_device_trees(ctx, device, &run, 256, source, distance, NULL, NULL) == MCO_ERR_STOPPED, "trees go on when cancelled");
    GPU_CHECK(run.stop == MCO_STOP_CANCELLED, "stop %d", (int)run.stop);
    mco_clear_cancel(ctx);
    mco_run_clear(&run);
    // Labels that are to stay need room for all of them; with a place on the host they come in batches.
    GPU_CHECK(paths_device_trees(ctx, device, NULL, 256, source, NULL, NULL, NULL) == MCO_OK || strstr(mco_context_error(ctx), "at most") != NULL,
              "%s", mco_context_error(ctx));
    MUST(paths_device_trees(ctx, device, NULL, 256, source, distance, NULL, NULL));
    expect_trees(&in.network->rows, 256, source, distance, 17, "after stops");
    MUST(paths_device_trees(ctx, device, NULL, 0, source, distance, NULL, NULL));
    MUST(paths_device_queries(ctx, device, NULL, 0, source, target, distance, NULL));
    paths_device_close(ctx, &device);
    MUST(paths_device_open_tuned(ctx, in.hierarchy, 0, &none, &device));
    GPU_CHECK(paths_device_trees(ctx, device, NULL, 256, source, distance, NULL, NULL) == MCO_ERR_LIMIT, "a batch of nothing");
    paths_device_close(ctx, &device);
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    mco_paths_tree tree = MCO_PATHS_TREE_INIT;
    params.engine = MCO_ENGINE_GPU;
    params.method = MCO_PATHS_METHOD_SWEEP;
    MUST(mco_paths_find_tree(ctx, in.network, in.hierarchy, 7, &params, &tree));
    GPU_CHECK(tree.work.engine == MCO_ENGINE_GPU && tree.method == MCO_PATHS_METHOD_SWEEP, "engine %d, method %d", (int)tree.work.engine, (int)tree.method);
    expect_trees(&in.network->rows, 1, &tree.source, tree.distance, 1, "one tree");
    mco_paths_tree_clear(ctx, &tree);
    GPU_CHECK(paths_device_open(ctx, in.hierarchy, 3, &device) == MCO_ERR_ARGUMENT, "two GPUs");
    checks += 9;
    free(order);
    free(distance);
    close_instance(&in);
}

int main(void)
{
    ctx = gpu_begin();
    signal(SIGALRM, step_is_late);
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"small networks", small_networks}, {"tall", tall_network}, {"dense", dense_network}, {"cities", cities},
                 {"road", road_network}, {"stops and limits", stops_and_limits}};
    for (int k = 0; k < (int)(sizeof parts / sizeof *parts); k++) {
        const double begin_s = mco_clock_s();
        begin_step(parts[k].name);
        parts[k].run();
        begin_step(NULL);
        printf("%s: %.1f s, %d failures so far\n", parts[k].name, mco_clock_s() - begin_s, gpu_failures);
        fflush(stdout);
    }
    mco_context_destroy(&ctx);
    return gpu_summary("hierarchy on a GPU", checks);
}
