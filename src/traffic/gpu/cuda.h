// SPDX-License-Identifier: MIT
// Launchers of traffic assignment on a GPU, in plain C, and the structs that they share with the host. They enqueue on a stream,
// allocate nothing and do not wait. The caller makes the device current and validates the arguments.
//
// On the device a link is called by its slot: links sorted by head, in the order of traffic_problem.into. So a node's slots
// follow each other, and the smallest slot among equally good ones is the parent.
#ifndef MCO_TRAFFIC_GPU_CUDA_H
#define MCO_TRAFFIC_GPU_CUDA_H

#include <stddef.h>
#include <stdint.h>

#include "traffic/model/costs.h"

MCO_BEGIN_C

#define TRAFFIC_GPU_NO_LABEL UINT32_C(0xffffffff)    // no path
#define TRAFFIC_GPU_FAR_LABEL UINT32_C(0xfffffffe)   // a path at least so long
#define TRAFFIC_GPU_NO_SLOT UINT16_C(0xffff)
enum {
    TRAFFIC_GPU_MOST_NODES = 32767, TRAFFIC_GPU_MOST_SLOTS = 65535,  // of trees in shared memory
    TRAFFIC_GPU_MOST_CLIMBED = 65535, TRAFFIC_GPU_MOST_DEGREE = 255,  // vertices, links of a vertex
    TRAFFIC_GPU_FEW = 4,             // slots of most nodes, at most
    TRAFFIC_GPU_KEPT = 6,            // slots of a node in registers
    TRAFFIC_GPU_SUMS = 12,           // of a reduction, at most
    TRAFFIC_GPU_MOST_THREADS = 1024
};

// Why the iterations have ended.
typedef enum traffic_gpu_end {
    TRAFFIC_GPU_RUNNING,
    TRAFFIC_GPU_REACHED,             // the gap
    TRAFFIC_GPU_STUCK,               // no direction descends: the labels are no finer
    TRAFFIC_GPU_LOST                 // a destination has no label at any scale
} traffic_gpu_end;

// A slot as trees see it.
typedef struct traffic_gpu_arc {
    uint32_t cost;                   // floor(cost * scale) + 1, below TRAFFIC_GPU_FAR_LABEL
    int32_t tail;
} traffic_gpu_arc;

// What iterations leave for the next ones, on the device.
typedef struct traffic_gpu_state {
    int32_t end;                     // traffic_gpu_end
    int32_t iteration;               // steps that were made
    int32_t memory;                  // earlier directions that the next step may use
    uint32_t greatest;               // label of a destination, of the last trees
    double scale;                    // of costs in labels, a power of two
    double step;                     // the last one
    double fixed_before[2];          // sums of extra * flow of the two points of before
    double total, gap;               // of the last pass
} traffic_gpu_state;

// ---- Trees and loads (trees.cu, relax.cu)

// A slot, and the place of its tail.
typedef struct traffic_gpu_entry {
    int32_t slot;                    // -1: none, and the tail is the head itself
    int32_t tail;
} traffic_gpu_entry;

// The network as relax.cu takes it. Inner nodes are those that paths may pass. Places number them from 0, and the other nodes behind them.
typedef struct traffic_gpu_inner {
    int32_t count;                   // inner nodes; 0: trees.cu finds the trees
    int32_t own;                     // inner nodes of a thread: 1 or 2
    int32_t nodes;
    const int32_t *d_row_place;      // [rows] of the origin
    const int32_t *d_trip_place;     // [trips] of the destination
    const traffic_gpu_entry *d_kept; // [TRAFFIC_GPU_KEPT][nodes] the first slots from inner nodes, ascending
    const int32_t *d_rest_first;     // [2 * nodes + 1] into place v: from 2v on other slots from inner nodes, from 2v + 1 on those from others
    const traffic_gpu_entry *d_rest; // ascending in each range
    uint8_t *d_way;                  // [rows][count] how the tree of the last call enters an inner node (relax.cu)
} traffic_gpu_inner;

typedef struct traffic_gpu_trees {
    int32_t nodes, slots, rows, first_through;
    int32_t threads;                 // of a block
    bool arcs_in_shared;
    bool is_cold;                    // d_parent has no trees
    int32_t pulls;                   // pulls after an evaluation, 1 or more: the first one of all nodes; of a warp between barriers (relax.cu)
    const int32_t *d_first;          // [nodes + 1] slots into a node
    const int32_t *d_out_first, *d_out_head;  // [nodes + 1] [slots] nodes that the links out of a node enter
    const traffic_gpu_arc *d_arc;    // [classes][slots]
    const int32_t *d_row_class, *d_row_origin;  // [rows]
    const int64_t *d_trip_first;     // [rows + 1]
    const int32_t *d_trip_to;
    const uint32_t *d_trip_amount;   // flow * flow scale
    uint16_t *d_parent;              // [rows][nodes] the slot that enters a node: the trees of the last call; NO_SLOT: none
    unsigned long long *d_load;      // [classes][slots] is added to
    const traffic_gpu_state *d_state;
    uint32_t *d_greatest;            // label of a destination; d_state's, or that of one of several GPUs
    unsigned long long *d_rounds;    // [2] evaluations and pulls, or NULL
    bool overlaps;                   // launches may overlap (launch_behind())
    traffic_gpu_inner inner;         // with it the members from arcs_in_shared on, d_out_first, d_out_head and d_parent are not used
} traffic_gpu_trees;

// Shared memory of a block.
size_t traffic_gpu_trees_bytes(const traffic_gpu_trees *plan);

// ---- Loads from labels of a hierarchy (walk.cu, climb.cu)

typedef struct traffic_gpu_walk {
    int32_t slots, rows;             // rows of this launch
    uint32_t less;                   // that weights are below costs: 1 rounds costs down
    int64_t vertices;
    int32_t lanes;                   // labels are [rows / lanes][vertices][lanes], in the order of d_row
    const int32_t *d_row;            // [rows]
    const int32_t *d_row_origin;     // [all rows] ranks
    const int64_t *d_trip_first;     // [all rows + 1]
    const int32_t *d_trip_to;        // ranks
    const uint32_t *d_trip_amount;
    const int32_t *d_range;          // [vertices][2] slots into a rank
    const traffic_gpu_arc *d_arc;    // [slots] of a class; the tail is a rank, ~rank for an end
    const int32_t *d_link;           // [slots]
    const int32_t *d_label;
    unsigned long long *d_load;      // [slots] of the class
    const traffic_gpu_state *d_state;
    uint32_t *d_greatest;
} traffic_gpu_walk;

// Shared memory of a block that climbs.
size_t traffic_gpu_climb_bytes(int64_t vertices);

// ---- Directions and steps (steps.cu)

typedef struct traffic_gpu_steps {
    int32_t slots, classes;
    int32_t blocks, threads;         // traffic_gpu_steps_shape()
    int32_t memory;                  // earlier directions: 0 for fw, 1 for cfw, 2 for bfw
    int32_t search;                  // mco_traffic_line_search
    double gap;                      // the target
    uint32_t longest;                // label that the scale aims at, a power of two
    double flow_unit;                // cars of a unit of loads
    traffic_costs costs;             // arrays of the device [slots]
    const double *d_extra;           // [classes][slots]; NULL: all are 0
    traffic_gpu_arc *d_arc;          // [classes][slots]
    unsigned long long *d_load;      // [classes][slots] 0 after a step
    double *d_flow, *d_before, *d_before_last;  // [slots] flows, and the two points aimed at before
    double *d_class_flow, *d_class_before, *d_class_before_last;  // [classes][slots]; NULL: one class
    double *d_partial;               // [2][blocks][TRAFFIC_GPU_SUMS]
    uint32_t *d_barrier;             // [2] zero before and after a launch
    traffic_gpu_state *d_state;
    double *d_history;               // [history_room][2] gap and objective of step i at i % history_room
    int32_t history_room;
} traffic_gpu_steps;

// The loads of several GPUs, and of the greatest labels the greatest. A word more than loads has the label.
typedef struct traffic_gpu_sum {
    int64_t words;
    int32_t others;
    const unsigned long long *d_mine, *d_others;  // [words], [others][words]
    unsigned long long *d_load;      // [words - 1]
    unsigned long long *d_empty;     // [words] becomes 0
    traffic_gpu_state *d_state;
} traffic_gpu_sum;

#ifdef MCO_HAVE_CUDA
#include <cuda_runtime_api.h>

// By relax.cu where the plan has inner nodes. Shape: allows the shared memory. *blocks: how many are on a multiprocessor at once; 0: it does not fit.
cudaError_t traffic_gpu_trees_shape(const traffic_gpu_trees *plan, int *blocks);
cudaError_t traffic_gpu_launch_trees(const traffic_gpu_trees *plan, cudaStream_t stream);
// Chooses threads for plan->inner.count nodes: a node each if plan->threads suffice, else two. False: there are too many nodes.
bool traffic_gpu_relax_divide(traffic_gpu_trees *plan);
cudaError_t traffic_gpu_relax_shape(const traffic_gpu_trees *plan, int *blocks);
cudaError_t traffic_gpu_launch_relax(const traffic_gpu_trees *plan, cudaStream_t stream);
// Costs in labels as weights of the links [links].
cudaError_t traffic_gpu_launch_weigh(const traffic_gpu_walk *plan, int32_t *d_weight, cudaStream_t stream);
// Labels by rows, [rows][vertices], by vertex of the problem; d_vertex [vertices] of a rank. Far ones are MCO_PATHS_NONE at most.
cudaError_t traffic_gpu_launch_spread(const traffic_gpu_walk *plan, const int32_t *d_vertex, int32_t *d_out, cudaStream_t stream);
cudaError_t traffic_gpu_launch_walk(const traffic_gpu_walk *plan, cudaStream_t stream);
// The same by trees in shared memory. Links into a node, and out of it, are TRAFFIC_GPU_MOST_DEGREE at most.
cudaError_t traffic_gpu_climb_prepare(size_t bytes);
cudaError_t traffic_gpu_launch_climb(const traffic_gpu_walk *plan, cudaStream_t stream);
// Chooses blocks and threads, at most as many as are on the device at once.
cudaError_t traffic_gpu_steps_shape(traffic_gpu_steps *plan, int multiprocessors);
// Costs of the flows as they are, and empty loads: before the first trees.
cudaError_t traffic_gpu_launch_costs(const traffic_gpu_steps *plan, cudaStream_t stream);
cudaError_t traffic_gpu_launch_sum(const traffic_gpu_sum *plan, cudaStream_t stream);
// A step from the loads of the last trees; does nothing once state.end is set.
cudaError_t traffic_gpu_launch_step(const traffic_gpu_steps *plan, cudaStream_t stream);
#endif

MCO_END_C
#endif
