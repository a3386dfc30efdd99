// SPDX-License-Identifier: MIT
// A proof by several ranks, which are threads here: bound and optimum are those of one rank, and the recheck takes the whole proof.
#include <stdio.h>

#include "lp/lp.h"
#include "mco/mco.h"
#include "ranks_threads.h"

enum { MOST_RANKS = 4 };

typedef struct proving {
    const mco_vrp *problem;
    mco_vrp_bound_params params;
    mco_vrp_bound_result r[MOST_RANKS];
} proving;

static void prove(ranks_member *m)
{
    proving *p = m->shared;
    p->r[m->ranks.rank] = (mco_vrp_bound_result)MCO_VRP_BOUND_RESULT_INIT;
    m->status = mco_vrp_bound(m->ctx, p->problem, &p->params, &p->r[m->ranks.rank]);
}

static mco_vrp *places(int64_t customers, int64_t seed)
{
    mco_vrp *problem = NULL;
    mco_vrp_generation g = MCO_VRP_GENERATION_INIT;
    g.customers = customers;
    g.seed = seed;
    assert_ok(mco_vrp_generate(test_ctx, &g, &problem));
    return problem;
}

// Columns without cuts leave a gap, so there are trees. Returns the nodes.
static int64_t compare(int ranks, int64_t seed, bool is_known)
{
    ranks_member members[MOST_RANKS];
    mco_vrp *problem = places(22, seed);
    mco_vrp_bound_result one = MCO_VRP_BOUND_RESULT_INIT;
    proving p = {.problem = problem, .params = MCO_VRP_BOUND_PARAMS_INIT};
    p.params.engine = MCO_ENGINE_CPU;
    p.params.threads = 1;
    p.params.cuts = MCO_VRP_CUTS_NONE;
    assert_ok(mco_vrp_bound(test_ctx, problem, &p.params, &one));
    assert_int_equal(one.outcome, MCO_OUTCOME_OPTIMAL);
    if (is_known)
        p.params.known = one.cost;
    ranks_run(ranks, prove, &p, members);
    for (int r = 0; r < ranks; r++) {
        assert_int_equal(members[r].status, MCO_OK);
        assert_int_equal(p.r[r].work.threads, ranks);
        if (p.r[0].nodes > 0)
            assert_int_equal(p.r[r].scaled_bound, one.scaled_cost);
    }
    assert_int_equal(p.r[0].outcome, is_known && p.r[0].solution.order == NULL ? MCO_OUTCOME_NONE_BELOW : MCO_OUTCOME_OPTIMAL);
    assert_int_equal(p.r[0].scaled_bound, one.scaled_bound);
    assert_int_equal(p.r[0].scaled_cost, one.scaled_cost);
    assert_true(p.r[0].is_bound_rechecked);
    if (!is_known)  // it removes arcs
        assert_true(p.r[0].root_bound == one.root_bound);
    const int64_t nodes = p.r[0].nodes;
    for (int r = 0; r < ranks; r++)
        mco_vrp_bound_result_clear(members[r].ctx, &p.r[r]);
    ranks_close(ranks, members);
    mco_vrp_bound_result_clear(test_ctx, &one);
    mco_vrp_destroy(test_ctx, &problem);
    return nodes;
}

static void trees(void **state)
{
    (void)state;
    int64_t nodes = 0;
    for (int64_t seed = 2; seed <= 3; seed++)
        for (int ranks = 2; ranks <= MOST_RANKS; ranks++)
            nodes += compare(ranks, seed, (seed + ranks) % 2 == 0);
    assert_true(nodes > 20);
}

// A limit of time ends all ranks after the same round; nobody waits for a tree that does not come.
static void ends(void **state)
{
    (void)state;
    const double limits[] = {0, 0.05, 0.4};
    for (int k = 0; k < COUNT_OF(limits); k++) {
        ranks_member members[MOST_RANKS];
        mco_vrp *problem = places(k == 2 ? 60 : 20, 7);
        proving p = {.problem = problem, .params = MCO_VRP_BOUND_PARAMS_INIT};
        p.params.engine = MCO_ENGINE_CPU;
        p.params.threads = 1;
        p.params.cuts = MCO_VRP_CUTS_NONE;
        p.params.time_limit_s = limits[k];
        ranks_run(3, prove, &p, members);
        for (int r = 0; r < 3; r++) {
            assert_int_equal(members[r].status, MCO_OK);
            mco_vrp_bound_result_clear(members[r].ctx, &p.r[r]);
        }
        ranks_close(3, members);
        mco_vrp_destroy(test_ctx, &problem);
    }
}

// Arguments that rank 0 alone looks at end all ranks.
static void refusals(void **state)
{
    (void)state;
    ranks_member members[MOST_RANKS];
    mco_vrp *problem = places(10, 1);
    proving p = {.problem = problem, .params = MCO_VRP_BOUND_PARAMS_INIT};
    p.params.known = 1e9;
    ranks_run(2, prove, &p, members);
    for (int r = 0; r < 2; r++)
        assert_int_equal(members[r].status, MCO_ERR_ARGUMENT);
    ranks_close(2, members);
    mco_vrp_destroy(test_ctx, &problem);
}

int main(void)
{
    if (!mco_lp_is_there())
        return 77;
    const struct CMUnitTest tests[] = {TEST(trees), TEST(ends), TEST(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
