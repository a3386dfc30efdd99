// SPDX-License-Identifier: MIT
// Whole runs of jump and dist on a complete instance of up to 1,024 nodes: one launch, one exchange an iteration.
//
// Mapping. A warp has a node and keeps its row in registers: 32 links a lane at most, weights and limits made once from uptimes and
// bandwidths. A block of 8 warps keeps all duals in shared memory. After a sweep every warp sends its dual in a word; the
// block sends the sum of its bounds in three words. Every block waits for the words of all, and so does itself what follows from the sums:
// there is no master. A word carries the number of its iteration (words.cuh), so the exchange costs one way through the L2 cache.
//
// Bytes. 8 a node and 24 a block are read by each block: 11 KB, 1.4 MB for all 125 blocks of 1,000 nodes, or 0.25 us at 5.5 TB/s of
// the L2 cache. Nothing else is read.
//
// Operations. Integers are compared and added by one unit, multiplied by another one; each takes a warp every second cycle. So a look takes a link
// two cycles where only limits are summed (add_above()), and 6 where worths are, too. 1,000 nodes are 1,000 warps of 32 links on 528 schedulers, two
// on most. A look ends with a sum over the warp and a quotient, some 200 cycles that nothing hides. Measured, the slowest warp of an iteration:
//     jump       3,600 cycles, with a ramp 6,900: about 10 looks;
//     dist       21,000 cycles at first, 20 looks of 6 cycles a link. Once steps are short, a warp keeps the links within reach only, 1 to 8 a lane:
//                then the chain of 20 dependent steps limits, 9,800 on the average.
// The exchange adds a store, a load and two barriers of a block: 1,500 cycles where blocks wait before they look, 2,700 where they look at once.
//
// Why no block waits for ever: a cooperative launch has all blocks on the device, and each sends its words in every iteration, whatever it
// finds. A block overwrites the words of iteration k at k + 2, after all have sent those of k + 1, hence have read those of k.
#include "overlay/gpu/dist.cuh"

namespace {

constexpr int WARPS = OVERLAY_GPU_BLOCK / WARP, BLOCKS_MOST = OVERLAY_GPU_WHOLE_MOST / WARPS;
constexpr int BOUND_WORDS = 3;  // of a block
// A sum of 64 bits goes in pieces of 22 bits, whose sums over 1,024 nodes fit 32 bits: so one instruction adds them up over a warp.
constexpr int PIECE_BITS = 22;
constexpr uint32_t PIECE = (1u << PIECE_BITS) - 1;

// In dynamic shared memory, since many blocks share an emulator's static one.
struct whole_room {
    uint64_t view[WARPS][VIEW_MOST];  // dist
    uint32_t dual[OVERLAY_GPU_WHOLE_MOST];
    uint64_t part[WARPS];
    wide_sum bound;
};

struct whole_task {
    overlay_gpu_plan plan;
    uint32_t tick;
    int32_t count;
    const uint32_t *d_width;
    bool from_best;
};

// What a warp keeps of its node.
template <int K> struct own_node {
    uint32_t weight[K];
    warp_row<K> row;
    int32_t i;
    bool is_node;  // i < nodes
    uint32_t dual, next, bandwidth, reach;
    uint64_t worth;
    descent steps;
};

template <int METHOD, int K> DEVICE void open_node(const overlay_gpu_plan &p, whole_room &room, own_node<K> &own)
{
    const int lane = (int)(threadIdx.x % WARP);
    own.i = (int32_t)(blockIdx.x * WARPS + threadIdx.x / WARP);
    own.is_node = own.i < p.nodes;
    const overlay_gpu_node me = own.is_node ? p.d_node[0][own.i] : overlay_gpu_node{};
    own.bandwidth = me.bandwidth;
#pragma unroll
    for (int k = 0; k < K; k++) {
        const int j = k * WARP + lane;
        const bool is_link = own.is_node && j < p.nodes && j != own.i;
        const uint4 other = is_link ? reinterpret_cast<const uint4 *>(p.d_node[0])[j] : uint4{};  // a node in one load
        own.weight[k] = __umulhi(me.uptime, other.x);
        own.row.most[k] = lesser(me.cap, other.y);
    }
    own.reach = METHOD == OVERLAY_GPU_JUMP && own.is_node ? p.d_reach[own.i] : 0;
    own.steps.alpha = METHOD == OVERLAY_GPU_DIST && own.is_node ? p.d_alpha[own.i] : 0;
    own.steps.stalls = METHOD == OVERLAY_GPU_DIST && own.is_node ? p.d_stalls[own.i] : 0;
    own.dual = own.is_node ? room.dual[own.i] : 0;
}

template <int METHOD, int K> DEVICE void close_node(const overlay_gpu_plan &p, const own_node<K> &own)
{
    if (threadIdx.x % WARP != 0 || !own.is_node)
        return;
    p.d_node[0][own.i].dual = own.dual;
    if (METHOD == OVERLAY_GPU_JUMP)
        p.d_reach[own.i] = own.reach;
    if (METHOD == OVERLAY_GPU_DIST) {
        p.d_alpha[own.i] = own.steps.alpha;
        p.d_stalls[own.i] = own.steps.stalls;
    }
}

// The excesses of the row; links of limit 0 stand for those that are not there.
template <int K> DEVICE void load_row(const whole_room &room, own_node<K> &own)
{
    const int lane = (int)(threadIdx.x % WARP);
#pragma unroll
    for (int k = 0; k < K; k++)
        own.row.excess[k] = above(own.weight[k], room.dual[k * WARP + lane]);
}

template <int METHOD, int K> DEVICE void work(const whole_task &t, whole_room &room, int32_t at, own_node<K> &own)
{
    const overlay_gpu_rules &rules = t.plan.rules;
    own.worth = 0;
    if (METHOD == OVERLAY_GPU_JUMP) {
        const uint32_t width = t.d_width != nullptr ? __ldg(t.d_width + at) : 0;
        const jump_rule rule = {width, width > 0 ? 1.0 / (double)width : 0, rules.inner};
        own.next = jump(own.row, rule, own.dual, own.bandwidth, own.reach, own.worth);
    } else {
        own.steps.dual = own.dual;
        if (K > 4 && rules.by_sign && rules.inner <= MOST_VIEWED)
            descend_by_view(own.row, room.view[threadIdx.x / WARP], rules, own.bandwidth, t.plan.d_stop, own.steps);
        else
            descend(own.row, rules, own.bandwidth, t.plan.d_stop, own.steps);
        own.worth = own.steps.first;
        own.next = kept_of(rules, own.dual, own.steps);
    }
}

// Sends what the block has found. The worth of a row and twice that of its dual are below 2^64 together.
template <int K> DEVICE void tell(const whole_task &t, whole_room &room, uint64_t *words, uint32_t tag, const own_node<K> &own)
{
    const int warp = (int)(threadIdx.x / WARP), lane = (int)(threadIdx.x % WARP);
    if (lane == 0 && own.is_node)
        send(words + own.i, own.next, tag);
    if (lane == 0)
        room.part[warp] = own.is_node ? own.worth + 2 * ((uint64_t)own.dual * own.bandwidth) : 0;
    __syncthreads();
    if (warp > 0)
        return;
    const uint64_t value = lane < WARPS ? room.part[lane] : 0;
    const uint32_t low = __reduce_add_sync(ALL_LANES, (uint32_t)value & PIECE);
    const uint32_t middle = __reduce_add_sync(ALL_LANES, (uint32_t)(value >> PIECE_BITS) & PIECE);
    const uint32_t high = __reduce_add_sync(ALL_LANES, (uint32_t)(value >> 2 * PIECE_BITS));
    if (lane < BOUND_WORDS)
        send(words + t.plan.nodes + lane * t.plan.whole_blocks + blockIdx.x, lane == 0 ? low : lane == 1 ? middle : high, tag);
}

// Waits for all pieces of blocks lane, lane + 32, ...: N of each kind at most.
template <int N> DEVICE void wait_for_pieces(const uint64_t *words, int lane, int blocks, uint32_t tag, uint64_t (&got)[BOUND_WORDS * N])
{
    bool is_missing;
#pragma unroll
    for (int k = 0; k < BOUND_WORDS * N; k++)
        got[k] = (uint64_t)(tag ^ 1) << 32;
    do {
        is_missing = false;
#pragma unroll
        for (int k = 0; k < BOUND_WORDS * N; k++)
            if (lane + k % N * WARP < blocks && (uint32_t)(got[k] >> 32) != tag)
                got[k] = look(words + k / N * blocks + lane + k % N * WARP);
#pragma unroll
        for (int k = 0; k < BOUND_WORDS * N; k++)
            is_missing = is_missing || (lane + k % N * WARP < blocks && (uint32_t)(got[k] >> 32) != tag);
    } while (is_missing);
}

// Waits for words `from`, from + step, ... below `end`, N at most. All loads are on their way at once; those that came too early are repeated.
template <int N> DEVICE void wait_for(const uint64_t *words, int from, int end, int step, uint32_t tag, uint64_t (&got)[N])
{
    bool is_missing;
#pragma unroll
    for (int k = 0; k < N; k++)
        got[k] = (uint64_t)(tag ^ 1) << 32;
    do {
        is_missing = false;
#pragma unroll
        for (int k = 0; k < N; k++)
            if (from + k * step < end && (uint32_t)(got[k] >> 32) != tag)
                got[k] = look(words + from + k * step);
#pragma unroll
        for (int k = 0; k < N; k++)
            is_missing = is_missing || (from + k * step < end && (uint32_t)(got[k] >> 32) != tag);
    } while (is_missing);
}

// The sum of what all blocks have sent in three pieces each, piece by piece. A warp.
DEVICE wide_sum wait_for_sum(const uint64_t *words, int blocks, uint32_t tag)
{
    constexpr int N = BLOCKS_MOST / WARP;
    const int lane = (int)(threadIdx.x % WARP);
    uint64_t got[BOUND_WORDS * N];
    wait_for_pieces<N>(words, lane, blocks, tag, got);
    uint32_t piece[BOUND_WORDS] = {0, 0, 0};
#pragma unroll
    for (int k = 0; k < BOUND_WORDS * N; k++)
        piece[k / N] += lane + k % N * WARP < blocks ? (uint32_t)got[k] : 0;
    const uint64_t low = __reduce_add_sync(ALL_LANES, piece[0]), middle = __reduce_add_sync(ALL_LANES, piece[1]);
    const uint64_t high = __reduce_add_sync(ALL_LANES, piece[2]);
    wide_sum sum = {low, 0};
    add_to(sum, middle << PIECE_BITS);
    add_to(sum, high << 2 * PIECE_BITS, high >> (64 - 2 * PIECE_BITS));
    return sum;
}

// Waits for the words of all. The first warp takes the bound, the others the nodes.
template <int K> DEVICE void hear(const whole_task &t, whole_room &room, const uint64_t *words, uint32_t tag)
{
    constexpr int HEARERS = OVERLAY_GPU_BLOCK - WARP, N = (K * WARP + HEARERS - 1) / HEARERS;
    pause_for(t.plan.pause);
    if (threadIdx.x < WARP) {
        const wide_sum sum = wait_for_sum(words + t.plan.nodes, t.plan.whole_blocks, tag);
        if (threadIdx.x == 0)
            room.bound = sum;
    } else {
        const int from = (int)threadIdx.x - WARP;
        uint64_t got[N];
        wait_for<N>(words, from, t.plan.nodes, HEARERS, tag, got);
#pragma unroll
        for (int k = 0; k < N; k++)
            if (from + k * HEARERS < t.plan.nodes)
                room.dual[from + k * HEARERS] = (uint32_t)got[k];
    }
    __syncthreads();
}

template <int METHOD, int K> __global__ void __launch_bounds__(OVERLAY_GPU_BLOCK, 1) run_whole(const __grid_constant__ whole_task t)
{
    whole_room &room = *dynamic_shared<whole_room>();
    const overlay_gpu_plan &p = t.plan;
    const bool is_writer = blockIdx.x == 0 && threadIdx.x == 0;
    overlay_gpu_state s = p.d_state[0];
    own_node<K> own;
    s.changes = 0;
    for (int j = (int)threadIdx.x; j < OVERLAY_GPU_WHOLE_MOST; j += OVERLAY_GPU_BLOCK)
        room.dual[j] = j >= p.nodes ? 0 : t.from_best && s.least_high != UINT64_MAX ? p.d_best[j] : p.d_node[0][j].dual;
    __syncthreads();
    open_node<METHOD, K>(p, room, own);
    for (int32_t at = 0; at < t.count; at++) {
        const uint32_t tag = t.tick + (uint32_t)at + 1;
        uint64_t *words = p.d_words + (tag % OVERLAY_GPU_SLOTS) * (uint64_t)(p.nodes + BOUND_WORDS * p.whole_blocks);
        load_row(room, own);
        work<METHOD, K>(t, room, at, own);
        tell(t, room, words, tag, own);
        hear<K>(t, room, words, tag);
        const wide_sum bound = room.bound;
        const bool is_less = take_bound(s, bound, p.d_log, is_writer);
        if (is_less && own.is_node && threadIdx.x % WARP == 0)
            p.d_best[own.i] = own.dual;
        own.dual = own.next;
        if (METHOD == OVERLAY_GPU_JUMP && p.rules.is_plain) {
            test_gain(s);
            if (s.is_ended)
                break;
        }
    }
    close_node<METHOD, K>(p, own);
    if (is_writer)
        p.d_state[0] = s;
}

typedef void whole_kernel(const whole_task);

template <int METHOD> whole_kernel *kernel_of(int32_t nodes)
{
    return nodes <= 64 ? run_whole<METHOD, 2> : nodes <= 256 ? run_whole<METHOD, 8> : nodes <= 512 ? run_whole<METHOD, 16> : run_whole<METHOD, 32>;
}

whole_kernel *kernel_for(overlay_gpu_method method, int32_t nodes)
{
    return method == OVERLAY_GPU_DIST ? kernel_of<OVERLAY_GPU_DIST>(nodes) : kernel_of<OVERLAY_GPU_JUMP>(nodes);
}

}  // namespace

extern "C" cudaError_t overlay_gpu_whole_fits(overlay_gpu_method method, int32_t nodes, int multiprocessors, bool *fits)
{
    int on_each = 0;
    const int blocks = (nodes + WARPS - 1) / WARPS;
    const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_each, kernel_for(method, nodes), OVERLAY_GPU_BLOCK, sizeof(whole_room));
    *fits = error == cudaSuccess && blocks <= on_each * multiprocessors;
    return error;
}

extern "C" cudaError_t overlay_gpu_launch_whole(const overlay_gpu_plan *plan, overlay_gpu_method method, uint32_t tick, int32_t count,
                                                const uint32_t *d_width, bool from_best, cudaStream_t stream)
{
    const whole_task task = {*plan, tick, count, d_width, from_best};
    return launch_together(kernel_for(method, plan->nodes), plan->whole_blocks, OVERLAY_GPU_BLOCK, sizeof(whole_room), stream, task);
}
