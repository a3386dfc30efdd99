// SPDX-License-Identifier: MIT
// The order of elimination. Ends of paths come first. What their eliminations join is added to the arcs between the other
// vertices, and the graph of these is dissected: by flows, and by METIS, if the build has it, where separators are wide.
#include "paths/hierarchy/order.h"

#include <inttypes.h>
#include <string.h>

#include "paths/hierarchy/hierarchy.h"

enum {
    MOST_PAIRS = 32,      // an end with more neighbours joins them to one of them alone, which keeps the graph small
    LEAST_FOR_METIS = 100 // vertices; smaller graphs need no process
};

// ---- The graph: a first pass counts the pairs, a second one puts them into rows

typedef struct pair_sink {
    int32_t *first;  // [vertices + 1] counts, then places
    int32_t *head;   // NULL in the first pass
    int64_t count;
} pair_sink;

static void put(pair_sink *sink, int32_t u, int32_t v)
{
    if (u == v)
        return;
    sink->count += 2;
    if (sink->head == NULL) {
        sink->first[u]++;
        sink->first[v]++;
    } else {
        sink->head[sink->first[u]++] = v;
        sink->head[sink->first[v]++] = u;
    }
}

// The vertices next to each end that paths pass through, in both directions.
typedef struct end_rows {
    int64_t *first;  // [ends + 1]
    int32_t *head;
} end_rows;

static mco_status collect_ends(mco_context *ctx, const mco_paths_rows *rows, end_rows *out)
{
    mco_status st = MCO_OK;
    const int32_t ends = rows->first_through;
    MCO_TRY(mco_alloc(ctx, &out->first, (int64_t)ends + 1));
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t v = 0; v < rows->vertices; v++)
            for (int64_t a = rows->first[v]; a < rows->first[v + 1]; a++) {
                const int32_t end = v < ends ? v : rows->head[a], other = v < ends ? rows->head[a] : v;
                if (end >= ends || other < ends)
                    continue;
                if (pass == 0)
                    out->first[end]++;
                else
                    out->head[out->first[end]++] = other - ends;
            }
        if (pass == 1)
            break;
        int64_t sum = 0;
        for (int32_t v = 0; v <= ends; v++) {
            const int64_t count = out->first[v];
            out->first[v] = sum;
            sum += count;
        }
        MCO_TRY(mco_alloc(ctx, &out->head, sum));
    }
    memmove(out->first + 1, out->first, (size_t)ends * sizeof *out->first);
    out->first[0] = 0;
done:
    return st;
}

static void put_all(const mco_paths_rows *rows, const end_rows *ends, pair_sink *sink)
{
    const int32_t first_through = rows->first_through;
    for (int32_t v = first_through; v < rows->vertices; v++)
        for (int64_t a = rows->first[v]; a < rows->first[v + 1]; a++)
            if (rows->head[a] >= first_through)
                put(sink, v - first_through, rows->head[a] - first_through);
    for (int32_t e = 0; e < first_through; e++) {
        const int32_t *row = ends->head + ends->first[e];
        const int64_t count = ends->first[e + 1] - ends->first[e];
        for (int64_t i = 0; i < (count > MOST_PAIRS ? 1 : count); i++)
            for (int64_t k = i + 1; k < count; k++)
                put(sink, row[i], row[k]);
    }
}

// Leaves each pair once in a row. `mark` [vertices] is scratch.
static void drop_repeated(order_graph *g, int32_t *mark)
{
    int32_t next = 0;
    memset(mark, 0xff, (size_t)g->vertices * sizeof *mark);
    for (int32_t v = 0, begin = 0; v < g->vertices; v++) {
        const int32_t end = g->first[v + 1];
        for (int32_t a = begin; a < end; a++)
            if (mark[g->head[a]] != v) {
                mark[g->head[a]] = v;
                g->head[next++] = g->head[a];
            }
        begin = end;
        g->first[v + 1] = next;
    }
}

static mco_status make_graph(mco_context *ctx, const mco_paths_rows *rows, order_graph *g)
{
    mco_status st = MCO_OK;
    end_rows ends = {0};
    int32_t *mark = NULL;
    const int32_t n = rows->vertices - rows->first_through;
    *g = (order_graph){.vertices = n, .x = rows->x, .y = rows->y};
    if (rows->x != NULL) {
        g->x += rows->first_through;
        g->y += rows->first_through;
    }
    MCO_TRY(collect_ends(ctx, rows, &ends));
    MCO_TRY(mco_alloc(ctx, &g->first, (int64_t)n + 1));
    MCO_TRY(mco_alloc(ctx, &mark, n));
    pair_sink sink = {.first = g->first};
    put_all(rows, &ends, &sink);
    if (sink.count > INT32_MAX)
        MCO_TRY(mco_fail(ctx, MCO_ERR_LIMIT, "%" PRId64 " neighbours to order, at most %d are supported", sink.count, INT32_MAX));
    for (int32_t v = 0, sum = 0; v <= n; v++) {
        const int32_t count = g->first[v];
        g->first[v] = sum;
        sum += count;
    }
    MCO_TRY(mco_alloc(ctx, &g->head, sink.count));
    sink.head = g->head;
    put_all(rows, &ends, &sink);
    memmove(g->first + 1, g->first, (size_t)n * sizeof *g->first);
    g->first[0] = 0;
    drop_repeated(g, mark);
done:
    mco_free(ctx, &mark);
    mco_free(ctx, &ends.head);
    mco_free(ctx, &ends.first);
    return st;
}

// ---- The order

// Planar graphs have separators of at most sqrt(8 n) vertices (Lipton, Tarjan 1979). Where flows found none of twice that, the graph is
// no road network, and METIS, which knows no places, finds smaller ones.
static bool is_wide(int32_t widest, int32_t vertices)
{
    return (double)widest * widest > 4 * 8.0 * vertices;
}

static mco_status order_graph_by(mco_context *ctx, const order_graph *g, mco_run *run, int32_t threads, order_way way, int32_t *vertex,
                                 char by[16])
{
    mco_status st = MCO_OK;
    int32_t *other = NULL, widest = 0;
    bool is_found = false;
    if (way != ORDER_METIS) {
        MCO_TRY(paths_order_flow(ctx, g, run, threads, vertex, &widest));
        strcpy(by, "flow");
    }
    if (way == ORDER_FLOW || (way == ORDER_BEST && (g->vertices < LEAST_FOR_METIS || !is_wide(widest, g->vertices))))
        goto done;
    MCO_TRY(mco_alloc(ctx, &other, g->vertices));
    MCO_TRY(paths_order_metis(ctx, g, run, other, &is_found));
    if (is_found) {
        memcpy(vertex, other, (size_t)g->vertices * sizeof *vertex);
        strcpy(by, "metis");
    } else if (way == ORDER_METIS) {
        MCO_TRY(order_graph_by(ctx, g, run, threads, ORDER_FLOW, vertex, by));
    }
done:
    mco_free(ctx, &other);
    return st;
}

mco_status paths_order_find_by(mco_context *ctx, const mco_paths_rows *rows, mco_run *run, int32_t threads, order_way way,
                               int32_t **order, char by[16])
{
    mco_status st = MCO_OK;
    int32_t *found = NULL;
    order_graph g = {0};
    const int32_t ends = rows->first_through;
    MCO_TRY(make_graph(ctx, rows, &g));
    MCO_TRY(mco_alloc(ctx, &found, rows->vertices));
    MCO_TRY(mco_run_must_stop(run, run->work) ? MCO_ERR_STOPPED : MCO_OK);
    MCO_TRY(order_graph_by(ctx, &g, run, threads, way, found + ends, by));
    for (int32_t k = 0; k < rows->vertices; k++)
        found[k] = k < ends ? k : found[k] + ends;
    *order = found;
    found = NULL;
done:
    mco_free(ctx, &found);
    mco_free(ctx, &g.head);
    mco_free(ctx, &g.first);
    return st;
}

mco_status paths_order_find(mco_context *ctx, const mco_paths_rows *rows, mco_run *run, int32_t threads, int32_t **order, char by[16])
{
    return paths_order_find_by(ctx, rows, run, threads, ORDER_BEST, order, by);
}
