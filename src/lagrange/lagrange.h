// SPDX-License-Identifier: MIT
// Lagrangean duals by subgradients. The caller evaluates duals: it tells a bound and a subgradient, and may tell the solution of
// its relaxation. This folder keeps the best bound, and finds the next duals.
//
// - Steps after Polyak (1969): factor * reach / norm, where `reach` is how far the bound is from what the caller aims at.
// - Deflection: a direction has a share of what was before (Camerini, Fratta, Maffioli 1975; Volgenant, Jonker 1982).
// - The volume method (Barahona, Anbil 2000): all steps start at the best duals, along the subgradient of the average solution.
// - A quasi-constant step for each dual by itself, in integers (Boschetti, Maniezzo, Roffilli 2011).
//
// A bound counts as the caller tells it. So it is safe if the caller rounds it to the safe side: nothing here changes it.
#ifndef MCO_LAGRANGE_LAGRANGE_H
#define MCO_LAGRANGE_LAGRANGE_H

#include "base/context.h"

// ---- The factor of a step: it shrinks after `patience` bounds, one after the other, that were no better

typedef struct lagrange_pace {
    double factor;
    int32_t idle;
} lagrange_pace;

// True: the factor shrank just now. `eases`: a better bound takes back one idle step, else all.
static inline bool lagrange_note(lagrange_pace *pace, bool is_better, int32_t patience, double shrink, bool eases)
{
    if (is_better)
        pace->idle = eases && pace->idle > 0 ? pace->idle - 1 : 0;
    else if (++pace->idle >= patience) {
        pace->idle = 0;
        pace->factor *= shrink;
        return true;
    }
    return false;
}

// ---- The quasi-constant step of one dual, in any integer unit

typedef struct lagrange_quasi_rules {
    uint64_t grows, shrinks;  // a better bound adds 1 / grows of the step; too many others take 1 / shrinks of it
    uint64_t least, most;     // steps
    int32_t patience;         // others that are borne. Better bounds do not forget them, as published
} lagrange_quasi_rules;

static inline void lagrange_quasi(uint64_t *step, int32_t *idle, bool is_better, const lagrange_quasi_rules *r)
{
    if (is_better) {
        *step += *step / r->grows;
        *step = *step < r->most ? *step : r->most;
    } else if (++*idle > r->patience) {
        *step -= *step / r->shrinks;
        *step = *step > r->least ? *step : r->least;
        *idle = 0;
    }
}

// ---- Many duals

typedef enum lagrange_memory {
    LAGRANGE_DIRECTION,   // the direction before; the norm is that of the new direction
    LAGRANGE_SUBGRADIENT  // the subgradient before, at first the new one; the norm is that of the new subgradient
} lagrange_memory;

typedef enum lagrange_return { LAGRANGE_STAYS, LAGRANGE_RETURNS_WHEN_IT_SHRINKS, LAGRANGE_RETURNS_ALWAYS } lagrange_return;

typedef struct lagrange_rules {
    bool is_upper;                // bounds from above, which are to fall; else from below, which are to rise
    double factor, shrink, least_factor;
    int32_t patience;
    bool eases;                   // as in lagrange_note()
    double newest, before;        // shares of the new subgradient and of the memory in a direction
    lagrange_memory memory;
    lagrange_return returns;      // steps start at the best duals
    double average;               // share of the newest solution in the average one; the first one counts in full
} lagrange_rules;

// The volume method: `share` of the newest solution.
lagrange_rules lagrange_volume(bool is_upper, double share);

typedef struct lagrange {
    lagrange_rules rules;
    int64_t duals, values;
    double *dual;         // [duals] to be evaluated next
    double *subgradient;  // [duals] the caller writes it: along it the bound grows
    double *solution;     // [values] the caller writes it
    double *best_dual;    // [duals] of the best bound
    double *direction;    // [duals] direction, or the subgradient before
    double *average;      // [values] of the solutions
    double best;          // -INFINITY or INFINITY before the first
    lagrange_pace pace;
    int64_t steps;        // bounds taken
} lagrange;

// Duals of zero. `values` 0: no solutions. lagrange_close() releases it. Errors: MEMORY.
mco_status lagrange_open(mco_context *ctx, const lagrange_rules *rules, int64_t duals, int64_t values, lagrange *out);
void lagrange_close(mco_context *ctx, lagrange *l);
// Begins anew at the duals in l->dual.
void lagrange_restart(lagrange *l);

// Takes the bound of l->dual, and the solution. True: it is the best so far. O(duals + values)
bool lagrange_take(lagrange *l, double bound);
// Moves l->dual by a step. `reach`: how far the bound that was taken is from the aim. False: there is nowhere to go, or steps are too
// small to matter. The caller then may project l->dual into its range. O(duals)
bool lagrange_move(lagrange *l, double reach);

// What lagrange_run() asks of its caller.
typedef struct lagrange_problem {
    void *user;
    // Evaluates l->dual: writes l->subgradient, l->solution if there is one, and *bound. Errors: its own; STOPPED ends the run well.
    mco_status (*evaluate)(void *user, lagrange *l, double *bound);
    // How far the bound is to go in one step of factor 1; greater than 0. NULL: 1 % of the best bound, and 0.001.
    double (*reach)(void *user, const lagrange *l, double bound);
    // Brings duals into their range. NULL: any duals are allowed.
    void (*project)(void *user, lagrange *l);
} lagrange_problem;

// Evaluates and moves, `steps` times at most. Errors: those of evaluate().
mco_status lagrange_run(lagrange *l, const lagrange_problem *problem, int64_t steps);

#endif
