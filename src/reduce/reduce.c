// SPDX-License-Identifier: MIT
// Entry points: they validate, choose the engine, run it and check the answer.
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/options.h"
#include "base/structs.h"
#include "device/device.h"
#include "reduce/job.h"

#define MCO_OPTION_STRUCT mco_reduce_params
static const mco_option records[] = {MCO_OPTION_RECORDS(MCO_REDUCE_OPTIONS)};
static const mco_option_table options = MCO_OPTION_TABLE(records);

static const char *const op_names[MCO_REDUCE_OPS] = {"sum",    "prod", "min", "max", "argmin",
                                                     "argmax", "and",  "or",  "xor", "count-nonzero"};
static const char *const type_names[MCO_REDUCE_TYPES] = {"i32", "i64", "u32", "u64", "f32", "f64"};

// With so many passes over host data, copying them to a GPU once pays. The copy is an order of magnitude slower than
// one pass over the data on the host.
enum { REPEATS_WORTH_A_COPY = 32 };

const mco_option_table *mco_reduce_options(void)
{
    return &options;
}

const char *mco_reduce_op_text(mco_reduce_op op)
{
    return (int)op >= 0 && (int)op < MCO_REDUCE_OPS ? op_names[op] : "?";
}

const char *mco_reduce_type_text(mco_reduce_type type)
{
    return (int)type >= 0 && (int)type < MCO_REDUCE_TYPES ? type_names[type] : "?";
}

// ---- Types

mco_reduce_type mco_reduce_value_type(mco_reduce_op op, mco_reduce_type type)
{
    if (op == MCO_REDUCE_OP_COUNT_NONZERO)
        return MCO_REDUCE_TYPE_U64;
    if (op != MCO_REDUCE_OP_SUM && op != MCO_REDUCE_OP_PROD)
        return type;
    return type == MCO_REDUCE_TYPE_I32 ? MCO_REDUCE_TYPE_I64 : type == MCO_REDUCE_TYPE_U32 ? MCO_REDUCE_TYPE_U64 : type;
}

int64_t mco_reduce_type_bytes(mco_reduce_type type)
{
    return reduce_element_bytes(type);
}

uint64_t mco_reduce_value_bits(mco_reduce_type type, mco_reduce_value value)
{
    const float single = (float)value.f;
    uint32_t bits;
    if (type == MCO_REDUCE_TYPE_I32 || type == MCO_REDUCE_TYPE_U32)
        return value.u & UINT32_MAX;
    if (type != MCO_REDUCE_TYPE_F32)
        return value.u;
    memcpy(&bits, &single, sizeof bits);
    return bits;
}

// ---- Validation

static mco_status refuse_kind(mco_context *ctx, const reduce_kind *k)
{
    if ((int)k->op < 0 || (int)k->op >= MCO_REDUCE_OPS || (int)k->type < 0 || (int)k->type >= MCO_REDUCE_TYPES)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "operation %d on type %d: there are operations 0 to %d and types 0 to %d", (int)k->op,
                        (int)k->type, MCO_REDUCE_OPS - 1, MCO_REDUCE_TYPES - 1);
    if (k->op >= MCO_REDUCE_OP_AND && k->op <= MCO_REDUCE_OP_XOR && reduce_is_float(k->type))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s is for integers, the type is %s", op_names[k->op], type_names[k->type]);
    if (k->is_compensated && (k->op != MCO_REDUCE_OP_SUM || !reduce_is_float(k->type)))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "compensated is for the sum of f32 or f64, not for %s of %s", op_names[k->op],
                        type_names[k->type]);
    return MCO_OK;
}

mco_status reduce_refuse(mco_context *ctx, const reduce_kind *kind, const void *data, int64_t count)
{
    mco_status st = refuse_kind(ctx, kind);
    if (st != MCO_OK)
        return st;
    const int bytes = reduce_element_bytes(kind->type);
    if (count < 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "count is %lld, 0 or more was expected", (long long)count);
    if (count > MCO_REDUCE_MAX_COUNT)
        return mco_fail(ctx, MCO_ERR_LIMIT, "count is %lld, at most %lld elements are supported", (long long)count,
                        (long long)MCO_REDUCE_MAX_COUNT);
    if (count == 0 && reduce_is_place(kind->op))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s of no elements: there is no place to tell", op_names[kind->op]);
    if ((uintptr_t)data % (uintptr_t)bytes != 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the data of type %s start at an address with remainder %d modulo %d, 0 was expected",
                        type_names[kind->type], (int)((uintptr_t)data % (uintptr_t)bytes), bytes);
    return MCO_OK;
}

mco_status reduce_refuse_segments(mco_context *ctx, int64_t segments)
{
    if (segments < 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%lld segments, 0 or more were expected", (long long)segments);
    if (segments >= MCO_REDUCE_MAX_SEGMENTS)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%lld segments, at most %lld are supported", (long long)segments,
                        (long long)MCO_REDUCE_MAX_SEGMENTS - 1);
    return MCO_OK;
}

static mco_status refuse_offsets(mco_context *ctx, const reduce_kind *kind, const int64_t *offsets, int64_t segments)
{
    if (offsets[0] != 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "offset 0 is %lld, 0 was expected", (long long)offsets[0]);
    for (int64_t s = 0; s < segments; s++) {
        if (offsets[s + 1] < offsets[s])
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "offset %lld is %lld, less than the one before, %lld", (long long)s + 1,
                            (long long)offsets[s + 1], (long long)offsets[s]);
        if (offsets[s + 1] == offsets[s] && reduce_is_place(kind->op))
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "segment %lld is empty: %s has no place to tell there", (long long)s,
                            op_names[kind->op]);
    }
    return MCO_OK;
}

// Copies the parameters into the job. Tests everything but the data.
static mco_status take_params(reduce_job *job, const mco_reduce_params *given, const mco_reduce_result *result)
{
    mco_context *ctx = job->ctx;
    mco_reduce_params *params = &job->own_params;
    mco_status st = MCO_OK;
    *params = (mco_reduce_params)MCO_REDUCE_PARAMS_INIT;
    job->params = params;
    MCO_TRY(mco_struct_take(ctx, "params", given, params, sizeof *params));
    MCO_TRY(mco_struct_test(ctx, "result", result, sizeof *result));
    MCO_TRY(mco_options_validate(ctx, &options, params));
    if (params->gpus != NULL && (params->engine == MCO_ENGINE_CPU || params->engine == MCO_ENGINE_REFERENCE))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--gpus is for the gpu engine, the engine is %s", mco_engine_text(params->engine));
    if (params->repeat > 1 && params->engine == MCO_ENGINE_REFERENCE)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--repeat is %lld, the reference runs once", (long long)params->repeat);
    if (params->threads > 0 && (params->engine == MCO_ENGINE_GPU || params->engine == MCO_ENGINE_REFERENCE))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--threads is %lld, for the cpu engine; the engine is %s",
                        (long long)params->threads, mco_engine_text(params->engine));
done:
    return st;
}

// ---- Engine

static mco_status choose_engine(const reduce_job *job, mco_engine *out)
{
    mco_gpu gpus[MCO_MAX_GPUS];
    int count = 0;
    const char *reason = NULL;
    const mco_reduce_params *p = job->params;
    *out = p->engine;
    if (p->engine != MCO_ENGINE_AUTO) {
        mco_log(job->ctx, MCO_LOG_INFO, "engine %s", mco_engine_text(*out));
        return MCO_OK;
    }
    *out = MCO_ENGINE_CPU;
    if (p->gpus != NULL) {
        *out = MCO_ENGINE_GPU;
        mco_log(job->ctx, MCO_LOG_INFO, "engine gpu (auto: GPUs were named)");
        return MCO_OK;
    }
    if (job->data != NULL && p->repeat < REPEATS_WORTH_A_COPY) {
        mco_log(job->ctx, MCO_LOG_INFO, "engine cpu (auto: the data are in host memory, reading them here is faster than copying them)");
        return MCO_OK;
    }
    mco_status st = mco_gpus_list(job->ctx, gpus, &count, &reason);
    if (st != MCO_OK)
        return st;
    if (count == 0) {
        mco_log(job->ctx, MCO_LOG_INFO, "engine cpu (auto: no GPU, %s)", reason);
        return MCO_OK;
    }
    *out = MCO_ENGINE_GPU;
    mco_log(job->ctx, MCO_LOG_INFO, "engine gpu (auto: %s)",
            job->data == NULL ? "the data are generated in its memory" : "the number of repeats pays for the copy");
    return MCO_OK;
}

#ifndef MCO_HAVE_CUDA
// This build has no GPU engine. Choosing a GPU fails with a message that says why.
static mco_status no_gpu(mco_context *ctx, const char *gpus)
{
    mco_gpu chosen[MCO_MAX_GPUS];
    int count;
    return mco_gpus_choose(ctx, gpus, chosen, &count);
}

mco_status reduce_gpu(reduce_job *job)
{
    return no_gpu(job->ctx, job->params->gpus);
}

mco_status mco_reduce_workspace_create(mco_context *ctx, int gpu, mco_reduce_workspace **out)
{
    (void)gpu;
    (void)out;
    return no_gpu(ctx, NULL);
}

void mco_reduce_workspace_destroy(mco_context *ctx, mco_reduce_workspace **workspace)
{
    (void)ctx;
    (void)workspace;
}

mco_status mco_reduce_device(mco_context *ctx, mco_reduce_workspace *workspace, mco_reduce_op op, mco_reduce_type type,
                             bool is_compensated, const void *d_data, int64_t count, mco_reduce_value *d_value,
                             void *stream)
{
    (void)workspace, (void)op, (void)type, (void)is_compensated, (void)d_data, (void)count, (void)d_value, (void)stream;
    return no_gpu(ctx, NULL);
}

mco_status mco_reduce_segments_device(mco_context *ctx, mco_reduce_workspace *workspace, mco_reduce_op op,
                                      mco_reduce_type type, bool is_compensated, const void *d_data,
                                      const int64_t *d_offsets, int64_t mean_length, int64_t segments,
                                      mco_reduce_value *d_values, void *stream)
{
    (void)workspace, (void)op, (void)type, (void)is_compensated, (void)d_data, (void)d_offsets, (void)mean_length;
    (void)segments, (void)d_values, (void)stream;
    return no_gpu(ctx, NULL);
}
#endif

static mco_status run_engine(reduce_job *job)
{
    mco_status st = MCO_OK;
    mco_reduce_result *r = job->result;
    MCO_TRY(choose_engine(job, &r->work.engine));
    r->parts = 1;
    r->repeats = 1;
    if (r->work.engine == MCO_ENGINE_GPU)
        MCO_TRY(reduce_gpu(job));
    else if (r->work.engine == MCO_ENGINE_CPU)
        MCO_TRY(reduce_cpu(job));
    else
        MCO_TRY(reduce_reference(job));
done:
    return st;
}

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double reduce_median(double *times, int64_t count)
{
    qsort(times, (size_t)count, sizeof *times, compare_times);
    return count % 2 == 1 ? times[count / 2] : 0.5 * (times[count / 2 - 1] + times[count / 2]);
}

// ---- Check

// Checks argmin and argmax, which is cheap: the index lies in the segment, and the element there is the value.
static mco_status check_places(const reduce_job *job)
{
    for (int64_t s = 0; s < job->segments && reduce_is_place(job->kind.op); s++) {
        const mco_reduce_value v = job->values[s];
        const int64_t begin = reduce_segment_begin(job, s), length = reduce_segment_begin(job, s + 1) - begin;
        if (v.index < 0 || v.index >= length)
            return mco_fail(job->ctx, MCO_ERR_INTERNAL, "segment %lld: index %lld of %lld elements", (long long)s,
                            (long long)v.index, (long long)length);
        const reduce_partial x = reduce_element(job, begin + v.index);
        if (x.u != v.u && !(reduce_is_float(job->kind.type) && x.f != x.f && v.f != v.f))
            return mco_fail(job->ctx, MCO_ERR_INTERNAL, "segment %lld: element %lld is not the value", (long long)s,
                            (long long)v.index);
    }
    return MCO_OK;
}

static mco_status check_fully(const reduce_job *job)
{
    mco_status st = MCO_OK;
    mco_reduce_result result = MCO_REDUCE_RESULT_INIT;
    reduce_job again = *job;
    again.values = NULL;
    again.result = &result;
    if (job->params->check == MCO_REDUCE_CHECK_OFF || job->result->work.engine == MCO_ENGINE_REFERENCE)
        return MCO_OK;
    MCO_TRY(mco_alloc(job->ctx, &again.values, job->segments));
    MCO_TRY(reduce_reference(&again));
    for (int64_t s = 0; s < job->segments; s++)
        if (job->values[s].u != again.values[s].u || job->values[s].index != again.values[s].index)
            MCO_TRY(mco_fail(job->ctx, MCO_ERR_INTERNAL, "segment %lld: bits %016llx, index %lld; the reference has %016llx, index %lld",
                             (long long)s, (unsigned long long)job->values[s].u, (long long)job->values[s].index,
                             (unsigned long long)again.values[s].u, (long long)again.values[s].index));
done:
    mco_free(job->ctx, &again.values);
    return st;
}

// ---- Entry points

// Runs a job whose kind and data are already validated. `values` is NULL for a whole array.
static mco_status run_job(reduce_job *job, mco_reduce_value *values, mco_reduce_result *result)
{
    mco_status st = MCO_OK;
    mco_reduce_result r = MCO_REDUCE_RESULT_INIT;
    mco_reduce_value whole;
    const double begin_s = mco_clock_s();
    // The caller's outputs are written only after success: a failure leaves them untouched.
    mco_reduce_value *made = NULL;
    if (values != NULL)
        MCO_TRY(mco_alloc(job->ctx, &made, job->segments));
    job->is_segmented = values != NULL;
    job->values = made != NULL ? made : &whole;
    job->result = &r;
    MCO_TRY(run_engine(job));
    r.work.solve_s = mco_clock_s() - begin_s;
    if (job->params->engine == MCO_ENGINE_REFERENCE)
        r.kernel_s = r.work.solve_s;
    MCO_TRY(check_places(job));
    MCO_TRY(check_fully(job));
    r.value_type = mco_reduce_value_type(job->kind.op, job->kind.type);
    if (values == NULL) {
        r.value = whole;
        r.value_bits = mco_reduce_value_bits(r.value_type, whole);
    } else if (job->segments > 0) {
        memcpy(values, made, (size_t)job->segments * sizeof *values);
    }
    r.bytes = job->count * reduce_element_bytes(job->kind.type);
    r.bytes_per_s = r.kernel_s > 0 ? (double)r.bytes / r.kernel_s : 0;
    mco_struct_give(result, &r, sizeof r);
done:
    mco_free(job->ctx, &made);
    mco_clear_cancel(job->ctx);
    return st;
}

mco_status mco_reduce(mco_context *ctx, mco_reduce_op op, mco_reduce_type type, const void *data, int64_t count,
                      const mco_reduce_params *params, mco_reduce_result *result)
{
    static const uint64_t nothing[1] = {0};  // stands for the data of an array without elements
    mco_status st = MCO_OK;
    reduce_job job = {.ctx = ctx, .data = data != NULL ? data : nothing, .count = count,
                      .length = count, .segments = 1};
    if (ctx == NULL || (data == NULL && count != 0))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(take_params(&job, params, result));
    job.kind = (reduce_kind){op, type, job.params->compensated != 0};
    MCO_TRY(reduce_refuse(ctx, &job.kind, job.data, count));
    MCO_TRY(run_job(&job, NULL, result));
done:
    return st;
}

mco_status mco_reduce_segments(mco_context *ctx, mco_reduce_op op, mco_reduce_type type, const void *data,
                               const int64_t *offsets, int64_t segments, const mco_reduce_params *params,
                               mco_reduce_value *values, mco_reduce_result *result)
{
    static const uint64_t nothing[1] = {0};
    mco_status st = MCO_OK;
    reduce_job job = {.ctx = ctx, .offsets = offsets, .segments = segments};
    if (ctx == NULL || offsets == NULL || values == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(take_params(&job, params, result));
    MCO_TRY(reduce_refuse_segments(ctx, segments));
    job.kind = (reduce_kind){op, type, job.params->compensated != 0};
    MCO_TRY(refuse_kind(ctx, &job.kind));
    MCO_TRY(refuse_offsets(ctx, &job.kind, offsets, segments));
    job.count = offsets[segments];
    job.data = data != NULL ? data : nothing;
    if (data == NULL && job.count != 0)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL"));
    if (segments > 0)
        MCO_TRY(reduce_refuse(ctx, &job.kind, job.data, job.count));
    MCO_TRY(run_job(&job, values, result));
done:
    return st;
}

mco_status mco_reduce_generate(mco_context *ctx, mco_reduce_type type, uint64_t seed, int64_t first, int64_t count,
                               void *data)
{
    const reduce_kind kind = {MCO_REDUCE_OP_SUM, type, false};
    if (ctx == NULL || (data == NULL && count != 0) || first < 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, first < 0 ? "first is negative" : "a pointer is NULL");
    mco_status st = reduce_refuse(ctx, &kind, data, count);
    if (st == MCO_OK)
        reduce_fill(type, seed, first, count, data);
    return st;
}

mco_status mco_reduce_generated(mco_context *ctx, mco_reduce_op op, mco_reduce_type type, uint64_t seed, int64_t count,
                                int64_t segment_length, const mco_reduce_params *params, mco_reduce_value *values,
                                mco_reduce_result *result)
{
    mco_status st = MCO_OK;
    reduce_job job = {.ctx = ctx, .seed = seed, .count = count, .length = count, .segments = 1};
    if (ctx == NULL || (segment_length != 0) != (values != NULL))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, ctx == NULL ? "a pointer is NULL" : "values go with segments, and only with them");
    if (segment_length < 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "segment_length is %lld, 0 or more was expected", (long long)segment_length);
    MCO_TRY(take_params(&job, params, result));
    job.kind = (reduce_kind){op, type, job.params->compensated != 0};
    MCO_TRY(reduce_refuse(ctx, &job.kind, NULL, count));
    if (segment_length > 0) {
        job.length = segment_length;
        job.segments = reduce_ceil_div(count, segment_length);
        MCO_TRY(reduce_refuse_segments(ctx, job.segments));
    }
    MCO_TRY(run_job(&job, values, result));
done:
    return st;
}
