// SPDX-License-Identifier: MIT
// One pass of a relaxation: its value, a route that has it, its time, and a digest of its tables.
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/machine.h"
#include "base/options.h"
#include "base/rng.h"
#include "base/run.h"
#include "base/simd.h"
#include "base/structs.h"
#include "device/device.h"
#include "vrp/bound/entry.h"
#include "vrp/bound/prices.h"
#include "vrp/bound/relax/ng.h"

static const double TRANSITIONS_PER_S = 8e9;  // of q-paths on one core
static const double GPU_PAYS_S = 0.5;
static const double MOST_PRICE = 1 << 26;     // in units
// With costs up to SMALL_COST the differences in ng-tables stay in 16 bits for most instances.
enum { LARGEST_COST = 1 << 20, SMALL_COST = 20000, LOOK_CELLS = 1 << 16 };

#define MCO_OPTION_STRUCT mco_vrp_relax_params
static const mco_option relax_records[] = {MCO_OPTION_RECORDS(MCO_VRP_RELAX_OPTIONS)};
static const mco_option_table relax_options = MCO_OPTION_TABLE(relax_records);

const mco_option_table *mco_vrp_relax_options(void)
{
    return &relax_options;
}

// ---- What passes of all kinds share

mco_status vrp_bound_open(mco_context *ctx, const mco_vrp *vrp, int64_t vehicles_exactly, vrp_bound_problem *out)
{
    const bool is_exact = vehicles_exactly > 0;
    const int32_t vehicles = is_exact ? (int32_t)vehicles_exactly : vrp->vehicles;
    mco_status st = vrp_bound_problem_open(ctx, vrp, vehicles, is_exact, LARGEST_COST, out);
    if (st != MCO_OK)
        return st;
    // A path of the relaxation has at most so many arcs, and prices at most as large as costs double their values.
    const int64_t arcs = (int64_t)out->capacity / out->least_demand + 1, room = VRP_NO_PATH / 4 / arcs;
    if (room >= LARGEST_COST)
        return MCO_OK;
    vrp_bound_problem_close(ctx, out);
    st = vrp_bound_problem_open(ctx, vrp, vehicles, is_exact, room > 1 ? (int32_t)room : 1, out);
    return st;
}

mco_status vrp_bound_settle(mco_context *ctx, mco_engine engine, mco_simd simd, const char *gpus, int64_t threads, int64_t memory_mib,
                            double transitions, const char *no_gpu, vrp_relax_settings *out)
{
    mco_gpu named[MCO_MAX_GPUS];
    int names;
    if (gpus != NULL && (engine == MCO_ENGINE_CPU || engine == MCO_ENGINE_REFERENCE))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--gpus %s is for --engine gpu", gpus);
    // Cores in place of a GPU that is named are for passes that are too large for it.
    const mco_status st = gpus != NULL ? mco_gpus_choose(ctx, gpus, named, &names) : MCO_OK;
    if (st != MCO_OK)
        return st;
    if (!mco_simd_has(simd))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--simd %s: this processor or this build has no such unit, %s is its widest",
                        mco_simd_text(simd), mco_simd_text(mco_simd_widest()));
    const int count = mco_settle_threads(threads);
    *out = (vrp_relax_settings){
        .engine = mco_choose_engine(ctx, engine, gpus, transitions / TRANSITIONS_PER_S / count, GPU_PAYS_S, no_gpu),
        .simd = simd,
        .threads = engine == MCO_ENGINE_REFERENCE ? 1 : count,
        .gpus = gpus,
        .memory = mco_settle_memory(memory_mib),
    };
    return MCO_OK;
}

double vrp_bound_share(mco_vrp_relaxation relaxation)
{
    return relaxation == MCO_VRP_RELAXATION_NG ? 2 : 1;
}

mco_work vrp_bound_work(const vrp_relax_settings *settings)
{
    const mco_simd simd = settings->simd != MCO_SIMD_AUTO ? settings->simd : mco_simd_widest();
    return (mco_work){.engine = settings->engine, .threads = settings->threads, .lane_bits = 32,
                      .simd = settings->engine == MCO_ENGINE_CPU ? simd : MCO_SIMD_AUTO};
}

int64_t vrp_q_transitions(const vrp_bound_problem *p)
{
    int64_t cells = 0;
    for (int32_t i = 1; i < p->nodes; i++)
        cells += (int64_t)p->capacity - p->demand[i] + 1;
    return cells * p->customers * (p->is_symmetric ? 1 : 2);
}

// ---- The pass

typedef struct pass {
    mco_context *ctx;
    mco_run *run;
    const mco_vrp_relax_params *params;
    vrp_bound_problem problem;
    vrp_relax_settings settings;
    int32_t *price, *arcs;
    vrp_q_pass *q;
    vrp_ng_pass *ng;
    vrp_ng_sets sets;
    int32_t *value, *load;   // [nodes] of the through-q-routes
    int32_t *table;          // [(capacity + 1) * nodes] of the through-q-routes
    vrp_routes routes;
    mco_vrp_relax_result *r;
} pass;

static double in_file_units(const pass *p, double value)
{
    return value / p->problem.unit / p->problem.vrp->scale;
}

// Opens the problem in a small unit where costs are exact in it, else in the largest.
static mco_status open_problem(pass *p, const mco_vrp *vrp)
{
    vrp_bound_problem *out = &p->problem;
    const mco_status st = vrp_bound_problem_open(p->ctx, vrp, vrp->vehicles, false, SMALL_COST, out);
    if (st != MCO_OK || (out->is_exact && out->capacity / out->least_demand < VRP_NO_PATH / 4 / SMALL_COST))
        return st;
    vrp_bound_problem_close(p->ctx, out);
    *out = (vrp_bound_problem){0};
    return vrp_bound_open(p->ctx, vrp, -1, out);
}

static mco_status set_prices(pass *p)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *problem = &p->problem;
    MCO_TRY(mco_alloc(p->ctx, &p->price, problem->nodes));
    MCO_TRY(mco_alloc(p->ctx, &p->arcs, (int64_t)problem->nodes * problem->stride));
    for (int32_t i = 0; p->params->price != NULL && i < problem->customers; i++) {
        const double price = p->params->price[i] * problem->vrp->scale * problem->unit;
        if (!(fabs(price) <= MOST_PRICE))
            MCO_TRY(mco_fail(p->ctx, MCO_ERR_ARGUMENT, "the price of customer %d is %.15g, at most %.15g was expected", i + 1,
                             p->params->price[i], in_file_units(p, MOST_PRICE)));
        p->price[i + 1] = 2 * (int32_t)lround(price / 2);
    }
    vrp_prices_arcs(problem, p->price, NULL, NULL, p->arcs);
done:
    return st;
}

static void count_cells(pass *p)
{
    const int sides = p->problem.is_symmetric ? 1 : 2;
    p->r->states = 0;
    p->r->transitions = 0;
    for (int32_t i = 1; i < p->problem.nodes; i++) {
        const int64_t loads = (int64_t)p->problem.capacity - p->problem.demand[i] + 1;
        const int64_t sets = p->ng != NULL ? (int64_t)1 << (p->sets.size[i] - 1) : 1;
        p->r->states += loads * sets * sides;
        p->r->transitions += loads * sets * sides * p->problem.customers;
    }
}

// ---- The route

// Keeps the route k of the list. Its value is computed again: the tables must agree.
static mco_status give_route(pass *p, int64_t k, int64_t value)
{
    mco_status st = MCO_OK;
    const int32_t count = vrp_routes_length(&p->routes, k), *node = p->routes.node + p->routes.first[k];
    const int64_t again = vrp_prices_route(&p->problem, p->price, NULL, node, count);
    if (again != value)
        return mco_fail(p->ctx, MCO_ERR_INTERNAL, "the route has the value %lld, the tables say %lld", (long long)again, (long long)value);
    MCO_TRY(mco_alloc(p->ctx, &p->r->route, count));
    p->r->route_count = count;
    int64_t load = 0;
    for (int32_t i = 0; i < count; i++) {
        p->r->route[i] = node[i] - 1;
        load += p->problem.vrp->demand[node[i]];
    }
    p->r->route_load = (int32_t)load;
    p->r->route_value = in_file_units(p, (double)value);
done:
    return st;
}

static mco_status find_route(pass *p, int32_t least)
{
    for (int64_t k = 0; k < p->routes.count; k++)
        if (vrp_prices_route(&p->problem, p->price, NULL, p->routes.node + p->routes.first[k], vrp_routes_length(&p->routes, k)) == least)
            return give_route(p, k, least);
    return mco_fail(p->ctx, MCO_ERR_INTERNAL, "no route of the tables has their least value %d", least);
}

// ---- The kinds of passes

// Runs one pass as often as asked for, and keeps the least time.
static mco_status time_pass(pass *p, mco_status (*run)(pass *p))
{
    for (int64_t k = 0; k < p->params->repeat; k++) {
        const double begin_s = mco_clock_s();
        const mco_status st = run(p);
        const double seconds = mco_clock_s() - begin_s;
        if (st != MCO_OK)
            return st;
        p->r->pass_s = k == 0 || seconds < p->r->pass_s ? seconds : p->r->pass_s;
    }
    return MCO_OK;
}

static mco_status pass_ng(pass *p)
{
    return vrp_ng_run(p->ctx, p->ng, p->arcs, p->run->stop_s);
}

static mco_status pass_q(pass *p)
{
    return vrp_q_run(p->ctx, p->q, p->arcs, p->run->stop_s);
}

static mco_status pass_through_q(pass *p)
{
    const mco_status st = pass_q(p);
    return st != MCO_OK ? st : vrp_through_ratios(p->ctx, p->q, p->value, p->load, NULL, p->run->stop_s);
}

// The engine that a pass has in the end.
static void take_engine(pass *p, mco_engine engine)
{
    p->settings.engine = engine;
    p->r->work = vrp_bound_work(&p->settings);
}

static mco_status run_ng(pass *p)
{
    mco_status st = MCO_OK;
    MCO_TRY(vrp_ng_sets_open(p->ctx, &p->problem, (int32_t)p->params->ng_size, &p->sets));
    MCO_TRY(vrp_ng_open(p->ctx, &p->problem, &p->sets, &p->settings, &p->ng));
    take_engine(p, vrp_ng_engine_in_use(p->ng));
    MCO_TRY(time_pass(p, pass_ng));
    const int32_t least = vrp_ng_least_route(p->ng);
    if (least == -VRP_NO_PATH)
        return MCO_ERR_STOPPED;
    MCO_TRY(vrp_ng_routes(p->ctx, p->ng, least + 1, p->problem.nodes, &p->routes));
    p->r->value = in_file_units(p, least);
    MCO_TRY(find_route(p, least));
done:
    return st;
}

static mco_status run_q(pass *p)
{
    mco_status st = MCO_OK;
    MCO_TRY(vrp_q_open(p->ctx, &p->problem, &p->settings, &p->q));
    take_engine(p, vrp_q_engine_in_use(p->q));
    MCO_TRY(time_pass(p, pass_q));
    const int32_t least = vrp_q_least_route(p->q);
    if (least == -VRP_NO_PATH)
        return MCO_ERR_STOPPED;
    MCO_TRY(vrp_q_routes(p->ctx, p->q, least + 1, p->problem.nodes, &p->routes));
    p->r->value = in_file_units(p, least);
    MCO_TRY(find_route(p, least));
done:
    return st;
}

// The customer with the least ratio; the first one of them.
static int32_t least_ratio(const pass *p)
{
    int32_t best = 1;
    for (int32_t i = 2; i < p->problem.nodes; i++)
        if ((int64_t)p->value[i] * p->load[best] < (int64_t)p->value[best] * p->load[i])
            best = i;
    return best;
}

static mco_status run_through_q(pass *p)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *problem = &p->problem;
    MCO_TRY(mco_alloc(p->ctx, &p->value, problem->nodes));
    MCO_TRY(mco_alloc(p->ctx, &p->load, problem->nodes));
    MCO_TRY(vrp_q_open(p->ctx, problem, &p->settings, &p->q));
    take_engine(p, vrp_q_engine_in_use(p->q));
    MCO_TRY(time_pass(p, pass_through_q));
    double sum = 0;
    for (int32_t i = 1; i < problem->nodes; i++)
        sum += p->price[i] + (double)problem->demand[i] * p->value[i] / p->load[i];
    p->r->value = in_file_units(p, sum);
    MCO_TRY(vrp_through_ratios(p->ctx, p->q, p->value, p->load, &p->routes, p->run->stop_s));
    const int32_t best = least_ratio(p);
    MCO_TRY(give_route(p, best - 1, p->value[best]));
done:
    return st;
}

// ---- The digest: a sum over the cells, each by its place and its value

static uint64_t mixed(int64_t place, int32_t value)
{
    uint64_t state = (uint64_t)place * 0x9e3779b97f4a7c15u ^ (uint32_t)value;
    return mco_splitmix64(&state);
}

static mco_status looked(pass *p, int64_t place)
{
    return place % LOOK_CELLS == 0 && mco_run_must_stop(p->run, 0) ? MCO_ERR_STOPPED : MCO_OK;
}

static mco_status digest_q(pass *p, bool backward, int64_t *place)
{
    for (int32_t load = 0; load <= p->problem.capacity; load++)
        for (int32_t i = 1; i < p->problem.nodes; i++, *place += 4) {
            if (looked(p, *place) != MCO_OK)
                return MCO_ERR_STOPPED;
            p->r->digest += mixed(*place, vrp_q_value(p->q, backward, load, i)) +
                            mixed(*place + 1, vrp_q_before(p->q, backward, load, i)) +
                            mixed(*place + 2, vrp_q_second(p->q, backward, load, i)) +
                            mixed(*place + 3, vrp_q_second_before(p->q, backward, load, i));
        }
    return MCO_OK;
}

static mco_status digest_ng(pass *p, bool backward, int64_t *place)
{
    for (int32_t load = 0; load <= p->problem.capacity; load++)
        for (int32_t i = 1; i < p->problem.nodes; i++)
            for (uint32_t memory = 0; memory < (uint32_t)1 << (p->sets.size[i] - 1); memory++, ++*place) {
                if (looked(p, *place) != MCO_OK)
                    return MCO_ERR_STOPPED;
                p->r->digest += mixed(*place, vrp_ng_value(p->ng, backward, load, i, memory));
            }
    return MCO_OK;
}

static mco_status digest_through(pass *p, int64_t *place)
{
    mco_status st = MCO_OK;
    const int64_t cells = ((int64_t)p->problem.capacity + 1) * p->problem.nodes;
    MCO_TRY(mco_alloc(p->ctx, &p->table, cells));
    MCO_TRY(vrp_through_table(p->ctx, p->q, p->table, p->run->stop_s));
    for (int64_t k = 0; k < cells; k++)
        if (k % p->problem.nodes != 0)
            p->r->digest += mixed((*place)++, p->table[k]);
done:
    return st;
}

static mco_status digest(pass *p)
{
    mco_status st = MCO_OK;
    int64_t place = 0;
    if (p->ng != NULL)
        MCO_TRY(vrp_ng_fetch(p->ctx, p->ng));
    for (int side = 0; side < (p->problem.is_symmetric ? 1 : 2); side++)
        MCO_TRY(p->ng != NULL ? digest_ng(p, side == 1, &place) : digest_q(p, side == 1, &place));
    if (p->params->relaxation == MCO_VRP_RELAXATION_THROUGH_Q)
        MCO_TRY(digest_through(p, &place));
done:
    return st;
}

// ---- All of it

static mco_status run_pass(pass *p, const mco_vrp *vrp)
{
    mco_status st = MCO_OK;
    const mco_vrp_relax_params *params = p->params;
    MCO_TRY(open_problem(p, vrp));
    vrp_routes_open(p->problem.is_symmetric, &p->routes);
    const double sets = params->relaxation == MCO_VRP_RELAXATION_NG ? ldexp(1, (int)params->ng_size - 1) / 10 + 1 : 1;
    MCO_TRY(vrp_bound_settle(p->ctx, params->engine, params->simd, params->gpus, params->threads, params->memory,
                             (double)vrp_q_transitions(&p->problem) * sets, NULL, &p->settings));
    p->settings.may_use_cores = params->engine == MCO_ENGINE_AUTO;
    p->r->work = vrp_bound_work(&p->settings);
    MCO_TRY(set_prices(p));
    if (params->relaxation == MCO_VRP_RELAXATION_NG)
        MCO_TRY(run_ng(p));
    else if (params->relaxation == MCO_VRP_RELAXATION_Q)
        MCO_TRY(run_q(p));
    else
        MCO_TRY(run_through_q(p));
    count_cells(p);
    MCO_TRY(digest(p));
done:
    return st;
}

static void close(pass *p)
{
    mco_free(p->ctx, &p->table);
    vrp_routes_close(p->ctx, &p->routes);
    mco_free(p->ctx, &p->load);
    mco_free(p->ctx, &p->value);
    vrp_ng_close(p->ctx, &p->ng);
    vrp_ng_sets_close(p->ctx, &p->sets);
    vrp_q_close(p->ctx, &p->q);
    mco_free(p->ctx, &p->arcs);
    mco_free(p->ctx, &p->price);
    vrp_bound_problem_close(p->ctx, &p->problem);
}

// A pass that was stopped has no value.
static void tell_stop(const mco_run *run, mco_vrp_relax_result *r)
{
    r->stop = mco_is_cancelled(run->ctx) || run->is_asked_to_stop ? MCO_STOP_CANCELLED : MCO_STOP_TIME;
    r->value = r->route_value = NAN;
    r->digest = 0;
}

mco_status mco_vrp_relax(mco_context *ctx, const mco_vrp *problem, const mco_vrp_relax_params *params, mco_vrp_relax_result *result)
{
    mco_status st = MCO_OK;
    mco_vrp_relax_params given = MCO_VRP_RELAX_PARAMS_INIT;
    mco_vrp_relax_result r = MCO_VRP_RELAX_RESULT_INIT;
    mco_run run = {0};
    if (ctx == NULL || problem == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s is NULL", ctx == NULL ? "the context" : "the instance");
    pass p = {.ctx = ctx, .run = &run, .params = &given, .r = &r};
    MCO_TRY(MCO_TAKE(ctx, params, &given));
    MCO_TRY(mco_options_validate(ctx, &relax_options, &given));
    MCO_TRY(mco_struct_test(ctx, "result", result, sizeof r));
    if (problem->customers == 0)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "the instance has no customers, so it has no routes to relax"));
    run = mco_run_begin(ctx, &(mco_run_settings){.time_limit_s = given.time_limit_s, .target = -1, .objective = "value"});
    ctx->call_stop_s = isfinite(run.stop_s) ? run.stop_s : 0;
    st = run_pass(&p, problem);
    if (st == MCO_ERR_STOPPED) {
        tell_stop(&run, &r);
        st = MCO_OK;
    }
    if (st != MCO_OK)
        goto done;
    r.work.solve_s = mco_run_time_s(&run);
    mco_struct_give(result, &r, sizeof r);
done:
    close(&p);
    mco_run_clear(&run);
    mco_vrp_relax_result_clear(ctx, &r);
    ctx->call_stop_s = 0;
    mco_clear_cancel(ctx);
    return st;
}

void mco_vrp_relax_result_clear(mco_context *ctx, mco_vrp_relax_result *result)
{
    mco_vrp_relax_result r = {0};
    if (ctx == NULL || result == NULL)
        return;
    mco_struct_clear(result, &r, sizeof r);
    mco_free(ctx, &r.route);
}
