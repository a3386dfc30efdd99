// SPDX-License-Identifier: MIT
// mco traffic skim | select | paths | generate
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/output.h"
#include "base/text.h"
#include "traffic/command.h"

// ---- What follows from flows or from a state

#define MCO_OPTION_STRUCT traffic_analysing
static const mco_option skim_records[] = {MCO_OPTION_RECORDS(TRAFFIC_SKIM_OPTIONS)};
static const mco_option select_records[] = {MCO_OPTION_RECORDS(TRAFFIC_SELECT_OPTIONS)};
static const mco_option paths_records[] = {MCO_OPTION_RECORDS(TRAFFIC_PATHS_OPTIONS)};
static const mco_option_table skim_options = MCO_OPTION_TABLE(skim_records);
static const mco_option_table select_options = MCO_OPTION_TABLE(select_records);
static const mco_option_table paths_options = MCO_OPTION_TABLE(paths_records);
#undef MCO_OPTION_STRUCT

#define FLOWS_OPTION(INTEGER, REAL, CHOICE, TEXT, FLAG) TEXT(flows, "--flows", "FLOWS", "flows of the links: TNTP, CSV or a result file")
#define STATE_OPTION(INTEGER, REAL, CHOICE, TEXT, FLAG) TEXT(state, "--state", "F", "the state that an assignment has written")
#define MCO_OPTION_STRUCT traffic_input
static const mco_option flows_records[] = {MCO_OPTION_RECORDS(FLOWS_OPTION)};
static const mco_option state_records[] = {MCO_OPTION_RECORDS(STATE_OPTION)};
static const mco_option_table flows_options = MCO_OPTION_TABLE(flows_records);
static const mco_option_table state_options = MCO_OPTION_TABLE(state_records);
#undef MCO_OPTION_STRUCT

void traffic_analysis_begin(void *state)
{
    *(traffic_analysing *)state = (traffic_analysing){MCO_DEFAULTS(TRAFFIC_ANALYSIS_OPTIONS) MCO_TRAFFIC_PARAMS_INIT, {0}};
}

void traffic_skim_tables(void *state, mco_option_values *out)
{
    traffic_analysing *a = state;
    out[0] = (mco_option_values){&flows_options, &a->input};
    out[1] = (mco_option_values){&skim_options, a};
    out[2] = (mco_option_values){&traffic_model_options, &a->params};
    out[3] = (mco_option_values){&traffic_input_options, &a->input};
}

void traffic_select_tables(void *state, mco_option_values *out)
{
    traffic_analysing *a = state;
    out[0] = (mco_option_values){&state_options, &a->input};
    out[1] = (mco_option_values){&select_options, a};
    out[2] = (mco_option_values){&traffic_input_options, &a->input};
}

void traffic_paths_tables(void *state, mco_option_values *out)
{
    traffic_analysing *a = state;
    out[0] = (mco_option_values){&state_options, &a->input};
    out[1] = (mco_option_values){&paths_options, a};
    out[2] = (mco_option_values){&traffic_input_options, &a->input};
}

const char *const *traffic_analysis_inputs(const void *state, int64_t *count)
{
    *count = TRAFFIC_INPUTS;
    return &((const traffic_analysing *)state)->input.nodes;
}

void traffic_analysis_outputs(const void *state, const char *out[CLI_MORE_OUTPUTS])
{
    out[0] = ((const traffic_analysing *)state)->output;
    out[1] = ((const traffic_analysing *)state)->share;
}

static mco_status need(cli_call *call, const char *value, const char *flag, const char *text)
{
    return value != NULL ? MCO_OK : mco_fail(call->ctx, MCO_ERR_ARGUMENT, "%s is missing: %s", flag, text);
}

static mco_status find_class(cli_call *call, const mco_traffic *traffic, const traffic_analysing *a, int32_t *k)
{
    *k = (int32_t)a->which - 1;
    if (*k < mco_traffic_class_count(traffic))
        return MCO_OK;
    return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--class is %" PRId64 ", the trips have %d class%s", a->which, mco_traffic_class_count(traffic),
                    mco_traffic_class_count(traffic) == 1 ? "" : "es");
}

static mco_status new_matrix(cli_call *call, const mco_traffic *traffic, double **out)
{
    const int64_t zones = mco_traffic_view(traffic).zones;
    return mco_alloc(call->ctx, out, zones * zones);
}

mco_status traffic_skim(cli_call *call)
{
    static const char *const names[] = {"cost", "time", "length", "toll"};
    mco_status st = MCO_OK;
    const traffic_analysing *a = call->state;
    mco_traffic *traffic = NULL;
    double *flow = NULL, *class_flow = NULL, *matrix = NULL;
    int32_t k = 0;
    MCO_TRY(need(call, a->input.flows, "--flows", "flows of the links"));
    MCO_TRY(need(call, a->output, "--output", "a file for the matrix"));
    MCO_TRY(traffic_open(call, &a->input, call->inputs[0], call->inputs[1], &traffic));
    MCO_TRY(find_class(call, traffic, a, &k));
    MCO_TRY(mco_traffic_read_flows(call->ctx, traffic, a->input.flows, &flow, &class_flow));
    MCO_TRY(new_matrix(call, traffic, &matrix));
    MCO_TRY(mco_traffic_find_skim(call->ctx, traffic, &a->params, k, flow, a->what, matrix));
    MCO_TRY(mco_traffic_write_matrix(call->ctx, traffic, names[a->what], matrix, a->output));
    if (traffic_has_summary(a->output))
        printf("matrix     %s between %d zones in %s\n", names[a->what], mco_traffic_view(traffic).zones, a->output);
done:
    mco_free(call->ctx, &matrix);
    mco_traffic_flows_clear(call->ctx, &flow, &class_flow);
    mco_traffic_destroy(call->ctx, &traffic);
    return st;
}

// ---- select

// Finds the link of "A-B": the first that leads from A to B. Names may have dashes: every dash is tried.
static mco_status find_link(cli_call *call, const mco_traffic *traffic, const char *text, int32_t *out)
{
    const mco_traffic_network n = mco_traffic_view(traffic);
    char tail[16], head[16];
    for (int32_t l = 0; l < n.links; l++) {
        const char *a = mco_traffic_node_name(traffic, n.tail[l], tail), *b = mco_traffic_node_name(traffic, n.head[l], head);
        const size_t size = strlen(a);
        if (strncmp(text, a, size) == 0 && text[size] == '-' && strcmp(text + size + 1, b) == 0) {
            *out = l;
            return MCO_OK;
        }
    }
    return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--link is \"%.80s\": no link leads from the first node to the second", text);
}

static mco_status write_share(cli_call *call, const mco_traffic *traffic, const double *share, const char *path)
{
    mco_output o;
    char tail[16], head[16];
    const mco_traffic_network n = mco_traffic_view(traffic);
    const mco_status st = mco_output_open(call->ctx, path, &o);
    if (st != MCO_OK)
        return st;
    fprintf(o.file, "from,to,trips\n");
    for (int32_t l = 0; l < n.links; l++) {
        mco_write_cell(mco_traffic_node_name(traffic, n.tail[l], tail), o.file);
        fputc(',', o.file);
        mco_write_cell(mco_traffic_node_name(traffic, n.head[l], head), o.file);
        fprintf(o.file, ",%.17g\n", share[l]);
    }
    return mco_output_commit(call->ctx, &o, false);
}

static mco_status open_state(cli_call *call, mco_traffic **traffic, mco_traffic_state **state)
{
    mco_status st = MCO_OK;
    const traffic_analysing *a = call->state;
    MCO_TRY(need(call, a->input.state, "--state", "the file of an assignment by the method pairs"));
    MCO_TRY(need(call, a->output, "--output", "a file for the answer"));
    MCO_TRY(traffic_open(call, &a->input, call->inputs[0], call->inputs[1], traffic));
    MCO_TRY(mco_traffic_state_read(call->ctx, *traffic, a->input.state, state));
done:
    return st;
}

mco_status traffic_select(cli_call *call)
{
    mco_status st = MCO_OK;
    const traffic_analysing *a = call->state;
    mco_traffic *traffic = NULL;
    mco_traffic_state *state = NULL;
    double *matrix = NULL, *share = NULL, trips = 0;
    int32_t link = 0, k = 0;
    MCO_TRY(need(call, a->link, "--link", "a link like 12-15"));
    MCO_TRY(open_state(call, &traffic, &state));
    MCO_TRY(find_class(call, traffic, a, &k));
    MCO_TRY(find_link(call, traffic, a->link, &link));
    const int64_t zones = mco_traffic_view(traffic).zones;
    MCO_TRY(new_matrix(call, traffic, &matrix));
    MCO_TRY(mco_alloc(call->ctx, &share, mco_traffic_view(traffic).links));
    MCO_TRY(mco_traffic_select_link(call->ctx, traffic, state, k, link, matrix, share));
    MCO_TRY(mco_traffic_write_matrix(call->ctx, traffic, "trips", matrix, a->output));
    if (a->share != NULL)
        MCO_TRY(write_share(call, traffic, share, a->share));
    for (int64_t i = 0; i < zones * zones; i++)
        trips += matrix[i];
    if (traffic_has_summary(a->output))
        printf("link       %s: %.10g trips use it, between zones as in %s\n", a->link, trips, a->output);
done:
    mco_free(call->ctx, &share);
    mco_free(call->ctx, &matrix);
    mco_traffic_state_clear(call->ctx, &state);
    mco_traffic_destroy(call->ctx, &traffic);
    return st;
}

mco_status traffic_paths(cli_call *call)
{
    mco_status st = MCO_OK;
    const traffic_analysing *a = call->state;
    mco_traffic *traffic = NULL;
    mco_traffic_state *state = NULL;
    MCO_TRY(open_state(call, &traffic, &state));
    MCO_TRY(mco_traffic_write_paths(call->ctx, traffic, state, a->least, a->output));
    if (traffic_has_summary(a->output))
        printf("paths      in %s\n", a->output);
done:
    mco_traffic_state_clear(call->ctx, &state);
    mco_traffic_destroy(call->ctx, &traffic);
    return st;
}

// ---- generate

#define MCO_OPTION_STRUCT traffic_generation
static const mco_option generate_records[] = {MCO_OPTION_RECORDS(TRAFFIC_GENERATE_OPTIONS)};
static const mco_option_table generate_options = MCO_OPTION_TABLE(generate_records);
#undef MCO_OPTION_STRUCT

void traffic_generation_begin(void *state)
{
    *(traffic_generation *)state = (traffic_generation){MCO_DEFAULTS(TRAFFIC_GENERATE_OPTIONS)};
}

void traffic_generation_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){&generate_options, state};
}

void traffic_generation_outputs(const void *state, const char *out[CLI_MORE_OUTPUTS])
{
    const traffic_generation *g = state;
    out[0] = g->trips;
    out[1] = g->network != NULL && (cli_ends_with(g->network, ".tntp") || cli_ends_with(g->network, ".csv")) ? g->network : NULL;  // no folder
}

static bool read_size(const char *text, int64_t *rows, int64_t *columns)
{
    char first[24];
    const char *at = strchr(text, 'x');
    if (at == NULL || at == text || (size_t)(at - text) >= sizeof first)
        return false;
    memcpy(first, text, (size_t)(at - text));
    first[at - text] = '\0';
    return mco_parse_integer(first, 1, MCO_TRAFFIC_MAX_NODES, rows) && mco_parse_integer(at + 1, 1, MCO_TRAFFIC_MAX_NODES, columns);
}

mco_status traffic_generate(cli_call *call)
{
    mco_status st = MCO_OK;
    const traffic_generation *g = call->state, usual = {MCO_DEFAULTS(TRAFFIC_GENERATE_OPTIONS)};
    mco_traffic *traffic = NULL;
    mco_traffic_shape shape = {.family = g->family, .rows = 2, .columns = 2, .zones = (int32_t)g->zones,
                               .destinations = (int32_t)g->destinations, .load = g->load, .seed = (uint64_t)g->seed};
    if (g->destinations == usual.destinations && g->destinations >= g->zones)
        shape.destinations = 0;  // the default: all other zones where these are fewer
    MCO_TRY(need(call, g->network, "--network", "a file for the network"));
    if (g->size == NULL && g->family != MCO_TRAFFIC_BRAESS)
        MCO_TRY(mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--size is missing: rows and columns like 30x40"));
    if (g->size != NULL && !read_size(g->size, &shape.rows, &shape.columns))
        MCO_TRY(mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--size is \"%.40s\", rows and columns like 30x40 were expected", g->size));
    MCO_TRY(mco_traffic_generate(call->ctx, &shape, &traffic));
    MCO_TRY(mco_traffic_write_network(call->ctx, traffic, g->network));
    if (g->trips != NULL)
        MCO_TRY(mco_traffic_write_trips(call->ctx, traffic, 0, g->trips));
    traffic_print_network(traffic);
done:
    mco_traffic_destroy(call->ctx, &traffic);
    return st;
}
