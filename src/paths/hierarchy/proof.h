// SPDX-License-Identifier: MIT
// Full certificates of matrices and routes: the metric is proven once, then every answer is found again by code that the methods do not
// use.
//
// Theorem (Dibbelt, Strasser, Wagner 2016). Let the upper neighbours of every vertex that paths may pass be joined, and
//   1. no weight exceed that of an arc of the network between its ends,
//   2. no weight exceed the sum of a lower triangle, in both directions,
//   3. every weight be that of such an arc, or the sum of such a triangle.
// Then the least length of a way up from s and then down to t is the distance from s to t. Proof: by 1 the arcs of a path are arcs of the
// hierarchy that are no longer. While the path has a vertex below both of its neighbours there, 2 replaces the two arcs by one that is no
// longer; it ends as a way up and down. By 3 and induction over the middle vertices each weight is the length of a walk of the network.
// Sums of MCO_PATHS_NONE or more count as no path (reach.h tells these apart).
#ifndef MCO_PATHS_HIERARCHY_PROOF_H
#define MCO_PATHS_HIERARCHY_PROOF_H

#include "paths/hierarchy/query.h"
#include "paths/hierarchy/solve.h"

// ---- proof.c

// Proves what the theorem needs of the order alone, against the arcs of the network: the elimination tree, the places of arcs, and the third
// arcs of triangles. With turns the network is the expansion, which is proven too. O(arcs + triangles). Errors of all: INTERNAL (what fails, and where), STOPPED (the
// call's end), MEMORY.
mco_status paths_topology_prove(mco_context *ctx, const mco_paths_hierarchy *hierarchy);
// Proves the three conditions for the weights as they are now. The topology is proven. O(arcs + triangles).
mco_status paths_metric_prove(mco_context *ctx, const mco_paths_hierarchy *hierarchy);
// Both, as far as they have not been proven yet. Any number of threads may ask.
mco_status paths_metric_prove_once(mco_context *ctx, const mco_paths_hierarchy *hierarchy);

// ---- proof_turns.c. Both do nothing without turns.

// Proves that walks of the expansion are those of the network with its turns. O(pairs of arcs that meet * log turns). Errors: INTERNAL,
// STOPPED, MEMORY.
mco_status paths_turns_prove(mco_context *ctx, const mco_paths_hierarchy *hierarchy);
// Proves that the expansion's weights are those of arcs and turns. O(arcs of the expansion). Errors: INTERNAL.
mco_status paths_turn_weights_prove(mco_context *ctx, const mco_paths_hierarchy *hierarchy);

// ---- proof_answers.c

// Scratch of one thread.
typedef struct paths_recheck {
    const mco_paths_hierarchy *hierarchy;
    int32_t *from, *to;  // [height] labels by height
} paths_recheck;
mco_status paths_recheck_open(mco_context *ctx, const mco_paths_hierarchy *hierarchy, paths_recheck *out);
void paths_recheck_close(mco_context *ctx, paths_recheck *recheck);
// Labels [height] by height of all ancestors of a vertex: up (weight: metric.up), or down to it (metric.down). Entries below the
// vertex's own height are left alone. O(arcs that leave the ancestors).
void paths_recheck_way(const paths_topology *topology, const int32_t *weight, int32_t vertex, int32_t *label);
// The distance by both ways up.
int32_t paths_recheck_pair(paths_recheck *recheck, int32_t source_rank, int32_t target_rank);
// Labels of all ancestors: each row is the least of its sums over the arcs up, and 0 at its own end. With a proven metric such rows
// hold distances. O(arcs * height). Errors: INTERNAL, STOPPED (also by stopper->is_set), MEMORY.
mco_status paths_labels_prove(mco_context *ctx, const paths_labels *labels, const mco_paths_hierarchy *hierarchy, mco_team *team,
                              int32_t workers, paths_stopper *stopper);
// The distance by proven labels; ancestors are found by a walk.
int32_t paths_recheck_labels(paths_recheck *recheck, const paths_labels *labels, int32_t source_rank, int32_t target_rank);

// ---- proof_rows.c

// Finds a matrix again and compares: ways up from the sources, then sweeps down over the ancestors of the targets alone, 16 to 64 sources
// at a time (RPHAST: Delling, Goldberg, Werneck 2011). distance [sources][targets]. The metric is proven first. O(sources * arcs
// that leave ancestors of targets). Errors: INTERNAL (with the pair), STOPPED, MEMORY.
mco_status paths_matrix_prove(mco_context *ctx, const mco_paths_hierarchy *hierarchy, const paths_lanes *lanes, mco_team *team,
                              int32_t workers, mco_run *run, int64_t sources, const int32_t *source, int64_t targets,
                              const int32_t *target, const int32_t *distance);
// Bytes that it takes, at most.
double paths_matrix_proof_bytes(const mco_paths_hierarchy *hierarchy, int32_t workers, int64_t targets);

#endif
