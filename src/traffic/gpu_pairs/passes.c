// SPDX-License-Identifier: MIT
// The scanner of pairs on a GPU: the mirror of the store, launches, and loads.
#include <string.h>

#include "base/clock.h"
#include "traffic/gpu_pairs/scanner.h"

// ---- Waits

static bool must_stop(void *state)
{
    gpu_scanner *s = state;
    s->is_stopped = s->is_stopped || (s->run != NULL && mco_run_must_stop(s->run, s->run->work));
    return s->is_stopped;
}

// Waits for all work on the stream. It ends: kernels end by themselves or by `stop`, which each block reads before each row and each
// search for near nodes.
mco_status gpu_wait_for(gpu_scanner *s, cudaEvent_t event)
{
    mco_status st = MCO_OK;
    MCO_CUDA(s->ctx, cudaEventRecord(event, s->device.stream));
    MCO_TRY(mco_device_wait(&s->device, event, must_stop, s, &s->plan.d_control->stop));
done:
    return st;
}

// ---- The mirror

// Sends the staged slots; they may be overwritten when this returns.
static mco_status send_stage(gpu_scanner *s, int64_t count)
{
    mco_status st = MCO_OK;
    const traffic_gpu_changes changes = {.count = count, .d_batch = s->d_batch, .d_link = s->d_link, .d_flow = s->d_change};
    MCO_TRY(GPU_SEND(s, s->d_batch, s->h_batch, count));
    MCO_TRY(GPU_SEND(s, s->d_link, s->h_link, count));
    MCO_TRY(GPU_SEND(s, s->d_change, s->h_change, count * PAIRS_LANES));
    MCO_CUDA(s->ctx, traffic_launch_change(&s->plan, &changes, s->device.stream));
    s->stats->changed += count;
done:
    return st;
}

// Stages the changed slots of a batch from `slot` on, and clears their marks. Returns the slot where the stage was full.
static int32_t stage_batch(gpu_scanner *s, int32_t batch, int32_t slot, int64_t *count)
{
    pairs_batch *b = &s->store->batch[batch];
    for (; slot < b->slots && *count < s->tuning.stage; slot++) {
        uint64_t marks = 1;
        if (slot % 8 == 0 && slot + 8 <= b->slots)
            memcpy(&marks, b->is_changed + slot, sizeof marks);
        if (marks == 0) {
            slot += 7;
            continue;
        }
        if (b->is_changed[slot] == 0)
            continue;
        b->is_changed[slot] = 0;
        s->h_batch[*count] = batch;
        s->h_link[*count] = b->link[slot];
        memcpy(s->h_change + *count * PAIRS_LANES, b->flow + (size_t)slot * PAIRS_LANES, PAIRS_LANES * sizeof(double));
        ++*count;
    }
    return slot;
}

mco_status gpu_send_changes(gpu_scanner *s)
{
    mco_status st = MCO_OK;
    int64_t count = 0;
    s->stats->changed = 0;
    for (int32_t batch = 0; batch < s->store->batches; batch++)
        for (int32_t slot = 0; (slot = stage_batch(s, batch, slot, &count)) < s->store->batch[batch].slots;) {
            MCO_TRY(send_stage(s, count));
            MCO_TRY(gpu_wait_for(s, s->changed));
            count = 0;
        }
    MCO_TRY(send_stage(s, count));
done:
    return st;
}

static void mark_all(gpu_scanner *s)
{
    for (int32_t k = 0; k < s->store->batches; k++)
        if (s->store->batch[k].slots > 0)
            memset(s->store->batch[k].is_changed, 1, (size_t)s->store->batch[k].slots);
}

// ---- Launches

mco_status gpu_send_costs(gpu_scanner *s, const double *cost)
{
    mco_status st = MCO_OK;
    const int64_t costs = (int64_t)s->plan.tables * s->plan.links;
    memcpy(s->h_cost, cost, (size_t)costs * sizeof *cost);
    MCO_TRY(GPU_SEND(s, s->d_cost, s->h_cost, costs));
    MCO_CUDA(s->ctx, traffic_launch_weigh(&s->plan, s->device.stream));
done:
    return st;
}

mco_status gpu_run_trees(gpu_scanner *s, cudaError_t (*launch)(const traffic_gpu_plan *plan, cudaStream_t stream), int32_t count,
                            double *device_s)
{
    mco_status st = MCO_OK;
    traffic_gpu_plan *p = &s->plan;
    cudaStream_t stream = s->device.stream;
    float ms = 0;
    if (must_stop(s))
        return mco_fail(s->ctx, MCO_ERR_STOPPED, "the trees were stopped");
    p->count = count;
    MCO_TRY(GPU_SEND(s, s->d_place, s->h_place, count));
    MCO_CUDA(s->ctx, cudaMemsetAsync(p->d_control, 0, sizeof *p->d_control, stream));
    MCO_CUDA(s->ctx, cudaEventRecord(s->begun, stream));
    MCO_CUDA(s->ctx, cudaStreamWaitEvent(s->device.side, s->begun, 0));  // `stop` is not written before it is cleared
    MCO_CUDA(s->ctx, launch(p, stream));
    MCO_CUDA(s->ctx, cudaEventRecord(s->ended, stream));
    MCO_CUDA(s->ctx, cudaMemcpyAsync(s->h_sum, p->d_sum, (size_t)s->places * sizeof *s->h_sum, cudaMemcpyDeviceToHost, stream));
    MCO_CUDA(s->ctx, cudaMemcpyAsync(s->h_control, p->d_control, sizeof *s->h_control, cudaMemcpyDeviceToHost, stream));
    MCO_TRY(gpu_wait_for(s, s->copied));
    if (s->is_stopped)
        return mco_fail(s->ctx, MCO_ERR_STOPPED, "the trees were stopped");
    if ((int64_t)s->h_control->done != count || s->h_control->lost > 0)
        return mco_fail(s->ctx, MCO_ERR_INTERNAL, "%llu trees of %d are done, %llu trips lack a path", s->h_control->done, count,
                        s->h_control->lost);
    MCO_CUDA(s->ctx, cudaEventElapsedTime(&ms, s->begun, s->ended));
    *device_s = 1e-3 * (double)ms;
    s->stats->device_s += *device_s;
    s->stats->rounds = (int64_t)s->h_control->rounds;
    s->stats->searches = (int64_t)s->h_control->scans;
done:
    return st;
}

// ---- Loads

// Writes the links that a load has found for a batch into the store. They are in the device's memory already, so they are not marked.
static mco_status store_batch(mco_context *ctx, gpu_scanner *s, int32_t batch)
{
    mco_status st = MCO_OK;
    pairs_batch *b = &s->store->batch[batch];
    for (int lane = 0; lane < PAIRS_LANES; lane++) {
        const traffic_place_sum sum = s->h_sum[batch * PAIRS_LANES + lane];
        for (int64_t i = sum.first; i < sum.first + sum.count; i++) {
            int32_t slot = 0;
            MCO_TRY(pairs_slot_make(ctx, s->store, b, s->h_found[i].link, &slot));
            b->flow[(size_t)slot * PAIRS_LANES + (size_t)lane] = s->h_found[i].value;
            b->is_changed[slot] = 0;
        }
    }
done:
    return st;
}

static void store_item(void *shared, int worker, int64_t item)
{
    gpu_scanner *s = shared;
    s->status[item] = store_batch(s->worker_ctx[worker], s, (int32_t)item);
}

// Places of a part that was not launched have no links: h_sum is that of the part alone.
static mco_status store_rows(gpu_scanner *s)
{
    mco_team_run(&s->team, s->store->batches, store_item, NULL, s);
    for (int32_t k = 0; k < s->store->batches; k++)
        if (s->status[k] != MCO_OK)
            return mco_fail(s->ctx, s->status[k], "no memory for the flows of rows");
    return MCO_OK;
}

// Loads `count` places of h_place.
static mco_status load_part(gpu_scanner *s, int32_t count)
{
    mco_status st = MCO_OK;
    double device_s = 0;
    MCO_CUDA(s->ctx, cudaMemsetAsync(s->plan.d_sum, 0, (size_t)s->places * sizeof *s->plan.d_sum, s->device.stream));
    MCO_TRY(gpu_run_trees(s, traffic_launch_load, count, &device_s));
    s->stats->loads++;
    s->stats->load_device_s += device_s;
    MCO_CUDA(s->ctx, cudaMemcpyAsync(s->h_found, s->plan.d_found, (size_t)s->h_control->found * sizeof *s->h_found,
                                     cudaMemcpyDeviceToHost, s->device.stream));
    MCO_TRY(gpu_wait_for(s, s->copied));
    MCO_TRY(store_rows(s));
done:
    return st;
}

static bool has_flow(const gpu_scanner *s, int32_t place)
{
    const pairs_batch *b = &s->store->batch[place / PAIRS_LANES];
    for (int32_t slot = 0; slot < b->slots; slot++)
        if (b->flow[(size_t)slot * PAIRS_LANES + (size_t)(place % PAIRS_LANES)] > 0)
            return true;
    return false;
}

mco_status gpu_load(void *self, const double *cost)
{
    mco_status st = MCO_OK;
    gpu_scanner *s = self;
    const double begin_s = mco_clock_s();
    const int64_t each = s->plan.room / s->plan.nodes;  // rows of a part: a tree has less links than nodes
    int32_t count = 0;
    MCO_TRY(gpu_send_costs(s, cost));
    mark_all(s);  // flows of a start
    MCO_TRY(gpu_send_changes(s));
    MCO_TRY(gpu_wait_for(s, s->changed));
    for (int32_t k = 0; k < s->live_count; k++) {
        if (!has_flow(s, s->live[k]))
            s->h_place[count++] = s->live[k];
        if (count == each || (k + 1 == s->live_count && count > 0)) {
            MCO_TRY(load_part(s, count));
            count = 0;
        }
    }
done:
    s->stats->load_s += mco_clock_s() - begin_s;
    return st;
}
