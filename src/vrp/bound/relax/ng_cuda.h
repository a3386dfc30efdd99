// SPDX-License-Identifier: MIT
// Launchers of the kernels of dense ng tables (ng.cu), in plain C for the engine (ng_gpu.c). They enqueue work on a stream, allocate
// nothing and do not wait. The caller has made the device current. Pointers are to device memory.
#ifndef MCO_VRP_BOUND_RELAX_NG_CUDA_H
#define MCO_VRP_BOUND_RELAX_NG_CUDA_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "mco/compiler.h"

MCO_BEGIN_C

enum {
    VRP_NG_DEVICE_NO_PATH = 1 << 29,  // VRP_NO_PATH
    VRP_NG_DEVICE_NO_ARC = 1 << 28,   // VRP_NO_ARC: all arcs from this value on are absent
    VRP_NG_DEVICE_APART = 1 << 30,    // VRP_NG_APART
    VRP_NG_DEVICE_LEAST_SETS = 32, VRP_NG_DEVICE_MOST_SETS = 1 << 13
};

// A near pair. Set m of `to` reads entry low[m % 32] | high[m / 32] of `from`.
typedef struct vrp_ng_device_near {
    int32_t from, arc;
    uint32_t needed;   // only sets of `to` that have this bit are allowed; 0: all
} vrp_ng_device_near;

// Words of `high` for a pair: an even number, because they are copied by twos.
static inline MCO_HD int32_t vrp_ng_highs(int32_t sets)
{
    return sets <= 64 ? 2 : sets / 32;
}

// A path to trace, and the place of its first customer in the room for it.
typedef struct vrp_ng_device_ending {
    int32_t node, load, begin;
} vrp_ng_device_ending;

// All directions of a pass. A row is a load that the demands of some customers add up to; only these have cells.
typedef struct vrp_ng_device_plan {
    int32_t nodes, stride, capacity;  // stride: a multiple of 16, at least nodes
    int32_t sides;                    // 1, or 2
    int32_t first_side;               // 1: the first one has the transposed arcs; else the second one has them
    bool is_symmetric;                // then there is one side
    int32_t sets;                     // a power of 2 in VRP_NG_DEVICE_LEAST_SETS..VRP_NG_DEVICE_MOST_SETS
    int32_t rows, pairs, most_pairs;  // most_pairs: of one customer
    const int32_t *d_arcs;            // [nodes * stride] row i: the arcs out of node i; symmetric ones only to nodes 0..i
    const int32_t *d_demand;          // [nodes]
    const int32_t *d_load;            // [rows] upwards, above 0
    const int32_t *d_row;             // [capacity + 1] of a load, or -1
    const uint32_t *d_needed;         // [rows] the cells of a row
    const int32_t *d_first_pair;      // [nodes + 1]
    const int32_t *d_to;              // [pairs]
    const uint16_t *d_low, *d_high;   // [pairs * 32], [pairs * vrp_ng_highs()]
    vrp_ng_device_near *d_near;       // [sides * pairs], all but the arcs are set
    int32_t *d_far;                   // [sides * nodes * stride] row k: arcs into k from customers far from it, else APART
    uint32_t *d_done;                 // [sides * rows] cells that are finished
    int32_t *d_base;                  // [sides * (capacity + 1) * stride] F of the largest set
    int32_t *d_cell;                  // [sides * rows * nodes * sets] F; void where the base is no path
    // How it is computed: vrp_ng_choose_shape() sets them.
    int32_t shape;                    // index
    int32_t warps;                    // of a block: it computes one cell at a time
    int32_t groups;                   // blocks of one customer; they share its rows
    int32_t blocks;
    bool stays;                       // a block has one customer, whose arcs and maps it keeps in shared memory
    int32_t shared_bytes;
    double row_s;                     // that a row may take, an estimate
} vrp_ng_device_plan;

// Chooses the shape that is likely to be fastest for rows of which about `independent` need no other one of them, or takes shape
// `asked` where it is >= 0. Returns cudaErrorInvalidConfiguration where it does not fit the device.
cudaError_t vrp_ng_choose_shape(vrp_ng_device_plan *plan, int32_t independent, int32_t asked, int multiprocessors, int shared_bytes_most);
int32_t vrp_ng_shapes(void);
// Clears the tables and counters, and sorts the arcs into far and near.
cudaError_t vrp_ng_launch_begin(const vrp_ng_device_plan *plan, cudaStream_t stream);
// Computes the cells of rows first..last - 1. All rows before are finished.
cudaError_t vrp_ng_launch_rows(const vrp_ng_device_plan *plan, int32_t first, int32_t last, cudaStream_t stream);
// Traces the best path of the largest set at each ending of side 0: d_path [count * longest], each in order of visit at the end of its
// room. `longest`: capacity / least demand. An ending whose trace fails has begin = longest.
cudaError_t vrp_ng_launch_trace(const vrp_ng_device_plan *plan, vrp_ng_device_ending *d_ending, int32_t count, int32_t longest,
                                int32_t *d_path, cudaStream_t stream);

MCO_END_C

#endif
