// SPDX-License-Identifier: MIT
// The proof of a metric (proof.h). It reads the network, the topology and the weights, and shares nothing with customising.
#include "paths/hierarchy/proof.h"

#include <inttypes.h>

typedef struct proof {
    mco_context *ctx;
    const mco_paths_hierarchy *hierarchy;
    const mco_paths_rows *rows;  // of the network that the hierarchy stands for
    const paths_topology *t;
    const int32_t *pair;
    int32_t *low;    // [vertices] the least rank below a vertex, itself included
    int32_t *size;   // [vertices] ranks below a vertex, itself included
    uint8_t *held;   // [2 * arcs] an arc or a triangle has this weight
} proof;

enum { TRIANGLES_OF_LOOK = 1 << 22, ARCS_OF_LOOK = 1 << 20 };  // between two looks at the end of the call: about 0.02 s

static mco_status fail(const proof *p, const char *what, int64_t at)
{
    return mco_fail(p->ctx, MCO_ERR_INTERNAL, "the proof of the hierarchy fails: %s, at %" PRId64, what, at);
}

// ---- The topology

static bool is_end(const paths_topology *t, int32_t v)
{
    return t->is_end != NULL && t->is_end[v];
}

// Ranks are a permutation; ends are those of the network; parents are above, and the ranks below a vertex are a range.
static mco_status test_vertices(const proof *p)
{
    mco_status st = MCO_OK;
    const paths_topology *t = p->t;
    const int32_t n = p->rows->vertices, ends = p->rows->first_through;
    if (t->vertices != n || t->first[0] != 0 || t->first[n] != t->arcs)
        return fail(p, "the rows have other sizes", n);
    for (int32_t v = 0; v < n; v++) {
        p->low[v] = v;
        p->size[v] = 1;
    }
    for (int32_t v = 0; v < n; v++) {
        const int32_t up = t->parent[v], vertex = t->vertex[v];
        MCO_TRY(mco_call_in_time(p->ctx, v));
        if (vertex < 0 || vertex >= n || t->rank[vertex] != v)
            return fail(p, "ranks are no permutation", v);
        if ((vertex < ends) != is_end(t, v))
            return fail(p, "the network has other ends", v);
        if (t->first[v + 1] < t->first[v] || up != (t->first[v + 1] > t->first[v] ? t->head[t->first[v]] : -1))
            return fail(p, "the parent is not the least upper neighbour", v);
        if (p->size[v] != v - p->low[v] + 1 || (up >= 0 && (up <= v || up >= n)))
            return fail(p, "ranks are no post-order", v);
        if (up < 0)
            continue;
        p->low[up] = p->low[v] < p->low[up] ? p->low[v] : p->low[up];
        p->size[up] += p->size[v];
    }
done:
    return st;
}

// The upper neighbours of a vertex are ancestors, in ascending order; only ends are below an end; heights count from the root.
static mco_status test_arcs(const proof *p)
{
    mco_status st = MCO_OK;
    const paths_topology *t = p->t;
    for (int32_t v = t->vertices - 1; v >= 0; v--) {
        const int32_t up = t->parent[v];
        int32_t before = v;
        MCO_TRY(mco_call_in_time(p->ctx, v));
        if (t->tail_at[v] < t->first[v] || t->tail_at[v] > t->first[v + 1])
            return fail(p, "the tail of a row is outside of it", v);
        if (t->depth[v] != (up < 0 ? 0 : t->depth[up] + 1) || t->depth[v] >= t->height)
            return fail(p, "a depth is wrong", v);
        for (int32_t a = t->first[v]; a < t->first[v + 1]; before = t->head[a++]) {
            const int32_t x = t->head[a];
            if (x <= before || x >= t->vertices || p->low[x] > v)
                return fail(p, "an upper neighbour is no ancestor", v);
            if (is_end(t, x) && !is_end(t, v))
                return fail(p, "a vertex that paths pass is below an end", v);
            if (t->head_height[a] != t->height - 1 - t->depth[x] || (a > t->tail_at[v] && t->head_height[a] != t->head_height[a - 1] + 1))
                return fail(p, "a height is wrong", v);
        }
    }
done:
    return st;
}

// Arcs of the network that are no loops have their places between their ends, and the list of origins has each of them once.
static mco_status test_origins(const proof *p)
{
    mco_status st = MCO_OK;
    const paths_topology *t = p->t;
    const mco_paths_rows *rows = p->rows;
    int64_t count = 0;
    for (int32_t u = 0; u < rows->vertices; u++) {
        MCO_TRY(mco_call_in_time(p->ctx, u));
        for (int64_t k = rows->first[u]; k < rows->first[u + 1]; k++) {
            const int32_t from = t->rank[u], to = t->rank[rows->head[k]], slot = t->slot[k], a = slot / 2;
            const int32_t low = from < to ? from : to, high = from < to ? to : from;
            if (from == to)
                continue;
            if (a < t->first[low] || a >= t->first[low + 1] || slot < 0 || t->head[a] != high || (slot % 2 == 1) != (from > to))
                return fail(p, "an arc of the network has no place", k);
            count++;
        }
    }
    if (t->origins != count)
        return fail(p, "another number of arcs is listed", count);
    for (int32_t k = 0; k < t->origins; k++) {  // ascending pairs of slot and arc: no arc stands twice
        const int32_t arc = t->origin[k], slot = t->origin_slot[k];
        if (arc < 0 || arc >= rows->arcs || slot < 0 || t->slot[arc] != slot)
            return fail(p, "a listed arc has another place", k);
        if (k > 0 && (slot < t->origin_slot[k - 1] || (slot == t->origin_slot[k - 1] && arc <= t->origin[k - 1])))
            return fail(p, "listed arcs do not ascend", k);
    }
done:
    return st;
}

// Whether arc a and the following ones of its row form triangles with arcs of the head of a: those of `third`, or any.
static bool has_triangles(const paths_topology *t, int32_t a, int32_t end, const int32_t *third)
{
    const int32_t begin = t->first[t->head[a]], stop = t->first[t->head[a] + 1];
    for (int32_t b = a + 1, c = begin; b < end; b++) {
        if (third != NULL)
            c = *third++;
        else
            while (c < stop && t->head[c] != t->head[b])
                c++;
        if (c < begin || c >= stop || t->head[c] != t->head[b])
            return false;
    }
    return true;
}

// ---- The weights

// Condition 1.
static mco_status test_network(const proof *p)
{
    mco_status st = MCO_OK;
    const paths_topology *t = p->t;
    for (int32_t k = 0; k < t->origins; k++) {
        if (k % ARCS_OF_LOOK == 0)
            MCO_TRY(mco_call_in_time(p->ctx, 0));
        const int32_t weight = p->rows->weight[t->origin[k]], slot = t->origin_slot[k];
        if (p->pair[slot] > weight)
            return fail(p, "a weight exceeds that of an arc of the network", t->origin[k]);
        p->held[slot] |= p->pair[slot] == weight;
    }
done:
    return st;
}

// Condition 2 for the triangles of arc a with those that follow it in its row.
static bool test_triangles(const proof *p, int32_t a, int32_t end, const int32_t *third)
{
    const paths_topology *t = p->t;
    const int32_t *pair = p->pair, up = pair[2 * a], down = pair[2 * a + 1];
    uint8_t *held = p->held;
    int is_wrong = 0;
    for (int32_t b = a + 1, c = t->first[t->head[a]]; b < end; b++) {
        if (third != NULL)
            c = *third++;
        else
            while (t->head[c] != t->head[b])  // ends: the topology is proven
                c++;
        const int32_t rise = down + pair[2 * b] - pair[2 * c], fall = up + pair[2 * b + 1] - pair[2 * c + 1];
        is_wrong |= rise | fall;  // negative if one is
        held[2 * c] |= rise == 0;
        held[2 * c + 1] |= fall == 0;
    }
    return is_wrong >= 0;
}

// Calls a test for every arc of vertices that paths may pass.
static mco_status test_all_triangles(const proof *p, bool is_topology)
{
    mco_status st = MCO_OK;
    const paths_topology *t = p->t;
    const int32_t *third = p->hierarchy->triangle;
    int64_t looked_at = 0;
    for (int32_t v = 0; v < t->vertices; v++) {
        const int32_t end = t->first[v + 1];
        for (int32_t a = t->first[v]; a < end - 1 && !is_end(t, v); a++) {
            if (is_topology && !has_triangles(t, a, end, third))
                return fail(p, "two upper neighbours are not joined", v);
            if (!is_topology && !test_triangles(p, a, end, third))
                return fail(p, "a weight exceeds the sum of a triangle", v);
            third = third != NULL ? third + (end - a - 1) : NULL;
            looked_at += end - a;
            if (looked_at < TRIANGLES_OF_LOOK)
                continue;
            looked_at = 0;
            MCO_TRY(mco_call_in_time(p->ctx, 0));
        }
    }
done:
    return st;
}

// Condition 3, and the copies of the weights.
static mco_status test_weights(const proof *p)
{
    mco_status st = MCO_OK;
    const paths_metric *m = &p->hierarchy->metric;
    for (int32_t a = 0; a < p->t->arcs; a++) {
        if (a % ARCS_OF_LOOK == 0)
            MCO_TRY(mco_call_in_time(p->ctx, 0));
        const int32_t up = p->pair[2 * a], down = p->pair[2 * a + 1];
        if (up < 0 || up > MCO_PATHS_NONE || down < 0 || down > MCO_PATHS_NONE || m->up[a] != up || m->down[a] != down)
            return fail(p, "a weight is out of range, or its copies differ", a);
        if ((up < MCO_PATHS_NONE && p->held[2 * a] == 0) || (down < MCO_PATHS_NONE && p->held[2 * a + 1] == 0))
            return fail(p, "a weight belongs to no arc and to no triangle", a);
    }
done:
    return st;
}

static proof proof_of(mco_context *ctx, const mco_paths_hierarchy *hierarchy)
{
    const mco_paths_network *network = hierarchy->expanded != NULL ? hierarchy->expanded : hierarchy->network;
    return (proof){.ctx = ctx, .hierarchy = hierarchy, .rows = &network->rows, .t = &hierarchy->topology, .pair = hierarchy->metric.pair};
}

mco_status paths_topology_prove(mco_context *ctx, const mco_paths_hierarchy *hierarchy)
{
    mco_status st = MCO_OK;
    proof p = proof_of(ctx, hierarchy);
    MCO_TRY(mco_alloc(ctx, &p.low, p.rows->vertices));
    MCO_TRY(mco_alloc(ctx, &p.size, p.rows->vertices));
    MCO_TRY(paths_turns_prove(ctx, hierarchy));
    MCO_TRY(test_vertices(&p));
    MCO_TRY(test_arcs(&p));
    MCO_TRY(test_origins(&p));
    MCO_TRY(test_all_triangles(&p, true));
done:
    mco_free(ctx, &p.size);
    mco_free(ctx, &p.low);
    return st;
}

mco_status paths_metric_prove(mco_context *ctx, const mco_paths_hierarchy *hierarchy)
{
    mco_status st = MCO_OK;
    proof p = proof_of(ctx, hierarchy);
    MCO_TRY(mco_alloc(ctx, &p.held, 2 * (int64_t)p.t->arcs));
    MCO_TRY(paths_turn_weights_prove(ctx, hierarchy));
    MCO_TRY(test_network(&p));
    MCO_TRY(test_all_triangles(&p, false));
    MCO_TRY(test_weights(&p));
done:
    mco_free(ctx, &p.held);
    return st;
}

mco_status paths_metric_prove_once(mco_context *ctx, const mco_paths_hierarchy *hierarchy)
{
    mco_status st = MCO_OK;
    if (paths_kept_is_proven(hierarchy))
        return MCO_OK;
    if (!paths_kept_has_proven(hierarchy))
        MCO_TRY(paths_topology_prove(ctx, hierarchy));
    MCO_TRY(paths_metric_prove(ctx, hierarchy));
    paths_kept_note_proven(hierarchy);
done:
    return st;
}
