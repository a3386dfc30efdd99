// SPDX-License-Identifier: MIT
// Nodes that join and leave: after every round bound and overlay against a fresh instance of the nodes that are there, against all overlays
// of small ones, and against the linear program; engines; files of events; refusals, limits, failing memory.
#include "test_support.h"

#include <math.h>

#include "lp/lp.h"
#include "overlay/live.h"
#include "overlay_support.h"

enum { MOST_EVENTS = 40, IDS = 12 };

static const mco_overlay_bound_params bound_params = MCO_OVERLAY_BOUND_PARAMS_INIT;
static const mco_overlay_live_params live_params = MCO_OVERLAY_LIVE_PARAMS_INIT;

static void generate(const char *group, int64_t nodes, int64_t degree, int64_t events, mco_overlay **o, mco_overlay_events *e)
{
    mco_overlay_generation g = MCO_OVERLAY_GENERATION_INIT;
    g.group = group;
    g.nodes = nodes;
    g.degree = degree;
    g.events = events;
    assert_ok(mco_overlay_generate(test_ctx, &g, o));
    assert_ok(mco_overlay_generate_events(test_ctx, *o, &g, e));
}

// What a round says holds in a fresh instance of the same nodes.
static void examine(const mco_overlay_live *live, const mco_overlay_round *round, bool is_small)
{
    mco_overlay_snapshot s = {0};
    double bound, worth;
    assert_ok(mco_overlay_live_take(test_ctx, live, &s));
    assert_int_equal(s.instance->nodes, round->nodes);
    assert_ok(mco_overlay_check_bound(test_ctx, s.instance, s.duals, &bound, NULL));
    if (s.instance->weight_unit == live->network.o->weight_unit)
        assert_true(bound <= round->bound * (1 + 1e-12) && bound >= round->bound * (1 - 1e-12) - 1e-7);
    else
        assert_true(bound <= round->bound);
    assert_ok(mco_overlay_check(test_ctx, s.instance, &s.overlay, &worth));
    assert_true(fabs(worth - round->worth) <= 1e-12 * worth);
    assert_int_equal(s.overlay.count, round->kept);
    assert_true(round->worth <= round->bound);
    if (is_small) {
        const double best = (double)test_best_worth(s.instance, false) / 4294967296.0 * s.instance->weight_unit;
        assert_true(round->worth <= best * (1 + 1e-12) && best <= round->bound);
    }
    mco_overlay_snapshot_clear(test_ctx, &s);
}

// ---- Small networks

typedef struct crowd {
    bool is_there[IDS];
    int32_t count;
} crowd;

static bool is_linked(const mco_overlay_live *live, int32_t a, int32_t b)
{
    const overlay_network *n = &live->network;
    const int32_t i = overlay_slot_of(n, a), j = overlay_slot_of(n, b);
    if (n->o->is_complete || i < 0 || j < 0)
        return true;
    for (int64_t k = n->o->first[i]; k < n->o->first[i + 1]; k++)
        if (n->o->to[k] == j)
            return true;
    return false;
}

// A random event that is possible; false: none was found.
static bool draw_event(mco_rng *rng, const mco_overlay_live *live, crowd *c, mco_overlay_event *e)
{
    const int32_t node = (int32_t)mco_rng_below(rng, IDS), other = (int32_t)mco_rng_below(rng, IDS);
    *e = (mco_overlay_event){.node = node, .to = other, .weight = mco_rng_below(rng, 2) ? NAN : 50 * mco_rng_real(rng) - 2, .least = -1, .most = -1};
    if (c->is_there[node] && node != other && c->is_there[other] && mco_rng_below(rng, 2) && !is_linked(live, node, other)) {
        e->kind = MCO_OVERLAY_EVENT_LINK;
        e->most = mco_rng_below(rng, 2) ? -1 : (int64_t)live->network.o->least + (int32_t)mco_rng_below(rng, 3);
        return true;
    }
    if (!c->is_there[node] && c->count == TEST_NODES)
        return false;
    e->kind = c->is_there[node] ? MCO_OVERLAY_EVENT_LEAVE : MCO_OVERLAY_EVENT_JOIN;
    e->uptime = mco_rng_below(rng, 4) == 0 ? mco_rng_below(rng, 2) : mco_rng_real(rng);
    e->bandwidth = mco_rng_below(rng, 5);
    c->count += c->is_there[node] ? -1 : 1;
    c->is_there[node] = !c->is_there[node];
    return true;
}

static void follow_small(mco_rng *rng, const mco_overlay *o)
{
    mco_overlay_live *live = NULL;
    mco_overlay_round round;
    mco_overlay_bound_params bound = MCO_OVERLAY_BOUND_PARAMS_INIT;
    mco_overlay_live_params params = MCO_OVERLAY_LIVE_PARAMS_INIT;
    crowd c = {.count = o->nodes};
    for (int32_t i = 0; i < o->nodes; i++)
        c.is_there[i] = true;
    bound.threads = 1;
    bound.iterations = 20;
    params.shakes = mco_rng_below(rng, 3);
    assert_ok(mco_overlay_live_open(test_ctx, o, &bound, &params, &round, &live));
    examine(live, &round, true);
    for (int k = 0; k < MOST_EVENTS; k++) {
        mco_overlay_event events[3];
        int64_t count = 0;
        const int64_t wanted = mco_rng_below(rng, 4);
        for (int64_t t = 0; t < wanted; t++) {
            count += draw_event(rng, live, &c, &events[count]);
            if (count > 0 && events[count - 1].kind == MCO_OVERLAY_EVENT_LINK)
                break;  // the next one might be the same link
        }
        assert_ok(mco_overlay_live_advance(test_ctx, live, events, count, &round));
        assert_int_equal(round.nodes, c.count);
        examine(live, &round, true);
    }
    mco_overlay_live_close(test_ctx, &live);
}

static void test_small_networks(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 24, 0);
    for (int k = 0; k < (TEST_IS_SANITIZED ? 20 : 200); k++) {
        const test_shape shape = test_random_shape(&rng, TEST_NODES);
        mco_overlay *o = test_random_overlay(test_ctx, &rng, &shape);
        assert_non_null(o);
        follow_small(&rng, o);
        mco_overlay_destroy(test_ctx, &o);
    }
}

// ---- Larger ones

static void follow_generated(const char *group, int64_t nodes, int64_t degree, double most_above)
{
    enum { EVENTS = 80, PERIOD = 16 };
    mco_overlay *o = NULL;
    mco_overlay_events e = {0};
    mco_overlay_live *live = NULL;
    mco_overlay_round round;
    generate(group, nodes, degree, EVENTS, &o, &e);
    assert_ok(mco_overlay_live_open(test_ctx, o, &bound_params, &live_params, NULL, &live));
    for (int64_t k = 0, end; k < e.count; k = end) {
        for (end = k; end < e.count && e.list[end].round == e.list[k].round;)
            end++;
        assert_ok(mco_overlay_live_advance(test_ctx, live, &e.list[k], end - k, &round));
        assert_int_equal(round.joins + round.leaves, 1);
        examine(live, &round, false);
        if (e.list[k].round % PERIOD != 0 || !mco_lp_is_there())
            continue;
        mco_overlay_snapshot s = {0};
        mco_overlay_bound_params p = MCO_OVERLAY_BOUND_PARAMS_INIT;
        mco_overlay_bound_result r = MCO_OVERLAY_BOUND_RESULT_INIT;
        p.method = MCO_OVERLAY_METHOD_LP;
        assert_ok(mco_overlay_live_take(test_ctx, live, &s));
        assert_ok(mco_overlay_bound(test_ctx, s.instance, &p, &r));
        assert_true(round.bound <= r.value * (1 + most_above) && round.bound >= r.value * (1 - 1e-9));
        mco_overlay_bound_result_clear(test_ctx, &r);
        mco_overlay_snapshot_clear(test_ctx, &s);
    }
    mco_overlay_live_close(test_ctx, &live);
    mco_overlay_events_clear(test_ctx, &e);
    mco_overlay_destroy(test_ctx, &o);
}

static void test_near_the_program(void **state)
{
    (void)state;
    follow_generated("grafo100b-14", -1, -1, 1e-3);
    follow_generated("grafo100a-14", -1, -1, 1e-3);
    follow_generated(NULL, 300, 8, 5e-3);  // 200 jumps from the beginning end 1.5e-3 above it
}

// Rounds are the same on the reference, on vectors and on threads, up to the last bit.
static void test_engines_agree(void **state)
{
    (void)state;
    mco_overlay *o = NULL;
    mco_overlay_events e = {0};
    mco_overlay_bound_params p[3] = {MCO_OVERLAY_BOUND_PARAMS_INIT, MCO_OVERLAY_BOUND_PARAMS_INIT, MCO_OVERLAY_BOUND_PARAMS_INIT};
    mco_overlay_bound_result r[3] = {MCO_OVERLAY_BOUND_RESULT_INIT, MCO_OVERLAY_BOUND_RESULT_INIT, MCO_OVERLAY_BOUND_RESULT_INIT};
    generate(NULL, 120, 6, 60, &o, &e);
    p[0].engine = MCO_ENGINE_REFERENCE;
    p[1].threads = 2;
    p[2].simd = MCO_SIMD_PORTABLE;
    for (int k = 0; k < 3; k++) {
        assert_ok(mco_overlay_follow(test_ctx, o, &e, &p[k], &live_params, &r[k], NULL));
        assert_int_equal(r[k].round_count, 61);
        assert_int_equal(r[k].stop, MCO_STOP_FINISHED);
        for (int64_t i = 0; i < r[k].round_count; i++) {
            assert_true(r[k].rounds[i].bound == r[0].rounds[i].bound && r[k].rounds[i].worth == r[0].rounds[i].worth);
            assert_int_equal(r[k].rounds[i].round, i);
        }
    }
    for (int k = 0; k < 3; k++)
        mco_overlay_bound_result_clear(test_ctx, &r[k]);
    mco_overlay_events_clear(test_ctx, &e);
    mco_overlay_destroy(test_ctx, &o);
}

// All nodes leave, others come; slots are used again.
static void test_all_change(void **state)
{
    (void)state;
    mco_overlay *o = NULL;
    mco_overlay_events e = {0};
    mco_overlay_live *live = NULL;
    mco_overlay_round round;
    generate(NULL, 20, -1, 0, &o, &e);
    assert_ok(mco_overlay_live_open(test_ctx, o, &bound_params, &live_params, &round, &live));
    assert_true(round.worth > 0);
    for (int32_t i = 0; i < 20; i++)
        assert_ok(mco_overlay_live_advance(test_ctx, live, &(mco_overlay_event){.kind = MCO_OVERLAY_EVENT_LEAVE, .node = i}, 1, &round));
    assert_true(round.nodes == 0 && round.bound == 0 && round.worth == 0 && round.kept == 0);
    for (int32_t i = 0; i < 60; i++) {
        const mco_overlay_event join = {.kind = MCO_OVERLAY_EVENT_JOIN, .node = 100 - i, .uptime = 0.9, .bandwidth = 20 + i};
        assert_ok(mco_overlay_live_advance(test_ctx, live, &join, 1, &round));
        examine(live, &round, false);
    }
    assert_int_equal(live->network.o->nodes, 60);
    assert_true(round.worth > 0.9 * round.bound);
    mco_overlay_live_close(test_ctx, &live);
    mco_overlay_events_clear(test_ctx, &e);
    mco_overlay_destroy(test_ctx, &o);
}

// ---- Refusals and limits

static void assert_refused(const mco_overlay *o, const mco_overlay_event *events, int64_t count, const char *message)
{
    mco_overlay_live *live = NULL;
    mco_overlay_round round;
    assert_ok(mco_overlay_live_open(test_ctx, o, &bound_params, &live_params, NULL, &live));
    const mco_status st = mco_overlay_live_advance(test_ctx, live, events, count, &round);
    assert_true(st == MCO_ERR_ARGUMENT || st == MCO_ERR_LIMIT);
    assert_non_null(strstr(mco_context_error(test_ctx), message));
    mco_overlay_live_close(test_ctx, &live);
}

static void test_refusals(void **state)
{
    (void)state;
    mco_overlay *complete = NULL, *sparse = NULL;
    mco_overlay_events e = {0};
    const mco_overlay_event join = {.kind = MCO_OVERLAY_EVENT_JOIN, .node = 9, .uptime = 0.5, .bandwidth = 30};
    const mco_overlay_event leave = {.kind = MCO_OVERLAY_EVENT_LEAVE, .node = 9};
    const mco_overlay_event link = {.kind = MCO_OVERLAY_EVENT_LINK, .node = 9, .to = 0, .weight = NAN, .least = -1, .most = -1};
    generate(NULL, 6, -1, 0, &complete, &e);
    mco_overlay_events_clear(test_ctx, &e);
    generate(NULL, 6, 2, 0, &sparse, &e);
    assert_refused(complete, &leave, 1, "node 10 leaves, and it is not there");
    assert_refused(complete, (mco_overlay_event[]){join, join}, 2, "node 10 joins, and it is there");
    assert_refused(complete, (mco_overlay_event[]){join, link}, 2, "all pairs of this instance are possible links");
    assert_refused(sparse, &link, 1, "a link to node 10, which is not there");
    assert_refused(sparse, (mco_overlay_event[]){join, link, link}, 3, "stands twice");
    mco_overlay_event bad = join;
    bad.uptime = NAN;
    assert_refused(complete, &bad, 1, "the uptime of node 10 is");
    bad = join;
    bad.bandwidth = -1;
    assert_refused(complete, &bad, 1, "the bandwidth of node 10 is -1");
    bad.bandwidth = MCO_OVERLAY_MAX_BANDWIDTH;
    mco_overlay_event more[4] = {bad, bad, bad, bad};
    for (int k = 0; k < 4; k++)
        more[k].node = 20 + k;
    assert_refused(complete, more, 4, "allowed is 2147483647");
    bad = link;
    bad.most = 3;
    assert_refused(sparse, (mco_overlay_event[]){join, bad}, 2, "the limits of a link of node 10 are 14 to 3");
    mco_overlay_events_clear(test_ctx, &e);
    mco_overlay_destroy(test_ctx, &sparse);
    mco_overlay_destroy(test_ctx, &complete);
}

static void test_stops(void **state)
{
    (void)state;
    mco_overlay *o = NULL;
    mco_overlay_events e = {0};
    mco_overlay_bound_params p = MCO_OVERLAY_BOUND_PARAMS_INIT;
    mco_overlay_bound_result r = MCO_OVERLAY_BOUND_RESULT_INIT;
    generate(NULL, 400, -1, 4000, &o, &e);
    p.time_limit_s = 0.3;
    assert_ok(mco_overlay_follow(test_ctx, o, &e, &p, &live_params, &r, NULL));
    assert_int_equal(r.stop, MCO_STOP_TIME);
    assert_true(r.round_count >= 1 && r.round_count < 4001 && r.value <= r.bound);
    mco_overlay_bound_result_clear(test_ctx, &r);
    mco_overlay_events_clear(test_ctx, &e);
    mco_overlay_destroy(test_ctx, &o);
}

static void test_failing_memory(void **state)
{
    (void)state;
    mco_overlay *o = NULL;
    mco_overlay_events e = {0};
    mco_overlay_bound_params p = MCO_OVERLAY_BOUND_PARAMS_INIT;
    mco_status st = MCO_ERR_MEMORY;
    generate(NULL, 12, 4, 40, &o, &e);
    p.threads = 1;
    p.iterations = 4;
    const long before = test_memory.live;
    for (long k = 1; st == MCO_ERR_MEMORY; k += TEST_IS_SANITIZED ? 7 : 1) {
        mco_overlay_bound_result r = MCO_OVERLAY_BOUND_RESULT_INIT;
        mco_overlay_snapshot last = {0};
        test_fail_allocation(k);
        st = mco_overlay_follow(test_ctx, o, &e, &p, &live_params, &r, &last);
        assert_true(st == MCO_OK || (st == MCO_ERR_MEMORY && r.rounds == NULL && test_memory.live == before));
        mco_overlay_bound_result_clear(test_ctx, &r);
        mco_overlay_snapshot_clear(test_ctx, &last);
    }
    test_fail_allocation(0);
    assert_int_equal(test_memory.live, before);
    mco_overlay_events_clear(test_ctx, &e);
    mco_overlay_destroy(test_ctx, &o);
}

// A round that is stopped after its events leaves a network whose overlay has no links of the nodes that left.
static void test_stopped_round(void **state)
{
    (void)state;
    mco_overlay *o = NULL;
    mco_overlay_events e = {0};
    mco_overlay_live *live = NULL;
    mco_overlay_snapshot s = {0}, before = {0};
    double worth;
    int halvings;
    int32_t slot;
    generate("grafo50b-14", -1, -1, 0, &o, &e);
    assert_ok(mco_overlay_live_open(test_ctx, o, &bound_params, &live_params, NULL, &live));
    assert_ok(mco_overlay_live_take(test_ctx, live, &before));
    const int32_t gone = before.overlay.to[before.overlay.count - 1];
    assert_ok(overlay_network_leave(&live->network, gone, &slot));
    assert_ok(overlay_network_commit(&live->network, &halvings));
    assert_ok(mco_overlay_live_take(test_ctx, live, &s));
    assert_int_equal(s.instance->nodes, 49);
    assert_ok(mco_overlay_check(test_ctx, s.instance, &s.overlay, &worth));
    assert_true(s.overlay.count > 0 && s.overlay.count < before.overlay.count);
    mco_overlay_snapshot_clear(test_ctx, &s);
    mco_overlay_snapshot_clear(test_ctx, &before);
    mco_overlay_live_close(test_ctx, &live);
    mco_overlay_events_clear(test_ctx, &e);
    mco_overlay_destroy(test_ctx, &o);
}

// ---- Files

static void test_files(void **state)
{
    (void)state;
    mco_overlay *o = NULL;
    mco_overlay_events e = {0}, back = {0};
    generate(NULL, 30, 4, 50, &o, &e);
    const char *path = test_path("events.csv");
    assert_ok(mco_overlay_write_events(test_ctx, o, &e, path));
    assert_ok(mco_overlay_read_events(test_ctx, o, path, &back));
    assert_int_equal(e.count, back.count);
    for (int64_t k = 0; k < e.count; k++) {
        const mco_overlay_event *a = &e.list[k], *b = &back.list[k];
        assert_true(a->round == b->round && a->kind == b->kind && a->node == b->node && a->to == b->to && a->bandwidth == b->bandwidth);
        assert_true(a->uptime == b->uptime && a->least == b->least && a->most == b->most);
        assert_string_equal(e.names[a->node], back.names[b->node]);
    }
    mco_overlay_events_clear(test_ctx, &back);
    mco_overlay_events_clear(test_ctx, &e);
    mco_overlay_destroy(test_ctx, &o);
}

static void assert_unreadable(const mco_overlay *o, const char *content, const char *message)
{
    mco_overlay_events e = {0};
    assert_int_equal(mco_overlay_read_events(test_ctx, o, test_file("bad.csv", content), &e), MCO_ERR_PARSE);
    if (strstr(mco_context_error(test_ctx), message) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", mco_context_error(test_ctx), message);
    assert_null(e.list);
}

static void test_bad_files(void **state)
{
    (void)state;
    mco_overlay *complete = NULL, *sparse = NULL;
    mco_overlay_events e = {0};
    generate(NULL, 6, -1, 0, &complete, &e);
    mco_overlay_events_clear(test_ctx, &e);
    generate(NULL, 6, 2, 0, &sparse, &e);
    mco_overlay_events_clear(test_ctx, &e);
    assert_unreadable(complete, "", "the text ends where a header was expected");
    assert_unreadable(complete, "event,uptime\nleave,1\n", "node");
    assert_unreadable(complete, "event,node\nleave,7\n", "bad.csv:2:7: \"7\" leaves, and it is not there");
    assert_unreadable(complete, "event,node\nleave,1\nleave,1\n", "bad.csv:3:7: \"1\" leaves, and it is not there");
    assert_unreadable(complete, "event,node,uptime,bandwidth\njoin,1,0.5,20\n", "\"1\" joins, and it is there");
    assert_unreadable(complete, "event,node,uptime,bandwidth\njoin,x,1.5,20\n", "bad.csv:2:8: the uptime");
    assert_unreadable(complete, "event,node,uptime,bandwidth\njoin,x,nan,20\n", "the uptime");
    assert_unreadable(complete, "event,node,uptime,bandwidth\njoin,x,0.5,-20\n", "the bandwidth");
    assert_unreadable(complete, "event,node,uptime,bandwidth\njoin,x,0.5,2.5\n", "the bandwidth is 2.5, with 1 decimal; those of this instance have 0");
    assert_unreadable(complete, "event,node,uptime,bandwidth\njoin,x,0.5\n", "the bandwidth");
    assert_unreadable(complete, "event,node,uptime\nleave,1,0.5\n", "a leave has no uptime");
    assert_unreadable(complete, "event,node\nflee,1\n", "the event is");
    assert_unreadable(complete, "event,node\nleave,\n", "the name of a node was expected");
    assert_unreadable(complete, "event,node,to\nlink,1,2\n", "all pairs of this instance are possible links");
    assert_unreadable(complete, "round,event,node\n2,leave,1\n1,leave,2\n", "round 1 comes after round 2");
    assert_unreadable(complete, "round,event,node\n0,leave,1\n", "the round");
    assert_unreadable(sparse, "event,node,to\nlink,1,x\n", "a link to \"x\", which is not there");
    assert_unreadable(sparse, "event,node,to\nlink,1,1\n", "joins node \"1\" with itself");
    assert_unreadable(sparse, "event,node,to,least,most\nlink,1,2,20,15\n", "the least bandwidth of the link is above the most");
    mco_overlay_destroy(test_ctx, &sparse);
    mco_overlay_destroy(test_ctx, &complete);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_small_networks), TEST(test_near_the_program), TEST(test_engines_agree), TEST(test_all_change),
                                       TEST(test_refusals),       TEST(test_stops),            TEST(test_failing_memory), TEST(test_stopped_round),
                                       TEST(test_files),         TEST(test_bad_files)};
    return cmocka_run_group_tests_name("overlay live", tests, NULL, NULL);
}
