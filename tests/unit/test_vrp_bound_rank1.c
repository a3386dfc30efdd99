// SPDX-License-Identifier: MIT
// Separation of rank-1 rows: they are violated by the solution at hand with the memory they get, no plan violates them, and no violated
// triple is overlooked.
#include "test_support.h"

#include "base/clock.h"
#include "base/rng.h"
#include "vrp/bound/columns/separate.h"

enum { CUSTOMERS = 9, NODES = CUSTOMERS + 1, ROUTES = 14, ROOM = 100 };

typedef struct test_solution {
    vrp_routes routes;
    double x[ROUTES];
    bool is_elementary;
} test_solution;

static vrp_bound_problem a_problem(void)
{
    return (vrp_bound_problem){.customers = CUSTOMERS, .nodes = NODES, .stride = 16, .capacity = CUSTOMERS, .least_demand = 1};
}

static int32_t between(mco_rng *rng, int32_t least, int32_t most)
{
    return least + (int32_t)mco_rng_below(rng, (uint32_t)(most - least + 1));
}

static void shuffle(mco_rng *rng, int32_t *node)
{
    for (int32_t k = 0; k < CUSTOMERS; k++)
        node[k] = k + 1;
    for (int32_t k = CUSTOMERS - 1; k > 0; k--) {
        const int32_t other = between(rng, 0, k), at = node[k];
        node[k] = node[other];
        node[other] = at;
    }
}

// Routes of two to five customers, of which a few come twice, each with value 1/2 or 1/3; almost no customer is covered more than
// once in all.
static void draw_solution(mco_rng *rng, test_solution *s)
{
    int32_t cover[NODES] = {0}, node[CUSTOMERS];
    const int32_t parts = between(rng, 2, 3);
    s->is_elementary = between(rng, 0, 1);
    int64_t index;
    vrp_routes_open(false, &s->routes);
    for (int trial = 0; trial < 400 && s->routes.count < ROUTES; trial++) {
        const int32_t count = between(rng, 2, 5);
        int32_t most = 0;
        bool is_new;
        shuffle(rng, node);
        if (!s->is_elementary && between(rng, 0, 9) == 0 && count > 2)
            node[count - 1] = node[0];
        for (int32_t k = 0; k < count; k++)
            most = cover[node[k]] >= most ? cover[node[k]] + 1 : most;
        if (most > parts)
            continue;
        assert_ok(vrp_routes_add(test_ctx, &s->routes, node, count, 1, &index, &is_new));
        for (int32_t k = 0; k < count && is_new; k++)
            cover[node[k]]++;
    }
    for (int32_t r = 0; r < ROUTES; r++)
        s->x[r] = 1.0 / parts;
}

static double violation_of(const vrp_cut *cut, const test_solution *s)
{
    double sum = -(double)cut->rhs;
    for (int64_t r = 0; r < s->routes.count; r++)
        sum += s->x[r] * vrp_cut_coefficient(cut, s->routes.node + s->routes.first[r], vrp_routes_length(&s->routes, r));
    return sum;
}

static double whole_violation_of(const vrp_cut *cut, const test_solution *s)
{
    vrp_cut whole = *cut;
    whole.memory = NULL;
    return violation_of(&whole, s);
}

// The customers in a random order, cut into routes at random, obey all rows.
static void assert_plans_obey(mco_rng *rng, const vrp_cuts *cuts)
{
    for (int plan = 0; plan < 40; plan++) {
        int32_t node[CUSTOMERS], end[CUSTOMERS], routes = 0;
        shuffle(rng, node);
        for (int32_t k = 0; k < CUSTOMERS; k++)
            if (k == CUSTOMERS - 1 || between(rng, 0, 3) == 0)
                end[routes++] = k + 1;
        for (int64_t c = 0; c < cuts->count; c++) {
            int64_t sum = 0;
            for (int32_t r = 0; r < routes; r++) {
                const int32_t first = r > 0 ? end[r - 1] : 0;
                sum += vrp_cut_coefficient(&cuts->cut[c], node + first, end[r] - first);
            }
            assert_true(sum <= cuts->cut[c].rhs);
        }
    }
}

static double most_violated_triple(const test_solution *s)
{
    double most = -1;
    for (int32_t i = 1; i < NODES; i++)
        for (int32_t j = i + 1; j < NODES; j++)
            for (int32_t k = j + 1; k < NODES; k++) {
                uint64_t member = (uint64_t)1 << i | (uint64_t)1 << j | (uint64_t)1 << k;
                int32_t node[] = {i, j, k};
                const vrp_cut cut = {.kind = VRP_CUT_RANK1, .rhs = 1, .size = 3, .node = node, .member = &member, .numerator = {1, 1, 1},
                                     .denominator = 2};
                const double violation = violation_of(&cut, s);
                most = violation > most ? violation : most;
            }
    return most;
}

// No swap of two numerators violates the row more.
static void assert_best_order(const vrp_cut *cut, const test_solution *s)
{
    for (int32_t a = 0; a < cut->size; a++)
        for (int32_t b = 0; b < a; b++) {
            vrp_cut other = *cut;
            other.numerator[a] = cut->numerator[b];
            other.numerator[b] = cut->numerator[a];
            assert_true(whole_violation_of(&other, s) < whole_violation_of(cut, s) + 1e-9);
        }
}

static void rows_are_valid_and_violated(void **state)
{
    (void)state;
    mco_rng rng;
    const vrp_bound_problem p = a_problem();
    int64_t sizes[VRP_RANK1_MOST_MEMBERS + 1] = {0}, limited = 0, unequal[VRP_RANK1_MOST_MEMBERS + 1] = {0};
    mco_rng_seed(&rng, 5, 0);
    for (int trial = 0; trial < 400; trial++) {
        test_solution s;
        vrp_cuts cuts;
        int32_t found, grown;
        draw_solution(&rng, &s);
        vrp_cuts_open(&p, &cuts);
        assert_ok(vrp_separate_rank1(test_ctx, &p, &s.routes, s.x, ROOM, 0.01, INFINITY, &cuts, &found, &grown));
        assert_int_equal(found, cuts.count);
        assert_int_equal(grown, 0);
        const double triple = most_violated_triple(&s);
        assert_true(!s.is_elementary || triple < 0.0101 || (found > 0 && violation_of(&cuts.cut[0], &s) > triple - 1e-9));
        for (int64_t k = 0; k < cuts.count; k++) {
            const vrp_cut *cut = &cuts.cut[k];
            assert_true(violation_of(cut, &s) > 0.01 - 1e-9);
            assert_true(violation_of(cut, &s) > whole_violation_of(cut, &s) - 1e-9);
            assert_int_equal(cut->sense, VRP_CUT_AT_MOST);
            assert_best_order(cut, &s);
            sizes[cut->size]++;
            unequal[cut->size] += cut->numerator[0] != cut->numerator[1] || cut->numerator[0] != cut->numerator[2];
            limited += __builtin_popcountll(cut->memory[0]) < CUSTOMERS;
        }
        assert_plans_obey(&rng, &cuts);
        vrp_cuts_close(test_ctx, &cuts);
        vrp_routes_close(test_ctx, &s.routes);
    }
    assert_true(sizes[3] > 50 && sizes[4] > 50 && sizes[5] > 50 && limited > 50);
    assert_true(unequal[4] > 50 && unequal[5] > 50);
}

// Rows of one solution, then another one: memories grow where that violates a row again, and no row comes twice.
static void memories_grow(void **state)
{
    (void)state;
    mco_rng rng;
    const vrp_bound_problem p = a_problem();
    int64_t all_grown = 0;
    mco_rng_seed(&rng, 6, 0);
    for (int trial = 0; trial < 200; trial++) {
        test_solution a, b;
        vrp_cuts cuts, before;
        int32_t found, grown, changed = 0;
        draw_solution(&rng, &a);
        draw_solution(&rng, &b);
        vrp_cuts_open(&p, &cuts);
        assert_ok(vrp_separate_rank1(test_ctx, &p, &a.routes, a.x, ROOM, 0.01, INFINITY, &cuts, &found, &grown));
        assert_ok(vrp_cuts_copy(test_ctx, &cuts, &before));
        assert_ok(vrp_separate_rank1(test_ctx, &p, &b.routes, b.x, ROOM, 0.01, INFINITY, &cuts, &found, &grown));
        for (int64_t k = 0; k < before.count; k++) {
            assert_int_equal(before.cut[k].memory[0] & ~cuts.cut[k].memory[0], 0);
            changed += before.cut[k].memory[0] != cuts.cut[k].memory[0];
            assert_true(whole_violation_of(&cuts.cut[k], &b) <= 0.0101 || violation_of(&cuts.cut[k], &b) > 0.01 - 1e-9);
        }
        assert_int_equal(changed, grown);
        all_grown += grown;
        for (int64_t k = 0; k < cuts.count; k++)
            for (int64_t l = 0; l < k; l++)
                assert_false(cuts.cut[k].member[0] == cuts.cut[l].member[0] && cuts.cut[k].denominator == cuts.cut[l].denominator &&
                             memcmp(cuts.cut[k].numerator, cuts.cut[l].numerator, sizeof cuts.cut[k].numerator) == 0);
        vrp_cuts_close(test_ctx, &before);
        vrp_cuts_close(test_ctx, &cuts);
        vrp_routes_close(test_ctx, &a.routes);
        vrp_routes_close(test_ctx, &b.routes);
    }
    assert_true(all_grown > 20);
}

static void limits_are_kept(void **state)
{
    (void)state;
    mco_rng rng;
    const vrp_bound_problem p = a_problem();
    test_solution s;
    vrp_cuts cuts;
    int32_t found, grown;
    mco_rng_seed(&rng, 5, 0);
    draw_solution(&rng, &s);
    vrp_cuts_open(&p, &cuts);
    assert_ok(vrp_separate_rank1(test_ctx, &p, &s.routes, s.x, 1, -10, INFINITY, &cuts, &found, &grown));
    assert_int_equal(found, 1);
    mco_status st = MCO_ERR_MEMORY;
    const long live = test_memory.live;
    for (long k = 1; st != MCO_OK; k++) {
        vrp_cuts more;
        vrp_cuts_open(&p, &more);
        test_fail_allocation(k);
        st = vrp_separate_rank1(test_ctx, &p, &s.routes, s.x, ROOM, 0.01, INFINITY, &more, &found, &grown);
        test_fail_allocation(0);
        assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
        vrp_cuts_close(test_ctx, &more);
        assert_int_equal(test_memory.live, live);
    }
    vrp_cuts_close(test_ctx, &cuts);
    vrp_routes_close(test_ctx, &s.routes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_are_valid_and_violated, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(memories_grow, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(limits_are_kept, test_setup, test_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
