// SPDX-License-Identifier: MIT
// What the engines of an ng pass share: near pairs, arcs, the base table, and the functions that differ.
//
// The base table has F(q, i, N(i)) for each load and customer. All engines leave it on the host, so routes are traced from it:
// a far predecessor is found in a row of the base table, a near one by vrp_ng_engine.value().
#ifndef MCO_VRP_BOUND_RELAX_NG_PASS_H
#define MCO_VRP_BOUND_RELAX_NG_PASS_H

#include "vrp/bound/relax/ng.h"
#include "vrp/bound/relax/twin.h"

// An absent arc inside a pass. Values of paths lie between -VRP_NO_PATH / 2 and VRP_NO_PATH / 2, so a sum with it, even of
// VRP_NO_PATH, lies in VRP_NO_PATH / 2 .. INT32_MAX, where no value of a path is.
enum { VRP_NG_APART = 1 << 30, VRP_NG_SIDES = 2 };

// Kinds of pairs, so that engines treat alike what costs alike. The upper half of a table of 2^7 sets has bit VRP_NG_TOP_BIT.
// DEEP_FROM: entries of both halves of `from` are read, else of one of them. DEEP_TO: both halves of `to` differ.
enum { VRP_NG_TOP_BIT = 6, VRP_NG_DEEP_FROM = 1, VRP_NG_DEEP_TO = 2 };

// A near pair: a path to `to` comes from `from`.
typedef struct vrp_ng_pair {
    int32_t from, to;
    int32_t bit;   // of `from` in sets of `to`, or -1
    int32_t back;  // of `to` in sets of `from`, or -1
    int32_t kind;  // VRP_NG_DEEP_FROM, VRP_NG_DEEP_TO
} vrp_ng_pair;

// Paths from the depot, or of the transposed arcs.
typedef struct vrp_ng_side {
    int32_t *far;    // [nodes * stride] row k: arc(i, k) of the customers i far from k, VRP_NG_APART for all others; NULL on a device
    int32_t *near;   // [pairs] arc(from, to) of near pairs, or VRP_NG_APART; NULL on a device
    int32_t *first;  // [nodes] arc(0, i), or VRP_NG_APART
    int32_t *last;   // [nodes] arc(i, 0), or VRP_NG_APART
    int32_t *base;   // [(capacity + 1) * stride] row by load; VRP_NO_PATH where there is no path
} vrp_ng_side;

enum { VRP_NG_PATHS = 512, VRP_NG_PATH_NODES = 1 << 22 };  // that trace() takes at most, unless one path needs more

// A path that ends at `node` with `load` and the least value there. trace() sets begin: its customers are path[begin] ..
// path[capacity / least_demand - 1], in order of visit.
typedef struct vrp_ng_ending {
    int32_t node, load, begin;
} vrp_ng_ending;

// `own` of a pass belongs to the engine. All functions are called by the thread that calls the pass.
typedef struct vrp_ng_engine {
    // Errors: MEMORY, LIMIT, DEVICE. close() follows in any case.
    mco_status (*open)(mco_context *ctx, vrp_ng_pass *pass);
    void (*close)(mco_context *ctx, vrp_ng_pass *pass);
    // Fills base of each side, and what value() reads. Arcs of the sides are set. Errors: as vrp_ng_run().
    mco_status (*run)(mco_context *ctx, vrp_ng_pass *pass, const int32_t *arcs, double stop_s);
    int32_t (*value)(const vrp_ng_pass *pass, int side, int32_t load, int32_t node, uint32_t memory);
    bool has_tables;
    // For a device, else false and NULL. open() sets base of each side, close() releases them. fetch(): vrp_ng_fetch(). trace(): the
    // paths of ending [count], path [count * (capacity / least_demand)]. Errors: MEMORY, STOPPED, DEVICE.
    bool is_device;
    mco_status (*fetch)(mco_context *ctx, const vrp_ng_pass *pass);
    mco_status (*trace)(mco_context *ctx, const vrp_ng_pass *pass, vrp_ng_ending *ending, int32_t count, int32_t *path);
} vrp_ng_engine;

struct vrp_ng_pass {
    const vrp_bound_problem *problem;
    const vrp_ng_engine *engine;
    vrp_relax_settings settings;
    vrp_ng_sets sets;
    int32_t largest;             // of the sizes of the sets
    int sides;                   // that it computes: 1, or 2 with an asymmetric problem
    vrp_direction direction;
    vrp_twin twin;
    vrp_ng_pass *back;           // the twin, whose first side is the backward one; owned; NULL: none
    int32_t pairs;
    int32_t *first_pair;         // [nodes + 1] the pairs to k are first_pair[k] .. first_pair[k + 1] - 1, by kind, then by `from`
    vrp_ng_pair *pair;           // [pairs]
    vrp_ng_side side[VRP_NG_SIDES];
    int32_t grain;               // of the arcs, and so of all values here
    int32_t *coarse;             // [nodes * stride] the arcs, divided by it; NULL: not yet
    const mco_context *ctx;      // of the last run, and when it had to end: what reads all cells ends then as well
    double stop_s;
    void *own;
};

// The last one is there in builds with GPU engines.
extern const vrp_ng_engine vrp_ng_reference, vrp_ng_cores, vrp_ng_gpu;

// NULL: this build has no such engine.
const vrp_ng_engine *vrp_ng_engine_of(mco_engine engine);

// The memory of the pair's `from` that a path may have which goes on to `to` and has there a memory inside `memory`.
uint32_t vrp_ng_memory_before(const vrp_ng_sets *sets, int32_t from, int32_t to, uint32_t memory);
// The entry of `from` that entry m of `to` reads in tables of `sets`; bits beyond the sets are ignored in m, and set in the entry.
uint16_t vrp_ng_entry(const vrp_ng_pass *pass, const vrp_ng_pair *pair, int32_t sets, uint32_t m);
// Finds the near pairs. Errors: MEMORY.
mco_status vrp_ng_find_pairs(mco_context *ctx, vrp_ng_pass *pass);
// Sets the arcs of all sides.
void vrp_ng_set_arcs(vrp_ng_pass *pass, const int32_t *arcs);
// Errors: LIMIT (the value of some path might leave -VRP_NO_PATH / 2 .. VRP_NO_PATH / 2). least, greatest: of the arcs that are there,
// and 0. An engine of a device calls the second one in run(), others leave the first one to vrp_ng_run().
mco_status vrp_ng_check_range(mco_context *ctx, const vrp_ng_pass *pass, const int32_t *arcs);
mco_status vrp_ng_check_values(mco_context *ctx, const vrp_bound_problem *p, int32_t least, int32_t greatest);

// How many paths trace() takes at once.
static inline int32_t vrp_ng_paths(const vrp_bound_problem *p)
{
    const int32_t longest = p->capacity / p->least_demand, room = VRP_NG_PATH_NODES / (longest > 0 ? longest : 1);
    return room < 1 ? 1 : room < VRP_NG_PATHS ? room : VRP_NG_PATHS;
}

static inline bool vrp_ng_is_path(int32_t value)
{
    return value < VRP_NO_PATH / 2;
}

#endif
