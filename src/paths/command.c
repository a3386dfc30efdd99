// SPDX-License-Identifier: MIT
// mco paths tree | check | generate. Other actions have their own files command_*.c.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "base/number.h"
#include "base/output.h"
#include "base/text.h"
#include "paths/command.h"
#include "paths/command_prepare.h"
#include "paths/command_trees.h"
#include "paths/command_transit.h"
#include "paths/multimodal/command.h"

// ---- How GRAPH is read

#define MCO_OPTION_STRUCT paths_graph_choice
static const mco_option graph_records[] = {MCO_OPTION_RECORDS(PATHS_GRAPH_OPTIONS)};
const mco_option_table paths_graph_table = MCO_OPTION_TABLE(graph_records);
#undef MCO_OPTION_STRUCT

mco_status paths_open_graph(mco_context *ctx, const paths_graph_choice *choice, const char *path, mco_paths_network **network)
{
    return mco_paths_read(ctx, path, choice->scale, network);
}

mco_status paths_open_prepared(mco_context *ctx, const paths_graph_choice *choice, const char *path, const mco_paths_network **network,
                               mco_paths_hierarchy **hierarchy)
{
    mco_status st = MCO_OK;
    mco_paths_network *own = NULL;
    *hierarchy = NULL;
    if (cli_ends_with(path, ".mcoh")) {
        if (choice->scale != 0)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "--scale is for networks, %s is prepared: give it to mco paths prepare", path);
        MCO_TRY(mco_paths_hierarchy_read(ctx, path, hierarchy));
        *network = mco_paths_hierarchy_network(*hierarchy);
    } else {
        MCO_TRY(paths_open_graph(ctx, choice, path, &own));
        *network = own;
    }
done:
    return st;
}

void paths_close_prepared(mco_context *ctx, const mco_paths_network **network, mco_paths_hierarchy **hierarchy)
{
    mco_paths_network *own = *hierarchy == NULL ? (mco_paths_network *)*network : NULL;
    mco_paths_destroy(ctx, &own);
    mco_paths_hierarchy_destroy(ctx, hierarchy);
    *network = NULL;
}

const char *paths_method_name(mco_paths_method method)
{
    static const char *const names[] = {"auto", "dijkstra", "buckets", "tiles", "sweep"};
    return names[method];
}

// ---- tree

#define TREE_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                        \
    TEXT(source, "--source", "V", "the vertex where all paths begin: its name or its number in GRAPH")                        \
    TEXT(output, "--output", "F", "where to write the distances; .gz compresses")                                             \
    CHOICE(format, "--format", mco_paths_format, MCO_PATHS_FORMAT_AUTO, MCO_PATHS_FORMAT_NAMES,                               \
           "format of the distances; auto: by the end of the name, .bin or .json, else text")                                 \
    TEXT(parent_output, "--parent-output", "F", "where to write the vertex before each vertex on its path; implies --parents")

typedef struct tree_choice {
    MCO_FIELDS(TREE_OPTIONS)
} tree_choice;
#define MCO_OPTION_STRUCT tree_choice
static const mco_option tree_records[] = {MCO_OPTION_RECORDS(TREE_OPTIONS)};
static const mco_option_table tree_table = MCO_OPTION_TABLE(tree_records);
#undef MCO_OPTION_STRUCT

typedef struct session {
    mco_paths_params params;
    tree_choice choice;
    paths_graph_choice graph;
    const mco_paths_network *network;
    mco_paths_hierarchy *hierarchy;  // NULL: GRAPH is not prepared
    int32_t source;
    mco_paths_tree tree;
} session;

static void begin_tree(void *state)
{
    *(session *)state = (session){.params = MCO_PATHS_PARAMS_INIT, .tree = MCO_PATHS_TREE_INIT};
}

static void tree_tables(void *state, mco_option_values *out)
{
    session *s = state;
    out[0] = (mco_option_values){mco_paths_options(), &s->params};
    out[1] = (mco_option_values){&tree_table, &s->choice};
    out[2] = (mco_option_values){&paths_graph_table, &s->graph};
}

static mco_status open_tree(cli_call *call)
{
    mco_status st = MCO_OK;
    session *s = call->state;
    if (s->choice.source == NULL)
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--source is missing: the vertex where all paths begin");
    if (s->choice.parent_output != NULL)
        s->params.parents = true;
    MCO_TRY(paths_open_prepared(call->ctx, &s->graph, call->inputs[0], &s->network, &s->hierarchy));
    MCO_TRY(mco_paths_find_vertex(call->ctx, s->network, s->choice.source, &s->source));
done:
    return st;
}

static void end_tree(cli_call *call)
{
    session *s = call->state;
    mco_paths_tree_clear(call->ctx, &s->tree);
    paths_close_prepared(call->ctx, &s->network, &s->hierarchy);
}

static void tree_outputs(const void *state, const char *out[CLI_MORE_OUTPUTS])
{
    out[0] = ((const session *)state)->choice.output;
    out[1] = ((const session *)state)->choice.parent_output;
}

static mco_status solve_tree(cli_call *call)
{
    session *s = call->state;
    return mco_paths_find_tree(call->ctx, s->network, s->hierarchy, s->source, &s->params, &s->tree);
}

static bool has_tree(const void *state)
{
    return ((const session *)state)->tree.distance != NULL;
}

static mco_status write_tree_json(cli_call *call, const mco_option_values *more, const char *path)
{
    const session *s = call->state;
    return mco_paths_write_tree_result(call->ctx, s->network, &s->params, &s->tree, more, path);
}

static mco_status plot_tree(cli_call *call, const char *path)
{
    const session *s = call->state;
    return mco_paths_plot_tree(call->ctx, s->network, &s->tree, path);
}

// The vertex that an arc leaves.
static int32_t tail_of(const mco_paths_rows *rows, int64_t arc)
{
    int32_t low = 0, high = rows->vertices - 1;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (rows->first[middle + 1] <= arc)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// A line for each vertex but the source: the vertex, and the one before it.
static mco_status write_parents(cli_call *call)
{
    mco_status st = MCO_OK;
    const session *s = call->state;
    const mco_paths_rows rows = mco_paths_view(s->network);
    mco_output output = {0};
    char buffer[16];
    MCO_TRY(mco_output_open(call->ctx, s->choice.parent_output, &output));
    for (int32_t v = 0; v < rows.vertices; v++) {
        if (s->tree.parent[v] < 0)
            continue;
        mco_name_write(mco_paths_vertex_name(s->network, v, buffer), output.file);
        fputc(' ', output.file);
        mco_name_write(mco_paths_vertex_name(s->network, tail_of(&rows, s->tree.parent[v]), buffer), output.file);
        fputc('\n', output.file);
    }
    MCO_TRY(mco_output_commit(call->ctx, &output, false));
done:
    mco_output_discard(&output);
    return st;
}

static mco_status write_distances(cli_call *call)
{
    const session *s = call->state;
    mco_status st = MCO_OK, of_parents = MCO_OK;
    if (!has_tree(s))
        return MCO_OK;
    if (s->choice.output != NULL)
        st = mco_paths_write_distances(call->ctx, s->network, s->choice.format, 1, &s->source, s->tree.distance,
                                       mco_paths_view(s->network).vertices, s->choice.output);
    if (s->choice.parent_output != NULL)
        of_parents = write_parents(call);
    return st != MCO_OK ? st : of_parents;
}

static mco_status print_tree(cli_call *call)
{
    const session *s = call->state;
    const mco_paths_tree *t = &s->tree;
    const mco_paths_rows rows = mco_paths_view(s->network);
    char name[16], seconds[MCO_NUMBER_TEXT];
    printf("graph      %s, %d vert%s, %" PRId64 " arc%s\n", mco_paths_name(s->network), rows.vertices, rows.vertices == 1 ? "ex" : "ices",
           rows.arcs, mco_plural(rows.arcs));
    if (has_tree(s))
        printf("distances  from %s to %" PRId64 " vert%s, the farthest at %d\n", mco_paths_vertex_name(s->network, t->source, name), t->reached,
               t->reached == 1 ? "ex" : "ices", t->farthest);
    cli_print_outcome(t->outcome, t->stop, "");
    printf("method     %s (%s)\n", paths_method_name(t->method), t->reason);
    printf("time       %s s, ", mco_scaled_text((int64_t)(t->work.solve_s * 1e6 + 0.5), 1000000, seconds));
    printf("prepared in %s s, ", mco_scaled_text((int64_t)(t->prepare_s * 1e6 + 0.5), 1000000, seconds));
    cli_print_engine(call->ctx, &t->work);
    printf("\n");
    return MCO_OK;
}

// ---- check

typedef struct checking {
    paths_graph_choice graph;
    mco_paths_network *network;
    int64_t count;
    int32_t *source, *distance;
} checking;

static void check_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){&paths_graph_table, &((checking *)state)->graph};
}

static mco_status open_check(cli_call *call)
{
    checking *c = call->state;
    return paths_open_graph(call->ctx, &c->graph, call->inputs[0], &c->network);
}

static mco_status read_distances(cli_call *call, const char *path)
{
    checking *c = call->state;
    return mco_paths_read_distances(call->ctx, c->network, path, &c->count, &c->source, &c->distance);
}

static mco_status check_distances(cli_call *call)
{
    mco_status st = MCO_OK;
    const checking *c = call->state;
    const int32_t n = mco_paths_view(c->network).vertices;
    for (int64_t k = 0; k < c->count; k++)
        MCO_TRY(mco_paths_check(call->ctx, c->network, c->source[k], c->distance + k * n));
    printf("valid      %" PRId64 " tree%s of shortest paths\n", c->count, mco_plural(c->count));
done:
    return st;
}

static void end_check(cli_call *call)
{
    checking *c = call->state;
    mco_paths_distances_clear(call->ctx, &c->source, &c->distance);
    mco_paths_destroy(call->ctx, &c->network);
}

// ---- generate

#define SHAPE_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                       \
    TEXT(size, "--size", "AxB", "rows and columns of grid and road")                                                          \
    INTEGER(vertices, "--vertices", -1, 0, 2000000000, -1, "N", "vertices of random")                                         \
    INTEGER(arcs, "--arcs", -1, 0, 2147483647, -1, "M", "arcs of random")                                                     \
    INTEGER(seed, "--seed", 1, 0, 9007199254740992, -1, "K", "seed of the random numbers")                                    \
    TEXT(order, "--order", "F", "where to write the dissection order of road, a vertex a line, first the one that is eliminated first") \
    TEXT(layers, "--layers", "LIST", "vertices of the random layers of multimodal, like 500,400,300,200")                     \
    INTEGER(degree, "--degree", 15, 0, 1000, -1, "D", "rides from each vertex of a layer of multimodal")                      \
    TEXT(automaton, "--automaton", "F", "where to write an automaton for multimodal")                                         \
    INTEGER(states, "--states", 4, 1, 8, -1, "Q", "states of this automaton")

typedef struct generation {
    MCO_FIELDS(SHAPE_OPTIONS)
    cli_generated file;
} generation;
#define MCO_OPTION_STRUCT generation
static const mco_option shape_records[] = {MCO_OPTION_RECORDS(SHAPE_OPTIONS)};
static const mco_option_table shape_table = MCO_OPTION_TABLE(shape_records);
#undef MCO_OPTION_STRUCT

static void begin_generation(void *state)
{
    *(generation *)state = (generation){MCO_DEFAULTS(SHAPE_OPTIONS) .file = {NULL}};
}

static void generate_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){&shape_table, state};
    out[1] = (mco_option_values){&cli_generated_options, &((generation *)state)->file};
}

static mco_status find_family(mco_context *ctx, const char *name, mco_paths_family *out)
{
    static const char *const names[] = {"grid", "road", "random"};
    for (int k = 0; k <= MCO_PATHS_RANDOM; k++)
        if (strcmp(name, names[k]) == 0) {
            *out = (mco_paths_family)k;
            return MCO_OK;
        }
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "\"%.40s\" is no family of networks, " MCO_PATHS_FAMILY_NAMES "|multimodal were expected", name);
}

// "2048x2048"
static bool read_size(const char *text, int64_t *rows, int64_t *columns)
{
    char first[32];
    const char *at = text != NULL ? strchr(text, 'x') : NULL;
    const size_t size = at != NULL ? (size_t)(at - text) : 0;
    if (size == 0 || size >= sizeof first)
        return false;
    memcpy(first, text, size);
    first[size] = '\0';
    return mco_parse_integer(first, 1, MCO_GRAPH_MAX_VERTICES, rows) && mco_parse_integer(at + 1, 1, MCO_GRAPH_MAX_VERTICES, columns);
}

static mco_status find_shape(mco_context *ctx, const generation *g, const char *family, mco_paths_shape *out)
{
    mco_status st = MCO_OK;
    out->seed = (uint64_t)g->seed;
    out->a = g->vertices;
    out->b = g->arcs;
    MCO_TRY(find_family(ctx, family, &out->family));
    const bool is_random = out->family == MCO_PATHS_RANDOM;
    if (is_random && (g->vertices < 0 || g->arcs < 0 || g->size != NULL))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "random takes --vertices N and --arcs M");
    if (!is_random && (g->vertices >= 0 || g->arcs >= 0 || !read_size(g->size, &out->a, &out->b)))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s takes --size AxB, rows and columns like 2048x2048", family);
    if (g->order != NULL && out->family != MCO_PATHS_ROAD)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--order is of road, %s has no order", family);
done:
    return st;
}

static mco_status write_order(mco_context *ctx, const mco_paths_network *network, const int32_t *order, const char *path)
{
    mco_status st = MCO_OK;
    mco_output output = {0};
    const int32_t base = 1;  // as the file of the network numbers its vertices
    MCO_TRY(mco_output_open(ctx, path, &output));
    for (int32_t k = 0; k < mco_paths_view(network).vertices; k++) {
        mco_write_integer((int64_t)order[k] + base, 0, output.file);
        fputc('\n', output.file);
    }
    MCO_TRY(mco_output_commit(ctx, &output, false));
done:
    mco_output_discard(&output);
    return st;
}

static mco_status generate_multimodal(cli_call *call)
{
    const generation *g = call->state;
    multimodal_order order = {.degree = g->degree, .seed = g->seed, .layers = g->layers, .automaton = g->automaton, .states = g->states};
    if (!read_size(g->size, &order.rows, &order.columns))
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "multimodal takes --size AxB, rows and columns of its roads like 64x64");
    return multimodal_generate(call->ctx, &order, cli_generated_path(&g->file));
}

static mco_status generate(cli_call *call)
{
    mco_status st = MCO_OK;
    const generation *g = call->state;
    mco_paths_shape shape = {0};
    mco_paths_network *network = NULL;
    int32_t *order = NULL;
    if (strcmp(call->inputs[0], "multimodal") == 0)
        return generate_multimodal(call);
    MCO_TRY(find_shape(call->ctx, g, call->inputs[0], &shape));
    MCO_TRY(mco_paths_generate(call->ctx, &shape, &network, &order));
    MCO_TRY(mco_paths_write(call->ctx, network, cli_generated_path(&g->file)));
    if (g->order != NULL)
        MCO_TRY(write_order(call->ctx, network, order, g->order));
done:
    mco_paths_order_clear(call->ctx, &order);
    mco_paths_destroy(call->ctx, &network);
    return st;
}

static void generate_outputs(const void *state, const char *out[CLI_MORE_OUTPUTS])
{
    out[0] = ((const generation *)state)->order;
    out[1] = ((const generation *)state)->automaton;
}

// ---- The table

#define PATHS_TREE_ACTION                                                                                                      \
    {.name = "tree", .arguments = "[OPTIONS] GRAPH --source V", .text = "finds the shortest paths from one vertex to all",     \
     .least = 1, .most = 1, .state_bytes = sizeof(session), .begin = begin_tree, .tables = tree_tables, .open = open_tree,     \
     .more_outputs = tree_outputs, .solve = solve_tree, .has_solution = has_tree, .write_result = write_tree_json,             \
     .plot_text = "draw the streets by their distance", .plot = plot_tree, .write_more = write_distances, .print = print_tree, \
     .end = end_tree}
#define PATHS_CHECK_ACTION                                                                                                     \
    {.name = "check", .arguments = "[OPTIONS] GRAPH DISTANCES", .text = "certifies a file of distances, each tree in it",      \
     .least = 2, .most = 2, .state_bytes = sizeof(checking), .tables = check_tables, .open = open_check,                       \
     .read_solution = read_distances, .check = check_distances, .end = end_check}
#define PATHS_GENERATE_ACTION                                                                                                  \
    {.name = "generate", .arguments = MCO_PATHS_FAMILY_NAMES "|multimodal --size AxB | --vertices N --arcs M [--output F]",              \
     .text = "writes a network", .least = 1, .most = 1, .state_bytes = sizeof(generation), .begin = begin_generation,          \
     .tables = generate_tables, .more_outputs = generate_outputs, .run = generate}

const cli_problem cli_paths = {
    .name = "paths",
    .text = "shortest paths in road networks: trees, matrices, routes, each with a proof",
    .about = "Shortest paths in road networks with integer weights of 0 or more; trees are certified.\n\n"
             "GRAPH is DIMACS (.gr, places in a .co file beside it), TNTP, a folder of CSR vectors or a file of weights in it,\n"
             "a map (.osm.pbf, for cars), what prepare wrote (.mcoh), or another file of a graph, such as an edge list or CSV.\n"
             "NETWORK and AUTOMATON are of journeys by several means of travel; timetables are GTFS feeds. docs/formats.md has all.",
    .example = "tree examples/streets.csv --source Station --output distances.txt",
    .actions = {
        PATHS_TREE_ACTION,
        PATHS_TREES_ACTION,
        PATHS_MATRIX_ACTION,
        PATHS_ROUTE_ACTION,
        PATHS_PREPARE_ACTION,
        PATHS_CHECK_ACTION,
        PATHS_GENERATE_ACTION,
        PATHS_JOURNEY_ACTION,
        PATHS_ITINERARY_ACTION,
        PATHS_ITINERARIES_ACTION,
        PATHS_ISOCHRONE_ACTION,
        PATHS_CHECK_JOURNEYS_ACTION,
        PATHS_TIMETABLE_ACTION,
    },
};
