// SPDX-License-Identifier: MIT
// Many queries on one GPU, host side. Queries go through in chunks. While the device has one chunk, the threads write the queries of the next
// one, and make and check the journeys of the one before. A query comes with the spots of its two places on the map, or without
// a map with the stops near them; the answer names trips, places and the lengths of walks.
#include "paths/transit/gpu.h"

#include "base/clock.h"

enum { SLOTS = 3, MOST_CHUNK = 4096, LEAST_CHUNK = 256, CHUNKS = 12, PLACE_THREADS = 128, ROUND_THREADS = 256, BLOCK = 16 };
static const int64_t END_BYTES = (int64_t)1 << 29;      // of the stops near the places of a chunk
static const int64_t SCRATCH_BYTES = (int64_t)1 << 31;  // of the walks, and of the rounds

// A chunk on its way: written by the threads, answered by the device, finished by the threads.
typedef struct slot {
    transit_gpu_ask *h_ask;        // [chunk] pinned
    transit_gpu_end *h_end;        // [chunk * 2 * stops] pinned; NULL with a map
    transit_gpu_answer *h_answer;  // [chunk] pinned
    transit_gpu_control *h_control;
    int64_t first;
    int32_t count;                 // 0: empty
} slot;

typedef struct gpu_many {
    transit_many *many;
    mco_team *team;
    mco_device device;
    transit_places_plan places;
    transit_rounds_plan rounds;
    transit_gpu_ask *d_ask;
    transit_gpu_end *d_end;
    transit_gpu_control *d_control;
    int32_t chunk;
    slot slots[SLOTS];
    slot *filling, *finishing;     // in the job of the team; NULL: none
    cudaEvent_t event[5];          // begin, queries copied, walks done, rounds done, answers copied
    bool is_stopped;
    transit_gpu_stats stats;
} gpu_many;

static bool has_map(const gpu_many *g)
{
    return g->many->city->streets.map != NULL;
}

// ---- Rows

static mco_status upload(gpu_many *g, const void *from, int64_t count, size_t item_bytes, const void **out)
{
    mco_status st = MCO_OK;
    void *to = NULL;
    MCO_TRY(mco_device_take_bytes(&g->device, MCO_MEMORY_DEVICE, &to, (size_t)(count > 0 ? count : 1), item_bytes));
    if (count > 0)
        MCO_CUDA(g->many->ctx, cudaMemcpyAsync(to, from, (size_t)count * item_bytes, cudaMemcpyHostToDevice, g->device.stream));
    *out = to;
done:
    return st;
}
#define UPLOAD(g, from, count, out) upload(g, from, count, sizeof *(from), (const void **)(out))

// Walks by the stop where they begin, and by that where they end: there the stops where they begin ascend.
static mco_status upload_walks(gpu_many *g)
{
    mco_status st = MCO_OK;
    mco_context *ctx = g->many->ctx;
    const transit_timetable *t = &g->many->city->table;
    const int32_t walks = (int32_t)t->walk_first[t->stops];
    int32_t *first = NULL, *back_first = NULL;
    transit_gpu_walk *walk = NULL, *back = NULL;
    MCO_TRY(mco_alloc(ctx, &first, t->stops + 1));
    MCO_TRY(mco_alloc(ctx, &back_first, t->stops + 2));
    MCO_TRY(mco_alloc(ctx, &walk, walks));
    MCO_TRY(mco_alloc(ctx, &back, walks));
    for (int32_t i = 0; i < walks; i++) {
        walk[i] = (transit_gpu_walk){t->walk[i].stop, t->walk[i].seconds};
        back_first[t->walk[i].stop + 2]++;
    }
    for (int32_t s = 0; s <= t->stops; s++) {
        first[s] = (int32_t)t->walk_first[s];
        back_first[s + 1] += back_first[s];
    }
    for (int32_t s = 0; s < t->stops; s++)
        for (int32_t i = first[s]; i < first[s + 1]; i++)
            back[back_first[walk[i].stop + 1]++] = (transit_gpu_walk){s, walk[i].seconds};
    MCO_TRY(UPLOAD(g, first, t->stops + 1, &g->rounds.d_walk_first));
    MCO_TRY(UPLOAD(g, walk, walks, &g->rounds.d_walk));
    MCO_TRY(UPLOAD(g, back_first, t->stops + 1, &g->rounds.d_back_first));
    MCO_TRY(UPLOAD(g, back, walks, &g->rounds.d_back));
    MCO_CUDA(ctx, cudaStreamSynchronize(g->device.stream));  // ends: copies of megabytes
done:
    mco_free(ctx, &back);
    mco_free(ctx, &walk);
    mco_free(ctx, &back_first);
    mco_free(ctx, &first);
    return st;
}

static mco_status upload_timetable(gpu_many *g)
{
    mco_status st = MCO_OK;
    const transit_index *x = &g->many->city->index;
    const transit_timetable *t = x->table;
    transit_rounds_plan *p = &g->rounds;
    const int64_t places = x->first[t->routes];
    if (t->walk_first[t->stops] > INT32_MAX)
        return mco_fail(g->many->ctx, MCO_ERR_LIMIT, "the timetable has %lld walks, at most %d are supported on a GPU",
                        (long long)t->walk_first[t->stops], INT32_MAX);
    MCO_TRY(UPLOAD(g, x->first, t->routes + 1, &p->d_first));
    MCO_TRY(UPLOAD(g, x->time_first, t->routes, &p->d_time_first));
    MCO_TRY(UPLOAD(g, t->trip_first, t->routes + 1, &p->d_trip_first));
    MCO_TRY(UPLOAD(g, t->route_stop, places, &p->d_route_stop));
    MCO_TRY(UPLOAD(g, t->use, places, &p->d_use));
    MCO_TRY(UPLOAD(g, x->arrive, x->times, &p->d_arrive));
    MCO_TRY(UPLOAD(g, x->depart, x->times, &p->d_depart));
    MCO_TRY(UPLOAD(g, x->serve_first, t->stops + 1, &p->d_serve_first));
    MCO_TRY(UPLOAD(g, t->serve_route, x->serve_first[t->stops], &p->d_serve_route));
    MCO_TRY(UPLOAD(g, t->serve_place, x->serve_first[t->stops], &p->d_serve_place));
    MCO_TRY(UPLOAD(g, t->change, t->stops, &p->d_change));
    MCO_TRY(upload_walks(g));
done:
    return st;
}

static transit_gpu_spot spot_of(const transit_spot *s)
{
    return (transit_gpu_spot){s->piece, {s->end[0], s->end[1]}, {s->cm[0], s->cm[1]}, s->along, s->off};
}

static mco_status upload_map(gpu_many *g)
{
    mco_status st = MCO_OK;
    mco_context *ctx = g->many->ctx;
    const transit_streets *s = &g->many->city->streets;
    transit_places_plan *p = &g->places;
    transit_gpu_spot *stop = NULL;
    _Static_assert(sizeof *s->arc == sizeof *p->d_arc && sizeof *s->at == sizeof *p->d_at, "pairs of a number and centimetres");
    MCO_TRY(mco_alloc(ctx, &stop, s->stops));
    for (int32_t i = 0; i < s->stops; i++)
        stop[i] = spot_of(&s->stop[i]);
    MCO_TRY(UPLOAD(g, s->first, s->vertices + 1, &p->d_first));
    MCO_TRY(UPLOAD(g, s->arc, s->first[s->vertices], &p->d_arc));
    MCO_TRY(UPLOAD(g, s->at_first, s->vertices + 1, &p->d_at_first));
    MCO_TRY(UPLOAD(g, s->at, s->at_first[s->vertices], &p->d_at));
    MCO_TRY(UPLOAD(g, stop, s->stops, &p->d_stop));
    MCO_CUDA(ctx, cudaStreamSynchronize(g->device.stream));  // ends: copies of megabytes
done:
    mco_free(ctx, &stop);
    return st;
}

// ---- Scratch

// As many blocks as fit at a time, as are allowed, and as the scratch of each leaves room for.
static int32_t settle_blocks(int32_t fit, int32_t most, int64_t block_bytes)
{
    const int64_t room = SCRATCH_BYTES / (block_bytes > 0 ? block_bytes : 1);
    int64_t blocks = most > 0 && most < fit ? most : fit;
    blocks = room < blocks ? room : blocks;
    return blocks > 1 ? (int32_t)blocks : 1;
}

#define TAKE(g, out, count) mco_device_take(&(g)->device, MCO_MEMORY_DEVICE, out, count)

static mco_status plan_rounds(gpu_many *g, const transit_gpu_tuning *tuning)
{
    mco_status st = MCO_OK;
    mco_context *ctx = g->many->ctx;
    transit_rounds_plan *p = &g->rounds;
    int most = 0;
    p->stops = g->many->city->table.stops;
    p->routes = g->many->city->table.routes;
    p->max_rides = (int32_t)g->many->params->max_rides;
    p->threads = tuning->round_threads > 0 ? tuning->round_threads : ROUND_THREADS;
    p->cm_a_second = 100 * g->many->city->streets.walk_speed;
    const size_t bytes = transit_rounds_bytes(p->stops, p->routes);
    MCO_CUDA(ctx, cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, g->device.info.index));
    if (bytes > (size_t)most)
        return mco_fail(ctx, MCO_ERR_LIMIT, "labels of %d stops and %d routes take %zu bytes, a block of this GPU has %d", p->stops,
                        p->routes, bytes, most);
    MCO_CUDA(ctx, transit_rounds_shape(p, g->device.info.multiprocessors));
    const int64_t rows = 2 * (int64_t)(p->max_rides + 1), words = (p->stops + 31) / 32;
    p->blocks = settle_blocks(p->blocks, tuning->blocks, (int64_t)sizeof(int32_t) * rows * (p->stops + words));
    MCO_TRY(TAKE(g, &p->d_row, p->blocks * rows * p->stops));
    MCO_TRY(TAKE(g, &p->d_bits, p->blocks * rows * words));
done:
    return st;
}

static mco_status plan_places(gpu_many *g, const transit_gpu_tuning *tuning)
{
    mco_status st = MCO_OK;
    mco_context *ctx = g->many->ctx;
    transit_places_plan *p = &g->places;
    const int64_t n = 2 * (int64_t)g->many->city->streets.vertices, stops = 2 * (int64_t)g->many->city->table.stops;
    cudaStream_t stream = g->device.stream;
    if (n > INT32_MAX)
        return mco_fail(ctx, MCO_ERR_LIMIT, "the map has %d vertices, at most %d are supported on a GPU", g->many->city->streets.vertices,
                        INT32_MAX / 2);
    p->vertices = g->many->city->streets.vertices;
    p->stops = g->many->city->table.stops;
    p->limit_cm = (int32_t)g->many->params->max_walk * 100;
    p->threads = tuning->place_threads > 0 ? tuning->place_threads : PLACE_THREADS;
    MCO_CUDA(ctx, transit_places_shape(p, g->device.info.multiprocessors));
    p->blocks = settle_blocks(p->blocks, tuning->blocks, (int64_t)sizeof(int32_t) * (5 * n + stops));
    MCO_TRY(TAKE(g, &p->d_label, p->blocks * n));
    MCO_TRY(TAKE(g, &p->d_stamp, p->blocks * n));
    MCO_TRY(TAKE(g, &p->d_queue, p->blocks * 2 * n));
    MCO_TRY(TAKE(g, &p->d_touched, p->blocks * n));
    MCO_TRY(TAKE(g, &p->d_stop_cm, p->blocks * stops));
    MCO_CUDA(ctx, cudaMemsetAsync(p->d_label, TRANSIT_GPU_NONE & 0xff, (size_t)(p->blocks * n) * sizeof *p->d_label, stream));
    MCO_CUDA(ctx, cudaMemsetAsync(p->d_stamp, 0, (size_t)(p->blocks * n) * sizeof *p->d_stamp, stream));
    MCO_CUDA(ctx, cudaMemsetAsync(p->d_stop_cm, TRANSIT_GPU_NONE & 0xff, (size_t)(p->blocks * stops) * sizeof *p->d_stop_cm, stream));
done:
    return st;
}

// ---- Chunks

static int32_t choose_chunk(const gpu_many *g, int32_t asked)
{
    const int64_t query_bytes = 2 * (int64_t)sizeof(transit_gpu_end) * g->many->city->table.stops, room = END_BYTES / query_bytes;
    int64_t chunk = asked > 0 ? asked : g->many->count / CHUNKS;
    if (asked <= 0)
        chunk = chunk < LEAST_CHUNK ? LEAST_CHUNK : chunk > MOST_CHUNK ? MOST_CHUNK : chunk;
    chunk = chunk < g->many->count ? chunk : g->many->count;
    chunk = chunk < room ? chunk : room;
    return chunk > 1 ? (int32_t)chunk : 1;
}

static mco_status take_chunks(gpu_many *g, const transit_gpu_tuning *tuning)
{
    mco_status st = MCO_OK;
    mco_device *d = &g->device;
    g->chunk = choose_chunk(g, tuning->chunk);
    const int64_t ends = (int64_t)g->chunk * 2 * g->many->city->table.stops;
    for (int k = 0; k < SLOTS; k++) {
        slot *s = &g->slots[k];
        MCO_TRY(mco_device_take(d, MCO_MEMORY_PINNED, &s->h_ask, g->chunk));
        MCO_TRY(mco_device_take(d, MCO_MEMORY_PINNED, &s->h_answer, g->chunk));
        MCO_TRY(mco_device_take(d, MCO_MEMORY_PINNED, &s->h_control, 1));
        if (!has_map(g))
            MCO_TRY(mco_device_take(d, MCO_MEMORY_PINNED, &s->h_end, ends));
    }
    MCO_TRY(TAKE(g, &g->d_ask, g->chunk));
    MCO_TRY(TAKE(g, &g->d_end, ends));
    MCO_TRY(TAKE(g, &g->rounds.d_answer, g->chunk));
    MCO_TRY(TAKE(g, &g->d_control, 1));
    g->places.d_ask = g->d_ask;
    g->rounds.d_ask = g->d_ask;
    g->places.d_end = g->d_end;
    g->rounds.d_end = g->d_end;
    g->places.d_control = g->rounds.d_control = g->d_control;
    for (int k = 0; k < 5; k++)
        MCO_CUDA(g->many->ctx, cudaEventCreate(&g->event[k]));
done:
    return st;
}

static mco_status open_gpu(gpu_many *g, const transit_gpu_tuning *tuning)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_device_open_named(g->many->ctx, g->many->params->gpus, &g->device));
    MCO_TRY(plan_rounds(g, tuning));
    MCO_TRY(upload_timetable(g));
    if (has_map(g)) {
        MCO_TRY(plan_places(g, tuning));
        MCO_TRY(upload_map(g));
    }
    MCO_TRY(take_chunks(g, tuning));
    g->stats.chunk = g->chunk;
    g->stats.place_blocks = g->places.blocks;
    g->stats.round_blocks = g->rounds.blocks;
done:
    return st;
}

static void close_gpu(gpu_many *g)
{
    for (int k = 0; k < 5; k++)
        if (g->event[k] != NULL)
            (void)cudaEventDestroy(g->event[k]);
    mco_device_close(&g->device);
}

// ---- The device's part

// Enqueues a chunk: copies, walks, rounds, copies.
static mco_status enqueue(gpu_many *g, slot *s)
{
    mco_status st = MCO_OK;
    mco_context *ctx = g->many->ctx;
    cudaStream_t stream = g->device.stream;
    const size_t count = (size_t)s->count, ends = 2 * count * (size_t)g->rounds.stops;
    g->places.count = g->rounds.count = s->count;
    MCO_CUDA(ctx, cudaEventRecord(g->event[0], stream));
    MCO_CUDA(ctx, cudaMemsetAsync(g->d_control, 0, sizeof *g->d_control, stream));
    MCO_CUDA(ctx, cudaMemcpyAsync(g->d_ask, s->h_ask, count * sizeof *s->h_ask, cudaMemcpyHostToDevice, stream));
    if (!has_map(g))
        MCO_CUDA(ctx, cudaMemcpyAsync(g->d_end, s->h_end, ends * sizeof *s->h_end, cudaMemcpyHostToDevice, stream));
    MCO_CUDA(ctx, cudaEventRecord(g->event[1], stream));
    MCO_CUDA(ctx, cudaStreamWaitEvent(g->device.side, g->event[1], 0));  // `stop` is not written before it is cleared
    if (has_map(g))
        MCO_CUDA(ctx, transit_launch_places(&g->places, stream));
    MCO_CUDA(ctx, cudaEventRecord(g->event[2], stream));
    MCO_CUDA(ctx, transit_launch_rounds(&g->rounds, stream));
    MCO_CUDA(ctx, cudaEventRecord(g->event[3], stream));
    MCO_CUDA(ctx, cudaMemcpyAsync(s->h_answer, g->rounds.d_answer, count * sizeof *s->h_answer, cudaMemcpyDeviceToHost, stream));
    MCO_CUDA(ctx, cudaMemcpyAsync(s->h_control, g->d_control, sizeof *s->h_control, cudaMemcpyDeviceToHost, stream));
    MCO_CUDA(ctx, cudaEventRecord(g->event[4], stream));
done:
    return st;
}

static bool must_stop(void *state)
{
    gpu_many *g = state;
    (void)transit_many_watch(g->many);
    g->is_stopped = g->is_stopped || atomic_load(&g->many->must_stop);
    return g->is_stopped;
}

static mco_status note_times(gpu_many *g)
{
    mco_status st = MCO_OK;
    float ms[4] = {0};
    for (int k = 0; k < 4; k++)
        MCO_CUDA(g->many->ctx, cudaEventElapsedTime(&ms[k], g->event[k], g->event[k + 1]));
    g->stats.copies_s += 1e-3 * ((double)ms[0] + (double)ms[3]);
    g->stats.places_s += 1e-3 * (double)ms[1];
    g->stats.rounds_s += 1e-3 * (double)ms[2];
done:
    return st;
}

static mco_status await(gpu_many *g, const slot *s)
{
    mco_status st = MCO_OK;
    const double begin_s = mco_clock_s();
    // The kernels end by themselves, or by `stop`, which every block reads before each query.
    MCO_TRY(mco_device_wait(&g->device, g->event[4], must_stop, g, &g->d_control->stop));
    g->stats.wait_s += mco_clock_s() - begin_s;
    MCO_TRY(note_times(g));
    if (!g->is_stopped && s->h_control->done != (unsigned int)s->count)
        return mco_fail(g->many->ctx, MCO_ERR_INTERNAL, "the GPU has answered %u queries of %d", s->h_control->done, s->count);
done:
    return st;
}

// ---- The threads' part

static void write_ends(const gpu_many *g, slot *s, int64_t at, transit_planner *p)
{
    const int64_t stops = g->many->city->table.stops;
    const int32_t limit_cm = (int32_t)g->many->params->max_walk * 100;
    transit_walker *const walkers[] = {&p->from, &p->to};
    const transit_spot *const spots[] = {&p->origin, &p->target};
    for (int side = 0; side < 2; side++) {
        transit_gpu_end *end = s->h_end + (2 * at + side) * stops;
        transit_walker_find_stops(walkers[side], spots[side], limit_cm);
        s->h_ask[at].end_count[side] = walkers[side]->end_count;
        for (int32_t i = 0; i < walkers[side]->end_count; i++)
            end[i] = (transit_gpu_end){walkers[side]->end[i].stop, walkers[side]->end[i].cm};
    }
    const int32_t direct_cm = transit_straight_cm(p->origin.latitude, p->origin.longitude, p->target.latitude, p->target.longitude);
    s->h_ask[at].direct_cm = direct_cm <= 2 * limit_cm ? direct_cm : -1;
}

static void fill(const gpu_many *g, slot *s, int64_t at, transit_worker *w)
{
    const mco_transit_query *query = &g->many->query[s->first + at];
    transit_planner *p = &w->planner;
    transit_gpu_ask *ask = &s->h_ask[at];
    *ask = (transit_gpu_ask){.depart_s = query->depart_s, .direct_cm = -1};
    ask->is_off_map = transit_planner_locate(w->ctx, p, query) != MCO_OK;
    if (ask->is_off_map)
        return;
    ask->spot[0] = spot_of(&p->origin);
    ask->spot[1] = spot_of(&p->target);
    if (!has_map(g))
        write_ends(g, s, at, p);
}

// Makes and checks the journey of an answer. A device that names what is not there is a fault of this program, or of the device.
static mco_status make_journey(const gpu_many *g, transit_worker *w, const mco_transit_query *query, const transit_gpu_answer *a,
                               mco_transit_journey *out)
{
    mco_status st = MCO_OK;
    const transit_timetable *t = &g->many->city->table;
    transit_found found = {.depart_s = query->depart_s, .arrive_s = a->arrive_s, .rides = a->rides};
    const transit_end_walks walks = {a->first_cm, a->last_cm, a->direct_cm};
    mco_transit_journey j = {.arrive_s = MCO_TRANSIT_NEVER};
    bool is_valid = a->rides >= 0 && a->rides <= g->many->params->max_rides;
    for (int32_t k = 0; k < a->rides && is_valid; k++) {
        const transit_gpu_ride *r = &a->ride[k];
        is_valid = r->trip >= 0 && r->trip < t->trips && r->board < r->leave &&
                   r->leave < t->stop_first[t->trip[r->trip].route + 1] - t->stop_first[t->trip[r->trip].route];
        found.ride[k] = (transit_ride){r->trip, r->board, r->leave};
    }
    if (!is_valid)
        return mco_fail(w->ctx, MCO_ERR_INTERNAL, "the GPU names a ride that the timetable has not");
    MCO_TRY(transit_journey_make(w->ctx, g->many->city, &found, &walks, &j));
    if (j.arrive_s != a->arrive_s)
        MCO_TRY(mco_fail(w->ctx, MCO_ERR_INTERNAL, "a journey arrives at %d, the GPU found %d", j.arrive_s, a->arrive_s));
    MCO_TRY(transit_planner_test(w->ctx, &w->planner, query, g->many->params, &j));
    *out = j;
    return MCO_OK;
done:
    mco_free(w->ctx, &j.legs);
    return st;
}

static mco_status finish(const gpu_many *g, const slot *s, int64_t at, transit_worker *w)
{
    mco_status st = MCO_OK;
    const int64_t q = s->first + at;
    if (s->h_answer[at].arrive_s < MCO_TRANSIT_NEVER)
        MCO_TRY(make_journey(g, w, &g->many->query[q], &s->h_answer[at], &g->many->journey[q]));
    transit_many_count(w, &g->many->journey[q], s->h_ask[at].is_off_map != 0);
done:
    return st;
}

static int64_t items_of(const slot *s)
{
    return s != NULL ? (s->count + BLOCK - 1) / BLOCK : 0;
}

// Items are blocks of the answers to finish, then blocks of the queries to write.
static void work_item(void *shared, int which, int64_t item)
{
    const gpu_many *g = shared;
    transit_worker *w = &g->many->workers[which];
    const int64_t finishing = items_of(g->finishing);
    slot *s = item < finishing ? g->finishing : g->filling;
    const int64_t first = BLOCK * (item < finishing ? item : item - finishing);
    for (int64_t at = first; at < first + BLOCK && at < s->count && w->status == MCO_OK; at++) {
        if (atomic_load_explicit(&g->many->must_stop, memory_order_relaxed))
            return;
        if (s == g->filling)
            fill(g, s, at, w);
        else
            w->status = finish(g, s, at, w);
        if (w->status != MCO_OK)
            atomic_store(&g->many->must_stop, true);
    }
}

static double watch(void *shared)
{
    return transit_many_watch(((gpu_many *)shared)->many);
}

// ---- The pipeline

// The slot of chunk k, with its queries; NULL: there is no such chunk.
static slot *slot_of(gpu_many *g, int64_t k)
{
    const int64_t first = k * g->chunk, count = g->many->count;
    if (k < 0 || first >= count)
        return NULL;
    slot *s = &g->slots[k % SLOTS];
    s->first = first;
    s->count = (int32_t)(count - first < g->chunk ? count - first : g->chunk);
    return s;
}

// In step k the threads write chunk k and finish chunk k - 2, and the device answers chunk k - 1.
static mco_status run_chunks(gpu_many *g)
{
    mco_status st = MCO_OK;
    const int64_t chunks = (g->many->count + g->chunk - 1) / g->chunk;
    for (int64_t k = 0; k < chunks + 2 && !atomic_load(&g->many->must_stop); k++) {
        slot *at_work = slot_of(g, k - 1);
        if (at_work != NULL)
            MCO_TRY(enqueue(g, at_work));
        g->filling = slot_of(g, k);
        g->finishing = slot_of(g, k - 2);
        const double begin_s = mco_clock_s();
        mco_team_run(g->team, items_of(g->filling) + items_of(g->finishing), work_item, watch, g);
        g->stats.host_s += mco_clock_s() - begin_s;
        if (at_work != NULL)
            MCO_TRY(await(g, at_work));
    }
done:
    return st;
}

mco_status transit_gpu_many_tuned(transit_many *many, mco_team *team, const transit_gpu_tuning *tuning, mco_work *work,
                                  transit_gpu_stats *stats)
{
    mco_status st = MCO_OK;
    gpu_many g = {.many = many, .team = team};
    const double begin_s = mco_clock_s();
    if (many->count == 0)
        return MCO_OK;
    MCO_TRY(open_gpu(&g, tuning));
    g.stats.open_s = mco_clock_s() - begin_s;
    MCO_TRY(run_chunks(&g));
    work->gpus = UINT64_C(1) << g.device.info.index;
    work->device_s = g.stats.places_s + g.stats.rounds_s;
done:
    close_gpu(&g);
    if (stats != NULL)
        *stats = g.stats;
    return st;
}

mco_status transit_gpu_many(transit_many *many, mco_team *team, mco_work *work)
{
    const transit_gpu_tuning chosen = {0};
    return transit_gpu_many_tuned(many, team, &chosen, work, NULL);
}
