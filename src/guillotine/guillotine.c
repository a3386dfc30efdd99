// SPDX-License-Identifier: MIT
// Entry points: validate, build the model, choose the engine, run, make the plan, check it.
#include "mco/guillotine.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/machine.h"
#include "base/options.h"
#include "base/structs.h"
#include "base/team.h"
#include "device/device.h"
#include "guillotine/engine.h"

// The longest side for the fast engines, which keep the rank of every coordinate. Longer sides go to the reference.
static const int64_t MAX_RANKED_SIDE = 1 << 26;
// auto takes a GPU where the cores would be busy for GPU_PAYS_S: opening a GPU, with its tables, costs half a second.
static const double CPU_RELAXATIONS_PER_S = 4e10, GPU_PAYS_S = 2;
// Raster points are taken where they leave at most this share of the relaxations. They have a price: the cpu engine
// cannot keep waste in 16 bits over them, because its sums need every position.
static const double RASTER_PAYS = 0.35;

#define MCO_OPTION_STRUCT mco_guillotine_params
#define PLAN_RECORDS MCO_OPTION_RECORDS(MCO_GUILLOTINE_PLAN_OPTIONS) MCO_OPTION_RECORDS(MCO_GUILLOTINE_KERF_OPTION)
static const mco_option records[] = {PLAN_RECORDS MCO_OPTION_RECORDS(MCO_GUILLOTINE_SOLVE_OPTIONS)};
static const mco_option plan_records[] = {PLAN_RECORDS};
static const mco_option_table options = MCO_OPTION_TABLE(records), plan_options = MCO_OPTION_TABLE(plan_records);

const mco_option_table *mco_guillotine_options(void)
{
    return &options;
}

const mco_option_table *mco_guillotine_plan_options(void)
{
    return &plan_options;
}

// Copies the parameters to *out and tests them.
static mco_status take(mco_context *ctx, const mco_guillotine_params *params, mco_guillotine_params *out)
{
    mco_status st = MCO_OK;
    MCO_TRY(MCO_TAKE(ctx, params, out));
    if (out->stages == 0 && out->first_cut != MCO_GUILLOTINE_CUT_ANY)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--first-cut needs a number of stages: give --stages too");
    MCO_TRY(mco_options_validate(ctx, &options, out));
    if (out->kerf < 0 || out->kerf > MCO_GUILLOTINE_MAX_SIDE)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "kerf is %lld, 0 to %lld was expected", (long long)out->kerf,
                         (long long)MCO_GUILLOTINE_MAX_SIDE));
done:
    return st;
}

static mco_status refuse_sides(mco_context *ctx, const mco_guillotine *problem, const mco_guillotine_params *params)
{
    const int64_t longest = problem->width > problem->height ? problem->width : problem->height;
    if (longest + params->kerf > MCO_GUILLOTINE_MAX_SIDE)
        return mco_fail(ctx, MCO_ERR_LIMIT, "side %lld and kerf %lld: their sum is at most %lld", (long long)longest,
                        (long long)params->kerf, (long long)MCO_GUILLOTINE_MAX_SIDE);
    return MCO_OK;
}

// ---- The run

typedef struct solve {
    mco_context *ctx;
    const mco_guillotine *problem;
    const mco_guillotine_params *params;
    guillotine_model model;   // normal patterns
    guillotine_model raster;  // raster points; empty where not computed
    guillotine_job job;       // over one of the two models
    guillotine_answer answer;
    mco_engine engine;
    mco_run run;
    double all;               // relaxations over all cuts
    mco_guillotine_result *result;
} solve;

static mco_engine choose_engine(const solve *s)
{
    const double relaxations = (double)guillotine_all_relaxations(&s->job);
    const double cpu_s = relaxations / (CPU_RELAXATIONS_PER_S * s->job.threads);
    const bool is_ranked = s->model.x.side <= MAX_RANKED_SIDE && s->model.y.side <= MAX_RANKED_SIDE;
    if (s->params->engine == MCO_ENGINE_AUTO && !is_ranked) {
        mco_log(s->ctx, MCO_LOG_INFO, "engine reference: the plate has a side beyond %lld", (long long)MAX_RANKED_SIDE);
        return MCO_ENGINE_REFERENCE;
    }
    return mco_choose_engine(s->ctx, s->params->engine, s->params->gpus, cpu_s, GPU_PAYS_S,
                             s->job.stages > 0 ? "a GPU takes no stages" : NULL);
}

// Chooses between normal patterns and raster points.
static mco_status choose_positions(solve *s)
{
    mco_status st = MCO_OK;
    guillotine_job other = s->job;
    s->job.model = &s->model;
    if (s->job.wants_table)
        return MCO_OK;
    MCO_TRY(guillotine_model_raster(s->ctx, &s->model, &s->raster));
    other.model = &s->raster;
    if ((double)guillotine_all_relaxations(&other) <= RASTER_PAYS * (double)guillotine_all_relaxations(&s->job)) {
        s->job.model = &s->raster;
        mco_log(s->ctx, MCO_LOG_INFO, "raster points: %d x %d, %lld relaxations over all cuts", s->raster.x.count - 1,
                s->raster.y.count - 1, (long long)guillotine_all_relaxations(&s->job));
    }
done:
    return st;
}

static mco_status run_chosen(solve *s, guillotine_answer *answer)
{
    switch (s->engine) {
    case MCO_ENGINE_REFERENCE: return guillotine_ref_run(s->ctx, &s->job, answer);
    case MCO_ENGINE_GPU:
#ifdef MCO_HAVE_CUDA
        return guillotine_gpu_run(s->ctx, &s->job, answer);
#else
        return mco_fail_no_gpu(s->ctx, s->params->gpus);
#endif
    default: return guillotine_cpu_run(s->ctx, &s->job, answer);
    }
}

// If a GPU that `auto` has chosen cannot hold the tables, or its kernels cannot number the coordinates, the cores do the work.
static mco_status run_engine(solve *s, guillotine_answer *answer)
{
    const mco_status st = run_chosen(s, answer);
    const bool is_too_small = s->engine == MCO_ENGINE_GPU && (st == MCO_ERR_LIMIT || st == MCO_ERR_MEMORY);
    if (s->params->engine != MCO_ENGINE_AUTO || !is_too_small)
        return st;
    mco_log(s->ctx, MCO_LOG_WARNING, "engine cpu: %s", mco_context_error(s->ctx));
    guillotine_answer_clear(s->ctx, answer);
    *answer = (guillotine_answer){.stop = MCO_STOP_FINISHED};
    s->engine = MCO_ENGINE_CPU;
    return run_chosen(s, answer);
}

// With either first cut allowed, computes both and keeps the better plan. Each cell of the table is the better one of
// both runs. If the second run is stopped, the plan of the first stays.
static mco_status run_either(solve *s)
{
    mco_status st = MCO_OK;
    guillotine_answer other = {.stop = MCO_STOP_FINISHED};
    s->job.first = MCO_GUILLOTINE_CUT_X;
    MCO_TRY(run_engine(s, &s->answer));
    if (s->answer.stop != MCO_STOP_FINISHED)
        return MCO_OK;
    s->job.first = MCO_GUILLOTINE_CUT_Y;
    MCO_TRY(run_engine(s, &other));
    guillotine_answer *mine = &s->answer;
    const int64_t relaxations = mine->relaxations + other.relaxations;
    const int64_t cells = (int64_t)s->model.x.count * s->model.y.count;
    for (int64_t k = 0; k < cells && other.stop == MCO_STOP_FINISHED && s->job.wants_table; k++)
        if (mine->table_32 != NULL)  // both runs have 32 bits or neither: the width follows from the model
            mine->table_32[k] = other.table_32[k] = mine->table_32[k] > other.table_32[k] ? mine->table_32[k] : other.table_32[k];
        else
            mine->table_64[k] = other.table_64[k] = mine->table_64[k] > other.table_64[k] ? mine->table_64[k] : other.table_64[k];
    const mco_stop stop = other.stop;
    if (stop == MCO_STOP_FINISHED && other.value > mine->value) {
        const guillotine_answer swapped = *mine;
        *mine = other;
        other = swapped;
    } else {
        s->job.first = MCO_GUILLOTINE_CUT_X;
    }
    mine->stop = stop;
    mine->relaxations = relaxations;
done:
    guillotine_answer_clear(s->ctx, &other);
    return st;
}

static mco_status fill_table(solve *s)
{
    mco_status st = MCO_OK;
    mco_guillotine_table *t = &s->result->table;
    const int32_t kerf = s->model.kerf;
    t->columns = s->model.x.count;
    t->rows = s->model.y.count;
    MCO_TRY(mco_alloc(s->ctx, &t->x, t->columns));
    MCO_TRY(mco_alloc(s->ctx, &t->y, t->rows));
    for (int64_t i = 1; i < t->columns; i++)
        t->x[i] = s->model.x.at[i] - kerf;
    for (int64_t j = 1; j < t->rows; j++)
        t->y[j] = s->model.y.at[j] - kerf;
    t->values = s->answer.table_64;
    t->values_32 = s->answer.table_32;
    s->answer.table_64 = NULL;
    s->answer.table_32 = NULL;
done:
    return st;
}

static mco_status fill_plan(solve *s)
{
    mco_status st = MCO_OK;
    mco_guillotine_result *r = s->result;
    const bool is_staged = s->job.stages > 0;
    const mco_guillotine_cut last = is_staged ? guillotine_level_axis(&s->job, 1) : MCO_GUILLOTINE_CUT_X;
    int64_t checked = -1, area = 0;
    MCO_TRY(guillotine_plan(s->ctx, s->problem, s->job.model, s->answer.steps, s->answer.step_count, last, &r->nodes,
                            &r->node_count));
    MCO_TRY(mco_guillotine_check(s->ctx, s->problem, s->params, r->nodes, r->node_count, &checked));
    if (checked != s->answer.value)
        MCO_TRY(mco_fail(s->ctx, MCO_ERR_INTERNAL, "the plan is worth %lld, the table says %lld", (long long)checked,
                         (long long)s->answer.value));
    for (int64_t k = 0; k < r->node_count; k++)
        if (r->nodes[k].kind == MCO_GUILLOTINE_NODE_PIECE) {
            r->pieces_used++;
            area += (int64_t)r->nodes[k].width * r->nodes[k].height;
        }
    r->value = s->answer.value;
    r->waste = 1 - (double)area / ((double)s->problem->width * s->problem->height);
    if (s->answer.stop == MCO_STOP_FINISHED)
        r->bound = r->value;
    r->outcome = r->value == r->bound ? MCO_OUTCOME_OPTIMAL : MCO_OUTCOME_FEASIBLE;
done:
    return st == MCO_ERR_CHECK ? MCO_ERR_INTERNAL : st;
}

// ---- The plan of a stopped run: the best grid of one piece

enum { MOST_IN_GRID = 1 << 20 };  // pieces: a plan of hundreds of megabytes would be no quick answer

typedef struct grid {
    const guillotine_seed *seed;
    mco_guillotine_cut first;  // strips are cut along this axis
    int64_t strips, in_strip, value;
} grid;

// The grid of a seed. Sides include the kerf U, so n pieces take n (w + U) of W + U. With one stage a strip holds one
// piece, whose trim is free. The value cannot overflow: it stays at or below the model's bound.
static grid grid_of(const solve *s, const guillotine_seed *seed, mco_guillotine_cut first)
{
    const int64_t columns = s->model.x.side / seed->width, rows = s->model.y.side / seed->height;
    const bool is_x = first == MCO_GUILLOTINE_CUT_X;
    grid g = {.seed = seed, .first = first, .strips = is_x ? columns : rows, .in_strip = is_x ? rows : columns};
    if (g.strips > MOST_IN_GRID)
        g.strips = MOST_IN_GRID;
    if (g.in_strip > MOST_IN_GRID / g.strips)
        g.in_strip = MOST_IN_GRID / g.strips;
    if (s->job.stages == 1)
        g.in_strip = 1;
    g.value = g.strips * g.in_strip * seed->value;
    return g;
}

// Makes the steps of a grid, strip after strip and piece after piece. The last strip, and the last piece of a strip,
// are not cut off from the rest: guillotine_plan() trims them.
static mco_status grid_steps(solve *s, const grid *g)
{
    mco_status st = MCO_OK;
    guillotine_answer *a = &s->answer;
    const guillotine_step x = {GUILLOTINE_X_STEP, g->seed->i, 0}, y = {GUILLOTINE_Y_STEP, g->seed->j, 0};
    const guillotine_step piece = {GUILLOTINE_PIECE_STEP, g->seed->i, g->seed->j};
    const bool is_x = g->first == MCO_GUILLOTINE_CUT_X;
    mco_free(s->ctx, &a->steps);
    a->step_count = 0;
    MCO_TRY(mco_alloc(s->ctx, &a->steps, 2 * g->strips * g->in_strip));
    for (int64_t strip = 1; strip <= g->strips; strip++) {
        if (strip < g->strips)
            a->steps[a->step_count++] = is_x ? x : y;
        for (int64_t k = 1; k <= g->in_strip; k++) {
            if (k < g->in_strip)
                a->steps[a->step_count++] = is_x ? y : x;
            a->steps[a->step_count++] = piece;
        }
    }
    a->value = g->value;
    s->job.model = &s->model;
    s->job.first = g->first;
done:
    return st;
}

// The plan without any piece.
static mco_status take_waste(solve *s)
{
    const mco_status st = mco_alloc(s->ctx, &s->answer.steps, 1);
    if (st != MCO_OK)
        return st;
    s->answer.steps[0] = (guillotine_step){GUILLOTINE_WASTE_STEP, 0, 0};
    s->answer.step_count = 1;
    s->answer.value = 0;
    return MCO_OK;
}

// Takes the best grid if it is worth more than the plan known; else keeps that plan. O(seeds).
static mco_status take_grid(solve *s)
{
    grid best = {.value = s->answer.steps != NULL ? s->answer.value : 0};
    for (int64_t k = 0; k < s->model.seed_count; k++)
        for (mco_guillotine_cut first = MCO_GUILLOTINE_CUT_X; first <= MCO_GUILLOTINE_CUT_Y; first++) {
            const bool is_allowed = s->params->first_cut == MCO_GUILLOTINE_CUT_ANY || s->params->first_cut == first;
            const grid g = grid_of(s, &s->model.seeds[k], first);
            if (is_allowed && g.value > best.value)
                best = g;
        }
    if (best.seed == NULL)
        return s->answer.steps != NULL ? MCO_OK : take_waste(s);
    mco_log(s->ctx, MCO_LOG_INFO, "stopped before the table was complete: the plan is a grid of piece %lld",
            (long long)best.seed->piece + 1);
    return grid_steps(s, &best);
}

static void fill_counters(solve *s)
{
    mco_guillotine_result *r = s->result;
    const guillotine_answer *a = &s->answer;
    guillotine_job other = s->job;
    other.model = &s->model;
    int64_t all = guillotine_all_relaxations(&other);
    if (s->params->stages > 0 && s->params->first_cut == MCO_GUILLOTINE_CUT_ANY) {
        other.first = s->job.first == MCO_GUILLOTINE_CUT_X ? MCO_GUILLOTINE_CUT_Y : MCO_GUILLOTINE_CUT_X;
        all += guillotine_all_relaxations(&other);
    }
    r->value_scale = s->problem->value_scale;
    r->stop = a->stop;
    r->work = a->work;
    r->work.engine = s->engine;
    if (r->work.threads == 0)
        r->work.threads = s->engine == MCO_ENGINE_CPU ? s->job.threads : 1;
    r->patterns_x = s->model.x.count - 1;
    r->patterns_y = s->model.y.count - 1;
    r->positions_x = s->job.model->x.count - 1;
    r->positions_y = s->job.model->y.count - 1;
    r->pieces_too_large = s->model.too_large;
    r->relaxations = a->relaxations;
    r->relaxations_skipped = a->stop == MCO_STOP_FINISHED && all > a->relaxations ? all - a->relaxations : 0;
    r->table_bytes = a->table_bytes;
    r->passes = a->passes;
    r->copy_s = a->copy_s;
}

// The plan is the first and last improvement of the run.
static mco_status tell(solve *s)
{
    mco_status st = MCO_OK;
    mco_guillotine_result *r = s->result;
    const double scale = (double)s->problem->value_scale;
    const mco_guillotine_solution plan = {.nodes = r->nodes, .node_count = r->node_count, .value = r->value};
    s->run.work = s->answer.relaxations;
    mco_run_raise_bound(&s->run, (double)r->bound / scale);
    MCO_TRY(mco_run_improve(&s->run, (double)r->value / scale, &plan, s->answer.stop == MCO_STOP_FINISHED ? "table" : "grid"));
    mco_run_log_end(&s->run);
    mco_run_give_history(&s->run, &r->history, &r->history_count);
done:
    return st;
}

static void write_columns(void *user, char *out, size_t size)
{
    const solve *s = user;
    // If the table is complete, all relaxations that were not evaluated were skipped.
    const bool is_complete = s->all <= 0 || (s->run.history_count > 0 && s->answer.stop == MCO_STOP_FINISHED);
    snprintf(out, size, "  %11.4g  %5.1f%%", (double)s->run.work, is_complete ? 100 : 100 * (double)s->run.work / s->all);
}

static mco_status run(solve *s)
{
    mco_status st = MCO_OK;
    char width[MCO_NUMBER_TEXT], height[MCO_NUMBER_TEXT];
    MCO_TRY(refuse_sides(s->ctx, s->problem, s->params));
    MCO_TRY(guillotine_model_create(s->ctx, s->problem, s->params, &s->run, &s->model));
    s->job.model = &s->model;
    s->result->bound = s->model.value_bound;
    mco_run_raise_bound(&s->run, (double)s->model.value_bound / (double)s->problem->value_scale);
    s->all = (double)guillotine_all_relaxations(&s->job);
    if (s->model.too_large > 0)
        mco_log(s->ctx, MCO_LOG_INFO, "%lld of %lld piece types do not fit the plate and are left out",
                (long long)s->model.too_large, (long long)s->problem->pieces);
    mco_log(s->ctx, MCO_LOG_INFO, "plate %s x %s, %lld piece types; |X| = %d, |Y| = %d, %lld relaxations over all cuts",
            guillotine_text(s->problem->width, s->problem->scale, width),
            guillotine_text(s->problem->height, s->problem->scale, height), (long long)s->problem->pieces, s->model.x.count - 1,
            s->model.y.count - 1, (long long)guillotine_all_relaxations(&s->job));
    if (s->model.is_complete)
        MCO_TRY(choose_positions(s));
    s->engine = choose_engine(s);
    if (!s->model.is_complete)
        s->answer.stop = s->run.stop;
    else if (s->job.stages > 0 && s->job.first == MCO_GUILLOTINE_CUT_ANY)
        MCO_TRY(run_either(s));
    else
        MCO_TRY(run_engine(s, &s->answer));
    fill_counters(s);
    if (s->answer.stop != MCO_STOP_FINISHED)
        MCO_TRY(take_grid(s));
    MCO_TRY(fill_plan(s));
    MCO_TRY(tell(s));
    if (s->answer.stop == MCO_STOP_FINISHED && s->params->wants_table)
        MCO_TRY(fill_table(s));
done:
    return st;
}

// Solves with `threads` threads on a clock that began at begin_s. *result has the size of the caller's header; it is
// untouched on failure.
static mco_status solve_one(mco_context *ctx, const mco_guillotine *problem, const mco_guillotine_params *given,
                            int threads, double begin_s, mco_guillotine_result *result)
{
    mco_status st = MCO_OK;
    mco_guillotine_params settled = *given;
    const mco_guillotine_params *params = &settled;
    mco_guillotine_result r = MCO_GUILLOTINE_RESULT_INIT;
    solve s = {.ctx = ctx, .problem = problem, .params = params, .result = &r};
    const mco_run_settings settings = {.time_limit_s = params->time_limit_s, .target = -1, .maximises = true,
                                       .objective = "value", .decimals = problem->value_places,
                                       .columns = "  relaxations    done",
                                       .write_columns = write_columns, .user = &s};
    const double start_s = mco_clock_s();
    s.run = mco_run_begin(ctx, &settings);
    s.run.begin_s = begin_s;
    mco_run_limit(&s.run, params->time_limit_s);
    r.value = -1;
    s.job = (guillotine_job){.stages = (int32_t)params->stages, .first = params->first_cut,
                             .wants_table = params->wants_table != 0, .simd = params->simd, .threads = threads,
                             .memory_bytes = (int64_t)mco_settle_memory(params->memory), .gpus = params->gpus, .run = &s.run};
    MCO_TRY(guillotine_settle_kerf(ctx, problem, &settled));
    MCO_TRY(run(&s));
    r.work.solve_s = mco_clock_s() - start_s;
    mco_struct_give(result, &r, sizeof r);
done:
    mco_run_clear(&s.run);
    mco_guillotine_result_clear(ctx, &r);
    guillotine_answer_clear(ctx, &s.answer);
    guillotine_model_clear(ctx, &s.raster);
    guillotine_model_clear(ctx, &s.model);
    return st;
}

mco_status mco_guillotine_solve(mco_context *ctx, const mco_guillotine *problem, const mco_guillotine_params *params,
                                mco_guillotine_result *result)
{
    mco_status st = MCO_OK;
    mco_guillotine_params p = MCO_GUILLOTINE_PARAMS_INIT;
    if (ctx == NULL || problem == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s is NULL", ctx == NULL ? "the context" : "the instance");
    MCO_TRY(take(ctx, params, &p));
    MCO_TRY(mco_struct_test(ctx, "result", result, sizeof *result));
    MCO_TRY(solve_one(ctx, problem, &p, mco_settle_threads(p.threads), mco_clock_s(), result));
done:
    mco_clear_cancel(ctx);
    return st;
}

// ---- Batches

typedef struct batch {
    mco_context *ctx;
    const mco_guillotine *const *problems;
    int64_t count;
    const mco_guillotine_params *params;
    mco_guillotine_result *results;
    double begin_s;
    atomic_int_least64_t next, solved;
    atomic_bool is_stopped;
    pthread_mutex_t lock;  // guards the first failure, below
    mco_status status;
    int64_t failed;        // the problem that failed
    char error[MCO_ERROR_LENGTH];
} batch;

// A result has the size of the caller's header, which may be older.
static mco_guillotine_result *result_at(mco_guillotine_result *results, int64_t k)
{
    return (mco_guillotine_result *)(void *)((char *)results + (size_t)k * results->struct_size);
}

static void tell_failure(batch *b, mco_status st, int64_t problem, const char *error)
{
    pthread_mutex_lock(&b->lock);
    if (b->status == MCO_OK) {
        b->status = st;
        b->failed = problem;
        snprintf(b->error, sizeof b->error, "%s", error);
    }
    pthread_mutex_unlock(&b->lock);
    atomic_store(&b->is_stopped, true);
}

static int is_stopped(const mco_progress *progress, void *user)
{
    batch *b = user;
    (void)progress;
    return atomic_load(&b->is_stopped);
}

static void work(void *shared, int worker)
{
    batch *b = shared;
    mco_context *ctx = NULL;
    (void)worker;
    mco_status st = mco_context_create_child(b->ctx, &ctx);
    if (st != MCO_OK)
        tell_failure(b, st, 0, "out of memory");
    else
        mco_context_set_callback(ctx, is_stopped, b);
    for (int64_t k; st == MCO_OK && !atomic_load(&b->is_stopped) && (k = atomic_fetch_add(&b->next, 1)) < b->count;) {
        st = solve_one(ctx, b->problems[k], b->params, 1, b->begin_s, result_at(b->results, k));
        if (st != MCO_OK)
            tell_failure(b, st, k, mco_context_error(ctx));
        atomic_fetch_add(&b->solved, 1);
    }
    mco_context_destroy(&ctx);
}

static void write_batch_columns(void *user, char *out, size_t size)
{
    const batch *b = user;
    snprintf(out, size, " %10lld", (long long)atomic_load(&b->solved));
}

static mco_status test_batch(batch *b)
{
    mco_status st = MCO_OK;
    for (int64_t k = 0; k < b->count; k++) {
        mco_guillotine_result *r = result_at(b->results, k);
        MCO_TRY(mco_struct_test(b->ctx, "a result", r, sizeof *r));
        if (b->problems[k] == NULL || r->struct_size != b->results->struct_size)
            MCO_TRY(mco_fail(b->ctx, MCO_ERR_ARGUMENT, "problem %lld is NULL, or its result was not initialised", (long long)k));
    }
    for (int64_t k = 0; k < b->count; k++) {  // what the results of unsolved problems say after a stop
        mco_guillotine_result *r = result_at(b->results, k);
        r->value = -1;
        r->outcome = MCO_OUTCOME_UNKNOWN;
        r->stop = MCO_STOP_TIME;
    }
done:
    return st;
}

mco_status mco_guillotine_solve_batch(mco_context *ctx, const mco_guillotine *const *problems, int64_t count,
                                      const mco_guillotine_params *params, mco_guillotine_result *results)
{
    mco_status st = MCO_OK;
    mco_team team = {0};
    mco_guillotine_params p = MCO_GUILLOTINE_PARAMS_INIT;
    if (ctx == NULL || (count > 0 && (problems == NULL || results == NULL)))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    batch b = {.ctx = ctx, .problems = problems, .count = count, .params = &p, .results = results,
               .begin_s = mco_clock_s(), .lock = PTHREAD_MUTEX_INITIALIZER};
    MCO_TRY(take(ctx, params, &p));
    MCO_TRY(test_batch(&b));
    const mco_run_settings settings = {.time_limit_s = p.time_limit_s, .target = -1, .objective = "value",
                                       .columns = "   problems", .write_columns = write_batch_columns, .user = &b};
    mco_run run = mco_run_begin(ctx, &settings);
    const int64_t threads = mco_settle_threads(p.threads);
    MCO_TRY(mco_team_start_some(ctx, (int)(threads < count ? threads : count), work, NULL, &b, &team));
    if (team.started == 0 && count > 0)
        MCO_TRY(mco_fail(ctx, MCO_ERR_MEMORY, "no thread could be started"));
    while (!mco_team_wait(&team, 0.02))
        if (mco_run_must_stop(&run, atomic_load(&b.solved)))
            atomic_store(&b.is_stopped, true);
    for (int64_t k = 0; k < count; k++)
        if (result_at(results, k)->stop != MCO_STOP_FINISHED && atomic_load(&b.is_stopped))
            result_at(results, k)->stop = run.stop;
    if (b.status != MCO_OK)
        MCO_TRY(mco_fail(ctx, b.status, "problem %lld, %s: %s", (long long)b.failed + 1,
                         mco_guillotine_name(problems[b.failed]), b.error));
done:
    mco_team_join(&team);
    pthread_mutex_destroy(&b.lock);
    mco_clear_cancel(ctx);
    return st;
}

void mco_guillotine_result_clear(mco_context *ctx, mco_guillotine_result *result)
{
    mco_guillotine_result r = {0};
    if (ctx == NULL || result == NULL)
        return;
    mco_struct_clear(result, &r, sizeof r);
    mco_free(ctx, &r.history);
    mco_free(ctx, &r.nodes);
    mco_free(ctx, &r.table.x);
    mco_free(ctx, &r.table.y);
    mco_free(ctx, &r.table.values);
    mco_free(ctx, &r.table.values_32);
}
