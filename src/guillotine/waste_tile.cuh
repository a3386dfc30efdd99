// SPDX-License-Identifier: MIT
// One unit of the waste form (guillotine/waste.h) as a thread of its block sees it: between two barriers every thread
// calls one of these functions.
//
// As in guillotine/tile.cuh, a thread holds an octet of targets times a vector of lanes, and eight rows stay in
// registers while strips ascend. A stage has 16 strips; stages without an irreducible strip are left out. A stage needs
// five chunks of 16 rows, which lie in a ring of ten chunks. It brings as many chunks as it is stages ahead of the
// stage computed before, at most five.
#ifndef MCO_GUILLOTINE_WASTE_TILE_CUH
#define MCO_GUILLOTINE_WASTE_TILE_CUH

#include "guillotine/octet.cuh"
#include "guillotine/waste.h"

namespace waste {

constexpr int LANES = GUILLOTINE_WASTE_VECTOR;
constexpr int VECTORS = GUILLOTINE_VECTORS;
constexpr int UNIT_THREADS = VECTORS * GUILLOTINE_TILE / OCTET;
constexpr int ROW_GROUPS = UNIT_THREADS / VECTORS;  // rows that the block loads at the same time
constexpr int STAGE = 16;                           // strips of a stage, counted by coordinate; also rows of a chunk
constexpr int STAGE_OCTETS = STAGE / OCTET;
constexpr int CHUNKS = GUILLOTINE_TILE / STAGE + 1; // chunks that a stage needs
constexpr int RING = 2 * CHUNKS;
constexpr int CHUNK_VECTORS = STAGE * VECTORS;      // vectors of a chunk in shared memory
static_assert(STAGE % ROW_GROUPS == 0, "the block loads a chunk in whole rounds");

// Relaxes two lanes. The sum of two caps fits 16 bits.
DEVICE void relax(uint32_t *best, uint32_t a, uint32_t b)
{
    *best = __viaddmin_u16x2(a, b, *best);
}

struct lanes_16 {
    static constexpr int VECTORS = GUILLOTINE_VECTORS;
    static DEVICE void relax(uint4 *best, const uint4 &a, const uint4 &b)
    {
        waste::relax(&best->x, a.x, b.x);
        waste::relax(&best->y, a.y, b.y);
        waste::relax(&best->z, a.z, b.z);
        waste::relax(&best->w, a.w, b.w);
    }
};

// Lowers two cells to `mine` where that is less. `before` is what they held when they were read.
DEVICE void lower(uint32_t *cells, uint32_t before, uint32_t mine)
{
    for (;;) {
        uint32_t least = before;
        relax(&least, mine, 0);
        if (least == before)
            return;
        const uint32_t now = atomicCAS(cells, before, least);
        if (now == before)
            return;
        before = now;
    }
}

struct waste_unit {
    int32_t axis;              // the axis that is cut
    int32_t target;            // first coordinate of the tile
    int32_t strip, strip_end;  // coordinates of the smaller parts
    guillotine_waste_chunk lanes;
    int32_t panel;             // the number of the panel `lanes`
};

// Sets *u to part `part` of the strips of a tile and a panel of a step. Returns false if there is no such unit.
DEVICE bool find_unit(const guillotine_waste_tables &t, const guillotine_waste_step &s, int tile, int panel, int part,
                      waste_unit *u)
{
    u->axis = tile < s.tiles[0] ? 0 : 1;
    const guillotine_waste_axis &cut = t.axis[u->axis], &other = t.axis[1 - u->axis];
    const int number = u->axis == 0 ? tile : tile - s.tiles[0];
    // Tiles with long strips come first.
    const guillotine_waste_tile mine = cut.tiles[s.tiles_first[u->axis] + s.tiles[u->axis] - 1 - number];
    u->target = mine.target;
    u->strip = cut.at[1] + part * s.span;
    u->strip_end = mine.strip_end - u->strip > s.span ? u->strip + s.span : mine.strip_end;
    u->panel = other.panels_of[s.step - mine.band] + panel;
    if (u->strip >= u->strip_end || u->panel >= other.panels_of[s.step - mine.band + 1])
        return false;
    u->lanes = other.panels[u->panel];
    return true;
}

struct unit_thread : octet_of_targets<lanes_16> {
    waste_unit unit;
    const uint32_t *patterns, *strips;
    uint4 *lanes;          // this thread's vector in row 0
    uint32_t row_vectors;
    int32_t side;
    int vector_at, group;  // this thread's vector of lanes and octet of targets; also what it loads

    DEVICE unit_thread(const guillotine_waste_tables &t, const waste_unit &u, int thread)
        : unit(u), vector_at(thread % VECTORS), group(thread / VECTORS)
    {
        is_warm = false;
        const guillotine_waste_axis &cut = t.axis[u.axis], &other = t.axis[1 - u.axis];
        patterns = cut.patterns;
        strips = cut.strips + (int64_t)u.panel * cut.words;
        side = cut.side;
        lanes = reinterpret_cast<uint4 *>(cut.table + u.lanes.first) + vector_at;
        row_vectors = (uint32_t)(other.pitch / LANES);
#pragma unroll
        for (int r = 0; r < OCTET; r++)
            best[r] = make_uint4(~0u, ~0u, ~0u, ~0u);
    }

    DEVICE int stages() const
    {
        return (unit.strip_end - unit.strip + STAGE - 1) / STAGE;
    }

    DEVICE uint32_t strips_of(int stage) const
    {
        const int32_t c = unit.strip + stage * STAGE, left = unit.strip_end - c;
        return bits_from(strips, c) & ((1u << (left < STAGE ? left : STAGE)) - 1);
    }

    // The sums that one strip gives: positions among the targets times lanes.
    DEVICE int64_t sums_of_one() const
    {
        const int targets = __popc(bits_from(patterns, unit.target)) + __popc(bits_from(patterns, unit.target + 32));
        return (int64_t)targets * unit.lanes.count;
    }

    DEVICE uint4 *row(int32_t at) const
    {
        return lanes + (uint64_t)(uint32_t)at * row_vectors;
    }

    // Chunk c has rows c * STAGE .. c * STAGE + STAGE - 1 of the unit. Row 0 is at coordinate target - strip.
    DEVICE void bring_chunk(uint4 *s_rows, int slot, int chunk) const
    {
        const int32_t first = unit.target - unit.strip + chunk * STAGE + group;
        uint4 *rows = s_rows + slot * CHUNK_VECTORS + group * VECTORS + vector_at;
#pragma unroll
        for (int k = 0; k < STAGE; k += ROW_GROUPS) {
            const int32_t at = first + k;
            copy_16(&rows[k * VECTORS], row(at < 0 ? 0 : at > side ? side : at));
        }
    }

    // Brings the strips of a stage and its `ahead` lowest chunks of rows. The lowest chunk goes to slot `lowest`.
    DEVICE void bring_stage(uint4 *s_rows, uint4 *s_strips, int stage, int ahead, int lowest, uint32_t mask) const
    {
        const int32_t c = unit.strip + stage * STAGE + group;
        uint4 *to = s_strips + group * VECTORS + vector_at;
#pragma unroll
        for (int k = 0; k < STAGE; k += ROW_GROUPS)
            if (mask >> (group + k) & 1)
                copy_16(&to[k * VECTORS], row(c + k));
#pragma unroll 1
        for (int k = 0; k < ahead; k++)
            bring_chunk(s_rows, lowest - k < 0 ? lowest - k + RING : lowest - k, k - stage - 1);
    }

    // Relaxes the targets over strip k of an octet, if it is the only one there. It does not use the window.
    DEVICE void relax_alone(const uint4 *row_0, const uint4 *row_8_below, const uint4 *s_strips, int k)
    {
        const uint4 strip = s_strips[k * VECTORS];
#pragma unroll
        for (int r = 0; r < OCTET; r++)
            lanes_16::relax(&best[r], strip, r >= k ? row_0[(r - k) * VECTORS] : row_8_below[(OCTET + r - k) * VECTORS]);
    }

    DEVICE static const uint4 *octet_of(const uint4 *s_rows, int lowest, int octet)
    {
        const int slot = lowest - octet / STAGE_OCTETS;
        return s_rows + (slot < 0 ? slot + RING : slot) * CHUNK_VECTORS + octet % STAGE_OCTETS * OCTET * VECTORS;
    }

    DEVICE void relax_stage(const uint4 *s_rows, const uint4 *s_strips, int lowest, uint32_t mask)
    {
#pragma unroll 1
        for (int o = 0; o < STAGE_OCTETS; o++) {
            const uint32_t present = mask >> (o * OCTET) & 0xff;
            const uint4 *row_0 = octet_of(s_rows, lowest, group + STAGE_OCTETS - o) + vector_at;
            const uint4 *row_8_below = octet_of(s_rows, lowest, group + STAGE_OCTETS - o - 1) + vector_at;
            const uint4 *octet_strips = s_strips + o * OCTET * VECTORS + vector_at;
            if (present == 0) {
                is_warm = false;
                continue;
            }
            if ((present & (present - 1)) == 0) {
                is_warm = false;
                int k = 0;
                while (present >> k != 1)
                    k++;
                relax_alone(row_0, row_8_below, octet_strips, k);
                continue;
            }
            relax(row_0, row_8_below, octet_strips, present);
        }
    }

    // Writes the results where they are lower. All cells are read before any is lowered, so that the loads are in
    // flight together. The loads bypass the L1 cache, which may hold cells from before other blocks lowered them.
    DEVICE void lower_own() const
    {
        const uint32_t present = bits_from(patterns, unit.target + group * OCTET) & 0xff;
        uint4 now[OCTET];
        if (vector_at * LANES >= unit.lanes.count)
            return;
#pragma unroll
        for (int r = 0; r < OCTET; r++)
            now[r] = __ldcg(row(present >> r & 1 ? unit.target + group * OCTET + r : 0));
#pragma unroll
        for (int r = 0; r < OCTET; r++) {
            if (!(present >> r & 1))
                continue;
            uint32_t *cells = &row(unit.target + group * OCTET + r)->x;
            lower(&cells[0], now[r].x, best[r].x);
            lower(&cells[1], now[r].y, best[r].y);
            lower(&cells[2], now[r].z, best[r].z);
            lower(&cells[3], now[r].w, best[r].w);
        }
    }
};

}  // namespace waste

#endif
