// SPDX-License-Identifier: MIT
// A walk over loading plans by annealing (Kirkpatrick, Gelatt, Vecchi 1983), compiled for the host and the device, in
// integers alone: the same seed walks the same way on every engine.
//
// One step draws DTSPMS_WALK_BATCH neighbours of the plan, each from its own random stream (seed, step, neighbour), evaluates
// all of them, and takes the first, in their order, whose cost is at most cost + temperature * -ln(u): so to speak the steps of
// plain annealing up to the first that is accepted.
//
// Neighbours: exchanges of two and three orders, uniform or guided (an order moves beside one that is near to it in one of the
// networks), shifts and reversals inside a stack, exchanges of blocks, and an order that moves into another stack, whose
// orders shift up to one that comes back. Heights of stacks never change.
#ifndef MCO_DTSPMS_WALK_H
#define MCO_DTSPMS_WALK_H

#include "base/rng.h"
#include "dtspms/dtspms_model.h"

enum {
    DTSPMS_WALK_BATCH = 32,
    DTSPMS_NEAR = 8,              // nearest orders of each, in each network
    DTSPMS_LOGARITHMS = 1024,     // entries of the table of -ln(u)
    DTSPMS_MAX_WALK_ORDERS = 32767
};

typedef struct dtspms_walk {
    uint64_t seed;        // of its random streams
    int64_t step;         // steps done, all rounds
    int32_t temperature;  // in 1/256 of a unit of cost; at most 2^30
    int32_t *node;        // [orders] the plan, as in dtspms_plan
    int32_t cost;         // of it: pickup + delivery
    int32_t *best;        // [orders] the best plan since best_cost was set
    int32_t best_cost;
} dtspms_walk;

// What a step reads.
typedef struct dtspms_walk_view {
    int32_t orders, stacks;
    const int32_t *first;      // [stacks + 1] position of the lowest order of each stack
    const int16_t *node;       // [orders] of each position, 1..n
    const int16_t *position;   // [orders + 1] of each node; [0] is not read
    const int16_t *stack;      // [orders] of each position
    const int16_t *near;       // [2][orders + 1][near_count] nearest orders, nearest first
    int32_t near_count;        // min(DTSPMS_NEAR, orders - 1)
} dtspms_walk_view;

// Fills near [2 * nodes * near_count]: by D[i][j] + D[j][i], ties to the lower node; entries of node 0 are not set.
void dtspms_walk_near(const dtspms_model *model, int32_t near_count, int16_t *near);
// Fills table [DTSPMS_LOGARITHMS]: -ln((k + 1/2) / 1024) in 1/65536.
void dtspms_walk_logarithms(uint32_t *table);

static inline MCO_HD uint64_t dtspms_walk_stream(uint64_t seed, int64_t step, int32_t neighbour)
{
    uint64_t state = seed + (uint64_t)step * 0xd1342543de82ef95u + (uint64_t)neighbour * 0x2545f4914f6cdd1du;
    return mco_splitmix64(&state);
}

static inline MCO_HD int32_t dtspms_walk_below(uint64_t *state, int32_t limit)
{
    return (int32_t)(((mco_splitmix64(state) >> 32) * (uint64_t)limit) >> 32);
}

// What neighbour's cost may be above the plan's. Draws from the stream first.
static inline MCO_HD int32_t dtspms_walk_threshold(uint64_t *state, int32_t temperature, const uint32_t *logarithms)
{
    const uint32_t u = (uint32_t)(mco_splitmix64(state) >> 54);
    return (int32_t)(((uint64_t)temperature * logarithms[u]) >> 24);
}

static inline MCO_HD void dtspms_walk_set(const dtspms_walk_view *v, dtspms_move *m, int32_t to, int32_t from)
{
    m->position[m->count] = to;
    m->node[m->count++] = v->node[from];
}

// A position beside (above or below) an order near to `node`, never that of `node` itself.
static inline MCO_HD int32_t dtspms_walk_beside(const dtspms_walk_view *v, uint64_t *state, int32_t node)
{
    const int32_t network = dtspms_walk_below(state, 2), rank = dtspms_walk_below(state, v->near_count);
    const int32_t near = v->near[(network * (v->orders + 1) + node) * v->near_count + rank];
    const int32_t at = v->position[near], stack = v->stack[at];
    const int32_t beside = dtspms_walk_below(state, 2) != 0 ? at + 1 : at - 1;
    const bool is_inside = beside >= v->first[stack] && beside < v->first[stack + 1];
    return is_inside && beside != v->position[node] ? beside : at;
}

// A length of 1..limit, short ones more often: uniform below a bound that is itself uniform.
static inline MCO_HD int32_t dtspms_walk_length(uint64_t *state, int32_t limit)
{
    return 1 + dtspms_walk_below(state, 1 + dtspms_walk_below(state, limit));
}

// Two orders change places, or three in a cycle.
static inline MCO_HD void dtspms_walk_exchange(const dtspms_walk_view *v, uint64_t *state, bool is_guided, bool is_triple,
                                               dtspms_move *m)
{
    const int32_t p = dtspms_walk_below(state, v->orders);
    int32_t q, r = p;
    if (is_guided) {
        q = dtspms_walk_beside(v, state, v->node[p]);
    } else {
        q = dtspms_walk_below(state, v->orders - 1);
        q += q >= p;
    }
    if (is_triple)
        r = dtspms_walk_below(state, 2) != 0 ? dtspms_walk_beside(v, state, v->node[q]) : dtspms_walk_below(state, v->orders);
    dtspms_walk_set(v, m, q, p);
    if (r != p && r != q) {
        dtspms_walk_set(v, m, r, q);
        dtspms_walk_set(v, m, p, r);
    } else {
        dtspms_walk_set(v, m, p, q);
    }
}

// Orders low..high of a stack shift by one, that at one end goes to the other; or they are reversed.
static inline MCO_HD void dtspms_walk_inside(const dtspms_walk_view *v, uint64_t *state, bool is_reversal, dtspms_move *m)
{
    const int32_t p = dtspms_walk_below(state, v->orders), stack = v->stack[p];
    const int32_t length = dtspms_walk_length(state, DTSPMS_MOST_CHANGES - 1);
    const bool is_up = dtspms_walk_below(state, 2) != 0;
    int32_t low = is_up ? p : p - length, high = is_up ? p + length : p;
    if (low < v->first[stack])
        low = v->first[stack];
    if (high >= v->first[stack + 1])
        high = v->first[stack + 1] - 1;
    for (int32_t k = low; k <= high; k++)
        dtspms_walk_set(v, m, k, is_reversal ? low + high - k : is_up ? (k < high ? k + 1 : low) : (k > low ? k - 1 : high));
}

// Blocks of up to half of DTSPMS_MOST_CHANGES orders change places.
static inline MCO_HD void dtspms_walk_blocks(const dtspms_walk_view *v, uint64_t *state, dtspms_move *m)
{
    const int32_t p = dtspms_walk_below(state, v->orders);
    const int32_t q = dtspms_walk_beside(v, state, v->node[p]);
    const int32_t end_p = v->first[v->stack[p] + 1], end_q = v->first[v->stack[q] + 1];
    int32_t length = 1 + dtspms_walk_length(state, DTSPMS_MOST_CHANGES / 2 - 1);
    if (length > end_p - p)
        length = end_p - p;
    if (length > end_q - q)
        length = end_q - q;
    if (p < q && length > q - p)
        length = q - p;
    if (q < p && length > p - q)
        length = p - q;
    for (int32_t k = 0; k < length; k++) {
        dtspms_walk_set(v, m, p + k, q + k);
        dtspms_walk_set(v, m, q + k, p + k);
    }
}

// The order at p moves to q, mostly in another stack; orders from q on shift up or down, and the last comes back to p.
static inline MCO_HD void dtspms_walk_across(const dtspms_walk_view *v, uint64_t *state, dtspms_move *m)
{
    const int32_t p = dtspms_walk_below(state, v->orders);
    const int32_t q = dtspms_walk_beside(v, state, v->node[p]), stack = v->stack[q];
    const int32_t length = dtspms_walk_length(state, DTSPMS_MOST_CHANGES - 2);
    const int32_t way = dtspms_walk_below(state, 2) != 0 ? 1 : -1;
    int32_t from = p, to = q;
    for (int32_t k = 0; k <= length && to >= v->first[stack] && to < v->first[stack + 1] && to != p; k++) {
        dtspms_walk_set(v, m, to, from);
        from = to;
        to += way;
    }
    dtspms_walk_set(v, m, p, from);
}

// Neighbour `neighbour` of step `step`; *threshold: what it may cost more. Needs two orders.
static inline MCO_HD void dtspms_walk_propose(const dtspms_walk_view *v, uint64_t seed, int64_t step, int32_t neighbour,
                                              int32_t temperature, const uint32_t *logarithms, dtspms_move *m,
                                              int32_t *threshold)
{
    uint64_t state = dtspms_walk_stream(seed, step, neighbour);
    *threshold = dtspms_walk_threshold(&state, temperature, logarithms);
    const int32_t kind = dtspms_walk_below(&state, 16);
    m->count = 0;
    if (kind < 1)
        dtspms_walk_exchange(v, &state, false, false, m);
    else if (kind < 3)
        dtspms_walk_exchange(v, &state, true, false, m);
    else if (kind < 4)
        dtspms_walk_exchange(v, &state, true, true, m);
    else if (kind < 6)
        dtspms_walk_inside(v, &state, false, m);
    else if (kind < 7)
        dtspms_walk_inside(v, &state, true, m);
    else if (kind < 9)
        dtspms_walk_blocks(v, &state, m);
    else
        dtspms_walk_across(v, &state, m);
}

// ---- On the host (dtspms_walk.c)

// What all walks over plans of the same heights read.
typedef struct dtspms_walk_tables {
    dtspms_walk_view view;  // node and position are NULL
    int32_t *first;
    int16_t *stack, *near;
    uint32_t *logarithms;
} dtspms_walk_tables;

// Errors: MEMORY. With more than DTSPMS_MAX_WALK_ORDERS the tables stay empty: no walk is possible.
mco_status dtspms_walk_tables_make(mco_context *ctx, const dtspms_model *model, const int32_t *heights, dtspms_walk_tables *out);
void dtspms_walk_tables_clear(mco_context *ctx, dtspms_walk_tables *tables);

// The plan of the walk at hand, as dtspms_walk_propose() reads it.
typedef struct dtspms_walk_state {
    dtspms_walk_view view;
    const uint32_t *logarithms;
    int16_t *node, *position;
} dtspms_walk_state;

mco_status dtspms_walk_state_make(mco_context *ctx, const dtspms_walk_tables *tables, dtspms_walk_state *out);
void dtspms_walk_state_clear(mco_context *ctx, dtspms_walk_state *state);
void dtspms_walk_enter(dtspms_walk_state *state, const int32_t *node);
// All neighbours [DTSPMS_WALK_BATCH] of the walk's next step, and what each may cost more.
void dtspms_walk_neighbours(const dtspms_walk_state *state, const dtspms_walk *walk, dtspms_move *moves, int32_t *thresholds);
// First of neighbours from..to-1 that is accepted; DTSPMS_WALK_BATCH if none is.
int32_t dtspms_walk_first(const dtspms_walk *walk, const int32_t *thresholds, const int32_t *pickup, const int32_t *delivery,
                          int32_t from, int32_t to);
// Makes the move.
void dtspms_walk_accept(dtspms_walk_state *state, dtspms_walk *walk, const dtspms_move *move, int32_t cost);

#endif
