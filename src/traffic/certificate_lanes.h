// SPDX-License-Identifier: MIT
// The pass over the links of the certificate, 8 rows side by side, compiled once for each vector unit. All builds give equal results.
#ifndef MCO_TRAFFIC_CERTIFICATE_LANES_H
#define MCO_TRAFFIC_CERTIFICATE_LANES_H

#include "base/context.h"
#include "base/simd.h"

typedef struct traffic_tight {
    mco_build build;
    // Bit k is set unless label[head][k] <= label[tail][k] + cost for links begin .. end - 1; labels [nodes][8] of any alignment. NaN sets it too.
    uint32_t (*misses)(const int32_t *tail, const int32_t *head, const double *cost, int64_t begin, int64_t end, const double *label);
} traffic_tight;

extern const traffic_tight traffic_tight_portable;
#ifdef MCO_HAVE_AVX512
extern const traffic_tight traffic_tight_avx512, traffic_tight_avx2;
#endif

#endif
