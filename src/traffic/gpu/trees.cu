// SPDX-License-Identifier: MIT
// All-or-nothing on a GPU, a block for each row (an origin of a class): trees of least costs and their loads.
//
// The tree of the last call is the start. A round has two parts. First the labels of the tree at the new costs: each node jumps from
// ancestor to ancestor and adds up what lies between; a node that has jumped serves those below it, so a path of n links takes about
// log2(n) jumps. Then each node takes its best link in, and for some pulls those behind it do. Rounds end when no node finds a better one. Labels of the tree that are
// exact make the rounds those of Howard's policy iteration: a change carries to all nodes below it at once, not link by link, so a
// few rounds suffice where costs have changed little. Costs are 1 or more, and a label is never less than its parent's plus the
// link's cost. So parents make a tree at any moment, also where labels meet their greatest value.
//
// Loads: a leaf passes its flow to its parent; the last child of a node passes on what the node has. Flows are integers: sums do
// not depend on the order. Parents do not either: after the last round, each is the smallest slot that gives the label.
//
// Bytes and operations, AustinTAPB (7,388 nodes, 18,961 slots, 1,117 to 1,462 rows): 75 KB of shared memory a row, so three rows a
// multiprocessor. A round takes about 8 jumps a node, 16 bytes of random shared memory each (about 9 cycles a warp with conflicts):
// 17,000 cycles; and a pull reads 8 bytes of L2 and 8 of shared memory a slot: 8,000. Three rounds and the loads: about 100,000
// cycles of a multiprocessor, 11 rows each: 0.6 ms. A tree from nothing by delta-stepping takes 0.27 ms of a block.
#include "device/kernel.cuh"
#include "traffic/gpu/cuda.h"

namespace {

using namespace mco;

// A node in shared memory. In trees: its label, and an ancestor that the label counts from. In loads: flow, and parent << 16 | children left.
struct entry {
    uint32_t value, link;
};

constexpr uint32_t NOT_MARKED = 0xfffffffe, MARKED = 0xffffffff;  // no node has such a number

struct row_memory {
    entry *node;        // [nodes]
    traffic_gpu_arc *arc;  // [slots] if arcs_in_shared
    uint16_t *parent;   // [nodes]
};

DEVICE row_memory divide(const traffic_gpu_trees &plan)
{
    row_memory m;
    m.node = dynamic_shared<entry>();
    m.arc = reinterpret_cast<traffic_gpu_arc *>(m.node + plan.nodes);
    m.parent = reinterpret_cast<uint16_t *>(m.arc + (plan.arcs_in_shared ? plan.slots : 0));
    return m;
}

DEVICE entry read_entry(const entry *at)
{
    const unsigned long long both = *reinterpret_cast<const volatile unsigned long long *>(at);
    return {(uint32_t)both, (uint32_t)(both >> 32)};
}
DEVICE void write_entry(entry *at, entry e)
{
    *reinterpret_cast<volatile unsigned long long *>(at) = (unsigned long long)e.link << 32 | e.value;
}
DEVICE uint32_t read_now(const uint32_t *word) { return *const_cast<const volatile uint32_t *>(word); }

DEVICE uint32_t add_labels(uint32_t a, uint32_t b)
{
    const uint32_t sum = a + b;
    return sum < a || sum > TRAFFIC_GPU_FAR_LABEL ? TRAFFIC_GPU_FAR_LABEL : sum;
}

// The labels of the tree, exact. Ends: every jump goes to a proper ancestor, and parents make a tree.
DEVICE void evaluate(const traffic_gpu_trees &plan, const row_memory &m, const traffic_gpu_arc *arc, int32_t origin)
{
    for (int32_t v = threadIdx.x; v < plan.nodes; v += blockDim.x) {
        const uint32_t slot = m.parent[v];
        entry e = {v == origin ? 0 : TRAFFIC_GPU_NO_LABEL, (uint32_t)v};
        if (slot != TRAFFIC_GPU_NO_SLOT) {
            const traffic_gpu_arc a = arc[slot];
            e = {a.cost, (uint32_t)a.tail};
        }
        write_entry(m.node + v, e);
    }
    __syncthreads();
    for (int32_t v = threadIdx.x; v < plan.nodes; v += blockDim.x) {
        entry e = read_entry(m.node + v);
        if (e.value == TRAFFIC_GPU_NO_LABEL)
            continue;
        while (e.link != (uint32_t)origin) {
            const entry above = read_entry(m.node + e.link);
            e = {add_labels(e.value, above.value), above.link};
            write_entry(m.node + v, e);
        }
    }
    __syncthreads();
}

// Nodes that may have a better link in take it: all of them, or those that a link from a node with a new label enters. A node is
// marked in the word that held its ancestor. It takes its mark away before it reads labels, and a label is written before the marks are set, so no new
// label is missed. Whether any node has found a better link; all threads call it.
DEVICE bool pull(const traffic_gpu_trees &plan, const row_memory &m, const traffic_gpu_arc *arc, int32_t origin, bool of_all)
{
    bool has_changed = false;
    for (int32_t v = threadIdx.x; v < plan.nodes; v += blockDim.x) {
        volatile uint32_t *const mark = &m.node[v].link;
        if (!of_all && *mark != MARKED)
            continue;
        *mark = NOT_MARKED;
        __threadfence_block();
        const int32_t end = __ldg(plan.d_first + v + 1);
        const uint32_t label = m.node[v].value;
        uint32_t best = label, slot = 0;
        for (int32_t s = __ldg(plan.d_first + v); s < end; s++) {
            const traffic_gpu_arc a = arc[s];
            const uint32_t tail_label = read_now(&m.node[a.tail].value), sum = tail_label + a.cost;
            if ((a.tail >= plan.first_through || a.tail == origin) && tail_label != TRAFFIC_GPU_NO_LABEL && sum > tail_label && sum < best) {
                best = sum;
                slot = (uint32_t)s;
            }
        }
        if (best >= label)
            continue;
        *const_cast<volatile uint32_t *>(&m.node[v].value) = best;
        m.parent[v] = (uint16_t)slot;
        has_changed = true;
        __threadfence_block();
        const int32_t last = __ldg(plan.d_out_first + v + 1);
        for (int32_t k = __ldg(plan.d_out_first + v); k < last; k++)
            *const_cast<volatile uint32_t *>(&m.node[__ldg(plan.d_out_head + k)].link) = MARKED;
    }
    return __syncthreads_or(has_changed);
}

// The parent of a node is the smallest slot that gives its label. Ties lead to a node with a smaller label, so the tree stays one.
DEVICE void settle_ties(const traffic_gpu_trees &plan, const row_memory &m, const traffic_gpu_arc *arc, int32_t origin)
{
    for (int32_t v = threadIdx.x; v < plan.nodes; v += blockDim.x) {
        const uint32_t label = m.node[v].value, parent = m.parent[v];
        if (label >= TRAFFIC_GPU_FAR_LABEL || parent == TRAFFIC_GPU_NO_SLOT)
            continue;
        for (int32_t s = __ldg(plan.d_first + v); s < (int32_t)parent; s++) {
            const traffic_gpu_arc a = arc[s];
            const uint32_t tail_label = m.node[a.tail].value;
            if (tail_label < label && tail_label + a.cost == label && (a.tail >= plan.first_through || a.tail == origin)) {
                m.parent[v] = (uint16_t)s;
                break;
            }
        }
    }
}

// The greatest label of a destination.
DEVICE void tell_greatest(const traffic_gpu_trees &plan, const row_memory &m, int64_t from, int64_t to)
{
    uint32_t greatest = 0;
    for (int64_t i = from + threadIdx.x; i < to; i += blockDim.x)
        greatest = max(greatest, m.node[__ldg(plan.d_trip_to + i)].value);
    greatest = __reduce_max_sync(ALL_LANES, greatest);
    if (threadIdx.x % WARP == 0 && greatest > read_now(plan.d_greatest))
        atomicMax(plan.d_greatest, greatest);
}

// Sums of trips below each node, and from them the load of its parent's slot. Ends: a thread climbs to the origin at most.
DEVICE void load(const traffic_gpu_trees &plan, const row_memory &m, const traffic_gpu_arc *arc, int32_t origin, int64_t from, int64_t to,
                 unsigned long long *out)
{
    for (int32_t v = threadIdx.x; v < plan.nodes; v += blockDim.x) {
        const uint32_t slot = m.parent[v];
        write_entry(m.node + v, {0, slot == TRAFFIC_GPU_NO_SLOT ? 0xffff0000u : (uint32_t)arc[slot].tail << 16});
    }
    __syncthreads();
    for (int64_t i = from + threadIdx.x; i < to; i += blockDim.x)
        m.node[__ldg(plan.d_trip_to + i)].value = __ldg(plan.d_trip_amount + i);
    for (int32_t v = threadIdx.x; v < plan.nodes; v += blockDim.x) {
        const uint32_t parent = read_now(&m.node[v].link) >> 16;
        if (parent != TRAFFIC_GPU_NO_SLOT)
            atomicAdd(&m.node[parent].link, 1u);
    }
    __syncthreads();
    unsigned long long leaves = 0;  // of this thread's nodes: TRAFFIC_GPU_MOST_NODES of 512 threads or more are 64 each
    int k = 0;
    for (int32_t v = threadIdx.x; v < plan.nodes; v += blockDim.x, k++)
        if ((m.node[v].link & 0xffff) == 0)
            leaves |= 1ull << k;
    __syncthreads();
    k = 0;
    for (int32_t leaf = threadIdx.x; leaf < plan.nodes; leaf += blockDim.x, k++) {
        if ((leaves >> k & 1) == 0)
            continue;
        uint32_t v = (uint32_t)leaf, parent = read_now(&m.node[v].link) >> 16;
        while (parent != TRAFFIC_GPU_NO_SLOT) {
            const uint32_t flow = read_now(&m.node[v].value);
            if (flow != 0)
                atomicAdd(&m.node[parent].value, flow);
            __threadfence_block();
            const uint32_t before = atomicSub(&m.node[parent].link, 1u);
            if ((before & 0xffff) != 1)
                break;
            __threadfence_block();
            v = parent;
            parent = before >> 16;
        }
    }
    __syncthreads();
    for (int32_t v = threadIdx.x; v < plan.nodes; v += blockDim.x) {
        const uint32_t slot = m.parent[v], flow = m.node[v].value;
        if (slot != TRAFFIC_GPU_NO_SLOT && flow != 0)
            atomicAdd(out + slot, (unsigned long long)flow);
    }
}

// Mapping: a block takes a row, a thread nodes a block's width apart. Shared memory: 10 bytes a node, and 8 a slot where the arcs fit
// too. Traffic: the arcs once a pull, from the L2 cache or from shared memory; 4 bytes a node of parents; an atomic addition of
// 8 bytes for each slot of the tree that has flow. Limit: conflicts of banks where networks are large, latency where they are small.
// Rounds end: labels fall, and they are integers above 0. The reference is traffic_ref_assign().
template <int MOST_THREADS, bool IN_SHARED, int BLOCKS>
__global__ void __launch_bounds__(MOST_THREADS, BLOCKS) trees(const traffic_gpu_trees plan)
{
    if (plan.d_state->end != TRAFFIC_GPU_RUNNING)
        return;
    const row_memory m = divide(plan);
    const int32_t row = (int32_t)blockIdx.x, k = __ldg(plan.d_row_class + row), origin = __ldg(plan.d_row_origin + row);
    const int64_t from = __ldg(plan.d_trip_first + row), to = __ldg(plan.d_trip_first + row + 1);
    uint16_t *const kept = plan.d_parent + (int64_t)row * plan.nodes;
    const traffic_gpu_arc *arc = plan.d_arc + (int64_t)k * plan.slots;
    unsigned int evaluations = 0, pulls = 0;
    for (int32_t v = threadIdx.x; v < plan.nodes; v += blockDim.x)
        m.parent[v] = plan.is_cold ? TRAFFIC_GPU_NO_SLOT : kept[v];
    if (IN_SHARED) {
        for (int32_t s = threadIdx.x; s < plan.slots; s += blockDim.x)
            m.arc[s] = arc[s];
        arc = m.arc;
    }
    __syncthreads();
    bool has_changed = true, was_cold = plan.is_cold;
    while (has_changed) {
        evaluate(plan, m, arc, origin);
        has_changed = pull(plan, m, arc, origin, true);
        evaluations++;
        pulls++;
        // Without a tree of before, labels spread link by link. Labels that no link improves are exact, whatever way led to them.
        for (int32_t i = 1; has_changed && (was_cold || i < plan.pulls); i++, pulls++)
            has_changed = pull(plan, m, arc, origin, false);
        was_cold = false;
    }
    settle_ties(plan, m, arc, origin);
    tell_greatest(plan, m, from, to);
    __syncthreads();
    for (int32_t v = threadIdx.x; v < plan.nodes; v += blockDim.x)
        kept[v] = m.parent[v];
    load(plan, m, arc, origin, from, to, plan.d_load + (int64_t)k * plan.slots);
    if (plan.d_rounds != nullptr && threadIdx.x == 0) {
        atomicAdd(plan.d_rounds, (unsigned long long)evaluations);
        atomicAdd(plan.d_rounds + 1, (unsigned long long)pulls);
    }
}

using kernel = void (*)(const traffic_gpu_trees);

kernel choose(const traffic_gpu_trees *plan)
{
    if (plan->threads > 512)
        return plan->arcs_in_shared ? trees<1024, true, 1> : trees<1024, false, 2>;
    return plan->arcs_in_shared ? trees<512, true, 3> : trees<512, false, 3>;
}

}  // namespace

size_t traffic_gpu_trees_bytes(const traffic_gpu_trees *plan)
{
    return (size_t)plan->nodes * (sizeof(entry) + sizeof(uint16_t)) + (plan->arcs_in_shared ? (size_t)plan->slots * sizeof(traffic_gpu_arc) : 0);
}

cudaError_t traffic_gpu_trees_shape(const traffic_gpu_trees *plan, int *blocks)
{
    if (plan->inner.count > 0)
        return traffic_gpu_relax_shape(plan, blocks);
    const size_t bytes = traffic_gpu_trees_bytes(plan);
    cudaError_t error = allow_shared(choose(plan), bytes);
    *blocks = 0;
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, choose(plan), plan->threads, bytes);
    return error;
}

cudaError_t traffic_gpu_launch_trees(const traffic_gpu_trees *plan, cudaStream_t stream)
{
    if (plan->inner.count > 0)
        return traffic_gpu_launch_relax(plan, stream);
    return launch(choose(plan), (unsigned int)plan->rows, (unsigned int)plan->threads, traffic_gpu_trees_bytes(plan), stream, *plan);
}
