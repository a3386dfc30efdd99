// SPDX-License-Identifier: MIT
// Elements and partial results in their widest form. The reference does everything with these functions. The other
// engines use them only for the few steps from the chunks' results to the value.
#include <math.h>

#include "reduce/job.h"
#include "reduce/kernels.h"

static bool is_signed(mco_reduce_type type)
{
    return type == MCO_REDUCE_TYPE_I32 || type == MCO_REDUCE_TYPE_I64;
}

// ---- Elements

static reduce_partial generated(const reduce_job *job, int64_t i)
{
    reduce_partial p = {.index = i};
    switch (job->kind.type) {
    case MCO_REDUCE_TYPE_I32: p.i = (int32_t)reduce_random_u32(job->seed, (uint64_t)i); break;
    case MCO_REDUCE_TYPE_U32: p.u = reduce_random_u32(job->seed, (uint64_t)i); break;
    case MCO_REDUCE_TYPE_I64:
    case MCO_REDUCE_TYPE_U64: p.u = reduce_random(job->seed, (uint64_t)i); break;
    case MCO_REDUCE_TYPE_F32: p.f = (double)reduce_random_f32(job->seed, (uint64_t)i); break;
    case MCO_REDUCE_TYPE_F64: p.f = reduce_random_f64(job->seed, (uint64_t)i); break;
    }
    return p;
}

static reduce_partial loaded(const reduce_job *job, int64_t i)
{
    reduce_partial p = {.index = i};
    switch (job->kind.type) {
    case MCO_REDUCE_TYPE_I32: p.i = ((const int32_t *)job->data)[i]; break;
    case MCO_REDUCE_TYPE_U32: p.u = ((const uint32_t *)job->data)[i]; break;
    case MCO_REDUCE_TYPE_I64: p.i = ((const int64_t *)job->data)[i]; break;
    case MCO_REDUCE_TYPE_U64: p.u = ((const uint64_t *)job->data)[i]; break;
    case MCO_REDUCE_TYPE_F32: p.f = (double)((const float *)job->data)[i]; break;
    case MCO_REDUCE_TYPE_F64: p.f = ((const double *)job->data)[i]; break;
    }
    return p;
}

reduce_partial reduce_element(const reduce_job *job, int64_t i)
{
    reduce_partial p = job->data != NULL ? loaded(job, i) : generated(job, i);
    if (job->kind.op == MCO_REDUCE_OP_COUNT_NONZERO)
        p.u = reduce_is_float(job->kind.type) ? p.f != 0 : p.u != 0;
    if (job->kind.is_compensated)
        p.rest = 0;
    return p;
}

void reduce_fill(mco_reduce_type type, uint64_t seed, int64_t first, int64_t count, void *data)
{
    const uint64_t from = (uint64_t)first;
    for (int64_t i = 0; i < count; i++)
        switch (type) {
        case MCO_REDUCE_TYPE_I32:
        case MCO_REDUCE_TYPE_U32: ((uint32_t *)data)[i] = reduce_random_u32(seed, from + (uint64_t)i); break;
        case MCO_REDUCE_TYPE_I64:
        case MCO_REDUCE_TYPE_U64: ((uint64_t *)data)[i] = reduce_random(seed, from + (uint64_t)i); break;
        case MCO_REDUCE_TYPE_F32: ((float *)data)[i] = reduce_random_f32(seed, from + (uint64_t)i); break;
        case MCO_REDUCE_TYPE_F64: ((double *)data)[i] = reduce_random_f64(seed, from + (uint64_t)i); break;
        }
}

// ---- Identities

static reduce_partial largest(mco_reduce_type type)
{
    switch (type) {
    case MCO_REDUCE_TYPE_I32: return (reduce_partial){.i = INT32_MAX};
    case MCO_REDUCE_TYPE_I64: return (reduce_partial){.i = INT64_MAX};
    case MCO_REDUCE_TYPE_U32: return (reduce_partial){.u = UINT32_MAX};
    case MCO_REDUCE_TYPE_U64: return (reduce_partial){.u = UINT64_MAX};
    case MCO_REDUCE_TYPE_F32:
    case MCO_REDUCE_TYPE_F64: break;
    }
    return (reduce_partial){.f = (double)INFINITY};
}

static reduce_partial lowest(mco_reduce_type type)
{
    switch (type) {
    case MCO_REDUCE_TYPE_I32: return (reduce_partial){.i = INT32_MIN};
    case MCO_REDUCE_TYPE_I64: return (reduce_partial){.i = INT64_MIN};
    case MCO_REDUCE_TYPE_U32:
    case MCO_REDUCE_TYPE_U64: return (reduce_partial){.u = 0};
    case MCO_REDUCE_TYPE_F32:
    case MCO_REDUCE_TYPE_F64: break;
    }
    return (reduce_partial){.f = -(double)INFINITY};
}

reduce_partial reduce_none(const reduce_kind *kind)
{
    reduce_partial p = {.u = 0};
    switch (kind->op) {
    case MCO_REDUCE_OP_SUM:
    case MCO_REDUCE_OP_OR:
    case MCO_REDUCE_OP_XOR:
    case MCO_REDUCE_OP_COUNT_NONZERO: break;
    case MCO_REDUCE_OP_PROD:
        if (reduce_is_float(kind->type))
            p.f = 1;
        else
            p.u = 1;
        break;
    case MCO_REDUCE_OP_MIN:
    case MCO_REDUCE_OP_ARGMIN: p = largest(kind->type); break;
    case MCO_REDUCE_OP_MAX:
    case MCO_REDUCE_OP_ARGMAX: p = lowest(kind->type); break;
    case MCO_REDUCE_OP_AND: p.u = kind->type == MCO_REDUCE_TYPE_U32 ? UINT32_MAX : UINT64_MAX; break;
    }
    p.index = INT64_MAX;
    if (kind->is_compensated)
        p.rest = 0;
    return p;
}

// ---- Combining

static reduce_partial add(const reduce_kind *kind, reduce_partial a, reduce_partial b)
{
    reduce_partial p = {.index = -1};
    float error;
    if (!reduce_is_float(kind->type)) {
        p.u = a.u + b.u;
    } else if (!kind->is_compensated) {
        p.f = kind->type == MCO_REDUCE_TYPE_F32 ? (double)((float)a.f + (float)b.f) : a.f + b.f;
    } else if (kind->type == MCO_REDUCE_TYPE_F32) {
        p.f = (double)reduce_two_sum_f32((float)a.f, (float)b.f, &error);
        p.rest = (double)(((float)a.rest + (float)b.rest) + error);
    } else {
        double wide_error;
        p.f = reduce_two_sum_f64(a.f, b.f, &wide_error);
        p.rest = (a.rest + b.rest) + wide_error;
    }
    return p;
}

static reduce_partial multiply(const reduce_kind *kind, reduce_partial a, reduce_partial b)
{
    reduce_partial p = {.index = -1};
    if (!reduce_is_float(kind->type))
        p.u = a.u * b.u;
    else
        p.f = kind->type == MCO_REDUCE_TYPE_F32 ? (double)((float)a.f * (float)b.f) : a.f * b.f;
    return p;
}

static bool is_below(mco_reduce_type type, reduce_partial a, reduce_partial b)
{
    if (reduce_is_float(type))
        return reduce_is_below_f64(a.f, b.f);
    return is_signed(type) ? a.i < b.i : a.u < b.u;
}

static bool is_above(mco_reduce_type type, reduce_partial a, reduce_partial b)
{
    if (reduce_is_float(type))
        return reduce_is_above_f64(a.f, b.f);
    return is_signed(type) ? a.i > b.i : a.u > b.u;
}

static reduce_partial first_of(const reduce_kind *kind, reduce_partial a, reduce_partial b)
{
    bool (*is_better)(mco_reduce_type, reduce_partial, reduce_partial) =
        kind->op == MCO_REDUCE_OP_ARGMIN ? is_below : is_above;
    if (is_better(kind->type, a, b) || is_better(kind->type, b, a))
        return is_better(kind->type, a, b) ? a : b;
    return a.index < b.index ? a : b;
}

static reduce_partial least_of(const reduce_kind *kind, reduce_partial a, reduce_partial b)
{
    if (reduce_is_float(kind->type))
        return (reduce_partial){.f = reduce_min_f64(a.f, b.f), .index = -1};
    return is_below(kind->type, b, a) ? b : a;
}

static reduce_partial greatest_of(const reduce_kind *kind, reduce_partial a, reduce_partial b)
{
    if (reduce_is_float(kind->type))
        return (reduce_partial){.f = reduce_max_f64(a.f, b.f), .index = -1};
    return is_above(kind->type, b, a) ? b : a;
}

reduce_partial reduce_combine(const reduce_kind *kind, reduce_partial a, reduce_partial b)
{
    switch (kind->op) {
    case MCO_REDUCE_OP_SUM: return add(kind, a, b);
    case MCO_REDUCE_OP_PROD: return multiply(kind, a, b);
    case MCO_REDUCE_OP_MIN: return least_of(kind, a, b);
    case MCO_REDUCE_OP_MAX: return greatest_of(kind, a, b);
    case MCO_REDUCE_OP_ARGMIN:
    case MCO_REDUCE_OP_ARGMAX: return first_of(kind, a, b);
    case MCO_REDUCE_OP_AND: return (reduce_partial){.u = a.u & b.u, .index = -1};
    case MCO_REDUCE_OP_OR: return (reduce_partial){.u = a.u | b.u, .index = -1};
    case MCO_REDUCE_OP_XOR: return (reduce_partial){.u = a.u ^ b.u, .index = -1};
    case MCO_REDUCE_OP_COUNT_NONZERO: return (reduce_partial){.u = a.u + b.u, .index = -1};
    }
    return a;
}

// ---- The value

static mco_reduce_value finish(const reduce_kind *kind, reduce_partial p)
{
    mco_reduce_value value = {.u = p.u, .index = -1};
    if (reduce_is_place(kind->op) && p.index != INT64_MAX)
        value.index = p.index;
    if (!reduce_is_float(mco_reduce_value_type(kind->op, kind->type)))
        return value;
    double f = p.f;
    if (kind->is_compensated)
        f = kind->type == MCO_REDUCE_TYPE_F32 ? (double)reduce_round_f32((float)p.f, (float)p.rest) : reduce_round_f64(p.f, p.rest);
    value.f = reduce_canonical(f);
    return value;
}

mco_reduce_value reduce_comb(const reduce_kind *kind, const reduce_partial *partials, int32_t count)
{
    reduce_partial teeth[REDUCE_TEAM];
    if (count <= 1)
        return finish(kind, count == 1 ? partials[0] : reduce_none(kind));
    for (int j = 0; j < REDUCE_TEAM; j++) {
        teeth[j] = reduce_none(kind);
        for (int32_t c = j; c < count; c += REDUCE_TEAM)
            teeth[j] = reduce_combine(kind, teeth[j], partials[c]);
    }
    for (int half = REDUCE_TEAM / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++)
            teeth[j] = reduce_combine(kind, teeth[j], teeth[j + half]);
    return finish(kind, teeth[0]);
}
