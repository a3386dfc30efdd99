// SPDX-License-Identifier: MIT
#include "vrp/bound/pool/branch.h"

#include <string.h>

// Pairs that are tried: two programs each. Eight took most of the time of a pool for a tenth fewer nodes.
enum { CANDIDATES = 4 };
static const double WHOLE = 1e-6;  // values this near an integer are that integer

typedef struct candidate {
    int32_t a, b;
    double share;    // of common routes
} candidate;

bool pool_is_whole(const pool_program *p)
{
    const double *x = mco_lp_values(p->lp);
    for (int32_t c = 0; c <= p->customers + p->routes; c++)
        if (x[c] > WHOLE && (c <= p->customers || fabs(x[c] - 1) > WHOLE))
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
    const double *x = mco_lp_values(p->lp) + p->customers + 1;
    for (int32_t j = 0; j < p->routes; j++) {
        if (x[j] <= WHOLE)
            continue;
        for (int64_t k = p->first[j]; k < p->first[j + 1]; k++)
            for (int64_t l = p->first[j]; l < p->first[j + 1]; l++)
                if (p->node[k] < p->node[l])
                    share[(int64_t)p->node[k] * (p->customers + 1) + p->node[l]] += x[j];
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

// The program's value under one more decision. `allowed` and `trial` [routes]: what the node allows, and working memory.
static mco_status value_under(pool_program *p, const pool_decision *decision, const bool *allowed, bool *trial, double stop_s, double *value)
{
    mco_status st = MCO_OK;
    mco_lp_end end;
    for (int32_t j = 0; j < p->routes; j++)
        trial[j] = allowed[j] && pool_obeys(p, j, decision);
    MCO_TRY(pool_restrict(p, trial, p->fleet));
    MCO_TRY(mco_lp_solve(p->ctx, p->lp, MCO_LP_DUAL, stop_s, &end));
    *value = end == MCO_LP_OPTIMAL ? mco_lp_objective(p->lp) : end == MCO_LP_INFEASIBLE ? INFINITY : -INFINITY;
done:
    return st;
}

// Takes the candidate whose weaker side rises most, then the sum of both.
static mco_status try_candidates(pool_program *p, const candidate *list, int count, double stop_s, int *best)
{
    mco_status st = MCO_OK;
    mco_lp_basis basis = {0};
    bool *allowed = NULL, *trial = NULL;
    double best_weak = -INFINITY, best_sum = -INFINITY;
    *best = 0;
    MCO_TRY(mco_alloc(p->ctx, &allowed, p->routes));
    MCO_TRY(mco_alloc(p->ctx, &trial, p->routes));
    memcpy(allowed, p->allowed, (size_t)p->routes * sizeof *allowed);
    MCO_TRY(mco_lp_save_basis(p->ctx, p->lp, &basis));
    for (int k = 0; k < count; k++) {
        double value[2];
        for (int side = 0; side < 2; side++) {
            const pool_decision d = {side == 0 ? POOL_TOGETHER : POOL_APART, list[k].a, list[k].b};
            MCO_TRY(mco_lp_load_basis(p->ctx, p->lp, &basis));
            MCO_TRY(value_under(p, &d, allowed, trial, stop_s, &value[side]));
        }
        const double weak = fmin(value[0], value[1]), sum = value[0] + value[1];
        if (weak > best_weak + 1e-6 || (weak > best_weak - 1e-6 && sum > best_sum)) {
            best_weak = weak;
            best_sum = sum;
            *best = k;
        }
    }
    MCO_TRY(pool_restrict(p, allowed, p->fleet));
    MCO_TRY(mco_lp_load_basis(p->ctx, p->lp, &basis));
done:
    mco_lp_basis_clear(p->ctx, &basis);
    mco_free(p->ctx, &allowed);
    mco_free(p->ctx, &trial);
    return st;
}

static bool branch_on_fleet(const pool_program *p, pool_decision out[2])
{
    const double *x = mco_lp_values(p->lp) + p->customers + 1;
    double sum = 0;
    for (int32_t j = 0; j < p->routes; j++)
        sum += x[j];
    // Artificial columns may let the sum leave the fleet: then one side would be empty and the other one the same.
    if (fabs(sum - nearbyint(sum)) <= WHOLE || floor(sum) < p->fleet.least || ceil(sum) > p->fleet.most)
        return false;
    out[0] = (pool_decision){POOL_FLEET, p->fleet.least, (int32_t)floor(sum)};
    out[1] = (pool_decision){POOL_FLEET, (int32_t)ceil(sum), p->fleet.most};
    return true;
}

mco_status pool_branch(pool_program *p, double stop_s, pool_decision out[2], bool *found)
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
