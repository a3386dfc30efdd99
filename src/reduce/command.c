// SPDX-License-Identifier: MIT
// mco reduce run | generate
#include <stdio.h>
#include <string.h>

#include "base/blocks.h"
#include "base/output.h"
#include "cli/frame.h"
#include "mco/reduce.h"
#include "reduce/job.h"

#define DATA_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                  \
    CHOICE(op, "--op", mco_reduce_op, MCO_REDUCE_OP_SUM, MCO_REDUCE_OP_NAMES, "what is computed")                      \
    CHOICE(type, "--type", mco_reduce_type, MCO_REDUCE_TYPE_F32, MCO_REDUCE_TYPE_NAMES, "type of the elements")        \
    INTEGER(count, "--count", -1, 0, 1099511627776, -1, "N", "reduce N generated elements instead of a file")          \
    INTEGER(seed, "--seed", 1, 0, 9007199254740992, -1, "K", "seed of generated elements")                             \
    INTEGER(segments, "--segments", 0, 1, 2147483647, 0, "S", "reduce S segments of equal length, each to a value")    \
    INTEGER(segment_length, "--segment-length", 0, 1, 1099511627776, 0, "L",                                           \
            "reduce segments of L elements; the last one may be shorter")

typedef struct session {
    MCO_FIELDS(DATA_OPTIONS)
    mco_reduce_params params;
    const char *path;  // NULL: generated
    void *elements;    // of the file
    int64_t elements_count;
    int64_t length, parts;     // length and number of segments; 0: the whole array
    mco_reduce_value *values;  // [parts]
    mco_reduce_result result;
} session;

#define MCO_OPTION_STRUCT session
static const mco_option data_records[] = {MCO_OPTION_RECORDS(DATA_OPTIONS)};
static const mco_option_table data_options = MCO_OPTION_TABLE(data_records);

static void begin(void *state)
{
    *(session *)state = (session){.type = MCO_REDUCE_TYPE_F32, .count = -1, .seed = 1, .params = MCO_REDUCE_PARAMS_INIT,
                                  .result = MCO_REDUCE_RESULT_INIT};
    ((session *)state)->params.check = MCO_REDUCE_CHECK_FULL;
}

static void tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){mco_reduce_options(), &((session *)state)->params};
    out[1] = (mco_option_values){&data_options, state};
}

// ---- The data

static mco_status read_elements(mco_context *ctx, session *s)
{
    mco_status st = MCO_OK;
    mco_blocks blocks = {0};
    int64_t bytes = 0;
    const int64_t width = mco_reduce_type_bytes(s->type);
    MCO_TRY(mco_blocks_open(ctx, s->path, MCO_PACKING_BY_NAME, &blocks));
    MCO_TRY(mco_blocks_read_all(&blocks, &s->elements, &bytes));
    if (bytes % width != 0)
        MCO_TRY(mco_fail(ctx, MCO_ERR_PARSE, "%s has %lld bytes, a multiple of %lld was expected (%s)", s->path,
                         (long long)bytes, (long long)width, mco_reduce_type_text(s->type)));
    s->elements_count = bytes / width;
done:
    mco_blocks_close(&blocks);
    return st;
}

// Checks the options about segments and computes the length and the number of segments from them.
static mco_status settle_segments(mco_context *ctx, session *s)
{
    const int64_t count = s->elements_count;
    if (s->segments > 0 && s->segment_length > 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--segments and --segment-length exclude each other");
    if (s->segments > 0 && count % s->segments != 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--segments is %lld and %lld elements are no multiple of it: use --segment-length",
                        (long long)s->segments, (long long)count);
    if ((s->segments > 0 || s->segment_length > 0) && count == 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "segments were asked for and there are no elements");
    s->length = s->segments > 0 ? count / s->segments : s->segment_length;
    s->parts = s->length > 0 ? count / s->length + (count % s->length > 0) : 0;
    return reduce_refuse_segments(ctx, s->parts);
}

// Takes either a file or a count.
static mco_status open(cli_call *call)
{
    mco_status st = MCO_OK;
    session *s = call->state;
    const bool has_file = call->input_count > 0;
    if (has_file == (s->count >= 0))
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "%s; usage: mco reduce run [OPTIONS] --count N | FILE (see mco help reduce)",
                        has_file ? "a file and --count exclude each other" : "a file or --count is needed");
    s->elements_count = s->count;
    if (has_file) {
        s->path = call->inputs[0];
        MCO_TRY(read_elements(call->ctx, s));
    }
    MCO_TRY(settle_segments(call->ctx, s));
    if (s->length > 0)
        MCO_TRY(mco_alloc(call->ctx, &s->values, s->parts));
done:
    return st;
}

static void end(cli_call *call)
{
    session *s = call->state;
    mco_free(call->ctx, &s->values);
    mco_free_bytes(call->ctx, &s->elements);
}

// ---- run

static mco_status reduce_segments(mco_context *ctx, session *s)
{
    mco_status st = MCO_OK;
    int64_t *offsets = NULL;
    MCO_TRY(mco_alloc(ctx, &offsets, s->parts + 1));
    for (int64_t k = 0; k <= s->parts; k++)
        offsets[k] = k < s->parts ? k * s->length : s->elements_count;
    MCO_TRY(mco_reduce_segments(ctx, s->op, s->type, s->elements, offsets, s->parts, &s->params, s->values, &s->result));
done:
    mco_free(ctx, &offsets);
    return st;
}

static mco_status solve(cli_call *call)
{
    session *s = call->state;
    if (s->path == NULL)
        return mco_reduce_generated(call->ctx, s->op, s->type, (uint64_t)s->seed, s->elements_count, s->length, &s->params,
                                    s->values, &s->result);
    if (s->length > 0)
        return reduce_segments(call->ctx, s);
    return mco_reduce(call->ctx, s->op, s->type, s->elements, s->elements_count, &s->params, &s->result);
}

static mco_status write_result(cli_call *call, const mco_option_values *more, const char *path)
{
    const session *s = call->state;
    char name[64];
    snprintf(name, sizeof name, "%s of %s", mco_reduce_op_text(s->op), mco_reduce_type_text(s->type));
    return mco_reduce_write_result(call->ctx, s->path == NULL ? name : strcmp(s->path, "-") == 0 ? "stdin" : s->path, s->op,
                                   s->elements_count, s->seed, s->values, s->parts, &s->params, &s->result, more, path);
}

// Writes one line per value: the number, its bits, and the index if there is one.
static mco_status write_values(cli_call *call, const void *incumbent, double objective, const char *path)
{
    mco_output o;
    const session *s = call->state;
    const mco_reduce_type type = s->result.value_type;
    const mco_status st = mco_output_open(call->ctx, path, &o);
    (void)incumbent, (void)objective;
    if (st != MCO_OK)
        return st;
    for (int64_t k = 0; k < (s->parts > 0 ? s->parts : 1); k++) {
        const mco_reduce_value v = s->parts > 0 ? s->values[k] : s->result.value;
        char text[64], bits[64];
        fprintf(o.file, "%s %s", mco_reduce_value_text(type, v, text, sizeof text),
                mco_reduce_bits_text(type, v, bits, sizeof bits));
        if (v.index >= 0)
            fprintf(o.file, " %lld", (long long)v.index);
        fputc('\n', o.file);
    }
    return mco_output_commit(call->ctx, &o, false);
}

static void print_value(const session *s)
{
    const mco_reduce_result *r = &s->result;
    char text[64], bits[64];
    if (s->parts > 0) {
        printf("%-10s of %lld segments of %lld (--solution F writes the values)\n", mco_reduce_op_text(s->op),
               (long long)s->parts, (long long)s->length);
        return;
    }
    printf("%-10s %s   %s %s\n", mco_reduce_op_text(s->op), mco_reduce_value_text(r->value_type, r->value, text, sizeof text),
           mco_reduce_type_text(r->value_type), mco_reduce_bits_text(r->value_type, r->value, bits, sizeof bits));
    if (r->value.index >= 0)
        printf("index      %lld\n", (long long)r->value.index);
}

static mco_status print(cli_call *call)
{
    const session *s = call->state;
    const mco_reduce_result *r = &s->result;
    printf("data       %lld %s, %.3f MB, ", (long long)s->elements_count, mco_reduce_type_text(s->type),
           (double)r->bytes * 1e-6);
    if (s->path == NULL)
        printf("generated from seed %lld\n", (long long)s->seed);
    else
        printf("%s\n", s->path);
    print_value(s);
    printf("time       %.9f s a reduction", r->kernel_s);
    if (r->repeats > 1)
        printf(" (median of %lld)", (long long)r->repeats);
    printf(", %.2f GB/s, ", r->bytes_per_s * 1e-9);
    cli_print_engine(call->ctx, &r->work);
    printf("\n");
    return MCO_OK;
}

// ---- generate

#define GENERATE_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                      \
    CHOICE(type, "--type", mco_reduce_type, MCO_REDUCE_TYPE_F32, MCO_REDUCE_TYPE_NAMES, "type of the elements") \
    INTEGER(count, "--count", -1, 0, 1099511627776, -1, "N", "elements")                                        \
    INTEGER(seed, "--seed", 1, 0, 9007199254740992, -1, "K", "seed")

typedef struct generation {
    MCO_FIELDS(GENERATE_OPTIONS)
    cli_generated file;
} generation;
#undef MCO_OPTION_STRUCT
#define MCO_OPTION_STRUCT generation
static const mco_option generate_records[] = {MCO_OPTION_RECORDS(GENERATE_OPTIONS)};
static const mco_option_table generate_options = MCO_OPTION_TABLE(generate_records);

static void begin_generation(void *state)
{
    *(generation *)state = (generation){.type = MCO_REDUCE_TYPE_F32, .count = -1, .seed = 1};
}

static void generate_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){&generate_options, state};
    out[1] = (mco_option_values){&cli_generated_options, &((generation *)state)->file};
}

static mco_status write_generated(mco_context *ctx, const generation *g, FILE *file)
{
    enum { BUFFER_BYTES = 1 << 20 };
    mco_status st = MCO_OK;
    char *buffer = NULL;
    const int64_t width = mco_reduce_type_bytes(g->type), at_once = BUFFER_BYTES / width;
    MCO_TRY(mco_alloc(ctx, &buffer, BUFFER_BYTES));
    for (int64_t i = 0; i < g->count && !ferror(file); i += at_once) {
        const int64_t count = g->count - i < at_once ? g->count - i : at_once;
        MCO_TRY(mco_reduce_generate(ctx, g->type, (uint64_t)g->seed, i, count, buffer));
        fwrite(buffer, (size_t)width, (size_t)count, file);  // the loop and the commit see an error
        if (mco_is_cancelled(ctx))
            MCO_TRY(mco_fail(ctx, MCO_ERR_IO, "interrupted after %lld of %lld elements", (long long)(i + count),
                             (long long)g->count));
    }
done:
    mco_free(ctx, &buffer);
    return st;
}

static mco_status generate(cli_call *call)
{
    mco_status st = MCO_OK;
    const generation *g = call->state;
    mco_output o = {0};
    if (g->count < 0)
        MCO_TRY(mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--count is needed"));
    MCO_TRY(mco_output_open(call->ctx, cli_generated_path(&g->file), &o));
    cli_catch_signals(call->ctx);
    MCO_TRY(write_generated(call->ctx, g, o.file));
    MCO_TRY(mco_output_commit(call->ctx, &o, false));
done:
    mco_output_discard(&o);
    return st;
}

const cli_problem cli_reduce = {
    .name = "reduce",
    .text = "reduction: sum, minimum, place of the minimum, ... of an array, at memory speed",
    .about = "Reduction of an array to one value, or of its segments to one each. Every engine gives the same\n"
             "bits, floating point included.\n\n"
             "FILE holds the elements one after another, little-endian, and nothing else (plain, or gzip if it ends in\n"
             ".gz; - for standard input). Generated floats are uniform in [-1, 1), integers in all of their range.",
    .example = "run --op argmax --type f32 examples/temperature.f32",
    .actions = {
        {.name = "run", .arguments = "[OPTIONS] --count N | FILE", .most = 1, .state_bytes = sizeof(session),
         .begin = begin, .tables = tables, .open = open, .solve = solve, .is_killed_by_signals = true,
         .write_result = write_result, .solution_text = "write the values, one a line", .write_solution = write_values,
         .print = print, .end = end},
        {.name = "generate", .arguments = "--count N [--type T] [--seed K] [--output F]", .state_bytes = sizeof(generation),
         .begin = begin_generation, .tables = generate_tables, .run = generate},
    },
};
