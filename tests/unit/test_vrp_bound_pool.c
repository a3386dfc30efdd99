// SPDX-License-Identifier: MIT
// The last step of a proof against all partitions, on small random lists of routes.
#include "test_support.h"

#include "base/clock.h"
#include "base/rng.h"
#include "lp/lp.h"
#include "vrp/bound/pool/pool.h"
#include "vrp/bound/pool/program.h"

enum { CUSTOMERS = 9, NODES = CUSTOMERS + 1, SETS = 1 << CUSTOMERS, SKIPPED = 77 };

static int32_t draw(uint64_t *state, int32_t below)
{
    return (int32_t)(mco_splitmix64(state) % (uint64_t)below);
}

static mco_vrp *random_instance(uint64_t *seed, int64_t capacity)
{
    double x[NODES], y[NODES];
    int32_t demand[CUSTOMERS];
    mco_vrp *vrp = NULL;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.capacity = capacity;
    for (int i = 0; i < NODES; i++) {
        x[i] = draw(seed, 100);
        y[i] = draw(seed, 100);
    }
    for (int i = 0; i < CUSTOMERS; i++)
        demand[i] = 1 + draw(seed, 4);
    assert_ok(mco_vrp_from_coordinates(test_ctx, CUSTOMERS, x, y, demand, &model, &vrp));
    return vrp;
}

static int64_t plain_cost(const mco_vrp *vrp, const int32_t *node, int32_t count)
{
    int64_t cost = 0;
    for (int32_t k = 0, at = 0; k <= count; k++) {
        cost += mco_vrp_distance(vrp, at, k < count ? node[k] : 0);
        at = k < count ? node[k] : 0;
    }
    return cost;
}

// Fills `list` with random routes, some of them with a customer twice; least [SETS] is the cheapest of each set, -1: none.
static void random_list(uint64_t *seed, const mco_vrp *vrp, int count, vrp_routes *list, int64_t *least)
{
    vrp_routes_open(true, list);
    for (int s = 0; s < SETS; s++)
        least[s] = -1;
    for (int k = 0; k < count; k++) {
        int32_t node[CUSTOMERS], length = 1 + draw(seed, 4), set = 0;
        bool is_elementary = true;
        for (int32_t i = 0; i < length; i++) {
            node[i] = 1 + draw(seed, CUSTOMERS);
            is_elementary = is_elementary && (set >> (node[i] - 1) & 1) == 0;
            set |= 1 << (node[i] - 1);
        }
        const int64_t cost = plain_cost(vrp, node, length);
        assert_ok(vrp_routes_add(test_ctx, list, node, length, 0, NULL, NULL));
        if (is_elementary && (least[set] < 0 || cost < least[set]))
            least[set] = cost;
    }
}

// The cheapest partition into least..most sets; INT64_MAX: none.
static int64_t cheapest(const int64_t *least, vrp_fleet fleet)
{
    static int64_t value[CUSTOMERS + 1][SETS];
    int64_t best = INT64_MAX;
    for (int k = 0; k <= CUSTOMERS; k++)
        for (int s = 0; s < SETS; s++) {
            value[k][s] = k == 0 && s == 0 ? 0 : INT64_MAX;
            for (int part = s; k > 0 && part > 0; part = (part - 1) & s)
                if (least[part] >= 0 && value[k - 1][s ^ part] != INT64_MAX && value[k - 1][s ^ part] + least[part] < value[k][s])
                    value[k][s] = value[k - 1][s ^ part] + least[part];
        }
    for (int k = fleet.least; k <= fleet.most; k++)
        best = value[k][SETS - 1] < best ? value[k][SETS - 1] : best;
    return best;
}

static void assert_plan(const mco_vrp *vrp, const vrp_routes *list, const vrp_pool_result *r)
{
    int32_t seen = 0;
    int64_t cost = 0;
    for (int32_t k = 0; k < r->plan_count; k++) {
        const int64_t j = r->plan[k];
        cost += plain_cost(vrp, list->node + list->first[j], vrp_routes_length(list, j));
        for (int64_t i = list->first[j]; i < list->first[j + 1]; i++) {
            assert_int_equal(seen >> (list->node[i] - 1) & 1, 0);
            seen |= 1 << (list->node[i] - 1);
        }
    }
    assert_int_equal(seen, SETS - 1);
    assert_int_equal(cost, r->cost);
}

// Rows that every plan obeys, of all kinds: at least one route enters a set, at most one for each member, and rank-1 rows.
static void random_cuts(uint64_t *seed, const vrp_bound_problem *p, vrp_cuts *cuts)
{
    vrp_cuts_open(p, cuts);
    for (int k = draw(seed, 20); k > 0; k--) {
        int32_t node[CUSTOMERS], size = 0;
        const uint64_t memory = (uint64_t)draw(seed, 2 * SETS);
        const int kind = draw(seed, 3);
        for (int32_t i = 1; i < NODES; i++)
            if (draw(seed, 2) == 0)
                node[size++] = i;
        if (size < 3)
            continue;
        if (kind == 0)
            assert_ok(vrp_cuts_add_set(test_ctx, cuts, node, size, VRP_CUT_AT_LEAST, 2));
        else if (kind == 1)
            assert_ok(vrp_cuts_add_set(test_ctx, cuts, node, size, VRP_CUT_AT_MOST, 2 * size));
        else
            assert_ok(vrp_cuts_add_rank1(test_ctx, cuts, node, 3, (int32_t[]){2, 1, 1}, 3, 1, &memory));
    }
}

// With rows or without; fleets of one size; `known` near the optimum, far beyond it, or none; a route of no customer in the list.
static void test_against_all_partitions(void **state)
{
    (void)state;
    uint64_t seed = 11;
    static int64_t least[SETS];
    int plans = 0, branched = 0, none = 0;
    for (int round = 0; round < (TEST_IS_SANITIZED ? 150 : 400); round++) {
        vrp_bound_problem p;
        vrp_routes list;
        vrp_pool_result r;
        vrp_cuts cuts;
        mco_vrp *vrp = random_instance(&seed, 10);
        assert_ok(vrp_bound_problem_open(test_ctx, vrp, 0, false, round % 2 == 0 ? 4000 : 20, &p));
        p.fleet = (vrp_fleet){1 + draw(&seed, 4), 5 + draw(&seed, 4)};
        p.fleet.least = round % 3 == 0 ? p.fleet.most : p.fleet.least;
        random_list(&seed, vrp, round % 4 == 0 ? 10 + draw(&seed, 40) : 30 + draw(&seed, 400), &list, least);
        random_cuts(&seed, &p, &cuts);
        assert_ok(vrp_routes_append(test_ctx, &list, NULL, 0, 0));
        const int64_t best = cheapest(least, p.fleet), near = best == INT64_MAX ? 2000 : best + draw(&seed, 3) * 40;
        const int64_t known = round % 5 == 0 ? INT64_MAX : round % 7 == 0 ? 1000000 : near;
        assert_ok(vrp_pool_solve(test_ctx, NULL, &p, &list, round % 2 == 0 ? &cuts : NULL, known, 1 + round % 3, INFINITY, INFINITY, &r));
        assert_true(r.is_done);
        if (best < known) {
            assert_int_equal(r.cost, best);
            assert_int_equal(r.bound, best);
            assert_plan(vrp, &list, &r);
        } else {
            assert_true(r.cost == INT64_MAX && r.plan == NULL);
            assert_int_equal(r.bound, known);
        }
        plans += best < known;
        none += best == INT64_MAX;
        branched += r.nodes > 1;
        vrp_pool_result_clear(test_ctx, &r);
        vrp_routes_close(test_ctx, &list);
        vrp_cuts_close(test_ctx, &cuts);
        vrp_bound_problem_close(test_ctx, &p);
        mco_vrp_destroy(test_ctx, &vrp);
    }
    print_message("%d plans, %d lists without one, %d searches branched\n", plans, none, branched);
    assert_true(plans > 15 && none > 5 && branched > 5);
}

// With the time over nothing is proved but what holds.
static void test_stopped(void **state)
{
    (void)state;
    uint64_t seed = 5;
    static int64_t least[SETS];
    vrp_bound_problem p;
    vrp_routes list;
    vrp_pool_result r;
    mco_vrp *vrp = random_instance(&seed, 10);
    assert_ok(vrp_bound_problem_open(test_ctx, vrp, 0, false, 4000, &p));
    p.fleet = (vrp_fleet){1, CUSTOMERS};
    random_list(&seed, vrp, 400, &list, least);
    const int64_t best = cheapest(least, p.fleet);
    assert_ok(vrp_pool_solve(test_ctx, NULL, &p, &list, NULL, best + 100, 1, mco_clock_s() - 1, INFINITY, &r));
    assert_false(r.is_done);
    assert_true(r.bound <= best);
    vrp_pool_result_clear(test_ctx, &r);
    vrp_routes_close(test_ctx, &list);
    vrp_bound_problem_close(test_ctx, &p);
    mco_vrp_destroy(test_ctx, &vrp);
}

static void test_memory_failures(void **state)
{
    (void)state;
    uint64_t seed = 9;
    static int64_t least[SETS];
    vrp_bound_problem p;
    vrp_routes list;
    vrp_cuts cuts;
    mco_status st = MCO_ERR_MEMORY;
    long k = 0;
    mco_vrp *vrp = random_instance(&seed, 10);
    assert_ok(vrp_bound_problem_open(test_ctx, vrp, 0, false, 4000, &p));
    random_list(&seed, vrp, 60, &list, least);
    random_cuts(&seed, &p, &cuts);
    assert_true(cuts.count > 2);
    while (st == MCO_ERR_MEMORY) {
        vrp_pool_result r = {0};
        test_fail_allocation(++k);
        st = vrp_pool_solve(test_ctx, NULL, &p, &list, &cuts, 2000, 1, INFINITY, INFINITY, &r);
        test_fail_allocation(0);
        vrp_pool_result_clear(test_ctx, &r);
    }
    assert_ok(st);
    assert_true(k > 10);
    vrp_cuts_close(test_ctx, &cuts);
    vrp_routes_close(test_ctx, &list);
    vrp_bound_problem_close(test_ctx, &p);
    mco_vrp_destroy(test_ctx, &vrp);
}

// ---- Programs of some routes

// The optimum over the routes of a list, of which the first `begin` are columns at first. *bound is what it proves, *joins counts the others
// that became columns. shrinks: prices have little room, so that they are less than the duals.
static double optimum(const vrp_bound_problem *problem, const vrp_routes *list, const vrp_cuts *cuts, int32_t begin, bool shrinks,
                      double *bound, int *joins)
{
    pool_program p;
    mco_lp_end end;
    double objective = 0, sum = 0;
    assert_ok(pool_open(test_ctx, problem, list, 2000, begin, INFINITY, &p));
    vrp_cuts_close(test_ctx, &p.cuts);
    assert_ok(vrp_cuts_copy(test_ctx, cuts, &p.cuts));
    assert_ok(pool_add_rows(&p, 0));
    if (shrinks)
        p.most_price = (double)p.unit;
    for (int32_t joined = 1; joined > 0; *joins += joined) {
        assert_ok(mco_lp_solve(test_ctx, p.lp, MCO_LP_PRIMAL, INFINITY, &end));
        assert_int_equal(end, MCO_LP_OPTIMAL);
        objective = mco_lp_objective(p.lp);
        pool_prove(&p);
        assert_true(!shrinks || p.scale < 1);
        assert_ok(pool_join(&p, &joined));
    }
    *bound = (double)p.bound / (double)p.unit;
    for (int32_t i = 0; i <= p.customers; i++)
        sum += mco_lp_values(p.lp)[i] * (double)p.artificial;
    for (int32_t j = 0; j < p.routes; j++) {
        assert_true(p.column[j] >= 0 || p.value[j] == 0);
        sum += p.value[j] * (double)p.cost[j];
    }
    assert_true(fabs(sum - objective) < 1e-6 * objective);
    pool_close(&p);
    return objective;
}

// Few routes to begin with lead to the optimum of all, and to its proof.
static void test_routes_join(void **state)
{
    (void)state;
    uint64_t seed = 3;
    static int64_t least[SETS];
    int joins = 0, none = 0;
    for (int round = 0; round < 20; round++) {
        vrp_bound_problem p;
        vrp_routes list;
        vrp_cuts cuts;
        double few, all, less;
        mco_vrp *vrp = random_instance(&seed, 10);
        assert_ok(vrp_bound_problem_open(test_ctx, vrp, 0, false, 4000, &p));
        random_list(&seed, vrp, 400, &list, least);
        random_cuts(&seed, &p, &cuts);
        const double whole = optimum(&p, &list, &cuts, INT32_MAX, false, &all, &none);
        assert_true(fabs(optimum(&p, &list, &cuts, draw(&seed, 10), false, &few, &joins) - whole) < 1e-6 * whole);
        assert_true(fabs(optimum(&p, &list, &cuts, draw(&seed, 10), true, &less, &joins) - whole) < 1e-6 * whole);
        assert_true(fabs(all - whole) < 1e-2 && fabs(few - whole) < 1e-2 && less < whole);
        vrp_cuts_close(test_ctx, &cuts);
        vrp_routes_close(test_ctx, &list);
        vrp_bound_problem_close(test_ctx, &p);
        mco_vrp_destroy(test_ctx, &vrp);
    }
    print_message("%d routes joined\n", joins);
    assert_true(none == 0 && joins > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_against_all_partitions),
        TEST(test_stopped),
        TEST(test_memory_failures),
        TEST(test_routes_join),
    };
    if (!mco_lp_is_there())
        return SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
