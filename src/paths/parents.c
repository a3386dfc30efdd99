// SPDX-License-Identifier: MIT
// The last arcs of shortest paths, found behind the distances: engines need not carry them. An arc is tight if its weight is the
// difference of the distances of its ends. Tight arcs of positive weight come from lesser distances, so any of them will do: the first
// one is taken. A vertex that has none hangs on arcs of weight 0. Levels count how many of these lie behind a vertex that needs none;
// the first tight arc from the level before is taken. So distances decide the parents, whatever engine found them.
#include "paths/network.h"

enum { NOT_FOUND = -1, FOUND_NOW = -2 };  // FOUND_NOW - arc: found in this level
enum { ARCS_OF_LOOK = 1 << 20 };  // between two looks at the end of the call

static bool may_leave(const mco_paths_rows *rows, int32_t u, int32_t source)
{
    return u >= rows->first_through || u == source;
}

// Arcs in descending order: the first one is written last.
static mco_status take_positive(mco_context *ctx, const mco_paths_rows *rows, int32_t source, const int32_t *distance, int64_t *parent)
{
    mco_status st = MCO_OK;
    for (int32_t u = rows->vertices - 1; u >= 0; u--) {
        const int32_t from = distance[u];
        MCO_TRY(mco_call_in_time(ctx, u));
        if (from == MCO_PATHS_NONE || !may_leave(rows, u, source))
            continue;
        for (int64_t a = rows->first[u + 1] - 1; a >= rows->first[u]; a--) {
            const int32_t v = rows->head[a], weight = rows->weight[a];
            const int64_t is_tight = -(int64_t)((weight > 0) & (weight < MCO_PATHS_NONE) & (from + weight == distance[v]));
            parent[v] ^= (parent[v] ^ a) & is_tight;  // hard to foresee: no branch
        }
    }
done:
    return st;
}

typedef struct levels {
    const mco_paths_rows *rows;
    int32_t source;
    const int32_t *distance;
    int32_t *queue, count;
    int64_t *parent;
} levels;

static void follow(levels *l, int32_t u, int64_t a)
{
    const int32_t v = l->rows->head[a];
    int64_t *parent = l->parent;
    if (l->distance[v] != l->distance[u] || l->distance[v] == MCO_PATHS_NONE || v == l->source || parent[v] >= 0)
        return;
    if (parent[v] == NOT_FOUND)
        l->queue[l->count++] = v;
    if (parent[v] == NOT_FOUND || a < FOUND_NOW - parent[v])
        parent[v] = FOUND_NOW - a;
}

// The levels behind the first one, whose vertices are in the queue.
static mco_status follow_rest(mco_context *ctx, levels *l)
{
    mco_status st = MCO_OK;
    const mco_paths_rows *rows = l->rows;
    for (int32_t begin = 0; begin < l->count;) {  // ends: a vertex enters the queue once
        const int32_t end = l->count;
        for (int32_t k = begin; k < end; k++)
            l->parent[l->queue[k]] = FOUND_NOW - l->parent[l->queue[k]];
        for (; begin < end; begin++) {
            const int32_t u = l->queue[begin];
            MCO_TRY(mco_call_in_time(ctx, begin));
            for (int64_t a = rows->first[u]; may_leave(rows, u, l->source) && a < rows->first[u + 1]; a++)
                if (rows->weight[a] == 0)
                    follow(l, u, a);
        }
    }
done:
    return st;
}

mco_status paths_parents_of_zeros(mco_context *ctx, const mco_paths_rows *rows, const paths_zeros *zeros, int32_t source,
                                  const int32_t *distance, int32_t *queue, int64_t *parent)
{
    mco_status st = MCO_OK;
    levels l = {.rows = rows, .source = source, .distance = distance, .queue = queue, .parent = parent};
    for (int64_t k = 0; k < zeros->count; k++) {
        const int32_t u = zeros->tail[k];
        MCO_TRY(mco_call_in_time(ctx, k));
        if ((u == source || parent[u] >= 0) && may_leave(rows, u, source))
            follow(&l, u, zeros->arc[k]);
    }
    MCO_TRY(follow_rest(ctx, &l));
done:
    return st;
}

mco_status paths_zeros_open(mco_context *ctx, const mco_paths_rows *rows, paths_zeros *out)
{
    mco_status st = MCO_OK;
    paths_zeros z = {0};
    for (int64_t begin = 0; begin < rows->arcs; begin += ARCS_OF_LOOK) {
        const int64_t end = rows->arcs - begin < ARCS_OF_LOOK ? rows->arcs : begin + ARCS_OF_LOOK;
        MCO_TRY(mco_call_in_time(ctx, 0));
        for (int64_t a = begin; a < end; a++)
            z.count += rows->weight[a] == 0;
    }
    MCO_TRY(mco_alloc(ctx, &z.tail, z.count));
    MCO_TRY(mco_alloc(ctx, &z.arc, z.count));
    int32_t u = 0;
    for (int64_t a = 0, at = 0; at < z.count; a++) {  // ends: as many were counted
        if (a % ARCS_OF_LOOK == 0)
            MCO_TRY(mco_call_in_time(ctx, 0));
        if (rows->weight[a] != 0)
            continue;
        while (rows->first[u + 1] <= a)
            u++;
        z.tail[at] = u;
        z.arc[at++] = a;
    }
    *out = z;
    z = (paths_zeros){0};
done:
    paths_zeros_close(ctx, &z);
    return st;
}

void paths_zeros_close(mco_context *ctx, paths_zeros *zeros)
{
    mco_free(ctx, &zeros->arc);
    mco_free(ctx, &zeros->tail);
}

// Whether a vertex with a distance, but not the source, has no parent yet.
static bool lacks_parents(const mco_paths_rows *rows, int32_t source, const int32_t *distance, const int64_t *parent)
{
    int32_t lacking = 0;
    for (int32_t v = 0; v < rows->vertices; v++)
        lacking += (parent[v] < 0) & (distance[v] != MCO_PATHS_NONE);
    return lacking > (parent[source] < 0);
}

static mco_status find_by_distances(mco_context *ctx, const mco_paths_rows *rows, int32_t source, const int32_t *distance,
                                    int32_t *queue, int64_t *parent)
{
    mco_status st = MCO_OK;
    paths_zeros zeros = {0};
    MCO_TRY(take_positive(ctx, rows, source, distance, parent));
    if (lacks_parents(rows, source, distance, parent)) {
        MCO_TRY(paths_zeros_open(ctx, rows, &zeros));
        MCO_TRY(paths_parents_of_zeros(ctx, rows, &zeros, source, distance, queue, parent));
    }
done:
    paths_zeros_close(ctx, &zeros);
    return st;
}

mco_status paths_parents(mco_context *ctx, const mco_paths_rows *rows, int32_t source, const int32_t *distance, int64_t *parent)
{
    mco_status st = MCO_OK;
    int32_t *work = NULL;
    MCO_TRY(mco_alloc(ctx, &work, rows->vertices));
    for (int32_t v = 0; v < rows->vertices; v++)
        parent[v] = NOT_FOUND;
    if (rows->turn_count > 0)  // which arc is last depends on turns before it, which distances of vertices do not tell
        MCO_TRY(paths_ref_tree(ctx, rows, source, work, parent));
    else
        MCO_TRY(find_by_distances(ctx, rows, source, distance, work, parent));
done:
    mco_free(ctx, &work);
    return st;
}
