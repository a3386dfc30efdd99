// SPDX-License-Identifier: MIT
// The assignment problem over a network's nodes, with no node assigned to itself. It is solved row by row along
// shortest augmenting paths (Kuhn 1955; Jonker, Volgenant 1987). A tour leaves and enters each node once, so an
// assignment is a relaxation of the closed tour. It is strong where distances are asymmetric.
#include "base/clock.h"
#include "dtspms/bound.h"

static const int64_t FAR = (int64_t)1 << 46;  // greater than any reduced length, since tours are below 2^30

typedef struct assignment {
    const int32_t *distance;  // [nodes * nodes]
    int32_t nodes;
    int64_t *dual;     // [2 * nodes] of rows, then of columns; their sum is the bound
    int64_t *slack;    // [nodes + 1] of columns; a new row starts at column `nodes`
    int32_t *row;      // [nodes + 1] row matched to each column; -1 if none
    int32_t *previous; // [nodes + 1] column on the alternating path
    bool *is_reached;  // [nodes + 1]
} assignment;

// Grows the tree of shortest alternating paths by its nearest column. Returns that column.
static int32_t grow(assignment *a, int32_t column)
{
    const int32_t n = a->nodes, row = a->row[column];
    int64_t delta = INT64_MAX;
    int32_t nearest = -1;
    a->is_reached[column] = true;
    for (int32_t j = 0; j < n; j++) {
        if (a->is_reached[j])
            continue;
        const int64_t reduced = a->distance[(int64_t)row * n + j] - a->dual[row] - a->dual[n + j];
        if (j != row && reduced < a->slack[j]) {
            a->slack[j] = reduced;
            a->previous[j] = column;
        }
        if (nearest < 0 || a->slack[j] < delta) {
            delta = a->slack[j];
            nearest = j;
        }
    }
    for (int32_t j = 0; j <= n; j++)
        if (a->is_reached[j]) {
            a->dual[a->row[j]] += delta;
            if (j < n)
                a->dual[n + j] -= delta;
        } else {
            a->slack[j] -= delta;
        }
    return nearest;
}

static bool is_late(mco_context *ctx, double stop_s, int64_t *left, int64_t work)
{
    enum { LOOK = 1 << 20 };  // distances between two looks at the clock: about a millisecond
    *left -= work;
    if (*left > 0)
        return false;
    *left = LOOK;
    return mco_clock_s() >= stop_s || mco_is_cancelled(ctx);
}

// The duals are feasible at all times. They begin as the length of the shortest edge out of each node, or as 0 if time is over.
mco_status dtspms_bound_assignment(mco_context *ctx, const int32_t *distance, int32_t nodes, double stop_s, int64_t *dual,
                                   int64_t *bound)
{
    mco_status st = MCO_OK;
    const int32_t n = nodes;
    int64_t left = 0;
    bool is_over = false;
    assignment a = {.distance = distance, .nodes = n, .dual = dual};
    MCO_TRY(mco_alloc(ctx, &a.slack, n + 1));
    MCO_TRY(mco_alloc(ctx, &a.row, n + 1));
    MCO_TRY(mco_alloc(ctx, &a.previous, n + 1));
    MCO_TRY(mco_alloc(ctx, &a.is_reached, n + 1));
    for (int32_t i = 0; i < n; i++) {
        a.row[i] = -1;
        is_over = is_over || (i > 0 && is_late(ctx, stop_s, &left, n));
        dual[i] = is_over ? 0 : INT32_MAX;
        for (int32_t j = 0; j < n && !is_over; j++)
            if (i != j && distance[(int64_t)i * n + j] < dual[i])
                dual[i] = distance[(int64_t)i * n + j];
    }
    left = 0;
    for (int32_t i = 0; i < n && !is_over && !is_late(ctx, stop_s, &left, n); i++) {
        int32_t column = n;
        a.row[n] = i;
        for (int32_t j = 0; j <= n; j++) {
            a.slack[j] = FAR;
            a.is_reached[j] = false;
        }
        do {
            column = grow(&a, column);
            is_over = is_late(ctx, stop_s, &left, n);
        } while (a.row[column] >= 0 && !is_over);
        if (is_over)
            break;
        for (; column != n; column = a.previous[column])
            a.row[column] = a.row[a.previous[column]];
    }
    *bound = 0;
    for (int32_t i = 0; i < 2 * n; i++)
        *bound += dual[i];
done:
    mco_free(ctx, &a.is_reached);
    mco_free(ctx, &a.previous);
    mco_free(ctx, &a.row);
    mco_free(ctx, &a.slack);
    return st;
}
