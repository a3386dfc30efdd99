// SPDX-License-Identifier: MIT
#include "vrp/bound/recheck_arcs.h"

#include "vrp/bound/recheck_labels.h"

enum { MOST_TAILS = 1000000 };

// ---- By tables

// The ways of at most `load` from i to the depot that do not come to j again, as far as memories tell.
static int64_t way(const vrp_recheck *t, int64_t load, int32_t i, int32_t j)
{
    uint32_t set = vrp_recheck_known(t->sets, t->bits, i);
    for (int32_t b = 0; b < t->sets->size[i] - 1 && b < t->bits; b++)
        if (t->sets->neighbour[(int64_t)i * VRP_NG_MOST + b] == j)
            set &= ~((uint32_t)1 << b);
    return t->cell[((load * t->nodes + i) << t->bits) + set];
}

static int64_t least_through(const vrp_recheck *t, int32_t i, int32_t j)
{
    const int64_t arc = t->arc[(int64_t)i * t->nodes + j];
    int64_t least = VRP_RECHECK_NONE;
    if (i == 0)
        return arc + way(t, t->capacity, j, 0);
    for (int64_t load = t->demand[i]; load <= t->capacity - t->demand[j]; load++) {
        const int64_t value = way(t, load, i, j) + way(t, t->capacity - load, j, i) + arc;
        least = value < least ? value : least;
    }
    return least;
}

int64_t vrp_recheck_remove_arcs(vrp_recheck *t, int64_t limit)
{
    int64_t count = 0;
    for (int32_t i = 0; i < t->nodes && t->vrp->is_symmetric && !vrp_recheck_is_over(t); i++)
        for (int32_t j = i + 1; j < t->nodes; j++)
            if (t->arc[(int64_t)i * t->nodes + j] < VRP_RECHECK_ABSENT / 2 && least_through(t, i, j) >= limit) {
                t->arc[(int64_t)i * t->nodes + j] = t->arc[(int64_t)j * t->nodes + i] = VRP_RECHECK_ABSENT;
                count++;
            }
    return count;
}

// ---- By tails

bool vrp_recheck_has_tails(const vrp_recheck *t)
{
    return t->vrp->is_symmetric && vrp_recheck_has_rank1(t->cuts);
}

mco_status vrp_recheck_remove_by_tails(vrp_recheck *t, int64_t limit)
{
    mco_status st = MCO_OK;
    const vrp_recheck_labels task = vrp_recheck_task(t);
    vrp_recheck_tails tails = {0};
    bool is_done;
    int64_t kept = 0;
    if (!vrp_recheck_has_tails(t))
        return MCO_OK;
    MCO_TRY(vrp_recheck_tails_open(t->ctx, &task, limit, MOST_TAILS, &tails, &is_done));
    for (int32_t i = 0; i < t->nodes && is_done; i++)
        for (int32_t j = i + 1; j < t->nodes && !vrp_recheck_is_over(t); j++) {
            int64_t *there = &t->arc[(int64_t)i * t->nodes + j], *back = &t->arc[(int64_t)j * t->nodes + i];
            if (*there < VRP_RECHECK_ABSENT / 2 && !vrp_recheck_has_route(&tails, &task, i, j, limit))
                *there = *back = VRP_RECHECK_ABSENT;
            kept += *there < VRP_RECHECK_ABSENT / 2;
        }
    if (is_done)
        mco_log(t->ctx, MCO_LOG_DETAIL, "recheck: %lld edge%s may be in a better plan", (long long)kept, mco_plural(kept));
done:
    vrp_recheck_tails_close(t->ctx, &tails);
    return st;
}
