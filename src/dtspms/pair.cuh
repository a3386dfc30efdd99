// SPDX-License-Identifier: MIT
// The dynamic program over three sequences (dtspms/model.h) for two neighbours of a plan at a time. Each neighbour has
// one 16-bit half of every word. A group of G threads evaluates the pair. A thread has R heights of sequence 0; the
// group holds all heights, since G * R is at least their number.
//
// In step t thread g is at height t - g of sequence 1. The heights of sequence 2 are unrolled, so all states are in
// registers: F_1 of R rows; F_0, which passes from row to row and by a shuffle to the next thread; F_2, which passes
// along a row. A cell takes nine sums.
//
// Halves are unsigned. No finite F exceeds the path bound. Infinite is 65535 - longest, and F is infinite only where
// h_k = 0. So no sum carries into the other half. Cells beyond the heights hold arbitrary values; nothing flows from
// them into cells within the heights.
//
// The distances to and from sequence 2 are a table in shared memory, with a row for each step of sequences 0 and 1 and
// a column for each step of sequence 2. Rows are spaced so that the threads of a warp read different banks. A neighbour
// differs from the plan in a few steps. Their rows and columns are patched before the evaluation and restored after it.
// Reference: dtspms/ref.c.
#ifndef MCO_DTSPMS_PAIR_CUH
#define MCO_DTSPMS_PAIR_CUH

#include "device/kernel.cuh"
#include "dtspms/cuda.h"

namespace dtspms {

using namespace mco;

constexpr uint32_t HALF = 0xffff;

// A kernel instance: Z heights of sequence 2, R heights of sequence 0 in each of G threads.
template <int Z_, int R_, int G_, bool IS_SYMMETRIC_, int WARPS_> struct pair_shape {
    static constexpr int Z = Z_, R = R_, G = G_, WARPS = WARPS_;
    static constexpr bool IS_SYMMETRIC = IS_SYMMETRIC_;
    static constexpr int GROUPS = WARP / G;  // of a warp
    // STRIDE is an odd multiple of GROUPS. With R odd, the threads of a group then read banks GROUPS apart; the other
    // groups read the banks in between.
    static constexpr int UNITS = (Z + GROUPS) / GROUPS;
    static constexpr int STRIDE = (UNITS + 1 - UNITS % 2) * GROUPS;
    static_assert(R % 2 == 1 && STRIDE > Z && WARP % G == 0, "bank conflicts");
};

// Where things lie in the shared memory of a group, in words. The steps of sequences 0, 1 and 2 are numbered
// consecutively.
struct pair_layout {
    int c0, c1, c2;
    int rows;               // steps of sequences 0 and 1
    int back;               // to the table of distances from sequence 2; 0 where distances are symmetric
    int chain, steps, list; // places
    int words;              // of a group; a multiple of GROUPS plus 1, so that groups read different banks

    template <class S> __host__ __device__ static pair_layout of(const dtspms_device_problem &p)
    {
        pair_layout l = {};
        int height[3] = {};
        for (int k = 0; k < 3; k++)
            height[p.sequence_of[k]] = p.heights[k];
        l.c0 = height[0], l.c1 = height[1], l.c2 = height[2];
        l.rows = l.c0 + l.c1 + 4;
        l.back = S::IS_SYMMETRIC ? 0 : l.rows * S::STRIDE;
        l.chain = l.rows * S::STRIDE + l.back;
        l.steps = l.chain + S::Z;
        const int steps = l.rows + l.c2 + 2;
        l.list = l.steps + (steps > S::R * S::G + 1 ? steps : S::R * S::G + 1);  // threads beyond the heights read too
        const int used = l.list + 2 * (1 + DTSPMS_MOST_CHANGES);
        l.words = (used + S::GROUPS - 2) / S::GROUPS * S::GROUPS + 1;
        return l;
    }

    // Number of the first step of a sequence.
    __device__ int begin(int sequence) const { return sequence == 0 ? 0 : sequence == 1 ? c0 + 2 : rows; }

    // Number of the step at which a sequence visits a position of the plan.
    __device__ int step_of(const dtspms_device_problem &p, int network, int position) const
    {
        const int stack = (position >= p.first[1]) + (position >= p.first[2]), up = position - p.first[stack];
        return begin(p.sequence_of[stack]) + (network == MCO_DTSPMS_NETWORK_PICKUP ? up + 1 : p.heights[stack] - up);
    }
};

// A thread of a group.
template <class S> struct pair_thread {
    uint32_t *const s_group;
    const pair_layout l;
    const uint16_t *const distance;  // in shared or in device memory
    const int nodes, lane;           // in the group
    const uint32_t infinite;

    __device__ pair_thread(uint32_t *s, const pair_layout &layout, const uint16_t *d, const dtspms_device_problem &p,
                           int network)
        : s_group(s), l(layout), distance(d), nodes(p.nodes), lane((int)threadIdx.x % S::G),
          infinite((HALF - (uint32_t)p.longest[network]) * 0x10001u)
    {
    }

    // ---- Tables

    __device__ uint16_t *halves(int word) const { return reinterpret_cast<uint16_t *>(s_group + word); }

    // Distances from the nodes in the halves of one word to those of another.
    DEVICE uint32_t both(uint32_t from, uint32_t to) const
    {
        const uint32_t low = distance[(from & HALF) * nodes + (to & HALF)],
                       high = distance[(from >> 16) * nodes + (to >> 16)];
        return low | high << 16;
    }

    // Writes the sequences and tables of the plan itself, in both halves. The memory is 0 before.
    template <class Node> __device__ void build(const dtspms_device_problem &p, int network, const Node *node) const
    {
        uint32_t *steps = s_group + l.steps;
        for (int k = lane; k < p.orders; k += S::G)
            steps[l.step_of(p, network, k)] = (uint32_t)node[k] * 0x10001u;
        __syncwarp();
        for (int row = 0; row < l.rows; row++)
            for (int z = lane; z < l.c2 + 2; z += S::G) {
                s_group[row * S::STRIDE + z] = both(steps[row], steps[l.rows + z]);
                if (!S::IS_SYMMETRIC)
                    s_group[row * S::STRIDE + z + l.back] = both(steps[l.rows + z], steps[row]);
            }
        __syncwarp();
    }

    // The row or the column of a step in one half.
    struct line {
        uint32_t node;
        int begin, count;  // steps at the other ends
        int at, stride;    // entries of the table
        bool is_row;
    };

    __device__ line line_of(int half, int k) const
    {
        if (k >= (int)changes(half))
            return {};
        const int step = (int)(change(half, k) & HALF);
        const uint32_t node = halves(l.steps)[2 * step + half];
        if (step < l.rows)
            return {node, l.rows, l.c2 + 2, step * S::STRIDE, 1, true};
        return {node, 0, l.rows, step - l.rows, S::STRIDE, false};
    }

    // Writes a line of each half. Both are written at once, since the cost is latency.
    __device__ void rewrite(const line (&lines)[2]) const
    {
        const int most = lines[0].count > lines[1].count ? lines[0].count : lines[1].count;
        for (int k = lane; k < most; k += S::G) {
            uint16_t forth[2] = {}, back[2] = {};
#pragma unroll
            for (int half = 0; half < 2; half++) {
                const line &i = lines[half];
                if (k >= i.count)
                    continue;
                const uint32_t other = halves(l.steps)[2 * (i.begin + k) + half];
                forth[half] = distance[S::IS_SYMMETRIC || i.is_row ? i.node * nodes + other : other * nodes + i.node];
                if (!S::IS_SYMMETRIC)
                    back[half] = distance[i.is_row ? other * nodes + i.node : i.node * nodes + other];
            }
#pragma unroll
            for (int half = 0; half < 2; half++) {
                const line &i = lines[half];
                if (k >= i.count)
                    continue;
                halves(i.at + k * i.stride)[half] = forth[half];
                if (!S::IS_SYMMETRIC)
                    halves(i.at + k * i.stride + l.back)[half] = back[half];
            }
        }
    }

    // The list of changes in the group's memory: for each half their number, then the step and the node of each.
    __device__ uint32_t &changes(int half) const { return s_group[l.list + half * (1 + DTSPMS_MOST_CHANGES)]; }
    __device__ uint32_t &change(int half, int k) const { return (&changes(half))[1 + k]; }

    // Exchanges the nodes of the list with those in the sequences and patches the table. A second call undoes the
    // first. The list is complete, and all threads have passed a __syncwarp() since.
    __device__ void exchange_nodes() const
    {
        for (int half = 0; half < 2; half++)
            for (int k = lane; k < (int)changes(half); k += S::G) {
                uint32_t &entry = change(half, k);
                uint16_t &node = halves(l.steps)[2 * (entry & HALF) + half];
                const uint32_t before = node;
                node = (uint16_t)(entry >> 16);
                entry = (entry & HALF) | before << 16;
            }
        __syncwarp();
        const int most = (int)(changes(0) > changes(1) ? changes(0) : changes(1));
        for (int k = 0; k < most; k++)
            rewrite({line_of(0, k), line_of(1, k)});
        __syncwarp();
    }

    // ---- Dynamic program

    // The thread that has the last height of sequence 0.
    DEVICE int owner() const { return l.c0 / S::R; }

    // Lengths of both neighbours' tours, in the thread owner(). All threads of the warp call it.
    __device__ uint32_t tours() const
    {
        uint32_t along_1[S::R][S::Z], along_0[S::Z];  // F_1 of the rows; F_0 that enters the first row
        uint32_t row[S::R + 1], within_0[S::R], column[S::R + 1];
        const uint32_t *steps = s_group + l.steps, *steps_1 = steps + l.begin(1), *steps_2 = steps + l.rows;
        const int x = lane * S::R, last = l.c1 + owner();
        for (int z = lane; z <= l.c2; z += S::G)
            s_group[l.chain + z] = both(steps_2[z], steps_2[z + 1]);
        __syncwarp();
#pragma unroll
        for (int r = 0; r <= S::R; r++)
            row[r] = steps[x + r];
#pragma unroll
        for (int r = 0; r < S::R; r++) {
            within_0[r] = both(row[r], row[r + 1]);
            column[r + 1] = both(steps_1[0], row[r + 1]);
        }
#pragma unroll
        for (int z = 0; z < S::Z; z++) {
            along_0[z] = infinite;
#pragma unroll
            for (int r = 0; r < S::R; r++)
                along_1[r][z] = infinite;
        }
        if (lane == 0)
            along_0[0] = 0;
        for (int t = 0; t <= last; t++) {
            const int y = t - lane;
            if (y >= 0 && y <= l.c1 && x <= l.c0)
                advance(y, row, within_0, column, along_1, along_0);
#pragma unroll
            for (int z = 0; z < S::Z; z++) {
                const uint32_t before = __shfl_up_sync(ALL_LANES, along_0[z], 1, S::G);
                along_0[z] = lane == 0 ? infinite : before;
            }
        }
        // The step beyond the end of sequence 1 is the depot, so F_1 there is the length of the tour.
        uint32_t tour = 0;
#pragma unroll
        for (int r = 0; r < S::R; r++)
#pragma unroll
            for (int z = 0; z < S::Z; z++)
                tour = x + r == l.c0 && z == l.c2 ? along_1[r][z] : tour;
        return tour;
    }

    // Computes all cells of the thread at height y of sequence 1. column: distances from step y of sequence 1 to the
    // rows; they are replaced by those from step y + 1.
    DEVICE void advance(int y, const uint32_t (&row)[S::R + 1], const uint32_t (&within_0)[S::R], uint32_t (&column)[S::R + 1],
                        uint32_t (&along_1)[S::R][S::Z], uint32_t (&along_0)[S::Z]) const
    {
        const uint32_t *table_0 = s_group + lane * S::R * S::STRIDE, *table_1 = s_group + (l.c0 + 2 + y) * S::STRIDE;
        const uint32_t *chain = s_group + l.chain, *steps_1 = s_group + l.steps + l.c0 + 2 + y;
        const uint32_t here = steps_1[0], next = steps_1[1], within_1 = both(here, next);
        uint32_t to_1[S::R], to_0[S::R];  // from the rows to sequence 1; from sequence 1 to the rows
        uint32_t along_2[S::R], cell_0[S::R + 1], cell_1 = table_1[S::STRIDE + l.back];
#pragma unroll
        for (int r = 0; r < S::R; r++) {
            to_0[r] = column[r + 1];
            to_1[r] = both(row[r], next);
            along_2[r] = infinite;
            cell_0[r + 1] = table_0[(r + 1) * S::STRIDE + l.back];
        }
#pragma unroll
        for (int r = 1; r <= S::R; r++)
            column[r] = S::IS_SYMMETRIC && r < S::R ? to_1[r] : both(next, row[r]);
#pragma unroll
        for (int z = 0; z < S::Z; z++) {
            uint32_t next_0[S::R + 1];  // from or to step z + 1 of sequence 2
            const uint32_t next_1 = table_1[z + 1], next_2 = chain[z], last_1 = table_1[S::STRIDE + l.back + z + 1];
#pragma unroll
            for (int r = 0; r <= S::R; r++)
                next_0[r] = table_0[r * S::STRIDE + z + 1];
            uint32_t f0 = along_0[z];
#pragma unroll
            for (int r = 0; r < S::R; r++) {
                const uint32_t f1 = along_1[r][z], f2 = along_2[r];
                const uint32_t into_0 = __viaddmin_u16x2(f1, to_0[r], __viaddmin_u16x2(f2, cell_0[r + 1], f0 + within_0[r]));
                const uint32_t into_1 = __viaddmin_u16x2(f2, cell_1, __viaddmin_u16x2(f0, to_1[r], f1 + within_1));
                const uint32_t into_2 = __viaddmin_u16x2(f0, next_0[r], __viaddmin_u16x2(f1, next_1, f2 + next_2));
                f0 = into_0;
                along_1[r][z] = into_1;
                along_2[r] = into_2;
            }
            along_0[z] = f0;
            cell_1 = last_1;
#pragma unroll
            for (int r = 1; r <= S::R; r++)
                cell_0[r] = S::IS_SYMMETRIC ? next_0[r] : table_0[r * S::STRIDE + l.back + z + 1];
        }
    }
};

}  // namespace dtspms
#endif
