// SPDX-License-Identifier: MIT
// Entry points: validate, build the model, choose method and engine, search, check the answer.
#include "mco/dtspms.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/machine.h"
#include "base/options.h"
#include "base/ranks.h"
#include "base/simd.h"
#include "base/structs.h"
#include "device/device.h"
#include "dtspms/islands.h"
#include "dtspms/search.h"
#include "dtspms/walk.h"

static const int32_t AUTO_EXACT_ORDERS = 9;      // up to here auto tries every plan, which takes about a second
static const double DEFAULT_TIME_S = 10;         // of a search that has no other end
static const int32_t WALKS = 16;                 // least number; without --iterations as many as keep the engine busy
static const double BOUND_SHARE = 0.1, BOUND_S = 5;  // time for the bound: share of the time limit, and at most
static const int32_t GPU_PAYS_ORDERS = 24;       // a search with fewer orders takes the cores about a second
static const double CPU_RELAXATIONS_PER_S = 5e10, GPU_PAYS_S = 0.5;  // scan: rate of a core; time to open a GPU

#define MCO_OPTION_STRUCT mco_dtspms_params
static const mco_option solve_records[] = {
    MCO_OPTION_RECORDS(MCO_DTSPMS_PLAN_OPTIONS)
    MCO_OPTION_RECORDS(MCO_DTSPMS_SEARCH_OPTIONS)
    MCO_OPTION_RECORDS(MCO_DTSPMS_ENGINE_OPTIONS)
};
static const mco_option neighbourhood_records[] = {
    MCO_OPTION_RECORDS(MCO_DTSPMS_PLAN_OPTIONS)
    MCO_OPTION_RECORDS(MCO_DTSPMS_MOVE_OPTIONS)
    MCO_OPTION_RECORDS(MCO_TIME_OPTIONS)
    MCO_OPTION_RECORDS(MCO_DTSPMS_ENGINE_OPTIONS)
};
static const mco_option_table solve_options = MCO_OPTION_TABLE(solve_records);
static const mco_option_table neighbourhood_options = MCO_OPTION_TABLE(neighbourhood_records);

const mco_option_table *mco_dtspms_solve_options(void)
{
    return &solve_options;
}

const mco_option_table *mco_dtspms_neighbourhood_options(void)
{
    return &neighbourhood_options;
}

// ---- Arguments

static int64_t capacity_of(const mco_dtspms *problem, const mco_dtspms_params *params)
{
    const int64_t n = mco_dtspms_orders(problem);
    return params->capacity > 0 ? params->capacity : (n + params->stacks - 1) / params->stacks;
}

static bool is_infeasible(const mco_dtspms *problem, const mco_dtspms_params *params)
{
    return capacity_of(problem, params) < ((int64_t)mco_dtspms_orders(problem) + params->stacks - 1) / params->stacks;
}

static mco_status fail_infeasible(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_params *params)
{
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "%d orders do not fit %lld stacks of capacity %lld: at least %lld is needed",
                    mco_dtspms_orders(problem), (long long)params->stacks, (long long)params->capacity,
                    ((long long)mco_dtspms_orders(problem) + params->stacks - 1) / params->stacks);
}

// Copies the parameters and tests all arguments except the result.
static mco_status take(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_params *params,
                       const mco_option_table *options, mco_dtspms_params *out)
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

// Refuses a start that is no plan for these stacks. Its tours do not matter.
static mco_status refuse_start(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_params *params)
{
    mco_status st = MCO_OK;
    const mco_dtspms_solution *start = params->start;
    const int32_t n = mco_dtspms_orders(problem);
    int64_t total = 0;
    bool *is_used = NULL;
    if (start->stacks != params->stacks || start->orders != n || (n > 0 && start->plan == NULL))
        return mco_fail(ctx, MCO_ERR_ARGUMENT,
                        "the plan to start with has %d orders in %d stacks, %d orders in %lld stacks were expected",
                        start->orders, start->stacks, n, (long long)params->stacks);
    MCO_TRY(mco_alloc(ctx, &is_used, n));
    for (int32_t k = 0; k < start->stacks; k++) {
        if (start->heights[k] < 0 || start->heights[k] > capacity_of(problem, params))
            MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "stack %d of the plan to start with holds %d orders, at most %lld fit",
                             k + 1, start->heights[k], (long long)capacity_of(problem, params)));
        total += start->heights[k];
    }
    if (total != n)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "the stacks of the plan to start with hold %lld orders, %d were expected",
                         (long long)total, n));
    for (int32_t p = 0; p < n; p++) {
        const int32_t order = start->plan[p];
        if (order < 0 || order >= n || is_used[order])
            MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "position %d of the plan to start with holds order %lld, %s", p + 1,
                             order + 1LL, order < 0 || order >= n ? "which does not exist" : "which it holds already"));
        is_used[order] = true;
    }
done:
    mco_free(ctx, &is_used);
    return st;
}

// Writes the heights of the first plan: those of the start, if they are to be kept, else as equal as possible. Refuses tables
// beyond the memory before any of them is made; search_bytes is the size of the search's own tables.
static mco_status first_heights(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_params *params, bool keeps_start,
                                double search_bytes, int32_t *heights)
{
    const double n = mco_dtspms_orders(problem);
    const int32_t stacks = (int32_t)params->stacks;
    for (int32_t k = 0; k < stacks; k++)
        heights[k] = keeps_start ? params->start->heights[k] : (int32_t)(n / stacks) + (k < (int32_t)n % stacks);
    const double bytes = dtspms_tour_bytes(heights, stacks) + 2 * sizeof(int32_t) * (n + 1) * (n + 1) + search_bytes;
    const double allowed = mco_settle_memory(params->memory);
    if (bytes > allowed)
        return mco_fail(ctx, MCO_ERR_LIMIT,
                        "%d orders in %d stacks need %.4g GiB for distances, the dynamic program and the search, "
                        "%.4g GiB are allowed",
                        (int)n, stacks, bytes / 0x1p30, allowed / 0x1p30);
    return MCO_OK;
}

static mco_status first_plan(mco_context *ctx, const dtspms_model *model, const mco_dtspms_params *params,
                             const int32_t *heights, int64_t seed, dtspms_plan *plan)
{
    mco_status st = MCO_OK;
    memcpy(plan->heights, heights, sizeof plan->heights);
    MCO_TRY(mco_alloc(ctx, &plan->node, model->orders));
    if (params->start == NULL)
        dtspms_plan_shuffle(model, (uint64_t)seed, plan);
    for (int32_t p = 0; params->start != NULL && p < model->orders; p++)
        plan->node[p] = params->start->plan[p] + 1;
done:
    return st;
}

// ---- Engines

mco_status dtspms_engine_open(mco_context *ctx, const dtspms_model *model, const int32_t *heights,
                              const mco_dtspms_params *params, dtspms_engine *engine)
{
    switch (params->engine) {
    case MCO_ENGINE_REFERENCE: return dtspms_ref_open(ctx, model, heights, params, engine);
    case MCO_ENGINE_GPU:
#ifdef MCO_HAVE_CUDA
        return dtspms_gpu_open(ctx, model, heights, params, engine);
#else
        return mco_fail_no_gpu(ctx, params->gpus);
#endif
    default: return dtspms_cpu_open(ctx, model, heights, params, engine);
    }
}

mco_status dtspms_engine_change(mco_context *ctx, const dtspms_model *model, const int32_t *heights,
                                const mco_dtspms_params *params, dtspms_engine *engine)
{
    const mco_dtspms_counters counters = engine->counters;
    const double device_s = engine->work.device_s;
    engine->close(engine);
    *engine = (dtspms_engine){.close = engine->close};
    const mco_status st = dtspms_engine_open(ctx, model, heights, params, engine);
    engine->counters = counters;
    engine->work.device_s = device_s;
    return st;
}

// What the engine worked with since `begin_s`.
static mco_work work_of(const dtspms_engine *engine, mco_engine name, double begin_s)
{
    mco_work work = engine->work;
    work.engine = name;
    work.solve_s = mco_clock_s() - begin_s;
    return work;
}

// ---- Solutions

static mco_status check_solution(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_solution *solution,
                                 int64_t capacity, int64_t cost, int64_t cost_of[2])
{
    mco_status st = MCO_OK;
    int64_t checked = -1;
    MCO_TRY(mco_dtspms_check(ctx, problem, solution, capacity, &checked, cost_of));
    if (checked != cost)
        MCO_TRY(mco_fail(ctx, MCO_ERR_INTERNAL, "the tours are %lld long, the search says %lld", (long long)checked,
                         (long long)cost));
done:
    return st == MCO_ERR_CHECK ? MCO_ERR_INTERNAL : st;
}

// ---- Solve

typedef struct solve {
    mco_context *ctx;
    const mco_dtspms *problem;
    mco_dtspms_params params;  // choose() sets engine, method and end
    dtspms_model model;
    dtspms_engine engine;
    dtspms_plan plan;          // the first
    dtspms_search search;
    int32_t heights[MCO_DTSPMS_MAX_STACKS];  // of the first plan
} solve;

// Chooses what is auto, and an end if none is given. auto takes the exact method only if neither a GPU nor a number of
// iterations is asked for: a GPU does not run it, and it takes no number of iterations.
static void choose(solve *s)
{
    mco_dtspms_params *p = &s->params;
    const int32_t n = mco_dtspms_orders(s->problem);
    if (p->engine == MCO_ENGINE_AUTO && p->gpus != NULL)
        p->engine = MCO_ENGINE_GPU;
    const bool is_exact = n <= AUTO_EXACT_ORDERS && p->engine != MCO_ENGINE_GPU && p->iterations < 0;
    if (p->method == MCO_DTSPMS_METHOD_AUTO)
        p->method = is_exact ? MCO_DTSPMS_METHOD_EXACT : MCO_DTSPMS_METHOD_ILS;
    if (p->engine == MCO_ENGINE_AUTO) {
        const bool has_kernels = p->method == MCO_DTSPMS_METHOD_ILS ? n <= DTSPMS_DEVICE_WALK_ORDERS
                                                                    : p->method == MCO_DTSPMS_METHOD_TABU && p->stacks == 3;
        const bool pays = has_kernels && n >= GPU_PAYS_ORDERS;
        p->engine = pays && mco_has_gpu(s->ctx) ? MCO_ENGINE_GPU : MCO_ENGINE_CPU;
        mco_log(s->ctx, MCO_LOG_INFO, "engine %s: %s", p->engine == MCO_ENGINE_GPU ? "gpu" : "cpu",
                p->engine == MCO_ENGINE_GPU ? "the search has work for thousands of threads, and there is a GPU"
                : pays                             ? "no GPU"
                                                   : "few orders, or a search that a GPU does not speed up");
    }
    const bool has_end = isfinite(p->time_limit_s) || p->iterations >= 0 || p->target >= 0 || p->gap > 0;
    if (!has_end && p->method != MCO_DTSPMS_METHOD_EXACT) {
        p->time_limit_s = DEFAULT_TIME_S;
        mco_log(s->ctx, MCO_LOG_INFO, "time limit %g s: no end was given", DEFAULT_TIME_S);
    }
}

// Refuses what the chosen method does not support.
static mco_status refuse_method(const solve *s)
{
    const int32_t n = mco_dtspms_orders(s->problem);
    const mco_dtspms_method method = s->params.method;
    if (method == MCO_DTSPMS_METHOD_EXACT && n > MCO_DTSPMS_MAX_EXACT_ORDERS)
        return mco_fail(s->ctx, MCO_ERR_LIMIT, "%d orders: --method exact takes at most %d, --method ils up to %d", n,
                        MCO_DTSPMS_MAX_EXACT_ORDERS, DTSPMS_MAX_WALK_ORDERS);
    if (method == MCO_DTSPMS_METHOD_EXACT && s->params.engine == MCO_ENGINE_GPU)
        return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "--method exact runs on --engine cpu or reference");
    if (method == MCO_DTSPMS_METHOD_ILS && n > DTSPMS_MAX_WALK_ORDERS)
        return mco_fail(s->ctx, MCO_ERR_LIMIT, "%d orders: --method ils takes at most %d", n, DTSPMS_MAX_WALK_ORDERS);
    return MCO_OK;
}

// Bytes of the method's own tables.
static double search_bytes(const solve *s)
{
    const int32_t n = mco_dtspms_orders(s->problem);
    switch (s->params.method) {
    case MCO_DTSPMS_METHOD_TABU:
        return (double)dtspms_move_count(MCO_DTSPMS_MOVE_EXCHANGE, n) * sizeof(int32_t) + (double)n * (n + 1) * sizeof(int64_t);
    case MCO_DTSPMS_METHOD_ILS:
        return dtspms_walk_tables_bytes(n) + (double)(s->params.walks > WALKS ? s->params.walks : WALKS) * dtspms_walk_bytes(n);
    default: return 0;
    }
}

static mco_status find_bound(solve *s)
{
    mco_status st = MCO_OK;
    int64_t pickup = 0, delivery = 0;
    const double share_s = s->params.time_limit_s * BOUND_SHARE, seconds = share_s < BOUND_S ? share_s : BOUND_S;
    MCO_TRY(dtspms_tour_bound(s->ctx, &s->model, MCO_DTSPMS_NETWORK_PICKUP, seconds / 2, &pickup));
    MCO_TRY(dtspms_tour_bound(s->ctx, &s->model, MCO_DTSPMS_NETWORK_DELIVERY, seconds / 2, &delivery));
    s->search.bound = pickup + delivery;
    mco_run_raise_bound(&s->search.run, (double)s->search.bound);
    mco_log(s->ctx, MCO_LOG_INFO,
            "%d orders, %d stacks of capacity %d; bound %lld = %lld + %lld by travelling salesman tours",
            s->model.orders, s->model.stacks, s->model.capacity, (long long)s->search.bound, (long long)pickup,
            (long long)delivery);
done:
    return st;
}

// Chooses the number of walks and what moves them. With a number of iterations the number of walks does not depend on
// the machine, so that the result does not.
static void choose_walks(solve *s)
{
    dtspms_search *search = &s->search;
    const bool is_reference = s->params.engine == MCO_ENGINE_REFERENCE, is_cpu = s->params.engine == MCO_ENGINE_CPU;
    search->threads = is_reference ? 1 : mco_settle_threads(s->params.threads);
    search->simd = is_cpu ? s->engine.work.simd : is_reference ? MCO_SIMD_PORTABLE : mco_simd_widest();
    const int32_t n = s->model.orders, busy = s->engine.walk != NULL ? s->engine.walks : search->threads;
    const double room = (mco_settle_memory(s->params.memory) - dtspms_walk_tables_bytes(n)) / dtspms_walk_bytes(n);
    const int32_t most = busy < room ? busy : room > WALKS ? (int32_t)room : WALKS;
    search->walks = s->params.iterations < 0 && most > WALKS ? most : WALKS;
    if (s->params.walks > 0)
        search->walks = (int32_t)s->params.walks;
    if (s->params.engine == MCO_ENGINE_GPU && s->engine.walk == NULL) {  // the cores work too, and the result says so
        s->engine.work.threads = search->threads;
        s->engine.work.simd = search->simd;
    }
}

static mco_status run_search(solve *s)
{
    mco_status st = MCO_OK;
    dtspms_search *search = &s->search;
    const int32_t n = s->model.orders;
    MCO_TRY(mco_alloc(s->ctx, &search->best.node, n));
    if (s->params.method == MCO_DTSPMS_METHOD_ILS)
        choose_walks(s);
    if (s->params.start != NULL) {
        int64_t cost;
        MCO_TRY(dtspms_search_cost(search, &s->plan, &cost));
        MCO_TRY(dtspms_search_note(search, &s->plan, cost, NULL, "start"));
    }
    switch (s->params.method) {
    case MCO_DTSPMS_METHOD_EXACT: st = dtspms_exact(search, &s->plan); break;
    case MCO_DTSPMS_METHOD_TABU: st = dtspms_tabu(search, &s->plan); break;
    default: st = dtspms_ils(search, &s->plan); break;
    }
done:
    return st;
}

// Builds the model and searches, as far as time allows.
static mco_status search_in_model(solve *s)
{
    mco_status st = MCO_OK;
    MCO_TRY(dtspms_model_create(s->ctx, s->problem, (int32_t)s->params.stacks, capacity_of(s->problem, &s->params),
                                s->search.run.stop_s, &s->model));
    MCO_TRY(dtspms_solution_new(s->ctx, &s->model, &s->search.incumbent));
    MCO_TRY(dtspms_solution_new(s->ctx, &s->model, &s->search.spare));
    MCO_TRY(first_plan(s->ctx, &s->model, &s->params, s->heights, s->params.seed, &s->plan));
    if (!s->model.is_complete)
        return MCO_OK;
    MCO_TRY(dtspms_engine_open(s->ctx, &s->model, s->heights, &s->params, &s->engine));
    MCO_TRY(find_bound(s));
    MCO_TRY(run_search(s));
done:
    return st;
}

// The answer if time was over before the search had one. The pickup tour goes stack by stack and upwards, the delivery tour
// backwards along it. That needs no table. O(orders).
static mco_status take_first_plan(solve *s)
{
    mco_status st = MCO_OK;
    dtspms_search *search = &s->search;
    mco_dtspms_solution *solution = &search->incumbent;
    const int32_t n = s->model.orders;
    (void)dtspms_search_ends(search);  // says why
    memcpy(solution->heights, s->plan.heights, sizeof solution->heights);
    for (int32_t i = 0; i < n; i++) {
        solution->plan[i] = solution->pickup[i] = s->plan.node[i] - 1;
        solution->delivery[n - 1 - i] = s->plan.node[i] - 1;
    }
    search->best_cost = search->best_cost_of[0] = search->best_cost_of[1] = 0;
    for (int32_t i = 0; i <= n; i++) {
        const int32_t from = i > 0 ? s->plan.node[i - 1] : 0, to = i < n ? s->plan.node[i] : 0;
        search->best_cost_of[0] += mco_dtspms_distance(s->problem, MCO_DTSPMS_NETWORK_PICKUP, from, to);
        search->best_cost_of[1] += mco_dtspms_distance(s->problem, MCO_DTSPMS_NETWORK_DELIVERY, to, from);
    }
    search->best_cost = search->best_cost_of[0] + search->best_cost_of[1];
    MCO_TRY(mco_run_improve(&search->run, (double)search->best_cost, solution, "first"));
    mco_log(s->ctx, MCO_LOG_INFO, "stopped before the search had a solution: the tours visit one stack after the other");
done:
    return st;
}

static mco_status fill_result(solve *s, mco_dtspms_result *r)
{
    mco_status st = MCO_OK;
    dtspms_search *search = &s->search;
    r->stop = search->run.stop;
    r->bound = search->is_proved && search->best_cost >= 0 ? search->best_cost : search->bound;
    r->method = s->params.method;
    r->iterations = search->iterations;
    r->walks = s->params.method == MCO_DTSPMS_METHOD_ILS ? search->walks : 0;
    r->work = work_of(&s->engine, s->params.engine, search->run.begin_s);
    r->counters = s->engine.counters;
    mco_run_raise_bound(&search->run, (double)r->bound);
    mco_run_log_end(&search->run);
    mco_run_give_history(&search->run, &r->history, &r->history_count);
    if (search->best_cost < 0)
        return MCO_OK;
    MCO_TRY(check_solution(s->ctx, s->problem, &search->incumbent, r->capacity, search->best_cost, r->cost_of));
    r->solution = search->incumbent;
    search->incumbent = (mco_dtspms_solution){0};
    r->cost = search->best_cost;
    r->outcome = r->cost == r->bound ? MCO_OUTCOME_OPTIMAL : MCO_OUTCOME_FEASIBLE;
done:
    return st;
}

static mco_status run_solve(solve *s, mco_dtspms_result *r)
{
    mco_status st = MCO_OK;
    const int64_t capacity = capacity_of(s->problem, &s->params);
    r->capacity = capacity;
    if (is_infeasible(s->problem, &s->params)) {
        (void)fail_infeasible(s->ctx, s->problem, &s->params);
        r->outcome = MCO_OUTCOME_INFEASIBLE;
        snprintf(r->reason, sizeof r->reason, "%s", mco_context_error(s->ctx));
        r->work.engine = s->params.engine == MCO_ENGINE_AUTO ? MCO_ENGINE_CPU : s->params.engine;
        r->work.threads = 1;
        return MCO_OK;
    }
    if (s->params.start != NULL)
        MCO_TRY(refuse_start(s->ctx, s->problem, &s->params));
    choose(s);
    // Where each order can have a stack of its own, no plan is better than that: nothing is below anything else.
    const bool keeps_start = s->params.start != NULL && mco_dtspms_orders(s->problem) > s->params.stacks;
    MCO_TRY(first_heights(s->ctx, s->problem, &s->params, keeps_start, search_bytes(s), s->heights));
    MCO_TRY(refuse_method(s));
    mco_run_limit(&s->search.run, s->params.time_limit_s);
    MCO_TRY(search_in_model(s));
    if (s->search.best_cost < 0)
        MCO_TRY(take_first_plan(s));
    MCO_TRY(fill_result(s, r));
done:
    return st;
}

mco_status mco_dtspms_solve(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_params *params,
                            mco_dtspms_result *result)
{
    mco_status st = MCO_OK;
    solve s = {.ctx = ctx, .problem = problem, .params = MCO_DTSPMS_PARAMS_INIT};
    mco_dtspms_result r = MCO_DTSPMS_RESULT_INIT;
    r.cost = r.cost_of[0] = r.cost_of[1] = -1;
    MCO_TRY(take(ctx, problem, params, &solve_options, &s.params));
    MCO_TRY(mco_struct_test(ctx, "result", result, sizeof r));
    s.search = (dtspms_search){.ctx = ctx, .model = &s.model, .params = &s.params, .engine = &s.engine, .best_cost = -1};
    const mco_run_settings settings = {.time_limit_s = s.params.time_limit_s, .target = s.params.target, .gap = s.params.gap,
                                       .ends_at_bound = true, .objective = "cost"};
    if (mco_rank_count(ctx) == 1) {
        s.search.run = mco_run_begin(ctx, &settings);
        MCO_TRY(run_solve(&s, &r));
    } else {
        MCO_TRY(dtspms_islands_solve(ctx, problem, &s.params, &r));
    }
    mco_struct_give(result, &r, sizeof r);
done:
    if (s.engine.close != NULL)
        s.engine.close(&s.engine);
    if (ctx == NULL)
        return st;
    mco_run_clear(&s.search.run);
    mco_dtspms_solution_clear(ctx, &s.search.spare);
    mco_dtspms_solution_clear(ctx, &s.search.incumbent);
    mco_free(ctx, &s.search.best.node);
    mco_free(ctx, &s.plan.node);
    dtspms_model_clear(ctx, &s.model);
    mco_dtspms_result_clear(ctx, &r);
    mco_clear_cancel(ctx);
    return st;
}

void mco_dtspms_result_clear(mco_context *ctx, mco_dtspms_result *result)
{
    mco_dtspms_result r = {0};
    if (ctx == NULL || result == NULL)
        return;
    mco_struct_clear(result, &r, sizeof r);
    mco_free(ctx, &r.history);
    mco_dtspms_solution_clear(ctx, &r.solution);
}

// ---- One neighbourhood

static mco_engine choose_for_scan(mco_context *ctx, const mco_dtspms_params *params, double relaxations)
{
    const double cpu_s = relaxations / (CPU_RELAXATIONS_PER_S * mco_settle_threads(params->threads));
    return mco_choose_engine(ctx, params->engine, params->gpus, cpu_s, GPU_PAYS_S, NULL);
}

// Fills in the plan after the best move, with its tours. If the context is cancelled before they are known, there is no best move.
static mco_status fill_moved(mco_context *ctx, const mco_dtspms *problem, const dtspms_model *model, const dtspms_plan *plan,
                             mco_dtspms_neighbourhood_result *r)
{
    mco_status st = MCO_OK;
    MCO_TRY(dtspms_solution_new(ctx, model, &r->solution));
    MCO_TRY(dtspms_solution_fill(ctx, model, plan, NULL, &r->solution, r->best_cost_of));
    if (r->best_cost_of[0] < 0 || r->best_cost_of[1] < 0) {
        mco_dtspms_solution_clear(ctx, &r->solution);
        r->best_move = r->best_cost = r->cost_sum = r->best_cost_of[0] = r->best_cost_of[1] = -1;
        r->stop = MCO_STOP_TIME;
        return MCO_OK;
    }
    MCO_TRY(check_solution(ctx, problem, &r->solution, model->capacity, r->best_cost, r->best_cost_of));
done:
    return st;
}

static mco_status run_neighbourhood(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_params *params,
                                    dtspms_model *model, dtspms_engine *engine, dtspms_plan *plan,
                                    mco_dtspms_neighbourhood_result *r)
{
    mco_status st = MCO_OK;
    int32_t heights[MCO_DTSPMS_MAX_STACKS] = {0};
    int64_t cost_of[2] = {-1, -1};
    const double begin_s = mco_clock_s(), stop_s = begin_s + params->time_limit_s;
    mco_dtspms_params p = *params;
    if (is_infeasible(problem, params))
        return fail_infeasible(ctx, problem, params);
    if (params->start != NULL)
        MCO_TRY(refuse_start(ctx, problem, params));
    r->capacity = capacity_of(problem, params);
    MCO_TRY(first_heights(ctx, problem, params, params->start != NULL, 0, heights));
    r->moves = dtspms_move_count(params->move, mco_dtspms_orders(problem));
    r->stop = MCO_STOP_TIME;  // until all is done
    p.engine = choose_for_scan(ctx, params, 2.0 * (double)r->moves * (double)dtspms_relaxations(heights, (int32_t)params->stacks));
    r->work = (mco_work){.engine = p.engine, .threads = 1};
    MCO_TRY(dtspms_model_create(ctx, problem, (int32_t)params->stacks, capacity_of(problem, params), stop_s, model));
    MCO_TRY(first_plan(ctx, model, params, heights, params->plan_seed, plan));
    for (mco_dtspms_network network = MCO_DTSPMS_NETWORK_PICKUP; network <= MCO_DTSPMS_NETWORK_DELIVERY && model->is_complete; network++)
        MCO_TRY(dtspms_tour(ctx, model, plan, network, &cost_of[network], NULL));
    if (cost_of[0] < 0 || cost_of[1] < 0)
        return MCO_OK;
    r->plan_cost = cost_of[0] + cost_of[1];
    MCO_TRY(dtspms_engine_open(ctx, model, heights, &p, engine));
    const double scan_s = mco_clock_s();
    dtspms_scan scan = {.plan = plan, .kind = params->move, .reuse = params->reuse == MCO_DTSPMS_REUSE_ON};
    MCO_TRY(engine->scan(engine, &scan, stop_s));
    r->work = work_of(engine, p.engine, scan_s);
    r->counters = engine->counters;
    r->best_move = scan.best_move;
    r->cost_sum = scan.best_move < 0 && r->moves > 0 ? -1 : scan.cost_sum;
    if (scan.best_move >= 0 || r->moves == 0)
        r->stop = MCO_STOP_FINISHED;
    if (scan.best_move < 0)
        return MCO_OK;
    r->best_cost = scan.best_cost_of[0] + scan.best_cost_of[1];
    dtspms_move_positions(params->move, model->orders, scan.best_move, r->positions);
    r->rotation = params->move == MCO_DTSPMS_MOVE_SWAP ? -1 : (int32_t)(scan.best_move % 2);
    dtspms_move move;
    dtspms_move_at(plan, params->move, model->orders, scan.best_move, &move);
    dtspms_move_apply(&move, plan);
    model->stop_s = INFINITY;  // the best move is known; its tours take no longer than those of one more move
    MCO_TRY(fill_moved(ctx, problem, model, plan, r));
done:
    return st;
}

mco_status mco_dtspms_neighbourhood(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_params *params,
                                    mco_dtspms_neighbourhood_result *result)
{
    mco_status st = MCO_OK;
    dtspms_model model = {0};
    dtspms_engine engine = {0};
    dtspms_plan plan = {0};
    mco_dtspms_params p = MCO_DTSPMS_PARAMS_INIT;
    mco_dtspms_neighbourhood_result r = MCO_DTSPMS_NEIGHBOURHOOD_RESULT_INIT;
    r.best_move = r.best_cost = r.best_cost_of[0] = r.best_cost_of[1] = r.rotation = -1;
    r.plan_cost = r.cost_sum = -1;
    r.positions[0] = r.positions[1] = r.positions[2] = -1;
    MCO_TRY(take(ctx, problem, params, &neighbourhood_options, &p));
    MCO_TRY(mco_struct_test(ctx, "result", result, sizeof r));
    MCO_TRY(run_neighbourhood(ctx, problem, &p, &model, &engine, &plan, &r));
    if (r.stop == MCO_STOP_TIME && mco_is_cancelled(ctx))
        r.stop = MCO_STOP_CANCELLED;
    mco_struct_give(result, &r, sizeof r);
done:
    if (engine.close != NULL)
        engine.close(&engine);
    if (ctx == NULL)
        return st;
    mco_free(ctx, &plan.node);
    dtspms_model_clear(ctx, &model);
    mco_dtspms_neighbourhood_result_clear(ctx, &r);
    mco_clear_cancel(ctx);
    return st;
}

void mco_dtspms_neighbourhood_result_clear(mco_context *ctx, mco_dtspms_neighbourhood_result *result)
{
    mco_dtspms_neighbourhood_result r = {0};
    if (ctx == NULL || result == NULL)
        return;
    mco_struct_clear(result, &r, sizeof r);
    mco_dtspms_solution_clear(ctx, &r.solution);
}
