// SPDX-License-Identifier: MIT
// mco_vrp_bound(): it validates, states the fleet rule, runs the driver (vrp/bound/bound.h) and checks what comes back.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/options.h"
#include "base/ranks.h"
#include "base/structs.h"
#include "vrp/bound/bound.h"
#include "vrp/bound/entry.h"
#include "vrp/search/exactly.h"
#include "vrp/solution.h"

#define MCO_OPTION_STRUCT mco_vrp_bound_params
static const mco_option bound_records[] = {MCO_OPTION_RECORDS(MCO_VRP_BOUND_OPTIONS)};
static const mco_option_table bound_options = MCO_OPTION_TABLE(bound_records);

const mco_option_table *mco_vrp_bound_options(void)
{
    return &bound_options;
}

const char *mco_vrp_bound_stage_text(mco_vrp_bound_stage stage)
{
    static const char *const texts[] = {"ascent", "columns", "capacity cuts", "rank-1 cuts", "ng sets", "enumeration", "branching"};
    const unsigned k = (unsigned)stage;
    return k < sizeof texts / sizeof texts[0] ? texts[k] : "?";
}

const char *mco_vrp_relaxation_text(mco_vrp_relaxation relaxation)
{
    static const char *const texts[] = {"q", "through-q", "ng"};
    const unsigned k = (unsigned)relaxation;
    return k < sizeof texts / sizeof texts[0] ? texts[k] : "?";
}

typedef struct bounding {
    mco_context *ctx;
    const mco_vrp *problem;
    mco_vrp_bound_params params;
    mco_run run;
    vrp_proof proof;
} bounding;

// ---- Arguments

static mco_status refuse_start(const bounding *b, int64_t *cost)
{
    mco_status st = MCO_OK;
    const mco_vrp_solution *start = b->params.start;
    const int64_t exactly = b->params.vehicles_exactly;
    if (start == NULL)
        return MCO_OK;
    MCO_TRY(mco_as_argument(mco_vrp_check(b->ctx, b->problem, start, cost)));
    if (exactly > 0 && start->routes != exactly)
        return mco_fail(b->ctx, MCO_ERR_ARGUMENT, "the plan to start with has %d route%s, --vehicles-exactly %lld was given", start->routes,
                        mco_plural(start->routes),
                        (long long)exactly);
done:
    return st;
}

// Returns ARGUMENT, with the reason in the context's error, where no plan can exist.
static mco_status find_conflict(const bounding *b)
{
    const mco_status st = vrp_find_conflict(b->ctx, b->problem, b->run.stop_s);
    return st != MCO_OK ? st : vrp_find_exact_conflict(b->ctx, b->problem, b->params.vehicles_exactly);
}

// ---- The driver

// Seconds that the memory of a problem takes to go back, for each pair of nodes, and the most of the time limit.
static const double CLOSE_S = 2.5e-9, CLOSE_SHARE = 0.05;

static void begin_run(bounding *b)
{
    const mco_run_settings settings = {.time_limit_s = b->params.time_limit_s,
                                       .target = -1,
                                       .gap = b->params.gap,
                                       .ends_at_bound = true,
                                       .objective = "cost",
                                       .decimals = b->problem->scale > 1 ? 2 : 0};
    b->run = mco_run_begin(b->ctx, &settings);
    const double nodes = b->problem->nodes, left_s = b->run.stop_s - mco_clock_s();
    if (isfinite(left_s))
        b->run.stop_s -= fmin(CLOSE_S * nodes * nodes, CLOSE_SHARE * left_s);
    b->ctx->call_stop_s = isfinite(b->run.stop_s) ? b->run.stop_s : 0;
}

// A plan has at most two arcs a customer.
static mco_status refuse_known(const bounding *b)
{
    const mco_vrp *p = b->problem;
    const double most = 2.0 * p->customers * p->longest / p->scale;
    if (b->params.known <= most)
        return MCO_OK;
    return mco_fail(b->ctx, MCO_ERR_ARGUMENT, "--known %.15g: no plan of this instance costs more than %.15g", b->params.known, most);
}

// Gives the driver what is known of plans: the start, and a cost from elsewhere.
static mco_status set_known(bounding *b, int64_t start_cost)
{
    mco_status st = MCO_OK;
    const mco_vrp *p = b->problem;
    b->proof.known = -1;
    if (b->params.known >= 0) {
        b->proof.known = (int64_t)ceil(b->params.known * p->scale - 1e-6);
        b->run.objective = (double)b->proof.known / p->scale;
    }
    if (b->params.start == NULL)
        return MCO_OK;
    MCO_TRY(vrp_proof_offer(&b->proof, b->params.start, start_cost));
    if (b->proof.plan.order != NULL)
        MCO_TRY(mco_run_improve(&b->run, (double)start_cost / p->scale, &b->proof.plan, "start"));
done:
    return st;
}

static mco_status run_driver(bounding *b, mco_vrp_bound_result *r, int64_t start_cost)
{
    mco_status st = MCO_OK;
    MCO_TRY(set_known(b, start_cost));
    MCO_TRY(vrp_prove(&b->proof));
    const double cost = (double)b->proof.known / b->problem->scale;
    if (b->proof.plan.order != NULL && !(b->run.objective <= cost && b->run.history_count > 0))
        MCO_TRY(mco_run_improve(&b->run, cost, &b->proof.plan, "proof"));
    (void)mco_run_must_stop(&b->run, r->pricings);  // a proof that is closed has finished, also if the time ended its recheck
    mco_run_log_end(&b->run);
done:
    return st;
}

// ---- The answer

// An instance without customers: nothing to route, nothing to pay.
static mco_status fill_empty(bounding *b, mco_vrp_bound_result *r)
{
    const mco_status st = vrp_solution_new(b->ctx, 0, 0, &r->solution);
    if (st != MCO_OK)
        return st;
    r->outcome = MCO_OUTCOME_OPTIMAL;
    r->bound = r->root_bound = r->cost = 0;
    r->scaled_bound = r->scaled_cost = 0;
    r->is_rechecked = r->is_bound_rechecked = true;
    snprintf(r->bound_checked, sizeof r->bound_checked, "all of it");
    return MCO_OK;
}

static mco_status check_plan(const bounding *b)
{
    int64_t cost = -1;
    const mco_status st = mco_vrp_check(b->ctx, b->problem, &b->proof.plan, &cost);
    if (st != MCO_OK)
        return st == MCO_ERR_CHECK ? MCO_ERR_INTERNAL : st;
    if (cost != b->proof.known)
        return mco_fail(b->ctx, MCO_ERR_INTERNAL, "the plan costs %lld, the proof says %lld", (long long)cost, (long long)b->proof.known);
    if (b->params.vehicles_exactly > 0 && b->proof.plan.routes != b->params.vehicles_exactly)
        return mco_fail(b->ctx, MCO_ERR_INTERNAL, "the plan has %d routes, %lld were asked for", b->proof.plan.routes,
                        (long long)b->params.vehicles_exactly);
    return MCO_OK;
}

static mco_outcome outcome_of(const vrp_proof *proof)
{
    const bool is_closed = proof->known >= 0 && proof->scaled_bound >= proof->known;
    if (proof->plan.order != NULL)
        return is_closed ? MCO_OUTCOME_OPTIMAL : MCO_OUTCOME_FEASIBLE;
    return is_closed ? MCO_OUTCOME_NONE_BELOW : MCO_OUTCOME_UNKNOWN;
}

static mco_status fill_result(bounding *b, mco_vrp_bound_result *r)
{
    mco_status st = MCO_OK;
    vrp_proof *proof = &b->proof;
    const double scale = b->problem->scale;
    if (proof->plan.order != NULL)
        MCO_TRY(check_plan(b));
    if (proof->known >= 0 && proof->scaled_bound > proof->known)
        return mco_fail(b->ctx, MCO_ERR_INTERNAL, "the bound %lld is above the known cost %lld", (long long)proof->scaled_bound,
                        (long long)proof->known);
    r->stop = b->run.stop;
    r->outcome = outcome_of(proof);
    r->scaled_bound = proof->scaled_bound;
    r->bound = proof->scaled_bound >= 0 ? (double)proof->scaled_bound / scale : (double)NAN;
    r->scaled_cost = proof->known;
    r->cost = proof->known >= 0 ? (double)proof->known / scale : (double)NAN;
    if (r->outcome == MCO_OUTCOME_NONE_BELOW)
        snprintf(r->reason, sizeof r->reason, "no plan costs less than %.15g", r->cost);
    if (r->outcome == MCO_OUTCOME_NONE_BELOW && r->root_bound > r->cost)
        snprintf(r->reason, sizeof r->reason, "every plan costs at least %.15g, more than the known cost %.15g", r->root_bound, r->cost);
    if (r->outcome == MCO_OUTCOME_UNKNOWN && r->stop == MCO_STOP_FINISHED && proof->known < 0)
        snprintf(r->reason, sizeof r->reason, "no plan was found; --start gives one");
    if (r->outcome == MCO_OUTCOME_UNKNOWN && r->stop == MCO_STOP_TIME && proof->scaled_bound <= 0)
        snprintf(r->reason, sizeof r->reason, "there was no time for a bound");
    r->solution = proof->plan;
    proof->plan = (mco_vrp_solution){0};
    mco_run_give_history(&b->run, &r->history, &r->history_count);
done:
    return st;
}

// Settles the engine, and begins the proof.
static mco_status begin_proof(bounding *b, mco_vrp_bound_result *r)
{
    mco_status st = MCO_OK;
    vrp_relax_settings settings;
    const mco_vrp_bound_params *p = &b->params;
    const bool may_use_cores = p->engine == MCO_ENGINE_AUTO;
    // Column generation runs some hundred passes.
    const double transitions = 300.0 * vrp_bound_share(p->relaxation) * b->problem->nodes * b->problem->nodes * fmin(b->problem->capacity, 1e4);
    MCO_TRY(vrp_bound_settle(b->ctx, p->engine, p->simd, p->gpus, p->threads, p->memory, transitions, NULL, &settings));
    b->params.engine = settings.engine;
    r->work = vrp_bound_work(&settings);
    b->proof = (vrp_proof){.ctx = b->ctx, .run = &b->run, .problem = b->problem, .params = &b->params, .known = -1, .scaled_bound = -1,
                           .result = r, .may_use_cores = may_use_cores};
done:
    return st;
}

static mco_status run_bound(bounding *b, mco_vrp_bound_result *r)
{
    mco_status st = MCO_OK;
    int64_t start_cost = -1;
    const mco_vrp_bound_params *p = &b->params;
    MCO_TRY(vrp_refuse_exactly(b->ctx, b->problem, p->vehicles_exactly));
    MCO_TRY(refuse_known(b));
    MCO_TRY(refuse_start(b, &start_cost));
    const mco_status conflict = find_conflict(b);
    if (conflict == MCO_ERR_ARGUMENT) {
        r->outcome = MCO_OUTCOME_INFEASIBLE;
        snprintf(r->reason, sizeof r->reason, "%s", mco_context_error(b->ctx));
        r->work = (mco_work){.engine = p->engine == MCO_ENGINE_AUTO ? MCO_ENGINE_CPU : p->engine, .threads = 1};
        return MCO_OK;
    }
    MCO_TRY(conflict);
    MCO_TRY(begin_proof(b, r));
    if (b->problem->customers == 0)
        return fill_empty(b, r);
    MCO_TRY(run_driver(b, r, start_cost));
    if (r->used_cores)
        r->work = vrp_bound_work(&(vrp_relax_settings){.engine = MCO_ENGINE_CPU, .simd = p->simd, .threads = r->work.threads});
    MCO_TRY(fill_result(b, r));
done:
    return st;
}

// A rank behind the first one: it waits for a tree.
static mco_status run_bound_with(bounding *b, mco_vrp_bound_result *r)
{
    mco_status st = MCO_OK;
    MCO_TRY(begin_proof(b, r));
    MCO_TRY(vrp_prove_with(&b->proof));
    MCO_TRY(fill_result(b, r));
done:
    return st;
}

static mco_status share_bound(bounding *b, mco_vrp_bound_result *r)
{
    mco_status st = mco_rank(b->ctx) == 0 ? run_bound(b, r) : run_bound_with(b, r);
    if (st == MCO_OK && mco_rank(b->ctx) == 0)
        st = vrp_proof_release(b->ctx, &b->proof);
    MCO_TRY(mco_ranks_agree(b->ctx, st));
    int64_t threads = r->work.threads;
    MCO_TRY(mco_ranks_reduce(b->ctx, &threads, 1, MCO_REDUCE_SUM));
    r->work.threads = (int32_t)threads;
done:
    return st;
}

mco_status mco_vrp_bound(mco_context *ctx, const mco_vrp *problem, const mco_vrp_bound_params *params, mco_vrp_bound_result *result)
{
    mco_status st = MCO_OK;
    bounding b = {.ctx = ctx, .problem = problem, .params = MCO_VRP_BOUND_PARAMS_INIT};
    mco_vrp_bound_result r = MCO_VRP_BOUND_RESULT_INIT;
    if (ctx == NULL || problem == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s is NULL", ctx == NULL ? "the context" : "the instance");
    r.bound = r.root_bound = r.cost = NAN;
    r.scaled_bound = r.scaled_cost = -1;
    r.relaxation = MCO_VRP_RELAXATION_THROUGH_Q;
    MCO_TRY(MCO_TAKE(ctx, params, &b.params));
    MCO_TRY(mco_options_validate(ctx, &bound_options, &b.params));
    MCO_TRY(mco_struct_test(ctx, "result", result, sizeof r));
    begin_run(&b);
    MCO_TRY(share_bound(&b, &r));
    r.work.solve_s = mco_run_time_s(&b.run);
    mco_struct_give(result, &r, sizeof r);
done:
    mco_run_clear(&b.run);
    mco_vrp_solution_clear(ctx, &b.proof.plan);
    mco_vrp_bound_result_clear(ctx, &r);
    ctx->call_stop_s = 0;
    mco_clear_cancel(ctx);
    return st;
}

void mco_vrp_bound_result_clear(mco_context *ctx, mco_vrp_bound_result *result)
{
    mco_vrp_bound_result r = {0};
    if (ctx == NULL || result == NULL)
        return;
    mco_struct_clear(result, &r, sizeof r);
    mco_free(ctx, &r.history);
    mco_free(ctx, &r.rounds);
    mco_free(ctx, &r.support);
    mco_free(ctx, &r.price);
    mco_vrp_solution_clear(ctx, &r.solution);
}
