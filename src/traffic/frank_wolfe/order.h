// SPDX-License-Identifier: MIT
// Orders of nodes: by least cost from an origin, and one in which near nodes follow each other.
#ifndef MCO_TRAFFIC_FRANK_WOLFE_ORDER_H
#define MCO_TRAFFIC_FRANK_WOLFE_ORDER_H

#include "base/context.h"
#include "traffic/problem.h"

typedef struct traffic_search_item {
    double key;
    int32_t node;
} traffic_search_item;

// Scratch of a search.
typedef struct traffic_search {
    double *label;              // [nodes]
    int32_t *before;            // [nodes] the node before in the tree, -1: none
    int32_t *settled;           // [nodes] in the order of their labels
    traffic_search_item *heap;  // [links + 1]
} traffic_search;
mco_status traffic_search_open(mco_context *ctx, const traffic_problem *problem, traffic_search *out);
void traffic_search_close(mco_context *ctx, traffic_search *search);
// Dijkstra's algorithm with a binary heap (1959) at costs [links]; returns how many nodes are settled. O(links log links).
int32_t traffic_search_tree(const traffic_problem *problem, const double *cost, int32_t origin, traffic_search *search);

// place [nodes]: near nodes have near places. The preorder of a tree from `origin`: a subtree is a range. Errors: MEMORY.
mco_status traffic_near_places(mco_context *ctx, const traffic_problem *problem, const double *cost, int32_t origin, traffic_search *search,
                               int32_t *place);

#endif
