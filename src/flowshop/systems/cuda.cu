// SPDX-License-Identifier: MIT
// Kernels of the pool systems: what one thread does is in flowshop/kernels.h, tested on the host.
//
// n jobs, m machines, r free jobs of a father, d = n - r fixed ones; times are m n words, read by threads of a warp
// at the same machine and different jobs of a row of n: 1 to 2 lines of L1 a load while n <= 64. Chip and rates:
// flowshop/NOTES.md.
#include "flowshop/systems/cuda.h"

#include "device/kernel.cuh"

using namespace mco;

static const int MOST_THREADS = 1024;

static unsigned grid_of(int64_t threads, int block)
{
    return (unsigned)((threads + block - 1) / block);
}

// Thread = father. Vectors over machines are slot fastest, so that a warp reads and writes whole lines; rows are
// read 2 bytes a thread at a stride, 16 times from the same sector. Per father: 2 d m steps of 1 maximum, 2
// additions, 3 loads and 2 stores of 4 bytes (L2: the vectors are their own accumulators). Bound by L2 traffic.
__global__ static void __launch_bounds__(MOST_THREADS, 1) ends(flowshop_tables t, flowshop_arrays a)
{
    const int64_t s = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (s < a.fathers)
        flowshop_thread_ends(&t, &a, s);
}

// Thread = child. The fathers of a block's children are found once (two binary searches over the offsets), the
// father of a thread among them. Per child: m steps of 1 maximum, 1 addition; m words of the father (one address
// for the threads of a father), m times; m words written, whole lines. 8 bytes of shared memory.
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

// Thread = child, its grown end stored. Per child: LB1 m steps of 1 maximum, 3 additions, 4 words, of which the
// end comes in whole lines and the father's from one address a father; LB2 m (m - 1) / 2 times n steps of one load
// of 16 bytes and one of 4 at an address common to the warp, and for each free job 1 maximum, 3 additions. Bound by
// memory traffic (LB1) and by issue (LB2).
__global__ static void __launch_bounds__(MOST_THREADS, 1) bound(flowshop_tables t, flowshop_arrays a)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a.children)
        flowshop_thread_bound(&t, &a, i);
}

// The same for children that the host listed: the grown end is computed on the way (LB1), or stored first (LB2).
__global__ static void __launch_bounds__(MOST_THREADS, 1) bound_child(flowshop_tables t, flowshop_arrays a)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a.children)
        flowshop_thread_bound_child(&t, &a, i);
}

// Thread = father. Reads 2 r bounds three times (rule, count, writing), 8 of them from the same sector; writes 4
// bytes and 8 a survivor, at a place from one atomic addition a father. Bound by latency.
__global__ static void __launch_bounds__(MOST_THREADS, 1) prune(flowshop_tables t, flowshop_arrays a)
{
    const int64_t s = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (s < a.fathers)
        flowshop_thread_prune(&t, &a, s);
}

// Thread = father, all of the above in a row (Chakroun 2013, algorithm 4): loops of length r, different for the
// threads of a warp.
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
