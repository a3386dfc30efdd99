// SPDX-License-Identifier: MIT
// ng-paths (Baldacci, Mingozzi, Roberti 2011) with closed memories.
//
// Each customer i has a set N(i) of up to `size` customers, itself included: the nearest ones, ties by index. A path's memory at
// its end i is the set of visited customers that lie in N of every customer visited after them, and i. No path visits a customer
// of its memory. F(q, i, M), M a subset of N(i) with i in M, is the least value of a path from the depot to i of load exactly q
// whose memory lies inside M. So F falls as M grows, and F(q, i, N(i)) is over all ng-paths.
//
// A path to k that comes from i obeys F(q, k, M) = min over i of arc(i, k) + F(q - demand(k), i, A): i lies in M or outside N(k),
// and A holds all of N(i) but k and but the customers of N(k) that M lacks. So A = N(i) if neither lies in the other's set and the
// sets share no customer: such an i is far from k, else near.
//
// Dense tables hold F for all 2^(size - 1) sets; bit b of M stands for the b-th of `neighbour`, which has not i itself. They are
// made for sizes up to VRP_NG_DENSE and work, more slowly, up to VRP_NG_TABLES. Larger sets, or tables beyond the memory, take
// labels.
#ifndef MCO_VRP_BOUND_RELAX_NG_H
#define MCO_VRP_BOUND_RELAX_NG_H

#include "vrp/bound/relax/q.h"

enum { VRP_NG_MOST = 32, VRP_NG_DENSE = 8, VRP_NG_TABLES = 14 };

// Neighbour sets. They may grow (dynamic ng sets).
typedef struct vrp_ng_sets {
    int32_t nodes;
    int32_t *size;      // [nodes] of N(i), i included: 1..VRP_NG_MOST
    int32_t *neighbour; // [nodes * VRP_NG_MOST] those without i; the first size[i] - 1, in no order once sets have grown
} vrp_ng_sets;
// The `size` nearest by cost, ties by index; of an asymmetric problem by the sum of both ways. All others where there are fewer.
// O(nodes^2 + nodes size^2 log nodes). Errors: MEMORY, ARGUMENT (a size outside 1..VRP_NG_MOST), STOPPED (cancelled).
mco_status vrp_ng_sets_open(mco_context *ctx, const vrp_bound_problem *problem, int32_t size, vrp_ng_sets *out);
void vrp_ng_sets_close(mco_context *ctx, vrp_ng_sets *sets);
mco_status vrp_ng_sets_copy(mco_context *ctx, const vrp_ng_sets *from, vrp_ng_sets *to);
// The bit of `customer` in sets of `node`, or -1.
int32_t vrp_ng_sets_bit(const vrp_ng_sets *sets, int32_t node, int32_t customer);
// Adds a customer to N(node). Returns whether it was added: it is not the node, not yet there, and size[node] < most.
bool vrp_ng_sets_add(vrp_ng_sets *sets, int32_t node, int32_t customer, int32_t most);

typedef struct vrp_ng_pass vrp_ng_pass;

// Copies the sets; borrows the problem. Errors: MEMORY, DEVICE, LIMIT: tables of (capacity + 1) nodes 2^(size - 1) differences of 2
// bytes, twice for an asymmetric problem, leave settings->memory (the message has both numbers), or sets beyond VRP_NG_TABLES. A GPU
// takes 4 bytes, but only for the loads that demands add up to.
mco_status vrp_ng_open(mco_context *ctx, const vrp_bound_problem *problem, const vrp_ng_sets *sets,
                       const vrp_relax_settings *settings, vrp_ng_pass **out);
void vrp_ng_close(mco_context *ctx, vrp_ng_pass **pass);
// The engine that computes it: that of the settings, or the cores.
mco_engine vrp_ng_engine_in_use(const vrp_ng_pass *pass);
// From now on runs take arcs in multiples of `grain`, a power of two, rounded down; also of an open pass. All values stay in units of the
// arcs: they are exact where the arcs are such multiples, else lower bounds. So differences of memories fit 16 bits. A device has 32 bits
// in any case, so its grain stays 1.
void vrp_ng_coarsen(vrp_ng_pass *pass, int32_t grain);
int32_t vrp_ng_grain(const vrp_ng_pass *pass);
// Computes the tables from arcs [nodes * stride]; of a symmetric problem they are symmetric. Those of an asymmetric problem are
// also those of the transposed arcs: paths from i to the depot. Values are exact with a grain of 1: differences of memories that leave 16 bits
// make the pass take 32 bits. O(nodes^2 capacity + near pairs 2^(size - 1) capacity). Ends at stop_s or a cancellation with
// STOPPED, then the tables are void. Errors: LIMIT (values that might leave 32 bits; tables of 32 bits beyond the memory), STOPPED,
// MEMORY, DEVICE.
mco_status vrp_ng_run(mco_context *ctx, vrp_ng_pass *pass, const int32_t *arcs, double stop_s);

// The least value of an ng-route, VRP_NO_PATH where there is none, -VRP_NO_PATH when the stop_s of the run is over: no route is below that.
int32_t vrp_ng_least_route(const vrp_ng_pass *pass);
// Adds up to `most` new routes of value < `below` to `routes`, costs by problem->cost: the best load of each last node first, by
// value, then the second of each, and so on. Ties between predecessors: the smallest index. Errors: MEMORY,
// STOPPED (of the run: some routes are missing).
mco_status vrp_ng_routes(mco_context *ctx, const vrp_ng_pass *pass, int32_t below, int32_t most, vrp_routes *routes);
// Brings the tables to the host; passes on cores have them there. After a run on a GPU, vrp_ng_value() of a memory other than the
// whole set needs it. The base values, the least route and routes do not. Errors: MEMORY, STOPPED (of the run), DEVICE.
mco_status vrp_ng_fetch(mco_context *ctx, const vrp_ng_pass *pass);
// F(load, node, memory); memory: bits over neighbour[], without the node itself. VRP_NO_PATH where there is none. `backward` only
// with an asymmetric problem.
int32_t vrp_ng_value(const vrp_ng_pass *pass, bool backward, int32_t load, int32_t node, uint32_t memory);
// min over loads l <= load of F(l, node, memory): the completion bounds of labels. out [(capacity + 1) * sets], row by load, for
// one node, where sets = 1 << (size[node] - 1) with dense tables. O(capacity sets). Errors: LIMIT (the pass has no dense tables),
// STOPPED (of the run), as vrp_ng_fetch().
mco_status vrp_ng_completion(mco_context *ctx, const vrp_ng_pass *pass, bool backward, int32_t node, int32_t *out);

#endif
