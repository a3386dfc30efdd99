// SPDX-License-Identifier: MIT
// Part of flowshop/gpu/dfs.cu: leaves, the children of a node with one or two free jobs. Each is a complete schedule.
// The kernel writes the best one so far to memory that the host reads while the kernel runs. The version number is odd
// during a write, so the host knows whether what it read is whole. A lock keeps two writers apart.
#ifndef MCO_FLOWSHOP_GPU_DFS_LEAVES_CUH
#define MCO_FLOWSHOP_GPU_DFS_LEAVES_CUH

#include "flowshop/gpu/dfs_node.cuh"

namespace {

// The makespan of the schedule in which the last two free jobs, or the last one (`second` < 0), are in place. It comes
// from the ends of the node. One thread computes it, because leaves are rare.
template <class S, class L, int M>
__device__ int leaf_makespan(const S &s, int first, int second)
{
    int worst = 0, reach_first = 0, reach_second = 0;
    const bool has_front = s.depth > s.backs, has_back = s.backs > 0;
    for (int i = 0; i < M; i++) {
        const int front = has_front ? L::low(s.s_ends[i]) : 0;
        const int back = has_back ? L::high(s.s_ends[M - 1 - i]) : 0;
        reach_first = max(reach_first, front) + L::low(s.s_times[first * S::lay::JOB_STRIDE + i]);
        reach_second = max(reach_second, reach_first);
        if (second >= 0)
            reach_second += L::low(s.s_times[second * S::lay::JOB_STRIDE + i]);
        worst = max(worst, reach_second + back);
    }
    return worst;
}

// Writes a schedule to where the host sees it, if it is the best so far.
__device__ void report(const flowshop_dfs_args &a, const uint16_t *path, int depth, int taken, int last, int makespan)
{
    if (makespan >= atomicMin(&a.control->incumbent, makespan))
        return;
    while (atomicCAS(&a.control->lock, 0, 1) != 0)
        __nanosleep(IDLE_NS);
    __threadfence();
    if (makespan == load_volatile(&a.control->incumbent)) {
        volatile flowshop_dfs_found *found = a.found;
        found->version = found->version + 1;
        __threadfence_system();
        for (int d = 0; d < depth; d++)
            found->path[d] = path[d];
        found->path[depth] = (uint16_t)taken;
        if (last >= 0)
            found->path[depth + 1] = (uint16_t)last;
        found->makespan = makespan;
        __threadfence_system();
        found->version = found->version + 1;
        __threadfence_system();
    }
    __threadfence();
    atomicExch(&a.control->lock, 0);
}

// Evaluates the children of a node with one or two free jobs: they are complete schedules.
template <class S, class L, int M>
__device__ inline void visit_leaves(const flowshop_dfs_args &a, S &s, int free_jobs, int incumbent)
{
    while (s.left.any()) {
        const int k = s.left.first();
        s.left.remove(k);
        if (s.t != 0)
            continue;
        const int taken = s.s_list[k], last = free_jobs == 2 ? s.s_list[1 - k] : -1;
        const bool swaps = s.is_back && last >= 0;
        const int makespan = leaf_makespan<S, L, M>(s, swaps ? last : taken, swaps ? taken : last);
        atomicAdd(&a.control->leaves, 1ull);
        if (makespan < incumbent && makespan < load_volatile(&a.control->incumbent))
            report(a, s.path, s.depth, taken | (s.is_back ? FLOWSHOP_DFS_SIDE : 0), last, makespan);
    }
}

}  // namespace

#endif
