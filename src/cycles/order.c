// SPDX-License-Identifier: MIT
// Orders of the vertices for the frontier method. Several are made, each in time of a pass over the graph, and the one with the
// lowest estimate is used: the natural order, breadth-first orders from far ends (Cuthill, McKee 1969), orders by the difference of
// the distances to two far vertices, which sweep over a plane graph from one to the other, and greedy orders that keep the frontier
// smallest. Where the estimate stays large, an order is improved by moving one vertex at a time.
//
// The estimate of the states before a step is GROWTH ^ vertices of the frontier * THINNING ^ edges inside the frontier.
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "cycles/frontier.h"

// Fitted to grids of 8 and 10 rows, swept by columns (as many edges as vertices, less one) and by diagonals (no edges).
static const double GROWTH = 2.8, THINNING = 0.8;
enum { STEPS_PER_LOOK = 1 << 16 };  // vertices of an order between two looks at the clock
enum { MOST_EDGES = 1024 };        // inside a frontier; more count as these
enum { MOST_FAR = 4 };             // far vertices
enum { MOST_GREEDY = 100000 };     // vertices for greedy orders, which look at all neighbours of the frontier at each step
// Improvement: vertices and arcs that are looked at for each estimated state, and the most trials.
static const double ITEMS_PER_STATE = 0.02;
enum { MOST_TRIALS = 20000, ITEMS_PER_LOOK = 1 << 20 };  // the latter: between two looks at the clock
static const double MOST_TO_IMPROVE = 1e12;  // states; no improvement brings more than this into any memory
// The frontier has at least as many vertices as the least degree says. From this degree on, unless the natural order is good,
// all orders are hopeless, and trying them would take longer than the search.
enum { HOPELESS_DEGREE = 32 };
static const double HOPELESS_COST = 1e9;

// ---- The estimate

// The vertices and edges of a frontier while an order is followed.
typedef struct sweep {
    const graph_simple *graph;
    int32_t *later;  // [vertices] twice the neighbours to come, plus 1 once decided
    int32_t size;
    int64_t edges;
} sweep;

static void begin_sweep(sweep *f)
{
    const graph_simple *g = f->graph;
    for (int32_t v = 0; v < g->vertices; v++)
        f->later[v] = 2 * (int32_t)(g->first[v + 1] - g->first[v]);
}

// Neighbours of v in the frontier.
static int64_t inner_degree(const sweep *f, int32_t v)
{
    int64_t degree = 0;
    for (int64_t a = f->graph->first[v]; a < f->graph->first[v + 1]; a++)
        degree += (f->later[f->graph->head[a]] & 1) != 0 && f->later[f->graph->head[a]] > 1;
    return degree;
}

static void sweep_over(sweep *f, int32_t v)
{
    const graph_simple *g = f->graph;
    f->later[v]++;
    if (f->later[v] > 1) {
        f->size++;
        f->edges += inner_degree(f, v);
    }
    for (int64_t a = g->first[v]; a < g->first[v + 1]; a++) {
        const int32_t w = g->head[a];
        f->later[w] -= 2;
        if (f->later[w] == 1) {
            f->size--;
            f->edges -= inner_degree(f, w);
        }
    }
}

// Powers for the estimate.
typedef struct order_powers {
    double growth[FRONTIER_MOST_SLOTS + 2], thinning[MOST_EDGES + 1];
} order_powers;

static void fill_powers(order_powers *powers)
{
    powers->growth[0] = powers->thinning[0] = 1;
    for (int k = 1; k < FRONTIER_MOST_SLOTS + 2; k++)
        powers->growth[k] = GROWTH * powers->growth[k - 1];
    for (int k = 1; k <= MOST_EDGES; k++)
        powers->thinning[k] = THINNING * powers->thinning[k - 1];
}

// The cost of `order`; it stops beyond `bound`, and is infinite where the run must stop. run may be NULL. later: [vertices]
// scratch.
static double cost_below(mco_run *run, const graph_simple *g, const order_powers *powers, const int32_t *order, double bound,
                         int32_t *later, int32_t *width)
{
    sweep f = {.graph = g, .later = later};
    double cost = 0;
    int32_t most = 0;
    begin_sweep(&f);
    for (int32_t i = 0; i < g->vertices && cost < bound; i++) {
        if ((i + 1) % STEPS_PER_LOOK == 0 && run != NULL && mco_run_must_stop(run, run->work))
            return (double)INFINITY;
        sweep_over(&f, order[i]);
        most = f.size > most ? f.size : most;
        const double states = powers->growth[f.size <= FRONTIER_MOST_SLOTS ? f.size : FRONTIER_MOST_SLOTS + 1] *
                              powers->thinning[f.edges < MOST_EDGES ? f.edges : MOST_EDGES];
        cost += states > 1 ? states : 1;
    }
    *width = most;
    return cost;
}

double frontier_cost(const graph_simple *graph, const int32_t *order, int32_t *later, int32_t *width)
{
    order_powers powers;
    fill_powers(&powers);
    return cost_below(NULL, graph, &powers, order, (double)INFINITY, later, width);
}

// ---- The best order so far

typedef struct order_search {
    mco_run *run;            // NULL: no clock
    int64_t items;           // vertices and arcs since the last look at the clock
    bool is_over;            // the run must stop: the best order so far is taken
    const graph_simple *graph;
    int32_t *order, *trial;  // [vertices] the best order so far, and one to compare
    int32_t *later;          // [vertices] scratch
    int32_t *distance;       // [MOST_FAR * vertices] from each far vertex
    int32_t *sorted;         // [vertices] scratch of sorting
    int32_t *place;          // [2 * vertices + 2] scratch of sorting
    int32_t far_count, far_vertex[MOST_FAR];
    int32_t width;
    double cost;
    order_powers powers;
} order_search;

// Notes the work done, and looks at the clock now and then. True: no more orders are tried.
static bool is_over(order_search *s, int64_t items)
{
    s->items += items;
    if (s->items >= ITEMS_PER_LOOK && s->run != NULL) {
        s->items = 0;
        s->is_over = s->is_over || mco_run_must_stop(s->run, s->run->work);
    }
    return s->is_over;
}

static int64_t items_of(const graph_simple *g)
{
    return g->vertices + g->arcs;
}

// Keeps s->trial if it is better. The arrays are swapped.
static bool keep_better(order_search *s)
{
    int32_t width;
    const double cost = cost_below(s->run, s->graph, &s->powers, s->trial, s->cost, s->later, &width);
    if (cost >= s->cost)
        return false;
    int32_t *swap = s->order;
    s->order = s->trial;
    s->trial = swap;
    s->cost = cost;
    s->width = width;
    return true;
}

// ---- Breadth first

// Fills order [vertices] breadth first from `start`, and distance [vertices]; neighbours in ascending order. Vertices that are
// not reached come last, at the greatest distance.
static void breadth_first(const graph_simple *g, int32_t start, int32_t *order, int32_t *distance)
{
    int32_t count = 0;
    for (int32_t v = 0; v < g->vertices; v++)
        distance[v] = -1;
    distance[start] = 0;
    order[count++] = start;
    for (int32_t i = 0; i < count; i++)
        for (int64_t a = g->first[order[i]]; a < g->first[order[i] + 1]; a++)
            if (distance[g->head[a]] < 0) {
                distance[g->head[a]] = distance[order[i]] + 1;
                order[count++] = g->head[a];
            }
    for (int32_t v = 0; v < g->vertices; v++)
        if (distance[v] < 0) {
            distance[v] = g->vertices - 1;
            order[count++] = v;
        }
}

// Chooses far vertices: the first is farthest from vertex 0, each other one is farthest from those before it. Breadth-first
// orders from them are tried on the way.
static void try_breadth_first(order_search *s)
{
    const int32_t n = s->graph->vertices;
    breadth_first(s->graph, 0, s->trial, s->distance);
    int32_t far = s->trial[n - 1];
    for (s->far_count = 0; s->far_count < MOST_FAR && s->far_count < n && !is_over(s, 2 * items_of(s->graph)); s->far_count++) {
        int32_t *distance = s->distance + (int64_t)s->far_count * n, farthest = -1;
        breadth_first(s->graph, far, s->trial, distance);
        s->far_vertex[s->far_count] = far;
        keep_better(s);
        for (int32_t v = 0; v < n; v++) {
            int32_t nearest = distance[v];
            for (int32_t k = 0; k < s->far_count; k++)
                nearest = s->distance[(int64_t)k * n + v] < nearest ? s->distance[(int64_t)k * n + v] : nearest;
            if (nearest > farthest) {
                farthest = nearest;
                far = v;
            }
        }
    }
}

// ---- By the difference of two distances

// Sorts the vertices from [n], 0..n-1 if NULL, by plus[v] - minus[v] into to [n]; equals keep their order. place: [2n + 2].
static void sort_by(int32_t n, const int32_t *from, const int32_t *plus, const int32_t *minus, int32_t *place, int32_t *to)
{
    memset(place, 0, (2 * (size_t)n + 2) * sizeof *place);
    for (int32_t v = 0; v < n; v++)
        place[n + plus[v] - (minus != NULL ? minus[v] : 0) + 1]++;
    for (int32_t k = 0; k < 2 * n + 1; k++)
        place[k + 1] += place[k];
    for (int32_t i = 0; i < n; i++) {
        const int32_t v = from != NULL ? from[i] : i;
        to[place[n + plus[v] - (minus != NULL ? minus[v] : 0)]++] = v;
    }
}

static void try_differences(order_search *s)
{
    const int32_t n = s->graph->vertices;
    for (int32_t i = 0; i < s->far_count; i++)
        for (int32_t j = 0; j < s->far_count; j++) {
            if (i == j || is_over(s, items_of(s->graph)))
                continue;
            const int32_t *a = s->distance + (int64_t)i * n, *b = s->distance + (int64_t)j * n;
            sort_by(n, NULL, a, NULL, s->place, s->sorted);
            sort_by(n, s->sorted, a, b, s->place, s->trial);
            keep_better(s);
        }
}

// ---- Greedy

typedef struct greedy_state {
    int32_t frontier[FRONTIER_MOST_SLOTS + 2];  // oldest first
    int32_t size;
    int32_t *later;  // as in a sweep
    int64_t items;   // vertices and arcs looked at for the last choice
} greedy_state;

// How good it is to decide v next: a smaller frontier first, then more decided neighbours.
static int64_t greedy_score(const graph_simple *g, const greedy_state *state, int32_t v)
{
    int64_t leaves = 0, decided = 0;
    for (int64_t a = g->first[v]; a < g->first[v + 1]; a++) {
        const int32_t later = state->later[g->head[a]];
        leaves += later == 3;
        decided += later & 1;
    }
    return (leaves - (state->later[v] > 0)) * ((int64_t)1 << 32) + decided;
}

// The best neighbour of the frontier; among equals, of its oldest vertex. -1: there is none.
static int32_t greedy_choice(const graph_simple *g, greedy_state *state)
{
    int32_t best = -1;
    int64_t best_score = INT64_MIN;
    state->items = 1;
    for (int32_t i = 0; i < state->size; i++)
        for (int64_t a = g->first[state->frontier[i]]; a < g->first[state->frontier[i] + 1]; a++) {
            const int32_t w = g->head[a];
            if ((state->later[w] & 1) != 0)
                continue;
            const int64_t score = greedy_score(g, state, w);
            state->items += 1 + g->first[w + 1] - g->first[w];
            if (score > best_score) {
                best_score = score;
                best = w;
            }
        }
    return best;
}

static void greedy_decide(const graph_simple *g, greedy_state *state, int32_t v)
{
    int32_t size = 0;
    state->later[v]++;
    for (int64_t a = g->first[v]; a < g->first[v + 1]; a++)
        state->later[g->head[a]] -= 2;
    state->frontier[state->size++] = v;
    for (int32_t i = 0; i < state->size; i++)
        if (state->later[state->frontier[i]] > 1)
            state->frontier[size++] = state->frontier[i];
    state->size = size;
}

// Tries the greedy order from `start`, unless its frontier outgrows the best one.
static void try_greedy(order_search *s, int32_t start)
{
    const graph_simple *g = s->graph;
    greedy_state state = {.later = s->later};
    for (int32_t v = 0; v < g->vertices; v++)
        s->later[v] = 2 * (int32_t)(g->first[v + 1] - g->first[v]);
    int32_t next = start, unseen = 0;
    for (int32_t i = 0; i < g->vertices; i++) {
        while (next < 0 && (s->later[unseen] & 1) != 0)
            unseen++;  // the frontier is empty: another component
        next = next < 0 ? unseen : next;
        s->trial[i] = next;
        greedy_decide(g, &state, next);
        if (state.size > s->width || state.size > FRONTIER_MOST_SLOTS || is_over(s, state.items))
            return;
        next = greedy_choice(g, &state);
    }
    keep_better(s);
}

// ---- Improvement

// Moves one vertex to another place of the order, `trials` times, and keeps what is not worse.
static void improve(order_search *s, int64_t trials)
{
    const uint32_t n = (uint32_t)s->graph->vertices;
    mco_rng rng;
    mco_rng_seed(&rng, 1, 0);
    for (int64_t k = 0; k < trials && !is_over(s, items_of(s->graph)); k++) {
        const uint32_t from = mco_rng_below(&rng, n), reach = mco_rng_below(&rng, 4) == 0 ? n : 8;
        const int64_t shift = (int64_t)mco_rng_below(&rng, 2 * reach + 1) - reach;
        const int64_t to = (int64_t)from + shift < 0 ? 0 : (int64_t)from + shift >= n ? n - 1 : (int64_t)from + shift;
        memcpy(s->trial, s->order, n * sizeof *s->trial);
        if (to < from)
            memmove(s->trial + to + 1, s->order + to, (size_t)(from - to) * sizeof *s->trial);
        else
            memmove(s->trial + from, s->order + from + 1, (size_t)(to - from) * sizeof *s->trial);
        s->trial[to] = s->order[from];
        keep_better(s);
    }
}

static bool is_hopeless(const order_search *s)
{
    int64_t least = INT64_MAX;
    for (int32_t v = 0; v < s->graph->vertices; v++) {
        const int64_t degree = s->graph->first[v + 1] - s->graph->first[v];
        least = degree < least ? degree : least;
    }
    return least >= HOPELESS_DEGREE && s->cost > HOPELESS_COST;
}

static void search_orders(order_search *s)
{
    const graph_simple *g = s->graph;
    try_breadth_first(s);
    try_differences(s);
    if (g->vertices <= MOST_GREEDY)
        for (int32_t k = 0; k < s->far_count && !s->is_over; k++)
            try_greedy(s, s->far_vertex[k]);
    const double trials = ITEMS_PER_STATE * s->cost / (double)items_of(g);
    if (s->cost < MOST_TO_IMPROVE)
        improve(s, trials < MOST_TRIALS ? (int64_t)trials : MOST_TRIALS);
}

mco_status frontier_order(mco_context *ctx, mco_run *run, const graph_simple *graph, int32_t *order, int32_t *width, double *cost)
{
    mco_status st = MCO_OK;
    const int64_t n = graph->vertices;
    order_search s = {.run = run, .graph = graph};
    int32_t *room = NULL;
    MCO_TRY(mco_alloc(ctx, &room, (6 + MOST_FAR) * n + 2));
    s.order = room;
    s.trial = room + n;
    s.later = room + 2 * n;
    s.sorted = room + 3 * n;
    s.distance = room + 4 * n;
    s.place = room + (4 + MOST_FAR) * n;
    for (int32_t v = 0; v < graph->vertices; v++)
        s.order[v] = v;
    fill_powers(&s.powers);
    s.cost = cost_below(run, graph, &s.powers, s.order, (double)INFINITY, s.later, &s.width);
    if (n > 1 && !is_hopeless(&s))
        search_orders(&s);
    memcpy(order, s.order, (size_t)n * sizeof *order);
    *width = s.width;
    *cost = s.cost;
done:
    mco_free(ctx, &room);
    return st;
}
