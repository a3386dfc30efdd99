// SPDX-License-Identifier: MIT
// Generators. Each plans its numbers of vertices and edges first, then writes exactly so many edges.
//
// Random graphs: pairs are drawn until there are enough different ones. If more than half of all pairs are wanted, the pairs
// that are left out are drawn instead. So less than one draw in two is in vain, and every set of edges is equally likely.
//
// Regular graphs: the pairing model (Bollobas 1980). Every vertex has b points, and a random permutation pairs the points.
// Pairs that are loops or parallel to others are repaired: such a pair (u, v) and a random good pair (x, y) become (u, x) and
// (v, y) (McKay, Wormald 1990). The distribution is close to uniform, for dense graphs too, where the complement is made.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "graph/graph.h"

enum { NAME_ROOM = 96, REPAIR_TRIES = 1000 };

// A set of pairs of vertices: open addressing, linear probing, at most half full.
typedef struct pair_set {
    uint64_t *slot;  // [mask + 1] key + 1; 0: empty
    uint64_t mask;
} pair_set;

typedef struct maker {
    mco_context *ctx;
    const mco_graph_shape *shape;
    int64_t vertices, edges;
    int32_t *from, *to;  // [edges]
    int64_t count;       // edges that are there
    double *x, *y;       // [vertices] or NULL
    mco_rng rng;
    pair_set set;
    int32_t *point;      // of regular graphs: the vertex of each point; points 2 k and 2 k + 1 are a pair
} maker;

// ---- Pairs

static mco_status set_make(mco_context *ctx, pair_set *set, int64_t pairs)
{
    uint64_t room = 4;
    while (room < 2 * (uint64_t)pairs)
        room *= 2;
    set->mask = room - 1;
    return mco_alloc(ctx, &set->slot, room);
}

// The number of the pair, from 1.
static uint64_t key_of(int32_t u, int32_t v)
{
    const uint64_t low = (uint64_t)(u < v ? u : v), high = (uint64_t)(u < v ? v : u);
    return (low << 32 | high) + 1;
}

static uint64_t home_of(const pair_set *set, uint64_t key)
{
    uint64_t state = key;
    return mco_splitmix64(&state) & set->mask;
}

// The slot of the pair, or the empty slot where it belongs.
static uint64_t slot_of(const pair_set *set, uint64_t key)
{
    uint64_t at = home_of(set, key);
    while (set->slot[at] != 0 && set->slot[at] != key)
        at = (at + 1) & set->mask;
    return at;
}

static bool set_has(const pair_set *set, int32_t u, int32_t v)
{
    return set->slot[slot_of(set, key_of(u, v))] != 0;
}

// False: the pair is in the set already.
static bool set_add(pair_set *set, int32_t u, int32_t v)
{
    const uint64_t key = key_of(u, v), at = slot_of(set, key);
    const bool is_new = set->slot[at] == 0;
    set->slot[at] = key;
    return is_new;
}

// Removes a pair that is in the set. Later pairs move back into the gap, unless they are at home between the two.
static void set_remove(pair_set *set, int32_t u, int32_t v)
{
    uint64_t gap = slot_of(set, key_of(u, v));
    for (uint64_t at = (gap + 1) & set->mask; set->slot[at] != 0; at = (at + 1) & set->mask) {
        const uint64_t way = (at - home_of(set, set->slot[at])) & set->mask;
        if (way >= ((at - gap) & set->mask)) {
            set->slot[gap] = set->slot[at];
            gap = at;
        }
    }
    set->slot[gap] = 0;
}

// Uniform in [0, limit), limit > 0.
static int64_t draw(mco_rng *rng, int64_t limit)
{
    uint64_t mask = (uint64_t)limit - 1, value;
    for (int shift = 1; shift < 64; shift *= 2)
        mask |= mask >> shift;
    do
        value = mco_rng_next(rng) & mask;
    while (value >= (uint64_t)limit);
    return (int64_t)value;
}

// ---- Shapes without chance

static void add(maker *m, int64_t u, int64_t v)
{
    m->from[m->count] = (int32_t)u;
    m->to[m->count++] = (int32_t)v;
}

static void add_circle(maker *m, int64_t length)
{
    for (int64_t v = 0; v < length; v++)
        add(m, v, v + 1 < length ? v + 1 : 0);
}

static void add_wheel(maker *m)
{
    add_circle(m, m->shape->a);
    for (int64_t v = 0; v < m->shape->a; v++)
        add(m, v, m->shape->a);
}

// Edges between each of [0, a) and each of [first, end), or only the later ones of [0, end) if `first` is 0.
static void add_between(maker *m, int64_t a, int64_t first, int64_t end)
{
    for (int64_t u = 0; u < a; u++)
        for (int64_t v = first > 0 ? first : u + 1; v < end; v++)
            add(m, u, v);
}

static int64_t grid_edges(const mco_graph_shape *shape)
{
    return shape->a * (shape->b - 1) + shape->b * (shape->a - 1);
}

// Writes the edges of the grid, or m->edges of them, each set of this size equally likely (Knuth's algorithm S).
static void add_grid(maker *m)
{
    const int64_t rows = m->shape->a, columns = m->shape->b;
    int64_t left = grid_edges(m->shape);
    for (int64_t v = 0; v < m->vertices; v++)
        for (int side = 0; side < 2; side++) {
            if (side == 0 ? v % columns + 1 == columns : v / columns + 1 == rows)
                continue;
            const int64_t wanted = m->edges - m->count;
            if (wanted == left || draw(&m->rng, left) < wanted)
                add(m, v, side == 0 ? v + 1 : v + columns);
            left--;
        }
}

// Columns are x, rows are y. Each place is shaken by less than `shake` in both. With less than a quarter no two straight
// edges cross: rows stay apart, columns too, and edges that share a vertex have different directions.
static mco_status place_grid(maker *m, double shake)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(m->ctx, &m->x, m->vertices));
    MCO_TRY(mco_alloc(m->ctx, &m->y, m->vertices));
    for (int64_t v = 0; v < m->vertices; v++) {
        m->x[v] = (double)(v % m->shape->b) + (shake > 0 ? shake * (2 * mco_rng_real(&m->rng) - 1) : 0);
        m->y[v] = (double)(v / m->shape->b) + (shake > 0 ? shake * (2 * mco_rng_real(&m->rng) - 1) : 0);
    }
done:
    return st;
}

// ---- Random graphs

static int64_t all_pairs(int64_t vertices)
{
    return vertices * (vertices - 1) / 2;
}

// Writes the pairs that are not in the set.
static void add_others(maker *m)
{
    for (int64_t u = 0; u < m->vertices; u++)
        for (int64_t v = u + 1; v < m->vertices; v++)
            if (!set_has(&m->set, (int32_t)u, (int32_t)v))
                add(m, u, v);
}

static mco_status make_random(maker *m)
{
    mco_status st = MCO_OK;
    const bool is_dense = m->edges > all_pairs(m->vertices) / 2;
    const int64_t wanted = is_dense ? all_pairs(m->vertices) - m->edges : m->edges;
    MCO_TRY(set_make(m->ctx, &m->set, wanted));
    for (int64_t k = 0; k < wanted;) {
        const int32_t u = (int32_t)draw(&m->rng, m->vertices), v = (int32_t)draw(&m->rng, m->vertices);
        if (u == v || !set_add(&m->set, u, v))
            continue;
        k++;
        if (!is_dense)
            add(m, u, v);
    }
    if (is_dense)
        add_others(m);
done:
    return st;
}

// ---- Regular graphs

static void swap_points(int32_t *point, int64_t i, int64_t j)
{
    const int32_t moved = point[i];
    point[i] = point[j];
    point[j] = moved;
}

// Pairs all points at random. The good pairs come first, and are in the set. Returns how many they are.
static int64_t pair_points(maker *m, int64_t pairs, int64_t degree)
{
    int64_t good = 0, end = pairs;
    memset(m->set.slot, 0, (size_t)(m->set.mask + 1) * sizeof *m->set.slot);
    for (int64_t k = 0; k < 2 * pairs; k++)
        m->point[k] = (int32_t)(k / degree);
    for (int64_t k = 2 * pairs - 1; k > 0; k--)
        swap_points(m->point, k, draw(&m->rng, k + 1));
    while (good < end) {
        const int32_t u = m->point[2 * good], v = m->point[2 * good + 1];
        if (u != v && set_add(&m->set, u, v)) {
            good++;
            continue;
        }
        end--;
        swap_points(m->point, 2 * good, 2 * end);
        swap_points(m->point, 2 * good + 1, 2 * end + 1);
    }
    return good;
}

// Repairs the pair after the good ones by a switch with one of them. False: no try succeeded.
static bool repair(maker *m, int64_t good)
{
    int32_t *bad = m->point + 2 * good;
    for (int i = 0; good > 0 && i < REPAIR_TRIES; i++) {
        const int64_t k = draw(&m->rng, 2 * good);
        int32_t *x = m->point + k, *y = m->point + (k ^ 1);
        const bool is_same = bad[0] == *y && bad[1] == *x;
        if (is_same || bad[0] == *x || bad[1] == *y || set_has(&m->set, bad[0], *x) || set_has(&m->set, bad[1], *y))
            continue;
        set_remove(&m->set, *x, *y);
        set_add(&m->set, bad[0], *x);
        set_add(&m->set, bad[1], *y);
        const int32_t freed = *y;
        *y = bad[0];
        bad[0] = freed;
        return true;
    }
    return false;
}

// Pairs that cannot be repaired, as small graphs have them, are all made anew. A good pairing is possible, so this ends.
static mco_status make_regular(maker *m)
{
    mco_status st = MCO_OK;
    const int64_t b = m->shape->b, other = m->vertices - 1 - b;
    const int64_t degree = b <= other ? b : other, pairs = m->vertices * degree / 2;
    MCO_TRY(mco_alloc(m->ctx, &m->point, 2 * pairs));
    MCO_TRY(set_make(m->ctx, &m->set, pairs));
    for (int64_t good = -1; good < pairs;) {
        good = pair_points(m, pairs, degree);
        while (good < pairs && repair(m, good))
            good++;
    }
    if (degree < b)
        add_others(m);
    else
        for (int64_t k = 0; k < pairs; k++)
            add(m, m->point[2 * k], m->point[2 * k + 1]);
done:
    return st;
}

// ---- The shape

static mco_status refuse(mco_context *ctx, const mco_graph_shape *s)
{
    const int64_t a = s->a, b = s->b;
    const bool has_two_sizes = s->family == MCO_GRAPH_GRID || s->family == MCO_GRAPH_ROAD ||
                               s->family == MCO_GRAPH_COMPLETE_BIPARTITE;
    const int64_t least = s->family == MCO_GRAPH_CYCLE || s->family == MCO_GRAPH_WHEEL ? 3 : 1;
    if ((unsigned)s->family > MCO_GRAPH_ROAD)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "there is no family of graphs %d", (int)s->family);
    if (has_two_sizes && (a < 1 || b < 1))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a graph of %" PRId64 " by %" PRId64 ", 1 by 1 or more was expected", a, b);
    if (a < least)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%" PRId64 " vertices, %" PRId64 " or more were expected", a, least);
    if (a > MCO_GRAPH_MAX_VERTICES || (has_two_sizes && b > MCO_GRAPH_MAX_VERTICES))
        return mco_fail(ctx, MCO_ERR_LIMIT, "%" PRId64 " vertices, at most %d are allowed", a > b ? a : b, MCO_GRAPH_MAX_VERTICES);
    if (s->family == MCO_GRAPH_RANDOM && (b < 0 || b > all_pairs(a)))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%" PRId64 " edges, %" PRId64 " vertices have 0 to %" PRId64, b, a, all_pairs(a));
    if (s->family == MCO_GRAPH_REGULAR && (b < 0 || b >= a))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "degree %" PRId64 ", %" PRId64 " vertices may have 0 to %" PRId64, b, a, a - 1);
    if (s->family == MCO_GRAPH_REGULAR && a % 2 != 0 && b % 2 != 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%" PRId64 " vertices of degree %" PRId64 ", one of the two must be even", a, b);
    if (s->family == MCO_GRAPH_ROAD && !(s->share >= 0 && s->share < 1))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a share of %g of the edges removed, it must be 0 or more and below 1", s->share);
    return MCO_OK;
}

// Sets the numbers of vertices and edges. No product overflows: a and b are at most 2 * 10^9.
static void measure(maker *m)
{
    const mco_graph_shape *s = m->shape;
    const int64_t a = s->a, b = s->b;
    m->vertices = a;
    switch (s->family) {
    case MCO_GRAPH_GRID:
        m->vertices = a * b;
        m->edges = grid_edges(s);
        break;
    case MCO_GRAPH_CYCLE:
        m->edges = a;
        break;
    case MCO_GRAPH_WHEEL:
        m->vertices = a + 1;
        m->edges = 2 * a;
        break;
    case MCO_GRAPH_COMPLETE:
        m->edges = all_pairs(a);
        break;
    case MCO_GRAPH_COMPLETE_BIPARTITE:
        m->vertices = a + b;
        m->edges = a * b;
        break;
    case MCO_GRAPH_RANDOM:
        m->edges = b;
        break;
    case MCO_GRAPH_REGULAR:
        m->edges = a * b / 2;
        break;
    case MCO_GRAPH_ROAD:
        m->vertices = a * b;
        m->edges = grid_edges(s) - (int64_t)(s->share * (double)grid_edges(s) + 0.5);
        break;
    }
}

static void write_name(const mco_graph_shape *s, char name[NAME_ROOM])
{
    static const char *const families[] = {"grid", "cycle", "wheel", "complete", "complete-bipartite", "random", "regular", "road"};
    const char *family = families[s->family];
    if (s->family == MCO_GRAPH_ROAD)
        snprintf(name, NAME_ROOM, "%s-%" PRId64 "x%" PRId64 "-%g-s%" PRIu64, family, s->a, s->b, s->share, s->seed);
    else if (s->family == MCO_GRAPH_RANDOM || s->family == MCO_GRAPH_REGULAR)
        snprintf(name, NAME_ROOM, "%s-%" PRId64 "-%" PRId64 "-s%" PRIu64, family, s->a, s->b, s->seed);
    else if (s->family == MCO_GRAPH_GRID || s->family == MCO_GRAPH_COMPLETE_BIPARTITE)
        snprintf(name, NAME_ROOM, "%s-%" PRId64 "x%" PRId64, family, s->a, s->b);
    else
        snprintf(name, NAME_ROOM, "%s-%" PRId64, family, s->a);
}

static mco_status make_edges(maker *m)
{
    const mco_graph_shape *s = m->shape;
    mco_status st = MCO_OK;
    switch (s->family) {
    case MCO_GRAPH_GRID:
    case MCO_GRAPH_ROAD:
        st = place_grid(m, s->family == MCO_GRAPH_ROAD ? 0.25 : 0);
        if (st == MCO_OK)
            add_grid(m);
        break;
    case MCO_GRAPH_CYCLE:
        add_circle(m, s->a);
        break;
    case MCO_GRAPH_WHEEL:
        add_wheel(m);
        break;
    case MCO_GRAPH_COMPLETE:
        add_between(m, s->a, 0, s->a);
        break;
    case MCO_GRAPH_COMPLETE_BIPARTITE:
        add_between(m, s->a, s->a, s->a + s->b);
        break;
    case MCO_GRAPH_RANDOM:
        st = make_random(m);
        break;
    case MCO_GRAPH_REGULAR:
        st = make_regular(m);
        break;
    }
    return st;
}

mco_status mco_graph_generate(mco_context *ctx, const mco_graph_shape *shape, mco_graph **out)
{
    mco_status st = MCO_OK;
    maker m = {.ctx = ctx, .shape = shape};
    char name[NAME_ROOM];
    if (ctx == NULL || shape == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(refuse(ctx, shape));
    measure(&m);
    if (m.vertices > MCO_GRAPH_MAX_VERTICES || m.edges > MCO_GRAPH_MAX_ARCS / 2)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%" PRId64 " vertices and %" PRId64 " edges, at most %d and %" PRId64 " are allowed",
                        m.vertices, m.edges, MCO_GRAPH_MAX_VERTICES, (int64_t)MCO_GRAPH_MAX_ARCS / 2);
    mco_rng_seed(&m.rng, shape->seed, 0);
    MCO_TRY(mco_alloc(ctx, &m.from, m.edges));
    MCO_TRY(mco_alloc(ctx, &m.to, m.edges));
    MCO_TRY(make_edges(&m));
    mco_free(ctx, &m.set.slot);
    mco_free(ctx, &m.point);
    write_name(shape, name);
    const mco_graph_edges edges = {.vertices = (int32_t)m.vertices, .edges = m.edges, .from = m.from, .to = m.to,
                                   .x = m.x, .y = m.y};
    MCO_TRY(graph_build(ctx, &edges, name, NULL, 1, out));
done:
    mco_free(ctx, &m.from);
    mco_free(ctx, &m.to);
    mco_free(ctx, &m.x);
    mco_free(ctx, &m.y);
    mco_free(ctx, &m.set.slot);
    mco_free(ctx, &m.point);
    return st;
}
