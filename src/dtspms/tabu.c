// SPDX-License-Identifier: MIT
// The multistart tabu search of Urrutia, Milanes and Lokketangen (Matheuristics 2012; ITOR 2015), as described in the
// paper on its parallel form (Milanes, Lokketangen, section 3):
//
//     while not stop
//         plan = random
//         repeat  plan = TabuSearch(plan);  plan = OneSwapStep(plan)  until neither improves plan
//
// Each tabu step here evaluates the whole 3-exchange neighbourhood; theirs evaluates a part of it. The paper leaves two
// things open. Here, an order that left a position may not return to it for TENURE + orders / 10 moves, unless that
// gives a new best plan since the start. And a tabu phase ends after PATIENCE moves without such a plan.
#include <limits.h>
#include <string.h>

#include "dtspms/search.h"

enum { TENURE = 7, PATIENCE = 12 };

typedef struct tabu {
    dtspms_search *search;
    dtspms_plan plan;       // the current one
    int64_t cost;
    dtspms_plan local;      // best since the start
    int64_t local_cost;
    int32_t *costs;         // [moves] of the 3-exchange neighbourhood
    int64_t *until;         // [orders * nodes] first move at which a node may return to a position
    int64_t moves;          // made in all
} tabu;

static bool is_allowed(const tabu *t, const dtspms_move *move)
{
    for (int32_t k = 0; k < move->count; k++)
        if (t->until[(int64_t)move->position[k] * t->search->model->nodes + move->node[k]] > t->moves)
            return false;
    return true;
}

// The best move among those that are allowed or give a new best plan since the start; -1 if there is none. The lowest
// index among equals.
static int64_t best_allowed(const tabu *t)
{
    const int32_t n = t->search->model->orders;
    const int64_t moves = dtspms_move_count(MCO_DTSPMS_MOVE_EXCHANGE, n);
    int64_t best = -1, best_cost = INT64_MAX;
    for (int64_t k = 0; k < moves; k++) {
        dtspms_move move;
        if (t->costs[k] >= best_cost)
            continue;
        dtspms_move_at(&t->plan, MCO_DTSPMS_MOVE_EXCHANGE, n, k, &move);
        if (t->costs[k] < t->local_cost || is_allowed(t, &move)) {
            best = k;
            best_cost = t->costs[k];
        }
    }
    return best;
}

static void make_move(tabu *t, mco_dtspms_move kind, int64_t index, int64_t cost)
{
    const dtspms_model *model = t->search->model;
    dtspms_move move;
    dtspms_move_at(&t->plan, kind, model->orders, index, &move);
    for (int32_t k = 0; k < move.count; k++)
        t->until[(int64_t)move.position[k] * model->nodes + t->plan.node[move.position[k]]] =
            t->moves + 1 + TENURE + model->orders / 10;
    dtspms_move_apply(&move, &t->plan);
    t->cost = cost;
    t->moves++;
}

static mco_status keep_best(tabu *t)
{
    if (t->cost < t->local_cost) {
        t->local_cost = t->cost;
        memcpy(t->local.node, t->plan.node, (size_t)t->search->model->orders * sizeof *t->plan.node);
    }
    return dtspms_search_note(t->search, &t->plan, t->cost, NULL, "tabu");
}

static bool ends(tabu *t)
{
    dtspms_search *s = t->search;
    if (dtspms_search_ends(s))
        return true;
    if (s->params->iterations < 0 || s->iterations < s->params->iterations)
        return false;
    s->run.stop = MCO_STOP_ITERATIONS;
    return true;
}

// Runs a tabu phase from the current plan. *has_improved tells whether it found a new best plan since the start.
static mco_status tabu_phase(tabu *t, bool *has_improved, bool *has_ended)
{
    mco_status st = MCO_OK;
    *has_improved = false;
    for (int32_t without = 0; without < PATIENCE; without++) {
        if ((*has_ended = ends(t)))
            return MCO_OK;
        dtspms_scan scan = {.plan = &t->plan, .kind = MCO_DTSPMS_MOVE_EXCHANGE, .costs = t->costs};
        MCO_TRY(t->search->engine->scan(t->search->engine, &scan, t->search->run.stop_s));
        const int64_t move = scan.best_move < 0 ? -1 : best_allowed(t);
        if (move < 0)
            return MCO_OK;
        make_move(t, MCO_DTSPMS_MOVE_EXCHANGE, move, t->costs[move]);
        t->search->iterations++;
        if (t->cost < t->local_cost) {
            without = -1;
            *has_improved = true;
        }
        MCO_TRY(keep_best(t));
    }
done:
    return st;
}

// Makes the best swap in the best plan since the start, if that improves it.
static mco_status one_swap_step(tabu *t, bool *has_improved, bool *has_ended)
{
    mco_status st = MCO_OK;
    memcpy(t->plan.node, t->local.node, (size_t)t->search->model->orders * sizeof *t->plan.node);
    t->cost = t->local_cost;
    dtspms_scan scan = {.plan = &t->plan, .kind = MCO_DTSPMS_MOVE_SWAP};
    if ((*has_ended = ends(t)))
        return MCO_OK;
    MCO_TRY(t->search->engine->scan(t->search->engine, &scan, t->search->run.stop_s));
    t->search->iterations++;
    const int64_t cost = scan.best_cost_of[0] + scan.best_cost_of[1];
    *has_improved = scan.best_move >= 0 && cost < t->cost;
    if (*has_improved) {
        make_move(t, MCO_DTSPMS_MOVE_SWAP, scan.best_move, cost);
        MCO_TRY(keep_best(t));
    }
done:
    return st;
}

static mco_status climb(tabu *t, bool *has_ended)
{
    mco_status st = MCO_OK;
    bool by_tabu = true, by_swap = true;
    MCO_TRY(dtspms_search_cost(t->search, &t->plan, &t->cost));
    t->local_cost = INT64_MAX;
    MCO_TRY(keep_best(t));
    while ((by_tabu || by_swap) && !*has_ended) {
        MCO_TRY(tabu_phase(t, &by_tabu, has_ended));
        if (!*has_ended)
            MCO_TRY(one_swap_step(t, &by_swap, has_ended));
    }
done:
    return st;
}

mco_status dtspms_tabu(dtspms_search *search, dtspms_plan *plan)
{
    mco_status st = MCO_OK;
    const dtspms_model *model = search->model;
    const int64_t n = model->orders;
    tabu t = {.search = search, .plan = *plan, .local = *plan};
    bool has_ended = false;
    t.local.node = NULL;
    MCO_TRY(mco_alloc(search->ctx, &t.local.node, n));
    MCO_TRY(mco_alloc(search->ctx, &t.costs, dtspms_move_count(MCO_DTSPMS_MOVE_EXCHANGE, model->orders)));
    MCO_TRY(mco_alloc(search->ctx, &t.until, n * model->nodes));
    for (uint64_t start = 1; !has_ended; start++) {
        MCO_TRY(climb(&t, &has_ended));
        memset(t.until, 0, (size_t)(n * model->nodes) * sizeof *t.until);
        dtspms_plan_shuffle(model, (uint64_t)search->params->seed + (start << 32), &t.plan);
        if (n < 2)
            search->is_proved = has_ended = true;  // there is only one plan
    }
done:
    mco_free(search->ctx, &t.until);
    mco_free(search->ctx, &t.costs);
    mco_free(search->ctx, &t.local.node);
    return st;
}
