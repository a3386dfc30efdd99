// SPDX-License-Identifier: MIT
// The plain recursion of ng-paths (ng.h): each F of each load, customer and memory is the minimum over all predecessors. Its tables
// have 32 bits. O(nodes^2 capacity 2^(size - 1)), each with a look at both sets.
#include "vrp/bound/relax/ng_pass.h"

typedef struct reference {
    int64_t sets;                       // of a cell: 2^(largest - 1)
    int32_t *value[VRP_NG_SIDES];       // [(capacity + 1) * nodes * sets]
} reference;

static int32_t *cell(const vrp_ng_pass *pass, int side, int32_t load, int32_t node)
{
    const reference *r = pass->own;
    return r->value[side] + ((int64_t)load * pass->problem->nodes + node) * r->sets;
}

static mco_status open(mco_context *ctx, vrp_ng_pass *pass)
{
    mco_status st = MCO_OK;
    reference *r = NULL;
    const vrp_bound_problem *p = pass->problem;
    MCO_TRY(mco_alloc(ctx, &r, 1));
    pass->own = r;
    r->sets = INT64_C(1) << (pass->largest - 1);
    const double bytes = (double)pass->sides * (p->capacity + 1.0) * p->nodes * (double)r->sets * sizeof(int32_t);
    if (bytes > pass->settings.memory)
        MCO_TRY(mco_fail(ctx, MCO_ERR_LIMIT,
                         "ng tables of %d loads, %d nodes and %lld sets need %.0f bytes, at most %.0f may be taken",
                         p->capacity + 1, p->nodes, (long long)r->sets, bytes, pass->settings.memory));
    for (int s = 0; s < pass->sides; s++)
        MCO_TRY(mco_alloc(ctx, &r->value[s], (p->capacity + 1) * (int64_t)p->nodes * r->sets));
done:
    return st;
}

static void close(mco_context *ctx, vrp_ng_pass *pass)
{
    reference *r = pass->own;
    if (r == NULL)
        return;
    for (int s = 0; s < VRP_NG_SIDES; s++)
        mco_free(ctx, &r->value[s]);
    mco_free(ctx, &r);
    pass->own = NULL;
}

// F(load, k, memory) from the cells of smaller loads.
static int32_t least(const vrp_ng_pass *pass, const int32_t *arcs, int side, int32_t load, int32_t k, uint32_t memory)
{
    const vrp_bound_problem *p = pass->problem;
    const int32_t before = load - p->demand[k];
    const int64_t stride = p->stride;
    int32_t best = VRP_NO_PATH;
    for (int32_t i = before == 0 ? 0 : 1; i < (before == 0 ? 1 : p->nodes); i++) {
        const int32_t arc = side == 0 ? arcs[i * stride + k] : arcs[k * stride + i];
        const int32_t bit = i == 0 ? -1 : vrp_ng_sets_bit(&pass->sets, k, i);
        if (i == k || arc >= VRP_NO_ARC || (bit >= 0 && (memory >> bit & 1) == 0))
            continue;
        const int32_t value = i == 0 ? 0 : cell(pass, side, before, i)[vrp_ng_memory_before(&pass->sets, i, k, memory)];
        if (vrp_ng_is_path(value) && value + arc < best)
            best = value + arc;
    }
    return best;
}

static mco_status run(mco_context *ctx, vrp_ng_pass *pass, const int32_t *arcs, double stop_s)
{
    const vrp_bound_problem *p = pass->problem;
    for (int s = 0; s < pass->sides; s++)
        for (int32_t q = 0; q <= p->capacity; q++)
            for (int32_t k = 1; k < p->nodes; k++) {
                if (vrp_bound_is_over(ctx, stop_s))
                    return mco_fail(ctx, MCO_ERR_STOPPED, "the ng pass was stopped at load %d of %d", q, p->capacity);
                const uint32_t sets = UINT32_C(1) << (pass->sets.size[k] - 1);
                for (uint32_t memory = 0; memory < sets; memory++)
                    cell(pass, s, q, k)[memory] = q < p->demand[k] ? VRP_NO_PATH : least(pass, arcs, s, q, k, memory);
                pass->side[s].base[(int64_t)q * p->stride + k] = cell(pass, s, q, k)[sets - 1];
            }
    return MCO_OK;
}

static int32_t value(const vrp_ng_pass *pass, int side, int32_t load, int32_t node, uint32_t memory)
{
    return cell(pass, side, load, node)[memory];
}

const vrp_ng_engine vrp_ng_reference = {.open = open, .close = close, .run = run, .value = value, .has_tables = true};
