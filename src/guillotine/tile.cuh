// SPDX-License-Identifier: MIT
// One unit of work (guillotine/gpu_units.h) as a thread of its block sees it: between two barriers every thread calls
// one of these functions.
//
// A thread holds an octet of targets, the consecutive coordinates X .. X+7, times a vector of lanes. For a strip at
// coordinate c it needs the rows at X - c .. X - c + 7. The next strip, at c + 1, needs the same rows but one. So eight
// rows stay in registers while strips ascend. Each coordinate brings one new row and, if it is a position, the row of
// the strip itself. That is two loads from shared memory for 8 vectors of sums.
//
// Rows lie in shared memory by coordinate; a coordinate that is no position has the row of the last position below.
// They form a ring of 128 rows: a stage of 32 strips uses 95 of them while the 32 rows of the next stage arrive.
#ifndef MCO_GUILLOTINE_TILE_CUH
#define MCO_GUILLOTINE_TILE_CUH

#include <string.h>

#include "guillotine/cuda.h"
#include "guillotine/octet.cuh"

namespace {

constexpr int ROW_GROUPS = GUILLOTINE_TILE / OCTET;  // rows that the block loads at the same time
constexpr int STAGE = GUILLOTINE_STAGE;             // strips of a stage, counted by coordinate
constexpr int RING = 128;
static_assert(RING >= GUILLOTINE_TILE + STAGE - 1 + STAGE, "a stage and the rows of the next");
constexpr int RING_OCTETS = RING / OCTET;

// ---- Lanes: vectors of 16 bytes

// VECTORS: of a panel.
template <int PANEL_VECTORS> struct lanes_32 {
    using lane = int32_t;
    static constexpr int VECTORS = PANEL_VECTORS;
    static DEVICE void relax(uint4 *best, const uint4 &a, const uint4 &b)
    {
        best->x = (uint32_t)__viaddmax_s32((int)a.x, (int)b.x, (int)best->x);
        best->y = (uint32_t)__viaddmax_s32((int)a.y, (int)b.y, (int)best->y);
        best->z = (uint32_t)__viaddmax_s32((int)a.z, (int)b.z, (int)best->z);
        best->w = (uint32_t)__viaddmax_s32((int)a.w, (int)b.w, (int)best->w);
    }
};

template <int PANEL_VECTORS> struct lanes_64 {
    using lane = int64_t;
    static constexpr int VECTORS = PANEL_VECTORS;
    static DEVICE uint64_t pack(uint32_t low, uint32_t high)
    {
        return (uint64_t)high << 32 | low;
    }
    static DEVICE void relax(uint4 *best, const uint4 &a, const uint4 &b)
    {
        const uint64_t x = pack(a.x, a.y) + pack(b.x, b.y), y = pack(a.z, a.w) + pack(b.z, b.w);
        if ((int64_t)x > (int64_t)pack(best->x, best->y)) {
            best->x = (uint32_t)x;
            best->y = (uint32_t)(x >> 32);
        }
        if ((int64_t)y > (int64_t)pack(best->z, best->w)) {
            best->z = (uint32_t)y;
            best->w = (uint32_t)(y >> 32);
        }
    }
};

template <class Lanes> struct vector_of {
    using lane = typename Lanes::lane;
    static constexpr int COUNT = 16 / sizeof(lane);
    static constexpr int PANEL = COUNT * Lanes::VECTORS;
    lane at[COUNT];
    DEVICE vector_of(const uint4 &v)
    {
        memcpy(at, &v, sizeof v);
    }
};

// ---- Memory

DEVICE void raise(int32_t *cell, int32_t value)
{
    atomicMax(cell, value);
}

DEVICE void raise(int64_t *cell, int64_t value)
{
    atomicMax(reinterpret_cast<long long *>(cell), (long long)value);
}

// ---- A unit

template <class Lanes> struct unit_thread : octet_of_targets<Lanes> {
    static constexpr int VECTORS = Lanes::VECTORS, THREADS = VECTORS * ROW_GROUPS;
    using lane = typename Lanes::lane;
    using vector = vector_of<Lanes>;
    using octet_of_targets<Lanes>::best;
    using octet_of_targets<Lanes>::is_warm;
    guillotine_unit unit;
    guillotine_device_axis cut;
    lane *own, *mirror;   // the tables with rows along the axis that is cut, and along the other axis
    int64_t own_pitch, mirror_pitch;
    int vector_at, group; // this thread's vector of lanes and octet of targets; also what it loads
    const uint4 *lanes;   // this thread's vector in row 0
    uint32_t row_vectors;

    DEVICE unit_thread(const guillotine_device_tables &t, const guillotine_unit &u, int thread)
        : unit(u), cut(t.axis[u.axis]), own(static_cast<lane *>(t.table[u.axis])),
          mirror(static_cast<lane *>(t.table[1 - u.axis])), own_pitch(t.axis[1 - u.axis].pitch), mirror_pitch(cut.pitch),
          vector_at(thread % VECTORS), group(thread / VECTORS),
          lanes(reinterpret_cast<const uint4 *>(own + u.lane) + vector_at),
          row_vectors((uint32_t)(own_pitch / vector::COUNT))
    {
        is_warm = false;
#pragma unroll
        for (int r = 0; r < OCTET; r++)
            best[r] = make_uint4(0, 0, 0, 0);
    }

    DEVICE int stages() const
    {
        return (unit.strip_end - unit.strip + STAGE - 1) / STAGE;
    }

    // Bits of the coordinates of a stage that are strips, that is, positions.
    DEVICE uint32_t strips_of(int stage) const
    {
        const int32_t c = unit.strip + stage * STAGE, left = unit.strip_end - c;
        const uint32_t mask = bits_from(cut.patterns, c);
        return left < STAGE ? mask & ((1u << left) - 1) : mask;
    }

    DEVICE const uint4 *row(int32_t position) const
    {
        return lanes + (uint64_t)(uint32_t)position * row_vectors;
    }

    // Finds the positions of the rows that this thread loads, among rows first .. first + COUNT - 1. Row 0 is at
    // coordinate target - strip.
    template <int COUNT> DEVICE void find_rows(int32_t *position, int first) const
    {
        const int32_t zero = unit.target - unit.strip;
#pragma unroll
        for (int k = 0; k < COUNT / ROW_GROUPS; k++) {
            const int32_t at = zero + first + group + k * ROW_GROUPS;
            position[k] = cut.last_at[at < 0 ? 0 : at > cut.side ? cut.side : at];
        }
    }

    template <int COUNT> DEVICE void bring_rows(uint4 *s_rows, const int32_t *position, int first) const
    {
#pragma unroll
        for (int k = 0; k < COUNT / ROW_GROUPS; k++) {
            const int number = first + group + k * ROW_GROUPS;
            copy_16(&s_rows[(number & (RING - 1)) * VECTORS + vector_at], row(position[k]));
        }
    }

    // Where the rows and strips of a stage are. They are found early: before the ring has room, or before the values
    // are final.
    struct stage_places {
        uint32_t mask;  // strips that are positions
        int32_t rows[STAGE / ROW_GROUPS], strips[STAGE / ROW_GROUPS];
    };

    DEVICE void find_stage(stage_places *places, int stage) const
    {
        const int32_t c = unit.strip + stage * STAGE + group;
        places->mask = strips_of(stage);
        find_rows<STAGE>(places->rows, -stage * STAGE - (STAGE - 1));
#pragma unroll
        for (int k = 0; k < STAGE / ROW_GROUPS; k++)
            places->strips[k] = cut.last_at[c + k * ROW_GROUPS < cut.side ? c + k * ROW_GROUPS : cut.side];
    }

    DEVICE void bring_stage(uint4 *s_rows, uint4 *s_strips, const stage_places &places, int stage) const
    {
        uint4 *strips = s_strips + (stage % 2 * STAGE + group) * VECTORS + vector_at;
        bring_rows<STAGE>(s_rows, places.rows, -stage * STAGE - (STAGE - 1));
#pragma unroll
        for (int k = 0; k < STAGE / ROW_GROUPS; k++)
            if (places.mask >> (group + k * ROW_GROUPS) & 1)
                copy_16(&strips[k * ROW_GROUPS * VECTORS], row(places.strips[k]));
    }

    // The rows that are needed besides those that the first stage brings.
    static constexpr int FIRST_ROWS = GUILLOTINE_TILE / ROW_GROUPS;
    DEVICE void find_first(int32_t *position) const
    {
        find_rows<GUILLOTINE_TILE>(position, 1);
    }
    DEVICE void bring_first(uint4 *s_rows, const int32_t *position) const
    {
        bring_rows<GUILLOTINE_TILE>(s_rows, position, 1);
    }

    DEVICE void relax_stage(const uint4 *s_rows, const uint4 *s_strips, int stage, uint32_t mask)
    {
        const uint4 *strips = s_strips + stage % 2 * STAGE * VECTORS + vector_at;
        int octet = group - stage * (STAGE / OCTET);
#pragma unroll 1
        for (int o = 0; o < STAGE / OCTET; o++, octet--, strips += OCTET * VECTORS, mask >>= OCTET) {
            const uint32_t present = mask & 0xff;
            const uint4 *row_0 = s_rows + (octet & (RING_OCTETS - 1)) * OCTET * VECTORS + vector_at;
            const uint4 *row_8_below = s_rows + ((octet - 1) & (RING_OCTETS - 1)) * OCTET * VECTORS + vector_at;
            if (present == 0) {
                is_warm = false;
                continue;
            }
            this->relax(row_0, row_8_below, strips, present);
        }
    }

    // ---- Results: both tables are raised where they are lower

    static constexpr int TURN_PITCH = vector::PANEL + 1;
    static constexpr int TURN_LANES = GUILLOTINE_TILE * TURN_PITCH;

    // Bits of the coordinates target + first .. target + first + 31 that are positions.
    DEVICE uint32_t targets_from(int first) const
    {
        return bits_from(cut.patterns, unit.target + first);
    }

    // All cells are read before any is raised, so that the loads are in flight together. The loads bypass the L1 cache,
    // which may hold cells from before other blocks raised them.
    DEVICE void raise_own() const
    {
        const uint32_t present = targets_from(group * OCTET);
        int32_t position[OCTET];
        uint4 now[OCTET];
        if (vector_at * vector::COUNT >= unit.lanes)
            return;
#pragma unroll
        for (int r = 0; r < OCTET; r++)
            position[r] = present >> r & 1 ? cut.last_at[unit.target + group * OCTET + r] : 0;
#pragma unroll
        for (int r = 0; r < OCTET; r++)
            now[r] = __ldcg(row(position[r]));
#pragma unroll
        for (int r = 0; r < OCTET; r++) {
            if (!(present >> r & 1))
                continue;
            const vector mine(best[r]), before(now[r]);
            lane *cell = own + position[r] * own_pitch + unit.lane + vector_at * vector::COUNT;
#pragma unroll
            for (int l = 0; l < vector::COUNT; l++)
                if (mine.at[l] > before.at[l])
                    raise(cell + l, mine.at[l]);
        }
    }

    DEVICE void turn(lane *s_turn) const
    {
#pragma unroll
        for (int r = 0; r < OCTET; r++) {
            const vector mine(best[r]);
#pragma unroll
            for (int l = 0; l < vector::COUNT; l++)
                s_turn[(group * OCTET + r) * TURN_PITCH + vector_at * vector::COUNT + l] = mine.at[l];
        }
    }

    // Consecutive threads take consecutive targets, which are lanes of the other table.
    DEVICE void raise_mirror(const lane *s_turn, int thread) const
    {
        constexpr int SETS = THREADS / GUILLOTINE_TILE, IN_FLIGHT = 8;
        const int t = thread % GUILLOTINE_TILE, set = thread / GUILLOTINE_TILE;
        if (!(targets_from(t) & 1))
            return;
        lane *column = mirror + cut.last_at[unit.target + t] + unit.lane * mirror_pitch;
        for (int first = set; first < unit.lanes; first += IN_FLIGHT * SETS) {
            lane now[IN_FLIGHT];
#pragma unroll
            for (int k = 0; k < IN_FLIGHT; k++)
                if (first + k * SETS < unit.lanes)
                    now[k] = __ldcg(column + (first + k * SETS) * mirror_pitch);
#pragma unroll
            for (int k = 0; k < IN_FLIGHT; k++) {
                const int l = first + k * SETS;
                if (l < unit.lanes && s_turn[t * TURN_PITCH + l] > now[k])
                    raise(column + l * mirror_pitch, s_turn[t * TURN_PITCH + l]);
            }
        }
    }
};

}  // namespace

#endif
