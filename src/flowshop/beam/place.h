// SPDX-License-Identifier: MIT
// Where beams run: on the cores, on one GPU, or a wide one on several. All give the same schedules, so each beam may run where it is faster.
#ifndef MCO_FLOWSHOP_BEAM_PLACE_H
#define MCO_FLOWSHOP_BEAM_PLACE_H

#include "flowshop/beam/gpu/engine.h"
#include "flowshop/run.h"

typedef struct flowshop_beam_place {
    flowshop_run *run;
    const flowshop_beam_shape *shape;
    double memory;           // bytes on each GPU at most, INFINITY: what is free
    flowshop_beam_gpu *gpu;  // of one GPU or those named; NULL: none is open
    bool has_looked;         // for a GPU; it is done once
    double cells_per_s;      // of the cores, as measured in a beam before; 0: not yet
    double begin_s, cells;   // of the newest beam, if it runs on the cores; cells is 0 if not
} flowshop_beam_place;

// Refuses an instance that the GPU asked for cannot take, whether its beams would get there or not. Errors: LIMIT.
mco_status flowshop_beam_refuse_place(const flowshop_run *run);

// Says where a beam of `width` runs, right before it does. With engine gpu always on the GPU; with auto on one if that is faster by
// estimate, which takes the rate of the cores from the beam before. Opens the GPU when it is first needed. Errors: with engine gpu
// DEVICE, LIMIT, MEMORY.
mco_status flowshop_beam_choose_place(flowshop_beam_place *place, int64_t width, bool *is_on_gpu);

// After a failure on the GPU: with auto closes it, says so in the log and returns MCO_OK, so that the cores go on; else returns `failure`.
mco_status flowshop_beam_leave_gpu(flowshop_beam_place *place, mco_status failure);

// Runs a beam on the GPU that flowshop_beam_choose_place() chose, as flowshop_beam_gpu_run().
mco_status flowshop_beam_run_on_gpu(flowshop_beam_place *place, const flowshop_beam_gpu_task *task, flowshop_beam_gpu_answer *out,
                                    int32_t *order);

void flowshop_beam_close_place(flowshop_beam_place *place);

// The width that fits the memory of the GPU, and the bytes there with beams up to `width`; 0 where none is open.
int64_t flowshop_beam_place_widest(const flowshop_beam_place *place);
double flowshop_beam_place_bytes(const flowshop_beam_place *place, int64_t width);

#endif
