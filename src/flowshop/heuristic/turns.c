// SPDX-License-Identifier: MIT
#include "flowshop/heuristic/turns.h"

#include <math.h>

#include "flowshop/beam/beam.h"
#include "flowshop/heuristic/heuristic.h"

// Before the greedy or a tree search: from so many jobs on, beams up to this width, with many machines narrower ones.
enum { FIRST_JOBS = 50, FIRST_MACHINES = 20, FIRST_WIDTH = 2048 };
static const double FIRST_CELLS = 2e10;  // children times machines of the widest beam
static const double BEAM_PATIENCE = 3, GREEDY_PATIENCE = 0.25;  // flowshop_run_begin_turn()

// Beams share the time from four jobs a machine on. NOTES.md has the measurements.
static bool beams_pay(const mco_flowshop *shop)
{
    return shop->jobs >= 4 * shop->machines;
}

// The greedy alone makes the best schedules of few jobs on few machines.
static bool begins_with_beams(const mco_flowshop *shop)
{
    return shop->jobs >= FIRST_JOBS && (shop->machines > FIRST_MACHINES || beams_pay(shop));
}

// Beams, whose number the result does not count.
static mco_status run_beams(flowshop_run *run, int64_t widest, flowshop_campaign *state, mco_stop *stop)
{
    const int64_t iterations = run->result->iterations;
    const mco_status st = flowshop_beam(run, -1, widest, state, stop);
    run->result->iterations = iterations;
    return st;
}

static mco_status take_turns(flowshop_run *run, mco_stop *stop)
{
    mco_status st = MCO_OK;
    flowshop_campaign beams = {0};
    bool has_beams = true;
    MCO_TRY(flowshop_campaign_create(run->ctx, run->shop->jobs, &beams));
    MCO_TRY(flowshop_heuristic(run, 0, stop));
    while (*stop == MCO_STOP_ITERATIONS && has_beams) {
        flowshop_run_begin_turn(run, BEAM_PATIENCE);
        MCO_TRY(run_beams(run, -1, &beams, stop));
        // Without memory for the next width, the greedy has all the time that is left.
        has_beams = *stop == MCO_STOP_ITERATIONS;
        if (!has_beams && (*stop != MCO_STOP_MEMORY && *stop != MCO_STOP_FINISHED))
            goto done;
        if (run->upper_bound <= run->result->bound)
            goto done;
        if (has_beams)
            flowshop_run_begin_turn(run, GREEDY_PATIENCE);
        else
            flowshop_run_end_turns(run);
        MCO_TRY(flowshop_heuristic(run, -1, stop));
    }
done:
    flowshop_campaign_destroy(run->ctx, &beams);
    return st;
}

// NEH and narrow beams, for the greedy to go on from.
static mco_status begin_with_beams(flowshop_run *run, mco_stop *stop)
{
    mco_status st = MCO_OK;
    const double n = run->shop->jobs, m = run->shop->machines, width = FIRST_CELLS / (n * n * m);
    MCO_TRY(flowshop_heuristic(run, 0, stop));
    if (*stop == MCO_STOP_ITERATIONS)
        MCO_TRY(run_beams(run, m <= FIRST_MACHINES ? FIRST_WIDTH : (int64_t)fmin(width, FIRST_WIDTH), NULL, stop));
done:
    return st;
}

mco_status flowshop_find_schedules(flowshop_run *run, mco_stop *stop)
{
    mco_status st = MCO_OK;
    const int64_t asked = run->params->iterations;
    if (asked < 0 && beams_pay(run->shop))
        return take_turns(run, stop);
    if (asked < 0 && begins_with_beams(run->shop))
        MCO_TRY(begin_with_beams(run, stop));
    MCO_TRY(flowshop_heuristic(run, asked, stop));
done:
    return st;
}

mco_status flowshop_find_first_schedule(flowshop_run *run, mco_stop *stop)
{
    mco_status st = MCO_OK;
    const int64_t asked = run->params->iterations;
    if (asked < 0 && begins_with_beams(run->shop))
        MCO_TRY(begin_with_beams(run, stop));
    MCO_TRY(flowshop_heuristic(run, asked >= 0 ? asked : flowshop_heuristic_default_iterations(run->shop), stop));
done:
    return st;
}
