// SPDX-License-Identifier: MIT
// What a sweep reads of the nodes (rows.h).
#include <stdlib.h>
#include <string.h>

#include "overlay/rows.h"

static const float UNREACHED = 4;  // below this dual lies every product

static int ascending(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static mco_status sort_by_uptime(mco_context *ctx, overlay_prices *v)
{
    mco_status st = MCO_OK;
    const mco_overlay *o = v->o;
    uint64_t *key = NULL;
    MCO_TRY(mco_alloc(ctx, &key, o->nodes));
    for (int32_t i = 0; i < o->nodes; i++)
        key[i] = (uint64_t)o->uptime[i] << 32 | (uint32_t)i;
    if (o->nodes > 0)
        qsort(key, (size_t)o->nodes, sizeof *key, ascending);
    for (int32_t k = 0; k < o->nodes; k++) {
        v->order[k] = (int32_t)(uint32_t)key[k];
        v->place[v->order[k]] = k;
    }
done:
    mco_free(ctx, &key);
    return st;
}

static mco_status open_complete(mco_context *ctx, overlay_prices *v)
{
    mco_status st = MCO_OK;
    const mco_overlay *o = v->o;
    const int64_t padded = (int64_t)o->nodes + OVERLAY_PRICE_PAD;
    MCO_TRY(mco_alloc(ctx, &v->order, o->nodes));
    MCO_TRY(mco_alloc(ctx, &v->place, o->nodes));
    MCO_TRY(mco_alloc(ctx, &v->uptime, padded));
    MCO_TRY(mco_alloc(ctx, &v->at, padded));
    MCO_TRY(mco_alloc(ctx, &v->cap, padded));
    MCO_TRY(mco_alloc(ctx, &v->above, padded));
    MCO_TRY(mco_alloc(ctx, &v->below, padded));
    MCO_TRY(sort_by_uptime(ctx, v));
    for (int32_t k = 0; k < o->nodes; k++) {
        v->uptime[k] = o->uptime[v->order[k]];
        v->cap[k] = o->cap[v->order[k]];
        v->above[k] = (float)v->uptime[k] * (0x1p-32F * (1 + 0x1p-22F));
    }
    for (int64_t k = o->nodes; k < padded; k++)
        v->below[k] = UNREACHED;
done:
    return st;
}

mco_status overlay_prices_open(mco_context *ctx, const mco_overlay *o, bool is_plain, overlay_prices *out)
{
    mco_status st = MCO_OK;
    *out = (overlay_prices){.o = o};
    if (is_plain)
        return MCO_OK;
    if (o->is_complete)
        MCO_TRY(open_complete(ctx, out));
    else
        MCO_TRY(mco_alloc(ctx, &out->ends, o->nodes));
done:
    return st;
}

void overlay_prices_close(mco_context *ctx, overlay_prices *v)
{
    mco_free(ctx, &v->order);
    mco_free(ctx, &v->place);
    mco_free(ctx, &v->uptime);
    mco_free(ctx, &v->at);
    mco_free(ctx, &v->cap);
    mco_free(ctx, &v->above);
    mco_free(ctx, &v->below);
    mco_free(ctx, &v->ends);
}

void overlay_prices_set(overlay_prices *v, const uint32_t *dual)
{
    const mco_overlay *o = v->o;
    v->dual = dual;
    for (int32_t k = 0; v->order != NULL && k < o->nodes; k++) {
        v->at[k] = dual[v->order[k]];
        v->below[k] = overlay_below(v->at[k]);
    }
    for (int32_t i = 0; v->ends != NULL && i < o->nodes; i++)
        v->ends[i] = (overlay_end){o->uptime[i], dual[i], o->cap[i], 0};
}

void overlay_prices_move(overlay_prices *v, int32_t i)
{
    if (v->order != NULL) {
        v->at[v->place[i]] = v->dual[i];
        v->below[v->place[i]] = overlay_below(v->dual[i]);
    }
    if (v->ends != NULL)
        v->ends[i].dual = v->dual[i];
}
