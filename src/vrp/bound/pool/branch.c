// SPDX-License-Identifier: MIT
#include "vrp/bound/pool/branch.h"

#include "base/team.h"
#include "base/clock.h"
#include <stdio.h>

// Pairs that are tried: two programs each. Eight took most of the time of a pool for a tenth fewer nodes.
enum { CANDIDATES = 4 };
static const double WHOLE = 1e-6;  // values this near an integer are that integer

typedef struct candidate {
    int32_t a, b;
    double share;    // of common routes
} candidate;

bool pool_is_whole(const pool_program *p)
{
    const double *artificial = mco_lp_values(p->lp);
    for (int32_t c = 0; c <= p->customers; c++)
        if (artificial[c] > WHOLE)
            return false;
    for (int32_t j = 0; j < p->routes; j++)
        if (p->value[j] > WHOLE && fabs(p->value[j] - 1) > WHOLE)
            return false;
    return true;
}

bool pool_obeys(const pool_program *p, int32_t route, const pool_decision *decision)
{
    const pool_decision *d = decision;
    if (d->choice != POOL_TOGETHER && d->choice != POOL_APART)
        return true;
    const bool a = pool_visits(p, route, d->a), b = pool_visits(p, route, d->b);
    return d->choice == POOL_TOGETHER ? a == b : !(a && b);
}

// share [nodes * nodes], a < b: the value of all routes that visit both.
static void sum_shares(const pool_program *p, double *share)
{
    for (int32_t j = 0; j < p->routes; j++) {
        if (p->value[j] <= WHOLE)
            continue;
        for (int64_t k = p->first[j]; k < p->first[j + 1]; k++)
            for (int64_t l = p->first[j]; l < p->first[j + 1]; l++)
                if (p->node[k] < p->node[l])
                    share[(int64_t)p->node[k] * (p->customers + 1) + p->node[l]] += p->value[j];
    }
}

static bool is_nearer_half(const candidate *a, const candidate *b)
{
    return fabs(a->share - 0.5) < fabs(b->share - 0.5);
}

// Whether both sides of a pair lose routes that the node allows. Else it decides nothing: artificial columns hold the rest of its share.
static bool is_decision(const pool_program *p, int32_t a, int32_t b)
{
    bool has_both = false, has_one = false;
    for (int32_t j = 0; j < p->routes && !(has_both && has_one); j++) {
        const bool is_a = p->allowed[j] && pool_visits(p, j, a), is_b = p->allowed[j] && pool_visits(p, j, b);
        has_both |= is_a && is_b;
        has_one |= is_a != is_b;
    }
    return has_both && has_one;
}

// The best few pairs, the nearest to a half first; ties by index.
static int collect(const pool_program *p, const double *share, candidate out[CANDIDATES])
{
    int count = 0;
    for (int32_t a = 1; a <= p->customers; a++)
        for (int32_t b = a + 1; b <= p->customers; b++) {
            candidate c = {a, b, share[(int64_t)a * (p->customers + 1) + b]};
            if (c.share <= WHOLE || c.share >= 1 - WHOLE || (count == CANDIDATES && !is_nearer_half(&c, &out[count - 1])) ||
                !is_decision(p, a, b))
                continue;
            for (int k = 0; k < count; k++)
                if (is_nearer_half(&c, &out[k])) {
                    const candidate worse = out[k];
                    out[k] = c;
                    c = worse;
                }
            if (count < CANDIDATES)
                out[count++] = c;
        }
    return count;
}

// ---- Trials: each candidate on a copy of the program, both sides from the basis of the node. So threads may take them in any order.

typedef struct trials {
    const pool_program *p;
    const candidate *list;
    double stop_s;
    mco_lp *lp[CANDIDATES];  // copies of the program of the node
    mco_lp_basis basis;
    double value[CANDIDATES][2];
    mco_context *ctx[CANDIDATES];    // of each candidate
    mco_status status[CANDIDATES];
} trials;

// The program's value under one more decision, as far as the routes go that have joined it. least, most [columns]: working memory; `least`
// is 0.
static mco_status value_under(const trials *t, mco_context *ctx, mco_lp *lp, const pool_decision *decision, const double *least,
                              double *most, double *value)
{
    mco_status st = MCO_OK;
    const pool_program *p = t->p;
    mco_lp_end end;
    for (int32_t c = 0; c <= p->customers; c++)
        most[c] = INFINITY;
    for (int32_t j = 0; j < p->routes; j++)
        if (p->column[j] >= 0)
            most[p->column[j]] = p->allowed[j] && pool_obeys(p, j, decision) ? INFINITY : 0;
    MCO_TRY(mco_lp_set_column_bounds(ctx, lp, mco_lp_columns(lp), NULL, least, most));
    MCO_TRY(mco_lp_load_basis(ctx, lp, &t->basis));
    MCO_TRY(mco_lp_solve(ctx, lp, MCO_LP_DUAL, t->stop_s, &end));
    *value = end == MCO_LP_OPTIMAL ? mco_lp_objective(lp) : end == MCO_LP_INFEASIBLE ? INFINITY : -INFINITY;
done:
    return st;
}

static mco_status try_candidate(trials *t, mco_context *ctx, int64_t k)
{
    mco_status st = MCO_OK;
    const int32_t columns = mco_lp_columns(t->lp[k]);
    double *least = NULL, *most = NULL;
    MCO_TRY(mco_alloc(ctx, &least, columns));
    MCO_TRY(mco_alloc(ctx, &most, columns));
    for (int side = 0; side < 2; side++) {
        const pool_decision d = {side == 0 ? POOL_TOGETHER : POOL_APART, t->list[k].a, t->list[k].b};
        MCO_TRY(value_under(t, ctx, t->lp[k], &d, least, most, &t->value[k][side]));
    }
done:
    mco_free(ctx, &most);
    mco_free(ctx, &least);
    return st;
}

static void do_candidate(void *shared, int worker, int64_t k)
{
    trials *t = shared;
    (void)worker;
    t->status[k] = try_candidate(t, t->ctx[k], k);
}

// A cancellation goes on to the trials.
static double watch(void *shared)
{
    trials *t = shared;
    for (int k = 0; k < CANDIDATES && mco_is_cancelled(t->p->ctx); k++)
        if (t->ctx[k] != NULL)
            mco_cancel(t->ctx[k]);
    return 0.05;
}

static mco_status run_trials(trials *t, int count)
{
    mco_status st = MCO_OK;
    mco_context *ctx = t->p->ctx;
    const int threads = t->p->threads < count ? t->p->threads : count;
    mco_team team = {0};
    for (int k = 0; k < count && threads > 1; k++)
        MCO_TRY(mco_context_create_child(ctx, &t->ctx[k]));
    if (threads > 1) {
        MCO_TRY(mco_team_open(ctx, threads, true, &team));
        mco_team_run(&team, count, do_candidate, watch, t);
    }
    for (int k = 0; k < count; k++) {
        if (threads < 2)
            t->status[k] = try_candidate(t, ctx, k);
        else if (t->status[k] != MCO_OK)
            (void)mco_fail(ctx, t->status[k], "%s", mco_context_error(t->ctx[k]));
        MCO_TRY(t->status[k]);
    }
done:
    mco_team_close(&team);
    for (int k = 0; k < count; k++)
        mco_context_destroy(&t->ctx[k]);
    return st;
}

// Takes the candidate whose weaker side rises most, then the sum of both.
static mco_status try_candidates(const pool_program *p, const candidate *list, int count, double stop_s, int *best)
{
    mco_status st = MCO_OK;
    trials t = {.p = p, .list = list, .stop_s = stop_s};
    double best_weak = -INFINITY, best_sum = -INFINITY;
    *best = 0;
    for (int k = 0; k < count; k++)
        MCO_TRY(mco_lp_copy(p->ctx, p->lp, &t.lp[k]));
    MCO_TRY(mco_lp_save_basis(p->ctx, p->lp, &t.basis));
    MCO_TRY(run_trials(&t, count));
    for (int k = 0; k < count; k++) {
        const double weak = fmin(t.value[k][0], t.value[k][1]), sum = t.value[k][0] + t.value[k][1];
        if (weak > best_weak + 1e-6 || (weak > best_weak - 1e-6 && sum > best_sum)) {
            best_weak = weak;
            best_sum = sum;
            *best = k;
        }
    }
done:
    mco_lp_basis_clear(p->ctx, &t.basis);
    for (int k = 0; k < count; k++)
        mco_lp_close(p->ctx, &t.lp[k]);
    return st;
}

static bool branch_on_fleet(const pool_program *p, pool_decision out[2])
{
    double sum = 0;
    for (int32_t j = 0; j < p->routes; j++)
        sum += p->value[j];
    // Artificial columns may let the sum leave the fleet: then one side would be empty and the other one the same.
    if (fabs(sum - nearbyint(sum)) <= WHOLE || floor(sum) < p->fleet.least || ceil(sum) > p->fleet.most)
        return false;
    out[0] = (pool_decision){POOL_FLEET, p->fleet.least, (int32_t)floor(sum)};
    out[1] = (pool_decision){POOL_FLEET, (int32_t)ceil(sum), p->fleet.most};
    return true;
}

mco_status pool_branch(const pool_program *p, double stop_s, pool_decision out[2], bool *found)
{
    mco_status st = MCO_OK;
    candidate list[CANDIDATES];
    double *share = NULL;
    int best = 0;
    *found = true;
    if (branch_on_fleet(p, out))
        return MCO_OK;
    MCO_TRY(mco_alloc(p->ctx, &share, (int64_t)(p->customers + 1) * (p->customers + 1)));
    sum_shares(p, share);
    const int count = collect(p, share, list);
    *found = count > 0;
    if (count > 1)
        MCO_TRY(try_candidates(p, list, count, stop_s, &best));
    if (count > 0) {
        out[0] = (pool_decision){POOL_TOGETHER, list[best].a, list[best].b};
        out[1] = (pool_decision){POOL_APART, list[best].a, list[best].b};
    }
done:
    mco_free(p->ctx, &share);
    return st;
}
