// SPDX-License-Identifier: MIT
// The network as it is: an instance of its own, with its duals and its overlay. Where a round was stopped, the overlay may still have
// links of nodes that left in it; they are left out.
#include <math.h>

#include "overlay/live.h"

typedef struct copier {
    mco_context *ctx;
    const mco_overlay_live *live;
    int32_t *number;  // [slots] of a node in the snapshot
    double *uptime, *weight;
    int64_t *bandwidth, *least, *most;
    int32_t *from, *to;
    mco_overlay_data data;
} copier;

static mco_status copy_nodes(copier *c, int32_t *ids)
{
    mco_status st = MCO_OK;
    const overlay_network *n = &c->live->network;
    MCO_TRY(mco_alloc(c->ctx, &c->number, n->o->nodes));
    MCO_TRY(mco_alloc(c->ctx, &c->uptime, n->present));
    MCO_TRY(mco_alloc(c->ctx, &c->bandwidth, n->present));
    for (int32_t i = 0; i < n->o->nodes; i++) {
        if (n->id[i] < 0)
            continue;
        const int32_t k = c->data.nodes++;
        c->number[i] = k;
        ids[k] = n->id[i];
        c->uptime[k] = n->o->uptime[i] == UINT32_MAX ? 1 : n->o->uptime[i] / 4294967296.0;
        c->bandwidth[k] = n->o->bandwidth[i];
    }
    c->data.uptime = c->uptime;
    c->data.bandwidth = c->bandwidth;
done:
    return st;
}

// A limit that an end of little bandwidth brought below the least was more (formats.c).
static mco_status copy_links(copier *c)
{
    mco_status st = MCO_OK;
    const mco_overlay *o = c->live->network.o;
    int64_t count = 0;
    MCO_TRY(mco_alloc(c->ctx, &c->from, o->links));
    MCO_TRY(mco_alloc(c->ctx, &c->to, o->links));
    MCO_TRY(mco_alloc(c->ctx, &c->weight, o->links));
    MCO_TRY(mco_alloc(c->ctx, &c->least, o->links));
    MCO_TRY(mco_alloc(c->ctx, &c->most, o->links));
    for (int32_t i = 0; i < o->nodes; i++)
        for (int64_t a = o->first[i]; a < o->first[i + 1]; a++) {
            if (o->to[a] < i)
                continue;
            c->from[count] = c->number[i];
            c->to[count] = c->number[o->to[a]];
            c->weight[count] = o->weight != NULL ? o->weight[a] * (o->weight_unit / 4294967296.0) : 0;
            c->least[count] = o->row_least != NULL ? o->row_least[a] : o->least;
            c->most[count] = o->row_most != NULL ? o->row_most[a] : 0;
            c->most[count] = c->most[count] > c->least[count] ? c->most[count] : c->least[count];
            count++;
        }
    c->data.from = c->from;
    c->data.to = c->to;
    c->data.weight = o->weight != NULL ? c->weight : NULL;
    c->data.least = o->row_least != NULL ? c->least : NULL;
    c->data.most = o->row_most != NULL ? c->most : NULL;
done:
    return st;
}

static mco_status copy_overlay(const copier *c, mco_overlay_snapshot *out)
{
    mco_status st = MCO_OK;
    const overlay_network *n = &c->live->network;
    const double ratio = n->o->weight_unit / out->instance->weight_unit;
    mco_overlay_solution *kept = &out->overlay;
    double worth;
    int64_t count = 0;
    MCO_TRY(overlay_give(&c->live->search, kept));
    for (int64_t k = 0; k < kept->count; k++) {
        if (n->id[kept->from[k]] < 0 || n->id[kept->to[k]] < 0)
            continue;
        kept->from[count] = c->number[kept->from[k]];
        kept->to[count] = c->number[kept->to[k]];
        kept->bandwidth[count++] = kept->bandwidth[k];
    }
    kept->count = count;
    MCO_TRY(mco_overlay_check(c->ctx, out->instance, kept, &worth));
    MCO_TRY(mco_alloc(c->ctx, &out->duals, n->present));
    for (int32_t i = 0; i < n->o->nodes; i++)
        if (n->id[i] >= 0)
            out->duals[c->number[i]] = (uint32_t)fmin(c->live->duals[i] * ratio, UINT32_MAX);
done:
    return st;
}

mco_status mco_overlay_live_take(mco_context *ctx, const mco_overlay_live *live, mco_overlay_snapshot *out)
{
    mco_status st = MCO_OK;
    mco_overlay_snapshot made = {0};
    copier c = {.ctx = ctx, .live = live};
    if (ctx == NULL || live == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    const mco_overlay *o = live->network.o;
    c.data = (mco_overlay_data){.links = o->is_complete ? -1 : o->links, .least_of_all = o->least, .most_of_all = o->most == INT32_MAX ? -1 : o->most};
    MCO_TRY(mco_alloc(ctx, &made.ids, live->network.present));
    MCO_TRY(copy_nodes(&c, made.ids));
    if (!o->is_complete)
        MCO_TRY(copy_links(&c));
    MCO_TRY(mco_overlay_create(ctx, o->name, &c.data, &made.instance));
    made.instance->scale = o->scale;
    MCO_TRY(copy_overlay(&c, &made));
    *out = made;
    made = (mco_overlay_snapshot){0};
done:
    mco_overlay_snapshot_clear(ctx, &made);
    mco_free(ctx, &c.number);
    mco_free(ctx, &c.uptime);
    mco_free(ctx, &c.bandwidth);
    mco_free(ctx, &c.from);
    mco_free(ctx, &c.to);
    mco_free(ctx, &c.weight);
    mco_free(ctx, &c.least);
    mco_free(ctx, &c.most);
    return st;
}

void mco_overlay_snapshot_clear(mco_context *ctx, mco_overlay_snapshot *snapshot)
{
    if (ctx == NULL || snapshot == NULL)
        return;
    mco_overlay_destroy(ctx, &snapshot->instance);
    mco_free(ctx, &snapshot->ids);
    mco_free(ctx, &snapshot->duals);
    mco_overlay_solution_clear(ctx, &snapshot->overlay);
}
