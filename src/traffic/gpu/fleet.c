// SPDX-License-Identifier: MIT
// Several GPUs, host side. One thread enqueues on all of them. A step of a GPU waits for the loads of all others by events; they come by
// copies from GPU to GPU. The loads of two steps lie in two places: those of the step before are emptied when all have taken them,
// which the loads of this step show.
#include "traffic/gpu/fleet.h"

#include "base/context.h"

static int64_t words_of(const traffic_gpu_city *city)
{
    return (int64_t)city->problem->classes * city->problem->links + 1;
}

// ---- Open and close

// Rows first .. end - 1 of a problem. Trips keep their places in its arrays.
static traffic_problem part_of(const traffic_problem *whole, int32_t first, int32_t end)
{
    traffic_problem part = *whole;
    part.rows = end - first;
    part.row_class = whole->row_class + first;
    part.row_origin = whole->row_origin + first;
    part.row_first = whole->row_first + first;
    return part;
}

// Copies go straight where the GPUs see each other's memory, and through the host else.
static void let_see(const traffic_gpu_fleet *fleet, int g)
{
    for (int other = 0; other < fleet->count; other++) {
        int can = 0;
        const int from = fleet->member[g].city->device.info.index, to = fleet->member[other].city->device.info.index;
        if (other == g || cudaDeviceCanAccessPeer(&can, from, to) != cudaSuccess || !can || cudaDeviceEnablePeerAccess(to, 0) != cudaSuccess)
            (void)cudaGetLastError();  // also where it had been allowed before
    }
}

static mco_status take_memory(traffic_gpu_fleet *fleet, int g)
{
    mco_status st = MCO_OK;
    traffic_gpu_member *m = &fleet->member[g];
    const int64_t words = words_of(m->city);
    MCO_TRY(mco_device_use(&m->city->device));
    MCO_TRY(mco_device_take(&m->city->device, MCO_MEMORY_DEVICE, &m->d_mine[0], words));
    MCO_TRY(mco_device_take(&m->city->device, MCO_MEMORY_DEVICE, &m->d_mine[1], words));
    MCO_TRY(mco_device_take(&m->city->device, MCO_MEMORY_DEVICE, &m->d_others, words * (fleet->count - 1)));
    MCO_CUDA(fleet->ctx, cudaEventCreateWithFlags(&m->loaded, cudaEventDisableTiming));
    let_see(fleet, g);
done:
    return st;
}

// Sums of a step have the order of its blocks: all GPUs take as many as the smallest.
static void settle_blocks(traffic_gpu_fleet *fleet)
{
    int32_t least = fleet->member[0].city->steps.blocks;
    for (int g = 1; g < fleet->count; g++)
        least = fleet->member[g].city->steps.blocks < least ? fleet->member[g].city->steps.blocks : least;
    for (int g = 0; g < fleet->count; g++)
        fleet->member[g].city->steps.blocks = least;
}

mco_status traffic_gpu_fleet_open(mco_context *ctx, const traffic_call *call, const traffic_gpu_tuning *tuning, traffic_gpu_city *first)
{
    mco_status st = MCO_OK;
    traffic_gpu_fleet *fleet = NULL;
    const traffic_problem *whole = call->problem;
    traffic_gpu_tuning same = *tuning;
    MCO_TRY(mco_alloc(ctx, &fleet, 1));
    fleet->ctx = ctx;
    same.flow_unit = traffic_gpu_flow_unit(whole);
    for (uint64_t left = call->gpus; left != 0; left &= left - 1)
        fleet->count++;
    uint64_t left = call->gpus;
    for (int g = 0; g < fleet->count; g++, left &= left - 1) {
        traffic_gpu_member *m = &fleet->member[g];
        traffic_call own = *call;
        const int64_t rows = whole->rows;
        m->part = part_of(whole, (int32_t)(rows * g / fleet->count), (int32_t)(rows * (g + 1) / fleet->count));
        m->city = g == 0 ? first : &m->own;
        own.problem = &m->part;
        own.gpus = left & (~left + 1);
        MCO_TRY(traffic_gpu_city_open(ctx, &own, &same, m->city));
        same.like = fleet->member[0].city->wide;
    }
    settle_blocks(fleet);
    for (int g = 0; g < fleet->count; g++)
        MCO_TRY(take_memory(fleet, g));
    first->fleet = fleet;
    MCO_TRY(mco_device_use(&first->device));
    fleet = NULL;
done:
    if (st != MCO_OK) {
        traffic_gpu_fleet_close(ctx, &fleet);
        traffic_gpu_city_close(first);
    }
    return st;
}

void traffic_gpu_fleet_close(mco_context *ctx, traffic_gpu_fleet **fleet)
{
    if (*fleet == NULL)
        return;
    traffic_gpu_fleet_wait(*fleet);
    for (int g = 0; g < (*fleet)->count; g++)
        if ((*fleet)->member[g].loaded != NULL)
            (void)cudaEventDestroy((*fleet)->member[g].loaded);
    for (int g = 1; g < (*fleet)->count; g++)
        traffic_gpu_city_close(&(*fleet)->member[g].own);
    mco_free(ctx, fleet);
}

void traffic_gpu_fleet_wait(traffic_gpu_fleet *fleet)
{
    for (int g = 0; g < fleet->count; g++)
        if (fleet->member[g].city != NULL && fleet->member[g].city->device.stream != NULL)
            (void)cudaStreamSynchronize(fleet->member[g].city->device.stream);
}

// ---- Steps

mco_status traffic_gpu_fleet_begin(traffic_gpu_fleet *fleet)
{
    mco_status st = MCO_OK;
    const traffic_gpu_steps *steps = &fleet->member[0].city->steps;
    traffic_gpu_fleet_wait(fleet);
    for (int g = 0; g < fleet->count; g++) {
        traffic_gpu_member *m = &fleet->member[g];
        traffic_gpu_city *city = m->city;
        city->steps.gap = steps->gap;
        city->steps.memory = steps->memory;
        city->steps.search = steps->search;
        MCO_TRY(mco_device_use(&city->device));
        for (int k = 0; k < 2; k++)
            MCO_CUDA(fleet->ctx, cudaMemsetAsync(m->d_mine[k], 0, (size_t)words_of(city) * sizeof *m->d_mine[k], city->device.stream));
    }
    traffic_gpu_fleet_wait(fleet);
    fleet->turn = 0;
    MCO_TRY(mco_device_use(&fleet->member[0].city->device));  // events of the caller belong to the first GPU
done:
    return st;
}

static mco_status load_rows(traffic_gpu_fleet *fleet, int g, mco_run *run)
{
    mco_status st = MCO_OK;
    traffic_gpu_member *m = &fleet->member[g];
    traffic_gpu_city *city = m->city;
    unsigned long long *const mine = m->d_mine[fleet->turn];
    uint32_t *const d_greatest = (uint32_t *)(mine + words_of(city) - 1);  // the low half of the last word
    MCO_TRY(mco_device_use(&city->device));
    city->trees.d_load = mine;
    city->trees.d_greatest = d_greatest;
    if (city->wide != NULL && city->trees.rows > 0) {
        traffic_gpu_wide_aim(city->wide, mine, d_greatest);
        MCO_TRY(traffic_gpu_wide_load(city->wide, run));
    } else if (city->trees.rows > 0) {
        MCO_CUDA(fleet->ctx, traffic_gpu_launch_trees(&city->trees, city->device.stream));
    }
    city->trees.is_cold = false;
    MCO_CUDA(fleet->ctx, cudaEventRecord(m->loaded, city->device.stream));
done:
    return st;
}

// Brings the loads of all others, adds them up, and makes the step.
static mco_status step(traffic_gpu_fleet *fleet, int g)
{
    mco_status st = MCO_OK;
    traffic_gpu_member *m = &fleet->member[g];
    traffic_gpu_city *city = m->city;
    const int64_t words = words_of(city);
    MCO_TRY(mco_device_use(&city->device));
    for (int other = 0, at = 0; other < fleet->count; other++) {
        const traffic_gpu_member *from = &fleet->member[other];
        if (other == g)
            continue;
        MCO_CUDA(fleet->ctx, cudaStreamWaitEvent(city->device.stream, from->loaded, 0));
        MCO_CUDA(fleet->ctx, cudaMemcpyPeerAsync(m->d_others + at++ * words, city->device.info.index, from->d_mine[fleet->turn],
                                                 from->city->device.info.index, (size_t)words * sizeof *m->d_others, city->device.stream));
    }
    const traffic_gpu_sum sum = {.words = words, .others = fleet->count - 1, .d_mine = m->d_mine[fleet->turn], .d_others = m->d_others,
                                 .d_load = city->steps.d_load, .d_empty = m->d_mine[1 - fleet->turn], .d_state = city->steps.d_state};
    MCO_CUDA(fleet->ctx, traffic_gpu_launch_sum(&sum, city->device.stream));
    MCO_CUDA(fleet->ctx, traffic_gpu_launch_step(&city->steps, city->device.stream));
done:
    return st;
}

mco_status traffic_gpu_fleet_step(traffic_gpu_fleet *fleet, mco_run *run)
{
    mco_status st = MCO_OK;
    for (int g = 0; g < fleet->count; g++)
        MCO_TRY(load_rows(fleet, g, run));
    for (int g = 0; g < fleet->count; g++)
        MCO_TRY(step(fleet, g));
    fleet->turn = 1 - fleet->turn;
    MCO_TRY(mco_device_use(&fleet->member[0].city->device));
done:
    return st;
}
