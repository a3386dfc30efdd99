// SPDX-License-Identifier: MIT
// Nested dissection into halves. The vertices of a range are sorted by a key and cut near the median. The least set of vertices that
// meets all edges between the halves separates them: a minimum vertex cover of a bipartite graph, found by a maximum matching
// (Koenig 1931). It is eliminated after both halves. Keys are places, projected on four directions, of which the smallest
// separator wins; or positions in a breadth-first search from a vertex that is far from another one.
#include <math.h>
#include <string.h>

#include "base/grow.h"
#include "paths/hierarchy/order.h"

enum {
    DIRECTIONS = 4,
    STEPS_PER_LOOK = 1 << 16,
    LEAST_FOR_CUTS = 16,  // vertices of a range in which more than one cut is tried
    COVER_STEPS = 64  // of a matching for each vertex of the range; then the smaller border serves
};

typedef enum side { SIDE_NONE, SIDE_LOW, SIDE_HIGH, SIDE_BETWEEN } side;

typedef struct range {
    int32_t begin, end;
} range;

typedef struct dissection {
    mco_context *ctx;
    const order_graph *graph;
    mco_run *run;
    int32_t *vertex;    // [vertices] the order so far; a range is a part of it
    double *key;        // [vertices]
    uint8_t *side;      // [vertices] in the range at work; SIDE_NONE outside
    uint8_t *best;      // [vertices] the sides of the best cut
    int32_t *match;     // [vertices] -1: free
    int32_t *came;      // [vertices] the vertex from which a search came
    int32_t *seen;      // [vertices] number of the last search
    int32_t *queue;     // [vertices]
    int32_t searches;
    int64_t steps;      // since the last look
    range *waiting;
    int64_t waiting_count, waiting_room;
    bool must_stop;
} dissection;

static bool may_go_on(dissection *d, int64_t steps)
{
    d->steps += steps;
    if (d->steps >= STEPS_PER_LOOK) {
        d->steps = 0;
        d->must_stop = d->must_stop || mco_run_must_stop(d->run, d->run->work);
    }
    return !d->must_stop;
}

// ---- Keys

static void project(dissection *d, range r, int direction)
{
    static const double X[DIRECTIONS] = {1, 0, 1, 1}, Y[DIRECTIONS] = {0, 1, 1, -1};
    for (int32_t k = r.begin; k < r.end; k++) {
        const int32_t v = d->vertex[k];
        d->key[v] = X[direction] * d->graph->x[v] + Y[direction] * d->graph->y[v];
    }
}

// Searches from `root` through vertices of the range; keys are positions from `position` on. Returns the last vertex.
static int32_t search_breadth(dissection *d, int32_t root, int32_t *position)
{
    const int32_t search = ++d->searches;
    int32_t last = root, count = 0;
    d->queue[count++] = root;
    d->seen[root] = search;
    for (int32_t k = 0; k < count && may_go_on(d, 1); k++) {
        last = d->queue[k];
        d->key[last] = (*position)++;
        for (int32_t a = d->graph->first[last]; a < d->graph->first[last + 1]; a++) {
            const int32_t w = d->graph->head[a];
            if (d->side[w] == SIDE_NONE || d->seen[w] == search)
                continue;
            d->seen[w] = search;
            d->queue[count++] = w;
        }
    }
    return last;
}

// Components one after the other, each from a vertex that is far from another one.
static void number_breadth(dissection *d, range r)
{
    int32_t position = 0;
    for (int32_t k = r.begin; k < r.end; k++)
        d->key[d->vertex[k]] = -1;
    for (int32_t k = r.begin; k < r.end && !d->must_stop; k++) {
        if (d->key[d->vertex[k]] >= 0)
            continue;
        int32_t from = position;
        const int32_t far = search_breadth(d, d->vertex[k], &from);
        (void)search_breadth(d, far, &position);
    }
}

// ---- Halves

static bool is_before(const dissection *d, int32_t u, int32_t v)
{
    return d->key[u] < d->key[v] || (d->key[u] == d->key[v] && u < v);
}

static void exchange(int32_t *a, int32_t *b)
{
    const int32_t other = *a;
    *a = *b;
    *b = other;
}

// Moves the vertices that come first to the places before `middle` (Hoare's selection with the median of three).
static void select_low(dissection *d, range r, int32_t middle)
{
    int32_t *v = d->vertex, low = r.begin, high = r.end - 1;
    while (low < high && may_go_on(d, high - low)) {
        const int32_t half = low + (high - low) / 2;
        if (is_before(d, v[half], v[low]))
            exchange(&v[half], &v[low]);
        if (is_before(d, v[high], v[low]))
            exchange(&v[high], &v[low]);
        if (is_before(d, v[high], v[half]))
            exchange(&v[high], &v[half]);
        const int32_t pivot = v[half];
        int32_t i = low, j = high;
        while (i <= j) {
            while (is_before(d, v[i], pivot))
                i++;
            while (is_before(d, pivot, v[j]))
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

static void mark_sides(dissection *d, range r, int32_t middle)
{
    for (int32_t k = r.begin; k < r.end; k++)
        d->side[d->vertex[k]] = k < middle ? SIDE_LOW : SIDE_HIGH;
}

// ---- Separators

static void augment(dissection *d, int32_t high)
{
    for (int32_t v = high; v >= 0;) {
        const int32_t low = d->came[v], next = d->match[low];
        d->match[low] = v;
        d->match[v] = low;
        v = next;
    }
}

// Searches alternating ways from the vertices in the queue. With `is_marking` it visits all of them, else it ends at a free vertex
// and takes the way into the matching. Returns how many edges it looked at.
static int64_t search_ways(dissection *d, int32_t count, bool is_marking)
{
    int64_t steps = 0;
    for (int32_t k = 0; k < count; k++) {
        const int32_t low = d->queue[k];
        for (int32_t a = d->graph->first[low]; a < d->graph->first[low + 1]; a++, steps++) {
            const int32_t high = d->graph->head[a];
            if (d->side[high] != SIDE_HIGH || d->seen[high] == d->searches)
                continue;
            d->seen[high] = d->searches;
            d->came[high] = low;
            if (d->match[high] >= 0) {
                d->seen[d->match[high]] = d->searches;
                d->queue[count++] = d->match[high];
            } else if (!is_marking) {
                augment(d, high);
                return steps;
            }
        }
    }
    return steps;
}

// Finds a maximum matching between the halves. False: it takes too long.
static bool match_halves(dissection *d, range r, int32_t middle)
{
    int64_t steps = 0;
    for (int32_t k = r.begin; k < r.end; k++)
        d->match[d->vertex[k]] = -1;
    for (int32_t k = r.begin; k < middle; k++) {
        d->searches++;
        d->queue[0] = d->vertex[k];
        const int64_t more = search_ways(d, 1, false);
        steps += more;
        if (!may_go_on(d, more + 1) || steps > COVER_STEPS * (int64_t)(r.end - r.begin))
            return false;
    }
    return true;
}

// The cover: low vertices that no alternating way from a free low one reaches, and high ones that one reaches.
static int32_t take_cover(dissection *d, range r, int32_t middle)
{
    int32_t count = 0, covered = 0;
    d->searches++;
    for (int32_t k = r.begin; k < middle; k++)
        if (d->match[d->vertex[k]] < 0) {
            d->seen[d->vertex[k]] = d->searches;
            d->queue[count++] = d->vertex[k];
        }
    (void)search_ways(d, count, true);
    for (int32_t k = r.begin; k < r.end; k++) {
        const int32_t v = d->vertex[k];
        if (d->match[v] >= 0 && (d->seen[v] == d->searches) == (k >= middle)) {
            d->side[v] = SIDE_BETWEEN;
            covered++;
        }
    }
    return covered;
}

static bool is_at_border(const dissection *d, int32_t v, uint8_t other)
{
    for (int32_t a = d->graph->first[v]; a < d->graph->first[v + 1]; a++)
        if (d->side[d->graph->head[a]] == other)
            return true;
    return false;
}

// The smaller of the two borders.
static int32_t take_border(dissection *d, range r, int32_t middle)
{
    int32_t low = 0, high = 0;
    for (int32_t k = r.begin; k < r.end; k++)
        *(k < middle ? &low : &high) += is_at_border(d, d->vertex[k], k < middle ? SIDE_HIGH : SIDE_LOW);
    const bool is_low = low <= high;
    for (int32_t k = is_low ? r.begin : middle; k < (is_low ? middle : r.end); k++)
        if (is_at_border(d, d->vertex[k], is_low ? SIDE_HIGH : SIDE_LOW))
            d->side[d->vertex[k]] = SIDE_BETWEEN;
    return is_low ? low : high;
}

// ---- Ranges

// Cuts by the keys before `middle`. Returns the size of the separator; the sides tell it.
static int32_t cut(dissection *d, range r, int32_t middle)
{
    select_low(d, r, middle);
    mark_sides(d, r, middle);
    return match_halves(d, r, middle) ? take_cover(d, r, middle) : take_border(d, r, middle);
}

// Tries cuts that leave at least 3/10 on both sides. The best has the smallest separator for each vertex of its smaller side.
static void try_cuts(dissection *d, range r, double *least)
{
    static const int32_t TENTHS[] = {5, 4, 6, 3, 7};
    const int32_t count = r.end - r.begin;
    for (int c = 0; c < (count < LEAST_FOR_CUTS ? 1 : 5) && !d->must_stop; c++) {
        const int32_t low = (int32_t)((int64_t)count * TENTHS[c] / 10);
        const double size = (double)cut(d, r, r.begin + low) / (low < count - low ? low : count - low);
        if (size >= *least)
            continue;
        *least = size;
        for (int32_t k = r.begin; k < r.end; k++)
            d->best[d->vertex[k]] = d->side[d->vertex[k]];
    }
}

static void find_best(dissection *d, range r)
{
    double least = HUGE_VAL;
    for (int direction = 0; direction < (d->graph->x != NULL ? DIRECTIONS : 1) && may_go_on(d, r.end - r.begin); direction++) {
        if (d->graph->x != NULL) {
            project(d, r, direction);
        } else {
            mark_sides(d, r, r.end);
            number_breadth(d, r);
        }
        try_cuts(d, r, &least);
    }
}

// Sorts the range by sides: low, high, between. Halves that need it wait.
static mco_status divide(dissection *d, range r)
{
    mco_status st = MCO_OK;
    int32_t *next = d->queue, begin = r.begin;
    for (uint8_t s = SIDE_LOW; s <= SIDE_BETWEEN; s++) {
        for (int32_t k = r.begin; k < r.end; k++)
            if (d->best[d->vertex[k]] == s)
                *next++ = d->vertex[k];
        const int32_t end = r.begin + (int32_t)(next - d->queue);
        if (s != SIDE_BETWEEN && end - begin > 2) {
            MCO_TRY(mco_grow(d->ctx, &d->waiting, &d->waiting_room, d->waiting_count + 1));
            d->waiting[d->waiting_count++] = (range){begin, end};
        }
        begin = end;
    }
    memcpy(d->vertex + r.begin, d->queue, (size_t)(r.end - r.begin) * sizeof *d->vertex);
    for (int32_t k = r.begin; k < r.end; k++)
        d->side[d->vertex[k]] = SIDE_NONE;
done:
    return st;
}

static mco_status open_dissection(mco_context *ctx, const order_graph *graph, mco_run *run, int32_t *vertex, dissection *d)
{
    mco_status st = MCO_OK;
    const int32_t n = graph->vertices;
    *d = (dissection){.ctx = ctx, .graph = graph, .run = run, .vertex = vertex};
    MCO_TRY(mco_alloc(ctx, &d->key, n));
    MCO_TRY(mco_alloc(ctx, &d->side, n));
    MCO_TRY(mco_alloc(ctx, &d->best, n));
    MCO_TRY(mco_alloc(ctx, &d->match, n));
    MCO_TRY(mco_alloc(ctx, &d->came, n));
    MCO_TRY(mco_alloc(ctx, &d->seen, n));
    MCO_TRY(mco_alloc(ctx, &d->queue, n));
    MCO_TRY(mco_grow(ctx, &d->waiting, &d->waiting_room, 1));
    for (int32_t v = 0; v < n; v++)
        vertex[v] = v;
    if (n > 1)
        d->waiting[d->waiting_count++] = (range){0, n};
done:
    return st;
}

static void close_dissection(dissection *d)
{
    mco_free(d->ctx, &d->waiting);
    mco_free(d->ctx, &d->queue);
    mco_free(d->ctx, &d->seen);
    mco_free(d->ctx, &d->came);
    mco_free(d->ctx, &d->match);
    mco_free(d->ctx, &d->best);
    mco_free(d->ctx, &d->side);
    mco_free(d->ctx, &d->key);
}

mco_status paths_order_halves(mco_context *ctx, const order_graph *graph, mco_run *run, int32_t *vertex)
{
    mco_status st = MCO_OK;
    dissection d = {0};
    MCO_TRY(open_dissection(ctx, graph, run, vertex, &d));
    while (d.waiting_count > 0) {
        const range r = d.waiting[--d.waiting_count];
        find_best(&d, r);
        if (d.must_stop)
            MCO_TRY(MCO_ERR_STOPPED);
        MCO_TRY(divide(&d, r));
    }
done:
    close_dissection(&d);
    return st;
}
