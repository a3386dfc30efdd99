// SPDX-License-Identifier: MIT
// The driver of a bound: for now one pass of through-q-routes, the bound of Christofides, Mingozzi and Toth (1981) without ascent.
#include "vrp/bound/bound.h"

#include <math.h>
#include <string.h>

#include "base/machine.h"
#include "vrp/bound/entry.h"
#include "vrp/bound/prices.h"
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

mco_status vrp_prove(vrp_proof *proof)
{
    mco_status st = MCO_OK;
    vrp_bound_problem problem = {0};
    vrp_relax_settings settings;
    vrp_q_pass *q = NULL;
    int32_t *price = NULL, *arcs = NULL;
    const mco_vrp_bound_params *p = proof->params;
    MCO_TRY(vrp_bound_open(proof->ctx, proof->problem, p->vehicles_exactly, &problem));
    MCO_TRY(vrp_bound_settle(proof->ctx, p->engine, p->simd, p->gpus, p->threads, p->memory, 1, &settings));
    MCO_TRY(mco_alloc(proof->ctx, &price, problem.nodes));
    MCO_TRY(mco_alloc(proof->ctx, &arcs, (int64_t)problem.nodes * problem.stride));
    vrp_prices_arcs(&problem, price, NULL, NULL, arcs);
    MCO_TRY(vrp_q_open(proof->ctx, &problem, &settings, &q));
    MCO_TRY(vrp_q_run(proof->ctx, q, arcs, proof->run->stop_s));
    proof->scaled_bound = vrp_bound_proved(&problem, vrp_prices_bound(&problem, price, NULL, vrp_q_least_route(q)));
    mco_run_raise_bound(proof->run, (double)proof->scaled_bound / proof->problem->scale);
    proof->result->pricings = 1;
    (void)mco_run_must_stop(proof->run, 1);
done:
    vrp_q_close(proof->ctx, &q);
    mco_free(proof->ctx, &arcs);
    mco_free(proof->ctx, &price);
    vrp_bound_problem_close(proof->ctx, &problem);
    return st == MCO_ERR_STOPPED ? MCO_OK : st;
}
