// SPDX-License-Identifier: MIT
// Entry points: they validate, choose the engine and the end, search, and check the answer.
#include "mco/vrp.h"

#include <math.h>
#include <string.h>

#include "base/machine.h"
#include "base/options.h"
#include "base/ranks.h"
#include "base/structs.h"
#include "device/device.h"
#include "vrp/bound/beside.h"
#include "vrp/entry.h"
#include "vrp/islands.h"
#include "vrp/search/exact.h"
#include "vrp/search/exactly.h"
#include "vrp/search/stages.h"
#include "vrp/solution.h"
#include "vrp/sweep/ref.h"

static const double DEFAULT_TIME_S = 10;        // of a search for which no end is given
static const int32_t GPU_PAYS_CUSTOMERS = 500;   // of a search; with fewer customers the cores need seconds only

#define MCO_OPTION_STRUCT mco_vrp_params
static const mco_option solve_records[] = {
    MCO_OPTION_RECORDS(MCO_TIME_OPTIONS)
    MCO_OPTION_RECORDS(MCO_VRP_SEARCH_OPTIONS)
    MCO_OPTION_RECORDS(MCO_VRP_PROVE_OPTIONS)
    MCO_OPTION_RECORDS(MCO_VRP_FLEET_OPTIONS)
    MCO_OPTION_RECORDS(MCO_VRP_ENGINE_OPTIONS)
};
static const mco_option_table solve_options = MCO_OPTION_TABLE(solve_records);

const mco_option_table *mco_vrp_solve_options(void)
{
    return &solve_options;
}

// ---- Arguments

mco_status vrp_take_params(mco_context *ctx, const mco_vrp *problem, const mco_vrp_params *params,
                           const mco_option_table *options, mco_vrp_params *out)
{
    mco_status st = MCO_OK;
    if (ctx == NULL || problem == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s is NULL", ctx == NULL ? "the context" : "the instance");
    MCO_TRY(MCO_TAKE(ctx, params, out));
    if (out->gpus != NULL && (out->engine == MCO_ENGINE_CPU || out->engine == MCO_ENGINE_REFERENCE))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--gpus %s is for --engine gpu", out->gpus);
    MCO_TRY(mco_options_validate(ctx, options, out));
done:
    return st;
}

// ---- Answers

mco_status vrp_compare(mco_context *ctx, int64_t checked, int64_t cost)
{
    if (checked == cost)
        return MCO_OK;
    return mco_fail(ctx, MCO_ERR_INTERNAL, "the routes cost %lld, the search says %lld", (long long)checked, (long long)cost);
}

static mco_status check_answer(mco_context *ctx, const mco_vrp *problem, const mco_vrp_solution *solution, int64_t cost)
{
    int64_t checked = -1;
    const mco_status st = mco_vrp_check(ctx, problem, solution, &checked);
    return st == MCO_OK ? vrp_compare(ctx, checked, cost) : st == MCO_ERR_CHECK ? MCO_ERR_INTERNAL : st;
}

// ---- Solve

typedef struct solve {
    mco_context *ctx;
    const mco_vrp *problem;
    mco_vrp_params params;  // choose() sets the engine and the end
    bool is_exact;          // choose() sets it
    vrp_exactly exactly;    // the instance of the search, where params.vehicles_exactly is given
    vrp_search search;
} solve;

// Chooses what is auto, and an end if none is given. Few customers are decided exactly, unless a GPU or a number of
// iterations is asked for: a GPU does not do that, and it takes no number of iterations.
static void choose(solve *s)
{
    mco_vrp_params *p = &s->params;
    const int32_t n = s->problem->customers;
    const bool has_bound = p->lower_bound > 0 || p->prove;
    if (p->engine == MCO_ENGINE_AUTO && p->gpus != NULL)
        p->engine = MCO_ENGINE_GPU;
    if (p->engine == MCO_ENGINE_AUTO) {
        const bool pays = n >= GPU_PAYS_CUSTOMERS;
        const char *why_none = pays ? mco_why_no_gpu(s->ctx) : NULL;
        const bool is_gpu = pays && why_none == NULL;
        p->engine = is_gpu ? MCO_ENGINE_GPU : MCO_ENGINE_CPU;
        mco_log(s->ctx, MCO_LOG_INFO, "engine %s: %d customer%s, %s%s", is_gpu ? "gpu" : "cpu", n, mco_plural(n),
                is_gpu ? "a GPU is there" : pays ? "no GPU: " : "too few for a GPU to pay", why_none != NULL ? why_none : "");
    }
    s->is_exact = n <= 1 || (n <= VRP_EXACT_CUSTOMERS && p->engine != MCO_ENGINE_GPU && p->iterations < 0);
    if (s->is_exact)
        return;
    if (p->gap > 0 && !has_bound)
        mco_log(s->ctx, MCO_LOG_WARNING, "--gap %g cannot end this run: no bound is known; --lower-bound gives one", p->gap);
    if (!isfinite(p->time_limit_s) && p->iterations < 0 && p->target < 0 && (p->gap == 0 || !has_bound)) {
        p->time_limit_s = DEFAULT_TIME_S;
        mco_log(s->ctx, MCO_LOG_INFO, "time limit %g s: no end was given", DEFAULT_TIME_S);
    }
}

static mco_status note_tour(vrp_search *search, const vrp_tour *tour)
{
    mco_status st = MCO_OK;
    mco_vrp_solution solution = {0};
    MCO_TRY(vrp_solution_of(search->ctx, search->problem, tour, &solution));
    MCO_TRY(vrp_search_note(search, &solution, vrp_solution_cost(search->problem, &solution), "2-opt"));
done:
    mco_vrp_solution_clear(search->ctx, &solution);
    return st;
}

// Sweeps of 2-opt to a local optimum; an iteration is a sweep.
static mco_status descend(vrp_search *search, vrp_engine *engine, vrp_tour *tour)
{
    mco_status st = MCO_OK;
    int32_t *spare = NULL;
    const int64_t most = search->params->iterations >= 0 ? search->params->iterations : INT64_MAX;
    MCO_TRY(mco_alloc(search->ctx, &spare, tour->count));
    while (!vrp_search_ends(search)) {
        search->run.stop = search->iterations < most ? MCO_STOP_FINISHED : MCO_STOP_ITERATIONS;
        if (search->run.stop == MCO_STOP_ITERATIONS)
            break;
        vrp_scan scan = {.tour = tour, .hierarchy = -1, .keep = UINT64_MAX};
        MCO_TRY(engine->scan(engine, &scan, search->run.stop_s));
        const bool has_move = scan.best.move.x >= 0;  // none either after an interrupted scan
        search->iterations += has_move;
        if (!has_move || !vrp_is_less(scan.best.value, vrp_to_beat(search->problem, tour))) {
            (void)vrp_search_ends(search);
            break;
        }
        vrp_apply(tour, scan.best.move, spare);
        MCO_TRY(note_tour(search, tour));
    }
done:
    mco_free(search->ctx, &spare);
    return st;
}

// The plain search: savings, then the descent. With a start, only the descent.
static mco_status solve_reference(vrp_search *search)
{
    mco_status st = MCO_OK;
    vrp_engine engine = {0};
    vrp_tour tour = {0};
    search->work.threads = 1;
    if (search->best.order == NULL)
        MCO_TRY(vrp_search_first(search));
    if (search->best.order == NULL)
        return MCO_OK;
    MCO_TRY(vrp_tour_of(search->ctx, search->problem, &search->best, &tour));
    MCO_TRY(vrp_ref_open(search->ctx, search->problem, tour.count, search->params, &engine));
    MCO_TRY(descend(search, &engine, &tour));
    search->work = vrp_work_of(&engine, MCO_ENGINE_REFERENCE);
done:
    if (engine.close != NULL)
        engine.close(&engine);
    mco_free(search->ctx, &tour.node);
    return st;
}

static mco_status run_engine(void *solving)
{
    solve *s = solving;
    vrp_search *search = &s->search;
    switch (s->params.engine) {
    case MCO_ENGINE_REFERENCE: return solve_reference(search);
    case MCO_ENGINE_GPU:
#ifdef MCO_HAVE_CUDA
        return vrp_search_gpu(search);
#else
        return mco_fail_no_gpu(s->ctx, s->params.gpus);
#endif
    default: return vrp_search_cpu(search);
    }
}

// A search that finds nothing for few customers is followed by the exact method: no answer stays open.
static mco_status run_search(solve *s)
{
    mco_status st = MCO_OK;
    vrp_search *search = &s->search;
    if (!s->is_exact)
        MCO_TRY(s->params.prove ? vrp_search_and_prove(search, &s->params, run_engine, s) : run_engine(s));
    const bool is_open = search->best_cost < 0 && search->run.stop != MCO_STOP_CANCELLED;
    if (s->is_exact || (is_open && s->problem->customers <= VRP_EXACT_CUSTOMERS))
        MCO_TRY(vrp_search_exact(search));
done:
    return st;
}

static void set_infeasible(const solve *s, const char *reason, mco_vrp_result *r)
{
    r->outcome = MCO_OUTCOME_INFEASIBLE;
    snprintf(r->reason, sizeof r->reason, "%s", reason);
    r->work = (mco_work){.engine = s->params.engine == MCO_ENGINE_AUTO ? MCO_ENGINE_CPU : s->params.engine, .threads = 1,
                         .solve_s = mco_run_time_s(&s->search.run)};
}

// The exact method has tried every partition.
static void tell_no_partition(const solve *s, mco_vrp_result *r)
{
    const mco_vrp *p = s->problem;
    char reason[sizeof r->reason], routes[64] = "routes", length[64] = "";
    const long long exactly = s->params.vehicles_exactly;
    if (p->vehicles > 0)
        snprintf(routes, sizeof routes, "at most %d route%s", p->vehicles, mco_plural(p->vehicles));
    if (exactly > 0)
        snprintf(routes, sizeof routes, "exactly %lld route%s", exactly, mco_plural(exactly));
    if (vrp_has_max_length(p))
        snprintf(length, sizeof length, " or the longest route %.10g", p->max_length / p->scale);
    snprintf(reason, sizeof reason, "every partition of the %d customers into %s breaks the capacity %.15g%s", p->customers,
             routes, vrp_load(p, p->capacity), length);
    set_infeasible(s, reason, r);
}

static mco_status fill_result(solve *s, mco_vrp_result *r)
{
    mco_status st = MCO_OK;
    vrp_search *search = &s->search;
    const double scale = s->problem->scale;
    r->stop = search->run.stop;
    r->iterations = search->iterations;
    r->work = search->work;
    r->work.engine = s->params.engine;
    r->work.solve_s = mco_run_time_s(&search->run);
    if (search->best_cost < 0 && search->is_proven)
        tell_no_partition(s, r);
    if (search->best_cost < 0)
        return MCO_OK;
    MCO_TRY(check_answer(s->ctx, s->problem, &search->best, vrp_search_cost(search)));
    if (search->exactly > 0 && search->best.routes != search->exactly)
        return mco_fail(s->ctx, MCO_ERR_INTERNAL, "the plan has %d routes, %d were asked for", search->best.routes, search->exactly);
    r->scaled_cost = vrp_search_cost(search);
    r->cost = (double)r->scaled_cost / scale;
    r->start_cost = (double)(search->start_cost - search->shift) / scale;
    r->solution = search->best;
    search->best = (mco_vrp_solution){0};
    mco_run_give_history(&search->run, &r->history, &r->history_count);
    r->outcome = search->is_proven || vrp_search_is_at_bound(search) ? MCO_OUTCOME_OPTIMAL : MCO_OUTCOME_FEASIBLE;
    if (search->is_proven) {
        r->bound = r->cost;
        if (s->params.prove)
            snprintf(r->bound_checked, sizeof r->bound_checked, "nothing: every partition of so few customers was tried instead");
    } else if (search->proved >= 0 && !((double)search->proved / scale < r->bound)) {
        r->bound = (double)search->proved / scale;
        r->is_bound_rechecked = search->is_bound_rechecked;
        snprintf(r->bound_checked, sizeof r->bound_checked, "%s", search->bound_checked);
    }
    if ((double)r->scaled_cost < s->params.lower_bound * scale - 1)
        mco_log(s->ctx, MCO_LOG_WARNING, "the cost is below the given bound %.15g: it is no bound", s->params.lower_bound);
done:
    return st;
}

// Starts the clock of the call. run_solve() sets the time limit later, once choose() has settled the parameters.
static void begin_run(solve *s)
{
    const mco_vrp_params *p = &s->params;
    const mco_run_settings settings = {.time_limit_s = p->time_limit_s,
                                       .target = p->target,
                                       .gap = p->lower_bound > 0 || p->prove ? p->gap : 0,
                                       .objective = "cost",
                                       .decimals = s->problem->scale > 1 ? 2 : 0,
                                       .columns = VRP_SEARCH_COLUMNS,
                                       .write_columns = vrp_search_write_columns,
                                       .user = &s->search};
    s->search = (vrp_search){.ctx = s->ctx, .problem = s->problem, .given = s->problem, .params = p, .best_cost = -1, .start_cost = -1, .proved = -1};
    s->search.run = mco_run_begin(s->ctx, &settings);
    if (p->lower_bound > 0)
        mco_run_raise_bound(&s->search.run, p->lower_bound);
}

// Gives the search its instance, and a start that was checked. A start of another number of routes was refused.
static mco_status open_search(solve *s, int64_t start_cost)
{
    mco_status st = MCO_OK;
    vrp_search *search = &s->search;
    if (s->params.vehicles_exactly > 0) {
        search->exactly = (int32_t)s->params.vehicles_exactly;
        MCO_TRY(vrp_exactly_open(s->ctx, s->problem, search->exactly, search->run.stop_s, &s->exactly));
        search->problem = &s->exactly.problem;
        search->shift = s->exactly.shift;
    }
    if (s->params.start != NULL)
        MCO_TRY(vrp_search_note(search, s->params.start, start_cost + search->shift, "start"));
done:
    return st;
}

static mco_status refuse_start(const solve *s, int64_t *cost)
{
    const mco_vrp_solution *start = s->params.start;
    const long long exactly = s->params.vehicles_exactly;
    if (start == NULL)
        return MCO_OK;
    const mco_status st = mco_as_argument(mco_vrp_check(s->ctx, s->problem, start, cost));
    if (st == MCO_OK && exactly > 0 && start->routes != exactly)
        return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "the plan to start with has %d route%s, --vehicles-exactly %lld was given", start->routes,
                        mco_plural(start->routes), exactly);
    return st;
}

static mco_status run_solve(solve *s, mco_vrp_result *r)
{
    mco_status st = MCO_OK;
    int64_t cost = 0;
    if (s->params.lower_bound > 0)
        r->bound = s->params.lower_bound;
    MCO_TRY(vrp_refuse_exactly(s->ctx, s->problem, s->params.vehicles_exactly));
    mco_status conflict = vrp_find_conflict(s->ctx, s->problem, s->search.run.stop_s);
    if (conflict == MCO_OK)
        conflict = vrp_find_exact_conflict(s->ctx, s->problem, s->params.vehicles_exactly);
    if (conflict == MCO_ERR_ARGUMENT)
        set_infeasible(s, mco_context_error(s->ctx), r);
    if (conflict != MCO_OK)
        return conflict == MCO_ERR_ARGUMENT ? MCO_OK : conflict;
    MCO_TRY(refuse_start(s, &cost));
    choose(s);
    mco_run_limit(&s->search.run, s->params.time_limit_s);
    MCO_TRY(open_search(s, cost));
    MCO_TRY(run_search(s));
    mco_run_log_end(&s->search.run);
    MCO_TRY(fill_result(s, r));
done:
    return st;
}

mco_status mco_vrp_solve(mco_context *ctx, const mco_vrp *problem, const mco_vrp_params *params, mco_vrp_result *result)
{
    mco_status st = MCO_OK;
    solve s = {.ctx = ctx, .problem = problem, .params = MCO_VRP_PARAMS_INIT};
    mco_vrp_result r = MCO_VRP_RESULT_INIT;
    r.cost = r.bound = r.start_cost = NAN;
    r.scaled_cost = -1;
    MCO_TRY(vrp_take_params(ctx, problem, params, &solve_options, &s.params));
    MCO_TRY(mco_struct_test(ctx, "result", result, sizeof r));
    if (mco_rank_count(ctx) == 1) {
        begin_run(&s);
        MCO_TRY(run_solve(&s, &r));
    } else {
        MCO_TRY(vrp_islands_solve(ctx, problem, &s.params, &r));
    }
    mco_struct_give(result, &r, sizeof r);
done:
    if (ctx == NULL)
        return st;
    mco_run_clear(&s.search.run);
    mco_vrp_solution_clear(ctx, &s.search.best);
    vrp_exactly_close(ctx, &s.exactly);
    mco_vrp_result_clear(ctx, &r);
    mco_clear_cancel(ctx);
    return st;
}

void mco_vrp_result_clear(mco_context *ctx, mco_vrp_result *result)
{
    mco_vrp_result r = {0};
    if (ctx == NULL || result == NULL)
        return;
    mco_struct_clear(result, &r, sizeof r);
    mco_free(ctx, &r.history);
    mco_vrp_solution_clear(ctx, &r.solution);
}
