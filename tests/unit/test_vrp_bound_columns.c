// SPDX-License-Identifier: MIT
// Column generation, capacity cuts, removal of arcs and the driver: against all routes and all plans of small instances, against stored
// values of linear programs, and in time.
#include "test_support.h"

#ifndef MCO_HAVE_CLP
int main(void)
{
    return 77;
}
#else

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/rng.h"
#include "mco/vrp_bound.h"
#include "vrp/bound/columns/master.h"
#include "vrp/bound/columns/separate.h"

enum { CUSTOMERS = 7, NODES = CUSTOMERS + 1, SETS = 1 << CUSTOMERS };
static const int64_t NONE = INT64_MAX / 4;

static int32_t draw(uint64_t *state, int32_t low, int32_t high)
{
    return low + (int32_t)(mco_splitmix64(state) % (uint64_t)(high - low + 1));
}

typedef enum kind { PLANE, SYMMETRIC, ASYMMETRIC, KINDS } kind;

static mco_vrp *make(kind k, uint64_t *state)
{
    int32_t matrix[NODES * NODES], demand[CUSTOMERS], x[NODES], y[NODES];
    mco_vrp *vrp = NULL;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.capacity = 12;
    for (int i = 0; i < NODES; i++) {
        x[i] = draw(state, 0, 50);
        y[i] = draw(state, 0, 50);
    }
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < NODES; j++) {
            const int32_t other = draw(state, 1, 60);
            matrix[i * NODES + j] = k == PLANE ? abs(x[i] - x[j]) + abs(y[i] - y[j]) : i == j ? 0
                                    : k == SYMMETRIC && j < i                                  ? matrix[j * NODES + i]
                                                                                               : other;
        }
    for (int i = 0; i < CUSTOMERS; i++)
        demand[i] = draw(state, 1, 7);
    assert_ok(mco_vrp_create(test_ctx, CUSTOMERS, matrix, demand, &model, &vrp));
    return vrp;
}

// ---- All routes and plans

typedef struct brute {
    int64_t route[SETS];          // the cheapest route of a set
    int64_t best[NODES][SETS];    // the cheapest plan of a set by exactly k routes
} brute;

// Routes that go on from `at`; has_arc: whether arc (from, to) is among theirs, or no arc is asked for.
static void walk(const vrp_bound_problem *p, uint32_t set, int32_t load, int64_t cost, int32_t at, int32_t from, int32_t to, bool has_arc,
                 int64_t *route)
{
    const int64_t closed = cost + p->cost[at * p->stride];
    if (at > 0 && (has_arc || (at == from && to == 0)) && closed < route[set])
        route[set] = closed;
    for (int32_t i = 1; i < p->nodes; i++)
        if (!(set >> (i - 1) & 1) && load + p->demand[i] <= p->capacity)
            walk(p, set | 1u << (i - 1), load + p->demand[i], cost + p->cost[at * p->stride + i], i, from, to,
                 has_arc || (at == from && i == to), route);
}

static void fill_routes(const vrp_bound_problem *p, int32_t from, int32_t to, int64_t *route)
{
    for (uint32_t s = 0; s < SETS; s++)
        route[s] = NONE;
    walk(p, 0, 0, 0, 0, from, to, from < 0, route);
}

static void fill_brute(const vrp_bound_problem *p, brute *b)
{
    fill_routes(p, -1, -1, b->route);
    for (uint32_t s = 0; s < SETS; s++)
        b->best[0][s] = s == 0 ? 0 : NONE;
    for (int k = 1; k <= CUSTOMERS; k++)
        for (uint32_t s = 0; s < SETS; s++) {
            b->best[k][s] = NONE;
            for (uint32_t part = s; part > 0; part = (part - 1) & s)
                if (b->best[k - 1][s ^ part] + b->route[part] < b->best[k][s])
                    b->best[k][s] = b->best[k - 1][s ^ part] + b->route[part];
        }
}

static int64_t best_plan(const vrp_bound_problem *p, const brute *b)
{
    int64_t least = NONE;
    for (int32_t k = p->fleet.least; k <= p->fleet.most; k++)
        least = b->best[k][SETS - 1] < least ? b->best[k][SETS - 1] : least;
    return least;
}

// The cheapest plan that uses an arc.
static int64_t best_with(const vrp_bound_problem *p, const brute *b, int32_t from, int32_t to)
{
    static int64_t route[SETS];
    int64_t least = NONE;
    fill_routes(p, from, to, route);
    for (uint32_t s = 1; s < SETS; s++)
        for (int32_t k = p->fleet.least; k <= p->fleet.most; k++)
            if (route[s] < NONE && route[s] + b->best[k - 1][SETS - 1 - s] < least)
                least = route[s] + b->best[k - 1][SETS - 1 - s];
    return least;
}

// The value of the set partitioning program over all elementary routes; rows cover where the problem is metric.
static double elementary_value(const vrp_bound_problem *p, const brute *b)
{
    double least[NODES], most[NODES], cost[SETS], zero[SETS] = {0}, infinite[SETS], value[SETS * NODES];
    int64_t first[SETS + 1] = {0};
    int32_t row[SETS * NODES], count = 0;
    int64_t entries = 0;
    mco_lp *lp = NULL;
    mco_lp_end end;
    for (int32_t i = 0; i < NODES; i++) {
        least[i] = i == 0 ? p->fleet.least : 1;
        most[i] = i == 0 ? (double)p->fleet.most : p->is_metric ? (double)INFINITY : 1;
    }
    for (uint32_t s = 1; s < SETS; s++) {
        if (b->route[s] >= NONE)
            continue;
        cost[count] = (double)b->route[s];
        infinite[count] = INFINITY;
        row[entries] = 0;
        value[entries++] = 1;
        for (int32_t i = 1; i < NODES; i++)
            if (s >> (i - 1) & 1) {
                row[entries] = i;
                value[entries++] = 1;
            }
        first[++count] = entries;
    }
    assert_ok(mco_lp_open(test_ctx, &lp));
    assert_ok(mco_lp_add_rows(test_ctx, lp, NODES, least, most, NULL, NULL, NULL));
    assert_ok(mco_lp_add_columns(test_ctx, lp, count, cost, zero, infinite, first, row, value));
    assert_ok(mco_lp_solve(test_ctx, lp, MCO_LP_AUTO, INFINITY, &end));
    const double result = end == MCO_LP_OPTIMAL ? mco_lp_objective(lp) : (double)INFINITY;
    mco_lp_close(test_ctx, &lp);
    return result;
}

// ---- Small instances

static const vrp_relax_settings settings = {.engine = MCO_ENGINE_CPU, .threads = 1, .memory = 1e9};

static void expect_cuts(const vrp_master *m)
{
    for (int64_t k = 0; k < m->cuts.count; k++) {
        const vrp_cut *cut = &m->cuts.cut[k];
        int64_t demand = 0;
        for (int32_t v = 0; v < cut->size; v++)
            demand += m->problem->vrp->demand[cut->node[v]];
        assert_true(cut->kind == VRP_CUT_SET && cut->rhs == 2 * ((demand + m->problem->vrp->capacity - 1) / m->problem->vrp->capacity));
        assert_true(cut->price >= 0);
    }
}

// The bound again, from the best prices and the reference.
static void expect_proved(const vrp_master *m)
{
    vrp_master again = {.ctx = test_ctx, .problem = m->problem, .arcs = m->arcs, .by_load = m->by_load, .sets = m->sets};
    const vrp_relax_settings plain = {.engine = MCO_ENGINE_REFERENCE, .threads = 1, .memory = 1e9};
    vrp_worth worth;
    if (m->ng != NULL)
        assert_ok(vrp_ng_open(test_ctx, m->problem, m->sets, &plain, &again.ng));
    else
        assert_ok(vrp_q_open(test_ctx, m->problem, &plain, &again.q));
    vrp_prices_arcs(m->problem, m->price, &m->cuts, m->removed, m->arcs);
    assert_ok(vrp_master_run_pass(&again, INFINITY, &worth));
    assert_true(vrp_prices_bound(m->problem, m->price, &m->cuts, 0) + vrp_worth_of_others(m->problem, worth, 0) == m->bound);
    vrp_ng_close(test_ctx, &again.ng);
    vrp_q_close(test_ctx, &again.q);
}

// Cuts until none is found; bounds never exceed the best plan.
static void cut_all(vrp_master *m, int64_t best)
{
    int32_t found = 1;
    bool is_done;
    for (int round = 0; found > 0 && round < 20; round++) {
        const double before = m->lp_value;
        assert_ok(vrp_master_cut_capacity(m, 20, 0.01, INFINITY, &found));
        assert_ok(vrp_master_solve(m, INFINITY, &is_done));
        assert_true(is_done && m->bound <= best && m->lp_value >= before * (1 - 1e-4));
        expect_cuts(m);
        expect_proved(m);
    }
    assert_int_equal(found, 0);
}

// No arc is removed that a plan cheaper than `known` uses.
static int64_t expect_arcs(vrp_master *m, const brute *b)
{
    const vrp_bound_problem *p = m->problem;
    int64_t removed;
    assert_ok(vrp_master_remove_arcs(m, INFINITY, &removed));
    for (int32_t i = 0; i < p->nodes; i++)
        for (int32_t j = 0; j < p->nodes; j++)
            if (i != j && m->removed[(i * p->nodes + j) >> 6] >> ((i * p->nodes + j) & 63) & 1)
                assert_true(best_with(p, b, i, j) >= m->known);
    return removed;
}

typedef struct tally {
    int64_t plans, removed, closed;
} tally;

static void expect_master(const vrp_bound_problem *p, const brute *b, int ng_size, tally *t)
{
    const int64_t best = best_plan(p, b);
    const double elementary = elementary_value(p, b);
    vrp_master m;
    bool is_done;
    assert_ok(vrp_master_open(test_ctx, NULL, p, NULL, NULL, NULL, &m));
    m.precision = 0;
    assert_ok(ng_size > 0 ? vrp_master_take_ng(&m, &settings, ng_size) : vrp_master_take_q(&m, &settings));
    assert_ok(vrp_master_solve(&m, INFINITY, &is_done));
    assert_true(is_done && m.end == MCO_LP_OPTIMAL);
    assert_true(m.bound <= best && (double)m.bound <= m.lp_value + 1);
    assert_true(m.lp_value <= elementary * (1 + 1e-6) && (double)m.bound >= m.lp_value - 20 * NODES);
    if (ng_size == CUSTOMERS)
        assert_true(fabs(m.lp_value - elementary) <= 1e-6 * elementary + 20);  // columns end at even prices
    expect_proved(&m);
    cut_all(&m, best);
    t->closed += vrp_bound_proved(p, m.bound) == vrp_bound_proved(p, best);
    m.known = best + (int64_t)p->unit;
    t->removed += expect_arcs(&m, b);
    assert_ok(vrp_master_solve(&m, INFINITY, &is_done));
    assert_true(m.bound <= best);
    vrp_master_close(&m);
    t->plans++;
}

static void test_small(void **state)
{
    (void)state;
    static brute b;
    uint64_t seed = 3;
    tally t = {0};
    for (int k = 0; k < (TEST_IS_SANITIZED ? 6 : 30); k++)
        for (int exactly = 0; exactly < 2; exactly++) {
            uint64_t own = seed + (uint64_t)k;
            mco_vrp *vrp = make((kind)(k % KINDS), &own);
            vrp_bound_problem p;
            if (vrp_bound_problem_open(test_ctx, vrp, exactly ? 5 : 0, exactly, 1 << 14, &p) == MCO_OK) {
                fill_brute(&p, &b);
                if (best_plan(&p, &b) < NONE)
                    for (int size = 0; size <= CUSTOMERS; size += size == 0 ? 3 : 4)
                        expect_master(&p, &b, size, &t);
                vrp_bound_problem_close(test_ctx, &p);
            }
            mco_vrp_destroy(test_ctx, &vrp);
        }
    // Most small instances close at the root, and most of their arcs go.
    assert_true(t.plans >= (TEST_IS_SANITIZED ? 20 : 120) && t.closed > t.plans / 2 && t.removed > 10 * t.plans);
}

// Sets that grow until the program uses no cycle end at the value of elementary routes.
static void test_growing_sets(void **state)
{
    (void)state;
    static brute b;
    uint64_t seed = 5;
    int64_t all = 0;
    for (int k = 0; k < 12; k++) {
        mco_vrp *vrp = make((kind)(k % KINDS), &seed);
        vrp_bound_problem p;
        vrp_master m;
        bool is_done;
        int32_t found = 1;
        assert_ok(vrp_bound_problem_open(test_ctx, vrp, 0, false, 1 << 14, &p));
        fill_brute(&p, &b);
        const double elementary = elementary_value(&p, &b);
        assert_ok(vrp_master_open(test_ctx, NULL, &p, NULL, NULL, NULL, &m));
        m.precision = 0;
        assert_ok(vrp_master_take_ng(&m, &settings, 1));
        while (found > 0) {  // ends: sets have at most CUSTOMERS members
            assert_ok(vrp_master_solve(&m, INFINITY, &is_done));
            assert_true(is_done && m.lp_value <= elementary * (1 + 1e-6));
            assert_ok(vrp_master_grow_sets(&m, &settings, CUSTOMERS, 10, &found));
            all += found;
        }
        assert_true(fabs(m.lp_value - elementary) <= 1e-6 * elementary + 20);
        vrp_master_close(&m);
        vrp_bound_problem_close(test_ctx, &p);
        mco_vrp_destroy(test_ctx, &vrp);
    }
    assert_true(all > 20);
}

// ---- Cuts of a support

// A support of one plan breaks no cut; half of each of two plans, with one route too few, breaks some.
static void test_separation(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int k = 0; k < 20; k++) {
        mco_vrp *vrp = make(PLANE, &seed);
        vrp_bound_problem p;
        vrp_cuts cuts;
        double x[NODES * NODES] = {0};
        int32_t found;
        assert_ok(vrp_bound_problem_open(test_ctx, vrp, 0, false, 1 << 14, &p));
        vrp_cuts_open(&p, &cuts);
        for (int32_t i = 1; i < NODES; i++)
            x[i] = x[i * NODES] = 2;
        assert_ok(vrp_separate_capacity(test_ctx, &p, x, 1, 50, 0.01, INFINITY, &cuts, &found));
        assert_int_equal(found, 0);
        memset(x, 0, sizeof x);
        for (int32_t i = 0; i < NODES; i++) {  // one tour of all
            const int32_t j = (i + 1) % NODES;
            x[i * NODES + j] = x[j * NODES + i] = 1;
        }
        assert_ok(vrp_separate_capacity(test_ctx, &p, x, 1, 50, 0.01, INFINITY, &cuts, &found));
        assert_true(p.fleet.least == 1 || found > 0);
        const int64_t before = cuts.count;
        assert_ok(vrp_separate_capacity(test_ctx, &p, x, 1, 50, 0.01, INFINITY, &cuts, &found));
        for (int64_t c = 0; c < cuts.count; c++)
            for (int64_t d = 0; d < c; d++)
                assert_true(memcmp(cuts.cut[c].member, cuts.cut[d].member, sizeof(uint64_t)) != 0);
        assert_true(cuts.count == before + found);
        vrp_cuts_close(test_ctx, &cuts);
        vrp_bound_problem_close(test_ctx, &p);
        mco_vrp_destroy(test_ctx, &vrp);
    }
}

// ---- The driver

static mco_vrp *read_data(const char *file, bool is_real)
{
    char path[512];
    mco_vrp *vrp = NULL;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    const char *data = getenv("MCO_DATA");
    if (data == NULL)
        return NULL;
    model.distance = is_real ? MCO_VRP_DISTANCES_REAL : MCO_VRP_DISTANCES_ROUNDED;
    snprintf(path, sizeof path, "%s/cvrp/%s", data, file);
    assert_ok(mco_vrp_read(test_ctx, path, &model, &vrp));
    return vrp;
}

static void test_stored_values(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        bool is_real;
        mco_vrp_relaxation relaxation;
        mco_vrp_cuts cuts;
        double least, most;  // stored value of the program, -0.02 %; the cost of the best plan, or the value itself +0.02 %
    } stored[] = {
        {"CMT/CMT1.vrp", true, MCO_VRP_RELAXATION_Q, MCO_VRP_CUTS_NONE, 517.03, 517.03},
        {"CMT/CMT1.vrp", true, MCO_VRP_RELAXATION_NG, MCO_VRP_CUTS_NONE, 521.13, 521.13},
        {"small/E-n76-k10.vrp", false, MCO_VRP_RELAXATION_NG, MCO_VRP_CUTS_NONE, 811.77, 812},
        {"small/A-n32-k5.vrp", false, MCO_VRP_RELAXATION_NG, MCO_VRP_CUTS_CAPACITY, 780, 784},
        {"small/B-n31-k5.vrp", false, MCO_VRP_RELAXATION_NG, MCO_VRP_CUTS_CAPACITY, 665, 672},
        {"small/P-n16-k8.vrp", false, MCO_VRP_RELAXATION_NG, MCO_VRP_CUTS_CAPACITY, 445, 450},
    };
    if (getenv("MCO_DATA") == NULL)
        skip();
    for (int k = 0; k < COUNT_OF(stored); k++) {
        mco_vrp *vrp = read_data(stored[k].file, stored[k].is_real);
        mco_vrp_bound_params params = MCO_VRP_BOUND_PARAMS_INIT;
        mco_vrp_bound_result result = MCO_VRP_BOUND_RESULT_INIT;
        params.relaxation = stored[k].relaxation;
        params.cuts = stored[k].cuts;
        params.root_only = true;
        params.threads = 1;
        assert_ok(mco_vrp_bound(test_ctx, vrp, &params, &result));
        assert_true(result.bound >= 0.9998 * stored[k].least && result.bound <= 1.0002 * stored[k].most);
        assert_true(result.is_rechecked && result.round_count > 0 && result.support_count > 0 && result.pricings > 0);
        for (int64_t r = 1; r < result.round_count; r++)
            assert_true(result.rounds[r].bound >= result.rounds[r - 1].bound);
        mco_vrp_bound_result_clear(test_ctx, &result);
        mco_vrp_destroy(test_ctx, &vrp);
    }
}

// All that a master does, until something fails. The master is closed in every case.
static mco_status work_on_master(const vrp_bound_problem *p, int64_t best)
{
    mco_status st = MCO_OK;
    vrp_master m = {0};
    const int32_t price[NODES] = {0};
    bool is_done;
    int32_t found;
    int64_t removed;
    MCO_TRY(vrp_master_open(test_ctx, NULL, p, NULL, NULL, price, &m));
    MCO_TRY(vrp_master_take_q(&m, &settings));
    MCO_TRY(vrp_master_take_ng(&m, &settings, 3));
    MCO_TRY(vrp_master_solve(&m, INFINITY, &is_done));
    MCO_TRY(vrp_master_cut_capacity(&m, 10, 0.01, INFINITY, &found));
    MCO_TRY(vrp_master_cut_rank1(&m, 10, 0.01, INFINITY, &found));
    MCO_TRY(vrp_master_solve(&m, INFINITY, &is_done));
    MCO_TRY(vrp_master_grow_sets(&m, &settings, 5, 10, &found));
    MCO_TRY(vrp_master_solve(&m, INFINITY, &is_done));
    m.known = best + best / 20;
    MCO_TRY(vrp_master_remove_arcs(&m, INFINITY, &removed));
    MCO_TRY(vrp_master_solve(&m, INFINITY, &is_done));
    assert_true(m.bound > 0 && vrp_master_arcs(&m) > 0);
done:
    if (m.ctx != NULL)
        vrp_master_close(&m);
    return st;
}

// Whichever allocation fails, the status is MEMORY, and all that was taken is given back (the teardown of the tests).
static void test_memory_failures(void **state)
{
    (void)state;
    uint64_t seed = 31;
    for (int each = PLANE; each < KINDS; each++) {
        static brute b;
        vrp_bound_problem p;
        mco_vrp *vrp = make((kind)each, &seed);
        assert_ok(vrp_bound_problem_open(test_ctx, vrp, 0, false, 10000, &p));
        fill_brute(&p, &b);
        long k = 0;
        for (bool failed = true; failed;) {
            k += 1 + k / (TEST_IS_SANITIZED ? 2 : 10);
            test_fail_allocation(k);
            const mco_status st = work_on_master(&p, best_plan(&p, &b));
            failed = test_memory.calls >= k;
            test_fail_allocation(0);
            assert_int_equal(st, failed ? MCO_ERR_MEMORY : MCO_OK);
        }
        assert_true(k > 50);
        vrp_bound_problem_close(test_ctx, &p);
        mco_vrp_destroy(test_ctx, &vrp);
    }
}

// Costs near 32 bits: every pass refuses them. The call ends without an error and without a bound; so does one whose first prices are
// refused, which goes on to prices that a pass takes.
static void test_refused_prices(void **state)
{
    (void)state;
    uint64_t seed = 5;
    mco_vrp *vrp = make(PLANE, &seed);
    int32_t price[NODES] = {0};
    int64_t bound[2];
    for (int k = 0; k < 3; k++) {
        vrp_bound_problem p;
        vrp_master m;
        bool is_done = true;
        assert_ok(vrp_bound_problem_open(test_ctx, vrp, 0, false, k == 0 ? VRP_MOST_COST : 10000, &p));
        p.least_demand = 1;  // paths of any number of arcs
        for (int32_t i = 1; i < NODES; i++)
            price[i] = k == 2 ? VRP_PRICES_MOST : 0;
        assert_ok(vrp_master_open(test_ctx, NULL, &p, NULL, NULL, price, &m));
        assert_ok(vrp_master_take_ng(&m, &settings, 4));
        assert_ok(vrp_master_solve(&m, INFINITY, &is_done));
        assert_true(is_done == (k > 0) || m.is_stuck);
        assert_true((k == 0) == (m.bound == INT64_MIN));
        if (k > 0)
            bound[k - 1] = m.bound;
        vrp_master_close(&m);
        vrp_bound_problem_close(test_ctx, &p);
    }
    assert_true(llabs(bound[1] - bound[0]) < bound[0] / 1000);
    mco_vrp_destroy(test_ctx, &vrp);
}

// Behind many rank-1 rows the bound proved stays near the program: each route's value has the rounding of all its rows, and each route of a plan
// pays for the worst one. With a unit of 1/16 of a cost the bound was 2 below here.
static void test_rounded_rows(void **state)
{
    (void)state;
    mco_vrp *vrp = NULL;
    mco_vrp_generation generation = MCO_VRP_GENERATION_INIT;
    mco_vrp_bound_params params = MCO_VRP_BOUND_PARAMS_INIT;
    mco_vrp_bound_result result = MCO_VRP_BOUND_RESULT_INIT;
    const mco_vrp_bound_round *last = NULL;
    generation.customers = 44;
    generation.depot = MCO_VRP_DEPOT_RANDOM;
    generation.placement = MCO_VRP_PLACEMENT_MIXED;
    generation.demand = MCO_VRP_DEMAND_5_10;
    generation.route_size = 11;
    generation.seed = 7;
    assert_ok(mco_vrp_generate(test_ctx, &generation, &vrp));
    params.root_only = true;
    params.threads = 1;
    assert_ok(mco_vrp_bound(test_ctx, vrp, &params, &result));
    for (int64_t r = 0; r < result.round_count; r++)
        last = result.rounds[r].stage == MCO_VRP_BOUND_RANK1_CUTS ? &result.rounds[r] : last;
    assert_true(last != NULL && last->cuts > 50);
    assert_true(last->bound <= ceil(last->lp + 1e-6) && last->bound > last->lp - 1);
    mco_vrp_bound_result_clear(test_ctx, &result);
    mco_vrp_destroy(test_ctx, &vrp);
}

static void test_deadlines(void **state)
{
    (void)state;
    static const double limits[] = {0, 0.01, 0.1, 0.4};
    mco_vrp *vrp = read_data("X/X-n204-k19.vrp", false);
    if (vrp == NULL)
        skip();
    for (int k = 0; k < COUNT_OF(limits); k++) {
        mco_vrp_bound_params params = MCO_VRP_BOUND_PARAMS_INIT;
        mco_vrp_bound_result result = MCO_VRP_BOUND_RESULT_INIT;
        params.time_limit_s = limits[k];
        params.threads = 1;
        const double begin_s = mco_cpu_clock_s();
        assert_ok(mco_vrp_bound(test_ctx, vrp, &params, &result));
        assert_true(mco_cpu_clock_s() - begin_s < limits[k] + (TEST_IS_SANITIZED ? 10 : 2));
        assert_true(result.stop == MCO_STOP_TIME && !(result.bound > 19565));
        mco_vrp_bound_result_clear(test_ctx, &result);
    }
    mco_vrp_destroy(test_ctx, &vrp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_small), TEST(test_growing_sets), TEST(test_separation), TEST(test_stored_values), TEST(test_memory_failures), TEST(test_refused_prices), TEST(test_rounded_rows), TEST(test_deadlines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
