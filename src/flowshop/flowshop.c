// SPDX-License-Identifier: MIT
// Entry point: validate the parameters, settle what they leave open, run, check the answer.
#include <stdio.h>
#include <string.h>

#include "base/machine.h"
#include "base/options.h"
#include "base/structs.h"
#include "flowshop/beam/beam.h"
#include "flowshop/beam/place.h"
#include "flowshop/cluster/cluster.h"
#include "flowshop/tree/engines.h"
#include "flowshop/heuristic/heuristic.h"
#include "flowshop/heuristic/turns.h"
#include "flowshop/tree/branch_and_bound.h"

#define MCO_OPTION_STRUCT mco_flowshop_params
enum { STUDY_OPTIONS = sizeof((mco_option[]){MCO_OPTION_RECORDS(MCO_FLOWSHOP_STUDY_OPTIONS)}) / sizeof(mco_option) };
static const mco_option records[] = {MCO_OPTION_RECORDS(MCO_FLOWSHOP_OPTIONS)};
static const mco_option_table options = MCO_STUDY_TABLE(records, STUDY_OPTIONS);

const mco_option_table *mco_flowshop_options(void)
{
    return &options;
}

// ---- What the parameters leave open

// True if the search works on intervals: depth-first explorers only. Intervals can be cut, written down and resumed.
static bool has_intervals(const mco_flowshop_params *p)
{
    return p->method == MCO_FLOWSHOP_METHOD_BB && p->select == MCO_FLOWSHOP_SELECT_DEPTH &&
           (p->engine == MCO_ENGINE_AUTO || p->engine == MCO_ENGINE_CPU ||
            p->engine == MCO_ENGINE_GPU || p->engine == MCO_ENGINE_HYBRID);
}

static bool is_of_host(mco_engine engine)
{
    return engine == MCO_ENGINE_CPU || engine == MCO_ENGINE_REFERENCE;
}

// True for the systems of Chakroun (2013).
static bool is_system(mco_engine engine)
{
    return engine >= MCO_ENGINE_GPU_BOUND;
}

// Refuses options of Chakroun's systems with another engine.
static mco_status refuse_system_options(mco_context *ctx, const mco_flowshop_params *p, const char *engine)
{
    static const mco_flowshop_params defaults = MCO_FLOWSHOP_PARAMS_INIT;
    if (p->pool_size != defaults.pool_size && !is_system(p->engine))
        return mco_fail(ctx, MCO_ERR_ARGUMENT,
                        "--pool is %lld, but engine %s has no pool: --pool is for the systems of Chakroun (2013)",
                        (long long)p->pool_size, engine);
    if (p->block != defaults.block && !is_system(p->engine))
        return mco_fail(ctx, MCO_ERR_ARGUMENT,
                        "--block is %lld, but engine %s sets its own: --block is for the systems of Chakroun (2013)",
                        (long long)p->block, engine);
    if (p->streams != defaults.streams && p->engine != MCO_ENGINE_GPU_COOPERATIVE)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--streams is %lld, but engine is %s: --streams is for gpu-cooperative",
                        (long long)p->streams, engine);
    return MCO_OK;
}

static mco_status refuse_engine(mco_context *ctx, const mco_flowshop_params *p, bool has_station)
{
    const bool is_best = p->select == MCO_FLOWSHOP_SELECT_BEST, is_heuristic = p->method == MCO_FLOWSHOP_METHOD_HEURISTIC;
    const bool is_beam = p->method == MCO_FLOWSHOP_METHOD_BEAM, is_auto = p->engine == MCO_ENGINE_AUTO;
    const char *name = mco_engine_text(p->engine);
    if (is_heuristic && !is_auto && p->engine != MCO_ENGINE_CPU)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "engine %s has no heuristic: it runs on the cores, --engine cpu or auto",
                        name);
    if (is_beam && !is_auto && !is_of_host(p->engine) && p->engine != MCO_ENGINE_GPU)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "engine %s has no beams: --engine auto, cpu, gpu or reference has", name);
    if (is_best && !is_auto && !is_of_host(p->engine))
        return mco_fail(ctx, MCO_ERR_ARGUMENT,
                        "engine %s goes its own way: --select best is for auto, cpu and reference", name);
    if (p->gpus != NULL && (is_best || is_heuristic || is_of_host(p->engine)))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--gpus is \"%s\", but %s uses none", p->gpus,
                        is_heuristic ? "the heuristic" : is_best ? "--select best" : name);
    if (!has_intervals(p) && has_station)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--listen and several ranks need --method bb, --select depth and --engine auto, cpu, gpu or hybrid");
    if (!has_intervals(p) && (p->interval != NULL || (!is_beam && (p->checkpoint != NULL || p->resume != NULL))))
        return mco_fail(ctx, MCO_ERR_ARGUMENT,
                        "checkpoint, resume and interval need --method bb, --select depth and --engine auto, cpu, gpu "
                        "or hybrid; --method beam has checkpoint and resume too");
    if (p->memory != 0 && !is_beam && !is_heuristic)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--memory is %lld, but it limits beams: it is for --method beam and heuristic", (long long)p->memory);
    return refuse_system_options(ctx, p, name);
}

static mco_status refuse_combinations(mco_context *ctx, const mco_flowshop *shop, const mco_flowshop_params *p)
{
    const bool is_heuristic = p->method != MCO_FLOWSHOP_METHOD_BB;
    if (is_heuristic && p->upper_bound >= 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--upper-bound is for branch and bound; the other methods have --target");
    if (p->iterations >= 0 && !is_heuristic && (p->upper_bound >= 0 || p->resume != NULL))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--iterations is for the heuristic, which does not run here");
    if (p->resume != NULL && p->interval != NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a checkpoint holds its own intervals: --resume excludes --interval");
    if (is_heuristic && (p->select != MCO_FLOWSHOP_SELECT_DEPTH || p->bound != MCO_FLOWSHOP_BOUND_AUTO ||
                         p->branching != MCO_FLOWSHOP_BRANCHING_AUTO))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--select, --bound and --branching are for branch and bound");
    if (p->checkpoint != NULL && strcmp(p->checkpoint, "-") == 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--checkpoint is \"-\", a file was expected: it is replaced as a whole");
    int64_t cells = (int64_t)shop->jobs * shop->machines * (shop->machines - 1) / 2;
    if (p->bound == MCO_FLOWSHOP_BOUND_LB2 && !is_heuristic && cells > MCO_FLOWSHOP_MAX_PAIR_CELLS)
        return mco_fail(ctx, MCO_ERR_LIMIT,
                        "LB2 of %d jobs and %d machines has %lld cells of pairs, at most %d: use lb1", shop->jobs,
                        shop->machines, (long long)cells, MCO_FLOWSHOP_MAX_PAIR_CELLS);
    if (!is_heuristic && shop->jobs > MCO_FLOWSHOP_MAX_TREE_JOBS)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%d jobs, branch and bound takes at most %d: use --method heuristic",
                        shop->jobs, MCO_FLOWSHOP_MAX_TREE_JOBS);
    return MCO_OK;
}

static bool is_of_one_gpu(mco_engine engine)
{
    return engine == MCO_ENGINE_GPU_BOUND || engine == MCO_ENGINE_GPU_MULTINODE ||
           engine == MCO_ENGINE_GPU_TREE || engine == MCO_ENGINE_GPU_CONCURRENT ||
           engine == MCO_ENGINE_GPU_COOPERATIVE;
}

// multi-gpu-functional uses GPUs in pairs. If their number is odd, the last one is left out, with a warning. A single
// GPU does both parts.
static void leave_unpaired_gpu(flowshop_run *run)
{
    if (run->params->engine != MCO_ENGINE_MULTI_GPU_FUNCTIONAL || run->gpu_count < 2 ||
        run->gpu_count % 2 == 0)
        return;
    run->gpu_count--;
    mco_log(run->ctx, MCO_LOG_WARNING, "%d GPUs make %d pair%s: GPU %d is not used", run->gpu_count + 1,
            run->gpu_count / 2, run->gpu_count > 2 ? "s" : "", run->gpus[run->gpu_count].index);
}

// Settles what the parameters leave open. The defaults are LB1 and MinBranch, measured on Taillard's instances with the
// optimum given. MinBranch needs fewer nodes than MinMin on eight of the ten 20x10 and on eight of the ten 50x10. The
// ten 20x10 together take 35 M nodes with MinBranch, 41 M with MinMin and 45 M with MaxSum. LB2 halves a tree (ta011,
// ta020), but a node costs thirteen times as much there.
static mco_status settle(flowshop_run *run)
{
    mco_status st = MCO_OK;
    const mco_flowshop_params *p = run->params;
    run->bound = p->bound == MCO_FLOWSHOP_BOUND_AUTO ? MCO_FLOWSHOP_BOUND_LB1 : p->bound;
    run->branching = p->branching == MCO_FLOWSHOP_BRANCHING_AUTO ? MCO_FLOWSHOP_BRANCHING_MINBRANCH : p->branching;
    bool is_serial = p->method == MCO_FLOWSHOP_METHOD_BB &&
                     (p->engine == MCO_ENGINE_REFERENCE || p->select == MCO_FLOWSHOP_SELECT_BEST);
    run->threads = is_serial ? 1 : mco_settle_threads(p->threads);
    // If --gpus names none, engine auto looks for a GPU only when the tree turns out to be large.
    // A coordinator has workers for that.
    bool is_auto = p->engine == MCO_ENGINE_AUTO;
    if (run->station == NULL && (is_auto ? p->gpus != NULL : !is_of_host(p->engine))) {
        MCO_TRY(mco_alloc(run->ctx, &run->gpus, MCO_MAX_GPUS));
        MCO_TRY(mco_gpus_choose(run->ctx, p->gpus, run->gpus, &run->gpu_count));
        if (run->gpu_count > 1 && is_of_one_gpu(p->engine))
            MCO_TRY(mco_fail(run->ctx, MCO_ERR_ARGUMENT,
                             "--gpus \"%s\" names %d GPUs, the engine uses one: multi-gpu-bound and gpu take several", p->gpus, run->gpu_count));
        leave_unpaired_gpu(run);
    }
    flowshop_use_engine(run, is_auto ? MCO_ENGINE_CPU : p->engine);
done:
    return st;
}

// Writes how a system of Chakroun works: ", pools of adaptive size, blocks of 256 threads, 16 host threads".
static void describe_system(const flowshop_run *run, char *out, size_t size)
{
    const mco_flowshop_params *p = run->params;
    char pools[48] = "pools of adaptive size", streams[24] = "", threads[32] = "";
    if (p->pool_size > 0)
        snprintf(pools, sizeof pools, "pools of %lld children", (long long)p->pool_size);
    if (p->engine == MCO_ENGINE_GPU_COOPERATIVE)
        snprintf(streams, sizeof streams, ", %lld stream%s", (long long)p->streams, p->streams > 1 ? "s" : "");
    if (p->engine == MCO_ENGINE_GPU_CONCURRENT)
        snprintf(threads, sizeof threads, ", %d host thread%s", run->threads, run->threads > 1 ? "s" : "");
    snprintf(out, size, ", %s%s, blocks of %lld threads%s", pools, streams, (long long)p->block, threads);
}

// Writes "2 threads, simd avx512 (the widest of this processor), 16-bit lanes" or "GPU 0 (NVIDIA H200)" or both.
static void describe_processors(const flowshop_run *run, char *out, size_t size)
{
    const mco_flowshop_params *p = run->params;
    const bool has_gpus = run->gpu_count > 0 && p->engine != MCO_ENGINE_AUTO;
    const int cores = flowshop_exploring_cores(run, run->result->work.engine);
    int used = 0;
    for (int i = 0; i < run->gpu_count && has_gpus && used < (int)size; i++)
        used += snprintf(out + used, size - (size_t)used, "%sGPU %d (%s)", i > 0 ? ", " : "", run->gpus[i].index,
                         run->gpus[i].name);
    if (used >= (int)size)
        return;
    if (is_system(run->result->work.engine))
        describe_system(run, out + used, size - (size_t)used);
    else if (run->result->work.engine != MCO_ENGINE_GPU)
        snprintf(out + used, size - (size_t)used, "%s%d thread%s, simd %s (%s), %d-bit lanes", has_gpus ? ", " : "",
                 cores, cores > 1 ? "s" : "", mco_simd_text(run->variant->build.simd),
                 p->simd == MCO_SIMD_AUTO ? "the widest of this processor" : "as asked",
                 run->variant->build.bits);
}

// Whether the search begins on the cores and goes to a GPU later if it finds one.
static bool looks_for_gpu(const mco_flowshop_params *p)
{
#ifdef MCO_HAVE_CUDA
    return p->engine == MCO_ENGINE_AUTO && p->select == MCO_FLOWSHOP_SELECT_DEPTH;
#else
    (void)p;
    return false;
#endif
}

static void describe(const flowshop_run *run)
{
    static const char *const bounds[] = {"", "lb1", "lb2"};
    static const char *const rules[] = {"", "forward", "backward", "alternate", "minbranch", "minmin", "maxsum"};
    const mco_flowshop_params *p = run->params;
    char processors[512], bound[FLOWSHOP_UNITS_TEXT], unit[FLOWSHOP_UNITS_TEXT];
    const bool has_decimals = run->shop->places > 0;
    mco_log(run->ctx, MCO_LOG_INFO, "%s: %d job%s, %d machine%s, lower bound %s%s%s", run->shop->name, run->shop->jobs,
            mco_plural(run->shop->jobs), run->shop->machines, mco_plural(run->shop->machines), flowshop_units_text(run->shop, run->result->bound, bound),
            has_decimals ? "; times are exact, in units of " : "",
            has_decimals ? flowshop_units_text(run->shop, 1, unit) : "");
    describe_processors(run, processors, sizeof processors);
    if (run->station != NULL)
        snprintf(processors, sizeof processors, "of workers elsewhere; this process coordinates");
    if (p->method == MCO_FLOWSHOP_METHOD_HEURISTIC)
        mco_log(run->ctx, MCO_LOG_INFO, "iterated greedy on %d thread%s, simd %s, %d-bit lanes", run->threads,
                run->threads > 1 ? "s" : "", mco_simd_text(run->variant->build.simd), run->variant->build.bits);
    else if (p->method == MCO_FLOWSHOP_METHOD_BEAM)
        return;  // the beams say it, once their lanes are known
    else if (run->result->work.engine == MCO_ENGINE_REFERENCE)
        mco_log(run->ctx, MCO_LOG_INFO, "engine reference, one thread, bound %s, branching %s", bounds[run->bound],
                rules[run->branching]);
    else
        mco_log(run->ctx, MCO_LOG_INFO, "engine %s%s, %s, bound %s%s, branching %s%s",
                mco_engine_text(run->result->work.engine),
                looks_for_gpu(p) ? " (auto: looks for a GPU if the search takes longer)" : "",
                processors, bounds[run->bound], p->bound == 0 ? " (default: cheaper in all)" : "",
                rules[run->branching], p->branching == 0 ? " (default: fewest nodes at most sizes)" : "");
}

// ---- Solve

static mco_status start(flowshop_run *run)
{
    mco_status st = MCO_OK;
    const mco_flowshop_params *p = run->params;
    int64_t makespan;
    // LB2 follows in the search, which sorts its orders anyway and watches the clock.
    flowshop_run_raise_bound(run, flowshop_one_machine_bound(run->shop));
    if (p->start != NULL) {
        MCO_TRY(mco_as_argument(mco_flowshop_check(run->ctx, run->shop, p->start, run->shop->jobs, &makespan)));
        MCO_TRY(flowshop_run_adopt(run, makespan, p->start, "start"));
    }
    if (run->fixed_bound >= 0 && run->fixed_bound < run->upper_bound)
        run->upper_bound = run->fixed_bound;
    describe(run);
done:
    return st;
}

static mco_status run_method(flowshop_run *run)
{
    mco_status st = MCO_OK;
    mco_flowshop_result *r = run->result;
    const mco_flowshop_params *p = run->params;
    r->stop = MCO_STOP_FINISHED;
    if (run->shop->jobs == 0) {
        MCO_TRY(mco_alloc(run->ctx, &r->order, 0));
        r->makespan = r->bound = 0;
        return MCO_OK;
    }
    MCO_TRY(start(run));
    if (p->method == MCO_FLOWSHOP_METHOD_HEURISTIC) {
        MCO_TRY(flowshop_find_schedules(run, &r->stop));
        r->heuristic_s = mco_run_time_s(&run->run);
    } else if (p->method == MCO_FLOWSHOP_METHOD_BEAM) {
        if (p->resume == NULL)
            MCO_TRY(flowshop_heuristic(run, 0, &r->stop));  // a first schedule
        if (r->makespan >= 0)
            MCO_TRY(flowshop_beam_refuse_place(run));  // also where it is optimal, so that no beam follows
        if (p->resume != NULL || r->stop == MCO_STOP_ITERATIONS || (p->checkpoint != NULL && r->makespan >= 0))
            MCO_TRY(flowshop_beam(run, p->iterations, -1, NULL, &r->stop));
        r->heuristic_s = mco_run_time_s(&run->run);
    } else {
        MCO_TRY(flowshop_branch_and_bound(run, &r->stop));
    }
done:
    return st;
}

static mco_outcome outcome_of(const flowshop_run *run)
{
    const mco_flowshop_result *r = run->result;
    if (r->makespan >= 0)
        return r->makespan <= r->bound ? MCO_OUTCOME_OPTIMAL : MCO_OUTCOME_FEASIBLE;
    // No schedule is known: either the fixed-incumbent protocol proves that none is below N, or nothing is known.
    return run->fixed_bound >= 0 && r->bound >= run->fixed_bound ? MCO_OUTCOME_NONE_BELOW : MCO_OUTCOME_UNKNOWN;
}

// The GPUs of the run as bits: bit i is GPU i.
static uint64_t gpu_bits(const flowshop_run *run)
{
    uint64_t bits = 0;
    for (int i = 0; i < run->gpu_count; i++)
        bits |= (uint64_t)1 << run->gpus[i].index;
    return bits;
}

static mco_status fill_result(flowshop_run *run)
{
    mco_flowshop_result *r = run->result;
    char text[FLOWSHOP_UNITS_TEXT];
    if (r->makespan >= 0 && r->bound > r->makespan)
        return mco_fail(run->ctx, MCO_ERR_INTERNAL, "bound %lld exceeds makespan %lld", (long long)r->bound,
                        (long long)r->makespan);
    r->outcome = outcome_of(run);
    if (r->outcome == MCO_OUTCOME_NONE_BELOW) {
        r->bound = run->fixed_bound;  // the bound asked about; the bound at the root may be greater
        snprintf(r->reason, sizeof r->reason, "no schedule below %s", flowshop_units_text(run->shop, r->bound, text));
    }
    if (r->work.lane_bits == 0) {  // beams have lanes of their own
        r->work.simd = run->variant->build.simd;
        r->work.lane_bits = run->variant->build.bits;
    }
    r->work.gpus = is_of_host(r->work.engine) ? 0 : gpu_bits(run);
    mco_run_log_end(&run->run);
    if (run->is_tree_vain)
        mco_log(run->ctx, MCO_LOG_INFO, "the tree search found no shorter schedule in its time; --method heuristic has all the time for schedules");
    mco_run_give_history(&run->run, &r->history, &r->history_count);
    r->work.solve_s = mco_run_time_s(&run->run);
    return MCO_OK;
}

static mco_status solve(flowshop_run *run)
{
    mco_status st = MCO_OK;
    const mco_flowshop_params *p = run->params;
    const mco_run_settings settings = {.time_limit_s = p->time_limit_s, .target = p->target, .gap = p->gap,
                                       .objective = "makespan", .decimals = run->shop->places};
    run->run = mco_run_begin(run->ctx, &settings);
    MCO_TRY(mco_options_validate(run->ctx, &options, p));
    MCO_TRY(refuse_engine(run->ctx, p, run->station != NULL));
    MCO_TRY(refuse_combinations(run->ctx, run->shop, p));
    MCO_TRY(settle(run));
    run->variant = flowshop_variant_choose(run->ctx, p->simd, run->shop);
    if (run->variant == NULL)
        return MCO_ERR_ARGUMENT;
    MCO_TRY(run_method(run));
    MCO_TRY(fill_result(run));
done:
    return st;
}

// --upper-bound as an integer of the instance. No makespan exceeds INT32_MAX, so a greater bound excludes no more schedules.
static int64_t fixed_bound(const mco_flowshop *shop, const mco_flowshop_params *p)
{
    if (p->upper_bound <= 0)
        return p->upper_bound;
    return p->upper_bound <= INT32_MAX / shop->scale ? p->upper_bound * shop->scale : INT32_MAX;
}

mco_status mco_flowshop_solve(mco_context *ctx, const mco_flowshop *shop, const mco_flowshop_params *params,
                              mco_flowshop_result *result)
{
    return flowshop_solve_at(ctx, shop, params, NULL, result);
}

mco_status flowshop_solve_at(mco_context *ctx, const mco_flowshop *shop, const mco_flowshop_params *params,
                             const flowshop_station *station, mco_flowshop_result *result)
{
    mco_status st = MCO_OK;
    mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
    mco_flowshop_result r = MCO_FLOWSHOP_RESULT_INIT;
    if (ctx == NULL || shop == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s is NULL", ctx == NULL ? "the context" : "the instance");
    r.makespan = r.upper_bound_used = -1;
    flowshop_run run = {.ctx = ctx, .shop = shop, .params = &p, .result = &r, .upper_bound = INT64_MAX, .station = station};
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(mco_struct_test(ctx, "result", result, sizeof r));
    run.fixed_bound = fixed_bound(shop, &p);
    MCO_TRY(solve(&run));
    mco_struct_give(result, &r, sizeof r);
done:
    mco_run_clear(&run.run);
    mco_free(ctx, &run.gpus);
    mco_clear_cancel(ctx);
    mco_flowshop_result_clear(ctx, &r);
    return st;
}

void mco_flowshop_result_clear(mco_context *ctx, mco_flowshop_result *result)
{
    mco_flowshop_result r = {0};
    if (ctx == NULL || result == NULL)
        return;
    mco_struct_clear(result, &r, sizeof r);
    mco_free(ctx, &r.history);
    mco_free(ctx, &r.children_by_depth);
    mco_free(ctx, &r.nodes_by_depth);
    mco_free(ctx, &r.order);
}
