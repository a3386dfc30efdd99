// SPDX-License-Identifier: MIT
// One chunk of the fixed tree on one core, written so that the compiler vectorises it. The lanes of a row are an array
// in the first-level cache, and up to four rows of data pass over it at a time. Macros make a function for each
// operation and type. Floats are compared as integer keys (reduce/kernels.h), because the compiler vectorises that.
#include "reduce/lanes.h"

#include <math.h>

#include "base/lanes.h"
#include "reduce/kernels.h"

enum { ROWS_AT_ONCE = 4 };

// Lanes of a row, elements of a vector.
#define LANES(T) ((int)(REDUCE_ROW_BYTES / sizeof(T)))
#define PER_VECTOR(T) ((int)(REDUCE_VECTOR_BYTES / sizeof(T)))

// The number of vectors in a chunk's tree: all of a row, or for less than a row the vectors there are, rounded up to a
// power of two. The other vectors hold the identity, which changes nothing.
static int tree_vectors(int64_t length, int per_vector)
{
    int64_t there = reduce_ceil_div(length, per_vector);
    int vectors = 1;
    while (vectors < there && vectors < REDUCE_TEAM)
        vectors *= 2;
    return vectors;
}

// ---- Plain accumulators. ELEMENT(x) is the contribution of an element x. COMBINE(a, b) combines two contributions.
// NONE is the identity. VALUE converts the result, which goes to out->MEMBER.
#define DEFINE_PLAIN(name, T, A, NONE, ELEMENT, COMBINE, MEMBER, VALUE)                                          \
    static void name(const void *data, int64_t length, int64_t first, reduce_partial *out)                       \
    {                                                                                                            \
        const T *restrict x = data;                                                                              \
        const int vectors = tree_vectors(length, PER_VECTOR(T));                                                 \
        _Alignas(64) A lane[REDUCE_ROW_BYTES / sizeof(T)];                                                       \
        (void)first;                                                                                             \
        for (int j = 0; j < vectors * PER_VECTOR(T); j++)                                                        \
            lane[j] = NONE;                                                                                      \
        for (; length >= ROWS_AT_ONCE * LANES(T); length -= ROWS_AT_ONCE * LANES(T), x += ROWS_AT_ONCE * LANES(T)) \
            for (int j = 0; j < LANES(T); j++) {                                                                 \
                A a = COMBINE(lane[j], ELEMENT(x[j]));                                                           \
                a = COMBINE(a, ELEMENT(x[j + LANES(T)]));                                                        \
                a = COMBINE(a, ELEMENT(x[j + 2 * LANES(T)]));                                                    \
                lane[j] = COMBINE(a, ELEMENT(x[j + 3 * LANES(T)]));                                              \
            }                                                                                                    \
        for (; length > 0; length -= LANES(T), x += LANES(T)) {                                                  \
            const int there = length < LANES(T) ? (int)length : LANES(T);                                        \
            for (int j = 0; j < there; j++)                                                                      \
                lane[j] = COMBINE(lane[j], ELEMENT(x[j]));                                                       \
        }                                                                                                        \
        for (int width = PER_VECTOR(T) / 2, n = vectors * PER_VECTOR(T) / 2; width > 0; width /= 2, n /= 2)      \
            for (int j = 0; j < n; j++)                                                                          \
                lane[j] = COMBINE(lane[2 * j], lane[2 * j + 1]);                                                 \
        for (int half = vectors / 2; half > 0; half /= 2)                                                        \
            for (int j = 0; j < half; j++)                                                                       \
                lane[j] = COMBINE(lane[j], lane[j + half]);                                                      \
        *out = (reduce_partial){.MEMBER = VALUE(lane[0]), .index = -1};                                          \
    }

#define SAME(x) (x)
#define SIGN_EXTENDED(x) ((uint64_t)(int64_t)(x))
#define ZERO_EXTENDED(x) ((uint64_t)(x))
#define DOUBLE(x) ((double)(x))
#define NONZERO_32(x) ((uint32_t)((x) != 0))
#define NONZERO_64(x) ((uint64_t)((x) != 0))
#define LOW_KEY_32(x) reduce_key_f32(x, true)
#define HIGH_KEY_32(x) reduce_key_f32(x, false)
#define LOW_KEY_64(x) reduce_key_f64(x, true)
#define HIGH_KEY_64(x) reduce_key_f64(x, false)
#define OF_KEY_32(k) ((double)reduce_f32_of_key(k))
#define OF_KEY_64(k) reduce_f64_of_key(k)
#define PLUS(a, b) ((a) + (b))
#define TIMES(a, b) ((a) * (b))
#define BOTH(a, b) ((a) & (b))
#define EITHER(a, b) ((a) | (b))
#define ONE_OF(a, b) ((a) ^ (b))
#define LESSER(a, b) ((b) < (a) ? (b) : (a))
#define GREATER(a, b) ((b) > (a) ? (b) : (a))

DEFINE_PLAIN(sum_i32, int32_t, uint64_t, 0, SIGN_EXTENDED, PLUS, u, SAME)
DEFINE_PLAIN(sum_u32, uint32_t, uint64_t, 0, ZERO_EXTENDED, PLUS, u, SAME)
DEFINE_PLAIN(sum_u64, uint64_t, uint64_t, 0, SAME, PLUS, u, SAME)
DEFINE_PLAIN(sum_f32, float, float, 0, SAME, PLUS, f, DOUBLE)
DEFINE_PLAIN(sum_f64, double, double, 0, SAME, PLUS, f, SAME)
DEFINE_PLAIN(prod_i32, int32_t, uint64_t, 1, SIGN_EXTENDED, TIMES, u, SAME)
DEFINE_PLAIN(prod_u32, uint32_t, uint64_t, 1, ZERO_EXTENDED, TIMES, u, SAME)
DEFINE_PLAIN(prod_u64, uint64_t, uint64_t, 1, SAME, TIMES, u, SAME)
DEFINE_PLAIN(prod_f32, float, float, 1, SAME, TIMES, f, DOUBLE)
DEFINE_PLAIN(prod_f64, double, double, 1, SAME, TIMES, f, SAME)
DEFINE_PLAIN(min_i32, int32_t, int32_t, INT32_MAX, SAME, LESSER, i, SAME)
DEFINE_PLAIN(min_i64, int64_t, int64_t, INT64_MAX, SAME, LESSER, i, SAME)
DEFINE_PLAIN(min_u32, uint32_t, uint32_t, UINT32_MAX, SAME, LESSER, u, SAME)
DEFINE_PLAIN(min_u64, uint64_t, uint64_t, UINT64_MAX, SAME, LESSER, u, SAME)
DEFINE_PLAIN(min_f32, float, int32_t, LOW_KEY_32(INFINITY), LOW_KEY_32, LESSER, f, OF_KEY_32)
DEFINE_PLAIN(min_f64, double, int64_t, LOW_KEY_64((double)INFINITY), LOW_KEY_64, LESSER, f, OF_KEY_64)
DEFINE_PLAIN(max_i32, int32_t, int32_t, INT32_MIN, SAME, GREATER, i, SAME)
DEFINE_PLAIN(max_i64, int64_t, int64_t, INT64_MIN, SAME, GREATER, i, SAME)
DEFINE_PLAIN(max_u32, uint32_t, uint32_t, 0, SAME, GREATER, u, SAME)
DEFINE_PLAIN(max_u64, uint64_t, uint64_t, 0, SAME, GREATER, u, SAME)
DEFINE_PLAIN(max_f32, float, int32_t, HIGH_KEY_32(-INFINITY), HIGH_KEY_32, GREATER, f, OF_KEY_32)
DEFINE_PLAIN(max_f64, double, int64_t, HIGH_KEY_64(-(double)INFINITY), HIGH_KEY_64, GREATER, f, OF_KEY_64)
DEFINE_PLAIN(and_i32, int32_t, int32_t, -1, SAME, BOTH, i, SAME)
DEFINE_PLAIN(and_u32, uint32_t, uint32_t, UINT32_MAX, SAME, BOTH, u, SAME)
DEFINE_PLAIN(and_u64, uint64_t, uint64_t, UINT64_MAX, SAME, BOTH, u, SAME)
DEFINE_PLAIN(or_i32, int32_t, int32_t, 0, SAME, EITHER, i, SAME)
DEFINE_PLAIN(or_u32, uint32_t, uint32_t, 0, SAME, EITHER, u, SAME)
DEFINE_PLAIN(or_u64, uint64_t, uint64_t, 0, SAME, EITHER, u, SAME)
DEFINE_PLAIN(xor_i32, int32_t, int32_t, 0, SAME, ONE_OF, i, SAME)
DEFINE_PLAIN(xor_u32, uint32_t, uint32_t, 0, SAME, ONE_OF, u, SAME)
DEFINE_PLAIN(xor_u64, uint64_t, uint64_t, 0, SAME, ONE_OF, u, SAME)
DEFINE_PLAIN(nonzero_u32, uint32_t, uint32_t, 0, NONZERO_32, PLUS, u, SAME)
DEFINE_PLAIN(nonzero_u64, uint64_t, uint64_t, 0, NONZERO_64, PLUS, u, SAME)
DEFINE_PLAIN(nonzero_f32, float, uint32_t, 0, NONZERO_32, PLUS, u, SAME)
DEFINE_PLAIN(nonzero_f64, double, uint64_t, 0, NONZERO_64, PLUS, u, SAME)
// ---- Places: argmin and argmax. There are lanes of values (floats: of keys A) and lanes of the steps that these come
// from, both of the element's size. A lane begins with the identity, as if that were its first element. If no element
// is better, all equal the identity, and the first element is the answer. A lane without elements has an index behind
// all others, so it loses.
#define TAKE(A, I, IS_BETTER, value, number)            \
    do {                                                \
        const A taken = value;                          \
        const bool is_taken = IS_BETTER(taken, best[j]); \
        best[j] = is_taken ? taken : best[j];           \
        step[j] = is_taken ? (I)(number) : step[j];     \
    } while (0)

#define DEFINE_PLACE(name, T, A, I, NONE, ELEMENT, IS_BETTER, MEMBER)                                            \
    static void name(const void *data, int64_t length, int64_t first, reduce_partial *out)                       \
    {                                                                                                            \
        const T *restrict x = data;                                                                              \
        const int lanes = tree_vectors(length, PER_VECTOR(T)) * PER_VECTOR(T);                                   \
        _Alignas(64) A best[REDUCE_ROW_BYTES / sizeof(T)];                                                       \
        _Alignas(64) I step[REDUCE_ROW_BYTES / sizeof(T)];                                                       \
        I row = 0;                                                                                               \
        for (int j = 0; j < lanes; j++) {                                                                        \
            best[j] = NONE;                                                                                      \
            step[j] = 0;                                                                                         \
        }                                                                                                        \
        for (; length >= 2 * LANES(T); length -= 2 * LANES(T), x += 2 * LANES(T), row += 2)                      \
            for (int j = 0; j < LANES(T); j++) {                                                                 \
                TAKE(A, I, IS_BETTER, ELEMENT(x[j]), row);                                                       \
                TAKE(A, I, IS_BETTER, ELEMENT(x[j + LANES(T)]), row + 1);                                        \
            }                                                                                                    \
        for (; length > 0; length -= LANES(T), x += LANES(T), row++) {                                           \
            const int there = length < LANES(T) ? (int)length : LANES(T);                                        \
            for (int j = 0; j < there; j++)                                                                      \
                TAKE(A, I, IS_BETTER, ELEMENT(x[j]), row);                                                       \
        }                                                                                                        \
        for (int j = 0; j < lanes; j++)                                                                          \
            step[j] = step[j] * (I)LANES(T) + (I)j;                                                              \
        for (int half = lanes / 2; half > 0; half /= 2)                                                          \
            for (int j = 0; j < half; j++) {                                                                     \
                const A a = best[j], b = best[j + half];                                                         \
                const I at = step[j], bt = step[j + half];                                                       \
                const bool is_b = IS_BETTER(b, a) | ((b == a) & (bt < at));                                      \
                best[j] = is_b ? b : a;                                                                          \
                step[j] = is_b ? bt : at;                                                                        \
            }                                                                                                    \
        *out = (reduce_partial){.MEMBER = ((const T *)data)[step[0]], .index = first + (int64_t)step[0]};        \
    }

#define BELOW(a, b) ((a) < (b))
#define ABOVE(a, b) ((a) > (b))
#define LOW_PLACE_32(x) reduce_place_key_f32(x, true)
#define HIGH_PLACE_32(x) reduce_place_key_f32(x, false)
#define LOW_PLACE_64(x) reduce_place_key_f64(x, true)
#define HIGH_PLACE_64(x) reduce_place_key_f64(x, false)

DEFINE_PLACE(argmin_i32, int32_t, int32_t, uint32_t, INT32_MAX, SAME, BELOW, i)
DEFINE_PLACE(argmin_i64, int64_t, int64_t, uint64_t, INT64_MAX, SAME, BELOW, i)
DEFINE_PLACE(argmin_u32, uint32_t, uint32_t, uint32_t, UINT32_MAX, SAME, BELOW, u)
DEFINE_PLACE(argmin_u64, uint64_t, uint64_t, uint64_t, UINT64_MAX, SAME, BELOW, u)
DEFINE_PLACE(argmin_f32, float, int32_t, uint32_t, INT32_MAX, LOW_PLACE_32, BELOW, f)
DEFINE_PLACE(argmin_f64, double, int64_t, uint64_t, INT64_MAX, LOW_PLACE_64, BELOW, f)
DEFINE_PLACE(argmax_i32, int32_t, int32_t, uint32_t, INT32_MIN, SAME, ABOVE, i)
DEFINE_PLACE(argmax_i64, int64_t, int64_t, uint64_t, INT64_MIN, SAME, ABOVE, i)
DEFINE_PLACE(argmax_u32, uint32_t, uint32_t, uint32_t, 0, SAME, ABOVE, u)
DEFINE_PLACE(argmax_u64, uint64_t, uint64_t, uint64_t, 0, SAME, ABOVE, u)
DEFINE_PLACE(argmax_f32, float, int32_t, uint32_t, INT32_MIN, HIGH_PLACE_32, ABOVE, f)
DEFINE_PLACE(argmax_f64, double, int64_t, uint64_t, INT64_MIN, HIGH_PLACE_64, ABOVE, f)

// ---- Compensated sums: lanes of sums, and lanes of the parts that rounding has taken from them.
#define DEFINE_COMPENSATED(name, T, TWO_SUM)                                                                     \
    static void name(const void *data, int64_t length, int64_t first, reduce_partial *out)                       \
    {                                                                                                            \
        const T *restrict x = data;                                                                              \
        const int vectors = tree_vectors(length, PER_VECTOR(T));                                                 \
        _Alignas(64) T sum[REDUCE_ROW_BYTES / sizeof(T)];                                                        \
        _Alignas(64) T rest[REDUCE_ROW_BYTES / sizeof(T)];                                                       \
        T e, f;                                                                                                  \
        (void)first;                                                                                             \
        for (int j = 0; j < vectors * PER_VECTOR(T); j++)                                                        \
            sum[j] = rest[j] = 0;                                                                                \
        for (; length >= 2 * LANES(T); length -= 2 * LANES(T), x += 2 * LANES(T))                                \
            for (int j = 0; j < LANES(T); j++) {                                                                 \
                sum[j] = TWO_SUM(TWO_SUM(sum[j], x[j], &e), x[j + LANES(T)], &f);                                \
                rest[j] = (rest[j] + e) + f;                                                                     \
            }                                                                                                    \
        for (; length > 0; length -= LANES(T), x += LANES(T)) {                                                  \
            const int there = length < LANES(T) ? (int)length : LANES(T);                                        \
            for (int j = 0; j < there; j++) {                                                                    \
                sum[j] = TWO_SUM(sum[j], x[j], &e);                                                              \
                rest[j] += e;                                                                                    \
            }                                                                                                    \
        }                                                                                                        \
        for (int width = PER_VECTOR(T) / 2, n = vectors * PER_VECTOR(T) / 2; width > 0; width /= 2, n /= 2)      \
            for (int j = 0; j < n; j++) {                                                                        \
                sum[j] = TWO_SUM(sum[2 * j], sum[2 * j + 1], &e);                                                \
                rest[j] = (rest[2 * j] + rest[2 * j + 1]) + e;                                                   \
            }                                                                                                    \
        for (int half = vectors / 2; half > 0; half /= 2)                                                        \
            for (int j = 0; j < half; j++) {                                                                     \
                sum[j] = TWO_SUM(sum[j], sum[j + half], &e);                                                     \
                rest[j] = (rest[j] + rest[j + half]) + e;                                                        \
            }                                                                                                    \
        *out = (reduce_partial){.f = (double)sum[0], .rest = (double)rest[0]};                                   \
    }

DEFINE_COMPENSATED(compensated_f32, float, reduce_two_sum_f32)
DEFINE_COMPENSATED(compensated_f64, double, reduce_two_sum_f64)

// ---- The function of a kind. i64 and u64 share one function if the result's bits do not depend on the sign.

static reduce_chunk_function *const functions[MCO_REDUCE_OPS][MCO_REDUCE_TYPES] = {
    [MCO_REDUCE_OP_SUM] = {sum_i32, sum_u64, sum_u32, sum_u64, sum_f32, sum_f64},
    [MCO_REDUCE_OP_PROD] = {prod_i32, prod_u64, prod_u32, prod_u64, prod_f32, prod_f64},
    [MCO_REDUCE_OP_MIN] = {min_i32, min_i64, min_u32, min_u64, min_f32, min_f64},
    [MCO_REDUCE_OP_MAX] = {max_i32, max_i64, max_u32, max_u64, max_f32, max_f64},
    [MCO_REDUCE_OP_ARGMIN] = {argmin_i32, argmin_i64, argmin_u32, argmin_u64, argmin_f32, argmin_f64},
    [MCO_REDUCE_OP_ARGMAX] = {argmax_i32, argmax_i64, argmax_u32, argmax_u64, argmax_f32, argmax_f64},
    [MCO_REDUCE_OP_AND] = {and_i32, and_u64, and_u32, and_u64, NULL, NULL},
    [MCO_REDUCE_OP_OR] = {or_i32, or_u64, or_u32, or_u64, NULL, NULL},
    [MCO_REDUCE_OP_XOR] = {xor_i32, xor_u64, xor_u32, xor_u64, NULL, NULL},
    [MCO_REDUCE_OP_COUNT_NONZERO] = {nonzero_u32, nonzero_u64, nonzero_u32, nonzero_u64, nonzero_f32, nonzero_f64},
};

static reduce_chunk_function *function_of(const reduce_kind *kind)
{
    if (kind->is_compensated)
        return kind->type == MCO_REDUCE_TYPE_F32 ? compensated_f32 : compensated_f64;
    return functions[kind->op][kind->type];
}

extern const reduce_lanes VARIANT(reduce_lanes);
const reduce_lanes VARIANT(reduce_lanes) = {{LANE_SIMD, 0}, function_of};
