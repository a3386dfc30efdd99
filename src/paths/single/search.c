// SPDX-License-Identifier: MIT
// The front of all engines of one tree.
#include "paths/single/search.h"

#include <inttypes.h>

// An engine leaves paths of MCO_PATHS_NONE or more aside. Here such a path is found: it enters a vertex without a distance from
// one that has a distance.
static mco_status refuse_long_paths(mco_context *ctx, const paths_layout *layout, int32_t source, const int32_t *distance)
{
    for (int32_t v = 0; v < layout->vertices; v++) {
        if (distance[v] == MCO_PATHS_NONE || !paths_may_pass(layout, v, source))
            continue;
        for (int32_t a = layout->first[v]; a < layout->first[v + 1]; a++) {
            const paths_arc arc = layout->arc[a];
            if (distance[arc.head] == MCO_PATHS_NONE)
                return mco_fail(ctx, MCO_ERR_LIMIT, "vertex %d has distance %" PRId64 ", at most %d is supported; a smaller scale helps",
                                layout->vertex[arc.head], (int64_t)distance[v] + arc.weight, MCO_PATHS_NONE - 1);
        }
    }
    return MCO_OK;
}

mco_status paths_search_tree(mco_context *ctx, paths_search *search, mco_run *run, int32_t source, int32_t *distance,
                             paths_counts *counts)
{
    mco_status st = MCO_OK;
    const paths_layout *layout = search->layout;
    paths_counts unwanted;
    int32_t greatest = 0;
    if (counts == NULL)
        counts = &unwanted;
    *counts = (paths_counts){0};
    for (int32_t v = 0; v < layout->vertices; v++)
        distance[v] = MCO_PATHS_NONE;
    MCO_TRY(search->tree(ctx, search, run, source, distance, counts, &greatest));
    if (greatest >= MCO_PATHS_NONE - layout->max_weight)
        MCO_TRY(refuse_long_paths(ctx, layout, source, distance));
done:
    return st;
}

void paths_search_close(mco_context *ctx, paths_search **search)
{
    if (*search == NULL)
        return;
    (*search)->close(ctx, *search);
    mco_free(ctx, search);
}
