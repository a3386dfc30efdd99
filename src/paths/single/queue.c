// SPDX-License-Identifier: MIT
#include "paths/single/queue.h"

#include <string.h>

#include "base/pages.h"

enum { BATCH = 16 };  // chunks that go from and to the pool together

_Static_assert(sizeof(chunk) == CHUNK_BYTES, "the ends of chunks are told by their addresses");

// ---- Chunks

mco_status chunk_pool_make(mco_context *ctx, int64_t count, chunk_pool *pool)
{
    char *memory = NULL;
    const mco_status st = mco_alloc_bytes(ctx, &pool->memory, (size_t)(count + 1), CHUNK_BYTES);
    if (st != MCO_OK)
        return st;
    mco_advise_huge(pool->memory, (size_t)(count + 1) * CHUNK_BYTES);
    memory = pool->memory;
    pool->chunks = (chunk *)(void *)(memory + (CHUNK_BYTES - (uintptr_t)memory % CHUNK_BYTES) % CHUNK_BYTES);
    pool->count = count;
    pthread_mutex_init(&pool->lock, NULL);
    chunk_pool_reset(pool);
    return st;
}

void chunk_pool_clear(mco_context *ctx, chunk_pool *pool)
{
    if (pool->memory == NULL)
        return;
    pthread_mutex_destroy(&pool->lock);
    mco_free(ctx, &pool->memory);
}

void chunk_pool_reset(chunk_pool *pool)
{
    atomic_store_explicit(&pool->fresh, 0, memory_order_relaxed);
    pool->returned = NULL;
    pool->returned_count = 0;
}

static chunk *next_of(chunk *c)
{
    return atomic_load_explicit(&c->next, memory_order_relaxed);
}

static void set_next(chunk *c, chunk *next)
{
    atomic_store_explicit(&c->next, next, memory_order_relaxed);
}

static void add_free(bucket_queue *queue, chunk *c)
{
    set_next(c, queue->free);
    queue->free = c;
    queue->free_count++;
}

// Moves up to BATCH chunks from the pool to the queue's own list.
static void refill(bucket_queue *queue)
{
    chunk_pool *pool = queue->pool;
    int64_t k = atomic_load_explicit(&pool->fresh, memory_order_relaxed);
    if (k < pool->count) {  // adds at most BATCH for each worker beyond the count
        k = atomic_fetch_add_explicit(&pool->fresh, BATCH, memory_order_relaxed);
        for (int64_t end = k + BATCH < pool->count ? k + BATCH : pool->count; k < end; k++)
            add_free(queue, &pool->chunks[k]);
    }
    if (queue->free != NULL)
        return;
    pthread_mutex_lock(&pool->lock);
    for (int i = 0; i < BATCH && pool->returned != NULL; i++) {
        chunk *c = pool->returned;
        pool->returned = next_of(c);
        pool->returned_count--;
        add_free(queue, c);
    }
    pthread_mutex_unlock(&pool->lock);
}

// Moves BATCH chunks from the queue's own list to the pool, for other workers.
static void give_back(bucket_queue *queue)
{
    chunk_pool *pool = queue->pool;
    pthread_mutex_lock(&pool->lock);
    for (int i = 0; i < BATCH; i++) {
        chunk *c = queue->free;
        queue->free = next_of(c);
        set_next(c, pool->returned);
        pool->returned = c;
    }
    queue->free_count -= BATCH;
    pool->returned_count += BATCH;
    pthread_mutex_unlock(&pool->lock);
}

void bucket_queue_release(bucket_queue *queue, chunk *c)
{
    add_free(queue, c);
    if (queue->free_count > MOST_FREE_CHUNKS)
        give_back(queue);
}

// ---- Buckets

void bucket_queue_reset(bucket_queue *queue, int32_t shift, int32_t current)
{
    memset(queue->tail, 0, sizeof queue->tail);
    memset(queue->used, 0, sizeof queue->used);
    queue->free = NULL;
    queue->free_count = 0;
    queue->shift = shift;
    queue->current = current;
    queue->is_full = false;
    queue->pushed = queue->taken = 0;
}

// The chunk that ends at `end` or that `end` lies in.
static chunk *chunk_of(uint64_t *end)
{
    return (chunk *)(((uintptr_t)end - 1) / CHUNK_BYTES * CHUNK_BYTES);
}

uint64_t *bucket_queue_extend(bucket_queue *queue, int level, int32_t slot)
{
    uint64_t *end = queue->tail[level][slot];
    if (queue->free == NULL)
        refill(queue);
    chunk *c = queue->free;
    if (c == NULL) {
        queue->is_full = true;
        return NULL;
    }
    queue->free = next_of(c);
    queue->free_count--;
    set_next(c, NULL);
    if (end != NULL) {
        chunk_of(end)->count = CHUNK_PAIRS;
        set_next(c, chunk_of(end));
    }
    queue->used[level][slot / 64] |= UINT64_C(1) << slot % 64;
    queue->tail[level][slot] = c->pair;
    return c->pair;
}

// Makes `list` all that the bucket has; its first chunk has a count, the others are full. NULL: the bucket is empty.
static void set_list(bucket_queue *queue, int level, int32_t slot, chunk *list)
{
    const uint64_t bit = UINT64_C(1) << slot % 64;
    queue->tail[level][slot] = list != NULL ? list->pair + list->count : NULL;
    queue->used[level][slot / 64] = list != NULL ? queue->used[level][slot / 64] | bit : queue->used[level][slot / 64] & ~bit;
}

chunk *bucket_queue_take(bucket_queue *queue)
{
    const int32_t slot = queue->current & (SLOTS - 1);
    uint64_t *end = queue->tail[0][slot];
    if (end == NULL)
        return NULL;
    chunk *c = chunk_of(end);
    c->count = end - c->pair;
    set_list(queue, 0, slot, next_of(c));
    return c;
}

void bucket_queue_attach(bucket_queue *queue, int level, int32_t slot, chunk *list)
{
    set_list(queue, level, slot, list);
}

chunk *bucket_queue_detach(bucket_queue *queue, int level, int32_t slot)
{
    uint64_t *end = queue->tail[level][slot];
    if (end == NULL)
        return NULL;
    chunk *c = chunk_of(end);
    c->count = end - c->pair;
    set_list(queue, level, slot, NULL);
    return c;
}

int32_t bucket_queue_least(const bucket_queue *queue, bool *is_exact)
{
    // On each level all pairs lie in buckets above the current one, or in it on level 0.
    for (int level = 0; level < LEVELS; level++) {
        const int32_t above = queue->current >> (level + 1) * DIGIT_BITS << (level + 1) * DIGIT_BITS;
        for (int32_t k = 0; k < SLOTS / 64; k++)
            if (queue->used[level][k] != 0) {
                *is_exact = level == 0;
                return (level < LEVELS - 1 ? above : 0) + ((64 * k + __builtin_ctzll(queue->used[level][k])) << level * DIGIT_BITS);
            }
    }
    *is_exact = true;
    return NO_BUCKET;
}

static void move_down(bucket_queue *queue, int level)
{
    chunk *c = bucket_queue_detach(queue, level, queue->current >> level * DIGIT_BITS & (SLOTS - 1));
    while (c != NULL) {
        chunk *next = next_of(c);
        const int64_t count = c->count;
        for (int64_t k = 0; k < count; k++)
            bucket_queue_push(queue, (int32_t)(c->pair[k] >> 32), (int32_t)c->pair[k]);
        queue->taken += count;
        bucket_queue_release(queue, c);
        c = next;
    }
}

void bucket_queue_enter(bucket_queue *queue, int32_t current)
{
    const int32_t differs = queue->current ^ current;
    queue->current = current;
    for (int level = LEVELS - 1; level > 0; level--)
        if (differs >> level * DIGIT_BITS != 0)
            move_down(queue, level);
}
