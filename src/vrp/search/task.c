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
    WINDOW = 200             // larger parts: pairs that are so near in the order of directions from the depot
};

// A customer of a large part, where it lies in the order of directions.
typedef struct vrp_bearing {
    double angle, x, y;
    int32_t node, depot_distance;
} vrp_bearing;

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
        MCO_TRY(mco_alloc(ctx, &out->line, (int64_t)customers + 2 * WINDOW));
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
    mco_free(ctx, &task->line);
    mco_free(ctx, &task->customer);
    mco_free(ctx, &task->first);
    mco_free(ctx, &task->order);
    mco_free(ctx, &p->depot_distance);
    mco_free(ctx, &p->service);
    mco_free(ctx, &p->demand);
    mco_free(ctx, &p->matrix_memory);
    mco_free(ctx, &p->xy);
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

// Keeps node u in the list of c, under a name of its own. Equal changes are in the order of the names.
static inline void keep_behind(vrp_part *p, int32_t c, int32_t u, int32_t name, int32_t *held)
{
    const int64_t row = (int64_t)c * p->neighbours;
    const int32_t change = vrp_part_distance(p, u, c) + p->depot_distance[c] - p->depot_distance[u];
    int32_t *names = p->behind + row, *changes = p->behind_change + row;
    int32_t k = *held;
    if (k == p->neighbours && (change > changes[k - 1] || (change == changes[k - 1] && name > names[k - 1])))
        return;
    if (k < p->neighbours)
        ++*held;
    else
        k--;
    for (; k > 0 && (changes[k - 1] > change || (changes[k - 1] == change && names[k - 1] > name)); k--) {
        changes[k] = changes[k - 1];
        names[k] = names[k - 1];
    }
    changes[k] = change;
    names[k] = name;
}

static int compare_bearings(const void *a, const void *b)
{
    const vrp_bearing *p = a, *q = b;
    return p->angle != q->angle ? (p->angle < q->angle ? -1 : 1) : (p->node > q->node) - (p->node < q->node);
}

// Sorts the customers by their direction from the depot, which is the place of node 0. The line goes round: its ends are repeated.
static void sort_bearings(const vrp_part *p, vrp_bearing *line)
{
    const int32_t n = p->customers;
    vrp_bearing *first = line + WINDOW;
    for (int32_t c = 1; c <= n; c++)
        first[c - 1] = (vrp_bearing){.angle = atan2(p->xy[2 * c + 1] - p->xy[1], p->xy[2 * c] - p->xy[0]), .x = p->xy[2 * c],
                                     .y = p->xy[2 * c + 1], .node = c, .depot_distance = p->depot_distance[c]};
    qsort(first, (size_t)n, sizeof *first, compare_bearings);
    memcpy(line, first + n - WINDOW, WINDOW * sizeof *line);
    memcpy(first + n, first, WINDOW * sizeof *line);
}

// Whether the list of a customer may take another one: only if the distance between them is short enough, and to compare squares costs
// less than the distance.
static inline bool may_keep(const vrp_part *p, const vrp_bearing *customer, const vrp_bearing *other, int32_t most)
{
    const double longest = (double)most - customer->depot_distance + other->depot_distance + 1;  // rounded, so one more
    const double dx = (other->x - customer->x) * p->problem->scale, dy = (other->y - customer->y) * p->problem->scale;
    return longest > 0 && dx * dx + dy * dy <= longest * longest;
}

// The list of a customer, of those within WINDOW of it on the line. It begins next to it, where most of the list comes from, so that
// what follows is seldom kept.
static void list_window(vrp_part *p, const vrp_bearing *at)
{
    const int32_t c = at->node;
    int32_t *row = p->behind + (int64_t)c * p->neighbours;
    const int32_t *worst = p->behind_change + (int64_t)c * p->neighbours + p->neighbours - 1;
    int32_t held = 0;
    for (int32_t k = 2; k < 2 * WINDOW + 2; k++) {
        const int32_t m = k % 2 == 0 ? -k / 2 : k / 2;
        if (held < p->neighbours || may_keep(p, at, at + m, *worst))
            keep_behind(p, c, at[m].node, WINDOW + m, &held);
    }
    for (int32_t k = 0; k < held; k++)
        row[k] = at[row[k] - WINDOW].node;
}

static void fill_behind(vrp_part *p, vrp_bearing *line)
{
    const int32_t n = p->customers;
    const bool is_small = n <= ALL_PAIRS;
    memset(p->behind, 0, (size_t)(n + 1) * (size_t)p->neighbours * sizeof *p->behind);
    if (!is_small && p->xy != NULL)
        sort_bearings(p, line);
    for (int32_t k = 0; k < n; k++) {
        int32_t held = 0;
        for (int32_t u = 1; is_small && u <= n; u++)
            if (u != k + 1)
                keep_behind(p, k + 1, u, u, &held);
        if (!is_small && p->xy != NULL)
            list_window(p, line + WINDOW + k);
    }
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
    fill_behind(p, task->line);
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
