// SPDX-License-Identifier: MIT
// Inner loops of q-paths on cores (q_lanes.c), compiled once for each vector unit.
//
// Targets come in groups of 16, one a lane. All candidates of a target for one load before it are keys: value << bits | place,
// `place` the index of the node before in a block of 2^bits nodes. So two minima of keys give both values and both nodes, ties by
// index. The end of a block unpacks the keys and folds them into values and nodes. Fewer bits leave more range to the values.
#ifndef MCO_VRP_BOUND_RELAX_Q_LANES_H
#define MCO_VRP_BOUND_RELAX_Q_LANES_H

#include "base/simd.h"
#include "vrp/bound/problem.h"

enum { VRP_Q_GROUP = 16, VRP_Q_MOST_BITS = 8, VRP_Q_BLOCK = 1 << VRP_Q_MOST_BITS };

// As keys. Sources have keys in [-2^29, 2^29 - greatest arc), or VRP_Q_NO_SOURCE + 2^bits at most; an arc that is absent is
// VRP_Q_ABSENT; all others are greater than -2^29. So no sum leaves 32 bits, and sums from VRP_Q_NO_KEY on are none.
enum { VRP_Q_NO_KEY = 1 << 29, VRP_Q_ABSENT = 1 << 30 };

static inline int32_t vrp_q_no_source(int bits)
{
    return VRP_Q_ABSENT - (1 << bits);
}

// The paths of one direction. Cell (group, load before, lane): cells_of[group] + VRP_Q_GROUP * load before + lane.
typedef struct vrp_q_paths {
    int32_t nodes, groups;
    int32_t key_stride;            // nodes, rounded up to a multiple of VRP_Q_GROUP
    const int32_t *group_of, *lane_of;  // [nodes] of a node as target
    const int64_t *where;          // [nodes] cell (load, node) is where[node] + VRP_Q_GROUP * load
    int32_t *panels;               // [groups * nodes * VRP_Q_GROUP] arcs to the targets, << bits
    int32_t *value, *before, *second, *second_before;  // [cells]
    int32_t *key;                  // [(capacity + 1) * key_stride] sources: f(load, j) << bits | j & mask
    int32_t *head;                 // [(capacity + 1) * groups] the first source whose node before lies in the group; -1: none
    int32_t *next;                 // [(capacity + 1) * key_stride] the next of them, ascending
    int bits;
    int32_t least, most;           // values of paths that may be sources
} vrp_q_paths;

// One group, the loads before of [begin, end).
typedef struct vrp_q_task {
    const vrp_q_paths *paths;
    int32_t group, begin, end;
    int64_t cells;                 // cells_of[group]
    const int32_t *last;           // [VRP_Q_GROUP] the greatest load before of each target; -1: no target
} vrp_q_task;

typedef struct vrp_q_lanes_variant {
    mco_build build;
    // Writes the cells. Returns false if a value lies outside [least, most].
    bool (*reach)(const vrp_q_task *task);
    // Fills the panels from one row of arcs: out of node `from`, or into it with the transposed arcs. node_of
    // [groups * VRP_Q_GROUP]: the targets, 0: none. Arcs that are absent have VRP_NO_ARC or more.
    void (*panel_row)(const vrp_q_paths *paths, const int32_t *node_of, int32_t from, const int32_t *row);
} vrp_q_lanes_variant;

#endif
