// SPDX-License-Identifier: MIT
// Copies the table from a GPU to ordinary memory. It goes through small pinned buffers, from which workers move it on.
// While the GPU computes, the workers touch the pages of the memory: the first touch of a page takes longer than
// filling it.
#ifndef MCO_GUILLOTINE_GPU_COPY_H
#define MCO_GUILLOTINE_GPU_COPY_H

#include <stdatomic.h>

#include "base/team.h"
#include "device/device_cuda.h"

enum { GUILLOTINE_COPY_SLOTS = 12, GUILLOTINE_COPY_DEPTH = 4 };  // buffers; most copies under way
_Static_assert(GUILLOTINE_COPY_DEPTH <= GUILLOTINE_COPY_SLOTS, "a buffer is free or has arrived when it is needed");

typedef struct guillotine_copier {
    mco_context *ctx;
    char *to;                // [rows * row_bytes]
    int64_t rows, part_rows, parts;
    size_t row_bytes;
    char *h_stage;           // [slots][part_rows * row_bytes]
    int64_t slots;
    cudaEvent_t arrivals[GUILLOTINE_COPY_DEPTH];
    mco_team team;
    int workers;
    bool has_lock;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int touched;             // workers that have touched their pages; guarded by the lock
    bool is_open;            // copies begin, or the copier ends; guarded by the lock
    atomic_bool is_stopped;
    atomic_int_least64_t next_chunk, next_part, arrived;     // arrived: parts that have reached their buffers
    atomic_int_least64_t moved[GUILLOTINE_COPY_SLOTS];       // parts that have left a buffer for `to`
} guillotine_copier;

// Starts at most `threads` workers, which touch the pages of to [rows * row_bytes]. Errors: MEMORY.
mco_status guillotine_copier_start(mco_context *ctx, int threads, int64_t rows, size_t row_bytes, char *to,
                                   guillotine_copier *out);
// Allocates the pinned buffers. This is slow, and best done while the GPU is busy. Errors: DEVICE, MEMORY.
mco_status guillotine_copier_take_staging(guillotine_copier *copier, mco_device *device);
// Copies the rows at d_table on the device's stream, and waits until they have arrived. Errors: DEVICE, MEMORY.
mco_status guillotine_copier_run(guillotine_copier *copier, mco_device *device, const void *d_table, size_t pitch_bytes);
// Ends the workers. Does nothing on a zeroed copier.
void guillotine_copier_end(guillotine_copier *copier);

#endif
