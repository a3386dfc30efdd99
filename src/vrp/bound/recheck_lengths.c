// SPDX-License-Identifier: MIT
#include "vrp/bound/recheck_lengths.h"

enum { STEPS = 1000 };

static int64_t most_arcs(const vrp_recheck *t)
{
    int64_t least = INT64_MAX;
    for (int32_t i = 1; i < t->nodes; i++)
        least = t->demand[i] < least ? t->demand[i] : least;
    const int64_t arcs = t->capacity / least + 1;
    return arcs < t->nodes ? arcs : t->nodes;
}

static int64_t steps_of(const vrp_recheck *t, const vrp_recheck_lengths *l, int32_t i, int32_t j)
{
    return ((int64_t)vrp_distance(t->vrp, i, j) + (j > 0 ? vrp_service(t->vrp, j) : 0)) / l->step + 1;
}

// The best two ways on from k, to different nodes, of exactly or at most `row` steps.
static void extend(const vrp_recheck *t, vrp_recheck_lengths *l, int64_t row, int32_t k)
{
    const int64_t at = row * t->nodes + k;
    l->way[at] = l->second[at] = VRP_RECHECK_NONE;
    l->next[at] = -1;
    for (int32_t j = 0; j < t->nodes; j++) {
        const int64_t arc = t->arc[(int64_t)k * t->nodes + j], left = j != k ? row - steps_of(t, l, k, j) : -1;
        if (left < 0 || arc >= VRP_RECHECK_ABSENT / 2)
            continue;
        const int64_t to = left * t->nodes + j;
        const int64_t on = j == 0 ? 0 : l->next[to] == k ? l->second[to] : l->way[to];
        if (on >= VRP_RECHECK_NONE)
            continue;
        if (on + arc < l->way[at]) {
            l->second[at] = l->way[at];
            l->way[at] = on + arc;
            l->next[at] = j;
        } else if (on + arc < l->second[at]) {
            l->second[at] = on + arc;
        }
    }
}

mco_status vrp_recheck_lengths_open(const vrp_recheck *t, vrp_recheck_lengths *out, bool *is_done)
{
    mco_status st = MCO_OK;
    vrp_recheck_lengths l = {0};
    *is_done = true;
    *out = l;
    if (!vrp_has_max_length(t->vrp))
        return MCO_OK;
    l.step = t->vrp->max_length / STEPS + 1;
    l.rows = t->vrp->max_length / l.step + most_arcs(t) + 1;
    MCO_TRY(mco_alloc(t->ctx, &l.way, l.rows * t->nodes));
    MCO_TRY(mco_alloc(t->ctx, &l.second, l.rows * t->nodes));
    MCO_TRY(mco_alloc(t->ctx, &l.next, l.rows * t->nodes));
    for (int64_t row = 0; row < l.rows && *is_done; row++) {
        *is_done = !vrp_recheck_is_over(t);
        for (int32_t k = 1; k < t->nodes; k++)
            extend(t, &l, row, k);
    }
    *out = l;
    return MCO_OK;
done:
    vrp_recheck_lengths_close(t->ctx, &l);
    return st;
}

void vrp_recheck_lengths_close(mco_context *ctx, vrp_recheck_lengths *lengths)
{
    mco_free(ctx, &lengths->way);
    mco_free(ctx, &lengths->second);
    mco_free(ctx, &lengths->next);
    *lengths = (vrp_recheck_lengths){0};
}
