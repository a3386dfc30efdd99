// SPDX-License-Identifier: MIT
// Lower bounds for all 3-exchanges of a plan, from a few dynamic programs that many exchanges share (dtspms/reuse.c).
// With them the cpu engine evaluates only the exchanges that may be the best.
#ifndef MCO_DTSPMS_REUSE_H
#define MCO_DTSPMS_REUSE_H

#include "base/simd.h"
#include "dtspms/model.h"

// ---- The vector part (dtspms/reuse_lanes.c)

enum { DTSPMS_REUSE_MOST_LANES = 64 };

typedef struct dtspms_reuse_variant {
    mco_build build;  // bits: 16 or 32
    int lanes;
    // Bytes of memory that run() needs; a double, since they may be huge.
    double (*bytes)(const dtspms_model *model, const int32_t *heights);
    // Evaluates one network of the plan without position `removed`. In lane l < count, position replaced[l] holds the
    // node of `removed`. lengths[l * orders + r] receives the length of the best tour if position r then holds the node
    // of replaced[l]. It means nothing where r is `removed` or replaced[l]. `memory` is aligned to 64 bytes. If time is over
    // (dtspms_is_over()), run() returns early, and no length means anything.
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
    int32_t *detour[2];  // [nodes] the least length that an order adds to a tour, between any two other nodes
    int32_t *bounds;     // [moves] lower bounds on the costs of the exchanges
    int64_t *least;      // [orders] each item's move of least bound, the lowest index among equals; -1 without moves
} dtspms_reuse;

// Bytes of a dtspms_reuse and a list of all moves; bytes of memory for each worker. Doubles, since they may be huge.
double dtspms_reuse_bytes(const dtspms_model *model);
double dtspms_reuse_worker_bytes(const dtspms_reuse_variant *variant, const dtspms_model *model, const int32_t *heights);
// Computes the detours and makes room for the bounds; incomplete if time is over. model and plan are borrowed. Errors: MEMORY.
// O(orders^3).
mco_status dtspms_reuse_make(mco_context *ctx, const dtspms_model *model, const dtspms_plan *plan,
                             const dtspms_reuse_variant *variant, dtspms_reuse *out);
void dtspms_reuse_clear(mco_context *ctx, dtspms_reuse *reuse);
// Writes the bounds of the moves that belong to item 0..orders - 1. `memory` [dtspms_reuse_worker_bytes()] is aligned
// to 64 bytes. Returns the number of relaxations. If time is over, it returns early, and no bound means anything.
int64_t dtspms_reuse_item(dtspms_reuse *reuse, void *memory, int32_t item);

#endif
