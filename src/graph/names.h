// SPDX-License-Identifier: MIT
// Names of vertices while a file is read: each name once, found by hashing, numbered from 0 in the order of first appearance.
#ifndef MCO_GRAPH_NAMES_H
#define MCO_GRAPH_NAMES_H

#include "base/text.h"

// Zero before use.
typedef struct graph_names {
    char *chars;       // all names, each with its NUL
    int64_t *at;       // [count] where each name begins among the characters
    uint64_t *slots;   // [slot_count] the hash's high half and index + 1; 0: empty
    int64_t used, chars_room, at_room;
    uint64_t slot_count;  // a power of two, at least twice the names
    int32_t count;
} graph_names;

// The index of a name, which is added if it is new. A doubled quote in the slice means one quote if `is_cell`. Errors:
// MEMORY. O(size) expected.
mco_status graph_names_add(mco_context *ctx, graph_names *names, mco_slice name, bool is_cell, int32_t *index);
const char *graph_names_get(const graph_names *names, int32_t index);

// Makes the names of a graph (struct mco_graph) in one block: the vertex v is called by the name order[v], or v where
// `order` is NULL. Where every name is the number of its vertex, from 0 or 1, *out is NULL and *base says which. Errors:
// MEMORY.
mco_status graph_names_block(mco_context *ctx, const graph_names *names, const int32_t *order, char ***out, int32_t *base);
// The same from numbers [count].
mco_status graph_numbers_block(mco_context *ctx, const int32_t *numbers, int32_t count, char ***out, int32_t *base);
void graph_names_clear(mco_context *ctx, graph_names *names);

#endif
