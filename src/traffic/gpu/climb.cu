// SPDX-License-Identifier: MIT
// Loads of networks of some thousand nodes. A hierarchy has left the labels of all vertices for all rows. A block takes a row: the
// labels come to shared memory, each vertex finds its parent, the smallest slot that explains its label, and flows climb from the
// leaves: the last child of a vertex passes on what the vertex has. Loads are integers, so their order does not matter.
//
// Bytes and operations, AustinTAPB (13,603 nodes, 35,940 slots, 1,456 rows): 8 bytes of shared memory a node, two blocks of 1,024
// threads a multiprocessor. A row reads a sector of 32 bytes for each label (0.43 MB, from the L2 cache: 64 rows share it) and the slots
// (0.29 MB): 1 GB in all, about 0.2 ms of the L2 cache. Climbing takes a chain of about 200 cycles a level, 100 levels, two at once.
#include "device/kernel.cuh"
#include "mco/paths.h"
#include "traffic/gpu/cuda.h"

namespace {

using namespace mco;

constexpr int CLIMB_BLOCK = 1024;
constexpr int32_t NONE = MCO_PATHS_NONE;
constexpr uint32_t NO_PARENT = TRAFFIC_GPU_MOST_CLIMBED;

struct climb_memory {
    uint32_t *value;    // [vertices] label, then flow
    uint32_t *children; // [vertices / 4 + 1] a byte each: children that have not climbed
    uint16_t *parent;   // [vertices]
    uint8_t *choice;    // [vertices] which of its slots
};

DEVICE climb_memory divide(int64_t vertices)
{
    climb_memory m;
    m.value = dynamic_shared<uint32_t>();
    m.children = m.value + vertices;
    m.parent = reinterpret_cast<uint16_t *>(m.children + vertices / 4 + 1);
    m.choice = reinterpret_cast<uint8_t *>(m.parent + vertices);
    return m;
}

DEVICE uint32_t read_now(const uint32_t *word) { return *const_cast<const volatile uint32_t *>(word); }

DEVICE uint32_t children_of(const climb_memory &m, int32_t v) { return m.children[v / 4] >> (8 * (v % 4)) & 255; }

// The parent of a vertex with a label, and its part in the parent's count.
DEVICE void find_parent(const traffic_gpu_walk &plan, const climb_memory &m, int32_t origin, int32_t v)
{
    const uint32_t label = m.value[v];
    m.parent[v] = (uint16_t)NO_PARENT;
    if (v == origin || label >= (uint32_t)NONE)
        return;
    const int2 range = __ldg(reinterpret_cast<const int2 *>(plan.d_range) + v);
    for (int32_t s = range.x; s < range.y; s++) {
        const traffic_gpu_arc a = plan.d_arc[s];
        const int32_t u = a.tail < 0 ? ~a.tail : a.tail;
        const uint32_t below = m.value[u];
        if (below < label && below + a.cost == label && (a.tail >= 0 || u == origin)) {
            m.parent[v] = (uint16_t)u;
            m.choice[v] = (uint8_t)(s - range.x);
            atomicAdd(&m.children[u / 4], 1u << (8 * (u % 4)));
            return;
        }
    }
}

// A leaf's flow, and that of each vertex whose last child has come. Ends: a thread climbs to the origin at most.
DEVICE void climb_from(const climb_memory &m, uint32_t v)
{
    for (uint32_t parent = m.parent[v]; parent != NO_PARENT; parent = m.parent[v]) {
        const uint32_t flow = read_now(&m.value[v]), shift = 8 * (parent % 4);
        if (flow != 0)
            atomicAdd(&m.value[parent], flow);
        __threadfence_block();
        const uint32_t before = atomicSub(&m.children[parent / 4], 1u << shift);
        if ((before >> shift & 255) != 1)
            return;
        __threadfence_block();
        v = parent;
    }
}

// Mapping: a block takes a row, a thread vertices a block's width apart. Shared memory: 8 bytes a vertex. Limit: the latency of the
// climb, and the L2 cache. The reference is traffic_ref_assign().
__global__ void __launch_bounds__(CLIMB_BLOCK, 2) climb(const traffic_gpu_walk plan)
{
    if (plan.d_state->end != TRAFFIC_GPU_RUNNING)
        return;
    const climb_memory m = divide(plan.vertices);
    const int32_t n = (int32_t)plan.vertices, q = (int32_t)blockIdx.x, row = plan.d_row[q], origin = plan.d_row_origin[row];
    const int64_t from = plan.d_trip_first[row], to = plan.d_trip_first[row + 1];
    const int32_t *const label = plan.d_label + (int64_t)(q / plan.lanes) * plan.vertices * plan.lanes + q % plan.lanes;
#pragma unroll 4
    for (int32_t v = threadIdx.x; v < n; v += CLIMB_BLOCK)
        m.value[v] = (uint32_t)__ldg(label + (int64_t)v * plan.lanes);
    for (int32_t i = threadIdx.x; i <= n / 4; i += CLIMB_BLOCK)
        m.children[i] = 0;
    __syncthreads();
    uint32_t greatest = 0;
    for (int64_t i = from + threadIdx.x; i < to; i += CLIMB_BLOCK) {
        const uint32_t reached = m.value[plan.d_trip_to[i]];
        greatest = max(greatest, reached >= (uint32_t)NONE ? TRAFFIC_GPU_FAR_LABEL : reached);
    }
    for (int32_t v = threadIdx.x; v < n; v += CLIMB_BLOCK)
        find_parent(plan, m, origin, v);
    greatest = __reduce_max_sync(ALL_LANES, greatest);
    if (threadIdx.x % WARP == 0 && greatest > read_now(plan.d_greatest))
        atomicMax(plan.d_greatest, greatest);
    __syncthreads();
    unsigned long long leaves = 0;  // of this thread's vertices, at most 64
    int k = 0;
    for (int32_t v = threadIdx.x; v < n; v += CLIMB_BLOCK, k++) {
        m.value[v] = 0;
        if (children_of(m, v) == 0)
            leaves |= 1ull << k;
    }
    __syncthreads();
    for (int64_t i = from + threadIdx.x; i < to; i += CLIMB_BLOCK)
        m.value[plan.d_trip_to[i]] = plan.d_trip_amount[i];
    __syncthreads();
    k = 0;
    for (int32_t v = threadIdx.x; v < n; v += CLIMB_BLOCK, k++)
        if (leaves >> k & 1)
            climb_from(m, (uint32_t)v);
    __syncthreads();
    for (int32_t v = threadIdx.x; v < n; v += CLIMB_BLOCK) {
        const uint32_t flow = m.value[v];
        if (flow != 0 && m.parent[v] != NO_PARENT)
            atomicAdd(plan.d_load + __ldg(plan.d_range + 2 * (int64_t)v) + m.choice[v], (unsigned long long)flow);
    }
}

}  // namespace

size_t traffic_gpu_climb_bytes(int64_t vertices)
{
    return (size_t)vertices * (sizeof(uint32_t) + sizeof(uint16_t) + sizeof(uint8_t)) + ((size_t)vertices / 4 + 1) * sizeof(uint32_t);
}

cudaError_t traffic_gpu_climb_prepare(size_t bytes)
{
    return allow_shared(climb, bytes);
}

cudaError_t traffic_gpu_launch_climb(const traffic_gpu_walk *plan, cudaStream_t stream)
{
    return launch(climb, (unsigned int)plan->rows, (unsigned int)CLIMB_BLOCK, traffic_gpu_climb_bytes(plan->vertices), stream, *plan);
}
