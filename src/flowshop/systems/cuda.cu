// SPDX-License-Identifier: MIT
// Kernels of the pool systems. flowshop/kernels.h has the work of one thread, which is tested on the host.
//
// n jobs, m machines, r free jobs of a father, d = n - r fixed jobs. The times are m n words. The threads of a warp
// read them at the same machine, so from one row of n words: a load takes 1 to 2 lines of L1 while n <= 64.
// flowshop/NOTES.md has the chip and the rates.
#include "flowshop/systems/cuda.h"

#include "device/kernel.cuh"

using namespace mco;

static const int MOST_THREADS = 1024;

static unsigned grid_of(int64_t threads, int block)
{
    return (unsigned)((threads + block - 1) / block);
}

// A thread has a father. In the vectors over machines the slot varies fastest, so a warp reads and writes whole lines.
// A thread reads its row 2 bytes at a time, 16 times from the same sector; rows lie a stride apart. Per father: d m
// steps of 1 maximum, 2 additions, 3 loads and 2 stores of 4 bytes. The vectors are their own accumulators, in L2.
// Limit: L2 traffic.
__global__ static void __launch_bounds__(MOST_THREADS, 1) ends(flowshop_tables t, flowshop_arrays a)
{
    const int64_t s = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (s < a.fathers)
        flowshop_thread_ends(&t, &a, s);
}

// A thread has a child. Two binary searches over the offsets find the fathers of a block's children once; each thread
// searches for its father among these. Per child: m steps of 1 maximum and 1 addition. It reads m words of the father
// (one address for all children of a father) and m times. It writes m words, in whole lines. Shared memory: 8 bytes.
__global__ static void __launch_bounds__(MOST_THREADS, 1) branch(flowshop_tables t, flowshop_arrays a)
{
    __shared__ int32_t s_low, s_high;
    const int32_t first = (int32_t)(blockIdx.x * blockDim.x), i = first + (int32_t)threadIdx.x;
    if (threadIdx.x == 0) {
        const int32_t end = first + (int32_t)blockDim.x, last = (end < a.children ? end : a.children) - 1;
        s_low = flowshop_father_of(a.offsets, 0, a.fathers, first);
        s_high = flowshop_father_of(a.offsets, s_low, a.fathers, last) + 1;
    }
    __syncthreads();
    if (i < a.children)
        flowshop_thread_branch(&t, &a, flowshop_father_of(a.offsets, s_low, s_high, i), i);
}

// A thread has a child whose grown end is stored. LB1 per child: m steps of 1 maximum, 3 additions and 4 words; the end
// comes in whole lines, the father's words from one address for each father. LB2 per child: m (m - 1) / 2 times n steps
// of one load of 16 bytes and one of 4 at an address common to the warp, and for each free job 1 maximum and 3
// additions. Limit: memory traffic (LB1), issue of instructions (LB2).
__global__ static void __launch_bounds__(MOST_THREADS, 1) bound(flowshop_tables t, flowshop_arrays a)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a.children)
        flowshop_thread_bound(&t, &a, i);
}

// The same for children that the host lists. LB1 computes the grown end on the way; LB2 stores it first.
__global__ static void __launch_bounds__(MOST_THREADS, 1) bound_child(flowshop_tables t, flowshop_arrays a)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a.children)
        flowshop_thread_bound_child(&t, &a, i);
}

// A thread has a father. It reads 2 r bounds three times (rule, count, writing), 8 of them from the same sector. It
// writes 4 bytes, and 8 bytes for each survivor; one atomic addition for each father gives their place. Limit: latency.
__global__ static void __launch_bounds__(MOST_THREADS, 1) prune(flowshop_tables t, flowshop_arrays a)
{
    const int64_t s = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (s < a.fathers)
        flowshop_thread_prune(&t, &a, s);
}

// A thread has a father and does all of the above in turn (Chakroun 2013, algorithm 4). Its loops have length r, which
// differs among the threads of a warp.
__global__ static void __launch_bounds__(MOST_THREADS, 1) node(flowshop_tables t, flowshop_arrays a)
{
    const int64_t s = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (s < a.fathers)
        flowshop_thread_node(&t, &a, s);
}

cudaError_t flowshop_cuda_ends(const flowshop_tables *t, const flowshop_arrays *a, int block, cudaStream_t stream)
{
    return launch(ends, grid_of(a->fathers, block), (unsigned)block, 0, stream, *t, *a);
}

cudaError_t flowshop_cuda_branch(const flowshop_tables *t, const flowshop_arrays *a, int block, cudaStream_t stream)
{
    return launch(branch, grid_of(a->children, block), (unsigned)block, 0, stream, *t, *a);
}

cudaError_t flowshop_cuda_bound(const flowshop_tables *t, const flowshop_arrays *a, int block, cudaStream_t stream)
{
    return launch(bound, grid_of(a->children, block), (unsigned)block, 0, stream, *t, *a);
}

cudaError_t flowshop_cuda_bound_child(const flowshop_tables *t, const flowshop_arrays *a, int block,
                                      cudaStream_t stream)
{
    return launch(bound_child, grid_of(a->children, block), (unsigned)block, 0, stream, *t, *a);
}

cudaError_t flowshop_cuda_prune(const flowshop_tables *t, const flowshop_arrays *a, int block, cudaStream_t stream)
{
    return launch(prune, grid_of(a->fathers, block), (unsigned)block, 0, stream, *t, *a);
}

cudaError_t flowshop_cuda_node(const flowshop_tables *t, const flowshop_arrays *a, int block, cudaStream_t stream)
{
    return launch(node, grid_of(a->fathers, block), (unsigned)block, 0, stream, *t, *a);
}
