// SPDX-License-Identifier: MIT
// Column generation. The program gives duals; prices between them and the best ones (smoothing) give routes and a bound. Where they give
// no route of negative reduced cost, the bound has risen, and prices nearer to the duals are next (mis-pricing; Pessoa et al. 2018).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "vrp/bound/columns/program.h"

// Routes a pass hands out, and routes that the program takes of them, a customer.
enum { ROUTES_ASKED = 3, ROUTES_TAKEN = 2 };
// The program is purged beyond PURGE_ABOVE columns a customer and PURGE_MORE; then it keeps PURGE_KEPT a customer beside the basis.
enum { PURGE_ABOVE = 8, PURGE_MORE = 500, PURGE_KEPT = 4 };
// After so many pricings without a route smoothing ends.
enum { SMOOTH_TRIALS = 4 };
// A reduced cost counts as negative below this share of the mean cost that a customer has in the program.
static const double NEGATIVE = 1e-6;
static const double NEAR = 0.003, LEAST_SMOOTHING = 0.5;
// Boxes that a program touches grow where it gets fewer routes a customer.
static const double BOX_ROUTES = 0.5;
// Between two words to the caller.
static const double TELL_S = 1;
// Labels are asked where tables give fewer routes.
enum { FEW_ROUTES = 10 };

// ---- Prices

// Tables alone are exact at prices that are multiples of their grain. Labels compute in units, and need no more of tables than bounds.
static int32_t grain_of_prices(const vrp_master *m)
{
    bool has_labels = m->limits_length || m->table_sets != NULL;
    for (int64_t k = 0; k < m->cuts.count && !has_labels; k++)
        has_labels = m->cuts.cut[k].kind == VRP_CUT_RANK1;
    return m->ng == NULL || (has_labels && !m->skips_labels) ? 1 : vrp_ng_grain(m->ng);
}

// Rounds the mixture of the best prices (`weight`) and the duals to prices: trial, and those of the cuts.
static void set_trial(vrp_master *m, double weight)
{
    for (int32_t i = 1; i < m->problem->nodes; i++)
        m->mixed[i] = weight * m->price[i] + (1 - weight) * m->lp_customer[i];
    for (int64_t k = 0; k < m->cuts.count; k++)
        m->mixed_row[k] = weight * m->row_price[k] + (1 - weight) * m->lp_row[k];
    vrp_prices_round(m->problem, m->mixed, m->mixed_row, grain_of_prices(m), m->trial, &m->cuts);
}

static void save_rows(vrp_master *m)
{
    for (int64_t k = 0; k < m->cuts.count; k++)
        m->row_price[k] = m->cuts.cut[k].price;
}

// The best prices of cuts go back into the cuts.
static void restore_rows(vrp_master *m)
{
    for (int64_t k = 0; k < m->cuts.count; k++)
        m->cuts.cut[k].price = m->row_price[k];
}

// Keeps the bound of the trial where it is better.
static void keep_bound(vrp_master *m, vrp_worth worth)
{
    const int64_t bound = vrp_prices_bound(m->problem, m->trial, &m->cuts, 0) + vrp_worth_of_others(m->problem, worth, 0);
    if (bound <= m->bound && m->is_started)
        return;
    m->bound = bound;
    memcpy(m->price, m->trial, (size_t)m->problem->nodes * sizeof *m->price);
    save_rows(m);
}

// Whether a route that was found belongs to the relaxation: tables know neither lengths nor sets beyond theirs.
static bool is_allowed(const vrp_master *m, int64_t k)
{
    return (!m->limits_length && m->table_sets == NULL) ||
           vrp_program_is_allowed(m, m->found.node + m->found.first[k], vrp_routes_length(&m->found, k));
}

static bool improves(const vrp_master *m, int64_t k)
{
    if (!is_allowed(m, k))
        return false;
    return vrp_program_reduced_cost(m, &m->found, k) < -NEGATIVE * fabs(m->lp_value) / m->problem->customers;
}

// Whether so few routes were found that more work on them pays.
static bool has_few_routes(const vrp_master *m)
{
    int32_t count = 0;
    for (int64_t k = 0; k < m->found.count && count < FEW_ROUTES; k++)
        count += improves(m, k);
    return count < FEW_ROUTES;
}

// Prices the trial: routes of tables below `below`, and routes of labels below `label_below`, go to `found`; the bound is kept where it is
// better. Errors: STOPPED, ...
static mco_status price_trial(vrp_master *m, int32_t below, int32_t label_below, double stop_s)
{
    mco_status st = MCO_OK;
    const int32_t asked = ROUTES_ASKED * m->problem->customers;
    vrp_worth worth;
    bool is_done = true;
    vrp_prices_arcs(m->problem, m->trial, &m->cuts, m->removed, m->arcs);
    MCO_TRY(vrp_master_run_pass(m, stop_s, &worth));
    m->pricings++;
    keep_bound(m, worth);
    vrp_routes_empty(&m->found);
    const double begin = mco_clock_s();
    st = m->ng != NULL ? vrp_ng_routes(m->ctx, m->ng, below, asked, &m->found) : vrp_q_routes(m->ctx, m->q, below, asked, &m->found);
    m->pricing_s += mco_clock_s() - begin;
    if (st != MCO_OK || m->skips_labels || !vrp_master_wants_labels(m) || !has_few_routes(m))
        goto done;
    if (m->limits_length)
        MCO_TRY(vrp_master_run_quick_labels(m, label_below, stop_s));
    if (!has_few_routes(m))
        goto done;
    MCO_TRY(vrp_master_run_labels(m, label_below, stop_s, &worth, &is_done));
    keep_bound(m, worth);
    m->is_stuck = !is_done;
done:
    restore_rows(m);
    return st;
}

// Adds the routes found that improve the program, or all of them, to the program. *added of them.
static mco_status take_routes(vrp_master *m, bool all, int64_t *added)
{
    mco_status st = MCO_OK;
    const int64_t before = m->columns.count, most = (int64_t)ROUTES_TAKEN * m->problem->customers;
    for (int64_t k = 0; k < m->found.count && m->columns.count - before < most; k++)
        if (all ? is_allowed(m, k) : improves(m, k))
            MCO_TRY(vrp_routes_add(m->ctx, &m->columns, m->found.node + m->found.first[k], vrp_routes_length(&m->found, k),
                                   m->found.cost[k], NULL, NULL));
    *added = m->columns.count - before;
    MCO_TRY(vrp_program_add_routes(m, before));
done:
    return st;
}

// ---- Purge

typedef struct priced {
    double reduced;
    int64_t column;
} priced;

static int by_reduced(const void *a, const void *b)
{
    const priced *x = a, *y = b;
    if (x->reduced != y->reduced)
        return x->reduced < y->reduced ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

// Drops the columns of the greatest reduced costs; those of the basis and singles stay. Right behind a solve.
static mco_status purge(vrp_master *m)
{
    mco_status st = MCO_OK;
    const int32_t nodes = m->problem->nodes, customers = m->problem->customers;
    const double *reduced = mco_lp_reduced_costs(m->lp);
    bool *keep = NULL;
    priced *list = NULL;
    int64_t count = 0;
    if (m->columns.count <= (int64_t)PURGE_ABOVE * customers + PURGE_MORE)
        return MCO_OK;
    MCO_TRY(mco_alloc(m->ctx, &keep, m->columns.count));
    MCO_TRY(mco_alloc(m->ctx, &list, m->columns.count));
    for (int64_t k = 0; k < m->columns.count; k++) {
        keep[k] = mco_lp_column_is_basic(m->lp, (int32_t)(nodes + k));
        if (!keep[k])
            list[count++] = (priced){reduced[nodes + k], k};
    }
    qsort(list, (size_t)count, sizeof *list, by_reduced);
    for (int64_t k = 0; k < count && k < (int64_t)PURGE_KEPT * customers; k++)
        keep[list[k].column] = true;
    MCO_TRY(vrp_program_keep_routes(m, keep));
done:
    mco_free(m->ctx, &list);
    mco_free(m->ctx, &keep);
    return st;
}

// ---- The loop

static bool is_within_precision(const vrp_master *m)
{
    return m->lp_value - (double)m->bound <= m->precision * fabs(m->lp_value);
}

// A program above the known cost ends where its bound is there too: without the last few pricings it would have to be divided.
static bool is_precise(const vrp_master *m)
{
    const bool is_short = m->lp_value >= (double)m->known && m->bound < m->known;
    return !m->has_artificial && is_within_precision(m) && !is_short;
}

static bool must_stop(const vrp_master *m, double stop_s)
{
    return (m->run != NULL && mco_run_must_stop(m->run, m->pricings)) || mco_clock_s() >= stop_s || mco_is_cancelled(m->ctx);
}

// Prices the trial. *is_limited: a pass or labels refuse it, since values leave 32 bits or labels lack room. What is proved stays.
static mco_status price_if_possible(vrp_master *m, int32_t below, int32_t label_below, double stop_s, bool *is_limited)
{
    const mco_status st = price_trial(m, below, label_below, stop_s);
    *is_limited = st == MCO_ERR_LIMIT;
    if (!*is_limited)
        return st;
    m->is_stuck = true;
    vrp_routes_empty(&m->found);
    mco_log(m->ctx, MCO_LOG_DETAIL, "pricing ends: %s", mco_context_error(m->ctx));
    return MCO_OK;
}

// Prices the prices of the begin: all their routes are columns.
static mco_status start(vrp_master *m, double stop_s)
{
    mco_status st = MCO_OK;
    int64_t added;
    bool is_limited;
    memcpy(m->trial, m->price, (size_t)m->problem->nodes * sizeof *m->price);
    MCO_TRY(price_if_possible(m, VRP_NO_PATH / 2, 0, stop_s, &is_limited));
    m->is_started = true;
    MCO_TRY(take_routes(m, true, &added));
    if (m->lp_value == 0)  // a program that was solved before has duals of use: boxes would only be in its way
        MCO_TRY(vrp_program_box(m));
done:
    return st;
}

// Right behind a solve: where the boxes alone keep the program from its end, those that are touched grow.
static mco_status grow_box(vrp_master *m, bool *is_grown)
{
    *is_grown = false;
    return m->box != NULL && m->has_artificial && is_within_precision(m) ? vrp_program_grow_box(m, is_grown) : MCO_OK;
}

// Less of the best prices where the program is so near to the bound that its duals are as good: from NEAR of its value on, down to LEAST_SMOOTHING.
static double weight_of_best(const vrp_master *m)
{
    const double gap = fabs(m->lp_value - (double)m->bound), near = NEAR * fabs(m->lp_value) + 1;
    return gap >= near ? m->smoothing : fmin(m->smoothing, LEAST_SMOOTHING + fabs(m->smoothing - LEAST_SMOOTHING) * gap / near);
}

// Pricings at one dual solution, until routes come or none are left. *added of them; *is_limited: as above.
static mco_status price_duals(vrp_master *m, double stop_s, int64_t *added, bool *is_limited)
{
    mco_status st = MCO_OK;
    const double first = m->bound > INT64_MIN ? weight_of_best(m) : 0;
    for (int32_t trial = 1;; trial++) {
        const double weight = trial > SMOOTH_TRIALS ? 0 : fmax(0, 1 - trial * (1 - first));
        const int32_t fleet = (int32_t)fmin(VRP_NO_PATH / 2, ceil(m->lp_fleet)), below = weight > 0 ? VRP_NO_PATH / 2 : fleet;
        set_trial(m, weight);
        MCO_TRY(price_if_possible(m, below, fleet, stop_s, is_limited));
        MCO_TRY(take_routes(m, false, added));
        if (*is_limited || *added > 0 || weight == 0 || is_precise(m) || must_stop(m, stop_s))  // ends: the weight falls to 0
            return MCO_OK;
    }
done:
    return st;
}

// Tells the caller of a bound that has risen. *told_s, *told: when, and what it was.
static mco_status tell(vrp_master *m, double *told_s, int64_t *told)
{
    const double now = mco_clock_s();
    if (m->tell == NULL || m->bound <= *told || now - *told_s < TELL_S)
        return MCO_OK;
    *told_s = now;
    *told = m->bound;
    return m->tell(m->user);
}

// Solves and prices until no route comes.
static mco_status solve(vrp_master *m, double stop_s)
{
    mco_status st = MCO_OK;
    int64_t added = 1, told = m->bound;
    double told_s = mco_clock_s();
    bool is_raised = false, is_limited = false;
    if (!m->is_started)
        MCO_TRY(start(m, stop_s));
    while (added > 0 || is_raised) {
        if (must_stop(m, stop_s))
            return MCO_ERR_STOPPED;
        MCO_TRY(tell(m, &told_s, &told));
        MCO_TRY(vrp_program_solve(m, stop_s));
        if (m->end != MCO_LP_OPTIMAL)
            return MCO_ERR_STOPPED;
        if (is_precise(m) || m->bound >= m->known)
            break;
        MCO_TRY(grow_box(m, &is_raised));  // ends: boxes grow to the cost of artificial columns
        if (is_raised)
            continue;
        MCO_TRY(purge(m));
        MCO_TRY(price_duals(m, stop_s, &added, &is_limited));
        if (!is_limited && (double)added < BOX_ROUTES * m->problem->customers && m->has_artificial && m->box != NULL)
            MCO_TRY(vrp_program_grow_box(m, &is_raised));
        if (added == 0 && !is_limited && m->has_artificial && !is_raised)
            MCO_TRY(vrp_program_raise_artificial(m, &is_raised));  // ends: the cost grows to its most
    }
done:
    return st;
}

mco_status vrp_master_solve(vrp_master *master, double stop_s, bool *is_done)
{
    mco_status st = MCO_OK;
    vrp_master *m = master;
    *is_done = false;
    m->is_stuck = false;
    save_rows(m);
    st = solve(m, stop_s);
    *is_done = st == MCO_OK && !m->is_stuck;
    if (st != MCO_OK && st != MCO_ERR_STOPPED)
        return st;
    return vrp_program_unbox(m);
}
