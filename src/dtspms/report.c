// SPDX-License-Identifier: MIT
// The members of the result file for the double TSP with multiple stacks.
#include "render/report.h"

#include <math.h>

#include "base/structs.h"
#include "mco/dtspms.h"

static const char *const method_names[] = {"auto", "tabu", "ils", "exact"};

typedef struct subject {
    const mco_dtspms *problem;
    const mco_dtspms_params *params;
    const mco_dtspms_result *result;
    const mco_dtspms_neighbourhood_result *around;
    const mco_dtspms_solution *solution;  // NULL: none known
    int64_t capacity;
} subject;

static void write_sizes(mco_json *json, const void *user)
{
    const subject *s = user;
    mco_json_integer(json, "orders", mco_dtspms_orders(s->problem));
    mco_json_integer(json, "stacks", s->solution != NULL ? s->solution->stacks : s->params->stacks);
    mco_json_integer(json, "capacity", s->capacity);
    if (s->solution != NULL)
        mco_json_integers(json, "heights", s->solution->heights, s->solution->stacks, 0);
    else
        mco_json_null(json, "heights");
}

static void write_names(mco_json *json, const char *key, const mco_dtspms *problem, const int32_t *orders, int32_t count)
{
    char buffer[16];
    mco_json_open_line(json, key);
    for (int32_t i = 0; i < count; i++)
        mco_json_text(json, NULL, mco_dtspms_order_name(problem, orders[i], buffer));
    mco_json_close(json, ']');
}

// The same arrays with names, where the orders have any.
static void write_all_names(mco_json *json, const mco_dtspms *problem, const mco_dtspms_solution *solution)
{
    const int32_t *stack = solution->plan;
    if (!mco_dtspms_has_names(problem))
        return;
    write_names(json, "pickup_names", problem, solution->pickup, solution->orders);
    write_names(json, "delivery_names", problem, solution->delivery, solution->orders);
    mco_json_open(json, "stacks_names", '[');
    for (int32_t k = 0; k < solution->stacks; stack += solution->heights[k++])
        write_names(json, NULL, problem, stack, solution->heights[k]);
    mco_json_close(json, ']');
}

static void write_solution(mco_json *json, const void *user)
{
    const mco_dtspms_solution *solution = ((const subject *)user)->solution;
    if (solution == NULL) {
        mco_json_null(json, "pickup");
        mco_json_null(json, "delivery");
        mco_json_null(json, "stacks");
        return;
    }
    mco_json_integers(json, "pickup", solution->pickup, solution->orders, 1);
    mco_json_integers(json, "delivery", solution->delivery, solution->orders, 1);
    mco_json_open(json, "stacks", '[');
    const int32_t *stack = solution->plan;
    for (int32_t k = 0; k < solution->stacks; stack += solution->heights[k++])
        mco_json_integers(json, NULL, stack, solution->heights[k], 1);
    mco_json_close(json, ']');
    write_all_names(json, ((const subject *)user)->problem, solution);
}

static void write_work(mco_json *json, const mco_work *work, const mco_dtspms_counters *counters)
{
    mco_json_integer(json, "tours", counters->tours);
    mco_json_integer(json, "relaxations", counters->relaxations);
    mco_json_integer(json, "tours_skipped", counters->tours_skipped);
    mco_json_integer(json, "lane_bits", work->lane_bits);
    mco_json_text(json, "simd", mco_report_simd(work->simd));
}

static void write_counters(mco_json *json, const void *user)
{
    const mco_dtspms_result *r = ((const subject *)user)->result;
    mco_json_text(json, "method", method_names[r->method]);
    mco_json_integer(json, "iterations", r->iterations);
    mco_json_integer(json, "walks", r->walks);
    write_work(json, &r->work, &r->counters);
}

mco_status mco_dtspms_write_result(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_params *params,
                                   const mco_dtspms_result *result, const mco_option_values *more, const char *path)
{
    mco_status st = MCO_OK;
    mco_dtspms_params p = MCO_DTSPMS_PARAMS_INIT;
    mco_dtspms_result r = MCO_DTSPMS_RESULT_INIT;
    if (ctx == NULL || problem == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(MCO_TAKE(ctx, result, &r));
    const bool has_solution = r.solution.plan != NULL;
    const subject s = {.problem = problem, .params = &p, .result = &r, .solution = has_solution ? &r.solution : NULL,
                       .capacity = r.capacity};
    const mco_report report = {.kind = "dtspms",
                               .name = mco_dtspms_name(problem),
                               .outcome = r.outcome,
                               .stop = r.stop,
                               .reason = r.reason,
                               .objective = has_solution ? (double)r.cost : NAN,
                               .bound = r.outcome != MCO_OUTCOME_INFEASIBLE ? (double)r.bound : NAN,
                               .is_unchecked = !has_solution,
                               .seed = p.seed,
                               .options = {mco_dtspms_solve_options(), &p},
                               .more = more,
                               .work = &r.work,
                               .history = r.history,
                               .history_count = r.history_count,
                               .user = &s,
                               .write_sizes = write_sizes,
                               .write_counters = write_counters,
                               .write_solution = write_solution};
    MCO_TRY(mco_report_write(ctx, &report, path));
done:
    return st;
}

// ---- One neighbourhood

static void write_known(mco_json *json, const char *key, int64_t value)
{
    if (value >= 0)
        mco_json_integer(json, key, value);
    else
        mco_json_null(json, key);
}

static void write_move(mco_json *json, const void *user)
{
    const mco_dtspms_neighbourhood_result *r = ((const subject *)user)->around;
    const bool has_move = ((const subject *)user)->solution != NULL;
    mco_json_integer(json, "moves", r->moves);
    write_known(json, "plan_cost", r->plan_cost);
    write_known(json, "best_move", has_move ? r->best_move : -1);
    write_known(json, "cost_sum", r->cost_sum);
    if (has_move)
        mco_json_integers(json, "positions", r->positions, r->positions[2] < 0 ? 2 : 3, 0);
    else
        mco_json_null(json, "positions");
    write_known(json, "rotation", has_move ? r->rotation : -1);
    write_work(json, &r->work, &r->counters);
}

mco_status mco_dtspms_write_neighbourhood(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_params *params,
                                          const mco_dtspms_neighbourhood_result *result, const mco_option_values *more,
                                          const char *path)
{
    mco_status st = MCO_OK;
    mco_dtspms_params p = MCO_DTSPMS_PARAMS_INIT;
    mco_dtspms_neighbourhood_result r = MCO_DTSPMS_NEIGHBOURHOOD_RESULT_INIT;
    if (ctx == NULL || problem == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(MCO_TAKE(ctx, result, &r));
    const bool has_move = r.best_move >= 0 && r.solution.plan != NULL;  // neither before a call of mco_dtspms_neighbourhood()
    // A result of an older header does not say what ended it.
    const mco_stop stop = r.stop == MCO_STOP_FINISHED && r.best_move < 0 && r.moves > 0 ? MCO_STOP_CANCELLED : r.stop;
    const subject s = {.problem = problem, .params = &p, .around = &r, .solution = has_move ? &r.solution : NULL,
                       .capacity = r.capacity};
    const mco_report report = {.kind = "dtspms",
                               .name = mco_dtspms_name(problem),
                               .outcome = has_move ? MCO_OUTCOME_FEASIBLE : MCO_OUTCOME_UNKNOWN,
                               .stop = stop,
                               .objective = has_move ? (double)r.best_cost : NAN,
                               .bound = NAN,
                               .is_unchecked = !has_move,
                               .seed = p.plan_seed,
                               .options = {mco_dtspms_neighbourhood_options(), &p},
                               .more = more,
                               .work = &r.work,
                               .user = &s,
                               .write_sizes = write_sizes,
                               .write_counters = write_move,
                               .write_solution = write_solution};
    MCO_TRY(mco_report_write(ctx, &report, path));
done:
    return st;
}
