// SPDX-License-Identifier: MIT
// Labels of a hierarchy on a GPU for the proof of the gap. Costs are rounded down to units here, so each label is at most that of its tail plus the true
// cost: labels prove a bound, weaker by at most a unit for each link of a path. The host checks every label as it would check any other.
#include <math.h>

#include "base/machine.h"
#include "base/team.h"
#include "traffic/gpu/wide.h"

static const int64_t STAGE_BYTES = (int64_t)1 << 26;  // of labels that the host reads at a time

typedef struct proving {
    mco_context *ctx;
    traffic_gpu_wide *wide;
    mco_device *device;
    traffic_certificate *proof;
    int32_t *h_label, *d_label;  // [rows of a stage][nodes]
    int32_t rows, at;            // of a stage; the first row of this one, by class and rank
    int64_t nodes;
    double unit;                 // cost of a unit of labels
    double **label;              // [workers][nodes]
    int workers;
    mco_team team;
} proving;

static void prove_row(void *shared, int worker, int64_t item)
{
    const proving *p = shared;
    const int32_t *from = p->h_label + item * p->nodes;
    double *label = p->label[worker];
    for (int64_t v = 0; v < p->nodes; v++)
        label[v] = p->unit * from[v];  // exact: a power of two
    traffic_certificate_row(p->proof, traffic_gpu_wide_row(p->wide, p->at + (int32_t)item), label);
}

// Rows whose labels are on the device, from row `base` on.
static mco_status prove_batch(void *state, mco_run *run, int32_t base, int32_t end)
{
    mco_status st = MCO_OK;
    proving *p = state;
    for (p->at = base; p->at < end; p->at += p->rows) {
        const int32_t count = end - p->at < p->rows ? end - p->at : p->rows;
        MCO_TRY(traffic_gpu_wide_spread(p->wide, base, p->at, count, p->d_label));
        MCO_CUDA(p->ctx, cudaMemcpyAsync(p->h_label, p->d_label, (size_t)count * (size_t)p->nodes * sizeof *p->h_label, cudaMemcpyDeviceToHost,
                                         p->device->stream));
        MCO_CUDA(p->ctx, cudaStreamSynchronize(p->device->stream));  // some milliseconds
        mco_team_run(&p->team, count, prove_row, NULL, p);
        if (mco_run_must_stop(run, run->work))
            MCO_TRY(MCO_ERR_STOPPED);
    }
done:
    return st;
}

mco_status traffic_gpu_wide_prove(traffic_gpu_wide *wide, const traffic_call *call, mco_device *device, double scale, traffic_certificate *proof)
{
    mco_status st = MCO_OK;
    mco_context *ctx = device->ctx;
    proving p = {.ctx = ctx, .wide = wide, .device = device, .proof = proof, .nodes = call->problem->nodes, .unit = 1 / scale};
    const int64_t fit = STAGE_BYTES / (4 * (p.nodes > 0 ? p.nodes : 1));
    p.rows = traffic_gpu_wide_group(wide, fit);
    p.workers = mco_settle_threads(call->params->threads);
    MCO_TRY(mco_device_take(device, MCO_MEMORY_PINNED, &p.h_label, (int64_t)p.rows * p.nodes));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_DEVICE, &p.d_label, (int64_t)p.rows * p.nodes));
    MCO_TRY(mco_alloc(ctx, &p.label, p.workers));
    for (int k = 0; k < p.workers; k++)
        MCO_TRY(mco_alloc(ctx, &p.label[k], p.nodes));
    MCO_TRY(mco_team_open(ctx, p.workers, false, &p.team));
    MCO_TRY(traffic_gpu_wide_labels(wide, call->run, prove_batch, &p));
done:
    mco_team_close(&p.team);
    for (int k = 0; p.label != NULL && k < p.workers; k++)
        mco_free(ctx, &p.label[k]);
    mco_free(ctx, &p.label);
    mco_device_give(device, &p.d_label);
    mco_device_give(device, &p.h_label);
    return st;
}
