// SPDX-License-Identifier: MIT
// Strings of a feed or a map: many short ones, in few blocks of memory, released together.
#ifndef MCO_PATHS_TRANSIT_POOL_H
#define MCO_PATHS_TRANSIT_POOL_H

#include "base/context.h"

// Zero before use.
typedef struct transit_pool {
    char **block;     // [blocks] owned; they never move
    int64_t blocks, room;
    size_t used, size;  // of the last block, in bytes
} transit_pool;

// Copies `size` bytes and a NUL behind them; *out is valid as long as the pool. Errors: MEMORY. O(size).
mco_status transit_pool_add(mco_context *ctx, transit_pool *pool, const char *data, size_t size, char **out);
// Drops all strings; small pools keep their memory for others.
void transit_pool_reset(mco_context *ctx, transit_pool *pool);
void transit_pool_clear(mco_context *ctx, transit_pool *pool);

#endif
