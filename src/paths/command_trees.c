// SPDX-License-Identifier: MIT
// mco paths trees | matrix | route.
#include "paths/command_trees.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/names.h"
#include "base/number.h"
#include "base/stream.h"
#include "base/text.h"
#include "cli/cli.h"
#include "graph/graph.h"
#include "paths/network.h"

#define MCO_OPTION_STRUCT paths_trees_choice
static const mco_option trees_records[] = {MCO_OPTION_RECORDS(PATHS_TREES_OPTIONS)};
static const mco_option_table trees_table = MCO_OPTION_TABLE(trees_records);
#undef MCO_OPTION_STRUCT
#define MCO_OPTION_STRUCT paths_matrix_choice
static const mco_option matrix_records[] = {MCO_OPTION_RECORDS(PATHS_MATRIX_OPTIONS)};
static const mco_option_table matrix_table = MCO_OPTION_TABLE(matrix_records);
#undef MCO_OPTION_STRUCT
#define MCO_OPTION_STRUCT paths_route_choice
static const mco_option route_records[] = {MCO_OPTION_RECORDS(PATHS_ROUTE_OPTIONS)};
static const mco_option_table route_table = MCO_OPTION_TABLE(route_records);
#undef MCO_OPTION_STRUCT

void paths_many_begin(void *state)
{
    *(paths_many *)state = (paths_many){.params = MCO_PATHS_PARAMS_INIT, .result = MCO_PATHS_RESULT_INIT};
}

static void set_tables(paths_many *s, const mco_option_table *table, void *choice, mco_option_values *out)
{
    out[0] = (mco_option_values){mco_paths_options(), &s->params};
    out[1] = (mco_option_values){table, choice};
    out[2] = (mco_option_values){&paths_graph_table, &s->graph};
}

// ---- Files of vertices

// Finds a vertex by its name or number. Errors: PARSE with the place.
static mco_status find_vertex(mco_text *text, const mco_paths_network *network, mco_name_finder *finder, mco_slice token, int32_t *out)
{
    int64_t number = 0;
    const int32_t base = mco_graph_base(network->graph);
    if (finder->names != NULL)
        return mco_names_find(finder, text, token, out);
    const mco_status st = mco_slice_integer(text, token, "the vertex", base, (int64_t)base + network->rows.vertices - 1, &number);
    *out = (int32_t)(number - base);
    return st;
}

// A line: one vertex, or with `second` two.
static mco_status read_line(mco_text *text, const mco_paths_network *network, mco_name_finder *finder, mco_slice line, int32_t *first,
                            int32_t *second)
{
    mco_status st = MCO_OK;
    mco_slice token, rest = line;
    if (!mco_names_take(&rest, &token))
        return MCO_OK;
    MCO_TRY(find_vertex(text, network, finder, token, first));
    if (second != NULL && !mco_names_take(&rest, &token))
        MCO_TRY(mco_text_fail(text, line.line, line.column, "one vertex, a source and a target were expected"));
    if (second != NULL)
        MCO_TRY(find_vertex(text, network, finder, token, second));
    if (mco_names_take(&rest, &token) && token.data[0] != '#')
        MCO_TRY(mco_text_fail(text, token.line, token.column, "\"%.*s\" follows the %s", mco_slice_shown(token), token.data,
                              second != NULL ? "target" : "vertex"));
done:
    return st;
}

// Reads vertices, or pairs with `second`.
static mco_status read_vertices(mco_context *ctx, const mco_paths_network *network, const char *path, int64_t *count, int32_t **first,
                                int32_t **second)
{
    mco_status st = MCO_OK;
    mco_text text = {.ctx = ctx};
    mco_slice line;
    int64_t room = 0, second_room = 0;
    mco_name_finder finder = {.what = "the vertex", .names = network->graph->names, .rows = network->rows.vertices, .ids = MCO_IDS_NAMES};
    MCO_TRY(mco_text_open(ctx, path, &text));
    for (int64_t lines = 0; mco_text_line(&text, &line); lines++) {
        MCO_TRY(mco_text_in_time(&text, lines));
        line = mco_slice_trim(line);
        if (line.size == 0 || line.data[0] == '#')
            continue;
        MCO_TRY(mco_grow(ctx, first, &room, *count + 1));
        if (second != NULL)
            MCO_TRY(mco_grow(ctx, second, &second_room, *count + 1));
        MCO_TRY(read_line(&text, network, &finder, line, *first + *count, second != NULL ? *second + *count : NULL));
        ++*count;
    }
    if (*count == 0)
        MCO_TRY(mco_fail(ctx, MCO_ERR_PARSE, "%s: no line has %s", path, second != NULL ? "a source and a target" : "a vertex"));
done:
    mco_free(ctx, &finder.table.slots);
    mco_text_close(&text);
    return st;
}

// ---- GRAPH

// `given` is the file of `flag`; `outputs` [2] are what the action writes, which may be NULL.
static mco_status open_graph(cli_call *call, const char *flag, const char *const *given, int64_t count, const char *const outputs[2])
{
    mco_status st = MCO_OK;
    paths_many *s = call->state;
    const char *path = call->inputs[0];
    if (given[0] == NULL)
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "%s is missing: a file of vertices", flag);
    if (s->params.parents)
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--parents is for mco paths tree");
    for (int k = 0; k < 2; k++)
        MCO_TRY(cli_refuse_replacing(call->ctx, given, count, outputs[k]));
    if (cli_ends_with(path, ".mcoh") || cli_ends_with(path, ".mcoh.gz")) {
        MCO_TRY(mco_paths_hierarchy_read(call->ctx, path, &s->hierarchy));
        s->network = mco_paths_hierarchy_network(s->hierarchy);
    } else {
        MCO_TRY(paths_open_graph(call->ctx, &s->graph, path, &s->read));
        s->network = s->read;
    }
done:
    return st;
}

// The time limit holds for preparing too.
static mco_status prepare(cli_call *call)
{
    mco_status st = MCO_OK;
    paths_many *s = call->state;
    mco_paths_params p = MCO_PATHS_PARAMS_INIT;
    const double begin_s = mco_clock_s();
    if (s->hierarchy != NULL)
        return MCO_OK;
    p.threads = s->params.threads;
    p.memory = s->params.memory;
    p.time_limit_s = s->params.time_limit_s;
    MCO_TRY(mco_paths_prepare(call->ctx, s->network, NULL, &p, &s->hierarchy));
    s->prepare_s = mco_clock_s() - begin_s;
    mco_log(call->ctx, MCO_LOG_INFO, "hierarchy prepared in %.3f s; mco paths prepare keeps one", s->prepare_s);
    if (s->params.time_limit_s < HUGE_VAL)
        s->params.time_limit_s = s->params.time_limit_s > s->prepare_s ? s->params.time_limit_s - s->prepare_s : 0;
done:
    return st;
}

bool paths_many_has_answer(const void *state)
{
    return ((const paths_many *)state)->result.outcome == MCO_OUTCOME_OPTIMAL;
}

mco_status paths_many_write_result(cli_call *call, const mco_option_values *more, const char *path)
{
    const paths_many *s = call->state;
    return mco_paths_write_result(call->ctx, s->network, &s->params, &s->result, more, path);
}

mco_status paths_many_print(cli_call *call)
{
    const paths_many *s = call->state;
    const mco_paths_result *r = &s->result;
    printf("graph      %s, %d vert%s, %" PRId64 " arc%s\n", mco_paths_name(s->network), s->network->rows.vertices,
           s->network->rows.vertices == 1 ? "ex" : "ices", s->network->rows.arcs, mco_plural(s->network->rows.arcs));
    printf("distances  %" PRId64 " done, %" PRId64 " with a path\n", r->done, r->reached);
    cli_print_outcome(r->outcome, r->stop, "");
    printf("method     %s (%s)\n", paths_method_name(r->method), r->reason);
    printf("time       %.6f s, prepared in %.6f s, ", r->work.solve_s, r->prepare_s + s->prepare_s);
    cli_print_engine(call->ctx, &r->work);
    printf("\n");
    return MCO_OK;
}

void paths_many_end(cli_call *call)
{
    paths_many *s = call->state;
    mco_paths_routes_clear(call->ctx, &s->routes);
    mco_free(call->ctx, &s->distance);
    mco_free(call->ctx, &s->target);
    mco_free(call->ctx, &s->source);
    mco_paths_hierarchy_destroy(call->ctx, &s->hierarchy);
    mco_paths_destroy(call->ctx, &s->read);
}

// ---- trees

void paths_trees_tables(void *state, mco_option_values *out)
{
    paths_many *s = state;
    set_tables(s, &trees_table, &s->trees, out);
}

const char *const *paths_trees_inputs(const void *state, int64_t *count)
{
    *count = 1;
    return &((const paths_many *)state)->trees.sources;
}

void paths_trees_outputs(const void *state, const char *out[CLI_MORE_OUTPUTS])
{
    out[0] = ((const paths_many *)state)->trees.output;
}

mco_status paths_trees_open(cli_call *call)
{
    mco_status st = MCO_OK;
    paths_many *s = call->state;
    MCO_TRY(open_graph(call, "--sources", &s->trees.sources, 1, (const char *[2]){s->trees.output, NULL}));
    MCO_TRY(read_vertices(call->ctx, s->network, s->trees.sources, &s->sources, &s->source, NULL));
    MCO_TRY(mco_alloc(call->ctx, &s->distance, s->sources * s->network->rows.vertices));
done:
    return st;
}

mco_status paths_trees_solve(cli_call *call)
{
    paths_many *s = call->state;
    return mco_paths_find_trees(call->ctx, s->network, s->hierarchy, s->sources, s->source, &s->params, s->distance, NULL, &s->result);
}

mco_status paths_trees_write(cli_call *call)
{
    const paths_many *s = call->state;
    if (!paths_many_has_answer(s) || s->trees.output == NULL)
        return MCO_OK;
    return mco_paths_write_distances(call->ctx, s->network, s->trees.format, s->sources, s->source, s->distance, s->network->rows.vertices,
                                     s->trees.output);
}

// ---- Text

static bool put(mco_stream *stream, const char *text)
{
    return mco_stream_put(stream, text, strlen(text));
}

static bool put_number(mco_stream *stream, const char *before, int32_t distance)
{
    char text[32];
    snprintf(text, sizeof text, distance < MCO_PATHS_NONE ? "%s%" PRId32 : "%s", before, distance);
    return put(stream, text);
}

// A name in double quotes, each quote in it doubled, if it has one of the characters of `stops`.
static bool put_name(mco_stream *stream, const mco_paths_network *network, int32_t vertex, const char *stops)
{
    char buffer[16];
    const char *name = mco_paths_vertex_name(network, vertex, buffer);
    if (strpbrk(name, stops) == NULL && name[0] != '#' && name[0] != '\0')
        return put(stream, name);
    bool is_written = put(stream, "\"");
    for (; is_written && *name != '\0'; name++)
        is_written = mco_stream_put(stream, name, 1) && (*name != '"' || put(stream, "\""));
    return is_written && put(stream, "\"");
}

// ---- matrix

void paths_matrix_tables(void *state, mco_option_values *out)
{
    paths_many *s = state;
    set_tables(s, &matrix_table, &s->matrix, out);
}

const char *const *paths_matrix_inputs(const void *state, int64_t *count)
{
    const paths_many *s = state;
    *count = 2;  // neighbours in the struct
    return &s->matrix.sources;
}

void paths_matrix_outputs(const void *state, const char *out[CLI_MORE_OUTPUTS])
{
    out[0] = ((const paths_many *)state)->matrix.output;
}

mco_status paths_matrix_open(cli_call *call)
{
    mco_status st = MCO_OK;
    paths_many *s = call->state;
    MCO_TRY(open_graph(call, "--sources", &s->matrix.sources, 2, (const char *[2]){s->matrix.output, NULL}));
    MCO_TRY(read_vertices(call->ctx, s->network, s->matrix.sources, &s->sources, &s->source, NULL));
    MCO_TRY(read_vertices(call->ctx, s->network, s->matrix.targets != NULL ? s->matrix.targets : s->matrix.sources, &s->targets, &s->target,
                          NULL));
    MCO_TRY(mco_alloc(call->ctx, &s->distance, s->sources * s->targets));
done:
    return st;
}

mco_status paths_matrix_solve(cli_call *call)
{
    paths_many *s = call->state;
    const mco_status st = prepare(call);
    return st != MCO_OK ? st
                        : mco_paths_find_matrix(call->ctx, s->hierarchy, s->sources, s->source, s->targets, s->target, &s->params, s->distance,
                                                &s->result);
}

// The first row has the targets, the first column the sources; a cell without a path is empty.
mco_status paths_matrix_write(cli_call *call)
{
    static const char STOPS[] = ",;\"\t\n ";
    mco_status st = MCO_OK;
    const paths_many *s = call->state;
    mco_stream stream = {0};
    if (!paths_many_has_answer(s) || s->matrix.output == NULL)
        return MCO_OK;
    MCO_TRY(mco_stream_open(call->ctx, s->matrix.output, &stream));
    bool is_written = put(&stream, "source");
    for (int64_t k = 0; is_written && k < s->targets; k++)
        is_written = put(&stream, ",") && put_name(&stream, s->network, s->target[k], STOPS);
    for (int64_t i = 0; is_written && i < s->sources; i++) {
        is_written = put(&stream, "\n") && put_name(&stream, s->network, s->source[i], STOPS);
        for (int64_t k = 0; is_written && k < s->targets; k++)
            is_written = put_number(&stream, ",", s->distance[i * s->targets + k]);
    }
    if (is_written)
        put(&stream, "\n");
    MCO_TRY(mco_stream_commit(&stream));
done:
    mco_stream_discard(&stream);
    return st;
}

// ---- route

void paths_route_tables(void *state, mco_option_values *out)
{
    paths_many *s = state;
    set_tables(s, &route_table, &s->route, out);
}

const char *const *paths_route_inputs(const void *state, int64_t *count)
{
    *count = 1;
    return &((const paths_many *)state)->route.queries;
}

void paths_route_outputs(const void *state, const char *out[CLI_MORE_OUTPUTS])
{
    out[0] = ((const paths_many *)state)->route.output;
    out[1] = ((const paths_many *)state)->route.geojson;
}

mco_status paths_route_open(cli_call *call)
{
    mco_status st = MCO_OK;
    paths_many *s = call->state;
    MCO_TRY(open_graph(call, "--queries", &s->route.queries, 1, (const char *[2]){s->route.output, s->route.geojson}));
    if (s->route.geojson != NULL && s->network->rows.x == NULL)
        MCO_TRY(mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--geojson: the places of %s are unknown", mco_paths_name(s->network)));
    MCO_TRY(read_vertices(call->ctx, s->network, s->route.queries, &s->sources, &s->source, &s->target));
    MCO_TRY(mco_alloc(call->ctx, &s->distance, s->sources));
done:
    return st;
}

mco_status paths_route_solve(cli_call *call)
{
    mco_status st = MCO_OK;
    paths_many *s = call->state;
    mco_paths_routes *routes = s->route.paths || s->route.geojson != NULL ? &s->routes : NULL;
    MCO_TRY(prepare(call));
    MCO_TRY(mco_paths_find_routes(call->ctx, s->hierarchy, s->sources, s->source, s->target, &s->params, s->distance, routes, &s->result));
done:
    return st;
}

static bool put_query(mco_stream *stream, const paths_many *s, int64_t q)
{
    static const char STOPS[] = " \t\n\"";
    bool is_written = put_name(stream, s->network, s->source[q], STOPS) && put(stream, " ") &&
                      put_name(stream, s->network, s->target[q], STOPS) &&
                      (s->distance[q] < MCO_PATHS_NONE ? put_number(stream, " ", s->distance[q]) : put(stream, " none"));
    if (!s->route.paths || s->distance[q] >= MCO_PATHS_NONE)
        return is_written && put(stream, "\n");
    is_written = is_written && put(stream, " ") && put_name(stream, s->network, s->source[q], STOPS);
    for (int64_t k = s->routes.first[q]; is_written && k < s->routes.first[q + 1]; k++)
        is_written = put(stream, " ") && put_name(stream, s->network, s->network->rows.head[s->routes.arc[k]], STOPS);
    return is_written && put(stream, "\n");
}

static mco_status write_queries(cli_call *call)
{
    mco_status st = MCO_OK;
    const paths_many *s = call->state;
    mco_stream stream = {0};
    MCO_TRY(mco_stream_open(call->ctx, s->route.output, &stream));
    bool is_written = true;
    for (int64_t q = 0; is_written && q < s->sources; q++)
        is_written = put_query(&stream, s, q);
    MCO_TRY(mco_stream_commit(&stream));
done:
    mco_stream_discard(&stream);
    return st;
}

mco_status paths_route_write(cli_call *call)
{
    mco_status st = MCO_OK, of_map = MCO_OK;
    const paths_many *s = call->state;
    if (!paths_many_has_answer(s))
        return MCO_OK;
    if (s->route.output != NULL)
        st = write_queries(call);
    if (s->route.geojson != NULL)
        of_map = mco_paths_write_geojson(call->ctx, s->network, &s->routes, s->source, s->target, s->distance, s->route.geojson);
    return st != MCO_OK ? st : of_map;
}
