// SPDX-License-Identifier: MIT
// The arithmetic of single elements that goes beyond C's operators: the NaN policy, the sum with its rounding error,
// generated data. For the host and the device, in C and CUDA.
//
// NaN: min and max give NaN if any element is NaN. argmin and argmax give the index of the first NaN. A NaN result is
// made canonical (positive, quiet, no payload) once, at the end. min and max order -0 below +0; for argmin and argmax
// they are equal. No addition follows a product here or in the tree, so the compiler cannot contract anything to an
// FMA.
#ifndef MCO_REDUCE_KERNELS_H
#define MCO_REDUCE_KERNELS_H

#include <math.h>
#include <string.h>

#include "reduce/tree.h"

// ---- Order of floats

// A NaN is better than every number, and nothing is better than a NaN. So the first NaN stays.
static inline MCO_HD bool reduce_is_below_f32(float x, float best)
{
    return !(x >= best) && best == best;
}

static inline MCO_HD bool reduce_is_below_f64(double x, double best)
{
    return !(x >= best) && best == best;
}

static inline MCO_HD bool reduce_is_above_f32(float x, float best)
{
    return !(x <= best) && best == best;
}

static inline MCO_HD bool reduce_is_above_f64(double x, double best)
{
    return !(x <= best) && best == best;
}

#ifdef __CUDA_ARCH__
// These PTX instructions give NaN if an operand is NaN, and order -0 below +0.
static inline __device__ float reduce_min_f32(float a, float b)
{
    float least;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(least) : "f"(a), "f"(b));
    return least;
}

static inline __device__ float reduce_max_f32(float a, float b)
{
    float greatest;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(greatest) : "f"(a), "f"(b));
    return greatest;
}

// The PTX min and max of doubles ignore a NaN operand, so the code tests for it. They order -0 below +0.
static inline __device__ double reduce_min_f64(double a, double b)
{
    double least;
    asm("min.f64 %0, %1, %2;" : "=d"(least) : "d"(a), "d"(b));
    return a != a ? a : b != b ? b : least;
}

static inline __device__ double reduce_max_f64(double a, double b)
{
    double greatest;
    asm("max.f64 %0, %1, %2;" : "=d"(greatest) : "d"(a), "d"(b));
    return a != a ? a : b != b ? b : greatest;
}
#else
static inline MCO_HD double reduce_min_f64(double a, double b)
{
    if (a != a || b != b)
        return a != a ? a : b;
    return a < b || (a == b && signbit(a)) ? a : b;
}

static inline MCO_HD double reduce_max_f64(double a, double b)
{
    if (a != a || b != b)
        return a != a ? a : b;
    return a > b || (a == b && !signbit(a)) ? a : b;
}

static inline MCO_HD float reduce_min_f32(float a, float b)
{
    return (float)reduce_min_f64(a, b);
}

static inline MCO_HD float reduce_max_f32(float a, float b)
{
    return (float)reduce_max_f64(a, b);
}
#endif

// Integer keys in the order of the floats, with -0 below +0; for vector units. A NaN of either sign is below every
// number if `is_min`, else above. The inverse gives some NaN for the key of a NaN.
static inline MCO_HD int32_t reduce_key_f32(float x, bool is_min)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    int32_t key = (int32_t)(bits ^ ((uint32_t)-(int32_t)(bits >> 31) >> 1));
    bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
    return is_nan ? (is_min ? INT32_MIN : INT32_MAX) : key;
}

static inline MCO_HD float reduce_f32_of_key(int32_t key)
{
    uint32_t bits = (uint32_t)key ^ ((uint32_t)-(int32_t)((uint32_t)key >> 31) >> 1);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline MCO_HD int64_t reduce_key_f64(double x, bool is_min)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int64_t key = (int64_t)(bits ^ ((uint64_t)-(int64_t)(bits >> 63) >> 1));
    bool is_nan = (bits & 0x7fffffffffffffffu) > 0x7ff0000000000000u;
    return is_nan ? (is_min ? INT64_MIN : INT64_MAX) : key;
}

static inline MCO_HD double reduce_f64_of_key(int64_t key)
{
    uint64_t bits = (uint64_t)key ^ ((uint64_t)-(int64_t)((uint64_t)key >> 63) >> 1);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// The keys for argmin and argmax, where -0 and +0 are equal.
static inline MCO_HD int32_t reduce_place_key_f32(float x, bool is_min)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    int32_t size = (int32_t)(bits & 0x7fffffffu);
    bool is_nan = size > 0x7f800000;
    return is_nan ? (is_min ? INT32_MIN : INT32_MAX) : bits >> 31 != 0 ? -size : size;
}

static inline MCO_HD int64_t reduce_place_key_f64(double x, bool is_min)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int64_t size = (int64_t)(bits & 0x7fffffffffffffffu);
    bool is_nan = size > 0x7ff0000000000000;
    return is_nan ? (is_min ? INT64_MIN : INT64_MAX) : bits >> 63 != 0 ? -size : size;
}

// ---- Compensated sums (Knuth 1969; Ogita, Rump, Oishi 2005: Sum2). s + *error = a + b holds exactly, unless s or a
// step of the computation of *error overflows. Near the largest numbers *error can be infinite or NaN although s is
// finite.

static inline MCO_HD float reduce_two_sum_f32(float a, float b, float *error)
{
    float s = a + b, b_seen = s - a;
    *error = (a - (s - b_seen)) + (b - b_seen);
    return s;
}

static inline MCO_HD double reduce_two_sum_f64(double a, double b, double *error)
{
    double s = a + b, b_seen = s - a;
    *error = (a - (s - b_seen)) + (b - b_seen);
    return s;
}

// The sum with its error added. If the sum or the error is infinite or NaN, the error means nothing and is left out.
static inline MCO_HD float reduce_round_f32(float sum, float rest)
{
    return sum - sum == 0 && rest - rest == 0 ? sum + rest : sum;
}

static inline MCO_HD double reduce_round_f64(double sum, double rest)
{
    return sum - sum == 0 && rest - rest == 0 ? sum + rest : sum;
}

// Replaces any NaN by the one NaN of results.
static inline MCO_HD double reduce_canonical(double x)
{
    const uint64_t quiet = 0x7ff8000000000000u;
    double nan;
    memcpy(&nan, &quiet, sizeof nan);
    return x != x ? nan : x;
}

// ---- Generated data: element i is output number i of SplitMix64 (Steele, Lea, Flood 2014) from `seed`

static inline MCO_HD uint64_t reduce_random(uint64_t seed, uint64_t i)
{
    uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline MCO_HD uint32_t reduce_random_u32(uint64_t seed, uint64_t i)
{
    return (uint32_t)(reduce_random(seed, i) >> 32);
}

static inline MCO_HD float reduce_random_f32(uint64_t seed, uint64_t i)
{
    return (float)((int32_t)(reduce_random(seed, i) >> 40) - (1 << 23)) * 0x1p-23f;
}

static inline MCO_HD double reduce_random_f64(uint64_t seed, uint64_t i)
{
    return (double)((int64_t)(reduce_random(seed, i) >> 11) - ((int64_t)1 << 52)) * 0x1p-52;
}

#endif
