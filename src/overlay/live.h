// SPDX-License-Identifier: MIT
// What is behind mco_overlay_live: a network, its sweeps, its search.
#ifndef MCO_OVERLAY_LIVE_H
#define MCO_OVERLAY_LIVE_H

#include "overlay/dual.h"
#include "overlay/network.h"
#include "overlay/search.h"

struct mco_overlay_live {
    mco_overlay_bound_params bound;
    mco_overlay_live_params p;
    mco_run run;
    const overlay_build *build;
    int threads;
    overlay_network network;
    overlay_dual dual;
    int64_t dual_room, degree_room;  // slots and entries of a row that `dual` has room for
    uint32_t *duals;                 // [dual_room], padded: of the last bound
    overlay_search search;
    int32_t searched;                // slots that the search knows
    int64_t rounds;                  // since the candidates were listed
    int64_t sweeps;                  // of a round
    int32_t *joined, *left;          // [joins], [leaves] slots of this round
    int32_t *listed, *touched;       // [lists] slots with new links; [touches] those whose bandwidth is to be used again
    int64_t joins, leaves, lists, touches, join_room, leave_room, list_room, touch_room;
    double bound_value, worth;
    int64_t kept;
};

// A network without nodes, with its parameters. Errors: ARGUMENT, DEVICE (no engine runs on GPUs), MEMORY.
mco_status overlay_live_new(mco_context *ctx, const mco_overlay *instance, const mco_overlay_bound_params *bound,
                            const mco_overlay_live_params *params, mco_overlay_live **out);
// The first round, which has no event. *r is the bound's result, which the caller releases. Errors: as mco_overlay_bound(), STOPPED.
mco_status overlay_live_begin(mco_overlay_live *live, const mco_overlay *instance, mco_overlay_bound_result *r, mco_overlay_round *first);
// As mco_overlay_live_advance(): a cancel stays.
mco_status overlay_live_advance(mco_overlay_live *live, const mco_overlay_event *events, int64_t count, mco_overlay_round *out);

#endif
