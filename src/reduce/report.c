// SPDX-License-Identifier: MIT
// Values as text, and the members of the result file that belong to the reduction.
#include "base/number.h"
#include "render/report.h"

#include <inttypes.h>
#include <math.h>

#include "base/structs.h"
#include "mco/reduce.h"

const char *mco_reduce_value_text(mco_reduce_type type, mco_reduce_value value, char *out, size_t size)
{
    char digits[MCO_NUMBER_TEXT];
    switch (type) {
    case MCO_REDUCE_TYPE_U32:
    case MCO_REDUCE_TYPE_U64: snprintf(out, size, "%" PRIu64, value.u); break;
    case MCO_REDUCE_TYPE_I32:
    case MCO_REDUCE_TYPE_I64: snprintf(out, size, "%" PRId64, value.i); break;
    default: snprintf(out, size, "%s", mco_shortest_digits(value.f, 1, type == MCO_REDUCE_TYPE_F32, digits)); break;
    }
    return out;
}

const char *mco_reduce_bits_text(mco_reduce_type type, mco_reduce_value value, char *out, size_t size)
{
    snprintf(out, size, "0x%0*" PRIx64, (int)(2 * mco_reduce_type_bytes(type)), mco_reduce_value_bits(type, value));
    return out;
}

// ---- The result file

typedef struct subject {
    mco_reduce_op op;
    int64_t count;
    const mco_reduce_value *values;  // [segments]
    int64_t segments;                // 0: the whole
    const mco_reduce_result *result;
} subject;

static void write_sizes(mco_json *json, const void *user)
{
    const subject *s = user;
    mco_json_integer(json, "count", s->count);
    mco_json_integer(json, "bytes", s->result->bytes);
    if (s->segments > 0)
        mco_json_integer(json, "segments", s->segments);
    else
        mco_json_null(json, "segments");
}

static void write_counters(mco_json *json, const void *user)
{
    const mco_reduce_result *r = ((const subject *)user)->result;
    mco_json_integer(json, "bytes", r->bytes);
    mco_json_real(json, "seconds", r->kernel_s);
    mco_json_real(json, "bytes_per_s", r->bytes_per_s);
    mco_json_real(json, "copy_s", r->copy_s);
    mco_json_integer(json, "chunks", r->chunks);
    mco_json_integer(json, "parts", r->parts);
    mco_json_integer(json, "repeats", r->repeats);
}

static void write_values(mco_json *json, const subject *s)
{
    char text[64];
    mco_json_open(json, "values", '[');
    for (int64_t k = 0; k < s->segments; k++)
        mco_json_text(json, NULL, mco_reduce_value_text(s->result->value_type, s->values[k], text, sizeof text));
    mco_json_close(json, ']');
    if (s->op != MCO_REDUCE_OP_ARGMIN && s->op != MCO_REDUCE_OP_ARGMAX)
        return;
    mco_json_open(json, "indices", '[');
    for (int64_t k = 0; k < s->segments; k++)
        mco_json_integer(json, NULL, s->values[k].index);
    mco_json_close(json, ']');
}

static void write_solution(mco_json *json, const void *user)
{
    const subject *s = user;
    const mco_reduce_result *r = s->result;
    char text[64];
    mco_json_text(json, "type", mco_reduce_type_text(r->value_type));
    if (s->segments > 0) {
        write_values(json, s);
        return;
    }
    mco_json_text(json, "value", mco_reduce_value_text(r->value_type, r->value, text, sizeof text));
    mco_json_text(json, "bits", mco_reduce_bits_text(r->value_type, r->value, text, sizeof text));
    if (r->value.index >= 0)
        mco_json_integer(json, "index", r->value.index);
    else
        mco_json_null(json, "index");
}

static double as_double(mco_reduce_type type, mco_reduce_value value)
{
    if (type == MCO_REDUCE_TYPE_U32 || type == MCO_REDUCE_TYPE_U64)
        return (double)value.u;
    return type == MCO_REDUCE_TYPE_I32 || type == MCO_REDUCE_TYPE_I64 ? (double)value.i : value.f;
}

mco_status mco_reduce_write_result(mco_context *ctx, const char *name, mco_reduce_op op, int64_t count, int64_t seed,
                                   const mco_reduce_value *values, int64_t segments, const mco_reduce_params *params,
                                   const mco_reduce_result *result, const mco_option_values *more, const char *path)
{
    mco_status st = MCO_OK;
    mco_reduce_params p = MCO_REDUCE_PARAMS_INIT;
    mco_reduce_result r = MCO_REDUCE_RESULT_INIT;
    const subject s = {op, count, values, segments, &r};
    if (ctx == NULL || name == NULL || path == NULL || (segments > 0 && values == NULL))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(MCO_TAKE(ctx, result, &r));
    const bool is_cut = r.repeats > 0 && r.repeats < p.repeat;  // 0 in a result of an older header
    const mco_report report = {.kind = "reduce",
                               .name = name,
                               .outcome = MCO_OUTCOME_OPTIMAL,
                               .stop = is_cut ? MCO_STOP_CANCELLED : MCO_STOP_FINISHED,
                               .objective = segments > 0 ? NAN : as_double(r.value_type, r.value),
                               .bound = NAN,
                               .is_unchecked = r.work.engine == MCO_ENGINE_REFERENCE || p.check == MCO_REDUCE_CHECK_OFF,
                               .seed = seed,
                               .options = {mco_reduce_options(), &p},
                               .more = more,
                               .work = &r.work,
                               .user = &s,
                               .write_sizes = write_sizes,
                               .write_counters = write_counters,
                               .write_solution = write_solution};
    MCO_TRY(mco_report_write(ctx, &report, path));
done:
    return st;
}
