// SPDX-License-Identifier: MIT
// What the entry points, the list writers and the checker share.
#ifndef MCO_CYCLES_SOLVE_H
#define MCO_CYCLES_SOLVE_H

#include "cycles/block.h"

// ---- A run over all blocks (cycles.c)

// Who receives the cycles. All functions run on the thread that called. Those but `take` may be NULL.
typedef struct cycles_listener {
    mco_cycles_take take;
    void *user;
    // Comes before all cycles. `graph` is the simple graph, valid until the last call. A failure ends the run.
    mco_status (*begin)(void *user, const graph_simple *graph, bool is_directed);
    // Takes triangles [count], each in ascending order. False: no more is wanted. NULL: triangles come as batches.
    bool (*take_triangles)(void *user, const int32_t (*triangles)[3], int64_t count);
    // Takes the products of a block instead of its batches. False: no more is wanted.
    bool (*take_factors)(void *user, const cycles_block *block, const cycles_factors *factors);
    bool drops_cycles;  // `take` does nothing, so that cycles may stay where they are made
} cycles_listener;

// Counts, and lists to `listener` unless it is NULL. As mco_cycles_count() and mco_cycles_list() say.
mco_status cycles_solve(mco_context *ctx, const mco_graph *graph, const mco_cycles_params *params,
                        const cycles_listener *listener, mco_cycles_result *result);

// ---- The order of the vertices around a cycle (walk.c)

// Adjacency of one graph for walks along sets of its vertices.
typedef struct cycles_walk {
    const graph_simple *graph;  // borrowed
    bool is_directed;
    int32_t words;              // (vertices + 63) / 64
    uint64_t *mask;             // [vertices * words] neighbours, or heads of arcs; NULL: the rows of the graph serve
    uint64_t *rest;             // [words] vertices of the cycle that are not yet walked
} cycles_walk;

// Errors: MEMORY. O(vertices + arcs): masks are made only where the graph is small or has about as many arcs.
mco_status cycles_walk_make(mco_context *ctx, const graph_simple *graph, bool is_directed, cycles_walk *out);
void cycles_walk_clear(mco_context *ctx, cycles_walk *walk);
// Writes the vertices of the set row [words] in their order around the cycle to `out` [vertices]; returns how many they are, 0
// if the walk does not reach all of them. The set is a chordless cycle as the methods make them: that is not tested. The least
// vertex comes first, then the lesser of its neighbours, or the head of its arc. O(length), or O(sum of degrees) without masks.
int32_t cycles_walk_row(cycles_walk *walk, const uint64_t *row, int32_t *out);
// The same, but every vertex must have exactly two neighbours in the set, or the head of one arc: 0 unless the set is a
// chordless cycle.
int32_t cycles_walk_strictly(cycles_walk *walk, const uint64_t *row, int32_t *out);

// The graph that vertices [n] of `graph` induce, numbered in their order. Negative entries in local [graph->vertices] before and
// after. Errors: MEMORY. O(n + sum of degrees), where a degree far above n counts as n log degree.
mco_status cycles_induce(mco_context *ctx, const graph_simple *graph, const int32_t *vertices, int32_t n, int32_t *local,
                         graph_simple *out);

// ---- Binary lists: a header and parts, all little-endian (docs/formats.md)

#define CYCLES_MAGIC "MCOCYC1\n"

typedef struct cycles_list_header {
    char magic[8];
    uint32_t is_factored, is_directed;
    int64_t vertices, edges;  // of the simple graph
} cycles_list_header;

enum {
    CYCLES_PART_VERTICES = 1,   // a: their number; count: words of a row. [a] int32_t from 0, all different
    CYCLES_PART_ROWS = 2,       // count rows over the last vertices
    CYCLES_PART_TRIANGLES = 3,  // count times three int32_t
    CYCLES_PART_FACTORS = 4,    // count segments; cycles_part_factors; segments, left, right and single rows
    CYCLES_PART_END = 5         // count: all cycles of the file
};

// Begins each part. Parts are padded by zeros to a multiple of 8 bytes.
typedef struct cycles_part {
    uint32_t kind, a;
    uint64_t count;
} cycles_part;

typedef struct cycles_part_factors {
    int64_t left_count, right_count, single_count;
} cycles_part_factors;

// ---- Checks

// mco_cycles_check() with memory for the hashes of cycles; beyond it they are sorted on disk. *runs receives how many runs
// were sorted, 0 if none.
mco_status cycles_check_within(mco_context *ctx, const mco_graph *graph, bool is_directed, const char *path, double memory_bytes,
                               int64_t *count, int64_t *runs);

#endif
