// SPDX-License-Identifier: MIT
// The GPUs that this process can use. GPU engines change the current CUDA device of the calling thread.
#ifndef MCO_DEVICES_H
#define MCO_DEVICES_H

#include "mco/context.h"

MCO_BEGIN_C

enum { MCO_MAX_GPUS = 64 };

typedef struct mco_gpu {
    int index;  // its number in the options: 0, 1, ... among the visible GPUs
    char name[128];
    char bus_id[16];  // "0000:1b:00.0"
    int major, minor;  // compute capability
    int multiprocessors;
    int clock_mhz;  // highest clock of the multiprocessors
    size_t memory_bytes;
    size_t free_bytes;  // 0: unknown
    size_t l2_bytes;
    double peak_bytes_per_s;  // of device memory, from its clock and bus width; 0 if the driver does not tell them
} mco_gpu;

// Lists the visible GPUs in out[0..*count), at most MCO_MAX_GPUS. It reads their properties and opens none of them, so
// free_bytes is 0. If there is no GPU, the call succeeds and *reason says why ("this build has no GPU engine ...", or
// what the driver said); else *reason is NULL. *reason has static storage. Errors: ARGUMENT, DEVICE, MEMORY.
MCO_API mco_status mco_gpus_list(mco_context *ctx, mco_gpu out[MCO_MAX_GPUS], int *count, const char **reason);

// Opens the GPU and asks for its free memory. The calling thread's current CUDA device stays the same. The call makes a
// CUDA context, which takes memory of the GPU until the process ends. Errors: ARGUMENT, DEVICE (the GPU cannot be used,
// or the build has no GPU engine), MEMORY (the GPU has no memory left for a context).
MCO_API mco_status mco_gpu_free_bytes(mco_context *ctx, const mco_gpu *gpu, size_t *free_bytes);

MCO_END_C
#endif
