// SPDX-License-Identifier: MIT
// Every loading plan, for few orders: profiles of heights, and for each all ways to put the orders on the positions.
//
// Heights do not increase from stack to stack, and of stacks equally high the one with the lowest order at the bottom comes
// first: a plan is tried once however its stacks are named. The last LEAF positions are tried by the engine in one batch, as
// moves of one plan.
//
// The orders fixed so far are chains that both tours have to respect, one upwards, the other downwards; the shortest tours
// that do, by dynamic programming over subsets (Held, Karp 1962), are a bound: what cannot be better than the best plan is
// left out. Descents from random plans find that first.
#include <string.h>

#include "dtspms/dtspms_search.h"

enum { LEAF = 8, MOST_MOVES = 40320, DESCENTS = 30 };  // LEAF!

typedef struct exact {
    dtspms_search *search;
    dtspms_plan plan;       // positions below `free` are fixed
    int32_t free;           // first position that the batch fills
    uint32_t used;          // nodes at fixed positions, by bit
    dtspms_move *moves;     // [MOST_MOVES] of the batch
    int64_t move_count;
    int32_t *costs;         // [MOST_MOVES]
    int32_t *length;        // [2^orders * orders] shortest path over a set that ends at an order
    bool has_ended;
} exact;

// Whether `node` may stand at `position`: of equally high stacks the lower bottom comes first.
static bool is_in_order(const exact *e, const int32_t *node, int32_t position)
{
    int32_t first = 0;
    for (int32_t k = 0; k < e->search->model->stacks && first <= position; first += e->plan.heights[k++])
        if (first == position && k > 0 && e->plan.heights[k] > 0 && e->plan.heights[k] == e->plan.heights[k - 1])
            return node[position] > node[position - e->plan.heights[k]];
    return true;
}

// ---- Bound

// Orders, by bit, that come before each in a network as far as `fixed` positions say.
static void find_before(const exact *e, mco_dtspms_network network, int32_t fixed, uint32_t *before)
{
    int32_t p = 0;
    memset(before, 0, MCO_DTSPMS_MAX_EXACT_ORDERS * sizeof *before);
    for (int32_t k = 0, first = 0; k < e->search->model->stacks; first += e->plan.heights[k++])
        for (p = first + 1; p < first + e->plan.heights[k] && p < fixed; p++) {
            const int32_t below = e->plan.node[p - 1] - 1, above = e->plan.node[p] - 1;
            before[network == MCO_DTSPMS_PICKUP ? above : below] |= 1u << (network == MCO_DTSPMS_PICKUP ? below : above);
        }
}

// The shortest tour in which every order comes after those in its set.
static int64_t bound_of(const exact *e, mco_dtspms_network network, const uint32_t *before)
{
    const int32_t n = e->search->model->orders, nodes = n + 1, *distance = e->search->model->distance[network];
    int64_t best = INT32_MAX;
    for (int64_t i = 0; i < (int64_t)n << n; i++)
        e->length[i] = INT32_MAX;
    for (int32_t v = 0; v < n; v++)
        if (before[v] == 0)
            e->length[((int64_t)1 << v) * n + v] = distance[v + 1];
    for (uint32_t set = 1; set < 1u << n; set++)
        for (int32_t v = 0; v < n; v++) {
            const int64_t so_far = e->length[(int64_t)set * n + v];
            if (so_far == INT32_MAX)
                continue;
            for (int32_t w = 0; w < n; w++) {
                int32_t *next = &e->length[(int64_t)(set | 1u << w) * n + w];
                const int64_t way = so_far + distance[(v + 1) * nodes + w + 1];
                if ((set & 1u << w) == 0 && (before[w] & ~set) == 0 && way < *next)
                    *next = (int32_t)way;
            }
            if (set + 1 == 1u << n && so_far + distance[(v + 1) * nodes] < best)
                best = so_far + distance[(v + 1) * nodes];
        }
    return best;
}

// Whether no plan with these `fixed` positions is better than the best so far.
static bool is_hopeless(const exact *e, int32_t fixed)
{
    uint32_t before[MCO_DTSPMS_MAX_EXACT_ORDERS];
    find_before(e, MCO_DTSPMS_PICKUP, fixed, before);
    const int64_t pickup = bound_of(e, MCO_DTSPMS_PICKUP, before);
    find_before(e, MCO_DTSPMS_DELIVERY, fixed, before);
    return e->search->best_cost >= 0 && pickup + bound_of(e, MCO_DTSPMS_DELIVERY, before) >= e->search->best_cost;
}

// ---- Enumeration

// All ways to fill positions from `position` on, as moves of the plan.
static void collect(exact *e, int32_t *node, int32_t position)
{
    const int32_t n = e->search->model->orders;
    if (position == n) {
        dtspms_move *move = &e->moves[e->move_count++];
        move->count = n - e->free;
        for (int32_t p = e->free; p < n; p++) {
            move->position[p - e->free] = p;
            move->node[p - e->free] = node[p];
        }
        return;
    }
    for (int32_t v = 1; v <= n; v++) {
        if ((e->used & 1u << v) != 0)
            continue;
        node[position] = v;
        if (!is_in_order(e, node, position))
            continue;
        e->used |= 1u << v;
        collect(e, node, position + 1);
        e->used &= ~(1u << v);
    }
}

static mco_status try_batch(exact *e)
{
    mco_status st = MCO_OK;
    dtspms_search *search = e->search;
    int32_t node[MCO_DTSPMS_MAX_EXACT_ORDERS];
    int64_t best = 0;
    memcpy(node, e->plan.node, (size_t)e->free * sizeof *node);
    e->move_count = 0;
    collect(e, node, e->free);
    if (e->move_count == 0)
        return MCO_OK;
    for (int32_t k = 0; k < e->moves[0].count; k++)  // any order on the free positions: each move replaces them all
        e->plan.node[e->moves[0].position[k]] = e->moves[0].node[k];
    MCO_TRY(search->engine->evaluate(search->engine, &e->plan, e->moves, e->move_count, e->costs));
    for (int64_t k = 1; k < e->move_count; k++)
        if (e->costs[k] < e->costs[best])
            best = k;
    search->iterations += e->move_count;
    if (search->best_cost < 0 || e->costs[best] < search->best_cost) {
        dtspms_move_apply(&e->moves[best], &e->plan);
        MCO_TRY(dtspms_search_note(search, &e->plan, e->costs[best]));
    }
    e->has_ended = dtspms_search_ends(search);
done:
    return st;
}

// Fixes position after position, then tries the rest.
static mco_status try_fixed(exact *e, int32_t position)
{
    mco_status st = MCO_OK;
    if (position == e->free)
        return try_batch(e);
    for (int32_t v = 1; v <= e->search->model->orders && !e->has_ended; v++) {
        e->plan.node[position] = v;  // again: batches put their best plan here
        if ((e->used & 1u << v) != 0 || !is_in_order(e, e->plan.node, position))
            continue;
        if (position > 0 && is_hopeless(e, position + 1))
            continue;
        e->used |= 1u << v;
        MCO_TRY(try_fixed(e, position + 1));
        e->used &= ~(1u << v);
    }
done:
    return st;
}

// From a random plan by the best swap or exchange of three, until there is none.
static mco_status climb(exact *e, uint64_t seed)
{
    mco_status st = MCO_OK;
    dtspms_search *search = e->search;
    int64_t cost;
    dtspms_plan_shuffle(search->model, seed, &e->plan);
    MCO_TRY(dtspms_search_cost(search, &e->plan, &cost));
    for (mco_dtspms_move kind = MCO_DTSPMS_SWAP; kind <= MCO_DTSPMS_EXCHANGE && !e->has_ended;) {
        dtspms_scan scan = {.plan = &e->plan, .kind = kind};
        MCO_TRY(search->engine->scan(search->engine, &scan, search->stop_s));
        if (scan.best_move >= 0 && scan.best_cost_of[0] + scan.best_cost_of[1] < cost) {
            dtspms_move move;
            cost = scan.best_cost_of[0] + scan.best_cost_of[1];
            dtspms_move_at(&e->plan, kind, search->model->orders, scan.best_move, &move);
            dtspms_move_apply(&move, &e->plan);
            kind = MCO_DTSPMS_SWAP;
        } else {
            kind++;
        }
        e->has_ended = dtspms_search_ends(search);
    }
    MCO_TRY(dtspms_search_note(search, &e->plan, cost));
done:
    return st;
}

static mco_status try_heights(exact *e)
{
    mco_status st = MCO_OK;
    dtspms_search *search = e->search;
    MCO_TRY(dtspms_engine_change(search->ctx, search->model, e->plan.heights, search->params, search->engine));
    for (uint64_t k = 0; k < DESCENTS && e->free > 0 && !e->has_ended; k++)
        MCO_TRY(climb(e, (uint64_t)search->params->seed + (k << 32)));
    e->has_ended = e->has_ended || dtspms_search_ends(search);
    MCO_TRY(try_fixed(e, 0));
done:
    return st;
}

// All profiles: stack `stack` and those behind it hold `left` orders, at most `most` each.
static mco_status try_profiles(exact *e, int32_t stack, int32_t left, int32_t most)
{
    mco_status st = MCO_OK;
    const int32_t stacks = e->search->model->stacks;
    if (stack == stacks)
        return left == 0 ? try_heights(e) : MCO_OK;
    for (int32_t height = left < most ? left : most; height * (stacks - stack) >= left && height >= 0 && !e->has_ended; height--) {
        e->plan.heights[stack] = height;
        MCO_TRY(try_profiles(e, stack + 1, left - height, height));
    }
done:
    return st;
}

mco_status dtspms_exact(dtspms_search *search, dtspms_plan *plan)
{
    mco_status st = MCO_OK;
    const int32_t n = search->model->orders;
    exact e = {.search = search, .plan = *plan, .free = n > LEAF ? n - LEAF : 0};
    MCO_TRY(mco_alloc(search->ctx, &e.moves, MOST_MOVES));
    MCO_TRY(mco_alloc(search->ctx, &e.costs, MOST_MOVES));
    MCO_TRY(mco_alloc(search->ctx, &e.length, (int64_t)n << n));
    MCO_TRY(try_profiles(&e, 0, n, search->model->capacity));
    search->is_proved = search->is_proved || !e.has_ended;
done:
    mco_free(search->ctx, &e.length);
    mco_free(search->ctx, &e.costs);
    mco_free(search->ctx, &e.moves);
    return st;
}
