// SPDX-License-Identifier: MIT
// Graph files: which format a file has, and the graph that its reader leaves in the draft. docs/formats.md describes them.
#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/kinds.h"
#include "base/structs.h"
#include "graph/reader.h"

// ---- What the readers share

mco_status graph_refuse_vertices(mco_text *text, mco_slice place, int64_t vertices)
{
    enum { FREE = 1 << 20, OF_A_BYTE = 64 };
    const int64_t most = FREE + OF_A_BYTE * (int64_t)text->size;
    if (vertices <= most && vertices <= MCO_GRAPH_MAX_VERTICES)
        return MCO_OK;
    return mco_fail(text->ctx, MCO_ERR_LIMIT, "%s:%" PRId64 ":%" PRId64 ": %" PRId64 " vertices are stated, a text of %zu bytes may "
                    "have %" PRId64, text->name, place.line, place.column, vertices, text->size,
                    most < MCO_GRAPH_MAX_VERTICES ? most : MCO_GRAPH_MAX_VERTICES);
}

mco_status graph_read_weight(mco_text *text, mco_slice cell, double *out)
{
    return mco_slice_real(text, cell, "the weight", -GRAPH_MAX_WEIGHT, GRAPH_MAX_WEIGHT, out);
}

mco_status graph_draft_weighs(graph_draft *draft, mco_slice place, bool has_weight)
{
    if (draft->edges.has_weights == has_weight)
        return MCO_OK;
    if (draft->edges.count > 0)
        return mco_text_fail(draft->text, place.line, place.column, "the edge has %s weight, edges before it have %s",
                             has_weight ? "a" : "no", has_weight ? "none" : "one");
    draft->edges.has_weights = has_weight;
    return MCO_OK;
}

// ---- Formats

mco_graph_format graph_format_of_name(const char *name)
{
    static const struct {
        const char *end;
        mco_graph_format format;
    } ends[] = {
        {".gr", MCO_GRAPH_FORMAT_DIMACS},       {".col", MCO_GRAPH_FORMAT_DIMACS}, {".dimacs", MCO_GRAPH_FORMAT_DIMACS},
        {".graph", MCO_GRAPH_FORMAT_METIS},     {".metis", MCO_GRAPH_FORMAT_METIS}, {".graphml", MCO_GRAPH_FORMAT_GRAPHML},
        {".xml", MCO_GRAPH_FORMAT_GRAPHML},     {".tntp", MCO_GRAPH_FORMAT_TNTP},  {".mat", MCO_GRAPH_FORMAT_MATRIX},
        {".matrix", MCO_GRAPH_FORMAT_MATRIX},   {".adj", MCO_GRAPH_FORMAT_MATRIX}, {".csv", MCO_GRAPH_FORMAT_CSV},
        {".edges", MCO_GRAPH_FORMAT_EDGES},
    };
    size_t size = strlen(name);
    if (size > 3 && strcasecmp(name + size - 3, ".gz") == 0)
        size -= 3;
    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++) {
        const size_t end = strlen(ends[k].end);
        if (size > end && strncasecmp(name + size - end, ends[k].end, end) == 0)
            return ends[k].format;
    }
    return MCO_GRAPH_FORMAT_AUTO;
}

static bool is_number(mco_slice cell)
{
    for (size_t i = 0; i < cell.size; i++)
        if (strchr("0123456789+-.eE", cell.data[i]) == NULL)
            return false;
    return cell.size > 0;
}

static bool next_cell(mco_slice *rest, char separator, mco_slice *cell)
{
    return separator == ' ' ? mco_slice_token(rest, cell) : mco_slice_field(rest, separator, cell);
}

// The format that the first line without comments tells; `next` is the line behind it.
static mco_graph_format format_of_line(mco_slice line, mco_slice next, bool is_snap, bool is_csv)
{
    enum { MATRIX_CELLS = 4 };  // a line of an edge has up to 3
    char separator = graph_separator(line);
    const char of_table = separator == ' ' ? mco_slice_separator(line) : separator;
    int from, to, weight, cells = 0, numbers = 0;
    mco_slice cell, second = {0}, rest = line;
    if (memchr(line.data, of_table, line.size) != NULL && graph_is_header(line, of_table, &from, &to, &weight))
        return MCO_GRAPH_FORMAT_CSV;
    for (; next_cell(&rest, separator, &cell); cells++) {
        numbers += is_number(cell);
        second = cells == 1 ? cell : second;
    }
    if (cells >= MATRIX_CELLS && numbers == cells)
        return MCO_GRAPH_FORMAT_MATRIX;
    if (separator != ' ' && next_cell(&next, separator, &cell) && second.size > 0 && cell.size == second.size &&
        memcmp(cell.data, second.data, cell.size) == 0 && (cells >= MATRIX_CELLS || line.data[0] == separator))
        return MCO_GRAPH_FORMAT_MATRIX;
    if (is_csv && cells >= MATRIX_CELLS)
        return MCO_GRAPH_FORMAT_CSV;  // whose reader says what its header lacks
    return is_snap ? MCO_GRAPH_FORMAT_SNAP : MCO_GRAPH_FORMAT_EDGES;
}

// Whether the line is "p sp ..." of DIMACS, with any word for the problem: its reader says which it knows.
static bool is_dimacs_head(mco_slice line)
{
    static const char *const words[] = {"sp", "edge", "col", "edges", "max", "min", "asn", "aux", "cnf"};
    mco_slice word;
    if (!mco_slice_token(&line, &word) || word.size != 1 || word.data[0] != 'p')
        return false;
    mco_slice_token(&line, &word);
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (mco_slice_is(word, words[k]))
            return true;
    return false;
}

static bool is_dimacs(mco_text text)
{
    mco_slice line, word, rest;
    while (mco_text_skip_blank(&text) && mco_text_line(&text, &line)) {
        rest = line;
        mco_slice_token(&rest, &word);
        if (word.size != 1 || word.data[0] != 'c')
            return is_dimacs_head(line);
    }
    return false;
}

mco_graph_format graph_find_format(const mco_text *text, const char *name)
{
    static const char SNAP[] = "# Nodes:";
    const mco_graph_format of_name = graph_format_of_name(name);
    mco_text ahead = *text;
    mco_slice line = {0}, next = {0};
    bool is_snap = false;
    if (of_name != MCO_GRAPH_FORMAT_AUTO && of_name != MCO_GRAPH_FORMAT_CSV)
        return of_name;
    if (is_dimacs(ahead))
        return MCO_GRAPH_FORMAT_DIMACS;
    do {
        if (!mco_text_skip_blank(&ahead) && ahead.at >= ahead.size)
            return of_name == MCO_GRAPH_FORMAT_AUTO ? MCO_GRAPH_FORMAT_EDGES : of_name;
        ahead.at = ahead.line_at > ahead.at ? ahead.at : ahead.line_at;  // an empty first cell of tabs stays
        mco_text_line(&ahead, &line);
        is_snap |= line.size > sizeof SNAP && memcmp(line.data, SNAP, sizeof SNAP - 1) == 0;
    } while (line.data[0] == '#' || line.data[0] == '%');
    const mco_slice content = mco_slice_trim(line);
    if (content.data[0] == '~' || (content.size > 1 && content.data[0] == '<' && isupper((unsigned char)content.data[1])))
        return MCO_GRAPH_FORMAT_TNTP;
    if (content.data[0] == '<')
        return MCO_GRAPH_FORMAT_GRAPHML;
    mco_text_line(&ahead, &next);
    return format_of_line(content, next, is_snap, of_name == MCO_GRAPH_FORMAT_CSV);
}

// ---- Reading

static mco_status read_format(graph_draft *draft)
{
    switch (draft->format) {
    case MCO_GRAPH_FORMAT_DIMACS: return graph_read_dimacs(draft);
    case MCO_GRAPH_FORMAT_METIS: return graph_read_metis(draft);
    case MCO_GRAPH_FORMAT_GRAPHML: return graph_read_graphml(draft);
    case MCO_GRAPH_FORMAT_TNTP: return graph_read_tntp(draft);
    case MCO_GRAPH_FORMAT_MATRIX: return graph_read_matrix(draft);
    case MCO_GRAPH_FORMAT_CSV: return graph_read_csv(draft);
    default: return graph_read_edges(draft);
    }
}

// Counts loops, and edges beyond the first between the same ends. `seen` [vertices] holds the last row + 1 of each head.
static mco_status count_doubles(mco_context *ctx, const mco_graph_rows *rows, int64_t *loops, int64_t *parallel)
{
    int32_t *seen = NULL;
    const mco_status st = mco_alloc(ctx, &seen, rows->vertices);
    if (st != MCO_OK)
        return st;
    *loops = *parallel = 0;
    for (int32_t v = 0; v < rows->vertices; v++)
        for (int64_t a = rows->first[v]; a < rows->first[v + 1]; a++) {
            const int32_t head = rows->head[a];
            *loops += head == v;
            *parallel += head != v && seen[head] == v + 1;
            seen[head] = v + 1;
        }
    *parallel /= rows->is_directed ? 1 : 2;
    mco_free(ctx, &seen);
    return MCO_OK;
}

static mco_status log_graph(mco_context *ctx, const graph_draft *draft, const mco_graph *graph)
{
    static const char *const formats[] = {"", "edges", "SNAP", "DIMACS", "METIS", "GraphML", "TNTP", "matrix", "CSV"};
    const mco_graph_rows rows = mco_graph_view(graph);
    int64_t loops, parallel;
    if (!mco_wants_log(ctx, MCO_LOG_INFO))
        return MCO_OK;
    const mco_status st = count_doubles(ctx, &rows, &loops, &parallel);
    if (st != MCO_OK)
        return st;
    const char *as = rows.is_directed == draft->is_directed ? "" : rows.is_directed ? ", taken as directed" : ", taken as undirected";
    const char *kind = draft->is_directed ? "directed" : "undirected";
    mco_log(ctx, MCO_LOG_INFO, "%s: %s, %s%s, %d %s, %" PRId64 " %s%s, %" PRId64 " loop%s, %" PRId64 " parallel%s%s", draft->text->name,
            formats[draft->format], kind, as, rows.vertices, rows.vertices == 1 ? "vertex" : "vertices", rows.edges,
            rows.is_directed ? "arc" : "edge", mco_plural(rows.edges), loops, mco_plural(loops), parallel,
            graph->weight != NULL ? ", weights" : "", graph->names != NULL ? ", names" : "");
    return MCO_OK;
}

static mco_status build(graph_draft *d, const char *name, mco_graph **out)
{
    mco_status st = MCO_OK;
    mco_graph *graph = NULL;
    const graph_edges *e = &d->edges;
    const mco_graph_edges edges = {.vertices = d->vertices, .edges = e->count, .from = e->from, .to = e->to,
                                   .weight = e->has_weights ? e->weight : NULL, .x = d->x, .y = d->y,
                                   .is_directed = d->asked == MCO_GRAPH_DIRECTION_AUTO ? d->is_directed
                                                                                       : d->asked == MCO_GRAPH_DIRECTION_DIRECTED};
    MCO_TRY(graph_build(d->ctx, &edges, name, d->names != NULL ? &d->names : NULL, d->base, &graph));
    MCO_TRY(log_graph(d->ctx, d, graph));
    *out = graph;
    graph = NULL;
done:
    mco_graph_destroy(d->ctx, &graph);
    return st;
}

static mco_status read_draft(graph_draft *d, const char *name, mco_graph **out)
{
    mco_status st = MCO_OK;
    if (d->format == MCO_GRAPH_FORMAT_AUTO) {
        MCO_TRY(mco_refuse_other_kind(d->text, d->wants_times ? "paths" : "cycles"));
        d->format = graph_find_format(d->text, name);
    }
    MCO_TRY(read_format(d));
    MCO_TRY(build(d, name, out));
done:
    graph_edges_clear(d->ctx, &d->edges);
    mco_free(d->ctx, &d->names);
    mco_free(d->ctx, &d->x);
    mco_free(d->ctx, &d->y);
    return st;
}

mco_status graph_read_text(mco_context *ctx, mco_text *text, const mco_graph_file *file, const char *name, mco_graph **out)
{
    graph_draft d = {.ctx = ctx, .text = text, .format = file->format, .asked = file->direction, .base = 1};
    return read_draft(&d, name, out);
}

mco_status graph_read_roads(mco_context *ctx, mco_text *text, const mco_graph_file *file, const char *name, int32_t *first_through,
                            mco_graph **out)
{
    graph_draft d = {.ctx = ctx, .text = text, .format = file->format, .asked = file->direction, .base = 1, .wants_times = true};
    const mco_status st = read_draft(&d, name, out);
    *first_through = d.first_through;
    return st;
}

mco_status mco_graph_read(mco_context *ctx, const char *path, const mco_graph_file *file, mco_graph **out)
{
    mco_status st = MCO_OK;
    mco_graph_file f = MCO_GRAPH_FILE_INIT;
    mco_text text = {.ctx = ctx};
    if (ctx == NULL || path == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (file != NULL)
        MCO_TRY(MCO_TAKE(ctx, file, &f));
    if (f.format < MCO_GRAPH_FORMAT_AUTO || f.format > MCO_GRAPH_FORMAT_CSV || f.direction < MCO_GRAPH_DIRECTION_AUTO ||
        f.direction > MCO_GRAPH_DIRECTION_DIRECTED)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "format %d and direction %d, allowed are 0 to %d and 0 to %d", (int)f.format,
                        (int)f.direction, MCO_GRAPH_FORMAT_CSV, MCO_GRAPH_DIRECTION_DIRECTED);
    MCO_TRY(mco_text_open(ctx, path, &text));
    MCO_TRY(graph_read_text(ctx, &text, &f, mco_text_base_name(path), out));
done:
    mco_text_close(&text);
    return st;
}
