// SPDX-License-Identifier: MIT
// Adjacency matrix: a line for each vertex, whose entries are separated by blanks, commas or semicolons; 0: no arc. Other
// entries are weights, unless all are 1. The graph is undirected if the matrix is symmetric. With separators a first line of
// names may stand above, and then a name before each line.
#include <inttypes.h>
#include <string.h>

#include "graph/names.h"
#include "graph/reader.h"

typedef struct matrix {
    graph_draft *draft;
    mco_text *text;
    char separator;
    bool has_names;
    graph_names names;
    bool has_other;  // an entry other than 0 and 1
} matrix;

static bool next_line(matrix *m, mco_slice *line)
{
    while (mco_text_line(m->text, line))
        if (!mco_slice_is_blank(*line, m->separator) && line->data[0] != '#' && line->data[0] != '%')
            return true;
    return false;
}

static bool next_cell(const matrix *m, mco_slice *rest, mco_slice *cell)
{
    return m->separator == ' ' ? mco_slice_token(rest, cell) : mco_slice_field(rest, m->separator, cell);
}

static mco_status read_entry(matrix *m, int32_t row, int32_t column, mco_slice cell)
{
    mco_status st = MCO_OK;
    double value;
    const char *end = graph_scan_weight(cell.data, &value);
    if (end != cell.data + cell.size)
        MCO_TRY(mco_slice_real_in(m->text, cell, "the entry", m->separator, -GRAPH_MAX_WEIGHT, GRAPH_MAX_WEIGHT, &value));
    if (value == 0)
        return MCO_OK;
    m->has_other |= value != 1;
    MCO_TRY(graph_edges_add(m->draft->ctx, &m->draft->edges, row, column, value));
done:
    return st;
}

// Whether a cell of the first line looks like a number, with either decimal sign.
static bool is_number(mco_slice cell)
{
    for (size_t i = 0; i < cell.size; i++)
        if (strchr("0123456789+-.,eE", cell.data[i]) == NULL)
            return false;
    return true;
}

// The first line: names, if its first cell is empty or some other cell is no number. Else it stays.
static mco_status read_head(matrix *m)
{
    mco_status st = MCO_OK;
    const mco_text before = *m->text;
    mco_slice line, cell, rest;
    int64_t cells = 0;
    if (!next_line(m, &line))
        return mco_text_fail_here(m->text, "the matrix has no line");
    m->separator = mco_slice_separator(line);
    m->separator = memchr(line.data, m->separator, line.size) == NULL || m->separator == '\t' ? ' ' : m->separator;
    for (rest = line; next_cell(m, &rest, &cell); cells++)
        m->has_names |= m->separator != ' ' && (cells == 0 ? cell.size == 0 : cell.size > 0 && !is_number(cell));
    m->draft->vertices = (int32_t)(cells - m->has_names);  // fewer cells than bytes of the text
    if (!m->has_names) {
        *m->text = before;
        return MCO_OK;
    }
    next_cell(m, &line, &cell);
    for (int32_t v = 0; v < m->draft->vertices; v++) {
        int32_t index;
        next_cell(m, &line, &cell);
        if (cell.size == 0)
            return mco_text_fail(m->text, cell.line, cell.column, "the name of vertex %d is empty", v + 1);
        MCO_TRY(graph_names_add(m->draft->ctx, &m->names, cell, true, &index));
        if (index != v)
            return mco_text_fail(m->text, cell.line, cell.column, "the name \"%.*s\" stands twice", mco_slice_shown(cell), cell.data);
    }
done:
    return st;
}

static mco_status read_row_name(matrix *m, int32_t row, mco_slice cell)
{
    int32_t index = -1;
    const mco_status st = graph_names_add(m->draft->ctx, &m->names, cell, true, &index);
    if (st != MCO_OK || index == row)
        return st;
    return mco_text_fail(m->text, cell.line, cell.column, "line %d of the matrix is \"%.*s\", \"%.40s\" was expected as in its first "
                         "line", row + 1, mco_slice_shown(cell), cell.data, graph_names_get(&m->names, row));
}

static mco_status read_row(matrix *m, int32_t row, mco_slice line)
{
    mco_status st = MCO_OK;
    mco_slice cell, rest = line;
    int32_t column = 0;
    if (m->has_names && next_cell(m, &rest, &cell))
        MCO_TRY(read_row_name(m, row, cell));
    for (; next_cell(m, &rest, &cell); column++) {
        if (column >= m->draft->vertices && cell.size > 0)
            return mco_text_fail(m->text, cell.line, cell.column, "line %d of the matrix has more than %d entries", row + 1,
                                 m->draft->vertices);
        if (column < m->draft->vertices)
            MCO_TRY(read_entry(m, row, column, cell));
    }
    if (column < m->draft->vertices)
        return mco_text_fail(m->text, line.line, line.column, "line %d of the matrix has %d entr%s, %d were expected", row + 1,
                             column, column == 1 ? "y" : "ies", m->draft->vertices);
done:
    return st;
}

static mco_status read_rows(matrix *m)
{
    mco_status st = MCO_OK;
    mco_slice line;
    for (int32_t row = 0; row < m->draft->vertices; row++) {
        MCO_TRY(mco_text_in_time(m->text, (int64_t)row + 1));
        if (!next_line(m, &line))
            return mco_text_fail_here(m->text, "the matrix has %d line%s, %d were expected", row, mco_plural(row),
                                      m->draft->vertices);
        MCO_TRY(read_row(m, row, line));
    }
    if (next_line(m, &line))
        return mco_text_fail(m->text, line.line, line.column, "the matrix has more than %d lines", m->draft->vertices);
done:
    return st;
}

// Whether the arcs, which ascend by tail and then head, are the same as their reverse, sorted so. `next` [vertices] is where the
// next arc of a row begins: the arcs into vertex v ascend by tail, so they meet those of row v in order.
static mco_status test_symmetry(matrix *m, bool *is_symmetric)
{
    const graph_edges *e = &m->draft->edges;
    int64_t *next = NULL;
    const mco_status st = mco_alloc(m->draft->ctx, &next, (int64_t)m->draft->vertices + 1);
    if (st != MCO_OK)
        return st;
    for (int64_t k = 0; k < e->count; k++)
        next[e->from[k] + 1]++;
    for (int32_t v = 0; v < m->draft->vertices; v++)
        next[v + 1] += next[v];
    *is_symmetric = true;
    for (int64_t k = 0; k < e->count && *is_symmetric; k++) {
        const int64_t other = next[e->to[k]]++;
        *is_symmetric = other < e->count && e->from[other] == e->to[k] && e->to[other] == e->from[k] &&
                        e->weight[other] == e->weight[k];
    }
    mco_free(m->draft->ctx, &next);
    return MCO_OK;
}

// Keeps the arcs of the upper half.
static void drop_lower(graph_edges *e)
{
    int64_t count = 0;
    for (int64_t k = 0; k < e->count; k++)
        if (e->from[k] <= e->to[k]) {
            e->from[count] = e->from[k];
            e->to[count] = e->to[k];
            e->weight[count++] = e->weight[k];
        }
    e->count = count;
}

mco_status graph_read_matrix(graph_draft *d)
{
    mco_status st = MCO_OK;
    matrix m = {.draft = d, .text = d->text, .separator = ' '};
    bool is_symmetric;
    d->edges.has_weights = true;
    d->base = 1;
    MCO_TRY(read_head(&m));
    MCO_TRY(read_rows(&m));
    MCO_TRY(test_symmetry(&m, &is_symmetric));
    d->is_directed = !is_symmetric;
    if (is_symmetric && d->asked != MCO_GRAPH_DIRECTION_DIRECTED)
        drop_lower(&d->edges);
    d->edges.has_weights = m.has_other;
    MCO_TRY(graph_names_block(d->ctx, &m.names, NULL, &d->names, &d->base));
done:
    graph_names_clear(d->ctx, &m.names);
    return st;
}
