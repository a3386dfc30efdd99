// SPDX-License-Identifier: MIT
// mco traffic assign | check, and the table of all actions
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/output.h"
#include "cli/cli.h"
#include "traffic/command.h"

// ---- Files of every action

#define FILE_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                        \
    TEXT(nodes, "--nodes", "NODE", "places of the nodes: a TNTP node file or node.csv; pictures need them")   \
    TEXT(turns, "--turns", "F.csv", "turns that cost or are forbidden: from, via, to, cost; or movements of GMNS")

#define MCO_OPTION_STRUCT traffic_input
static const mco_option input_records[] = {MCO_OPTION_RECORDS(FILE_OPTIONS)};
const mco_option_table traffic_input_options = MCO_OPTION_TABLE(input_records);
#undef MCO_OPTION_STRUCT

// What the actions take that look at flows: nothing about how flows are found.
#define MCO_OPTION_STRUCT mco_traffic_params
static const mco_option model_records[] = {MCO_OPTION_RECORDS(MCO_TRAFFIC_MODEL_OPTIONS)};
const mco_option_table traffic_model_options = MCO_OPTION_TABLE(model_records);
#undef MCO_OPTION_STRUCT

mco_status traffic_open(cli_call *call, const traffic_input *input, const char *network, const char *trips, mco_traffic **out)
{
    const mco_traffic_files files = {.network = network, .nodes = input->nodes, .trips = trips, .turns = input->turns};
    return mco_traffic_read(call->ctx, &files, out);
}

// ---- assign

#define ASSIGN_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                   \
    TEXT(state, "--state", "F", "flows of origins and pairs of segments: read if the file is there, written at the end")   \
    TEXT(flows, "--flows", "F", "write flows, costs and flow over capacity of the links: .tntp, .csv or .geojson")         \
    TEXT(passes, "--history", "F.csv", "write the passes: time, objective, gap")                                           \
    TEXT(convergence, "--convergence", "F.svg", "draw the gap by time")

typedef struct assigning {
    MCO_FIELDS(ASSIGN_OPTIONS)
} assigning;
#define MCO_OPTION_STRUCT assigning
static const mco_option assign_records[] = {MCO_OPTION_RECORDS(ASSIGN_OPTIONS)};
static const mco_option_table assign_options = MCO_OPTION_TABLE(assign_records);
#undef MCO_OPTION_STRUCT

typedef struct session {
    mco_traffic_params params;
    assigning files;
    traffic_input input;
    mco_traffic *traffic;
    mco_traffic_state *state;
    double *flow, *class_flow;  // to start from
    mco_traffic_result result;
} session;

static void begin(void *state)
{
    *(session *)state = (session){.params = MCO_TRAFFIC_PARAMS_INIT, .result = MCO_TRAFFIC_RESULT_INIT};
}

static void tables(void *state, mco_option_values *out)
{
    session *s = state;
    out[0] = (mco_option_values){mco_traffic_options(), &s->params};
    out[1] = (mco_option_values){&assign_options, &s->files};
    out[2] = (mco_option_values){&traffic_input_options, &s->input};
}

// Refuses files that the method cannot write, before it works for them.
static mco_status refuse_state(cli_call *call)
{
    static const char *const names[] = {"auto", "pairs", "fw", "cfw", "bfw"};
    const session *s = call->state;
    const mco_traffic_method method = s->params.method;
    if (s->files.state == NULL || method == MCO_TRAFFIC_METHOD_AUTO || method == MCO_TRAFFIC_METHOD_PAIRS)
        return MCO_OK;
    return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--state: the method %s keeps no state; pairs does", names[method]);
}

static mco_status refuse_flows(cli_call *call)
{
    const session *s = call->state;
    if (s->files.flows != NULL && (cli_ends_with(s->files.flows, ".json") || cli_ends_with(s->files.flows, ".json.gz")))
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--flows %s: .tntp, .csv or .geojson was expected; --json writes the whole result", s->files.flows);
    const bool is_map = s->files.flows != NULL && (cli_ends_with(s->files.flows, ".geojson") || cli_ends_with(s->files.flows, ".geojson.gz"));
    if (!is_map || mco_traffic_view(s->traffic).x != NULL)
        return MCO_OK;
    return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--flows %s: GeoJSON needs places, --nodes names a file of them", s->files.flows);
}

static mco_status open(cli_call *call)
{
    mco_status st = MCO_OK;
    session *s = call->state;
    MCO_TRY(refuse_state(call));
    s->params.wants_state = s->files.state != NULL;
    if (s->params.wants_state)
        s->params.method = MCO_TRAFFIC_METHOD_PAIRS;
    MCO_TRY(traffic_open(call, &s->input, call->inputs[0], call->inputs[1], &s->traffic));
    if (s->files.state != NULL && cli_is_old_file(s->files.state))
        MCO_TRY(mco_traffic_state_read(call->ctx, s->traffic, s->files.state, &s->state));
    MCO_TRY(refuse_flows(call));
done:
    return st;
}

static mco_status read_start(cli_call *call, const char *path)
{
    session *s = call->state;
    if (s->files.state != NULL)
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--start begins fw, cfw or bfw, --state belongs to pairs: one of them was expected");
    return mco_traffic_read_flows(call->ctx, s->traffic, path, &s->flow, &s->class_flow);
}

static mco_status refuse_output(cli_call *call, const char *flag)
{
    const session *s = call->state;
    if (strcmp(flag, "--plot") == 0 && s->input.nodes == NULL && cli_ends_with(call->inputs[0], ".tntp"))
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--plot draws a map: --nodes with the places of the nodes is needed");
    return MCO_OK;
}

static const char *const *inputs(const void *state, int64_t *count)
{
    *count = 2;  // neighbours in the struct
    return &((const session *)state)->input.nodes;
}

static void outputs(const void *state, const char *out[CLI_MORE_OUTPUTS])
{
    const session *s = state;
    out[0] = s->files.state;
    out[1] = s->files.flows;
    out[2] = s->files.passes;
    out[3] = s->files.convergence;
}

static mco_status assign(cli_call *call)
{
    session *s = call->state;
    const mco_traffic_start start = {.state = s->state, .flow = s->flow};
    return mco_traffic_assign(call->ctx, s->traffic, &s->params, &start, &s->result);
}

static bool has_flows(const void *state)
{
    return ((const session *)state)->result.flow != NULL;
}

static mco_status write_result(cli_call *call, const mco_option_values *more, const char *path)
{
    const session *s = call->state;
    return mco_traffic_write_result(call->ctx, s->traffic, &s->params, &s->result, more, path);
}

static mco_status plot(cli_call *call, const char *path)
{
    const session *s = call->state;
    return mco_traffic_plot_flows(call->ctx, s->traffic, &s->params, &s->result, path);
}

static mco_status write_passes(mco_context *ctx, const mco_traffic_result *r, const char *path)
{
    mco_output o;
    const mco_status st = mco_output_open(ctx, path, &o);
    if (st != MCO_OK)
        return st;
    fprintf(o.file, "time_s,objective,gap\n");
    for (int64_t i = 0; i < r->history_count; i++)
        fprintf(o.file, "%.6f,%.17g,%.6g\n", r->history[i].time_s, r->history[i].objective, r->history[i].gap);
    return mco_output_commit(ctx, &o, false);
}

static mco_status write_state(cli_call *call, const session *s)
{
    if (s->result.state == NULL)
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--state: the method %s keeps no state; pairs does",
                        s->result.method == MCO_TRAFFIC_METHOD_FW ? "fw" : s->result.method == MCO_TRAFFIC_METHOD_CFW ? "cfw" : "bfw");
    return mco_traffic_state_write(call->ctx, s->traffic, s->result.state, s->files.state);
}

// Tries all files and returns the first failure.
static mco_status write_more(cli_call *call)
{
    session *s = call->state;
    mco_status first = MCO_OK, st;
    if (s->files.passes != NULL)
        first = write_passes(call->ctx, &s->result, s->files.passes);
    if (!has_flows(s))
        return first;
    if (s->files.flows != NULL && (st = mco_traffic_write_flows(call->ctx, s->traffic, &s->result, s->files.flows)) != MCO_OK)
        first = first != MCO_OK ? first : st;
    if (s->files.convergence != NULL &&
        (st = mco_traffic_plot_history(call->ctx, s->traffic, &s->result, s->files.convergence)) != MCO_OK)
        first = first != MCO_OK ? first : st;
    if (s->files.state != NULL && (st = write_state(call, s)) != MCO_OK)
        first = first != MCO_OK ? first : st;
    return first;
}

bool traffic_has_summary(const char *output)
{
    return !cli_is_stdout(output);
}

void traffic_print_network(const mco_traffic *traffic)
{
    const mco_traffic_network n = mco_traffic_view(traffic);
    printf("network    %s, %d node%s, %d zone%s, %d link%s\n", mco_traffic_name(traffic), n.nodes, mco_plural(n.nodes), n.zones,
           mco_plural(n.zones), n.links, mco_plural(n.links));
}

// Who named a factor: the list of classes, the call, or the header of the trips.
static const char *factor_source(double own, double of_call, double of_header)
{
    return own >= 0 ? "list of classes" : of_call >= 0 ? "this call" : of_header >= 0 ? "header of the trips" : "default";
}

mco_status traffic_print_factors(cli_call *call, const mco_traffic *traffic, const mco_traffic_params *params)
{
    mco_status st = MCO_OK;
    const int32_t classes = mco_traffic_class_count(traffic);
    for (int32_t k = 0; k < classes; k++) {
        const mco_traffic_class *c = mco_traffic_class_at(traffic, k);
        double toll, distance;
        MCO_TRY(mco_traffic_factors(call->ctx, traffic, params, k, &toll, &distance));
        if (toll == 0 && distance == 0)
            continue;
        printf("factors    toll %.6g (%s%s), length %.6g (%s)", toll, factor_source(c->toll_factor, params->toll_factor, c->stated_toll_factor),
               c->value_of_time > 0 ? ", value of time" : "", distance,
               factor_source(c->distance_factor, params->distance_factor, c->stated_distance_factor));
        printf(classes > 1 ? ", class %s\n" : "\n", c->name);
    }
done:
    return st;
}

// NaN: the streets have no potential.
static void print_objective(double objective)
{
    if (isnan(objective))
        printf("objective  none: the streets depend on flows of other links\n");
    else
        printf("objective  %.15g\n", objective);
}

static mco_status print(cli_call *call)
{
    mco_status st = MCO_OK;
    const session *s = call->state;
    const mco_traffic_result *r = &s->result;
    traffic_print_network(s->traffic);
    if (r->flow == NULL) {
        cli_print_outcome(r->outcome, r->stop, "");
        printf("reason     %s\n", r->outcome == MCO_OUTCOME_INFEASIBLE ? r->reason : "there was no time to load all trips once");
        printf("time       %.6f s, ", r->work.solve_s);
        cli_print_engine(call->ctx, &r->work);
        printf("\n");
        return MCO_OK;
    }
    printf("trips      %.10g assigned, %.10g within a zone", r->assigned, r->intrazonal);
    if (r->dropped_pairs > 0)
        printf(", %.10g dropped: %" PRId64 " pair%s without a path", r->dropped, r->dropped_pairs, mco_plural(r->dropped_pairs));
    if (r->artificial_arcs > 0)
        printf(", %.10g over %d artificial arc%s", r->artificial_trips, r->artificial_arcs, mco_plural(r->artificial_arcs));
    printf("\n");
    MCO_TRY(traffic_print_factors(call, s->traffic, &s->params));
    cli_print_outcome(r->outcome, r->stop, "");
    if (r->flow != NULL) {
        print_objective(r->objective);
        printf("gap        %.3g (%s)\n", r->gap, r->is_certified ? "certified" : "the engine's own");
        printf("total cost %.15g\n", r->total_cost);
        if (r->price_of_anarchy > 0)
            printf("anarchy    %.9g: total cost of the user equilibrium by that of the system optimum, at gaps of %.3g or less\n", r->price_of_anarchy,
                   r->anarchy_gap);
    }
    printf("method     %s\n", r->reason);
    printf("effort     %" PRId64 " iteration%s", r->iterations, mco_plural(r->iterations));
    if (r->segment_pairs > 0)
        printf(", %" PRId64 " pair%s of segments", r->segment_pairs, mco_plural(r->segment_pairs));
    printf("\ntime       %.6f s, ", r->work.solve_s);
    cli_print_engine(call->ctx, &r->work);
    printf("\n");
done:
    return st;
}

static void end(cli_call *call)
{
    session *s = call->state;
    mco_traffic_result_clear(call->ctx, &s->result);
    mco_traffic_flows_clear(call->ctx, &s->flow, &s->class_flow);
    mco_traffic_state_clear(call->ctx, &s->state);
    mco_traffic_destroy(call->ctx, &s->traffic);
}

// ---- check

static void check_tables(void *state, mco_option_values *out)
{
    session *s = state;
    out[0] = (mco_option_values){&traffic_model_options, &s->params};
    out[1] = (mco_option_values){&traffic_input_options, &s->input};
}

static mco_status check_open(cli_call *call)
{
    session *s = call->state;
    return traffic_open(call, &s->input, call->inputs[0], call->inputs[1], &s->traffic);
}

static mco_status check(cli_call *call)
{
    mco_status st = MCO_OK;
    const session *s = call->state;
    mco_traffic_facts facts;
    MCO_TRY(mco_traffic_check(call->ctx, s->traffic, &s->params, s->flow, s->class_flow, &facts));
    traffic_print_network(s->traffic);
    const bool is_optimum = s->params.objective == MCO_TRAFFIC_SO;
    MCO_TRY(traffic_print_factors(call, s->traffic, &s->params));
    print_objective(facts.objective);
    printf("total cost %.15g\n", facts.total_cost);
    printf("least cost %.15g%s\n", facts.least_cost, is_optimum ? " at marginal costs, as the gap" : "");
    printf("gap        %.6g%s\n", facts.gap, s->params.capacities == MCO_TRAFFIC_CAPACITIES_HARD ? " at free costs: prices of queues are not in flows" : "");
    printf("imbalance  %.3g trips at most at a node\n", facts.imbalance);
    if (s->params.capacities == MCO_TRAFFIC_CAPACITIES_HARD)
        printf("excess     %.3g above a capacity\n", facts.excess);
done:
    return st;
}

const cli_problem cli_traffic = {
    .name = "traffic",
    .text = "traffic assignment: flows on a road network in user equilibrium or system optimum",
    .about = "Static traffic assignment: the flows where no traveller finds a cheaper way (user equilibrium), or where all\n"
             "together are cheapest (system optimum). Costs of links grow with their flows.\n\n"
             "NET is a TNTP network, a GMNS link.csv or its folder, or a CSV of streets. TRIPS is a TNTP file of trips, a CSV\n"
             "(matrix, or rows origin, destination, trips), an .omx file, or a list of classes. FLOWS is a TNTP flow file, a\n"
             "CSV or a result file. Files may end in .gz.",
    .example = "assign examples/town examples/town/trips.csv --flows flows.csv --plot flows.svg",
    .actions = {
        {.name = "assign", .arguments = "[OPTIONS] NET TRIPS", .text = "assigns the trips to the network", .least = 2, .most = 2,
         .state_bytes = sizeof(session), .begin = begin, .tables = tables, .open = open, .refuse_output = refuse_output,
         .more_inputs = inputs, .keeps_inputs = true, .more_outputs = outputs, .start_text = "begin with the flows of F (fw, cfw, bfw)",
         .read_start = read_start, .ranks = CLI_RANKS_SHARE, .solve = assign, .has_solution = has_flows, .write_result = write_result,
         .plot_text = "draw the flows: width by flow, colour by flow over capacity", .plot = plot, .write_more = write_more,
         .print = print, .end = end},
        {.name = "check", .arguments = "[OPTIONS] NET TRIPS FLOWS", .text = "recomputes objective, costs, gap and balance from flows alone",
         .least = 3, .most = 3, .state_bytes = sizeof(session), .begin = begin, .tables = check_tables, .open = check_open,
         .read_solution = read_start, .check = check, .end = end},
        {.name = "compare", .arguments = "[OPTIONS] FLOWS_A FLOWS_B", .text = "says what changed from A to B", .least = 2, .most = 2,
         .state_bytes = sizeof(traffic_comparing), .begin = traffic_compare_begin, .tables = traffic_compare_tables,
         .more_inputs = traffic_compare_inputs, .keeps_inputs = true, .more_outputs = traffic_compare_outputs, .run = traffic_compare},
        {.name = "skim", .arguments = "[OPTIONS] NET TRIPS --flows FLOWS --output F",
         .text = "writes least costs between all zones, or times, lengths or tolls of these paths", .least = 2, .most = 2,
         .state_bytes = sizeof(traffic_analysing), .begin = traffic_analysis_begin, .tables = traffic_skim_tables,
         .more_inputs = traffic_analysis_inputs, .keeps_inputs = true, .more_outputs = traffic_analysis_outputs, .run = traffic_skim},
        {.name = "select", .arguments = "[OPTIONS] NET TRIPS --state F --link A-B --output F",
         .text = "writes the trips that use a link, between all zones", .least = 2, .most = 2,
         .state_bytes = sizeof(traffic_analysing), .begin = traffic_analysis_begin, .tables = traffic_select_tables,
         .more_inputs = traffic_analysis_inputs, .keeps_inputs = true, .more_outputs = traffic_analysis_outputs, .run = traffic_select},
        {.name = "paths", .arguments = "[OPTIONS] NET TRIPS --state F --output F.csv", .text = "writes the used paths with their trips",
         .least = 2, .most = 2, .state_bytes = sizeof(traffic_analysing), .begin = traffic_analysis_begin,
         .tables = traffic_paths_tables, .more_inputs = traffic_analysis_inputs, .keeps_inputs = true, .more_outputs = traffic_analysis_outputs,
         .run = traffic_paths},
        {.name = "generate", .arguments = "--family FAMILY --size AxB --network F [--trips F]", .text = "writes a network with trips",
         .state_bytes = sizeof(traffic_generation), .begin = traffic_generation_begin, .tables = traffic_generation_tables,
         .more_outputs = traffic_generation_outputs, .run = traffic_generate},
    },
};
