// SPDX-License-Identifier: MIT
// The certificate of the labels that a search under an automaton left on a GPU: kernels and launchers. It shares with the search where
// labels, arcs and queries lie, and nothing else; arcs cost what mm_cost() says. The reference is mm_certify_labels() (check.c).
//
// `end` of a query is its arrival; without a target, or without an arrival, all labels count. The labels up to `end` are right if
//  1. the start has the departure, and no label is earlier;
//  2. no arc from a label before the end arrives before the label of its head and before the end;
//  3. every label up to the end is held: it is one of the start, or it is met by an arc that takes time, or by one that takes none from
//     a label that is held.
// By 2 no label up to the end is too late, because costs do not let later overtake earlier. By 3 none is too early: the earliest such label is
// met from an earlier one, or over arcs without time from one that is.
//
// A pass over the arcs tests 2 and holds what arcs that take time meet. Only if labels are left, a pass over the held ones and rounds over a
// queue follow for arcs that take none. The masks and queues of the search are free by then: near[0] has the lanes that are held,
// near[1] those to walk in a round.
#include "device/kernel.cuh"
#include "paths/multimodal/cuda.h"

namespace {

using namespace mco;

constexpr int32_t NONE = MCO_PATHS_NONE;
constexpr uint32_t CHUNK = 256;          // arcs that a warp takes at a time
constexpr int AT_ONCE = 4;               // arcs whose heads a warp reads at once
constexpr uint32_t ARCS_OF_LOOK = 1 << 14;  // between two looks at the order to stop
constexpr unsigned int BLOCKS = 2048, ROUND_BLOCKS = 256, THREADS = 256;

// A warp in a group; its threads are the lanes.
struct tester {
    mm_tables tables;
    uint32_t base;         // row of the group's vertex 0
    int lane, state;
    int32_t pace, end;
    int32_t round;         // of arcs that take no time
    bool has_early;
};

DEVICE int64_t warp_of_all() { return ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP; }
DEVICE int64_t count_warps() { return (int64_t)gridDim.x * (blockDim.x / WARP); }

DEVICE bool is_stopped(const mm_plan &plan)
{
    return __any_sync(ALL_LANES, *(const volatile int32_t *)&plan.d_control->stop != 0);
}

DEVICE tester tester_of(const mm_plan &plan, uint32_t group, int32_t round)
{
    tester t;
    t.tables = {plan.period, plan.label_bits, plan.function_bits, plan.d_exact, plan.d_point};
    t.base = group * (uint32_t)plan.vertices;
    t.lane = (int)(threadIdx.x % WARP);
    t.state = t.lane % plan.width;
    t.pace = t.state < plan.states ? __ldg(plan.d_pace + t.state) : 0;
    t.end = plan.d_lane_end[group * MM_LANES + (uint32_t)t.lane];
    t.round = round;
    t.has_early = false;
    return t;
}

DEVICE int32_t label_of(const mm_plan &plan, const tester &t, uint32_t row)
{
    return __ldcg(plan.d_label + (size_t)row * MM_LANES + (size_t)t.lane);
}

// Holds lanes of a row. One thread calls it.
template <bool IS_TIE> DEVICE void hold(const mm_plan &plan, const tester &t, uint32_t row, uint32_t lanes)
{
    mm_verdict *const v = plan.d_verdict;
    const uint32_t before = atomicOr(plan.d_near[0] + row, lanes), fresh = lanes & ~before;
    if (!IS_TIE || fresh == 0)
        return;
    if (atomicOr(plan.d_near[1] + row, fresh) == 0)  // else it stands in a queue whose visit comes
        __stcg(plan.d_queue[(t.round + 1) & 1] + atomicAdd(&v->tail[(t.round + 1) % 3], 1u), row);
}

// One arc from all lanes with `next`, the states that it leads to; `there`: the label of this thread's lane at the head. Returns the lanes
// that the arc meets: with IS_TIE without time, else with some. All threads of the warp call it.
template <bool IS_TIE> DEVICE uint32_t test_arc(tester &t, uint32_t word, uint32_t next, int32_t time, int32_t there)
{
    const int32_t arrival = next != 0 ? time + mm_cost(&t.tables, word, time, t.pace) : NONE;
    const bool is_step = IS_TIE ? arrival == time : arrival > time;
    uint32_t met = 0;
    while (__any_sync(ALL_LANES, next != 0)) {  // ends: each turn takes a bit
        const int to = t.lane - t.state + (next != 0 ? __ffs((int)next) - 1 : 0);
        const int32_t label = __shfl_sync(ALL_LANES, there, to);
        if (next != 0) {
            t.has_early = t.has_early || (arrival < label && arrival < t.end);
            met |= is_step && arrival == label ? 1u << to : 0u;
        }
        next &= next - 1;
    }
    return __reduce_or_sync(ALL_LANES, met);
}

// The arcs [first, last) of a vertex from the lanes that go, with their labels.
template <bool IS_TIE> DEVICE void test_arcs(const mm_plan &plan, tester &t, int32_t time, bool goes, uint32_t first, uint32_t last)
{
    for (uint32_t begin = first; begin < last; begin += AT_ONCE) {
        uint32_t word[AT_ONCE], head[AT_ONCE], next[AT_ONCE];
        int32_t there[AT_ONCE];
        if ((begin - first) % ARCS_OF_LOOK == ARCS_OF_LOOK - AT_ONCE && is_stopped(plan))
            return;
#pragma unroll
        for (uint32_t u = 0; u < AT_ONCE; u++) {
            const int2 arc = __ldg(reinterpret_cast<const int2 *>(plan.d_arc) + min(begin + u, last - 1));
            head[u] = t.base + (uint32_t)arc.x;
            word[u] = (uint32_t)arc.y;
            next[u] = goes && begin + u < last ? __ldg(plan.d_next + (uint32_t)(t.state * plan.labels) + mm_label(&t.tables, word[u])) : 0;
            there[u] = __any_sync(ALL_LANES, next[u] != 0) ? label_of(plan, t, head[u]) : NONE;
        }
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++) {
            const uint32_t met = test_arc<IS_TIE>(t, word[u], next[u], time, there[u]);
            if (t.lane == 0 && met != 0)
                hold<IS_TIE>(plan, t, head[u], met);
        }
    }
}

DEVICE void tell_early(const mm_plan &plan, const tester &t)
{
    const unsigned int early = __ballot_sync(ALL_LANES, t.has_early);
    if (t.lane == 0 && early != 0)
        atomicAdd(&plan.d_verdict->wrong, (unsigned long long)__popc(early));
}

// The vertex that an arc leaves: d_first[vertex] <= arc < d_first[vertex + 1]. Threads probe 32 places at a time. It ends: the range
// shrinks, because its parts are shorter than it.
DEVICE int32_t tail_of(const mm_plan &plan, uint32_t arc)
{
    int64_t low = 0, high = plan.vertices;  // the tail is one of [low, high)
    while (high - low > 1) {
        const int64_t part = (high - low + WARP - 1) / WARP, probe = low + part * (threadIdx.x % WARP);
        const bool is_behind = probe < high && __ldg(plan.d_first + probe) <= arc;
        low += part * (__popc(__ballot_sync(ALL_LANES, is_behind)) - 1);  // the first thread has it
        high = low + part < high ? low + part : high;
    }
    return (int32_t)low;
}

// ---- Kernels

// A thread for each lane: the end of its query, and the test of the start.
__global__ void test_starts(const mm_plan plan)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), lane = i % MM_LANES, group = i / MM_LANES;
    if (group >= plan.groups)
        return;
    const int query = group * (MM_LANES / plan.width) + lane / plan.width, state = lane % plan.width;
    const size_t base = (size_t)group * (size_t)plan.vertices;
    const int32_t source = plan.d_source[query], target = source >= 0 ? plan.d_target[query] : -1;
    int32_t end = NONE;
    for (int q = 0; target >= 0 && q < plan.states; q++)
        if ((plan.final >> q & 1) != 0)
            end = min(end, plan.d_label[(base + (size_t)target) * MM_LANES + (size_t)(lane - state + q)]);
    plan.d_lane_end[i] = end;
    if (source < 0 || (plan.start >> state & 1) == 0)
        return;
    if (plan.d_label[(base + (size_t)source) * MM_LANES + (size_t)lane] == plan.d_depart[query])
        atomicOr(plan.d_near[0] + base + (size_t)source, 1u << lane);
    else
        atomicAdd(&plan.d_verdict->wrong, 1ull);
}

// Mapping: a warp takes 256 arcs of a group, its threads are the lanes; so arcs of one vertex may go to many warps. It finds the first
// tail by probes, and skips vertices without a label that counts.
// Shared memory: none.
// Traffic: for each arc and group 128 bytes of labels at the head, and 8 bytes of the arc; 128 bytes for each vertex and group; an atomic
// operation without an answer where an arc meets a label.
// Limit: the labels at the heads, whose lines lie anywhere; remainders of integers where arcs depend on time.
__global__ void __launch_bounds__(THREADS) test_all(const mm_plan plan, uint32_t arcs)
{
    const int64_t chunks = ((int64_t)arcs + CHUNK - 1) / CHUNK;
    for (int64_t item = warp_of_all(); item < chunks * plan.groups && !is_stopped(plan); item += count_warps()) {
        tester t = tester_of(plan, (uint32_t)(item / chunks), 0);
        const uint32_t begin = (uint32_t)(item % chunks) * CHUNK, end = arcs - begin < CHUNK ? arcs : begin + CHUNK;
        int32_t vertex = -1;
        for (uint32_t first = begin; first < end;) {  // ends: each turn takes arcs of another vertex
            if (vertex < 0 || __ldg(plan.d_first + vertex + 1) <= first)
                vertex = tail_of(plan, first);
            const uint32_t last = min(__ldg(plan.d_first + vertex + 1), end);
            const int32_t time = label_of(plan, t, t.base + (uint32_t)vertex);
            const bool goes = time >= 0 && time < t.end;
            if (__any_sync(ALL_LANES, goes))
                test_arcs<false>(plan, t, time, goes, first, last);
            first = last;
            vertex++;
        }
        tell_early(plan, t);
    }
}

// Arcs that take no time. Mapping: a warp for each row with lanes that are held (round 0), or of the queue of the round.
__global__ void __launch_bounds__(THREADS) test_ties(const mm_plan plan, int32_t round)
{
    mm_verdict *const v = plan.d_verdict;
    const int64_t rows = (int64_t)plan.vertices * plan.groups, count = round == 0 ? rows : (int64_t)v->tail[round % 3];
    if (blockIdx.x == 0 && threadIdx.x == 0)
        v->tail[(round + 2) % 3] = 0;  // of the round before, for the next but one
    for (int64_t item = warp_of_all(); item < count && !is_stopped(plan); item += count_warps()) {
        const uint32_t row = round == 0 ? (uint32_t)item : __ldcg(plan.d_queue[round & 1] + item);
        const uint32_t group = row / (uint32_t)plan.vertices;
        tester t = tester_of(plan, group, round);
        uint32_t lanes = 0;
        if (t.lane == 0)
            lanes = round == 0 ? __ldcg(plan.d_near[0] + row) : atomicExch(plan.d_near[1] + row, 0u);
        lanes = __shfl_sync(ALL_LANES, lanes, 0);
        if (lanes == 0)
            continue;
        const int32_t time = label_of(plan, t, row);
        const bool goes = (lanes >> t.lane & 1) != 0 && time >= 0 && time <= t.end && time < NONE;
        const uint32_t *const first = plan.d_first + (row - t.base);
        if (__any_sync(ALL_LANES, goes))
            test_arcs<true>(plan, t, time, goes, first[0], first[1]);
        tell_early(plan, t);
    }
}

// Labels before the departure, or no times at all; labels up to the end that are not held. Mapping: a warp for each row.
__global__ void __launch_bounds__(THREADS) test_rest(const mm_plan plan)
{
    const int64_t rows = (int64_t)plan.vertices * plan.groups;
    const int lane = (int)(threadIdx.x % WARP);
    unsigned int wrong = 0, loose = 0;
#pragma unroll 4
    for (int64_t row = warp_of_all(); row < rows; row += count_warps()) {
        const uint32_t group = (uint32_t)row / (uint32_t)plan.vertices, held = __ldcg(plan.d_near[0] + row);
        const int query = (int)group * (MM_LANES / plan.width) + lane / plan.width;
        const int32_t label = __ldcg(plan.d_label + (size_t)row * MM_LANES + (size_t)lane);
        wrong += label > NONE || label < __ldg(plan.d_depart + query) ? 1 : 0;
        loose += label < NONE && label <= plan.d_lane_end[group * MM_LANES + (uint32_t)lane] && (held >> lane & 1) == 0 ? 1 : 0;
    }
    wrong = __reduce_add_sync(ALL_LANES, wrong);
    loose = __reduce_add_sync(ALL_LANES, loose);
    if (lane == 0 && wrong != 0)
        atomicAdd(&plan.d_verdict->wrong, (unsigned long long)wrong);
    if (lane == 0 && loose != 0)
        atomicAdd(&plan.d_verdict->loose, (unsigned long long)loose);
}

}  // namespace

// ---- Launchers

// Blocks for so many warps with work.
static dim3 blocks_for(int64_t warps, unsigned int most)
{
    const int64_t blocks = (warps + THREADS / WARP - 1) / (THREADS / WARP);
    return dim3(blocks < 1 ? 1 : blocks < most ? (unsigned int)blocks : most);
}

cudaError_t mm_launch_certificate(const mm_plan *plan, uint32_t arcs, cudaStream_t stream)
{
    const int64_t rows = (int64_t)plan->vertices * plan->groups, items = ((int64_t)arcs + CHUNK - 1) / CHUNK * plan->groups;
    const size_t bytes = (size_t)rows * sizeof(uint32_t);
    cudaError_t error = cudaMemsetAsync(plan->d_verdict, 0, sizeof *plan->d_verdict, stream);
    for (int k = 0; error == cudaSuccess && k < 2; k++)
        error = cudaMemsetAsync(plan->d_near[k], 0, bytes, stream);
    const unsigned int lanes = (unsigned int)plan->groups * MM_LANES;
    if (error == cudaSuccess)
        error = launch(test_starts, dim3((lanes + THREADS - 1) / THREADS), THREADS, 0, stream, *plan);
    if (error == cudaSuccess && arcs > 0)
        error = launch(test_all, blocks_for(items, BLOCKS), THREADS, 0, stream, *plan, arcs);
    return error != cudaSuccess ? error : launch(test_rest, blocks_for(rows, BLOCKS), THREADS, 0, stream, *plan);
}

cudaError_t mm_launch_ties(const mm_plan *plan, int32_t round, int32_t count, cudaStream_t stream)
{
    const int64_t rows = (int64_t)plan->vertices * plan->groups;
    cudaError_t error = cudaSuccess;
    for (int32_t k = round; error == cudaSuccess && k < round + count; k++)
        error = launch(test_ties, blocks_for(rows, k == 0 ? BLOCKS : ROUND_BLOCKS), THREADS, 0, stream, *plan, k);
    return error;
}

cudaError_t mm_launch_rest(const mm_plan *plan, cudaStream_t stream)
{
    const cudaError_t error = cudaMemsetAsync(&plan->d_verdict->loose, 0, sizeof plan->d_verdict->loose, stream);
    return error != cudaSuccess ? error : launch(test_rest, blocks_for((int64_t)plan->vertices * plan->groups, BLOCKS), THREADS, 0, stream, *plan);
}
