// SPDX-License-Identifier: MIT
// Arrays that grow as they are filled. Each has a pointer, a count, and a room: the items that it can hold.
#ifndef MCO_BASE_GROW_H
#define MCO_BASE_GROW_H

#include "base/context.h"

// Makes room for at least `count` items. It doubles the room, so n items cost O(n) in all. The items stay, the rest is
// zero. Errors: MEMORY; then the array is unchanged.
mco_status mco_grow_bytes(mco_context *ctx, void **items, int64_t *room, int64_t count, size_t item_bytes);
#define mco_grow(ctx, items, room, count) mco_grow_bytes(ctx, (void **)(items), room, count, sizeof **(items))

#endif
