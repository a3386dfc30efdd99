// SPDX-License-Identifier: MIT
// The reference: follows the fixed tree of reduce/tree.h to the letter, one element at a time. It is the oracle of the
// tests and of --check. It leaves out threads, vectors and everything else that makes it faster.
#include "reduce/job.h"

// Reduces one chunk: elements begin .. begin + length - 1. Indices count from segment_begin.
static reduce_partial chunk_value(const reduce_job *job, int64_t begin, int64_t length, int64_t segment_begin)
{
    enum { LANES_MOST = REDUCE_ROW_BYTES / 4 };
    const int lanes = REDUCE_ROW_BYTES / reduce_element_bytes(job->kind.type), per_vector = lanes / REDUCE_TEAM;
    reduce_partial lane[LANES_MOST];
    for (int l = 0; l < lanes; l++)
        lane[l] = reduce_none(&job->kind);
    for (int64_t row = 0; row < length; row += lanes)
        for (int l = 0; l < lanes && row + l < length; l++) {
            reduce_partial x = reduce_element(job, begin + row + l);
            if (reduce_is_place(job->kind.op))
                x.index -= segment_begin;
            lane[l] = reduce_combine(&job->kind, lane[l], x);
        }
    // Neighbours inside a vector meet. Afterwards the values of the vectors stand together in lane[0..REDUCE_TEAM).
    for (int v = 0; v < REDUCE_TEAM; v++) {
        reduce_partial *l = lane + v * per_vector;
        lane[v] = per_vector == 2 ? reduce_combine(&job->kind, l[0], l[1])
                                  : reduce_combine(&job->kind, reduce_combine(&job->kind, l[0], l[1]),
                                                   reduce_combine(&job->kind, l[2], l[3]));
    }
    for (int half = REDUCE_TEAM / 2; half > 0; half /= 2)
        for (int v = 0; v < half; v++)
            lane[v] = reduce_combine(&job->kind, lane[v], lane[v + half]);
    return lane[0];
}

mco_status reduce_reference(reduce_job *job)
{
    mco_status st = MCO_OK;
    reduce_partial *partials = NULL;
    MCO_TRY(mco_alloc(job->ctx, &partials, REDUCE_MAX_CHUNKS));
    job->result->chunks = 0;
    for (int64_t s = 0; s < job->segments; s++) {
        const int64_t begin = reduce_segment_begin(job, s), length = reduce_segment_begin(job, s + 1) - begin;
        const reduce_shape shape = reduce_shape_of(length, reduce_element_bytes(job->kind.type));
        for (int32_t c = 0; c < shape.chunks; c++) {
            const int64_t from = c * shape.chunk, left = length - from;
            partials[c] = chunk_value(job, begin + from, left < shape.chunk ? left : shape.chunk, begin);
        }
        job->values[s] = reduce_comb(&job->kind, partials, shape.chunks);
        job->result->chunks += shape.chunks;
    }
    job->result->work.threads = 1;
done:
    mco_free(job->ctx, &partials);
    return st;
}
