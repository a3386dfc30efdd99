// SPDX-License-Identifier: MIT
// Moves of the giant tour: their values, their order, and the decision of a move in constant time by sums along the
// tour. It uses integers only, so that host and device agree. This header includes plain headers only, so that kernels
// can include it.
//
// A move makes the new tour of parts of the old one, each forward or reversed. The two ends of a part tell what it does
// to the routes: where its first and last depot are, what lies before and behind them, and how many of the routes
// between them are not empty or break a limit. The route under way is carried from part to part.
//
// All arrays are in tour order; vrp/sweep/fold.c fills them in O(tour). No load or length of a route, forward or
// reversed, is above 2^30, so that three parts and three edges fit 32 bits without a sign. vrp_sums_fill() refuses a
// tour beyond that.
#ifndef MCO_VRP_SWEEP_MOVE_H
#define MCO_VRP_SWEEP_MOVE_H

#include "base/rng.h"

// Edges x < y (< z) are cut; p says how the parts are joined again (mco/vrp.h). For 2-opt z = p = -1.
typedef struct vrp_move {
    int32_t x, y, z, p;
} vrp_move;

// The value of a tour: compared by penalty, then cost.
typedef struct vrp_value {
    int32_t penalty;  // number of routes that are not empty if it exceeds the vehicles; else 0
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

// Whether a comes before b in the lexicographic order of indices.
static inline MCO_HD bool vrp_is_before(vrp_move a, vrp_move b)
{
    if (a.x != b.x)
        return a.x < b.x;
    if (a.y != b.y)
        return a.y < b.y;
    return a.z != b.z ? a.z < b.z : a.p < b.p;
}

// Random filter: a move is evaluated if the hash of its indices is at most `keep` (UINT64_MAX: all are).
static inline MCO_HD bool vrp_is_kept(uint64_t seed, uint64_t keep, vrp_move m)
{
    uint64_t state = seed ^ ((uint64_t)(uint32_t)m.x << 42) ^ ((uint64_t)(uint32_t)m.y << 21) ^ (uint64_t)(uint32_t)(m.z + 1);
    state = mco_splitmix64(&state) + (uint64_t)(uint32_t)(m.p + 1);
    return mco_splitmix64(&state) <= keep;
}

// The best of some moves; move.x is -1 while there is none.
typedef struct vrp_candidate {
    vrp_move move;
    vrp_value value;  // penalty after the move, change of the cost by it
} vrp_candidate;

// ---- By sums along the tour

// "To i" is from the last depot at or before position i, "from i" is up to the first depot at or behind it. Both
// include i, and are 0 at depots. "Back" is against the direction of the tour; with symmetric distances it is the same
// memory. Lengths include service times; they are all 0 if there is no limit.
typedef struct vrp_sums {
    int32_t count;                 // T positions
    int32_t routes, bad;           // of the tour: routes that are not empty; routes that break a limit
    int32_t capacity, max_length;
    int32_t vehicles;
    bool is_symmetric;
    int32_t *node;                 // [T] the tour
    int32_t *demand, *service;     // [T]; service is 0 if lengths are not limited
    int32_t *last_depot, *next_depot;  // [T] at or before, at or behind
    int32_t *load_to, *load_from;      // [T]
    int32_t *length_to, *length_from;  // [T] along the tour
    int32_t *back_to, *back_from;      // [T] walked back: from i to the depot before it, from that behind it to i
    int32_t *edge;                 // [T] distance to the next position; 0 at the last
    // Numbers of routes that end at or before position i:
    int32_t *full_to;              // [T] not empty
    int32_t *bad_to;               // [T] too heavy or too long
    int32_t *bad_back_to;          // [T] too heavy or too long if walked back
    int64_t *turn;                 // [T] change of the cost if positions 0..i were walked back; NULL: symmetric
} vrp_sums;

typedef struct vrp_decision {
    bool is_feasible;
    int32_t routes;  // not empty, after the move
    int64_t change;  // of the cost
} vrp_decision;

// Sets the pairs of positions that a move joins, from[k] to to[k] in the order of the new tour. Returns their number:
// 3, or 2 for 2-opt.
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

// The state of the new tour up to the next part.
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

// Goes on over an edge of length `join` and positions a..b.
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

// Goes on over an edge of length `join` and positions b down to a.
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

// Decides the move; join[k] is the distance of pair k of vrp_joins().
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
