// SPDX-License-Identifier: MIT
// The recheck of whole proofs: it proves what trees prove, on small random instances, and never more than the best plan costs, whatever
// the prices. Claims that leave plans out are refused.
#include "test_support.h"

#include <math.h>

#include "base/clock.h"
#include "base/rng.h"
#include "lp/lp.h"
#include "vrp/bound/recheck_fleet.h"
#include "vrp/bound/recheck_proof.h"
#include "vrp/bound/recheck_tables.h"
#include "vrp/bound/tree/tree.h"

enum { MOST = 10, SETS = 1 << MOST, LARGEST = 4000 };

static int32_t draw(uint64_t *state, int32_t below)
{
    return (int32_t)(mco_splitmix64(state) % (uint64_t)below);
}

// kind 0: a plane; 1: a limit of length as well; 2: a matrix without symmetry; 3: a plane, and loads that the problem divides by 10 and rounds.
static mco_vrp *random_instance(uint64_t *seed, int32_t customers, int kind)
{
    double x[MOST + 1], y[MOST + 1];
    int32_t demand[MOST], matrix[(MOST + 1) * (MOST + 1)];
    mco_vrp *vrp = NULL;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.capacity = 10 + draw(seed, 4);
    if (kind == 1)
        model.max_length = 300 + draw(seed, 100);
    for (int i = 0; i <= customers; i++) {
        x[i] = draw(seed, 100);
        y[i] = draw(seed, 100);
    }
    for (int i = 0; i < customers; i++)
        demand[i] = (1 + draw(seed, 6)) * (kind == 3 ? 10 : 1);
    model.capacity = kind == 3 ? 10 * model.capacity + 9 : model.capacity;
    for (int k = 0; k < (customers + 1) * (customers + 1); k++)
        matrix[k] = k % (customers + 2) == 0 ? 0 : 1 + draw(seed, 40);
    if (kind == 2)
        assert_ok(mco_vrp_create(test_ctx, customers, matrix, demand, &model, &vrp));
    else
        assert_ok(mco_vrp_from_coordinates(test_ctx, customers, x, y, demand, &model, &vrp));
    return vrp;
}

// The cheapest plan of least..most routes, by dynamic programming over sets; INT64_MAX / 4: none.
static int64_t best_cost(const mco_vrp *vrp, vrp_fleet fleet)
{
    static const int64_t none = INT64_MAX / 4;
    static int64_t path[SETS][MOST], route[SETS], value[MOST + 1][SETS];
    const int32_t n = vrp->customers, sets = 1 << n;
    int64_t best = none;
    for (int32_t s = 1; s < sets; s++) {
        int64_t load = 0;
        route[s] = none;
        for (int32_t i = 0; i < n; i++)
            load += s >> i & 1 ? vrp->demand[i + 1] : 0;
        for (int32_t i = 0; i < n; i++) {
            const int32_t rest = s & ~(1 << i);
            path[s][i] = rest == 0 ? mco_vrp_distance(vrp, 0, i + 1) : none;
            for (int32_t j = 0; j < n; j++)
                if (s >> i & 1 && rest >> j & 1 && path[rest][j] + mco_vrp_distance(vrp, j + 1, i + 1) < path[s][i])
                    path[s][i] = path[rest][j] + mco_vrp_distance(vrp, j + 1, i + 1);
            const int64_t closed = path[s][i] + mco_vrp_distance(vrp, i + 1, 0);
            if (s >> i & 1 && load <= vrp->capacity && (!vrp_has_max_length(vrp) || closed <= vrp->max_length) && closed < route[s])
                route[s] = closed;
        }
    }
    for (int32_t k = 0; k <= n; k++)
        for (int32_t s = 0; s < sets; s++) {
            value[k][s] = k == 0 && s == 0 ? 0 : none;
            for (int32_t part = k > 0 ? s : 0; part > 0; part = (part - 1) & s)
                if ((part & s & -s) != 0 && value[k - 1][s ^ part] + route[part] < value[k][s])
                    value[k][s] = value[k - 1][s ^ part] + route[part];
        }
    for (int32_t k = fleet.least; k <= fleet.most && k <= n; k++)
        best = value[k][sets - 1] < best ? value[k][sets - 1] : best;
    return best;
}

static vrp_recheck_end recheck(const mco_vrp *vrp, const vrp_bound_problem *p, const vrp_claims *claims, int64_t bound)
{
    vrp_ng_sets sets = {0};
    vrp_recheck_end end;
    int64_t part;
    assert_ok(vrp_ng_sets_open(test_ctx, p, p->customers < 5 ? p->customers : 5, &sets));
    assert_ok(vrp_bound_recheck_proof(test_ctx, vrp, p->fleet, claims, &sets, bound, INFINITY, &end, &part));
    vrp_ng_sets_close(test_ctx, &sets);
    return end;
}

// ---- Prices of any kind

static void add_rows(uint64_t *seed, const vrp_bound_problem *p, vrp_cuts *cuts, int32_t span)
{
    for (int k = 0; k < 3; k++) {
        int32_t node[MOST], size = 0;
        int64_t demand = 0;
        for (int32_t i = 1; i < p->nodes; i++)
            if (draw(seed, 3) == 0)
                node[size++] = i;
        for (int32_t m = 0; m < size; m++)
            demand += p->demand[node[m]];
        if (size == 0)
            continue;
        assert_ok(vrp_cuts_add_set(test_ctx, cuts, node, size, VRP_CUT_AT_LEAST, 2 * ((demand + p->capacity - 1) / p->capacity)));
        cuts->cut[cuts->count - 1].price = draw(seed, span / 4 + 1);
        if (size < 3)
            continue;
        uint64_t memory = draw(seed, 2) == 0 ? UINT64_MAX : 0;
        for (int m = 0; m < 3; m++)
            memory |= (uint64_t)1 << node[m];
        assert_ok(vrp_cuts_add_rank1(test_ctx, cuts, node, 3, (int32_t[]){1, 1, 2}, 3, 1, &memory));
        cuts->cut[cuts->count - 1].price = -draw(seed, span / 4 + 1);
    }
}

// Divides all plans by the number of routes, if there are several. Each part has arcs removed at these prices, the second one twice.
static bool divide_by_fleet(vrp_claims *claims, const vrp_bound_problem *p, const int32_t *price, const vrp_cuts *cuts)
{
    int32_t child = 0;
    if (p->fleet.least == p->fleet.most)
        return false;
    assert_ok(vrp_claims_divide(test_ctx, claims, 0, &child));
    claims->claim[child].fleet.most = p->fleet.least;
    claims->claim[child + 1].fleet.least = p->fleet.least + 1;
    for (int k = 0; k < 3; k++)
        assert_ok(vrp_claims_remove(test_ctx, claims, child + (k > 0), p, 0, price, cuts));
    return true;
}

static void test_any_prices(void **state)
{
    (void)state;
    uint64_t seed = 17;
    int proved = 0, disproved = 0, divided = 0;
    for (int round = 0; round < (TEST_IS_SANITIZED ? 40 : 300); round++) {
        vrp_bound_problem p;
        vrp_claims claims = {0};
        vrp_cuts cuts;
        int32_t price[MOST + 1] = {0};
        mco_vrp *vrp = random_instance(&seed, 4 + draw(&seed, 4), round % 3);
        assert_ok(vrp_bound_problem_open(test_ctx, vrp, 0, false, round % 4 == 0 ? 20 : LARGEST, &p));
        const int64_t best = best_cost(vrp, p.fleet), bound = best - 12 + draw(&seed, 16);
        const int32_t span = (int32_t)(2 * (double)best * p.unit / p.customers);
        vrp_cuts_open(&p, &cuts);
        if (round % 2 == 0)
            add_rows(&seed, &p, &cuts, span);
        for (int32_t i = 1; i < p.nodes; i++)
            price[i] = 2 * (draw(&seed, span + 1) - span / 8);
        vrp_claim_prices prices = {0};
        assert_ok(vrp_claims_begin(test_ctx, &claims, p.fleet));
        if (round % 5 == 0)
            assert_ok(vrp_claims_remove(test_ctx, &claims, 0, &p, 0, price, &cuts));
        assert_ok(vrp_claim_prices_copy(test_ctx, &p, 0, price, &cuts, &prices));
        vrp_claims_keep(test_ctx, &claims, 0, &prices);
        divided += round % 3 == 0 && divide_by_fleet(&claims, &p, price, &cuts);
        const vrp_recheck_end end = recheck(vrp, &p, &claims, bound > 0 ? bound : 1);
        assert_true(end == (bound <= best ? VRP_RECHECK_PROVED : VRP_RECHECK_DISPROVED));
        proved += end == VRP_RECHECK_PROVED;
        disproved += end == VRP_RECHECK_DISPROVED;
        vrp_cuts_close(test_ctx, &cuts);
        vrp_claims_clear(test_ctx, &claims);
        vrp_bound_problem_close(test_ctx, &p);
        mco_vrp_destroy(test_ctx, &vrp);
    }
    assert_true(proved > 5 && disproved > 5 && divided > 5);
}

// ---- The number of routes

// The driver's own range is the same one, and some best plan is in it.
static void test_fleet(void **state)
{
    (void)state;
    uint64_t seed = 29;
    int narrow = 0;
    for (int round = 0; round < (TEST_IS_SANITIZED ? 10 : 60); round++) {
        vrp_bound_problem p;
        bool is_done = false;
        mco_vrp *vrp = random_instance(&seed, 4 + draw(&seed, 5), round % 4);
        vrp->vehicles = round % 5 == 0 ? vrp->customers : 0;
        assert_ok(vrp_bound_problem_open(test_ctx, vrp, vrp->vehicles, false, LARGEST, &p));
        const vrp_fleet fleet = vrp_recheck_fleet(test_ctx, vrp, -1, INFINITY, &is_done), all = {1, vrp->customers};
        assert_true(is_done && fleet.least == p.fleet.least && fleet.most == p.fleet.most);
        assert_true(best_cost(vrp, fleet) == best_cost(vrp, all));
        narrow += fleet.most < vrp->customers;
        const vrp_fleet exactly = vrp_recheck_fleet(test_ctx, vrp, 3, 0, &is_done);
        assert_true(is_done && exactly.least == 3 && exactly.most == 3);
        (void)vrp_recheck_fleet(test_ctx, vrp, -1, 0, &is_done);
        assert_true(is_done);  // too few customers for a look at the clock
        vrp_bound_problem_close(test_ctx, &p);
        mco_vrp_destroy(test_ctx, &vrp);
    }
    assert_true(narrow > 3);
}

// ---- Trees

// Solves a tree without a known plan's help below `known`; its claims.
static int64_t solve_tree(const mco_vrp *vrp, int64_t known, int round, vrp_bound_problem *p, vrp_claims *claims)
{
    const vrp_relax_settings relax = {.engine = MCO_ENGINE_CPU, .threads = 1, .memory = 1e9};
    vrp_tree_settings settings = VRP_TREE_SETTINGS_INIT;
    vrp_tree_result result = {0};
    vrp_master m;
    bool is_done;
    settings.known = known;
    settings.cuts_capacity = round % 3 == 0;
    settings.cuts_rank1 = round % 5 == 0;
    settings.tried_gap = settings.tried_close = round % 4 == 0 ? 0 : 1;
    settings.claims = claims;
    assert_ok(vrp_bound_problem_open(test_ctx, vrp, 0, false, LARGEST, p));
    assert_ok(vrp_master_open(test_ctx, NULL, p, NULL, NULL, NULL, &m));
    m.threads = 1;
    assert_ok(vrp_master_take_ng(&m, &relax, 3));
    assert_ok(vrp_master_solve(&m, INFINITY, &is_done));
    assert_ok(vrp_tree_solve(&m, &settings, &result));
    const int64_t bound = result.bound;
    vrp_tree_result_clear(test_ctx, &result);
    vrp_master_close(&m);
    return bound;
}

static void test_trees(void **state)
{
    (void)state;
    uint64_t seed = 4;
    int divided = 0, pools = 0, removals = 0;
    for (int round = 0; round < (TEST_IS_SANITIZED ? 10 : 60); round++) {
        vrp_bound_problem p;
        vrp_claims claims = {0};
        mco_vrp *vrp = random_instance(&seed, 8 + draw(&seed, 2), round % 2 == 0 ? 0 : 3);
        const int64_t best = best_cost(vrp, (vrp_fleet){1, vrp->customers});
        const int64_t bound = solve_tree(vrp, best + draw(&seed, 3), round, &p, &claims);
        assert_int_equal(bound, best);
        assert_int_equal(recheck(vrp, &p, &claims, bound), VRP_RECHECK_PROVED);
        assert_int_equal(recheck(vrp, &p, &claims, bound + 1), VRP_RECHECK_DISPROVED);
        divided += claims.count > 1;
        for (int64_t k = 0; k < claims.removals; k++)
            removals += claims.removal[k].part > 0;
        for (int64_t k = 0; k < claims.count; k++)
            pools += claims.claim[k].pools.count > 0;
        vrp_claims_clear(test_ctx, &claims);
        vrp_bound_problem_close(test_ctx, &p);
        mco_vrp_destroy(test_ctx, &vrp);
    }
    print_message("%d trees divided, %d parts with a pool, %d removals of parts\n", divided, pools, removals);
    assert_true(TEST_IS_SANITIZED || (divided > 3 && pools > 3 && removals > 3));
}

// ---- Claims that are wrong

static mco_status status_of(const mco_vrp *vrp, const vrp_bound_problem *p, const vrp_claims *claims)
{
    vrp_ng_sets sets = {0};
    vrp_recheck_end end;
    int64_t part;
    assert_ok(vrp_ng_sets_open(test_ctx, p, 3, &sets));
    const mco_status st = vrp_bound_recheck_proof(test_ctx, vrp, p->fleet, claims, &sets, 10, INFINITY, &end, &part);
    vrp_ng_sets_close(test_ctx, &sets);
    return st;
}

static void test_wrong_claims(void **state)
{
    (void)state;
    uint64_t seed = 6;
    vrp_bound_problem p;
    vrp_claims claims = {0};
    vrp_cuts cuts;
    int32_t child, price[MOST + 1] = {0}, node[2] = {1, 2};
    mco_vrp *vrp = random_instance(&seed, 6, 0);
    assert_ok(vrp_bound_problem_open(test_ctx, vrp, 0, false, LARGEST, &p));
    vrp_cuts_open(&p, &cuts);
    assert_ok(vrp_cuts_add_set(test_ctx, &cuts, node, 2, VRP_CUT_AT_MOST, 2));
    cuts.cut[0].price = -1;
    assert_int_equal(status_of(vrp, &p, &claims), MCO_ERR_CHECK);  // no part at all
    assert_ok(vrp_claims_begin(test_ctx, &claims, p.fleet));
    vrp_claim_prices prices = {0};
    assert_ok(vrp_claim_prices_copy(test_ctx, &p, 0, price, &cuts, &prices));
    vrp_claims_keep(test_ctx, &claims, 0, &prices);
    assert_int_equal(status_of(vrp, &p, &claims), MCO_ERR_CHECK);  // not every plan obeys the row
    claims.claim[0].prices.cuts.cut[0].price = 0;
    assert_ok(status_of(vrp, &p, &claims));
    claims.claim[0].prices.price[2] = 3;
    assert_int_equal(status_of(vrp, &p, &claims), MCO_ERR_CHECK);  // an odd price
    claims.claim[0].prices.price[2] = 0;
    assert_ok(vrp_claims_divide(test_ctx, &claims, 0, &child));
    vrp_claim *low = &claims.claim[child], *high = low + 1;
    assert_int_equal(status_of(vrp, &p, &claims), MCO_ERR_CHECK);  // sides without a row
    for (int s = 0; s < 2; s++) {
        assert_ok(mco_alloc(test_ctx, &low[s].node, 2));
        memcpy(low[s].node, node, sizeof node);
        low[s].size = 2;
    }
    low->sense = VRP_CUT_AT_MOST;
    high->sense = VRP_CUT_AT_LEAST;
    low->rhs = 2;
    high->rhs = 6;
    assert_int_equal(status_of(vrp, &p, &claims), MCO_ERR_CHECK);  // 4 crossings are on no side
    high->rhs = 4;
    assert_ok(status_of(vrp, &p, &claims));
    assert_ok(vrp_claim_prices_copy(test_ctx, &p, 0, price, &cuts, &prices));
    vrp_claims_keep(test_ctx, &claims, child, &prices);
    assert_ok(status_of(vrp, &p, &claims));  // the row is that of the side
    assert_ok(vrp_claim_prices_copy(test_ctx, &p, 0, price, &cuts, &prices));
    vrp_claims_keep(test_ctx, &claims, child + 1, &prices);
    assert_int_equal(status_of(vrp, &p, &claims), MCO_ERR_CHECK);  // the row is that of the other side
    high->prices.cuts.cut[0].price = 0;
    low->fleet.most--;
    assert_int_equal(status_of(vrp, &p, &claims), MCO_ERR_CHECK);  // plans of the most routes are on no side
    low->fleet.most++;
    claims.claim[0].fleet.least++;
    assert_int_equal(status_of(vrp, &p, &claims), MCO_ERR_CHECK);
    vrp_claims_clear(test_ctx, &claims);
    vrp_cuts_close(test_ctx, &cuts);
    vrp_bound_problem_close(test_ctx, &p);
    mco_vrp_destroy(test_ctx, &vrp);
}

// ---- Ends

static void test_ends(void **state)
{
    (void)state;
    uint64_t seed = 12;
    vrp_bound_problem p;
    vrp_claims claims = {0};
    vrp_ng_sets sets = {0};
    vrp_recheck_end end;
    int64_t part;
    mco_status st = MCO_ERR_MEMORY;
    long k = 0;
    mco_vrp *vrp = random_instance(&seed, 9, 0);
    const int64_t best = best_cost(vrp, (vrp_fleet){1, vrp->customers});
    (void)solve_tree(vrp, best + 1, 15, &p, &claims);
    assert_ok(vrp_ng_sets_open(test_ctx, &p, 4, &sets));
    assert_ok(vrp_bound_recheck_proof(test_ctx, vrp, p.fleet, &claims, &sets, best, mco_clock_s() - 1, &end, &part));
    assert_int_equal(end, VRP_RECHECK_TIME);
    while (st == MCO_ERR_MEMORY) {
        k++;
        test_fail_allocation(k);
        st = vrp_bound_recheck_proof(test_ctx, vrp, p.fleet, &claims, &sets, best + 1, INFINITY, &end, &part);
        test_fail_allocation(0);
    }
    assert_ok(st);
    assert_int_equal(end, VRP_RECHECK_DISPROVED);
    assert_true(k > 20);
    vrp_ng_sets_close(test_ctx, &sets);
    vrp_claims_clear(test_ctx, &claims);
    vrp_bound_problem_close(test_ctx, &p);
    mco_vrp_destroy(test_ctx, &vrp);
}

// More nodes than are transposed together, and distances that are not symmetric.
static mco_vrp *wide_instance(uint64_t *seed)
{
    enum { WIDE = 70 };
    int32_t matrix[(WIDE + 1) * (WIDE + 1)], demand[WIDE];
    mco_vrp *vrp = NULL;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.capacity = 6;
    for (int k = 0; k < (WIDE + 1) * (WIDE + 1); k++)
        matrix[k] = k % (WIDE + 2) == 0 ? 0 : 1 + draw(seed, 40);
    for (int i = 0; i < WIDE; i++)
        demand[i] = 1 + draw(seed, 2);
    assert_ok(mco_vrp_create(test_ctx, WIDE, matrix, demand, &model, &vrp));
    return vrp;
}

// Tables look at the clock before their arcs, and behind them the arcs are what they were.
static void test_tables(void **state)
{
    (void)state;
    uint64_t seed = 13;
    vrp_bound_problem p;
    vrp_ng_sets sets = {0};
    bool has_room, is_done = true;
    mco_vrp *vrp = wide_instance(&seed);
    int32_t price[71] = {0};
    assert_ok(vrp_bound_problem_open(test_ctx, vrp, 0, false, LARGEST, &p));
    assert_ok(vrp_ng_sets_open(test_ctx, &p, 4, &sets));
    vrp_recheck t = {.ctx = test_ctx, .vrp = vrp, .unit = 1, .fleet = p.fleet, .price = price, .sets = &sets, .stop_s = mco_clock_s() - 1};
    assert_ok(vrp_recheck_open(&t, &has_room));
    assert_true(has_room);
    vrp_recheck_arcs(&t);
    assert_true(t.arc[1] == 0);
    vrp_recheck_complete(&t, &is_done);
    assert_false(is_done);
    t.stop_s = INFINITY;
    vrp_recheck_arcs(&t);
    vrp_recheck_complete(&t, &is_done);
    assert_true(is_done);
    for (int32_t i = 0; i < vrp->nodes; i++)
        for (int32_t j = 0; j < vrp->nodes; j++)
            assert_true(t.arc[i * vrp->nodes + j] == mco_vrp_distance(vrp, i, j));
    vrp_recheck_close(&t);
    vrp_ng_sets_close(test_ctx, &sets);
    vrp_bound_problem_close(test_ctx, &p);
    mco_vrp_destroy(test_ctx, &vrp);
}

// The arcs of many nodes alone are more than the tables may be.
static void test_room(void **state)
{
    (void)state;
    enum { MANY = 12000 };
    static double place[MANY + 1];
    static int32_t demand[MANY];
    mco_vrp *vrp = NULL;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    bool has_room = true;
    model.capacity = 10;
    for (int i = 0; i < MANY; i++)
        demand[i] = 1;
    for (int i = 0; i <= MANY; i++)
        place[i] = i;
    assert_ok(mco_vrp_from_coordinates(test_ctx, MANY, place, place, demand, &model, &vrp));
    vrp_recheck t = {.ctx = test_ctx, .vrp = vrp, .unit = 1, .stop_s = INFINITY};
    assert_ok(vrp_recheck_open(&t, &has_room));
    assert_false(has_room);
    vrp_recheck_close(&t);
    mco_vrp_destroy(test_ctx, &vrp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_any_prices), TEST(test_fleet), TEST(test_trees), TEST(test_wrong_claims), TEST(test_ends),
                                       TEST(test_tables),     TEST(test_room)};
    if (!mco_lp_is_there())
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
