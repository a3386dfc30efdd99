// SPDX-License-Identifier: MIT
// What runs tasks: the cores (vrp/search/cores.c), or a GPU (vrp/search/gpu.c).
#ifndef MCO_VRP_SEARCH_PROCESSOR_H
#define MCO_VRP_SEARCH_PROCESSOR_H

#include "base/team.h"
#include "vrp/search/task.h"

struct vrp_rounds;

// What runs tasks. It says how large they should be, and how many.
typedef struct vrp_processor {
    mco_context *ctx;
    const mco_vrp *problem;
    void *state;
    int32_t tasks;           // that run at the same time
    int32_t part_customers;  // of a part, about
    int32_t part_routes;     // of a part, at most
    int64_t steps_per_customer;  // of a task
    int threads;
    mco_simd simd;           // AUTO: none
    uint64_t gpus;           // as in mco_work; 0: cores
    double device_s;         // seconds of kernels so far
    int64_t steps;           // done so far, all walks together
    bool (*ends)(void *user);  // the calling thread of a run asks it every few milliseconds; true ends the run
    void *user;
    // Runs tasks [count], no two of which share a route. Returns early, with what was found, once mco_is_cancelled() is
    // true or `stop_s`, a moment of mco_clock_s(), has passed. Errors: MEMORY, DEVICE.
    mco_status (*run)(struct vrp_processor *processor, vrp_task *tasks, int32_t count, double stop_s);
    // Does work(shared, worker, item) for each of the items on all threads; NULL: the calling thread does such work. When a run would end
    // early, no further item is begun; then false.
    bool (*each)(struct vrp_processor *processor, int64_t items, mco_team_item *work, void *shared, double stop_s);
    // Anneals copies of the whole solution (vrp_crowd_run() of vrp/search/crowd.h); NULL if it does not take the instance.
    mco_status (*crowd)(struct vrp_rounds *rounds, double share, bool is_whole, double *device_s);
    void (*close)(struct vrp_processor *processor);
} vrp_processor;

#endif
