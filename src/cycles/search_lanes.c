// SPDX-License-Identifier: MIT
// The walkers of the search (search.h), compiled once for each vector unit and written once for all widths (search_words.h).
#include "base/lanes.h"
#include "cycles/search.h"
#include "cycles/search_vector.h"

#define WORDS 1
#include "cycles/search_words.h"
#define WORDS 2
#include "cycles/search_words.h"
#define WORDS 4
#include "cycles/search_words.h"
#define WORDS 8
#include "cycles/search_words.h"
#define WORDS 16
#include "cycles/search_words.h"

static int64_t count_bits(const uint64_t *set, int32_t words)
{
    int64_t count = 0;
    for (int32_t i = 0; i < words; i++)
        count += __builtin_popcountll(set[i]);
    return count;
}

static inline __attribute__((always_inline)) uint64_t count_pairs(const search_rows *rows, const uint64_t *p, const uint64_t *q,
                                                                  int32_t words)
{
    uint64_t sum = 0;
    if (count_bits(p, words) < count_bits(q, words)) {
        const uint64_t *other = p;
        p = q;
        q = other;
    }
    for (int32_t k = 0; k < words; k++)
        for (uint64_t left = q[k]; left != 0; left &= left - 1) {
            const uint64_t *row = rows->near + (64 * (int64_t)k + __builtin_ctzll(left)) * words;
            for (int32_t i = 0; i < words; i++)
                sum += (uint64_t)(uint32_t)__builtin_popcountll(row[i] & p[i]);
        }
    return sum;
}

static uint64_t pairs(const search_rows *rows, const uint64_t *p, const uint64_t *q)
{
    return rows->words == 1 ? count_pairs(rows, p, q, 1) : rows->words == 2 ? count_pairs(rows, p, q, 2)
                                                                            : count_pairs(rows, p, q, rows->words);
}

const search_build VARIANT(search_build) = {
    .build = {.simd = LANE_SIMD, .bits = 0},
    .walk = {start_1, start_2, start_4, start_8, start_16},
    .pairs = pairs,
};
