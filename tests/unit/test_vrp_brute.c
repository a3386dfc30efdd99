// SPDX-License-Identifier: MIT
// The reference against a plain walk of every neighbour of random tours: asymmetric distances, empty routes, tight and broken
// limits, service times, limited vehicles, many ties, filters.
#include "test_support.h"

#include "vrp/sweep/segment.h"
#include "vrp_support.h"

enum { MOST_TOUR = 20 };

// A problem whose limits some routes keep and others break.
static mco_vrp *random_problem(mco_rng *rng, int32_t customers)
{
    const vrp_shape shape = {.customers = customers,
                             .distances = mco_rng_below(rng, 2) ? 4 : 1000,
                             .is_symmetric = mco_rng_below(rng, 2),
                             .demands = 10,
                             .services = mco_rng_below(rng, 2) ? 200 : 1,
                             .capacity = 5 + (int32_t)mco_rng_below(rng, 40),
                             .vehicles = (int32_t)mco_rng_below(rng, 4)};
    mco_vrp *p = vrp_case_random(rng, &shape);
    if (mco_rng_below(rng, 2))
        p->max_length = (int32_t)mco_rng_below(rng, 2 * (shape.distances + shape.services) * ((uint32_t)customers + 1) / 3);
    return p;
}

static void assert_scan(vrp_engine *engine, vrp_scan *scan, int64_t *feasible)
{
    vrp_candidate rows[MOST_TOUR], plain_rows[MOST_TOUR];
    vrp_scan plain = *scan;
    plain.rows = plain_rows;
    scan->rows = rows;
    *feasible = vrp_plain_scan(engine->problem, &plain);
    assert_ok(engine->scan(engine, scan, INFINITY));
    assert_int_equal(scan->moves, plain.moves);
    assert_int_equal(scan->moves_skipped, 0);
    assert_true(vrp_is_same(scan->best, plain.best));
    for (int32_t x = 0; x < scan->tour->count - 1 && !scan->wants_first; x++)
        assert_true(vrp_is_same(rows[x], plain_rows[x]));
}

static void every_scan_equals_a_plain_walk(void **state)
{
    (void)state;
    enum { TOURS = 1500, TOURS_OF_MORE = 150 };
    static const uint64_t keeps[] = {UINT64_MAX, UINT64_MAX / 3, UINT64_MAX / 100};
    mco_rng rng;
    int64_t decided = 0, feasible_count = 0, feasible;
    mco_rng_seed(&rng, 1, 0);
    for (int k = 0; k < TOURS + TOURS_OF_MORE; k++) {
        const int32_t customers = k < TOURS ? (int32_t)mco_rng_below(&rng, 9) : 9 + (int32_t)mco_rng_below(&rng, 4);
        mco_vrp *problem = random_problem(&rng, customers);
        vrp_tour tour = vrp_case_tour(&rng, problem, 1 + (int32_t)mco_rng_below(&rng, 5));
        mco_vrp_params params = MCO_VRP_PARAMS_INIT;
        vrp_engine engine = {0};
        params.hierarchy = k % 4 - 1;
        assert_ok(vrp_ref_open(test_ctx, problem, tour.count, &params, &engine));
        for (int three = 0; three < 2; three++)
            for (int first = 0; first < 2; first++) {
                vrp_scan scan = {.tour = &tour, .is_three_opt = three, .wants_first = first, .hierarchy = k % 4 - 1,
                                 .keep = keeps[k / 4 % 3], .filter_seed = (uint64_t)k, .filter = (mco_vrp_filter)(k / 12 % 2)};
                assert_scan(&engine, &scan, &feasible);
                decided += scan.moves;
                feasible_count += feasible;
            }
        engine.close(&engine);
        free(tour.node);
        vrp_case_free(problem);
    }
    assert_true(decided > 200000);
    assert_true(feasible_count > decided / 20 && feasible_count < decided / 2);  // both kinds are frequent
}

// All hierarchies, and both ways to filter, give the same answer.
static void hierarchies_and_filters_agree(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 2, 0);
    for (int k = 0; k < 20; k++) {
        mco_vrp *problem = random_problem(&rng, 12);
        vrp_tour tour = vrp_case_tour(&rng, problem, 6);
        const mco_vrp_params params = MCO_VRP_PARAMS_INIT;
        vrp_engine engine = {0};
        vrp_candidate best = {0};
        int64_t moves = 0;
        assert_ok(vrp_ref_open(test_ctx, problem, tour.count, &params, &engine));
        for (int h = -1; h < 3; h++)
            for (int filter = 0; filter < 2; filter++) {
                vrp_scan scan = {.tour = &tour, .is_three_opt = true, .hierarchy = h, .keep = UINT64_MAX / 2,
                                 .filter_seed = (uint64_t)k, .filter = (mco_vrp_filter)filter};
                assert_ok(engine.scan(&engine, &scan, INFINITY));
                if (h < 0 && filter == 0) {
                    best = scan.best;
                    moves = scan.moves;
                }
                assert_true(vrp_is_same(scan.best, best));
                assert_int_equal(scan.moves, moves);
            }
        // The filter keeps half of the moves, within six standard deviations.
        const double all = (double)vrp_move_count(tour.count - 1, true);
        assert_true(fabs((double)moves - all / 2) < 6 * sqrt(all) / 2);
        engine.close(&engine);
        free(tour.node);
        vrp_case_free(problem);
    }
}

// ---- One move after the other: cost, load, length, routes

static vrp_segment walk(const mco_vrp *p, const int32_t *node, vrp_piece piece, vrp_limits limits)
{
    vrp_segment s = vrp_segment_none(limits);
    const int32_t step = piece.from < piece.to ? 1 : -1;
    for (int32_t i = piece.from; i != piece.to; i += step) {
        const int32_t from = node[i], to = node[i + step];
        const vrp_segment e = vrp_segment_edge(from, to, vrp_distance(p, from, to), p->demand[to], vrp_service(p, to), limits);
        s = vrp_segment_join(&s, &e, limits);
    }
    return s;
}

static vrp_segment neighbour(const mco_vrp *p, const vrp_tour *tour, vrp_move m, vrp_limits limits)
{
    vrp_piece pieces[3];
    vrp_segment s = walk(p, tour->node, (vrp_piece){0, m.x}, limits);
    const int count = vrp_pieces(m.x, m.y, m.z, m.p, tour->count - 1, pieces);
    for (int32_t k = 0, end = m.x; k < count; end = pieces[k++].to) {
        const int32_t nodes[2] = {tour->node[end], tour->node[pieces[k].from]};
        const vrp_segment join = walk(p, nodes, (vrp_piece){0, 1}, limits), piece = walk(p, tour->node, pieces[k], limits);
        s = vrp_segment_join(&s, &join, limits);
        s = vrp_segment_join(&s, &piece, limits);
    }
    return s;
}

static vrp_move random_move(mco_rng *rng, int32_t edges, bool is_three_opt)
{
    vrp_move m = {-1, -1, -1, -1};
    int32_t cut[3];
    do
        for (int k = 0; k < 3; k++)
            cut[k] = (int32_t)mco_rng_below(rng, (uint32_t)edges);
    while (cut[0] >= cut[1] || (is_three_opt && cut[1] >= cut[2]));
    m.x = cut[0];
    m.y = cut[1];
    if (is_three_opt) {
        m.z = cut[2];
        m.p = (int32_t)mco_rng_below(rng, 4);
    }
    return m;
}

static void assert_move(const mco_vrp *problem, const vrp_tour *tour, vrp_move m, int64_t *infeasible)
{
    const vrp_limits limits = {problem->capacity,
                               vrp_has_max_length(problem) ? problem->max_length : VRP_NO_LENGTH_LIMIT};
    int32_t plain[MOST_TOUR], moved[MOST_TOUR], spare[MOST_TOUR], routes;
    vrp_tour after = {moved, tour->count};
    vrp_value value, again;
    const vrp_segment s = neighbour(problem, tour, m, limits);
    vrp_plain_move(tour, m, plain);
    memcpy(moved, tour->node, (size_t)tour->count * sizeof *moved);
    vrp_apply(&after, m, spare);
    assert_memory_equal(moved, plain, (size_t)tour->count * sizeof *moved);
    const bool is_feasible = vrp_plain_value(problem, plain, tour->count, &value);
    assert_int_equal(vrp_tour_value(problem, &after, &again, &routes), is_feasible);
    assert_int_equal(s.cost, value.cost);
    assert_int_equal(again.cost, value.cost);
    assert_int_equal(again.penalty, value.penalty);
    assert_int_equal(s.routes, routes);
    assert_int_equal(vrp_penalty(s.routes, problem->vehicles), value.penalty);
    assert_int_equal(vrp_segment_is_ok(&s), is_feasible);
    *infeasible += !is_feasible;
}

static void a_million_moves_are_worth_what_a_walk_says(void **state)
{
    (void)state;
    enum { PROBLEMS = 2000, MOVES = 500 };
    mco_rng rng;
    int64_t infeasible = 0;
    mco_rng_seed(&rng, 3, 0);
    for (int k = 0; k < PROBLEMS; k++) {
        mco_vrp *problem = random_problem(&rng, 3 + (int32_t)mco_rng_below(&rng, 8));
        vrp_tour tour = vrp_case_tour(&rng, problem, 1 + (int32_t)mco_rng_below(&rng, 5));
        for (int i = 0; i < MOVES; i++)
            assert_move(problem, &tour, random_move(&rng, tour.count - 1, i % 2), &infeasible);
        free(tour.node);
        vrp_case_free(problem);
    }
    assert_true(infeasible > PROBLEMS * MOVES / 4 && infeasible < PROBLEMS * MOVES * 19 / 20);
}

// ---- The brute force of optimal routes, against every giant tour

// Makes the next arrangement in lexicographic order; false after the last.
static bool next_arrangement(int32_t *p, int32_t n)
{
    int32_t i = n - 2, j = n - 1;
    while (i >= 0 && p[i] >= p[i + 1])
        i--;
    if (i < 0)
        return false;
    while (p[j] <= p[i])
        j--;
    int32_t swapped = p[i];
    p[i] = p[j];
    p[j] = swapped;
    for (i++, j = n - 1; i < j; i++, j--) {
        swapped = p[i];
        p[i] = p[j];
        p[j] = swapped;
    }
    return true;
}

static void optimal_routes_are_the_best_of_all_tours(void **state)
{
    (void)state;
    mco_rng rng;
    int found = 0;
    mco_rng_seed(&rng, 4, 0);
    for (int k = 0; k < 60; k++) {
        const int32_t n = 1 + (int32_t)mco_rng_below(&rng, 5), inner = 2 * n - 1;
        mco_vrp *problem = random_problem(&rng, n);
        int32_t node[2 * 5 + 1] = {0};
        int64_t best = -1;
        for (int32_t i = 0; i < n; i++)
            node[1 + inner - n + i] = i + 1;
        do {
            vrp_value v;
            if (vrp_plain_value(problem, node, inner + 2, &v) && v.penalty == 0 && (best < 0 || v.cost < best))
                best = v.cost;
        } while (next_arrangement(node + 1, inner));
        assert_int_equal(vrp_optimal_cost(problem), best);
        found += best >= 0;
        vrp_case_free(problem);
    }
    assert_in_range(found, 15, 45);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_scan_equals_a_plain_walk),
        TEST(hierarchies_and_filters_agree),
        TEST(a_million_moves_are_worth_what_a_walk_says),
        TEST(optimal_routes_are_the_best_of_all_tours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
