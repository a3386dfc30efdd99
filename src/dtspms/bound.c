// SPDX-License-Identifier: MIT
// A lower bound on the closed tour over all nodes of one network, without the stacks. It is the length of the shortest
// tour if time allows. Few nodes go by dynamic programming, more by branch and bound.
#include "dtspms/bound.h"

#include "base/clock.h"
#include "dtspms/engine.h"

mco_status dtspms_bound_subsets(mco_context *ctx, const int32_t *distance, int32_t nodes, int64_t *bound)
{
    mco_status st = MCO_OK;
    const int32_t last = nodes - 1;  // the tour begins and ends at this node; the others are bits 0..last-1
    const int32_t sets = 1 << last;
    int64_t *length = NULL;  // [sets * last] shortest path from `last` over a set to a member of it
    *bound = 0;
    if (nodes < 2)
        return MCO_OK;
    MCO_TRY(mco_alloc(ctx, &length, (int64_t)sets * last));
    for (int32_t set = 1; set < sets; set++)
        for (int32_t to = 0; to < last; to++) {
            const int32_t before = set & ~(1 << to);
            int64_t best = before == 0 ? distance[last * nodes + to] : INT64_MAX;
            for (int32_t from = 0; from < last && before != set; from++)
                if ((before >> from & 1) != 0) {
                    const int64_t sum = length[before * last + from] + distance[from * nodes + to];
                    best = sum < best ? sum : best;
                }
            length[set * last + to] = best;
        }
    *bound = INT64_MAX;
    for (int32_t to = 0; to < last; to++) {
        const int64_t sum = length[(sets - 1) * last + to] + distance[to * nodes + last];
        *bound = sum < *bound ? sum : *bound;
    }
done:
    mco_free(ctx, &length);
    return st;
}

mco_status dtspms_tour_bound(mco_context *ctx, const dtspms_model *model, mco_dtspms_network network, double seconds,
                             int64_t *bound)
{
    const int32_t *distance = model->distance[network];
    bool is_optimal;
    if (model->nodes <= DTSPMS_BOUND_MAX_SUBSET_NODES)
        return dtspms_bound_subsets(ctx, distance, model->nodes, bound);
    const double stop_s = mco_clock_s() + seconds;
    return dtspms_bound_tree(ctx, distance, model->nodes, model->is_symmetric[network],
                             stop_s < model->stop_s ? stop_s : model->stop_s, bound, &is_optimal);
}
