// SPDX-License-Identifier: MIT
// Rows beyond the customers: sets of customers that routes enter often enough, and rank-1 Chvatal-Gomory cuts of customers.
//
// A SET row counts the arcs of a route with exactly one end in the set: sum over the routes of crossings * x >= rhs, or <= rhs
// for a branch. The capacity cut of a set S has rhs = 2 ceil(demand(S) / capacity). Its price is taken off each such arc, so a
// pass needs to know nothing of it.
//
// A RANK1 row has a coefficient that depends on the whole route: floor(sum over members of numerator * visits / denominator), by memory.
// A route carries a state 0 <= s < denominator from 0. At a node outside the memory it becomes 0; at a member it grows by that
// member's numerator; whenever it reaches the denominator, that is taken off and the coefficient grows by 1 (Jepsen et al. 2008; Pecin
// et al. 2017, limited node memory). Members lie in the memory. Price <= 0: each time costs a route -price.
#ifndef MCO_VRP_BOUND_CUTS_H
#define MCO_VRP_BOUND_CUTS_H

#include "vrp/bound/problem.h"

enum { VRP_RANK1_MOST_MEMBERS = 5 };

typedef enum vrp_cut_kind { VRP_CUT_SET, VRP_CUT_RANK1 } vrp_cut_kind;
typedef enum vrp_cut_sense { VRP_CUT_AT_LEAST, VRP_CUT_AT_MOST } vrp_cut_sense;

typedef struct vrp_cut {
    vrp_cut_kind kind;
    vrp_cut_sense sense;  // RANK1: AT_MOST
    int64_t rhs;
    int32_t price;        // units; >= 0 with AT_LEAST, <= 0 with AT_MOST
    int32_t size;         // SET: customers of the set; RANK1: members, 1..VRP_RANK1_MOST_MEMBERS
    int32_t *node;        // [size] ascending, 1..customers; owned
    uint64_t *member;     // [words] bit of each of them
    uint64_t *memory;     // [words] RANK1 only; NULL means all customers
    int32_t numerator[VRP_RANK1_MOST_MEMBERS], denominator;  // RANK1 only; 0 < numerator[k] < denominator, of node[k]
    int32_t idle;         // rounds of the LP without a price; the owner's business
} vrp_cut;

typedef struct vrp_cuts {
    int32_t words;        // 64-bit words of a set of nodes: (nodes + 63) / 64
    int64_t count, room;
    vrp_cut *cut;         // [count]
} vrp_cuts;

void vrp_cuts_open(const vrp_bound_problem *problem, vrp_cuts *out);
void vrp_cuts_close(mco_context *ctx, vrp_cuts *cuts);
// Adds a row; copies node and numerator [size], memory [words] (NULL: all). Sets price 0. Errors: MEMORY, INTERNAL
// (a RANK1 row of too many members).
mco_status vrp_cuts_add_set(mco_context *ctx, vrp_cuts *cuts, const int32_t *node, int32_t size, vrp_cut_sense sense, int64_t rhs);
mco_status vrp_cuts_add_rank1(mco_context *ctx, vrp_cuts *cuts, const int32_t *node, int32_t size, const int32_t *numerator,
                              int32_t denominator, int64_t rhs, const uint64_t *memory);
void vrp_cuts_keep(mco_context *ctx, vrp_cuts *cuts, const bool *keep);
mco_status vrp_cuts_copy(mco_context *ctx, const vrp_cuts *from, vrp_cuts *to);
// The coefficient of a route in a row. O(count), RANK1 O(count).
int32_t vrp_cut_coefficient(const vrp_cut *cut, const int32_t *node, int32_t count);

static inline bool vrp_set_has(const uint64_t *set, int32_t node)
{
    return set[node >> 6] >> (node & 63) & 1;
}

// What a visit of the node adds to the state of a RANK1 row; 0: it is no member.
static inline int32_t vrp_cut_numerator(const vrp_cut *cut, int32_t node)
{
    for (int32_t k = 0; k < cut->size; k++)
        if (cut->node[k] == node)
            return cut->numerator[k];
    return 0;
}

#endif
