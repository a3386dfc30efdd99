// SPDX-License-Identifier: MIT
// What the kernels of several problems share: the warp, shared memory sized at launch, asynchronous copies to it, and
// the few instructions that C++ cannot express. For launchers there is launch(). This header includes nothing of the
// host side.
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

// Starts a copy of 16 bytes from device memory to shared memory; both addresses are aligned to 16 bytes. It is complete
// when copies_wait() has waited for its group, or after copies_wait_all().
DEVICE void copy_16(void *shared, const void *device)
{
    const unsigned int to = (unsigned int)__cvta_generic_to_shared(shared);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(device) : "memory");
}

// Closes a group: the copies that this thread has started since its last group.
DEVICE void copies_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most the LATER last groups of this thread are incomplete.
template <int LATER> DEVICE void copies_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(LATER) : "memory");
}

// Waits for all copies of this thread.
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

// The time in nanoseconds, by a clock that all multiprocessors share.
DEVICE unsigned long long device_clock()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

// ---- A kernel behind another one, which launch_behind() lets begin before that one ends

// Waits until the kernel ahead has ended and its writes are visible.
DEVICE void wait_for_kernel_before()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

// Lets the next kernel begin once all blocks of this one have called it or ended. So no block of the next kernel can
// take the place of a block that it waits for.
DEVICE void let_next_begin()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

// ---- Launches

template <class... PARAMETERS, class... ARGUMENTS>
cudaError_t launch(void (*kernel)(PARAMETERS...), dim3 blocks, unsigned int threads, size_t shared_bytes, cudaStream_t stream,
                   const ARGUMENTS &...arguments)
{
    kernel<<<blocks, threads, shared_bytes, stream>>>(arguments...);
    return cudaGetLastError();
}

// With `overlaps`, the kernel may begin while the one ahead still runs. It calls wait_for_kernel_before() before it reads
// or writes device memory.
template <class... PARAMETERS, class... ARGUMENTS>
cudaError_t launch_behind(bool overlaps, void (*kernel)(PARAMETERS...), dim3 blocks, unsigned int threads, size_t shared_bytes,
                          cudaStream_t stream, const ARGUMENTS &...arguments)
{
    if (!overlaps)
        return launch(kernel, blocks, threads, shared_bytes, stream, arguments...);
    cudaLaunchAttribute overlap = {};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = &overlap;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

// Allows a kernel as much dynamic shared memory as the device has beside its static one; it is needed where both are more
// than 48 KiB. The limit belongs to the kernel, not to a launch: a limit of exactly `bytes` would refuse the launches of a
// larger plan that is still open. Errors: cudaErrorInvalidValue where the device has less than `bytes`.
template <class... PARAMETERS> cudaError_t allow_shared(void (*kernel)(PARAMETERS...), size_t bytes)
{
    cudaFuncAttributes is = {};
    int device = 0, most = 0;
    cudaError_t error = cudaFuncGetAttributes(&is, (const void *)kernel);
    if (error != cudaSuccess || bytes + is.sharedSizeBytes <= (size_t)is.maxDynamicSharedSizeBytes)
        return error;
    error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error != cudaSuccess)
        return error;
    const size_t room = (size_t)most > is.sharedSizeBytes ? (size_t)most - is.sharedSizeBytes : 0;
    return cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)(bytes > room ? bytes : room));
}

}  // namespace mco

#endif
