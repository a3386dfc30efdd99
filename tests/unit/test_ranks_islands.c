// SPDX-License-Identifier: MIT
// Islands of several ranks, which are threads here: all end with the same checked plan, the best that any of them had.
#include "base/islands.h"
#include "mco/mco.h"
#include "ranks_threads.h"

enum { RANKS = 3 };

// ---- The driver over a toy: rank r finds cost 100 - 10 r in its first leg; a leg that begins with a plan of cost c ends with c - 1

typedef struct toy {
    int32_t cost;
    int legs;
    int64_t seeds[8], iterations;
} toy;

static toy toys[RANKS];

static mco_status toy_search(void *user, const mco_leg *leg, mco_island *out)
{
    toy *t = user;
    t->cost = leg->is_first ? t->cost : t->cost - 1;
    t->seeds[t->legs++] = leg->seed;
    t->iterations += leg->iterations;
    *out = (mco_island){.cost = t->cost, .outcome = MCO_OUTCOME_FEASIBLE, .stop = t->cost <= 76 ? MCO_STOP_TARGET : MCO_STOP_ITERATIONS};
    return MCO_OK;
}

static void toy_pack(const void *user, int32_t *plan)
{
    plan[0] = ((const toy *)user)->cost;
}

static mco_status toy_unpack(void *user, const int32_t *plan)
{
    ((toy *)user)->cost = plan[0];
    return MCO_OK;
}

static void play(ranks_member *m)
{
    toy *t = &toys[m->ranks.rank];
    mco_island found = {.cost = -1};
    *t = (toy){.cost = 100 - 10 * m->ranks.rank};
    const mco_islands islands = {.user = t, .search = toy_search, .words = 1, .pack = toy_pack, .unpack = toy_unpack,
                                 .time_limit_s = MCO_NO_LIMIT, .iterations = *(const int64_t *)m->shared, .seed = 7};
    m->status = mco_islands_run(m->ctx, &islands, &found);
    if (found.cost != t->cost || m->ctx->ranks == NULL)
        m->status = MCO_ERR_INTERNAL;
}

static void legs(void **state)
{
    (void)state;
    int64_t iterations = 1001;
    ranks_member members[RANKS];
    ranks_run(RANKS, play, &iterations, members);
    for (int r = 0; r < RANKS; r++) {
        assert_int_equal(members[r].status, MCO_OK);
        assert_int_equal(toys[r].cost, 76);  // 80, 79, 78, 77, 76: the target ends it
        assert_int_equal(toys[r].legs, 5);
        assert_true(toys[r].iterations > 880 && toys[r].iterations < 920);
        for (int k = 0; k < RANKS * 5; k++)  // every leg of every rank has its own seed
            assert_true(k == 5 * r || toys[k / 5].seeds[k % 5] != toys[r].seeds[0]);
    }
    ranks_close(RANKS, members);
}

// ---- Routes

typedef struct routing {
    const mco_vrp *problem;
    mco_vrp_params params;
    mco_vrp_result r[RANKS];
} routing;

static void route(ranks_member *m)
{
    routing *t = m->shared;
    t->r[m->ranks.rank] = (mco_vrp_result)MCO_VRP_RESULT_INIT;
    m->status = mco_vrp_solve(m->ctx, t->problem, &t->params, &t->r[m->ranks.rank]);
}

static mco_vrp *customers(int64_t count)
{
    mco_vrp *problem = NULL;
    mco_vrp_generation g = MCO_VRP_GENERATION_INIT;
    g.customers = count;
    assert_ok(mco_vrp_generate(test_ctx, &g, &problem));
    return problem;
}

static void routes(void **state)
{
    (void)state;
    const int64_t counts[] = {9, 60};
    for (int k = 0; k < COUNT_OF(counts); k++) {
        ranks_member members[RANKS];
        mco_vrp *problem = customers(counts[k]);
        routing t = {.problem = problem, .params = MCO_VRP_PARAMS_INIT};
        t.params.engine = MCO_ENGINE_CPU;
        t.params.threads = 1;
        t.params.time_limit_s = k == 0 ? MCO_NO_LIMIT : 0.3;  // the first are decided
        ranks_run(RANKS, route, &t, members);
        for (int r = 0; r < RANKS; r++) {
            int64_t cost = -1;
            assert_int_equal(members[r].status, MCO_OK);
            assert_ok(mco_vrp_check(test_ctx, problem, &t.r[r].solution, &cost));
            assert_int_equal(cost, t.r[0].scaled_cost);
            assert_int_equal(t.r[r].scaled_cost, cost);
            assert_int_equal(t.r[r].outcome, k == 0 ? MCO_OUTCOME_OPTIMAL : MCO_OUTCOME_FEASIBLE);
            assert_int_equal(t.r[r].work.threads, RANKS);
        }
        mco_vrp_result one = MCO_VRP_RESULT_INIT;
        assert_ok(mco_vrp_solve(test_ctx, problem, &t.params, &one));
        assert_true(k > 0 || one.scaled_cost == t.r[0].scaled_cost);
        mco_vrp_result_clear(test_ctx, &one);
        for (int r = 0; r < RANKS; r++)
            mco_vrp_result_clear(members[r].ctx, &t.r[r]);
        ranks_close(RANKS, members);
        mco_vrp_destroy(test_ctx, &problem);
    }
}

// ---- Stacks

typedef struct stacking {
    const mco_dtspms *problem;
    mco_dtspms_params params;
    mco_dtspms_result r[RANKS];
} stacking;

static void stack(ranks_member *m)
{
    stacking *t = m->shared;
    t->r[m->ranks.rank] = (mco_dtspms_result)MCO_DTSPMS_RESULT_INIT;
    m->status = mco_dtspms_solve(m->ctx, t->problem, &t->params, &t->r[m->ranks.rank]);
}

static void stacks(void **state)
{
    (void)state;
    ranks_member members[RANKS];
    mco_dtspms *problem = NULL;
    assert_ok(mco_dtspms_named(test_ctx, "R01", 24, &problem));
    stacking t = {.problem = problem, .params = MCO_DTSPMS_PARAMS_INIT};
    t.params.engine = MCO_ENGINE_CPU;
    t.params.threads = 1;
    t.params.iterations = 60;
    t.params.walks = 4;
    ranks_run(RANKS, stack, &t, members);
    for (int r = 0; r < RANKS; r++) {
        int64_t cost = -1, cost_of[2];
        assert_int_equal(members[r].status, MCO_OK);
        assert_ok(mco_dtspms_check(test_ctx, problem, &t.r[r].solution, t.r[r].capacity, &cost, cost_of));
        assert_int_equal(cost, t.r[0].cost);
        assert_int_equal(t.r[r].cost, cost);
        assert_int_equal(t.r[r].cost_of[0], cost_of[0]);
        assert_true(t.r[r].history_count > 0 && t.r[r].history[t.r[r].history_count - 1].objective >= (double)cost);
    }
    for (int r = 0; r < RANKS; r++)
        mco_dtspms_result_clear(members[r].ctx, &t.r[r]);
    ranks_close(RANKS, members);
    mco_dtspms_destroy(test_ctx, &problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(legs), TEST(routes), TEST(stacks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
