// SPDX-License-Identifier: MIT
// Dijkstra's algorithm (1959) with a 4-ary heap of (distance, vertex) as one 64-bit number.
//
// A label that falls is pushed again; its older pair is stale and is passed over when it leaves the heap. The heap has room for
// two pairs a vertex: when it is full, stale pairs leave it, at most one a vertex stays, and the heap is made anew. That takes
// O(vertices) and comes after as many pushes at least. A pop moves the hole to the bottom along the least children, without a
// look at the last pair, and lets that pair rise from there: it came from the bottom and mostly stays there.
// The four children of an entry fill half a cache line: entry 0 lies at the end of a line's first half.
#include "paths/single/search.h"

#include "base/pages.h"

enum { ARITY = 4, POLL = 1 << 12 };  // pairs between two looks at the run: about 0.5 ms

typedef struct paths_heap {
    paths_search base;
    uint64_t *memory;  // [room + ARITY] owned
    uint64_t *entry;   // [count] in `memory`, so that children of one entry share a cache line
    int64_t count, room;
    paths_counts counts;
    int64_t frontier;  // vertices with a label that are not settled
} paths_heap;

static uint64_t pair_of(int32_t distance, int32_t vertex)
{
    return (uint64_t)(uint32_t)distance << 32 | (uint32_t)vertex;
}

// Lets an entry rise from `at`, which is free, to its place.
static inline void rise(uint64_t *heap, int64_t at, uint64_t pair)
{
    for (; at > 0 && heap[(at - 1) / ARITY] > pair; at = (at - 1) / ARITY)
        heap[at] = heap[(at - 1) / ARITY];
    heap[at] = pair;
}

// The place of the least of the four children from `child` on.
static inline int64_t least_child(const uint64_t *heap, int64_t child)
{
    const int64_t a = child + (heap[child + 1] < heap[child]), b = child + 2 + (heap[child + 3] < heap[child + 2]);
    return heap[b] < heap[a] ? b : a;
}

// Moves the hole at `at` down to a place without children and returns it.
static inline int64_t sink_hole(uint64_t *heap, int64_t count, int64_t at)
{
    for (;;) {
        int64_t child = ARITY * at + 1, least = child;
        if (child + ARITY <= count) {
            least = least_child(heap, child);
        } else {
            if (child >= count)
                return at;
            while (++child < count)
                if (heap[child] < heap[least])
                    least = child;
        }
        heap[at] = heap[least];
        at = least;
    }
}

static inline uint64_t pop(paths_heap *h)
{
    const uint64_t least = h->entry[0], last = h->entry[--h->count];
    if (h->count > 0)
        rise(h->entry, sink_hole(h->entry, h->count, 0), last);
    return least;
}

// Drops the stale pairs.
static void purge(paths_heap *h, const int32_t *distance)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < h->count; k++)
        if (distance[(uint32_t)h->entry[k]] == (int32_t)(h->entry[k] >> 32))
            h->entry[kept++] = h->entry[k];
    h->count = kept;
    // Each entry rises in turn; entries before it are a heap. Few are far from their place, since the old heap's order stands.
    for (int64_t k = 1; k < kept; k++)
        rise(h->entry, k, h->entry[k]);
}

static inline void push(paths_heap *h, int32_t *distance, int32_t vertex, int32_t label)
{
    h->frontier += distance[vertex] == MCO_PATHS_NONE;
    distance[vertex] = label;
    if (h->count == h->room)
        purge(h, distance);  // the pair that made the room necessary is stale as well, if it is in the heap
    rise(h->entry, h->count++, pair_of(label, vertex));
}

static inline void relax(paths_heap *h, int32_t *distance, int32_t vertex, int32_t label)
{
    const paths_layout *layout = h->base.layout;
    for (int32_t a = layout->first[vertex]; a < layout->first[vertex + 1]; a++) {
        const int32_t next = label + layout->arc[a].weight;  // below 2^31: both are below 2^30
        if (next < distance[layout->arc[a].head])
            push(h, distance, layout->arc[a].head, next);
    }
    h->counts.relaxed += layout->first[vertex + 1] - layout->first[vertex];
}

// Takes up to POLL pairs. *greatest: the last distance.
static void step(paths_heap *h, int32_t source, int32_t *distance, int32_t *greatest)
{
    const paths_layout *layout = h->base.layout;
    for (int k = 0; k < POLL && h->count > 0; k++) {
        h->counts.largest = h->count > h->counts.largest ? h->count : h->counts.largest;
        h->counts.frontier = h->frontier > h->counts.frontier ? h->frontier : h->counts.frontier;
        __builtin_prefetch(&layout->arc[layout->first[(uint32_t)h->entry[0]]]);
        const uint64_t pair = pop(h);
        const int32_t vertex = (int32_t)pair, label = (int32_t)(pair >> 32);
        h->counts.taken++;
        if (label != distance[vertex])
            continue;
        h->counts.settled++;
        h->frontier--;
        *greatest = label;
        if (paths_may_pass(layout, vertex, source))
            relax(h, distance, vertex, label);
    }
}

static mco_status heap_tree(mco_context *ctx, paths_search *search, mco_run *run, int32_t source, int32_t *distance,
                            paths_counts *counts, int32_t *greatest)
{
    mco_status st = MCO_OK;
    paths_heap *h = (paths_heap *)search;
    h->counts = (paths_counts){0};
    h->count = h->frontier = 0;
    push(h, distance, source, 0);
    while (h->count > 0) {
        if (run != NULL && mco_run_must_stop(run, h->counts.settled))
            MCO_TRY(mco_fail(ctx, MCO_ERR_STOPPED, "the search ended after %lld of %d vertices", (long long)h->counts.settled,
                             h->base.layout->vertices));
        step(h, source, distance, greatest);
        h->counts.rounds++;
    }
done:
    *counts = h->counts;
    return st;
}

static void heap_close(mco_context *ctx, paths_search *search)
{
    mco_free(ctx, &((paths_heap *)search)->memory);
}

mco_status paths_heap_open(mco_context *ctx, const paths_layout *layout, paths_search **out)
{
    mco_status st = MCO_OK;
    paths_heap *h = NULL;
    MCO_TRY(mco_alloc(ctx, &h, 1));
    h->base = (paths_search){layout, heap_tree, heap_close};
    h->room = 2 * (int64_t)layout->vertices + ARITY;
    MCO_TRY(mco_alloc(ctx, &h->memory, h->room + ARITY));
    h->entry = h->memory + ARITY - 1;  // children of k begin at 4 k + 1: at a multiple of 32 bytes
    *out = &h->base;
done:
    if (st != MCO_OK)
        mco_free(ctx, &h);
    return st;
}
