// SPDX-License-Identifier: MIT
// ng-paths of tiny instances against an enumeration of all paths by the definition of Baldacci, Mingozzi and Roberti (2011): the
// memory of a path is the intersection that the paper writes, not the step of the recursion.
#include "vrp_bound_ng_support.h"

enum { MOST_CUSTOMERS = 6, MOST_SETS = 1 << (MOST_CUSTOMERS - 1), MOST_LOAD = 12 };
static const int32_t NONE = VRP_NO_PATH;

// ---- Enumeration

typedef struct oracle {
    const vrp_bound_problem *problem;
    const vrp_ng_sets *sets;
    const int32_t *arcs;
    bool is_elementary;   // no customer twice; else ng-paths
    bool is_backward;     // arcs of the path are those of the transposed matrix
    int32_t path[MOST_LOAD], count;
    int32_t least[MOST_LOAD + 1][MOST_CUSTOMERS + 1][MOST_SETS];  // F
    int32_t route;
} oracle;

static int32_t arc(const oracle *o, int32_t i, int32_t j)
{
    return o->arcs[o->is_backward ? j * o->problem->stride + i : i * o->problem->stride + j];
}

static bool is_in(const vrp_ng_sets *sets, int32_t customer, int32_t node)
{
    return customer == node || vrp_ng_sets_bit(sets, node, customer) >= 0;
}

// Whether path[r] lies in the memory of the path: in N of every later customer.
static bool is_remembered(const oracle *o, int32_t r)
{
    bool is = true;
    for (int32_t s = r + 1; s < o->count; s++)
        is = is && is_in(o->sets, o->path[r], o->path[s]);
    return is;
}

static bool may_visit(const oracle *o, int32_t next)
{
    for (int32_t r = 0; r < o->count; r++)
        if (o->path[r] == next && (o->is_elementary || is_remembered(o, r)))
            return false;
    return true;
}

static void record(oracle *o, int32_t load, int32_t value)
{
    const int32_t end = o->path[o->count - 1];
    uint32_t memory = 0;
    for (int32_t r = 0; r < o->count - 1; r++)
        if (is_remembered(o, r))
            memory |= UINT32_C(1) << vrp_ng_sets_bit(o->sets, end, o->path[r]);
    for (uint32_t set = 0; set < UINT32_C(1) << (o->sets->size[end] - 1); set++)
        if ((memory & ~set) == 0 && value < o->least[load][end][set])
            o->least[load][end][set] = value;
    if (arc(o, end, 0) < VRP_NO_ARC && value + arc(o, end, 0) < o->route)
        o->route = value + arc(o, end, 0);
}

static void extend(oracle *o, int32_t load, int32_t value)
{
    const vrp_bound_problem *p = o->problem;
    const int32_t end = o->count == 0 ? 0 : o->path[o->count - 1];
    if (o->count > 0)
        record(o, load, value);
    for (int32_t j = 1; j < p->nodes; j++) {
        if (j == end || arc(o, end, j) >= VRP_NO_ARC || load + p->demand[j] > p->capacity || !may_visit(o, j))
            continue;
        o->path[o->count++] = j;
        extend(o, load + p->demand[j], value + arc(o, end, j));
        o->count--;
    }
}

static oracle *enumerate(const vrp_bound_problem *p, const vrp_ng_sets *sets, const int32_t *arcs, bool is_elementary,
                         bool is_backward)
{
    oracle *o = calloc(1, sizeof *o);
    *o = (oracle){.problem = p, .sets = sets, .arcs = arcs, .is_elementary = is_elementary, .is_backward = is_backward,
                   .route = NONE};
    for (int32_t q = 0; q <= MOST_LOAD; q++)
        for (int32_t i = 0; i <= MOST_CUSTOMERS; i++)
            for (int32_t m = 0; m < MOST_SETS; m++)
                o->least[q][i][m] = NONE;
    extend(o, 0, 0);
    return o;
}

// ---- Every cell

static ng_case tiny(uint64_t *state)
{
    const int32_t least = 1 + ng_draw(state, 3);
    return (ng_case){.customers = 1 + ng_draw(state, MOST_CUSTOMERS), .capacity = 3 + ng_draw(state, 6), .least_demand = least,
                     .most_demand = least + ng_draw(state, 2), .span = 100, .price = ng_draw(state, 300),
                     .absent = ng_draw(state, 2) * 20, .clusters = ng_draw(state, 3), .is_symmetric = ng_draw(state, 2) == 0};
}

// Larger sets than `size` at some nodes.
static void grow_some(vrp_ng_sets *sets, uint64_t *state)
{
    for (int32_t k = 0; k < 4; k++)
        vrp_ng_sets_add(sets, 1 + ng_draw(state, sets->nodes - 1), 1 + ng_draw(state, sets->nodes - 1), MOST_CUSTOMERS);
}

static void compare_cells(const vrp_ng_pass *pass, const oracle *o)
{
    const vrp_bound_problem *p = o->problem;
    for (int32_t q = 0; q <= p->capacity; q++)
        for (int32_t i = 1; i < p->nodes; i++)
            for (uint32_t m = 0; m < UINT32_C(1) << (o->sets->size[i] - 1); m++)
                assert_int_equal(vrp_ng_value(pass, o->is_backward, q, i, m), o->least[q][i][m]);
}

static void check_routes(const vrp_ng_pass *pass, const oracle *o, const int32_t *arcs)
{
    const vrp_bound_problem *p = o->problem;
    vrp_routes routes;
    vrp_routes_open(p->is_symmetric, &routes);
    assert_ok(vrp_ng_routes(test_ctx, pass, VRP_NO_PATH, 50, &routes));
    assert_int_equal(routes.count > 0, o->route < NONE);
    for (int64_t r = 0; r < routes.count; r++) {
        oracle walk = {.problem = p, .sets = o->sets, .arcs = arcs};
        const int32_t *node = routes.node + routes.first[r], length = vrp_routes_length(&routes, r);
        int32_t load = 0, value = arcs[node[0]];
        for (int32_t k = 0; k < length; k++) {
            assert_true(may_visit(&walk, node[k]));
            walk.path[walk.count++] = node[k];
            load += p->demand[node[k]];
            value += arcs[node[k] * p->stride + (k + 1 < length ? node[k + 1] : 0)];
        }
        assert_true(load <= p->capacity);
        if (r == 0)
            assert_int_equal(value, o->route);
        assert_true(value >= o->route);
        assert_int_equal(routes.cost[r], vrp_bound_route_cost(p, node, length));
    }
    vrp_routes_close(test_ctx, &routes);
}

static void check_case(const ng_case *c, mco_engine engine, uint64_t *state)
{
    vrp_bound_problem p;
    vrp_ng_sets sets;
    vrp_ng_pass *pass = NULL;
    ng_problem_open(c, state, &p);
    assert_ok(vrp_ng_sets_open(test_ctx, &p, 1 + ng_draw(state, 6), &sets));
    if (ng_draw(state, 2) == 0)
        grow_some(&sets, state);
    const vrp_relax_settings settings = ng_settings(engine, MCO_SIMD_AUTO, 1);
    assert_ok(vrp_ng_open(test_ctx, &p, &sets, &settings, &pass));
    for (int again = 0; again < 2; again++) {
        int32_t *arcs = ng_arcs(c, &p, state);
        assert_ok(vrp_ng_run(test_ctx, pass, arcs, INFINITY));
        for (int side = 0; side < (p.is_symmetric ? 1 : 2); side++) {
            oracle *o = enumerate(&p, &sets, arcs, false, side == 1);
            compare_cells(pass, o);
            assert_int_equal(vrp_ng_least_route(pass), o->route);
            if (side == 0)
                check_routes(pass, o, arcs);
            free(o);
        }
        free(arcs);
    }
    vrp_ng_close(test_ctx, &pass);
    vrp_ng_sets_close(test_ctx, &sets);
    ng_problem_close(&p);
}

static void test_definition(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (TEST_IS_SANITIZED ? 60 : 400); seed++) {
        uint64_t random = seed;
        const ng_case c = tiny(&random);
        check_case(&c, seed % 2 == 0 ? MCO_ENGINE_REFERENCE : MCO_ENGINE_CPU, &random);
    }
}

// ---- Relations

// The least value of a route of the pass with sets of `size`.
static int32_t least_of_size(const vrp_bound_problem *p, const int32_t *arcs, int32_t size)
{
    vrp_ng_sets sets;
    vrp_ng_pass *pass = NULL;
    const vrp_relax_settings settings = ng_settings(MCO_ENGINE_CPU, MCO_SIMD_AUTO, 1);
    assert_ok(vrp_ng_sets_open(test_ctx, p, size, &sets));
    assert_ok(vrp_ng_open(test_ctx, p, &sets, &settings, &pass));
    assert_ok(vrp_ng_run(test_ctx, pass, arcs, INFINITY));
    const int32_t least = vrp_ng_least_route(pass);
    vrp_ng_close(test_ctx, &pass);
    vrp_ng_sets_close(test_ctx, &sets);
    return least;
}

// The least value of a q-route without loops i-j-i: paths that end with (before, end), by load.
static int32_t least_without_loops(const vrp_bound_problem *p, const int32_t *arcs)
{
    enum { N = MOST_CUSTOMERS + 1 };
    static int32_t f[MOST_LOAD + 1][N][N];
    int32_t least = NONE;
    for (int32_t q = 0; q <= p->capacity; q++)
        for (int32_t j = 1; j < p->nodes; j++)
            for (int32_t i = 0; i < p->nodes; i++) {
                int32_t *best = &f[q][i][j];
                const int32_t before = q - p->demand[j], step = arcs[i * p->stride + j];
                *best = i == 0 && before == 0 && step < VRP_NO_ARC ? step : NONE;
                for (int32_t h = 0; h < p->nodes && i > 0 && i != j && before > 0 && step < VRP_NO_ARC; h++)
                    if (h != j && f[before][h][i] < NONE && f[before][h][i] + step < *best)
                        *best = f[before][h][i] + step;
                const int32_t home = arcs[j * p->stride];
                if (*best < NONE && home < VRP_NO_ARC && *best + home < least)
                    least = *best + home;
            }
    return least;
}

static void test_relations(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t random = seed;
        const ng_case c = tiny(&random);
        vrp_bound_problem p;
        vrp_ng_sets all;
        ng_problem_open(&c, &random, &p);
        int32_t *arcs = ng_arcs(&c, &p, &random);
        assert_ok(vrp_ng_sets_open(test_ctx, &p, MOST_CUSTOMERS, &all));
        oracle *o = enumerate(&p, &all, arcs, true, false);
        int32_t before = -NONE;
        for (int32_t size = 1; size <= MOST_CUSTOMERS; size++) {
            const int32_t least = least_of_size(&p, arcs, size);
            assert_true(before <= least);  // larger sets allow fewer paths
            before = least;
        }
        assert_int_equal(before, o->route);
        assert_true(least_of_size(&p, arcs, 1) <= least_without_loops(&p, arcs));
        assert_true(least_without_loops(&p, arcs) <= o->route);
        free(o);
        vrp_ng_sets_close(test_ctx, &all);
        free(arcs);
        ng_problem_close(&p);
    }
}

// A symmetric matrix that is declared asymmetric gives the same cells on both sides.
static void test_asymmetric_is_symmetric(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        uint64_t random = seed;
        ng_case c = tiny(&random);
        c.is_symmetric = true;
        vrp_bound_problem p[2];
        vrp_ng_sets sets;
        vrp_ng_pass *pass[2] = {NULL, NULL};
        ng_problem_open(&c, &random, &p[0]);
        int32_t *arcs = ng_arcs(&c, &p[0], &random);
        p[1] = p[0];
        p[1].is_symmetric = false;
        assert_ok(vrp_ng_sets_open(test_ctx, &p[0], 4, &sets));
        for (int a = 0; a < 2; a++) {
            const vrp_relax_settings settings = ng_settings(MCO_ENGINE_CPU, MCO_SIMD_AUTO, 1);
            assert_ok(vrp_ng_open(test_ctx, &p[a], &sets, &settings, &pass[a]));
            assert_ok(vrp_ng_run(test_ctx, pass[a], arcs, INFINITY));
        }
        for (int32_t q = 0; q <= c.capacity; q++)
            for (int32_t i = 1; i < p[0].nodes; i++)
                for (uint32_t m = 0; m < UINT32_C(1) << (sets.size[i] - 1); m++) {
                    assert_int_equal(vrp_ng_value(pass[0], false, q, i, m), vrp_ng_value(pass[1], false, q, i, m));
                    assert_int_equal(vrp_ng_value(pass[0], false, q, i, m), vrp_ng_value(pass[1], true, q, i, m));
                }
        vrp_ng_close(test_ctx, &pass[0]);
        vrp_ng_close(test_ctx, &pass[1]);
        vrp_ng_sets_close(test_ctx, &sets);
        free(arcs);
        ng_problem_close(&p[0]);
    }
}

// ---- Sets

static void test_sets(void **state)
{
    (void)state;
    uint64_t random = 5;
    const ng_case c = {.customers = 40, .capacity = 10, .least_demand = 1, .most_demand = 3, .span = 12, .is_symmetric = true};
    vrp_bound_problem p;
    vrp_ng_sets sets, copy;
    ng_problem_open(&c, &random, &p);
    assert_int_equal(vrp_ng_sets_open(test_ctx, &p, 0, &sets), MCO_ERR_ARGUMENT);
    assert_int_equal(vrp_ng_sets_open(test_ctx, &p, VRP_NG_MOST + 1, &sets), MCO_ERR_ARGUMENT);
    assert_ok(vrp_ng_sets_open(test_ctx, &p, 9, &sets));
    for (int32_t i = 1; i < p.nodes; i++) {
        const int32_t *n = sets.neighbour + i * VRP_NG_MOST, *cost = p.cost + i * p.stride;
        assert_int_equal(sets.size[i], 9);
        for (int32_t b = 0; b + 1 < 8; b++)
            assert_true(cost[n[b]] < cost[n[b + 1]] || (cost[n[b]] == cost[n[b + 1]] && n[b] < n[b + 1]));
        for (int32_t j = 1; j < p.nodes; j++)  // whoever is left out is no nearer than the last one
            if (j != i && vrp_ng_sets_bit(&sets, i, j) < 0)
                assert_true(cost[j] > cost[n[7]] || (cost[j] == cost[n[7]] && j > n[7]));
    }
    assert_ok(vrp_ng_sets_copy(test_ctx, &sets, &copy));
    const int32_t known = copy.neighbour[3 * VRP_NG_MOST];
    assert_false(vrp_ng_sets_add(&copy, 3, 3, 32));
    assert_false(vrp_ng_sets_add(&copy, 3, known, 32));
    int32_t other = 1;
    while (other == 3 || vrp_ng_sets_bit(&copy, 3, other) >= 0)
        other++;
    assert_false(vrp_ng_sets_add(&copy, 3, other, 9));
    assert_true(vrp_ng_sets_add(&copy, 3, other, 10));
    assert_int_equal(vrp_ng_sets_bit(&copy, 3, other), 8);
    assert_int_equal(sets.size[3], 9);
    vrp_ng_sets_close(test_ctx, &copy);
    vrp_ng_sets_close(test_ctx, &sets);
    ng_problem_close(&p);
}

// ---- Refusals

static void test_refusals(void **state)
{
    (void)state;
    uint64_t random = 8;
    const ng_case c = {.customers = 30, .capacity = 20, .least_demand = 1, .most_demand = 3, .span = 50, .price = 60,
                       .is_symmetric = true};
    for (int e = 0; e < 2; e++) {
        vrp_bound_problem p;
        vrp_ng_sets sets;
        vrp_ng_pass *pass = NULL;
        vrp_relax_settings settings = ng_settings(e == 0 ? MCO_ENGINE_REFERENCE : MCO_ENGINE_CPU, MCO_SIMD_AUTO, 1);
        ng_problem_open(&c, &random, &p);
        int32_t *arcs = ng_arcs(&c, &p, &random);
        assert_ok(vrp_ng_sets_open(test_ctx, &p, 8, &sets));
        settings.memory = 20000;
        assert_int_equal(vrp_ng_open(test_ctx, &p, &sets, &settings, &pass), MCO_ERR_LIMIT);
        assert_non_null(strstr(mco_context_error(test_ctx), "20000"));
        assert_null(pass);
        settings.memory = 1e9;
        assert_ok(vrp_ng_open(test_ctx, &p, &sets, &settings, &pass));
        assert_int_equal(vrp_ng_run(test_ctx, pass, arcs, -INFINITY), MCO_ERR_STOPPED);
        arcs[1] = arcs[p.stride] = -VRP_NO_PATH / 8;
        assert_int_equal(vrp_ng_run(test_ctx, pass, arcs, INFINITY), MCO_ERR_LIMIT);
        vrp_ng_close(test_ctx, &pass);
        vrp_ng_sets_close(test_ctx, &sets);
        assert_ok(vrp_ng_sets_open(test_ctx, &p, VRP_NG_TABLES + 1, &sets));
        assert_int_equal(vrp_ng_open(test_ctx, &p, &sets, &settings, &pass), MCO_ERR_LIMIT);
        vrp_ng_sets_close(test_ctx, &sets);
        free(arcs);
        ng_problem_close(&p);
    }
}

static void test_memory_failures(void **state)
{
    (void)state;
    uint64_t random = 9;
    const ng_case c = {.customers = 8, .capacity = 9, .least_demand = 1, .most_demand = 3, .span = 50, .price = 60};
    vrp_bound_problem p;
    ng_problem_open(&c, &random, &p);
    int32_t *arcs = ng_arcs(&c, &p, &random);
    mco_status st = MCO_ERR_MEMORY;
    long k = 0;
    while (st == MCO_ERR_MEMORY && k < 200) {
        vrp_ng_sets sets = {0};
        vrp_ng_pass *pass = NULL;
        vrp_routes routes;
        const vrp_relax_settings settings = ng_settings(MCO_ENGINE_CPU, MCO_SIMD_AUTO, 1);
        vrp_routes_open(false, &routes);
        test_fail_allocation(++k);
        st = vrp_ng_sets_open(test_ctx, &p, 4, &sets);
        if (st == MCO_OK)
            st = vrp_ng_open(test_ctx, &p, &sets, &settings, &pass);
        if (st == MCO_OK)
            st = vrp_ng_run(test_ctx, pass, arcs, INFINITY);
        if (st == MCO_OK)
            st = vrp_ng_routes(test_ctx, pass, VRP_NO_PATH, 20, &routes);
        test_fail_allocation(0);
        vrp_routes_close(test_ctx, &routes);
        vrp_ng_close(test_ctx, &pass);
        vrp_ng_sets_close(test_ctx, &sets);
    }
    assert_ok(st);
    assert_true(k > 15);
    free(arcs);
    ng_problem_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_sets),     TEST(test_definition),      TEST(test_relations), TEST(test_asymmetric_is_symmetric),
        TEST(test_refusals), TEST(test_memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
