// SPDX-License-Identifier: MIT
// Parts of an instance. A part holds what a walk reads of its customers, by local numbers. Of each customer c it lists
// the nearest neighbours, and the customers behind which c costs least at the end of a route (`behind` in
// vrp/search/task.h).
#include <stdlib.h>
#include <string.h>

#include "vrp/search/key.h"
#include "vrp/search/task.h"

enum {
    MATRIX_CUSTOMERS = 500,  // up to here distances are a matrix: 1 MB, half of a second-level cache
    ALL_PAIRS = 600,         // up to here the lists `behind` consider every pair
    WINDOW = 200,            // larger parts: pairs that are so near in the order of directions from the depot
    INDICES = 1024           // of candidates for a list, at most; a power of two
};

_Static_assert(ALL_PAIRS <= INDICES && 2 * WINDOW < INDICES, "an index fits");

// The direction of a customer from the depot.
typedef struct vrp_bearing {
    double angle;
    int32_t node;
} vrp_bearing;

// The customers of a large part in the order of their directions.
typedef struct vrp_line {
    vrp_bearing *bearing;           // [customers]
    double *x, *y;                  // [customers + 2 * WINDOW], like those below
    int32_t *node, *depot_distance;
} vrp_line;

static mco_status open_view(mco_context *ctx, int32_t customers, int32_t routes, vrp_view **out)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(ctx, out, 1));
    pthread_mutex_init(&(*out)->lock, NULL);
    MCO_TRY(mco_alloc(ctx, &(*out)->order, customers));
    MCO_TRY(mco_alloc(ctx, &(*out)->first, (int64_t)routes + 1));
done:
    return st;
}

static void close_view(mco_context *ctx, vrp_view **view)
{
    if (*view == NULL)
        return;
    mco_free(ctx, &(*view)->first);
    mco_free(ctx, &(*view)->order);
    pthread_mutex_destroy(&(*view)->lock);
    mco_free(ctx, view);
}

static mco_status open_line(mco_context *ctx, int32_t customers, vrp_line **out)
{
    mco_status st = MCO_OK;
    const int64_t places = (int64_t)customers + 2 * WINDOW;
    MCO_TRY(mco_alloc(ctx, out, 1));
    MCO_TRY(mco_alloc(ctx, &(*out)->bearing, customers));
    MCO_TRY(mco_alloc(ctx, &(*out)->x, places));
    MCO_TRY(mco_alloc(ctx, &(*out)->y, places));
    MCO_TRY(mco_alloc(ctx, &(*out)->node, places));
    MCO_TRY(mco_alloc(ctx, &(*out)->depot_distance, places));
done:
    return st;
}

static void close_line(mco_context *ctx, vrp_line **line)
{
    if (*line == NULL)
        return;
    mco_free(ctx, &(*line)->depot_distance);
    mco_free(ctx, &(*line)->node);
    mco_free(ctx, &(*line)->y);
    mco_free(ctx, &(*line)->x);
    mco_free(ctx, &(*line)->bearing);
    mco_free(ctx, line);
}

void vrp_view_clear(vrp_view *view)
{
    atomic_store(&view->best, INT64_MAX);
    atomic_store(&view->is_wanted, false);
    view->cost = INT64_MAX;
}

mco_status vrp_task_open(mco_context *ctx, const mco_vrp *problem, int32_t customers, int32_t routes, int32_t neighbours,
                         vrp_task *out)
{
    mco_status st = MCO_OK;
    vrp_part *p = &out->part;
    const int64_t nodes = (int64_t)customers + 1 + routes, rows = (int64_t)customers + 1;
    const int64_t matrix_rows = (customers < MATRIX_CUSTOMERS ? customers : MATRIX_CUSTOMERS) + 1;
    const bool has_places = problem->rule == VRP_EUC_2D || problem->rule == VRP_CEIL_2D;
    p->problem = problem;
    p->most_customers = customers;
    p->most_routes = routes;
    p->neighbours = (neighbours + VRP_LIST_STEP - 1) / VRP_LIST_STEP * VRP_LIST_STEP;
    MCO_TRY(mco_alloc(ctx, &p->place, nodes));
    MCO_TRY(mco_alloc(ctx, &p->near, rows * p->neighbours));
    MCO_TRY(mco_alloc(ctx, &p->near_distance, rows * p->neighbours));
    MCO_TRY(mco_alloc(ctx, &p->behind, rows * p->neighbours));
    MCO_TRY(mco_alloc(ctx, &p->behind_change, rows * p->neighbours));
    MCO_TRY(mco_alloc(ctx, &out->least, p->neighbours));
    if (has_places)
        MCO_TRY(mco_alloc(ctx, &p->xy, 2 * nodes));
    MCO_TRY(mco_alloc(ctx, &p->matrix_memory, matrix_rows * matrix_rows));
    MCO_TRY(mco_alloc(ctx, &p->demand, rows));
    MCO_TRY(mco_alloc(ctx, &p->service, rows));
    MCO_TRY(mco_alloc(ctx, &p->depot_distance, rows));
    MCO_TRY(mco_alloc(ctx, &out->order, customers));
    MCO_TRY(mco_alloc(ctx, &out->first, (int64_t)routes + 1));
    MCO_TRY(mco_alloc(ctx, &out->customer, customers));
    if (customers > ALL_PAIRS)
        MCO_TRY(open_line(ctx, customers, &out->line));
    MCO_TRY(open_view(ctx, customers, routes, &out->view));
done:
    if (st != MCO_OK)
        vrp_task_close(ctx, out);
    return st;
}

void vrp_task_close(mco_context *ctx, vrp_task *task)
{
    vrp_part *p = &task->part;
    close_view(ctx, &task->view);
    close_line(ctx, &task->line);
    mco_free(ctx, &task->customer);
    mco_free(ctx, &task->first);
    mco_free(ctx, &task->order);
    mco_free(ctx, &p->depot_distance);
    mco_free(ctx, &p->service);
    mco_free(ctx, &p->demand);
    mco_free(ctx, &p->matrix_memory);
    mco_free(ctx, &p->xy);
    mco_free(ctx, &task->least);
    mco_free(ctx, &p->behind_change);
    mco_free(ctx, &p->behind);
    mco_free(ctx, &p->near_distance);
    mco_free(ctx, &p->near);
    mco_free(ctx, &p->place);
}

static void fill_near(vrp_part *p, const int32_t *customer, const int32_t *near, int32_t count, const int32_t *local)
{
    const mco_vrp *problem = p->problem;
    for (int32_t c = 1; c <= p->customers; c++) {
        const int64_t row = (int64_t)c * p->neighbours;
        const int32_t *list = near + (int64_t)customer[c - 1] * count;
        int32_t held = 0;
        for (int32_t k = 0; k < count && held < p->neighbours; k++) {
            const int32_t u = local[list[k] + 1];
            if (u == 0 || u > p->customers || p->place[u] != list[k] + 1)  // of no task, or of another one
                continue;
            p->near[row + held] = u;
            p->near_distance[row + held++] = vrp_distance(problem, p->place[c], p->place[u]);
        }
        for (; held < p->neighbours; held++)
            p->near[row + held] = p->near_distance[row + held] = 0;
    }
}

// The `wanted`th least change, all of which are from low to high; `high` if there are fewer. A loop that counts runs in vectors.
static int32_t last_of_least(const int32_t *change, int32_t count, int32_t wanted, int32_t low, int32_t high)
{
    while (low < high) {
        const int32_t middle = low + (int32_t)(((int64_t)high - low) / 2);
        int32_t within = 0;
        for (int32_t k = 0; k < count; k++)
            within += change[k] <= middle;
        if (within >= wanted)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

// Takes the change of `own` out, and puts the `most` least of the others into `least`, in ascending order. Each becomes a number with
// its index, so that equal changes are in the order of the indices. Returns how many there are.
static int32_t find_least(int32_t *change, int32_t count, int32_t own, int32_t most, int64_t *least)
{
    int32_t low = change[0], high = low, held = 0;
    for (int32_t k = 0; k < count; k++) {
        low = change[k] < low ? change[k] : low;
        high = change[k] > high ? change[k] : high;
    }
    change[own] = INT32_MAX;
    const int32_t last = last_of_least(change, count, most, low, high);
    for (int32_t i = 0; i < count; i++) {
        const int64_t key = (int64_t)change[i] * INDICES + i;
        int32_t k = held < most ? held : most - 1;
        if (change[i] > last || (held == most && key > least[k]))
            continue;
        for (; k > 0 && least[k - 1] > key; k--)
            least[k] = least[k - 1];
        least[k] = key;
        held += held < most;
    }
    return held;
}

// Writes the list of customer c from the changes behind nodes [count], one of which is c itself.
static void write_behind(vrp_part *p, int32_t c, const int32_t *node, int32_t *change, int32_t count, int32_t own, int64_t *least)
{
    int32_t *row = p->behind + (int64_t)c * p->neighbours, *changes = p->behind_change + (int64_t)c * p->neighbours;
    const int32_t held = find_least(change, count, own, p->neighbours, least);
    for (int32_t k = 0; k < held; k++) {
        const int32_t i = (int32_t)(least[k] & (INDICES - 1));
        row[k] = node[i];
        changes[k] = change[i];
    }
}

// The lists of a small part, of all pairs.
static void list_pairs(vrp_part *p, int64_t *least)
{
    int32_t change[ALL_PAIRS], node[ALL_PAIRS];
    for (int32_t c = 1; c <= p->customers; c++) {
        for (int32_t u = 1; u <= p->customers; u++) {
            node[u - 1] = u;
            change[u - 1] = vrp_part_distance(p, u, c) + p->depot_distance[c] - p->depot_distance[u];
        }
        write_behind(p, c, node, change, p->customers, c - 1, least);
    }
}

static int compare_bearings(const void *a, const void *b)
{
    const vrp_bearing *p = a, *q = b;
    return p->angle != q->angle ? (p->angle < q->angle ? -1 : 1) : (p->node > q->node) - (p->node < q->node);
}

// Sorts the customers by their direction from the depot, which is the place of node 0. The line goes round: its ends are repeated.
static void sort_line(const vrp_part *p, vrp_line *line)
{
    const int32_t n = p->customers;
    for (int32_t c = 1; c <= n; c++)
        line->bearing[c - 1] = (vrp_bearing){.angle = atan2(p->xy[2 * c + 1] - p->xy[1], p->xy[2 * c] - p->xy[0]), .node = c};
    qsort(line->bearing, (size_t)n, sizeof *line->bearing, compare_bearings);
    for (int32_t k = 0; k < n + 2 * WINDOW; k++) {
        const int32_t c = line->bearing[(k - WINDOW + n) % n].node;
        line->node[k] = c;
        line->x[k] = p->xy[2 * c];
        line->y[k] = p->xy[2 * c + 1];
        line->depot_distance[k] = p->depot_distance[c];
    }
}

// The changes of customer `at` of the line behind each of those within WINDOW of it. As vrp_part_distance(), in a loop for vectors.
static void window_changes(const vrp_part *p, const vrp_line *line, int32_t at, int32_t *change)
{
    const double x = line->x[at], y = line->y[at], scale = p->problem->scale;
    const double *xs = line->x + at - WINDOW, *ys = line->y + at - WINDOW;
    const int32_t *depot_distance = line->depot_distance + at - WINDOW, here = line->depot_distance[at];
    const bool is_up = p->problem->rule == VRP_CEIL_2D && p->problem->distances == MCO_VRP_DISTANCES_ROUNDED;
    const double up = is_up ? 0 : 0.5;
    for (int32_t k = 0; k <= 2 * WINDOW; k++) {
        const double dx = xs[k] - x, dy = ys[k] - y;
        const double length = sqrt(dx * dx + dy * dy) * scale + up;
        const int32_t down = (int32_t)length;
        change[k] = down + (is_up && length > down) + here - depot_distance[k];
    }
}

// The lists of a large part, of those within WINDOW on the line.
static void list_windows(vrp_part *p, vrp_line *line, int64_t *least)
{
    int32_t change[2 * WINDOW + 1];
    sort_line(p, line);
    for (int32_t at = WINDOW; at < p->customers + WINDOW; at++) {
        window_changes(p, line, at, change);
        write_behind(p, line->node[at], line->node + at - WINDOW, change, 2 * WINDOW + 1, WINDOW, least);
    }
}

static void fill_behind(vrp_part *p, vrp_line *line, int64_t *least)
{
    memset(p->behind, 0, (size_t)(p->customers + 1) * (size_t)p->neighbours * sizeof *p->behind);
    if (p->customers <= ALL_PAIRS)
        list_pairs(p, least);
    else if (p->xy != NULL)
        list_windows(p, line, least);
}

void vrp_part_number(vrp_task *task, int32_t customers, int32_t routes, int32_t *local)
{
    vrp_part *p = &task->part;
    p->customers = customers;
    p->routes = routes;
    for (int32_t c = 1; c <= customers; c++) {
        p->place[c] = task->customer[c - 1] + 1;
        local[p->place[c]] = c;
    }
}

void vrp_part_list(vrp_task *task, const int32_t *near, int32_t count, const int32_t *local)
{
    vrp_part *p = &task->part;
    const mco_vrp *problem = p->problem;
    const int32_t customers = p->customers, routes = p->routes;
    for (int32_t c = 1; c <= customers; c++) {
        const int32_t node = p->place[c];
        p->demand[c] = problem->demand[node];
        p->service[c] = vrp_service(problem, node);
        p->depot_distance[c] = vrp_distance(problem, 0, node);
    }
    p->place[0] = 0;
    for (int32_t r = 0; r < routes; r++)
        p->place[customers + 1 + r] = 0;
    for (int32_t i = 0; p->xy != NULL && i <= customers + routes; i++) {
        p->xy[2 * i] = problem->x[p->place[i]];
        p->xy[2 * i + 1] = problem->y[p->place[i]];
    }
    p->matrix = customers <= MATRIX_CUSTOMERS ? p->matrix_memory : NULL;
    for (int32_t i = 0; p->matrix != NULL && i <= customers; i++)
        for (int32_t j = 0; j <= customers; j++)
            p->matrix[(int64_t)i * (customers + 1) + j] = vrp_distance(problem, p->place[i], p->place[j]);
    fill_near(p, task->customer, near, count, local);
    fill_behind(p, task->line, task->least);
}

void vrp_part_clear(const vrp_task *task, int32_t *local)
{
    for (int32_t c = 1; c <= task->part.customers; c++)
        local[task->part.place[c]] = 0;
}

void vrp_part_fill(vrp_task *task, int32_t customers, int32_t routes, const int32_t *near, int32_t count, int32_t *local)
{
    vrp_part_number(task, customers, routes, local);
    vrp_part_list(task, near, count, local);
    vrp_part_clear(task, local);
}
