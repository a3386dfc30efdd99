// SPDX-License-Identifier: MIT
// Every cell of dense ng tables against the plain recursion, and the routes traced from them: sizes of sets and of instances that
// cross limits of vectors and tiles, places in clusters, absent arcs, both directions, every vector unit, several threads, prices
// for which differences need 32 bits.
#include "vrp_bound_ng_support.h"

#include "base/simd.h"

typedef struct engine {
    mco_simd simd;
    int32_t threads;
} engine;

static const engine engines[] = {{MCO_SIMD_AVX512, 1}, {MCO_SIMD_AVX2, 1}, {MCO_SIMD_PORTABLE, 1}, {MCO_SIMD_AUTO, 3}};

static void compare_cells(const vrp_bound_problem *p, const vrp_ng_sets *sets, const vrp_ng_pass *a, const vrp_ng_pass *b)
{
    for (int side = 0; side < (p->is_symmetric ? 1 : 2); side++)
        for (int32_t q = 0; q <= p->capacity; q++)
            for (int32_t i = 1; i < p->nodes; i++)
                for (uint32_t m = 0; m < UINT32_C(1) << (sets->size[i] - 1); m++)
                    assert_int_equal(vrp_ng_value(a, side == 1, q, i, m), vrp_ng_value(b, side == 1, q, i, m));
}

static void compare_routes(const vrp_bound_problem *p, const vrp_ng_pass *a, const vrp_ng_pass *b)
{
    vrp_routes from[2];
    const vrp_ng_pass *pass[2] = {a, b};
    assert_int_equal(vrp_ng_least_route(a), vrp_ng_least_route(b));
    for (int r = 0; r < 2; r++) {
        vrp_routes_open(p->is_symmetric, &from[r]);
        assert_ok(vrp_ng_routes(test_ctx, pass[r], vrp_ng_least_route(a) + 100, 60, &from[r]));
    }
    assert_int_equal(from[0].count, from[1].count);
    assert_true(from[0].count <= 60);
    for (int64_t r = 0; r < from[0].count; r++) {
        assert_int_equal(vrp_routes_length(&from[0], r), vrp_routes_length(&from[1], r));
        assert_memory_equal(from[0].node + from[0].first[r], from[1].node + from[1].first[r],
                            (size_t)vrp_routes_length(&from[0], r) * sizeof(int32_t));
    }
    vrp_routes_close(test_ctx, &from[0]);
    vrp_routes_close(test_ctx, &from[1]);
}

static void compare_completion(const vrp_bound_problem *p, const vrp_ng_sets *sets, const vrp_ng_pass *pass)
{
    const int32_t node = p->customers, count = 1 << (sets->size[node] - 1);
    int32_t *least = malloc((size_t)(p->capacity + 1) * (size_t)count * sizeof *least);
    assert_ok(vrp_ng_completion(test_ctx, pass, !p->is_symmetric, node, least));
    for (int32_t m = 0; m < count; m++)
        for (int32_t q = 0, best = VRP_NO_PATH; q <= p->capacity; q++) {
            const int32_t value = vrp_ng_value(pass, !p->is_symmetric, q, node, (uint32_t)m);
            best = value < best ? value : best;
            assert_int_equal(least[q * count + m], best);
        }
    free(least);
}

// Random arcs twice: tables must not keep anything of the pass before.
static void check(const ng_case *c, int32_t size, bool grows, uint64_t seed)
{
    uint64_t random = seed;
    vrp_bound_problem p;
    vrp_ng_sets sets;
    vrp_ng_pass *plain[2] = {NULL, NULL};
    const vrp_relax_settings settings = ng_settings(MCO_ENGINE_REFERENCE, MCO_SIMD_AUTO, 1);
    ng_problem_open(c, &random, &p);
    assert_ok(vrp_ng_sets_open(test_ctx, &p, size, &sets));
    for (int32_t k = 0; grows && k < p.customers; k++)
        vrp_ng_sets_add(&sets, 1 + ng_draw(&random, p.customers), 1 + ng_draw(&random, p.customers), size + 1);
    int32_t *arcs[2];
    for (int again = 0; again < 2; again++) {
        arcs[again] = ng_arcs(c, &p, &random);
        assert_ok(vrp_ng_open(test_ctx, &p, &sets, &settings, &plain[again]));
        assert_ok(vrp_ng_run(test_ctx, plain[again], arcs[again], INFINITY));
    }
    for (int e = 0; e < COUNT_OF(engines); e++) {
        if (!mco_simd_has(engines[e].simd))
            continue;
        vrp_ng_pass *pass = NULL;
        const vrp_relax_settings own = ng_settings(MCO_ENGINE_CPU, engines[e].simd, engines[e].threads);
        assert_ok(vrp_ng_open(test_ctx, &p, &sets, &own, &pass));
        for (int again = 0; again < 2; again++) {
            assert_ok(vrp_ng_run(test_ctx, pass, arcs[again], INFINITY));
            compare_cells(&p, &sets, plain[again], pass);
            compare_routes(&p, plain[again], pass);
        }
        compare_completion(&p, &sets, pass);
        vrp_ng_close(test_ctx, &pass);
    }
    for (int again = 0; again < 2; again++) {
        vrp_ng_close(test_ctx, &plain[again]);
        free(arcs[again]);
    }
    vrp_ng_sets_close(test_ctx, &sets);
    ng_problem_close(&p);
}

static void test_sizes(void **state)
{
    (void)state;
    for (int32_t size = 1; size <= (TEST_IS_SANITIZED ? 8 : 10); size++) {
        const ng_case c = {.customers = 12 + size, .capacity = 20, .least_demand = 1, .most_demand = 6, .span = 100, .price = 150,
                           .absent = 3, .clusters = 3, .is_symmetric = size % 2 == 0};
        check(&c, size, false, (uint64_t)size);
        check(&c, size, true, 100 + (uint64_t)size);
    }
}

// Nodes around multiples of a vector of 16; demands in all classes of tiles.
static void test_lanes_and_tiles(void **state)
{
    (void)state;
    static const int32_t customers[] = {1, 2, 3, 14, 15, 16, 17, 31, 32, 33};
    for (int n = 0; n < COUNT_OF(customers); n++) {
        const ng_case wide = {.customers = customers[n], .capacity = 70, .least_demand = 1, .most_demand = 40, .span = 300,
                              .price = 300, .is_symmetric = n % 2 == 0};
        const ng_case unit = {.customers = customers[n], .capacity = 7, .least_demand = 1, .most_demand = 1, .span = 300,
                              .price = 500, .absent = 10, .is_symmetric = n % 2 != 0};
        const ng_case large = {.customers = customers[n], .capacity = 97, .least_demand = 16, .most_demand = 33, .span = 300,
                               .price = 700, .is_symmetric = true};
        check(&wide, 5 + n % 4, false, 1000 + (uint64_t)n);
        check(&unit, 5 + n % 4, n % 3 == 0, 2000 + (uint64_t)n);
        check(&large, 5 + n % 4, false, 3000 + (uint64_t)n);
    }
}

// More cells in a step than the least for which the team works.
static void test_team(void **state)
{
    (void)state;
    const ng_case c = {.customers = 70, .capacity = 60, .least_demand = 16, .most_demand = 20, .span = 500,
                       .price = 600, .is_symmetric = true};
    check(&c, 6, false, 5);
}

// Arcs of up to a million: differences leave 16 bits in some cells.
static void test_wide(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        const ng_case c = {.customers = 18, .capacity = 30, .least_demand = 2, .most_demand = 9, .span = 20000 << seed % 6,
                           .price = 40000 << seed % 6, .absent = 5 * (int32_t)(seed % 2), .is_symmetric = seed % 3 != 0};
        check(&c, 3 + (int32_t)seed % 6, false, seed);
    }
}

// Narrow, wide and narrow arcs one after the other in one pass, beyond the passes that stay wide.
static void test_back_to_narrow(void **state)
{
    (void)state;
    uint64_t random = 3;
    const ng_case small = {.customers = 15, .capacity = 20, .least_demand = 1, .most_demand = 6, .span = 100,
                           .price = 150, .is_symmetric = true};
    vrp_bound_problem p;
    vrp_ng_sets sets;
    vrp_ng_pass *plain = NULL, *pass = NULL;
    const vrp_relax_settings first = ng_settings(MCO_ENGINE_REFERENCE, MCO_SIMD_AUTO, 1);
    const vrp_relax_settings second = ng_settings(MCO_ENGINE_CPU, MCO_SIMD_AUTO, 1);
    ng_problem_open(&small, &random, &p);
    assert_ok(vrp_ng_sets_open(test_ctx, &p, 6, &sets));
    assert_ok(vrp_ng_open(test_ctx, &p, &sets, &first, &plain));
    assert_ok(vrp_ng_open(test_ctx, &p, &sets, &second, &pass));
    for (int k = 0; k < 40; k++) {
        int32_t *arcs = ng_arcs(&small, &p, &random);
        for (int32_t at = 0; at < p.nodes * p.stride && k == 3; at++)
            arcs[at] = arcs[at] < VRP_NO_ARC ? arcs[at] * 5000 : VRP_NO_ARC;
        assert_ok(vrp_ng_run(test_ctx, plain, arcs, INFINITY));
        assert_ok(vrp_ng_run(test_ctx, pass, arcs, INFINITY));
        compare_cells(&p, &sets, plain, pass);
        free(arcs);
    }
    vrp_ng_close(test_ctx, &plain);
    vrp_ng_close(test_ctx, &pass);
    vrp_ng_sets_close(test_ctx, &sets);
    ng_problem_close(&p);
}

// The greatest multiple of the grain that is at most `arc`.
static int32_t rounded_down(int32_t arc, int32_t grain)
{
    int32_t part = arc % grain;
    part += part < 0 ? grain : 0;
    return arc - part;
}

// With a grain a pass has, in units of the arcs, the cells of arcs that are rounded down before it; so none is above its exact value, and all
// are exact where arcs are multiples. Also behind a run without a grain.
static void check_grain(const ng_case *c, int32_t grain, uint64_t seed)
{
    uint64_t random = seed;
    vrp_bound_problem p;
    vrp_ng_sets sets;
    vrp_ng_pass *plain = NULL, *pass = NULL;
    const vrp_relax_settings settings[2] = {ng_settings(MCO_ENGINE_REFERENCE, MCO_SIMD_AUTO, 1), ng_settings(MCO_ENGINE_CPU, MCO_SIMD_AUTO, 1)};
    ng_problem_open(c, &random, &p);
    assert_ok(vrp_ng_sets_open(test_ctx, &p, 6, &sets));
    int32_t *arcs = ng_arcs(c, &p, &random), *down = malloc((size_t)p.nodes * (size_t)p.stride * sizeof *down);
    for (int32_t k = 0; k < p.nodes * p.stride; k++)
        down[k] = arcs[k] < VRP_NO_ARC ? rounded_down(arcs[k], grain) : VRP_NO_ARC;
    assert_ok(vrp_ng_open(test_ctx, &p, &sets, &settings[0], &plain));
    assert_ok(vrp_ng_open(test_ctx, &p, &sets, &settings[1], &pass));
    assert_ok(vrp_ng_run(test_ctx, plain, arcs, INFINITY));
    const int32_t least = vrp_ng_least_route(plain);
    assert_ok(vrp_ng_run(test_ctx, pass, arcs, INFINITY));
    compare_cells(&p, &sets, plain, pass);
    vrp_ng_coarsen(pass, grain);
    assert_int_equal(vrp_ng_grain(pass), grain);
    assert_ok(vrp_ng_run(test_ctx, plain, down, INFINITY));
    for (int again = 0; again < 2; again++) {
        assert_ok(vrp_ng_run(test_ctx, pass, again == 0 ? arcs : down, INFINITY));
        compare_cells(&p, &sets, plain, pass);
        compare_routes(&p, plain, pass);
        compare_completion(&p, &sets, pass);
        assert_true(vrp_ng_least_route(pass) <= least);
    }
    vrp_ng_close(test_ctx, &plain);
    vrp_ng_close(test_ctx, &pass);
    free(down);
    free(arcs);
    vrp_ng_sets_close(test_ctx, &sets);
    ng_problem_close(&p);
}

static void test_grain(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        const ng_case c = {.customers = 17, .capacity = 25, .least_demand = 1, .most_demand = 7, .span = 3000, .price = 4000,
                           .absent = 5 * (int32_t)(seed % 2), .is_symmetric = seed % 3 != 0};
        check_grain(&c, 2 << seed % 5, seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_sizes), TEST(test_lanes_and_tiles), TEST(test_team), TEST(test_wide), TEST(test_back_to_narrow), TEST(test_grain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
