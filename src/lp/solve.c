// SPDX-License-Identifier: MIT
// Solves of a program by Clp's simplex methods: the choice among them, the end in time, and what follows a failure.
//
// Clp looks at its limit on iterations after each iteration, and at no clock but the CPU time of the process. So a solve begins with
// as many iterations as take some 30 ms by the size of the matrix; most solves of column generation end there. A longer one goes on
// without a limit, while a thread watches the clock and sets the limit to zero. The solve after a long one is watched from its
// begin, for Clp loses its perturbation where it is interrupted. If no thread can be started, slices of some 40 ms follow each
// other. How far the first slice goes does not depend on the time, so two equal programs take equal ways.
#include <limits.h>

#include "base/clock.h"
#include "base/team.h"
#include "lp/program.h"

static const double LOOK_S = 0.02;   // between two looks at a cancel
static const double AGAIN_S = 0.001; // between two writes of the limit: Clp puts an older one back after a step of its own
static const double SLICE_S = 0.04;
static const double FIRST_SLICE = 1e7;  // entries to look at; one iteration looks at most of the matrix, at some 3 ns an entry

// Shared with the thread that watches.
typedef struct watch {
    mco_context *ctx;
    Clp_Simplex *model;
    double stop_s;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool has_ended;  // the solver has returned; guarded by the lock
} watch;

static bool must_stop(const mco_context *ctx, double stop_s)
{
    return mco_clock_s() >= stop_s || mco_is_cancelled(ctx);
}

// The thread. It ends when the solver has returned: waits are at most LOOK_S long. The limit is an int that Clp reads anew at each
// iteration through a function of its library, and a late read only costs that iteration.
static void keep_watch(void *shared, int worker)
{
    watch *w = shared;
    (void)worker;
    pthread_mutex_lock(&w->lock);
    while (!w->has_ended) {
        const bool is_over = must_stop(w->ctx, w->stop_s);
        if (is_over)
            lp_clp.Clp_setMaximumIterations(w->model, 0);
        const double wait_s = is_over ? AGAIN_S : fmin(LOOK_S, fmax(w->stop_s - mco_clock_s(), 0));
        const struct timespec then = mco_clock_after(wait_s);
        pthread_cond_timedwait(&w->changed, &w->lock, &then);
    }
    pthread_mutex_unlock(&w->lock);
}

// Runs one simplex method for at most `limit` iterations. Returns how many it took.
static int run(mco_lp *lp, mco_lp_method method, int limit)
{
    lp_clp.Clp_setMaximumIterations(lp->model, limit);
    if (method == MCO_LP_DUAL)
        lp_clp.Clp_dual(lp->model, 0);
    else
        lp_clp.Clp_primal(lp->model, 0);
    const int iterations = lp_clp.Clp_numberIterations(lp->model);
    lp->iterations += iterations;
    return iterations;
}

// Runs without a limit, under watch, and says whether that took more iterations than `slice`. *is_watched is false if no thread could be
// started; then nothing was done. Errors: MEMORY.
static mco_status run_watched(mco_context *ctx, mco_lp *lp, mco_lp_method method, double stop_s, double slice, bool *is_watched)
{
    watch w = {.ctx = ctx, .model = lp->model, .stop_s = stop_s};
    mco_team team = {0};
    pthread_mutex_init(&w.lock, NULL);
    mco_clock_condition(&w.changed);
    lp_clp.Clp_setMaximumIterations(lp->model, INT_MAX);
    const mco_status st = mco_team_start_some(ctx, 1, keep_watch, NULL, &w, &team);
    *is_watched = st == MCO_OK && team.started == 1;
    if (*is_watched) {
        lp->is_long = run(lp, method, INT_MAX) > slice;
        pthread_mutex_lock(&w.lock);
        w.has_ended = true;
        pthread_cond_signal(&w.changed);
        pthread_mutex_unlock(&w.lock);
    }
    if (st == MCO_OK)
        mco_team_join(&team);
    pthread_cond_destroy(&w.changed);
    pthread_mutex_destroy(&w.lock);
    return st;
}

enum { LEAST_SLICE = 20 };  // iterations
enum { CLP_OPTIMAL, CLP_INFEASIBLE, CLP_UNBOUNDED, CLP_STOPPED };  // Clp_status(); the others are failures

// A slice, and how many iterations the next one has.
static double run_slice(mco_lp *lp, mco_lp_method method, double slice)
{
    const double begin_s = mco_clock_s();
    run(lp, method, (int)slice);
    return fmin(INT_MAX, fmax(LEAST_SLICE, slice * fmin(2, SLICE_S / (mco_clock_s() - begin_s + 1e-9))));
}

// Runs one simplex method to its end, and says what Clp says. It ends by the clock or by Clp: MOST_RUNS watched runs that stop by
// themselves are a failure. Errors: MEMORY.
static mco_status run_to_end(mco_context *ctx, mco_lp *lp, mco_lp_method method, double stop_s, mco_lp_end *end)
{
    enum { MOST_RUNS = 3 };
    static const mco_lp_end ends[] = {MCO_LP_OPTIMAL, MCO_LP_INFEASIBLE, MCO_LP_UNBOUNDED};
    mco_status st = MCO_OK;
    bool is_watched = lp->is_long;
    double slice = 1 + FIRST_SLICE / ((double)lp->entries + 20.0 * lp->rows + lp->columns + 1);
    if (is_watched)
        MCO_TRY(run_watched(ctx, lp, method, stop_s, slice, &is_watched));
    if (!is_watched)
        lp->is_long = run(lp, method, (int)fmin(slice, INT_MAX)) >= (int)slice;
    is_watched = true;
    for (int runs = 0; lp_clp.Clp_status(lp->model) == CLP_STOPPED; runs += is_watched) {
        if (must_stop(ctx, stop_s)) {
            *end = MCO_LP_STOPPED;
            return MCO_OK;
        }
        if (runs == MOST_RUNS)
            break;
        if (is_watched)
            MCO_TRY(run_watched(ctx, lp, method, stop_s, 0, &is_watched));
        if (!is_watched)
            slice = run_slice(lp, method, slice);
    }
    const int status = lp_clp.Clp_status(lp->model);
    if (status >= CLP_OPTIMAL && status <= CLP_UNBOUNDED)
        *end = ends[status];
    else  // without entries Clp fails where it finds a program neither feasible nor bounded
        *end = status > CLP_STOPPED && lp_clp.Clp_getNumElements(lp->model) == 0 ? MCO_LP_INFEASIBLE : MCO_LP_FAILED;
    if (*end != MCO_LP_OPTIMAL && must_stop(ctx, stop_s))
        *end = MCO_LP_STOPPED;  // an end that may be due to the limit of zero; an optimum will be tested
done:
    return st;
}

// Decides whether the program is feasible, by the dual simplex without costs: every basis is dual feasible then, and nothing is
// unbounded. If it is feasible, the primal simplex goes on from there with the costs. Errors: MEMORY.
static mco_status settle(mco_context *ctx, mco_lp *lp, double stop_s, mco_lp_end *end)
{
    mco_status st = MCO_OK;
    double *held = NULL, *const cost = lp_clp.Clp_objective(lp->model);
    MCO_TRY(mco_alloc(ctx, &held, lp->columns));
    for (int32_t j = 0; j < lp->columns; j++) {
        held[j] = cost[j];
        cost[j] = 0;
    }
    st = run_to_end(ctx, lp, MCO_LP_DUAL, stop_s, end);
    for (int32_t j = 0; j < lp->columns; j++)
        cost[j] = held[j];
    MCO_TRY(st);
    if (*end == MCO_LP_OPTIMAL)
        MCO_TRY(run_to_end(ctx, lp, MCO_LP_PRIMAL, stop_s, end));
done:
    mco_free(ctx, &held);
    return st;
}

// One attempt: a run, and the test of its optimum, which fails it. With costs the dual simplex also calls programs infeasible that are
// unbounded, and the primal one fails on programs that are infeasible in both ways.
static mco_status attempt(mco_context *ctx, mco_lp *lp, mco_lp_method method, double stop_s, mco_lp_end *end)
{
    mco_status st = MCO_OK;
    bool is_optimal = true;
    MCO_TRY(run_to_end(ctx, lp, method, stop_s, end));
    if (*end == MCO_LP_FAILED || (method == MCO_LP_DUAL && (*end == MCO_LP_INFEASIBLE || *end == MCO_LP_UNBOUNDED)))
        MCO_TRY(settle(ctx, lp, stop_s, end));
    if (*end == MCO_LP_OPTIMAL)
        MCO_TRY(lp_test_optimum(ctx, lp, &is_optimal));
    if (!is_optimal)
        *end = MCO_LP_FAILED;
done:
    return st;
}

static bool has_crossed_bounds(const double *lower, const double *upper, int32_t count)
{
    for (int32_t k = 0; k < count; k++)
        if (lower[k] > upper[k])
            return true;
    return false;
}

static mco_lp_method choose(const mco_lp *lp, mco_lp_method method)
{
    if (method != MCO_LP_AUTO)
        return method;
    return lp->was_optimal && !lp->needs_primal ? MCO_LP_DUAL : MCO_LP_PRIMAL;
}

// What follows a failure: both methods from the basis of slacks, the other one with scaling.
static mco_status try_again(mco_context *ctx, mco_lp *lp, mco_lp_method method, double stop_s, mco_lp_end *end)
{
    enum { NO_SCALING = 0, AUTOMATIC_SCALING = 3 };
    static const mco_lp_basis slacks = {0};
    mco_status st = MCO_OK;
    mco_lp_load_basis(ctx, lp, &slacks);  // cannot fail: it is smaller than any program
    MCO_TRY(attempt(ctx, lp, method, stop_s, end));
    if (*end != MCO_LP_FAILED)
        return MCO_OK;
    lp_clp.Clp_scaling(lp->model, AUTOMATIC_SCALING);
    mco_lp_load_basis(ctx, lp, &slacks);
    st = attempt(ctx, lp, method == MCO_LP_DUAL ? MCO_LP_PRIMAL : MCO_LP_DUAL, stop_s, end);
    lp_clp.Clp_scaling(lp->model, NO_SCALING);
done:
    return st;
}

mco_status mco_lp_solve(mco_context *ctx, mco_lp *lp, mco_lp_method method, double stop_s, mco_lp_end *end)
{
    mco_status st = MCO_OK;
    if (isnan(stop_s) || (int)method < MCO_LP_AUTO || (int)method > MCO_LP_DUAL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a solve by method %d until %g s", (int)method, stop_s);
    method = choose(lp, method);
    lp->is_optimal = false;
    if (has_crossed_bounds(lp_clp.Clp_rowLower(lp->model), lp_clp.Clp_rowUpper(lp->model), lp->rows) ||
        has_crossed_bounds(lp_clp.Clp_columnLower(lp->model), lp_clp.Clp_columnUpper(lp->model), lp->columns)) {
        *end = MCO_LP_INFEASIBLE;
        return MCO_OK;
    }
    if (must_stop(ctx, stop_s)) {
        *end = MCO_LP_STOPPED;
        return MCO_OK;
    }
    MCO_TRY(attempt(ctx, lp, method, stop_s, end));
    if (*end == MCO_LP_FAILED)
        MCO_TRY(try_again(ctx, lp, method, stop_s, end));
    lp->is_optimal = *end == MCO_LP_OPTIMAL;
    if (lp->is_optimal) {
        lp->was_optimal = true;
        lp->needs_primal = false;
    }
done:
    return st;
}
