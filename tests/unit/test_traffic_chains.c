// SPDX-License-Identifier: MIT
// Labels along chains of links (pairs/chains.h) against the least fixed point of the rounded sums, bit for bit: random networks with chains,
// blind ends, rings, streets of one way, parallel links, ends, costs of 0.
#include "test_support.h"

#include <math.h>

#include "base/rng.h"
#include "traffic/pairs/lanes.h"

enum { MOST_NODES = 400, MOST_LINKS = 1600, ZONES = 10, CORNERS = 16, RUNS = 60 };

typedef struct town {
    int32_t tail[MOST_LINKS], head[MOST_LINKS];
    double capacity[MOST_LINKS], free_time[MOST_LINKS];
    int64_t first[ZONES + 1];
    int32_t to[ZONES * ZONES];
    double amount[ZONES * ZONES];
    mco_traffic_network net;
    mco_traffic_class trips;
    mco_rng rng;
} town;

static int32_t draw(town *t, int32_t count)
{
    return (int32_t)(mco_rng_real(&t->rng) * count);
}

static void street(town *t, int32_t u, int32_t v)
{
    const int32_t l = t->net.links++;
    assert_true(l < MOST_LINKS);
    t->tail[l] = u;
    t->head[l] = v;
    t->capacity[l] = 1;
    t->free_time[l] = 1;
}

// A way of up to 5 links from u to v, with links back unless it is of one way.
static void way(town *t, int32_t u, int32_t v)
{
    const int32_t nodes = draw(t, 5);
    const bool is_one_way = draw(t, 5) == 0;
    for (int32_t k = 0; k <= nodes; k++) {
        const int32_t next = k < nodes ? t->net.nodes++ : v;
        assert_true(t->net.nodes <= MOST_NODES);
        if (next != u)
            street(t, u, next);
        if (next != u && !is_one_way && draw(t, 12) != 0)  // at times a way is broken in one direction
            street(t, next, u);
        u = next;
    }
}

static void make_town(town *t, int run)
{
    memset(t, 0, sizeof *t);
    mco_rng_seed(&t->rng, 5, (uint64_t)run);
    const bool has_ends = run % 2 == 0;
    t->net = (mco_traffic_network){.zones = ZONES, .nodes = ZONES + CORNERS, .first_through = has_ends ? ZONES : 0, .tail = t->tail,
                                   .head = t->head, .capacity = t->capacity, .free_time = t->free_time};
    for (int k = 0; k < 2 * CORNERS; k++)
        way(t, ZONES + draw(t, CORNERS), ZONES + draw(t, CORNERS));
    for (int k = 0; k < 4; k++)
        way(t, ZONES + draw(t, CORNERS), t->net.nodes++);  // blind
    const int32_t ring = t->net.nodes++;
    way(t, ring, ring);
    for (int32_t z = 0; z < ZONES; z++)
        for (int k = 0; k < 2; k++) {
            const int32_t at = ZONES + draw(t, t->net.nodes - ZONES);
            street(t, z, at);
            street(t, at, z);
        }
    for (int32_t z = 0; z < ZONES; z++) {
        for (int32_t to = 0; to < ZONES; to++)
            if (to != z) {
                t->to[t->first[z + 1]] = to;
                t->amount[t->first[z + 1]++] = 1;
            }
        if (z + 1 < ZONES)
            t->first[z + 2] = t->first[z + 1];
    }
    t->trips = (mco_traffic_class){.first = t->first, .to = t->to, .amount = t->amount, .toll_factor = -1, .distance_factor = -1,
                                   .car_equivalent = 1, .stated_total = NAN, .stated_toll_factor = NAN, .stated_distance_factor = NAN};
}

// The least labels of an origin [nodes] by rounds over all links; an end is passed by nobody.
static void least_labels(const traffic_problem *p, const double *cost, int32_t origin, double *label)
{
    for (int32_t v = 0; v < p->nodes; v++)
        label[v] = v == origin && v >= p->first_through ? 0 : INFINITY;
    for (bool is_lower = true; is_lower;) {
        is_lower = false;
        for (int32_t l = 0; l < p->links; l++) {
            const int32_t u = p->tail[l], v = p->head[l];
            const double from = u == origin ? 0 : u < p->first_through ? (double)INFINITY : label[u];
            if (from + cost[l] < label[v]) {
                label[v] = from + cost[l];
                is_lower = true;
            }
        }
    }
}

static bool never(void *user)
{
    (void)user;
    return false;
}

static double *costs_of(const int32_t *link, int32_t count, const double *cost)
{
    double *out = calloc((size_t)count + 1, sizeof *out);
    assert_non_null(out);
    for (int32_t k = 0; k < count; k++)
        out[k] = link[k] >= 0 ? cost[link[k]] : link[k] == PAIRS_FREE_LINK ? 0 : (double)INFINITY;
    return out;
}

static void compare_labels(const traffic_problem *p, const pairs_graph *g, pairs_trees *t, const pairs_build *build, mco_rng *rng)
{
    const int32_t count = p->nodes - p->first_through;
    for (int32_t k = 0; k < count; k++)
        t->order[k] = p->first_through + k;
    for (int32_t k = count - 1; k > 0; k--) {
        const int32_t j = (int32_t)(mco_rng_real(rng) * (k + 1)), node = t->order[k];
        t->order[k] = t->order[j];
        t->order[j] = node;
    }
    for (int lane = 0; lane < PAIRS_LANES; lane++)
        t->origin[lane] = lane == 5 ? -1 : (int32_t)(mco_rng_real(rng) * (p->first_through > 0 ? ZONES : p->nodes));
    assert_true(build->labels(t) >= 0);
    for (int lane = 0; lane < PAIRS_LANES; lane++) {
        double label[MOST_NODES];
        if (t->origin[lane] < 0)
            continue;
        least_labels(p, t->cost, t->origin[lane], label);
        for (int32_t v = 0; v < p->nodes; v++)
            if (t->label[(size_t)v * PAIRS_LANES + (size_t)lane] != label[v])
                fail_msg("node %d of %d, junctions %d: a label of %.17g, %.17g was expected", v, p->nodes, g->chains.junctions,
                         t->label[(size_t)v * PAIRS_LANES + (size_t)lane], label[v]);
    }
}

// A problem with its chains and the room of one batch.
typedef struct bench {
    mco_traffic *traffic;
    traffic_problem p;
    pairs_graph g;
    pairs_trees t;
    double cost[MOST_LINKS], into_cost[MOST_LINKS];
    int32_t into_tail[MOST_LINKS];
    double *arc_cost, *ahead, *back;
} bench;

static void open_bench(town *own, bool has_zeros, bench *b)
{
    const mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
    memset(b, 0, sizeof *b);
    assert_ok(mco_traffic_create(test_ctx, "town", &own->net, 1, &own->trips, &b->traffic));
    assert_ok(traffic_problem_make(test_ctx, b->traffic, &params, &b->p));
    const traffic_problem *p = &b->p;
    for (int32_t l = 0; l < p->links; l++)
        b->cost[l] = has_zeros && draw(own, 3) == 0 ? 0 : 0.1 + mco_rng_real(&own->rng);
    for (int32_t e = 0; e < p->links; e++) {
        b->into_cost[e] = b->cost[p->into[e]];
        b->into_tail[e] = p->tail[p->into[e]] < p->first_through ? p->nodes + p->tail[p->into[e]] : p->tail[p->into[e]];
    }
    b->g = (pairs_graph){.problem = p, .label_rows = p->nodes + p->first_through, .into_tail = b->into_tail};
    assert_ok(pairs_chains_open(test_ctx, p, &b->g.chains));
    const pairs_chains *c = &b->g.chains;
    b->arc_cost = costs_of(c->arc_link, c->arc_links, b->cost);
    b->ahead = costs_of(c->ahead, c->slots, b->cost);
    b->back = costs_of(c->back, c->slots, b->cost);
    b->t = (pairs_trees){.graph = &b->g, .cost = b->cost, .into_cost = b->into_cost, .arc_cost = b->arc_cost, .ahead_cost = b->ahead,
                         .back_cost = b->back, .must_stop = never};
    assert_ok(mco_alloc(test_ctx, &b->t.label, (size_t)b->g.label_rows * PAIRS_LANES));
    assert_ok(mco_alloc(test_ctx, &b->t.junction_label, (size_t)c->junctions * PAIRS_LANES));
    assert_ok(mco_alloc(test_ctx, &b->t.order, p->nodes));
    assert_ok(mco_alloc(test_ctx, &b->t.junction, p->nodes));
    assert_ok(mco_alloc(test_ctx, &b->t.position, p->nodes));
    assert_ok(mco_alloc(test_ctx, &b->t.dirty, p->nodes / 64 + 1));
}

static void close_bench(bench *b)
{
    mco_free(test_ctx, &b->t.dirty);
    mco_free(test_ctx, &b->t.position);
    mco_free(test_ctx, &b->t.junction);
    mco_free(test_ctx, &b->t.order);
    mco_free(test_ctx, &b->t.junction_label);
    mco_free(test_ctx, &b->t.label);
    free(b->back);
    free(b->ahead);
    free(b->arc_cost);
    pairs_chains_close(test_ctx, &b->g.chains);
    traffic_problem_clear(test_ctx, &b->p);
    mco_traffic_destroy(test_ctx, &b->traffic);
}

static void labels_are_least_sums(void **state)
{
    (void)state;
    const mco_simd units[] = {MCO_SIMD_AVX512, MCO_SIMD_AVX2, MCO_SIMD_PORTABLE};
    static town own;
    static bench b;
    int32_t between = 0, chains = 0;
    for (int run = 0; run < RUNS; run++) {
        make_town(&own, run);
        open_bench(&own, run % 3 == 0, &b);
        between += b.p.nodes - b.p.first_through - b.g.chains.junctions;
        chains += b.g.chains.chains;
        for (int u = 0; u < COUNT_OF(units); u++) {
            const pairs_build *build;
            if (!mco_simd_has(units[u]))
                continue;
            assert_ok(pairs_pick_build(test_ctx, units[u], &build));
            compare_labels(&b.p, &b.g, &b.t, build, &own.rng);
        }
        close_bench(&b);
    }
    assert_true(between > 20 * RUNS && chains > 5 * RUNS);  // else nothing was tested
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(labels_are_least_sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
