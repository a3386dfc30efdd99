// SPDX-License-Identifier: MIT
// From a graph to the blocks in which chordless cycles are possible, and the triangles of a graph.
#ifndef MCO_CYCLES_BLOCKS_H
#define MCO_CYCLES_BLOCKS_H

#include "cycles/block.h"

typedef struct cycles_blocks {
    graph_simple graph;   // the whole graph without loops and parallel edges; its arcs if the cycles are directed
    cycles_block *block;  // [count]
    int32_t count;
    bool is_forest;       // an undirected graph without any cycle
    int64_t digons;       // pairs of opposite arcs of a directed graph
    int64_t bytes;        // of these arrays; finding the blocks takes up to about three times as much for a while
    int64_t *first;       // the arrays of all blocks, one after the other
    int32_t *head, *vertex;
} cycles_blocks;

// Finds the blocks. Undirected: every chordless cycle longer than 3 is in exactly one block. Every block has 4 vertices or
// more, and a cycle, unless the search for simplicial vertices gave up. Directed: the same for all chordless cycles, 3 and
// longer, but a block may be without a cycle. Only blocks that hold all vertices through[through_count], which are in range.
// The vertices of a block ascend. Errors: MEMORY. O(vertices + arcs), directed O((vertices + arcs) log degree), and a bounded
// number of steps for each arc in the search for simplicial vertices. If `run`, which may be NULL, must stop, it ends with OK
// and the blocks so far; it looks between passes over the graph, and while blocks are made.
mco_status cycles_blocks_make(mco_context *ctx, mco_run *run, const mco_graph_rows *rows, bool is_directed,
                              const int32_t *through, int32_t through_count, cycles_blocks *out);
void cycles_blocks_clear(mco_context *ctx, cycles_blocks *blocks);

// Takes a triangle, its vertices ascend. False: no more is wanted.
typedef bool (*cycles_take_triangle)(const int32_t triangle[3], void *user);

// Counts the triangles of an undirected graph that hold all vertices through[through_count], and hands each to `take`, if that
// is not NULL. The count is of what was found until `take` said so or the run had to stop; *count includes the last one that
// was taken. Errors: MEMORY. O(arcs * sqrt(arcs)).
mco_status cycles_triangles(mco_context *ctx, mco_run *run, const graph_simple *graph, const int32_t *through,
                            int32_t through_count, cycles_take_triangle take, void *user, int64_t *count);

#endif
