// SPDX-License-Identifier: MIT
// Launchers of a hierarchy's kernels, in plain C, and the structs that they share with the host. They enqueue on a stream, allocate
// nothing and do not wait. The caller makes the device current and validates the arguments.
#ifndef MCO_PATHS_HIERARCHY_CUDA_H
#define MCO_PATHS_HIERARCHY_CUDA_H

#include <stddef.h>
#include <stdint.h>

#include "mco/compiler.h"

MCO_BEGIN_C

enum {
    PATHS_LANES = 32,           // sources of a group when a lane has one of them
    PATHS_DENSE_NODES = 4,      // of a warp that shares a cell by a matrix of weights
    PATHS_NO_SOURCE = INT32_MAX // rank of a lane without a source
};

// A vertex by rank.
typedef struct paths_vertex {
    int32_t first;    // arc
    int32_t parent;   // -1: a root
    int32_t size;     // of its subtree; negative: paths do not pass through
    uint32_t row;     // length of the row, and its height << 16
} paths_vertex;

// A vertex of a cell. Arcs count from the cell's first one; both parts of a row are of even length, the last arc stands twice
// where they are odd.
typedef struct paths_node {
    int32_t vertex, size;
    int32_t first;    // arcs to the boundary
    int32_t middle;   // arcs to nodes of the cell, up to `first` of the next node
} paths_node;

typedef struct paths_cell {
    int32_t node, nodes;
    int32_t boundary, boundaries;
    int32_t arc, arcs;       // even
    int32_t level, levels;
    int32_t low, high;       // ranks below its nodes lie between
} paths_cell;

// Where an arc of a cell ends, and its weight downwards.
typedef struct paths_cell_arc {
    int32_t end, weight;
} paths_cell_arc;

// ---- Customising (customise.cu)

typedef struct paths_customise_plan {
    int32_t arcs;                    // of the hierarchy
    int32_t levels;
    const int64_t *d_level;          // [levels + 1]
    const int32_t *d_left, *d_right, *d_target;  // [triangles]
    const int32_t *d_origin, *d_more;
    const int32_t *d_weight;         // [arcs of the network]
    int32_t *d_pair;                 // [2 * arcs] up and down
    int32_t *d_up, *d_down;          // [arcs]
    int32_t cell_arcs;
    const int32_t *d_cell_arc_id;    // [cell_arcs]
    paths_cell_arc *d_cell_arc;      // [cell_arcs]
    uint32_t *d_barrier;             // [2] zero before and after a launch
    int32_t blocks, threads;         // paths_customise_shape()
} paths_customise_plan;

#ifdef MCO_HAVE_CUDA
#include <cuda_runtime_api.h>

// Chooses blocks, at most as many as are on the device at once. plan->threads and plan->blocks other than 0 are kept where
// they fit. Errors: InvalidConfiguration if no block fits.
cudaError_t paths_customise_shape(paths_customise_plan *plan, int multiprocessors);
cudaError_t paths_launch_customise(const paths_customise_plan *plan, cudaStream_t stream);

// ---- Trees (trees.cu)

// A step of a source's way up.
typedef struct paths_step {
    int32_t begin, end;  // arcs that are relaxed
    int32_t vertex;
    int32_t before;      // arcs of the way before these
} paths_step;

// A batch of sources, in ascending order of ranks. Labels are [groups][vertices][32 * per_lane].
typedef struct paths_trees_plan {
    int32_t vertices, height;
    int32_t count, groups;
    int32_t per_lane;                // sources of a lane, 1 or 2
    bool overlaps;                   // launches may overlap (launch_behind())
    size_t shared_bytes;             // most of a block
    const paths_vertex *d_vertex;    // [vertices]
    const uint16_t *d_head_height;   // [arcs]
    const int32_t *d_way_arcs;       // [vertices] arcs of all rows from a vertex to its root
    int32_t way_arcs;                // most of a vertex, if blocks walk; 0: warps do
    const int32_t *d_up, *d_down;    // [arcs]
    const int32_t *d_source;         // [groups * 32 * per_lane] ranks
    paths_step *d_step;              // [count][height]
    int32_t *d_steps;                // [count]
    int32_t *d_walk;                 // [count][height] scratch if a walk does not fit into shared memory, else NULL
    const paths_cell *d_cell;
    const paths_node *d_node;
    const int32_t *d_boundary, *d_level;
    const paths_cell_arc *d_cell_arc;
    int32_t high_first;
    const int32_t *d_high_level;
    uint32_t *d_barrier;             // [2] zero before and after a launch
    int32_t high_blocks;             // paths_high_shape()
    // Ends of paths, only where an arc leads up to one.
    const int32_t *d_down_first, *d_down_arc, *d_down_tail;
    int32_t *d_label;
} paths_trees_plan;

typedef struct paths_tier_shape {
    int32_t cell, cells;             // first and number
    int32_t rows, nodes, arcs;       // the greatest of a cell
    int32_t warps;                   // of a block
    bool splits;                     // the warps share the nodes of a cell; else each has a group of its own
    bool is_dense;                   // they share them four by four, also `splits`: warps * PATHS_DENSE_NODES nodes at most
} paths_tier_shape;

size_t paths_tier_bytes(const paths_tier_shape *shape, int per_lane);  // shared memory of a block
size_t paths_walk_bytes(int32_t height);                                // shared memory of a warp
size_t paths_walk_block_bytes(int32_t height, int32_t way_arcs);        // of a block
cudaError_t paths_trees_prepare(size_t shared_bytes);                   // allows the kernels this much shared memory
cudaError_t paths_high_shape(paths_trees_plan *plan, int multiprocessors);
// The ways up, once for all trees of these sources; then the labels on them.
cudaError_t paths_launch_trace(const paths_trees_plan *plan, cudaStream_t stream);
cudaError_t paths_launch_walk(const paths_trees_plan *plan, cudaStream_t stream);
// Levels [begin, end) of what is swept by levels.
cudaError_t paths_launch_high(const paths_trees_plan *plan, int32_t begin, int32_t end, cudaStream_t stream);
cudaError_t paths_launch_tier(const paths_trees_plan *plan, const paths_tier_shape *shape, cudaStream_t stream);
cudaError_t paths_launch_ends(const paths_trees_plan *plan, cudaStream_t stream);
// The labels of a group as rows [32 * per_lane][out_vertices] by the network's vertices. d_rank [out_vertices].
cudaError_t paths_launch_rows(const paths_trees_plan *plan, int32_t group, int32_t out_vertices, const int32_t *d_rank,
                              int32_t *d_out, cudaStream_t stream);

// ---- Queries (queries.cu)

typedef struct paths_queries_plan {
    int32_t height;
    int32_t count;
    size_t shared_bytes;             // most of a block
    const paths_vertex *d_vertex;
    const uint16_t *d_head_height;
    const int32_t *d_up, *d_down;
    const int32_t *d_source, *d_target;  // [count] ranks
    int32_t *d_distance;             // [count]
    int32_t *d_scratch;              // [warps][2 * height] or NULL: in shared memory
    int32_t blocks, warps;           // of the grid, and of a block: paths_queries_shape()
} paths_queries_plan;

// Chooses the grid and whether the scratch is in shared memory; *scratch_words is what d_scratch needs, or 0.
cudaError_t paths_queries_shape(paths_queries_plan *plan, int multiprocessors, size_t *scratch_words);
cudaError_t paths_launch_queries(const paths_queries_plan *plan, cudaStream_t stream);

// ---- Labels of ancestors (queries.cu)

typedef struct paths_label_row {
    int32_t row;                     // of 32 entries
    uint16_t depth, plain;           // plain: ancestors that paths pass through, the vertex included
} paths_label_row;

// A vertex in the order of depths.
typedef struct paths_label_vertex {
    int32_t row, first, end;         // its arcs
    int32_t pad;
} paths_label_vertex;

// Where an arc leads.
typedef struct paths_label_head {
    int32_t row, depth;              // ~depth for an end
} paths_label_head;

typedef struct paths_ancestors_plan {
    int32_t vertices, levels;
    int32_t blocks;                  // paths_ancestors_shape()
    const int32_t *d_level;          // [levels + 1]
    const paths_label_vertex *d_by_depth; // [vertices]
    const paths_label_row *d_row;    // [vertices]
    const paths_label_head *d_head;  // [arcs]
    const uint16_t *d_least;         // [log vertices][vertices] least depth of 1, 2, 4 .. ranks from each one on
    const int32_t *d_up, *d_down;
    int32_t *d_to, *d_from;          // [rows][32] distances to ancestors, and from them
    uint32_t *d_barrier;             // [2] zero before and after a launch
} paths_ancestors_plan;

cudaError_t paths_ancestors_shape(paths_ancestors_plan *plan, int multiprocessors);
// Depths [begin, end).
cudaError_t paths_launch_ancestors(const paths_ancestors_plan *plan, int32_t begin, int32_t end, cudaStream_t stream);
cudaError_t paths_launch_join(const paths_ancestors_plan *plan, const paths_queries_plan *asked, cudaStream_t stream);
#endif

MCO_END_C
#endif
