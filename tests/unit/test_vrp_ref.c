// SPDX-License-Identifier: MIT
// The reference on two small instances on which two independent programs agree; stored segments of every hierarchy;
// moves; and what an engine may be asked for.
#include "test_support.h"

#include "vrp/sweep/segment.h"
#include "vrp_support.h"

enum { MOST_NODES = 7, MOST_TOUR = 10 };

// ---- Instances V1 and V2: Manhattan distances

typedef struct known {
    int32_t customers, x[MOST_NODES], y[MOST_NODES], demand[MOST_NODES], capacity, max_length;
    int32_t tour_nodes, tour[MOST_TOUR];
} known;

static const known V1 = {.customers = 4,
                         .x = {0, -4, 6, 5, 1},
                         .y = {0, -6, -3, -4, -5},
                         .demand = {0, 1, 2, 3, 4},
                         .capacity = 8,
                         .max_length = 32,
                         .tour_nodes = 7,
                         .tour = {0, 1, 2, 0, 3, 4, 0}};
static const known V2 = {.customers = 6,
                         .x = {0, 2, -3, -6, -7, 3, 7},
                         .y = {0, -2, 4, -8, -7, 6, -6},
                         .demand = {0, 5, 4, 1, 1, 3, 3},
                         .capacity = 10,
                         .max_length = 66,
                         .tour_nodes = 10,
                         .tour = {0, 1, 2, 3, 0, 4, 5, 6, 0, 0}};

enum { NO_LIMIT, CAPACITY, CAPACITY_AND_LENGTH };

static mco_vrp *open_known(const known *k, int limits)
{
    const vrp_shape shape = {.customers = k->customers,
                             .is_symmetric = true,
                             .distances = 100,
                             .capacity = limits >= CAPACITY ? k->capacity : 1000,
                             .max_length = limits >= CAPACITY_AND_LENGTH ? k->max_length : 0};
    mco_vrp *p = vrp_case_new(&shape);
    for (int32_t i = 0; i < p->nodes; i++) {
        p->demand[i] = k->demand[i];
        for (int32_t j = 0; j < p->nodes; j++)
            p->matrix[i * p->nodes + j] = abs(k->x[i] - k->x[j]) + abs(k->y[i] - k->y[j]);
    }
    return p;
}

typedef struct bench {
    vrp_engine engine;
    vrp_tour tour;
    int32_t node[MOST_TOUR], spare[MOST_TOUR];
} bench;

static void open_bench(bench *b, const known *k, mco_vrp *problem)
{
    const mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    *b = (bench){.tour = {b->node, k->tour_nodes}};
    memcpy(b->node, k->tour, sizeof k->tour);
    assert_ok(vrp_ref_open(test_ctx, problem, k->tour_nodes, &params, &b->engine));
}

static vrp_scan scan_of(const vrp_tour *tour, bool is_three_opt)
{
    return (vrp_scan){.tour = tour, .is_three_opt = is_three_opt, .hierarchy = -1, .keep = UINT64_MAX};
}

// The known best moves: the limits that apply, 2-opt or 3-opt, the move, the cost, and the number of feasible moves.
typedef struct known_best {
    const known *instance;
    int limits;
    bool is_three_opt;
    vrp_move move;  // x is -1 if only the cost is known
    int64_t cost, feasible;
} known_best;

static const known_best BESTS[] = {
    {&V1, NO_LIMIT, false, {1, 3, -1, -1}, 42, 15},
    {&V1, CAPACITY, false, {2, 4, -1, -1}, 46, 12},
    {&V1, CAPACITY_AND_LENGTH, false, {1, 5, -1, -1}, 48, 10},
    {&V1, NO_LIMIT, true, {1, 3, 5, 2}, 32, 80},
    {&V1, CAPACITY, true, {-1, -1, -1, -1}, 44, 50},
    {&V1, CAPACITY_AND_LENGTH, true, {1, 3, 4, 0}, 44, 34},
    {&V2, NO_LIMIT, false, {3, 5, -1, -1}, 84, 36},
    {&V2, CAPACITY, false, {2, 4, -1, -1}, 90, 25},
    {&V2, CAPACITY_AND_LENGTH, false, {5, 7, -1, -1}, 98, 24},
    {&V2, NO_LIMIT, true, {-1, -1, -1, -1}, 76, 336},
    {&V2, CAPACITY, true, {-1, -1, -1, -1}, 90, 155},
    {&V2, CAPACITY_AND_LENGTH, true, {0, 5, 7, 1}, 98, 140},
};

static int64_t cost_of_tour(const mco_vrp *problem, const vrp_tour *tour)
{
    vrp_value value;
    int32_t routes;
    vrp_tour_value(problem, tour, &value, &routes);
    return value.cost;
}

static void best_moves_are_known(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT_OF(BESTS); k++) {
        const known_best *e = &BESTS[k];
        mco_vrp *problem = open_known(e->instance, e->limits);
        bench b;
        open_bench(&b, e->instance, problem);
        const int64_t base = cost_of_tour(problem, &b.tour);
        assert_int_equal(base, e->instance == &V1 ? 52 : 110);
        vrp_scan scan = scan_of(&b.tour, e->is_three_opt), plain = scan;
        assert_ok(b.engine.scan(&b.engine, &scan, INFINITY));
        assert_int_equal(scan.best.value.cost + base, e->cost);
        assert_int_equal(scan.moves, vrp_move_count(b.tour.count - 1, e->is_three_opt));
        if (e->move.x >= 0)
            assert_memory_equal(&scan.best.move, &e->move, sizeof e->move);
        assert_int_equal(vrp_plain_scan(problem, &plain), e->feasible);
        assert_true(vrp_is_same(plain.best, scan.best));
        b.engine.close(&b.engine);
        vrp_case_free(problem);
    }
}

// ---- All 15 2-opt moves of V1: cost, capacity, length, routes

typedef struct known_move {
    int32_t x, y, cost, load_ok, length_ok, routes;
} known_move;

static const known_move V1_MOVES[] = {
    {0, 1, 52, 1, 1, 2}, {0, 2, 52, 1, 1, 2}, {0, 3, 44, 0, 0, 1}, {0, 4, 52, 1, 0, 2}, {0, 5, 52, 1, 1, 2},
    {1, 2, 52, 1, 1, 2}, {1, 3, 42, 0, 1, 2}, {1, 4, 52, 1, 1, 2}, {1, 5, 48, 1, 1, 2}, {2, 3, 52, 1, 1, 2},
    {2, 4, 46, 1, 0, 2}, {2, 5, 44, 0, 0, 1}, {3, 4, 52, 1, 1, 2}, {3, 5, 52, 1, 1, 2}, {4, 5, 52, 1, 1, 2},
};

// The segment of the whole tour, joined edge by edge.
static vrp_segment whole_of(const mco_vrp *p, const int32_t *node, int32_t count, vrp_limits limits)
{
    vrp_segment whole = vrp_segment_none(limits);
    for (int32_t i = 1; i < count; i++) {
        const vrp_segment edge = vrp_segment_edge(node[i - 1], node[i], vrp_distance(p, node[i - 1], node[i]),
                                                  p->demand[node[i]], vrp_service(p, node[i]), limits);
        whole = vrp_segment_join(&whole, &edge, limits);
    }
    return whole;
}

static void every_move_of_v1_is_known(void **state)
{
    (void)state;
    mco_vrp *problem = open_known(&V1, CAPACITY_AND_LENGTH);
    const vrp_limits limits = {problem->capacity, problem->max_length};
    for (int k = 0; k < COUNT_OF(V1_MOVES); k++) {
        const known_move *m = &V1_MOVES[k];
        int32_t node[MOST_TOUR], spare[MOST_TOUR];
        vrp_tour tour = {node, V1.tour_nodes};
        memcpy(node, V1.tour, sizeof V1.tour);
        vrp_apply(&tour, (vrp_move){m->x, m->y, -1, -1}, spare);
        const vrp_segment whole = whole_of(problem, node, tour.count, limits);
        assert_int_equal(whole.cost, m->cost);
        assert_int_equal(whole.routes, m->routes);
        assert_int_equal(vrp_resource_is_ok(whole.load), m->load_ok);
        assert_int_equal(vrp_resource_is_ok(whole.length), m->length_ok);
    }
    vrp_case_free(problem);
}

// ---- Moves and segments

static void moves_are_made_as_documented(void **state)
{
    (void)state;
    const struct {
        vrp_move move;
        int32_t tour[9];
    } cases[] = {
        {{1, 4, -1, -1}, {0, 1, 4, 3, 2, 5, 6, 7, 0}}, {{1, 2, -1, -1}, {0, 1, 2, 3, 4, 5, 6, 7, 0}},
        {{0, 7, -1, -1}, {0, 7, 6, 5, 4, 3, 2, 1, 0}}, {{1, 3, 6, 0}, {0, 1, 4, 5, 6, 2, 3, 7, 0}},
        {{1, 3, 6, 1}, {0, 1, 4, 5, 6, 3, 2, 7, 0}},   {{1, 3, 6, 2}, {0, 1, 6, 5, 4, 2, 3, 7, 0}},
        {{1, 3, 6, 3}, {0, 1, 3, 2, 6, 5, 4, 7, 0}},
    };
    for (int k = 0; k < COUNT_OF(cases); k++) {
        int32_t node[9] = {0, 1, 2, 3, 4, 5, 6, 7, 0}, spare[9];
        vrp_tour tour = {node, 9};
        vrp_apply(&tour, cases[k].move, spare);
        assert_memory_equal(node, cases[k].tour, sizeof node);
    }
}

static void stored_segments_lie_in_places_of_their_own(void **state)
{
    (void)state;
    for (int32_t edges = 1; edges <= 40; edges++)
        for (int32_t hierarchy = 0; hierarchy < VRP_MOST_LEVELS; hierarchy++)
            for (int32_t bits = 1; bits <= 3; bits++) {
                const int32_t both[2] = {bits, 4 - bits};
                const vrp_layout layout = vrp_layout_of(edges, hierarchy, both);
                uint8_t *taken = calloc((size_t)layout.count, 1);
                int64_t count = 0;
                assert_non_null(taken);
                for (int32_t l = 0; l <= hierarchy; l++)
                    for (int32_t i = 0; i < layout.units[l]; i++)
                        for (int32_t j = i + 1; j <= layout.units[l] && i >> layout.bits[l] == (j - 1) >> layout.bits[l]; j++)
                            for (int back = 0; back < 2; back++, count++) {
                                const int64_t at = vrp_layout_at(&layout, l, i, j, back);
                                assert_in_range(at, 0, layout.count - 1);
                                assert_int_equal(taken[at]++, 0);
                            }
                assert_int_equal(count, layout.count);
                free(taken);
            }
}

// Loads and lengths at their largest: sums must stay inside 32 bits, which a sanitizer checks.
static void largest_loads_and_lengths_do_not_overflow(void **state)
{
    (void)state;
    enum { NODES = 9 };
    const int32_t largest = MCO_VRP_MAX_LENGTH;
    for (int limit = 0; limit < 2; limit++) {
        const vrp_shape shape = {.customers = NODES - 1, .is_symmetric = true, .distances = 1, .services = 2,
                                 .capacity = largest, .max_length = limit ? largest - 1 : 0};
        mco_vrp *problem = vrp_case_new(&shape);
        const int32_t demands[NODES] = {0, largest, largest, largest / 2, largest / 2, 1, largest - 1, largest, 0};
        int32_t node[] = {0, 1, 0, 2, 0, 3, 4, 0, 5, 6, 0, 7, 8, 0};
        memcpy(problem->demand, demands, sizeof demands);
        for (int32_t i = 1; i < NODES; i++)
            problem->service[i] = demands[i] == largest ? largest - 1 : demands[i] / 2;
        const vrp_tour tour = {node, COUNT_OF(node)};
        const mco_vrp_params params = MCO_VRP_PARAMS_INIT;
        vrp_engine engine = {0};
        assert_ok(vrp_ref_open(test_ctx, problem, tour.count, &params, &engine));
        for (int three = 0; three < 2; three++)
            for (int h = 0; h < 3; h++) {
                vrp_candidate rows[COUNT_OF(node)], plain_rows[COUNT_OF(node)];
                vrp_scan scan = scan_of(&tour, three), plain = scan;
                scan.hierarchy = h;
                scan.rows = rows;
                plain.rows = plain_rows;
                assert_ok(engine.scan(&engine, &scan, INFINITY));
                assert_true(vrp_plain_scan(problem, &plain) > 0);
                assert_true(vrp_is_same(plain.best, scan.best));
                for (int32_t x = 0; x < tour.count - 1; x++)
                    assert_true(vrp_is_same(rows[x], plain_rows[x]));
            }
        engine.close(&engine);
        vrp_case_free(problem);
    }
}

// ---- What an engine may be asked for

static void moves_are_counted(void **state)
{
    (void)state;
    assert_int_equal(vrp_move_count(2400, false), 2878800);
    assert_int_equal(vrp_move_count(2400, true), 9204483200);
    assert_int_equal(vrp_move_count(1, false), 0);
    assert_int_equal(vrp_move_count(2, true), 0);
    for (int32_t edges = 1; edges < 12; edges++)
        for (int three = 0; three < 2; three++) {
            int64_t count = 0;
            vrp_move last = {-1, -1, -1, -1};
            for (vrp_move m = last; vrp_plain_next(&m, edges, three); last = m, count++)
                assert_true(last.x < 0 || vrp_is_before(last, m));
            assert_int_equal(count, vrp_move_count(edges, three));
        }
}

static void memory_that_does_not_suffice_is_refused(void **state)
{
    (void)state;
    const vrp_shape shape = {.customers = 200, .distances = 100, .demands = 1, .capacity = 10};
    mco_vrp *problem = vrp_case_new(&shape);
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    vrp_engine engine = {0};
    params.memory = 1;
    params.hierarchy = 0;
    assert_fails(vrp_ref_open(test_ctx, problem, 300, &params, &engine), MCO_ERR_LIMIT,
                 "the reference needs 0.00334 GiB for the segments of 300 nodes with hierarchy 0, at most 0.000977 GiB are "
                 "allowed");
    params.hierarchy = -1;
    assert_ok(vrp_ref_open(test_ctx, problem, 300, &params, &engine));
    engine.close(&engine);
    assert_ok(vrp_ref_open(test_ctx, problem, 2000, &params, &engine));  // with hierarchy 2 alone
    engine.close(&engine);
    params.hierarchy = 1;
    assert_int_equal(vrp_ref_open(test_ctx, problem, 2000, &params, &engine), MCO_ERR_LIMIT);
    vrp_case_free(problem);
}

static void a_scan_is_interrupted(void **state)
{
    (void)state;
    mco_vrp *problem = open_known(&V1, CAPACITY);
    bench b;
    open_bench(&b, &V1, problem);
    vrp_scan scan = scan_of(&b.tour, true);
    assert_ok(b.engine.scan(&b.engine, &scan, 0));
    assert_int_equal(scan.best.move.x, -1);
    mco_cancel(test_ctx);
    assert_ok(b.engine.scan(&b.engine, &scan, INFINITY));
    assert_int_equal(scan.best.move.x, -1);
    mco_clear_cancel(test_ctx);
    b.engine.close(&b.engine);
    vrp_case_free(problem);
}

static void failed_allocations_leave_nothing(void **state)
{
    (void)state;
    mco_vrp *problem = open_known(&V2, CAPACITY);
    const mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    int32_t node[MOST_TOUR];
    memcpy(node, V2.tour, sizeof node);
    const vrp_tour tour = {node, V2.tour_nodes};
    long k = 1;
    for (mco_status st = MCO_ERR_MEMORY; st != MCO_OK; k++) {
        vrp_engine engine = {0};
        vrp_scan scan = scan_of(&tour, false);
        scan.hierarchy = 0;  // needs more than the engine was opened for
        test_fail_allocation(k);
        st = vrp_ref_open(test_ctx, problem, V2.tour_nodes, &params, &engine);
        if (st == MCO_OK)
            st = engine.scan(&engine, &scan, INFINITY);
        test_fail_allocation(0);
        if (engine.close != NULL)
            engine.close(&engine);
        assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
    }
    assert_int_equal(k, 5);  // the state, its segments, and more of them; then none fails
    vrp_case_free(problem);
}

static void tours_and_solutions_are_each_other(void **state)
{
    (void)state;
    const vrp_shape shape = {.customers = 5, .distances = 100, .demands = 1, .capacity = 10, .vehicles = 4};
    mco_vrp *problem = vrp_case_new(&shape);
    int32_t order[] = {4, 0, 2, 1, 3}, first[] = {0, 2, 5};
    const mco_vrp_solution solution = {5, 2, order, first};
    const int32_t expected[] = {0, 5, 1, 0, 3, 2, 4, 0, 0, 0};
    vrp_tour tour = {0};
    mco_vrp_solution back = {0};
    for (long k = 1; k <= 3; k++) {
        test_fail_allocation(k);
        mco_status st = vrp_tour_of(test_ctx, problem, &solution, &tour);
        if (st == MCO_OK)
            st = vrp_solution_of(test_ctx, problem, &tour, &back);
        test_fail_allocation(0);
        assert_int_equal(st, MCO_ERR_MEMORY);
        mco_free(test_ctx, &tour.node);
    }
    assert_ok(vrp_tour_of(test_ctx, problem, &solution, &tour));
    assert_int_equal(tour.count, COUNT_OF(expected));
    assert_memory_equal(tour.node, expected, sizeof expected);
    assert_ok(vrp_solution_of(test_ctx, problem, &tour, &back));
    assert_int_equal(back.routes, 2);
    assert_memory_equal(back.order, order, sizeof order);
    assert_memory_equal(back.first, first, sizeof first);
    mco_vrp_solution_clear(test_ctx, &back);
    mco_free(test_ctx, &tour.node);
    problem->vehicles = 100;  // more than customers: counts as many as customers
    assert_ok(vrp_tour_of(test_ctx, problem, &solution, &tour));
    assert_int_equal(tour.count, 11);
    mco_free(test_ctx, &tour.node);
    vrp_case_free(problem);
}

static void a_tour_without_customers_has_no_moves(void **state)
{
    (void)state;
    const vrp_shape shape = {.customers = 0, .distances = 1, .demands = 1, .capacity = 1};
    mco_vrp *problem = vrp_case_new(&shape);
    const mco_vrp_solution solution = {0, 0, NULL, (int32_t[]){0}};
    const mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    vrp_tour tour = {0};
    vrp_engine engine = {0};
    assert_ok(vrp_tour_of(test_ctx, problem, &solution, &tour));
    assert_int_equal(tour.count, 2);
    assert_ok(vrp_ref_open(test_ctx, problem, tour.count, &params, &engine));
    for (int three = 0; three < 2; three++) {
        vrp_scan scan = scan_of(&tour, three);
        assert_ok(engine.scan(&engine, &scan, INFINITY));
        assert_int_equal(scan.best.move.x, -1);
        assert_int_equal(scan.moves, 0);
    }
    engine.close(&engine);
    mco_free(test_ctx, &tour.node);
    vrp_case_free(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(best_moves_are_known),
        TEST(every_move_of_v1_is_known),
        TEST(moves_are_made_as_documented),
        TEST(stored_segments_lie_in_places_of_their_own),
        TEST(largest_loads_and_lengths_do_not_overflow),
        TEST(moves_are_counted),
        TEST(memory_that_does_not_suffice_is_refused),
        TEST(a_scan_is_interrupted),
        TEST(failed_allocations_leave_nothing),
        TEST(tours_and_solutions_are_each_other),
        TEST(a_tour_without_customers_has_no_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
