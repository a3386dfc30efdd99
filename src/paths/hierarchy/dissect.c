// SPDX-License-Identifier: MIT
// The own order: nested dissection (George 1973) by flows. Vertices of at most two neighbours leave first (peel.c). Then each connected
// part of the core is cut by the best of several directions (cut.c). Its separator is eliminated after what it separates, and the
// connected parts of the rest are cut in turn. Small parts are ordered by minimum degree, with the separators around them in sight, so that
// the pairs that join those count.
//
// Threads: large parts are cut in rounds, all directions of all parts at once. Then the threads take small parts as wholes. The order does not
// depend on the threads, for equally good cuts are chosen by their direction.
#include <math.h>
#include <string.h>

#include "base/grow.h"
#include "base/team.h"
#include "paths/hierarchy/dissect.h"

enum {
    LEAF = 128,          // vertices of a part that is ordered by minimum degree
    LARGE = 8192,        // vertices of a part whose directions are items of their own
    WORD_BITS = 64
};
static const double LOOK_S = 0.02;  // between looks at the clock

typedef struct parts {
    paths_part *part;
    int64_t count, room;
} parts;

// Scratch of one thread.
typedef struct worker {
    mco_context *ctx;     // the thread's
    paths_cutter *cutter;
    uint8_t *side;        // [vertices]
    int32_t *local;       // [vertices of the core] place in the part or list at work; tested by the list
    int32_t *list;        // [vertices]
    uint64_t *row;        // [row_room] bits of a leaf
    int64_t row_room;
    parts waiting;
    int32_t widest;       // vertices of the largest separator
    mco_status status;    // the first failure
} worker;

typedef struct dissection {
    mco_context *ctx;
    const order_graph *core;
    paths_halt halt;
    int32_t *order;       // [vertices of the core]
    worker *worker;       // [workers]
    int32_t workers;
    mco_team team;
    parts large, small;
    uint8_t **side;       // [parts of a round * directions]
    double *least;
} dissection;

static void free_part(mco_context *ctx, paths_part *p)
{
    mco_free(ctx, &p->origin);
    mco_free(ctx, &p->head);
    mco_free(ctx, &p->first);
}

static void free_parts(mco_context *ctx, parts *list)
{
    for (int64_t k = 0; k < list->count; k++)
        free_part(ctx, &list->part[k]);
    mco_free(ctx, &list->part);
}

// ---- Parts

// Adds the part that consists of list [0 .. count), vertices of p. local [vertex of p] is the place in the list.
static mco_status add_part(worker *w, const paths_part *p, int32_t count, const uint8_t *side, int32_t begin, parts *out)
{
    mco_status st = MCO_OK;
    paths_part part = {.vertices = count, .begin = begin};
    int32_t pairs = 0;
    for (int32_t k = 0; k < count; k++)
        pairs += p->first[w->list[k] + 1] - p->first[w->list[k]];
    MCO_TRY(mco_alloc(w->ctx, &part.first, (int64_t)count + 1));
    MCO_TRY(mco_alloc(w->ctx, &part.head, pairs));
    MCO_TRY(mco_alloc(w->ctx, &part.origin, count));
    pairs = 0;
    for (int32_t k = 0; k < count; k++) {
        const int32_t v = w->list[k];
        part.origin[k] = p->origin[v];
        for (int32_t a = p->first[v]; a < p->first[v + 1]; a++)
            if (side[p->head[a]] != PATHS_BETWEEN)
                part.head[pairs++] = w->local[p->head[a]];
        part.first[k + 1] = pairs;
    }
    MCO_TRY(mco_grow(w->ctx, &out->part, &out->room, out->count + 1));
    out->part[out->count++] = part;
    part = (paths_part){0};
done:
    free_part(w->ctx, &part);
    return st;
}

// Puts the separator last into the order, and adds the connected parts of the rest.
static mco_status divide(worker *w, int32_t *order, const paths_part *p, uint8_t *side, parts *out)
{
    mco_status st = MCO_OK;
    int32_t begin = p->begin, end = p->begin + p->vertices;
    for (int32_t v = p->vertices; v-- > 0;) {
        w->local[v] = -1;
        if (side[v] == PATHS_BETWEEN)
            order[--end] = p->origin[v];
    }
    const int32_t width = p->begin + p->vertices - end;
    w->widest = w->widest > width ? w->widest : width;
    for (int32_t v = 0; v < p->vertices; v++) {
        int32_t count = 0;
        if (side[v] == PATHS_BETWEEN || w->local[v] >= 0)
            continue;
        w->local[v] = 0;
        w->list[count++] = v;
        for (int32_t k = 0; k < count; k++)
            for (int32_t a = p->first[w->list[k]]; a < p->first[w->list[k] + 1]; a++) {
                const int32_t u = p->head[a];
                if (side[u] == PATHS_BETWEEN || w->local[u] >= 0)
                    continue;
                w->local[u] = count;
                w->list[count++] = u;
            }
        MCO_TRY(add_part(w, p, count, side, begin, out));
        begin += count;
    }
done:
    return st;
}

// ---- Leaves

// Numbers the vertices of the part and, behind them, those around it: list [0 .. count). All others are in no row of the part.
static int32_t list_leaf(const dissection *d, worker *w, const paths_part *p)
{
    int32_t count = 0;
    for (; count < p->vertices; count++) {
        w->list[count] = p->origin[count];
        w->local[p->origin[count]] = count;
    }
    for (int32_t k = 0; k < p->vertices; k++)
        for (int32_t a = d->core->first[p->origin[k]]; a < d->core->first[p->origin[k] + 1]; a++) {
            const int32_t u = d->core->head[a], at = w->local[u];
            if (at >= 0 && at < count && w->list[at] == u)
                continue;
            w->local[u] = count;
            w->list[count++] = u;
        }
    return count;
}

static int32_t count_bits(const uint64_t *row, int32_t words)
{
    int32_t count = 0;
    for (int32_t k = 0; k < words; k++)
        count += __builtin_popcountll(row[k]);
    return count;
}

// Joins all neighbours of v and takes v away. A row has its own vertex as a neighbour.
static void eliminate(uint64_t *row, int32_t words, int32_t v)
{
    const uint64_t *own = row + (int64_t)v * words;
    for (int32_t k = 0; k < words; k++)
        for (uint64_t bits = own[k]; bits != 0; bits &= bits - 1) {
            const int32_t u = k * WORD_BITS + __builtin_ctzll(bits);
            if (u == v)
                continue;
            uint64_t *other = row + (int64_t)u * words;
            for (int32_t i = 0; i < words; i++)
                other[i] |= own[i];
            other[v / WORD_BITS] &= ~((uint64_t)1 << (v % WORD_BITS));
        }
}

// Minimum degree: O(vertices * vertices) words of the rows. Degrees of changed rows alone are counted again.
static mco_status order_leaf(const dissection *d, worker *w, const paths_part *p)
{
    mco_status st = MCO_OK;
    int32_t degree[LEAF];
    const int32_t n = p->vertices, count = list_leaf(d, w, p), words = (count + WORD_BITS - 1) / WORD_BITS;
    MCO_TRY(mco_grow(w->ctx, &w->row, &w->row_room, (int64_t)count * words));
    memset(w->row, 0, (size_t)count * (size_t)words * sizeof *w->row);
    for (int32_t v = 0; v < n; v++) {
        for (int32_t a = d->core->first[p->origin[v]]; a < d->core->first[p->origin[v] + 1]; a++) {
            const int32_t u = w->local[d->core->head[a]];
            w->row[(int64_t)v * words + u / WORD_BITS] |= (uint64_t)1 << (u % WORD_BITS);
            w->row[(int64_t)u * words + v / WORD_BITS] |= (uint64_t)1 << (v % WORD_BITS);
        }
        w->row[(int64_t)v * words + v / WORD_BITS] |= (uint64_t)1 << (v % WORD_BITS);
    }
    for (int32_t v = 0; v < n; v++)
        degree[v] = count_bits(w->row + (int64_t)v * words, words);
    for (int32_t k = 0; k < n; k++) {
        int32_t best = -1;
        for (int32_t v = 0; v < n; v++)
            if (degree[v] < INT32_MAX && (best < 0 || degree[v] < degree[best]))
                best = v;
        d->order[p->begin + k] = p->origin[best];
        degree[best] = INT32_MAX;
        eliminate(w->row, words, best);
        const uint64_t *own = w->row + (int64_t)best * words;
        for (int32_t u = 0; u < n; u++)
            if (degree[u] < INT32_MAX && (own[u / WORD_BITS] >> (u % WORD_BITS) & 1) != 0)
                degree[u] = count_bits(w->row + (int64_t)u * words, words);
    }
done:
    return st;
}

// ---- One part as a whole

// Cuts the part, and frees it.
static mco_status cut_part(const dissection *d, worker *w, paths_part *p)
{
    mco_status st = MCO_OK;
    double least = HUGE_VAL;
    if (p->vertices <= LEAF) {
        MCO_TRY(paths_cutter_goes_on(w->cutter, p->vertices * LEAF) ? order_leaf(d, w, p) : MCO_ERR_STOPPED);
        goto done;
    }
    for (int direction = 0; direction < PATHS_CUT_DIRECTIONS; direction++)
        MCO_TRY(paths_cut(w->cutter, p, direction, w->side, &least) ? MCO_OK : MCO_ERR_STOPPED);
    MCO_TRY(divide(w, d->order, p, w->side, &w->waiting));
done:
    free_part(w->ctx, p);
    return st;
}

static void take_small(void *shared, int index, int64_t item)
{
    dissection *d = shared;
    worker *w = &d->worker[index];
    if (w->status != MCO_OK)
        return;
    w->status = mco_grow(w->ctx, &w->waiting.part, &w->waiting.room, 1);
    if (w->status == MCO_OK) {
        w->waiting.part[w->waiting.count++] = d->small.part[item];
        d->small.part[item] = (paths_part){0};
    }
    while (w->status == MCO_OK && w->waiting.count > 0) {
        paths_part p = w->waiting.part[--w->waiting.count];
        w->status = cut_part(d, w, &p);
    }
    if (w->status != MCO_OK)
        atomic_store_explicit(&d->halt.is_set, true, memory_order_relaxed);
}

// ---- Rounds of large parts

static void take_direction(void *shared, int index, int64_t item)
{
    dissection *d = shared;
    const paths_part *p = &d->large.part[item / PATHS_CUT_DIRECTIONS];
    worker *w = &d->worker[index];
    d->least[item] = HUGE_VAL;
    if (w->status == MCO_OK)
        w->status = mco_alloc(w->ctx, &d->side[item], p->vertices);
    if (w->status == MCO_OK && !paths_cut(w->cutter, p, (int)(item % PATHS_CUT_DIRECTIONS), d->side[item], &d->least[item]))
        w->status = MCO_ERR_STOPPED;
    if (w->status != MCO_OK)
        atomic_store_explicit(&d->halt.is_set, true, memory_order_relaxed);
}

static double watch(void *shared)
{
    dissection *d = shared;
    if (mco_run_must_stop(d->halt.run, d->halt.run->work))
        atomic_store_explicit(&d->halt.is_set, true, memory_order_relaxed);
    return LOOK_S;
}

// The first failure of a worker, with its message. MEMORY goes before STOPPED, for a failure stops the others.
static mco_status settle(dissection *d)
{
    mco_status st = MCO_OK;
    for (int32_t k = 0; k < d->workers; k++) {
        worker *w = &d->worker[k];
        if (w->status == MCO_ERR_STOPPED && st == MCO_OK)
            st = MCO_ERR_STOPPED;
        if (w->status != MCO_OK && w->status != MCO_ERR_STOPPED && (st == MCO_OK || st == MCO_ERR_STOPPED))
            st = w->ctx == d->ctx ? w->status : mco_fail(d->ctx, w->status, "%s", mco_context_error(w->ctx));
    }
    return st;
}

static void run_items(dissection *d, int64_t items, mco_team_item *work)
{
    if (d->workers > 1) {
        mco_team_run(&d->team, items, work, watch, d);
        return;
    }
    for (int64_t item = 0; item < items; item++)
        work(d, 0, item);
}

// Sorts new parts by their size.
static mco_status sort_parts(dissection *d, parts *fresh)
{
    mco_status st = MCO_OK;
    for (; fresh->count > 0; fresh->count--) {
        const paths_part *p = &fresh->part[fresh->count - 1];
        parts *to = p->vertices > LARGE ? &d->large : &d->small;
        MCO_TRY(mco_grow(d->ctx, &to->part, &to->room, to->count + 1));
        to->part[to->count++] = *p;
    }
done:
    return st;
}

// Divides part `k` of the round by the best of its directions.
static mco_status divide_best(dissection *d, const paths_part *p, int64_t k, parts *fresh)
{
    const int64_t begin = k * PATHS_CUT_DIRECTIONS;
    int64_t best = begin;
    for (int64_t i = begin + 1; i < begin + PATHS_CUT_DIRECTIONS; i++)
        if (d->least[i] < d->least[best])
            best = i;
    return divide(&d->worker[0], d->order, p, d->side[best], fresh);
}

static void free_round(dissection *d, int64_t items)
{
    for (int64_t k = 0; d->side != NULL && k < items; k++)
        mco_free(d->ctx, &d->side[k]);
    mco_free(d->ctx, &d->side);
    mco_free(d->ctx, &d->least);
}

static mco_status run_round(dissection *d)
{
    mco_status st = MCO_OK;
    parts fresh = {0}, done = {0};
    const int64_t items = d->large.count * PATHS_CUT_DIRECTIONS;
    MCO_TRY(mco_alloc(d->ctx, &d->side, items));
    MCO_TRY(mco_alloc(d->ctx, &d->least, items));
    run_items(d, items, take_direction);
    MCO_TRY(settle(d));
    done = d->large;
    d->large = (parts){0};
    for (int64_t k = 0; k < done.count; k++)
        MCO_TRY(divide_best(d, &done.part[k], k, &fresh));
    MCO_TRY(sort_parts(d, &fresh));
done:
    free_round(d, items);
    free_parts(d->ctx, &done);
    free_parts(d->ctx, &fresh);
    return st;
}

// ---- The order

static mco_status open_worker(dissection *d, int32_t index)
{
    mco_status st = MCO_OK;
    worker *w = &d->worker[index];
    const int64_t n = d->core->vertices;
    w->ctx = d->ctx;
    if (d->workers > 1)
        MCO_TRY(mco_context_create_child(d->ctx, &w->ctx));
    MCO_TRY(paths_cutter_open(d->ctx, d->core, &d->halt, d->workers == 1, &w->cutter));
    MCO_TRY(mco_alloc(d->ctx, &w->side, n));
    MCO_TRY(mco_alloc(d->ctx, &w->local, n));
    MCO_TRY(mco_alloc(d->ctx, &w->list, n));
done:
    return st;
}

static void close_dissection(dissection *d)
{
    mco_team_close(&d->team);
    for (int32_t k = 0; d->worker != NULL && k < d->workers; k++) {
        worker *w = &d->worker[k];
        free_parts(d->ctx, &w->waiting);
        mco_free(d->ctx, &w->row);
        mco_free(d->ctx, &w->list);
        mco_free(d->ctx, &w->local);
        mco_free(d->ctx, &w->side);
        paths_cutter_close(d->ctx, &w->cutter);
        if (w->ctx != d->ctx)
            mco_context_destroy(&w->ctx);
    }
    mco_free(d->ctx, &d->worker);
    free_parts(d->ctx, &d->small);
    free_parts(d->ctx, &d->large);
}

static mco_status open_dissection(dissection *d)
{
    mco_status st = MCO_OK;
    parts fresh = {0};
    paths_part whole = {.vertices = d->core->vertices, .first = d->core->first, .head = d->core->head};
    MCO_TRY(mco_alloc(d->ctx, &d->worker, d->workers));
    for (int32_t k = 0; k < d->workers; k++)
        MCO_TRY(open_worker(d, k));
    if (d->workers > 1)
        MCO_TRY(mco_team_open(d->ctx, d->workers, true, &d->team));
    MCO_TRY(mco_alloc(d->ctx, &whole.origin, whole.vertices));
    for (int32_t v = 0; v < whole.vertices; v++)
        whole.origin[v] = v;
    memset(d->worker[0].side, PATHS_LOW, (size_t)whole.vertices);
    MCO_TRY(divide(&d->worker[0], d->order, &whole, d->worker[0].side, &fresh));
    MCO_TRY(sort_parts(d, &fresh));
done:
    free_parts(d->ctx, &fresh);
    mco_free(d->ctx, &whole.origin);
    return st;
}

static mco_status dissect(mco_context *ctx, const order_graph *core, mco_run *run, int32_t threads, int32_t *order, int32_t *widest)
{
    mco_status st = MCO_OK;
    dissection d = {.ctx = ctx, .core = core, .halt = {.run = run}, .order = order, .workers = core->vertices > LARGE ? threads : 1};
    MCO_TRY(open_dissection(&d));
    while (d.large.count > 0)
        MCO_TRY(run_round(&d));
    run_items(&d, d.small.count, take_small);
    MCO_TRY(settle(&d));
    for (int32_t k = 0; k < d.workers; k++)
        *widest = *widest > d.worker[k].widest ? *widest : d.worker[k].widest;
done:
    close_dissection(&d);
    return st;
}

mco_status paths_order_flow(mco_context *ctx, const order_graph *graph, mco_run *run, int32_t threads, int32_t *vertex, int32_t *widest)
{
    mco_status st = MCO_OK;
    paths_core core = {0};
    *widest = 0;
    MCO_TRY(paths_core_make(ctx, graph, vertex, &core));
    MCO_TRY(mco_run_must_stop(run, run->work) ? MCO_ERR_STOPPED : MCO_OK);
    int32_t *rest = vertex + core.peeled;
    if (core.graph.vertices > 0)
        MCO_TRY(dissect(ctx, &core.graph, run, threads, rest, widest));
    for (int32_t k = 0; k < core.graph.vertices; k++)
        rest[k] = core.origin[rest[k]];
done:
    paths_core_clear(ctx, &core);
    return st;
}
