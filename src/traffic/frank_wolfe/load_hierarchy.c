// SPDX-License-Identifier: MIT
// All-or-nothing by a customizable hierarchy (Dibbelt, Strasser, Wagner 2016; Buchhold, Sanders, Wagner 2019, for loads). Links are
// ordered once; each load customises with integer weights and sweeps 16 trees at a time. Trips then walk down the hierarchy
// backwards: from the end of a trip up along arcs whose weights explain the labels, to a vertex that the way up from the origin reaches,
// and down that way. So a trip touches tens of arcs, whatever the length of its path. At last, arcs are unpacked from the top: the flow of a shortcut goes to its two parts.
//
// A weight is scale * cost, rounded down. So a label divided by the scale never exceeds the least cost, and the sum over all trips is a true lower
// bound. The scale is a power of two that makes the longest label nearly 2^29: the loss is at most 2^-28 of that for each link of a path. Labels divided
// by it are exact doubles, and prove the gap without another search.
//
// Flows are sums of integers, and each choice among equal paths follows a fixed order of arcs. So threads add to one array in any order.
#include <string.h>

#include "base/clock.h"
#include "base/machine.h"
#include "paths/hierarchy/query.h"
#include "paths/hierarchy/unpack.h"
#include "traffic/frank_wolfe/lanes.h"
#include "traffic/frank_wolfe/load.h"
#include "traffic/frank_wolfe/order.h"
#include "traffic/model/roads.h"

enum {
    LANES = TRAFFIC_TREES,
    PROOF_LANES = 8,       // of a certificate
    NONE = MCO_PATHS_NONE,
    LONGEST = 1 << 29,     // the longest label that the scale aims at
    MOST_TRIES = 60,       // each divides the scale: at last all weights are 0
    COARSER = 4,
    MOST_ARCS = 20         // of the hierarchy for a link: a row takes about 0.4 ns an arc, by lanes 14 ns a link
};

// The way up from an origin, by depth.
typedef struct way {
    int32_t *label;  // [height]
    int32_t *arc;    // [height] the arc that gave the label
    int32_t *from;   // [height] the depth of its tail
    int64_t *flow;   // [height] zero between two batches
} way;

typedef struct worker {
    paths_batch batch;
    int32_t *label;     // [vertices][LANES] by rank
    int64_t *flow;      // [vertices][LANES] at vertices, zero between two batches
    uint64_t *touched;  // [vertices / 64 + 1] vertices with flow, zero between two batches
    uint16_t *above;    // [vertices] lanes in which the way up gives the label, zero between two batches
    way way[LANES];
    int32_t longest;    // of the labels at ends of trips
    double *proof;      // [vertices][8] labels of half a batch by node
    double paths_s, loading_s;
} worker;

typedef struct hierarchy_loader {
    traffic_stopper stopper;  // first
    mco_context *ctx;
    const traffic_problem *problem;
    mco_paths_params params;
    mco_paths_hierarchy *hierarchy;
    paths_batches batches;
    const traffic_lane_build *build;
    traffic_amounts amounts;
    int32_t *weight;           // [links]
    atomic_int_least64_t *arc_flow;  // [2 * arcs] by slot
    int64_t *link_flow;        // [links]
    double *least;             // [rows]
    double scale;          // of the class that is loaded
    double class_scale[MCO_TRAFFIC_MAX_CLASSES];  // labels of classes differ in length
    atomic_bool is_too_long;   // a label is beyond the limit
    int32_t longest;           // label of a class, of all ranks
    int32_t first_row, last_row;
    traffic_certificate *certificate;  // that takes the labels; NULL: rows are loaded
    int32_t workers;
    worker *worker;            // [workers]
    mco_team team;
    double serial_s;           // customising and unpacking
} hierarchy_loader;

// ---- Opening

static mco_status make_hierarchy(mco_context *ctx, const traffic_call *call, hierarchy_loader *l)
{
    mco_status st = MCO_OK;
    mco_paths_network *network = NULL;
    const double begin_s = mco_clock_s();
    l->params = (mco_paths_params)MCO_PATHS_PARAMS_INIT;
    l->params.engine = MCO_ENGINE_CPU;
    l->params.threads = call->params->threads;
    l->params.simd = call->params->simd;
    l->params.time_limit_s = call->run->stop_s - begin_s > 0 ? call->run->stop_s - begin_s : 0;
    MCO_TRY(traffic_roads_make(ctx, call->problem, &network));
    MCO_TRY(mco_paths_prepare(ctx, network, NULL, &l->params, &l->hierarchy));
    if (l->hierarchy->topology.arcs > (int64_t)MOST_ARCS * call->problem->links)
        MCO_TRY(mco_fail(ctx, MCO_ERR_LIMIT, "a hierarchy would have %d arcs for %d links, at most %d times as many pay", l->hierarchy->topology.arcs,
                         call->problem->links, MOST_ARCS));
    mco_log(ctx, MCO_LOG_INFO, "all-or-nothing by a hierarchy: %d arcs for %d links; prepared in %.2f s", l->hierarchy->topology.arcs,
            call->problem->links, mco_clock_s() - begin_s);
done:
    mco_paths_destroy(ctx, &network);
    return st;
}

static mco_status open_worker(mco_context *ctx, const hierarchy_loader *l, worker *w)
{
    mco_status st = MCO_OK;
    const paths_topology *t = &l->hierarchy->topology;
    MCO_TRY(paths_batch_open(ctx, l->hierarchy, &w->batch));
    MCO_TRY(mco_alloc(ctx, &w->label, (int64_t)t->vertices * LANES));
    MCO_TRY(mco_alloc(ctx, &w->flow, (int64_t)t->vertices * LANES));
    MCO_TRY(mco_alloc(ctx, &w->touched, t->vertices / 64 + 1));
    MCO_TRY(mco_alloc(ctx, &w->above, t->vertices));
    MCO_TRY(mco_alloc(ctx, &w->proof, (int64_t)t->vertices * PROOF_LANES));
    for (int32_t k = 0; k < LANES; k++) {
        MCO_TRY(mco_alloc(ctx, &w->way[k].label, t->height));
        MCO_TRY(mco_alloc(ctx, &w->way[k].arc, t->height));
        MCO_TRY(mco_alloc(ctx, &w->way[k].from, t->height));
        MCO_TRY(mco_alloc(ctx, &w->way[k].flow, t->height));
    }
done:
    return st;
}

static void close_worker(mco_context *ctx, worker *w)
{
    for (int32_t k = 0; k < LANES; k++) {
        mco_free(ctx, &w->way[k].flow);
        mco_free(ctx, &w->way[k].from);
        mco_free(ctx, &w->way[k].arc);
        mco_free(ctx, &w->way[k].label);
    }
    mco_free(ctx, &w->proof);
    mco_free(ctx, &w->above);
    mco_free(ctx, &w->touched);
    mco_free(ctx, &w->flow);
    mco_free(ctx, &w->label);
    paths_batch_close(ctx, &w->batch);
}

static void close_loader(void *self)
{
    hierarchy_loader *l = self;
    mco_context *ctx = l->ctx;
    mco_team_close(&l->team);
    for (int32_t k = 0; l->worker != NULL && k < l->workers; k++)
        close_worker(ctx, &l->worker[k]);
    mco_free(ctx, &l->worker);
    mco_free(ctx, &l->least);
    mco_free(ctx, &l->link_flow);
    mco_free(ctx, &l->arc_flow);
    mco_free(ctx, &l->weight);
    traffic_amounts_clear(ctx, &l->amounts);
    paths_batches_close(ctx, &l->batches);
    mco_paths_hierarchy_destroy(ctx, &l->hierarchy);
    mco_free(ctx, &l);
}

// Errors: LIMIT, if one worker does not fit.
static mco_status fit_memory(mco_context *ctx, hierarchy_loader *l, const traffic_call *call)
{
    const paths_topology *t = &l->hierarchy->topology;
    const double shared = 60.0 * t->arcs + 20.0 * l->problem->links, own = t->vertices * (12.0 * LANES + 4 + 8.0 * PROOF_LANES) + 20.0 * LANES * t->height;
    l->workers = mco_settle_threads(call->params->threads);
    while (l->workers > 1 && shared + l->workers * own > call->memory)
        l->workers--;
    if (shared + own > call->memory)
        return mco_fail(ctx, MCO_ERR_LIMIT, "all-or-nothing takes %.0f bytes, at most %.0f are allowed", shared + own, call->memory);
    return MCO_OK;
}

// The greatest power of two that is not above x > 0.
static double floor_power(double x)
{
    int exponent;
    frexp(x, &exponent);
    return ldexp(1, exponent - 1);
}

// The first scale: labels from anywhere are at most about twice the longest one from the first origin.
static mco_status first_scale(mco_context *ctx, hierarchy_loader *l)
{
    mco_status st = MCO_OK;
    traffic_search search = {0};
    const traffic_problem *p = l->problem;
    MCO_TRY(traffic_search_open(ctx, p, &search));
    const int32_t settled = traffic_search_tree(p, p->costs.base, p->row_origin[0], NULL, NULL, &search);
    const double longest = search.label[search.settled[settled - 1]];
    for (int32_t k = 0; k < MCO_TRAFFIC_MAX_CLASSES; k++)
        l->class_scale[k] = longest > 0 ? floor_power(LONGEST / 2 / longest) : 1;
done:
    traffic_search_close(ctx, &search);
    return st;
}

static mco_status fill(mco_context *ctx, const traffic_call *call, hierarchy_loader *l)
{
    mco_status st = MCO_OK;
    MCO_TRY(make_hierarchy(ctx, call, l));
    MCO_TRY(fit_memory(ctx, l, call));
    MCO_TRY(traffic_lanes_find(ctx, call->params->simd, &l->build));
    MCO_TRY(paths_batches_open(ctx, l->hierarchy, call->params->simd, &l->batches));
    MCO_TRY(traffic_amounts_make(ctx, l->problem, &l->amounts));
    MCO_TRY(mco_alloc(ctx, &l->weight, l->problem->links));
    MCO_TRY(mco_alloc(ctx, &l->arc_flow, 2 * (int64_t)l->hierarchy->topology.arcs));
    MCO_TRY(mco_alloc(ctx, &l->link_flow, l->problem->links));
    MCO_TRY(mco_alloc(ctx, &l->least, l->problem->rows));
    MCO_TRY(first_scale(ctx, l));
    MCO_TRY(mco_alloc(ctx, &l->worker, l->workers));
    for (int32_t k = 0; k < l->workers; k++)
        MCO_TRY(open_worker(ctx, l, &l->worker[k]));
    MCO_TRY(mco_team_open(ctx, l->workers, l->workers > 1, &l->team));
done:
    return st;
}

// ---- A batch

static bool is_end(const paths_topology *t, int32_t v)
{
    return t->is_end != NULL && t->is_end[v];
}

static void add_flow(hierarchy_loader *l, int64_t slot, int64_t amount)
{
    atomic_fetch_add_explicit(&l->arc_flow[slot], amount, memory_order_relaxed);
}

// Labels of the ancestors of a source that ways up give, with the arcs that gave them. Ends are reached and not passed.
static void climb(const hierarchy_loader *l, worker *w, int32_t source, int32_t lane)
{
    const paths_topology *t = &l->hierarchy->topology;
    const int32_t *up = l->hierarchy->metric.up;
    const way *to = &w->way[lane];
    int32_t depth = t->depth[source];
    for (int32_t d = 0; d < depth; d++)
        to->label[d] = NONE;
    to->label[depth] = 0;
    for (int32_t x = source; x >= 0; x = t->parent[x], depth--) {
        const int32_t label = to->label[depth];
        if (label >= NONE)
            continue;
        if (label == w->label[(int64_t)x * LANES + lane])
            w->above[x] |= (uint16_t)(1 << lane);
        if (is_end(t, x) && x != source)
            continue;
        for (int32_t a = t->first[x]; a < t->first[x + 1]; a++) {
            const int32_t h = t->height - 1 - t->head_height[a];
            if (label + up[a] < to->label[h]) {
                to->label[h] = label + up[a];
                to->arc[h] = a;
                to->from[h] = depth;
            }
        }
    }
}

// Puts the trips of a row where they end. False: a label is beyond the limit.
static bool put_row(hierarchy_loader *l, worker *w, int32_t row, int32_t lane)
{
    const traffic_problem *p = l->problem;
    const paths_topology *t = &l->hierarchy->topology;
    double sum = 0;
    bool is_whole = true;
    for (int64_t k = p->row_first[row]; k < p->row_first[row + 1]; k++) {
        const int32_t v = t->rank[p->to[k]], label = w->label[(int64_t)v * LANES + lane];
        is_whole = is_whole && label < NONE;
        w->longest = label > w->longest ? label : w->longest;
        sum += p->amount[k] * label;
        w->flow[(int64_t)v * LANES + lane] += l->amounts.whole[k];
        w->touched[v >> 6] |= (uint64_t)1 << (v & 63);
    }
    l->least[row] = sum / l->scale;
    return is_whole;
}

// A trip between two ends over the arc that joins them. False: there is none.
static bool join_ends(hierarchy_loader *l, int32_t source, int32_t vertex, int32_t label, int64_t amount)
{
    const paths_topology *t = &l->hierarchy->topology;
    for (int32_t a = t->first[vertex]; a < t->first[vertex + 1]; a++)
        if (t->head[a] == source && l->hierarchy->metric.down[a] == label) {
            add_flow(l, 2 * (int64_t)a + 1, amount);
            return true;
        }
    return false;
}

// Moves the flows at a vertex: to the way up where that gives the label, else over an arc down, backwards.
static bool move_vertex(hierarchy_loader *l, worker *w, const traffic_descent *d, const int32_t *source, int32_t vertex)
{
    int64_t *flow = w->flow + (int64_t)vertex * LANES;
    uint32_t pending = 0;
    bool is_whole = true;
    for (int32_t k = 0; k < LANES; k++)
        pending |= (uint32_t)(flow[k] != 0) << k;
    for (uint32_t mask = pending & w->above[vertex]; mask != 0; mask &= mask - 1) {
        const int32_t k = __builtin_ctz(mask);
        w->way[k].flow[l->hierarchy->topology.depth[vertex]] += flow[k];
    }
    pending &= ~(uint32_t)w->above[vertex];
    if (pending != 0)
        pending = l->build->descend(d, vertex, pending);
    for (; pending != 0; pending &= pending - 1) {
        const int32_t k = __builtin_ctz(pending);
        is_whole = join_ends(l, source[k], vertex, w->label[(int64_t)vertex * LANES + k], flow[k]) && is_whole;
    }
    memset(flow, 0, LANES * sizeof *flow);
    return is_whole;
}

// Moves the flows at ancestors of a source down to it.
static void follow_way(hierarchy_loader *l, worker *w, int32_t source, int32_t lane)
{
    const paths_topology *t = &l->hierarchy->topology;
    const way *way_up = &w->way[lane];
    for (int32_t d = 0; d < t->depth[source]; d++)
        if (way_up->flow[d] != 0) {
            add_flow(l, 2 * (int64_t)way_up->arc[d], way_up->flow[d]);
            way_up->flow[way_up->from[d]] += way_up->flow[d];
            way_up->flow[d] = 0;
        }
    way_up->flow[t->depth[source]] = 0;
    for (int32_t x = source; x >= 0; x = t->parent[x])
        w->above[x] = 0;
}

// Loads rows begin .. begin + count - 1, whose labels are in the lanes. False: a label is beyond the limit.
static bool load_rows(hierarchy_loader *l, worker *w, int32_t begin, int32_t count, const int32_t *source)
{
    const paths_topology *t = &l->hierarchy->topology;
    const traffic_descent d = {.first = t->first, .head = t->head, .label = w->label, .flow = w->flow, .touched = w->touched, .arc_flow = l->arc_flow,
                               .down = l->batches.down != NULL ? l->batches.down : l->hierarchy->metric.down};
    bool is_whole = true;
    for (int32_t k = 0; k < count; k++) {
        climb(l, w, source[k], k);
        is_whole = put_row(l, w, begin + k, k) && is_whole;
    }
    // Arcs lead to higher ranks, so a vertex has all of its flow when its turn comes.
    for (int32_t word = 0; word <= t->vertices / 64; word++)
        while (w->touched[word] != 0) {
            const int32_t v = word * 64 + __builtin_ctzll(w->touched[word]);
            w->touched[word] &= w->touched[word] - 1;
            is_whole = move_vertex(l, w, &d, source, v) && is_whole;
        }
    for (int32_t k = 0; k < count; k++)
        follow_way(l, w, source[k], k);
    return is_whole;
}

// Labels of 8 lanes by node. A label beyond the limit counts as the limit, which keeps label[head] <= label[tail] + weight.
static void prove_rows(hierarchy_loader *l, worker *w, int32_t begin, int32_t count)
{
    const int32_t *rank = l->hierarchy->topology.rank, nodes = l->problem->nodes;
    const double unit = 1 / l->scale;
    for (int32_t half = 0; half < count; half += PROOF_LANES) {
        int32_t row[PROOF_LANES];
        for (int32_t k = 0; k < PROOF_LANES; k++)
            row[k] = half + k < count ? begin + half + k : -1;
        for (int32_t v = 0; v < nodes; v++)
            for (int32_t k = 0; k < PROOF_LANES; k++)
                w->proof[(int64_t)v * PROOF_LANES + k] = unit * w->label[(int64_t)rank[v] * LANES + half + k];
        traffic_certificate_lanes8(l->certificate, row, w->proof);
    }
}

static void load_batch(void *shared, int index, int64_t item)
{
    hierarchy_loader *l = shared;
    worker *w = &l->worker[index];
    const int32_t begin = l->first_row + (int32_t)traffic_own_item(l->ctx, item) * LANES, count = l->last_row - begin < LANES ? l->last_row - begin : LANES;
    int32_t source[LANES] = {0};
    const double begin_s = mco_clock_s();
    if (atomic_load_explicit(&l->stopper.is_set, memory_order_relaxed) || atomic_load_explicit(&l->is_too_long, memory_order_relaxed))
        return;
    for (int32_t k = 0; k < count; k++)
        source[k] = l->hierarchy->topology.rank[l->problem->row_origin[begin + k]];
    if (!paths_batch_sweep(&l->batches, &w->batch, LANES, count, source, w->label, &l->stopper.is_set))
        return;
    const double middle_s = mco_clock_s();
    w->paths_s += middle_s - begin_s;
    if (l->certificate != NULL)
        prove_rows(l, w, begin, count);
    else if (!load_rows(l, w, begin, count, source))
        atomic_store_explicit(&l->is_too_long, true, memory_order_relaxed);
    w->loading_s += mco_clock_s() - middle_s;
}

// ---- A load

static mco_status customise(hierarchy_loader *l, const double *cost)
{
    mco_status st = MCO_OK;
    for (int32_t a = 0; a < l->problem->links; a++) {
        const double weight = floor(cost[a] * l->scale);
        l->weight[a] = weight < NONE ? (int32_t)weight : NONE;
    }
    const traffic_call *call = l->stopper.call;
    const double stop_s = call->run->stop_s + (l->stopper.has_grace ? call->grace_s : 0);
    l->params.time_limit_s = fmax(0, stop_s - mco_clock_s());
    MCO_TRY(mco_paths_customise(l->ctx, l->hierarchy, l->weight, &l->params));
    paths_batches_weigh(&l->batches);
    memset((void *)l->arc_flow, 0, 2 * (size_t)l->hierarchy->topology.arcs * sizeof *l->arc_flow);
done:
    return st;
}

// Moves flows from arcs to their parts, which have lower tails, and at last to links; those of all ranks are summed there.
static mco_status unpack(hierarchy_loader *l, double *flow)
{
    paths_expansion *expansion = NULL;
    mco_status st = MCO_OK;
    MCO_TRY(paths_expansions_make(l->ctx, l->hierarchy, &expansion));
    memset(l->link_flow, 0, (size_t)l->problem->links * sizeof *l->link_flow);
    for (int64_t slot = 2 * (int64_t)l->hierarchy->topology.arcs - 1; slot >= 0; slot--) {
        const int64_t amount = atomic_load_explicit(&l->arc_flow[slot], memory_order_relaxed);
        const paths_expansion e = expansion[slot];
        if (amount == 0)
            continue;
        if (e.first == PATHS_PLAIN) {
            l->link_flow[e.second] += amount;
            continue;
        }
        const bool is_down = slot % 2 != 0;  // the path of a way down enters the middle from the upper end
        add_flow(l, 2 * (int64_t)(is_down ? e.second : e.first) + 1, amount);
        add_flow(l, 2 * (int64_t)(is_down ? e.first : e.second), amount);
    }
    MCO_TRY(mco_ranks_reduce(l->ctx, l->link_flow, l->problem->links, MCO_REDUCE_SUM));
    for (int32_t a = 0; a < l->problem->links; a++)
        flow[a] = (double)l->link_flow[a] * l->amounts.unit;
done:
    mco_free(l->ctx, &expansion);
    return st;
}

static int32_t longest_label(const hierarchy_loader *l)
{
    int32_t longest = 1;
    for (int32_t i = 0; i < l->workers; i++)
        longest = l->worker[i].longest > longest ? l->worker[i].longest : longest;
    return longest;
}

// All rows at the present scale. *is_done: no label was too long.
static mco_status try_rows(hierarchy_loader *l, const double *cost, bool *is_done)
{
    mco_status st = MCO_OK;
    const double begin_s = mco_clock_s();
    const int64_t batches = (l->last_row - l->first_row + LANES - 1) / LANES;
    MCO_TRY(mco_ranks_agree(l->ctx, customise(l, cost)));
    l->serial_s += mco_clock_s() - begin_s;
    memset(l->least + l->first_row, 0, (size_t)(l->last_row - l->first_row) * sizeof *l->least);  // other ranks have the other rows
    atomic_store(&l->is_too_long, false);
    traffic_stopper_watch(l);
    mco_team_run(&l->team, traffic_own_items(l->ctx, batches), load_batch, traffic_stopper_watch, l);
    int64_t greatest[2] = {atomic_load(&l->is_too_long), longest_label(l)};
    MCO_TRY(traffic_settle_job(l->ctx, &l->stopper, greatest));
    if (atomic_load(&l->stopper.is_set))
        MCO_TRY(mco_fail(l->ctx, MCO_ERR_STOPPED, "stopped while trips were loaded"));
    *is_done = greatest[0] == 0;
    l->longest = (int32_t)greatest[1];
done:
    return st;
}

static mco_status load_class(hierarchy_loader *l, int32_t k, const double *cost, double *flow)
{
    mco_status st = MCO_OK;
    bool is_done = l->last_row == l->first_row;
    if (is_done) {
        memset(flow, 0, (size_t)l->problem->links * sizeof *flow);
        return MCO_OK;
    }
    for (int32_t t = 0; t < MOST_TRIES && !is_done; t++) {
        MCO_TRY(try_rows(l, cost, &is_done));
        if (!is_done)
            l->scale /= COARSER;
    }
    if (!is_done)
        MCO_TRY(mco_fail(l->ctx, MCO_ERR_INTERNAL, "trips without a path"));
    const double begin_s = mco_clock_s();
    MCO_TRY(unpack(l, flow));
    l->serial_s += mco_clock_s() - begin_s;
    for (int32_t i = 0; i < l->workers; i++)
        l->worker[i].longest = 0;
    l->class_scale[k] = l->scale * floor_power((double)LONGEST / l->longest);
done:
    return st;
}

// The rows of class k are the next ones after those of class k - 1.
static void take_class(hierarchy_loader *l, int32_t k)
{
    const traffic_problem *p = l->problem;
    l->scale = l->class_scale[k];
    l->first_row = k == 0 ? 0 : l->last_row;
    l->last_row = l->first_row;
    while (l->last_row < p->rows && p->row_class[l->last_row] == k)
        l->last_row++;
}

static mco_status load(void *self, const double *cost, double *flow, double *least)
{
    hierarchy_loader *l = self;
    const traffic_problem *p = l->problem;
    for (int32_t k = 0; k < p->classes; k++) {
        take_class(l, k);
        const mco_status st = load_class(l, k, cost + (p->extra != NULL ? (int64_t)k * p->links : 0), flow + (int64_t)k * p->links);
        if (st != MCO_OK)
            return st;
    }
    l->stopper.has_grace = false;
    const mco_status st = traffic_join_values(l->ctx, l->least, p->rows);
    *least = 0;
    for (int32_t r = 0; r < p->rows; r++)
        *least += l->least[r];
    return st;
}

static mco_status prove(void *self, traffic_certificate *certificate)
{
    hierarchy_loader *l = self;
    mco_status st = MCO_OK;
    bool is_done;
    for (int32_t k = 0; k < l->workers && atomic_load(&l->stopper.is_set); k++) {  // sweeps that were stopped are closed
        paths_batch_close(l->ctx, &l->worker[k].batch);
        st = paths_batch_open(l->ctx, l->hierarchy, &l->worker[k].batch);
        if (st != MCO_OK)
            return st;
    }
    l->certificate = certificate;
    l->stopper.has_grace = true;
    atomic_store(&l->stopper.is_set, false);
    for (int32_t k = 0; k < l->problem->classes && st == MCO_OK; k++) {
        take_class(l, k);
        if (l->last_row > l->first_row)
            st = try_rows(l, traffic_certificate_cost(certificate, l->first_row), &is_done);
    }
    l->certificate = NULL;
    l->stopper.has_grace = false;
    return st == MCO_ERR_STOPPED || st == MCO_OK ? traffic_join_proofs(l->ctx, certificate) : st;
}

static void tell(void *self, double *paths_s, double *loading_s)
{
    const hierarchy_loader *l = self;
    *paths_s = l->serial_s;
    *loading_s = 0;
    for (int32_t k = 0; k < l->workers; k++) {
        *paths_s += l->worker[k].paths_s;
        *loading_s += l->worker[k].loading_s;
    }
}

mco_status traffic_loader_open_hierarchy(mco_context *ctx, const traffic_call *call, traffic_loader *out)
{
    mco_status st = MCO_OK;
    hierarchy_loader *l = NULL;
    MCO_TRY(mco_alloc(ctx, &l, 1));
    l->ctx = ctx;
    l->problem = call->problem;
    l->stopper.call = call;
    l->stopper.has_grace = true;
    MCO_TRY(fill(ctx, call, l));
    *out = (traffic_loader){.self = l, .load = load, .prove = prove, .tell = tell, .close = close_loader, .simd = l->batches.lanes->build.simd,
                            .threads = l->workers, .lane_bits = 32};
    l = NULL;
done:
    if (l != NULL)
        close_loader(l);
    return st;
}
