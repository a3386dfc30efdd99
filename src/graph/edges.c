// SPDX-License-Identifier: MIT
// Lists of edges: a line for each, two vertices and perhaps a weight, separated by blanks, commas or semicolons. Lines of
// plain numbers, which large files have, are scanned by hand; all others, and all that is wrong, go through slices.
#include <string.h>

#include "base/names.h"
#include "graph/pairs.h"

typedef struct edge_list {
    graph_draft *draft;
    graph_pairs pairs;
    char separator;  // a blank: words between blanks
    bool has_edge;   // some line was no comment
    int64_t first_line;  // the first of these
} edge_list;

char graph_separator(mco_slice line)
{
    bool is_quoted = false;
    for (size_t i = 0; i < line.size; i++) {
        is_quoted ^= line.data[i] == '"';
        if (!is_quoted && line.data[i] == '{' && i > 0 && (line.data[i - 1] == ' ' || line.data[i - 1] == '\t'))
            break;  // attributes, which have commas of their own
        if (!is_quoted && (line.data[i] == ',' || line.data[i] == ';'))
            return line.data[i];
    }
    return ' ';
}

// ---- Lines of plain numbers

// Reads "from to" or "from to weight" between blanks. False if the line is anything else; then nothing is consumed.
static bool take_plain(edge_list *l, int32_t ends[2], double *weight, bool *has_weight)
{
    mco_text *text = l->draft->text;
    const char *p = graph_scan_blanks(text->data + text->at);
    if ((p = graph_scan_vertex(p, &ends[0])) == NULL || (*p != ' ' && *p != '\t'))
        return false;
    if ((p = graph_scan_vertex(graph_scan_blanks(p), &ends[1])) == NULL)
        return false;
    const char *cell = graph_scan_blanks(p);
    *has_weight = !graph_is_line_end(cell);
    if (*has_weight) {
        if (cell == p || (p = graph_scan_weight(cell, weight)) == NULL)
            return false;
        cell = graph_scan_blanks(p);
    }
    if (!graph_is_line_end(cell))
        return false;
    graph_end_line(text, cell);
    return true;
}

// Reads lines up to the first one that is not plain.
static mco_status read_plain(edge_list *l, int64_t *lines)
{
    mco_status st = MCO_OK;
    graph_draft *d = l->draft;
    int32_t ends[2];
    double weight = 0;
    bool has_weight;
    mco_slice place = {0};
    while (take_plain(l, ends, &weight, &has_weight)) {
        place.line = d->text->line - 1;
        place.column = 1;
        MCO_TRY(graph_draft_weighs(d, place, has_weight));
        graph_pairs_note(&l->pairs, ends[0]);
        graph_pairs_note(&l->pairs, ends[1]);
        MCO_TRY(graph_edges_add(d->ctx, &d->edges, ends[0], ends[1], weight));
        MCO_TRY(mco_text_in_time(d->text, ++*lines));
    }
done:
    return st;
}

// ---- All lines

// Attributes of an edge as Python writes them: {} or {'weight': 1.5}. Only the weight counts.
static mco_status read_attributes(edge_list *l, mco_slice rest, double *weight, bool *has_weight)
{
    static const char KEY[] = "weight";
    *has_weight = false;
    for (size_t i = 1; i + sizeof KEY < rest.size; i++) {
        const char quote = rest.data[i - 1];
        if ((quote != '\'' && quote != '"') || memcmp(rest.data + i, KEY, sizeof KEY - 1) != 0 ||
            rest.data[i + sizeof KEY - 1] != quote)
            continue;
        mco_slice value = mco_slice_trim(mco_slice_behind(rest, i + sizeof KEY));
        if (!mco_slice_take(&value, ':'))
            continue;
        const void *comma = memchr(value.data, ',', value.size), *brace = memchr(value.data, '}', value.size);
        const char *end = comma != NULL ? comma : brace;
        if (end != NULL)
            value.size = (size_t)(end - value.data);
        *has_weight = true;
        return graph_read_weight(l->draft->text, mco_slice_trim(value), weight);
    }
    return MCO_OK;
}

static bool take_word(const edge_list *l, mco_slice *rest, mco_slice *word)
{
    if (l->separator == ' ')
        return mco_names_take(rest, word);
    if (!mco_slice_field(rest, l->separator, word))
        return false;
    if (word->size > 0 || rest->data == NULL || !mco_slice_is_blank(*rest, l->separator))
        return true;
    *rest = (mco_slice){0};  // cells of separators alone at the end of a line
    return true;
}

static mco_status read_line(edge_list *l, mco_slice line)
{
    mco_status st = MCO_OK;
    graph_draft *d = l->draft;
    mco_slice words[2] = {{0}}, rest = line, cell = {0};
    int32_t ends[2];
    double weight = 0;
    bool has_weight = false;
    for (int k = 0; k < 2; k++)
        if (!take_word(l, &rest, &words[k]) || words[k].size == 0)
            return mco_text_fail(d->text, line.line, line.column, "the line has %d vert%s, an edge has 2", k, k == 1 ? "ex" : "ices");
    for (int k = 0; k < 2; k++)
        MCO_TRY(graph_pairs_vertex(&l->pairs, words[k], l->separator != ' ', &ends[k]));
    if (rest.data != NULL && (cell = mco_slice_trim(rest)).size > 0 && cell.data[0] == '{') {
        MCO_TRY(read_attributes(l, cell, &weight, &has_weight));
    } else if (rest.data != NULL && take_word(l, &rest, &cell) && cell.size > 0) {
        has_weight = true;
        MCO_TRY(graph_read_weight(d->text, cell, &weight));
        if (rest.data != NULL && take_word(l, &rest, &cell) && cell.size > 0)
            return mco_text_fail(d->text, cell.line, cell.column, "the line has more than two vertices and a weight");
    }
    MCO_TRY(graph_draft_weighs(d, line, has_weight));
    MCO_TRY(graph_edges_add(d->ctx, &d->edges, ends[0], ends[1], weight));
done:
    return st;
}

// The first line that is no comment shows the separator. It may be a header, which says nothing more.
static bool is_header(edge_list *l, mco_slice line)
{
    int from, to, weight;
    if (l->has_edge)
        return false;
    l->has_edge = true;
    l->first_line = line.line;
    l->separator = graph_separator(line);
    return graph_is_header(line, l->separator, &from, &to, &weight) && from == 0 && to == 1;
}

static mco_status read_list(edge_list *l)
{
    mco_status st = MCO_OK;
    mco_text *text = l->draft->text;
    mco_slice line;
    int64_t lines = 0;
    while (!l->pairs.wants_names) {
        if (!l->pairs.is_by_name && l->separator == ' ')
            MCO_TRY(read_plain(l, &lines));
        if (!mco_text_line(text, &line))
            break;
        MCO_TRY(mco_text_in_time(text, ++lines));
        line = mco_slice_trim(line);
        if (line.size == 0)
            continue;
        if (line.data[0] == '#' || line.data[0] == '%')
            MCO_TRY(graph_pairs_comment(&l->pairs, line));
        else if (!is_header(l, line))
            MCO_TRY(read_line(l, line));
    }
done:
    return st;
}

// A first line of two words above numbers is a header that nobody understands, rather than an edge of two vertices.
static mco_status refuse_header(edge_list *l)
{
    const graph_names *names = &l->pairs.names;
    const graph_edges *e = &l->draft->edges;
    if (l->pairs.is_stated || names->count < 4 || e->from[0] != 0 || e->to[0] != 1)
        return MCO_OK;
    for (int32_t k = 0; k < names->count; k++) {
        const char *name = graph_names_get(names, k);
        const bool is_number = name[strspn(name, "0123456789")] == '\0';
        if (is_number != (k >= 2))
            return MCO_OK;
    }
    for (int64_t k = 1; k < e->count; k++)
        if (e->from[k] < 2 || e->to[k] < 2)
            return MCO_OK;
    return mco_text_fail(l->draft->text, l->first_line, 1, "\"%.40s\" and \"%.40s\" stand above numbers; a header has the words "
                         "source and target, or from and to", graph_names_get(names, 0), graph_names_get(names, 1));
}

mco_status graph_read_edges(graph_draft *d)
{
    mco_status st = MCO_OK;
    const mco_text begin = *d->text;
    edge_list l = {.draft = d, .separator = ' ', .pairs.must_be_numbers = d->format == MCO_GRAPH_FORMAT_SNAP};
    graph_pairs_begin(&l.pairs, d, false);
    MCO_TRY(read_list(&l));
    if (l.pairs.wants_names) {
        *d->text = begin;
        l.has_edge = false;
        graph_pairs_begin(&l.pairs, d, true);
        MCO_TRY(read_list(&l));
        MCO_TRY(refuse_header(&l));
    }
    MCO_TRY(graph_pairs_end(&l.pairs));
done:
    graph_pairs_clear(&l.pairs);
    return st;
}
