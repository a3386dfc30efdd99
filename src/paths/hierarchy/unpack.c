// SPDX-License-Identifier: MIT
// Unpacks the path of a query. The ways up of both ends are walked once more, with the arc that gave each label. An arc of the hierarchy
// stands for an arc of the network with its weight, or for a lower triangle with this sum. Few queries look for a triangle when they need it:
// O(lower neighbours) each. For many queries one pass over all triangles notes what every arc stands for. Triangles lead to lower
// vertices, so unpacking ends.
#include "paths/hierarchy/unpack.h"

#include "base/grow.h"

enum { NONE = MCO_PATHS_NONE };

// A step along an arc of the hierarchy between a vertex and one above it.
typedef struct step {
    int32_t arc, low;
    bool is_up;
} step;

// A way up: labels by height, and the step that gave each.
typedef struct way {
    int32_t *label;  // [height] NONE between two calls
    step *by;        // [height]
} way;

struct paths_unpacking {
    const mco_paths_hierarchy *hierarchy;
    const mco_paths_rows *rows;  // whose arcs the hierarchy has
    const paths_expansion *expansion;  // NULL: triangles are looked for
    way from, to;
    step *stack;
    int64_t stack_count, stack_room;
    int64_t *arc;
    int64_t count, room;
};

// ---- Expansions

// Notes the triangle of v, its arcs a and b to lower and upper ends, at the arc c between these ends if it has the weight.
static inline void note(const int32_t *pair, int32_t a, int32_t b, int32_t c, paths_expansion *expansion)
{
    if (pair[2 * a + 1] + pair[2 * b] == pair[2 * c])
        expansion[2 * c] = (paths_expansion){a, b};
    if (pair[2 * b + 1] + pair[2 * a] == pair[2 * c + 1])
        expansion[2 * c + 1] = (paths_expansion){a, b};
}

mco_status paths_expansions_make(mco_context *ctx, const mco_paths_hierarchy *hierarchy, paths_expansion **out)
{
    const paths_topology *t = &hierarchy->topology;
    const int32_t *pair = hierarchy->metric.pair, *triangle = hierarchy->triangle;
    const int32_t *weight = hierarchy->expanded != NULL ? hierarchy->expanded->weight : hierarchy->network->weight;
    paths_expansion *expansion = NULL;
    const mco_status st = mco_alloc(ctx, &expansion, 2 * (int64_t)t->arcs);
    for (int32_t v = 0; st == MCO_OK && v < t->vertices; v++) {
        if (t->is_end != NULL && t->is_end[v])
            continue;
        for (int32_t a = t->first[v]; a < t->first[v + 1]; a++)
            for (int32_t b = a + 1, c = t->first[t->head[a]]; b < t->first[v + 1]; b++) {
                if (triangle != NULL)
                    c = *triangle++;
                else
                    while (t->head[c] != t->head[b])
                        c++;
                note(pair, a, b, c, expansion);
            }
    }
    for (int32_t k = 0; st == MCO_OK && k < t->origins; k++)
        if (weight[t->origin[k]] == pair[t->origin_slot[k]])
            expansion[t->origin_slot[k]] = (paths_expansion){PATHS_PLAIN, t->origin[k]};
    *out = expansion;
    return st;
}

// ---- Scratch

mco_status paths_unpacking_open(mco_context *ctx, const mco_paths_hierarchy *hierarchy, const paths_expansion *expansion,
                                paths_unpacking **out)
{
    mco_status st = MCO_OK;
    const int32_t height = hierarchy->topology.height;
    paths_unpacking *u = NULL;
    MCO_TRY(mco_alloc(ctx, &u, 1));
    u->hierarchy = hierarchy;
    u->expansion = expansion;
    u->rows = hierarchy->expanded != NULL ? &hierarchy->expanded->rows : &hierarchy->network->rows;
    MCO_TRY(mco_alloc(ctx, &u->from.label, height));
    MCO_TRY(mco_alloc(ctx, &u->from.by, height));
    MCO_TRY(mco_alloc(ctx, &u->to.label, height));
    MCO_TRY(mco_alloc(ctx, &u->to.by, height));
    *out = u;
    u = NULL;
done:
    paths_unpacking_close(ctx, &u);
    return st;
}

void paths_unpacking_close(mco_context *ctx, paths_unpacking **unpacking)
{
    paths_unpacking *u = *unpacking;
    if (u != NULL) {
        mco_free(ctx, &u->arc);
        mco_free(ctx, &u->stack);
        mco_free(ctx, &u->to.by);
        mco_free(ctx, &u->to.label);
        mco_free(ctx, &u->from.by);
        mco_free(ctx, &u->from.label);
    }
    mco_free(ctx, unpacking);
}

// ---- Ways up

static int32_t height_of(const paths_topology *t, int32_t v)
{
    return t->height - 1 - t->depth[v];
}

static void walk_up(const paths_topology *t, const int32_t *weight, int32_t end, bool is_up, way *w)
{
    for (int32_t i = 0; i < t->height; i++)
        w->label[i] = NONE;
    w->label[height_of(t, end)] = 0;
    for (int32_t x = end; x >= 0; x = t->parent[x]) {
        const int32_t d = w->label[height_of(t, x)];
        if (d >= NONE || (t->is_end != NULL && t->is_end[x] && x != end))
            continue;
        for (int32_t a = t->first[x]; a < t->first[x + 1]; a++) {
            const int32_t i = t->head_height[a];
            if (d + weight[a] >= w->label[i])
                continue;
            w->label[i] = d + weight[a];
            w->by[i] = (step){a, x, is_up};
        }
    }
}

// The vertex where both ways meet with this distance; -1: none.
static int32_t find_meeting(const paths_unpacking *u, int32_t source, int32_t target, int32_t distance)
{
    const paths_topology *t = &u->hierarchy->topology;
    int32_t x = source, y = target;
    while (x != y)
        if ((uint32_t)x < (uint32_t)y)
            x = t->parent[x];
        else
            y = t->parent[y];
    for (; x >= 0; x = t->parent[x]) {
        const bool is_passed = t->is_end == NULL || !t->is_end[x] || x == source || x == target;
        if (is_passed && u->from.label[height_of(t, x)] + u->to.label[height_of(t, x)] == distance)
            return x;
    }
    return -1;
}

// ---- Arcs

static mco_status push(mco_context *ctx, paths_unpacking *u, step s)
{
    const mco_status st = mco_grow(ctx, &u->stack, &u->stack_room, u->stack_count + 1);
    if (st == MCO_OK)
        u->stack[u->stack_count++] = s;
    return st;
}

static int32_t weight_of(const paths_unpacking *u, step s)
{
    return s.is_up ? u->hierarchy->metric.up[s.arc] : u->hierarchy->metric.down[s.arc];
}

// The arc of the network for a step; -1: it is a triangle.
static int64_t find_arc(const paths_unpacking *u, step s)
{
    const paths_topology *t = &u->hierarchy->topology;
    const int32_t low = t->vertex[s.low], high = t->vertex[t->head[s.arc]], weight = weight_of(u, s);
    const int32_t tail = s.is_up ? low : high, head = s.is_up ? high : low;
    for (int64_t a = u->rows->first[tail]; a < u->rows->first[tail + 1]; a++)
        if (u->rows->head[a] == head && u->rows->weight[a] == weight)
            return a;
    return -1;
}

// The arc from x up to y; -1: none.
static int32_t find_up(const paths_topology *t, int32_t x, int32_t y)
{
    int32_t begin = t->first[x], end = t->first[x + 1];
    while (begin < end) {
        const int32_t middle = begin + (end - begin) / 2;
        if (t->head[middle] < y)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin < t->first[x + 1] && t->head[begin] == y ? begin : -1;
}

// Puts the two steps of a lower triangle on the stack, the first of them on top.
static mco_status push_triangle(mco_context *ctx, paths_unpacking *u, step s)
{
    mco_status st = MCO_OK;
    const paths_topology *t = &u->hierarchy->topology;
    const int32_t high = t->head[s.arc], weight = weight_of(u, s);
    for (int32_t k = t->down_first[s.low]; k < t->down_first[s.low + 1]; k++) {
        const int32_t x = t->down_tail[k];
        const int32_t other = t->is_end != NULL && t->is_end[x] ? -1 : find_up(t, x, high);
        if (other < 0)
            continue;
        const step to_low = {t->down_arc[k], x, !s.is_up}, to_high = {other, x, s.is_up};
        if (weight_of(u, to_low) + weight_of(u, to_high) != weight)
            continue;
        MCO_TRY(push(ctx, u, s.is_up ? to_high : to_low));
        MCO_TRY(push(ctx, u, s.is_up ? to_low : to_high));
        return MCO_OK;
    }
    st = mco_fail(ctx, MCO_ERR_INTERNAL, "an arc of the hierarchy has neither an arc of the network nor a triangle of its weight");
done:
    return st;
}

static mco_status emit(mco_context *ctx, paths_unpacking *u, int64_t arc)
{
    const int64_t plain = u->hierarchy->plain_arc != NULL ? u->hierarchy->plain_arc[arc] : arc;
    if (plain < 0)
        return MCO_OK;  // a turn
    const mco_status st = mco_grow(ctx, &u->arc, &u->room, u->count + 1);
    if (st == MCO_OK)
        u->arc[u->count++] = plain;
    return st;
}

// The same by expansions, which need no tails: a triangle is a step down to its middle and a step up from it.
static mco_status expand_all(mco_context *ctx, paths_unpacking *u)
{
    mco_status st = MCO_OK;
    while (u->stack_count > 0) {
        const step s = u->stack[--u->stack_count];
        const paths_expansion e = u->expansion[2 * (int64_t)s.arc + (s.is_up ? 0 : 1)];
        if (e.first == PATHS_PLAIN) {
            MCO_TRY(emit(ctx, u, e.second));
            continue;
        }
        MCO_TRY(mco_grow(ctx, &u->stack, &u->stack_room, u->stack_count + 2));
        u->stack[u->stack_count++] = (step){.arc = s.is_up ? e.second : e.first, .low = -1, .is_up = true};
        u->stack[u->stack_count++] = (step){.arc = s.is_up ? e.first : e.second, .low = -1, .is_up = false};
    }
done:
    return st;
}

static mco_status unpack_all(mco_context *ctx, paths_unpacking *u)
{
    mco_status st = MCO_OK;
    if (u->expansion != NULL)
        return expand_all(ctx, u);
    while (u->stack_count > 0) {
        const step s = u->stack[--u->stack_count];
        const int64_t arc = find_arc(u, s);
        MCO_TRY(arc >= 0 ? emit(ctx, u, arc) : push_triangle(ctx, u, s));
    }
done:
    return st;
}

// The steps from the source to the meeting lie on the stack with the first on top; then come those down to the target.
static mco_status collect(mco_context *ctx, paths_unpacking *u, int32_t source, int32_t target, int32_t meeting)
{
    mco_status st = MCO_OK;
    const paths_topology *t = &u->hierarchy->topology;
    u->count = u->stack_count = 0;
    for (int32_t x = meeting; x != source;) {
        const step s = u->from.by[height_of(t, x)];
        MCO_TRY(push(ctx, u, s));
        x = s.low;
    }
    MCO_TRY(unpack_all(ctx, u));
    for (int32_t x = meeting; x != target;) {
        const step s = u->to.by[height_of(t, x)];
        MCO_TRY(push(ctx, u, s));
        MCO_TRY(unpack_all(ctx, u));
        x = s.low;
    }
done:
    return st;
}

// ---- Check

// The cost of a turn: 0 if none is stated, -1: forbidden.
static int32_t turn_cost(const mco_paths_rows *rows, int64_t from, int64_t to)
{
    int64_t begin = 0, end = rows->turn_count;
    while (begin < end) {
        const int64_t middle = begin + (end - begin) / 2;
        const mco_paths_turn *t = &rows->turns[middle];
        if (t->from < from || (t->from == from && t->to < to))
            begin = middle + 1;
        else
            end = middle;
    }
    const mco_paths_turn *t = rows->turns + begin;
    return begin < rows->turn_count && t->from == from && t->to == to ? t->cost : 0;
}

// Adds the path up over the network as it was given.
static mco_status check_walk(mco_context *ctx, const paths_unpacking *u, int32_t source, int32_t target, int32_t distance)
{
    const mco_paths_rows *rows = &u->hierarchy->network->rows;
    int64_t sum = 0;
    int32_t at = source;
    for (int64_t k = 0; k < u->count; k++) {
        const int64_t a = u->arc[k];
        const int32_t turn = k > 0 ? turn_cost(rows, u->arc[k - 1], a) : 0;
        const bool is_passed = k == 0 || at >= rows->first_through;
        if (a < rows->first[at] || a >= rows->first[at + 1] || rows->weight[a] >= NONE || turn < 0 || !is_passed)
            return mco_fail(ctx, MCO_ERR_INTERNAL, "the path from vertex %d to %d is no walk of the network", source, target);
        sum += rows->weight[a] + turn;
        at = rows->head[a];
    }
    if (at != target || sum != distance)
        return mco_fail(ctx, MCO_ERR_INTERNAL, "the path from vertex %d to %d has length %lld and ends at %d, the distance is %d", source,
                        target, (long long)sum, at, distance);
    return MCO_OK;
}

mco_status paths_unpack(mco_context *ctx, paths_unpacking *unpacking, int32_t source, int32_t target, int32_t distance,
                        const int64_t **arc, int64_t *count)
{
    mco_status st = MCO_OK;
    paths_unpacking *u = unpacking;
    const mco_paths_hierarchy *h = u->hierarchy;
    const int32_t from = paths_source_rank(h, source), to = paths_target_rank(h, target);
    u->count = 0;
    if (distance < NONE && source != target) {
        walk_up(&h->topology, h->metric.up, from, true, &u->from);
        walk_up(&h->topology, h->metric.down, to, false, &u->to);
        const int32_t meeting = find_meeting(u, from, to, distance);
        if (meeting < 0)
            MCO_TRY(mco_fail(ctx, MCO_ERR_INTERNAL, "no way from vertex %d to %d has the distance %d", source, target, distance));
        MCO_TRY(collect(ctx, u, from, to, meeting));
        MCO_TRY(check_walk(ctx, u, source, target, distance));
    }
    *arc = u->arc;
    *count = u->count;
done:
    return st;
}
