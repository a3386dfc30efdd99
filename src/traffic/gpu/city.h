// SPDX-License-Identifier: MIT
// A problem on one GPU: its network by slots, its rows, and what trees and steps need.
#ifndef MCO_TRAFFIC_GPU_CITY_H
#define MCO_TRAFFIC_GPU_CITY_H

#include "device/device_cuda.h"
#include "traffic/engine.h"
#include "traffic/gpu/cuda.h"
#include "traffic/gpu/wide.h"

// How trees and steps run. Zero members take the defaults.
typedef struct traffic_gpu_tuning {
    int32_t threads;        // of a row's block: 128 to 1024
    int32_t arcs_in_shared; // 1: yes, 2: no; 0: where at least three blocks share a multiprocessor
    int32_t pulls;          // after an evaluation; of a warp between barriers
    int32_t way;            // 0: by size; 1: a block a row, trees from those before; 2: a hierarchy, a block a row loads; 3: a hierarchy and walks; 4: a
                            // block a row, slots in registers, where they fit
    bool keeps_apart;       // a launch waits for the one before, also where they may overlap
    int32_t chunk;          // steps between two looks of the host, at most
    double flow_unit;       // cars of a unit of loads; 0: by the rows
    const traffic_gpu_wide *like;  // its hierarchy serves this one too, and outlives it; NULL: an own one
} traffic_gpu_tuning;

typedef struct traffic_gpu_city {
    const traffic_problem *problem;  // borrowed
    mco_device device;
    traffic_gpu_tuning tuning;
    traffic_gpu_trees trees;
    traffic_gpu_steps steps;
    traffic_gpu_wide *wide;          // loads by a hierarchy; NULL: by a block a row
    double scale;                    // of costs in labels, after iterations
    int32_t per_multiprocessor;      // blocks of trees
    int64_t bytes;                   // of device memory
    struct traffic_gpu_fleet *fleet; // of several GPUs, this one the first; NULL: there is one
} traffic_gpu_city;
typedef struct traffic_gpu_fleet traffic_gpu_fleet;

// Opens a GPU, or all of call->gpus, and brings the problem there, with the costs of empty links. Errors: DEVICE, LIMIT (more device memory than there is, with both numbers), MEMORY. Where trees do not fit into a block, or tuning->way asks, a
// hierarchy is prepared: STOPPED too.
mco_status traffic_gpu_city_open(mco_context *ctx, const traffic_call *call, const traffic_gpu_tuning *tuning, traffic_gpu_city *out);
// No flows, no trees, costs of empty links: as after opening.
mco_status traffic_gpu_city_restart(traffic_gpu_city *city);
void traffic_gpu_city_close(traffic_gpu_city *city);
// Whether a block's shared memory holds the network's trees.
bool traffic_gpu_city_fits(const traffic_problem *problem, size_t shared_bytes);
// Cars of a unit of loads.
double traffic_gpu_flow_unit(const traffic_problem *problem);
// Flows [links] and, for several classes, [classes][links], from and to slots. `flow` is in the problem's order.
mco_status traffic_gpu_city_put(traffic_gpu_city *city, const double *flow);
mco_status traffic_gpu_city_get(traffic_gpu_city *city, double *flow, double *class_flow);
// Loads of the last trees, cars, [classes][links].
mco_status traffic_gpu_city_loads(traffic_gpu_city *city, double *load);

// frank_wolfe: runs until the gap, a limit or the clock. As traffic_gpu_frank_wolfe_assign() on an open city; the answer's flows are filled.
mco_status traffic_gpu_iterate(mco_context *ctx, const traffic_call *call, traffic_gpu_city *city, traffic_answer *out);

#endif
