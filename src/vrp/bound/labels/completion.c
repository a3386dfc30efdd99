// SPDX-License-Identifier: MIT
#include "vrp/bound/labels/completion.h"

#include <string.h>

#include "base/clock.h"

enum {
    MOST_CELLS = 1 << 24,      // of one table of loads or lengths: 64 MiB
    LENGTH_ROWS = 2048,        // of the program of lengths
    MOST_TABLE_BYTES = 1 << 30 // of all copies of dense tables; beyond, the least over all memories serves
};

// A program over one resource: use(k, j) >= 1 of it are used up between two nodes.
typedef struct resource {
    int64_t rows;
    const int32_t *node_use;  // [nodes] used by the visit of the first node; NULL: arc_use
    const int32_t *arc_use;   // [nodes * nodes]
} resource;

static bool is_neighbour(const vrp_ng_sets *sets, int32_t node, int32_t other)
{
    for (int32_t b = 0; b < sets->size[node] - 1; b++)
        if (sets->neighbour[(int64_t)node * VRP_NG_MOST + b] == other)
            return true;
    return false;
}

// forbidden[k * nodes + j]: no route contains k-j-k.
static mco_status find_loops(mco_context *ctx, const vrp_label_task *task, bool **out)
{
    const int32_t nodes = task->problem->nodes;
    const mco_status st = mco_alloc(ctx, out, (int64_t)nodes * nodes);
    if (st != MCO_OK)
        return st;
    for (int32_t k = 1; k < nodes; k++)
        for (int32_t j = 1; j < nodes; j++)
            (*out)[(int64_t)k * nodes + j] = task->is_elementary || is_neighbour(task->sets, j, k);
    return MCO_OK;
}

// The best two ways on of each node, with different next nodes.
typedef struct ways {
    int32_t *best, *second, *next;  // [rows * stride]
} ways;

static int32_t use_of(const resource *r, int32_t nodes, int32_t k, int32_t j)
{
    return r->node_use != NULL ? r->node_use[k] : r->arc_use[(int64_t)k * nodes + j];
}

// Fills row `l` of the ways, whose rows below it are full.
static void fill_row(const vrp_completion *c, const resource *r, const bool *forbidden, int64_t l, ways *w)
{
    const vrp_bound_problem *p = c->task->problem;
    for (int32_t k = 1; k < p->nodes; k++) {
        const int32_t *arcs = c->arcs + (int64_t)k * p->stride;
        int32_t best = VRP_NO_PATH, second = VRP_NO_PATH, next = -1;
        for (int32_t j = 0; j < p->nodes; j++) {
            const int64_t rest = l - use_of(r, p->nodes, k, j);
            if (rest < 0 || arcs[j] >= VRP_NO_ARC)
                continue;
            int32_t value = arcs[j];
            if (j > 0) {
                const int64_t at = rest * p->stride + j;
                const int32_t on = w->next[at] == k && forbidden[(int64_t)k * p->nodes + j] ? w->second[at] : w->best[at];
                if (on >= VRP_NO_PATH)
                    continue;
                value += on;
            }
            if (value < best) {
                second = best;
                best = value;
                next = j;
            } else if (value < second) {
                second = value;
            }
        }
        w->best[l * p->stride + k] = best;
        w->second[l * p->stride + k] = second;
        w->next[l * p->stride + k] = next;
    }
}

static bool is_out_of_range(const int32_t *row, int32_t nodes)
{
    for (int32_t k = 1; k < nodes; k++)
        if (row[k] <= -VRP_NO_PATH / 2 || (row[k] < VRP_NO_PATH && row[k] >= VRP_NO_PATH / 2))
            return true;
    return false;
}

// The least value of a way on from each node by what is left of one resource: *out [rows * stride]; moved to the caller.
static mco_status run_program(mco_context *ctx, const vrp_completion *c, const resource *r, int32_t **out)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *p = c->task->problem;
    bool *forbidden = NULL;
    ways w = {0};
    MCO_TRY(find_loops(ctx, c->task, &forbidden));
    MCO_TRY(mco_alloc(ctx, &w.best, r->rows * p->stride));
    MCO_TRY(mco_alloc(ctx, &w.second, r->rows * p->stride));
    MCO_TRY(mco_alloc(ctx, &w.next, r->rows * p->stride));
    for (int64_t l = 0; l < r->rows; l++) {
        for (int32_t k = 0; k < p->stride; k++)
            w.best[l * p->stride + k] = VRP_NO_PATH;
        fill_row(c, r, forbidden, l, &w);
        if (is_out_of_range(w.best + l * p->stride, p->nodes)) {
            st = mco_fail(ctx, MCO_ERR_LIMIT, "values of paths leave the range of +-%d", VRP_NO_PATH / 2);
            goto done;
        }
        if (mco_is_cancelled(ctx) || mco_clock_s() >= c->task->stop_s) {
            st = MCO_ERR_STOPPED;
            goto done;
        }
    }
    *out = w.best;
    w.best = NULL;
done:
    mco_free(ctx, &w.best);
    mco_free(ctx, &w.second);
    mco_free(ctx, &w.next);
    mco_free(ctx, &forbidden);
    return st;
}

// ---- By load

// From q tables, or from dense ng tables: the least over all loads up to l.
static mco_status copy_loads(mco_context *ctx, vrp_completion *c)
{
    mco_status st = MCO_OK;
    const vrp_label_task *task = c->task;
    const vrp_bound_problem *p = task->problem;
    const bool is_turned = !c->is_backward && !p->is_symmetric;  // ways on of a forward label are backward paths
    c->load_rows = (int64_t)p->capacity + 1;
    MCO_TRY(mco_alloc(ctx, &c->load, c->load_rows * p->stride));
    for (int64_t l = 0; l < c->load_rows; l++) {
        if (vrp_bound_is_over(ctx, task->stop_s)) {
            st = MCO_ERR_STOPPED;
            goto done;
        }
        for (int32_t k = 0; k < p->stride; k++) {
            int32_t value = VRP_NO_PATH;
            if (l > 0 && k > 0 && k < p->nodes) {
                const int32_t load = (int32_t)l;
                value = task->tables != NULL
                            ? vrp_ng_value(task->tables, is_turned, load, k, ((uint32_t)1 << (c->table_sets->size[k] - 1)) - 1)
                            : vrp_q_value(task->q_tables, is_turned, load, k);
                if (c->load[(l - 1) * p->stride + k] < value)
                    value = c->load[(l - 1) * p->stride + k];
            }
            c->load[l * p->stride + k] = value;
        }
    }
done:
    return st;
}

static mco_status run_loads(mco_context *ctx, vrp_completion *c)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *p = c->task->problem;
    int32_t *use = NULL;
    const int64_t most_rows = MOST_CELLS / p->stride, visits = vrp_completion_visits(c->task, p->capacity);
    MCO_TRY(mco_alloc(ctx, &use, p->nodes));
    if (p->capacity >= most_rows) {
        c->load_step = p->capacity / (most_rows / 2) + 1;
        c->load_has_slack = c->load_step > p->least_demand;
    }
    c->load_rows = vrp_completion_row(p->capacity, c->load_step, c->load_has_slack, visits) + 1;
    if (c->load_rows > most_rows) {
        st = mco_fail(ctx, MCO_ERR_LIMIT, "completion bounds for a capacity of %d need %lld rows, at most %lld are supported",
                      p->capacity, (long long)c->load_rows, (long long)most_rows);
        goto done;
    }
    for (int32_t k = 1; k < p->nodes; k++)
        use[k] = (int32_t)(p->demand[k] / c->load_step) + c->load_has_slack;
    MCO_TRY(run_program(ctx, c, &(resource){.rows = c->load_rows, .node_use = use}, &c->load));
done:
    mco_free(ctx, &use);
    return st;
}

// Copies of dense tables pay if they fit.
static mco_status open_tables(mco_context *ctx, vrp_completion *c)
{
    const vrp_bound_problem *p = c->task->problem;
    double bytes = 0;
    for (int32_t k = 1; k < p->nodes; k++)
        bytes += (p->capacity + 1.0) * (double)((uint64_t)1 << (c->table_sets->size[k] - 1)) * sizeof **c->table;
    return bytes <= MOST_TABLE_BYTES ? mco_alloc(ctx, &c->table, p->nodes) : MCO_OK;
}

mco_status vrp_completion_touch(mco_context *ctx, vrp_completion *completion, int32_t node)
{
    vrp_completion *c = completion;
    const vrp_bound_problem *p = c->task->problem;
    mco_status st = MCO_OK;
    if (c->table == NULL || c->table[node] != NULL)
        return MCO_OK;
    MCO_TRY(mco_alloc(ctx, &c->table[node], ((int64_t)p->capacity + 1) << (c->table_sets->size[node] - 1)));
    MCO_TRY(vrp_ng_completion(ctx, c->task->tables, !c->is_backward && !p->is_symmetric, node, c->table[node]));
done:
    if (st != MCO_OK)
        mco_free(ctx, &c->table[node]);
    return st;
}

// ---- By length

// What an arc takes of the length: the way and the service at its end.
static int64_t arc_length(const vrp_completion *c, int32_t from, int32_t to)
{
    const vrp_bound_problem *p = c->task->problem;
    const int32_t way = c->is_backward ? p->cost[(int64_t)to * p->stride + from] : p->cost[(int64_t)from * p->stride + to];
    return (int64_t)way + p->service[to];
}

static int64_t least_arc_length(const vrp_completion *c)
{
    const vrp_bound_problem *p = c->task->problem;
    int64_t least = INT64_MAX;
    for (int32_t k = 1; k < p->nodes; k++)
        for (int32_t j = 0; j < p->nodes; j++)
            if (j != k && c->arcs[(int64_t)k * p->stride + j] < VRP_NO_ARC && arc_length(c, k, j) < least)
                least = arc_length(c, k, j);
    return least;
}

static mco_status run_lengths(mco_context *ctx, vrp_completion *c)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *p = c->task->problem;
    const int64_t visits = vrp_completion_visits(c->task, p->capacity), most_rows = MOST_CELLS / p->stride;
    int32_t *use = NULL;
    if (p->max_length > INT32_MAX / 2)
        return mco_fail(ctx, MCO_ERR_LIMIT, "a limit of length of %lld units, at most %d are supported", (long long)p->max_length,
                        INT32_MAX / 2);
    c->length_step = p->max_length / LENGTH_ROWS + 1;
    c->length_has_slack = least_arc_length(c) < c->length_step;
    c->length_rows = vrp_completion_row(p->max_length, c->length_step, c->length_has_slack, visits) + 1;
    if (c->length_rows > most_rows)
        return MCO_OK;  // routes of very many visits: the bounds of the load serve alone
    MCO_TRY(mco_alloc(ctx, &use, (int64_t)p->nodes * p->nodes));
    for (int32_t k = 0; k < p->nodes; k++)
        for (int32_t j = 0; j < p->nodes; j++)
            if (j != k) {
                const int64_t steps = arc_length(c, k, j) / c->length_step + c->length_has_slack;
                use[(int64_t)k * p->nodes + j] = (int32_t)(steps < c->length_rows ? steps : c->length_rows);
            }
    MCO_TRY(run_program(ctx, c, &(resource){.rows = c->length_rows, .arc_use = use}, &c->length));
done:
    mco_free(ctx, &use);
    return st;
}

// ---- All

static void copy_arcs(vrp_completion *c)
{
    const vrp_bound_problem *p = c->task->problem;
    for (int32_t i = 0; i < p->nodes; i++)
        for (int32_t j = 0; j < p->stride; j++)
            c->arcs[(int64_t)i * p->stride + j] = j >= p->nodes || j == i ? VRP_NO_ARC
                                                  : c->is_backward       ? c->task->arcs[(int64_t)j * p->stride + i]
                                                                         : c->task->arcs[(int64_t)i * p->stride + j];
}

mco_status vrp_completion_open(mco_context *ctx, const vrp_label_task *task, bool is_backward, vrp_completion *out)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *p = task->problem;
    *out = (vrp_completion){.task = task, .is_backward = is_backward, .load_step = 1, .length_step = 1};
    out->table_sets = task->table_sets != NULL ? task->table_sets : task->sets;
    MCO_TRY(mco_alloc(ctx, &out->arcs, (int64_t)p->nodes * p->stride));
    copy_arcs(out);
    if (task->tables != NULL || (task->q_tables != NULL && task->is_elementary))
        MCO_TRY(copy_loads(ctx, out));
    else
        MCO_TRY(run_loads(ctx, out));
    if (task->tables != NULL)
        MCO_TRY(open_tables(ctx, out));
    if (p->max_length < INT64_MAX && p->service != NULL && !task->is_quick)
        MCO_TRY(run_lengths(ctx, out));
done:
    if (st != MCO_OK)
        vrp_completion_close(ctx, out);
    return st;
}

void vrp_completion_close(mco_context *ctx, vrp_completion *completion)
{
    for (int32_t k = 0; completion->table != NULL && k < completion->task->problem->nodes; k++)
        mco_free(ctx, &completion->table[k]);
    mco_free(ctx, &completion->table);
    mco_free(ctx, &completion->length);
    mco_free(ctx, &completion->load);
    mco_free(ctx, &completion->arcs);
}

// The least value of a way on from node k, as the first of a route, by its length.
static int32_t least_by_length(const vrp_completion *c, int32_t k)
{
    const vrp_bound_problem *p = c->task->problem;
    if (c->length == NULL)
        return -VRP_NO_PATH;
    const int64_t left = p->max_length - arc_length(c, 0, k), visits = vrp_completion_visits(c->task, p->capacity);
    return left < 0 ? VRP_NO_PATH
                    : c->length[vrp_completion_row(left, c->length_step, c->length_has_slack, visits) * p->stride + k];
}

int32_t vrp_completion_least(const vrp_completion *completion)
{
    const vrp_completion *c = completion;
    const vrp_bound_problem *p = c->task->problem;
    int32_t least = VRP_NO_PATH;
    for (int32_t k = 1; k < p->nodes; k++) {
        const int32_t arc = c->arcs[k], by_load = c->load[(c->load_rows - 1) * p->stride + k];
        const int32_t by_length = least_by_length(c, k), on = by_load > by_length ? by_load : by_length;
        if (arc < VRP_NO_ARC && on < VRP_NO_PATH && arc + on < least)
            least = arc + on;
    }
    return least;
}
