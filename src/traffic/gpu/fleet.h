// SPDX-License-Identifier: MIT
// Several GPUs: each finds trees and loads of some of the rows, and all make the same steps from the loads of all rows. Loads are integers and
// sums have a fixed order, so flows do not depend on the number of GPUs, as long as these are of one kind.
#ifndef MCO_TRAFFIC_GPU_FLEET_H
#define MCO_TRAFFIC_GPU_FLEET_H

#include "traffic/gpu/city.h"

// The rows of a GPU.
typedef struct traffic_gpu_member {
    traffic_problem part;             // the problem with these rows alone; its arrays are borrowed
    traffic_gpu_city own, *city;      // `own` is open for all but the first member
    unsigned long long *d_mine[2];    // [classes * links + 1] loads of its rows, and the greatest label; by turns
    unsigned long long *d_others;     // [members - 1][classes * links + 1]
    cudaEvent_t loaded;
} traffic_gpu_member;

struct traffic_gpu_fleet {
    mco_context *ctx;
    int count, turn;
    traffic_gpu_member member[MCO_MAX_GPUS];
};

// Opens the GPUs of call->gpus. `first` is the city that gets the first rows; the fleet belongs to it. Errors: as traffic_gpu_city_open().
mco_status traffic_gpu_fleet_open(mco_context *ctx, const traffic_call *call, const traffic_gpu_tuning *tuning, traffic_gpu_city *first);
// Before the first step of a solve: what steps need of the first city, and empty loads.
mco_status traffic_gpu_fleet_begin(traffic_gpu_fleet *fleet);
// Enqueues the loads of all rows and a step on all GPUs. Errors: STOPPED, DEVICE.
mco_status traffic_gpu_fleet_step(traffic_gpu_fleet *fleet, mco_run *run);
// Waits for all GPUs: what is enqueued is short.
void traffic_gpu_fleet_wait(traffic_gpu_fleet *fleet);
// All but the first city. NULL is allowed.
void traffic_gpu_fleet_close(mco_context *ctx, traffic_gpu_fleet **fleet);

#endif
