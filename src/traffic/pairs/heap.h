// SPDX-License-Identifier: MIT
// A binary heap of nodes by labels. A node may stand there several times; its owner skips what is out of date.
#ifndef MCO_TRAFFIC_PAIRS_HEAP_H
#define MCO_TRAFFIC_PAIRS_HEAP_H

#include "base/grow.h"

typedef struct pairs_entry {
    double label;
    int32_t node;
} pairs_entry;

typedef struct pairs_heap {
    pairs_entry *entry;  // [count]
    int64_t count, room;
} pairs_heap;

// Errors: MEMORY. O(log count).
static inline mco_status pairs_heap_push(mco_context *ctx, pairs_heap *h, double label, int32_t node)
{
    const mco_status st = h->count < h->room ? MCO_OK : mco_grow(ctx, &h->entry, &h->room, h->count + 1);
    if (st != MCO_OK)
        return st;
    int64_t at = h->count++;
    for (; at > 0 && h->entry[(at - 1) / 2].label > label; at = (at - 1) / 2)
        h->entry[at] = h->entry[(at - 1) / 2];
    h->entry[at] = (pairs_entry){label, node};
    return MCO_OK;
}

// Takes the least entry off a heap that has one. O(log count).
static inline pairs_entry pairs_heap_pop(pairs_heap *h)
{
    const pairs_entry top = h->entry[0], last = h->entry[--h->count];
    int64_t at = 0;
    for (int64_t child; (child = 2 * at + 1) < h->count; at = child) {
        child += child + 1 < h->count && h->entry[child + 1].label < h->entry[child].label;
        if (h->entry[child].label >= last.label)
            break;
        h->entry[at] = h->entry[child];
    }
    h->entry[at] = last;
    return top;
}

#endif
