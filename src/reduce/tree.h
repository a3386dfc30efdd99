// SPDX-License-Identifier: MIT
// The fixed tree: the order in which elements meet. It depends on the count and the element size alone. It decides the
// bits of floating-point results, so every engine follows it. Integers may meet in any order.
//
// A row is 4096 bytes: 256 vectors of 16 bytes, 1024 or 512 elements, one for each lane. A chunk is a number of whole
// rows; the last chunk of an array may be shorter. Inside a chunk, lane l begins with the identity and takes elements
// l, l + lanes, ... in turn. Then neighbours inside a vector meet, (0,1) and (2,3), then the pairs. Then vectors v and
// v + 128 meet, then v and v + 64, ..., v and v + 1. The chunks' partial results go through a comb of 256: tooth j
// begins with the identity and takes chunks j, j + 256, ... in turn. Then teeth j and j + 128 meet, ..., j and j + 1.
//
// So 256, 64 or 32 GPU threads and a loop of any vector unit can all follow the tree at full speed. No lane waits for
// the sum of another lane within a chunk, and no chunk depends on another chunk.
#ifndef MCO_REDUCE_TREE_H
#define MCO_REDUCE_TREE_H

#include "mco/reduce.h"

enum {
    REDUCE_VECTOR_BYTES = 16,
    REDUCE_TEAM = 256,  // vectors of a row; teeth of the comb
    REDUCE_ROW_BYTES = REDUCE_TEAM * REDUCE_VECTOR_BYTES,
    REDUCE_MAX_CHUNKS = 16896
};
// Rows of a chunk. A chunk has at least 4 rows, so small arrays need few blocks. Until chunks have 64 rows, there are
// few of them: one wave of 4 blocks on each of 132 multiprocessors. Beyond that there are many, up to 128 on each
// multiprocessor, for the balance of the load. Fewer (16 on each) cost 4 % at 4 GiB on an H200.
static const int64_t REDUCE_LEAST_ROWS = 4, REDUCE_WAVE_CHUNKS = 528, REDUCE_LONG_ROWS = 64;

typedef struct reduce_shape {
    int64_t count;
    int64_t chunk;   // elements of a chunk, whole rows
    int32_t chunks;  // ceil(count / chunk), at most REDUCE_MAX_CHUNKS
    int32_t lanes;   // elements of a row
} reduce_shape;

static inline MCO_HD int64_t reduce_ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static inline MCO_HD reduce_shape reduce_shape_of(int64_t count, int element_bytes)
{
    reduce_shape s;
    s.count = count;
    s.lanes = REDUCE_ROW_BYTES / element_bytes;
    int64_t rows = reduce_ceil_div(count, s.lanes);
    int64_t few = reduce_ceil_div(rows, REDUCE_WAVE_CHUNKS), many = reduce_ceil_div(rows, REDUCE_MAX_CHUNKS);
    int64_t longest = many > REDUCE_LONG_ROWS ? many : REDUCE_LONG_ROWS;
    int64_t chunk_rows = few < longest ? few : longest;
    chunk_rows = chunk_rows > REDUCE_LEAST_ROWS ? chunk_rows : REDUCE_LEAST_ROWS;
    s.chunk = chunk_rows * s.lanes;
    s.chunks = (int32_t)reduce_ceil_div(count, s.chunk);
    return s;
}

// The result of a chunk, or of several chunks that have met. The value is widened as in mco_reduce_value. It is not yet
// rounded or made canonical. 16 bytes; arrays of them are aligned to 16 bytes.
typedef struct reduce_partial {
    union {
        int64_t i;
        uint64_t u;
        double f;
    };
    union {
        int64_t index;  // argmin, argmax
        double rest;    // compensated sums: the part of the sum that rounding has taken from f
    };
} reduce_partial;

#endif
