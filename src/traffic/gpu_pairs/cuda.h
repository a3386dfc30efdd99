// SPDX-License-Identifier: MIT
// Launchers of the kernels that find least-cost trees and scan flows for the method of pairs, in plain C. They enqueue on a stream,
// allocate nothing and do not wait. The caller makes the device current and validates the arguments.
#ifndef MCO_TRAFFIC_GPU_PAIRS_CUDA_H
#define MCO_TRAFFIC_GPU_PAIRS_CUDA_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "mco/compiler.h"

MCO_BEGIN_C

enum {
    TRAFFIC_STAR_SLOTS = 4,      // links of a node that lie in one sector; further ones are in a list
    TRAFFIC_GPU_THREADS = 512,   // of a block
    TRAFFIC_SHARED_NODES = 65535,// labels of more nodes lie in device memory
    TRAFFIC_NO_PARENT = 255,     // narrow parents
    TRAFFIC_GPU_LANES = 8        // rows of a batch of the host's store, PAIRS_LANES
};

// A link as the search sees it. The slots of node v are star[4 v] .. star[4 v + 3]. An empty slot costs infinity and leads to v.
// `more`: of slot 0, where further links begin in the list; of slot 1, how many there are.
typedef struct traffic_star_link {
    double cost;
    int32_t head, more;
} traffic_star_link;

// A link into a node, as parents see it, in the order of traffic_problem.into.
typedef struct traffic_into_link {
    double cost;
    int32_t tail, link;
} traffic_into_link;

// A link with flow of a place: its reduced cost in a scan (traffic_candidate of scan.h is the same), its flow in a load.
typedef struct traffic_place_link {
    int32_t place, link;
    double value;
} traffic_place_link;

// What a place has. Its links follow each other, ascending; places stand in any order.
typedef struct traffic_place_sum {
    double total, excess;        // sum of flow * cost, sum of flow * reduced cost
    int64_t first;               // its links are d_found[first] and on; none is written if they exceed the room
    int64_t count;
} traffic_place_sum;

// Zeroed before each launch.
typedef struct traffic_gpu_control {
    int32_t stop;                // written by the host while the kernel runs
    int32_t pad_of_stop[31];
    unsigned long long next;     // places taken
    unsigned long long done;     // places finished
    unsigned long long found;    // links wanted, beyond the room too
    unsigned long long lost;     // trips whose end has no path
    unsigned long long rounds, scans;
} traffic_gpu_control;

// Flows that the host has changed: flow[8 k + lane] is that of link[k] and of lane `lane` of batch[k].
typedef struct traffic_gpu_changes {
    int64_t count;
    const int32_t *d_batch, *d_link;  // [count]
    const double *d_flow;             // [count][8]
} traffic_gpu_changes;

typedef struct traffic_gpu_plan {
    int32_t nodes, links, first_through;
    int32_t tables;              // of costs: 1, or one for each class
    int32_t more_count;          // entries of d_more of a table
    int32_t queue;               // entries of each of the two queues, an even number, at least a 32nd of the nodes
    int32_t blocks;              // traffic_gpu_shape()
    bool is_wide;                // labels lie in device memory
    bool has_wide_parents;       // int32_t, for a node with more than 254 links into it
    double delta;                // the range of labels that are near at a time, above 0
    double threshold;            // of flow * reduced cost, for a candidate
    int64_t room;                // of d_found
    // The problem. A place is 8 * batch + lane of the host's store; it has a row or none.
    const int32_t *d_place_table, *d_place_origin;  // [places]
    const int64_t *d_place_first;  // [places] trips of a place are d_to[first] .. d_to[end - 1]
    const int64_t *d_place_end;    // [places]
    const int32_t *d_to;           // [trips]
    const double *d_amount;        // [trips]
    const double *d_place_scale;   // [places] a power of 2: amounts are added as integers, scale * amount
    const int32_t *d_tail, *d_head;  // [links]
    const int32_t *d_into_first;   // [nodes + 1]
    const int32_t *d_star_link;    // [4 nodes + more_count] link of a slot and of the list, -1: none
    // By costs.
    const double *d_cost;        // [tables][links]
    traffic_star_link *d_star;   // [tables][4 nodes]
    traffic_star_link *d_more;   // [tables][more_count]
    traffic_into_link *d_into;   // [tables][links]; link is set, the rest is by traffic_launch_weigh()
    // By places.
    int32_t count;               // places of this launch
    const int32_t *d_place;      // [count]
    void *d_parent;              // [batches][nodes][8] positions in the star into a node: uint8_t, or int32_t and -1 for none
    double *d_flow;              // [places][links]
    double *d_label;             // [places][nodes] labels of a scan; NULL: they are not wanted
    traffic_place_sum *d_sum;    // [places]
    traffic_place_link *d_found; // [room]
    traffic_gpu_control *d_control;
    void *d_scratch;             // [blocks][scratch_bytes] if is_wide, else NULL
    size_t scratch_bytes;        // traffic_gpu_scratch()
} traffic_gpu_plan;

// Bytes of shared memory of a block whose labels lie there, and of device memory of a block whose labels lie in device memory.
size_t traffic_gpu_shared(int32_t nodes, int32_t queue);
size_t traffic_gpu_scratch(int32_t nodes, int32_t queue);
// Sets `blocks` to what fits on the current device at a time. Errors: also InvalidConfiguration if no block fits.
cudaError_t traffic_gpu_shape(traffic_gpu_plan *plan, int multiprocessors);
// Costs into d_star, d_more and d_into.
cudaError_t traffic_launch_weigh(const traffic_gpu_plan *plan, cudaStream_t stream);
// Trees of places, the sums of their flows, and the links above the threshold.
cudaError_t traffic_launch_scan(const traffic_gpu_plan *plan, cudaStream_t stream);
// Trees of places; their trips replace their flows; all links with flow are listed.
cudaError_t traffic_launch_load(const traffic_gpu_plan *plan, cudaStream_t stream);
cudaError_t traffic_launch_change(const traffic_gpu_plan *plan, const traffic_gpu_changes *changes, cudaStream_t stream);

MCO_END_C
#endif
