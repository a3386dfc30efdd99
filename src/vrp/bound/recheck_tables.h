// SPDX-License-Identifier: MIT
// What the rechecks share: loads, arcs at prices, and tables of q-paths or ng-paths, in 64 bits and plain loops. It shares no code with
// the passes.
#ifndef MCO_VRP_BOUND_RECHECK_TABLES_H
#define MCO_VRP_BOUND_RECHECK_TABLES_H

#include "vrp/bound/claims.h"
#include "vrp/bound/relax/ng.h"

// A table has at least this value where no path is. An arc that is left out costs ABSENT: paths of up to 2^15 of them stay below NONE.
static const int64_t VRP_RECHECK_NONE = INT64_MAX / 4, VRP_RECHECK_ABSENT = (int64_t)1 << 45;

typedef struct vrp_recheck {
    mco_context *ctx;
    const mco_vrp *vrp;
    double unit;          // of costs and prices
    vrp_fleet fleet;
    const int32_t *price;
    const vrp_cuts *cuts;
    const vrp_ng_sets *sets;  // NULL: q-paths
    int32_t most_bits;    // of a set in the tables; 0: all
    double stop_s;
    const vrp_claims *claims;  // NULL: rows hold for all plans
    int64_t part;         // of these claims: rows may hold for it alone
    const bool *removed;  // [nodes * nodes] arcs that are left out; NULL: none
    // Set by vrp_recheck_open():
    int32_t nodes;
    int64_t capacity;
    int64_t *demand;      // [nodes] as in vrp/bound/problem.h
    int64_t *arc;         // [nodes * nodes] cost - half of both prices - prices of crossed sets
    int64_t *least;       // [(capacity + 1) * nodes] of the paths of a load to a node, of all kinds
    int64_t *second;      // q: the same, of those that come from another node than the least one
    int32_t *before;      // q: the node before, of the least one
    int64_t *cell;        // ng: [(capacity + 1) * nodes << bits] least value with a memory inside the set
    bool *is_near;        // ng: [nodes * nodes]
    int32_t bits;         // of the largest set of the tables, the node itself not counted; they know the first members of larger sets
} vrp_recheck;

// The neighbours of a node that tables know, as a set of bits.
static inline uint32_t vrp_recheck_known(const vrp_ng_sets *sets, int32_t bits, int32_t node)
{
    const int32_t own = sets->size[node] - 1;
    return ((uint32_t)1 << (own < bits ? own : bits)) - 1;
}

// Whether a row of RANK1 has a price. It costs routes by their whole sequence, which tables do not see.
static inline bool vrp_recheck_has_rank1(const vrp_cuts *cuts)
{
    for (int64_t k = 0; cuts != NULL && k < cuts->count; k++)
        if (cuts->cut[k].kind == VRP_CUT_RANK1 && cuts->cut[k].price != 0)
            return true;
    return false;
}

// Errors: CHECK (an odd price, a price of a row with a wrong sign, a row that not every plan of the part obeys).
mco_status vrp_recheck_rows(const vrp_recheck *c);
// Sets loads and opens tables. *has_room false: they would exceed VRP_RECHECK_BYTES; nothing is open then but the loads. Errors: MEMORY.
mco_status vrp_recheck_open(vrp_recheck *c, bool *has_room);
void vrp_recheck_close(vrp_recheck *c);
bool vrp_recheck_is_over(const vrp_recheck *c);
// Fills `arc` from prices and cuts. It ends early when stop_s is over; whoever fills tables from them sees that too. O(nodes^2 (1 + SET rows)).
void vrp_recheck_arcs(vrp_recheck *c);
// Fills the tables from `arc`. *is_done false: stop_s is over, or the call is cancelled. O(nodes^2 capacity), with sets also
// O(near pairs * 2^(size - 1) * capacity).
void vrp_recheck_fill(vrp_recheck *c, bool *is_done);
// With sets: fills `cell` for ways from a node to the depot of at most a load, the node's own included (recheck_labels.h). The other tables
// hold those of the transposed arcs then. *is_done false: as above, then `arc` is void.
void vrp_recheck_complete(vrp_recheck *c, bool *is_done);

#endif
