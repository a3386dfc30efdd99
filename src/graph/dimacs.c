// SPDX-License-Identifier: MIT
// DIMACS: "p sp N M" with arcs "a U V W" (shortest paths, .gr), "p edge N M" or "p col N M" with edges "e U V" (.col), which may
// have a weight. Comments begin with c. Vertices count from 1.
#include <inttypes.h>
#include <string.h>

#include "graph/reader.h"

typedef struct dimacs {
    graph_draft *draft;
    mco_text *text;
    bool has_head, is_sp;
    int64_t edges;  // as the line of sizes says
    mco_slice edges_at;
} dimacs;

static mco_status read_head(dimacs *m, mco_slice line, mco_slice rest)
{
    static const char *const words[] = {"sp", "edge", "col"};
    mco_status st = MCO_OK;
    mco_slice cell;
    int kind;
    int64_t vertices;
    if (m->has_head)
        return mco_text_fail(m->text, line.line, line.column, "a second line \"p\", a file has one graph");
    mco_slice_token(&rest, &cell);
    MCO_TRY(mco_slice_find(m->text, cell, "the problem is", words, 3, &kind));
    mco_slice_token(&rest, &cell);
    MCO_TRY(mco_slice_integer(m->text, cell, "the number of vertices", 0, MCO_GRAPH_MAX_VERTICES, &vertices));
    MCO_TRY(graph_refuse_vertices(m->text, cell, vertices));
    mco_slice_token(&rest, &m->edges_at);
    MCO_TRY(mco_slice_integer(m->text, m->edges_at, "the number of edges", 0, MCO_GRAPH_MAX_ARCS / 2, &m->edges));
    if (mco_slice_token(&rest, &cell))
        return mco_text_fail(m->text, cell.line, cell.column, "the line \"p\" has more than problem, vertices and edges");
    m->has_head = true;
    m->is_sp = m->draft->is_directed = kind == 0;
    m->draft->vertices = (int32_t)vertices;
done:
    return st;
}

// Reads the line of an arc or edge whose numbers are plain and in range. False if it is anything else; nothing is consumed then.
static bool take_plain(dimacs *m, int32_t ends[2], double *weight, bool *has_weight)
{
    const char *p = m->text->data + m->text->at;
    const int32_t n = m->draft->vertices;
    if (*p != (m->is_sp ? 'a' : 'e') || (p[1] != ' ' && p[1] != '\t'))
        return false;
    if ((p = graph_scan_vertex(graph_scan_blanks(p + 1), &ends[0])) == NULL || (*p != ' ' && *p != '\t'))
        return false;
    if ((p = graph_scan_vertex(graph_scan_blanks(p), &ends[1])) == NULL)
        return false;
    const char *cell = graph_scan_blanks(p);
    *has_weight = !graph_is_line_end(cell);
    if (*has_weight) {
        if (cell == p || (p = graph_scan_weight(cell, weight)) == NULL || !graph_is_line_end(p = graph_scan_blanks(p)))
            return false;
        cell = p;
    }
    if (ends[0] < 1 || ends[0] > n || ends[1] < 1 || ends[1] > n || *has_weight < m->is_sp)
        return false;
    graph_end_line(m->text, cell);
    return true;
}

static mco_status read_edge(dimacs *m, mco_slice line, mco_slice rest)
{
    mco_status st = MCO_OK;
    mco_slice cell;
    int64_t ends[2];
    double weight = 0;
    if (!m->has_head)
        return mco_text_fail(m->text, line.line, line.column, "an edge before the line \"p\"");
    for (int k = 0; k < 2; k++) {
        mco_slice_token(&rest, &cell);
        MCO_TRY(mco_slice_integer(m->text, cell, "the vertex", 1, m->draft->vertices, &ends[k]));
    }
    const bool has_weight = mco_slice_token(&rest, &cell);
    if (has_weight || m->is_sp)
        MCO_TRY(graph_read_weight(m->text, cell, &weight));
    if (mco_slice_token(&rest, &cell))
        return mco_text_fail(m->text, cell.line, cell.column, "the line has more than two vertices and a weight");
    MCO_TRY(graph_draft_weighs(m->draft, line, has_weight));
    MCO_TRY(graph_edges_add(m->draft->ctx, &m->draft->edges, (int32_t)ends[0] - 1, (int32_t)ends[1] - 1, weight));
done:
    return st;
}

static mco_status read_plain(dimacs *m, int64_t *lines)
{
    mco_status st = MCO_OK;
    graph_draft *d = m->draft;
    int32_t ends[2];
    double weight = 0;
    bool has_weight;
    while (m->has_head && take_plain(m, ends, &weight, &has_weight)) {
        const mco_slice place = {.line = m->text->line - 1, .column = 1};
        MCO_TRY(graph_draft_weighs(d, place, has_weight));
        MCO_TRY(graph_edges_add(d->ctx, &d->edges, ends[0] - 1, ends[1] - 1, weight));
        MCO_TRY(mco_text_in_time(m->text, ++*lines));
    }
done:
    return st;
}

static mco_status read_line(dimacs *m, mco_slice line)
{
    mco_slice word, rest = line;
    mco_slice_token(&rest, &word);
    const char kind = word.size == 1 ? word.data[0] : '\0';
    if (kind == 'p')
        return read_head(m, line, rest);
    if (kind != '\0' && kind == (m->is_sp ? 'a' : 'e'))
        return read_edge(m, line, rest);
    if (kind != '\0' && strchr(m->is_sp ? "c" : "cndvx", kind) != NULL)  // values and places of vertices in .col files
        return MCO_OK;
    if (word.size > 0 && word.data[0] == 'c' && !m->has_head)  // "c----": a comment without a blank
        return MCO_OK;
    return mco_text_fail(m->text, line.line, line.column, "the line begins with \"%.*s\", %s was expected", mco_slice_shown(word),
                         word.data, m->is_sp ? "c, p or a" : "c, p, e or n");
}

// Files of colourings are known to state each edge twice, or half of their lines.
static mco_status test_count(dimacs *m)
{
    const int64_t lines = m->draft->edges.count;
    if (!m->has_head)
        return mco_text_fail_here(m->text, "the file has no line \"p sp\", \"p edge\" or \"p col\"");
    if (lines == m->edges)
        return MCO_OK;
    if (m->is_sp || (lines != 2 * m->edges && m->edges != 2 * lines))
        return mco_text_fail(m->text, m->edges_at.line, m->edges_at.column, "%" PRId64 " edges are stated, %" PRId64
                             " are there", m->edges, lines);
    mco_log(m->draft->ctx, MCO_LOG_WARNING, "%s:%" PRId64 ":%" PRId64 ": %" PRId64 " edges are stated, %" PRId64 " are there",
            m->text->name, m->edges_at.line, m->edges_at.column, m->edges, lines);
    return MCO_OK;
}

mco_status graph_read_dimacs(graph_draft *d)
{
    mco_status st = MCO_OK;
    dimacs m = {.draft = d, .text = d->text};
    mco_slice line;
    int64_t lines = 0;
    d->base = 1;
    for (;;) {
        MCO_TRY(read_plain(&m, &lines));
        if (!mco_text_line(d->text, &line))
            break;
        MCO_TRY(mco_text_in_time(d->text, ++lines));
        line = mco_slice_trim(line);
        if (line.size > 0)
            MCO_TRY(read_line(&m, line));
    }
    MCO_TRY(test_count(&m));
done:
    return st;
}
