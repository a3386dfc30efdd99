// SPDX-License-Identifier: MIT
// The gpu engine on host and generated data, and the interface for data already on a device.
//
// Every GPU takes a contiguous share of the chunks of the fixed tree, or of the segments. It has a host thread of its
// own. A share that does not fit its memory passes through in parts of whole chunks or segments. Host data go through
// two pinned buffers: the host fills one while the other is copied. One GPU whose memory holds all data gives the value
// in one launch. Else the chunks' partial results come back and meet on the host, in the same comb.
#include "reduce/cuda.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/team.h"
#include "device/device_cuda.h"
#include "reduce/job.h"

static const size_t STAGE_BYTES = (size_t)32 << 20, LEAST_STAGE_BYTES = (size_t)1 << 16;  // a pinned buffer
static const size_t SPARE_BYTES = (size_t)512 << 20;   // device memory left to others: buffers, contexts, the display
// If a GPU has fewer segments than FEW_SEGMENTS, of at least LONG_BYTES on average, it reduces one after another.
static const int64_t FEW_SEGMENTS = 256, LONG_BYTES = 1 << 20;

// One GPU's share.
typedef struct worker {
    const reduce_job *job;
    mco_context *ctx;  // of its thread
    mco_device device;
    bool is_alone;     // its share is the whole job
    mco_status status;
    int64_t first, end;      // chunks, or segments of a segmented job
    int64_t part;            // chunks of a part; of a segmented job: most elements of a part
    int64_t parts;
    double copy_s, kernel_s, device_s;
    double *times;           // [repeat] seconds of the kernels
    int64_t repeats;         // done
    void *d_data;
    int64_t *d_offsets;      // of a part's segments
    mco_reduce_value *d_values;
    reduce_partial *d_partials;
    void *d_scratch;
    mco_reduce_value *h_value;  // pinned
    size_t stage_bytes;
    char *h_stage[2];           // [stage_bytes] pinned
    cudaEvent_t staged[2];      // the copy from the buffer is done
} worker;

typedef struct gpu_engine {
    reduce_job *job;
    worker *workers;             // [gpu_count]
    mco_gpu gpus[MCO_MAX_GPUS];  // [gpu_count]
    reduce_partial *partials;  // [REDUCE_MAX_CHUNKS] of the whole array
    reduce_shape shape;  // of the whole array
    int element_bytes;
} gpu_engine;

static reduce_launch_args launch_args(const worker *w, int64_t count, mco_reduce_value *d_value)
{
    const reduce_kind *k = &w->job->kind;
    return (reduce_launch_args){.op = k->op, .type = k->type, .is_compensated = k->is_compensated, .d_data = w->d_data,
                                .count = count, .d_value = d_value, .d_scratch = w->d_scratch,
                                .overlaps = mco_device_overlaps(&w->device)};
}

// ---- Data

static mco_status upload(worker *w, const char *from, size_t bytes)
{
    mco_status st = MCO_OK;
    cudaStream_t stream = w->device.stream;
    char *to = w->d_data;
    for (int k = 0; bytes > 0; k ^= 1) {
        const size_t size = bytes < w->stage_bytes ? bytes : w->stage_bytes;
        MCO_CUDA(w->ctx, cudaEventSynchronize(w->staged[k]));
        memcpy(w->h_stage[k], from, size);
        MCO_CUDA(w->ctx, cudaMemcpyAsync(to, w->h_stage[k], size, cudaMemcpyHostToDevice, stream));
        MCO_CUDA(w->ctx, cudaEventRecord(w->staged[k], stream));
        from += size;
        to += size;
        bytes -= size;
    }
done:
    return st;
}

// Copies or generates elements begin .. begin + count - 1 in d_data.
static mco_status bring(worker *w, int64_t begin, int64_t count)
{
    mco_status st = MCO_OK;
    const reduce_job *job = w->job;
    const int bytes = reduce_element_bytes(job->kind.type);
    const double begin_s = mco_clock_s();
    if (job->data == NULL)
        MCO_CUDA(w->ctx, reduce_launch_generate(job->kind.type, job->seed, begin, count, w->d_data, w->device.stream));
    else
        MCO_TRY(upload(w, (const char *)job->data + begin * bytes, (size_t)(count * bytes)));
    MCO_CUDA(w->ctx, cudaStreamSynchronize(w->device.stream));
    w->copy_s += mco_clock_s() - begin_s;
done:
    return st;
}

// ---- A whole array

static mco_status launch_timed(worker *w, const reduce_launch_args *args, int32_t first, int32_t chunks, double *seconds)
{
    mco_status st = MCO_OK;
    double s;
    cudaStream_t stream = w->device.stream;
    MCO_TRY(mco_device_start_clock(&w->device));
    if (args->d_value != NULL)
        MCO_CUDA(w->ctx, reduce_launch(args, stream));
    else
        MCO_CUDA(w->ctx, reduce_launch_chunks(args, w->job->count, first, chunks, w->d_partials + (first - w->first), stream));
    MCO_TRY(mco_device_stop_clock(&w->device, &s));
    *seconds += s;
done:
    return st;
}

// Whether another repeat follows: the first in any case, the others until a cancellation.
static bool goes_on(const worker *w)
{
    return w->repeats == 0 || (w->repeats < w->job->params->repeat && !mco_is_cancelled(w->job->ctx));
}

static mco_status reduce_chunks_of(const gpu_engine *e, worker *w)
{
    mco_status st = MCO_OK;
    const bool is_one_launch = w->is_alone && w->parts == 1;
    for (; goes_on(w); w->repeats++)
        for (int64_t c = w->first; c < w->end || (c == w->first && is_one_launch); c += w->part) {
            const int64_t chunks = w->end - c < w->part ? w->end - c : w->part;
            const int64_t begin = c * e->shape.chunk, left = e->shape.count - begin;
            const int64_t count = left < chunks * e->shape.chunk ? left : chunks * e->shape.chunk;
            const reduce_launch_args args = launch_args(w, count, is_one_launch ? w->h_value : NULL);
            if (w->repeats == 0 || w->parts > 1)
                MCO_TRY(bring(w, begin, count));
            MCO_TRY(launch_timed(w, &args, (int32_t)c, (int32_t)chunks, &w->times[w->repeats]));
        }
    if (is_one_launch)
        w->job->values[0] = *w->h_value;
    else
        MCO_CUDA(w->ctx, cudaMemcpy(e->partials + w->first, w->d_partials, (size_t)(w->end - w->first) * sizeof *w->d_partials,
                                    cudaMemcpyDeviceToHost));
done:
    return st;
}

// ---- Segments

// The end of the part that begins at segment s. The part is one segment or more; if it has more than one, they have at
// most w->part elements together.
static int64_t part_end(const worker *w, int64_t s)
{
    const int64_t begin = reduce_segment_begin(w->job, s);
    int64_t low = s + 1, high = w->end;  // the end of the part is in [low, high]
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (reduce_segment_begin(w->job, middle) - begin <= w->part)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// Copies the offsets of segments s .. end to the device, counted from the begin of segment s.
static mco_status bring_offsets(worker *w, int64_t s, int64_t end)
{
    mco_status st = MCO_OK;
    const int64_t begin = reduce_segment_begin(w->job, s), at_once = (int64_t)(w->stage_bytes / sizeof(int64_t));
    if (w->job->offsets == NULL)
        return MCO_OK;
    for (int64_t k = s; k <= end; k += at_once) {
        const int64_t count = end + 1 - k < at_once ? end + 1 - k : at_once;
        int64_t *stage = (int64_t *)(void *)w->h_stage[0];
        for (int64_t i = 0; i < count; i++)
            stage[i] = w->job->offsets[k + i] - begin;
        MCO_CUDA(w->ctx, cudaMemcpy(w->d_offsets + (k - s), stage, (size_t)count * sizeof *stage, cudaMemcpyHostToDevice));
    }
done:
    return st;
}

static mco_status launch_segments(worker *w, int64_t s, int64_t end, int64_t count)
{
    mco_status st = MCO_OK;
    reduce_launch_args args = launch_args(w, count, NULL);
    const int64_t begin = reduce_segment_begin(w->job, s), mean = end > s ? count / (end - s) : 0;
    const int bytes = reduce_element_bytes(w->job->kind.type);
    if (w->job->offsets == NULL || end - s >= FEW_SEGMENTS || mean * bytes < LONG_BYTES) {
        const int64_t length = w->job->offsets == NULL ? w->job->length : mean;
        MCO_CUDA(w->ctx, reduce_launch_segments(&args, w->d_offsets, length, end - s, w->d_values, w->device.stream));
        return MCO_OK;
    }
    for (int64_t k = s; k < end; k++) {
        const int64_t from = reduce_segment_begin(w->job, k) - begin;
        args.d_data = (const char *)w->d_data + from * bytes;
        args.count = reduce_segment_begin(w->job, k + 1) - begin - from;
        args.d_value = w->d_values + (k - s);
        MCO_CUDA(w->ctx, reduce_launch(&args, w->device.stream));
    }
done:
    return st;
}

static mco_status reduce_segments_of(worker *w)
{
    mco_status st = MCO_OK;
    double s_of_launch;
    for (; goes_on(w); w->repeats++)
        for (int64_t s = w->first, end; s < w->end; s = end) {
            end = part_end(w, s);
            const int64_t begin = reduce_segment_begin(w->job, s), count = reduce_segment_begin(w->job, end) - begin;
            if (w->repeats == 0 || w->parts > 1) {
                MCO_TRY(bring(w, begin, count));
                MCO_TRY(bring_offsets(w, s, end));
            }
            MCO_TRY(mco_device_start_clock(&w->device));
            MCO_TRY(launch_segments(w, s, end, count));
            MCO_TRY(mco_device_stop_clock(&w->device, &s_of_launch));
            w->times[w->repeats] += s_of_launch;
            if (w->repeats == 0)
                MCO_CUDA(w->ctx, cudaMemcpy(w->job->values + s, w->d_values, (size_t)(end - s) * sizeof *w->d_values,
                                            cudaMemcpyDeviceToHost));
        }
done:
    return st;
}

// ---- Room

static mco_status refuse_size(const worker *w, const char *what, int64_t bytes, size_t room)
{
    return mco_fail(w->ctx, MCO_ERR_MEMORY, "GPU %d: %s has %.3f GB, %.3f GB of device memory are free for data",
                    w->device.info.index, what, (double)bytes * 1e-9, (double)room * 1e-9);
}

// Decides how much of the share is in device memory at a time; `room` is in bytes. Errors: MEMORY if one chunk or one
// segment does not fit.
static mco_status plan_parts(const gpu_engine *e, worker *w, size_t room)
{
    const int64_t fits = (int64_t)(room / (size_t)e->element_bytes);
    if (!e->job->is_segmented) {
        w->part = fits / e->shape.chunk < w->end - w->first ? fits / e->shape.chunk : w->end - w->first;
        if (w->part == 0 && w->end > w->first)
            return refuse_size(w, "one chunk", e->shape.chunk * e->element_bytes, room);
        w->part = w->part > 0 ? w->part : 1;
        w->parts = w->end > w->first ? reduce_ceil_div(w->end - w->first, w->part) : 1;
        return MCO_OK;
    }
    w->part = fits;
    for (int64_t s = w->first, end; s < w->end; s = end) {
        end = part_end(w, s);
        const int64_t count = reduce_segment_begin(w->job, end) - reduce_segment_begin(w->job, s);
        if (count > fits)
            return refuse_size(w, "one segment", count * e->element_bytes, room);
        w->parts++;
    }
    w->parts = w->parts > 0 ? w->parts : 1;
    return MCO_OK;
}

// An upper bound of the elements in a part.
static int64_t share_elements(const gpu_engine *e, const worker *w)
{
    if (e->job->is_segmented) {
        const int64_t all = reduce_segment_begin(w->job, w->end) - reduce_segment_begin(w->job, w->first);
        return w->parts == 1 ? all : w->part;
    }
    const int64_t most = w->part * e->shape.chunk, all = e->shape.count - w->first * e->shape.chunk;
    return most < all ? most : all;
}

static mco_status make_room(const gpu_engine *e, worker *w)
{
    mco_status st = MCO_OK;
    mco_device *d = &w->device;
    size_t free_bytes, all_bytes;
    const size_t segments = e->job->is_segmented ? (size_t)(w->end - w->first) : 0;
    const size_t bytes = (size_t)(w->job->count * e->element_bytes);
    w->stage_bytes = bytes < LEAST_STAGE_BYTES ? LEAST_STAGE_BYTES : bytes < STAGE_BYTES ? bytes : STAGE_BYTES;
    MCO_TRY(mco_device_take_bytes(d, MCO_MEMORY_DEVICE, &w->d_scratch, reduce_scratch_bytes(), 1));
    MCO_CUDA(w->ctx, cudaMemsetAsync(w->d_scratch, 0, reduce_scratch_bytes(), d->stream));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &w->d_partials, REDUCE_MAX_CHUNKS));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_PINNED, &w->h_value, 1));
    if (segments > 0)
        MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &w->d_values, segments));
    if (segments > 0 && w->job->offsets != NULL)
        MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &w->d_offsets, segments + 1));
    for (int k = 0; k < 2 && (w->job->data != NULL || w->d_offsets != NULL); k++) {
        MCO_TRY(mco_device_take(d, MCO_MEMORY_PINNED, &w->h_stage[k], w->stage_bytes));
        MCO_CUDA(w->ctx, cudaEventCreateWithFlags(&w->staged[k], cudaEventDisableTiming));
    }
    MCO_CUDA(w->ctx, cudaMemGetInfo(&free_bytes, &all_bytes));
    MCO_TRY(plan_parts(e, w, free_bytes > SPARE_BYTES ? free_bytes - SPARE_BYTES : 0));
    MCO_TRY(mco_device_take_bytes(d, MCO_MEMORY_DEVICE, &w->d_data, (size_t)share_elements(e, w), (size_t)e->element_bytes));
    MCO_TRY(mco_alloc(w->ctx, &w->times, w->job->params->repeat));
done:
    return st;
}

// ---- One GPU

static mco_status run_share(const gpu_engine *e, worker *w, const mco_gpu *gpu)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_device_open(w->ctx, gpu, &w->device));
    MCO_TRY(make_room(e, w));
    MCO_TRY(e->job->is_segmented ? reduce_segments_of(w) : reduce_chunks_of(e, w));
    w->kernel_s = reduce_median(w->times, w->repeats);
    w->device_s = w->device.kernel_s;
done:
    for (int k = 0; k < 2; k++)
        if (w->staged[k] != NULL)
            (void)cudaEventDestroy(w->staged[k]);
    mco_free(w->ctx, &w->times);
    mco_device_close(&w->device);  // this also frees all its memory
    return st;
}

static void share_main(void *shared, int index)
{
    gpu_engine *e = shared;
    worker *w = &e->workers[index];
    w->status = run_share(e, w, &e->gpus[index]);
}

// ---- All GPUs

// Divides the job among the GPUs: equal numbers of chunks, or about equal numbers of elements in whole segments.
static void divide(const gpu_engine *e, int gpu_count)
{
    const reduce_job *job = e->job;
    for (int g = 0; g < gpu_count; g++) {
        worker *w = &e->workers[g];
        w->is_alone = gpu_count == 1;
        w->first = g == 0 ? 0 : e->workers[g - 1].end;
        if (!e->job->is_segmented) {
            w->end = (int64_t)e->shape.chunks * (g + 1) / gpu_count;
            continue;
        }
        const int64_t wanted = (int64_t)((double)job->count * (g + 1) / gpu_count);
        int64_t low = w->first, high = job->segments;
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            if (reduce_segment_begin(job, middle) < wanted)
                low = middle + 1;
            else
                high = middle;
        }
        w->end = g == gpu_count - 1 ? job->segments : low;
    }
}

static mco_status run_all(gpu_engine *e, int gpu_count)
{
    mco_status st = MCO_OK;
    mco_team team = {0};
    reduce_job *job = e->job;
    for (int g = 0; g < gpu_count; g++) {
        e->workers[g].job = job;
        e->workers[g].ctx = gpu_count == 1 ? job->ctx : NULL;
        // Threads that run at the same time need a context each for their messages.
        if (gpu_count > 1 && mco_context_create(&e->workers[g].ctx, NULL) != MCO_OK)
            return mco_fail(job->ctx, MCO_ERR_MEMORY, "out of memory: the context of GPU %d", e->gpus[g].index);
    }
    if (gpu_count == 1) {
        share_main(e, 0);
        return e->workers[0].status;
    }
    MCO_TRY(mco_team_start(job->ctx, gpu_count, share_main, e, &team));
    mco_team_join(&team);
    for (int g = 0; g < gpu_count; g++)
        if (e->workers[g].status != MCO_OK)
            MCO_TRY(mco_fail(job->ctx, e->workers[g].status, "%s", mco_context_error(e->workers[g].ctx)));
done:
    return st;
}

static void sum_up(gpu_engine *e, int gpu_count)
{
    mco_reduce_result *r = e->job->result;
    r->work.threads = gpu_count;
    r->parts = 0;
    for (int g = 0; g < gpu_count; g++) {
        const worker *w = &e->workers[g];
        r->parts = w->parts > r->parts ? w->parts : r->parts;
        r->copy_s = w->copy_s > r->copy_s ? w->copy_s : r->copy_s;
        r->kernel_s = w->kernel_s > r->kernel_s ? w->kernel_s : r->kernel_s;
        r->work.device_s += w->device_s;
        r->repeats = g == 0 || w->repeats < r->repeats ? w->repeats : r->repeats;
        r->work.gpus |= (uint64_t)1 << e->gpus[g].index;
    }
    for (int64_t s = 0; s < e->job->segments; s++) {
        const int64_t count = reduce_segment_begin(e->job, s + 1) - reduce_segment_begin(e->job, s);
        r->chunks += reduce_shape_of(count, e->element_bytes).chunks;
    }
    if (!e->job->is_segmented && (gpu_count > 1 || r->parts > 1))
        e->job->values[0] = reduce_comb(&e->job->kind, e->partials, e->shape.chunks);
    mco_log(e->job->ctx, MCO_LOG_INFO, "%d GPU%s, at most %lld part%s each", gpu_count, mco_plural(gpu_count),
            (long long)r->parts, mco_plural(r->parts));
}

mco_status reduce_gpu(reduce_job *job)
{
    mco_status st = MCO_OK;
    int gpu_count = 0;
    const int element_bytes = reduce_element_bytes(job->kind.type);
    gpu_engine e = {.job = job, .shape = reduce_shape_of(job->count, element_bytes),
                    .element_bytes = element_bytes};
    MCO_TRY(mco_gpus_choose(job->ctx, job->params->gpus, e.gpus, &gpu_count));
    MCO_TRY(mco_alloc(job->ctx, &e.workers, gpu_count));
    MCO_TRY(mco_alloc(job->ctx, &e.partials, REDUCE_MAX_CHUNKS));
    divide(&e, gpu_count);
    MCO_TRY(run_all(&e, gpu_count));
    sum_up(&e, gpu_count);
done:
    for (int g = 0; g < gpu_count && gpu_count > 1 && e.workers != NULL; g++)
        mco_context_destroy(&e.workers[g].ctx);
    mco_free(job->ctx, &e.partials);
    mco_free(job->ctx, &e.workers);
    return st;
}

// ---- Device data

struct mco_reduce_workspace {
    mco_device device;
    void *d_scratch;
};

mco_status mco_reduce_workspace_create(mco_context *ctx, int gpu, mco_reduce_workspace **out)
{
    mco_status st = MCO_OK;
    mco_reduce_workspace *w = NULL;
    char name[16];
    if (ctx == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    snprintf(name, sizeof name, "%d", gpu);
    MCO_TRY(mco_alloc(ctx, &w, 1));
    MCO_TRY(mco_device_open_named(ctx, name, &w->device));
    MCO_TRY(mco_device_take_bytes(&w->device, MCO_MEMORY_DEVICE, &w->d_scratch, reduce_scratch_bytes(), 1));
    MCO_CUDA(ctx, cudaMemset(w->d_scratch, 0, reduce_scratch_bytes()));
    MCO_CUDA(ctx, cudaDeviceSynchronize());
    *out = w;
    return MCO_OK;
done:
    mco_reduce_workspace_destroy(ctx, &w);
    return st;
}

void mco_reduce_workspace_destroy(mco_context *ctx, mco_reduce_workspace **workspace)
{
    if (workspace == NULL || *workspace == NULL)
        return;
    mco_device_close(&(*workspace)->device);
    mco_free(ctx, workspace);
}

static mco_status refuse_device(mco_context *ctx, const mco_reduce_workspace *w, const void *d_data, int64_t count,
                                const mco_reduce_value *d_value)
{
    if (ctx == NULL || w == NULL || d_value == NULL || (d_data == NULL && count != 0))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if ((uintptr_t)d_value % sizeof *d_value != 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the value starts at an address with remainder %d modulo %d, 0 was expected",
                        (int)((uintptr_t)d_value % sizeof *d_value), (int)sizeof *d_value);
    return MCO_OK;
}

mco_status mco_reduce_device(mco_context *ctx, mco_reduce_workspace *workspace, mco_reduce_op op, mco_reduce_type type,
                             bool is_compensated, const void *d_data, int64_t count, mco_reduce_value *d_value,
                             void *stream)
{
    mco_status st = MCO_OK;
    const reduce_kind kind = {op, type, is_compensated};
    MCO_TRY(refuse_device(ctx, workspace, d_data, count, d_value));
    MCO_TRY(reduce_refuse(ctx, &kind, d_data, count));
    MCO_CUDA(ctx, cudaSetDevice(workspace->device.info.index));
    const reduce_launch_args args = {.op = op, .type = type, .is_compensated = is_compensated, .d_data = d_data, .count = count,
                                     .d_value = d_value, .d_scratch = workspace->d_scratch,
                                     .overlaps = mco_device_overlaps(&workspace->device)};
    MCO_CUDA(ctx, reduce_launch(&args, stream));
done:
    return st;
}

mco_status mco_reduce_segments_device(mco_context *ctx, mco_reduce_workspace *workspace, mco_reduce_op op,
                                      mco_reduce_type type, bool is_compensated, const void *d_data,
                                      const int64_t *d_offsets, int64_t mean_length, int64_t segments,
                                      mco_reduce_value *d_values, void *stream)
{
    mco_status st = MCO_OK;
    int64_t count = 0;
    const reduce_kind kind = {op, type, is_compensated};
    MCO_TRY(reduce_refuse_segments(ctx, segments));
    if (segments == 0)
        return MCO_OK;
    if (mean_length < 0 || __builtin_mul_overflow(mean_length, segments, &count))
        count = mean_length < 0 ? -1 : INT64_MAX;
    MCO_TRY(refuse_device(ctx, workspace, d_data, count, d_values));
    // With offsets on the device the lengths are unknown. A mean length of 0 does not tell that all segments are empty,
    // so it is no reason to refuse argmin or argmax.
    MCO_TRY(reduce_refuse(ctx, &kind, d_data, d_offsets != NULL && count == 0 ? 1 : count));
    MCO_CUDA(ctx, cudaSetDevice(workspace->device.info.index));
    const reduce_launch_args args = {.op = op, .type = type, .is_compensated = is_compensated, .d_data = d_data, .count = count,
                                     .d_scratch = workspace->d_scratch, .overlaps = mco_device_overlaps(&workspace->device)};
    MCO_CUDA(ctx, reduce_launch_segments(&args, d_offsets, mean_length, segments, d_values, stream));
done:
    return st;
}
