// SPDX-License-Identifier: MIT
// Arrays that grow as they are filled: a pointer, a count, and the room there is.
#ifndef MCO_BASE_GROW_H
#define MCO_BASE_GROW_H

#include "base/context.h"

// Makes room for at least `count` items: doubles it, so that n items cost O(n) in all. What was there stays, the rest is zero.
// Errors: MEMORY; the array is as before.
mco_status mco_grow_bytes(mco_context *ctx, void **items, int64_t *room, int64_t count, size_t item_bytes);
#define mco_grow(ctx, items, room, count) mco_grow_bytes(ctx, (void **)(items), room, count, sizeof **(items))

#endif
