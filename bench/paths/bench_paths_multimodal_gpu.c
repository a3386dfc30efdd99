// SPDX-License-Identifier: MIT
// Whole networks of the sizes of table 6.1 of Strappaveccia (2015) on one GPU: batches of queries, kernel time by events. Every instance
// is certified on the GPU, as every run is; the labels of its first and last query are also read back and pass mco_multimodal_check().
//
//     bench_paths_multimodal_gpu INSTANCE|all [STATES|0 [WAY [DELTA [GROUPS [SHAPE [BLOCKS_EACH]]]]]]
//
// STATES 0: 2, 3, 4, 6 and 8. WAY: far (sources all over, departures within a day), near (sources all over, departures within an hour),
// profile (one source, a departure every minute), all. DELTA, GROUPS, SHAPE, BLOCKS_EACH 0: chosen; DELTA "sweep": several.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "mco/mco.h"
#include "paths/multimodal/gpu.h"

static const struct {
    const char *name;
    int32_t vertices;
} instances[] = {
    {"Berlin", 1594184}, {"London", 1962806}, {"Los-Angeles", 1845707}, {"Melbourne", 1636709}, {"Milan", 1515734},
    {"Moskow", 1621233}, {"New-York", 1650314}, {"Paris", 1654535},     {"Rome", 1490676},      {"Tokyo", 2600054},
};
static const int32_t state_counts[] = {2, 3, 4, 6, 8};
enum { LAYERS = 1400000, DEGREE = 15, MOST = 512, DAY = 86400 };
typedef enum pattern { FAR, NEAR, PROFILE, WAYS } pattern;
static const char *const way_names[WAYS] = {"far", "near", "profile"};

static void must(mco_context *ctx, mco_status st)
{
    if (st == MCO_OK)
        return;
    fprintf(stderr, "%s\n", mco_context_error(ctx));
    exit(1);
}

static void *take(size_t count, size_t bytes)
{
    void *memory = malloc(count * bytes);
    if (memory == NULL)
        exit(1);
    return memory;
}

// Roads of about this many vertices beside the layers: a rectangle.
static mco_multimodal *make(mco_context *ctx, int32_t vertices)
{
    mco_multimodal *network = NULL;
    mco_multimodal_shape shape = {.rows = 8, .layer = {500000, 400000, 300000, 200000}, .degree = DEGREE, .seed = 1};
    while (shape.rows * shape.rows < vertices - LAYERS)
        shape.rows += 8;
    shape.columns = (vertices - LAYERS + shape.rows - 1) / shape.rows;
    must(ctx, mco_multimodal_generate(ctx, &shape, &network));
    return network;
}

static void draw(const mco_multimodal *network, pattern way, int64_t count, mco_multimodal_query *query)
{
    mco_rng rng;
    mco_rng_seed(&rng, 7, 0);
    for (int64_t k = 0; k < count; k++) {
        const int32_t source = (int32_t)mco_rng_below(&rng, (uint32_t)network->vertices);
        const int32_t of_day = (int32_t)mco_rng_below(&rng, DAY), of_hour = (int32_t)mco_rng_below(&rng, 3600);
        query[k] = (mco_multimodal_query){.source = way == PROFILE ? 0 : source, .target = -1,
                                          .depart = way == FAR ? of_day : 8 * 3600 + (way == NEAR ? of_hour : 60 * (int32_t)k)};
    }
}

// Searches a batch some times; prints the fastest; checks its first and its last query.
static void run(mco_context *ctx, const char *name, const mco_multimodal *network, int32_t states, pattern way, const mm_device_tuning *tuning,
                bool checks)
{
    mco_automaton *automaton = NULL;
    mm_device *device = NULL;
    mco_multimodal_query query[MOST];
    int32_t arrival[MOST], *label = take((size_t)network->vertices * (size_t)states, sizeof *label);
    int64_t reached[MOST], done;
    must(ctx, mco_automaton_generate(ctx, network, states, &automaton));
    must(ctx, mm_device_open(ctx, network, automaton, NULL, MOST, tuning, &device));
    const int64_t count = mm_device_batch(device) < MOST ? mm_device_batch(device) : MOST;
    mm_device_stats best = {.device_s = 1e9};
    draw(network, way, count, query);
    for (int k = 0; k < 3; k++) {
        must(ctx, mm_device_find(ctx, device, NULL, count, query, arrival, reached, &done));
        if (mm_device_tell(device)->device_s < best.device_s)
            best = *mm_device_tell(device);
    }
    const double visits = (double)best.visits / ((double)network->vertices * best.groups);
    printf("%s,%d,%lld,%d,%s,%d,%d,%d,%d,%lld,%.3f,%.3f,%.3f,%.1f,%lld,%lld,%.2f,%.3f,%.1f,", name, network->vertices, (long long)network->arcs, states,
           way_names[way], tuning->delta, tuning->shape, best.groups, best.blocks, (long long)count, 1e3 * best.device_s, 1e3 * best.search_s,
           1e3 * best.certificate_s, (double)count / best.device_s, (long long)best.windows, (long long)best.rounds, visits,
           (double)best.triples / ((double)network->arcs * (double)count * states), 1e-9 * (double)best.triples / best.search_s);
    fflush(stdout);
    for (int64_t k = 0; checks && k < count; k += count > 1 ? count - 1 : 1) {
        must(ctx, mm_device_labels(ctx, device, k, label));
        must(ctx, mco_multimodal_check(ctx, network, automaton, &query[k], label));
    }
    printf("%s\n", checks ? "checked" : "-");
    fflush(stdout);
    mm_device_close(ctx, &device);
    mco_automaton_destroy(ctx, &automaton);
    free(label);
}

static int32_t number(int argc, char **argv, int k)
{
    return argc > k ? atoi(argv[k]) : 0;
}

static void run_ways(mco_context *ctx, const char *name, const mco_multimodal *network, int32_t states, int argc, char **argv)
{
    static const int32_t deltas[] = {20, 40, 75, 150, 300, 600};
    const bool sweeps = argc > 4 && strcmp(argv[4], "sweep") == 0;
    for (pattern way = FAR; way < WAYS; way++) {
        mm_device_tuning tuning = {.delta = number(argc, argv, 4), .groups = number(argc, argv, 5), .shape = number(argc, argv, 6),
                                   .blocks_each = number(argc, argv, 7)};
        if (argc > 3 && strcmp(argv[3], "all") != 0 && strcmp(argv[3], way_names[way]) != 0)
            continue;
        if (!sweeps)
            run(ctx, name, network, states, way, &tuning, true);
        for (size_t d = 0; sweeps && d < sizeof deltas / sizeof *deltas; d++) {
            tuning.delta = deltas[d];
            run(ctx, name, network, states, way, &tuning, d == 0);
        }
    }
}

int main(int argc, char **argv)
{
    mco_context *ctx = NULL;
    if (argc < 2 || mco_context_create(&ctx, NULL) != MCO_OK)
        return 1;
    printf("instance,vertices,arcs,states,way,delta,shape,groups,blocks,queries,device_ms,search_ms,certificate_ms,queries_per_s,windows,rounds,"
           "visits_per_vertex,triples_per_pair_of_arc_and_lane,gtriples_per_s,labels\n");
    for (size_t k = 0; k < sizeof instances / sizeof *instances; k++) {
        if (strcmp(argv[1], "all") != 0 && strcmp(argv[1], instances[k].name) != 0)
            continue;
        mco_multimodal *network = make(ctx, instances[k].vertices);
        for (size_t s = 0; s < sizeof state_counts / sizeof *state_counts; s++)
            if (number(argc, argv, 2) == 0 || number(argc, argv, 2) == state_counts[s])
                run_ways(ctx, instances[k].name, network, state_counts[s], argc, argv);
        mco_multimodal_destroy(ctx, &network);
    }
    mco_context_destroy(&ctx);
    return 0;
}
