// SPDX-License-Identifier: MIT
#include "base/grow.h"

#include <string.h>

mco_status mco_grow_bytes(mco_context *ctx, void **items, int64_t *room, int64_t count, size_t item_bytes)
{
    enum { FIRST_ROOM = 16 };
    void *larger = NULL;
    int64_t wanted = *room > 0 ? *room : FIRST_ROOM;
    if (count <= *room)
        return MCO_OK;
    while (wanted < count)
        wanted = wanted <= INT64_MAX / 2 ? 2 * wanted : INT64_MAX;
    const mco_status st = mco_alloc_bytes(ctx, &larger, (size_t)wanted, item_bytes);
    if (st != MCO_OK)
        return st;
    if (*room > 0)
        memcpy(larger, *items, (size_t)*room * item_bytes);
    mco_free_bytes(ctx, items);
    *items = larger;
    *room = wanted;
    return MCO_OK;
}
