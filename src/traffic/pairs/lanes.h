// SPDX-License-Identifier: MIT
// Inner loops of the method of pairs over 8 rows side by side, compiled once for each vector unit (lanes.c). All builds give equal
// results bit for bit. Plain code calls them through the table of a build.
#ifndef MCO_TRAFFIC_PAIRS_LANES_H
#define MCO_TRAFFIC_PAIRS_LANES_H

#include "base/simd.h"
#include "traffic/pairs/chains.h"
#include "traffic/pairs/scan.h"

// The network as trees see it: labels [label_rows][PAIRS_LANES]. A node below first_through has a label as an end, at its number, and
// another one as a start, behind those of all nodes. So no path passes through it.
typedef struct pairs_graph {
    const traffic_problem *problem;
    int32_t label_rows;
    int32_t *tail_label;  // [links] label row of the tail
    int32_t *into_tail;   // [links] the same by position of problem->into
    pairs_chains chains;
} pairs_graph;

typedef struct pairs_flat {
    int32_t node;
    uint32_t lanes;  // that have no parent yet
} pairs_flat;

// One batch's trees.
typedef struct pairs_trees {
    const pairs_graph *graph;
    const double *cost, *into_cost;  // [links] of the class, by link and by position
    const double *arc_cost;          // [arc_links]
    const double *ahead_cost, *back_cost;  // [slots] of chains; infinite where there is no link
    double *label;      // [label_rows][PAIRS_LANES]
    int32_t *order;     // [nodes - first_through] nodes that paths pass through, in the order of relaxation
    double *junction_label;  // [junctions][PAIRS_LANES]
    int32_t *junction;  // [junctions] their numbers in that order
    int32_t *position;  // [nodes] in the order; labels() overwrites it with places of junctions, by number
    uint64_t *dirty;    // one bit a position; all 0 before and after, unless the trees were stopped
    uint64_t *narrow;   // parents, as in traffic_tree
    int32_t *wide;
    pairs_flat *flat;   // [nodes] room for nodes whose parents need rounds
    uint8_t *is_open;   // [label_rows] lanes without a parent when the round began; all 0 before and after
    int32_t origin[PAIRS_LANES];  // -1: no row
    bool (*must_stop)(void *user);
    void *user;
} pairs_trees;

typedef struct pairs_sums {
    double total, excess;
} pairs_sums;

typedef struct pairs_found {
    int32_t lane, link;
    double reduced;
} pairs_found;

typedef struct pairs_build {
    mco_build build;
    // Labels from scratch at the costs. Returns the relaxations beyond one for each junction, -1 if it was stopped.
    int64_t (*labels)(pairs_trees *t);
    // Parents by labels. Returns false if it was stopped.
    bool (*parents)(pairs_trees *t);
    // Sums over slots. Candidates with excess above the threshold go to found [*count], which has room for all slots and lanes.
    pairs_sums (*scan)(const pairs_trees *t, const pairs_batch *b, double threshold, pairs_found *found, int64_t *count);
    // least[8] = flow that each of the lanes can move off slots [count], 0 for other lanes. Returns the sum.
    double (*least)(const pairs_batch *b, const int32_t *slot, int32_t count, uint32_t lanes, double *least);
    // Moves share * least[8] off `from` and onto `to`. Flows do not fall below 0.
    void (*move)(pairs_batch *b, const int32_t *from, int32_t from_count, const int32_t *to, int32_t to_count, double share,
                 const double *least);
} pairs_build;

// The build for a vector unit. Errors: ARGUMENT (a unit that is not here).
mco_status pairs_pick_build(mco_context *ctx, mco_simd asked, const pairs_build **out);

extern const pairs_build pairs_lanes_portable;
#ifdef MCO_HAVE_AVX512
extern const pairs_build pairs_lanes_avx512, pairs_lanes_avx2;
#endif

#endif
