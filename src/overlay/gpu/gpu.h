// SPDX-License-Identifier: MIT
// Bounds of the overlay on one GPU: whole runs on the device, the same bits as on the cores. Only in builds with MCO_HAVE_CUDA.
#ifndef MCO_OVERLAY_GPU_H
#define MCO_OVERLAY_GPU_H

#include "device/device_cuda.h"
#include "overlay/dual.h"
#include "overlay/gpu/cuda.h"

enum { OVERLAY_GPU_LOG_ROOM = 16384 };  // iterations of a chunk, at most

// For tests and benchmarks. Zero members take the defaults.
typedef struct overlay_gpu_tuning {
    bool by_sweeps;   // a launch a sweep, also where an instance has whole runs
    bool no_lists;    // sweeps look at whole rows
    int64_t chunk;    // iterations of a launch, or launches between two looks of the host, at most
    int64_t most;     // the run ends after so many iterations, as by a limit
} overlay_gpu_tuning;

typedef struct overlay_gpu {
    overlay_dual *d;               // borrowed; takes duals and bounds
    mco_device device;
    overlay_gpu_tuning tuning;
    overlay_gpu_plan plan;
    overlay_gpu_method method;
    overlay_gpu_state *h_state;    // pinned
    overlay_gpu_change *h_log;     // pinned
    uint32_t *h_width, *d_width;   // of the iterations of a launch; the first is pinned
    int32_t *d_stop;
    cudaStream_t beside;           // for long rows; device.side stays free for d_stop
    cudaEvent_t forked, joined, ended;
    uint32_t ticks;                // iterations of whole launches
    int64_t phase;                 // iteration of the last put of duals, from which lists count
    double launch_s;               // time of an iteration in the last launch
    double load_s;                 // wall time of opening and loading
    int64_t bytes;                 // of device memory
} overlay_gpu;

// Bytes of device memory that an instance takes, without what the rows of class 5 take.
int64_t overlay_gpu_bytes(const mco_overlay *o);

// Opens the GPU that `gpus` names and brings the instance there. Errors: DEVICE, LIMIT (more device memory than there is, with both
// numbers), MEMORY, STOPPED (a limit of the run came first), ARGUMENT (several GPUs are named).
mco_status overlay_gpu_open(overlay_dual *d, const char *gpus, const overlay_gpu_tuning *tuning, overlay_gpu *out);
void overlay_gpu_close(overlay_gpu *g);
// First duals, as overlay.c finds them on the cores. Errors: DEVICE, MEMORY.
mco_status overlay_gpu_start(overlay_gpu *g);
// The method of d->p until its end or a limit. d->best, d->least and the iterations are those of the run. Errors: DEVICE, MEMORY.
mco_status overlay_gpu_iterate(overlay_gpu *g);

// ---- Inside: load.c for gpu.c

// Whether the run of an overlay_dual must end.
bool overlay_gpu_must_stop(void *dual);
// No row has a list: all its links are near, and no dual is too low. Errors: DEVICE.
mco_status overlay_gpu_forget_lists(overlay_gpu *g);
bool overlay_gpu_starts_at_zero(const overlay_dual *d);

// ---- All

// Opens, starts, iterates, closes. *work: device time and GPU. A run that ends before its first sweep leaves no bound.
mco_status overlay_gpu_run(overlay_dual *d, const char *gpus, mco_work *work);

#endif
