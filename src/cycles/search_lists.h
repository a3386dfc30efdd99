// SPDX-License-Identifier: MIT
// The search of a root whose graph is too large for rows of bits: lists of neighbours and counters.
#ifndef MCO_CYCLES_SEARCH_LISTS_H
#define MCO_CYCLES_SEARCH_LISTS_H

#include "cycles/search_root.h"

typedef struct search_lists {
    int32_t *touched;  // [n] how many vertices of the path but its two ends are neighbours
    int8_t *joins;     // [n] whether it may follow the last vertex of the cycle: 1 yes, -1 it touches that vertex otherwise
    int64_t *arc;      // [n] next arc of the path's vertex at this place
    int32_t *path;     // [n] x, root, y, ...
    int64_t targets;   // vertices that may close and that no inner vertex touches
    // Called about every 65536 steps, of which an arc that is looked at is one, and whenever `length` vertices of the path are a cycle, 0: none. False: end.
    bool (*look)(void *user, int32_t length);
    void *user;
    int64_t steps;     // since the last look
    int64_t nodes;
} search_lists;

mco_status search_lists_make(mco_context *ctx, int32_t n, search_lists *out);
void search_lists_clear(mco_context *ctx, search_lists *lists);
double search_lists_bytes(int32_t n);

// Searches this root; false if look() ended it.
bool search_lists_root(const search_block *block, search_lists *lists, int32_t root);

#endif
