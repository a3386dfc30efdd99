// SPDX-License-Identifier: MIT
// One node: columns, cuts, arcs, and the last step where few routes are left.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "vrp/bound/pool/pool.h"
#include "vrp/bound/tree/inside.h"

// Rounds of cuts at a node, rows a round. A round goes on while the bound rises by LEAST_RISE of the gap.
enum { CUT_ROUNDS = 4, ROWS_A_ROUND = 40 };
static const double LEAST_VIOLATION = 0.03, LEAST_RISE = 0.05;
// A solved program proves its value but for this share.
static const double PRECISION = 1e-4;
// An enumeration is tried below this share of the gap at which the last one failed, and below this share of the known cost.
static const double TRY_AGAIN = 0.85, NEAR = 0.03;
// Where labels ran out it failed by more than where routes did: the next one waits until the gap is this share of the share above.
static const double LABELS_AGAIN = 0.88;
// A pool of more than VRP_POOL_SMALL routes ends after this share of the time that is left, but not before POOL_LEAST_S; and after POOL_MOST_S
// or, where the gap is close, as much time as all before it. Its nodes cost less than those of this tree, so a small one has all the time
// where the gap is below SMALL_GAP.
static const double SMALL_GAP = 0.01;
static const double POOL_SHARE = 0.3, POOL_LEAST_S = 2, POOL_MOST_S = 120;
// A forced enumeration may make so many times the labels and routes.
enum { FORCED_TIMES = 4 };
// A run that has taken less than CLOSE_AFTER_S may end without great enumerations. The labels of a close one that is not forced end after this
// share of the time so far.
static const double CLOSE_AFTER_S = 60, CLOSE_TIME = 0.5;

bool tree_must_stop(tree *t)
{
    t->is_stopped = t->is_stopped || mco_clock_s() >= t->settings->stop_s || mco_is_cancelled(t->ctx) ||
                    (t->m->run != NULL && mco_run_must_stop(t->m->run, t->m->pricings));
    return t->is_stopped;
}

bool tree_is_closed(const tree *t, int64_t bound)
{
    return t->known != INT64_MAX && bound > 0 && vrp_bound_proved(t->root, bound) >= t->known;
}

void tree_set_known(tree *t, int64_t known)
{
    if (known >= t->known)
        return;
    t->known = known;
    t->m->known = (int64_t)ceil((double)known * t->root->unit);
    for (int64_t k = 0; k < t->count; k++)
        t->nodes[k].is_aside = false;
}

// ---- Columns

mco_status tree_claim(tree *t)
{
    mco_status st = MCO_OK;
    const vrp_master *m = t->m;
    vrp_claim_prices prices = {0};
    if (t->claims == NULL || t->claims->is_full || m->bound == INT64_MIN)
        return MCO_OK;
    MCO_TRY(vrp_claim_prices_copy(t->ctx, t->root, m->bound, m->price, &m->cuts, &prices));
    if (t->trial == NULL)
        vrp_claims_keep(t->ctx, t->claims, t->part, &prices);
    else {
        vrp_claim_prices_clear(t->ctx, t->trial);
        *t->trial = prices;
    }
done:
    return st;
}

mco_status tree_price(tree *t, double precision, double stop_s, int64_t *bound)
{
    vrp_master *m = t->m;
    bool is_done;
    m->precision = precision;
    const mco_status st = vrp_master_solve(m, stop_s, &is_done);
    m->precision = PRECISION;
    if (m->bound > *bound) {
        *bound = m->bound;
        const mco_status claimed = tree_claim(t);
        return st != MCO_OK ? st : claimed;
    }
    return st;
}

// ---- Plans

// Puts the customers of `routes` into `list` as a plan: a customer that was visited before is left out. Returns whether all have been.
static mco_status without_repeats(tree *t, const vrp_routes *routes, vrp_routes *list, bool *is_plan)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *p = t->root;
    bool *seen = NULL;
    int32_t *node = NULL, visited = 0;
    bool is_carried = true;
    MCO_TRY(mco_alloc(t->ctx, &seen, p->nodes));
    MCO_TRY(mco_alloc(t->ctx, &node, p->nodes));
    for (int64_t k = 0; k < routes->count; k++) {
        int32_t count = 0;
        for (int64_t v = routes->first[k]; v < routes->first[k + 1]; v++) {
            if (!seen[routes->node[v]])
                node[count++] = routes->node[v];
            seen[routes->node[v]] = true;
        }
        visited += count;
        is_carried = is_carried && vrp_bound_route_is_carried(p, node, count);
        if (count > 0)
            MCO_TRY(vrp_routes_append(t->ctx, list, node, count, vrp_bound_route_cost(p, node, count)));
    }
    *is_plan = is_carried && visited == p->customers && list->count >= p->fleet.least && list->count <= p->fleet.most;
done:
    mco_free(t->ctx, &node);
    mco_free(t->ctx, &seen);
    return st;
}

static int64_t scaled_cost(const mco_vrp *vrp, const vrp_routes *routes)
{
    int64_t cost = 0;
    for (int64_t k = 0; k < routes->count; k++) {
        int32_t at = 0;
        for (int64_t v = routes->first[k]; v < routes->first[k + 1]; v++) {
            cost += mco_vrp_distance(vrp, at, routes->node[v]);
            at = routes->node[v];
        }
        cost += mco_vrp_distance(vrp, at, 0);
    }
    return cost;
}

void tree_adopt_plan(tree *t, vrp_routes *plan, int64_t cost)
{
    if (cost >= t->known)
        return;
    vrp_routes_close(t->ctx, &t->result->plan);
    t->result->plan = *plan;
    t->result->cost = cost;
    vrp_routes_open(t->root->is_symmetric, plan);
    tree_set_known(t, cost);
}

mco_status tree_take_plan(tree *t, const vrp_routes *routes)
{
    mco_status st = MCO_OK;
    vrp_routes list;
    bool is_plan = false;
    vrp_routes_open(t->root->is_symmetric, &list);
    MCO_TRY(without_repeats(t, routes, &list, &is_plan));
    const int64_t cost = is_plan ? scaled_cost(t->root->vrp, &list) : INT64_MAX;
    tree_adopt_plan(t, &list, cost);
done:
    vrp_routes_close(t->ctx, &list);
    return st;
}

// Takes the routes of the program as a plan if they are whole. Limits of length are none of the program's.
static mco_status take_whole(tree *t, bool *is_whole)
{
    mco_status st = MCO_OK;
    const vrp_master *m = t->m;
    const double whole = 1e-6;
    vrp_routes routes;
    vrp_routes_open(m->columns.is_symmetric, &routes);
    *is_whole = !m->has_artificial && m->end == MCO_LP_OPTIMAL;
    for (int64_t k = 0; k < m->columns.count && *is_whole; k++)
        *is_whole = m->x[k] <= whole || fabs(m->x[k] - round(m->x[k])) <= whole;
    for (int64_t k = 0; k < m->columns.count && *is_whole; k++)
        if (m->x[k] > whole)
            MCO_TRY(vrp_routes_append(t->ctx, &routes, m->columns.node + m->columns.first[k], vrp_routes_length(&m->columns, k),
                                      m->columns.cost[k]));
    if (*is_whole && !vrp_has_max_length(t->root->vrp))
        MCO_TRY(tree_take_plan(t, &routes));
done:
    vrp_routes_close(t->ctx, &routes);
    return st;
}

// ---- Cuts

// Rows of branches never leave: they are no cuts of all plans. Loads count as the instance has them, as in the separation and in the recheck:
// those of the problem, which are divided and rounded, may ask for more vehicles or for fewer.
static void protect_sides(vrp_master *m)
{
    const mco_vrp *vrp = m->problem->vrp;
    for (int64_t k = 0; k < m->cuts.count; k++) {
        vrp_cut *cut = &m->cuts.cut[k];
        int64_t demand = 0;
        if (cut->kind != VRP_CUT_SET)
            continue;
        for (int32_t i = 0; i < cut->size; i++)
            demand += vrp->demand[cut->node[i]];
        if (cut->sense == VRP_CUT_AT_MOST || cut->rhs > 2 * ((demand + vrp->capacity - 1) / vrp->capacity))
            cut->idle = -1;
    }
}

static mco_status cut_once(tree *t, int32_t *found)
{
    mco_status st = MCO_OK;
    int32_t more = 0;
    *found = 0;
    if (t->settings->cuts_capacity) {
        protect_sides(t->m);
        MCO_TRY(vrp_master_cut_capacity(t->m, ROWS_A_ROUND, LEAST_VIOLATION, t->settings->stop_s, found));
    }
    if (t->settings->cuts_rank1 && *found < ROWS_A_ROUND / 2) {
        protect_sides(t->m);
        MCO_TRY(vrp_master_cut_rank1(t->m, ROWS_A_ROUND / 2, LEAST_VIOLATION, t->settings->stop_s, &more));
        *found += more;
    }
done:
    return st;
}

// Rounds of cuts while they raise the bound enough.
static mco_status cut(tree *t, int64_t *bound)
{
    mco_status st = MCO_OK;
    int32_t found = 1;
    for (int round = 0; round < CUT_ROUNDS && found > 0 && !tree_is_closed(t, *bound) && !tree_must_stop(t); round++) {
        const int64_t before = *bound;
        bool is_whole = false;
        if (t->m->end != MCO_LP_OPTIMAL || t->m->has_artificial || t->m->is_stuck)
            break;
        MCO_TRY(take_whole(t, &is_whole));
        if (is_whole)
            break;
        MCO_TRY(cut_once(t, &found));
        if (found > 0)
            MCO_TRY(tree_price(t, PRECISION, t->settings->stop_s, bound));
        const double gap = t->known != INT64_MAX ? (double)(t->m->known - before) : (double)before / 10;
        if ((double)(*bound - before) < LEAST_RISE * gap)
            break;
    }
done:
    return st;
}

// ---- The last step

// Seconds since the run began; infinite without a run.
static double time_so_far(const tree *t)
{
    return t->m->run != NULL ? mco_run_time_s(t->m->run) : INFINITY;
}

static bool is_close(const tree *t, double gap)
{
    return !t->m->limits_length && gap < VRP_TREE_CLOSE * (double)t->m->known && time_so_far(t) >= CLOSE_AFTER_S;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static vrp_label_task label_task(tree *t, int64_t most_value, bool close, bool forced)
{
    const vrp_master *m = t->m;
    const int32_t times = forced ? FORCED_TIMES : 1;
    vrp_label_task task = {.problem = &t->problem, .arcs = m->arcs, .cuts = &m->cuts, .sets = m->sets, .tables = m->ng, .table_sets = m->table_sets,
                            .q_tables = m->q,
                            .below = (int32_t)(most_value < VRP_NO_PATH / 2 ? most_value + 1 : VRP_NO_PATH / 2),
                            .most_routes = t->settings->most_routes * times, .most_labels = t->settings->most_labels * times,
                            .is_elementary = true, .threads = m->threads > 0 ? m->threads : 1, .stop_s = t->settings->stop_s};
    if (!close)
        return task;
    task.most_labels = larger(task.most_labels, t->settings->close_labels);
    task.most_routes = larger(task.most_routes, t->settings->close_routes);
    if (!forced)
        task.stop_s = fmin(task.stop_s, mco_clock_s() + CLOSE_TIME * time_so_far(t));
    return task;
}

// Rows that hold for every plan. Those of branches are left out (vrp/bound/tree/tree.h).
static mco_status rows_of_all_plans(tree *t, vrp_cuts *out)
{
    mco_status st = MCO_OK;
    bool *keep = NULL;
    protect_sides(t->m);
    MCO_TRY(vrp_cuts_copy(t->ctx, &t->m->cuts, out));
    MCO_TRY(mco_alloc(t->ctx, &keep, out->count));
    for (int64_t k = 0; k < out->count; k++)
        keep[k] = out->cut[k].kind == VRP_CUT_RANK1 || out->cut[k].idle >= 0;
    vrp_cuts_keep(t->ctx, out, keep);
done:
    mco_free(t->ctx, &keep);
    return st;
}

static mco_status take_plan_of(tree *t, const vrp_routes *list, const vrp_pool_result *pool)
{
    mco_status st = MCO_OK;
    vrp_routes plan;
    vrp_routes_open(list->is_symmetric, &plan);
    for (int32_t k = 0; k < pool->plan_count; k++)
        MCO_TRY(vrp_routes_append(t->ctx, &plan, list->node + list->first[pool->plan[k]], vrp_routes_length(list, pool->plan[k]),
                                  list->cost[pool->plan[k]]));
    MCO_TRY(tree_take_plan(t, &plan));
done:
    vrp_routes_close(t->ctx, &plan);
    return st;
}

// When a pool ends as long as it is large.
static double large_pool_stop_s(const tree *t, bool close)
{
    const double now = mco_clock_s(), left = t->settings->stop_s - now;
    const double most = close && t->m->run != NULL ? fmax(POOL_MOST_S, time_so_far(t)) : POOL_MOST_S;
    return fmin(t->settings->stop_s, now + fmin(most, fmax(POOL_LEAST_S, POOL_SHARE * left)));
}

// An enumeration at this gap has failed. The next one of its kind waits for a smaller gap.
static void remember_failure(tree *t, double gap, bool close, bool ran_out)
{
    *(close ? &t->tried_close : &t->tried_gap) = larger(1, (int64_t)(gap * (ran_out ? LABELS_AGAIN : 1)));
}

// Settles the routes of a list, which are all that better plans of the node have.
static mco_status settle(tree *t, const vrp_routes *list, bool close, int64_t *bound)
{
    mco_status st = MCO_OK;
    vrp_cuts rows = {0};
    vrp_pool_result pool = {0};
    const double begin_s = mco_clock_s();
    const bool is_near = (double)(t->m->known - *bound) < SMALL_GAP * (double)t->m->known;
    const double large_stop_s = large_pool_stop_s(t, close);
    t->result->routes_enumerated += list->count;
    MCO_TRY(rows_of_all_plans(t, &rows));
    MCO_TRY(vrp_pool_solve(t->ctx, t->m->run, &t->problem, list, &rows, t->known, t->m->threads, is_near ? t->settings->stop_s : large_stop_s,
                           large_stop_s, &pool));
    MCO_TRY(take_plan_of(t, list, &pool));
    mco_log(t->ctx, MCO_LOG_DETAIL, "tree: pool of %lld routes, %lld left: bound %lld, %lld nodes, %lld rows, %.2f s", (long long)list->count,
            (long long)pool.routes_left, (long long)pool.bound, (long long)pool.nodes, (long long)pool.cuts, mco_clock_s() - begin_s);
    if (pool.is_done && t->claims != NULL) {
        MCO_TRY(tree_claim(t));
        vrp_claim_pools_clear(t->ctx, &t->claims->claim[t->part].pools);
        t->claims->claim[t->part].pools = pool.prices;
        pool.prices = (vrp_claim_pools){0};
    }
    if (!pool.is_done)
        remember_failure(t, (double)(t->m->known - *bound), close, false);
    // Units may be coarser than costs. A pool that is done closes the node: tree_is_closed() compares with the known cost.
    const double units = (double)pool.bound * t->root->unit;
    const int64_t proved = (int64_t)(pool.is_done ? ceil(units) : floor(units));
    *bound = proved > *bound ? proved : *bound;
done:
    vrp_pool_result_clear(t->ctx, &pool);
    vrp_cuts_close(t->ctx, &rows);
    return st;
}

static bool is_worth_trying(const tree *t, double gap, bool close)
{
    const int64_t tried = close ? t->tried_close : t->tried_gap;
    return gap <= NEAR * (double)t->m->known && (tried == INT64_MAX || gap < TRY_AGAIN * (double)tried);
}

// Drops routes that exceed the capacity of the instance, where loads are coarse. Routes of the same customers have the same load.
static mco_status drop_heavy(tree *t, vrp_routes *list)
{
    mco_status st = MCO_OK;
    bool *keep = NULL;
    if (!t->root->has_coarse_loads)
        return MCO_OK;
    MCO_TRY(mco_alloc(t->ctx, &keep, list->count));
    for (int64_t k = 0; k < list->count; k++)
        keep[k] = vrp_bound_route_is_carried(t->root, list->node + list->first[k], vrp_routes_length(list, k));
    vrp_routes_keep(list, keep);
done:
    mco_free(t->ctx, &keep);
    return st;
}

// Drops routes that are too long by lengths that are not rounded. No cheaper route of the same customers is shorter.
static mco_status drop_long(tree *t, vrp_routes *list)
{
    mco_status st = MCO_OK;
    const mco_vrp *vrp = t->root->vrp;
    bool *keep = NULL;
    if (!vrp_has_max_length(vrp))
        return MCO_OK;
    MCO_TRY(mco_alloc(t->ctx, &keep, list->count));
    for (int64_t k = 0; k < list->count; k++) {
        int64_t length = 0;
        int32_t at = 0;
        for (int64_t v = list->first[k]; v < list->first[k + 1]; v++) {
            length += (int64_t)vrp_distance(vrp, at, list->node[v]) + vrp_service(vrp, list->node[v]);
            at = list->node[v];
        }
        keep[k] = length + vrp_distance(vrp, at, 0) <= vrp->max_length;
    }
    vrp_routes_keep(list, keep);
done:
    mco_free(t->ctx, &keep);
    return st;
}

// Ends of an enumeration that leave the node open: the time, values beyond 32 bits and, where the gap is close, no memory for so much.
static mco_status pardon(tree *t, double gap, bool close, mco_status st)
{
    if (st == MCO_ERR_STOPPED || st == MCO_ERR_LIMIT)
        return MCO_OK;
    if (st != MCO_ERR_MEMORY || !close)
        return st;
    mco_log(t->ctx, MCO_LOG_WARNING, "an enumeration of routes: %s", mco_context_error(t->ctx));
    remember_failure(t, gap, true, true);
    return MCO_OK;
}

mco_status tree_enumerate(tree *t, bool forced, int64_t *bound)
{
    mco_status st = MCO_OK;
    vrp_master *m = t->m;
    vrp_routes list;
    vrp_labels_result result = {0};
    int64_t most = 0;
    if (t->known == INT64_MAX || m->bound == INT64_MIN)
        return MCO_OK;
    const double gap = (double)(m->known - *bound);
    const bool close = is_close(t, gap);
    if (!forced && !is_worth_trying(t, gap, close))
        return MCO_OK;
    vrp_routes_open(t->root->is_symmetric, &list);
    MCO_TRY(vrp_master_most_value(m, t->settings->stop_s, &most));
    const vrp_label_task task = label_task(t, most, close, forced);
    MCO_TRY(vrp_label(t->ctx, &task, &list, &result));
    m->labels += result.labels;
    mco_log(t->ctx, MCO_LOG_DETAIL, "tree: %lld labels, %lld routes at a gap of %.2f%%, %.2f s", (long long)result.labels,
            (long long)list.count, 100.0 * gap / (double)m->known, result.seconds);
    MCO_TRY(drop_long(t, &list));
    MCO_TRY(drop_heavy(t, &list));
    if (result.end == VRP_LABELS_DONE && list.count <= task.most_routes)
        MCO_TRY(settle(t, &list, close, bound));
    else if (!forced && !tree_must_stop(t))
        remember_failure(t, gap, close, result.end == VRP_LABELS_STOPPED || result.labels >= task.most_labels);
done:
    vrp_routes_close(t->ctx, &list);
    return pardon(t, gap, close, st);
}

// ---- All of it

static mco_status remove_arcs(tree *t, int64_t *bound)
{
    mco_status st = MCO_OK;
    vrp_master *m = t->m;
    int64_t removed;
    const int64_t before = vrp_master_arcs(m);
    if (t->known == INT64_MAX || m->bound == INT64_MIN)
        return MCO_OK;
    st = vrp_master_remove_arcs(m, t->settings->stop_s, &removed);
    if (st != MCO_OK)
        return st == MCO_ERR_STOPPED || st == MCO_ERR_LIMIT ? MCO_OK : st;
    if (t->claims != NULL && vrp_master_arcs(m) < before)
        MCO_TRY(vrp_claims_remove(t->ctx, t->claims, t->part, t->root, m->bound, m->price, &m->cuts));
    if (vrp_master_arcs(m) < before - before / 20)
        MCO_TRY(tree_price(t, PRECISION, t->settings->stop_s, bound));
done:
    return st;
}

mco_status tree_work_on(tree *t, int64_t *bound)
{
    mco_status st = MCO_OK;
    bool is_whole = false;
    MCO_TRY(tree_price(t, PRECISION, t->settings->stop_s, bound));
    if (tree_is_closed(t, *bound) || tree_must_stop(t))
        return MCO_OK;
    MCO_TRY(cut(t, bound));
    if (!tree_is_closed(t, *bound) && !tree_must_stop(t))
        MCO_TRY(remove_arcs(t, bound));
    if (tree_is_closed(t, *bound) || tree_must_stop(t))
        return MCO_OK;
    MCO_TRY(take_whole(t, &is_whole));
    if (is_whole && !tree_is_closed(t, *bound))
        MCO_TRY(tree_price(t, 0, t->settings->stop_s, bound));
    if (!tree_is_closed(t, *bound) && !tree_must_stop(t))
        MCO_TRY(tree_enumerate(t, false, bound));
done:
    return st;
}
