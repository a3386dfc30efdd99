// SPDX-License-Identifier: MIT
// Orders of nodes by least cost from an origin, and groups of near rows.
#ifndef MCO_TRAFFIC_FRANK_WOLFE_ORDER_H
#define MCO_TRAFFIC_FRANK_WOLFE_ORDER_H

#include "base/context.h"
#include "traffic/model/problem.h"

typedef struct traffic_search_item {
    double key;
    int32_t node;
} traffic_search_item;

// Scratch of a search. Labels are infinite between two searches.
typedef struct traffic_search {
    double *label;              // [nodes]
    int32_t *settled;           // [nodes] in the order of their labels
    int32_t *labelled;          // [labels] nodes that have one
    int32_t labels;
    traffic_search_item *heap;  // [links + 1]
} traffic_search;
mco_status traffic_search_open(mco_context *ctx, const traffic_problem *problem, traffic_search *out);
void traffic_search_close(mco_context *ctx, traffic_search *search);
// Dijkstra's algorithm with a binary heap (1959) at costs [links]; returns how many nodes are settled. Their labels stay until traffic_search_forget(). O(links log links).
// `is_over` may end the search after a node; NULL: nothing does.
int32_t traffic_search_tree(const traffic_problem *problem, const double *cost, int32_t origin, bool (*is_over)(void *user, int32_t node),
                            void *user, traffic_search *search);
void traffic_search_forget(traffic_search *search);

// Sorts rows [count] of one class into groups of `size` near origins; the last group may be smaller. The first row that is left and those nearest to it
// make a group. Errors: MEMORY. O(count / size) searches that end when they have found a group.
mco_status traffic_near_rows(mco_context *ctx, const traffic_problem *problem, const double *cost, int32_t size, int32_t count, int32_t *row,
                             traffic_search *search);

#endif
