// SPDX-License-Identifier: MIT
// Customising: the weights of a hierarchy from the weights of its network (Dibbelt, Strasser, Wagner 2016).
//
// A lower triangle of an arc (x, y) is a vertex v below both with arcs (v, x) and (v, y). In ascending order of v, each triangle
// replaces the weight of x to y by the sum over v, if that is less. Weights are at most MCO_PATHS_NONE, so no sum overflows.
//
// Several threads: the elimination tree is cut into pieces, which are ranges of whole subtrees, and the top, which holds the rest.
// A triangle below a piece ends in the piece or in the top. So pieces are independent once every thread has its own weights of
// the top. The least of these are the weights with which the top is customised.
#include "paths/hierarchy/customise.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum {
    PADDING = 64,           // entries after the last one that vectors may read
    PIECES_OF_THREAD = 4,   // at least, so that threads end at nearly the same time
    LEAST_WORK = 100000,    // of a thread; below this, waking it costs more than it saves
    TRIANGLES_BETWEEN_LOOKS = 1 << 23, // at the clock, but for rows that have more: 0.03 s without a list
    ARCS_BETWEEN_LOOKS = 1 << 23
};

mco_status paths_metric_open(mco_context *ctx, const paths_topology *topology, paths_metric *out)
{
    mco_status st = MCO_OK;
    paths_metric m = {0};
    const int64_t arcs = topology->arcs;
    MCO_TRY(mco_alloc(ctx, &m.pair, 2 * arcs + PADDING));
    MCO_TRY(mco_alloc(ctx, &m.up, arcs + PADDING));
    MCO_TRY(mco_alloc(ctx, &m.down, arcs + PADDING));
    for (int64_t k = 0; k < 2 * arcs + PADDING; k++)
        m.pair[k] = MCO_PATHS_NONE;
    for (int64_t a = 0; a < arcs + PADDING; a++)
        m.up[a] = m.down[a] = MCO_PATHS_NONE;
    *out = m;
    m = (paths_metric){0};
done:
    paths_metric_clear(ctx, &m);
    return st;
}

void paths_metric_clear(mco_context *ctx, paths_metric *metric)
{
    mco_free(ctx, &metric->down);
    mco_free(ctx, &metric->up);
    mco_free(ctx, &metric->pair);
    *metric = (paths_metric){0};
}

// ---- The oracle

static void lower_to(int32_t *weight, int32_t value)
{
    *weight = value < *weight ? value : *weight;
}

void paths_metric_ref(const paths_topology *t, int64_t network_arcs, const int32_t *weight, paths_metric *metric)
{
    int32_t *pair = metric->pair;
    for (int64_t k = 0; k < 2 * (int64_t)t->arcs; k++)
        pair[k] = MCO_PATHS_NONE;
    for (int64_t k = 0; k < network_arcs; k++)
        if (t->slot[k] >= 0)
            lower_to(&pair[t->slot[k]], weight[k]);
    for (int32_t v = 0; v < t->vertices; v++) {
        if (t->is_end != NULL && t->is_end[v])
            continue;
        for (int32_t a = t->first[v]; a < t->first[v + 1]; a++)
            for (int32_t b = a + 1, c = t->first[t->head[a]]; b < t->first[v + 1]; b++) {
                while (t->head[c] != t->head[b])
                    c++;
                lower_to(&pair[2 * c], pair[2 * a + 1] + pair[2 * b]);
                lower_to(&pair[2 * c + 1], pair[2 * b + 1] + pair[2 * a]);
            }
    }
    for (int32_t a = 0; a < t->arcs; a++) {
        metric->up[a] = pair[2 * a];
        metric->down[a] = pair[2 * a + 1];
    }
}

// ---- Pieces

typedef struct piece {
    int32_t begin, end;
} piece;

typedef struct pieces {
    piece *piece;          // [count]
    int64_t count, room;
    int32_t *top;          // [top_count] vertices, ascending
    int64_t top_count, top_room;
    int32_t *top_first;    // [top_count + 1] of their arcs, put side by side
    piece *waiting;        // [waiting_count] ranges of whole subtrees
    int64_t waiting_count, waiting_room;
} pieces;

static mco_status add_piece(mco_context *ctx, piece **list, int64_t *count, int64_t *room, int32_t begin, int32_t end)
{
    if (begin == end)
        return MCO_OK;
    const mco_status st = mco_grow(ctx, list, room, *count + 1);
    if (st == MCO_OK)
        (*list)[(*count)++] = (piece){begin, end};
    return st;
}

static int64_t work_of(const paths_topology *t, int32_t begin, int32_t end)
{
    return t->triangle_first[end] - t->triangle_first[begin] + 2 * (int64_t)(t->first[end] - t->first[begin]) + (end - begin);
}

// Cuts a range of whole subtrees: subtrees of at most `grain` become pieces, several together if they are small; the roots of the
// others go to the top, and what is below them waits.
static mco_status cut_range(mco_context *ctx, const paths_topology *t, int64_t grain, piece range, pieces *p)
{
    mco_status st = MCO_OK;
    int32_t end = range.end;  // of the piece that begins at v + 1
    for (int32_t v = range.end - 1; v >= range.begin; v = t->lowest[v] - 1) {
        const bool is_small = work_of(t, t->lowest[v], v + 1) <= grain;
        if (is_small && work_of(t, t->lowest[v], end) <= grain)
            continue;
        MCO_TRY(add_piece(ctx, &p->piece, &p->count, &p->room, v + 1, end));
        end = v + 1;
        if (is_small)
            continue;
        MCO_TRY(mco_grow(ctx, &p->top, &p->top_room, p->top_count + 1));
        p->top[p->top_count++] = v;
        MCO_TRY(add_piece(ctx, &p->waiting, &p->waiting_count, &p->waiting_room, t->lowest[v], v));
        end = t->lowest[v];
    }
    MCO_TRY(add_piece(ctx, &p->piece, &p->count, &p->room, range.begin, end));
done:
    return st;
}

static int compare_vertices(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static mco_status cut(mco_context *ctx, const paths_topology *t, int64_t grain, pieces *p)
{
    mco_status st = MCO_OK;
    MCO_TRY(add_piece(ctx, &p->waiting, &p->waiting_count, &p->waiting_room, 0, t->vertices));
    while (p->waiting_count > 0)
        MCO_TRY(cut_range(ctx, t, grain, p->waiting[--p->waiting_count], p));
    MCO_TRY(mco_alloc(ctx, &p->top_first, p->top_count + 1));
    if (p->top_count > 0)
        qsort(p->top, (size_t)p->top_count, sizeof *p->top, compare_vertices);
    for (int64_t k = 0; k < p->top_count; k++)
        p->top_first[k + 1] = p->top_first[k] + t->first[p->top[k] + 1] - t->first[p->top[k]];
done:
    return st;
}

static void clear_pieces(mco_context *ctx, pieces *p)
{
    mco_free(ctx, &p->waiting);
    mco_free(ctx, &p->top_first);
    mco_free(ctx, &p->top);
    mco_free(ctx, &p->piece);
}

// ---- The work

struct paths_crew {
    const paths_topology *topology;
    mco_team team;
    pieces pieces;
    int32_t workers;
    int32_t **outer;   // [workers] weights of the top's arcs; the last worker uses those of the metric
    int32_t *shift;    // [workers * height]
    bool *has_begun;   // [workers] it has taken a piece of this job
};

typedef struct customiser {
    const paths_topology *topology;
    const customise_lanes *lanes;
    const int32_t *triangle, *weight;
    const paths_metric *metric;
    paths_crew *crew;  // NULL: this thread alone
    mco_context *ctx;
    const paths_limits *limits;  // NULL: none
} customiser;

#define DECLARE(set, unit) extern const customise_lanes customise_lanes_of_##set;
#define LIST(set, unit) &customise_lanes_of_##set,
MCO_EACH_SIMD(DECLARE)
static const customise_lanes *const BUILDS[] = {MCO_EACH_SIMD(LIST)};

// The first origin of the arcs from `slot` on.
static int32_t find_origin(const paths_topology *t, int32_t slot)
{
    int32_t low = 0, high = t->origins;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (t->origin_slot[middle] < slot)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool must_stop(const customiser *c)
{
    return paths_limits_must_stop(c->ctx, c->limits);
}

// Sets the weights of arcs [begin, end) to those of the network.
static void take_some(const customiser *c, int32_t begin, int32_t end)
{
    const paths_topology *t = c->topology;
    int32_t *pair = c->metric->pair;
    for (int32_t k = 2 * begin; k < 2 * end; k++)
        pair[k] = MCO_PATHS_NONE;
    for (int32_t k = find_origin(t, 2 * begin); k < t->origins && t->origin_slot[k] < 2 * end; k++)
        lower_to(&pair[t->origin_slot[k]], c->weight[t->origin[k]]);
}

// The same for any number of arcs. Ends early where the work must stop.
static void take_weights(const customiser *c, int32_t begin, int32_t end)
{
    for (int32_t next; begin < end && !must_stop(c); begin = next) {
        next = end - begin < ARCS_BETWEEN_LOOKS ? end : begin + ARCS_BETWEEN_LOOKS;
        take_some(c, begin, next);
    }
}

// Writes weights apart, and ends early as well.
static void split(const customiser *c, int32_t begin, int32_t end)
{
    for (int32_t next; begin < end && !must_stop(c); begin = next) {
        next = end - begin < ARCS_BETWEEN_LOOKS ? end : begin + ARCS_BETWEEN_LOOKS;
        c->lanes->split(c->metric, begin, next);
    }
}

// Ends early where the work must stop; make() says so then.
static void relax(const customiser *c, int32_t begin, int32_t end, int32_t limit, int32_t *outer, const int32_t *shift)
{
    const int64_t *first = c->topology->triangle_first;
    for (int32_t next; begin < end && !must_stop(c); begin = next) {
        const int32_t *triangle = c->triangle != NULL ? c->triangle + first[begin] : NULL;
        next = end;
        while (next - begin > 1 && first[next] - first[begin] > TRIANGLES_BETWEEN_LOOKS)
            next = begin + (next - begin) / 2;
        const customise_rows rows = {c->topology, triangle, begin, next, limit, c->metric->pair, outer, shift};
        c->lanes->relax(&rows);
    }
}

// Sets shift[h] for the vertices of the top that are above the piece. The way up meets them in ascending order.
static void find_shifts(const paths_crew *crew, int32_t last, int32_t *shift)
{
    const paths_topology *t = crew->topology;
    int64_t k = 0;
    for (int32_t v = t->parent[last]; v >= 0; v = t->parent[v]) {
        while (crew->pieces.top[k] < v)
            k++;
        shift[t->height - 1 - t->depth[v]] = crew->pieces.top_first[k] - t->first[v];
    }
}

static void begin_worker(paths_crew *crew, int worker)
{
    const int64_t arcs = crew->pieces.top_first[crew->pieces.top_count];
    crew->has_begun[worker] = true;
    for (int64_t k = 0; k < 2 * arcs; k++)
        crew->outer[worker][k] = MCO_PATHS_NONE;
}

static void do_piece(void *shared, int worker, int64_t item)
{
    const customiser *c = shared;
    paths_crew *crew = c->crew;
    const paths_topology *t = c->topology;
    const piece p = crew->pieces.piece[item];
    int32_t *shift = crew->shift + (int64_t)worker * t->height;
    const bool is_last = worker == crew->workers - 1;
    if (!is_last && !crew->has_begun[worker])
        begin_worker(crew, worker);
    if (!is_last)
        find_shifts(crew, p.end - 1, shift);
    take_weights(c, t->first[p.begin], t->first[p.end]);
    relax(c, p.begin, p.end, p.end, is_last ? c->metric->pair : crew->outer[worker], shift);
    split(c, t->first[p.begin], t->first[p.end]);
}

// Lowers the weights of the top to those that the other workers found, and customises it.
static void do_top(const customiser *c)
{
    const paths_topology *t = c->topology;
    const pieces *p = &c->crew->pieces;
    for (int64_t k = 0; k < p->top_count; k++) {
        const int32_t v = p->top[k], begin = t->first[v], count = p->top_first[k + 1] - p->top_first[k];
        for (int32_t w = 0; w < c->crew->workers - 1; w++)
            for (int32_t a = 0; c->crew->has_begun[w] && a < 2 * count; a++)
                lower_to(&c->metric->pair[2 * begin + a], c->crew->outer[w][2 * p->top_first[k] + a]);
    }
    for (int64_t k = 0; k < p->top_count; k++) {
        const int32_t v = p->top[k];
        relax(c, v, v + 1, t->vertices, NULL, NULL);
        c->lanes->split(c->metric, t->first[v], t->first[v + 1]);
    }
}

static void make_parallel(customiser *c)
{
    const paths_topology *t = c->topology;
    paths_crew *crew = c->crew;
    memset(crew->has_begun, 0, (size_t)crew->workers * sizeof *crew->has_begun);
    for (int64_t k = 0; k < crew->pieces.top_count; k++)
        take_weights(c, t->first[crew->pieces.top[k]], t->first[crew->pieces.top[k] + 1]);
    mco_team_run(&crew->team, crew->pieces.count, do_piece, NULL, c);
    do_top(c);
}

mco_status paths_crew_open(mco_context *ctx, const paths_topology *topology, int32_t threads, paths_crew **out)
{
    mco_status st = MCO_OK;
    paths_crew *crew = NULL;
    MCO_TRY(mco_alloc(ctx, &crew, 1));
    crew->topology = topology;
    crew->workers = threads;
    MCO_TRY(cut(ctx, topology, work_of(topology, 0, topology->vertices) / (PIECES_OF_THREAD * threads), &crew->pieces));
    MCO_TRY(mco_alloc(ctx, &crew->has_begun, threads));
    MCO_TRY(mco_alloc(ctx, &crew->outer, threads));
    MCO_TRY(mco_alloc(ctx, &crew->shift, (int64_t)threads * topology->height));
    for (int32_t w = 0; w < threads - 1; w++)
        MCO_TRY(mco_alloc(ctx, &crew->outer[w], 2 * (int64_t)crew->pieces.top_first[crew->pieces.top_count]));
    MCO_TRY(mco_team_open(ctx, threads, false, &crew->team));
    *out = crew;
    crew = NULL;
done:
    paths_crew_close(ctx, &crew);
    return st;
}

void paths_crew_close(mco_context *ctx, paths_crew **crew)
{
    paths_crew *c = *crew;
    if (c != NULL) {
        c->team.ctx = ctx;  // the one that opened it may be gone
        mco_team_close(&c->team);
        for (int32_t w = 0; c->outer != NULL && w < c->workers - 1; w++)
            mco_free(ctx, &c->outer[w]);
        mco_free(ctx, &c->shift);
        mco_free(ctx, &c->outer);
        mco_free(ctx, &c->has_begun);
        clear_pieces(ctx, &c->pieces);
    }
    mco_free(ctx, crew);
}

int32_t paths_crew_threads(const paths_crew *crew)
{
    return crew->workers;
}

// A cancellation and the clock do not go back, so whatever ended relax() early is seen here.
static mco_status refuse_stopped(const customiser *c)
{
    if (!must_stop(c))
        return MCO_OK;
    return mco_fail(c->ctx, MCO_ERR_STOPPED, "stopped while %" PRId64 " triangles of the hierarchy were customised", c->topology->triangles);
}

static mco_status make_by(mco_context *ctx, paths_crew *crew, const int32_t *triangle, const int32_t *weight, mco_simd simd,
                          const paths_limits *limits, paths_metric *metric)
{
    mco_status st = MCO_OK;
    customiser c = {.topology = crew->topology, .triangle = triangle, .weight = weight, .metric = metric, .crew = crew, .ctx = ctx,
                    .limits = limits};
    MCO_TRY(mco_pick(ctx, BUILDS, simd, 0, &c.lanes));
    make_parallel(&c);
    MCO_TRY(refuse_stopped(&c));
done:
    return st;
}

mco_status paths_metric_make_by(mco_context *ctx, paths_crew *crew, const int32_t *triangle, const int32_t *weight, mco_simd simd,
                                const paths_limits *limits, paths_metric *metric)
{
    return make_by(ctx, crew, triangle, weight, simd, limits, metric);
}

static mco_status make(mco_context *ctx, const paths_topology *topology, const int32_t *triangle, const int32_t *weight, int32_t threads,
                       mco_simd simd, const paths_limits *limits, paths_metric *metric)
{
    mco_status st = MCO_OK;
    paths_crew *crew = NULL;
    customiser c = {.topology = topology, .triangle = triangle, .weight = weight, .metric = metric, .ctx = ctx, .limits = limits};
    if (threads > 1) {
        MCO_TRY(paths_crew_open(ctx, topology, threads, &crew));
        MCO_TRY(make_by(ctx, crew, triangle, weight, simd, limits, metric));
        goto done;
    }
    MCO_TRY(mco_pick(ctx, BUILDS, simd, 0, &c.lanes));
    take_weights(&c, 0, topology->arcs);
    relax(&c, 0, topology->vertices, topology->vertices, NULL, NULL);
    split(&c, 0, topology->arcs);
    MCO_TRY(refuse_stopped(&c));
done:
    paths_crew_close(ctx, &crew);
    return st;
}

mco_status paths_metric_make_on(mco_context *ctx, const paths_topology *topology, const int32_t *triangle, const int32_t *weight,
                                int32_t threads, mco_simd simd, const paths_limits *limits, paths_metric *metric)
{
    return make(ctx, topology, triangle, weight, threads, simd, limits, metric);
}

int32_t paths_metric_threads(const paths_topology *topology, int32_t threads)
{
    const int64_t most = work_of(topology, 0, topology->vertices) / LEAST_WORK;
    return most < 1 ? 1 : most < threads ? (int32_t)most : threads;
}

mco_status paths_metric_make_within(mco_context *ctx, const paths_topology *topology, const int32_t *triangle, const int32_t *weight,
                                    int32_t threads, const paths_limits *limits, paths_metric *metric)
{
    return make(ctx, topology, triangle, weight, paths_metric_threads(topology, threads), MCO_SIMD_AUTO, limits, metric);
}

mco_status paths_metric_make(mco_context *ctx, const paths_topology *topology, const int32_t *triangle, int64_t network_arcs,
                             const int32_t *weight, int32_t threads, paths_metric *metric)
{
    (void)network_arcs;
    return paths_metric_make_within(ctx, topology, triangle, weight, threads, NULL, metric);
}

mco_status paths_triangles_make(mco_context *ctx, const paths_topology *t, int32_t **triangle)
{
    return paths_triangles_make_within(ctx, t, NULL, triangle);
}

mco_status paths_triangles_make_within(mco_context *ctx, const paths_topology *t, const paths_limits *limits, int32_t **triangle)
{
    mco_status st = MCO_OK;
    int32_t *list = NULL;
    int64_t looked_at = 0;
    MCO_TRY(mco_alloc(ctx, &list, t->triangles));
    int32_t *next = list;
    for (int32_t v = 0; v < t->vertices; v++) {
        MCO_TRY(mco_call_in_time(ctx, v));
        if (t->is_end != NULL && t->is_end[v])
            continue;
        if (next - list - looked_at >= TRIANGLES_BETWEEN_LOOKS) {
            looked_at = next - list;
            if (paths_limits_must_stop(ctx, limits))
                MCO_TRY(mco_fail(ctx, MCO_ERR_STOPPED, "stopped while %" PRId64 " triangles were listed", t->triangles));
        }
        for (int32_t a = t->first[v]; a < t->first[v + 1]; a++)
            for (int32_t b = a + 1, c = t->first[t->head[a]]; b < t->first[v + 1]; b++) {
                while (t->head[c] != t->head[b])
                    c++;
                *next++ = c;
            }
    }
    *triangle = list;
    list = NULL;
done:
    mco_free(ctx, &list);
    return st;
}
