// SPDX-License-Identifier: MIT
// The other relaxation: links are kept whole, and a node keeps no more of them than its bandwidth has room for at their least
// (counts.h). Where nodes fit one link each, this is the fractional matching.
#include "overlay/counts.h"

#include <math.h>

#include "overlay/matching.h"

static const double UNITS = 4294967296.0;
static const double ENOUGH_USED = 0.995;  // of the bandwidth

static int32_t least_of(const mco_overlay *o, int32_t i, int64_t k)
{
    return o->row_least != NULL ? o->row_least[o->first[i] + k] : o->least;
}

// A link that could be kept at all.
static bool is_possible(const mco_overlay *o, int32_t i, int64_t k, const overlay_link *link)
{
    return link->node > i && link->most > 0 && link->most >= least_of(o, i, k);
}

// Numbers of links can be the better bound where nodes have room for few of them, or where that many cannot use the bandwidth.
bool overlay_counts_pay(const mco_overlay *o)
{
    int64_t few = 0;
    double bandwidths = 0, used = 0;
    if (o->links > OVERLAY_COUNTS_MOST)
        return false;
    for (int32_t i = 0; i < o->nodes; i++) {
        const int64_t room = overlay_room_of(o, i);
        few += room <= FEW_LINKS;
        bandwidths += o->bandwidth[i];
        used += fmin(o->bandwidth[i], (double)room * o->cap[i]);
    }
    return bandwidths > 0 && (2 * few >= o->nodes || used < ENOUGH_USED * bandwidths);
}

mco_status overlay_counts_open(mco_context *ctx, mco_run *run, const mco_overlay *o, mco_overlay **out)
{
    mco_status st = MCO_OK;
    mco_overlay_data data = {.nodes = o->nodes, .most_of_all = 1};
    double *uptime = NULL, *weight = NULL;
    int64_t *room = NULL;
    int32_t *from = NULL, *to = NULL;
    const double missing = o->weight != NULL ? 1 : 3;  // units that rounding may have taken from a weight
    *out = NULL;
    MCO_TRY(mco_alloc(ctx, &uptime, o->nodes));
    MCO_TRY(mco_alloc(ctx, &room, o->nodes));
    MCO_TRY(mco_alloc(ctx, &from, o->links));
    MCO_TRY(mco_alloc(ctx, &to, o->links));
    MCO_TRY(mco_alloc(ctx, &weight, o->links));
    for (int32_t i = 0; i < o->nodes; i++) {
        const int64_t links = overlay_row_size(o, i);
        if (mco_run_must_stop(run, 0))
            goto done;
        room[i] = overlay_room_of(o, i);
        for (int64_t k = 0; k < links; k++) {
            const overlay_link link = overlay_entry(o, i, k);
            if (!is_possible(o, i, k, &link))
                continue;
            from[data.links] = i;
            to[data.links] = link.node;
            // Not below the product of the link as it was given: its weight is that much more at most (overlay_bound_of()).
            weight[data.links++] = (link.weight + missing) * link.most * (1 + 0x1p-49) / UNITS;
        }
    }
    data.uptime = uptime;
    data.bandwidth = room;
    data.from = from;
    data.to = to;
    data.weight = weight;
    MCO_TRY(mco_overlay_create(ctx, "counts", &data, out));
done:
    mco_free(ctx, &weight);
    mco_free(ctx, &to);
    mco_free(ctx, &from);
    mco_free(ctx, &room);
    mco_free(ctx, &uptime);
    return st;
}

// The relaxation's weights are in units of weight times bandwidth of the instance, times 2^32.
double overlay_counts_bound(const mco_overlay *o, double bound)
{
    return bound * o->weight_unit / (double)o->scale * (1 + 0x1p-49);
}

double overlay_counts_price(const mco_overlay *counts, uint32_t dual)
{
    return dual * counts->weight_unit;
}
