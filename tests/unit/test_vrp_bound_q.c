// SPDX-License-Identifier: MIT
// q-paths without loops i-j-i: the reference against all walks of small instances, and all engines against the reference.
#include "test_support.h"

#include "base/rng.h"
#include "base/simd.h"
#include "vrp/bound/relax/q.h"

typedef struct instance {
    vrp_bound_problem problem;
    int32_t *arcs;  // [nodes * stride], those of `problem`
} instance;

static int32_t draw(uint64_t *state, int32_t low, int32_t high)
{
    return low + (int32_t)(mco_splitmix64(state) % (uint64_t)(high - low + 1));
}

typedef struct shape {
    int32_t nodes, capacity, least_demand, most_demand, low, high;  // arcs in low..high
    int32_t absent;                                                 // per cent of the arcs
    bool is_symmetric;
} shape;

static instance make(const shape *s, uint64_t *state)
{
    instance in = {.problem = {.customers = s->nodes - 1, .nodes = s->nodes, .capacity = s->capacity, .is_symmetric = s->is_symmetric}};
    vrp_bound_problem *p = &in.problem;
    p->stride = (p->nodes + 15) / 16 * 16;
    p->least_demand = INT32_MAX;
    p->unit = 1;
    assert_ok(mco_alloc(test_ctx, &p->demand, p->nodes));
    assert_ok(mco_alloc(test_ctx, &p->cost, (size_t)p->nodes * (size_t)p->stride));
    for (int32_t i = 1; i < p->nodes; i++) {
        p->demand[i] = draw(state, s->least_demand, s->most_demand);
        p->least_demand = p->demand[i] < p->least_demand ? p->demand[i] : p->least_demand;
    }
    for (int32_t i = 0; i < p->nodes; i++)
        for (int32_t j = 0; j < p->stride; j++) {
            int32_t arc = draw(state, 0, 99) < s->absent ? VRP_NO_ARC : draw(state, s->low, s->high);
            if (s->is_symmetric && j < i)
                arc = p->cost[(int64_t)j * p->stride + i];
            p->cost[(int64_t)i * p->stride + j] = i == j || j >= p->nodes ? VRP_NO_ARC : arc;
        }
    in.arcs = p->cost;
    return in;
}

static void drop(instance *in)
{
    mco_free(test_ctx, &in->problem.demand);
    mco_free(test_ctx, &in->problem.cost);
}

static vrp_q_pass *open_engine(const instance *in, mco_engine engine, mco_simd simd, int32_t threads)
{
    vrp_q_pass *pass = NULL;
    const vrp_relax_settings settings = {.engine = engine, .simd = simd, .threads = threads, .memory = 1e9};
    assert_ok(vrp_q_open(test_ctx, &in->problem, &settings, &pass));
    return pass;
}

static vrp_q_pass *open_and_run(const instance *in, mco_engine engine, mco_simd simd, int32_t threads)
{
    vrp_q_pass *pass = open_engine(in, engine, simd, threads);
    assert_ok(vrp_q_run(test_ctx, pass, in->arcs, INFINITY));
    return pass;
}

// ---- All walks

enum { WALK_NODES = 7, WALK_CAPACITY = 12 };

typedef struct walks {
    const instance *in;
    bool backward;
    int32_t least[WALK_CAPACITY + 1][WALK_NODES][WALK_NODES];  // [q][i][j]: the least walk to i of load q with j before i
} walks;

static int32_t arc_at(const instance *in, bool backward, int32_t i, int32_t j)
{
    return backward ? in->arcs[j * in->problem.stride + i] : in->arcs[i * in->problem.stride + j];
}

static void walk_on(walks *w, int32_t load, int32_t value, int32_t before, int32_t at)
{
    const vrp_bound_problem *p = &w->in->problem;
    if (at > 0 && value < w->least[load][at][before])
        w->least[load][at][before] = value;
    for (int32_t next = 1; next < p->nodes; next++) {
        const int32_t arc = arc_at(w->in, w->backward, at, next);
        if (next != at && (next != before || at == 0) && load + p->demand[next] <= p->capacity && arc < VRP_NO_ARC)
            walk_on(w, load + p->demand[next], value + arc, at, next);
    }
}

static void expect_cell(const walks *w, const vrp_q_pass *pass, int32_t q, int32_t i)
{
    int32_t first = VRP_NO_PATH, before = -1, second = VRP_NO_PATH, second_before = -1;
    for (int32_t j = 0; j < w->in->problem.nodes; j++) {
        const int32_t value = w->least[q][i][j];
        if (value < first) {
            second = first;
            second_before = before;
            first = value;
            before = j;
        } else if (value < second) {
            second = value;
            second_before = j;
        }
    }
    assert_int_equal(vrp_q_value(pass, w->backward, q, i), first);
    assert_int_equal(vrp_q_before(pass, w->backward, q, i), before);
    assert_int_equal(vrp_q_second(pass, w->backward, q, i), second);
    assert_int_equal(vrp_q_second_before(pass, w->backward, q, i), second_before);
}

static void expect_walks(const instance *in, const vrp_q_pass *pass, bool backward)
{
    static walks w;
    w.in = in;
    w.backward = backward;
    for (int q = 0; q <= WALK_CAPACITY; q++)
        for (int i = 0; i < WALK_NODES; i++)
            for (int j = 0; j < WALK_NODES; j++)
                w.least[q][i][j] = VRP_NO_PATH;
    walk_on(&w, 0, 0, 0, 0);
    for (int32_t q = 0; q <= in->problem.capacity; q++)
        for (int32_t i = 1; i < in->problem.nodes; i++)
            expect_cell(&w, pass, q, i);
}

static const shape small_shapes[] = {
    {6, 6, 1, 3, 0, 9, 0, true},      {6, 6, 1, 3, -9, 9, 0, true},   {7, 12, 2, 5, -3, 9, 20, true},  {6, 6, 1, 3, -9, 9, 30, false},
    {7, 12, 3, 7, -20, 20, 0, false}, {5, 7, 1, 1, -4, 4, 10, false}, {7, 12, 5, 12, 0, 3, 0, true},   {2, 5, 2, 2, -5, 5, 0, false},
    {2, 5, 1, 5, -5, 5, 0, true},     {7, 12, 2, 4, 0, 1, 60, false}, {7, 12, 4, 4, -50, -1, 0, true},
};

static void test_all_walks(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (size_t k = 0; k < sizeof small_shapes / sizeof *small_shapes; k++)
        for (int repeat = 0; repeat < 3; repeat++) {
            instance in = make(&small_shapes[k], &seed);
            for (int e = 0; e < 2; e++) {
                vrp_q_pass *pass = open_and_run(&in, e == 0 ? MCO_ENGINE_REFERENCE : MCO_ENGINE_CPU, MCO_SIMD_AUTO, 1);
                expect_walks(&in, pass, false);
                if (!in.problem.is_symmetric)
                    expect_walks(&in, pass, true);
                vrp_q_close(test_ctx, &pass);
            }
            drop(&in);
        }
}

// ---- Engines

static bool is_equal(const vrp_q_pass *a, const vrp_q_pass *b, bool backward, int32_t q, int32_t i)
{
    return vrp_q_value(a, backward, q, i) == vrp_q_value(b, backward, q, i) &&
           vrp_q_before(a, backward, q, i) == vrp_q_before(b, backward, q, i) &&
           vrp_q_second(a, backward, q, i) == vrp_q_second(b, backward, q, i) &&
           vrp_q_second_before(a, backward, q, i) == vrp_q_second_before(b, backward, q, i);
}

static void expect_equal(const instance *in, const vrp_q_pass *a, const vrp_q_pass *b)
{
    const vrp_bound_problem *p = &in->problem;
    for (int backward = 0; backward < (p->is_symmetric ? 1 : 2); backward++)
        for (int32_t q = 0; q <= p->capacity; q++)
            for (int32_t i = 1; i < p->nodes; i++)
                if (!is_equal(a, b, backward, q, i))
                    fail_msg("%d nodes, capacity %d, backward %d, load %d, node %d: value %d before %d, not %d and %d", p->nodes, p->capacity,
                             backward, q, i, vrp_q_value(b, backward, q, i), vrp_q_before(b, backward, q, i),
                             vrp_q_value(a, backward, q, i), vrp_q_before(a, backward, q, i));
    assert_int_equal(vrp_q_least_route(a), vrp_q_least_route(b));
}

static void expect_engines_equal(const shape *s, uint64_t *seed)
{
    static const mco_simd units[] = {MCO_SIMD_AVX512, MCO_SIMD_AVX2, MCO_SIMD_PORTABLE};
    instance in = make(s, seed);
    vrp_q_pass *reference = open_and_run(&in, MCO_ENGINE_REFERENCE, MCO_SIMD_AUTO, 1);
    for (int u = 0; u < 3; u++)
        for (int32_t threads = 1; mco_simd_has(units[u]) && threads <= 3; threads += 2) {
            vrp_q_pass *pass = open_and_run(&in, MCO_ENGINE_CPU, units[u], threads);
            expect_equal(&in, reference, pass);
            vrp_q_close(test_ctx, &pass);
        }
    vrp_q_close(test_ctx, &reference);
    drop(&in);
}

// Sizes that cross lanes, groups, blocks of keys, tiles of layers; many ties; ranges for each number of bits.
static void test_engines(void **state)
{
    (void)state;
    static const int32_t nodes[] = {15, 16, 17, 18, 63, 64, 65, 130, 255, 256, 257, 258, 300};
    uint64_t seed = 2;
    for (size_t k = 0; k < sizeof nodes / sizeof *nodes; k++) {
        const int32_t n = nodes[k];
        expect_engines_equal(&(shape){n, 40, 1, 9, -20, 20, 0, true}, &seed);
        expect_engines_equal(&(shape){n, 45, 7, 30, -2, 2, 10, k % 2 == 0}, &seed);
        expect_engines_equal(&(shape){n, 31, 13, 31, 0, 1000, 40, k % 2 == 1}, &seed);
        expect_engines_equal(&(shape){n, 30, 2, 3, -300000, 100000, 5, true}, &seed);
        expect_engines_equal(&(shape){n, 12, 1, 2, -3000000, 3000000, 5, false}, &seed);
        expect_engines_equal(&(shape){n, 12, 1, 3, -20000000, 20000000, 5, false}, &seed);
        expect_engines_equal(&(shape){n, 9, 1, 4, 0, 0, 95, false}, &seed);
    }
}

// Enough transitions for a team to pay.
static void test_threads(void **state)
{
    (void)state;
    uint64_t seed = 3;
    expect_engines_equal(&(shape){700, 60, 11, 30, -20, 90, 0, true}, &seed);
}

// ---- Refusals

// A path of 20 arcs of -2^24 leaves the range; one of 10 does not.
static void test_range(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int32_t capacity = 10; capacity <= 20; capacity += 10) {
        instance in = make(&(shape){6, capacity, 1, 1, -(1 << 24), -(1 << 24), 0, true}, &seed);
        for (int e = 0; e < 2; e++) {
            vrp_q_pass *pass = open_engine(&in, e == 0 ? MCO_ENGINE_REFERENCE : MCO_ENGINE_CPU, MCO_SIMD_AUTO, 1);
            assert_int_equal(vrp_q_run(test_ctx, pass, in.arcs, INFINITY), capacity == 10 ? MCO_OK : MCO_ERR_LIMIT);
            vrp_q_close(test_ctx, &pass);
        }
        in.arcs[1] = -VRP_NO_PATH / 2;
        for (int e = 0; e < 2; e++) {
            vrp_q_pass *pass = open_engine(&in, e == 0 ? MCO_ENGINE_REFERENCE : MCO_ENGINE_CPU, MCO_SIMD_AUTO, 1);
            assert_int_equal(vrp_q_run(test_ctx, pass, in.arcs, INFINITY), MCO_ERR_LIMIT);
            vrp_q_close(test_ctx, &pass);
        }
        drop(&in);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    uint64_t seed = 5;
    instance in = make(&(shape){20, 30, 1, 5, 0, 9, 0, true}, &seed);
    vrp_q_pass *pass = NULL;
    vrp_relax_settings settings = {.engine = MCO_ENGINE_CPU, .threads = 1, .memory = 1000};
    assert_int_equal(vrp_q_open(test_ctx, &in.problem, &settings, &pass), MCO_ERR_LIMIT);
    assert_null(pass);
    settings.memory = 1e9;
    settings.engine = MCO_ENGINE_HYBRID;
    assert_int_equal(vrp_q_open(test_ctx, &in.problem, &settings, &pass), MCO_ERR_ARGUMENT);
    for (int e = 0; e < 2; e++) {
        pass = open_engine(&in, e == 0 ? MCO_ENGINE_REFERENCE : MCO_ENGINE_CPU, MCO_SIMD_AUTO, 1);
        assert_int_equal(vrp_q_run(test_ctx, pass, in.arcs, 0), MCO_ERR_STOPPED);
        vrp_q_close(test_ctx, &pass);
    }
    drop(&in);
}

// ---- Routes

// Routes keep their values, have no loop i-j-i, and begin with the least one.
static void test_routes(void **state)
{
    (void)state;
    uint64_t seed = 6;
    for (int k = 0; k < 8; k++) {
        instance in = make(&(shape){30, 25, 2, 9, -9, 9, 10, k % 2 == 0}, &seed);
        const vrp_bound_problem *p = &in.problem;
        vrp_q_pass *pass = open_and_run(&in, MCO_ENGINE_CPU, MCO_SIMD_AUTO, 1);
        vrp_routes routes;
        vrp_routes_open(p->is_symmetric, &routes);
        assert_ok(vrp_q_routes(test_ctx, pass, 0, 40, &routes));
        assert_true(routes.count > 0 && routes.count <= 40);
        assert_int_equal(routes.cost[0], vrp_q_least_route(pass));
        for (int64_t r = 0; r < routes.count; r++) {
            const int32_t *node = routes.node + routes.first[r], count = vrp_routes_length(&routes, r);
            int64_t load = 0;
            assert_true(routes.cost[r] < 0);
            assert_int_equal(routes.cost[r], vrp_bound_route_cost(p, node, count));
            for (int32_t a = 0; a < count; a++) {
                load += p->demand[node[a]];
                assert_true(a < 2 || node[a] != node[a - 2]);
            }
            assert_true(load <= p->capacity);
        }
        vrp_routes_close(test_ctx, &routes);
        vrp_q_close(test_ctx, &pass);
        drop(&in);
    }
}

// ---- Through-q-routes

typedef struct closed_walks {
    const instance *in;
    int32_t node[WALK_CAPACITY];
    int32_t least[WALK_CAPACITY + 1][WALK_NODES];  // [q][i]: the least closed walk of load q that visits i
} closed_walks;

static void close_walks(closed_walks *w, int32_t count, int32_t load, int32_t value)
{
    const vrp_bound_problem *p = &w->in->problem;
    const int32_t at = count > 0 ? w->node[count - 1] : 0;
    const int32_t home = w->in->arcs[at * p->stride];
    for (int32_t k = 0; k < count && home < VRP_NO_ARC; k++)
        if (value + home < w->least[load][w->node[k]])
            w->least[load][w->node[k]] = value + home;
    for (int32_t next = 1; next < p->nodes; next++) {
        const int32_t arc = w->in->arcs[at * p->stride + next];
        if (next == at || (count > 1 && next == w->node[count - 2]) || load + p->demand[next] > p->capacity || arc >= VRP_NO_ARC)
            continue;
        w->node[count] = next;
        close_walks(w, count + 1, load + p->demand[next], value + arc);
    }
}

// The route has the ratio's value and load, visits the customer and has no loop.
static void expect_route(const instance *in, const vrp_routes *routes, int32_t customer, int32_t value, int32_t load)
{
    const vrp_bound_problem *p = &in->problem;
    const int32_t *node = routes->node + routes->first[customer - 1], count = vrp_routes_length(routes, customer - 1);
    bool visits = false;
    int32_t sum = 0;
    for (int32_t k = 0; k < count; k++) {
        sum += p->demand[node[k]];
        visits = visits || node[k] == customer;
        assert_true(k < 2 || node[k] != node[k - 2]);
        assert_true(k < 1 || node[k] != node[k - 1]);
    }
    assert_int_equal(visits, value < VRP_NO_PATH);
    if (visits) {
        assert_int_equal(sum, load);
        assert_int_equal(vrp_bound_route_cost(p, node, count), value);
    }
}

static void expect_through(const instance *in, vrp_q_pass *pass)
{
    static closed_walks w;
    const vrp_bound_problem *p = &in->problem;
    int32_t table[(WALK_CAPACITY + 1) * WALK_NODES], value[WALK_NODES], load[WALK_NODES];
    vrp_routes routes;
    w.in = in;
    for (int q = 0; q <= WALK_CAPACITY; q++)
        for (int i = 0; i < WALK_NODES; i++)
            w.least[q][i] = VRP_NO_PATH;
    close_walks(&w, 0, 0, 0);
    vrp_routes_open(p->is_symmetric, &routes);
    assert_ok(vrp_through_table(test_ctx, pass, table, INFINITY));
    assert_ok(vrp_through_ratios(test_ctx, pass, value, load, &routes, INFINITY));
    assert_int_equal(routes.count, p->customers);
    for (int32_t i = 1; i < p->nodes; i++) {
        int32_t best = VRP_NO_PATH, best_load = 1;
        for (int32_t q = 0; q <= p->capacity; q++) {
            assert_int_equal(table[q * p->nodes + i], w.least[q][i]);
            if (w.least[q][i] < VRP_NO_PATH && (best == VRP_NO_PATH || w.least[q][i] * best_load < best * q)) {
                best = w.least[q][i];
                best_load = q;
            }
        }
        assert_int_equal(value[i], best);
        assert_int_equal(load[i], best_load);
        expect_route(in, &routes, i, value[i], load[i]);
    }
    vrp_routes_close(test_ctx, &routes);
}

static void test_through_walks(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int k = 0; k < COUNT_OF(small_shapes); k++)
        for (int repeat = 0; repeat < 6; repeat++) {
            instance in = make(&small_shapes[k], &seed);
            vrp_q_pass *pass = open_and_run(&in, repeat % 2 == 0 ? MCO_ENGINE_CPU : MCO_ENGINE_REFERENCE, MCO_SIMD_AUTO, 1);
            expect_through(&in, pass);
            vrp_q_close(test_ctx, &pass);
            drop(&in);
        }
}

// By cells alone, in the order of the recursion.
static int32_t joined(const vrp_q_pass *pass, bool is_symmetric, int32_t demand, int32_t q, int32_t i)
{
    int64_t least = VRP_NO_PATH;
    for (int32_t a = demand; a <= q; a++) {
        const int32_t b = q + demand - a;
        const int64_t f = vrp_q_value(pass, false, a, i), g = vrp_q_second(pass, false, a, i);
        const int64_t far = vrp_q_value(pass, !is_symmetric, b, i), far_second = vrp_q_second(pass, !is_symmetric, b, i);
        const int32_t before = vrp_q_before(pass, false, a, i), far_before = vrp_q_before(pass, !is_symmetric, b, i);
        int64_t value = f + far;
        if (f == VRP_NO_PATH || far == VRP_NO_PATH)
            continue;
        if (before == far_before && before > 0) {
            value = far_second < VRP_NO_PATH ? f + far_second : VRP_NO_PATH;
            value = g < VRP_NO_PATH && g + far < value ? g + far : value;
        }
        least = value < least ? value : least;
    }
    return (int32_t)least;
}

static void test_through_units(void **state)
{
    (void)state;
    static const mco_simd units[] = {MCO_SIMD_AVX512, MCO_SIMD_AVX2, MCO_SIMD_PORTABLE};
    static const int32_t capacities[] = {30, 63, 64, 65, 130, 201};
    uint64_t seed = 8;
    for (int k = 0; k < 2 * COUNT_OF(capacities); k++) {
        instance in = make(&(shape){17, capacities[k / 2], 1, 25, -99, 99, 20, k % 2 == 0}, &seed);
        const vrp_bound_problem *p = &in.problem;
        for (int u = 0; u < 3; u++) {
            if (!mco_simd_has(units[u]))
                continue;
            vrp_q_pass *pass = open_and_run(&in, MCO_ENGINE_CPU, units[u], 1);
            int32_t *table = NULL, value[17], load[17];
            assert_ok(mco_alloc(test_ctx, &table, (p->capacity + 1) * p->nodes));
            assert_ok(vrp_through_table(test_ctx, pass, table, INFINITY));
            assert_ok(vrp_through_ratios(test_ctx, pass, value, load, NULL, INFINITY));
            for (int32_t i = 1; i < p->nodes; i++) {
                int64_t best = VRP_NO_PATH, best_load = 1;
                for (int32_t q = 0; q <= p->capacity; q++) {
                    assert_int_equal(table[q * p->nodes + i], joined(pass, p->is_symmetric, p->demand[i], q, i));
                    if (table[q * p->nodes + i] < VRP_NO_PATH && table[q * p->nodes + i] * best_load < best * q) {
                        best = table[q * p->nodes + i];
                        best_load = q;
                    }
                }
                assert_int_equal(value[i], best);
                assert_int_equal(load[i], best_load);
            }
            mco_free(test_ctx, &table);
            vrp_q_close(test_ctx, &pass);
        }
        drop(&in);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_all_walks), TEST(test_engines), TEST(test_threads), TEST(test_range), TEST(test_refusals), TEST(test_routes),
        TEST(test_through_walks), TEST(test_through_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
