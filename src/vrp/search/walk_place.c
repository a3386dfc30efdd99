// SPDX-License-Identifier: MIT
// The cheapest place of a customer in the routes of a walk (vrp/search/walk.c), now and then one of the next. It tries
// places beside the nearest neighbours, an empty route, and the ends of routes that pass the customer on their way to
// the depot. X-n936-k151 has routes of six customers: 6 s give 2.3 % above the best known without these ends, 0.8 %
// with them.
#include <math.h>

#include "base/lanes.h"
#include "vrp/search/walk.h"

static const double BLINK = 0.01;  // chance that a place is passed over

static inline int32_t distance(const vrp_part *p, int32_t i, int32_t j)
{
    return vrp_part_distance(p, i, j);
}

void VARIANT(vrp_walk_draw_blink)(vrp_walk *w)
{
    w->places_to_blink = 1 + (int32_t)(log(1 - mco_rng_real(&w->rng)) / log(1 - BLINK));
}

typedef struct search_place {
    int32_t c, room, depot, longest;
    int32_t best, after;
} search_place;

// Tries the places on both sides of u, which is d away and in a route with room. `floor` is d plus the lesser one of d
// and the distance to the depot; less the edge cut it is a lower bound of the change. For the other end of the edge is
// the depot, or at least d away: neighbours come from near to far, so the place was tried from a nearer end before.
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
                VARIANT(vrp_walk_draw_blink)(w);
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
                VARIANT(vrp_walk_draw_blink)(w);
            else {
                s->best = change;
                s->after = n->prev;
            }
        }
    }
}

#if defined(__AVX512F__)
enum { SCANNED = 16 };
// A bit for each of SCANNED neighbours: whether it is in a route with room and may have a better place beside it.
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
// A bit for each of SCANNED customers: whether it ends a route and what it adds may be less than the best.
static inline uint32_t promising_ends(const vrp_walk *w, const search_place *s, const int32_t *behind, const int32_t *change)
{
    const __mmask16 m = _mm512_cmplt_epi32_mask(_mm512_loadu_si512(change), _mm512_set1_epi32(s->best));
    const __m512i none = _mm512_set1_epi32(-1);
    const __m512i route = _mm512_mask_i32gather_epi32(none, m, _mm512_loadu_si512(behind), w->end_of, 4);
    return _mm512_mask_cmpgt_epi32_mask(m, route, none);
}
#elif defined(__AVX2__)
enum { SCANNED = 8 };
static inline uint32_t promising_ends(const vrp_walk *w, const search_place *s, const int32_t *behind, const int32_t *change)
{
    const __m256i m = _mm256_cmpgt_epi32(_mm256_set1_epi32(s->best), _mm256_loadu_si256((const void *)change));
    const __m256i none = _mm256_set1_epi32(-1);
    const __m256i route = _mm256_mask_i32gather_epi32(none, w->end_of, _mm256_loadu_si256((const void *)behind), m, 4);
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(route, none)));
}
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
static inline uint32_t promising_ends(const vrp_walk *w, const search_place *s, const int32_t *behind, const int32_t *change)
{
    uint32_t bits = 0;
    for (int k = 0; k < SCANNED; k++)
        if (change[k] < s->best && w->end_of[behind[k]] >= 0)
            bits |= 1u << k;
    return bits;
}
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

static inline void try_end(vrp_walk *w, search_place *s, int32_t u, int32_t least)
{
    const vrp_part *p = w->part;
    const vrp_node *n = &w->node[u];
    if (w->load_of[n->route] > s->room || w->ring[n->route].length + w->measure * least > s->longest)
        return;
    if (--w->places_to_blink == 0) {
        VARIANT(vrp_walk_draw_blink)(w);
        return;
    }
    const bool is_last = n->next > p->customers;
    const int32_t change = is_last ? distance(p, u, s->c) + distance(p, s->c, n->next) - n->to_next
                                   : distance(p, n->prev, s->c) + distance(p, s->c, u) - n->to_prev;
    if (change >= s->best || w->ring[n->route].length + w->measure * change > s->longest)  // asymmetric
        return;
    s->best = change;
    s->after = is_last ? u : n->prev;
}

// Tries the places between the depot and customers that end a route. They come in the order of what they add, so that
// the first better one is the best. Node 0, which fills up the list, ends no route.
static void try_ends_of_routes(vrp_walk *w, search_place *s)
{
    const vrp_part *p = w->part;
    const int32_t *behind = p->behind + (int64_t)s->c * p->neighbours;
    const int32_t *change_of = p->behind_change + (int64_t)s->c * p->neighbours;
    for (int32_t k = 0; k < p->neighbours && behind[k] != 0 && change_of[k] < s->best; k += SCANNED) {
        uint32_t bits = promising_ends(w, s, behind + k, change_of + k);
        while (bits != 0) {
            const int32_t m = k + __builtin_ctz(bits);
            bits &= bits - 1;
            if (change_of[m] >= s->best)
                return;
            try_end(w, s, behind[m], change_of[m]);
        }
    }
}

// Tries the first and the last place of every route with room. One of them is never worse than a route for c alone, so
// that a route is opened only if c fits into no other.
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
            VARIANT(vrp_walk_draw_blink)(w);
            continue;
        }
        s->best = change;
        s->after = first < last ? depot : n->prev;
    }
}

int32_t VARIANT(vrp_walk_find_place)(vrp_walk *w, int32_t c, int32_t *after)
{
    const vrp_part *p = w->part;
    const int32_t *near = p->near + (int64_t)c * p->neighbours, *near_d = p->near_distance + (int64_t)c * p->neighbours;
    search_place s = {.c = c, .room = p->problem->capacity - p->demand[c], .depot = p->depot_distance[c], .longest = INT32_MAX,
                      .best = VRP_WALK_NO_PLACE};
    if (w->measure != 0)
        s.longest = p->problem->max_length - p->service[c];
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
        if (alone < s.best && alone <= s.longest) {
            s.best = alone;
            s.after = depot;
        }
    }
    *after = s.after;
    return s.best;
}
