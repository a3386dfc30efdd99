// SPDX-License-Identifier: MIT
// All-or-nothing by lanes: a batch is 8 rows of one class from near origins. Each batch keeps its order of nodes from one iteration to the next, for costs change
// little. The first load takes batches in groups: the first batch of a group orders nodes by a search, each other one begins with the
// order that the batch before it ended with. So trees do not depend on how threads share the work.
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/machine.h"
#include "traffic/frank_wolfe/lanes.h"
#include "traffic/frank_wolfe/load.h"
#include "traffic/frank_wolfe/order.h"

#define DECLARE(set, unit) extern const traffic_lane_build traffic_lanes_##set;
MCO_EACH_SIMD(DECLARE)
#define LIST(set, unit) &traffic_lanes_##set,
static const traffic_lane_build *const builds[] = {MCO_EACH_SIMD(LIST)};

mco_status traffic_lanes_find(mco_context *ctx, mco_simd simd, const traffic_lane_build **out)
{
    return mco_pick(ctx, builds, simd, 0, out);
}

enum {
    GROUP = 8,        // batches of the first load that follow each other
    STALE_SHARE = 8   // an order is sorted anew if more than 1 node in so many was pulled again
};

typedef struct worker {
    traffic_lane_room room;
    traffic_search search;
    int64_t *flow;   // [links]
    double paths_s, loading_s;
    int32_t lost;    // a row without a path to its end, -1: none
} worker;

typedef struct lane_loader {
    traffic_stopper stopper;  // first
    mco_context *ctx;
    const traffic_problem *problem;
    const traffic_lane_build *build;
    traffic_lane_net net;
    traffic_amounts amounts;
    int32_t *into_place;
    int32_t batches;
    int32_t *row;          // [batches][8] -1: none
    int32_t *class_first;  // [classes + 1] batches of a class
    int32_t *order;        // [batches][nodes - first_through]
    double *least;         // [rows] least costs of their trips
    double *cost_into;     // [links]
    const double *cost;    // [links] of the class that is loaded
    int32_t first_batch, last_batch, stride;  // of a job: item i has batches first + i * stride .. and ends before last
    bool is_ordered;
    traffic_certificate *certificate;  // that takes the labels; NULL: rows are loaded
    int32_t workers;
    worker *worker;        // [workers]
    mco_team team;
} lane_loader;

// ---- Batches

static int32_t count_batches(const traffic_problem *p, int32_t *class_first)
{
    int32_t batches = 0, row = 0;
    for (int32_t k = 0; k < p->classes; k++) {
        const int32_t begin = row;
        while (row < p->rows && p->row_class[row] == k)
            row++;
        class_first[k] = batches;
        batches += (row - begin + TRAFFIC_LANES - 1) / TRAFFIC_LANES;
    }
    class_first[p->classes] = batches;
    return batches;
}

// Near rows of a class, 8 a batch.
static mco_status make_batches(mco_context *ctx, lane_loader *l)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = l->problem;
    MCO_TRY(mco_alloc(ctx, &l->class_first, p->classes + 1));
    l->batches = count_batches(p, l->class_first);
    MCO_TRY(mco_alloc(ctx, &l->row, (int64_t)l->batches * TRAFFIC_LANES));
    for (int32_t k = 0, next = 0; k < p->classes; k++) {
        int32_t *row = l->row + (int64_t)l->class_first[k] * TRAFFIC_LANES, count = 0;
        while (next < p->rows && p->row_class[next] == k)
            row[count++] = next++;
        MCO_TRY(traffic_near_rows(ctx, p, p->costs.base, TRAFFIC_LANES, count, row, &l->worker[0].search));
        for (; count % TRAFFIC_LANES != 0; count++)
            row[count] = -1;
    }
done:
    return st;
}

// ---- Opening

static mco_status open_worker(mco_context *ctx, const traffic_problem *p, worker *w)
{
    mco_status st = MCO_OK;
    const int64_t n = p->nodes;
    w->lost = -1;
    MCO_TRY(traffic_search_open(ctx, p, &w->search));
    MCO_TRY(mco_alloc(ctx, &w->room.label, (n + p->first_through) * TRAFFIC_LANES));
    MCO_TRY(mco_alloc(ctx, &w->room.entered, n * TRAFFIC_LANES));
    MCO_TRY(mco_alloc(ctx, &w->room.flow, n * TRAFFIC_LANES));
    MCO_TRY(mco_alloc(ctx, &w->room.dirty, n / 64 + 1));
    MCO_TRY(mco_alloc(ctx, &w->room.position, n));
    MCO_TRY(mco_alloc(ctx, &w->room.sorted, n));
    MCO_TRY(mco_alloc(ctx, &w->room.count, 2 * n + 2));
    MCO_TRY(mco_alloc(ctx, &w->room.key, n));
    MCO_TRY(mco_alloc(ctx, &w->flow, p->links));
done:
    return st;
}

static void close_worker(mco_context *ctx, worker *w)
{
    mco_free(ctx, &w->flow);
    mco_free(ctx, &w->room.key);
    mco_free(ctx, &w->room.count);
    mco_free(ctx, &w->room.sorted);
    mco_free(ctx, &w->room.position);
    mco_free(ctx, &w->room.dirty);
    mco_free(ctx, &w->room.flow);
    mco_free(ctx, &w->room.entered);
    mco_free(ctx, &w->room.label);
    traffic_search_close(ctx, &w->search);
}

static void close_loader(void *self)
{
    lane_loader *l = self;
    mco_context *ctx = l->ctx;
    mco_team_close(&l->team);
    for (int32_t k = 0; l->worker != NULL && k < l->workers; k++)
        close_worker(ctx, &l->worker[k]);
    mco_free(ctx, &l->worker);
    mco_free(ctx, &l->cost_into);
    mco_free(ctx, &l->least);
    mco_free(ctx, &l->order);
    mco_free(ctx, &l->class_first);
    mco_free(ctx, &l->row);
    mco_free(ctx, &l->into_place);
    traffic_amounts_clear(ctx, &l->amounts);
    mco_free(ctx, &l);
}

// Errors: LIMIT, if the orders exceed the memory of the call. Workers are fewer if theirs do.
static mco_status fit_memory(mco_context *ctx, lane_loader *l, const traffic_call *call)
{
    const traffic_problem *p = l->problem;
    const double orders = 4.0 * p->nodes * (p->rows / TRAFFIC_LANES + p->classes) + 16.0 * p->links;
    const double own = p->nodes * (TRAFFIC_LANES * 20.0 + 40) + p->first_through * TRAFFIC_LANES * 8.0 + 24.0 * p->links;
    l->workers = mco_settle_threads(call->params->threads);
    while (l->workers > 1 && orders + l->workers * own > call->memory)
        l->workers--;
    if (orders + own > call->memory)
        return mco_fail(ctx, MCO_ERR_LIMIT, "all-or-nothing takes %.0f bytes, at most %.0f are allowed", orders + own, call->memory);
    return MCO_OK;
}

static mco_status fill(mco_context *ctx, const traffic_call *call, lane_loader *l)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = call->problem;
    MCO_TRY(traffic_lanes_find(ctx, call->params->simd, &l->build));
    MCO_TRY(fit_memory(ctx, l, call));
    MCO_TRY(traffic_amounts_make(ctx, p, &l->amounts));
    MCO_TRY(mco_alloc(ctx, &l->into_place, p->links));
    MCO_TRY(mco_alloc(ctx, &l->least, p->rows));
    MCO_TRY(mco_alloc(ctx, &l->cost_into, p->links));
    MCO_TRY(mco_alloc(ctx, &l->worker, l->workers));
    for (int32_t k = 0; k < l->workers; k++)
        MCO_TRY(open_worker(ctx, p, &l->worker[k]));
    for (int32_t k = 0; k < p->links; k++) {
        const int32_t tail = p->tail[p->into[k]];
        l->into_place[k] = tail < p->first_through ? p->nodes + tail : tail;
    }
    l->net = (traffic_lane_net){p->nodes, p->first_through, p->links, p->first, p->head, p->tail, p->into_first, p->into, l->into_place};
    MCO_TRY(make_batches(ctx, l));
    MCO_TRY(mco_alloc(ctx, &l->order, (int64_t)l->batches * (p->nodes - p->first_through)));
    MCO_TRY(mco_team_open(ctx, l->workers, l->workers > 1, &l->team));
done:
    return st;
}

// ---- Loading

// The order of the first batch of a group: by costs from its first origin.
static void order_by_search(lane_loader *l, worker *w, int32_t batch, int32_t *order)
{
    const traffic_problem *p = l->problem;
    const int32_t origin = p->row_origin[l->row[(int64_t)batch * TRAFFIC_LANES]];
    const int32_t settled = traffic_search_tree(p, l->cost, origin, NULL, NULL, &w->search);
    int32_t count = 0;
    for (int32_t i = 0; i < settled; i++)
        if (w->search.settled[i] >= p->first_through)
            order[count++] = w->search.settled[i];
    for (int32_t v = p->first_through; v < p->nodes; v++)
        if (w->search.label[v] == INFINITY)
            order[count++] = v;
    traffic_search_forget(&w->search);
}

// Sums the least costs of a row's trips, and puts its amounts where they end. False: an end has no path.
static bool put_row(lane_loader *l, worker *w, int32_t row, int32_t lane)
{
    const traffic_problem *p = l->problem;
    double sum = 0;
    bool is_reached = true;
    for (int64_t k = p->row_first[row]; k < p->row_first[row + 1]; k++) {
        const int64_t at = (int64_t)p->to[k] * TRAFFIC_LANES + lane;
        const double label = w->room.label[at];
        is_reached = is_reached && label < 1e299;
        sum += p->amount[k] * label;
        w->room.flow[at] += l->amounts.whole[k];
    }
    l->least[row] = sum;
    return is_reached;
}

static void load_batch(lane_loader *l, worker *w, int32_t batch)
{
    const int32_t *row = l->row + (int64_t)batch * TRAFFIC_LANES, count = l->net.nodes - l->net.first_through;
    int32_t *order = l->order + (int64_t)batch * count, origin[TRAFFIC_LANES];
    const double begin_s = mco_clock_s();
    for (int32_t k = 0; k < TRAFFIC_LANES; k++)
        origin[k] = row[k] >= 0 ? l->problem->row_origin[row[k]] : -1;
    const int64_t pulls = l->build->grow(&l->net, l->cost, l->cost_into, origin, order, &w->room, &l->stopper.is_set);
    if (pulls < 0)
        return;
    if (l->certificate != NULL) {
        for (int32_t k = 0; k < TRAFFIC_LANES; k++)
            if (row[k] >= 0)  // an end that paths leave has another place
                w->room.label[(int64_t)origin[k] * TRAFFIC_LANES + k] = 0;
        traffic_certificate_lanes8(l->certificate, row, w->room.label);
        return;
    }
    if (!l->is_ordered || pulls > count / STALE_SHARE) {
        l->build->sort(&l->net, order, &w->room);
        for (int32_t i = 0; i < count; i++)
            w->room.position[order[i]] = i;
    }
    const double middle_s = mco_clock_s();
    w->paths_s += middle_s - begin_s;
    for (int32_t k = 0; k < TRAFFIC_LANES; k++)
        if (row[k] >= 0 && !put_row(l, w, row[k], k))
            w->lost = row[k];
    if (w->lost < 0)
        l->build->spread(&l->net, origin, order, &w->room, w->flow);
    w->loading_s += mco_clock_s() - middle_s;
}

static void load_item(void *shared, int index, int64_t item)
{
    lane_loader *l = shared;
    worker *w = &l->worker[index];
    const int64_t count = l->net.nodes - l->net.first_through;
    const int32_t begin = l->first_batch + (int32_t)traffic_own_item(l->ctx, item) * l->stride;
    const int32_t end = begin + l->stride < l->last_batch ? begin + l->stride : l->last_batch;
    for (int32_t b = begin; b < end; b++) {
        if (atomic_load_explicit(&l->stopper.is_set, memory_order_relaxed) || w->lost >= 0)
            return;
        if (!l->is_ordered && b == begin)
            order_by_search(l, w, b, l->order + b * count);
        else if (!l->is_ordered)
            memcpy(l->order + b * count, l->order + (b - 1) * count, (size_t)count * sizeof *l->order);
        load_batch(l, w, b);
    }
}

// Takes all batches of a class at costs [links].
static mco_status take_class(lane_loader *l, int32_t k, const double *cost)
{
    const traffic_problem *p = l->problem;
    l->cost = cost;
    for (int32_t i = 0; i < p->links; i++)
        l->cost_into[i] = cost[p->into[i]];
    l->first_batch = l->class_first[k];
    l->last_batch = l->class_first[k + 1];
    l->stride = l->is_ordered && mco_rank_count(l->ctx) == 1 ? 1 : GROUP;  // a rank keeps its batches, for it has their orders
    traffic_stopper_watch(l);
    const int64_t items = (l->last_batch - l->first_batch + l->stride - 1) / l->stride;
    int64_t nothing[2] = {0};
    mco_team_run(&l->team, traffic_own_items(l->ctx, items), load_item, traffic_stopper_watch, l);
    const mco_status st = traffic_settle_job(l->ctx, &l->stopper, nothing);
    if (st != MCO_OK)
        return st;
    if (atomic_load_explicit(&l->stopper.is_set, memory_order_relaxed))
        return mco_fail(l->ctx, MCO_ERR_STOPPED, "stopped while trips were loaded");
    for (int32_t w = 0; w < l->workers; w++)
        if (l->worker[w].lost >= 0)
            return mco_fail(l->ctx, MCO_ERR_INTERNAL, "node %d has trips without a path", p->row_origin[l->worker[w].lost] + 1);
    return MCO_OK;
}

// Moves the flows of the workers, and of all ranks, to flow [links].
static mco_status take_flows(lane_loader *l, double *flow)
{
    int64_t *sum = l->worker[0].flow;
    for (int32_t w = 1; w < l->workers; w++)
        for (int32_t a = 0; a < l->problem->links; a++) {
            sum[a] += l->worker[w].flow[a];
            l->worker[w].flow[a] = 0;
        }
    const mco_status st = mco_ranks_reduce(l->ctx, sum, l->problem->links, MCO_REDUCE_SUM);
    for (int32_t a = 0; a < l->problem->links; a++) {
        flow[a] = (double)sum[a] * l->amounts.unit;
        sum[a] = 0;
    }
    return st;
}

static mco_status load(void *self, const double *cost, double *flow, double *least)
{
    mco_status st = MCO_OK;
    lane_loader *l = self;
    const traffic_problem *p = l->problem;
    memset(l->least, 0, (size_t)p->rows * sizeof *l->least);  // other ranks have the other rows
    for (int32_t k = 0; k < p->classes; k++) {
        MCO_TRY(take_class(l, k, cost + (p->extra != NULL ? (int64_t)k * p->links : 0)));
        MCO_TRY(take_flows(l, flow + (int64_t)k * p->links));
    }
    l->is_ordered = true;
    l->stopper.has_grace = false;
    MCO_TRY(traffic_join_values(l->ctx, l->least, p->rows));
    *least = 0;
    for (int32_t r = 0; r < p->rows; r++)
        *least += l->least[r];
done:
    return st;
}

static mco_status prove(void *self, traffic_certificate *certificate)
{
    lane_loader *l = self;
    mco_status st = MCO_OK;
    l->certificate = certificate;
    l->stopper.has_grace = true;
    atomic_store(&l->stopper.is_set, false);
    for (int32_t k = 0; k < l->problem->classes && st == MCO_OK; k++)
        if (l->class_first[k + 1] > l->class_first[k])
            st = take_class(l, k, traffic_certificate_cost(certificate, l->row[(int64_t)l->class_first[k] * TRAFFIC_LANES]));
    l->certificate = NULL;
    l->stopper.has_grace = false;
    return st == MCO_ERR_STOPPED || st == MCO_OK ? traffic_join_proofs(l->ctx, certificate) : st;
}

static void tell(void *self, double *paths_s, double *loading_s)
{
    const lane_loader *l = self;
    *paths_s = *loading_s = 0;
    for (int32_t k = 0; k < l->workers; k++) {
        *paths_s += l->worker[k].paths_s;
        *loading_s += l->worker[k].loading_s;
    }
}

mco_status traffic_loader_open_lanes(mco_context *ctx, const traffic_call *call, traffic_loader *out)
{
    mco_status st = MCO_OK;
    lane_loader *l = NULL;
    MCO_TRY(mco_alloc(ctx, &l, 1));
    l->ctx = ctx;
    l->problem = call->problem;
    l->stopper.call = call;
    l->stopper.has_grace = true;
    MCO_TRY(fill(ctx, call, l));
    *out = (traffic_loader){.self = l, .load = load, .prove = prove, .tell = tell, .close = close_loader, .simd = l->build->build.simd, .threads = l->workers, .lane_bits = 64};
    l = NULL;
done:
    if (l != NULL)
        close_loader(l);
    return st;
}
