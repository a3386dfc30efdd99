// SPDX-License-Identifier: MIT
// Education (Vidal 2022). In random order, every customer u tries moves with each of its near customers v; the first
// move that makes the solution cheaper is made. Pairs of routes that lie together try SWAP* (vrp/genetic/swap_star.c).
// Pairs that have not changed since they were tried last, or since the education of a parent, are skipped.
#include <stdlib.h>
#include <string.h>

#include "vrp/genetic/local_search.h"
#include "vrp/genetic/swap_star.h"
#include "vrp/search/key.h"

enum { MOST_STAMPS = 1 << 30, MOST_EXCESS = 1 << 29 };

static inline int32_t demand(const vrp_local_search *s, int32_t i)
{
    return s->node[i].demand;
}

static inline int64_t service(const vrp_local_search *s, int32_t i)
{
    return s->network->service[i];
}

// ---- Memory

mco_status vrp_local_search_open(mco_context *ctx, const vrp_network *network, vrp_local_search **out)
{
    mco_status st = MCO_OK;
    const int64_t nodes = (int64_t)network->customers + 1;
    MCO_TRY(mco_alloc(ctx, out, 1));
    vrp_local_search *s = *out;
    s->network = network;
    MCO_TRY(mco_alloc(ctx, &s->node, nodes + network->routes));
    MCO_TRY(mco_alloc(ctx, &s->route, network->routes));
    MCO_TRY(mco_alloc(ctx, &s->places, network->routes * nodes));
    MCO_TRY(mco_alloc(ctx, &s->customers, network->customers));
    MCO_TRY(mco_alloc(ctx, &s->routes, network->routes));
    MCO_TRY(mco_alloc(ctx, &s->line, nodes));
    MCO_TRY(mco_alloc(ctx, &s->is_near, network->routes));
    MCO_TRY(mco_alloc(ctx, &s->angle, 2 * (int64_t)network->routes));
done:
    if (st != MCO_OK)
        vrp_local_search_close(ctx, out);
    return st;
}

void vrp_local_search_close(mco_context *ctx, vrp_local_search **local)
{
    vrp_local_search *s = *local;
    if (s != NULL) {
        mco_free(ctx, &s->angle);
        mco_free(ctx, &s->is_near);
        mco_free(ctx, &s->line);
        mco_free(ctx, &s->routes);
        mco_free(ctx, &s->customers);
        mco_free(ctx, &s->places);
        mco_free(ctx, &s->route);
        mco_free(ctx, &s->node);
    }
    mco_free(ctx, local);
}

// ---- Rings

static inline int32_t rounded_up(double excess)
{
    return excess < MOST_EXCESS ? (int32_t)ceil(excess) : MOST_EXCESS;
}

// Sets what depends on the nodes behind: after_next, next_to_next, skip and excess of the customers of route r.
static void look_ahead(vrp_local_search *s, int32_t r)
{
    const int32_t depot = local_depot(s, r), most = rounded_up(s->route[r].excess);
    for (int32_t i = s->node[depot].next; i != depot; i = s->node[i].next) {
        vrp_local_search_node *node = &s->node[i], *next = &s->node[node->next];
        node->after_next = next->next;
        node->next_to_next = next->to_next;
        node->skip = local_distance(s, node->prev, node->next);
        node->excess = most;
    }
}

// Recomputes loads, lengths and positions along route r. The links of its ring, next and prev, are already right.
static void recount(vrp_local_search *s, int32_t r)
{
    vrp_local_search_route *route = &s->route[r];
    const int32_t depot = local_depot(s, r);
    int32_t load = 0, position = 0, way = 0, last = depot;
    int64_t length = 0;
    for (int32_t i = s->node[depot].next; i != depot; last = i, i = s->node[i].next) {
        vrp_local_search_node *node = &s->node[i];
        way = local_distance(s, last, i);
        s->node[last].to_next = node->to_prev = way;
        node->route = r;
        node->position = position++;
        node->load = load += node->demand;
        node->length = length += way + service(s, i);
        node->changed = s->stamp;
    }
    way = local_distance(s, last, depot);
    s->node[last].to_next = s->node[depot].to_prev = way;
    s->node[depot].changed = s->stamp;
    route->load = load;
    route->length = length + way;
    route->size = position;
    route->changed = s->stamp;
    route->known_from = 0;
    route->excess = local_excess(s, route->load, route->length);
    look_ahead(s, r);
}

static void set_route(vrp_local_search *s, int32_t r, const int32_t *customers, int32_t count)
{
    int32_t last = local_depot(s, r);
    for (int32_t k = 0; k < count; last = customers[k++])
        local_link(s, last, customers[k]);
    local_link(s, last, local_depot(s, r));
}

void vrp_local_search_moved(vrp_local_search *s, int32_t a, int32_t b)
{
    s->stamp++;
    s->is_better = true;
    recount(s, a);
    if (b != a)
        recount(s, b);
}

// ---- Moves. x and z follow u, y and t follow v; p is before u, w is before v.

typedef struct pair {
    int32_t u, v, x, y, p, w;
    int32_t uv, pu, ux, wv, vy;  // distances
    int32_t a, b;                // routes of u and v
    int32_t most;                // a change of distances of at least this cannot pay: excesses are never negative
    const vrp_local_search_route *ra, *rb;
    double excess;               // cost of the excesses of both routes, or of the one
} pair;

static inline pair pair_of(const vrp_local_search *s, int32_t u, int32_t v)
{
    const vrp_local_search_node *nu = &s->node[u], *nv = &s->node[v];
    const vrp_local_search_route *ra = &s->route[nu->route], *rb = &s->route[nv->route];
    const double excess = ra->excess + (ra != rb ? rb->excess : 0);
    return (pair){.u = u, .v = v, .x = nu->next, .y = nv->next, .p = nu->prev, .w = nv->prev, .uv = local_distance(s, u, v),
                  .pu = nu->to_prev, .ux = nu->to_next, .wv = nv->to_prev, .vy = nv->to_next, .a = nu->route, .b = nv->route,
                  .most = rounded_up(excess), .ra = ra, .rb = rb, .excess = excess};
}

// Whether a move pays that changes the distances of the two routes by change_a and change_b, and moves `load` and
// `service` from a to b.
static inline bool pays(const vrp_local_search *s, const pair *m, int32_t change_a, int32_t change_b, int32_t load, int64_t service)
{
    const int32_t both = change_a + change_b;
    if (both >= m->most)
        return false;
    const double after = m->a == m->b ? local_excess(s, m->ra->load, m->ra->length + both)
                                      : local_excess(s, (int64_t)m->ra->load - load, m->ra->length + change_a - service) +
                                            local_excess(s, (int64_t)m->rb->load + load, m->rb->length + change_b + service);
    return both + (after - m->excess) < -local_least_gain(m->excess);
}

// Tries to put u behind v; then u and x; then x and u.
static bool relocate(vrp_local_search *s, const pair *m)
{
    const int32_t u = m->u, v = m->v, x = m->x, y = m->y, p = m->p;
    if (y == u)
        return false;
    const int32_t gap = m->vy, pu = m->pu, ux = m->ux, uy = local_distance(s, u, y);
    if (pays(s, m, local_distance(s, p, x) - pu - ux, m->uv + uy - gap, demand(s, u), service(s, u))) {
        local_link(s, p, x);
        local_link(s, u, s->node[v].next);
        local_link(s, v, u);
        vrp_local_search_moved(s, m->a, m->b);
        return true;
    }
    if (local_is_depot(s, x) || v == x)
        return false;
    const int32_t z = s->node[x].next;
    const int32_t out = local_distance(s, p, z) - pu - ux - s->node[x].to_next;
    const int32_t load = demand(s, u) + demand(s, x);
    const int64_t both = service(s, u) + service(s, x);
    int32_t first = 0, second = 0;
    if (pays(s, m, out, m->uv + ux + local_distance(s, x, y) - gap, load, both)) {
        first = u;
        second = x;
    } else if (pays(s, m, out, local_distance(s, v, x) + ux + uy - gap, load, both)) {
        first = x;
        second = u;
    } else
        return false;
    local_link(s, p, z);
    local_link(s, second, s->node[v].next);
    local_link(s, v, first);
    local_link(s, first, second);
    vrp_local_search_moved(s, m->a, m->b);
    return true;
}

// Exchanges u .. last_u and v .. last_v.
static void trade(vrp_local_search *s, const pair *m, int32_t last_u, int32_t last_v)
{
    const int32_t after_u = s->node[last_u].next, after_v = s->node[last_v].next;
    local_link(s, m->p, m->v);
    local_link(s, last_v, after_u);
    local_link(s, m->w, m->u);
    local_link(s, last_u, after_v);
    vrp_local_search_moved(s, m->a, m->b);
}

// Tries to exchange u for v; then u and x for v; then u and x for v and y.
static bool exchange(vrp_local_search *s, const pair *m)
{
    const int32_t u = m->u, v = m->v, x = m->x, y = m->y, p = m->p, w = m->w;
    if (u == w || u == y)
        return false;
    const int32_t pu = m->pu, ux = m->ux, wv = m->wv, vy = m->vy;
    const int32_t pv = local_distance(s, p, v), wu = local_distance(s, w, u);
    if (u < v && pays(s, m, pv + local_distance(s, v, x) - pu - ux, wu + local_distance(s, u, y) - wv - vy,
                      demand(s, u) - demand(s, v), service(s, u) - service(s, v))) {
        trade(s, m, u, v);
        return true;
    }
    if (local_is_depot(s, x) || x == w || x == v)
        return false;
    const int32_t z = s->node[x].next, xz = s->node[x].to_next;
    if (pays(s, m, pv + local_distance(s, v, z) - pu - ux - xz, wu + ux + local_distance(s, x, y) - wv - vy,
             demand(s, u) + demand(s, x) - demand(s, v), service(s, u) + service(s, x) - service(s, v))) {
        trade(s, m, x, v);
        return true;
    }
    if (local_is_depot(s, y) || y == p || v == z || u > v)
        return false;
    const int32_t t = s->node[y].next;
    if (!pays(s, m, pv + vy + local_distance(s, y, z) - pu - ux - xz,
              wu + ux + local_distance(s, x, t) - wv - vy - s->node[y].to_next,
              demand(s, u) + demand(s, x) - demand(s, v) - demand(s, y),
              service(s, u) + service(s, x) - service(s, v) - service(s, y)))
        return false;
    trade(s, m, x, y);
    return true;
}

static int32_t collect(const vrp_local_search *s, int32_t from, int32_t to, bool backward, int32_t *line)
{
    int32_t count = 0;
    for (int32_t i = from; i != to; i = backward ? s->node[i].prev : s->node[i].next)
        line[count++] = i;
    return count;
}

// Tries to reverse x .. v within one route.
static bool two_opt(vrp_local_search *s, const pair *m)
{
    const int32_t u = m->u, v = m->v, x = m->x, y = m->y;
    if (s->node[u].position >= s->node[v].position || x == v)
        return false;
    if (!pays(s, m, m->uv + local_distance(s, x, y) - m->ux - m->vy, 0, 0, 0))
        return false;
    const int32_t count = collect(s, v, u, true, s->line);
    int32_t last = u;
    for (int32_t k = 0; k < count; last = s->line[k++])
        local_link(s, last, s->line[k]);
    local_link(s, last, y);
    vrp_local_search_moved(s, m->a, m->a);
    return true;
}

// Recombines two routes; route a keeps its first part, up to u. With `turns` the first part of b, up to v, follows
// backwards, and route b becomes the end of a from x, backwards, then its own end from y. Else the ends from x and from
// y change places.
static void cross(vrp_local_search *s, const pair *m, bool turns)
{
    const int32_t a = local_depot(s, m->a), b = local_depot(s, m->b);
    int32_t count = collect(s, s->node[a].next, m->x, false, s->line);
    count += turns ? collect(s, m->v, b, true, s->line + count) : collect(s, m->y, b, false, s->line + count);
    int32_t *other = s->line + count, rest = 0;
    if (turns)
        rest = collect(s, s->node[a].prev, m->u, true, other);
    else
        rest = collect(s, s->node[b].next, m->y, false, other);
    rest += turns ? collect(s, m->y, b, false, other + rest) : collect(s, m->x, a, false, other + rest);
    set_route(s, m->a, s->line, count);
    set_route(s, m->b, other, rest);
    vrp_local_search_moved(s, m->a, m->b);
}

static bool two_opt_star(vrp_local_search *s, const pair *m)
{
    const int32_t u = m->u, v = m->v, x = m->x, y = m->y, gone = m->ux + m->vy;
    const int32_t uv = m->uv, xy = local_distance(s, x, y), uy = local_distance(s, u, y), vx = local_distance(s, v, x);
    const vrp_local_search_node *nu = &s->node[u], *nv = &s->node[v];
    const int64_t load = (int64_t)m->ra->load + m->rb->load, joined = (int64_t)nu->load + nv->load;
    const int64_t behind_u = m->ra->length - nu->length - m->ux, behind_v = m->rb->length - nv->length - m->vy;
    if (uv + xy - gone < m->most) {
        const double after = local_excess(s, joined, nu->length + nv->length + uv) +
                             local_excess(s, load - joined, behind_u + behind_v + xy);
        if (uv + xy - gone + (after - m->excess) < -local_least_gain(m->excess)) {
            cross(s, m, true);
            return true;
        }
    }
    if (uy + vx - gone < m->most) {
        const int64_t mixed = (int64_t)nu->load + m->rb->load - nv->load;
        const double after = local_excess(s, mixed, nu->length + behind_v + uy) +
                             local_excess(s, load - mixed, nv->length + behind_u + vx);
        if (uy + vx - gone + (after - m->excess) < -local_least_gain(m->excess)) {
            cross(s, m, false);
            return true;
        }
    }
    return false;
}

// ---- A filter. A move of u with a near customer v can pay only if it changes the distances by less than the excesses
// of both routes cost. Two pairs in five pass (CMT10, X-n298-k31, Golden_11: 37, 46, 30 %) and are decided
// move by move.

enum { RELOCATE = 1, EXCHANGE = 2, CROSS = 4, DEPOT = 8 };

typedef struct mover {
    int32_t pu, ux, xz;  // distances
    int32_t alone, both;  // change of the distances when u leaves, or u and x, whose edge ux is kept
    int32_t excess, changed;
    const int32_t *row, *row_x, *row_p, *row_z;
} mover;

static inline mover mover_of(const vrp_local_search *s, int32_t u)
{
    const vrp_local_search_node *node = &s->node[u];
    const int32_t pu = node->to_prev, ux = node->to_next, xz = node->next_to_next;
    return (mover){.pu = pu, .ux = ux, .xz = xz, .alone = node->skip - pu - ux,
                   .both = local_distance(s, node->prev, node->after_next) - pu - xz, .excess = node->excess,
                   .changed = node->changed, .row = local_row(s, u), .row_x = local_row(s, node->next),
                   .row_p = local_row(s, node->prev), .row_z = local_row(s, node->after_next)};
}

static inline int32_t min2(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static inline int32_t place_of(const vrp_local_search *s, int32_t i)
{
    return local_is_depot(s, i) ? 0 : i;
}

// Returns all moves that pay. It may also return others, even some beside a depot that cannot be made.
static inline unsigned may_pay(const vrp_local_search *s, const mover *m, int32_t v)
{
    const vrp_local_search_node *node = &s->node[v];
    const int32_t y = place_of(s, node->next), t = place_of(s, node->after_next), w = place_of(s, node->prev);
    const int32_t vy = node->to_next, wv = node->to_prev, most = m->excess + node->excess;
    const int32_t uv = m->row[v], uy = m->row[y], wu = m->row[w], xv = m->row_x[v], xy = m->row_x[y];
    const int32_t relocated = min2(m->alone + uv + uy, m->both + min2(uv + xy, xv + uy)) - vy;
    const int32_t one = xv + uy - m->ux - vy, two = m->row_z[v] + xy - m->xz - vy;
    const int32_t pairs = m->row_z[y] + m->row_x[t] - m->xz - node->next_to_next;
    const int32_t exchanged = m->row_p[v] + wu - wv - m->pu + min2(one, min2(two, pairs));
    const int32_t crossed = min2(uv + xy, uy + xv) - m->ux - vy;
    unsigned may = (relocated < most ? RELOCATE : 0u) | (exchanged < most ? EXCHANGE : 0u) | (crossed < most ? CROSS : 0u);
    if (w == 0) {  // v is the first of its route: the depot stands in place of v, and v in place of y
        const int32_t xw = m->row_x[0];
        const int32_t first = min2(m->alone + wu + uv, m->both + min2(wu + xv, xw + uv));
        may |= min2(first, min2(wu + xv, uv + xw) - m->ux) - wv < most ? DEPOT : 0u;
    }
    return may;
}

// Tries moves with the depot of a route in place of v: u becomes its first customer, or 2-opt* recombines both routes.
static bool try_depot(vrp_local_search *s, int32_t u, int32_t route)
{
    const pair m = pair_of(s, u, local_depot(s, route));
    return relocate(s, &m) || (m.a != m.b && two_opt_star(s, &m));
}

// Makes the first move of u and v that pays.
static bool try_pair(vrp_local_search *s, int32_t u, int32_t v, unsigned may)
{
    if (may & (RELOCATE | EXCHANGE | CROSS)) {
        const pair m = pair_of(s, u, v);
        if (((may & RELOCATE) && relocate(s, &m)) || ((may & EXCHANGE) && exchange(s, &m)) ||
            ((may & CROSS) && (m.a == m.b ? two_opt(s, &m) : two_opt_star(s, &m))))
            return true;
    }
    return (may & DEPOT) && try_depot(s, u, s->node[v].route);
}

static int32_t empty_route(const vrp_local_search *s)
{
    for (int32_t r = 0; r < s->network->routes; r++)
        if (s->route[r].size == 0)
            return r;
    return -1;
}

static void try_customer(vrp_local_search *s, int32_t u, bool tries_empty)
{
    const vrp_network *g = s->network;
    const int32_t tested = s->node[u].tested;
    s->node[u].tested = s->stamp;
    mover m = mover_of(s, u);
    for (int32_t k = 0; k < g->near_count; k++) {
        const int32_t v = g->near[(int64_t)u * g->near_count + k];
        if ((m.changed <= tested && s->node[v].changed <= tested) || local_knows(s, s->node[u].route, s->node[v].route))
            continue;
        const unsigned may = may_pay(s, &m, v);
        if (may != 0 && try_pair(s, u, v, may))
            m = mover_of(s, u);
    }
    const int32_t empty = tries_empty ? empty_route(s) : -1;
    if (empty >= 0)
        try_depot(s, u, empty);
}

// ---- A child's education

static void enter(vrp_local_search *s, const vrp_genome *genome)
{
    const vrp_network *g = s->network;
    s->stamp = s->stamp < MOST_STAMPS ? s->stamp + 1 : 0;  // so the places found in an earlier solution are outdated
    for (int64_t k = 0; s->stamp == 0 && k < (int64_t)g->routes * (g->customers + 1); k++)
        s->places[k].stamp = -1;
    for (int32_t c = 1; c <= g->customers; c++)
        s->node[c] = (vrp_local_search_node){.tested = -1, .demand = g->problem->demand[c]};
    for (int32_t r = 0; r < g->routes; r++) {
        const int32_t from = r < genome->routes ? genome->first[r] : 0, to = r < genome->routes ? genome->first[r + 1] : 0;
        s->node[local_depot(s, r)] = (vrp_local_search_node){.route = r};
        s->route[r].tested = -1;
        set_route(s, r, genome->order + from, to - from);
        recount(s, r);
    }
}

static bool has_route(const vrp_genome *genome, const int32_t *customers, int32_t count)
{
    if (count == 0 || genome->prev[customers[0]] != 0 || genome->next[customers[count - 1]] != 0)
        return false;
    for (int32_t k = 0; k < count - 1; k++)
        if (genome->next[customers[k]] != customers[k + 1])
            return false;
    return true;
}

static void recognize(vrp_local_search *s, const vrp_genome *genome, const vrp_genome *const parents[2])
{
    for (int32_t r = 0; r < genome->routes; r++)
        for (int k = 0; k < 2; k++)
            if (has_route(parents[k], genome->order + genome->first[r], genome->first[r + 1] - genome->first[r]))
                s->route[r].known_from |= 1u << k;
}

// The angle of the middle of a route around the depot; 0 without coordinates.
static double angle_of(const vrp_local_search *s, int32_t r)
{
    const mco_vrp *p = s->network->problem;
    const int32_t depot = local_depot(s, r);
    double x = 0, y = 0;
    for (int32_t i = s->node[depot].next; p->x != NULL && i != depot; i = s->node[i].next) {
        x += p->x[i] - p->x[0];
        y += p->y[i] - p->y[0];
    }
    return atan2(y, x);
}

static void leave(vrp_local_search *s, vrp_genome *genome)
{
    const vrp_network *g = s->network;
    int32_t count = 0;
    for (int32_t r = 0; r < g->routes; r++)
        if (s->route[r].size > 0) {
            s->angle[2 * count] = angle_of(s, r);
            s->angle[2 * count++ + 1] = r;
        }
    qsort(s->angle, (size_t)count, 2 * sizeof *s->angle, vrp_by_key);
    genome->first[0] = 0;
    genome->routes = count;
    for (int32_t k = 0; k < count; k++) {
        const int32_t depot = local_depot(s, (int32_t)s->angle[2 * k + 1]), at = genome->first[k];
        genome->first[k + 1] = at + collect(s, s->node[depot].next, depot, false, genome->order + at);
    }
    vrp_genome_complete(g, genome);
}

static void descend(vrp_local_search *s, mco_rng *rng, vrp_genome *genome)
{
    const vrp_network *g = s->network;
    vrp_random_tour(g->customers, rng, s->customers);
    vrp_random_tour(g->routes, rng, s->routes);
    // The first round does not use empty routes. Otherwise many customers would get a route of their own.
    s->is_better = true;
    for (int32_t round = 0; round < 2 || s->is_better; round++) {
        s->is_better = false;
        for (int32_t k = 0; k < g->customers; k++)
            try_customer(s, s->customers[k], round > 0);
        for (int32_t k = 0; k < g->routes; k++)
            vrp_swap_star(s, s->routes[k] - 1);
    }
    leave(s, genome);
}

void vrp_educate(vrp_local_search *s, vrp_weights weights, const vrp_genome *const parents[2], mco_rng *rng, vrp_genome *genome)
{
    s->weights = weights;
    enter(s, genome);
    if (parents[0] != NULL)
        recognize(s, genome, parents);
    descend(s, rng, genome);
}

void vrp_repair(vrp_local_search *s, vrp_weights weights, mco_rng *rng, vrp_genome *genome)
{
    s->weights = weights;
    enter(s, genome);
    for (int32_t r = 0; r < genome->routes; r++)
        s->route[r].known_from = s->route[r].excess <= 0;
    descend(s, rng, genome);
}
