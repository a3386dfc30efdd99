// SPDX-License-Identifier: MIT
// Frank-Wolfe on cores: directions against their definition, line searches against each other and against differences of values, loads by lanes and by a
// hierarchy against each other, whole assignments against the reference, and the laws of descent.
#include "test_support.h"

#include <math.h>

#include "mco/mco.h"
#include "base/simd.h"
#include "traffic/frank_wolfe/line_search.h"
#include "traffic/frank_wolfe/load.h"

// ---- Random networks: a ring that joins all nodes, and random links

enum { NODES = 40, ZONES = 12, LINKS = 150, CLASSES = 2 };

typedef struct city {
    int32_t tail[LINKS], head[LINKS];
    double capacity[LINKS], length[LINKS], free_time[LINKS], b[LINKS], power[LINKS], toll[LINKS];
    int64_t first[CLASSES][ZONES + 1];
    int32_t to[CLASSES][ZONES * ZONES];
    double amount[CLASSES][ZONES * ZONES];
    mco_traffic_class trips[CLASSES];
} city;

static uint64_t state_of_draws;

// In [0, 1).
static double draw(void)
{
    state_of_draws = state_of_draws * 6364136223846793005u + 1442695040888963407u;
    return (double)(state_of_draws >> 11) * 0x1p-53;
}

typedef struct recipe {
    uint64_t seed;
    double power;         // -1: 1, 2 or 4 by link; -2: between 1 and 5
    bool has_ends;        // paths do not pass through zones
    bool has_ties;        // costs are small integers, and some are 0
    int32_t classes;
} recipe;

static void draw_links(city *c, const recipe *r)
{
    for (int32_t a = 0; a < LINKS; a++) {
        c->tail[a] = a < NODES ? a : (int32_t)(draw() * NODES);
        c->head[a] = a < NODES ? (a + 1) % NODES : (int32_t)(draw() * NODES);
        if (r->has_ends && a < NODES) {  // a ring of the others, and links to and from each zone
            c->tail[a] = a < ZONES ? a : a;
            c->head[a] = a < ZONES ? ZONES + a : a + 1 < NODES ? a + 1 : ZONES;
        } else if (r->has_ends && a < NODES + ZONES) {
            c->tail[a] = ZONES + (a * 5) % (NODES - ZONES);
            c->head[a] = a - NODES;
        }
        if (c->head[a] == c->tail[a])
            c->head[a] = (c->tail[a] + 7) % NODES;
        c->capacity[a] = 5 + 20 * draw();
        c->length[a] = draw();
        c->free_time[a] = r->has_ties ? floor(3 * draw()) : 1 + 9 * draw();
        c->b[a] = r->has_ties && draw() < 0.5 ? 0 : 0.15;
        const double powers[] = {1, 2, 4};
        c->power[a] = r->power >= 0 ? r->power : r->power == -1 ? powers[(int)(3 * draw())] : 1 + 4 * draw();
        c->toll[a] = draw();
    }
}

static void draw_trips(city *c, int32_t k)
{
    int64_t count = 0;
    for (int32_t o = 0; o < ZONES; o++) {
        c->first[k][o] = count;
        for (int32_t d = 0; d < ZONES; d++)
            if (d != o && draw() < 0.7) {
                c->to[k][count] = d;
                c->amount[k][count++] = 0.1 + 2 * draw();
            }
    }
    c->first[k][ZONES] = count;
    c->trips[k] = (mco_traffic_class){.name = k == 0 ? "cars" : "trucks", .first = c->first[k], .to = c->to[k], .amount = c->amount[k],
                                      .toll_factor = k == 0 ? 0 : 2, .distance_factor = 0, .car_equivalent = k == 0 ? 1 : 2.5,
                                      .stated_total = NAN, .stated_toll_factor = NAN, .stated_distance_factor = NAN};
}

static mco_traffic *make(const recipe *r)
{
    static city c;
    mco_traffic *traffic = NULL;
    state_of_draws = r->seed * 977 + 12345;
    draw_links(&c, r);
    for (int32_t k = 0; k < r->classes; k++)
        draw_trips(&c, k);
    const mco_traffic_network net = {.nodes = NODES, .zones = ZONES, .first_through = r->has_ends ? ZONES : 0, .links = LINKS, .tail = c.tail,
                                     .head = c.head, .capacity = c.capacity, .length = c.length, .free_time = c.free_time, .b = c.b,
                                     .power = c.power, .toll = c.toll};
    assert_ok(mco_traffic_create(test_ctx, "city", &net, r->classes, c.trips, &traffic));
    return traffic;
}

static const recipe recipes[] = {{1, 4, false, false, 1}, {2, 4, true, false, 1},  {3, -1, false, false, 1}, {4, -2, true, false, 1},
                                 {5, 4, false, true, 1},  {6, 4, true, true, 2},   {7, 4, false, false, 2},  {8, -1, true, true, 2},
                                 {9, 1, true, false, 1},  {10, -2, false, true, 2}};

static mco_traffic_params cores(mco_traffic_method method, double gap)
{
    mco_traffic_params p = MCO_TRAFFIC_PARAMS_INIT;
    p.engine = MCO_ENGINE_CPU;
    p.method = method;
    p.gap = gap;
    p.threads = 1;
    p.iterations = 5000;
    return p;
}

static const mco_traffic_method methods[] = {MCO_TRAFFIC_METHOD_FW, MCO_TRAFFIC_METHOD_CFW, MCO_TRAFFIC_METHOD_BFW};

// ---- Directions

enum { LENGTH = 30 };

// Conjugate directions by their definition: the step from x is orthogonal, by H, to the last directions.
static void test_directions_are_conjugate(void **state)
{
    (void)state;
    int seen[3] = {0};
    for (int k = 0; k < 2000; k++) {
        double x[LENGTH], y[LENGTH], last[LENGTH], before[LENGTH], slope[LENGTH], near[LENGTH], far[LENGTH];
        const double step = 0.9 * draw();
        traffic_conjugacy sums = {0};
        double far_near = 0;
        for (int a = 0; a < LENGTH; a++) {
            before[a] = draw(), last[a] = draw(), y[a] = draw(), slope[a] = draw();
            const double start = draw();
            x[a] = start + step * (last[a] - start);
            near[a] = last[a] - x[a];
            far[a] = step * last[a] + (1 - step) * before[a] - x[a];
            far_near += far[a] * slope[a] * near[a];
        }
        // The two last directions are conjugate in the method: correct `before` along `near` until they are.
        double near_near = 0;
        for (int a = 0; a < LENGTH; a++)
            near_near += near[a] * slope[a] * near[a];
        for (int a = 0; a < LENGTH; a++) {
            before[a] -= far_near / near_near * near[a] / (1 - step);
            far[a] = step * last[a] + (1 - step) * before[a] - x[a];
            sums.near_y += near[a] * slope[a] * (y[a] - x[a]);
            sums.near_near += near[a] * slope[a] * near[a];
            sums.far_y += far[a] * slope[a] * (y[a] - x[a]);
            sums.far_far += far[a] * slope[a] * (before[a] - last[a]);
        }
        for (int32_t memory = 0; memory <= 2; memory++) {
            const traffic_shares s = traffic_direction(memory, step, &sums);
            double by_near = 0, by_far = 0, size = 0;
            for (int a = 0; a < LENGTH; a++) {
                const double d = s.y * y[a] + s.last * last[a] + s.before * before[a] - x[a];
                by_near += near[a] * slope[a] * d;
                by_far += far[a] * slope[a] * d;
                size += fabs(near[a] * slope[a] * d) + fabs(far[a] * slope[a] * d);
            }
            assert_true(fabs(s.y + s.last + s.before - 1) < 1e-14 && s.y > 0 && s.last >= 0 && s.before >= 0);
            if (memory == 0)
                assert_true(s.y == 1);
            if (memory == 1 && s.last > 0)
                seen[1] += fabs(by_near) <= 1e-12 * size ? 1 : -1000000;
            if (memory == 2 && s.last > 0 && s.before > 0)
                seen[2] += fabs(by_near) + fabs(by_far) <= 1e-10 * size ? 1 : -1000000;
        }
    }
    assert_true(seen[1] > 100 && seen[2] > 20);
}

static void test_memory_restarts(void **state)
{
    (void)state;
    assert_int_equal(traffic_memory_after(0, 0.5, 0), 0);
    assert_int_equal(traffic_memory_after(0, 0.5, 2), 1);
    assert_int_equal(traffic_memory_after(1, 0.5, 2), 2);
    assert_int_equal(traffic_memory_after(2, 0.5, 2), 2);
    assert_int_equal(traffic_memory_after(2, 1, 2), 0);
}

static void test_polynomial_zero(void **state)
{
    (void)state;
    for (int k = 0; k < 1000; k++) {
        const double p[5] = {-draw(), draw(), 3 * draw(), draw() * (k % 3), 10 * draw() * (k % 2)};
        double low = 0, high = 1, slope;
        const double zero = traffic_polynomial_zero(p, 5);
        if (traffic_polynomial(p, 5, 1, &slope) <= 0) {
            assert_true(zero == 1);
            continue;
        }
        for (int i = 0; i < 60; i++)
            *(traffic_polynomial(p, 5, (low + high) / 2, &slope) > 0 ? &high : &low) = (low + high) / 2;
        assert_true(fabs(zero - low) < 1e-14);
    }
    assert_true(traffic_polynomial_zero((double[]){0.5, 1}, 2) == 0);
}

// ---- Line searches

static const mco_traffic_line_search searches[] = {MCO_TRAFFIC_SEARCH_EXACT, MCO_TRAFFIC_SEARCH_GOLDEN, MCO_TRAFFIC_SEARCH_FIBONACCI,
                                                   MCO_TRAFFIC_SEARCH_DICHOTOMY};

// Flows and a direction that keeps them at 0 or more.
static void draw_line(const traffic_problem *p, double *flow, double *direction)
{
    for (int32_t a = 0; a < p->links; a++) {
        flow[a] = 30 * draw();
        direction[a] = 40 * draw() - flow[a];
    }
}

static void test_line_searches(void **state)
{
    (void)state;
    static const mco_traffic_cost costs[] = {MCO_TRAFFIC_COST_BPR, MCO_TRAFFIC_COST_CONICAL, MCO_TRAFFIC_COST_AKCELIK};
    int inside = 0;
    for (int k = 0; k < 4 * COUNT_OF(recipes); k++) {
        recipe r = recipes[k / 4];
        r.classes = 1;
        mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
        params.cost = k % 4 < 3 ? costs[k % 4] : MCO_TRAFFIC_COST_BPR;
        params.objective = k % 4 == 3 ? MCO_TRAFFIC_SO : MCO_TRAFFIC_UE;
        if (params.cost == MCO_TRAFFIC_COST_CONICAL)
            r.power = 3;  // it is alpha, above 1
        mco_traffic *traffic = make(&r);
        traffic_problem p = {0};
        double flow[2 * LINKS], direction[2 * LINKS];
        assert_ok(traffic_problem_make(test_ctx, traffic, &params, &p));
        assert_true(p.links <= 2 * LINKS);
        draw_line(&p, flow, direction);
        double slope = 0;
        for (int32_t a = 0; a < p.links; a++)
            slope += direction[a] * traffic_cost(&p.costs, a, flow[a]);
        const double extra = k % 2 ? -slope - 50 : 0;
        const traffic_line line = traffic_line_make(&p, flow, direction, extra);
        const double exact = traffic_line_search(&line, MCO_TRAFFIC_SEARCH_EXACT), size = fabs(slope) + fabs(extra);
        assert_true(fabs(traffic_line_slope(&line, 0) - slope - extra) <= 1e-9 * size);
        // The derivative is the difference of values.
        for (double s = 0.1; s < 1; s += 0.2) {
            const double h = 1e-5, difference = (traffic_line_value(&line, s + h) - traffic_line_value(&line, s - h)) / (2 * h);
            assert_true(fabs(difference - traffic_line_slope(&line, s)) <= 1e-5 * (size + fabs(difference)));
        }
        if (exact > 0 && exact < 1) {
            assert_true(fabs(traffic_line_slope(&line, exact)) <= 1e-9 * size);
            inside++;
        } else {
            assert_true(exact == 0 ? slope + extra >= 0 : traffic_line_slope(&line, 1) <= 0);
        }
        for (int i = 1; i < COUNT_OF(searches); i++)
            assert_true(fabs(traffic_line_search(&line, searches[i]) - exact) < 1e-6);
        traffic_problem_clear(test_ctx, &p);
        mco_traffic_destroy(test_ctx, &traffic);
    }
    assert_true(inside > 5);
}

// ---- Loads

typedef mco_status opener(mco_context *ctx, const traffic_call *call, traffic_loader *out);

typedef struct loaded {
    double flow[CLASSES * LINKS * 2], least, total;
    double gap;  // by the certificate
} loaded;

static void load_by(opener *open, const traffic_problem *p, int32_t threads, mco_simd simd, const double *at, loaded *out)
{
    const mco_run_settings settings = {.time_limit_s = INFINITY, .target = -1, .objective = "objective"};
    mco_run run = mco_run_begin(test_ctx, &settings);
    mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
    params.threads = threads;
    params.simd = simd;
    const traffic_call call = {.problem = p, .params = &params, .run = &run, .memory = 1e9};
    traffic_loader loader = {0};
    traffic_certificate proof = {0};
    traffic_proof verdict;
    assert_ok(open(test_ctx, &call, &loader));
    assert_ok(traffic_certificate_open(test_ctx, p, at, p->classes > 1 ? at + p->links : NULL, &proof));
    for (int i = 0; i < 2; i++)  // the second time with orders that are there
        assert_ok(loader.load(loader.self, proof.cost, out->flow, &out->least));
    assert_ok(loader.prove(loader.self, &proof));
    out->total = 0;
    for (int32_t k = 0; k < p->classes; k++)
        for (int32_t a = 0; a < p->links; a++)
            out->total += out->flow[k * p->links + a] * proof.cost[(p->extra != NULL ? k * p->links : 0) + a];
    assert_ok(traffic_certificate_close(test_ctx, &proof, NULL, &verdict));
    out->gap = verdict.gap;
    traffic_certificate_clear(test_ctx, &proof);
    loader.close(loader.self);
    mco_run_clear(&run);
}

// Least costs by the plain search of order.c; loads cost as much, by both loaders, on any number of threads and any vector unit.
static void test_loads(void **state)
{
    (void)state;
    static const mco_simd units[] = {MCO_SIMD_AUTO, MCO_SIMD_AVX2, MCO_SIMD_PORTABLE};
    static opener *const openers[] = {traffic_loader_open_lanes, traffic_loader_open_hierarchy};
    for (int k = 0; k < COUNT_OF(recipes); k++) {
        mco_traffic *traffic = make(&recipes[k]);
        mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
        traffic_problem p = {0};
        static double at[(CLASSES + 1) * 2 * LINKS];
        static loaded first[2], other;
        assert_ok(traffic_problem_make(test_ctx, traffic, &params, &p));
        for (int32_t a = 0; a < p.links; a++) {
            at[a] = !recipes[k].has_ties ? 20 * draw() : traffic_slope(&p.costs, a, 1) == 0 ? 1 : 0;  // costs with ties stay as they are
            for (int32_t c = 0; c < p.classes && p.classes > 1; c++)
                at[(c + 1) * p.links + a] = at[a] / p.classes;
        }
        for (int j = 0; j < 2; j++) {
            load_by(openers[j], &p, 1, MCO_SIMD_AUTO, at, &first[j]);
            assert_true(first[j].least <= first[j].total * (1 + 1e-12) && first[j].least >= first[j].total * (1 - 1e-6));
            for (int i = 0; i < COUNT_OF(units); i++) {
                if (!mco_simd_has(units[i]))
                    continue;
                memset(&other, 0, sizeof other);
                load_by(openers[j], &p, 2 + i, units[i], at, &other);
                assert_memory_equal(other.flow, first[j].flow, (size_t)(p.classes * p.links) * sizeof *other.flow);
                assert_true(other.least == first[j].least && other.gap == first[j].gap);
            }
        }
        assert_true(fabs(first[0].total - first[1].total) <= 1e-6 * first[0].total);
        assert_true(fabs(first[0].gap - first[1].gap) <= 1e-6 * (1 + fabs(first[0].gap)));
        traffic_problem_clear(test_ctx, &p);
        mco_traffic_destroy(test_ctx, &traffic);
    }
}

// ---- Assignments

static void test_agrees_with_reference(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT_OF(recipes); k++) {
        mco_traffic *traffic = make(&recipes[k]);
        for (int m = 0; m < COUNT_OF(methods); m++) {
            mco_traffic_params p = cores(methods[m], 1e-4), plain = p;
            mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT, s = MCO_TRAFFIC_RESULT_INIT;
            mco_traffic_facts facts;
            plain.engine = MCO_ENGINE_REFERENCE;
            assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r));
            assert_ok(mco_traffic_assign(test_ctx, traffic, &plain, NULL, &s));
            assert_int_equal(r.outcome, MCO_OUTCOME_OPTIMAL);
            assert_true(r.method == methods[m] && r.work.engine == MCO_ENGINE_CPU);
            assert_true(r.objective >= s.bound - 1e-9 * fabs(s.objective) && s.objective >= r.bound - 1e-9 * fabs(r.objective));
            assert_ok(mco_traffic_check(test_ctx, traffic, &p, r.flow, r.class_flow, &facts));
            assert_true(facts.gap <= 1e-4 + 1e-12);
            mco_traffic_result_clear(test_ctx, &s);
            mco_traffic_result_clear(test_ctx, &r);
        }
        mco_traffic_destroy(test_ctx, &traffic);
    }
}

// A gap that labels of integers cannot show: lanes with doubles take over.
static void test_small_gaps(void **state)
{
    (void)state;
    mco_traffic *traffic = make(&recipes[2]);
    mco_traffic_params p = cores(MCO_TRAFFIC_METHOD_BFW, 1e-9);
    mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
    mco_traffic_facts facts;
    p.iterations = 100000;
    assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r));
    assert_int_equal(r.outcome, MCO_OUTCOME_OPTIMAL);
    assert_int_equal(r.work.lane_bits, 64);
    assert_ok(mco_traffic_check(test_ctx, traffic, &p, r.flow, NULL, &facts));
    assert_true(facts.gap <= 1e-9 + 1e-14);
    mco_traffic_result_clear(test_ctx, &r);
    mco_traffic_destroy(test_ctx, &traffic);
}

static void test_objective_falls(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT_OF(recipes); k++) {
        mco_traffic *traffic = make(&recipes[k]);
        for (int m = 0; m < COUNT_OF(methods); m++)
            for (int i = 0; i < COUNT_OF(searches); i++) {
                mco_traffic_params p = cores(methods[m], 1e-3);
                mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
                p.line_search = searches[i];
                assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r));
                assert_int_equal(r.history_count, r.iterations + 1);
                for (int64_t j = 1; j < r.history_count; j++)
                    assert_true(r.history[j].objective < r.history[j - 1].objective);
                assert_true(r.gap <= 1e-3);
                mco_traffic_result_clear(test_ctx, &r);
            }
        mco_traffic_destroy(test_ctx, &traffic);
    }
}

static void test_threads_agree(void **state)
{
    (void)state;
    for (int k = 5; k < 8; k++) {
        mco_traffic *traffic = make(&recipes[k]);
        mco_traffic_params p = cores(MCO_TRAFFIC_METHOD_BFW, 1e-5);
        mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
        assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r));
        for (p.threads = 2; p.threads <= 5; p.threads++) {
            mco_traffic_result s = MCO_TRAFFIC_RESULT_INIT;
            assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &s));
            assert_memory_equal(s.flow, r.flow, (size_t)r.links * sizeof *r.flow);
            assert_true(s.iterations == r.iterations && s.gap == r.gap);
            mco_traffic_result_clear(test_ctx, &s);
        }
        mco_traffic_result_clear(test_ctx, &r);
        mco_traffic_destroy(test_ctx, &traffic);
    }
}

static void test_starts_from_flows(void **state)
{
    (void)state;
    mco_traffic *traffic = make(&recipes[0]);
    mco_traffic_params p = cores(MCO_TRAFFIC_METHOD_BFW, 1e-5);
    mco_traffic_result cold = MCO_TRAFFIC_RESULT_INIT, warm = MCO_TRAFFIC_RESULT_INIT, none = MCO_TRAFFIC_RESULT_INIT;
    assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &cold));
    const mco_traffic_start start = {.flow = cold.flow};
    p.gap = 2e-5;
    assert_ok(mco_traffic_assign(test_ctx, traffic, &p, &start, &warm));
    assert_int_equal(warm.iterations, 0);
    assert_memory_equal(warm.flow, cold.flow, (size_t)cold.links * sizeof *cold.flow);
    p.demand_factor = 1.5;  // the flows carry too little
    assert_int_equal(mco_traffic_assign(test_ctx, traffic, &p, &start, &none), MCO_ERR_ARGUMENT);
    assert_non_null(strstr(mco_context_error(test_ctx), "the start does not carry the trips"));
    mco_traffic_result_clear(test_ctx, &warm);
    mco_traffic_result_clear(test_ctx, &cold);
    mco_traffic_destroy(test_ctx, &traffic);
}

static int ask_to_stop(const mco_progress *progress, void *user)
{
    (void)progress;
    return ++*(int *)user > 0;
}

static void test_stops(void **state)
{
    (void)state;
    mco_traffic *traffic = make(&recipes[0]);
    mco_traffic_params p = cores(MCO_TRAFFIC_METHOD_CFW, 0);
    mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
    p.iterations = 3;
    assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r));
    assert_true(r.iterations == 3 && r.stop == MCO_STOP_ITERATIONS && r.outcome == MCO_OUTCOME_FEASIBLE);
    mco_traffic_result_clear(test_ctx, &r);
    p.iterations = 0;
    double gap = INFINITY;
    // A busy machine may leave a short limit too few steps.
    for (p.time_limit_s = 0.2; !(gap < 1e-2) && p.time_limit_s < 100; p.time_limit_s *= 2) {
        assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r));
        assert_true(r.stop == MCO_STOP_TIME || r.stop == MCO_STOP_FINISHED);  // it may be that no step is seen in numbers any more
        assert_true(r.outcome == (r.flow != NULL ? MCO_OUTCOME_FEASIBLE : MCO_OUTCOME_UNKNOWN));
        gap = r.gap;
        mco_traffic_result_clear(test_ctx, &r);
    }
    assert_true(gap < 1e-2);
    int calls = 0;
    p.time_limit_s = HUGE_VAL;
    mco_context_set_callback(test_ctx, ask_to_stop, &calls);
    assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r));
    assert_true(calls > 0 && (r.stop == MCO_STOP_CANCELLED || r.stop == MCO_STOP_FINISHED));
    mco_traffic_result_clear(test_ctx, &r);
    mco_traffic_destroy(test_ctx, &traffic);
}

static void test_memory_fails(void **state)
{
    (void)state;
    mco_traffic *traffic = make(&recipes[6]);
    for (long k = 1;; k++) {
        mco_traffic_params p = cores(MCO_TRAFFIC_METHOD_BFW, 1e-9);
        mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
        p.iterations = 2;
        test_fail_allocation(k);
        const mco_status st = mco_traffic_assign(test_ctx, traffic, &p, NULL, &r);
        mco_traffic_result_clear(test_ctx, &r);
        if (st == MCO_OK)
            break;
        assert_int_equal(st, MCO_ERR_MEMORY);
        assert_true(k < 2000);
    }
    test_fail_allocation(0);
    // Lanes, where no hierarchy is made.
    mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
    traffic_problem p = {0};
    const mco_run_settings settings = {.time_limit_s = INFINITY, .target = -1, .objective = "objective"};
    mco_run run = mco_run_begin(test_ctx, &settings);
    const traffic_call call = {.problem = &p, .params = &params, .run = &run, .memory = 1e9};
    assert_ok(traffic_problem_make(test_ctx, traffic, &params, &p));
    for (long k = 1;; k++) {
        traffic_loader loader = {0};
        test_fail_allocation(k);
        const mco_status st = traffic_loader_open_lanes(test_ctx, &call, &loader);
        traffic_loader_close(&loader);
        if (st == MCO_OK)
            break;
        assert_int_equal(st, MCO_ERR_MEMORY);
        assert_true(k < 2000);
    }
    test_fail_allocation(0);
    mco_run_clear(&run);
    traffic_problem_clear(test_ctx, &p);
    mco_traffic_destroy(test_ctx, &traffic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_directions_are_conjugate), TEST(test_memory_restarts), TEST(test_polynomial_zero), TEST(test_line_searches), TEST(test_loads),
        TEST(test_agrees_with_reference), TEST(test_small_gaps), TEST(test_objective_falls), TEST(test_threads_agree), TEST(test_starts_from_flows), TEST(test_stops),
        TEST(test_memory_fails)};
    return cmocka_run_group_tests_name("traffic_frank_wolfe", tests, NULL, NULL);
}
