// SPDX-License-Identifier: MIT
// The gpu engine: a complete neighbourhood is two launches, pickup and delivery, and the choice of the best move with them;
// any number of steps of any number of walks is one launch. Pairs of neighbours in 16 bits where stacks, heights and
// distances allow it, else a thread for each in 32 bits.
#include <string.h>

#include "base/clock.h"
#include "device/device_cuda.h"
#include "dtspms/dtspms_cuda.h"
#include "dtspms/dtspms_engine.h"

static const double PAIR_RELAXATIONS = 2e12, PLAIN_RELAXATIONS = 5e9;  // of a launch: about a tenth of a second
static const int64_t SPARE_BYTES = (int64_t)256 << 20;                 // device memory left to others
static const double TABLE_BYTES = (double)((int64_t)8 << 30);          // plain: more threads than these hold are of no use
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
    dtspms_device_walks walks;   // device memory for walk_room walks; what all read from the first walk on
    dtspms_device_walk *walk;    // [walk_room] on the host, as are the plans
    int16_t *node;               // [walk_room * orders]
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

// Whether sums of a path or an infinite value and one more distance stay in 16 bits.
static bool fits_halves(const dtspms_model *model)
{
    for (int network = 0; network < 2; network++)
        if (model->path_bound[network] + model->longest[network] > UINT16_MAX)
            return false;
    return true;
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

// Tables of as many threads as are of use; at least of one block.
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
    mco_gpu gpus[MCO_MAX_GPUS];
    int count, shared_bytes;
    gpu_state *s = engine->state;
    const dtspms_model *model = engine->model;
    MCO_TRY(mco_gpus_choose(engine->ctx, params->gpus, gpus, &count));
    if (count > 1)
        return mco_fail(engine->ctx, MCO_ERR_ARGUMENT, "--gpus: %d GPUs given, this engine uses one", count);
    MCO_TRY(mco_device_open(engine->ctx, &gpus[0], &s->device));
    describe(model, heights, &s->problem);
    s->relaxations = dtspms_relaxations(heights, model->stacks);
    MCO_CUDA(engine->ctx, cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, gpus[0].index));
    if (model->stacks == 3 && fits_halves(model)) {
        MCO_CUDA(engine->ctx, dtspms_pair_choose(&s->problem, (size_t)shared_bytes, &s->form));
        s->has_pairs = s->form.shape >= 0;
    }
    MCO_TRY(copy_distances(engine->ctx, s, model));
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &s->d_node, model->orders));
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &s->d_answer, 1));
    if (!s->has_pairs)
        MCO_TRY(take_plain(engine->ctx, s, params));
done:
    return st;
}

static void close_engine(dtspms_engine *engine)
{
    gpu_state *s = engine->state;
    if (s != NULL) {
        mco_device_close(&s->device);  // and with it all its memory
        mco_free(engine->ctx, &s->node);
        mco_free(engine->ctx, &s->walk);
    }
    mco_free(engine->ctx, &s);
    engine->state = NULL;
}

// ---- Scan

// Moves or items of a launch, so that it lasts about a tenth of a second.
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

// Both networks of moves first..end-1; first is even.
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

// *done: moves evaluated.
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
    engine->counters.device_s += s->device.kernel_s - before_s;
    if (done_moves < moves)
        return MCO_OK;
    MCO_CUDA(engine->ctx, cudaMemcpy(&answer, s->d_answer, sizeof answer, cudaMemcpyDeviceToHost));
    if (scan->costs != NULL)
        MCO_CUDA(engine->ctx,
                 cudaMemcpy(scan->costs, s->d_costs, (size_t)moves * sizeof *s->d_costs, cudaMemcpyDeviceToHost));
    scan->best_move = (int64_t)(answer.best & (((uint64_t)1 << DTSPMS_INDEX_BITS) - 1));
    scan->best_cost_of[MCO_DTSPMS_PICKUP] = answer.pickup;
    scan->best_cost_of[MCO_DTSPMS_DELIVERY] = (int64_t)(answer.best >> DTSPMS_INDEX_BITS) - answer.pickup;
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

// What all walks read, made when the first one begins.
static mco_status prepare_walks(dtspms_engine *engine)
{
    mco_status st = MCO_OK;
    gpu_state *s = engine->state;
    const dtspms_model *m = engine->model;
    dtspms_walk_tables tables = {0};
    if (s->walks.logarithms != NULL)
        return MCO_OK;
    if (m->orders > DTSPMS_MAX_WALK_ORDERS)
        return mco_fail(engine->ctx, MCO_ERR_LIMIT, "%d orders, at most %d supported by walks", m->orders,
                        DTSPMS_MAX_WALK_ORDERS);
    MCO_TRY(dtspms_walk_tables_make(engine->ctx, m, s->problem.heights, &tables));
    s->walks.near_count = tables.view.near_count;
    MCO_TRY(copy_up(engine->ctx, s, tables.view.stack, (size_t)m->orders * sizeof(int16_t), (const void **)&s->walks.stack));
    MCO_TRY(copy_up(engine->ctx, s, tables.view.near,
                    2 * (size_t)m->nodes * (size_t)tables.view.near_count * sizeof(int16_t), (const void **)&s->walks.near));
    MCO_TRY(copy_up(engine->ctx, s, tables.logarithms, DTSPMS_LOGARITHMS * sizeof(uint32_t),
                    (const void **)&s->walks.logarithms));
done:
    dtspms_walk_tables_clear(engine->ctx, &tables);
    return st;
}

static mco_status make_walk_room(dtspms_engine *engine, int32_t count)
{
    mco_status st = MCO_OK;
    gpu_state *s = engine->state;
    const int64_t nodes = (int64_t)count * engine->model->orders;
    if (count <= s->walk_room)
        return MCO_OK;
    s->walk_room = 0;
    mco_free(engine->ctx, &s->node);
    mco_free(engine->ctx, &s->walk);
    mco_device_give(&s->device, &s->walks.best);
    mco_device_give(&s->device, &s->walks.node);
    mco_device_give(&s->device, &s->walks.walk);
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &s->walks.walk, count));
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &s->walks.node, nodes));
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &s->walks.best, nodes));
    MCO_TRY(mco_alloc(engine->ctx, &s->walk, count));
    MCO_TRY(mco_alloc(engine->ctx, &s->node, nodes));
    s->walk_room = count;
done:
    return st;
}

static mco_status send_walks(dtspms_engine *engine, const dtspms_walk *walks, int32_t count)
{
    mco_status st = MCO_OK;
    gpu_state *s = engine->state;
    const int32_t orders = engine->model->orders;
    for (int32_t w = 0; w < count; w++) {
        s->walk[w] = (dtspms_device_walk){.seed = walks[w].seed, .step = walks[w].step, .temperature = walks[w].temperature,
                                          .cost = walks[w].cost, .best_cost = walks[w].best_cost};
        for (int32_t k = 0; k < orders; k++)
            s->node[(int64_t)w * orders + k] = (int16_t)walks[w].node[k];
    }
    MCO_CUDA(engine->ctx, cudaMemcpyAsync(s->walks.walk, s->walk, (size_t)count * sizeof *s->walk, cudaMemcpyHostToDevice,
                                          s->device.stream));
    MCO_CUDA(engine->ctx, cudaMemcpyAsync(s->walks.node, s->node, (size_t)count * (size_t)orders * sizeof *s->node,
                                          cudaMemcpyHostToDevice, s->device.stream));
done:
    return st;
}

// All walks at once, or as many as there are tables for.
static mco_status run_walks(dtspms_engine *engine, int32_t count)
{
    mco_status st = MCO_OK;
    gpu_state *s = engine->state;
    const int32_t orders = engine->model->orders;
    const int64_t most = s->has_pairs ? count : s->plain_threads / DTSPMS_PLAIN_THREADS;
    MCO_TRY(mco_device_start_clock(&s->device));
    for (int64_t first = 0; first < count; first += most) {
        const int blocks = (int)(count - first < most ? count - first : most);
        dtspms_device_walks part = s->walks;
        part.walk += first;
        part.node += first * orders;
        part.best += first * orders;
        if (s->has_pairs)
            MCO_CUDA(engine->ctx, dtspms_launch_walk_pairs(&s->problem, &part, &s->form, blocks, s->device.stream));
        else
            MCO_CUDA(engine->ctx, dtspms_launch_walk_plain(&s->problem, &part, s->d_tables, blocks, s->device.stream));
    }
    MCO_TRY(mco_device_stop_clock(&s->device, NULL));
done:
    return st;
}

static mco_status fetch_nodes(dtspms_engine *engine, const int16_t *d_nodes, int32_t count)
{
    mco_status st = MCO_OK;
    gpu_state *s = engine->state;
    MCO_CUDA(engine->ctx, cudaMemcpy(s->node, d_nodes, (size_t)count * (size_t)engine->model->orders * sizeof *s->node,
                                     cudaMemcpyDeviceToHost));
done:
    return st;
}

static mco_status fetch_walks(dtspms_engine *engine, dtspms_walk *walks, int32_t count)
{
    mco_status st = MCO_OK;
    gpu_state *s = engine->state;
    const int32_t orders = engine->model->orders;
    MCO_CUDA(engine->ctx, cudaMemcpy(s->walk, s->walks.walk, (size_t)count * sizeof *s->walk, cudaMemcpyDeviceToHost));
    MCO_TRY(fetch_nodes(engine, s->walks.node, count));
    for (int32_t w = 0; w < count; w++) {
        walks[w].step = s->walk[w].step;
        walks[w].cost = s->walk[w].cost;
        walks[w].best_cost = s->walk[w].best_cost;
        engine->counters.tours += s->walk[w].tours;
        engine->counters.relaxations += s->walk[w].tours * s->relaxations;
        for (int32_t k = 0; k < orders; k++)
            walks[w].node[k] = s->node[(int64_t)w * orders + k];
    }
    MCO_TRY(fetch_nodes(engine, s->walks.best, count));
    for (int32_t w = 0; w < count; w++)
        for (int32_t k = 0; k < orders && s->walk[w].is_improved; k++)
            walks[w].best[k] = s->node[(int64_t)w * orders + k];
done:
    return st;
}

static mco_status gpu_walk(dtspms_engine *engine, dtspms_walk *walks, int32_t count, int32_t steps)
{
    mco_status st = MCO_OK;
    gpu_state *s = engine->state;
    if (engine->model->orders < 2 || count == 0) {
        for (int32_t w = 0; w < count; w++)
            walks[w].step += steps;
        return MCO_OK;
    }
    MCO_TRY(mco_device_use(&s->device));
    MCO_TRY(prepare_walks(engine));
    MCO_TRY(make_walk_room(engine, count));
    s->walks.steps = steps;
    MCO_TRY(send_walks(engine, walks, count));
    const double before_s = s->device.kernel_s;
    MCO_TRY(run_walks(engine, count));
    engine->counters.device_s += s->device.kernel_s - before_s;
    MCO_TRY(fetch_walks(engine, walks, count));
done:
    return st;
}

// ---- Engine

mco_status dtspms_gpu_open(mco_context *ctx, const dtspms_model *model, const int32_t *heights,
                           const mco_dtspms_params *params, dtspms_engine *out)
{
    mco_status st = MCO_OK;
    gpu_state *s = NULL;
    dtspms_engine engine = {.ctx = ctx, .model = model, .simd = "none", .threads = 1, .scan = gpu_scan,
                            .walk = gpu_walk, .close = close_engine};
    MCO_TRY(mco_alloc(ctx, &s, 1));
    engine.state = s;
    MCO_TRY(open_device(&engine, heights, params));
    if (params->reuse == MCO_DTSPMS_REUSE_ON)
        mco_log(ctx, MCO_LOG_INFO, "--reuse on: the gpu engine runs every dynamic program in full");
    engine.lane_bits = s->has_pairs ? 16 : 32;
    engine.walks = s->has_pairs ? s->device.info.multiprocessors * s->form.walk_blocks
                                : (int)(s->plain_threads / DTSPMS_PLAIN_THREADS);
    engine.gpu = s->device.info;
    engine.has_gpu = true;
    *out = engine;
    return MCO_OK;
done:
    close_engine(&engine);
    return st;
}
