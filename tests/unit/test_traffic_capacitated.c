// SPDX-License-Identifier: MIT
// Hard capacities: networks solved by hand, random ones against a linear program over all paths, demand above capacity, stops, memory.
#include <math.h>

#include "base/rng.h"
#include "mco/mco.h"
#include "traffic_streets_support.h"

enum { MOST_LINKS = 64, MOST_TRIPS = 16 };

typedef struct town {
    mco_traffic_network net;
    int32_t tail[MOST_LINKS], head[MOST_LINKS];
    double capacity[MOST_LINKS], free_time[MOST_LINKS], toll[MOST_LINKS];
    int class_count;
    mco_traffic_class class[2];
    int64_t first[2][MOST_LINKS];
    int32_t to[2][MOST_TRIPS];
    double amount[2][MOST_TRIPS];
} town;

static town place;

static town *new_town(int32_t nodes, int32_t zones, int classes)
{
    town *t = &place;
    memset(t, 0, sizeof *t);
    t->net = (mco_traffic_network){.nodes = nodes, .zones = zones, .tail = t->tail, .head = t->head, .capacity = t->capacity,
                                   .free_time = t->free_time, .toll = t->toll};
    t->class_count = classes;
    for (int k = 0; k < classes; k++)
        t->class[k] = (mco_traffic_class){.name = k == 0 ? "first" : "second", .first = t->first[k], .to = t->to[k], .amount = t->amount[k],
                                          .toll_factor = k, .distance_factor = 0, .car_equivalent = 1 + k, .stated_total = NAN,
                                          .stated_toll_factor = NAN, .stated_distance_factor = NAN};
    return t;
}

static void add_link(town *t, int32_t tail, int32_t head, double free_time, double capacity)
{
    const int32_t a = t->net.links++;
    assert_true(a < MOST_LINKS);
    t->tail[a] = tail;
    t->head[a] = head;
    t->free_time[a] = free_time;
    t->capacity[a] = capacity;
}

static void add_trip(town *t, int k, int32_t from, int32_t to, double amount)
{
    const int64_t i = t->first[k][t->net.zones];
    assert_true(i < MOST_TRIPS);
    t->to[k][i] = to;
    t->amount[k][i] = amount;
    for (int32_t o = from + 1; o <= t->net.zones; o++)
        t->first[k][o] = i + 1;
}

typedef struct solved {
    mco_traffic *traffic;
    traffic_problem problem;
    traffic_answer answer;
    traffic_history history;
    mco_status status;
    double flow[MOST_LINKS], price[MOST_LINKS];  // by the links of the network
} solved;

static solved solve(town *t, double gap, int threads, traffic_engine *inner)
{
    solved s = {0};
    mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
    const mco_run_settings settings = {.time_limit_s = MCO_NO_LIMIT, .target = -1, .objective = "objective"};
    mco_run run = mco_run_begin(test_ctx, &settings);
    params.capacities = MCO_TRAFFIC_CAPACITIES_HARD;
    params.threads = threads;
    params.gap = gap;
    s.status = mco_traffic_create(test_ctx, "town", &t->net, t->class_count, t->class, &s.traffic);
    if (s.status == MCO_OK)
        s.status = traffic_problem_make(test_ctx, s.traffic, &params, &s.problem);
    const traffic_call call = {.problem = &s.problem, .params = &params, .run = &run, .history = &s.history, .gap = gap};
    if (s.status == MCO_OK)
        s.status = traffic_capacitated_solve(test_ctx, inner, &call, &s.answer);
    for (int32_t a = 0; a < t->net.links && s.status == MCO_OK; a++) {
        s.flow[a] = s.answer.flow[s.problem.link_at[a]];
        s.price[a] = s.answer.price[s.problem.link_at[a]];
    }
    mco_run_clear(&run);
    return s;
}

static void clear(solved *s)
{
    mco_free(test_ctx, &s->history.pass);
    traffic_answer_clear(test_ctx, &s->answer);
    traffic_problem_clear(test_ctx, &s->problem);
    mco_traffic_destroy(test_ctx, &s->traffic);
    test_paths_reset();
}

static void assert_near(double seen, double expected, double within, const char *what)
{
    if (!(fabs(seen - expected) <= within))
        fail_msg("%s is %.12g, %.12g was expected", what, seen, expected);
}

// ---- By hand

static void test_two_routes(void **state)
{
    (void)state;
    town *t = new_town(2, 2, 1);
    add_link(t, 0, 1, 10, 100);
    add_link(t, 0, 1, 15, 1000);
    add_trip(t, 0, 0, 1, 150);
    solved s = solve(t, 1e-10, 1, test_path_engine);
    assert_int_equal(s.status, MCO_OK);
    assert_false(s.answer.is_infeasible);
    assert_near(s.flow[0], 100, 1e-6, "the flow of the short route");
    assert_near(s.flow[1], 50, 1e-6, "the flow of the long route");
    // The queue makes both routes equal.
    assert_near(s.price[0], 5, 1e-6, "the price of the short route");
    assert_near(s.price[1], 0, 1e-6, "the price of the long route");
    assert_near(s.answer.objective, 1750, 1e-5, "the objective");
    assert_near(s.answer.bound, 1750, 1e-5, "the bound");
    assert_true(s.answer.bound <= 1750 * (1 + 1e-12) && s.answer.gap <= 1e-10 && s.answer.excess <= 1e-10);
    assert_int_equal(s.history.count, s.answer.iterations);
    clear(&s);
}

// The queue stands at the narrow link in the middle, which two trips share; one has a detour.
static void test_bottleneck(void **state)
{
    (void)state;
    town *t = new_town(5, 3, 1);
    add_link(t, 0, 3, 1, 1000);
    add_link(t, 1, 3, 1, 1000);
    add_link(t, 3, 4, 2, 300);
    add_link(t, 4, 2, 1, 1000);
    add_link(t, 0, 2, 12, 1000);
    add_trip(t, 0, 0, 2, 250);
    add_trip(t, 0, 1, 2, 150);
    solved s = solve(t, 1e-10, 1, test_path_engine);
    assert_int_equal(s.status, MCO_OK);
    assert_near(s.flow[2], 300, 1e-5, "the flow of the bottleneck");
    assert_near(s.flow[4], 100, 1e-5, "the flow of the detour");
    assert_near(s.price[2], 8, 1e-5, "the price of the bottleneck");
    assert_near(s.answer.objective, 300 * 4 + 100 * 12, 1e-4, "the objective");
    clear(&s);
}

static void test_room_enough(void **state)
{
    (void)state;
    town *t = new_town(2, 2, 1);
    add_link(t, 0, 1, 10, 1000);
    add_link(t, 0, 1, 15, 1000);
    add_trip(t, 0, 0, 1, 150);
    solved s = solve(t, 1e-10, 1, test_path_engine);
    assert_int_equal(s.status, MCO_OK);
    assert_near(s.flow[0], 150, 1e-9, "the flow of the short route");
    assert_near(s.answer.objective, 1500, 1e-9, "the objective");
    assert_near(s.price[0], 0, 1e-6, "its price");
    clear(&s);
}

// Cars of the second class are trucks of 2, and pay tolls: they leave the tolled link first.
static void test_classes(void **state)
{
    (void)state;
    town *t = new_town(2, 2, 2);
    add_link(t, 0, 1, 10, 100);
    add_link(t, 0, 1, 15, 1000);
    t->toll[0] = 3;
    add_trip(t, 0, 0, 1, 80);
    add_trip(t, 1, 0, 1, 30);
    solved s = solve(t, 1e-10, 1, test_path_engine);
    assert_int_equal(s.status, MCO_OK);
    const int32_t *at = s.problem.link_at, links = s.problem.links;
    assert_near(s.answer.class_flow[at[0]], 80, 1e-5, "the cars of the first class on the short route");
    assert_near(s.answer.class_flow[links + at[0]], 20, 1e-5, "the cars of the second class on the short route");
    const double toll = s.problem.extra != NULL ? s.problem.extra[links + at[0]] - s.problem.extra[at[0]] : NAN;
    assert_near(s.price[0], 5 - toll, 1e-5, "the price of the short route");
    assert_near(s.answer.objective, 100 * 10.0 + 20 * toll + 40 * 15.0, 1e-4, "the objective");
    assert_near(s.answer.bound, s.answer.objective, 1e-4, "the bound");
    clear(&s);
}

static void test_infeasible(void **state)
{
    (void)state;
    static const double demands[] = {199.5, 199.99, 200.01, 200.5, 250, 20000};
    for (int k = 0; k < COUNT_OF(demands); k++) {
        town *t = new_town(4, 2, 1);
        add_link(t, 0, 2, 10, 100);
        add_link(t, 0, 3, 15, 1e6);
        add_link(t, 2, 1, 10, 5000);
        add_link(t, 3, 1, 15, 100);
        add_link(t, 2, 3, 1, 80);
        add_trip(t, 0, 0, 1, demands[k]);
        solved s = solve(t, 1e-9, 1, test_path_engine);
        assert_int_equal(s.status, MCO_OK);
        if (s.answer.is_infeasible != (demands[k] > 200))
            fail_msg("demand %g: gap %g, excess %g, objective %g, bound %g after %d passes", demands[k], s.answer.gap, s.answer.excess,
                     s.answer.objective, s.answer.bound, (int)s.answer.iterations);
        if (s.answer.is_infeasible) {
            // The certificate: paths cost more by the prices than the capacities earn.
            const double paths[3] = {s.price[0] + s.price[2], s.price[1] + s.price[3], s.price[0] + s.price[4] + s.price[3]};
            double earned = 0;
            for (int a = 0; a < 5; a++)
                earned += s.price[a] * t->capacity[a];
            assert_true(fmin(paths[0], fmin(paths[1], paths[2])) * demands[k] > earned);
        } else {
            if (!(s.answer.gap <= 1e-9))
                fail_msg("demand %.10g: gap %g, excess %g, objective %.15g, bound %.15g after %d passes", demands[k], s.answer.gap, s.answer.excess, s.answer.objective, s.answer.bound, (int)s.answer.iterations);
        }
        clear(&s);
    }
}

// ---- A linear program over all paths

enum { ROWS = MOST_LINKS + MOST_TRIPS, COLUMNS = 512 };

typedef struct program {
    int rows, columns;
    double a[ROWS + 1][COLUMNS + 1];  // the last row holds costs, the last column the right side
    int basis[ROWS];
} program;

static void pivot(program *p, int row, int column)
{
    const double by = p->a[row][column];
    for (int j = 0; j <= p->columns; j++)
        p->a[row][j] /= by;
    for (int i = 0; i <= p->rows; i++) {
        const double factor = p->a[i][column];
        for (int j = 0; j <= p->columns && i != row && factor != 0; j++)
            p->a[i][j] -= factor * p->a[row][j];
    }
    p->basis[row] = column;
}

// The simplex method with Bland's rule, from a basis of slacks and artificial columns; costs are reduced already.
static void run_simplex(program *p)
{
    for (;;) {
        int column = -1, row = -1;
        for (int j = 0; j < p->columns && column < 0; j++)
            column = p->a[p->rows][j] < -1e-9 ? j : -1;
        if (column < 0)
            return;
        for (int i = 0; i < p->rows; i++)
            if (p->a[i][column] > 1e-9 && (row < 0 || p->a[i][p->columns] * p->a[row][column] < p->a[row][p->columns] * p->a[i][column] - 1e-12 ||
                                           (p->a[i][p->columns] * p->a[row][column] <= p->a[row][p->columns] * p->a[i][column] + 1e-12 &&
                                            p->basis[i] < p->basis[row])))
                row = i;
        assert_true(row >= 0);  // costs are 0 or more, so the program is bounded
        pivot(p, row, column);
    }
}

static program lp;

static void add_paths(const town *t, int64_t trip, int32_t at, int32_t end, const bool *on, const bool *seen, double cost)
{
    if (at == end) {
        const int j = lp.columns++;
        assert_true(j < COLUMNS - ROWS - MOST_TRIPS);
        for (int32_t a = 0; a < t->net.links; a++)
            lp.a[a][j] = on[a];
        lp.a[t->net.links + trip][j] = 1;
        lp.a[lp.rows][j] = cost;
        return;
    }
    for (int32_t a = 0; a < t->net.links; a++) {
        if (t->tail[a] != at || seen[t->head[a]])
            continue;
        bool now[MOST_LINKS], there[MOST_LINKS];
        memcpy(now, on, sizeof now);
        memcpy(there, seen, sizeof there);
        now[a] = there[t->head[a]] = true;
        add_paths(t, trip, t->head[a], end, now, there, cost + t->free_time[a]);
    }
}

// The least cost with all capacities; infinite if there are no such flows. Artificial columns cost much more than any path.
static double by_simplex(const town *t)
{
    static const double MUCH = 1e4;
    const int64_t trips = t->first[0][t->net.zones];
    memset(&lp, 0, sizeof lp);
    lp.rows = t->net.links + (int)trips;
    for (int32_t o = 0; o < t->net.zones; o++)
        for (int64_t i = t->first[0][o]; i < t->first[0][o + 1]; i++) {
            const bool none[MOST_LINKS] = {false};
            bool seen[MOST_LINKS] = {false};
            seen[o] = true;
            add_paths(t, i, o, t->to[0][i], none, seen, 0);
        }
    const int paths = lp.columns;
    lp.columns = paths + lp.rows;
    for (int i = 0; i < lp.rows; i++) {
        lp.a[i][paths + i] = 1;
        lp.a[i][lp.columns] = i < t->net.links ? t->capacity[i] : t->amount[0][i - t->net.links];
        lp.basis[i] = paths + i;
        lp.a[lp.rows][paths + i] = i < t->net.links ? 0 : MUCH;
    }
    for (int i = t->net.links; i < lp.rows; i++)
        for (int j = 0; j <= lp.columns; j++)
            lp.a[lp.rows][j] -= MUCH * lp.a[i][j];
    run_simplex(&lp);
    for (int i = 0; i < lp.rows; i++)
        if (lp.basis[i] >= paths + t->net.links && lp.a[i][lp.columns] > 1e-6)
            return INFINITY;
    return -lp.a[lp.rows][lp.columns];
}

static double between(mco_rng *rng, double low, double high)
{
    return low + (high - low) * mco_rng_real(rng);
}

// Half of the networks have round numbers, so flows and prices of the linear program are often not unique.
static town *random_town(uint64_t seed)
{
    mco_rng rng;
    mco_rng_seed(&rng, seed, 0);
    const int32_t nodes = 5 + (int32_t)mco_rng_below(&rng, 2), zones = 3;
    const bool is_round = seed % 2 == 1;
    town *t = new_town(nodes, zones, 1);
    for (int32_t u = 0; u < nodes; u++)
        for (int32_t v = 0; v < nodes; v++)
            if (u != v && (v == (u + 1) % nodes || mco_rng_below(&rng, 100) < 35)) {
                const double cost = between(&rng, 1, 10), room = between(&rng, 20, 200);
                add_link(t, u, v, is_round ? floor(cost) : cost, is_round ? 10 * floor(room / 10) : room);
            }
    for (int32_t o = 0; o < zones; o++)
        for (int32_t d = 0; d < zones; d++)
            if (o != d && mco_rng_below(&rng, 3) > 0) {
                const double amount = between(&rng, 20, 110);
                add_trip(t, 0, o, d, is_round ? 10 * floor(amount / 10) : amount);
            }
    return t;
}

static void test_random_networks(void **state)
{
    (void)state;
    int feasible = 0, infeasible = 0;
    for (uint64_t seed = 1; seed <= (TEST_IS_SANITIZED ? 40 : 200); seed++) {
        town *t = random_town(seed);
        if (t->first[0][t->net.zones] == 0)
            continue;
        const double least = by_simplex(t);
        solved s = solve(t, 1e-8, 1, test_path_engine);
        assert_int_equal(s.status, MCO_OK);
        if (s.answer.is_infeasible != isinf(least))
            fail_msg("network %d: objective %g by simplex, %g and infeasible %d, excess %g, gap %g", (int)seed, least, s.answer.objective,
                     s.answer.is_infeasible, s.answer.excess, s.answer.gap);
        infeasible += isinf(least);
        feasible += !isinf(least);
        if (!isinf(least)) {
            if (!(s.answer.gap <= 1e-8 && s.answer.excess <= 1e-8 && fabs(s.answer.objective - least) <= 1e-6 * least &&
                  fabs(s.answer.bound - least) <= 1e-6 * least && s.answer.bound <= least * (1 + 1e-9)))
                fail_msg("network %d: objective %.12g, bound %.12g, by simplex %.12g, gap %g, excess %g, %d passes", (int)seed,
                         s.answer.objective, s.answer.bound, least, s.answer.gap, s.answer.excess, (int)s.answer.iterations);
        }
        clear(&s);
    }
    assert_true(feasible > 5 && infeasible > 5);
}

// The entry point: prices are in the costs, the checker sees no excess, the bound is a dual value; demand above capacity has no flows.
static void test_entry_point(void **state)
{
    (void)state;
    for (int objective = 0; objective < 2; objective++) {
        town *t = new_town(2, 2, 1);
        add_link(t, 0, 1, 10, 100);
        add_link(t, 0, 1, 15, 70);
        add_trip(t, 0, 0, 1, 150);
        mco_traffic *traffic = NULL;
        mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
        mco_traffic_result result = MCO_TRAFFIC_RESULT_INIT;
        mco_traffic_facts facts = {0};
        params.objective = objective == 0 ? MCO_TRAFFIC_UE : MCO_TRAFFIC_SO;
        params.capacities = MCO_TRAFFIC_CAPACITIES_HARD;
        params.threads = 1;
        params.gap = 1e-9;
        assert_ok(mco_traffic_create(test_ctx, "town", &t->net, 1, t->class, &traffic));
        assert_ok(mco_traffic_assign(test_ctx, traffic, &params, NULL, &result));
        assert_int_equal(result.outcome, MCO_OUTCOME_OPTIMAL);
        assert_near(result.flow[0], 100, 1e-5, "the flow of the short route");
        assert_near(result.objective, 1750, 1e-4, "the objective");
        assert_near(result.bound, 1750, 1e-4, "the bound");
        assert_near(result.cost[0], 15, 1e-5, "the cost of the short route");
        assert_near(result.total_cost, objective == 0 ? 2250 : 1750, 1e-3, "the total cost");
        assert_ok(mco_traffic_check(test_ctx, traffic, &params, result.flow, NULL, &facts));
        assert_near(facts.excess, 0, 1e-6, "the excess by the checker");
        mco_traffic_result_clear(test_ctx, &result);
        params.demand_factor = 1.2;
        assert_ok(mco_traffic_assign(test_ctx, traffic, &params, NULL, &result));
        assert_int_equal(result.outcome, MCO_OUTCOME_INFEASIBLE);
        assert_null(result.flow);
        assert_non_null(strstr(result.reason, "no flows respect the capacities: queues prove it, "));
        assert_non_null(strstr(result.reason, "by link 1 from node 1 to node 2, capacity 100"));
        mco_traffic_result_clear(test_ctx, &result);
        mco_traffic_destroy(test_ctx, &traffic);
    }
}

// ---- Ends

static void test_threads(void **state)
{
    (void)state;
    town *t = random_town(2);
    solved one = solve(t, 1e-8, 1, test_path_engine);
    test_paths_reset();
    solved three = solve(t, 1e-8, 3, test_path_engine);
    assert_int_equal(one.status, MCO_OK);
    assert_int_equal(three.status, MCO_OK);
    assert_memory_equal(one.answer.flow, three.answer.flow, (size_t)one.problem.links * sizeof *one.answer.flow);
    assert_memory_equal(one.answer.price, three.answer.price, (size_t)one.problem.links * sizeof *one.answer.price);
    assert_true(one.answer.bound == three.answer.bound);
    clear(&three);
    clear(&one);
}

static int stop_after;  // calls of the engine

static mco_status stopping_engine(mco_context *ctx, const traffic_call *call, traffic_answer *out)
{
    if (--stop_after == 0)
        mco_cancel(ctx);
    return test_path_engine(ctx, call, out);
}

static void test_stops(void **state)
{
    (void)state;
    town *t = new_town(2, 2, 1);
    add_link(t, 0, 1, 10, 100);
    add_link(t, 0, 1, 15, 1000);
    add_trip(t, 0, 0, 1, 150);
    for (int after = 1; after <= 3; after++) {
        stop_after = after;
        solved s = solve(t, 1e-12, 1, stopping_engine);
        assert_int_equal(s.status, MCO_OK);
        assert_int_equal(s.answer.iterations, after);
        assert_near(s.flow[0] + s.flow[1], 150, 1e-9, "the flow of both routes");
        assert_non_null(s.answer.price);
        mco_clear_cancel(test_ctx);
        clear(&s);
    }
}

static void test_failing_memory(void **state)
{
    (void)state;
    town *t = new_town(2, 2, 1);
    add_link(t, 0, 1, 10, 100);
    add_link(t, 0, 1, 15, 1000);
    add_trip(t, 0, 0, 1, 150);
    bool is_done = false;
    int failures = 0;
    for (long k = 1; !is_done && k < 2000; k++) {
        test_fail_allocation(k);
        solved s = solve(t, 1e-6, 2, test_path_engine);
        is_done = test_memory.calls < k;
        test_fail_allocation(0);
        assert_int_equal(s.status, is_done ? MCO_OK : MCO_ERR_MEMORY);
        failures += s.status == MCO_ERR_MEMORY;
        clear(&s);
    }
    assert_true(is_done && failures > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_two_routes), TEST(test_bottleneck),      TEST(test_room_enough), TEST(test_classes), TEST(test_infeasible),
        TEST(test_random_networks), TEST(test_entry_point), TEST(test_threads), TEST(test_stops), TEST(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
