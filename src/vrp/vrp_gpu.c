// SPDX-License-Identifier: MIT
// The gpu engine of complete neighbourhoods. The instance stays on the device; a scan sends the tour or its sums, runs its
// kernels and fetches the move. Which of the three ways of vrp_cuda.h a scan goes is decided here.
#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "device/device_cuda.h"
#include "vrp/vrp_cuda.h"
#include "vrp/vrp_fold.h"

static const int64_t SPARE_BYTES = (int64_t)256 << 20;  // device memory left to others
static const double LAUNCH_TABLE_MOVES = 5e11, LAUNCH_PLAIN_MOVES = 2e10, LAUNCH_TWO_OPT_MOVES = 1e11;  // tenths of a second
static const int64_t PLAIN_UNITS = 1 << 17;             // of 3-opt, about
enum { MOST_BAD_ROUTES = 3, GRID_LIMIT = 1 << 22, MOST_MATRIX_NODES = MCO_VRP_MAX_MATRIX_CUSTOMERS + 1 };

static const vrp_candidate NONE = {.move = {-1, -1, -1, -1}};

typedef struct gpu_state {
    mco_device device;
    const mco_vrp *problem;
    vrp_device_places places;
    int32_t room;             // nodes of the longest tour
    int64_t memory_bytes;     // for the work of a scan
    vrp_sums_memory sums_memory;
    vrp_sums sums;            // of the host
    int32_t *d_sums;          // as sums_memory.block
    int64_t *d_turn;
    vrp_device_tour tour;     // of the device
    vrp_device_two_opt two_opt;
    int32_t *h_tour;
    vrp_device_tables tables;
    void *d_tables;
    int64_t tables_room;      // bytes
    vrp_device_three_opt search;
    vrp_candidate *d_candidates;  // [room]
    unsigned long long *d_keys;   // [2 * room + 2]
    vrp_device_key *d_partial, *d_rows;
    int64_t partial_room;
    vrp_device_key *rows;     // [room] of the host
    vrp_candidate *candidates;  // [room] of the host
    vrp_segment *d_segments;
    int64_t segment_room;
} gpu_state;

// ---- Open

static mco_status copy_up(gpu_state *s, const void *from, size_t bytes, const void **out)
{
    mco_status st = MCO_OK;
    void *memory = NULL;
    MCO_TRY(mco_device_take_bytes(&s->device, MCO_MEMORY_DEVICE, &memory, bytes, 1));
    MCO_CUDA(s->device.ctx, cudaMemcpy(memory, from, bytes, cudaMemcpyHostToDevice));
    *out = memory;
done:
    return st;
}

// Least and greatest of both coordinates.
typedef struct extent {
    double least_x, least_y, most_x, most_y;
} extent;

static extent extent_of(const mco_vrp *p)
{
    extent e = {p->x[0], p->y[0], p->x[0], p->y[0]};
    for (int32_t i = 1; i < p->nodes; i++) {
        e.least_x = p->x[i] < e.least_x ? p->x[i] : e.least_x;
        e.least_y = p->y[i] < e.least_y ? p->y[i] : e.least_y;
        e.most_x = p->x[i] > e.most_x ? p->x[i] : e.most_x;
        e.most_y = p->y[i] > e.most_y ? p->y[i] : e.most_y;
    }
    return e;
}

// Whether distances are rounded roots of integers that floats hold with two more bits; the greatest in *squares.
static bool is_grid(const mco_vrp *p, const extent *e, int64_t *squares)
{
    const double dx = e->most_x - e->least_x, dy = e->most_y - e->least_y;
    if (p->rule != VRP_EUC_2D || p->scale != 1 || !(dx * dx + dy * dy < GRID_LIMIT))
        return false;
    for (int32_t i = 0; i < p->nodes; i++)
        if (p->x[i] != floor(p->x[i]) || p->y[i] != floor(p->y[i]))
            return false;
    *squares = (int64_t)(dx * dx + dy * dy);
    return true;
}

// Whether this device's approximate root rounds rightly for every square up to there.
static mco_status try_roots(gpu_state *s, int64_t squares, bool *is_exact)
{
    mco_status st = MCO_OK;
    unsigned int *d_wrong = NULL, wrong;
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &d_wrong, 1));
    MCO_CUDA(s->device.ctx, vrp_launch_grid_check(squares, d_wrong, s->device.stream));
    MCO_CUDA(s->device.ctx,
             cudaMemcpyAsync(&wrong, d_wrong, sizeof wrong, cudaMemcpyDeviceToHost, s->device.stream));
    MCO_CUDA(s->device.ctx, cudaStreamSynchronize(s->device.stream));
    *is_exact = wrong == 0;
done:
    mco_device_give(&s->device, &d_wrong);
    return st;
}

static mco_status send_grid(mco_context *ctx, gpu_state *s, const extent *e)
{
    mco_status st = MCO_OK;
    const mco_vrp *p = s->problem;
    float *grid = NULL;
    MCO_TRY(mco_alloc(ctx, &grid, 2 * (int64_t)p->nodes));
    for (int32_t i = 0; i < p->nodes; i++) {
        grid[2 * (int64_t)i] = (float)(p->x[i] - e->least_x);
        grid[2 * (int64_t)i + 1] = (float)(p->y[i] - e->least_y);
    }
    s->places.kind = VRP_PLACES_GRID;
    MCO_TRY(copy_up(s, grid, 2 * (size_t)p->nodes * sizeof *grid, (const void **)&s->places.grid));
done:
    mco_free(ctx, &grid);
    return st;
}

static mco_status send_plane(mco_context *ctx, gpu_state *s)
{
    mco_status st = MCO_OK;
    const mco_vrp *p = s->problem;
    double *plane = NULL;
    MCO_TRY(mco_alloc(ctx, &plane, 2 * (int64_t)p->nodes));
    for (int32_t i = 0; i < p->nodes; i++) {
        plane[2 * (int64_t)i] = p->x[i];
        plane[2 * (int64_t)i + 1] = p->y[i];
    }
    s->places.kind = VRP_PLACES_PLANE;
    MCO_TRY(copy_up(s, plane, 2 * (size_t)p->nodes * sizeof *plane, (const void **)&s->places.plane));
done:
    mco_free(ctx, &plane);
    return st;
}

// A device rounds the functions of a sphere otherwise, so the host makes a matrix of them.
static mco_status send_matrix(mco_context *ctx, gpu_state *s)
{
    mco_status st = MCO_OK;
    const mco_vrp *p = s->problem;
    const size_t count = (size_t)p->nodes * (size_t)p->nodes;
    int32_t *made = NULL;
    s->places.kind = VRP_PLACES_MATRIX;
    if (p->nodes > MOST_MATRIX_NODES)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%d nodes on a sphere, at most %d supported on a GPU", p->nodes, MOST_MATRIX_NODES);
    if (p->rule != VRP_MATRIX) {
        MCO_TRY(mco_alloc(ctx, &made, count));
        for (int32_t i = 0; i < p->nodes; i++)
            for (int32_t j = 0; j < p->nodes; j++)
                made[(int64_t)i * p->nodes + j] =
                    j < i ? made[(int64_t)j * p->nodes + i] : vrp_distance(p, i, j);
    }
    MCO_TRY(copy_up(s, made != NULL ? made : p->matrix, count * sizeof *made, (const void **)&s->places.matrix));
done:
    mco_free(ctx, &made);
    return st;
}

static mco_status send_places(mco_context *ctx, gpu_state *s)
{
    mco_status st = MCO_OK;
    const mco_vrp *p = s->problem;
    bool is_exact = false;
    int64_t squares;
    s->places = (vrp_device_places){.nodes = p->nodes, .scale = p->scale,
                                    .rounds_up = p->rule == VRP_CEIL_2D && p->distances == MCO_VRP_ROUNDED};
    if (p->rule == VRP_MATRIX || p->rule == VRP_GEO) {
        MCO_TRY(send_matrix(ctx, s));
    } else {
        const extent e = extent_of(p);
        if (is_grid(p, &e, &squares))
            MCO_TRY(try_roots(s, squares, &is_exact));
        MCO_TRY(is_exact ? send_grid(ctx, s, &e) : send_plane(ctx, s));
    }
    MCO_TRY(copy_up(s, p->demand, (size_t)p->nodes * sizeof *p->demand, (const void **)&s->places.demand));
    if (p->service != NULL && vrp_has_max_length(p))
        MCO_TRY(copy_up(s, p->service, (size_t)p->nodes * sizeof *p->service, (const void **)&s->places.service));
done:
    return st;
}

static mco_status open_device(mco_context *ctx, gpu_state *s, const mco_vrp_params *params)
{
    mco_status st = MCO_OK;
    mco_gpu gpus[MCO_MAX_GPUS];
    int count;
    MCO_TRY(mco_gpus_choose(ctx, params->gpus, gpus, &count));
    if (count > 1)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--gpus: %d GPUs given, this engine uses one", count);
    MCO_TRY(mco_device_open(ctx, &gpus[0], &s->device));
    const int64_t spare = (int64_t)s->device.info.free_bytes - SPARE_BYTES, given = params->memory << 20;
    s->memory_bytes = given > 0 && given < spare ? given : spare;
    MCO_TRY(send_places(ctx, s));
    MCO_TRY(vrp_sums_open(ctx, s->problem, s->room, &s->sums_memory));
    MCO_TRY(mco_alloc(ctx, &s->rows, (int64_t)s->room + 1));
    MCO_TRY(mco_alloc(ctx, &s->candidates, s->room));
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &s->d_keys, 2 * (int64_t)s->room + 2));
done:
    return st;
}

static void free_state(mco_context *ctx, gpu_state **s)
{
    if (*s == NULL)
        return;
    mco_device_close(&(*s)->device);  // and with it all its memory
    vrp_sums_close(ctx, &(*s)->sums_memory);
    mco_free(ctx, &(*s)->candidates);
    mco_free(ctx, &(*s)->rows);
    mco_free(ctx, s);
}

static void close_engine(vrp_engine *engine)
{
    gpu_state *s = engine->state;
    free_state(engine->ctx, &s);
    engine->state = NULL;
}

// ---- What all scans do

static bool is_over(const gpu_state *s, double stop_s)
{
    return mco_is_cancelled(s->device.ctx) || mco_clock_s() >= stop_s;
}

// After a launch that others follow: waits for it, unless it is the first; *stopped if the scan has to end.
static mco_status wait_between(gpu_state *s, double stop_s, bool is_first, bool *stopped)
{
    mco_status st = MCO_OK;
    if (is_first)
        return MCO_OK;
    MCO_CUDA(s->device.ctx, cudaStreamSynchronize(s->device.stream));
    *stopped = is_over(s, stop_s);
done:
    return st;
}

static bool is_better(const vrp_candidate *a, const vrp_candidate *b, bool wants_first)
{
    if (a->move.x < 0 || b->move.x < 0)
        return b->move.x < 0 && a->move.x >= 0;
    if (!wants_first && (vrp_is_less(a->value, b->value) || vrp_is_less(b->value, a->value)))
        return vrp_is_less(a->value, b->value);
    return vrp_is_before(a->move, b->move);
}

static void take_better(vrp_candidate *best, const vrp_candidate *other, bool wants_first)
{
    if (is_better(other, best, wants_first))
        *best = *other;
}

// Where that of the host is in the copy.
static int32_t *of_device(const gpu_state *s, const int32_t *host)
{
    return s->d_sums + (host - s->sums_memory.block);
}

static mco_status send_sums(gpu_state *s)
{
    mco_status st = MCO_OK;
    const vrp_sums_memory *m = &s->sums_memory;
    const vrp_sums *h = &s->sums;
    vrp_sums *d = &s->tour.sums;
    if (s->d_sums == NULL)
        MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &s->d_sums, m->items));
    if (m->turn != NULL && s->d_turn == NULL)
        MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &s->d_turn, m->stride));
    MCO_CUDA(s->device.ctx, cudaMemcpyAsync(s->d_sums, m->block, (size_t)m->items * sizeof *m->block, cudaMemcpyHostToDevice,
                                            s->device.stream));
    if (m->turn != NULL)
        MCO_CUDA(s->device.ctx, cudaMemcpyAsync(s->d_turn, m->turn, (size_t)m->stride * sizeof *m->turn,
                                                cudaMemcpyHostToDevice, s->device.stream));
    *d = *h;
    int32_t **const from[] = {&d->node, &d->demand, &d->service, &d->last_depot, &d->next_depot, &d->load_to, &d->load_from,
                              &d->length_to, &d->length_from, &d->back_to, &d->back_from, &d->edge, &d->full_to, &d->bad_to,
                              &d->bad_back_to};
    for (size_t k = 0; k < sizeof from / sizeof *from; k++)
        *from[k] = of_device(s, *from[k]);
    d->turn = s->d_turn;
done:
    return st;
}

static int64_t round_up(int64_t value, int64_t step)
{
    return (value + step - 1) / step * step;
}

static int64_t distance_bytes(const gpu_state *s)
{
    return (int64_t)s->room * round_up(s->room, VRP_DEVICE_COLUMNS) * (int64_t)sizeof(int32_t);
}

// Distances of all pairs of positions, where memory allows.
static mco_status make_distances(gpu_state *s)
{
    mco_status st = MCO_OK;
    s->tour.stride = round_up(s->room, VRP_DEVICE_COLUMNS);
    if (distance_bytes(s) > s->memory_bytes) {
        s->tour.distance = NULL;
        return MCO_OK;
    }
    if (s->tour.distance == NULL)
        MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &s->tour.distance, s->room * s->tour.stride));
    MCO_CUDA(s->device.ctx, vrp_launch_distances(&s->tour, &s->places, s->device.stream));
done:
    return st;
}

// Moves up to the place of m, itself included.
static int64_t rank_of(int64_t edges, vrp_move m)
{
    const int64_t before_x = vrp_move_count(edges, m.z >= 0) - vrp_move_count(edges - m.x, m.z >= 0);
    if (m.z < 0)
        return before_x + m.y - m.x;
    const int64_t before_y = 4 * (vrp_move_count(edges - m.x - 1, false) - vrp_move_count(edges - m.y, false));
    return before_x + before_y + 4 * (int64_t)(m.z - m.y - 1) + m.p + 1;
}

// ---- 2-opt of a symmetric, feasible tour

static mco_status take_two_opt(gpu_state *s)
{
    enum { OVERLAP_MAJOR = 9 };
    mco_status st = MCO_OK;
    vrp_device_two_opt *t = &s->two_opt;
    const size_t place_bytes = s->places.kind == VRP_PLACES_PLANE ? 2 * sizeof(double) : 2 * sizeof(float);
    if (t->answer != NULL)
        return MCO_OK;
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_PINNED, &s->h_tour, s->room));
    MCO_TRY(mco_device_take_bytes(&s->device, MCO_MEMORY_DEVICE, &t->place, (size_t)s->room, place_bytes));
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &t->stop, s->room));
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &t->edge, s->room));
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &t->next_depot, s->room));
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &t->tally, vrp_two_opt_tallies(s->room)));
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &t->partial, VRP_DEVICE_TWO_OPT_BLOCKS));
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &t->ticket, 1));
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &t->device_answer, 1));
    MCO_CUDA(s->device.ctx, cudaMemset(t->ticket, 0, sizeof *t->ticket));
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_PINNED, &t->answer, 1));
    t->answer->sequence = 0;
    t->capacity = s->problem->capacity;
    t->max_length = s->problem->max_length;
    t->vehicles = s->problem->vehicles;
    t->has_length = vrp_has_max_length(s->problem);
    t->overlaps = s->device.info.major >= OVERLAP_MAJOR;
    t->tour = s->h_tour;
done:
    return st;
}

// The kernel writes the answer to the host's memory, its number last: that is seen sooner than the end of the stream.
static mco_status wait_for_answer(gpu_state *s)
{
    enum { LOOKS = 4096 };
    mco_status st = MCO_OK;
    const vrp_device_two_opt *t = &s->two_opt;
    for (int64_t look = 1; __atomic_load_n(&t->answer->sequence, __ATOMIC_ACQUIRE) != t->sequence; look++) {
        if (look % LOOKS != 0)
            continue;
        const cudaError_t error = cudaStreamQuery(s->device.stream);
        if (error != cudaErrorNotReady)
            MCO_CUDA(s->device.ctx, error);
    }
done:
    return st;
}

// *is_decided: false where this way does not serve the tour.
static mco_status scan_two_opt(vrp_engine *engine, vrp_scan *scan, double stop_s, bool *is_decided)
{
    mco_status st = MCO_OK;
    gpu_state *s = engine->state;
    vrp_device_two_opt *t = &s->two_opt;
    const int64_t moves = vrp_move_count(scan->tour->count - 1, false), tiles = vrp_two_opt_tiles(scan->tour->count);
    const int64_t step = moves > LAUNCH_TWO_OPT_MOVES ? (int64_t)((double)tiles * (LAUNCH_TWO_OPT_MOVES / (double)moves)) + 1
                                                      : tiles;
    *is_decided = true;
    MCO_TRY(take_two_opt(s));
    memcpy(s->h_tour, scan->tour->node, (size_t)scan->tour->count * sizeof *s->h_tour);
    t->count = scan->tour->count;
    MCO_CUDA(engine->ctx, vrp_launch_two_opt_sums(t, &s->places, s->device.stream));
    for (int64_t first = 0; first < tiles && *is_decided; first += step) {
        if (first > 0 && is_over(s, stop_s))
            return MCO_OK;
        t->sequence++;
        MCO_CUDA(engine->ctx, vrp_launch_two_opt(t, &s->places, first, first + step < tiles ? first + step : tiles,
                                                 s->device.info.multiprocessors, s->device.stream));
        MCO_TRY(wait_for_answer(s));
        *is_decided = t->answer->is_decided;
    }
    engine->device_s += 1e-9 * (double)(t->answer->end_ns - t->answer->begin_ns);
    if (!*is_decided)
        return MCO_OK;
    scan->moves = moves;
    const vrp_device_key best = t->answer->best;
    if (best.index != UINT64_MAX)
        scan->best = (vrp_candidate){{(int32_t)(best.index >> 32), (int32_t)(best.index & UINT32_MAX), -1, -1},
                                     {0, (int64_t)best.value + INT32_MIN}};
done:
    return st;
}

// ---- Move by move

static int64_t room_left(const gpu_state *s)
{
    return s->memory_bytes - (s->tour.distance != NULL ? distance_bytes(s) : 0);
}

// Segments of the tour, with which `job` decides.
static mco_status make_segments(gpu_state *s, int hierarchy, vrp_device_plain *job)
{
    mco_status st = MCO_OK;
    const int32_t edges = s->sums.count - 1;
    job->layout = vrp_layout_best(edges, hierarchy);
    job->limits = (vrp_limits){s->problem->capacity, s->problem->max_length};
    const double bytes = (double)job->layout.count * sizeof *s->d_segments;
    if (bytes > (double)room_left(s))
        return mco_fail(s->device.ctx, MCO_ERR_LIMIT,
                        "the GPU needs %.3g GiB for the segments of %d nodes with hierarchy %d, at most %.3g GiB are allowed",
                        bytes / (1 << 30), edges + 1, hierarchy, (double)room_left(s) / (1 << 30));
    if (job->layout.count > s->segment_room) {
        mco_device_give(&s->device, &s->d_segments);
        s->segment_room = 0;
        MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &s->d_segments, job->layout.count));
        s->segment_room = job->layout.count;
    }
    for (int level = 0; level < job->layout.levels; level++)
        MCO_CUDA(s->device.ctx, vrp_launch_segments(&s->tour, &s->places, &job->layout, job->limits, level, s->d_segments,
                                                    s->device.stream));
    job->stored = s->d_segments;
    for (int32_t i = 0; i < edges; i++)
        job->cost += s->sums.edge[i];
done:
    return st;
}

// Edges of the routes that break a limit, of which there are at most MOST_BAD_ROUTES; of a symmetric tour.
static void list_bad_routes(const vrp_sums *t, vrp_device_plain *job)
{
    for (int32_t depot = 0; depot < t->count - 1;) {
        const int32_t end = t->next_depot[depot + 1];
        if (t->bad_to[end] > t->bad_to[depot]) {
            job->bad_first[job->bad] = depot;
            job->bad_end[job->bad++] = end;
        }
        depot = end;
    }
}

static vrp_device_plain plain_job(const gpu_state *s, const vrp_scan *scan)
{
    const vrp_sums *t = &s->sums;
    const int64_t edges = t->count - 1;
    vrp_device_plain job = {.tour = s->tour, .places = s->places, .is_three_opt = scan->is_three_opt,
                            .wants_first = scan->wants_first, .keep = scan->keep, .filter_seed = scan->filter_seed,
                            .compacts = scan->keep != UINT64_MAX && scan->filter == MCO_VRP_FILTER_COMPACT,
                            .value_bits = t->is_symmetric ? 32 : 44, .last = UINT64_MAX};
    // As vrp_to_beat() says.
    job.to_beat = t->bad > 0 ? UINT64_MAX
                             : ((unsigned long long)vrp_penalty(t->routes, t->vehicles) << job.value_bits) +
                                   (1ull << (job.value_bits - 1));
    const int64_t chunks = scan->is_three_opt && PLAIN_UNITS / edges > 1 ? PLAIN_UNITS / edges : 1;
    job.chunk = (int32_t)((edges + chunks - 1) / chunks);
    job.chunks = (int32_t)((edges + job.chunk - 1) / job.chunk);
    return job;
}

// All units; *stopped if the scan has to end before.
static mco_status launch_units(gpu_state *s, const vrp_device_plain *job, double stop_s, bool *stopped)
{
    mco_status st = MCO_OK;
    const int64_t edges = s->sums.count - 1, units = edges * job->chunks;
    const double of_unit = (double)vrp_move_count(edges, job->is_three_opt) / (double)units;
    const int64_t step = 1 + (int64_t)(LAUNCH_PLAIN_MOVES / (of_unit > 1 ? of_unit : 1));
    for (int64_t first = 0; first < units && !*stopped; first += step) {
        MCO_TRY(wait_between(s, stop_s, first == 0, stopped));
        if (!*stopped)
            MCO_CUDA(s->device.ctx, vrp_launch_plain(job, first, first + step < units ? first + step : units,
                                                     s->device.info.multiprocessors, s->device.stream));
    }
done:
    return st;
}

// Kept moves; up to `last` with job->counts.
static mco_status fetch_kept(gpu_state *s, const vrp_device_plain *job, int64_t *kept)
{
    mco_status st = MCO_OK;
    unsigned long long value;
    MCO_CUDA(s->device.ctx,
             cudaMemcpyAsync(&value, job->kept, sizeof value, cudaMemcpyDeviceToHost, s->device.stream));
    MCO_CUDA(s->device.ctx, cudaStreamSynchronize(s->device.stream));
    *kept = (int64_t)value;
done:
    return st;
}

static vrp_candidate candidate_of(vrp_device_key key, const vrp_device_plain *job)
{
    const unsigned long long i = key.index;
    if (key.value == UINT64_MAX && i == UINT64_MAX)
        return NONE;
    vrp_candidate c = {{(int32_t)(i >> 44), (int32_t)(i >> 22 & 0x3fffff), (int32_t)(i >> 2 & 0xfffff), (int32_t)(i & 3)},
                       {(int32_t)(key.value >> job->value_bits),
                        (int64_t)(key.value & ((1ull << job->value_bits) - 1)) - ((int64_t)1 << (job->value_bits - 1))}};
    if (!job->is_three_opt)
        c.move = (vrp_move){(int32_t)(i >> 32), (int32_t)(i & UINT32_MAX), -1, -1};
    return c;
}

// With the first improving move the kernels leave its index alone.
static vrp_value value_of(const gpu_state *s, vrp_move m)
{
    int32_t from[3], to[3], join[3];
    const int joins = vrp_joins(m, from, to);
    for (int k = 0; k < joins; k++)
        join[k] = vrp_distance(s->problem, s->sums.node[from[k]], s->sums.node[to[k]]);
    const vrp_decision d = vrp_decide(&s->sums, m, join);
    return (vrp_value){vrp_penalty(d.routes, s->sums.vehicles), d.change};
}

static mco_status take_plain(gpu_state *s, const vrp_device_plain *job)
{
    mco_status st = MCO_OK;
    const int64_t units = (int64_t)(s->sums.count - 1) * job->chunks;
    if (s->d_rows == NULL)
        MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &s->d_rows, (int64_t)s->room + 1));
    if (units > s->partial_room) {
        mco_device_give(&s->device, &s->d_partial);
        s->partial_room = 0;
        MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &s->d_partial, units));
        s->partial_room = units;
    }
done:
    return st;
}

// Up to which index moves kept are counted: the reference stops at the first that improves.
static mco_status count_kept(gpu_state *s, vrp_device_plain *job, const vrp_scan *scan, double stop_s, bool *stopped,
                             int64_t *moves)
{
    mco_status st = MCO_OK;
    const vrp_move m = scan->best.move;
    if (!scan->wants_first || m.x < 0)
        return fetch_kept(s, job, moves);
    if (scan->keep == UINT64_MAX) {
        *moves = rank_of(s->sums.count - 1, m);
        return MCO_OK;
    }
    vrp_device_plain count = *job;
    count.counts = true;
    count.compacts = count.wants_first = false;
    count.last = m.z < 0 ? (unsigned long long)m.x << 32 | (unsigned long long)m.y
                         : (unsigned long long)m.x << 44 | (unsigned long long)m.y << 22 | (unsigned long long)m.z << 2 |
                               (unsigned long long)m.p;
    MCO_CUDA(s->device.ctx, cudaMemsetAsync(job->kept, 0, sizeof *job->kept, s->device.stream));
    MCO_TRY(launch_units(s, &count, stop_s, stopped));
    MCO_TRY(fetch_kept(s, job, moves));
done:
    return st;
}

// Every move by itself, or with only_open those of 3-opt that tables leave out: then scan->best and rows are improved upon.
static mco_status scan_plain(gpu_state *s, vrp_scan *scan, bool only_open, double stop_s, bool *stopped)
{
    mco_status st = MCO_OK;
    const int32_t edges = s->sums.count - 1;
    vrp_device_plain job = plain_job(s, scan);
    job.only_open = only_open;
    if (scan->hierarchy >= 0)
        MCO_TRY(make_segments(s, scan->hierarchy, &job));
    else if (s->sums.is_symmetric)
        list_bad_routes(&s->sums, &job);
    MCO_TRY(take_plain(s, &job));
    job.partial = s->d_partial;
    job.rows = s->d_rows;
    job.kept = s->d_keys;
    job.found = s->d_keys + 1;
    MCO_CUDA(s->device.ctx, cudaMemsetAsync(job.kept, 0, sizeof *job.kept, s->device.stream));
    MCO_CUDA(s->device.ctx, cudaMemsetAsync(job.found, 0xff, sizeof *job.found, s->device.stream));
    MCO_TRY(launch_units(s, &job, stop_s, stopped));
    if (*stopped)
        return MCO_OK;
    MCO_CUDA(s->device.ctx, vrp_launch_plain_rows(&job, s->device.stream));
    const int32_t first = scan->rows != NULL ? 0 : edges;  // the best of all is behind those of each x
    MCO_CUDA(s->device.ctx, cudaMemcpyAsync(s->rows + first, s->d_rows + first, (size_t)(edges + 1 - first) * sizeof *s->rows,
                                            cudaMemcpyDeviceToHost, s->device.stream));
    MCO_CUDA(s->device.ctx, cudaStreamSynchronize(s->device.stream));
    vrp_candidate best = candidate_of(s->rows[edges], &job);
    if (scan->wants_first && best.move.x >= 0)
        best.value = value_of(s, best.move);
    take_better(&scan->best, &best, scan->wants_first);
    for (int32_t x = 0; scan->rows != NULL && !scan->wants_first && x < edges; x++) {
        const vrp_candidate row = candidate_of(s->rows[x], &job);
        take_better(&scan->rows[x], &row, false);
    }
    if (!only_open)
        MCO_TRY(count_kept(s, &job, scan, stop_s, stopped, &scan->moves));
done:
    return st;
}

// ---- 3-opt by tables

// How routes count in a scan by tables.
typedef enum counting {
    COUNT_NOTHING,   // no move can make more routes than vehicles
    COUNT_BY_WEIGHT,  // there are more before, so each counts
    COUNT_AFTERWARDS  // as many as vehicles: a move with one more loses to nearly any other; if to none, another way is gone
} counting;

static counting counting_of(const gpu_state *s)
{
    const vrp_sums *t = &s->sums;
    int32_t routes = 0;
    for (int32_t i = 1; i < t->count; i++)
        routes += t->node[i] == 0;
    const int32_t most = t->routes < routes ? t->routes + 1 : t->routes;
    if (vrp_penalty(most, t->vehicles) == 0)
        return COUNT_NOTHING;
    return t->routes > t->vehicles ? COUNT_BY_WEIGHT : COUNT_AFTERWARDS;
}

// A weight above any difference of costs; false if sums of tables would then exceed their range. A move changes the cost by at
// most three distances either way, and three weights and distances stay below VRP_FAR / 2.
static bool weigh(const gpu_state *s, counting count, int32_t *weight)
{
    const int64_t longest = s->problem->longest, of_route = count == COUNT_BY_WEIGHT ? 6 * longest + 1 : 0;
    *weight = (int32_t)of_route;
    return 3 * (of_route + longest) < VRP_FAR / 2;
}

// Tables of all z, or of slabs that memory allows.
static mco_status take_tables(gpu_state *s, int32_t edges, int32_t weight)
{
    enum { NARROW_MAJOR = 9 };  // below, minima of halves are not an instruction
    mco_status st = MCO_OK;
    vrp_device_tables *t = &s->tables;
    t->weight = weight;
    t->longest = s->problem->longest;
    t->is_narrow = weight == 0 && 3 * (int64_t)t->longest < VRP_FAR_16 && s->device.info.major >= NARROW_MAJOR;
    t->rows = (int32_t)round_up(edges, VRP_DEVICE_TILE);
    const int64_t entry_bytes = t->is_narrow ? sizeof(int16_t) : sizeof(int32_t), column_bytes = 4 * entry_bytes * t->rows;
    const int64_t all = round_up(edges, VRP_DEVICE_COLUMNS), most = room_left(s) / column_bytes / VRP_DEVICE_COLUMNS *
                                                                  VRP_DEVICE_COLUMNS;
    if (most < VRP_DEVICE_COLUMNS)
        return mco_fail(s->device.ctx, MCO_ERR_LIMIT,
                        "3-opt of %d nodes needs at least %.1f MiB on the GPU, %.1f MiB are free or allowed", edges + 1,
                        (double)(distance_bytes(s) + VRP_DEVICE_COLUMNS * column_bytes) / (1 << 20),
                        (double)s->memory_bytes / (1 << 20));
    t->is_whole = most >= all;
    t->columns = (int32_t)(most < all ? most : all);
    const int64_t bytes = t->columns * column_bytes;
    if (bytes > s->tables_room) {
        mco_device_give(&s->device, &s->d_tables);
        s->tables_room = 0;
        MCO_TRY(mco_device_take_bytes(&s->device, MCO_MEMORY_DEVICE, &s->d_tables, (size_t)bytes, 1));
        s->tables_room = bytes;
    }
    for (int k = 0; k < 4; k++)
        t->join[k] = (char *)s->d_tables + k * (bytes / 4);
done:
    return st;
}

// Moves with a depot between any two edges and z in the slab, in launches that do not last.
static mco_status launch_closed(gpu_state *s, double stop_s, bool is_first, bool *stopped)
{
    mco_status st = MCO_OK;
    const int32_t blocks = s->tables.rows / VRP_DEVICE_TILE;
    for (int32_t first = 0, end; first < blocks && !*stopped; first = end) {
        double moves = 0;
        for (end = first; end < blocks && moves < LAUNCH_TABLE_MOVES; end++)
            moves += 4.0 * VRP_DEVICE_TILE * VRP_DEVICE_TILE * (end + 1) * s->tables.columns;
        MCO_TRY(wait_between(s, stop_s, is_first && first == 0, stopped));
        if (!*stopped)
            MCO_CUDA(s->device.ctx, vrp_launch_closed(&s->search, &s->tables, first, end, s->device.info.multiprocessors,
                                                      s->device.stream));
    }
done:
    return st;
}

static mco_status launch_tables(gpu_state *s, double stop_s, bool *stopped)
{
    mco_status st = MCO_OK;
    const int32_t edges = s->sums.count - 1, columns = s->tables.columns;
    MCO_CUDA(s->device.ctx, vrp_launch_begin(&s->search, s->device.stream));
    if (s->tables.weight == 0)
        MCO_CUDA(s->device.ctx, vrp_launch_open(&s->search, s->device.stream));
    for (int32_t first = 0; first < edges && !*stopped; first += columns) {
        s->tables.first = first;
        MCO_CUDA(s->device.ctx, vrp_launch_joins(&s->search.tour, &s->tables, s->device.stream));
        MCO_TRY(launch_closed(s, stop_s, first == 0, stopped));
    }
    if (!*stopped)
        MCO_CUDA(s->device.ctx, vrp_launch_narrow(&s->search, s->tables.weight, s->device.stream));
done:
    return st;
}

// *is_decided: false where the best moves leave too many routes, and others may not.
static mco_status fetch_moves(gpu_state *s, vrp_scan *scan, bool *is_decided)
{
    mco_status st = MCO_OK;
    const int32_t edges = s->sums.count - 1, count = s->search.rows != NULL ? edges : 1;
    vrp_candidate *to = s->search.rows != NULL ? s->candidates : &scan->best;
    MCO_CUDA(s->device.ctx, cudaMemcpyAsync(to, s->d_candidates, (size_t)count * sizeof *to, cudaMemcpyDeviceToHost,
                                            s->device.stream));
    MCO_CUDA(s->device.ctx, cudaStreamSynchronize(s->device.stream));
    *is_decided = true;
    for (int32_t k = 0; k < count; k++)
        *is_decided = *is_decided && to[k].move.x >= -1;
    if (!*is_decided)
        scan->best = NONE;
    for (int32_t x = 0; s->search.rows != NULL && *is_decided && x < edges; x++) {
        scan->rows[x] = to[x];
        take_better(&scan->best, &to[x], false);
    }
done:
    return st;
}

static mco_status scan_tables(gpu_state *s, vrp_scan *scan, counting count, int32_t weight, double stop_s, bool *stopped,
                              bool *is_decided)
{
    mco_status st = MCO_OK;
    const int32_t edges = s->sums.count - 1;
    *is_decided = true;
    if (s->d_candidates == NULL)
        MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &s->d_candidates, s->room));
    MCO_TRY(take_tables(s, edges, weight));
    s->search = (vrp_device_three_opt){.tour = s->tour, .wants_first = scan->wants_first,
                                       .needs_few = count == COUNT_AFTERWARDS, .best = s->d_keys,
                                       .rows = scan->rows != NULL && !scan->wants_first ? s->d_keys + 1 : NULL,
                                       .index = s->d_keys + 1 + s->room, .answer = s->d_candidates};
    MCO_TRY(launch_tables(s, stop_s, stopped));
    if (*stopped)
        return MCO_OK;
    MCO_TRY(fetch_moves(s, scan, is_decided));
    if (*is_decided && weight > 0)
        MCO_TRY(scan_plain(s, scan, true, stop_s, stopped));
    scan->moves = scan->wants_first && scan->best.move.x >= 0 ? rank_of(edges, scan->best.move)
                                                              : vrp_move_count(edges, true);
done:
    return st;
}

// ---- Scan

// Nothing is legal; what a filter keeps is counted.
static mco_status scan_hopeless(gpu_state *s, vrp_scan *scan, double stop_s, bool *stopped)
{
    mco_status st = MCO_OK;
    scan->moves = vrp_move_count(s->sums.count - 1, scan->is_three_opt);
    if (scan->keep == UINT64_MAX)
        return MCO_OK;
    vrp_device_plain job = plain_job(s, scan);
    job.counts = true;
    job.compacts = job.wants_first = false;
    MCO_TRY(take_plain(s, &job));
    job.partial = s->d_partial;
    job.kept = s->d_keys;
    MCO_CUDA(s->device.ctx, cudaMemsetAsync(job.kept, 0, sizeof *job.kept, s->device.stream));
    MCO_TRY(launch_units(s, &job, stop_s, stopped));
    MCO_TRY(fetch_kept(s, &job, &scan->moves));
done:
    return st;
}

static mco_status scan_by_sums(gpu_state *s, vrp_scan *scan, double stop_s, bool *stopped)
{
    mco_status st = MCO_OK;
    const bool is_simple = s->sums.is_symmetric && s->sums.bad == 0 && scan->keep == UINT64_MAX && scan->hierarchy < 0;
    bool is_decided = false;
    int32_t weight;
    MCO_TRY(send_sums(s));
    // A move cuts two edges or three, so it can mend as many routes. An asymmetric one may become legal by being turned.
    if (s->sums.is_symmetric && s->sums.bad > MOST_BAD_ROUTES - !scan->is_three_opt)
        return scan_hopeless(s, scan, stop_s, stopped);
    if (scan->is_three_opt) {
        MCO_TRY(make_distances(s));
        const counting count = counting_of(s);
        if (is_simple && s->tour.distance != NULL && weigh(s, count, &weight))
            MCO_TRY(scan_tables(s, scan, count, weight, stop_s, stopped, &is_decided));
    } else {
        s->tour.distance = NULL;
    }
    if (!is_decided && !*stopped)
        MCO_TRY(scan_plain(s, scan, false, stop_s, stopped));
done:
    return st;
}

static mco_status scan_and_time(vrp_engine *engine, vrp_scan *scan, double stop_s, bool *stopped)
{
    mco_status st = MCO_OK;
    gpu_state *s = engine->state;
    const double before_s = s->device.kernel_s;
    MCO_TRY(vrp_sums_fill(engine->ctx, s->problem, scan->tour, &s->sums_memory, &s->sums));
    MCO_TRY(mco_device_start_clock(&s->device));
    MCO_TRY(scan_by_sums(s, scan, stop_s, stopped));
    MCO_TRY(mco_device_stop_clock(&s->device, NULL));
    engine->device_s += s->device.kernel_s - before_s;
done:
    return st;
}

static mco_status gpu_scan(vrp_engine *engine, vrp_scan *scan, double stop_s)
{
    mco_status st = MCO_OK;
    gpu_state *s = engine->state;
    const int32_t edges = scan->tour->count - 1;
    const bool is_plain = scan->keep == UINT64_MAX && scan->hierarchy < 0 && !scan->wants_first && scan->rows == NULL;
    bool is_decided = false, stopped = false;
    assert(scan->tour->count <= s->room);
    scan->best = NONE;
    scan->moves = scan->moves_skipped = 0;
    for (int32_t x = 0; scan->rows != NULL && x < edges; x++)
        scan->rows[x] = NONE;
    if (vrp_move_count(edges, scan->is_three_opt) == 0 || is_over(s, stop_s))
        return MCO_OK;
    if (scan->is_three_opt && scan->tour->count > VRP_DEVICE_THREE_OPT_NODES)
        return mco_fail(engine->ctx, MCO_ERR_LIMIT, "3-opt of a tour of %d nodes, at most %d supported on a GPU",
                        scan->tour->count, VRP_DEVICE_THREE_OPT_NODES);
    MCO_TRY(mco_device_use(&s->device));
    if (!scan->is_three_opt && is_plain && s->problem->is_symmetric) {
        MCO_TRY(scan_two_opt(engine, scan, stop_s, &is_decided));
        if (is_decided)
            return MCO_OK;
    }
    MCO_TRY(scan_and_time(engine, scan, stop_s, &stopped));
    if (stopped)
        scan->best = NONE;
    else if (scan->rows != NULL && scan->wants_first && scan->best.move.x >= 0)
        scan->rows[scan->best.move.x] = scan->best;
done:
    return st;
}

// ---- Engine

mco_status vrp_gpu_open(mco_context *ctx, const mco_vrp *problem, int32_t tour_nodes, const mco_vrp_params *params,
                        vrp_engine *out)
{
    mco_status st = MCO_OK;
    gpu_state *s = NULL;
    MCO_TRY(mco_alloc(ctx, &s, 1));
    s->problem = problem;
    s->room = tour_nodes;
    MCO_TRY(open_device(ctx, s, params));
    *out = (vrp_engine){.ctx = ctx, .problem = problem, .state = s, .simd = "none", .threads = 1, .gpu = s->device.info,
                        .has_gpu = true, .scan = gpu_scan, .close = close_engine};
done:
    if (st != MCO_OK)
        free_state(ctx, &s);
    return st;
}
