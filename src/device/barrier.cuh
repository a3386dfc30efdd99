// SPDX-License-Identifier: MIT
// A barrier of all blocks of a cooperative launch, for kernels with hundreds of them.
#ifndef MCO_DEVICE_BARRIER_CUH
#define MCO_DEVICE_BARRIER_CUH

#include "device/kernel.cuh"

namespace {

using namespace mco;

// Waits until all blocks have come here for the k-th time; `goal` is k * blocks, below 2^31. What any thread of them wrote
// before is visible then to loads that pass by the L1 cache. The first word counts arrivals and is 0 before the first barrier.
// A block adds 1 without waiting for the answer, so the wait costs one way to the L2 cache and back, not two. The wait ends
// because a cooperative launch has all blocks on the device, and every block comes to every barrier.
DEVICE void grid_barrier(uint32_t *words, uint32_t goal)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        uint32_t arrived;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
        asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(words) : "memory");
        do
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(arrived) : "l"(words) : "memory");
        while (arrived < goal);
#else
        __threadfence();
        atomicAdd(words, 1u);
        do
            arrived = *(volatile uint32_t *)words;
        while (arrived < goal);
        __threadfence();
#endif
    }
    __syncthreads();
}

// After the last barrier of a block. The last block that leaves sets both words to 0 for the next launch: by then no block waits.
DEVICE void leave_barriers(uint32_t *words)
{
    if (threadIdx.x == 0 && atomicAdd(words + 1, 1u) == gridDim.x - 1) {
        words[0] = 0;
        words[1] = 0;
    }
}

// ---- Counters of finished work, where a barrier of all blocks would wait for too much

// Adds 1 to *counter. What any thread of the block wrote before is visible to blocks that wait for the sum. All threads call it.
DEVICE void announce(uint32_t *counter)
{
    __syncthreads();
    if (threadIdx.x == 0) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
        asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
#else
        __threadfence();
        atomicAdd(counter, 1u);
#endif
    }
}

// Waits until *counter is `goal` at least. All threads call it. The caller proves that blocks on the device will announce so often. While
// more than NEAR are missing it looks every NAP_NS only, so that many waiting blocks do not hold up those that count.
template <int NAP_NS, uint32_t NEAR> DEVICE void wait_for_count(const uint32_t *counter, uint32_t goal)
{
    if (threadIdx.x == 0) {
        uint32_t count;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
        for (;;) {
            asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(count) : "l"(counter) : "memory");
            if (count >= goal)
                break;
            if (NAP_NS > 0 && goal - count > NEAR)
                __nanosleep(NAP_NS);
        }
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
#else
        do
            count = *(const volatile uint32_t *)counter;
        while (count < goal);
        __threadfence();
#endif
    }
    __syncthreads();
}

}  // namespace

#endif
