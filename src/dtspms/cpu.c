// SPDX-License-Identifier: MIT
// The cpu engine: neighbours in vector lanes (dtspms/lanes.h), batches of them on all cores.
//
// Workers live as long as the engine and sleep between jobs. A scan is a job; its items are runs of consecutive moves.
// Each worker has a desk with the distances of its base plan.
//
// A scan that wants only the best 3-exchange begins with a lower bound for each exchange (dtspms/reuse.c). It evaluates
// only the exchanges that may be the best.
#include <limits.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/machine.h"
#include "base/simd.h"
#include "base/team.h"
#include "dtspms/engine.h"
#include "dtspms/lanes.h"
#include "dtspms/reuse.h"

enum { MOST_LANES = 64, BATCHES_IN_ITEM = 16 };

// ---- Variants

#define DECLARE(set, simd, bits)                                          \
    extern const dtspms_lanes_variant dtspms_lanes_##set##_##bits;        \
    extern const dtspms_reuse_variant dtspms_reuse_##set##_##bits;
#define LIST_LANES(set, simd, bits) &dtspms_lanes_##set##_##bits,
#define LIST_REUSE(set, simd, bits) &dtspms_reuse_##set##_##bits,

MCO_EACH_LANES(DECLARE, 16)
MCO_EACH_LANES(DECLARE, 32)
static const dtspms_lanes_variant *const variants[] = {MCO_EACH_LANES(LIST_LANES, 16) MCO_EACH_LANES(LIST_LANES, 32)};
static const dtspms_reuse_variant *const reuse_variants[] = {MCO_EACH_LANES(LIST_REUSE, 16) MCO_EACH_LANES(LIST_REUSE, 32)};

// ---- State

typedef struct worker {
    void *desk;
    void *reuse_desk;       // NULL until a scan asks for bounds
    int32_t *node;          // [orders]
    int64_t best_move;      // of its share of a scan
    int32_t best_cost_of[2];
    int64_t cost_sum, tours;
    int64_t reuse_relaxations;
} worker;

typedef struct cpu {
    mco_context *ctx;
    const dtspms_model *model;
    const dtspms_lanes_variant *variant;
    const dtspms_reuse_variant *reuse_variant;
    double free_bytes;     // memory allowed beyond the desks
    dtspms_lanes_distances distances;
    void *lanes_of[2][2];  // [network][columns] the memory behind `distances`; NULL where the columns are the rows
    int32_t heights[MCO_DTSPMS_MAX_STACKS];
    int64_t relaxations;   // of one tour
    worker *workers;       // [threads]
    int threads;
    mco_team team;         // the calling thread is one of them
    // The current job.
    void (*run_item)(struct cpu *cpu, worker *w, int64_t item);
    dtspms_scan *scan;
    const int64_t *list;   // [list_count] moves of the scan to evaluate; NULL: all moves, list_count of them
    int64_t list_count;
    dtspms_reuse reuse;
    double stop_s;
    atomic_bool is_stopped;
    const dtspms_plan *plan;
    const dtspms_move *moves;  // [move_count]
    int64_t move_count;
    int32_t *costs;
} cpu;

// Moves the workers' counts into the engine's.
static void count_tours(dtspms_engine *engine)
{
    cpu *c = engine->state;
    for (int t = 0; t < c->threads; t++) {
        engine->counters.tours += c->workers[t].tours;
        engine->counters.relaxations += c->workers[t].tours * c->relaxations;
        engine->counters.relaxations += c->workers[t].reuse_relaxations;
        c->workers[t].tours = c->workers[t].reuse_relaxations = 0;
    }
}

static void work(void *shared, int index, int64_t item)
{
    cpu *c = shared;
    c->run_item(c, &c->workers[index], item);
}

// Runs all items on the workers and waits for them.
static void run_job(cpu *c, void (*run_item)(cpu *, worker *, int64_t), int64_t items)
{
    c->run_item = run_item;
    mco_team_run(&c->team, items, work, NULL, c);
}

// ---- Scan

static int64_t item_moves(const cpu *c, int64_t moves)
{
    const int64_t even = (moves / ((int64_t)c->threads * 4) / c->variant->lanes + 1) * c->variant->lanes;
    const int64_t most = (int64_t)BATCHES_IN_ITEM * c->variant->lanes;
    return even < most ? even : most;
}

static void note_cost(worker *w, int64_t index, int32_t pickup, int32_t delivery)
{
    const int64_t cost = (int64_t)pickup + delivery;
    const int64_t best = (int64_t)w->best_cost_of[0] + w->best_cost_of[1];
    w->cost_sum += cost;
    if (w->best_move < 0 || cost < best || (cost == best && index < w->best_move)) {
        w->best_move = index;
        w->best_cost_of[0] = pickup;
        w->best_cost_of[1] = delivery;
    }
}

static void check_time(cpu *c)
{
    if (mco_clock_s() > c->stop_s || mco_is_cancelled(c->ctx))
        atomic_store(&c->is_stopped, true);
}

static void scan_item(cpu *c, worker *w, int64_t item)
{
    dtspms_scan *scan = c->scan;
    const int64_t moves = c->list_count, length = item_moves(c, moves);
    const int64_t end = (item + 1) * length < moves ? (item + 1) * length : moves;
    dtspms_move batch[MOST_LANES];
    int32_t pickup[MOST_LANES], delivery[MOST_LANES];
    if (atomic_load_explicit(&c->is_stopped, memory_order_relaxed))
        return;
    int64_t left = DTSPMS_LOOK;
    bool is_late = !c->variant->load(w->desk, scan->plan->node);
    for (int64_t at = item * length; at < end && !is_late; at += c->variant->lanes) {
        const int32_t count = (int32_t)(end - at < c->variant->lanes ? end - at : c->variant->lanes);
        for (int32_t l = 0; l < count; l++)
            dtspms_move_at(scan->plan, scan->kind, c->model->orders, c->list == NULL ? at + l : c->list[at + l], &batch[l]);
        is_late = !c->variant->run(w->desk, batch, count, pickup, delivery) ||
                  dtspms_is_late(c->model, &left, 2 * c->relaxations);
        for (int32_t l = 0; l < count && !is_late; l++) {
            note_cost(w, c->list == NULL ? at + l : c->list[at + l], pickup[l], delivery[l]);
            if (scan->costs != NULL)
                scan->costs[at + l] = pickup[l] + delivery[l];
        }
        w->tours += is_late ? 0 : 2 * count;
    }
    if (is_late)
        atomic_store(&c->is_stopped, true);
    check_time(c);
}

// Evaluates the moves of the list, or all moves if it is NULL. *best keeps the best of these and of earlier calls.
static void scan_list(cpu *c, const int64_t *list, int64_t count, worker *best)
{
    const int64_t length = item_moves(c, count);
    c->list = list;
    c->list_count = count;
    for (int t = 0; t < c->threads; t++) {
        c->workers[t].best_move = -1;
        c->workers[t].cost_sum = 0;
    }
    run_job(c, scan_item, (count + length - 1) / length);
    for (int t = 0; t < c->threads; t++) {
        const worker *w = &c->workers[t];
        if (w->best_move >= 0) {
            const int64_t sum = best->cost_sum;
            note_cost(best, w->best_move, w->best_cost_of[0], w->best_cost_of[1]);
            best->cost_sum = sum + w->cost_sum;
        }
    }
}

// ---- Scan with bounds

static void bound_item(cpu *c, worker *w, int64_t item)
{
    if (!atomic_load_explicit(&c->is_stopped, memory_order_relaxed))
        w->reuse_relaxations += dtspms_reuse_item(&c->reuse, w->reuse_desk, (int32_t)item);
    check_time(c);
}

// Whether the scan uses bounds. They do not pay for swaps: they would take as many sweeps as there are swaps.
static bool has_bounds(const cpu *c, const dtspms_scan *scan)
{
    const double bytes = c->threads * dtspms_reuse_worker_bytes(c->reuse_variant, c->model, c->heights);
    return scan->reuse && scan->kind == MCO_DTSPMS_MOVE_EXCHANGE && c->model->orders >= 3 &&
           bytes + dtspms_reuse_bytes(c->model) <= c->free_bytes;
}

// Lists the moves that may be better than *best, or as good with a lower index. Moves evaluated already have the bound
// INT32_MAX.
static int64_t list_remaining(const dtspms_reuse *reuse, const worker *best, int64_t *list)
{
    const int64_t cost = (int64_t)best->best_cost_of[0] + best->best_cost_of[1];
    int64_t count = 0, left = DTSPMS_LOOK;
    for (int64_t m = 0; m < reuse->moves && !dtspms_is_late(reuse->model, &left, 1); m++) {
        list[count] = m;
        count += reuse->bounds[m] < cost || (reuse->bounds[m] == cost && m < best->best_move);
    }
    return count;
}

// Evaluates the move of least bound of each item, then all other moves whose bound does not exceed the best cost so
// far.
static mco_status scan_by_bounds(dtspms_engine *engine, worker *best)
{
    mco_status st = MCO_OK;
    cpu *c = engine->state;
    int64_t *list = NULL, done = 0, count;
    MCO_TRY(dtspms_reuse_make(c->ctx, c->model, c->scan->plan, c->reuse_variant, &c->reuse));
    check_time(c);
    if (atomic_load(&c->is_stopped))
        goto done;
    MCO_TRY(mco_alloc(c->ctx, &list, c->reuse.moves + c->model->orders));
    for (int t = 0; t < c->threads; t++)
        if (c->workers[t].reuse_desk == NULL) {
            const double bytes = dtspms_reuse_worker_bytes(c->reuse_variant, c->model, c->heights);
            MCO_TRY(mco_alloc_bytes(c->ctx, &c->workers[t].reuse_desk, (size_t)bytes, 1));
        }
    run_job(c, bound_item, c->model->orders);
    if (atomic_load(&c->is_stopped))
        goto done;
    for (int32_t item = 0; item < c->model->orders; item++)
        if (c->reuse.least[item] >= 0) {
            list[done++] = c->reuse.least[item];
            c->reuse.bounds[c->reuse.least[item]] = INT32_MAX;
        }
    scan_list(c, list, done, best);
    if (atomic_load(&c->is_stopped))
        goto done;
    count = list_remaining(&c->reuse, best, list);
    check_time(c);
    if (atomic_load(&c->is_stopped))
        goto done;
    scan_list(c, list, count, best);
    engine->counters.tours_skipped += 2 * (c->reuse.moves - done - count);
done:
    mco_free(c->ctx, &list);
    dtspms_reuse_clear(c->ctx, &c->reuse);
    return st;
}

static mco_status scan(dtspms_engine *engine, dtspms_scan *scan, double stop_s)
{
    mco_status st = MCO_OK;
    cpu *c = engine->state;
    worker best = {.best_move = -1};
    c->scan = scan;
    c->stop_s = stop_s;
    atomic_store(&c->is_stopped, false);
    if (has_bounds(c, scan))
        st = scan_by_bounds(engine, &best);
    else
        scan_list(c, NULL, dtspms_move_count(scan->kind, c->model->orders), &best);
    count_tours(engine);
    scan->best_move = st != MCO_OK || atomic_load(&c->is_stopped) ? -1 : best.best_move;
    scan->best_cost_of[0] = best.best_cost_of[0];
    scan->best_cost_of[1] = best.best_cost_of[1];
    scan->cost_sum = scan->reuse ? -1 : best.cost_sum;
    return st;
}

// ---- Given moves

static void evaluate_item(cpu *c, worker *w, int64_t item)
{
    const int64_t length = item_moves(c, c->move_count), first = item * length;
    const int64_t end = first + length < c->move_count ? first + length : c->move_count;
    int32_t pickup[MOST_LANES], delivery[MOST_LANES];
    dtspms_plan plan = {.node = w->node};
    memcpy(plan.node, c->plan->node, (size_t)c->model->orders * sizeof *plan.node);
    for (int64_t at = first; at < end; at += c->variant->lanes) {
        const int32_t count = (int32_t)(end - at < c->variant->lanes ? end - at : c->variant->lanes);
        dtspms_move_apply(&c->moves[at], &plan);  // the batch differs less from its first plan than from c->plan
        const bool is_late = !c->variant->load(w->desk, plan.node) ||
                             !c->variant->run(w->desk, c->moves + at, count, pickup, delivery);
        for (int32_t l = 0; l < count; l++)
            c->costs[at + l] = is_late ? INT32_MAX : pickup[l] + delivery[l];
        w->tours += 2 * count;
    }
}

static mco_status evaluate(dtspms_engine *engine, const dtspms_plan *plan, const dtspms_move *moves, int64_t count, int32_t *costs)
{
    cpu *c = engine->state;
    const int64_t length = item_moves(c, count);
    c->plan = plan;
    c->moves = moves;
    c->move_count = count;
    c->costs = costs;
    run_job(c, evaluate_item, (count + length - 1) / length);
    count_tours(engine);
    return MCO_OK;
}

// ---- Open and close

static void close_cpu(dtspms_engine *engine)
{
    cpu *c = engine->state;
    if (c == NULL)
        return;
    mco_team_close(&c->team);
    for (int t = c->threads - 1; c->workers != NULL && t >= 0; t--) {
        mco_free(c->ctx, &c->workers[t].node);
        mco_free_bytes(c->ctx, &c->workers[t].reuse_desk);
        mco_free_bytes(c->ctx, &c->workers[t].desk);
    }
    mco_free(c->ctx, &c->workers);
    for (int network = 1; network >= 0; network--)
        for (int columns = 1; columns >= 0; columns--)
            mco_free_bytes(c->ctx, &c->lanes_of[network][columns]);
    mco_free(c->ctx, &c);
    engine->state = NULL;
}

// If time is over, the rest stays 0; a scan then ends at once.
static mco_status make_distances(cpu *c, int network, bool is_columns, void **out)
{
    mco_status st = MCO_OK;
    const int64_t n = c->model->nodes;
    const int32_t *distance = c->model->distance[network];
    int64_t left = DTSPMS_LOOK;
    MCO_TRY(mco_alloc_bytes(c->ctx, out, (size_t)(n * n), (size_t)c->variant->build.bits / CHAR_BIT));
    for (int64_t i = 0; i < n && !dtspms_is_late(c->model, &left, n); i++)
        for (int64_t j = 0; j < n; j++) {
            const int32_t length = is_columns ? distance[j * n + i] : distance[i * n + j];
            if (c->variant->build.bits == 16)
                ((int16_t *)*out)[i * n + j] = (int16_t)length;
            else
                ((int32_t *)*out)[i * n + j] = length;
        }
done:
    return st;
}

static bool fits_16_bits(const dtspms_model *model)
{
    for (int network = 0; network < 2; network++) {
        const int32_t longest = model->longest[0] > model->longest[1] ? model->longest[0] : model->longest[1];
        if (longest > INT16_MAX || model->path_bound[network] + longest > UINT16_MAX)
            return false;
    }
    return true;
}

static mco_status open_workers(cpu *c, double desk_bytes)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(c->ctx, &c->workers, c->threads));
    for (int t = 0; t < c->threads; t++) {
        MCO_TRY(mco_alloc_bytes(c->ctx, &c->workers[t].desk, (size_t)desk_bytes, 1));
        c->variant->open(c->workers[t].desk, c->model, c->heights, &c->distances);
        MCO_TRY(mco_alloc(c->ctx, &c->workers[t].node, c->model->orders));
    }
    MCO_TRY(mco_team_open(c->ctx, c->threads, false, &c->team));
done:
    return st;
}

mco_status dtspms_cpu_open(mco_context *ctx, const dtspms_model *model, const int32_t *heights,
                           const mco_dtspms_params *params, dtspms_engine *out)
{
    mco_status st = MCO_OK;
    cpu *c = NULL;
    dtspms_engine engine = {.ctx = ctx, .model = model, .scan = scan, .evaluate = evaluate, .close = close_cpu};
    MCO_TRY(mco_alloc(ctx, &c, 1));
    engine.state = c;
    c->ctx = ctx;
    c->model = model;
    c->threads = mco_settle_threads(params->threads);
    c->relaxations = dtspms_relaxations(heights, model->stacks);
    memcpy(c->heights, heights, (size_t)model->stacks * sizeof *heights);
    const int bits = fits_16_bits(model) ? 16 : 32;
    MCO_TRY(mco_pick(ctx, variants, params->simd, bits, &c->variant));
    MCO_TRY(mco_pick(ctx, reuse_variants, params->simd, bits, &c->reuse_variant));
    const double bytes = c->variant->desk_bytes(model, heights), allowed = mco_settle_memory(params->memory);
    if (bytes * c->threads > allowed)
        MCO_TRY(mco_fail(ctx, MCO_ERR_LIMIT, "the dynamic program over %d stacks of up to %d orders needs %.3g GiB for %d threads, "
                                             "%.3g GiB are allowed", model->stacks, heights[0], bytes * c->threads / 0x1p30,
                         c->threads, allowed / 0x1p30));
    c->free_bytes = allowed - bytes * c->threads;
    for (int network = 0; network < 2; network++) {
        MCO_TRY(make_distances(c, network, false, &c->lanes_of[network][0]));
        if (!model->is_symmetric[network])
            MCO_TRY(make_distances(c, network, true, &c->lanes_of[network][1]));
        c->distances.rows[network] = c->lanes_of[network][0];
        c->distances.columns[network] = c->lanes_of[network][model->is_symmetric[network] ? 0 : 1];
    }
    MCO_TRY(open_workers(c, bytes));
    engine.work.simd = c->variant->build.simd;
    engine.work.lane_bits = c->variant->build.bits;
    engine.work.threads = c->threads;
    *out = engine;
done:
    if (st != MCO_OK)
        close_cpu(&engine);
    return st;
}
