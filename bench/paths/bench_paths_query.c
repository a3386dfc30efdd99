// SPDX-License-Identifier: MIT
// Times of queries over a customizable hierarchy on one core, CPU time, minimum of N:
//     bench_paths_query NETWORK [--order FILE] [--queries FOLDER] [--trees COUNT] [--best N] [--simd UNIT]
// NETWORK is any file or folder that mco paths reads. --order has an elimination order as 32-bit integers. FOLDER has source_node,
// target_node and query_reference_travel_time_length, 32-bit integers; without it 100,000 random pairs are asked. --trees: also all
// trees from vertices 0 .. COUNT - 1. Answers are compared with those of the folder, and among the methods.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "paths/hierarchy/proof.h"

enum { RANDOM_PAIRS = 100000, MATRIX = 1000 };

typedef struct bench {
    mco_context *ctx;
    mco_paths_network *network;
    mco_paths_hierarchy *hierarchy;
    int64_t count;                                 // of queries
    int32_t *source, *target, *reference, *answer; // [count]
    int32_t *source_rank, *target_rank;
    int64_t trees;
    int best;
    mco_simd simd;
} bench;

static void require(const bench *b, mco_status st)
{
    if (st == MCO_OK)
        return;
    fprintf(stderr, "bench_paths_query: %s\n", mco_context_error(b->ctx));
    exit(1);
}

static int32_t *read_integers(const char *folder, const char *name, int64_t *count)
{
    char path[4096];
    snprintf(path, sizeof path, "%s%s%s", folder, name[0] != '\0' ? "/" : "", name);
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "bench_paths_query: %s cannot be read\n", path);
        exit(1);
    }
    *count = ftell(file) / 4;
    rewind(file);
    int32_t *items = malloc((size_t)*count * 4 + 4);
    if (items == NULL || fread(items, 4, (size_t)*count, file) != (size_t)*count)
        exit(1);
    fclose(file);
    return items;
}

static void make_queries(bench *b, const char *folder)
{
    const int32_t n = b->network->rows.vertices;
    b->count = RANDOM_PAIRS;
    if (folder != NULL) {
        b->source = read_integers(folder, "source_node", &b->count);
        b->target = read_integers(folder, "target_node", &b->count);
        b->reference = read_integers(folder, "query_reference_travel_time_length", &b->count);
    } else {
        mco_rng rng;
        mco_rng_seed(&rng, 1, 0);
        b->source = malloc((size_t)b->count * 4);
        b->target = malloc((size_t)b->count * 4);
        for (int64_t q = 0; q < b->count; q++) {
            b->source[q] = (int32_t)mco_rng_below(&rng, (uint32_t)n);
            b->target[q] = (int32_t)mco_rng_below(&rng, (uint32_t)n);
        }
    }
    b->answer = malloc((size_t)b->count * 4);
    b->source_rank = malloc((size_t)b->count * 4);
    b->target_rank = malloc((size_t)b->count * 4);
    for (int64_t q = 0; q < b->count; q++) {
        b->source_rank[q] = paths_source_rank(b->hierarchy, b->source[q]);
        b->target_rank[q] = paths_target_rank(b->hierarchy, b->target[q]);
    }
}

// The first answers become the reference where no file has them.
static int64_t compare(bench *b)
{
    int64_t wrong = 0;
    if (b->reference == NULL) {
        b->reference = malloc((size_t)b->count * 4);
        memcpy(b->reference, b->answer, (size_t)b->count * 4);
    }
    for (int64_t q = 0; q < b->count; q++)
        wrong += b->answer[q] != b->reference[q] && (b->answer[q] < MCO_PATHS_NONE || b->reference[q] < MCO_PATHS_NONE);
    return wrong;
}

#define LEAST(b, seconds, call)                          \
    do {                                                 \
        seconds = 1e9;                                   \
        for (int run_ = 0; run_ < (b)->best; run_++) {   \
            const double begin_s_ = mco_cpu_clock_s();   \
            call;                                        \
            const double s_ = mco_cpu_clock_s() - begin_s_; \
            seconds = s_ < seconds ? s_ : seconds;       \
        }                                                \
    } while (0)

// ---- Pairs

static void ask_all(bench *b, paths_query *query)
{
    for (int64_t q = 0; q < b->count; q++)
        b->answer[q] = paths_query_distance(query, b->source_rank[q], b->target_rank[q]);
}

static void time_queries(bench *b)
{
    paths_query *query = NULL;
    double s;
    require(b, paths_query_open(b->ctx, b->hierarchy, b->simd, &query));
    LEAST(b, s, ask_all(b, query));
    printf("query: %.3f us, %lld of %lld wrong\n", 1e6 * s / (double)b->count, (long long)compare(b), (long long)b->count);
    paths_query_close(b->ctx, &query);
}

static void ask_labels(bench *b, const paths_labels *labels)
{
    for (int64_t q = 0; q < b->count; q++)
        b->answer[q] = paths_labels_distance(labels, b->source_rank[q], b->target_rank[q]);
}

static void time_labels(bench *b)
{
    paths_labels *labels = NULL;
    double s;
    const double begin_s = mco_cpu_clock_s();
    require(b, paths_labels_open(b->ctx, b->hierarchy, b->simd, 1, &labels));
    printf("labels: opened in %.2f ms, %.1f MB\n", 1e3 * (mco_cpu_clock_s() - begin_s), 1e-6 * (double)paths_labels_bytes(&b->hierarchy->topology));
    LEAST(b, s, require(b, paths_labels_weigh(b->ctx, labels, 1)));
    printf("labels: filled again in %.2f ms\n", 1e3 * s);
    LEAST(b, s, ask_labels(b, labels));
    printf("label query: %.4f us, %lld wrong\n", 1e6 * s / (double)b->count, (long long)compare(b));
    LEAST(b, s, paths_labels_distances(labels, b->count, b->source_rank, b->target_rank, b->answer));
    printf("label query in bulk: %.4f us, %lld wrong\n", 1e6 * s / (double)b->count, (long long)compare(b));
    paths_labels_close(b->ctx, &labels);
}

static void time_matrix(bench *b)
{
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    mco_paths_result result = MCO_PATHS_RESULT_INIT;
    paths_query *query = NULL;
    int32_t *distance = malloc(4 * MATRIX * MATRIX);
    int64_t wrong = 0;
    double s;
    memset(distance, 0, 4 * MATRIX * MATRIX);
    params.threads = 1;
    params.simd = b->simd;
    LEAST(b, s, require(b, mco_paths_find_matrix(b->ctx, b->hierarchy, MATRIX, b->source, MATRIX, b->target, &params, distance, &result)));
    require(b, paths_query_open(b->ctx, b->hierarchy, b->simd, &query));
    for (int64_t i = 0; i < MATRIX; i += 10)
        for (int64_t k = 0; k < MATRIX; k++)
            wrong += distance[i * MATRIX + k] != paths_query_distance(query, b->source_rank[i], b->target_rank[k]);
    for (int64_t k = 0; k < MATRIX; k++)
        wrong += distance[k * MATRIX + k] != b->reference[k] && (distance[k * MATRIX + k] < MCO_PATHS_NONE || b->reference[k] < MCO_PATHS_NONE);
    printf("matrix %d x %d: %.2f ms certified, its metric proven before, work %.2f ms, %lld of %d wrong\n", MATRIX, MATRIX, 1e3 * s, 1e3 * result.work.solve_s,
           (long long)wrong, MATRIX * (MATRIX / 10 + 1));
    paths_query_close(b->ctx, &query);
    free(distance);
}

// ---- Certificates

// The proof of the metric, and the public calls, which find every answer again; the metric is proven then.
static void time_routes(bench *b, int64_t count)
{
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    mco_paths_result result = MCO_PATHS_RESULT_INIT;
    double s;
    params.threads = 1;
    params.simd = b->simd;
    LEAST(b, s, require(b, mco_paths_find_routes(b->ctx, b->hierarchy, count, b->source, b->target, &params, b->answer, NULL, &result)));
    printf("%lld routes by the public call, certified: %.2f ms, %s\n", (long long)count, 1e3 * s, result.reason);
}

static void time_proofs(bench *b)
{
    paths_recheck recheck = {0};
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    double s;
    params.threads = 1;
    params.simd = b->simd;
    LEAST(b, s, require(b, mco_paths_customise(b->ctx, b->hierarchy, b->network->weight, &params)));
    printf("customised by the public call in %.3f ms\n", 1e3 * s);
    LEAST(b, s, require(b, paths_topology_prove(b->ctx, b->hierarchy)));
    printf("topology proven in %.2f ms\n", 1e3 * s);
    LEAST(b, s, require(b, paths_metric_prove(b->ctx, b->hierarchy)));
    printf("metric proven in %.2f ms\n", 1e3 * s);
    require(b, paths_recheck_open(b->ctx, b->hierarchy, &recheck));
    LEAST(b, s, for (int64_t q = 0; q < b->count; q++) b->answer[q] = paths_recheck_pair(&recheck, b->source_rank[q], b->target_rank[q]));
    printf("pair found again: %.3f us, %lld wrong\n", 1e6 * s / (double)b->count, (long long)compare(b));
    paths_recheck_close(b->ctx, &recheck);
    time_routes(b, 1000);
    time_routes(b, b->count);
}

// ---- Trees

static void time_tree(bench *b)
{
    enum { TREES = 50 };
    paths_sweep *sweep = NULL;
    double s;
    int32_t *distance = malloc((size_t)b->network->rows.vertices * 4);
    const double begin_s = mco_cpu_clock_s();
    require(b, paths_sweep_open(b->ctx, b->hierarchy, b->simd, &sweep));
    printf("sweep: opened in %.2f ms\n", 1e3 * (mco_cpu_clock_s() - begin_s));
    LEAST(b, s, paths_sweep_weigh(sweep));
    printf("sweep: weights taken in %.2f ms\n", 1e3 * s);
    LEAST(b, s, for (int64_t k = 0; k < TREES; k++) paths_sweep_labels(sweep, b->source_rank[k], NULL));
    printf("one tree: %.4f ms", 1e3 * s / TREES);
    LEAST(b, s, for (int64_t k = 0; k < TREES; k++) paths_sweep_tree(sweep, b->source_rank[k], distance, NULL));
    printf(", with its copy to the network's order %.4f ms\n", 1e3 * s / TREES);
    paths_sweep_close(b->ctx, &sweep);
    free(distance);
}

// Sweeps, certificates and copies apart.
static void time_lanes(bench *b, int32_t lanes)
{
    const int64_t n = b->hierarchy->topology.vertices, outside = b->network->rows.vertices;
    paths_batches batches = {0};
    paths_batch batch = {0};
    paths_certificate certificate = {0};
    paths_evidence evidence = {0};
    paths_verdict verdict = {0};
    int32_t *label = aligned_alloc(4096, ((size_t)n * (size_t)lanes * 4 + 4095) / 4096 * 4096), *out = calloc((size_t)(outside * lanes), 4);
    double sweep_s, certify_s, copy_s;
    int64_t wrong = 0;
    require(b, paths_batches_open(b->ctx, b->hierarchy, b->simd, &batches));
    require(b, paths_batch_open(b->ctx, b->hierarchy, &batch));
    require(b, paths_certificate_open(b->ctx, b->hierarchy, b->simd, &certificate));
    require(b, paths_evidence_open(b->ctx, &certificate, &evidence));
    LEAST(b, sweep_s, paths_batch_sweep(&batches, &batch, lanes, lanes, b->source_rank, label, NULL));
    LEAST(b, certify_s, paths_certify(&certificate, &evidence, lanes, lanes, b->source_rank, label, &verdict, NULL));
    LEAST(b, copy_s, batches.lanes->copy_many(label, lanes, b->hierarchy->topology.rank, (int32_t)outside, lanes, out, outside));
    for (int32_t j = 0; j < lanes; j++)
        wrong += out[j * outside + b->target[j]] != b->answer[j];
    printf("%d trees a sweep: %.3f ms, certificate %.3f ms (wrong %llx, beyond the limit %llx), copy %.3f ms, %lld wrong\n", lanes, 1e3 * sweep_s,
           1e3 * certify_s, (unsigned long long)verdict.wrong, (unsigned long long)verdict.overflow, 1e3 * copy_s, (long long)wrong);
    paths_evidence_close(b->ctx, &evidence);
    paths_certificate_close(b->ctx, &certificate);
    paths_batch_close(b->ctx, &batch);
    paths_batches_close(b->ctx, &batches);
    free(label);
    free(out);
}

// All trees of the first vertices, as mco_paths_find_trees() finds them.
static void sweep_all(const bench *b, const paths_batches *batches, paths_batch *batch, int32_t lanes, const int32_t *rank, int32_t *label)
{
    for (int64_t k = 0; k < b->trees; k += lanes)
        paths_batch_sweep(batches, batch, lanes, (int32_t)(b->trees - k < lanes ? b->trees - k : lanes), rank + k, label, NULL);
}

static void time_all_trees(bench *b, int32_t lanes)
{
    const int64_t n = b->hierarchy->topology.vertices;
    paths_batches batches = {0};
    paths_batch batch = {0};
    int32_t *label = aligned_alloc(4096, ((size_t)n * (size_t)lanes * 4 + 4095) / 4096 * 4096), *rank = calloc((size_t)b->trees, 4);
    double s;
    for (int32_t k = 0; k < b->trees; k++)
        rank[k] = paths_source_rank(b->hierarchy, k);
    require(b, paths_batches_open(b->ctx, b->hierarchy, b->simd, &batches));
    require(b, paths_batch_open(b->ctx, b->hierarchy, &batch));
    LEAST(b, s, sweep_all(b, &batches, &batch, lanes, rank, label));
    printf("%lld trees, %d lanes: sweeps %.2f ms\n", (long long)b->trees, lanes, 1e3 * s);
    paths_batch_close(b->ctx, &batch);
    paths_batches_close(b->ctx, &batches);
    free(label);
    free(rank);
}

// The public call on one thread, its certificates included, without parents and with them. It changes nothing but its own arrays.
static void time_parents(bench *b)
{
    const mco_paths_network *network = mco_paths_hierarchy_network(b->hierarchy);
    const int32_t n = mco_paths_view(network).vertices;
    int32_t *source = calloc((size_t)b->trees, 4), *distance = calloc((size_t)b->trees * (size_t)n, 4);
    int64_t *parent = calloc((size_t)b->trees * (size_t)n, 8);
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    mco_paths_result result = MCO_PATHS_RESULT_INIT;
    double plain_s, parents_s;
    params.threads = 1;
    params.engine = MCO_ENGINE_CPU;
    for (int32_t k = 0; k < b->trees; k++)
        source[k] = k;
    LEAST(b, plain_s, require(b, mco_paths_find_trees(b->ctx, network, b->hierarchy, b->trees, source, &params, distance, NULL, &result)));
    LEAST(b, parents_s, require(b, mco_paths_find_trees(b->ctx, network, b->hierarchy, b->trees, source, &params, distance, parent, &result)));
    printf("%lld trees by the public call, certified: %.2f ms; with parents %.2f ms\n", (long long)b->trees, 1e3 * plain_s, 1e3 * parents_s);
    LEAST(b, plain_s, for (int32_t k = 0; k < b->trees && k < 20; k++)
                          require(b, paths_parents(b->ctx, &network->rows, k, distance + (int64_t)k * n, parent)));
    printf("parents of one tree behind its distances: %.3f ms\n", 1e3 * plain_s / (double)(b->trees < 20 ? b->trees : 20));
    free(parent);
    free(distance);
    free(source);
}

int main(int argc, char **argv)
{
    bench b = {.best = 5};
    const char *folder = NULL, *order_file = NULL;
    int32_t *order = NULL;
    int64_t order_count;
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    if (argc < 2 || mco_context_create(&b.ctx, NULL) != MCO_OK)
        return 2;
    for (int i = 2; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--order") == 0)
            order_file = argv[i + 1];
        else if (strcmp(argv[i], "--queries") == 0)
            folder = argv[i + 1];
        else if (strcmp(argv[i], "--trees") == 0)
            b.trees = atoll(argv[i + 1]);
        else if (strcmp(argv[i], "--best") == 0)
            b.best = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--simd") == 0)
            b.simd = strcmp(argv[i + 1], "avx2") == 0 ? MCO_SIMD_AVX2 : strcmp(argv[i + 1], "portable") == 0 ? MCO_SIMD_PORTABLE : MCO_SIMD_AUTO;
    require(&b, mco_paths_read(b.ctx, argv[1], 0, &b.network));
    if (order_file != NULL)
        order = read_integers(order_file, "", &order_count);
    require(&b, mco_paths_prepare(b.ctx, b.network, order, &params, &b.hierarchy));
    printf("%s: %d vertices, %lld arcs; hierarchy %d arcs, height %d\n", argv[1], b.network->rows.vertices, (long long)b.network->rows.arcs,
           b.hierarchy->topology.arcs, b.hierarchy->topology.height);
    make_queries(&b, folder);
    time_queries(&b);
    time_labels(&b);
    time_matrix(&b);
    time_proofs(&b);
    time_tree(&b);
    for (int32_t lanes = PATHS_CHUNK; lanes <= PATHS_MOST_LANES; lanes *= 2)
        time_lanes(&b, lanes);
    for (int32_t lanes = PATHS_CHUNK; b.trees > 0 && lanes <= PATHS_MOST_LANES; lanes *= 2)
        time_all_trees(&b, lanes);
    if (b.trees > 0)
        time_parents(&b);
    mco_paths_hierarchy_destroy(b.ctx, &b.hierarchy);
    mco_paths_destroy(b.ctx, &b.network);
    mco_context_destroy(&b.ctx);
    free(order);
    free(b.source);
    free(b.target);
    free(b.reference);
    free(b.answer);
    free(b.source_rank);
    free(b.target_rank);
    return 0;
}
