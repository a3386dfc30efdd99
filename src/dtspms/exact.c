// SPDX-License-Identifier: MIT
// Tries every loading plan of few orders: all profiles of heights, and for each all ways to put the orders on the
// positions.
//
// Plans that differ only in the numbering of the stacks are tried once: heights do not increase from stack to stack,
// and of stacks equally high the one with the lowest-numbered order at the bottom comes first. If both networks are
// symmetric, a plan with all its stacks upside down costs the same, since both tours run backwards. Order 1 is then
// tried only in the lower half of its stack.
//
// The fixed positions are chains that both tours have to respect, one upwards, the other downwards. The lengths of the
// shortest tours that respect them, by dynamic programming over subsets (Held, Karp 1962), are a lower bound. A prefix
// whose bound is not below the best cost is left out. To have a good plan early, each profile begins with descents from
// random plans. The engine evaluates all ways to fill the last LEAF positions, in batches.
#include <string.h>

#include "dtspms/search.h"

enum { LEAF = 5, LEAF_PLANS = 120, BATCH = 4096, DESCENTS = 30, ROW = MCO_DTSPMS_MAX_EXACT_ORDERS, HALF = ROW / 2 };
static const int32_t NO_WAY = 1 << 30;  // longer than any tour; plus a distance it is below 2^31

typedef struct exact {
    dtspms_search *search;
    dtspms_plan plan;       // try_fixed() fixes the positions below `free`
    int32_t free;           // first position that the batch fills
    int32_t bottom[ROW];    // for each position: the lowest position of its stack
    int32_t height[ROW];    // for each position: the height of its stack
    uint32_t used;          // nodes at fixed positions, by bit
    dtspms_move *moves;     // [BATCH] plans: each move sets all positions
    int64_t move_count;
    int32_t *costs;         // [BATCH]
    int32_t (*length)[ROW]; // [2^orders] shortest path from the depot over a set to an order of it; NO_WAY if none
    int32_t into[2][ROW][ROW];  // [network][v][u] distance from order u to order v
    bool has_mirror;        // a plan with its stacks upside down costs the same
    bool has_ended;
} exact;

// Whether the node at `position` may stand there; of the equivalent forms of a plan only one is tried.
static bool is_canonical(const exact *e, const int32_t *node, int32_t position)
{
    const int32_t first = e->bottom[position], height = e->height[position];
    if (first == position && first > 0 && height == e->height[first - 1] && node[first] < node[first - height])
        return false;
    return !e->has_mirror || node[position] != 1 || 2 * (position - first) < height;
}

// ---- Bound

// Finds for each set of orders those, by bit, that have to come directly before one of them, given the `fixed`
// positions. The table is split by the lower and the upper half of the set's bits.
static void find_before(const exact *e, mco_dtspms_network network, int32_t fixed, uint32_t before[2][1 << HALF])
{
    memset(before, 0, 2 * sizeof before[0]);
    for (int32_t p = 1; p < fixed; p++) {
        const int32_t below = e->plan.node[p - 1] - 1, above = e->plan.node[p] - 1;
        const int32_t later = network == MCO_DTSPMS_NETWORK_PICKUP ? above : below;
        if (e->bottom[p] != p)
            before[later / HALF][1u << later % HALF] = 1u << (later == above ? below : above);
    }
    for (uint32_t set = 1; set < 1u << HALF; set++)
        for (int half = 0; half < 2; half++)
            before[half][set] |= before[half][set & (set - 1)] | before[half][set & ~(set - 1)];
}

// Length of the shortest path from the depot over a set and on to one order more. rest [ROW] has the lengths over the
// set, into [ROW] the distances to the order.
static int32_t way_into(const int32_t *rest, const int32_t *into)
{
    int32_t best = NO_WAY;
    for (int32_t u = 0; u < ROW; u++)
        best = rest[u] + into[u] < best ? rest[u] + into[u] : best;
    return best;
}

// Length of the shortest tour that respects the chains of the `fixed` positions. Only sets are used that contain all
// orders that come before theirs; a path over a set ends at an order that comes before none of the others.
static int64_t bound_of(const exact *e, mco_dtspms_network network, int32_t fixed)
{
    const int32_t n = e->search->model->orders, *distance = e->search->model->distance[network];
    const uint32_t all = (1u << n) - 1;
    uint32_t before[2][1 << HALF];
    int64_t best = INT32_MAX;
    find_before(e, network, fixed, before);
    for (uint32_t set = 1; set <= all; set++) {
        const uint32_t needed = before[0][set % (1u << HALF)] | before[1][set >> HALF];
        int32_t *length = e->length[set];
        if ((needed & ~set) != 0)
            continue;
        for (int32_t v = 0; v < ROW; v++)
            length[v] = NO_WAY;
        for (uint32_t ends = set & ~needed; ends != 0; ends &= ends - 1) {
            const int32_t v = __builtin_ctz(ends);
            const uint32_t rest = set & ~(1u << v);
            length[v] = rest == 0 ? distance[v + 1] : way_into(e->length[rest], e->into[network][v]);
        }
    }
    for (int32_t v = 0; v < n; v++) {
        const int64_t tour = (int64_t)e->length[all][v] + distance[(v + 1) * (n + 1)];
        best = tour < best ? tour : best;
    }
    return best;
}

// Whether no plan with these `fixed` positions is better than the best so far. `bounds` are those of both tours: with
// one position less on entry, with these positions on return.
static bool is_hopeless(const exact *e, int32_t fixed, int64_t bounds[2])
{
    const int64_t best_cost = e->search->best_cost;
    if (e->bottom[fixed - 1] != fixed - 1) {  // else the last position is the lowest of its stack and adds no chain
        bounds[0] = bound_of(e, MCO_DTSPMS_NETWORK_PICKUP, fixed);
        if (best_cost < 0 || bounds[0] + bounds[1] < best_cost)
            bounds[1] = bound_of(e, MCO_DTSPMS_NETWORK_DELIVERY, fixed);
    }
    return best_cost >= 0 && bounds[0] + bounds[1] >= best_cost;
}

// ---- Enumeration

// Evaluates the plans of the batch and empties it.
static mco_status price_batch(exact *e)
{
    mco_status st = MCO_OK;
    dtspms_search *search = e->search;
    int64_t best = 0;
    int32_t node[ROW];
    dtspms_plan plan = e->plan;
    if (e->move_count == 0)
        return MCO_OK;
    plan.node = node;
    dtspms_move_apply(&e->moves[0], &plan);
    MCO_TRY(search->engine->evaluate(search->engine, &plan, e->moves, e->move_count, e->costs));
    for (int64_t k = 1; k < e->move_count; k++)
        if (e->costs[k] < e->costs[best])
            best = k;
    search->iterations += e->move_count;
    e->move_count = 0;
    // Plans that the engine left out when time was over have the cost INT32_MAX: then not all plans are tried.
    e->has_ended = e->has_ended || (dtspms_is_over(search->model) && dtspms_search_ends(search));
    if (e->costs[best] == INT32_MAX)
        return MCO_OK;
    dtspms_move_apply(&e->moves[best], &plan);
    MCO_TRY(dtspms_search_note(search, &plan, e->costs[best], NULL, "plan"));
done:
    return st;
}

// Adds to the batch all ways to fill the positions from `position` on.
static void collect(exact *e, int32_t position)
{
    const int32_t n = e->search->model->orders;
    if (position == n) {
        dtspms_move *move = &e->moves[e->move_count++];
        move->count = n;
        for (int32_t p = 0; p < n; p++) {
            move->position[p] = p;
            move->node[p] = e->plan.node[p];
        }
        return;
    }
    for (int32_t v = 1; v <= n; v++) {
        e->plan.node[position] = v;
        if ((e->used & 1u << v) != 0 || !is_canonical(e, e->plan.node, position))
            continue;
        e->used |= 1u << v;
        collect(e, position + 1);
        e->used &= ~(1u << v);
    }
}

// Fixes position after position. `bounds` are those of both tours with the positions fixed so far.
static mco_status try_fixed(exact *e, int32_t position, const int64_t bounds[2])
{
    mco_status st = MCO_OK;
    if (position == e->free) {
        if (e->move_count + LEAF_PLANS > BATCH)
            MCO_TRY(price_batch(e));
        collect(e, position);
        return MCO_OK;
    }
    for (int32_t v = 1; v <= e->search->model->orders && !e->has_ended; v++) {
        int64_t bounds_here[2] = {bounds[0], bounds[1]};
        e->plan.node[position] = v;
        if ((e->used & 1u << v) != 0 || !is_canonical(e, e->plan.node, position))
            continue;
        e->has_ended = dtspms_search_ends(e->search);
        if (is_hopeless(e, position + 1, bounds_here))
            continue;
        e->used |= 1u << v;
        MCO_TRY(try_fixed(e, position + 1, bounds_here));
        e->used &= ~(1u << v);
    }
done:
    return st;
}

// Descends from a random plan by the best swap or 3-exchange, until none improves it.
static mco_status climb(exact *e, uint64_t seed)
{
    mco_status st = MCO_OK;
    dtspms_search *search = e->search;
    int64_t cost;
    dtspms_plan_shuffle(search->model, seed, &e->plan);
    MCO_TRY(dtspms_search_cost(search, &e->plan, &cost));
    for (mco_dtspms_move kind = MCO_DTSPMS_MOVE_SWAP; kind <= MCO_DTSPMS_MOVE_EXCHANGE && !e->has_ended;) {
        dtspms_scan scan = {.plan = &e->plan, .kind = kind};
        MCO_TRY(search->engine->scan(search->engine, &scan, search->run.stop_s));
        if (scan.best_move >= 0 && scan.best_cost_of[0] + scan.best_cost_of[1] < cost) {
            dtspms_move move;
            cost = scan.best_cost_of[0] + scan.best_cost_of[1];
            dtspms_move_at(&e->plan, kind, search->model->orders, scan.best_move, &move);
            dtspms_move_apply(&move, &e->plan);
            kind = MCO_DTSPMS_MOVE_SWAP;
        } else {
            kind++;
        }
        e->has_ended = dtspms_search_ends(search);
    }
    MCO_TRY(dtspms_search_note(search, &e->plan, cost, NULL, "descent"));
done:
    return st;
}

static mco_status try_heights(exact *e)
{
    mco_status st = MCO_OK;
    dtspms_search *search = e->search;
    int64_t bounds[2];
    for (int32_t k = 0, p = 0; k < search->model->stacks; k++)
        for (int32_t h = 0; h < e->plan.heights[k]; h++, p++) {
            e->bottom[p] = p - h;
            e->height[p] = e->plan.heights[k];
        }
    MCO_TRY(dtspms_engine_change(search->ctx, search->model, e->plan.heights, search->params, search->engine));
    for (uint64_t k = 0; k < DESCENTS && e->free > 0 && !e->has_ended; k++)
        MCO_TRY(climb(e, (uint64_t)search->params->seed + (k << 32)));
    e->has_ended = e->has_ended || dtspms_search_ends(search);
    if (e->has_ended)
        return MCO_OK;
    for (mco_dtspms_network network = MCO_DTSPMS_NETWORK_PICKUP; network <= MCO_DTSPMS_NETWORK_DELIVERY; network++)
        bounds[network] = bound_of(e, network, 0);
    MCO_TRY(try_fixed(e, 0, bounds));
    MCO_TRY(price_batch(e));
done:
    return st;
}

// Tries all profiles in which stack `stack` and those after it hold `left` orders, at most `most` each.
static mco_status try_profiles(exact *e, int32_t stack, int32_t left, int32_t most)
{
    mco_status st = MCO_OK;
    const int32_t stacks = e->search->model->stacks;
    if (stack == stacks)
        return left == 0 ? try_heights(e) : MCO_OK;
    const int32_t highest = left < most ? left : most;
    for (int32_t height = highest; height * (stacks - stack) >= left && height >= 0 && !e->has_ended; height--) {
        e->plan.heights[stack] = height;
        MCO_TRY(try_profiles(e, stack + 1, left - height, height));
    }
done:
    return st;
}

mco_status dtspms_exact(dtspms_search *search, dtspms_plan *plan)
{
    mco_status st = MCO_OK;
    const dtspms_model *model = search->model;
    const int32_t n = model->orders;
    int64_t cost;
    exact e = {.search = search, .plan = *plan, .free = n > LEAF ? n - LEAF : 0,
               .has_mirror = model->is_symmetric[0] && model->is_symmetric[1]};
    for (int32_t network = 0; network < 2; network++)
        for (int32_t v = 0; v < n; v++)
            for (int32_t u = 0; u < n; u++)
                e.into[network][v][u] = model->distance[network][(u + 1) * model->nodes + v + 1];
    MCO_TRY(mco_alloc(search->ctx, &e.moves, BATCH));
    MCO_TRY(mco_alloc(search->ctx, &e.costs, BATCH));
    MCO_TRY(mco_alloc(search->ctx, &e.length, (int64_t)1 << n));
    MCO_TRY(dtspms_search_cost(search, plan, &cost));  // so that there is an answer whenever the search ends
    MCO_TRY(dtspms_search_note(search, plan, cost, NULL, "start"));
    MCO_TRY(try_profiles(&e, 0, n, model->capacity));
    search->is_proved = search->is_proved || !e.has_ended;
done:
    mco_free(search->ctx, &e.length);
    mco_free(search->ctx, &e.costs);
    mco_free(search->ctx, &e.moves);
    return st;
}
