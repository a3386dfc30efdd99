// SPDX-License-Identifier: MIT
#include "flowshop/tree/packed.h"

#include <assert.h>

#include "base/grow.h"

enum { BLOCK_BYTES = 1 << 20 };

// Makes room for `bytes` in the last block, or begins another one.
static mco_status make_room(mco_context *ctx, flowshop_packed *p, int64_t bytes)
{
    mco_status st = MCO_OK;
    flowshop_bytes *last = p->block_count > 0 ? &p->blocks[p->block_count - 1] : NULL;
    if (last != NULL && last->count + bytes <= last->room)
        return MCO_OK;
    MCO_TRY(mco_grow(ctx, &p->blocks, &p->block_room, p->block_count + 1));
    last = &p->blocks[p->block_count];  // it may have the memory of an earlier use
    if (last->room < bytes) {
        const int64_t room = bytes < BLOCK_BYTES ? BLOCK_BYTES : bytes;
        mco_free(ctx, &last->data);
        last->room = 0;
        MCO_TRY(mco_alloc_unset_bytes(ctx, (void **)&last->data, (size_t)room, 1));
        last->room = room;
    }
    last->count = 0;
    p->block_count++;
done:
    return st;
}

mco_status flowshop_packed_add(mco_context *ctx, flowshop_packed *p, const flowshop_interval *v)
{
    mco_status st = MCO_OK;
    MCO_TRY(make_room(ctx, p, flowshop_most_path_bytes(v)));
    flowshop_bytes *last = &p->blocks[p->block_count - 1];
    const int64_t before = last->count;
    flowshop_put_paths(last, v);
    p->bytes += last->count - before;
    p->count++;
done:
    return st;
}

void flowshop_packed_empty(flowshop_packed *p)
{
    p->count = p->bytes = p->block_count = 0;
}

void flowshop_packed_clear(mco_context *ctx, flowshop_packed *p)
{
    for (int64_t b = 0; b < p->block_room; b++)
        mco_free(ctx, &p->blocks[b].data);
    mco_free(ctx, &p->blocks);
    *p = (flowshop_packed){0};
}

bool flowshop_packed_next(const flowshop_packed *p, int32_t jobs, flowshop_packed_place *place, flowshop_interval *v)
{
    if (place->block < p->block_count && place->at == p->blocks[place->block].count)
        *place = (flowshop_packed_place){.block = place->block + 1};
    if (place->block >= p->block_count)
        return false;
    const flowshop_bytes *b = &p->blocks[place->block];
    flowshop_reader r = {.data = b->data, .at = place->at, .size = b->count};
    flowshop_take_paths(&r, jobs, v);
    assert(!r.has_failed);  // they were packed here
    place->at = r.at;
    return true;
}
