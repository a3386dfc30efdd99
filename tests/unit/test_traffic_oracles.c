// SPDX-License-Identifier: MIT
// Answers of traffic assignment against what can be known without it: formulas in long double, networks solved by hand, a system optimum
// that its tolls make an equilibrium, classes whose exchange has no curvature.
#include "test_support.h"

#include <math.h>

#include "base/rng.h"
#include "mco/traffic.h"
#include "traffic/check.h"
#include "traffic/model/costs.h"

// ---- Networks

enum { MOST = 64, MOST_CLASSES = 3 };

typedef struct sketch {
    int32_t tail[MOST], head[MOST];
    double capacity[MOST], length[MOST], free_time[MOST], b[MOST], power[MOST], toll[MOST];
    mco_traffic_turn turn[MOST];
    int64_t first[MOST_CLASSES][MOST + 1];
    int32_t to[MOST_CLASSES][MOST];
    double amount[MOST_CLASSES][MOST];
    mco_traffic_network net;
    mco_traffic_class trips[MOST_CLASSES];
    int32_t classes;
} sketch;

static sketch *begin(int32_t nodes, int32_t zones, int32_t classes)
{
    static sketch s;
    memset(&s, 0, sizeof s);
    s.net = (mco_traffic_network){.nodes = nodes, .zones = zones, .tail = s.tail, .head = s.head, .capacity = s.capacity,
                                  .length = s.length, .free_time = s.free_time, .b = s.b, .power = s.power, .toll = s.toll, .turns = s.turn};
    for (int32_t k = 0; k < classes; k++)
        s.trips[k] = (mco_traffic_class){.first = s.first[k], .to = s.to[k], .amount = s.amount[k], .toll_factor = -1, .distance_factor = -1,
                                         .car_equivalent = 1, .stated_total = NAN, .stated_toll_factor = NAN, .stated_distance_factor = NAN};
    s.classes = classes;
    return &s;
}

static int32_t add_link(sketch *s, int32_t tail, int32_t head, double time, double b, double power, double capacity)
{
    const int32_t a = s->net.links++;
    s->tail[a] = tail;
    s->head[a] = head;
    s->free_time[a] = time;
    s->b[a] = b;
    s->power[a] = power;
    s->capacity[a] = capacity;
    return a;
}

static void add_trips(sketch *s, int32_t k, int32_t from, int32_t to, double amount)
{
    const int64_t at = s->first[k][s->net.zones];
    s->to[k][at] = to;
    s->amount[k][at] = amount;
    for (int32_t z = from; z < s->net.zones; z++)
        s->first[k][z + 1]++;
}

static mco_traffic *make(const sketch *s)
{
    mco_traffic *traffic = NULL;
    assert_ok(mco_traffic_create(test_ctx, "sketch", &s->net, s->classes, s->trips, &traffic));
    return traffic;
}

static mco_traffic_result assign(const mco_traffic *traffic, const mco_traffic_params *params)
{
    mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
    assert_ok(mco_traffic_assign(test_ctx, traffic, params, NULL, &r));
    return r;
}

static void assert_near(double seen, double expected, double relative)
{
    if (!(fabs(seen - expected) <= relative * fabs(expected) + 1e-300))
        fail_msg("%.17g was seen, %.17g expected", seen, expected);
}

// Streets in both directions over a square, with loads that congest them.
static sketch *random_square(uint64_t seed, int32_t classes)
{
    enum { SIDE = 3, NODES = SIDE * SIDE };
    mco_rng rng;
    mco_rng_seed(&rng, seed, 0);
    sketch *s = begin(NODES, NODES, classes);
    for (int32_t v = 0; v < NODES; v++)
        for (int32_t way = 0; way < 2; way++) {
            const int32_t w = way == 0 ? v + 1 : v + SIDE;
            if ((way == 0 && v % SIDE == SIDE - 1) || w >= NODES)
                continue;
            for (int32_t side = 0; side < 2; side++) {
                const int32_t a = add_link(s, side == 0 ? v : w, side == 0 ? w : v, 1 + (double)mco_rng_below(&rng, 5), 0.15 + (double)mco_rng_below(&rng, 2),
                                           1 + (double)mco_rng_below(&rng, 5), 5 + (double)mco_rng_below(&rng, 10));
                s->toll[a] = (double)mco_rng_below(&rng, 3);
                s->length[a] = 1 + (double)mco_rng_below(&rng, 3);
            }
        }
    for (int32_t k = 0; k < classes; k++)
        for (int32_t o = 0; o < NODES; o++)
            for (int32_t d = 0; d < NODES; d += 2)
                if (o != d)
                    add_trips(s, k, o, d, 1 + (double)mco_rng_below(&rng, 3));
    return s;
}

// ---- Costs

static traffic_costs costs_of(traffic_shape shape, const double *base, const double *k, const double *p, const double *capacity, double period)
{
    return (traffic_costs){.shape = shape, .base = base, .k = k, .p = p, .capacity = capacity, .period = period};
}

// The integral by Gauss' rule of 4 points on 4000 pieces, which grow from the ends of [0, v] and from the capacity.
static long double integrate(const traffic_costs *costs, double capacity, double v)
{
    enum { PIECES = 1000 };
    static const long double x[2] = {0.339981043584856264803L, 0.861136311594052575224L}, w[2] = {0.652145154862546142627L, 0.347854845137453857373L};
    const long double end[3] = {0, capacity < v ? capacity : v, v};
    long double sum = 0;
    for (int part = 0; part < 2; part++)
        for (int i = 0; i < PIECES; i++) {
            const long double u = (long double)i / PIECES, t = (long double)(i + 1) / PIECES, length = end[part + 1] - end[part];
            const long double low = end[part] + length * u * u * u * (10 - 15 * u + 6 * u * u);
            const long double high = end[part] + length * t * t * t * (10 - 15 * t + 6 * t * t);
            for (int k = 0; k < 4; k++)
                sum += (high - low) / 2 * w[k / 2] * traffic_cost(costs, 0, (double)((low + high) / 2 + (k % 2 ? 1 : -1) * x[k / 2] * (high - low) / 2));
        }
    return sum;
}

static void costs_keep_their_digits(void **state)
{
    (void)state;
    static const double capacities[] = {1e-6, 1, 2500, 1e9}, sharpness[] = {1.05, 2, 4, 16, 256}, delays[] = {0, 1e-6, 0.1, 8, 400};
    const double base = 0, one = 1, period = 60;
    for (size_t c = 0; c < 4; c++)
        for (size_t i = 0; i < 5; i++)
            for (double z = 1e-9; z < 50; z *= 3.7) {
                const double capacity = capacities[c], a = sharpness[i], v = z * capacity;
                traffic_costs conical = costs_of(TRAFFIC_CONICAL, &base, &one, &a, &capacity, 0);
                const long double zl = (long double)v / capacity, b = (2 * (long double)a - 1) / (2 * (long double)a - 2), x = a * (1 - zl);
                const long double root = sqrtl(x * x + b * b), root0 = sqrtl((long double)a * a + b * b);
                // root - root0 + a z, as a product
                const long double value = a * zl * (1 - (x + a) / (root + root0));
                assert_near(traffic_cost(&conical, 0, v), (double)value, z < 1e-6 ? 1e-9 : 1e-11);
                assert_near(traffic_slope(&conical, 0, v) * capacity, (double)(a - a * x / root), a > 100 ? 1e-12 : 1e-13);
                assert_near(traffic_integral(&conical, 0, v), (double)integrate(&conical, capacity, v), 1e-9);
                const double delay = delays[i];
                traffic_costs akcelik = costs_of(TRAFFIC_AKCELIK, &base, &base, &delay, &capacity, period);
                const long double e = 8 * (long double)delay / ((long double)capacity * period), y = zl - 1;
                const long double r = sqrtl(y * y + e * zl), rise = y < 0 ? e * zl / (r - y) : y + r;
                assert_near(traffic_cost(&akcelik, 0, v), (double)(period / 4 * rise), 1e-13);
                assert_near(traffic_integral(&akcelik, 0, v), (double)integrate(&akcelik, capacity, v), 1e-7);
            }
}

// A turn costs the same however many make it; under Akcelik's costs it once had a capacity of 1.
static void turns_have_no_delay(void **state)
{
    (void)state;
    sketch *s = begin(3, 3, 1);
    mco_traffic_params p = MCO_TRAFFIC_PARAMS_INIT;
    add_link(s, 0, 1, 5, 1, 1, 1000);
    add_link(s, 1, 2, 5, 1, 1, 1000);
    s->turn[0] = (mco_traffic_turn){0, 1, 7};
    s->net.turn_count = 1;
    add_trips(s, 0, 0, 2, 200);
    mco_traffic *traffic = make(s);
    p.cost = MCO_TRAFFIC_COST_AKCELIK;
    mco_traffic_result r = assign(traffic, &p);
    assert_int_equal(r.outcome, MCO_OUTCOME_OPTIMAL);
    assert_near(r.total_cost, 200 * (r.cost[0] + r.cost[1] + 7), 1e-14);
    mco_traffic_facts facts;
    assert_fails(mco_traffic_check(test_ctx, traffic, &p, r.flow, NULL, &facts), MCO_ERR_ARGUMENT,
                 "the turn from link 1 into link 2 costs 7: flows of links do not say how many make it; assign proves its gap with the flows of origins");
    p.unreachable = MCO_TRAFFIC_ARC;
    s->turn[0].cost = INFINITY;
    mco_traffic_destroy(test_ctx, &traffic);
    traffic = make(s);
    assert_fails(mco_traffic_check(test_ctx, traffic, &p, r.flow, NULL, &facts), MCO_ERR_ARGUMENT,
                 "flows of links do not say which artificial arcs trips take where turns are banned; assign proves its gap with the flows of origins");
    mco_traffic_result_clear(test_ctx, &r);
    mco_traffic_destroy(test_ctx, &traffic);
}

// ---- Tolls and the price of anarchy

static void pigou_has_four_thirds(void **state)
{
    (void)state;
    sketch *s = begin(2, 2, 1);
    mco_traffic_params p = MCO_TRAFFIC_PARAMS_INIT;
    add_link(s, 0, 1, 1, 0, 1, 1);
    add_link(s, 0, 1, 1e-9, 1e9, 1, 1);
    add_trips(s, 0, 0, 1, 1);
    mco_traffic *traffic = make(s);
    p.anarchy = true;
    p.gap = 1e-9;
    for (int side = 0; side < 2; side++) {
        p.objective = side == 0 ? MCO_TRAFFIC_UE : MCO_TRAFFIC_SO;
        mco_traffic_result r = assign(traffic, &p);
        assert_near(r.price_of_anarchy, 4.0 / 3, 1e-8);
        assert_true(r.anarchy_gap <= 1e-9);
        assert_near(r.toll[1], r.flow[1], 1e-9);  // v t'(v) with t = v
        assert_true(r.toll[0] == 0);
        mco_traffic_result_clear(test_ctx, &r);
    }
    p.anarchy = false;
    mco_traffic_result r = assign(traffic, &p);
    assert_true(isnan(r.price_of_anarchy));
    mco_traffic_result_clear(test_ctx, &r);
    mco_traffic_destroy(test_ctx, &traffic);
}

// The user equilibrium with the tolls of the system optimum has its flows.
static void tolls_make_the_optimum_an_equilibrium(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        sketch *s = random_square(seed, 1);
        mco_traffic_params p = MCO_TRAFFIC_PARAMS_INIT;
        memset(s->toll, 0, sizeof s->toll);
        mco_traffic *traffic = make(s);
        p.objective = MCO_TRAFFIC_SO;
        p.gap = 1e-12;
        p.anarchy = true;
        mco_traffic_result so = assign(traffic, &p);
        assert_true(so.price_of_anarchy >= 1 - 1e-11);
        memcpy(s->toll, so.toll, (size_t)s->net.links * sizeof *s->toll);
        mco_traffic_destroy(test_ctx, &traffic);
        traffic = make(s);
        p.objective = MCO_TRAFFIC_UE;
        p.toll_factor = 1;
        p.anarchy = false;
        mco_traffic_result ue = assign(traffic, &p);
        for (int32_t a = 0; a < s->net.links; a++)
            assert_true(fabs(ue.flow[a] - so.flow[a]) <= 1e-4 * (1 + so.flow[a]));
        mco_traffic_facts facts;
        assert_ok(mco_traffic_check(test_ctx, traffic, &p, so.flow, NULL, &facts));
        assert_true(facts.gap < 1e-11);
        mco_traffic_result_clear(test_ctx, &so);
        mco_traffic_result_clear(test_ctx, &ue);
        mco_traffic_destroy(test_ctx, &traffic);
    }
}

// ---- States

// A state is made where it is wanted and the method has one; the flows are the same without. A solve from it has nothing left to do.
static void states_come_where_wanted(void **state)
{
    (void)state;
    static const mco_traffic_method methods[] = {MCO_TRAFFIC_METHOD_PAIRS, MCO_TRAFFIC_METHOD_FW};
    for (int32_t classes = 1; classes <= 2; classes++) {
        sketch *s = random_square(5, classes);
        mco_traffic *traffic = make(s);
        for (int k = 0; k < 2; k++) {
            mco_traffic_params p = MCO_TRAFFIC_PARAMS_INIT;
            p.method = methods[k];
            p.gap = k == 0 ? 1e-10 : 1e-2;
            mco_traffic_result plain = assign(traffic, &p), with = MCO_TRAFFIC_RESULT_INIT, warm = MCO_TRAFFIC_RESULT_INIT;
            p.wants_state = 1;
            assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &with));
            assert_null(plain.state);
            assert_true((with.state != NULL) == (k == 0));
            assert_memory_equal(plain.flow, with.flow, (size_t)s->net.links * sizeof *plain.flow);
            assert_true(plain.is_certified && with.is_certified && plain.gap == with.gap);
            if (with.state != NULL) {
                const mco_traffic_start start = {.state = with.state};
                assert_ok(mco_traffic_assign(test_ctx, traffic, &p, &start, &warm));
                assert_true(warm.state != NULL && warm.gap <= p.gap && warm.iterations <= 1);
                mco_traffic_result_clear(test_ctx, &warm);
            }
            mco_traffic_result_clear(test_ctx, &plain);
            mco_traffic_result_clear(test_ctx, &with);
        }
        mco_traffic_destroy(test_ctx, &traffic);
    }
}

// ---- Classes

// Where one class gains by a link what another loses, flows together stay, and the objective has no curvature there.
static void classes_exchange_places(void **state)
{
    (void)state;
    sketch *s = begin(2, 2, 2);
    mco_traffic_params p = MCO_TRAFFIC_PARAMS_INIT;
    add_link(s, 0, 1, 1, 0.15, 8, 10);
    add_link(s, 0, 1, 1, 0.15, 8, 30);
    s->length[0] = 0.1;
    s->trips[0].distance_factor = 2;
    s->trips[1].distance_factor = 1;
    add_trips(s, 0, 0, 1, 60);
    add_trips(s, 1, 0, 1, 60);
    mco_traffic *traffic = make(s);
    p.method = MCO_TRAFFIC_METHOD_PAIRS;
    p.gap = 1e-12;
    mco_traffic_result r = assign(traffic, &p);
    assert_int_equal(r.outcome, MCO_OUTCOME_OPTIMAL);
    assert_true(r.class_flow[0] < 1e-6);  // who minds the length more leaves the first link
    mco_traffic_result_clear(test_ctx, &r);
    mco_traffic_destroy(test_ctx, &traffic);
}

static void methods_agree_with_classes(void **state)
{
    (void)state;
    static const mco_traffic_method methods[] = {MCO_TRAFFIC_METHOD_PAIRS, MCO_TRAFFIC_METHOD_CFW, MCO_TRAFFIC_METHOD_BFW};
    for (uint64_t seed = 11; seed <= 13; seed++) {
        sketch *s = random_square(seed, 3);
        for (int32_t k = 0; k < 3; k++) {
            s->trips[k].value_of_time = 1 + k;
            s->trips[k].distance_factor = 0.1 * (2 - k);
            s->trips[k].car_equivalent = k == 2 ? 2.5 : 1;
        }
        mco_traffic *traffic = make(s);
        for (int side = 0; side < 2; side++) {
            mco_traffic_params p = MCO_TRAFFIC_PARAMS_INIT;
            p.objective = side == 0 ? MCO_TRAFFIC_UE : MCO_TRAFFIC_SO;
            p.gap = 1e-11;
            p.method = MCO_TRAFFIC_METHOD_PAIRS;
            mco_traffic_result best = assign(traffic, &p);
            assert_int_equal(best.outcome, MCO_OUTCOME_OPTIMAL);
            p.gap = 1e-4;
            for (int m = 0; m < 3; m++) {
                p.method = methods[m];
                mco_traffic_result r = assign(traffic, &p);
                mco_traffic_facts facts;
                assert_int_equal(r.outcome, MCO_OUTCOME_OPTIMAL);
                assert_true(r.objective >= best.bound && r.bound <= best.objective);
                assert_ok(mco_traffic_check(test_ctx, traffic, &p, r.flow, r.class_flow, &facts));
                assert_true(facts.gap <= r.gap * (1 + 1e-9));
                mco_traffic_result_clear(test_ctx, &r);
            }
            mco_traffic_result_clear(test_ctx, &best);
        }
        mco_traffic_destroy(test_ctx, &traffic);
    }
}

// Hard capacities with several classes, by every method that solves the passes.
static void capacities_hold_with_classes(void **state)
{
    (void)state;
    static const mco_traffic_method methods[] = {MCO_TRAFFIC_METHOD_PAIRS, MCO_TRAFFIC_METHOD_FW, MCO_TRAFFIC_METHOD_CFW, MCO_TRAFFIC_METHOD_BFW};
    sketch *s = begin(2, 2, 2);
    add_link(s, 0, 1, 1, 0.15, 0, 10);  // a power of 0 adds to the cost of soft capacities alone
    add_link(s, 0, 1, 3, 0.15, 4, 100);
    add_trips(s, 0, 0, 1, 12);
    add_trips(s, 1, 0, 1, 4);
    s->trips[1].car_equivalent = 2;
    mco_traffic *traffic = make(s);
    for (int e = 0; e < 2; e++)
        for (int m = 0; m < 4; m++) {
            mco_traffic_params p = MCO_TRAFFIC_PARAMS_INIT;
            p.capacities = MCO_TRAFFIC_CAPACITIES_HARD;
            p.engine = e == 0 ? MCO_ENGINE_CPU : MCO_ENGINE_REFERENCE;
            p.method = methods[m];
            p.gap = 1e-4;
            mco_traffic_result r = assign(traffic, &p);
            assert_int_equal(r.outcome, MCO_OUTCOME_OPTIMAL);
            assert_near(r.objective, 10 * 1 + 10 * 3, 1e-3);
            assert_true(r.bound <= 40 * (1 + 1e-12) && r.bound >= 40 * (1 - 1e-3));
            assert_near(r.toll[0], 2, 1e-2);  // the price of the queue
            mco_traffic_result_clear(test_ctx, &r);
        }
    mco_traffic_destroy(test_ctx, &traffic);
}

// Streets with several classes, by the methods of links too: the checker has its own costs.
static void streets_have_classes(void **state)
{
    (void)state;
    static const mco_traffic_method methods[] = {MCO_TRAFFIC_METHOD_PAIRS, MCO_TRAFFIC_METHOD_BFW};
    const mco_traffic_shape shape = {.family = MCO_TRAFFIC_STREETS, .rows = 6, .columns = 6, .zones = 5, .load = 0.1, .seed = 3};
    mco_traffic *one = NULL, *traffic = NULL;
    assert_ok(mco_traffic_generate(test_ctx, &shape, &one));
    const mco_traffic_network net = mco_traffic_view(one);
    mco_traffic_class classes[2] = {*mco_traffic_class_at(one, 0), *mco_traffic_class_at(one, 0)};
    classes[0].distance_factor = 0.01;
    classes[1].distance_factor = 0.03;
    classes[1].car_equivalent = 2;
    assert_ok(mco_traffic_create(test_ctx, "streets", &net, 2, classes, &traffic));
    for (int side = 0; side < 2; side++)
        for (int m = 0; m < 2; m++) {
            mco_traffic_params p = MCO_TRAFFIC_PARAMS_INIT;
            mco_traffic_facts facts;
            p.objective = side == 0 ? MCO_TRAFFIC_UE : MCO_TRAFFIC_SO;
            p.method = methods[m];
            p.gap = m == 0 ? 1e-6 : 1e-3;
            mco_traffic_result r = assign(traffic, &p);
            assert_int_equal(r.outcome, MCO_OUTCOME_OPTIMAL);
            assert_ok(mco_traffic_check(test_ctx, traffic, &p, r.flow, r.class_flow, &facts));
            assert_true(facts.gap <= r.gap * (1 + 1e-9) + 1e-15);
            assert_near(facts.total_cost, r.total_cost, 1e-12);
            // A toll is what one more car costs all others: a finite difference of the total cost without the toll's own part.
            const double h = 1e-3;
            for (int32_t a = 0; a < net.links; a += 7) {
                double cost[2];
                for (int way = 0; way < 2; way++) {
                    static double flow[512];
                    assert_true(net.links <= 512);
                    memcpy(flow, r.flow, (size_t)net.links * sizeof *flow);
                    flow[a] += way == 0 ? 2 * h : h;
                    assert_ok(traffic_check_costs(test_ctx, one, &p, flow, NULL, &facts, NULL, NULL));
                    cost[way] = facts.total_cost;
                }
                assert_ok(traffic_check_costs(test_ctx, one, &p, r.flow, NULL, &facts, NULL, NULL));
                const double slope = (4 * cost[1] - cost[0] - 3 * facts.total_cost) / (2 * h);
                assert_true(fabs(slope - r.cost[a] - r.toll[a]) <= 1e-5 * (1 + fabs(slope)));
            }
            mco_traffic_result_clear(test_ctx, &r);
        }
    mco_traffic_destroy(test_ctx, &traffic);
    mco_traffic_destroy(test_ctx, &one);
}

// ---- Skims

static void threads_skim_alike(void **state)
{
    (void)state;
    enum { ZONES = 9 };
    sketch *s = random_square(5, 1);
    mco_traffic *traffic = make(s);
    mco_traffic_params p = MCO_TRAFFIC_PARAMS_INIT;
    mco_traffic_result r = assign(traffic, &p);
    double one[ZONES * ZONES], many[ZONES * ZONES];
    for (int what = 0; what < 4; what++) {
        p.threads = 1;
        assert_ok(mco_traffic_find_skim(test_ctx, traffic, &p, 0, r.flow, (mco_traffic_skim)what, one));
        p.threads = 4;
        assert_ok(mco_traffic_find_skim(test_ctx, traffic, &p, 0, r.flow, (mco_traffic_skim)what, many));
        assert_memory_equal(one, many, sizeof one);
    }
    mco_traffic_result_clear(test_ctx, &r);
    mco_traffic_destroy(test_ctx, &traffic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(costs_keep_their_digits),
        TEST(turns_have_no_delay),
        TEST(pigou_has_four_thirds),
        TEST(tolls_make_the_optimum_an_equilibrium),
        TEST(states_come_where_wanted),
        TEST(classes_exchange_places),
        TEST(methods_agree_with_classes),
        TEST(capacities_hold_with_classes),
        TEST(streets_have_classes),
        TEST(threads_skim_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
