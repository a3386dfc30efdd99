// SPDX-License-Identifier: MIT
// What runs tasks: the cores (vrp/search/cores.c), or a GPU (vrp/search/gpu.c).
#ifndef MCO_VRP_SEARCH_PROCESSOR_H
#define MCO_VRP_SEARCH_PROCESSOR_H

#include "vrp/search/task.h"

// What runs tasks. How large and how many they should be is its own to say.
typedef struct vrp_processor {
    mco_context *ctx;
    const mco_vrp *problem;
    void *state;
    int32_t tasks;           // at most at a time, a round
    int32_t part_customers;  // of a part, about; at most twice as many
    int32_t part_routes;     // at most
    int64_t steps_per_customer;  // of a task
    int threads;
    mco_simd simd;           // AUTO: none
    uint64_t gpus;           // as in mco_work; 0: cores
    double device_s;
    int64_t steps;           // done so far, all walks together
    bool (*ends)(void *user);  // asked every few milliseconds of a run, by the calling thread: true ends it; NULL: never
    void *user;
    // Runs tasks [count], each with parts of its own, no two of which share a route. Errors: MEMORY, DEVICE. Returns early,
    // with what was found, once mco_is_cancelled() or `stop_s`, a moment of mco_clock_s(), has passed.
    mco_status (*run)(struct vrp_processor *processor, vrp_task *tasks, int32_t count, double stop_s);
    void (*close)(struct vrp_processor *processor);
} vrp_processor;

#endif
