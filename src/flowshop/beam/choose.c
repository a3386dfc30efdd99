// SPDX-License-Identifier: MIT
#include "flowshop/beam/layer.h"

#define DECLARE(set, simd, bits) extern const flowshop_beam_ops flowshop_beam_##set##_##bits;
#define LIST(set, simd, bits) &flowshop_beam_##set##_##bits,

MCO_EACH_LANES(DECLARE, 16)
MCO_EACH_LANES(DECLARE, 32)
static const flowshop_beam_ops *const builds[] = {MCO_EACH_LANES(LIST, 16) MCO_EACH_LANES(LIST, 32)};

mco_status flowshop_beam_choose(mco_context *ctx, mco_simd simd, int bits, const flowshop_beam_ops **out)
{
    return mco_pick(ctx, builds, simd, bits, out);
}
