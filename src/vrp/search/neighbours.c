// SPDX-License-Identifier: MIT
// Nearest customers of every customer. Places are sorted into the cells of a grid. The rings of cells around a customer
// are searched until nothing outside can be as near as the neighbours found. With a matrix or TSPLIB's sphere all pairs
// are searched. Latitudes and longitudes in degrees have a grid too; its lists may miss neighbours near the poles and
// beyond the meridian of 180 degrees.
#include <math.h>
#include <string.h>

#include "base/team.h"
#include "vrp/search/neighbours.h"

static const double CELL_CUSTOMERS = 3;  // customers of a cell, on average
static const double LOOK_S = 0.02;       // between two questions of the calling thread
enum { CUSTOMERS_PER_CLAIM = 64 };       // a thread takes so many at a time

typedef struct grid {
    double left, bottom, side;  // of a cell
    double units;               // at least so many units are between two places one apart in x or y
    int32_t columns, rows;
    int32_t *first;             // [columns * rows + 1] where each cell begins in `customer`
    int32_t *customer;          // [customers] cell after cell
} grid;

typedef struct task {
    const mco_vrp *problem;
    grid grid;                  // columns 0: none
    int32_t count;              // neighbours of a customer
    int32_t *out;               // [customers * count]
    uint64_t *keys;             // [threads * count]
    atomic_int next;            // place to be claimed
    atomic_bool is_stopped;
} task;

// Ascending keys: nearer customers first, equal distances by number. Those at the place of c itself begin behind c: if more of them share
// a place than a list holds, each list has others of them, not all the same ones.
static uint64_t key_of(const mco_vrp *p, int32_t c, int32_t other)
{
    int32_t d = vrp_distance(p, c + 1, other + 1);
    if (!p->is_symmetric) {
        const int32_t back = vrp_distance(p, other + 1, c + 1);
        d = back < d ? back : d;
    }
    const int32_t number = d > 0 ? other : other > c ? other - c : other - c + p->customers;
    return (uint64_t)(uint32_t)d << 32 | (uint32_t)number;
}

static int32_t customer_of(const mco_vrp *p, int32_t c, uint64_t key)
{
    const int32_t number = (int32_t)(uint32_t)key;
    return key >> 32 > 0 ? number : number < p->customers - c ? c + number : c + number - p->customers;
}

// Puts `key` into keys[0..*held), which hold the `count` smallest keys so far in ascending order.
static void keep(uint64_t *keys, int32_t *held, int32_t count, uint64_t key)
{
    if (*held == count && key >= keys[count - 1])
        return;
    int32_t k = *held < count ? (*held)++ : count - 1;
    for (; k > 0 && keys[k - 1] > key; k--)
        keys[k] = keys[k - 1];
    keys[k] = key;
}

static int32_t cell_along(double value, double low, double side, int32_t cells)
{
    const double cell = (value - low) / side;
    return cell < 0 ? 0 : cell >= cells ? cells - 1 : (int32_t)cell;
}

static void search_cell(const task *t, int32_t c, int32_t column, int32_t row, uint64_t *keys, int32_t *held)
{
    const grid *g = &t->grid;
    if (column < 0 || column >= g->columns || row < 0 || row >= g->rows)
        return;
    const int64_t cell = (int64_t)row * g->columns + column;
    for (int32_t k = g->first[cell]; k < g->first[cell + 1]; k++)
        keep(keys, held, t->count, key_of(t->problem, c, g->customer[k]));
}

// The cell of the customer in g->customer[at], whose customers ascend: from the one behind it on, so that those at its place come in the
// order of their keys. Ends where these fill the list.
static void search_own_cell(const task *t, int32_t at, int64_t cell, uint64_t *keys, int32_t *held)
{
    const grid *g = &t->grid;
    const int32_t begin = g->first[cell], size = g->first[cell + 1] - begin, c = g->customer[at];
    for (int32_t k = 1; k < size && (*held < t->count || keys[t->count - 1] >> 32 > 0); k++) {
        const int32_t next = at + k < begin + size ? at + k : at + k - size;
        keep(keys, held, t->count, key_of(t->problem, c, g->customer[next]));
    }
}

// Searches around the customer in g->customer[at]. Customers outside a ring are at least ring * side away.
static void search_grid(const task *t, int32_t at, uint64_t *keys)
{
    const grid *g = &t->grid;
    const mco_vrp *p = t->problem;
    const int32_t c = g->customer[at];
    const int32_t column = cell_along(p->x[c + 1], g->left, g->side, g->columns);
    const int32_t row = cell_along(p->y[c + 1], g->bottom, g->side, g->rows);
    const int32_t rings = g->columns > g->rows ? g->columns : g->rows;
    int32_t held = 0;
    search_own_cell(t, at, (int64_t)row * g->columns + column, keys, &held);
    for (int32_t ring = 1; ring < rings; ring++) {
        for (int32_t k = -ring; k <= ring; k++) {
            search_cell(t, c, column + k, row - ring, keys, &held);
            search_cell(t, c, column + k, row + ring, keys, &held);
        }
        for (int32_t k = -ring + 1; k < ring; k++) {
            search_cell(t, c, column - ring, row + k, keys, &held);
            search_cell(t, c, column + ring, row + k, keys, &held);
        }
        if (held == t->count && (double)(keys[held - 1] >> 32) + 1 < ring * g->side * g->units)
            break;
    }
}

static bool is_stopped(const task *t)
{
    return atomic_load_explicit(&t->is_stopped, memory_order_relaxed);
}

static void search_all(const task *t, int32_t c, uint64_t *keys)
{
    enum { LOOK = 1 << 16 };
    const int32_t n = t->problem->customers;
    int32_t held = 0;
    for (int32_t k = 1; k < n && (k % LOOK != 0 || !is_stopped(t)); k++)
        keep(keys, &held, t->count, key_of(t->problem, c, c + k < n ? c + k : c + k - n));
}

// Searches for the customers of the next claim, cell by cell: those around one are still in the cache for the next. False
// if none is left.
static bool claim(task *t, uint64_t *keys)
{
    const int32_t n = t->problem->customers, begin = atomic_fetch_add(&t->next, CUSTOMERS_PER_CLAIM);
    const int32_t end = n - begin < CUSTOMERS_PER_CLAIM ? n : begin + CUSTOMERS_PER_CLAIM;
    for (int32_t at = begin; at < end && !is_stopped(t); at++) {
        const int32_t c = t->grid.columns > 0 ? t->grid.customer[at] : at;
        if (t->grid.columns > 0)
            search_grid(t, at, keys);
        else
            search_all(t, c, keys);
        for (int32_t k = 0; k < t->count; k++)
            t->out[(int64_t)c * t->count + k] = customer_of(t->problem, c, keys[k]);
    }
    return end < n && end > begin;
}

static void work(void *shared, int worker)
{
    task *t = shared;
    uint64_t *keys = t->keys + (int64_t)worker * t->count;
    while (!is_stopped(t) && claim(t, keys))
        continue;
}

static mco_status work_alone(mco_context *ctx, const vrp_watch *watch, task *t)
{
    mco_status st = MCO_OK;
    do
        MCO_TRY(vrp_watch_test(ctx, watch));
    while (claim(t, t->keys));
done:
    return st;
}

static mco_status run(mco_context *ctx, int threads, const vrp_watch *watch, task *t)
{
    mco_status st = MCO_OK;
    mco_team team = {0};
    MCO_TRY(mco_team_start_some(ctx, threads, work, NULL, t, &team));
    if (team.started == 0)
        st = work_alone(ctx, watch, t);
    while (st == MCO_OK && !mco_team_wait(&team, LOOK_S))
        st = vrp_watch_test(ctx, watch);
    atomic_store(&t->is_stopped, true);
    mco_team_join(&team);
done:
    return st;
}

// A degree of longitude is shortest at the latitude farthest from the equator.
static double units_of_places(const mco_vrp *p)
{
    static const double LEAST = 0.1;  // keeps a place near a pole from making all pairs be searched
    const double turn = acos(-1) / 180;
    double farthest = 0;
    if (p->rule != VRP_GEO)
        return p->scale;
    for (int32_t i = 0; i < p->nodes; i++)
        farthest = fmax(farthest, fabs(p->x[i]));
    return vrp_earth_radius(p) * turn * fmax(LEAST, cos(farthest * turn));
}

static mco_status fill_grid(mco_context *ctx, const mco_vrp *p, const vrp_watch *watch, grid *g)
{
    mco_status st = MCO_OK;
    double right = p->x[1], top = p->y[1];
    g->left = right;
    g->bottom = top;
    for (int32_t i = 2; i < p->nodes; i++) {
        g->left = fmin(g->left, p->x[i]);
        right = fmax(right, p->x[i]);
        g->bottom = fmin(g->bottom, p->y[i]);
        top = fmax(top, p->y[i]);
    }
    g->units = units_of_places(p);
    // Places on a line, or all in one point, make one row of cells, or one cell.
    const double width = right - g->left, height = top - g->bottom, longer = fmax(width, height);
    const double cells = fmax(1, p->customers / CELL_CUSTOMERS);
    g->side = fmax(sqrt(width * height / cells), longer / cells);
    if (!(g->side > 0))
        g->side = 1;
    g->columns = (int32_t)(width / g->side) + 1;
    g->rows = (int32_t)(height / g->side) + 1;
    MCO_TRY(mco_alloc(ctx, &g->first, (int64_t)g->columns * g->rows + 1));
    MCO_TRY(mco_alloc(ctx, &g->customer, p->customers));
    for (int pass = 0; pass < 2; pass++) {  // count, then place from the last to the first
        for (int32_t c = p->customers - 1; c >= 0; c--) {
            MCO_TRY(vrp_watch_item(ctx, watch, c));
            const int64_t cell = (int64_t)cell_along(p->y[c + 1], g->bottom, g->side, g->rows) * g->columns +
                                 cell_along(p->x[c + 1], g->left, g->side, g->columns);
            if (pass == 0)
                g->first[cell]++;
            else
                g->customer[--g->first[cell]] = c;
        }
        for (int64_t k = 1; pass == 0 && k <= (int64_t)g->columns * g->rows; k++)
            g->first[k] += g->first[k - 1];
    }
done:
    return st;
}

mco_status vrp_neighbours(mco_context *ctx, const mco_vrp *problem, int32_t *count, int threads, const vrp_watch *watch,
                          int32_t **out)
{
    mco_status st = MCO_OK;
    task t = {.problem = problem};
    if (*count > problem->customers - 1)
        *count = problem->customers > 0 ? problem->customers - 1 : 0;
    t.count = *count;
    MCO_TRY(mco_alloc(ctx, &t.out, (int64_t)problem->customers * t.count));
    MCO_TRY(mco_alloc(ctx, &t.keys, (int64_t)threads * t.count));
    if (t.count > 0) {
        if (problem->rule == VRP_EUC_2D || problem->rule == VRP_CEIL_2D || problem->distances == MCO_VRP_DISTANCES_GEO)
            MCO_TRY(fill_grid(ctx, problem, watch, &t.grid));
        MCO_TRY(run(ctx, threads, watch, &t));
    }
    *out = t.out;
    t.out = NULL;
done:
    mco_free(ctx, &t.grid.customer);
    mco_free(ctx, &t.grid.first);
    mco_free(ctx, &t.keys);
    mco_free(ctx, &t.out);
    return st;
}
