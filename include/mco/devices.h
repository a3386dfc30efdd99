// SPDX-License-Identifier: MIT
// The GPUs this process can use. GPU engines change the calling thread's current CUDA device.
#ifndef MCO_DEVICES_H
#define MCO_DEVICES_H

#include "mco/context.h"

MCO_BEGIN_C

enum { MCO_MAX_GPUS = 64 };

typedef struct mco_gpu {
    int index;  // as the options name it: 0, 1, ... among the visible ones
    char name[128];
    char bus_id[16];  // "0000:1b:00.0"
    int major, minor;  // compute capability
    int multiprocessors;
    int clock_mhz;  // highest of the multiprocessors
    size_t memory_bytes;
    size_t free_bytes;  // 0: not asked
    size_t l2_bytes;
    double peak_bytes_per_s;  // of device memory, from its clock and width; 0 where the driver does not tell
} mco_gpu;

// Lists the visible GPUs: out[0..*count), by their properties alone: none is opened, free_bytes is 0. *reason
// tells why there is none ("this build has no GPU engine", what the driver said), NULL otherwise; static
// storage. Finding none is no failure.
MCO_API mco_status mco_gpus_list(mco_context *ctx, mco_gpu out[MCO_MAX_GPUS], int *count, const char **reason);

// Opens the GPU and asks for its free memory; the calling thread's current CUDA device is as before. The CUDA
// context it makes takes memory of the GPU until the process ends. Errors: DEVICE (it cannot be used, or the
// build has no GPU engine), MEMORY (it has none left for a context).
MCO_API mco_status mco_gpu_free_bytes(mco_context *ctx, const mco_gpu *gpu, size_t *free_bytes);

MCO_END_C
#endif
