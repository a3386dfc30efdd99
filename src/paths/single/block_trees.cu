// SPDX-License-Identifier: MIT
// Many trees of shortest paths on a GPU, a block for each: kernel and launchers. The reference is paths_ref_tree() (ref.c).
//
// The labels of a whole network lie in shared memory. A label that falls makes its vertex dirty. Dirty vertices below a threshold
// are near: they stand in a queue, and a round relaxes the arcs of all of them. When the queue is empty, a scan of the dirty bits
// finds the least label, and the threshold moves to delta above it. A vertex for which the queue has no room stays dirty, and a
// later scan finds it. So the queues may be short, and three blocks share a multiprocessor where a city has 14,000 vertices.
//
// Near and far labels: Davidson, Baxter, Garland, Owens (2014). Vertices at which paths end are never queued.
#include "paths/single/cuda.h"
#include "device/kernel.cuh"

namespace {

using namespace mco;

constexpr int32_t NONE = MCO_PATHS_NONE;
constexpr int MOST_THREADS = 512;

// Shared memory of a block, before labels, dirty bits and queues.
struct tree_state {
    long long tree;     // in work; count or more: none is left
    int near_count;     // entries of the queue in work
    int next_count;     // entries given to the other queue, those without room included
    int threshold;      // near labels are below
    int least;          // of the dirty labels
};

struct tree_memory {
    tree_state *state;
    int32_t *label;      // [vertices]
    uint32_t *dirty;     // [words]
    uint16_t *near_queue, *next_queue;  // [queue]
    int words;
};

template <class T> DEVICE T read_now(const T *word) { return *const_cast<const volatile T *>(word); }

DEVICE tree_memory divide_memory(const paths_block_plan &plan)
{
    tree_memory m;
    m.words = (plan.vertices + 31) / 32;
    m.state = dynamic_shared<tree_state>();
    m.label = reinterpret_cast<int32_t *>(m.state + 1);
    m.dirty = reinterpret_cast<uint32_t *>(m.label + plan.vertices);
    m.near_queue = reinterpret_cast<uint16_t *>(m.dirty + m.words);
    m.next_queue = m.near_queue + plan.queue;
    return m;
}

DEVICE void clear(const paths_block_plan &plan, const tree_memory &m, int source)
{
    for (int i = threadIdx.x; i < plan.vertices; i += blockDim.x)
        m.label[i] = i == source ? 0 : NONE;
    for (int i = threadIdx.x; i < m.words; i += blockDim.x)
        m.dirty[i] = i == source / 32 ? 1u << (source % 32) : 0;
    if (threadIdx.x == 0) {
        m.near_queue[0] = (uint16_t)source;
        m.state->near_count = 1;
        m.state->next_count = 0;
        m.state->threshold = plan.delta;
    }
}

// Lowers a label; a vertex that has become dirty or near goes into the next queue.
DEVICE void lower(const paths_block_plan &plan, const tree_memory &m, int threshold, int vertex, int label, bool is_end)
{
    if (label >= read_now(&m.label[vertex]))
        return;
    const int before = atomicMin(&m.label[vertex], label);
    if (label >= before || is_end)
        return;
    const uint32_t bit = 1u << (vertex % 32);
    const bool was_dirty = (atomicOr(&m.dirty[vertex / 32], bit) & bit) != 0;
    if (label >= threshold || (was_dirty && before < threshold))
        return;
    const int at = atomicAdd(&m.state->next_count, 1);
    if (at < plan.queue)
        m.next_queue[at] = (uint16_t)vertex;
}

// Relaxes the arcs of a near vertex. It is clean first: a label that falls from now on makes it dirty again.
DEVICE void relax(const paths_block_plan &plan, const tree_memory &m, int threshold, int vertex)
{
    const int4 *const row = reinterpret_cast<const int4 *>(plan.d_row + vertex);
    const int4 heads = __ldg(row), weights = __ldg(row + 1);
    atomicAnd(&m.dirty[vertex / 32], ~(1u << (vertex % 32)));
    __threadfence_block();
    const int label = read_now(&m.label[vertex]);
    const unsigned int ends = (unsigned int)heads.w >> 16, more = (unsigned int)heads.w & 0xffff;
    lower(plan, m, threshold, heads.x & 0xffff, label + weights.x, (ends & 1) != 0);
    lower(plan, m, threshold, (int)((unsigned int)heads.x >> 16), label + weights.y, (ends & 2) != 0);
    lower(plan, m, threshold, heads.y & 0xffff, label + weights.z, (ends & 4) != 0);
    lower(plan, m, threshold, (int)((unsigned int)heads.y >> 16), label + weights.w, (ends & 8) != 0);
    for (unsigned int k = 0; k < more; k++) {
        const paths_block_arc arc = plan.d_more[heads.z + (int)k];
        lower(plan, m, threshold, arc.head, label + arc.weight, arc.is_end != 0);
    }
}

// Finds the least dirty label and fills the queue with what is within delta of it. All threads call it; false: no vertex is dirty.
DEVICE bool scan(const paths_block_plan &plan, const tree_memory &m)
{
    int least = NONE;
    if (threadIdx.x == 0)
        m.state->least = NONE;
    __syncthreads();
    for (int i = threadIdx.x; i < m.words; i += blockDim.x)
        for (uint32_t bits = m.dirty[i]; bits != 0; bits &= bits - 1)
            least = min(least, m.label[i * 32 + __ffs((int)bits) - 1]);
    least = __reduce_min_sync(ALL_LANES, least);
    if (threadIdx.x % WARP == 0 && least < NONE)
        atomicMin(&m.state->least, least);
    __syncthreads();
    if (m.state->least == NONE)
        return false;
    const int threshold = min(m.state->least, NONE - plan.delta) + plan.delta;
    for (int i = threadIdx.x; i < m.words; i += blockDim.x)
        for (uint32_t bits = m.dirty[i]; bits != 0; bits &= bits - 1) {
            const int vertex = i * 32 + __ffs((int)bits) - 1;
            if (m.label[vertex] >= threshold)
                continue;
            const int at = atomicAdd(&m.state->near_count, 1);
            if (at < plan.queue)
                m.near_queue[at] = (uint16_t)vertex;
        }
    if (threadIdx.x == 0)
        m.state->threshold = threshold;
    __syncthreads();
    return true;
}

// Finds one tree. It ends: a round or a scan makes the least dirty label final, or a label falls. False: the host said stop.
DEVICE bool grow(const paths_block_plan &plan, tree_memory &m, unsigned int *rounds, unsigned int *scans)
{
    for (;;) {
        const int near_count = min(m.state->near_count, plan.queue), threshold = m.state->threshold;
        if (near_count == 0) {
            if (__syncthreads_or(threadIdx.x == 0 && read_now(&plan.d_control->stop) != 0))
                return false;
            ++*scans;
            if (!scan(plan, m))
                return true;
            continue;
        }
        ++*rounds;
        for (int i = threadIdx.x; i < near_count; i += blockDim.x)
            relax(plan, m, threshold, m.near_queue[i]);
        __syncthreads();
        if (threadIdx.x == 0) {
            m.state->near_count = m.state->next_count;
            m.state->next_count = 0;
        }
        uint16_t *const done = m.near_queue;
        m.near_queue = m.next_queue;
        m.next_queue = done;
        __syncthreads();
    }
}

// Mapping: a block takes one tree after another; a thread relaxes the arcs of one near vertex at a time.
// Shared memory: 4 bytes and a bit a vertex, 4 bytes for each entry of the queues, 24 bytes.
// Traffic: 32 bytes for each vertex that is relaxed, from the L2 cache, and 4 bytes a label written. Operations: a shared load for
// each arc that is relaxed, and for each label that falls an atomic minimum, an atomic OR and mostly an atomic addition.
// Limit: the latency of a round, a read of the L2 cache and about four shared atomics, over rounds of some tens of vertices.
__global__ void __launch_bounds__(MOST_THREADS) block_trees(const paths_block_plan plan)
{
    tree_memory m = divide_memory(plan);
    unsigned int rounds = 0, scans = 0;
    for (;;) {  // ends: each turn takes a tree
        if (threadIdx.x == 0)
            m.state->tree = read_now(&plan.d_control->stop) != 0 ? plan.count : (long long)atomicAdd(&plan.d_control->next, 1ull);
        __syncthreads();
        const long long tree = m.state->tree;
        if (tree >= plan.count)
            break;
        clear(plan, m, plan.d_source[tree]);
        __syncthreads();
        const bool is_done = grow(plan, m, &rounds, &scans);
        __syncthreads();
        if (!is_done)
            break;
        int32_t *const distance = plan.d_distance + tree * plan.vertices;
        for (int i = threadIdx.x; i < plan.vertices; i += blockDim.x)
            __stcs(distance + i, m.label[i]);
        if (threadIdx.x == 0)
            atomicAdd(&plan.d_control->done, 1ull);
        __syncthreads();
    }
    if (threadIdx.x == 0 && rounds > 0) {
        atomicAdd(&plan.d_control->rounds, (unsigned long long)rounds);
        atomicAdd(&plan.d_control->scans, (unsigned long long)scans);
    }
}

}  // namespace

size_t paths_block_trees_bytes(int32_t vertices, int32_t queue)
{
    return sizeof(tree_state) + (size_t)vertices * sizeof(int32_t) + ((size_t)vertices + 31) / 32 * sizeof(uint32_t) +
           2 * (size_t)queue * sizeof(uint16_t);
}

cudaError_t paths_block_trees_shape(paths_block_plan *plan, int multiprocessors)
{
    const size_t bytes = paths_block_trees_bytes(plan->vertices, plan->queue);
    int fit = 0;
    if (plan->threads < WARP || plan->threads > MOST_THREADS || plan->threads % WARP != 0)
        return cudaErrorInvalidValue;
    cudaError_t error = allow_shared(block_trees, bytes);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, block_trees, plan->threads, bytes);
    if (error == cudaSuccess && fit == 0)
        error = cudaErrorInvalidConfiguration;
    const int64_t all = (int64_t)fit * multiprocessors;
    plan->blocks = (int32_t)(plan->count < all ? plan->count : all);
    return error;
}

cudaError_t paths_launch_block_trees(const paths_block_plan *plan, cudaStream_t stream)
{
    return launch(block_trees, (unsigned int)plan->blocks, (unsigned int)plan->threads,
                  paths_block_trees_bytes(plan->vertices, plan->queue), stream, *plan);
}
