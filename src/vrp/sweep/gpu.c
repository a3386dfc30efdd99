// SPDX-License-Identifier: MIT
// The gpu engine of complete neighbourhoods. The instance stays on the device. A scan sends the tour or its sums, runs
// its kernels and fetches the move. This file chooses which of the three ways of vrp/sweep/cuda.h a scan goes.
#include <assert.h>
#include <math.h>

#include "vrp/sweep/gpu.h"
#include "vrp/sweep/gpu_plain.h"
#include "vrp/sweep/gpu_tables.h"
#include "vrp/sweep/gpu_two_opt.h"

static const int64_t SPARE_BYTES = (int64_t)256 << 20;  // device memory left to others
enum { MOST_BAD_ROUTES = 3, GRID_LIMIT = 1 << 22, MOST_MATRIX_NODES = MCO_VRP_MAX_MATRIX_CUSTOMERS + 1 };

// ---- Open

static mco_status copy_up(vrp_gpu *s, const void *from, size_t bytes, const void **out)
{
    mco_status st = MCO_OK;
    void *memory = NULL;
    MCO_TRY(mco_device_take_bytes(&s->device, MCO_MEMORY_DEVICE, &memory, bytes, 1));
    MCO_CUDA(s->device.ctx, cudaMemcpy(memory, from, bytes, cudaMemcpyHostToDevice));
    *out = memory;
done:
    return st;
}

// The least and the greatest of both coordinates.
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

// Whether distances are rounded roots of integers that floats hold with two more bits. *squares is the greatest of
// these integers.
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

// Whether the approximate root of this device rounds correctly for every integer up to `squares`.
static mco_status try_roots(vrp_gpu *s, int64_t squares, bool *is_exact)
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

static mco_status send_grid(mco_context *ctx, vrp_gpu *s, const extent *e)
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

static mco_status send_plane(mco_context *ctx, vrp_gpu *s)
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

// The device rounds the functions of distances on a sphere differently, so the host makes a matrix of these distances.
static mco_status send_matrix(mco_context *ctx, vrp_gpu *s)
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

static mco_status send_places(mco_context *ctx, vrp_gpu *s)
{
    mco_status st = MCO_OK;
    const mco_vrp *p = s->problem;
    bool is_exact = false;
    int64_t squares;
    s->places = (vrp_device_places){.nodes = p->nodes, .scale = p->scale,
                                    .rounds_up = p->rule == VRP_CEIL_2D && p->distances == MCO_VRP_DISTANCES_ROUNDED};
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

static mco_status open_device(mco_context *ctx, vrp_gpu *s, const mco_vrp_params *params)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_device_open_named(ctx, params->gpus, &s->device));
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

static void free_state(mco_context *ctx, vrp_gpu **s)
{
    if (*s == NULL)
        return;
    vrp_gpu_close_chain(*s);
    mco_device_close(&(*s)->device);  // and with it all its memory
    vrp_sums_close(ctx, &(*s)->sums_memory);
    mco_free(ctx, &(*s)->candidates);
    mco_free(ctx, &(*s)->rows);
    mco_free(ctx, s);
}

static void close_engine(vrp_engine *engine)
{
    vrp_gpu *s = engine->state;
    free_state(engine->ctx, &s);
    engine->state = NULL;
}

// ---- What all scans do

mco_status vrp_gpu_wait_between(vrp_gpu *s, double stop_s, bool is_first, bool *stopped)
{
    mco_status st = MCO_OK;
    if (is_first)
        return MCO_OK;
    MCO_CUDA(s->device.ctx, cudaStreamSynchronize(s->device.stream));
    *stopped = vrp_gpu_is_over(s, stop_s);
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

void vrp_gpu_take_better(vrp_candidate *best, const vrp_candidate *other, bool wants_first)
{
    if (is_better(other, best, wants_first))
        *best = *other;
}

int64_t vrp_gpu_rank_of(int64_t edges, vrp_move m)
{
    const int64_t before_x = vrp_move_count(edges, m.z >= 0) - vrp_move_count(edges - m.x, m.z >= 0);
    if (m.z < 0)
        return before_x + m.y - m.x;
    const int64_t before_y = 4 * (vrp_move_count(edges - m.x - 1, false) - vrp_move_count(edges - m.y, false));
    return before_x + before_y + 4 * (int64_t)(m.z - m.y - 1) + m.p + 1;
}

// ---- Sums and distances

// The place in the device's copy of an address in the host's sums.
static int32_t *of_device(const vrp_gpu *s, const int32_t *host)
{
    return s->d_sums + (host - s->sums_memory.block);
}

static mco_status send_sums(vrp_gpu *s)
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

int64_t vrp_gpu_distance_bytes(const vrp_gpu *s)
{
    return (int64_t)s->room * vrp_gpu_round_up(s->room, VRP_DEVICE_COLUMNS) * (int64_t)sizeof(int32_t);
}

// Makes the distances of all pairs of positions, if memory allows.
static mco_status make_distances(vrp_gpu *s)
{
    mco_status st = MCO_OK;
    s->tour.stride = vrp_gpu_round_up(s->room, VRP_DEVICE_COLUMNS);
    if (vrp_gpu_distance_bytes(s) > s->memory_bytes) {
        s->tour.distance = NULL;
        return MCO_OK;
    }
    if (s->tour.distance == NULL)
        MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &s->tour.distance, s->room * s->tour.stride));
    MCO_CUDA(s->device.ctx, vrp_launch_distances(&s->tour, &s->places, s->device.stream));
done:
    return st;
}

int64_t vrp_gpu_room_left(const vrp_gpu *s)
{
    return s->memory_bytes - (s->tour.distance != NULL ? vrp_gpu_distance_bytes(s) : 0);
}

// ---- Scan

static mco_status scan_by_sums(vrp_gpu *s, vrp_scan *scan, double stop_s, bool *stopped)
{
    mco_status st = MCO_OK;
    const bool is_simple = s->sums.is_symmetric && s->sums.bad == 0 && scan->keep == UINT64_MAX && scan->hierarchy < 0;
    bool is_decided = false;
    MCO_TRY(send_sums(s));
    // A move cuts two or three edges, so it can mend at most so many routes. With asymmetric distances a route may
    // become legal by being turned round.
    if (s->sums.is_symmetric && s->sums.bad > MOST_BAD_ROUTES - !scan->is_three_opt)
        return vrp_gpu_scan_hopeless(s, scan, stop_s, stopped);
    if (scan->is_three_opt) {
        MCO_TRY(make_distances(s));
        if (is_simple)
            MCO_TRY(vrp_gpu_scan_tables(s, scan, stop_s, stopped, &is_decided));
    } else {
        s->tour.distance = NULL;
    }
    if (!is_decided && !*stopped)
        MCO_TRY(vrp_gpu_scan_plain(s, scan, false, stop_s, stopped));
done:
    return st;
}

static mco_status scan_and_time(vrp_engine *engine, vrp_scan *scan, double stop_s, bool *stopped)
{
    mco_status st = MCO_OK;
    vrp_gpu *s = engine->state;
    const double before_s = s->device.kernel_s;
    MCO_TRY(vrp_sums_fill(engine->ctx, s->problem, scan->tour, &s->sums_memory, &s->sums));
    MCO_TRY(mco_device_start_clock(&s->device));
    MCO_TRY(scan_by_sums(s, scan, stop_s, stopped));
    MCO_TRY(mco_device_stop_clock(&s->device, NULL));
    engine->work.device_s += s->device.kernel_s - before_s;
done:
    return st;
}

static mco_status gpu_scan(vrp_engine *engine, vrp_scan *scan, double stop_s)
{
    mco_status st = MCO_OK;
    vrp_gpu *s = engine->state;
    const int32_t edges = scan->tour->count - 1;
    const bool is_plain = scan->keep == UINT64_MAX && scan->hierarchy < 0 && !scan->wants_first && scan->rows == NULL;
    bool is_decided = false, stopped = false;
    assert(scan->tour->count <= s->room);
    scan->best = VRP_NO_CANDIDATE;
    scan->moves = scan->moves_skipped = 0;
    for (int32_t x = 0; scan->rows != NULL && x < edges; x++)
        scan->rows[x] = VRP_NO_CANDIDATE;
    if (vrp_move_count(edges, scan->is_three_opt) == 0 || vrp_gpu_is_over(s, stop_s))
        return MCO_OK;
    if (scan->is_three_opt && scan->tour->count > VRP_DEVICE_THREE_OPT_NODES)
        return mco_fail(engine->ctx, MCO_ERR_LIMIT, "3-opt of a tour of %d nodes, at most %d supported on a GPU",
                        scan->tour->count, VRP_DEVICE_THREE_OPT_NODES);
    MCO_TRY(mco_device_use(&s->device));
    if (!scan->is_three_opt && is_plain && s->problem->is_symmetric) {
        MCO_TRY(vrp_gpu_scan_two_opt(engine, scan, stop_s, &is_decided));
        if (is_decided)
            return MCO_OK;
    }
    MCO_TRY(scan_and_time(engine, scan, stop_s, &stopped));
    if (stopped)
        scan->best = VRP_NO_CANDIDATE;
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
    vrp_gpu *s = NULL;
    MCO_TRY(mco_alloc(ctx, &s, 1));
    s->problem = problem;
    s->room = tour_nodes;
    MCO_TRY(open_device(ctx, s, params));
    *out = (vrp_engine){.ctx = ctx, .problem = problem, .state = s, .scan = gpu_scan, .close = close_engine,
                        .work = {.threads = 1, .gpus = (uint64_t)1 << s->device.info.index}};
done:
    if (st != MCO_OK)
        free_state(ctx, &s);
    return st;
}
