// SPDX-License-Identifier: MIT
// Which method and which engine: by memory, time, start and what the user asks for.
#include "traffic/solve.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/machine.h"
#include "base/ranks.h"
#include "device/device.h"

const char *traffic_method_text(mco_traffic_method method)
{
    static const char *const names[] = {"auto", "pairs", "fw", "cfw", "bfw"};
    return names[method];
}

// Bytes that pairs need for the flows of all rows: a number and a link for each node of each tree.
static double bytes_of_pairs(const traffic_problem *p)
{
    const double per_flow = 12, nodes_of_tree = 0.75;
    return per_flow * nodes_of_tree * (double)p->nodes * (double)p->rows;
}

double traffic_guess_seconds(const traffic_solve *s, mco_traffic_method method)
{
    const double per_step = 4e-9, passes = method == MCO_TRAFFIC_METHOD_PAIRS ? 30 : 100;
    const double steps = (double)s->problem.rows * (double)(s->problem.links + s->problem.nodes);
    return per_step * passes * steps / mco_settle_threads(s->p.threads);
}

void traffic_choose_method(traffic_solve *s)
{
    static const double HASTE = 0.25;  // of the seconds that pairs would take: with less time bfw has the smaller gap
    const double needed = bytes_of_pairs(&s->problem), allowed = mco_settle_memory(s->p.memory);
    char why[96];
    if (s->p.method != MCO_TRAFFIC_METHOD_AUTO) {
        if (s->r.reason[0] == '\0')
            snprintf(s->r.reason, sizeof s->r.reason, "%s, as asked", traffic_method_text(s->p.method));
        return;
    }
    const bool has_flow = s->start != NULL && s->start->flow != NULL;
    const bool is_warm = s->start != NULL && s->start->state != NULL;
    const bool fits = needed <= allowed, is_hasty = !is_warm && s->p.time_limit_s < HASTE * traffic_guess_seconds(s, MCO_TRAFFIC_METHOD_PAIRS);
    s->p.method = fits && !is_hasty && !has_flow ? MCO_TRAFFIC_METHOD_PAIRS : MCO_TRAFFIC_METHOD_BFW;
    if (fits && is_hasty && !has_flow)
        snprintf(why, sizeof why, "its first flows come sooner than those of pairs, the time limit is %g s", s->p.time_limit_s);
    else if (has_flow)
        snprintf(why, sizeof why, "it starts from flows of links");
    else
        snprintf(why, sizeof why, "flows of origins need about %.0f MiB, %.0f MiB are allowed", ceil(needed / (1 << 20)), allowed / (1 << 20));
    snprintf(s->r.reason, sizeof s->r.reason, "%s: %s", traffic_method_text(s->p.method), why);
}

mco_status traffic_settle_ranks(traffic_solve *s)
{
    const int ranks = mco_rank_count(s->ctx);
    mco_traffic_params *p = &s->p;
    if (ranks == 1)
        return MCO_OK;
    const char *alone = p->method == MCO_TRAFFIC_METHOD_PAIRS                      ? "the method pairs"
                        : p->engine == MCO_ENGINE_REFERENCE                        ? "the reference"
                        : p->engine == MCO_ENGINE_GPU || p->gpus != NULL           ? "the GPU engine"
                        : p->capacities == MCO_TRAFFIC_CAPACITIES_HARD             ? "an assignment with hard capacities"
                        : !s->problem.is_integral                                  ? "an assignment of streets that depend on each other"
                        : p->anarchy                                               ? "the price of anarchy"
                                                                                   : NULL;
    if (alone != NULL)
        return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "%s takes one process, %d were started; fw, cfw and bfw on cores share their loads", alone, ranks);
    if (p->method == MCO_TRAFFIC_METHOD_AUTO) {
        p->method = MCO_TRAFFIC_METHOD_BFW;
        snprintf(s->r.reason, sizeof s->r.reason, "bfw: %d ranks share its loads", ranks);
    }
    p->engine = MCO_ENGINE_CPU;
    return MCO_OK;
}

// Seconds that the cores would take, roughly. Frank-Wolfe finds trees of all rows a hundred times; pairs took 70 ns a row and link on ChicagoSketch
// and on AustinTAPB by one core, and many cores do not share the balance.
static double seconds_of_cores(const traffic_solve *s)
{
    static const double TREES_S = 4e-7, PAIRS_S = 7e-8;
    const double steps = (double)s->problem.rows * (double)(s->problem.links + s->problem.nodes);
    const int threads = mco_settle_threads(s->p.threads);
    if (s->p.method == MCO_TRAFFIC_METHOD_PAIRS)
        return PAIRS_S * steps / (threads < 4 ? threads : 4);
    return TREES_S * steps / threads;
}

mco_status traffic_choose_engine(traffic_solve *s)
{
    // Starting a GPU and preparing a network take about half a second, and the balance of pairs stays on the cores.
    static const double PAYS_S = 1;
    mco_gpu gpus[MCO_MAX_GPUS];
    int count = 0;
    mco_status st = MCO_OK;
    const bool is_family = s->p.method != MCO_TRAFFIC_METHOD_PAIRS;
    s->p.engine = mco_choose_engine(s->ctx, s->p.engine, s->p.gpus, seconds_of_cores(s), PAYS_S, NULL);
    if (s->p.engine == MCO_ENGINE_GPU)
        MCO_TRY(mco_gpus_choose(s->ctx, s->p.gpus, gpus, &count));
    for (int i = 0; i < count; i++)
        s->r.work.gpus |= (uint64_t)1 << gpus[i].index;
    if (s->p.engine == MCO_ENGINE_REFERENCE)
        s->engine = traffic_ref_assign;
#ifdef MCO_HAVE_CUDA
    else if (s->p.engine == MCO_ENGINE_GPU)
        s->engine = is_family ? traffic_gpu_frank_wolfe_assign : traffic_gpu_pairs_assign;
#endif
    else
        s->engine = is_family ? traffic_frank_wolfe_assign : traffic_pairs_assign;
    if (s->p.capacities == MCO_TRAFFIC_CAPACITIES_HARD)
        s->engine = traffic_capacitated_assign;
done:
    return st;
}
