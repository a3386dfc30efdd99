// SPDX-License-Identifier: MIT
// The checker: recomputes an answer from the raw instance and shares nothing with the solvers.
#include "flowshop/instance.h"

mco_status mco_flowshop_check(mco_context *ctx, const mco_flowshop *shop, const int32_t *order, int64_t count,
                              int64_t *makespan)
{
    mco_status st = MCO_OK;
    int64_t *completion = NULL;  // [jobs] by position, on the machine done last
    int64_t *place = NULL;       // [jobs] position from 1; 0: not yet placed
    if (ctx == NULL || shop == NULL || makespan == NULL || (order == NULL && count > 0))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (count != shop->jobs)
        return mco_fail(ctx, MCO_ERR_CHECK, "the order has %lld jobs, the instance has %d", (long long)count,
                        shop->jobs);
    MCO_TRY(mco_alloc(ctx, &completion, shop->jobs));
    MCO_TRY(mco_alloc(ctx, &place, shop->jobs));
    for (int64_t t = 0; t < count; t++) {
        int32_t job = order[t];
        if (job < 0 || job >= shop->jobs)
            MCO_TRY(mco_fail(ctx, MCO_ERR_CHECK, "position %lld holds job %lld, jobs are 1 to %d",
                             (long long)t + 1, (long long)job + 1, shop->jobs));
        if (place[job] != 0)
            MCO_TRY(mco_fail(ctx, MCO_ERR_CHECK, "job %d stands at position %lld and again at position %lld",
                             job + 1, (long long)place[job], (long long)t + 1));
        place[job] = t + 1;
    }
    int64_t free_at = 0;  // when the machine leaves the job before; at last the makespan
    for (int32_t k = 0; k < shop->machines; k++) {
        const int32_t *times = shop->times + (int64_t)k * shop->jobs;
        free_at = 0;
        for (int64_t t = 0; t < count; t++) {
            const int64_t begin = completion[t] > free_at ? completion[t] : free_at;
            completion[t] = free_at = begin + times[order[t]];
        }
    }
    *makespan = free_at;
done:
    mco_free(ctx, &place);
    mco_free(ctx, &completion);
    return st;
}
