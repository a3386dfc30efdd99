// SPDX-License-Identifier: MIT
// The gpu engine. A complete neighbourhood is two launches, pickup and delivery; they also find the best move. A large
// neighbourhood takes several pairs of launches. Neighbours go in pairs of 16 bits if stacks, heights and distances
// allow it, else one to a thread in 32 bits. Any number of steps of any number of walks is one launch.
#include <string.h>

#include "base/clock.h"
#include "device/device_cuda.h"
#include "dtspms/cuda.h"
#include "dtspms/engine.h"

static const double PAIR_RELAXATIONS = 2e12, PLAIN_RELAXATIONS = 5e9;  // of a launch: about a tenth of a second
static const int64_t SPARE_BYTES = (int64_t)256 << 20;                 // device memory left to others
static const double TABLE_BYTES = (double)((int64_t)8 << 30);          // plain: larger tables gain nothing
enum { PLAIN_THREADS_OF_MULTIPROCESSOR = 1024 };

typedef struct gpu_state {
    mco_device device;
    dtspms_device_problem problem;
    dtspms_pair_form form;
    bool has_pairs;
    void *d_distance[2];
    int32_t *d_node, *d_tables;
    int64_t plain_threads;
    int64_t relaxations;       // of one tour
    int32_t *d_pickup, *d_costs;
    int64_t move_room, cost_room;
    dtspms_device_answer *d_answer;
    dtspms_walk_form walk_form;
    dtspms_device_walks walks;  // device memory for walk_room walks; their tables from the first call on
    dtspms_device_walk *h_walk;  // [walk_room] on the host
    void *h_words;               // on the host, the elements of all their sequences
    int32_t walk_room;
} gpu_state;

// ---- Open

static void describe(const dtspms_model *model, const int32_t *heights, dtspms_device_problem *out)
{
    *out = (dtspms_device_problem){.orders = model->orders, .nodes = model->nodes, .stacks = model->stacks};
    for (int k = 0; k < MCO_DTSPMS_MAX_STACKS; k++) {
        out->heights[k] = k < model->stacks ? heights[k] : 0;
        out->first[k + 1] = out->first[k] + out->heights[k];
    }
    out->is_symmetric = model->is_symmetric[0] && model->is_symmetric[1];
    for (int network = 0; network < 2; network++)
        out->longest[network] = model->longest[network];
}

// Whether a path plus one distance more fits 16 bits.
static bool fits_halves(const dtspms_model *model)
{
    for (int network = 0; network < 2; network++)
        if (model->path_bound[network] + model->longest[network] > UINT16_MAX)
            return false;
    return true;
}

static int32_t longest_of(const dtspms_model *model)
{
    return model->longest[0] > model->longest[1] ? model->longest[0] : model->longest[1];
}

static int64_t room_bytes(const gpu_state *s, const mco_dtspms_params *params)
{
    const int64_t spare = (int64_t)s->device.info.free_bytes - SPARE_BYTES, given = params->memory << 20;
    return given > 0 && given < spare ? given : spare;
}

static mco_status copy_distances(mco_context *ctx, gpu_state *s, const dtspms_model *model)
{
    mco_status st = MCO_OK;
    uint16_t *narrow = NULL;
    const int64_t count = (int64_t)model->nodes * model->nodes;
    const size_t bytes = (size_t)count * (s->has_pairs ? sizeof(uint16_t) : sizeof(int32_t));
    MCO_TRY(mco_alloc(ctx, &narrow, s->has_pairs ? count : 0));
    for (int network = 0; network < 2; network++) {
        for (int64_t k = 0; s->has_pairs && k < count; k++)
            narrow[k] = (uint16_t)model->distance[network][k];
        const void *from = s->has_pairs ? (const void *)narrow : model->distance[network];
        MCO_TRY(mco_device_take_bytes(&s->device, MCO_MEMORY_DEVICE, &s->d_distance[network], bytes, 1));
        MCO_CUDA(ctx, cudaMemcpy(s->d_distance[network], from, bytes, cudaMemcpyHostToDevice));
        s->problem.distance_16[network] = s->has_pairs ? s->d_distance[network] : NULL;
        s->problem.distance[network] = s->has_pairs ? NULL : s->d_distance[network];
    }
done:
    mco_free(ctx, &narrow);
    return st;
}

// Takes tables for as many threads as are of use, at least for one block.
static mco_status take_plain(mco_context *ctx, gpu_state *s, const mco_dtspms_params *params)
{
    mco_status st = MCO_OK;
    const double block_bytes = dtspms_plain_words(&s->problem) * DTSPMS_PLAIN_THREADS * sizeof(int32_t);
    const double room = (double)room_bytes(s, params), used = room < TABLE_BYTES ? room : TABLE_BYTES;
    const int64_t most = (int64_t)s->device.info.multiprocessors * PLAIN_THREADS_OF_MULTIPROCESSOR / DTSPMS_PLAIN_THREADS;
    if (block_bytes > room)
        return mco_fail(ctx, MCO_ERR_LIMIT, "GPU %d: tables of %d tours need %.1f MiB, at most %.1f MiB are free or allowed",
                        s->device.info.index, (int)DTSPMS_PLAIN_THREADS, block_bytes / (1 << 20), room / (1 << 20));
    int64_t blocks = used < block_bytes ? 1 : used / block_bytes < (double)most ? (int64_t)(used / block_bytes) : most;
    s->plain_threads = blocks * DTSPMS_PLAIN_THREADS;
    MCO_TRY(mco_device_take_bytes(&s->device, MCO_MEMORY_DEVICE, (void **)&s->d_tables,
                                  (size_t)(block_bytes * (double)blocks), 1));
done:
    return st;
}

static mco_status open_device(dtspms_engine *engine, const int32_t *heights, const mco_dtspms_params *params)
{
    mco_status st = MCO_OK;
    int shared_bytes;
    gpu_state *s = engine->state;
    const dtspms_model *model = engine->model;
    MCO_TRY(mco_device_open_named(engine->ctx, params->gpus, &s->device));
    describe(model, heights, &s->problem);
    s->relaxations = dtspms_relaxations(heights, model->stacks);
    MCO_CUDA(engine->ctx, cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                                 s->device.info.index));
    if (model->stacks == 3 && fits_halves(model)) {
        MCO_CUDA(engine->ctx, dtspms_pair_choose(&s->problem, (size_t)shared_bytes, &s->form));
        s->has_pairs = s->form.shape >= 0;
    }
    MCO_TRY(copy_distances(engine->ctx, s, model));
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &s->d_node, model->orders));
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &s->d_answer, 1));
    if (!s->has_pairs)
        MCO_TRY(take_plain(engine->ctx, s, params));
    MCO_CUDA(engine->ctx, dtspms_walk_choose(model->orders, model->stacks, longest_of(model), s->problem.is_symmetric,
                                             (size_t)shared_bytes, &s->walk_form));
done:
    return st;
}

static void close_engine(dtspms_engine *engine)
{
    gpu_state *s = engine->state;
    if (s != NULL)
        mco_device_close(&s->device);  // this releases all its memory too
    mco_free(engine->ctx, &s);
    engine->state = NULL;
}

// ---- Scan

// Number of moves of a launch that lasts about a tenth of a second.
static int64_t launch_moves(const gpu_state *s)
{
    const double relaxations = s->has_pairs ? PAIR_RELAXATIONS : PLAIN_RELAXATIONS,
                 tours = relaxations / (double)s->relaxations;
    const int64_t least = s->has_pairs ? 2 : (int64_t)s->device.info.multiprocessors * DTSPMS_PLAIN_THREADS;
    return tours > 1e12 ? (int64_t)1e12 : tours < (double)least ? least : (int64_t)tours / 2 * 2;
}

static mco_status make_room(mco_context *ctx, gpu_state *s, int64_t moves, bool wants_costs)
{
    mco_status st = MCO_OK;
    if (moves >= (int64_t)1 << DTSPMS_INDEX_BITS)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%lld moves, at most %lld supported on a GPU", (long long)moves,
                        (1LL << DTSPMS_INDEX_BITS) - 1);
    if (moves > s->move_room) {
        mco_device_give(&s->device, &s->d_pickup);
        s->move_room = 0;
        MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &s->d_pickup, moves + 1));
        s->move_room = moves;
    }
    if (wants_costs && moves > s->cost_room) {
        mco_device_give(&s->device, &s->d_costs);
        s->cost_room = 0;
        MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &s->d_costs, moves));
        s->cost_room = moves;
    }
done:
    return st;
}

// Launches both networks of moves first..end-1; first is even.
static mco_status launch_moves_of(mco_context *ctx, const gpu_state *s, const dtspms_device_scan *scan, int64_t first,
                                  int64_t end)
{
    mco_status st = MCO_OK;
    cudaStream_t stream = s->device.stream;
    for (int network = 0; network < 2; network++) {
        if (s->has_pairs)
            MCO_CUDA(ctx, dtspms_launch_scan_pairs(&s->problem, scan, &s->form, network, first / 2, (end + 1) / 2,
                                                   s->device.info.multiprocessors, stream));
        else
            MCO_CUDA(ctx, dtspms_launch_scan_plain(&s->problem, scan, network, first, end, s->d_tables, s->plain_threads,
                                                   stream));
    }
done:
    return st;
}

// *done_moves receives the number of moves evaluated.
static mco_status run_scan(dtspms_engine *engine, const dtspms_device_scan *scan, double stop_s, int64_t *done_moves)
{
    mco_status st = MCO_OK;
    gpu_state *s = engine->state;
    const int64_t step = launch_moves(s);
    *done_moves = 0;
    MCO_TRY(mco_device_start_clock(&s->device));
    MCO_CUDA(engine->ctx, dtspms_launch_begin(scan, s->device.stream));
    for (int64_t first = 0; first < scan->moves; first += step) {
        if (first > 0) {
            MCO_CUDA(engine->ctx, cudaStreamSynchronize(s->device.stream));
            if (mco_is_cancelled(engine->ctx) || mco_clock_s() >= stop_s)
                break;
        }
        const int64_t end = first + step < scan->moves ? first + step : scan->moves;
        MCO_TRY(launch_moves_of(engine->ctx, s, scan, first, end));
        *done_moves = end;
    }
    MCO_CUDA(engine->ctx, dtspms_launch_end(scan, s->device.stream));
    MCO_TRY(mco_device_stop_clock(&s->device, NULL));
done:
    return st;
}

static mco_status gpu_scan(dtspms_engine *engine, dtspms_scan *scan, double stop_s)
{
    mco_status st = MCO_OK;
    gpu_state *s = engine->state;
    const int32_t orders = engine->model->orders;
    const int64_t moves = dtspms_move_count(scan->kind, orders);
    dtspms_device_answer answer;
    int64_t done_moves;
    scan->best_move = -1;
    scan->best_cost_of[0] = scan->best_cost_of[1] = 0;
    scan->cost_sum = scan->reuse ? -1 : 0;
    if (moves == 0)
        return MCO_OK;
    MCO_TRY(mco_device_use(&s->device));
    MCO_TRY(make_room(engine->ctx, s, moves, scan->costs != NULL));
    MCO_CUDA(engine->ctx, cudaMemcpyAsync(s->d_node, scan->plan->node, (size_t)orders * sizeof *s->d_node,
                                          cudaMemcpyHostToDevice, s->device.stream));
    const dtspms_device_scan job = {.node = s->d_node, .kind = scan->kind, .moves = moves, .pickup = s->d_pickup,
                                    .costs = scan->costs != NULL ? s->d_costs : NULL, .answer = s->d_answer};
    const double before_s = s->device.kernel_s;
    MCO_TRY(run_scan(engine, &job, stop_s, &done_moves));
    engine->counters.tours += 2 * done_moves;
    engine->counters.relaxations += 2 * done_moves * s->relaxations;
    engine->work.device_s += s->device.kernel_s - before_s;
    if (done_moves < moves)
        return MCO_OK;
    MCO_CUDA(engine->ctx, cudaMemcpy(&answer, s->d_answer, sizeof answer, cudaMemcpyDeviceToHost));
    if (scan->costs != NULL)
        MCO_CUDA(engine->ctx,
                 cudaMemcpy(scan->costs, s->d_costs, (size_t)moves * sizeof *s->d_costs, cudaMemcpyDeviceToHost));
    scan->best_move = (int64_t)(answer.best & (((uint64_t)1 << DTSPMS_INDEX_BITS) - 1));
    scan->best_cost_of[MCO_DTSPMS_NETWORK_PICKUP] = answer.pickup;
    scan->best_cost_of[MCO_DTSPMS_NETWORK_DELIVERY] = (int64_t)(answer.best >> DTSPMS_INDEX_BITS) - answer.pickup;
    scan->cost_sum = scan->reuse ? -1 : (int64_t)answer.sum;
done:
    return st;
}

// ---- Walks

static mco_status copy_up(mco_context *ctx, gpu_state *s, const void *from, size_t bytes, const void **out)
{
    mco_status st = MCO_OK;
    void *memory = NULL;
    MCO_TRY(mco_device_take_bytes(&s->device, MCO_MEMORY_DEVICE, &memory, bytes > 0 ? bytes : 1, 1));
    MCO_CUDA(ctx, cudaMemcpy(memory, from, bytes, cudaMemcpyHostToDevice));
    *out = memory;
done:
    return st;
}

// The same, narrowed to 16 bits. The values fit.
static mco_status copy_up_narrow(mco_context *ctx, gpu_state *s, const int32_t *from, int64_t count, const void **out)
{
    mco_status st = MCO_OK;
    uint16_t *narrow = NULL;
    MCO_TRY(mco_alloc(ctx, &narrow, count));
    for (int64_t k = 0; k < count; k++)
        narrow[k] = (uint16_t)from[k];
    MCO_TRY(copy_up(ctx, s, narrow, (size_t)count * sizeof *narrow, out));
done:
    mco_free(ctx, &narrow);
    return st;
}

// Copies the tables that all walks read, at the first call. The tables of an engine's walks do not change.
static mco_status send_tables(mco_context *ctx, gpu_state *s, const dtspms_walk_tables *t)
{
    mco_status st = MCO_OK;
    dtspms_device_walks *w = &s->walks;
    const int64_t entries = (int64_t)t->nodes * t->nodes;
    if (w->logarithms != NULL)
        return MCO_OK;
    for (int sequence = 0; sequence < 2; sequence++) {
        if (s->walk_form.is_wide)
            MCO_TRY(copy_up(ctx, s, t->leave[sequence], (size_t)entries * sizeof(int32_t), &w->leave[sequence]));
        else
            MCO_TRY(copy_up_narrow(ctx, s, t->leave[sequence], entries, &w->leave[sequence]));
    }
    MCO_TRY(copy_up_narrow(ctx, s, t->near, 2 * (int64_t)t->nodes * t->near_count, (const void **)&w->near));
    MCO_TRY(copy_up_narrow(ctx, s, t->rank, t->nodes, (const void **)&w->rank));
    MCO_TRY(copy_up(ctx, s, t->logarithms, DTSPMS_LOGARITHMS * sizeof *t->logarithms, (const void **)&w->logarithms));
done:
    return st;
}

// Words of both sequences of a walk.
static int64_t walk_words(const gpu_state *s)
{
    return 2 * (int64_t)s->walk_form.positions;
}

static size_t words_bytes(const gpu_state *s, int32_t walks)
{
    return (size_t)walks * (size_t)walk_words(s) * (s->walk_form.is_wide ? sizeof(uint64_t) : sizeof(uint32_t));
}

static mco_status make_walk_room(gpu_state *s, int32_t count)
{
    mco_status st = MCO_OK;
    if (count <= s->walk_room)
        return MCO_OK;
    s->walk_room = 0;
    mco_device_give(&s->device, &s->h_words);
    mco_device_give(&s->device, &s->h_walk);
    mco_device_give(&s->device, &s->walks.best);
    mco_device_give(&s->device, &s->walks.now);
    mco_device_give(&s->device, &s->walks.walk);
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &s->walks.walk, count));
    MCO_TRY(mco_device_take_bytes(&s->device, MCO_MEMORY_DEVICE, &s->walks.now, words_bytes(s, count), 1));
    MCO_TRY(mco_device_take_bytes(&s->device, MCO_MEMORY_DEVICE, &s->walks.best, words_bytes(s, count), 1));
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_PINNED, &s->h_walk, count));
    MCO_TRY(mco_device_take_bytes(&s->device, MCO_MEMORY_PINNED, &s->h_words, words_bytes(s, count), 1));
    s->walk_room = count;
done:
    return st;
}

static void put_word(const gpu_state *s, int64_t at, uint64_t word)
{
    if (s->walk_form.is_wide)
        ((uint64_t *)s->h_words)[at] = word;
    else
        ((uint32_t *)s->h_words)[at] = (uint32_t)word;
}

// Writes the sequences of a complete solution as elements (dtspms/walk.cuh), with zeros after them.
static void pack_tours(const gpu_state *s, const dtspms_tours *from, int64_t at)
{
    const dtspms_walk_form *f = &s->walk_form;
    const int32_t n = s->problem.orders;
    for (int w = 0; w < 2; w++, at += f->positions) {
        const int32_t *node = from->node[w], *gap = from->gap[w];
        put_word(s, at, (uint64_t)gap[0] << f->length_bit);
        for (int32_t i = 1; i <= n; i++)
            put_word(s, at + i,
                     (uint64_t)gap[i] << f->length_bit | (uint64_t)node[i] << f->node_bit | 1u << from->stack[node[i]]);
        for (int32_t i = n + 1; i < f->positions; i++)
            put_word(s, at + i, 0);
    }
}

static void unpack_tours(const gpu_state *s, int64_t at, int32_t cost, const int32_t *heights, dtspms_tours *to)
{
    const dtspms_walk_form *f = &s->walk_form;
    const int32_t n = s->problem.orders;
    to->placed = n;
    to->cost = cost;
    memcpy(to->heights, heights, sizeof to->heights);
    for (int w = 0; w < 2; w++, at += f->positions) {
        for (int32_t i = 0; i <= n; i++) {
            const uint64_t word = f->is_wide ? ((const uint64_t *)s->h_words)[at + i] : ((const uint32_t *)s->h_words)[at + i];
            const uint32_t low = (uint32_t)(word & (((uint64_t)1 << f->length_bit) - 1)), node = low >> f->node_bit;
            to->node[w][i] = (int32_t)node;
            to->gap[w][i] = (int32_t)(word >> f->length_bit);
            if (w == 0 && i > 0)
                to->stack[node] = __builtin_ctz(low);
        }
        to->node[w][n + 1] = 0;
    }
}

static mco_status send_walks(mco_context *ctx, gpu_state *s, const dtspms_walk *walks, int32_t count)
{
    mco_status st = MCO_OK;
    for (int32_t k = 0; k < count; k++) {
        const dtspms_walk *from = &walks[k];
        s->h_walk[k] = (dtspms_device_walk){.random = from->random, .temperature = from->temperature, .cost = from->now.cost,
                                            .best_cost = from->best.cost};
        memcpy(s->h_walk[k].heights, from->now.heights, sizeof from->now.heights);
        pack_tours(s, &from->now, k * walk_words(s));
    }
    MCO_CUDA(ctx, cudaMemcpyAsync(s->walks.walk, s->h_walk, (size_t)count * sizeof *s->h_walk, cudaMemcpyHostToDevice,
                                  s->device.stream));
    MCO_CUDA(ctx, cudaMemcpyAsync(s->walks.now, s->h_words, words_bytes(s, count), cudaMemcpyHostToDevice, s->device.stream));
done:
    return st;
}

static mco_status fetch_walks(mco_context *ctx, gpu_state *s, dtspms_walk *walks, int32_t count)
{
    mco_status st = MCO_OK;
    bool is_better = false;
    MCO_CUDA(ctx, cudaMemcpy(s->h_walk, s->walks.walk, (size_t)count * sizeof *s->h_walk, cudaMemcpyDeviceToHost));
    MCO_CUDA(ctx, cudaMemcpy(s->h_words, s->walks.now, words_bytes(s, count), cudaMemcpyDeviceToHost));
    for (int32_t k = 0; k < count; k++) {
        const dtspms_device_walk *from = &s->h_walk[k];
        walks[k].random = from->random;
        unpack_tours(s, k * walk_words(s), from->cost, from->heights, &walks[k].now);
        is_better |= from->best_cost < walks[k].best.cost;
    }
    if (!is_better)
        return MCO_OK;
    MCO_CUDA(ctx, cudaMemcpy(s->h_words, s->walks.best, words_bytes(s, count), cudaMemcpyDeviceToHost));
    for (int32_t k = 0; k < count; k++) {
        const dtspms_device_walk *from = &s->h_walk[k];
        if (from->best_cost < walks[k].best.cost)
            unpack_tours(s, k * walk_words(s), from->best_cost, from->best_heights, &walks[k].best);
    }
done:
    return st;
}

static mco_status gpu_walk(dtspms_engine *engine, const dtspms_walk_tables *tables, dtspms_walk *walks, int32_t count,
                           int64_t steps)
{
    mco_status st = MCO_OK;
    gpu_state *s = engine->state;
    if (count < 1 || steps < 1)
        return MCO_OK;
    MCO_TRY(mco_device_use(&s->device));
    MCO_TRY(send_tables(engine->ctx, s, tables));
    MCO_TRY(make_walk_room(s, count));
    s->walks.orders = tables->orders;
    s->walks.nodes = tables->nodes;
    s->walks.stacks = tables->stacks;
    s->walks.capacity = tables->capacity;
    s->walks.near_count = tables->near_count;
    s->walks.count = count;
    s->walks.steps = steps;
    MCO_TRY(send_walks(engine->ctx, s, walks, count));
    const double before_s = s->device.kernel_s;
    MCO_TRY(mco_device_start_clock(&s->device));
    MCO_CUDA(engine->ctx,
             dtspms_launch_walks(&s->walks, &s->walk_form, s->device.info.multiprocessors, s->device.stream));
    MCO_TRY(mco_device_stop_clock(&s->device, NULL));
    engine->work.device_s += s->device.kernel_s - before_s;
    MCO_TRY(fetch_walks(engine->ctx, s, walks, count));
done:
    return st;
}

// ---- Engine

mco_status dtspms_gpu_open(mco_context *ctx, const dtspms_model *model, const int32_t *heights,
                           const mco_dtspms_params *params, dtspms_engine *out)
{
    mco_status st = MCO_OK;
    gpu_state *s = NULL;
    dtspms_engine engine = {.ctx = ctx, .model = model, .work.threads = 1, .scan = gpu_scan,
                            .close = close_engine};
    MCO_TRY(mco_alloc(ctx, &s, 1));
    engine.state = s;
    MCO_TRY(open_device(&engine, heights, params));
    if (params->reuse == MCO_DTSPMS_REUSE_ON)
        mco_log(ctx, MCO_LOG_INFO, "--reuse on: the gpu engine runs every dynamic program in full");
    engine.work.lane_bits = s->has_pairs ? 16 : 32;
    engine.work.gpus = (uint64_t)1 << s->device.info.index;
    if (s->walk_form.shape >= 0) {  // else the cores move the walks: no order, or more than DTSPMS_DEVICE_WALK_ORDERS
        engine.walk = gpu_walk;
        engine.walks = s->device.info.multiprocessors * s->walk_form.warps * s->walk_form.walks;
    }
    *out = engine;
    return MCO_OK;
done:
    close_engine(&engine);
    return st;
}
