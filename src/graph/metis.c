// SPDX-License-Identifier: MIT
// METIS: a line "vertices edges [format [weights of a vertex]]", then a line for each vertex with its neighbours from 1. Each
// edge stands in the lines of both of its ends. Of the format's three digits, the first tells of sizes of vertices, the second
// of weights of vertices, the third of weights of edges, which are integers. Sizes and weights of vertices are not kept.
// Comments begin with %.
#include <inttypes.h>
#include <string.h>

#include "graph/reader.h"

enum { MOST_VERTEX_WEIGHTS = 64 };

typedef struct metis {
    graph_draft *draft;
    mco_text *text;
    int64_t edges;         // as stated
    mco_slice edges_at;
    int skipped;           // numbers before the neighbours of a vertex
    int64_t *first;        // [vertices + 1] rows as they stand, into draft->edges
    int64_t *line;         // [vertices] of each vertex in the text
    int64_t loops;
} metis;

// The next line that is no comment; an empty one is a vertex without neighbours.
static bool next_line(metis *m, mco_slice *line)
{
    while (mco_text_line(m->text, line)) {
        *line = mco_slice_trim(*line);
        if (line->size == 0 || line->data[0] != '%')
            return true;
    }
    return false;
}

static mco_status read_format(metis *m, mco_slice cell)
{
    static const char *const words[] = {"0", "1", "10", "11", "100", "101", "110", "111", "00", "01", "000", "001", "010", "011"};
    static const int codes[] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 0, 1, 2, 3};
    int k;
    const mco_status st = mco_slice_find(m->text, cell, "the format is", words, 14, &k);
    if (st != MCO_OK)
        return st;
    m->draft->edges.has_weights = (codes[k] & 1) != 0;
    m->skipped = ((codes[k] & 2) != 0) + ((codes[k] & 4) != 0);
    return MCO_OK;
}

static mco_status read_head(metis *m)
{
    mco_status st = MCO_OK;
    mco_slice line, cell;
    int64_t vertices, weights = 1;
    do {
        if (!next_line(m, &line))
            return mco_text_fail_here(m->text, "the file is empty, a line of vertices and edges was expected");
    } while (line.size == 0);
    mco_slice_token(&line, &cell);
    MCO_TRY(mco_slice_integer(m->text, cell, "the number of vertices", 0, MCO_GRAPH_MAX_VERTICES, &vertices));
    MCO_TRY(graph_refuse_vertices(m->text, cell, vertices));
    mco_slice_token(&line, &m->edges_at);
    MCO_TRY(mco_slice_integer(m->text, m->edges_at, "the number of edges", 0, MCO_GRAPH_MAX_ARCS / 4, &m->edges));
    if (mco_slice_token(&line, &cell))
        MCO_TRY(read_format(m, cell));
    if (mco_slice_token(&line, &cell)) {
        MCO_TRY(mco_slice_integer(m->text, cell, "the number of weights of a vertex", 0, MOST_VERTEX_WEIGHTS, &weights));
        if (m->skipped == 0 && weights > 0)
            return mco_text_fail(m->text, cell.line, cell.column, "weights of vertices are stated, and the format has none");
        m->skipped += m->skipped > 0 ? (int)weights - 1 : 0;
    }
    if (mco_slice_token(&line, &cell))
        return mco_text_fail(m->text, cell.line, cell.column, "the first line has more than four numbers");
    m->draft->vertices = (int32_t)vertices;
done:
    return st;
}

static mco_status read_neighbour(metis *m, int32_t vertex, mco_slice *rest, mco_slice cell)
{
    mco_status st = MCO_OK;
    graph_draft *d = m->draft;
    int64_t neighbour;
    int64_t integer = 0;
    int32_t plain = 0;
    const char *end = graph_scan_vertex(cell.data, &plain);
    neighbour = plain;
    if (end != cell.data + cell.size || plain < 1 || plain > d->vertices)
        MCO_TRY(mco_slice_integer(m->text, cell, "the neighbour", 1, d->vertices, &neighbour));
    if (d->edges.has_weights) {
        if (!mco_slice_token(rest, &cell))
            return mco_text_fail(m->text, cell.line, cell.column, "the weight behind the last neighbour is missing");
        MCO_TRY(mco_slice_integer(m->text, cell, "the weight", 0, GRAPH_MAX_METIS_WEIGHT, &integer));
    }
    m->loops += neighbour - 1 == vertex;
    MCO_TRY(graph_edges_add(d->ctx, &d->edges, vertex, (int32_t)neighbour - 1, (double)integer));
done:
    return st;
}

static mco_status read_row(metis *m, int32_t vertex, mco_slice line)
{
    mco_status st = MCO_OK;
    mco_slice cell;
    double ignored;
    for (int k = 0; k < m->skipped; k++) {
        if (!mco_slice_token(&line, &cell))
            return mco_text_fail(m->text, line.line, line.column, "the line of vertex %d ends before its weights", vertex + 1);
        MCO_TRY(graph_read_weight(m->text, cell, &ignored));
    }
    while (mco_slice_token(&line, &cell))
        MCO_TRY(read_neighbour(m, vertex, &line, cell));
done:
    return st;
}

static mco_status read_rows(metis *m)
{
    mco_status st = MCO_OK;
    const int32_t n = m->draft->vertices;
    mco_slice line;
    MCO_TRY(mco_alloc(m->draft->ctx, &m->first, (int64_t)n + 1));
    MCO_TRY(mco_alloc(m->draft->ctx, &m->line, n));
    for (int32_t v = 0; v < n; v++) {
        MCO_TRY(mco_text_in_time(m->text, (int64_t)v + 1));
        if (!next_line(m, &line))
            return mco_text_fail_here(m->text, "the text ends before the line of vertex %d, %d vertices are stated", v + 1, n);
        m->line[v] = line.line;
        MCO_TRY(read_row(m, v, line));
        m->first[v + 1] = m->draft->edges.count;
    }
    while (next_line(m, &line))
        if (line.size > 0)
            return mco_text_fail(m->text, line.line, line.column, "a line behind the last vertex, %d vertices are stated", n);
done:
    return st;
}

// Arcs to smaller vertices, sorted by these: the rows of the reverse.
typedef struct reverse {
    int64_t *first;
    int32_t *tail;
    double *weight;
} reverse;

static mco_status make_reverse(const metis *m, reverse *r)
{
    mco_status st = MCO_OK;
    const graph_edges *e = &m->draft->edges;
    const int32_t n = m->draft->vertices;
    MCO_TRY(mco_alloc(m->draft->ctx, &r->first, (int64_t)n + 2));
    MCO_TRY(mco_alloc(m->draft->ctx, &r->tail, e->count));
    MCO_TRY(mco_alloc(m->draft->ctx, &r->weight, e->has_weights ? e->count : 0));
    for (int64_t k = 0; k < e->count; k++)
        if (e->to[k] < e->from[k])
            r->first[e->to[k] + 2]++;
    for (int32_t v = 0; v < n; v++)
        r->first[v + 2] += r->first[v + 1];  // first[v + 1] is now where the row of v begins; filling moves it to its end
    for (int64_t k = 0; k < e->count; k++)
        if (e->to[k] < e->from[k]) {
            const int64_t at = r->first[e->to[k] + 1]++;
            r->tail[at] = e->from[k];
            if (e->has_weights)
                r->weight[at] = e->weight[k];
        }
done:
    return st;
}

// What the lines of one vertex and of its greater neighbours say about their edges: both must say the same. count and sum are
// zero for all vertices before and after. Sums of weights may overflow, but are exact modulo 2^64.
static mco_status compare_row(const metis *m, const reverse *r, int32_t v, int32_t *count, uint64_t *sum)
{
    const graph_edges *e = &m->draft->edges;
    int32_t one_sided = -1;
    for (int64_t k = m->first[v]; k < m->first[v + 1]; k++)
        if (e->to[k] > v) {
            count[e->to[k]]++;
            sum[e->to[k]] += e->has_weights ? (uint64_t)e->weight[k] : 0;
        }
    for (int64_t k = r->first[v]; k < r->first[v + 1]; k++) {
        count[r->tail[k]]--;
        sum[r->tail[k]] -= e->has_weights ? (uint64_t)r->weight[k] : 0;
    }
    for (int64_t k = r->first[v]; k < r->first[v + 1]; k++) {
        one_sided = count[r->tail[k]] != 0 || sum[r->tail[k]] != 0 ? r->tail[k] : one_sided;
        count[r->tail[k]] = 0;
        sum[r->tail[k]] = 0;
    }
    for (int64_t k = m->first[v]; k < m->first[v + 1]; k++) {
        one_sided = count[e->to[k]] != 0 || sum[e->to[k]] != 0 ? e->to[k] : one_sided;
        count[e->to[k]] = 0;
        sum[e->to[k]] = 0;
    }
    if (one_sided < 0)
        return MCO_OK;
    return mco_text_fail(m->text, m->line[v], 1, "the lines of vertices %d and %d (line %" PRId64 ") differ in their edges, each "
                         "edge stands in the lines of both ends", v + 1, one_sided + 1, m->line[one_sided]);
}

static mco_status compare_rows(const metis *m)
{
    mco_status st = MCO_OK;
    mco_context *ctx = m->draft->ctx;
    reverse r = {0};
    int32_t *count = NULL;
    uint64_t *sum = NULL;
    MCO_TRY(make_reverse(m, &r));
    MCO_TRY(mco_alloc(ctx, &count, m->draft->vertices));
    MCO_TRY(mco_alloc(ctx, &sum, m->draft->vertices));
    for (int32_t v = 0; v < m->draft->vertices; v++)
        MCO_TRY(compare_row(m, &r, v, count, sum));
done:
    mco_free(ctx, &sum);
    mco_free(ctx, &count);
    mco_free(ctx, &r.weight);
    mco_free(ctx, &r.tail);
    mco_free(ctx, &r.first);
    return st;
}

// A loop stands once in its line. It counts as one edge or, in files that count entries, as half of one.
static mco_status test_count(const metis *m)
{
    const int64_t entries = m->draft->edges.count;
    if (entries + m->loops == 2 * m->edges || entries == 2 * m->edges)
        return MCO_OK;
    return mco_text_fail(m->text, m->edges_at.line, m->edges_at.column, "%" PRId64 " edges are stated, the lines name %" PRId64
                         " neighbours, two for each edge were expected", m->edges, entries);
}

// Keeps each edge once, from its smaller end.
static void drop_reverse(graph_edges *e)
{
    int64_t count = 0;
    for (int64_t k = 0; k < e->count; k++) {
        if (e->from[k] > e->to[k])
            continue;
        e->from[count] = e->from[k];
        e->to[count] = e->to[k];
        if (e->has_weights)
            e->weight[count] = e->weight[k];
        count++;
    }
    e->count = count;
}

mco_status graph_read_metis(graph_draft *d)
{
    mco_status st = MCO_OK;
    metis m = {.draft = d, .text = d->text};
    d->base = 1;
    MCO_TRY(read_head(&m));
    MCO_TRY(read_rows(&m));
    MCO_TRY(test_count(&m));
    MCO_TRY(compare_rows(&m));
    if (d->asked != MCO_GRAPH_DIRECTION_DIRECTED)
        drop_reverse(&d->edges);
done:
    mco_free(d->ctx, &m.first);
    mco_free(d->ctx, &m.line);
    return st;
}
