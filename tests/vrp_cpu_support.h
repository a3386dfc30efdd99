// SPDX-License-Identifier: MIT
// What the tests of the cpu engine of complete neighbourhoods share: its vector units, and tours of many tiles on which
// the engine is compared with itself move by move.
#ifndef MCO_VRP_CPU_SUPPORT_H
#define MCO_VRP_CPU_SUPPORT_H

#include "test_support.h"

#include "base/clock.h"
#include "base/simd.h"
#include "vrp/sweep/cpu.h"
#include "vrp_support.h"

enum { ALL_BUT_NONE = 1 };

static const mco_simd UNITS[] = {MCO_SIMD_PORTABLE, MCO_SIMD_AVX2, MCO_SIMD_AVX512};

// ---- Comparison

static inline vrp_engine open_engine(const mco_vrp *problem, int32_t nodes, int unit, int threads)
{
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    vrp_engine engine = {0};
    params.simd = UNITS[unit];
    params.threads = threads;
    assert_ok(vrp_cpu_open(test_ctx, problem, nodes, &params, &engine));
    assert_int_equal(engine.work.simd, UNITS[unit]);
    assert_int_equal(engine.work.threads, threads);
    return engine;
}

static inline void assert_same(const vrp_candidate *is, const vrp_candidate *expected, const char *what, int64_t which)
{
    if (!vrp_is_same(*is, *expected))
        fail_msg("%s %lld: (%d,%d,%d,%d) penalty %d change %lld, expected (%d,%d,%d,%d) penalty %d change %lld", what,
                 (long long)which, is->move.x, is->move.y, is->move.z, is->move.p, is->value.penalty, (long long)is->value.cost,
                 expected->move.x, expected->move.y, expected->move.z, expected->move.p, expected->value.penalty,
                 (long long)expected->value.cost);
}

static inline void assert_same_scan(const vrp_scan *is, const vrp_scan *expected, int32_t edges, int64_t which)
{
    assert_same(&is->best, &expected->best, expected->is_three_opt ? "best of 3-opt" : "best of 2-opt", which);
    assert_int_equal(is->moves + is->moves_skipped, expected->moves);
    assert_true(is->moves_skipped == 0 || expected->best.move.x < 0);
    for (int32_t x = 0; is->rows != NULL && !is->wants_first && x < edges; x++)
        assert_same(&is->rows[x], &expected->rows[x], "first edge", x);
}

static inline vrp_scan new_scan(const vrp_tour *tour, bool is_three_opt)
{
    return (vrp_scan){.tour = tour, .is_three_opt = is_three_opt, .hierarchy = -1, .keep = UINT64_MAX};
}

// ---- Tours beyond one tile

// Points on a grid, or asymmetric distances around them.
static inline mco_vrp *new_plane(mco_rng *rng, int32_t customers, bool is_symmetric, uint32_t side)
{
    const vrp_shape shape = {.customers = customers, .distances = 1, .is_symmetric = is_symmetric, .demands = 20,
                             .capacity = 1};
    mco_vrp *p = vrp_case_random(rng, &shape);
    double *x = malloc((size_t)p->nodes * sizeof *x), *y = malloc((size_t)p->nodes * sizeof *y);
    for (int32_t i = 0; i < p->nodes; i++) {
        x[i] = (double)mco_rng_below(rng, side);
        y[i] = (double)mco_rng_below(rng, side);
    }
    p->longest = 0;
    for (int32_t i = 0; i < p->nodes; i++)
        for (int32_t j = 0; j < p->nodes; j++) {
            int32_t *d = &p->matrix[(int64_t)i * p->nodes + j];
            *d = (int32_t)(sqrt((x[i] - x[j]) * (x[i] - x[j]) + (y[i] - y[j]) * (y[i] - y[j])) + 0.5);
            if (!is_symmetric && i != j)
                *d += (int32_t)mco_rng_below(rng, 5);
            p->longest = *d > p->longest ? *d : p->longest;
        }
    free(y);
    free(x);
    return p;
}

// A tour of `routes` routes in the order of the customers, some of them empty. Sets the capacity a little above the
// greatest load, or so that up to `bad` routes exceed it.
static inline vrp_tour new_tour(mco_vrp *p, int32_t routes, int32_t bad)
{
    vrp_tour tour = {.node = calloc((size_t)(p->customers + routes + 1), sizeof(int32_t))};
    int32_t loads[2048], customer = 0;
    for (int32_t r = 0; r < routes; r++) {
        const int32_t end = r % 7 == 3 ? customer : (int32_t)((int64_t)p->customers * (r + 1) / routes);
        tour.count++;
        loads[r] = 0;
        for (; customer < (r + 1 == routes ? p->customers : end); customer++) {
            tour.node[tour.count++] = customer + 1;
            loads[r] += p->demand[customer + 1];
        }
    }
    tour.count++;
    for (int32_t r = 0; r < routes; r++) {  // in descending order
        int32_t most = r;
        for (int32_t q = r; q < routes; q++)
            most = loads[q] > loads[most] ? q : most;
        const int32_t swap = loads[r];
        loads[r] = loads[most];
        loads[most] = swap;
    }
    p->capacity = bad == 0 ? loads[0] + loads[0] / 50 : loads[bad];
    return tour;
}

static inline int32_t longest_route(const mco_vrp *p, const vrp_tour *tour)
{
    int64_t length = 0, longest = 0;
    for (int32_t i = 1; i < tour->count; i++) {
        length = tour->node[i - 1] == 0 ? 0 : length;
        length += vrp_distance(p, tour->node[i - 1], tour->node[i]) + vrp_service(p, tour->node[i]);
        longest = length > longest ? length : longest;
    }
    return (int32_t)longest;
}

static inline void check_large(int32_t customers, int32_t routes, bool is_symmetric, bool has_length, int32_t bad,
                               int32_t vehicles, uint32_t side)
{
    mco_rng rng;
    mco_rng_seed(&rng, (uint64_t)customers, (uint64_t)routes);
    mco_vrp *problem = new_plane(&rng, customers, is_symmetric, side);
    vrp_tour tour = new_tour(problem, routes, bad);
    vrp_candidate *rows = calloc((size_t)tour.count, sizeof *rows), *expected_rows = calloc((size_t)tour.count, sizeof *rows);
    if (has_length)
        problem->max_length = longest_route(problem, &tour) * 51 / 50;
    problem->vehicles = vehicles;
    for (int k = 0; k < 2; k++) {
        vrp_scan expected = new_scan(&tour, k == 1), first = expected;
        vrp_engine plain = open_engine(problem, tour.count, 0, 2);
        expected.keep = first.keep = UINT64_MAX - ALL_BUT_NONE;  // with a filter the engine decides move by move
        expected.rows = expected_rows;
        first.wants_first = true;
        assert_ok(plain.scan(&plain, &expected, mco_clock_s() + 1000));
        assert_ok(plain.scan(&plain, &first, mco_clock_s() + 1000));
        plain.close(&plain);
        for (int unit = 0; unit < COUNT_OF(UNITS); unit++) {
            if (!mco_simd_has(UNITS[unit]))
                continue;
            vrp_engine engine = open_engine(problem, tour.count, unit, 1 + (unit + customers) % 4);
            for (int kind = 0; kind < 3; kind++) {
                vrp_scan scan = new_scan(&tour, k == 1);
                scan.rows = kind == 1 ? rows : NULL;
                scan.wants_first = kind == 2;
                assert_ok(engine.scan(&engine, &scan, mco_clock_s() + 1000));
                assert_same_scan(&scan, scan.wants_first ? &first : &expected, tour.count - 1, unit);
            }
            engine.close(&engine);
        }
    }
    free(expected_rows);
    free(rows);
    free(tour.node);
    vrp_case_free(problem);
}

#endif
