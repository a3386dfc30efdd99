// SPDX-License-Identifier: MIT
// Least-cost trees of all rows, and what their flows say at these costs, for the method of pairs: kernels and launchers. The reference
// is the scanner of the cores (pairs/scan.c): labels, parents and candidates are equal bit for bit, sums up to their order.
//
// A block takes one row after another. Its labels are doubles whose bits are compared as integers, so that the least of them is kept
// by an atomic minimum; a label is the least rounded sum over all paths, whatever the order. The search is by near and far labels
// (Davidson, Baxter, Garland, Owens 2014), as in paths/single/block_trees.cu. Then each node looks for its parent, and the flows of
// the row are read once, while the labels are still at hand.
#include "device/kernel.cuh"
#include "traffic/gpu_pairs/cuda.h"

namespace {

using namespace mco;

typedef unsigned long long bits_t;  // of a label

constexpr bits_t NO_LABEL = 0x7ff0000000000000ull;  // infinity
constexpr int THREADS = TRAFFIC_GPU_THREADS, WARPS = THREADS / WARP, SLOTS = TRAFFIC_STAR_SLOTS, LANES = TRAFFIC_GPU_LANES;

// Shared memory of a block, before labels, dirty bits and queues.
struct row_state {
    long long ticket;     // in work; count or more: none is left
    bits_t least;         // of the dirty labels
    bits_t threshold;     // near labels are below
    int near_count;       // entries of the queue in work
    int next_count;       // entries given to the other queue, those without room included
    double total[WARPS], excess[WARPS];
    int count[WARPS];     // links wanted, by warp
    long long first[WARPS];  // where the links of a warp go; -1: there is no room
};

// ENTRY: uint16_t where labels lie in shared memory, else int32_t.
template <class ENTRY> struct row_memory {
    row_state *state;
    bits_t *label;        // [nodes]
    uint32_t *dirty;      // [words]
    ENTRY *near_queue, *next_queue;  // [queue] each, behind the dirty bits; both together have room for `words` words
    int words;
};

// What a block works on.
struct row_work {
    int place, origin;
    const traffic_star_link *star, *more;
    const traffic_into_link *into;
    const double *cost;
};

template <class T> DEVICE T read_now(const T *word) { return *const_cast<const volatile T *>(word); }
DEVICE double as_cost(bits_t label) { return __longlong_as_double((long long)label); }
DEVICE bits_t as_bits(double cost) { return (bits_t)__double_as_longlong(cost); }

DEVICE row_memory<uint16_t> divide_memory(const traffic_gpu_plan &plan, uint16_t)
{
    row_memory<uint16_t> m;
    m.words = (plan.nodes + 31) / 32;
    m.state = dynamic_shared<row_state>();
    m.label = reinterpret_cast<bits_t *>(m.state + 1);
    m.dirty = reinterpret_cast<uint32_t *>(m.label + plan.nodes);
    m.near_queue = reinterpret_cast<uint16_t *>(m.dirty + m.words);
    m.next_queue = m.near_queue + plan.queue;
    return m;
}

DEVICE row_memory<int32_t> divide_memory(const traffic_gpu_plan &plan, int32_t)
{
    row_memory<int32_t> m;
    m.words = (plan.nodes + 31) / 32;
    m.state = dynamic_shared<row_state>();
    char *const own = static_cast<char *>(plan.d_scratch) + blockIdx.x * plan.scratch_bytes;
    m.label = reinterpret_cast<bits_t *>(own);
    m.dirty = reinterpret_cast<uint32_t *>(m.label + plan.nodes);
    m.near_queue = reinterpret_cast<int32_t *>(m.dirty + m.words);
    m.next_queue = m.near_queue + plan.queue;
    return m;
}

DEVICE row_work begin_row(const traffic_gpu_plan &plan, long long ticket)
{
    row_work w;
    w.place = plan.d_place[ticket];
    w.origin = plan.d_place_origin[w.place];
    const size_t table = (size_t)plan.d_place_table[w.place];
    w.star = plan.d_star + table * plan.nodes * SLOTS;
    w.more = plan.d_more + table * plan.more_count;
    w.into = plan.d_into + table * plan.links;
    w.cost = plan.d_cost + table * plan.links;
    return w;
}

// ---- Labels

template <class ENTRY> DEVICE void clear(const traffic_gpu_plan &plan, const row_memory<ENTRY> &m, int origin)
{
    for (int i = threadIdx.x; i < plan.nodes; i += THREADS)
        m.label[i] = i == origin ? 0 : NO_LABEL;
    for (int i = threadIdx.x; i < m.words; i += THREADS)
        m.dirty[i] = i == origin / 32 ? 1u << (origin % 32) : 0;
    if (threadIdx.x == 0) {
        m.near_queue[0] = (ENTRY)origin;
        m.state->near_count = 1;
        m.state->next_count = 0;
        m.state->threshold = as_bits(plan.delta);
    }
}

// Lowers a label; a node that has become dirty or near goes into the next queue. Paths never go on from an end.
template <class ENTRY>
DEVICE void lower(const traffic_gpu_plan &plan, const row_memory<ENTRY> &m, bits_t threshold, int node, bits_t label)
{
    if (label >= read_now(&m.label[node]))
        return;
    const bits_t before = atomicMin(&m.label[node], label);
    if (label >= before || node < plan.first_through)
        return;
    const uint32_t bit = 1u << (node % 32);
    const bool was_dirty = (atomicOr(&m.dirty[node / 32], bit) & bit) != 0;
    if (label >= threshold || (was_dirty && before < threshold))
        return;
    const int at = atomicAdd(&m.state->next_count, 1);
    if (at < plan.queue)
        m.next_queue[at] = (ENTRY)node;
}

// Four lanes relax the links of a near node. It is clean first: a label that falls from now on makes it dirty again.
template <class ENTRY>
DEVICE void relax(const traffic_gpu_plan &plan, const row_memory<ENTRY> &m, const row_work &w, bits_t threshold, int near_count)
{
    const int lane = threadIdx.x % SLOTS, leader = threadIdx.x % WARP / SLOTS * SLOTS;
    for (int k = threadIdx.x / WARP * (WARP / SLOTS); k < near_count; k += THREADS / SLOTS) {  // the same k for a warp
        const int mine = k + threadIdx.x % WARP / SLOTS;
        const bool is_mine = mine < near_count;
        const int node = is_mine ? (int)m.near_queue[mine] : 0;
        double label = 0;
        if (is_mine && lane == 0) {
            atomicAnd(&m.dirty[node / 32], ~(1u << (node % 32)));
            __threadfence_block();
            label = as_cost(read_now(&m.label[node]));
        }
        label = __shfl_sync(ALL_LANES, label, leader);
        const int4 slot = __ldg(reinterpret_cast<const int4 *>(w.star + (size_t)node * SLOTS + lane));
        const int more = __shfl_sync(ALL_LANES, slot.w, leader), more_count = __shfl_sync(ALL_LANES, slot.w, leader + 1);
        if (!is_mine)
            continue;
        lower(plan, m, threshold, slot.z, as_bits(label + __hiloint2double(slot.y, slot.x)));
        for (int j = lane; j < more_count; j += SLOTS) {
            const traffic_star_link a = w.more[more + j];
            lower(plan, m, threshold, a.head, as_bits(label + a.cost));
        }
    }
}

// Finds the least dirty label and fills the queue with what is within delta of it. All threads call it; false: no node is dirty.
template <class ENTRY> DEVICE bool find_near(const traffic_gpu_plan &plan, const row_memory<ENTRY> &m)
{
    bits_t least = NO_LABEL;
    if (threadIdx.x == 0)
        m.state->least = NO_LABEL;
    __syncthreads();
    for (int i = threadIdx.x; i < m.words; i += THREADS)
        for (uint32_t bits = m.dirty[i]; bits != 0; bits &= bits - 1)
            least = min(least, m.label[i * 32 + __ffs((int)bits) - 1]);
    for (int step = WARP / 2; step > 0; step /= 2)
        least = min(least, __shfl_xor_sync(ALL_LANES, least, step));
    if (threadIdx.x % WARP == 0 && least < NO_LABEL)
        atomicMin(&m.state->least, least);
    __syncthreads();
    least = m.state->least;
    if (least == NO_LABEL)
        return false;
    const bits_t threshold = max(as_bits(as_cost(least) + plan.delta), least + 1);
    for (int i = threadIdx.x; i < m.words; i += THREADS)
        for (uint32_t bits = m.dirty[i]; bits != 0; bits &= bits - 1) {
            const int node = i * 32 + __ffs((int)bits) - 1;
            if (m.label[node] >= threshold)
                continue;
            const int at = atomicAdd(&m.state->near_count, 1);
            if (at < plan.queue)
                m.near_queue[at] = (ENTRY)node;
        }
    if (threadIdx.x == 0)
        m.state->threshold = threshold;
    __syncthreads();
    return true;
}

// Finds the labels of a row. It ends: a turn makes the least dirty label final, or a label falls. False: the host said stop.
template <class ENTRY>
DEVICE bool grow(const traffic_gpu_plan &plan, row_memory<ENTRY> &m, const row_work &w, unsigned int *rounds, unsigned int *scans)
{
    for (;;) {
        const int near_count = min(m.state->near_count, plan.queue);
        const bits_t threshold = m.state->threshold;
        if (near_count == 0) {
            if (__syncthreads_or(threadIdx.x == 0 && read_now(&plan.d_control->stop) != 0))
                return false;
            ++*scans;
            if (!find_near(plan, m))
                return true;
            continue;
        }
        ++*rounds;
        relax(plan, m, w, threshold, near_count);
        __syncthreads();
        if (threadIdx.x == 0) {
            m.state->near_count = m.state->next_count;
            m.state->next_count = 0;
        }
        ENTRY *const done = m.near_queue;
        m.near_queue = m.next_queue;
        m.next_queue = done;
        __syncthreads();
    }
}

// ---- Parents

// Whether paths of this row go on from a node.
DEVICE bool goes_on(const traffic_gpu_plan &plan, const row_work &w, int node)
{
    return node >= plan.first_through || node == w.origin;
}

DEVICE void write_parent(const traffic_gpu_plan &plan, const row_work &w, int node, int position)
{
    const size_t at = ((size_t)(w.place / LANES) * plan.nodes + node) * LANES + w.place % LANES;
    if (plan.has_wide_parents)
        static_cast<int32_t *>(plan.d_parent)[at] = position;
    else
        static_cast<uint8_t *>(plan.d_parent)[at] = (uint8_t)(position < 0 ? TRAFFIC_NO_PARENT : position);
}

DEVICE int read_parent(const traffic_gpu_plan &plan, const row_work &w, int node)
{
    const size_t at = ((size_t)(w.place / LANES) * plan.nodes + node) * LANES + w.place % LANES;
    if (plan.has_wide_parents)
        return static_cast<const int32_t *>(plan.d_parent)[at];
    const int position = static_cast<const uint8_t *>(plan.d_parent)[at];
    return position == TRAFFIC_NO_PARENT ? -1 : position;
}

// The position of the first tight link into a node whose tail has a smaller label, -1: none.
template <class ENTRY> DEVICE int find_parent(const traffic_gpu_plan &plan, const row_memory<ENTRY> &m, const row_work &w, int node)
{
    const int begin = plan.d_into_first[node], end = plan.d_into_first[node + 1];
    const bits_t label = m.label[node];
    for (int k = begin; k < end; k++) {
        const traffic_into_link a = w.into[k];
        const bits_t tail = m.label[a.tail];
        if (tail < label && goes_on(plan, w, a.tail) && as_bits(as_cost(tail) + a.cost) == label)
            return k - begin;
    }
    return -1;
}

// The same among links whose tail has the same label and a parent. Dirty nodes are those without a parent.
template <class ENTRY>
DEVICE int find_level_parent(const traffic_gpu_plan &plan, const row_memory<ENTRY> &m, const row_work &w, int node)
{
    const int begin = plan.d_into_first[node], end = plan.d_into_first[node + 1];
    const bits_t label = m.label[node];
    for (int k = begin; k < end; k++) {
        const traffic_into_link a = w.into[k];
        if (m.label[a.tail] == label && goes_on(plan, w, a.tail) && (m.dirty[a.tail / 32] >> (a.tail % 32) & 1) == 0 &&
            as_bits(as_cost(label) + a.cost) == label)
            return k - begin;
    }
    return -1;
}

// Gives nodes that are entered by links without cost their parents, round by round: a tail counts if it had a parent when the round
// began. The queues are not needed any more: they mark the nodes of a round. It ends: each turn but the last takes dirty nodes away.
template <class ENTRY> DEVICE void find_level_parents(const traffic_gpu_plan &plan, const row_memory<ENTRY> &m, const row_work &w)
{
    uint32_t *const found = m.dirty + m.words;
    bool is_found = true;
    while (__syncthreads_or(is_found)) {
        is_found = false;
        for (int i = threadIdx.x; i < m.words; i += THREADS)
            found[i] = 0;
        __syncthreads();
        for (int i = threadIdx.x; i < plan.nodes; i += THREADS) {
            const int position = (m.dirty[i / 32] >> (i % 32) & 1) != 0 ? find_level_parent(plan, m, w, i) : -1;
            if (position < 0)
                continue;
            write_parent(plan, w, i, position);
            atomicOr(&found[i / 32], 1u << (i % 32));
            is_found = true;
        }
        __syncthreads();
        for (int i = threadIdx.x; i < m.words; i += THREADS)
            m.dirty[i] &= ~found[i];
    }
}

// All threads call it, after a barrier; the labels are final and no node is dirty.
template <class ENTRY> DEVICE void find_parents(const traffic_gpu_plan &plan, const row_memory<ENTRY> &m, const row_work &w)
{
    bool is_level = false;
    for (int i = threadIdx.x; i < plan.nodes; i += THREADS) {
        const bool has_parent = m.label[i] < NO_LABEL && i != w.origin;
        const int position = has_parent ? find_parent(plan, m, w, i) : -1;
        write_parent(plan, w, i, position);
        if (has_parent && position < 0) {
            atomicOr(&m.dirty[i / 32], 1u << (i % 32));
            is_level = true;
        }
    }
    if (__syncthreads_or(is_level))
        find_level_parents(plan, m, w);
    __syncthreads();
}

template <class ENTRY> DEVICE void write_labels(const traffic_gpu_plan &plan, const row_memory<ENTRY> &m, const row_work &w)
{
    double *const label = plan.d_label + (size_t)w.place * plan.nodes;
    for (int i = threadIdx.x; i < plan.nodes; i += THREADS)
        label[i] = as_cost(m.label[i]);
}

// ---- Flows

// A link of a place, as a scan sees it.
struct seen_link {
    double flow, cost, reduced;
};

template <class ENTRY>
DEVICE seen_link look(const row_memory<ENTRY> &m, const row_work &w, const traffic_gpu_plan &plan, int link, double flow)
{
    const double cost = w.cost[link];
    return {flow, cost, as_cost(m.label[plan.d_tail[link]]) + cost - as_cost(m.label[plan.d_head[link]])};
}

// Links of a warp: begin .. end - 1. A row is divided evenly, in whole turns of a warp.
DEVICE void range_of_warp(int links, int *begin, int *end)
{
    const int turns = (links + WARP - 1) / WARP, each = (turns + WARPS - 1) / WARPS * WARP;
    *begin = min(links, (int)threadIdx.x / WARP * each);
    *end = min(links, *begin + each);
}

DEVICE double sum_of_warp(double value)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, step);
    return value;
}

// Adds up the flows of a place and counts the links wanted. LOADS: every link with flow is wanted.
template <bool LOADS, class ENTRY>
DEVICE void count_links(const traffic_gpu_plan &plan, const row_memory<ENTRY> &m, const row_work &w, const double *flow)
{
    int begin, end, count = 0;
    double total = 0, excess = 0;
    range_of_warp(plan.links, &begin, &end);
#pragma unroll 4
    for (int l = begin + (int)threadIdx.x % WARP; l < end; l += WARP) {
        const double x = flow[l];
        if (!(x > 0))
            continue;
        if (LOADS) {
            count++;
            continue;
        }
        const seen_link s = look(m, w, plan, l, x);
        total += x * s.cost;
        excess += x * s.reduced;
        count += x * s.reduced > plan.threshold;
    }
    total = sum_of_warp(total);
    excess = sum_of_warp(excess);
    for (int step = WARP / 2; step > 0; step /= 2)
        count += __shfl_xor_sync(ALL_LANES, count, step);
    if (threadIdx.x % WARP == 0) {
        m.state->total[threadIdx.x / WARP] = total;
        m.state->excess[threadIdx.x / WARP] = excess;
        m.state->count[threadIdx.x / WARP] = count;
    }
}

// One thread takes room for the links wanted and writes the sums.
template <class ENTRY> DEVICE void divide_links(const traffic_gpu_plan &plan, const row_memory<ENTRY> &m, const row_work &w)
{
    traffic_place_sum sum = {0, 0, 0, 0};
    for (int k = 0; k < WARPS; k++) {
        sum.total += m.state->total[k];
        sum.excess += m.state->excess[k];
        sum.count += m.state->count[k];
    }
    if (sum.count > 0)
        sum.first = (int64_t)atomicAdd(&plan.d_control->found, (unsigned long long)sum.count);
    long long next = sum.first;
    for (int k = 0; k < WARPS; k++) {
        m.state->first[k] = sum.first + sum.count <= plan.room && m.state->count[k] > 0 ? next : -1;
        next += m.state->count[k];
    }
    plan.d_sum[w.place] = sum;
}

template <bool LOADS, class ENTRY>
DEVICE void write_links(const traffic_gpu_plan &plan, const row_memory<ENTRY> &m, const row_work &w, const double *flow)
{
    int begin, end;
    long long next = m.state->first[threadIdx.x / WARP];
    if (next < 0)
        return;
    range_of_warp(plan.links, &begin, &end);
    for (int turn = begin; turn < end; turn += WARP) {  // the same turns for all lanes
        const int l = turn + (int)threadIdx.x % WARP;
        const double x = l < end ? flow[l] : 0;
        const double value = !(x > 0) ? 0 : LOADS ? x : look(m, w, plan, l, x).reduced;
        const bool is_wanted = x > 0 && (LOADS || x * value > plan.threshold);
        const unsigned int wanted = __ballot_sync(ALL_LANES, is_wanted);
        if (is_wanted)
            plan.d_found[next + __popc(wanted & ((1u << (threadIdx.x % WARP)) - 1))] = {w.place, l, value};
        next += __popc(wanted);
    }
}

template <bool LOADS, class ENTRY> DEVICE void list_links(const traffic_gpu_plan &plan, const row_memory<ENTRY> &m, const row_work &w)
{
    const double *const flow = plan.d_flow + (size_t)w.place * plan.links;
    count_links<LOADS>(plan, m, w, flow);
    __syncthreads();
    if (threadIdx.x == 0)
        divide_links(plan, m, w);
    __syncthreads();
    write_links<LOADS>(plan, m, w, flow);
}

// Puts the trips of a place on its tree. Labels are not needed any more: their words add up what enters each node, in integers, so
// that the order does not matter. Ends: a walk towards the origin takes one link of a tree after another.
template <class ENTRY> DEVICE void load_trips(const traffic_gpu_plan &plan, const row_memory<ENTRY> &m, const row_work &w)
{
    double *const flow = plan.d_flow + (size_t)w.place * plan.links;
    const double scale = plan.d_place_scale[w.place];
    for (int l = threadIdx.x; l < plan.links; l += THREADS)
        flow[l] = 0;
    for (int i = threadIdx.x; i < plan.nodes; i += THREADS)
        m.label[i] = 0;
    __syncthreads();
    for (int64_t k = plan.d_place_first[w.place] + threadIdx.x; k < plan.d_place_end[w.place]; k += THREADS) {
        const bits_t amount = (bits_t)__double2ll_rn(plan.d_amount[k] * scale);
        for (int v = plan.d_to[k]; v != w.origin;) {
            const int position = read_parent(plan, w, v);
            if (position < 0) {
                atomicAdd(&plan.d_control->lost, 1ull);
                break;
            }
            atomicAdd(&m.label[v], amount);
            v = w.into[plan.d_into_first[v] + position].tail;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < plan.nodes; i += THREADS)
        if (m.label[i] > 0)
            flow[w.into[plan.d_into_first[i] + read_parent(plan, w, i)].link] = (double)m.label[i] / scale;
    __syncthreads();
}

// ---- Kernels

// Mapping: a block takes one place after another; four lanes relax the links of a near node, a thread finds the parent of a node, and
// a warp reads a range of the flows.
// Shared memory: 8 bytes and a bit a node, 4 bytes for each entry of the queues, 480 bytes; 115 KB on a city of 13,603 nodes, so that
// two blocks share a multiprocessor. Labels of more nodes lie in device memory, mostly in the L2 cache.
// Traffic: 64 bytes for each node that is relaxed, 16 for each link in the search for parents and 16 more for each link with flow, all
// from the L2 cache; 8 bytes for each link of the network (its flow) and a byte a node (its parent) from and to device memory.
// Limit: the latency of a round of the search, over rounds of some tens of nodes.
template <bool LOADS, class ENTRY> __global__ void __launch_bounds__(THREADS, 2) trees(const traffic_gpu_plan plan)
{
    row_memory<ENTRY> m = divide_memory(plan, ENTRY());
    unsigned int rounds = 0, scans = 0;
    for (;;) {  // ends: each turn takes a place
        if (threadIdx.x == 0)
            m.state->ticket = read_now(&plan.d_control->stop) != 0 ? plan.count : (long long)atomicAdd(&plan.d_control->next, 1ull);
        __syncthreads();
        const long long ticket = m.state->ticket;
        if (ticket >= plan.count)
            break;
        const row_work w = begin_row(plan, ticket);
        clear(plan, m, w.origin);
        __syncthreads();
        const bool is_done = grow(plan, m, w, &rounds, &scans);
        __syncthreads();
        if (!is_done)
            break;
        find_parents(plan, m, w);
        if (LOADS)
            load_trips(plan, m, w);
        else if (plan.d_label != nullptr)
            write_labels(plan, m, w);
        list_links<LOADS>(plan, m, w);
        if (threadIdx.x == 0)
            atomicAdd(&plan.d_control->done, 1ull);
        __syncthreads();
    }
    if (threadIdx.x == 0 && rounds > 0) {
        atomicAdd(&plan.d_control->rounds, (unsigned long long)rounds);
        atomicAdd(&plan.d_control->scans, (unsigned long long)scans);
    }
}

// A thread writes the cost of one slot of a star, of one entry of the list, or of one link into a node, of one table.
// Traffic: 16 bytes written and 12 read for each, which is nothing beside the trees.
__global__ void weigh(const traffic_gpu_plan plan)
{
    const int64_t stars = (int64_t)plan.nodes * SLOTS, each = stars + plan.more_count + plan.links;
    const int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, table = blockIdx.y;
    if (k >= each)
        return;
    const double *const cost = plan.d_cost + table * plan.links;
    if (k >= stars + plan.more_count) {
        traffic_into_link *const a = plan.d_into + table * plan.links + (k - stars - plan.more_count);
        a->cost = cost[a->link];
        return;
    }
    const int32_t link = plan.d_star_link[k];
    traffic_star_link *const a = k < stars ? plan.d_star + table * stars + k : plan.d_more + table * plan.more_count + (k - stars);
    if (link >= 0)
        a->cost = cost[link];
}

// A thread writes one flow. The places of a batch lie far apart: a sector is written for each.
__global__ void change(const traffic_gpu_plan plan, const traffic_gpu_changes changes)
{
    const int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= changes.count * LANES)
        return;
    const int64_t place = (int64_t)changes.d_batch[k / LANES] * LANES + k % LANES;
    plan.d_flow[place * plan.links + changes.d_link[k / LANES]] = changes.d_flow[k];
}

size_t shared_bytes(const traffic_gpu_plan *plan)
{
    return plan->is_wide ? sizeof(row_state) : traffic_gpu_shared(plan->nodes, plan->queue);
}

template <class ENTRY> cudaError_t shape(traffic_gpu_plan *plan, int multiprocessors)
{
    int scans = 0, loads = 0;
    const size_t bytes = shared_bytes(plan);
    cudaError_t error = allow_shared(trees<false, ENTRY>, bytes);
    if (error == cudaSuccess)
        error = allow_shared(trees<true, ENTRY>, bytes);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&scans, trees<false, ENTRY>, THREADS, bytes);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&loads, trees<true, ENTRY>, THREADS, bytes);
    if (error == cudaSuccess && (scans == 0 || loads == 0))
        error = cudaErrorInvalidConfiguration;
    plan->blocks = (scans < loads ? scans : loads) * multiprocessors;
    return error;
}

template <bool LOADS> cudaError_t launch_trees(const traffic_gpu_plan *plan, cudaStream_t stream)
{
    const unsigned int blocks = (unsigned int)(plan->count < plan->blocks ? plan->count : plan->blocks);
    if (plan->is_wide)
        return launch(trees<LOADS, int32_t>, blocks, (unsigned int)THREADS, shared_bytes(plan), stream, *plan);
    return launch(trees<LOADS, uint16_t>, blocks, (unsigned int)THREADS, shared_bytes(plan), stream, *plan);
}

}  // namespace

size_t traffic_gpu_shared(int32_t nodes, int32_t queue)
{
    return sizeof(row_state) + (size_t)nodes * sizeof(bits_t) + ((size_t)nodes + 31) / 32 * sizeof(uint32_t) +
           2 * (size_t)queue * sizeof(uint16_t);
}

size_t traffic_gpu_scratch(int32_t nodes, int32_t queue)
{
    const size_t bytes = (size_t)nodes * sizeof(bits_t) + ((size_t)nodes + 31) / 32 * sizeof(uint32_t) + 2 * (size_t)queue * sizeof(int32_t);
    return (bytes + 255) / 256 * 256;
}

cudaError_t traffic_gpu_shape(traffic_gpu_plan *plan, int multiprocessors)
{
    return plan->is_wide ? shape<int32_t>(plan, multiprocessors) : shape<uint16_t>(plan, multiprocessors);
}

cudaError_t traffic_launch_weigh(const traffic_gpu_plan *plan, cudaStream_t stream)
{
    const int64_t each = (int64_t)plan->nodes * SLOTS + plan->more_count + plan->links;
    return launch(weigh, dim3((unsigned int)((each + 255) / 256), (unsigned int)plan->tables), 256u, (size_t)0, stream, *plan);
}

cudaError_t traffic_launch_scan(const traffic_gpu_plan *plan, cudaStream_t stream)
{
    return launch_trees<false>(plan, stream);
}

cudaError_t traffic_launch_load(const traffic_gpu_plan *plan, cudaStream_t stream)
{
    return launch_trees<true>(plan, stream);
}

cudaError_t traffic_launch_change(const traffic_gpu_plan *plan, const traffic_gpu_changes *changes, cudaStream_t stream)
{
    if (changes->count == 0)
        return cudaSuccess;
    return launch(change, (unsigned int)((changes->count * LANES + 255) / 256), 256u, (size_t)0, stream, *plan, *changes);
}
