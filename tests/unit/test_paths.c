// SPDX-License-Identifier: MIT
// Shortest paths: the reference and every method on cores against plain relaxation, parents, the certificate and all its faults.
#include "test_support.h"

#include "base/rng.h"
#include "paths/network.h"

enum { MOST_VERTICES = 14, MOST_ARCS = 60, MOST_TURNS = 40 };

// ---- Random networks, with loops, parallel arcs, weights of 0, turns and ends

typedef struct sample {
    int32_t vertices, first_through;
    int64_t arcs, turn_count;
    int32_t from[MOST_ARCS], to[MOST_ARCS];
    double weight[MOST_ARCS];
    mco_paths_turn turn[MOST_TURNS];
} sample;

static mco_paths_network *make(sample *s)
{
    const mco_graph_edges edges = {.vertices = s->vertices, .edges = s->arcs, .from = s->from, .to = s->to, .weight = s->weight, .is_directed = true};
    mco_paths_model model = MCO_PATHS_MODEL_INIT;
    mco_graph *graph = NULL;
    mco_paths_network *network = NULL;
    model.first_through = s->first_through;
    model.turns = s->turn_count > 0 ? s->turn : NULL;
    model.turn_count = s->turn_count;
    assert_ok(mco_graph_create(test_ctx, &edges, &graph));
    assert_ok(mco_paths_create(test_ctx, graph, &model, &network));
    mco_graph_destroy(test_ctx, &graph);
    return network;
}

static void add_turns(sample *s, mco_rng *rng)
{
    mco_paths_network *plain = make(s);
    const mco_paths_rows r = mco_paths_view(plain);
    for (int64_t a = 0; a < r.arcs; a++)
        for (int64_t b = r.first[r.head[a]]; b < r.first[r.head[a] + 1]; b++)
            if (s->turn_count < MOST_TURNS && mco_rng_below(rng, 3) == 0)
                s->turn[s->turn_count++] = (mco_paths_turn){a, b, (int32_t)mco_rng_below(rng, 4) - 1};
    for (int64_t k = s->turn_count - 1; k > 0; k--) {  // in any order
        const int64_t other = mco_rng_below(rng, (uint32_t)k + 1);
        const mco_paths_turn turn = s->turn[k];
        s->turn[k] = s->turn[other];
        s->turn[other] = turn;
    }
    mco_paths_destroy(test_ctx, &plain);
}

static void draw(sample *s, mco_rng *rng, bool has_turns)
{
    *s = (sample){.vertices = 1 + (int32_t)mco_rng_below(rng, MOST_VERTICES)};
    s->arcs = mco_rng_below(rng, (uint32_t)(3 * s->vertices));
    const uint32_t range = mco_rng_below(rng, 2) == 0 ? 3 : 100;
    for (int64_t k = 0; k < s->arcs; k++) {
        s->from[k] = (int32_t)mco_rng_below(rng, (uint32_t)s->vertices);
        s->to[k] = (int32_t)mco_rng_below(rng, (uint32_t)s->vertices);
        s->weight[k] = mco_rng_below(rng, range);
    }
    if (mco_rng_below(rng, 3) == 0)
        s->first_through = (int32_t)mco_rng_below(rng, (uint32_t)s->vertices + 1);
    if (has_turns)
        add_turns(s, rng);
}

// ---- Relaxation until nothing changes: labels of arcs, whether there are turns or none

static int32_t cost_of(const mco_paths_rows *r, int64_t from, int64_t to)
{
    for (int64_t k = 0; k < r->turn_count; k++)
        if (r->turns[k].from == from && r->turns[k].to == to)
            return r->turns[k].cost;
    return 0;
}

static void relax_all(const mco_paths_rows *r, int32_t source, int32_t *distance)
{
    int64_t label[MOST_ARCS];
    for (int64_t a = 0; a < r->arcs; a++)
        label[a] = INT64_MAX;
    for (int64_t a = r->first[source]; a < r->first[source + 1]; a++)
        label[a] = r->weight[a];
    for (bool changes = true; changes;) {
        changes = false;
        for (int64_t a = 0; a < r->arcs; a++)
            for (int64_t b = r->first[r->head[a]]; label[a] != INT64_MAX && b < r->first[r->head[a] + 1]; b++) {
                const int32_t cost = cost_of(r, a, b);
                const bool may_pass = r->head[a] >= r->first_through || r->head[a] == source;
                if (!may_pass || cost < 0 || label[a] + cost + r->weight[b] >= label[b])
                    continue;
                label[b] = label[a] + cost + r->weight[b];
                changes = true;
            }
    }
    for (int32_t v = 0; v < r->vertices; v++)
        distance[v] = v == source ? 0 : MCO_PATHS_NONE;
    for (int64_t a = 0; a < r->arcs; a++)
        if (label[a] < distance[r->head[a]])
            distance[r->head[a]] = (int32_t)label[a];
}

// ---- Answers

static int32_t tail_of(const mco_paths_rows *r, int64_t arc)
{
    int32_t v = 0;
    while (r->first[v + 1] <= arc)
        v++;
    return v;
}

// Without turns, parents must lead back to the source, and their weights must add up.
static void assert_parents(const mco_paths_rows *r, const mco_paths_tree *t)
{
    for (int32_t v = 0; v < r->vertices; v++) {
        if (v == t->source || t->distance[v] == MCO_PATHS_NONE) {
            assert_int_equal(t->parent[v], -1);
            continue;
        }
        assert_int_equal(r->head[t->parent[v]], v);
        int64_t sum = 0;
        int32_t at = v;
        for (int steps = 0; at != t->source && r->turn_count == 0; steps++) {
            assert_true(steps < r->vertices);
            sum += r->weight[t->parent[at]];
            at = tail_of(r, t->parent[at]);
            assert_true(at == t->source || at >= r->first_through);
        }
        if (r->turn_count == 0)
            assert_int_equal(sum, t->distance[v]);
    }
}

static void assert_tree_with(const mco_paths_network *network, const mco_paths_hierarchy *hierarchy, int32_t source, mco_paths_method method, mco_engine engine, int64_t threads,
                        const int32_t *expected)
{
    mco_paths_params p = MCO_PATHS_PARAMS_INIT;
    mco_paths_tree t = MCO_PATHS_TREE_INIT;
    const mco_paths_rows r = mco_paths_view(network);
    int64_t reached = 0;
    p.method = method;
    p.engine = engine;
    p.threads = threads;
    p.parents = true;
    assert_ok(mco_paths_find_tree(test_ctx, network, hierarchy, source, &p, &t));
    assert_int_equal(t.outcome, MCO_OUTCOME_OPTIMAL);
    assert_int_equal(t.vertices, r.vertices);
    assert_true(t.method != MCO_PATHS_METHOD_AUTO && t.work.engine != MCO_ENGINE_AUTO && t.reason[0] != '\0');
    for (int32_t v = 0; v < r.vertices; v++) {
        assert_int_equal(t.distance[v], expected[v]);
        reached += expected[v] != MCO_PATHS_NONE;
    }
    assert_int_equal(t.reached, reached);
    assert_parents(&r, &t);
    mco_paths_tree_clear(test_ctx, &t);
}

static void assert_tree(const mco_paths_network *network, int32_t source, mco_paths_method method, mco_engine engine, int64_t threads,
                        const int32_t *expected)
{
    assert_tree_with(network, NULL, source, method, engine, threads, expected);
}

// The sweep over a hierarchy, whose order is that of the vertices.
static void assert_sweep(const mco_paths_network *network, int32_t source, const int32_t *expected)
{
    int32_t order[MOST_VERTICES];
    mco_paths_hierarchy *hierarchy = NULL;
    mco_paths_params p = MCO_PATHS_PARAMS_INIT;
    p.threads = 1;
    for (int32_t v = 0; v < MOST_VERTICES; v++)
        order[v] = v;
    assert_ok(mco_paths_prepare(test_ctx, network, order, &p, &hierarchy));
    assert_tree_with(network, hierarchy, source, MCO_PATHS_METHOD_AUTO, MCO_ENGINE_AUTO, 1, expected);
    mco_paths_hierarchy_destroy(test_ctx, &hierarchy);
}

// Any change of one distance must fail the check.
static void assert_certain(const mco_paths_network *network, int32_t source, const int32_t *expected)
{
    int32_t changed[MOST_VERTICES];
    const int32_t n = mco_paths_view(network).vertices;
    assert_ok(mco_paths_check(test_ctx, network, source, expected));
    for (int32_t v = 0; v < n; v++) {
        const int32_t others[] = {expected[v] - 1, expected[v] + 1, MCO_PATHS_NONE, 0};
        for (int k = 0; k < COUNT_OF(others); k++) {
            memcpy(changed, expected, (size_t)n * sizeof *changed);
            changed[v] = others[k];
            if (others[k] != expected[v])
                assert_int_equal(mco_paths_check(test_ctx, network, source, changed), MCO_ERR_CHECK);
        }
    }
}

static void test_random(void **state)
{
    (void)state;
    const int cases = TEST_IS_SANITIZED ? 100 : 1500;
    mco_rng rng;
    mco_rng_seed(&rng, 1, 0);
    for (int k = 0; k < cases; k++) {
        sample s;
        int32_t expected[MOST_VERTICES];
        const bool has_turns = k % 3 == 0;
        draw(&s, &rng, has_turns);
        mco_paths_network *network = make(&s);
        const mco_paths_rows r = mco_paths_view(network);
        const int32_t source = (int32_t)mco_rng_below(&rng, (uint32_t)s.vertices);
        relax_all(&r, source, expected);
        assert_certain(network, source, expected);
        assert_tree(network, source, MCO_PATHS_METHOD_AUTO, MCO_ENGINE_REFERENCE, 0, expected);
        assert_tree(network, source, MCO_PATHS_METHOD_DIJKSTRA, MCO_ENGINE_CPU, 1, expected);
        assert_tree(network, source, MCO_PATHS_METHOD_AUTO, MCO_ENGINE_CPU, 1, expected);
        if (r.turn_count == 0)
            assert_tree(network, source, MCO_PATHS_METHOD_BUCKETS, MCO_ENGINE_CPU, 1 + k % 3, expected);
        assert_sweep(network, source, expected);
        mco_paths_destroy(test_ctx, &network);
    }
}

// ---- The faults of a certificate, each with its text. 0 - 1 - 2 with weights 5 and 7, 3 apart, 4 and 5 joined by arcs of weight 0.

static sample small(void)
{
    return (sample){.vertices = 6, .arcs = 4, .from = {0, 1, 4, 5}, .to = {1, 2, 5, 4}, .weight = {5, 7, 0, 0}};
}

static void test_faults(void **state)
{
    (void)state;
    const int32_t none = MCO_PATHS_NONE, right[] = {0, 5, 12, none, none, none};
    const struct {
        int32_t vertex, value;
        const char *text;
    } faults[] = {
        {0, 3, "the source 1 has distance 3, 0 was expected"},
        {1, -4, "vertex 2 has distance -4, 0 to 1073741822 were expected, or 1073741823 without a path"},
        {2, 13, "arc 1 from 2 to 3: distance 5 and weight 7 give 12, and 3 has distance 13"},
        {2, none, "arc 1 from 2 to 3: distance 5 and weight 7 give 12, and 3 has no distance"},
        {2, 11, "vertex 3 has distance 11, the arcs into it give 12 at least"},
        {3, 9, "vertex 4 has distance 9, and no arc leads there from a vertex with a distance"},
    };
    sample s = small();
    mco_paths_network *network = make(&s);
    assert_ok(mco_paths_check(test_ctx, network, 0, right));
    for (int k = 0; k < COUNT_OF(faults); k++) {
        int32_t wrong[COUNT_OF(right)];
        memcpy(wrong, right, sizeof wrong);
        wrong[faults[k].vertex] = faults[k].value;
        assert_fails(mco_paths_check(test_ctx, network, 0, wrong), MCO_ERR_CHECK, faults[k].text);
    }
    const int32_t floating[] = {0, 5, 12, none, 8, 8};
    assert_fails(mco_paths_check(test_ctx, network, 0, floating), MCO_ERR_CHECK,
                 "vertex 5 has distance 8 by arcs that hang on each other alone: none of them leads from the source, 1");
    assert_fails(mco_paths_check(test_ctx, network, 6, right), MCO_ERR_ARGUMENT, "the source is vertex 6, there are vertices 0 to 5");
    mco_paths_destroy(test_ctx, &network);
}

// A path must not pass an end, and must obey turns.
static void test_faults_of_rules(void **state)
{
    (void)state;
    sample s = {.vertices = 3, .arcs = 2, .from = {0, 1}, .to = {1, 2}, .weight = {5, 7}, .first_through = 2};
    mco_paths_network *network = make(&s);
    const int32_t free_way[] = {0, 5, 12}, stopped[] = {0, 5, MCO_PATHS_NONE};
    assert_ok(mco_paths_check(test_ctx, network, 0, stopped));
    assert_fails(mco_paths_check(test_ctx, network, 0, free_way), MCO_ERR_CHECK,
                 "vertex 3 has distance 12, and no arc leads there from a vertex with a distance");
    mco_paths_destroy(test_ctx, &network);
    s.first_through = 0;
    s.turn_count = 1;
    s.turn[0] = (mco_paths_turn){0, 1, 4};
    network = make(&s);
    assert_fails(mco_paths_check(test_ctx, network, 0, free_way), MCO_ERR_CHECK,
                 "vertex 3 has distance 12, a shortest path with its turns has length 16");
    assert_fails(mco_paths_check(test_ctx, network, 0, stopped), MCO_ERR_CHECK,
                 "vertex 3 has no distance, and a path with its turns has length 16");
    mco_paths_destroy(test_ctx, &network);
    s.turn[0].cost = -1;
    network = make(&s);
    assert_ok(mco_paths_check(test_ctx, network, 0, stopped));
    assert_fails(mco_paths_check(test_ctx, network, 0, free_way), MCO_ERR_CHECK,
                 "vertex 3 has distance 12, and no path with its turns leads there");
    mco_paths_destroy(test_ctx, &network);
}

// ---- Limits and refusals

static mco_status create(sample *s, const mco_paths_model *model, mco_paths_network **out)
{
    const mco_graph_edges edges = {.vertices = s->vertices, .edges = s->arcs, .from = s->from, .to = s->to, .weight = s->weight, .is_directed = true};
    mco_graph *graph = NULL;
    assert_ok(mco_graph_create(test_ctx, &edges, &graph));
    const mco_status st = mco_paths_create(test_ctx, graph, model, out);
    mco_graph_destroy(test_ctx, &graph);
    return st;
}

static void test_refused_networks(void **state)
{
    (void)state;
    mco_paths_network *network = NULL;
    sample s = small();
    s.weight[1] = -7;
    assert_fails(create(&s, NULL, &network), MCO_ERR_ARGUMENT, "graph: arc 1 from 2 to 3 has weight -7, 0 or more was expected");
    s.weight[1] = 1073741823;
    assert_fails(create(&s, NULL, &network), MCO_ERR_LIMIT,
                 "graph: arc 1 from 2 to 3 has weight 1073741823, times the scale at most 1073741822 is allowed; a smaller scale helps");
    s.weight[1] = 7;
    const mco_paths_turn apart = {0, 2, 1}, beyond = {0, 4, 1}, twice[] = {{0, 1, 1}, {0, 1, 2}};
    mco_paths_model model = MCO_PATHS_MODEL_INIT;
    model.turns = &apart;
    model.turn_count = 1;
    assert_fails(create(&s, &model, &network), MCO_ERR_ARGUMENT, "turn 0: arc 0 ends at vertex 1, arc 2 does not begin there");
    model.turns = &beyond;
    assert_fails(create(&s, &model, &network), MCO_ERR_ARGUMENT, "turn 0 leads from arc 0 to arc 4, there are arcs 0 to 3");
    model.turns = twice;
    model.turn_count = 2;
    assert_fails(create(&s, &model, &network), MCO_ERR_ARGUMENT, "the turn from arc 0 to arc 1 is there twice");
    model = (mco_paths_model)MCO_PATHS_MODEL_INIT;
    model.first_through = 7;
    assert_fails(create(&s, &model, &network), MCO_ERR_ARGUMENT, "the first through vertex is 7, 0 to 6 were expected");
    assert_null(network);
}

static void test_scale(void **state)
{
    (void)state;
    sample s = small();
    mco_paths_model model = MCO_PATHS_MODEL_INIT;
    mco_paths_network *network = NULL;
    s.weight[1] = 7.0625;
    assert_ok(create(&s, NULL, &network));
    assert_int_equal(mco_paths_view(network).weight[1], 7062);  // 7062.5 goes to the even one
    assert_true(mco_paths_view(network).scale == 1000);
    mco_paths_destroy(test_ctx, &network);
    model.scale = 2;
    assert_ok(create(&s, &model, &network));
    assert_int_equal(mco_paths_view(network).weight[1], 14);
    mco_paths_destroy(test_ctx, &network);
}

// Distances beyond the limit are refused by every method; the greatest one is found.
static void test_long_paths(void **state)
{
    (void)state;
    static const mco_paths_method methods[] = {MCO_PATHS_METHOD_DIJKSTRA, MCO_PATHS_METHOD_BUCKETS};
    sample s = {.vertices = 3, .arcs = 2, .from = {0, 1}, .to = {1, 2}, .weight = {MCO_PATHS_MAX_WEIGHT - 10, 10}};
    const int32_t expected[] = {0, MCO_PATHS_MAX_WEIGHT - 10, MCO_PATHS_MAX_WEIGHT};
    for (int k = 0; k < 2; k++) {
        mco_paths_network *network = make(&s);
        for (int m = 0; m < 3; m++) {
            mco_paths_params p = MCO_PATHS_PARAMS_INIT;
            mco_paths_tree t = MCO_PATHS_TREE_INIT;
            p.threads = m < 2;
            p.method = m < 2 ? methods[m] : MCO_PATHS_METHOD_AUTO;
            p.engine = m < 2 ? MCO_ENGINE_CPU : MCO_ENGINE_REFERENCE;
            if (k == 0)
                assert_tree(network, 0, p.method, p.engine, p.threads, expected);
            else
                assert_int_equal(mco_paths_find_tree(test_ctx, network, NULL, 0, &p, &t), MCO_ERR_LIMIT);
        }
        mco_paths_destroy(test_ctx, &network);
        s.weight[1] = 11;
    }
}

static void test_refused_pairs(void **state)
{
    (void)state;
    const struct {
        mco_paths_method method;
        mco_engine engine;
        const char *text;
    } pairs[] = {
        {MCO_PATHS_METHOD_SWEEP, MCO_ENGINE_CPU, "method sweep needs a hierarchy: mco paths prepare makes one"},
        {MCO_PATHS_METHOD_BUCKETS, MCO_ENGINE_REFERENCE, "method buckets and engine reference, which has dijkstra alone"},
        {MCO_PATHS_METHOD_TILES, MCO_ENGINE_CPU, "method tiles and engine cpu, tiles need a GPU"},
        {MCO_PATHS_METHOD_BUCKETS, MCO_ENGINE_GPU, "method buckets and engine gpu, which has tiles and sweep"},
    };
    sample s = small();
    mco_paths_network *network = make(&s);
    mco_paths_tree t = MCO_PATHS_TREE_INIT;
    for (int k = 0; k < COUNT_OF(pairs); k++) {
        mco_paths_params p = MCO_PATHS_PARAMS_INIT;
        p.method = pairs[k].method;
        p.engine = pairs[k].engine;
        assert_fails(mco_paths_find_tree(test_ctx, network, NULL, 0, &p, &t), MCO_ERR_ARGUMENT, pairs[k].text);
    }
    mco_paths_destroy(test_ctx, &network);
}

static void test_stopped(void **state)
{
    (void)state;
    sample s = small();
    mco_paths_network *network = make(&s);
    mco_paths_params p = MCO_PATHS_PARAMS_INIT;
    mco_paths_tree t = MCO_PATHS_TREE_INIT;
    p.time_limit_s = 0;
    p.threads = 1;
    assert_ok(mco_paths_find_tree(test_ctx, network, NULL, 0, &p, &t));
    assert_int_equal(t.outcome, MCO_OUTCOME_UNKNOWN);
    assert_int_equal(t.stop, MCO_STOP_TIME);
    assert_null(t.distance);
    mco_paths_tree_clear(test_ctx, &t);
    mco_paths_destroy(test_ctx, &network);
}

// ---- Layouts

static void test_layouts(void **state)
{
    (void)state;
    static const int32_t order[] = {3, 5, 1, 0, 2, 4};
    sample s = small();
    s.first_through = 2;
    mco_paths_network *network = make(&s);
    const mco_paths_rows r = mco_paths_view(network);
    paths_layout l;
    assert_ok(paths_layout_make(test_ctx, &r, order, true, &l));
    assert_int_equal(l.arcs, 4);
    assert_int_equal(l.max_weight, 7);
    for (int32_t k = 0; k < l.vertices; k++) {
        assert_int_equal(l.vertex[k], order[k]);
        assert_int_equal(l.place[order[k]], k);
        assert_int_equal(l.is_end[k], order[k] < 2);
        for (int32_t a = l.first[k]; a < l.first[k + 1]; a++) {
            assert_int_equal(tail_of(&r, l.origin[a]), order[k]);
            assert_int_equal(r.head[l.origin[a]], order[l.arc[a].head]);
            assert_int_equal(r.weight[l.origin[a]], l.arc[a].weight);
        }
    }
    paths_layout_clear(test_ctx, &l);
    mco_paths_destroy(test_ctx, &network);
}

// ---- Every allocation may fail

static mco_status whole_call(sample *s, const mco_paths_params *p)
{
    mco_status st = MCO_OK;
    mco_paths_network *network = NULL;
    mco_paths_model model = MCO_PATHS_MODEL_INIT;
    mco_paths_tree t = MCO_PATHS_TREE_INIT;
    const mco_graph_edges edges = {.vertices = s->vertices, .edges = s->arcs, .from = s->from, .to = s->to, .weight = s->weight, .is_directed = true};
    mco_graph *graph = NULL;
    model.turns = s->turn_count > 0 ? s->turn : NULL;
    model.turn_count = s->turn_count;
    MCO_TRY(mco_graph_create(test_ctx, &edges, &graph));
    MCO_TRY(mco_paths_create(test_ctx, graph, &model, &network));
    MCO_TRY(mco_paths_find_tree(test_ctx, network, NULL, 0, p, &t));
done:
    assert_int_equal(t.distance != NULL, st == MCO_OK);
    mco_paths_tree_clear(test_ctx, &t);
    mco_paths_destroy(test_ctx, &network);
    mco_graph_destroy(test_ctx, &graph);
    return st;
}

static void test_memory_failures(void **state)
{
    (void)state;
    for (int m = 0; m < 4; m++) {
        mco_paths_params p = MCO_PATHS_PARAMS_INIT;
        sample s = small();
        mco_status st = MCO_ERR_MEMORY;
        long k = 0;
        p.parents = true;
        p.threads = m < 2;
        p.method = m == 0 ? MCO_PATHS_METHOD_BUCKETS : MCO_PATHS_METHOD_DIJKSTRA;
        p.engine = m < 2 ? MCO_ENGINE_CPU : MCO_ENGINE_REFERENCE;
        if (m == 3)
            s.turn[s.turn_count++] = (mco_paths_turn){0, 1, 3};
        while (st == MCO_ERR_MEMORY) {
            test_fail_allocation(++k);
            st = whole_call(&s, &p);
            test_fail_allocation(0);
        }
        assert_ok(st);
        assert_true(k > 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_random), TEST(test_faults), TEST(test_faults_of_rules), TEST(test_refused_networks),
                                       TEST(test_scale), TEST(test_long_paths), TEST(test_refused_pairs), TEST(test_stopped),
                                       TEST(test_layouts), TEST(test_memory_failures)};
    return cmocka_run_group_tests_name("paths", tests, NULL, NULL);
}
