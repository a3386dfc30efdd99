// SPDX-License-Identifier: MIT
// Loads of networks whose trees do not fit into shared memory. A hierarchy has left the labels of all vertices for many rows. A trip walks
// from its destination to its origin: at each vertex along the smallest slot that explains the label. Costs are 1 or more, so
// labels fall with each link and the walk ends. Loads are integers, so their order does not matter.
#include "device/kernel.cuh"
#include "mco/paths.h"
#include "traffic/gpu/cuda.h"

namespace {

using namespace mco;

constexpr int WALK_BLOCK = 128, WEIGH_BLOCK = 256;
constexpr int32_t NONE = MCO_PATHS_NONE;

struct row_labels {
    const int32_t *label;
    int64_t lanes;
    DEVICE int32_t at(int32_t v) const { return __ldg(label + v * lanes); }
};

// The slot that explains the label of a vertex, and the vertex it leaves; -1: none.
DEVICE int32_t find_slot(const traffic_gpu_walk &plan, const row_labels &row, int32_t origin, int32_t v, int32_t label, int32_t *tail, int32_t *tail_label)
{
    const int2 range = __ldg(reinterpret_cast<const int2 *>(plan.d_range) + v);
    for (int32_t s = range.x; s < range.y; s++) {
        const traffic_gpu_arc a = plan.d_arc[s];
        const int32_t u = a.tail < 0 ? ~a.tail : a.tail;
        if (a.tail < 0 && u != origin)
            continue;
        const int32_t below = row.at(u);
        if (below < label && (uint32_t)below + a.cost == (uint32_t)label) {
            *tail = u;
            *tail_label = below;
            return s;
        }
    }
    return -1;
}

// Mapping: a block takes a row, a thread a trip at a time. Shared memory: none. Traffic: for each link of a path about 7 sectors of 32
// bytes, three of them one after the other. Limit: the latency of device memory, about 2 us a link, hidden by 2,048 trips on a
// multiprocessor; for many rows the sectors. Ends: labels fall.
__global__ void __launch_bounds__(WALK_BLOCK) walk(const traffic_gpu_walk plan)
{
    if (plan.d_state->end != TRAFFIC_GPU_RUNNING)
        return;
    const int32_t q = (int32_t)blockIdx.x, row = plan.d_row[q], origin = plan.d_row_origin[row];
    const row_labels labels = {plan.d_label + (int64_t)(q / plan.lanes) * plan.vertices * plan.lanes + q % plan.lanes, plan.lanes};
    uint32_t greatest = 0;
    for (int64_t i = plan.d_trip_first[row] + threadIdx.x; i < plan.d_trip_first[row + 1]; i += blockDim.x) {
        const unsigned long long amount = plan.d_trip_amount[i];
        int32_t v = plan.d_trip_to[i], label = labels.at(v), tail = 0, below = 0;
        while (v != origin && label < NONE) {
            const int32_t slot = find_slot(plan, labels, origin, v, label, &tail, &below);
            if (slot < 0) {
                label = NONE;
                break;
            }
            atomicAdd(plan.d_load + slot, amount);
            greatest = max(greatest, (uint32_t)label);
            v = tail;
            label = below;
        }
        if (label >= NONE)
            greatest = TRAFFIC_GPU_FAR_LABEL;
    }
    greatest = __reduce_max_sync(ALL_LANES, greatest);
    if (threadIdx.x % WARP == 0)
        atomicMax(plan.d_greatest, greatest);
}

// A thread takes a slot. Traffic: 16 bytes each.
__global__ void __launch_bounds__(WEIGH_BLOCK) weigh(const traffic_gpu_walk plan, int32_t *d_weight)
{
    const int64_t s = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (s < plan.slots)
        d_weight[plan.d_link[s]] = (int32_t)min(plan.d_arc[s].cost - plan.less, (uint32_t)MCO_PATHS_MAX_WEIGHT);
}

// A thread takes a label; those of a warp are of one vertex, near rows. Traffic: 4 bytes read and a sector of 32 written each.
__global__ void __launch_bounds__(WEIGH_BLOCK) spread(const traffic_gpu_walk plan, const int32_t *d_vertex, int32_t *d_out)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, v = i / plan.lanes;
    const int32_t q = (int32_t)blockIdx.y * plan.lanes + (int32_t)(i % plan.lanes);
    if (v >= plan.vertices || q >= plan.rows)
        return;
    const int32_t label = plan.d_label[(blockIdx.y * plan.vertices + v) * plan.lanes + i % plan.lanes];
    d_out[q * plan.vertices + d_vertex[v]] = min(label, NONE);
}

}  // namespace

cudaError_t traffic_gpu_launch_spread(const traffic_gpu_walk *plan, const int32_t *d_vertex, int32_t *d_out, cudaStream_t stream)
{
    const int64_t blocks = (plan->vertices * plan->lanes + WEIGH_BLOCK - 1) / WEIGH_BLOCK;
    return launch(spread, dim3((unsigned int)blocks, (unsigned int)((plan->rows + plan->lanes - 1) / plan->lanes)), (unsigned int)WEIGH_BLOCK, 0, stream,
                  *plan, d_vertex, d_out);
}

cudaError_t traffic_gpu_launch_weigh(const traffic_gpu_walk *plan, int32_t *d_weight, cudaStream_t stream)
{
    return launch(weigh, (unsigned int)((plan->slots + WEIGH_BLOCK - 1) / WEIGH_BLOCK), (unsigned int)WEIGH_BLOCK, 0, stream, *plan, d_weight);
}

cudaError_t traffic_gpu_launch_walk(const traffic_gpu_walk *plan, cudaStream_t stream)
{
    return launch(walk, (unsigned int)plan->rows, (unsigned int)WALK_BLOCK, 0, stream, *plan);
}
