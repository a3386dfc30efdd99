// SPDX-License-Identifier: MIT
// Separators by flows along a direction (inertial flow: Schild, Sommer 2015).
//
// Vertices are sorted along a direction. The first quarter are sources, the last quarter are sinks. A maximum flow in which each vertex
// carries one unit is a set of disjoint paths; as many vertices meet all paths from sources to sinks (Menger 1927). Sources and sinks may be
// among them, so long pairs do no harm. Dinic's algorithm (1970) finds the flow: each vertex has a node `in` (2 v) and a node
// `out` (2 v + 1). Paths are stored as the vertices before and after each vertex. The separators next to the sources and next to the
// sinks both are least ones; the more even one counts.
//
// Directions are four projections of the places, and differences of distances from far vertices, counted in pairs. Without places, all
// directions are made of such differences.
#include <math.h>
#include <string.h>

#include "paths/hierarchy/dissect.h"

enum {
    NONE = -1,
    TERMINAL = -2,  // before a source, after a sink
    STEPS_PER_LOOK = 1 << 16,
    QUARTER = 4     // one in so many vertices is a source, one is a sink
};

typedef enum kind { KIND_OTHER, KIND_SOURCE, KIND_SINK } kind;

struct paths_cutter {
    const order_graph *core;
    paths_halt *halt;
    bool is_supervisor;
    int64_t steps;      // since the last look
    double *key;        // [vertices]
    int32_t *sorted;    // [vertices]
    int32_t *far[2];    // [vertices] distances from two vertices
    uint8_t *kind;      // [vertices]
    int32_t *before, *after;  // [vertices] on the path; NONE: on no path
    int32_t *level;     // [2 * vertices] of a node; NONE: not reached, or done
    int32_t *at;        // [vertices] the next pair that the search looks at
    int32_t *queue;     // [2 * vertices]
    int32_t *edge;      // [edge_count] sources with a neighbour that is none
    int32_t edge_count;
};

bool paths_cutter_goes_on(paths_cutter *c, int64_t steps)
{
    c->steps += steps;
    if (c->steps >= STEPS_PER_LOOK) {
        c->steps = 0;
        if (c->is_supervisor && mco_run_must_stop(c->halt->run, c->halt->run->work))
            atomic_store_explicit(&c->halt->is_set, true, memory_order_relaxed);
    }
    return !atomic_load_explicit(&c->halt->is_set, memory_order_relaxed);
}

// ---- Keys

// Counts pairs from `root` into `far`; returns the last vertex.
static int32_t search_breadth(paths_cutter *c, const paths_part *p, int32_t root, int32_t *far)
{
    int32_t count = 1;
    memset(far, 0xff, (size_t)p->vertices * sizeof *far);
    far[root] = 0;
    c->queue[0] = root;
    for (int32_t k = 0; k < count && paths_cutter_goes_on(c, 1); k++) {
        const int32_t v = c->queue[k];
        for (int32_t a = p->first[v]; a < p->first[v + 1]; a++)
            if (far[p->head[a]] < 0) {
                far[p->head[a]] = far[v] + 1;
                c->queue[count++] = p->head[a];
            }
    }
    return c->queue[count - 1];
}

// Adds factor * (distance from one far vertex - distance from another one) to the keys. `across`: of a pair of vertices far from the first pair.
static void add_difference(paths_cutter *c, const paths_part *p, bool is_across, double factor)
{
    int32_t begin = search_breadth(c, p, 0, c->far[0]);
    int32_t end = search_breadth(c, p, begin, c->far[0]);
    (void)search_breadth(c, p, end, c->far[1]);
    if (is_across) {
        int32_t best = NONE;
        for (int32_t v = 0; v < p->vertices; v++) {
            const int32_t nearer = c->far[0][v] < c->far[1][v] ? c->far[0][v] : c->far[1][v];
            if (nearer > best) {
                best = nearer;
                begin = v;
            }
        }
        end = search_breadth(c, p, begin, c->far[0]);
        (void)search_breadth(c, p, end, c->far[1]);
    }
    for (int32_t v = 0; v < p->vertices; v++)
        c->key[v] += factor * (c->far[0][v] - c->far[1][v]);
}

static void find_keys(paths_cutter *c, const paths_part *p, int direction)
{
    static const double X[PATHS_CUT_DIRECTIONS] = {1, 0, 1, 1, 2, 1}, Y[PATHS_CUT_DIRECTIONS] = {0, 1, 1, -1, 1, -2};
    enum { PROJECTIONS = 4 };
    if (c->core->x != NULL && direction < PROJECTIONS) {
        for (int32_t v = 0; v < p->vertices; v++)
            c->key[v] = X[direction] * c->core->x[p->origin[v]] + Y[direction] * c->core->y[p->origin[v]];
        return;
    }
    const int d = c->core->x != NULL ? direction - PROJECTIONS : direction;
    memset(c->key, 0, (size_t)p->vertices * sizeof *c->key);
    if (X[d] != 0)
        add_difference(c, p, false, X[d]);
    if (Y[d] != 0)
        add_difference(c, p, true, Y[d]);
}

// ---- Sources and sinks

static bool is_before(const paths_cutter *c, int32_t u, int32_t v)
{
    return c->key[u] < c->key[v] || (c->key[u] == c->key[v] && u < v);
}

static void exchange(int32_t *a, int32_t *b)
{
    const int32_t other = *a;
    *a = *b;
    *b = other;
}

// Moves the vertices of sorted [low, high] that come first to the places before `middle` (Hoare's selection with the median of three).
static void select_low(paths_cutter *c, int32_t low, int32_t high, int32_t middle)
{
    int32_t *v = c->sorted;
    while (low < high && paths_cutter_goes_on(c, high - low)) {
        const int32_t half = low + (high - low) / 2;
        if (is_before(c, v[half], v[low]))
            exchange(&v[half], &v[low]);
        if (is_before(c, v[high], v[low]))
            exchange(&v[high], &v[low]);
        if (is_before(c, v[high], v[half]))
            exchange(&v[high], &v[half]);
        const int32_t pivot = v[half];
        int32_t i = low, j = high;
        while (i <= j) {
            while (is_before(c, v[i], pivot))
                i++;
            while (is_before(c, pivot, v[j]))
                j--;
            if (i <= j)
                exchange(&v[i++], &v[j--]);
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

static void choose_terminals(paths_cutter *c, const paths_part *p)
{
    const int32_t n = p->vertices, count = n / QUARTER > 0 ? n / QUARTER : 1;
    for (int32_t v = 0; v < n; v++) {
        c->sorted[v] = v;
        c->kind[v] = KIND_OTHER;
        c->before[v] = c->after[v] = NONE;
    }
    select_low(c, 0, n - 1, count);
    select_low(c, count, n - 1, n - count);
    for (int32_t k = 0; k < count; k++) {
        c->kind[c->sorted[k]] = KIND_SOURCE;
        c->kind[c->sorted[n - 1 - k]] = KIND_SINK;
    }
}

// ---- Flows

// A flow from one end. Seen from the sinks, it is the same flow with both ends exchanged.
typedef struct flow {
    const paths_part *part;
    uint8_t source, sink;
    int32_t *before, *after;
} flow;

static void find_edge(paths_cutter *c, const flow *f)
{
    const paths_part *p = f->part;
    c->edge_count = 0;
    for (int32_t v = 0; v < p->vertices; v++)
        for (int32_t a = p->first[v]; c->kind[v] == f->source && a < p->first[v + 1]; a++)
            if (c->kind[p->head[a]] != f->source) {
                c->edge[c->edge_count++] = v;
                break;
            }
}

static inline void reach(paths_cutter *c, const flow *f, int32_t node, int32_t level, int32_t *count)
{
    if (c->level[node] != NONE)
        return;
    c->level[node] = level;
    c->at[node >> 1] = f->part->first[node >> 1];
    c->queue[(*count)++] = node;
}

// Levels of all nodes up to the first free sink, and of some nodes one level farther, which lead nowhere. Returns whether there is such
// a sink; if not, levels tell what sources reach.
static bool find_levels(paths_cutter *c, const flow *f)
{
    const paths_part *p = f->part;
    int32_t count = 0;
    memset(c->level, 0xff, 2 * (size_t)p->vertices * sizeof *c->level);
    for (int32_t k = 0; k < c->edge_count; k++)
        if (f->before[c->edge[k]] == NONE)
            reach(c, f, 2 * c->edge[k] + 1, 0, &count);
    for (int32_t k = 0; k < count; k++) {
        const int32_t node = c->queue[k], v = node >> 1, level = c->level[node] + 1;
        if ((node & 1) == 0) {
            if (f->before[v] != NONE)
                reach(c, f, 2 * f->before[v] + 1, level, &count);
            else if (c->kind[v] == f->sink)
                return true;
            else
                reach(c, f, 2 * v + 1, level, &count);
            continue;
        }
        if (!paths_cutter_goes_on(c, p->first[v + 1] - p->first[v]))
            return false;
        for (int32_t a = p->first[v]; a < p->first[v + 1]; a++)
            if (c->kind[p->head[a]] != f->source && f->after[v] != p->head[a])
                reach(c, f, 2 * p->head[a], level, &count);
        if (f->before[v] >= 0)
            reach(c, f, 2 * v, level, &count);
    }
    return false;
}

// The node that the search goes to next; NONE: none is left.
static int32_t next_node(paths_cutter *c, const flow *f, int32_t node)
{
    const int32_t v = node >> 1, level = c->level[node] + 1;
    if ((node & 1) == 0) {
        const int32_t to = f->before[v] != NONE ? 2 * f->before[v] + 1 : 2 * v + 1;
        return c->level[to] == level ? to : NONE;
    }
    for (; c->at[v] < f->part->first[v + 1]; c->at[v]++) {
        const int32_t w = f->part->head[c->at[v]];
        if (c->level[2 * w] == level && c->kind[w] != f->source && f->after[v] != w)
            return 2 * w;
    }
    return f->before[v] >= 0 && c->level[2 * v] == level ? 2 * v : NONE;
}

// Takes the way of nodes queue [0 .. count) into the flow: steps against paths first, then steps along pairs.
static void augment(paths_cutter *c, const flow *f, int32_t count)
{
    for (int32_t k = 0; k < count; k++)
        c->level[c->queue[k]] = NONE;
    for (int32_t k = 0; k + 1 < count; k++) {
        const int32_t v = c->queue[k] >> 1, w = c->queue[k + 1] >> 1;
        if ((c->queue[k] & 1) == 0 && v != w)
            f->before[v] = f->after[w] = NONE;
    }
    f->before[c->queue[0] >> 1] = f->after[c->queue[count - 1] >> 1] = TERMINAL;
    for (int32_t k = 0; k + 1 < count; k++) {
        const int32_t v = c->queue[k] >> 1, w = c->queue[k + 1] >> 1;
        if ((c->queue[k] & 1) == 1 && v != w) {
            f->after[v] = w;
            f->before[w] = v;
        }
    }
}

// Looks for a way of ascending levels from a source to a free sink. Nodes without one lose their level.
static bool search_way(paths_cutter *c, const flow *f, int32_t source)
{
    int32_t count = 0;
    c->queue[count++] = 2 * source + 1;
    while (count > 0) {
        const int32_t node = c->queue[count - 1], v = node >> 1;
        if ((node & 1) == 0 && c->kind[v] == f->sink && f->before[v] == NONE) {
            augment(c, f, count);
            return true;
        }
        const int32_t to = next_node(c, f, node);
        if (to == NONE)
            c->level[c->queue[--count]] = NONE;
        else
            c->queue[count++] = to;
        if (!paths_cutter_goes_on(c, 1))
            return false;
    }
    return false;
}

// Makes the flow maximal; returns how many paths it has, or some number above `most`.
static int64_t find_flow(paths_cutter *c, const flow *f, double most)
{
    int64_t paths = 0;
    find_edge(c, f);
    while ((double)paths <= most && find_levels(c, f))
        for (int32_t k = 0; k < c->edge_count; k++)
            if (f->before[c->edge[k]] == NONE && c->level[2 * c->edge[k] + 1] == 0)
                paths += search_way(c, f, c->edge[k]);
    return paths;
}

// ---- Cuts

// The side of a vertex by what the sources reach.
static paths_side side_of(const paths_cutter *c, const flow *f, int32_t v)
{
    if (c->level[2 * v + 1] != NONE)
        return PATHS_LOW;
    if (c->kind[v] == f->source)
        return f->before[v] != NONE ? PATHS_BETWEEN : PATHS_LOW;
    return c->level[2 * v] != NONE ? PATHS_BETWEEN : PATHS_HIGH;
}

static void take_if_better(paths_cutter *c, const flow *f, uint8_t *side, double *least)
{
    int32_t count[3] = {0};
    for (int32_t v = 0; v < f->part->vertices; v++)
        count[side_of(c, f, v)]++;
    const int32_t smaller = count[PATHS_LOW] < count[PATHS_HIGH] ? count[PATHS_LOW] : count[PATHS_HIGH];
    const double size = count[PATHS_BETWEEN] / (smaller > 0 ? (double)smaller : 1e-3);
    if (size >= *least)
        return;
    *least = size;
    for (int32_t v = 0; v < f->part->vertices; v++)
        side[v] = (uint8_t)side_of(c, f, v);
}

bool paths_cut(paths_cutter *c, const paths_part *part, int direction, uint8_t *side, double *least)
{
    const flow forth = {part, KIND_SOURCE, KIND_SINK, c->before, c->after}, back = {part, KIND_SINK, KIND_SOURCE, c->after, c->before};
    const double most = *least * part->vertices / 2;  // more vertices cannot be better
    find_keys(c, part, direction);
    choose_terminals(c, part);
    if (!paths_cutter_goes_on(c, part->vertices) || (double)find_flow(c, &forth, most) > most)
        return paths_cutter_goes_on(c, 0);
    take_if_better(c, &forth, side, least);
    find_edge(c, &back);
    (void)find_levels(c, &back);
    take_if_better(c, &back, side, least);
    return paths_cutter_goes_on(c, 0);
}

// ---- Scratch

mco_status paths_cutter_open(mco_context *ctx, const order_graph *core, paths_halt *halt, bool is_supervisor, paths_cutter **out)
{
    mco_status st = MCO_OK;
    paths_cutter *c = NULL;
    const int64_t n = core->vertices;
    MCO_TRY(mco_alloc(ctx, &c, 1));
    c->core = core;
    c->halt = halt;
    c->is_supervisor = is_supervisor;
    MCO_TRY(mco_alloc(ctx, &c->key, n));
    MCO_TRY(mco_alloc(ctx, &c->sorted, n));
    MCO_TRY(mco_alloc(ctx, &c->far[0], n));
    MCO_TRY(mco_alloc(ctx, &c->far[1], n));
    MCO_TRY(mco_alloc(ctx, &c->kind, n));
    MCO_TRY(mco_alloc(ctx, &c->before, n));
    MCO_TRY(mco_alloc(ctx, &c->after, n));
    MCO_TRY(mco_alloc(ctx, &c->level, 2 * n));
    MCO_TRY(mco_alloc(ctx, &c->at, n));
    MCO_TRY(mco_alloc(ctx, &c->queue, 2 * n));
    MCO_TRY(mco_alloc(ctx, &c->edge, n));
    *out = c;
    c = NULL;
done:
    paths_cutter_close(ctx, &c);
    return st;
}

void paths_cutter_close(mco_context *ctx, paths_cutter **cutter)
{
    paths_cutter *c = *cutter;
    if (c != NULL) {
        mco_free(ctx, &c->edge);
        mco_free(ctx, &c->queue);
        mco_free(ctx, &c->at);
        mco_free(ctx, &c->level);
        mco_free(ctx, &c->after);
        mco_free(ctx, &c->before);
        mco_free(ctx, &c->kind);
        mco_free(ctx, &c->far[1]);
        mco_free(ctx, &c->far[0]);
        mco_free(ctx, &c->sorted);
        mco_free(ctx, &c->key);
    }
    mco_free(ctx, cutter);
}
