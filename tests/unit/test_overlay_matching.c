// SPDX-License-Identifier: MIT
// Matchings with odd sets: the duals prove the weight of the matching, on random graphs of many shapes and from any feasible start; the
// bound by matchings against all overlays of small instances.
#include "test_support.h"

#include <math.h>

#include "overlay/blossom.h"
#include "overlay/matching.h"
#include "overlay_support.h"

enum { MOST = 60 };

typedef struct graph {
    int32_t vertices;
    int64_t edges;
    overlay_edge edge[MOST * MOST];
    int64_t y[MOST];
} graph;

// Random weights of few or many values; duals that are feasible, and tight where the order allows.
static void make_graph(mco_rng *rng, int32_t vertices, uint32_t density, uint32_t highest, graph *g)
{
    *g = (graph){.vertices = vertices};
    for (int32_t u = 0; u < vertices; u++)
        for (int32_t v = 0; v < u; v++)
            if (mco_rng_below(rng, 10) < density)
                g->edge[g->edges++] = (overlay_edge){{u, v}, 2 * (int64_t)mco_rng_below(rng, highest + 1)};
    const bool is_half = mco_rng_below(rng, 2);
    for (int64_t e = 0; e < g->edges; e++)
        for (int end = 0; end < 2; end++) {
            int64_t *y = &g->y[g->edge[e].end[end]];
            const int64_t least = is_half ? g->edge[e].weight / 2 : end == 0 ? g->edge[e].weight - g->y[g->edge[e].end[1]] : 0;
            *y = least > *y ? least : *y;
        }
}

// The weight of the pairs equals the sum of the duals, which hold for every edge: so both are optimal.
static void assert_proven(const graph *g, const overlay_blossom *b)
{
    int64_t weight = 0, sum = 0;
    int32_t size[2 * MOST] = {0};
    for (int32_t v = 0; v < g->vertices; v++) {
        const int32_t mate = b->mate[v];
        int64_t best = -1;
        assert_true(b->y[v] >= 0 && (mate < 0 || b->mate[mate] == v));
        sum += b->y[v];
        for (int32_t set = b->parent[v]; set >= 0; set = b->parent[set])
            size[set]++;
        for (int64_t e = 0; e < g->edges && mate > v; e++)
            if ((g->edge[e].end[0] == v && g->edge[e].end[1] == mate) || (g->edge[e].end[1] == v && g->edge[e].end[0] == mate))
                best = g->edge[e].weight;
        assert_true(mate <= v || best >= 0);
        weight += best > 0 ? best : 0;
    }
    for (int32_t set = g->vertices; set < 2 * g->vertices; set++) {
        assert_true(b->z[set] >= 0 && (size[set] == 0 || size[set] % 2 == 1));
        sum += b->z[set] * (size[set] / 2);
    }
    for (int64_t e = 0; e < g->edges; e++) {
        const int32_t u = g->edge[e].end[0], v = g->edge[e].end[1];
        assert_true(b->y[u] + b->y[v] + overlay_blossom_shared(b, u, v) >= g->edge[e].weight);
    }
    assert_int_equal(weight, sum);
}

static void test_proofs(void **state)
{
    (void)state;
    static graph g;
    static const uint32_t highest[] = {1, 3, 20, 1000000};
    mco_run_settings none = {.time_limit_s = INFINITY, .target = -1};
    mco_run run = mco_run_begin(test_ctx, &none);
    mco_rng rng;
    mco_rng_seed(&rng, 5, 0);
    int with_sets = 0;
    for (int k = 0; k < (TEST_IS_SANITIZED ? 400 : 4000); k++) {
        overlay_blossom b;
        make_graph(&rng, (int32_t)mco_rng_below(&rng, k % 8 == 0 ? MOST + 1 : 12), 1 + mco_rng_below(&rng, 10), highest[k % 4], &g);
        assert_ok(overlay_blossom_open(test_ctx, g.vertices, g.edges, g.edge, g.y, &b));
        assert_true(overlay_blossom_match(&b, &run));
        assert_proven(&g, &b);
        with_sets += b.sets > 0;
        overlay_blossom_close(&b);
    }
    assert_true(with_sets > (TEST_IS_SANITIZED ? 40 : 400));
    mco_run_clear(&run);
}

// The bound of random instances whose nodes have room for few links: never below the best overlay, just that where all have room for one,
// and often where cases divide it. Without time there is none.
static void test_bounds(void **state)
{
    (void)state;
    mco_run_settings none = {.time_limit_s = INFINITY, .target = -1};
    mco_run run = mco_run_begin(test_ctx, &none);
    mco_rng rng;
    mco_rng_seed(&rng, 6, 0);
    int paid = 0, single = 0, divided = 0;
    for (int k = 0; k < (TEST_IS_SANITIZED ? 300 : 2000); k++) {
        test_shape shape = test_random_shape(&rng, TEST_NODES);
        mco_overlay *o = test_random_overlay(test_ctx, &rng, &shape);
        overlay_matching m;
        bool is_single = true;
        assert_non_null(o);
        for (int32_t i = 0; i < o->nodes; i++)
            is_single = is_single && overlay_room_of(o, i) <= 1;
        if (overlay_matching_pays(o)) {
            const double best = (double)test_best_worth(o, false) / 4294967296.0 * o->weight_unit;
            const uint32_t dual[TEST_NODES] = {0};
            assert_ok(overlay_matching_find(test_ctx, &run, o, dual, NULL, &m));
            assert_true(m.bound >= best);
            if (is_single && m.bound > best + 1e-7 * o->weight_unit)
                fail_msg("bound %.17g, best %.17g", m.bound, best);
            paid++;
            single += is_single && best > 0;
            divided += !is_single && best > 0 && m.bound <= best + 1e-7 * o->weight_unit;
            overlay_matching_clear(test_ctx, &m);
        }
        mco_overlay_destroy(test_ctx, &o);
    }
    assert_true(paid > (TEST_IS_SANITIZED ? 100 : 700) && single > (TEST_IS_SANITIZED ? 10 : 70));
    assert_true(divided > (TEST_IS_SANITIZED ? 10 : 140));
    mco_run_clear(&run);
}

// The end of the run, whenever it comes, leaves a bound or none. A bound that was left is not below the one of the whole time.
static void test_ends(void **state)
{
    (void)state;
    static const double limits[] = {0, 0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032};
    mco_overlay_generation g = MCO_OVERLAY_GENERATION_INIT;
    mco_overlay *o = NULL;
    overlay_matching whole, m;
    uint32_t dual[250] = {0};
    g.group = "grafo250b-128";
    assert_ok(mco_overlay_generate(test_ctx, &g, &o));
    mco_run_settings settings = {.time_limit_s = INFINITY, .target = -1};
    mco_run run = mco_run_begin(test_ctx, &settings);
    assert_ok(overlay_matching_find(test_ctx, &run, o, dual, NULL, &whole));
    assert_true(isfinite(whole.bound) && whole.count > 0);
    mco_run_clear(&run);
    for (int k = 0; k < COUNT_OF(limits); k++) {
        settings.time_limit_s = limits[k];
        run = mco_run_begin(test_ctx, &settings);
        assert_ok(overlay_matching_find(test_ctx, &run, o, dual, NULL, &m));
        assert_true(m.bound >= whole.bound * (1 - 1e-12));
        assert_true(k > 0 || isinf(m.bound));
        overlay_matching_clear(test_ctx, &m);
        mco_run_clear(&run);
    }
    overlay_matching_clear(test_ctx, &whole);
    mco_overlay_destroy(test_ctx, &o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_proofs), TEST(test_bounds), TEST(test_ends)};
    return cmocka_run_group_tests_name("overlay matching", tests, NULL, NULL);
}
