// SPDX-License-Identifier: MIT
// Whole runs of std on a complete instance of up to 1,024 nodes: one launch, one exchange an iteration.
//
// Mapping. A block has 8 rows. Each of its 256 threads has 1 to 4 columns: their duals and the weights of the 8 rows there stay in
// registers.
// A row's load and worth meet in shared memory; warps whose links all lie below the row's dual add nothing, as most do near the optimum.
// A warp sends the words of its row: excess and worth. All blocks wait for the words of all nodes, a thread for those of its columns,
// and each adds up bound and squares by itself. So a thread knows the next duals of its columns, and no block waits for the sums of
// another.
//
// Bytes. 16 a node are read by each block: 16 KB, 2 MB for all 125 blocks of 1,000 nodes, or 0.36 us at 5.5 TB/s of the L2 cache.
//
// Operations, of 1,000 nodes. A look at 32 links takes 3 instructions each, and a scheduler has two warps: 192 cycles. A row with
// links above its dual takes 50 more, a warp has four such rows near the optimum: 400 cycles. Words go through the L2 cache in 800 cycles,
// sums take 200, a root, a quotient and a step in doubles 350: 1,950 cycles, or 1.0 us an iteration. An H200 took 2.7 us, and 2.1 us for
// 250 nodes, whose rows and words take next to nothing: the chain of the exchange, the sums, the root and the quotient is the limit.
//
// Why no block waits for ever: a cooperative launch has all blocks on the device, and each sends its words in every iteration, whatever it
// finds. A block overwrites the words of iteration k at k + 2, after all have sent those of k + 1, hence have read those of k.
#include "overlay/gpu/rows.cuh"

namespace {

constexpr int ROWS = OVERLAY_GPU_BLOCK / WARP;  // of a block; a warp sends the words of one
// Sums of 64 bits go in pieces of 22 bits: over the links of a row, or over 1,024 nodes, these fit 32 bits.
constexpr int PIECES = 3, PIECE_BITS = 22;
constexpr uint32_t PIECE = (1u << PIECE_BITS) - 1;
constexpr int TAG_BITS = 16;
constexpr uint32_t TAG = (1u << TAG_BITS) - 1;

// In dynamic shared memory, since many blocks share an emulator's static one.
struct std_room {
    uint32_t row[ROWS][1 + PIECES];  // load and worth of each row
    uint32_t sum[2][2 * PIECES];     // bound and squares of all nodes; the sets take turns
    int32_t excess[ROWS];            // of the block's own nodes
};

struct std_task {
    overlay_gpu_plan plan;
    int32_t count;
};

template <int COLUMNS> struct std_columns {
    uint32_t weight[ROWS][COLUMNS], cap[COLUMNS], dual[COLUMNS];
    int32_t excess[COLUMNS];
    uint32_t row_cap, row_dual;    // of row `lane % ROWS`
    uint32_t bandwidth;            // of row `warp`, which this warp sends
};

struct std_words {
    int32_t excess;
    uint64_t worth;
};

// A node's words: excess, tag and the low bits of the worth; the other bits and the tag again, since each word is whole by itself.
DEVICE void send(uint64_t *words, const std_words &value, uint32_t tag)
{
    const uint64_t first = (uint32_t)value.excess | (uint64_t)tag << 32 | value.worth << (64 - TAG_BITS);
    send_two(words, first, value.worth >> TAG_BITS | (uint64_t)tag << (64 - TAG_BITS));
}

DEVICE bool has_tag(uint64_t first, uint64_t second, uint32_t tag)
{
    return ((uint32_t)(first >> 32) & TAG) == tag && (uint32_t)(second >> (64 - TAG_BITS)) == tag;
}

DEVICE std_words value_of(uint64_t first, uint64_t second)
{
    return {(int32_t)(uint32_t)first, first >> (64 - TAG_BITS) | second << TAG_BITS};
}

DEVICE uint32_t piece_of(uint64_t value, int k)
{
    return (uint32_t)(value >> (k * PIECE_BITS)) & (k + 1 < PIECES ? PIECE : 0xffffffffu);
}

DEVICE wide_sum sum_of_pieces(const uint32_t *piece)
{
    const uint64_t middle = piece[1], high = piece[2];
    wide_sum sum = {piece[0], 0};
    add_to(sum, middle << PIECE_BITS);
    add_to(sum, high << 2 * PIECE_BITS, high >> (64 - 2 * PIECE_BITS));
    return sum;
}

// Adds up N values of each lane over the warp, and lanes 0 to N - 1 add them to shared memory.
template <int N> DEVICE void add_up(const uint32_t (&value)[N], uint32_t *shared)
{
    const int lane = (int)(threadIdx.x % WARP);
    uint32_t mine = 0;
#pragma unroll
    for (int k = 0; k < N; k++) {
        const uint32_t sum = __reduce_add_sync(ALL_LANES, value[k]);
        mine = lane == k ? sum : mine;
    }
    if (lane < N)
        atomicAdd(shared + lane, mine);
}

template <int COLUMNS> DEVICE void open_columns(const overlay_gpu_plan &p, std_columns<COLUMNS> &own)
{
    const int32_t first = (int32_t)blockIdx.x * ROWS, lane = (int32_t)(threadIdx.x % WARP), warp = (int32_t)(threadIdx.x / WARP);
    const overlay_gpu_node none = {};
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        const int32_t j = c * OVERLAY_GPU_BLOCK + (int32_t)threadIdx.x;
        const overlay_gpu_node other = j < p.nodes ? p.d_node[0][j] : none;
        own.cap[c] = other.cap;
        own.dual[c] = other.dual;
#pragma unroll
        for (int r = 0; r < ROWS; r++)  // a weight of 0 never counts
            own.weight[r][c] = first + r < p.nodes && first + r != j ? __umulhi(p.d_node[0][first + r].uptime, other.uptime) : 0;
    }
    const overlay_gpu_node row = first + lane % ROWS < p.nodes ? p.d_node[0][first + lane % ROWS] : none;
    own.row_cap = row.cap;
    own.row_dual = row.dual;
    own.bandwidth = first + warp < p.nodes ? p.d_node[0][first + warp].bandwidth : 0;
}

template <int COLUMNS> DEVICE void sweep(std_room &room, const std_columns<COLUMNS> &own)
{
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const uint32_t dual = __shfl_sync(ALL_LANES, own.row_dual, r);
        uint32_t excess[COLUMNS], greatest = 0;
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            excess[c] = above(own.weight[r][c], own.dual[c]);
            greatest = greatest > excess[c] ? greatest : excess[c];
        }
        if (!__any_sync(ALL_LANES, greatest > dual))
            continue;
        const uint32_t cap = __shfl_sync(ALL_LANES, own.row_cap, r);
        uint32_t load = 0;
        uint64_t worth = 0;
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            const uint32_t most = lesser(cap, own.cap[c]);
            load += excess[c] > dual ? most : 0;
            worth += (uint64_t)above(excess[c], dual) * most;
        }
        const uint32_t value[1 + PIECES] = {load, piece_of(worth, 0), piece_of(worth, 1), piece_of(worth, 2)};
        add_up(value, room.row[r]);
    }
}

// Sends the words of the warp's row. The worth of a row and twice that of its dual are below 2^64 together.
template <int COLUMNS> DEVICE void tell(const overlay_gpu_plan &p, std_room &room, uint64_t *words, uint32_t tag, const std_columns<COLUMNS> &own)
{
    const int32_t lane = (int32_t)(threadIdx.x % WARP), warp = (int32_t)(threadIdx.x / WARP), i = (int32_t)blockIdx.x * ROWS + warp;
    const uint32_t dual = __shfl_sync(ALL_LANES, own.row_dual, warp);
    if (lane != 0)
        return;
    uint32_t *row = room.row[warp];
    if (i < p.nodes)
        send(words + 2 * i, {(int32_t)(row[0] - own.bandwidth), sum_of_pieces(row + 1).low + 2 * ((uint64_t)dual * own.bandwidth)}, tag);
    for (int k = 0; k < 1 + PIECES; k++)
        row[k] = 0;
}

// Waits for the words of the thread's columns. All loads are on their way at once; those that came too early are repeated.
template <int COLUMNS>
DEVICE void hear(const overlay_gpu_plan &p, std_room &room, const uint64_t *words, uint32_t tag, uint32_t *sums, std_columns<COLUMNS> &own)
{
    uint64_t first[COLUMNS], second[COLUMNS];
    uint32_t piece[2 * PIECES] = {};
    bool is_missing;
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {  // columns behind the last node are there: their words would be 0
        const bool is_node = c * OVERLAY_GPU_BLOCK + (int32_t)threadIdx.x < p.nodes;
        first[c] = is_node ? (uint64_t)(tag ^ 1) << 32 : (uint64_t)tag << 32;
        second[c] = (uint64_t)tag << (64 - TAG_BITS);
    }
    do {
        is_missing = false;
#pragma unroll
        for (int c = 0; c < COLUMNS; c++)
            if (!has_tag(first[c], second[c], tag))
                look_at_two(words + 2 * (c * OVERLAY_GPU_BLOCK + (int32_t)threadIdx.x), first[c], second[c]);
#pragma unroll
        for (int c = 0; c < COLUMNS; c++)
            is_missing = is_missing || !has_tag(first[c], second[c], tag);
    } while (is_missing);
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        const std_words value = value_of(first[c], second[c]);
        const uint64_t square = (uint64_t)((int64_t)value.excess * value.excess);
        const int32_t row = c * OVERLAY_GPU_BLOCK + (int32_t)threadIdx.x - (int32_t)blockIdx.x * ROWS;
        own.excess[c] = value.excess;
        if (row >= 0 && row < ROWS)
            room.excess[row] = value.excess;
#pragma unroll
        for (int k = 0; k < PIECES; k++) {
            piece[k] += piece_of(value.worth, k);
            piece[PIECES + k] += piece_of(square, k);
        }
    }
    add_up(piece, sums);
}

template <int COLUMNS> __global__ void __launch_bounds__(OVERLAY_GPU_BLOCK, 1) run_std(const __grid_constant__ std_task t)
{
    std_room &room = *dynamic_shared<std_room>();
    const overlay_gpu_plan &p = t.plan;
    const int32_t thread = (int32_t)threadIdx.x, lane = thread % WARP, own_node = (int32_t)blockIdx.x * ROWS + lane;
    const bool is_writer = blockIdx.x == 0 && thread == 0, has_node = thread < ROWS && own_node < p.nodes;
    overlay_gpu_state s = p.d_state[0];
    std_columns<COLUMNS> own;
    s.changes = 0;
    for (int k = thread; k < (int)(sizeof room / sizeof(uint32_t)); k += OVERLAY_GPU_BLOCK)
        reinterpret_cast<uint32_t *>(&room)[k] = 0;
    open_columns(p, own);
    __syncthreads();
    for (int32_t at = 0; at < t.count; at++) {
        const uint32_t tag = (uint32_t)(at + 1) & TAG;
        uint64_t *words = p.d_words + (tag % OVERLAY_GPU_SLOTS) * 2 * (uint64_t)p.nodes;
        uint32_t *sums = room.sum[at % 2];
        sweep(room, own);
        __syncthreads();
        tell(p, room, words, tag, own);
        if (thread < 2 * PIECES)
            room.sum[(at + 1) % 2][thread] = 0;  // all have read it: they have passed the barrier above
        hear(p, room, words, tag, sums, own);
        __syncthreads();
        const wide_sum bound = sum_of_pieces(sums);
        const double norm = norm_of(p.rules, sum_of_pieces(sums + PIECES));
        const bool is_less = take_bound(s, bound, p.d_log, is_writer);
        if (is_less && has_node)
            p.d_best[own_node] = own.row_dual;
        const double length = step_length(s, p.rules, is_less, bound, norm);
#pragma unroll
        for (int c = 0; c < COLUMNS; c++)
            own.dual[c] = stepped(own.dual[c], length, own.excess[c]);
        own.row_dual = stepped(own.row_dual, length, room.excess[lane % ROWS]);
    }
    if (has_node)
        p.d_node[0][own_node].dual = own.row_dual;
    if (is_writer)
        p.d_state[0] = s;
}

typedef void std_kernel(const std_task);

std_kernel *kernel_for(int32_t nodes)
{
    return nodes <= OVERLAY_GPU_BLOCK       ? run_std<1>
           : nodes <= 2 * OVERLAY_GPU_BLOCK ? run_std<2>
           : nodes <= 3 * OVERLAY_GPU_BLOCK ? run_std<3>
                                            : run_std<4>;
}

}  // namespace

extern "C" cudaError_t overlay_gpu_std_fits(int32_t nodes, int multiprocessors, bool *fits)
{
    int on_each = 0;
    const int blocks = (nodes + ROWS - 1) / ROWS;
    const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_each, kernel_for(nodes), OVERLAY_GPU_BLOCK, sizeof(std_room));
    *fits = error == cudaSuccess && blocks <= on_each * multiprocessors;
    return error;
}

extern "C" cudaError_t overlay_gpu_launch_std(const overlay_gpu_plan *plan, int32_t count, cudaStream_t stream)
{
    const std_task task = {*plan, count};
    const size_t bytes = OVERLAY_GPU_SLOTS * 2 * (size_t)plan->nodes * sizeof *plan->d_words;
    const cudaError_t error = cudaMemsetAsync(plan->d_words, 0, bytes, stream);  // no word has a tag of this launch
    if (error != cudaSuccess)
        return error;
    return launch_together(kernel_for(plan->nodes), plan->whole_blocks, OVERLAY_GPU_BLOCK, sizeof(std_room), stream, task);
}
