// SPDX-License-Identifier: MIT
// The scanner of the method of pairs on one GPU, host side: tables of the network, the mirror of the store, loads and scans.
#include "traffic/gpu_pairs/gpu.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/machine.h"
#include "base/team.h"

enum {
    MOST_BLOCKS_EACH = 4,        // 2,048 threads of a multiprocessor
    MOST_QUEUE = 4096,
    WIDE_QUEUE = 65536,
    DELTA_LINKS = 16,
    MOST_WORKERS = 16,
    LEAST_ROOM = 1 << 12,
    ROOM = 1 << 21,              // links that a launch lists: 32 MB
    LEAST_STAGE = 1 << 10,
    STAGE = 1 << 17,             // slots: 9 MB
    NARROW_POSITIONS = 254
};
static const int64_t LABEL_BYTES = (int64_t)1 << 25;  // of labels that the host reads at a time

typedef struct scanner {
    mco_context *ctx;
    const traffic_problem *problem;
    pairs_store *store;
    mco_run *run;
    bool is_stopped;
    mco_device device;
    traffic_gpu_plan plan;
    traffic_gpu_tuning tuning;
    traffic_gpu_stats own, *stats;  // the caller's, or the own ones
    int32_t places;
    int32_t *live, live_count;   // [places] those with a row
    // Device memory that the host writes.
    double *d_cost;
    int32_t *d_place, *d_batch, *d_link;
    double *d_change;
    // Pinned.
    double *h_cost;              // [tables * links]
    int32_t *h_place;            // [places]
    int32_t *h_batch, *h_link;   // [stage]
    double *h_change;            // [stage][8]
    void *h_parent;              // as plan.d_parent
    traffic_place_sum *h_sum;    // [places]
    traffic_place_link *h_found; // [room]
    traffic_gpu_control *h_control;
    traffic_candidate *candidate;  // [candidate_room] by place and link
    int64_t candidate_room;
    cudaEvent_t begun, changed, ended, copied;
    mco_team team;               // for work on the host between launches
    int workers;
    // Labels for a proof.
    double *d_label, *h_label;   // [places][nodes], NULL until they are wanted; [label_places][nodes] pinned
    int32_t label_places, label_first;
    traffic_certificate *proof;
    mco_status *status;          // [batches] of a job
    mco_context **worker_ctx;    // [workers]
} scanner;

_Static_assert(sizeof(traffic_candidate) == sizeof(traffic_place_link), "the device writes candidates");
_Static_assert((int)PAIRS_LANES == (int)TRAFFIC_GPU_LANES, "a batch is the same on both sides");

// ---- Waits

static bool must_stop(void *state)
{
    scanner *s = state;
    s->is_stopped = s->is_stopped || (s->run != NULL && mco_run_must_stop(s->run, s->run->work));
    return s->is_stopped;
}

// Waits for all work on the stream. It ends: kernels end by themselves or by `stop`, which each block reads before each row and each
// search for near nodes.
static mco_status wait_for(scanner *s, cudaEvent_t event)
{
    mco_status st = MCO_OK;
    MCO_CUDA(s->ctx, cudaEventRecord(event, s->device.stream));
    MCO_TRY(mco_device_wait(&s->device, event, must_stop, s, &s->plan.d_control->stop));
done:
    return st;
}

// ---- Tables of the network

typedef struct tables {
    traffic_star_link *star, *more;
    traffic_into_link *into;
    int32_t *star_link;
    int32_t *place_table, *place_origin;
    int64_t *place_first, *place_end;
    double *place_scale;
} tables;

static void tables_clear(mco_context *ctx, tables *t)
{
    mco_free(ctx, &t->star);
    mco_free(ctx, &t->more);
    mco_free(ctx, &t->into);
    mco_free(ctx, &t->star_link);
    mco_free(ctx, &t->place_table);
    mco_free(ctx, &t->place_origin);
    mco_free(ctx, &t->place_first);
    mco_free(ctx, &t->place_end);
    mco_free(ctx, &t->place_scale);
}

static int32_t count_more(const traffic_problem *p)
{
    int32_t more = 0;
    for (int32_t v = 0; v < p->nodes; v++) {
        const int32_t degree = p->first[v + 1] - p->first[v];
        more += degree > TRAFFIC_STAR_SLOTS ? degree - TRAFFIC_STAR_SLOTS : 0;
    }
    return more;
}

// One star of each node, and the list of what it has no room for.
static void fill_star(const traffic_problem *p, tables *t)
{
    int32_t next = 0;
    for (int32_t v = 0; v < p->nodes; v++) {
        traffic_star_link *star = t->star + (size_t)v * TRAFFIC_STAR_SLOTS;
        for (int k = 0; k < TRAFFIC_STAR_SLOTS; k++) {
            star[k] = (traffic_star_link){.cost = INFINITY, .head = v};
            t->star_link[(size_t)v * TRAFFIC_STAR_SLOTS + (size_t)k] = -1;
        }
        star[0].more = next;
        for (int32_t l = p->first[v], k = 0; l < p->first[v + 1]; l++, k++) {
            if (k < TRAFFIC_STAR_SLOTS) {
                star[k].head = p->head[l];
                t->star_link[(size_t)v * TRAFFIC_STAR_SLOTS + (size_t)k] = l;
                continue;
            }
            t->more[next] = (traffic_star_link){.cost = INFINITY, .head = p->head[l]};
            t->star_link[(size_t)p->nodes * TRAFFIC_STAR_SLOTS + (size_t)next++] = l;
            star[1].more++;
        }
    }
    for (int32_t k = 0; k < p->links; k++)
        t->into[k] = (traffic_into_link){.cost = INFINITY, .tail = p->tail[p->into[k]], .link = p->into[k]};
}

// The power of 2 by which a row's trips become integers: their sum stays below 2^62.
static double scale_of(const traffic_problem *p, int32_t row)
{
    double sum = 0;
    int exponent = 0;
    for (int64_t k = p->row_first[row]; k < p->row_first[row + 1]; k++)
        sum += p->amount[k];
    (void)frexp(sum, &exponent);
    return ldexp(1, 61 - (exponent > 61 - 1000 ? exponent : 61 - 1000));
}

static void fill_places(scanner *s, tables *t)
{
    const traffic_problem *p = s->problem;
    for (int32_t k = 0; k < s->places; k++) {
        const pairs_batch *b = &s->store->batch[k / PAIRS_LANES];
        const int32_t row = b->row[k % PAIRS_LANES];
        if (row < 0)
            continue;
        t->place_table[k] = s->plan.tables > 1 ? b->user_class : 0;
        t->place_origin[k] = p->row_origin[row];
        t->place_first[k] = p->row_first[row];
        t->place_end[k] = p->row_first[row + 1];
        t->place_scale[k] = scale_of(p, row);
        s->live[s->live_count++] = k;
    }
}

static mco_status make_tables(scanner *s, tables *t)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = s->problem;
    const int64_t stars = (int64_t)p->nodes * TRAFFIC_STAR_SLOTS;
    MCO_TRY(mco_alloc(s->ctx, &t->star, stars));
    MCO_TRY(mco_alloc(s->ctx, &t->more, s->plan.more_count));
    MCO_TRY(mco_alloc(s->ctx, &t->into, p->links));
    MCO_TRY(mco_alloc(s->ctx, &t->star_link, stars + s->plan.more_count));
    MCO_TRY(mco_alloc(s->ctx, &t->place_table, s->places));
    MCO_TRY(mco_alloc(s->ctx, &t->place_origin, s->places));
    MCO_TRY(mco_alloc(s->ctx, &t->place_first, s->places));
    MCO_TRY(mco_alloc(s->ctx, &t->place_end, s->places));
    MCO_TRY(mco_alloc(s->ctx, &t->place_scale, s->places));
    MCO_TRY(mco_alloc(s->ctx, &s->live, s->places));
    fill_star(p, t);
    fill_places(s, t);
done:
    return st;
}

// ---- Plan

// The range of near labels: so many mean costs of a link without flow. Links of the highest costs, artificial ones, do not count.
static double choose_delta(const traffic_problem *p, double links)
{
    double mean = 0, sum = 0;
    int32_t count = 0;
    for (int32_t l = 0; l < p->links; l++)
        mean += p->costs.base[l];
    mean = p->links > 0 ? mean / p->links : 0;
    for (int32_t l = 0; l < p->links; l++)
        if (p->costs.base[l] <= 100 * mean) {
            sum += p->costs.base[l];
            count++;
        }
    const double delta = count > 0 ? (links > 0 ? links : DELTA_LINKS) * sum / count : 0;
    return delta > 1e-290 && delta < 1e290 ? delta : 1;
}

static int32_t most_into(const traffic_problem *p)
{
    int32_t most = 0;
    for (int32_t v = 0; v < p->nodes; v++)
        most = p->into_first[v + 1] - p->into_first[v] > most ? p->into_first[v + 1] - p->into_first[v] : most;
    return most;
}

// Whether labels lie in shared memory, how many blocks share a multiprocessor, and queues as long as that leaves room for.
static mco_status plan_memory(scanner *s)
{
    mco_status st = MCO_OK;
    traffic_gpu_plan *p = &s->plan;
    int each = 0, reserved = 0, most = 0;
    const int index = s->device.info.index;
    const int32_t words = (p->nodes + 31) / 32, least = words / 2 * 2 + 64;
    MCO_CUDA(s->ctx, cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, index));
    MCO_CUDA(s->ctx, cudaDeviceGetAttribute(&each, cudaDevAttrMaxSharedMemoryPerMultiprocessor, index));
    MCO_CUDA(s->ctx, cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, index));
    const int64_t bytes = (int64_t)traffic_gpu_shared(p->nodes, least);
    p->is_wide = s->tuning.is_wide || p->nodes > TRAFFIC_SHARED_NODES || bytes > most;
    p->queue = s->tuning.queue > 0 ? s->tuning.queue : p->is_wide ? WIDE_QUEUE : MOST_QUEUE;
    p->queue = (p->queue < p->nodes ? p->queue : p->nodes) / 2 * 2 + 2;
    p->queue = p->queue > least ? p->queue : least;
    if (!p->is_wide) {
        int64_t blocks = each / (bytes + reserved);
        const int64_t wanted = s->tuning.blocks_each > 0 ? s->tuning.blocks_each : MOST_BLOCKS_EACH;
        blocks = blocks < wanted ? blocks : wanted;
        blocks = blocks > 1 ? blocks : 1;
        const int64_t share = each / blocks - reserved < most ? each / blocks - reserved : most;
        const int64_t fits = (share - bytes) / 4 / 2 * 2 + least;
        p->queue = p->queue < fits ? p->queue : (int32_t)fits;
    }
    MCO_CUDA(s->ctx, traffic_gpu_shape(p, s->device.info.multiprocessors));
    if (s->tuning.blocks_each > 0 && p->blocks > s->tuning.blocks_each * s->device.info.multiprocessors)
        p->blocks = s->tuning.blocks_each * s->device.info.multiprocessors;
    p->scratch_bytes = p->is_wide ? traffic_gpu_scratch(p->nodes, p->queue) : 0;
    s->stats->blocks = p->blocks;
    s->stats->queue = p->queue;
    s->stats->is_wide = p->is_wide;
done:
    return st;
}

static int64_t bytes_of_places(const traffic_gpu_plan *p, int64_t places)
{
    return places * ((int64_t)p->links * (int64_t)sizeof(double) + (int64_t)p->nodes * (p->has_wide_parents ? 4 : 1) + 64);
}

int64_t traffic_gpu_pairs_bytes(const traffic_problem *problem)
{
    const traffic_gpu_plan shape = {
        .nodes = problem->nodes, .links = problem->links, .has_wide_parents = most_into(problem) > NARROW_POSITIONS};
    return bytes_of_places(&shape, ((int64_t)problem->rows + problem->classes) * 9 / 8 + 2 * PAIRS_LANES);
}

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

static mco_status plan_all(scanner *s)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = s->problem;
    traffic_gpu_plan *plan = &s->plan;
    plan->nodes = p->nodes;
    plan->links = p->links;
    plan->first_through = p->first_through;
    plan->tables = p->extra != NULL ? p->classes : 1;
    plan->more_count = count_more(p);
    plan->has_wide_parents = s->tuning.has_wide_parents || most_into(p) > NARROW_POSITIONS;
    plan->delta = choose_delta(p, s->tuning.delta_links);
    plan->room = s->tuning.room > 0 ? s->tuning.room : clamp((int64_t)s->places * p->nodes / 2, LEAST_ROOM, ROOM);
    plan->room = plan->room > p->nodes ? plan->room : p->nodes;  // a load of one row fits
    s->tuning.stage = s->tuning.stage > 0 ? s->tuning.stage : clamp((int64_t)s->store->batches * p->links / 8, LEAST_STAGE, STAGE);
    MCO_TRY(plan_memory(s));
    const int64_t needed = bytes_of_places(plan, s->places) + (int64_t)plan->scratch_bytes * plan->blocks +
                           plan->room * (int64_t)sizeof(traffic_place_link) + ((int64_t)64 << 20);
    if (needed > (int64_t)s->device.info.free_bytes)
        return mco_fail(s->ctx, MCO_ERR_LIMIT, "flows of %d rows on %d links take %lld bytes of the GPU's memory, %lld are free", p->rows,
                        p->links, (long long)needed, (long long)s->device.info.free_bytes);
    s->stats->bytes = needed;
done:
    return st;
}

// ---- Memory

#define ON_DEVICE(s, out, count) mco_device_take(&(s)->device, MCO_MEMORY_DEVICE, out, (count) + 1)
#define PINNED(s, out, count) mco_device_take(&(s)->device, MCO_MEMORY_PINNED, out, (count) + 1)

static mco_status send_bytes(scanner *s, void *d_to, const void *from, int64_t count, size_t item)
{
    mco_status st = MCO_OK;
    if (count > 0)
        MCO_CUDA(s->ctx, cudaMemcpyAsync(d_to, from, (size_t)count * item, cudaMemcpyHostToDevice, s->device.stream));
done:
    return st;
}
#define SEND(s, d_to, from, count) send_bytes(s, d_to, from, count, sizeof *(from))

// Takes device memory and fills it.
static mco_status place_bytes(scanner *s, const void **d_out, const void *from, int64_t count, size_t item)
{
    mco_status st = MCO_OK;
    void *d_new = NULL;
    MCO_TRY(mco_device_take_bytes(&s->device, MCO_MEMORY_DEVICE, &d_new, (size_t)count + 1, item));
    MCO_TRY(send_bytes(s, d_new, from, count, item));
    *d_out = d_new;
done:
    return st;
}
#define PLACE(s, d_out, from, count) place_bytes(s, (const void **)(d_out), from, count, sizeof *(from))

// The links of a table are repeated for each table of costs.
static mco_status place_tables(scanner *s, void *out, const void *from, int64_t count, size_t item)
{
    mco_status st = MCO_OK;
    char *d_new = NULL;
    void **d_out = out;
    MCO_TRY(mco_device_take_bytes(&s->device, MCO_MEMORY_DEVICE, (void **)&d_new, (size_t)(count * s->plan.tables) + 1, item));
    for (int32_t k = 0; k < s->plan.tables; k++)
        MCO_TRY(send_bytes(s, d_new + (size_t)(k * count) * item, from, count, item));
    *d_out = d_new;
done:
    return st;
}

static mco_status place_problem(scanner *s, const tables *t)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = s->problem;
    traffic_gpu_plan *plan = &s->plan;
    const int64_t stars = (int64_t)p->nodes * TRAFFIC_STAR_SLOTS, trips = p->rows > 0 ? p->row_first[p->rows] : 0;
    MCO_TRY(PLACE(s, &plan->d_place_table, t->place_table, s->places));
    MCO_TRY(PLACE(s, &plan->d_place_origin, t->place_origin, s->places));
    MCO_TRY(PLACE(s, &plan->d_place_first, t->place_first, s->places));
    MCO_TRY(PLACE(s, &plan->d_place_end, t->place_end, s->places));
    MCO_TRY(PLACE(s, &plan->d_place_scale, t->place_scale, s->places));
    MCO_TRY(PLACE(s, &plan->d_to, p->to, trips));
    MCO_TRY(PLACE(s, &plan->d_amount, p->amount, trips));
    MCO_TRY(PLACE(s, &plan->d_tail, p->tail, p->links));
    MCO_TRY(PLACE(s, &plan->d_head, p->head, p->links));
    MCO_TRY(PLACE(s, &plan->d_into_first, p->into_first, p->nodes + 1));
    MCO_TRY(PLACE(s, &plan->d_star_link, t->star_link, stars + plan->more_count));
    MCO_TRY(place_tables(s, &plan->d_star, t->star, stars, sizeof *t->star));
    MCO_TRY(place_tables(s, &plan->d_more, t->more, plan->more_count, sizeof *t->more));
    MCO_TRY(place_tables(s, &plan->d_into, t->into, p->links, sizeof *t->into));
done:
    return st;
}

static mco_status take_memory(scanner *s)
{
    mco_status st = MCO_OK;
    traffic_gpu_plan *p = &s->plan;
    const int64_t costs = (int64_t)p->tables * p->links, stage = s->tuning.stage, flows = (int64_t)s->places * p->links;
    const int64_t parents = (int64_t)s->places * p->nodes * (p->has_wide_parents ? 4 : 1);
    char *d_parent = NULL, *h_parent = NULL, *d_scratch = NULL;
    MCO_TRY(ON_DEVICE(s, &s->d_cost, costs));
    MCO_TRY(ON_DEVICE(s, &s->d_place, s->places));
    MCO_TRY(ON_DEVICE(s, &s->d_batch, stage));
    MCO_TRY(ON_DEVICE(s, &s->d_link, stage));
    MCO_TRY(ON_DEVICE(s, &s->d_change, stage * PAIRS_LANES));
    MCO_TRY(ON_DEVICE(s, &p->d_flow, flows));
    MCO_TRY(ON_DEVICE(s, &p->d_sum, s->places));
    MCO_TRY(ON_DEVICE(s, &p->d_found, p->room));
    MCO_TRY(ON_DEVICE(s, &p->d_control, 1));
    MCO_TRY(ON_DEVICE(s, &d_parent, parents));
    MCO_TRY(ON_DEVICE(s, &d_scratch, (int64_t)p->scratch_bytes * p->blocks));
    MCO_TRY(PINNED(s, &h_parent, parents));
    MCO_TRY(PINNED(s, &s->h_cost, costs));
    MCO_TRY(PINNED(s, &s->h_place, s->places));
    MCO_TRY(PINNED(s, &s->h_batch, stage));
    MCO_TRY(PINNED(s, &s->h_link, stage));
    MCO_TRY(PINNED(s, &s->h_change, stage * PAIRS_LANES));
    MCO_TRY(PINNED(s, &s->h_sum, s->places));
    MCO_TRY(PINNED(s, &s->h_found, p->room));
    MCO_TRY(PINNED(s, &s->h_control, 1));
    p->d_cost = s->d_cost;
    p->d_place = s->d_place;
    p->d_parent = d_parent;
    p->d_scratch = d_scratch;
    s->h_parent = h_parent;
    MCO_CUDA(s->ctx, cudaMemsetAsync(p->d_flow, 0, (size_t)flows * sizeof(double), s->device.stream));
done:
    return st;
}

static mco_status make_events(scanner *s)
{
    mco_status st = MCO_OK;
    MCO_CUDA(s->ctx, cudaEventCreate(&s->begun));
    MCO_CUDA(s->ctx, cudaEventCreate(&s->changed));
    MCO_CUDA(s->ctx, cudaEventCreate(&s->ended));
    MCO_CUDA(s->ctx, cudaEventCreate(&s->copied));
done:
    return st;
}

// ---- The mirror

// Sends the staged slots; they may be overwritten when this returns.
static mco_status send_stage(scanner *s, int64_t count)
{
    mco_status st = MCO_OK;
    const traffic_gpu_changes changes = {.count = count, .d_batch = s->d_batch, .d_link = s->d_link, .d_flow = s->d_change};
    MCO_TRY(SEND(s, s->d_batch, s->h_batch, count));
    MCO_TRY(SEND(s, s->d_link, s->h_link, count));
    MCO_TRY(SEND(s, s->d_change, s->h_change, count * PAIRS_LANES));
    MCO_CUDA(s->ctx, traffic_launch_change(&s->plan, &changes, s->device.stream));
    s->stats->changed += count;
done:
    return st;
}

// Stages the changed slots of a batch from `slot` on, and clears their marks. Returns the slot where the stage was full.
static int32_t stage_batch(scanner *s, int32_t batch, int32_t slot, int64_t *count)
{
    pairs_batch *b = &s->store->batch[batch];
    for (; slot < b->slots && *count < s->tuning.stage; slot++) {
        uint64_t marks = 1;
        if (slot % 8 == 0 && slot + 8 <= b->slots)
            memcpy(&marks, b->is_changed + slot, sizeof marks);
        if (marks == 0) {
            slot += 7;
            continue;
        }
        if (b->is_changed[slot] == 0)
            continue;
        b->is_changed[slot] = 0;
        s->h_batch[*count] = batch;
        s->h_link[*count] = b->link[slot];
        memcpy(s->h_change + *count * PAIRS_LANES, b->flow + (size_t)slot * PAIRS_LANES, PAIRS_LANES * sizeof(double));
        ++*count;
    }
    return slot;
}

// Sends what the balance has changed since the last call. The last part is still on its way: the stage is free after the next wait.
static mco_status send_changes(scanner *s)
{
    mco_status st = MCO_OK;
    int64_t count = 0;
    s->stats->changed = 0;
    for (int32_t batch = 0; batch < s->store->batches; batch++)
        for (int32_t slot = 0; (slot = stage_batch(s, batch, slot, &count)) < s->store->batch[batch].slots;) {
            MCO_TRY(send_stage(s, count));
            MCO_TRY(wait_for(s, s->changed));
            count = 0;
        }
    MCO_TRY(send_stage(s, count));
done:
    return st;
}

static void mark_all(scanner *s)
{
    for (int32_t k = 0; k < s->store->batches; k++)
        if (s->store->batch[k].slots > 0)
            memset(s->store->batch[k].is_changed, 1, (size_t)s->store->batch[k].slots);
}

// ---- Launches

static mco_status send_costs(scanner *s, const double *cost)
{
    mco_status st = MCO_OK;
    const int64_t costs = (int64_t)s->plan.tables * s->plan.links;
    memcpy(s->h_cost, cost, (size_t)costs * sizeof *cost);
    MCO_TRY(SEND(s, s->d_cost, s->h_cost, costs));
    MCO_CUDA(s->ctx, traffic_launch_weigh(&s->plan, s->device.stream));
done:
    return st;
}

// Launches a scan or a load over the places of h_place, and waits for sums and control.
static mco_status run_trees(scanner *s, cudaError_t (*launch)(const traffic_gpu_plan *plan, cudaStream_t stream), int32_t count,
                            double *device_s)
{
    mco_status st = MCO_OK;
    traffic_gpu_plan *p = &s->plan;
    cudaStream_t stream = s->device.stream;
    float ms = 0;
    if (must_stop(s))
        return mco_fail(s->ctx, MCO_ERR_STOPPED, "the trees were stopped");
    p->count = count;
    MCO_TRY(SEND(s, s->d_place, s->h_place, count));
    MCO_CUDA(s->ctx, cudaMemsetAsync(p->d_control, 0, sizeof *p->d_control, stream));
    MCO_CUDA(s->ctx, cudaEventRecord(s->begun, stream));
    MCO_CUDA(s->ctx, cudaStreamWaitEvent(s->device.side, s->begun, 0));  // `stop` is not written before it is cleared
    MCO_CUDA(s->ctx, launch(p, stream));
    MCO_CUDA(s->ctx, cudaEventRecord(s->ended, stream));
    MCO_CUDA(s->ctx, cudaMemcpyAsync(s->h_sum, p->d_sum, (size_t)s->places * sizeof *s->h_sum, cudaMemcpyDeviceToHost, stream));
    MCO_CUDA(s->ctx, cudaMemcpyAsync(s->h_control, p->d_control, sizeof *s->h_control, cudaMemcpyDeviceToHost, stream));
    MCO_TRY(wait_for(s, s->copied));
    if (s->is_stopped)
        return mco_fail(s->ctx, MCO_ERR_STOPPED, "the trees were stopped");
    if ((int64_t)s->h_control->done != count || s->h_control->lost > 0)
        return mco_fail(s->ctx, MCO_ERR_INTERNAL, "%llu trees of %d are done, %llu trips lack a path", s->h_control->done, count,
                        s->h_control->lost);
    MCO_CUDA(s->ctx, cudaEventElapsedTime(&ms, s->begun, s->ended));
    *device_s = 1e-3 * (double)ms;
    s->stats->device_s += *device_s;
    s->stats->rounds = (int64_t)s->h_control->rounds;
    s->stats->searches = (int64_t)s->h_control->scans;
done:
    return st;
}

// Makes room for what the last launch has counted, so that it can be repeated.
static mco_status widen(scanner *s)
{
    mco_status st = MCO_OK;
    mco_device_give(&s->device, &s->plan.d_found);
    mco_device_give(&s->device, &s->h_found);
    s->plan.room = (int64_t)s->h_control->found + (int64_t)s->h_control->found / 4;
    MCO_TRY(ON_DEVICE(s, &s->plan.d_found, s->plan.room));
    MCO_TRY(PINNED(s, &s->h_found, s->plan.room));
done:
    return st;
}

// ---- Loads

// Writes the links that a load has found for a batch into the store. They are in the device's memory already, so they are not marked.
static mco_status store_batch(mco_context *ctx, scanner *s, int32_t batch)
{
    mco_status st = MCO_OK;
    pairs_batch *b = &s->store->batch[batch];
    for (int lane = 0; lane < PAIRS_LANES; lane++) {
        const traffic_place_sum sum = s->h_sum[batch * PAIRS_LANES + lane];
        for (int64_t i = sum.first; i < sum.first + sum.count; i++) {
            int32_t slot = 0;
            MCO_TRY(pairs_slot_make(ctx, s->store, b, s->h_found[i].link, &slot));
            b->flow[(size_t)slot * PAIRS_LANES + (size_t)lane] = s->h_found[i].value;
            b->is_changed[slot] = 0;
        }
    }
done:
    return st;
}

static void store_item(void *shared, int worker, int64_t item)
{
    scanner *s = shared;
    s->status[item] = store_batch(s->worker_ctx[worker], s, (int32_t)item);
}

// Places of a part that was not launched have no links: h_sum is that of the part alone.
static mco_status store_rows(scanner *s)
{
    mco_team_run(&s->team, s->store->batches, store_item, NULL, s);
    for (int32_t k = 0; k < s->store->batches; k++)
        if (s->status[k] != MCO_OK)
            return mco_fail(s->ctx, s->status[k], "no memory for the flows of rows");
    return MCO_OK;
}

// Loads `count` places of h_place.
static mco_status load_part(scanner *s, int32_t count)
{
    mco_status st = MCO_OK;
    double device_s = 0;
    MCO_CUDA(s->ctx, cudaMemsetAsync(s->plan.d_sum, 0, (size_t)s->places * sizeof *s->plan.d_sum, s->device.stream));
    MCO_TRY(run_trees(s, traffic_launch_load, count, &device_s));
    s->stats->loads++;
    s->stats->load_device_s += device_s;
    MCO_CUDA(s->ctx, cudaMemcpyAsync(s->h_found, s->plan.d_found, (size_t)s->h_control->found * sizeof *s->h_found,
                                     cudaMemcpyDeviceToHost, s->device.stream));
    MCO_TRY(wait_for(s, s->copied));
    MCO_TRY(store_rows(s));
done:
    return st;
}

static bool has_flow(const scanner *s, int32_t place)
{
    const pairs_batch *b = &s->store->batch[place / PAIRS_LANES];
    for (int32_t slot = 0; slot < b->slots; slot++)
        if (b->flow[(size_t)slot * PAIRS_LANES + (size_t)(place % PAIRS_LANES)] > 0)
            return true;
    return false;
}

static mco_status load(void *self, const double *cost)
{
    mco_status st = MCO_OK;
    scanner *s = self;
    const double begin_s = mco_clock_s();
    const int64_t each = s->plan.room / s->plan.nodes;  // rows of a part: a tree has less links than nodes
    int32_t count = 0;
    MCO_TRY(send_costs(s, cost));
    mark_all(s);  // flows of a start
    MCO_TRY(send_changes(s));
    MCO_TRY(wait_for(s, s->changed));
    for (int32_t k = 0; k < s->live_count; k++) {
        if (!has_flow(s, s->live[k]))
            s->h_place[count++] = s->live[k];
        if (count == each || (k + 1 == s->live_count && count > 0)) {
            MCO_TRY(load_part(s, count));
            count = 0;
        }
    }
done:
    s->stats->load_s += mco_clock_s() - begin_s;
    return st;
}

// ---- Scans

// Brings the parents of all batches that have candidates, runs of batches at a time.
static mco_status bring_parents(scanner *s)
{
    mco_status st = MCO_OK;
    const size_t each = (size_t)s->plan.nodes * PAIRS_LANES * (s->plan.has_wide_parents ? 4 : 1);
    for (int32_t k = 0, end; k < s->store->batches; k = end) {
        for (end = k; end < s->store->batches; end++) {
            int64_t count = 0;
            for (int lane = 0; lane < PAIRS_LANES; lane++)
                count += s->store->batch[end].row[lane] >= 0 ? s->h_sum[end * PAIRS_LANES + lane].count : 0;
            if (count == 0)
                break;
        }
        if (end > k)
            MCO_CUDA(s->ctx, cudaMemcpyAsync((char *)s->h_parent + (size_t)k * each, (char *)s->plan.d_parent + (size_t)k * each,
                                             (size_t)(end - k) * each, cudaMemcpyDeviceToHost, s->device.stream));
        end += end == k;
    }
done:
    return st;
}

// Orders the candidates by place. Sums are added by place as well.
static mco_status gather(scanner *s, traffic_scan *out)
{
    mco_status st = MCO_OK;
    const int64_t found = (int64_t)s->h_control->found;
    MCO_TRY(mco_grow(s->ctx, &s->candidate, &s->candidate_room, found + 1));
    *out = (traffic_scan){.candidate = s->candidate};
    for (int32_t k = 0; k < s->live_count; k++) {
        const traffic_place_sum sum = s->h_sum[s->live[k]];
        out->total += sum.total;
        out->excess += sum.excess;
        if (sum.count > 0)
            memcpy(s->candidate + out->count, s->h_found + sum.first, (size_t)sum.count * sizeof *s->candidate);
        out->count += sum.count;
    }
    s->stats->candidates = out->count;
done:
    return st;
}

static mco_status bring_found(scanner *s)
{
    mco_status st = MCO_OK;
    if (s->h_control->found == 0)
        return MCO_OK;
    MCO_CUDA(s->ctx, cudaMemcpyAsync(s->h_found, s->plan.d_found, (size_t)s->h_control->found * sizeof *s->h_found,
                                     cudaMemcpyDeviceToHost, s->device.stream));
    MCO_TRY(bring_parents(s));
    MCO_TRY(wait_for(s, s->copied));
    if (s->is_stopped)
        return mco_fail(s->ctx, MCO_ERR_STOPPED, "the scan was stopped");
done:
    return st;
}

// ---- Labels for a proof

// Takes memory for labels, if the device has it. Without them the proof is a search of its own.
static mco_status want_labels(scanner *s, traffic_certificate *proof)
{
    mco_status st = MCO_OK;
    size_t free_bytes = 0, all_bytes = 0;
    const int64_t each = (int64_t)s->plan.nodes * (int64_t)sizeof(double), most = LABEL_BYTES / each;
    s->proof = NULL;
    s->plan.d_label = NULL;
    if (proof == NULL)
        return MCO_OK;
    MCO_CUDA(s->ctx, cudaMemGetInfo(&free_bytes, &all_bytes));
    if (s->d_label == NULL && (int64_t)(free_bytes / 2) < each * s->places)
        return MCO_OK;
    if (s->d_label == NULL) {
        s->label_places = (int32_t)(most < 1 ? 1 : most < s->places ? most : s->places);
        MCO_TRY(PINNED(s, &s->h_label, (int64_t)s->label_places * s->plan.nodes));
        MCO_TRY(ON_DEVICE(s, &s->d_label, (int64_t)s->places * s->plan.nodes));
    }
    s->plan.d_label = s->d_label;
    s->proof = proof;
done:
    return st;
}

static void prove_item(void *shared, int worker, int64_t item)
{
    scanner *s = shared;
    const int32_t place = s->label_first + (int32_t)item, row = s->store->batch[place / PAIRS_LANES].row[place % PAIRS_LANES];
    (void)worker;
    if (row >= 0)
        traffic_certificate_row(s->proof, row, s->h_label + (size_t)item * (size_t)s->plan.nodes);
}

// Gives the labels of the last scan to the proof.
static mco_status prove(scanner *s)
{
    mco_status st = MCO_OK;
    for (s->label_first = 0; s->proof != NULL && s->label_first < s->places; s->label_first += s->label_places) {
        const int32_t left = s->places - s->label_first, count = left < s->label_places ? left : s->label_places;
        MCO_CUDA(s->ctx, cudaMemcpyAsync(s->h_label, s->d_label + (size_t)s->label_first * (size_t)s->plan.nodes,
                                         (size_t)count * (size_t)s->plan.nodes * sizeof *s->h_label, cudaMemcpyDeviceToHost, s->device.stream));
        MCO_TRY(wait_for(s, s->copied));
        if (s->is_stopped)
            return mco_fail(s->ctx, MCO_ERR_STOPPED, "the proof was stopped");
        mco_team_run(&s->team, count, prove_item, NULL, s);
    }
done:
    return st;
}

static mco_status scan(void *self, const double *cost, double threshold, traffic_certificate *proof, traffic_scan *out)
{
    mco_status st = MCO_OK;
    scanner *s = self;
    const double begin_s = mco_clock_s();
    double sent_s = begin_s, found_s = begin_s;
    *out = (traffic_scan){0};
    if (s->live_count == 0)
        return MCO_OK;
    s->plan.threshold = threshold;
    MCO_TRY(want_labels(s, proof));
    MCO_TRY(send_costs(s, cost));
    MCO_TRY(send_changes(s));
    memcpy(s->h_place, s->live, (size_t)s->live_count * sizeof *s->live);
    sent_s = mco_clock_s();
    MCO_TRY(run_trees(s, traffic_launch_scan, s->live_count, &s->stats->trees_s));
    if ((int64_t)s->h_control->found > s->plan.room) {
        MCO_TRY(widen(s));
        MCO_TRY(run_trees(s, traffic_launch_scan, s->live_count, &s->stats->trees_s));
    }
    found_s = mco_clock_s();
    MCO_TRY(bring_found(s));
    MCO_TRY(gather(s, out));
    MCO_TRY(prove(s));
done:
    s->stats->scans++;
    s->stats->upload_s = sent_s - begin_s;
    s->stats->copy_s = mco_clock_s() - found_s;
    s->stats->scan_s = mco_clock_s() - begin_s;
    return st;
}

static traffic_tree tree(void *self, int32_t place)
{
    const scanner *s = self;
    const size_t at = (size_t)(place / PAIRS_LANES) * (size_t)s->plan.nodes;
    traffic_tree t = {.lane = place % PAIRS_LANES};
    if (s->plan.has_wide_parents)
        t.wide = (const int32_t *)s->h_parent + at * PAIRS_LANES;
    else
        t.narrow = (const uint64_t *)s->h_parent + at;
    return t;
}

// ---- Open and close

static void close_scanner(void *self)
{
    scanner *s = self;
    if (s == NULL)
        return;
    mco_context *ctx = s->ctx;
    mco_device_close(&s->device);
    const cudaEvent_t events[] = {s->begun, s->changed, s->ended, s->copied};
    for (int k = 0; k < 4; k++)
        if (events[k] != NULL)
            (void)cudaEventDestroy(events[k]);
    mco_team_close(&s->team);
    for (int k = 0; s->worker_ctx != NULL && k < s->workers; k++)
        if (s->worker_ctx[k] != NULL)
            mco_context_destroy(&s->worker_ctx[k]);
    mco_free(ctx, &s->worker_ctx);
    mco_free(ctx, &s->status);
    mco_free(ctx, &s->candidate);
    mco_free(ctx, &s->live);
    mco_free(ctx, &s);
}

static mco_status open_team(scanner *s, int64_t threads)
{
    mco_status st = MCO_OK;
    const int settled = mco_settle_threads(threads), workers = settled < MOST_WORKERS ? settled : MOST_WORKERS;
    MCO_TRY(mco_alloc(s->ctx, &s->status, s->store->batches + 1));
    MCO_TRY(mco_alloc(s->ctx, &s->worker_ctx, workers));
    s->workers = workers;
    for (int k = 0; k < workers; k++)
        MCO_TRY(mco_context_create_child(s->ctx, &s->worker_ctx[k]));
    MCO_TRY(mco_team_open(s->ctx, workers, false, &s->team));
done:
    return st;
}

static mco_status open_device(scanner *s, uint64_t gpus)
{
    mco_status st = MCO_OK;
    mco_gpu list[MCO_MAX_GPUS];
    int count = 0, wanted = 0;
    const char *reason = NULL;
    MCO_TRY(mco_gpus_list(s->ctx, list, &count, &reason));
    while (gpus != 0 && (gpus >> wanted & 1) == 0)
        wanted++;
    if (count == 0)
        return mco_fail(s->ctx, MCO_ERR_DEVICE, "no GPU: %s", reason);
    if (wanted >= count)
        return mco_fail(s->ctx, MCO_ERR_DEVICE, "GPU %d is asked for, there %s %d", wanted, count == 1 ? "is" : "are", count);
    MCO_TRY(mco_device_open(s->ctx, &list[wanted], &s->device));
done:
    return st;
}

mco_status traffic_gpu_scanner(mco_context *ctx, const traffic_call *call, pairs_store *store, const traffic_gpu_tuning *tuning,
                               traffic_scanner *out, traffic_gpu_stats *stats)
{
    mco_status st = MCO_OK;
    scanner *s = NULL;
    tables t = {0};
    const double begin_s = mco_clock_s();
    MCO_TRY(mco_alloc(ctx, &s, 1));
    *s = (scanner){.ctx = ctx, .problem = call->problem, .store = store, .run = call->run, .places = store->batches * PAIRS_LANES};
    s->stats = stats != NULL ? stats : &s->own;
    *s->stats = (traffic_gpu_stats){0};
    if (tuning != NULL)
        s->tuning = *tuning;
    MCO_TRY(open_device(s, call->gpus));
    MCO_TRY(open_team(s, call->params->threads));
    MCO_TRY(plan_all(s));
    MCO_TRY(make_tables(s, &t));
    MCO_TRY(place_problem(s, &t));
    MCO_TRY(take_memory(s));
    MCO_TRY(make_events(s));
    MCO_TRY(wait_for(s, s->copied));  // the tables have been read
    s->stats->open_s = mco_clock_s() - begin_s;
    *out = (traffic_scanner){.self = s, .is_quick = true, .load = load, .scan = scan, .tree = tree, .close = close_scanner};
    s = NULL;
done:
    close_scanner(s);  // waits for copies that read the tables
    tables_clear(ctx, &t);
    return st;
}
