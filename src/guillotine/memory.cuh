// SPDX-License-Identifier: MIT
// What the units by value and by waste share: functions for the device and a simulation on the host, copies into shared memory.
#ifndef MCO_GUILLOTINE_MEMORY_CUH
#define MCO_GUILLOTINE_MEMORY_CUH

#define HD __host__ __device__ __forceinline__
#ifdef __CUDA_ARCH__
#define UNROLL _Pragma("unroll")
#define NO_UNROLL _Pragma("unroll 1")
#else
#define UNROLL
#define NO_UNROLL
#endif

namespace {

// 16 bytes from device to shared memory; arrive() waits for all that this thread has asked for.
HD void bring(uint4 *shared, const uint4 *from)
{
#ifdef __CUDA_ARCH__
    const unsigned int to = (unsigned int)__cvta_generic_to_shared(shared);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
#else
    *shared = *from;
#endif
}

HD void arrive()
{
#ifdef __CUDA_ARCH__
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

}  // namespace

#endif
