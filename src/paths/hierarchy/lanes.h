// SPDX-License-Identifier: MIT
// The inner loops of queries over a customizable hierarchy. They are compiled for each vector unit (base/lanes.h); all builds give
// equal numbers. Labels are in [0, MCO_PATHS_NONE], weights too, so the sum of two fits 32 bits, and a minimum with a label that
// stands there already keeps the range.
#ifndef MCO_PATHS_HIERARCHY_LANES_H
#define MCO_PATHS_HIERARCHY_LANES_H

#include <stdatomic.h>

#include "base/simd.h"
#include "paths/hierarchy/hierarchy.h"

enum {
    PATHS_CHUNK = 16,       // items of a chunk on every vector unit
    PATHS_MOST_LANES = 64,  // trees of a sweep
    PATHS_ARCS_AHEAD = 24   // arcs behind the last one that a certificate looks at
};

// What a way up needs. Labels by height: MCO_PATHS_NONE everywhere between two calls.
typedef struct paths_climb {
    const paths_topology *topology;
    const paths_metric *metric;
    int32_t *from, *to;  // [height + 64]
} paths_climb;

// Rows of a sweep over one tree: vertices sorted by (level, degree), 16 a chunk; a chunk with rows of at most k arcs has k slots
// of 16 arcs.
typedef struct paths_chunks {
    int32_t count;          // chunks
    const int64_t *first;   // [count + 1] slots of 16 arcs
    const int32_t *head;    // [16 * slots] places of heads
    const int32_t *weight;  // [16 * slots]
    int32_t *label;         // [16 * count] by place; those of `is_begun` chunks are set before the sweep, and only they
    bool *is_begun;         // [count] false between two sweeps
} paths_chunks;

// Rows of a sweep over many trees, by descending rank.
typedef struct paths_lane_rows {
    int32_t vertices;
    const int32_t *first;   // [vertices + 1]
    const int32_t *head;    // [arcs]
    const int32_t *weight;  // [arcs] MCO_PATHS_NONE where the head ends paths
    bool *is_begun;         // [vertices] false between two sweeps
    int32_t *label;         // [vertices][lanes]
} paths_lane_rows;

// The arcs of a network by their heads; vertices are called by rank. In a row, arcs first .. zero - 1 have positive weights, zero ..
// end - 1 have weight 0, the others come from vertices that end paths.
typedef struct paths_incoming {
    int32_t vertices;
    const int32_t *first, *zero, *end;  // [vertices + 1], [vertices], [vertices]
    const int32_t *tail;    // [arcs + PATHS_ARCS_AHEAD]
    const int32_t *weight;  // [arcs]
    const int32_t *arc;     // [arcs] of the network, ascending in each part of a row
    bool has_zero;
} paths_incoming;

// What the certificate of many trees says; bit j stands for lane j.
typedef struct paths_verdict {
    uint64_t wrong;      // a label is not the least sum over the arcs that arrive
    uint64_t overflow;   // a vertex without a label has a neighbour with one: its distance is too large
    uint64_t pending;    // some labels rest on arcs of weight 0 alone
    int64_t reached;     // labels of the first `count` lanes
} paths_verdict;

// 16 targets of a matrix, by ascending rank, and their labels by depth. A source outside the range of these ranks shares min(near,
// inner[j]) ancestors with target j: near ancestors with the target at its end of the range.
typedef struct paths_panel {
    const int32_t *down;    // [depth][16]
    const int32_t *inner;   // [16] common ancestors of target j and of the target at that end of the range
    int32_t near;
    int32_t least, most;    // of min(near, inner[j])
} paths_panel;

typedef struct paths_lanes {
    mco_build build;
    // The distance by the ways up of both ends.
    int32_t (*query)(const paths_climb *climb, int32_t source, int32_t target);
    // Distances from (or, by the weights, to) a vertex to all of its ancestors: label [depth + 1] by depth.
    void (*climb)(const paths_climb *climb, const int32_t *weight, int32_t vertex, int32_t *label);
    // Distances of all labels; false: *stop was set.
    bool (*sweep_one)(const paths_chunks *chunks, const atomic_bool *stop);
    bool (*sweep_many)(const paths_lane_rows *rows, int32_t lanes, const atomic_bool *stop);
    // Copies labels by place to the network's order: out[v] = label[place[v]].
    void (*copy)(const int32_t *label, const int32_t *place, int32_t vertices, int32_t *out);
    // Copies the first `count` lanes: out[j * stride + v] = label[place[v]][j].
    void (*copy_many)(const int32_t *label, int32_t lanes, const int32_t *place, int32_t vertices, int32_t count, int32_t *out,
                      int64_t stride);
    // Certifies trees; grounded [vertices] gets masks of the lanes whose label rests on a positive
    // arc or is the source's, if there are arcs of weight 0.
    bool (*certify)(const paths_incoming *in, int32_t lanes, int32_t count, const int32_t *source, const int32_t *label,
                    uint8_t *is_source, uint64_t *grounded, paths_verdict *verdict, const atomic_bool *stop);
    // The first tight arcs of positive weight, out [vertices][lanes]; INT32_MAX: none. The labels are certified. False: *stop was set.
    bool (*parents)(const paths_incoming *in, int32_t lanes, const int32_t *source, const int32_t *label, int32_t *out,
                    const atomic_bool *stop);
    // row[i] = min(row[i], add + other[i]), i < count rounded up to 16.
    void (*lower)(int32_t *row, const int32_t *other, int32_t add, int32_t count);
    // The least sum of the first `count` entries.
    int32_t (*least_sum)(const int32_t *a, const int32_t *b, int32_t count);
    // out[j] = the least sum over the common ancestors of a source with label `up` and of target j.
    void (*panel)(const paths_panel *panel, const int32_t *up, int32_t out[PATHS_CHUNK]);
} paths_lanes;

// The build for `simd`; AUTO: the widest. Errors: ARGUMENT.
mco_status paths_lanes_find(mco_context *ctx, mco_simd simd, const paths_lanes **out);

#endif
