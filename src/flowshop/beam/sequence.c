// SPDX-License-Identifier: MIT
// The sequence of beams, with targets.
//
// A beam keeps the best `width` nodes of each layer (L. Libralesso, P. Focke, A. Secardin, V. Jost, EJOR 301, 2022). Here it has a
// target: children whose bound reaches it are pruned, and the rule for the end that grows counts the children below it. Where n is
// much larger than m and m is small, a target between bound and incumbent leads to far better schedules than the incumbent itself.
// A layer that is empty while nothing was discarded proves the target.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/machine.h"
#include "flowshop/beam/beam.h"
#include "flowshop/beam/cores.h"
#include "flowshop/beam/place.h"
#include "flowshop/heuristic/heuristic.h"

enum {
    FIRST_TARGET_WIDTH = 16,
    FIRST_SHARE = 300000,  // millionths
    LAST_SHARE = 970000,   // from here on the next width follows
    LEAST_SHARE = 100000,
    SMALL_RISE = 40000,
    FALL = 200000,
    MOST_MACHINES = 20     // up to which all guides are alike
};
// With fewer jobs a machine the greedy finds more than a beam of twice the width: there beams have this share of the time.
enum { FEW_JOBS = 3 };
static const double FEW_JOBS_SHARE = 0.5;
static const double SETTLED_S = 0.01;  // a shorter beam does not tell how long a wider one takes

typedef struct sequence {
    flowshop_run *run;
    flowshop_cores_beam *cores;
    flowshop_campaign state;  // after the newest complete beam
    double memory;            // bytes
    int64_t widest;           // beam that the caller wants, -1: no limit
    double checkpoint_s;      // when the next one is due
    bool has_file;            // --checkpoint
    bool is_written;          // the file holds the state, or there is none
    bool is_late;             // a beam was narrowed to end in time
    bool is_over;             // no much wider beam ends in the time left: the greedy has it
    flowshop_beam_place place;
    bool is_on_gpu;           // the newest beam
    int32_t depth;            // of a beam on a GPU: jobs placed
    int32_t *order;           // [jobs] that it found
    mco_stop *stop;
} sequence;

// ---- What depends on the shape

bool flowshop_beam_has_targets(const mco_flowshop *shop)
{
    const int64_t n = shop->jobs, m = shop->machines;
    return n >= 4 * m && (m <= MOST_MACHINES || 4 * n >= m * m);
}

// The idle share of the guide. NOTES.md has the measurements.
static float idle_share(const mco_flowshop *shop)
{
    const double jobs = shop->jobs, square = (double)shop->machines * shop->machines;
    if (shop->machines <= MOST_MACHINES || jobs < 0.13 * square)
        return 1;
    return flowshop_beam_has_targets(shop) ? 0.01f : 0.3f;
}

// Whether this is --method beam, and not the beams before a tree search.
static bool is_campaign(const flowshop_run *run)
{
    return run->params->method == MCO_FLOWSHOP_METHOD_BEAM;
}

// When beams without targets end, so that the greedy has the rest of the time.
static double beams_end_s(const sequence *q)
{
    const mco_flowshop *shop = q->run->shop;
    const bool is_of_greedy = is_campaign(q->run) && shop->jobs < FEW_JOBS * shop->machines;
    return q->run->params->time_limit_s * (is_of_greedy ? FEW_JOBS_SHARE : 1);
}

// ---- Checkpoints

static mco_status write_checkpoint(sequence *q)
{
    flowshop_run *run = q->run;
    const mco_flowshop_result *r = run->result;
    q->state.makespan = r->makespan;
    q->state.bound = r->bound;
    memcpy(q->state.order, r->order, (size_t)run->shop->jobs * sizeof *r->order);
    q->checkpoint_s = mco_run_time_s(&run->run) + run->params->checkpoint_interval_s;
    q->is_written = true;
    mco_log(run->ctx, MCO_LOG_DETAIL, "%9.2f s  checkpoint: %lld beams, the next one %lld wide", mco_run_time_s(&run->run),
            (long long)q->state.beams, (long long)q->state.width);
    return flowshop_campaign_write(run->ctx, run->shop, &q->state, run->params->checkpoint);
}

// A full disk must not end the search: it tries again after the next interval.
static void write_if_due(sequence *q)
{
    if (q->is_written || mco_run_time_s(&q->run->run) < q->checkpoint_s)
        return;
    const mco_status st = write_checkpoint(q);
    flowshop_run_tell_checkpoint(q->run, st, q->run->ctx);
    q->is_written = st == MCO_OK;
}

// For the calling thread of a beam.
static bool look(void *user)
{
    sequence *q = user;
    write_if_due(q);
    return flowshop_run_must_stop(q->run, q->run->result->iterations, q->stop);
}

// While the greedy runs: what it has found is in the file after the next interval.
static void tend(void *user)
{
    sequence *q = user;
    if (q->has_file && q->run->result->makespan < q->state.makespan)
        q->is_written = false;
    write_if_due(q);
}

static mco_status resume(flowshop_run *run, flowshop_campaign *state)
{
    mco_status st = MCO_OK;
    char makespan[FLOWSHOP_UNITS_TEXT], bound[FLOWSHOP_UNITS_TEXT];
    MCO_TRY(flowshop_campaign_read(run->ctx, run->shop, run->params->resume, state));
    if (run->result->makespan < 0 || state->makespan < run->result->makespan)
        MCO_TRY(flowshop_run_adopt(run, state->makespan, state->order, "resumed"));
    flowshop_run_raise_bound(run, state->bound);
    run->result->iterations = state->beams;
    mco_log(run->ctx, MCO_LOG_INFO, "resumed: %lld beams, widths up to %lld, best %s, bound %s", (long long)state->beams,
            (long long)state->reached, flowshop_units_text(run->shop, state->makespan, makespan),
            flowshop_units_text(run->shop, state->bound, bound));
done:
    return st;
}

// ---- The next beam

// The target between bound and incumbent, which falls at wider beams and rises when a beam finds nothing. A beam that finds a schedule
// is run again with the same share of the smaller gap.
static int64_t target_of(const sequence *q, const flowshop_campaign *next)
{
    const int64_t bound = q->run->result->bound, upper = q->run->upper_bound;
    const int64_t target = bound + 1 + (upper - bound - 1) * next->share / FLOWSHOP_BEAM_WHOLE;
    return next->has_targets && target < upper ? target : upper;
}

static void plan_target(flowshop_campaign *next, bool has_found)
{
    const int64_t left = FLOWSHOP_BEAM_WHOLE - next->share;
    if (has_found)
        return;
    if (next->share < LAST_SHARE) {
        const int64_t rise = left * 35 / 100 > SMALL_RISE ? left * 35 / 100 : SMALL_RISE;
        next->share += left < rise ? left : rise;
        return;
    }
    next->width *= 2;
    next->share = next->share - FALL > LEAST_SHARE ? next->share - FALL : LEAST_SHARE;
}

// The widest beam for which numbers of children fit 32 bits.
static int64_t widest_of_shape(const mco_flowshop *shop)
{
    const int64_t most = (int64_t)UINT32_MAX / shop->jobs;
    return most < FLOWSHOP_BEAM_LARGEST_WIDTH ? most : FLOWSHOP_BEAM_LARGEST_WIDTH;
}

// The widest beam that fits the memory where the newest one has run. On the cores the memory is linear in the width.
static int64_t widest_in_memory(const sequence *q)
{
    if (q->is_on_gpu)
        return flowshop_beam_place_widest(&q->place);
    const double none = flowshop_cores_beam_bytes(q->cores, 0), of_one = flowshop_cores_beam_bytes(q->cores, 1) - none;
    return (int64_t)fmin(1e15, fmax(0, (q->memory - none) / of_one));
}

static int64_t widest_of_all(const sequence *q)
{
    const int64_t shape = widest_of_shape(q->run->shop), memory = widest_in_memory(q), most = shape < memory ? shape : memory;
    return q->widest >= 0 && q->widest < most ? q->widest : most;
}

// Without targets: twice as wide. Once little time is left, one beam takes most of it; cores narrow a beam that gets late.
// The last one fills the memory.
static void plan_width(sequence *q, double last_s)
{
    enum { FEW = 32 };  // times the last beam: so much time is little
    const double used = q->is_on_gpu ? 0.85 : 0.88;  // of the time left
    const double least = 1.4;  // times the last width: a beam that is not so much wider is not worth its time
    const int64_t most = widest_of_all(q);
    const double left_s = beams_end_s(q) - mco_run_time_s(&q->run->run), fits = used * left_s / last_s;
    const bool is_last = !q->is_late && last_s > SETTLED_S && left_s < FEW * last_s && fits >= least;
    const int64_t width = q->state.width, next = is_last ? (int64_t)((double)width * fits) : 2 * width;
    q->state.width = next <= most ? next : width < most ? most : 2 * width;
    q->is_over = q->is_late || (last_s > SETTLED_S && fits < least);
}

// Settles the beam after the one that ended. A target that was tried at a width is not tried again.
static void plan_next(sequence *q, int64_t target, bool has_found, double last_s)
{
    flowshop_campaign *next = &q->state;
    const int64_t width = next->width;
    if (!next->has_targets && flowshop_beam_has_targets(q->run->shop)) {
        next->width = FIRST_TARGET_WIDTH;
        next->share = FIRST_SHARE;
        next->has_targets = true;
    } else if (!next->has_targets) {
        plan_width(q, last_s);
    } else {
        do
            plan_target(next, has_found);
        while (next->width == width && !has_found && target_of(q, next) == target);
    }
}

// ---- The beams

static void log_begin(const sequence *q)
{
    const flowshop_run *run = q->run;
    const mco_build build = flowshop_cores_beam_build(q->cores);
    const int64_t most = widest_of_all(q);
    mco_log(run->ctx, MCO_LOG_INFO, "beams from both ends on %d thread%s, simd %s, %d-bit lanes; %s; guide: bound x (share placed + %g x share left x idle time)",
            run->threads, run->threads > 1 ? "s" : "", mco_simd_text(build.simd), build.bits,
            flowshop_beam_has_targets(run->shop) ? "targets between bound and incumbent" : "no targets", (double)idle_share(run->shop));
    mco_log(run->ctx, MCO_LOG_INFO, "beams take %.1f MiB at width 1024; widths up to %lld fit %.0f MiB", flowshop_cores_beam_bytes(q->cores, 1024) / (1 << 20),
            (long long)most, q->memory / (1 << 20));
}

static void log_beam(const sequence *q, int64_t width, int64_t target, const flowshop_beam_outcome *found, double seconds)
{
    const mco_flowshop *shop = q->run->shop;
    char below[FLOWSHOP_UNITS_TEXT], makespan[FLOWSHOP_UNITS_TEXT];
    mco_log(q->run->ctx, MCO_LOG_DETAIL, "beam %lld: width %lld, target %s, %s%s%s%s, %.2f s, %.0f M children/s", (long long)q->state.beams + 1,
            (long long)width, flowshop_units_text(shop, target, below), found->makespan < INT64_MAX ? "found " : "found none",
            found->makespan < INT64_MAX ? flowshop_units_text(shop, found->makespan, makespan) : "",
            found->is_complete ? "" : ", cut off", found->has_discarded ? "" : ", nothing discarded", seconds,
            (double)found->bounded / 1e6 / fmax(1e-9, seconds));
}

// True if a beam of that width fits neither the memory nor 32-bit numbers of children, or is wider than `widest`; *stop says which.
static bool is_too_wide(const sequence *q, int64_t width)
{
    const bool fits = width <= widest_in_memory(q);
    *q->stop = fits ? MCO_STOP_FINISHED : MCO_STOP_MEMORY;
    return !fits || width > widest_of_shape(q->run->shop) || (q->widest >= 0 && width > q->widest);
}

static mco_status run_on_gpu(sequence *q, int64_t target, flowshop_beam_outcome *found)
{
    const flowshop_beam_gpu_task task = {.width = q->state.width, .upper = target, .idle_share = idle_share(q->run->shop), .must_stop = look,
                                         .state = q, .depth = &q->depth};
    flowshop_beam_gpu_answer answer;
    const double begin_s = mco_run_time_s(&q->run->run);
    const mco_status st = flowshop_beam_run_on_gpu(&q->place, &task, &answer, q->order);
    // A beam stays on the GPUs, which wait for one another: their kernels take as long as it does.
    q->run->result->work.device_s += (mco_run_time_s(&q->run->run) - begin_s) * q->run->gpu_count;
    if (st == MCO_OK)
        *found = (flowshop_beam_outcome){.makespan = answer.is_complete ? answer.makespan : INT64_MAX, .order = q->order,
                                         .is_complete = answer.is_complete, .has_discarded = answer.has_discarded, .bounded = answer.bounded};
    return st;
}

// Takes what a complete beam has found, and plans the next one.
static mco_status finish_beam(sequence *q, int64_t target, const flowshop_beam_outcome *found, double seconds)
{
    mco_status st = MCO_OK;
    flowshop_campaign *next = &q->state;
    if (found->makespan < INT64_MAX)
        MCO_TRY(flowshop_run_improve(q->run, found->makespan, found->order, "beam"));
    if (!found->has_discarded)
        flowshop_run_raise_bound(q->run, found->makespan < target ? found->makespan : target);
    q->run->result->iterations++;
    q->is_late = q->is_late || found->is_narrowed;
    next->beams++;
    next->reached = next->width > next->reached ? next->width : next->reached;
    plan_next(q, target, found->makespan < target, seconds);
    q->is_written = !q->has_file;
done:
    return st;
}

// *is_complete: the beam has ended by itself, or on a GPU that failed, so that the cores repeat it.
static mco_status run_one(sequence *q, bool *is_complete)
{
    mco_status st = MCO_OK;
    flowshop_run *run = q->run;
    flowshop_beam_outcome found = {.makespan = INT64_MAX};
    const double begin_s = mco_run_time_s(&run->run), end_s = q->state.has_targets ? (double)INFINITY : beams_end_s(q);
    const int64_t target = target_of(q, &q->state), width = q->state.width;
    *is_complete = true;
    if (q->is_on_gpu) {
        const mco_status failure = run_on_gpu(q, target, &found);
        if (failure != MCO_OK)
            return flowshop_beam_leave_gpu(&q->place, failure);
    } else {
        MCO_TRY(flowshop_cores_beam_run(q->cores, width, target, end_s, &found));
    }
    const double seconds = mco_run_time_s(&run->run) - begin_s;
    log_beam(q, width, target, &found, seconds);
    *is_complete = found.is_complete;
    if (found.is_complete)
        MCO_TRY(finish_beam(q, target, &found, seconds));
done:
    return st;
}

// After the last beam the greedy goes on from the best schedule until the time limit. Without one the sequence ends here, so that
// its schedule depends on nothing but its width. Where methods take turns, the caller sees to that.
static mco_status improve_last(sequence *q)
{
    flowshop_run *run = q->run;
    const int64_t beams = run->result->iterations;
    if (!is_campaign(run) || run->params->time_limit_s >= MCO_NO_LIMIT)
        return MCO_OK;
    mco_log(run->ctx, MCO_LOG_INFO, "%9.2f s  no wider beam follows: iterated greedy goes on from the best schedule on %d thread%s",
            mco_run_time_s(&run->run), run->threads, mco_plural(run->threads));
    run->tend = tend;
    run->tend_user = q;
    const mco_status st = flowshop_heuristic(run, -1, q->stop);
    run->tend = NULL;
    run->result->iterations = beams;
    return st;
}

static mco_status run_beams(sequence *q, int64_t beams)
{
    mco_status st = MCO_OK;
    flowshop_run *run = q->run;
    for (bool is_complete = true; is_complete && run->upper_bound > run->result->bound;) {
        if ((beams >= 0 && q->state.beams >= beams) || flowshop_run_turn_is_over(run)) {
            *q->stop = MCO_STOP_ITERATIONS;
            return MCO_OK;
        }
        MCO_TRY(flowshop_beam_choose_place(&q->place, q->state.width, &q->is_on_gpu));
        if (is_too_wide(q, q->state.width))
            return improve_last(q);
        MCO_TRY(run_one(q, &is_complete));
        if (!is_complete)
            return MCO_OK;
        if (q->is_over && run->upper_bound > run->result->bound) {
            *q->stop = MCO_STOP_FINISHED;
            return improve_last(q);
        }
    }
    *q->stop = MCO_STOP_FINISHED;
done:
    return st;
}

// ---- Entry

static void write_columns(void *user, char *out, size_t size)
{
    const sequence *q = user;
    snprintf(out, size, "  %10lld  %8d", (long long)q->state.width, q->is_on_gpu ? q->depth : flowshop_cores_beam_depth(q->cores));
}

static mco_status begin(sequence *q)
{
    mco_status st = MCO_OK;
    flowshop_run *run = q->run;
    mco_flowshop_result *r = run->result;
    MCO_TRY(flowshop_cores_beam_create(run, run->upper_bound, idle_share(run->shop), look, q, &q->cores));
    const mco_build build = flowshop_cores_beam_build(q->cores);
    if (is_campaign(run)) {
        r->work.simd = build.simd;
        r->work.lane_bits = build.bits;
    }
    MCO_TRY(mco_alloc(run->ctx, &q->order, run->shop->jobs));
    q->place = (flowshop_beam_place){.run = run, .shape = flowshop_cores_beam_shape(q->cores),
                                     .memory = run->params->memory > 0 ? q->memory : (double)INFINITY};
    mco_run_set_columns(&run->run, "       width    placed", write_columns, q);
    if (run->params->engine != MCO_ENGINE_GPU && q->state.beams == 0)
        log_begin(q);
done:
    return st;
}

// The last state. What was known before stays true where the file cannot be written.
static void end(sequence *q)
{
    mco_flowshop_result *r = q->run->result;
    if (q->has_file && write_checkpoint(q) != MCO_OK)
        r->is_checkpoint_lost = true;
    if (is_campaign(q->run))
        r->beam_width = q->state.reached;
    if (is_campaign(q->run) && q->cores != NULL)
        r->beam_bytes = (int64_t)(q->is_on_gpu ? flowshop_beam_place_bytes(&q->place, q->state.reached)
                                               : flowshop_cores_beam_bytes(q->cores, q->state.reached));
}

// A device or an allocation has failed: the file keeps the beams before. The first failure is the one to tell.
static mco_status keep_state(sequence *q, mco_status failure)
{
    char text[MCO_ERROR_LENGTH];
    snprintf(text, sizeof text, "%s", mco_context_error(q->run->ctx));
    (void)write_checkpoint(q);
    return mco_fail(q->run->ctx, failure, "%s", text);
}

mco_status flowshop_beam(flowshop_run *run, int64_t beams, int64_t widest, flowshop_campaign *campaign, mco_stop *stop)
{
    mco_status st = MCO_OK;
    const mco_flowshop_params *p = run->params;
    sequence q = {.run = run, .stop = stop, .memory = mco_settle_memory(p->memory), .widest = widest, .is_written = true};
    q.has_file = is_campaign(run) && p->checkpoint != NULL;
    q.checkpoint_s = mco_run_time_s(&run->run) + p->checkpoint_interval_s;
    *stop = MCO_STOP_FINISHED;
    if (campaign != NULL)
        q.state = *campaign;
    else
        MCO_TRY(flowshop_campaign_create(run->ctx, run->shop->jobs, &q.state));
    if (is_campaign(run) && p->resume != NULL)
        MCO_TRY(resume(run, &q.state));
    MCO_TRY(flowshop_beam_refuse_place(run));
    if (run->upper_bound > run->result->bound) {
        MCO_TRY(begin(&q));
        MCO_TRY(run_beams(&q, beams));
    }
    end(&q);
done:
    if (st != MCO_OK && !q.is_written)
        st = keep_state(&q, st);
    mco_run_set_columns(&run->run, NULL, NULL, NULL);
    if (q.place.run != NULL)
        flowshop_beam_close_place(&q.place);
    mco_free(run->ctx, &q.order);
    flowshop_cores_beam_destroy(run->ctx, &q.cores);
    if (campaign != NULL)
        *campaign = q.state;
    else
        flowshop_campaign_destroy(run->ctx, &q.state);
    return st;
}
