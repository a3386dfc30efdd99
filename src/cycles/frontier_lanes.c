// SPDX-License-Identifier: MIT
// The inner loops of the frontier method, built once for each vector unit (base/lanes.h).
#include <stddef.h>
#include <string.h>

#include "base/lanes.h"
#include "cycles/frontier.h"

#define KEY_WORDS 1
#define KEY_BITS 4
#define KEY(name) name##_1
#include "cycles/frontier_keys.h"

#define KEY_WORDS 2
#define KEY_BITS 5
#define KEY(name) name##_2
#include "cycles/frontier_keys.h"

#define KEY_WORDS 4
#define KEY_BITS 6
#define KEY(name) name##_4
#include "cycles/frontier_keys.h"

#define KEY_WORDS 8
#define KEY_BITS 7
#define KEY(name) name##_8
#include "cycles/frontier_keys.h"

typedef uint64_t vector __attribute__((vector_size(VEC_BYTES), aligned(8), may_alias));
enum { PER_VECTOR = VEC_BYTES / 8 };

// ---- Sums by length

// One state: the row of the child without the vertex, plus the row of the other one, moved by an entry where that makes up for
// the vertex. *seen: all entries, or'ed.
static inline void add_row(frontier_addition *a, int64_t s, int64_t shared, vector *seen)
{
    const frontier_sums *next = &a->next;
    const int64_t skip = a->child[s].skip + FRONTIER_ROWS, take = a->child[s].take + FRONTIER_ROWS;
    const uint8_t taken = next->parity[take];
    const int64_t shift = !a->is_even | (taken == FRONTIER_ODD);
    const uint64_t *x = next->rows + skip * next->pitch, *y = next->rows + take * next->pitch - shift;
    uint64_t *out = a->sums.rows + (s + FRONTIER_ROWS) * a->sums.pitch;
    for (int64_t k = 0; k < shared; k += PER_VECTOR) {
        const vector sum = *(const vector *)(x + k) + *(const vector *)(y + k);
        *(vector *)(out + k) = sum;
        *seen |= sum;
    }
    for (int64_t k = shared; k < a->sums.pitch; k += PER_VECTOR)
        *(vector *)(out + k) = (vector){0};
    const uint8_t parity[2] = {(uint8_t)(taken ^ 1), next->parity[skip]};
    a->sums.parity[s + FRONTIER_ROWS] = parity[taken == FRONTIER_NONE];
    a->in_longest |= out[a->longest];
}

static void add(frontier_addition *addition)
{
    frontier_addition a = *addition;
    const int64_t shared = a.next.pitch < a.sums.pitch ? a.next.pitch : a.sums.pitch;
    vector seen = {0};
    for (int64_t s = 0; s < a.states; s++)
        add_row(&a, s, shared, &seen);
    for (int k = 0; k < PER_VECTOR; k++)
        a.seen |= seen[k];
    *addition = a;
}

// ---- Products

// Rows of 1, 2, 4 or 8 words that fill vectors: the row repeats in each vector.
static void multiply_vectors(const uint64_t *row, const uint64_t *rows, int64_t items, int32_t words, uint64_t *out)
{
    uint64_t repeated[PER_VECTOR];
    for (int k = 0; k < PER_VECTOR; k++)
        repeated[k] = row[k & (words - 1)];
    const vector pattern = *(const vector *)repeated;
    int64_t k = 0;
    for (; k + PER_VECTOR <= items; k += PER_VECTOR)
        *(vector *)(out + k) = *(const vector *)(rows + k) | pattern;
    for (; k < items; k++)
        out[k] = rows[k] | repeated[k & (PER_VECTOR - 1)];
}

static void multiply(const uint64_t *row, const uint64_t *rows, int64_t count, int32_t words, uint64_t *out)
{
    if (words <= PER_VECTOR && (words & (words - 1)) == 0) {
        multiply_vectors(row, rows, count * words, words, out);
        return;
    }
    for (int64_t k = 0; k < count; k++)
        for (int32_t w = 0; w < words; w++)
            out[k * words + w] = row[w] | rows[k * words + w];
}

extern const frontier_lanes VARIANT(frontier_lanes_of);
const frontier_lanes VARIANT(frontier_lanes_of) = {
    .build = {.simd = LANE_SIMD},
    .expand = {expand_1, expand_2, expand_4, expand_8},
    .rehash = {rehash_1, rehash_2, rehash_4, rehash_8},
    .add = add,
    .multiply = multiply,
};
