// SPDX-License-Identifier: MIT
// All-or-nothing on a GPU for networks of some thousand nodes, a block for each row (an origin of a class). Threads keep the slots of
// their nodes in registers, and labels lie in shared memory.
//
// The labels of the tree of before, at the costs of now, are the start, by jumps as in trees.cu. Then labels spread among the inner nodes
// (inner.h) by rounds of Bellman and Ford: a node takes the best label in. A warp looks at its nodes
// where a warp with nodes before them has found new labels in the round before. It repeats that while its own labels fall, for a few
// times. Rounds end when no label has changed. Labels that no slot improves are exact, whatever the order of reads and writes was: a
// label is always the sum of a path.
//
// Then each node's parent is the smallest slot that gives its label. A destination that is no inner node asks those before it. Flows are
// sums over subtrees: every node adds its sum to its ancestor 1, 2, 4, ... links above, so a path of n links takes log2(n) rounds. Sums
// are integers and do not depend on the order.
//
// ChicagoSketch (542 inner nodes of 933, 386 rows) on an H200: three rows are on each multiprocessor, so all are at once. 50 us from nothing, of
// them 6 a launch alone; 43 us where costs have not changed.
#include "device/kernel.cuh"
#include "traffic/gpu/cuda.h"

namespace {

using namespace mco;

constexpr int KEPT = TRAFFIC_GPU_KEPT, FEW = TRAFFIC_GPU_FEW, MOST_OF_ONE = 512, TURNS = 3;
constexpr uint32_t NO_LABEL = 0x7fffffff, NOWHERE = 0xffffffff;  // labels and costs are at most NO_LABEL: a sum of two does not overflow
enum { FROM_ORIGIN = KEPT, NO_WAY };                              // ways into a node beside the slots 0 .. KEPT - 1 in registers

struct row_memory {
    uint32_t *flow;   // [inner nodes] of trips to the node and through it
    uint32_t *above;  // [inner nodes] an ancestor, NOWHERE: the origin or none
    uint32_t *label;  // [inner nodes]
};

// In the place of flow and above while trees of before get labels: a label that counts from an ancestor, NOWHERE: from the origin.
struct entry {
    uint32_t value, link;
};

// What the threads of a block share besides.
struct block_words {
    uint32_t fresh[TURNS];  // warps that have found labels in this round, before it, and after it
    uint32_t greatest;      // label of a destination
};

// A row's place in the problem.
struct row_range {
    int32_t origin;         // place
    int64_t from, to;       // trips
    uint8_t *way;           // [inner nodes] of the tree of before, then of this one
    const traffic_gpu_arc *arc;  // [slots] of its class
    unsigned long long *load;    // [slots]
};

// The nodes of a thread. Node j of lane i is the (32 j + i)-th of its warp. Beyond the last inner node the label is 0: nothing improves it.
template <int OWN> struct own_nodes {
    uint32_t cost[OWN][KEPT], label[OWN];
    uint32_t before[OWN][KEPT];  // bytes from the first label to that of the tail
    uint32_t has_more;      // bit j: there are slots from inner nodes besides
    bool has_many;          // a node of the warp has more than FEW slots in registers
};

template <int OWN> DEVICE int32_t node_of(int j)
{
    return (int32_t)(threadIdx.x / WARP * WARP * OWN + (uint32_t)j * WARP + threadIdx.x % WARP);
}

DEVICE uint32_t read_now(const uint32_t *word) { return *const_cast<const volatile uint32_t *>(word); }
DEVICE void write_now(uint32_t *word, uint32_t value) { *const_cast<volatile uint32_t *>(word) = value; }

DEVICE uint32_t read_at(const uint32_t *words, uint32_t bytes)
{
    return read_now(reinterpret_cast<const uint32_t *>(reinterpret_cast<const char *>(words) + bytes));
}

DEVICE traffic_gpu_entry read_entry(const traffic_gpu_entry *at)
{
    const int2 both = __ldg(reinterpret_cast<const int2 *>(at));
    return {both.x, both.y};
}

DEVICE uint32_t cost_of(const row_range &row, int32_t slot) { return min(row.arc[slot].cost, NO_LABEL); }

// The label that links straight from the origin give, where the origin is no inner node.
DEVICE uint32_t label_from_origin(const traffic_gpu_inner &inner, const row_range &row, int32_t i)
{
    uint32_t best = NO_LABEL;
    const int32_t end = __ldg(inner.d_rest_first + 2 * i + 2);
#pragma unroll 1
    for (int32_t k = __ldg(inner.d_rest_first + 2 * i + 1); k < end; k++) {
        const traffic_gpu_entry e = read_entry(inner.d_rest + k);
        if (e.tail == row.origin)
            best = min(best, cost_of(row, e.slot));
    }
    return best;
}

// The slots of a thread's nodes: their tails, and the slots where costs will stand. Returns the warps whose labels this warp asks for.
template <int OWN> DEVICE uint32_t take_slots(const traffic_gpu_inner &inner, own_nodes<OWN> &own)
{
    uint32_t sources = 0;
    bool has_many = false;
#pragma unroll
    for (int j = 0; j < OWN; j++)
#pragma unroll
        for (int q = 0; q < KEPT; q++) {
            const int32_t i = node_of<OWN>(j);
            const traffic_gpu_entry e = i < inner.count ? read_entry(inner.d_kept + q * inner.nodes + i) : traffic_gpu_entry{-1, 0};
            has_many = has_many || (q == FEW && e.slot >= 0);
            own.cost[j][q] = (uint32_t)e.slot;
            own.before[j][q] = (uint32_t)e.tail * (uint32_t)sizeof(uint32_t);
            sources |= e.slot >= 0 ? 1u << e.tail / (WARP * OWN) : 0;
        }
    own.has_many = __any_sync(ALL_LANES, has_many);
    return sources;
}

template <int OWN> DEVICE void take_costs(const row_range &row, own_nodes<OWN> &own)
{
#pragma unroll
    for (int j = 0; j < OWN; j++)
#pragma unroll
        for (int q = 0; q < KEPT; q++)
            own.cost[j][q] = (int32_t)own.cost[j][q] >= 0 ? cost_of(row, (int32_t)own.cost[j][q]) : 1;
}

// Labels straight from the origin, and what registers do not hold. Returns as take_slots().
template <int OWN> DEVICE uint32_t take_labels(const traffic_gpu_inner &inner, const row_range &row, own_nodes<OWN> &own)
{
    uint32_t sources = 0;
    own.has_more = 0;
#pragma unroll
    for (int j = 0; j < OWN; j++) {
        const int32_t i = node_of<OWN>(j);
        own.label[j] = 0;
        if (i >= inner.count)
            continue;
        const int32_t end = __ldg(inner.d_rest_first + 2 * i + 1);
#pragma unroll 1
        for (int32_t k = __ldg(inner.d_rest_first + 2 * i); k < end; k++) {
            sources |= 1u << read_entry(inner.d_rest + k).tail / (WARP * OWN);
            own.has_more |= 1u << j;
        }
        own.label[j] = i == row.origin ? 0 : row.origin < inner.count ? NO_LABEL : label_from_origin(inner, row, i);
    }
    return sources;
}

DEVICE entry read_both(const entry *at)
{
    const unsigned long long both = *reinterpret_cast<const volatile unsigned long long *>(at);
    return {(uint32_t)both, (uint32_t)(both >> 32)};
}
DEVICE void write_both(entry *at, entry e)
{
    *reinterpret_cast<volatile unsigned long long *>(at) = (unsigned long long)e.link << 32 | e.value;
}

// Labels of the row's tree of before, at the costs of now. A node jumps from ancestor to ancestor; one that has jumped serves those below it. Ends:
// every jump goes to a proper ancestor. All threads call it.
template <int OWN> DEVICE void evaluate(const traffic_gpu_inner &inner, const row_range &row, const row_memory &m, own_nodes<OWN> &own)
{
    entry *const all = reinterpret_cast<entry *>(m.flow);
    entry mine[OWN];
#pragma unroll
    for (int j = 0; j < OWN; j++) {
        const int32_t i = node_of<OWN>(j);
        if (i >= inner.count)
            continue;
        const int way = row.way[i];
        mine[j] = {own.label[j], NOWHERE};
#pragma unroll
        for (int q = 0; q < KEPT; q++)
            if (way == q && i != row.origin) {
                const uint32_t link = own.before[j][q] / (uint32_t)sizeof(uint32_t);
                mine[j] = {own.cost[j][q], link == (uint32_t)row.origin ? NOWHERE : link};
            }
        write_both(all + i, mine[j]);
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < OWN; j++) {
        const int32_t i = node_of<OWN>(j);
        if (i >= inner.count)
            continue;
        while (mine[j].link != NOWHERE) {
            const entry above = read_both(all + mine[j].link);
            mine[j] = {min(mine[j].value + above.value, NO_LABEL), above.link};
            write_both(all + i, mine[j]);
        }
        own.label[j] = min(own.label[j], mine[j].value);
    }
    __syncthreads();
}

// First labels of all, and no flows.
template <int OWN> DEVICE void begin(const traffic_gpu_inner &inner, const row_memory &m, block_words &s, const own_nodes<OWN> &own)
{
    bool is_fresh = false;
#pragma unroll
    for (int j = 0; j < OWN; j++)
        if (node_of<OWN>(j) < inner.count) {
            is_fresh = is_fresh || own.label[j] != NO_LABEL;
            m.label[node_of<OWN>(j)] = own.label[j];
            m.flow[node_of<OWN>(j)] = 0;
        }
    if (__any_sync(ALL_LANES, is_fresh) && threadIdx.x % WARP == 0)
        atomicOr(&s.fresh[0], 1u << threadIdx.x / WARP);
}

// The best label of node j over the slots that do not fit into registers.
DEVICE uint32_t best_of_more(const traffic_gpu_inner &inner, const row_range &row, const row_memory &m, int32_t i, uint32_t best)
{
    const int32_t end = __ldg(inner.d_rest_first + 2 * i + 1);
#pragma unroll 1
    for (int32_t k = __ldg(inner.d_rest_first + 2 * i); k < end; k++) {
        const traffic_gpu_entry e = read_entry(inner.d_rest + k);
        best = __viaddmin_u32(read_now(m.label + e.tail), cost_of(row, e.slot), best);
    }
    return best;
}

// The best label of a node over slots FROM .. END - 1 in registers.
template <int FROM, int END> DEVICE uint32_t best_of(const row_memory &m, const uint32_t (&before)[KEPT], const uint32_t (&cost)[KEPT], uint32_t best)
{
    uint32_t below[END - FROM];
#pragma unroll
    for (int q = FROM; q < END; q++)
        below[q - FROM] = read_at(m.label, before[q]);
#pragma unroll
    for (int q = FROM; q < END; q++)
        best = __viaddmin_u32(below[q - FROM], cost[q], best);
    return best;
}

// A thread's nodes take better labels. Whether there are any.
template <int OWN> DEVICE bool pull(const traffic_gpu_inner &inner, const row_range &row, const row_memory &m, own_nodes<OWN> &own)
{
    uint32_t best[OWN];
    bool has_changed = false;
#pragma unroll
    for (int j = 0; j < OWN; j++)
        best[j] = best_of<0, FEW>(m, own.before[j], own.cost[j], own.label[j]);
    if (own.has_many)
#pragma unroll
        for (int j = 0; j < OWN; j++)
            best[j] = best_of<FEW, KEPT>(m, own.before[j], own.cost[j], best[j]);
#pragma unroll
    for (int j = 0; j < OWN; j++) {
        if (own.has_more >> j & 1)
            best[j] = best_of_more(inner, row, m, node_of<OWN>(j), best[j]);
        if (best[j] < own.label[j]) {
            own.label[j] = best[j];
            write_now(m.label + node_of<OWN>(j), best[j]);
            has_changed = true;
        }
    }
    return has_changed;
}

// All labels. A warp with new labels sets its bit in the word of the next round, which was emptied a round ago. Ends: labels fall, and they
// are integers. Returns the rounds.
template <int OWN>
DEVICE unsigned int spread(const traffic_gpu_trees &plan, const row_range &row, const row_memory &m, uint32_t sources, block_words &s, own_nodes<OWN> &own)
{
    unsigned int rounds = 0;
#pragma unroll 1
    for (int now = 0;; now = (now + 1) % TURNS, rounds++) {
        const uint32_t fresh = read_now(&s.fresh[now]);
        if (fresh == 0)
            return rounds;
        if (threadIdx.x == 0)
            s.fresh[(now + 2) % TURNS] = 0;
        if ((fresh & sources) != 0) {
            bool is_fresh = false;
#pragma unroll 1
            for (int i = 0; i < plan.pulls && __any_sync(ALL_LANES, pull(plan.inner, row, m, own)); i++)
                is_fresh = true;
            if (is_fresh && threadIdx.x % WARP == 0)
                atomicOr(&s.fresh[(now + 1) % TURNS], 1u << threadIdx.x / WARP);
        }
        __syncthreads();
    }
}

// A node's slot in the tree, the smallest one that gives its label, and the inner node it comes from.
struct parent {
    int32_t slot;   // -1: none
    uint32_t node;  // NOWHERE: the origin, or none
    int32_t way;
};

DEVICE parent parent_in(const traffic_gpu_inner &inner, const row_range &row, const row_memory &m, int32_t from, int32_t to, uint32_t label, parent known)
{
#pragma unroll 1
    for (int32_t k = from; k < to; k++) {
        const traffic_gpu_entry e = read_entry(inner.d_rest + k);
        const uint32_t below = e.tail == row.origin ? 0 : e.tail < inner.count ? m.label[e.tail] : NO_LABEL, cost = cost_of(row, e.slot);
        if (below < label && below + cost == label && (uint32_t)e.slot < (uint32_t)known.slot)
            known = {e.slot, e.tail == row.origin ? NOWHERE : (uint32_t)e.tail, e.tail == row.origin ? FROM_ORIGIN : NO_WAY};
    }
    return known;
}

template <int OWN>
DEVICE parent find_parent(const traffic_gpu_inner &inner, const row_range &row, const row_memory &m, const own_nodes<OWN> &own, int j)
{
    const int32_t i = node_of<OWN>(j);
    const uint32_t label = own.label[j];
    parent found = {-1, NOWHERE, NO_WAY};
    if (i >= inner.count || i == row.origin || label == NO_LABEL)
        return found;
#pragma unroll
    for (int q = KEPT - 1; q >= 0; q--) {
        const uint32_t below = read_at(m.label, own.before[j][q]), node = own.before[j][q] / (uint32_t)sizeof(uint32_t);
        if (below < label && below + own.cost[j][q] == label) {
            found.way = q;
            found.node = node == (uint32_t)row.origin ? NOWHERE : node;
        }
    }
    if (found.way < KEPT)
        found.slot = read_entry(inner.d_kept + found.way * inner.nodes + i).slot;
    const bool has_more = (own.has_more >> j & 1) != 0, is_outside = row.origin >= inner.count;
    const int32_t first = 2 * i + (has_more ? 0 : 1), end = 2 * i + (is_outside ? 2 : 1);
    return has_more || is_outside ? parent_in(inner, row, m, __ldg(inner.d_rest_first + first), __ldg(inner.d_rest_first + end), label, found) : found;
}

// The last slot to a destination that is no inner node, and the label there.
DEVICE parent find_last(const traffic_gpu_inner &inner, const row_range &row, const row_memory &m, int32_t i, uint32_t *label)
{
    parent last = {-1, NOWHERE, NO_WAY};
    auto look = [&](traffic_gpu_entry e) {
        const uint32_t below = e.tail == row.origin ? 0 : e.tail < inner.count ? m.label[e.tail] : NO_LABEL, sum = below + cost_of(row, e.slot);
        if (sum < *label || (sum == *label && sum < NO_LABEL && e.slot < last.slot)) {
            *label = sum;
            last = {e.slot, e.tail == row.origin ? NOWHERE : (uint32_t)e.tail, NO_WAY};
        }
    };
    const int32_t end = __ldg(inner.d_rest_first + 2 * i + 2);
    int32_t k = __ldg(inner.d_rest_first + 2 * i);
    traffic_gpu_entry e = read_entry(inner.d_kept + i);
    *label = NO_LABEL;
#pragma unroll 1
    for (int q = 1; e.slot >= 0; q++) {
        const traffic_gpu_entry next = q < KEPT ? read_entry(inner.d_kept + q * inner.nodes + i) : traffic_gpu_entry{-1, 0};
        look(e);
        e = next;
    }
#pragma unroll 1
    for (; k < end; k++)
        look(read_entry(inner.d_rest + k));
    return last;
}

// Trips to their destinations: flows of inner nodes, and the last slot of others. The greatest label of them.
DEVICE uint32_t serve_trips(const traffic_gpu_trees &plan, const row_range &row, const row_memory &m)
{
    uint32_t greatest = 0;
#pragma unroll 1
    for (int64_t t = row.from + threadIdx.x; t < row.to; t += blockDim.x) {
        const int32_t i = __ldg(plan.inner.d_trip_place + t);
        const uint32_t amount = __ldg(plan.d_trip_amount + t);
        if (i < plan.inner.count) {
            greatest = max(greatest, m.label[i]);
            atomicAdd(m.flow + i, amount);
            continue;
        }
        uint32_t label;
        const parent last = find_last(plan.inner, row, m, i, &label);
        greatest = max(greatest, label);
        if (last.slot >= 0 && amount != 0)
            atomicAdd(row.load + last.slot, (unsigned long long)amount);
        if (last.node != NOWHERE)
            atomicAdd(m.flow + last.node, amount);
    }
    return greatest >= NO_LABEL ? TRAFFIC_GPU_FAR_LABEL : greatest;
}

// Flows of all subtrees. After k rounds a node has the flow of those fewer than 2^k links below, and `node` is 2^k links above it. All threads call it.
template <int OWN> DEVICE void gather_flows(const row_memory &m, parent (&up)[OWN])
{
    for (;;) {
        uint32_t flow[OWN], next[OWN];
        bool is_below = false;
#pragma unroll
        for (int j = 0; j < OWN; j++)
            if (up[j].node != NOWHERE) {
                flow[j] = m.flow[node_of<OWN>(j)];
                next[j] = m.above[up[j].node];
                is_below = true;
            }
        if (!__syncthreads_or(is_below))
            return;
#pragma unroll
        for (int j = 0; j < OWN; j++)
            if (up[j].node != NOWHERE) {
                if (flow[j] != 0)
                    atomicAdd(m.flow + up[j].node, flow[j]);
                m.above[node_of<OWN>(j)] = next[j];
                up[j].node = next[j];
            }
        __syncthreads();
    }
}

template <int OWN> DEVICE void load(const traffic_gpu_trees &plan, const row_range &row, const row_memory &m, block_words &s, const own_nodes<OWN> &own)
{
    parent up[OWN];
#pragma unroll
    for (int j = 0; j < OWN; j++) {
        up[j] = find_parent(plan.inner, row, m, own, j);
        if (node_of<OWN>(j) < plan.inner.count) {
            m.above[node_of<OWN>(j)] = up[j].node;
            row.way[node_of<OWN>(j)] = (uint8_t)up[j].way;
        }
    }
    const uint32_t greatest = __reduce_max_sync(ALL_LANES, serve_trips(plan, row, m));
    if (threadIdx.x % WARP == 0)
        atomicMax(&s.greatest, greatest);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicMax(plan.d_greatest, s.greatest);
    gather_flows(m, up);
#pragma unroll
    for (int j = 0; j < OWN; j++)
        if (up[j].slot >= 0 && m.flow[node_of<OWN>(j)] != 0)
            atomicAdd(row.load + up[j].slot, (unsigned long long)m.flow[node_of<OWN>(j)]);
}

// Mapping: a block takes a row, a thread OWN inner nodes. Shared memory: 12 bytes an inner node. Traffic: 8 bytes a slot of the network, 8 a
// trip, an atomic addition of 8 bytes for each slot of the tree that has flow. Limit: latency, a barrier for each round of labels.
// The reference is traffic_ref_assign().
template <int OWN, int MOST_THREADS, int BLOCKS> __global__ void __launch_bounds__(MOST_THREADS, BLOCKS) relax(const traffic_gpu_trees plan)
{
    __shared__ block_words s;
    const int32_t r = (int32_t)blockIdx.x, k = __ldg(plan.d_row_class + r);
    const row_range row = {__ldg(plan.inner.d_row_place + r), __ldg(plan.d_trip_first + r), __ldg(plan.d_trip_first + r + 1),
                           plan.inner.d_way + (int64_t)r * plan.inner.count, plan.d_arc + (int64_t)k * plan.slots, plan.d_load + (int64_t)k * plan.slots};
    const row_memory m = {dynamic_shared<uint32_t>(), dynamic_shared<uint32_t>() + plan.inner.count, dynamic_shared<uint32_t>() + 2 * plan.inner.count};
    own_nodes<OWN> own;
    if (threadIdx.x < TURNS)
        s.fresh[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        s.greatest = 0;
    uint32_t sources = take_slots(plan.inner, own);
    wait_for_kernel_before();  // costs, loads and the state are a step's: none of them was touched so far
    if (plan.d_state->end != TRAFFIC_GPU_RUNNING)
        return;
    take_costs(row, own);
    sources = __reduce_or_sync(ALL_LANES, sources | take_labels(plan.inner, row, own));
    __syncthreads();
    if (!plan.is_cold)
        evaluate(plan.inner, row, m, own);
    begin(plan.inner, m, s, own);
    __syncthreads();
    const unsigned int rounds = spread(plan, row, m, sources, s, own);
    load(plan, row, m, s, own);
    if (plan.d_rounds != nullptr && threadIdx.x == 0)
        atomicAdd(plan.d_rounds + 1, (unsigned long long)rounds);
}

using kernel = void (*)(const traffic_gpu_trees);

kernel choose(const traffic_gpu_trees *plan)
{
    return plan->inner.own == 1 ? relax<1, MOST_OF_ONE, 3> : relax<2, TRAFFIC_GPU_MOST_THREADS, 1>;
}

size_t bytes_of(const traffic_gpu_trees *plan)
{
    return 3 * (size_t)plan->inner.count * sizeof(uint32_t);
}

}  // namespace

bool traffic_gpu_relax_divide(traffic_gpu_trees *plan)
{
    const int32_t own = plan->inner.count <= MOST_OF_ONE && plan->inner.count <= plan->threads ? 1 : 2;
    plan->inner.own = own;
    plan->threads = (plan->inner.count + own * WARP - 1) / (own * WARP) * WARP;
    return plan->threads <= TRAFFIC_GPU_MOST_THREADS;
}

cudaError_t traffic_gpu_relax_shape(const traffic_gpu_trees *plan, int *blocks)
{
    *blocks = 0;
    const cudaError_t error = allow_shared(choose(plan), bytes_of(plan));
    return error != cudaSuccess ? error : cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, choose(plan), plan->threads, bytes_of(plan));
}

cudaError_t traffic_gpu_launch_relax(const traffic_gpu_trees *plan, cudaStream_t stream)
{
    return launch_behind(plan->overlaps, choose(plan), (unsigned int)plan->rows, (unsigned int)plan->threads, bytes_of(plan), stream, *plan);
}
