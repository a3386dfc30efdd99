// SPDX-License-Identifier: MIT
// The few things of the kernels that C++ has no words for: shared memory sized at launch, copies to it that do not wait, an
// approximate root, a clock, a launch.
#ifndef MCO_VRP_SWEEP_MACHINE_CUH
#define MCO_VRP_SWEEP_MACHINE_CUH

#include <cuda_runtime.h>
#include <stdint.h>

namespace vrp {

template <class T> __device__ __forceinline__ T *dynamic_shared()
{
    extern __shared__ int4 memory[];
    return reinterpret_cast<T *>(memory);
}

// 16 bytes from device to shared memory, both aligned; they are there once copies_wait() has let their group pass.
__device__ __forceinline__ void copy_16(void *shared, const void *device)
{
    const unsigned int to = (unsigned int)__cvta_generic_to_shared(shared);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(device) : "memory");
}

__device__ __forceinline__ void copies_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most LATER of the groups of this thread are under way.
template <int LATER> __device__ __forceinline__ void copies_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(LATER) : "memory");
}

__device__ __forceinline__ float approximate_root(float value)
{
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(value));
    return root;
}

// Nanoseconds of a clock that all multiprocessors share.
__device__ __forceinline__ unsigned long long device_clock()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

template <class... PARAMETERS, class... ARGUMENTS>
cudaError_t launch(void (*kernel)(PARAMETERS...), dim3 blocks, unsigned int threads, size_t shared_bytes, cudaStream_t stream,
                   ARGUMENTS... arguments)
{
    kernel<<<blocks, threads, shared_bytes, stream>>>(arguments...);
    return cudaGetLastError();
}

// Lets a kernel have this much dynamic shared memory.
template <class... PARAMETERS> cudaError_t allow_shared(void (*kernel)(PARAMETERS...), size_t bytes)
{
    return cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
}

}  // namespace vrp

#endif
