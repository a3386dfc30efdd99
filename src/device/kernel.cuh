// SPDX-License-Identifier: MIT
// What kernels of several problems share: the warp, shared memory sized at launch, copies to it that do not wait, and the few
// instructions that C++ has no words for; and for their launchers a launch. Plain: it includes nothing of the host side.
#ifndef MCO_DEVICE_KERNEL_CUH
#define MCO_DEVICE_KERNEL_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#define DEVICE __device__ __forceinline__

namespace mco {

constexpr int WARP = 32;
constexpr unsigned int ALL_LANES = 0xffffffffu;

// ---- Shared memory

template <class T> DEVICE T *dynamic_shared()
{
    extern __shared__ int4 memory[];
    return reinterpret_cast<T *>(memory);
}

// 16 bytes from device to shared memory, both aligned; they are there once copies_wait() has let their group pass, or
// copies_wait_all() all that this thread has asked for.
DEVICE void copy_16(void *shared, const void *device)
{
    const unsigned int to = (unsigned int)__cvta_generic_to_shared(shared);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(device) : "memory");
}

DEVICE void copies_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most LATER of the groups of this thread are under way.
template <int LATER> DEVICE void copies_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(LATER) : "memory");
}

DEVICE void copies_wait_all()
{
    asm volatile("cp.async.wait_all;" ::: "memory");
}

// ---- Instructions

DEVICE float approximate_root(float value)
{
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(value));
    return root;
}

// Nanoseconds of a clock that all multiprocessors share.
DEVICE unsigned long long device_clock()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

// ---- Launches

template <class... PARAMETERS, class... ARGUMENTS>
cudaError_t launch(void (*kernel)(PARAMETERS...), dim3 blocks, unsigned int threads, size_t shared_bytes, cudaStream_t stream,
                   const ARGUMENTS &...arguments)
{
    kernel<<<blocks, threads, shared_bytes, stream>>>(arguments...);
    return cudaGetLastError();
}

// Lets a kernel have this much dynamic shared memory: beyond 48 KiB it has to be asked for.
template <class... PARAMETERS> cudaError_t allow_shared(void (*kernel)(PARAMETERS...), size_t bytes)
{
    return cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
}

}  // namespace mco

#endif
