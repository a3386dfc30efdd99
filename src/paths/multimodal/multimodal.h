// SPDX-License-Identifier: MIT
// The inside of multi-modal networks and of automata.
#ifndef MCO_PATHS_MULTIMODAL_MULTIMODAL_H
#define MCO_PATHS_MULTIMODAL_MULTIMODAL_H

#include "base/run.h"
#include "mco/multimodal.h"
#include "paths/multimodal/function.h"

struct mco_multimodal {
    int32_t vertices, labels, functions;
    int64_t arcs;
    int64_t *first;         // [vertices + 1]
    mm_arc *arc;            // [arcs]
    char **label_name;      // [labels] one block
    mm_function *function;  // [functions]
    mm_point *point;        // [points]
    int64_t points;
    int32_t *drop;          // [functions] PROFILE: the greatest decrease of the factor in a second, in 1/4096
    int32_t *longest;       // [functions] the most seconds of an arc that uses it
    double *x, *y;          // [vertices] or NULL
    mm_tables tables;       // the arrays above
};

struct mco_automaton {
    int32_t states, labels;
    uint32_t start, final;  // sets of states
    char **name;            // [states] one block
    uint32_t *next;         // [states * labels] set of states behind state q and label l: next[q * labels + l]
    int32_t *pace;          // [states] in 1/256
};

// Whether every profile is first in, first out at this pace: seconds * pace * drop <= 2^20, so that no second later saves more than a
// second. Errors: ARGUMENT with the function and the value.
mco_status mm_test_fifo(mco_context *ctx, const mco_multimodal *network, int32_t pace, const char *whose);

// The most seconds from the begin to the end of an arc, its wait included, at the slowest pace of the automaton. All sums of function.h
// fit their types below MCO_MULTIMODAL_NONE. Errors: LIMIT (that many seconds or more). O(functions + points).
mco_status mm_longest_arc(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton, int32_t *longest);

// Dijkstra's algorithm on the product with a binary heap: the oracle. label [vertices * states]; a target ends it at its first final
// label. Errors: MEMORY, LIMIT.
mco_status mm_ref_tree(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton,
                       const mco_multimodal_query *query, int32_t *label);
// The same as a part of a run, which ends it within 4096 pairs and arcs: *is_whole is false then. NULL: no run.
mco_status mm_ref_search(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton,
                         const mco_multimodal_query *query, mco_run *run, int32_t *label, bool *is_whole);

// mco_multimodal_check() of labels that the library found; with a target, of those up to the arrival there. Errors: INTERNAL, MEMORY.
mco_status mm_certify_labels(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton,
                             const mco_multimodal_query *query, const int32_t *label);

// The steps of a journey to the query's target that arrives at `arrival`, from labels that are exact up to it. The caller frees
// *step [*steps]. Errors: INTERNAL (no such journey), MEMORY. O(pairs and arcs up to the arrival).
mco_status mm_journey(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton,
                      const mco_multimodal_query *query, const int32_t *label, int32_t arrival, mco_multimodal_step **step,
                      int64_t *steps);

#endif
