// SPDX-License-Identifier: MIT
// Whole runs of std on a complete instance of up to 1,024 nodes: one launch, one exchange an iteration.
//
// Mapping. A block has 8 rows. Each of its threads has a quad of columns, four nodes side by side: their duals, and weights and limits of
// the 8 rows there, stay in registers. Nothing branches in a sweep. Loads of the rows, and what all are worth, meet in shared memory.
// The first warp sends a word for each row: its excess, and a part of what the block is worth. All blocks wait for the words of all
// nodes, a thread for those of its quad, and each adds up bound and squares by itself. The first warp of a block finds the length of the
// step, then every thread moves its columns. So no block waits for the sums of another.
//
// Bytes. 8 a node are read by each block: 8 KB, 1 MB for all 125 blocks of 1,000 nodes, or 0.2 us at 5.5 TB/s of the L2 cache.
//
// Operations: NOTES.md has the clocks of an iteration. Doubles are as on the cores, but integers become doubles by their bits: the unit that
// converts takes a warp every eighth cycle.
//
// Why no block waits for ever: a cooperative launch has all blocks on the device, and each sends its words in every iteration, whatever it
// finds. A block overwrites the words of iteration k at k + 2, after all have sent those of k + 1, hence have read those of k.
#include "overlay/gpu/rows.cuh"

namespace {

constexpr int QUAD = 4, ROWS = 2 * QUAD;  // of a block
// A sum of 64 bits goes in pieces of 22 bits, which fit 32 bits over 1,024 threads or nodes.
constexpr int PIECES = 3, PIECE_BITS = 22;
constexpr uint32_t PIECE = (1u << PIECE_BITS) - 1;
// A word: an excess, a part of what the block is worth (eight rows below 2^64 each), and the number of the iteration. Sums of a part over 128
// blocks have 16 bits, so those of even and of odd quads share a sum of 32.
constexpr int PART_BITS = 9, HALF = 16;
constexpr uint32_t PART = (1u << PART_BITS) - 1;
constexpr int SUMS = QUAD + PIECES;  // of all quads: parts of the bound, pieces of the squares

// In dynamic shared memory, since many blocks share an emulator's static one.
struct std_room {
    double length;                   // of the step
    uint32_t total[ROWS + PIECES];   // loads of the rows, and what all are worth
    uint32_t sum[SUMS];
    int32_t excess[ROWS];            // of the block's own nodes
};

struct std_task {
    overlay_gpu_plan plan;
    int32_t count;
};

struct std_columns {
    uint32_t weight[ROWS][QUAD], most[ROWS][QUAD], dual[QUAD];
    int32_t excess[QUAD];
    uint32_t row_dual, row_bandwidth;  // of row `lane % ROWS`
};

DEVICE uint32_t piece_of(uint64_t value, int k)
{
    return (uint32_t)(value >> (k * PIECE_BITS)) & (k + 1 < PIECES ? PIECE : 0xffffffffu);
}

DEVICE wide_sum sum_of_pieces(const uint32_t *piece)
{
    const uint64_t middle = piece[1], high = piece[2];
    wide_sum sum = {piece[0] + (middle << PIECE_BITS), 0};
    add_to(sum, high << 2 * PIECE_BITS, high >> (64 - 2 * PIECE_BITS));
    return sum;
}

DEVICE wide_sum sum_of_parts(const uint32_t *sums)
{
    wide_sum sum = {};
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
        const uint64_t part = k < QUAD ? sums[k] & ((1u << HALF) - 1) : sums[k - QUAD] >> HALF;
        add_to(sum, part << (k * PART_BITS), k * PART_BITS + HALF > 64 ? part >> (64 - k * PART_BITS) : 0);
    }
    return sum;
}

// What a node's dual becomes (stepped() of rows.cuh), without conversions. Integers below 2^51 are the last bits of a double between 2^52 and
// 2^53.
DEVICE uint32_t moved_to(uint32_t dual, double length, int32_t excess)
{
    constexpr double FROM = 4503601774854144.0, TO = 6755399441055744.0;  // 2^52 + 2^31, 2^52 + 2^51
    constexpr int BIG = 0x42000000;                                      // high bits of 2^33: beyond all duals
    const double way = __dadd_rn(__hiloint2double(0x43300000, (int)((uint32_t)excess ^ 0x80000000u)), -FROM);
    const double rounded = __dadd_rn(__dmul_rn(length, way), 0.5);
    const int64_t moved = (int64_t)dual + (__double_as_longlong(__dadd_rd(rounded, TO)) - __double_as_longlong(TO));
    const int high = __double2hiint(rounded);
    if ((high & INT32_MAX) >= BIG)
        return high < 0 ? 0 : UINT32_MAX;
    return moved <= 0 ? 0 : moved >= (int64_t)UINT32_MAX ? UINT32_MAX : (uint32_t)moved;
}

DEVICE void open_columns(const overlay_gpu_plan &p, std_columns &own)
{
    const int32_t first = (int32_t)blockIdx.x * ROWS, mine = first + (int32_t)(threadIdx.x % ROWS);
    const overlay_gpu_node none = {}, row = mine < p.nodes ? p.d_node[0][mine] : none;
    own.row_dual = row.dual;
    own.row_bandwidth = row.bandwidth;
#pragma unroll
    for (int c = 0; c < QUAD; c++) {
        const int32_t j = QUAD * (int32_t)threadIdx.x + c;
        const overlay_gpu_node other = j < p.nodes ? p.d_node[0][j] : none;
        own.dual[c] = other.dual;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const bool is_link = first + r < p.nodes && first + r != j;
            const uint32_t uptime = __shfl_sync(ALL_LANES, row.uptime, r), cap = __shfl_sync(ALL_LANES, row.cap, r);
            own.weight[r][c] = __umulhi(uptime, other.uptime);
            own.most[r][c] = is_link ? lesser(cap, other.cap) : 0;
        }
    }
}

// A thread has 32 links of up to OVERLAY_GPU_STD_MOST each, and one of the first eight has a row's dual: so its worth is below 2^64.
DEVICE void sweep(std_room &room, const std_columns &own)
{
    const int lane = (int)(threadIdx.x % WARP);
    uint64_t worth = threadIdx.x < ROWS ? 2 * ((uint64_t)own.row_dual * own.row_bandwidth) : 0;
    uint32_t value[ROWS + PIECES], mine = 0;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const uint32_t dual = __shfl_sync(ALL_LANES, own.row_dual, r);
        value[r] = 0;
#pragma unroll
        for (int c = 0; c < QUAD; c++) {
            const uint32_t excess = above(own.weight[r][c], own.dual[c]), most = excess > dual ? own.most[r][c] : 0;
            value[r] += most;
            worth += (uint64_t)(excess - dual) * most;
        }
    }
#pragma unroll
    for (int k = 0; k < PIECES; k++)
        value[ROWS + k] = piece_of(worth, k);
#pragma unroll
    for (int k = 0; k < ROWS + PIECES; k++) {
        const uint32_t sum = __reduce_add_sync(ALL_LANES, value[k]);
        mine = lane == k ? sum : mine;
    }
    if (lane < ROWS + PIECES)
        atomicAdd(room.total + lane, mine);
}

// The first warp sends the words of the block, a lane one, and clears what has been added up.
DEVICE void tell(std_room &room, uint64_t *words, uint32_t tag, const std_columns &own)
{
    const int lane = (int)threadIdx.x, r = lane % ROWS;
    const wide_sum worth = sum_of_pieces(room.total + ROWS);
    const int32_t excess = (int32_t)(room.total[r] - own.row_bandwidth);
    const uint64_t part = r + 1 < ROWS ? worth.low >> (r * PART_BITS) : worth.low >> ((ROWS - 1) * PART_BITS) | worth.high << (64 - (ROWS - 1) * PART_BITS);
    if (lane < ROWS) {
        send(words + (int64_t)blockIdx.x * ROWS + lane, (uint32_t)excess, ((uint32_t)part & PART) | tag << PART_BITS);
        room.excess[lane] = excess;
    }
    __syncwarp();
    if (lane < ROWS + PIECES)
        room.total[lane] = 0;
}

// Waits for the words of the thread's quad. Words that came too early are looked at again.
DEVICE void hear(const overlay_gpu_plan &p, const uint64_t *words, uint32_t tag, std_room &room, std_columns &own)
{
    const int lane = (int)(threadIdx.x % WARP);
    const uint64_t *at = words + QUAD * (int)threadIdx.x;
    uint64_t word[QUAD] = {}, squares = 0;
    uint32_t value[SUMS], mine = 0;
    bool is_missing = QUAD * threadIdx.x < ROWS * gridDim.x;  // nodes that are not there have words, too: without excess
    pause_for(p.pause);
    while (is_missing) {
        look_at_two(at, word[0], word[1]);
        look_at_two(at + 2, word[2], word[3]);
        is_missing = false;
#pragma unroll
        for (int c = 0; c < QUAD; c++)
            is_missing = is_missing || (uint32_t)(word[c] >> (32 + PART_BITS)) != tag;
    }
#pragma unroll
    for (int c = 0; c < QUAD; c++) {
        own.excess[c] = (int32_t)(uint32_t)word[c];
        squares += (uint64_t)((int64_t)own.excess[c] * own.excess[c]);  // below 2^62 each, as excesses are below 2^31
        value[c] = ((uint32_t)(word[c] >> 32) & PART) << (threadIdx.x % 2 == 0 ? 0 : HALF);
    }
#pragma unroll
    for (int k = 0; k < PIECES; k++)
        value[QUAD + k] = piece_of(squares, k);
#pragma unroll
    for (int k = 0; k < SUMS; k++) {
        const uint32_t sum = __reduce_add_sync(ALL_LANES, value[k]);
        mine = lane == k ? sum : mine;
    }
    if (lane < SUMS)
        atomicAdd(room.sum + lane, mine);
}

// The first warp: what follows from the sums. Returns whether the bound is the least.
DEVICE bool find_length(const overlay_gpu_plan &p, std_room &room, overlay_gpu_state &s, bool is_writer)
{
    const wide_sum bound = sum_of_parts(room.sum), squares = sum_of_pieces(room.sum + QUAD);
    const double norm = norm_of(p.rules, squares);
    const bool is_less = take_bound(s, bound, p.d_log, is_writer);
    const double length = step_length(s, p.rules, is_less, bound, norm);
    if (threadIdx.x == 0)
        room.length = length;
    return is_less;
}

__global__ void __launch_bounds__(OVERLAY_GPU_BLOCK, 1) run_std(const __grid_constant__ std_task t)
{
    std_room &room = *dynamic_shared<std_room>();
    const overlay_gpu_plan &p = t.plan;
    const int32_t thread = (int32_t)threadIdx.x, own_node = (int32_t)blockIdx.x * ROWS + thread % ROWS;
    const bool is_writer = blockIdx.x == 0 && thread == 0, has_node = thread < ROWS && own_node < p.nodes;
    overlay_gpu_state s = p.d_state[0];
    std_columns own;
    s.changes = 0;
    for (int k = thread; k < (int)(sizeof room / sizeof(uint32_t)); k += (int)blockDim.x)
        reinterpret_cast<uint32_t *>(&room)[k] = 0;
    open_columns(p, own);
    __syncthreads();
    for (int32_t at = 0; at < t.count; at++) {
        const uint32_t tag = (uint32_t)at + 1;
        uint64_t *words = p.d_words + (tag % OVERLAY_GPU_SLOTS) * (uint64_t)(ROWS * gridDim.x);
        sweep(room, own);
        __syncthreads();
        if (thread < WARP)
            tell(room, words, tag, own);
        hear(p, words, tag, room, own);
        __syncthreads();
        if (thread < WARP && find_length(p, room, s, is_writer) && has_node)
            p.d_best[own_node] = own.row_dual;
        __syncthreads();
        if (thread < SUMS)
            room.sum[thread] = 0;
        const double length = room.length;
#pragma unroll
        for (int c = 0; c < QUAD; c++)
            own.dual[c] = moved_to(own.dual[c], length, own.excess[c]);
        own.row_dual = moved_to(own.row_dual, length, room.excess[thread % ROWS]);
    }
    if (has_node)
        p.d_node[0][own_node].dual = own.row_dual;
    if (is_writer)
        p.d_state[0] = s;
}

int threads_for(int32_t nodes)
{
    return (nodes + QUAD * WARP - 1) / (QUAD * WARP) * WARP;
}

}  // namespace

extern "C" cudaError_t overlay_gpu_std_fits(int32_t nodes, int multiprocessors, bool *fits)
{
    int on_each = 0;
    const int blocks = (nodes + ROWS - 1) / ROWS;
    const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_each, run_std, threads_for(nodes), sizeof(std_room));
    *fits = error == cudaSuccess && blocks <= on_each * multiprocessors;
    return error;
}

extern "C" cudaError_t overlay_gpu_launch_std(const overlay_gpu_plan *plan, int32_t count, cudaStream_t stream)
{
    const std_task task = {*plan, count};
    const size_t bytes = OVERLAY_GPU_SLOTS * ROWS * (size_t)plan->whole_blocks * sizeof *plan->d_words;
    const cudaError_t error = cudaMemsetAsync(plan->d_words, 0, bytes, stream);  // no word has a tag of this launch
    if (error != cudaSuccess)
        return error;
    return launch_together(run_std, plan->whole_blocks, threads_for(plan->nodes), sizeof(std_room), stream, task);
}
