// SPDX-License-Identifier: MIT
// Timing: calls or graphs of calls between two events, competitors interleaved in rounds.
#include "measure.h"

#include <stdlib.h>
#include <string.h>

static const unsigned long long HOLD_LEAST_NS = 20000, HOLD_MOST_NS = 2000000;
static const double ROUND_OVERHEAD_S = 60e-6;  // of a sample: hold, enqueue, wait; serves only to choose sample counts
enum { ALIGNMENT = 256, SAME_HOLD_TRIES = 2, LATE_TRIES = 20, POISON = 0xa5 };

static size_t slot_bytes_of(int64_t count)
{
    return ((size_t)count * BENCH_ITEM_BYTES + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

size_t bench_data_bytes(const bench_run *run, size_t most)
{
    return (most + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + ROTATION_L2 * run->device.info.l2_bytes;
}

static bench_shape shape_of(const bench_run *run, const bench_case *c)
{
    bench_shape s = {.calls = 1, .slots = 1, .slot_bytes = slot_bytes_of(c->count), .samples = run->repeat};
    if (c->is_rotating)
        s.slots = (int)(ROTATION_L2 * run->device.info.l2_bytes / s.slot_bytes) + 1;
    if (c->clock == BENCH_CLOCK_GRAPH)
        s.calls = c->is_rotating ? s.slots : GRAPH_CALLS;
    return s;
}

// ---- Results

static const bench_reference *reference_of(const bench_run *run, int64_t count)
{
    for (int i = 0; i < run->reference_count; i++)
        if (run->references[i].count == count)
            return &run->references[i];
    return NULL;
}

static bool is_right(const bench_reference *ref, const bench_case *c, const bench_result *r)
{
    bench_op value_op = c->op == BENCH_ARGMIN ? BENCH_MIN : c->op;
    const bench_scalar *expected = &ref->value[c->type][value_op];
    bool same = c->type == BENCH_I32 ? r->value.i32 == expected->i32 : r->value.f32 == expected->f32;
    return same && (c->op != BENCH_ARGMIN || r->index == ref->argmin[c->type]);
}

// Checks what the last call left in d_out. The data of that call must begin at the first item.
static mco_status check_result(bench_run *run, const bench_case *c, bench_entry *e)
{
    mco_status st = MCO_OK;
    unsigned char out[BENCH_RESULT_BYTES];
    const bench_reference *ref = reference_of(run, c->count);
    if (e->who.read == NULL)
        return MCO_OK;
    if (ref == NULL)
        return mco_fail(run->ctx, MCO_ERR_INTERNAL, "no reference value for %lld items", (long long)c->count);
    MCO_CUDA(run->ctx, cudaMemcpyAsync(out, e->job.d_out, sizeof out, cudaMemcpyDeviceToHost, run->device.stream));
    MCO_CUDA(run->ctx, cudaStreamSynchronize(run->device.stream));
    bench_result r = e->who.read(out, c->op, c->type);
    if (!is_right(ref, c, &r) && !e->is_wrong) {
        e->is_wrong = true;
        run->wrong_results++;
    }
done:
    return st;
}

// Runs each competitor once on the first buffer and checks it.
static mco_status run_and_check(bench_run *run, const bench_case *c, bench_entry *entries, int entry_count)
{
    mco_status st = MCO_OK;
    for (int i = 0; i < entry_count; i++) {
        bench_entry *e = &entries[i];
        MCO_CUDA(run->ctx, cudaMemsetAsync(e->job.d_out, POISON, BENCH_RESULT_BYTES, run->device.stream));
        MCO_CUDA(run->ctx, e->who.run(&e->who, &e->job));
        MCO_TRY(check_result(run, c, e));
    }
done:
    return st;
}

// ---- Samples

static cudaError_t enqueue_call(const bench_run *run, const bench_shape *shape, const bench_entry *e, int slot)
{
    bench_job job = e->job;
    job.d_in = run->d_data + (size_t)slot * shape->slot_bytes;
    return e->who.run(&e->who, &job);
}

// Captures shape->calls calls, which take the buffers in turn, into a graph.
static mco_status capture(bench_run *run, const bench_shape *shape, bench_entry *e)
{
    mco_status st = MCO_OK;
    cudaGraph_t graph = NULL;
    cudaError_t error = cudaSuccess;
    MCO_CUDA(run->ctx, cudaStreamBeginCapture(run->device.stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < shape->calls && error == cudaSuccess; i++)
        error = enqueue_call(run, shape, e, i % shape->slots);
    cudaError_t end_error = cudaStreamEndCapture(run->device.stream, &graph);  // also after an error: ends it
    MCO_CUDA(run->ctx, error);
    MCO_CUDA(run->ctx, end_error);
    MCO_CUDA(run->ctx, cudaGraphInstantiate(&e->graph, graph, 0));
    MCO_CUDA(run->ctx, cudaGraphUpload(e->graph, run->device.stream));
done:
    if (graph != NULL)
        (void)cudaGraphDestroy(graph);
    return st;
}

// Enqueues hold, event, work, event. *is_late: the hold ended before the host had enqueued everything.
static mco_status enqueue_sample(bench_run *run, const bench_shape *shape, const bench_entry *e, int slot, bool *is_late)
{
    mco_status st = MCO_OK;
    cudaStream_t stream = run->device.stream;
    MCO_CUDA(run->ctx, bench_hold(run->hold_ns, stream));
    MCO_CUDA(run->ctx, cudaEventRecord(run->device.begin, stream));
    MCO_CUDA(run->ctx, e->graph != NULL ? cudaGraphLaunch(e->graph, stream) : enqueue_call(run, shape, e, slot));
    MCO_CUDA(run->ctx, cudaEventRecord(run->device.end, stream));
    cudaError_t begun = cudaEventQuery(run->device.begin);
    *is_late = begun == cudaSuccess;
    if (begun == cudaErrorNotReady)
        (void)cudaGetLastError();  // "not ready" is an answer here; the next launch must not see it as an error
    else
        MCO_CUDA(run->ctx, begun);
done:
    return st;
}

// Seconds of one call. A late sample is taken again; after every second late one the hold becomes longer.
static mco_status take_sample(bench_run *run, const bench_shape *shape, const bench_entry *e, int slot, double *seconds)
{
    mco_status st = MCO_OK;
    float ms = 0;
    bool is_late = true;
    for (int attempt = 0; is_late && attempt < LATE_TRIES; attempt++) {
        MCO_TRY(enqueue_sample(run, shape, e, slot, &is_late));
        MCO_CUDA(run->ctx, cudaEventSynchronize(run->device.end));
        if (is_late && attempt % SAME_HOLD_TRIES == 1 && run->hold_ns < HOLD_MOST_NS)
            run->hold_ns *= 2;
    }
    run->late_samples += is_late;
    MCO_CUDA(run->ctx, cudaEventElapsedTime(&ms, run->device.begin, run->device.end));
    *seconds = 1e-3 * (double)ms / shape->calls;
done:
    return st;
}

// Round r begins with competitor r modulo their number, so that with two, ours and CUB begin in turn. Single calls on
// rotating buffers each take the next buffer.
static mco_status take_round(bench_run *run, const bench_shape *shape, bench_entry *entries, int entry_count, int round,
                             int sample, int *next_slot)
{
    mco_status st = MCO_OK;
    for (int i = 0; i < entry_count; i++) {
        bench_entry *e = &entries[(round + i) % entry_count];
        MCO_TRY(take_sample(run, shape, e, *next_slot, &e->samples[sample]));
        *next_slot = (*next_slot + 1) % shape->slots;
    }
done:
    return st;
}

// ---- Medians

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Returns the median and sorts the values.
static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static void summarise(bench_entry *entries, int entry_count, int samples, double *scratch)
{
    const bench_entry *cub = NULL;
    for (int i = 0; i < entry_count; i++)
        if (entries[i].who.is_cub)
            cub = &entries[i];
    for (int i = 0; i < entry_count && cub != NULL; i++) {
        for (int r = 0; r < samples; r++)
            scratch[r] = entries[i].samples[r] / cub->samples[r];
        entries[i].pairs_ratio = median(scratch, samples);
    }
    for (int i = 0; i < entry_count; i++) {
        entries[i].median_s = median(entries[i].samples, samples);
        entries[i].least_s = entries[i].samples[0];
    }
}

// ---- One case

static mco_status prepare(bench_run *run, const bench_case *c, bench_entry *entries, int entry_count)
{
    mco_status st = MCO_OK;
    mco_device *d = &run->device;
    for (int i = 0; i < entry_count; i++) {
        bench_entry *e = &entries[i];
        bench_competitor who = e->who;
        size_t bytes = 0;
        *e = (bench_entry){.who = who};
        e->job = (bench_job){.op = c->op,
                             .type = c->type,
                             .d_in = run->d_data,
                             .count = c->count,
                             .multiprocessors = d->info.multiprocessors,
                             .stream = d->stream};
        MCO_CUDA(run->ctx, who.scratch_bytes(&who, &e->job, &bytes));
        bytes = bytes > 0 ? bytes : 1;
        MCO_TRY(mco_device_take_bytes(d, MCO_MEMORY_DEVICE, &e->job.d_scratch, bytes, 1));
        MCO_TRY(mco_device_take_bytes(d, MCO_MEMORY_DEVICE, &e->job.d_out, BENCH_RESULT_BYTES, 1));
        MCO_CUDA(run->ctx, cudaMemsetAsync(e->job.d_scratch, 0, bytes, d->stream));
        e->job.scratch_bytes = bytes;
        MCO_TRY(mco_alloc(run->ctx, &e->samples, run->repeat > LEAST_SAMPLES ? run->repeat : LEAST_SAMPLES));
    }
done:
    return st;
}

static void release(bench_run *run, bench_entry *entries, int entry_count)
{
    for (int i = 0; i < entry_count; i++) {
        bench_entry *e = &entries[i];
        if (e->graph != NULL)
            (void)cudaGraphExecDestroy(e->graph);
        e->graph = NULL;
        mco_free(run->ctx, &e->samples);
        mco_device_give_bytes(&run->device, &e->job.d_out);
        mco_device_give_bytes(&run->device, &e->job.d_scratch);
    }
}

// The number of rounds that the budget allows, from the time of the round that was just taken.
static int rounds_within(const bench_case *c, const bench_shape *shape, const bench_entry *entries, int entry_count)
{
    double round_s = 0;
    for (int i = 0; i < entry_count; i++)
        round_s += entries[i].samples[0] * shape->calls + ROUND_OVERHEAD_S;
    if (c->budget_s <= 0 || round_s * shape->samples <= c->budget_s)
        return shape->samples;
    int rounds = (int)(c->budget_s / round_s);
    return rounds > LEAST_SAMPLES ? rounds : LEAST_SAMPLES;
}

// Takes two rounds to warm up, of which the second estimates the time, and then the rounds that count.
static mco_status take_rounds(bench_run *run, const bench_case *c, bench_entry *entries, int entry_count, bench_shape *shape)
{
    enum { WARM_UP = 2 };
    mco_status st = MCO_OK;
    int next_slot = 0;
    run->hold_ns = HOLD_LEAST_NS;
    for (int r = 0; r < WARM_UP; r++)
        MCO_TRY(take_round(run, shape, entries, entry_count, 0, 0, &next_slot));
    shape->samples = rounds_within(c, shape, entries, entry_count);
    for (int r = 0; r < shape->samples; r++)
        MCO_TRY(take_round(run, shape, entries, entry_count, r, r, &next_slot));
done:
    return st;
}

mco_status bench_measure(bench_run *run, const bench_case *c, bench_entry *entries, int entry_count, bench_shape *shape)
{
    mco_status st = MCO_OK;
    double *scratch = NULL;
    *shape = shape_of(run, c);
    MCO_TRY(prepare(run, c, entries, entry_count));
    MCO_TRY(mco_alloc(run->ctx, &scratch, run->repeat > LEAST_SAMPLES ? run->repeat : LEAST_SAMPLES));
    if ((size_t)shape->slots * shape->slot_bytes > run->data_bytes)
        MCO_TRY(mco_fail(run->ctx, MCO_ERR_INTERNAL, "%d buffers of %zu bytes in an allocation of %zu", shape->slots,
                         shape->slot_bytes, run->data_bytes));
    MCO_TRY(run_and_check(run, c, entries, entry_count));
    for (int i = 0; i < entry_count && c->clock == BENCH_CLOCK_GRAPH; i++)
        MCO_TRY(capture(run, shape, &entries[i]));
    // Fills the L2, so that the first samples find in it what later ones find.
    for (int slot = 0; slot < shape->slots && c->is_rotating; slot++)
        MCO_CUDA(run->ctx, enqueue_call(run, shape, &entries[0], slot));
    MCO_TRY(take_rounds(run, c, entries, entry_count, shape));
    // With one buffer, the last timed call of each competitor left the reduction of that buffer.
    for (int i = 0; i < entry_count && !c->is_rotating; i++)
        MCO_TRY(check_result(run, c, &entries[i]));
    summarise(entries, entry_count, shape->samples, scratch);
done:
    (void)cudaStreamSynchronize(run->device.stream);  // also after an error: the memory goes back to the pool
    mco_free(run->ctx, &scratch);
    release(run, entries, entry_count);
    return st;
}
