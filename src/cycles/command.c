// SPDX-License-Identifier: MIT
// mco cycles count | list | check | generate
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/frame.h"
#include "mco/cycles.h"

// ---- The graph: a file, or a generated one

#define SHAPE_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                    \
    TEXT(grid, "--grid", "AxB", "a grid of A rows and B columns")                                                          \
    TEXT(complete_bipartite, "--complete-bipartite", "A,B", "two sides of A and B vertices, all edges between them")       \
    INTEGER(wheel, "--wheel", -1, 3, 2000000000, -1, "N", "a circle of N vertices and a hub")                              \
    INTEGER(cycle, "--cycle", -1, 3, 2000000000, -1, "N", "a circle of N vertices")                                        \
    INTEGER(complete, "--complete", -1, 0, 2000000000, -1, "N", "N vertices, all edges")                                   \
    TEXT(random, "--random", "N,M", "N vertices, M edges at random")                                                       \
    TEXT(regular, "--regular", "N,D", "N vertices of degree D, at random")                                                 \
    TEXT(road, "--road", "AxB", "like a road network: a grid of A rows and B columns without some of its edges")           \
    REAL(share, "--share", 0.2, 0, 0.999999, -1, "P", "of the edges that --road removes")                                  \
    INTEGER(seed, "--seed", 1, 0, 9007199254740992, -1, "K", "seed of --random, --regular and --road")

#define FILE_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                     \
    CHOICE(input_format, "--input-format", mco_graph_format, MCO_GRAPH_FORMAT_AUTO, MCO_GRAPH_FORMAT_NAMES,               \
           "format of GRAPH")                                                                                              \
    CHOICE(direction, "--direction", mco_graph_direction, MCO_GRAPH_DIRECTION_AUTO, MCO_GRAPH_DIRECTION_NAMES,            \
           "whether GRAPH has edges or arcs; auto: as the file says, arcs with --directed")                                \
    FLAG(food_web, "--food-web", "GRAPH is a food web, arcs from prey to predator: take its niche-overlap graph")

#define SOURCE_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)      \
    FILE_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)            \
    SHAPE_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)

typedef struct source {
    MCO_FIELDS(SOURCE_OPTIONS)
} source;
#define MCO_OPTION_STRUCT source
static const mco_option source_records[] = {MCO_OPTION_RECORDS(SOURCE_OPTIONS)};
static const mco_option_table source_options = MCO_OPTION_TABLE(source_records);
static const mco_option shape_records[] = {MCO_OPTION_RECORDS(SHAPE_OPTIONS)};
static const mco_option_table shape_options = MCO_OPTION_TABLE(shape_records);
static const source source_defaults = {MCO_DEFAULTS(SOURCE_OPTIONS)};

// Two integers with a separator between them.
static mco_status read_pair(mco_context *ctx, const char *flag, const char *text, char separator, mco_graph_shape *shape)
{
    char first[32];
    const char *at = strchr(text, separator);
    const size_t size = at != NULL ? (size_t)(at - text) : 0;
    if (size == 0 || size >= sizeof first)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s is \"%.40s\", two numbers like 7%c10 were expected", flag, text, separator);
    memcpy(first, text, size);
    first[size] = '\0';
    if (!mco_parse_integer(first, 0, MCO_GRAPH_MAX_ARCS, &shape->a) || !mco_parse_integer(at + 1, 0, MCO_GRAPH_MAX_ARCS, &shape->b))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s is \"%.40s\", two numbers like 7%c10 were expected", flag, text, separator);
    return MCO_OK;
}

// Makes the shape that the options name. *count: how many they name.
static mco_status find_shape(mco_context *ctx, const source *s, mco_graph_shape *out, int *count)
{
    mco_status st = MCO_OK;
    const struct {
        const char *flag, *text;
        char separator;
        int64_t number;
        mco_graph_family family;
    } shapes[] = {
        {"--grid", s->grid, 'x', -1, MCO_GRAPH_GRID},
        {"--complete-bipartite", s->complete_bipartite, ',', -1, MCO_GRAPH_COMPLETE_BIPARTITE},
        {"--wheel", NULL, 0, s->wheel, MCO_GRAPH_WHEEL},
        {"--cycle", NULL, 0, s->cycle, MCO_GRAPH_CYCLE},
        {"--complete", NULL, 0, s->complete, MCO_GRAPH_COMPLETE},
        {"--random", s->random, ',', -1, MCO_GRAPH_RANDOM},
        {"--regular", s->regular, ',', -1, MCO_GRAPH_REGULAR},
        {"--road", s->road, 'x', -1, MCO_GRAPH_ROAD},
    };
    *count = 0;
    *out = (mco_graph_shape){.share = s->share, .seed = (uint64_t)s->seed};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        if (shapes[k].text == NULL && shapes[k].number < 0)
            continue;
        out->family = shapes[k].family;
        out->a = shapes[k].number;
        if (shapes[k].text != NULL)
            MCO_TRY(read_pair(ctx, shapes[k].flag, shapes[k].text, shapes[k].separator, out));
        ++*count;
    }
    if (*count > 1)
        st = mco_fail(ctx, MCO_ERR_ARGUMENT, "%d graphs to generate were named, one was expected", *count);
done:
    return st;
}

static mco_status read_web(mco_context *ctx, const char *path, const mco_graph_file *file, mco_graph **out)
{
    mco_status st = MCO_OK;
    mco_graph *web = NULL;
    mco_graph_file directed = *file;
    directed.direction = MCO_GRAPH_DIRECTION_DIRECTED;
    MCO_TRY(mco_graph_read(ctx, path, &directed, &web));
    MCO_TRY(mco_cycles_niche_overlap(ctx, web, out));
done:
    mco_graph_destroy(ctx, &web);
    return st;
}

// Takes either a file, at `path`, or a shape; `path` NULL: no file is given.
static mco_status open_source(mco_context *ctx, const source *s, const char *path, bool is_directed, mco_graph **out)
{
    mco_status st = MCO_OK;
    mco_graph_shape shape;
    mco_graph_file file = MCO_GRAPH_FILE_INIT;
    int shapes = 0;
    MCO_TRY(find_shape(ctx, s, &shape, &shapes));
    if ((path != NULL) == (shapes > 0))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s (see mco help cycles)",
                        path != NULL ? "a file and a graph to generate exclude each other" : "a file or a graph to generate, such as --grid 7x10, is needed");
    if (s->food_web && (path == NULL || is_directed || s->direction == MCO_GRAPH_DIRECTION_UNDIRECTED))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--food-web takes a file of arcs and makes an undirected graph");
    file.format = s->input_format;
    file.direction = s->direction;
    if (is_directed && file.direction == MCO_GRAPH_DIRECTION_AUTO)
        file.direction = MCO_GRAPH_DIRECTION_DIRECTED;
    if (path == NULL)
        MCO_TRY(mco_graph_generate(ctx, &shape, out));
    else if (s->food_web)
        MCO_TRY(read_web(ctx, path, &file, out));
    else
        MCO_TRY(mco_graph_read(ctx, path, &file, out));
done:
    return st;
}

// ---- count, list

#define REQUEST_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG) \
    TEXT(through, "--through", "NAMES", "only cycles through all of these vertices, separated by commas; a name with a comma " \
         "in double quotes")

#define LIST_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                  \
    CHOICE(format, "--format", mco_cycles_format, MCO_CYCLES_FORMAT_TEXT, MCO_CYCLES_FORMAT_NAMES,                      \
           "how cycles are written; factored: as products, none: they are made and dropped")                            \
    TEXT(output, "--output", "F", "where to write the list; if not given, standard output; .gz compresses")

typedef struct request {
    MCO_FIELDS(REQUEST_OPTIONS)
} request;
typedef struct listing {
    MCO_FIELDS(LIST_OPTIONS)
} listing;
#undef MCO_OPTION_STRUCT
#define MCO_OPTION_STRUCT request
static const mco_option request_records[] = {MCO_OPTION_RECORDS(REQUEST_OPTIONS)};
static const mco_option_table request_options = MCO_OPTION_TABLE(request_records);
#undef MCO_OPTION_STRUCT
#define MCO_OPTION_STRUCT listing
static const mco_option list_records[] = {MCO_OPTION_RECORDS(LIST_OPTIONS)};
static const mco_option_table list_options = MCO_OPTION_TABLE(list_records);

typedef struct session {
    mco_cycles_params params;
    source from;
    request asked;
    listing list;
    mco_graph *graph;
    int32_t *through;
    mco_cycles_result result;
} session;

static void begin(void *state)
{
    *(session *)state = (session){.params = MCO_CYCLES_PARAMS_INIT, .from = source_defaults, .result = MCO_CYCLES_RESULT_INIT};
}

static void count_tables(void *state, mco_option_values *out)
{
    session *s = state;
    out[0] = (mco_option_values){mco_cycles_options(), &s->params};
    out[1] = (mco_option_values){&request_options, &s->asked};
    out[2] = (mco_option_values){&source_options, &s->from};
}

static void list_tables(void *state, mco_option_values *out)
{
    count_tables(state, out);
    out[3] = (mco_option_values){&list_options, &((session *)state)->list};
}

// Copies the name that *at begins with to `name`, and moves *at behind its comma. In double quotes a name may hold commas; `""`
// inside is one quote. False: it is the last one.
static bool next_name(const char **at, char *name)
{
    const char *c = *at;
    const bool is_quoted = *c == '"';
    for (c += is_quoted; *c != '\0' && (is_quoted || *c != ','); c++) {
        if (is_quoted && *c == '"' && *++c != '"')
            break;
        *name++ = *c;
    }
    *name = '\0';
    c += strcspn(c, ",");
    *at = c + (*c == ',');
    return *c == ',';
}

// Finds the vertices of --through.
static mco_status find_through(mco_context *ctx, session *s)
{
    mco_status st = MCO_OK;
    const char *at = s->asked.through;
    char *name = NULL;
    int32_t count = 0;
    if (at == NULL)
        return MCO_OK;
    MCO_TRY(mco_alloc(ctx, &s->through, (int64_t)strlen(at) + 1));
    MCO_TRY(mco_alloc(ctx, &name, (int64_t)strlen(at) + 1));
    for (bool goes_on = true; goes_on; count++) {
        goes_on = next_name(&at, name);
        if (name[0] == '\0')
            MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "--through has an empty name"));
        MCO_TRY(mco_graph_find(ctx, s->graph, name, &s->through[count]));
    }
    s->params.through = s->through;
    s->params.through_count = count;
done:
    mco_free(ctx, &name);
    return st;
}

static mco_status open(cli_call *call)
{
    mco_status st = MCO_OK;
    session *s = call->state;
    if (s->list.output != NULL && s->list.format == MCO_CYCLES_FORMAT_NONE)
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--output was given, and --format none writes no list");
    MCO_TRY(open_source(call->ctx, &s->from, call->input_count > 0 ? call->inputs[0] : NULL, s->params.directed != 0, &s->graph));
    MCO_TRY(find_through(call->ctx, s));
done:
    return st;
}

static void end(cli_call *call)
{
    session *s = call->state;
    mco_cycles_result_clear(call->ctx, &s->result);
    mco_free(call->ctx, &s->through);
    mco_graph_destroy(call->ctx, &s->graph);
}

static mco_status count(cli_call *call)
{
    session *s = call->state;
    return mco_cycles_count(call->ctx, s->graph, &s->params, &s->result);
}

static const char *list_path(const session *s)
{
    return s->list.format == MCO_CYCLES_FORMAT_NONE ? NULL : s->list.output != NULL ? s->list.output : "-";
}

static mco_status list(cli_call *call)
{
    session *s = call->state;
    return mco_cycles_write_list(call->ctx, s->graph, &s->params, s->list.format, list_path(s), &s->result);
}

static void list_outputs(const void *state, const char *out[CLI_MORE_OUTPUTS])
{
    out[0] = list_path(state);
}

static mco_status write_result(cli_call *call, const mco_option_values *more, const char *path)
{
    const session *s = call->state;
    return mco_cycles_write_result(call->ctx, s->graph, &s->params, &s->result, more, path);
}

// ---- The picture

typedef struct marked {
    const mco_graph *graph;
    bool is_directed;
    int32_t *order;  // [vertices]
    int32_t length;
} marked;

static bool take_marked(const mco_cycles_batch *batch, void *user)
{
    marked *m = user;
    m->length = mco_cycles_order(m->graph, batch, 0, m->is_directed, m->order);
    return false;
}

// Finds a longest cycle to mark, or any, in little time.
static mco_status find_marked(mco_context *ctx, const session *s, marked *m)
{
    static const double PATIENCE_S = 1;
    mco_status st = MCO_OK;
    for (int tries = 0; tries < 2 && m->length == 0 && s->result.longest >= 3; tries++) {
        mco_cycles_params p = s->params;
        mco_cycles_result r = MCO_CYCLES_RESULT_INIT;
        p.limit = 1;
        p.time_limit_s = PATIENCE_S;
        p.min_length = tries == 0 ? s->result.longest : p.min_length;
        MCO_TRY(mco_cycles_list(ctx, s->graph, &p, take_marked, m, &r));
        mco_cycles_result_clear(ctx, &r);
    }
done:
    return st;
}

static mco_status plot(cli_call *call, const char *path)
{
    enum { MOST_DRAWN = 200 };
    mco_status st = MCO_OK;
    const session *s = call->state;
    const int32_t n = mco_graph_view(s->graph).vertices;
    marked m = {.graph = s->graph, .is_directed = s->params.directed != 0};
    if (n <= MOST_DRAWN) {
        MCO_TRY(mco_alloc(call->ctx, &m.order, n));
        MCO_TRY(find_marked(call->ctx, s, &m));
    }
    MCO_TRY(mco_cycles_plot(call->ctx, s->graph, &s->result, m.length > 0 ? m.order : NULL, m.length, path));
done:
    mco_free(call->ctx, &m.order);
    return st;
}

static mco_status refuse_output(cli_call *call, const char *flag)
{
    const session *s = call->state;
    if (strcmp(flag, "--plot") == 0 && s->params.by_length == MCO_CYCLES_BY_LENGTH_OFF)
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--plot draws the counts by length, and --by-length is off");
    return MCO_OK;
}

// ---- The summary

static void print_lengths(const mco_cycles_result *r)
{
    int32_t shortest = 0;
    for (int32_t k = r->longest; k >= 3 && r->by_length != NULL; k--)
        for (int32_t w = 0; w < r->limbs; w++)
            if (r->by_length[(size_t)k * (size_t)r->limbs + (size_t)w] != 0)
                shortest = k;
    if (shortest > 0)
        printf("lengths    %d to %d\n", shortest, r->longest);
}

static mco_status print(cli_call *call)
{
    mco_status st = MCO_OK;
    const session *s = call->state;
    const mco_cycles_result *r = &s->result;
    const size_t size = 20 * (size_t)r->limbs + 2;
    char *text = NULL;
    MCO_TRY(mco_alloc(call->ctx, &text, size));
    printf("graph      %s, %" PRId64 " vert%s, %" PRId64 " %s%s\n", mco_graph_name(s->graph), r->vertices,
           r->vertices == 1 ? "ex" : "ices", r->edges, s->params.directed ? "arc" : "edge", mco_plural(r->edges));
    if (r->loops + r->parallel > 0)
        printf("ignored    %" PRId64 " loop%s, %" PRId64 " parallel edge%s\n", r->loops, mco_plural(r->loops), r->parallel,
               mco_plural(r->parallel));
    cli_print_outcome(r->outcome, r->stop, "");
    printf("cycles     %s longer than 3", mco_cycles_count_text(r->exact, r->limbs, text, size));
    if (s->params.min_length <= 3)
        printf(", %" PRId64 " triangle%s", r->triangles, mco_plural(r->triangles));
    if (s->params.directed)
        printf(", %" PRId64 " pair%s of opposite arcs", r->digons, mco_plural(r->digons));
    printf("\n");
    print_lengths(r);
    printf("method     %s\n", r->reason);
    printf("effort     %" PRId64 " block%s, width %d, %" PRId64 " states, %" PRId64 " nodes, %.1f MiB\n", r->blocks,
           mco_plural(r->blocks), r->width, r->states, r->nodes, (double)r->bytes / (1 << 20));
    printf("time       %.6f s, ", r->work.solve_s);
    cli_print_engine(call->ctx, &r->work);
    printf("\n");
done:
    mco_free(call->ctx, &text);
    return st;
}

// ---- check

typedef struct checking {
    source from;
    MCO_FIELD_FLAG(directed, "", "")
    mco_graph *graph;
} checking;
#undef MCO_OPTION_STRUCT
#define MCO_OPTION_STRUCT checking
static const mco_option check_records[] = {
    MCO_OPTION_FLAG_ENTRY(directed, "--directed", "the list is of directed cycles")};
static const mco_option_table check_options = MCO_OPTION_TABLE(check_records);

static void begin_check(void *state)
{
    *(checking *)state = (checking){.from = source_defaults};
}

static void check_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){&check_options, state};
    out[1] = (mco_option_values){&source_options, &((checking *)state)->from};
}

// The list is the last input; the graph is a file before it, or a shape.
static mco_status check(cli_call *call)
{
    mco_status st = MCO_OK;
    checking *c = call->state;
    int64_t number = 0;
    const char *path = call->inputs[call->input_count - 1];
    MCO_TRY(open_source(call->ctx, &c->from, call->input_count > 1 ? call->inputs[0] : NULL, c->directed != 0, &c->graph));
    MCO_TRY(mco_cycles_check(call->ctx, c->graph, c->directed != 0, path, &number));
    printf("valid      %" PRId64 " chordless cycle%s, all different\n", number, mco_plural(number));
done:
    return st;
}

static void end_check(cli_call *call)
{
    mco_graph_destroy(call->ctx, &((checking *)call->state)->graph);
}

// ---- generate

typedef struct generation {
    source shape;
    mco_graph_format output_format;
    cli_generated file;
} generation;
#undef MCO_OPTION_STRUCT
#define MCO_OPTION_STRUCT generation
static const mco_option generate_records[] = {
    MCO_OPTION_CHOICE_ENTRY(output_format, "--output-format", mco_graph_format, MCO_GRAPH_FORMAT_AUTO, MCO_GRAPH_FORMAT_NAMES,
                            "format of the file; auto: by the end of its name")};
static const mco_option_table generate_options = MCO_OPTION_TABLE(generate_records);

static void begin_generation(void *state)
{
    *(generation *)state = (generation){.shape = source_defaults};
}

static void generate_tables(void *state, mco_option_values *out)
{
    generation *g = state;
    out[0] = (mco_option_values){&shape_options, &g->shape};
    out[1] = (mco_option_values){&generate_options, g};
    out[2] = (mco_option_values){&cli_generated_options, &g->file};
}

static mco_status generate(cli_call *call)
{
    mco_status st = MCO_OK;
    const generation *g = call->state;
    mco_graph *graph = NULL;
    MCO_TRY(open_source(call->ctx, &g->shape, NULL, false, &graph));
    MCO_TRY(mco_graph_write(call->ctx, graph, g->output_format, cli_generated_path(&g->file)));
done:
    mco_graph_destroy(call->ctx, &graph);
    return st;
}

const cli_problem cli_cycles = {
    .name = "cycles",
    .text = "chordless cycles of a graph: counted, listed, checked",
    .about = "All chordless cycles of a graph: cycles that no further edge shortens. Triangles are counted apart.\n\n"
             "GRAPH is a file: an edge list (two vertices a line, by number or name), SNAP, DIMACS (.gr, .col), METIS,\n"
             "GraphML, TNTP, an adjacency matrix or CSV. --grid and other options generate a graph instead.",
    .example = "count examples/streets.csv --plot cycles.svg",
    .csv = {{"GRAPH as CSV, a row for each edge:",
             {{"source, target", "the names or numbers of the two vertices; from and to do as well"},
              {"weight", "a number, which cycles do not need"}}}},
    .actions = {
        {.name = "count", .arguments = "[OPTIONS] GRAPH | --grid AxB | ...", .text = "counts the cycles, as a rule without visiting them",
         .most = 1, .state_bytes = sizeof(session), .begin = begin, .tables = count_tables, .open = open,
         .refuse_output = refuse_output, .ranks = CLI_RANKS_SHARE, .solve = count, .write_result = write_result,
         .plot_text = "draw the counts by length; a small graph with one cycle", .plot = plot, .print = print, .end = end},
        {.name = "list", .arguments = "[OPTIONS] GRAPH | --grid AxB | ...", .text = "writes every cycle",
         .most = 1, .state_bytes = sizeof(session), .begin = begin, .tables = list_tables, .open = open,
         .refuse_output = refuse_output, .more_outputs = list_outputs, .solve = list, .write_result = write_result,
         .plot_text = "draw the counts by length; a small graph with one cycle", .plot = plot, .print = print, .end = end},
        {.name = "check", .arguments = "[OPTIONS] GRAPH LIST | --grid AxB LIST", .text = "checks a list in any format: chordless, all different",
         .least = 1, .most = 2, .state_bytes = sizeof(checking), .begin = begin_check, .tables = check_tables, .run = check,
         .end = end_check},
        {.name = "generate", .arguments = "--grid AxB | ... [--output F]", .text = "writes a graph", .state_bytes = sizeof(generation),
         .begin = begin_generation, .tables = generate_tables, .run = generate},
    },
};
