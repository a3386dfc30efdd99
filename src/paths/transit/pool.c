// SPDX-License-Identifier: MIT
#include "paths/transit/pool.h"

#include <string.h>

#include "base/grow.h"

mco_status transit_pool_add(mco_context *ctx, transit_pool *pool, const char *data, size_t size, char **out)
{
    enum { BLOCK = 1 << 16 };
    mco_status st = MCO_OK;
    if (size >= pool->size - pool->used) {
        const size_t bytes = size + 1 > BLOCK ? size + 1 : BLOCK;
        MCO_TRY(mco_grow(ctx, &pool->block, &pool->room, pool->blocks + 1));
        MCO_TRY(mco_alloc(ctx, &pool->block[pool->blocks], bytes));
        pool->blocks++;
        pool->used = 0;
        pool->size = bytes;
    }
    *out = pool->block[pool->blocks - 1] + pool->used;
    if (size > 0)
        memcpy(*out, data, size);
    (*out)[size] = '\0';
    pool->used += size + 1;
done:
    return st;
}

void transit_pool_reset(mco_context *ctx, transit_pool *pool)
{
    if (pool->blocks > 1)
        transit_pool_clear(ctx, pool);
    pool->used = 0;
}

void transit_pool_clear(mco_context *ctx, transit_pool *pool)
{
    for (int64_t k = 0; k < pool->blocks; k++)
        mco_free(ctx, &pool->block[k]);
    mco_free(ctx, &pool->block);
    *pool = (transit_pool){0};
}
