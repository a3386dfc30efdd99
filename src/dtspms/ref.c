// SPDX-License-Identifier: MIT
// The reference: the recurrence of dtspms/model.h over a table of all states (Casazza, Ceselli, Nunkesser 2012), short
// and plain, and an engine that uses it for every plan. Every engine must give the same answers.
//
// The number of a state has its heights as digits, the first stack the lowest digit. F_k(h) is entry k of state h. A
// state's number is greater than those of its predecessors. So one pass in the order of the numbers suffices, and each
// F_k(h + e_k) is written once, from h. F_k(h) with h_k = 0 is infinite except for h = 0; such entries are neither
// written nor read.
//
// A path visits a node at most once. It is at most path_bound < 2^30 long, so lengths fit 32 bits.
#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "base/machine.h"
#include "dtspms/engine.h"


// ---- One tour

typedef struct ref_tables {
    int32_t *length;  // [states * stacks] F
    uint8_t *from;    // [states * stacks] the lowest q that gives the minimum; NULL if no tour is wanted
} ref_tables;

// One plan as a network reads it.
typedef struct ref_reading {
    const dtspms_model *model;
    const dtspms_plan *plan;
    mco_dtspms_network network;
    int32_t first[MCO_DTSPMS_MAX_STACKS];  // position of the lowest order of each stack
} ref_reading;

static ref_reading read_plan(const dtspms_model *model, const dtspms_plan *plan, mco_dtspms_network network)
{
    ref_reading r = {.model = model, .plan = plan, .network = network};
    for (int32_t k = 0; k < model->stacks; k++)
        r.first[k] = dtspms_plan_first(plan, k);
    return r;
}

// a_k(step)
static int32_t node_at(const ref_reading *r, int32_t k, int32_t step)
{
    return dtspms_plan_step(r->plan->node + r->first[k], r->plan->heights[k], r->network, step);
}

// The least F_q(h) + D[a_q(h_q)][next] over q; *from receives the lowest such q.
static int32_t best_way(const ref_reading *r, const int32_t *h, bool is_empty, const int32_t *length, int32_t next,
                        int32_t *from)
{
    int32_t best = INT32_MAX;
    for (int32_t q = 0; q < r->model->stacks; q++) {
        if (h[q] == 0 && !is_empty)
            continue;
        const int32_t at = node_at(r, q, h[q]);
        const int32_t way = length[q] + r->model->distance[r->network][(int64_t)at * r->model->nodes + next];
        if (way < best) {
            best = way;
            *from = q;
        }
    }
    return best;
}

// Advances to the next heights; false after the last.
static bool next_heights(const int32_t *limits, int32_t stacks, int32_t *h)
{
    for (int32_t k = 0; k < stacks; k++) {
        if (h[k]++ < limits[k])
            return true;
        h[k] = 0;
    }
    return false;
}

// Writes the tour, backwards from the last state. Its last node is on stack `k`.
static void trace(const ref_reading *r, const ref_tables *t, int64_t state, const int64_t *digit, int32_t k, int32_t *tour)
{
    const int32_t stacks = r->model->stacks;
    int32_t h[MCO_DTSPMS_MAX_STACKS];
    memcpy(h, r->plan->heights, sizeof h);
    for (int32_t i = r->model->orders - 1; i >= 0; i--) {
        tour[i] = node_at(r, k, h[k]);
        const int32_t from = t->from[state * stacks + k];
        state -= digit[k];
        h[k]--;
        k = from;
    }
}

// -1 if time is over.
static int64_t best_tour(const dtspms_model *model, const dtspms_plan *plan, mco_dtspms_network network,
                         const ref_tables *t, int32_t *tour)
{
    const ref_reading r = read_plan(model, plan, network);
    const int32_t stacks = model->stacks;
    int32_t h[MCO_DTSPMS_MAX_STACKS] = {0}, from = 0;
    int64_t digit[MCO_DTSPMS_MAX_STACKS + 1] = {1};  // what one order more in a stack adds to the number of a state
    for (int32_t k = 0; k < stacks; k++) {
        digit[k + 1] = digit[k] * (plan->heights[k] + 1);
        t->length[k] = 0;
    }
    int64_t state = 0, left = DTSPMS_LOOK;
    do {
        if (dtspms_is_late(model, &left, (int64_t)stacks * stacks))
            return -1;
        for (int32_t k = 0; k < stacks; k++) {
            if (h[k] == plan->heights[k])
                continue;
            const int64_t entry = (state + digit[k]) * stacks + k;
            t->length[entry] =
                best_way(&r, h, state == 0, t->length + state * stacks, node_at(&r, k, h[k] + 1), &from);
            if (t->from != NULL)
                t->from[entry] = (uint8_t)from;
        }
        state++;
    } while (next_heights(plan->heights, stacks, h));
    const int64_t last = state - 1;
    const int32_t cost = best_way(&r, plan->heights, last == 0, t->length + last * stacks, 0, &from);
    if (tour != NULL)
        trace(&r, t, last, digit, from, tour);
    return cost;
}

double dtspms_tour_bytes(const int32_t *heights, int32_t stacks)
{
    return dtspms_states(heights, stacks) * (sizeof(int32_t) + sizeof(uint8_t));
}

mco_status dtspms_tour(mco_context *ctx, const dtspms_model *model, const dtspms_plan *plan, mco_dtspms_network network,
                       int64_t *cost, int32_t *tour)
{
    mco_status st = MCO_OK;
    ref_tables t = {0};
    const double entries = dtspms_states(plan->heights, model->stacks);
    if (entries > (double)(SIZE_MAX / sizeof *t.length))
        return mco_fail(ctx, MCO_ERR_MEMORY, "a tour needs a table of %.3g entries", entries);
    MCO_TRY(mco_alloc(ctx, &t.length, (size_t)entries));
    if (tour != NULL)
        MCO_TRY(mco_alloc(ctx, &t.from, (size_t)entries));
    *cost = best_tour(model, plan, network, &t, tour);
done:
    mco_free(ctx, &t.from);
    mco_free(ctx, &t.length);
    return st;
}

// ---- The engine

typedef struct ref_state {
    ref_tables tables;
    dtspms_plan trial;    // the plan with a move applied
    int64_t relaxations;  // of one tour
} ref_state;

// Evaluates the plan after `move`: makes the move, runs both tours, and undoes it. A cost is -1 if time is over.
static void price(dtspms_engine *engine, const dtspms_move *move, int64_t cost_of[2])
{
    ref_state *r = engine->state;
    int32_t before[DTSPMS_MOST_CHANGES];
    for (int32_t k = 0; k < move->count; k++)
        before[k] = r->trial.node[move->position[k]];
    dtspms_move_apply(move, &r->trial);
    for (mco_dtspms_network network = 0; network < 2; network++)
        cost_of[network] = best_tour(engine->model, &r->trial, network, &r->tables, NULL);
    for (int32_t k = 0; k < move->count; k++)
        r->trial.node[move->position[k]] = before[k];
    engine->counters.tours += 2;
    engine->counters.relaxations += 2 * r->relaxations;
}

static bool is_time_over(mco_context *ctx, double stop_s)
{
    return mco_is_cancelled(ctx) || mco_clock_s() > stop_s;
}

// With reuse it evaluates all moves too, but gives no sum.
static mco_status scan_moves(dtspms_engine *engine, dtspms_scan *scan, double stop_s)
{
    const int32_t orders = engine->model->orders;
    const int64_t moves = dtspms_move_count(scan->kind, orders);
    ref_state *r = engine->state;
    int64_t best = INT64_MAX, cost_of[2];
    memcpy(r->trial.node, scan->plan->node, (size_t)orders * sizeof *r->trial.node);
    scan->best_move = -1;
    scan->cost_sum = scan->reuse ? -1 : 0;
    for (int64_t index = 0; index < moves; index++) {
        dtspms_move move;
        if (is_time_over(engine->ctx, stop_s)) {
            scan->best_move = -1;
            return MCO_OK;
        }
        dtspms_move_at(&r->trial, scan->kind, orders, index, &move);
        price(engine, &move, cost_of);
        if (cost_of[0] < 0 || cost_of[1] < 0) {
            scan->best_move = -1;
            return MCO_OK;
        }
        const int64_t cost = cost_of[0] + cost_of[1];
        if (scan->costs != NULL)
            scan->costs[index] = (int32_t)cost;
        if (!scan->reuse)
            scan->cost_sum += cost;
        if (cost < best) {
            best = cost;
            scan->best_move = index;
            memcpy(scan->best_cost_of, cost_of, sizeof cost_of);
        }
    }
    return MCO_OK;
}

static mco_status evaluate(dtspms_engine *engine, const dtspms_plan *plan, const dtspms_move *moves, int64_t count, int32_t *costs)
{
    ref_state *r = engine->state;
    memcpy(r->trial.node, plan->node, (size_t)engine->model->orders * sizeof *r->trial.node);
    for (int64_t k = 0; k < count; k++) {
        int64_t cost_of[2];
        price(engine, &moves[k], cost_of);
        costs[k] = (int32_t)(cost_of[0] + cost_of[1]);
    }
    return MCO_OK;
}

// ---- Opening and closing

static void free_state(mco_context *ctx, ref_state **r)
{
    if (*r == NULL)
        return;
    mco_free(ctx, &(*r)->tables.length);
    mco_free(ctx, &(*r)->trial.node);
    mco_free(ctx, r);
}

static void close_engine(dtspms_engine *engine)
{
    ref_state *r = engine->state;
    free_state(engine->ctx, &r);
    engine->state = NULL;
}

mco_status dtspms_ref_open(mco_context *ctx, const dtspms_model *model, const int32_t *heights,
                           const mco_dtspms_params *params, dtspms_engine *out)
{
    mco_status st = MCO_OK;
    ref_state *r = NULL;
    const double need = dtspms_tour_bytes(heights, model->stacks), allowed = mco_settle_memory(params->memory);
    if (need > allowed)
        return mco_fail(ctx, MCO_ERR_LIMIT,
                        "the reference needs %.3g GiB for the states of a tour of %d orders in %d stacks, at most %.3g GiB "
                        "are allowed",
                        need / (1 << 30), model->orders, model->stacks, allowed / (1 << 30));
    MCO_TRY(mco_alloc(ctx, &r, 1));
    memcpy(r->trial.heights, heights, (size_t)model->stacks * sizeof *heights);
    r->relaxations = dtspms_relaxations(heights, model->stacks);
    MCO_TRY(mco_alloc(ctx, &r->trial.node, model->orders));
    MCO_TRY(mco_alloc(ctx, &r->tables.length, (size_t)dtspms_states(heights, model->stacks)));
    *out = (dtspms_engine){.ctx = ctx, .model = model, .state = r, .work = {.lane_bits = 32, .threads = 1},
                           .scan = scan_moves, .evaluate = evaluate, .close = close_engine};
done:
    if (st != MCO_OK)
        free_state(ctx, &r);
    return st;
}
