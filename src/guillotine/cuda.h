// SPDX-License-Identifier: MIT
// Launchers of the guillotine kernels (guillotine/cuda.cu), in plain C for the engine. They enqueue on a stream,
// allocate nothing and do not wait. The caller makes the device current before.
#ifndef MCO_GUILLOTINE_CUDA_H
#define MCO_GUILLOTINE_CUDA_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "guillotine/unit.h"
#include "mco/compiler.h"

MCO_BEGIN_C

// Device pointers. Coordinates are those of the schedule.
typedef struct guillotine_device_axis {
    const int32_t *at;          // [count] coordinates of the positions
    const int32_t *last_at;     // [side + 1] the last position at or below a coordinate
    const uint32_t *patterns;   // [guillotine_pattern_words(side)] bit c % 32 of word c / 32: c is a position
    const int32_t *piece_class; // [count] number (1, 2, ...) of the last piece side at or below a position; 0 none
    int32_t count, side;        // side = at[count - 1]
    int64_t pitch;              // lanes from row to row of the table whose lanes run along this axis
} guillotine_device_axis;

typedef struct guillotine_device_tables {
    guillotine_device_axis axis[2];  // x, y
    void *table[2];              // V by x: [x positions][axis[1].pitch]; by y: [y positions][axis[0].pitch]
    const int64_t *best_piece;   // [classes of x][class_pitch]: the best single piece up to these sides
    int32_t class_pitch;
    int32_t lane_bytes;          // 4 or 8
    int32_t vectors;             // of a panel: GUILLOTINE_VECTORS or GUILLOTINE_FEW_VECTORS
} guillotine_device_tables;

// A bit for every coordinate, and spare words: a tile of targets or of strips reads beyond the last coordinate.
static inline int64_t guillotine_pattern_words(int64_t side)
{
    return side / 32 + 1 + GUILLOTINE_TILE / 32 + 2;
}

// Lanes from row to row. There is room for a panel that reaches beyond the last position.
static inline int64_t guillotine_pitch(int64_t count, int64_t panel)
{
    const int64_t aligned = 128;
    return (count + panel + aligned - 1) / aligned * aligned;
}

// Fills both tables with the best single piece, and with 0 beyond the positions.
cudaError_t guillotine_launch_pieces(const guillotine_device_tables *tables, cudaStream_t stream);

// Where the queue stands. Device pointers.
typedef struct guillotine_progress {
    int32_t *done;        // [steps] units done, of all launches
    int32_t *taken;       // units that this launch's blocks have asked for; 0 before
    const int32_t *stop;  // not 0: the host wants an end; blocks leave after the unit at hand
} guillotine_progress;

// Runs units [count], which stand in the order of their steps, with at most `blocks` blocks.
cudaError_t guillotine_launch_queue(const guillotine_device_tables *tables, const guillotine_unit *d_units, int64_t count,
                                    int64_t blocks, const guillotine_progress *progress, cudaStream_t stream);

// What becomes of a rectangle of the plan: the kinds of guillotine_step, and UNEXPLAINED for a value that nothing
// explains.
enum {
    GUILLOTINE_TRACE_WASTE,
    GUILLOTINE_TRACE_PIECE,
    GUILLOTINE_TRACE_X,
    GUILLOTINE_TRACE_Y,
    GUILLOTINE_TRACE_UNEXPLAINED
};

typedef struct guillotine_trace_node {
    int32_t i, j;
    int32_t kind, first, second;
    int32_t part;     // of a cut: the node of its first part; the second part is the next node
    int32_t is_open;  // 0 until the node is made
} guillotine_trace_node;

typedef struct guillotine_trace {
    int32_t taken, made, done;  // numbers of nodes: claimed by blocks, made, finished
    int32_t is_full;            // there were too few nodes, or a value is not explained
    int64_t value;              // of the plate
    guillotine_trace_node nodes[1];  // [capacity]
} guillotine_trace;

static inline size_t guillotine_trace_bytes(int64_t capacity)
{
    return sizeof(guillotine_trace) + (size_t)capacity * sizeof(guillotine_trace_node);
}

// Traces the plan into *d_trace. The launch zeroes it first.
cudaError_t guillotine_launch_trace(const guillotine_device_tables *tables, guillotine_trace *d_trace, int32_t capacity,
                                    cudaStream_t stream);

MCO_END_C
#endif
