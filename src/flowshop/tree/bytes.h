// SPDX-License-Identifier: MIT
// Numbers and paths as bytes, in messages and in binary checkpoints. Numbers are varints (seven bits a byte, the lowest
// first), so processors may differ.
#ifndef MCO_FLOWSHOP_TREE_BYTES_H
#define MCO_FLOWSHOP_TREE_BYTES_H

#include "flowshop/tree/interval.h"

enum { FLOWSHOP_NUMBER_BYTES = 10 };  // the most that a number takes

// Bytes that grow.
typedef struct flowshop_bytes {
    uint8_t *data;
    int64_t count, room;
} flowshop_bytes;

// ---- Writing. The caller has made room.

static inline void flowshop_put(flowshop_bytes *b, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        b->data[b->count++] = (uint8_t)(value | 128);
    b->data[b->count++] = (uint8_t)value;
}

// Small negative numbers are short too: 0, -1, 1, -2, ... are 0, 1, 2, 3, ...
static inline void flowshop_put_signed(flowshop_bytes *b, int64_t value)
{
    flowshop_put(b, value < 0 ? ~((uint64_t)value << 1) : (uint64_t)value << 1);
}

static inline void flowshop_put_paths(flowshop_bytes *b, const flowshop_interval *v)
{
    flowshop_put(b, (uint64_t)v->a_depth);
    for (int32_t d = 0; d < v->a_depth; d++)
        flowshop_put(b, (uint64_t)v->a[d]);
    flowshop_put(b, (uint64_t)v->b_depth);
    for (int32_t d = 0; d < v->b_depth; d++)
        flowshop_put(b, (uint64_t)v->b[d]);
}

// The room that the paths of an interval need at most.
static inline int64_t flowshop_most_path_bytes(const flowshop_interval *v)
{
    return ((int64_t)v->a_depth + v->b_depth + 2) * FLOWSHOP_NUMBER_BYTES;
}

// ---- Reading. A reader that has failed gives zeros.

typedef struct flowshop_reader {
    const uint8_t *data;  // borrowed
    int64_t at, size;
    bool has_failed;
} flowshop_reader;

static inline uint64_t flowshop_take(flowshop_reader *r)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && r->at < r->size; shift += 7) {
        const uint8_t byte = r->data[r->at++];
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return r->has_failed ? 0 : value;
    }
    r->has_failed = true;
    return 0;
}

// A number in [low, high].
static inline int64_t flowshop_take_signed(flowshop_reader *r, int64_t low, int64_t high)
{
    const uint64_t raw = flowshop_take(r);
    const int64_t value = raw & 1 ? -(int64_t)(raw >> 1) - 1 : (int64_t)(raw >> 1);
    r->has_failed |= value < low || value > high;
    return r->has_failed ? 0 : value;
}

static inline void flowshop_take_path(flowshop_reader *r, int32_t jobs, int32_t *digits, int32_t *depth)
{
    const uint64_t count = flowshop_take(r);
    r->has_failed |= count > (uint64_t)jobs;
    for (int32_t d = 0; !r->has_failed && d < (int32_t)count; d++) {
        const uint64_t digit = flowshop_take(r);
        r->has_failed |= digit >= (uint64_t)(jobs - d);
        digits[d] = (int32_t)digit;
    }
    *depth = r->has_failed ? 0 : (int32_t)count;
}

// The paths of an interval of a tree of `jobs` jobs. Fails for digits out of their ranges.
static inline void flowshop_take_paths(flowshop_reader *r, int32_t jobs, flowshop_interval *v)
{
    flowshop_take_path(r, jobs, v->a, &v->a_depth);
    flowshop_take_path(r, jobs, v->b, &v->b_depth);
}

#endif
