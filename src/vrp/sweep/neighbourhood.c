// SPDX-License-Identifier: MIT
// The descent over complete neighbourhoods (Schulz 2013). In every sweep an engine evaluates every move, and the
// descent makes the best one. One descent serves all engines; they give the same answers, so whole descents are the
// same.
//
// Moves are compared by penalty, then change of the cost, then 2-opt before 3-opt, then index. A move improves if its
// value is less than that of the tour. A tour with a route that is too heavy or too long is worse than any other: the
// descent makes the best feasible move whatever it costs, and ends if there is none.
//
// Independent moves: a route is what lies between two depots, and a move touches the routes whose edges it cuts. The
// descent takes the best move of each first edge, the best ones first, and makes each that touches no route touched
// before. What a move shifts or turns round besides are whole routes. These are worth the same at any place and, with
// symmetric distances, in both directions. So each move is made on a tour of the routes that it touches alone. The
// routes then go back to their places, and the changes of the cost add up.
//
// After every sweep the descent walks the tour again: it never trusts the value that an engine gives.
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "vrp/sweep/neighbourhood.h"

enum { TWO_OPT, THREE_OPT, KINDS };
enum { CUTS = 3 };  // edges that a move cuts at most

// What independent moves need. A tour of `count` nodes has count - 1 edges, and at most so many routes and moves to be
// made.
typedef struct independent {
    vrp_candidate *rows[KINDS];  // [edges] of the scans; NULL for a kind that is not evaluated
    vrp_candidate *moves;        // [edges] the moves that could be made
    int32_t *depot;              // [count] positions of the depots in the tour: route r lies behind depot[r]
    int32_t *route;              // [edges] route of each edge
    int32_t *content;            // [count] where the new customers of a route begin in `fresh`; -1: not touched
    int32_t *length;             // [count] the number of these customers
    int32_t *fresh;              // [2 * count] tours of the touched routes, one after the other
    int32_t fresh_used, routes;
} independent;

typedef struct descent {
    mco_context *ctx;
    vrp_engine *engine;
    const mco_vrp *problem;
    const mco_vrp_params *params;
    vrp_tour *tour;
    mco_vrp_neighbourhood_result *result;
    double begin_s, stop_s;
    double swept_s;      // end of the last sweep; the next begins there, as an engine may work during the report
    vrp_value value;     // of the tour
    int32_t routes;      // that are not empty
    bool is_feasible;    // capacity and length
    bool is_next;        // the tour is that of the last scan after its best move
    int32_t *spare;      // [count]
    int32_t *report;        // [tour nodes + 1] arrays of the incumbent
    mco_vrp_solution incumbent;  // for the callback
    int64_t sweep_room;
    independent many;
} descent;

static bool has_kind(const mco_vrp_params *p, int kind)
{
    return p->type == MCO_VRP_TYPE_THREE_OPT_COMPLETE || (p->type == MCO_VRP_TYPE_THREE_OPT) == (kind == THREE_OPT);
}

static bool is_filtered(const mco_vrp_params *p)
{
    return p->keep < 1;
}

static bool improves(const descent *d, const vrp_candidate *c)
{
    const vrp_value base = {d->value.penalty, 0};
    return c->move.x >= 0 && (!d->is_feasible || vrp_is_less(c->value, base));
}

// ---- Evaluation

// vrp_scan.ahead: 0 if the next tour does not follow from a single scan.
static int64_t sweeps_ahead(const descent *d)
{
    const mco_vrp_params *p = d->params;
    if (p->type == MCO_VRP_TYPE_THREE_OPT_COMPLETE || d->many.moves != NULL)
        return 0;
    return p->sweeps > 0 ? p->sweeps - d->result->sweep_count - 1 : INT32_MAX;
}

// Scans the kinds wanted. *best is the best move of all; *is_complete is false if a scan was interrupted. If the first
// improvement is wanted and 2-opt has one, there is no 3-opt scan.
static mco_status evaluate(descent *d, mco_vrp_sweep *sweep, vrp_candidate *best, bool *is_complete)
{
    mco_status st = MCO_OK;
    const mco_vrp_params *p = d->params;
    *best = (vrp_candidate){.move = {-1, -1, -1, -1}};
    *is_complete = true;
    for (int kind = 0; kind < KINDS; kind++) {
        if (!has_kind(p, kind) || (p->improvement == MCO_VRP_IMPROVEMENT_FIRST && best->move.x >= 0))
            continue;
        vrp_scan scan = {.tour = d->tour,
                         .is_three_opt = kind == THREE_OPT,
                         .wants_first = p->improvement == MCO_VRP_IMPROVEMENT_FIRST,
                         .hierarchy = (int)p->hierarchy,
                         .keep = is_filtered(p) ? (uint64_t)(p->keep * 0x1p64) : UINT64_MAX,
                         .filter_seed = (uint64_t)(p->filter_seed + d->result->sweep_count),
                         .filter = p->filter,
                         .rows = d->many.rows[kind],
                         .ahead = sweeps_ahead(d),
                         .is_next = d->is_next};
        MCO_TRY(d->engine->scan(d->engine, &scan, d->stop_s));
        sweep->moves += scan.moves;
        sweep->moves_skipped += scan.moves_skipped;
        if (scan.best.move.x >= 0 && (best->move.x < 0 || vrp_is_less(scan.best.value, best->value)))
            *best = scan.best;
        if (scan.best.move.x < 0 && (mco_is_cancelled(d->ctx) || mco_clock_s() > d->stop_s))
            *is_complete = false;
    }
done:
    return st;
}

// ---- Independent moves

static mco_status open_many(descent *d)
{
    mco_status st = MCO_OK;
    const int32_t count = d->tour->count;
    independent *m = &d->many;
    for (int kind = 0; kind < KINDS; kind++)
        if (has_kind(d->params, kind))
            MCO_TRY(mco_alloc(d->ctx, &m->rows[kind], count - 1));
    MCO_TRY(mco_alloc(d->ctx, &m->moves, count - 1));
    MCO_TRY(mco_alloc(d->ctx, &m->depot, count));
    MCO_TRY(mco_alloc(d->ctx, &m->route, count - 1));
    MCO_TRY(mco_alloc(d->ctx, &m->content, count));
    MCO_TRY(mco_alloc(d->ctx, &m->length, count));
    MCO_TRY(mco_alloc(d->ctx, &m->fresh, 2 * (int64_t)count));
done:
    return st;
}

static void close_many(mco_context *ctx, independent *m)
{
    mco_free(ctx, &m->fresh);
    mco_free(ctx, &m->length);
    mco_free(ctx, &m->content);
    mco_free(ctx, &m->route);
    mco_free(ctx, &m->depot);
    mco_free(ctx, &m->moves);
    for (int kind = 0; kind < KINDS; kind++)
        mco_free(ctx, &m->rows[kind]);
}

static int compare_moves(const void *left, const void *right)
{
    const vrp_candidate *a = left, *b = right;
    if (vrp_is_less(a->value, b->value) || vrp_is_less(b->value, a->value))
        return vrp_is_less(a->value, b->value) ? -1 : 1;
    if ((a->move.z < 0) != (b->move.z < 0))
        return a->move.z < 0 ? -1 : 1;
    return vrp_is_before(a->move, b->move) ? -1 : vrp_is_before(b->move, a->move);
}

// Lists the best move of each first edge that improves the tour, in their order; returns their number. None changes the
// penalty, since the best of them does not.
static int32_t list_moves(descent *d)
{
    independent *m = &d->many;
    int32_t count = 0;
    for (int32_t x = 0; x < d->tour->count - 1; x++) {
        const vrp_candidate *best = NULL;
        for (int kind = 0; kind < KINDS; kind++) {
            const vrp_candidate *row = m->rows[kind] != NULL ? &m->rows[kind][x] : NULL;
            if (row != NULL && improves(d, row) && (best == NULL || vrp_is_less(row->value, best->value)))
                best = row;
        }
        if (best != NULL)
            m->moves[count++] = *best;
    }
    if (count > 0)
        qsort(m->moves, (size_t)count, sizeof *m->moves, compare_moves);
    return count;
}

static void find_routes(descent *d)
{
    independent *m = &d->many;
    m->routes = -1;
    m->fresh_used = 0;
    for (int32_t i = 0; i < d->tour->count; i++) {
        if (d->tour->node[i] == 0) {
            m->depot[++m->routes] = i;
            m->content[m->routes] = -1;
        }
        if (i < d->tour->count - 1)
            m->route[i] = m->routes;
    }
}

static int32_t routes_of(const int32_t *node, int32_t count)
{
    int32_t routes = 0;
    for (int32_t i = 1; i < count; i++)
        routes += node[i - 1] == 0 && node[i] != 0;
    return routes;
}

// Makes the small tour of the routes that a move touches, at the end of `fresh`, and the move on that tour. False if
// one of the routes has been touched. touched[0..*touched_count) are the routes.
static bool make_small_tour(const descent *d, const vrp_move *move, vrp_tour *small, vrp_move *small_move,
                            int32_t touched[CUTS], int *touched_count)
{
    const independent *m = &d->many;
    const int32_t edges[CUTS] = {move->x, move->y, move->z};
    int32_t small_edges[CUTS] = {-1, -1, -1};
    *small = (vrp_tour){m->fresh + m->fresh_used, 1};
    *touched_count = 0;
    small->node[0] = 0;
    for (int k = 0; k < CUTS && edges[k] >= 0; k++) {
        const int32_t r = m->route[edges[k]], length = m->depot[r + 1] - m->depot[r];
        if (m->content[r] >= 0)
            return false;
        if (*touched_count == 0 || touched[*touched_count - 1] != r) {
            memcpy(small->node + small->count, d->tour->node + m->depot[r] + 1, (size_t)length * sizeof *small->node);
            small->count += length;
            touched[(*touched_count)++] = r;
        }
        small_edges[k] = small->count - 1 - (m->depot[r + 1] - edges[k]);
    }
    *small_move = (vrp_move){small_edges[0], small_edges[1], small_edges[2], move->p};
    return true;
}

// Makes one of several moves, unless it touches a route touched before or, together with the moves before, changes the
// penalty. *routes is the number of routes that are not empty. Returns whether the move is made.
static bool make_independent(descent *d, const vrp_move *move, int32_t *routes)
{
    independent *m = &d->many;
    vrp_tour small;
    vrp_move small_move;
    int32_t touched[CUTS];
    int touched_count;
    if (!make_small_tour(d, move, &small, &small_move, touched, &touched_count))
        return false;
    const int32_t before = routes_of(small.node, small.count);
    vrp_apply(&small, small_move, d->spare);
    const int32_t after = *routes - before + routes_of(small.node, small.count);
    if (vrp_penalty(after, d->problem->vehicles) != d->value.penalty)
        return false;
    *routes = after;
    for (int32_t k = 0, i = 1; k < touched_count; k++, i++) {
        m->content[touched[k]] = m->fresh_used + i;
        while (small.node[i] != 0)
            i++;
        m->length[touched[k]] = m->fresh_used + i - m->content[touched[k]];
    }
    m->fresh_used += small.count;
    assert(m->fresh_used <= 2 * d->tour->count);
    return true;
}

static void put_back(descent *d)
{
    const independent *m = &d->many;
    int32_t at = 1;
    d->spare[0] = 0;
    for (int32_t r = 0; r < m->routes; r++) {
        const bool is_touched = m->content[r] >= 0;
        const int32_t *from = is_touched ? m->fresh + m->content[r] : d->tour->node + m->depot[r] + 1;
        const int32_t length = is_touched ? m->length[r] : m->depot[r + 1] - m->depot[r] - 1;
        memcpy(d->spare + at, from, (size_t)length * sizeof *from);
        at += length;
        d->spare[at++] = 0;
    }
    assert(at == d->tour->count);
    memcpy(d->tour->node, d->spare, (size_t)at * sizeof *d->spare);
}

// Makes independent moves. Returns the change of the cost.
static int64_t make_many(descent *d, mco_vrp_sweep *sweep)
{
    int64_t change = 0;
    int32_t routes = d->routes;
    const int32_t count = list_moves(d);
    find_routes(d);
    for (int32_t k = 0; k < count; k++)
        if (make_independent(d, &d->many.moves[k].move, &routes)) {
            change += d->many.moves[k].value.cost;
            sweep->moves_made++;
        }
    put_back(d);
    return change;
}

// ---- Execution

// Makes the best move, or several. If the value of the tour then differs from what the engine gave, that is an error.
static mco_status execute(descent *d, const vrp_candidate *best, mco_vrp_sweep *sweep)
{
    const vrp_value before = d->value;
    int64_t change = best->value.cost;
    sweep->x = best->move.x;
    sweep->y = best->move.y;
    sweep->z = best->move.z;
    sweep->p = best->move.p;
    if (d->many.moves != NULL && d->is_feasible && best->value.penalty == before.penalty) {
        change = make_many(d, sweep);
    } else {
        vrp_apply(d->tour, best->move, d->spare);
        sweep->moves_made = 1;
        d->is_next = d->many.moves == NULL;
    }
    d->is_feasible = vrp_tour_value(d->problem, d->tour, &d->value, &d->routes);
    if (!d->is_feasible || d->value.penalty != best->value.penalty || d->value.cost != before.cost + change)
        return mco_fail(d->ctx, MCO_ERR_INTERNAL,
                        "move %d %d %d %d should give a tour of cost %lld with penalty %d, it gives cost %lld, penalty %d%s",
                        sweep->x, sweep->y, sweep->z, sweep->p, (long long)(before.cost + change), best->value.penalty,
                        (long long)d->value.cost, d->value.penalty, d->is_feasible ? "" : ", and breaks a limit");
    return MCO_OK;
}

// ---- The descent

static mco_status keep_sweep(descent *d, const mco_vrp_sweep *sweep)
{
    mco_status st = MCO_OK;
    mco_vrp_neighbourhood_result *r = d->result;
    MCO_TRY(mco_grow(d->ctx, &r->sweeps, &d->sweep_room, r->sweep_count + 1));
    r->sweeps[r->sweep_count++] = *sweep;
    r->moves += sweep->moves;
    r->moves_skipped += sweep->moves_skipped;
    r->scaled_cost = d->value.cost;
    r->routes = d->routes;
done:
    return st;
}

// Makes the tour a solution without empty routes, for the callback.
static void fill_incumbent(descent *d)
{
    int32_t routes = 0, customers = 0, *order = d->report + d->routes + 1;
    for (int32_t i = 1; i < d->tour->count; i++) {
        if (d->tour->node[i] == 0)
            continue;
        if (d->tour->node[i - 1] == 0)
            d->report[routes++] = customers;
        order[customers++] = d->tour->node[i] - 1;
    }
    d->report[routes] = customers;
    d->incumbent = (mco_vrp_solution){.customers = customers, .routes = routes, .order = order, .first = d->report};
}

// Calls the callback; true if it asks to stop.
static bool report(descent *d, const mco_vrp_sweep *sweep)
{
    if (d->ctx->callback == NULL)
        return mco_is_cancelled(d->ctx);
    const bool has_solution = d->is_feasible && d->value.penalty == 0;
    if (has_solution)
        fill_incumbent(d);
    const mco_progress progress = {.event = has_solution && sweep->moves_made > 0 ? MCO_EVENT_INCUMBENT : MCO_EVENT_PROGRESS,
                                   .time_s = mco_clock_s() - d->begin_s,
                                   .objective = has_solution ? (double)d->value.cost / d->problem->scale : NAN,
                                   .bound = NAN,
                                   .work = d->result->moves,
                                   .solution = has_solution ? &d->incumbent : NULL};
    return mco_call_back(d->ctx, &progress);
}

static bool ends(descent *d)
{
    mco_vrp_neighbourhood_result *r = d->result;
    if (r->is_local_optimum || (d->params->sweeps > 0 && r->sweep_count >= d->params->sweeps))
        r->stop = MCO_STOP_FINISHED;
    else if (mco_is_cancelled(d->ctx))
        r->stop = MCO_STOP_CANCELLED;
    else if (mco_clock_s() >= d->stop_s)
        r->stop = MCO_STOP_TIME;
    else
        return false;
    return true;
}

// Makes a sweep; *is_over if it is the last. An interrupted sweep is not kept. With a filter, a sweep without an
// improvement proves nothing; it is then the last only if no number of sweeps was given.
static mco_status make_sweep(descent *d, bool *is_over)
{
    mco_status st = MCO_OK;
    mco_vrp_sweep sweep = {.x = -1, .y = -1, .z = -1, .p = -1};
    vrp_candidate best;
    bool is_complete;
    const double begin_s = d->swept_s, device_s = d->engine->work.device_s;
    MCO_TRY(evaluate(d, &sweep, &best, &is_complete));
    if (!is_complete) {
        *is_over = true;
        d->result->stop = mco_is_cancelled(d->ctx) ? MCO_STOP_CANCELLED : MCO_STOP_TIME;
        return MCO_OK;
    }
    const bool is_improved = improves(d, &best);
    if (is_improved)
        MCO_TRY(execute(d, &best, &sweep));
    sweep.scaled_cost = d->value.cost;
    sweep.routes = d->routes;
    d->swept_s = mco_clock_s();
    sweep.sweep_s = d->swept_s - begin_s;
    sweep.device_s = d->engine->work.device_s - device_s;
    MCO_TRY(keep_sweep(d, &sweep));
    d->result->is_local_optimum = !is_improved && !is_filtered(d->params);
    const bool is_cancelled = report(d, &sweep);
    *is_over = ends(d);
    if (!*is_over && (is_cancelled || (!is_improved && d->params->sweeps == 0))) {
        d->result->stop = is_cancelled ? MCO_STOP_CANCELLED : MCO_STOP_FINISHED;
        *is_over = true;
    }
done:
    return st;
}

mco_status vrp_descend(mco_context *ctx, vrp_engine *engine, const mco_vrp_params *params, vrp_tour *tour,
                       mco_vrp_neighbourhood_result *result)
{
    mco_status st = MCO_OK;
    const double begin_s = mco_clock_s();
    descent d = {.ctx = ctx, .engine = engine, .problem = engine->problem, .params = params, .tour = tour, .result = result,
                 .begin_s = begin_s, .stop_s = begin_s + params->time_limit_s};
    if (params->moves == MCO_VRP_MOVES_INDEPENDENT && !engine->problem->is_symmetric)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "independent moves need symmetric distances, these are not");
    if (params->moves == MCO_VRP_MOVES_INDEPENDENT && params->improvement == MCO_VRP_IMPROVEMENT_FIRST)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "independent moves are best moves, the improvement has to be best, not first");
    d.is_feasible = vrp_tour_value(d.problem, tour, &d.value, &d.routes);
    result->tour_nodes = tour->count;
    result->scaled_start_cost = result->scaled_cost = d.value.cost;
    result->start_routes = result->routes = d.routes;
    result->is_local_optimum = false;
    result->sweep_count = result->moves = result->moves_skipped = 0;
    MCO_TRY(mco_alloc(ctx, &d.spare, tour->count));
    MCO_TRY(mco_alloc(ctx, &d.report, (int64_t)tour->count + 1));
    if (params->moves == MCO_VRP_MOVES_INDEPENDENT)
        MCO_TRY(open_many(&d));
    d.swept_s = mco_clock_s();
    for (bool is_over = ends(&d); !is_over;)
        MCO_TRY(make_sweep(&d, &is_over));
done:
    result->sweeps_s = mco_clock_s() - begin_s;
    close_many(ctx, &d.many);
    mco_free(ctx, &d.report);
    mco_free(ctx, &d.spare);
    return st;
}
