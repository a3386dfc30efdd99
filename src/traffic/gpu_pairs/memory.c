// SPDX-License-Identifier: MIT
// The scanner of pairs on a GPU: what the device holds, and how much of it.
#include "traffic/gpu_pairs/scanner.h"

enum {
    MOST_BLOCKS_EACH = 4,        // 2,048 threads of a multiprocessor
    MOST_QUEUE = 4096,
    WIDE_QUEUE = 65536,
    DELTA_LINKS = 16,
    LEAST_ROOM = 1 << 12,
    ROOM = 1 << 21,              // links that a launch lists: 32 MB
    LEAST_STAGE = 1 << 10,
    STAGE = 1 << 17,             // slots: 9 MB
    NARROW_POSITIONS = 254
};

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

// Whether labels lie in shared memory, how many blocks share a multiprocessor, and queues as long as that leaves room for.
static mco_status plan_memory(gpu_scanner *s)
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
        .nodes = problem->nodes, .links = problem->links, .has_wide_parents = gpu_most_into(problem) > NARROW_POSITIONS};
    return bytes_of_places(&shape, ((int64_t)problem->rows + problem->classes) * 9 / 8 + 2 * PAIRS_LANES);
}

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

mco_status gpu_plan(gpu_scanner *s)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = s->problem;
    traffic_gpu_plan *plan = &s->plan;
    plan->nodes = p->nodes;
    plan->links = p->links;
    plan->first_through = p->first_through;
    plan->tables = p->extra != NULL ? p->classes : 1;
    plan->more_count = gpu_count_more(p);
    plan->has_wide_parents = s->tuning.has_wide_parents || gpu_most_into(p) > NARROW_POSITIONS;
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

mco_status gpu_send_bytes(gpu_scanner *s, void *d_to, const void *from, int64_t count, size_t item)
{
    mco_status st = MCO_OK;
    if (count > 0)
        MCO_CUDA(s->ctx, cudaMemcpyAsync(d_to, from, (size_t)count * item, cudaMemcpyHostToDevice, s->device.stream));
done:
    return st;
}

// Takes device memory and fills it.
static mco_status place_bytes(gpu_scanner *s, const void **d_out, const void *from, int64_t count, size_t item)
{
    mco_status st = MCO_OK;
    void *d_new = NULL;
    MCO_TRY(mco_device_take_bytes(&s->device, MCO_MEMORY_DEVICE, &d_new, (size_t)count + 1, item));
    MCO_TRY(gpu_send_bytes(s, d_new, from, count, item));
    *d_out = d_new;
done:
    return st;
}
#define PLACE(s, d_out, from, count) place_bytes(s, (const void **)(d_out), from, count, sizeof *(from))

// The links of a table are repeated for each table of costs.
static mco_status place_tables(gpu_scanner *s, void *out, const void *from, int64_t count, size_t item)
{
    mco_status st = MCO_OK;
    char *d_new = NULL;
    void **d_out = out;
    MCO_TRY(mco_device_take_bytes(&s->device, MCO_MEMORY_DEVICE, (void **)&d_new, (size_t)(count * s->plan.tables) + 1, item));
    for (int32_t k = 0; k < s->plan.tables; k++)
        MCO_TRY(gpu_send_bytes(s, d_new + (size_t)(k * count) * item, from, count, item));
    *d_out = d_new;
done:
    return st;
}

mco_status gpu_place_problem(gpu_scanner *s, const gpu_tables *t)
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

mco_status gpu_take_memory(gpu_scanner *s)
{
    mco_status st = MCO_OK;
    traffic_gpu_plan *p = &s->plan;
    const int64_t costs = (int64_t)p->tables * p->links, stage = s->tuning.stage, flows = (int64_t)s->places * p->links;
    const int64_t parents = (int64_t)s->places * p->nodes * (p->has_wide_parents ? 4 : 1);
    char *d_parent = NULL, *h_parent = NULL, *d_scratch = NULL;
    MCO_TRY(GPU_TAKE(s, &s->d_cost, costs));
    MCO_TRY(GPU_TAKE(s, &s->d_place, s->places));
    MCO_TRY(GPU_TAKE(s, &s->d_batch, stage));
    MCO_TRY(GPU_TAKE(s, &s->d_link, stage));
    MCO_TRY(GPU_TAKE(s, &s->d_change, stage * PAIRS_LANES));
    MCO_TRY(GPU_TAKE(s, &p->d_flow, flows));
    MCO_TRY(GPU_TAKE(s, &p->d_sum, s->places));
    MCO_TRY(GPU_TAKE(s, &p->d_found, p->room));
    MCO_TRY(GPU_TAKE(s, &p->d_control, 1));
    MCO_TRY(GPU_TAKE(s, &d_parent, parents));
    MCO_TRY(GPU_TAKE(s, &d_scratch, (int64_t)p->scratch_bytes * p->blocks));
    MCO_TRY(GPU_TAKE_PINNED(s, &h_parent, parents));
    MCO_TRY(GPU_TAKE_PINNED(s, &s->h_cost, costs));
    MCO_TRY(GPU_TAKE_PINNED(s, &s->h_place, s->places));
    MCO_TRY(GPU_TAKE_PINNED(s, &s->h_batch, stage));
    MCO_TRY(GPU_TAKE_PINNED(s, &s->h_link, stage));
    MCO_TRY(GPU_TAKE_PINNED(s, &s->h_change, stage * PAIRS_LANES));
    MCO_TRY(GPU_TAKE_PINNED(s, &s->h_sum, s->places));
    MCO_TRY(GPU_TAKE_PINNED(s, &s->h_found, p->room));
    MCO_TRY(GPU_TAKE_PINNED(s, &s->h_control, 1));
    p->d_cost = s->d_cost;
    p->d_place = s->d_place;
    p->d_parent = d_parent;
    p->d_scratch = d_scratch;
    s->h_parent = h_parent;
    MCO_CUDA(s->ctx, cudaMemsetAsync(p->d_flow, 0, (size_t)flows * sizeof(double), s->device.stream));
done:
    return st;
}
