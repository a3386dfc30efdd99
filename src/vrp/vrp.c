// SPDX-License-Identifier: MIT
// Entry points: validate, settle what was left open, choose the engine, search, check the answer.
#include "mco/vrp.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/options.h"
#include "device/device.h"
#include "mco/version.h"
#include "vrp/sweep/engine.h"
#include "vrp/search/search.h"

static const double DEFAULT_TIME_S = 10;         // of a search without any end
static const int32_t GPU_PAYS_CUSTOMERS = 500;   // of a search: fewer are a matter of seconds on the cores
// When auto takes a GPU for sweeps: moves per second of a core, about, and the seconds on the cores from which it pays.
static const double CORE_TWO_OPT_PER_S = 1e9, CORE_THREE_OPT_PER_S = 1e10, GPU_PAYS_S = 0.5;

#define MCO_OPTION_STRUCT mco_vrp_params
static const mco_option options[] = {MCO_VRP_OPTIONS(MCO_OPTION_INTEGER_ENTRY, MCO_OPTION_REAL_ENTRY, MCO_OPTION_CHOICE_ENTRY,
                                                     MCO_OPTION_TEXT_ENTRY, MCO_OPTION_FLAG_ENTRY)};

// ---- Arguments

static mco_status refuse(mco_context *ctx, const mco_vrp *problem, const mco_vrp_params *params)
{
    if (problem == NULL || params == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (params->struct_size != sizeof *params)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a struct was not filled by its _INIT macro");
    if (params->gpus != NULL && (params->engine == MCO_VRP_ENGINE_CPU || params->engine == MCO_VRP_ENGINE_REFERENCE))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--gpus %s is for --engine gpu", params->gpus);
    return mco_options_validate(ctx, options, sizeof options / sizeof options[0], params);
}

// Every customer in one route, once; how heavy and how long the routes are does not matter.
static mco_status refuse_cover(mco_context *ctx, const mco_vrp *problem, const mco_vrp_solution *s)
{
    mco_status st = MCO_OK;
    const int32_t n = problem->customers;
    bool *is_visited = NULL;
    if (s->customers != n || s->routes < 0 || s->order == NULL || s->first == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the solution to start with has %d customers, the instance has %d",
                        s->customers, n);
    if (s->first[0] != 0 || s->first[s->routes] != n)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the routes to start with reach from place %d to %d, 0 to %d was expected",
                        s->first[0], s->first[s->routes], n);
    for (int32_t r = 0; r < s->routes; r++)
        if (s->first[r] >= s->first[r + 1])
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "route %d of the solution to start with is empty", r + 1);
    MCO_TRY(mco_alloc(ctx, &is_visited, n));
    for (int32_t i = 0; i < n; i++) {
        const int32_t customer = s->order[i];
        if (customer < 0 || customer >= n || is_visited[customer])
            MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "the solution to start with visits customer %lld, %s", customer + 1LL,
                             customer < 0 || customer >= n ? "which does not exist" : "which it has visited already"));
        is_visited[customer] = true;
    }
done:
    mco_free(ctx, &is_visited);
    return st;
}

// ---- Engines

#ifndef MCO_HAVE_CUDA
static mco_status fail_no_cuda(mco_context *ctx)
{
    return mco_fail(ctx, MCO_ERR_DEVICE, "this build has no GPU engines; --engine cpu needs none");
}
#endif

static mco_status open_engine(mco_context *ctx, const mco_vrp *problem, int32_t tour_nodes, const mco_vrp_params *params,
                              vrp_engine *engine)
{
    switch (params->engine) {
    case MCO_VRP_ENGINE_REFERENCE: return vrp_ref_open(ctx, problem, tour_nodes, params, engine);
    case MCO_VRP_ENGINE_GPU:
#ifdef MCO_HAVE_CUDA
        return vrp_gpu_open(ctx, problem, tour_nodes, params, engine);
#else
        return fail_no_cuda(ctx);
#endif
    default: return vrp_cpu_open(ctx, problem, tour_nodes, params, engine);
    }
}

static mco_vrp_work work_of(const vrp_engine *engine, mco_vrp_engine name)
{
    return (mco_vrp_work){.engine = name,
                          .simd_used = engine->simd,
                          .threads_used = engine->threads,
                          .gpu = engine->gpu,
                          .has_gpu = engine->has_gpu,
                          .device_s = engine->device_s};
}

// ---- Answers

static mco_status compare(mco_context *ctx, int64_t checked, int64_t cost)
{
    if (checked == cost)
        return MCO_OK;
    return mco_fail(ctx, MCO_ERR_INTERNAL, "the routes cost %lld, the search says %lld", (long long)checked, (long long)cost);
}

static mco_status check_answer(mco_context *ctx, const mco_vrp *problem, const mco_vrp_solution *solution, int64_t cost)
{
    int64_t checked = -1;
    const mco_status st = mco_vrp_check(ctx, problem, solution, &checked);
    return st == MCO_OK ? compare(ctx, checked, cost) : st == MCO_ERR_ARGUMENT ? MCO_ERR_INTERNAL : st;
}

// ---- Solve

typedef struct solve {
    mco_context *ctx;
    const mco_vrp *problem;
    mco_vrp_params params;  // with engine and end chosen
    vrp_search search;
} solve;

static void choose(solve *s)
{
    mco_vrp_params *p = &s->params;
    const int32_t n = s->problem->customers;
    if (p->engine == MCO_VRP_ENGINE_AUTO && p->gpus != NULL)
        p->engine = MCO_VRP_ENGINE_GPU;
    if (p->engine == MCO_VRP_ENGINE_AUTO) {
        const bool pays = n >= GPU_PAYS_CUSTOMERS, is_gpu = pays && mco_has_gpu(s->ctx);
        p->engine = is_gpu ? MCO_VRP_ENGINE_GPU : MCO_VRP_ENGINE_CPU;
        mco_log(s->ctx, MCO_LOG_INFO, "engine %s: %d customers, %s", is_gpu ? "gpu" : "cpu", n,
                is_gpu ? "a GPU is there" : pays ? "no GPU" : "too few for a GPU to pay");
    }
    if (!isfinite(p->time_limit_s) && p->iterations < 0 && p->target < 0 && p->gap == 0) {
        p->time_limit_s = DEFAULT_TIME_S;
        mco_log(s->ctx, MCO_LOG_INFO, "time limit %g s: no end was given", DEFAULT_TIME_S);
    }
}

// Records why no solution exists, as the context's error; MCO_OK if one may.
static mco_status find_conflict(mco_context *ctx, const mco_vrp *problem)
{
    const int32_t customer = vrp_unservable(problem);
    int64_t demand = 0;
    if (customer >= 0)
        return vrp_fail_unservable(ctx, problem, customer, MCO_ERR_ARGUMENT);
    for (int32_t i = 1; i < problem->nodes; i++)
        demand += problem->demand[i];
    const int64_t room = (int64_t)problem->vehicles * problem->capacity;
    if (problem->vehicles > 0 && demand > room)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "all demands are %lld, the vehicles carry %lld: %d of capacity %d",
                        (long long)demand, (long long)room, problem->vehicles, problem->capacity);
    return MCO_OK;
}

static mco_status note_tour(vrp_search *search, const vrp_tour *tour)
{
    mco_status st = MCO_OK;
    mco_vrp_solution solution = {0};
    MCO_TRY(vrp_solution_of(search->ctx, search->problem, tour, &solution));
    if (vrp_penalty(solution.routes, search->problem->vehicles) == 0)
        MCO_TRY(vrp_search_note(search, &solution, vrp_solution_cost(search->problem, &solution)));
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
        search->stop = search->iterations < most ? MCO_STOP_FINISHED : MCO_STOP_ITERATIONS;
        if (search->stop == MCO_STOP_ITERATIONS)
            break;
        vrp_scan scan = {.tour = tour, .hierarchy = -1, .keep = UINT64_MAX};
        MCO_TRY(engine->scan(engine, &scan, search->stop_s));
        const bool has_move = scan.best.move.x >= 0;  // none also where the scan was interrupted
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

// The plain search: savings, then the descent. From a start, the descent alone.
static mco_status solve_reference(vrp_search *search)
{
    mco_status st = MCO_OK;
    mco_vrp_solution first = {0};
    vrp_engine engine = {0};
    vrp_tour tour = {0};
    if (search->best.order == NULL)
        MCO_TRY(mco_vrp_construct(search->ctx, search->problem, MCO_VRP_SAVINGS, &first));
    MCO_TRY(vrp_tour_of(search->ctx, search->problem, first.order != NULL ? &first : &search->best, &tour));
    MCO_TRY(note_tour(search, &tour));
    MCO_TRY(vrp_ref_open(search->ctx, search->problem, tour.count, search->params, &engine));
    MCO_TRY(descend(search, &engine, &tour));
    search->work = work_of(&engine, MCO_VRP_ENGINE_REFERENCE);
done:
    if (engine.close != NULL)
        engine.close(&engine);
    mco_free(search->ctx, &tour.node);
    mco_vrp_solution_clear(search->ctx, &first);
    return st;
}

// No customer, or one: there is one solution.
static mco_status solve_trivial(vrp_search *search)
{
    mco_status st = MCO_OK;
    mco_vrp_solution only = {0};
    const int32_t n = search->problem->customers;
    MCO_TRY(vrp_solution_new(search->ctx, n, n, &only));
    only.routes = n;
    for (int32_t i = 0; i <= n; i++)
        only.first[i] = i;
    if (n > 0)
        only.order[0] = 0;
    MCO_TRY(vrp_search_note(search, &only, vrp_solution_cost(search->problem, &only)));
    search->stop = MCO_STOP_FINISHED;
    search->work.threads_used = 1;
done:
    mco_vrp_solution_clear(search->ctx, &only);
    return st;
}

static mco_status run_search(solve *s)
{
    vrp_search *search = &s->search;
    if (s->problem->customers <= 1)
        return solve_trivial(search);
    switch (s->params.engine) {
    case MCO_VRP_ENGINE_REFERENCE: return solve_reference(search);
    case MCO_VRP_ENGINE_GPU:
#ifdef MCO_HAVE_CUDA
        return vrp_solve_gpu(search);
#else
        return fail_no_cuda(s->ctx);
#endif
    default: return vrp_solve_cpu(search);
    }
}

static mco_status fill_result(solve *s, mco_vrp_result *r)
{
    mco_status st = MCO_OK;
    vrp_search *search = &s->search;
    r->stop = search->stop;
    r->iterations = search->iterations;
    r->start_cost = search->start_cost;
    r->work = search->work;
    r->work.engine = s->params.engine;
    r->work.solve_s = mco_clock_s() - search->begin_s;
    if (r->work.simd_used == NULL)
        r->work.simd_used = "none";
    if (search->best_cost < 0)
        return MCO_OK;
    MCO_TRY(check_answer(s->ctx, s->problem, &search->best, search->best_cost));
    r->cost = search->best_cost;
    r->solution = search->best;
    r->history = search->history;
    r->history_count = search->history_count;
    search->best = (mco_vrp_solution){0};
    search->history = NULL;
    const bool is_optimal = s->problem->customers <= 1 || vrp_search_is_at_bound(search);
    r->outcome = is_optimal ? MCO_OUTCOME_OPTIMAL : MCO_OUTCOME_FEASIBLE;
    if ((double)r->cost < s->params.lower_bound * s->problem->scale - 1)
        mco_log(s->ctx, MCO_LOG_WARNING, "the cost is below %.15g, the bound given: it is none", s->params.lower_bound);
done:
    return st;
}

static mco_status run_solve(solve *s, mco_vrp_result *r)
{
    mco_status st = MCO_OK;
    int64_t cost;
    r->bound = s->params.lower_bound;
    if (find_conflict(s->ctx, s->problem) != MCO_OK) {
        mco_log(s->ctx, MCO_LOG_WARNING, "infeasible: %s", mco_context_error(s->ctx));
        r->outcome = MCO_OUTCOME_INFEASIBLE;
        r->work.simd_used = "none";
        return MCO_OK;
    }
    if (s->params.start != NULL)
        MCO_TRY(mco_vrp_check(s->ctx, s->problem, s->params.start, &cost));
    choose(s);
    s->search.stop_s = s->search.begin_s + s->params.time_limit_s;
    s->search.target_cost = vrp_scaled_target(s->problem, s->params.target);
    if (s->params.start != NULL)
        MCO_TRY(vrp_search_note(&s->search, s->params.start, cost));
    MCO_TRY(run_search(s));
    vrp_search_log(&s->search);
    MCO_TRY(fill_result(s, r));
done:
    return st;
}

mco_status mco_vrp_solve(mco_context *ctx, const mco_vrp *problem, const mco_vrp_params *params, mco_vrp_result *result)
{
    mco_status st = MCO_OK;
    solve s = {.ctx = ctx, .problem = problem};
    mco_vrp_result r = MCO_VRP_RESULT_INIT;
    r.cost = r.start_cost = -1;
    MCO_TRY(refuse(ctx, problem, params));
    if (result == NULL || result->struct_size != sizeof *result)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "a struct was not filled by its _INIT macro"));
    s.params = *params;
    s.search = (vrp_search){.ctx = ctx, .problem = problem, .params = &s.params, .begin_s = mco_clock_s(), .best_cost = -1,
                            .start_cost = -1, .target_cost = -1};
    MCO_TRY(run_solve(&s, &r));
    *result = r;
done:
    mco_free(ctx, &s.search.report);
    mco_free(ctx, &s.search.history);
    mco_vrp_solution_clear(ctx, &s.search.best);
    if (st != MCO_OK)
        mco_vrp_result_clear(ctx, &r);
    if (ctx != NULL)
        mco_clear_cancel(ctx);
    return st;
}

void mco_vrp_result_clear(mco_context *ctx, mco_vrp_result *result)
{
    mco_free(ctx, &result->history);
    mco_vrp_solution_clear(ctx, &result->solution);
    *result = (mco_vrp_result)MCO_VRP_RESULT_INIT;
}

// ---- Complete neighbourhoods

// All sweeps on the cores, in seconds; a descent to a local optimum is taken to last as many sweeps as the tour has nodes.
static double seconds_on_cores(const mco_vrp_params *params, int32_t tour_nodes)
{
    const int threads = params->threads > 0 ? (int)params->threads : mco_cpu_count();
    const double sweeps = params->sweeps > 0 ? (double)params->sweeps : tour_nodes, edges = tour_nodes - 1;
    const double two_opt = edges * edges / 2 / CORE_TWO_OPT_PER_S;
    const double three_opt = params->type == MCO_VRP_TWO_OPT ? 0 : edges * edges * edges * 4 / 6 / CORE_THREE_OPT_PER_S;
    return sweeps * ((params->type == MCO_VRP_THREE_OPT ? 0 : two_opt) + three_opt) / threads;
}

static mco_vrp_engine choose_for_sweeps(mco_context *ctx, const mco_vrp_params *params, int32_t tour_nodes)
{
    if (params->engine != MCO_VRP_ENGINE_AUTO || params->gpus != NULL)
        return params->gpus != NULL ? MCO_VRP_ENGINE_GPU : params->engine;
    const double cores_s = seconds_on_cores(params, tour_nodes);
    const bool pays = cores_s > GPU_PAYS_S, is_gpu = pays && mco_has_gpu(ctx);
    mco_log(ctx, MCO_LOG_INFO, "engine %s: about %.3g s on the cores%s", is_gpu ? "gpu" : "cpu", cores_s,
            pays && !is_gpu ? "; no GPU" : "");
    return is_gpu ? MCO_VRP_ENGINE_GPU : MCO_VRP_ENGINE_CPU;
}

// The tour to begin with; *is_feasible: it keeps all rules.
static mco_status first_tour(mco_context *ctx, const mco_vrp *problem, const mco_vrp_params *params, vrp_tour *tour,
                             bool *is_feasible)
{
    mco_status st = MCO_OK;
    mco_vrp_solution constructed = {0};
    if (params->start != NULL)
        MCO_TRY(refuse_cover(ctx, problem, params->start));
    else
        MCO_TRY(mco_vrp_construct(ctx, problem, params->construct, &constructed));
    const mco_vrp_solution *first = params->start != NULL ? params->start : &constructed;
    st = mco_vrp_check(ctx, problem, first, NULL);
    *is_feasible = st == MCO_OK;
    if (st == MCO_ERR_ARGUMENT)
        mco_log(ctx, MCO_LOG_INFO, "the start breaks a rule: %s", mco_context_error(ctx));
    else if (st != MCO_OK)
        goto done;
    MCO_TRY(vrp_tour_of(ctx, problem, first, tour));
done:
    mco_vrp_solution_clear(ctx, &constructed);
    return st;
}

// The routes at the end; what broke a rule at the start may still do so.
static mco_status fill_end(mco_context *ctx, const mco_vrp *problem, const vrp_tour *tour, bool was_feasible,
                           mco_vrp_neighbourhood_result *r)
{
    mco_status st = MCO_OK;
    MCO_TRY(vrp_solution_of(ctx, problem, tour, &r->solution));
    MCO_TRY(refuse_cover(ctx, problem, &r->solution));
    MCO_TRY(compare(ctx, vrp_solution_cost(problem, &r->solution), r->cost));
    st = mco_vrp_check(ctx, problem, &r->solution, NULL);
    r->is_feasible = st == MCO_OK;
    if (st == MCO_ERR_ARGUMENT && !was_feasible) {
        mco_log(ctx, MCO_LOG_WARNING, "the end breaks a rule, as the start did: %s", mco_context_error(ctx));
        st = MCO_OK;
    }
done:
    return st == MCO_ERR_ARGUMENT ? MCO_ERR_INTERNAL : st;
}

static mco_status run_neighbourhood(mco_context *ctx, const mco_vrp *problem, mco_vrp_params *params, vrp_tour *tour,
                                    vrp_engine *engine, mco_vrp_neighbourhood_result *r)
{
    mco_status st = MCO_OK;
    bool was_feasible = false;
    const double begin_s = mco_clock_s(), limit_s = params->time_limit_s;
    const int32_t customer = vrp_unservable(problem);
    if (customer >= 0)
        return vrp_fail_unservable(ctx, problem, customer, MCO_ERR_ARGUMENT);
    MCO_TRY(first_tour(ctx, problem, params, tour, &was_feasible));
    params->engine = choose_for_sweeps(ctx, params, tour->count);
    MCO_TRY(open_engine(ctx, problem, tour->count, params, engine));
    params->time_limit_s = fmax(0, limit_s - (mco_clock_s() - begin_s));
    MCO_TRY(vrp_descend(ctx, engine, params, tour, r));
    MCO_TRY(fill_end(ctx, problem, tour, was_feasible, r));
    r->work = work_of(engine, params->engine);
    r->work.solve_s = mco_clock_s() - begin_s;
done:
    return st;
}

mco_status mco_vrp_neighbourhood(mco_context *ctx, const mco_vrp *problem, const mco_vrp_params *params,
                                 mco_vrp_neighbourhood_result *result)
{
    mco_status st = MCO_OK;
    vrp_engine engine = {0};
    vrp_tour tour = {0};
    mco_vrp_neighbourhood_result r = MCO_VRP_NEIGHBOURHOOD_RESULT_INIT;
    MCO_TRY(refuse(ctx, problem, params));
    if (result == NULL || result->struct_size != sizeof *result)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "a struct was not filled by its _INIT macro"));
    mco_vrp_params p = *params;
    MCO_TRY(run_neighbourhood(ctx, problem, &p, &tour, &engine, &r));
    *result = r;
done:
    if (engine.close != NULL)
        engine.close(&engine);
    mco_free(ctx, &tour.node);
    if (st != MCO_OK)
        mco_vrp_neighbourhood_result_clear(ctx, &r);
    if (ctx != NULL)
        mco_clear_cancel(ctx);
    return st;
}

void mco_vrp_neighbourhood_result_clear(mco_context *ctx, mco_vrp_neighbourhood_result *result)
{
    mco_free(ctx, &result->sweeps);
    mco_vrp_solution_clear(ctx, &result->solution);
    *result = (mco_vrp_neighbourhood_result)MCO_VRP_NEIGHBOURHOOD_RESULT_INIT;
}
