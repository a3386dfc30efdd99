// SPDX-License-Identifier: MIT
// Units of work: intervals of the tree in the factorial number system (Mezmaz, Melab, Talbi 2007).
//
// The children of a node are numbered 0, 1, ... by increasing job among its free jobs. So a path from the root is a
// vector of digits, and digit d is below n - d. A path denotes a node. The number of a node is that of its first leaf
// (its path with zeros appended). An interval [A, B) holds the nodes that a depth-first search meets from node A on, up
// to B but without B. An ancestor of A can have the same number as A. Its path is shorter, and the interval does not
// hold it: the search has already met it.
#ifndef MCO_FLOWSHOP_TREE_INTERVAL_H
#define MCO_FLOWSHOP_TREE_INTERVAL_H

#include "base/context.h"

// Columns of the table that counts nodes by surviving children. The last column counts that many or more.
static inline int32_t flowshop_children_columns(int32_t jobs)
{
    enum { MOST = 256 };  // a row takes 2 kB; wider rows would cost more than they tell
    return (jobs < MOST ? jobs : MOST) + 1;
}

typedef struct flowshop_interval {
    int32_t a_depth, b_depth;  // numbers of digits of A and of B; b_depth 0: B is the end of the tree
    int32_t *a, *b;            // [n] each: room for the longest path
    int64_t bound;             // no schedule inside is shorter
} flowshop_interval;

// A list of intervals of one tree.
typedef struct flowshop_intervals {
    int32_t jobs;
    int64_t count, room;
    flowshop_interval *items;  // [room], all with their arrays; the first `count` are in the list
    int32_t *digits;           // [room * 2 * jobs] the items point into it
} flowshop_intervals;

mco_status flowshop_interval_create(mco_context *ctx, int32_t jobs, flowshop_interval *out);
void flowshop_interval_destroy(mco_context *ctx, flowshop_interval *interval);
void flowshop_interval_copy(const flowshop_interval *from, flowshop_interval *to);

// Makes room for `room` intervals in all; never shrinks. Pointers to items become invalid. Errors: MEMORY.
mco_status flowshop_intervals_reserve(mco_context *ctx, flowshop_intervals *list, int64_t room);
// Adds an item and returns it for the caller to fill. There must be room for it. Allocates nothing, so that worker
// threads may call it.
flowshop_interval *flowshop_intervals_push(flowshop_intervals *list);
// Appends a copy of `interval`; the list grows as needed. Errors: MEMORY.
mco_status flowshop_intervals_add(mco_context *ctx, flowshop_intervals *list, const flowshop_interval *interval);
void flowshop_intervals_clear(mco_context *ctx, flowshop_intervals *list);

// The depth of the shallowest node with the same number: the path without the zeros at its end.
int32_t flowshop_path_trim(const int32_t *digits, int32_t depth);
// -1, 0 or 1 if the number of path `a` is below, equal to or above that of `b`.
int flowshop_path_compare(const int32_t *a, int32_t a_depth, const int32_t *b, int32_t b_depth);

// -1, 0 or 1 if a depth-first search meets node `a` before node `b`, both are the same node, or after it. It meets a node
// before the nodes below it, also below its first child, which has the same number.
int flowshop_node_compare(const int32_t *a, int32_t a_depth, const int32_t *b, int32_t b_depth);
// Puts the intervals in depth-first order of their first nodes. O(k log k) comparisons of paths.
void flowshop_intervals_sort(flowshop_intervals *list);
// Takes the intervals `given` out of `list`: together with them, what is left holds exactly the nodes of before. Each
// piece that is left keeps the bound of its interval. Sorts both lists; intervals of one list do not overlap. *is_inside
// is false if some given interval does not lie inside one interval of `list`; then only the order of `list` changes.
// Errors: MEMORY.
mco_status flowshop_intervals_subtract(mco_context *ctx, flowshop_intervals *list, flowshop_intervals *given,
                                       bool *is_inside);

// Reads "A,B": two paths of digits with dots between them. An empty A is the beginning of the tree, an empty B its end.
// Errors: ARGUMENT for a digit out of its range (the message has both), or when A is not below B.
mco_status flowshop_interval_parse(mco_context *ctx, const char *text, int32_t jobs, flowshop_interval *out);

#endif
