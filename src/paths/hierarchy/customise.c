// SPDX-License-Identifier: MIT
// Customising: the weights of a hierarchy from the weights of its network (Dibbelt, Strasser, Wagner 2016).
//
// A lower triangle of an arc (x, y) is a vertex v below both with arcs (v, x) and (v, y). In ascending order of v, each triangle
// replaces the weight of x to y by the sum over v, if that is less. Weights are at most MCO_PATHS_NONE, so no sum overflows.
#include <string.h>

#include "paths/hierarchy/hierarchy.h"

enum { PADDING = 64 };  // entries after the last one that vectors may read

mco_status paths_metric_open(mco_context *ctx, const paths_topology *topology, paths_metric *out)
{
    mco_status st = MCO_OK;
    paths_metric m = {0};
    const int64_t arcs = topology->arcs;
    MCO_TRY(mco_alloc(ctx, &m.pair, 2 * arcs + PADDING));
    MCO_TRY(mco_alloc(ctx, &m.up, arcs + PADDING));
    MCO_TRY(mco_alloc(ctx, &m.down, arcs + PADDING));
    for (int64_t k = 0; k < 2 * arcs + PADDING; k++)
        m.pair[k] = MCO_PATHS_NONE;
    for (int64_t a = 0; a < arcs + PADDING; a++)
        m.up[a] = m.down[a] = MCO_PATHS_NONE;
    *out = m;
    m = (paths_metric){0};
done:
    paths_metric_clear(ctx, &m);
    return st;
}

void paths_metric_clear(mco_context *ctx, paths_metric *metric)
{
    mco_free(ctx, &metric->down);
    mco_free(ctx, &metric->up);
    mco_free(ctx, &metric->pair);
    *metric = (paths_metric){0};
}

// ---- The oracle

static void lower_to(int32_t *weight, int32_t value)
{
    *weight = value < *weight ? value : *weight;
}

void paths_metric_ref(const paths_topology *t, int64_t network_arcs, const int32_t *weight, paths_metric *metric)
{
    int32_t *pair = metric->pair;
    for (int64_t k = 0; k < 2 * (int64_t)t->arcs; k++)
        pair[k] = MCO_PATHS_NONE;
    for (int64_t k = 0; k < network_arcs; k++)
        if (t->slot[k] >= 0)
            lower_to(&pair[t->slot[k]], weight[k]);
    for (int32_t v = 0; v < t->vertices; v++) {
        if (t->is_end != NULL && t->is_end[v])
            continue;
        for (int32_t a = t->first[v]; a < t->first[v + 1]; a++)
            for (int32_t b = a + 1, c = t->first[t->head[a]]; b < t->first[v + 1]; b++) {
                while (t->head[c] != t->head[b])
                    c++;
                lower_to(&pair[2 * c], pair[2 * a + 1] + pair[2 * b]);
                lower_to(&pair[2 * c + 1], pair[2 * b + 1] + pair[2 * a]);
            }
    }
    for (int32_t a = 0; a < t->arcs; a++) {
        metric->up[a] = pair[2 * a];
        metric->down[a] = pair[2 * a + 1];
    }
}
