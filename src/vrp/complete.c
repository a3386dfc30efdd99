// SPDX-License-Identifier: MIT
// Entry points of complete neighbourhoods: they validate, choose the engine, make the tour to begin with, and check the end.
#include "mco/vrp.h"

#include <math.h>

#include "base/clock.h"
#include "base/machine.h"
#include "base/options.h"
#include "base/structs.h"
#include "device/device.h"
#include "vrp/entry.h"
#include "vrp/search/construct.h"
#include "vrp/search/curve.h"
#include "vrp/solution.h"
#include "vrp/sweep/cpu.h"
#include "vrp/sweep/neighbourhood.h"
#include "vrp/sweep/ref.h"
#ifdef MCO_HAVE_CUDA
#include "vrp/sweep/gpu.h"
#endif

static const double END_S = 2.5e-7;  // after sweeps, per customer: check, summary, release of memory (a core of an EPYC)
// `auto` takes a GPU for sweeps if the cores would need more than GPU_PAYS_S seconds. The rates are rough: moves per
// second of one core.
static const double CORE_TWO_OPT_PER_S = 1e9, CORE_THREE_OPT_PER_S = 1e10, GPU_PAYS_S = 0.5;

#define MCO_OPTION_STRUCT mco_vrp_params
enum { STUDY_OPTIONS = sizeof((mco_option[]){MCO_OPTION_RECORDS(MCO_VRP_STUDY_OPTIONS)}) / sizeof(mco_option) };
static const mco_option neighbourhood_records[] = {
    MCO_OPTION_RECORDS(MCO_VRP_NEIGHBOURHOOD_OPTIONS)
    MCO_OPTION_RECORDS(MCO_TIME_OPTIONS)
    MCO_OPTION_RECORDS(MCO_VRP_ENGINE_OPTIONS)
    MCO_OPTION_RECORDS(MCO_VRP_STUDY_OPTIONS)
};
static const mco_option_table neighbourhood_options = MCO_STUDY_TABLE(neighbourhood_records, STUDY_OPTIONS);

const mco_option_table *mco_vrp_neighbourhood_options(void)
{
    return &neighbourhood_options;
}

// ---- The tour to begin with

// Refuses a start unless every customer is in exactly one route. Loads and lengths do not matter.
static mco_status refuse_cover(mco_context *ctx, const mco_vrp *problem, const mco_vrp_solution *s)
{
    mco_status st = MCO_OK;
    const int32_t n = problem->customers;
    bool *is_visited = NULL;
    if (s->customers != n)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the solution to start with has %d customers, the instance has %d",
                        s->customers, n);
    if (s->routes < 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the solution to start with has %d routes, at least 0 were expected", s->routes);
    if (s->order == NULL || s->first == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the solution to start with has no %s", s->first == NULL ? "routes" : "order");
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

// Routes of the construction; routes along a curve if the watch ends it. Only `last` ends the curve.
static mco_status construct_in_time(mco_context *ctx, const mco_vrp *problem, const mco_vrp_params *params, const vrp_watch *watch,
                                    const vrp_watch *last, mco_vrp_solution *out)
{
    mco_status st = MCO_OK;
    mco_vrp_solution curve = {0};
    if (problem->customers > VRP_CURVE_CUSTOMERS)
        MCO_TRY(vrp_construct_along_curve(ctx, problem, last, &curve));
    st = vrp_construct(ctx, problem, params->construct, mco_settle_threads(params->threads), watch, out);
    if (st != MCO_ERR_STOPPED)
        goto done;
    st = MCO_OK;
    mco_log(ctx, MCO_LOG_WARNING, "the construction was stopped: the routes lie along a curve instead");
    if (curve.order == NULL)
        MCO_TRY(vrp_construct_along_curve(ctx, problem, NULL, &curve));
    *out = curve;
    curve = (mco_vrp_solution){0};
done:
    mco_vrp_solution_clear(ctx, &curve);
    return st;
}

// ---- Sweeps

static mco_status open_engine(mco_context *ctx, const mco_vrp *problem, int32_t tour_nodes, const mco_vrp_params *params,
                              vrp_engine *engine)
{
    switch (params->engine) {
    case MCO_ENGINE_REFERENCE: return vrp_ref_open(ctx, problem, tour_nodes, params, engine);
    case MCO_ENGINE_GPU:
#ifdef MCO_HAVE_CUDA
        return vrp_gpu_open(ctx, problem, tour_nodes, params, engine);
#else
        return mco_fail_no_gpu(ctx, params->gpus);
#endif
    default: return vrp_cpu_open(ctx, problem, tour_nodes, params, engine);
    }
}

// Estimates the seconds that all sweeps take on the cores. A descent to a local optimum is assumed to take as many
// sweeps as the tour has nodes.
static double seconds_on_cores(const mco_vrp_params *params, int32_t tour_nodes)
{
    const double sweeps = params->sweeps > 0 ? (double)params->sweeps : tour_nodes, edges = tour_nodes - 1;
    const double two_opt = edges * edges / 2 / CORE_TWO_OPT_PER_S;
    const double three_opt = params->type == MCO_VRP_TYPE_TWO_OPT ? 0 : edges * edges * edges * 4 / 6 / CORE_THREE_OPT_PER_S;
    return sweeps * ((params->type == MCO_VRP_TYPE_THREE_OPT ? 0 : two_opt) + three_opt) /
           mco_settle_threads(params->threads);
}

typedef struct limit {
    const mco_context *ctx;
    double stop_s;
} limit;

static bool limit_ends(void *user)
{
    const limit *l = user;
    return mco_is_cancelled(l->ctx) || mco_clock_s() >= l->stop_s;
}

// Makes the tour to begin with. *is_feasible: it obeys all rules. `watch` and `last` are those of construct_in_time().
static mco_status first_tour(mco_context *ctx, const mco_vrp *problem, const mco_vrp_params *params, const vrp_watch *watch,
                             const vrp_watch *last, vrp_tour *tour, bool *is_feasible)
{
    mco_status st = MCO_OK;
    mco_vrp_solution constructed = {0};
    if (params->start != NULL)
        MCO_TRY(refuse_cover(ctx, problem, params->start));
    else
        MCO_TRY(construct_in_time(ctx, problem, params, watch, last, &constructed));
    const mco_vrp_solution *first = params->start != NULL ? params->start : &constructed;
    st = mco_vrp_check(ctx, problem, first, NULL);
    *is_feasible = st == MCO_OK;
    if (st == MCO_ERR_CHECK)
        mco_log(ctx, MCO_LOG_INFO, "the start breaks a rule: %s", mco_context_error(ctx));
    else if (st != MCO_OK)
        goto done;
    MCO_TRY(vrp_tour_of(ctx, problem, first, tour));
done:
    mco_vrp_solution_clear(ctx, &constructed);
    return st;
}

// Fills in the routes at the end and checks them. They may break a rule only if those at the start did.
static mco_status fill_end(mco_context *ctx, const mco_vrp *problem, const vrp_tour *tour, bool was_feasible,
                           mco_vrp_neighbourhood_result *r)
{
    mco_status st = MCO_OK;
    MCO_TRY(vrp_solution_of(ctx, problem, tour, &r->solution));
    MCO_TRY(refuse_cover(ctx, problem, &r->solution));
    MCO_TRY(vrp_compare(ctx, vrp_solution_cost(problem, &r->solution), r->scaled_cost));
    st = mco_vrp_check(ctx, problem, &r->solution, NULL);
    r->is_feasible = st == MCO_OK;
    if (st == MCO_ERR_CHECK && !was_feasible) {
        mco_log(ctx, MCO_LOG_WARNING, "the end breaks a rule, as the start did: %s", mco_context_error(ctx));
        st = MCO_OK;
    }
done:
    return st == MCO_ERR_CHECK ? MCO_ERR_INTERNAL : st;
}

static mco_status run_neighbourhood(mco_context *ctx, const mco_vrp *problem, mco_vrp_params *params, vrp_tour *tour,
                                    vrp_engine *engine, mco_vrp_neighbourhood_result *r)
{
    mco_status st = MCO_OK;
    bool was_feasible = false;
    const double begin_s = mco_clock_s(), limit_s = params->time_limit_s - END_S * problem->customers;
    limit l = {ctx, begin_s + limit_s}, last = {ctx, begin_s + params->time_limit_s};
    MCO_TRY(vrp_refuse_unservable(ctx, problem, last.stop_s));
    MCO_TRY(first_tour(ctx, problem, params, &(vrp_watch){.ends = limit_ends, .user = &l},
                       &(vrp_watch){.ends = limit_ends, .user = &last}, tour, &was_feasible));
    params->engine = mco_choose_engine(ctx, params->engine, params->gpus, seconds_on_cores(params, tour->count), GPU_PAYS_S,
                                       NULL);
    MCO_TRY(open_engine(ctx, problem, tour->count, params, engine));
    params->time_limit_s = fmax(0, limit_s - (mco_clock_s() - begin_s));
    MCO_TRY(vrp_descend(ctx, engine, params, tour, r));
    MCO_TRY(fill_end(ctx, problem, tour, was_feasible, r));
    r->work = vrp_work_of(engine, params->engine);
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
    mco_vrp_params p = MCO_VRP_PARAMS_INIT;
    mco_vrp_neighbourhood_result r = MCO_VRP_NEIGHBOURHOOD_RESULT_INIT;
    MCO_TRY(vrp_take_params(ctx, problem, params, &neighbourhood_options, &p));
    MCO_TRY(mco_struct_test(ctx, "result", result, sizeof r));
    MCO_TRY(run_neighbourhood(ctx, problem, &p, &tour, &engine, &r));
    mco_struct_give(result, &r, sizeof r);
done:
    if (engine.close != NULL)
        engine.close(&engine);
    if (ctx == NULL)
        return st;
    mco_free(ctx, &tour.node);
    mco_vrp_neighbourhood_result_clear(ctx, &r);
    mco_clear_cancel(ctx);
    return st;
}

void mco_vrp_neighbourhood_result_clear(mco_context *ctx, mco_vrp_neighbourhood_result *result)
{
    mco_vrp_neighbourhood_result r = {0};
    if (ctx == NULL || result == NULL)
        return;
    mco_struct_clear(result, &r, sizeof r);
    mco_free(ctx, &r.sweeps);
    mco_vrp_solution_clear(ctx, &r.solution);
}
