// SPDX-License-Identifier: MIT
// Random numbers: xoshiro256** (Blackman, Vigna 2018), seeded by SplitMix64 (Steele, Lea, Flood
// 2014). The same seed gives the same stream on every machine. Tests compare with the published vectors.
#ifndef MCO_BASE_RNG_H
#define MCO_BASE_RNG_H

#include <stdint.h>

#include "mco/compiler.h"

typedef struct mco_rng {
    uint64_t state[4];
} mco_rng;

static inline MCO_HD uint64_t mco_splitmix64(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// `stream` separates the generators of several threads under one user seed.
static inline void mco_rng_seed(mco_rng *rng, uint64_t seed, uint64_t stream)
{
    uint64_t s = seed ^ (stream * 0xd1342543de82ef95u);
    for (int i = 0; i < 4; i++)
        rng->state[i] = mco_splitmix64(&s);
}

static inline uint64_t mco_rng_next(mco_rng *rng)
{
    uint64_t *s = rng->state;
    const uint64_t x = s[1] * 5;
    const uint64_t result = ((x << 7) | (x >> 57)) * 9;
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 45) | (s[3] >> 19);
    return result;
}

// Uniform in [0, limit), limit > 0; the multiply-shift bias is below limit / 2^32.
static inline uint32_t mco_rng_below(mco_rng *rng, uint32_t limit)
{
    return (uint32_t)(((mco_rng_next(rng) >> 32) * limit) >> 32);
}

// Uniform in [0, 1), 53 bits.
static inline double mco_rng_real(mco_rng *rng)
{
    return (double)(mco_rng_next(rng) >> 11) * 0x1p-53;
}

#endif
