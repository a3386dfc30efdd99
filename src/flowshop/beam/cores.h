// SPDX-License-Identifier: MIT
// One beam after another on the cores.
//
// A beam goes down the tree of the branch and bound layer by layer and keeps the best `width` nodes of each. All threads work on
// the same beam; its schedule and whether it discards are the same for any number of threads, vector unit and lane width.
#ifndef MCO_FLOWSHOP_BEAM_CORES_H
#define MCO_FLOWSHOP_BEAM_CORES_H

#include "flowshop/beam/layer.h"
#include "flowshop/run.h"

typedef struct flowshop_beam_outcome {
    int64_t makespan;      // of the schedule found, INT64_MAX if none is below the target
    const int32_t *order;  // [jobs] that schedule, until the next beam
    bool is_complete;      // else the run was over before its end
    bool has_discarded;    // children below the target. A complete beam that has discarded none proves min(makespan, target)
    bool is_narrowed;      // to end in time
    int64_t bounded;       // children
} flowshop_beam_outcome;

typedef struct flowshop_cores_beam flowshop_cores_beam;

// look(user) is called by the calling thread, at least every 10 ms while threads work; once it says that the run is over, the
// beam gives up. The engine of the run tells whether the reference makes the layers. The bounds of the run's instance stay below
// `largest`. `run` is borrowed. Errors: MEMORY, ARGUMENT (the vector unit asked for is missing).
mco_status flowshop_cores_beam_create(flowshop_run *run, int64_t largest, float idle_share, flowshop_beam_look *look, void *user,
                                      flowshop_cores_beam **out);
void flowshop_cores_beam_destroy(mco_context *ctx, flowshop_cores_beam **beam);

// What all its layers share; and the jobs placed in the newest one, for the log.
const flowshop_beam_shape *flowshop_cores_beam_shape(const flowshop_cores_beam *beam);
int32_t flowshop_cores_beam_depth(const flowshop_cores_beam *beam);

// The vector unit and lane width of its layers.
mco_build flowshop_cores_beam_build(const flowshop_cores_beam *beam);

// Bytes that beams up to `width` take. Paths count as 24 layers, which they seldom take.
double flowshop_cores_beam_bytes(const flowshop_cores_beam *beam, int64_t width);

// Runs a beam below `target`. If it would end later than `end_s` seconds after the run's begin, its last layers are narrower.
// O(width jobs^2 machines). Errors: MEMORY.
mco_status flowshop_cores_beam_run(flowshop_cores_beam *beam, int64_t width, int64_t target, double end_s, flowshop_beam_outcome *out);

#endif
