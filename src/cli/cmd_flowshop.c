// SPDX-License-Identifier: MIT
// mco flowshop solve | check | bound | generate
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/cli.h"
#include "flowshop/options.h"
#include "mco/flowshop.h"

// One solve of the command.
typedef struct session {
    mco_context *ctx;
    mco_flowshop *shop;
    mco_flowshop_params params;
    cli_outputs outputs;
    mco_flowshop_result result;
    int32_t *start;
    double process_start_s;
    cli_updates updates;  // of the file under --solution
} session;

static cli_table solver_table(mco_flowshop_params *params)
{
    cli_table table = {.params = params};
    table.options = flowshop_options(&table.count);
    return table;
}

// A file; or, where no such file is, one of Taillard's instances by name.
static mco_status open_instance(mco_context *ctx, const char *name, int64_t which, mco_flowshop **out)
{
    bool is_file = strcmp(name, "-") == 0 || access(name, F_OK) == 0;
    bool is_taillard = strlen(name) == 5 && strncasecmp(name, "ta", 2) == 0 && strspn(name + 2, "0123456789") == 3;
    if (!is_file && is_taillard && which > 1)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s is one instance, number %lld was asked for", name, (long long)which);
    if (!is_file && is_taillard)
        return mco_flowshop_taillard(ctx, name, out);
    return mco_flowshop_read(ctx, name, (int32_t)which, out);
}

// ---- solve

static void write_sizes(mco_json *json, const void *user)
{
    const session *s = user;
    mco_json_integer(json, "jobs", mco_flowshop_jobs(s->shop));
    mco_json_integer(json, "machines", mco_flowshop_machines(s->shop));
}

static void write_counters(mco_json *json, const void *user)
{
    const session *s = user;
    const mco_flowshop_result *r = &s->result;
    const int64_t n = mco_flowshop_jobs(s->shop);
    static const char *const bounds[] = {"auto", "lb1", "lb2"};
    static const char *const rules[] = {"auto", "forward", "backward", "alternate", "minbranch", "minmin", "maxsum"};
    mco_json_integer(json, "iterations", r->iterations);
    mco_json_real(json, "heuristic_s", r->heuristic_s);
    mco_json_text(json, "simd", r->simd_used);
    if (r->nodes_by_depth == NULL)
        return;
    mco_json_text(json, "bound", bounds[r->bound_used]);
    mco_json_text(json, "branching", rules[r->branching_used]);
    if (r->upper_bound_used >= 0)
        mco_json_integer(json, "rule_bound", r->upper_bound_used);
    mco_json_integer(json, "nodes", r->nodes);
    mco_json_integer(json, "nodes_resumed", r->nodes_resumed);
    mco_json_integer(json, "bounds", r->bounds);
    mco_json_integer(json, "leaves", r->leaves);
    mco_json_integer(json, "steals", r->steals);
    mco_json_counts(json, "nodes_by_depth", r->nodes_by_depth, n + 1);
    mco_json_open(json, "children_by_depth", '[');
    for (int64_t d = 0; d <= n; d++) {
        const int64_t *row = r->children_by_depth + d * r->children_columns;
        int64_t used = r->children_columns;
        while (used > 0 && row[used - 1] == 0)
            used--;
        mco_json_counts(json, NULL, row, used);
    }
    mco_json_close(json, ']');
}

static void write_history(mco_json *json, const void *user)
{
    const session *s = user;
    for (int64_t i = 0; i < s->result.history_count; i++) {
        const mco_flowshop_improvement *h = &s->result.history[i];
        cli_write_history_entry(json, h->time_s, (double)h->makespan, (double)h->bound);
    }
}

static void write_solution(mco_json *json, const void *user)
{
    const session *s = user;
    if (s->result.order != NULL)
        mco_json_integers(json, "order", s->result.order, mco_flowshop_jobs(s->shop), 1);
}

static mco_status write_json(session *s)
{
    char engine[32];
    const mco_flowshop_result *r = &s->result;
    cli_report report = {.kind = "flowshop",
                         .name = mco_flowshop_name(s->shop),
                         .outcome = r->outcome,
                         .stop = r->stop,
                         .objective = r->makespan >= 0 ? (double)r->makespan : NAN,
                         .bound = (double)r->bound,
                         .seed = s->params.seed,
                         .options = {solver_table(&s->params), cli_input_table(&s->outputs)},
                         .engine = flowshop_engine_name(r->engine, engine, sizeof engine),
                         .threads = r->threads_used,
                         .gpus = r->gpus,
                         .gpu_count = r->gpu_count,
                         .start_s = s->process_start_s,
                         .solve_s = r->solve_s,
                         .device_s = r->device_s,
                         .user = s,
                         .write_sizes = write_sizes,
                         .write_counters = write_counters,
                         .write_history = write_history,
                         .write_solution = write_solution};
    return cli_write_report(s->ctx, s->outputs.json, &report);
}

static mco_status write_history_csv(session *s)
{
    mco_output o;
    mco_status st = mco_output_open(s->ctx, s->outputs.history, &o);
    if (st != MCO_OK)
        return st;
    fprintf(o.file, "time_s,makespan,bound\n");
    for (int64_t i = 0; i < s->result.history_count; i++) {
        const mco_flowshop_improvement *h = &s->result.history[i];
        fprintf(o.file, "%.6f,%lld,%lld\n", h->time_s, (long long)h->makespan, (long long)h->bound);
    }
    return mco_output_commit(s->ctx, &o, false);
}

// One file that cannot be written costs none of the others.
static int write_files(session *s, int code)
{
    const cli_outputs *o = &s->outputs;
    bool has_order = s->result.order != NULL;
    if (o->json != NULL)
        code = cli_tell(s->ctx, write_json(s), code);
    if (o->solution != NULL && has_order)
        code = cli_tell(s->ctx, mco_flowshop_write_order(s->ctx, s->shop, s->result.order, o->solution), code);
    if (o->plot != NULL && has_order)
        code = cli_tell(s->ctx, mco_flowshop_plot(s->ctx, s->shop, s->result.order, o->plot), code);
    if (o->history != NULL)
        code = cli_tell(s->ctx, write_history_csv(s), code);
    return code;
}

// "2 threads", "1 GPU (NVIDIA H200)", or both. The threads that only drive a GPU are not told.
static void print_processors(const mco_flowshop_result *r)
{
    const int threads = r->engine == MCO_FLOWSHOP_ENGINE_GPU      ? 0
                        : r->engine == MCO_FLOWSHOP_ENGINE_HYBRID ? r->threads_used - r->gpu_count
                                                                  : r->threads_used;
    if (threads > 0)
        printf("%d thread%s%s", threads, mco_plural(threads), r->gpu_count > 0 ? " and " : "");
    if (r->gpu_count > 0)
        printf("%d GPU%s (", r->gpu_count, mco_plural(r->gpu_count));
    for (int i = 0; i < r->gpu_count; i++)
        printf("%s%s", i > 0 ? ", " : "", r->gpus[i].name);
    if (r->gpu_count > 0)
        printf(")");
}

static void print_summary(const session *s)
{
    const mco_flowshop_result *r = &s->result;
    const int32_t n = mco_flowshop_jobs(s->shop);
    int64_t best, best_bound;
    mco_flowshop_best_known(s->shop, &best, &best_bound);
    printf("instance   %s, %d jobs, %d machines\n", mco_flowshop_name(s->shop), n, mco_flowshop_machines(s->shop));
    printf("outcome    %s (%s)\n", mco_outcome_text(r->outcome), mco_stop_text(r->stop));
    if (r->makespan >= 0) {
        printf("makespan   %lld", (long long)r->makespan);
        if (best > 0)
            printf("   best known %lld", (long long)best);
        printf("\n");
    }
    printf("bound      %lld", (long long)r->bound);
    if (r->makespan > 0)
        printf("   gap %.2f%%", 100.0 * (double)(r->makespan - r->bound) / (double)r->makespan);
    printf("\n");
    double tree_s = r->solve_s - r->heuristic_s;
    if (r->nodes > 0)
        printf("nodes      %lld decomposed, %lld leaves, %.2f M nodes/s\n", (long long)r->nodes, (long long)r->leaves,
               tree_s > 0 ? (double)(r->nodes - r->nodes_resumed) / tree_s * 1e-6 : 0.0);
    printf("time       %.3f s on ", r->solve_s);
    print_processors(r);
    if (r->heuristic_s > 0)
        printf(", %.3f s of it the heuristic", r->heuristic_s);
    printf("\n");
    if (r->order != NULL) {
        printf("order     ");
        for (int32_t k = 0; k < n; k++)
            printf(" %s", mco_flowshop_job_name(s->shop, r->order[k]));
        printf("\n");
    }
}

static int on_progress(const mco_progress *progress, void *user)
{
    session *s = user;
    if (!s->outputs.quiet)
        cli_live_line(progress);
    if (!cli_updates_are_due(&s->updates, progress))
        return 0;
    // A failure here shows at the end again, where it is reported.
    (void)mco_flowshop_write_order(s->ctx, s->shop, progress->solution, s->outputs.solution);
    return 0;
}

static mco_status read_start(session *s)
{
    mco_status st = MCO_OK;
    if (s->outputs.start == NULL)
        return MCO_OK;
    MCO_TRY(mco_alloc(s->ctx, &s->start, mco_flowshop_jobs(s->shop)));
    MCO_TRY(mco_flowshop_read_order(s->ctx, s->shop, s->outputs.start, s->start));
    s->params.start = s->start;
done:
    return st;
}

static mco_status test_outputs(const session *s, const char *instance)
{
    const char *const paths[] = {s->outputs.json, s->outputs.solution, s->outputs.plot, s->outputs.history,
                                 s->params.checkpoint};
    return cli_test_outputs(s->ctx, instance, paths, sizeof paths / sizeof paths[0]);
}

static int solve(session *s, const char *instance)
{
    mco_status st = MCO_OK;
    int code = EXIT_USABLE;
    double limit_s = s->params.time_limit_s;
    MCO_TRY(open_instance(s->ctx, instance, s->outputs.instance, &s->shop));
    MCO_TRY(read_start(s));
    MCO_TRY(test_outputs(s, instance));
    s->updates = cli_updates_begin(s->outputs.solution);
    cli_catch_signals(s->ctx);
    mco_context_set_callback(s->ctx, on_progress, s);
    s->params.time_limit_s = cli_time_left(limit_s, s->process_start_s);
    MCO_TRY(mco_flowshop_solve(s->ctx, s->shop, &s->params, &s->result));
    s->params.time_limit_s = limit_s;
    cli_end_live_line();
    if (s->result.is_checkpoint_lost)
        code = cli_tell(s->ctx, MCO_ERR_IO, code);
    code = write_files(s, code);
    if (cli_prints_summary(&s->outputs))
        print_summary(s);
    if (s->result.outcome == MCO_OUTCOME_UNKNOWN && s->result.stop != MCO_STOP_FINISHED)
        code = code == EXIT_USABLE ? EXIT_NONE : code;
done:
    code = cli_tell(s->ctx, st, code);
    mco_flowshop_result_clear(s->ctx, &s->result);
    mco_free(s->ctx, &s->start);
    mco_flowshop_destroy(s->ctx, &s->shop);
    return code;
}

static int solve_action(const cli_call *call)
{
    session s = {.ctx = call->ctx, .params = MCO_FLOWSHOP_PARAMS_INIT, .result = MCO_FLOWSHOP_RESULT_INIT,
                 .process_start_s = call->start_s};
    cli_arguments a = {.tables = {solver_table(&s.params), cli_output_table(&s.outputs)},
                       .positional_least = 1, .positional_most = 1,
                       .usage = "mco flowshop solve [OPTIONS] INSTANCE (see mco help flowshop)"};
    mco_status st = cli_parse(call, &a);
    if (st != MCO_OK)
        return cli_tell(call->ctx, st, EXIT_USABLE);
    cli_log_settings(call->ctx, &s.outputs);
    return solve(&s, a.positional[0]);
}

// ---- check and bound

#define PLAIN_OPTIONS(INTEGER, CHOICE)                                                                            \
    INTEGER(instance, "--instance", 0, 1, 1000000, 0, "K", "instance K of a file that holds several, from 1") \
    CHOICE(bound, "--bound", int, MCO_FLOWSHOP_LB1, "auto|lb1|lb2", "lower bound")
typedef struct plain_options {
    PLAIN_OPTIONS(MCO_FIELD_INTEGER, MCO_FIELD_CHOICE)
} plain_options;
#undef MCO_OPTION_STRUCT
#define MCO_OPTION_STRUCT plain_options
static const mco_option plain_table[] = {PLAIN_OPTIONS(MCO_OPTION_INTEGER_ENTRY, MCO_OPTION_CHOICE_ENTRY)};

static int check(const cli_call *call)
{
    mco_status st = MCO_OK;
    mco_context *ctx = call->ctx;
    int code = EXIT_USABLE;
    plain_options options = {0};
    mco_flowshop *shop = NULL;
    int32_t *order = NULL;
    int64_t makespan;
    cli_arguments a = {.tables = {{plain_table, 1, &options}},  // the first option only
                       .positional_least = 2, .positional_most = 2,
                       .usage = "mco flowshop check [--instance K] INSTANCE SOLUTION"};
    MCO_TRY(cli_parse(call, &a));
    MCO_TRY(open_instance(ctx, a.positional[0], options.instance, &shop));
    MCO_TRY(mco_alloc(ctx, &order, mco_flowshop_jobs(shop)));
    st = mco_flowshop_read_order(ctx, shop, a.positional[1], order);
    if (st == MCO_ERR_PARSE) {  // a solution that is none fails the check
        code = cli_tell(ctx, st, EXIT_NONE);
        st = MCO_OK;
        goto done;
    }
    MCO_TRY(st);
    MCO_TRY(mco_flowshop_check(ctx, shop, order, mco_flowshop_jobs(shop), &makespan));
    printf("valid: makespan %lld\n", (long long)makespan);
done:
    code = cli_tell(ctx, st, code);
    mco_free(ctx, &order);
    mco_flowshop_destroy(ctx, &shop);
    return code;
}

static int bound(const cli_call *call)
{
    mco_status st = MCO_OK;
    mco_context *ctx = call->ctx;
    plain_options options = {0};
    mco_flowshop *shop = NULL;
    int64_t value;
    cli_arguments a = {.tables = {CLI_TABLE(plain_table, &options)}, .positional_least = 1, .positional_most = 1,
                       .usage = "mco flowshop bound [--bound lb1|lb2] [--instance K] INSTANCE"};
    MCO_TRY(cli_parse(call, &a));
    MCO_TRY(open_instance(ctx, a.positional[0], options.instance, &shop));
    MCO_TRY(mco_flowshop_lower_bound(ctx, shop, (mco_flowshop_bound)options.bound, &value));
    printf("%s: makespan >= %lld (%s)\n", mco_flowshop_name(shop), (long long)value,
           options.bound == MCO_FLOWSHOP_LB2 ? "lb2" : "lb1");
done:
    mco_flowshop_destroy(ctx, &shop);
    return cli_tell(ctx, st, EXIT_USABLE);
}

// ---- generate

#define GENERATE_OPTIONS(INTEGER, TEXT)                                                                     \
    TEXT(taillard, "--taillard", "taNNN", "one of Taillard's instances")                                   \
    INTEGER(jobs, "--jobs", -1, 0, MCO_FLOWSHOP_MAX_JOBS, -1, "N", "jobs of a random instance")           \
    INTEGER(machines, "--machines", -1, 1, MCO_FLOWSHOP_MAX_MACHINES, -1, "M", "machines of a random instance") \
    INTEGER(seed, "--seed", -1, 1, 2147483646, -1, "K", "seed of a random instance, 1 if not given")                        \
    TEXT(output, "--output", "F", "where to write; standard output without it")

typedef struct generate_options {
    GENERATE_OPTIONS(MCO_FIELD_INTEGER, MCO_FIELD_TEXT)
} generate_options;

#undef MCO_OPTION_STRUCT
#define MCO_OPTION_STRUCT generate_options
static const mco_option generate_table[] = {GENERATE_OPTIONS(MCO_OPTION_INTEGER_ENTRY, MCO_OPTION_TEXT_ENTRY)};
static const generate_options generate_defaults = {.jobs = -1, .machines = -1, .seed = -1};

static int generate(const cli_call *call)
{
    mco_status st = MCO_OK;
    mco_context *ctx = call->ctx;
    generate_options g = generate_defaults;
    mco_flowshop *shop = NULL;
    cli_arguments a = {.tables = {CLI_TABLE(generate_table, &g)},
                       .usage = "mco flowshop generate --taillard ta030 | --jobs N --machines M [--seed K]"};
    MCO_TRY(cli_parse(call, &a));
    if (g.taillard != NULL && (g.jobs >= 0 || g.machines >= 0 || g.seed >= 0))
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT,
                         "--taillard has its own sizes and seed: leave --jobs, --machines and --seed out"));
    if (g.taillard == NULL && (g.jobs < 0 || g.machines < 0))
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "usage: %s", a.usage));
    if (g.taillard != NULL)
        MCO_TRY(mco_flowshop_taillard(ctx, g.taillard, &shop));
    else
        MCO_TRY(mco_flowshop_generate(ctx, (int32_t)g.jobs, (int32_t)g.machines, g.seed < 0 ? 1 : (int32_t)g.seed, &shop));
    MCO_TRY(mco_flowshop_write(ctx, shop, g.output != NULL ? g.output : "-"));
done:
    mco_flowshop_destroy(ctx, &shop);
    return cli_tell(ctx, st, EXIT_USABLE);
}

static void help(FILE *file)
{
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    cli_outputs outputs = {0};
    generate_options g = generate_defaults;
    fputs("The permutation flow shop: n jobs, m machines, one job order; find the least makespan.\n\n"
          "  mco flowshop solve    [OPTIONS] INSTANCE\n"
          "  mco flowshop check    INSTANCE SOLUTION\n"
          "  mco flowshop bound    [--bound lb1|lb2] INSTANCE\n"
          "  mco flowshop generate --taillard taNNN | --jobs N --machines M [--seed K]\n\n"
          "INSTANCE is a file (Taillard, VRF or CSV format, plain or gzip, - for standard input), or\n"
          "ta001 to ta120 for Taillard's instances. Defaults stand in brackets.\n\n"
          "solve:\n",
          file);
    cli_help(file, solver_table(&params));
    cli_help(file, cli_output_table(&outputs));
    fputs("\ngenerate:\n", file);
    cli_help(file, CLI_TABLE(generate_table, &g));
    fputs("\nexit codes: 0 usable result, 1 none found or check failed, 2 usage, 3 file, 4 memory or device, 5 internal\n", file);
}

const cli_problem cli_flowshop = {
    .name = "flowshop",
    .text = "permutation flow shop, makespan: proven optimum and Gantt chart",
    .help = help,
    .actions = {{"solve", solve_action}, {"check", check}, {"bound", bound}, {"generate", generate}},
};
