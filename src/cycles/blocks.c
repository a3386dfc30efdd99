// SPDX-License-Identifier: MIT
// From a graph to its blocks.
//
// Undirected: vertices of degree 1 go one after the other, so trees vanish. What is left falls into biconnected components.
// Each loses its simplicial vertices, so chordal components, cliques too, vanish. The rest are the blocks.
//
// Directed: an arc with an opposite one is in no chordless cycle. The others, within strongly connected components, make an
// undirected graph, whose biconnected components are the blocks. They keep all arcs between their vertices, since those are
// chords.
//
// A vertex may be the first of many components. Its row is never read for them: the others of the component look for it.
#include <string.h>

#include "base/grow.h"
#include "cycles/blocks.h"
#include "cycles/simplicial.h"
#include "graph/parts.h"

enum { STEPS_PER_ARC = 16, STEPS = 1 << 24 };  // of the search for simplicial vertices, over all blocks
enum { ARCS_PER_LOOK = 1 << 18 };              // between two looks at the clock

typedef struct finder {
    mco_context *ctx;
    mco_run *run;                // NULL: no clock
    int64_t arcs;                // of blocks made since the last look at the clock
    bool is_directed;
    cycles_blocks *out;
    int64_t block_room;
    graph_simple core;           // undirected: without trees; directed: arcs without directions that may be in cycles
    const graph_simple *source;  // has the rows of the blocks; its vertices are those of the core
    int32_t *name;               // [core.vertices] vertices of the whole graph; NULL: the same
    bool *is_through;            // [vertices] of the whole graph; NULL: any cycle counts
    int32_t through;             // different vertices among them
    graph_bicomponents parts;
    int64_t *begin;              // [parts.count] place of the component's vertices in out->vertex; -1: no cycle in it
    int32_t *owner, *local;      // [core.vertices] the last component with the vertex, and the vertex there
    int64_t first_used, head_used;
    int64_t budget;              // steps left for simplicial vertices
} finder;

static bool must_stop(const finder *f)
{
    return f->run != NULL && mco_run_must_stop(f->run, 0);
}

// ---- Undirected: the core

// What is left of a vertex while trees are removed: its degree, and all its neighbours combined by exclusive or, which is the
// last neighbour when there is one. So no row is read again.
typedef struct remains {
    int32_t degree, neighbours;
} remains;

// Removes vertices of degree 1 and 0, again and again; their degree becomes 0. Returns how many vertices are left.
static int32_t peel(const graph_simple *graph, remains *of)
{
    int32_t left = 0;
    for (int32_t v = 0; v < graph->vertices; v++) {
        of[v].degree = (int32_t)(graph->first[v + 1] - graph->first[v]);
        for (int64_t a = graph->first[v]; a < graph->first[v + 1]; a++)
            of[v].neighbours ^= graph->head[a];
    }
    for (int32_t root = 0; root < graph->vertices; root++)
        for (int32_t v = root; of[v].degree == 1;) {
            const int32_t next = of[v].neighbours;
            of[v].degree = 0;
            of[next].degree--;
            of[next].neighbours ^= v;
            v = next;
        }
    for (int32_t v = 0; v < graph->vertices; v++)
        left += of[v].degree > 0;
    return left;
}

// Copies the graph of the vertices that are left; `degree` becomes their new number, or -1.
static mco_status copy_core(finder *f, remains *of, int32_t left)
{
    mco_status st = MCO_OK;
    const graph_simple *graph = &f->out->graph;
    int64_t arcs = 0;
    int32_t count = 0;
    MCO_TRY(mco_alloc(f->ctx, &f->name, left));
    for (int32_t v = 0; v < graph->vertices; v++) {
        arcs += of[v].degree;
        if (of[v].degree > 0)
            f->name[count++] = v;
        of[v].degree = of[v].degree > 0 ? count - 1 : -1;
    }
    MCO_TRY(mco_alloc(f->ctx, &f->core.first, (int64_t)left + 1));
    MCO_TRY(mco_alloc(f->ctx, &f->core.head, arcs));
    f->core.vertices = left;
    f->core.arcs = arcs;
    for (int32_t k = 0; k < left; k++) {
        int64_t end = f->core.first[k];
        for (int64_t a = graph->first[f->name[k]]; a < graph->first[f->name[k] + 1]; a++)
            if (of[graph->head[a]].degree >= 0)
                f->core.head[end++] = of[graph->head[a]].degree;
        f->core.first[k + 1] = end;
    }
done:
    return st;
}

static mco_status make_core(finder *f)
{
    mco_status st = MCO_OK;
    remains *of = NULL;
    MCO_TRY(mco_alloc(f->ctx, &of, f->out->graph.vertices));
    const int32_t left = peel(&f->out->graph, of);
    f->out->is_forest = left == 0;
    if (left > 0)
        MCO_TRY(copy_core(f, of, left));
    f->source = &f->core;
done:
    mco_free(f->ctx, &of);
    return st;
}

// ---- Directed: arcs that may be in cycles

// Keeps the arcs without an opposite one; counts the pairs of opposite ones.
static mco_status copy_single_arcs(finder *f, graph_simple *single)
{
    mco_status st = MCO_OK;
    const graph_simple *graph = &f->out->graph;
    MCO_TRY(mco_alloc(f->ctx, &single->first, (int64_t)graph->vertices + 1));
    MCO_TRY(mco_alloc(f->ctx, &single->head, graph->arcs));
    single->vertices = graph->vertices;
    for (int32_t u = 0; u < graph->vertices; u++) {
        for (int64_t a = graph->first[u]; a < graph->first[u + 1]; a++) {
            const int32_t v = graph->head[a];
            if (!graph_simple_has(graph, v, u))
                single->head[single->arcs++] = v;
            else
                f->out->digons += u < v;
        }
        single->first[u + 1] = single->arcs;
    }
done:
    return st;
}

static void keep_arcs_within(graph_simple *graph, const int32_t *part)
{
    int64_t kept = 0, a = 0;
    for (int32_t u = 0; u < graph->vertices; u++) {
        for (const int64_t end = graph->first[u + 1]; a < end; a++)
            if (part[graph->head[a]] == part[u])
                graph->head[kept++] = graph->head[a];
        graph->first[u + 1] = kept;
    }
    graph->arcs = kept;
}

static mco_status make_directed_core(finder *f)
{
    mco_status st = MCO_OK;
    graph_simple single = {0};
    int32_t *part = NULL, count;
    MCO_TRY(copy_single_arcs(f, &single));
    if (must_stop(f))
        goto done;
    MCO_TRY(graph_strong_components(f->ctx, &single, NULL, &part, &count));
    keep_arcs_within(&single, part);
    const mco_graph_rows rows = {.vertices = single.vertices, .arcs = single.arcs, .first = single.first,
                                 .head = single.head, .is_directed = true, .edges = single.arcs};
    MCO_TRY(graph_simple_make(f->ctx, &rows, false, &f->core));
    f->source = &f->out->graph;
done:
    graph_simple_clear(f->ctx, &single);
    mco_free(f->ctx, &part);
    return st;
}

// ---- Components that may hold cycles

static int32_t name_of(const finder *f, int32_t v)
{
    return f->name != NULL ? f->name[v] : v;
}

static mco_status mark_through(finder *f, const int32_t *through, int32_t count)
{
    mco_status st = MCO_OK;
    if (count == 0)
        return MCO_OK;
    MCO_TRY(mco_alloc(f->ctx, &f->is_through, f->out->graph.vertices));
    for (int32_t k = 0; k < count; k++) {
        f->through += !f->is_through[through[k]];
        f->is_through[through[k]] = true;
    }
done:
    return st;
}

static bool has_through(const finder *f, const int32_t *vertex, int64_t count)
{
    int32_t met = 0;
    for (int64_t k = 0; k < count && f->is_through != NULL; k++)
        met += f->is_through[name_of(f, vertex[k])];
    return met == f->through;
}

// Chooses the components that are large enough and hold the vertices that every cycle must hold. Returns their number.
static int32_t choose(finder *f, int64_t *vertices)
{
    const int64_t least = f->is_directed ? 3 : 4;
    const graph_bicomponents *parts = &f->parts;
    int32_t chosen = 0;
    *vertices = 0;
    for (int32_t c = 0; c < parts->count; c++) {
        const int64_t size = parts->first[c + 1] - parts->first[c];
        f->begin[c] = -1;
        if (size < least || !has_through(f, parts->vertex + parts->first[c], size))
            continue;
        f->begin[c] = *vertices;
        *vertices += size;
        chosen++;
    }
    return chosen;
}

// Lists the vertices of the chosen components, ascending. All but one of each component are at home there, and come in their
// order; the one is sorted in at last. O(vertices).
static void list_vertices(finder *f)
{
    const graph_bicomponents *parts = &f->parts;
    int32_t *list = f->out->vertex;
    for (int32_t v = 0; v < f->core.vertices; v++)
        if (parts->home[v] >= 0 && f->begin[parts->home[v]] >= 0)
            list[f->begin[parts->home[v]]++] = v;
    for (int32_t c = 0; c < parts->count; c++) {
        if (f->begin[c] < 0)
            continue;
        const int64_t begin = f->begin[c] - (parts->first[c + 1] - parts->first[c] - 1);
        const int32_t v = parts->vertex[parts->first[c]];
        int64_t at = f->begin[c];
        for (; at > begin && list[at - 1] > v; at--)
            list[at] = list[at - 1];
        list[at] = v;
        f->begin[c] = begin;
    }
}

// ---- One block

static int64_t append_row(const finder *f, int32_t c, int32_t v, int32_t *to)
{
    int64_t count = 0;
    for (int64_t a = f->source->first[v]; a < f->source->first[v + 1]; a++)
        if (f->owner[f->source->head[a]] == c)
            to[count++] = f->local[f->source->head[a]];
    return count;
}

// The same for the first vertex of the component, whose row may be long.
static int64_t append_first_row(const finder *f, const cycles_block *block, int32_t v, int32_t *to)
{
    int64_t count = 0;
    for (int32_t k = 0; k < block->graph.vertices; k++)
        if (block->vertex[k] != v && graph_simple_has(f->source, v, block->vertex[k]))
            to[count++] = k;
    return count;
}

// Makes the rows of component c behind those of the blocks before. The block's vertices are those of the core.
static void fill_block(finder *f, int32_t c, cycles_block *block)
{
    const int32_t top = f->parts.vertex[f->parts.first[c]];
    graph_simple *g = &block->graph;
    block->vertex = f->out->vertex + f->begin[c];
    *g = (graph_simple){.vertices = (int32_t)(f->parts.first[c + 1] - f->parts.first[c]),
                        .first = f->out->first + f->first_used, .head = f->out->head + f->head_used};
    for (int32_t k = 0; k < g->vertices; k++) {
        f->owner[block->vertex[k]] = c;
        f->local[block->vertex[k]] = k;
    }
    g->first[0] = 0;
    for (int32_t k = 0; k < g->vertices; k++) {
        const int32_t v = block->vertex[k];
        g->arcs += v == top ? append_first_row(f, block, v, g->head + g->arcs) : append_row(f, c, v, g->head + g->arcs);
        g->first[k + 1] = g->arcs;
    }
}

// Moves the rows of the vertices that are left together; `number` [vertices] is room for their new numbers.
static void keep_left(cycles_block *block, const bool *is_left, int32_t *number)
{
    graph_simple *g = &block->graph;
    int32_t count = 0;
    int64_t arcs = 0, a = 0;
    for (int32_t k = 0, left = 0; k < g->vertices; k++)
        number[k] = is_left[k] ? left++ : -1;
    for (int32_t k = 0; k < g->vertices; k++) {
        const int64_t end = g->first[k + 1];
        for (; a < end; a++)
            if (is_left[k] && is_left[g->head[a]])
                g->head[arcs++] = number[g->head[a]];
        if (!is_left[k])
            continue;
        block->vertex[count++] = block->vertex[k];
        g->first[count] = arcs;
    }
    g->vertices = count;
    g->arcs = arcs;
}

static mco_status strip_block(finder *f, cycles_block *block)
{
    mco_status st = MCO_OK;
    bool *is_left = NULL;
    int32_t *number = NULL, left;
    MCO_TRY(cycles_strip_simplicial(f->ctx, f->run, &block->graph, &f->budget, &is_left, &left));
    if (left < block->graph.vertices) {
        MCO_TRY(mco_alloc(f->ctx, &number, block->graph.vertices));
        keep_left(block, is_left, number);
    }
done:
    mco_free(f->ctx, &is_left);
    mco_free(f->ctx, &number);
    return st;
}

// Adds the block to the result, unless it has lost all cycles.
static mco_status keep_block(finder *f, cycles_block *block)
{
    mco_status st = MCO_OK;
    cycles_blocks *out = f->out;
    const graph_simple *g = &block->graph;
    const int64_t n = g->vertices;
    const bool is_clique = !f->is_directed && g->arcs == n * (n - 1);
    if (n == 0 || is_clique || !has_through(f, block->vertex, n))
        return MCO_OK;
    for (int32_t k = 0; k < n; k++)
        block->vertex[k] = name_of(f, block->vertex[k]);
    block->is_cycle = g->arcs == (f->is_directed ? n : 2 * n);
    MCO_TRY(mco_grow(f->ctx, &out->block, &f->block_room, (int64_t)out->count + 1));
    out->block[out->count++] = *block;
    f->first_used += n + 1;
    f->head_used += g->arcs;
done:
    return st;
}

static mco_status make_block(finder *f, int32_t c)
{
    mco_status st = MCO_OK;
    cycles_block block = {0};
    fill_block(f, c, &block);
    f->arcs += block.graph.arcs;
    const int64_t n = block.graph.vertices, arcs = block.graph.arcs;
    if (!f->is_directed && arcs != 2 * n && arcs != n * (n - 1))
        MCO_TRY(strip_block(f, &block));
    MCO_TRY(keep_block(f, &block));
done:
    return st;
}

// ---- All blocks

static mco_status make_blocks(finder *f)
{
    mco_status st = MCO_OK;
    cycles_blocks *out = f->out;
    int64_t vertices;
    MCO_TRY(graph_bicomponents_make(f->ctx, &f->core, &f->parts));
    if (must_stop(f))
        return MCO_OK;
    MCO_TRY(mco_alloc(f->ctx, &f->begin, f->parts.count));
    const int32_t chosen = choose(f, &vertices);
    if (chosen == 0 || must_stop(f))
        return MCO_OK;
    MCO_TRY(mco_alloc(f->ctx, &out->vertex, vertices));
    MCO_TRY(mco_alloc(f->ctx, &out->first, vertices + chosen));
    MCO_TRY(mco_alloc(f->ctx, &out->head, f->source->arcs));
    MCO_TRY(mco_alloc(f->ctx, &f->owner, f->core.vertices));
    MCO_TRY(mco_alloc(f->ctx, &f->local, f->core.vertices));
    memset(f->owner, -1, (size_t)f->core.vertices * sizeof *f->owner);
    list_vertices(f);
    f->budget = STEPS_PER_ARC * f->source->arcs + STEPS;
    for (int32_t c = 0; c < f->parts.count; c++) {
        if (f->arcs >= ARCS_PER_LOOK && must_stop(f))
            break;
        f->arcs = f->arcs < ARCS_PER_LOOK ? f->arcs : 0;
        if (f->begin[c] >= 0)
            MCO_TRY(make_block(f, c));
    }
    out->bytes += (vertices + f->source->arcs) * (int64_t)sizeof(int32_t) + (vertices + chosen) * (int64_t)sizeof(int64_t) +
                  f->block_room * (int64_t)sizeof *out->block;
done:
    return st;
}

mco_status cycles_blocks_make(mco_context *ctx, mco_run *run, const mco_graph_rows *rows, bool is_directed,
                              const int32_t *through, int32_t through_count, cycles_blocks *out)
{
    mco_status st = MCO_OK;
    finder f = {.ctx = ctx, .run = run, .is_directed = is_directed, .out = out};
    *out = (cycles_blocks){0};
    MCO_TRY(graph_simple_make(ctx, rows, is_directed, &out->graph));
    out->bytes = ((int64_t)rows->vertices + 1) * (int64_t)sizeof(int64_t) + out->graph.arcs * (int64_t)sizeof(int32_t);
    if (must_stop(&f))
        goto done;
    MCO_TRY(mark_through(&f, through, through_count));
    MCO_TRY(is_directed ? make_directed_core(&f) : make_core(&f));
    if (f.core.arcs > 0 && !must_stop(&f))
        MCO_TRY(make_blocks(&f));
done:
    graph_simple_clear(ctx, &f.core);
    graph_bicomponents_clear(ctx, &f.parts);
    mco_free(ctx, &f.name);
    mco_free(ctx, &f.is_through);
    mco_free(ctx, &f.begin);
    mco_free(ctx, &f.owner);
    mco_free(ctx, &f.local);
    if (st != MCO_OK)
        cycles_blocks_clear(ctx, out);
    return st;
}

void cycles_blocks_clear(mco_context *ctx, cycles_blocks *blocks)
{
    graph_simple_clear(ctx, &blocks->graph);
    mco_free(ctx, &blocks->block);
    mco_free(ctx, &blocks->first);
    mco_free(ctx, &blocks->head);
    mco_free(ctx, &blocks->vertex);
    *blocks = (cycles_blocks){0};
}
