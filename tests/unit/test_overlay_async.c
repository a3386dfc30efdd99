// SPDX-License-Identifier: MIT
// The distributed method without rounds that all wait for: each node knows duals of the others that are some rounds old, by a delay that
// is drawn anew for each pair; a node may be silent for a while, or for ever. The nodes run the steps of the method itself.
#include "test_support.h"

#include <math.h>

#include "base/rng.h"
#include "overlay/dual.h"

enum { NODES = 60, ROUNDS = 400, MOST_DELAY = 8 };

typedef struct network {
    mco_overlay *o;
    mco_overlay_bound_params p;
    mco_run run;
    overlay_dual d;
    mco_rng rng;
    uint32_t told[ROUNDS + 1][NODES];  // what each node said in each round
    uint64_t least;                    // the least bound, in units of 2^-32
} network;

typedef struct silence {
    int32_t node;      // -1: none
    int begin, end;    // rounds in which the others hear nothing, and it hears nothing
} silence;

static void open_network(network *n, const char *group, uint64_t seed)
{
    mco_overlay_generation g = MCO_OVERLAY_GENERATION_INIT;
    const mco_run_settings settings = {.time_limit_s = INFINITY, .target = -1, .objective = "bound"};
    *n = (network){.p = MCO_OVERLAY_BOUND_PARAMS_INIT, .least = UINT64_MAX};
    g.group = group;
    g.seed = (int64_t)seed;
    assert_ok(mco_overlay_generate(test_ctx, &g, &n->o));
    assert_true(n->o->nodes <= NODES);
    n->p.method = MCO_OVERLAY_METHOD_DIST;
    n->p.inner = 20;
    n->p.iterations = ROUNDS;
    n->run = mco_run_begin(test_ctx, &settings);
    assert_ok(overlay_dual_open(test_ctx, &n->run, n->o, &n->p, &overlay_plain, 1, &n->d));
    assert_ok(overlay_dist_open(&n->d));
    mco_rng_seed(&n->rng, seed, 1);
}

static void close_network(network *n)
{
    overlay_dual_close(&n->d);
    mco_run_clear(&n->run);
    mco_overlay_destroy(test_ctx, &n->o);
}

// Duals as node i knows them in a round.
static void listen(network *n, int round, int32_t i, int most_delay, const silence *s)
{
    for (int32_t j = 0; j < n->o->nodes; j++) {
        int heard = round - (most_delay > 0 ? (int)mco_rng_below(&n->rng, (uint32_t)most_delay + 1) : 0);
        if (s->node >= 0 && (j == s->node || i == s->node) && heard > s->begin && round < s->end)
            heard = s->begin;
        n->d.dual[j] = n->told[heard > 0 ? heard : 0][j];
    }
    n->d.dual[i] = n->told[round][i];
    overlay_prices_set(&n->d.prices, n->d.dual);
}

static uint64_t bound_of(const network *n, const uint32_t *duals)
{
    double bound;
    uint64_t exact[2];
    assert_ok(mco_overlay_check_bound(test_ctx, n->o, duals, &bound, exact));
    assert_int_equal(exact[1], 0);
    return exact[0];
}

// Runs all rounds. What the nodes hold in a round is a vector of duals like any other: its bound is valid.
static uint64_t run_rounds(network *n, int most_delay, const silence *s, uint64_t valid)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (int32_t i = 0; i < n->o->nodes; i++) {
            const bool is_dead = i == s->node && round >= s->begin && s->end > ROUNDS;
            listen(n, round, i, most_delay, s);
            n->d.next[i] = n->d.dual[i];
            if (!is_dead)
                overlay_dist_node(&n->d, &n->d.rows[0], i);
            n->told[round + 1][i] = n->d.next[i];
        }
        const uint64_t bound = bound_of(n, n->told[round]);
        assert_true(bound >= valid);
        n->least = bound < n->least ? bound : n->least;
    }
    return n->least;
}

static uint64_t least_of(const char *group, uint64_t seed, int most_delay, silence s, uint64_t valid)
{
    network *n = test_malloc(sizeof *n);
    open_network(n, group, seed);
    const uint64_t least = run_rounds(n, most_delay, &s, valid);
    close_network(n);
    test_free(n);
    return least;
}

// Around the value of the linear program: a feasible fractional overlay, and the least bound of long runs.
typedef struct truth {
    uint64_t value, near;
} truth;

static truth truth_of(const char *group, uint64_t seed)
{
    static const mco_overlay_method methods[] = {MCO_OVERLAY_METHOD_JUMP, MCO_OVERLAY_METHOD_DIST};
    truth t = {0, UINT64_MAX};
    mco_overlay *o = NULL;
    mco_overlay_generation g = MCO_OVERLAY_GENERATION_INIT;
    g.group = group;
    g.seed = (int64_t)seed;
    assert_ok(mco_overlay_generate(test_ctx, &g, &o));
    for (int m = 0; m < COUNT_OF(methods); m++) {
        mco_overlay_bound_params p = MCO_OVERLAY_BOUND_PARAMS_INIT;
        mco_overlay_bound_result r = MCO_OVERLAY_BOUND_RESULT_INIT;
        p.method = methods[m];
        p.iterations = 4 * ROUNDS;
        p.threads = 1;
        p.start = MCO_OVERLAY_START_ZERO;
        assert_ok(mco_overlay_bound(test_ctx, o, &p, &r));
        const uint64_t value = (uint64_t)(r.value * (1 - 1e-12) * 4294967296.0 * (double)mco_overlay_scale(o));
        t.value = value > t.value ? value : t.value;
        t.near = r.exact[0] < t.near ? r.exact[0] : t.near;
        mco_overlay_bound_result_clear(test_ctx, &r);
    }
    mco_overlay_destroy(test_ctx, &o);
    return t;
}

static const silence NONE = {-1, 0, 0};

// Without delays these are the rounds of the method.
static void test_rounds_are_the_method(void **state)
{
    (void)state;
    mco_overlay *o = NULL;
    mco_overlay_generation g = MCO_OVERLAY_GENERATION_INIT;
    mco_overlay_bound_params p = MCO_OVERLAY_BOUND_PARAMS_INIT;
    mco_overlay_bound_result r = MCO_OVERLAY_BOUND_RESULT_INIT;
    g.group = "grafo50b-14";
    g.seed = 3;
    assert_ok(mco_overlay_generate(test_ctx, &g, &o));
    p.method = MCO_OVERLAY_METHOD_DIST;
    p.iterations = ROUNDS;
    p.threads = 1;
    p.start = MCO_OVERLAY_START_ZERO;
    assert_ok(mco_overlay_bound(test_ctx, o, &p, &r));
    assert_true(least_of(g.group, 3, 0, NONE, 0) == r.exact[0]);
    mco_overlay_bound_result_clear(test_ctx, &r);
    mco_overlay_destroy(test_ctx, &o);
}

// Gaps of some cases, and that of the rounds that all wait for.
typedef struct gaps {
    const char *group;
    truth t;
    uint64_t sync;
    double most, sum;  // of the cases, as shares of the gap of the rounds
    int count;
} gaps;

static gaps gaps_of(const char *group, uint64_t seed)
{
    gaps g = {.group = group, .t = truth_of(group, seed)};
    g.sync = least_of(group, seed, 0, NONE, g.t.value);
    assert_true(g.sync >= g.t.near);
    return g;
}

static void add_case(gaps *g, uint64_t seed, int most_delay, silence s)
{
    const double unit = 1e-7 * (double)g->t.near;  // gaps below it count as if they had it
    const uint64_t bound = least_of(g->group, seed, most_delay, s, g->t.value);
    const double gap = bound > g->t.near ? (double)(bound - g->t.near) : 0;
    const double share = fmax(gap, unit) / fmax((double)(g->sync - g->t.near), unit);
    g->most = fmax(g->most, share);
    g->sum += share;
    g->count++;
}

// Twice the gap in the mean; a single case may have a little more, since the method has no monotone gap.
static void assert_near(const gaps *g)
{
    if (g->sum > 2 * g->count || g->most > 3)
        fail_msg("%s: %.3f times the gap of the rounds in the mean, %.3f at most", g->group, g->sum / g->count, g->most);
}

static const char *const groups[] = {"grafo50b-14", "grafo50a-14", "grafo50b-128", "grafo50a-128"};

static void test_delays(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT_OF(groups); k++)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            gaps g = gaps_of(groups[k], seed);
            for (int delay = 1; delay <= MOST_DELAY; delay *= 2)
                add_case(&g, seed, delay, NONE);
            assert_near(&g);
        }
}

// A node is silent for a quarter of the time, and comes back.
static void test_silence(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT_OF(groups); k++) {
        gaps g = gaps_of(groups[k], 1);
        for (int32_t node = 0; node < 50; node += 12)
            add_case(&g, 1, 2, (silence){node, ROUNDS / 8, 3 * ROUNDS / 8});
        assert_near(&g);
    }
}

// A node stops answering for ever. Its dual stays what it was; the others go on, and the bound stays valid.
static void test_death(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT_OF(groups); k++) {
        gaps g = gaps_of(groups[k], 1);
        for (int32_t node = 3; node < 50; node += 12)
            add_case(&g, 1, 2, (silence){node, ROUNDS / 2, ROUNDS + 1});
        assert_near(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_rounds_are_the_method), TEST(test_delays), TEST(test_silence), TEST(test_death)};
    return cmocka_run_group_tests_name("overlay, asynchronous", tests, NULL, NULL);
}
