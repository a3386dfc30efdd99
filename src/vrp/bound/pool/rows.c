// SPDX-License-Identifier: MIT
// Fewer rows in a pool.
#include <math.h>

#include "vrp/bound/pool/program.h"

// A row whose dual is smaller than this part of a scaled unit holds nothing.
static const double LEAST_DUAL = 1e-9;

// Moves the rows with `keep` up and frees the others.
static void move_rows(pool_program *p, const bool *keep)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < p->cuts.count; k++) {
        if (!keep[k])
            continue;
        const pool_row row = p->rows[kept];
        p->rows[kept++] = p->rows[k];
        p->rows[k] = row;
    }
    for (int64_t k = kept; k < p->cuts.count; k++) {
        mco_free(p->ctx, &p->rows[k].route);
        mco_free(p->ctx, &p->rows[k].times);
        p->rows[k] = (pool_row){0};
    }
}

mco_status pool_drop_idle_rows(pool_program *p, bool *has_dropped)
{
    mco_status st = MCO_OK;
    const double *dual = mco_lp_duals(p->lp) + p->customers + 1;
    bool *keep = NULL;
    int32_t *gone = NULL, count = 0;
    MCO_TRY(mco_alloc(p->ctx, &keep, p->cuts.count));
    MCO_TRY(mco_alloc(p->ctx, &gone, p->cuts.count));
    for (int64_t k = 0; k < p->cuts.count; k++) {
        keep[k] = fabs(dual[k]) > LEAST_DUAL;
        if (!keep[k])
            gone[count++] = p->customers + 1 + (int32_t)k;
    }
    *has_dropped = count > 0;
    MCO_TRY(mco_lp_delete_rows(p->ctx, p->lp, count, gone));
    move_rows(p, keep);
    vrp_cuts_keep(p->ctx, &p->cuts, keep);
done:
    mco_free(p->ctx, &keep);
    mco_free(p->ctx, &gone);
    return st;
}
