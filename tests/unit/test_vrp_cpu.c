// SPDX-License-Identifier: MIT
// The cpu engine of complete neighbourhoods. On every vector unit and with several threads it gives the same best
// moves, the same best of each first edge, and the same counts as a plain walk of every neighbour. Larger tours are
// compared with the formula move by move.
#include "vrp/sweep/lanes.h"
#include "vrp_cpu_support.h"

enum { MOST_NODES = 64, SMALL_CASES = TEST_IS_SANITIZED ? 300 : 3000, GRID_STEP = TEST_IS_SANITIZED ? 61 : 7 };

// Makes scans of all kinds on an open engine.
static void check_scans(vrp_engine *engine, const vrp_tour *tour, uint64_t seed, int64_t which)
{
    vrp_candidate rows[MOST_NODES], expected_rows[MOST_NODES];
    for (int kind = 0; kind < 12; kind++) {
        vrp_scan expected = new_scan(tour, kind % 2 == 1), scan;
        if (kind / 2 == 1 || kind / 2 == 4)
            expected.rows = expected_rows;
        expected.wants_first = kind / 2 == 2;
        if (kind / 2 == 5)
            expected.hierarchy = (int)(which % 3);
        if (kind / 2 == 3 || kind / 2 == 4) {
            expected.keep = UINT64_MAX / 3;
            expected.filter_seed = seed;
            expected.filter = kind / 2 == 3 ? MCO_VRP_FILTER_MASK : MCO_VRP_FILTER_COMPACT;
        }
        scan = expected;
        if (scan.rows != NULL)
            scan.rows = rows;
        vrp_plain_scan(engine->problem, &expected);
        assert_ok(engine->scan(engine, &scan, mco_clock_s() + 1000));
        assert_same_scan(&scan, &expected, tour->count - 1, which);
    }
}

// ---- Small tours

static vrp_shape random_shape(mco_rng *rng, bool is_symmetric)
{
    static const uint32_t distances[] = {2, 4, 30, 1000, 1 << 24};
    const int32_t customers = 1 + (int32_t)mco_rng_below(rng, 9);
    const uint32_t kind = mco_rng_below(rng, 5), most = distances[kind];
    vrp_shape shape = {.customers = customers, .distances = most, .is_symmetric = is_symmetric,
                       .demands = 1 + mco_rng_below(rng, 12), .services = mco_rng_below(rng, 3) == 0 ? most / 3 + 1 : 1};
    shape.capacity = mco_rng_below(rng, 4) == 0 ? 1000 : 1 + (int32_t)mco_rng_below(rng, 30);
    shape.max_length = mco_rng_below(rng, 2) == 0 ? 0 : (int32_t)(most + mco_rng_below(rng, 4 * most));
    shape.vehicles = mco_rng_below(rng, 2) == 0 ? 0 : 1 + (int32_t)mco_rng_below(rng, 5);
    return shape;
}

static void check_small(bool is_symmetric, int64_t cases)
{
    mco_rng rng;
    int64_t feasible = 0, infeasible = 0;
    mco_rng_seed(&rng, 17, is_symmetric);
    for (int64_t k = 0; k < cases; k++) {
        const vrp_shape shape = random_shape(&rng, is_symmetric);
        mco_vrp *problem = vrp_case_random(&rng, &shape);
        vrp_tour tour = vrp_case_tour(&rng, problem, 1 + (int32_t)mco_rng_below(&rng, 6));
        vrp_value value;
        const int unit = (int)(k % 3), threads = 1 + (int)(k / 3 % 4);
        *(vrp_plain_value(problem, tour.node, tour.count, &value) ? &feasible : &infeasible) += 1;
        if (mco_simd_has(UNITS[unit])) {
            vrp_engine engine = open_engine(problem, tour.count, unit, threads);
            check_scans(&engine, &tour, (uint64_t)k, k);
            engine.close(&engine);
        }
        free(tour.node);
        vrp_case_free(problem);
    }
    assert_true(feasible > cases / 10 && infeasible > cases / 10);
}

static void test_small_symmetric(void **state)
{
    (void)state;
    check_small(true, SMALL_CASES);
}

static void test_small_asymmetric(void **state)
{
    (void)state;
    check_small(false, SMALL_CASES);
}

// ---- Tours beyond one tile

static void test_large(void **state)
{
    (void)state;
    check_large(300, 17, true, true, 0, 0, 1000);
    check_large(301, 9, false, true, 0, 0, 1000);
}

// Distances by coordinates must give the same best moves as a matrix of vrp_distance().
static void check_places(vrp_rule rule, mco_vrp_distances distances, double scale, bool is_whole, double side)
{
    mco_rng rng;
    mco_rng_seed(&rng, (uint64_t)rule, (uint64_t)side);
    mco_vrp *plane = new_plane(&rng, 200, true, 1000), *matrix = new_plane(&rng, 200, true, 1000);
    vrp_tour tour = new_tour(plane, 10, 0);
    double x[201], y[201], latitude[201], longitude[201];
    for (int32_t i = 0; i < plane->nodes; i++) {
        x[i] = mco_rng_real(&rng) * side - side / 2;
        y[i] = mco_rng_real(&rng) * side - side / 2;
        x[i] = is_whole ? floor(x[i]) : x[i];
        y[i] = is_whole ? floor(y[i]) : y[i];
        latitude[i] = mco_rng_real(&rng);
        longitude[i] = mco_rng_real(&rng);
    }
    int32_t *by_node = plane->matrix;
    matrix->capacity = plane->capacity;
    memcpy(matrix->demand, plane->demand, (size_t)plane->nodes * sizeof *plane->demand);
    plane->matrix = NULL;
    plane->x = x;
    plane->y = y;
    plane->latitude = latitude;
    plane->longitude = longitude;
    plane->rule = rule;
    plane->distances = distances;
    plane->scale = scale;
    matrix->longest = 0;
    for (int32_t i = 0; i < plane->nodes; i++)
        for (int32_t j = 0; j < plane->nodes; j++) {
            const int32_t d = matrix->matrix[i * plane->nodes + j] = vrp_distance(plane, i, j);
            matrix->longest = d > matrix->longest ? d : matrix->longest;
        }
    plane->longest = matrix->longest;
    for (int unit = 0; unit < COUNT_OF(UNITS); unit++)
        for (int k = 0; k < 2 && mco_simd_has(UNITS[unit]); k++) {
            vrp_candidate rows[256], expected_rows[256];
            vrp_scan scan = new_scan(&tour, k == 1), expected = scan;
            scan.rows = rows;
            expected.rows = expected_rows;
            vrp_engine by_place = open_engine(plane, tour.count, unit, 1), by_matrix = open_engine(matrix, tour.count, unit, 1);
            assert_ok(by_place.scan(&by_place, &scan, mco_clock_s() + 1000));
            assert_ok(by_matrix.scan(&by_matrix, &expected, mco_clock_s() + 1000));
            assert_same_scan(&scan, &expected, tour.count - 1, unit);
            by_matrix.close(&by_matrix);
            by_place.close(&by_place);
        }
    plane->matrix = by_node;
    free(tour.node);
    vrp_case_free(matrix);
    vrp_case_free(plane);
}

static void test_places(void **state)
{
    (void)state;
    check_places(VRP_EUC_2D, MCO_VRP_DISTANCES_ROUNDED, 1, true, 1000);
    check_places(VRP_EUC_2D, MCO_VRP_DISTANCES_ROUNDED, 1, true, 2801);
    check_places(VRP_EUC_2D, MCO_VRP_DISTANCES_ROUNDED, 1, true, 10);
    check_places(VRP_EUC_2D, MCO_VRP_DISTANCES_ROUNDED, 1, true, 100000);
    check_places(VRP_EUC_2D, MCO_VRP_DISTANCES_ROUNDED, 1, false, 300);
    check_places(VRP_EUC_2D, MCO_VRP_DISTANCES_REAL, 10000, false, 1000);
    check_places(VRP_CEIL_2D, MCO_VRP_DISTANCES_ROUNDED, 1, true, 50);
    check_places(VRP_CEIL_2D, MCO_VRP_DISTANCES_ROUNDED, 1, false, 1000);
    check_places(VRP_CEIL_2D, MCO_VRP_DISTANCES_REAL, 100, false, 1000);
    check_places(VRP_GEO, MCO_VRP_DISTANCES_ROUNDED, 1, false, 1);
    check_places(VRP_GEO, MCO_VRP_DISTANCES_REAL, 10, false, 1);
}

// Distances of the fast rule equal those of vrp_distance() for the differences of coordinates that VRP_SOURCE_GRID
// takes; AVX-512 is tested on all of them. A build may lack the wide units.
extern const vrp_lanes_variant vrp_lanes_portable;
extern const vrp_lanes_variant vrp_lanes_avx2 __attribute__((weak)), vrp_lanes_avx512 __attribute__((weak));

static void check_grid(const vrp_lanes_variant *lanes, int32_t step)
{
    enum { COUNT = VRP_GRID_LIMIT + 1 };
    double *x = calloc(COUNT, sizeof *x), *y = calloc(COUNT, sizeof *y);
    float *grid_x = calloc(COUNT + VRP_PAD, sizeof *grid_x), *grid_y = calloc(COUNT + VRP_PAD, sizeof *grid_y);
    int32_t *node = calloc(COUNT + VRP_PAD, sizeof *node), *out = calloc(COUNT + VRP_PAD, sizeof *out);
    const mco_vrp problem = {.customers = COUNT - 1, .nodes = COUNT, .rule = VRP_EUC_2D, .scale = 1, .x = x, .y = y};
    const vrp_places places = {.problem = &problem, .source = VRP_SOURCE_GRID, .node = node, .grid_x = grid_x,
                               .grid_y = grid_y};
    for (int32_t i = 0; i < COUNT; i++) {
        node[i] = i;
        grid_x[i] = (float)(x[i] = i);
    }
    for (int32_t up = 0; up < COUNT; up += step) {
        grid_y[0] = (float)(y[0] = up);
        lanes->row(&places, 0, 0, COUNT, false, out);
        for (int32_t j = 0; j < COUNT; j++)
            if (out[j] != vrp_distance(&problem, 0, j))
                fail_msg("%s: %d and %d apart: %d, expected %d", mco_simd_text(lanes->build.simd), j, up, out[j],
                         vrp_distance(&problem, 0, j));
    }
    free(out);
    free(node);
    free(grid_y);
    free(grid_x);
    free(y);
    free(x);
}

static void test_grid(void **state)
{
    (void)state;
    check_grid(&vrp_lanes_portable, GRID_STEP);
    if (mco_simd_has(MCO_SIMD_AVX2))
        check_grid(&vrp_lanes_avx2, GRID_STEP);
    if (mco_simd_has(MCO_SIMD_AVX512))
        check_grid(&vrp_lanes_avx512, TEST_IS_SANITIZED ? GRID_STEP : 1);
}

// ---- Parts, stops, memory

// Tables in slabs of a few columns give the same result as whole ones.
static void test_memory_parts(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 5, 5);
    mco_vrp *problem = new_plane(&rng, 700, true, 1000);
    vrp_tour tour = new_tour(problem, 30, 0);
    vrp_scan scans[2];
    for (int k = 0; k < 2; k++) {
        mco_vrp_params params = MCO_VRP_PARAMS_INIT;
        vrp_engine engine = {0};
        params.memory = k == 0 ? 1 : 1000;
        params.threads = 2;
        assert_ok(vrp_cpu_open(test_ctx, problem, tour.count, &params, &engine));
        scans[k] = new_scan(&tour, true);
        assert_ok(engine.scan(&engine, &scans[k], mco_clock_s() + 1000));
        engine.close(&engine);
    }
    assert_same(&scans[0].best, &scans[1].best, "in parts", 0);
    assert_true(scans[0].best.move.x >= 0);
    free(tour.node);
    vrp_case_free(problem);
}

static void test_stops(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 6, 6);
    mco_vrp *problem = new_plane(&rng, 1500, true, 1000);
    vrp_tour tour = new_tour(problem, 30, 0);
    vrp_engine engine = open_engine(problem, tour.count, 0, 2);
    for (int k = 0; k < 3; k++) {
        vrp_scan scan = new_scan(&tour, k > 0);
        const double begin_s = mco_cpu_clock_s();
        if (k == 2)
            mco_cancel(test_ctx);
        assert_ok(engine.scan(&engine, &scan, k == 0 ? 0 : mco_clock_s() + (k == 1 ? 0.02 : 1000)));
        assert_int_equal(scan.best.move.x, -1);
        assert_true(mco_cpu_clock_s() - begin_s < (TEST_IS_SANITIZED ? 5 : 0.5));
    }
    mco_clear_cancel(test_ctx);
    engine.close(&engine);
    free(tour.node);
    vrp_case_free(problem);
}

// Each allocation fails once: the engine reports it and releases what it has.
static void test_out_of_memory(void **state)
{
    (void)state;
    const vrp_shape shape = {.customers = 12, .distances = 50, .demands = 3, .capacity = 20};
    mco_rng rng;
    mco_rng_seed(&rng, 7, 7);
    mco_vrp *problem = vrp_case_random(&rng, &shape);
    vrp_tour tour = vrp_case_tour(&rng, problem, 3);
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    vrp_candidate rows[MOST_NODES];
    const long live = test_memory.live;
    params.threads = 2;
    for (long k = 1;; k++) {
        vrp_engine engine = {0};
        test_fail_allocation(k);
        mco_status st = vrp_cpu_open(test_ctx, problem, tour.count, &params, &engine);
        for (int kind = 0; kind < 3 && st == MCO_OK; kind++) {
            vrp_scan scan = new_scan(&tour, true);
            scan.rows = kind == 1 ? rows : NULL;
            scan.hierarchy = kind == 2 ? 1 : -1;
            st = engine.scan(&engine, &scan, mco_clock_s() + 1000);
        }
        test_fail_allocation(0);
        if (engine.close != NULL)
            engine.close(&engine);
        assert_int_equal(test_memory.live, live);
        if (st == MCO_OK) {
            assert_true(k > 20);
            break;
        }
        assert_int_equal(st, MCO_ERR_MEMORY);
    }
    free(tour.node);
    vrp_case_free(problem);
}

// Loads beyond 32 bits, which have no sums.
static void test_wide(void **state)
{
    (void)state;
    const vrp_shape shape = {.customers = 5, .distances = 50, .is_symmetric = true, .demands = 1, .capacity = 1 << 30};
    mco_rng rng;
    mco_rng_seed(&rng, 8, 8);
    mco_vrp *problem = vrp_case_random(&rng, &shape);
    int32_t node[] = {0, 1, 2, 3, 0, 0, 4, 5, 0};
    const vrp_tour tour = {node, COUNT_OF(node)};
    for (int32_t i = 1; i <= 3; i++)
        problem->demand[i] = 1 << 29;
    problem->demand[2] = 1 << 30;
    vrp_engine engine = open_engine(problem, tour.count, 0, 1);
    check_scans(&engine, &tour, 1, 0);
    engine.close(&engine);
    vrp_case_free(problem);
}

// Tours that no move improves, with many moves that change nothing: all points are at few places.
static void test_large_ties(void **state)
{
    (void)state;
    check_large(280, 20, true, true, 1, 17, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_small_symmetric),
        TEST(test_small_asymmetric),
        TEST(test_large),
        TEST(test_large_ties),
        TEST(test_places),
        TEST(test_grid),
        TEST(test_memory_parts),
        TEST(test_stops),
        TEST(test_out_of_memory),
        TEST(test_wide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
