// SPDX-License-Identifier: MIT
// Certifies distances. It shares nothing with the methods that find them.
//
// Distances are shortest if three things hold: the source has 0; no arc leads to a vertex in less than its distance; and from the
// source, arcs with equality (tight arcs) reach every vertex that has a distance. The second makes distances no greater than those of
// paths, the third gives a path of that length. A vertex with a tight arc of positive weight into it hangs on a vertex with a lesser
// distance, so one pass over the arcs proves the third where every vertex has one. Only else does a search look: tight arcs of weight
// 0 can form a cycle that nothing holds.
//
// With turns the same distances of vertices can hide different labels of arcs. There the labels of all arcs are made anew, by a radix
// heap (Ahuja, Mehlhorn, Orlin, Tarjan 1990), and compared.
#include <inttypes.h>
#include <string.h>

#include "base/grow.h"
#include "paths/network.h"

typedef struct check {
    mco_context *ctx;
    const mco_paths_network *network;
    const mco_paths_rows *rows;
    int32_t source;
    const int32_t *distance;
    bool *is_held;  // [vertices] a shortest path to the vertex is proven
} check;

typedef char name_room[16];

static const char *name_of(const check *c, int32_t v, name_room buffer)
{
    return mco_paths_vertex_name(c->network, v, buffer);
}

static bool may_pass(const check *c, int32_t v)
{
    return v >= c->rows->first_through || v == c->source;
}

// ---- Faults

static mco_status fail_arc(const check *c, int32_t u, int64_t arc)
{
    name_room from, to;
    const int32_t v = c->rows->head[arc], weight = c->rows->weight[arc];
    const int64_t sum = (int64_t)c->distance[u] + weight;
    if (c->distance[v] == MCO_PATHS_NONE)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "arc %" PRId64 " from %s to %s: distance %d and weight %d give %" PRId64 ", and %s has no distance", arc,
                        name_of(c, u, from), name_of(c, v, to), c->distance[u], weight, sum, name_of(c, v, to));
    return mco_fail(c->ctx, MCO_ERR_CHECK, "arc %" PRId64 " from %s to %s: distance %d and weight %d give %" PRId64 ", and %s has distance %d", arc,
                    name_of(c, u, from), name_of(c, v, to), c->distance[u], weight, sum, name_of(c, v, to), c->distance[v]);
}

// The vertex has a distance that no path has.
static mco_status fail_vertex(const check *c, int32_t v)
{
    name_room name, source;
    const mco_paths_rows *r = c->rows;
    int64_t least = INT64_MAX;
    for (int32_t u = 0; u < r->vertices; u++)
        for (int64_t a = r->first[u]; c->distance[u] != MCO_PATHS_NONE && may_pass(c, u) && a < r->first[u + 1]; a++)
            if (r->head[a] == v && r->weight[a] != MCO_PATHS_NONE && (int64_t)c->distance[u] + r->weight[a] < least)
                least = (int64_t)c->distance[u] + r->weight[a];
    if (least == INT64_MAX)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "vertex %s has distance %d, and no arc leads there from a vertex with a distance",
                        name_of(c, v, name), c->distance[v]);
    if (least == c->distance[v])
        return mco_fail(c->ctx, MCO_ERR_CHECK, "vertex %s has distance %d by arcs that hang on each other alone: none of them leads from the source, %s",
                        name_of(c, v, name), c->distance[v], name_of(c, c->source, source));
    return mco_fail(c->ctx, MCO_ERR_CHECK, "vertex %s has distance %d, the arcs into it give %" PRId64 " at least", name_of(c, v, name),
                    c->distance[v], least);
}

static mco_status test_values(const check *c)
{
    name_room name;
    if (c->distance[c->source] != 0)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "the source %s has distance %d, 0 was expected", name_of(c, c->source, name),
                        c->distance[c->source]);
    for (int32_t v = 0; v < c->rows->vertices; v++)
        if (c->distance[v] < 0 || c->distance[v] > MCO_PATHS_NONE)
            return mco_fail(c->ctx, MCO_ERR_CHECK, "vertex %s has distance %d, 0 to %d were expected, or %d without a path", name_of(c, v, name),
                            c->distance[v], MCO_PATHS_NONE - 1, MCO_PATHS_NONE);
    return MCO_OK;
}

// ---- Without turns

// Tests every arc, and marks the heads of tight arcs of positive weight.
static mco_status test_arcs(check *c)
{
    mco_status st = MCO_OK;
    const mco_paths_rows *r = c->rows;
    for (int32_t u = 0; u < r->vertices; u++) {
        const int32_t from = c->distance[u];
        MCO_TRY(mco_call_in_time(c->ctx, u));
        if (from == MCO_PATHS_NONE || !may_pass(c, u))
            continue;
        for (int64_t a = r->first[u]; a < r->first[u + 1]; a++) {
            const int32_t v = r->head[a], weight = r->weight[a];
            const int32_t slack = from + weight - c->distance[v];  // both numbers are at most 2^30 - 1: no overflow
            if (weight == MCO_PATHS_NONE)
                continue;
            if (slack < 0 || c->distance[v] == MCO_PATHS_NONE)
                return fail_arc(c, u, a);
            if (slack == 0 && weight > 0)
                c->is_held[v] = true;
        }
    }
done:
    return st;
}

// The first vertex with a distance that is not held; -1: none.
static int32_t find_loose(const check *c)
{
    for (int32_t v = 0; v < c->rows->vertices; v++)
        if (c->distance[v] != MCO_PATHS_NONE && !c->is_held[v])
            return v;
    return -1;
}

// Holds what tight arcs reach from the source, weights of 0 included.
static mco_status hold_from_source(check *c)
{
    mco_status st = MCO_OK;
    const mco_paths_rows *r = c->rows;
    int32_t *stack = NULL, count = 0;
    int64_t taken = 0;
    MCO_TRY(mco_alloc(c->ctx, &stack, r->vertices));
    memset(c->is_held, 0, (size_t)r->vertices * sizeof *c->is_held);
    c->is_held[c->source] = true;
    stack[count++] = c->source;
    while (count > 0) {
        const int32_t u = stack[--count];
        MCO_TRY(mco_call_in_time(c->ctx, ++taken));
        for (int64_t a = r->first[u]; may_pass(c, u) && a < r->first[u + 1]; a++) {
            const int32_t v = r->head[a];
            if (c->is_held[v] || r->weight[a] == MCO_PATHS_NONE || c->distance[u] + r->weight[a] != c->distance[v])
                continue;
            c->is_held[v] = true;
            stack[count++] = v;
        }
    }
done:
    mco_free(c->ctx, &stack);
    return st;
}

static mco_status check_plain(check *c)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(c->ctx, &c->is_held, c->rows->vertices));
    c->is_held[c->source] = true;
    MCO_TRY(test_arcs(c));
    if (find_loose(c) >= 0) {
        MCO_TRY(hold_from_source(c));
        const int32_t loose = find_loose(c);
        if (loose >= 0)
            st = fail_vertex(c, loose);
    }
done:
    mco_free(c->ctx, &c->is_held);
    return st;
}

// ---- With turns

enum { BUCKETS = 64 };  // labels are below 2^62: 2^31 steps of at most 2^31

typedef struct item {
    uint64_t label;
    int64_t arc;
} item;
// Items whose label differs from `last` first in bit k - 1 are in bucket k; those with the same label are in bucket 0.
typedef struct radix {
    mco_context *ctx;
    item *items[BUCKETS];
    int64_t count[BUCKETS], room[BUCKETS];
    uint64_t last;
} radix;

static int bucket_of(const radix *q, uint64_t label)
{
    int k = 0;
    for (uint64_t rest = label ^ q->last; rest != 0; rest >>= 1)
        k++;
    return k;
}

static mco_status radix_put(radix *q, item e)
{
    const int k = bucket_of(q, e.label);
    const mco_status st = mco_grow(q->ctx, &q->items[k], &q->room[k], q->count[k] + 1);
    if (st == MCO_OK)
        q->items[k][q->count[k]++] = e;
    return st;
}

// Takes an item of the least label; false if none is left. Bucket k goes to lesser buckets, so no item moves more than 64 times.
static mco_status radix_take(radix *q, item *out, bool *has_item)
{
    mco_status st = MCO_OK;
    int k = 0;
    while (k < BUCKETS && q->count[k] == 0)
        k++;
    *has_item = k < BUCKETS;
    if (*has_item && k > 0) {
        uint64_t least = UINT64_MAX;
        for (int64_t i = 0; i < q->count[k]; i++)
            least = q->items[k][i].label < least ? q->items[k][i].label : least;
        q->last = least;
        const int64_t count = q->count[k];
        q->count[k] = 0;
        for (int64_t i = 0; i < count; i++)
            MCO_TRY(radix_put(q, q->items[k][i]));
    }
    if (*has_item)
        *out = q->items[0][--q->count[0]];
done:
    return st;
}

static void radix_clear(radix *q)
{
    for (int k = 0; k < BUCKETS; k++)
        mco_free(q->ctx, &q->items[k]);
}

// The cost of a turn; -1: forbidden. O(log turns).
static int32_t turn_cost(const mco_paths_rows *r, int64_t from, int64_t to)
{
    int64_t low = 0, high = r->turn_count;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        const mco_paths_turn *t = &r->turns[middle];
        if (t->from == from && t->to == to)
            return t->cost;
        if (t->from < from || (t->from == from && t->to < to))
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

// Gives every arc the length of a shortest path that ends with it, and every vertex the least of these.
static mco_status label_arcs(check *c, int64_t *best)
{
    mco_status st = MCO_OK;
    const mco_paths_rows *r = c->rows;
    radix q = {.ctx = c->ctx};
    bool *is_done = NULL, has_item = true;
    int64_t taken = 0;
    item e;
    MCO_TRY(mco_alloc(c->ctx, &is_done, r->arcs));
    for (int64_t a = r->first[c->source]; a < r->first[c->source + 1]; a++)
        if (r->weight[a] != MCO_PATHS_NONE)
            MCO_TRY(radix_put(&q, (item){(uint64_t)r->weight[a], a}));
    for (;;) {
        MCO_TRY(radix_take(&q, &e, &has_item));
        if (!has_item)
            break;
        MCO_TRY(mco_call_in_time(c->ctx, ++taken));
        if (is_done[e.arc])
            continue;
        is_done[e.arc] = true;
        const int32_t v = r->head[e.arc];
        best[v] = (int64_t)e.label < best[v] ? (int64_t)e.label : best[v];
        for (int64_t a = r->first[v]; may_pass(c, v) && a < r->first[v + 1]; a++) {
            const int32_t cost = is_done[a] || r->weight[a] == MCO_PATHS_NONE ? -1 : turn_cost(r, e.arc, a);
            if (cost >= 0)
                MCO_TRY(radix_put(&q, (item){e.label + (uint64_t)cost + (uint64_t)r->weight[a], a}));
        }
    }
done:
    radix_clear(&q);
    mco_free(c->ctx, &is_done);
    return st;
}

static mco_status check_turns(check *c)
{
    mco_status st = MCO_OK;
    int64_t *best = NULL;
    name_room name;
    MCO_TRY(mco_alloc(c->ctx, &best, c->rows->vertices));
    for (int32_t v = 0; v < c->rows->vertices; v++)
        best[v] = INT64_MAX;
    best[c->source] = 0;
    MCO_TRY(label_arcs(c, best));
    for (int32_t v = 0; v < c->rows->vertices && st == MCO_OK; v++) {
        const int32_t d = c->distance[v];
        if (best[v] == INT64_MAX && d != MCO_PATHS_NONE)
            st = mco_fail(c->ctx, MCO_ERR_CHECK, "vertex %s has distance %d, and no path with its turns leads there", name_of(c, v, name), d);
        else if (best[v] != INT64_MAX && d == MCO_PATHS_NONE)
            st = mco_fail(c->ctx, MCO_ERR_CHECK, "vertex %s has no distance, and a path with its turns has length %" PRId64, name_of(c, v, name),
                          best[v]);
        else if (best[v] != INT64_MAX && best[v] != d)
            st = mco_fail(c->ctx, MCO_ERR_CHECK, "vertex %s has distance %d, a shortest path with its turns has length %" PRId64,
                          name_of(c, v, name), d, best[v]);
    }
done:
    mco_free(c->ctx, &best);
    return st;
}

mco_status mco_paths_check(mco_context *ctx, const mco_paths_network *network, int32_t source, const int32_t *distance)
{
    mco_status st = MCO_OK;
    if (ctx == NULL || network == NULL || distance == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    check c = {.ctx = ctx, .network = network, .rows = &network->rows, .source = source, .distance = distance};
    if (source < 0 || source >= c.rows->vertices)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the source is vertex %d, there are vertices 0 to %d", source, c.rows->vertices - 1);
    MCO_TRY(test_values(&c));
    MCO_TRY(c.rows->turn_count > 0 ? check_turns(&c) : check_plain(&c));
done:
    if (st == MCO_ERR_STOPPED && ctx->parent == NULL && ctx->call_stop_s == 0)  // nobody else clears the request
        mco_clear_cancel(ctx);
    return st;
}
