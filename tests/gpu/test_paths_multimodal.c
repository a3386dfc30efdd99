// SPDX-License-Identifier: MIT
// Searches under an automaton on a GPU: random networks with all kinds of functions, random automata, many shapes of launches, against
// the reference; generated networks against the cores and the certificate; targets, profiles, limits, stops.
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "gpu/gpu_support.h"
#include "paths/multimodal/gpu.h"

enum { LABELS = 5, FUNCTIONS = 9, PERIOD = 3600, MOST_QUERIES = 70 };

static long checks;
static mco_context *ctx;
static bool is_small;

#define MUST(call) GPU_CHECK((call) == MCO_OK, "%s", mco_context_error(ctx))

static int32_t below(mco_rng *rng, int32_t limit)
{
    return (int32_t)mco_rng_below(rng, (uint32_t)limit);
}

static void *take(size_t count, size_t bytes)
{
    void *memory = calloc(count + 1, bytes);
    if (memory == NULL)
        exit(EXIT_FAILURE);
    return memory;
}

// ---- Random networks and automata

static mco_multimodal *make_network(mco_rng *rng, int32_t vertices, int32_t arcs, int32_t period_factor)
{
    static const char *const names[] = {"walk", "road", "bus", "on", "off"};
    static const int32_t quarters[] = {0, 900, 1800, 2700}, rides_at[] = {100, 700, 1300, 3500};
    mco_multimodal *network = NULL;
    double factor[4][4];
    int32_t ride[2][4], *part[5];
    mco_multimodal_function function[FUNCTIONS] = {{.kind = MCO_MULTIMODAL_CONSTANT}};
    for (int32_t k = 0; k < 4; k++) {
        for (int32_t i = 0; i < 4; i++)
            factor[k][i] = 0.25 + 0.25 * below(rng, 12);
        function[1 + k] = (mco_multimodal_function){.kind = MCO_MULTIMODAL_PROFILE, .count = k == 3 ? 1 : 4, .time = quarters, .factor = factor[k]};
    }
    for (int32_t k = 0; k < 2; k++) {
        const int32_t headway = k == 0 ? 300 : 720;
        function[5 + k] = (mco_multimodal_function){.kind = MCO_MULTIMODAL_HEADWAY, .headway = headway, .offset = below(rng, headway)};
        for (int32_t i = 0; i < 4; i++)
            ride[k][i] = 200 + below(rng, 100);
        function[7 + k] = (mco_multimodal_function){.kind = MCO_MULTIMODAL_TIMETABLE, .count = k == 0 ? 4 : 1, .time = rides_at, .ride = ride[k]};
    }
    for (int k = 0; k < 5; k++)
        part[k] = take((size_t)arcs, sizeof *part[k]);
    for (int32_t a = 0; a < arcs; a++) {
        part[0][a] = below(rng, vertices);
        part[1][a] = below(rng, 3) == 0 ? below(rng, vertices) : (part[0][a] + 1 + below(rng, 5)) % vertices;
        part[2][a] = below(rng, LABELS);
        part[3][a] = below(rng, FUNCTIONS);
        part[4][a] = below(rng, 4) == 0 ? 0 : below(rng, 60);
    }
    const mco_multimodal_parts parts = {.vertices = vertices, .period = PERIOD * period_factor, .labels = LABELS, .functions = FUNCTIONS,
                                        .label_name = names, .function = function,
                                        .arcs = {arcs, part[0], part[1], part[2], part[3], part[4]}};
    MUST(mco_multimodal_create(ctx, &parts, &network));
    for (int k = 0; k < 5; k++)
        free(part[k]);
    return network;
}

typedef struct random_automaton {
    mco_automaton of;
    char *name[MCO_MULTIMODAL_MAX_STATES];
    char letters[MCO_MULTIMODAL_MAX_STATES][4];
    uint32_t next[MCO_MULTIMODAL_MAX_STATES * LABELS];
    int32_t pace[MCO_MULTIMODAL_MAX_STATES];
} random_automaton;

// Some moves lead to several states, and several states lead to one.
static void make_automaton(mco_rng *rng, int32_t states, random_automaton *a)
{
    memset(a, 0, sizeof *a);
    a->of = (mco_automaton){.states = states, .labels = LABELS, .start = (uint32_t)1 << below(rng, states),
                            .final = (uint32_t)1 << below(rng, states), .name = a->name, .next = a->next, .pace = a->pace};
    a->of.start |= (uint32_t)1 << below(rng, states);
    for (int32_t q = 0; q < states; q++) {
        a->name[q] = a->letters[q];
        a->letters[q][0] = (char)('A' + q);
        a->pace[q] = below(rng, 3) == 0 ? 640 : 256;
        if (below(rng, 8) != 0)
            a->next[q * LABELS] = (uint32_t)1 << q;
    }
    const int32_t moves = states * LABELS * (1 + below(rng, 3)) / 2;
    for (int32_t k = 0; k < moves; k++)
        a->next[below(rng, states) * LABELS + below(rng, LABELS)] |= (uint32_t)1 << below(rng, states);
}

static int32_t best_at(const mco_automaton *a, const int32_t *label, int32_t vertex)
{
    int32_t best = MCO_MULTIMODAL_NONE;
    for (int32_t q = 0; q < a->states; q++)
        if ((a->final >> q & 1) != 0 && label[(size_t)vertex * (size_t)a->states + (size_t)q] < best)
            best = label[(size_t)vertex * (size_t)a->states + (size_t)q];
    return best;
}

// ---- Against the reference

static mm_device_tuning draw_tuning(mco_rng *rng)
{
    static const int32_t deltas[] = {0, 1, 20, 300, 5000, 1000000}, threads[] = {0, 32, 64, 256};
    return (mm_device_tuning){.delta = deltas[below(rng, 6)], .shape = below(rng, 4), .threads = threads[below(rng, 4)], .blocks_each = below(rng, 3),
                              .groups = below(rng, 4), .rounds = below(rng, 3) == 0 ? 1 + below(rng, 5) : 0};
}

// Changes labels where the certificate must see it, before the arrival or the arrival made earlier, and where it must not care. oracle: all
// labels of the query.
static void spoil(mco_rng *rng, mm_device *device, const mco_multimodal *network, const mco_automaton *a, int64_t k,
                  const mco_multimodal_query *query, const int32_t *oracle)
{
    const int32_t end = query->target >= 0 ? best_at(a, oracle, query->target) : MCO_MULTIMODAL_NONE;
    for (int fault = 0; fault < 3; fault++, checks++) {
        const int32_t vertex = fault == 0 && query->target >= 0 ? query->target : below(rng, network->vertices), state = below(rng, a->states);
        const int32_t was = oracle[(size_t)vertex * (size_t)a->states + (size_t)state], by = 1 + below(rng, 9);
        const bool is_best = query->target == vertex && (a->final >> state & 1) != 0 && was == end;
        const bool is_beyond = was > end || (was == end && end < MCO_MULTIMODAL_NONE && !is_best);
        const bool is_earlier = was == MCO_MULTIMODAL_NONE || is_best || below(rng, 2) == 0;
        if (is_beyond && was < MCO_MULTIMODAL_NONE)
            continue;  // the search may leave any later label there
        if (is_beyond) {
            MUST(mm_device_spoil(ctx, device, k, vertex, state, end + by));
            MUST(mm_device_certify(ctx, device));
        } else {
            MUST(mm_device_spoil(ctx, device, k, vertex, state, is_earlier ? was - by : was + by));
            GPU_CHECK(mm_device_certify(ctx, device) == MCO_ERR_INTERNAL, "query %d: %d for %d at vertex %d, state %d, passes", (int)k,
                      is_earlier ? was - by : was + by, was, vertex, state);
        }
        MUST(mm_device_spoil(ctx, device, k, vertex, state, was));
        MUST(mm_device_certify(ctx, device));
    }
}

static void test_batch(mco_rng *rng, mm_device *device, const mco_multimodal *network, const mco_automaton *a, int64_t count,
                       const mco_multimodal_query *query)
{
    const size_t pairs = (size_t)network->vertices * (size_t)a->states;
    int32_t *label = take(pairs, sizeof *label), *oracle = take(pairs, sizeof *oracle), arrival[MOST_QUERIES];
    int64_t reached[MOST_QUERIES], done = 0;
    MUST(mm_device_find(ctx, device, NULL, count, query, arrival, reached, &done));
    GPU_CHECK(done == count, "%lld of %lld", (long long)done, (long long)count);
    for (int64_t k = 0; k < count; k++, checks++) {
        int64_t there = 0;
        mco_multimodal_query whole = query[k];
        whole.target = -1;
        MUST(mm_ref_tree(ctx, network, a, &whole, oracle));
        for (size_t i = 0; i < pairs; i++)
            there += oracle[i] != MCO_MULTIMODAL_NONE;
        const int32_t best = query[k].target < 0 ? MCO_MULTIMODAL_NONE : best_at(a, oracle, query[k].target);
        GPU_CHECK(arrival[k] == best, "query %d arrives at %d, expected %d", (int)k, arrival[k], best);
        GPU_CHECK(reached[k] == (query[k].target < 0 ? there : best < MCO_MULTIMODAL_NONE), "query %d: %lld", (int)k, (long long)reached[k]);
        if (count > mm_device_batch(device))
            continue;
        if (!is_small || k == 0)
            spoil(rng, device, network, a, k, &query[k], oracle);
        if (query[k].target >= 0)
            continue;
        MUST(mm_device_labels(ctx, device, k, label));
        GPU_CHECK(memcmp(label, oracle, pairs * sizeof *label) == 0, "labels of query %d", (int)k);
    }
    free(label);
    free(oracle);
}

// way: 0, no query has a target; 1, all have one; 2, some have one.
static void draw_queries(mco_rng *rng, int32_t vertices, int32_t way, int32_t latest, int64_t count, mco_multimodal_query *query)
{
    const int32_t near = below(rng, vertices);
    for (int64_t k = 0; k < count; k++)
        query[k] = (mco_multimodal_query){.source = below(rng, 2) == 0 ? near : below(rng, vertices),
                                          .target = way == 0 || (way == 2 && below(rng, 2) == 0) ? -1 : below(rng, vertices),
                                          .depart = below(rng, latest)};
}

static void test_random(int trials, int32_t most_vertices, uint64_t seed)
{
    mco_rng rng;
    mco_rng_seed(&rng, seed, 0);
    for (int k = 0; k < trials; k++) {
        random_automaton a;
        mm_device *device = NULL;
        mco_multimodal_query query[MOST_QUERIES];
        const int32_t vertices = 1 + below(&rng, most_vertices);
        const int64_t count = 1 + below(&rng, k % 4 == 0 ? MOST_QUERIES : 8);
        mco_multimodal *network = make_network(&rng, vertices, below(&rng, 6 * vertices), 1 + below(&rng, 3));
        make_automaton(&rng, k % 8 == 0 ? MCO_MULTIMODAL_MAX_STATES : 1 + below(&rng, 12), &a);
        const mm_device_tuning tuning = draw_tuning(&rng);
        draw_queries(&rng, vertices, k % 3, k % 5 == 0 ? 1 << 28 : 3 * PERIOD, count, query);
        MUST(mm_device_open(ctx, network, &a.of, NULL, count, &tuning, &device));
        test_batch(&rng, device, network, &a.of, count, query);
        mm_device_close(ctx, &device);
        mco_multimodal_destroy(ctx, &network);
    }
}

// A long path of arcs that take no time, against the order of numbers, and a circle of them that nothing leads to. Labels of the
// circle meet each other, but no path leads there.
static void test_ties(void)
{
    enum { PATH = 500, VERTICES = PATH + 3 };
    static const char *const names[] = {"walk", "road", "bus", "on", "off"};
    int32_t *part[5], arrival;
    int64_t reached, done;
    mco_multimodal *network = NULL;
    mm_device *device = NULL;
    random_automaton a;
    mco_rng rng;
    const mco_multimodal_function constant = {.kind = MCO_MULTIMODAL_CONSTANT};
    const mco_multimodal_query query = {.source = PATH - 1, .target = -1, .depart = 100};
    mco_rng_seed(&rng, 4, 0);
    for (int k = 0; k < 5; k++)
        part[k] = take(VERTICES, sizeof *part[k]);
    for (int32_t v = 1; v < VERTICES; v++) {
        part[0][v - 1] = v;
        part[1][v - 1] = v == PATH ? VERTICES - 1 : v - 1;
    }
    const mco_multimodal_parts parts = {.vertices = VERTICES, .period = PERIOD, .labels = LABELS, .functions = 1, .label_name = names,
                                        .function = &constant, .arcs = {VERTICES - 1, part[0], part[1], part[2], part[3], part[4]}};
    MUST(mco_multimodal_create(ctx, &parts, &network));
    make_automaton(&rng, 1, &a);
    a.next[0] = 1;
    MUST(mm_device_open(ctx, network, &a.of, NULL, 1, NULL, &device));
    MUST(mm_device_find(ctx, device, NULL, 1, &query, &arrival, &reached, &done));
    GPU_CHECK(reached == PATH, "%lld labels", (long long)reached);
    for (int32_t v = PATH; v < VERTICES; v++)
        MUST(mm_device_spoil(ctx, device, 0, v, 0, 100));
    GPU_CHECK(mm_device_certify(ctx, device) == MCO_ERR_INTERNAL, "a circle that nothing leads to");
    for (int32_t v = PATH; v < VERTICES; v++)
        MUST(mm_device_spoil(ctx, device, 0, v, 0, MCO_MULTIMODAL_NONE));
    MUST(mm_device_certify(ctx, device));
    checks += 3;
    mm_device_close(ctx, &device);
    mco_multimodal_destroy(ctx, &network);
    for (int k = 0; k < 5; k++)
        free(part[k]);
}

// ---- Generated networks

// Labels of the cores, certified, and those of the GPU for some queries of one batch.
static void test_generated(int32_t states, const mco_multimodal *network)
{
    enum { COUNT = 6 };
    mco_automaton *a = NULL;
    mm_device *device = NULL;
    mco_multimodal_query query[COUNT];
    mco_multimodal_params params = MCO_MULTIMODAL_PARAMS_INIT;
    int32_t arrival[COUNT], *label;
    int64_t reached[COUNT], done;
    MUST(mco_automaton_generate(ctx, network, states, &a));
    for (int32_t k = 0; k < COUNT; k++)
        query[k] = (mco_multimodal_query){.source = k < 3 ? 17 : 1000 * k, .target = -1, .depart = 7 * 3600 + 400 * k};
    label = take((size_t)network->vertices * (size_t)states, sizeof *label);
    MUST(mm_device_open(ctx, network, a, NULL, COUNT, NULL, &device));
    MUST(mm_device_find(ctx, device, NULL, COUNT, query, arrival, reached, &done));
    params.engine = MCO_ENGINE_CPU;
    for (int32_t k = 0; k < COUNT; k += 2, checks++) {
        mco_multimodal_tree tree = MCO_MULTIMODAL_TREE_INIT;
        MUST(mm_device_labels(ctx, device, k, label));
        MUST(mco_multimodal_check(ctx, network, a, &query[k], label));
        MUST(mco_multimodal_find_tree(ctx, network, a, &query[k], &params, &tree));
        GPU_CHECK(tree.label != NULL && memcmp(label, tree.label, (size_t)network->vertices * (size_t)states * sizeof *label) == 0,
                  "%d states, query %d", states, k);
        GPU_CHECK(tree.reached == reached[k], "%lld, %lld", (long long)tree.reached, (long long)reached[k]);
        mco_multimodal_tree_clear(ctx, &tree);
    }
    mm_device_close(ctx, &device);
    free(label);
    mco_automaton_destroy(ctx, &a);
}

// Entries: a tree, journeys, many queries, a profile.
static void test_entries(const mco_multimodal *network, const mco_automaton *a)
{
    enum { COUNT = 40 };
    mco_multimodal_params gpu = MCO_MULTIMODAL_PARAMS_INIT, cpu = MCO_MULTIMODAL_PARAMS_INIT;
    mco_multimodal_result r = MCO_MULTIMODAL_RESULT_INIT;
    mco_multimodal_query query[COUNT];
    int32_t arrival[COUNT], other[COUNT];
    gpu.engine = MCO_ENGINE_GPU;
    cpu.engine = MCO_ENGINE_CPU;
    for (int32_t k = 0; k < COUNT; k++)
        query[k] = (mco_multimodal_query){.source = 31 * k, .target = network->vertices - 1 - 77 * k, .depart = 3600 * (k % 24)};
    for (int32_t k = 0; k < 3; k++, checks++) {
        mco_multimodal_tree tree = MCO_MULTIMODAL_TREE_INIT, same = MCO_MULTIMODAL_TREE_INIT;
        if (k == 0)
            query[k].target = -1;
        MUST(mco_multimodal_find_tree(ctx, network, a, &query[k], &gpu, &tree));
        MUST(mco_multimodal_find_tree(ctx, network, a, &query[k], &cpu, &same));
        GPU_CHECK(tree.outcome == same.outcome && tree.arrival == same.arrival, "%d, %d", tree.arrival, same.arrival);
        GPU_CHECK(tree.work.engine == MCO_ENGINE_GPU && tree.work.gpus == 1 && tree.work.device_s > 0, "%d", (int)tree.work.engine);
        mco_multimodal_tree_clear(ctx, &tree);
        mco_multimodal_tree_clear(ctx, &same);
    }
    MUST(mco_multimodal_find_many(ctx, network, a, COUNT, query, &gpu, arrival, &r));
    GPU_CHECK(r.done == COUNT && r.work.engine == MCO_ENGINE_GPU, "%lld", (long long)r.done);
    MUST(mco_multimodal_find_many(ctx, network, a, COUNT, query, &cpu, other, &r));
    GPU_CHECK(memcmp(arrival, other, sizeof arrival) == 0, "arrivals of many queries");
    MUST(mco_multimodal_find_profile(ctx, network, a, &query[5], 60, COUNT, &gpu, arrival, &r));
    MUST(mco_multimodal_find_profile(ctx, network, a, &query[5], 60, COUNT, &cpu, other, &r));
    GPU_CHECK(memcmp(arrival, other, sizeof arrival) == 0, "arrivals of a profile");
    checks += 2;
}

// ---- Limits and stops

static void test_limit(const mco_multimodal *network, const mco_automaton *a)
{
    mco_multimodal_params gpu = MCO_MULTIMODAL_PARAMS_INIT;
    mco_multimodal_tree tree = MCO_MULTIMODAL_TREE_INIT;
    const mco_multimodal_query absent = {.source = 0, .target = -1, .depart = 0};
    gpu.engine = MCO_ENGINE_GPU;
    gpu.gpus = "99";
    GPU_CHECK(mco_multimodal_find_tree(ctx, network, a, &absent, &gpu, &tree) == MCO_ERR_DEVICE, "GPU 99");
    checks++;
}

// Departures whose arrivals pass the limit are refused, as on the cores.
static void test_too_late(void)
{
    enum { VERTICES = 3000 };
    static const char *const names[] = {"walk", "road", "bus", "on", "off"};
    int32_t *part[5];
    random_automaton a;
    mco_rng rng;
    mco_multimodal *network = NULL;
    mm_device *device = NULL;
    int32_t arrival;
    int64_t reached, done;
    const mco_multimodal_function constant = {.kind = MCO_MULTIMODAL_CONSTANT};
    const mco_multimodal_query query = {.source = 0, .target = -1, .depart = MCO_MULTIMODAL_NONE / 2};
    mco_rng_seed(&rng, 3, 0);
    for (int k = 0; k < 5; k++)
        part[k] = take(VERTICES, sizeof *part[k]);
    for (int32_t v = 0; v + 1 < VERTICES; v++) {
        part[0][v] = v;
        part[1][v] = v + 1;
        part[4][v] = 1 << 18;
    }
    const mco_multimodal_parts parts = {.vertices = VERTICES, .period = PERIOD, .labels = LABELS, .functions = 1, .label_name = names,
                                        .function = &constant, .arcs = {VERTICES - 1, part[0], part[1], part[2], part[3], part[4]}};
    MUST(mco_multimodal_create(ctx, &parts, &network));
    make_automaton(&rng, 1, &a);
    a.next[0] = 1;
    MUST(mm_device_open(ctx, network, &a.of, NULL, 1, NULL, &device));
    GPU_CHECK(mm_device_find(ctx, device, NULL, 1, &query, &arrival, &reached, &done) == MCO_ERR_LIMIT, "%lld labels", (long long)reached);
    checks++;
    mm_device_close(ctx, &device);
    mco_multimodal_destroy(ctx, &network);
    for (int k = 0; k < 5; k++)
        free(part[k]);
}

static void test_stops(const mco_multimodal *network, const mco_automaton *a)
{
    enum { COUNT = 20000 };
    mco_multimodal_params gpu = MCO_MULTIMODAL_PARAMS_INIT;
    mco_multimodal_result r = MCO_MULTIMODAL_RESULT_INIT;
    mco_multimodal_query *query = take(COUNT, sizeof *query);
    int32_t *arrival = take(COUNT, sizeof *arrival);
    gpu.engine = MCO_ENGINE_GPU;
    gpu.time_limit_s = 1.5;
    for (int32_t k = 0; k < COUNT; k++)
        query[k] = (mco_multimodal_query){.source = k, .target = -1, .depart = k};
    const double begin_s = mco_clock_s();
    MUST(mco_multimodal_find_many(ctx, network, a, COUNT, query, &gpu, arrival, &r));
    const double seconds = mco_clock_s() - begin_s;
    GPU_CHECK(r.outcome == MCO_OUTCOME_UNKNOWN && r.stop == MCO_STOP_TIME && r.done < COUNT, "%lld queries", (long long)r.done);
    printf("stopped after %.3f s of 1.5 s allowed, %lld queries done\n", seconds, (long long)r.done);
    GPU_CHECK(seconds < 1.5 + 0.5, "%.3f s, closing the device included", seconds);
    checks++;
    free(query);
    free(arrival);
}

// Without arguments: everything. `small`: few small networks, for tools that slow kernels down.
int main(int argc, char **argv)
{
    static const mco_multimodal_shape shape = {.rows = 160, .columns = 160, .layer = {34000, 27000, 20000, 13400}, .degree = 15, .seed = 1};
    mco_multimodal *network = NULL;
    mco_automaton *a = NULL;
    is_small = argc > 1 && strcmp(argv[1], "small") == 0;
    ctx = gpu_begin();
    test_ties();
    test_random(is_small ? 8 : 160, 40, 1);
    if (is_small) {
        mco_context_destroy(&ctx);
        return gpu_summary("paths multimodal, small", checks);
    }
    test_random(60, 1500, 2);
    test_random(4, 30000, 3);
    test_too_late();
    MUST(mco_multimodal_generate(ctx, &shape, &network));
    for (int32_t states = 1; states <= 8; states++)
        test_generated(states, network);
    MUST(mco_automaton_generate(ctx, network, 8, &a));
    test_entries(network, a);
    test_limit(network, a);
    test_stops(network, a);
    mco_automaton_destroy(ctx, &a);
    mco_multimodal_destroy(ctx, &network);
    mco_context_destroy(&ctx);
    return gpu_summary("paths multimodal", checks);
}
