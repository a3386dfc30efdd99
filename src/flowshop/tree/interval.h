// SPDX-License-Identifier: MIT
// Work units: intervals of leaves in the factorial number system (Mezmaz, Melab, Talbi 2007).
//
// The children of a node are numbered 0, 1, ... by increasing job among its free jobs, so a path
// from the root is a vector of digits, digit d below n - d. A node is written by its path; its number
// is that of its first leaf (the path with zeros appended). An interval [A, B) holds the nodes that a
// depth-first search meets from node A on, up to and without node B. Written this way, a position
// also says which ancestors of A with the same number are behind it: those with a shorter path.
#ifndef MCO_FLOWSHOP_TREE_INTERVAL_H
#define MCO_FLOWSHOP_TREE_INTERVAL_H

#include "base/context.h"

// Columns of the count of nodes by surviving children: the last one counts that many or more.
static inline int32_t flowshop_children_columns(int32_t jobs)
{
    enum { MOST = 256 };  // a row of 2 kB; beyond, whole tables would cost more than they tell
    return (jobs < MOST ? jobs : MOST) + 1;
}

typedef struct flowshop_interval {
    int32_t a_depth, b_depth;  // digits of A and of B; b_depth 0 = the end of the tree
    int32_t *a, *b;            // [n] each; room for the longest path
    int64_t bound;             // no leaf inside is shorter
} flowshop_interval;

// A list of intervals of one tree.
typedef struct flowshop_intervals {
    int32_t jobs;
    int64_t count, room;
    flowshop_interval *items;  // [room], of them `count` in the list; all have their arrays
    int32_t *digits;           // [room * 2 * jobs] what the items point into
} flowshop_intervals;

mco_status flowshop_interval_create(mco_context *ctx, int32_t jobs, flowshop_interval *out);
void flowshop_interval_destroy(mco_context *ctx, flowshop_interval *interval);
void flowshop_interval_copy(const flowshop_interval *from, flowshop_interval *to);

// Makes room for that many, those in the list included; never less than there is. Pointers to items end.
// Errors: MEMORY.
mco_status flowshop_intervals_reserve(mco_context *ctx, flowshop_intervals *list, int64_t room);
// The next item, to be filled; there is room for it. Allocates nothing: worker threads may call it.
flowshop_interval *flowshop_intervals_push(flowshop_intervals *list);
// Appends a copy; the list grows. Errors: MEMORY.
mco_status flowshop_intervals_add(mco_context *ctx, flowshop_intervals *list, const flowshop_interval *interval);
void flowshop_intervals_clear(mco_context *ctx, flowshop_intervals *list);

// Cuts zeros at the end of a path: the shallowest node with the same number.
int32_t flowshop_path_trim(const int32_t *digits, int32_t depth);
// -1, 0, 1 as the number of path `a` is below, at or above that of `b`.
int flowshop_path_compare(const int32_t *a, int32_t a_depth, const int32_t *b, int32_t b_depth);

// Reads "A,B": digits with dots between; an empty A is the begin, an empty B the end of the tree.
// Errors: ARGUMENT, with the digit and its range, or when A is not below B.
mco_status flowshop_interval_parse(mco_context *ctx, const char *text, int32_t jobs, flowshop_interval *out);

#endif
