// SPDX-License-Identifier: MIT
// The pricer of a master by labels, behind the tables of a pass: where rank-1 rows have prices, the length of routes is
// limited, or ng sets are larger than those of the tables.
//
// Tables know the load alone. So with a limit of length the program is first solved over routes of any length. The bound holds, and
// its prices are a good begin. Then routes that are too long leave, and labels with load and length price. Their ways on are
// bounded by the ng tables and by a table of the length that is left, whichever is greater (vrp/bound/labels/completion.h).
#include "vrp/bound/columns/program.h"

// Routes that labels hand out a customer, labels that they may make.
enum { LABEL_ROUTES = 2, MOST_LABELS = 2000000 };

bool vrp_master_has_rank1(const vrp_master *master)
{
    for (int64_t k = 0; k < master->cuts.count; k++)
        if (master->cuts.cut[k].kind == VRP_CUT_RANK1 && master->cuts.cut[k].price < 0)
            return true;
    return false;
}

bool vrp_master_wants_labels(const vrp_master *master)
{
    return master->limits_length || master->table_sets != NULL || vrp_master_has_rank1(master);
}

mco_status vrp_master_limit_length(vrp_master *master, bool limits)
{
    vrp_master *m = master;
    m->limits_length = limits && m->ng != NULL && vrp_bound_has_length(m->problem);
    m->is_stuck = false;
    return m->limits_length ? vrp_master_drop_columns(m) : MCO_OK;
}

static vrp_label_task task_of(const vrp_master *m, int32_t below, double stop_s)
{
    return (vrp_label_task){.problem = m->problem, .arcs = m->arcs, .cuts = &m->cuts, .sets = m->sets, .tables = m->ng,
                            .table_sets = m->table_sets, .below = below,
                            .most_routes = (int64_t)LABEL_ROUTES * m->problem->customers, .most_labels = MOST_LABELS,
                            .threads = m->threads, .stop_s = stop_s};
}

static void count_labels(vrp_master *m, const vrp_labels_result *result)
{
    m->labels += result->labels;
    m->label_s += result->seconds;
}

mco_status vrp_master_run_quick_labels(vrp_master *master, int32_t below, double stop_s)
{
    vrp_label_task task = task_of(master, below, stop_s);
    vrp_labels_result result = {0};
    task.is_quick = true;
    const mco_status st = vrp_label(master->ctx, &task, &master->found, &result);
    count_labels(master, &result);
    return st;
}

mco_status vrp_master_run_labels(vrp_master *master, int32_t below, double stop_s, vrp_worth *worth, bool *is_done)
{
    vrp_master *m = master;
    const vrp_label_task task = task_of(m, below, stop_s);
    vrp_labels_result result = {0};
    *is_done = worth->least >= below || m->ng == NULL;  // the tables alone say that there is no such route
    if (*is_done)
        return MCO_OK;
    const mco_status st = vrp_label(m->ctx, &task, &m->found, &result);
    if (st != MCO_OK)
        return st;
    count_labels(m, &result);
    *is_done = result.end == VRP_LABELS_DONE;
    if (result.least < VRP_NO_PATH && result.least > worth->least) {
        worth->share = worth->least < 0 ? vrp_master_share(m, result.least) : 0;
        worth->least = result.least;
    }
    return MCO_OK;
}
