// SPDX-License-Identifier: MIT
// mco vrp solve | neighbourhood | check | generate; bound and relax are in bound/command.c
#include <math.h>
#include <stdio.h>

#include "base/rng.h"
#include "cli/frame.h"
#include "mco/vrp.h"
#include "vrp/bound/command.h"
#include "vrp/print.h"

// A printed summary shows no more than these; a file holds all.
enum { MOST_PRINTED_SWEEPS = 20 };

static const char *const type_names[] = {"2opt", "3opt", "3opt-complete"};
static const char *const construction_names[] = {"insertion", "single", "savings"};

typedef struct session {
    mco_vrp_params params;
    mco_vrp_model model;
    mco_vrp *problem;
    const char *start;  // the file of the start or of the solution to check
    mco_vrp_solution read;  // the start, or the solution to check
    double stated;      // the cost stated in its file; NaN if none
    mco_vrp_result result;
    mco_vrp_neighbourhood_result around;
    uint64_t written;   // digest of the routes in the file of --solution; 0: none
} session;

static void begin(void *state)
{
    *(session *)state = (session){.params = MCO_VRP_PARAMS_INIT, .model = MCO_VRP_MODEL_INIT, .stated = NAN,
                                  .result = MCO_VRP_RESULT_INIT, .around = MCO_VRP_NEIGHBOURHOOD_RESULT_INIT};
}

static void solve_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){mco_vrp_solve_options(), &((session *)state)->params};
    out[1] = (mco_option_values){mco_vrp_model_options(), &((session *)state)->model};
}

static void neighbourhood_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){mco_vrp_neighbourhood_options(), &((session *)state)->params};
    out[1] = (mco_option_values){mco_vrp_model_options(), &((session *)state)->model};
}

#define MCO_OPTION_STRUCT mco_vrp_params
static const mco_option fleet_records[] = {MCO_OPTION_RECORDS(MCO_VRP_FLEET_OPTIONS)};
static const mco_option_table fleet_options = MCO_OPTION_TABLE(fleet_records);
#undef MCO_OPTION_STRUCT

static void check_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){mco_vrp_model_options(), &((session *)state)->model};
    out[1] = (mco_option_values){&fleet_options, &((session *)state)->params};
}

static mco_status open(cli_call *call)
{
    session *s = call->state;
    return mco_vrp_read(call->ctx, call->inputs[0], &s->model, &s->problem);
}

static mco_status read_solution(cli_call *call, const char *path)
{
    session *s = call->state;
    s->start = path;
    s->params.start = &s->read;
    return mco_vrp_read_solution(call->ctx, s->problem, path, &s->read, &s->stated);
}

static void end(cli_call *call)
{
    session *s = call->state;
    mco_vrp_result_clear(call->ctx, &s->result);
    mco_vrp_neighbourhood_result_clear(call->ctx, &s->around);
    mco_vrp_solution_clear(call->ctx, &s->read);
    mco_vrp_destroy(call->ctx, &s->problem);
}

// ---- solve

static mco_status solve(cli_call *call)
{
    session *s = call->state;
    return mco_vrp_solve(call->ctx, s->problem, &s->params, &s->result);
}

static bool has_solution(const void *state)
{
    return ((const session *)state)->result.scaled_cost >= 0;
}

static mco_status write_result(cli_call *call, const mco_option_values *more, const char *path)
{
    const session *s = call->state;
    return mco_vrp_write_result(call->ctx, s->problem, &s->params, &s->result, more, path);
}

// Two solutions of an instance with one digest are the same ones.
static uint64_t digest_of(const mco_vrp_solution *solution)
{
    uint64_t digest = (uint64_t)solution->routes + 1;
    for (int32_t r = 0; r < solution->routes; r++) {
        digest ^= (uint64_t)solution->first[r];
        digest = mco_splitmix64(&digest);
    }
    for (int32_t i = 0; i < solution->customers; i++) {
        digest ^= (uint64_t)solution->order[i];
        digest = mco_splitmix64(&digest);
    }
    return digest;
}

// Writes routes that are not in the file yet; a file of a million customers takes some tenths of a second.
static mco_status write_solution(cli_call *call, const void *incumbent, double objective, const char *path)
{
    session *s = call->state;
    const mco_vrp_solution *solution = incumbent != NULL ? incumbent : &s->result.solution;
    const uint64_t digest = digest_of(solution);
    (void)objective;
    if (digest == s->written && cli_is_old_file(path))
        return MCO_OK;
    const mco_status st = mco_vrp_write_solution(call->ctx, s->problem, solution, path);
    if (st == MCO_OK)
        s->written = digest;
    return st;
}

static mco_status plot(cli_call *call, const char *path)
{
    const session *s = call->state;
    return mco_vrp_plot_result(call->ctx, s->problem, &s->result, path);
}

static void print_costs(const session *s)
{
    char text[VRP_COST_TEXT];
    const mco_vrp_result *r = &s->result;
    if (r->scaled_cost >= 0) {
        printf("cost       %s", vrp_cost_text(s->problem, r->cost, text));
        if (r->start_cost > r->cost)
            printf("   the first was %s", vrp_cost_text(s->problem, r->start_cost, text));
        printf("\n");
    }
    if (r->bound > 0 || (s->params.prove && r->bound == 0)) {
        printf("bound      %.15g", r->bound);
        if (r->cost > 0)
            printf("   gap %.3f%%", 100 * (1 - r->bound / r->cost));
        printf("%s\n", r->is_bound_rechecked ? "   rechecked" : "");
    }
    if (r->bound_checked[0] != '\0')
        printf("recheck    %s\n", r->bound_checked);
}

static mco_status print(cli_call *call)
{
    const session *s = call->state;
    const mco_vrp_result *r = &s->result;
    vrp_print_instance(s->problem);
    if (s->params.prove || s->params.vehicles_exactly > 0)
        vrp_print_fleet_rule(s->problem, s->params.vehicles_exactly);
    cli_print_outcome(r->outcome, r->stop, r->reason);
    if (r->outcome == MCO_OUTCOME_INFEASIBLE)
        return MCO_OK;
    print_costs(s);
    if (r->scaled_cost >= 0)
        vrp_print_fleet(s->problem, &r->solution);
    if (r->iterations > 0 || r->outcome != MCO_OUTCOME_OPTIMAL)  // the exact method makes none
        printf("iterations %lld, %.4g/s\n", (long long)r->iterations, (double)r->iterations / fmax(r->work.solve_s, 1e-9));
    vrp_print_time(call->ctx, &r->work);
    if (r->scaled_cost >= 0)
        vrp_print_routes(s->problem, &r->solution);
    return MCO_OK;
}

// ---- neighbourhood

static mco_status sweep(cli_call *call)
{
    session *s = call->state;
    return mco_vrp_neighbourhood(call->ctx, s->problem, &s->params, &s->around);
}

static mco_status write_neighbourhood(cli_call *call, const mco_option_values *more, const char *path)
{
    const session *s = call->state;
    return mco_vrp_write_neighbourhood(call->ctx, s->problem, &s->params, &s->around, more, path);
}

static mco_status write_end(cli_call *call, const void *incumbent, double objective, const char *path)
{
    const session *s = call->state;
    (void)objective;
    return mco_vrp_write_solution(call->ctx, s->problem, incumbent != NULL ? incumbent : &s->around.solution, path);
}

static void print_move(const mco_vrp_sweep *sweep)
{
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

static void print_sweeps(const session *s)
{
    char text[VRP_COST_TEXT];
    const mco_vrp_neighbourhood_result *r = &s->around;
    const int64_t shown = r->sweep_count <= MOST_PRINTED_SWEEPS ? r->sweep_count : MOST_PRINTED_SWEEPS;
    if (shown > 0)
        printf("sweep            cost   routes         s  move\n");
    for (int64_t i = 0; i < shown; i++) {
        const mco_vrp_sweep *sweep = &r->sweeps[i];
        printf("%-6lld %14s %8d %9.4f ", (long long)i + 1, vrp_cost_text(s->problem, vrp_units(s->problem, sweep->scaled_cost), text),
               sweep->routes, sweep->sweep_s);
        print_move(sweep);
    }
    if (shown < r->sweep_count)
        printf("... %lld more sweeps\n", (long long)(r->sweep_count - shown));
}

static mco_status print_neighbourhood(cli_call *call)
{
    char text[VRP_COST_TEXT];
    const session *s = call->state;
    const mco_vrp_neighbourhood_result *r = &s->around;
    const char *const type = type_names[s->params.type];
    vrp_print_instance(s->problem);
    printf("outcome    %s (%s)%s%s\n", mco_outcome_text(r->is_feasible ? MCO_OUTCOME_FEASIBLE : MCO_OUTCOME_UNKNOWN),
           mco_stop_text(r->stop), r->is_local_optimum ? ", a local optimum of " : "", r->is_local_optimum ? type : "");
    printf("tour       %d nodes, from %s: cost %s, %d route%s\n", r->tour_nodes,
           s->start != NULL ? s->start : construction_names[s->params.construct],
           vrp_cost_text(s->problem, vrp_units(s->problem, r->scaled_start_cost), text), r->start_routes, mco_plural(r->start_routes));
    printf("cost       %s\n", vrp_cost_text(s->problem, vrp_units(s->problem, r->scaled_cost), text));
    vrp_print_fleet(s->problem, &r->solution);
    printf("moves      %lld of %s in %lld sweep%s, %lld skipped", (long long)r->moves, type, (long long)r->sweep_count,
           mco_plural(r->sweep_count), (long long)r->moves_skipped);
    if (r->sweeps_s > 0)
        printf("; %.4g G moves/s, whole sweeps", (double)r->moves / r->sweeps_s * 1e-9);
    printf("\n");
    vrp_print_time(call->ctx, &r->work);
    print_sweeps(s);
    return MCO_OK;
}

// ---- check

// How far the cost stated in a file may be from the computed one. Real costs are often written with two decimals, and
// the computed one rounds every edge once.
static double tolerance(const mco_vrp *problem, const mco_vrp_solution *solution)
{
    const double scale = mco_vrp_scale(problem), edges = (double)solution->customers + solution->routes;
    return scale > 1 ? 0.01 + edges / 2 / scale : 1e-6;
}

// A solution fails the check if it breaks a rule, has another number of routes than was asked for, or if its cost is not the one that its file states.
static mco_status check(cli_call *call)
{
    mco_status st = MCO_OK;
    const session *s = call->state;
    int64_t scaled = 0;
    char text[VRP_COST_TEXT];
    MCO_TRY(mco_vrp_check(call->ctx, s->problem, &s->read, &scaled));
    const double cost = vrp_units(s->problem, scaled);
    vrp_cost_text(s->problem, cost, text);
    if (s->params.vehicles_exactly > 0 && s->read.routes != s->params.vehicles_exactly)
        MCO_TRY(mco_fail(call->ctx, MCO_ERR_CHECK, "%d route%s, exactly %lld were expected", s->read.routes, mco_plural(s->read.routes),
                         (long long)s->params.vehicles_exactly));
    if (!isnan(s->stated) && fabs(s->stated - cost) > tolerance(s->problem, &s->read))
        MCO_TRY(mco_fail(call->ctx, MCO_ERR_CHECK, "the solution costs %s with --distance %s, its file says %.15g", text,
                         vrp_distance_name(s->problem), s->stated));
    printf("valid: cost %s, %d route%s\n", text, s->read.routes, mco_plural(s->read.routes));
    vrp_print_routes(s->problem, &s->read);
done:
    return st;
}

// ---- generate

typedef struct generation {
    mco_vrp_generation params;
    cli_generated file;
    mco_vrp *problem;
} generation;

static void begin_generation(void *state)
{
    ((generation *)state)->params = (mco_vrp_generation)MCO_VRP_GENERATION_INIT;
}

static void generate_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){mco_vrp_generation_options(), &((generation *)state)->params};
    out[1] = (mco_option_values){&cli_generated_options, &((generation *)state)->file};
}

static void generated_file(const void *state, const char *out[CLI_MORE_OUTPUTS])
{
    out[0] = ((const generation *)state)->file.output;
}

static mco_status generate(cli_call *call)
{
    mco_status st = MCO_OK;
    generation *g = call->state;
    MCO_TRY(mco_vrp_generate(call->ctx, &g->params, &g->problem));
    MCO_TRY(mco_vrp_write(call->ctx, g->problem, cli_generated_path(&g->file)));
done:
    return st;
}

static void end_generation(cli_call *call)
{
    mco_vrp_destroy(call->ctx, &((generation *)call->state)->problem);
}

const cli_problem cli_vrp = {
    .name = "vrp",
    .text = "vehicle routing: routes of least distance under capacities, lengths and a number of vehicles",
    .about = "Vehicle routing: identical vehicles serve customers from a depot and carry no more than their capacity; find\n"
             "routes of least total distance, of limited length or number where a limit is given.\n\n"
             "INSTANCE is a VRPLIB or TSPLIB file or CSV with names (plain or gzip, - for standard input), SOLUTION a\n"
             "CVRPLIB .sol file, CSV or a result file.",
    .example = "solve examples/bakery.csv --time-limit 2 --solution routes.csv --plot map.svg",
    .csv = {{"CSV of INSTANCE: rows of limits, a header, the row of the depot, then a row for each customer (columns in any\n"
             "order, cells by , ; or tab; lines that begin with # before the header are comments). A row of limits is a word\n"
             "and a number: capacity, vehicles, max-length, service-time; options come first. A matrix of distances may follow.",
             {{"x, y", "place; distances are straight lines, rounded unless --distance real"},
              {"latitude, longitude", "place in decimal degrees, instead of x and y; distances are metres on the sphere"},
              {"demand", "of up to 6 decimals; needed, empty for the depot"},
              {"name or id", "shown in summary and picture; if absent or empty, the number of the customer from 1"},
              {"service", "service time, in units of distance; counts for --max-length; if absent or empty, 0"}}},
            {"CSV of a solution (--solution F.csv, --start, check): a row for each customer as visited, routes one by one:",
             {{"route", "number of the route, from 1; needed"},
              {"customer", "number of the customer, from 1; needed if there is no name"},
              {"name", "its name"}}}},
    .actions = {
        {.name = "solve", .arguments = "[OPTIONS] INSTANCE", .least = 1, .most = 1,
         .text = "routes by search; 10 s where no end is given", .state_bytes = sizeof(session), .begin = begin,
         .tables = solve_tables, .open = open, .start_text = "begin with the routes of the solution in F",
         .read_start = read_solution, .ranks = CLI_RANKS_SHARE, .solve = solve, .has_solution = has_solution,
         .write_result = write_result,
         .solution_text = "write the routes (.sol, or .csv), anew at improvements and at the end",
         .write_solution = write_solution, .plot_text = "draw the routes", .plot = plot, .objective = "cost",
         .history = offsetof(session, result.history),
         .history_count = offsetof(session, result.history_count), .print = print, .end = end},
        {.name = "neighbourhood", .arguments = "[OPTIONS] INSTANCE", .least = 1, .most = 1,
         .text = "evaluate all moves of the giant tour, sweep by sweep; print the cost after each sweep, and the rate.\n"
                 "If the routes break a rule at the start and still do at the end, the outcome is unknown and the exit code 0",
         .state_bytes = sizeof(session), .begin = begin, .tables = neighbourhood_tables, .open = open,
         .start_text = "begin with the routes of the solution in F", .read_start = read_solution, .solve = sweep,
         .write_result = write_neighbourhood,
         .solution_text = "write the routes after the last sweep (.sol, or .csv)", .write_solution = write_end,
         .print = print_neighbourhood, .end = end},
        VRP_BOUND_ACTION,
        VRP_RELAX_ACTION,
        {.name = "check", .arguments = "[OPTIONS] INSTANCE SOLUTION", .least = 2, .most = 2,
         .text = "test that every customer is in one route and no limit is exceeded; print the cost and the routes.\n"
                 "Options that are not given are those that a result file states",
         .state_bytes = sizeof(session), .begin = begin, .tables = check_tables, .open = open,
         .read_solution = read_solution, .check = check, .end = end},
        {.name = "generate", .arguments = "--customers N | --giant-tour-nodes T [OPTIONS]",
         .text = "a random instance after Uchoa et al. (2017)", .state_bytes = sizeof(generation),
         .begin = begin_generation, .tables = generate_tables, .more_outputs = generated_file, .run = generate,
         .end = end_generation},
    },
};
