// SPDX-License-Identifier: MIT
// Lists as products on a GPU: kernel and launcher. Every cycle is a row of one list or'ed with a row of another one. The
// reference is the frontier's list on the cores (factors.c).
#include "cycles/cuda.h"
#include "device/kernel.cuh"

namespace {

using namespace mco;

constexpr int TILE_ROWS = 32 * CYCLES_BLOCK;

// The part that holds product i.
DEVICE int64_t part_of(const cycles_product_plan &plan, int64_t i)
{
    int64_t low = 0, high = plan.parts - 1;  // the part is in [low, high]
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (__ldg(&plan.d_parts[middle].first) <= i)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

template <int WORDS> DEVICE void join(const uint64_t *left, const uint64_t *right, uint64_t *row)
{
    if constexpr (WORDS % 2 == 0) {
        CYCLES_UNROLL
        for (int k = 0; k < WORDS / 2; k++) {
            const ulonglong2 a = __ldg(reinterpret_cast<const ulonglong2 *>(left) + k);
            const ulonglong2 b = __ldg(reinterpret_cast<const ulonglong2 *>(right) + k);
            __stcs(reinterpret_cast<ulonglong2 *>(row) + k, make_ulonglong2(a.x | b.x, a.y | b.y));
        }
    } else {
        CYCLES_UNROLL
        for (int k = 0; k < WORDS; k++)
            __stcs(reinterpret_cast<unsigned long long *>(row) + k, (unsigned long long)(left[k] | right[k]));
    }
}

// A block makes a tile of 8192 rows, a thread every 256th of them, so that a warp writes 32 rows beside each other. Rows of a
// part follow the right list, so a warp reads one or few left rows and right rows in order; both lists stay in the caches.
// Shared memory: 8 bytes. Traffic: WORDS * 8 bytes written a row. The floor is device memory: 8x10, 1.14 GB, 0.27 ms at the
// 4.2 TB/s that copies reach on an H200. It writes 3.74 TB/s there (8x10, 0.306 ms), 4.15 (9x10) and 4.33 (10x10, 116 GB).
template <int WORDS> __global__ void __launch_bounds__(CYCLES_BLOCK) product(const cycles_product_plan plan)
{
    __shared__ int64_t s_part;
    const int64_t base = plan.begin + (int64_t)blockIdx.x * TILE_ROWS;
    if (threadIdx.x == 0)
        s_part = part_of(plan, base);
    __syncthreads();
    int64_t at = s_part;
    cycles_product_part part = plan.d_parts[at];
    for (int k = threadIdx.x; k < TILE_ROWS; k += CYCLES_BLOCK) {
        const int64_t i = base + k;
        if (i >= plan.end)
            return;
        while (i - part.first >= part.rows)  // ends: the last part ends with the last product
            part = plan.d_parts[++at];
        const uint32_t row = (uint32_t)(i - part.first), l = row / part.right_count, r = row - l * part.right_count;
        join<WORDS>(plan.d_lists + (part.left + l) * WORDS, plan.d_lists + (part.right + r) * WORDS,
                    plan.d_rows + (i - plan.begin) * WORDS);
    }
}

}  // namespace

cudaError_t cycles_launch_product(const cycles_product_plan *plan, cudaStream_t stream)
{
    const unsigned int blocks = (unsigned int)((plan->end - plan->begin + TILE_ROWS - 1) / TILE_ROWS);
    switch (plan->words) {
    case 1: return launch(product<1>, blocks, CYCLES_BLOCK, 0, stream, *plan);
    case 2: return launch(product<2>, blocks, CYCLES_BLOCK, 0, stream, *plan);
    case 3: return launch(product<3>, blocks, CYCLES_BLOCK, 0, stream, *plan);
    case 4: return launch(product<4>, blocks, CYCLES_BLOCK, 0, stream, *plan);
    default: return cudaErrorInvalidValue;
    }
}
