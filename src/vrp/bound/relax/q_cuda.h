// SPDX-License-Identifier: MIT
// Launchers of the kernels of q-paths (q.cu) and through-q-routes (through.cu), in plain C for the engine (q_gpu.c). They enqueue work
// on a stream, allocate nothing and do not wait. The caller has made the device current. Pointers are to device memory.
#ifndef MCO_VRP_BOUND_RELAX_Q_CUDA_H
#define MCO_VRP_BOUND_RELAX_Q_CUDA_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "mco/compiler.h"

MCO_BEGIN_C

enum {
    VRP_Q_DEVICE_NODES = 65535,     // most: nodes before have 16 bits
    VRP_Q_DEVICE_NO_NODE = 65535,   // the node before where there is no path
    VRP_Q_DEVICE_NO_PATH = 1 << 29, // VRP_NO_PATH
    VRP_Q_DEVICE_NO_ARC = 1 << 28   // VRP_NO_ARC: all arcs from this value on are absent
};

// What a pass tells. All words are 0 before it.
typedef struct vrp_q_control {
    uint32_t barrier[2];   // 0 between launches
    int32_t least_arc;     // of the arcs that are there, and 0
    int32_t greatest_arc;
    int32_t is_out;        // a value left the range of keys
    int32_t out;           // one of these values
} vrp_q_control;

// One direction. Tables have a row for each load, of `stride` cells.
typedef struct vrp_q_device_plan {
    int32_t nodes, stride;          // stride: a multiple of 16, at least nodes
    int32_t capacity, least_demand;
    bool is_symmetric, is_backward; // is_backward: arcs are transposed
    const int32_t *d_arcs;          // [nodes * stride] row i: the arcs out of node i; symmetric ones only to nodes 0..i
    const int32_t *d_demand;        // [nodes]
    int32_t *d_value, *d_second;            // [(capacity + 1) * stride], VRP_Q_DEVICE_NO_PATH: none
    uint16_t *d_before, *d_second_before;   // [(capacity + 1) * stride], VRP_Q_DEVICE_NO_NODE: none
    vrp_q_control *d_control;
    // How it is computed: vrp_q_choose_shape() sets them.
    int32_t shape;                  // index
    bool is_wide;                   // keys of 64 bits
    int32_t targets;                // of a strip
    int32_t strips;
    int32_t groups;                 // of layers; strips * groups units of work a step
    int32_t blocks;
    int32_t layers;                 // of a step: at most least_demand
    int32_t shared_bytes;
    double step_s;                  // that a step may take, an estimate
} vrp_q_device_plan;

// Chooses the shape that is likely to be fastest, or takes shape `asked` where it is >= 0. Returns cudaErrorInvalidConfiguration where
// no shape fits the device: then the rows of arcs of a strip exceed its shared memory (shared_bytes says how much they need).
cudaError_t vrp_q_choose_shape(vrp_q_device_plan *plan, bool is_wide, int32_t asked, int multiprocessors, int shared_bytes_most);
int32_t vrp_q_shapes(void);  // how many there are
// Nodes before as targets, layers of a thread.
void vrp_q_shape_text(int32_t shape, char *text, size_t size);

// Clears the control words, finds the range of arcs, and writes all cells that no step writes.
cudaError_t vrp_q_launch_begin(const vrp_q_device_plan *plan, cudaStream_t stream);
// Makes all paths that leave from loads first, first + 1, .. last - 1; `first` is least_demand plus a multiple of `layers`. Loads up to
// last - 1 + least_demand are complete then.
cudaError_t vrp_q_launch_steps(const vrp_q_device_plan *plan, int32_t first, int32_t last, cudaStream_t stream);

// ---- Through-q-routes of the customers first..last - 1

typedef struct vrp_through_plan {
    vrp_q_device_plan near, far;    // the same tables with a symmetric problem
    bool is_symmetric;
    int32_t *d_ratio_value, *d_ratio_load;  // [nodes]; NULL: no ratios
    int32_t *d_table;               // [(capacity + 1) * nodes]; NULL: no table
    int32_t customers;              // of a block: vrp_through_choose_shape() sets it
    int32_t shared_bytes;
} vrp_through_plan;

// Returns cudaErrorInvalidConfiguration where the loads of one customer exceed the shared memory.
cudaError_t vrp_through_choose_shape(vrp_through_plan *plan, int multiprocessors, int shared_bytes_most);
cudaError_t vrp_through_launch(const vrp_through_plan *plan, int32_t first, int32_t last, cudaStream_t stream);

MCO_END_C

#endif
