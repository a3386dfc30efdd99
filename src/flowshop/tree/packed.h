// SPDX-License-Identifier: MIT
// Intervals as bytes: a copy of what is left that takes a tenth of the memory of the list and grows without moving.
#ifndef MCO_FLOWSHOP_TREE_PACKED_H
#define MCO_FLOWSHOP_TREE_PACKED_H

#include "flowshop/tree/bytes.h"

typedef struct flowshop_packed {
    int64_t count;          // intervals
    int64_t bytes;          // that they take
    flowshop_bytes *blocks; // [block_room]; the first block_count hold the intervals, and none lies in two blocks
    int64_t block_count, block_room;
} flowshop_packed;

// Adds the paths of an interval, without its bound. Errors: MEMORY; then nothing has changed.
mco_status flowshop_packed_add(mco_context *ctx, flowshop_packed *p, const flowshop_interval *v);
// Forgets the intervals and keeps the memory.
void flowshop_packed_empty(flowshop_packed *p);
void flowshop_packed_clear(mco_context *ctx, flowshop_packed *p);

// A place in the packed intervals; zeros are its begin.
typedef struct flowshop_packed_place {
    int64_t block, at;
} flowshop_packed_place;

// The next interval, into `v`, which has room for paths of `jobs` digits. False at the end.
bool flowshop_packed_next(const flowshop_packed *p, int32_t jobs, flowshop_packed_place *place, flowshop_interval *v);

#endif
