// SPDX-License-Identifier: MIT
// mco guillotine solve | check | generate
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "guillotine/formats.h"
#include "guillotine/options.h"
#include "mco/guillotine.h"
#include "mco/version.h"

// In the summary; more are for a file.
enum { MOST_PRINTED_CUTS = 40, MOST_PRINTED_FILES = 40 };

static const char *const engine_names[] = {"auto", "cpu", "gpu", "reference"};

// ---- Options beside those of the library

#define FILE_OPTIONS(TEXT)                                                                                              \
    TEXT(batch, "--batch", "LIST",                                                                                      \
         "solve the files that LIST names: one a line, relative to LIST; \"FILE x8\" eight times; # begins a comment") \
    TEXT(table, "--table", "F", "compute the values of all rectangles and write them: CSV if F ends in .csv, else binary")

typedef struct file_options {
    FILE_OPTIONS(MCO_FIELD_TEXT)
} file_options;
#define MCO_OPTION_STRUCT file_options
static const mco_option file_table[] = {FILE_OPTIONS(MCO_OPTION_TEXT_ENTRY)};

#undef MCO_OPTION_STRUCT
#define MCO_OPTION_STRUCT cli_outputs
static const mco_option output_table[] = {
    MCO_OPTION_TEXT_ENTRY(json, "--json", "F", "write the result file")
    MCO_OPTION_TEXT_ENTRY(solution, "--solution", "F", "write the plan: a list of cuts if F ends in .txt, else a JSON tree")
    MCO_OPTION_TEXT_ENTRY(plot, "--plot", "F.svg", "draw the plan")
    MCO_OPTION_FLAG_ENTRY(quiet, "--quiet", "no log")
    MCO_OPTION_FLAG_ENTRY(verbose, "-v", "a more detailed log")
};

static cli_table solver_table(mco_guillotine_params *params)
{
    cli_table table = {.params = params};
    table.options = guillotine_options(&table.count);
    return table;
}

// Those of them that say what a plan may be: from --rotate to --kerf.
static cli_table rule_table(mco_guillotine_params *params)
{
    cli_table table = solver_table(params);
    const mco_option *end = table.options;
    while (table.options->offset != offsetof(mco_guillotine_params, rotate))
        table.options++;
    while (end->offset != offsetof(mco_guillotine_params, kerf))
        end++;
    table.count = (size_t)(end - table.options) + 1;
    return table;
}

// One solve of the command.
typedef struct session {
    mco_context *ctx;
    mco_guillotine_params params;
    file_options files;
    cli_outputs outputs;
    mco_guillotine *problem;
    mco_guillotine_result result;
    mco_status *plan_status;  // of the plan in the result file
    double process_start_s;
} session;

static bool ends_with(const char *text, const char *end)
{
    const size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

// ---- The result file

static void write_sizes(mco_json *json, const void *user)
{
    const session *s = user;
    mco_json_integer(json, "width", mco_guillotine_width(s->problem));
    mco_json_integer(json, "height", mco_guillotine_height(s->problem));
    mco_json_integer(json, "pieces", mco_guillotine_pieces(s->problem));
}

static void write_counters(mco_json *json, const void *user)
{
    const mco_guillotine_result *r = &((const session *)user)->result;
    mco_json_integer(json, "patterns_x", r->patterns_x);
    mco_json_integer(json, "patterns_y", r->patterns_y);
    mco_json_integer(json, "relaxations", r->relaxations);
    mco_json_integer(json, "relaxations_skipped", r->relaxations_skipped);
    mco_json_integer(json, "pieces_too_large", r->pieces_too_large);
    mco_json_text(json, "simd", r->simd_used);
    mco_json_integer(json, "value_bits", r->value_bits);
    mco_json_integer(json, "passes", r->passes);
    mco_json_integer(json, "table_bytes", r->table_bytes);
    mco_json_real(json, "copy_s", r->copy_s);
}

// The value in all its digits, which the objective, a double, may lack.
static void write_value(mco_json *json, const mco_guillotine_result *r)
{
    if (r->nodes == NULL) {
        mco_json_null(json, "value");
        mco_json_null(json, "bound");
        mco_json_null(json, "waste");
        return;
    }
    mco_json_integer(json, "value", r->value);
    mco_json_integer(json, "bound", r->bound);
    mco_json_real(json, "waste", r->waste);
}

static void write_solution(mco_json *json, const void *user)
{
    const session *s = user;
    const mco_guillotine_result *r = &s->result;
    write_value(json, r);
    mco_json_integer(json, "pieces_used", r->pieces_used);
    *s->plan_status = guillotine_plan_to_json(s->ctx, s->problem, r->nodes, r->node_count, json, "plan");
}

static mco_status write_json(session *s)
{
    const mco_guillotine_result *r = &s->result;
    mco_status plan_status = MCO_OK;
    s->plan_status = &plan_status;
    cli_report report = {.kind = "guillotine",
                         .name = mco_guillotine_name(s->problem),
                         .outcome = r->outcome,
                         .stop = r->stop,
                         .objective = (double)r->value,
                         .bound = (double)r->bound,
                         .options = {solver_table(&s->params), CLI_TABLE(file_table, &s->files)},
                         .engine = engine_names[r->engine],
                         .threads = r->threads_used,
                         .gpus = &r->gpu,
                         .gpu_count = r->has_gpu ? 1 : 0,
                         .start_s = s->process_start_s,
                         .solve_s = r->solve_s,
                         .device_s = r->device_s,
                         .user = s,
                         .write_sizes = write_sizes,
                         .write_counters = write_counters,
                         .write_solution = write_solution};
    const mco_status st = cli_write_report(s->ctx, s->outputs.json, &report);
    return st != MCO_OK ? st : plan_status;
}

static mco_status write_cuts(session *s)
{
    mco_status st = MCO_OK;
    mco_output o = {0};
    MCO_TRY(mco_output_open(s->ctx, s->outputs.solution, &o));
    MCO_TRY(guillotine_plan_to_cuts(s->ctx, s->problem, s->result.nodes, s->result.node_count, o.file));
    MCO_TRY(mco_output_commit(s->ctx, &o, false));
done:
    if (st != MCO_OK)
        mco_output_discard(&o);
    return st;
}

// One file that cannot be written costs none of the others.
static int write_files(session *s, int code)
{
    const cli_outputs *o = &s->outputs;
    const mco_guillotine_result *r = &s->result;
    if (o->json != NULL)
        code = cli_tell(s->ctx, write_json(s), code);
    if (o->solution != NULL && ends_with(o->solution, ".txt"))
        code = cli_tell(s->ctx, write_cuts(s), code);
    else if (o->solution != NULL)
        code = cli_tell(s->ctx, mco_guillotine_write_plan(s->ctx, s->problem, r->nodes, r->node_count, r->value, o->solution),
                        code);
    if (o->plot != NULL)
        code = cli_tell(s->ctx, mco_guillotine_plot(s->ctx, s->problem, r->nodes, r->node_count, o->plot), code);
    if (s->files.table != NULL && r->stop != MCO_STOP_FINISHED)
        code = cli_tell(s->ctx, mco_fail(s->ctx, MCO_ERR_ARGUMENT, "nothing is written to %s: the table is not complete (%s)",
                                         s->files.table, mco_stop_text(r->stop)), EXIT_NONE);
    else if (s->files.table != NULL)
        code = cli_tell(s->ctx, mco_guillotine_write_table(s->ctx, &r->table, s->files.table), code);
    return code;
}

// ---- The summary

static void print_engine(const mco_guillotine_result *r, int threads)
{
    cli_print_engine(engine_names[r->engine], r->has_gpu ? &r->gpu : NULL, r->device_s, threads, r->simd_used);
    printf("\n");
}

static void print_relaxations(int64_t evaluated, int64_t skipped)
{
    const double all = (double)evaluated + (double)skipped;
    printf(", %lld relaxations, %lld skipped (%.1f%%)", (long long)evaluated, (long long)skipped,
           all > 0 ? 100.0 * (double)skipped / all : 0.0);
}

static mco_status print_plan(const session *s)
{
    const mco_guillotine_result *r = &s->result;
    int64_t cuts = 0;
    for (int64_t k = 0; k < r->node_count; k++)
        cuts += r->nodes[k].kind == MCO_GUILLOTINE_CUT_NODE;
    printf("waste      %.3f%%\n", 100.0 * r->waste);
    printf("pieces     %lld on the plate\n", (long long)r->pieces_used);
    if (cuts > MOST_PRINTED_CUTS) {
        printf("cuts       %lld (--solution F.txt lists them)\n", (long long)cuts);
        return MCO_OK;
    }
    printf("cuts       %lld\n", (long long)cuts);
    return guillotine_plan_to_cuts(s->ctx, s->problem, r->nodes, r->node_count, stdout);
}

static mco_status print_summary(const session *s)
{
    const mco_guillotine_result *r = &s->result;
    printf("instance   %s, plate %d x %d, %lld pieces", mco_guillotine_name(s->problem), mco_guillotine_width(s->problem),
           mco_guillotine_height(s->problem), (long long)mco_guillotine_pieces(s->problem));
    if (r->pieces_too_large > 0)
        printf(", %lld of them larger than the plate", (long long)r->pieces_too_large);
    printf("\noutcome    %s (%s)\n", mco_outcome_text(r->outcome), mco_stop_text(r->stop));
    printf("value      %lld\n", (long long)r->value);
    printf("bound      %lld", (long long)r->bound);
    if (r->value > 0)
        printf("   gap %.2f%%", 100.0 * (double)(r->bound - r->value) / (double)r->value);
    printf("\npatterns   |X| %lld, |Y| %lld", (long long)r->patterns_x, (long long)r->patterns_y);
    if (r->stop == MCO_STOP_FINISHED)
        print_relaxations(r->relaxations, r->relaxations_skipped);
    printf("\ntime       %.3f s, ", r->solve_s);
    print_engine(r, r->threads_used);
    return print_plan(s);
}

static bool prints_summary(const session *s)
{
    return cli_prints_summary(&s->outputs) && !cli_is_stdout(s->files.table);
}

// ---- solve

static mco_status test_outputs(const session *s, const char *input)
{
    const char *const paths[] = {s->outputs.json, s->outputs.solution, s->outputs.plot, s->files.table};
    return cli_test_outputs(s->ctx, input, paths, sizeof paths / sizeof paths[0]);
}

// The time limit counts from the start of the process. Returns it as it was given.
static double begin_solve(session *s)
{
    const double limit_s = s->params.time_limit_s;
    cli_catch_signals(s->ctx);
    s->params.time_limit_s = cli_time_left(limit_s, s->process_start_s);
    return limit_s;
}

static int solve(session *s, const char *path)
{
    mco_status st = MCO_OK;
    int code = EXIT_USABLE;
    MCO_TRY(mco_guillotine_read(s->ctx, path, &s->problem));
    MCO_TRY(test_outputs(s, path));
    s->params.wants_table = s->files.table != NULL;
    const double limit_s = begin_solve(s);
    MCO_TRY(mco_guillotine_solve(s->ctx, s->problem, &s->params, &s->result));
    s->params.time_limit_s = limit_s;
    code = write_files(s, code);
    if (prints_summary(s))
        code = cli_tell(s->ctx, print_summary(s), code);
done:
    code = cli_tell(s->ctx, st, code);
    mco_guillotine_result_clear(s->ctx, &s->result);
    mco_guillotine_destroy(s->ctx, &s->problem);
    return code;
}

// ---- solve --batch

typedef struct batch {
    session *session;
    cli_list list;
    mco_guillotine **files;           // [list.file_count]
    const mco_guillotine **problems;  // [list.count] each one of the files
    mco_guillotine_result *results;   // [list.count]
    double solve_s;
} batch;

static mco_status read_batch(batch *b, const char *path)
{
    mco_status st = MCO_OK;
    mco_context *ctx = b->session->ctx;
    MCO_TRY(cli_read_list(ctx, path, &b->list));
    MCO_TRY(mco_alloc(ctx, &b->files, b->list.file_count));
    MCO_TRY(mco_alloc(ctx, &b->problems, b->list.count));
    MCO_TRY(mco_alloc(ctx, &b->results, b->list.count));
    for (int64_t k = 0; k < b->list.file_count; k++)
        MCO_TRY(mco_guillotine_read(ctx, b->list.paths[k], &b->files[k]));
    for (int64_t k = 0; k < b->list.count; k++) {
        b->problems[k] = b->files[b->list.file_of[k]];
        b->results[k] = (mco_guillotine_result)MCO_GUILLOTINE_RESULT_INIT;
    }
done:
    return st;
}

static void clear_batch(batch *b)
{
    mco_context *ctx = b->session->ctx;
    for (int64_t k = 0; b->results != NULL && k < b->list.count; k++)
        mco_guillotine_result_clear(ctx, &b->results[k]);
    for (int64_t k = 0; b->files != NULL && k < b->list.file_count; k++)
        mco_guillotine_destroy(ctx, &b->files[k]);
    mco_free(ctx, &b->results);
    mco_free(ctx, &b->problems);
    mco_free(ctx, &b->files);
    cli_clear_list(ctx, &b->list);
}

// Sums over the results.
typedef struct totals {
    int64_t solved, with_plan, relaxations, skipped;  // solved: to the optimum
    mco_outcome outcome;  // OPTIMAL if all are, else FEASIBLE if all have a plan
    mco_stop stop;        // of the first that did not finish
    double device_s;
} totals;

static totals total(const batch *b)
{
    totals t = {.outcome = MCO_OUTCOME_OPTIMAL, .stop = MCO_STOP_FINISHED};
    for (int64_t k = 0; k < b->list.count; k++) {
        const mco_guillotine_result *r = &b->results[k];
        t.solved += r->outcome == MCO_OUTCOME_OPTIMAL;
        t.with_plan += r->nodes != NULL;
        t.relaxations += r->relaxations;
        t.skipped += r->relaxations_skipped;
        t.device_s += r->device_s;
        if (t.stop == MCO_STOP_FINISHED)
            t.stop = r->stop;
    }
    if (t.solved < b->list.count)
        t.outcome = t.with_plan == b->list.count ? MCO_OUTCOME_FEASIBLE : MCO_OUTCOME_UNKNOWN;
    return t;
}

// One that tells of the engine; problems that a stop left undone do not.
static const mco_guillotine_result *first_done(const batch *b)
{
    int64_t k = 0;
    while (k + 1 < b->list.count && b->results[k].nodes == NULL)
        k++;
    return &b->results[k];
}

// Each problem is solved by one of them; a result tells of its own.
static int batch_threads(const batch *b)
{
    const int64_t wanted = b->session->params.threads > 0 ? b->session->params.threads : mco_cpu_count();
    return first_done(b)->has_gpu ? first_done(b)->threads_used : (int)(wanted < b->list.count ? wanted : b->list.count);
}

static double problems_per_s(const batch *b)
{
    return b->solve_s > 0 ? (double)total(b).solved / b->solve_s : NAN;
}

static void write_batch_sizes(mco_json *json, const void *user)
{
    const batch *b = user;
    mco_json_integer(json, "problems", b->list.count);
    mco_json_integer(json, "files", b->list.file_count);
}

static void write_batch_counters(mco_json *json, const void *user)
{
    const batch *b = user;
    const totals t = total(b);
    mco_json_integer(json, "problems", b->list.count);
    mco_json_integer(json, "solved", t.solved);
    mco_json_real(json, "problems_per_s", problems_per_s(b));
    mco_json_integer(json, "relaxations", t.relaxations);
    mco_json_integer(json, "relaxations_skipped", t.skipped);
    mco_json_text(json, "simd", first_done(b)->simd_used);
}

static void write_batch_solution(mco_json *json, const void *user)
{
    const batch *b = user;
    mco_json_open(json, "problems", '[');
    for (int64_t k = 0; k < b->list.count; k++) {
        const mco_guillotine_result *r = &b->results[k];
        mco_json_open(json, NULL, '{');
        mco_json_text(json, "file", b->list.names[b->list.file_of[k]]);
        mco_json_text(json, "outcome", mco_outcome_text(r->outcome));
        write_value(json, r);
        mco_json_integer(json, "patterns_x", r->patterns_x);
        mco_json_integer(json, "patterns_y", r->patterns_y);
        mco_json_close(json, '}');
    }
    mco_json_close(json, ']');
}

static mco_status write_batch_json(const batch *b)
{
    session *s = b->session;
    const mco_guillotine_result *first = first_done(b);
    const totals t = total(b);
    cli_report report = {.kind = "guillotine",
                         .name = strcmp(s->files.batch, "-") == 0 ? "stdin" : s->files.batch,
                         .outcome = t.outcome,
                         .stop = t.stop,
                         .objective = NAN,
                         .bound = NAN,
                         .options = {solver_table(&s->params), CLI_TABLE(file_table, &s->files)},
                         .engine = engine_names[first->engine],
                         .threads = batch_threads(b),
                         .gpus = &first->gpu,
                         .gpu_count = first->has_gpu ? 1 : 0,
                         .start_s = s->process_start_s,
                         .solve_s = b->solve_s,
                         .device_s = t.device_s,
                         .user = b,
                         .write_sizes = write_batch_sizes,
                         .write_counters = write_batch_counters,
                         .write_solution = write_batch_solution};
    return cli_write_report(s->ctx, s->outputs.json, &report);
}

static void print_batch(const batch *b)
{
    const totals t = total(b);
    printf("batch      %s, %lld problem%s from %lld file%s\n", b->session->files.batch, (long long)b->list.count,
           mco_plural(b->list.count), (long long)b->list.file_count, mco_plural(b->list.file_count));
    printf("outcome    %s (%s)\n", mco_outcome_text(t.outcome), mco_stop_text(t.stop));
    printf("solved     %lld", (long long)t.solved);
    print_relaxations(t.relaxations, t.skipped);
    printf("\ntime       %.3f s, %.1f problems/s, ", b->solve_s, problems_per_s(b));
    print_engine(first_done(b), batch_threads(b));
    if (b->list.file_count > MOST_PRINTED_FILES) {
        printf("values     of %lld files (--json F lists them)\n", (long long)b->list.file_count);
        return;
    }
    for (int64_t k = 0; k < b->list.file_count; k++) {
        const mco_guillotine_result *r = &b->results[b->list.first[k]];
        if (r->nodes != NULL)
            printf("value      %12lld  waste %7.3f%%  %s", (long long)r->value, 100.0 * r->waste, b->list.names[k]);
        else
            printf("value      %12s  %s", mco_outcome_text(r->outcome), b->list.names[k]);
        if (r->outcome == MCO_OUTCOME_FEASIBLE)
            printf(" (feasible, bound %lld)", (long long)r->bound);
        printf("\n");
    }
}

static mco_status refuse_plan_outputs(const session *s)
{
    const char *flag = s->outputs.solution != NULL ? "--solution" : s->outputs.plot != NULL ? "--plot"
                       : s->files.table != NULL    ? "--table"
                                                   : NULL;
    if (flag == NULL)
        return MCO_OK;
    return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "%s is for one problem: leave it out with --batch", flag);
}

static int solve_batch(session *s)
{
    mco_status st = MCO_OK;
    int code = EXIT_USABLE;
    batch b = {.session = s};
    MCO_TRY(refuse_plan_outputs(s));
    MCO_TRY(read_batch(&b, s->files.batch));
    MCO_TRY(test_outputs(s, s->files.batch));
    const double limit_s = begin_solve(s), begin_s = mco_clock_s();
    MCO_TRY(mco_guillotine_solve_batch(s->ctx, b.problems, b.list.count, &s->params, b.results));
    b.solve_s = mco_clock_s() - begin_s;
    s->params.time_limit_s = limit_s;
    if (s->outputs.json != NULL)
        code = cli_tell(s->ctx, write_batch_json(&b), code);
    if (prints_summary(s))
        print_batch(&b);
    if (total(&b).with_plan == 0 && code == EXIT_USABLE)
        code = EXIT_NONE;
done:
    code = cli_tell(s->ctx, st, code);
    clear_batch(&b);
    return code;
}

static int solve_action(const cli_call *call)
{
    mco_status st = MCO_OK;
    session s = {.ctx = call->ctx, .params = MCO_GUILLOTINE_PARAMS_INIT, .result = MCO_GUILLOTINE_RESULT_INIT,
                 .process_start_s = call->start_s};
    cli_arguments a = {.tables = {solver_table(&s.params), CLI_TABLE(file_table, &s.files), CLI_TABLE(output_table, &s.outputs)},
                       .positional_most = 1,
                       .usage = "mco guillotine solve [OPTIONS] FILE | --batch LIST (see mco help guillotine)"};
    MCO_TRY(cli_parse(call, &a));
    if ((a.positional_count > 0) == (s.files.batch != NULL))
        MCO_TRY(mco_fail(call->ctx, MCO_ERR_ARGUMENT, "%s; usage: %s",
                         s.files.batch != NULL ? "a file and --batch exclude each other" : "a file or --batch is needed", a.usage));
    cli_log_settings(call->ctx, &s.outputs);
    return s.files.batch != NULL ? solve_batch(&s) : solve(&s, a.positional[0]);
done:
    return cli_tell(call->ctx, st, EXIT_USABLE);
}

// ---- check

// A plan that is none, or is worth something else than its file says, fails the check.
static int check_plan(mco_context *ctx, const mco_guillotine *problem, const mco_guillotine_params *params,
                      const mco_guillotine_node *nodes, int64_t count, int64_t stated)
{
    int64_t value = 0, area = 0, pieces = 0;
    mco_status st = mco_guillotine_check(ctx, problem, params, nodes, count, &value);
    if (st != MCO_OK)
        return cli_tell(ctx, st, st == MCO_ERR_ARGUMENT ? EXIT_NONE : EXIT_USABLE);
    for (int64_t k = 0; k < count; k++)
        if (nodes[k].kind == MCO_GUILLOTINE_PIECE) {
            area += (int64_t)nodes[k].width * nodes[k].height;
            pieces++;
        }
    const double plate = (double)mco_guillotine_width(problem) * mco_guillotine_height(problem);
    if (stated >= 0 && stated != value)
        return cli_tell(ctx, mco_fail(ctx, MCO_ERR_ARGUMENT, "the plan is worth %lld, its file says %lld", (long long)value,
                                      (long long)stated), EXIT_NONE);
    printf("valid: value %lld, %lld pieces, waste %.3f%%\n", (long long)value, (long long)pieces,
           100.0 * (1 - (double)area / plate));
    return EXIT_USABLE;
}

static int check(const cli_call *call)
{
    mco_status st = MCO_OK;
    mco_context *ctx = call->ctx;
    int code = EXIT_USABLE;
    mco_guillotine_params params = MCO_GUILLOTINE_PARAMS_INIT;
    mco_guillotine *problem = NULL;
    mco_guillotine_node *nodes = NULL;
    int64_t count = 0, stated = -1;
    cli_arguments a = {.tables = {rule_table(&params)}, .positional_least = 2, .positional_most = 2,
                       .usage = "mco guillotine check [--rotate] [--stages K] [--first-cut C] [--kerf U] FILE SOLUTION"};
    MCO_TRY(cli_parse(call, &a));
    MCO_TRY(mco_guillotine_read(ctx, a.positional[0], &problem));
    st = mco_guillotine_read_plan(ctx, problem, a.positional[1], &nodes, &count, &stated);
    if (st == MCO_ERR_PARSE) {
        code = cli_tell(ctx, st, EXIT_NONE);
        st = MCO_OK;
        goto done;
    }
    MCO_TRY(st);
    code = check_plan(ctx, problem, &params, nodes, count, stated);
done:
    code = cli_tell(ctx, st, code);
    mco_guillotine_nodes_free(ctx, &nodes);
    mco_guillotine_destroy(ctx, &problem);
    return code;
}

// ---- generate

#define GENERATE_OPTIONS(INTEGER, TEXT)                                                          \
    INTEGER(width, "--width", -1, 1, MCO_GUILLOTINE_MAX_SIDE, -1, "W", "width of the plate")     \
    INTEGER(height, "--height", -1, 1, MCO_GUILLOTINE_MAX_SIDE, -1, "H", "height of the plate") \
    INTEGER(pieces, "--pieces", -1, 1, MCO_GUILLOTINE_MAX_PIECES, -1, "N", "pieces")             \
    INTEGER(seed, "--seed", 1, 0, 9007199254740992, -1, "K", "seed")                             \
    TEXT(output, "--output", "F", "where to write, CSV if F ends in .csv; standard output without it")

typedef struct generate_options {
    GENERATE_OPTIONS(MCO_FIELD_INTEGER, MCO_FIELD_TEXT)
} generate_options;
#undef MCO_OPTION_STRUCT
#define MCO_OPTION_STRUCT generate_options
static const mco_option generate_table[] = {GENERATE_OPTIONS(MCO_OPTION_INTEGER_ENTRY, MCO_OPTION_TEXT_ENTRY)};
static const generate_options generate_defaults = {.width = -1, .height = -1, .pieces = -1, .seed = 1};

static int generate(const cli_call *call)
{
    mco_status st = MCO_OK;
    mco_context *ctx = call->ctx;
    generate_options g = generate_defaults;
    mco_guillotine *problem = NULL;
    cli_arguments a = {.tables = {CLI_TABLE(generate_table, &g)}, .positional_least = 1, .positional_most = 1,
                       .usage = "mco guillotine generate testcut|randcut --width W --height H --pieces N [--seed K] [--output F]"};
    MCO_TRY(cli_parse(call, &a));
    const bool is_testcut = strcmp(a.positional[0], "testcut") == 0;
    if (!is_testcut && strcmp(a.positional[0], "randcut") != 0)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "\"%s\" cannot be generated, one of testcut|randcut was expected", a.positional[0]));
    if (g.width < 0 || g.height < 0 || g.pieces < 0)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "usage: %s", a.usage));
    if (is_testcut)
        MCO_TRY(mco_guillotine_testcut(ctx, (int32_t)g.width, (int32_t)g.height, (int32_t)g.pieces, g.seed, &problem));
    else
        MCO_TRY(mco_guillotine_randcut(ctx, (int32_t)g.width, (int32_t)g.height, (int32_t)g.pieces, g.seed, &problem));
    MCO_TRY(mco_guillotine_write(ctx, problem, g.output != NULL ? g.output : "-"));
done:
    mco_guillotine_destroy(ctx, &problem);
    return cli_tell(ctx, st, EXIT_USABLE);
}

static void help(FILE *file)
{
    mco_guillotine_params params = MCO_GUILLOTINE_PARAMS_INIT;
    file_options files = {0};
    cli_outputs outputs = {0};
    generate_options g = generate_defaults;
    fputs("Guillotine cutting of a plate: cuts from edge to edge, any number of each piece, greatest value.\n\n"
          "  mco guillotine solve    [OPTIONS] FILE\n"
          "  mco guillotine solve    [OPTIONS] --batch LIST\n"
          "  mco guillotine check    [--rotate] [--stages K] [--first-cut C] [--kerf U] FILE SOLUTION\n"
          "  mco guillotine generate testcut|randcut --width W --height H --pieces N [--seed K] [--output F]\n\n"
          "FILE holds a plate and its pieces (OR-Library's format or CSV, plain or gzip, - for standard input).\n"
          "SOLUTION is a result file or the JSON that --solution wrote. testcut: pieces small, middle and large at random;\n"
          "randcut: the plate cut at random, so that nothing of it is lost. Defaults stand in brackets.\n\n"
          "solve:\n",
          file);
    cli_help(file, solver_table(&params));
    cli_help(file, CLI_TABLE(file_table, &files));
    cli_help(file, CLI_TABLE(output_table, &outputs));
    fputs("\ngenerate:\n", file);
    cli_help(file, CLI_TABLE(generate_table, &g));
    fputs("\nexit codes: 0 usable result, 1 none found or check failed, 2 usage, 3 file, 4 memory or device, 5 internal\n", file);
}

const cli_problem cli_guillotine = {
    .name = "guillotine",
    .text = "two-dimensional guillotine cutting of a plate: proven optimum and plan of cuts",
    .help = help,
    .actions = {{"solve", solve_action}, {"check", check}, {"generate", generate}},
};
