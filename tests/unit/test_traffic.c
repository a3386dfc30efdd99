// SPDX-License-Identifier: MIT
// Traffic assignment by the reference: networks solved by hand, laws of equilibria, the checker against hand-made flows, the
// certificate of the gap against the checker. If MCO_DATA names the folder of the public collections, published objectives and flows.
#include "test_support.h"

#include <math.h>

#include "base/clock.h"
#include "mco/mco.h"
#include "traffic/certificate.h"
#include "traffic/engine.h"

// ---- Networks

enum { ROOM = 64 };

typedef struct sketch {
    int32_t tail[ROOM], head[ROOM], type[ROOM];
    double capacity[ROOM], length[ROOM], free_time[ROOM], b[ROOM], power[ROOM], toll[ROOM];
    mco_traffic_network net;
    int64_t first[ROOM + 1];
    int32_t to[ROOM * 4];
    double amount[ROOM * 4];
    mco_traffic_class trips;
} sketch;

static void sketch_begin(sketch *s, int32_t nodes, int32_t zones)
{
    memset(s, 0, sizeof *s);
    s->net = (mco_traffic_network){.nodes = nodes, .zones = zones, .tail = s->tail, .head = s->head, .capacity = s->capacity,
                                   .length = s->length, .free_time = s->free_time, .b = s->b, .power = s->power, .toll = s->toll};
    s->trips = (mco_traffic_class){.name = "cars", .first = s->first, .to = s->to, .amount = s->amount, .toll_factor = -1,
                                   .distance_factor = -1, .car_equivalent = 1, .stated_total = NAN, .stated_toll_factor = NAN,
                                   .stated_distance_factor = NAN};
}

// cost = free + slope * flow ^ power
static int32_t sketch_link(sketch *s, int32_t tail, int32_t head, double free, double slope, double power)
{
    const int32_t l = s->net.links++;
    s->tail[l] = tail;
    s->head[l] = head;
    s->capacity[l] = 1;
    s->free_time[l] = free;
    s->b[l] = free > 0 ? slope / free : 0;
    s->power[l] = power;
    s->length[l] = 1;
    return l;
}

// Trips in the order of their origins.
static void sketch_trips(sketch *s, int32_t from, int32_t to, double amount)
{
    const int64_t at = s->first[s->net.zones];
    s->to[at] = to;
    s->amount[at] = amount;
    for (int32_t z = from; z < s->net.zones; z++)
        s->first[z + 1]++;
}

static mco_traffic *sketch_make(const sketch *s)
{
    mco_traffic *traffic = NULL;
    assert_ok(mco_traffic_create(test_ctx, "sketch", &s->net, 1, &s->trips, &traffic));
    return traffic;
}

static mco_traffic_params reference(mco_traffic_method method, double gap)
{
    mco_traffic_params p = MCO_TRAFFIC_PARAMS_INIT;
    p.engine = MCO_ENGINE_REFERENCE;
    p.method = method;
    p.gap = gap;
    return p;
}

// Costs 10 + x and 15 + x / 2, 20 trips.
static void two_routes(sketch *s)
{
    sketch_begin(s, 2, 2);
    sketch_link(s, 0, 1, 10, 1, 1);
    sketch_link(s, 0, 1, 15, 0.5, 1);
    sketch_trips(s, 0, 1, 20);
}

// Braess (1968): 10 x, 50 + x, 50 + x, 10 + x, 10 x; 6 trips. Each of the three routes has 2 in the equilibrium, at a cost of 92.
static void braess(sketch *s)
{
    const double tiny = 1e-8;
    sketch_begin(s, 4, 2);
    sketch_link(s, 0, 2, tiny, 10, 1);
    sketch_link(s, 0, 3, 50, 1, 1);
    sketch_link(s, 2, 1, 50, 1, 1);
    sketch_link(s, 2, 3, 10, 1, 1);
    sketch_link(s, 3, 1, tiny, 10, 1);
    sketch_trips(s, 0, 1, 6);
}

static uint64_t seed_state;
static double draw(void)
{
    seed_state = seed_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed_state >> 11) * 0x1p-53;
}

// A grid of 4 x 4 with streets in both directions; every fourth node is a zone with trips to all others.
static void city(sketch *s, uint64_t seed)
{
    enum { SIDE = 4, ZONES = 4 };
    seed_state = seed * 2 + 1;
    sketch_begin(s, SIDE * SIDE, ZONES);
    for (int32_t v = 0; v < SIDE * SIDE; v++)
        for (int side = 0; side < 2; side++) {
            const int32_t w = side == 0 ? v + 1 : v + SIDE;
            if ((side == 0 && v % SIDE == SIDE - 1) || w >= SIDE * SIDE)
                continue;
            sketch_link(s, v, w, 1 + 4 * draw(), 1e-4, 4);
            sketch_link(s, w, v, 1 + 4 * draw(), 1e-4, 4);
        }
    for (int32_t l = 0; l < s->net.links; l++)
        s->toll[l] = floor(3 * draw());
    for (int32_t o = 0; o < ZONES; o++)
        for (int32_t d = 0; d < ZONES; d++)
            if (o != d)
                sketch_trips(s, o, d, 1 + 9 * draw());
}

// ---- Solved by hand

static void assert_near(double seen, double expected, double tolerance)
{
    if (!(fabs(seen - expected) <= tolerance * fmax(1, fabs(expected))))
        fail_msg("%.17g instead of %.17g within %g", seen, expected, tolerance);
}

static void test_two_routes(void **state)
{
    (void)state;
    sketch s;
    two_routes(&s);
    mco_traffic *traffic = sketch_make(&s);
    for (mco_traffic_method m = MCO_TRAFFIC_METHOD_PAIRS; m <= MCO_TRAFFIC_METHOD_BFW; m++)
        for (mco_traffic_line_search search = MCO_TRAFFIC_SEARCH_EXACT; search <= MCO_TRAFFIC_SEARCH_DICHOTOMY; search++) {
            const bool is_exact = m == MCO_TRAFFIC_METHOD_PAIRS || search == MCO_TRAFFIC_SEARCH_EXACT;
            const double gap = is_exact ? 1e-12 : 1e-6;
            mco_traffic_params p = reference(m, gap);
            mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
            p.line_search = search;
            p.iterations = 1000;
            assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r));
            assert_int_equal(r.outcome, MCO_OUTCOME_OPTIMAL);
            assert_int_equal(r.stop, MCO_STOP_GAP);
            assert_int_equal(r.method, m);
            assert_true(r.gap <= gap && r.is_certified);
            assert_near(r.flow[0], 10, 1e3 * gap);
            assert_near(r.objective, 325, gap);
            assert_true(r.bound <= 325 + 1e-9 && r.bound > 324.9);
            assert_near(r.total_cost, 400, 1e3 * gap);
            mco_traffic_result_clear(test_ctx, &r);
            p.objective = MCO_TRAFFIC_SO;
            assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r));
            assert_near(r.flow[0], 25.0 / 3, 1e3 * gap);
            assert_near(r.objective, 395 + 5.0 / 6, gap);
            assert_near(r.total_cost, r.objective, 1e-15);
            mco_traffic_result_clear(test_ctx, &r);
        }
    mco_traffic_destroy(test_ctx, &traffic);
}

static void test_braess(void **state)
{
    (void)state;
    sketch s;
    braess(&s);
    mco_traffic *traffic = sketch_make(&s);
    mco_traffic_params p = reference(MCO_TRAFFIC_METHOD_PAIRS, 1e-13);
    mco_traffic_result ue = MCO_TRAFFIC_RESULT_INIT, so = MCO_TRAFFIC_RESULT_INIT;
    static const double flows[] = {4, 2, 2, 2, 4};
    assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &ue));
    for (int l = 0; l < 5; l++)
        assert_near(ue.flow[l], flows[l], 1e-7);
    assert_near(ue.objective, 386, 1e-9);
    assert_near(ue.total_cost, 552, 1e-9);
    p.objective = MCO_TRAFFIC_SO;
    assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &so));
    assert_near(so.flow[3], 0, 1e-7);  // nobody takes the link that makes all slower
    assert_near(so.total_cost, 498, 1e-9);
    assert_true(so.total_cost <= ue.total_cost);
    mco_traffic_result_clear(test_ctx, &ue);
    mco_traffic_result_clear(test_ctx, &so);
    mco_traffic_destroy(test_ctx, &traffic);
}

// ---- Laws

// Tolls of flow * slope at the system optimum make it the user equilibrium.
static void test_marginal_tolls(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 5; seed++) {
        sketch s;
        city(&s, seed);
        mco_traffic *traffic = sketch_make(&s);
        mco_traffic_params p = reference(MCO_TRAFFIC_METHOD_PAIRS, 1e-13);
        mco_traffic_result so = MCO_TRAFFIC_RESULT_INIT, ue = MCO_TRAFFIC_RESULT_INIT, tolled = MCO_TRAFFIC_RESULT_INIT;
        p.iterations = 2000;
        assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &ue));
        p.objective = MCO_TRAFFIC_SO;
        assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &so));
        assert_true(so.total_cost <= ue.total_cost * (1 + 1e-12));
        mco_traffic_destroy(test_ctx, &traffic);
        for (int32_t l = 0; l < s.net.links; l++)
            s.toll[l] = s.free_time[l] * s.b[l] * s.power[l] * pow(so.flow[l], s.power[l]);
        traffic = sketch_make(&s);
        p.objective = MCO_TRAFFIC_UE;
        p.toll_factor = 1;
        assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &tolled));
        for (int32_t l = 0; l < s.net.links; l++)
            assert_near(tolled.flow[l], so.flow[l], 1e-4);
        mco_traffic_result_clear(test_ctx, &tolled);
        mco_traffic_result_clear(test_ctx, &so);
        mco_traffic_result_clear(test_ctx, &ue);
        mco_traffic_destroy(test_ctx, &traffic);
    }
}

// All methods end at the same objective, and no bound exceeds it.
static void test_methods_agree(void **state)
{
    (void)state;
    static const double gaps[] = {0, 1e-12, 2e-3, 1e-4, 1e-5};
    for (uint64_t seed = 0; seed < 6; seed++)
        for (int cost = MCO_TRAFFIC_COST_BPR; cost <= MCO_TRAFFIC_COST_AKCELIK; cost++) {
            sketch s;
            city(&s, seed);
            for (int32_t l = 0; l < s.net.links && cost != MCO_TRAFFIC_COST_BPR; l++) {
                s.capacity[l] = 10;
                s.b[l] = 1;
            }
            mco_traffic *traffic = sketch_make(&s);
            double best = INFINITY;
            for (mco_traffic_method m = MCO_TRAFFIC_METHOD_PAIRS; m <= MCO_TRAFFIC_METHOD_BFW; m++) {
                mco_traffic_params p = reference(m, gaps[m]);
                mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
                p.iterations = 3000;
                p.cost = (mco_traffic_cost)cost;
                p.toll_factor = 0.5;
                assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r));
                best = m == MCO_TRAFFIC_METHOD_PAIRS ? r.objective : best;
                if (!(r.gap <= gaps[m]))
                    fail_msg("method %d, cost %d, seed %d: a gap of %g after %d iterations", m, cost, (int)seed, r.gap, (int)r.iterations);
                assert_true(r.bound <= best * (1 + 1e-13));
                assert_true(r.objective >= best * (1 - 1e-11));
                assert_near(r.objective, best, 10 * gaps[m]);
                assert_int_equal(r.history_count, r.iterations + (m != MCO_TRAFFIC_METHOD_PAIRS));
                mco_traffic_result_clear(test_ctx, &r);
            }
            mco_traffic_destroy(test_ctx, &traffic);
        }
}

// ---- The checker and the certificate

// The certified gap is at least that of the checker, and as good but for rounding, under every model.
static void test_certified_gap(void **state)
{
    (void)state;
    for (int k = 0; k < 48; k++) {
        sketch s;
        city(&s, (uint64_t)k);
        mco_traffic_params p = reference(k % 3 == 0 ? MCO_TRAFFIC_METHOD_PAIRS : MCO_TRAFFIC_METHOD_BFW, k % 2 == 0 ? 1e-3 : 1e-10);
        mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
        mco_traffic_facts facts;
        p.iterations = 50;
        p.objective = k % 4 < 2 ? MCO_TRAFFIC_UE : MCO_TRAFFIC_SO;
        p.toll_factor = k % 5 < 2 ? 0.25 : -1;
        p.distance_factor = k % 7 < 3 ? 0.5 : -1;
        p.demand_factor = 1 + k % 3;
        s.net.first_through = k % 2 == 0 ? 0 : 2;
        if (k % 6 >= 3) {  // the first zone is left by no link: its trips are dropped, or take an artificial arc
            int32_t kept = 0;
            for (int32_t l = 0; l < s.net.links; l++)
                if (s.tail[l] != 0) {
                    s.tail[kept] = s.tail[l], s.head[kept] = s.head[l], s.free_time[kept] = s.free_time[l], s.b[kept] = s.b[l];
                    kept++;
                }
            s.net.links = kept;
            p.unreachable = k % 6 == 3 ? MCO_TRAFFIC_DROP : MCO_TRAFFIC_ARC;
            p.arc_cost = 50;
        }
        mco_traffic *traffic = sketch_make(&s);
        assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r));
        assert_ok(mco_traffic_check(test_ctx, traffic, &p, r.flow, NULL, &facts));
        assert_near(facts.total_cost, r.total_cost, 1e-13);
        assert_near(facts.objective, r.objective, 1e-13);
        assert_true(r.gap >= facts.gap - 1e-15);
        assert_true(r.gap <= facts.gap + 1e-13);
        assert_true(facts.imbalance < 1e-9);
        assert_int_equal(r.dropped_pairs, k % 6 == 3 ? 3 : 0);
        mco_traffic_result_clear(test_ctx, &r);
        mco_traffic_destroy(test_ctx, &traffic);
    }
}

// Zone 2 has no link, so its trips take artificial arcs out and in, which flows of links alone do not show. A vehicle counts 2 cars.
static void test_isolated_zone(void **state)
{
    (void)state;
    sketch s;
    sketch_begin(&s, 4, 3);
    sketch_link(&s, 0, 1, 10, 1, 1);
    sketch_link(&s, 1, 3, 10, 1, 1);
    sketch_link(&s, 3, 0, 10, 1, 1);
    sketch_trips(&s, 0, 1, 3);
    sketch_trips(&s, 0, 2, 5);
    sketch_trips(&s, 1, 2, 1);
    sketch_trips(&s, 2, 0, 4);
    s.trips.car_equivalent = 2;
    for (int k = 0; k < 2; k++) {
        s.net.first_through = k == 0 ? 0 : 3;
        mco_traffic *traffic = sketch_make(&s);
        mco_traffic_params p = reference(MCO_TRAFFIC_METHOD_PAIRS, 1e-12);
        mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
        mco_traffic_facts facts;
        p.unreachable = MCO_TRAFFIC_ARC;
        p.arc_cost = 100;
        assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r));
        assert_int_equal(r.artificial_arcs, 2);
        if (k == 0)
            assert_near(r.artificial_trips, 2 * 6, 1e-12);
        assert_ok(mco_traffic_check(test_ctx, traffic, &p, r.flow, NULL, &facts));
        assert_near(facts.total_cost, r.total_cost, 1e-12);
        assert_near(facts.objective, r.objective, 1e-12);
        assert_near(facts.least_cost, r.total_cost, 1e-9);
        mco_traffic_result_clear(test_ctx, &r);
        mco_traffic_destroy(test_ctx, &traffic);
    }
}

// Capacities to a power beyond the numbers: nothing where no trip feels it, else refused.
static void test_large_powers(void **state)
{
    (void)state;
    sketch s;
    two_routes(&s);
    mco_traffic_params p = reference(MCO_TRAFFIC_METHOD_PAIRS, 1e-10);
    mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
    s.capacity[0] = 1e99;
    s.power[0] = 4;
    mco_traffic *traffic = sketch_make(&s);
    assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r));
    assert_near(r.total_cost, 200, 1e-12);
    mco_traffic_result_clear(test_ctx, &r);
    mco_traffic_destroy(test_ctx, &traffic);
    s.capacity[0] = 15;
    s.power[0] = 300;
    traffic = sketch_make(&s);
    assert_fails(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r), MCO_ERR_LIMIT,
                 "link 1: the capacity 15 to the power 300 is beyond numbers in double precision");
    mco_traffic_destroy(test_ctx, &traffic);
}

static void test_check_refuses(void **state)
{
    (void)state;
    sketch s;
    two_routes(&s);
    mco_traffic *traffic = sketch_make(&s);
    const mco_traffic_params p = MCO_TRAFFIC_PARAMS_INIT;
    mco_traffic_facts facts = {.gap = 7};
    double flow[] = {10, 10};
    assert_ok(mco_traffic_check(test_ctx, traffic, &p, flow, NULL, &facts));
    assert_true(facts.gap == 0 && facts.imbalance == 0 && facts.objective == 325 && facts.total_cost == 400 && facts.least_cost == 400);
    flow[0] = 20, flow[1] = 0;  // all at 30 where 15 is the least
    assert_ok(mco_traffic_check(test_ctx, traffic, &p, flow, NULL, &facts));
    assert_true(facts.gap == 0.5 && facts.least_cost == 300 && facts.total_cost == 600);
    flow[1] = -1;
    assert_fails(mco_traffic_check(test_ctx, traffic, &p, flow, NULL, &facts), MCO_ERR_CHECK,
                 "flow of link 2, from 1 to 2, is -1, 0 or more was expected");
    flow[1] = NAN;
    assert_int_equal(mco_traffic_check(test_ctx, traffic, &p, flow, NULL, &facts), MCO_ERR_CHECK);
    flow[1] = 0.25;
    assert_fails(mco_traffic_check(test_ctx, traffic, &p, flow, NULL, &facts), MCO_ERR_CHECK,
                 "node 1: trips and links differ by 0.25, at most 2e-05 was expected");
    mco_traffic_destroy(test_ctx, &traffic);
}

// Labels that are too small, too large or no numbers: the gap is never below the true one.
static void test_certificate(void **state)
{
    (void)state;
    sketch s;
    two_routes(&s);
    mco_traffic *traffic = sketch_make(&s);
    const mco_traffic_params p = MCO_TRAFFIC_PARAMS_INIT;
    traffic_problem problem = {0};
    assert_ok(traffic_problem_make(test_ctx, traffic, &p, &problem));
    const double flow[] = {20, 0};  // a gap of 0.5
    static const double ends[] = {15, 14, 16, 0, NAN, INFINITY, 1e300, -5};
    static const double gaps[] = {0.5, 0.53, 0.5, 1, 1, 1, 0.5, 1};  // no numbers prove a least cost of 0 alone
    for (int lanes = 0; lanes < 2; lanes++)
        for (int k = 0; k < COUNT_OF(ends); k++) {
            traffic_certificate c;
            traffic_proof proof;
            double label[16] = {0};
            const int32_t rows[8] = {-1, -1, 0, -1, -1, -1, -1, -1};
            assert_ok(traffic_certificate_open(test_ctx, &problem, flow, NULL, &c));
            label[lanes ? 8 + 2 : 1] = ends[k];
            if (lanes)
                traffic_certificate_lanes8(&c, rows, label);
            else
                traffic_certificate_row(&c, 0, label);
            assert_ok(traffic_certificate_close(test_ctx, &c, NULL, &proof));
            if (!(proof.gap >= gaps[k]))
                fail_msg("an end at %g proves a gap of %g", ends[k], proof.gap);
            assert_true(k > 0 || proof.gap < 0.5 + 1e-12);
            assert_true(proof.missing == (isfinite(ends[k]) ? 0 : 1));
            assert_true(proof.imbalance == 0 && proof.total == 600);
            traffic_certificate_clear(test_ctx, &c);
        }
    traffic_problem_clear(test_ctx, &problem);
    mco_traffic_destroy(test_ctx, &traffic);
}

// A row that no labels were given for counts with a least cost of 0, and flows of rows that do not add up are seen.
static void test_certificate_balance(void **state)
{
    (void)state;
    sketch s;
    two_routes(&s);
    mco_traffic *traffic = sketch_make(&s);
    const mco_traffic_params p = MCO_TRAFFIC_PARAMS_INIT;
    traffic_problem problem = {0};
    traffic_certificate c;
    traffic_proof proof;
    int64_t first[] = {0, 2};
    int32_t link[] = {0, 1};
    double of_row[] = {12, 8}, flow[] = {12, 8};
    traffic_flows flows = {.rows = 1, .first = first, .link = link, .flow = of_row};
    assert_ok(traffic_problem_make(test_ctx, traffic, &p, &problem));
    assert_ok(traffic_certificate_open(test_ctx, &problem, flow, NULL, &c));
    assert_ok(traffic_certificate_close(test_ctx, &c, &flows, &proof));
    assert_true(proof.gap == 1 && proof.missing == 1 && proof.imbalance == 0);
    assert_ok(traffic_certificate_search(test_ctx, &c, 1, 0));  // no time
    assert_ok(traffic_certificate_close(test_ctx, &c, &flows, &proof));
    assert_true(proof.gap == 1 && proof.missing == 1);
    assert_ok(traffic_certificate_search(test_ctx, &c, 1, INFINITY));
    of_row[0] = 11;
    assert_ok(traffic_certificate_close(test_ctx, &c, &flows, &proof));
    assert_true(proof.imbalance == 1 && proof.gap < 1 && proof.missing == 0);
    traffic_certificate_clear(test_ctx, &c);
    traffic_problem_clear(test_ctx, &problem);
    mco_traffic_destroy(test_ctx, &traffic);
}

// The same rows side by side: each lane is balanced for itself, so errors of two rows that cancel in the sum are seen.
static void test_certificate_lanes(void **state)
{
    (void)state;
    sketch s;
    two_routes(&s);
    mco_traffic *traffic = sketch_make(&s);
    const mco_traffic_params p = MCO_TRAFFIC_PARAMS_INIT;
    traffic_problem problem = {0};
    traffic_proof proof;
    assert_ok(traffic_problem_make(test_ctx, traffic, &p, &problem));
    const int32_t rows[8] = {-1, -1, 0, -1, -1, -1, -1, -1}, link[] = {0, 1};
    const double total[] = {12, 8};
    const struct {
        double first, second, stray, imbalance;  // flows of the row on both links, and of an empty lane on the first
    } cases[] = {{12, 8, 0, 0}, {11, 8, 0, 1}, {13, 7, 0, 1}, {12, 8, 0.5, 0.5}, {12, 8, -0.25, 0.25}, {22, -2, 0, 10}, {NAN, 8, 0, NAN}};
    for (int k = 0; k < COUNT_OF(cases); k++) {
        traffic_certificate c;
        double flow[16] = {0};
        flow[2] = cases[k].first;
        flow[8 + 2] = cases[k].second;
        flow[5] = cases[k].stray;
        assert_ok(traffic_certificate_open(test_ctx, &problem, total, NULL, &c));
        assert_ok(traffic_certificate_flows8(test_ctx, &c, rows, 2, link, flow));
        assert_ok(traffic_certificate_close(test_ctx, &c, NULL, &proof));
        if (isnan(cases[k].imbalance) ? !isnan(proof.imbalance) : proof.imbalance != cases[k].imbalance)
            fail_msg("case %d: an imbalance of %g, %g was expected", k, proof.imbalance, cases[k].imbalance);
        traffic_certificate_clear(test_ctx, &c);
    }
    traffic_problem_clear(test_ctx, &problem);
    mco_traffic_destroy(test_ctx, &traffic);
}

// ---- Corners

static void solve_corner(const sketch *s, mco_traffic_result *r)
{
    mco_traffic *traffic = sketch_make(s);
    const mco_traffic_params p = reference(MCO_TRAFFIC_METHOD_PAIRS, 1e-10);
    assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, r));
    mco_traffic_destroy(test_ctx, &traffic);
}

static void test_corners(void **state)
{
    (void)state;
    sketch s;
    mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
    two_routes(&s);
    s.first[1] = s.first[2] = 0;  // no trips
    solve_corner(&s, &r);
    assert_true(r.outcome == MCO_OUTCOME_OPTIMAL && r.gap == 0 && r.objective == 0 && r.flow[0] == 0);
    mco_traffic_result_clear(test_ctx, &r);

    sketch_begin(&s, 1, 1);  // one node, no link, trips to itself
    sketch_trips(&s, 0, 0, 5);
    solve_corner(&s, &r);
    assert_true(r.intrazonal == 5 && r.assigned == 0 && r.gap == 0 && r.links == 0);
    mco_traffic_result_clear(test_ctx, &r);

    sketch_begin(&s, 3, 3);  // zero-cost links in a ring, label ties
    for (int32_t v = 0; v < 3; v++) {
        sketch_link(&s, v, (v + 1) % 3, 0, 0, 0);
        sketch_link(&s, (v + 1) % 3, v, 0, 0, 0);
    }
    sketch_trips(&s, 0, 1, 1);
    sketch_trips(&s, 0, 2, 2);
    solve_corner(&s, &r);
    assert_true(r.assigned == 3 && r.gap == 0 && r.total_cost == 0);
    mco_traffic_result_clear(test_ctx, &r);

    sketch_begin(&s, 3, 3);  // nobody reaches the last zone
    sketch_link(&s, 0, 1, 1, 1, 1);
    sketch_trips(&s, 0, 1, 4);
    sketch_trips(&s, 0, 2, 3);
    solve_corner(&s, &r);
    assert_true(r.dropped == 3 && r.dropped_pairs == 1 && r.assigned == 4 && r.flow[0] == 4);
    mco_traffic_result_clear(test_ctx, &r);

    sketch_begin(&s, 3, 3);  // the short way leads through an end
    s.net.first_through = 2;
    sketch_link(&s, 0, 1, 1, 0, 0);
    sketch_link(&s, 1, 2, 1, 0, 0);
    sketch_link(&s, 0, 2, 9, 0, 0);
    sketch_trips(&s, 0, 2, 1);
    solve_corner(&s, &r);
    assert_true(r.flow[2] == 1 && r.total_cost == 9);
    mco_traffic_result_clear(test_ctx, &r);
}

// Two classes with tolls of their own: those who mind the toll take the other route.
static void test_classes(void **state)
{
    (void)state;
    sketch s;
    two_routes(&s);
    s.toll[0] = 3;
    mco_traffic_class classes[2] = {s.trips, s.trips};
    classes[1].name = "lorries";
    classes[1].toll_factor = 1;
    classes[1].car_equivalent = 2;
    double amounts[2] = {12, 4};
    classes[0].amount = &amounts[0];
    classes[1].amount = &amounts[1];
    mco_traffic *traffic = NULL;
    mco_traffic_facts facts;
    assert_ok(mco_traffic_create(test_ctx, "two classes", &s.net, 2, classes, &traffic));
    for (mco_traffic_method m = MCO_TRAFFIC_METHOD_PAIRS; m <= MCO_TRAFFIC_METHOD_BFW; m++) {
        const mco_traffic_params p = reference(m, 1e-9);
        mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
        assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r));
        assert_near(r.flow[0], 10, 1e-6);  // cars of both; the lorries take the other link
        assert_near(r.class_flow[0], 10, 1e-6);
        assert_near(r.class_flow[2 + 1], 4, 1e-6);
        assert_ok(mco_traffic_check(test_ctx, traffic, &p, r.flow, r.class_flow, &facts));
        assert_true(facts.gap <= r.gap + 1e-15);
        assert_int_equal(mco_traffic_check(test_ctx, traffic, &p, r.flow, NULL, &facts), MCO_ERR_ARGUMENT);
        mco_traffic_result_clear(test_ctx, &r);
    }
    mco_traffic_destroy(test_ctx, &traffic);
}

// A banned turn makes the checker search over links, and the way longer.
static void test_turns(void **state)
{
    (void)state;
    sketch s;
    sketch_begin(&s, 4, 2);
    sketch_link(&s, 0, 2, 1, 0, 0);
    sketch_link(&s, 2, 1, 1, 0, 0);
    sketch_link(&s, 2, 3, 2, 0, 0);
    sketch_link(&s, 3, 2, 2, 0, 0);
    sketch_trips(&s, 0, 1, 7);
    mco_traffic_turn turn = {0, 1, INFINITY};
    s.net.turns = &turn;
    s.net.turn_count = 1;
    mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
    const mco_traffic_params p = reference(MCO_TRAFFIC_METHOD_PAIRS, 1e-10);
    mco_traffic_facts facts;
    mco_traffic *traffic = sketch_make(&s);
    assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r));
    assert_near(r.total_cost, 42, 1e-12);  // back from node 4
    assert_ok(mco_traffic_check(test_ctx, traffic, &p, r.flow, NULL, &facts));
    assert_true(facts.gap == 0 && facts.least_cost == 42);
    mco_traffic_result_clear(test_ctx, &r);
    mco_traffic_destroy(test_ctx, &traffic);
    turn.cost = 3;  // now it pays to turn
    traffic = sketch_make(&s);
    assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r));
    assert_near(r.total_cost, 35, 1e-12);
    assert_fails(mco_traffic_check(test_ctx, traffic, &p, r.flow, NULL, &facts), MCO_ERR_ARGUMENT,
                 "the turn from link 1 into link 2 costs 3: flows of links do not say how many make it; assign proves its gap with the flows of origins");
    mco_traffic_result_clear(test_ctx, &r);
    mco_traffic_destroy(test_ctx, &traffic);
}

// ---- Ends and failures

static int stop_at_once(const mco_progress *progress, void *user)
{
    (void)progress, (void)user;
    return 1;
}

static void test_stops(void **state)
{
    (void)state;
    sketch s;
    city(&s, 3);
    mco_traffic *traffic = sketch_make(&s);
    mco_traffic_params p = reference(MCO_TRAFFIC_METHOD_FW, 0);
    mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
    p.iterations = 7;
    assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r));
    assert_int_equal(r.stop, MCO_STOP_ITERATIONS);
    assert_int_equal(r.iterations, 7);
    assert_int_equal(r.outcome, MCO_OUTCOME_FEASIBLE);
    mco_traffic_result_clear(test_ctx, &r);
    p.iterations = 0;
    bool has_flow = false;
    // A busy machine may leave a short limit no time for flows.
    for (p.time_limit_s = 0.05; !has_flow && p.time_limit_s < 100; p.time_limit_s *= 2) {
        const double begin_s = mco_cpu_clock_s();
        assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r));
        assert_int_equal(r.stop, MCO_STOP_TIME);
        assert_true(mco_cpu_clock_s() - begin_s < 10);
        has_flow = r.flow != NULL && isfinite(r.gap);
        mco_traffic_result_clear(test_ctx, &r);
    }
    assert_true(has_flow);
    mco_context_set_callback(test_ctx, stop_at_once, NULL);
    p.time_limit_s = HUGE_VAL;
    assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r));
    assert_int_equal(r.stop, MCO_STOP_CANCELLED);
    mco_traffic_result_clear(test_ctx, &r);
    mco_context_set_callback(test_ctx, NULL, NULL);
    p.time_limit_s = 0;
    assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r));
    assert_int_equal(r.outcome, MCO_OUTCOME_UNKNOWN);
    assert_true(r.flow == NULL && isnan(r.gap));
    mco_traffic_result_clear(test_ctx, &r);
    mco_traffic_destroy(test_ctx, &traffic);
}

static void test_memory_fails(void **state)
{
    (void)state;
    sketch s;
    city(&s, 1);
    mco_traffic *traffic = sketch_make(&s);
    for (int m = MCO_TRAFFIC_METHOD_PAIRS; m <= MCO_TRAFFIC_METHOD_FW; m++)
        for (long k = 1;; k++) {
            mco_traffic_params p = reference((mco_traffic_method)m, 1e-4);
            mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
            mco_traffic_facts facts;
            p.iterations = 3;
            test_fail_allocation(k);
            mco_status st = mco_traffic_assign(test_ctx, traffic, &p, NULL, &r);
            if (st == MCO_OK)
                st = mco_traffic_check(test_ctx, traffic, &p, r.flow, NULL, &facts);
            mco_traffic_result_clear(test_ctx, &r);
            if (st == MCO_OK)
                break;
            assert_int_equal(st, MCO_ERR_MEMORY);
            assert_true(k < 1000);
        }
    test_fail_allocation(0);
    mco_traffic_destroy(test_ctx, &traffic);
}

// ---- Published objectives and flows

typedef struct published {
    const char *network, *trips, *flows;  // below tntp/; no flows: none are published
    double objective, toll_factor, distance_factor;
} published;

// Published objectives hold up to the twelfth digit.
static const published collection[] = {
    {"SiouxFalls/SiouxFalls_net.tntp", "SiouxFalls/SiouxFalls_trips.tntp", "SiouxFalls/SiouxFalls_flow.tntp", 4231335.28710744, -1, -1},
    {"Anaheim/Anaheim_net.tntp", "Anaheim/Anaheim_trips.tntp", "Anaheim/Anaheim_flow.tntp", 1286032.17109602, -1, -1},
    {"EasternMassachusetts/EMA_net.tntp", "EasternMassachusetts/EMA_trips.tntp", NULL, 26160.3459229108, -1, -1},
    {"BerlinMPFC/berlin-mitte-prenzlauerberg-friedrichshain-center_net.tntp.gz",
     "BerlinMPFC/berlin-mitte-prenzlauerberg-friedrichshain-center_trips.tntp.gz", NULL, 2308257.18058457, -1, -1},
    {"ChicagoSketch/ChicagoSketch_net.tntp", "ChicagoSketch/ChicagoSketch_trips.tntp.gz", "ChicagoSketch/ChicagoSketch_flow.tntp",
     17313018.7387477, 0.02, 0.04},
};

// Flows are unique where the cost grows with the flow.
static void compare_flows(const mco_traffic *traffic, const mco_traffic_result *r, const char *path)
{
    double *flow = NULL, *class_flow = NULL;
    const mco_traffic_network n = mco_traffic_view(traffic);
    assert_ok(mco_traffic_read_flows(test_ctx, traffic, path, &flow, &class_flow));
    for (int32_t l = 0; l < n.links; l++)
        if (n.b[l] > 0 && n.power[l] > 0 && n.free_time[l] > 0)
            assert_near(r->flow[l], flow[l], 1e-6);
    mco_traffic_flows_clear(test_ctx, &flow, &class_flow);
}

static void test_published(void **state)
{
    (void)state;
    const char *data = getenv("MCO_DATA");
    if (data == NULL)
        skip();
    for (int k = 0; k < COUNT_OF(collection) - TEST_IS_SANITIZED; k++) {
        char network[400], trips[400], flows[400];
        snprintf(network, sizeof network, "%s/tntp/%s", data, collection[k].network);
        snprintf(trips, sizeof trips, "%s/tntp/%s", data, collection[k].trips);
        const mco_traffic_files files = {.network = network, .trips = trips};
        mco_traffic *traffic = NULL;
        mco_traffic_params p = reference(MCO_TRAFFIC_METHOD_PAIRS, 1e-12);
        mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
        mco_traffic_facts facts;
        p.toll_factor = collection[k].toll_factor;
        p.distance_factor = collection[k].distance_factor;
        assert_ok(mco_traffic_read(test_ctx, &files, &traffic));
        assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r));
        assert_near(r.objective, collection[k].objective, 5e-13);
        assert_ok(mco_traffic_check(test_ctx, traffic, &p, r.flow, NULL, &facts));
        assert_true(facts.gap <= 1e-12);
        assert_near(facts.objective, collection[k].objective, 5e-13);
        if (collection[k].flows != NULL) {
            snprintf(flows, sizeof flows, "%s/tntp/%s", data, collection[k].flows);
            compare_flows(traffic, &r, flows);
        }
        mco_traffic_result_clear(test_ctx, &r);
        mco_traffic_destroy(test_ctx, &traffic);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_two_routes), TEST(test_braess), TEST(test_marginal_tolls), TEST(test_methods_agree),
        TEST(test_certified_gap), TEST(test_isolated_zone), TEST(test_large_powers), TEST(test_check_refuses),
        TEST(test_certificate), TEST(test_certificate_balance), TEST(test_certificate_lanes),
        TEST(test_corners), TEST(test_classes), TEST(test_turns), TEST(test_stops), TEST(test_memory_fails), TEST(test_published)};
    return cmocka_run_group_tests_name("traffic", tests, NULL, NULL);
}
