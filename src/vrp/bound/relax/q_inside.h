// SPDX-License-Identifier: MIT
// Inside of a pass over q-paths: what q.c, the engines and the through-q-routes share.
//
// An engine computes the tables of one direction or of both. The reference (q_ref.c) writes them down as the recursion says.
// The cores (q_cpu.c) and a GPU keep them in an order of their own, so all others ask for cells and columns.
#ifndef MCO_VRP_BOUND_RELAX_Q_INSIDE_H
#define MCO_VRP_BOUND_RELAX_Q_INSIDE_H

#include "vrp/bound/relax/twin.h"

// One cell: f, p, g and the node before i of the path of g. VRP_NO_PATH has the node -1.
typedef struct vrp_q_cell {
    int32_t value, before, second, second_before;
} vrp_q_cell;

// One node by load beyond its demand: [capacity - demand + 1] each. g has no node here: a join needs none.
typedef struct vrp_q_column {
    int32_t *value, *before, *second;
} vrp_q_column;

typedef struct vrp_q_engine {
    // Bytes that open() and run() take for the tables.
    double (*bytes)(const vrp_bound_problem *problem, const vrp_relax_settings *settings);
    // Sets pass->own. Errors: MEMORY, DEVICE. close() also releases what a failed open() left.
    mco_status (*open)(mco_context *ctx, vrp_q_pass *pass);
    void (*close)(mco_context *ctx, vrp_q_pass *pass);
    // As vrp_q_run().
    mco_status (*run)(mco_context *ctx, vrp_q_pass *pass, const int32_t *arcs, double stop_s);
    // Of the last run. 0 <= load <= capacity, 1 <= node < nodes. `backward` only with an asymmetric problem.
    vrp_q_cell (*cell)(const vrp_q_pass *pass, bool backward, int32_t load, int32_t node);
    void (*column)(const vrp_q_pass *pass, bool backward, int32_t node, const vrp_q_column *out);
    // As vrp_through_ratios() without routes, and vrp_through_table(); value and load, or table, may be NULL. *is_done false: it cannot,
    // and has done nothing. NULL: the cores do it. Errors: MEMORY, STOPPED, DEVICE.
    mco_status (*through)(mco_context *ctx, const vrp_q_pass *pass, int32_t *value, int32_t *load, int32_t *table, double stop_s,
                          bool *is_done);
} vrp_q_engine;

struct vrp_q_pass {
    const vrp_bound_problem *problem;  // borrowed
    vrp_relax_settings settings;
    const vrp_q_engine *engine;
    vrp_direction direction;
    vrp_twin twin;
    vrp_q_pass *back;   // the twin, which has the backward tables; owned; NULL: none
    void *own;          // the engine's
    int32_t *home;      // [nodes] the arcs (i, 0) of the last run
    int32_t *room;      // [3 * room_stride] a column
    int32_t room_stride;
    const mco_context *ctx;  // of the last run, and when it had to end: what reads all cells ends then as well
    double stop_s;
};

// vrp_q_open() chooses among them. The last one is there in builds with GPU engines.
extern const vrp_q_engine VRP_Q_REFERENCE, VRP_Q_CPU, VRP_Q_GPU;

// Values of arcs and of paths lie inside (-VRP_NO_PATH / 2, VRP_NO_PATH / 2). Else all engines refuse with this.
mco_status vrp_q_refuse_value(mco_context *ctx, const char *what, int64_t value);

static inline bool vrp_q_fits(int64_t value)
{
    return value > -VRP_NO_PATH / 2 && value < VRP_NO_PATH / 2;
}

// Whether a run must end now. Any thread may ask.
static inline bool vrp_q_is_over(const mco_context *ctx, double stop_s)
{
    return vrp_bound_is_over(ctx, stop_s);
}

static inline vrp_q_cell vrp_q_cell_of(const vrp_q_pass *pass, bool backward, int32_t load, int32_t node)
{
    return backward && pass->back != NULL ? pass->engine->cell(pass->back, false, load, node) : pass->engine->cell(pass, backward, load, node);
}

static inline void vrp_q_column_of(const vrp_q_pass *pass, bool backward, int32_t node, const vrp_q_column *out)
{
    pass->engine->column(backward && pass->back != NULL ? pass->back : pass, backward && pass->back == NULL, node, out);
}

// Appends the nodes of a path backwards from (load, node) to node[*count...]: `node` first, unless `skips_it`. is_second: it begins
// with the path of g. `node` has room for capacity / least_demand nodes.
void vrp_q_trace(const vrp_q_pass *pass, bool backward, int32_t load, int32_t node, bool is_second, bool skips_it, int32_t *out,
                 int32_t *count);

#endif
