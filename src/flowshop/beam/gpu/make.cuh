// SPDX-License-Identifier: MIT
// Makes the nodes of the next layer, and reads the best path (the cores: make_child() of flowshop/beam/node.h, flowshop/beam/path.c).
//
// Mapping. A warp makes a child, a lane has every 32nd machine. With h the time of the job on the machines before, a job starts on machine k
// at h[k] + max over i <= k of (free[i] - h[i]): a scan of the warp. The back is the same with machines and h reversed.
#ifndef MCO_FLOWSHOP_BEAM_GPU_MAKE_CUH
#define MCO_FLOWSHOP_BEAM_GPU_MAKE_CUH

#include "flowshop/beam/gpu/select.cuh"

namespace {

constexpr unsigned int MAKE_THREADS = 256;
constexpr int LONG_AGO = -(1 << 30);

DEVICE int warp_scan_max(int value, int lane)
{
    for (int step = 1; step < WARP; step *= 2) {
        const int before = __shfl_up_sync(ALL_LANES, value, step);
        if (lane >= step)
            value = max(value, before);
    }
    return value;
}

// Takes the free job at `place` from the set of `node`, writes the set of `child`, and returns the job.
DEVICE int take_job(const flowshop_beam_gpu_args &a, uint32_t node, uint32_t child, int place, int lane)
{
    uint32_t set = lane < a.words ? a.d_sets[a.depth & 1][(size_t)node * a.words + lane] : 0;
    const int until = warp_scan(__popc(set), lane), before = until - __popc(set);
    const bool is_here = place >= before && place < until;
    int job = 0;
    if (is_here) {
        uint32_t rest = set;
        for (int i = before; i < place; i++)
            rest &= rest - 1;
        const int bit = __ffs(rest) - 1;
        set &= ~(1u << bit);
        job = lane * 32 + bit;
    }
    if (lane < a.words)
        a.d_sets[1 - (a.depth & 1)][(size_t)child * a.words + lane] = set;
    return __shfl_sync(ALL_LANES, job, __ffs(__ballot_sync(ALL_LANES, is_here)) - 1);
}

DEVICE void make_child(const flowshop_beam_gpu_args &a, uint32_t node, uint32_t child, int job, int side, int lane)
{
    uint16_t *const made = a.d_nodes[1 - (a.depth & 1)] + (size_t)child * 4 * a.stride;
    const uint16_t *const times = a.d_times + (size_t)job * a.stride, *const heads = a.d_heads + (size_t)job * a.stride;
    const int all = heads[a.machines - 1] + times[a.machines - 1];
    int reached = LONG_AGO;
    uint32_t weight = 0, bound = 0;
    for (int first = 0; first < a.machines; first += WARP) {
        const int i = first + lane, k = i >= a.machines ? 0 : side == 0 ? i : a.machines - 1 - i;
        const int free_at[2] = {row_of(a, node, 0)[k], row_of(a, node, 1)[k]}, left = row_of(a, node, 3)[k], time = times[k];
        const int idle = (int)idle_at(a, node, side, k), head = side == 0 ? heads[k] : all - heads[k] - time;
        const int grown = free_at[side], other = free_at[1 - side];
        const int latest = max(reached, warp_scan_max(i < a.machines ? grown - head : LONG_AGO, lane));
        reached = __shfl_sync(ALL_LANES, latest, WARP - 1);
        if (i >= a.machines)
            continue;
        const int start = head + latest, end = start + time;
        const uint32_t waited = (uint32_t)(idle + start - grown);
        bound = max(bound, (uint32_t)(start + left + other));
        weight += end > 0 ? (waited << WEIGHT_BITS) / (uint32_t)end : 0;
        made[side * a.stride + k] = (uint16_t)end;
        made[(1 - side) * a.stride + k] = (uint16_t)other;
        made[2 * a.stride + k] = side == 0 ? (uint16_t)waited : row_of(a, node, 2)[k];
        made[3 * a.stride + k] = (uint16_t)(left - time);
    }
    __syncwarp();
    bound = __reduce_max_sync(ALL_LANES, bound);
    weight = warp_sum(weight);
    if (lane == 0) {
        flowshop_beam_gpu_head head = a.d_node_heads[a.depth & 1][node];
        head.bound = max(head.bound, bound);
        head.weight[side] = weight;
        head.ends |= 1u << side;
        a.d_node_heads[1 - (a.depth & 1)][child] = head;
    }
}

__global__ void __launch_bounds__(MAKE_THREADS) make_nodes(const flowshop_beam_gpu_args a)
{
    const int lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP, warps = MAKE_THREADS / WARP;
    if (block_must_stop(a))
        return;
    const uint32_t count = a.d_control->nodes[a.depth + 1], free_jobs = (uint32_t)(a.jobs - a.depth);
    for (uint32_t child = blockIdx.x * warps + warp; child < count; child += gridDim.x * warps) {
        const uint32_t node = a.own.d_chosen[child] / free_jobs;
        const int side = a.own.d_sides[a.depth & 1][node], job = take_job(a, node, child, (int)(a.own.d_chosen[child] % free_jobs), lane);
        make_child(a, node, child, job, side, lane);
        if (lane == 0) {
            a.d_parents[a.depth * a.room + child] = node;
            a.d_moves[a.depth * a.room + child] = (uint16_t)(2 * job + side);
        }
    }
}

// One block: of this part's children of the last layer the one of least makespan, the first of equals, and the moves that lead to it.
__global__ void __launch_bounds__(LEAF_THREADS) take_leaf(const flowshop_beam_gpu_args a)
{
    __shared__ unsigned long long s_best;
    flowshop_beam_gpu_control *const c = a.d_control;
    if (block_must_stop(a))
        return;
    if (threadIdx.x == 0)
        s_best = ~0ull;
    __syncthreads();
    unsigned long long best = ~0ull;
    const uint32_t first = first_node(a, a.part), last = first_node(a, a.part + 1);
    for (uint32_t node = first + threadIdx.x; node < last; node += blockDim.x)
        best = min(best, (unsigned long long)a.d_keys[node - first] << 32 | node);
    atomicMin(&s_best, best);
    __syncthreads();
    if (threadIdx.x > 0 || s_best >> 32 == NONE)
        return;
    uint32_t node = (uint32_t)s_best;
    c->leaf = node;
    c->makespan = (uint32_t)(s_best >> 32);
    for (int w = 0; w < a.words; w++) {
        const uint32_t set = a.d_sets[a.depth & 1][(size_t)node * a.words + w];
        if (set != 0)
            c->moves[a.depth] = 2 * (uint32_t)(w * 32 + __ffs(set) - 1) + a.own.d_sides[a.depth & 1][node];
    }
    for (int d = a.depth - 1; d >= 0; d--) {
        c->moves[d] = a.d_moves[d * a.room + node];
        node = a.d_parents[d * a.room + node];
    }
}

}  // namespace

#endif
