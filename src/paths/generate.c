// SPDX-License-Identifier: MIT
// Networks by rule. All of them have places and integer weights, and come from SplitMix64 alone, so a shape and a seed give the same
// network on every machine.
//
// ROAD is a grid without most of its streets. A rectangle is halved at its longer side until both sides have 8 vertices at most. Few
// streets cross a cut, about 2 * L^0.4 of L; the ends of these on one side are a separator. A small rectangle has a random spanning
// tree and a fifth of its other streets. So the network is planar and connected, has degrees of 2 to 3 like roads, and its dissection
// order is known: both halves, then the separator. Inside a small rectangle it is the order of least degree.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "paths/file.h"

enum { GRID_LEAST = 100, GRID_RANGE = 1000, RANDOM_RANGE = 1000 };  // weights
enum { LEAF = 8, LEAF_VERTICES = LEAF * LEAF, LEAF_STREETS = 2 * LEAF * (LEAF - 1), EXTRA_PERCENT = 20 };
enum { SLOWER_RANGE = 50, SLOWER_ONE_IN = 4 };  // one direction in four takes up to 49 more
enum { RIGHT = 1, DOWN = 2 };  // streets from a vertex of a grid

static uint32_t below(uint64_t *state, uint32_t limit)
{
    return (uint32_t)(((mco_splitmix64(state) >> 32) * limit) >> 32);
}

// A random number that belongs to `key`, in whatever order keys come.
static uint64_t mix(uint64_t seed, uint64_t key)
{
    uint64_t state = key + 0x632be59bd9b4e019u;
    state = mco_splitmix64(&state) ^ seed;
    return mco_splitmix64(&state);
}

typedef struct draft {
    mco_context *ctx;
    const mco_paths_shape *shape;
    int64_t rows, columns;
    int32_t vertices;
    uint8_t *street;   // [vertices] RIGHT and DOWN of the grid that are there
    int64_t *first;
    int32_t *head, *weight;
    double *x, *y;
    int32_t *order;    // [vertices] of ROAD
} draft;

static void draft_clear(draft *d)
{
    mco_free(d->ctx, &d->street);
    mco_free(d->ctx, &d->first);
    mco_free(d->ctx, &d->head);
    mco_free(d->ctx, &d->weight);
    mco_free(d->ctx, &d->x);
    mco_free(d->ctx, &d->y);
    mco_free(d->ctx, &d->order);
}

// ---- Grids

// The weight of street `street` from v; `side` 1 is the way back.
static int32_t street_weight(const draft *d, int32_t v, int street, int side)
{
    const uint64_t key = 2 * (uint64_t)v + (street == DOWN), number = mix(d->shape->seed, key);
    int32_t weight = GRID_LEAST + (int32_t)(((number >> 32) * GRID_RANGE) >> 32);
    if (d->shape->family == MCO_PATHS_ROAD && side == 1 && (number & UINT32_MAX) % SLOWER_ONE_IN == 0)
        weight += (int32_t)((number >> 8) % SLOWER_RANGE);
    return weight;
}

// Writes the arcs of v, heads ascending; returns how many. `head` NULL: only counts.
static int grid_arcs(const draft *d, int32_t v, int32_t *head, int32_t *weight)
{
    const int32_t columns = (int32_t)d->columns, column = v % columns;
    const struct {
        int32_t from, to;  // the street belongs to `from`
        int street;
        bool is_there;
    } ways[4] = {
        {v - columns, v - columns, DOWN, v >= columns && (d->street[v - columns] & DOWN)},
        {v - 1, v - 1, RIGHT, column > 0 && (d->street[v - 1] & RIGHT)},
        {v, v + 1, RIGHT, (d->street[v] & RIGHT) != 0},
        {v, v + columns, DOWN, (d->street[v] & DOWN) != 0},
    };
    int count = 0;
    for (int k = 0; k < 4; k++) {
        if (!ways[k].is_there)
            continue;
        if (head != NULL) {
            head[count] = ways[k].to;
            weight[count] = street_weight(d, ways[k].from, ways[k].street, ways[k].from != v);
        }
        count++;
    }
    return count;
}

static mco_status fill_grid(draft *d)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(d->ctx, &d->first, (int64_t)d->vertices + 1));
    for (int32_t v = 0; v < d->vertices; v++)
        d->first[v + 1] = d->first[v] + grid_arcs(d, v, NULL, NULL);
    MCO_TRY(mco_alloc(d->ctx, &d->head, d->first[d->vertices]));
    MCO_TRY(mco_alloc(d->ctx, &d->weight, d->first[d->vertices]));
    MCO_TRY(mco_alloc(d->ctx, &d->x, d->vertices));
    MCO_TRY(mco_alloc(d->ctx, &d->y, d->vertices));
    for (int32_t v = 0; v < d->vertices; v++) {
        grid_arcs(d, v, d->head + d->first[v], d->weight + d->first[v]);
        d->x[v] = (double)(v % d->columns);
        d->y[v] = (double)(d->rows - 1 - v / d->columns);  // the first row is the northern one
    }
done:
    return st;
}

static mco_status make_grid(draft *d)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(d->ctx, &d->street, d->vertices));
    for (int32_t v = 0; v < d->vertices; v++)
        d->street[v] = (uint8_t)((v % d->columns + 1 < d->columns ? RIGHT : 0) | (v / d->columns + 1 < d->rows ? DOWN : 0));
    MCO_TRY(fill_grid(d));
done:
    return st;
}

// ---- Roads

typedef struct box {
    int32_t left, top, right, bottom;  // columns left .. right - 1, rows top .. bottom - 1
} box;

typedef struct roads {
    draft *d;
    uint64_t state;
    bool *is_cut;      // [vertices] in a separator that is not yet in the order
    int32_t *pending;  // [vertices] separators of the boxes around the current one, one behind the other
    int32_t pending_count, ordered;
} roads;

static int32_t vertex_at(const roads *r, int32_t row, int32_t column)
{
    return row * (int32_t)r->d->columns + column;
}

// About 2 * length^0.4, from 2 on and at most the length: k with k^5 near 32 * length^2. Integers give the same on every machine; k
// stays below 11,000, so k^4 fits.
static int32_t crossings(int32_t length)
{
    const int64_t most = (int64_t)length * length;
    int64_t k = 2;
    while ((k + 1) * (k + 1) * (k + 1) * (k + 1) / 32 <= most / (k + 1))
        k++;
    return k < length ? (int32_t)k : length;
}

// Lets few streets cross the line before column `at` (or row `at`), and keeps their ends behind it as the separator.
static void cut(roads *r, const box *b, bool is_column, int32_t at)
{
    const int32_t begin = is_column ? b->top : b->left, length = (is_column ? b->bottom : b->right) - begin;
    const int32_t count = crossings(length);
    for (int32_t k = 0; k < count; k++) {
        const int32_t low = (int32_t)((int64_t)length * k / count), high = (int32_t)((int64_t)length * (k + 1) / count);
        const int32_t place = begin + low + (int32_t)below(&r->state, (uint32_t)(high - low));
        const int32_t before = is_column ? vertex_at(r, place, at - 1) : vertex_at(r, at - 1, place);
        const int32_t behind = is_column ? before + 1 : before + (int32_t)r->d->columns;
        r->d->street[before] |= is_column ? RIGHT : DOWN;
        if (r->is_cut[behind])
            continue;  // it is in the separator of a box around this one, which comes later
        r->is_cut[behind] = true;
        r->pending[r->pending_count++] = behind;
    }
}

typedef struct leaf {
    int32_t vertex[LEAF_VERTICES];
    int32_t count, width;
    int16_t root[LEAF_VERTICES];       // union-find of the spanning tree
    uint64_t inside[LEAF_VERTICES];    // neighbours in the leaf that are not eliminated
    uint64_t outside[LEAF_VERTICES];   // neighbours elsewhere, by a number of their street
    int outside_count;
} leaf;

static int16_t find_root(leaf *f, int16_t k)
{
    while (f->root[k] != k)
        k = f->root[k] = f->root[f->root[k]];
    return k;
}

// Streets of the leaf: all in random order; one that joins two parts stays, and a fifth of the others.
static void make_streets(roads *r, leaf *f)
{
    int16_t from[LEAF_STREETS], to[LEAF_STREETS];
    int count = 0;
    for (int16_t k = 0; k < f->count; k++) {
        f->root[k] = k;
        if (k % f->width + 1 < f->width)
            from[count] = k, to[count++] = (int16_t)(k + 1);
        if (k + f->width < f->count)
            from[count] = k, to[count++] = (int16_t)(k + f->width);
    }
    while (count > 0) {
        const uint32_t k = below(&r->state, (uint32_t)count);
        const int16_t u = from[k], v = to[k], a = find_root(f, u), b = find_root(f, v);
        from[k] = from[--count];
        to[k] = to[count];
        f->root[a] = b;
        if (a == b && below(&r->state, 100) >= EXTRA_PERCENT)
            continue;
        r->d->street[f->vertex[u]] |= v == u + 1 && f->width > 1 ? RIGHT : DOWN;
    }
}

static void join(leaf *f, int32_t k, bool is_inside, int32_t neighbour)
{
    if (is_inside) {
        f->inside[k] |= (uint64_t)1 << neighbour;
        f->inside[neighbour] |= (uint64_t)1 << k;
    } else {
        f->outside[k] |= (uint64_t)1 << f->outside_count++;
    }
}

// Collects the neighbours of each vertex. At most 4 * LEAF streets leave a leaf.
static void find_neighbours(const roads *r, leaf *f, const box *b)
{
    const int32_t columns = (int32_t)r->d->columns;
    const uint8_t *street = r->d->street;
    for (int32_t k = 0; k < f->count; k++)
        f->inside[k] = f->outside[k] = 0;
    f->outside_count = 0;
    for (int32_t k = 0; k < f->count; k++) {
        const int32_t v = f->vertex[k], column = k % f->width, row = k / f->width;
        if (street[v] & RIGHT)
            join(f, k, column + 1 < f->width, k + 1);
        if (street[v] & DOWN)
            join(f, k, b->top + row + 1 < b->bottom, k + f->width);
        if (column == 0 && b->left > 0 && (street[v - 1] & RIGHT))
            join(f, k, false, 0);
        if (row == 0 && b->top > 0 && (street[v - columns] & DOWN))
            join(f, k, false, 0);
    }
}

// Puts the vertices of the leaf that are in no separator into the order, each time one of least degree.
static void order_leaf(roads *r, leaf *f)
{
    uint64_t left = 0;
    for (int32_t k = 0; k < f->count; k++)
        if (!r->is_cut[f->vertex[k]])
            left |= (uint64_t)1 << k;
    while (left != 0) {
        int least = 2 * LEAF_VERTICES, best = 0;
        for (uint64_t rest = left; rest != 0; rest &= rest - 1) {
            const int k = __builtin_ctzll(rest), degree = __builtin_popcountll(f->inside[k]) + __builtin_popcountll(f->outside[k]);
            if (degree < least) {
                least = degree;
                best = k;
            }
        }
        const uint64_t bit = (uint64_t)1 << best;
        for (uint64_t rest = f->inside[best]; rest != 0; rest &= rest - 1) {
            const int k = __builtin_ctzll(rest);
            f->inside[k] = (f->inside[k] | f->inside[best]) & ~(bit | (uint64_t)1 << k);
            f->outside[k] |= f->outside[best];
        }
        left &= ~bit;
        r->d->order[r->ordered++] = f->vertex[best];
    }
}

static void fill_leaf(roads *r, const box *b, bool is_first_pass)
{
    leaf f;
    f.width = b->right - b->left;
    f.count = 0;
    for (int32_t row = b->top; row < b->bottom; row++)
        for (int32_t column = b->left; column < b->right; column++)
            f.vertex[f.count++] = vertex_at(r, row, column);
    if (is_first_pass) {
        make_streets(r, &f);
    } else {
        find_neighbours(r, &f, b);
        order_leaf(r, &f);
    }
}

// Halves the box down to leaves, at most 62 calls deep. The first pass makes streets. The second pass draws the same cuts again, and
// orders, because only then the streets of neighbouring leaves are known.
static void halve(roads *r, const box *b, bool is_first_pass)
{
    const int32_t width = b->right - b->left, height = b->bottom - b->top;
    if (width <= LEAF && height <= LEAF) {
        fill_leaf(r, b, is_first_pass);
        return;
    }
    const bool is_column = width >= height;
    const int32_t at = is_column ? b->left + width / 2 : b->top + height / 2, begin = r->pending_count;
    box halves[2] = {*b, *b};
    if (is_column)
        halves[0].right = halves[1].left = at;
    else
        halves[0].bottom = halves[1].top = at;
    const uint64_t outer = r->state;
    r->state = mix(r->d->shape->seed, ((uint64_t)(uint32_t)at << 32) ^ ((uint64_t)(uint32_t)(is_column ? b->top : b->left) << 1) ^ is_column);
    cut(r, b, is_column, at);
    r->state = outer;
    halve(r, &halves[0], is_first_pass);
    halve(r, &halves[1], is_first_pass);
    while (r->pending_count > begin) {
        const int32_t v = r->pending[--r->pending_count];
        r->is_cut[v] = false;
        if (!is_first_pass)
            r->d->order[r->ordered++] = v;
    }
}

static mco_status make_road(draft *d)
{
    mco_status st = MCO_OK;
    roads r = {.d = d, .state = mix(d->shape->seed, UINT64_MAX)};
    const box whole = {0, 0, (int32_t)d->columns, (int32_t)d->rows};
    MCO_TRY(mco_alloc(d->ctx, &d->street, d->vertices));
    MCO_TRY(mco_alloc(d->ctx, &d->order, d->vertices));
    MCO_TRY(mco_alloc(d->ctx, &r.is_cut, d->vertices));
    MCO_TRY(mco_alloc(d->ctx, &r.pending, d->vertices));
    halve(&r, &whole, true);
    halve(&r, &whole, false);
    MCO_TRY(fill_grid(d));
done:
    mco_free(d->ctx, &r.pending);
    mco_free(d->ctx, &r.is_cut);
    return st;
}

// ---- Random arcs

// Arc k of the shape. A second pass draws the same ones again.
static void random_arc(const draft *d, uint64_t *state, int32_t *from, int32_t *to, int32_t *weight)
{
    *from = (int32_t)below(state, (uint32_t)d->vertices);
    *to = (int32_t)below(state, (uint32_t)d->vertices);
    *weight = 1 + (int32_t)below(state, RANDOM_RANGE);
}

static mco_status make_random(draft *d)
{
    mco_status st = MCO_OK;
    const int64_t arcs = d->shape->b;
    const uint64_t begin = mix(d->shape->seed, UINT64_MAX);
    uint64_t state = begin;
    int32_t from, to, weight;
    MCO_TRY(mco_alloc(d->ctx, &d->first, (int64_t)d->vertices + 1));
    MCO_TRY(mco_alloc(d->ctx, &d->head, arcs));
    MCO_TRY(mco_alloc(d->ctx, &d->weight, arcs));
    for (int64_t k = 0; k < arcs; k++) {
        random_arc(d, &state, &from, &to, &weight);
        d->first[from]++;
    }
    for (int64_t v = 0, sum = 0; v <= d->vertices; v++) {
        const int64_t degree = d->first[v];
        d->first[v] = sum;
        sum += degree;
    }
    state = begin;
    for (int64_t k = 0; k < arcs; k++) {
        random_arc(d, &state, &from, &to, &weight);
        d->head[d->first[from]] = to;
        d->weight[d->first[from]++] = weight;
    }
    memmove(d->first + 1, d->first, (size_t)d->vertices * sizeof *d->first);
    d->first[0] = 0;
done:
    return st;
}

// ---- The public face

static mco_status refuse_shape(mco_context *ctx, const mco_paths_shape *s)
{
    const int64_t most = MCO_GRAPH_MAX_VERTICES;
    if (s->family < MCO_PATHS_GRID || s->family > MCO_PATHS_RANDOM)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "family %d, 0 to %d were expected", (int)s->family, MCO_PATHS_RANDOM);
    if (s->family == MCO_PATHS_RANDOM) {
        if (s->a < 0 || s->b < 0 || (s->a == 0 && s->b > 0))
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "%" PRId64 " vertices and %" PRId64 " arcs are no network", s->a, s->b);
        if (s->a > most || s->b > INT32_MAX)
            return mco_fail(ctx, MCO_ERR_LIMIT, "%" PRId64 " vertices and %" PRId64 " arcs, at most %" PRId64 " and %d are supported", s->a, s->b,
                            most, INT32_MAX);
        return MCO_OK;
    }
    if (s->a < 1 || s->b < 1)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%" PRId64 " rows and %" PRId64 " columns, 1 or more were expected", s->a, s->b);
    if (s->a > most / s->b)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%" PRId64 " rows and %" PRId64 " columns, at most %" PRId64 " vertices are supported", s->a, s->b, most);
    return MCO_OK;
}

static void name_shape(const mco_paths_shape *s, char out[64])
{
    static const char *const families[] = {"grid", "road", "random"};
    snprintf(out, 64, "%s-%" PRId64 "%c%" PRId64, families[s->family], s->a, s->family == MCO_PATHS_RANDOM ? ',' : 'x', s->b);
}

mco_status mco_paths_generate(mco_context *ctx, const mco_paths_shape *shape, mco_paths_network **out, int32_t **order)
{
    mco_status st = MCO_OK;
    draft d = {.ctx = ctx, .shape = shape};
    mco_graph *graph = NULL;
    mco_paths_model model = MCO_PATHS_MODEL_INIT;
    char name[64];
    if (ctx == NULL || shape == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(refuse_shape(ctx, shape));
    const bool is_random = shape->family == MCO_PATHS_RANDOM;
    d.rows = shape->a;
    d.columns = shape->b;
    d.vertices = (int32_t)(is_random ? shape->a : shape->a * shape->b);
    MCO_TRY(is_random ? make_random(&d) : shape->family == MCO_PATHS_ROAD ? make_road(&d) : make_grid(&d));
    name_shape(shape, name);
    MCO_TRY(paths_graph_adopt(ctx, name, 1, d.vertices, &d.first, &d.head, &d.x, &d.y, &graph));
    MCO_TRY(paths_network_adopt(ctx, &graph, &d.weight, &model, false, out));
    if (order != NULL) {
        *order = d.order;
        d.order = NULL;
    }
done:
    mco_graph_destroy(ctx, &graph);
    draft_clear(&d);
    return st;
}

void mco_paths_order_clear(mco_context *ctx, int32_t **order)
{
    mco_free(ctx, order);
}
