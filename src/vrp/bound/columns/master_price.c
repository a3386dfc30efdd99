// SPDX-License-Identifier: MIT
// The pricer of a master by tables. That by labels is in price_labels.c.
#include "base/clock.h"
#include "vrp/bound/columns/master.h"

static int32_t value_at(const vrp_master *m, int32_t load, int32_t i)
{
    if (m->ng == NULL)
        return vrp_q_value(m->q, false, load, i);
    return vrp_ng_value(m->ng, false, load, i, ((uint32_t)1 << (vrp_master_table_sets(m)->size[i] - 1)) - 1);
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
int64_t vrp_master_share(const vrp_master *master, int32_t least)
{
    const vrp_master *m = master;
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
        if (worth->least == -VRP_NO_PATH)
            st = MCO_ERR_STOPPED;
        else if (worth->least < 0) {
            fill_by_load(m);
            worth->share = vrp_master_share(m, worth->least);
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
