// SPDX-License-Identifier: MIT
// A crowd (vrp/search/crowd.cuh): many copies of the whole solution on a GPU. Each is cut into compact parts, along other
// lines in every round, and a warp anneals a part of a copy.
//
// **The whole.** All copies fall from the hot temperature to the cold one. Between rounds copies are chosen again by their
// weights at the next temperature, so bad ones make way for more of good ones: population annealing (Hukushima, Iba
// 2003). The weights of one round keep at least half of the copies' number as their effective number.
//
// **Parts.** All copies begin equal, and are cut alike. After a round from a low temperature the best of each part, of all
// copies, makes the next solution.
//
// The device computes distances in floats, so each solution that comes back is checked and recounted.
#include "vrp/search/crowd.h"

#include <math.h>

#include "vrp/search/herd.h"

enum {
    WHOLE_ROUNDS = 200, FEW_ROUNDS = 40,  // with several parts, and with one
    FIRST_PART = 100,                     // customers of a part after the whole
    PART_STEPS = 400                      // per customer of its walks
};
static const double GROWS = 1.25, SHRINKS = 1.1;          // of the customers of a part, after a round
static const double WARM_LEAST = 0.07, WARM_MOST = 0.25;  // first temperature of a part, relative to `warm`
static const double SPREAD = 2.6;                         // of that temperature over the copies, in powers of two
static const double LEAST_ROUND_S = 0.05;

static bool is_over(vrp_herd *h)
{
    return vrp_rounds_is_over(h->s) || vrp_rounds_share(h->s) >= h->end_share;
}

// ---- The whole

// The weight of a copy above the least cost, and the effective number of copies by these weights.
static double effective(const vrp_herd *h, double least, double by)
{
    double sum = 0, squares = 0;
    for (int32_t k = 0; k < h->crowd.copies; k++) {
        const double w = exp(-((double)h->h_cost[k] - least) * by);
        sum += w;
        squares += w * w;
    }
    return sum * sum / squares;
}

// The difference of inverse temperatures by which copies are weighted: at most `by`, and such that half of the copies
// count.
static double tame(const vrp_herd *h, double least, double by)
{
    double low = 0, high = by;
    if (effective(h, least, by) >= 0.5 * h->crowd.copies)
        return by;
    for (int k = 0; k < 40; k++) {
        const double middle = 0.5 * (low + high);
        *(effective(h, least, middle) >= 0.5 * h->crowd.copies ? &low : &high) = middle;
    }
    return low;
}

// Chooses copies again by their weights at the next temperature: copy k goes on floor or ceil of its share of all times.
static mco_status choose_again(vrp_herd *h, double now, double next)
{
    const int32_t copies = h->crowd.copies;
    double least = INFINITY, sum = 0, up_to = 0;
    for (int32_t k = 0; k < copies; k++)
        least = fmin(least, (double)h->h_cost[k]);
    const double by = tame(h, least, 1 / next - 1 / now);
    for (int32_t k = 0; k < copies; k++)
        sum += exp(-((double)h->h_cost[k] - least) * by);
    const double offset = mco_rng_real(&h->s->rng);
    int32_t given = 0, spare = 0, taken = 0;
    for (int32_t k = 0; k < copies; k++) {
        up_to += exp(-((double)h->h_cost[k] - least) * by) / sum * copies;
        const int32_t until = k + 1 < copies ? (int32_t)fmin(copies, fmax(given, floor(up_to + offset))) : copies;
        if (until == given)
            h->h_to[spare++] = k;
        for (int32_t more = given + 1; more < until; more++)
            h->h_from[taken++] = k;
        given = until;
    }
    return vrp_herd_copy(h, taken < spare ? taken : spare);
}

static int32_t best_copy(const vrp_herd *h)
{
    int32_t best = 0;
    for (int32_t k = 1; k < h->crowd.copies; k++)
        best = h->h_cost[k] < h->h_cost[best] ? k : best;
    return best;
}

static mco_status note_best(vrp_herd *h, const char *source)
{
    const int32_t k = best_copy(h);
    if (h->h_cost[k] >= h->best_cost)
        return MCO_OK;
    h->best_cost = h->h_cost[k];
    return vrp_herd_fetch(h, k, source);
}

static mco_status anneal(vrp_herd *h)
{
    mco_status st = MCO_OK;
    const vrp_temperatures t = h->s->temperatures;
    const double length = h->end_share - h->begin_share;
    vrp_herd_set_parts(h, vrp_herd_parts_for(h, VRP_HERD_FULL_STEPS));
    MCO_TRY(vrp_herd_spread(h));
    const double rounds = h->crowd.parts > 1 ? WHOLE_ROUNDS : FEW_ROUNDS;
    const double step =
        fmax(1 / rounds, vrp_rounds_counts_steps(h->s) ? 0 : LEAST_ROUND_S / vrp_rounds_planned_s(h->s) / length);
    double from;
    while ((from = (vrp_rounds_share(h->s) - h->begin_share) / length) < 1 - step / 2 && !is_over(h)) {
        const double to = fmin(1, from + step);
        vrp_crowd_plan plan = {.hot = (float)(t.hot * pow(t.cold / t.hot, from)),
                               .cold = (float)(t.hot * pow(t.cold / t.hot, to))};
        plan.steps = vrp_herd_steps_for(h, (to - from) / (1 - from));
        if (plan.steps < 1)
            break;
        MCO_TRY(vrp_herd_walk(h, &plan, false));
        MCO_TRY(note_best(h, "crowd"));
        if (to < 1)
            MCO_TRY(choose_again(h, plan.cold, t.hot * pow(t.cold / t.hot, fmin(1, to + step))));
    }
done:
    return st;
}

// ---- Parts

// The parts grow while rounds gain nothing: what parts of so many customers can find has been found.
static mco_status anneal_parts(vrp_herd *h)
{
    mco_status st = MCO_OK;
    vrp_rounds *s = h->s;
    const double n = s->problem->customers;
    double size = FIRST_PART;
    while (!is_over(h)) {
        const double most = fmin(vrp_herd_most_parts(h), h->walks);
        const double warm = WARM_LEAST * pow(WARM_MOST / WARM_LEAST, mco_rng_real(&s->rng)) * s->temperatures.warm;
        const int64_t before = s->now_cost;
        const int32_t parts = (int32_t)fmax(1, fmin(n / size, most));
        vrp_herd_set_parts(h, parts);
        MCO_TRY(vrp_herd_spread(h));
        vrp_crowd_plan plan = {.hot = (float)warm, .cold = (float)s->temperatures.cold,
                               .spread = h->crowd.copies > 1 ? (float)SPREAD : 0};
        plan.steps = vrp_herd_steps_for(h, fmin(1, PART_STEPS * n / parts / vrp_herd_steps(h)));
        if (plan.steps < 1)
            break;
        MCO_TRY(vrp_herd_walk(h, &plan, true));
        h->crowd.copies = 1;
        MCO_TRY(note_best(h, "part"));
        size = s->now_cost < before ? fmax(FIRST_PART, size / SHRINKS) : fmin(n, size * GROWS);
    }
done:
    return st;
}

mco_status vrp_crowd_run(vrp_rounds *s, double share, bool is_whole, double *device_s)
{
    mco_status st = MCO_OK;
    vrp_herd h = {0};
    if (vrp_rounds_is_over(s) || vrp_rounds_share(s) >= share)
        return MCO_OK;
    MCO_TRY(vrp_herd_open(s, share, &h));
    if (!is_over(&h))
        MCO_TRY(is_whole ? anneal(&h) : anneal_parts(&h));
done:
    *device_s += h.device.kernel_s;
    mco_device_close(&h.device);
    return st;
}
