// SPDX-License-Identifier: MIT
// The public calls of shortest paths against labels of arcs that are lowered until none falls, on random small networks. Loops,
// parallel arcs, weights of 0, lonely vertices, ends of paths, turns, closed arcs and sums beyond the limit occur.
#include <inttypes.h>

#include "base/rng.h"
#include "mco/paths.h"
#include "test_support.h"

#ifndef SEED
#define SEED 1
#endif
#ifndef CASES
#define CASES (TEST_IS_SANITIZED ? 40 : 250)
#endif

// ---- Random networks

enum { MOST = 14, MOST_ARCS = 44, MOST_TURNS = 40 };
static const int64_t FAR = INT64_MAX / 4;  // no path

typedef struct subject {
    mco_rng rng;
    mco_paths_hierarchy *hierarchy;
    const mco_paths_network *network;  // of the hierarchy
    mco_paths_rows rows;
    int64_t length[MOST][MOST];        // of shortest paths
    bool is_long[MOST];                // a path from this vertex is too long
    int number;
} subject;

static int32_t draw(subject *s, int64_t limit)
{
    return (int32_t)mco_rng_below(&s->rng, (uint32_t)limit);
}

// ---- Networks

// A weight of 0 .. MCO_PATHS_MAX_WEIGHT. Kind 0: small, 1: common, 2: some near the limit, 3: zeros and ones.
static int32_t draw_weight(subject *s, int kind)
{
    switch (kind) {
    case 0: return draw(s, 4);
    case 1: return draw(s, 5) == 0 ? 0 : draw(s, 1000);
    case 2: return draw(s, 3) == 0 ? MCO_PATHS_MAX_WEIGHT - draw(s, 3) : draw(s, 2) == 0 ? MCO_PATHS_MAX_WEIGHT / 3 : draw(s, 10);
    default: return draw(s, 2);
    }
}

static int64_t draw_turns(subject *s, const mco_graph *graph, int kind, mco_paths_turn turns[MOST_TURNS])
{
    const mco_graph_rows rows = mco_graph_view(graph);
    int64_t count = 0;
    for (int k = 0; k < MOST_TURNS && rows.arcs > 0; k++) {
        const int64_t from = draw(s, rows.arcs);
        const int32_t at = rows.head[from];
        const int64_t degree = rows.first[at + 1] - rows.first[at];
        bool is_new = degree > 0;
        const int64_t to = is_new ? rows.first[at] + draw(s, degree) : 0;
        for (int64_t i = 0; i < count; i++)
            is_new = is_new && (turns[i].from != from || turns[i].to != to);
        if (is_new)
            turns[count++] = (mco_paths_turn){from, to, draw(s, 3) == 0 ? -1 : draw_weight(s, kind)};
    }
    return count;
}

static void draw_network(subject *s, mco_paths_network **out)
{
    int32_t from[MOST_ARCS], to[MOST_ARCS];
    double weight[MOST_ARCS];
    mco_paths_turn turns[MOST_TURNS];
    mco_graph *graph = NULL;
    mco_paths_model model = MCO_PATHS_MODEL_INIT;
    const int kind = draw(s, 4);
    const int32_t n = 1 + draw(s, MOST), arcs = draw(s, MOST_ARCS + 1);
    for (int32_t a = 0; a < arcs; a++) {
        from[a] = draw(s, n);
        to[a] = draw(s, n);
        weight[a] = draw_weight(s, kind);
    }
    const mco_graph_edges edges = {.vertices = n, .edges = arcs, .from = from, .to = to, .weight = weight, .is_directed = true};
    assert_ok(mco_graph_create(test_ctx, &edges, &graph));
    model.scale = 1;
    model.first_through = draw(s, 3) == 0 ? draw(s, n + 1) : 0;
    model.turns = turns;
    model.turn_count = draw(s, 2) == 0 ? draw_turns(s, graph, kind, turns) : 0;
    assert_ok(mco_paths_create(test_ctx, graph, &model, out));
    mco_graph_destroy(test_ctx, &graph);
}

static void prepare(subject *s)
{
    mco_paths_network *network = NULL;
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    int32_t order[MOST];
    draw_network(s, &network);
    const int32_t n = mco_paths_view(network).vertices;
    for (int32_t k = 0; k < n; k++) {
        const int32_t at = draw(s, k + 1);
        order[k] = order[at];
        order[at] = k;
    }
    params.threads = 1 + draw(s, 3);
    params.memory = 100000;
    assert_ok(mco_paths_prepare(test_ctx, network, draw(s, 2) == 0 ? order : NULL, &params, &s->hierarchy));
    mco_paths_destroy(test_ctx, &network);
    s->network = mco_paths_hierarchy_network(s->hierarchy);
    s->rows = mco_paths_view(s->network);
}

// New weights; one arc in four is closed.
static void customise(subject *s)
{
    int32_t weight[MOST_ARCS];
    const int kind = draw(s, 4);
    for (int64_t a = 0; a < s->rows.arcs; a++)
        weight[a] = draw(s, 4) == 0 ? MCO_PATHS_NONE : draw_weight(s, kind);
    assert_ok(mco_paths_customise(test_ctx, s->hierarchy, weight, NULL));
}

static void go_through_a_file(subject *s)
{
    assert_ok(mco_paths_hierarchy_write(test_ctx, s->hierarchy, test_path("api.mcoh")));
    mco_paths_hierarchy_destroy(test_ctx, &s->hierarchy);
    assert_ok(mco_paths_hierarchy_read(test_ctx, test_path("api.mcoh"), &s->hierarchy));
    s->network = mco_paths_hierarchy_network(s->hierarchy);
    s->rows = mco_paths_view(s->network);
}

// ---- The expected lengths

static int32_t cost_of(const mco_paths_rows *r, int64_t from, int64_t to)
{
    for (int64_t k = 0; k < r->turn_count; k++)
        if (r->turns[k].from == from && r->turns[k].to == to)
            return r->turns[k].cost;
    return 0;
}

// label[a]: of a shortest path from the source that ends with arc a.
static void expect_from(subject *s, int32_t source)
{
    const mco_paths_rows *r = &s->rows;
    int64_t label[MOST_ARCS];
    bool has_changed = true;
    for (int64_t a = 0; a < r->arcs; a++)
        label[a] = a >= r->first[source] && a < r->first[source + 1] && r->weight[a] < MCO_PATHS_NONE ? r->weight[a] : FAR;
    while (has_changed) {
        has_changed = false;
        for (int64_t a = 0; a < r->arcs; a++) {
            const int32_t v = r->head[a];
            for (int64_t b = r->first[v]; label[a] < FAR && v >= r->first_through && b < r->first[v + 1]; b++) {
                const int32_t cost = cost_of(r, a, b);
                if (cost < 0 || r->weight[b] == MCO_PATHS_NONE || label[a] + cost + r->weight[b] >= label[b])
                    continue;
                label[b] = label[a] + cost + r->weight[b];
                has_changed = true;
            }
        }
    }
    for (int32_t v = 0; v < r->vertices; v++)
        s->length[source][v] = v == source ? 0 : FAR;
    for (int64_t a = 0; a < r->arcs; a++)
        if (label[a] < s->length[source][r->head[a]])
            s->length[source][r->head[a]] = label[a];
    s->is_long[source] = false;
    for (int32_t v = 0; v < r->vertices; v++)
        s->is_long[source] |= s->length[source][v] < FAR && s->length[source][v] >= MCO_PATHS_NONE;
}

static int32_t expected(const subject *s, int32_t source, int32_t target)
{
    return s->length[source][target] < MCO_PATHS_NONE ? (int32_t)s->length[source][target] : MCO_PATHS_NONE;
}

static void assert_limit(const subject *s, mco_status st, const char *of)
{
    if (st != MCO_ERR_LIMIT)
        fail_msg("case %d: %s of a path that is too long: %s: %s", s->number, of, mco_status_text(st), mco_context_error(test_ctx));
}

static void assert_distances(const subject *s, int32_t source, const int32_t *distance, const char *of)
{
    for (int32_t v = 0; v < s->rows.vertices; v++)
        if (distance[v] != expected(s, source, v))
            fail_msg("case %d: %s from %d to %d: %d, %d was expected", s->number, of, source, v, distance[v], expected(s, source, v));
}

// ---- Trees

static int32_t tail_of(const mco_paths_rows *r, int64_t arc)
{
    int32_t v = 0;
    while (r->first[v + 1] <= arc)
        v++;
    return v;
}

// The parents that the rule names: the first tight arc of positive weight; else, level by level, the first tight one of weight 0 from a
// vertex of the level before.
static void assert_rule(const mco_paths_rows *r, int32_t source, const int32_t *distance, const int64_t *parent)
{
    enum { NONE = MCO_PATHS_NONE };
    int32_t level[MOST];
    for (int32_t v = 0; v < r->vertices; v++)
        level[v] = v == source ? 0 : -1;
    for (int32_t now = 0; now <= r->vertices; now++)
        for (int64_t a = r->arcs - 1; a >= 0; a--) {
            const int32_t u = tail_of(r, a), v = r->head[a], w = r->weight[a];
            const bool is_open = distance[u] < NONE && w < NONE && (u >= r->first_through || u == source) && v != source;
            if (!is_open || distance[u] + w != distance[v] || (now == 0) != (w > 0))
                continue;
            if (now > 0 && (level[u] != now - 1 || (level[v] >= 0 && level[v] != now)))
                continue;
            bool is_first = true;
            for (int64_t b = 0; b < a; b++) {
                const int32_t t = tail_of(r, b);
                const bool is_tight = r->head[b] == v && distance[t] < NONE && r->weight[b] < NONE && (t >= r->first_through || t == source) &&
                                      distance[t] + r->weight[b] == distance[v] && (r->weight[b] > 0) == (w > 0);
                is_first = is_first && !(is_tight && (now == 0 || level[t] == now - 1));
            }
            level[v] = now;
            if (is_first)
                assert_int_equal(parent[v], a);
        }
}

// Without turns parents lead back to the source, and their weights add up.
static void assert_parents(const subject *s, int32_t source, const int32_t *distance, const int64_t *parent)
{
    const mco_paths_rows *r = &s->rows;
    if (r->turn_count == 0)
        assert_rule(r, source, distance, parent);
    for (int32_t v = 0; v < r->vertices; v++) {
        assert_int_equal(parent[v] >= 0, v != source && distance[v] < MCO_PATHS_NONE);
        int32_t at = v;
        int64_t sum = 0;
        for (int steps = 0; r->turn_count == 0 && parent[at] >= 0; steps++) {
            assert_true(steps < r->vertices && r->head[parent[at]] == at);
            sum += r->weight[parent[at]];
            at = tail_of(r, parent[at]);
        }
        if (parent[v] >= 0 && r->turn_count == 0)
            assert_true(at == source && sum == distance[v]);
        if (parent[v] >= 0)
            assert_true(r->head[parent[v]] == v && r->weight[parent[v]] <= distance[v]);
    }
}

// The certificate holds for the right distances alone.
static void test_check(subject *s, int32_t source, int32_t *distance)
{
    const int32_t v = draw(s, s->rows.vertices), old = distance[v];
    assert_ok(mco_paths_check(test_ctx, s->network, source, distance));
    distance[v] = old == MCO_PATHS_NONE ? draw(s, 100) : draw(s, 4) == 0 ? MCO_PATHS_NONE : old + 1 - 2 * draw(s, 2);
    if (distance[v] != old)
        assert_int_equal(mco_paths_check(test_ctx, s->network, source, distance), MCO_ERR_CHECK);
    distance[v] = old;
}

static void test_tree(subject *s, mco_engine engine, mco_paths_method method, int threads)
{
    const int32_t source = draw(s, s->rows.vertices);
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    mco_paths_tree tree = MCO_PATHS_TREE_INIT;
    params.engine = engine;
    params.method = method;
    params.threads = threads;
    params.parents = draw(s, 2) == 0;
    const mco_status st = mco_paths_find_tree(test_ctx, s->network, s->hierarchy, source, &params, &tree);
    if (s->is_long[source]) {
        assert_limit(s, st, "tree");
        return;
    }
    assert_ok(st);
    assert_int_equal(tree.outcome, MCO_OUTCOME_OPTIMAL);
    assert_distances(s, source, tree.distance, "tree");
    if (tree.parent != NULL)
        assert_parents(s, source, tree.distance, tree.parent);
    test_check(s, source, tree.distance);
    mco_paths_tree_clear(test_ctx, &tree);
}

static void test_trees(subject *s, bool has_hierarchy, mco_paths_method method)
{
    enum { COUNT = 40 };
    const int32_t n = s->rows.vertices, count = draw(s, 2) == 0 ? draw(s, COUNT + 1) : draw(s, 4);
    int32_t source[COUNT] = {0}, distance[COUNT * MOST];
    int64_t parent[COUNT * MOST];
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    mco_paths_result result = MCO_PATHS_RESULT_INIT;
    bool is_long = false;
    for (int32_t k = 0; k < count; k++) {
        source[k] = draw(s, n);
        is_long |= s->is_long[source[k]];
    }
    params.threads = 1 + draw(s, 2);
    params.method = method;
    const mco_status st = mco_paths_find_trees(test_ctx, s->network, has_hierarchy ? s->hierarchy : NULL, count, source, &params, distance,
                                               parent, &result);
    if (is_long) {
        assert_limit(s, st, "trees");
        return;
    }
    assert_ok(st);
    assert_int_equal(result.done, count);
    for (int32_t k = 0; k < count; k++) {
        assert_distances(s, source[k], distance + k * n, "trees");
        assert_parents(s, source[k], distance + k * n, parent + k * n);
    }
}

// ---- Pairs

// Whether a pair is too long; then the call must have refused it.
static bool is_refused(const subject *s, mco_status st, int64_t count, const int32_t *source, const int32_t *target, const char *of)
{
    bool has_long = false;
    for (int64_t k = 0; k < count; k++) {
        const int64_t length = s->length[source[k]][target[k]];
        has_long |= length < FAR && length >= MCO_PATHS_NONE;
    }
    if (has_long)
        assert_limit(s, st, of);
    else
        assert_ok(st);
    return has_long;
}

static void test_matrix(subject *s)
{
    enum { ENDS = 20, PAIRS = ENDS * ENDS };
    int32_t source[ENDS] = {0}, target[ENDS] = {0}, distance[PAIRS], from[PAIRS] = {0}, to[PAIRS] = {0};
    const int32_t rows = draw(s, ENDS + 1), columns = draw(s, ENDS + 1);
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    mco_paths_result result = MCO_PATHS_RESULT_INIT;
    params.threads = 1 + draw(s, 2);
    for (int32_t i = 0; i < rows; i++)
        source[i] = draw(s, s->rows.vertices);
    for (int32_t k = 0; k < columns; k++)
        target[k] = draw(s, s->rows.vertices);
    for (int32_t p = 0; p < rows * columns; p++) {
        from[p] = source[p / columns];
        to[p] = target[p % columns];
    }
    const mco_status st = mco_paths_find_matrix(test_ctx, s->hierarchy, rows, source, columns, target, &params, distance, &result);
    if (is_refused(s, st, rows * columns, from, to, "matrix"))
        return;
    for (int32_t p = 0; p < rows * columns; p++)
        if (distance[p] != expected(s, from[p], to[p]))
            fail_msg("case %d: matrix from %d to %d: %d, %d was expected", s->number, from[p], to[p], distance[p], expected(s, from[p], to[p]));
}

static void assert_route(const subject *s, int32_t source, int32_t target, int32_t distance, const int64_t *arc, int64_t count)
{
    const mco_paths_rows *r = &s->rows;
    int32_t at = source;
    int64_t sum = 0;
    for (int64_t k = 0; k < count; k++) {
        const int32_t cost = k > 0 ? cost_of(r, arc[k - 1], arc[k]) : 0;
        assert_int_equal(tail_of(r, arc[k]), at);
        assert_true(cost >= 0 && r->weight[arc[k]] < MCO_PATHS_NONE && (k == 0 || at >= r->first_through));
        sum += cost + r->weight[arc[k]];
        at = r->head[arc[k]];
    }
    assert_int_equal(at, distance < MCO_PATHS_NONE ? target : source);
    assert_int_equal(sum, distance < MCO_PATHS_NONE ? distance : 0);
}

static void test_routes(subject *s, int32_t count)
{
    enum { MOST_COUNT = 300 };
    static int32_t source[MOST_COUNT], target[MOST_COUNT], distance[MOST_COUNT];
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    mco_paths_result result = MCO_PATHS_RESULT_INIT;
    mco_paths_routes routes = {0};
    params.threads = 1 + draw(s, 2);
    for (int32_t q = 0; q < count; q++) {
        source[q] = draw(s, s->rows.vertices);
        target[q] = draw(s, s->rows.vertices);
    }
    const mco_status st = mco_paths_find_routes(test_ctx, s->hierarchy, count, source, target, &params, distance, &routes, &result);
    if (is_refused(s, st, count, source, target, "routes"))
        return;
    for (int32_t q = 0; q < count; q++) {
        if (distance[q] != expected(s, source[q], target[q]))
            fail_msg("case %d: route from %d to %d: %d, %d was expected", s->number, source[q], target[q], distance[q],
                     expected(s, source[q], target[q]));
        assert_route(s, source[q], target[q], distance[q], routes.arc + routes.first[q], routes.first[q + 1] - routes.first[q]);
    }
    mco_paths_routes_clear(test_ctx, &routes);
}

// ---- All of it

static void test_all(subject *s)
{
    const bool has_turns = s->rows.turn_count > 0;
    for (int32_t v = 0; v < s->rows.vertices; v++)
        expect_from(s, v);
    test_tree(s, MCO_ENGINE_REFERENCE, MCO_PATHS_METHOD_AUTO, 1);
    test_tree(s, MCO_ENGINE_CPU, MCO_PATHS_METHOD_DIJKSTRA, 1);
    test_tree(s, MCO_ENGINE_CPU, MCO_PATHS_METHOD_SWEEP, 1);
    if (!has_turns)
        test_tree(s, MCO_ENGINE_CPU, MCO_PATHS_METHOD_BUCKETS, 1 + draw(s, 2));
    test_trees(s, true, MCO_PATHS_METHOD_AUTO);
    test_trees(s, false, draw(s, 2) == 0 ? MCO_PATHS_METHOD_AUTO : MCO_PATHS_METHOD_DIJKSTRA);
    test_trees(s, false, MCO_PATHS_METHOD_SWEEP);
    test_matrix(s);
    test_routes(s, draw(s, 3));
    test_routes(s, 300);
}

static void every_call_agrees_with_labels_of_arcs(void **state)
{
    (void)state;
    subject s = {0};
    mco_rng_seed(&s.rng, SEED, 0);
    for (s.number = 0; s.number < CASES; s.number++) {
        prepare(&s);
        test_all(&s);
        customise(&s);
        test_all(&s);
        if (draw(&s, 2) == 0) {
            go_through_a_file(&s);
            test_all(&s);
        }
        customise(&s);  // opens arcs that were closed
        test_all(&s);
        mco_paths_hierarchy_destroy(test_ctx, &s.hierarchy);
    }
}

// ---- Faults

// 0 -> 1 -> 2 -> 3, and perhaps a turn of cost 5 at 1.
static mco_paths_network *make_chain(bool has_turn)
{
    const int32_t from[] = {0, 1, 2}, to[] = {1, 2, 3};
    const double weight[] = {10, 20, 30};
    const mco_paths_turn turn = {0, 1, 5};
    const mco_graph_edges edges = {.vertices = 4, .edges = 3, .from = from, .to = to, .weight = weight, .is_directed = true};
    mco_paths_model model = MCO_PATHS_MODEL_INIT;
    mco_graph *graph = NULL;
    mco_paths_network *network = NULL;
    assert_ok(mco_graph_create(test_ctx, &edges, &graph));
    model.turns = has_turn ? &turn : NULL;
    model.turn_count = has_turn;
    assert_ok(mco_paths_create(test_ctx, graph, &model, &network));
    mco_graph_destroy(test_ctx, &graph);
    return network;
}

static void a_hierarchy_serves_its_own_network_alone(void **state)
{
    (void)state;
    mco_paths_network *chain = make_chain(false), *turned = make_chain(true);
    mco_paths_hierarchy *hierarchy = NULL;
    mco_paths_tree tree = MCO_PATHS_TREE_INIT;
    mco_paths_result result = MCO_PATHS_RESULT_INIT;
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    const int32_t weight[] = {10, 21, 30}, source = 0;
    int32_t distance[4];
    assert_ok(mco_paths_prepare(test_ctx, chain, NULL, NULL, &hierarchy));
    assert_int_equal(mco_paths_find_tree(test_ctx, turned, hierarchy, 0, &params, &tree), MCO_ERR_ARGUMENT);
    assert_ok(mco_paths_customise(test_ctx, hierarchy, weight, NULL));
    assert_fails(mco_paths_find_tree(test_ctx, chain, hierarchy, 0, &params, &tree), MCO_ERR_ARGUMENT,
                 "arc 1 has weight 21 in the hierarchy, 20 in the network");
    assert_fails(mco_paths_find_trees(test_ctx, chain, hierarchy, 1, &source, &params, distance, NULL, &result), MCO_ERR_ARGUMENT,
                 "arc 1 has weight 21 in the hierarchy, 20 in the network");
    assert_ok(mco_paths_find_tree(test_ctx, mco_paths_hierarchy_network(hierarchy), hierarchy, 0, &params, &tree));
    assert_int_equal(tree.distance[3], 61);
    mco_paths_tree_clear(test_ctx, &tree);
    mco_paths_hierarchy_destroy(test_ctx, &hierarchy);
    mco_paths_destroy(test_ctx, &turned);
    mco_paths_destroy(test_ctx, &chain);
}

// A grid of SIDE x SIDE vertices with one turn: enough for two threads to customise.
enum { SIDE = 80 };
static mco_paths_network *make_turned_grid(void)
{
    static int32_t from[4 * SIDE * SIDE], to[4 * SIDE * SIDE];
    int64_t edges = 0;
    for (int32_t v = 0; v < SIDE * SIDE; v++)
        for (int32_t k = 0; k < 2; k++)
            if (k == 0 ? v % SIDE + 1 < SIDE : v + SIDE < SIDE * SIDE) {
                const int32_t w = v + (k == 0 ? 1 : SIDE);
                from[edges] = to[edges + 1] = v;
                to[edges] = from[edges + 1] = w;
                edges += 2;
            }
    const mco_graph_edges grid = {.vertices = SIDE * SIDE, .edges = edges, .from = from, .to = to, .is_directed = true};
    mco_paths_model model = MCO_PATHS_MODEL_INIT;
    mco_graph *graph = NULL;
    mco_paths_network *network = NULL;
    assert_ok(mco_graph_create(test_ctx, &grid, &graph));
    const mco_graph_rows rows = mco_graph_view(graph);
    const mco_paths_turn turn = {0, rows.first[rows.head[0]], 7};
    model.turns = &turn;
    model.turn_count = 1;
    assert_ok(mco_paths_create(test_ctx, graph, &model, &network));
    mco_graph_destroy(test_ctx, &graph);
    return network;
}

static void a_hierarchy_that_cannot_take_weights_keeps_its_own(void **state)
{
    (void)state;
    static int32_t weight[4 * SIDE * SIDE], distance[SIDE * SIDE];
    mco_paths_network *network = make_turned_grid();
    mco_paths_hierarchy *hierarchy = NULL;
    mco_paths_result result = MCO_PATHS_RESULT_INIT;
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    const int32_t source = 0;
    mco_status st = MCO_ERR_MEMORY;
    params.threads = 2;
    assert_ok(mco_paths_prepare(test_ctx, network, NULL, &params, &hierarchy));
    for (int64_t a = 0; a < mco_paths_view(network).arcs; a++)
        weight[a] = 3;
    params.threads = -1;
    assert_int_equal(mco_paths_customise(test_ctx, hierarchy, weight, &params), MCO_ERR_ARGUMENT);
    assert_int_equal(mco_paths_prepare(test_ctx, network, NULL, &params, &hierarchy), MCO_ERR_ARGUMENT);
    params.threads = 2;
    for (long k = 1; st != MCO_OK; k++) {
        test_fail_allocation(k);
        st = mco_paths_customise(test_ctx, hierarchy, weight, &params);
        test_fail_allocation(0);
        assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
        assert_true(st != MCO_OK || k > 1);
        assert_ok(mco_paths_find_trees(test_ctx, mco_paths_hierarchy_network(hierarchy), hierarchy, 1, &source, &params, distance, NULL, &result));
        assert_int_equal(distance[SIDE * SIDE - 1], (st == MCO_OK ? 3 : 1) * 2 * (SIDE - 1));
    }
    mco_paths_hierarchy_destroy(test_ctx, &hierarchy);
    mco_paths_destroy(test_ctx, &network);
}

// A request ends what stands before and behind searches too, and no later call.
static void a_request_ends_every_long_call_once(void **state)
{
    (void)state;
    mco_paths_network *network = make_chain(true);
    mco_paths_hierarchy *hierarchy = NULL, *again = NULL;
    const int32_t order[] = {0, 1, 2, 3}, distance[] = {0, 10, 35, 65};
    mco_cancel(test_ctx);
    assert_int_equal(mco_paths_prepare(test_ctx, network, order, NULL, &hierarchy), MCO_ERR_STOPPED);
    assert_ok(mco_paths_prepare(test_ctx, network, order, NULL, &hierarchy));
    assert_ok(mco_paths_hierarchy_write(test_ctx, hierarchy, test_path("stop.mcoh")));
    mco_cancel(test_ctx);
    assert_int_equal(mco_paths_hierarchy_read(test_ctx, test_path("stop.mcoh"), &again), MCO_ERR_STOPPED);
    assert_ok(mco_paths_hierarchy_read(test_ctx, test_path("stop.mcoh"), &again));
    mco_paths_hierarchy_destroy(test_ctx, &again);
    mco_paths_network *plain = make_chain(false);
    const int32_t plain_distance[] = {0, 10, 30, 60};
    mco_cancel(test_ctx);
    assert_int_equal(mco_paths_check(test_ctx, plain, 0, plain_distance), MCO_ERR_STOPPED);
    assert_ok(mco_paths_check(test_ctx, plain, 0, plain_distance));
    assert_ok(mco_paths_check(test_ctx, network, 0, distance));
    mco_paths_destroy(test_ctx, &plain);
    mco_paths_hierarchy_destroy(test_ctx, &hierarchy);
    mco_paths_destroy(test_ctx, &network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_call_agrees_with_labels_of_arcs),
        TEST(a_hierarchy_serves_its_own_network_alone),
        TEST(a_hierarchy_that_cannot_take_weights_keeps_its_own),
        TEST(a_request_ends_every_long_call_once),
    };
    return cmocka_run_group_tests_name("paths_api", tests, NULL, NULL);
}
