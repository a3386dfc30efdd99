// SPDX-License-Identifier: MIT
// Equilibrium of streets whose costs depend on flows of other links: the variational inequality t(x) (x' - x) >= 0 for all flows x'.
//
// Diagonalisation (Dafermos 1982): where the flows u of the others are frozen, costs are separable, and an engine finds their equilibrium
// S(u). A solution is a fixed point of S. The plain iteration u <- S(u) contracts only where own flows count more than those of the
// others, so consecutive points are mixed (mix.h), and after a step that worsens the gap the search goes on from the best point, damped.
// S is found only as closely as the gap deserves. The gap is that of the true costs t(x), by least costs of all trips.
//
// System optimum: the same with marginal costs, cross terms included (freeze.c). The total cost need not be convex, so a gap of 0
// certifies a stationary point of it, and no bound.
#include <string.h>

#include "base/machine.h"
#include "traffic/least/least.h"
#include "traffic/streets/mix.h"
#include "traffic/streets/types.h"
#include "traffic/engine.h"

static const double FIRST_GAP = 1e-2, GAP_SHARE = 0.05, LEAST_GAP = 1e-14;  // of inner solves: first, by the last gap, least
static const double WORSE = 4;          // a gap so many times the least one since a restart restarts from the best point
static const double LEAST_DAMPING = 1.0 / 64;
static const double PROGRESS = 0.9;     // a gap below this share of the last noted one is progress
enum { PATIENCE = 40 };                 // passes without progress that end the search
enum { INNER_ITERATIONS = 200 };        // of an inner solve: its gap may be out of reach

typedef struct solver {
    mco_context *ctx;
    const traffic_call *call;
    traffic_engine *inner;
    traffic_problem problem;       // the call's, with costs of its own
    mco_traffic_params params;     // of inner solves
    traffic_history quiet;         // passes of inner solves, which nobody sees
    bool is_marginal;
    double *base, *p, *k;          // [links]
    double *u, *best_u, *weight, *cost;  // [links]
    double *frozen;                // [links of the network]
    traffic_least least;
    traffic_mix mix;
    traffic_answer best;
    double best_gap, damping;
    double least_gap;              // since the last restart; infinity: none since then
    int64_t passes;
    double device_s;
    bool is_cold;                  // the last inner solve missed its gap: the next one begins anew
} solver;

// Flows of the links of a problem, by those of the network.
static void flows_of_network(const traffic_problem *problem, const double *flow, double *out)
{
    const mco_traffic_network network = mco_traffic_view(problem->traffic);
    for (int32_t a = 0; a < network.links; a++)
        out[a] = flow[problem->link_at[a]] < 0 ? 0 : flow[problem->link_at[a]];
}

static void freeze(solver *s, const double *flow)
{
    flows_of_network(&s->problem, flow, s->frozen);
    traffic_streets_freeze(&s->problem, s->is_marginal, s->problem.fixed, s->frozen, s->base, s->p, s->k);
}

static mco_status open_solver(solver *s)
{
    mco_status st = MCO_OK;
    mco_context *ctx = s->ctx;
    const int32_t links = s->problem.links;
    MCO_TRY(mco_alloc(ctx, &s->base, links));
    MCO_TRY(mco_alloc(ctx, &s->p, links));
    MCO_TRY(mco_alloc(ctx, &s->k, links));
    MCO_TRY(mco_alloc(ctx, &s->u, links));
    MCO_TRY(mco_alloc(ctx, &s->best_u, links));
    MCO_TRY(mco_alloc(ctx, &s->weight, links));
    MCO_TRY(mco_alloc(ctx, &s->cost, links));
    MCO_TRY(mco_alloc(ctx, &s->frozen, mco_traffic_view(s->problem.traffic).links));
    MCO_TRY(traffic_mix_open(ctx, links, &s->mix));
    MCO_TRY(traffic_least_open(ctx, &s->problem, mco_settle_threads(s->call->params->threads), &s->least));
    s->problem.costs = (traffic_costs){.shape = TRAFFIC_CUBIC, .base = s->base, .k = s->k, .p = s->p};
done:
    return st;
}

static void close_solver(solver *s)
{
    mco_context *ctx = s->ctx;
    traffic_least_close(&s->least);
    traffic_mix_close(ctx, &s->mix);
    traffic_answer_clear(ctx, &s->best);
    mco_free(ctx, &s->quiet.pass);
    mco_free(ctx, &s->frozen);
    mco_free(ctx, &s->cost);
    mco_free(ctx, &s->weight);
    mco_free(ctx, &s->best_u);
    mco_free(ctx, &s->u);
    mco_free(ctx, &s->k);
    mco_free(ctx, &s->p);
    mco_free(ctx, &s->base);
}

// The first frozen flows: those of the start, else 0.
static void begin_flows(solver *s)
{
    const traffic_flows *flows = s->call->start_flows;
    if (s->call->start_flow != NULL)
        memcpy(s->u, s->call->start_flow, (size_t)s->problem.links * sizeof *s->u);
    else if (flows != NULL && flows->first != NULL)
        for (int64_t i = 0; i < flows->first[flows->rows]; i++)
            s->u[flows->link[i]] += flows->flow[i];
}

// The equilibrium at the frozen flows u, to a gap that the best one deserves.
static mco_status solve_frozen(solver *s, traffic_answer *out)
{
    traffic_call call = *s->call;
    const bool has_best = s->best.flow != NULL;
    freeze(s, s->u);
    call.problem = &s->problem;
    call.params = &s->params;
    call.history = &s->quiet;
    call.wants_state = true;
    const double least = s->call->gap > 0 ? fmax(LEAST_GAP, GAP_SHARE * s->call->gap) : LEAST_GAP;
    call.gap = isfinite(s->best_gap) ? fmax(least, fmin(FIRST_GAP, GAP_SHARE * s->best_gap)) : FIRST_GAP;
    if (has_best && !s->is_cold) {
        call.start_flows = s->best.flows.first != NULL ? &s->best.flows : NULL;
        call.start_pairs = call.start_flows != NULL ? &s->best.pairs : NULL;
        call.start_plan = s->best.plan.batches > 0 ? &s->best.plan : NULL;
        call.start_flow = s->problem.classes == 1 ? s->best.flow : NULL;  // flows of links start one class alone
    }
    const mco_status st = s->inner(s->ctx, &call, out);
    s->is_cold = st == MCO_OK && out->gap > call.gap;
    s->device_s += out->device_s;
    s->quiet.count = 0;
    return st;
}

// The sum of flow * cost of classes by their own constants.
static double extra_cost(const traffic_problem *problem, const traffic_answer *answer)
{
    double sum = 0;
    if (problem->extra == NULL)
        return 0;
    for (int64_t i = 0; i < (int64_t)problem->classes * problem->links; i++)
        sum += problem->extra[i] * (answer->class_flow != NULL ? answer->class_flow[i] : answer->flow[i]);
    return sum;
}

// The gap of the variational inequality, and the total cost that travellers pay. Freezes at these flows; weights are the own slopes.
static mco_status judge(solver *s, const traffic_answer *answer, double *gap, double *paid)
{
    mco_status st = MCO_OK;
    const traffic_problem *problem = &s->problem;
    double total = extra_cost(problem, answer), least = 0;
    const mco_traffic_network network = mco_traffic_view(problem->traffic);
    *paid = total;
    freeze(s, answer->flow);
    for (int32_t e = 0; e < problem->links; e++) {
        const int32_t a = problem->origin_link[e];
        s->cost[e] = traffic_cost(&problem->costs, e, answer->flow[e]);
        s->weight[e] = traffic_slope(&problem->costs, e, answer->flow[e]);
        total += answer->flow[e] * s->cost[e];
        double own = s->cost[e];
        if (a >= 0 && s->is_marginal) {
            const traffic_street_terms terms = traffic_street_terms_of(&network, a);
            const traffic_street_others others = traffic_street_others_of(&network, a, s->frozen);
            own = problem->fixed[e] + traffic_street_cost(&terms, answer->flow[e], &others);
        }
        *paid += answer->flow[e] * own;
    }
    MCO_TRY(traffic_least_sum(&s->least, s->call->run, s->cost, problem->extra, &least));
    *gap = total > 0 ? fmax(0, (total - least) / total) : 0;
done:
    return st;
}

// Moves u to where the next solve is frozen. The best gap may be luck, of an inner solve whose errors took off what freezing adds, and out of
// reach again: so the first point behind a restart is taken whatever its gap is.
static void move(solver *s, const traffic_answer *trial, double gap)
{
    const int64_t links = s->problem.links;
    if (gap > WORSE * s->least_gap) {
        for (int64_t e = 0; e < links; e++)
            s->u[e] = s->best_u[e] + s->damping * (s->best.flow[e] - s->best_u[e]);
        s->damping = fmax(LEAST_DAMPING, s->damping / 2);
        traffic_mix_restart(&s->mix);
        s->least_gap = INFINITY;
    } else {
        s->least_gap = fmin(s->least_gap, gap);
        traffic_mix_next(&s->mix, s->weight, trial->flow, s->u);
    }
    for (int64_t e = 0; e < links; e++)
        s->u[e] = fmax(0, s->u[e]);
}

static void swap_answers(traffic_answer *a, traffic_answer *b)
{
    const traffic_answer held = *a;
    *a = *b;
    *b = held;
}

// One pass: a frozen solve, its gap, the next point. *is_over: nothing more is to be done.
static mco_status pass(solver *s, bool *is_over)
{
    mco_status st = MCO_OK;
    traffic_answer trial = {0};
    double gap = INFINITY, paid = NAN;
    MCO_TRY(solve_frozen(s, &trial));
    st = judge(s, &trial, &gap, &paid);
    if (st != MCO_OK && st != MCO_ERR_STOPPED)
        goto done;
    const bool is_stopped = st == MCO_ERR_STOPPED;
    st = MCO_OK;
    s->passes++;
    if (!is_stopped)
        MCO_TRY(traffic_note(s->call, s->is_marginal ? paid : NAN, gap));
    const bool is_best = s->best.flow == NULL || gap < s->best_gap;
    if (is_best) {
        s->best_gap = gap;
        memcpy(s->best_u, s->u, (size_t)s->problem.links * sizeof *s->u);
    }
    *is_over = is_stopped || gap <= s->call->gap || mco_run_must_stop(s->call->run, s->passes) ||
               (s->call->params->iterations > 0 && s->passes >= s->call->params->iterations);
    if (!*is_over)
        move(s, &trial, gap);
    if (is_best)
        swap_answers(&trial, &s->best);
done:
    traffic_answer_clear(s->ctx, &trial);
    return st;
}

mco_status traffic_streets_assign(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_params *params, traffic_engine *inner,
                                  const traffic_call *call, traffic_answer *out)
{
    mco_status st = MCO_OK;
    const mco_traffic_network network = mco_traffic_view(traffic);
    solver s = {.ctx = ctx, .call = call, .inner = inner, .problem = *call->problem, .params = *call->params, .quiet.is_quiet = true,
                .is_marginal = params->objective == MCO_TRAFFIC_SO, .best_gap = INFINITY, .least_gap = INFINITY, .damping = 0.5};
    if (!traffic_streets_interact(&network))
        return inner(ctx, call, out);
    s.params.iterations = INNER_ITERATIONS;
    MCO_TRY(open_solver(&s));
    begin_flows(&s);
    double noted = INFINITY;
    bool is_over = false;
    for (int idle = 0; !is_over && idle < PATIENCE; idle++) {
        st = pass(&s, &is_over);
        if (st == MCO_ERR_STOPPED && s.best.flow != NULL) {
            st = MCO_OK;
            break;
        }
        MCO_TRY(st);
        if (s.best_gap < PROGRESS * noted) {
            noted = s.best_gap;
            idle = -1;
        }
    }
    if (!is_over && s.best_gap > call->gap)
        mco_log(ctx, MCO_LOG_WARNING, "%d passes brought the gap no lower than %.3g: the flows are not settled further", PATIENCE, s.best_gap);
    traffic_certificate_clear(ctx, &s.best.certificate);  // of the costs of an inner solve
    s.best.certificate = (traffic_certificate){0};
    *out = s.best;
    s.best = (traffic_answer){0};
    out->gap = isfinite(s.best_gap) ? s.best_gap : 1;
    out->iterations = s.passes;
    out->device_s = s.device_s;
done:
    close_solver(&s);
    return st;
}

mco_status traffic_streets_settle(mco_context *ctx, const mco_traffic_params *params, const double *flow, traffic_problem *problem)
{
    mco_status st = MCO_OK;
    double *frozen = NULL;
    MCO_TRY(mco_alloc(ctx, &frozen, mco_traffic_view(problem->traffic).links));
    flows_of_network(problem, flow, frozen);
    // The arrays belong to the problem, which only engines may not write.
    traffic_streets_freeze(problem, params->objective == MCO_TRAFFIC_SO, problem->fixed, frozen, (double *)problem->costs.base,
                           (double *)problem->costs.p, (double *)problem->costs.k);
done:
    mco_free(ctx, &frozen);
    return st;
}
