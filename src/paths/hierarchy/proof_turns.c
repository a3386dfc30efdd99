// SPDX-License-Identifier: MIT
// Proves that the expansion of a network has its turns (proof.h). It reads the turns as they are given and makes no expansion.
//
// Where an arc b leads in the expansion is read off the row of its tail's entry. A walk of the network is then a walk of the expansion
// of the same length and the other way round, if the row behind every arc a has each arc b out of its head with the cost of the turn from a
// into b, but for forbidden ones, and an arc of weight 0 to the exit of the head.
#include <inttypes.h>

#include "paths/hierarchy/proof.h"

typedef struct turns_proof {
    mco_context *ctx;
    const mco_paths_hierarchy *hierarchy;
    const mco_paths_rows *rows, *expanded;
    int32_t *arrival;  // [arcs] where an arc leads in the expansion
} turns_proof;

static mco_status fail(const turns_proof *p, const char *what, int64_t at)
{
    return mco_fail(p->ctx, MCO_ERR_INTERNAL, "the proof of the turns fails: %s, at %" PRId64, what, at);
}

// The cost of a turn; -1: forbidden. Turns are sorted. O(log turns).
static int32_t turn_cost(const mco_paths_rows *rows, int64_t from, int64_t to)
{
    int64_t low = 0, high = rows->turn_count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const mco_paths_turn *t = &rows->turns[middle];
        if (t->from < from || (t->from == from && t->to < to))
            low = middle + 1;
        else
            high = middle;
    }
    const bool is_listed = low < rows->turn_count && rows->turns[low].from == from && rows->turns[low].to == to;
    return is_listed ? rows->turns[low].cost : 0;
}

// Whether row x of the expansion has the arcs out of v with their turns from arc a; a = -1: none. Without `is_known` it tells where arcs
// lead, else it must agree.
static bool is_row(const turns_proof *p, int32_t x, int32_t v, int64_t a, bool is_known)
{
    const mco_paths_hierarchy *h = p->hierarchy;
    const mco_paths_rows *rows = p->rows, *e = p->expanded;
    if (x < 0 || x >= e->vertices)
        return false;
    int64_t k = e->first[x];
    const int64_t end = e->first[x + 1];
    if (x != v) {
        if (k == end || e->head[k] != v || h->plain_arc[k] != -1 || h->turn_cost[k] != 0)
            return false;
        k++;
    }
    for (int64_t b = rows->first[v]; b < rows->first[v + 1]; b++) {
        const int32_t cost = a < 0 ? 0 : turn_cost(rows, a, b);
        if (cost < 0)
            continue;
        if (k == end || h->plain_arc[k] != b || h->turn_cost[k] != cost || (is_known && e->head[k] != p->arrival[b]))
            return false;
        p->arrival[b] = e->head[k++];
    }
    return k == end;
}

static mco_status test_rows(const turns_proof *p)
{
    mco_status st = MCO_OK;
    const mco_paths_rows *rows = p->rows, *e = p->expanded;
    if (e->first_through != rows->first_through)
        return fail(p, "another number of ends", e->first_through);
    for (int32_t v = 0; v < rows->vertices; v++) {
        const int32_t x = p->hierarchy->entry[v];
        MCO_TRY(mco_call_in_time(p->ctx, v));
        if (!is_row(p, x, v, -1, false) || (x != v && (v < rows->first_through || e->first[v] != e->first[v + 1])))
            return fail(p, "an entry has other arcs than its vertex", v);
    }
    for (int64_t a = 0; a < rows->arcs; a++) {
        const int32_t v = rows->head[a];
        MCO_TRY(mco_call_in_time(p->ctx, a));
        if (v < rows->first_through ? p->arrival[a] != v : !is_row(p, p->arrival[a], v, a, true))
            return fail(p, "other arcs follow an arc than its turns allow", a);
    }
done:
    return st;
}

mco_status paths_turns_prove(mco_context *ctx, const mco_paths_hierarchy *hierarchy)
{
    mco_status st = MCO_OK;
    turns_proof p = {.ctx = ctx, .hierarchy = hierarchy, .rows = &hierarchy->network->rows};
    if (hierarchy->expanded == NULL)
        return MCO_OK;
    p.expanded = &hierarchy->expanded->rows;
    MCO_TRY(mco_alloc(ctx, &p.arrival, p.rows->arcs));
    MCO_TRY(test_rows(&p));
done:
    mco_free(ctx, &p.arrival);
    return st;
}

mco_status paths_turn_weights_prove(mco_context *ctx, const mco_paths_hierarchy *hierarchy)
{
    mco_status st = MCO_OK;
    const mco_paths_rows *rows = &hierarchy->network->rows, *e = hierarchy->expanded != NULL ? &hierarchy->expanded->rows : NULL;
    for (int64_t k = 0; e != NULL && k < e->arcs; k++) {
        MCO_TRY(mco_call_in_time(ctx, k));
        const int64_t plain = hierarchy->plain_arc[k];
        const int64_t sum = plain < 0 ? 0 : (int64_t)rows->weight[plain] + hierarchy->turn_cost[k];
        if (e->weight[k] != (sum < MCO_PATHS_NONE ? sum : MCO_PATHS_NONE))
            return mco_fail(ctx, MCO_ERR_INTERNAL, "the proof of the turns fails: a weight is no sum of an arc and a turn, at %" PRId64, k);
    }
done:
    return st;
}
