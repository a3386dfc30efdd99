// SPDX-License-Identifier: MIT
// An action from its arguments to its exit code.
#include "cli/frame.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/output.h"
#include "cli/cli.h"
#include "cluster/cluster.h"

typedef struct session {
    cli_call call;
    const cli_problem *problem;
    const cli_action *action;
    cli_outputs outputs;
    mco_option_values tables[CLI_TABLES];
    char usage[256];
    const char *more_outputs[CLI_MORE_OUTPUTS];
    cli_updates updates;
} session;

// ---- Arguments

static void make_usage(const cli_problem *problem, const cli_action *action, char *out, size_t size)
{
    snprintf(out, size, "mco %s %s %s (see mco help %s)", problem->name, action->name, action->arguments, problem->name);
}

void cli_begin_state(const cli_action *action, void *state, mco_option_values *tables)
{
    if (action->begin != NULL)
        action->begin(state);
    if (action->tables != NULL)
        action->tables(state, tables);
}

static mco_status parse(session *s, int argc, char **argv)
{
    cli_output_options outputs;
    cli_arguments a = {.least = s->action->least, .most = s->action->most, .usage = s->usage};
    size_t count = 0;
    for (; count < CLI_TABLES && s->tables[count].table != NULL; count++)
        a.tables[count] = s->tables[count];
    cli_make_output_options(s->action, &outputs);
    if (outputs.table.count > 0)
        a.tables[count] = (mco_option_values){&outputs.table, &s->outputs};
    return cli_parse(&s->call, &a, argc, argv, 3);
}

// ---- Before and after a solve

static double *time_limit_of(const session *s)
{
    const mco_option *limit = s->tables[0].table != NULL ? mco_options_find(s->tables[0].table, "time-limit") : NULL;
    return limit != NULL ? (double *)(void *)((char *)s->tables[0].params + limit->offset) : NULL;
}

static int on_progress(const mco_progress *progress, void *user)
{
    session *s = user;
    if (!s->outputs.quiet)
        cli_live_line(progress);
    // A failure here is not reported. The write at the end fails too, and that is reported.
    const double begin_s = mco_clock_s();
    if (cli_updates_are_due(&s->updates, progress, begin_s)) {
        const mco_status st = s->action->write_solution(&s->call, progress->solution, progress->objective, s->outputs.solution);
        cli_updates_note(&s->updates, st == MCO_OK ? progress->objective : s->updates.objective, begin_s, mco_clock_s());
    }
    return 0;
}

// The time limit counts from the start of the process. The context is created at that moment. Writing a solution is expected
// to take about as long as the processor took for reading the instance.
static mco_status solve(session *s)
{
    mco_context *ctx = s->call.ctx;
    double *limit_s = time_limit_of(s);
    const double given_s = limit_s != NULL ? *limit_s : INFINITY;
    s->updates = cli_updates_begin(s->outputs.solution, (double)clock() / CLOCKS_PER_SEC, ctx->created_s + given_s);
    if (!s->action->is_killed_by_signals)
        cli_catch_signals(ctx);
    if ((!s->outputs.quiet && cli_has_live_line()) || s->updates.path != NULL)
        mco_context_set_callback(ctx, on_progress, s);
    if (limit_s != NULL)
        *limit_s = fmax(0, given_s - (mco_clock_s() - ctx->created_s));
    const mco_status st = s->action->solve(&s->call);
    mco_context_set_callback(ctx, NULL, NULL);
    if (limit_s != NULL)
        *limit_s = given_s;
    cli_end_live_line();
    cli_log_signal(ctx);
    return st;
}

static mco_status write_result(session *s)
{
    cli_output_options start;
    mco_option_values more[CLI_TABLES + 1] = {{NULL, NULL}};
    size_t count = 0;
    for (size_t i = 1; i < CLI_TABLES && s->tables[i].table != NULL; i++)
        more[count++] = s->tables[i];
    cli_make_start_options(s->action, &start);
    if (start.table.count > 0)
        more[count] = (mco_option_values){&start.table, &s->outputs};
    return s->action->write_result(&s->call, more, s->outputs.json);
}

static bool has_solution(const session *s)
{
    return s->action->has_solution == NULL || s->action->has_solution(s->call.state);
}

static bool has_plot(const session *s)
{
    return s->action->has_plot != NULL ? s->action->has_plot(s->call.state) : has_solution(s);
}

// Removes the file of an earlier run: a script would take it for the solution of this run.
static mco_status remove_stale(const session *s, const char *path)
{
    mco_context *ctx = s->call.ctx;
    char target[MCO_PATH_LENGTH];
    if (!cli_is_old_file(path))
        return MCO_OK;
    if (!mco_output_target(path, target) || remove(target) != 0)
        return mco_fail(ctx, MCO_ERR_IO, "there is no solution, and the old file %s cannot be removed: %s", path, strerror(errno));
    mco_log(ctx, MCO_LOG_WARNING, "there is no solution: the old file %s is removed", path);
    return MCO_OK;
}

// If a file cannot be written, the others still are.
static int write_files(session *s, int code)
{
    cli_call *call = &s->call;
    const cli_action *a = s->action;
    const cli_outputs *o = &s->outputs;
    if (o->json != NULL)
        code = cli_tell(call->ctx, write_result(s), code);
    if (o->solution != NULL)
        code = cli_tell(call->ctx, has_solution(s) ? a->write_solution(call, NULL, NAN, o->solution)
                                                   : remove_stale(s, o->solution), code);
    if (o->plot != NULL)
        code = cli_tell(call->ctx, has_plot(s) ? a->plot(call, o->plot) : remove_stale(s, o->plot), code);
    if (s->outputs.history != NULL)
        code = cli_tell(call->ctx, cli_write_history(call, a, s->outputs.history), code);
    if (a->write_more != NULL)
        code = cli_tell(call->ctx, a->write_more(call), code);
    return code;
}

// The summary goes to standard output, unless one of the files goes there.
static bool prints_summary(const session *s)
{
    const cli_outputs *o = &s->outputs;
    bool is_taken = cli_is_stdout(o->json) || cli_is_stdout(o->solution) || cli_is_stdout(o->plot) || cli_is_stdout(o->history);
    for (int i = 0; i < CLI_MORE_OUTPUTS; i++)
        is_taken = is_taken || cli_is_stdout(s->more_outputs[i]);
    return !is_taken;
}

static int write_all(session *s, int code)
{
    cli_call *call = &s->call;
    const cli_action *a = s->action;
    code = write_files(s, code);
    if (a->print != NULL && prints_summary(s))
        code = cli_tell(call->ctx, a->print(call), code);
    const bool is_usable = a->is_usable != NULL ? a->is_usable(call->state) : has_solution(s);
    return !is_usable && code == EXIT_USABLE ? EXIT_NONE : code;
}

// Of several ranks the first one writes, and all end with its exit code.
static mco_status run_solver(session *s, int *code)
{
    mco_status st = MCO_OK;
    mco_context *ctx = s->call.ctx;
    MCO_TRY(mco_ranks_agree(ctx, solve(s)));
    mco_ranks *ranks = ctx->ranks;
    if (mco_rank(ctx) == 0) {
        ctx->ranks = NULL;  // what writing computes is for this rank alone
        *code = write_all(s, *code);
        ctx->ranks = ranks;
    }
    MCO_TRY(mco_ranks_broadcast(ctx, code, sizeof *code, 0));
done:
    return st;
}

// ---- The other kinds of action

// A file that holds no solution fails the check.
static mco_status run_check(session *s, const char *path, int *code)
{
    mco_status st = s->action->read_solution(&s->call, path);
    if (st == MCO_OK)
        st = s->action->check(&s->call);
    if (st != MCO_ERR_PARSE && st != MCO_ERR_CHECK)
        return st;
    *code = cli_tell(s->call.ctx, st, EXIT_NONE);
    return MCO_OK;
}

// ---- All of it

static mco_status test_outputs(const session *s)
{
    enum { OWN = 4 };
    mco_status st = MCO_OK;
    mco_context *ctx = s->call.ctx;
    const cli_outputs *o = &s->outputs;
    const char *paths[OWN + CLI_MORE_OUTPUTS] = {o->json, o->solution, o->plot, o->history};
    int64_t more_count = 0;
    const char *const *more = s->action->more_inputs != NULL ? s->action->more_inputs(s->call.state, &more_count) : NULL;
    for (int i = 0; i < OWN + CLI_MORE_OUTPUTS; i++) {
        if (i >= OWN)
            paths[i] = s->more_outputs[i - OWN];
        MCO_TRY(cli_refuse_replacing(ctx, s->call.inputs, (int64_t)s->call.input_count, paths[i]));
        MCO_TRY(cli_refuse_replacing(ctx, &o->start, 1, paths[i]));
        if (i < OWN || s->action->keeps_inputs)  // a checkpoint may replace the one that is resumed
            MCO_TRY(cli_refuse_replacing(ctx, more, more_count, paths[i]));
    }
    MCO_TRY(cli_test_outputs(ctx, paths, sizeof paths / sizeof paths[0]));
done:
    return st;
}

static mco_status refuse_outputs(session *s)
{
    mco_status st = MCO_OK;
    if (s->action->refuse_output == NULL)
        return MCO_OK;
    if (s->outputs.solution != NULL)
        MCO_TRY(s->action->refuse_output(&s->call, "--solution"));
    if (s->outputs.plot != NULL)
        MCO_TRY(s->action->refuse_output(&s->call, "--plot"));
done:
    return st;
}

// Reads the files within the time limit. A file that ends a little later is taken: a limit of 0 asks for the first
// solution.
static mco_status read_inputs(session *s)
{
    static const double GRACE_S = 0.2;
    mco_status st = MCO_OK;
    cli_call *call = &s->call;
    const cli_action *a = s->action;
    const double *limit_s = a->solve != NULL ? time_limit_of(s) : NULL;
    call->ctx->read_stop_s = limit_s != NULL ? call->ctx->created_s + *limit_s + GRACE_S : 0;
    if (a->open != NULL)
        MCO_TRY(a->open(call));
    if (s->outputs.start != NULL)
        MCO_TRY(a->read_start(call, s->outputs.start));
done:
    call->ctx->read_stop_s = 0;
    return st;
}

// Whether a solve that failed so has no solution, although nothing is wrong with its call and its files.
static bool leaves_nothing(mco_status st)
{
    return st == MCO_ERR_STOPPED || st == MCO_ERR_MEMORY || st == MCO_ERR_DEVICE || st == MCO_ERR_INTERNAL;
}

// Removes the files of earlier runs after a failure that leaves nothing for them. Those that this run has written stay.
// The message of the failure stays too.
static void remove_all_stale(session *s)
{
    char why[MCO_ERROR_LENGTH];
    mco_context *ctx = s->call.ctx;
    const bool is_early = !isnan(s->updates.objective) && s->updates.path != NULL;
    const char *const paths[] = {is_early ? NULL : s->outputs.solution, s->outputs.plot, s->outputs.json, s->outputs.history};
    snprintf(why, sizeof why, "%s", mco_context_error(ctx));
    if (test_outputs(s) == MCO_OK)
        for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
            if (paths[i] != NULL && remove_stale(s, paths[i]) != MCO_OK)
                mco_log(ctx, MCO_LOG_WARNING, "%s", mco_context_error(ctx));
    mco_fail(ctx, MCO_OK, "%s", why);
}

static mco_status refuse_shared_stdin(const session *s)
{
    int count = s->outputs.start != NULL && strcmp(s->outputs.start, "-") == 0;
    int64_t more_count = 0;
    const char *const *more = s->action->more_inputs != NULL ? s->action->more_inputs(s->call.state, &more_count) : NULL;
    for (size_t i = 0; i < s->call.input_count; i++)
        count += strcmp(s->call.inputs[i], "-") == 0;
    for (int64_t i = 0; i < more_count; i++)
        count += more[i] != NULL && strcmp(more[i], "-") == 0;
    if (count == 1 && mco_rank_count(s->call.ctx) > 1)
        return mco_fail(s->call.ctx, MCO_ERR_ARGUMENT, "an input is \"-\", and %d ranks have to read it: give them a file",
                        mco_rank_count(s->call.ctx));
    if (count <= 1)
        return MCO_OK;
    return mco_fail(s->call.ctx, MCO_ERR_ARGUMENT, "%d inputs are \"-\", standard input can be one of them", count);
}

// What precedes the work. *solution: the file to check.
static mco_status prepare(session *s, int argc, char **argv, const char **solution)
{
    mco_status st = MCO_OK;
    cli_call *call = &s->call;
    const cli_action *a = s->action;
    MCO_TRY(parse(s, argc, argv));
    MCO_TRY(refuse_shared_stdin(s));
    if (mco_rank(call->ctx) > 0)
        s->outputs = (cli_outputs){.quiet = true, .start = s->outputs.start};
    if (a->solve != NULL || a->check != NULL || a->ranks == CLI_RANKS_EACH)  // the last: a worker tells what befalls it
        cli_log_settings(call->ctx, &s->outputs);
    if (a->check != NULL) {
        *solution = call->inputs[--call->input_count];
        MCO_TRY(cli_take_stated(call->ctx, a->kind != NULL ? a->kind : s->problem->name, *solution, s->tables, argc, argv));
    }
    MCO_TRY(refuse_outputs(s));
    MCO_TRY(read_inputs(s));
    if (a->more_outputs != NULL)
        a->more_outputs(call->state, s->more_outputs);
    if (mco_rank(call->ctx) == 0)
        MCO_TRY(test_outputs(s));
done:
    return st;
}

static mco_status run(session *s, int argc, char **argv, int *code)
{
    mco_status st = MCO_OK;
    cli_call *call = &s->call;
    const cli_action *a = s->action;
    const char *solution = NULL;
    MCO_TRY(mco_ranks_agree(call->ctx, prepare(s, argc, argv, &solution)));
    cluster_tell(call->ctx);
    if (a->check != NULL)
        MCO_TRY(run_check(s, solution, code));
    else if (a->solve != NULL)
        MCO_TRY(run_solver(s, code));
    else
        MCO_TRY(mco_ranks_agree(call->ctx, a->run(call)));
done:
    if (a->solve != NULL && leaves_nothing(st) && mco_rank(call->ctx) == 0)
        remove_all_stale(s);
    return st;
}

// Joins the processes that a launcher started beside this one. All but the first are silent.
static mco_status join(const session *s)
{
    mco_status st = MCO_OK;
    mco_context *ctx = s->call.ctx;
    const cluster_launch launch = cluster_find_launch();
    if (s->action->ranks == CLI_RANKS_EACH)
        return MCO_OK;
    if (launch.rank > 0)
        cli_be_silent();
    if (launch.count > 1 && s->action->ranks == CLI_RANKS_REFUSED)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "mco %s %s runs in one process, and a launcher started %d (%s); MCO_RANKS=1 in the "
                        "environment lets each of them work for itself", s->problem->name, s->action->name, launch.count, launch.variable);
    MCO_TRY(cluster_begin(ctx, s->action->ranks == CLI_RANKS_COORDINATED));
done:
    return mco_ranks_agree(ctx, st);
}

int cli_run(mco_context *ctx, const cli_problem *problem, const cli_action *action, int argc, char **argv)
{
    int code = EXIT_USABLE;
    session s = {.call = {.ctx = ctx}, .problem = problem, .action = action};
    cli_prepare_heap();
    mco_status st = mco_alloc_bytes(ctx, &s.call.state, 1, action->state_bytes);
    make_usage(problem, action, s.usage, sizeof s.usage);
    if (st == MCO_OK)
        cli_begin_state(action, s.call.state, s.tables);
    if (st == MCO_OK)
        st = join(&s);
    if (st == MCO_OK)
        st = run(&s, argc, argv, &code);
    code = cli_tell(ctx, st, code);
    cluster_end(ctx, code);
    if (s.call.state != NULL && action->end != NULL)
        action->end(&s.call);
    mco_free_bytes(ctx, &s.call.state);
    return code;
}

// ---- For the problems

void cli_print_outcome(mco_outcome outcome, mco_stop stop, const char *reason)
{
    if (outcome == MCO_OUTCOME_NONE_BELOW)
        printf("outcome    %s (%s)\n", reason, mco_stop_text(stop));
    else
        printf("outcome    %s (%s)%s%s\n", mco_outcome_text(outcome), mco_stop_text(stop), reason[0] != '\0' ? ": " : "", reason);
}

void cli_print_engine(mco_context *ctx, const mco_work *w)
{
    mco_gpu gpus[MCO_MAX_GPUS];
    int count = 0;
    const char *reason, *before = "";
    if (w->gpus != 0 && mco_gpus_list(ctx, gpus, &count, &reason) != MCO_OK)
        count = 0;
    printf("engine %s (", mco_engine_text(w->engine));
    for (int i = 0; i < count; i++)
        if (w->gpus >> gpus[i].index & 1) {
            printf("%s%s", before, gpus[i].name);
            before = ", ";
        }
    if (w->gpus != 0)
        printf("%skernels %.3f s", before, w->device_s);
    else
        printf("%d thread%s", w->threads, mco_plural(w->threads));
    if (w->gpus == 0 && w->simd != MCO_SIMD_AUTO)
        printf(", simd %s", mco_simd_text(w->simd));
    printf(")");
}

bool cli_ends_with(const char *text, const char *end)
{
    const size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

#define MCO_OPTION_STRUCT cli_generated
static const mco_option generated_records[] = {
    MCO_OPTION_TEXT_ENTRY(output, "--output", "F", "where to write the instance; if not given, standard output")};
const mco_option_table cli_generated_options = MCO_OPTION_TABLE(generated_records);

const char *cli_generated_path(const cli_generated *generated)
{
    return generated->output != NULL ? generated->output : "-";
}
