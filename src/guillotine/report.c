// SPDX-License-Identifier: MIT
// The members of a result file that are special to guillotine cutting, for one problem and for a batch.
#include "render/report.h"

#include <math.h>

#include "base/machine.h"
#include "base/structs.h"
#include "guillotine/formats.h"

typedef struct subject {
    mco_context *ctx;
    const mco_guillotine *problem;
    const mco_guillotine_result *result;
    mco_status *status;  // the status of the plan's writer
} subject;

static void write_sizes(mco_json *json, const void *user)
{
    const mco_guillotine *problem = ((const subject *)user)->problem;
    guillotine_number_to_json(json, "width", problem->width, problem->scale);
    guillotine_number_to_json(json, "height", problem->height, problem->scale);
    mco_json_integer(json, "pieces", mco_guillotine_pieces(problem));
}

static void write_counters(mco_json *json, const void *user)
{
    const mco_guillotine_result *r = ((const subject *)user)->result;
    mco_json_integer(json, "patterns_x", r->patterns_x);
    mco_json_integer(json, "patterns_y", r->patterns_y);
    mco_json_integer(json, "relaxations", r->relaxations);
    mco_json_integer(json, "relaxations_skipped", r->relaxations_skipped);
    mco_json_integer(json, "pieces_too_large", r->pieces_too_large);
    mco_json_text(json, "simd", mco_report_simd(r->work.simd));
    mco_json_integer(json, "value_bits", r->work.lane_bits);
    mco_json_integer(json, "passes", r->passes);
    mco_json_integer(json, "table_bytes", r->table_bytes);
    mco_json_real(json, "copy_s", r->copy_s);
}

// The value with all its digits; the objective is a double and may lack some.
static void write_value(mco_json *json, int64_t scale, const mco_guillotine_result *r)
{
    if (r->nodes == NULL) {
        mco_json_null(json, "value");
        mco_json_null(json, "bound");
        mco_json_null(json, "waste");
        return;
    }
    guillotine_number_to_json(json, "value", r->value, scale);
    guillotine_number_to_json(json, "bound", r->bound, scale);
    mco_json_real(json, "waste", r->waste);
}

static void write_solution(mco_json *json, const void *user)
{
    const subject *s = user;
    const mco_guillotine_result *r = s->result;
    write_value(json, s->problem->value_scale, r);
    mco_json_integer(json, "pieces_used", r->pieces_used);
    *s->status = guillotine_plan_to_json(s->ctx, s->problem, r->nodes, r->node_count, json, "plan");
}

mco_status mco_guillotine_write_result(mco_context *ctx, const mco_guillotine *problem, const mco_guillotine_params *params,
                                       const mco_guillotine_result *result, const mco_option_values *more, const char *path)
{
    mco_status st = MCO_OK, plan_status = MCO_OK;
    mco_guillotine_params p = MCO_GUILLOTINE_PARAMS_INIT;
    mco_guillotine_result r = MCO_GUILLOTINE_RESULT_INIT;
    const subject s = {ctx, problem, &r, &plan_status};
    if (ctx == NULL || problem == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(MCO_TAKE(ctx, result, &r));
    MCO_TRY(guillotine_settle_kerf(ctx, problem, &p));
    p.kerf_width = (double)p.kerf / (double)problem->scale;
    const double scale = (double)problem->value_scale;
    const mco_report report = {.kind = "guillotine",
                               .name = mco_guillotine_name(problem),
                               .outcome = r.outcome,
                               .stop = r.stop,
                               .objective = (double)r.value / scale,
                               .bound = (double)r.bound / scale,
                               .options = {mco_guillotine_options(), &p},
                               .more = more,
                               .work = &r.work,
                               .history = r.history,
                               .history_count = r.history_count,
                               .user = &s,
                               .write_sizes = write_sizes,
                               .write_counters = write_counters,
                               .write_solution = write_solution};
    MCO_TRY(mco_report_write(ctx, &report, path));
    MCO_TRY(plan_status);
done:
    return st;
}

// ---- Batches

// A copy in full size: the caller's results may have the size of an older header.
static mco_guillotine_result result_of(const mco_guillotine_batch *b, int64_t k)
{
    mco_guillotine_result r = MCO_GUILLOTINE_RESULT_INIT;
    (void)mco_struct_take(NULL, "a result", (const char *)b->results + (size_t)k * b->results->struct_size, &r, sizeof r);
    return r;
}

// A result's `work` describes one thread, because one thread solves a problem. So the totals take the threads from
// params.
mco_guillotine_totals mco_guillotine_sum(const mco_guillotine_batch *b, const mco_guillotine_params *params)
{
    mco_guillotine_totals t = {.outcome = MCO_OUTCOME_OPTIMAL, .stop = MCO_STOP_FINISHED};
    bool is_told = false;  // the engine is known; problems that a stop left unsolved name none
    double device_s = 0;
    if (b == NULL || params == NULL || (b->results == NULL && b->count > 0))
        return (mco_guillotine_totals){0};
    for (int64_t k = 0; k < b->count; k++) {
        const mco_guillotine_result r = result_of(b, k);
        t.solved += r.outcome == MCO_OUTCOME_OPTIMAL;
        t.with_plan += r.nodes != NULL;
        t.relaxations += r.relaxations;
        t.relaxations_skipped += r.relaxations_skipped;
        device_s += r.work.device_s;
        if (t.stop == MCO_STOP_FINISHED)
            t.stop = r.stop;
        if (!is_told && r.nodes != NULL) {
            t.work = r.work;
            is_told = true;
        }
    }
    const int threads = mco_settle_threads(params->threads);
    t.work.threads = t.work.gpus != 0 ? t.work.threads : threads < b->count ? threads : (int32_t)b->count;
    t.work.device_s = device_s;
    t.work.solve_s = b->solve_s;
    if (t.solved < b->count)
        t.outcome = t.with_plan == b->count ? MCO_OUTCOME_FEASIBLE : MCO_OUTCOME_UNKNOWN;
    return t;
}

typedef struct batch_subject {
    const mco_guillotine_batch *batch;
    mco_guillotine_totals totals;
} batch_subject;

static void write_batch_sizes(mco_json *json, const void *user)
{
    const mco_guillotine_batch *b = ((const batch_subject *)user)->batch;
    mco_json_integer(json, "problems", b->count);
    mco_json_integer(json, "files", b->files);
}

static void write_batch_counters(mco_json *json, const void *user)
{
    const batch_subject *s = user;
    const mco_guillotine_totals *t = &s->totals;
    mco_json_integer(json, "problems", s->batch->count);
    mco_json_integer(json, "solved", t->solved);
    mco_json_real(json, "problems_per_s", t->work.solve_s > 0 ? (double)t->solved / t->work.solve_s : NAN);
    mco_json_integer(json, "relaxations", t->relaxations);
    mco_json_integer(json, "relaxations_skipped", t->relaxations_skipped);
    mco_json_text(json, "simd", mco_report_simd(t->work.simd));
}

static void write_batch_solution(mco_json *json, const void *user)
{
    const mco_guillotine_batch *b = ((const batch_subject *)user)->batch;
    mco_json_open(json, "problems", '[');
    for (int64_t k = 0; k < b->count; k++) {
        const mco_guillotine_result r = result_of(b, k);
        mco_json_open(json, NULL, '{');
        mco_json_text(json, "file", b->names[k]);
        mco_json_text(json, "outcome", mco_outcome_text(r.outcome));
        write_value(json, r.value_scale > 0 ? r.value_scale : 1, &r);
        mco_json_integer(json, "patterns_x", r.patterns_x);
        mco_json_integer(json, "patterns_y", r.patterns_y);
        mco_json_close(json, '}');
    }
    mco_json_close(json, ']');
}

mco_status mco_guillotine_write_batch(mco_context *ctx, const mco_guillotine_batch *batch, const mco_guillotine_params *params,
                                      const mco_option_values *more, const char *path)
{
    mco_status st = MCO_OK;
    mco_guillotine_params p = MCO_GUILLOTINE_PARAMS_INIT;
    if (ctx == NULL || batch == NULL || path == NULL || (batch->count > 0 && (batch->results == NULL || batch->names == NULL)))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    if (p.kerf_width < 0)
        p.kerf_width = (double)p.kerf;
    const batch_subject s = {batch, mco_guillotine_sum(batch, &p)};
    const mco_report report = {.kind = "guillotine",
                               .name = batch->name,
                               .outcome = s.totals.outcome,
                               .stop = s.totals.stop,
                               .objective = NAN,
                               .bound = NAN,
                               .options = {mco_guillotine_options(), &p},
                               .more = more,
                               .work = &s.totals.work,
                               .user = &s,
                               .write_sizes = write_batch_sizes,
                               .write_counters = write_batch_counters,
                               .write_solution = write_batch_solution};
    MCO_TRY(mco_report_write(ctx, &report, path));
done:
    return st;
}
