// SPDX-License-Identifier: MIT
// Chordless cycles by degree labelling and triplets, as Dias, Castonguay, Longo, Jradi (2013) publish them: the oracle of the
// tests, undirected only. Vertices are renumbered by label. A cycle is found once, as a path x, u, y, ... with label(u) the
// least on the cycle and label(x) < label(y). A path grows at its end by vertices above u that no inner vertex touches. A
// counter for each vertex holds how many vertices of the path behind x and before the end are its neighbours, so that the test for
// a chord takes constant time. A depth-first stack replaces the published tables: its memory is O(vertices + edges).
#include <string.h>

#include "cycles/search_order.h"

enum { LOOK_STEPS = 1 << 16, BATCH_BYTES = 1 << 16 };

typedef struct labels_walk {
    cycles_job *job;
    graph_simple graph;      // by label
    int32_t *vertex;         // [n] of the block, by label
    int32_t *path;           // [n] x, u, y, ...
    int64_t *arc;            // [n] next arc of the path's vertex at this place
    int32_t *near;           // [n] vertices of the path from u to the one before its end that touch this vertex
    bool *is_through;        // [n]
    uint64_t *counts;        // [n + 1] by length
    uint64_t *rows;          // [room * words]; NULL: count only
    int64_t row_count, room, paths, looked;
    int32_t words;
    bool must_end;
} labels_walk;

// ---- Cycles found

// Hands over the rows. Those that the sink did not take do not count.
static void flush(labels_walk *w)
{
    cycles_sink *sink = w->job->sink;
    const int64_t before = sink->taken;
    if (w->row_count > 0 && !cycles_sink_give(sink, w->job->block, w->rows, w->row_count))
        w->must_end = true;
    for (int64_t k = sink->taken - before; k < w->row_count; k++) {
        int32_t length = 0;
        for (int32_t i = 0; i < w->words; i++)
            length += __builtin_popcountll(w->rows[k * w->words + i]);
        w->counts[length]--;
    }
    w->row_count = 0;
}

static void list_cycle(labels_walk *w, int32_t length)
{
    uint64_t *row = w->rows + w->row_count * w->words;
    memset(row, 0, (size_t)w->words * sizeof *row);
    for (int32_t k = 0; k < length; k++) {
        const int32_t v = w->vertex[w->path[k]];
        row[v / 64] |= (uint64_t)1 << (v % 64);
    }
    if (++w->row_count == w->room)
        flush(w);
}

// The path's `length` vertices are a cycle.
static void found(labels_walk *w, int32_t length)
{
    int32_t through = 0;
    if (length < w->job->min_length || length > w->job->max_length)
        return;
    for (int32_t k = 0; k < length && w->job->through_count > 0; k++)
        through += w->is_through[w->path[k]];
    if (through < w->job->through_count)
        return;
    w->counts[length]++;
    if (w->rows != NULL)
        list_cycle(w, length);
}

// ---- The search

// Counts a step, and looks now and then whether the run must end.
static void step(labels_walk *w)
{
    if (++w->looked < LOOK_STEPS)
        return;
    w->looked = 0;
    w->must_end |= mco_run_must_stop(w->job->run, w->paths);
}

// Adds `by` to the counters of the neighbours of v.
static void touch(labels_walk *w, int32_t v, int32_t by)
{
    w->looked += w->graph.first[v + 1] - w->graph.first[v];
    for (int64_t a = w->graph.first[v]; a < w->graph.first[v + 1]; a++)
        w->near[w->graph.head[a]] += by;
}

// All cycles that begin with the triplet x, u, y. Before and after, no vertex has a neighbour counted but those of u.
static void extend_triplet(labels_walk *w, int32_t x, int32_t u, int32_t y)
{
    const graph_simple *g = &w->graph;
    int32_t length = 3;
    memcpy(w->path, (int32_t[]){x, u, y}, 3 * sizeof x);
    w->arc[2] = g->first[y];
    w->paths++;
    while (length > 2) {
        step(w);
        const int32_t end = w->path[length - 1];
        if (w->must_end || w->arc[length - 1] == g->first[end + 1] || length >= w->job->max_length) {
            length--;
            if (length > 2)
                touch(w, w->path[length - 1], -1);
            continue;
        }
        const int32_t v = g->head[w->arc[length - 1]++];
        if (v <= u || w->near[v] > 0)
            continue;
        w->path[length] = v;
        if (graph_simple_has(g, v, x)) {
            found(w, length + 1);
            continue;
        }
        touch(w, end, 1);
        w->arc[length++] = g->first[v];
        w->paths++;
    }
}

static void search_vertex(labels_walk *w, int32_t u)
{
    const graph_simple *g = &w->graph;
    touch(w, u, 1);
    for (int64_t a = g->first[u]; a < g->first[u + 1] && !w->must_end; a++)
        for (int64_t b = a + 1; b < g->first[u + 1] && !w->must_end; b++) {
            step(w);
            if (g->head[a] > u && !graph_simple_has(g, g->head[a], g->head[b]))
                extend_triplet(w, g->head[a], u, g->head[b]);
        }
    touch(w, u, -1);
}

static mco_status begin(cycles_job *job, labels_walk *w)
{
    mco_status st = MCO_OK;
    mco_context *ctx = job->ctx;
    const int32_t n = job->block->graph.vertices;
    *w = (labels_walk){.job = job, .words = (n + 63) / 64};
    MCO_TRY(mco_alloc(ctx, &w->vertex, n));
    MCO_TRY(cycles_degree_labels(ctx, job->run, &job->block->graph, false, w->vertex));
    MCO_TRY(cycles_relabel(ctx, &job->block->graph, w->vertex, &w->graph));
    MCO_TRY(mco_alloc(ctx, &w->path, n));
    MCO_TRY(mco_alloc(ctx, &w->arc, n));
    MCO_TRY(mco_alloc(ctx, &w->near, n));
    MCO_TRY(mco_alloc(ctx, &w->is_through, n));
    MCO_TRY(mco_alloc(ctx, &w->counts, (int64_t)n + 1));
    for (int32_t v = 0; v < n; v++)
        for (int32_t k = 0; k < job->through_count; k++)
            w->is_through[v] |= w->vertex[v] == job->through[k];
    if (job->sink != NULL) {
        w->room = BATCH_BYTES / (8 * w->words) + 1;
        MCO_TRY(mco_alloc(ctx, &w->rows, w->room * w->words));
    }
done:
    return st;
}

mco_status cycles_labels(cycles_job *job)
{
    mco_status st = MCO_OK;
    labels_walk w = {0};
    const int32_t n = job->block->graph.vertices;
    MCO_TRY(begin(job, &w));
    for (int32_t u = 0; u < n && !w.must_end; u++)
        search_vertex(&w, u);
    if (w.rows != NULL)
        flush(&w);
    for (int32_t k = 0; k <= n; k++)
        if (w.counts[k] > 0)
            MCO_TRY(cycles_tally_add_u64(job->tally, k, w.counts[k]));
    job->result->nodes += w.paths;
done:
    graph_simple_clear(job->ctx, &w.graph);
    mco_free(job->ctx, &w.vertex);
    mco_free(job->ctx, &w.path);
    mco_free(job->ctx, &w.arc);
    mco_free(job->ctx, &w.near);
    mco_free(job->ctx, &w.is_through);
    mco_free(job->ctx, &w.counts);
    mco_free(job->ctx, &w.rows);
    return st == MCO_ERR_STOPPED ? MCO_OK : st;
}
