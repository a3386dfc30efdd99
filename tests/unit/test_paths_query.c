// SPDX-License-Identifier: MIT
// Queries, sweeps, labels, matrices, trees and routes over a hierarchy against the reference search of the network.
#include "base/rng.h"
#include "base/clock.h"
#include "graph/graph.h"
#include "paths/hierarchy/query.h"
#include "paths/hierarchy/reach.h"
#include "paths/hierarchy/unpack.h"
#include "test_support.h"

#ifndef FACTOR
#define FACTOR 1  // cases of slow_paths_query.c for one of the quick run
#endif
enum { MOST = 70, CASES = TEST_IS_SANITIZED ? 30 : 60 * FACTOR };

static const mco_simd units[] = {MCO_SIMD_AVX512, MCO_SIMD_AVX2, MCO_SIMD_PORTABLE};

// A network, its hierarchy, and all distances by the reference.
typedef struct subject {
    mco_paths_network *network;
    mco_paths_hierarchy *hierarchy;
    int32_t n;
    int32_t *expected;  // [n][n]
} subject;

typedef struct shape {
    int32_t vertices, arcs, first_through, most_weight;
    int turns;
} shape;

static void make_graph(int32_t vertices, int64_t arcs, const int32_t *from, const int32_t *to, const double *weight, mco_graph **out)
{
    const mco_graph_edges edges = {.vertices = vertices, .edges = arcs, .from = from, .to = to, .weight = weight, .is_directed = true};
    assert_ok(mco_graph_create(test_ctx, &edges, out));
}

static void make_turns(mco_rng *rng, const mco_graph *graph, int count, mco_paths_turn *turns, int64_t *turn_count)
{
    const mco_graph_rows rows = mco_graph_view(graph);
    const int64_t arcs = rows.first[rows.vertices];
    *turn_count = 0;
    for (int k = 0; k < count && arcs > 0; k++) {
        const int64_t from = (int64_t)mco_rng_below(rng, (uint32_t)arcs);
        const int32_t at = rows.head[from];
        const int64_t degree = rows.first[at + 1] - rows.first[at];
        bool is_new = degree > 0;
        const int64_t to = is_new ? rows.first[at] + (int64_t)mco_rng_below(rng, (uint32_t)degree) : 0;
        for (int64_t i = 0; i < *turn_count; i++)
            is_new = is_new && (turns[i].from != from || turns[i].to != to);
        if (is_new)
            turns[(*turn_count)++] = (mco_paths_turn){from, to, (int32_t)mco_rng_below(rng, 60) - 1 < 0 ? -1 : (int32_t)mco_rng_below(rng, 60)};
    }
}

// Loops, parallel arcs, lonely vertices and weights of 0 occur.
static void open_subject(mco_rng *rng, const shape *of, subject *s)
{
    mco_graph *graph = NULL;
    int32_t from[400], to[400], order[MOST];
    double weight[400];
    mco_paths_turn turns[64];
    mco_paths_model model = MCO_PATHS_MODEL_INIT;
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    s->n = of->vertices;
    for (int32_t a = 0; a < of->arcs; a++) {
        from[a] = (int32_t)mco_rng_below(rng, (uint32_t)of->vertices);
        to[a] = (int32_t)mco_rng_below(rng, (uint32_t)of->vertices);
        weight[a] = mco_rng_below(rng, 5) == 0 ? 0 : (double)mco_rng_below(rng, (uint32_t)of->most_weight);
    }
    for (int32_t k = 0; k < of->vertices; k++) {
        const int32_t at = (int32_t)mco_rng_below(rng, (uint32_t)k + 1);
        order[k] = order[at];
        order[at] = k;
    }
    make_graph(of->vertices, of->arcs, from, to, weight, &graph);
    model.scale = 1;
    model.first_through = of->first_through;
    model.turns = turns;
    make_turns(rng, graph, of->turns, turns, &model.turn_count);
    assert_ok(mco_paths_create(test_ctx, graph, &model, &s->network));
    mco_graph_destroy(test_ctx, &graph);
    params.threads = 1;
    assert_ok(mco_paths_prepare(test_ctx, s->network, order, &params, &s->hierarchy));
    assert_ok(mco_alloc(test_ctx, &s->expected, (int64_t)s->n * s->n));
    for (int32_t v = 0; v < s->n; v++)
        assert_ok(paths_ref_tree(test_ctx, &s->network->rows, v, s->expected + (int64_t)v * s->n, NULL));
}

static void close_subject(subject *s)
{
    mco_free(test_ctx, &s->expected);
    mco_paths_hierarchy_destroy(test_ctx, &s->hierarchy);
    mco_paths_destroy(test_ctx, &s->network);
}

static shape random_shape(mco_rng *rng, int turns)
{
    shape s = {.vertices = 1 + (int32_t)mco_rng_below(rng, MOST), .most_weight = mco_rng_below(rng, 4) == 0 ? 2 : 1000, .turns = turns};
    s.arcs = (int32_t)mco_rng_below(rng, (uint32_t)(5 * s.vertices));
    s.first_through = mco_rng_below(rng, 3) == 0 ? (int32_t)mco_rng_below(rng, (uint32_t)s.vertices + 1) : 0;
    return s;
}

// ---- The parts

static void test_pairs(const subject *s, mco_simd simd)
{
    paths_query *query = NULL;
    paths_labels *labels = NULL;
    assert_ok(paths_query_open(test_ctx, s->hierarchy, simd, &query));
    assert_ok(paths_labels_open(test_ctx, s->hierarchy, simd, simd == MCO_SIMD_PORTABLE ? 2 : 1, &labels));
    for (int32_t u = 0; u < s->n; u++)
        for (int32_t v = 0; v < s->n; v++) {
            const int32_t expected = s->expected[u * s->n + v];
            const int32_t source = paths_source_rank(s->hierarchy, u), target = paths_target_rank(s->hierarchy, v);
            if (u == v && s->hierarchy->entry != NULL)
                continue;
            assert_int_equal(paths_query_distance(query, source, target), expected);
            assert_int_equal(paths_labels_distance(labels, source, target), expected);
        }
    paths_labels_close(test_ctx, &labels);
    paths_query_close(test_ctx, &query);
}

static void test_sweep(const subject *s, mco_simd simd)
{
    paths_sweep *sweep = NULL;
    int32_t distance[MOST];
    assert_ok(paths_sweep_open(test_ctx, s->hierarchy, simd, &sweep));
    for (int32_t u = 0; u < s->n; u++) {
        paths_sweep_tree(sweep, paths_source_rank(s->hierarchy, u), distance, NULL);
        for (int32_t v = 0; v < s->n; v++)
            if (u != v)
                assert_int_equal(distance[v], s->expected[u * s->n + v]);
    }
    paths_sweep_close(test_ctx, &sweep);
}

static void test_batches(const subject *s, mco_simd simd)
{
    const int32_t ranks = s->hierarchy->topology.vertices;
    paths_sweep *sweep = NULL;
    int32_t source[PATHS_MOST_LANES], *label = NULL;
    assert_ok(paths_sweep_open(test_ctx, s->hierarchy, simd, &sweep));
    assert_ok(mco_alloc(test_ctx, &label, (int64_t)ranks * PATHS_MOST_LANES));
    for (int32_t lanes = 16; lanes <= PATHS_MOST_LANES; lanes *= 2) {
        for (int32_t j = 0; j < lanes; j++)
            source[j] = paths_source_rank(s->hierarchy, j % s->n);
        paths_sweep_trees(sweep, lanes, source, label);
        for (int32_t j = 0; j < lanes; j++)
            for (int32_t v = 0; v < s->n; v++)
                if (v != j % s->n)
                    assert_int_equal(label[paths_target_rank(s->hierarchy, v) * lanes + j], s->expected[j % s->n * s->n + v]);
    }
    mco_free(test_ctx, &label);
    paths_sweep_close(test_ctx, &sweep);
}

// ---- Unpacking

// Paths of all pairs: triangles are looked for, noted by a list, or noted without one. paths_unpack() adds every path up.
static void test_unpacking(const subject *s)
{
    const int32_t n = s->n;
    mco_paths_hierarchy unlisted = *s->hierarchy;
    unlisted.triangle = NULL;
    for (int way = 0; way < 3; way++) {
        const mco_paths_hierarchy *h = way == 2 ? &unlisted : s->hierarchy;
        paths_expansion *expansion = NULL;
        paths_unpacking *unpacking = NULL;
        if (way > 0)
            assert_ok(paths_expansions_make(test_ctx, h, &expansion));
        assert_ok(paths_unpacking_open(test_ctx, h, expansion, &unpacking));
        for (int32_t q = 0; q < n * n; q++) {
            const int64_t *arc;
            int64_t count;
            assert_ok(paths_unpack(test_ctx, unpacking, q / n, q % n, s->expected[q], &arc, &count));
            assert_true((count > 0) == (q / n != q % n && s->expected[q] < MCO_PATHS_NONE));
        }
        paths_unpacking_close(test_ctx, &unpacking);
        mco_free(test_ctx, &expansion);
    }
}

// ---- The calls

static void test_calls(const subject *s, mco_simd simd, int threads)
{
    enum { SQUARE = MOST * MOST };
    static int32_t all[MOST], source[SQUARE], target[SQUARE], distance[SQUARE];
    static int64_t parent[SQUARE];
    const int32_t n = s->n;
    const mco_paths_rows rows = mco_paths_view(s->network);
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    mco_paths_result result = MCO_PATHS_RESULT_INIT;
    mco_paths_routes routes = {0};
    params.threads = threads;
    params.simd = simd;
    for (int32_t k = 0; k < n * n; k++) {
        all[k % n] = k % n;
        source[k] = k / n;
        target[k] = k % n;
    }
    assert_ok(mco_paths_find_matrix(test_ctx, s->hierarchy, n, all, n, all, &params, distance, &result));
    assert_int_equal(result.outcome, MCO_OUTCOME_OPTIMAL);
    assert_memory_equal(distance, s->expected, (size_t)(n * n) * sizeof *distance);
    memset(distance, 0, sizeof distance);
    assert_ok(mco_paths_find_trees(test_ctx, s->network, s->hierarchy, n, all, &params, distance, parent, &result));
    assert_int_equal(result.done, n);
    assert_memory_equal(distance, s->expected, (size_t)(n * n) * sizeof *distance);
    memset(distance, 0, sizeof distance);
    assert_ok(mco_paths_find_routes(test_ctx, s->hierarchy, n * n, source, target, &params, distance, &routes, &result));
    assert_memory_equal(distance, s->expected, (size_t)(n * n) * sizeof *distance);
    assert_int_equal(routes.count, n * n);
    for (int32_t q = 0; q < n * n; q++) {  // the library has added them up; here they are walks between the right ends
        int32_t at = source[q];
        for (int64_t k = routes.first[q]; k < routes.first[q + 1]; k++) {
            assert_true(routes.arc[k] >= rows.first[at] && routes.arc[k] < rows.first[at + 1]);
            at = rows.head[routes.arc[k]];
        }
        assert_int_equal(at, distance[q] < MCO_PATHS_NONE ? target[q] : source[q]);
    }
    mco_paths_routes_clear(test_ctx, &routes);
}

// What each vertex reaches, up to 64 sources at once. Some of the first vertices are sources twice.
static void test_reach(const subject *s)
{
    int32_t source[PATHS_REACH_SOURCES];
    paths_reach reach = {0};
    mco_run run = mco_run_begin(test_ctx, &(mco_run_settings){.time_limit_s = INFINITY, .target = -1, .objective = "distances"});
    assert_ok(paths_reach_open(test_ctx, s->hierarchy, &run, &reach));
    for (int32_t begin = 0; begin < s->n; begin += 40) {
        for (int32_t j = 0; j < PATHS_REACH_SOURCES; j++)
            source[j] = (begin + j) % s->n;
        assert_ok(paths_reach_from(test_ctx, &reach, &run, PATHS_REACH_SOURCES, source));
        for (int32_t j = 0; j < PATHS_REACH_SOURCES; j++)
            for (int32_t v = 0; v < s->n; v++)
                assert_int_equal(paths_reach_has(&reach, j, v), s->expected[(int64_t)source[j] * s->n + v] < MCO_PATHS_NONE);
    }
    paths_reach_close(test_ctx, &reach);
    mco_run_clear(&run);
}

static void test_subject(const subject *s, int number)
{
    static const int threads[] = {1, 2, 5};
    test_unpacking(s);
    test_reach(s);
    for (int k = 0; k < COUNT_OF(units); k++) {
        if (!mco_simd_has(units[k]))
            continue;
        test_pairs(s, units[k]);
        test_sweep(s, units[k]);
        test_batches(s, units[k]);
        test_calls(s, units[k], threads[(number + k) % 3]);
    }
}

static void test_random(void **state)
{
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 41, 0);
    for (int k = 0; k < CASES; k++) {
        subject s = {0};
        const shape of = random_shape(&rng, 0);
        open_subject(&rng, &of, &s);
        test_subject(&s, k);
        close_subject(&s);
    }
}

static void test_turns(void **state)
{
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 42, 0);
    for (int k = 0; k < CASES / 2; k++) {
        subject s = {0};
        const shape of = random_shape(&rng, 30);
        open_subject(&rng, &of, &s);
        test_subject(&s, k);
        close_subject(&s);
    }
}

// The number of common ancestors by walking.
static void test_ancestors(void **state)
{
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 43, 0);
    for (int k = 0; k < CASES; k++) {
        subject s = {0};
        paths_ancestors ancestors = {0};
        const shape of = random_shape(&rng, 0);
        open_subject(&rng, &of, &s);
        const paths_topology *t = &s.hierarchy->topology;
        assert_ok(paths_ancestors_open(test_ctx, t, &ancestors));
        for (int32_t u = 0; u < t->vertices; u++)
            for (int32_t v = 0; v < t->vertices; v++) {
                int32_t x = u, y = v;
                while (x != y && x >= 0 && y >= 0)
                    *(x < y ? &x : &y) = t->parent[x < y ? x : y];
                assert_int_equal(paths_common(&ancestors, u, v), x == y ? t->depth[x] + 1 : 0);
            }
        paths_ancestors_close(test_ctx, &ancestors);
        close_subject(&s);
    }
}

// ---- The certificate finds what is wrong

static void test_certificate(void **state)
{
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 44, 0);
    for (int k = 0; k < CASES; k++) {
        subject s = {0};
        paths_sweep *sweep = NULL;
        paths_certificate certificate = {0};
        paths_evidence evidence = {0};
        paths_verdict verdict;
        int32_t source[16], *label = NULL;
        const shape of = random_shape(&rng, 0);
        const mco_simd simd = mco_simd_has(units[k % 3]) ? units[k % 3] : MCO_SIMD_AUTO;
        open_subject(&rng, &of, &s);
        assert_ok(paths_sweep_open(test_ctx, s.hierarchy, simd, &sweep));
        assert_ok(paths_certificate_open(test_ctx, s.hierarchy, simd, &certificate));
        assert_ok(paths_evidence_open(test_ctx, &certificate, &evidence));
        assert_ok(mco_alloc(test_ctx, &label, (int64_t)s.n * 16));
        for (int j = 0; j < 16; j++)
            source[j] = (int32_t)mco_rng_below(&rng, (uint32_t)s.n);
        paths_sweep_trees(sweep, 16, source, label);
        assert_true(paths_certify(&certificate, &evidence, 16, 16, source, label, &verdict, NULL));
        assert_int_equal(verdict.wrong | verdict.overflow, 0);
        for (int change = 0; change < 20; change++) {
            const int lane = (int)mco_rng_below(&rng, 16);
            int32_t *at = &label[(int32_t)mco_rng_below(&rng, (uint32_t)s.n) * 16 + lane];
            const int32_t kept = *at;
            *at = mco_rng_below(&rng, 2) == 0 ? MCO_PATHS_NONE : (int32_t)mco_rng_below(&rng, 500);
            assert_true(paths_certify(&certificate, &evidence, 16, 16, source, label, &verdict, NULL));
            assert_int_equal((verdict.wrong | verdict.overflow) & ~(UINT64_C(1) << lane), 0);
            assert_int_equal(((verdict.wrong | verdict.overflow) >> lane) & 1, *at != kept);
            *at = kept;
        }
        mco_free(test_ctx, &label);
        paths_evidence_close(test_ctx, &evidence);
        paths_certificate_close(test_ctx, &certificate);
        paths_sweep_close(test_ctx, &sweep);
        close_subject(&s);
    }
}

// A cycle of arcs of weight 0 whose labels hold each other up, but nothing leads there.
static void test_floating_cycle(void **state)
{
    static const int32_t from[] = {0, 1, 2, 3, 0}, to[] = {1, 2, 3, 2, 2};
    static const double weight[] = {3, 7, 0, 0, 9};
    mco_graph *graph = NULL;
    mco_paths_network *network = NULL;
    mco_paths_hierarchy *hierarchy = NULL;
    paths_certificate certificate = {0};
    paths_evidence evidence = {0};
    paths_verdict verdict;
    int32_t label[4 * 16], source[16] = {0};
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    (void)state;
    make_graph(4, 5, from, to, weight, &graph);
    assert_ok(mco_paths_create(test_ctx, graph, NULL, &network));
    assert_ok(mco_paths_prepare(test_ctx, network, NULL, &params, &hierarchy));
    assert_ok(paths_certificate_open(test_ctx, hierarchy, MCO_SIMD_AUTO, &certificate));
    assert_ok(paths_evidence_open(test_ctx, &certificate, &evidence));
    source[0] = paths_source_rank(hierarchy, 0);
    for (int is_floating = 0; is_floating < 2; is_floating++) {
        for (int k = 0; k < 4 * 16; k++)
            label[k] = MCO_PATHS_NONE;
        label[paths_target_rank(hierarchy, 0) * 16] = 0;
        label[paths_target_rank(hierarchy, 1) * 16] = 3;
        label[paths_target_rank(hierarchy, 2) * 16] = label[paths_target_rank(hierarchy, 3) * 16] = is_floating ? 4 : 9;
        assert_true(paths_certify(&certificate, &evidence, 16, 1, source, label, &verdict, NULL));
        assert_int_equal(verdict.wrong, is_floating);
    }
    paths_evidence_close(test_ctx, &evidence);
    paths_certificate_close(test_ctx, &certificate);
    mco_paths_hierarchy_destroy(test_ctx, &hierarchy);
    mco_paths_destroy(test_ctx, &network);
    mco_graph_destroy(test_ctx, &graph);
}

// ---- Failures

static void test_long_distances(void **state)
{
    static const int32_t from[] = {0, 1, 2}, to[] = {1, 2, 3}, all[] = {0, 1};
    static const double weight[] = {400000000, 400000000, 400000000};
    mco_graph *graph = NULL;
    mco_paths_network *network = NULL;
    mco_paths_hierarchy *hierarchy = NULL;
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    mco_paths_result result = MCO_PATHS_RESULT_INIT;
    int32_t distance[8];
    (void)state;
    make_graph(4, 3, from, to, weight, &graph);
    assert_ok(mco_paths_create(test_ctx, graph, NULL, &network));
    assert_ok(mco_paths_prepare(test_ctx, network, NULL, &params, &hierarchy));
    assert_int_equal(mco_paths_find_trees(test_ctx, network, hierarchy, 2, all, &params, distance, NULL, &result), MCO_ERR_LIMIT);
    assert_non_null(strstr(mco_context_error(test_ctx), "1073741823"));
    assert_ok(mco_paths_find_trees(test_ctx, network, hierarchy, 1, all + 1, &params, distance, NULL, &result));
    assert_int_equal(distance[3], 800000000);
    // Only what is asked for counts.
    assert_ok(mco_paths_find_routes(test_ctx, hierarchy, 1, all, all + 1, &params, distance, NULL, &result));
    assert_int_equal(distance[0], 400000000);
    assert_ok(mco_paths_find_matrix(test_ctx, hierarchy, 2, all, 2, all, &params, distance, &result));
    assert_int_equal(distance[1], 400000000);
    // The first of many queries is certified; the long one hides behind others.
    int32_t source[70] = {0}, target[70] = {0}, far[2] = {3, 2}, matrix[70 * 2];
    target[65] = 3;
    assert_fails(mco_paths_find_routes(test_ctx, hierarchy, 70, source, target, &params, matrix, NULL, &result), MCO_ERR_LIMIT,
                 "the distance from vertex 1 to 4 is 1073741823 or more, less is supported: a smaller scale helps");
    for (int k = 0; k < 70; k++)
        source[k] = k == 65 ? 0 : 1;
    assert_fails(mco_paths_find_matrix(test_ctx, hierarchy, 70, source, 2, far, &params, matrix, &result), MCO_ERR_LIMIT,
                 "the distance from vertex 1 to 4 is 1073741823 or more, less is supported: a smaller scale helps");
    for (int k = 0; k < 70; k++) {  // from 4 nothing is reached but itself
        source[k] = 3;
        target[k] = k % 4;
    }
    assert_ok(mco_paths_find_routes(test_ctx, hierarchy, 70, source, target, &params, matrix, NULL, &result));
    assert_int_equal(result.reached, 17);
    mco_paths_hierarchy_destroy(test_ctx, &hierarchy);
    mco_paths_destroy(test_ctx, &network);
    mco_graph_destroy(test_ctx, &graph);
}

static void test_refusals(void **state)
{
    mco_rng rng;
    subject s = {0};
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    mco_paths_result result = MCO_PATHS_RESULT_INIT;
    const int32_t wrong[] = {0, 9};
    int32_t distance[100];
    (void)state;
    mco_rng_seed(&rng, 1, 0);
    open_subject(&rng, &(shape){.vertices = 9, .arcs = 30, .most_weight = 10}, &s);
    assert_fails(mco_paths_find_trees(test_ctx, s.network, s.hierarchy, 2, wrong, &params, distance, NULL, &result), MCO_ERR_ARGUMENT,
                 "source 1 is vertex 9, the network has vertices 0 to 8");
    assert_fails(mco_paths_find_matrix(test_ctx, s.hierarchy, 1, wrong, 2, wrong, &params, distance, &result), MCO_ERR_ARGUMENT,
                 "target 1 is vertex 9, the network has vertices 0 to 8");
    assert_fails(mco_paths_find_routes(test_ctx, s.hierarchy, -1, wrong, wrong, &params, distance, NULL, &result), MCO_ERR_ARGUMENT,
                 "the number of sources is -1, 0 or more was expected");
    params.engine = MCO_ENGINE_GPU;
    assert_fails(mco_paths_find_matrix(test_ctx, s.hierarchy, 1, wrong, 1, wrong, &params, distance, &result), MCO_ERR_ARGUMENT,
                 "a matrix has the engine cpu, gpu was asked for");
    params.engine = MCO_ENGINE_AUTO;
    params.method = MCO_PATHS_METHOD_TILES;
    assert_fails(mco_paths_find_trees(test_ctx, s.network, s.hierarchy, 1, wrong, &params, distance, NULL, &result), MCO_ERR_ARGUMENT,
                 "method tiles is for one tree, many trees have dijkstra, buckets and sweep");
    params.method = MCO_PATHS_METHOD_AUTO;
    assert_ok(mco_paths_find_trees(test_ctx, s.network, s.hierarchy, 0, NULL, &params, NULL, NULL, &result));
    assert_ok(mco_paths_find_matrix(test_ctx, s.hierarchy, 0, NULL, 0, NULL, &params, NULL, &result));
    assert_ok(mco_paths_find_routes(test_ctx, s.hierarchy, 0, NULL, NULL, &params, NULL, NULL, &result));
    close_subject(&s);
}

// Without a hierarchy, by each method that needs none.
static void test_plain_trees(void **state)
{
    static const mco_paths_method methods[] = {MCO_PATHS_METHOD_AUTO, MCO_PATHS_METHOD_DIJKSTRA, MCO_PATHS_METHOD_BUCKETS, MCO_PATHS_METHOD_SWEEP};
    static int32_t all[MOST], distance[MOST * MOST];
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 45, 0);
    for (int k = 0; k < CASES / 4; k++) {
        subject s = {0};
        const shape of = random_shape(&rng, 0);
        mco_paths_params params = MCO_PATHS_PARAMS_INIT;
        mco_paths_result result = MCO_PATHS_RESULT_INIT;
        open_subject(&rng, &of, &s);
        for (int32_t v = 0; v < s.n; v++)
            all[v] = v;
        params.threads = 1 + k % 2;
        params.method = methods[k % COUNT_OF(methods)];
        assert_ok(mco_paths_find_trees(test_ctx, s.network, NULL, s.n, all, &params, distance, NULL, &result));
        assert_memory_equal(distance, s.expected, (size_t)(s.n * s.n) * sizeof *distance);
        close_subject(&s);
    }
}

static mco_status run_call(const subject *s, int which)
{
    static const int32_t all[] = {0, 1, 2, 3};
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    mco_paths_result result = MCO_PATHS_RESULT_INIT;
    mco_paths_routes routes = {0};
    int32_t distance[4 * MOST];
    int64_t parent[4 * MOST];
    params.threads = 2;
    mco_status st = which == 0   ? mco_paths_find_trees(test_ctx, s->network, s->hierarchy, 4, all, &params, distance, parent, &result)
                    : which == 1 ? mco_paths_find_matrix(test_ctx, s->hierarchy, 4, all, 4, all, &params, distance, &result)
                                 : mco_paths_find_routes(test_ctx, s->hierarchy, 4, all, all + 0, &params, distance, &routes, &result);
    if (st != MCO_OK) {
        assert_null(routes.first);
        assert_null(routes.arc);
    }
    mco_paths_routes_clear(test_ctx, &routes);
    return st;
}

// A hierarchy keeps threads between calls, so each call has a hierarchy of its own.
static void test_memory_failing(void **state)
{
    (void)state;
    for (int which = 0; which < 3; which++) {
        mco_status st = MCO_ERR_MEMORY;
        long k = 1;
        for (; st == MCO_ERR_MEMORY && k < 1000; k++) {
            const long live = test_memory.live;
            mco_rng rng;
            subject s = {0};
            mco_rng_seed(&rng, 46, 0);
            open_subject(&rng, &(shape){.vertices = 20, .arcs = 80, .most_weight = 10}, &s);
            test_fail_allocation(k);
            st = run_call(&s, which);
            test_fail_allocation(0);
            close_subject(&s);
            assert_int_equal(test_memory.live, live);
        }
        assert_int_equal(st, MCO_OK);
        assert_true(k > 10);
    }
}

// ---- Stopping

static void test_stop(void **state)
{
    enum { COUNT = 4000 };
    mco_paths_network *network = NULL;
    mco_paths_hierarchy *hierarchy = NULL;
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    mco_paths_result result = MCO_PATHS_RESULT_INIT;
    const mco_paths_shape road = {.family = MCO_PATHS_ROAD, .a = 90, .b = 90, .seed = 1};
    int32_t *order = NULL, *source = NULL, *distance = NULL;
    (void)state;
    assert_ok(mco_paths_generate(test_ctx, &road, &network, &order));
    assert_ok(mco_paths_prepare(test_ctx, network, order, &params, &hierarchy));
    const int64_t n = mco_paths_view(network).vertices;
    assert_ok(mco_alloc(test_ctx, &source, COUNT));
    assert_ok(mco_alloc(test_ctx, &distance, COUNT * n));
    for (int32_t k = 0; k < COUNT; k++)
        source[k] = k;
    params.threads = 1;
    params.simd = MCO_SIMD_PORTABLE;
    params.time_limit_s = 0.02;
    const double begin_s = mco_cpu_clock_s();
    assert_ok(mco_paths_find_trees(test_ctx, network, hierarchy, COUNT, source, &params, distance, NULL, &result));
    assert_int_equal(result.outcome, MCO_OUTCOME_UNKNOWN);
    assert_int_equal(result.stop, MCO_STOP_TIME);
    assert_true(mco_cpu_clock_s() - begin_s < 1);
    params.time_limit_s = HUGE_VAL;
    mco_cancel(test_ctx);
    assert_ok(mco_paths_find_matrix(test_ctx, hierarchy, COUNT, source, COUNT, source, &params, distance, &result));
    assert_int_equal(result.outcome, MCO_OUTCOME_UNKNOWN);
    assert_int_equal(result.stop, MCO_STOP_CANCELLED);
    mco_cancel(test_ctx);
    assert_ok(mco_paths_find_routes(test_ctx, hierarchy, COUNT, source, source, &params, distance, NULL, &result));
    assert_int_equal(result.stop, MCO_STOP_CANCELLED);
    mco_free(test_ctx, &distance);
    mco_free(test_ctx, &source);
    mco_paths_order_clear(test_ctx, &order);
    mco_paths_hierarchy_destroy(test_ctx, &hierarchy);
    mco_paths_destroy(test_ctx, &network);
}

// ---- Luxembourg, where MCO_DATA has it

static int32_t *read_integers(const char *folder, const char *name, int64_t count)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    int32_t *items = calloc((size_t)count, sizeof *items);
    assert_non_null(file);
    assert_non_null(items);
    assert_int_equal(fread(items, sizeof *items, (size_t)count, file), count);
    fclose(file);
    return items;
}

static int64_t count_wrong(const int32_t *reference, const int32_t *distance, int64_t count)
{
    int64_t wrong = 0;
    for (int64_t q = 0; q < count; q++)
        wrong += reference[q] != distance[q] && (reference[q] < MCO_PATHS_NONE || distance[q] < MCO_PATHS_NONE);
    return wrong;
}

static void test_luxembourg(void **state)
{
    enum { COUNT = 100000, VERTICES = 76595, PATHS = 2000 };
    char folder[400], weights[440];
    mco_paths_network *network = NULL;
    mco_paths_hierarchy *hierarchy = NULL;
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    mco_paths_result result = MCO_PATHS_RESULT_INIT;
    mco_paths_routes routes = {0};
    paths_query *query = NULL;
    (void)state;
    if (getenv("MCO_DATA") == NULL || TEST_IS_SANITIZED)
        skip();
    snprintf(folder, sizeof folder, "%s/roads/luxembourg", getenv("MCO_DATA"));
    snprintf(weights, sizeof weights, "%s/travel_time", folder);
    if (access(weights, R_OK) != 0)
        skip();
    int32_t *source = read_integers(folder, "source_node", COUNT), *target = read_integers(folder, "target_node", COUNT);
    int32_t *reference = read_integers(folder, "query_reference_travel_time_length", COUNT), *order = read_integers(folder, "cch_order", VERTICES);
    int32_t *distance = calloc(COUNT, sizeof *distance);
    assert_non_null(distance);
    assert_ok(mco_paths_read(test_ctx, weights, 0, &network));
    assert_ok(mco_paths_prepare(test_ctx, network, order, &params, &hierarchy));
    assert_ok(mco_paths_find_routes(test_ctx, hierarchy, COUNT, source, target, &params, distance, NULL, &result));
    assert_int_equal(count_wrong(reference, distance, COUNT), 0);
    memset(distance, 0, COUNT * sizeof *distance);
    assert_ok(mco_paths_find_routes(test_ctx, hierarchy, PATHS, source, target, &params, distance, &routes, &result));
    assert_int_equal(count_wrong(reference, distance, PATHS), 0);
    assert_true(routes.first[PATHS] > PATHS);
    assert_ok(paths_query_open(test_ctx, hierarchy, MCO_SIMD_AUTO, &query));
    for (int32_t q = 0; q < COUNT; q++)
        distance[q] = paths_query_distance(query, paths_source_rank(hierarchy, source[q]), paths_target_rank(hierarchy, target[q]));
    assert_int_equal(count_wrong(reference, distance, COUNT), 0);
    int64_t wrong = 0;
    static int32_t matrix[100 * 100];
    for (int32_t q = 0; q < COUNT; q += 100) {  // the answers lie on the diagonals
        assert_ok(mco_paths_find_matrix(test_ctx, hierarchy, 100, source + q, 100, target + q, &params, matrix, &result));
        for (int32_t k = 0; k < 100; k++)
            wrong += count_wrong(reference + q + k, &matrix[k * 101], 1);
        q += TEST_IS_SANITIZED ? 10000 : 900;
    }
    assert_int_equal(wrong, 0);
    mco_paths_routes_clear(test_ctx, &routes);
    paths_query_close(test_ctx, &query);
    mco_paths_hierarchy_destroy(test_ctx, &hierarchy);
    mco_paths_destroy(test_ctx, &network);
    free(distance);
    free(order);
    free(reference);
    free(target);
    free(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_random),        TEST(test_turns),        TEST(test_ancestors),      TEST(test_certificate), TEST(test_floating_cycle),
        TEST(test_long_distances), TEST(test_refusals),     TEST(test_plain_trees),    TEST(test_memory_failing), TEST(test_stop),
        TEST(test_luxembourg),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
