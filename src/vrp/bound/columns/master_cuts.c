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

// Members of a memory; it only grows.
static int64_t memory_size(const vrp_cut *cut, int32_t words)
{
    int64_t size = 0;
    for (int32_t w = 0; cut->memory != NULL && w < words; w++)
        size += __builtin_popcountll(cut->memory[w]);
    return size;
}

mco_status vrp_master_cut_rank1(vrp_master *master, int32_t most, double least_violation, double stop_s, int32_t *found)
{
    mco_status st = MCO_OK;
    vrp_master *m = master;
    const double begin = mco_clock_s();
    int64_t *size = NULL, before, from;
    int32_t grown = 0;
    *found = 0;
    MCO_TRY(vrp_master_drop_idle_cuts(m));
    before = from = m->cuts.count;
    MCO_TRY(mco_alloc(m->ctx, &size, before));
    for (int64_t k = 0; k < before; k++)
        size[k] = memory_size(&m->cuts.cut[k], m->cuts.words);
    MCO_TRY(vrp_separate_rank1(m->ctx, m->problem, &m->columns, m->x, most, least_violation, stop_s, &m->cuts, found, &grown));
    for (int64_t k = before - 1; k >= 0; k--)
        if (memory_size(&m->cuts.cut[k], m->cuts.words) != size[k])
            from = k;
    MCO_TRY(vrp_program_renew_cuts(m, from, before));
    *found += grown;
done:
    mco_free(m->ctx, &size);
    m->cut_s += mco_clock_s() - begin;
    return st;
}
