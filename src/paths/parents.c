// SPDX-License-Identifier: MIT
// The last arcs of shortest paths, found behind the distances: engines need not carry them. An arc is tight if its weight is the
// difference of the distances of its ends. A breadth-first search over tight arcs gives a tree also where weights are zero.
#include "paths/network.h"

static mco_status search_tight(mco_context *ctx, const mco_paths_rows *rows, int32_t source, const int32_t *distance, int32_t *queue,
                               int64_t *parent)
{
    mco_status st = MCO_OK;
    int32_t begin = 0, end = 0;
    queue[end++] = source;
    while (begin < end) {
        const int32_t u = queue[begin++];
        MCO_TRY(mco_call_in_time(ctx, begin));
        if (u < rows->first_through && u != source)
            continue;
        for (int64_t a = rows->first[u]; a < rows->first[u + 1]; a++) {
            const int32_t v = rows->head[a];
            if (v == source || parent[v] >= 0 || rows->weight[a] == MCO_PATHS_NONE || distance[u] + rows->weight[a] != distance[v])
                continue;  // the sum of two numbers below 2^30 fits
            parent[v] = a;
            queue[end++] = v;
        }
    }
done:
    return st;
}

mco_status paths_parents(mco_context *ctx, const mco_paths_rows *rows, int32_t source, const int32_t *distance, int64_t *parent)
{
    mco_status st = MCO_OK;
    int32_t *work = NULL;
    MCO_TRY(mco_alloc(ctx, &work, rows->vertices));
    for (int32_t v = 0; v < rows->vertices; v++)
        parent[v] = -1;
    if (rows->turn_count > 0)  // which arc is last depends on turns before it, which distances of vertices do not tell
        MCO_TRY(paths_ref_tree(ctx, rows, source, work, parent));
    else
        MCO_TRY(search_tight(ctx, rows, source, distance, work, parent));
done:
    mco_free(ctx, &work);
    return st;
}
