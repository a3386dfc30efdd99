// SPDX-License-Identifier: MIT
// Hard capacities (Nesterov, de Palma 2003): least sum of flow * free cost with flow <= capacity, and prices that make it an equilibrium.
//
// Dual: the greatest, over prices m >= 0, of D(m) = sum of trips * least cost at (free cost + m) - sum of capacity * m. Every D(m) is a
// bound. With the prices of the best dual every used path is a cheapest one: system optimum and equilibrium have the same flows, and the
// equilibrium pays the prices by waiting.
//
// Multipliers (nonlinear rescaling: Polyak 1992): with prices m, a link costs free cost + m g(flow / capacity), where g grows steeply around
// g(1) = 1: Spiess' conical function, whose sharpness rises from pass to pass. An engine for soft capacities finds the equilibrium; m g
// there are the next prices, so they are 0 in the limit where flow < capacity, and flows tend to capacity where they are not. Steep costs
// are hard to solve: where an engine misses its gap, sharpness falls and stays below, and the prices are those of the best pass.
//
// Certificate of demand above capacity: prices d >= 0 with sum of trips * least cost at d > sum of capacity * d. D grows without bound
// along d. Prices of such a pass grow fastest across the narrow cut, so they are tried as d.
#include <stdio.h>
#include <string.h>

#include "base/machine.h"
#include "traffic/engine.h"
#include "traffic/least/least.h"

static const double FIRST_GAP = 1e-3, GAP_SHARE = 0.05, LEAST_GAP = 1e-14;  // of inner solves: first, by the last gap, least
static const double FIRST_PRICE = 0.25;        // by the mean free cost
static const double LEAST_PRICE = 1e-13;       // by the same: prices come back from there
static const double FIRST_SHARPNESS = 4, SHARPER = 2, MOST_SHARPNESS = 4096, LEAST_MOST_SHARPNESS = 32;
static const double PROGRESS = 0.9;            // a gap below this share of the last noted one is progress
static const double SHARPEN = 0.1;             // by a pass without progress, of the gap of inner solves
static const double CERTAIN = 1e-9;            // the certificate exceeds rounding by far
static const double STAYS = 0.01;              // a flow that moves by less, of what it exceeds its capacity by, has stayed
static const double MOST_FACTOR = 2;           // of a price whose flow stays, beyond what a pass says
enum { MOST_DOUBLINGS = 20 };                  // of the power of its factor
enum { PATIENCE = 30 };                        // passes without progress that end the search
enum { INNER_PASSES = 40, INNER_ITERATIONS = 200 };  // of an inner solve by pairs, by Frank-Wolfe: its gap may be out of reach

typedef struct solver {
    mco_context *ctx;
    const traffic_call *call;
    traffic_engine *inner;
    traffic_problem problem;       // the call's, with steep costs of its own
    mco_traffic_params params;     // of inner solves
    traffic_history quiet;         // passes of inner solves, which nobody sees
    const double *free;            // [links] free costs, borrowed
    double *capacity, *limit;      // [links] of the costs: 1 where there is none; limit: infinite there
    double *m, *sharpness;         // [links] prices and parameters of the costs
    double *price, *cost;          // [links] of the pass
    double *miss;                  // [links] of the last pass: flow - limit
    int32_t *held;                 // [links] passes for which the flow has stayed where it was above its limit
    double least_price;
    traffic_least least;
    traffic_answer best;
    double bound, best_score;
    int64_t passes;
    double device_s;
    double pass_sharpness, most_sharpness;  // sharpness of the next pass, and the most that inner solves master
    double precision;              // share of the usual gap of an inner solve that the next one seeks
    bool is_cold;                  // the last inner solve missed its usual gap: the next one begins anew
    bool is_infeasible;
} solver;

static mco_status open_solver(solver *s)
{
    mco_status st = MCO_OK;
    mco_context *ctx = s->ctx;
    const int32_t links = s->problem.links;
    const mco_traffic_network network = mco_traffic_view(s->problem.traffic);
    MCO_TRY(mco_alloc(ctx, &s->capacity, links));
    MCO_TRY(mco_alloc(ctx, &s->limit, links));
    MCO_TRY(mco_alloc(ctx, &s->m, links));
    MCO_TRY(mco_alloc(ctx, &s->sharpness, links));
    MCO_TRY(mco_alloc(ctx, &s->price, links));
    MCO_TRY(mco_alloc(ctx, &s->cost, links));
    MCO_TRY(mco_alloc(ctx, &s->miss, links));
    MCO_TRY(mco_alloc(ctx, &s->held, links));
    MCO_TRY(traffic_least_open(ctx, &s->problem, mco_settle_threads(s->call->params->threads), &s->least));
    double sum = 0;
    int32_t count = 0;
    for (int32_t e = 0; e < links; e++) {
        const int32_t a = s->problem.origin_link[e];
        s->limit[e] = a >= 0 && network.capacity != NULL ? network.capacity[a] : INFINITY;
        s->capacity[e] = isfinite(s->limit[e]) ? s->limit[e] : 1;
        sum += isfinite(s->limit[e]) ? s->free[e] : 0;
        count += isfinite(s->limit[e]);
    }
    const double mean = sum > 0 ? sum / count : 1;
    s->least_price = LEAST_PRICE * mean;
    for (int32_t e = 0; e < links; e++)
        s->m[e] = isfinite(s->limit[e]) ? FIRST_PRICE * mean : 0;
    s->problem.costs = (traffic_costs){.shape = TRAFFIC_CONICAL, .base = s->free, .k = s->m, .p = s->sharpness, .capacity = s->capacity};
done:
    return st;
}

static void close_solver(solver *s)
{
    mco_context *ctx = s->ctx;
    traffic_least_close(&s->least);
    traffic_answer_clear(ctx, &s->best);
    mco_free(ctx, &s->quiet.pass);
    mco_free(ctx, &s->held);
    mco_free(ctx, &s->miss);
    mco_free(ctx, &s->cost);
    mco_free(ctx, &s->price);
    mco_free(ctx, &s->sharpness);
    mco_free(ctx, &s->m);
    mco_free(ctx, &s->limit);
    mco_free(ctx, &s->capacity);
}

// The equilibrium of the steep costs. Its gap is a share of all costs, and the best score may be the excess of one link: then even flows
// of the usual gap are too coarse for it, and passes without progress ask for finer ones.
static mco_status solve_steep(solver *s, traffic_answer *out)
{
    traffic_call call = *s->call;
    for (int32_t e = 0; e < s->problem.links; e++)
        s->sharpness[e] = s->pass_sharpness;
    call.problem = &s->problem;
    call.params = &s->params;
    call.history = &s->quiet;
    call.wants_state = true;
    const double least = fmax(LEAST_GAP, GAP_SHARE * s->call->gap);
    const double usual = s->best.flow != NULL ? fmax(least, fmin(FIRST_GAP, GAP_SHARE * s->best_score)) : FIRST_GAP;
    call.gap = fmax(LEAST_GAP, s->precision * usual);
    if (s->best.flow != NULL && !s->is_cold) {
        call.start_flows = s->best.flows.first != NULL ? &s->best.flows : NULL;
        call.start_pairs = call.start_flows != NULL ? &s->best.pairs : NULL;
        call.start_plan = s->best.plan.batches > 0 ? &s->best.plan : NULL;
        call.start_flow = s->problem.classes == 1 ? s->best.flow : NULL;  // flows of links start one class alone
    }
    const mco_status st = s->inner(s->ctx, &call, out);
    s->is_cold = st == MCO_OK && out->gap > usual;
    s->device_s += out->device_s;
    s->quiet.count = 0;
    return st;
}

// What flows say: their cost, the next prices, what these earn with capacities, and what they leave unpaid.
typedef struct sums {
    double objective, earned, slack, excess, all_prices;
} sums;

static sums look(solver *s, const traffic_answer *answer)
{
    const traffic_problem *problem = &s->problem;
    sums r = {0};
    for (int64_t i = 0; problem->extra != NULL && i < (int64_t)problem->classes * problem->links; i++)
        r.objective += problem->extra[i] * (answer->class_flow != NULL ? answer->class_flow[i] : answer->flow[i]);
    for (int32_t e = 0; e < problem->links; e++) {
        const double flow = answer->flow[e];
        r.objective += flow * s->free[e];
        s->price[e] = 0;
        if (isfinite(s->limit[e])) {
            s->price[e] = fmax(s->least_price, traffic_parts_of(&problem->costs, e, flow).value);
            r.earned += s->price[e] * s->limit[e];
            r.slack += s->price[e] * fabs(s->limit[e] - flow);
            r.excess = fmax(r.excess, (flow - s->limit[e]) / s->limit[e]);
        }
        s->cost[e] = s->free[e] + s->price[e];
    }
    return r;
}

// Whether prices of this pass prove that demand exceeds capacity.
static mco_status test_infeasible(solver *s, const sums *r)
{
    mco_status st = MCO_OK;
    double paid = 0;
    if (r->excess <= s->call->gap)  // they do respect them, as far as is asked for
        return MCO_OK;
    MCO_TRY(traffic_least_sum(&s->least, s->call->run, s->price, NULL, &paid));
    s->is_infeasible = paid - r->earned > CERTAIN * paid;
    if (s->is_infeasible)
        mco_log(s->ctx, MCO_LOG_WARNING, "no flows respect the capacities: trips pay %.6g for queues alone, all capacities together earn %.6g",
                paid, r->earned);
done:
    return st;
}

// The next prices. Where a price must rise far before another path pays, a flow stays above its limit, and its price grows by the same small
// factor in each pass: that factor is taken to a power that doubles with each such pass.
static void step(solver *s, const double *flow)
{
    for (int32_t e = 0; e < s->problem.links; e++) {
        if (!isfinite(s->limit[e]))
            continue;
        const double miss = flow[e] - s->limit[e], before = s->miss[e], factor = s->price[e] / s->m[e];
        const bool stays = s->passes > 1 && fabs(miss - before) <= STAYS * fabs(miss) && miss > 0 && factor > 1;
        s->held[e] = stays ? s->held[e] + 1 : 0;
        s->miss[e] = miss;
        const double power = ldexp(1, s->held[e] < MOST_DOUBLINGS ? s->held[e] : MOST_DOUBLINGS);
        s->m[e] = fmax(s->least_price, s->price[e] * fmin(MOST_FACTOR, pow(factor, power - 1)));
    }
}

// How sharp the next pass is: sharper, or less so where an inner solve has missed its gap. Prices of that one are worth nothing.
static void settle_sharpness(solver *s)
{
    if (!s->is_cold) {
        s->pass_sharpness = fmin(s->most_sharpness, SHARPER * s->pass_sharpness);
        return;
    }
    s->most_sharpness = fmax(LEAST_MOST_SHARPNESS, s->pass_sharpness / SHARPER);
    s->pass_sharpness = fmin(s->pass_sharpness, s->most_sharpness) / SHARPER;
    if (s->best.price != NULL)
        memcpy(s->m, s->best.price, (size_t)s->problem.links * sizeof *s->m);
}

static mco_status keep(solver *s, traffic_answer *trial, const sums *r, double score)
{
    mco_status st = MCO_OK;
    if (s->best.flow != NULL && score >= s->best_score && !s->is_infeasible)
        return MCO_OK;
    MCO_TRY(mco_alloc(s->ctx, &trial->price, s->problem.links));
    memcpy(trial->price, s->price, (size_t)s->problem.links * sizeof *s->price);
    trial->objective = r->objective;
    trial->excess = r->excess;
    s->best_score = score;
    const traffic_answer held = *trial;
    *trial = s->best;
    s->best = held;
done:
    return st;
}

// One pass: an equilibrium, its prices, the dual value, the gap. The gap is (objective - dual + price of the excess) / objective: it is the
// sum of what paths cost above the cheapest, and of prices where capacity is left.
static mco_status pass(solver *s, bool *is_over)
{
    mco_status st = MCO_OK;
    traffic_answer trial = {0};
    double paid = NAN, score = INFINITY, gap = INFINITY;
    MCO_TRY(solve_steep(s, &trial));
    const sums r = look(s, &trial);
    st = traffic_least_sum(&s->least, s->call->run, s->cost, s->problem.extra, &paid);
    const bool is_stopped = st == MCO_ERR_STOPPED;
    if (!is_stopped) {
        MCO_TRY(st);
        const double dual = paid - r.earned;
        double violation = 0;
        for (int32_t e = 0; e < s->problem.links; e++)
            violation += isfinite(s->limit[e]) ? s->price[e] * fmax(0, trial.flow[e] - s->limit[e]) : 0;
        s->bound = fmax(s->bound, dual);
        gap = r.objective > 0 ? fmax(0, (r.objective - dual + violation) / r.objective) : 0;
        score = fmax(gap, r.excess);
        MCO_TRY(traffic_note(s->call, r.objective, gap));
        st = test_infeasible(s, &r);
    }
    if (st != MCO_OK && st != MCO_ERR_STOPPED)
        goto done;
    st = MCO_OK;
    s->passes++;
    trial.gap = isfinite(gap) ? gap : 1;
    step(s, trial.flow);
    MCO_TRY(keep(s, &trial, &r, score));
    settle_sharpness(s);
    *is_over = is_stopped || s->is_infeasible || s->best_score <= s->call->gap || mco_run_must_stop(s->call->run, s->passes) ||
               (s->call->params->iterations > 0 && s->passes >= s->call->params->iterations);
done:
    traffic_answer_clear(s->ctx, &trial);
    return st;
}

mco_status traffic_capacitated_solve(mco_context *ctx, traffic_engine *inner, const traffic_call *call, traffic_answer *out)
{
    mco_status st = MCO_OK;
    solver s = {.ctx = ctx, .call = call, .inner = inner, .problem = *call->problem, .params = *call->params, .quiet.is_quiet = true,
                .free = call->problem->costs.base, .bound = -INFINITY, .best_score = INFINITY, .pass_sharpness = FIRST_SHARPNESS,
                .most_sharpness = MOST_SHARPNESS, .precision = 1};
    s.params.iterations = call->params->method == MCO_TRAFFIC_METHOD_PAIRS ? INNER_PASSES : INNER_ITERATIONS;
    MCO_TRY(open_solver(&s));
    double noted = INFINITY;
    bool is_over = false;
    for (int idle = 0; !is_over && idle < PATIENCE; idle++) {
        st = pass(&s, &is_over);
        if (st == MCO_ERR_STOPPED && s.best.flow != NULL) {
            st = MCO_OK;
            break;
        }
        MCO_TRY(st);
        if (s.best_score < PROGRESS * noted) {
            noted = s.best_score;
            idle = -1;
        } else {
            s.precision *= SHARPEN;
        }
    }
    traffic_certificate_clear(ctx, &s.best.certificate);  // of the costs of an inner solve
    s.best.certificate = (traffic_certificate){0};
    *out = s.best;
    s.best = (traffic_answer){0};
    out->bound = isfinite(s.bound) ? s.bound : 0;
    out->is_infeasible = s.is_infeasible;
    out->iterations = s.passes;
    out->device_s = s.device_s;
done:
    close_solver(&s);
    return st;
}

void traffic_capacitated_explain(const traffic_problem *problem, const traffic_answer *answer, char out[MCO_REASON_ROOM])
{
    const mco_traffic_network network = mco_traffic_view(problem->traffic);
    char from[16], to[16];
    double all = 0, most = 0;
    int32_t narrowest = -1;
    for (int32_t e = 0; e < problem->links; e++) {
        const int32_t a = problem->origin_link[e];
        const double earned = a >= 0 && network.capacity != NULL ? answer->price[e] * network.capacity[a] : 0;
        all += earned;
        if (earned > most) {
            most = earned;
            narrowest = a;
        }
    }
    snprintf(out, MCO_REASON_ROOM, "no flows respect the capacities: prices of queues prove it");
    if (narrowest >= 0)
        snprintf(out, MCO_REASON_ROOM, "no flows respect the capacities: queues prove it, %.3g %% by link %d from node %s to node %s, capacity %.6g",
                 100 * most / all, narrowest + 1, mco_traffic_node_name(problem->traffic, network.tail[narrowest], from),
                 mco_traffic_node_name(problem->traffic, network.head[narrowest], to), network.capacity[narrowest]);
}

void traffic_capacitated_settle(const traffic_answer *answer, traffic_problem *problem)
{
    // The arrays belong to the problem, which only engines may not write.
    double *base = (double *)problem->costs.base, *k = (double *)problem->costs.k;
    for (int32_t e = 0; e < problem->links; e++) {
        base[e] += answer->price[e];
        k[e] = 0;
    }
    problem->costs.shape = TRAFFIC_QUARTIC;
    problem->costs.is_marginal = false;
}
