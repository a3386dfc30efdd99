// SPDX-License-Identifier: MIT
// The gpu engine. It runs the units of one step after another (guillotine/gpu_units.h), finds the plan by a kernel, and
// copies the table where it is wanted. Values have 32 bits where they fit, else 64. It does not support stages.
//
// The host makes units while the GPU works on earlier ones. Units go in batches through two device buffers, and are
// copied on a stream of their own. The first batch is launched in small parts, so that the GPU begins at once. The run
// can be stopped between batches.
#include <string.h>

#include "base/clock.h"
#include "device/device_cuda.h"
#include "guillotine/cuda.h"
#include "guillotine/engine.h"
#include "guillotine/gpu_copy.h"
#include "guillotine/gpu_parts.h"
#include "guillotine/gpu_units.h"
#include "guillotine/waste_gpu.h"

_Static_assert((int)GUILLOTINE_TRACE_WASTE == (int)GUILLOTINE_WASTE_STEP &&
                   (int)GUILLOTINE_TRACE_PIECE == (int)GUILLOTINE_PIECE_STEP &&
                   (int)GUILLOTINE_TRACE_X == (int)GUILLOTINE_X_STEP && (int)GUILLOTINE_TRACE_Y == (int)GUILLOTINE_Y_STEP,
               "a node has the kind of a step");

enum {
    UNITS_OF_MULTIPROCESSOR = 4,   // resident together: registers and shared memory of relax_queue() allow that
    BATCH_UNITS = 1 << 17,
    TRACE_MOST = 1 << 22,          // nodes: 117 MB
};
static const double BATCH_WORK = 2e12;                      // sums of a batch: some tenths of a second
static const int64_t SPARE_BYTES = (int64_t)256 << 20;      // device memory left to others

// Arrays that lie in one block on the host, and at the same offsets in one block on the device.
typedef struct arena {
    char *host, *device;
    size_t used, bytes, device_bytes;  // placed so far; of the arrays that both sides have; of all arrays
} arena;

// Phases of a run by the wall clock, for the log.
typedef enum gpu_phase {
    PHASE_CHOOSE,
    PHASE_OPEN,
    PHASE_MEMORY,
    PHASE_UNITS,
    PHASE_KERNELS,
    PHASE_PLAN,
    PHASE_TABLE,
    PHASE_CLOSE,
    PHASES
} gpu_phase;

typedef struct gpu_engine {
    mco_context *ctx;
    const guillotine_job *job;
    mco_device device;
    guillotine_schedule schedule;
    guillotine_device_tables tables;
    arena arena;
    size_t table_bytes[2];
    guillotine_unit *units;  // [batch_units]
    int64_t batch_units;
    guillotine_unit *d_units[2];
    cudaEvent_t arrived, used[2];  // units have arrived; a buffer is no longer in use
    int32_t *d_done, *d_taken;     // [steps] units done of each step; units taken of each launch
    int32_t *d_stop;               // 1: the kernels end
    int32_t launches;
    int64_t part_units;            // of the next launch
    cudaEvent_t marks[2];          // pieces placed, steps done; NULL unless the log wants them
    double phase_s[PHASES], now_s;
    guillotine_copier copier;
    guillotine_trace *trace, *d_trace;
    int32_t trace_capacity;
} gpu_engine;

// ---- Axes and pieces

// Places an array of `bytes` on both sides. Returns its device pointer; *host is its host pointer. Without memory, in
// the first round, only the size is counted and both are NULL.
static void *carve(arena *a, size_t bytes, void **host)
{
    enum { ALIGNED = 256 };
    void *device = a->device != NULL ? a->device + a->used : NULL;
    *host = a->host != NULL ? a->host + a->used : NULL;
    a->used += (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    return device;
}

static void fill_axis(const guillotine_bands *b, int32_t *at, int32_t *last_at, uint32_t *patterns)
{
    const int32_t side = b->at[b->count - 1];
    memcpy(at, b->at, (size_t)b->count * sizeof *at);
    memcpy(last_at, b->last_at, ((size_t)side + 1) * sizeof *last_at);
    memset(patterns, 0, (size_t)guillotine_pattern_words(side) * sizeof *patterns);
    for (int32_t p = 0; p < b->count; p++)
        patterns[b->at[p] / 32] |= 1u << (b->at[p] % 32);
}

// Sets the device pointers of an axis. If there is memory, also fills the arrays and returns the number of classes;
// else returns 0.
static int32_t place_axis(gpu_engine *e, int axis)
{
    const guillotine_bands *b = &e->schedule.axis[axis];
    const int32_t side = b->at[b->count - 1];
    guillotine_device_axis *d = &e->tables.axis[axis];
    void *at, *last_at, *patterns, *classes;
    *d = (guillotine_device_axis){.count = b->count, .side = side, .pitch = guillotine_pitch(b->count, e->schedule.panel)};
    d->at = carve(&e->arena, (size_t)b->count * sizeof *d->at, &at);
    d->last_at = carve(&e->arena, ((size_t)side + 1) * sizeof *d->last_at, &last_at);
    d->patterns = carve(&e->arena, (size_t)guillotine_pattern_words(side) * sizeof *d->patterns, &patterns);
    d->piece_class = carve(&e->arena, (size_t)b->count * sizeof *d->piece_class, &classes);
    if (e->arena.host == NULL)
        return 0;
    fill_axis(b, at, last_at, patterns);
    return guillotine_gpu_classes(e->job->model, axis, classes, b->count);
}

// *classes: the number of different piece sides on an axis, and class 0.
static mco_status count_classes(const gpu_engine *e, int axis, int32_t *classes)
{
    mco_status st = MCO_OK;
    int32_t *class_of = NULL;
    const int32_t count = e->schedule.axis[axis].count;
    MCO_TRY(mco_alloc(e->ctx, &class_of, count));
    *classes = guillotine_gpu_classes(e->job->model, axis, class_of, count);
done:
    mco_free(e->ctx, &class_of);
    return st;
}

// ---- Memory

static mco_status refuse_size(const gpu_engine *e, size_t need)
{
    const guillotine_model *model = e->job->model;
    const int64_t spare = (int64_t)e->device.info.free_bytes - SPARE_BYTES;
    const int64_t room = spare < e->job->memory_bytes ? spare : e->job->memory_bytes;
    if ((double)need <= (double)room)
        return MCO_OK;
    return mco_fail(e->ctx, MCO_ERR_LIMIT,
                    "GPU %d: tables over %d x %d normal patterns need %.1f MiB, at most %.1f MiB are free or allowed",
                    e->device.info.index, model->x.count - 1, model->y.count - 1, (double)need / (1 << 20),
                    (double)room / (1 << 20));
}

// The most pieces that fit the plate. A plan has at most twice as many nodes.
static int64_t most_pieces(const guillotine_model *model)
{
    return (int64_t)(model->x.side / model->x.shortest) * (model->y.side / model->y.shortest);
}

// Allocates the buffer of units, the trace and the events. A batch has room for the units of any step.
static mco_status take_host(gpu_engine *e)
{
    mco_status st = MCO_OK;
    int64_t most = 0, all = 0;
    for (int32_t step = 0; step < e->schedule.steps; step++) {
        most = max64(most, e->schedule.units[step]);
        all += e->schedule.units[step];
    }
    e->batch_units = all < BATCH_UNITS ? all : max64(most, BATCH_UNITS);
    e->trace_capacity = (int32_t)min64(2 * most_pieces(e->job->model), TRACE_MOST);
    MCO_TRY(mco_alloc(e->ctx, &e->units, e->batch_units));
    MCO_TRY(mco_alloc_bytes(e->ctx, (void **)&e->trace, guillotine_trace_bytes(e->trace_capacity), 1));
    for (int k = 0; k < 2; k++)
        MCO_CUDA(e->ctx, cudaEventCreateWithFlags(&e->used[k], cudaEventDisableTiming));
    MCO_CUDA(e->ctx, cudaEventCreateWithFlags(&e->arrived, cudaEventDisableTiming));
    for (int k = 0; k < 2 && mco_wants_log(e->ctx, MCO_LOG_DETAIL); k++)
        MCO_CUDA(e->ctx, cudaEventCreate(&e->marks[k]));
done:
    return st;
}

// Places the arrays that only the device has, after those that both sides have.
static void carve_tables(gpu_engine *e)
{
    void *none;
    arena own = {.device = e->arena.device, .used = e->arena.used};
    e->d_done = carve(&own, (size_t)e->schedule.steps * sizeof *e->d_done, &none);
    e->d_taken = carve(&own, (size_t)e->schedule.steps * sizeof *e->d_taken, &none);
    e->d_stop = carve(&own, sizeof *e->d_stop, &none);
    e->d_trace = carve(&own, guillotine_trace_bytes(e->trace_capacity), &none);
    for (int k = 0; k < 2; k++)
        e->d_units[k] = carve(&own, (size_t)e->batch_units * sizeof **e->d_units, &none);
    for (int axis = 0; axis < 2; axis++) {
        e->table_bytes[axis] = (size_t)e->schedule.axis[axis].count * (size_t)e->tables.axis[1 - axis].pitch *
                               (size_t)e->tables.lane_bytes;
        e->tables.table[axis] = carve(&own, e->table_bytes[axis], &none);
    }
    e->arena.device_bytes = own.used;
}

// All device memory is one block, because each block costs the driver tenths of a millisecond.
static mco_status place_arrays(gpu_engine *e)
{
    mco_status st = MCO_OK;
    int32_t classes[2];
    void *best = NULL;
    for (int axis = 0; axis < 2; axis++)
        MCO_TRY(count_classes(e, axis, &classes[axis]));
    const size_t best_bytes = (size_t)classes[0] * (size_t)classes[1] * sizeof *e->tables.best_piece;
    for (int round = 0; round < 2; round++) {
        e->arena.used = 0;
        place_axis(e, 0);
        place_axis(e, 1);
        e->tables.best_piece = carve(&e->arena, best_bytes, &best);
        e->arena.bytes = e->arena.used;
        carve_tables(e);
        if (round == 1)
            break;
        MCO_TRY(refuse_size(e, e->arena.device_bytes));
        MCO_TRY(mco_alloc_bytes(e->ctx, (void **)&e->arena.host, e->arena.bytes, 1));
        MCO_TRY(mco_device_take_bytes(&e->device, MCO_MEMORY_DEVICE, (void **)&e->arena.device, e->arena.device_bytes, 1));
    }
    e->tables.class_pitch = classes[1];
    const ptrdiff_t to_host = e->arena.host - e->arena.device;
    const void *of_x = (const char *)e->tables.axis[0].piece_class + to_host,
               *of_y = (const char *)e->tables.axis[1].piece_class + to_host;
    guillotine_gpu_best(e->job->model, of_x, of_y, classes[0], classes[1], best);
    MCO_CUDA(e->ctx, cudaMemcpyAsync(e->arena.device, e->arena.host, e->arena.bytes, cudaMemcpyHostToDevice, e->device.stream));
    MCO_CUDA(e->ctx, cudaMemsetAsync(e->d_done, 0, (size_t)((char *)e->d_trace - (char *)e->d_done), e->device.stream));
done:
    return st;
}

static void end_phase(gpu_engine *e, gpu_phase phase)
{
    const double now_s = mco_clock_s();
    e->phase_s[phase] += now_s - e->now_s;
    e->now_s = now_s;
}

static mco_status open_engine(gpu_engine *e, const mco_gpu *gpu)
{
    mco_status st = MCO_OK;
    const guillotine_model *model = e->job->model;
    e->tables.lane_bytes = model->value_bound <= INT32_MAX ? 4 : 8;
    MCO_TRY(mco_device_open(e->ctx, gpu, &e->device));
    end_phase(e, PHASE_OPEN);
    MCO_TRY(guillotine_schedule_create(e->ctx, model, e->tables.lane_bytes,
                                       e->device.info.multiprocessors * UNITS_OF_MULTIPROCESSOR, &e->schedule));
    e->tables.vectors = e->schedule.vectors;
    MCO_TRY(take_host(e));
    MCO_TRY(place_arrays(e));
    end_phase(e, PHASE_MEMORY);
done:
    return st;
}

static void close_engine(gpu_engine *e)
{
    guillotine_copier_end(&e->copier);
    if (e->device.ctx != NULL)
        (void)cudaDeviceSynchronize();  // for copies from memory that is released here
    for (int k = 0; k < 2; k++) {
        if (e->used[k] != NULL)
            (void)cudaEventDestroy(e->used[k]);
        if (e->marks[k] != NULL)
            (void)cudaEventDestroy(e->marks[k]);
    }
    if (e->arrived != NULL)
        (void)cudaEventDestroy(e->arrived);
    mco_device_close(&e->device);  // releases all device memory too
    guillotine_schedule_clear(e->ctx, &e->schedule);
    mco_free(e->ctx, &e->arena.host);
    mco_free(e->ctx, &e->units);
    mco_free(e->ctx, &e->trace);
}

// ---- Tables

// Makes the units of as many steps, from *step on, as fit a batch, copies them to buffer `k` and launches them.
static mco_status launch_batch(gpu_engine *e, int k, int32_t *step)
{
    mco_status st = MCO_OK;
    cudaStream_t stream = e->device.stream, side = e->device.side;
    const int32_t *units = e->schedule.units, steps = e->schedule.steps;
    int64_t at = 0;
    double work = 0;
    MCO_CUDA(e->ctx, cudaStreamWaitEvent(side, e->used[k], 0));
    while (*step < steps && (at == 0 || work < BATCH_WORK) && at + units[*step] <= e->batch_units) {
        int64_t count = 0;
        while (*step < steps && count < e->part_units && at + count + units[*step] <= e->batch_units) {
            count += guillotine_schedule_units(&e->schedule, *step, e->units + at + count);
            work += guillotine_schedule_work(&e->schedule, (*step)++);
        }
        e->part_units = guillotine_next_part(e->part_units, e->batch_units);
        MCO_CUDA(e->ctx, cudaMemcpyAsync(e->d_units[k] + at, e->units + at, (size_t)count * sizeof *e->units,
                                         cudaMemcpyHostToDevice, side));
        MCO_CUDA(e->ctx, cudaEventRecord(e->arrived, side));
        MCO_CUDA(e->ctx, cudaStreamWaitEvent(stream, e->arrived, 0));
        const guillotine_progress progress = {e->d_done, e->d_taken + e->launches++, e->d_stop};
        MCO_CUDA(e->ctx, guillotine_launch_queue(&e->tables, e->d_units[k] + at, count, e->schedule.slots, &progress, stream));
        at += count;
    }
    MCO_CUDA(e->ctx, cudaEventRecord(e->used[k], stream));
done:
    return st;
}

static char *answer_table(const guillotine_answer *answer)
{
    return answer->table_32 != NULL ? (char *)answer->table_32 : (char *)answer->table_64;
}

// Allocates the table, and starts the workers that touch its pages while the GPU works.
static mco_status take_answer_table(gpu_engine *e, guillotine_answer *answer)
{
    mco_status st = MCO_OK;
    const int64_t columns = e->schedule.axis[0].count, rows = e->schedule.axis[1].count;
    if (e->tables.lane_bytes == 4)
        MCO_TRY(mco_alloc(e->ctx, &answer->table_32, columns * rows));
    else
        MCO_TRY(mco_alloc(e->ctx, &answer->table_64, columns * rows));
    MCO_TRY(guillotine_copier_start(e->ctx, e->job->threads, columns, (size_t)(rows * e->tables.lane_bytes),
                                    answer_table(answer), &e->copier));
done:
    return st;
}

typedef struct stop_watch {
    const guillotine_job *job;
    mco_stop *stop;
} stop_watch;

static bool must_stop(void *state)
{
    const stop_watch *watch = state;
    return guillotine_is_stopped(watch->job, 0, watch->stop);
}

// Computes both tables, step by step. answer->stop is set if the run is stopped.
static mco_status fill_tables(gpu_engine *e, guillotine_answer *answer)
{
    mco_status st = MCO_OK;
    int32_t step = 0;
    stop_watch watch = {e->job, &answer->stop};
    MCO_CUDA(e->ctx, guillotine_launch_pieces(&e->tables, e->device.stream));
    if (e->marks[0] != NULL)
        MCO_CUDA(e->ctx, cudaEventRecord(e->marks[0], e->device.stream));
    e->part_units = guillotine_next_part(0, e->batch_units);
    for (int k = 0; step < e->schedule.steps; k ^= 1) {
        if (step > 0) {  // at most one batch waits for the one at work
            MCO_TRY(mco_device_wait(&e->device, e->used[k], must_stop, &watch, e->d_stop));
            if (answer->stop != MCO_STOP_FINISHED || guillotine_is_stopped(e->job, 0, &answer->stop))
                break;
        }
        const bool is_first = step == 0;
        MCO_TRY(launch_batch(e, k, &step));
        if (is_first && e->job->wants_table)
            MCO_TRY(take_answer_table(e, answer));
    }
    if (e->marks[1] != NULL)
        MCO_CUDA(e->ctx, cudaEventRecord(e->marks[1], e->device.stream));
    for (int k = 0; k < 2 && answer->stop == MCO_STOP_FINISHED; k++)
        MCO_TRY(mco_device_wait(&e->device, e->used[k], must_stop, &watch, e->d_stop));
done:
    return st;
}

// ---- Plan

static int64_t value_of_table(const void *table, int32_t level, int32_t i, int32_t j)
{
    const guillotine_answer *a = ((const void *const *)table)[0];
    const guillotine_axis *y = ((const void *const *)table)[1];
    const int64_t cell = (int64_t)i * y->count + j;
    (void)level;
    return a->table_32 != NULL ? a->table_32[cell] : a->table_64[cell];
}

// Finds the plan on the host, when there were too few nodes or a value is not explained; for the latter it fails with a
// message.
static mco_status walk_table(gpu_engine *e, guillotine_answer *answer)
{
    const void *both[2] = {answer, &e->job->model->y};
    const guillotine_values values = {both, value_of_table};
    return guillotine_walk(e->ctx, e->job, &values, &answer->steps, &answer->step_count, &answer->stop);
}

// ---- Answer

static mco_status copy_answer_table(gpu_engine *e, guillotine_answer *answer)
{
    mco_status st = MCO_OK;
    const double begin_s = mco_clock_s();
    const size_t pitch_bytes = (size_t)(e->tables.axis[1].pitch * e->tables.lane_bytes);
    if (answer_table(answer) == NULL)
        MCO_TRY(take_answer_table(e, answer));
    MCO_TRY(guillotine_copier_run(&e->copier, &e->device, e->tables.table[0], pitch_bytes));
    answer->copy_s += mco_clock_s() - begin_s;
done:
    return st;
}

static mco_status make_answer(gpu_engine *e, guillotine_answer *answer)
{
    mco_status st = MCO_OK;
    const double begin_s = mco_clock_s();
    MCO_TRY(guillotine_gpu_read_trace(&e->device, e->d_trace, e->trace_capacity, e->trace));
    answer->copy_s += mco_clock_s() - begin_s;
    end_phase(e, PHASE_PLAN);
    answer->value = e->trace->value;
    answer->relaxations += guillotine_all_relaxations(e->job);
    answer->work.lane_bits = 8 * e->tables.lane_bytes;
    if (e->job->wants_table || e->trace->is_full)
        MCO_TRY(copy_answer_table(e, answer));
    end_phase(e, PHASE_TABLE);
    MCO_TRY(e->trace->is_full ? walk_table(e, answer) : guillotine_gpu_sort_nodes(e->ctx, e->trace, answer));
    if (!e->job->wants_table) {
        mco_free(e->ctx, &answer->table_32);
        mco_free(e->ctx, &answer->table_64);
    }
    end_phase(e, PHASE_PLAN);
done:
    return st;
}

// Logs milliseconds of the GPU: placing pieces in both tables, the steps including waits for the host, and the plan.
static void log_kernels(const gpu_engine *e)
{
    float ms[3] = {0};
    if (e->marks[1] == NULL || cudaEventElapsedTime(&ms[0], e->device.begin, e->marks[0]) != cudaSuccess ||
        cudaEventElapsedTime(&ms[1], e->marks[0], e->marks[1]) != cudaSuccess ||
        cudaEventElapsedTime(&ms[2], e->marks[1], e->device.end) != cudaSuccess)
        return;
    int64_t units = 0;
    for (int32_t step = 0; step < e->schedule.steps; step++)
        units += e->schedule.units[step];
    mco_log(e->ctx, MCO_LOG_DETAIL,
            "GPU: %d steps, %lld units of at most %d stages, %d without slack: pieces %.3f ms, steps %.3f ms, plan %.3f ms",
            e->schedule.steps, (long long)units, e->schedule.stages, e->schedule.late_stages, (double)ms[0], (double)ms[1],
            (double)ms[2]);
}

static void log_phases(const gpu_engine *e)
{
    const double *s = e->phase_s;
    mco_log(e->ctx, MCO_LOG_DETAIL,
            "GPU, ms of the wall clock: choose %.3f, open %.3f, memory %.3f, units %.3f, kernels %.3f, plan %.3f, table %.3f, "
            "close %.3f", 1e3 * s[PHASE_CHOOSE], 1e3 * s[PHASE_OPEN], 1e3 * s[PHASE_MEMORY], 1e3 * s[PHASE_UNITS],
            1e3 * s[PHASE_KERNELS], 1e3 * s[PHASE_PLAN], 1e3 * s[PHASE_TABLE], 1e3 * s[PHASE_CLOSE]);
}

static mco_status run(gpu_engine *e, const mco_gpu *gpu, guillotine_answer *answer)
{
    mco_status st = MCO_OK;
    double device_s = 0;
    MCO_TRY(open_engine(e, gpu));
    answer->work.gpus = (uint64_t)1 << e->device.info.index;
    answer->passes++;
    answer->table_bytes = (int64_t)(e->table_bytes[0] + e->table_bytes[1]);
    MCO_TRY(mco_device_start_clock(&e->device));
    MCO_TRY(fill_tables(e, answer));
    end_phase(e, PHASE_UNITS);
    if (answer->stop == MCO_STOP_FINISHED)
        MCO_CUDA(e->ctx, guillotine_launch_trace(&e->tables, e->d_trace, e->trace_capacity, e->device.stream));
    if (answer->stop == MCO_STOP_FINISHED && e->job->wants_table)
        MCO_TRY(guillotine_copier_take_staging(&e->copier, &e->device));
    MCO_TRY(mco_device_stop_clock(&e->device, &device_s));
    answer->work.device_s += device_s;
    end_phase(e, PHASE_KERNELS);
    if (answer->stop == MCO_STOP_FINISHED) {
        MCO_TRY(make_answer(e, answer));
        log_kernels(e);
    } else {
        guillotine_copier_end(&e->copier);
        mco_free(e->ctx, &answer->table_32);
        mco_free(e->ctx, &answer->table_64);
    }
done:
    return st;
}

// The answer if no piece fits: the table is zero and the plan is waste.
static mco_status answer_nothing(mco_context *ctx, const guillotine_job *job, guillotine_answer *answer)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(ctx, &answer->steps, 1));
    answer->steps[answer->step_count++] = (guillotine_step){GUILLOTINE_WASTE_STEP, 0, 0};
    answer->work.lane_bits = 32;
    if (job->wants_table)
        MCO_TRY(mco_alloc(ctx, &answer->table_32, (int64_t)job->model->x.count * job->model->y.count));
done:
    return st;
}

mco_status guillotine_gpu_run(mco_context *ctx, const guillotine_job *job, guillotine_answer *answer)
{
    mco_status st = MCO_OK;
    gpu_engine e = {.ctx = ctx, .job = job};
    mco_gpu gpu;
    bool is_solved = false;
    if (job->stages > 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the gpu engine does not support stages, %d are asked for", job->stages);
    e.now_s = mco_clock_s();
    MCO_TRY(mco_gpu_choose(ctx, job->gpus, &gpu));
    end_phase(&e, PHASE_CHOOSE);
    answer->work.gpus = (uint64_t)1 << gpu.index;
    answer->work.threads = 1;
    if (job->model->x.count <= 1 || job->model->y.count <= 1) {
        MCO_TRY(answer_nothing(ctx, job, answer));
    } else {
        MCO_TRY(guillotine_gpu_run_waste(ctx, job, &gpu, 0, answer, &is_solved));
        e.now_s = mco_clock_s();
        if (!is_solved && answer->stop == MCO_STOP_FINISHED)
            MCO_TRY(run(&e, &gpu, answer));
    }
done:
    close_engine(&e);
    end_phase(&e, PHASE_CLOSE);
    log_phases(&e);
    return st;
}
