// SPDX-License-Identifier: MIT
// Tables of a hierarchy for a GPU: see tables.h. Each tier costs a pass over the vertices that are left.
#include "paths/hierarchy/tables.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEAF_NODES = 48, NODES = 64, BOUNDARY = 640, ARCS = 6144,
    MOST_NODES = 1024, MOST_BOUNDARY = 1024, MOST_ARCS = 8192,
    MERGED_BOUNDARY = 96  // cells of several trees have a boundary of at most this many
};

typedef struct builder {
    mco_context *ctx;
    const paths_topology *t;
    paths_tables *out;
    paths_cell_bounds bounds;
    bool *is_high;       // [vertices] swept by levels
    int32_t *left;       // [left_count] vertices without a cell, ascending
    int32_t left_count;
    int32_t *nodes;      // [vertices] of a vertex's tree among `left`
    int32_t *arcs;       // [vertices] the same for arcs, paddings included
    int32_t *mark;       // [vertices] the last cell whose boundary has the vertex
    int32_t *row;        // [vertices] of the vertex in its cell, or in the boundary of the cell at work
    int32_t *level;      // [vertices] in its cell
    int32_t *owner;      // [vertices] cell, -1: none
    // The cell at work.
    int32_t *member;     // [MOST_NODES] ascending
    int32_t members, member_arcs;
    int32_t low, high;
    int32_t boundary_begin;
    int32_t counts[MOST_NODES + 1];
} builder;

static bool is_end(const paths_topology *t, int32_t v)
{
    return t->is_end != NULL && t->is_end[v];
}

// Arcs of a row in a cell at most: both parts are padded.
static int32_t row_arcs(const paths_topology *t, int32_t v)
{
    return t->first[v + 1] - t->first[v] + 2;
}

static mco_status open_builder(mco_context *ctx, builder *b)
{
    mco_status st = MCO_OK;
    const int64_t n = b->t->vertices;
    paths_tables *out = b->out;
    MCO_TRY(mco_alloc(ctx, &b->is_high, n));
    MCO_TRY(mco_alloc(ctx, &b->left, n));
    MCO_TRY(mco_alloc(ctx, &b->nodes, n));
    MCO_TRY(mco_alloc(ctx, &b->arcs, n));
    MCO_TRY(mco_alloc(ctx, &b->mark, n));
    MCO_TRY(mco_alloc(ctx, &b->row, n));
    MCO_TRY(mco_alloc(ctx, &b->level, n));
    MCO_TRY(mco_alloc(ctx, &b->owner, n));
    MCO_TRY(mco_alloc(ctx, &b->member, MOST_NODES));
    MCO_TRY(mco_alloc(ctx, &out->size, n));
    // A cell has a vertex at least; the levels' part ends with one more node.
    MCO_TRY(mco_alloc(ctx, &out->cell, n));
    MCO_TRY(mco_alloc(ctx, &out->node, 2 * n + 1));
    MCO_TRY(mco_alloc(ctx, &out->level, 2 * n));
    MCO_TRY(mco_alloc(ctx, &out->arc_end, b->t->arcs + 2 * n));
    MCO_TRY(mco_alloc(ctx, &out->arc_id, b->t->arcs + 2 * n));
    // A boundary of one tree is a row of its root, and trees are disjoint; the root's row is counted once.
    MCO_TRY(mco_alloc(ctx, &out->boundary, (int64_t)b->t->arcs + 1));
done:
    return st;
}

static void close_builder(mco_context *ctx, builder *b)
{
    mco_free(ctx, &b->member);
    mco_free(ctx, &b->owner);
    mco_free(ctx, &b->level);
    mco_free(ctx, &b->row);
    mco_free(ctx, &b->mark);
    mco_free(ctx, &b->arcs);
    mco_free(ctx, &b->nodes);
    mco_free(ctx, &b->left);
    mco_free(ctx, &b->is_high);
}

// Sizes of subtrees; rows that are too long, and all vertices above them.
static void measure(builder *b)
{
    const paths_topology *t = b->t;
    for (int32_t v = 0; v < t->vertices; v++) {
        b->out->size[v] = 1;
        b->mark[v] = b->owner[v] = -1;
        b->left[v] = v;
    }
    b->left_count = t->vertices;
    for (int32_t v = 0; v < t->vertices; v++) {
        const int32_t up = t->parent[v];
        b->is_high[v] = b->is_high[v] || t->first[v + 1] - t->first[v] > b->bounds.boundary;
        if (up < 0)
            continue;
        b->out->size[up] += b->out->size[v];
        b->is_high[up] = b->is_high[up] || b->is_high[v];
    }
}

// ---- Cells

// Appends an arc of the hierarchy to the cell at work, if paths may pass through its upper end.
static void add_arc(builder *b, int32_t arc, int32_t row)
{
    b->out->arc_end[b->out->arcs] = row * PATHS_LANES;
    b->out->arc_id[b->out->arcs++] = arc;
}

// Both parts of a row are made even: an arc that stands twice changes no minimum.
static void pad_arcs(paths_tables *out, int32_t begin)
{
    if ((out->arcs - begin) % 2 == 0)
        return;
    out->arc_end[out->arcs] = out->arc_end[out->arcs - 1];
    out->arc_id[out->arcs] = out->arc_id[out->arcs - 1];
    out->arcs++;
}

static void add_row(builder *b, int32_t v, int32_t cell, const paths_cell *c)
{
    const paths_topology *t = b->t;
    paths_tables *out = b->out;
    paths_node *node = &out->node[out->nodes++];
    *node = (paths_node){.vertex = v, .size = out->size[v], .first = out->arcs - c->arc};
    for (int part = 0; part < 2; part++) {
        const int32_t begin = out->arcs;
        for (int32_t a = t->first[v]; a < t->first[v + 1]; a++)
            if (!is_end(t, t->head[a]) && (b->owner[t->head[a]] == cell) == (part == 1))
                add_arc(b, a, b->row[t->head[a]]);
        pad_arcs(out, begin);
        if (part == 0)
            node->middle = out->arcs - c->arc;
    }
}

// The members by level: a node's level is above those of all nodes that it leads to.
static void sort_members(builder *b, int32_t cell, paths_cell *c)
{
    const paths_topology *t = b->t;
    paths_tables *out = b->out;
    int32_t *at = b->counts;
    for (int32_t k = b->members; k-- > 0;) {
        const int32_t v = b->member[k];
        b->level[v] = 0;
        for (int32_t a = t->first[v]; a < t->first[v + 1]; a++)
            if (!is_end(t, t->head[a]) && b->owner[t->head[a]] == cell && b->level[v] <= b->level[t->head[a]])
                b->level[v] = b->level[t->head[a]] + 1;
        c->levels = c->levels > b->level[v] + 1 ? c->levels : b->level[v] + 1;
    }
    c->level = out->levels;
    memset(at, 0, (size_t)(c->levels + 1) * sizeof *at);
    for (int32_t k = 0; k < b->members; k++)
        at[b->level[b->member[k]] + 1]++;
    for (int32_t l = 0; l < c->levels; l++)
        at[l + 1] += at[l];
    for (int32_t l = 0; l <= c->levels; l++)
        out->level[out->levels++] = at[l];
    for (int32_t k = b->members; k-- > 0;)  // descending ranks within a level
        b->row[b->member[k]] = c->boundaries + at[b->level[b->member[k]]]++;
}

static void close_cell(builder *b, paths_tier *tier)
{
    paths_tables *out = b->out;
    if (b->members == 0)
        return;
    const int32_t cell = out->cells++;
    paths_cell *c = &out->cell[cell];
    *c = (paths_cell){.node = out->nodes, .nodes = b->members, .boundary = b->boundary_begin,
                      .boundaries = out->boundaries - b->boundary_begin, .arc = out->arcs, .low = b->low, .high = b->high};
    for (int32_t k = 0; k < b->members; k++)
        b->owner[b->member[k]] = cell;
    for (int32_t k = 0; k < c->boundaries; k++)
        b->row[out->boundary[c->boundary + k]] = k;
    sort_members(b, cell, c);
    int32_t order[MOST_NODES];
    for (int32_t k = 0; k < b->members; k++)
        order[b->row[b->member[k]] - c->boundaries] = b->member[k];
    for (int32_t k = 0; k < b->members; k++)
        add_row(b, order[k], cell, c);
    c->arcs = out->arcs - c->arc;
    out->node[out->nodes++] = (paths_node){.vertex = -1, .first = c->arcs, .middle = c->arcs};
    tier->cells++;
    tier->rows = tier->rows > c->boundaries + c->nodes ? tier->rows : c->boundaries + c->nodes;
    tier->nodes = tier->nodes > c->nodes ? tier->nodes : c->nodes;
    tier->arcs = tier->arcs > c->arcs ? tier->arcs : c->arcs;
    b->members = b->member_arcs = 0;
    b->boundary_begin = out->boundaries;
}

// Vertices of the root's row that the cell at work does not have yet.
static int32_t new_boundary(const builder *b, int32_t root)
{
    int32_t count = 0;
    for (int32_t a = b->t->first[root]; a < b->t->first[root + 1]; a++)
        count += !is_end(b->t, b->t->head[a]) && b->mark[b->t->head[a]] != b->out->cells;
    return count;
}

// Adds the tree of left[at], which is the last of its vertices, to the cell at work, or begins a new one.
static void add_tree(builder *b, int32_t at, int32_t most_nodes, paths_tier *tier)
{
    const paths_topology *t = b->t;
    paths_tables *out = b->out;
    const int32_t root = b->left[at], nodes = b->nodes[root], low = root - out->size[root] + 1;
    const int32_t boundary = out->boundaries - b->boundary_begin + new_boundary(b, root);
    if (b->members + nodes > most_nodes || b->member_arcs + b->arcs[root] > b->bounds.arcs || boundary > MERGED_BOUNDARY)
        close_cell(b, tier);
    if (b->members == 0)
        b->low = low;
    b->high = root;
    for (int32_t a = t->first[root]; a < t->first[root + 1]; a++) {
        const int32_t v = t->head[a];
        if (is_end(t, v) || b->mark[v] == out->cells)
            continue;
        b->mark[v] = out->cells;
        out->boundary[out->boundaries++] = v;
    }
    for (int32_t k = at - nodes + 1; k <= at; k++)
        b->member[b->members++] = b->left[k];
    b->member_arcs += b->arcs[root];
}

static bool is_small(const builder *b, int32_t v, int32_t most_nodes)
{
    return !b->is_high[v] && b->nodes[v] <= most_nodes && b->arcs[v] <= b->bounds.arcs;
}

// Takes the largest trees that fit into cells. Every leaf of what is left fits, unless it is swept by levels.
static void add_tier(builder *b)
{
    const paths_topology *t = b->t;
    paths_tables *out = b->out;
    const int32_t most = out->tiers == 0 ? b->bounds.leaf_nodes : b->bounds.nodes;
    paths_tier *tier = &out->tier[out->tiers];
    *tier = (paths_tier){.cell_first = out->cells};
    for (int32_t k = 0; k < b->left_count; k++) {
        b->nodes[b->left[k]] = 1;
        b->arcs[b->left[k]] = row_arcs(t, b->left[k]);
    }
    for (int32_t k = 0; k < b->left_count; k++) {
        const int32_t v = b->left[k], up = t->parent[v];
        if (up < 0)
            continue;
        b->nodes[up] += b->nodes[v];
        b->arcs[up] = b->arcs[up] + b->arcs[v] < INT32_MAX / 2 ? b->arcs[up] + b->arcs[v] : INT32_MAX / 2;
    }
    for (int32_t k = 0; k < b->left_count; k++) {
        const int32_t v = b->left[k], up = t->parent[v];
        if (is_small(b, v, most) && (up < 0 || !is_small(b, up, most)))
            add_tree(b, k, most, tier);
    }
    close_cell(b, tier);
    out->tiers += tier->cells > 0;
    int32_t kept = 0;
    for (int32_t k = 0; k < b->left_count; k++)
        if (b->owner[b->left[k]] < 0)
            b->left[kept++] = b->left[k];
    b->left_count = kept;
}

// ---- Levels

// What is left has no cells: by depth, which is a level because heads are less deep.
static mco_status add_high(builder *b)
{
    mco_status st = MCO_OK;
    const paths_topology *t = b->t;
    paths_tables *out = b->out;
    out->high_first = out->nodes;
    out->high_count = b->left_count;
    for (int32_t k = 0; k < b->left_count; k++)
        out->high_levels = out->high_levels > t->depth[b->left[k]] + 1 ? out->high_levels : t->depth[b->left[k]] + 1;
    MCO_TRY(mco_alloc(b->ctx, &out->high_level, (int64_t)out->high_levels + 1));
    int32_t *at = out->high_level;
    for (int32_t k = 0; k < b->left_count; k++)
        at[t->depth[b->left[k]] + 1]++;
    for (int32_t l = 0; l < out->high_levels; l++)
        at[l + 1] += at[l];
    for (int32_t k = 0; k < b->left_count; k++)
        out->node[out->high_first + at[t->depth[b->left[k]]]++].vertex = b->left[k];
    memmove(at + 1, at, (size_t)out->high_levels * sizeof *at);
    at[0] = 0;
    for (int32_t k = 0; k < b->left_count; k++) {
        paths_node *node = &out->node[out->high_first + k];
        const int32_t v = node->vertex;
        node->size = out->size[v];
        node->first = node->middle = out->arcs;
        for (int32_t a = t->first[v]; a < t->first[v + 1]; a++)
            if (!is_end(t, t->head[a])) {
                out->arc_end[out->arcs] = t->head[a];
                out->arc_id[out->arcs++] = a;
            }
    }
    out->nodes += b->left_count;
    out->node[out->nodes++] = (paths_node){.vertex = -1, .first = out->arcs, .middle = out->arcs};
done:
    return st;
}

// ---- Customising

// A vertex's level is above those of all vertices with triangles below it. Its arcs are complete when these are done.
static int32_t find_levels(const paths_topology *t, int32_t *level)
{
    int32_t levels = 0;
    memset(level, 0, (size_t)t->vertices * sizeof *level);
    for (int32_t v = 0; v < t->vertices; v++) {
        if (is_end(t, v) || t->first[v + 1] - t->first[v] < 2)
            continue;
        levels = levels > level[v] + 1 ? levels : level[v] + 1;
        for (int32_t a = t->first[v]; a < t->first[v + 1]; a++)
            if (level[t->head[a]] <= level[v])
                level[t->head[a]] = level[v] + 1;
    }
    return levels;
}

static mco_status add_triangles(builder *b)
{
    mco_status st = MCO_OK;
    const paths_topology *t = b->t;
    paths_tables *out = b->out;
    int32_t *level = b->level;
    out->triangle_levels = find_levels(t, level);
    MCO_TRY(mco_alloc(b->ctx, &out->triangle_level, (int64_t)out->triangle_levels + 1));
    MCO_TRY(mco_alloc(b->ctx, &out->left, t->triangles));
    MCO_TRY(mco_alloc(b->ctx, &out->right, t->triangles));
    MCO_TRY(mco_alloc(b->ctx, &out->target, t->triangles));
    int64_t *at = out->triangle_level;
    for (int32_t v = 0; v < t->vertices; v++) {
        const int64_t degree = t->first[v + 1] - t->first[v];
        if (!is_end(t, v) && degree > 1)
            at[level[v] + 1] += degree * (degree - 1) / 2;
    }
    for (int32_t l = 0; l < out->triangle_levels; l++)
        at[l + 1] += at[l];
    for (int32_t v = 0; v < t->vertices; v++) {
        if (is_end(t, v) || t->first[v + 1] - t->first[v] < 2)
            continue;
        int64_t *const to = &at[level[v]];
        for (int32_t x = t->first[v]; x < t->first[v + 1]; x++)
            for (int32_t y = x + 1, c = t->first[t->head[x]]; y < t->first[v + 1]; y++) {
                while (t->head[c] != t->head[y])  // ends: the elimination of v has joined the two
                    c++;
                out->left[*to] = x;
                out->right[*to] = y;
                out->target[(*to)++] = c;
            }
    }
    if (out->triangle_levels > 0)
        memmove(at + 1, at, (size_t)out->triangle_levels * sizeof *at);
    at[0] = 0;
done:
    return st;
}

// The network's arcs of each weight. Most have one or none; parallel arcs stand in lists.
static mco_status add_origins(builder *b, int64_t network_arcs)
{
    mco_status st = MCO_OK;
    const paths_topology *t = b->t;
    paths_tables *out = b->out;
    const int64_t slots = 2 * (int64_t)t->arcs;
    int32_t *count = NULL;
    MCO_TRY(mco_alloc(b->ctx, &count, slots));
    MCO_TRY(mco_alloc(b->ctx, &out->origin, slots));
    for (int64_t k = 0; k < slots; k++)
        out->origin[k] = -1;
    for (int64_t k = 0; k < network_arcs; k++)
        if (t->slot[k] >= 0) {
            count[t->slot[k]]++;
            out->origin[t->slot[k]] = (int32_t)k;
        }
    int64_t room = 0;
    for (int64_t k = 0; k < slots; k++)
        room += count[k] > 1 ? count[k] + 1 : 0;
    if (room > INT32_MAX - 2)
        MCO_TRY(mco_fail(b->ctx, MCO_ERR_LIMIT, "%lld parallel arcs, at most %d are supported on a GPU", (long long)room, INT32_MAX - 2));
    MCO_TRY(mco_alloc(b->ctx, &out->more, room));
    for (int64_t k = 0; k < slots; k++)
        if (count[k] > 1) {
            out->origin[k] = -2 - out->more_count;
            out->more[out->more_count] = 0;
            out->more_count += count[k] + 1;
        }
    for (int64_t k = 0; k < network_arcs; k++)
        if (t->slot[k] >= 0 && out->origin[t->slot[k]] < -1) {
            int32_t *list = &out->more[-2 - out->origin[t->slot[k]]];
            list[++list[0]] = (int32_t)k;
        }
done:
    mco_free(b->ctx, &count);
    return st;
}

// ---- All

static mco_status choose_bounds(mco_context *ctx, const paths_cell_bounds *asked, paths_cell_bounds *out)
{
    *out = asked != NULL ? *asked : (paths_cell_bounds){0};
    out->leaf_nodes = out->leaf_nodes == 0 ? LEAF_NODES : out->leaf_nodes;
    out->nodes = out->nodes == 0 ? NODES : out->nodes;
    out->boundary = out->boundary == 0 ? BOUNDARY : out->boundary;
    out->arcs = out->arcs == 0 ? ARCS : out->arcs;
    if (out->leaf_nodes < 1 || out->leaf_nodes > MOST_NODES || out->nodes < 1 || out->nodes > MOST_NODES || out->boundary < 1 ||
        out->boundary > MOST_BOUNDARY || out->arcs < out->boundary + 2 || out->arcs > MOST_ARCS)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "cells of %d and %d nodes, a boundary of %d, %d arcs; at most %d, %d, %d, %d are supported",
                        out->leaf_nodes, out->nodes, out->boundary, out->arcs, MOST_NODES, MOST_NODES, MOST_BOUNDARY, MOST_ARCS);
    return MCO_OK;
}

mco_status paths_tables_make(mco_context *ctx, const paths_topology *topology, int64_t network_arcs,
                             const paths_cell_bounds *bounds, paths_tables *out)
{
    mco_status st = MCO_OK;
    builder *b = NULL;
    *out = (paths_tables){0};
    MCO_TRY(mco_alloc(ctx, &b, 1));
    b->ctx = ctx;
    b->t = topology;
    b->out = out;
    if (topology->arcs + 2 * (int64_t)topology->vertices > INT32_MAX)
        MCO_TRY(mco_fail(ctx, MCO_ERR_LIMIT, "%d arcs and %d vertices, a GPU takes at most %d arcs and pairs of vertices",
                         topology->arcs, topology->vertices, INT32_MAX));
    MCO_TRY(choose_bounds(ctx, bounds, &b->bounds));
    MCO_TRY(open_builder(ctx, b));
    measure(b);
    while (b->left_count > 0 && out->tiers < PATHS_MAX_TIERS) {
        const int32_t before = b->left_count;
        add_tier(b);
        if (b->left_count == before)
            break;
    }
    MCO_TRY(add_high(b));
    for (int32_t a = 0; a < topology->arcs; a++)
        out->end_arcs += is_end(topology, topology->head[a]);
    MCO_TRY(add_triangles(b));
    MCO_TRY(add_origins(b, network_arcs));
done:
    if (b != NULL)
        close_builder(ctx, b);
    mco_free(ctx, &b);
    if (st != MCO_OK)
        paths_tables_clear(ctx, out);
    return st;
}

void paths_tables_clear(mco_context *ctx, paths_tables *tables)
{
    mco_free(ctx, &tables->more);
    mco_free(ctx, &tables->origin);
    mco_free(ctx, &tables->target);
    mco_free(ctx, &tables->right);
    mco_free(ctx, &tables->left);
    mco_free(ctx, &tables->triangle_level);
    mco_free(ctx, &tables->high_level);
    mco_free(ctx, &tables->arc_id);
    mco_free(ctx, &tables->arc_end);
    mco_free(ctx, &tables->level);
    mco_free(ctx, &tables->boundary);
    mco_free(ctx, &tables->node);
    mco_free(ctx, &tables->cell);
    mco_free(ctx, &tables->size);
    *tables = (paths_tables){0};
}
