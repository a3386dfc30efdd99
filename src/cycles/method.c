// SPDX-License-Identifier: MIT
// The choice of a method for a block, and of the cores or a GPU.
//
// Method auto. The frontier first estimates its states from an order of the vertices. A cheap frontier is taken at once. Else
// the search gets a part of the time that the frontier would take, without a sink: where it ends, nothing else is needed to
// count, and a list is made by it. So auto takes at most that part longer than the frontier. A frontier that would not fit the
// memory, or that outgrows it, leaves the block to the search.
//
// Several ranks choose alike without asking each other, so the clock decides nothing: a frontier that fits the memory is taken, by
// the rank whose turn it is; a search is shared by all.
//
// Engine gpu. The frontier counts on the cores; its products are made on the GPUs, as is every search of enough vertices.
// Engine auto. The cores search for a moment; a GPU, if there is one, takes a count that is not done by then.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cycles/solver.h"
#include "device/device.h"
#ifdef MCO_HAVE_CUDA
#include "cycles/gpu.h"
#endif

static const double STATE_BYTES = 64;         // of memory for an estimated state, with its table
static const double STATE_S = 5e-8;           // time of an estimated state
static const double CHEAP_STATES = 4e6;      // a frontier of so many, a fifth of a second, is taken without asking the search
static const double PROBE_SHARE = 0.25;       // of the frontier's time, for the search
static const double PROBE_LONGEST_S = 10;
enum { SHARED_LEAST = 32 };  // vertices of a block whose search several ranks share
#ifdef MCO_HAVE_CUDA
static const double GPU_PAYS_S = 0.02;        // of a search on the cores; it begins anew where there is no GPU
enum { GPU_LEAST_VERTICES = 24, GPU_MOST_VERTICES = 256 };  // smaller blocks take the cores less than opening a device
#endif

const char *cycles_method_text(mco_cycles_method method)
{
    static const char *const names[CYCLES_METHODS] = {"auto", "frontier", "search", "labels"};
    return names[method];
}

static void say(cycles_solver *s, const cycles_job *job, const char *format, ...) MCO_PRINTF(3, 4);

// Tells why a method is chosen. The result keeps the reason of the largest block.
static void say(cycles_solver *s, const cycles_job *job, const char *format, ...)
{
    va_list arguments;
    char text[MCO_REASON_ROOM];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    mco_log(s->ctx, MCO_LOG_DETAIL, "block of %d vertices, %" PRId64 " arcs: %s", job->block->graph.vertices,
            job->block->graph.arcs, text);
    if (job->block->graph.vertices < s->largest)
        return;
    s->largest = job->block->graph.vertices;
    memcpy(s->r.reason, text, sizeof text);
}

static void note_method(cycles_solver *s, const cycles_job *job, mco_cycles_method method)
{
    s->by[method]++;
    if (job->block->graph.vertices >= s->largest)
        s->r.method = method;
}

static mco_status add_tally(cycles_tally *to, const cycles_tally *from)
{
    mco_status st = MCO_OK;
    for (int32_t k = 0; k < from->lengths; k++)
        MCO_TRY(cycles_tally_add(to, k, from->by_length + (size_t)k * (size_t)from->limbs, from->limbs));
done:
    return st;
}

// Lets the search count for at most `seconds`. *has_ended: it counted everything, and the tally has it unless the job lists.
static mco_status probe_search(cycles_solver *s, const cycles_job *job, double seconds, bool *has_ended)
{
    mco_status st = MCO_OK;
    const double left_s = s->run.stop_s - s->run.begin_s - mco_run_time_s(&s->run);
    const mco_run_settings settings = {.time_limit_s = seconds < left_s ? seconds : left_s, .target = -1, .objective = "cycles"};
    mco_run run = mco_run_begin(s->ctx, &settings);
    cycles_tally tally = {.ctx = s->ctx};
    mco_cycles_result effort = s->r;
    cycles_job probe = *job;
    probe.run = &run;
    probe.sink = NULL;
    probe.tally = &tally;
    probe.result = &effort;
    st = cycles_search(&probe);
    *has_ended = st == MCO_OK && run.stop == MCO_STOP_FINISHED;
    MCO_TRY(st == MCO_ERR_LIMIT ? MCO_OK : st);  // no memory for a search: the frontier may do with less
    s->run.is_asked_to_stop |= run.is_asked_to_stop;
    s->r.nodes = effort.nodes;
    if (*has_ended && job->sink == NULL)
        MCO_TRY(add_tally(&s->tally, &tally));
done:
    cycles_tally_clear(&tally);
    mco_run_clear(&run);
    return st;
}

// ---- GPUs

#ifdef MCO_HAVE_CUDA
static bool is_for_gpu(const cycles_job *job)
{
    return job->block->graph.vertices >= GPU_LEAST_VERTICES && job->block->graph.vertices <= GPU_MOST_VERTICES;
}

// Whether cycles that are made on a GPU may stay there.
static bool stays_on_gpu(const cycles_solver *s)
{
    return s->listener != NULL && s->listener->drops_cycles && s->p.limit == 0;
}

// *is_done: a GPU has searched the block. Else nothing was tallied or given, and the cores go on. One of several GPUs may
// fail after another one has given cycles: that ends the run.
static mco_status search_on_gpu(cycles_solver *s, cycles_job *job, bool *is_done)
{
    const cycles_gpu_tuning tuning = {.makes_lists = stays_on_gpu(s)};
    cycles_job on_gpu = *job;
    if (job->block->graph.vertices < GPU_LEAST_VERTICES)
        return MCO_OK;
    on_gpu.sink = tuning.makes_lists ? NULL : job->sink;
    const int64_t taken = s->sink.taken;
    const mco_status st = cycles_gpu_search(&on_gpu, s->p.gpus, &tuning, NULL);
    *is_done = st == MCO_OK;
    // Ranks deal the roots of the cores otherwise, so all must fall back: too many vertices are too many for all.
    const bool is_for_all = job->parts <= 1 || job->block->graph.vertices > GPU_MOST_VERTICES;
    if (st != MCO_ERR_LIMIT || s->sink.taken != taken || !is_for_all)
        return st;
    mco_log(s->ctx, MCO_LOG_WARNING, "%s: the cores search this block", mco_context_error(s->ctx));
    return MCO_OK;
}

// Lists the products of the frontier. A sink that closes early leaves the count of what it has taken.
static mco_status list_on_gpu(cycles_solver *s, cycles_job *job, cycles_frontier *frontier)
{
    mco_status st = MCO_OK;
    cycles_factors factors = {0};
    cycles_tally tally = {.ctx = s->ctx};
    cycles_job count = *job, products = *job;
    const int64_t taken = job->sink->taken;
    count.sink = NULL;
    count.tally = &tally;
    products.sink = stays_on_gpu(s) ? NULL : job->sink;
    MCO_TRY(cycles_frontier_run(&count, frontier));
    if (s->run.stop == MCO_STOP_FINISHED)
        MCO_TRY(cycles_frontier_factors(job, frontier, &factors));
    if (s->run.stop == MCO_STOP_FINISHED)
        MCO_TRY(cycles_gpu_product(&products, &factors, s->p.gpus, NULL, NULL));
    if (s->run.stop == MCO_STOP_FINISHED && !job->sink->is_closed)
        st = add_tally(job->tally, &tally);
    else
        st = cycles_tally_add_u64(job->tally, 0, (uint64_t)(job->sink->taken - taken));
done:
    cycles_tally_clear(&tally);
    cycles_factors_clear(s->ctx, &factors);
    return st;
}

static bool lists_on_gpu(const cycles_solver *s, const cycles_job *job)
{
    return s->engine == MCO_ENGINE_GPU && job->sink != NULL && s->p.limit == 0 && is_for_gpu(job);
}
#endif

// ---- Methods

// Whether other ranks leave this job to this one, or it is shared.
static bool takes_part(const cycles_solver *s, const cycles_job *job)
{
    return s->has_turn || job->parts > 1;
}

static mco_status run_search(cycles_solver *s, cycles_job *job)
{
    mco_status st = MCO_OK;
    bool is_done = false;
    note_method(s, job, MCO_CYCLES_METHOD_SEARCH);
    if (job->block->graph.vertices < SHARED_LEAST)
        job->parts = 1;
    if (!takes_part(s, job))
        return MCO_OK;
#ifdef MCO_HAVE_CUDA
    bool takes_gpu = s->engine == MCO_ENGINE_GPU;
    if (s->engine == MCO_ENGINE_AUTO && job->sink == NULL && !job->is_directed && is_for_gpu(job)) {
        MCO_TRY(probe_search(s, job, GPU_PAYS_S, &is_done));
        takes_gpu = !is_done && !mco_run_must_stop(&s->run, s->r.nodes) && mco_has_gpu(s->ctx);
        if (takes_gpu)
            mco_log(s->ctx, MCO_LOG_INFO, "engine gpu: the cores have searched for %g s, and the block is not done", GPU_PAYS_S);
    }
    if (takes_gpu)
        MCO_TRY(search_on_gpu(s, job, &is_done));
#endif
    if (!is_done)
        MCO_TRY(cycles_search(job));
done:
    return st;
}

// Gives the products of a block to the listener. The count follows them, so that a block that falls back to the search after
// LIMIT counts once.
static mco_status list_factors(cycles_solver *s, cycles_job *job, cycles_frontier *frontier)
{
    mco_status st = MCO_OK;
    cycles_factors factors = {0};
    cycles_tally tally = {.ctx = s->ctx};
    cycles_job count = *job;
    count.sink = NULL;
    count.tally = &tally;
    MCO_TRY(cycles_frontier_run(&count, frontier));
    if (s->run.stop == MCO_STOP_FINISHED)
        MCO_TRY(cycles_frontier_factors(job, frontier, &factors));
    if (s->run.stop != MCO_STOP_FINISHED)
        goto done;
    job->sink->is_closed = !s->listener->take_factors(s->listener->user, job->block, &factors);
    MCO_TRY(add_tally(job->tally, &tally));
done:
    cycles_tally_clear(&tally);
    cycles_factors_clear(s->ctx, &factors);
    return st;
}

static mco_status run_frontier(cycles_solver *s, cycles_job *job, cycles_frontier *frontier)
{
    mco_status st = MCO_OK;
    const bool has_factors = s->listener != NULL && s->listener->take_factors != NULL;
#ifdef MCO_HAVE_CUDA
    if (!has_factors && lists_on_gpu(s, job)) {
        MCO_TRY(list_on_gpu(s, job, frontier));
        note_method(s, job, MCO_CYCLES_METHOD_FRONTIER);
        return MCO_OK;
    }
#endif
    MCO_TRY(has_factors ? list_factors(s, job, frontier) : cycles_frontier_run(job, frontier));
    note_method(s, job, MCO_CYCLES_METHOD_FRONTIER);
done:
    return st;
}

// A frontier of several ranks: one of them has it, and the search behind it if it outgrows the memory.
static mco_status run_in_turn(cycles_solver *s, cycles_job *job, cycles_frontier *frontier, int32_t width, double states)
{
    say(s, job, "frontier: at most %d vertices wide, about %.2g states expected; one rank has it, --method search is shared", width,
        states);
    note_method(s, job, MCO_CYCLES_METHOD_FRONTIER);
    job->parts = 1;
    if (!s->has_turn)
        return MCO_OK;
    const mco_status st = cycles_frontier_run(job, frontier);
    if (st != MCO_ERR_LIMIT)
        return st;
    mco_log(s->ctx, MCO_LOG_WARNING, "%s: the search goes on", mco_context_error(s->ctx));
    return cycles_search(job);
}

// The frontier, or the search where it needs too much memory.
static mco_status run_auto(cycles_solver *s, cycles_job *job, cycles_frontier *frontier, int32_t width, double states)
{
    mco_status st = MCO_OK;
    bool has_ended = false;
    const bool has_factors = s->listener != NULL && s->listener->take_factors != NULL;
    const double probe_s = PROBE_SHARE * STATE_S * states;
    if (states * STATE_BYTES > s->memory_bytes) {
        say(s, job, "search: the frontier would be %d vertices wide, about %.2g states, more than %.0f MiB", width, states,
            s->memory_bytes / (1 << 20));
        return run_search(s, job);
    }
    if (job->parts > 1)
        return run_in_turn(s, job, frontier, width, states);
    if (states > CHEAP_STATES && !has_factors)
        MCO_TRY(probe_search(s, job, probe_s < PROBE_LONGEST_S ? probe_s : PROBE_LONGEST_S, &has_ended));
    if (has_ended) {
        say(s, job, "search: done in a quarter of the time of a frontier %d vertices wide, about %.2g states", width, states);
        if (job->sink != NULL)
            return run_search(s, job);
        note_method(s, job, MCO_CYCLES_METHOD_SEARCH);
        return MCO_OK;
    }
    st = run_frontier(s, job, frontier);
    if (st != MCO_ERR_LIMIT) {
        say(s, job, "frontier: at most %d vertices wide, about %.2g states expected", width, states);
        return st;
    }
    say(s, job, "search: the frontier did not fit the memory (%.160s)", mco_context_error(s->ctx));
    mco_log(s->ctx, MCO_LOG_WARNING, "%s: the search goes on", mco_context_error(s->ctx));
    st = run_search(s, job);
done:
    return st;
}

static mco_status run_planned(cycles_solver *s, cycles_job *job)
{
    mco_status st = MCO_OK;
    cycles_frontier *frontier = NULL;
    int32_t width = 0;
    double states = 0;
    MCO_TRY(cycles_frontier_plan(job, &frontier, &width, &states));
    if (mco_run_must_stop(&s->run, s->r.nodes))
        goto done;  // the order is not to be trusted
    if (s->p.method == MCO_CYCLES_METHOD_AUTO) {
        MCO_TRY(run_auto(s, job, frontier, width, states));
    } else {
        say(s, job, "frontier: as asked for; at most %d vertices wide, about %.2g states expected", width, states);
        job->parts = 1;
        if (s->has_turn)
            MCO_TRY(run_frontier(s, job, frontier));
        else
            note_method(s, job, MCO_CYCLES_METHOD_FRONTIER);
    }
done:
    cycles_frontier_destroy(s->ctx, &frontier);
    return st;
}

mco_status cycles_run_method(cycles_solver *s, cycles_job *job)
{
    if (s->p.directed) {
        say(s, job, "search: the cycles are directed");
        return run_search(s, job);
    }
    if (s->p.engine == MCO_ENGINE_REFERENCE || s->p.method == MCO_CYCLES_METHOD_LABELS) {
        say(s, job, "labels: %s", s->p.method == MCO_CYCLES_METHOD_LABELS ? "as asked for" : "the reference engine");
        note_method(s, job, MCO_CYCLES_METHOD_LABELS);
        job->parts = 1;
        if (!s->has_turn)
            return MCO_OK;
#ifdef MCO_HAVE_CUDA
        if (s->engine == MCO_ENGINE_GPU && job->sink == NULL && is_for_gpu(job))
            return cycles_gpu_labels(job, s->p.gpus, NULL, NULL);
#endif
        return cycles_labels(job);
    }
    if (s->p.method == MCO_CYCLES_METHOD_SEARCH) {
        say(s, job, "search: as asked for");
        return run_search(s, job);
    }
    return run_planned(s, job);
}
