// SPDX-License-Identifier: MIT
// Labelling: partial routes with load, memory, states of RANK1 cuts and, where the problem has it, length; dominance; completion bounds.
// It prices with RANK1 cuts, prices where dense tables are too large (ng sets up to 32, large capacities, a limit of length), removes
// arcs and enumerates elementary routes.
#ifndef MCO_VRP_BOUND_LABELS_H
#define MCO_VRP_BOUND_LABELS_H

#include "vrp/bound/prices.h"
#include "vrp/bound/relax/ng.h"

typedef struct vrp_label_task {
    const vrp_bound_problem *problem;
    const int32_t *arcs;          // [nodes * stride] at the prices (vrp_prices_arcs)
    const vrp_cuts *cuts;         // RANK1 rows with a price < 0 count; NULL: none
    const vrp_ng_sets *sets;
    const vrp_ng_pass *tables;    // dense tables of a run on the same arcs: exact completion bounds; NULL: none, then q tables below
    const vrp_ng_sets *table_sets; // those of `tables`, each a part of the same set in `sets`; NULL: `sets` themselves
    const vrp_q_pass *q_tables;   // the same by q-paths, for elementary routes without `tables`; NULL: none
    int32_t below;                // routes of a value below this are wanted; at most VRP_NO_PATH
    int64_t most_routes;          // that are handed out
    int64_t most_labels;          // and most routes before equal sets fold, of which 4 most_routes are the most as well; else the end is
                                  // VRP_LABELS_LIMIT
    bool is_elementary;           // enumerate: no customer twice, dominance only between labels of the same set of customers
    bool is_quick;                // one label a node and load: finds routes, no proof that there are none; `least` is a bound of the tables
    bool is_one_way;              // forward labels alone: slower, the reference of the tests
    int32_t threads;              // at least 1; what is found does not depend on it
    double stop_s;
} vrp_label_task;

typedef enum vrp_labels_end { VRP_LABELS_DONE, VRP_LABELS_LIMIT, VRP_LABELS_STOPPED } vrp_labels_end;

typedef struct vrp_labels_result {
    vrp_labels_end end;
    // With DONE: no route has a value below this; min(task->below, least value of all routes). Else a lower bound of that, from the
    // tables and from labels that have not grown; VRP_NO_PATH: not even that is known. In elementary mode it holds for those routes
    // that are the cheapest of their customers.
    int32_t least;
    int64_t labels;               // made
    double seconds;
} vrp_labels_result;

// Bidirectional: forward labels up to half the load, backward ones for the rest (with a symmetric problem the same labels), joined at
// arcs. Routes are appended to `routes`, the best and most different first; with is_elementary all of them, and of routes with equal
// customers only the cheapest. Errors: MEMORY (of bookkeeping; running out of labels is an end).
mco_status vrp_label(mco_context *ctx, const vrp_label_task *task, vrp_routes *routes, vrp_labels_result *result);

// For each arc a lower bound of the value of all routes that use it, at these prices, and at most task->below where labels are DONE:
// value [nodes * stride]. Labels that end early leave bounds of the loads alone, or of nothing: -VRP_NO_PATH. result->least is a bound of
// all routes. Errors: as above.
mco_status vrp_label_arc_values(mco_context *ctx, const vrp_label_task *task, int32_t *value, vrp_labels_result *result);

#endif
