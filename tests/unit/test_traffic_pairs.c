// SPDX-License-Identifier: MIT
// Pairs of alternative segments on cores: random networks against the checker and the reference, equal flows for all threads and vector
// units, flows of every row, warm starts, failing allocations, requests to stop.
#include "test_support.h"

#include <math.h>

#include "base/team.h"
#include "mco/mco.h"
#include "traffic/engine.h"
#include "traffic/pairs/lanes.h"

// ---- Random cities: a grid with streets in both directions, zones that are ends or nodes, classes

typedef struct shape {
    int32_t side, zones, classes;
    bool has_ends, has_zero_costs, has_powers, is_split;  // is_split: a part of the nodes cannot be reached
    double load;
    uint64_t seed;
} shape;

enum { MOST_LINKS = 4096, MOST_ZONES = 64 };

typedef struct city {
    int32_t tail[MOST_LINKS], head[MOST_LINKS];
    double capacity[MOST_LINKS], length[MOST_LINKS], free_time[MOST_LINKS], b[MOST_LINKS], power[MOST_LINKS], toll[MOST_LINKS];
    mco_traffic_network net;
    int64_t first[3][MOST_ZONES + 1];
    int32_t to[3][MOST_ZONES * MOST_ZONES];
    double amount[3][MOST_ZONES * MOST_ZONES];
    mco_traffic_class classes[3];
} city;

static uint64_t seed_state;
static double draw(void)
{
    seed_state = seed_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed_state >> 11) * 0x1p-53;
}

static void street(city *c, const shape *s, int32_t from, int32_t to)
{
    const int32_t l = c->net.links++;
    c->tail[l] = from;
    c->head[l] = to;
    c->capacity[l] = 100 + 900 * draw();
    c->length[l] = draw();
    c->free_time[l] = s->has_zero_costs && draw() < 0.2 ? 0 : 0.5 + draw();
    c->b[l] = 0.15;
    c->power[l] = s->has_powers ? floor(5 * draw()) + (draw() < 0.3 ? 0.5 : 0) : 4;
    c->toll[l] = floor(3 * draw());
}

static void make_trips(city *c, const shape *s, int32_t k)
{
    int64_t count = 0;
    for (int32_t from = 0; from < s->zones; from++) {
        for (int32_t to = 0; to < s->zones; to++) {
            if (draw() < 0.3)
                continue;
            c->to[k][count] = to;
            c->amount[k][count++] = s->load * (1 + floor(40 * draw()));
        }
        c->first[k][from + 1] = count;
    }
    c->classes[k] = (mco_traffic_class){.name = k == 0 ? "cars" : k == 1 ? "lorries" : "vans", .first = c->first[k], .to = c->to[k],
                                        .amount = c->amount[k], .toll_factor = 0.2 * k, .distance_factor = 0.3, .car_equivalent = 1 + k,
                                        .stated_total = NAN, .stated_toll_factor = NAN, .stated_distance_factor = NAN};
}

static mco_traffic *make(const shape *s)
{
    static city c;
    mco_traffic *traffic = NULL;
    memset(&c, 0, sizeof c);
    seed_state = s->seed * 2 + 1;
    const int32_t base = s->has_ends ? s->zones : 0, grid = s->side * s->side;
    c.net = (mco_traffic_network){.nodes = base + grid, .zones = s->zones, .first_through = base, .tail = c.tail, .head = c.head,
                                  .capacity = c.capacity, .length = c.length, .free_time = c.free_time, .b = c.b, .power = c.power,
                                  .toll = c.toll};
    for (int32_t v = 0; v < grid; v++)
        for (int across = 0; across < 2; across++) {
            const int32_t w = across ? v + 1 : v + s->side;
            if ((across && v % s->side == s->side - 1) || w >= grid || (s->is_split && across && v % s->side == s->side / 2))
                continue;
            street(&c, s, base + v, base + w);
            street(&c, s, base + w, base + v);
        }
    for (int32_t z = 0; z < base; z++)
        for (int k = 0; k < 2; k++) {
            const int32_t at = base + (int32_t)(draw() * grid);
            street(&c, s, z, at);
            street(&c, s, at, z);
            c.free_time[c.net.links - 1] = c.free_time[c.net.links - 2] = 0;  // connectors without cost: label ties
        }
    for (int32_t k = 0; k < s->classes; k++)
        make_trips(&c, s, k);
    assert_ok(mco_traffic_create(test_ctx, "random", &c.net, s->classes, c.classes, &traffic));
    return traffic;
}

static const shape SHAPES[] = {
    {.side = 6, .zones = 12, .classes = 1, .load = 3, .seed = 1},
    {.side = 6, .zones = 12, .classes = 1, .has_ends = true, .load = 8, .seed = 2},
    {.side = 7, .zones = 20, .classes = 1, .has_zero_costs = true, .load = 3, .seed = 3},
    {.side = 5, .zones = 9, .classes = 1, .has_powers = true, .has_ends = true, .load = 5, .seed = 4},
    {.side = 6, .zones = 11, .classes = 3, .has_ends = true, .load = 2, .seed = 5},
    {.side = 6, .zones = 10, .classes = 2, .has_zero_costs = true, .has_powers = true, .load = 2, .seed = 6},
    {.side = 8, .zones = 20, .classes = 1, .is_split = true, .has_ends = true, .load = 3, .seed = 7},
    {.side = 4, .zones = 2, .classes = 1, .load = 100, .seed = 8},
    {.side = 8, .zones = 40, .classes = 1, .has_ends = true, .has_zero_costs = true, .load = 6, .seed = 9},
};

static mco_traffic_params pairs_params(double gap)
{
    mco_traffic_params p = MCO_TRAFFIC_PARAMS_INIT;
    p.engine = MCO_ENGINE_CPU;
    p.method = MCO_TRAFFIC_METHOD_PAIRS;
    p.gap = gap;
    p.threads = 1;
    return p;
}

// ---- Answers

static void random_networks_reach_the_gap(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(SHAPES); i++) {
        mco_traffic *traffic = make(&SHAPES[i]);
        const mco_traffic_params p = pairs_params(1e-10);
        mco_traffic_params ref = p;
        ref.engine = MCO_ENGINE_REFERENCE;
        ref.method = MCO_TRAFFIC_METHOD_BFW;
        ref.gap = 1e-4;
        mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT, plain = MCO_TRAFFIC_RESULT_INIT;
        mco_traffic_facts facts;
        assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r));
        assert_int_equal(r.outcome, MCO_OUTCOME_OPTIMAL);
        assert_ok(mco_traffic_check(test_ctx, traffic, &p, r.flow, r.class_flow, &facts));
        assert_true(facts.gap <= 2e-10);
        assert_true(fabs(facts.objective - r.objective) <= 1e-12 * fabs(r.objective));
        assert_ok(mco_traffic_assign(test_ctx, traffic, &ref, NULL, &plain));
        assert_true(r.objective <= plain.objective * (1 + 1e-9));
        assert_true(r.objective >= plain.objective - 1.01 * plain.gap * plain.total_cost);
        mco_traffic_result_clear(test_ctx, &plain);
        mco_traffic_result_clear(test_ctx, &r);
        mco_traffic_destroy(test_ctx, &traffic);
    }
}

// A target that doubles cannot reach ends at rounding, and not where noise has moved flows again.
static void a_target_of_zero_ends_at_rounding(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(SHAPES); i++) {
        if (SHAPES[i].classes > 1)  // classes exchange places at any gap
            continue;
        mco_traffic *traffic = make(&SHAPES[i]);
        const mco_traffic_params p = pairs_params(0);
        mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
        assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r));
        assert_true(r.is_certified && r.gap <= 1e-12);
        mco_traffic_result_clear(test_ctx, &r);
        mco_traffic_destroy(test_ctx, &traffic);
    }
}

static void threads_and_vector_units_agree(void **state)
{
    (void)state;
    const mco_simd units[] = {MCO_SIMD_AVX512, MCO_SIMD_AVX2, MCO_SIMD_PORTABLE};
    for (int i = 1; i < COUNT_OF(SHAPES); i += 3) {
        mco_traffic *traffic = make(&SHAPES[i]);
        mco_traffic_params p = pairs_params(1e-9);
        mco_traffic_result first = MCO_TRAFFIC_RESULT_INIT;
        assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &first));
        for (int u = 0; u < COUNT_OF(units); u++)
            for (int threads = 1; threads <= 4 && mco_simd_has(units[u]); threads++) {
                mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
                p.simd = units[u];
                p.threads = threads;
                assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r));
                assert_int_equal(r.work.simd, units[u]);
                assert_int_equal(r.iterations, first.iterations);
                assert_memory_equal(r.flow, first.flow, (size_t)r.links * sizeof *r.flow);
                mco_traffic_result_clear(test_ctx, &r);
            }
        mco_traffic_result_clear(test_ctx, &first);
        mco_traffic_destroy(test_ctx, &traffic);
    }
}

// ---- The engine alone

typedef struct solve {
    mco_traffic *traffic;
    mco_traffic_params params;
    traffic_problem problem;
    traffic_history history;
    mco_run run;
    traffic_answer answer;
} solve;

static mco_status open_solve(const shape *s, double gap, solve *out)
{
    const mco_run_settings settings = {.time_limit_s = INFINITY, .target = -1, .objective = "objective"};
    memset(out, 0, sizeof *out);
    out->traffic = make(s);
    out->params = pairs_params(gap);
    out->run = mco_run_begin(test_ctx, &settings);
    return traffic_problem_make(test_ctx, out->traffic, &out->params, &out->problem);
}

static mco_status run_solve(solve *s, const traffic_flows *flows, const traffic_pairs *pairs)
{
    const traffic_call call = {.problem = &s->problem, .params = &s->params, .run = &s->run, .history = &s->history, .gap = s->params.gap,
                               .start_flows = flows, .start_pairs = pairs, .wants_state = true};
    return traffic_pairs_assign(test_ctx, &call, &s->answer);
}

static void close_solve(solve *s)
{
    traffic_answer_clear(test_ctx, &s->answer);
    mco_free(test_ctx, &s->history.pass);
    mco_run_clear(&s->run);
    traffic_problem_clear(test_ctx, &s->problem);
    mco_traffic_destroy(test_ctx, &s->traffic);
}

static void flows_of_every_row_carry_its_trips(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(SHAPES); i++) {
        solve s;
        assert_ok(open_solve(&SHAPES[i], 1e-9, &s));
        assert_ok(run_solve(&s, NULL, NULL));
        const traffic_problem *p = &s.problem;
        const traffic_flows *f = &s.answer.flows;
        assert_int_equal(f->rows, p->rows);
        double *sum = calloc((size_t)p->links, sizeof *sum), *balance = calloc((size_t)p->nodes, sizeof *balance);
        assert_true(sum != NULL && balance != NULL);
        for (int32_t r = 0; r < p->rows; r++) {
            memset(balance, 0, (size_t)p->nodes * sizeof *balance);
            double trips = 0;
            for (int64_t k = f->first[r]; k < f->first[r + 1]; k++) {
                assert_true(f->flow[k] > 0 && (k == f->first[r] || f->link[k - 1] < f->link[k]));
                sum[f->link[k]] += f->flow[k];
                balance[p->tail[f->link[k]]] += f->flow[k];
                balance[p->head[f->link[k]]] -= f->flow[k];
            }
            for (int64_t k = p->row_first[r]; k < p->row_first[r + 1]; k++) {
                balance[p->row_origin[r]] -= p->amount[k];
                balance[p->to[k]] += p->amount[k];
                trips += p->amount[k];
            }
            for (int32_t v = 0; v < p->nodes; v++)
                assert_true(fabs(balance[v]) <= 1e-9 * trips);
        }
        for (int32_t l = 0; l < p->links; l++)
            assert_true(fabs(sum[l] - s.answer.flow[l]) <= 1e-9 * (1 + sum[l]));
        free(balance);
        free(sum);
        close_solve(&s);
    }
}

static void a_warm_start_ends_where_a_cold_one_does(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(SHAPES); i += 2) {
        solve cold, warm, again;
        assert_ok(open_solve(&SHAPES[i], 1e-10, &cold));
        assert_ok(run_solve(&cold, NULL, NULL));
        assert_ok(open_solve(&SHAPES[i], 1e-10, &warm));
        assert_ok(run_solve(&warm, &cold.answer.flows, &cold.answer.pairs));
        assert_int_equal(warm.answer.iterations, 0);  // the gap is reached already
        assert_true(warm.answer.gap <= 1e-10);
        // A harder network: links lose capacity. The first rows lose their flows and are loaded anew.
        assert_ok(open_solve(&SHAPES[i], 1e-10, &again));
        for (int32_t l = 0; l < again.problem.links; l += 7)
            ((double *)again.problem.costs.k)[l] *= 2;
        traffic_flows *f = &cold.answer.flows;
        for (int32_t r = 1; r <= f->rows; r++)
            f->first[r > 2 ? r : 0] = r > 2 ? f->first[r] : f->first[2];
        f->first[1] = f->first[0];
        solve fresh;
        assert_ok(open_solve(&SHAPES[i], 1e-10, &fresh));
        for (int32_t l = 0; l < fresh.problem.links; l += 7)
            ((double *)fresh.problem.costs.k)[l] *= 2;
        assert_ok(run_solve(&again, f, &cold.answer.pairs));
        assert_ok(run_solve(&fresh, NULL, NULL));
        if (!(again.answer.gap <= 1e-10 && fresh.answer.gap <= 1e-10)) print_error("shape %d: warm %g after %d, cold %g after %d\n", i, again.answer.gap, (int)again.answer.iterations, fresh.answer.gap, (int)fresh.answer.iterations);
        assert_true(again.answer.gap <= 1e-10 && fresh.answer.gap <= 1e-10);
        const double a = traffic_objective(&again.problem, again.answer.flow, again.answer.class_flow);
        const double b = traffic_objective(&fresh.problem, fresh.answer.flow, fresh.answer.class_flow);
        assert_true(fabs(a - b) <= 1e-9 * fabs(a));
        close_solve(&fresh);
        close_solve(&again);
        close_solve(&warm);
        close_solve(&cold);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const shape small[] = {{.side = 4, .zones = 6, .classes = 2, .has_ends = true, .load = 20, .seed = 11},
                           {.side = 4, .zones = 6, .classes = 1, .has_zero_costs = true, .load = 20, .seed = 12}};
    for (int i = 0; i < COUNT_OF(small); i++) {
        bool is_whole = false;
        for (long k = 1; !is_whole; k += TEST_IS_SANITIZED ? 7 : 1) {
            solve s;
            assert_ok(open_solve(&small[i], 1e-8, &s));
            s.params.threads = 1 + k % 2;
            test_fail_allocation(k);
            const mco_status st = run_solve(&s, NULL, NULL);
            is_whole = test_memory.calls < k;
            test_fail_allocation(0);
            assert_true(st == MCO_ERR_MEMORY || (st == MCO_OK && s.answer.gap <= 1e-8));  // a thread less is no failure
            close_solve(&s);
        }
    }
}

// ---- Stops

static int stop_after;
static int count_down(const mco_progress *progress, void *user)
{
    (void)progress;
    (void)user;
    return stop_after-- <= 0;
}

static void a_request_stops_it_with_whole_flows(void **state)
{
    (void)state;
    const shape s = {.side = 20, .zones = 60, .classes = 1, .load = 6, .seed = 13};
    for (stop_after = 0; stop_after < 1;) {
        const int asked = stop_after;
        mco_traffic *traffic = make(&s);
        mco_traffic_params p = pairs_params(0);
        mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
        mco_context_set_callback(test_ctx, count_down, NULL);
        assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r));
        mco_context_set_callback(test_ctx, NULL, NULL);
        assert_true(r.outcome == MCO_OUTCOME_UNKNOWN || r.outcome == MCO_OUTCOME_FEASIBLE || r.outcome == MCO_OUTCOME_OPTIMAL);
        if (r.outcome != MCO_OUTCOME_UNKNOWN) {
            mco_traffic_facts facts;
            assert_ok(mco_traffic_check(test_ctx, traffic, &p, r.flow, r.class_flow, &facts));
        }
        mco_traffic_result_clear(test_ctx, &r);
        mco_traffic_destroy(test_ctx, &traffic);
        stop_after = asked + 1;
    }
}

static void iterations_end_it(void **state)
{
    (void)state;
    mco_traffic *traffic = make(&SHAPES[8]);
    mco_traffic_params p = pairs_params(1e-12);
    mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
    p.iterations = 2;
    assert_ok(mco_traffic_assign(test_ctx, traffic, &p, NULL, &r));
    assert_int_equal(r.iterations, 2);
    assert_int_equal(r.outcome, MCO_OUTCOME_FEASIBLE);
    mco_traffic_result_clear(test_ctx, &r);
    mco_traffic_destroy(test_ctx, &traffic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(random_networks_reach_the_gap), TEST(a_target_of_zero_ends_at_rounding), TEST(threads_and_vector_units_agree), TEST(flows_of_every_row_carry_its_trips),
        TEST(a_warm_start_ends_where_a_cold_one_does), TEST(every_allocation_may_fail), TEST(a_request_stops_it_with_whole_flows),
        TEST(iterations_end_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
