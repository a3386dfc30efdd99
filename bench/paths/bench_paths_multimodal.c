// SPDX-License-Identifier: MIT
// Tables 6.1 to 6.3 of Strappaveccia (2015) with generated networks of the same sizes: the whole network from one source, for 2, 3, 4, 6
// and 8 states. Columns in seconds: the product search with a heap (CPU time), the published search with a thread for each state (wall
// clock, and CPU time of all threads), and the search with a vector of states a vertex (CPU time, the lesser of two runs). The labels of
// the last are certified, and equal those of the first.
//
//     bench_paths_multimodal [INSTANCE or all [STATES [certificate]]]
// `certificate`: the search with vectors and its certificate alone, CPU time.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "mco/mco.h"
#include "paths/multimodal/search.h"

static const struct {
    const char *name;
    int32_t vertices;
    double serial_8, openmp_8, cuda_8;  // seconds as published, 8 states
} instances[] = {
    {"Berlin", 1594184, 18.62190, 5.84201, 90.10293},      {"London", 1962806, 20.09110, 6.24187, 100.42816},
    {"Los-Angeles", 1845707, 20.42397, 5.91230, 100.90235}, {"Melbourne", 1636709, 16.39150, 5.89474, 88.16702},
    {"Milan", 1515734, 18.68020, 5.82905, 90.56330},       {"Moskow", 1621233, 18.17520, 5.77115, 91.09123},
    {"New-York", 1650314, 19.21360, 5.82088, 92.34551},    {"Paris", 1654535, 19.63470, 5.87103, 91.76812},
    {"Rome", 1490676, 18.54690, 5.71587, 90.01445},        {"Tokyo", 2600054, 16.69850, 5.91094, 86.13599},
};
static const int32_t state_counts[] = {2, 3, 4, 6, 8};
enum { LAYERS = 1400000, DEGREE = 15 };

static void must(mco_context *ctx, mco_status st)
{
    if (st == MCO_OK)
        return;
    fprintf(stderr, "%s\n", mco_context_error(ctx));
    exit(1);
}

// Roads of about this many vertices: a rectangle.
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

typedef struct one_state {
    const mco_multimodal *network;
    mco_automaton automaton;  // with this state's own moves alone
    mco_multimodal_query query;
    int32_t *label;
} one_state;

static void *search_state(void *user)
{
    one_state *s = user;
    mco_context *ctx = NULL;
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        abort();
    must(ctx, mm_ref_tree(ctx, s->network, &s->automaton, &s->query, s->label));
    mco_context_destroy(&ctx);
    return NULL;
}

// The published search: states do not change along a path, so they are independent; a thread for each.
static double time_threads(const mco_multimodal *network, const mco_automaton *automaton, const mco_multimodal_query *query)
{
    pthread_t thread[MCO_MULTIMODAL_MAX_STATES];
    one_state state[MCO_MULTIMODAL_MAX_STATES];
    uint32_t next[MCO_MULTIMODAL_MAX_STATES][MCO_MULTIMODAL_MAX_LABELS];
    for (int32_t q = 0; q < automaton->states; q++) {
        for (int32_t l = 0; l < automaton->labels; l++)  // every label that has a move
            next[q][l] = automaton->next[q * automaton->labels + l] != 0;
        state[q] = (one_state){.network = network, .query = *query, .automaton = *automaton,
                               .label = malloc((size_t)network->vertices * sizeof(int32_t))};
        state[q].automaton.states = 1;
        state[q].automaton.start = state[q].automaton.final = 1;
        state[q].automaton.next = next[q];
        state[q].automaton.pace = &automaton->pace[q];
        if (state[q].label == NULL)
            abort();
    }
    const double begin_s = mco_clock_s();
    for (int32_t q = 0; q < automaton->states; q++)
        if (pthread_create(&thread[q], NULL, search_state, &state[q]) != 0)
            abort();
    for (int32_t q = 0; q < automaton->states; q++)
        pthread_join(thread[q], NULL);
    const double seconds = mco_clock_s() - begin_s;
    for (int32_t q = 0; q < automaton->states; q++)
        free(state[q].label);
    return seconds;
}

static double time_engine(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton,
                          const mco_multimodal_query *query, int32_t *label, double *certificate_s)
{
    const mm_search_build *build = NULL;
    mm_search search = {0};
    atomic_bool is_stopped = false;
    must(ctx, mm_search_pick(ctx, MCO_SIMD_AUTO, &build));
    must(ctx, mm_search_open(ctx, network, automaton, 1e12, &search));
    search.is_stopped = &is_stopped;
    double best = 1e9;
    for (int k = 0; k < 2; k++) {
        const double begin_s = mco_cpu_clock_s();
        mm_search_of(build, &search)(&search, query);
        const double spent_s = mco_cpu_clock_s() - begin_s;
        best = spent_s < best ? spent_s : best;
    }
    *certificate_s = mco_cpu_clock_s();
    if (!mm_certify_of(build, &search)(&search, query)) {
        fprintf(stderr, "the certificate fails\n");
        exit(1);
    }
    *certificate_s = mco_cpu_clock_s() - *certificate_s;
    for (int32_t v = 0; v < network->vertices; v++)
        memcpy(label + (size_t)v * (size_t)automaton->states, mm_labels(&search, v), (size_t)automaton->states * sizeof *label);
    mm_search_close(ctx, &search);
    return best;
}

static void run(mco_context *ctx, const char *name, const mco_multimodal *network, int32_t states, bool is_certificate)
{
    double certificate_s;
    mco_automaton *automaton = NULL;
    const mco_multimodal_query query = {.source = 0, .target = -1, .depart = 8 * 3600};
    int32_t *label = malloc((size_t)network->vertices * (size_t)states * sizeof *label), *other = NULL;
    must(ctx, mco_automaton_generate(ctx, network, states, &automaton));
    if (label == NULL)
        abort();
    const double engine_s = time_engine(ctx, network, automaton, &query, label, &certificate_s);
    if (is_certificate) {
        printf("%s, %d states: vectors %.3f s, certificate %.3f s\n", name, states, engine_s, certificate_s);
        free(label);
        mco_automaton_destroy(ctx, &automaton);
        return;
    }
    must(ctx, mco_multimodal_check(ctx, network, automaton, &query, label));
    other = malloc((size_t)network->vertices * (size_t)states * sizeof *other);
    if (other == NULL)
        abort();
    const double begin_s = mco_cpu_clock_s();
    must(ctx, mm_ref_tree(ctx, network, automaton, &query, other));
    const double heap_s = mco_cpu_clock_s() - begin_s;
    if (memcmp(label, other, (size_t)network->vertices * (size_t)states * sizeof *label) != 0) {
        fprintf(stderr, "labels differ\n");
        exit(1);
    }
    const double cpu_begin_s = mco_cpu_clock_s(), threads_s = time_threads(network, automaton, &query);
    printf("%s,%d,%lld,%d,%.3f,%.3f,%.3f,%.3f\n", name, network->vertices, (long long)network->arcs, states, heap_s, threads_s,
           mco_cpu_clock_s() - cpu_begin_s, engine_s);
    fflush(stdout);
    free(label);
    free(other);
    mco_automaton_destroy(ctx, &automaton);
}

int main(int argc, char **argv)
{
    mco_context *ctx = NULL;
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return 1;
    printf("instance,vertices,arcs,states,heap_cpu_s,thread_each_state_wall_s,thread_each_state_cpu_s,vector_cpu_s\n");
    for (size_t k = 0; k < sizeof instances / sizeof *instances; k++) {
        if (argc > 1 && strcmp(argv[1], "all") != 0 && strcmp(argv[1], instances[k].name) != 0)
            continue;
        mco_multimodal *network = make(ctx, instances[k].vertices);
        for (size_t s = 0; s < sizeof state_counts / sizeof *state_counts; s++)
            if (argc < 3 || atoi(argv[2]) == state_counts[s])
                run(ctx, instances[k].name, network, state_counts[s], argc > 3);
        mco_multimodal_destroy(ctx, &network);
    }
    mco_context_destroy(&ctx);
    return 0;
}
