// SPDX-License-Identifier: MIT
// The scanner of the method of pairs on one GPU, host side: scans, labels for a proof, open and close.
#include "traffic/gpu_pairs/gpu.h"

#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/machine.h"
#include "traffic/gpu_pairs/scanner.h"

enum { MOST_WORKERS = 16 };
static const int64_t LABEL_BYTES = (int64_t)1 << 25;  // of labels that the host reads at a time

_Static_assert(sizeof(traffic_candidate) == sizeof(traffic_place_link), "the device writes candidates");
_Static_assert((int)PAIRS_LANES == (int)TRAFFIC_GPU_LANES, "a batch is the same on both sides");

// ---- Scans

// Makes room for what the last launch has counted, so that it can be repeated.
static mco_status widen(gpu_scanner *s)
{
    mco_status st = MCO_OK;
    mco_device_give(&s->device, &s->plan.d_found);
    mco_device_give(&s->device, &s->h_found);
    s->plan.room = (int64_t)s->h_control->found + (int64_t)s->h_control->found / 4;
    MCO_TRY(GPU_TAKE(s, &s->plan.d_found, s->plan.room));
    MCO_TRY(GPU_TAKE_PINNED(s, &s->h_found, s->plan.room));
done:
    return st;
}

// Brings the parents of all batches that have candidates, runs of batches at a time.
static mco_status bring_parents(gpu_scanner *s)
{
    mco_status st = MCO_OK;
    const size_t each = (size_t)s->plan.nodes * PAIRS_LANES * (s->plan.has_wide_parents ? 4 : 1);
    for (int32_t k = 0, end; k < s->store->batches; k = end) {
        for (end = k; end < s->store->batches; end++) {
            int64_t count = 0;
            for (int lane = 0; lane < PAIRS_LANES; lane++)
                count += s->store->batch[end].row[lane] >= 0 ? s->h_sum[end * PAIRS_LANES + lane].count : 0;
            if (count == 0)
                break;
        }
        if (end > k)
            MCO_CUDA(s->ctx, cudaMemcpyAsync((char *)s->h_parent + (size_t)k * each, (char *)s->plan.d_parent + (size_t)k * each,
                                             (size_t)(end - k) * each, cudaMemcpyDeviceToHost, s->device.stream));
        end += end == k;
    }
done:
    return st;
}

// Orders the candidates by place. Sums are added by place as well.
static mco_status gather(gpu_scanner *s, traffic_scan *out)
{
    mco_status st = MCO_OK;
    const int64_t found = (int64_t)s->h_control->found;
    MCO_TRY(mco_grow(s->ctx, &s->candidate, &s->candidate_room, found + 1));
    *out = (traffic_scan){.candidate = s->candidate};
    for (int32_t k = 0; k < s->live_count; k++) {
        const traffic_place_sum sum = s->h_sum[s->live[k]];
        out->total += sum.total;
        out->excess += sum.excess;
        if (sum.count > 0)
            memcpy(s->candidate + out->count, s->h_found + sum.first, (size_t)sum.count * sizeof *s->candidate);
        out->count += sum.count;
    }
    s->stats->candidates = out->count;
done:
    return st;
}

static mco_status bring_found(gpu_scanner *s)
{
    mco_status st = MCO_OK;
    if (s->h_control->found == 0)
        return MCO_OK;
    MCO_CUDA(s->ctx, cudaMemcpyAsync(s->h_found, s->plan.d_found, (size_t)s->h_control->found * sizeof *s->h_found,
                                     cudaMemcpyDeviceToHost, s->device.stream));
    MCO_TRY(bring_parents(s));
    MCO_TRY(gpu_wait_for(s, s->copied));
    if (s->is_stopped)
        return mco_fail(s->ctx, MCO_ERR_STOPPED, "the scan was stopped");
done:
    return st;
}

// ---- Labels for a proof

// Takes memory for labels, if the device has it. Without them the proof is a search of its own.
static mco_status want_labels(gpu_scanner *s, traffic_certificate *proof)
{
    mco_status st = MCO_OK;
    size_t free_bytes = 0, all_bytes = 0;
    const int64_t each = (int64_t)s->plan.nodes * (int64_t)sizeof(double), most = LABEL_BYTES / each;
    s->proof = NULL;
    s->plan.d_label = NULL;
    if (proof == NULL)
        return MCO_OK;
    MCO_CUDA(s->ctx, cudaMemGetInfo(&free_bytes, &all_bytes));
    if (s->d_label == NULL && (int64_t)(free_bytes / 2) < each * s->places)
        return MCO_OK;
    if (s->d_label == NULL) {
        s->label_places = (int32_t)(most < 1 ? 1 : most < s->places ? most : s->places);
        MCO_TRY(GPU_TAKE_PINNED(s, &s->h_label, (int64_t)s->label_places * s->plan.nodes));
        MCO_TRY(GPU_TAKE(s, &s->d_label, (int64_t)s->places * s->plan.nodes));
    }
    s->plan.d_label = s->d_label;
    s->proof = proof;
done:
    return st;
}

static void prove_item(void *shared, int worker, int64_t item)
{
    gpu_scanner *s = shared;
    const int32_t place = s->label_first + (int32_t)item, row = s->store->batch[place / PAIRS_LANES].row[place % PAIRS_LANES];
    (void)worker;
    if (row >= 0)
        traffic_certificate_row(s->proof, row, s->h_label + (size_t)item * (size_t)s->plan.nodes);
}

// Gives the labels of the last scan to the proof.
static mco_status prove(gpu_scanner *s)
{
    mco_status st = MCO_OK;
    for (s->label_first = 0; s->proof != NULL && s->label_first < s->places; s->label_first += s->label_places) {
        const int32_t left = s->places - s->label_first, count = left < s->label_places ? left : s->label_places;
        MCO_CUDA(s->ctx, cudaMemcpyAsync(s->h_label, s->d_label + (size_t)s->label_first * (size_t)s->plan.nodes,
                                         (size_t)count * (size_t)s->plan.nodes * sizeof *s->h_label, cudaMemcpyDeviceToHost, s->device.stream));
        MCO_TRY(gpu_wait_for(s, s->copied));
        if (s->is_stopped)
            return mco_fail(s->ctx, MCO_ERR_STOPPED, "the proof was stopped");
        mco_team_run(&s->team, count, prove_item, NULL, s);
    }
done:
    return st;
}

static mco_status scan(void *self, const double *cost, double threshold, traffic_certificate *proof, traffic_scan *out)
{
    mco_status st = MCO_OK;
    gpu_scanner *s = self;
    const double begin_s = mco_clock_s();
    double sent_s = begin_s, found_s = begin_s;
    *out = (traffic_scan){0};
    if (s->live_count == 0)
        return MCO_OK;
    s->plan.threshold = threshold;
    MCO_TRY(want_labels(s, proof));
    MCO_TRY(gpu_send_costs(s, cost));
    MCO_TRY(gpu_send_changes(s));
    memcpy(s->h_place, s->live, (size_t)s->live_count * sizeof *s->live);
    sent_s = mco_clock_s();
    MCO_TRY(gpu_run_trees(s, traffic_launch_scan, s->live_count, &s->stats->trees_s));
    if ((int64_t)s->h_control->found > s->plan.room) {
        MCO_TRY(widen(s));
        MCO_TRY(gpu_run_trees(s, traffic_launch_scan, s->live_count, &s->stats->trees_s));
    }
    found_s = mco_clock_s();
    MCO_TRY(bring_found(s));
    MCO_TRY(gather(s, out));
    MCO_TRY(prove(s));
done:
    s->stats->scans++;
    s->stats->upload_s = sent_s - begin_s;
    s->stats->copy_s = mco_clock_s() - found_s;
    s->stats->scan_s = mco_clock_s() - begin_s;
    return st;
}

static traffic_tree tree(void *self, int32_t place)
{
    const gpu_scanner *s = self;
    const size_t at = (size_t)(place / PAIRS_LANES) * (size_t)s->plan.nodes;
    traffic_tree t = {.lane = place % PAIRS_LANES};
    if (s->plan.has_wide_parents)
        t.wide = (const int32_t *)s->h_parent + at * PAIRS_LANES;
    else
        t.narrow = (const uint64_t *)s->h_parent + at;
    return t;
}

// ---- Open and close

static mco_status make_events(gpu_scanner *s)
{
    mco_status st = MCO_OK;
    MCO_CUDA(s->ctx, cudaEventCreate(&s->begun));
    MCO_CUDA(s->ctx, cudaEventCreate(&s->changed));
    MCO_CUDA(s->ctx, cudaEventCreate(&s->ended));
    MCO_CUDA(s->ctx, cudaEventCreate(&s->copied));
done:
    return st;
}

static void close_scanner(void *self)
{
    gpu_scanner *s = self;
    if (s == NULL)
        return;
    mco_context *ctx = s->ctx;
    mco_device_close(&s->device);
    const cudaEvent_t events[] = {s->begun, s->changed, s->ended, s->copied};
    for (int k = 0; k < 4; k++)
        if (events[k] != NULL)
            (void)cudaEventDestroy(events[k]);
    mco_team_close(&s->team);
    for (int k = 0; s->worker_ctx != NULL && k < s->workers; k++)
        if (s->worker_ctx[k] != NULL)
            mco_context_destroy(&s->worker_ctx[k]);
    mco_free(ctx, &s->worker_ctx);
    mco_free(ctx, &s->status);
    mco_free(ctx, &s->candidate);
    mco_free(ctx, &s->live);
    mco_free(ctx, &s);
}

static mco_status open_team(gpu_scanner *s, int64_t threads)
{
    mco_status st = MCO_OK;
    const int settled = mco_settle_threads(threads), workers = settled < MOST_WORKERS ? settled : MOST_WORKERS;
    MCO_TRY(mco_alloc(s->ctx, &s->status, s->store->batches + 1));
    MCO_TRY(mco_alloc(s->ctx, &s->worker_ctx, workers));
    s->workers = workers;
    for (int k = 0; k < workers; k++)
        MCO_TRY(mco_context_create_child(s->ctx, &s->worker_ctx[k]));
    MCO_TRY(mco_team_open(s->ctx, workers, false, &s->team));
done:
    return st;
}

static mco_status open_device(gpu_scanner *s, uint64_t gpus)
{
    mco_status st = MCO_OK;
    mco_gpu list[MCO_MAX_GPUS];
    int count = 0, wanted = 0;
    const char *reason = NULL;
    MCO_TRY(mco_gpus_list(s->ctx, list, &count, &reason));
    while (gpus != 0 && (gpus >> wanted & 1) == 0)
        wanted++;
    if (count == 0)
        return mco_fail(s->ctx, MCO_ERR_DEVICE, "no GPU: %s", reason);
    if (wanted >= count)
        return mco_fail(s->ctx, MCO_ERR_DEVICE, "GPU %d is asked for, there %s %d", wanted, count == 1 ? "is" : "are", count);
    MCO_TRY(mco_device_open(s->ctx, &list[wanted], &s->device));
done:
    return st;
}

mco_status traffic_gpu_scanner(mco_context *ctx, const traffic_call *call, pairs_store *store, const traffic_gpu_tuning *tuning,
                               traffic_scanner *out, traffic_gpu_stats *stats)
{
    mco_status st = MCO_OK;
    gpu_scanner *s = NULL;
    gpu_tables t = {0};
    const double begin_s = mco_clock_s();
    MCO_TRY(mco_alloc(ctx, &s, 1));
    *s = (gpu_scanner){.ctx = ctx, .problem = call->problem, .store = store, .run = call->run, .places = store->batches * PAIRS_LANES};
    s->stats = stats != NULL ? stats : &s->own;
    *s->stats = (traffic_gpu_stats){0};
    if (tuning != NULL)
        s->tuning = *tuning;
    MCO_TRY(open_device(s, call->gpus));
    MCO_TRY(open_team(s, call->params->threads));
    MCO_TRY(gpu_plan(s));
    MCO_TRY(gpu_make_tables(s, &t));
    MCO_TRY(gpu_place_problem(s, &t));
    MCO_TRY(gpu_take_memory(s));
    MCO_TRY(make_events(s));
    MCO_TRY(gpu_wait_for(s, s->copied));  // the tables have been read
    s->stats->open_s = mco_clock_s() - begin_s;
    *out = (traffic_scanner){.self = s, .is_quick = true, .load = gpu_load, .scan = scan, .tree = tree, .close = close_scanner};
    s = NULL;
done:
    close_scanner(s);  // waits for copies that read the tables
    gpu_tables_clear(ctx, &t);
    return st;
}
