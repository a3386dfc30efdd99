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
    FLOWSHOP_DFS_SIDE = 0x8000       // this bit of a path entry says that the job stands at the back
};

// The state of a search between two launches.
typedef enum flowshop_dfs_status {
    FLOWSHOP_DFS_IDLE,     // has no work and has not asked for any yet
    FLOWSHOP_DFS_WAITING,  // has no work and stands in the queue of those who ask
    FLOWSHOP_DFS_NEW,      // holds [A, B) in path and end, and first walks down to A
    FLOWSHOP_DFS_SAVED     // is interrupted; its last frame holds the node in hand
} flowshop_dfs_status;

// One depth-first search. The work left at the end of a launch lies between a first and a last node in depth-first
// order. The first node is first_depth digits of path, then first_rank unless that is -1. The last node is the child
// of rank last_rank of the node at depth last_depth, or that node itself if last_rank is -1.
typedef struct flowshop_dfs_search {
    int32_t status;
    int32_t mail;       // 1: another search has put work into frame 0
    int32_t depth;      // of the node in hand
    int32_t walk;       // depth of A during the walk down to it, else 0
    int32_t bottom, top;  // frames in use: bottom..top-1
    int32_t match;      // digits of the path that equal those of B; -1 without B
    int32_t end_depth;  // digits of B; 0 without B
    int32_t first_depth, first_rank, last_depth, last_rank;
} flowshop_dfs_search;

// Shared by all searches of a device. The host writes `outside` and `stop` while the kernel runs. The words read often,
// the words of the tickets and the counters lie in separate cache lines.
typedef struct flowshop_dfs_control {
    int32_t incumbent;  // least makespan known to the device
    int32_t outside;    // least makespan known to the host
    int32_t stop;
    int32_t pad[29];
    uint32_t asked, served;  // tickets drawn by idle searches, and answered
    int32_t unclaimed;       // tickets in the queue that no search has claimed
    uint32_t pad_of_tickets[29];
    unsigned long long nodes, leaves, gifts;
    uint32_t lock;           // guards the schedule found
    uint32_t pad_of_counts[25];
} flowshop_dfs_control;

// A schedule in pinned host memory. The device writes it, and the host reads it while the kernel runs.
typedef struct flowshop_dfs_found {
    uint32_t version;  // odd while being written
    int32_t makespan;
    uint16_t path[FLOWSHOP_DFS_MAX_JOBS];  // jobs in the order in which they are fixed, with FLOWSHOP_DFS_SIDE
} flowshop_dfs_found;

typedef struct flowshop_dfs_shape {
    int32_t group;          // threads of a search
    int32_t machines;       // after padding with machines of time 0
    int32_t lane_bits;      // 16 or 32
    int32_t mode;           // selects one of the kernels of this size
    int32_t job_stride;     // pairs from one job to the next in the table of times
    int32_t frame_words;    // 32-bit words of a frame
    int32_t searches_per_block;
    int32_t has_shared_rows;  // the counters of nodes are in shared memory
    int32_t shared_bytes;   // shared memory of a block
    int32_t shared_limit;   // the most shared memory a block of this device can have
    int32_t blocks_per_multiprocessor;  // 0: the device cannot hold a block
} flowshop_dfs_shape;

typedef struct flowshop_dfs_args {
    int32_t jobs;
    int32_t rule;          // mco_flowshop_branching
    int32_t rule_bound;    // U
    int32_t searches, blocks;
    int32_t levels;        // frames of a search; the last one is for the node in hand
    uint32_t queue_mask;   // size of the queue - 1; the size is a power of two
    int32_t has_shared_rows;
    uint32_t early_steps;  // first steps, each with a look at the control block; 0 unless few searches have work
    const void *times;     // [jobs * job_stride] pairs (p[i][j], p[m-1-i][j])
    const void *behind;    // [jobs * group] pairs: constant - sum of the times up to the lane's last machine
    int32_t pairs;              // LB2: pairs of machines, padded to a multiple of 32 with copies of the first pair
    const void *pair_machines;  // [pairs] two bytes, one for each machine
    const void *pair_cells;     // [jobs * pairs] position by position: two times, lag, job; 16 or 32 bits each
    const void *root_ends, *root_remain;  // [group * machines per lane] pairs
    uint32_t *frames;      // [searches * levels * frame_words]
    uint16_t *paths;       // [searches * jobs]
    uint16_t *ends;        // [searches * jobs] digits of B
    uint32_t *queue;       // [queue_mask + 1] number of a search + 1, or 0 for an empty place
    flowshop_dfs_search *searches_state;
    flowshop_dfs_control *control;
    unsigned long long *rows;  // [(jobs + 1) * (jobs + 1)] nodes by depth and surviving children
    flowshop_dfs_found *found;
} flowshop_dfs_args;

// Chooses the narrowest kernel that fits the instance; `has_pairs` says that the bound is LB2. Returns
// cudaErrorInvalidValue if no kernel fits.
cudaError_t flowshop_dfs_choose(int32_t jobs, int32_t machines, int32_t lane_bits, int32_t rule, int32_t has_pairs,
                                int32_t device, flowshop_dfs_shape *out);
cudaError_t flowshop_dfs_launch(const flowshop_dfs_shape *shape, const flowshop_dfs_args *args, cudaStream_t stream);

MCO_END_C
#endif
