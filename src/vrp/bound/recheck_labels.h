// SPDX-License-Identifier: MIT
// The recheck's labels: the least value of an ng-route when RANK1 rows have prices.
#ifndef MCO_VRP_BOUND_RECHECK_LABELS_H
#define MCO_VRP_BOUND_RECHECK_LABELS_H

#include "vrp/bound/prices.h"
#include "vrp/bound/relax/ng.h"

typedef struct vrp_recheck_labels {
    int32_t nodes, bits;         // bits: neighbours in the largest set
    int64_t capacity;
    const int64_t *demand;       // [nodes]
    const int64_t *arc;          // [nodes * nodes] without RANK1 rows
    const int64_t *completion;   // [(capacity + 1) * nodes << bits] least value of a way from the node to the depot, of at most this load, the
                                 // node's own included, whose memory, seen from the depot, lies inside the set
    const vrp_ng_sets *sets;
    const vrp_cuts *cuts;        // rows of RANK1 with a price < 0 count
    double stop_s;
} vrp_recheck_labels;

// *least: the least value of a route, or 2^40 where all are dearer. *is_done false: stop_s was over, or the labels were
// too many. Errors: MEMORY.
mco_status vrp_recheck_least(mco_context *ctx, const vrp_recheck_labels *task, int64_t *least, bool *is_done);

#endif
