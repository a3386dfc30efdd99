// SPDX-License-Identifier: MIT
// mco vrp bound | relax
#include "vrp/bound/command.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "vrp/print.h"

// A printed summary shows no more than these; a file holds all.
enum { MOST_PRINTED_ROUNDS = 30, MOST_PRINTED_CUSTOMERS = 30 };

// ---- Both

void vrp_bound_begin(void *state)
{
    *(vrp_bound_session *)state = (vrp_bound_session){.model = MCO_VRP_MODEL_INIT,
                                                      .bound_params = MCO_VRP_BOUND_PARAMS_INIT,
                                                      .relax_params = MCO_VRP_RELAX_PARAMS_INIT,
                                                      .bound = MCO_VRP_BOUND_RESULT_INIT,
                                                      .relax = MCO_VRP_RELAX_RESULT_INIT};
}

mco_status vrp_bound_open_instance(cli_call *call)
{
    vrp_bound_session *s = call->state;
    return mco_vrp_read(call->ctx, call->inputs[0], &s->model, &s->problem);
}

void vrp_bound_end(cli_call *call)
{
    vrp_bound_session *s = call->state;
    mco_vrp_bound_result_clear(call->ctx, &s->bound);
    mco_vrp_relax_result_clear(call->ctx, &s->relax);
    mco_vrp_solution_clear(call->ctx, &s->start);
    mco_vrp_destroy(call->ctx, &s->problem);
}

static void print_relaxation(const char *line, mco_vrp_relaxation relaxation, int64_t ng_size)
{
    printf("%s%s", line, mco_vrp_relaxation_text(relaxation));
    if (relaxation == MCO_VRP_RELAXATION_NG)
        printf("(%lld)", (long long)ng_size);
}

// ---- bound

void vrp_bound_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){mco_vrp_bound_options(), &((vrp_bound_session *)state)->bound_params};
    out[1] = (mco_option_values){mco_vrp_model_options(), &((vrp_bound_session *)state)->model};
}

mco_status vrp_bound_read_start(cli_call *call, const char *path)
{
    vrp_bound_session *s = call->state;
    double stated;
    s->bound_params.start = &s->start;
    return mco_vrp_read_solution(call->ctx, s->problem, path, &s->start, &stated);
}

mco_status vrp_bound_solve(cli_call *call)
{
    vrp_bound_session *s = call->state;
    return mco_vrp_bound(call->ctx, s->problem, &s->bound_params, &s->bound);
}

bool vrp_bound_has_solution(const void *state)
{
    return ((const vrp_bound_session *)state)->bound.solution.order != NULL;
}

bool vrp_bound_is_usable(const void *state)
{
    const mco_vrp_bound_result *r = &((const vrp_bound_session *)state)->bound;
    return r->scaled_bound > 0 || (r->scaled_bound == 0 && r->stop != MCO_STOP_TIME);
}

mco_status vrp_bound_write_result(cli_call *call, const mco_option_values *more, const char *path)
{
    const vrp_bound_session *s = call->state;
    return mco_vrp_write_bound(call->ctx, s->problem, &s->bound_params, &s->bound, more, path);
}

mco_status vrp_bound_write_solution(cli_call *call, const void *incumbent, double objective, const char *path)
{
    const vrp_bound_session *s = call->state;
    (void)objective;
    return mco_vrp_write_solution(call->ctx, s->problem, incumbent != NULL ? incumbent : &s->bound.solution, path);
}

bool vrp_bound_has_plot(const void *state)
{
    return ((const vrp_bound_session *)state)->bound.support_count > 0;
}

mco_status vrp_bound_plot(cli_call *call, const char *path)
{
    const vrp_bound_session *s = call->state;
    return mco_vrp_plot_bound(call->ctx, s->problem, &s->bound, path);
}

static void print_values(const vrp_bound_session *s)
{
    char text[VRP_COST_TEXT];
    const mco_vrp_bound_result *r = &s->bound;
    if (r->scaled_bound >= 0) {
        printf("bound      %s", vrp_cost_text(s->problem, r->bound, text));
        if (r->cost > 0)
            printf("   gap %.3f%%", 100 * (1 - r->bound / r->cost));
        printf("%s\n", r->is_bound_rechecked ? "   rechecked" : "");
    }
    if (r->scaled_cost >= 0)
        printf("cost       %s%s\n", vrp_cost_text(s->problem, r->cost, text), r->solution.order == NULL ? "   as given" : "");
    if (isfinite(r->root_bound) && r->root_bound != r->bound)
        printf("root       %s%s\n", vrp_cost_text(s->problem, r->root_bound, text), r->is_rechecked ? "   rechecked" : "");
    if (r->bound_checked[0] != '\0')
        printf("recheck    %s\n", r->bound_checked);
}

static void print_rounds(const vrp_bound_session *s)
{
    char text[VRP_COST_TEXT], lp[32];
    const mco_vrp_bound_result *r = &s->bound;
    const int64_t first = r->round_count > MOST_PRINTED_ROUNDS ? r->round_count - MOST_PRINTED_ROUNDS : 0;
    if (r->round_count > 0)
        printf("   time s  stage          linear program          bound  columns   cuts     arcs\n");
    if (first > 0)
        printf("... %lld rounds before\n", (long long)first);
    for (int64_t k = first; k < r->round_count; k++) {
        const mco_vrp_bound_round *round = &r->rounds[k];
        snprintf(lp, sizeof lp, "%.2f", round->lp);
        printf("%9.2f  %-13s %15s %14s %8lld %6lld %8lld\n", round->time_s, mco_vrp_bound_stage_text(round->stage),
               isfinite(round->lp) ? lp : "-", isfinite(round->bound) ? vrp_cost_text(s->problem, round->bound, text) : "-",
               (long long)round->columns, (long long)round->cuts, (long long)round->arcs);
    }
}

mco_status vrp_bound_print(cli_call *call)
{
    const vrp_bound_session *s = call->state;
    const mco_vrp_bound_result *r = &s->bound;
    vrp_print_instance(s->problem);
    vrp_print_fleet_rule(s->problem, s->bound_params.vehicles_exactly);
    cli_print_outcome(r->outcome, r->stop, r->reason);
    if (r->outcome == MCO_OUTCOME_INFEASIBLE)
        return MCO_OK;
    print_values(s);
    if (r->solution.order != NULL)
        vrp_print_fleet(s->problem, &r->solution);
    print_relaxation("relaxation ", r->relaxation, s->bound_params.ng_size);
    if (r->relaxation != s->bound_params.relaxation)
        printf(" (%s was asked for)", mco_vrp_relaxation_text(s->bound_params.relaxation));
    printf(", %lld pricing%s, %lld label%s, %lld route%s enumerated, %lld node%s\n", (long long)r->pricings, mco_plural(r->pricings),
           (long long)r->labels, mco_plural(r->labels), (long long)r->routes_enumerated, mco_plural(r->routes_enumerated),
           (long long)r->nodes, mco_plural(r->nodes));
    vrp_print_time(call->ctx, &r->work);
    if (r->used_cores)
        printf("engine     cpu for passes that the GPU has no room for\n");
    print_rounds(s);
    return MCO_OK;
}

// ---- relax

void vrp_relax_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){mco_vrp_relax_options(), &((vrp_bound_session *)state)->relax_params};
    out[1] = (mco_option_values){mco_vrp_model_options(), &((vrp_bound_session *)state)->model};
}

mco_status vrp_relax_solve(cli_call *call)
{
    vrp_bound_session *s = call->state;
    return mco_vrp_relax(call->ctx, s->problem, &s->relax_params, &s->relax);
}

bool vrp_relax_is_usable(const void *state)
{
    return isfinite(((const vrp_bound_session *)state)->relax.value);
}

mco_status vrp_relax_write_result(cli_call *call, const mco_option_values *more, const char *path)
{
    const vrp_bound_session *s = call->state;
    return mco_vrp_write_relax(call->ctx, s->problem, &s->relax_params, &s->relax, more, path);
}

static void print_relax_route(const vrp_bound_session *s)
{
    char buffer[16];
    const mco_vrp_relax_result *r = &s->relax;
    const int32_t shown = r->route_count <= MOST_PRINTED_CUSTOMERS ? r->route_count : MOST_PRINTED_CUSTOMERS;
    printf("route      load %.15g, value %.10g:", (double)r->route_load / mco_vrp_load_scale(s->problem), r->route_value);
    for (int32_t i = 0; i < shown; i++)
        printf(" %s", mco_vrp_customer_name(s->problem, r->route[i], buffer));
    if (shown < r->route_count)
        printf(" ... %d more", r->route_count - shown);
    printf("\n");
}

mco_status vrp_relax_print(cli_call *call)
{
    const vrp_bound_session *s = call->state;
    const mco_vrp_relax_result *r = &s->relax;
    vrp_print_instance(s->problem);
    print_relaxation("relaxation ", s->relax_params.relaxation, s->relax_params.ng_size);
    printf(" on the plain costs (%s)\n", mco_stop_text(r->stop));
    if (isfinite(r->value)) {
        printf("value      %.10g%s\n", r->value,
               s->relax_params.relaxation == MCO_VRP_RELAXATION_THROUGH_Q ? ", a bound of every plan" : ", the least of a route");
        print_relax_route(s);
        printf("states     %lld, transitions %lld\n", (long long)r->states, (long long)r->transitions);
        printf("pass       %.6f s, %.4g transitions/s\n", r->pass_s, (double)r->transitions / fmax(r->pass_s, 1e-9));
        printf("digest     %016" PRIx64 "\n", r->digest);
    }
    vrp_print_time(call->ctx, &r->work);
    return MCO_OK;
}
