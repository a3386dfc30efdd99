// SPDX-License-Identifier: MIT
// The processor of a GPU: every warp walks a part (vrp/search/walk.cuh). If there are fewer tasks than warps, each task
// has replicas, which begin at different temperatures; the best replica of a task counts. The device computes distances
// in floats, so the host recounts what comes back.
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/rng.h"
#include "device/device_cuda.h"
#include "vrp/search/crowd.h"
#include "vrp/search/gpu.h"
#include "vrp/search/walk_cuda.h"

enum {
    PART_CUSTOMERS = 120,
    PART_ROUTES = 64,
    USUAL_NODES = 192,         // nodes of the largest part of a round; the number of tasks is for this size
    STEPS_PER_CUSTOMER = 400,
    MOST_RECOUNTED = 8,        // replicas of a task that are recounted until one is feasible and better
    ALIGNMENT = 256,           // bytes
    LOOK_NS = 1000000          // between looks at the clock
};

static const double COLDEST = 0.4, HOTTEST = 2.5;  // factors of the temperature at which replicas begin
static const float ROUND_UP = 0.4999F;             // vrp_device_walks.bump for distances that are rounded up
static const double LEAST_TEMPERATURE = 1e-9;

typedef struct state {
    mco_device device;
    bool is_matrix, has_length;
    vrp_walk_form form;        // of the round
    int32_t rows;              // customers + 1 of the largest part of the round
    vrp_device_walks walks;    // addresses in the device's block
    size_t bytes, room;        // of both blocks: bytes that the round uses, bytes that exist
    unsigned char *h_block, *d_block;
    size_t best_room;          // words
    uint32_t *h_best, *d_best;
    int32_t *h_stop;
    int32_t *order, *first;    // [VRP_WALK_MOST_NODES] a solution that is recounted
} state;

// ---- The tables of a round, at the same places in a block of the host and in one of the device

static size_t place(state *s, size_t count, size_t item_bytes)
{
    const size_t at = s->bytes;
    s->bytes += (count * item_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return at;
}

// Where each table begins, in bytes; tables that are not needed are empty.
typedef struct tables {
    size_t task, xy, matrix, transposed, demand, service, near, start, walk;
} tables;

static tables place_tables(state *s, size_t tasks, size_t walks, bool is_symmetric)
{
    const size_t nodes = tasks * (size_t)s->form.nodes, rows = tasks * (size_t)s->rows;
    const size_t entries = s->is_matrix ? rows * (size_t)s->rows : 0;
    tables t;
    s->bytes = 0;
    t.task = place(s, tasks, sizeof(vrp_device_task));
    t.xy = place(s, s->is_matrix ? 0 : 2 * nodes, sizeof(float));
    t.matrix = place(s, entries, sizeof(int32_t));
    t.transposed = is_symmetric ? t.matrix : place(s, entries, sizeof(int32_t));
    t.demand = place(s, nodes, sizeof(int32_t));
    t.service = place(s, s->has_length ? nodes : 0, sizeof(int32_t));
    t.near = place(s, rows * VRP_WALK_LANES, sizeof(uint32_t));
    t.start = place(s, nodes, sizeof(uint32_t));
    t.walk = place(s, walks, sizeof(vrp_device_walk));
    return t;
}

static mco_status make_room(state *s, size_t best_words)
{
    mco_status st = MCO_OK;
    if (s->bytes > s->room) {
        s->room = 0;
        mco_device_give(&s->device, &s->h_block);
        mco_device_give(&s->device, &s->d_block);
        MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_PINNED, &s->h_block, s->bytes));
        MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &s->d_block, s->bytes));
        s->room = s->bytes;
    }
    if (best_words > s->best_room) {
        s->best_room = 0;
        mco_device_give(&s->device, &s->h_best);
        mco_device_give(&s->device, &s->d_best);
        MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_PINNED, &s->h_best, best_words));
        MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &s->d_best, best_words));
        s->best_room = best_words;
    }
done:
    return st;
}

static void point_at_tables(state *s, const tables *t)
{
    vrp_device_walks *w = &s->walks;
    w->task = (const void *)(s->d_block + t->task);
    w->xy = (const void *)(s->d_block + t->xy);
    w->matrix = (const void *)(s->d_block + t->matrix);
    w->transposed = (const void *)(s->d_block + t->transposed);
    w->demand = (const void *)(s->d_block + t->demand);
    w->service = (const void *)(s->d_block + t->service);
    w->near = (const void *)(s->d_block + t->near);
    w->start = (const void *)(s->d_block + t->start);
    w->walk = (void *)(s->d_block + t->walk);
    w->best = s->d_best;
    w->stop = s->h_stop;
}

// ---- Parts

// More routes than customers are of no use.
static int32_t rings_of(const vrp_part *p)
{
    return p->routes < p->customers ? p->routes : p->customers;
}

// Places relative to the depot, which leaves floats more bits for distances; it is the same for all parts.
static void fill_places(const state *s, const vrp_part *p, float *xy)
{
    const double scale = p->problem->scale, *depot = p->xy + 2 * (size_t)(p->customers + 1);
    memset(xy, 0, 2 * (size_t)s->form.nodes * sizeof *xy);
    for (int32_t c = 1; c <= p->customers; c++) {
        xy[2 * c] = (float)((p->xy[2 * c] - depot[0]) * scale);
        xy[2 * c + 1] = (float)((p->xy[2 * c + 1] - depot[1]) * scale);
    }
}

static void fill_matrix(const state *s, const vrp_part *p, bool is_transposed, int32_t *matrix)
{
    const int32_t n = p->customers;
    for (int32_t i = 0; i <= n; i++)
        for (int32_t j = 0; j <= n; j++) {
            const int32_t a = i > 0 ? i : n + 1, b = j > 0 ? j : n + 1;
            matrix[(size_t)i * (size_t)s->rows + (size_t)j] =
                i == j ? 0 : is_transposed ? vrp_part_distance(p, b, a) : vrp_part_distance(p, a, b);
        }
}

static void fill_near(const vrp_part *p, uint32_t *near)
{
    memset(near, 0, VRP_WALK_LANES * sizeof *near);  // of node 0
    for (int32_t c = 1; c <= p->customers; c++) {
        const int32_t *list = p->near + (size_t)c * (size_t)p->neighbours;
        uint32_t *row = near + (size_t)c * VRP_WALK_LANES;
        for (int32_t k = 0; k < VRP_WALK_LANES; k++) {
            const int32_t other = k + VRP_WALK_LANES;
            row[k] = (k < p->neighbours ? (uint32_t)list[k] : 0) | (other < p->neighbours ? (uint32_t)list[other] << 16 : 0);
        }
    }
}

static uint32_t word_of(int32_t next, int32_t prev, int32_t ring)
{
    return (uint32_t)next << VRP_WALK_NEXT_BIT | (uint32_t)prev << VRP_WALK_PREV_BIT | (uint32_t)ring << VRP_WALK_RING_BIT;
}

// Links the routes as rings, and empty rings behind them; all other nodes are nowhere.
static void fill_start(const state *s, const vrp_task *task, uint32_t *start)
{
    const int32_t n = task->part.customers, rings = rings_of(&task->part);
    for (int32_t node = 0; node < s->form.nodes; node++)
        start[node] = word_of(0, 0, rings);
    for (int32_t r = 0; r < rings; r++) {
        const int32_t depot = n + 1 + r;
        const int32_t begin = r < task->routes ? task->first[r] : 0, end = r < task->routes ? task->first[r + 1] : 0;
        start[depot] = word_of(end > begin ? task->order[begin] : depot, end > begin ? task->order[end - 1] : depot, r);
        for (int32_t k = begin; k < end; k++)
            start[task->order[k]] =
                word_of(k + 1 < end ? task->order[k + 1] : depot, k > begin ? task->order[k - 1] : depot, r);
    }
}

static void fill_task(state *s, const tables *t, const vrp_task *task, int32_t number)
{
    const vrp_part *p = &task->part;
    const size_t node = (size_t)number * (size_t)s->form.nodes, row = (size_t)number * (size_t)s->rows;
    int32_t *demand = (int32_t *)(s->h_block + t->demand) + node;
    ((vrp_device_task *)(s->h_block + t->task))[number] =
        (vrp_device_task){.steps = p->customers > 0 ? task->plan.steps : 0, .customers = p->customers, .rings = rings_of(p),
                          .removed = (float)task->plan.removed, .longest_string = task->plan.longest_string,
                          .exchanges = task->plan.exchanges < VRP_WALK_LANES ? task->plan.exchanges : VRP_WALK_LANES};
    if (s->is_matrix) {
        fill_matrix(s, p, false, (int32_t *)(s->h_block + t->matrix) + row * (size_t)s->rows);
        if (t->transposed != t->matrix)
            fill_matrix(s, p, true, (int32_t *)(s->h_block + t->transposed) + row * (size_t)s->rows);
    } else {
        fill_places(s, p, (float *)(s->h_block + t->xy) + 2 * node);
    }
    memset(demand, 0, (size_t)s->form.nodes * sizeof *demand);
    memcpy(demand + 1, p->demand + 1, (size_t)p->customers * sizeof *demand);
    if (s->has_length) {
        int32_t *service = (int32_t *)(s->h_block + t->service) + node;
        memset(service, 0, (size_t)s->form.nodes * sizeof *service);
        memcpy(service + 1, p->service + 1, (size_t)p->customers * sizeof *service);
    }
    fill_near(p, (uint32_t *)(s->h_block + t->near) + row * VRP_WALK_LANES);
    fill_start(s, task, (uint32_t *)(s->h_block + t->start) + node);
}

static void fill_walks(vrp_device_walk *walk, const vrp_task *task, int32_t replicas)
{
    const double hot = fmax(task->plan.hot, LEAST_TEMPERATURE), cold = fmax(task->plan.cold, LEAST_TEMPERATURE);
    uint64_t seed = task->seed;
    for (int32_t k = 0; k < replicas; k++) {
        const double factor = replicas > 1 ? COLDEST * pow(HOTTEST / COLDEST, (double)k / (replicas - 1)) : 1;
        walk[k] = (vrp_device_walk){.seed = mco_splitmix64(&seed), .hot = (float)fmax(hot * factor, cold), .cold = (float)cold};
    }
}

// ---- What comes back

// Reads the solution of a walk as a list of routes, in s->order and s->first. False if it breaks a limit or is
// malformed: nothing is taken on trust.
static bool recount(state *s, const vrp_task *task, const uint32_t *word, int32_t *routes, int64_t *cost)
{
    const vrp_part *p = &task->part;
    const int32_t n = p->customers;
    int32_t count = 0;
    *routes = 0;
    *cost = 0;
    for (int32_t r = 0; r < rings_of(p); r++) {
        const int32_t depot = n + 1 + r;
        int64_t load = 0, length = 0, served = 0;
        int32_t at = depot;
        s->first[*routes] = count;
        do {
            const int32_t next = (int32_t)(word[at] >> VRP_WALK_NEXT_BIT & ((1U << VRP_WALK_FIELD) - 1));
            if (next != depot) {
                if (next < 1 || next > n || count == n)
                    return false;
                s->order[count++] = next;
                load += p->demand[next];
                served += p->service[next];
            }
            length += at != next ? vrp_part_distance(p, at, next) : 0;
            at = next;
        } while (at != depot);
        *cost += length;
        if (load > p->problem->capacity || (vrp_has_max_length(p->problem) && length + served > p->problem->max_length))
            return false;
        *routes += count > s->first[*routes];
    }
    s->first[*routes] = count;
    return count == n;
}

// Whether each customer is in s->order once.
static bool is_complete(const state *s, int32_t customers)
{
    bool seen[VRP_WALK_MOST_NODES] = {false};
    for (int32_t k = 0; k < customers; k++) {
        if (seen[s->order[k]])
            return false;
        seen[s->order[k]] = true;
    }
    return true;
}

// Recounts replicas, the best first, and copies the first one that is feasible and better to the task.
static void take_best(state *s, vrp_task *task, vrp_device_walk *walk, const uint32_t *best, int32_t replicas)
{
    for (int tried = 0; tried < MOST_RECOUNTED; tried++) {
        int32_t least = 0, routes;
        int64_t cost;
        for (int32_t k = 1; k < replicas; k++)
            least = walk[k].best_cost < walk[least].best_cost ? k : least;
        if (walk[least].best_cost >= 0)
            return;
        walk[least].best_cost = 0;
        if (!recount(s, task, best + (size_t)least * (size_t)s->form.nodes, &routes, &cost) || cost >= task->cost ||
            !is_complete(s, task->part.customers))
            continue;
        memcpy(task->order, s->order, (size_t)task->part.customers * sizeof *task->order);
        memcpy(task->first, s->first, ((size_t)routes + 1) * sizeof *task->first);
        task->routes = routes;
        task->cost = cost;
        return;
    }
}

// ---- A round

static bool is_over(const vrp_processor *processor, double stop_s)
{
    return mco_is_cancelled(processor->ctx) || mco_clock_s() >= stop_s || (processor->ends != NULL && processor->ends(processor->user));
}

// Waits until the walks have done their steps. Sets *h_stop once they have to end early; the kernel reads it now and
// then.
static mco_status wait_for_walks(vrp_processor *processor, double stop_s)
{
    mco_status st = MCO_OK;
    state *s = processor->state;
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    for (;;) {
        const cudaError_t error = cudaStreamQuery(s->device.stream);
        if (error == cudaSuccess)
            break;
        if (error != cudaErrorNotReady)
            MCO_CUDA(processor->ctx, error);
        nanosleep(&pause, NULL);
        if (is_over(processor, stop_s))
            __atomic_store_n(s->h_stop, 1, __ATOMIC_RELEASE);
    }
done:
    return st;
}

static mco_status choose_form(state *s, const vrp_task *tasks, int32_t count)
{
    mco_status st = MCO_OK;
    int32_t nodes = 0;
    s->rows = 0;
    for (int32_t k = 0; k < count; k++) {
        const vrp_part *p = &tasks[k].part;
        const int32_t own = p->customers + 1 + rings_of(p);
        nodes = own > nodes ? own : nodes;
        s->rows = p->customers + 1 > s->rows ? p->customers + 1 : s->rows;
    }
    MCO_CUDA(s->device.ctx, vrp_walk_form_choose(nodes, s->is_matrix, s->has_length, &s->form));
    if (s->form.shape < 0)
        return mco_fail(s->device.ctx, MCO_ERR_LIMIT, "a part of %d nodes, at most %d supported on a GPU", nodes,
                        (int)VRP_WALK_MOST_NODES);
done:
    return st;
}

static mco_status send(state *s, const vrp_task *tasks, int32_t count, const tables *t)
{
    mco_status st = MCO_OK;
    const int32_t replicas = s->walks.replicas;
    for (int32_t k = 0; k < count; k++) {
        fill_task(s, t, &tasks[k], k);
        fill_walks((vrp_device_walk *)(s->h_block + t->walk) + (size_t)k * (size_t)replicas, &tasks[k], replicas);
    }
    *s->h_stop = 0;
    MCO_CUDA(s->device.ctx, cudaMemcpyAsync(s->d_block, s->h_block, s->bytes, cudaMemcpyHostToDevice, s->device.stream));
done:
    return st;
}

static mco_status fetch(vrp_processor *processor, vrp_task *tasks, int32_t count, const tables *t)
{
    mco_status st = MCO_OK;
    state *s = processor->state;
    const vrp_device_walks *w = &s->walks;
    vrp_device_walk *walk = (vrp_device_walk *)(s->h_block + t->walk);
    MCO_CUDA(processor->ctx, cudaMemcpyAsync(walk, w->walk, (size_t)w->walks * sizeof *walk, cudaMemcpyDeviceToHost,
                                        s->device.stream));
    MCO_CUDA(processor->ctx, cudaMemcpyAsync(s->h_best, s->d_best, (size_t)w->walks * (size_t)w->nodes * sizeof *s->h_best,
                                        cudaMemcpyDeviceToHost, s->device.stream));
    MCO_CUDA(processor->ctx, cudaStreamSynchronize(s->device.stream));
    for (int32_t k = 0; k < w->walks; k++)
        processor->steps += walk[k].steps;
    for (int32_t k = 0; k < count; k++) {
        const size_t first = (size_t)k * (size_t)w->replicas;
        take_best(s, &tasks[k], walk + first, s->h_best + first * (size_t)w->nodes, w->replicas);
    }
done:
    return st;
}

static mco_status gpu_run(vrp_processor *processor, vrp_task *tasks, int32_t count, double stop_s)
{
    mco_status st = MCO_OK;
    state *s = processor->state;
    vrp_device_walks *w = &s->walks;
    if (count < 1 || is_over(processor, stop_s))
        return MCO_OK;
    MCO_TRY(mco_device_use(&s->device));
    MCO_TRY(choose_form(s, tasks, count));
    const int32_t resident = s->form.resident * s->device.info.multiprocessors;
    w->nodes = s->form.nodes;
    w->rows = s->rows;
    w->replicas = resident > count ? resident / count : 1;
    w->walks = count * w->replicas;
    const tables t = place_tables(s, (size_t)count, (size_t)w->walks, w->is_symmetric);
    MCO_TRY(make_room(s, (size_t)w->walks * (size_t)w->nodes));
    point_at_tables(s, &t);
    MCO_TRY(send(s, tasks, count, &t));
    const double before_s = s->device.kernel_s;
    MCO_TRY(mco_device_start_clock(&s->device));
    MCO_CUDA(processor->ctx, vrp_launch_walks(w, &s->form, s->device.stream));
    MCO_TRY(wait_for_walks(processor, stop_s));
    MCO_TRY(mco_device_stop_clock(&s->device, NULL));
    processor->device_s += s->device.kernel_s - before_s;
    MCO_TRY(fetch(processor, tasks, count, &t));
done:
    return st;
}

// ---- Open

static void close_crew(vrp_processor *processor)
{
    state *s = processor->state;
    if (s != NULL) {
        mco_device_close(&s->device);  // and with it all its memory
        mco_free(processor->ctx, &s->first);
        mco_free(processor->ctx, &s->order);
    }
    mco_free(processor->ctx, &s);
    processor->state = NULL;
}

// The limit of length for the device. If distances are not rounded to whole units of the file, the lengths of the
// device can be less than those of the host: an edge can lose a unit, or the last bit of a float. The margin covers a
// few such edges; recount() rejects routes that lose more.
static int32_t longest_of(const mco_vrp *problem, bool is_matrix)
{
    enum { UNITS = 4, FLOAT_BITS = 20 };
    const bool is_exact = is_matrix || problem->distances == MCO_VRP_DISTANCES_ROUNDED;
    return problem->max_length - (is_exact ? 0 : UNITS + (problem->longest >> FLOAT_BITS));
}

static mco_status open_device(vrp_processor *processor, const mco_vrp_params *params)
{
    mco_status st = MCO_OK;
    state *s = processor->state;
    const mco_vrp *p = processor->problem;
    MCO_TRY(mco_device_open_named(processor->ctx, params->gpus, &s->device));
    MCO_TRY(mco_alloc(processor->ctx, &s->order, VRP_WALK_MOST_NODES));
    MCO_TRY(mco_alloc(processor->ctx, &s->first, VRP_WALK_MOST_NODES));
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_PINNED, &s->h_stop, 1));
    s->is_matrix = p->rule == VRP_MATRIX || p->rule == VRP_GEO;
    s->has_length = s->is_matrix || vrp_has_max_length(p);
    s->walks.capacity = p->capacity;
    s->walks.longest = vrp_has_max_length(p) ? longest_of(p, s->is_matrix) : MCO_VRP_MAX_LENGTH;
    s->walks.bump = p->rule == VRP_CEIL_2D && p->distances == MCO_VRP_DISTANCES_ROUNDED ? ROUND_UP : 0;
    s->walks.is_symmetric = p->is_symmetric;
    MCO_CUDA(processor->ctx, vrp_walk_form_choose(USUAL_NODES, s->is_matrix, s->has_length, &s->form));
done:
    return st;
}

mco_status vrp_gpu_walks_open(mco_context *ctx, const mco_vrp *problem, const mco_vrp_params *params, vrp_processor *out)
{
    mco_status st = MCO_OK;
    state *s = NULL;
    vrp_processor processor = {.ctx = ctx, .problem = problem, .part_customers = PART_CUSTOMERS, .part_routes = PART_ROUTES,
                     .steps_per_customer = STEPS_PER_CUSTOMER, .threads = 1, .run = gpu_run,
                     .close = close_crew};
    MCO_TRY(mco_alloc(ctx, &s, 1));
    processor.state = s;
    MCO_TRY(open_device(&processor, params));
    processor.tasks = s->form.resident * s->device.info.multiprocessors;
    processor.gpus = (uint64_t)1 << s->device.info.index;
    processor.crowd = vrp_crowd_takes(problem) ? vrp_crowd_run : NULL;
    *out = processor;
    return MCO_OK;
done:
    close_crew(&processor);
    return st;
}
