// SPDX-License-Identifier: MIT
// Certificates of matrices and routes: they accept what the methods find, and catch every single change.
#include "base/rng.h"
#include "graph/graph.h"
#include "paths/hierarchy/proof.h"
#include "test_support.h"

enum { MOST = 60, CASES = TEST_IS_SANITIZED ? 40 : 150 };

typedef struct subject {
    mco_paths_network *network;
    mco_paths_hierarchy *hierarchy;
    int32_t n;
} subject;

// Turns from arcs into arcs that leave their heads, sorted.
static int64_t draw_turns(mco_rng *rng, const mco_graph *graph, mco_paths_turn *turns)
{
    const mco_graph_rows rows = mco_graph_view(graph);
    int64_t count = 0;
    for (int64_t a = 0; a < rows.first[rows.vertices]; a++)
        for (int64_t b = rows.first[rows.head[a]]; b < rows.first[rows.head[a] + 1] && count < 60; b++)
            if (mco_rng_below(rng, 5) == 0)
                turns[count++] = (mco_paths_turn){a, b, (int32_t)mco_rng_below(rng, 30) - 1};
    return count;
}

// Random networks; parallel arcs, loops, weights of 0 and ends occur.
static void open_subject(mco_rng *rng, bool has_turns, subject *s)
{
    mco_graph *graph = NULL;
    int32_t from[300], to[300], order[MOST];
    double weight[300];
    mco_paths_turn turns[60];
    mco_paths_model model = MCO_PATHS_MODEL_INIT;
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    s->n = 3 + (int32_t)mco_rng_below(rng, MOST - 2);
    const int32_t arcs = (int32_t)mco_rng_below(rng, (uint32_t)(5 * s->n));
    for (int32_t a = 0; a < arcs; a++) {
        from[a] = (int32_t)mco_rng_below(rng, (uint32_t)s->n);
        to[a] = (int32_t)mco_rng_below(rng, (uint32_t)s->n);
        weight[a] = mco_rng_below(rng, 5) == 0 ? 0 : (double)mco_rng_below(rng, 100);
    }
    for (int32_t k = 0; k < s->n; k++) {
        const int32_t at = (int32_t)mco_rng_below(rng, (uint32_t)k + 1);
        order[k] = order[at];
        order[at] = k;
    }
    const mco_graph_edges edges = {.vertices = s->n, .edges = arcs, .from = from, .to = to, .weight = weight, .is_directed = true};
    assert_ok(mco_graph_create(test_ctx, &edges, &graph));
    model.scale = 1;
    model.first_through = mco_rng_below(rng, 3) == 0 ? (int32_t)mco_rng_below(rng, (uint32_t)s->n) : 0;
    model.turns = turns;
    model.turn_count = has_turns ? draw_turns(rng, graph, turns) : 0;
    assert_ok(mco_paths_create(test_ctx, graph, &model, &s->network));
    params.threads = 1;
    assert_ok(mco_paths_prepare(test_ctx, s->network, order, &params, &s->hierarchy));
    mco_graph_destroy(test_ctx, &graph);
}

static void close_subject(subject *s)
{
    mco_paths_hierarchy_destroy(test_ctx, &s->hierarchy);
    mco_paths_destroy(test_ctx, &s->network);
}

static mco_status prove(const mco_paths_hierarchy *h)
{
    const mco_status st = paths_topology_prove(test_ctx, h);
    return st != MCO_OK ? st : paths_metric_prove(test_ctx, h);
}

static void each_subject(uint64_t seed, void (*test)(mco_rng *rng, subject *s))
{
    mco_rng rng;
    mco_rng_seed(&rng, seed, 0);
    for (int k = 0; k < CASES; k++) {
        subject s = {0};
        open_subject(&rng, k % 3 == 0, &s);
        test(&rng, &s);
        close_subject(&s);
    }
}

// ---- Metrics

static void accept(mco_rng *rng, subject *s)
{
    int32_t *list = s->hierarchy->triangle;
    (void)rng;
    assert_ok(prove(s->hierarchy));
    s->hierarchy->triangle = NULL;  // triangles are looked for
    assert_ok(prove(s->hierarchy));
    s->hierarchy->triangle = list;
}

// A weight of the hierarchy that is one more or one less, with its copies.
static void change_weight(mco_rng *rng, subject *s)
{
    paths_metric *m = &s->hierarchy->metric;
    const int32_t arcs = s->hierarchy->topology.arcs, by = mco_rng_below(rng, 2) == 0 ? 1 : -1;
    if (arcs == 0)
        return;
    const int32_t slot = (int32_t)mco_rng_below(rng, 2 * (uint32_t)arcs), was = m->pair[slot];
    if (was + by < 0 || was + by > MCO_PATHS_NONE)
        return;
    m->pair[slot] += by;
    (slot % 2 == 0 ? m->up : m->down)[slot / 2] += by;
    assert_int_equal(paths_metric_prove(test_ctx, s->hierarchy), MCO_ERR_INTERNAL);
    m->pair[slot] -= by;
    assert_int_equal(paths_metric_prove(test_ctx, s->hierarchy), MCO_ERR_INTERNAL);  // the copy differs
    (slot % 2 == 0 ? m->up : m->down)[slot / 2] -= by;
    assert_ok(paths_metric_prove(test_ctx, s->hierarchy));
}

// An arc of the network that is shorter than the hierarchy knows.
static void change_arc(mco_rng *rng, subject *s)
{
    mco_paths_network *network = s->hierarchy->expanded != NULL ? s->hierarchy->expanded : s->hierarchy->network;
    const paths_topology *t = &s->hierarchy->topology;
    if (t->origins == 0)
        return;
    const int32_t k = (int32_t)mco_rng_below(rng, (uint32_t)t->origins);
    const int32_t weight = s->hierarchy->metric.pair[t->origin_slot[k]], was = network->weight[t->origin[k]];
    if (weight == 0 || weight >= MCO_PATHS_NONE)
        return;
    network->weight[t->origin[k]] = weight - 1;
    assert_int_equal(paths_metric_prove(test_ctx, s->hierarchy), MCO_ERR_INTERNAL);
    network->weight[t->origin[k]] = was;
    assert_ok(paths_metric_prove(test_ctx, s->hierarchy));
}

// A triangle's third arc, the place of an arc, a parent, a rank.
static void change_topology(mco_rng *rng, subject *s)
{
    paths_topology *t = &s->hierarchy->topology;
    int32_t *const place[] = {s->hierarchy->triangle, t->slot, t->origin, t->origin_slot, t->parent, t->rank, t->depth, t->head, t->tail_at};
    const int64_t count[] = {t->triangles, 0, t->origins, t->origins, t->vertices, t->vertices, t->vertices, t->arcs, t->vertices};
    const int which = (int)mco_rng_below(rng, COUNT_OF(place));
    const int32_t by = mco_rng_below(rng, 2) == 0 ? 1 : -1;
    if (which == 1 && t->origins > 0) {
        int32_t *slot = &t->slot[t->origin[mco_rng_below(rng, (uint32_t)t->origins)]];
        *slot ^= 1;
        assert_int_equal(paths_topology_prove(test_ctx, s->hierarchy), MCO_ERR_INTERNAL);
        *slot ^= 1;
    } else if (count[which] > 0) {
        const int64_t k = (int64_t)mco_rng_below(rng, (uint32_t)count[which]);
        const bool is_tail = which == COUNT_OF(place) - 1;  // an earlier tail may be one too
        place[which][k] += is_tail ? 1000 : by;
        assert_int_equal(paths_topology_prove(test_ctx, s->hierarchy), MCO_ERR_INTERNAL);
        place[which][k] -= is_tail ? 1000 : by;
    }
    assert_ok(paths_topology_prove(test_ctx, s->hierarchy));
}

// The cost of a turn in the expansion, where an arc of it leads, and its weights.
static void change_turn(mco_rng *rng, subject *s)
{
    mco_paths_hierarchy *h = s->hierarchy;
    if (h->expanded == NULL || h->expanded->rows.arcs == 0)
        return;
    const int64_t k = (int64_t)mco_rng_below(rng, (uint32_t)h->expanded->rows.arcs);
    int32_t *const weight = &h->expanded->weight[k];
    assert_ok(paths_turns_prove(test_ctx, h));
    h->turn_cost[k]++;
    assert_int_equal(paths_turns_prove(test_ctx, h), MCO_ERR_INTERNAL);
    h->turn_cost[k]--;
    h->plain_arc[k]++;
    assert_int_equal(paths_turns_prove(test_ctx, h), MCO_ERR_INTERNAL);
    h->plain_arc[k]--;
    ++*weight;
    assert_int_equal(paths_turn_weights_prove(test_ctx, h), MCO_ERR_INTERNAL);
    --*weight;
    assert_ok(paths_turn_weights_prove(test_ctx, h));
}

// ---- Answers

static void find_again(mco_rng *rng, subject *s)
{
    enum { SQUARE = MOST * MOST };
    static int32_t expected[SQUARE];
    paths_recheck recheck = {0};
    paths_labels *labels = NULL;
    const int32_t n = s->n;
    (void)rng;
    assert_ok(paths_recheck_open(test_ctx, s->hierarchy, &recheck));
    assert_ok(paths_labels_open(test_ctx, s->hierarchy, MCO_SIMD_AUTO, 1, &labels));
    for (int32_t u = 0; u < n; u++) {
        assert_ok(paths_ref_tree(test_ctx, &s->network->rows, u, expected, NULL));
        for (int32_t v = 0; v < n; v++) {
            const int32_t source = paths_source_rank(s->hierarchy, u), target = paths_target_rank(s->hierarchy, v);
            if (u == v && s->hierarchy->entry != NULL)
                continue;
            assert_int_equal(paths_recheck_pair(&recheck, source, target), expected[v]);
            assert_int_equal(paths_recheck_labels(&recheck, labels, source, target), expected[v]);
        }
    }
    paths_labels_close(test_ctx, &labels);
    paths_recheck_close(test_ctx, &recheck);
}

static void change_label(mco_rng *rng, subject *s)
{
    paths_labels *labels = NULL;
    mco_team team = {0};
    mco_run run = mco_run_begin(test_ctx, &(mco_run_settings){.time_limit_s = INFINITY, .target = -1, .objective = "distances"});
    paths_stopper stopper = {.run = &run};
    const paths_topology *t = &s->hierarchy->topology;
    const int32_t v = (int32_t)mco_rng_below(rng, (uint32_t)t->vertices), i = (int32_t)mco_rng_below(rng, (uint32_t)t->depth[v] + 1);
    const int workers = 1 + (int)mco_rng_below(rng, 2);
    assert_ok(paths_labels_open(test_ctx, s->hierarchy, MCO_SIMD_AUTO, 1, &labels));
    assert_ok(mco_team_open(test_ctx, workers, true, &team));
    assert_ok(paths_labels_prove(test_ctx, labels, s->hierarchy, &team, workers, &stopper));
    int32_t *label = (int32_t *)(uintptr_t)(mco_rng_below(rng, 2) == 0 ? paths_labels_up : paths_labels_down)(labels, v) + i;
    *label += *label > 0 && mco_rng_below(rng, 2) == 0 ? -1 : 1;
    assert_int_equal(paths_labels_prove(test_ctx, labels, s->hierarchy, &team, workers, &stopper), MCO_ERR_INTERNAL);
    mco_team_close(&team);
    mco_run_clear(&run);
    paths_labels_close(test_ctx, &labels);
}

// Sources and targets stand several times, in any order; one entry of the matrix is changed.
static void change_entry(mco_rng *rng, subject *s)
{
    enum { MOST_SOURCES = 150 };
    static int32_t source[MOST_SOURCES], target[MOST], distance[MOST_SOURCES * MOST];
    const int64_t sources = 1 + (int64_t)mco_rng_below(rng, MOST_SOURCES), targets = 1 + (int64_t)mco_rng_below(rng, MOST);
    const paths_lanes *lanes;
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    mco_paths_result result = MCO_PATHS_RESULT_INIT;
    mco_team team = {0};
    mco_run run = mco_run_begin(test_ctx, &(mco_run_settings){.time_limit_s = INFINITY, .target = -1, .objective = "distances"});
    for (int64_t k = 0; k < sources; k++)
        source[k] = (int32_t)mco_rng_below(rng, (uint32_t)s->n);
    for (int64_t k = 0; k < targets; k++)
        target[k] = (int32_t)mco_rng_below(rng, (uint32_t)s->n);
    params.threads = 1 + (int32_t)mco_rng_below(rng, 2);
    assert_ok(mco_paths_find_matrix(test_ctx, s->hierarchy, sources, source, targets, target, &params, distance, &result));
    assert_ok(paths_lanes_find(test_ctx, MCO_SIMD_AUTO, &lanes));
    assert_ok(mco_team_open(test_ctx, 2, true, &team));
    int32_t *entry = &distance[mco_rng_below(rng, (uint32_t)(sources * targets))];
    assert_ok(paths_matrix_prove(test_ctx, s->hierarchy, lanes, &team, 2, &run, sources, source, targets, target, distance));
    *entry += *entry > 0 && mco_rng_below(rng, 2) == 0 ? -1 : 1;
    assert_int_equal(paths_matrix_prove(test_ctx, s->hierarchy, lanes, &team, 2, &run, sources, source, targets, target, distance),
                     MCO_ERR_INTERNAL);
    mco_team_close(&team);
    mco_run_clear(&run);
}

// Calls prove a metric that was changed behind them, once for each customising.
static void test_calls(void **state)
{
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 9, 0);
    for (int k = 0; k < CASES; k++) {
        subject s = {0};
        int32_t ends[2] = {0, 1}, distance[4];
        mco_paths_params params = MCO_PATHS_PARAMS_INIT;
        mco_paths_result result = MCO_PATHS_RESULT_INIT;
        open_subject(&rng, false, &s);
        params.threads = 1;
        paths_metric *m = &s.hierarchy->metric;
        const int32_t slot = s.hierarchy->topology.arcs > 0 ? (int32_t)mco_rng_below(&rng, 2 * (uint32_t)s.hierarchy->topology.arcs) : -1;
        if (slot >= 0 && m->pair[slot] < MCO_PATHS_NONE) {
            m->pair[slot]++;
            assert_int_equal(mco_paths_find_matrix(test_ctx, s.hierarchy, 2, ends, 2, ends, &params, distance, &result), MCO_ERR_INTERNAL);
            assert_int_equal(mco_paths_find_routes(test_ctx, s.hierarchy, 1, ends, ends + 1, &params, distance, NULL, &result), MCO_ERR_INTERNAL);
            m->pair[slot]--;
        }
        assert_ok(mco_paths_find_routes(test_ctx, s.hierarchy, 1, ends, ends + 1, &params, distance, NULL, &result));
        assert_true(paths_kept_is_proven(s.hierarchy));
        assert_ok(mco_paths_customise(test_ctx, s.hierarchy, s.network->weight, &params));
        assert_false(paths_kept_is_proven(s.hierarchy));
        close_subject(&s);
    }
}

// A customising that is stopped changes no weight, with turns and without, with the context of the hierarchy and another one.
static void stop_customising(mco_rng *rng, subject *s)
{
    const int64_t arcs = s->network->rows.arcs;
    int32_t *weight = NULL;
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    assert_ok(mco_alloc(test_ctx, &weight, arcs + 1));
    for (int64_t a = 0; a < arcs; a++)
        weight[a] = (int32_t)mco_rng_below(rng, 200);
    params.threads = 1 + (int32_t)mco_rng_below(rng, 2);
    params.time_limit_s = 0;
    assert_int_equal(mco_paths_customise(test_ctx, s->hierarchy, weight, &params), MCO_ERR_STOPPED);
    params.time_limit_s = INFINITY;
    mco_cancel(test_ctx);
    assert_int_equal(mco_paths_customise(test_ctx, s->hierarchy, weight, &params), MCO_ERR_STOPPED);
    assert_memory_equal(s->hierarchy->network->weight, s->network->weight, (size_t)arcs * sizeof *weight);
    assert_ok(prove(s->hierarchy));
    for (int k = 0; k < 3; k++) {
        mco_context *ctx = test_ctx;
        if (k == 1)
            assert_ok(mco_context_create(&ctx, NULL));
        weight[0] = k;
        assert_ok(mco_paths_customise(ctx, s->hierarchy, weight, &params));
        if (k == 1)
            mco_context_destroy(&ctx);
        assert_memory_equal(s->hierarchy->network->weight, weight, (size_t)arcs * sizeof *weight);
        assert_ok(prove(s->hierarchy));
    }
    mco_free(test_ctx, &weight);
}

#define EACH(name, seed, test) \
    static void name(void **state) \
    { \
        (void)state; \
        each_subject(seed, test); \
    }
EACH(test_accept, 1, accept)
EACH(test_weights, 2, change_weight)
EACH(test_arcs, 3, change_arc)
EACH(test_topology, 4, change_topology)
EACH(test_turns, 5, change_turn)
EACH(test_find_again, 6, find_again)
EACH(test_labels, 7, change_label)
EACH(test_entries, 8, change_entry)
EACH(test_stop, 10, stop_customising)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_accept), TEST(test_weights), TEST(test_arcs),    TEST(test_topology), TEST(test_turns), TEST(test_find_again),
        TEST(test_labels), TEST(test_entries), TEST(test_calls),  TEST(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
