// SPDX-License-Identifier: MIT
// The two subgradient methods of Boschetti, Maniezzo, Roffilli (2011), with the parameters that Strappaveccia (2015) prints. What is not
// stated there is an option, set to what reproduces the published gaps (NOTES.md).
#include <math.h>

#include "base/clock.h"
#include "lagrange/lagrange.h"
#include "overlay/dual.h"

// ---- Standard: all duals along the subgradient, by one step

static const double FIRST_BETA = 0.005, LESS_BETA = 0.95;
enum { STD_STALLS = 75 };

// Squares of the excesses, exactly up to 2^64 of them by two words.
static double square_norm(const overlay_dual *d)
{
    overlay_sum sum = {0};
    for (int32_t i = 0; i < d->o->nodes; i++)
        overlay_add(&sum, (uint64_t)(d->excess[i] * d->excess[i]));
    return overlay_units(sum);
}

static void step(overlay_dual *d, double beta, overlay_sum bound)
{
    // The published step has units: those of bandwidths are the instance's, whatever its decimals.
    const double square = square_norm(d), scale = (double)d->o->scale;
    const double norm = d->p->std_norm == MCO_OVERLAY_NORM_SQUARED ? square : sqrt(square) * scale;
    const double length = norm > 0 ? beta * d->p->std_constant * (overlay_units(bound) / 2) / norm : 0;
    for (int32_t i = 0; i < d->o->nodes; i++) {
        const double moved = (double)d->dual[i] + floor(length * (double)d->excess[i] + 0.5);
        d->next[i] = moved <= 0 ? 0 : moved >= (double)UINT32_MAX ? UINT32_MAX : (uint32_t)moved;
    }
}

mco_status overlay_std(overlay_dual *d)
{
    mco_status st = MCO_OK;
    overlay_sum bound;
    lagrange_pace beta = {.factor = FIRST_BETA};
    bool goes_on = true;
    MCO_TRY(mco_alloc(d->ctx, &d->excess, d->o->nodes));
    while (goes_on && overlay_goes_on(d) && overlay_sweep(d, overlay_measure, &bound)) {
        lagrange_note(&beta, overlay_less(bound, d->least), STD_STALLS, LESS_BETA, false);
        step(d, beta.factor, bound);
        MCO_TRY(overlay_take(d, bound));
        MCO_TRY(overlay_test_gap(d, &goes_on));
    }
done:
    return st;
}

// ---- Distributed: each node by itself, the duals of the others frozen

enum { DIST_STALLS = 10, MOST_VIEWED = 40 };  // 1.005^40 < 5/4
// Steps are in units of 2^-48. The greatest keeps them below 1.
static const uint64_t FIRST_ALPHA = UINT64_C(703687441777);
static const lagrange_quasi_rules ALPHA = {.grows = 200, .shrinks = 20, .least = UINT64_C(1407374884), .most = UINT64_C(1) << 47,
                                           .patience = DIST_STALLS};

// The step of a node with this excess of load, in units of duals.
static int64_t step_of(const overlay_dual *d, uint64_t alpha, int64_t excess, int32_t bandwidth)
{
    const int64_t units = (int64_t)(alpha >> 16);
    if (d->p->dist_step == MCO_OVERLAY_STEP_SIGN)
        return excess > 0 ? units : -units;
    return bandwidth > 0 ? units * excess / bandwidth : 0;
}

// A row as the steps of one node see it: duals stay within `reach` of the first one, so that links far above are sums.
typedef struct view {
    const overlay_build *build;
    const overlay_row *row;
    overlay_above above;
} view;

// Load and worth at a dual.
static overlay_above sums_at(const view *w, uint32_t dual)
{
    overlay_above sums;
    if (w->build->both == NULL)
        return (overlay_above){w->build->over(w->row, dual), w->build->ramp(w->row, dual, UINT32_MAX)};
    sums = w->build->both(w->row, dual);
    sums.most += w->above.most;
    sums.worth += w->above.worth - (uint64_t)w->above.most * dual;
    return sums;
}

// Steps by the sign have a length that is known before: alpha grows by a factor of 1.005 at most, each time.
static view look_at(overlay_dual *d, overlay_row *row, overlay_row *inside, int32_t i)
{
    view w = {.build = d->build, .row = row};
    if (d->build->split == NULL || d->p->dist_step != MCO_OVERLAY_STEP_SIGN || d->p->inner > MOST_VIEWED) {
        overlay_fill_row(d, row, i, 0);
        return w;
    }
    const int64_t reach = (int64_t)((d->alpha[i] >> 16) * (uint64_t)d->p->inner * 5 / 4) + d->p->inner, dual = d->dual[i];
    const uint32_t low = dual > reach ? (uint32_t)(dual - reach) : 0;
    const uint32_t high = dual + reach < UINT32_MAX ? (uint32_t)(dual + reach) : UINT32_MAX;
    overlay_fill_row(d, row, i, low);
    d->build->split(row, low, high, inside, &w.above);
    w.row = inside;
    return w;
}

// Whether a limit ends the sweep; looked at now and then, since a node may have many steps.
static bool is_cut(overlay_dual *d, int64_t step)
{
    enum { STEPS_A_LOOK = 64 };
    if (step % STEPS_A_LOOK != STEPS_A_LOOK - 1)
        return false;
    if (mco_clock_s() >= d->stop_s || mco_is_cancelled(d->ctx))
        atomic_store_explicit(&d->is_cut, true, memory_order_relaxed);
    return atomic_load_explicit(&d->is_cut, memory_order_relaxed);
}

uint64_t overlay_dist_node(overlay_dual *d, overlay_row *row, int32_t i)
{
    const int32_t bandwidth = d->o->bandwidth[i];
    uint32_t dual = d->dual[i], best = dual;
    uint64_t least = UINT64_MAX, first = 0;
    const view w = look_at(d, row, row + d->workers, i);
    for (int64_t k = 0; k < d->p->inner && !is_cut(d, k); k++) {
        const overlay_above sums = sums_at(&w, dual);
        const uint64_t bound = sums.worth + (uint64_t)dual * (uint32_t)bandwidth;
        first = k == 0 ? sums.worth : first;
        lagrange_quasi(&d->alpha[i], &d->stalls[i], bound < least, &ALPHA);
        best = bound < least ? dual : best;
        least = bound < least ? bound : least;
        const int64_t excess = (int64_t)sums.most - bandwidth;
        const int64_t moved = (int64_t)dual + step_of(d, d->alpha[i], excess, bandwidth);
        dual = moved <= 0 ? 0 : moved >= UINT32_MAX ? UINT32_MAX : (uint32_t)moved;
    }
    const uint32_t old = d->dual[i];
    d->next[i] = d->p->dist_keep == MCO_OVERLAY_KEEP_LAST   ? dual
                 : d->p->dist_keep == MCO_OVERLAY_KEEP_BEST ? best
                                                            : (uint32_t)(((uint64_t)old + best) / 2);
    return first;
}

mco_status overlay_dist_open(overlay_dual *d)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(d->ctx, &d->alpha, d->o->nodes));
    MCO_TRY(mco_alloc(d->ctx, &d->stalls, d->o->nodes));
    for (int32_t i = 0; i < d->o->nodes; i++)
        d->alpha[i] = FIRST_ALPHA;
done:
    return st;
}

mco_status overlay_dist(overlay_dual *d)
{
    mco_status st = MCO_OK;
    overlay_sum bound;
    bool goes_on = true;
    MCO_TRY(overlay_dist_open(d));
    while (goes_on && overlay_goes_on(d) && overlay_sweep(d, overlay_dist_node, &bound)) {
        MCO_TRY(overlay_take(d, bound));
        MCO_TRY(overlay_test_gap(d, &goes_on));
    }
done:
    return st;
}
