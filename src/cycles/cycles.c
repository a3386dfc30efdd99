// SPDX-License-Identifier: MIT
// Entry points: they validate, cut the graph into blocks, run a method on each block, and add up.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "base/options.h"
#include "base/ranks.h"
#include "base/structs.h"
#include "cycles/solver.h"
#include "device/device.h"

#define MCO_OPTION_STRUCT mco_cycles_params
static const mco_option records[] = {MCO_OPTION_RECORDS(MCO_CYCLES_OPTIONS)};
static const mco_option_table options = MCO_OPTION_TABLE(records);

const mco_option_table *mco_cycles_options(void)
{
    return &options;
}

// ---- Validation

static mco_status refuse_engine(mco_context *ctx, const mco_cycles_params *p)
{
    const bool is_reference = p->engine == MCO_ENGINE_REFERENCE;
    if (is_reference && p->method != MCO_CYCLES_METHOD_AUTO && p->method != MCO_CYCLES_METHOD_LABELS)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the reference engine is the method labels, the method is %s",
                        cycles_method_text(p->method));
    if (is_reference && p->threads > 1)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--threads is %" PRId64 ", the reference runs on one core", p->threads);
    if (p->gpus != NULL && (is_reference || p->engine == MCO_ENGINE_CPU))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--gpus is for the gpu engine, the engine is %s", mco_engine_text(p->engine));
    if (p->directed && (p->engine == MCO_ENGINE_GPU || p->gpus != NULL))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "directed cycles are for the cores, a GPU was asked for");
    if (p->directed && (is_reference || p->method == MCO_CYCLES_METHOD_LABELS || p->method == MCO_CYCLES_METHOD_FRONTIER))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "directed cycles are for the method search, the %s is %s",
                        is_reference ? "engine" : "method", is_reference ? "reference" : cycles_method_text(p->method));
    return MCO_OK;
}

static mco_status refuse_request(const cycles_solver *s)
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
                        cycles_method_text(p->method));
    return refuse_engine(s->ctx, p);
}

static int compare_vertices(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static mco_status take_through(cycles_solver *s)
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

static mco_status take_params(cycles_solver *s, const mco_cycles_params *params, const mco_cycles_result *result)
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

// The engine stays AUTO until a block needs more than the cores (method.c). A GPU that is asked for must be there.
static mco_status choose_engine(cycles_solver *s)
{
    mco_gpu gpus[MCO_MAX_GPUS];
    int count;
    s->engine = s->p.engine == MCO_ENGINE_AUTO && s->p.gpus != NULL ? MCO_ENGINE_GPU : s->p.engine;
    return s->engine == MCO_ENGINE_GPU ? mco_gpus_choose(s->ctx, s->p.gpus, gpus, &count) : MCO_OK;
}

// ---- One block

static bool is_listing(const cycles_solver *s)
{
    return s->listener != NULL || s->p.limit > 0;
}

// The vertices of the block that every cycle must hold. *has_all: the block has all that were asked for.
static mco_status find_through(const cycles_solver *s, const cycles_block *block, int32_t **out, bool *has_all)
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

// Block k. Of several ranks one has it alone, if it is not shared.
static mco_status run_block(cycles_solver *s, int64_t k)
{
    mco_status st = MCO_OK;
    int32_t *through = NULL;
    bool has_all = true;
    const cycles_block *block = &s->blocks.block[k];
    const int ranks = mco_rank_count(s->ctx), rank = mco_rank(s->ctx);
    s->has_turn = k % ranks == rank;
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
                          .part = rank, .parts = ranks, .memory_bytes = s->memory_bytes, .result = &s->r};
        if (!block->is_cycle)
            MCO_TRY(cycles_run_method(s, &job));
        else if (s->has_turn)
            MCO_TRY(give_whole(&job));
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

static mco_status give_counts(cycles_solver *s)
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

static void settle_outcome(cycles_solver *s)
{
    mco_cycles_result *r = &s->r;
    r->stop = s->run.stop;
    if (r->stop == MCO_STOP_FINISHED && s->sink.is_closed)
        r->stop = s->sink.left == 0 ? MCO_STOP_TARGET : MCO_STOP_CANCELLED;
    r->outcome = r->stop == MCO_STOP_FINISHED ? MCO_OUTCOME_OPTIMAL : MCO_OUTCOME_FEASIBLE;
    if (r->reason[0] == '\0' && r->stop != MCO_STOP_FINISHED)
        snprintf(r->reason, sizeof r->reason, "it was stopped before a method was chosen");
    else if (r->blocks == 0)
        snprintf(r->reason, sizeof r->reason, "no method is needed: no block has a cycle longer than 3");
    else if (r->reason[0] == '\0')
        snprintf(r->reason, sizeof r->reason, "no method is needed: every block is one cycle, or has none that counts");
    const size_t used = strlen(r->reason);
    if (r->blocks > 1 && s->by[r->method] > 0)
        snprintf(r->reason + used, sizeof r->reason - used, "; so %" PRId64 " of %" PRId64 " blocks", s->by[r->method], r->blocks);
}

static bool must_end(cycles_solver *s)
{
    return s->sink.is_closed || mco_run_must_stop(&s->run, s->r.nodes);
}

// ---- Triangles and pairs of opposite arcs

enum { TRIANGLE_BATCH = 21 };  // up to 63 vertices: rows of one word

typedef struct triangle_list {
    cycles_solver *s;
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
    cycles_solver *s = list->s;
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

static mco_status run_triangles(cycles_solver *s)
{
    mco_status st = MCO_OK;
    triangle_list list = {.s = s};
    int64_t count = 0;
    if (s->p.directed || s->p.min_length > 3 || mco_rank(s->ctx) > 0 || must_end(s))
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

static mco_status begin(cycles_solver *s)
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
    MCO_TRY(cycles_ranks_begin(s));
    MCO_TRY(cycles_blocks_make(s->ctx, &s->run, &rows, s->p.directed != 0, s->through, s->through_count, &s->blocks));
    const graph_simple *g = &s->blocks.graph;
    s->r.vertices = g->vertices;
    s->r.edges = s->p.directed ? g->arcs : g->arcs / 2;
    s->r.loops = g->loops;
    s->r.parallel = g->parallel;
    s->r.digons = s->blocks.digons;
    s->r.blocks = s->blocks.count;
    s->r.bytes = s->blocks.bytes;
    if (rows.is_directed && !s->p.directed)
        mco_log(s->ctx, MCO_LOG_INFO, "the arcs are taken as edges; --directed finds directed cycles");
    if (s->r.loops + s->r.parallel > 0)
        mco_log(s->ctx, MCO_LOG_INFO, "ignored: %" PRId64 " loop%s, %" PRId64 " parallel edge%s", s->r.loops,
                mco_plural(s->r.loops), s->r.parallel, mco_plural(s->r.parallel));
done:
    return st;
}

static mco_status run_blocks(cycles_solver *s)
{
    mco_status st = MCO_OK;
    if (s->listener != NULL && s->listener->begin != NULL)
        MCO_TRY(s->listener->begin(s->listener->user, &s->blocks.graph, s->p.directed != 0));
    MCO_TRY(run_triangles(s));
    for (int32_t k = 0; k < s->blocks.count && !must_end(s); k++)
        MCO_TRY(run_block(s, k));
    MCO_TRY(cycles_ranks_end(s));
    MCO_TRY(give_counts(s));
    settle_outcome(s);
    mco_log(s->ctx, MCO_LOG_INFO, "method %s", s->r.reason);
    s->r.work.engine = s->r.work.gpus != 0                     ? MCO_ENGINE_GPU
                       : s->engine == MCO_ENGINE_REFERENCE ? MCO_ENGINE_REFERENCE
                                                           : MCO_ENGINE_CPU;
    s->r.work.threads = s->threads;
    s->r.work.solve_s = mco_run_time_s(&s->run);
done:
    return st;
}

mco_status cycles_solve(mco_context *ctx, const mco_graph *graph, const mco_cycles_params *params,
                        const cycles_listener *listener, mco_cycles_result *result)
{
    mco_status st = MCO_OK;
    cycles_solver s = {.ctx = ctx, .graph = graph, .listener = listener, .tally = {.ctx = ctx}, .r = MCO_CYCLES_RESULT_INIT};
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
