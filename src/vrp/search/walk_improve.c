// SPDX-License-Identifier: MIT
// Reversals and exchanges of route ends around the customers that a step of a walk (vrp/search/walk.c) has moved; and
// annealed exchanges of route ends anywhere, for long routes.
#include <math.h>
#include <string.h>

#include "vrp/search/walk.h"

enum { NEAR_TAILS = 10 };  // neighbours among which the other customer of an annealed exchange is drawn

void VARIANT(vrp_walk_relink)(vrp_walk *w, int32_t route, const int32_t *line, int32_t count)
{
    const vrp_part *p = w->part;
    const int32_t depot = p->customers + 1 + route;
    vrp_ring *r = &w->ring[route];
    int32_t at = depot, load = 0, length = 0;
    for (int32_t k = 0; k <= count; k++) {
        const int32_t c = k < count ? line[k] : depot;
        const int32_t d = vrp_part_distance(p, at, c);
        w->node[at].next = c;
        w->node[at].to_next = d;
        w->node[c].prev = at;
        w->node[c].to_prev = d;
        w->node[c].route = route;
        vrp_walk_mirror(w, at);
        length += w->measure * d;
        if (k < count) {
            load += p->demand[c];
            length += w->measure * p->service[c];
            vrp_node *n = &w->node[c];
            n->position = k;
            n->load = load;
            n->length = length;
            vrp_walk_mark(w, c);
        }
        at = c;
    }
    vrp_walk_mirror(w, depot);
    vrp_walk_mark(w, depot);
    r->load = load;
    w->load_of[route] = count > 0 ? load : INT32_MAX;
    r->length = length;
    if (r->size > 0 && count == 0)
        w->spare[w->spare_count++] = route;
    else if (r->size == 0 && count > 0)
        vrp_walk_take_spare(w, route);
    r->size = count;
}

static int32_t list_ring(const vrp_walk *w, int32_t route, int32_t *line)
{
    const int32_t depot = w->part->customers + 1 + route;
    int32_t count = 0;
    for (int32_t c = w->node[depot].next; c != depot; c = w->node[c].next)
        line[count++] = c;
    return count;
}

static void reverse(int32_t *line, int32_t count)
{
    for (int32_t a = 0, b = count - 1; a < b; a++, b--) {
        const int32_t c = line[a];
        line[a] = line[b];
        line[b] = c;
    }
}

// Joins c and u, d apart, by a reversal inside their route. `side` says which edges are cut: 0: (c, next) and
// (u, next), 1: (prev, c) and (prev, u). Returns whether that improves the route; if not, nothing changes.
static bool try_reversal(vrp_walk *w, int32_t c, int32_t u, int32_t d, int side)
{
    const vrp_part *p = w->part;
    const vrp_node *a = &w->node[c], *b = &w->node[u];
    const int32_t an = side == 0 ? a->next : a->prev, bn = side == 0 ? b->next : b->prev;
    const int32_t cut = side == 0 ? a->to_next + b->to_next : a->to_prev + b->to_prev;
    if (d >= cut)
        return false;
    const int32_t change = d + vrp_part_distance(p, an, bn) - cut;
    if (change >= 0)
        return false;
    const int32_t route = a->route;
    const int32_t count = list_ring(w, route, w->line);
    int32_t i = a->position, j = b->position;
    if (i > j) {
        const int32_t t = i;
        i = j;
        j = t;
    }
    if (side == 0)
        reverse(w->line + i + 1, j - i);
    else
        reverse(w->line + i, j - i);
    VARIANT(vrp_walk_relink)(w, route, w->line, count);
    w->cost += change;
    return true;
}

// Joins c and u, d apart in two routes; the other halves of the routes are joined too. `kind` says which edges are cut:
// 0: behind c and before u, 1: before c and behind u, 2: behind both, 3: before both. Only kind 0
// turns nothing round, as asymmetric distances need it; d is then that from c to u. Returns whether the cost changes by
// less than `limit` and the routes stay within theirs; if not, nothing changes.
static bool try_ends(vrp_walk *w, int32_t c, int32_t u, int32_t d, int kind, int32_t limit)
{
    const vrp_part *p = w->part;
    const vrp_node *a = &w->node[c], *b = &w->node[u];
    const vrp_ring *ra = &w->ring[a->route], *rb = &w->ring[b->route];
    const int32_t capacity = p->problem->capacity, longest = p->problem->max_length;
    // Whether the edge cut is behind each customer, or before it.
    const bool a_behind = kind == 0 || kind == 2, b_behind = kind == 1 || kind == 2;
    const int32_t cut = (a_behind ? a->to_next : a->to_prev) + (b_behind ? b->to_next : b->to_prev);
    if (d - cut >= limit)
        return false;
    const int32_t an = a_behind ? a->next : a->prev, bn = b_behind ? b->next : b->prev;
    const int32_t other = vrp_part_distance(p, bn, an), change = d + other - cut;
    if (change >= limit)
        return false;
    // Loads and lengths of the half with c, and of the rest of its route.
    const int32_t a_load = a_behind ? a->load : ra->load - a->load + p->demand[c];
    const int32_t b_load = b_behind ? b->load : rb->load - b->load + p->demand[u];
    if (a_load + b_load > capacity || ra->load + rb->load - a_load - b_load > capacity)
        return false;
    const int32_t a_length = a_behind ? a->length : ra->length - a->length + p->service[c];
    const int32_t b_length = b_behind ? b->length : rb->length - b->length + p->service[u];
    const int32_t a_rest = ra->length - a_length - (a_behind ? a->to_next : a->to_prev);
    const int32_t b_rest = rb->length - b_length - (b_behind ? b->to_next : b->to_prev);
    if (w->measure != 0 && ((int64_t)a_length + b_length + d > longest || (int64_t)a_rest + b_rest + other > longest))
        return false;
    const int32_t route_a = a->route, route_b = b->route;
    int32_t *la = w->line, *lb = w->line + p->customers, *la2 = w->line + 2 * p->customers, *lb2 = w->line + 3 * p->customers;
    int32_t na = list_ring(w, route_a, la), nb = list_ring(w, route_b, lb);
    // Turn the lists so that the half with c is the head of la, and the half with u the tail of lb.
    int32_t ia = a->position + 1, ib = b->position;
    if (!a_behind) {
        reverse(la, na);
        ia = na - a->position;
    }
    if (b_behind) {
        reverse(lb, nb);
        ib = nb - 1 - b->position;
    }
    memcpy(la2, la, (size_t)ia * sizeof *la);
    memcpy(la2 + ia, lb + ib, (size_t)(nb - ib) * sizeof *la);
    memcpy(lb2, lb, (size_t)ib * sizeof *la);
    memcpy(lb2 + ib, la + ia, (size_t)(na - ia) * sizeof *la);
    VARIANT(vrp_walk_relink)(w, route_a, la2, ia + nb - ib);
    VARIANT(vrp_walk_relink)(w, route_b, lb2, ib + na - ia);
    w->cost += change;
    return true;
}

// Looks for the first exchange of ends between the routes of c and u, d apart, that improves them. Returns whether it
// made one.
static bool improve_ends(vrp_walk *w, int32_t c, int32_t u, int32_t d)
{
    if (!w->part->problem->is_symmetric)
        return try_ends(w, c, u, d, 0, 0) || try_ends(w, u, c, vrp_part_distance(w->part, u, c), 0, 0);
    for (int kind = 0; kind < 4; kind++)
        if (try_ends(w, c, u, d, kind, 0))
            return true;
    return false;
}

void VARIANT(vrp_walk_improve)(vrp_walk *w, int32_t exchanges)
{
    const vrp_part *p = w->part;
    const int32_t tried = exchanges < p->neighbours ? exchanges : p->neighbours;
    const bool is_symmetric = p->problem->is_symmetric;
    for (int32_t k = 0; k < w->removed_count; k++) {
        const int32_t c = w->removed[k];
        const int32_t *near = p->near + (int64_t)c * p->neighbours, *near_d = p->near_distance + (int64_t)c * p->neighbours;
        for (int32_t m = 0; m < tried; m++) {
            const int32_t u = near[m], d = near_d[m];
            if (u == 0)
                break;
            const vrp_node *a = &w->node[c];
            if (is_symmetric && d >= a->to_next && d >= a->to_prev)
                break;
            bool is_made = false;
            if (w->node[u].route != a->route)
                is_made = improve_ends(w, c, u, d);
            else if (is_symmetric)
                is_made = (a->next != u && try_reversal(w, c, u, d, 0)) || (a->prev != u && try_reversal(w, c, u, d, 1));
            if (is_made)
                m = -1;
        }
    }
}

void VARIANT(vrp_walk_exchange_tails)(vrp_walk *w, int32_t proposals, double heat)
{
    const vrp_part *p = w->part;
    const int32_t reach = NEAR_TAILS < p->neighbours ? NEAR_TAILS : p->neighbours;
    const bool is_symmetric = p->problem->is_symmetric;
    for (int32_t k = 0; k < proposals; k++) {
        const int32_t c = 1 + (int32_t)mco_rng_below(&w->rng, (uint32_t)p->customers);
        const int64_t at = (int64_t)c * p->neighbours + mco_rng_below(&w->rng, (uint32_t)reach);
        const int32_t u = p->near[at], there = p->near_distance[at];
        if (u == 0 || w->route_of[u] == w->route_of[c])
            continue;
        const int32_t limit = (int32_t)fmin(1 - heat * log(1 - mco_rng_real(&w->rng)), VRP_WALK_NO_PLACE);
        if (is_symmetric && there - w->edge[c] - w->edge[u] >= limit)
            continue;
        if (is_symmetric)
            try_ends(w, c, u, there, (int)mco_rng_below(&w->rng, 4), limit);
        else if (mco_rng_below(&w->rng, 2) == 0)
            try_ends(w, c, u, there, 0, limit);
        else
            try_ends(w, u, c, vrp_part_distance(p, u, c), 0, limit);
    }
}
