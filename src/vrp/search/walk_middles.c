// SPDX-License-Identifier: MIT
// Annealed exchanges of middles of two long routes. Two routes near each other run side by side for a while. A step of the
// walk (vrp/search/walk.c) moves few customers, and an exchange of all behind a place seldom keeps both loads. A middle of up
// to LONGEST customers against one of about its load does. One of the two may be turned round, or both.
#include <math.h>
#include <string.h>

#include "vrp/search/walk.h"

enum {
    NEAR_MIDDLES = 10,  // neighbours among which the ends of a middle are chosen
    LONGEST = 60        // customers of a middle
};

// An exchange: a middle behind customer c, of `taken` customers up to `last`, perhaps none; one from u to v, of `given`
// customers. Each is followed in a direction of its own.
typedef struct middles {
    int32_t c, last, taken, load, length;  // load, and length with service times, of the first middle
    int32_t u, v, given;
    bool is_back, is_other_back;
} middles;

static inline int32_t ahead(const vrp_node *n, bool is_back)
{
    return is_back ? n->prev : n->next;
}

static inline int32_t to_ahead(const vrp_node *n, bool is_back)
{
    return is_back ? n->to_prev : n->to_next;
}

// Lists the customers of a route in a direction; returns their number.
static int32_t list_way(const vrp_walk *w, int32_t route, bool is_back, int32_t *line)
{
    const int32_t depot = w->part->customers + 1 + route;
    int32_t count = 0;
    for (int32_t c = ahead(&w->node[depot], is_back); c != depot; c = ahead(&w->node[c], is_back))
        line[count++] = c;
    return count;
}

static void make(vrp_walk *w, const middles *m)
{
    const int32_t n = w->part->customers, route_a = w->node[m->c].route, route_b = w->node[m->u].route;
    int32_t *a = w->line, *b = w->line + n, *a2 = w->line + 2 * n, *b2 = w->line + 3 * n;
    const int32_t in_a = list_way(w, route_a, m->is_back, a), in_b = list_way(w, route_b, m->is_other_back, b);
    const int32_t from_a = m->is_back ? in_a - w->node[m->c].position : w->node[m->c].position + 1;
    const int32_t from_b = m->is_other_back ? in_b - 1 - w->node[m->u].position : w->node[m->u].position;
    const int32_t rest_a = in_a - from_a - m->taken, rest_b = in_b - from_b - m->given;
    memcpy(a2, a, (size_t)from_a * sizeof *a);
    memcpy(a2 + from_a, b + from_b, (size_t)m->given * sizeof *a);
    memcpy(a2 + from_a + m->given, a + from_a + m->taken, (size_t)rest_a * sizeof *a);
    memcpy(b2, b, (size_t)from_b * sizeof *a);
    memcpy(b2 + from_b, a + from_a, (size_t)m->taken * sizeof *a);
    memcpy(b2 + from_b + m->taken, b + from_b + m->given, (size_t)rest_b * sizeof *a);
    VARIANT(vrp_walk_relink)(w, route_a, a2, in_a - m->taken + m->given);
    VARIANT(vrp_walk_relink)(w, route_b, b2, in_b - m->given + m->taken);
}

// Follows the route behind c for up to `most` customers.
static void take_middle(const vrp_walk *w, middles *m, int32_t most)
{
    const vrp_part *p = w->part;
    m->last = m->c;
    for (m->taken = 0; m->taken < most; m->taken++) {
        const vrp_node *n = &w->node[m->last];
        const int32_t next = ahead(n, m->is_back);
        if (next > p->customers)
            return;
        m->length += w->measure * ((m->taken > 0 ? to_ahead(n, m->is_back) : 0) + p->service[next]);
        m->load += p->demand[next];
        m->last = next;
    }
}

// Whether both routes stay within their limits if the second middle ends with v. The first route gets `more` of edges
// between middles, the second one `other`; what is cut is subtracted already.
static bool is_allowed(const vrp_walk *w, const middles *m, int32_t v, int32_t more, int32_t other)
{
    const vrp_part *p = w->part;
    const vrp_node *from = &w->node[m->is_other_back ? v : m->u], *to = &w->node[m->is_other_back ? m->u : v];
    const int32_t first = m->is_other_back ? v : m->u;
    const vrp_ring *a = &w->ring[w->node[m->c].route], *b = &w->ring[from->route];
    const int32_t load = to->load - from->load + p->demand[first] - m->load;
    if (a->load + load > p->problem->capacity || b->load - load > p->problem->capacity)
        return false;
    const int64_t length = (int64_t)to->length - from->length + w->measure * p->service[first] - m->length;
    const int64_t longest = p->problem->max_length;
    return w->measure == 0 || (a->length + length + more <= longest && b->length - length + other <= longest);
}

// Tries customer u, d behind c, as the first of the second middle; its last one is chosen. Makes the exchange if the change
// of the cost is less than `limit`.
static void try_middles(vrp_walk *w, middles *m, int32_t d, int32_t limit)
{
    const vrp_part *p = w->part;
    const vrp_node *a = &w->node[m->c], *b = &w->node[m->u], *last = &w->node[m->last];
    const int32_t first = ahead(a, m->is_back), behind = ahead(last, m->is_back), before = ahead(b, !m->is_other_back);
    if (behind > p->customers)
        return;
    const int32_t joined_a = d - to_ahead(a, m->is_back) - (m->taken > 0 ? to_ahead(last, m->is_back) : 0);
    const int32_t joined_b = (m->taken > 0 ? vrp_part_distance(p, before, first) : 0) - to_ahead(b, !m->is_other_back);
    const int32_t from = m->taken > 0 ? m->last : before;
    const int64_t row = (int64_t)behind * p->neighbours;
    m->given = 0;
    for (int32_t k = 0; k < NEAR_MIDDLES && p->near[row + k] != 0; k++) {
        const int32_t v = p->near[row + k], there = p->near_distance[row + k];
        const vrp_node *e = &w->node[v];
        const int32_t given = (m->is_other_back ? b->position - e->position : e->position - b->position) + 1;
        const int32_t cut = to_ahead(e, m->is_other_back);
        if (e->route != b->route || given < 1 || given > LONGEST || joined_a + joined_b + there - cut >= limit)
            continue;
        const int32_t more = joined_a + there;
        const int32_t other = joined_b + vrp_part_distance(p, from, ahead(e, m->is_other_back)) - cut;
        if (more + other >= limit || !is_allowed(w, m, v, more, other))
            continue;
        limit = more + other;
        m->v = v;
        m->given = given;
    }
    if (m->given == 0)
        return;
    make(w, m);
    w->cost += limit;
}

void VARIANT(vrp_walk_exchange_middles)(vrp_walk *w, int32_t proposals, double heat)
{
    const vrp_part *p = w->part;
    for (int32_t k = 0; k < proposals && p->problem->is_symmetric; k++) {
        middles m = {.c = 1 + (int32_t)mco_rng_below(&w->rng, (uint32_t)p->customers)};
        const int64_t at = (int64_t)m.c * p->neighbours + mco_rng_below(&w->rng, NEAR_MIDDLES);
        const int32_t d = p->near_distance[at];
        m.u = p->near[at];
        if (m.u == 0 || w->route_of[m.u] == w->route_of[m.c])
            continue;
        const int32_t limit = (int32_t)fmin(1 - heat * log(1 - mco_rng_real(&w->rng)), VRP_WALK_NO_PLACE);
        if (d - w->edge[m.c] - w->edge[m.u] >= limit)
            continue;
        const uint32_t ways = (uint32_t)mco_rng_below(&w->rng, 4);
        m.is_back = (ways & 1) != 0;
        m.is_other_back = (ways & 2) != 0;
        take_middle(w, &m, (int32_t)mco_rng_below(&w->rng, LONGEST + 1));
        try_middles(w, &m, d, limit);
    }
}
