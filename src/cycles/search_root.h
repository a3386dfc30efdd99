// SPDX-License-Identifier: MIT
// Roots of the search: the rows of bits over the vertices behind a root, and the nodes with which its search begins.
#ifndef MCO_CYCLES_SEARCH_ROOT_H
#define MCO_CYCLES_SEARCH_ROOT_H

#include "cycles/search.h"

// What all workers read: the block by label, the vertices that cycles must hold first.
typedef struct search_block {
    cycles_job *job;
    const search_build *build;
    graph_simple out, in;      // arcs out of and into each vertex; `in` is empty if undirected
    int32_t *vertex;           // [n] of the block
    int32_t *block_vertex;     // [n] of the whole graph, for lists
    int32_t roots;             // vertices 0..roots - 1 are roots
    int32_t required;          // vertices 1..required must be held too
    search_rows rows;          // of the whole block; words 0: each root has its own
    uint64_t *bits;            // of these
    int32_t least;             // words
} search_block;

// A worker's view of one root.
typedef struct search_root {
    int32_t root;              // by label
    int32_t local;             // its number in the rows
    uint64_t *bits;            // [3 * most * words] rows of its own
    int32_t *number;           // [n] vertex of the rows + 1; 0: not in them
    int32_t *vertex;           // [n] by label, of each vertex of the rows
    int32_t vertices;
    bool is_own;               // the rows are its own
} search_root;

// Sorts the block, and makes its rows if it is small. Errors: MEMORY.
mco_status search_block_make(cycles_job *job, const search_choice *choice, search_block *out);
void search_block_clear(search_block *block);

// Memory of a worker's root: bytes that search_root_make() takes.
double search_root_bytes(const search_block *block);
mco_status search_root_make(const search_block *block, search_root *out);
void search_root_clear(mco_context *ctx, search_root *root);

// Turns to the root of this label: gathers the vertices that a cycle through it can hold, as far as lengths allow. Their number;
// beyond `most` of them it stops and returns most + 1. 0: no cycle. If they fit, *rows receives their rows.
int32_t search_root_gather(const search_block *block, search_root *root, int32_t label, int32_t most, search_rows *rows);

// Sets the vertices that every cycle must hold beside the root.
void search_root_require(const search_block *block, const search_root *root, search_walker *walker);

// Pushes the nodes with which the search of the root begins; tallies and lists cycles of length 3 of a directed graph.
void search_root_begin(const search_block *block, const search_root *root, search_walker *walker);

#endif
