// SPDX-License-Identifier: MIT
#include "flowshop/beam/place.h"

#include "flowshop/tree/engines.h"

#ifdef MCO_HAVE_CUDA

// Cells (child and machine) a second, and what a GPU takes besides.
static const double CELLS_OF_CORE = 1e10, CELLS_OF_GPU = 2e12, LAYER_S = 50e-6, OPEN_S = 0.4;
static const double SHARED_CELLS = 5e8;  // of a layer: with fewer, GPUs wait for one another longer than they help
static const double SETTLED_S = 0.005;  // a shorter beam does not tell the rate of a wider one

// Whether the cores must not step in.
static bool is_gpu_asked_for(const flowshop_run *run)
{
    const mco_flowshop_params *p = run->params;
    return p->method == MCO_FLOWSHOP_METHOD_BEAM && (p->engine == MCO_ENGINE_GPU || (p->engine == MCO_ENGINE_AUTO && p->gpus != NULL));
}

mco_status flowshop_beam_refuse_place(const flowshop_run *run)
{
    const mco_flowshop *shop = run->shop;
    flowshop_beam_shape shape = {.jobs = shop->jobs, .machines = shop->machines, .largest = 1};
    if (!is_gpu_asked_for(run))
        return MCO_OK;
    for (int64_t i = 0; i < (int64_t)shop->jobs * shop->machines; i++)
        shape.largest = shop->times[i] > shape.largest ? shop->times[i] : shape.largest;
    return flowshop_beam_gpu_refuse(run->ctx, &shape, run->upper_bound);
}

static mco_status open_gpu(flowshop_beam_place *p)
{
    mco_status st = MCO_OK;
    flowshop_run *run = p->run;
    const char *reason = NULL;
    if (run->gpus == NULL) {
        MCO_TRY(mco_alloc(run->ctx, &run->gpus, MCO_MAX_GPUS));
        MCO_TRY(mco_gpus_list(run->ctx, run->gpus, &run->gpu_count, &reason));
        run->gpu_count = run->gpu_count > 1 ? 1 : run->gpu_count;
    }
    if (run->gpu_count == 0)
        return mco_fail(run->ctx, MCO_ERR_DEVICE, "no GPU: %s", reason != NULL ? reason : "none was found");
    MCO_TRY(flowshop_beam_gpu_open(run->ctx, run->gpus, run->gpu_count, p->shape, run->upper_bound, p->memory, &p->gpu));
    run->gpu_count = flowshop_beam_gpu_count(p->gpu);
    flowshop_use_engine(run, MCO_ENGINE_GPU);
    const int64_t widest = flowshop_beam_gpu_widest(p->gpu);
    mco_log(run->ctx, MCO_LOG_INFO, "beams from both ends on %d GPU%s (%s, number %d%s) take %.1f MiB of each at width 1024; widths up to %lld take %.0f MiB",
            run->gpu_count, mco_plural(run->gpu_count), run->gpus[0].name, run->gpus[0].index, run->gpu_count > 1 ? " and others" : "",
            flowshop_beam_gpu_bytes(p->gpu, 1024) / (1 << 20), (long long)widest,
            flowshop_beam_gpu_bytes(p->gpu, widest) / (1 << 20));
done:
    return st;
}

// The time of `cells` on the cores. Targets prune, and other programs may be busy, so the rate of the beam before tells more than the cores do.
static double time_on_cores(flowshop_beam_place *p, double cells)
{
    const double seconds = mco_run_time_s(&p->run->run) - p->begin_s;
    if (p->cells > 0 && seconds > SETTLED_S)
        p->cells_per_s = p->cells / seconds;
    return cells / (p->cells_per_s > 0 ? p->cells_per_s : CELLS_OF_CORE * p->run->threads);
}

mco_status flowshop_beam_choose_place(flowshop_beam_place *p, int64_t width, bool *is_on_gpu)
{
    mco_status st = MCO_OK;
    const flowshop_run *run = p->run;
    const mco_engine asked = run->params->engine;
    const double jobs = p->shape->jobs, cells = (double)width * jobs * jobs * p->shape->machines;
    const double cores_s = time_on_cores(p, cells), gpu_s = cells / CELLS_OF_GPU + jobs * LAYER_S;
    *is_on_gpu = false;
    if (run->params->method != MCO_FLOWSHOP_METHOD_BEAM || (asked != MCO_ENGINE_GPU && asked != MCO_ENGINE_AUTO))
        return MCO_OK;
    const bool pays = is_gpu_asked_for(run) || cores_s > gpu_s + (p->has_looked ? 0 : OPEN_S);
    if (pays && !p->has_looked) {
        p->has_looked = true;
        st = open_gpu(p);
        if (st != MCO_OK)
            MCO_TRY(flowshop_beam_leave_gpu(p, st));
    }
    *is_on_gpu = pays && p->gpu != NULL;
    p->cells = *is_on_gpu ? 0 : cells;
    p->begin_s = mco_run_time_s(&run->run);
done:
    return st;
}

mco_status flowshop_beam_leave_gpu(flowshop_beam_place *p, mco_status failure)
{
    flowshop_run *run = p->run;
    if (is_gpu_asked_for(run))
        return failure;
    mco_log(run->ctx, MCO_LOG_INFO, "beams stay on the cores: %s", mco_context_error(run->ctx));
    flowshop_beam_gpu_close(run->ctx, &p->gpu);
    flowshop_use_engine(run, MCO_ENGINE_CPU);
    return MCO_OK;
}

void flowshop_beam_close_place(flowshop_beam_place *p)
{
    flowshop_beam_gpu_close(p->run->ctx, &p->gpu);
}

int64_t flowshop_beam_place_widest(const flowshop_beam_place *p)
{
    return p->gpu != NULL ? flowshop_beam_gpu_widest(p->gpu) : 0;
}

double flowshop_beam_place_bytes(const flowshop_beam_place *p, int64_t width)
{
    return p->gpu != NULL ? flowshop_beam_gpu_bytes(p->gpu, width) : 0;
}

mco_status flowshop_beam_run_on_gpu(flowshop_beam_place *p, const flowshop_beam_gpu_task *task, flowshop_beam_gpu_answer *out, int32_t *order)
{
    flowshop_beam_gpu_task shared = *task;
    const double cells = (double)task->width * p->shape->jobs * p->shape->machines;
    shared.gpus = cells < SHARED_CELLS ? 1 : flowshop_beam_gpu_count(p->gpu);
    return flowshop_beam_gpu_run(p->gpu, &shared, out, order);
}

#else  // all beams run on the cores

mco_status flowshop_beam_refuse_place(const flowshop_run *run)
{
    (void)run;
    return MCO_OK;
}

mco_status flowshop_beam_choose_place(flowshop_beam_place *p, int64_t width, bool *is_on_gpu)
{
    (void)p;
    (void)width;
    *is_on_gpu = false;
    return MCO_OK;
}

mco_status flowshop_beam_leave_gpu(flowshop_beam_place *p, mco_status failure)
{
    (void)p;
    return failure;
}

void flowshop_beam_close_place(flowshop_beam_place *p)
{
    (void)p;
}

int64_t flowshop_beam_place_widest(const flowshop_beam_place *p)
{
    (void)p;
    return 0;
}

double flowshop_beam_place_bytes(const flowshop_beam_place *p, int64_t width)
{
    (void)p;
    (void)width;
    return 0;
}

mco_status flowshop_beam_run_on_gpu(flowshop_beam_place *p, const flowshop_beam_gpu_task *task, flowshop_beam_gpu_answer *out, int32_t *order)
{
    (void)task;
    (void)out;
    (void)order;
    return mco_fail(p->run->ctx, MCO_ERR_INTERNAL, "a beam on a GPU, in a build without");
}
#endif
