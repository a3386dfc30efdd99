// SPDX-License-Identifier: MIT
// Searches under an automaton on a GPU, many queries at a time: kernels and launchers. The reference is mm_ref_tree() (ref.c).
//
// A group is 32 lanes, one for each pair of a query and a state; the labels of a vertex in a group are one line of memory. A warp
// takes up to 32 vertices with lanes to walk and deals out all triples of vertex, arc and such a lane to its threads, in
// this order. So threads that share an arc stand side by side, and their labels at its head are in one sector.
//
// Time goes by windows of `delta` seconds after departure. A window begins with a scan of all vertices for labels that became
// near; rounds over a queue follow until no near label has changed. So a later window begins only when the labels of this
// one are final. A barrier of the grid ends each round.
//
// No label is lost, and no fence is needed. Who improves a lane sets its bit: in `far` for a later window, or in the mask of the next
// round, and a round only reads the mask that the round before has written. Between the two is a barrier. A scan clears a bit of
// `far` only where it walks a near label; an improvement after that has its own bit in the next round. The search is done
// when a scan of all masks has walked nothing and left nothing.
#include "device/kernel.cuh"
#include "device/barrier.cuh"
#include "paths/multimodal/cuda.h"

namespace {

using namespace mco;

constexpr int32_t NONE = MCO_PATHS_NONE;
constexpr int AT_ONCE = 4;               // lines of labels that a scan reads at once
constexpr int CHUNKS = 4;                // of 32 masks that a warp of a scan reads at once
constexpr int HELD = 2 * WARP;     // rows that a warp holds before it puts them into the queue
constexpr int MOST_WARPS = 16;

// What a block keeps in shared memory.
struct block_state {
    uint32_t held[MOST_WARPS][HELD];
    uint32_t deal[MOST_WARPS][WARP];     // where the triples of each vertex end
    uint32_t count;                      // entries of the round at hand
    int32_t halt, least, has_moved;
};

// What a thread keeps in registers.
struct warp_state {
    uint32_t *held, *deal;  // of the warp, in shared memory
    uint32_t held_count;
    int lane;
    int32_t least;       // seconds after departure of the earliest label that this thread has left to later windows
    int32_t end;         // of the window, seconds after departure
    int round;
    bool has_moved;
    uint32_t visits;     // of the launch
    unsigned long long triples;
};

DEVICE int lane_id() { return (int)(threadIdx.x % WARP); }
DEVICE int warp_id() { return (int)(threadIdx.x / WARP); }
DEVICE int warps_of_grid() { return (int)(gridDim.x * (blockDim.x / WARP)); }
DEVICE int warp_of_grid() { return (int)(blockIdx.x * (blockDim.x / WARP)) + warp_id(); }

// ---- Costs: mm_cost() (function.h), with the remainders of a time in [0, period) by one multiplication

// t / width for t below 2^20: the product of floats is off by one at most.
DEVICE int32_t quotient(int32_t t, int32_t width, float inverse)
{
    int32_t q = (int32_t)((float)t * inverse);
    q -= t < q * width ? 1 : 0;
    return q + (t >= (q + 1) * width ? 1 : 0);
}

// Kept out of line: it is rare and long.
__device__ __noinline__ int32_t ride(const mm_point *point, int32_t first, int32_t count, int32_t period, int32_t t)
{
    const mm_function list = {3, 0, first, count, 0};
    return mm_ride(&list, point, period, t);
}

DEVICE int32_t cost(const mm_plan &plan, const mm_device_function &f, int32_t seconds, int32_t t, int32_t pace)
{
    const int32_t kind = f.kind_width & 3, width = f.kind_width >> 2;
    if (kind == 0)
        return seconds;
    if (kind == 3)
        return seconds + ride(plan.d_point, f.first, f.count, plan.period, t);
    const int32_t k = quotient(t, width, f.inverse), rest = t - k * width;
    if (kind == 1) {
        const int2 both = __ldg(reinterpret_cast<const int2 *>(plan.d_point) + f.first + k);
        const int32_t factor = both.x + ((both.y * rest) >> MM_SLOPE_BITS);
        return (int32_t)(((int64_t)seconds * pace * factor) >> (MM_FACTOR_BITS + MM_PACE_BITS));
    }
    const int32_t wait = f.first - rest;
    return seconds + (wait < 0 ? wait + width : wait);
}

// ---- Queues

// Puts the rows that the warp holds into the queue of the next round.
DEVICE void put_held(const mm_plan &plan, warp_state &w)
{
    uint32_t at = 0;
    if (w.held_count == 0)
        return;
    __syncwarp();
    if (w.lane == 0)
        at = atomicAdd(&plan.d_control->tail[(w.round + 1) % 3], w.held_count);
    at = __shfl_sync(ALL_LANES, at, 0);
    for (uint32_t i = (uint32_t)w.lane; i < w.held_count; i += WARP)
        __stcg(plan.d_queue[(w.round + 1) & 1] + at + i, w.held[i]);
    __syncwarp();
    w.held_count = 0;
}

// Holds the rows of the threads with is_new.
DEVICE void hold(const mm_plan &plan, warp_state &w, bool is_new, uint32_t row)
{
    const unsigned int set = __ballot_sync(ALL_LANES, is_new);
    if (set == 0)
        return;
    if (is_new)
        w.held[w.held_count + (uint32_t)__popc(set & ((1u << w.lane) - 1))] = row;
    w.held_count += (uint32_t)__popc(set);
    if (w.held_count >= WARP)
        put_held(plan, w);
}

// ---- Visits

// A row in work, of a thread.
struct visit {
    uint32_t row, go;    // lanes to walk
    uint32_t base;       // row of the group's vertex 0
    uint32_t first;
    uint32_t arcs;
};

DEVICE uint32_t group_of(const mm_plan &plan, uint32_t row) { return plan.groups == 1 ? 0 : row / (uint32_t)plan.vertices; }

// Takes an arrival at a label that is later; `is_there` is false for threads without one. All threads of the warp call it.
DEVICE void take(const mm_plan &plan, warp_state &w, bool is_there, uint32_t row, uint32_t lane, int32_t arrival, int32_t depart)
{
    int32_t *const label = plan.d_label + (size_t)row * MM_LANES + lane;
    bool is_new = false;
    if (is_there && arrival < __ldcg(label)) {
        atomicMin(label, arrival);
        if (arrival - depart < w.end) {
            is_new = atomicOr(plan.d_near[(w.round + 1) & 1] + row, 1u << lane) == 0;
        } else {
            atomicOr(plan.d_far + row, 1u << lane);
            w.least = min(w.least, arrival - depart);
        }
    }
    hold(plan, w, is_new, row);
}

DEVICE uint32_t nth_bit(uint32_t set, uint32_t n)
{
    for (; n > 0; n--)
        set &= set - 1;
    return (uint32_t)__ffs((int)set) - 1;
}

// Walks one arc from one lane, threads with is_there false excepted. All threads of the warp call it.
DEVICE void relax(const mm_plan &plan, warp_state &w, bool is_there, const visit &v, uint32_t lane, uint32_t number)
{
    const uint32_t state = lane & (uint32_t)(plan.width - 1);
    uint32_t next = 0, head = 0;
    int32_t arrival = 0, depart = 0;
    if (is_there) {
        const int32_t time = __ldcg(plan.d_label + (size_t)v.row * MM_LANES + lane);
        const int2 arc = __ldg(reinterpret_cast<const int2 *>(plan.d_arc) + v.first + number);
        const uint32_t word = (uint32_t)arc.y, label = word & ((1u << plan.label_bits) - 1);
        next = __ldg(plan.d_next + state * (uint32_t)plan.labels + label);
        if (next != 0) {
            const uint32_t id = (word >> plan.label_bits) & ((1u << plan.function_bits) - 1);
            const int4 four = __ldg(reinterpret_cast<const int4 *>(plan.d_function) + id);
            const mm_device_function f = {four.x, four.y, four.z, __int_as_float(four.w)};
            const int32_t seconds = (int32_t)((uint64_t)word >> (plan.label_bits + plan.function_bits));
            depart = __ldg(plan.d_lane_depart + group_of(plan, v.row) * MM_LANES + lane);
            arrival = time + cost(plan, f, seconds, time % plan.period, __ldg(plan.d_pace + state));
            head = v.base + (uint32_t)arc.x;
        }
    }
    while (__any_sync(ALL_LANES, next != 0)) {  // ends: each turn takes a bit
        take(plan, w, next != 0, head, lane - state + (uint32_t)__ffs((int)next) - 1, arrival, depart);
        next &= next - 1;
    }
}

// Walks the rows that the threads hold; go 0: none.
DEVICE void walk_rows(const mm_plan &plan, warp_state &w, visit v)
{
    const unsigned int busy = __ballot_sync(ALL_LANES, v.go != 0);
    if (busy == 0)
        return;
    v.first = v.base = v.arcs = 0;
    if (v.go != 0) {
        v.base = group_of(plan, v.row) * (uint32_t)plan.vertices;
        v.first = __ldg(plan.d_first + (v.row - v.base));
        v.arcs = __ldg(plan.d_first + (v.row - v.base) + 1) - v.first;
    }
    w.has_moved = true;
    w.visits += v.go != 0 ? 1 : 0;
    uint32_t end = v.arcs * (uint32_t)__popc(v.go);
    w.triples += end;
#pragma unroll
    for (int step = 1; step < WARP; step *= 2) {
        const uint32_t before = __shfl_up_sync(ALL_LANES, end, step);
        end += w.lane >= step ? before : 0;
    }
    __syncwarp();
    w.deal[w.lane] = end;
    __syncwarp();
    const uint32_t all = __shfl_sync(ALL_LANES, end, WARP - 1);
    for (uint32_t begin = 0; begin < all; begin += WARP) {
        const uint32_t number = begin + (uint32_t)w.lane;
        int owner = 0;  // the first thread whose triples end after `number`
#pragma unroll
        for (int step = WARP / 2; step > 0; step /= 2)
            owner += w.deal[owner + step - 1] <= number ? step : 0;
        visit mine;
        mine.row = __shfl_sync(ALL_LANES, v.row, owner);
        mine.go = __shfl_sync(ALL_LANES, v.go, owner);
        mine.base = __shfl_sync(ALL_LANES, v.base, owner);
        mine.first = __shfl_sync(ALL_LANES, v.first, owner);
        mine.arcs = 0;
        const bool is_there = number < all;
        const uint32_t in_row = is_there ? number - (owner > 0 ? w.deal[owner - 1] : 0) : 0, lanes = max((uint32_t)__popc(mine.go), 1u);
        const uint32_t arc = in_row / lanes;
        relax(plan, w, is_there, mine, nth_bit(mine.go, in_row - arc * lanes), arc);
    }
}

// Of far lanes those whose labels are near: takes their bits off `far`. What is left counts for the next window. far: of the row.
DEVICE uint32_t take_near(const mm_plan &plan, warp_state &w, uint32_t row, uint32_t far, int32_t label)
{
    const uint32_t group = group_of(plan, row);
    const int32_t after = label - __ldg(plan.d_lane_depart + group * MM_LANES + (uint32_t)w.lane);
    const uint32_t live = plan.has_targets ? far & __ldcg(plan.d_live + group) : far;
    const bool is_asked = (live >> w.lane & 1) != 0;
    const uint32_t go = __ballot_sync(ALL_LANES, is_asked && after < w.end);
    if (is_asked && after >= w.end)
        w.least = min(w.least, after);
    if (go != 0 && w.lane == 0)
        atomicAnd(plan.d_far + row, ~go);
    return go;
}

// Walks the rows whose far lanes the threads hold in `go`, as far as they are near.
DEVICE void walk_far(const mm_plan &plan, warp_state &w, visit v)
{
    unsigned int left = __ballot_sync(ALL_LANES, v.go != 0);
    uint32_t go = 0;
    while (left != 0) {
        int who[AT_ONCE];
        int32_t label[AT_ONCE];
        uint32_t row[AT_ONCE];
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++) {
            who[u] = __ffs((int)left) - 1;  // -1: no more
            left &= left - 1;
            row[u] = __shfl_sync(ALL_LANES, v.row, who[u] & (WARP - 1));
            label[u] = who[u] >= 0 ? __ldcg(plan.d_label + (size_t)row[u] * MM_LANES + w.lane) : 0;
        }
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++) {
            const uint32_t far = __shfl_sync(ALL_LANES, v.go, who[u] & (WARP - 1));
            if (who[u] < 0)
                continue;
            const uint32_t found = take_near(plan, w, row[u], far, label[u]);
            go = w.lane == who[u] ? found : go;
        }
    }
    v.go = go;
    walk_rows(plan, w, v);
}

// Whether the host has said stop. What a round leaves undone then is lost: the host takes no answers from the search.
DEVICE bool must_stop(const mm_plan &plan)
{
    return __any_sync(ALL_LANES, *(const volatile int32_t *)&plan.d_control->stop != 0);
}

// All rows with far lanes.
DEVICE void scan(const mm_plan &plan, warp_state &w)
{
    const int64_t rows = (int64_t)plan.vertices * plan.groups, stride = (int64_t)warps_of_grid() * WARP;
    for (int64_t begin = (int64_t)warp_of_grid() * WARP; begin < rows && !must_stop(plan); begin += CHUNKS * stride) {
        uint32_t far[CHUNKS];
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) {
            const int64_t row = begin + c * stride + w.lane;
            far[c] = row < rows ? __ldcg(plan.d_far + row) : 0;
        }
#pragma unroll 1
        for (int c = 0; c < CHUNKS; c++) {
            visit v = {};
            v.row = (uint32_t)(begin + c * stride + w.lane);
            v.go = far[c];
            walk_far(plan, w, v);
        }
    }
}

// All rows of the queue of the round. A warp takes up to 32 of them at a time, fewer if there are few.
DEVICE void visit_queue(const mm_plan &plan, warp_state &w, uint32_t count)
{
    const uint32_t warps = (uint32_t)warps_of_grid();
    const uint32_t each = min(max(count / warps, 1u), (uint32_t)WARP);
    const uint32_t *queue = plan.d_queue[w.round & 1];
    uint32_t *near = plan.d_near[w.round & 1];
    for (uint64_t begin = (uint64_t)warp_of_grid() * each; begin < count && !must_stop(plan); begin += (uint64_t)warps * each) {
        visit v = {};
        if ((uint32_t)w.lane < each && begin + (uint64_t)w.lane < count) {
            v.row = __ldcg(queue + begin + w.lane);
            v.go = __ldcg(near + v.row);
            __stcg(near + v.row, 0u);
            if (plan.has_targets)
                v.go &= __ldcg(plan.d_live + group_of(plan, v.row));
        }
        walk_rows(plan, w, v);
    }
}

// ---- Windows

// The lanes of a group that may still improve: of queries whose target has no final label before `begin`.
DEVICE void find_live(const mm_plan &plan, int begin)
{
    const int each = MM_LANES / plan.width, lane = lane_id();
    for (int group = warp_of_grid(); group < plan.groups; group += warps_of_grid()) {
        const int query = group * each + lane / plan.width, state = lane % plan.width;
        const int32_t target = plan.d_target[query];
        const bool is_final = target >= 0 && state < plan.states && (plan.final >> state & 1) != 0;
        bool is_settled = false;
        if (is_final) {
            const size_t row = (size_t)group * (size_t)plan.vertices + (size_t)target;
            const int32_t label = __ldcg(plan.d_label + row * MM_LANES + lane);
            is_settled = label < NONE && label - plan.d_lane_depart[group * MM_LANES + lane] < begin;
        }
        const unsigned int settled = __ballot_sync(ALL_LANES, is_settled);
        const unsigned int own = plan.width == MM_LANES ? ALL_LANES : ((1u << plan.width) - 1) << (lane / plan.width * plan.width);
        const unsigned int live = __ballot_sync(ALL_LANES, (settled & own) == 0);
        if (lane == 0)
            __stcg(plan.d_live + group, live);
    }
}

// Ends a round: what the warps leave becomes visible, and all blocks read the same words.
DEVICE void end_round(const mm_plan &plan, warp_state &w, block_state *s, int window, uint32_t *barriers, bool is_scan)
{
    mm_control *const c = plan.d_control;
    put_held(plan, w);
    const int32_t least = __reduce_min_sync(ALL_LANES, w.least);
    if (w.lane == 0 && least < NONE)
        atomicMin(&s->least, least);
    if (w.lane == 0 && is_scan && w.has_moved)
        s->has_moved = 1;
    w.least = NONE;
    w.has_moved = false;
    __syncthreads();
    if (threadIdx.x == 0) {
        if (s->least < NONE)
            atomicMin(&c->least[window % 3], s->least);
        if (s->has_moved != 0)
            atomicOr(&c->has_moved[window % 3], 1);
        if (blockIdx.x == 0) {
            __stcg(&c->halt[w.round & 1], *(volatile int32_t *)&c->stop);
            __stcg(&c->tail[(w.round + 2) % 3], 0u);
        }
    }
    grid_barrier(c->barrier, ++*barriers * gridDim.x);
    if (threadIdx.x == 0) {
        s->count = __ldcg(&c->tail[(w.round + 1) % 3]);
        s->halt = __ldcg(&c->halt[w.round & 1]);
        s->least = NONE;
        s->has_moved = 0;
    }
    __syncthreads();
}

// Mapping: a warp takes 32 rows at a time, a thread a triple of vertex, arc and lane. All blocks are on the device at once (a cooperative
// launch), because they meet at barriers.
// Shared memory: 384 bytes for each warp.
// Traffic: a triple reads 8 bytes of its arc, which neighbours share, and 32 bytes of labels at the head; where it improves one, it makes
// two atomic operations. A visit reads 16 bytes of row and lanes. A scan reads 4 bytes a row, and 128 where lanes are far.
// Limit: latency of the labels at the heads, and of the atomic operations.
// Waits: each barrier ends because all blocks come to it. The loop ends after rounds_most rounds.
template <int THREADS, int EACH> __global__ void __launch_bounds__(THREADS, EACH) search(const mm_plan plan)
{
    __shared__ block_state s;
    mm_control *const c = plan.d_control;
    warp_state w = {};
    int window = c->window, begin = 0;
    uint32_t barriers = 0;
    bool is_done = false, is_over = false;
    unsigned long long scans = 0;
    w.held = s.held[warp_id()];
    w.deal = s.deal[warp_id()];
    w.lane = lane_id();
    w.least = NONE;
    w.end = c->end;
    w.round = c->round;
    if (threadIdx.x == 0) {
        s.count = c->tail[w.round % 3];
        s.halt = 0;
        s.least = NONE;
        s.has_moved = 0;
    }
    __syncthreads();
    for (int rounds = 0; rounds < plan.rounds_most && s.halt == 0; rounds++, w.round++) {
        const uint32_t count = s.count;
        const bool is_scan = count == 0;
        if (is_scan) {
            begin = __ldcg(&c->least[window % 3]);
            is_done = begin == NONE && __ldcg(&c->has_moved[window % 3]) == 0;
            is_over = begin < NONE && begin >= plan.end_most;
            if (is_done || is_over)
                break;
            window++;
            w.end = begin < plan.end_most - plan.delta ? begin + plan.delta : plan.end_most;
            if (plan.has_targets) {
                find_live(plan, begin);
                grid_barrier(c->barrier, ++barriers * gridDim.x);
            }
            if (blockIdx.x == 0 && threadIdx.x == 0) {
                __stcg(&c->least[(window + 1) % 3], NONE);
                __stcg(&c->has_moved[(window + 1) % 3], 0);
            }
            scans++;
            scan(plan, w);
        } else {
            visit_queue(plan, w, count);
        }
        end_round(plan, w, &s, window, &barriers, is_scan);
    }
    if (w.visits > 0) {
        atomicAdd(&c->visits, (unsigned long long)w.visits);
        atomicAdd(&c->triples, w.triples);
    }
    grid_barrier(c->barrier, ++barriers * gridDim.x);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        c->window = window;
        c->end = w.end;
        c->round = w.round;
        c->is_done = is_done ? 1 : 0;
        c->is_over = is_over ? 1 : 0;
        c->scans += scans;
    }
    leave_barriers(c->barrier);
}

// ---- Begin and end: a thread for each word

__global__ void clear(const mm_plan plan)
{
    const int64_t rows = (int64_t)plan.vertices * plan.groups, words = rows * (MM_LANES / 4);
    const int64_t stride = (int64_t)gridDim.x * blockDim.x, first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (int64_t i = first; i < words; i += stride)
        __stcg(reinterpret_cast<int4 *>(plan.d_label) + i, make_int4(NONE, NONE, NONE, NONE));
    for (int64_t i = first; i < rows; i += stride) {
        plan.d_far[i] = 0;
        plan.d_near[0][i] = 0;
        plan.d_near[1][i] = 0;
    }
    if (first == 0) {
        mm_control *c = plan.d_control;
        c->barrier[0] = c->barrier[1] = 0;
        c->round = c->window = c->end = c->is_over = c->is_done = 0;
        c->visits = c->triples = c->scans = 0;
        for (int k = 0; k < 3; k++) {
            c->tail[k] = 0;
            c->least[k] = k == 0 ? 0 : NONE;
            c->has_moved[k] = 0;
        }
        c->halt[0] = c->halt[1] = 0;
    }
}

// A thread for each lane: its departure, and its label at the source.
__global__ void enter(const mm_plan plan)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), lane = i % MM_LANES, group = i / MM_LANES;
    if (group >= plan.groups)
        return;
    const int query = group * (MM_LANES / plan.width) + lane / plan.width, state = lane % plan.width;
    const int32_t source = plan.d_source[query], depart = source >= 0 ? plan.d_depart[query] : 0;
    plan.d_lane_depart[i] = depart;
    if (lane == 0)
        plan.d_live[group] = ALL_LANES;
    if (source < 0 || (plan.start >> state & 1) == 0)
        return;
    const size_t row = (size_t)group * (size_t)plan.vertices + (size_t)source;
    plan.d_label[row * MM_LANES + (size_t)lane] = depart;
    atomicOr(plan.d_far + row, 1u << lane);
}

// Blocks (part, query): the labels of the query that are there, and its arrival.
__global__ void answers(const mm_plan plan, int32_t *d_arrival, unsigned long long *d_reached)
{
    const int query = (int)blockIdx.y, each = MM_LANES / plan.width;
    const size_t base = (size_t)(query / each) * (size_t)plan.vertices;
    const int lane = query % each * plan.width;
    const int32_t target = plan.d_source[query] >= 0 ? plan.d_target[query] : -1;
    unsigned int mine = 0;
    if (target < 0)
        for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < (int64_t)plan.vertices * plan.width; i += (int64_t)gridDim.x * blockDim.x) {
            const int state = (int)(i % plan.width);
            const size_t row = base + (size_t)(i / plan.width);
            mine += state < plan.states && plan.d_label[row * MM_LANES + (size_t)(lane + state)] != NONE ? 1 : 0;
        }
    mine = __reduce_add_sync(ALL_LANES, mine);
    if (lane_id() == 0 && mine > 0)
        atomicAdd(d_reached + query, (unsigned long long)mine);
    if (threadIdx.x != 0 || blockIdx.x != 0)
        return;
    int32_t best = NONE;
    for (int state = 0; target >= 0 && state < plan.states; state++)
        if ((plan.final >> state & 1) != 0)
            best = min(best, plan.d_label[(base + (size_t)target) * MM_LANES + (size_t)(lane + state)]);
    d_arrival[query] = best;
    if (target >= 0)
        d_reached[query] = best < NONE ? 1 : 0;
}

__global__ void pick_labels(const mm_plan plan, int32_t query, int32_t first, int64_t words, int32_t *d_out)
{
    const int each = MM_LANES / plan.width;
    const size_t base = (size_t)(query / each) * (size_t)plan.vertices + (size_t)first;
    const int lane = query % each * plan.width;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < words; i += (int64_t)gridDim.x * blockDim.x)
        d_out[i] = plan.d_label[(base + (size_t)(i / plan.states)) * MM_LANES + (size_t)(lane + (int)(i % plan.states))];
}

// Shapes: the more threads, the fewer registers each has.
struct shape {
    void (*kernel)(const mm_plan);
    int threads;
};

constexpr shape shapes[] = {{search<512, 2>, 512}, {search<512, 3>, 512}, {search<256, 5>, 256}};

shape shape_of(const mm_plan &plan) { return shapes[plan.shape]; }

constexpr unsigned int CLEAR_BLOCKS = 2048, CLEAR_THREADS = 256, ANSWER_BLOCKS = 128;

}  // namespace

// ---- Launchers

cudaError_t mm_shape_search(mm_plan *plan, int multiprocessors, int blocks_each)
{
    int fit = 0;
    if (plan->shape < 0 || plan->shape >= (int32_t)(sizeof shapes / sizeof *shapes))
        return cudaErrorInvalidValue;
    const shape s = shape_of(*plan);
    if (plan->threads <= 0)
        plan->threads = s.threads;
    if (plan->threads > s.threads || plan->threads % WARP != 0)
        return cudaErrorInvalidValue;
    const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, s.kernel, plan->threads, 0);
    if (error != cudaSuccess)
        return error;
    if (fit == 0)
        return cudaErrorInvalidConfiguration;
    plan->blocks = multiprocessors * (blocks_each > 0 && blocks_each < fit ? blocks_each : fit);
    return cudaSuccess;
}

cudaError_t mm_launch_begin(const mm_plan *plan, cudaStream_t stream)
{
    const cudaError_t error = launch(clear, dim3(CLEAR_BLOCKS), CLEAR_THREADS, 0, stream, *plan);
    if (error != cudaSuccess)
        return error;
    const unsigned int lanes = (unsigned int)plan->groups * MM_LANES;
    return launch(enter, dim3((lanes + CLEAR_THREADS - 1) / CLEAR_THREADS), CLEAR_THREADS, 0, stream, *plan);
}

cudaError_t mm_launch_search(const mm_plan *plan, cudaStream_t stream)
{
    void *arguments[] = {const_cast<mm_plan *>(plan)};
    const cudaError_t error =
        cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(shape_of(*plan).kernel), dim3((unsigned int)plan->blocks),
                                    dim3((unsigned int)plan->threads), arguments, 0, stream);
    return error != cudaSuccess ? error : cudaGetLastError();
}

cudaError_t mm_launch_answers(const mm_plan *plan, int32_t *d_arrival, unsigned long long *d_reached, cudaStream_t stream)
{
    const unsigned int queries = (unsigned int)(plan->groups * (MM_LANES / plan->width));
    const cudaError_t error = cudaMemsetAsync(d_reached, 0, queries * sizeof *d_reached, stream);
    return error != cudaSuccess ? error : launch(answers, dim3(ANSWER_BLOCKS, queries), CLEAR_THREADS, 0, stream, *plan, d_arrival, d_reached);
}

cudaError_t mm_launch_labels(const mm_plan *plan, int32_t query, int32_t first, int32_t count, int32_t *d_out, cudaStream_t stream)
{
    return launch(pick_labels, dim3(CLEAR_BLOCKS), CLEAR_THREADS, 0, stream, *plan, query, first, (int64_t)count * plan->states, d_out);
}
