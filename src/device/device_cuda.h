// SPDX-License-Identifier: MIT
// For C files behind MCO_HAVE_CUDA: one open GPU, its memory and its clock. Kernels and their
// launchers are in .cu files, which include plain headers only and return cudaError_t.
#ifndef MCO_DEVICE_DEVICE_CUDA_H
#define MCO_DEVICE_DEVICE_CUDA_H

#include <cuda_runtime_api.h>

#include "device/device.h"

typedef enum mco_memory_kind {
    MCO_MEMORY_DEVICE,
    MCO_MEMORY_PINNED  // of the host, page-locked and mapped: the device reads and writes it too
} mco_memory_kind;

typedef struct mco_memory_block {
    void *address;
    size_t bytes;
    mco_memory_kind kind;
    bool is_free;
} mco_memory_block;

// One thread uses a device at a time.
typedef struct mco_device {
    mco_context *ctx;      // receives the messages; of the thread that uses the device
    mco_gpu info;          // with the free memory when it was opened
    cudaStream_t stream;   // kernels, and copies in order with them
    cudaStream_t side;     // copies beside a running kernel
    cudaEvent_t begin, end;
    double kernel_s;       // sum over mco_device_stop_clock()
    mco_memory_block *blocks;  // [block_room] memory taken so far, free for the next user or not
    int block_count, block_room;
} mco_device;

// Opens GPU `gpu` for the calling thread (and any later one that calls mco_device_use). Errors: DEVICE, MEMORY.
mco_status mco_device_open(mco_context *ctx, const mco_gpu *gpu, mco_device *out);
// The same for the one GPU that `gpus` names, as the option does. Errors: also ARGUMENT.
mco_status mco_device_open_named(mco_context *ctx, const char *gpus, mco_device *out);
// Waits for its work, releases everything. Fine on a zeroed device and on a lost one.
void mco_device_close(mco_device *device);
// Makes it the calling thread's device.
mco_status mco_device_use(mco_device *device);

// Memory from the pool: a free block of this kind that is large enough and at most twice as large, or
// a new one; not cleared, aligned to 256 bytes. Errors: MEMORY with what was asked and what the device has free.
mco_status mco_device_take_bytes(mco_device *device, mco_memory_kind kind, void **out, size_t count, size_t item_bytes);
// Gives it back to the pool and sets NULL; NULL is fine. Work that uses it must be done or come before on the
// same stream as the next user's.
void mco_device_give_bytes(mco_device *device, void **memory);
#define mco_device_take(device, kind, out, count) \
    mco_device_take_bytes(device, kind, (void **)(out), (size_t)(count), sizeof **(out))
#define mco_device_give(device, memory) mco_device_give_bytes(device, (void **)(memory))

// Kernel time by events on the stream: start, work, stop; stop waits and adds to kernel_s.
mco_status mco_device_start_clock(mco_device *device);
mco_status mco_device_stop_clock(mco_device *device, double *seconds);  // NULL: only adds

// Turns a CUDA error into a status: MEMORY when memory is exhausted, else DEVICE; the message has the
// call, the reason, the file and the line.
mco_status mco_cuda_status(mco_context *ctx, cudaError_t error, const char *call, const char *file, int line);
// The one macro around CUDA calls and launchers; needs `st` and `done` like MCO_TRY.
#define MCO_CUDA(ctx, call) MCO_TRY(mco_cuda_status(ctx, call, #call, __FILE__, __LINE__))

#endif
