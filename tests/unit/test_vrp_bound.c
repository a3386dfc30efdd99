// SPDX-License-Identifier: MIT
// Bounds against enumerations: relaxations against all elementary routes, the recheck against the passes, bounds against optimal plans.
#include "test_support.h"

#include <math.h>

#include "base/rng.h"
#include "lp/lp.h"
#include "mco/vrp_bound.h"
#include "vrp/bound/recheck.h"
#include "svg_support.h"
#include "vrp_support.h"

// The call fails so, and its message has this part.
static void expect_part(mco_status st, mco_status expected, const char *part)
{
    assert_int_equal(st, expected);
    if (strstr(mco_context_error(test_ctx), part) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", part, mco_context_error(test_ctx));
}

// ---- Small problems with prices

typedef struct priced {
    mco_vrp *vrp;
    vrp_bound_problem problem;
    vrp_cuts cuts;
    int32_t *price, *arcs;
} priced;

static void drop(priced *p)
{
    vrp_cuts_close(test_ctx, &p->cuts);
    vrp_bound_problem_close(test_ctx, &p->problem);
    mco_free(test_ctx, &p->price);
    mco_free(test_ctx, &p->arcs);
    vrp_case_free(p->vrp);
}

// A random set of customers with a capacity cut of its demand and a price.
static void add_cut(priced *p, mco_rng *rng)
{
    int32_t node[32], size = 0;
    int64_t demand = 0;
    for (int32_t i = 1; i < p->vrp->nodes && size < COUNT_OF(node); i++)
        if (mco_rng_below(rng, 3) == 0) {
            node[size++] = i;
            demand += p->vrp->demand[i];
        }
    const int64_t vehicles = (demand + p->vrp->capacity - 1) / p->vrp->capacity;
    if (size == 0)
        return;
    assert_ok(vrp_cuts_add_set(test_ctx, &p->cuts, node, size, VRP_CUT_AT_LEAST, 2 * (vehicles > 0 ? vehicles : 1)));
    p->cuts.cut[p->cuts.count - 1].price = (int32_t)mco_rng_below(rng, 20);
}

static priced make(mco_rng *rng, const vrp_shape *shape, int32_t cuts)
{
    priced p = {.vrp = vrp_case_random(rng, shape)};
    for (int32_t i = 1; i < p.vrp->nodes; i++)
        p.vrp->demand[i] = p.vrp->demand[i] < p.vrp->capacity ? p.vrp->demand[i] : p.vrp->capacity;
    assert_ok(vrp_bound_problem_open(test_ctx, p.vrp, 0, false, (int32_t)shape->distances * 4, &p.problem));
    vrp_cuts_open(&p.problem, &p.cuts);
    assert_ok(mco_alloc(test_ctx, &p.price, p.problem.nodes));
    assert_ok(mco_alloc(test_ctx, &p.arcs, (int64_t)p.problem.nodes * p.problem.stride));
    for (int32_t i = 1; i < p.problem.nodes; i++)
        p.price[i] = 2 * (int32_t)mco_rng_below(rng, 3 * shape->distances);
    for (int32_t k = 0; k < cuts; k++)
        add_cut(&p, rng);
    vrp_prices_arcs(&p.problem, p.price, &p.cuts, NULL, p.arcs);
    return p;
}

static vrp_shape draw_shape(mco_rng *rng, int32_t customers)
{
    return (vrp_shape){.customers = customers,
                       .distances = 40,
                       .is_symmetric = mco_rng_below(rng, 2) == 0,
                       .demands = 2 + mco_rng_below(rng, 5),
                       .capacity = 3 + (int32_t)mco_rng_below(rng, 9)};
}

// ---- All elementary routes

typedef struct routes_of {
    const priced *p;
    int64_t least;            // value of a route
    int64_t value[16], load[16];  // by customer: the least ratio value / load of a route through it
    int32_t way[16], count;
} routes_of;

static void note_route(routes_of *r, int64_t value, int64_t load)
{
    r->least = value < r->least ? value : r->least;
    for (int32_t k = 0; k < r->count; k++) {
        const int32_t i = r->way[k];
        if (r->load[i] == 0 || value * r->load[i] < r->value[i] * load) {
            r->value[i] = value;
            r->load[i] = load;
        }
    }
}

static void walk(routes_of *r, uint32_t visited, int32_t at, int64_t value, int64_t load)
{
    const vrp_bound_problem *p = &r->p->problem;
    for (int32_t next = 1; next < p->nodes; next++) {
        if ((visited >> next & 1) != 0 || load + p->demand[next] > p->capacity)
            continue;
        const int64_t more = value + r->p->arcs[(int64_t)at * p->stride + next];
        r->way[r->count++] = next;
        note_route(r, more + r->p->arcs[(int64_t)next * p->stride], load + p->demand[next]);
        walk(r, visited | (uint32_t)1 << next, next, more, load + p->demand[next]);
        r->count--;
    }
}

static int32_t ng_least(const priced *p, int32_t size)
{
    vrp_ng_pass *pass = NULL;
    vrp_ng_sets sets = {0};
    const vrp_relax_settings settings = {.engine = MCO_ENGINE_REFERENCE, .threads = 1, .memory = 1e9};
    assert_ok(vrp_ng_sets_open(test_ctx, &p->problem, size, &sets));
    assert_ok(vrp_ng_open(test_ctx, &p->problem, &sets, &settings, &pass));
    assert_ok(vrp_ng_run(test_ctx, pass, p->arcs, INFINITY));
    const int32_t least = vrp_ng_least_route(pass);
    vrp_ng_close(test_ctx, &pass);
    vrp_ng_sets_close(test_ctx, &sets);
    return least;
}

// The least q-route; with ratios also that no elementary route through a customer has a smaller ratio than its through-q-routes.
static int32_t q_least(const priced *p, const routes_of *elementary)
{
    vrp_q_pass *pass = NULL;
    int32_t value[16], load[16];
    const vrp_relax_settings settings = {.engine = MCO_ENGINE_REFERENCE, .threads = 1, .memory = 1e9};
    assert_ok(vrp_q_open(test_ctx, &p->problem, &settings, &pass));
    assert_ok(vrp_q_run(test_ctx, pass, p->arcs, INFINITY));
    assert_ok(vrp_through_ratios(test_ctx, pass, value, load, NULL, INFINITY));
    for (int32_t i = 1; elementary != NULL && i < p->problem.nodes; i++)
        assert_true(value[i] * elementary->load[i] <= elementary->value[i] * load[i]);
    const int32_t least = vrp_q_least_route(pass);
    vrp_q_close(test_ctx, &pass);
    return least;
}

static void test_relaxations(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 22, 0);
    int32_t tight = 0, loose = 0;
    for (int32_t round = 0; round < (TEST_IS_SANITIZED ? 60 : 400); round++) {
        const vrp_shape shape = draw_shape(&rng, 1 + (int32_t)mco_rng_below(&rng, 7));
        priced p = make(&rng, &shape, (int32_t)mco_rng_below(&rng, 3));
        routes_of all = {.p = &p, .least = INT64_MAX};
        walk(&all, 0, 0, 0, 0);
        const int32_t q = q_least(&p, &all), n = p.problem.customers;
        assert_true(q <= all.least);
        int32_t before = INT32_MIN;
        for (int32_t size = 1; size <= n; size++) {
            const int32_t ng = ng_least(&p, size);
            assert_true(ng >= before && ng <= all.least);
            before = ng;
        }
        assert_int_equal(before, all.least);  // full sets
        assert_true(ng_least(&p, 1) <= q && q <= before);
        tight += q == all.least;
        loose += q < all.least;
        if (p.problem.is_symmetric) {
            const int32_t symmetric = ng_least(&p, n < 3 ? n : 3);
            p.problem.is_symmetric = false;
            assert_int_equal(q_least(&p, &all), q);
            assert_int_equal(ng_least(&p, n < 3 ? n : 3), symmetric);
        }
        drop(&p);
    }
    assert_true(tight > 0 && loose > 0);
}

// ---- The recheck

static int64_t pass_bound(const priced *p, const vrp_ng_sets *sets)
{
    const vrp_relax_settings settings = {.engine = MCO_ENGINE_REFERENCE, .threads = 1, .memory = 1e9};
    int32_t least;
    if (sets != NULL) {
        vrp_ng_pass *pass = NULL;
        assert_ok(vrp_ng_open(test_ctx, &p->problem, sets, &settings, &pass));
        assert_ok(vrp_ng_run(test_ctx, pass, p->arcs, INFINITY));
        least = vrp_ng_least_route(pass);
        vrp_ng_close(test_ctx, &pass);
    } else {
        least = q_least(p, NULL);
    }
    return vrp_prices_bound(&p->problem, p->price, &p->cuts, least);
}

static int64_t recheck(const priced *p, const vrp_ng_sets *sets)
{
    int64_t bound = 0;
    bool is_done = false;
    assert_ok(vrp_bound_recheck(test_ctx, p->vrp, &p->problem, p->problem.fleet, p->price, &p->cuts, sets, INFINITY, &bound, &is_done));
    assert_true(is_done);
    return bound;
}

static void test_recheck_agrees(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 23, 0);
    for (int32_t round = 0; round < (TEST_IS_SANITIZED ? 20 : 120); round++) {
        const vrp_shape shape = draw_shape(&rng, 1 + (int32_t)mco_rng_below(&rng, 15));
        priced p = make(&rng, &shape, (int32_t)mco_rng_below(&rng, 4));
        assert_true(recheck(&p, NULL) == pass_bound(&p, NULL));
        for (int32_t size = 1; size <= 8; size += 3) {
            vrp_ng_sets sets = {0};
            assert_ok(vrp_ng_sets_open(test_ctx, &p.problem, size, &sets));
            assert_true(recheck(&p, &sets) == pass_bound(&p, &sets));
            // Sets of different sizes, grown at random.
            for (int32_t k = 0; k < p.problem.customers; k++)
                (void)vrp_ng_sets_add(&sets, 1 + (int32_t)mco_rng_below(&rng, (uint32_t)p.problem.customers),
                                      1 + (int32_t)mco_rng_below(&rng, (uint32_t)p.problem.customers), 10);
            assert_true(recheck(&p, &sets) == pass_bound(&p, &sets));
            vrp_ng_sets_close(test_ctx, &sets);
        }
        drop(&p);
    }
}

// ---- The recheck with RANK1 rows, against all ng-routes

typedef struct ng_walk {
    const priced *p;
    const vrp_ng_sets *sets;
    int32_t way[16], count;
    int64_t least;
} ng_walk;

// Whether the route so far may go on to `next`: since its last visit some customer had a set without it.
static bool may_visit(const ng_walk *w, int32_t next)
{
    for (int32_t k = w->count - 1; k >= 0; k--) {
        if (w->way[k] == next)
            return false;
        if (vrp_ng_sets_bit(w->sets, w->way[k], next) < 0)
            return true;
    }
    return true;
}

static void walk_ng(ng_walk *w, int64_t load)
{
    const vrp_bound_problem *p = &w->p->problem;
    for (int32_t next = 1; next < p->nodes; next++) {
        if (load + p->demand[next] > p->capacity || w->count == COUNT_OF(w->way) || !may_visit(w, next))
            continue;
        w->way[w->count++] = next;
        const int64_t value = vrp_prices_route(p, w->p->price, &w->p->cuts, w->way, w->count);
        w->least = value < w->least ? value : w->least;
        walk_ng(w, load + p->demand[next]);
        w->count--;
    }
}

static void add_rank1(priced *p, mco_rng *rng)
{
    int32_t node[3] = {0};
    uint64_t memory[1] = {0};
    const int32_t n = p->problem.customers;
    node[0] = 1 + (int32_t)mco_rng_below(rng, (uint32_t)n - 2);
    node[1] = node[0] + 1 + (int32_t)mco_rng_below(rng, (uint32_t)(n - node[0] - 1));
    node[2] = node[1] + 1 + (int32_t)mco_rng_below(rng, (uint32_t)(n - node[1]));
    for (int32_t i = 1; i <= n; i++)
        if (i == node[0] || i == node[1] || i == node[2] || mco_rng_below(rng, 2) == 0)
            memory[0] |= (uint64_t)1 << i;
    const int32_t denominator = 2 + (int32_t)mco_rng_below(rng, 4);
    int32_t numerator[3], sum = 0;
    for (int m = 0; m < 3; m++) {
        numerator[m] = 1 + (int32_t)mco_rng_below(rng, (uint32_t)denominator - 1);
        sum += numerator[m];
    }
    assert_ok(vrp_cuts_add_rank1(test_ctx, &p->cuts, node, 3, numerator, denominator, sum / denominator,
                                 mco_rng_below(rng, 3) == 0 ? NULL : memory));
    p->cuts.cut[p->cuts.count - 1].price = -(int32_t)mco_rng_below(rng, 60);
}

static void test_recheck_rank1(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 29, 0);
    int32_t dearer = 0;
    for (int32_t round = 0; round < (TEST_IS_SANITIZED ? 20 : 150); round++) {
        const vrp_shape shape = {.customers = 4 + (int32_t)mco_rng_below(&rng, 3), .distances = 40, .demands = 3,
                                 .is_symmetric = mco_rng_below(&rng, 2) == 0, .capacity = 6};
        priced p = make(&rng, &shape, 1);
        vrp_ng_sets sets = {0};
        assert_ok(vrp_ng_sets_open(test_ctx, &p.problem, 1 + (int32_t)mco_rng_below(&rng, (uint32_t)shape.customers), &sets));
        const int64_t without = recheck(&p, &sets);
        for (int32_t k = 0; k < 3; k++)
            add_rank1(&p, &rng);
        ng_walk all = {.p = &p, .sets = &sets, .least = INT64_MAX};
        if (p.problem.capacity / p.problem.least_demand <= 9) {  // few enough walks
            walk_ng(&all, 0);
            assert_true(recheck(&p, &sets) == vrp_prices_bound(&p.problem, p.price, &p.cuts, all.least));
        }
        dearer += recheck(&p, &sets) != without;
        vrp_ng_sets_close(test_ctx, &sets);
        drop(&p);
    }
    assert_true(dearer > 0);
}

static void expect_refused(const priced *p, const char *why)
{
    int64_t bound = 0;
    bool is_done = true;
    expect_part(vrp_bound_recheck(test_ctx, p->vrp, &p->problem, p->problem.fleet, p->price, &p->cuts, NULL, INFINITY, &bound, &is_done), MCO_ERR_CHECK, why);
    assert_true(!is_done && bound == INT64_MIN);
}

static void test_recheck_finds_faults(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 24, 0);
    const vrp_shape shape = {.customers = 9, .distances = 40, .is_symmetric = true, .demands = 4, .capacity = 7};
    priced p = make(&rng, &shape, 0);
    const int32_t node[] = {1, 2, 3};
    int64_t demand = p.vrp->demand[1] + p.vrp->demand[2] + p.vrp->demand[3];
    const int64_t rhs = 2 * ((demand + 6) / 7 > 0 ? (demand + 6) / 7 : 1);
    assert_ok(vrp_cuts_add_set(test_ctx, &p.cuts, node, 3, VRP_CUT_AT_LEAST, rhs));
    assert_ok(vrp_cuts_add_rank1(test_ctx, &p.cuts, node, 3, (int32_t[]){1, 1, 1}, 2, 1, NULL));
    p.cuts.cut[0].price = 3;
    vrp_prices_arcs(&p.problem, p.price, &p.cuts, NULL, p.arcs);
    const int64_t right = recheck(&p, NULL);
    assert_true(right == pass_bound(&p, NULL));
    p.price[4] += 2;  // another bound
    assert_true(recheck(&p, NULL) != right);
    p.price[4] -= 3;
    expect_refused(&p, "an even number was expected");
    p.price[4] += 1;
    p.cuts.cut[0].rhs += 2;
    expect_refused(&p, "a row of 3 customers wants at least");
    p.cuts.cut[0].rhs -= 2;
    p.cuts.cut[0].price = -1;
    expect_refused(&p, "has the price -1, the other sign was expected");
    p.cuts.cut[0].price = 0;
    p.cuts.cut[1].price = 1;
    expect_refused(&p, "has the price 1, the other sign was expected");
    p.cuts.cut[1].price = -1;
    p.cuts.cut[1].rhs = 0;
    expect_refused(&p, "a rank-1 row of 3 customers by 3/2 in all has the right side 0");
    p.cuts.cut[1].rhs = 9;
    p.cuts.cut[1].numerator[2] = 2;  // as much as the denominator
    expect_refused(&p, "a rank-1 row of 3 customers has a multiplier 2/2");
    drop(&p);
}

static void test_recheck_ends(void **state)
{
    (void)state;
    mco_rng rng;
    int64_t bound = 0;
    bool is_done = true;
    mco_rng_seed(&rng, 25, 0);
    const vrp_shape shape = draw_shape(&rng, 12);
    priced p = make(&rng, &shape, 1);
    assert_ok(vrp_bound_recheck(test_ctx, p.vrp, &p.problem, p.problem.fleet, p.price, &p.cuts, NULL, 0, &bound, &is_done));
    assert_true(!is_done && bound == INT64_MIN);
    for (long k = 1, failed = 1; failed != 0; k++) {
        test_fail_allocation(k);
        const mco_status st = vrp_bound_recheck(test_ctx, p.vrp, &p.problem, p.problem.fleet, p.price, &p.cuts, NULL, INFINITY, &bound, &is_done);
        failed = test_memory.calls >= k;
        test_fail_allocation(0);
        assert_int_equal(st, failed ? MCO_ERR_MEMORY : MCO_OK);
    }
    assert_true(is_done);
    drop(&p);
}

// ---- One pass by the public face

static void test_relax(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 26, 0);
    for (int32_t round = 0; round < 30; round++) {
        vrp_shape shape = draw_shape(&rng, 2 + (int32_t)mco_rng_below(&rng, 40));
        shape.capacity += 4;
        mco_vrp *p = vrp_case_random(&rng, &shape);
        double *price = calloc((size_t)p->customers, sizeof *price);
        for (int32_t i = 0; i < p->customers; i++)
            price[i] = (double)mco_rng_below(&rng, 60) / 2;
        for (int32_t kind = 0; kind < 3; kind++) {
            mco_vrp_relax_params params = MCO_VRP_RELAX_PARAMS_INIT;
            mco_vrp_relax_result one = MCO_VRP_RELAX_RESULT_INIT, other = MCO_VRP_RELAX_RESULT_INIT;
            params.relaxation = (mco_vrp_relaxation)kind;
            params.ng_size = 5;
            params.price = price;
            params.engine = MCO_ENGINE_REFERENCE;
            assert_ok(mco_vrp_relax(test_ctx, p, &params, &one));
            params.engine = MCO_ENGINE_CPU;
            assert_ok(mco_vrp_relax(test_ctx, p, &params, &other));
            assert_true(one.value == other.value && one.digest == other.digest);
            assert_true(one.digest != 0 && one.states > 0 && one.transitions >= one.states);
            // The route is what it says.
            double value = 0;
            int64_t load = 0;
            int32_t at = 0;
            for (int32_t k = 0; k < one.route_count; k++) {
                value += vrp_distance(p, at, one.route[k] + 1) - price[one.route[k]];
                at = one.route[k] + 1;
                load += p->demand[at];
            }
            assert_true(fabs(value + vrp_distance(p, at, 0) - one.route_value) < 1e-9);
            assert_true(load == one.route_load && load <= p->capacity);
            if (params.relaxation != MCO_VRP_RELAXATION_THROUGH_Q)
                assert_true(one.route_value == one.value);
            mco_vrp_relax_result_clear(test_ctx, &one);
            mco_vrp_relax_result_clear(test_ctx, &other);
        }
        free(price);
        vrp_case_free(p);
    }
}

static void test_relax_refusals(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 27, 0);
    const vrp_shape shape = {.customers = 20, .distances = 40, .demands = 4, .capacity = 9};
    mco_vrp *p = vrp_case_random(&rng, &shape);
    double price[20] = {0};
    mco_vrp_relax_params params = MCO_VRP_RELAX_PARAMS_INIT;
    mco_vrp_relax_result result = MCO_VRP_RELAX_RESULT_INIT;
    params.price = price;
    price[3] = NAN;
    expect_part(mco_vrp_relax(test_ctx, p, &params, &result), MCO_ERR_ARGUMENT, "the price of customer 4 is nan");
    price[3] = 1e12;
    expect_part(mco_vrp_relax(test_ctx, p, &params, &result), MCO_ERR_ARGUMENT, "the price of customer 4 is 1000000000000, at most ");
    price[3] = 0;
    params.ng_size = 33;
    expect_part(mco_vrp_relax(test_ctx, p, &params, &result), MCO_ERR_ARGUMENT, "1 to 32");
    params.ng_size = 8;
    params.gpus = "0";
    params.engine = MCO_ENGINE_CPU;
    expect_part(mco_vrp_relax(test_ctx, p, &params, &result), MCO_ERR_ARGUMENT, "--gpus 0 is for --engine gpu");
    params.gpus = NULL;
    params.time_limit_s = 0;
    params.engine = MCO_ENGINE_REFERENCE;
    assert_ok(mco_vrp_relax(test_ctx, p, &params, &result));
    assert_true(isnan(result.value) && result.stop == MCO_STOP_TIME && result.digest == 0);
    mco_vrp_relax_result_clear(test_ctx, &result);
    vrp_case_free(p);
}

// ---- Bounds of plans

static void expect_below(const mco_vrp *p, const mco_vrp_bound_params *params, int64_t optimum)
{
    mco_vrp_bound_result r = MCO_VRP_BOUND_RESULT_INIT;
    assert_ok(mco_vrp_bound(test_ctx, p, params, &r));
    if (optimum < 0) {
        assert_true(r.outcome == MCO_OUTCOME_INFEASIBLE || r.outcome == MCO_OUTCOME_UNKNOWN);
        assert_null(r.solution.order);
    } else {
        assert_true(r.scaled_bound >= 0 && r.scaled_bound <= optimum && r.outcome != MCO_OUTCOME_INFEASIBLE);
        if (r.outcome == MCO_OUTCOME_OPTIMAL)
            assert_true(r.scaled_cost == optimum && r.scaled_bound == optimum);
    }
    mco_vrp_bound_result_clear(test_ctx, &r);
}

static void test_bounds(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 28, 0);
    int32_t decided = 0;
    for (int32_t round = 0; round < (TEST_IS_SANITIZED ? 5 : 25); round++) {
        vrp_shape shape = draw_shape(&rng, 1 + (int32_t)mco_rng_below(&rng, 9));
        const int32_t exactly = round % 3 == 0 ? 1 + (int32_t)mco_rng_below(&rng, (uint32_t)shape.customers) : -1;
        shape.vehicles = exactly > 0 || mco_rng_below(&rng, 2) == 0 ? 0 : 1 + (int32_t)mco_rng_below(&rng, 5);
        shape.services = round % 4 == 1 ? 5 : 0;
        shape.max_length = round % 4 == 1 ? 120 : 0;
        mco_vrp *p = vrp_case_random(&rng, &shape);
        const int64_t optimum = exactly > 0 ? vrp_optimal_cost_of(p, exactly, true) : vrp_optimal_cost(p);
        decided += optimum >= 0;
        for (int32_t kind = 0; kind < 27; kind++) {
            mco_vrp_bound_params params = MCO_VRP_BOUND_PARAMS_INIT;
            params.relaxation = (mco_vrp_relaxation)(kind % 3);
            params.cuts = (mco_vrp_cuts)(kind / 3 % 3);
            params.method = (mco_vrp_bound_method)(kind / 9);
            params.time_limit_s = 100;
            params.vehicles_exactly = exactly;
            params.threads = 1;
            if (params.method == MCO_VRP_BOUND_METHOD_LP && !mco_lp_is_there())
                continue;
            expect_below(p, &params, optimum);
        }
        vrp_case_free(p);
    }
    assert_true(decided > 3);
}

// A search and a proof side by side, and in turns. With a number of iterations few customers are not decided exactly.
static void test_solve_and_prove(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 30, 0);
    int32_t proved = 0, rounds = TEST_IS_SANITIZED ? 3 : 12;
    for (int32_t round = 0; round < rounds; round++) {
        const vrp_shape shape = draw_shape(&rng, 6 + (int32_t)mco_rng_below(&rng, 6));
        mco_vrp *p = vrp_case_random(&rng, &shape);
        const int64_t optimum = vrp_optimal_cost(p);
        for (int32_t threads = 1; threads <= 2; threads++) {
            mco_vrp_params params = MCO_VRP_PARAMS_INIT;
            mco_vrp_result r = MCO_VRP_RESULT_INIT;
            params.prove = 1;
            params.iterations = 2000;
            params.threads = threads;
            params.time_limit_s = 100;
            params.engine = MCO_ENGINE_CPU;
            assert_ok(mco_vrp_solve(test_ctx, p, &params, &r));
            assert_true(r.scaled_cost >= optimum && r.bound <= (double)optimum);
            assert_true((r.outcome == MCO_OUTCOME_OPTIMAL) == (r.bound == r.cost));
            proved += r.outcome == MCO_OUTCOME_OPTIMAL;
            mco_vrp_result_clear(test_ctx, &r);
        }
        vrp_case_free(p);
    }
    assert_true(proved >= rounds);
}

// Exactly so many routes, by the exact method, by the search alone, and by search and proof.
static void solve_exactly(const mco_vrp *p, int32_t exactly, int64_t optimum, int32_t kind, int32_t *proved)
{
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    mco_vrp_result r = MCO_VRP_RESULT_INIT;
    params.vehicles_exactly = exactly;
    params.prove = kind >= 2;
    params.iterations = kind == 0 ? -1 : 2000;
    params.threads = kind == 3 ? 2 : 1;
    params.time_limit_s = 100;
    params.engine = MCO_ENGINE_CPU;
    assert_ok(mco_vrp_solve(test_ctx, p, &params, &r));
    if (optimum < 0) {
        assert_true(r.outcome == MCO_OUTCOME_INFEASIBLE || r.outcome == MCO_OUTCOME_UNKNOWN);
        assert_true(kind != 0 || r.outcome == MCO_OUTCOME_INFEASIBLE);
        return;
    }
    assert_true(r.scaled_cost >= optimum && r.solution.routes == exactly);
    assert_true(!(r.bound > (double)optimum) && (kind != 0 || r.scaled_cost == optimum));
    assert_true(r.outcome != MCO_OUTCOME_OPTIMAL || r.scaled_cost == optimum);
    *proved += kind >= 2 && r.outcome == MCO_OUTCOME_OPTIMAL && r.is_bound_rechecked;
    mco_vrp_result_clear(test_ctx, &r);
}

static void test_solve_exactly(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 32, 0);
    int32_t proved = 0, rounds = TEST_IS_SANITIZED ? 4 : 20, none = 0;
    for (int32_t round = 0; round < rounds; round++) {
        vrp_shape shape = draw_shape(&rng, 4 + (int32_t)mco_rng_below(&rng, 8));
        shape.vehicles = 0;
        shape.services = round % 4 == 1 ? 5 : 0;
        shape.max_length = round % 4 == 1 ? 120 : 0;
        mco_vrp *p = vrp_case_random(&rng, &shape);
        const int32_t exactly = 1 + (int32_t)mco_rng_below(&rng, (uint32_t)shape.customers);
        const int64_t optimum = vrp_optimal_cost_of(p, exactly, true);
        none += optimum < 0;
        for (int32_t kind = 0; kind < 4; kind++)
            solve_exactly(p, exactly, optimum, kind, &proved);
        vrp_case_free(p);
    }
    print_message("%d of %d proved and rechecked, %d have no plan\n", proved, 2 * rounds, none);
    assert_true(proved > rounds / 2);
}

// Every allocation of a bound may fail. Then nothing is lost and nothing is released twice.
static void test_memory_failures(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 31, 0);
    const vrp_shape shape = {.customers = 9, .distances = 40, .is_symmetric = true, .demands = 4, .capacity = 7};
    mco_vrp *p = vrp_case_random(&rng, &shape);
    mco_vrp_bound_params params = MCO_VRP_BOUND_PARAMS_INIT;
    params.threads = 1;
    params.time_limit_s = 100;
    for (long k = 1, failed = 1; failed != 0; k += 1 + k / 20) {
        mco_vrp_bound_result r = MCO_VRP_BOUND_RESULT_INIT;
        test_fail_allocation(k);
        const mco_status st = mco_vrp_bound(test_ctx, p, &params, &r);
        failed = test_memory.calls >= k;
        test_fail_allocation(0);
        assert_true(st == MCO_OK || (failed && st == MCO_ERR_MEMORY));
        mco_vrp_bound_result_clear(test_ctx, &r);
    }
    vrp_case_free(p);
}

// Behind an ascent the last allocations are those of the recheck and of the result. Without the recheck's the bound stays, not rechecked.
static void test_recheck_without_memory(void **state)
{
    (void)state;
    enum { LAST = 40 };
    mco_rng rng;
    mco_rng_seed(&rng, 31, 0);
    const vrp_shape shape = {.customers = 9, .distances = 40, .is_symmetric = true, .demands = 4, .capacity = 7};
    mco_vrp *p = vrp_case_random(&rng, &shape);
    mco_vrp_bound_params params = MCO_VRP_BOUND_PARAMS_INIT;
    int32_t kept = 0;
    params.threads = 1;
    params.method = MCO_VRP_BOUND_METHOD_ASCENT;
    params.time_limit_s = 100;
    long calls = INT64_MAX;
    for (long k = 0; k < LAST && k < calls; k++) {
        mco_vrp_bound_result r = MCO_VRP_BOUND_RESULT_INIT;
        test_fail_allocation(k == 0 ? 0 : calls - k);
        const mco_status st = mco_vrp_bound(test_ctx, p, &params, &r);
        calls = k == 0 ? test_memory.calls : calls;
        test_fail_allocation(0);
        assert_true(st == MCO_OK || (k > 0 && st == MCO_ERR_MEMORY));
        assert_true(st != MCO_OK || r.scaled_bound >= 0);
        kept += st == MCO_OK && !r.is_rechecked;
        assert_true(k > 0 || kept == 0);
        mco_vrp_bound_result_clear(test_ctx, &r);
    }
    assert_true(kept > 0);
    vrp_case_free(p);
}

static void test_plot(void **state)
{
    (void)state;
    static const double x[] = {0, 10, 10, -10, -10}, y[] = {0, 0, 1, 0, 1};
    static const int32_t demands[] = {1, 1, 1, 1};
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp *p = NULL;
    mco_vrp_bound_params params = MCO_VRP_BOUND_PARAMS_INIT;
    mco_vrp_bound_result r = MCO_VRP_BOUND_RESULT_INIT;
    model.capacity = 2;
    assert_ok(mco_vrp_from_coordinates(test_ctx, 4, x, y, demands, &model, &p));
    assert_ok(mco_vrp_bound(test_ctx, p, &params, &r));
    if (mco_lp_is_there())
        assert_true(r.support_count >= 6 && r.rounds != NULL && r.price != NULL);
    const char *path = test_path("support.svg");
    assert_ok(mco_vrp_plot_bound(test_ctx, p, &r, path));
    char *text = svg_read(path);
    assert_true(svg_is_well_formed(text));
    assert_true(svg_is_inside_its_frame(text));
    assert_true(!mco_lp_is_there() || count_of(text, "class=\"k5\"") >= 2);
    free(text);
    if (r.support_count > 0) {
        r.support[0].to = 5;
        expect_part(mco_vrp_plot_bound(test_ctx, p, &r, path), MCO_ERR_ARGUMENT, "to 5, the instance has 5 nodes");
    }
    mco_vrp_bound_result_clear(test_ctx, &r);
    mco_vrp_destroy(test_ctx, &p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_relaxations), TEST(test_recheck_agrees), TEST(test_recheck_rank1), TEST(test_recheck_finds_faults), TEST(test_recheck_ends),
        TEST(test_relax),       TEST(test_relax_refusals), TEST(test_bounds),
        TEST(test_solve_and_prove), TEST(test_solve_exactly), TEST(test_memory_failures), TEST(test_recheck_without_memory), TEST(test_plot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
