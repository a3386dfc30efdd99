// SPDX-License-Identifier: MIT
// All-or-nothing: all trips on least-cost paths at given costs. A loader is a table of functions. load_hierarchy.c sweeps over a hierarchy of
// `paths`, 16 rows at a time; load_lanes.c relaxes links for 8 rows at a time and suits networks that are no road networks.
//
// Amounts are integers in the loader: multiples of a power of two, so small that the sum of all trips has 61 bits. Sums of integers do not depend
// on their order. So flows are equal for any number of threads, and trees with ties are fixed by rules of their own.
#ifndef MCO_TRAFFIC_FRANK_WOLFE_LOAD_H
#define MCO_TRAFFIC_FRANK_WOLFE_LOAD_H

#include <stdatomic.h>

#include "base/ranks.h"
#include "base/team.h"
#include "traffic/engine.h"

typedef struct traffic_loader {
    void *self;
    // Flows [classes][links] at costs [classes][links]; one array of costs where the problem has no extra. *least: no flows have a smaller
    // total cost at these costs. Errors: STOPPED (the run must stop; flows are then of no use), MEMORY, LIMIT, INTERNAL.
    // The first load has the grace of the call.
    mco_status (*load)(void *self, const double *cost, double *flow, double *least);
    // Gives labels of all rows at the costs of the certificate to it, also after a load that was stopped. It takes about as long as a load, and
    // has the grace of the call. Rows are left out only where that ends, or if the call is cancelled. Errors: MEMORY, INTERNAL.
    mco_status (*prove)(void *self, traffic_certificate *certificate);
    // What it did: seconds of paths and of loading, summed over the threads. NULL: not wanted.
    void (*tell)(void *self, double *paths_s, double *loading_s);
    void (*close)(void *self);
    mco_simd simd;
    int32_t threads, lane_bits;
} traffic_loader;

// The hierarchy, or lanes where it would have too many arcs; the log says which and why. Errors: LIMIT, STOPPED, MEMORY.
mco_status traffic_loader_open(mco_context *ctx, const traffic_call *call, traffic_loader *out);
mco_status traffic_loader_open_lanes(mco_context *ctx, const traffic_call *call, traffic_loader *out);
// Errors: LIMIT also where the hierarchy has so many arcs that lanes are faster.
mco_status traffic_loader_open_hierarchy(mco_context *ctx, const traffic_call *call, traffic_loader *out);
void traffic_loader_close(traffic_loader *loader);

// ---- What both loaders use (load.c)

// Amounts [trips] as integers, and the number of cars that 1 stands for.
typedef struct traffic_amounts {
    int64_t *whole;  // [trips]
    double unit;
} traffic_amounts;
mco_status traffic_amounts_make(mco_context *ctx, const traffic_problem *problem, traffic_amounts *out);
void traffic_amounts_clear(mco_context *ctx, traffic_amounts *amounts);

// First in what workers share: the calling thread asks the run and sets the flag.
typedef struct traffic_stopper {
    const traffic_call *call;
    bool has_grace;  // until flows are loaded, and while a gap is proved
    atomic_bool is_set;
} traffic_stopper;
double traffic_stopper_watch(void *shared);

// ---- Several ranks: each takes every ranks-th item of a job, with equal answers on all. One rank alone keeps what it has.

// Items of this rank, and the item that is its k-th.
static inline int64_t traffic_own_items(const mco_context *ctx, int64_t items)
{
    return (items - mco_rank(ctx) + mco_rank_count(ctx) - 1) / mco_rank_count(ctx);
}
static inline int64_t traffic_own_item(const mco_context *ctx, int64_t k)
{
    return k * mco_rank_count(ctx) + mco_rank(ctx);
}
// Behind a job: whether a rank was stopped, and the greatest of what each has [2]. Errors: those of other ranks.
mco_status traffic_settle_job(mco_context *ctx, traffic_stopper *stopper, int64_t greatest[2]);
// Adds what all ranks have in values [count]: each value is on one rank, and 0 on the others. Errors: those of other ranks.
mco_status traffic_join_values(mco_context *ctx, double *values, int64_t count);
// The rows of a certificate that one rank has proved are proved on all. Errors: MEMORY, those of other ranks. O(rows).
mco_status traffic_join_proofs(mco_context *ctx, traffic_certificate *certificate);

#endif
