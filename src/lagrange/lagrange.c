// SPDX-License-Identifier: MIT
// Subgradient steps (lagrange.h).
#include "lagrange/lagrange.h"

#include <math.h>
#include <string.h>

static const double LEAST_NORM = 1e-9;
static const double AIM_SHARE = 0.01, AIM_LEAST = 0.001;  // of a run without an aim

lagrange_rules lagrange_volume(bool is_upper, double share)
{
    return (lagrange_rules){.is_upper = is_upper, .factor = 1, .shrink = 0.66, .least_factor = 1e-6, .patience = 20, .newest = share,
                            .before = 1 - share, .memory = LAGRANGE_DIRECTION, .returns = LAGRANGE_RETURNS_ALWAYS, .average = share};
}

mco_status lagrange_open(mco_context *ctx, const lagrange_rules *rules, int64_t duals, int64_t values, lagrange *out)
{
    mco_status st = MCO_OK;
    *out = (lagrange){.rules = *rules, .duals = duals, .values = values};
    MCO_TRY(mco_alloc(ctx, &out->dual, duals));
    MCO_TRY(mco_alloc(ctx, &out->subgradient, duals));
    MCO_TRY(mco_alloc(ctx, &out->best_dual, duals));
    MCO_TRY(mco_alloc(ctx, &out->direction, duals));
    MCO_TRY(mco_alloc(ctx, &out->solution, values));
    MCO_TRY(mco_alloc(ctx, &out->average, values));
    lagrange_restart(out);
done:
    return st;
}

void lagrange_close(mco_context *ctx, lagrange *l)
{
    mco_free(ctx, &l->dual);
    mco_free(ctx, &l->subgradient);
    mco_free(ctx, &l->best_dual);
    mco_free(ctx, &l->direction);
    mco_free(ctx, &l->solution);
    mco_free(ctx, &l->average);
}

void lagrange_restart(lagrange *l)
{
    l->best = l->rules.is_upper ? INFINITY : -INFINITY;
    l->pace = (lagrange_pace){.factor = l->rules.factor};
    l->steps = 0;
    for (int64_t i = 0; i < l->duals; i++)
        l->direction[i] = 0;
}

static void copy(double *to, const double *from, int64_t count)
{
    if (count > 0)
        memcpy(to, from, (size_t)count * sizeof *to);
}

bool lagrange_take(lagrange *l, double bound)
{
    const lagrange_rules *r = &l->rules;
    const bool is_better = r->is_upper ? bound < l->best : bound > l->best;
    const double share = l->steps == 0 ? 1 : r->average;
    l->steps++;
    for (int64_t k = 0; k < l->values; k++)
        l->average[k] += share * (l->solution[k] - l->average[k]);
    if (is_better) {
        l->best = bound;
        copy(l->best_dual, l->dual, l->duals);
    }
    if (lagrange_note(&l->pace, is_better, r->patience, r->shrink, r->eases) && r->returns == LAGRANGE_RETURNS_WHEN_IT_SHRINKS)
        copy(l->dual, l->best_dual, l->duals);
    if (r->returns == LAGRANGE_RETURNS_ALWAYS)
        copy(l->dual, l->best_dual, l->duals);
    return is_better;
}

// Steps along direction[] that it makes of the subgradient and the direction before. Returns the square of its norm.
static double turn(lagrange *l)
{
    const lagrange_rules *r = &l->rules;
    const bool is_first = l->steps == 1 && r->returns == LAGRANGE_RETURNS_ALWAYS;  // the average is the first solution
    double square = 0;
    for (int64_t i = 0; i < l->duals; i++) {
        l->direction[i] = is_first ? l->subgradient[i] : r->newest * l->subgradient[i] + r->before * l->direction[i];
        square += l->direction[i] * l->direction[i];
    }
    return square;
}

static double square_of(const double *vector, int64_t count)
{
    double square = 0;
    for (int64_t i = 0; i < count; i++)
        square += vector[i] * vector[i];
    return square;
}

bool lagrange_move(lagrange *l, double reach)
{
    const lagrange_rules *r = &l->rules;
    const bool has_direction = r->memory == LAGRANGE_DIRECTION;
    const double square = has_direction ? turn(l) : square_of(l->subgradient, l->duals);
    if (square < LEAST_NORM || l->pace.factor < r->least_factor)
        return false;
    const double length = (r->is_upper ? -1 : 1) * (l->pace.factor * reach / square);
    for (int64_t i = 0; i < l->duals; i++) {
        const double newest = l->subgradient[i], before = l->steps == 1 ? newest : l->direction[i];
        l->dual[i] += length * (has_direction ? l->direction[i] : r->newest * newest + r->before * before);
        l->direction[i] = has_direction ? l->direction[i] : newest;
    }
    return true;
}

mco_status lagrange_run(lagrange *l, const lagrange_problem *problem, int64_t steps)
{
    mco_status st = MCO_OK;
    double bound;
    for (int64_t step = 0; step < steps; step++) {
        st = problem->evaluate(problem->user, l, &bound);
        if (st == MCO_ERR_STOPPED)
            return MCO_OK;
        MCO_TRY(st);
        lagrange_take(l, bound);
        const double reach = problem->reach != NULL ? problem->reach(problem->user, l, bound)
                                                    : AIM_SHARE * fabs(l->best) + AIM_LEAST + fabs(l->best - bound);
        if (!lagrange_move(l, reach))
            break;
        if (problem->project != NULL)
            problem->project(problem->user, l);
    }
done:
    return st;
}
