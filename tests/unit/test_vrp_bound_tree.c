// SPDX-License-Identifier: MIT
// Branch and price against the exact method, on small random instances whose root has no cuts.
#include "test_support.h"

#include <math.h>

#include "base/clock.h"
#include "base/rng.h"
#include "lp/lp.h"
#include "vrp/bound/recheck_proof.h"
#include "vrp/bound/tree/inside.h"

enum { MOST_CUSTOMERS = 12, LARGEST = 4000, SKIPPED = 77 };

static int32_t draw(uint64_t *state, int32_t below)
{
    return (int32_t)(mco_splitmix64(state) % (uint64_t)below);
}

static mco_vrp *random_instance(uint64_t *seed, int32_t customers, int32_t vehicles)
{
    double x[MOST_CUSTOMERS + 1], y[MOST_CUSTOMERS + 1];
    int32_t demand[MOST_CUSTOMERS];
    mco_vrp *vrp = NULL;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.capacity = 10 + draw(seed, 4);
    model.vehicles = vehicles;
    for (int i = 0; i <= customers; i++) {
        x[i] = draw(seed, 100);
        y[i] = draw(seed, 100);
    }
    for (int i = 0; i < customers; i++)
        demand[i] = 1 + draw(seed, 6);
    assert_ok(mco_vrp_from_coordinates(test_ctx, customers, x, y, demand, &model, &vrp));
    return vrp;
}

// The same with a limit of length that binds many routes and no single customer.
static mco_vrp *short_instance(uint64_t *seed, int32_t customers)
{
    mco_vrp *vrp = random_instance(seed, customers, 0);
    for (int32_t i = 1; i < vrp->nodes; i++)
        if (vrp->max_length == MCO_VRP_MAX_LENGTH || vrp->max_length < 2 * mco_vrp_distance(vrp, 0, i))
            vrp->max_length = 2 * mco_vrp_distance(vrp, 0, i);
    return vrp;
}

// The cheapest plan of least..most routes by dynamic programming over all sets of customers; INT64_MAX: none.
static int64_t exact_cost(const mco_vrp *vrp, vrp_fleet fleet)
{
    enum { SETS = 1 << MOST_CUSTOMERS };
    static int64_t path[SETS][MOST_CUSTOMERS], route[SETS], value[2][SETS];
    const int32_t n = vrp->customers, sets = 1 << n;
    int64_t best = INT64_MAX;
    for (int32_t s = 1; s < sets; s++) {
        int64_t load = 0;
        route[s] = INT64_MAX;
        for (int32_t i = 0; i < n; i++)
            load += s >> i & 1 ? vrp->demand[i + 1] : 0;
        for (int32_t i = 0; i < n; i++) {
            const int32_t rest = s & ~(1 << i);
            path[s][i] = rest == 0 ? mco_vrp_distance(vrp, 0, i + 1) : INT64_MAX / 2;
            for (int32_t j = 0; j < n; j++)
                if (s >> i & 1 && rest >> j & 1 && path[rest][j] + mco_vrp_distance(vrp, j + 1, i + 1) < path[s][i])
                    path[s][i] = path[rest][j] + mco_vrp_distance(vrp, j + 1, i + 1);
            if (s >> i & 1 && load <= vrp->capacity && path[s][i] + mco_vrp_distance(vrp, i + 1, 0) < route[s])
                route[s] = path[s][i] + mco_vrp_distance(vrp, i + 1, 0);
        }
        if (vrp_has_max_length(vrp) && route[s] > vrp->max_length)
            route[s] = INT64_MAX;
    }
    for (int32_t s = 0; s < sets; s++)
        value[0][s] = s == 0 ? 0 : INT64_MAX;
    for (int32_t k = 1; k <= n; k++) {
        int64_t *now = value[k & 1], *before = value[(k - 1) & 1];
        for (int32_t s = 0; s < sets; s++) {
            now[s] = INT64_MAX;
            // The route of the first customer of the set.
            for (int32_t part = s; part > 0; part = (part - 1) & s)
                if ((part & s & -s) != 0 && route[part] != INT64_MAX && before[s ^ part] != INT64_MAX && before[s ^ part] + route[part] < now[s])
                    now[s] = before[s ^ part] + route[part];
        }
        if (k >= fleet.least && k <= fleet.most && now[sets - 1] < best)
            best = now[sets - 1];
    }
    return best;
}

typedef struct root {
    vrp_bound_problem problem;
    vrp_relax_settings relax;
    vrp_master master;
} root;

// A root of q-routes (size 0) or ng-routes, without cuts.
static void open_root_in_units(root *r, const mco_vrp *vrp, int32_t vehicles, bool exactly, int32_t size, int32_t largest)
{
    bool is_done;
    r->relax = (vrp_relax_settings){.engine = MCO_ENGINE_CPU, .threads = 1, .memory = 1e9};
    assert_ok(vrp_bound_problem_open(test_ctx, vrp, vehicles, exactly, largest, &r->problem));
    assert_ok(vrp_master_open(test_ctx, NULL, &r->problem, NULL, NULL, NULL, &r->master));
    r->master.threads = 1;
    if (size == 0)
        assert_ok(vrp_master_take_q(&r->master, &r->relax));
    else
        assert_ok(vrp_master_take_ng(&r->master, &r->relax, size));
    assert_ok(vrp_master_solve(&r->master, INFINITY, &is_done));
}

static void open_root(root *r, const mco_vrp *vrp, int32_t vehicles, bool exactly, int32_t size)
{
    open_root_in_units(r, vrp, vehicles, exactly, size, LARGEST);
}

static void close_root(root *r)
{
    vrp_master_close(&r->master);
    vrp_bound_problem_close(test_ctx, &r->problem);
}

static void assert_plan(const root *r, const vrp_tree_result *result)
{
    const vrp_routes *plan = &result->plan;
    bool seen[MOST_CUSTOMERS + 1] = {false};
    int64_t cost = 0, visits = 0;
    for (int64_t k = 0; k < plan->count; k++) {
        int32_t load = 0, at = 0;
        for (int64_t v = plan->first[k]; v < plan->first[k + 1]; v++) {
            const int32_t node = plan->node[v];
            assert_false(seen[node]);
            seen[node] = true;
            visits++;
            load += r->problem.demand[node];
            cost += mco_vrp_distance(r->problem.vrp, at, node);
            at = node;
        }
        cost += mco_vrp_distance(r->problem.vrp, at, 0);
        assert_true(load <= r->problem.capacity);
    }
    assert_int_equal(visits, r->problem.customers);
    assert_true(plan->count >= r->problem.fleet.least && plan->count <= r->problem.fleet.most);
    assert_int_equal(cost, result->cost);
}

// A tree that may enumerate nothing but where no set divides a node.
static vrp_tree_settings plain_settings(int round)
{
    vrp_tree_settings s = VRP_TREE_SETTINGS_INIT;
    s.cuts_capacity = round % 3 == 0;
    s.cuts_rank1 = round % 5 == 0;
    s.tried_gap = s.tried_close = round % 4 == 0 ? 0 : 1;
    return s;
}

static void test_against_all_plans(void **state)
{
    (void)state;
    uint64_t seed = 3;
    int branched = 0, none = 0, plans = 0;
    for (int round = 0; round < (TEST_IS_SANITIZED ? 30 : 150); round++) {
        root r;
        vrp_tree_result result;
        vrp_tree_settings settings = plain_settings(round);
        mco_vrp *vrp = random_instance(&seed, round < 100 ? 8 + draw(&seed, 2) : MOST_CUSTOMERS, 0);
        int64_t demand = 0;
        for (int32_t i = 1; i < vrp->nodes; i++)
            demand += vrp->demand[i];
        const bool exactly = round % 2 == 1;
        const int32_t vehicles = exactly ? (int32_t)((demand + vrp->capacity - 1) / vrp->capacity) + draw(&seed, 3) : 0;
        if (exactly && vehicles > vrp->customers) {
            mco_vrp_destroy(test_ctx, &vrp);
            continue;
        }
        open_root(&r, vrp, vehicles, exactly, round % 6 < 3 ? 0 : 3);
        const vrp_fleet all = {1, vrp->customers};
        const int64_t best = exact_cost(vrp, exactly ? r.problem.fleet : all);
        if (best == INT64_MAX || round % 7 == 0)
            settings.known = 4000;
        else
            settings.known = best + draw(&seed, 4);
        assert_ok(vrp_tree_solve(&r.master, &settings, &result));
        assert_true(result.is_done);
        assert_int_equal(result.bound, best < settings.known ? best : settings.known);
        if (best < settings.known) {
            assert_int_equal(result.cost, best);
            assert_plan(&r, &result);
        } else {
            assert_true(result.cost == INT64_MAX && result.plan.count == 0);
        }
        branched += result.nodes > 1;
        none += best == INT64_MAX;
        plans += best < settings.known;
        vrp_tree_result_clear(test_ctx, &result);
        close_root(&r);
        mco_vrp_destroy(test_ctx, &vrp);
    }
    print_message("%d trees branched, %d plans found, %d instances without a plan\n", branched, plans, none);
    assert_true(branched > (TEST_IS_SANITIZED ? 0 : 10) && plans > (TEST_IS_SANITIZED ? 0 : 10));
}

// Without a known plan the tree finds one by itself, or the time ends it; its bound holds in both cases.
static void test_without_a_known_plan(void **state)
{
    (void)state;
    uint64_t seed = 21;
    int done = 0;
    for (int round = 0; round < 30; round++) {
        root r;
        vrp_tree_result result;
        vrp_tree_settings settings = VRP_TREE_SETTINGS_INIT;
        mco_vrp *vrp = random_instance(&seed, 9, 0);
        settings.nodes = 60;
        open_root(&r, vrp, 0, false, 8);
        const vrp_fleet all = {1, vrp->customers};
        const int64_t best = exact_cost(vrp, all);
        assert_ok(vrp_tree_solve(&r.master, &settings, &result));
        assert_true(result.bound <= best && result.cost >= best);
        if (result.is_done)
            assert_int_equal(result.cost, best);
        done += result.is_done;
        vrp_tree_result_clear(test_ctx, &result);
        close_root(&r);
        mco_vrp_destroy(test_ctx, &vrp);
    }
    assert_true(done > 10);
}

static double crossings(const vrp_master *m, const tree_side *side)
{
    double sum = 0;
    for (int64_t k = 0; k < m->columns.count; k++)
        for (int64_t c = 0; c < m->cuts.count; c++)
            if (m->cuts.cut[c].size == side->size && m->cuts.cut[c].sense == side->sense && m->cuts.cut[c].rhs == side->rhs)
                sum += m->x[k] * vrp_cut_coefficient(&m->cuts.cut[c], m->columns.node + m->columns.first[k], vrp_routes_length(&m->columns, k));
    return sum;
}

// A loaded node keeps its side, and a bound of each side is one of the plans on it: both together hold for all.
static void test_sides_hold(void **state)
{
    (void)state;
    uint64_t seed = 8;
    int tested = 0;
    for (int round = 0; round < 40; round++) {
        root r;
        mco_vrp *vrp = random_instance(&seed, 10, 0);
        vrp_tree_settings settings = VRP_TREE_SETTINGS_INIT;
        vrp_tree_result unused = {0};
        tree_state *at = NULL;
        tree_side sides[2];
        int64_t bounds[2];
        vrp_claim_prices prices[2] = {{.price = NULL}, {.price = NULL}};
        bool found;
        open_root(&r, vrp, 0, false, 3);
        tree t = {.ctx = test_ctx, .m = &r.master, .settings = &settings, .result = &unused, .root = &r.problem, .problem = r.problem,
                  .artificial_cost = r.master.artificial_cost, .known = INT64_MAX};
        const vrp_fleet all = {1, vrp->customers};
        const int64_t best = exact_cost(vrp, all), bound = r.master.bound;
        tree_set_known(&t, best + 1);
        r.master.problem = &t.problem;
        assert_ok(tree_state_save(&t, &at));
        assert_ok(tree_choose(&t, at, bound, sides, bounds, prices, &found));
        for (int s = 0; s < 2 && found; s++) {
            int64_t proved = 0;
            assert_ok(tree_load(&t, at, &sides[s]));
            assert_ok(tree_price(&t, 1e-4, INFINITY, &proved));
            bounds[s] = proved > bounds[s] ? proved : bounds[s];
            if (sides[s].node == NULL || r.master.has_artificial)
                continue;
            const double x = crossings(&r.master, &sides[s]);
            assert_true(sides[s].sense == VRP_CUT_AT_MOST ? x <= (double)sides[s].rhs + 1e-6 : x >= (double)sides[s].rhs - 1e-6);
            tested++;
        }
        if (found) {
            const int64_t least = bounds[0] < bounds[1] ? bounds[0] : bounds[1];
            assert_true(vrp_bound_proved(&r.problem, least) <= best || least >= r.master.known);
            assert_true(bounds[0] >= bound && bounds[1] >= bound);
        }
        tree_side_clear(test_ctx, &sides[0]);
        tree_side_clear(test_ctx, &sides[1]);
        tree_state_drop(test_ctx, &at);
        close_root(&r);
        mco_vrp_destroy(test_ctx, &vrp);
    }
    assert_true(tested > 10);
}

// A program that exceeds the known cost is not precise before its bound does so too, however rough it may be.
static void test_proved_above_known(void **state)
{
    (void)state;
    uint64_t seed = 17;
    for (int round = 0; round < 40; round++) {
        root r;
        bool is_done;
        mco_vrp *vrp = random_instance(&seed, 10, 0);
        open_root(&r, vrp, 0, false, 3);
        const int64_t bound = r.master.bound;
        vrp_master_close(&r.master);
        assert_ok(vrp_master_open(test_ctx, NULL, &r.problem, NULL, NULL, NULL, &r.master));
        r.master.threads = 1;
        r.master.precision = 0.3;
        r.master.known = bound - r.problem.nodes;
        assert_ok(vrp_master_take_ng(&r.master, &r.relax, 3));
        assert_ok(vrp_master_solve(&r.master, INFINITY, &is_done));
        assert_true(is_done && r.master.bound >= r.master.known);
        close_root(&r);
        mco_vrp_destroy(test_ctx, &vrp);
    }
}

// Whether the recheck proves the bound of a tree; it may lack room, and finds nothing that breaks it.
static bool is_rechecked(const mco_vrp *vrp, const vrp_bound_problem *p, const vrp_claims *claims, int64_t bound)
{
    vrp_ng_sets sets = {0};
    vrp_recheck_end end;
    int64_t part;
    assert_ok(vrp_ng_sets_open(test_ctx, p, 8, &sets));
    assert_ok(vrp_bound_recheck_proof(test_ctx, vrp, p->fleet, claims, &sets, bound, INFINITY, &end, &part));
    vrp_ng_sets_close(test_ctx, &sets);
    assert_true(end != VRP_RECHECK_DISPROVED);
    return end == VRP_RECHECK_PROVED;
}

// Whole programs whose routes are too long have nothing to be divided by, and enumerations get no labels. Such a node is set aside, the
// others are all solved, and the bound is a bound.
static void test_set_aside(void **state)
{
    (void)state;
    uint64_t seed = 13;
    const int rounds = TEST_IS_SANITIZED ? 6 : 20;
    int aside = 0, went_on = 0, rechecked = 0;
    for (int round = 0; round < rounds; round++) {
        root r;
        vrp_tree_result result;
        vrp_tree_settings settings = VRP_TREE_SETTINGS_INIT;
        vrp_claims claims = {0};
        mco_vrp *vrp = short_instance(&seed, 9);
        const vrp_fleet all = {1, vrp->customers};
        const int64_t best = exact_cost(vrp, all);
        settings.known = best + draw(&seed, 3);
        settings.most_labels = settings.close_labels = 1;
        settings.cuts_capacity = settings.cuts_rank1 = false;
        settings.claims = &claims;
        open_root(&r, vrp, 0, false, round % 2 == 0 ? 0 : 3);
        const int64_t bound = vrp_bound_proved(&r.problem, r.master.bound > 0 ? r.master.bound : 0);
        assert_ok(vrp_tree_solve(&r.master, &settings, &result));
        assert_true(result.bound >= bound);
        assert_true(result.is_done ? result.bound == settings.known : result.bound <= best);
        assert_true(result.is_done == (result.nodes_aside == 0));  // nothing else is left open
        rechecked += is_rechecked(vrp, &r.problem, &claims, result.bound);
        aside += result.nodes_aside > 0;
        went_on += result.nodes_aside > 1;
        vrp_claims_clear(test_ctx, &claims);
        vrp_tree_result_clear(test_ctx, &result);
        close_root(&r);
        mco_vrp_destroy(test_ctx, &vrp);
    }
    print_message("%d trees have nodes aside, %d of them more than one, %d bounds rechecked\n", aside, went_on, rechecked);
    assert_true(aside > rounds / 2 && went_on > rounds / 4 && rechecked > rounds / 2);
}

// An enumeration alone, behind a small one that has failed at a gap of 1, and a close one at *tried (0: none). Whether it finds the plan of cost `best`.
static bool enumerates(root *r, int64_t best, int64_t close_labels, int64_t *tried)
{
    vrp_tree_result result;
    vrp_tree_settings settings = VRP_TREE_SETTINGS_INIT;
    settings.known = best + 1;
    settings.only_enumerates = true;
    settings.most_labels = 1;
    settings.close_labels = close_labels;
    settings.tried_gap = 1;
    settings.tried_close = *tried;
    assert_ok(vrp_tree_solve(&r->master, &settings, &result));
    assert_true(!result.is_done || (result.cost == best && result.bound == best));
    const bool is_done = result.is_done;
    assert_int_equal(result.tried_gap, 1);
    *tried = result.tried_close;
    vrp_tree_result_clear(test_ctx, &result);
    return is_done;
}

// A close gap allows more labels, also behind a small failure, and not again behind a close one.
static void test_close_enumerations(void **state)
{
    (void)state;
    uint64_t seed = 19;
    int close = 0, others = 0;
    for (int round = 0; round < 40; round++) {
        root r;
        mco_vrp *vrp = random_instance(&seed, 9, 0);
        const vrp_fleet all = {1, vrp->customers};
        const int64_t best = exact_cost(vrp, all);
        open_root(&r, vrp, 0, false, 8);
        const double known = (double)(best + 1) * r.problem.unit, gap = known - (double)r.master.bound;
        const bool is_close = gap < VRP_TREE_CLOSE * known;
        int64_t none = 0, tried = 0;
        assert_false(enumerates(&r, best, 1, &tried));
        assert_true((tried > 0) == is_close && (double)tried < gap);
        assert_true(enumerates(&r, best, 1 << 20, &none) == is_close);
        if (tried > 0)
            assert_false(enumerates(&r, best, 1 << 20, &tried));
        close += is_close;
        others += !is_close;
        close_root(&r);
        mco_vrp_destroy(test_ctx, &vrp);
    }
    assert_true(close > 5 && others > 5);
}

// The greatest dual of a customer with twice those of its sets, over the greatest price: beyond 1 one of them may be cut off.
static double greatest_share(const vrp_master *m)
{
    double most = 0;
    for (int32_t i = 1; i < m->problem->nodes; i++) {
        double sum = fabs(m->lp_customer[i]);
        for (int64_t k = 0; k < m->cuts.count; k++)
            sum += vrp_set_has(m->cuts.cut[k].member, i) ? 2 * fabs(m->lp_row[k]) : 0;
        most = fmax(most, sum);
    }
    return most / vrp_prices_most(m->problem);
}

// Rows of branches have many duals, some as large as artificial columns allow. In the finest units, where prices end soon, what a node proves
// is the value of its program all the same, but for rounded prices.
static void test_duals_are_prices(void **state)
{
    (void)state;
    uint64_t seed = 31;
    int large = 0;
    double farthest = 0;
    for (int round = 0; round < 60; round++) {
        root r;
        vrp_tree_settings settings = VRP_TREE_SETTINGS_INIT;
        vrp_tree_result unused = {0};
        mco_vrp *vrp = random_instance(&seed, 10, 0);
        open_root(&r, vrp, 0, false, 3);
        const int32_t largest = (int32_t)(vrp_prices_most(&r.problem) / 4);
        close_root(&r);
        open_root_in_units(&r, vrp, 0, false, 3, largest);
        tree t = {.ctx = test_ctx, .m = &r.master, .settings = &settings, .result = &unused, .root = &r.problem, .problem = r.problem,
                  .artificial_cost = r.master.artificial_cost, .known = INT64_MAX};
        r.master.problem = &t.problem;
        for (int32_t depth = 0; depth < 12; depth++) {
            tree_state *at = NULL;
            int64_t proved = 0;
            const int32_t first = 1 + draw(&seed, 9);
            int32_t pair[2] = {first, first + 1 + draw(&seed, 10 - first)};
            tree_side side = {.fleet = r.problem.fleet, .sense = draw(&seed, 3) > 0 ? VRP_CUT_AT_MOST : VRP_CUT_AT_LEAST, .size = 2, .node = pair};
            side.rhs = side.sense == VRP_CUT_AT_MOST ? 2 : 4;
            assert_ok(tree_state_save(&t, &at));
            assert_ok(tree_load(&t, at, &side));
            assert_ok(tree_price(&t, 0, INFINITY, &proved));
            tree_state_drop(test_ctx, &at);
            const double share = greatest_share(&r.master), off = r.master.lp_value - (double)proved;
            assert_true(off <= 4.0 * r.problem.nodes * (r.problem.fleet.most + 1));
            assert_true(share <= 1 + 1e-9);
            large += share > 0.9;
            farthest = fmax(farthest, off);
        }
        close_root(&r);
        mco_vrp_destroy(test_ctx, &vrp);
    }
    print_message("%d programs with a dual near the greatest price, proved to %.1f units\n", large, farthest);
    assert_true(large > 10);
}

// With the time over, or after a few nodes, the bound so far holds.
static void test_stopped(void **state)
{
    (void)state;
    uint64_t seed = 5;
    int open = 0;
    for (int round = 0; round < 30; round++) {
        root r;
        vrp_tree_result result;
        vrp_tree_settings settings = plain_settings(1);
        mco_vrp *vrp = random_instance(&seed, 10, 0);
        const vrp_fleet all = {1, vrp->customers};
        const int64_t best = exact_cost(vrp, all);
        open_root(&r, vrp, 0, false, 0);
        const int64_t bound = vrp_bound_proved(&r.problem, r.master.bound > 0 ? r.master.bound : 0);
        settings.known = best + 5;
        settings.nodes = 1 + round % 3;
        settings.stop_s = round % 2 == 0 ? mco_clock_s() - 1 : INFINITY;
        assert_ok(vrp_tree_solve(&r.master, &settings, &result));
        assert_true(result.bound >= bound || result.bound == settings.known);
        assert_true(result.is_done ? result.bound == (best < settings.known ? best : settings.known) : result.bound <= best);
        open += !result.is_done;
        vrp_tree_result_clear(test_ctx, &result);
        close_root(&r);
        mco_vrp_destroy(test_ctx, &vrp);
    }
    assert_true(open > 10);
}

static void test_memory_failures(void **state)
{
    (void)state;
    uint64_t seed = 9;
    mco_status st = MCO_ERR_MEMORY;
    long k = 0;
    mco_vrp *vrp = random_instance(&seed, 8, 0);
    while (st == MCO_ERR_MEMORY) {
        root r;
        vrp_tree_result result = {0};
        vrp_tree_settings settings = plain_settings(3);
        vrp_claims claims = {0};
        settings.known = 4000;
        settings.nodes = 2;
        settings.claims = &claims;
        open_root(&r, vrp, 0, false, 3);
        k += 1 + k / 8;
        test_fail_allocation(k);
        st = vrp_tree_solve(&r.master, &settings, &result);
        test_fail_allocation(0);
        vrp_claims_clear(test_ctx, &claims);
        vrp_tree_result_clear(test_ctx, &result);
        close_root(&r);
    }
    assert_ok(st);
    assert_true(k > 50);
    mco_vrp_destroy(test_ctx, &vrp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_against_all_plans),
        TEST(test_without_a_known_plan),
        TEST(test_sides_hold),
        TEST(test_duals_are_prices),
        TEST(test_proved_above_known),
        TEST(test_set_aside),
        TEST(test_close_enumerations),
        TEST(test_stopped),
        TEST(test_memory_failures),
    };
    if (!mco_lp_is_there())
        return SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
