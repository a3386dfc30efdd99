// SPDX-License-Identifier: MIT
// Tables of a hierarchy for a GPU, made once per topology on the host: the triangles by level, the network's arcs of each
// weight, and the cells by which trees are swept.
//
// A cell is a forest of a few dozen vertices and the vertices above that they lead to, its boundary. Cells come in tiers. Tier 0
// has whole subtrees of the elimination tree, tier 1 subtrees of what is left, and so on up to the roots. A sweep takes the
// tiers from the top; the cells of a tier do not depend on each other. Vertices with longer rows than a cell's boundary may
// be, and all above them, are swept level by level before the cells.
//
// Plain C, without CUDA: tests walk through the tables on the host.
#ifndef MCO_PATHS_TABLES_H
#define MCO_PATHS_TABLES_H

#include "paths/hierarchy/cuda.h"
#include "paths/hierarchy/hierarchy.h"

enum { PATHS_MAX_TIERS = 256 };

// Bounds of a cell. Zero members take the defaults.
typedef struct paths_cell_bounds {
    int32_t leaf_nodes;  // of a cell of tier 0
    int32_t nodes;       // of another cell, at most 1024 like leaf_nodes
    int32_t boundary;    // vertices above a cell, at most 1024; longer rows are swept by levels
    int32_t arcs;        // of a cell, at least `boundary`, at most 8192
} paths_cell_bounds;

typedef struct paths_tier {
    int32_t cell_first, cells;
    // The greatest of any cell of the tier.
    int32_t rows;        // boundary and nodes
    int32_t nodes;
    int32_t arcs;        // a multiple of 2
} paths_tier;

typedef struct paths_tables {
    int32_t *size;           // [vertices] vertices of the subtree, the vertex included
    // Trees
    paths_tier tier[PATHS_MAX_TIERS];
    int32_t tiers;
    paths_cell *cell;        // [cells]
    int32_t cells;
    paths_node *node;        // [nodes] a cell's nodes by level, then one that ends the last row
    int32_t nodes;
    int32_t *boundary;       // [boundaries]
    int32_t boundaries;
    int32_t *level;          // [levels] first node of each level of a cell, and its node count
    int32_t levels;
    int32_t *arc_end;        // [arcs] row * 32 of the cell, or the vertex of the levels' part, where the arc ends
    int32_t *arc_id;         // [arcs] the hierarchy's arc
    int32_t arcs;
    // What is swept level by level: nodes high_first .. high_first + high_count - 1, then one that ends the last row.
    int32_t high_first, high_count;
    int32_t *high_level;     // [high_levels + 1] counted from high_first
    int32_t high_levels;
    int32_t end_arcs;        // arcs with an end of paths at their upper end
    // Customising
    int64_t *triangle_level; // [triangle_levels + 1]
    int32_t triangle_levels;
    int32_t *left, *right;   // [triangles] the two arcs of a vertex
    int32_t *target;         // [triangles] the arc between their heads
    int32_t *origin;         // [2 * arcs of the hierarchy] the network's arc; -1: none; -2 - k: `more` from k on
    int32_t *more;           // [more_count] lists of arcs, each behind its length
    int32_t more_count;
} paths_tables;

// Errors: ARGUMENT (bounds out of range), MEMORY. O(triangles + arcs log vertices).
mco_status paths_tables_make(mco_context *ctx, const paths_topology *topology, int64_t network_arcs,
                             const paths_cell_bounds *bounds, paths_tables *out);
void paths_tables_clear(mco_context *ctx, paths_tables *tables);

#endif
