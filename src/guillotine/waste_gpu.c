// SPDX-License-Identifier: MIT
// The waste form of the gpu engine (guillotine/waste.h): value and plan of the plate, if no piece is worth more than
// its area. The cap grows from pass to pass until the plate's waste lies below it. A step takes two launches; the host
// makes no units between them.
#include "guillotine/waste_gpu.h"

#include <string.h>

#include "base/clock.h"
#include "device/device_cuda.h"
#include "guillotine/gpu_parts.h"
#include "guillotine/gpu_units.h"
#include "guillotine/waste.h"

static const int32_t CAPS[] = {400, 4000, 32767};
enum {
    CAP_COUNT = sizeof CAPS / sizeof CAPS[0],
    MAX_SIDE = 1 << 24,           // coordinates of an axis
    SPARSE = 8,                   // most coordinates per position: each coordinate has a row
    BLOCKS_OF_MULTIPROCESSOR = 4, // resident together: registers and shared memory of relax_units() allow that
    BLOCKS_PER_SLOT = 4,          // blocks of a step, so that the GPU idles little while the last ones end
    LEAST_SPAN = 256,             // least coordinates of strips of a block
    TRACE_MOST = 1 << 20,         // nodes
    MOST_PARTS = 65535            // most blocks of a grid's third dimension
};
static const double LARGE_RELAXATIONS = 2e10;          // with fewer, steps mostly wait and values are as fast
static const double CHECK_RELAXATIONS = 1e12;          // launched between two tests for a stop: tenths of a second
static const int64_t SPARE_BYTES = (int64_t)256 << 20; // device memory left to others

// Arrays of an axis on the host.
typedef struct waste_axis {
    guillotine_waste_tile *tiles;
    guillotine_waste_chunk *panels, *chunks;
    int32_t *tiles_of, *panels_of, *chunks_of;  // [bands + 1]
    int32_t most_panels, most_chunks;           // of a band
} waste_axis;

typedef struct waste_engine {
    mco_context *ctx;
    const guillotine_job *job;
    mco_device device;
    guillotine_schedule schedule;
    waste_axis axis[2];
    guillotine_waste_tables tables;
    char *host, *d_arrays;   // one block of arrays on each side, at the same offsets
    size_t used;
    size_t strips_bytes, table_bytes;
    guillotine_trace *trace, *d_trace;
    int32_t trace_capacity;
} waste_engine;

// ---- Tiles, panels, chunks

// The end of the strips, in coordinates, for targets up to position p.
static int32_t strips_end(const guillotine_bands *b, int32_t p)
{
    return b->at[p] / 2 + 1;
}

// Divides band `number` into chunks of at most `most` lanes, counted from first_lane; `panel` is the panel at
// first_lane. The first chunk begins at first_lane if from_vector, else at the first position of the band. Returns the
// number of chunks.
static int32_t cut_band(const guillotine_band *band, int32_t number, int32_t first_lane, int32_t most, bool from_vector,
                        guillotine_waste_chunk *chunks, int32_t panel)
{
    int32_t count = 0;
    for (int32_t lane = first_lane; lane < band->end; lane += most) {
        const int32_t first = from_vector || lane > band->first ? lane : band->first;
        const int32_t end = (int32_t)min64(lane + most, band->end);
        if (end > first)
            chunks[count++] = (guillotine_waste_chunk){first, end - first, number,
                                                       panel + (lane - first_lane) / GUILLOTINE_WASTE_PANEL};
    }
    return count;
}

static mco_status make_axis(waste_engine *e, int k)
{
    mco_status st = MCO_OK;
    const guillotine_bands *b = &e->schedule.axis[k];
    waste_axis *a = &e->axis[k];
    int32_t tiles = 0, panels = 0, chunks = 0;
    MCO_TRY(mco_alloc(e->ctx, &a->tiles, b->count));
    MCO_TRY(mco_alloc(e->ctx, &a->panels, b->count));
    MCO_TRY(mco_alloc(e->ctx, &a->chunks, b->count + (int64_t)b->band_count));
    MCO_TRY(mco_alloc(e->ctx, &a->tiles_of, b->band_count + (int64_t)1));
    MCO_TRY(mco_alloc(e->ctx, &a->panels_of, b->band_count + (int64_t)1));
    MCO_TRY(mco_alloc(e->ctx, &a->chunks_of, b->band_count + (int64_t)1));
    for (int32_t g = 0; g < b->band_count; g++) {
        const guillotine_band *band = &b->bands[g];
        const int32_t first_lane = band->first / GUILLOTINE_WASTE_VECTOR * GUILLOTINE_WASTE_VECTOR;
        for (int32_t p = band->first, next; p < band->end; p = next) {
            for (next = p + 1; next < band->end && b->at[next] - b->at[p] < GUILLOTINE_TILE;)
                next++;
            a->tiles[tiles++] = (guillotine_waste_tile){b->at[p], strips_end(b, next - 1), g};
        }
        chunks += cut_band(band, g, first_lane, GUILLOTINE_WASTE_CELLS, false, a->chunks + chunks, panels);
        panels += cut_band(band, g, first_lane, GUILLOTINE_WASTE_PANEL, true, a->panels + panels, panels);
        a->tiles_of[g + 1] = tiles;
        a->panels_of[g + 1] = panels;
        a->chunks_of[g + 1] = chunks;
        a->most_panels = (int32_t)max64(a->most_panels, panels - a->panels_of[g]);
        a->most_chunks = (int32_t)max64(a->most_chunks, chunks - a->chunks_of[g]);
    }
done:
    return st;
}

// ---- Arrays on the device

// Places an array on both sides. Returns its device pointer; *host is its host pointer. Without memory only its size is
// counted and both are NULL.
static const void *carve(waste_engine *e, size_t bytes, void **host)
{
    enum { ALIGNED = 256 };
    const void *device = e->d_arrays != NULL ? e->d_arrays + e->used : NULL;
    *host = e->host != NULL ? e->host + e->used : NULL;
    e->used += (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    return device;
}

static const void *carve_copy(waste_engine *e, const void *from, size_t bytes)
{
    void *host;
    const void *device = carve(e, bytes, &host);
    if (host != NULL)
        memcpy(host, from, bytes);
    return device;
}

// Sets the device pointers of an axis. If there is memory, fills the arrays; *class_of is then the host's array of
// classes.
static void place_axis(waste_engine *e, int k, const int32_t **class_of, int32_t *classes)
{
    const guillotine_bands *b = &e->schedule.axis[k];
    const waste_axis *a = &e->axis[k];
    guillotine_waste_axis *d = &e->tables.axis[k];
    const size_t bands = (size_t)b->band_count;
    void *last_at, *patterns, *piece_class;
    d->count = b->count;
    d->side = b->at[b->count - 1];
    d->words = (int32_t)guillotine_pattern_words(d->side);
    d->pitch = guillotine_pitch(b->count, GUILLOTINE_WASTE_PANEL);
    d->at = carve_copy(e, b->at, (size_t)b->count * sizeof *b->at);
    d->tiles = carve_copy(e, a->tiles, (size_t)a->tiles_of[bands] * sizeof *a->tiles);
    d->panels = carve_copy(e, a->panels, (size_t)a->panels_of[bands] * sizeof *a->panels);
    d->chunks = carve_copy(e, a->chunks, (size_t)a->chunks_of[bands] * sizeof *a->chunks);
    d->panels_of = carve_copy(e, a->panels_of, (bands + 1) * sizeof *a->panels_of);
    d->chunks_of = carve_copy(e, a->chunks_of, (bands + 1) * sizeof *a->chunks_of);
    d->last_at = carve(e, ((size_t)d->side + 1) * sizeof *d->last_at, &last_at);
    d->patterns = carve(e, (size_t)d->words * sizeof *d->patterns, &patterns);
    d->piece_class = carve(e, (size_t)b->count * sizeof *d->piece_class, &piece_class);
    if (e->host == NULL)
        return;
    memset(patterns, 0, (size_t)d->words * sizeof *d->patterns);
    for (int32_t p = 0; p < b->count; p++) {
        const int32_t end = p + 1 < b->count ? b->at[p + 1] : d->side + 1;
        ((uint32_t *)patterns)[b->at[p] / 32] |= 1u << (b->at[p] % 32);
        for (int32_t c = b->at[p]; c < end; c++)
            ((int32_t *)last_at)[c] = p;
    }
    *class_of = piece_class;
    *classes = guillotine_gpu_classes(e->job->model, k, piece_class, b->count);
}

// The most classes an axis can have: different piece sides, and class 0.
static size_t most_classes(const waste_engine *e, int axis)
{
    return (size_t)min64(e->job->model->seed_count, e->schedule.axis[axis].count) + 1;
}

static mco_status place_arrays(waste_engine *e)
{
    mco_status st = MCO_OK;
    const int32_t *class_of[2];
    int32_t classes[2];
    void *best;
    const size_t best_bytes = most_classes(e, 0) * most_classes(e, 1) * sizeof *e->tables.best_piece;
    for (int round = 0; round < 2; round++) {
        e->used = 0;
        place_axis(e, 0, &class_of[0], &classes[0]);
        place_axis(e, 1, &class_of[1], &classes[1]);
        e->tables.best_piece = carve(e, best_bytes, &best);
        if (round == 1)
            break;
        MCO_TRY(mco_alloc_bytes(e->ctx, (void **)&e->host, e->used, 1));
        MCO_TRY(mco_device_take_bytes(&e->device, MCO_MEMORY_DEVICE, (void **)&e->d_arrays, e->used, 1));
    }
    e->tables.class_pitch = classes[1];
    guillotine_gpu_best(e->job->model, class_of[0], class_of[1], classes[0], classes[1], best);
    MCO_CUDA(e->ctx, cudaMemcpyAsync(e->d_arrays, e->host, e->used, cudaMemcpyHostToDevice, e->device.stream));
done:
    return st;
}

// ---- Memory

static size_t table_bytes(const guillotine_schedule *s, int axis)
{
    return ((size_t)s->axis[axis].at[s->axis[axis].count - 1] + 1) *
           (size_t)guillotine_pitch(s->axis[1 - axis].count, GUILLOTINE_WASTE_PANEL) * sizeof(uint16_t);
}

static mco_status take_tables(waste_engine *e)
{
    mco_status st = MCO_OK;
    char *all = NULL;
    size_t strips[2];
    const size_t x_bytes = table_bytes(&e->schedule, 0);
    e->table_bytes = x_bytes + table_bytes(&e->schedule, 1);
    for (int k = 0; k < 2; k++)
        strips[k] = (size_t)e->axis[1 - k].panels_of[e->schedule.axis[1 - k].band_count] * (size_t)e->tables.axis[k].words *
                    sizeof(uint32_t);
    e->strips_bytes = strips[0] + strips[1];
    MCO_TRY(mco_device_take(&e->device, MCO_MEMORY_DEVICE, &all, e->table_bytes + e->strips_bytes + sizeof *e->tables.sums));
    e->tables.axis[0].table = (uint16_t *)(void *)all;
    e->tables.axis[1].table = (uint16_t *)(void *)(all + x_bytes);
    e->tables.sums = (unsigned long long *)(void *)(all + e->table_bytes);
    e->tables.axis[0].strips = (uint32_t *)(void *)(all + e->table_bytes + sizeof *e->tables.sums);
    e->tables.axis[1].strips = e->tables.axis[0].strips + strips[0] / sizeof(uint32_t);
    MCO_CUDA(e->ctx, cudaMemsetAsync(e->tables.sums, 0, sizeof *e->tables.sums, e->device.stream));
done:
    return st;
}

// Allocates the nodes of the plan: at most two for each piece, and at most TRACE_MOST.
static mco_status take_trace(waste_engine *e)
{
    mco_status st = MCO_OK;
    const guillotine_model *model = e->job->model;
    const int64_t nodes = 2 * (int64_t)(model->x.side / model->x.shortest) * (model->y.side / model->y.shortest);
    e->trace_capacity = (int32_t)min64(nodes, TRACE_MOST);
    MCO_TRY(mco_device_take_bytes(&e->device, MCO_MEMORY_DEVICE, (void **)&e->d_trace,
                                  guillotine_trace_bytes(e->trace_capacity), 1));
    MCO_TRY(mco_alloc_bytes(e->ctx, (void **)&e->trace, guillotine_trace_bytes(e->trace_capacity), 1));
done:
    return st;
}

// Whether the tables fit and there are not many more coordinates than positions.
static bool suits(const waste_engine *e)
{
    const guillotine_schedule *s = &e->schedule;
    const int64_t need = (int64_t)(table_bytes(s, 0) + table_bytes(s, 1));
    for (int k = 0; k < 2; k++) {
        const int64_t side = s->axis[k].at[s->axis[k].count - 1];
        if (side > MAX_SIDE || side > (int64_t)SPARSE * s->axis[k].count + LEAST_SPAN)
            return false;
    }
    return need <= min64(e->job->memory_bytes, (int64_t)e->device.info.free_bytes - SPARE_BYTES);
}

static mco_status open_engine(waste_engine *e)
{
    mco_status st = MCO_OK;
    e->tables.unit_area = (int64_t)e->schedule.axis[0].divisor * e->schedule.axis[1].divisor;
    MCO_TRY(make_axis(e, 0));
    MCO_TRY(make_axis(e, 1));
    MCO_TRY(place_arrays(e));
    MCO_TRY(take_tables(e));
    MCO_TRY(take_trace(e));
done:
    return st;
}

static void close_engine(waste_engine *e)
{
    if (e->device.ctx != NULL)
        (void)cudaDeviceSynchronize();  // for copies from memory that is released here
    mco_device_close(&e->device);       // releases all device memory too
    guillotine_schedule_clear(e->ctx, &e->schedule);
    for (int k = 0; k < 2; k++) {
        mco_free(e->ctx, &e->axis[k].tiles);
        mco_free(e->ctx, &e->axis[k].panels);
        mco_free(e->ctx, &e->axis[k].chunks);
        mco_free(e->ctx, &e->axis[k].tiles_of);
        mco_free(e->ctx, &e->axis[k].panels_of);
        mco_free(e->ctx, &e->axis[k].chunks_of);
    }
    mco_free(e->ctx, &e->host);
    mco_free(e->ctx, &e->trace);
}

// ---- Passes

// The bands of an axis that take part in a step: [*first, *end).
static void step_bands(const waste_engine *e, int axis, int32_t step, int32_t *first, int32_t *end)
{
    const int32_t mine = e->schedule.axis[axis].band_count, other = e->schedule.axis[1 - axis].band_count;
    *first = step < other ? 0 : step - other + 1;
    *end = (int32_t)min64(step + 1, mine);
}

// Describes the launches of a step. *relaxations: the most that the step evaluates.
static guillotine_waste_step describe_step(const waste_engine *e, int32_t step, double *relaxations)
{
    guillotine_waste_step s = {.step = step};
    int64_t coordinates = 0, longest = 0;  // of the strips of all tiles and panels; of one tile
    for (int k = 0; k < 2; k++) {
        const waste_axis *a = &e->axis[k], *other = &e->axis[1 - k];
        const int32_t shortest = e->schedule.axis[k].at[1];
        int32_t first, end;
        step_bands(e, k, step, &first, &end);
        s.tiles_first[k] = a->tiles_of[first];
        s.tiles[k] = a->tiles_of[end] - a->tiles_of[first];
        for (int32_t g = first; g < end; g++) {
            const int32_t panels = other->panels_of[step - g + 1] - other->panels_of[step - g];
            for (int32_t t = a->tiles_of[g]; t < a->tiles_of[g + 1]; t++) {
                const int64_t mine = max64(0, a->tiles[t].strip_end - shortest);
                coordinates += mine * panels;
                longest = max64(longest, mine);
            }
        }
        s.most_panels = (int32_t)max64(s.most_panels, other->most_panels);
        if (k == 0) {
            s.chunks_first = a->chunks_of[first];
            s.chunks = a->chunks_of[end] - a->chunks_of[first];
            s.most_chunks = other->most_chunks;
        }
    }
    const int64_t blocks = (int64_t)e->device.info.multiprocessors * BLOCKS_OF_MULTIPROCESSOR * BLOCKS_PER_SLOT;
    const int64_t least = max64(LEAST_SPAN, longest / MOST_PARTS + 1);
    s.span = (int32_t)max64(least, coordinates / blocks + 1);
    s.parts = (int32_t)((longest + s.span - 1) / s.span);
    *relaxations = (double)coordinates * GUILLOTINE_TILE * GUILLOTINE_WASTE_PANEL;
    return s;
}

// Computes all steps under the cap. *stop is set if the run is stopped.
static mco_status fill_tables(waste_engine *e, mco_stop *stop)
{
    mco_status st = MCO_OK;
    double launched = 0;
    MCO_CUDA(e->ctx, guillotine_launch_waste_begin(&e->tables, e->strips_bytes, e->device.stream));
    for (int32_t step = 0; step < e->schedule.steps; step++) {
        double relaxations;
        const guillotine_waste_step s = describe_step(e, step, &relaxations);
        MCO_CUDA(e->ctx, guillotine_launch_waste_step(&e->tables, &s, e->device.stream));
        launched += relaxations;
        if (launched < CHECK_RELAXATIONS)
            continue;
        launched = 0;
        MCO_CUDA(e->ctx, cudaStreamSynchronize(e->device.stream));
        if (guillotine_is_stopped(e->job, 0, stop))
            break;
    }
done:
    return st;
}

// ---- Plan

// Makes one pass. *is_solved: the plate's waste lies below the cap, and its plan is complete.
static mco_status run_pass(waste_engine *e, int32_t cap, guillotine_answer *answer, bool *is_solved)
{
    mco_status st = MCO_OK;
    e->tables.cap = cap;
    answer->passes++;
    MCO_TRY(mco_device_start_clock(&e->device));
    MCO_TRY(fill_tables(e, &answer->stop));
    if (answer->stop == MCO_STOP_FINISHED)
        MCO_CUDA(e->ctx, guillotine_launch_waste_trace(&e->tables, e->d_trace, e->trace_capacity, e->device.stream));
    MCO_TRY(mco_device_stop_clock(&e->device, NULL));
    if (answer->stop != MCO_STOP_FINISHED)
        return MCO_OK;
    const double begin_s = mco_clock_s();
    MCO_TRY(guillotine_gpu_read_trace(&e->device, e->d_trace, e->trace_capacity, e->trace));
    answer->copy_s += mco_clock_s() - begin_s;
    *is_solved = e->trace->value >= 0 && !e->trace->is_full;
    mco_log(e->ctx, MCO_LOG_DETAIL, "cap %d on the waste: %s, %.3f ms of kernels so far", cap,
            *is_solved ? "enough" : e->trace->is_full ? "no room for the plan" : "too small", 1e3 * e->device.kernel_s);
    if (*is_solved)
        answer->value = e->trace->value;
done:
    return st;
}

// Makes passes with the caps above `least`, from first_cap on, until one solves the plate.
static mco_status run_passes(waste_engine *e, int64_t least, int32_t first_cap, guillotine_answer *answer, bool *is_solved)
{
    mco_status st = MCO_OK;
    unsigned long long sums = 0;
    MCO_TRY(open_engine(e));
    answer->work.gpus = (uint64_t)1 << e->device.info.index;
    answer->table_bytes = (int64_t)e->table_bytes;
    for (int k = 0; k < CAP_COUNT; k++) {
        const bool is_full = answer->passes > 0 && e->trace->is_full;
        if (CAPS[k] > least && CAPS[k] >= first_cap && !*is_solved && !is_full && answer->stop == MCO_STOP_FINISHED)
            MCO_TRY(run_pass(e, CAPS[k], answer, is_solved));
    }
    answer->work.device_s += e->device.kernel_s;
    if (answer->stop != MCO_STOP_FINISHED)
        return MCO_OK;
    MCO_CUDA(e->ctx, cudaMemcpy(&sums, e->tables.sums, sizeof sums, cudaMemcpyDeviceToHost));
    answer->relaxations += (int64_t)sums;
    answer->work.lane_bits = 16;
    if (*is_solved)
        MCO_TRY(guillotine_gpu_sort_nodes(e->ctx, e->trace, answer));
done:
    return st;
}

mco_status guillotine_gpu_run_waste(mco_context *ctx, const guillotine_job *job, const mco_gpu *gpu, int32_t first_cap,
                                    guillotine_answer *answer, bool *is_solved)
{
    mco_status st = MCO_OK;
    const guillotine_model *model = job->model;
    const guillotine_axis *x = &model->x, *y = &model->y;
    const int64_t least = (int64_t)x->at[x->count - 1] * y->at[y->count - 1] - model->value_bound;
    const bool is_large = (double)guillotine_all_relaxations(job) >= LARGE_RELAXATIONS;
    waste_engine e = {.ctx = ctx, .job = job};
    *is_solved = false;
    if (job->wants_table || job->stages > 0 || !model->is_within_area || least >= CAPS[CAP_COUNT - 1])
        return MCO_OK;
    if (first_cap == 0 && !is_large)
        return MCO_OK;
    MCO_TRY(mco_device_open(ctx, gpu, &e.device));
    MCO_TRY(guillotine_schedule_create(ctx, model, sizeof(uint16_t), e.device.info.multiprocessors * BLOCKS_OF_MULTIPROCESSOR,
                                       &e.schedule));
    if (suits(&e))
        MCO_TRY(run_passes(&e, least, first_cap, answer, is_solved));
done:
    close_engine(&e);
    return st;
}
