// SPDX-License-Identifier: MIT
// Writes graphs as files that read back as the same graph, as far as the format goes. docs/formats.md describes them.
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "base/output.h"
#include "graph/reader.h"

enum { NAME_ROOM = 16, MOST_MATRIX = 20000 };  // 20,000 lines of 20,000 entries fit the largest text that is read

typedef struct writer {
    mco_context *ctx;
    const mco_graph *graph;
    mco_graph_rows rows;
    FILE *file;
    bool are_in_order;  // the names appear in the order of the vertices, all of them
} writer;

typedef void write_edge(writer *w, int32_t from, int32_t to, int64_t arc);

// Calls `write` for each edge once: of an undirected graph from its smaller end.
static void for_each_edge(writer *w, write_edge *write)
{
    for (int32_t v = 0; v < w->rows.vertices; v++)
        for (int64_t a = w->rows.first[v]; a < w->rows.first[v + 1]; a++)
            if (w->rows.is_directed || w->rows.head[a] >= v)
                write(w, v, w->rows.head[a], a);
}

static void put_weight(const writer *w, const char *before, int64_t arc)
{
    if (w->rows.weight == NULL)
        return;
    fputs(before, w->file);
    mco_write_number(w->rows.weight[arc], w->file);
}

static const char *name_of(const writer *w, int32_t vertex, char number[NAME_ROOM])
{
    return mco_graph_vertex_name(w->graph, vertex, number);
}

// ---- Edges and CSV

// Whether a reader that counts names as they appear finds the vertices in their order.
static bool test_order(const writer *w)
{
    int32_t seen = 0;  // vertices before it have appeared
    for (int32_t v = 0; v < w->rows.vertices; v++)
        for (int64_t a = w->rows.first[v]; a < w->rows.first[v + 1]; a++) {
            const int32_t head = w->rows.head[a];
            if (!w->rows.is_directed && head < v)
                continue;
            if (v > seen || (head > seen + (v == seen)))
                return false;
            seen += v == seen;
            seen += head == seen;
        }
    return seen == w->rows.vertices;
}

// Whether the word would be taken for something else than a name of a list of edges.
static bool is_special(const char *name)
{
    static const char *const words[] = {"source", "target", "from", "to", "p"};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (strcasecmp(name, words[k]) == 0)
            return true;
    for (const char *c = name; *c != '\0'; c++)
        if (isspace((unsigned char)*c) || *c == '"' || *c == ',' || *c == ';')
            return true;
    return name[0] == '\0' || strchr("#%{<~", name[0]) != NULL;
}

static void put_word(const writer *w, int32_t vertex)
{
    char number[NAME_ROOM];
    const char *name = name_of(w, vertex, number);
    if (w->graph->names == NULL || !is_special(name))
        fputs(name, w->file);
    else
        mco_write_quoted(name, w->file);
}

static void put_edge_line(writer *w, int32_t from, int32_t to, int64_t arc)
{
    put_word(w, from);
    fputc(' ', w->file);
    put_word(w, to);
    put_weight(w, " ", arc);
    fputc('\n', w->file);
}

static void put_counts(const writer *w)
{
    fprintf(w->file, "# vertices: %d edges: %" PRId64 " from: %d\n", w->rows.vertices, w->rows.edges, w->graph->base);
}

static void write_edges(writer *w)
{
    fprintf(w->file, "# %s\n", w->rows.is_directed ? "directed" : "undirected");
    put_counts(w);
    if (w->graph->names != NULL)
        fputs("# ids: names\n", w->file);
    for (int32_t v = 0; v < w->rows.vertices && w->graph->names != NULL && !w->are_in_order; v++) {
        fputs("# vertex: ", w->file);
        put_word(w, v);
        fputc('\n', w->file);
    }
    for_each_edge(w, put_edge_line);
}

static void put_cell(const writer *w, int32_t vertex)
{
    char number[NAME_ROOM];
    const char *name = name_of(w, vertex, number);
    if (name[0] == '#' || name[0] == '%' || name[0] == '\0')
        mco_write_quoted(name, w->file);
    else
        mco_write_cell(name, w->file);
}

static void put_row(writer *w, int32_t from, int32_t to, int64_t arc)
{
    put_cell(w, from);
    fputc(',', w->file);
    put_cell(w, to);
    put_weight(w, ",", arc);
    fputc('\n', w->file);
}

// Whether some name is no number, which shows a reader that all are names.
static bool has_word(const mco_graph *graph)
{
    for (int32_t v = 0; v < graph->rows.vertices; v++)
        if (graph->names[v] != NULL && graph->names[v][strspn(graph->names[v], "0123456789")] != '\0')
            return true;
    return false;
}

// What the rows show is not stated.
static void write_csv(writer *w)
{
    const mco_graph_rows *r = &w->rows;
    const bool has_names = w->graph->names != NULL;
    if (r->is_directed)
        fputs("# directed\n", w->file);
    if (!has_names)
        put_counts(w);
    else if (!has_word(w->graph))
        fputs("# ids: names\n", w->file);
    fprintf(w->file, "source,target%s\n", r->weight != NULL ? ",weight" : "");
    for (int32_t v = 0; v < r->vertices && has_names && !w->are_in_order; v++) {
        put_cell(w, v);
        fputs(r->weight != NULL ? ",,\n" : ",\n", w->file);
    }
    for_each_edge(w, put_row);
}

// ---- DIMACS and METIS: numbers from 1

static void put_dimacs(writer *w, int32_t from, int32_t to, int64_t arc)
{
    fprintf(w->file, "%c %d %d", w->rows.is_directed ? 'a' : 'e', from + 1, to + 1);
    if (w->rows.is_directed && w->rows.weight == NULL)
        fputs(" 1", w->file);
    put_weight(w, " ", arc);
    fputc('\n', w->file);
}

static void write_dimacs(writer *w)
{
    fprintf(w->file, "p %s %d %" PRId64 "\n", w->rows.is_directed ? "sp" : "edge", w->rows.vertices, w->rows.edges);
    for_each_edge(w, put_dimacs);
}

static void write_metis(writer *w)
{
    const mco_graph_rows *r = &w->rows;
    fprintf(w->file, "%d %" PRId64 "%s\n", r->vertices, r->edges, r->weight != NULL ? " 001" : "");
    for (int32_t v = 0; v < r->vertices; v++) {
        for (int64_t a = r->first[v]; a < r->first[v + 1]; a++) {
            fprintf(w->file, a == r->first[v] ? "%d" : " %d", r->head[a] + 1);
            put_weight(w, " ", a);
        }
        fputc('\n', w->file);
    }
}

static mco_status refuse_metis(const writer *w)
{
    const mco_graph_rows *r = &w->rows;
    if (r->is_directed)
        return mco_fail(w->ctx, MCO_ERR_ARGUMENT, "METIS holds undirected graphs only, the graph is directed");
    for (int32_t v = 0; v < r->vertices; v++)
        for (int64_t a = r->first[v]; a < r->first[v + 1]; a++) {
            if (r->head[a] == v)
                return mco_fail(w->ctx, MCO_ERR_ARGUMENT, "METIS holds no loops, vertex %d has one", v + 1);
            if (r->weight != NULL && (r->weight[a] < 0 || r->weight[a] > (double)GRAPH_MAX_METIS_WEIGHT || r->weight[a] != floor(r->weight[a])))
                return mco_fail(w->ctx, MCO_ERR_ARGUMENT, "METIS holds integers from 0 to 2^53 as weights, an edge of vertex %d has %.15g",
                                v + 1, r->weight[a]);
        }
    return MCO_OK;
}

// ---- GraphML

static void put_escaped(const char *text, FILE *file)
{
    for (const char *c = text; *c != '\0'; c++) {
        const bool is_end = c == text || c[1] == '\0';
        if (strchr("&<>\"", *c) != NULL || (unsigned char)*c < ' ' || (is_end && *c == ' '))
            fprintf(file, "&#%d;", *c);
        else
            fputc(*c, file);
    }
}

static void put_id(const writer *w, int32_t vertex)
{
    fprintf(w->file, w->graph->names != NULL ? "n%d" : "%d", vertex + w->graph->base);
}

static void put_graphml_edge(writer *w, int32_t from, int32_t to, int64_t arc)
{
    fputs("    <edge source=\"", w->file);
    put_id(w, from);
    fputs("\" target=\"", w->file);
    put_id(w, to);
    put_weight(w, "\"><data key=\"weight\">", arc);
    fputs(w->rows.weight != NULL ? "</data></edge>\n" : "\"/>\n", w->file);
}

static void put_node(const writer *w, int32_t vertex)
{
    char number[NAME_ROOM];
    fputs("    <node id=\"", w->file);
    put_id(w, vertex);
    fputs("\">", w->file);
    if (w->graph->names != NULL) {
        fputs("<data key=\"name\">", w->file);
        put_escaped(name_of(w, vertex, number), w->file);
        fputs("</data>", w->file);
    }
    if (w->rows.x != NULL) {
        fputs("<data key=\"x\">", w->file);
        mco_write_number(w->rows.x[vertex], w->file);
        fputs("</data><data key=\"y\">", w->file);
        mco_write_number(w->rows.y[vertex], w->file);
        fputs("</data>", w->file);
    }
    fputs("</node>\n", w->file);
}

static void put_key(const writer *w, const char *domain, const char *name, const char *type)
{
    fprintf(w->file, "  <key id=\"%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"%s\"/>\n", name, domain, name, type);
}

static void write_graphml(writer *w)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n", w->file);
    if (w->graph->names != NULL)
        put_key(w, "node", "name", "string");
    if (w->rows.x != NULL) {
        put_key(w, "node", "x", "double");
        put_key(w, "node", "y", "double");
    }
    if (w->rows.weight != NULL)
        put_key(w, "edge", "weight", "double");
    fprintf(w->file, "  <graph edgedefault=\"%s\">\n", w->rows.is_directed ? "directed" : "undirected");
    for (int32_t v = 0; v < w->rows.vertices; v++)
        put_node(w, v);
    for_each_edge(w, put_graphml_edge);
    fputs("  </graph>\n</graphml>\n", w->file);
}

// ---- Matrix

// A matrix has one entry for each pair, and 0 means that there is no arc. `seen` [vertices] holds the last row + 1 of each head.
static mco_status refuse_matrix(const writer *w)
{
    mco_status st = MCO_OK;
    const mco_graph_rows *r = &w->rows;
    int32_t *seen = NULL;
    if (r->vertices > MOST_MATRIX)
        return mco_fail(w->ctx, MCO_ERR_ARGUMENT, "%d vertices, at most %d can be written as a matrix", r->vertices, MOST_MATRIX);
    MCO_TRY(mco_alloc(w->ctx, &seen, r->vertices));
    for (int32_t v = 0; v < r->vertices && st == MCO_OK; v++)
        for (int64_t a = r->first[v]; a < r->first[v + 1] && st == MCO_OK; a++) {
            const bool is_twice = seen[r->head[a]] == v + 1;
            if (is_twice || (r->weight != NULL && r->weight[a] == 0))
                st = mco_fail(w->ctx, MCO_ERR_ARGUMENT, "a matrix holds no %s, vertices %d and %d have %s",
                              is_twice ? "parallel edges" : "edges of weight 0", v + 1, r->head[a] + 1, is_twice ? "some" : "one");
            seen[r->head[a]] = v + 1;
        }
done:
    mco_free(w->ctx, &seen);
    return st;
}

// `entry` [vertices] is zero before and after.
static void put_matrix_row(const writer *w, int32_t v, char separator, double *entry)
{
    const mco_graph_rows *r = &w->rows;
    for (int64_t a = r->first[v]; a < r->first[v + 1]; a++)
        entry[r->head[a]] = r->weight != NULL ? r->weight[a] : 1;
    for (int32_t u = 0; u < r->vertices; u++) {
        if (u > 0 || separator == ',')
            fputc(separator, w->file);
        mco_write_number(entry[u], w->file);
    }
    for (int64_t a = r->first[v]; a < r->first[v + 1]; a++)
        entry[r->head[a]] = 0;
    fputc('\n', w->file);
}

// With names in the form of a table: its first line and first column are the names.
static mco_status write_matrix(writer *w)
{
    double *entry = NULL;
    const bool has_names = w->graph->names != NULL;
    mco_status st = refuse_matrix(w);
    if (st == MCO_OK)
        st = mco_alloc(w->ctx, &entry, w->rows.vertices);
    for (int32_t v = 0; v < w->rows.vertices && st == MCO_OK && has_names; v++) {
        fputc(',', w->file);
        put_cell(w, v);
    }
    if (st == MCO_OK && has_names)
        fputc('\n', w->file);
    for (int32_t v = 0; v < w->rows.vertices && st == MCO_OK; v++) {
        if (has_names)
            put_cell(w, v);
        put_matrix_row(w, v, has_names ? ',' : ' ', entry);
    }
    mco_free(w->ctx, &entry);
    return st;
}

// ---- All formats

mco_status graph_write_text(mco_context *ctx, const mco_graph *graph, mco_graph_format format, FILE *file)
{
    mco_status st = MCO_OK;
    writer w = {.ctx = ctx, .graph = graph, .rows = mco_graph_view(graph), .file = file};
    const bool keeps_names = format != MCO_GRAPH_FORMAT_DIMACS && format != MCO_GRAPH_FORMAT_METIS;
    w.are_in_order = graph->names != NULL && test_order(&w);
    switch (format) {
    case MCO_GRAPH_FORMAT_EDGES: write_edges(&w); break;
    case MCO_GRAPH_FORMAT_CSV: write_csv(&w); break;
    case MCO_GRAPH_FORMAT_DIMACS: write_dimacs(&w); break;
    case MCO_GRAPH_FORMAT_GRAPHML: write_graphml(&w); break;
    case MCO_GRAPH_FORMAT_MATRIX: MCO_TRY(write_matrix(&w)); break;
    case MCO_GRAPH_FORMAT_METIS:
        MCO_TRY(refuse_metis(&w));
        write_metis(&w);
        break;
    default:
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the format %s is only read; edges, dimacs, metis, graphml, matrix and csv are written",
                        format == MCO_GRAPH_FORMAT_SNAP ? "snap" : format == MCO_GRAPH_FORMAT_TNTP ? "tntp" : "of this number");
    }
    if (graph->names != NULL && !keeps_names)
        mco_log(ctx, MCO_LOG_INFO, "the format has no names, vertices are written by number");
done:
    return st;
}

mco_status mco_graph_write(mco_context *ctx, const mco_graph *graph, mco_graph_format format, const char *path)
{
    mco_output o;
    if (ctx == NULL || graph == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (format == MCO_GRAPH_FORMAT_AUTO)
        format = graph_format_of_name(path);
    if (format == MCO_GRAPH_FORMAT_AUTO)
        format = MCO_GRAPH_FORMAT_EDGES;
    mco_status st = mco_output_open(ctx, path, &o);
    if (st != MCO_OK)
        return st;
    st = graph_write_text(ctx, graph, format, o.file);
    if (st == MCO_OK)
        return mco_output_commit(ctx, &o, false);
    mco_output_discard(&o);
    return st;
}
