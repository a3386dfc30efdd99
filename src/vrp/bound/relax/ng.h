// SPDX-License-Identifier: MIT
// ng-paths (Baldacci, Mingozzi, Roberti 2011) with closed memories.
//
// Each customer i has a set N(i) of up to `size` customers, itself included: the nearest ones, ties by index. A path's memory at
// its end i is the set of visited customers that lie in N of every customer visited after them, and i. No path visits a customer
// of its memory. F(q, i, M), M a subset of N(i) with i in M, is the least value of a path from the depot to i of load exactly q
// whose memory lies inside M. So F falls as M grows, and F(q, i, N(i)) is over all ng-paths.
//
// Dense tables hold F for all 2^(size - 1) sets up to size 8; bit b of M stands for the b-th nearest customer, without i itself.
// Larger sets, or tables beyond the memory, take labels.
#ifndef MCO_VRP_BOUND_RELAX_NG_H
#define MCO_VRP_BOUND_RELAX_NG_H

#include "vrp/bound/relax/q.h"

enum { VRP_NG_MOST = 32, VRP_NG_DENSE = 8 };

// Neighbour sets. They may grow (dynamic ng sets).
typedef struct vrp_ng_sets {
    int32_t nodes;
    int32_t *size;      // [nodes] of N(i), i included: 1..VRP_NG_MOST
    int32_t *neighbour; // [nodes * VRP_NG_MOST] those without i; the first size[i] - 1
} vrp_ng_sets;
mco_status vrp_ng_sets_open(mco_context *ctx, const vrp_bound_problem *problem, int32_t size, vrp_ng_sets *out);
void vrp_ng_sets_close(mco_context *ctx, vrp_ng_sets *sets);

typedef struct vrp_ng_pass vrp_ng_pass;

// Copies the sets. Errors: MEMORY, LIMIT (names the bytes), DEVICE.
mco_status vrp_ng_open(mco_context *ctx, const vrp_bound_problem *problem, const vrp_ng_sets *sets,
                       const vrp_relax_settings *settings, vrp_ng_pass **out);
void vrp_ng_close(mco_context *ctx, vrp_ng_pass **pass);
// As vrp_q_run(). Values are exact: differences of memories that leave 16 bits make the pass take 32 bits.
mco_status vrp_ng_run(mco_context *ctx, vrp_ng_pass *pass, const int32_t *arcs, double stop_s);

int32_t vrp_ng_least_route(const vrp_ng_pass *pass);
mco_status vrp_ng_routes(mco_context *ctx, const vrp_ng_pass *pass, int32_t below, int32_t most, vrp_routes *routes);
// F(load, node, memory); memory: bits over neighbour[], without the node itself. VRP_NO_PATH where there is none.
int32_t vrp_ng_value(const vrp_ng_pass *pass, bool backward, int32_t load, int32_t node, uint32_t memory);
// min over loads l <= load of F(l, node, memory): the completion bounds of labels. out [(capacity + 1) * sets], row by load, for one
// node, where sets = 1 << (size[node] - 1) with dense tables. Errors: LIMIT (the pass has no dense tables).
mco_status vrp_ng_completion(mco_context *ctx, const vrp_ng_pass *pass, bool backward, int32_t node, int32_t *out);

#endif
