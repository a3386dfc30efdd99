// SPDX-License-Identifier: MIT
// Bounds of the overlay on GPUs: whole runs on the device, the same bits as on the cores. Only in builds with MCO_HAVE_CUDA.
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
    bool by_host;     // several parts tell each other through memory of the host, as where GPUs cannot reach each other
    int32_t pause;    // clocks of whole runs before they look at words of others; below 0: none
    int32_t copies;   // parts of each GPU: what several GPUs do, on one
    int64_t chunk;    // iterations of a launch, or launches between two looks of the host, at most
    int64_t most;     // the run ends after so many iterations, as by a limit
} overlay_gpu_tuning;

// What a GPU has of its own.
typedef struct overlay_gpu_part {
    mco_device device;             // its kernel_s is that of this part
    overlay_gpu_plan plan;
    int32_t *d_stop;
    cudaStream_t beside;           // for long rows; device.side stays free for d_stop
    cudaEvent_t forked, joined, ended;
    cudaEvent_t told;              // behind what the other parts wait for
    int64_t bytes;                 // of device memory
} overlay_gpu_part;

// One thread enqueues the work of all parts; their streams wait for each other.
typedef struct overlay_gpu {
    overlay_dual *d;               // borrowed; takes duals and bounds
    overlay_gpu_tuning tuning;
    overlay_gpu_part *part;        // [parts] the first one has the bounds that the host sees; all have the same
    int32_t parts;
    bool by_host;
    overlay_gpu_method method;
    overlay_gpu_state *h_state;    // pinned, as the others
    overlay_gpu_change *h_log;
    uint32_t *h_width, *d_width;   // of the iterations of a whole launch
    uint32_t ticks;                // iterations of whole launches
    int64_t phase;                 // iteration of the last put of duals, from which lists count
    double launch_s;               // time of an iteration in the last launch
    double load_s;                 // wall time of opening and loading
} overlay_gpu;

// Bytes of device memory that an instance takes on one GPU, without what the rows of class 5 take.
int64_t overlay_gpu_bytes(const mco_overlay *o);
// Whether several GPUs can share the work: whole runs are one launch on one GPU.
bool overlay_gpu_is_shared(const mco_overlay *o);

// Opens the GPUs that `gpus` names, or the first of these, and brings each its part of the instance. Errors: DEVICE, LIMIT (more device memory than
// there is, with both numbers), MEMORY, STOPPED (a limit of the run came first), ARGUMENT (`gpus`).
mco_status overlay_gpu_open(overlay_dual *d, const char *gpus, const overlay_gpu_tuning *tuning, overlay_gpu *out);
void overlay_gpu_close(overlay_gpu *g);
// First duals, as overlay.c finds them on the cores. Errors: DEVICE, MEMORY.
mco_status overlay_gpu_start(overlay_gpu *g);
// The method of d->p until its end or a limit. d->best, d->least and the iterations are those of the run. Errors: DEVICE, MEMORY.
mco_status overlay_gpu_iterate(overlay_gpu *g);

// ---- Inside: load.c and parts.c for gpu.c and each other

// Whether the run of an overlay_dual must end.
bool overlay_gpu_must_stop(void *dual);
// No row of the part has a list: all its links are near, and no dual is too low. Its device is the current one. Errors: DEVICE.
mco_status overlay_gpu_forget_lists(overlay_gpu_part *part);
// The first node of a part, or the end of the one before.
int32_t overlay_gpu_split(const mco_overlay *o, int32_t part, int32_t parts);
// Lets all GPUs write to each other's memory, or sets g->by_host. Errors: DEVICE.
mco_status overlay_gpu_reach(overlay_gpu *g);
// Gives the parts the places where they tell each other what they find. All else is there. Errors: DEVICE, MEMORY.
mco_status overlay_gpu_connect(overlay_gpu *g);
// What is enqueued next for any part comes behind what has been enqueued for all. Errors: DEVICE.
mco_status overlay_gpu_meet(overlay_gpu *g);
// Waits until what has been enqueued is done; a limit of the run ends it early. Errors: DEVICE.
mco_status overlay_gpu_wait(overlay_gpu *g);
bool overlay_gpu_starts_at_zero(const overlay_dual *d);

// ---- All

// Opens, starts, iterates, closes. *work: device time and GPU. A run that ends before its first sweep leaves no bound.
mco_status overlay_gpu_run(overlay_dual *d, const char *gpus, mco_work *work);

#endif
