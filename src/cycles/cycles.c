// SPDX-License-Identifier: MIT
// Entry points: they validate, cut the graph into blocks, choose a method for each block, run it and add up.
//
// The choice of a method (auto). The frontier first estimates its states from an order of the vertices. A cheap frontier is
// taken at once. Else the search gets a part of the time that the frontier would take, without a sink: where it ends, nothing
// else is needed to count, and a list is made by it. So auto takes at most that part longer than the frontier. A frontier that
// would not fit the memory, or that outgrows it, leaves the block to the search.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "base/options.h"
#include "base/structs.h"
#include "cycles/blocks.h"
#include "cycles/solve.h"
#include "device/device.h"

#define MCO_OPTION_STRUCT mco_cycles_params
static const mco_option records[] = {MCO_OPTION_RECORDS(MCO_CYCLES_OPTIONS)};
static const mco_option_table options = MCO_OPTION_TABLE(records);

static const char *const method_names[] = {"auto", "frontier", "search", "labels"};
enum { METHODS = sizeof method_names / sizeof method_names[0] };

// ---- What the choice of a method rests on
static const double STATE_BYTES = 64;         // of memory for an estimated state, with its table
static const double STATE_S = 5e-8;           // time of an estimated state
static const double CHEAP_STATES = 4e6;      // a frontier of so many, a fifth of a second, is taken without asking the search
static const double PROBE_SHARE = 0.25;       // of the frontier's time, for the search
static const double PROBE_LONGEST_S = 10;

const mco_option_table *mco_cycles_options(void)
{
    return &options;
}

typedef struct solver {
    mco_context *ctx;
    const mco_graph *graph;
    const cycles_listener *listener;  // NULL: count only
    mco_cycles_params p;
    mco_run run;
    cycles_tally tally;
    cycles_sink sink;  // in use if there is a listener or a limit
    cycles_blocks blocks;
    int32_t *through;  // [through_count] ascending, each once
    int32_t through_count;
    double memory_bytes;
    int threads;
    int64_t largest;           // vertices of the largest block so far
    int64_t by[METHODS];       // blocks of each method
    mco_cycles_result r;
} solver;

// ---- Validation

static mco_status refuse_engine(mco_context *ctx, const mco_cycles_params *p)
{
    const bool is_reference = p->engine == MCO_ENGINE_REFERENCE;
    if (is_reference && p->method != MCO_CYCLES_METHOD_AUTO && p->method != MCO_CYCLES_METHOD_LABELS)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the reference engine is the method labels, the method is %s",
                        method_names[p->method]);
    if (is_reference && p->threads > 1)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--threads is %" PRId64 ", the reference runs on one core", p->threads);
    if (p->gpus != NULL && (is_reference || p->engine == MCO_ENGINE_CPU))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--gpus is for the gpu engine, the engine is %s", mco_engine_text(p->engine));
    if (p->directed && (is_reference || p->method == MCO_CYCLES_METHOD_LABELS || p->method == MCO_CYCLES_METHOD_FRONTIER))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "directed cycles are for the method search, the %s is %s",
                        is_reference ? "engine" : "method", is_reference ? "reference" : method_names[p->method]);
    return MCO_OK;
}

static mco_status refuse_request(const solver *s)
{
    const mco_cycles_params *p = &s->p;
    const mco_graph_rows rows = mco_graph_view(s->graph);
    if (p->directed && !rows.is_directed)
        return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "directed cycles were asked for, and the graph is undirected");
    if (p->max_length > 0 && p->max_length < p->min_length)
        return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "the longest length is %" PRId64 ", less than the shortest, %" PRId64,
                        p->max_length, p->min_length);
    if (p->through_count < 0 || (p->through_count > 0 && p->through == NULL))
        return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "through has %d vertices, and the pointer is %s", p->through_count,
                        p->through == NULL ? "NULL" : "not NULL");
    for (int32_t k = 0; k < p->through_count; k++)
        if (p->through[k] < 0 || p->through[k] >= rows.vertices)
            return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "cycles through vertex %d were asked for, vertices are 0 to %d",
                            p->through[k], rows.vertices - 1);
    if (s->listener != NULL && s->listener->take_factors != NULL && p->limit > 0)
        return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "a factored list has all cycles, and the limit is %" PRId64, p->limit);
    if (s->listener != NULL && s->listener->take_factors != NULL && p->method != MCO_CYCLES_METHOD_AUTO &&
        p->method != MCO_CYCLES_METHOD_FRONTIER)
        return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "a factored list comes from the method frontier, the method is %s",
                        method_names[p->method]);
    return refuse_engine(s->ctx, p);
}

static int compare_vertices(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static mco_status take_through(solver *s)
{
    mco_status st = MCO_OK;
    const int32_t count = s->p.through_count;
    MCO_TRY(mco_alloc(s->ctx, &s->through, count));
    if (count == 0)
        return MCO_OK;
    memcpy(s->through, s->p.through, (size_t)count * sizeof *s->through);
    qsort(s->through, (size_t)count, sizeof *s->through, compare_vertices);
    for (int32_t k = 0; k < count; k++)
        if (k == 0 || s->through[k] != s->through[s->through_count - 1])
            s->through[s->through_count++] = s->through[k];
done:
    return st;
}

static mco_status take_params(solver *s, const mco_cycles_params *params, const mco_cycles_result *result)
{
    mco_status st = MCO_OK;
    s->p = (mco_cycles_params)MCO_CYCLES_PARAMS_INIT;
    MCO_TRY(MCO_TAKE(s->ctx, params, &s->p));
    MCO_TRY(mco_struct_test(s->ctx, "result", result, sizeof *result));
    MCO_TRY(mco_options_validate(s->ctx, &options, &s->p));
    MCO_TRY(refuse_request(s));
    MCO_TRY(take_through(s));
    s->memory_bytes = mco_settle_memory(s->p.memory);
    s->threads = s->p.engine == MCO_ENGINE_REFERENCE ? 1 : mco_settle_threads(s->p.threads);
done:
    return st;
}

// The one place that leads to GPUs.
static mco_status choose_engine(solver *s)
{
    mco_status st = MCO_OK;
    mco_gpu gpus[MCO_MAX_GPUS];
    int count;
    s->r.work.engine = s->p.engine == MCO_ENGINE_AUTO && s->p.gpus == NULL ? MCO_ENGINE_CPU : s->p.engine;
    if (s->p.engine == MCO_ENGINE_AUTO && s->p.gpus != NULL)
        s->r.work.engine = MCO_ENGINE_GPU;
    if (s->r.work.engine == MCO_ENGINE_GPU) {
        MCO_TRY(mco_gpus_choose(s->ctx, s->p.gpus, gpus, &count));
        st = mco_fail(s->ctx, MCO_ERR_DEVICE, "this build has no GPU engine for chordless cycles");
    }
done:
    return st;
}

// ---- One block

static bool is_listing(const solver *s)
{
    return s->listener != NULL || s->p.limit > 0;
}

static void say(solver *s, const cycles_job *job, const char *format, ...) MCO_PRINTF(3, 4);

// Tells why a method is chosen. The result keeps the reason of the largest block.
static void say(solver *s, const cycles_job *job, const char *format, ...)
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

static void note_method(solver *s, const cycles_job *job, mco_cycles_method method)
{
    s->by[method]++;
    if (job->block->graph.vertices >= s->largest)
        s->r.method = method;
}

static mco_status run_search(solver *s, cycles_job *job)
{
    note_method(s, job, MCO_CYCLES_METHOD_SEARCH);
    return cycles_search(job);
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
static mco_status probe_search(solver *s, const cycles_job *job, double seconds, bool *has_ended)
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
    MCO_TRY(cycles_search(&probe));
    *has_ended = run.stop == MCO_STOP_FINISHED;
    s->run.is_asked_to_stop |= run.is_asked_to_stop;
    s->r.nodes = effort.nodes;
    if (*has_ended && job->sink == NULL)
        MCO_TRY(add_tally(&s->tally, &tally));
done:
    cycles_tally_clear(&tally);
    mco_run_clear(&run);
    return st;
}

static mco_status run_frontier(solver *s, cycles_job *job, cycles_frontier *frontier)
{
    mco_status st = MCO_OK;
    cycles_factors factors = {0};
    const bool has_factors = s->listener != NULL && s->listener->take_factors != NULL;
    if (!has_factors) {
        MCO_TRY(cycles_frontier_run(job, frontier));
    } else {
        cycles_job count = *job;
        count.sink = NULL;
        MCO_TRY(cycles_frontier_run(&count, frontier));
        if (s->run.stop == MCO_STOP_FINISHED)
            MCO_TRY(cycles_frontier_factors(job, frontier, &factors));
        if (s->run.stop == MCO_STOP_FINISHED)
            MCO_TRY(s->listener->take_factors(s->listener->user, job->block, &factors));
    }
    note_method(s, job, MCO_CYCLES_METHOD_FRONTIER);
done:
    cycles_factors_clear(s->ctx, &factors);
    return st;
}

// The frontier, or the search where it needs too much memory.
static mco_status run_auto(solver *s, cycles_job *job, cycles_frontier *frontier, int32_t width, double states)
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

static mco_status run_planned(solver *s, cycles_job *job)
{
    mco_status st = MCO_OK;
    cycles_frontier *frontier = NULL;
    int32_t width = 0;
    double states = 0;
    MCO_TRY(cycles_frontier_plan(job, &frontier, &width, &states));
    if (s->p.method == MCO_CYCLES_METHOD_AUTO) {
        MCO_TRY(run_auto(s, job, frontier, width, states));
    } else {
        say(s, job, "frontier: as asked for; at most %d vertices wide, about %.2g states expected", width, states);
        MCO_TRY(run_frontier(s, job, frontier));
    }
done:
    cycles_frontier_destroy(s->ctx, &frontier);
    return st;
}

static mco_status run_method(solver *s, cycles_job *job)
{
    if (s->p.directed) {
        say(s, job, "search: the cycles are directed");
        return run_search(s, job);
    }
    if (s->p.engine == MCO_ENGINE_REFERENCE || s->p.method == MCO_CYCLES_METHOD_LABELS) {
        say(s, job, "labels: %s", s->p.method == MCO_CYCLES_METHOD_LABELS ? "as asked for" : "the reference engine");
        note_method(s, job, MCO_CYCLES_METHOD_LABELS);
        return cycles_labels(job);
    }
    if (s->p.method == MCO_CYCLES_METHOD_SEARCH) {
        say(s, job, "search: as asked for");
        return run_search(s, job);
    }
    return run_planned(s, job);
}

// The vertices of the block that every cycle must hold. *has_all: the block has all that were asked for.
static mco_status find_through(const solver *s, const cycles_block *block, int32_t **out, bool *has_all)
{
    mco_status st = MCO_OK;
    int32_t *local = NULL;
    MCO_TRY(mco_alloc(s->ctx, &local, s->through_count));
    *has_all = true;
    for (int32_t k = 0; k < s->through_count && *has_all; k++) {
        const int32_t *found = bsearch(&s->through[k], block->vertex, (size_t)block->graph.vertices, sizeof *block->vertex,
                                       compare_vertices);
        *has_all = found != NULL;
        local[k] = *has_all ? (int32_t)(found - block->vertex) : -1;
    }
done:
    *out = local;
    return st;
}

static int32_t clip(int64_t value, int32_t most)
{
    return value < most ? (int32_t)value : most;
}

// A block that is one cycle needs no method.
static mco_status give_whole(const cycles_job *job)
{
    mco_status st = MCO_OK;
    const cycles_block *block = job->block;
    const int32_t n = block->graph.vertices;
    uint64_t *row = NULL;
    if (n < job->min_length || n > job->max_length)
        return MCO_OK;
    MCO_TRY(mco_alloc(job->ctx, &row, (n + 63) / 64));
    for (int32_t v = 0; v < n; v++)
        row[v / 64] |= (uint64_t)1 << v % 64;
    MCO_TRY(cycles_tally_add_u64(job->tally, n, 1));
    if (job->sink != NULL)
        cycles_sink_give(job->sink, block, row, 1);
done:
    mco_free(job->ctx, &row);
    return st;
}

static mco_status run_block(solver *s, const cycles_block *block)
{
    mco_status st = MCO_OK;
    int32_t *through = NULL;
    bool has_all = true;
    const int32_t n = block->graph.vertices;
    const int64_t least = s->p.directed || s->p.min_length > 4 ? s->p.min_length : 4;
    const int32_t most = s->p.max_length > 0 ? clip(s->p.max_length, n) : n;
    MCO_TRY(find_through(s, block, &through, &has_all));
    if (least <= most && has_all) {
        cycles_job job = {.ctx = s->ctx, .run = &s->run, .block = block, .is_directed = s->p.directed != 0,
                          .min_length = (int32_t)least, .max_length = most, .through = through,
                          .through_count = s->through_count,
                          .wants_lengths = s->p.by_length == MCO_CYCLES_BY_LENGTH_ON || s->p.directed,
                          .sink = is_listing(s) ? &s->sink : NULL, .tally = &s->tally, .threads = s->threads,
                          .memory_bytes = s->memory_bytes, .result = &s->r};
        MCO_TRY(block->is_cycle ? give_whole(&job) : run_method(s, &job));
    }
done:
    mco_free(s->ctx, &through);
    return st;
}

// ---- Results

// The sum of the counts of the lengths from `from` on and of unknown lengths, as one row of *out.
static mco_status sum_counts(const cycles_tally *tally, int32_t from, cycles_tally *out)
{
    mco_status st = MCO_OK;
    for (int32_t k = 0; k < tally->lengths; k++)
        if (k == 0 || k >= from)
            MCO_TRY(cycles_tally_add(out, 0, tally->by_length + (size_t)k * (size_t)tally->limbs, tally->limbs));
done:
    return st;
}

static bool is_zero(const uint64_t *row, int32_t limbs)
{
    for (int32_t k = 0; k < limbs; k++)
        if (row[k] != 0)
            return false;
    return true;
}

static int64_t as_int64(const uint64_t *row, int32_t limbs)
{
    const bool is_more = row[0] > INT64_MAX || (limbs > 1 && !is_zero(row + 1, limbs - 1));
    return is_more ? INT64_MAX : (int64_t)row[0];
}

static mco_status give_counts(solver *s)
{
    mco_status st = MCO_OK;
    cycles_tally sum = {.ctx = s->ctx};
    mco_cycles_result *r = &s->r;
    const cycles_tally *t = &s->tally;
    MCO_TRY(cycles_tally_add_u64(&s->tally, 0, 0));  // a row, even without cycles
    MCO_TRY(sum_counts(t, 4, &sum));
    r->limbs = sum.limbs > t->limbs ? sum.limbs : t->limbs;
    MCO_TRY(mco_alloc(s->ctx, &r->exact, r->limbs));
    memcpy(r->exact, sum.by_length, (size_t)sum.limbs * sizeof *r->exact);
    r->cycles = as_int64(r->exact, r->limbs);
    if (t->lengths > 3)
        r->triangles = as_int64(t->by_length + 3 * (size_t)t->limbs, t->limbs);
    for (int32_t k = 1; k < t->lengths; k++)
        r->longest = is_zero(t->by_length + (size_t)k * (size_t)t->limbs, t->limbs) ? r->longest : k;
    if (s->p.by_length == MCO_CYCLES_BY_LENGTH_OFF)
        goto done;
    MCO_TRY(mco_alloc(s->ctx, &r->by_length, ((int64_t)r->longest + 1) * r->limbs));
    for (int32_t k = 1; k <= r->longest; k++)
        memcpy(r->by_length + (size_t)k * (size_t)r->limbs, t->by_length + (size_t)k * (size_t)t->limbs,
               (size_t)t->limbs * sizeof *r->by_length);
done:
    cycles_tally_clear(&sum);
    return st;
}

static void settle_outcome(solver *s)
{
    mco_cycles_result *r = &s->r;
    r->stop = s->run.stop;
    if (r->stop == MCO_STOP_FINISHED && s->sink.is_closed)
        r->stop = s->sink.left == 0 ? MCO_STOP_TARGET : MCO_STOP_CANCELLED;
    r->outcome = r->stop == MCO_STOP_FINISHED ? MCO_OUTCOME_OPTIMAL : MCO_OUTCOME_FEASIBLE;
    if (r->blocks == 0)
        snprintf(r->reason, sizeof r->reason, "no method is needed: no block has a cycle longer than 3");
    else if (r->reason[0] == '\0')
        snprintf(r->reason, sizeof r->reason, "no method is needed: every block is one cycle, or has none that counts");
    const size_t used = strlen(r->reason);
    if (r->blocks > 1 && s->by[r->method] > 0)
        snprintf(r->reason + used, sizeof r->reason - used, "; so %" PRId64 " of %" PRId64 " blocks", s->by[r->method], r->blocks);
}

static bool must_end(solver *s)
{
    return s->sink.is_closed || mco_run_must_stop(&s->run, s->r.nodes);
}

// ---- Triangles and pairs of opposite arcs

enum { TRIANGLE_BATCH = 21 };  // up to 63 vertices: rows of one word

typedef struct triangle_list {
    solver *s;
    int32_t triangles[TRIANGLE_BATCH][3];
    int64_t count;
    int64_t total;
} triangle_list;

static int32_t place_of(const int32_t *vertices, int32_t count, int32_t v)
{
    int32_t k = 0;
    while (k < count && vertices[k] < v)
        k++;
    return k;
}

// Hands the triangles to a take as rows over their own vertices.
static bool give_as_batch(const mco_cycles_take take, void *user, const int32_t (*triangles)[3], int64_t count)
{
    int32_t vertices[3 * TRIANGLE_BATCH], used = 0;
    uint64_t rows[TRIANGLE_BATCH] = {0};
    for (int64_t k = 0; k < count; k++)
        for (int i = 0; i < 3; i++) {
            const int32_t v = triangles[k][i], at = place_of(vertices, used, v);
            if (at < used && vertices[at] == v)
                continue;
            memmove(vertices + at + 1, vertices + at, (size_t)(used - at) * sizeof *vertices);
            vertices[at] = v;
            used++;
        }
    for (int64_t k = 0; k < count; k++)
        for (int i = 0; i < 3; i++)
            rows[k] |= (uint64_t)1 << place_of(vertices, used, triangles[k][i]);
    const mco_cycles_batch batch = {.rows = rows, .count = count, .words = 1, .vertices = used, .vertex = vertices};
    return take(&batch, user);
}

static void flush_triangles(triangle_list *list)
{
    solver *s = list->s;
    cycles_sink *sink = &s->sink;
    const int64_t count = list->count < sink->left ? list->count : sink->left;
    list->count = 0;
    if (sink->is_closed || count == 0)
        return;
    bool goes_on = true;
    if (s->listener != NULL && s->listener->take_triangles != NULL)
        goes_on = s->listener->take_triangles(s->listener->user, (const int32_t(*)[3])list->triangles, count);
    else
        goes_on = give_as_batch(sink->take, sink->user, (const int32_t(*)[3])list->triangles, count);
    sink->taken += count;
    sink->left -= sink->left == INT64_MAX ? 0 : count;
    sink->is_closed = !goes_on || sink->left == 0;
    list->total += count;
}

// Only a list collects them; counts need no callback.
static bool take_triangle(const int32_t triangle[3], void *user)
{
    triangle_list *list = user;
    memcpy(list->triangles[list->count++], triangle, sizeof list->triangles[0]);
    if (list->count == TRIANGLE_BATCH || list->count == list->s->sink.left)
        flush_triangles(list);
    return !list->s->sink.is_closed;
}

static mco_status run_triangles(solver *s)
{
    mco_status st = MCO_OK;
    triangle_list list = {.s = s};
    int64_t count = 0;
    if (s->p.directed || s->p.min_length > 3)
        return MCO_OK;
    MCO_TRY(cycles_triangles(s->ctx, &s->run, &s->blocks.graph, s->through, s->through_count,
                             is_listing(s) ? take_triangle : NULL, &list, &count));
    flush_triangles(&list);
    MCO_TRY(cycles_tally_add_u64(&s->tally, 3, (uint64_t)(is_listing(s) ? list.total : count)));
done:
    return st;
}

// ---- The run

static bool drop_batch(const mco_cycles_batch *batch, void *user)
{
    (void)batch, (void)user;
    return true;
}

static mco_status begin(solver *s)
{
    mco_status st = MCO_OK;
    const mco_graph_rows rows = mco_graph_view(s->graph);
    const mco_run_settings settings = {.time_limit_s = s->p.time_limit_s, .target = -1, .objective = "cycles"};
    s->run = mco_run_begin(s->ctx, &settings);
    s->tally.ctx = s->ctx;
    s->sink = (cycles_sink){.take = s->listener != NULL ? s->listener->take : drop_batch,
                            .user = s->listener != NULL ? s->listener->user : NULL,
                            .left = s->p.limit > 0 ? s->p.limit : INT64_MAX};
    MCO_TRY(choose_engine(s));
    MCO_TRY(cycles_blocks_make(s->ctx, &rows, s->p.directed != 0, s->through, s->through_count, &s->blocks));
    const graph_simple *g = &s->blocks.graph;
    s->r.vertices = g->vertices;
    s->r.edges = s->p.directed ? g->arcs : g->arcs / 2;
    s->r.loops = g->loops;
    s->r.parallel = g->parallel;
    s->r.digons = s->blocks.digons;
    s->r.blocks = s->blocks.count;
    s->r.bytes = s->blocks.bytes;
    if (s->r.loops + s->r.parallel > 0)
        mco_log(s->ctx, MCO_LOG_INFO, "ignored: %" PRId64 " loop%s, %" PRId64 " parallel edge%s", s->r.loops,
                mco_plural(s->r.loops), s->r.parallel, mco_plural(s->r.parallel));
done:
    return st;
}

static mco_status run_blocks(solver *s)
{
    mco_status st = MCO_OK;
    if (s->listener != NULL && s->listener->begin != NULL)
        MCO_TRY(s->listener->begin(s->listener->user, &s->blocks.graph, s->p.directed != 0));
    MCO_TRY(run_triangles(s));
    for (int32_t k = 0; k < s->blocks.count && !must_end(s); k++)
        MCO_TRY(run_block(s, &s->blocks.block[k]));
    MCO_TRY(give_counts(s));
    settle_outcome(s);
    mco_log(s->ctx, MCO_LOG_INFO, "method %s", s->r.reason);
    s->r.work.threads = s->threads;
    s->r.work.solve_s = mco_run_time_s(&s->run);
done:
    return st;
}

mco_status cycles_solve(mco_context *ctx, const mco_graph *graph, const mco_cycles_params *params,
                        const cycles_listener *listener, mco_cycles_result *result)
{
    mco_status st = MCO_OK;
    solver s = {.ctx = ctx, .graph = graph, .listener = listener, .tally = {.ctx = ctx}, .r = MCO_CYCLES_RESULT_INIT};
    if (ctx == NULL || graph == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(take_params(&s, params, result));
    MCO_TRY(begin(&s));
    MCO_TRY(run_blocks(&s));
    mco_struct_give(result, &s.r, sizeof s.r);
done:
    mco_run_clear(&s.run);
    cycles_tally_clear(&s.tally);
    cycles_blocks_clear(ctx, &s.blocks);
    mco_free(ctx, &s.through);
    mco_cycles_result_clear(ctx, &s.r);  // what was not given
    mco_clear_cancel(ctx);
    return st;
}

mco_status mco_cycles_count(mco_context *ctx, const mco_graph *graph, const mco_cycles_params *params, mco_cycles_result *result)
{
    return cycles_solve(ctx, graph, params, NULL, result);
}

mco_status mco_cycles_list(mco_context *ctx, const mco_graph *graph, const mco_cycles_params *params, mco_cycles_take take,
                           void *user, mco_cycles_result *result)
{
    const cycles_listener listener = {.take = take, .user = user};
    if (ctx == NULL || take == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    return cycles_solve(ctx, graph, params, &listener, result);
}

void mco_cycles_result_clear(mco_context *ctx, mco_cycles_result *result)
{
    mco_cycles_result full = MCO_CYCLES_RESULT_INIT;
    if (result == NULL)
        return;
    mco_struct_clear(result, &full, sizeof full);
    mco_free(ctx, &full.exact);
    mco_free(ctx, &full.by_length);
}

// ---- Numbers as text

// Digits are made in place: out = out * 2^64 + limb, from the greatest limb on. A carry is below 2^64 + 10.
const char *mco_cycles_count_text(const uint64_t *count, int32_t limbs, char *out, size_t size)
{
    __extension__ typedef unsigned __int128 wide;
    size_t digits = 1;
    if (count == NULL || out == NULL || size < 2)
        return out;
    out[0] = 0;  // least digit first
    for (int32_t k = limbs - 1; k >= 0; k--) {
        wide carry = count[k];
        for (size_t d = 0; d < digits || carry > 0; d++) {
            if (d == digits) {
                if (++digits == size) {
                    out[0] = '\0';
                    return out;
                }
                out[d] = 0;
            }
            carry += (wide)(unsigned char)out[d] << 64;
            out[d] = (char)(carry % 10);
            carry /= 10;
        }
    }
    for (size_t d = 0; d < digits / 2; d++) {
        const char digit = out[d];
        out[d] = out[digits - 1 - d];
        out[digits - 1 - d] = digit;
    }
    for (size_t d = 0; d < digits; d++)
        out[d] = (char)('0' + out[d]);
    out[digits] = '\0';
    return out;
}

// ---- The order around a cycle

// The vertices of a row in a hash table, unless they are too many.
enum { TABLE_SLOTS = 4096, TABLE_MOST = TABLE_SLOTS / 2 };

typedef struct row_view {
    const mco_graph_rows *rows;
    const mco_cycles_batch *batch;
    const uint64_t *row;
    bool is_directed;
    int32_t count, least;
    uint32_t mask;               // slots in use - 1
    int32_t slots[TABLE_SLOTS];  // vertex + 1, 0 if empty
} row_view;

static uint32_t slot_of(const row_view *view, int32_t v)
{
    uint32_t at = (uint32_t)v * 0x9e3779b1u >> 16 & view->mask;
    while (view->slots[at] != 0 && view->slots[at] != v + 1)
        at = (at + 1) & view->mask;
    return at;
}

// Counts the vertices of the row, finds the least, and puts them into the table.
static void begin_row(row_view *view)
{
    const mco_cycles_batch *batch = view->batch;
    view->count = 0;
    view->least = INT32_MAX;
    for (int32_t w = 0; w < batch->words; w++)
        view->count += (int32_t)__builtin_popcountll(view->row[w]);
    view->mask = 1;
    while (view->mask < 2 * (uint32_t)view->count && view->mask < TABLE_SLOTS - 1)
        view->mask = 2 * view->mask + 1;
    memset(view->slots, 0, ((size_t)view->mask + 1) * sizeof *view->slots);
    for (int32_t w = 0; w < batch->words; w++)
        for (uint64_t bits = view->row[w]; bits != 0; bits &= bits - 1) {
            const int32_t v = batch->vertex[64 * w + (int32_t)__builtin_ctzll(bits)];
            view->least = v < view->least ? v : view->least;
            if (view->count <= TABLE_MOST)
                view->slots[slot_of(view, v)] = v + 1;
        }
}

static bool is_in_row(const row_view *view, int32_t v)
{
    if (view->count <= TABLE_MOST)
        return view->slots[slot_of(view, v)] != 0;
    for (int32_t b = 0; b < view->batch->vertices; b++)
        if (view->batch->vertex[b] == v)
            return (view->row[b / 64] >> b % 64 & 1) != 0;
    return false;
}

static bool has_row_arc(const mco_graph_rows *rows, int32_t u, int32_t v)
{
    for (int64_t a = rows->first[u]; a < rows->first[u + 1]; a++)
        if (rows->head[a] == v)
            return true;
    return false;
}

// Notes a neighbour. Of more than two different ones the count alone tells.
static void note_neighbour(int32_t v, int32_t out[2], int32_t *count)
{
    for (int32_t k = 0; k < *count && k < 2; k++)
        if (out[k] == v)
            return;
    if (*count < 2)
        out[*count] = v;
    (*count)++;
}

// Finds the neighbours of v in the row, or the heads of its arcs there, and returns how many they are.
static int32_t find_neighbours(const row_view *view, int32_t v, int32_t out[2])
{
    int32_t count = 0;
    const mco_graph_rows *rows = view->rows;
    for (int64_t a = rows->first[v]; a < rows->first[v + 1]; a++)
        if (rows->head[a] != v && is_in_row(view, rows->head[a]))
            note_neighbour(rows->head[a], out, &count);
    for (int32_t b = 0; b < view->batch->vertices && rows->is_directed && !view->is_directed; b++)
        if ((view->row[b / 64] >> b % 64 & 1) != 0 && view->batch->vertex[b] != v && has_row_arc(rows, view->batch->vertex[b], v))
            note_neighbour(view->batch->vertex[b], out, &count);
    return count;
}

int32_t mco_cycles_order(const mco_graph *graph, const mco_cycles_batch *batch, int64_t row, bool is_directed, int32_t *out)
{
    if (graph == NULL || batch == NULL || out == NULL || row < 0 || row >= batch->count)
        return 0;
    const mco_graph_rows rows = mco_graph_view(graph);
    row_view view;
    view.rows = &rows;
    view.batch = batch;
    view.row = batch->rows + row * batch->words;
    view.is_directed = is_directed;
    begin_row(&view);
    int32_t count = 0, neighbours[2] = {0, 0};
    if (view.count < 3)
        return 0;
    for (int32_t v = view.least, before = -1; count < view.count; count++) {
        out[count] = v;
        if (find_neighbours(&view, v, neighbours) != (is_directed ? 1 : 2) || (count > 0 && v == view.least))
            return 0;
        const bool takes_second = !is_directed && (before < 0 ? neighbours[1] < neighbours[0] : neighbours[0] == before);
        before = v;
        v = neighbours[takes_second];
        if (count + 1 == view.count && v != view.least)
            return 0;
    }
    return count;
}
