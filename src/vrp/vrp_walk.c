// SPDX-License-Identifier: MIT
// Annealing by ruin and recreate: "slack induction by string removals" (Christiaens, Vanden Berghe 2020). A step takes strings
// of customers out of one to four routes near each other and puts each back where it adds least, now and then passing over a
// place. What is accepted is improved by reversals and exchanges of route ends around the customers moved. Nothing in a step
// depends on the size of the part: changes are logged and taken back, and the best solution follows by what has changed.
//
// Places tried for a customer: beside its nearest neighbours; at the ends of routes that pass it on their way to the depot
// (X-n936-k151, routes of six: 2.3 % above the best known without these, 0.8 % with them, 6 s each); an empty route.
#include "vrp/vrp_walk.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define NAMED(name) JOIN(name##_, LANE_SET)

VRP_DECLARE_WALK(LANE_SET)

static const double BLINK = 0.01;        // chance that a place is passed over
static const double SPLIT = 0.5;         // of strings that keep some customers in their middle
static const double SPLIT_ENDS = 0.01;   // chance that the middle ends here; else it grows by one
enum { INFINITE = 1 << 30, STEPS_PER_LOOK = 256 };

static inline int32_t distance(const vrp_part *p, int32_t i, int32_t j)
{
    return vrp_part_distance(p, i, j);
}

// ---- Changes that can be taken back

static void begin_step(vrp_walk *w)
{
    w->step++;
    w->saved_node_count = w->saved_ring_count = 0;
    w->removed_count = 0;
}

static inline vrp_node *touch(vrp_walk *w, int32_t id)
{
    if (w->node_stamp[id] != w->step) {
        w->node_stamp[id] = w->step;
        w->saved_nodes[w->saved_node_count++] = (vrp_saved_node){id, w->node[id]};
    }
    return &w->node[id];
}

static inline vrp_ring *touch_ring(vrp_walk *w, int32_t id)
{
    if (w->ring[id].stamp != w->step) {
        w->saved_rings[w->saved_ring_count++] = (vrp_saved_ring){id, w->ring[id]};
        w->ring[id].stamp = w->step;
    }
    return &w->ring[id];
}

// What the scan for a place looks at follows the nodes.
static inline void mirror(vrp_walk *w, int32_t id)
{
    const vrp_node *n = &w->node[id];
    w->route_of[id] = n->route;
    w->edge[id] = n->to_next > n->to_prev ? n->to_next : n->to_prev;
}

static void undo_step(vrp_walk *w)
{
    for (int32_t k = 0; k < w->saved_node_count; k++) {
        w->node[w->saved_nodes[k].id] = w->saved_nodes[k].node;
        mirror(w, w->saved_nodes[k].id);
    }
    for (int32_t k = w->saved_ring_count - 1; k >= 0; k--) {
        const vrp_saved_ring *s = &w->saved_rings[k];
        if (s->ring.size == 0 && w->ring[s->id].size > 0)
            w->spare[w->spare_count++] = s->id;
        w->ring[s->id] = s->ring;
        w->load_of[s->id] = s->ring.size > 0 ? s->ring.load : INT32_MAX;
    }
}

static int32_t take_out(vrp_walk *w, int32_t c)
{
    const vrp_part *p = w->part;
    vrp_node *n = touch(w, c);
    vrp_node *a = touch(w, n->prev), *b = touch(w, n->next);
    vrp_ring *r = touch_ring(w, n->route);
    const int32_t d = distance(p, n->prev, n->next), change = d - n->to_prev - n->to_next;
    a->next = n->next;
    a->to_next = d;
    b->prev = n->prev;
    b->to_prev = d;
    r->load -= p->demand[c];
    w->load_of[n->route] = --r->size > 0 ? r->load : INT32_MAX;
    r->length += w->measure * (change - p->service[c]);
    mirror(w, n->prev);
    mirror(w, n->next);
    n->route = w->route_of[c] = -1;
    return change;
}

static void put_in(vrp_walk *w, int32_t c, int32_t after, int32_t change)
{
    const vrp_part *p = w->part;
    vrp_node *n = touch(w, c), *a = touch(w, after);
    const int32_t before = a->next;
    vrp_node *b = touch(w, before);
    vrp_ring *r = touch_ring(w, a->route);
    n->prev = after;
    n->next = before;
    n->route = a->route;
    n->to_prev = a->to_next = distance(p, after, c);
    n->to_next = b->to_prev = distance(p, c, before);
    a->next = b->prev = c;
    w->load_of[n->route] = r->load += p->demand[c];
    r->size++;
    r->length += w->measure * (change + p->service[c]);
    mirror(w, after);
    mirror(w, c);
    mirror(w, before);
}

// ---- Ruin

static double real(vrp_walk *w)
{
    return mco_rng_real(&w->rng);
}

static int32_t below(vrp_walk *w, int32_t limit)
{
    return (int32_t)mco_rng_below(&w->rng, (uint32_t)limit);
}

// Takes `length` customers around c out of its route, in one string, or around a kept middle.
static int32_t take_string(vrp_walk *w, int32_t c, int32_t length)
{
    const vrp_ring *r = &w->ring[w->node[c].route];
    const int32_t size = r->size, position = w->node[c].position;
    int32_t kept = 0, kept_from = 0, span = length, change = 0;
    if (length > 1 && length < size && real(w) < SPLIT) {
        kept = 1;
        while (length + kept < size && real(w) > SPLIT_ENDS)
            kept++;
        // The middle is passed over after kept_from customers.
        span = length + kept;
        kept_from = 1 + below(w, length - 1);
    }
    int32_t low = position - span + 1, high = position;
    low = low < 0 ? 0 : low;
    high = high > size - span ? size - span : high;
    int32_t first = low + below(w, high - low + 1), at = c;
    for (int32_t k = position; k > first; k--)
        at = w->node[at].prev;
    for (int32_t k = 0; k < span; k++) {
        const int32_t next = w->node[at].next;
        if (kept == 0 || k < kept_from || k >= kept_from + kept) {
            change += take_out(w, at);
            w->removed[w->removed_count++] = at;
        }
        at = next;
    }
    return change;
}

static int32_t ruin(vrp_walk *w, const vrp_walk_plan *plan)
{
    const vrp_part *p = w->part;
    const int32_t n = p->customers, seed = 1 + below(w, n);
    const double average = (double)n / (p->routes - w->spare_count);
    const double longest = average < plan->longest_string ? average : plan->longest_string;
    const int32_t strings = (int32_t)(1 + real(w) * (4 * plan->removed / (1 + longest) - 1));
    int32_t change = 0, taken = 0;
    const int32_t *near = p->near + (int64_t)seed * p->neighbours;
    for (int32_t k = -1; k < p->neighbours && taken < strings; k++) {
        const int32_t c = k < 0 ? seed : near[k];
        if (c == 0)
            break;
        const int32_t route = w->node[c].route;
        if (route < 0 || w->ring[route].stamp == w->step)
            continue;
        const int32_t size = w->ring[route].size;
        const double most = size < longest ? size : longest;
        const int32_t length = (int32_t)(1 + real(w) * most);
        change += take_string(w, c, length < size ? length : size);
        taken++;
    }
    return change;
}

// ---- Recreate

static void sort_removed(vrp_walk *w)
{
    const vrp_part *p = w->part;
    const int32_t kind = below(w, 11);
    for (int32_t k = 0; k < w->removed_count; k++) {
        const int32_t c = w->removed[k];
        const int32_t key = kind < 4 ? (int32_t)(mco_rng_next(&w->rng) >> 33)
                            : kind < 8 ? -p->demand[c]
                            : kind < 10 ? -p->depot_distance[c] : p->depot_distance[c];
        int32_t at = k;
        for (; at > 0 && w->key[at - 1] > key; at--) {
            w->key[at] = w->key[at - 1];
            w->removed[at] = w->removed[at - 1];
        }
        w->key[at] = key;
        w->removed[at] = c;
    }
}

static void draw_blink(vrp_walk *w)
{
    w->places_to_blink = 1 + (int32_t)(log(1 - real(w)) / log(1 - BLINK));
}

// ---- Where to put a customer

typedef struct search_place {
    int32_t c, room, depot, longest;
    int32_t best, after;
} search_place;

// The places on both sides of u, which is d away and in a route with room. No place beside u is better than `floor` less its
// edge: were the other end nearer than u and the depot, the place would have been found from there.
static inline void try_beside(vrp_walk *w, search_place *s, int32_t u, int32_t d, int32_t floor)
{
    const vrp_part *p = w->part;
    const bool is_symmetric = p->problem->is_symmetric;
    const vrp_node *n = &w->node[u];
    const vrp_ring *r = &w->ring[n->route];
    if (floor - n->to_next < s->best) {
        const int32_t change = (is_symmetric ? d : distance(p, u, s->c)) + distance(p, s->c, n->next) - n->to_next;
        if (change < s->best && r->length + change <= s->longest) {
            if (--w->places_to_blink == 0)
                draw_blink(w);
            else {
                s->best = change;
                s->after = u;
            }
        }
    }
    if (floor - n->to_prev < s->best) {
        const int32_t change = distance(p, n->prev, s->c) + (is_symmetric ? d : distance(p, s->c, u)) - n->to_prev;
        if (change < s->best && r->length + change <= s->longest) {
            if (--w->places_to_blink == 0)
                draw_blink(w);
            else {
                s->best = change;
                s->after = n->prev;
            }
        }
    }
}

#if defined(__AVX512F__)
enum { SCANNED = 16 };
// A bit for each of 16 neighbours that is in a route with room and may have a better place beside it.
static inline uint32_t promising(const vrp_walk *w, const search_place *s, const int32_t *near, const int32_t *near_d)
{
    const __m512i u = _mm512_loadu_si512(near), d = _mm512_loadu_si512(near_d);
    const __m512i route = _mm512_i32gather_epi32(u, w->route_of, 4);
    __mmask16 m = _mm512_cmpge_epi32_mask(route, _mm512_setzero_si512());
    const __m512i edge = _mm512_i32gather_epi32(u, w->edge, 4);
    const __m512i floor = _mm512_add_epi32(d, _mm512_min_epi32(d, _mm512_set1_epi32(s->depot)));
    m = _mm512_mask_cmplt_epi32_mask(m, _mm512_sub_epi32(floor, edge), _mm512_set1_epi32(s->best));
    const __m512i load = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), m, route, w->load_of, 4);
    return _mm512_mask_cmple_epi32_mask(m, load, _mm512_set1_epi32(s->room));
}
#elif defined(__AVX2__)
enum { SCANNED = 8 };
static inline uint32_t promising(const vrp_walk *w, const search_place *s, const int32_t *near, const int32_t *near_d)
{
    const __m256i u = _mm256_loadu_si256((const void *)near), d = _mm256_loadu_si256((const void *)near_d);
    const __m256i route = _mm256_i32gather_epi32(w->route_of, u, 4);
    const __m256i edge = _mm256_i32gather_epi32(w->edge, u, 4);
    const __m256i floor = _mm256_add_epi32(d, _mm256_min_epi32(d, _mm256_set1_epi32(s->depot)));
    __m256i m = _mm256_andnot_si256(_mm256_srai_epi32(route, 31),
                                    _mm256_cmpgt_epi32(_mm256_set1_epi32(s->best), _mm256_sub_epi32(floor, edge)));
    const __m256i load = _mm256_mask_i32gather_epi32(_mm256_set1_epi32(INT32_MAX), w->load_of, route, m, 4);
    m = _mm256_andnot_si256(_mm256_cmpgt_epi32(load, _mm256_set1_epi32(s->room)), m);
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(m));
}
#else
enum { SCANNED = 8 };
static inline uint32_t promising(const vrp_walk *w, const search_place *s, const int32_t *near, const int32_t *near_d)
{
    uint32_t bits = 0;
    for (int k = 0; k < SCANNED; k++) {
        const int32_t u = near[k], d = near_d[k], route = w->route_of[u];
        if (route >= 0 && d + (d < s->depot ? d : s->depot) - w->edge[u] < s->best && w->load_of[route] <= s->room)
            bits |= 1u << k;
    }
    return bits;
}
#endif

// The places between the depot and customers that end a route, by what they add: the first that is better is the best.
static void try_ends_of_routes(vrp_walk *w, search_place *s)
{
    const vrp_part *p = w->part;
    const int32_t *behind = p->behind + (int64_t)s->c * p->neighbours;
    const int32_t *change_of = p->behind_change + (int64_t)s->c * p->neighbours;
    for (int32_t k = 0; k < p->neighbours && behind[k] != 0 && change_of[k] < s->best; k++) {
        const vrp_node *n = &w->node[behind[k]];
        if (n->route < 0 || (n->next <= p->customers && n->prev <= p->customers) || w->load_of[n->route] > s->room ||
            w->ring[n->route].length + w->measure * change_of[k] > s->longest)
            continue;
        if (--w->places_to_blink == 0) {
            draw_blink(w);
            continue;
        }
        const bool is_last = n->next > p->customers;
        const int32_t change = is_last ? distance(p, behind[k], s->c) + distance(p, s->c, n->next) - n->to_next
                                       : distance(p, n->prev, s->c) + distance(p, s->c, behind[k]) - n->to_prev;
        if (change >= s->best || w->ring[n->route].length + w->measure * change > s->longest)  // asymmetric
            continue;
        s->best = change;
        s->after = is_last ? behind[k] : n->prev;
    }
}

// The first and the last place of every route with room: one of them is never worse than a route for c alone, so that routes
// are opened only where c fits into none.
static void try_all_routes(vrp_walk *w, search_place *s)
{
    const vrp_part *p = w->part;
    for (int32_t r = 0; r < p->routes; r++) {
        if (w->load_of[r] > s->room)
            continue;
        const int32_t depot = p->customers + 1 + r;
        const vrp_node *n = &w->node[depot];
        const int32_t first = distance(p, depot, s->c) + distance(p, s->c, n->next) - n->to_next;
        const int32_t last = distance(p, n->prev, s->c) + distance(p, s->c, depot) - n->to_prev;
        const int32_t change = first < last ? first : last;
        if (change >= s->best || w->ring[r].length + w->measure * change > s->longest)
            continue;
        if (--w->places_to_blink == 0) {
            draw_blink(w);
            continue;
        }
        s->best = change;
        s->after = first < last ? depot : n->prev;
    }
}

// The cheapest place for c: behind *after, at a change of the return value; INFINITE if none.
static int32_t find_place(vrp_walk *w, int32_t c, int32_t *after)
{
    const vrp_part *p = w->part;
    const int32_t *near = p->near + (int64_t)c * p->neighbours, *near_d = p->near_distance + (int64_t)c * p->neighbours;
    search_place s = {.c = c, .room = p->problem->capacity - p->demand[c], .depot = p->depot_distance[c],
                      .longest = w->measure != 0 ? p->problem->max_length - p->service[c] : INFINITE, .best = INFINITE};
    for (int32_t k = 0; k < p->neighbours; k += SCANNED) {
        uint32_t bits = promising(w, &s, near + k, near_d + k);
        while (bits != 0) {
            const int32_t m = k + __builtin_ctz(bits);
            bits &= bits - 1;
            const int32_t d = near_d[m];
            try_beside(w, &s, near[m], d, d + (d < s.depot ? d : s.depot));
        }
    }
    try_ends_of_routes(w, &s);
    if (s.best > s.depot)
        try_all_routes(w, &s);
    if (w->spare_count > 0) {
        const int32_t depot = p->customers + 1 + w->spare[w->spare_count - 1];
        const int32_t alone = distance(p, depot, c) + distance(p, c, depot);
        if (alone < s.best) {
            s.best = alone;
            s.after = depot;
        }
    }
    *after = s.after;
    return s.best;
}

static void place(vrp_walk *w, int32_t c, int32_t after, int32_t change)
{
    if (w->ring[w->node[after].route].size == 0)
        w->spare_count--;
    put_in(w, c, after, change);
}

// False once the cost reaches the threshold, or a customer fits nowhere.
static bool recreate(vrp_walk *w, int64_t *cost, double threshold)
{
    for (int32_t k = 0; k < w->removed_count; k++) {
        const int32_t c = w->removed[k];
        int32_t after = 0;
        const int32_t change = find_place(w, c, &after);
        if (change == INFINITE || (double)(*cost += change) >= threshold)
            return false;
        place(w, c, after, change);
    }
    return true;
}

// ---- Acceptance

static void number_ring(vrp_walk *w, int32_t route)
{
    const vrp_part *p = w->part;
    const int32_t depot = p->customers + 1 + route;
    int32_t position = 0, load = 0, length = 0;
    for (int32_t c = w->node[depot].next; c != depot; c = w->node[c].next) {
        vrp_node *n = &w->node[c];
        n->position = position++;
        n->load = load += p->demand[c];
        n->length = length += w->measure * (n->to_prev + p->service[c]);
    }
}

static void mark_changed(vrp_walk *w, int32_t id)
{
    if (!w->is_changed[id]) {
        w->is_changed[id] = 1;
        w->changed[w->changed_count++] = id;
    }
}

static void keep_best(vrp_walk *w)
{
    for (int32_t k = 0; k < w->changed_count; k++) {
        const int32_t id = w->changed[k];
        w->best_node[id] = w->node[id];
        w->is_changed[id] = 0;
    }
    w->changed_count = 0;
    w->best_cost = w->cost;
}

// ---- Improvement: reversals and exchanges of route ends

// Makes `line` [count] the customers of a route.
static void relink(vrp_walk *w, int32_t route, const int32_t *line, int32_t count)
{
    const vrp_part *p = w->part;
    const int32_t depot = p->customers + 1 + route;
    vrp_ring *r = &w->ring[route];
    int32_t at = depot, load = 0, length = 0;
    for (int32_t k = 0; k <= count; k++) {
        const int32_t c = k < count ? line[k] : depot;
        const int32_t d = distance(p, at, c);
        w->node[at].next = c;
        w->node[at].to_next = d;
        w->node[c].prev = at;
        w->node[c].to_prev = d;
        w->node[c].route = route;
        mirror(w, at);
        length += w->measure * d;
        if (k < count) {
            load += p->demand[c];
            length += w->measure * p->service[c];
            vrp_node *n = &w->node[c];
            n->position = k;
            n->load = load;
            n->length = length;
            mark_changed(w, c);
        }
        at = c;
    }
    mirror(w, depot);
    mark_changed(w, depot);
    r->load = load;
    w->load_of[route] = count > 0 ? load : INT32_MAX;
    r->length = length;
    if (r->size > 0 && count == 0)
        w->spare[w->spare_count++] = route;
    else if (r->size == 0 && count > 0) {
        for (int32_t k = 0; k < w->spare_count; k++)
            if (w->spare[k] == route) {
                w->spare[k] = w->spare[--w->spare_count];
                break;
            }
    }
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

// Joins c and u by a reversal inside their route: `side` 0: (c, next), (u, next) are cut; 1: (prev, c), (prev, u).
static bool try_reversal(vrp_walk *w, int32_t c, int32_t u, int32_t d, int side)
{
    const vrp_part *p = w->part;
    const vrp_node *a = &w->node[c], *b = &w->node[u];
    const int32_t an = side == 0 ? a->next : a->prev, bn = side == 0 ? b->next : b->prev;
    const int32_t cut = side == 0 ? a->to_next + b->to_next : a->to_prev + b->to_prev;
    if (d >= cut)
        return false;
    const int32_t change = d + distance(p, an, bn) - cut;
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
    relink(w, route, w->line, count);
    w->cost += change;
    return true;
}

// Joins c and u, d apart in two routes, whose other halves are joined too. `kind` says which edges are cut: behind c and before
// u, before c and behind u, behind both, before both.
static bool try_ends(vrp_walk *w, int32_t c, int32_t u, int32_t d, int kind)
{
    const vrp_part *p = w->part;
    const vrp_node *a = &w->node[c], *b = &w->node[u];
    const vrp_ring *ra = &w->ring[a->route], *rb = &w->ring[b->route];
    const int32_t capacity = p->problem->capacity, longest = p->problem->max_length;
    // The edges cut: behind or before each.
    const bool a_behind = kind == 0 || kind == 2, b_behind = kind == 1 || kind == 2;
    const int32_t cut = (a_behind ? a->to_next : a->to_prev) + (b_behind ? b->to_next : b->to_prev);
    if (d >= cut)
        return false;
    const int32_t an = a_behind ? a->next : a->prev, bn = b_behind ? b->next : b->prev;
    const int32_t other = distance(p, an, bn), change = d + other - cut;
    if (change >= 0)
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
    // Turn both so that the half with c is the head of la, the half with u the tail of lb.
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
    relink(w, route_a, la2, ia + nb - ib);
    relink(w, route_b, lb2, ib + na - ia);
    w->cost += change;
    return true;
}

static void improve(vrp_walk *w, int32_t exchanges)
{
    const vrp_part *p = w->part;
    const int32_t tried = exchanges < p->neighbours ? exchanges : p->neighbours;
    if (!p->problem->is_symmetric)
        return;
    for (int32_t k = 0; k < w->removed_count; k++) {
        const int32_t c = w->removed[k];
        const int32_t *near = p->near + (int64_t)c * p->neighbours, *near_d = p->near_distance + (int64_t)c * p->neighbours;
        for (int32_t m = 0; m < tried; m++) {
            const int32_t u = near[m], d = near_d[m];
            if (u == 0)
                break;
            const vrp_node *a = &w->node[c];
            if (d >= a->to_next && d >= a->to_prev)
                break;
            bool is_made = false;
            if (w->node[u].route == a->route)
                is_made = (a->next != u && try_reversal(w, c, u, d, 0)) || (a->prev != u && try_reversal(w, c, u, d, 1));
            else
                for (int kind = 0; kind < 4 && !is_made; kind++)
                    is_made = try_ends(w, c, u, d, kind);
            if (is_made)
                m = -1;
        }
    }
}

// Half of the steps put everything back where it was.
static bool is_unchanged(const vrp_walk *w)
{
    for (int32_t k = 0; k < w->saved_node_count; k++)
        if (w->node[w->saved_nodes[k].id].next != w->saved_nodes[k].node.next)
            return false;
    return true;
}

static void accept(vrp_walk *w, int64_t cost, int32_t exchanges)
{
    if (cost == w->cost && is_unchanged(w))
        return;
    w->cost = cost;
    for (int32_t k = 0; k < w->saved_node_count; k++)
        mark_changed(w, w->saved_nodes[k].id);
    for (int32_t k = 0; k < w->saved_ring_count; k++) {
        const int32_t id = w->saved_rings[k].id;
        if (w->ring[id].size == 0 && w->saved_rings[k].ring.size > 0)
            w->spare[w->spare_count++] = id;
        number_ring(w, id);
    }
    if (exchanges > 0)
        improve(w, exchanges);
    if (w->cost < w->best_cost)
        keep_best(w);
}

// Where the triangle inequality fails, by rounding or in a matrix, a route may grow longer by what was taken out of it.
static bool are_short_enough(const vrp_walk *w)
{
    for (int32_t k = 0; w->measure != 0 && k < w->saved_ring_count; k++)
        if (w->ring[w->saved_rings[k].id].length > w->part->problem->max_length)
            return false;
    return true;
}

static void step(vrp_walk *w, const vrp_walk_plan *plan, double temperature)
{
    begin_step(w);
    const double threshold = (double)w->cost - temperature * log(1 - real(w));
    int64_t cost = w->cost + ruin(w, plan);
    sort_removed(w);
    if (recreate(w, &cost, threshold) && are_short_enough(w))
        accept(w, cost, plan->exchanges);
    else
        undo_step(w);
}

// ---- Tasks

static void clear(vrp_walk *w, const vrp_task *task)
{
    const vrp_part *p = &task->part;
    const int32_t n = p->customers, nodes = n + 1 + p->routes;
    w->part = p;
    w->measure = vrp_has_max_length(p->problem);
    w->step = 0;
    memset(w->node_stamp, 0, (size_t)nodes * sizeof *w->node_stamp);
    memset(w->is_changed, 0, (size_t)nodes);
    w->changed_count = 0;
    for (int32_t r = 0; r < p->routes; r++) {
        const int32_t depot = n + 1 + r;
        w->node[depot] = (vrp_node){.next = depot, .prev = depot, .route = r, .position = -1};
        mirror(w, depot);
        w->ring[r] = (vrp_ring){.stamp = 0};
        w->load_of[r] = INT32_MAX;
        w->spare[r] = p->routes - 1 - r;
    }
    w->spare_count = p->routes;
    for (int32_t c = 0; c <= n; c++) {
        w->node[c] = (vrp_node){.route = -1};
        mirror(w, c);
    }
    mco_rng_seed(&w->rng, task->seed, 0);
    draw_blink(w);
}

static int64_t total(const vrp_walk *w)
{
    int64_t cost = 0;
    for (int32_t r = 0; r < w->part->routes; r++) {
        const int32_t depot = w->part->customers + 1 + r;
        int32_t at = depot;
        do {
            cost += w->node[at].to_next;
            at = w->node[at].next;
        } while (at != depot);
    }
    return cost;
}

// What the walk is at becomes the best.
static void settle(vrp_walk *w)
{
    w->cost = w->best_cost = total(w);
    memcpy(w->best_node, w->node, (size_t)(w->part->customers + 1 + w->part->routes) * sizeof *w->node);
    memset(w->is_changed, 0, (size_t)(w->part->customers + 1 + w->part->routes));
    w->changed_count = 0;
}

// At most part.routes of the routes.
static void load(vrp_walk *w, const vrp_task *task)
{
    clear(w, task);
    const int32_t routes = task->routes < task->part.routes ? task->routes : task->part.routes;
    for (int32_t r = 0; r < routes; r++)
        relink(w, r, task->order + task->first[r], task->first[r + 1] - task->first[r]);
    settle(w);
}

static void store(const vrp_walk *w, const vrp_node *node, int64_t cost, vrp_task *task)
{
    const vrp_part *p = w->part;
    int32_t count = 0, routes = 0;
    for (int32_t r = 0; r < p->routes; r++) {
        const int32_t depot = p->customers + 1 + r;
        if (node[depot].next == depot)
            continue;
        task->first[routes++] = count;
        for (int32_t c = node[depot].next; c != depot; c = node[c].next)
            task->order[count++] = c;
    }
    task->first[routes] = count;
    task->routes = routes;
    task->cost = cost;
}

// Puts in the customers that the task's solution leaves out; false if one fits nowhere.
static bool complete(vrp_walk *w)
{
    int64_t cost = 0;
    begin_step(w);
    for (int32_t c = 1; c <= w->part->customers; c++)
        if (w->node[c].route < 0)
            w->removed[w->removed_count++] = c;
    if (w->removed_count == 0)
        return true;
    sort_removed(w);
    if (!recreate(w, &cost, (double)INT64_MAX))
        return false;
    for (int32_t k = 0; k < w->saved_ring_count; k++)
        number_ring(w, w->saved_rings[k].id);
    settle(w);
    return true;
}

void NAMED(vrp_walk_run)(vrp_walk *w, vrp_task *task, const atomic_bool *stop)
{
    const vrp_walk_plan *plan = &task->plan;
    load(w, task);
    if (!complete(w)) {
        task->cost = INT64_MAX;
        w->steps += plan->steps > 0;  // so that a number of steps is reached though all tasks end like this
        return;
    }
    double temperature = 0;
    int64_t k = 0;
    for (; k < plan->steps; k++) {
        if (k % STEPS_PER_LOOK == 0) {
            if (atomic_load_explicit(stop, memory_order_relaxed))
                break;
            temperature = plan->hot * pow(plan->cold / plan->hot, (double)k / (double)plan->steps);
        }
        step(w, plan, temperature);
    }
    w->steps += k;
    if (task->wants_last && k == plan->steps)
        store(w, w->node, w->cost, task);
    else
        store(w, w->best_node, w->best_cost, task);
}

// ---- Packing into few routes: customers may be absent, and the longer they have been the more they count

static int64_t absence_of(const vrp_walk *w, const int32_t *customers, int32_t count)
{
    int64_t sum = 0;
    for (int32_t k = 0; k < count; k++)
        sum += 1 + w->absences[customers[k]];
    return sum;
}

static void pack_step(vrp_walk *w, const vrp_walk_plan *plan)
{
    begin_step(w);
    const int64_t before = absence_of(w, w->absent, w->absent_count);
    int64_t cost = w->cost + ruin(w, plan);
    for (int32_t k = 0; k < w->absent_count; k++)
        w->removed[w->removed_count++] = w->absent[k];
    sort_removed(w);
    int32_t *left = w->line, left_count = 0;
    for (int32_t k = 0; k < w->removed_count; k++) {
        const int32_t c = w->removed[k];
        int32_t after = 0;
        const int32_t change = find_place(w, c, &after);
        if (change == INFINITE) {
            left[left_count++] = c;
            continue;
        }
        cost += change;
        place(w, c, after, change);
    }
    const int64_t sum = absence_of(w, left, left_count);
    for (int32_t k = 0; k < left_count; k++)
        w->absences[left[k]]++;
    if ((left_count > 0 && sum > before) || !are_short_enough(w)) {
        undo_step(w);
        return;
    }
    memcpy(w->absent, left, (size_t)left_count * sizeof *left);
    w->absent_count = left_count;
    w->removed_count = 0;
    accept(w, cost, 0);
}

bool NAMED(vrp_walk_pack)(vrp_walk *w, vrp_task *task, const atomic_bool *stop)
{
    load(w, task);
    w->absent_count = 0;
    for (int32_t c = 1; c <= w->part->customers; c++) {
        w->absences[c] = 0;
        if (w->node[c].route < 0)
            w->absent[w->absent_count++] = c;
    }
    int64_t k = 0;
    for (; k < task->plan.steps && w->absent_count > 0; k++) {
        if (k % STEPS_PER_LOOK == 0 && atomic_load_explicit(stop, memory_order_relaxed))
            break;
        pack_step(w, &task->plan);
    }
    w->steps += k;
    if (w->absent_count > 0)
        return false;
    settle(w);
    store(w, w->node, w->cost, task);
    return true;
}
