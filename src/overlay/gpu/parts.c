// SPDX-License-Identifier: MIT
// Several GPUs: which nodes each has, the memory in which they tell each other duals and sums, and how their streams wait for each other.
//
// Why nothing is overwritten too early: a part writes to slot `tick % 2` of another one after it has waited for the events of iteration
// tick - 1, and these come behind what the other one did with the same slot in iteration tick - 2. Lists use the slot of the sweep that
// follows, and all wait for each other between both.
#include "overlay/gpu/gpu.h"

int32_t overlay_gpu_split(const mco_overlay *o, int32_t part, int32_t parts)
{
    enum { NODE_ENTRIES = 32 };  // what a node takes, in entries
    if (part == 0 || part == parts)
        return part == 0 ? 0 : o->nodes;
    if (o->is_complete)
        return (int32_t)((int64_t)o->nodes * part / parts);
    const int64_t goal = (o->first[o->nodes] + (int64_t)NODE_ENTRIES * o->nodes) / parts * part;
    int32_t low = 0, high = o->nodes;  // the first node with so much before it
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (o->first[middle] + (int64_t)NODE_ENTRIES * middle >= goal)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

// ---- Reaching each other

static mco_status enable(overlay_gpu *g, int from, int to, bool *reaches)
{
    mco_status st = MCO_OK;
    int can = 1;
    if (from != to)
        MCO_CUDA(g->d->ctx, cudaDeviceCanAccessPeer(&can, from, to));
    *reaches = can != 0;
    if (from != to && *reaches) {  // it stays for the process: others may use it
        const cudaError_t error = cudaDeviceEnablePeerAccess(to, 0);
        if (error == cudaErrorPeerAccessAlreadyEnabled)
            (void)cudaGetLastError();
        else
            MCO_CUDA(g->d->ctx, error);
    }
done:
    return st;
}

mco_status overlay_gpu_reach(overlay_gpu *g)
{
    mco_status st = MCO_OK;
    g->by_host = g->tuning.by_host && g->parts > 1;
    for (int32_t a = 0; a < g->parts && !g->by_host; a++) {
        MCO_TRY(mco_device_use(&g->part[a].device));
        for (int32_t b = 0; b < g->parts && !g->by_host; b++) {
            bool reaches;
            MCO_TRY(enable(g, g->part[a].device.info.index, g->part[b].device.info.index, &reaches));
            g->by_host = !reaches;
        }
    }
done:
    return st;
}

// ---- Mail

static mco_status take_inbox(overlay_gpu *g, mco_device *device, mco_memory_kind kind, overlay_gpu_mail *out)
{
    mco_status st = MCO_OK;
    const int64_t nodes = g->d->o->nodes;
    MCO_TRY(mco_device_take(device, kind, &out->duals, OVERLAY_GPU_SLOTS * nodes));
    MCO_TRY(mco_device_take(device, kind, &out->sums, OVERLAY_GPU_SLOTS * g->parts));
done:
    return st;
}

// Where a part writes to: the inboxes of the others, or the one in the host's memory that all read.
static mco_status give_addresses(overlay_gpu *g, overlay_gpu_part *part)
{
    mco_status st = MCO_OK;
    overlay_gpu_plan *p = &part->plan;
    overlay_gpu_mail *mail = NULL, *d_mail;
    MCO_TRY(mco_alloc(g->d->ctx, &mail, g->parts));
    for (int32_t k = 0; k < g->parts && !g->by_host; k++)
        if (&g->part[k] != part)
            mail[p->mails++] = g->part[k].plan.inbox;
    if (g->by_host)
        mail[p->mails++] = p->inbox;
    MCO_TRY(mco_device_take(&part->device, MCO_MEMORY_DEVICE, &d_mail, p->mails));
    MCO_CUDA(g->d->ctx, cudaMemcpyAsync(d_mail, mail, (size_t)p->mails * sizeof *mail, cudaMemcpyHostToDevice, part->device.stream));
    MCO_CUDA(g->d->ctx, cudaStreamSynchronize(part->device.stream));  // a copy of some bytes
    p->d_mail = d_mail;
done:
    mco_free(g->d->ctx, &mail);
    return st;
}

mco_status overlay_gpu_connect(overlay_gpu *g)
{
    mco_status st = MCO_OK;
    overlay_gpu_mail shared = {0};
    if (g->by_host)
        MCO_TRY(take_inbox(g, &g->part[0].device, MCO_MEMORY_PINNED, &shared));
    for (int32_t k = 0; k < g->parts; k++) {
        overlay_gpu_part *part = &g->part[k];
        MCO_TRY(mco_device_use(&part->device));
        if (!g->by_host)
            MCO_TRY(take_inbox(g, &part->device, MCO_MEMORY_DEVICE, &part->plan.inbox));
        else
            part->plan.inbox = shared;
        part->plan.inbox.near = part->plan.d_near;
    }
    for (int32_t k = 0; k < g->parts; k++) {
        MCO_TRY(mco_device_use(&g->part[k].device));
        MCO_TRY(give_addresses(g, &g->part[k]));
    }
done:
    return st;
}

// ---- Waiting

mco_status overlay_gpu_meet(overlay_gpu *g)
{
    mco_status st = MCO_OK;
    for (int32_t k = 0; k < g->parts && g->parts > 1; k++) {
        MCO_TRY(mco_device_use(&g->part[k].device));
        MCO_CUDA(g->d->ctx, cudaEventRecord(g->part[k].told, g->part[k].device.stream));
    }
    for (int32_t k = 0; k < g->parts; k++)
        for (int32_t other = 0; other < g->parts; other++)
            if (other != k)
                MCO_CUDA(g->d->ctx, cudaStreamWaitEvent(g->part[k].device.stream, g->part[other].told, 0));
done:
    return st;
}

// All parts end, not only the one that the host waits for.
static bool must_stop(void *gpu)
{
    overlay_gpu *g = gpu;
    if (!overlay_gpu_must_stop(g->d))
        return false;
    for (int32_t k = 0; k < g->parts; k++) {
        overlay_gpu_part *part = &g->part[k];
        if (mco_device_use(&part->device) == MCO_OK)  // an error comes again where the host waits
            (void)cudaMemsetAsync(part->d_stop, 1, sizeof *part->d_stop, part->device.side);
    }
    return true;
}

mco_status overlay_gpu_wait(overlay_gpu *g)
{
    mco_status st = MCO_OK;
    for (int32_t k = 0; k < g->parts; k++) {
        MCO_TRY(mco_device_use(&g->part[k].device));
        MCO_CUDA(g->d->ctx, cudaEventRecord(g->part[k].ended, g->part[k].device.stream));
    }
    for (int32_t k = 0; k < g->parts; k++) {
        MCO_TRY(mco_device_use(&g->part[k].device));
        MCO_TRY(mco_device_wait(&g->part[k].device, g->part[k].ended, must_stop, g, NULL));
    }
done:
    return st;
}
