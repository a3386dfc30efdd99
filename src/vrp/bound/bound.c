// SPDX-License-Identifier: MIT
// The driver of a bound: the stages of a proof, one after the other, until it is proved or the run must stop.
#include "vrp/bound/bound.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "vrp/bound/root.h"
#include "vrp/solution.h"

mco_status vrp_proof_offer(vrp_proof *proof, const mco_vrp_solution *plan, int64_t scaled_cost)
{
    mco_status st = MCO_OK;
    const int32_t n = proof->problem->customers;
    if (proof->known >= 0 && (scaled_cost > proof->known || (scaled_cost == proof->known && proof->plan.order != NULL)))
        return MCO_OK;
    if (proof->plan.order == NULL)
        MCO_TRY(vrp_solution_new(proof->ctx, n, n, &proof->plan));
    proof->plan.customers = n;
    proof->plan.routes = plan->routes;
    memcpy(proof->plan.order, plan->order, (size_t)n * sizeof *plan->order);
    memcpy(proof->plan.first, plan->first, ((size_t)plan->routes + 1) * sizeof *plan->first);
    proof->known = scaled_cost;
done:
    return st;
}

mco_status vrp_prove_first(vrp_proof *proof, double seconds)
{
    mco_status st = MCO_OK;
    vrp_root root;
    proof->open_stop_s = mco_clock_s() + seconds;
    MCO_TRY(vrp_root_open(proof, &root));
    root.stop_s = fmin(root.stop_s, proof->open_stop_s);
    MCO_TRY(vrp_root_ascend(&root));
done:
    proof->open_stop_s = 0;
    vrp_root_close(&root);
    return st == MCO_ERR_STOPPED ? MCO_OK : st;
}

// The stages of the root. Where one is stopped the bound so far holds, and what comes behind tells and rechecks it.
static mco_status raise_root(vrp_root *root, bool *is_stopped)
{
    mco_status st = MCO_OK;
    MCO_TRY(vrp_root_ascend(root));
    MCO_TRY(vrp_root_columns(root));
    MCO_TRY(vrp_root_cut_capacity(root));
    MCO_TRY(vrp_root_remove_arcs(root));
    MCO_TRY(vrp_root_cut_rank1(root));
    MCO_TRY(vrp_root_refine(root));
done:
    *is_stopped = st == MCO_ERR_STOPPED;
    return *is_stopped ? MCO_OK : st;
}

mco_status vrp_prove(vrp_proof *proof)
{
    mco_status st = MCO_OK;
    bool is_stopped = false;
    vrp_root root;
    MCO_TRY(vrp_root_open(proof, &root));
    MCO_TRY(raise_root(&root, &is_stopped));
    MCO_TRY(vrp_root_finish(&root));
    if (!is_stopped)
        MCO_TRY(vrp_root_divide(&root));
    MCO_TRY(vrp_root_recheck(&root));
done:
    // The stages leave some of the time to the last passes. What these did not need is no reason to call the proof finished.
    if (!mco_run_must_stop(proof->run, proof->result->pricings) && (is_stopped || st == MCO_ERR_STOPPED || root.lacks_time || vrp_root_is_over(&root)) &&
        (proof->known < 0 || proof->scaled_bound < proof->known))
        proof->run->stop = MCO_STOP_TIME;
    vrp_root_close(&root);
    return st == MCO_ERR_STOPPED ? MCO_OK : st;
}
