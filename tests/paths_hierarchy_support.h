// SPDX-License-Identifier: MIT
// What the tests of hierarchies share: small random networks, and distances by a plain search up and down.
#ifndef MCO_PATHS_HIERARCHY_SUPPORT_H
#define MCO_PATHS_HIERARCHY_SUPPORT_H

#include "base/rng.h"
#include "paths/hierarchy/hierarchy.h"
#include "test_support.h"

enum { MAX_VERTICES = 48, MAX_ARCS = 240, MAX_TURNS = 64 };

typedef struct small_network {
    int64_t first[MAX_VERTICES + 1];
    int32_t head[MAX_ARCS], weight[MAX_ARCS];
    mco_paths_turn turns[MAX_TURNS];
    mco_paths_rows rows;
    int32_t order[MAX_VERTICES];
} small_network;

// A random order of 0 .. count - 1.
TEST_UNUSED static void shuffle(mco_rng *rng, int32_t *items, int32_t count)
{
    for (int32_t k = 0; k < count; k++) {
        const int32_t at = (int32_t)mco_rng_below(rng, (uint32_t)k + 1);
        items[k] = items[at];
        items[at] = k;
    }
}

// Random arcs: loops, parallel arcs, weights of zero and lonely vertices occur; some weights are near the greatest.
TEST_UNUSED static void make_small(small_network *net, mco_rng *rng, int32_t vertices, int32_t arcs, int32_t first_through)
{
    memset(net, 0, sizeof *net);
    for (int32_t a = 0; a < arcs; a++)
        net->first[1 + mco_rng_below(rng, (uint32_t)vertices)]++;
    for (int32_t v = 0; v < vertices; v++)
        net->first[v + 1] += net->first[v];
    for (int32_t a = 0; a < arcs; a++) {
        net->head[a] = (int32_t)mco_rng_below(rng, (uint32_t)vertices);
        net->weight[a] = (int32_t)mco_rng_below(rng, mco_rng_below(rng, 4) == 0 ? 2 : 1000);
    }
    shuffle(rng, net->order, vertices);
    net->rows = (mco_paths_rows){.vertices = vertices, .arcs = arcs, .first = net->first, .head = net->head, .weight = net->weight,
                                 .first_through = first_through, .scale = 1};
}

// A network of such arcs with random turns, a third of them forbidden. Some networks have places.
TEST_UNUSED static mco_paths_network *make_network(mco_rng *rng, int32_t vertices, int32_t arcs, int32_t first_through, int64_t turns)
{
    small_network net;
    mco_graph *graph;
    mco_paths_network *network;
    int32_t from[MAX_ARCS];
    double weight[MAX_ARCS], x[MAX_VERTICES], y[MAX_VERTICES];
    mco_graph_edges edges = {0};
    mco_paths_model model = MCO_PATHS_MODEL_INIT;
    make_small(&net, rng, vertices, arcs, first_through);
    for (int32_t v = 0; v < vertices; v++) {
        x[v] = mco_rng_real(rng);
        y[v] = mco_rng_real(rng);
        for (int64_t a = net.first[v]; a < net.first[v + 1]; a++)
            from[a] = v;
    }
    for (int32_t a = 0; a < arcs; a++)
        weight[a] = net.weight[a];
    edges.vertices = vertices;
    edges.edges = arcs;
    edges.from = from;
    edges.to = net.head;
    edges.weight = weight;
    edges.is_directed = true;
    if (mco_rng_below(rng, 2) == 0) {
        edges.x = x;
        edges.y = y;
    }
    for (int64_t k = 0; k < turns && model.turn_count < MAX_TURNS; k++) {
        const int32_t a = arcs > 0 ? (int32_t)mco_rng_below(rng, (uint32_t)arcs) : 0, v = arcs > 0 ? net.head[a] : 0;
        const uint32_t out = arcs > 0 ? (uint32_t)(net.first[v + 1] - net.first[v]) : 0;
        if (out == 0)
            continue;
        const mco_paths_turn turn = {a, net.first[v] + mco_rng_below(rng, out), (int32_t)mco_rng_below(rng, 300) - 100};
        bool is_there = false;
        for (int64_t i = 0; i < model.turn_count; i++)
            is_there = is_there || (net.turns[i].from == turn.from && net.turns[i].to == turn.to);
        if (!is_there)
            net.turns[model.turn_count++] = (mco_paths_turn){turn.from, turn.to, turn.cost < 0 ? -1 : turn.cost};
    }
    model.first_through = first_through;
    model.turns = net.turns;
    assert_ok(mco_graph_create(test_ctx, &edges, &graph));
    assert_ok(mco_paths_create(test_ctx, graph, &model, &network));
    mco_graph_destroy(test_ctx, &graph);
    return network;
}

// The shortest distance by arcs up from the source and down to the target; `up` and `down` are arrays of the metric.
TEST_UNUSED static int32_t up_down_distance(const paths_topology *t, const paths_metric *metric, int32_t source, int32_t target)
{
    int32_t from[2 * MAX_ARCS], to[2 * MAX_ARCS], best = MCO_PATHS_NONE;
    assert_true(t->vertices <= COUNT_OF(from));
    for (int32_t v = 0; v < t->vertices; v++)
        from[v] = to[v] = MCO_PATHS_NONE;
    from[source] = to[target] = 0;
    for (int32_t v = 0; v < t->vertices; v++) {
        const bool is_end = t->is_end != NULL && t->is_end[v];
        if ((!is_end || v == source || v == target) && from[v] + to[v] < best)
            best = from[v] + to[v];
        for (int32_t a = t->first[v]; a < t->first[v + 1]; a++) {
            const int32_t x = t->head[a];
            if ((!is_end || v == source) && from[v] + metric->up[a] < from[x])
                from[x] = from[v] + metric->up[a];
            if ((!is_end || v == target) && to[v] + metric->down[a] < to[x])
                to[x] = to[v] + metric->down[a];
        }
    }
    return best;
}

// Distances of the hierarchy between all vertices are those of the oracle on its network.
TEST_UNUSED static void assert_hierarchy(const mco_paths_hierarchy *h)
{
    int32_t expected[MAX_VERTICES];
    const mco_paths_rows rows = mco_paths_view(mco_paths_hierarchy_network(h));
    for (int32_t s = 0; s < rows.vertices; s++) {
        const int32_t source = h->topology.rank[h->entry != NULL ? h->entry[s] : s];
        assert_ok(paths_ref_tree(test_ctx, &rows, s, expected, NULL));
        for (int32_t v = 0; v < rows.vertices; v++)
            assert_int_equal(up_down_distance(&h->topology, &h->metric, source, h->topology.rank[v]), expected[v]);
    }
}

#endif
