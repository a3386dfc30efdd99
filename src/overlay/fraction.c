// SPDX-License-Identifier: MIT
// A feasible fractional overlay from duals (dual.h). Sums are in double precision, each in one order.
#include <math.h>

#include "overlay/dual.h"

enum { WIDTHS = 4 };
static const double WIDTH[WIDTHS] = {2e-5, 2e-4, 2e-3, 2e-2};  // of the growth of a link's share, in reduced weight
static const double UNITS = 4294967296.0;
static const double SAFE = 1 - 1e-12;  // for the roundings of all sums

typedef struct fraction {
    overlay_dual *d;
    const uint32_t *dual;
    double width;
    double *load, *fit;  // [nodes] of the links' shares; what each node scales them by
    double *part;        // [blocks]
} fraction;

// The share of its limit that a link carries.
static double share_of(const fraction *f, int32_t i, const overlay_link *link)
{
    const double reduced = (double)link->weight - f->dual[i] - f->dual[link->node];
    return reduced <= 0 ? 0 : reduced >= f->width ? 1 : reduced / f->width;
}

static void add_loads(fraction *f, int32_t i)
{
    const mco_overlay *o = f->d->o;
    double sum = 0;
    for (int64_t k = 0; k < overlay_row_size(o, i); k++) {
        const overlay_link link = overlay_entry(o, i, k);
        sum += link.most * share_of(f, i, &link);
    }
    f->load[i] = sum;
    f->fit[i] = sum > o->bandwidth[i] ? o->bandwidth[i] / sum * SAFE : 1;
}

static double worth_of(const fraction *f, int32_t i)
{
    const mco_overlay *o = f->d->o;
    double sum = 0;
    for (int64_t k = 0; k < overlay_row_size(o, i); k++) {
        const overlay_link link = overlay_entry(o, i, k);
        const double share = share_of(f, i, &link);
        if (share > 0)
            sum += link.most * share * link.weight * fmin(f->fit[i], f->fit[link.node]);
    }
    return sum;
}

static void load_block(void *shared, int worker, int64_t block)
{
    fraction *f = shared;
    const overlay_dual *d = f->d;
    (void)worker;
    for (int64_t i = block * d->block; i < (block + 1) * d->block && i < d->o->nodes; i++)
        add_loads(f, (int32_t)i);
}

static void worth_block(void *shared, int worker, int64_t block)
{
    fraction *f = shared;
    const overlay_dual *d = f->d;
    (void)worker;
    f->part[block] = 0;
    for (int64_t i = block * d->block; i < (block + 1) * d->block && i < d->o->nodes; i++)
        f->part[block] += worth_of(f, (int32_t)i);
}

static void run_blocks(fraction *f, mco_team_item *work)
{
    if (f->d->workers > 1)
        mco_team_run(&f->d->team, f->d->blocks, work, NULL, f);
    else
        for (int64_t b = 0; b < f->d->blocks; b++)
            work(f, 0, b);
}

mco_status overlay_fraction(overlay_dual *d, const uint32_t *dual)
{
    mco_status st = MCO_OK;
    fraction f = {.d = d, .dual = dual};
    MCO_TRY(mco_alloc(d->ctx, &f.load, d->o->nodes));
    MCO_TRY(mco_alloc(d->ctx, &f.fit, d->o->nodes));
    MCO_TRY(mco_alloc(d->ctx, &f.part, d->blocks));
    for (int k = 0; k < WIDTHS && !mco_run_must_stop(d->run, d->iterations); k++) {
        double sum = 0;
        f.width = WIDTH[k] * UNITS;
        run_blocks(&f, load_block);
        run_blocks(&f, worth_block);
        for (int64_t b = 0; b < d->blocks; b++)
            sum += f.part[b];
        d->value = fmax(d->value, sum / 2 / UNITS * d->o->weight_unit / (double)d->o->scale * SAFE);
    }
done:
    mco_free(d->ctx, &f.part);
    mco_free(d->ctx, &f.fit);
    mco_free(d->ctx, &f.load);
    return st;
}
