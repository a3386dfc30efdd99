// SPDX-License-Identifier: MIT
// mco vrp solve | neighbourhood | check | generate
#include <math.h>
#include <string.h>

#include "cli/cmd_vrp_report.h"

enum { MOST_PRINTED_SWEEPS = 20 };  // in a summary; more are for a file

static const char *const type_names[] = {"2opt", "3opt", "3opt-complete"};
static const char *const construction_names[] = {"insertion", "single", "savings"};

// ---- Options: the library's lists as each action takes them, and the command's own

#define MCO_OPTION_STRUCT mco_vrp_params
static const mco_option solve_table[] = {
    CLI_EXPAND(MCO_VRP_SEARCH_OPTIONS, CLI_ENTRIES)
    CLI_EXPAND(MCO_VRP_ENGINE_OPTIONS, CLI_ENTRIES)
};
static const mco_option neighbourhood_table[] = {
    CLI_EXPAND(MCO_VRP_NEIGHBOURHOOD_OPTIONS, CLI_ENTRIES)
    MCO_OPTION_REAL_ENTRY(time_limit_s, "--time-limit", INFINITY, 0, (double)INFINITY, (double)INFINITY, "S",
                          "stop after S seconds of wall clock; no limit if not given")
    CLI_EXPAND(MCO_VRP_ENGINE_OPTIONS, CLI_ENTRIES)
};

#undef MCO_OPTION_STRUCT
#define MCO_OPTION_STRUCT mco_vrp_model
static const mco_option model_table[] = {CLI_EXPAND(MCO_VRP_MODEL_OPTIONS, CLI_ENTRIES)};

#undef MCO_OPTION_STRUCT
#define MCO_OPTION_STRUCT cli_outputs
static const mco_option start_table[] = {
    MCO_OPTION_TEXT_ENTRY(start, "--start", "F", "begin with the routes of the solution in F")};
static const mco_option output_table[] = {
    MCO_OPTION_TEXT_ENTRY(json, "--json", "F", "write the result file")
    MCO_OPTION_TEXT_ENTRY(solution, "--solution", "F", "write the routes (.sol, or .csv), anew at improvements and at the end")
    MCO_OPTION_TEXT_ENTRY(plot, "--plot", "F.svg", "draw the routes")
    MCO_OPTION_TEXT_ENTRY(history, "--history", "F.csv", "write the improvements: time, cost, routes")
    CLI_LOG_ENTRIES
};
static const mco_option sweep_output_table[] = {
    MCO_OPTION_TEXT_ENTRY(json, "--json", "F", "write the result file; its history is the cost after each sweep")
    MCO_OPTION_TEXT_ENTRY(solution, "--solution", "F", "write the routes after the last sweep (.sol, or .csv)")
    CLI_LOG_ENTRIES
};

// One solve, or one descent, of the command.
typedef struct session {
    mco_context *ctx;
    mco_vrp_params params;
    mco_vrp_model model;
    cli_outputs outputs;
    mco_vrp *problem;
    mco_vrp_solution start;
    mco_vrp_result result;
    mco_vrp_neighbourhood_result around;
    double process_start_s;
    cli_updates updates;  // of the file under --solution
} session;

#define SESSION_INIT(call)                                                                     \
    {.ctx = (call)->ctx, .params = MCO_VRP_PARAMS_INIT, .model = MCO_VRP_MODEL_INIT,           \
     .result = MCO_VRP_RESULT_INIT, .around = MCO_VRP_NEIGHBOURHOOD_RESULT_INIT,               \
     .process_start_s = (call)->start_s}

// Before the work: instance, solution to start from, and whether all outputs can be written.
static mco_status open_all(session *s, const char *path)
{
    mco_status st = MCO_OK;
    double stated;
    const char *const paths[] = {s->outputs.json, s->outputs.solution, s->outputs.plot, s->outputs.history};
    MCO_TRY(mco_vrp_read(s->ctx, path, &s->model, &s->problem));
    if (s->outputs.start != NULL) {
        MCO_TRY(mco_vrp_read_solution(s->ctx, s->problem, s->outputs.start, &s->start, &stated));
        s->params.start = &s->start;
    }
    MCO_TRY(cli_test_outputs(s->ctx, path, paths, sizeof paths / sizeof paths[0]));
done:
    return st;
}

static void close_all(session *s)
{
    mco_vrp_result_clear(s->ctx, &s->result);
    mco_vrp_neighbourhood_result_clear(s->ctx, &s->around);
    mco_vrp_solution_clear(s->ctx, &s->start);
    mco_vrp_destroy(s->ctx, &s->problem);
}

// ---- What both actions report alike

static void write_sizes(mco_json *json, const void *user)
{
    vrp_report_write_sizes(json, ((const session *)user)->problem);
}

// The members of a report that both actions fill alike.
static cli_report begin_report(const session *s, const mco_vrp_work *w)
{
    return (cli_report){.kind = "vrp",
                        .name = mco_vrp_name(s->problem),
                        .engine = vrp_engine_names[w->engine],
                        .threads = w->threads_used,
                        .gpus = &w->gpu,
                        .gpu_count = w->has_gpu ? 1 : 0,
                        .start_s = s->process_start_s,
                        .solve_s = w->solve_s,
                        .device_s = w->device_s,
                        .user = s,
                        .write_sizes = write_sizes};
}

// Options of both actions behind those of one.
static void echo_options(session *s, cli_report *report)
{
    report->options[1] = CLI_TABLE(model_table, &s->model);
    report->options[2] = CLI_TABLE(start_table, &s->outputs);
}

// ---- solve

static const mco_vrp_solution *solution_of(const session *s)
{
    return s->result.cost >= 0 ? &s->result.solution : NULL;
}

static void write_counters(mco_json *json, const void *user)
{
    const session *s = user;
    const mco_vrp_result *r = &s->result;
    mco_json_integer(json, "iterations", r->iterations);
    if (r->cost >= 0)
        mco_json_integer(json, "routes", r->solution.routes);
    else
        mco_json_null(json, "routes");
    mco_json_real(json, "start_cost", r->start_cost >= 0 ? vrp_report_units(s->problem, r->start_cost) : NAN);
    mco_json_real(json, "scale", mco_vrp_scale(s->problem));
    mco_json_text(json, "simd", r->work.simd_used);
}

static void write_history(mco_json *json, const void *user)
{
    const session *s = user;
    const mco_vrp_result *r = &s->result;
    for (int64_t i = 0; i < r->history_count; i++)
        cli_write_history_entry(json, r->history[i].time_s, vrp_report_units(s->problem, r->history[i].cost),
                                r->bound > 0 ? r->bound : NAN);
}

static void write_solution(mco_json *json, const void *user)
{
    vrp_report_write_solution(json, ((const session *)user)->problem, solution_of(user));
}

static mco_status write_json(session *s)
{
    const mco_vrp_result *r = &s->result;
    cli_report report = begin_report(s, &r->work);
    report.outcome = r->outcome;
    report.stop = r->stop;
    report.objective = r->cost >= 0 ? vrp_report_units(s->problem, r->cost) : NAN;
    report.bound = r->outcome != MCO_OUTCOME_INFEASIBLE && r->bound > 0 ? r->bound : NAN;
    report.is_unchecked = r->cost < 0;
    report.seed = s->params.seed;
    report.options[0] = CLI_TABLE(solve_table, &s->params);
    echo_options(s, &report);
    report.write_counters = write_counters;
    report.write_history = write_history;
    report.write_solution = write_solution;
    return cli_write_report(s->ctx, s->outputs.json, &report);
}

static mco_status write_history_csv(session *s)
{
    mco_output o;
    char text[VRP_COST_TEXT];
    const mco_vrp_result *r = &s->result;
    mco_status st = mco_output_open(s->ctx, s->outputs.history, &o);
    if (st != MCO_OK)
        return st;
    fprintf(o.file, "time_s,cost,routes\n");
    for (int64_t i = 0; i < r->history_count; i++)
        fprintf(o.file, "%.6f,%s,%d\n", r->history[i].time_s, vrp_report_cost(s->problem, r->history[i].cost, text),
                r->history[i].routes);
    return mco_output_commit(s->ctx, &o, false);
}

// One file that cannot be written costs none of the others.
static int write_files(session *s, int code)
{
    const cli_outputs *o = &s->outputs;
    const mco_vrp_solution *solution = solution_of(s);
    if (o->json != NULL)
        code = cli_tell(s->ctx, write_json(s), code);
    if (o->solution != NULL && solution != NULL)
        code = cli_tell(s->ctx, mco_vrp_write_solution(s->ctx, s->problem, solution, o->solution), code);
    if (o->plot != NULL && solution != NULL)
        code = cli_tell(s->ctx, mco_vrp_plot(s->ctx, s->problem, solution, o->plot), code);
    if (o->history != NULL)
        code = cli_tell(s->ctx, write_history_csv(s), code);
    return code;
}

static void print_costs(const session *s)
{
    char text[VRP_COST_TEXT];
    const mco_vrp_result *r = &s->result;
    if (r->cost >= 0) {
        printf("cost       %s", vrp_report_cost(s->problem, r->cost, text));
        if (r->start_cost > r->cost)
            printf("   the first was %s", vrp_report_cost(s->problem, r->start_cost, text));
        printf("\n");
    }
    if (r->bound > 0) {
        printf("bound      %.15g", r->bound);
        if (r->cost > 0)
            printf("   gap %.3f%%", 100 * (1 - r->bound / vrp_report_units(s->problem, r->cost)));
        printf("\n");
    }
}

static void print_summary(const session *s)
{
    const mco_vrp_result *r = &s->result;
    vrp_report_print_instance(s->problem);
    printf("outcome    %s (%s)\n", mco_outcome_text(r->outcome), mco_stop_text(r->stop));
    if (r->outcome == MCO_OUTCOME_INFEASIBLE)
        return;
    print_costs(s);
    if (r->cost >= 0)
        vrp_report_print_fleet(s->problem, &r->solution);
    printf("iterations %lld", (long long)r->iterations);
    if (r->work.solve_s > 0)
        printf(", %.4g/s", (double)r->iterations / r->work.solve_s);
    printf("\n");
    vrp_report_print_engine(&r->work);
    if (r->cost >= 0)
        vrp_report_print_routes(s->problem, &r->solution);
}

// The incumbent of a progress event: first [routes + 1], order [customers]. Only to be read.
static mco_vrp_solution view_incumbent(const session *s, const mco_progress *progress)
{
    const int32_t n = mco_vrp_customers(s->problem), routes = (int32_t)(progress->solution_length - n - 1);
    int32_t *first = (int32_t *)progress->solution;
    return (mco_vrp_solution){.customers = n, .routes = routes, .order = first + routes + 1, .first = first};
}

static int on_progress(const mco_progress *progress, void *user)
{
    session *s = user;
    if (!s->outputs.quiet)
        cli_live_line(progress);
    if (!cli_updates_are_due(&s->updates, progress))
        return 0;
    const mco_vrp_solution view = view_incumbent(s, progress);
    // A failure here shows at the end again, where it is reported.
    (void)mco_vrp_write_solution(s->ctx, s->problem, &view, s->outputs.solution);
    return 0;
}

static int solve(session *s, const char *path)
{
    mco_status st = MCO_OK;
    int code = EXIT_USABLE;
    const double limit_s = s->params.time_limit_s;
    MCO_TRY(open_all(s, path));
    s->updates = cli_updates_begin(s->outputs.solution);
    cli_catch_signals(s->ctx);
    mco_context_set_callback(s->ctx, on_progress, s);
    s->params.time_limit_s = cli_time_left(limit_s, s->process_start_s);
    MCO_TRY(mco_vrp_solve(s->ctx, s->problem, &s->params, &s->result));
    s->params.time_limit_s = limit_s;
    cli_end_live_line();
    code = write_files(s, code);
    if (cli_prints_summary(&s->outputs))
        print_summary(s);
    if (s->result.outcome == MCO_OUTCOME_UNKNOWN && code == EXIT_USABLE)
        code = EXIT_NONE;
done:
    code = cli_tell(s->ctx, st, code);
    close_all(s);
    return code;
}

static int solve_action(const cli_call *call)
{
    session s = SESSION_INIT(call);
    cli_arguments a = {.tables = {CLI_TABLE(solve_table, &s.params), CLI_TABLE(model_table, &s.model),
                                  CLI_TABLE(start_table, &s.outputs), CLI_TABLE(output_table, &s.outputs)},
                       .positional_least = 1, .positional_most = 1,
                       .usage = "mco vrp solve [OPTIONS] INSTANCE (see mco help vrp)"};
    const mco_status st = cli_parse(call, &a);
    if (st != MCO_OK)
        return cli_tell(call->ctx, st, EXIT_USABLE);
    cli_log_settings(call->ctx, &s.outputs);
    return solve(&s, a.positional[0]);
}

// ---- neighbourhood

static double moves_per_s(const mco_vrp_neighbourhood_result *r)
{
    return r->sweeps_s > 0 ? (double)r->moves / r->sweeps_s : NAN;
}

// The move of each sweep: its edges, and with three of them how they are joined again.
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
    const session *s = user;
    const mco_vrp_neighbourhood_result *r = &s->around;
    mco_json_integer(json, "moves", r->moves);
    mco_json_integer(json, "moves_skipped", r->moves_skipped);
    mco_json_integer(json, "sweeps", r->sweep_count);
    mco_json_real(json, "sweeps_s", r->sweeps_s);
    mco_json_real(json, "moves_per_s", moves_per_s(r));
    mco_json_integer(json, "tour_nodes", r->tour_nodes);
    mco_json_real(json, "start_cost", vrp_report_units(s->problem, r->start_cost));
    mco_json_integer(json, "start_routes", r->start_routes);
    mco_json_integer(json, "routes", r->routes);
    mco_json_bool(json, "is_local_optimum", r->is_local_optimum);
    mco_json_real(json, "scale", mco_vrp_scale(s->problem));
    mco_json_text(json, "simd", r->work.simd_used);
    write_moves_made(json, r);
}

static void write_sweep_history(mco_json *json, const void *user)
{
    const session *s = user;
    double time_s = 0;
    for (int64_t i = 0; i < s->around.sweep_count; i++) {
        time_s += s->around.sweeps[i].sweep_s;
        cli_write_history_entry(json, time_s, vrp_report_units(s->problem, s->around.sweeps[i].cost), NAN);
    }
}

static void write_end(mco_json *json, const void *user)
{
    const session *s = user;
    vrp_report_write_solution(json, s->problem, &s->around.solution);
}

// A tour that breaks a rule has a cost, but is no solution.
static mco_outcome outcome_of(const session *s)
{
    return s->around.is_feasible ? MCO_OUTCOME_FEASIBLE : MCO_OUTCOME_UNKNOWN;
}

static mco_status write_sweep_json(session *s)
{
    const mco_vrp_neighbourhood_result *r = &s->around;
    cli_report report = begin_report(s, &r->work);
    report.outcome = outcome_of(s);
    report.stop = r->stop;
    report.objective = vrp_report_units(s->problem, r->cost);
    report.bound = NAN;
    report.is_unchecked = !r->is_feasible;
    report.seed = s->params.filter_seed;
    report.options[0] = CLI_TABLE(neighbourhood_table, &s->params);
    echo_options(s, &report);
    report.write_counters = write_sweep_counters;
    report.write_history = write_sweep_history;
    report.write_solution = write_end;
    return cli_write_report(s->ctx, s->outputs.json, &report);
}

static void print_sweeps(const session *s)
{
    char text[VRP_COST_TEXT];
    const mco_vrp_neighbourhood_result *r = &s->around;
    const int64_t shown = r->sweep_count <= MOST_PRINTED_SWEEPS ? r->sweep_count : MOST_PRINTED_SWEEPS;
    if (shown > 0)
        printf("sweep            cost   routes         s  move\n");
    for (int64_t i = 0; i < shown; i++) {
        const mco_vrp_sweep *sweep = &r->sweeps[i];
        printf("%-6lld %14s %8d %9.4f ", (long long)i + 1, vrp_report_cost(s->problem, sweep->cost, text), sweep->routes,
               sweep->sweep_s);
        if (sweep->x < 0)
            printf(" none improves");
        else if (sweep->z < 0)
            printf(" %d, %d", sweep->x, sweep->y);
        else
            printf(" %d, %d, %d, joined by %d", sweep->x, sweep->y, sweep->z, sweep->p);
        if (sweep->moves_made > 1)
            printf(" and %d more", sweep->moves_made - 1);
        printf("\n");
    }
    if (shown < r->sweep_count)
        printf("... %lld more sweeps\n", (long long)(r->sweep_count - shown));
}

static void print_neighbourhood(const session *s)
{
    char text[VRP_COST_TEXT];
    const mco_vrp_neighbourhood_result *r = &s->around;
    vrp_report_print_instance(s->problem);
    printf("outcome    %s (%s)%s%s\n", mco_outcome_text(outcome_of(s)), mco_stop_text(r->stop),
           r->is_local_optimum ? ", a local optimum of " : "", r->is_local_optimum ? type_names[s->params.type] : "");
    printf("tour       %d nodes, from %s: cost %s, %d route%s\n", r->tour_nodes,
           s->outputs.start != NULL ? s->outputs.start : construction_names[s->params.construct],
           vrp_report_cost(s->problem, r->start_cost, text), r->start_routes, mco_plural(r->start_routes));
    printf("cost       %s\n", vrp_report_cost(s->problem, r->cost, text));
    vrp_report_print_fleet(s->problem, &r->solution);
    printf("moves      %lld of %s in %lld sweep%s, %lld skipped", (long long)r->moves, type_names[s->params.type],
           (long long)r->sweep_count, mco_plural(r->sweep_count), (long long)r->moves_skipped);
    if (r->sweeps_s > 0)
        printf("; %.4g G moves/s, whole sweeps", moves_per_s(r) * 1e-9);
    printf("\n");
    vrp_report_print_engine(&r->work);
    print_sweeps(s);
}

static int neighbourhood(session *s, const char *path)
{
    mco_status st = MCO_OK;
    int code = EXIT_USABLE;
    const double limit_s = s->params.time_limit_s;
    MCO_TRY(open_all(s, path));
    cli_catch_signals(s->ctx);
    s->params.time_limit_s = cli_time_left(limit_s, s->process_start_s);
    MCO_TRY(mco_vrp_neighbourhood(s->ctx, s->problem, &s->params, &s->around));
    s->params.time_limit_s = limit_s;
    if (s->outputs.json != NULL)
        code = cli_tell(s->ctx, write_sweep_json(s), code);
    if (s->outputs.solution != NULL)
        code = cli_tell(s->ctx, mco_vrp_write_solution(s->ctx, s->problem, &s->around.solution, s->outputs.solution), code);
    if (cli_prints_summary(&s->outputs))
        print_neighbourhood(s);
done:
    code = cli_tell(s->ctx, st, code);
    close_all(s);
    return code;
}

static int neighbourhood_action(const cli_call *call)
{
    session s = SESSION_INIT(call);
    cli_arguments a = {.tables = {CLI_TABLE(neighbourhood_table, &s.params), CLI_TABLE(model_table, &s.model),
                                  CLI_TABLE(start_table, &s.outputs), CLI_TABLE(sweep_output_table, &s.outputs)},
                       .positional_least = 1, .positional_most = 1,
                       .usage = "mco vrp neighbourhood [OPTIONS] INSTANCE (see mco help vrp)"};
    const mco_status st = cli_parse(call, &a);
    if (st != MCO_OK)
        return cli_tell(call->ctx, st, EXIT_USABLE);
    cli_log_settings(call->ctx, &s.outputs);
    return neighbourhood(&s, a.positional[0]);
}

// ---- check

// How far the cost in a file may be from ours: real ones are often written with two decimals, and every edge is rounded once.
static double tolerance(const mco_vrp *problem, const mco_vrp_solution *solution)
{
    const double scale = mco_vrp_scale(problem), edges = (double)solution->customers + solution->routes;
    return scale > 1 ? 0.01 + edges / 2 / scale : 1e-6;
}

// One that breaks a rule, or costs something else than its file says, fails the check.
static int check_solution(mco_context *ctx, const mco_vrp *problem, const mco_vrp_solution *solution, double stated)
{
    int64_t cost = 0;
    char text[VRP_COST_TEXT];
    const mco_status st = mco_vrp_check(ctx, problem, solution, &cost);
    if (st != MCO_OK)
        return cli_tell(ctx, st, st == MCO_ERR_ARGUMENT ? EXIT_NONE : EXIT_USABLE);
    vrp_report_cost(problem, cost, text);
    if (!isnan(stated) && fabs(stated - vrp_report_units(problem, cost)) > tolerance(problem, solution))
        return cli_tell(ctx, mco_fail(ctx, MCO_ERR_ARGUMENT, "the solution costs %s with --distance %s, its file says %.15g",
                                      text, vrp_distance_names[mco_vrp_distance_rule(problem)], stated), EXIT_NONE);
    printf("valid: cost %s, %d route%s\n", text, solution->routes, mco_plural(solution->routes));
    vrp_report_print_routes(problem, solution);
    return EXIT_USABLE;
}

static int check(const cli_call *call)
{
    mco_status st = MCO_OK;
    mco_context *ctx = call->ctx;
    int code = EXIT_USABLE;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp *problem = NULL;
    mco_vrp_solution solution = {0};
    double stated = NAN;
    cli_arguments a = {.tables = {CLI_TABLE(model_table, &model)}, .positional_least = 2, .positional_most = 2,
                       .usage = "mco vrp check [OPTIONS] INSTANCE SOLUTION (see mco help vrp)"};
    MCO_TRY(cli_parse(call, &a));
    MCO_TRY(mco_vrp_read(ctx, a.positional[0], &model, &problem));
    st = mco_vrp_read_solution(ctx, problem, a.positional[1], &solution, &stated);
    if (st == MCO_ERR_PARSE) {
        code = cli_tell(ctx, st, EXIT_NONE);
        st = MCO_OK;
        goto done;
    }
    MCO_TRY(st);
    code = check_solution(ctx, problem, &solution, stated);
done:
    code = cli_tell(ctx, st, code);
    mco_vrp_solution_clear(ctx, &solution);
    mco_vrp_destroy(ctx, &problem);
    return code;
}

// ---- generate

#undef MCO_OPTION_STRUCT
#define MCO_OPTION_STRUCT mco_vrp_generation
static const mco_option generate_table[] = {CLI_EXPAND(MCO_VRP_GENERATE_OPTIONS, CLI_ENTRIES)};

#undef MCO_OPTION_STRUCT
#define MCO_OPTION_STRUCT cli_outputs
static const mco_option instance_table[] = {
    MCO_OPTION_TEXT_ENTRY(solution, "--output", "F", "where to write the instance (VRPLIB); standard output without it")};

static int generate(const cli_call *call)
{
    mco_status st = MCO_OK;
    mco_context *ctx = call->ctx;
    mco_vrp_generation g = MCO_VRP_GENERATION_INIT;
    cli_outputs outputs = {0};
    mco_vrp *problem = NULL;
    cli_arguments a = {.tables = {CLI_TABLE(generate_table, &g), CLI_TABLE(instance_table, &outputs)},
                       .usage = "mco vrp generate --customers N | --giant-tour-nodes T [OPTIONS] (see mco help vrp)"};
    MCO_TRY(cli_parse(call, &a));
    if ((g.customers < 0) == (g.giant_tour_nodes == 0))
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "usage: %s", a.usage));
    if (outputs.solution != NULL)
        MCO_TRY(cli_test_outputs(ctx, NULL, &outputs.solution, 1));
    MCO_TRY(mco_vrp_generate(ctx, &g, &problem));
    MCO_TRY(mco_vrp_write(ctx, problem, outputs.solution != NULL ? outputs.solution : "-"));
done:
    mco_vrp_destroy(ctx, &problem);
    return cli_tell(ctx, st, EXIT_USABLE);
}

static void help(FILE *file)
{
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp_generation g = MCO_VRP_GENERATION_INIT;
    cli_outputs outputs = {0};
    fputs("Vehicle routing: identical vehicles serve customers from a depot and carry no more than their capacity; find\n"
          "routes of least total distance, of limited length or number where a limit is given.\n\n"
          "  mco vrp solve         [OPTIONS] INSTANCE\n"
          "  mco vrp neighbourhood [OPTIONS] INSTANCE\n"
          "  mco vrp check         [OPTIONS] INSTANCE SOLUTION\n"
          "  mco vrp generate      --customers N | --giant-tour-nodes T [OPTIONS]\n\n"
          "INSTANCE is a VRPLIB or TSPLIB file or CSV with names (plain or gzip, - for standard input), SOLUTION a\n"
          "CVRPLIB .sol file, CSV or a result file. Defaults stand in brackets.\n\n"
          "The instance, the same for solve, neighbourhood and check:\n",
          file);
    cli_help(file, CLI_TABLE(model_table, &model));
    fputs("\nsolve:\n", file);
    cli_help(file, CLI_TABLE(solve_table, &params));
    cli_help(file, CLI_TABLE(start_table, &outputs));
    cli_help(file, CLI_TABLE(output_table, &outputs));
    fputs("\nneighbourhood: all moves of the giant tour, evaluated sweep by sweep; the cost after each, and the rate. Where\n"
          "the routes at the end break a rule, as those at the start did, the outcome is unknown and the exit code 0\n",
          file);
    cli_help(file, CLI_TABLE(neighbourhood_table, &params));
    cli_help(file, CLI_TABLE(start_table, &outputs));
    cli_help(file, CLI_TABLE(sweep_output_table, &outputs));
    fputs("\ncheck: whether every customer is in one route, and no route too heavy or too long; the cost and the routes\n"
          "\ngenerate: a random instance after Uchoa et al. (2017)\n", file);
    cli_help(file, CLI_TABLE(generate_table, &g));
    cli_help(file, CLI_TABLE(instance_table, &outputs));
    fputs("\nexit codes: 0 usable result, 1 none found or check failed, 2 usage, 3 file, 4 memory or device, 5 internal\n",
          file);
}

const cli_problem cli_vrp = {
    .name = "vrp",
    .text = "vehicle routing: routes of least distance under capacities, lengths and a number of vehicles",
    .help = help,
    .actions = {{"solve", solve_action}, {"neighbourhood", neighbourhood_action}, {"check", check},
                {"generate", generate}},
};
