// SPDX-License-Identifier: MIT
// The end of a root: its prices in a finer unit, the recheck, and what the result tells of them.
//
// The passes of columns compute in a coarse unit: costs of real distances are rounded down, and prices are even integers. So the best
// prices and the duals of the last program are priced once more in a unit that is as fine as 32 bits allow. Where a route has a
// negative value, all prices fall by a share of the demand that makes it good (vrp_worth).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "vrp/bound/recheck.h"
#include "vrp/bound/recheck_fleet.h"
#include "vrp/bound/root.h"

// The recheck may last as long as the time that is left, without a limit so many seconds.
static const double RECHECK_S = 60;
// Of the time left, labels of one trial have this share.
static const double LABEL_SHARE = 0.25;
enum { LARGEST_COST = 1 << 20 };

typedef struct proven {
    vrp_bound_problem problem;
    bool has_problem;
    int32_t *price;      // [nodes] the best
    vrp_cuts cuts;
    int64_t bound;       // INT64_MIN: none
    int32_t *trial;      // [nodes]
    vrp_cuts trial_cuts;
    int32_t *arcs, *by_load;
    const uint64_t *removed;  // arcs that no better plan uses; NULL: the bound is one of all plans
    vrp_q_pass *q;
    vrp_ng_pass *ng;
} proven;

static void proven_close(mco_context *ctx, proven *p)
{
    vrp_q_close(ctx, &p->q);
    vrp_ng_close(ctx, &p->ng);
    mco_free(ctx, &p->arcs);
    mco_free(ctx, &p->by_load);
    mco_free(ctx, &p->trial);
    mco_free(ctx, &p->price);
    vrp_cuts_close(ctx, &p->trial_cuts);
    vrp_cuts_close(ctx, &p->cuts);
    if (p->has_problem)
        vrp_bound_problem_close(ctx, &p->problem);
}

// The ng sets of the bound; NULL: q-routes.
static const vrp_ng_sets *sets_of(const vrp_root *r)
{
    return r->has_master ? r->master.sets : NULL;
}

// The largest cost of an arc in the finer unit: as large as the greatest price allows, which vrp_prices_round() would cut off beyond
// vrp_prices_most().
static int32_t finer_cost(const vrp_root *r)
{
    const vrp_bound_problem *p = &r->problem;
    double price = 1;
    int32_t cost = 1;
    for (int32_t i = 1; i < p->nodes; i++) {
        price = fmax(price, abs(r->sure_price[i]));
        if (r->has_master)
            price = fmax(price, fmax(fabs(r->master.lp_customer[i]), abs(r->master.price[i])));
    }
    for (int32_t i = 0; i < p->nodes; i++)
        for (int32_t j = 0; j < p->nodes; j++)
            if (i != j && p->cost[(int64_t)i * p->stride + j] > cost)
                cost = p->cost[(int64_t)i * p->stride + j];
    return (int32_t)fmin(LARGEST_COST, cost * fmax(1, vrp_prices_most(p) / price));
}

// Opens the problem in the finer unit, until the run ends: the distances of 10,000 customers alone take a second.
static mco_status open_finer(vrp_root *r, proven *p)
{
    vrp_proof *proof = r->proof;
    const double before_s = proof->open_stop_s;
    if (isfinite(proof->run->stop_s))
        proof->open_stop_s = proof->run->stop_s;
    const mco_status st = vrp_root_open_problem(proof, finer_cost(r), &p->problem);
    proof->open_stop_s = before_s;
    p->has_problem = st == MCO_OK;
    return st;
}

static mco_status open_pass(vrp_root *r, proven *p)
{
    mco_status st = MCO_OK;
    mco_context *ctx = r->proof->ctx;
    MCO_TRY(open_finer(r, p));
    p->problem.fleet = r->problem.fleet;
    MCO_TRY(mco_alloc(ctx, &p->arcs, (int64_t)p->problem.nodes * p->problem.stride));
    MCO_TRY(mco_alloc(ctx, &p->by_load, (int64_t)p->problem.capacity + 1));
    MCO_TRY(mco_alloc(ctx, &p->trial, p->problem.nodes));
    MCO_TRY(mco_alloc(ctx, &p->price, p->problem.nodes));
    if (sets_of(r) != NULL)
        MCO_TRY(vrp_ng_open(ctx, &p->problem, vrp_master_table_sets(&r->master), &r->settings, &p->ng));
    else
        MCO_TRY(vrp_q_open(ctx, &p->problem, &r->settings, &p->q));
    vrp_root_tell_engine(r, p->q, p->ng);
done:
    return st;
}

// Labels look for routes below the price of one route more, which is above 0 where plans need more routes than the program likes.
static int32_t below_of(const vrp_root *r, const proven *p)
{
    const double fleet = r->has_master ? r->master.lp_fleet * p->problem.unit / r->problem.unit : 0;
    return (int32_t)fmin(VRP_NO_PATH / 2, ceil(fmax(0, fleet)) + 1);
}

// Prices `trial`; the worth of its routes.
static mco_status run_trial(vrp_root *r, proven *p, vrp_worth *worth)
{
    mco_status st = MCO_OK;
    const double stop_s = r->proof->run->stop_s;
    // Labels leave time for the other trials and for the recheck. Where they end early the tables' bound holds.
    const double now = mco_clock_s(), labels_s = isfinite(stop_s) ? now + LABEL_SHARE * (stop_s - now) : stop_s;
    bool is_done;
    vrp_master pricer = {.ctx = r->proof->ctx, .problem = &p->problem, .q = p->q, .ng = p->ng, .arcs = p->arcs, .by_load = p->by_load,
                         .cuts = p->trial_cuts, .threads = vrp_relax_threads(&r->settings)};
    pricer.sets = r->has_master ? r->master.sets : NULL;
    pricer.table_sets = r->has_master ? r->master.table_sets : NULL;
    pricer.limits_length = r->has_master && r->master.limits_length;
    vrp_routes_open(p->problem.is_symmetric, &pricer.found);
    vrp_prices_arcs(&p->problem, p->trial, &p->trial_cuts, p->removed, p->arcs);
    MCO_TRY(vrp_master_run_pass(&pricer, stop_s, worth));
    if (vrp_master_wants_labels(&pricer))
        MCO_TRY(vrp_master_run_labels(&pricer, below_of(r, p), labels_s, worth, &is_done));
done:
    vrp_routes_close(r->proof->ctx, &pricer.found);
    return st;
}

static mco_status keep_trial(vrp_root *r, proven *p, vrp_worth worth)
{
    const int64_t bound = vrp_prices_bound(&p->problem, p->trial, &p->trial_cuts, worth.least);
    if (bound <= p->bound)
        return MCO_OK;
    p->bound = bound;
    memcpy(p->price, p->trial, (size_t)p->problem.nodes * sizeof *p->price);
    vrp_cuts_close(r->proof->ctx, &p->cuts);
    return vrp_cuts_copy(r->proof->ctx, &p->trial_cuts, &p->cuts);
}

static mco_status try_prices(vrp_root *r, proven *p)
{
    mco_status st = MCO_OK;
    vrp_worth worth;
    MCO_TRY(run_trial(r, p, &worth));
    MCO_TRY(keep_trial(r, p, worth));
    if (worth.least < 0) {
        MCO_TRY(vrp_prices_lower(r->proof->ctx, &p->problem, worth.share, p->trial, &p->trial_cuts));
        MCO_TRY(run_trial(r, p, &worth));
        MCO_TRY(keep_trial(r, p, worth));
    }
done:
    return st;
}

// Prices in the unit of the passes, times the ratio of both units.
static mco_status try_coarse(vrp_root *r, proven *p, const int32_t *price, const vrp_cuts *cuts)
{
    mco_status st = MCO_OK;
    const double ratio = p->problem.unit / r->problem.unit;
    vrp_cuts_close(r->proof->ctx, &p->trial_cuts);
    MCO_TRY(vrp_cuts_copy(r->proof->ctx, cuts, &p->trial_cuts));
    MCO_TRY(vrp_prices_scale(r->proof->ctx, &p->problem, price, ratio, p->trial, &p->trial_cuts));
    MCO_TRY(try_prices(r, p));
done:
    return st;
}

// The duals of the last program.
static mco_status try_duals(vrp_root *r, proven *p)
{
    mco_status st = MCO_OK;
    const vrp_master *m = &r->master;
    const double ratio = p->problem.unit / r->problem.unit;
    double *dual = NULL, *row = NULL;
    MCO_TRY(mco_alloc(r->proof->ctx, &dual, p->problem.nodes));
    MCO_TRY(mco_alloc(r->proof->ctx, &row, m->cuts.count));
    vrp_cuts_close(r->proof->ctx, &p->trial_cuts);
    MCO_TRY(vrp_cuts_copy(r->proof->ctx, &m->cuts, &p->trial_cuts));
    // Costs that were rounded down are low by half a unit of the passes on the average, so are the duals.
    const double more = r->problem.is_exact ? 0 : 0.5;
    for (int32_t i = 1; i < p->problem.nodes; i++)
        dual[i] = (m->lp_customer[i] + more) * ratio;
    for (int64_t k = 0; k < m->cuts.count; k++)
        row[k] = m->lp_row[k] * ratio;
    vrp_prices_round(&p->problem, dual, row, 1, p->trial, &p->trial_cuts);
    MCO_TRY(try_prices(r, p));
done:
    mco_free(r->proof->ctx, &row);
    mco_free(r->proof->ctx, &dual);
    return st;
}

// ---- The recheck

// Rows without a price are no part of the proof.
static mco_status drop_idle(vrp_root *r, vrp_cuts *cuts)
{
    bool *keep = NULL;
    const mco_status st = mco_alloc(r->proof->ctx, &keep, cuts->count);
    if (st != MCO_OK)
        return st;
    for (int64_t k = 0; k < cuts->count; k++)
        keep[k] = cuts->cut[k].price != 0;
    vrp_cuts_keep(r->proof->ctx, cuts, keep);
    mco_free(r->proof->ctx, &keep);
    return MCO_OK;
}

// Rechecks these prices by listing routes, also those of limited length.
static mco_status recheck_by_routes(vrp_root *r, const proven *p, double stop_s, bool *is_done)
{
    mco_status st = MCO_OK;
    mco_context *ctx = r->proof->ctx;
    vrp_claims claims = {0};
    vrp_claim_prices prices = {0};
    vrp_recheck_end end = VRP_RECHECK_OPEN;
    const int64_t bound = vrp_bound_proved(&p->problem, p->bound > 0 ? p->bound : 0);
    MCO_TRY(vrp_claims_begin(ctx, &claims, p->problem.fleet));
    MCO_TRY(vrp_claim_prices_copy(ctx, &p->problem, p->bound, p->price, &p->cuts, &prices));
    vrp_claims_keep(ctx, &claims, 0, &prices);
    if (bound > 0)
        MCO_TRY(vrp_root_recheck_claims(r, &claims, bound, stop_s, &end));
    *is_done = end == VRP_RECHECK_PROVED;
done:
    vrp_claims_clear(ctx, &claims);
    return st;
}

static bool has_rank1(const vrp_cuts *cuts)
{
    for (int64_t k = 0; k < cuts->count; k++)
        if (cuts->cut[k].kind == VRP_CUT_RANK1)
            return true;
    return false;
}

// Rechecks these prices by tables.
static mco_status recheck_by_tables(vrp_root *r, const proven *p, double stop_s, bool *is_done)
{
    mco_status st = MCO_OK;
    const vrp_proof *proof = r->proof;
    int64_t bound = INT64_MIN;
    const vrp_fleet fleet = vrp_recheck_fleet(proof->ctx, proof->problem, proof->params->vehicles_exactly, stop_s, is_done);
    if (!*is_done)
        return MCO_OK;
    MCO_TRY(vrp_bound_recheck(proof->ctx, proof->problem, &p->problem, fleet, p->price, &p->cuts, sets_of(r), stop_s, &bound, is_done));
    if (*is_done && bound < p->bound && !vrp_bound_has_length(&p->problem))
        return mco_fail(proof->ctx, MCO_ERR_INTERNAL, "the recheck proves a bound of %lld units, the prices were worth %lld",
                        (long long)bound, (long long)p->bound);
    *is_done = *is_done && bound >= p->bound;
done:
    return st;
}

// The quicker way comes first: with RANK1 rows tables ask for labels of ng-routes, which are more than those of elementary ones. Where there
// is no memory for it the bound stays, not rechecked. No recheck knows why few routes do not pay.
static mco_status recheck(vrp_root *r, proven *p)
{
    mco_status st = MCO_OK;
    const vrp_proof *proof = r->proof;
    const double stop_s = isfinite(proof->run->stop_s) ? proof->run->stop_s : mco_clock_s() + RECHECK_S;
    bool is_done = false;
    if (r->fleet_is_raised)
        return MCO_OK;
    MCO_TRY(drop_idle(r, &p->cuts));
    const bool routes_first = has_rank1(&p->cuts);
    if (routes_first)
        MCO_TRY(recheck_by_routes(r, p, stop_s, &is_done));
    if (!is_done)
        MCO_TRY(recheck_by_tables(r, p, stop_s, &is_done));
    if (!is_done && !routes_first)
        MCO_TRY(recheck_by_routes(r, p, stop_s, &is_done));
done:
    proof->result->is_rechecked = is_done && st == MCO_OK;
    if (st == MCO_ERR_MEMORY)
        mco_log(proof->ctx, MCO_LOG_WARNING, "the bound of the root is not rechecked: %s", mco_context_error(proof->ctx));
    return st == MCO_ERR_MEMORY ? MCO_OK : st;
}

// ---- The result

static mco_status give_prices(vrp_root *r, const int32_t *price, double unit)
{
    mco_status st = MCO_OK;
    mco_vrp_bound_result *result = r->proof->result;
    MCO_TRY(mco_alloc(r->proof->ctx, &result->price, r->problem.customers));
    for (int32_t i = 0; i < r->problem.customers; i++)
        result->price[i] = price[i + 1] / unit / r->proof->problem->scale;
done:
    return st;
}

static int by_arc(const void *a, const void *b)
{
    const mco_vrp_support *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

// Lists the arcs of the routes of the last program, with what each route gives them; edges, from < to, where distances are symmetric.
static mco_status list_support(const vrp_root *r, mco_vrp_support **list, int64_t *count)
{
    mco_status st = MCO_OK;
    const vrp_master *m = &r->master;
    int64_t room = 0;
    for (int64_t k = 0; k < m->columns.count; k++) {
        int32_t at = 0;
        for (int64_t v = m->columns.first[k]; m->x[k] > 0 && v <= m->columns.first[k + 1]; v++) {
            const int32_t to = v < m->columns.first[k + 1] ? m->columns.node[v] : 0;
            const bool is_turned = r->problem.is_symmetric && to < at;
            MCO_TRY(mco_grow(r->proof->ctx, list, &room, *count + 1));
            (*list)[(*count)++] = (mco_vrp_support){is_turned ? to : at, is_turned ? at : to, m->x[k]};
            at = to;
        }
    }
done:
    return st;
}

// O(visits log visits) of the routes in the basis, which are no more than the rows of the program.
static mco_status give_support(vrp_root *r)
{
    mco_status st = MCO_OK;
    mco_vrp_bound_result *result = r->proof->result;
    mco_vrp_support *list = NULL;
    int64_t count = 0;
    MCO_TRY(list_support(r, &list, &count));
    if (count > 0)
        qsort(list, (size_t)count, sizeof *list, by_arc);
    MCO_TRY(mco_alloc(r->proof->ctx, &result->support, count));
    for (int64_t k = 0; k < count; k++) {
        if (k > 0 && by_arc(&list[k - 1], &list[k]) == 0)
            result->support[result->support_count - 1].value += list[k].value;
        else
            result->support[result->support_count++] = list[k];
    }
done:
    mco_free(r->proof->ctx, &list);
    return st;
}

// Prices the best prices and, if they are of the same arcs, the last duals.
static mco_status prove_finer(vrp_root *r, proven *p)
{
    mco_status st = MCO_OK;
    const vrp_master *m = &r->master;
    const bool is_sure = p->removed == NULL;
    MCO_TRY(open_pass(r, p));
    MCO_TRY(try_coarse(r, p, is_sure ? r->sure_price : m->price, is_sure ? &r->sure_cuts : &m->cuts));
    if (r->has_master && m->removed == p->removed && m->lp_value != 0)
        MCO_TRY(try_duals(r, p));
done:
    return st == MCO_ERR_STOPPED || st == MCO_ERR_LIMIT ? MCO_OK : st;
}

mco_status vrp_root_refine(vrp_root *root)
{
    mco_status st = MCO_OK;
    proven p = {.bound = INT64_MIN, .removed = root->has_master ? root->master.removed : NULL};
    if (p.removed == NULL || vrp_root_is_over(root))
        return MCO_OK;
    MCO_TRY(prove_finer(root, &p));
    if (p.bound > INT64_MIN) {
        vrp_claim_prices_clear(root->proof->ctx, &root->refined);
        MCO_TRY(vrp_claim_prices_copy(root->proof->ctx, &p.problem, p.bound, p.price, &p.cuts, &root->refined));
        root->refined_bound = vrp_bound_proved(&p.problem, p.bound);
        MCO_TRY(vrp_root_note(root, MCO_VRP_BOUND_COLUMNS, &p.problem, p.bound));
    }
done:
    proven_close(root->proof->ctx, &p);
    return st;
}

// Whether the finer unit proves less, as where labels ran out in it. Then the sure prices are those of the root.
static bool is_behind(const vrp_root *r, const proven *p)
{
    return vrp_bound_has_length(&r->problem) &&
           (double)p->bound / p->problem.unit < (double)r->sure_bound / r->problem.unit;
}

// The bound of all plans, in units of the file. Where the least number of routes was raised, plans of fewer routes cost as much as the
// known one, no more is known of them.
static double root_bound(const vrp_root *r, const vrp_bound_problem *problem, int64_t bound)
{
    const vrp_proof *proof = r->proof;
    int64_t scaled = vrp_bound_proved(problem, bound > 0 ? bound : 0);
    if (r->fleet_is_raised && scaled > proof->known)
        scaled = proof->known;
    return (double)scaled / proof->problem->scale;
}

// Whether these prices raise the bound, which is at most the known cost.
static bool is_news(const vrp_proof *proof, const proven *p)
{
    const int64_t scaled = vrp_bound_proved(&p->problem, p->bound > 0 ? p->bound : 0);
    return scaled > proof->scaled_bound && (proof->known < 0 || proof->scaled_bound < proof->known);
}

mco_status vrp_root_finish(vrp_root *root)
{
    mco_status st = MCO_OK;
    vrp_root *r = root;
    vrp_proof *proof = r->proof;
    proven p = {.bound = INT64_MIN};
    if (r->sure_price == NULL)
        return MCO_OK;
    MCO_TRY(prove_finer(r, &p));
    if (p.bound > INT64_MIN && !is_behind(r, &p)) {
        if (is_news(proof, &p))
            MCO_TRY(vrp_root_note(r, r->has_master ? MCO_VRP_BOUND_COLUMNS : MCO_VRP_BOUND_ASCENT, &p.problem, p.bound));
        MCO_TRY(recheck(r, &p));
        proof->result->root_bound = root_bound(r, &p.problem, p.bound);
        MCO_TRY(give_prices(r, p.price, p.problem.unit));
    } else {
        proof->result->root_bound = root_bound(r, &r->problem, r->sure_bound);
        MCO_TRY(give_prices(r, r->sure_price, r->problem.unit));
    }
    if (r->has_master) {
        proof->result->pricings += r->master.pricings;
        proof->result->labels += r->master.labels;
        MCO_TRY(give_support(r));
    }
done:
    proven_close(proof->ctx, &p);
    return st;
}
