// SPDX-License-Identifier: MIT
// Packs the tables of an instance into the pairs of flowshop/gpu/dfs_sets.cuh and copies them to the device.
#include "flowshop/gpu/tables.h"

int64_t flowshop_longest_job(const mco_flowshop *shop)
{
    int64_t longest = 0;
    for (int32_t j = 0; j < shop->jobs; j++) {
        int64_t length = 0;
        for (int32_t i = 0; i < shop->machines; i++)
            length += mco_flowshop_time(shop, i, j);
        longest = length > longest ? length : longest;
    }
    return longest;
}

// Pairs are written as two halves of 16 or 32 bits.
static void put_pair(void *table, int64_t at, int32_t lane_bits, int64_t low, int64_t high)
{
    if (lane_bits == 16) {
        ((uint16_t *)table)[2 * at] = (uint16_t)low;
        ((uint16_t *)table)[2 * at + 1] = (uint16_t)high;
    } else {
        ((int32_t *)table)[2 * at] = (int32_t)low;
        ((int32_t *)table)[2 * at + 1] = (int32_t)high;
    }
}

// A padding machine, behind the last one, takes no time.
static int32_t time_of(const mco_flowshop *shop, int32_t machine, int32_t job)
{
    return machine < shop->machines ? mco_flowshop_time(shop, machine, job) : 0;
}

static mco_status upload(mco_device *device, const void *from, size_t bytes, const void **out)
{
    mco_status st = MCO_OK;
    void *d_table = NULL;
    MCO_TRY(mco_device_take_bytes(device, MCO_MEMORY_DEVICE, &d_table, bytes, 1));
    MCO_CUDA(device->ctx, cudaMemcpyAsync(d_table, from, bytes, cudaMemcpyHostToDevice, device->stream));
    MCO_CUDA(device->ctx, cudaStreamSynchronize(device->stream));
    *out = d_table;
done:
    return st;
}

static mco_status upload_times(mco_device *device, const flowshop_dfs_shape *shape, const mco_flowshop *shop,
                               flowshop_dfs_args *args)
{
    mco_status st = MCO_OK;
    const int32_t bits = shape->lane_bits, machines = shape->machines, stride = shape->job_stride;
    const int32_t group = shape->group, per_lane = (machines + group - 1) / group;
    const int64_t constant = flowshop_longest_job(shop);
    const size_t pair_bytes = (size_t)bits / 4;
    char *times = NULL, *behind = NULL;
    MCO_TRY(mco_alloc(device->ctx, &times, (size_t)shop->jobs * (size_t)stride * pair_bytes));
    MCO_TRY(mco_alloc(device->ctx, &behind, (size_t)shop->jobs * (size_t)group * pair_bytes));
    for (int32_t j = 0; j < shop->jobs; j++) {
        int64_t low = 0, high = 0;
        for (int32_t i = 0; i < machines; i++)
            put_pair(times, (int64_t)j * stride + i, bits, time_of(shop, i, j), time_of(shop, machines - 1 - i, j));
        for (int32_t i = 0; i < group * per_lane; i++) {
            low += i < machines ? time_of(shop, i, j) : 0;
            high += i < machines ? time_of(shop, machines - 1 - i, j) : 0;
            put_pair(behind, (int64_t)j * group + i / per_lane, bits, constant - low, constant - high);
        }
    }
    MCO_TRY(upload(device, times, (size_t)shop->jobs * (size_t)stride * pair_bytes, &args->times));
    MCO_TRY(upload(device, behind, (size_t)shop->jobs * (size_t)group * pair_bytes, &args->behind));
done:
    mco_free(device->ctx, &behind);
    mco_free(device->ctx, &times);
    return st;
}

static mco_status upload_root(mco_device *device, const flowshop_dfs_shape *shape, const mco_flowshop *shop,
                              flowshop_dfs_args *args)
{
    mco_status st = MCO_OK;
    const int32_t bits = shape->lane_bits, machines = shape->machines;
    const int32_t room = (machines + shape->group - 1) / shape->group * shape->group;
    const size_t bytes = (size_t)room * (size_t)bits / 4;
    int32_t heads[FLOWSHOP_DFS_MAX_MACHINES + 4], tails[FLOWSHOP_DFS_MAX_MACHINES + 4] = {0};
    int64_t load[FLOWSHOP_DFS_MAX_MACHINES + 4] = {0};
    char *ends = NULL, *remain = NULL;
    flowshop_root_ends(shop, heads, tails);
    int32_t shortest = INT32_MAX;  // of all jobs; a job reaches a padding machine only when it is done
    for (int32_t j = 0; j < shop->jobs; j++) {
        int32_t length = 0;
        for (int32_t i = 0; i < shop->machines; i++) {
            load[i] += time_of(shop, i, j);
            length += time_of(shop, i, j);
        }
        shortest = length < shortest ? length : shortest;
    }
    for (int32_t i = shop->machines; i < machines; i++) {
        heads[i] = shortest;
        tails[i] = 0;
    }
    MCO_TRY(mco_alloc(device->ctx, &ends, bytes));
    MCO_TRY(mco_alloc(device->ctx, &remain, bytes));
    for (int32_t i = 0; i < machines; i++) {
        put_pair(ends, i, bits, heads[i], tails[machines - 1 - i]);
        put_pair(remain, i, bits, load[i], load[machines - 1 - i]);
    }
    MCO_TRY(upload(device, ends, bytes, &args->root_ends));
    MCO_TRY(upload(device, remain, bytes, &args->root_remain));
done:
    mco_free(device->ctx, &remain);
    mco_free(device->ctx, &ends);
    return st;
}

// LB2: uploads the times, the lag and the job at every position of the Johnson order of every pair of machines.
static mco_status upload_pairs(mco_device *device, const flowshop_dfs_shape *shape, const mco_flowshop *shop,
                               const flowshop_johnson *jo, flowshop_dfs_args *args)
{
    enum { ROUND = 32, VALUES = 4 };
    mco_status st = MCO_OK;
    const bool is_narrow = shape->lane_bits == 16;
    uint8_t *machines = NULL;
    void *cells = NULL;
    const int32_t pairs = (jo->pairs + ROUND - 1) / ROUND * ROUND;
    const size_t bytes = (size_t)shop->jobs * (size_t)pairs * VALUES * (is_narrow ? sizeof(uint16_t) : sizeof(int32_t));
    MCO_TRY(mco_alloc(device->ctx, &machines, 2 * pairs));
    MCO_TRY(mco_alloc_bytes(device->ctx, &cells, bytes, 1));
    for (int32_t q = 0; q < pairs; q++) {
        const int32_t from = q < jo->pairs ? q : 0, first = jo->first[from], second = jo->second[from];
        machines[2 * q] = (uint8_t)first;
        machines[2 * q + 1] = (uint8_t)second;
        for (int32_t s = 0; s < shop->jobs; s++) {
            const int32_t j = jo->order[(int64_t)from * shop->jobs + s];
            const int32_t values[VALUES] = {time_of(shop, first, j), time_of(shop, second, j),
                                            flowshop_lag(jo, shop->machines, j, first, second), j};
            for (int v = 0; v < VALUES; v++) {
                const int64_t at = ((int64_t)s * pairs + q) * VALUES + v;
                if (is_narrow)
                    ((uint16_t *)cells)[at] = (uint16_t)values[v];
                else
                    ((int32_t *)cells)[at] = values[v];
            }
        }
    }
    args->pairs = pairs;
    MCO_TRY(upload(device, machines, 2 * (size_t)pairs, &args->pair_machines));
    MCO_TRY(upload(device, cells, bytes, &args->pair_cells));
done:
    mco_free(device->ctx, &cells);
    mco_free(device->ctx, &machines);
    return st;
}

mco_status flowshop_gpu_upload(mco_device *device, const flowshop_dfs_shape *shape, const mco_flowshop *shop,
                               const flowshop_johnson *johnson, flowshop_dfs_args *args)
{
    mco_status st = MCO_OK;
    MCO_TRY(upload_times(device, shape, shop, args));
    MCO_TRY(upload_root(device, shape, shop, args));
    if (johnson != NULL)
        MCO_TRY(upload_pairs(device, shape, shop, johnson, args));
done:
    return st;
}
