// SPDX-License-Identifier: MIT
// Copies of a solution on a GPU, as the host has them (vrp/search/herd.c). vrp/search/crowd.c says what becomes of them.
#ifndef MCO_VRP_SEARCH_HERD_H
#define MCO_VRP_SEARCH_HERD_H

#include "device/device_cuda.h"
#include "vrp/search/crowd_cuda.h"
#include "vrp/search/rounds.h"

enum {
    VRP_HERD_ROUTES = 4,            // of a part, at least, on average
    VRP_HERD_FULL_STEPS = 12000     // per customer of the whole: copies that get more have fewer parts
};

typedef struct vrp_herd {
    vrp_rounds *s;
    mco_device device;
    vrp_crowd crowd;
    int32_t most_copies, walks;     // tables hold one copy more
    double rate;                    // steps a second of a walk
    double begin_share, end_share;  // of the search
    int64_t best_cost;              // by the distances of the device: of the best copy that was fetched
    int32_t *d_from, *d_to, *d_stop;
    int64_t *h_cost, *h_steps;      // pinned: [most_copies + 1], [1]
    vrp_crowd_ring *h_ring;         // pinned: [rings + 1]
    uint16_t *h_line;               // pinned: [rings * room]
    int32_t *h_from, *h_to;         // pinned: [most_copies + 1]
} vrp_herd;

// Opens the GPU that s->search->params->gpus names, and sends it the instance and s->now as copy 0. The stage ends at
// `share` of the search. The caller closes h->device in any case. Errors: MEMORY, DEVICE.
mco_status vrp_herd_open(vrp_rounds *s, double share, vrp_herd *h);

// The most parts of a copy by its routes.
double vrp_herd_most_parts(const vrp_herd *h);
// Steps of one walk until the end of the stage.
double vrp_herd_steps(const vrp_herd *h);
// Parts of a copy for walks of so many steps a customer.
int32_t vrp_herd_parts_for(const vrp_herd *h, double steps_per_customer);
// Sets the parts of a copy, and as many copies as there are walks for.
void vrp_herd_set_parts(vrp_herd *h, int32_t parts);
// The steps of a walk that does `share` of what is left of the stage; 0 if not one is left for each.
int64_t vrp_herd_steps_for(const vrp_herd *h, double share);

// Copies h_from[k] replace h_to[k], k = 0..count-1. Errors: DEVICE.
mco_status vrp_herd_copy(vrp_herd *h, int32_t count);
// All copies become equal to copy 0, and the one behind the last too. Errors: DEVICE.
mco_status vrp_herd_spread(vrp_herd *h);
// Cuts the copies and walks them by plan->steps, hot, cold and spread; then h_cost [copies] has their costs. With
// `is_same` all copies are cut alike, and copy 0 gets the best of each part. Ends early when the search has to. Errors:
// DEVICE.
mco_status vrp_herd_walk(vrp_herd *h, vrp_crowd_plan *plan, bool is_same);
// Fetches a copy. It becomes s->now, and is noted under the name `source`, if it is feasible and better. Errors: MEMORY,
// DEVICE.
mco_status vrp_herd_fetch(vrp_herd *h, int32_t copy, const char *source);

#endif
