// SPDX-License-Identifier: MIT
// A table of edges: a header with source and target (or from and to), perhaps weight; a row for each edge. Other columns are
// not read. A row whose target is empty is a vertex.
#include <string.h>

#include "graph/pairs.h"

typedef struct table {
    graph_draft *draft;
    graph_pairs pairs;
    char separator;
    int columns, from, to, weight;  // weight -1: there is none
} table;

bool graph_is_header(mco_slice line, char separator, int *from, int *to, int *weight)
{
    static const char *const words[] = {"source", "from", "target", "to", "weight"};
    int *const columns[] = {from, from, to, to, weight};
    mco_slice cell;
    *from = *to = *weight = -1;
    for (int k = 0; separator == ' ' ? mco_slice_token(&line, &cell) : mco_slice_field(&line, separator, &cell); k++)
        for (int w = 0; w < 5; w++)
            if (mco_slice_is(cell, words[w]) && *columns[w] < 0)
                *columns[w] = k;
    return *from >= 0 && *to >= 0;
}

static mco_status read_header(table *t)
{
    mco_status st = MCO_OK;
    mco_text *text = t->draft->text;
    mco_slice line, cell;
    int ignored = 0;
    for (;;) {
        if (!mco_text_row(text, ',', &line))
            return mco_text_fail_here(text, "the table has no header, which names source and target");
        line = mco_slice_trim(line);
        if (line.data[0] != '#')
            break;
        MCO_TRY(graph_pairs_comment(&t->pairs, line));
    }
    t->separator = mco_slice_separator(line);
    if (!graph_is_header(line, t->separator, &t->from, &t->to, &t->weight))
        return mco_text_fail(text, line.line, line.column, "the header \"%.*s\" does not name source and target, or from and to",
                             mco_slice_shown(line), line.data);
    for (t->columns = 0; mco_slice_field(&line, t->separator, &cell); t->columns++)
        ignored += t->columns != t->from && t->columns != t->to && t->columns != t->weight;
    if (ignored > 0 && !t->pairs.is_by_name)
        mco_log(t->draft->ctx, MCO_LOG_INFO, "%s: %d column%s not read, only source, target and weight are", text->name, ignored,
                ignored == 1 ? " is" : "s are");
done:
    return st;
}

static mco_status read_row(table *t, mco_slice row)
{
    mco_status st = MCO_OK;
    graph_draft *d = t->draft;
    mco_slice from = {0}, to = {0}, cell, rest = row;
    mco_slice weight = {row.data, 0, row.line, row.column};
    int32_t ends[2];
    double value = 0;
    for (int k = 0; mco_slice_field(&rest, t->separator, &cell); k++) {
        if (k >= t->columns && cell.size > 0)
            return mco_text_fail(d->text, cell.line, cell.column, "the row has more than the %d cells of the header", t->columns);
        from = k == t->from ? cell : from;
        to = k == t->to ? cell : to;
        weight = k == t->weight ? cell : weight;
    }
    if (from.size == 0)
        return mco_text_fail(d->text, row.line, row.column, "the row has no source");
    if (to.size == 0 && weight.size == 0)
        return graph_pairs_declare(&t->pairs, from, true);
    if (to.size == 0)
        return mco_text_fail(d->text, row.line, row.column, "the row has a weight and no target");
    MCO_TRY(graph_pairs_vertex(&t->pairs, from, true, &ends[0]));
    MCO_TRY(graph_pairs_vertex(&t->pairs, to, true, &ends[1]));
    if (t->weight >= 0)
        MCO_TRY(mco_slice_real_in(d->text, weight, "the weight", t->separator, -GRAPH_MAX_WEIGHT, GRAPH_MAX_WEIGHT, &value));
    MCO_TRY(graph_edges_add(d->ctx, &d->edges, ends[0], ends[1], value));
done:
    return st;
}

static mco_status read_table(table *t)
{
    mco_status st = MCO_OK;
    mco_text *text = t->draft->text;
    mco_slice row;
    int64_t rows = 0;
    MCO_TRY(read_header(t));
    t->draft->edges.has_weights = t->weight >= 0;
    while (!t->pairs.wants_names && mco_text_row(text, t->separator, &row)) {
        MCO_TRY(mco_text_in_time(text, ++rows));
        if (row.data[0] == '#')
            MCO_TRY(graph_pairs_comment(&t->pairs, row));
        else
            MCO_TRY(read_row(t, row));
    }
done:
    return st;
}

mco_status graph_read_csv(graph_draft *d)
{
    mco_status st = MCO_OK;
    const mco_text begin = *d->text;
    table t = {.draft = d};
    graph_pairs_begin(&t.pairs, d, false);
    MCO_TRY(read_table(&t));
    if (t.pairs.wants_names) {
        *d->text = begin;
        graph_pairs_begin(&t.pairs, d, true);
        MCO_TRY(read_table(&t));
    }
    MCO_TRY(graph_pairs_end(&t.pairs));
done:
    graph_pairs_clear(&t.pairs);
    return st;
}
