// SPDX-License-Identifier: MIT
// Two GPUs for the two directions of an asymmetric problem: a pass has the paths from the depot, its twin on the other GPU those of the
// transposed arcs. A thread serves each of them. A symmetric problem has one direction, so its second GPU has nothing to do.
#ifndef MCO_VRP_BOUND_RELAX_TWIN_H
#define MCO_VRP_BOUND_RELAX_TWIN_H

#include "base/team.h"
#include "vrp/bound/relax/q.h"

enum { VRP_TWIN_NAME = 12 };

// Which directions a pass computes.
typedef enum vrp_direction { VRP_BOTH_DIRECTIONS, VRP_FORWARD, VRP_BACKWARD } vrp_direction;

typedef struct vrp_twin {
    char gpu[2][VRP_TWIN_NAME];  // as --gpus names them; "": chosen by default
    bool is_there;               // two GPUs and two directions
    mco_team team;
    mco_context *ctx;            // of the twin
} vrp_twin;

// Sets the names of the GPUs alone. Errors: as below.
mco_status vrp_twin_name(mco_context *ctx, const vrp_relax_settings *settings, vrp_twin *out);
// Takes the GPUs that the settings name. Errors: ARGUMENT (more than two), DEVICE, MEMORY.
mco_status vrp_twin_open(mco_context *ctx, const vrp_bound_problem *problem, const vrp_relax_settings *settings, vrp_twin *out);
void vrp_twin_close(vrp_twin *twin);

typedef mco_status vrp_twin_work(mco_context *ctx, void *shared, int direction);
// Runs work(.., 0) and work(.., 1) at the same time. Errors: the first one's, else the second one's.
mco_status vrp_twin_run(mco_context *ctx, vrp_twin *twin, vrp_twin_work *work, void *shared);

#endif
