// SPDX-License-Identifier: MIT
// Tests labels of 8 rows on all links (certificate_lanes.h).
#include "traffic/certificate_lanes.h"

#include <string.h>

#include "base/lanes64.h"

static inline lanes64 load(const double *from)
{
    lanes64 value;
    memcpy(&value, from, sizeof value);
    return value;
}

static uint32_t misses(const int32_t *tail, const int32_t *head, const double *cost, int64_t begin, int64_t end, const double *label)
{
    uint32_t bits = 0;
    for (int64_t l = begin; l < end; l++) {
        const lanes64 reach = load(label + (int64_t)tail[l] * 8) + lanes64_all(cost[l]), seen = load(label + (int64_t)head[l] * 8);
        bits |= lanes64_exceeds(seen, reach);
    }
    return bits;
}

const traffic_tight VARIANT(traffic_tight) = {{LANE_SIMD, 0}, misses};
