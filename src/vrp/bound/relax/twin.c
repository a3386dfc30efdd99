// SPDX-License-Identifier: MIT
#include "vrp/bound/relax/twin.h"

#include <stdio.h>

#include "device/device.h"

mco_status vrp_twin_name(mco_context *ctx, const vrp_relax_settings *settings, vrp_twin *out)
{
    mco_gpu gpus[MCO_MAX_GPUS];
    int count = 0;
    *out = (vrp_twin){.is_there = false};
    if (settings->gpus == NULL)
        return MCO_OK;
    const mco_status st = mco_gpus_choose(ctx, settings->gpus, gpus, &count);
    if (st != MCO_OK)
        return st;
    if (count > 2)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--gpus \"%s\" names %d GPUs, passes use two at most", settings->gpus, count);
    for (int k = 0; k < count; k++)
        snprintf(out->gpu[k], VRP_TWIN_NAME, "%d", gpus[k].index);
    return MCO_OK;
}

mco_status vrp_twin_open(mco_context *ctx, const vrp_bound_problem *problem, const vrp_relax_settings *settings, vrp_twin *out)
{
    mco_status st = MCO_OK;
    MCO_TRY(vrp_twin_name(ctx, settings, out));
    out->is_there = out->gpu[1][0] != '\0' && !problem->is_symmetric;
    if (out->gpu[1][0] != '\0' && problem->is_symmetric)
        mco_log(ctx, MCO_LOG_INFO, "symmetric distances: passes have one direction, so GPU %s has nothing to do", out->gpu[1]);
    if (!out->is_there)
        return MCO_OK;
    MCO_TRY(mco_context_create_child(ctx, &out->ctx));
    MCO_TRY(mco_team_open(ctx, 2, false, &out->team));
done:
    return st;
}

void vrp_twin_close(vrp_twin *twin)
{
    mco_team_close(&twin->team);
    mco_context_destroy(&twin->ctx);
}

typedef struct job {
    mco_context *ctx[2];
    vrp_twin_work *work;
    void *shared;
    mco_status status[2];
} job;

static void do_direction(void *shared, int worker, int64_t direction)
{
    job *j = shared;
    (void)worker;
    j->status[direction] = j->work(j->ctx[direction], j->shared, (int)direction);
}

mco_status vrp_twin_run(mco_context *ctx, vrp_twin *twin, vrp_twin_work *work, void *shared)
{
    job j = {.ctx = {ctx, twin->ctx}, .work = work, .shared = shared};
    mco_team_run(&twin->team, 2, do_direction, NULL, &j);
    if (j.status[0] == MCO_OK && j.status[1] != MCO_OK)
        return mco_fail(ctx, j.status[1], "%s", mco_context_error(twin->ctx));
    return j.status[0];
}
