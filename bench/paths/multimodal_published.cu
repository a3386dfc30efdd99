// SPDX-License-Identifier: MIT
// The dynamic frontier of Strappaveccia (2015), section 6.c.3, with the corrections that it needs: the sets are kept for each pair of
// vertex and state, the bound for each state, arrivals are taken by atomic minima, and the source has the departure as its label.
#include "device/kernel.cuh"
#include "multimodal_published.h"

namespace {

using namespace mco;

constexpr int32_t NONE = MCO_PATHS_NONE;
constexpr unsigned int BLOCK = 256;

DEVICE int64_t pair_of_thread() { return (int64_t)blockIdx.x * blockDim.x + threadIdx.x; }
DEVICE bool is_pair(const published_plan &plan, int64_t pair) { return pair < (int64_t)plan.vertices * plan.states; }

__global__ void clear(const published_plan plan, int32_t source, int32_t depart)
{
    const int64_t pair = pair_of_thread();
    if (!is_pair(plan, pair))
        return;
    const bool is_source = (int32_t)(pair % plan.vertices) == source;
    plan.d_value[pair] = is_source ? depart : NONE;
    plan.d_unsettled[pair] = is_source ? 0 : 1;
    plan.d_frontier[pair] = is_source ? 1 : 0;
}

__global__ void relax(const published_plan plan)
{
    const int64_t pair = pair_of_thread();
    if (!is_pair(plan, pair) || plan.d_frontier[pair] == 0)
        return;
    const int32_t vertex = (int32_t)(pair % plan.vertices), state = (int32_t)(pair / plan.vertices), time = plan.d_value[pair];
    for (int64_t a = plan.d_first[vertex]; a < plan.d_first[vertex + 1]; a++) {
        const mm_arc arc = plan.d_arc[a];
        const int64_t head = (int64_t)state * plan.vertices + arc.head;
        if (plan.d_unsettled[head] != 0 && plan.d_allows[state * plan.labels + (int32_t)mm_label(&plan.tables, arc.word)] != 0)
            atomicMin(plan.d_value + head, time + mm_cost(&plan.tables, arc.word, time, plan.d_pace[state]));
    }
}

// Of each reached, unsettled pair: its arrival and its cheapest arc to an unsettled one.
__global__ void bound(const published_plan plan)
{
    const int64_t pair = pair_of_thread();
    if (!is_pair(plan, pair) || plan.d_unsettled[pair] == 0 || plan.d_value[pair] == NONE)
        return;
    const int32_t vertex = (int32_t)(pair % plan.vertices), state = (int32_t)(pair / plan.vertices), time = plan.d_value[pair];
    int32_t least = NONE;
    for (int64_t a = plan.d_first[vertex]; a < plan.d_first[vertex + 1]; a++) {
        const mm_arc arc = plan.d_arc[a];
        if (plan.d_unsettled[(int64_t)state * plan.vertices + arc.head] != 0 &&
            plan.d_allows[state * plan.labels + (int32_t)mm_label(&plan.tables, arc.word)] != 0)
            least = min(least, time + mm_cost(&plan.tables, arc.word, time, plan.d_pace[state]));
    }
    if (least < *(volatile int32_t *)(plan.d_bound + state))
        atomicMin(plan.d_bound + state, least);
}

__global__ void next_frontier(const published_plan plan)
{
    const int64_t pair = pair_of_thread();
    if (!is_pair(plan, pair))
        return;
    const bool is_settled = plan.d_unsettled[pair] != 0 && plan.d_value[pair] <= plan.d_bound[pair / plan.vertices] && plan.d_value[pair] < NONE;
    plan.d_frontier[pair] = is_settled ? 1 : 0;
    if (is_settled)
        plan.d_unsettled[pair] = 0;
    const unsigned int set = __ballot_sync(__activemask(), is_settled);
    if (set != 0 && (int)(threadIdx.x % WARP) == __ffs((int)set) - 1)
        atomicAdd(plan.d_settled, (unsigned long long)__popc(set));
}

__global__ void open_bound(const published_plan plan)
{
    if ((int32_t)threadIdx.x < plan.states)
        plan.d_bound[threadIdx.x] = NONE;
}

dim3 blocks_of(const published_plan &plan)
{
    return dim3((unsigned int)(((int64_t)plan.vertices * plan.states + BLOCK - 1) / BLOCK));
}

}  // namespace

cudaError_t published_begin(const published_plan *plan, int32_t source, int32_t depart, cudaStream_t stream)
{
    return launch(clear, blocks_of(*plan), BLOCK, 0, stream, *plan, source, depart);
}

cudaError_t published_iterate(const published_plan *plan, cudaStream_t stream)
{
    cudaError_t error = launch(relax, blocks_of(*plan), BLOCK, 0, stream, *plan);
    if (error == cudaSuccess)
        error = launch(open_bound, dim3(1), 32, 0, stream, *plan);
    if (error == cudaSuccess)
        error = launch(bound, blocks_of(*plan), BLOCK, 0, stream, *plan);
    return error != cudaSuccess ? error : launch(next_frontier, blocks_of(*plan), BLOCK, 0, stream, *plan);
}
