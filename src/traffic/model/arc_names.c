// SPDX-License-Identifier: MIT
#include "traffic/model/arc_names.h"

#include <string.h>

#include "traffic/model/network.h"

int traffic_compare_arc_names(const void *left, const void *right)
{
    const traffic_arc_name *a = left, *b = right;
    return a->from != b->from ? (a->from > b->from) - (a->from < b->from) : (a->to > b->to) - (a->to < b->to);
}

mco_status traffic_name_arcs(mco_context *ctx, const traffic_problem *p, traffic_arc_name **out, int32_t *count)
{
    mco_status st = MCO_OK;
    const mco_traffic_network *net = &p->traffic->view;
    int32_t *zone = NULL;  // [nodes behind those of the network]
    *count = 0;
    for (int32_t e = 0; e < p->links; e++)
        *count += p->origin_link[e] < 0;
    MCO_TRY(mco_alloc(ctx, out, *count));
    MCO_TRY(mco_alloc(ctx, &zone, p->nodes - net->nodes));
    memset(zone, 0xff, (size_t)(p->nodes - net->nodes) * sizeof *zone);
    for (int32_t z = 0; p->sink != NULL && z < net->zones; z++)
        if (p->sink[z] >= net->nodes)
            zone[p->sink[z] - net->nodes] = z;
    for (int32_t e = 0, used = 0; e < p->links; e++) {
        const int32_t from = p->tail[e], to = p->head[e];
        if (p->origin_link[e] >= 0)
            continue;
        traffic_arc_name *name = &(*out)[used++];
        name->link = e;
        name->from = from < net->nodes ? -1 - from : p->origin_link[p->into[p->into_first[from]]];
        name->to = to < net->nodes ? -1 - to : zone[to - net->nodes] >= 0 ? -1 - zone[to - net->nodes] : p->origin_link[p->first[to]];
    }
done:
    mco_free(ctx, &zone);
    return st;
}
