// SPDX-License-Identifier: MIT
// The part of a root that keeps the limit of length of routes (vrp/bound/columns/price_labels.c), and the number of routes that it asks for.
//
// Let the program use between f and f + 1 routes. If no plan of at most f routes is cheaper than the known one, cheaper plans have f + 1
// or more. A second master proves it, over the same columns with at most f routes. It is cheap where lengths, not loads, decide how many
// routes there are: then few routes cannot serve all customers, and the second program soon costs too much.
#include <math.h>

#include "base/clock.h"
#include "vrp/bound/root.h"

// A second master may take this share of the time that is left. Two numbers of routes that differ by less are the same.
static const double PROBE_SHARE = 0.1, WHOLE = 1e-4;

static double routes_of(const vrp_master *m)
{
    double sum = 0;
    for (int64_t k = 0; k < m->columns.count; k++)
        sum += m->x[k];
    return sum;
}

static mco_status take_sets(vrp_root *r, vrp_master *probe)
{
    mco_status st = MCO_OK;
    vrp_ng_sets *sets = NULL;
    MCO_TRY(mco_alloc(r->proof->ctx, &sets, 1));
    MCO_TRY(vrp_ng_sets_copy(r->proof->ctx, r->master.sets, sets));
    return vrp_master_take_sets(probe, &r->settings, sets);
done:
    mco_free(r->proof->ctx, &sets);
    return st;
}

// Whether no plan of at most `most` routes is cheaper than the known one, as far as it can be proved in a share of the time.
static mco_status probe_fleet(vrp_root *r, int32_t most, bool *is_proved)
{
    mco_status st = MCO_OK;
    const vrp_proof *proof = r->proof;
    const double now = mco_clock_s(), stop_s = isfinite(r->stop_s) ? now + PROBE_SHARE * (r->stop_s - now) : INFINITY;
    vrp_bound_problem problem = r->problem;
    vrp_master probe = {0};
    bool is_done;
    problem.fleet.most = most;
    *is_proved = false;
    MCO_TRY(vrp_master_open(proof->ctx, proof->run, &problem, &r->master.columns, NULL, r->master.price, &probe));
    probe.known = r->master.known;
    probe.threads = r->settings.threads;
    MCO_TRY(take_sets(r, &probe));
    MCO_TRY(vrp_master_limit_length(&probe, true));
    MCO_TRY(vrp_master_solve(&probe, stop_s, &is_done));
    *is_proved = probe.bound >= probe.known;
done:
    r->master.pricings += probe.pricings;
    r->master.labels += probe.labels;
    if (probe.ctx != NULL)
        vrp_master_close(&probe);
    return st == MCO_ERR_LIMIT ? MCO_OK : st;
}

static mco_status raise_fleet(vrp_root *r)
{
    mco_status st = MCO_OK;
    vrp_master *m = &r->master;
    vrp_fleet *fleet = &r->problem.fleet;
    bool is_done = true, is_proved = true;
    while (is_proved && is_done && m->known != INT64_MAX && !m->has_artificial && m->end == MCO_LP_OPTIMAL && !vrp_root_is_over(r)) {
        const double routes = routes_of(m), low = floor(routes);
        const int32_t row = 0;
        if (routes - low < WHOLE || low + 1 - routes < WHOLE || low < fleet->least || low >= fleet->most)
            break;
        MCO_TRY(probe_fleet(r, (int32_t)low, &is_proved));
        if (!is_proved)
            break;
        fleet->least = (int32_t)low + 1;
        r->fleet_is_raised = true;
        mco_log(r->proof->ctx, MCO_LOG_DETAIL, "fleet: cheaper plans have at least %d routes", fleet->least);
        MCO_TRY(mco_lp_set_row_bounds(r->proof->ctx, m->lp, 1, &row, &(double){fleet->least}, &(double){fleet->most}));
        MCO_TRY(vrp_root_solve(r, MCO_VRP_BOUND_COLUMNS, &is_done));
    }
done:
    return st;
}

mco_status vrp_root_limit_length(vrp_root *root)
{
    mco_status st = MCO_OK;
    vrp_root *r = root;
    bool is_done;
    MCO_TRY(vrp_master_limit_length(&r->master, true));
    if (!r->master.limits_length || vrp_root_is_over(r))
        return MCO_OK;
    MCO_TRY(vrp_root_solve(r, MCO_VRP_BOUND_COLUMNS, &is_done));
    if (r->master.is_stuck)
        return vrp_master_limit_length(&r->master, false);
    MCO_TRY(raise_fleet(r));
done:
    return st;
}
