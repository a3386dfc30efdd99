// SPDX-License-Identifier: MIT
// What is behind mco_overlay, and the arithmetic that all engines share.
//
// Numbers. Uptimes, weights and duals are 32-bit integers in units of 2^-32; an uptime of 1 is 2^32 - 1. The weight of a product is
// its integer part in these units. So a reduced weight, max(w - d_j, 0), is a 32-bit integer again. Limits of a node's links sum up to
// less than 2^31, hence a sum of limits fits 32 bits, and a sum of limits times reduced weights fits 63.
#ifndef MCO_OVERLAY_INSTANCE_H
#define MCO_OVERLAY_INSTANCE_H

#include "base/context.h"
#include "mco/overlay.h"

enum { OVERLAY_NODE_PAD = 16 };  // arrays that vectors read have so many entries more, which are 0

struct mco_overlay {
    char *name;
    int32_t nodes;
    int64_t links;
    bool is_complete;      // all pairs; the arrays of the rows are NULL
    int64_t scale;         // bandwidths are in units of 1 / scale
    double weight_unit;    // weights are in units of 2^-32 of it
    uint32_t *uptime;      // [nodes], padded
    int32_t *bandwidth;    // [nodes]
    int32_t *cap;          // [nodes], padded: most of any link of the node: its bandwidth, and the limit of all links
    int32_t least, most;   // limits of all links; most: INT32_MAX where there is none
    // Rows: possible links of node i are first[i] .. first[i + 1] - 1, in no stated order; each link stands in two rows.
    int64_t *first;        // [nodes + 1]
    int32_t *to;           // [2 * links]
    uint32_t *weight;      // [2 * links]; NULL: products of uptimes
    int32_t *row_most;     // [2 * links]; NULL: the lesser of both caps
    int32_t *row_least;    // [2 * links]; NULL: `least`
    int64_t degree;        // most links of a node
    char **names;          // [nodes] NULL: numbers
};

// The weight of the link between uptimes p and q.
static inline MCO_HD uint32_t overlay_product(uint32_t p, uint32_t q)
{
    return (uint32_t)((uint64_t)p * q >> 32);
}

static inline MCO_HD uint32_t overlay_excess(uint32_t weight, uint32_t dual)
{
    return weight > dual ? weight - dual : 0;
}

// A sum of products in two words; enough for every instance.
typedef struct overlay_sum {
    uint64_t low, high;
} overlay_sum;

static inline MCO_HD void overlay_add(overlay_sum *sum, uint64_t value)
{
    sum->low += value;
    sum->high += sum->low < value;
}

static inline void overlay_add_sum(overlay_sum *sum, const overlay_sum *more)
{
    overlay_add(sum, more->low);
    sum->high += more->high;
}

// Weight and limit of entry k of row i: k counts the row's neighbours, which are all other nodes of a complete instance.
typedef struct overlay_link {
    int32_t node;
    uint32_t weight;
    int32_t most;
} overlay_link;

static inline int64_t overlay_row_size(const mco_overlay *o, int32_t i)
{
    return o->is_complete ? o->nodes - 1 : o->first[i + 1] - o->first[i];
}

static inline overlay_link overlay_entry(const mco_overlay *o, int32_t i, int64_t k)
{
    const int32_t j = o->is_complete ? (int32_t)k + (k >= i) : o->to[o->first[i] + k];
    const int32_t cap = o->cap[i] < o->cap[j] ? o->cap[i] : o->cap[j];
    return (overlay_link){
        .node = j,
        .weight = o->weight != NULL ? o->weight[o->first[i] + k] : overlay_product(o->uptime[i], o->uptime[j]),
        .most = o->row_most != NULL ? o->row_most[o->first[i] + k] : cap,
    };
}

// mco_overlay_create() of nodes with names, *names [nodes], which move into the instance; *names is NULL then. NULL: nodes have numbers.
mco_status overlay_create_named(mco_context *ctx, const char *name, const mco_overlay_data *data, char ***names, mco_overlay **out);
// An instance without its rows, which the caller fills where not all pairs are links. Errors: as mco_overlay_create().
mco_status overlay_new(mco_context *ctx, const char *name, const mco_overlay_data *data, mco_overlay **out);
// An uptime in [0, 1] in units.
uint32_t overlay_rounded_uptime(double p);
// Sets what follows from the rows. Errors: LIMIT (the links of a node may carry too much).
mco_status overlay_settle(mco_context *ctx, mco_overlay *o);

// The bound of a doubled sum (every link counted twice): a double that is not less than the optimum of the instance as it was given.
double overlay_bound_of(const mco_overlay *o, overlay_sum doubled);
// The checker of bounds, for nodes first .. end - 1 (check.c); and the bound of the sum over all nodes. `exact` may be NULL.
void overlay_check_rows(const mco_overlay *o, const uint32_t *duals, int64_t first, int64_t end, overlay_sum *sum);
double overlay_give_exact(const mco_overlay *o, overlay_sum sum, uint64_t exact[2]);
// The worth of a sum of weights times bandwidths.
double overlay_worth_of(const mco_overlay *o, overlay_sum sum);

#endif
