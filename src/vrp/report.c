// SPDX-License-Identifier: MIT
#include "vrp/report.h"

#include <math.h>

#include "base/structs.h"
#include "render/report.h"

typedef struct subject {
    const mco_vrp *problem;
    const mco_vrp_result *result;
    const mco_vrp_neighbourhood_result *around;
    bool proves;  // the parameters ask for a bound
} subject;

static double units(const mco_vrp *problem, int64_t value)
{
    return (double)value / mco_vrp_scale(problem);
}

static double loads(const mco_vrp *problem, int64_t load)
{
    return (double)load / mco_vrp_load_scale(problem);
}

void vrp_report_sizes(mco_json *json, const mco_vrp *p)
{
    const int32_t longest = mco_vrp_max_length(p);
    mco_json_integer(json, "customers", mco_vrp_customers(p));
    mco_json_real(json, "capacity", loads(p, mco_vrp_capacity(p)));
    mco_json_real(json, "max_length", longest < MCO_VRP_MAX_LENGTH ? units(p, longest) : NAN);
    if (mco_vrp_vehicles(p) > 0)
        mco_json_integer(json, "vehicles", mco_vrp_vehicles(p));
    else
        mco_json_null(json, "vehicles");
}

static void write_sizes(mco_json *json, const void *user)
{
    vrp_report_sizes(json, ((const subject *)user)->problem);
}

// The customers of each route by name; null where they have none.
static void write_names(mco_json *json, const mco_vrp *problem, const mco_vrp_solution *solution)
{
    char buffer[16];
    if (!mco_vrp_has_names(problem)) {
        mco_json_null(json, "names");
        return;
    }
    mco_json_open(json, "names", '[');
    for (int32_t r = 0; r < solution->routes; r++) {
        mco_json_open_line(json, NULL);
        for (int32_t i = solution->first[r]; i < solution->first[r + 1]; i++)
            mco_json_text(json, NULL, mco_vrp_customer_name(problem, solution->order[i], buffer));
        mco_json_close(json, ']');
    }
    mco_json_close(json, ']');
}

void vrp_report_routes(mco_json *json, const mco_vrp *problem, const mco_vrp_solution *solution)
{
    mco_json_open(json, "routes", '[');
    for (int32_t r = 0; r < solution->routes; r++)
        mco_json_integers(json, NULL, solution->order + solution->first[r], solution->first[r + 1] - solution->first[r], 1);
    mco_json_close(json, ']');
    write_names(json, problem, solution);
    mco_json_open(json, "loads", '[');
    for (int32_t r = 0; r < solution->routes; r++)
        mco_json_real(json, NULL, loads(problem, mco_vrp_route_of(problem, solution, r).load));
    mco_json_close(json, ']');
    mco_json_open(json, "lengths", '[');
    for (int32_t r = 0; r < solution->routes; r++)
        mco_json_real(json, NULL, units(problem, mco_vrp_route_of(problem, solution, r).length));
    mco_json_close(json, ']');
}

// ---- The search

static void write_counters(mco_json *json, const void *user)
{
    const subject *s = user;
    const mco_vrp_result *r = s->result;
    mco_json_integer(json, "iterations", r->iterations);
    if (r->scaled_cost >= 0)
        mco_json_integer(json, "routes", r->solution.routes);
    else
        mco_json_null(json, "routes");
    mco_json_real(json, "start_cost", r->start_cost);
    mco_json_real(json, "scale", mco_vrp_scale(s->problem));
    mco_json_integer(json, "load_scale", mco_vrp_load_scale(s->problem));
    mco_json_text(json, "simd", mco_report_simd(r->work.simd));
    if (!s->proves)
        return;
    mco_json_bool(json, "is_bound_rechecked", r->is_bound_rechecked);
    mco_json_text(json, "bound_checked", r->bound_checked[0] != '\0' ? r->bound_checked : NULL);
}

void vrp_report_no_routes(mco_json *json)
{
    mco_json_null(json, "routes");
    mco_json_null(json, "names");
    mco_json_null(json, "loads");
    mco_json_null(json, "lengths");
}

static void write_solution(mco_json *json, const void *user)
{
    const subject *s = user;
    if (s->result->scaled_cost >= 0)
        vrp_report_routes(json, s->problem, &s->result->solution);
    else
        vrp_report_no_routes(json);
}

mco_status mco_vrp_write_result(mco_context *ctx, const mco_vrp *problem, const mco_vrp_params *params,
                                const mco_vrp_result *result, const mco_option_values *more, const char *path)
{
    mco_status st = MCO_OK;
    mco_vrp_params p = MCO_VRP_PARAMS_INIT;
    mco_vrp_result r = MCO_VRP_RESULT_INIT;
    subject s = {.problem = problem, .result = &r};
    if (ctx == NULL || problem == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(MCO_TAKE(ctx, result, &r));
    s.proves = p.prove != 0;
    const mco_report report = {.kind = "vrp",
                               .name = mco_vrp_name(problem),
                               .outcome = r.outcome,
                               .stop = r.stop,
                               .reason = r.reason,
                               .objective = r.solution.order != NULL ? r.cost : NAN,
                               .bound = r.outcome != MCO_OUTCOME_INFEASIBLE ? r.bound : NAN,
                               .is_unchecked = r.scaled_cost < 0,
                               .seed = p.seed,
                               .options = {mco_vrp_solve_options(), &p},
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

// ---- Complete neighbourhoods

// The move of each sweep: its two edges, or its three edges and how they are joined again.
static void write_moves_made(mco_json *json, const mco_vrp_neighbourhood_result *r)
{
    mco_json_open(json, "moves_made", '[');
    for (int64_t i = 0; i < r->sweep_count; i++) {
        const mco_vrp_sweep *sweep = &r->sweeps[i];
        const int32_t move[] = {sweep->x, sweep->y, sweep->z, sweep->p};
        mco_json_integers(json, NULL, move, sweep->x < 0 ? 0 : sweep->z < 0 ? 2 : 4, 0);
    }
    mco_json_close(json, ']');
}

static void write_sweep_counters(mco_json *json, const void *user)
{
    const subject *s = user;
    const mco_vrp_neighbourhood_result *r = s->around;
    mco_json_integer(json, "moves", r->moves);
    mco_json_integer(json, "moves_skipped", r->moves_skipped);
    mco_json_integer(json, "sweeps", r->sweep_count);
    mco_json_real(json, "sweeps_s", r->sweeps_s);
    mco_json_real(json, "moves_per_s", r->sweeps_s > 0 ? (double)r->moves / r->sweeps_s : NAN);
    mco_json_integer(json, "tour_nodes", r->tour_nodes);
    mco_json_real(json, "start_cost", units(s->problem, r->scaled_start_cost));
    mco_json_integer(json, "start_routes", r->start_routes);
    mco_json_integer(json, "routes", r->routes);
    mco_json_bool(json, "is_local_optimum", r->is_local_optimum);
    mco_json_real(json, "scale", mco_vrp_scale(s->problem));
    mco_json_integer(json, "load_scale", mco_vrp_load_scale(s->problem));
    mco_json_text(json, "simd", mco_report_simd(r->work.simd));
    write_moves_made(json, r);
}

static void write_end(mco_json *json, const void *user)
{
    const subject *s = user;
    vrp_report_routes(json, s->problem, &s->around->solution);
}

// The cost after each sweep.
static mco_status make_history(mco_context *ctx, const mco_vrp *problem, const mco_vrp_neighbourhood_result *r,
                               mco_improvement **out)
{
    double time_s = 0;
    const mco_status st = mco_alloc(ctx, out, r->sweep_count);
    for (int64_t i = 0; st == MCO_OK && i < r->sweep_count; i++) {
        time_s += r->sweeps[i].sweep_s;
        (*out)[i] = (mco_improvement){time_s, units(problem, r->sweeps[i].scaled_cost), NAN};
    }
    return st;
}

mco_status mco_vrp_write_neighbourhood(mco_context *ctx, const mco_vrp *problem, const mco_vrp_params *params,
                                       const mco_vrp_neighbourhood_result *result, const mco_option_values *more,
                                       const char *path)
{
    mco_status st = MCO_OK;
    mco_vrp_params p = MCO_VRP_PARAMS_INIT;
    mco_vrp_neighbourhood_result r = MCO_VRP_NEIGHBOURHOOD_RESULT_INIT;
    mco_improvement *history = NULL;
    const subject s = {.problem = problem, .around = &r};
    if (ctx == NULL || problem == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(MCO_TAKE(ctx, result, &r));
    MCO_TRY(make_history(ctx, problem, &r, &history));
    // A tour that breaks a rule has a cost, but is no solution.
    const mco_report report = {.kind = "vrp",
                               .name = mco_vrp_name(problem),
                               .outcome = r.is_feasible ? MCO_OUTCOME_FEASIBLE : MCO_OUTCOME_UNKNOWN,
                               .stop = r.stop,
                               .objective = units(problem, r.scaled_cost),
                               .bound = NAN,
                               .is_unchecked = !r.is_feasible,
                               .seed = p.filter_seed,
                               .options = {mco_vrp_neighbourhood_options(), &p},
                               .more = more,
                               .work = &r.work,
                               .history = history,
                               .history_count = r.sweep_count,
                               .user = &s,
                               .write_sizes = write_sizes,
                               .write_counters = write_sweep_counters,
                               .write_solution = write_end};
    MCO_TRY(mco_report_write(ctx, &report, path));
done:
    mco_free(ctx, &history);
    return st;
}
