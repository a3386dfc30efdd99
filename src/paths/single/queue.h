// SPDX-License-Identifier: MIT
// A queue of (distance, vertex) pairs in three levels of buckets, and the memory of its pairs.
//
// A bucket of level 0 has one index, distance >> shift. A bucket of level 1 has 2^10 successive indices, one of level 2 has
// 2^20. A pair lies at the lowest level on which its index differs from the current one in the last digit only, to the base
// 2^10. So each level has 2^10 buckets for any weight, each pair moves down at most twice, and empty buckets cost a look at a
// bit map. Indices never decrease below the current one.
//
// A bucket is a list of chunks. All chunks come from one pool of fixed size. If the pool has no chunk left, the pair is dropped
// and the worker says so (is_full): the labels know all that the queue knows, so the search rebuilds it from the labels.
//
// Sources: Dial (1969); Denardo, Fox (1979, several levels of buckets); Meyer, Sanders (2003, delta-stepping).
#ifndef MCO_PATHS_SINGLE_QUEUE_H
#define MCO_PATHS_SINGLE_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/context.h"

enum {
    LEVELS = 3, DIGIT_BITS = 10, SLOTS = 1 << DIGIT_BITS,  // 30 bits: every distance
    CHUNK_BYTES = 512, CHUNK_PAIRS = CHUNK_BYTES / 8 - 2,
    // Chunks of a queue that are not full: one for each bucket, and those that it keeps free.
    MOST_FREE_CHUNKS = 64, MOST_IDLE_CHUNKS = LEVELS * SLOTS + 2 * MOST_FREE_CHUNKS
};

// An index above all indices.
#define NO_BUCKET INT32_MAX

typedef struct chunk {
    _Atomic(struct chunk *) next;
    int64_t count;               // set when the chunk leaves its bucket
    uint64_t pair[CHUNK_PAIRS];  // distance << 32 | vertex
} chunk;

typedef struct chunk_pool {
    void *memory;             // owned
    chunk *chunks;            // [count] aligned to their size
    int64_t count;
    atomic_int_least64_t fresh;  // chunks from this one on are untouched since the last reset
    pthread_mutex_t lock;     // held for a few instructions
    chunk *returned;          // a list, guarded by the lock
    int64_t returned_count;   // guarded by the lock
} chunk_pool;

// The buckets of one worker.
typedef struct bucket_queue {
    chunk_pool *pool;
    chunk *free;              // a list
    int64_t free_count;
    int32_t shift, current;
    bool is_full;             // a pair was dropped
    int64_t pushed, taken;    // pairs since the last reset; those that moved down count on both sides
    uint64_t *tail[LEVELS][SLOTS];  // where the next pair goes, at a chunk's end: into a new chunk; NULL: empty
    uint64_t used[LEVELS][SLOTS / 64];  // bit: the bucket has pairs
} bucket_queue;

// Makes a pool of at least `count` chunks. Errors: MEMORY.
mco_status chunk_pool_make(mco_context *ctx, int64_t count, chunk_pool *pool);
void chunk_pool_clear(mco_context *ctx, chunk_pool *pool);
// Takes all chunks back. No queue may use one of them.
void chunk_pool_reset(chunk_pool *pool);

// Empties the queue and forgets its chunks, which chunk_pool_reset() has taken back or takes back.
void bucket_queue_reset(bucket_queue *queue, int32_t shift, int32_t current);
// Gives a chunk back.
void bucket_queue_release(bucket_queue *queue, chunk *c);
// The place of the next pair of a bucket whose last chunk is full; NULL: no memory, and is_full is set.
uint64_t *bucket_queue_extend(bucket_queue *queue, int level, int32_t slot);
// Takes the last chunk of the current bucket with its count set; NULL: the bucket is empty.
chunk *bucket_queue_take(bucket_queue *queue);
// Takes the list of a bucket with all counts set; NULL: empty.
chunk *bucket_queue_detach(bucket_queue *queue, int level, int32_t slot);
// Gives a list back to its bucket, which is empty.
void bucket_queue_attach(bucket_queue *queue, int level, int32_t slot, chunk *list);
// A lower bound on the indices of all pairs; exact if it is on level 0, which *is_exact tells. NO_BUCKET: empty.
int32_t bucket_queue_least(const bucket_queue *queue, bool *is_exact);
// Makes `current` the current index, at most the least one, and moves the pairs of its coarse buckets down.
void bucket_queue_enter(bucket_queue *queue, int32_t current);

static inline void bucket_queue_push(bucket_queue *queue, int32_t distance, int32_t vertex)
{
    const int32_t index = distance >> queue->shift, differs = index ^ queue->current;
    int level = 0;
    int32_t slot = index & (SLOTS - 1);
    if (differs >= SLOTS) {
        level = differs < SLOTS * SLOTS ? 1 : 2;
        slot = index >> level * DIGIT_BITS & (SLOTS - 1);
    }
    uint64_t *at = queue->tail[level][slot];
    if (((uintptr_t)at & (CHUNK_BYTES - 1)) == 0) {
        at = bucket_queue_extend(queue, level, slot);
        if (at == NULL)
            return;
    }
    *at = (uint64_t)(uint32_t)distance << 32 | (uint32_t)vertex;
    queue->tail[level][slot] = at + 1;
    queue->pushed++;
}

#endif
