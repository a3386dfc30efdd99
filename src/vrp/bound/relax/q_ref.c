// SPDX-License-Identifier: MIT
// The reference of q-paths without loops i-j-i: the recursion of Christofides, Mingozzi and Toth (1981) in plain loops.
//
//     h(j, i) = f(q - demand(i), j) + arc(j, i)   where p(q - demand(i), j) is another node than i
//               g(q - demand(i), j) + arc(j, i)   else
//     f(q, i) = least h(j, i), p(q, i) the first j that has it; g(q, i) = least h(j, i) over the other j
//
// begins with f(demand(i), i) = arc(0, i). O(nodes^2 capacity) time, 16 bytes a cell and direction.
#include "vrp/bound/relax/q_inside.h"

typedef struct reference {
    vrp_q_cell *cell[2];  // [(capacity + 1) * nodes] row by load; [1] backward, NULL with a symmetric problem
} reference;

static int64_t place(const vrp_bound_problem *problem, int32_t load, int32_t node)
{
    return (int64_t)load * problem->nodes + node;
}

static double reference_bytes(const vrp_bound_problem *problem, const vrp_relax_settings *settings)
{
    (void)settings;
    return ((double)problem->capacity + 1) * problem->nodes * sizeof(vrp_q_cell) * (problem->is_symmetric ? 1 : 2);
}

static mco_status reference_open(mco_context *ctx, vrp_q_pass *pass)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *problem = pass->problem;
    reference *r = NULL;
    MCO_TRY(mco_alloc(ctx, &r, 1));
    pass->own = r;
    for (int d = 0; d < (problem->is_symmetric ? 1 : 2); d++)
        MCO_TRY(mco_alloc(ctx, &r->cell[d], ((size_t)problem->capacity + 1) * (size_t)problem->nodes));
done:
    return st;
}

static void reference_close(mco_context *ctx, vrp_q_pass *pass)
{
    reference *r = pass->own;
    if (r == NULL)
        return;
    mco_free(ctx, &r->cell[0]);
    mco_free(ctx, &r->cell[1]);
    mco_free(ctx, &r);
    pass->own = NULL;
}

// arc(j, i), or arc(i, j) for the transposed arcs.
static int32_t arc_at(const vrp_bound_problem *problem, const int32_t *arcs, bool backward, int32_t j, int32_t i)
{
    return backward ? arcs[(int64_t)i * problem->stride + j] : arcs[(int64_t)j * problem->stride + i];
}

static void offer(vrp_q_cell *cell, int32_t value, int32_t before)
{
    if (value < cell->value) {
        cell->second = cell->value;
        cell->second_before = cell->before;
        cell->value = value;
        cell->before = before;
    } else if (value < cell->second) {
        cell->second = value;
        cell->second_before = before;
    }
}

static vrp_q_cell least_paths(const vrp_bound_problem *problem, const int32_t *arcs, bool backward, const vrp_q_cell *table,
                              int32_t load, int32_t i)
{
    vrp_q_cell cell = {VRP_NO_PATH, -1, VRP_NO_PATH, -1};
    const int32_t rest = load - problem->demand[i];
    if (rest == 0) {
        const int32_t arc = arc_at(problem, arcs, backward, 0, i);
        if (arc < VRP_NO_ARC)
            offer(&cell, arc, 0);
        return cell;
    }
    for (int32_t j = 1; rest > 0 && j < problem->nodes; j++) {
        const vrp_q_cell *from = &table[place(problem, rest, j)];
        const int32_t value = from->before != i ? from->value : from->second, arc = arc_at(problem, arcs, backward, j, i);
        if (j != i && value < VRP_NO_PATH && arc < VRP_NO_ARC)
            offer(&cell, value + arc, j);
    }
    return cell;
}

static mco_status run_direction(mco_context *ctx, const vrp_bound_problem *problem, const int32_t *arcs, bool backward,
                                double stop_s, vrp_q_cell *table)
{
    for (int32_t load = 0; load <= problem->capacity; load++) {
        if (vrp_q_is_over(ctx, stop_s))
            return MCO_ERR_STOPPED;
        table[place(problem, load, 0)] = (vrp_q_cell){VRP_NO_PATH, -1, VRP_NO_PATH, -1};
        for (int32_t i = 1; i < problem->nodes; i++) {
            const vrp_q_cell cell = least_paths(problem, arcs, backward, table, load, i);
            if (cell.value < VRP_NO_PATH && !vrp_q_fits(cell.value))
                return vrp_q_refuse_value(ctx, "a path", cell.value);
            if (cell.second_before >= 0 && !vrp_q_fits(cell.second))
                return vrp_q_refuse_value(ctx, "a path", cell.second);
            table[place(problem, load, i)] = cell;
        }
    }
    return MCO_OK;
}

static mco_status reference_run(mco_context *ctx, vrp_q_pass *pass, const int32_t *arcs, double stop_s)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *problem = pass->problem;
    reference *r = pass->own;
    for (int32_t i = 0; i < problem->nodes; i++)
        for (int32_t j = 0; j < problem->nodes; j++)
            if (arcs[(int64_t)i * problem->stride + j] <= -VRP_NO_PATH / 2)
                return vrp_q_refuse_value(ctx, "an arc", arcs[(int64_t)i * problem->stride + j]);
    for (int d = 0; d < 2 && r->cell[d] != NULL; d++)
        MCO_TRY(run_direction(ctx, problem, arcs, d == 1, stop_s, r->cell[d]));
done:
    return st;
}

static vrp_q_cell reference_cell(const vrp_q_pass *pass, bool backward, int32_t load, int32_t node)
{
    const reference *r = pass->own;
    return r->cell[backward][place(pass->problem, load, node)];
}

static void reference_column(const vrp_q_pass *pass, bool backward, int32_t node, const vrp_q_column *out)
{
    const int32_t demand = pass->problem->demand[node];
    for (int32_t k = 0; k <= pass->problem->capacity - demand; k++) {
        const vrp_q_cell cell = reference_cell(pass, backward, demand + k, node);
        out->value[k] = cell.value;
        out->before[k] = cell.before;
        out->second[k] = cell.second;
    }
}

const vrp_q_engine VRP_Q_REFERENCE = {reference_bytes, reference_open, reference_close, reference_run, reference_cell,
                                      reference_column, NULL};
