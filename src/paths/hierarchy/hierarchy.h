// SPDX-License-Identifier: MIT
// The inside of a customizable hierarchy (Dibbelt, Strasser, Wagner 2016). Vertices are called by rank: ranks are a post-order of the
// elimination tree, so the upper neighbours of a vertex are among its ancestors, which form one chain. An array of `height`
// entries indexed by height (0 at the deepest level, height - 1 at the root) is the scratch of a query.
//
// Ends (is_end) lie below all others. A way up from a source, or down to a target, leaves no other end: only ends are below an
// end. So a search skips the row of every end but the source's and the target's own, and the two ways never meet at another end.
#ifndef MCO_PATHS_HIERARCHY_H
#define MCO_PATHS_HIERARCHY_H

#include "base/run.h"
#include "base/team.h"
#include "paths/network.h"

// What depends on the order alone.
typedef struct paths_topology {
    int32_t vertices;
    int32_t height;        // most vertices on a way from a vertex to its root
    int32_t arcs;          // pairs (vertex, upper neighbour)
    int64_t triangles;     // pairs of arcs of one vertex that paths may pass through
    int32_t *vertex;       // [vertices] the network's vertex of a rank
    int32_t *rank;         // [vertices] of the network's vertex
    int32_t *parent;       // [vertices] the least upper neighbour; -1: a root
    int32_t *lowest;       // [vertices] the subtree of v is lowest[v] .. v
    int32_t *depth;        // [vertices] 0 at roots
    int32_t *first;        // [vertices + 1] arcs first[v] .. first[v + 1] - 1 lead up from v
    int32_t *head;         // [arcs] ascending in each row
    uint16_t *head_height; // [arcs + 64] height - 1 - depth[head]
    int32_t *tail_at;      // [vertices] the first arc from which on head_height counts up by one to the end of the row
    int32_t *down_first;   // [vertices + 1] the same arcs by their heads
    int32_t *down_arc;     // [arcs] arcs whose head is v, by ascending tail
    int32_t *down_tail;    // [arcs]
    bool *is_end;          // [vertices] paths do not pass through; NULL: none
    int64_t *triangle_first; // [vertices + 1] how many triangles come before those of v
    int32_t *slot;         // [arcs of the network] 2 * arc + direction (0: up, 1: down); -1: a loop
    int32_t origins;       // arcs of the network that are no loops
    int32_t *origin;       // [origins] these arcs by ascending slot
    int32_t *origin_slot;  // [origins] their slots
} paths_topology;

// Weights of one metric. A customised weight is the length of a shortest path through vertices of lower rank.
typedef struct paths_metric {
    int32_t *pair;  // [2 * arcs + 64] up (tail to head) and down (head to tail) side by side
    int32_t *up;    // [arcs + 64] the same apart
    int32_t *down;  // [arcs + 64]
} paths_metric;

struct mco_paths_hierarchy {
    mco_paths_network *network;  // owned, as given
    mco_paths_network *expanded; // owned: the network with turns as arcs; NULL: has none
    int32_t *order;              // [vertices of network] as found or given
    int32_t *entry;              // [vertices of network] of expanded: where paths begin; they end at v itself; NULL if not expanded
    int64_t *plain_arc;          // [arcs of expanded] arc of the network, -1: none; NULL if not expanded
    int32_t *turn_cost;          // [arcs of expanded] what the arc adds to the weight of plain_arc; NULL if not expanded
    paths_topology topology;     // of expanded, if there is one
    paths_metric metric;
    paths_metric spare;          // where new weights are customised, so that a call that is stopped changes nothing; owned, empty before
    int64_t metric_number;       // how many metrics it has had: what was made of an older one takes the weights anew
    struct paths_kept *kept;     // what calls leave behind for the next one (kept.c)
    int32_t *triangle;           // [triangles] the arc between the heads of two arcs, in the order of customising; NULL: too many
    mco_paths_hierarchy_facts facts;
};

// What building may use, and when it ends. The context's cancellation ends it too.
typedef struct paths_limits {
    double memory;  // bytes
    double stop_s;  // by mco_clock_s(); infinite: never
} paths_limits;

// Any thread may ask. A building loop asks at least every 0.1 s, but for one row.
bool paths_limits_must_stop(const mco_context *ctx, const paths_limits *limits);

// ---- order.c: the order of elimination. *order [vertices] is the caller's. Errors: MEMORY, STOPPED.
mco_status paths_order_find(mco_context *ctx, const mco_paths_rows *rows, mco_run *run, int32_t threads, int32_t **order, char by[16]);

// ---- topology.c. `rows` have no turns; `order` [vertices] is a permutation. Ends are moved before all others. Errors: LIMIT, MEMORY.
// O(arcs of the network and of the hierarchy). What would take more memory than the limits allow, or more than 2^35 triangles, is
// refused (LIMIT) before it is built. `limits` NULL: none, and never stopped. Else STOPPED is an error as well.
mco_status paths_topology_make_within(mco_context *ctx, const mco_paths_rows *rows, const int32_t *order, const paths_limits *limits,
                                      paths_topology *out);
mco_status paths_topology_make(mco_context *ctx, const mco_paths_rows *rows, const int32_t *order, paths_topology *out);
void paths_topology_clear(mco_context *ctx, paths_topology *topology);

// ---- customise.c: takes weights [arcs of the rows] and makes the metric. `triangle` may be NULL. O(triangles).
mco_status paths_triangles_make(mco_context *ctx, const paths_topology *topology, int32_t **triangle);
mco_status paths_triangles_make_within(mco_context *ctx, const paths_topology *topology, const paths_limits *limits, int32_t **triangle);
mco_status paths_metric_open(mco_context *ctx, const paths_topology *topology, paths_metric *out);
mco_status paths_metric_make(mco_context *ctx, const paths_topology *topology, const int32_t *triangle, int64_t network_arcs,
                             const int32_t *weight, int32_t threads, paths_metric *metric);
// The same with limits, of which stop_s counts. After STOPPED the metric is not usable.
mco_status paths_metric_make_within(mco_context *ctx, const paths_topology *topology, const int32_t *triangle, const int32_t *weight,
                                    int32_t threads, const paths_limits *limits, paths_metric *metric);
// The plain loop over lower triangles: the oracle.
void paths_metric_ref(const paths_topology *topology, int64_t network_arcs, const int32_t *weight, paths_metric *metric);
void paths_metric_clear(mco_context *ctx, paths_metric *metric);

// ---- turns.c: a network in which turns are arcs. A vertex v with turns is split; v itself is where paths into v end. So the distance
// from s to v is that from entry[s] to v in `expanded`, also for v = s. The arcs of a path are its plain_arc that are not -1.

// ---- query.c, sweep.c, labels.c: on cores. `simd` as in mco_paths_params. A hierarchy that takes new weights keeps its queries; sweeps
// and labels take the weights when they are asked to. Errors of all: ARGUMENT (the vector unit), LIMIT, MEMORY.

// Scratch of one thread.
typedef struct paths_query paths_query;
mco_status paths_query_open(mco_context *ctx, const mco_paths_hierarchy *hierarchy, mco_simd simd, paths_query **out);
int32_t paths_query_distance(paths_query *query, int32_t source_rank, int32_t target_rank);  // MCO_PATHS_NONE: no path
void paths_query_close(mco_context *ctx, paths_query **query);

// Rows by level, 16 a chunk, and weights in that order; with scratch for one tree at a time.
typedef struct paths_sweep paths_sweep;
mco_status paths_sweep_open(mco_context *ctx, const mco_paths_hierarchy *hierarchy, mco_simd simd, paths_sweep **out);
void paths_sweep_weigh(paths_sweep *sweep);  // takes the metric as it is now
// distance [vertices] by the network's vertices. False: *stop was set, and the sweep is to be closed. `stop` NULL: nothing stops it.
bool paths_sweep_tree(paths_sweep *sweep, int32_t source_rank, int32_t *distance, const atomic_bool *stop);
// `lanes` trees at once (16, 32 or 64), distance [vertices][lanes] by rank.
void paths_sweep_trees(paths_sweep *sweep, int32_t lanes, const int32_t *source_rank, int32_t *distance);
void paths_sweep_close(mco_context *ctx, paths_sweep **sweep);

// Distances to and from all ancestors of every vertex.
typedef struct paths_labels paths_labels;
mco_status paths_labels_open(mco_context *ctx, const mco_paths_hierarchy *hierarchy, mco_simd simd, int32_t threads,
                             paths_labels **out);
mco_status paths_labels_weigh(mco_context *ctx, paths_labels *labels, int32_t threads);  // takes the metric as it is now
int32_t paths_labels_distance(const paths_labels *labels, int32_t source_rank, int32_t target_rank);
const int32_t *paths_labels_up(const paths_labels *labels, int32_t rank);    // [depth + 1] by depth
const int32_t *paths_labels_down(const paths_labels *labels, int32_t rank);  // the same
int64_t paths_labels_bytes(const paths_topology *topology);  // that they take
void paths_labels_close(mco_context *ctx, paths_labels **labels);

// ---- kept.c: what one call leaves behind for the next: tables of a sweep, threads that customise, and threads for batches. A call takes it out and gives it
// back, so any number of threads may use one hierarchy; those that find nothing make their own. Only calls with the context that made the
// hierarchy keep anything, for it is freed with this context's allocator.
mco_status paths_kept_open(mco_context *ctx, struct paths_kept **out);
void paths_kept_close(mco_context *ctx, struct paths_kept **kept);
// A sweep with the metric as it is now. Errors: as paths_sweep_open().
mco_status paths_sweep_take(mco_context *ctx, const mco_paths_hierarchy *hierarchy, mco_simd simd, paths_sweep **out);
void paths_sweep_give(mco_context *ctx, const mco_paths_hierarchy *hierarchy, paths_sweep **sweep);
// A supervised team of `workers` threads, which sleep while no call has it. Errors: MEMORY.
mco_status paths_team_take(mco_context *ctx, const mco_paths_hierarchy *hierarchy, int32_t workers, mco_team **out);
void paths_team_give(mco_context *ctx, const mco_paths_hierarchy *hierarchy, mco_team **team);
// Whether the metric as it is now has been proven (proof.h), whether any has, and the note that this one has. Any thread and context.
bool paths_kept_is_proven(const mco_paths_hierarchy *hierarchy);
bool paths_kept_has_proven(const mco_paths_hierarchy *hierarchy);
void paths_kept_note_proven(const mco_paths_hierarchy *hierarchy);
// Makes the metric anew, by threads that wait for it, and counts it. After an error it is as it was. Errors: ARGUMENT, STOPPED, MEMORY.
mco_status paths_metric_remake(mco_context *ctx, mco_paths_hierarchy *hierarchy, const int32_t *weight, int32_t threads, mco_simd simd,
                               const paths_limits *limits);

// ---- gpu.c: one GPU. Launches take about 0.1 s at most; barriers of kernels end because all blocks are on the device.
#ifdef MCO_HAVE_CUDA
#define PATHS_HAS_DEVICE_TREES
#endif
typedef struct paths_device_hierarchy paths_device_hierarchy;
// Opens the GPU of the set `gpus` (bit k: GPU k; 0: the first one), and customises with the network's weights. The
// hierarchy stays with the caller and must outlive the device's copy. Errors: ARGUMENT, DEVICE, LIMIT (more device memory than
// there is, with both numbers), MEMORY.
mco_status paths_device_open(mco_context *ctx, const mco_paths_hierarchy *hierarchy, uint64_t gpus, paths_device_hierarchy **out);
// Takes new weights [arcs of the network]. The hierarchy on the host stays as it is. device_s: kernel time; NULL: not wanted.
mco_status paths_device_customise(mco_context *ctx, paths_device_hierarchy *device, const int32_t *weight, double *device_s);
// Trees of `count` sources, the network's vertices. distance [count][vertices] on the host by the network's vertices, or NULL: the labels
// stay on the device. Memory from cudaHostAlloc() or cudaHostRegister() takes the copies at the speed of the bus. device_s: kernel time; copy_s: wall time of transposing and copying, not in device_s. Errors: LIMIT
// (labels that must stay and do not fit, with both numbers), STOPPED (run->stop says why), MEMORY, DEVICE.
mco_status paths_device_trees(mco_context *ctx, paths_device_hierarchy *device, mco_run *run, int64_t count, const int32_t *source,
                              int32_t *distance, double *device_s, double *copy_s);
// Distances of queries, distance [count] on the host. Errors: STOPPED, MEMORY, DEVICE.
mco_status paths_device_queries(mco_context *ctx, paths_device_hierarchy *device, mco_run *run, int64_t count,
                                const int32_t *source, const int32_t *target, int32_t *distance, double *device_s);
void paths_device_close(mco_context *ctx, paths_device_hierarchy **device);

#endif
