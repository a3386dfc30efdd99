// SPDX-License-Identifier: MIT
// The interface between a beam on a GPU (flowshop/beam/gpu/engine.c, on the host) and its kernels (layer.cu): plain structs in
// device memory, the same layout in C and CUDA.
#ifndef MCO_FLOWSHOP_BEAM_GPU_LAYER_H
#define MCO_FLOWSHOP_BEAM_GPU_LAYER_H

#include <cuda_runtime_api.h>

#include "mco/compiler.h"

MCO_BEGIN_C

enum {
    FLOWSHOP_BEAM_GPU_JOBS = 1024,      // a lane of a warp has 32 jobs of the set of free jobs
    FLOWSHOP_BEAM_GPU_MACHINES = 128,
    FLOWSHOP_BEAM_GPU_BYTE_TIME = 127,  // times up to here take a byte, with the sign bit clear; others two
    FLOWSHOP_BEAM_GPU_DIGIT = 2048,     // values of a digit of a key
    FLOWSHOP_BEAM_GPU_DIGITS = 3,
    FLOWSHOP_BEAM_GPU_PARTS = 8,        // GPUs that work on one beam
    FLOWSHOP_BEAM_GPU_CANDIDATES = 2    // for each node of the next layer: so many children are listed by the first digit
};

typedef struct flowshop_beam_gpu_head {
    uint32_t bound;
    uint32_t weight[2];  // as in flowshop/beam/node.h
    uint32_t ends;       // bit 0: there are jobs in front, bit 1: at the back
} flowshop_beam_gpu_head;

// What the kernels tell the host, and one another. All parts of a beam have the same values, but for those of their own.
typedef struct flowshop_beam_gpu_control {
    uint32_t nodes[FLOWSHOP_BEAM_GPU_JOBS + 1];  // of each layer
    uint32_t has_discarded;
    uint32_t base, bits;        // the least key, and the bits of the largest one above it
    uint32_t prefix, rank;      // of the key sought: the digits known, and its rank among the keys that begin with them
    uint32_t takes_all;         // there are no more children than the beam is wide
    uint32_t candidates;        // children whose first digit is not above that of the key sought
    uint32_t is_listed;         // they are in the list, from which the later digits are counted
    uint32_t limit, ties;       // all keys below the limit are written, and so many that equal it
    // Of this part alone.
    uint32_t least, largest;    // key of its children; between layers UINT32_MAX and 0
    uint32_t before;            // its keys whose digits before are below the prefix; 0 between kernels
    uint32_t tickets;           // blocks that are done; 0 between kernels
    uint32_t taken;             // nodes that warps asked for after their first; 0 between kernels
    uint32_t leaf, makespan;    // the best child of the last layer; UINT32_MAX: there is none
    uint32_t moves[FLOWSHOP_BEAM_GPU_JOBS];  // [jobs] of the path to that leaf, 2 * job + side, from the first layer on
} flowshop_beam_gpu_control;

// What a part tells all parts about its keys of a layer.
typedef struct flowshop_beam_gpu_report {
    uint32_t counts[FLOWSHOP_BEAM_GPU_DIGITS][FLOWSHOP_BEAM_GPU_DIGIT];
    uint32_t before[FLOWSHOP_BEAM_GPU_DIGITS];
    uint32_t least, largest;    // least > largest: it has none
    uint32_t filling[3];        // counts are read 16 bytes at a time, so a report is a multiple of that
} flowshop_beam_gpu_report;

// Memory of a part that all parts write.
typedef struct flowshop_beam_gpu_peer {
    flowshop_beam_gpu_report *d_reports;  // [parts]
    uint8_t *d_sides[2];                  // [room] layers take turns
    uint32_t *d_chosen;                   // [room] node * free jobs + place among them
    uint32_t *d_candidates;               // [FLOWSHOP_BEAM_GPU_CANDIDATES * room] the same
    uint32_t *d_candidate_keys;           // and their keys
    int32_t *d_stop;
} flowshop_beam_gpu_peer;

// Arrays begin with d_ and lie in device memory. A node is four rows of 16-bit words: fronts, backs, idle times at the front and work left.
typedef struct flowshop_beam_gpu_args {
    int32_t jobs, machines;
    int32_t quads;         // of machines, the last one filled up
    int32_t stride;        // words of a row
    int32_t words;         // 32-bit words of a set of free jobs
    int32_t time_bytes;    // of a time in the table: 1 or 2
    int32_t job_words;     // of a job in the table: quads * time_bytes, or one more so that it is odd
    int32_t shift, largest;
    int32_t upper;         // children are pruned from this bound on
    int32_t depth;
    float share, idle_factor;
    uint32_t width;
    int64_t room;          // nodes
    int32_t select_blocks;
    int32_t part, parts;                   // a part expands its share of the nodes; every part makes all nodes
    const uint32_t *d_table;               // [jobs][job_words] times, those of a quad of machines in time_bytes words
    const uint16_t *d_times, *d_heads;     // [jobs][stride] times, and the time of the job on the machines before
    const uint32_t *d_totals, *d_means;    // [machines]
    uint16_t *d_nodes[2];                  // [room][4][stride] layers take turns
    uint32_t *d_sets[2];                   // [room][words]
    flowshop_beam_gpu_head *d_node_heads[2];  // [room]
    uint32_t *d_keys;                      // [nodes of this part][free jobs]
    uint32_t *d_counts;                    // [FLOWSHOP_BEAM_GPU_DIGIT] of the values of a digit; 0 between kernels
    uint32_t *d_block_counts;              // [select_blocks][FLOWSHOP_BEAM_GPU_DIGIT] the same of each block
    uint32_t *d_block_before;              // [select_blocks]
    uint32_t *d_below, *d_tied;            // [select_blocks]
    uint32_t *d_parents;                   // [jobs][room]
    uint16_t *d_moves;                     // [jobs][room] 2 * job + side
    flowshop_beam_gpu_control *d_control;
    flowshop_beam_gpu_peer own;            // peers[part]
    flowshop_beam_gpu_peer peers[FLOWSHOP_BEAM_GPU_PARTS];  // [parts]
} flowshop_beam_gpu_args;

// How the expanding kernel is launched.
typedef struct flowshop_beam_gpu_shape {
    int32_t multiprocessors;
    int32_t warps, blocks;   // of a block; on the device at a time
    int32_t shared_bytes;    // of a block
} flowshop_beam_gpu_shape;

// Fills `shape` for the jobs, machines and time_bytes of `args`. shape->blocks is 0 where no warp fits the shared memory.
cudaError_t flowshop_beam_gpu_settle(const flowshop_beam_gpu_args *args, int32_t multiprocessors, int32_t shared_limit,
                                     flowshop_beam_gpu_shape *shape);

// The steps of a layer. Before each one, the step before it has ended on all parts.
enum { FLOWSHOP_BEAM_GPU_STEPS = 7 };

// Enqueues a step of layer args->depth: bounds and keys of all children, then the selection and the next layer. The last layer ends with
// its second step, the best leaf of this part and its path.
cudaError_t flowshop_beam_gpu_launch(const flowshop_beam_gpu_args *args, const flowshop_beam_gpu_shape *shape, int step, cudaStream_t stream);

MCO_END_C

#endif
