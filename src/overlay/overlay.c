// SPDX-License-Identifier: MIT
// Entry points of bounds: validate, settle, run a method, check.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/machine.h"
#include "base/options.h"
#include "base/structs.h"
#include "device/device.h"
#include "overlay/dual.h"
#ifdef MCO_HAVE_CUDA
#include "overlay/gpu/gpu.h"
#endif
#include "overlay/search.h"

#define MCO_OPTION_STRUCT mco_overlay_bound_params
static const mco_option records[] = {MCO_OPTION_RECORDS(MCO_OVERLAY_BOUND_OPTIONS)};
static const mco_option_table options = MCO_OPTION_TABLE(records);

const mco_option_table *mco_overlay_bound_options(void)
{
    return &options;
}

enum { MOST_UNSWEPT = 1 << 24 };  // links
enum { MOST_SPLIT = 1 << 17 };    // nodes: beyond, a fractional overlay takes far longer than the bound; only --gap asks for it

typedef struct solver {
    mco_context *ctx;
    const mco_overlay *o;
    mco_overlay_bound_params p;
    mco_run run;
    overlay_dual dual;
    bool is_exact, has_iterations, is_first;
    mco_overlay_bound_result r;
} solver;

// ---- A feasible fractional overlay

enum { FIRST_GAP = 4, GAP_PERIOD = 32 };  // iterations
static const int64_t LOOKS = INT64_C(1) << 25, LOOKS_A_LINK = 8;  // of the descent, which else takes far longer than the bound
static const double FAR_GAPS = 20;  // a first overlay that misses the gap by so many times is not improved

static mco_status take_worth(const overlay_search *search, const mco_overlay *o, double *worth)
{
    mco_status st = MCO_OK;
    mco_overlay_solution links = {0};
    MCO_TRY(overlay_give(search, &links));
    MCO_TRY(mco_overlay_check(search->ctx, o, &links, worth));
done:
    mco_overlay_solution_clear(search->ctx, &links);
    return st;
}

mco_status overlay_split_worth(overlay_dual *d, const uint32_t *dual, double hopeless, double *value)
{
    mco_status st = MCO_OK;
    overlay_search search = {.ctx = d->ctx};
    const overlay_guide guide = {.dual = dual, .is_split = true};
    mco_overlay free_least = *d->o;
    free_least.least = 0;
    free_least.row_least = NULL;
    MCO_TRY(overlay_search_open(d->ctx, d->run, d->o, &guide, &search));
    MCO_TRY(take_worth(&search, &free_least, value));
    if (*value <= hopeless)
        goto done;
    search.most_seen = LOOKS + LOOKS_A_LINK * search.links;
    MCO_TRY(overlay_descend(&search));
    MCO_TRY(take_worth(&search, &free_least, value));
done:
    overlay_search_close(&search);
    return st;
}

// Tests cost some iterations each: they come at powers of two, then now and then.
static bool is_gap_due(int64_t iterations)
{
    return iterations >= FIRST_GAP && ((iterations & (iterations - 1)) == 0 || iterations % GAP_PERIOD == 0);
}

mco_status overlay_test_gap(overlay_dual *d, bool *goes_on)
{
    mco_status st = MCO_OK;
    double value = 0;
    *goes_on = true;
    if (d->p->gap <= 0 || !is_gap_due(d->iterations))
        return MCO_OK;
    if (mco_rank(d->ctx) == 0) {
        const double bound = overlay_bound_of(d->o, d->least);
        MCO_TRY(overlay_split_worth(d, d->best, bound * (1 - FAR_GAPS * d->p->gap), &value));
        *goes_on = bound - value > d->p->gap * value;
        if (!*goes_on)
            d->run->stop = MCO_STOP_GAP;
    }
    MCO_TRY(overlay_agree_on_gap(d, goes_on));
done:
    return st;
}

// ---- The run

// What would do nothing.
static mco_status refuse_idle(const solver *s)
{
    if (s->p.inner > 0 && s->p.method == MCO_OVERLAY_METHOD_STD)
        return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "--inner is for jump and dist, a node of std has one step in an iteration");
    if (s->p.start == MCO_OVERLAY_START_HALF && s->o->weight != NULL)
        return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "--start-duals half is for weights that are products of uptimes, and links have weights of their own here");
    return MCO_OK;
}

static void settle(solver *s)
{
    mco_overlay_bound_params *p = &s->p;
    if (p->method == MCO_OVERLAY_METHOD_AUTO && p->asynchronous) {
        p->method = MCO_OVERLAY_METHOD_DIST;
        snprintf(s->r.reason, sizeof s->r.reason, "dist: its nodes need no common iterations");
    } else if (p->method == MCO_OVERLAY_METHOD_AUTO) {
        p->method = MCO_OVERLAY_METHOD_JUMP;
        snprintf(s->r.reason, sizeof s->r.reason, "jumps: near the least bound, in the least time of all methods");
    }
    s->has_iterations = p->iterations > 0 && p->method != MCO_OVERLAY_METHOD_LP;
    if (p->iterations == 0)
        p->iterations = p->method == MCO_OVERLAY_METHOD_STD ? 10000 : p->method == MCO_OVERLAY_METHOD_DIST ? 500 : 200;
    if (p->inner == 0)
        p->inner = p->method == MCO_OVERLAY_METHOD_DIST ? 20 : 4;
    s->r.method = p->method;
}

// Zero, or half the square of the uptimes, which are feasible duals of products where limits of links do not bind. These come first: where
// the time ends at once, they leave few links worth a look.
static mco_status start(solver *s)
{
    mco_status st = MCO_OK;
    overlay_dual *d = &s->dual;
    overlay_sum zero, half;
    if (s->p.start == MCO_OVERLAY_START_ZERO || s->o->weight != NULL)
        return MCO_OK;
    for (int32_t i = 0; i < s->o->nodes; i++)
        d->dual[i] = (uint32_t)((uint64_t)s->o->uptime[i] * s->o->uptime[i] >> 33);
    if (s->p.start == MCO_OVERLAY_START_AUTO && overlay_sweep(d, overlay_measure, &half)) {
        MCO_TRY(overlay_take(d, half));  // the present ones are those of d->next now: zero
        if (!overlay_sweep(d, overlay_measure, &zero) || !overlay_less(zero, half))
            overlay_return(d);
    }
    d->iterations = 0;
done:
    return st;
}

static mco_status run_method(solver *s)
{
    switch (s->p.method) {
    case MCO_OVERLAY_METHOD_STD: return overlay_std(&s->dual);
    case MCO_OVERLAY_METHOD_DIST: return s->p.asynchronous ? overlay_dist_asynchronous(&s->dual) : overlay_dist(&s->dual);
    default: return overlay_jump(&s->dual);
    }
}

// The linear program ends what jumps began.
static mco_status run_program(solver *s)
{
    mco_status st = MCO_OK;
    MCO_TRY(overlay_program(&s->dual, &s->r.value, &s->is_exact));
done:
    return st;
}

// Without a single sweep there are no duals with a bound; those of the start are taken where the check takes no time.
static mco_status measure_best(solver *s)
{
    overlay_dual *d = &s->dual;
    if (d->least.high != UINT64_MAX)
        return MCO_OK;
    if (s->o->links > MOST_UNSWEPT)
        return mco_fail(s->ctx, MCO_ERR_STOPPED, "the time was over before the first bound");
    if (!d->is_asynchronous)  // or they are the first rank's
        memcpy(d->best, d->dual, (size_t)s->o->nodes * sizeof *d->best);
    return MCO_OK;
}

static mco_status give(solver *s)
{
    mco_status st = MCO_OK;
    overlay_dual *d = &s->dual;
    mco_overlay_bound_result *r = &s->r;
    overlay_sum sum;
    double split = 0;
    MCO_TRY(mco_ranks_agree(s->ctx, measure_best(s)));
    MCO_TRY(overlay_check_together(d, &sum));
    r->bound = overlay_give_exact(s->o, sum, r->exact);
    const overlay_sum checked = {r->exact[0] << 1, r->exact[1] << 1 | r->exact[0] >> 63};
    if (d->least.high != UINT64_MAX && (checked.low != d->least.low || checked.high != d->least.high))
        MCO_TRY(mco_fail(s->ctx, MCO_ERR_INTERNAL, "the check finds the bound %.12g, the engine another one", r->bound));
    if (!s->is_exact && s->is_first && (s->o->nodes <= MOST_SPLIT || s->p.gap > 0))
        MCO_TRY(overlay_split_worth(d, d->best, 0, &split));
    MCO_TRY(mco_ranks_broadcast(s->ctx, &split, sizeof split, 0));
    r->value = fmax(r->value, split);
    r->duals = d->best;
    d->best = NULL;
    r->weight_unit = s->o->weight_unit;
    r->iterations = d->iterations;
    r->best = d->best_iteration;
    r->stop = s->run.stop;
    if (r->stop == MCO_STOP_FINISHED && s->has_iterations && d->iterations >= s->p.iterations)
        r->stop = MCO_STOP_ITERATIONS;
    r->outcome = s->is_exact || r->stop == MCO_STOP_GAP ? MCO_OUTCOME_OPTIMAL : MCO_OUTCOME_FEASIBLE;
    mco_run_log_end(&s->run);
    mco_run_give_history(&s->run, &r->history, &r->history_count);
done:
    return st;
}

// ---- The engine

static const double PAYS_S = 0.5;  // a run for which opening a GPU pays

// What a link takes in an iteration on one core, measured (bench/overlay). Most links of a complete instance are sorted out.
static double seconds_a_link(const solver *s)
{
    const bool is_complete = s->o->is_complete;
    switch (s->p.method) {
    case MCO_OVERLAY_METHOD_STD: return is_complete ? 6e-11 : 1.3e-8;
    case MCO_OVERLAY_METHOD_DIST: return (is_complete ? 6e-11 : 1.7e-9) * (double)s->p.inner;
    default: return is_complete ? 4e-10 : 2.2e-8;
    }
}

static double seconds_of_cores(const solver *s)
{
    return seconds_a_link(s) * (double)s->p.iterations * (double)s->o->links / mco_settle_threads(s->p.threads);
}

static mco_status refuse_asynchronous(const solver *s)
{
    if (mco_rank_count(s->ctx) == 1)
        return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "--asynchronous is for several ranks of a launcher, and there is one");
    if (s->p.method != MCO_OVERLAY_METHOD_DIST)
        return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "--asynchronous is for --method dist");
    if (s->p.gap > 0)
        return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "--gap is for common iterations, --asynchronous has none");
    if (s->ctx->ranks->open_channel == NULL)
        return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "--asynchronous needs ranks that can send each other letters");
    return MCO_OK;
}

// Ranks sweep on their cores. A linear program, and a GPU, is the work of one.
static mco_status settle_ranks(solver *s)
{
    const int ranks = mco_rank_count(s->ctx);
    const mco_status st = s->p.asynchronous ? refuse_asynchronous(s) : MCO_OK;
    if (st != MCO_OK)
        return st;
    if (ranks == 1)
        return MCO_OK;
    if (s->p.method == MCO_OVERLAY_METHOD_LP)
        return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "the method lp runs in one process, %d were started; jump, std and dist are shared", ranks);
    if (s->p.engine == MCO_ENGINE_GPU || s->p.gpus != NULL)
        return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "GPUs are for one process, and %d ranks were started; their engine is cpu", ranks);
    if (s->p.engine == MCO_ENGINE_AUTO)
        s->p.engine = MCO_ENGINE_CPU;
    return MCO_OK;
}

static mco_status choose_engine(solver *s)
{
    mco_status st = MCO_OK;
    mco_gpu gpu[MCO_MAX_GPUS];
    int count;
    if (s->p.gpus != NULL && (s->p.engine == MCO_ENGINE_CPU || s->p.engine == MCO_ENGINE_REFERENCE))
        return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "--gpus is for the gpu engine, the engine is %s", mco_engine_text(s->p.engine));
    const bool was_open = s->p.engine == MCO_ENGINE_AUTO && s->p.gpus == NULL;
    s->p.engine = mco_choose_engine(s->ctx, s->p.engine, s->p.gpus, seconds_of_cores(s), PAYS_S, NULL);
    if (s->p.engine == MCO_ENGINE_GPU)
        MCO_TRY(mco_gpus_choose(s->ctx, s->p.gpus, gpu, &count));
#ifdef MCO_HAVE_CUDA
    size_t free_bytes = 0;
    if (s->p.engine == MCO_ENGINE_GPU && was_open) {
        MCO_TRY(mco_gpu_free_bytes(s->ctx, &gpu[0], &free_bytes));
        if ((double)overlay_gpu_bytes(s->o) > (double)free_bytes) {
            mco_log(s->ctx, MCO_LOG_INFO, "engine cpu: the instance takes %" PRId64 " bytes of device memory, %zu are free", overlay_gpu_bytes(s->o),
                    free_bytes);
            s->p.engine = MCO_ENGINE_CPU;
        }
    }
#else
    (void)was_open;
#endif
done:
    return st;
}

static mco_status sweep_on_gpu(solver *s)
{
#ifdef MCO_HAVE_CUDA
    return overlay_gpu_run(&s->dual, s->p.gpus, &s->r.work);
#else
    return mco_fail(s->ctx, MCO_ERR_INTERNAL, "this build has no GPU engine");
#endif
}

static mco_status sweep_on_cores(solver *s)
{
    const mco_status st = start(s);
    return st != MCO_OK ? st : run_method(s);
}

// Ranks that have parted check the whole bound, each for itself.
static mco_status check_and_give(solver *s)
{
    mco_ranks *const ranks = s->ctx->ranks;
    s->is_first = mco_rank(s->ctx) == 0;
    if (ranks != NULL && ranks->have_parted)
        s->ctx->ranks = NULL;
    const mco_status st = give(s);
    s->ctx->ranks = ranks;
    return st;
}

static mco_status solve(solver *s)
{
    mco_status st = MCO_OK;
    const overlay_build *build = &overlay_plain;
    const bool is_reference = s->p.engine == MCO_ENGINE_REFERENCE;
    const int threads = is_reference ? 1 : mco_settle_threads(s->p.threads);
    if (!is_reference)
        MCO_TRY(overlay_pick(s->ctx, s->p.simd, &build));
    int64_t all_threads = threads;
    MCO_TRY(mco_ranks_reduce(s->ctx, &all_threads, 1, MCO_REDUCE_SUM));
    MCO_TRY(overlay_dual_open(s->ctx, &s->run, s->o, &s->p, build, threads, &s->dual));
    MCO_TRY(s->p.engine == MCO_ENGINE_GPU ? sweep_on_gpu(s) : sweep_on_cores(s));
    if (s->p.method == MCO_OVERLAY_METHOD_LP)
        MCO_TRY(run_program(s));
    MCO_TRY(check_and_give(s));
    s->r.work = (mco_work){.engine = s->p.engine, .simd = build->build.simd, .lane_bits = 32, .threads = (int)all_threads, .gpus = s->r.work.gpus,
                           .device_s = s->r.work.device_s, .solve_s = mco_run_time_s(&s->run)};
done:
    return st;
}

mco_status overlay_bound(mco_context *ctx, const mco_overlay *instance, const mco_overlay_bound_params *params,
                         mco_overlay_bound_result *result)
{
    mco_status st = MCO_OK;
    solver s = {.ctx = ctx, .o = instance, .p = MCO_OVERLAY_BOUND_PARAMS_INIT, .r = MCO_OVERLAY_BOUND_RESULT_INIT};
    if (ctx == NULL || instance == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &s.p));
    MCO_TRY(mco_struct_test(ctx, "result", result, sizeof s.r));
    MCO_TRY(mco_options_validate(ctx, &options, &s.p));
    MCO_TRY(refuse_idle(&s));
    settle(&s);
    MCO_TRY(settle_ranks(&s));
    MCO_TRY(choose_engine(&s));
    const mco_run_settings settings = {.time_limit_s = s.p.time_limit_s, .target = -1, .objective = "bound", .decimals = 4};
    s.run = mco_run_begin(ctx, &settings);
    MCO_TRY(solve(&s));
    mco_struct_give(result, &s.r, sizeof s.r);
done:
    overlay_dual_close(&s.dual);
    mco_run_clear(&s.run);
    mco_overlay_bound_result_clear(ctx, &s.r);  // what was not given
    return st;
}

mco_status mco_overlay_bound(mco_context *ctx, const mco_overlay *instance, const mco_overlay_bound_params *params,
                             mco_overlay_bound_result *result)
{
    const mco_status st = overlay_bound(ctx, instance, params, result);
    if (ctx != NULL)
        mco_clear_cancel(ctx);
    return st;
}

void mco_overlay_bound_result_clear(mco_context *ctx, mco_overlay_bound_result *result)
{
    mco_overlay_bound_result full = MCO_OVERLAY_BOUND_RESULT_INIT;
    if (result == NULL)
        return;
    mco_struct_clear(result, &full, sizeof full);
    mco_free(ctx, &full.duals);
    mco_free(ctx, &full.history);
    mco_free(ctx, &full.rounds);
}
