// SPDX-License-Identifier: MIT
// Constructs routes from nothing. The routes do not depend on the number of threads.
//
// - Single: a route per customer.
// - Savings: vrp/search/savings.c.
// - Cheapest insertion, one route after the other. A route begins with the customer whose route of its own would be
//   longest. Then the customer and the place are chosen where the route grows least, until no customer fits. Up to
//   EXACT_CUSTOMERS customers, or with a matrix, all customers in no route are candidates; else only those near a
//   customer of the route.
//
// There may be more routes than vehicles. A route of one customer may be too long, where only a way through others is
// short enough.
#include "vrp/search/construct.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/machine.h"
#include "vrp/search/savings.h"
#include "vrp/solution.h"

enum {
    EXACT_CUSTOMERS = 5000,   // up to here all customers are candidates
    NEAR = 24,                // nearest customers of a new one that become candidates
    REACH = 128,              // places tried again for a customer whose best place is gone
    CUSTOMERS_PER_CELL = 2,
    // Items of vrp_watch_item() that the neighbours of a customer count, and an insertion.
    WATCHED = 16, WATCHED_INSERTION = 256
};

// ---- One route per customer

static mco_status construct_single(mco_context *ctx, const mco_vrp *problem, mco_vrp_solution *out)
{
    mco_status st = MCO_OK;
    MCO_TRY(vrp_solution_new(ctx, problem->customers, problem->customers, out));
    for (int32_t c = 0; c < problem->customers; c++)
        out->order[c] = out->first[c] = c;
    out->first[problem->customers] = problem->customers;
done:
    return st;
}

// ---- Customers in no route, in the cells of a grid; a single cell if all of them are candidates

typedef struct cells {
    const mco_vrp *problem;
    bool is_exact;
    double left, bottom, side;
    int32_t columns, rows;
    int32_t *first;      // [cells] where each cell begins in `node`
    int32_t *count;      // [cells] nodes that are left; they are the first ones of the cell
    int32_t *node;       // [customers] cell after cell
    int32_t *place;      // [nodes] index of a node in `node`; -1: in a route
    int32_t near[NEAR];  // what near_nodes() found
    double near_squared[NEAR];
} cells;

static int32_t clamp_cell(double cell, int32_t count)
{
    return cell < 0 ? 0 : cell >= count ? count - 1 : (int32_t)cell;
}

static int32_t cell_of(const cells *g, int32_t node)
{
    if (g->is_exact)
        return 0;
    return clamp_cell((g->problem->y[node] - g->bottom) / g->side, g->rows) * g->columns +
           clamp_cell((g->problem->x[node] - g->left) / g->side, g->columns);
}

// Lays a grid of square cells over the customers; if these lie on a line, the cells do too.
static void lay_grid(cells *g)
{
    const mco_vrp *p = g->problem;
    g->columns = g->rows = 1;
    if (g->is_exact)
        return;
    double right = p->x[1], top = p->y[1];
    g->left = right;
    g->bottom = top;
    for (int32_t i = 2; i < p->nodes; i++) {
        g->left = fmin(g->left, p->x[i]);
        g->bottom = fmin(g->bottom, p->y[i]);
        right = fmax(right, p->x[i]);
        top = fmax(top, p->y[i]);
    }
    const double width = right - g->left, height = top - g->bottom, wanted = (double)p->customers / CUSTOMERS_PER_CELL;
    g->side = fmax(sqrt(width * height / wanted), fmax(width, height) / wanted);
    if (!(g->side > 0))
        g->side = 1;
    g->columns = (int32_t)(width / g->side) + 1;
    g->rows = (int32_t)(height / g->side) + 1;
}

static mco_status open_cells(mco_context *ctx, cells *g)
{
    mco_status st = MCO_OK;
    const mco_vrp *p = g->problem;
    g->is_exact = p->customers <= EXACT_CUSTOMERS || p->rule == VRP_MATRIX;
    lay_grid(g);
    const int32_t count = g->columns * g->rows;
    MCO_TRY(mco_alloc(ctx, &g->first, count));
    MCO_TRY(mco_alloc(ctx, &g->count, count));
    MCO_TRY(mco_alloc(ctx, &g->node, p->customers));
    MCO_TRY(mco_alloc(ctx, &g->place, p->nodes));
    for (int32_t i = 1; i < p->nodes; i++)
        g->count[cell_of(g, i)]++;
    for (int32_t k = 1; k < count; k++)
        g->first[k] = g->first[k - 1] + g->count[k - 1];
    memset(g->count, 0, (size_t)count * sizeof *g->count);
    for (int32_t i = 1; i < p->nodes; i++) {
        const int32_t cell = cell_of(g, i);
        g->place[i] = g->first[cell] + g->count[cell]++;
        g->node[g->place[i]] = i;
    }
done:
    return st;
}

static void close_cells(mco_context *ctx, cells *g)
{
    mco_free(ctx, &g->place);
    mco_free(ctx, &g->node);
    mco_free(ctx, &g->count);
    mco_free(ctx, &g->first);
}

static void remove_node(cells *g, int32_t node)
{
    const int32_t cell = cell_of(g, node), moved = g->node[g->first[cell] + --g->count[cell]];
    g->node[g->place[node]] = moved;
    g->place[moved] = g->place[node];
    g->place[node] = -1;
}

static void hold(cells *g, int32_t other, double squared, int32_t *held)
{
    int32_t at = *held < NEAR ? (*held)++ : NEAR - 1;
    for (; at > 0 && g->near_squared[at - 1] > squared; at--) {
        g->near[at] = g->near[at - 1];
        g->near_squared[at] = g->near_squared[at - 1];
    }
    g->near[at] = other;
    g->near_squared[at] = squared;
}

static int32_t at_least(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static int32_t at_most(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

// Puts the nodes in some columns of a row among the nearest ones, which are held in ascending order.
static void search_row(cells *g, int32_t node, int32_t from, int32_t to, int32_t row, int32_t *held)
{
    const mco_vrp *p = g->problem;
    if (row < 0 || row >= g->rows)
        return;
    const int64_t line = (int64_t)row * g->columns;
    for (int64_t cell = line + at_least(from, 0); cell <= line + at_most(to, g->columns - 1); cell++)
        for (int32_t k = g->first[cell]; k < g->first[cell] + g->count[cell]; k++) {
            const double dx = p->x[g->node[k]] - p->x[node], dy = p->y[g->node[k]] - p->y[node];
            if (*held < NEAR || dx * dx + dy * dy < g->near_squared[NEAR - 1])
                hold(g, g->node[k], dx * dx + dy * dy, held);
            else if (g->near_squared[NEAR - 1] <= 0)
                return;  // enough nodes lie at the place of `node` itself
        }
}

// Searches the cells at distance `ring` from a cell.
static void search_ring(cells *g, int32_t node, int32_t column, int32_t row, int32_t ring, int32_t *held)
{
    search_row(g, node, column - ring, column + ring, row - ring, held);
    if (ring > 0)
        search_row(g, node, column - ring, column + ring, row + ring, held);
    for (int32_t r = at_least(row - ring + 1, 0); r <= at_most(row + ring - 1, g->rows - 1); r++) {
        if (column - ring >= 0)
            search_row(g, node, column - ring, column - ring, r, held);
        if (column + ring < g->columns)
            search_row(g, node, column + ring, column + ring, r, held);
    }
}

// Sets *out to the candidates beside `node`, and returns their number. Searches rings of cells until nothing outside is
// nearer.
static int32_t near_nodes(cells *g, int32_t node, const int32_t **out)
{
    *out = g->is_exact ? g->node : g->near;
    if (g->is_exact)
        return g->count[0];
    const int32_t cell = cell_of(g, node);
    int32_t held = 0;
    for (int32_t ring = 0; ring < at_least(g->columns, g->rows); ring++) {
        const double outside = (ring - 1) * g->side;  // nodes in this ring are at least so far away
        if (held == NEAR && ring > 0 && outside * outside > g->near_squared[NEAR - 1])
            break;
        search_ring(g, node, cell % g->columns, cell / g->columns, ring, &held);
    }
    return held;
}

// ---- Cheapest insertion

// With `node` between `from` and `to` the route would grow by `growth`.
typedef struct offer {
    int32_t growth, node, from, to;
} offer;

typedef struct insertion {
    mco_context *ctx;
    const mco_vrp *problem;
    const vrp_watch *watch;
    int64_t inserted;    // customers
    cells cells;
    offer *heap;         // [heap_count] the least first
    int64_t heap_count, heap_room;
    int32_t *best;       // [nodes] growth by the best offer of a node; valid if `route` is the present route
    int32_t *route;      // [nodes] the last route for which the node has an offer
    int32_t *next;       // [nodes] behind each node of the route; 0 behind the last
    uint64_t *seeds;     // [customers] UINT32_MAX less the length of a route of its own, then the node; ascending
    int32_t routes, customers;  // so far; of the route
    int64_t load, length;
} insertion;

static bool is_before(offer a, offer b)
{
    return a.growth != b.growth ? a.growth < b.growth : a.node < b.node;
}

static mco_status push(insertion *s, offer o)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_grow(s->ctx, &s->heap, &s->heap_room, s->heap_count + 1));
    int64_t k = s->heap_count++;
    for (; k > 0 && is_before(o, s->heap[(k - 1) / 2]); k = (k - 1) / 2)
        s->heap[k] = s->heap[(k - 1) / 2];
    s->heap[k] = o;
done:
    return st;
}

static offer pop(insertion *s)
{
    const offer least = s->heap[0], last = s->heap[--s->heap_count];
    int64_t k = 0;
    for (int64_t below = 1; below < s->heap_count; below = 2 * k + 1) {
        if (below + 1 < s->heap_count && is_before(s->heap[below + 1], s->heap[below]))
            below++;
        if (!is_before(s->heap[below], last))
            break;
        s->heap[k] = s->heap[below];
        k = below;
    }
    s->heap[k] = last;
    return least;
}

// Offers a node the place between two nodes that are `distance` apart, unless it has an offer as good. With symmetric
// distances it reads the rows of `from` and `to`, which stay in the cache.
static mco_status offer_place(insertion *s, int32_t node, int32_t from, int32_t to, int32_t distance)
{
    const mco_vrp *p = s->problem;
    const int32_t on = p->is_symmetric ? vrp_distance(p, to, node) : vrp_distance(p, node, to);
    const int32_t growth = vrp_distance(p, from, node) + on - distance;
    if (s->route[node] == s->routes && s->best[node] <= growth)
        return MCO_OK;
    s->route[node] = s->routes;
    s->best[node] = growth;
    return push(s, (offer){growth, node, from, to});
}

// Tries the places of the route again; in a long route only those behind the former best one.
static mco_status look_again(insertion *s, int32_t node, int32_t from)
{
    mco_status st = MCO_OK;
    const bool is_whole = s->cells.is_exact || s->customers <= REACH;
    s->route[node] = -1;
    int32_t at = is_whole ? 0 : from;
    for (int32_t k = 0; is_whole || k < REACH; k++) {
        const int32_t to = s->next[at];
        MCO_TRY(offer_place(s, node, at, to, vrp_distance(s->problem, at, to)));
        at = to;
        if (at == 0)
            break;
    }
done:
    return st;
}

// Takes a node into the route.
static mco_status insert(insertion *s, int32_t node, int32_t from, int32_t to)
{
    mco_status st = MCO_OK;
    const mco_vrp *p = s->problem;
    MCO_TRY(vrp_watch_item(s->ctx, s->watch, s->inserted++ * WATCHED_INSERTION));
    const int32_t before = vrp_distance(p, from, node), behind = vrp_distance(p, node, to), *near;
    s->next[from] = node;
    s->next[node] = to;
    s->load += p->demand[node];
    s->length += (int64_t)before + behind - vrp_distance(p, from, to) + vrp_service(p, node);
    s->customers++;
    remove_node(&s->cells, node);
    const int32_t count = near_nodes(&s->cells, node, &near);
    for (int32_t k = 0; k < count; k++) {
        MCO_TRY(offer_place(s, near[k], from, node, before));
        MCO_TRY(offer_place(s, near[k], node, to, behind));
    }
done:
    return st;
}

// Builds one route. A customer that does not fit is tried again only if it gets a better offer: loads only grow, and
// under the triangle inequality lengths only grow too.
static mco_status build_route(insertion *s, int32_t seed)
{
    mco_status st = MCO_OK;
    const mco_vrp *p = s->problem;
    s->load = s->length = 0;
    s->heap_count = 0;
    s->customers = 0;
    MCO_TRY(insert(s, seed, 0, 0));
    while (s->heap_count > 0) {
        const offer o = pop(s);
        if (s->cells.place[o.node] < 0 || o.growth != s->best[o.node] || s->load + p->demand[o.node] > p->capacity)
            continue;
        if (s->next[o.from] != o.to)
            MCO_TRY(look_again(s, o.node, o.from));
        else if (!vrp_has_max_length(p) || s->length + o.growth + vrp_service(p, o.node) <= p->max_length)
            MCO_TRY(insert(s, o.node, o.from, o.to));
    }
done:
    return st;
}

static int compare_seeds(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static mco_status open_insertion(insertion *s)
{
    mco_status st = MCO_OK;
    const mco_vrp *p = s->problem;
    s->cells.problem = p;
    MCO_TRY(open_cells(s->ctx, &s->cells));
    MCO_TRY(mco_alloc(s->ctx, &s->best, p->nodes));
    MCO_TRY(mco_alloc(s->ctx, &s->route, p->nodes));
    MCO_TRY(mco_alloc(s->ctx, &s->next, p->nodes));
    MCO_TRY(mco_alloc(s->ctx, &s->seeds, p->customers));
    memset(s->route, -1, (size_t)p->nodes * sizeof *s->route);
    for (int32_t i = 1; i < p->nodes; i++) {
        const uint32_t way = (uint32_t)(vrp_distance(p, 0, i) + vrp_distance(p, i, 0));
        s->seeds[i - 1] = (uint64_t)(UINT32_MAX - way) << 32 | (uint32_t)i;
    }
    MCO_TRY(vrp_watch_test(s->ctx, s->watch));
    qsort(s->seeds, (size_t)p->customers, sizeof *s->seeds, compare_seeds);
done:
    return st;
}

static mco_status construct_insertion(mco_context *ctx, const mco_vrp *problem, const vrp_watch *watch, mco_vrp_solution *out)
{
    mco_status st = MCO_OK;
    insertion s = {.ctx = ctx, .problem = problem, .watch = watch};
    mco_vrp_solution routes = {0};  // with room for a route per customer
    int32_t count = 0;
    if (problem->customers == 0)
        return construct_single(ctx, problem, out);
    MCO_TRY(open_insertion(&s));
    MCO_TRY(vrp_solution_new(ctx, problem->customers, problem->customers, &routes));
    for (int32_t k = 0; k < problem->customers; k++) {
        const int32_t seed = (int32_t)(uint32_t)s.seeds[k];
        if (s.cells.place[seed] < 0)
            continue;
        MCO_TRY(build_route(&s, seed));
        routes.first[s.routes++] = count;
        for (int32_t node = s.next[0]; node != 0; node = s.next[node])
            routes.order[count++] = node - 1;
    }
    routes.first[s.routes] = count;
    MCO_TRY(vrp_solution_new(ctx, problem->customers, s.routes, out));
    memcpy(out->order, routes.order, (size_t)count * sizeof *out->order);
    memcpy(out->first, routes.first, ((size_t)s.routes + 1) * sizeof *out->first);
done:
    mco_vrp_solution_clear(ctx, &routes);
    mco_free(ctx, &s.seeds);
    mco_free(ctx, &s.next);
    mco_free(ctx, &s.route);
    mco_free(ctx, &s.best);
    mco_free(ctx, &s.heap);
    close_cells(ctx, &s.cells);
    return st;
}

// ---- The entry point

mco_status vrp_construct(mco_context *ctx, const mco_vrp *problem, mco_vrp_construction construction, int threads,
                         const vrp_watch *watch, mco_vrp_solution *solution)
{
    switch (construction) {
    case MCO_VRP_CONSTRUCTION_INSERTION: return construct_insertion(ctx, problem, watch, solution);
    case MCO_VRP_CONSTRUCTION_SINGLE: return construct_single(ctx, problem, solution);
    case MCO_VRP_CONSTRUCTION_SAVINGS:
        return problem->customers < 2 ? construct_single(ctx, problem, solution) : vrp_savings(ctx, problem, threads, watch, solution);
    }
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "construction %d is none of 0, 1, 2", (int)construction);
}

mco_status mco_vrp_construct(mco_context *ctx, const mco_vrp *problem, mco_vrp_construction construction,
                             mco_vrp_solution *solution)
{
    if (ctx == NULL || problem == NULL || solution == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    const mco_status st = vrp_refuse_unservable(ctx, problem, INFINITY);
    return st == MCO_OK ? vrp_construct(ctx, problem, construction, mco_settle_threads(0), NULL, solution) : st;
}
