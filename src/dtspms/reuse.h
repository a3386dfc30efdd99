// SPDX-License-Identifier: MIT
// Lower bounds for all exchanges of three of a plan, from few dynamic programs that many of them share (dtspms/reuse.c), so
// that the cpu engine evaluates only those that may be the best.
#ifndef MCO_DTSPMS_REUSE_H
#define MCO_DTSPMS_REUSE_H

#include "base/simd.h"
#include "dtspms/model.h"

// ---- The vector part (dtspms/reuse_lanes.c)

enum { DTSPMS_REUSE_MOST_LANES = 64 };

typedef struct dtspms_reuse_variant {
    mco_build build;  // bits: 16 or 32
    int lanes;
    // Bytes of the memory of run; as double: may be huge.
    double (*bytes)(const dtspms_model *model, const int32_t *heights);
    // One network of the plan without position `removed`; in lane l < count, position replaced[l] holds the node of `removed`
    // instead of its own. lengths[l * orders + r] receives the length of the best tour where position r holds the node of
    // replaced[l] instead of its own, r neither of the two. `memory` is aligned to 64.
    void (*run)(void *memory, const dtspms_model *model, const dtspms_plan *plan, int network, int32_t removed,
                const int32_t *replaced, int32_t count, int32_t *lengths);
} dtspms_reuse_variant;

// ---- Bounds

typedef struct dtspms_reuse {
    const dtspms_model *model;
    const dtspms_plan *plan;
    dtspms_reuse_variant variant;
    int64_t moves;
    int32_t split;       // positions of the first part
    int32_t *detour[2];  // [nodes] the least that an order makes a tour longer, between any two other nodes
    int32_t *bounds;     // [moves]; none of the exchanges costs less
    int64_t *least;      // [orders] the move of the least bound of each item, lowest index first; -1 where an item has none
} dtspms_reuse;

// Bytes of a dtspms_reuse with a list of all moves, and of the memory of each worker; as double: may be huge.
double dtspms_reuse_bytes(const dtspms_model *model);
double dtspms_reuse_worker_bytes(const dtspms_reuse_variant *variant, const dtspms_model *model, const int32_t *heights);
// Errors: MEMORY. O(orders^3).
mco_status dtspms_reuse_make(mco_context *ctx, const dtspms_model *model, const dtspms_plan *plan,
                             const dtspms_reuse_variant *variant, dtspms_reuse *out);
void dtspms_reuse_clear(mco_context *ctx, dtspms_reuse *reuse);
// Writes the bounds of item 0..orders - 1, its share of the moves; `memory` [dtspms_reuse_worker_bytes()], aligned to 64.
// Returns the relaxations made.
int64_t dtspms_reuse_item(dtspms_reuse *reuse, void *memory, int32_t item);

#endif
