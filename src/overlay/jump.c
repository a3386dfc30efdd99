// SPDX-License-Identifier: MIT
// Jumps. While the duals of the others stand still, the bound is convex in the dual of a node: its slope is the bandwidth less the limits
// of the links whose excess is above the dual. Each node looks for the dual at which both are equal: it brackets it, then bisects by the
// rule of false position. All nodes then move 0.6 of the way at once.
//
// Moves of many nodes at once can go around in circles. So, when plain jumps gain little, a ramp stands for the step: a link counts by
// the share excess / width, up to 1. The width falls from 2^-7.6 to 2^-15.6 by equal factors.
#include <math.h>

#include "overlay/dual.h"

enum { MOST_BRACKETS = 6, PLAIN_SHARE = 4 };
static const uint32_t FIRST_REACH = UINT32_C(429496730);  // 0.1
static const uint32_t LEAST_REACH = 429497;               // 0.0001
static const double FIRST_WIDTH = 0.005, LAST_WIDTH = 2e-5, UNITS = 4294967296.0;
static const double RAMP_SHARE = 0.8;   // of the iterations with a ramp, in which its width falls
static const double LEAST_GAIN = 1e-4;  // of the bound, in one plain jump

// A node that looks for its dual. The row is filled as far down as it has been looked at, and some way beyond.
typedef struct seeker {
    const overlay_dual *d;
    overlay_row *row;
    int32_t node, bandwidth;
} seeker;

// Fills the row for a dual of `low`. Rows that must be filled anew go twice as far as they had to.
static void look_down(const seeker *s, uint32_t low)
{
    if (low >= s->row->low)
        return;
    const uint32_t way = s->row->low - low;
    overlay_fill_row(s->d, s->row, s->node, low > way ? low - way : 0);
}

// Load at a dual less the bandwidth: not ascending with the dual.
static int64_t surplus(const seeker *s, uint32_t dual)
{
    const overlay_dual *d = s->d;
    const uint32_t half = d->width / 2;
    uint64_t sum;
    look_down(s, dual > half ? dual - half : 0);
    if (d->width == 0)
        return (int64_t)d->build->over(s->row, dual) - s->bandwidth;
    if (dual >= half)
        sum = d->build->ramp(s->row, dual - half, d->width);
    else
        sum = (uint64_t)d->build->over(s->row, 0) * (half - dual) + d->build->ramp(s->row, 0, d->width - (half - dual));
    return (int64_t)(sum / d->width) - s->bandwidth;
}

typedef struct bracket {
    int64_t low, high;                  // duals
    int64_t low_surplus, high_surplus;
} bracket;

// Moves one end away until the surplus changes its sign. A wider step each time; six at most.
static void widen(const seeker *s, uint32_t reach, bracket *b)
{
    int64_t step = reach > LEAST_REACH ? reach : LEAST_REACH;
    for (int k = 0; k < MOST_BRACKETS && b->low_surplus > 0 && b->high_surplus > 0 && b->high < UINT32_MAX; k++, step *= 3) {
        b->low = b->high;
        b->low_surplus = b->high_surplus;
        b->high = b->high + step < UINT32_MAX ? b->high + step : UINT32_MAX;
        b->high_surplus = surplus(s, (uint32_t)b->high);
    }
    for (int k = 0; k < MOST_BRACKETS && b->low_surplus < 0 && b->low > 0; k++, step *= 3) {
        b->high = b->low;
        b->high_surplus = b->low_surplus;
        b->low = b->low > step ? b->low - step : 0;
        b->low_surplus = surplus(s, (uint32_t)b->low);
    }
}

// Between both ends by the line through their surpluses; at least a tenth away from each end if it is to be looked at.
static int64_t between(const bracket *b, bool is_looked_at)
{
    enum { ONE = 1 << 20 };
    int64_t share = b->low_surplus * ONE / (b->low_surplus - b->high_surplus);
    if (is_looked_at)
        share = share < ONE / 10 ? ONE / 10 : share > ONE - ONE / 10 ? ONE - ONE / 10 : share;
    return b->low + ((b->high - b->low) * share >> 20);
}

static int64_t target_of(const seeker *s)
{
    const overlay_dual *d = s->d;
    const uint32_t dual = d->dual[s->node];
    const int64_t here = surplus(s, dual);
    bracket b = {dual, dual, here, here};
    if (here == 0 || (here < 0 && dual == 0))
        return dual;
    widen(s, d->reach[s->node], &b);
    if (b.low_surplus <= 0)
        return b.low;
    if (b.high_surplus > 0)
        return b.high;
    for (int64_t k = 0; k < d->p->inner && b.high - b.low > 1; k++) {
        const int64_t middle = between(&b, true), there = surplus(s, (uint32_t)middle);
        if (there > 0) {
            b.low = middle;
            b.low_surplus = there;
        } else {
            b.high = middle;
            b.high_surplus = there;
        }
    }
    return between(&b, false);
}

uint64_t overlay_jump_node(overlay_dual *d, overlay_row *row, int32_t i)
{
    const uint32_t dual = d->dual[i];
    const uint64_t down = (uint64_t)d->width / 2 + (d->reach[i] > LEAST_REACH ? d->reach[i] : LEAST_REACH);
    const seeker s = {.d = d, .row = row, .node = i, .bandwidth = d->o->bandwidth[i]};
    overlay_fill_row(d, row, i, dual > down ? (uint32_t)(dual - down) : 0);
    const int64_t way = target_of(&s) - dual;
    d->next[i] = (uint32_t)(dual + way * 77 / 128);
    d->reach[i] = (uint32_t)((way < 0 ? -way : way) * 90 / 128);
    return d->build->ramp(row, dual, UINT32_MAX);
}

static mco_status iterate(overlay_dual *d, bool *goes_on)
{
    mco_status st = MCO_OK;
    overlay_sum bound;
    *goes_on = overlay_sweep(d, overlay_jump_node, &bound);
    if (*goes_on)
        MCO_TRY(overlay_take(d, bound));
    if (*goes_on)
        MCO_TRY(overlay_test_gap(d, goes_on));
done:
    return st;
}

mco_status overlay_jump(overlay_dual *d)
{
    mco_status st = MCO_OK;
    bool goes_on = true;
    const int64_t plain = (d->p->iterations + PLAIN_SHARE - 1) / PLAIN_SHARE;
    double before = INFINITY;
    MCO_TRY(mco_alloc(d->ctx, &d->reach, d->o->nodes));
    for (int32_t i = 0; i < d->o->nodes; i++)
        d->reach[i] = FIRST_REACH;
    for (bool gains = true; gains && goes_on && d->iterations < plain && overlay_goes_on(d);) {
        MCO_TRY(iterate(d, &goes_on));
        gains = overlay_units(d->least) < before * (1 - LEAST_GAIN);
        before = overlay_units(d->least);
    }
    overlay_return(d);
    const int64_t first = d->iterations;
    const double share = fmin(overlay_share(d), 0.99);  // of a time limit
    while (goes_on && overlay_goes_on(d)) {
        const double done = (double)(d->iterations - first) / (double)(d->p->iterations - first);
        const double part = fmax(done, (overlay_share(d) - share) / (1 - share)) / RAMP_SHARE;
        d->width = (uint32_t)(UNITS * FIRST_WIDTH * pow(LAST_WIDTH / FIRST_WIDTH, part < 1 ? part : 1));
        MCO_TRY(iterate(d, &goes_on));
    }
done:
    return st;
}
