// SPDX-License-Identifier: MIT
// A proof by several ranks, which are threads here: bound and optimum are those of one rank, and the recheck takes the whole proof.
#include <stdio.h>

#include "lp/lp.h"
#include "mco/mco.h"
#include "ranks_threads.h"
#include "vrp/bound/tree/tree.h"

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

typedef struct dividing {
    const mco_vrp *problem;
    int64_t known;
    vrp_tree_result r[MOST_RANKS];
} dividing;

static mco_status divide_on(ranks_member *m, const dividing *d, vrp_bound_problem *p, vrp_master *master, vrp_tree_result *result)
{
    mco_status st = MCO_OK;
    bool is_done;
    const vrp_relax_settings relax = {.engine = MCO_ENGINE_CPU, .threads = 1, .memory = 1e9};
    vrp_tree_settings settings = VRP_TREE_SETTINGS_INIT;
    settings.known = d->known;
    settings.most_labels = settings.close_labels = 1;
    settings.cuts_capacity = settings.cuts_rank1 = false;
    MCO_TRY(vrp_bound_problem_open(m->ctx, d->problem, 0, false, 4000, p));
    MCO_TRY(vrp_master_open(m->ctx, NULL, p, NULL, NULL, NULL, master));
    master->threads = 1;
    MCO_TRY(vrp_master_take_q(master, &relax));
    MCO_TRY(vrp_master_solve(master, INFINITY, &is_done));
    MCO_TRY(vrp_tree_solve(master, &settings, result));
done:
    vrp_master_close(master);
    vrp_bound_problem_close(m->ctx, p);
    return st;
}

static void divide(ranks_member *m)
{
    dividing *d = m->shared;
    vrp_bound_problem p = {0};
    vrp_master master = {0};
    m->status = divide_on(m, d, &p, &master, &d->r[m->ranks.rank]);
}

// Routes of limited length, of which programs of any length know nothing, and enumerations without labels: nodes are set aside, and the
// ranks solve all the others.
static void set_aside(void **state)
{
    (void)state;
    int64_t aside = 0;
    for (int64_t seed = 1; seed <= 4; seed++) {
        ranks_member members[MOST_RANKS];
        mco_vrp *problem = places(11, seed);
        mco_vrp_result exact = MCO_VRP_RESULT_INIT;
        mco_vrp_params params = MCO_VRP_PARAMS_INIT;
        problem->max_length = 0;
        for (int32_t i = 1; i < problem->nodes; i++)
            if (problem->max_length < 5 * mco_vrp_distance(problem, 0, i) / 2)
                problem->max_length = 5 * mco_vrp_distance(problem, 0, i) / 2;
        params.engine = MCO_ENGINE_CPU;
        assert_ok(mco_vrp_solve(test_ctx, problem, &params, &exact));
        assert_int_equal(exact.outcome, MCO_OUTCOME_OPTIMAL);
        dividing d = {.problem = problem, .known = exact.scaled_cost};
        ranks_run(3, divide, &d, members);
        for (int r = 0; r < 3; r++) {
            assert_int_equal(members[r].status, MCO_OK);
            assert_true(d.r[r].bound <= exact.scaled_cost && d.r[r].bound == d.r[0].bound);
            assert_true(d.r[r].is_done == (d.r[r].nodes_aside == 0) && d.r[r].nodes_aside == d.r[0].nodes_aside);
        }
        aside += d.r[0].nodes_aside;
        for (int r = 0; r < 3; r++)
            vrp_tree_result_clear(members[r].ctx, &d.r[r]);
        ranks_close(3, members);
        mco_vrp_result_clear(test_ctx, &exact);
        mco_vrp_destroy(test_ctx, &problem);
    }
    print_message("%lld nodes aside\n", (long long)aside);
    assert_true(aside > 4);
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
    const struct CMUnitTest tests[] = {TEST(trees), TEST(set_aside), TEST(ends), TEST(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
