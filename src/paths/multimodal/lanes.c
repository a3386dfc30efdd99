// SPDX-License-Identifier: MIT
// The inner loops of the search (search.h), compiled once for each vector unit and written once for all numbers of states.
#include <string.h>

#include "base/lanes.h"
#include "paths/multimodal/search.h"

enum { EXACT_FLOAT = 1 << 24, AHEAD_RECORD = 12, AHEAD_HEADS = 3, AHEAD_ARC = 24 };
enum { ARCS_OF_LOOK = 1 << 14, VERTICES_OF_PASS = 1 << 12, VERTICES_OF_LOOK = 1 << 18 };  // between two looks at the order to stop

static bool is_stopped(const mm_search *s)
{
    return atomic_load_explicit(s->is_stopped, memory_order_relaxed);
}

// ---- Chunks of buckets

static void push(mm_search *s, int32_t bucket, int32_t vertex)
{
    mm_bucket *b = &s->bucket[bucket & (s->buckets - 1)];
    if (b->last < 0 || b->count == MM_CHUNK) {
        const int32_t chunk = s->free;
        s->free = s->chunk[chunk].next;
        s->left--;
        s->chunk[chunk].next = -1;
        if (b->last < 0)
            b->first = chunk;
        else
            s->chunk[b->last].next = chunk;
        b->last = chunk;
        b->count = 0;
    }
    s->chunk[b->last].vertex[b->count++] = vertex;
    s->entries++;
}

// Takes the first chunk off a bucket. Returns its entries.
static int32_t take_chunk(mm_search *s, mm_bucket *b)
{
    const int32_t chunk = b->first;
    const int32_t count = chunk == b->last ? b->count : MM_CHUNK;
    b->first = s->chunk[chunk].next;
    if (b->first < 0)
        b->last = -1;
    s->entries -= count;
    return count;
}

static void give_chunk(mm_search *s, int32_t chunk)
{
    s->chunk[chunk].next = s->free;
    s->free = chunk;
    s->left++;
}

static void clear_queue(mm_search *s)
{
    for (int32_t k = 0; k < s->buckets; k++)
        s->bucket[k] = (mm_bucket){-1, -1, 0};
    for (int32_t k = 0; k < s->chunks; k++)
        s->chunk[k].next = k + 1 < s->chunks ? k + 1 : -1;
    s->free = 0;
    s->left = s->chunks;
    s->entries = 0;
}

// A profile, state by state.
static int32_t profile_cost(const mm_search *s, uint32_t word, int32_t t, int32_t pace)
{
    return mm_cost(&s->network->tables, word, t, pace);
}

#define WIDTH 4
#include "paths/multimodal/search_rows.h"
#define WIDTH 8
#include "paths/multimodal/search_rows.h"
#define WIDTH 16
#include "paths/multimodal/search_rows.h"
#define WIDTH 32
#include "paths/multimodal/search_rows.h"

const mm_search_build VARIANT(mm_search_build) = {
    .build = {.simd = LANE_SIMD, .bits = 0},
    .run = {run_4, run_8, run_16, run_32},
    .certify = {certify_4, certify_8, certify_16, certify_32},
};
