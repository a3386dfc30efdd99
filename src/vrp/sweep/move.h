// SPDX-License-Identifier: MIT
// Moves of the giant tour: what they are worth, their order, and one of them in constant time by sums along the tour. Integers
// only, the same on host and device; plain headers only, so that kernels include it.
//
// A move walks over parts of the tour, each forward or reversed. What a part does to the routes is known from its two ends:
// where its first and last depot are, what lies before and behind them, and how many of the routes between them are not empty
// or break a limit. The route under way is carried from part to part.
//
// All is in tour order, filled by vrp/sweep/fold.c in O(tour). No load or length of a route is above 2^30, forward or reversed;
// three parts and as many edges then fit 32 bits without a sign. Engines that cannot rely on that refuse the tour
// (vrp_sums_fill()).
#ifndef MCO_VRP_SWEEP_MOVE_H
#define MCO_VRP_SWEEP_MOVE_H

#include "base/rng.h"

// Edges x < y (< z) are cut, p says how the parts are joined again (mco/vrp.h); z = p = -1 of 2-opt.
typedef struct vrp_move {
    int32_t x, y, z, p;
} vrp_move;

// What a tour is worth: compared by penalty, then cost.
typedef struct vrp_value {
    int32_t penalty;  // routes that are not empty, where they are more than the vehicles; else 0
    int64_t cost;
} vrp_value;

static inline MCO_HD int32_t vrp_penalty(int32_t routes, int32_t vehicles)
{
    return vehicles > 0 && routes > vehicles ? routes : 0;
}

static inline MCO_HD bool vrp_is_less(vrp_value a, vrp_value b)
{
    return a.penalty != b.penalty ? a.penalty < b.penalty : a.cost < b.cost;
}

// Lexicographic order of indices.
static inline MCO_HD bool vrp_is_before(vrp_move a, vrp_move b)
{
    if (a.x != b.x)
        return a.x < b.x;
    if (a.y != b.y)
        return a.y < b.y;
    return a.z != b.z ? a.z < b.z : a.p < b.p;
}

// Random filter: a move is evaluated if the hash of its place is less than `keep` (UINT64_MAX: all are).
static inline MCO_HD bool vrp_is_kept(uint64_t seed, uint64_t keep, vrp_move m)
{
    uint64_t state = seed ^ ((uint64_t)(uint32_t)m.x << 42) ^ ((uint64_t)(uint32_t)m.y << 21) ^ (uint64_t)(uint32_t)(m.z + 1);
    state = mco_splitmix64(&state) + (uint64_t)(uint32_t)(m.p + 1);
    return mco_splitmix64(&state) <= keep;
}

// What is the best of some moves; move.x -1 while there is none.
typedef struct vrp_candidate {
    vrp_move move;
    vrp_value value;  // penalty after the move, change of the cost by it
} vrp_candidate;

// ---- By sums along the tour

// "To i" is from the last depot at or before position i, "from i" up to the first depot at or behind it; both with i itself and
// 0 at depots. "Back" is against the direction of the tour; where distances are symmetric it is the same memory. Lengths hold
// service times, and are all 0 where there is no limit.
typedef struct vrp_sums {
    int32_t count;                 // T positions
    int32_t routes, bad;           // of the tour: routes not empty; those that break a limit
    int32_t capacity, max_length;
    int32_t vehicles;
    bool is_symmetric;
    int32_t *node;                 // [T] the tour
    int32_t *demand, *service;     // [T]; service 0 where lengths are not limited
    int32_t *last_depot, *next_depot;  // [T] at or before, at or behind
    int32_t *load_to, *load_from;      // [T]
    int32_t *length_to, *length_from;  // [T] along the tour
    int32_t *back_to, *back_from;      // [T] the same walked back: from i to the depot before it, from the depot behind it to i
    int32_t *edge;                 // [T] distance to the next position, 0 of the last
    // At depots: routes that end there or before.
    int32_t *full_to;              // [T] not empty
    int32_t *bad_to;               // [T] too heavy or too long
    int32_t *bad_back_to;          // [T] the same, each walked back
    int64_t *turn;                 // [T] change of the cost if positions 0..i were walked back; NULL: symmetric
} vrp_sums;

typedef struct vrp_decision {
    bool is_feasible;
    int32_t routes;  // not empty, after the move
    int64_t change;  // of the cost
} vrp_decision;

// The pairs of positions that a move joins, from[k] to to[k] in the order of the new tour; returns how many: 3, of 2-opt 2.
static inline MCO_HD int vrp_joins(vrp_move m, int32_t from[3], int32_t to[3])
{
    const int32_t x = m.x, y = m.y, z = m.z;
    if (z < 0) {
        from[0] = x, to[0] = y;
        from[1] = x + 1, to[1] = y + 1;
        return 2;
    }
    const bool turns_b = m.p == 1, turns_c = m.p == 2;
    if (m.p == 3) {
        from[0] = x, to[0] = y;
        from[1] = x + 1, to[1] = z;
        from[2] = y + 1, to[2] = z + 1;
        return 3;
    }
    from[0] = x, to[0] = turns_c ? z : y + 1;
    from[1] = turns_c ? y + 1 : z, to[1] = turns_b ? y : x + 1;
    from[2] = turns_b ? x + 1 : y, to[2] = z + 1;
    return 3;
}

// The new tour up to the part that comes next.
typedef struct vrp_walk_state {
    uint32_t load, length;  // of the route under way
    int32_t full, bad;      // routes finished
    bool is_full;           // the route under way holds a customer
    int64_t change;
} vrp_walk_state;

static inline MCO_HD void vrp_finish_route(const vrp_sums *t, vrp_walk_state *w, uint32_t load, uint32_t length, bool is_full)
{
    w->full += w->is_full || is_full;
    w->bad += w->load + load > (uint32_t)t->capacity || w->length + length > (uint32_t)t->max_length;
}

// Positions a..b next, over an edge of length `join`.
static inline MCO_HD void vrp_walk_on(const vrp_sums *t, vrp_walk_state *w, int32_t a, int32_t b, int32_t join)
{
    const int32_t first = t->next_depot[a], last = t->last_depot[b];
    w->length += (uint32_t)join;
    w->change += join;
    if (first > b) {
        w->load += (uint32_t)(t->load_to[b] - t->load_to[a] + t->demand[a]);
        w->length += (uint32_t)(t->length_to[b] - t->length_to[a] + t->service[a]);
        w->is_full = true;
        return;
    }
    vrp_finish_route(t, w, (uint32_t)t->load_from[a], (uint32_t)t->length_from[a], first > a);
    w->full += t->full_to[last] - t->full_to[first];
    w->bad += t->bad_to[last] - t->bad_to[first];
    w->load = (uint32_t)t->load_to[b];
    w->length = (uint32_t)t->length_to[b];
    w->is_full = last < b;
}

// Positions b down to a next.
static inline MCO_HD void vrp_walk_back(const vrp_sums *t, vrp_walk_state *w, int32_t a, int32_t b, int32_t join)
{
    const int32_t first = t->next_depot[a], last = t->last_depot[b];
    w->length += (uint32_t)join;
    w->change += join;
    if (!t->is_symmetric)
        w->change += t->turn[b] - t->turn[a];
    if (first > b) {
        w->load += (uint32_t)(t->load_to[b] - t->load_to[a] + t->demand[a]);
        w->length += (uint32_t)(t->back_from[a] - t->back_from[b] + t->service[b]);
        w->is_full = true;
        return;
    }
    vrp_finish_route(t, w, (uint32_t)t->load_to[b], (uint32_t)t->back_to[b], last < b);
    w->full += t->full_to[last] - t->full_to[first];
    w->bad += t->bad_back_to[last] - t->bad_back_to[first];
    w->load = (uint32_t)t->load_from[a];
    w->length = (uint32_t)t->back_from[a];
    w->is_full = first > a;
}

// Decides the move; join: distances of the pairs that vrp_joins() names.
static inline MCO_HD vrp_decision vrp_decide(const vrp_sums *t, vrp_move m, const int32_t join[3])
{
    const int32_t x = m.x, y = m.y, z = m.z, a_last = t->last_depot[x];
    vrp_walk_state w = {(uint32_t)t->load_to[x], (uint32_t)t->length_to[x], t->full_to[a_last], t->bad_to[a_last],
                        a_last < x, -(int64_t)t->edge[x] - t->edge[y]};
    int k = 0;
    if (z < 0) {
        vrp_walk_back(t, &w, x + 1, y, join[k++]);
        vrp_walk_on(t, &w, y + 1, t->count - 1, join[k]);
        return (vrp_decision){w.bad == 0, w.full, w.change};
    }
    w.change -= t->edge[z];
    if (m.p == 3)
        vrp_walk_back(t, &w, x + 1, y, join[k++]);
    if (m.p >= 2)
        vrp_walk_back(t, &w, y + 1, z, join[k++]);
    else
        vrp_walk_on(t, &w, y + 1, z, join[k++]);
    if (m.p == 1)
        vrp_walk_back(t, &w, x + 1, y, join[k++]);
    else if (m.p != 3)
        vrp_walk_on(t, &w, x + 1, y, join[k++]);
    vrp_walk_on(t, &w, z + 1, t->count - 1, join[k]);
    return (vrp_decision){w.bad == 0, w.full, w.change};
}

#endif
