// SPDX-License-Identifier: MIT
// One reduction as the engines see it, and the arithmetic on partial results that they share.
#ifndef MCO_REDUCE_JOB_H
#define MCO_REDUCE_JOB_H

#include "base/context.h"
#include "reduce/tree.h"

// What is computed.
typedef struct reduce_kind {
    mco_reduce_op op;
    mco_reduce_type type;
    bool is_compensated;
} reduce_kind;

typedef struct reduce_job {
    mco_context *ctx;
    const mco_reduce_params *params;
    mco_reduce_params own_params;
    reduce_kind kind;
    const void *data;  // [count]; NULL: generated from `seed`
    uint64_t seed;
    int64_t count;
    const int64_t *offsets;  // [segments + 1], or NULL if `length` gives the segments
    int64_t length;          // of every segment but the last; for a whole array its count
    int64_t segments;        // 1 for an array reduced as a whole
    bool is_segmented;
    mco_reduce_value *values;   // [segments], to be filled
    mco_reduce_result *result;  // chunks, parts, repeats, threads, devices and times are to be filled
} reduce_job;

// The index at which segment s begins. The begin of segment s + 1 is the end of segment s.
static inline int64_t reduce_segment_begin(const reduce_job *job, int64_t s)
{
    int64_t begin = job->offsets != NULL ? job->offsets[s] : s * job->length;
    return begin < job->count ? begin : job->count;
}

// ---- Elements and partial results

static inline int reduce_element_bytes(mco_reduce_type type)
{
    return type == MCO_REDUCE_TYPE_I32 || type == MCO_REDUCE_TYPE_U32 || type == MCO_REDUCE_TYPE_F32 ? 4 : 8;
}

static inline bool reduce_is_float(mco_reduce_type type)
{
    return type == MCO_REDUCE_TYPE_F32 || type == MCO_REDUCE_TYPE_F64;
}

static inline bool reduce_is_place(mco_reduce_op op)
{
    return op == MCO_REDUCE_OP_ARGMIN || op == MCO_REDUCE_OP_ARGMAX;
}

// Element i of the job's data as a partial result.
reduce_partial reduce_element(const reduce_job *job, int64_t i);
reduce_partial reduce_none(const reduce_kind *kind);  // the identity
reduce_partial reduce_combine(const reduce_kind *kind, reduce_partial a, reduce_partial b);
// Takes the partial results of all chunks through the comb, then rounds the value and makes it canonical.
mco_reduce_value reduce_comb(const reduce_kind *kind, const reduce_partial *partials, int32_t count);

// ---- Validation, for host and device data. Errors: ARGUMENT, LIMIT.

mco_status reduce_refuse(mco_context *ctx, const reduce_kind *kind, const void *data, int64_t count);
mco_status reduce_refuse_segments(mco_context *ctx, int64_t segments);

// ---- Engines: fill job->values and the times of the result. The arguments are already validated.

mco_status reduce_reference(reduce_job *job);  // one thread, no times
mco_status reduce_cpu(reduce_job *job);
mco_status reduce_gpu(reduce_job *job);

// The median of times [count]. Sorts them.
double reduce_median(double *times, int64_t count);

// Writes elements first .. first + count - 1 of generated data to data [count].
void reduce_fill(mco_reduce_type type, uint64_t seed, int64_t first, int64_t count, void *data);

#endif
