// SPDX-License-Identifier: MIT
// mco reduce run | generate
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "reduce/options.h"

// ---- Options beside those of the library

#define DATA_OPTIONS(INTEGER, CHOICE)                                                                                    \
    CHOICE(op, "--op", mco_reduce_op, MCO_REDUCE_SUM, MCO_REDUCE_OP_NAMES, "what is computed")                         \
    CHOICE(type, "--type", mco_reduce_type, MCO_REDUCE_F32, MCO_REDUCE_TYPE_NAMES, "type of the elements")             \
    INTEGER(count, "--count", -1, 0, 1099511627776, -1, "N", "reduce N generated elements instead of a file")          \
    INTEGER(seed, "--seed", 1, 0, 9007199254740992, -1, "K", "seed of generated elements")                             \
    INTEGER(segments, "--segments", 0, 1, 2147483647, 0, "S", "reduce S segments of equal length, each to a value")    \
    INTEGER(segment_length, "--segment-length", 0, 1, 1099511627776, 0, "L",                                           \
            "reduce segments of L elements; the last one may be shorter")

typedef struct data_options {
    DATA_OPTIONS(MCO_FIELD_INTEGER, MCO_FIELD_CHOICE)
} data_options;
#define MCO_OPTION_STRUCT data_options
static const mco_option data_table[] = {DATA_OPTIONS(MCO_OPTION_INTEGER_ENTRY, MCO_OPTION_CHOICE_ENTRY)};
static const data_options data_defaults = {.type = MCO_REDUCE_F32, .count = -1, .seed = 1};

#undef MCO_OPTION_STRUCT
#define MCO_OPTION_STRUCT cli_outputs
static const mco_option output_table[] = {
    MCO_OPTION_TEXT_ENTRY(json, "--json", "F", "write the result file")
    MCO_OPTION_TEXT_ENTRY(solution, "--solution", "F", "write the values, one a line")
    MCO_OPTION_FLAG_ENTRY(quiet, "--quiet", "no log")
    MCO_OPTION_FLAG_ENTRY(verbose, "-v", "a more detailed log")
};

#define GENERATE_OPTIONS(INTEGER, CHOICE, TEXT)                                                             \
    CHOICE(type, "--type", mco_reduce_type, MCO_REDUCE_F32, MCO_REDUCE_TYPE_NAMES, "type of the elements") \
    INTEGER(count, "--count", -1, 0, 1099511627776, -1, "N", "elements")                                   \
    INTEGER(seed, "--seed", 1, 0, 9007199254740992, -1, "K", "seed")                                       \
    TEXT(output, "--output", "F", "where to write; standard output without it")

typedef struct generate_options {
    GENERATE_OPTIONS(MCO_FIELD_INTEGER, MCO_FIELD_CHOICE, MCO_FIELD_TEXT)
} generate_options;
#undef MCO_OPTION_STRUCT
#define MCO_OPTION_STRUCT generate_options
static const mco_option generate_table[] = {
    GENERATE_OPTIONS(MCO_OPTION_INTEGER_ENTRY, MCO_OPTION_CHOICE_ENTRY, MCO_OPTION_TEXT_ENTRY)};
static const generate_options generate_defaults = {.type = MCO_REDUCE_F32, .count = -1, .seed = 1};

// One run of the command.
typedef struct session {
    mco_context *ctx;
    data_options data;
    mco_reduce_params params;
    cli_outputs outputs;
    const char *path;  // NULL: generated
    char *elements;    // of the file
    int64_t count;
    int64_t length, segments;  // of segments; 0: the whole
    mco_reduce_value *values;  // [segments]
    mco_reduce_result result;
    double process_start_s;
} session;

static cli_table engine_table(mco_reduce_params *params)
{
    cli_table table = {.params = params};
    table.options = reduce_options(&table.count);
    return table;
}

// ---- Raw files

// Reads what is left of a file whose size nobody knows, in steps that double.
static mco_status read_stream(session *s, FILE *file, int64_t *bytes)
{
    mco_status st = MCO_OK;
    size_t size = 0, room = 0, got = 0;
    do {
        if (size == room) {
            char *larger = NULL;
            room = room > 0 ? 2 * room : (size_t)1 << 20;
            MCO_TRY(mco_alloc(s->ctx, &larger, room));
            if (size > 0)
                memcpy(larger, s->elements, size);
            mco_free(s->ctx, &s->elements);
            s->elements = larger;
        }
        got = fread(s->elements + size, 1, room - size, file);
        size += got;
    } while (got > 0);
    *bytes = (int64_t)size;
done:
    return st;
}

static mco_status read_known(session *s, FILE *file, int64_t bytes)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(s->ctx, &s->elements, bytes));
    size_t got = fread(s->elements, 1, (size_t)bytes, file);
    if (got != (size_t)bytes && !ferror(file))
        MCO_TRY(mco_fail(s->ctx, MCO_ERR_IO, "cannot read %s: it ended after %zu of %lld bytes", s->path, got, (long long)bytes));
done:
    return st;
}

static mco_status read_elements(session *s)
{
    mco_status st = MCO_OK;
    struct stat info;
    const bool is_standard = strcmp(s->path, "-") == 0;
    const int64_t width = mco_reduce_type_bytes(s->data.type);
    int64_t bytes = 0;
    errno = 0;
    FILE *file = is_standard ? stdin : fopen(s->path, "rb");
    if (file == NULL || fstat(fileno(file), &info) != 0)
        MCO_TRY(mco_fail(s->ctx, MCO_ERR_IO, "cannot read %s: %s", s->path, strerror(errno)));
    if (S_ISDIR(info.st_mode))
        MCO_TRY(mco_fail(s->ctx, MCO_ERR_IO, "cannot read %s: it is a folder", s->path));
    bytes = info.st_size;
    // Files of /proc and the like have size 0 and content all the same.
    if (S_ISREG(info.st_mode) && bytes > 0 && !is_standard)
        MCO_TRY(read_known(s, file, bytes));
    else
        MCO_TRY(read_stream(s, file, &bytes));
    if (ferror(file))
        MCO_TRY(mco_fail(s->ctx, MCO_ERR_IO, "cannot read %s: %s", s->path, strerror(errno)));
    if (bytes % width != 0)
        MCO_TRY(mco_fail(s->ctx, MCO_ERR_PARSE, "%s has %lld bytes, a multiple of %lld was expected (%s)", s->path, (long long)bytes,
                         (long long)width, reduce_type_name(s->data.type)));
    s->count = bytes / width;
done:
    if (file != NULL && !is_standard)
        fclose(file);
    return st;
}

// ---- Numbers as text

// Exact: an integer's digits, or the fewest digits that read back as the same number.
static void value_text(mco_reduce_type type, mco_reduce_value value, char *text, size_t size)
{
    if (type == MCO_REDUCE_U32 || type == MCO_REDUCE_U64) {
        snprintf(text, size, "%" PRIu64, value.u);
        return;
    }
    if (type == MCO_REDUCE_I32 || type == MCO_REDUCE_I64) {
        snprintf(text, size, "%" PRId64, value.i);
        return;
    }
    const bool is_single = type == MCO_REDUCE_F32;
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, value.f);
        const double back = is_single ? (double)strtof(text, NULL) : strtod(text, NULL);
        if (back == value.f)
            break;
    }
}

static void bits_text(mco_reduce_type type, uint64_t bits, char *text, size_t size)
{
    snprintf(text, size, "0x%0*" PRIx64, (int)(2 * mco_reduce_type_bytes(type)), bits);
}

// ---- The result file

static void write_sizes(mco_json *json, const void *user)
{
    const session *s = user;
    mco_json_integer(json, "count", s->count);
    mco_json_integer(json, "bytes", s->result.bytes);
    if (s->segments > 0)
        mco_json_integer(json, "segments", s->segments);
    else
        mco_json_null(json, "segments");
}

static void write_counters(mco_json *json, const void *user)
{
    const session *s = user;
    const mco_reduce_result *r = &s->result;
    mco_json_integer(json, "bytes", r->bytes);
    mco_json_real(json, "seconds", r->kernel_s);
    mco_json_real(json, "bytes_per_s", r->bytes_per_s);
    mco_json_real(json, "copy_s", r->copy_s);
    mco_json_integer(json, "chunks", r->chunks);
    mco_json_integer(json, "parts", r->parts);
}

static void write_values(mco_json *json, const session *s)
{
    char text[64];
    mco_json_open(json, "values", '[');
    for (int64_t k = 0; k < s->segments; k++) {
        value_text(s->result.value_type, s->values[k], text, sizeof text);
        mco_json_text(json, NULL, text);
    }
    mco_json_close(json, ']');
    if (s->data.op != MCO_REDUCE_ARGMIN && s->data.op != MCO_REDUCE_ARGMAX)
        return;
    mco_json_open(json, "indices", '[');
    for (int64_t k = 0; k < s->segments; k++)
        mco_json_integer(json, NULL, s->values[k].index);
    mco_json_close(json, ']');
}

static void write_solution(mco_json *json, const void *user)
{
    const session *s = user;
    const mco_reduce_result *r = &s->result;
    char text[64];
    mco_json_text(json, "type", reduce_type_name(r->value_type));
    if (s->segments > 0) {
        write_values(json, s);
        return;
    }
    value_text(r->value_type, r->value, text, sizeof text);
    mco_json_text(json, "value", text);
    bits_text(r->value_type, r->value_bits, text, sizeof text);
    mco_json_text(json, "bits", text);
    if (r->value.index >= 0)
        mco_json_integer(json, "index", r->value.index);
    else
        mco_json_null(json, "index");
}

static double as_double(mco_reduce_type type, mco_reduce_value value)
{
    if (type == MCO_REDUCE_U32 || type == MCO_REDUCE_U64)
        return (double)value.u;
    return type == MCO_REDUCE_I32 || type == MCO_REDUCE_I64 ? (double)value.i : value.f;
}

static mco_status write_json(session *s)
{
    char name[64];
    const mco_reduce_result *r = &s->result;
    const bool is_gpu = r->engine == MCO_REDUCE_ENGINE_GPU;
    snprintf(name, sizeof name, "%s of %s", reduce_op_name(s->data.op), reduce_type_name(s->data.type));
    cli_report report = {.kind = "reduce",
                         .name = s->path == NULL ? name : strcmp(s->path, "-") == 0 ? "stdin" : s->path,
                         .is_unchecked = r->engine == MCO_REDUCE_ENGINE_REFERENCE || s->params.check == MCO_REDUCE_CHECK_OFF,
                         .outcome = MCO_OUTCOME_OPTIMAL,
                         .stop = MCO_STOP_FINISHED,
                         .objective = s->segments > 0 ? NAN : as_double(r->value_type, r->value),
                         .bound = NAN,
                         .seed = s->data.seed,
                         .options = {CLI_TABLE(data_table, &s->data), engine_table(&s->params)},
                         .engine = reduce_engine_name(r->engine),
                         .threads = r->threads_used,
                         .gpus = r->gpus,
                         .gpu_count = is_gpu ? r->gpu_count : 0,
                         .start_s = s->process_start_s,
                         .solve_s = r->solve_s,
                         .device_s = r->device_s,
                         .user = s,
                         .write_sizes = write_sizes,
                         .write_counters = write_counters,
                         .write_solution = write_solution};
    return cli_write_report(s->ctx, s->outputs.json, &report);
}

// A line per value: the number, its bits, and the index where there is one.
static mco_status write_values_file(session *s)
{
    mco_output o;
    mco_status st = mco_output_open(s->ctx, s->outputs.solution, &o);
    if (st != MCO_OK)
        return st;
    const mco_reduce_type type = s->result.value_type;
    for (int64_t k = 0; k < (s->segments > 0 ? s->segments : 1); k++) {
        const mco_reduce_value v = s->segments > 0 ? s->values[k] : s->result.value;
        char text[64], bits[32];
        value_text(type, v, text, sizeof text);
        bits_text(type, reduce_value_bits(type, v), bits, sizeof bits);
        fprintf(o.file, "%s %s", text, bits);
        if (v.index >= 0)
            fprintf(o.file, " %lld", (long long)v.index);
        fputc('\n', o.file);
    }
    return mco_output_commit(s->ctx, &o, false);
}

// ---- run

static void print_summary(const session *s)
{
    const mco_reduce_result *r = &s->result;
    char text[64], bits[32];
    printf("data       %lld %s, %.3f MB, ", (long long)s->count, reduce_type_name(s->data.type), (double)r->bytes * 1e-6);
    if (s->path == NULL)
        printf("generated from seed %lld\n", (long long)s->data.seed);
    else
        printf("%s\n", s->path);
    if (s->segments > 0) {
        printf("%-10s of %lld segments of %lld (--solution F writes the values)\n", reduce_op_name(s->data.op),
               (long long)s->segments, (long long)s->length);
    } else {
        value_text(r->value_type, r->value, text, sizeof text);
        bits_text(r->value_type, r->value_bits, bits, sizeof bits);
        printf("%-10s %s   %s %s\n", reduce_op_name(s->data.op), text, reduce_type_name(r->value_type), bits);
        if (r->value.index >= 0)
            printf("index      %lld\n", (long long)r->value.index);
    }
    printf("time       %.9f s a reduction", r->kernel_s);
    if (s->params.repeat > 1)
        printf(" (median of %lld)", (long long)s->params.repeat);
    printf(", %.2f GB/s, engine %s", r->bytes_per_s * 1e-9, reduce_engine_name(r->engine));
    if (r->engine == MCO_REDUCE_ENGINE_GPU)
        printf(" (%d x %s)\n", r->gpu_count, r->gpus[0].name);
    else
        printf(" (%d thread%s)\n", r->threads_used, r->threads_used > 1 ? "s" : "");
}

// What the options leave open about the segments.
static mco_status settle_segments(session *s)
{
    const data_options *d = &s->data;
    if (d->segments > 0 && d->segment_length > 0)
        return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "--segments and --segment-length exclude each other");
    if (d->segments > 0 && s->count % d->segments != 0)
        return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "--segments is %lld and %lld elements are no multiple of it: use --segment-length",
                        (long long)d->segments, (long long)s->count);
    if ((d->segments > 0 || d->segment_length > 0) && s->count == 0)
        return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "segments were asked for and there are no elements");
    s->length = d->segments > 0 ? s->count / d->segments : d->segment_length;
    s->segments = s->length > 0 ? s->count / s->length + (s->count % s->length > 0) : 0;
    if (s->segments > MCO_REDUCE_MAX_SEGMENTS)
        return mco_fail(s->ctx, MCO_ERR_LIMIT, "%lld segments, at most %lld supported", (long long)s->segments,
                        (long long)MCO_REDUCE_MAX_SEGMENTS);
    return MCO_OK;
}

static mco_status reduce_file(session *s)
{
    mco_status st = MCO_OK;
    int64_t *offsets = NULL;
    if (s->length == 0)
        return mco_reduce(s->ctx, s->data.op, s->data.type, s->elements, s->count, &s->params, &s->result);
    MCO_TRY(mco_alloc(s->ctx, &offsets, s->segments + 1));
    for (int64_t k = 0; k <= s->segments; k++)
        offsets[k] = k < s->segments ? k * s->length : s->count;
    MCO_TRY(mco_reduce_segments(s->ctx, s->data.op, s->data.type, s->elements, offsets, s->segments, &s->params, s->values,
                                &s->result));
done:
    mco_free(s->ctx, &offsets);
    return st;
}

static mco_status reduce_data(session *s)
{
    mco_status st = MCO_OK;
    s->count = s->data.count;
    if (s->path != NULL)
        MCO_TRY(read_elements(s));
    MCO_TRY(settle_segments(s));
    MCO_TRY(cli_test_outputs(s->ctx, s->path, (const char *const[]){s->outputs.json, s->outputs.solution}, 2));
    if (s->length > 0)
        MCO_TRY(mco_alloc(s->ctx, &s->values, s->segments));
    if (s->path != NULL)
        MCO_TRY(reduce_file(s));
    else
        MCO_TRY(mco_reduce_generated(s->ctx, s->data.op, s->data.type, (uint64_t)s->data.seed, s->count, s->length, &s->params,
                                     s->values, &s->result));
done:
    return st;
}

// One file that cannot be written costs not the other.
static int write_files(session *s)
{
    int code = EXIT_USABLE;
    if (s->outputs.json != NULL)
        code = cli_tell(s->ctx, write_json(s), code);
    if (s->outputs.solution != NULL)
        code = cli_tell(s->ctx, write_values_file(s), code);
    return code;
}

static int run(session *s)
{
    int code = cli_tell(s->ctx, reduce_data(s), EXIT_USABLE);
    if (code == EXIT_USABLE)
        code = write_files(s);
    if (code == EXIT_USABLE && cli_prints_summary(&s->outputs))
        print_summary(s);
    mco_free(s->ctx, &s->values);
    mco_free(s->ctx, &s->elements);
    return code;
}

// A file or a count, one of them.
static mco_status settle_source(session *s, const cli_arguments *a)
{
    const bool has_file = a->positional_count > 0;
    if (has_file == (s->data.count >= 0))
        return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "%s; usage: %s",
                        has_file ? "a file and --count exclude each other" : "a file or --count is needed", a->usage);
    s->path = has_file ? a->positional[0] : NULL;
    return MCO_OK;
}

static int run_action(const cli_call *call)
{
    session s = {.ctx = call->ctx, .data = data_defaults, .params = MCO_REDUCE_PARAMS_INIT,
                 .result = MCO_REDUCE_RESULT_INIT, .process_start_s = call->start_s};
    cli_arguments a = {.tables = {CLI_TABLE(data_table, &s.data), engine_table(&s.params), CLI_TABLE(output_table, &s.outputs)},
                       .positional_most = 1,
                       .usage = "mco reduce run [OPTIONS] --count N | FILE (see mco help reduce)"};
    s.params.check = MCO_REDUCE_CHECK_FULL;
    mco_status st = cli_parse(call, &a);
    if (st == MCO_OK)
        st = settle_source(&s, &a);
    if (st != MCO_OK)
        return cli_tell(call->ctx, st, EXIT_USABLE);
    cli_log_settings(call->ctx, &s.outputs);
    return run(&s);
}

// ---- generate

static mco_status write_generated(mco_context *ctx, const generate_options *g, FILE *file)
{
    enum { BUFFER_BYTES = 1 << 20 };
    mco_status st = MCO_OK;
    char *buffer = NULL;
    const int64_t width = mco_reduce_type_bytes(g->type), at_once = BUFFER_BYTES / width;
    MCO_TRY(mco_alloc(ctx, &buffer, BUFFER_BYTES));
    for (int64_t i = 0; i < g->count && !ferror(file); i += at_once) {
        const int64_t count = g->count - i < at_once ? g->count - i : at_once;
        MCO_TRY(mco_reduce_generate(ctx, g->type, (uint64_t)g->seed, i, count, buffer));
        fwrite(buffer, (size_t)width, (size_t)count, file);  // an error shows at the end
        if (mco_is_cancelled(ctx))
            MCO_TRY(mco_fail(ctx, MCO_ERR_IO, "interrupted after %lld of %lld elements", (long long)(i + count),
                             (long long)g->count));
    }
done:
    mco_free(ctx, &buffer);
    return st;
}

static int generate_action(const cli_call *call)
{
    mco_status st = MCO_OK;
    mco_context *ctx = call->ctx;
    mco_output o = {0};
    generate_options g = generate_defaults;
    cli_arguments a = {.tables = {CLI_TABLE(generate_table, &g)},
                       .usage = "mco reduce generate --count N [--type T] [--seed K] [--output F]"};
    MCO_TRY(cli_parse(call, &a));
    if (g.count < 0)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "usage: %s", a.usage));
    MCO_TRY(mco_output_open(ctx, g.output != NULL ? g.output : "-", &o));
    cli_catch_signals(ctx);
    MCO_TRY(write_generated(ctx, &g, o.file));
    MCO_TRY(mco_output_commit(ctx, &o, false));
done:
    if (st != MCO_OK)
        mco_output_discard(&o);
    return cli_tell(ctx, st, EXIT_USABLE);
}

static void help(FILE *file)
{
    data_options data = data_defaults;
    mco_reduce_params params = MCO_REDUCE_PARAMS_INIT;
    cli_outputs outputs = {0};
    generate_options g = generate_defaults;
    params.check = MCO_REDUCE_CHECK_FULL;
    fputs("Reduction of an array to one value, or of its segments to one each. Every engine gives the same\n"
          "bits, floating point included.\n\n"
          "  mco reduce run      [OPTIONS] --count N | FILE\n"
          "  mco reduce generate --count N [--type T] [--seed K] [--output F]\n\n"
          "FILE holds the elements one after another, little-endian, and nothing else (- for standard input).\n"
          "Generated floats are uniform in [-1, 1), integers in all of their range. Defaults stand in brackets.\n\n"
          "run:\n",
          file);
    cli_help(file, CLI_TABLE(data_table, &data));
    cli_help(file, engine_table(&params));
    cli_help(file, CLI_TABLE(output_table, &outputs));
    fputs("\ngenerate:\n", file);
    cli_help(file, CLI_TABLE(generate_table, &g));
    fputs("\nexit codes: 0 a value, 2 usage, 3 file, 4 memory or device, 5 internal\n", file);
}

const cli_problem cli_reduce = {
    .name = "reduce",
    .text = "reduction: sum, minimum, place of the minimum, ... of an array, at memory speed",
    .help = help,
    .actions = {{"run", run_action}, {"generate", generate_action}},
};
