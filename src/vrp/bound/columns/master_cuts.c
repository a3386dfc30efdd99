// SPDX-License-Identifier: MIT
// The rows of cuts: which come and which leave.
#include <math.h>

#include "base/clock.h"
#include "vrp/bound/columns/program.h"
#include "vrp/bound/columns/separate.h"

// A row leaves after so many rounds without a dual and without a price.
enum { IDLE_ROUNDS = 3 };
static const double TINY_DUAL = 1e-6;

mco_status vrp_master_drop_idle_cuts(vrp_master *master)
{
    mco_status st = MCO_OK;
    vrp_master *m = master;
    bool *keep = NULL;
    int64_t gone = 0;
    MCO_TRY(mco_alloc(m->ctx, &keep, m->cuts.count));
    for (int64_t k = 0; k < m->cuts.count; k++) {
        vrp_cut *cut = &m->cuts.cut[k];
        cut->idle = cut->price == 0 && fabs(m->lp_row[k]) < TINY_DUAL ? cut->idle + 1 : 0;
        keep[k] = cut->idle < IDLE_ROUNDS;
        gone += !keep[k];
    }
    if (gone > 0)
        MCO_TRY(vrp_program_keep_cuts(m, keep));
done:
    mco_free(m->ctx, &keep);
    return st;
}

// The support as sums of both directions.
static mco_status symmetric_support(vrp_master *m, double **x)
{
    const int64_t nodes = m->problem->nodes;
    const mco_status st = mco_alloc(m->ctx, x, nodes * nodes);
    if (st != MCO_OK)
        return st;
    vrp_master_support(m, *x);
    for (int64_t i = 0; !m->problem->is_symmetric && i < nodes; i++)
        for (int64_t j = 0; j < i; j++)
            (*x)[i * nodes + j] = (*x)[j * nodes + i] = (*x)[i * nodes + j] + (*x)[j * nodes + i];
    return MCO_OK;
}

mco_status vrp_master_cut_capacity(vrp_master *master, int32_t most, double least_violation, double stop_s, int32_t *found)
{
    mco_status st = MCO_OK;
    vrp_master *m = master;
    const double begin = mco_clock_s();
    double *x = NULL;
    int64_t before;
    *found = 0;
    MCO_TRY(vrp_master_drop_idle_cuts(m));
    before = m->cuts.count;
    MCO_TRY(symmetric_support(m, &x));
    MCO_TRY(vrp_separate_capacity(m->ctx, m->problem, x, (uint64_t)m->pricings, most, least_violation, stop_s, &m->cuts, found));
    MCO_TRY(vrp_program_add_cuts(m, before));
done:
    mco_free(m->ctx, &x);
    m->cut_s += mco_clock_s() - begin;
    return st;
}
