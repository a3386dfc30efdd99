// SPDX-License-Identifier: MIT
// Sweeps over any instance, a launch for each class of rows and one for what follows from the sums.
//
// Mapping. Rows of up to 1,024 links: a warp each, the row in registers, 1, 4, 8 or 32 links a lane. Rows of up to 16,384: a block each, the row in
// registers, 16 or 32 links a thread. Longer rows: a block of 1,024 threads, the row in a buffer that the L2 cache holds; it reads 64 bytes a
// cycle, so 10^6 links take 70 us a look. Long rows begin first, on a stream of their own.
//
// Bytes of a sweep. An entry has 4 bytes of index, with general weights 4 more, and each link has two entries: 8 or 16 bytes a link from device
// memory. A neighbour is a gather of 16 bytes, for which the L2 cache moves a sector of 32. A node has 16 bytes read and written, and 4 to 20 of the
// method. 10^8 links, 10^6 nodes: 0.8 GB of indices, 0.17 ms at 4.8 TB/s; 2e8 sectors, 6.4 GB, 1.16 ms at the 5.5 TB/s of an H200's L2 cache,
// which holds all 16 MB of nodes. 10^9 links, 10^7 nodes: nodes are 160 MB, so sectors come from device memory, 64 GB, 13.3 ms at best;
// random sectors of 32 bytes reach about a third of that, 40 ms.
//
// Several GPUs. Each sweeps the rows of its nodes. A warp that has a new dual writes it to the memory of all other GPUs at once, so the exchange
// goes on during the sweep: 4 bytes a node, a packet of some 48 on NVLink, 24 MB of 10^6 nodes on two GPUs, 0.06 ms at 400 GB/s. Behind the sweep
// sums follow, 40 bytes; streams wait for each other's events, and each GPU copies the duals of the others to its nodes and does the same with
// the same sums. No kernel waits for another one.
//
// Operations. 7 looks at a row of 3 to 6 issue slots a link: 2e8 * 35 / 32 = 2.2e8, 0.24 ms on 528 schedulers at 1.755 GHz. They hide
// behind the gathers of other warps.
#include "overlay/gpu/dist.cuh"

namespace {

constexpr int WARPS = OVERLAY_GPU_BLOCK / WARP;
constexpr int LONG_BLOCK = 512, LONGEST_BLOCK = 1024, NODES_A_LOOK = 16, BLOCKS_OF_NODES = 4096;
constexpr int FEW = 2;  // near links of most rows, a lane

struct sweep_task {
    overlay_gpu_plan plan;
    int64_t first, end;  // of the class
    int64_t tick;
    uint32_t width;
};

// ---- Loading

// Entry `at` of all, of the row of `me`, which leads to node j.
DEVICE void entry_of(const overlay_gpu_plan &p, const overlay_gpu_node &me, const overlay_gpu_node &other, int64_t at, uint32_t &excess,
                     uint32_t &most)
{
    const uint32_t weight = p.d_weight != nullptr ? __ldcs(p.d_weight + at) : __umulhi(me.uptime, other.uptime);
    excess = above(weight, other.dual);
    most = p.d_most != nullptr ? (uint32_t)__ldcs(p.d_most + at) : lesser(me.cap, other.cap);
}

// The first `most` links at most. `threads` have the row, and this is number `rank` of them.
template <class ROW, int K>
DEVICE void load_kept(const overlay_gpu_plan &p, const overlay_gpu_node *nodes, const overlay_gpu_node &me, int32_t i, int32_t most, int threads,
                      int rank, ROW &row)
{
    const int64_t first = p.is_complete ? 0 : row_begin(p, i);
    const int32_t all = p.is_complete ? p.nodes : (int32_t)(row_begin(p, i + 1) - first), size = all < most ? all : most;
    int32_t to[K];
    row.lowest = UINT32_MAX;
#pragma unroll
    for (int k = 0; k < K; k++) {
        const int32_t at = k * threads + rank;
        to[k] = at >= size ? -1 : p.is_complete ? (at == i ? -1 : at) : __ldcs(p.d_to + first + at);
    }
#pragma unroll
    for (int k = 0; k < K; k++) {
        row.excess[k] = 0;
        row.most[k] = 0;
        if (to[k] >= 0)
            entry_of(p, me, node_at(nodes, to[k]), first + k * threads + rank, row.excess[k], row.most[k]);
    }
}

DEVICE block_row load_row(const overlay_gpu_plan &p, const overlay_gpu_node *nodes, const overlay_gpu_node &me, int32_t i, uint64_t *entry,
                          block_room *room)
{
    const int64_t first = p.is_complete ? 0 : row_begin(p, i), size = p.is_complete ? p.nodes : row_begin(p, i + 1) - first;
    for (int64_t k = threadIdx.x; k < size; k += blockDim.x) {
        const int32_t j = p.is_complete ? (int32_t)k : __ldcs(p.d_to + first + k);
        uint32_t excess = 0, most = 0;
        if (!p.is_complete || j != i)
            entry_of(p, me, node_at(nodes, j), first + k, excess, most);
        entry[k] = excess | (uint64_t)most << 32;
    }
    __syncthreads();
    return {entry, size, room, 0, UINT32_MAX};
}

// ---- The work of a node

struct sweep_sums {
    wide_sum bound, squares;
};

// The neighbours of a node look at all their links again: its dual is lower than their lists allow for.
DEVICE void void_lists(const overlay_gpu_plan &p, int32_t i, int threads, int rank)
{
    for (int64_t at = row_begin(p, i) + rank; at < row_begin(p, i + 1); at += threads) {
        const int32_t j = p.d_to[at];
        p.d_near[j] = INT32_MAX;
        for (int q = 0; q < p.mails; q++)  // one of these has the row of j
            p.d_mail[q].near[j] = INT32_MAX;
    }
}

// The `rank` of `threads` that have the row; the first one writes what the node leaves. False: a look went below `floor`, where the row lacks
// links; nothing is written then.
template <int METHOD, class ROW>
DEVICE bool work(const sweep_task &t, const ROW &row, int side, int32_t i, const overlay_gpu_node &me, uint32_t floor, int threads, int rank,
                 sweep_sums &sums)
{
    const bool writes = rank == 0;
    const overlay_gpu_plan &p = t.plan;
    uint64_t worth = 0;
    uint32_t next = me.dual;
    if (METHOD == OVERLAY_GPU_JUMP) {
        const jump_rule rule = {t.width, t.width > 0 ? 1.0 / (double)t.width : 0, p.rules.inner};
        uint32_t reach = p.d_reach[i];
        next = jump(row, rule, me.dual, me.bandwidth, reach, worth);
        if (row.lowest < floor)
            return false;
        if (writes)
            p.d_reach[i] = reach;
        if (p.d_near != nullptr && next < p.d_lowest[i])
            void_lists(p, i, threads, rank);
    } else if (METHOD == OVERLAY_GPU_DIST) {
        descent d = {p.d_alpha[i], 0, p.d_stalls[i], me.dual, me.dual};
        descend(row, p.rules, me.bandwidth, p.d_stop, d);
        worth = d.first;
        next = kept_of(p.rules, me.dual, d);
        if (writes) {
            p.d_alpha[i] = d.alpha;
            p.d_stalls[i] = d.stalls;
        }
    } else {
        const int64_t excess = (int64_t)row.both(me.dual, &worth) - me.bandwidth;
        if (METHOD == OVERLAY_GPU_STD) {
            add_to(sums.squares, (uint64_t)(excess * excess));
            tell_others(p, t.tick, i, (uint32_t)excess, threads, rank);
            if (writes)
                p.d_excess[i] = (int32_t)excess;
        }
    }
    if (METHOD != OVERLAY_GPU_STD) {
        tell_others(p, t.tick, i, next, threads, rank);
        if (writes)
            p.d_node[side ^ 1][i].dual = next;
    }
    add_to(sums.bound, worth + 2 * ((uint64_t)me.dual * me.bandwidth));
    return true;
}

// A row by a warp, K links a lane.
template <int METHOD, int K>
DEVICE bool sweep_row(const sweep_task &t, const overlay_gpu_node *nodes, int side, int32_t i, const overlay_gpu_node &me, int32_t most,
                      uint32_t floor, sweep_sums &sums)
{
    const int lane = (int)(threadIdx.x % WARP);
    warp_row<K> row;
    load_kept<warp_row<K>, K>(t.plan, nodes, me, i, most, WARP, lane, row);
    return work<METHOD>(t, row, side, i, me, floor, WARP, lane, sums);
}

// Adds a sum of two words to one that all blocks add to: who finds the low word too small for what it adds carries.
DEVICE void add_atomically(unsigned long long *low, unsigned long long *high, const wide_sum &sum)
{
    const unsigned long long before = atomicAdd(low, (unsigned long long)sum.low);
    const unsigned long long more = sum.high + (before + sum.low < before ? 1 : 0);
    if (more != 0)
        atomicAdd(high, more);
}

DEVICE void give_sums(const sweep_task &t, const sweep_sums &sums)
{
    overlay_gpu_sums *all = t.plan.d_sums + t.tick % OVERLAY_GPU_SLOTS;
    add_atomically(&all->low, &all->high, sums.bound);
    if ((sums.squares.low | sums.squares.high) != 0)
        add_atomically(&all->square_low, &all->square_high, sums.squares);
}

// ---- Kernels of rows

DEVICE bool is_over(const sweep_task &t)
{
    return t.plan.d_state[t.tick % OVERLAY_GPU_SLOTS].is_ended != 0;
}

// A sweep that leaves out a row is void; all threads of apply() find it so.
DEVICE void cut(const sweep_task &t)
{
    t.plan.d_sums[t.tick % OVERLAY_GPU_SLOTS].is_cut = 1;
}

template <int METHOD, int K> __global__ void __launch_bounds__(OVERLAY_GPU_BLOCK, K <= 8 ? 4 : 2) sweep_by_warps(const __grid_constant__ sweep_task t)
{
    wide_sum *room = dynamic_shared<wide_sum>();  // [2 * WARPS]
    const overlay_gpu_plan &p = t.plan;
    const int warp = (int)(threadIdx.x / WARP), lane = (int)(threadIdx.x % WARP);
    sweep_sums sums = {};
    if (is_over(t))
        return;
    const int side = p.d_state[t.tick % OVERLAY_GPU_SLOTS].side;
    const overlay_gpu_node *nodes = p.d_node[side];
    int looked = 0;
    for (int64_t at = t.first + (int64_t)blockIdx.x * WARPS + warp; at < t.end; at += (int64_t)gridDim.x * WARPS) {
        const int32_t i = p.d_order != nullptr ? p.d_order[at] : (int32_t)at;
        const overlay_gpu_node me = node_at(nodes, i);
        if (looked++ % NODES_A_LOOK == 0 && warp_row<K>::agree(load_word(p.d_stop) != 0)) {
            cut(t);
            break;
        }
        int32_t near = METHOD == OVERLAY_GPU_JUMP && p.d_near != nullptr ? p.d_near[i] : INT32_MAX;
        uint32_t floor = near < INT32_MAX ? p.d_floor[i] : 0;
        while (!(K > FEW && near <= FEW * WARP ? sweep_row<METHOD, FEW>(t, nodes, side, i, me, near, floor, sums)
                                               : sweep_row<METHOD, K>(t, nodes, side, i, me, near, floor, sums))) {
            near = INT32_MAX;  // once: no look is below 0
            floor = 0;
            if (lane == 0)
                p.d_near[i] = INT32_MAX;
        }
    }
    if (lane == 0) {
        room[warp] = sums.bound;
        room[WARPS + warp] = sums.squares;
    }
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    for (int w = 1; w < WARPS; w++) {
        add_to(sums.bound, room[w].low, room[w].high);
        add_to(sums.squares, room[WARPS + w].low, room[WARPS + w].high);
    }
    give_sums(t, sums);
}

// The rows of a block, one after the other. K links a thread in registers; K = 0: in the buffer of the block.
template <int METHOD, int K, int THREADS> __global__ void __launch_bounds__(THREADS, THREADS <= 256 ? 3 : 1)
    sweep_by_blocks(const __grid_constant__ sweep_task t)
{
    block_room *room = dynamic_shared<block_room>();
    const overlay_gpu_plan &p = t.plan;
    sweep_sums sums = {};
    if (is_over(t))
        return;
    const int side = p.d_state[t.tick % OVERLAY_GPU_SLOTS].side;
    const overlay_gpu_node *nodes = p.d_node[side];
    for (int64_t at = t.first + blockIdx.x; at < t.end; at += gridDim.x) {
        const int32_t i = p.d_order != nullptr ? p.d_order[at] : (int32_t)at;
        const overlay_gpu_node me = node_at(nodes, i);
        if (block_row::agree(load_word(p.d_stop) != 0)) {
            cut(t);
            break;
        }
        if constexpr (K > 0) {
            kept_row<K, true> row;
            row.room = room;
            row.turn = 0;
            load_kept<kept_row<K, true>, K>(p, nodes, me, i, INT32_MAX, THREADS, (int)threadIdx.x, row);
            work<METHOD>(t, row, side, i, me, 0, THREADS, (int)threadIdx.x, sums);
        } else {
            const block_row row = load_row(p, nodes, me, i, p.d_scratch + blockIdx.x * p.longest, room);
            work<METHOD>(t, row, side, i, me, 0, THREADS, (int)threadIdx.x, sums);
        }
        __syncthreads();  // the room is free
    }
    if (threadIdx.x == 0)
        give_sums(t, sums);
}

// ---- What follows from the sums

// Behind the rows of a part: its sums go to the others.
__global__ void post(const __grid_constant__ sweep_task t)
{
    const overlay_gpu_plan &p = t.plan;
    const int slot = (int)(t.tick % OVERLAY_GPU_SLOTS);
    for (int q = (int)threadIdx.x; q < p.mails; q += (int)blockDim.x)
        p.d_mail[q].sums[slot * p.parts + p.part] = p.d_sums[slot];
}

// All parts have posted: a thread adds the sums of the others to those of this one.
__global__ void collect(const __grid_constant__ sweep_task t)
{
    const overlay_gpu_plan &p = t.plan;
    const int slot = (int)(t.tick % OVERLAY_GPU_SLOTS);
    overlay_gpu_sums &own = p.d_sums[slot];
    wide_sum bound = {own.low, own.high}, squares = {own.square_low, own.square_high};
    unsigned long long is_cut = own.is_cut;
    for (int q = 0; q < p.parts; q++) {
        const overlay_gpu_sums other = q == p.part ? overlay_gpu_sums{} : p.inbox.sums[slot * p.parts + q];
        add_to(bound, other.low, other.high);
        add_to(squares, other.square_low, other.square_high);
        is_cut |= other.is_cut;
    }
    own = {bound.low, bound.high, squares.low, squares.high, is_cut};
}

// All nodes, those of other parts, too: every thread finds the next state by itself, and all parts find the same. The first one writes it, and
// clears the sums of the next sweep. A block of 256 threads has 256 nodes at a time; 16 to 28 bytes a node.
__global__ void __launch_bounds__(OVERLAY_GPU_BLOCK) apply(const __grid_constant__ sweep_task t, overlay_gpu_method method)
{
    const overlay_gpu_plan &p = t.plan;
    const int slot = (int)(t.tick % OVERLAY_GPU_SLOTS);
    const bool is_writer = blockIdx.x == 0 && threadIdx.x == 0;
    overlay_gpu_state s = p.d_state[slot];
    const overlay_gpu_sums sums = p.d_sums[slot];
    const wide_sum bound = {sums.low, sums.high}, squares = {sums.square_low, sums.square_high};
    const int side = s.side;
    const bool is_done = s.is_ended != 0 || sums.is_cut != 0;
    bool is_less = false;
    double length = 0;
    if (!is_done) {
        is_less = take_bound(s, bound, p.d_log, is_writer);
        if (method == OVERLAY_GPU_STD)
            length = step_length(s, p.rules, is_less, bound, norm_of(p.rules, squares));
        if (method == OVERLAY_GPU_JUMP && p.rules.is_plain)
            test_gain(s);
        s.side = side ^ 1;
    }
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; !is_done && i < p.nodes; i += (int64_t)gridDim.x * blockDim.x) {
        const uint32_t dual = p.d_node[side][i].dual;
        const bool is_own = i >= p.first_node && i < p.end_node;
        const uint32_t told = is_own ? 0 : p.inbox.duals[(int64_t)slot * p.nodes + i];
        if (is_less)
            p.d_best[i] = dual;
        if (method == OVERLAY_GPU_STD)
            p.d_node[side ^ 1][i].dual = stepped(dual, length, is_own ? p.d_excess[i] : (int32_t)told);
        else if (!is_own)
            p.d_node[side ^ 1][i].dual = told;
    }
    if (is_writer) {
        s.is_ended = s.is_ended != 0 || sums.is_cut != 0;
        p.d_state[slot ^ 1] = s;
        p.d_sums[slot ^ 1] = {0, 0, 0, 0, 0};
    }
}

__global__ void __launch_bounds__(OVERLAY_GPU_BLOCK) put(const __grid_constant__ overlay_gpu_plan p, const uint32_t *d_dual)
{
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < p.nodes; i += (int64_t)gridDim.x * blockDim.x) {
        const uint32_t dual = d_dual != nullptr ? d_dual[i] : p.d_best[i];
        p.d_node[0][i].dual = dual;
        p.d_node[1][i].dual = dual;
    }
}

__global__ void __launch_bounds__(OVERLAY_GPU_BLOCK) begin(const __grid_constant__ overlay_gpu_plan p)
{
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < p.nodes; i += (int64_t)gridDim.x * blockDim.x) {
        p.d_reach[i] = FIRST_REACH;
        p.d_alpha[i] = FIRST_ALPHA;
        p.d_stalls[i] = 0;
    }
}

// ---- Launches

typedef void sweep_kernel(const sweep_task);

// How the rows of a class are swept.
struct sweep_shape {
    sweep_kernel *kernel;
    int threads;
    size_t room;
};

template <int METHOD> sweep_shape shape_of(int c)
{
    constexpr size_t WARP_ROOM = 2 * WARPS * sizeof(wide_sum), BLOCK_ROOM = sizeof(block_room);
    switch (c) {
    case 0: return {sweep_by_warps<METHOD, 1>, OVERLAY_GPU_BLOCK, WARP_ROOM};
    case 1: return {sweep_by_warps<METHOD, 4>, OVERLAY_GPU_BLOCK, WARP_ROOM};
    case 2: return {sweep_by_warps<METHOD, 8>, OVERLAY_GPU_BLOCK, WARP_ROOM};
    case 3: return {sweep_by_warps<METHOD, 32>, OVERLAY_GPU_BLOCK, WARP_ROOM};
    case 4: return {sweep_by_blocks<METHOD, 16, OVERLAY_GPU_BLOCK>, OVERLAY_GPU_BLOCK, BLOCK_ROOM};
    case 5: return {sweep_by_blocks<METHOD, 32, LONG_BLOCK>, LONG_BLOCK, BLOCK_ROOM};
    default: return {sweep_by_blocks<METHOD, 0, LONGEST_BLOCK>, LONGEST_BLOCK, BLOCK_ROOM};
    }
}

sweep_shape shape_for(overlay_gpu_method method, int c)
{
    return method == OVERLAY_GPU_JUMP   ? shape_of<OVERLAY_GPU_JUMP>(c)
           : method == OVERLAY_GPU_STD  ? shape_of<OVERLAY_GPU_STD>(c)
           : method == OVERLAY_GPU_DIST ? shape_of<OVERLAY_GPU_DIST>(c)
                                        : shape_of<OVERLAY_GPU_MEASURE>(c);
}

cudaError_t launch_class(const overlay_gpu_plan *plan, overlay_gpu_method method, int c, const sweep_task &like, cudaStream_t stream)
{
    sweep_task task = like;
    task.first = plan->classes[c].first;
    task.end = plan->classes[c].end;
    if (task.first == task.end)
        return cudaSuccess;
    const sweep_shape shape = shape_for(method, c);
    return launch(shape.kernel, dim3((unsigned int)plan->blocks[c]), (unsigned int)shape.threads, shape.room, stream, task);
}

unsigned int blocks_of_nodes(int32_t nodes)
{
    const int64_t blocks = ((int64_t)nodes + OVERLAY_GPU_BLOCK - 1) / OVERLAY_GPU_BLOCK;
    return (unsigned int)(blocks < 1 ? 1 : blocks < BLOCKS_OF_NODES ? blocks : BLOCKS_OF_NODES);
}

}  // namespace

extern "C" cudaError_t overlay_gpu_occupancy(overlay_gpu_method method, int c, int multiprocessors, int32_t *blocks)
{
    int on_each = 0;
    const sweep_shape shape = shape_for(method, c);
    const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_each, shape.kernel, shape.threads, shape.room);
    *blocks = on_each * multiprocessors;
    return error;
}

extern "C" cudaError_t overlay_gpu_launch_rows(const overlay_gpu_plan *plan, overlay_gpu_method method, int64_t tick, uint32_t width,
                                               cudaStream_t stream, cudaStream_t side, cudaEvent_t forked, cudaEvent_t joined)
{
    const sweep_task task = {*plan, 0, 0, tick, width};
    const bool has_long = plan->classes[OVERLAY_GPU_WARP_CLASSES].first < plan->classes[OVERLAY_GPU_CLASSES - 1].end;
    cudaError_t error = cudaSuccess;
    if (has_long) {
        error = cudaEventRecord(forked, stream);
        error = error != cudaSuccess ? error : cudaStreamWaitEvent(side, forked, 0);
    }
    for (int c = OVERLAY_GPU_CLASSES - 1; c >= 0 && error == cudaSuccess; c--)
        error = launch_class(plan, method, c, task, c >= OVERLAY_GPU_WARP_CLASSES ? side : stream);
    if (has_long && error == cudaSuccess) {
        error = cudaEventRecord(joined, side);
        error = error != cudaSuccess ? error : cudaStreamWaitEvent(stream, joined, 0);
    }
    return error != cudaSuccess || plan->mails == 0 ? error : launch(post, dim3(1), WARP, 0, stream, task);
}

extern "C" cudaError_t overlay_gpu_launch_apply(const overlay_gpu_plan *plan, overlay_gpu_method method, int64_t tick, cudaStream_t stream)
{
    const sweep_task task = {*plan, 0, 0, tick, 0};
    const cudaError_t error = plan->mails == 0 ? cudaSuccess : launch(collect, dim3(1), 1, 0, stream, task);
    return error != cudaSuccess ? error : launch(apply, dim3(blocks_of_nodes(plan->nodes)), OVERLAY_GPU_BLOCK, 0, stream, task, method);
}

extern "C" cudaError_t overlay_gpu_launch_begin(const overlay_gpu_plan *plan, cudaStream_t stream)
{
    return launch(begin, dim3(blocks_of_nodes(plan->nodes)), OVERLAY_GPU_BLOCK, 0, stream, *plan);
}

extern "C" cudaError_t overlay_gpu_launch_put(const overlay_gpu_plan *plan, const uint32_t *d_dual, cudaStream_t stream)
{
    return launch(put, dim3(blocks_of_nodes(plan->nodes)), OVERLAY_GPU_BLOCK, 0, stream, *plan, d_dual);
}
