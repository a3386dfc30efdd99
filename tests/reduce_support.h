// SPDX-License-Identifier: MIT
// What the tests of the reduction share: the kinds there are, and elements that cause trouble.
#ifndef MCO_TESTS_REDUCE_SUPPORT_H
#define MCO_TESTS_REDUCE_SUPPORT_H

#include <math.h>

#include "base/rng.h"
#include "reduce/job.h"

// Kinds are numbered 0..TEST_KINDS-1, type by type; false: the kind of this number does not exist.
enum { TEST_KINDS = 2 * MCO_REDUCE_OPS * MCO_REDUCE_TYPES };

static inline bool test_kind(int number, reduce_kind *out)
{
    const mco_reduce_op op = (mco_reduce_op)(number / 2 % MCO_REDUCE_OPS);
    const mco_reduce_type type = (mco_reduce_type)(number / 2 / MCO_REDUCE_OPS);
    *out = (reduce_kind){op, type, number % 2 != 0};
    if (out->is_compensated)
        return op == MCO_REDUCE_OP_SUM && reduce_is_float(type);
    return !reduce_is_float(type) || op < MCO_REDUCE_OP_AND || op > MCO_REDUCE_OP_XOR;
}

// Makes random elements. `hostile` mixes in values that cause trouble: 0 none, 1 all of them, 2 all but NaN.
static inline mco_status test_elements(mco_context *ctx, mco_reduce_type type, int64_t count, uint64_t seed, int hostile,
                                       void *data)
{
    static const float odd[] = {NAN, -NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 1e-42f, -3e38f};
    const mco_status st = mco_reduce_generate(ctx, type, seed, 0, count, data);
    mco_rng rng;
    mco_rng_seed(&rng, seed, 0);
    for (int64_t k = 0; st == MCO_OK && hostile > 0 && k < count / 50 + (count > 0); k++) {
        const int64_t at = (int64_t)mco_rng_below(&rng, (uint32_t)count);
        const uint32_t which = hostile == 1 ? mco_rng_below(&rng, 8) : 2 + mco_rng_below(&rng, 6);
        switch (type) {
        case MCO_REDUCE_TYPE_I32: ((int32_t *)data)[at] = which < 4 ? INT32_MIN : which < 6 ? INT32_MAX : 0; break;
        case MCO_REDUCE_TYPE_U32: ((uint32_t *)data)[at] = which < 4 ? 0 : UINT32_MAX; break;
        case MCO_REDUCE_TYPE_I64: ((int64_t *)data)[at] = which < 4 ? INT64_MIN : which < 6 ? INT64_MAX : 0; break;
        case MCO_REDUCE_TYPE_U64: ((uint64_t *)data)[at] = which < 4 ? 0 : UINT64_MAX; break;
        case MCO_REDUCE_TYPE_F32: ((float *)data)[at] = odd[which]; break;
        case MCO_REDUCE_TYPE_F64: ((double *)data)[at] = (double)odd[which]; break;
        }
    }
    return st;
}

#endif
