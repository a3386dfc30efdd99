// SPDX-License-Identifier: MIT
// The recheck's ways home by the length that is left, where the length of routes is limited.
#ifndef MCO_VRP_BOUND_RECHECK_LENGTHS_H
#define MCO_VRP_BOUND_RECHECK_LENGTHS_H

#include "vrp/bound/recheck_tables.h"

// Lengths count in steps, rounded down, and one step more for each arc; so a way of `arcs` arcs and a length has at most length / step + arcs
// steps.
typedef struct vrp_recheck_lengths {
    int64_t step, rows;    // rows 0: no limit of length
    int64_t *way;          // [rows * nodes] least value of a way to the depot of at most so many steps, without loops i-j-i
    int64_t *second;       // the same, of those that go on to another node than the least one
    int32_t *next;         // where the least one goes on to
} vrp_recheck_lengths;

// From the tables' arcs. *is_done false: stop_s is over. O(nodes^2 rows). Errors: MEMORY.
mco_status vrp_recheck_lengths_open(const vrp_recheck *t, vrp_recheck_lengths *out, bool *is_done);
void vrp_recheck_lengths_close(mco_context *ctx, vrp_recheck_lengths *lengths);

// The least value of a way from k to the depot that does not go to `from` next, with this length and at most so many arcs left.
static inline int64_t vrp_recheck_way(const vrp_recheck_lengths *l, int32_t nodes, int32_t k, int32_t from, int64_t length, int64_t arcs)
{
    const int64_t steps = length / l->step + arcs, at = (steps < l->rows ? steps : l->rows - 1) * nodes + k;
    return l->next[at] == from && from > 0 ? l->second[at] : l->way[at];
}

#endif
