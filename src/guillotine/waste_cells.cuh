// SPDX-License-Identifier: MIT
// Finishes the cells of a step of the waste form (guillotine/waste.h). A block has a chunk of x times a chunk of y.
// Between two barriers every thread of the block calls one of these functions. The cells just before the chunks are
// computed once more: their least is the same whether or not another block has finished them.
#ifndef MCO_GUILLOTINE_WASTE_CELLS_CUH
#define MCO_GUILLOTINE_WASTE_CELLS_CUH

#include "guillotine/waste_tile.cuh"

namespace waste {

constexpr int CELLS = GUILLOTINE_WASTE_CELLS, EDGED = CELLS + 1;  // with the position before the chunk
constexpr int CELL_THREADS = 256;

struct shared_cells {
    uint16_t mirror[EDGED][EDGED + 1];  // [y][x] cells of the table by y
    uint16_t least[EDGED][EDGED + 1];   // [x][y] least waste; with IS_BETTER where every x cut is worse
    int32_t at[2][EDGED + 1];           // coordinates, from the position before the chunk to the one behind it
    int32_t piece_class[2][EDGED];
    uint32_t marks[2][CELLS];           // 1: the position is irreducible in at least one lane
};

enum { IS_BETTER = 1 << 15 };

struct cell_thread {
    const guillotine_waste_tables &t;
    guillotine_waste_chunk x, y;
    int thread;

    DEVICE int64_t area(int64_t width, int64_t height) const
    {
        return width * height * t.unit_area;
    }

    DEVICE uint32_t capped(int64_t waste) const
    {
        return waste < t.cap ? (uint32_t)waste : (uint32_t)t.cap;
    }

    DEVICE void read_axis(shared_cells &s, int axis, const guillotine_waste_chunk &c) const
    {
        const guillotine_waste_axis &a = t.axis[axis];
        for (int k = thread; k <= c.count + 1; k += CELL_THREADS) {
            const int32_t p = c.first - 1 + k;
            s.at[axis][k] = p < a.count ? a.at[p] : a.side + 1;
            if (k <= c.count)
                s.piece_class[axis][k] = a.piece_class[p];
        }
        for (int k = thread; k < CELLS; k += CELL_THREADS)
            s.marks[axis][k] = 0;
    }

    DEVICE void read_axes(shared_cells &s) const
    {
        read_axis(s, 0, x);
        read_axis(s, 1, y);
    }

    DEVICE void read_mirror(shared_cells &s) const
    {
        for (int k = thread; k < (y.count + 1) * EDGED; k += CELL_THREADS) {
            const int j = k / EDGED, i = k % EDGED;
            if (i <= x.count)
                s.mirror[j][i] = t.axis[1].table[s.at[1][j] * t.axis[0].pitch + x.first - 1 + i];
        }
    }

    // Sets each cell to the least of both tables and the best piece. Consecutive threads are consecutive along y.
    DEVICE void merge(shared_cells &s) const
    {
        for (int k = thread; k < (x.count + 1) * EDGED; k += CELL_THREADS) {
            const int i = k / EDGED, j = k % EDGED;
            if (j > y.count)
                continue;
            uint16_t *cell = &t.axis[0].table[s.at[0][i] * t.axis[1].pitch + y.first - 1 + j];
            const uint32_t own = *cell, mirror = s.mirror[j][i];
            const int64_t piece = t.best_piece[s.piece_class[0][i] * (int64_t)t.class_pitch + s.piece_class[1][j]];
            const uint32_t alone = capped(area(s.at[0][i], s.at[1][j]) - piece);
            uint32_t least = own < mirror ? own : mirror;
            least = alone < least ? alone : least;
            if (least < own && i > 0 && j > 0)
                *cell = (uint16_t)least;
            s.least[i][j] = (uint16_t)(least < own ? least | IS_BETTER : least);
        }
    }

    // Fills the coordinates between the positions at `at` and `next`, as long as the waste stays below the cap.
    DEVICE void fill_gap(const guillotine_waste_axis &a, int64_t pitch, int32_t at, int32_t next, int32_t lane, uint32_t waste,
                         int64_t area_of_one) const
    {
        int64_t all = waste;
        for (int32_t c = at + 1; c < next && (all += area_of_one) < t.cap; c++)
            a.table[c * pitch + lane] = (uint16_t)all;
    }

    // Marks the positions of x that are irreducible in a lane, and fills the gaps behind them in the table by x.
    DEVICE void mark_x(shared_cells &s) const
    {
        for (int k = thread; k < x.count * CELLS; k += CELL_THREADS) {
            const int i = 1 + k / CELLS, j = 1 + k % CELLS;
            if (j > y.count)
                continue;
            const uint32_t cell = s.least[i][j], least = cell & (IS_BETTER - 1), before = s.least[i - 1][j] & (IS_BETTER - 1);
            const int64_t gap = area(s.at[0][i] - s.at[0][i - 1], s.at[1][j]);
            if ((cell & IS_BETTER) && least < before + gap)
                s.marks[0][i - 1] = 1;
            fill_gap(t.axis[0], t.axis[1].pitch, s.at[0][i], s.at[0][i + 1], y.first - 1 + j, least, area(1, s.at[1][j]));
        }
    }

    // The same along y; also writes the table by y. Consecutive threads are consecutive along x.
    DEVICE void mark_y(shared_cells &s) const
    {
        for (int k = thread; k < y.count * CELLS; k += CELL_THREADS) {
            const int j = 1 + k / CELLS, i = 1 + k % CELLS;
            if (i > x.count)
                continue;
            const uint32_t least = s.least[i][j] & (IS_BETTER - 1), before = s.least[i][j - 1] & (IS_BETTER - 1);
            const int64_t gap = area(s.at[0][i], s.at[1][j] - s.at[1][j - 1]);
            if (least < s.mirror[j][i]) {
                t.axis[1].table[s.at[1][j] * t.axis[0].pitch + x.first - 1 + i] = (uint16_t)least;
                if (least < before + gap)
                    s.marks[1][j - 1] = 1;
            }
            fill_gap(t.axis[1], t.axis[0].pitch, s.at[1][j], s.at[1][j + 1], x.first - 1 + i, least, area(s.at[0][i], 1));
        }
    }

    DEVICE void set_strips(const shared_cells &s) const
    {
        const int axis = thread / CELLS, k = thread % CELLS;
        if (axis > 1 || k >= (axis == 0 ? x.count : y.count) || !s.marks[axis][k])
            return;
        const guillotine_waste_axis &a = t.axis[axis];
        const int32_t at = s.at[axis][k + 1];
        uint32_t *word = &a.strips[(int64_t)(axis == 0 ? y.panel : x.panel) * a.words + at / 32];
        atomicOr(word, 1u << (at % 32));
    }
};

}  // namespace waste

#endif
