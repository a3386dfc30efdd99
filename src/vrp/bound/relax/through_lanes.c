// SPDX-License-Identifier: MIT
// Inner loops of through-q-routes (vrp/bound/relax/through_lanes.h), compiled once for each vector unit.
#include "vrp/bound/relax/through_lanes.h"

#include "base/lanes32.h"

enum { PARTS = 4, STEP = PARTS * LANES32 };  // vectors at once
_Static_assert(VRP_THROUGH_TILE % STEP == 0, "a tile is whole steps");

static inline int32_t end_of_near(const vrp_through_halves *halves, int32_t last)
{
    const int32_t most = halves->is_symmetric ? last / 2 : last;
    return (most < halves->loads ? most : halves->loads) + 1;
}

static void least_sums(const vrp_through_halves *halves, int32_t begin, int32_t *out)
{
    for (int32_t t = begin; t < begin + VRP_THROUGH_TILE; t += STEP) {
        lanes32 least[PARTS];
        UNROLL(4)
        for (int p = 0; p < PARTS; p++)
            least[p] = lanes32_all(INT32_MAX);
        const int32_t end = end_of_near(halves, t + STEP - 1);
        for (int32_t u = t > halves->loads ? t - halves->loads : 0; u < end; u++) {
            const lanes32 value = lanes32_all(halves->value[u]);
            UNROLL(4)
            for (int p = 0; p < PARTS; p++)
                least[p] = lanes32_lesser(least[p], value + lanes32_load(halves->far_value + (t - u) + p * LANES32));
        }
        UNROLL(4)
        for (int p = 0; p < PARTS; p++)
            lanes32_store(out + (t - begin) + p * LANES32, least[p]);
    }
}

static void least_routes(const vrp_through_halves *halves, int32_t begin, int32_t *out)
{
    for (int32_t t = begin; t < begin + VRP_THROUGH_TILE; t += STEP) {
        lanes32 least[PARTS];
        UNROLL(4)
        for (int p = 0; p < PARTS; p++)
            least[p] = lanes32_all(INT32_MAX);
        const int32_t end = end_of_near(halves, t + STEP - 1);
        for (int32_t u = t > halves->loads ? t - halves->loads : 0; u < end; u++) {
            const lanes32 value = lanes32_all(halves->value[u]), before = lanes32_all(halves->before[u]);
            const lanes32 second = lanes32_all(halves->second[u]);
            UNROLL(4)
            for (int p = 0; p < PARTS; p++) {
                const int64_t at = (int64_t)(t - u) + p * LANES32;
                const lanes32 far = lanes32_load(halves->far_value + at);
                const lanes32 is_loop = (lanes32)(before == lanes32_load(halves->far_before + at));
                const lanes32 crossed = lanes32_lesser(value + lanes32_load(halves->far_second + at), second + far);
                least[p] = lanes32_lesser(least[p], lanes32_choose(is_loop, crossed, value + far));
            }
        }
        UNROLL(4)
        for (int p = 0; p < PARTS; p++)
            lanes32_store(out + (t - begin) + p * LANES32, least[p]);
    }
}

extern const vrp_through_variant VARIANT(vrp_through);
const vrp_through_variant VARIANT(vrp_through) = {.build = {LANE_SIMD, 0}, .least_sums = least_sums, .least_routes = least_routes};
