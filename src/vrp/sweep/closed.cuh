// SPDX-License-Identifier: MIT
// Pure 3-opt moves with a depot between any two of the edges cut: nearly all moves of a tour of many routes.
//
// With the tables of vrp/sweep/joins.cuh, each of the four moves is a sum of an entry of row x, one of row y, both at
// column z, and a constant of x and y, which is an entry of row x at column y. The entries account for capacity and
// length. So a move costs one addition and one minimum; the constant is added once for all z.
//
// Mapping: a block of 16 warps has a tile of 16 x by 16 y, and goes through z, 32 words at a time. A warp has 4 x by 4
// y, and a thread keeps 64 running minima of its lanes of z in registers. Rows come through shared memory, with STAGES
// chunks of 128 words under way; the first chunks of the next tile follow the last ones of this tile. A block stays on
// its multiprocessor and takes every gridDim.x-th tile. Tiles of small y have the most z and come first.
//
// For 64 sums and minima a thread reads 24 words of shared memory. For a column of words a block reads 96 words of
// device memory, which make 1024 sums in each lane. A block has 144 KiB of shared memory. The machine's limit is 64
// lanes of fused addition and minimum a clock.
//
// A tile leaves the least value of each x as a key; vrp/sweep/narrow.cuh then finds the rest of the index.
#ifndef MCO_VRP_SWEEP_CLOSED_CUH
#define MCO_VRP_SWEEP_CLOSED_CUH

#include "vrp/sweep/joins.cuh"
#include "vrp/sweep/narrow.cuh"

namespace vrp {

constexpr int TILE = VRP_DEVICE_TILE;                    // x and y of a block
constexpr int SIDE = 4;                                  // x and y of a warp
constexpr int CLOSED_WARPS = (TILE / SIDE) * (TILE / SIDE);
constexpr int CLOSED_THREADS = CLOSED_WARPS * WARP;
constexpr int CHUNK = 128;                               // words of a row in a stage
constexpr int TABLES_OF_SIDE = 3;                        // tables that rows of x, and those of y, come from
constexpr int STAGE_ROWS = 2 * TABLES_OF_SIDE * TILE;
constexpr int STAGES = 3;
static_assert(TILE == CLOSED_WARPS, "a warp copies a row of each table");

struct closed_job {
    vrp_device_three_opt search;
    vrp_device_tables tables;
    int32_t first_block, end_block;  // of y
    int32_t words;                   // of a row of the tables
};

static inline size_t closed_shared_bytes(int32_t blocks)
{
    return sizeof(uint32_t) * STAGE_ROWS * CHUNK * STAGES + sizeof(int32_t) * (size_t)blocks;
}

// ---- Lanes: one z of 32 bits, or two of 16 bits

struct wide_lanes {
    static constexpr int ENTRIES = 1;
    static constexpr uint32_t NOTHING = VRP_FAR;

    static DEVICE uint32_t add_min(uint32_t a, uint32_t b, uint32_t least)
    {
        return (uint32_t)__viaddmin_s32((int32_t)a, (int32_t)b, (int32_t)least);
    }
    // The least sum in a word; VRP_FAR or more if none is legal.
    static DEVICE int32_t least(uint32_t word, int32_t)
    {
        return (int32_t)word;
    }
    static DEVICE int32_t entry(const void *table, int64_t at)
    {
        return ((const int32_t *)table)[at];
    }
};

// Legal sums of two entries are at most 2 * longest, others are at least VRP_FAR_16 - longest. No sum exceeds
// 2 * VRP_FAR_16 < 2^15.
struct narrow_lanes {
    static constexpr int ENTRIES = 2;
    static constexpr uint32_t NOTHING = VRP_FAR_16 | VRP_FAR_16 << 16;

    static DEVICE uint32_t add_min(uint32_t a, uint32_t b, uint32_t least)
    {
        return __viaddmin_s16x2(a, b, least);
    }
    static DEVICE int32_t least(uint32_t word, int32_t longest)
    {
        const int32_t low = (int16_t)(word & 0xffff), high = (int32_t)word >> 16, sum = low < high ? low : high;
        return sum <= 2 * longest ? sum : (int32_t)VRP_FAR;
    }
    static DEVICE int32_t entry(const void *table, int64_t at)
    {
        const int32_t entry = ((const int16_t *)table)[at];
        return entry == VRP_FAR_16 ? (int32_t)VRP_FAR : entry;
    }
};

// ---- Tiles

// A tile and a word in its rows; if y == end_block, no tile is left.
struct tile_place {
    int32_t x, y;   // blocks
    int32_t word;
};

// Moves *at to the first tile from it on that has moves. starts[k]: the first depot behind the first edge of block k.
template <class L> DEVICE void settle(const closed_job &job, const int32_t *starts, tile_place *at)
{
    for (;; at->x += (int32_t)gridDim.x) {
        while (at->x > at->y && at->y < job.end_block) {
            at->x -= at->y + 1;
            at->y++;
        }
        if (at->y >= job.end_block)
            return;
        const int32_t z = starts[at->y] - job.tables.first;
        at->word = z > 0 ? z / L::ENTRIES / WARP * WARP : 0;
        if (starts[at->x] < (at->y + 1) * TILE && at->word < job.words)
            return;
    }
}

template <class L> DEVICE void next_tile(const closed_job &job, const int32_t *starts, tile_place *at)
{
    at->x += (int32_t)gridDim.x;
    settle<L>(job, starts, at);
}

// Starts to copy a chunk of the six rows of this warp's x and y, if one is left, and moves *at behind it.
template <class L>
DEVICE void load_chunk(const closed_job &job, const int32_t *starts, uint32_t *stage, tile_place *at)
{
    constexpr int PIECE = 4;  // words of a copy
    const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (at->y < job.end_block) {
        const int32_t word = at->word + lane * PIECE;
        const int64_t row_x = (int64_t)(at->x * TILE + warp) * job.words + word,
                      row_y = (int64_t)(at->y * TILE + warp) * job.words + word;
        const join_kind of_x[TABLES_OF_SIDE] = {HEAD_TAIL, HEAD_HEAD, TAIL_TAIL},
                        of_y[TABLES_OF_SIDE] = {TAIL_HEAD, TAIL_TAIL, HEAD_HEAD};
        uint32_t *to = stage + warp * CHUNK + lane * PIECE;
        if (word < job.words) {
#pragma unroll
            for (int k = 0; k < TABLES_OF_SIDE; k++) {
                copy_16(to + k * TILE * CHUNK, (const uint32_t *)job.tables.join[of_x[k]] + row_x);
                copy_16(to + (TABLES_OF_SIDE + k) * TILE * CHUNK, (const uint32_t *)job.tables.join[of_y[k]] + row_y);
            }
        }
        at->word += CHUNK;
        if (at->word >= job.words)
            next_tile<L>(job, starts, at);
    }
    copies_commit();
}

// Minima of a thread by x, y and p.
struct tile_minima {
    uint32_t of[SIDE][SIDE][4];
};

// Adds a chunk to the minima. x and y are the warp's first ones in the tile; `words` is a multiple of 32.
template <class L>
DEVICE void add_chunk(const uint32_t *stage, int x, int y, int words, tile_minima *m)
{
    const uint32_t *rows_x = stage + x * CHUNK + threadIdx.x % WARP,
                   *rows_y = stage + (TABLES_OF_SIDE * TILE + y) * CHUNK + threadIdx.x % WARP;
#pragma unroll 1
    for (int word = 0; word < words; word += WARP, rows_x += WARP, rows_y += WARP) {
        uint32_t tail_head[SIDE], tail_tail[SIDE], head_head[SIDE];
#pragma unroll
        for (int j = 0; j < SIDE; j++) {
            tail_head[j] = rows_y[j * CHUNK];
            tail_tail[j] = rows_y[(TILE + j) * CHUNK];
            head_head[j] = rows_y[(2 * TILE + j) * CHUNK];
        }
#pragma unroll
        for (int i = 0; i < SIDE; i++) {
            const uint32_t head_tail = rows_x[i * CHUNK], x_head_head = rows_x[(TILE + i) * CHUNK],
                           x_tail_tail = rows_x[(2 * TILE + i) * CHUNK];
#pragma unroll
            for (int j = 0; j < SIDE; j++) {
                uint32_t *least = m->of[i][j];
                least[0] = L::add_min(head_tail, tail_head[j], least[0]);
                least[1] = L::add_min(x_head_head, tail_tail[j], least[1]);
                least[2] = L::add_min(x_tail_tail, tail_head[j], least[2]);
                least[3] = L::add_min(head_tail, head_head[j], least[3]);
            }
        }
    }
}

// The constants of one x and y for all z. Lane SIDE * i + j of a warp has those of its i-th x and j-th y.
struct tile_constants {
    int32_t tail_head, head_head, tail_tail;
};

// Computes the constants. Tables of all z hold them at column y, and reach beyond any y of a tile.
template <class L, bool IS_WHOLE>
DEVICE tile_constants constants_of(const closed_job &job, int32_t x, int32_t y)
{
    if (IS_WHOLE) {
        const int64_t at = (int64_t)x * job.tables.columns + y;
        return {L::entry(job.tables.join[TAIL_HEAD], at), L::entry(job.tables.join[HEAD_HEAD], at),
                L::entry(job.tables.join[TAIL_TAIL], at)};
    }
    const four_joins joins = joins_of(job.search.tour, job.tables.weight, x, y);
    return {joins.of[TAIL_HEAD], joins.of[HEAD_HEAD], joins.of[TAIL_TAIL]};
}

// Offers the least move of each x of the warp, over all its lanes. x and y are its first edges.
template <class L>
DEVICE void finish_tile(const closed_job &job, const tile_minima &m, tile_constants c, int32_t x, int32_t y)
{
    const int lane = threadIdx.x % WARP;
    const int32_t edges = job.search.tour.sums.count - 1, longest = job.tables.longest;
    const int32_t x_of_lane = x + lane / SIDE % SIDE, y_of_lane = y + lane % SIDE;
    int32_t least = VRP_FAR;
    // Subtract edges x and y, which lie in different routes. Only tail-tail needs y: other entries are less that edge
    // already.
    if (x_of_lane < edges && y_of_lane < edges) {
        const int32_t off = weighted_edge(job.search.tour.sums, x_of_lane, job.tables.weight);
        c.tail_head -= off;
        c.head_head -= off;
        c.tail_tail -= off + weighted_edge(job.search.tour.sums, y_of_lane, job.tables.weight);
    }
#pragma unroll
    for (int i = 0; i < SIDE; i++) {
        int32_t of_x = VRP_FAR;
#pragma unroll
        for (int j = 0; j < SIDE; j++) {
            const int32_t tail_head = __shfl_sync(ALL_LANES, c.tail_head, i * SIDE + j),
                          head_head = __shfl_sync(ALL_LANES, c.head_head, i * SIDE + j),
                          tail_tail = __shfl_sync(ALL_LANES, c.tail_tail, i * SIDE + j);
            const int32_t p0 = L::least(m.of[i][j][0], longest), p1 = L::least(m.of[i][j][1], longest);
            of_x = __viaddmin_s32(p0 < p1 ? p0 : p1, tail_head, of_x);
            of_x = __viaddmin_s32(L::least(m.of[i][j][2], longest), head_head, of_x);
            of_x = __viaddmin_s32(L::least(m.of[i][j][3], longest), tail_tail, of_x);
        }
        of_x = __reduce_min_sync(ALL_LANES, of_x);
        least = lane == i ? of_x : least;
    }
    if (lane < SIDE)
        offer(job.search, least, x + lane, y);
}

template <class L, bool IS_WHOLE> __global__ void __launch_bounds__(CLOSED_THREADS, 1) closed_tiles(closed_job job)
{
    uint32_t *const stages = dynamic_shared<uint32_t>();
    int32_t *const starts = (int32_t *)(stages + STAGES * STAGE_ROWS * CHUNK);
    const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const int x_of_warp = warp % (TILE / SIDE) * SIDE, y_of_warp = warp / (TILE / SIDE) * SIDE;
    const int32_t edges = job.search.tour.sums.count - 1, blocks = job.tables.rows / TILE;
    for (int32_t k = (int32_t)threadIdx.x; k < blocks; k += CLOSED_THREADS)
        starts[k] = k * TILE < edges ? job.search.tour.sums.next_depot[k * TILE + 1] : edges;
    __syncthreads();
    tile_place here = {(int32_t)blockIdx.x, job.first_block, 0};
    settle<L>(job, starts, &here);
    tile_place ahead = here;
    int stage = 0;
    for (int k = 0; k < STAGES - 1; k++)
        load_chunk<L>(job, starts, stages + k * STAGE_ROWS * CHUNK, &ahead);
    while (here.y < job.end_block) {
        const int32_t x = here.x * TILE + x_of_warp, y = here.y * TILE + y_of_warp;
        const tile_constants constants =
            constants_of<L, IS_WHOLE>(job, x + lane / SIDE % SIDE, y + lane % SIDE);
        tile_minima minima;
#pragma unroll
        for (int k = 0; k < SIDE * SIDE * 4; k++)
            minima.of[k / 4 / SIDE][k / 4 % SIDE][k % 4] = L::NOTHING;
        for (; here.word < job.words; here.word += CHUNK) {
            const int32_t rest = job.words - here.word;
            copies_wait<STAGES - 2>();
            __syncthreads();  // all warps see the chunk, and none reads the one before it any more
            load_chunk<L>(job, starts, stages + (stage + STAGES - 1) % STAGES * STAGE_ROWS * CHUNK, &ahead);
            add_chunk<L>(stages + stage * STAGE_ROWS * CHUNK, x_of_warp, y_of_warp, rest < CHUNK ? rest : CHUNK, &minima);
            stage = (stage + 1) % STAGES;
        }
        finish_tile<L>(job, minima, constants, x, y);
        next_tile<L>(job, starts, &here);
    }
}

}  // namespace vrp

#endif
