// SPDX-License-Identifier: MIT
// Neighbour sets of ng-paths (ng.h).
#include "vrp/bound/relax/ng.h"

#include <string.h>

// ---- Nearest customers

typedef struct candidate {
    int64_t cost;
    int32_t node;
} candidate;

// Fills nearest [count] with the nearest customers, the nearest first, ties by index. O(nodes + count log(nodes) count) where costs
// come in no order.
static void find_nearest(const vrp_bound_problem *problem, int32_t node, int32_t count, candidate *nearest)
{
    int32_t found = 0;
    for (int32_t j = 1; j < problem->nodes; j++) {
        const int64_t there = problem->cost[(int64_t)node * problem->stride + j];
        const int64_t back = problem->is_symmetric ? 0 : problem->cost[(int64_t)j * problem->stride + node];
        const int64_t cost = there + back;
        if (j == node || (found == count && (count == 0 || cost >= nearest[count - 1].cost)))
            continue;
        int32_t at = found < count ? found++ : found - 1;
        for (; at > 0 && nearest[at - 1].cost > cost; at--)
            nearest[at] = nearest[at - 1];
        nearest[at] = (candidate){cost, j};
    }
}

static mco_status allocate(mco_context *ctx, int32_t nodes, vrp_ng_sets *out)
{
    mco_status st = MCO_OK;
    *out = (vrp_ng_sets){.nodes = nodes};
    MCO_TRY(mco_alloc(ctx, &out->size, nodes));
    MCO_TRY(mco_alloc(ctx, &out->neighbour, (int64_t)nodes * VRP_NG_MOST));
done:
    if (st != MCO_OK)
        vrp_ng_sets_close(ctx, out);
    return st;
}

mco_status vrp_ng_sets_open(mco_context *ctx, const vrp_bound_problem *problem, int32_t size, vrp_ng_sets *out)
{
    mco_status st = MCO_OK;
    candidate nearest[VRP_NG_MOST];
    *out = (vrp_ng_sets){0};
    if (size < 1 || size > VRP_NG_MOST)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "ng sets of %d customers, must be 1 to %d", size, VRP_NG_MOST);
    MCO_TRY(allocate(ctx, problem->nodes, out));
    const int32_t others = problem->customers - 1, taken = size - 1 < others ? size - 1 : others;
    out->size[0] = 1;
    for (int32_t i = 1; i < problem->nodes; i++) {
        if (mco_is_cancelled(ctx)) {
            st = MCO_ERR_STOPPED;
            goto done;
        }
        find_nearest(problem, i, taken, nearest);
        out->size[i] = taken + 1;
        for (int32_t b = 0; b < taken; b++)
            out->neighbour[(int64_t)i * VRP_NG_MOST + b] = nearest[b].node;
    }
done:
    if (st != MCO_OK)
        vrp_ng_sets_close(ctx, out);
    return st;
}

void vrp_ng_sets_close(mco_context *ctx, vrp_ng_sets *sets)
{
    mco_free(ctx, &sets->neighbour);
    mco_free(ctx, &sets->size);
    *sets = (vrp_ng_sets){0};
}

mco_status vrp_ng_sets_copy(mco_context *ctx, const vrp_ng_sets *from, vrp_ng_sets *to)
{
    const mco_status st = allocate(ctx, from->nodes, to);
    if (st != MCO_OK)
        return st;
    memcpy(to->size, from->size, (size_t)from->nodes * sizeof *to->size);
    memcpy(to->neighbour, from->neighbour, (size_t)from->nodes * VRP_NG_MOST * sizeof *to->neighbour);
    return MCO_OK;
}

int32_t vrp_ng_sets_bit(const vrp_ng_sets *sets, int32_t node, int32_t customer)
{
    const int32_t *neighbour = sets->neighbour + (int64_t)node * VRP_NG_MOST;
    for (int32_t b = 0; b < sets->size[node] - 1; b++)
        if (neighbour[b] == customer)
            return b;
    return -1;
}

bool vrp_ng_sets_add(vrp_ng_sets *sets, int32_t node, int32_t customer, int32_t most)
{
    const int32_t limit = most < VRP_NG_MOST ? most : VRP_NG_MOST;
    if (customer == node || sets->size[node] >= limit || vrp_ng_sets_bit(sets, node, customer) >= 0)
        return false;
    sets->neighbour[(int64_t)node * VRP_NG_MOST + sets->size[node] - 1] = customer;
    sets->size[node]++;
    return true;
}
