// SPDX-License-Identifier: MIT
// For C files behind MCO_HAVE_CUDA: one open GPU, its memory and its clock. Kernels and their launchers are in .cu
// files. These include plain headers only, and the launchers return cudaError_t.
#ifndef MCO_DEVICE_DEVICE_CUDA_H
#define MCO_DEVICE_DEVICE_CUDA_H

#include <cuda_runtime_api.h>

#include "device/device.h"

typedef enum mco_memory_kind {
    MCO_MEMORY_DEVICE,
    MCO_MEMORY_PINNED  // host memory, page-locked and mapped, so the device can read and write it too
} mco_memory_kind;

typedef struct mco_memory_block {
    void *address;
    size_t bytes;
    mco_memory_kind kind;
    bool is_free;
} mco_memory_block;

// An open GPU. One thread uses it at a time.
typedef struct mco_device {
    mco_context *ctx;      // receives the messages; the context of the thread that uses the device
    mco_gpu info;          // its free_bytes is that of the moment when it was opened
    cudaStream_t stream;   // for kernels, and for copies in order with them
    cudaStream_t side;     // for copies beside a running kernel
    cudaEvent_t begin, end;
    double kernel_s;       // sum of the times of mco_device_stop_clock()
    mco_memory_block *blocks;  // [block_count] all memory taken from the driver, free or in use
    int block_count, block_room;
} mco_device;

// Opens `gpu` for the calling thread. Another thread may use it later, after a call of mco_device_use(). Errors:
// DEVICE, MEMORY.
mco_status mco_device_open(mco_context *ctx, const mco_gpu *gpu, mco_device *out);
// The same for the one GPU that `gpus` names, the text of --gpus. Errors: also ARGUMENT.
mco_status mco_device_open_named(mco_context *ctx, const char *gpus, mco_device *out);
// Waits for the device's work and releases everything. A zeroed device and a lost one are allowed.
void mco_device_close(mco_device *device);
// Makes it the current device of the calling thread. Errors: DEVICE, MEMORY.
mco_status mco_device_use(mco_device *device);

// Whether a kernel can begin before the one ahead of it on the stream ends (launch_behind() of device/kernel.cuh).
static inline bool mco_device_overlaps(const mco_device *device)
{
    enum { OVERLAP_MAJOR = 9, OVERLAP_CUDA = 12030 };  // the first CUDA that captures such launches into graphs
    int driver = 0;
    return device->info.major >= OVERLAP_MAJOR && CUDART_VERSION >= OVERLAP_CUDA &&
           cudaDriverGetVersion(&driver) == cudaSuccess && driver >= OVERLAP_CUDA;
}

// Takes memory from the pool: a free block of this kind that is large enough and at most twice as large, or a new
// block. The memory is not cleared. It is aligned to 256 bytes. Errors: MEMORY, with the size asked for and what the
// device has free.
mco_status mco_device_take_bytes(mco_device *device, mco_memory_kind kind, void **out, size_t count, size_t item_bytes);
// Gives the memory back to the pool and sets the pointer to NULL. NULL is allowed. Work that uses the memory must be
// done, or come before the work of the next user on the same stream.
void mco_device_give_bytes(mco_device *device, void **memory);
#define mco_device_take(device, kind, out, count) \
    mco_device_take_bytes(device, kind, (void **)(out), (size_t)(count), sizeof **(out))
#define mco_device_give(device, memory) mco_device_give_bytes(device, (void **)(memory))

// Measure kernel time by events on the stream. Work goes between start and stop. Stop waits for it and adds its time to
// kernel_s.
mco_status mco_device_start_clock(mco_device *device);
mco_status mco_device_stop_clock(mco_device *device, double *seconds);  // `seconds` may be NULL

// Waits for `event` and looks every millisecond whether the work must stop. When must_stop(state) returns true, the word
// *d_stop of the device becomes 1: kernels that may last long or wait for each other read it and end. It is asked no more
// then. d_stop may be NULL where every kernel is short. Errors: DEVICE.
mco_status mco_device_wait(mco_device *device, cudaEvent_t event, bool (*must_stop)(void *state), void *state,
                           int32_t *d_stop);

// Turns a CUDA error into a status: MEMORY if memory is exhausted, else DEVICE. The message has the call, the reason,
// the file and the line.
mco_status mco_cuda_status(mco_context *ctx, cudaError_t error, const char *call, const char *file, int line);
// Every CUDA call and launcher stands in this macro. It needs `st` and `done`, like MCO_TRY.
#define MCO_CUDA(ctx, call) MCO_TRY(mco_cuda_status(ctx, call, #call, __FILE__, __LINE__))

#endif
