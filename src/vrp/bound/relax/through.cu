// SPDX-License-Identifier: MIT
// Through-q-routes on a GPU (the reference is the definition in through.c).
//
// A block takes a few neighbouring customers, whose cells share sectors of the tables, and keeps their columns in shared memory. A
// thread takes a customer and joins all pairs of halves of one sum of loads; neighbouring threads take neighbouring sums, so one half
// is a broadcast and the other a row. Work: capacity^2 / 4 joins a customer, capacity^2 / 2 with two directions. Where the nodes
// before agree, which is seldom, the second paths are looked at.
#include "device/kernel.cuh"
#include "vrp/bound/relax/q_cuda.h"

namespace {

using namespace mco;

constexpr int THREADS = 512;
constexpr int NONE = 2 * VRP_Q_DEVICE_NO_PATH - 1;  // of a half: a sum with it is VRP_Q_DEVICE_NO_PATH at least, and fits 32 bits

// One half of all routes through one customer, by load beyond its demand, in shared memory.
struct half {
    int32_t *value, *second;
    uint16_t *before;
};

DEVICE int sums_of(const vrp_through_plan &plan) { return plan.near.capacity + 1; }

// A thread takes one customer at a time, so that a row of the tables serves all customers of the block.
DEVICE void take_half(const vrp_q_device_plan &from, int first, int customers, const half *to)
{
    const int loads = from.capacity + 1;
    for (int at = (int)threadIdx.x; at < loads * customers; at += THREADS) {
        const int c = at % customers, load = at / customers, k = first + c;
        if (k >= from.nodes || load < from.d_demand[k])
            continue;
        const int64_t cell = (int64_t)load * from.stride + k;
        const int32_t value = __ldg(from.d_value + cell), second = __ldg(from.d_second + cell);
        const int u = load - from.d_demand[k];
        to[c].value[u] = value < VRP_Q_DEVICE_NO_PATH ? value : NONE;
        to[c].second[u] = second < VRP_Q_DEVICE_NO_PATH ? second : NONE;
        to[c].before[u] = __ldg(from.d_before + cell);
    }
}

// The least route of the sum t of both loads beyond the demand, or VRP_Q_DEVICE_NO_PATH. The depot before both halves is no loop.
DEVICE int32_t least_route(const half &near, const half &far, int t, bool is_symmetric)
{
    int32_t least = VRP_Q_DEVICE_NO_PATH;
    for (int u = is_symmetric ? t / 2 : t; u >= 0; u--) {
        const int32_t a = near.value[u], b = far.value[t - u];
        if (a + b >= least)
            continue;
        const uint16_t before = near.before[u];
        if (before != far.before[t - u] || before == 0)
            least = a + b;
        else
            least = min(least, min(a + far.second[t - u], near.second[u] + b));
    }
    return least;
}

// A route's value and load; the least ratio has the smaller load of two.
struct ratio {
    int32_t value, load;
};

DEVICE ratio lesser(const ratio &a, const ratio &b)
{
    const int64_t left = (int64_t)a.value * b.load, right = (int64_t)b.value * a.load;
    return left < right || (left == right && a.load < b.load) ? a : b;
}

// THREADS / customers threads have one customer each; customers divides THREADS / WARP, so that a warp has one customer.
__global__ void __launch_bounds__(THREADS, 1) join(const vrp_through_plan plan, int32_t first, int32_t last)
{
    constexpr int MOST = THREADS / WARP;
    __shared__ half near[MOST], far[MOST];
    __shared__ ratio best_of[MOST];
    int32_t *const words = dynamic_shared<int32_t>();
    const int loads = sums_of(plan), sides = plan.is_symmetric ? 1 : 2;
    const int begin = first + (int)blockIdx.x * plan.customers, customers = min(plan.customers, last - begin);
    if ((int)threadIdx.x < plan.customers) {
        for (int side = 0; side < sides; side++) {
            const int at = side * plan.customers + (int)threadIdx.x, all = sides * plan.customers;
            half h;
            h.value = words + (int64_t)at * loads;
            h.second = words + (int64_t)(all + at) * loads;
            h.before = reinterpret_cast<uint16_t *>(words + (int64_t)2 * all * loads) + (int64_t)at * loads;
            (side == 0 ? near : far)[threadIdx.x] = h;
            if (sides == 1)
                far[threadIdx.x] = h;
        }
    }
    __syncthreads();
    take_half(plan.near, begin, customers, near);
    if (sides == 2)
        take_half(plan.far, begin, customers, far);
    __syncthreads();
    const int each = THREADS / plan.customers, c = (int)threadIdx.x / each;
    ratio best = {VRP_Q_DEVICE_NO_PATH, 1};
    if (c < customers) {
        const int k = begin + c, demand = plan.near.d_demand[k];
        for (int t = (int)threadIdx.x % each; t < loads - demand; t += each) {
            const int32_t value = least_route(near[c], far[c], t, plan.is_symmetric);
            if (plan.d_table != nullptr)
                plan.d_table[(int64_t)(t + demand) * plan.near.nodes + k] = value;
            if (value < VRP_Q_DEVICE_NO_PATH)
                best = lesser(ratio{value, t + demand}, best);
        }
    }
    for (int step = WARP / 2; step > 0; step /= 2)
        best = lesser(ratio{__shfl_xor_sync(ALL_LANES, best.value, step), __shfl_xor_sync(ALL_LANES, best.load, step)}, best);
    if (threadIdx.x % WARP == 0)
        best_of[threadIdx.x / WARP] = best;
    __syncthreads();
    if (threadIdx.x % each == 0 && c < customers && plan.d_ratio_value != nullptr) {
        for (int w = 1; w < each / WARP; w++)
            best = lesser(best_of[threadIdx.x / WARP + w], best);
        plan.d_ratio_value[begin + c] = best.value;
        plan.d_ratio_load[begin + c] = best.load;
    }
}

__global__ void clear(int32_t *table, int64_t cells)
{
    for (int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; at < cells; at += (int64_t)gridDim.x * blockDim.x)
        table[at] = VRP_Q_DEVICE_NO_PATH;
}

constexpr unsigned int CLEAR_BLOCKS = 528, CLEAR_THREADS = 512;

int64_t shared_of(const vrp_through_plan *plan, int customers)
{
    const int64_t cells = (int64_t)(plan->is_symmetric ? 1 : 2) * customers * ((int64_t)plan->near.capacity + 1);
    return cells * 10 + 16;
}

}  // namespace

// ---- Launchers

cudaError_t vrp_through_choose_shape(vrp_through_plan *plan, int multiprocessors, int shared_bytes_most)
{
    constexpr int MOST = 8;  // customers: a sector of a table
    plan->shared_bytes = shared_of(plan, 1) < INT32_MAX ? (int32_t)shared_of(plan, 1) : INT32_MAX;
    if (shared_of(plan, 1) > shared_bytes_most)
        return cudaErrorInvalidConfiguration;
    // As many as leave each multiprocessor a block, and room for two.
    plan->customers = MOST;
    while (plan->customers > 1 && (shared_of(plan, plan->customers) > shared_bytes_most / 2 ||
                                   (plan->near.nodes - 1 + plan->customers - 1) / plan->customers < multiprocessors))
        plan->customers /= 2;
    plan->shared_bytes = (int32_t)shared_of(plan, plan->customers);
    return allow_shared(join, (size_t)plan->shared_bytes);
}

cudaError_t vrp_through_launch(const vrp_through_plan *plan, int32_t first, int32_t last, cudaStream_t stream)
{
    const unsigned int blocks = (unsigned int)((last - first + plan->customers - 1) / plan->customers);
    if (plan->d_table != nullptr && first == 1) {
        const int64_t cells = ((int64_t)plan->near.capacity + 1) * plan->near.nodes;
        const cudaError_t error = launch(clear, dim3(CLEAR_BLOCKS), CLEAR_THREADS, 0, stream, plan->d_table, cells);
        if (error != cudaSuccess)
            return error;
    }
    return launch(join, dim3(blocks), THREADS, (size_t)plan->shared_bytes, stream, *plan, first, last);
}
