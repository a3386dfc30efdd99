// SPDX-License-Identifier: MIT
// The interface between the GPU explorer (flowshop/gpu/explorer.c, on the host) and its kernel
// (flowshop/gpu/dfs.cu): plain structs in device memory, the same layout in C and CUDA.
#ifndef MCO_FLOWSHOP_GPU_DFS_H
#define MCO_FLOWSHOP_GPU_DFS_H

#include <cuda_runtime_api.h>

#include "mco/compiler.h"

MCO_BEGIN_C

enum {
    FLOWSHOP_DFS_MAX_JOBS = 256,     // a job is a byte
    FLOWSHOP_DFS_MAX_MACHINES = 60,
    FLOWSHOP_DFS_SIDE = 0x8000       // of a path entry: the job was put at the back
};

// What a search does between two launches.
typedef enum flowshop_dfs_status {
    FLOWSHOP_DFS_IDLE,     // nothing; has not asked for work yet
    FLOWSHOP_DFS_WAITING,  // nothing; stands in the queue of those who ask
    FLOWSHOP_DFS_NEW,      // [A, B) is in path and end: the walk down to A comes first
    FLOWSHOP_DFS_SAVED     // in the middle: the node in hand is in its last frame
} flowshop_dfs_status;

// One depth-first search. Work that is left when a launch ends lies between its first and its last
// node in depth-first order: first_depth digits of path and, unless first_rank is -1, that rank; and
// the child last_rank of the node of depth last_depth, or the node itself if last_rank is -1.
typedef struct flowshop_dfs_search {
    int32_t status;
    int32_t mail;       // 1: another search has put work into frame 0
    int32_t depth;      // of the node in hand
    int32_t walk;       // depth of A while the walk down to it lasts, else 0
    int32_t bottom, top;  // frames in use: bottom..top-1
    int32_t match;      // digits of the path that equal those of B; -1 without B
    int32_t end_depth;  // digits of B; 0 without
    int32_t first_depth, first_rank, last_depth, last_rank;
} flowshop_dfs_search;

// Shared by all searches of a device; the host writes `outside` and `stop` while the kernel runs. What
// is read often, what is drawn from, and what is only added to lie in cache lines of their own.
typedef struct flowshop_dfs_control {
    int32_t incumbent;  // least makespan known to the device
    int32_t outside;    // least makespan known to the host
    int32_t stop;
    int32_t pad[29];
    uint32_t asked, served;  // tickets drawn by idle searches, and answered
    int32_t unclaimed;       // tickets in the queue that nobody has promised to answer
    uint32_t pad_of_tickets[29];
    unsigned long long nodes, leaves, gifts;
    uint32_t lock;           // of the schedule found
    uint32_t pad_of_counts[25];
} flowshop_dfs_control;

// A schedule, in pinned host memory: written by the device, read by the host while the kernel runs.
typedef struct flowshop_dfs_found {
    uint32_t version;  // odd while being written
    int32_t makespan;
    uint16_t path[FLOWSHOP_DFS_MAX_JOBS];  // jobs in the order they were fixed, with FLOWSHOP_DFS_SIDE
} flowshop_dfs_found;

typedef struct flowshop_dfs_shape {
    int32_t group;          // threads of a search
    int32_t machines;       // padded, with times 0
    int32_t lane_bits;      // 16 or 32
    int32_t mode;           // which of the kernels of this size
    int32_t job_stride;     // pairs from job to job in the table of times
    int32_t frame_words;    // 32-bit words of a frame
    int32_t searches_per_block;
    int32_t has_shared_rows;  // counters of nodes in shared memory
    int32_t shared_bytes;   // of a block
    int32_t shared_limit;   // most a block of this device can have
    int32_t blocks_per_multiprocessor;  // 0: the device cannot hold one
} flowshop_dfs_shape;

typedef struct flowshop_dfs_args {
    int32_t jobs;
    int32_t rule;          // mco_flowshop_branching
    int32_t rule_bound;    // U
    int32_t searches, blocks;
    int32_t levels;        // frames of a search, the last for the node in hand
    uint32_t queue_mask;   // room of the queue - 1
    int32_t has_shared_rows;
    uint32_t early_steps;  // steps with a look at those who ask after each: while few searches have work
    const void *times;     // [jobs * job_stride] pairs (p[i][j], p[m-1-i][j])
    const void *behind;    // [jobs * group] pairs: constant - sum of the times up to the lane's last machine
    int32_t pairs;              // LB2: of machines; tables are padded to a multiple of 32 by repeating the first
    const void *pair_machines;  // [pairs] two bytes
    const void *pair_cells;     // [jobs * pairs] by position: times, lag and job; 4 values of 16 or 32 bits
    const void *root_ends, *root_remain;  // [group * machines per lane] pairs
    uint32_t *frames;      // [searches * levels * frame_words]
    uint16_t *paths;       // [searches * jobs]
    uint16_t *ends;        // [searches * jobs] digits of B
    uint32_t *queue;       // search + 1, or 0
    flowshop_dfs_search *searches_state;
    flowshop_dfs_control *control;
    unsigned long long *rows;  // [(jobs + 1) * (jobs + 1)] nodes by depth and surviving children
    flowshop_dfs_found *found;
} flowshop_dfs_args;

// The kernel for an instance: the narrowest that fits; `has_pairs` with LB2. cudaErrorInvalidValue where no kernel fits.
cudaError_t flowshop_dfs_choose(int32_t jobs, int32_t machines, int32_t lane_bits, int32_t rule, int32_t has_pairs,
                                int32_t device, flowshop_dfs_shape *out);
cudaError_t flowshop_dfs_launch(const flowshop_dfs_shape *shape, const flowshop_dfs_args *args, cudaStream_t stream);

MCO_END_C
#endif
