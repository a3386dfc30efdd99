// SPDX-License-Identifier: MIT
// The pricers of a master: tables, and labels where rank-1 rows have prices.
#include "base/clock.h"
#include "vrp/bound/columns/master.h"

// Routes that labels hand out a customer, labels that they may make, bytes of each taken into account.
enum { LABEL_ROUTES = 2, MOST_LABELS = 2000000 };

// ---- Tables

static int32_t value_at(const vrp_master *m, int32_t load, int32_t i)
{
    if (m->ng == NULL)
        return vrp_q_value(m->q, false, load, i);
    return vrp_ng_value(m->ng, false, load, i, ((uint32_t)1 << (m->sets->size[i] - 1)) - 1);
}

static void fill_by_load(vrp_master *m)
{
    const vrp_bound_problem *p = m->problem;
    for (int32_t load = 0; load <= p->capacity; load++) {
        int32_t least = VRP_NO_PATH;
        for (int32_t i = 1; i < p->nodes; i++) {
            const int32_t value = value_at(m, load, i), home = m->arcs[(int64_t)i * p->stride];
            if (value < VRP_NO_PATH / 2 && home < VRP_NO_ARC && value + home < least)
                least = value + home;
        }
        m->by_load[load] = least;
    }
}

// The share of vrp_worth: the value of a route of each load is at least that of the tables, and at least `least`.
static int64_t share_of(const vrp_master *m, int32_t least)
{
    const vrp_bound_problem *p = m->problem;
    int64_t total = 0, share = 0;
    for (int32_t i = 1; i < p->nodes; i++)
        total += p->demand[i];
    for (int32_t load = p->least_demand; load <= p->capacity; load++) {
        const int64_t value = m->by_load[load] > least ? m->by_load[load] : least;
        const int64_t more = value < 0 ? (-value * total + load - 1) / load : 0;  // below 2^28 2^31
        share = more > share ? more : share;
    }
    return share;
}

mco_status vrp_master_run_pass(vrp_master *master, double stop_s, vrp_worth *worth)
{
    vrp_master *m = master;
    const double begin = mco_clock_s();
    mco_status st = m->ng != NULL ? vrp_ng_run(m->ctx, m->ng, m->arcs, stop_s) : vrp_q_run(m->ctx, m->q, m->arcs, stop_s);
    if (st == MCO_OK) {
        worth->least = m->ng != NULL ? vrp_ng_least_route(m->ng) : vrp_q_least_route(m->q);
        worth->share = 0;
        if (worth->least < 0) {
            fill_by_load(m);
            worth->share = share_of(m, worth->least);
        }
    }
    m->pricing_s += mco_clock_s() - begin;
    return st;
}

int64_t vrp_worth_of_others(const vrp_bound_problem *problem, vrp_worth worth, int32_t taken)
{
    if (worth.least >= 0)
        return (int64_t)(problem->fleet.least - taken) * worth.least;
    const int64_t by_number = (int64_t)(problem->fleet.most - taken) * worth.least;
    return by_number > -worth.share ? by_number : -worth.share;
}

// ---- Labels

bool vrp_master_has_rank1(const vrp_master *master)
{
    for (int64_t k = 0; k < master->cuts.count; k++)
        if (master->cuts.cut[k].kind == VRP_CUT_RANK1 && master->cuts.cut[k].price < 0)
            return true;
    return false;
}

mco_status vrp_master_run_labels(vrp_master *master, int32_t below, double stop_s, vrp_worth *worth, bool *is_done)
{
    vrp_master *m = master;
    const vrp_label_task task = {.problem = m->problem, .arcs = m->arcs, .cuts = &m->cuts, .sets = m->sets, .tables = m->ng, .below = below,
                                 .most_routes = (int64_t)LABEL_ROUTES * m->problem->customers, .most_labels = MOST_LABELS,
                                 .threads = m->threads, .stop_s = stop_s};
    vrp_labels_result result = {0};
    *is_done = worth->least >= below || m->ng == NULL;  // the tables alone say that there is no such route
    if (*is_done)
        return MCO_OK;
    const mco_status st = vrp_label(m->ctx, &task, &m->found, &result);
    if (st != MCO_OK)
        return st;
    m->labels += result.labels;
    m->label_s += result.seconds;
    *is_done = result.end == VRP_LABELS_DONE;
    if (result.least < VRP_NO_PATH && result.least > worth->least) {
        worth->share = worth->least < 0 ? share_of(m, result.least) : 0;
        worth->least = result.least;
    }
    return MCO_OK;
}
