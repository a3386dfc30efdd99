// SPDX-License-Identifier: MIT
// The topology of a hierarchy: what remains fixed while weights change.
//
// Vertices are eliminated in a given order; an elimination joins the neighbours that are left. The pairs that are joined at some
// time are the arcs of the hierarchy. The parent of a vertex is the first of its neighbours that is eliminated after it. Liu's
// algorithm (1986) finds the parents from the network alone, by disjoint sets with short-cuts. A post-order of this tree gives
// the ranks. The tails of the arcs into x are then the vertices on the ways from the lower neighbours of x in the network to x
// (Gilbert, Ng, Peyton 1994), so every arc is met once, in ascending order of heads.
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "base/clock.h"
#include "paths/hierarchy/hierarchy.h"

enum {
    PADDING = 64,              // entries after the last one that vectors may read
    MAX_ARCS = (1 << 30) - 64, // slots are 2 * arc + direction in 32 bits, paddings included
    MAX_HEIGHT = 65535,
    BYTES_OF_ARC = 30,         // of a topology and a metric
    ARCS_BETWEEN_LOOKS = 1 << 20 // at the clock: 20 ms where each of them misses the caches
};

// Customising this many takes about two minutes. Continents of roads have about a thousandth of them.
static const int64_t MAX_TRIANGLES = INT64_C(1) << 35;

// An arc of the network, seen from its upper end.
typedef struct lower_end {
    int32_t vertex;  // by place
    int32_t arc;
} lower_end;

// Places are the positions of vertices in the order of elimination; ranks are those in the post-order.
typedef struct construction {
    const mco_paths_rows *rows;
    const paths_limits *limits; // NULL: none
    int64_t looked_at;    // arcs that were done at the last look at the clock
    int32_t *place;       // [vertices] of a vertex
    int32_t *vertex;      // [vertices] at a place
    int32_t *lower_first; // [vertices + 1]
    lower_end *lower;     // [arcs without loops] by the place of the upper end
    int32_t *parent;      // [vertices] by place
    int32_t *rank;        // [vertices] by place
    int32_t *mark;        // [vertices] by rank
    int32_t *next;        // [vertices] by rank
} construction;

bool paths_limits_must_stop(const mco_context *ctx, const paths_limits *limits)
{
    return limits != NULL && (mco_is_cancelled(ctx) || mco_clock_s() >= limits->stop_s);
}

// Looks at the clock now and then; `arcs` are done so far. Errors: STOPPED.
static mco_status look(mco_context *ctx, construction *c, int64_t arcs)
{
    if (arcs - c->looked_at < ARCS_BETWEEN_LOOKS)
        return MCO_OK;
    c->looked_at = arcs;
    const bool is_over = paths_limits_must_stop(ctx, c->limits) || mco_call_is_over(ctx);
    return is_over ? mco_fail(ctx, MCO_ERR_STOPPED, "stopped while the hierarchy was built") : MCO_OK;
}

// Ends of paths come first, so that no path between others needs them.
static void number_places(construction *c, const int32_t *order)
{
    const int32_t n = c->rows->vertices, first_through = c->rows->first_through;
    int32_t at = 0;
    for (int32_t k = 0; k < n; k++)
        if (order[k] < first_through)
            c->vertex[at++] = order[k];
    for (int32_t k = 0; k < n; k++)
        if (order[k] >= first_through)
            c->vertex[at++] = order[k];
    for (int32_t k = 0; k < n; k++)
        c->place[c->vertex[k]] = k;
}

static mco_status collect_lower(mco_context *ctx, construction *c)
{
    mco_status st = MCO_OK;
    const mco_paths_rows *rows = c->rows;
    const int32_t n = rows->vertices;
    for (int32_t v = 0; v < n; v++) {
        MCO_TRY(mco_call_in_time(ctx, v));
        for (int64_t a = rows->first[v]; a < rows->first[v + 1]; a++) {
            const int32_t p = c->place[v], q = c->place[rows->head[a]];
            c->lower_first[p > q ? p : q] += p != q;
        }
    }
    int32_t sum = 0;
    for (int32_t k = 0; k <= n; k++) {
        const int32_t count = c->lower_first[k];
        c->lower_first[k] = sum;
        sum += count;
    }
    MCO_TRY(mco_alloc(ctx, &c->lower, sum));
    for (int32_t v = 0; v < n; v++) {
        MCO_TRY(mco_call_in_time(ctx, v));
        for (int64_t a = rows->first[v]; a < rows->first[v + 1]; a++) {
            const int32_t p = c->place[v], q = c->place[rows->head[a]];
            if (p != q)
                c->lower[c->lower_first[p > q ? p : q]++] = (lower_end){p < q ? p : q, (int32_t)a};
        }
    }
    memmove(c->lower_first + 1, c->lower_first, (size_t)n * sizeof *c->lower_first);
    c->lower_first[0] = 0;
done:
    return st;
}

// Liu's algorithm. `root` [vertices] is scratch: a vertex towards the root of its tree so far.
static mco_status find_parents(mco_context *ctx, construction *c, int32_t *root)
{
    mco_status st = MCO_OK;
    for (int32_t x = 0; x < c->rows->vertices; x++) {
        MCO_TRY(mco_call_in_time(ctx, x));
        c->parent[x] = root[x] = -1;
        for (int32_t k = c->lower_first[x]; k < c->lower_first[x + 1]; k++)
            for (int32_t v = c->lower[k].vertex, above; v != x; v = above) {
                above = root[v];
                root[v] = x;
                if (above < 0) {
                    c->parent[v] = x;
                    break;
                }
            }
    }
done:
    return st;
}

// A post-order in which the children of a vertex keep their order. `size` and `end` [vertices] are scratch.
static void number_ranks(construction *c, int32_t *size, int32_t *end)
{
    const int32_t n = c->rows->vertices;
    for (int32_t v = 0; v < n; v++)
        size[v] = 1;
    for (int32_t v = 0; v < n; v++)
        if (c->parent[v] >= 0)
            size[c->parent[v]] += size[v];
    int32_t roots_end = n;
    for (int32_t v = n; v-- > 0;) {
        int32_t *free_end = c->parent[v] < 0 ? &roots_end : &end[c->parent[v]];
        c->rank[v] = end[v] = *free_end - 1;
        *free_end -= size[v];
    }
}

static mco_status make_tree(mco_context *ctx, const construction *c, paths_topology *t)
{
    const int32_t n = t->vertices;
    for (int32_t p = 0; p < n; p++) {
        t->vertex[c->rank[p]] = c->vertex[p];
        t->rank[c->vertex[p]] = c->rank[p];
        t->parent[c->rank[p]] = c->parent[p] < 0 ? -1 : c->rank[c->parent[p]];
    }
    for (int32_t v = 0; v < n; v++)
        t->lowest[v] = v;
    for (int32_t v = 0; v < n; v++)
        if (t->parent[v] >= 0 && t->lowest[v] < t->lowest[t->parent[v]])
            t->lowest[t->parent[v]] = t->lowest[v];
    for (int32_t v = n; v-- > 0;) {
        t->depth[v] = t->parent[v] < 0 ? 0 : t->depth[t->parent[v]] + 1;
        t->height = t->height > t->depth[v] ? t->height : t->depth[v] + 1;
    }
    if (t->height > MAX_HEIGHT)
        return mco_fail(ctx, MCO_ERR_LIMIT, "the order gives a hierarchy of height %d, at most %d is supported", t->height, MAX_HEIGHT);
    return MCO_OK;
}

// Refuses what is too large before memory is taken for it. first[v + 1] is the degree of v.
static mco_status refuse_large(mco_context *ctx, const construction *c, const paths_topology *t, int64_t arcs)
{
    int64_t triangles = 0;  // at most vertices * MAX_HEIGHT^2 / 2 < 2^62
    const double bytes = (double)arcs * BYTES_OF_ARC;
    for (int32_t v = 0; v < t->vertices; v++) {
        const int64_t degree = t->first[v + 1];
        if (t->vertex[v] >= c->rows->first_through)
            triangles += degree * (degree - 1) / 2;
    }
    if (triangles > MAX_TRIANGLES)
        return mco_fail(ctx, MCO_ERR_LIMIT,
                        "the order gives a hierarchy of %" PRId64 " arcs and %" PRId64 " triangles, at most %" PRId64 " triangles are "
                        "supported: the network has no small separators; searches without a hierarchy suit it", arcs, triangles, MAX_TRIANGLES);
    if (c->limits != NULL && bytes > c->limits->memory)
        return mco_fail(ctx, MCO_ERR_MEMORY, "the order gives a hierarchy of %" PRId64 " arcs: %.0f MiB are needed, %.0f MiB are allowed", arcs,
                        bytes / (1 << 20), c->limits->memory / (1 << 20));
    return MCO_OK;
}

// Counts the arcs of each row into `first`, one behind their places.
static mco_status count_arcs(mco_context *ctx, construction *c, paths_topology *t)
{
    mco_status st = MCO_OK;
    int64_t arcs = 0;
    memset(c->mark, 0xff, (size_t)t->vertices * sizeof *c->mark);
    for (int32_t x = 0; x < t->vertices; x++) {
        const int32_t p = c->place[t->vertex[x]];
        for (int32_t k = c->lower_first[p]; k < c->lower_first[p + 1]; k++)
            for (int32_t v = c->rank[c->lower[k].vertex]; v != x && c->mark[v] != x; v = t->parent[v]) {
                c->mark[v] = x;
                t->first[v + 1]++;
                arcs++;
            }
        if (arcs > MAX_ARCS)
            return mco_fail(ctx, MCO_ERR_LIMIT,
                            "the order gives a hierarchy of more than %d arcs (%.1f GiB): the network has no small separators; "
                            "searches without a hierarchy suit it", MAX_ARCS, (double)MAX_ARCS * BYTES_OF_ARC / (1 << 30));
        MCO_TRY(look(ctx, c, arcs));
    }
    MCO_TRY(refuse_large(ctx, c, t, arcs));
    for (int32_t v = 0; v < t->vertices; v++)
        t->first[v + 1] += t->first[v];
    t->arcs = (int32_t)arcs;
done:
    return st;
}

// Fills the rows by ascending heads, and the slots: when x is at work, the last arc of a marked row leads to x.
static mco_status fill_arcs(mco_context *ctx, construction *c, paths_topology *t)
{
    mco_status st = MCO_OK;
    int64_t arcs = 0;
    c->looked_at = 0;
    memset(c->mark, 0xff, (size_t)t->vertices * sizeof *c->mark);
    memcpy(c->next, t->first, (size_t)t->vertices * sizeof *c->next);
    memset(t->slot, 0xff, (size_t)c->rows->arcs * sizeof *t->slot);
    for (int32_t x = 0; x < t->vertices; x++) {
        const int32_t p = c->place[t->vertex[x]];
        for (int32_t k = c->lower_first[p]; k < c->lower_first[p + 1]; k++) {
            const int32_t low = c->rank[c->lower[k].vertex];
            for (int32_t v = low; v != x && c->mark[v] != x; v = t->parent[v]) {
                c->mark[v] = x;
                t->head_height[c->next[v]] = (uint16_t)(t->height - 1 - t->depth[x]);
                t->head[c->next[v]++] = x;
                arcs++;
            }
            const int32_t arc = c->lower[k].arc;
            t->slot[arc] = 2 * (c->next[low] - 1) + (c->rows->head[arc] == t->vertex[x] ? 0 : 1);
        }
        MCO_TRY(look(ctx, c, arcs));
    }
done:
    return st;
}

// The arcs by their heads, and what rows tell: triangles, and the tails without gaps.
static mco_status fill_down(mco_context *ctx, construction *c, paths_topology *t)
{
    mco_status st = MCO_OK;
    int32_t *next = c->next;
    c->looked_at = 0;
    for (int32_t a = 0; a < t->arcs; a++)
        t->down_first[t->head[a] + 1]++;
    for (int32_t v = 0; v < t->vertices; v++)
        t->down_first[v + 1] += t->down_first[v];
    memcpy(next, t->down_first, (size_t)t->vertices * sizeof *next);
    for (int32_t v = 0; v < t->vertices; v++) {
        const int32_t begin = t->first[v], end = t->first[v + 1];
        const int64_t degree = end - begin;
        for (int32_t a = begin; a < end; a++) {
            const int32_t at = next[t->head[a]]++;
            t->down_arc[at] = a;
            t->down_tail[at] = v;
        }
        t->tail_at[v] = end;
        for (int32_t a = end; a > begin && (a == end || t->head_height[a - 1] + 1 == t->head_height[a]); a--)
            t->tail_at[v] = a - 1;
        if (t->is_end == NULL || !t->is_end[v])
            t->triangles += degree * (degree - 1) / 2;
        t->triangle_first[v + 1] = t->triangles;
        MCO_TRY(look(ctx, c, end));
    }
done:
    return st;
}

// Sorts the network's arcs by slot, by counting. `next` [2 * arcs + 1] is scratch, zero before.
static void sort_origins(const construction *c, paths_topology *t, int32_t *next)
{
    for (int64_t k = 0; k < c->rows->arcs; k++)
        if (t->slot[k] >= 0)
            next[t->slot[k] + 1]++;
    for (int64_t k = 0; k < 2 * (int64_t)t->arcs; k++)
        next[k + 1] += next[k];
    for (int64_t k = 0; k < c->rows->arcs; k++)
        if (t->slot[k] >= 0) {
            const int32_t at = next[t->slot[k]]++;
            t->origin[at] = (int32_t)k;
            t->origin_slot[at] = t->slot[k];
        }
}

static mco_status open_construction(mco_context *ctx, const mco_paths_rows *rows, construction *c)
{
    mco_status st = MCO_OK;
    const int64_t n = rows->vertices;
    *c = (construction){.rows = rows};
    MCO_TRY(mco_alloc(ctx, &c->place, n));
    MCO_TRY(mco_alloc(ctx, &c->vertex, n));
    MCO_TRY(mco_alloc(ctx, &c->lower_first, n + 1));
    MCO_TRY(mco_alloc(ctx, &c->parent, n));
    MCO_TRY(mco_alloc(ctx, &c->rank, n));
    MCO_TRY(mco_alloc(ctx, &c->mark, n));
    MCO_TRY(mco_alloc(ctx, &c->next, n));
done:
    return st;
}

static void close_construction(mco_context *ctx, construction *c)
{
    mco_free(ctx, &c->next);
    mco_free(ctx, &c->mark);
    mco_free(ctx, &c->rank);
    mco_free(ctx, &c->parent);
    mco_free(ctx, &c->lower);
    mco_free(ctx, &c->lower_first);
    mco_free(ctx, &c->vertex);
    mco_free(ctx, &c->place);
}

static mco_status open_vertices(mco_context *ctx, const mco_paths_rows *rows, paths_topology *t)
{
    mco_status st = MCO_OK;
    const int64_t n = rows->vertices;
    t->vertices = rows->vertices;
    MCO_TRY(mco_alloc(ctx, &t->vertex, n));
    MCO_TRY(mco_alloc(ctx, &t->rank, n));
    MCO_TRY(mco_alloc(ctx, &t->parent, n));
    MCO_TRY(mco_alloc(ctx, &t->lowest, n));
    MCO_TRY(mco_alloc(ctx, &t->depth, n));
    MCO_TRY(mco_alloc(ctx, &t->triangle_first, n + 1));
    MCO_TRY(mco_alloc(ctx, &t->first, n + 1));
    MCO_TRY(mco_alloc(ctx, &t->tail_at, n));
    MCO_TRY(mco_alloc(ctx, &t->down_first, n + 1));
    MCO_TRY(mco_alloc(ctx, &t->slot, rows->arcs));
    if (rows->first_through > 0)
        MCO_TRY(mco_alloc(ctx, &t->is_end, n));
done:
    return st;
}

static mco_status open_arcs(mco_context *ctx, paths_topology *t)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(ctx, &t->head, t->arcs));
    MCO_TRY(mco_alloc(ctx, &t->head_height, (int64_t)t->arcs + PADDING));
    MCO_TRY(mco_alloc(ctx, &t->down_arc, t->arcs));
    MCO_TRY(mco_alloc(ctx, &t->down_tail, t->arcs));
    MCO_TRY(mco_alloc(ctx, &t->origin, t->origins));
    MCO_TRY(mco_alloc(ctx, &t->origin_slot, t->origins));
done:
    return st;
}

mco_status paths_topology_make_within(mco_context *ctx, const mco_paths_rows *rows, const int32_t *order, const paths_limits *limits,
                                      paths_topology *out)
{
    mco_status st = MCO_OK;
    construction c = {0};
    paths_topology t = {0};
    int32_t *next_slot = NULL;
    if (rows->arcs > INT32_MAX)
        return mco_fail(ctx, MCO_ERR_LIMIT, "a hierarchy of a network with %lld arcs, at most %d are supported (%.1f GiB)",
                        (long long)rows->arcs, INT32_MAX, (double)rows->arcs * (sizeof(lower_end) + sizeof *t.slot) / (1 << 30));
    MCO_TRY(open_construction(ctx, rows, &c));
    c.limits = limits;
    MCO_TRY(open_vertices(ctx, rows, &t));
    number_places(&c, order);
    MCO_TRY(collect_lower(ctx, &c));
    MCO_TRY(find_parents(ctx, &c, c.mark));
    number_ranks(&c, c.mark, c.next);
    MCO_TRY(make_tree(ctx, &c, &t));
    MCO_TRY(count_arcs(ctx, &c, &t));
    t.origins = c.lower_first[t.vertices];
    MCO_TRY(open_arcs(ctx, &t));
    MCO_TRY(fill_arcs(ctx, &c, &t));
    for (int32_t v = 0; t.is_end != NULL && v < t.vertices; v++)
        t.is_end[v] = t.vertex[v] < rows->first_through;
    MCO_TRY(fill_down(ctx, &c, &t));
    MCO_TRY(mco_alloc(ctx, &next_slot, 2 * (int64_t)t.arcs + 1));
    sort_origins(&c, &t, next_slot);
    *out = t;
    t = (paths_topology){0};
done:
    mco_free(ctx, &next_slot);
    paths_topology_clear(ctx, &t);
    close_construction(ctx, &c);
    return st;
}

mco_status paths_topology_make(mco_context *ctx, const mco_paths_rows *rows, const int32_t *order, paths_topology *out)
{
    return paths_topology_make_within(ctx, rows, order, NULL, out);
}

void paths_topology_clear(mco_context *ctx, paths_topology *topology)
{
    mco_free(ctx, &topology->origin_slot);
    mco_free(ctx, &topology->origin);
    mco_free(ctx, &topology->slot);
    mco_free(ctx, &topology->is_end);
    mco_free(ctx, &topology->down_tail);
    mco_free(ctx, &topology->down_arc);
    mco_free(ctx, &topology->down_first);
    mco_free(ctx, &topology->tail_at);
    mco_free(ctx, &topology->head_height);
    mco_free(ctx, &topology->head);
    mco_free(ctx, &topology->first);
    mco_free(ctx, &topology->triangle_first);
    mco_free(ctx, &topology->depth);
    mco_free(ctx, &topology->lowest);
    mco_free(ctx, &topology->parent);
    mco_free(ctx, &topology->rank);
    mco_free(ctx, &topology->vertex);
    *topology = (paths_topology){0};
}
