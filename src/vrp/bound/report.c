// SPDX-License-Identifier: MIT
// The members of the result files of `mco vrp relax` and `mco vrp bound`. All costs are in units of the instance's file.
#include "render/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/structs.h"
#include "mco/vrp_bound.h"
#include "vrp/report.h"

typedef struct subject {
    const mco_vrp *problem;
    const mco_vrp_relax_result *relax;
    const mco_vrp_bound_params *params;
    const mco_vrp_bound_result *bound;
} subject;

static void write_sizes(mco_json *json, const void *user)
{
    vrp_report_sizes(json, ((const subject *)user)->problem);
}

// ---- One pass

static void write_relax_counters(mco_json *json, const void *user)
{
    const subject *s = user;
    const mco_vrp_relax_result *r = s->relax;
    char digest[24];
    snprintf(digest, sizeof digest, "%016" PRIx64, r->digest);
    mco_json_real(json, "value", r->value);
    mco_json_integer(json, "states", r->states);
    mco_json_integer(json, "transitions", r->transitions);
    mco_json_real(json, "pass_s", r->pass_s);
    mco_json_real(json, "transitions_per_s", r->pass_s > 0 ? (double)r->transitions / r->pass_s : NAN);
    mco_json_text(json, "digest", isnan(r->value) ? NULL : digest);
    mco_json_text(json, "simd", mco_report_simd(r->work.simd));
}

static void write_relax_route(mco_json *json, const void *user)
{
    const subject *s = user;
    const mco_vrp_relax_result *r = s->relax;
    if (r->route == NULL) {
        mco_json_null(json, "route");
        return;
    }
    mco_json_integers(json, "route", r->route, r->route_count, 1);
    mco_json_real(json, "route_load", (double)r->route_load / mco_vrp_load_scale(s->problem));
    mco_json_real(json, "route_value", r->route_value);
}

mco_status mco_vrp_write_relax(mco_context *ctx, const mco_vrp *problem, const mco_vrp_relax_params *params,
                               const mco_vrp_relax_result *result, const mco_option_values *more, const char *path)
{
    mco_status st = MCO_OK;
    mco_vrp_relax_params p = MCO_VRP_RELAX_PARAMS_INIT;
    mco_vrp_relax_result r = MCO_VRP_RELAX_RESULT_INIT;
    const subject s = {.problem = problem, .relax = &r};
    if (ctx == NULL || problem == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(MCO_TAKE(ctx, result, &r));
    // A pass finds no plan. Its value bounds plans only with through-q-routes.
    const mco_report report = {.kind = "vrp",
                               .name = mco_vrp_name(problem),
                               .outcome = MCO_OUTCOME_UNKNOWN,
                               .stop = r.stop,
                               .objective = NAN,
                               .bound = p.relaxation == MCO_VRP_RELAXATION_THROUGH_Q ? r.value : NAN,
                               .is_unchecked = true,
                               .options = {mco_vrp_relax_options(), &p},
                               .more = more,
                               .work = &r.work,
                               .user = &s,
                               .write_sizes = write_sizes,
                               .write_counters = write_relax_counters,
                               .write_solution = write_relax_route};
    MCO_TRY(mco_report_write(ctx, &report, path));
done:
    return st;
}

// ---- The bound

static void write_fleet(mco_json *json, const subject *s)
{
    const int64_t exactly = s->params->vehicles_exactly, most = mco_vrp_vehicles(s->problem);
    mco_json_text(json, "fleet_rule", exactly > 0 ? "exactly" : most > 0 ? "at most" : "free");
    if (exactly > 0 || most > 0)
        mco_json_integer(json, "fleet", exactly > 0 ? exactly : most);
    else
        mco_json_null(json, "fleet");
}

static void write_rounds(mco_json *json, const mco_vrp_bound_result *r)
{
    mco_json_open(json, "rounds", '[');
    for (int64_t k = 0; k < r->round_count; k++) {
        const mco_vrp_bound_round *round = &r->rounds[k];
        mco_json_open(json, NULL, '{');
        mco_json_real(json, "time_s", round->time_s);
        mco_json_text(json, "stage", mco_vrp_bound_stage_text(round->stage));
        mco_json_real(json, "lp", round->lp);
        mco_json_real(json, "bound", round->bound);
        mco_json_integer(json, "columns", round->columns);
        mco_json_integer(json, "cuts", round->cuts);
        mco_json_integer(json, "arcs", round->arcs);
        mco_json_close(json, '}');
    }
    mco_json_close(json, ']');
}

static void write_bound_counters(mco_json *json, const void *user)
{
    const subject *s = user;
    const mco_vrp_bound_result *r = s->bound;
    write_fleet(json, s);
    mco_json_real(json, "root_bound", r->root_bound);
    mco_json_real(json, "known_cost", r->cost);
    mco_json_bool(json, "is_rechecked", r->is_rechecked);
    mco_json_bool(json, "is_bound_rechecked", r->is_bound_rechecked);
    mco_json_text(json, "bound_checked", r->bound_checked);
    mco_json_text(json, "relaxation_used", mco_vrp_relaxation_text(r->relaxation));
    mco_json_bool(json, "used_cores", r->used_cores);
    mco_json_integer(json, "pricings", r->pricings);
    mco_json_integer(json, "labels", r->labels);
    mco_json_integer(json, "routes_enumerated", r->routes_enumerated);
    mco_json_integer(json, "nodes", r->nodes);
    mco_json_real(json, "scale", mco_vrp_scale(s->problem));
    mco_json_integer(json, "load_scale", mco_vrp_load_scale(s->problem));
    mco_json_text(json, "simd", mco_report_simd(r->work.simd));
    write_rounds(json, r);
}

static void write_prices(mco_json *json, const subject *s)
{
    if (s->bound->price == NULL) {
        mco_json_null(json, "prices");
        return;
    }
    mco_json_open_line(json, "prices");
    for (int32_t i = 0; i < mco_vrp_customers(s->problem); i++)
        mco_json_real(json, NULL, s->bound->price[i]);
    mco_json_close(json, ']');
}

static void write_bound_solution(mco_json *json, const void *user)
{
    const subject *s = user;
    const mco_vrp_bound_result *r = s->bound;
    if (r->solution.order != NULL)
        vrp_report_routes(json, s->problem, &r->solution);
    else
        vrp_report_no_routes(json);
    write_prices(json, s);
    mco_json_open(json, "support", '[');
    for (int64_t k = 0; k < r->support_count; k++) {
        mco_json_open_line(json, NULL);
        mco_json_integer(json, NULL, r->support[k].from);
        mco_json_integer(json, NULL, r->support[k].to);
        mco_json_real(json, NULL, r->support[k].value);
        mco_json_close(json, ']');
    }
    mco_json_close(json, ']');
}

mco_status mco_vrp_write_bound(mco_context *ctx, const mco_vrp *problem, const mco_vrp_bound_params *params,
                               const mco_vrp_bound_result *result, const mco_option_values *more, const char *path)
{
    mco_status st = MCO_OK;
    mco_vrp_bound_params p = MCO_VRP_BOUND_PARAMS_INIT;
    mco_vrp_bound_result r = MCO_VRP_BOUND_RESULT_INIT;
    const subject s = {.problem = problem, .params = &p, .bound = &r};
    if (ctx == NULL || problem == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(MCO_TAKE(ctx, result, &r));
    const mco_report report = {.kind = "vrp",
                               .name = mco_vrp_name(problem),
                               .outcome = r.outcome,
                               .stop = r.stop,
                               .reason = r.reason,
                               .objective = r.solution.order != NULL ? r.cost : NAN,
                               .bound = r.outcome != MCO_OUTCOME_INFEASIBLE ? r.bound : NAN,
                               .is_unchecked = r.solution.order == NULL,
                               .options = {mco_vrp_bound_options(), &p},
                               .more = more,
                               .work = &r.work,
                               .history = r.history,
                               .history_count = r.history_count,
                               .user = &s,
                               .write_sizes = write_sizes,
                               .write_counters = write_bound_counters,
                               .write_solution = write_bound_solution};
    MCO_TRY(mco_report_write(ctx, &report, path));
done:
    return st;
}
