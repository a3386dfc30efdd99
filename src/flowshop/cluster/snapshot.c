// SPDX-License-Identifier: MIT
#include "flowshop/cluster/snapshot.h"

#include "flowshop/cluster/coordinator.h"

mco_status flowshop_snapshot_begin(flowshop_coordinator *c)
{
    mco_status st = MCO_OK;
    flowshop_snapshot *s = &c->snapshot;
    if (s->state.order == NULL)
        MCO_TRY(flowshop_checkpoint_create(c->ctx, c->state->open.jobs, &s->state));
    flowshop_checkpoint_copy(c->state, &s->state);
    flowshop_packed_empty(&s->open);
    s->is_open = true;
    s->has_failed = false;
    s->number++;
    s->queue = c->state->open.count;
    s->record = s->at = 0;
done:
    return st;
}

static void copy(flowshop_coordinator *c, const flowshop_interval *v)
{
    flowshop_snapshot *s = &c->snapshot;
    if (!s->is_open || flowshop_packed_add(c->ctx, &s->open, v) == MCO_OK)
        return;
    s->is_open = false;
    s->has_failed = true;
}

void flowshop_snapshot_keep(flowshop_coordinator *c, flowshop_record *r)
{
    flowshop_snapshot *s = &c->snapshot;
    if (!s->is_open || r->snapshot == s->number)
        return;
    for (int64_t i = r - c->records == s->record ? s->at : 0; i < r->rest.count; i++)
        copy(c, &r->rest.items[i]);
    r->snapshot = s->number;
}

// What the queue got since then lies behind the items that it had. So s->queue <= queue->count.
void flowshop_snapshot_keep_last(flowshop_coordinator *c)
{
    const flowshop_intervals *queue = &c->state->open;
    if (c->snapshot.is_open && c->snapshot.queue == queue->count)
        copy(c, &queue->items[--c->snapshot.queue]);
}

bool flowshop_snapshot_go_on(flowshop_coordinator *c, int64_t most)
{
    flowshop_snapshot *s = &c->snapshot;
    for (; most > 0 && s->queue > 0; most--)
        copy(c, &c->state->open.items[--s->queue]);
    for (; most > 0 && s->record < c->record_count; most--) {
        flowshop_record *r = &c->records[s->record];
        if (r->snapshot != s->number && s->at < r->rest.count) {
            copy(c, &r->rest.items[s->at++]);
            continue;
        }
        r->snapshot = s->number;
        s->record++;
        s->at = 0;
    }
    const bool is_whole = s->is_open && s->queue == 0 && s->record == c->record_count;
    s->is_open = s->is_open && !is_whole;
    return is_whole;
}

void flowshop_snapshot_end(flowshop_coordinator *c)
{
    flowshop_packed_clear(c->ctx, &c->snapshot.open);
    flowshop_checkpoint_destroy(c->ctx, &c->snapshot.state);
    c->snapshot.is_open = false;
}
