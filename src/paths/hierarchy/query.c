// SPDX-License-Identifier: MIT
// Queries along the elimination tree (Dibbelt, Strasser, Wagner 2016): the upper neighbours of a vertex are among its ancestors, so
// no queue is needed. The loop is in lanes.c. O(arcs that leave the ancestors of both ends).
#include "paths/hierarchy/query.h"

#define DECLARE(set, unit) extern const paths_lanes paths_lanes_of_##set;
MCO_EACH_SIMD(DECLARE)
#define LIST(set, unit) &paths_lanes_of_##set,
static const paths_lanes *const builds[] = {MCO_EACH_SIMD(LIST)};

mco_status paths_lanes_find(mco_context *ctx, mco_simd simd, const paths_lanes **out)
{
    return mco_pick(ctx, builds, simd, 0, out);
}

mco_status paths_climb_open(mco_context *ctx, const mco_paths_hierarchy *hierarchy, paths_climb *out)
{
    enum { PADDING = 64 };  // vectors reach beyond the root
    mco_status st = MCO_OK;
    const int64_t room = hierarchy->topology.height + PADDING;
    paths_climb c = {.topology = &hierarchy->topology, .metric = &hierarchy->metric};
    MCO_TRY(mco_alloc(ctx, &c.from, room));
    MCO_TRY(mco_alloc(ctx, &c.to, room));
    for (int64_t i = 0; i < room; i++)
        c.from[i] = c.to[i] = MCO_PATHS_NONE;
    *out = c;
    c = (paths_climb){0};
done:
    paths_climb_close(ctx, &c);
    return st;
}

void paths_climb_close(mco_context *ctx, paths_climb *climb)
{
    mco_free(ctx, &climb->to);
    mco_free(ctx, &climb->from);
    *climb = (paths_climb){0};
}

mco_status paths_query_open(mco_context *ctx, const mco_paths_hierarchy *hierarchy, mco_simd simd, paths_query **out)
{
    mco_status st = MCO_OK;
    paths_query *q = NULL;
    MCO_TRY(mco_alloc(ctx, &q, 1));
    MCO_TRY(paths_lanes_find(ctx, simd, &q->lanes));
    MCO_TRY(paths_climb_open(ctx, hierarchy, &q->climb));
    *out = q;
    q = NULL;
done:
    paths_query_close(ctx, &q);
    return st;
}

int32_t paths_query_distance(paths_query *query, int32_t source_rank, int32_t target_rank)
{
    return query->lanes->query(&query->climb, source_rank, target_rank);
}

void paths_query_close(mco_context *ctx, paths_query **query)
{
    if (*query != NULL)
        paths_climb_close(ctx, &(*query)->climb);
    mco_free(ctx, query);
}
