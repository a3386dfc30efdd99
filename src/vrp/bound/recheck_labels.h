// SPDX-License-Identifier: MIT
// The recheck's labels: the least value of an ng-route when RANK1 rows have prices.
#ifndef MCO_VRP_BOUND_RECHECK_LABELS_H
#define MCO_VRP_BOUND_RECHECK_LABELS_H

#include "vrp/bound/recheck_tables.h"

typedef struct vrp_recheck_labels {
    int32_t nodes, bits;         // bits: neighbours that `completion` knows, at most
    int64_t capacity;
    const int64_t *demand;       // [nodes]
    const int64_t *arc;          // [nodes * nodes] without RANK1 rows
    const int64_t *completion;   // [(capacity + 1) * nodes << bits] least value of a way from the node to the depot, of at most this load, the
                                 // node's own included, whose memory, seen from the depot, lies inside the set
    const vrp_ng_sets *sets;
    const vrp_cuts *cuts;        // rows of RANK1 with a price < 0 count
    double stop_s;
} vrp_recheck_labels;

// Of complete tables with sets.
static inline vrp_recheck_labels vrp_recheck_task(const vrp_recheck *t)
{
    return (vrp_recheck_labels){.nodes = t->nodes, .bits = t->bits, .capacity = t->capacity, .demand = t->demand, .arc = t->arc,
                                .completion = t->cell, .sets = t->sets, .cuts = t->cuts, .stop_s = t->stop_s};
}

// *least: the least value of a route, or 2^40 where all are dearer. *is_done false: stop_s was over, or the labels were
// too many. Errors: MEMORY.
mco_status vrp_recheck_least(mco_context *ctx, const vrp_recheck_labels *task, int64_t *least, bool *is_done);

// ---- Tails: ways home that pay for RANK1 rows, which tables leave out. Symmetric arcs only: then a path from the depot, turned, is a way home.

typedef struct vrp_recheck_tail {
    int64_t value, load;   // with its first node
    uint32_t memory;       // of neighbours of its first node
    int32_t index;         // of its states
} vrp_recheck_tail;

typedef struct vrp_recheck_tails {
    int64_t *first;        // [nodes + 1] into `tail`; NULL: there are none
    vrp_recheck_tail *tail;  // of each node, by value
    int32_t rows;
    const vrp_cut **row;   // [rows] RANK1 with a price, in the order of the cuts
    uint8_t *state;        // [labels * rows]
    int32_t bits;
    int8_t *moved;         // [nodes * nodes * bits] the bit at the second node of a neighbour of the first one; -1: none
} vrp_recheck_tails;

// A path that would go on.
typedef struct vrp_recheck_head {
    int64_t left;          // capacity less its load
    const uint8_t *state;  // [rows] of its rows
    const int32_t *active; // [actives] rows whose state is not 0
    int32_t actives;
} vrp_recheck_head;

// For each way home of a route below `limit` there is a tail as good. *is_done false: more than `most` labels, rows beyond states of a
// byte, or stop_s is over; then there are no tails. Errors: MEMORY.
mco_status vrp_recheck_tails_open(mco_context *ctx, const vrp_recheck_labels *task, int64_t limit, int64_t most, vrp_recheck_tails *out,
                                  bool *is_done);
void vrp_recheck_tails_close(mco_context *ctx, vrp_recheck_tails *tails);

// Whether a path of this value, the arc to k included, may become a route below the limit. free: the neighbours of k that it has not
// visited. O(tails of k).
bool vrp_recheck_reaches(const vrp_recheck_tails *tails, const vrp_recheck_head *head, int32_t k, int64_t value, uint32_t free, int64_t limit);

// Whether a route below the limit may go from i to j, or from j to i. O(tails of i * tails of j), rows each.
bool vrp_recheck_has_route(const vrp_recheck_tails *tails, const vrp_recheck_labels *task, int32_t i, int32_t j, int64_t limit);

#endif
