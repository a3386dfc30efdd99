// SPDX-License-Identifier: MIT
#include "traffic/model/roads.h"

#include "base/context.h"
#include "mco/graph.h"

mco_status traffic_roads_make(mco_context *ctx, const traffic_problem *p, mco_paths_network **out)
{
    mco_status st = MCO_OK;
    mco_graph *graph = NULL;
    mco_paths_network *network = NULL;
    double *one = NULL;
    const mco_traffic_network view = p->traffic != NULL ? mco_traffic_view(p->traffic) : (mco_traffic_network){0};
    const bool has_places = view.x != NULL && view.y != NULL && view.nodes == p->nodes;
    const mco_paths_model model = {.struct_size = sizeof model, .scale = 1, .first_through = p->first_through};
    MCO_TRY(mco_alloc(ctx, &one, p->links));
    for (int32_t a = 0; a < p->links; a++)
        one[a] = 1;
    const mco_graph_edges edges = {.vertices = p->nodes, .edges = p->links, .from = p->tail, .to = p->head, .weight = one, .is_directed = true,
                                   .x = has_places ? view.x : NULL, .y = has_places ? view.y : NULL};
    MCO_TRY(mco_graph_create(ctx, &edges, &graph));
    MCO_TRY(mco_paths_create(ctx, graph, &model, &network));
    const mco_paths_rows rows = mco_paths_view(network);
    for (int32_t a = 0; a < p->links; a++)
        if (rows.arcs != p->links || rows.head[a] != p->head[a])
            MCO_TRY(mco_fail(ctx, MCO_ERR_INTERNAL, "link %d is another arc of the network of paths", a));
    *out = network;
    network = NULL;
done:
    mco_paths_destroy(ctx, &network);
    mco_graph_destroy(ctx, &graph);
    mco_free(ctx, &one);
    return st;
}
