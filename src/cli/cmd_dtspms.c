// SPDX-License-Identifier: MIT
// mco dtspms solve | neighbourhood | check | generate
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd_dtspms_report.h"

// ---- Options: the library's lists as each action takes them, and the command's own

#define MCO_OPTION_STRUCT mco_dtspms_params
static const mco_option solve_table[] = {
    CLI_EXPAND(MCO_DTSPMS_PLAN_OPTIONS, CLI_ENTRIES)
    CLI_EXPAND(MCO_DTSPMS_SEARCH_OPTIONS, CLI_ENTRIES)
    CLI_EXPAND(MCO_DTSPMS_ENGINE_OPTIONS, CLI_ENTRIES)
};
static const mco_option neighbourhood_table[] = {
    CLI_EXPAND(MCO_DTSPMS_PLAN_OPTIONS, CLI_ENTRIES)
    CLI_EXPAND(MCO_DTSPMS_MOVE_OPTIONS, CLI_ENTRIES)
    CLI_EXPAND(MCO_DTSPMS_ENGINE_OPTIONS, CLI_ENTRIES)
};

// What is read: how much of the instance, and where to begin.
#define ORDERS_OPTION(INTEGER)                                                 \
    INTEGER(orders, "--orders", -1, 0, MCO_DTSPMS_MAX_ORDERS, -1, "N",         \
            "orders of R00 to R19; of files, the first N orders alone")
#define INPUT_OPTIONS(INTEGER, TEXT) \
    ORDERS_OPTION(INTEGER)           \
    TEXT(start, "--start", "F", "begin with the plan of the solution in F")

typedef struct input_options {
    INPUT_OPTIONS(MCO_FIELD_INTEGER, MCO_FIELD_TEXT)
} input_options;
#undef MCO_OPTION_STRUCT
#define MCO_OPTION_STRUCT input_options
static const mco_option input_table[] = {INPUT_OPTIONS(MCO_OPTION_INTEGER_ENTRY, MCO_OPTION_TEXT_ENTRY)};

#undef MCO_OPTION_STRUCT
#define MCO_OPTION_STRUCT cli_outputs
static const mco_option output_table[] = {
    MCO_OPTION_TEXT_ENTRY(json, "--json", "F", "write the result file")
    MCO_OPTION_TEXT_ENTRY(solution, "--solution", "F", "write stacks and tours, anew at improvements and at the end")
    MCO_OPTION_TEXT_ENTRY(plot, "--plot", "F.svg", "draw both tours and the container")
    MCO_OPTION_TEXT_ENTRY(history, "--history", "F.csv", "write the improvements: time, cost, bound")
    CLI_LOG_ENTRIES
};
static const mco_option json_table[] = {
    MCO_OPTION_TEXT_ENTRY(json, "--json", "F", "write the result file, with the plan after the best move")
    CLI_LOG_ENTRIES
};

// One solve, or one neighbourhood, of the command.
typedef struct session {
    mco_context *ctx;
    mco_dtspms_params params;
    input_options input;
    cli_outputs outputs;
    mco_dtspms *problem;
    mco_dtspms_solution start;
    mco_dtspms_result result;
    mco_dtspms_neighbourhood_result around;
    double process_start_s;
    cli_updates updates;  // of the file under --solution
} session;

#define SESSION_INIT(call)                                                                    \
    {.ctx = (call)->ctx, .params = MCO_DTSPMS_PARAMS_INIT, .input = {.orders = -1},           \
     .result = MCO_DTSPMS_RESULT_INIT, .around = MCO_DTSPMS_NEIGHBOURHOOD_RESULT_INIT,        \
     .process_start_s = (call)->start_s}

// ---- Instances

// R and two digits, where no file has this name.
static bool is_named(const char *text)
{
    return (text[0] == 'R' || text[0] == 'r') && isdigit((unsigned char)text[1]) && isdigit((unsigned char)text[2]) &&
           text[3] == '\0' && access(text, F_OK) != 0;
}

// paths [count], 1 or 2: a name, a CSV file, or a pair of TSPLIB files. `orders` -1: all.
static mco_status open_instance(mco_context *ctx, const char *const *paths, size_t count, int64_t orders, mco_dtspms **out)
{
    mco_status st = MCO_OK;
    mco_dtspms *whole = NULL;
    if (count == 1 && is_named(paths[0])) {
        if (orders < 0)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s has any number of orders: say how many with --orders N", paths[0]);
        return mco_dtspms_named(ctx, paths[0], (int32_t)orders, out);
    }
    MCO_TRY(mco_dtspms_read(ctx, paths[0], count > 1 ? paths[1] : NULL, orders < 0 ? out : &whole));
    if (orders >= 0)
        MCO_TRY(mco_dtspms_prefix(ctx, whole, (int32_t)orders, out));
done:
    mco_dtspms_destroy(ctx, &whole);
    return st;
}

// Before the work: instance, plan to start from, and whether all outputs can be written.
static mco_status open_all(session *s, const cli_arguments *a)
{
    mco_status st = MCO_OK;
    int64_t stated;
    const char *const paths[] = {s->outputs.json, s->outputs.solution, s->outputs.plot, s->outputs.history};
    MCO_TRY(open_instance(s->ctx, a->positional, a->positional_count, s->input.orders, &s->problem));
    if (s->input.start != NULL) {
        MCO_TRY(mco_dtspms_read_solution(s->ctx, s->problem, s->input.start, &s->start, &stated));
        s->params.start = &s->start;
    }
    for (size_t k = 0; k < a->positional_count; k++)
        MCO_TRY(cli_test_outputs(s->ctx, a->positional[k], paths, sizeof paths / sizeof paths[0]));
done:
    return st;
}

static void close_all(session *s)
{
    mco_dtspms_result_clear(s->ctx, &s->result);
    mco_dtspms_neighbourhood_result_clear(s->ctx, &s->around);
    mco_dtspms_solution_clear(s->ctx, &s->start);
    mco_dtspms_destroy(s->ctx, &s->problem);
}

// ---- What both actions report alike

// The members of a report that both actions fill alike.
static cli_report begin_report(const session *s, const mco_dtspms_work *w)
{
    return (cli_report){.kind = "dtspms",
                        .name = mco_dtspms_name(s->problem),
                        .engine = dtspms_engine_names[w->engine],
                        .threads = w->threads_used,
                        .gpus = &w->gpu,
                        .gpu_count = w->has_gpu ? 1 : 0,
                        .start_s = s->process_start_s,
                        .solve_s = w->solve_s,
                        .device_s = w->device_s,
                        .user = s};
}

// ---- solve

static const mco_dtspms_solution *solution_of(const session *s)
{
    return dtspms_report_solution(&s->result);
}

static void write_sizes(mco_json *json, const void *user)
{
    const session *s = user;
    dtspms_report_write_sizes(json, s->problem, s->params.stacks, s->result.capacity, solution_of(s));
}

static void write_counters(mco_json *json, const void *user)
{
    dtspms_report_write_counters(json, &((const session *)user)->result);
}

static void write_history(mco_json *json, const void *user)
{
    const mco_dtspms_result *r = &((const session *)user)->result;
    for (int64_t i = 0; i < r->history_count; i++)
        cli_write_history_entry(json, r->history[i].time_s, (double)r->history[i].cost, (double)r->history[i].bound);
}

static void write_solution(mco_json *json, const void *user)
{
    dtspms_report_write_solution(json, solution_of(user));
}

static mco_status write_json(session *s)
{
    const mco_dtspms_result *r = &s->result;
    cli_report report = begin_report(s, &r->work);
    report.outcome = r->outcome;
    report.stop = r->stop;
    report.objective = solution_of(s) != NULL ? (double)r->cost : NAN;
    report.bound = r->outcome != MCO_OUTCOME_INFEASIBLE ? (double)r->bound : NAN;
    report.is_unchecked = solution_of(s) == NULL;
    report.seed = s->params.seed;
    report.options[0] = CLI_TABLE(solve_table, &s->params);
    report.options[1] = CLI_TABLE(input_table, &s->input);
    report.write_sizes = write_sizes;
    report.write_counters = write_counters;
    report.write_history = write_history;
    report.write_solution = write_solution;
    return cli_write_report(s->ctx, s->outputs.json, &report);
}

static mco_status write_history_csv(session *s)
{
    mco_output o;
    const mco_dtspms_result *r = &s->result;
    mco_status st = mco_output_open(s->ctx, s->outputs.history, &o);
    if (st != MCO_OK)
        return st;
    fprintf(o.file, "time_s,cost,bound\n");
    for (int64_t i = 0; i < r->history_count; i++)
        fprintf(o.file, "%.6f,%lld,%lld\n", r->history[i].time_s, (long long)r->history[i].cost,
                (long long)r->history[i].bound);
    return mco_output_commit(s->ctx, &o, false);
}

// One file that cannot be written costs none of the others.
static int write_files(session *s, int code)
{
    const cli_outputs *o = &s->outputs;
    const mco_dtspms_result *r = &s->result;
    if (o->json != NULL)
        code = cli_tell(s->ctx, write_json(s), code);
    if (o->solution != NULL && solution_of(s) != NULL)
        code = cli_tell(s->ctx, mco_dtspms_write_solution(s->ctx, s->problem, &r->solution, r->cost, o->solution), code);
    if (o->plot != NULL && solution_of(s) != NULL)
        code = cli_tell(s->ctx, mco_dtspms_plot(s->ctx, s->problem, &r->solution, o->plot), code);
    if (o->history != NULL)
        code = cli_tell(s->ctx, write_history_csv(s), code);
    return code;
}

// The incumbent of a progress event: heights [stacks], then plan, pickup, delivery [orders] each. Only to be read.
static mco_dtspms_solution view_incumbent(const session *s, const mco_progress *progress)
{
    const int32_t n = mco_dtspms_orders(s->problem), stacks = (int32_t)(progress->solution_length - 3 * (int64_t)n);
    int32_t *plan = (int32_t *)progress->solution + stacks;
    mco_dtspms_solution view = {.orders = n, .stacks = stacks, .plan = plan, .pickup = plan + n};
    view.delivery = view.pickup + n;
    memcpy(view.heights, progress->solution, (size_t)stacks * sizeof view.heights[0]);
    return view;
}

static int on_progress(const mco_progress *progress, void *user)
{
    session *s = user;
    if (!s->outputs.quiet)
        cli_live_line(progress);
    if (!cli_updates_are_due(&s->updates, progress))
        return 0;
    const mco_dtspms_solution view = view_incumbent(s, progress);
    // A failure here shows at the end again, where it is reported.
    (void)mco_dtspms_write_solution(s->ctx, s->problem, &view, (int64_t)progress->objective, s->outputs.solution);
    return 0;
}

// The time limit counts from the start of the process. Returns it as it was given.
static double begin_solve(session *s)
{
    const double limit_s = s->params.time_limit_s;
    s->updates = cli_updates_begin(s->outputs.solution);
    cli_catch_signals(s->ctx);
    mco_context_set_callback(s->ctx, on_progress, s);
    s->params.time_limit_s = cli_time_left(limit_s, s->process_start_s);
    return limit_s;
}

static int solve(session *s, const cli_arguments *a)
{
    mco_status st = MCO_OK;
    int code = EXIT_USABLE;
    MCO_TRY(open_all(s, a));
    const double limit_s = begin_solve(s);
    MCO_TRY(mco_dtspms_solve(s->ctx, s->problem, &s->params, &s->result));
    s->params.time_limit_s = limit_s;
    cli_end_live_line();
    code = write_files(s, code);
    if (cli_prints_summary(&s->outputs))
        dtspms_report_print_result(s->problem, &s->params, &s->result);
    if (s->result.outcome == MCO_OUTCOME_UNKNOWN && code == EXIT_USABLE)
        code = EXIT_NONE;
done:
    code = cli_tell(s->ctx, st, code);
    close_all(s);
    return code;
}

static int solve_action(const cli_call *call)
{
    session s = SESSION_INIT(call);
    cli_arguments a = {.tables = {CLI_TABLE(solve_table, &s.params), CLI_TABLE(input_table, &s.input),
                                  CLI_TABLE(output_table, &s.outputs)},
                       .positional_least = 1, .positional_most = 2,
                       .usage = "mco dtspms solve [OPTIONS] INSTANCE (see mco help dtspms)"};
    const mco_status st = cli_parse(call, &a);
    if (st != MCO_OK)
        return cli_tell(call->ctx, st, EXIT_USABLE);
    cli_log_settings(call->ctx, &s.outputs);
    return solve(&s, &a);
}

// ---- neighbourhood

static const mco_dtspms_solution *neighbour_of(const session *s)
{
    return dtspms_report_neighbour(&s->around);
}

// As given, or as many as the orders need.
static int64_t capacity_of(const session *s)
{
    const int64_t orders = mco_dtspms_orders(s->problem), stacks = s->params.stacks;
    return s->params.capacity > 0 ? s->params.capacity : (orders + stacks - 1) / stacks;
}

static void write_neighbourhood_sizes(mco_json *json, const void *user)
{
    const session *s = user;
    dtspms_report_write_sizes(json, s->problem, s->params.stacks, capacity_of(s), neighbour_of(s));
}

static void write_neighbourhood_counters(mco_json *json, const void *user)
{
    dtspms_report_write_move(json, &((const session *)user)->around);
}

static void write_neighbour(mco_json *json, const void *user)
{
    dtspms_report_write_solution(json, neighbour_of(user));
}

static mco_status write_neighbourhood_json(session *s)
{
    const mco_dtspms_neighbourhood_result *r = &s->around;
    cli_report report = begin_report(s, &r->work);
    report.outcome = neighbour_of(s) != NULL ? MCO_OUTCOME_FEASIBLE : MCO_OUTCOME_UNKNOWN;
    report.stop = dtspms_report_is_complete(r) ? MCO_STOP_FINISHED : MCO_STOP_CANCELLED;
    report.objective = neighbour_of(s) != NULL ? (double)r->best_cost : NAN;
    report.bound = NAN;
    report.is_unchecked = neighbour_of(s) == NULL;
    report.seed = s->params.plan_seed;
    report.options[0] = CLI_TABLE(neighbourhood_table, &s->params);
    report.options[1] = CLI_TABLE(input_table, &s->input);
    report.write_sizes = write_neighbourhood_sizes;
    report.write_counters = write_neighbourhood_counters;
    report.write_solution = write_neighbour;
    return cli_write_report(s->ctx, s->outputs.json, &report);
}

static int neighbourhood(session *s, const cli_arguments *a)
{
    mco_status st = MCO_OK;
    int code = EXIT_USABLE;
    MCO_TRY(open_all(s, a));
    cli_catch_signals(s->ctx);
    MCO_TRY(mco_dtspms_neighbourhood(s->ctx, s->problem, &s->params, &s->around));
    if (s->outputs.json != NULL)
        code = cli_tell(s->ctx, write_neighbourhood_json(s), code);
    if (cli_prints_summary(&s->outputs))
        dtspms_report_print_neighbourhood(s->problem, &s->params, capacity_of(s), s->input.start, &s->around);
    if (!dtspms_report_is_complete(&s->around) && code == EXIT_USABLE)
        code = EXIT_NONE;
done:
    code = cli_tell(s->ctx, st, code);
    close_all(s);
    return code;
}

static int neighbourhood_action(const cli_call *call)
{
    session s = SESSION_INIT(call);
    cli_arguments a = {.tables = {CLI_TABLE(neighbourhood_table, &s.params), CLI_TABLE(input_table, &s.input),
                                  CLI_TABLE(json_table, &s.outputs)},
                       .positional_least = 1, .positional_most = 2,
                       .usage = "mco dtspms neighbourhood [OPTIONS] INSTANCE (see mco help dtspms)"};
    const mco_status st = cli_parse(call, &a);
    if (st != MCO_OK)
        return cli_tell(call->ctx, st, EXIT_USABLE);
    cli_log_settings(call->ctx, &s.outputs);
    return neighbourhood(&s, &a);
}

// ---- check

#define CHECK_OPTIONS(INTEGER)                                                 \
    ORDERS_OPTION(INTEGER)                                                     \
    INTEGER(capacity, "--capacity", 0, 1, 1000000000, 0, "C",                  \
            "orders that a stack can hold; as few as hold all orders if not given")

typedef struct check_options {
    CHECK_OPTIONS(MCO_FIELD_INTEGER)
} check_options;
#undef MCO_OPTION_STRUCT
#define MCO_OPTION_STRUCT check_options
static const mco_option check_table[] = {CHECK_OPTIONS(MCO_OPTION_INTEGER_ENTRY)};

// One that breaks a rule, or costs something else than its file says, fails the check.
static int check_solution(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_solution *solution, int64_t capacity,
                          int64_t stated)
{
    int64_t cost = 0, cost_of[2] = {0, 0};
    const mco_status st = mco_dtspms_check(ctx, problem, solution, capacity, &cost, cost_of);
    if (st != MCO_OK)
        return cli_tell(ctx, st, st == MCO_ERR_ARGUMENT ? EXIT_NONE : EXIT_USABLE);
    if (stated >= 0 && stated != cost)
        return cli_tell(ctx, mco_fail(ctx, MCO_ERR_ARGUMENT, "the solution costs %lld, its file says %lld", (long long)cost,
                                      (long long)stated), EXIT_NONE);
    printf("valid: cost %lld = %lld pickup + %lld delivery, %d stacks\n", (long long)cost,
           (long long)cost_of[MCO_DTSPMS_PICKUP], (long long)cost_of[MCO_DTSPMS_DELIVERY], solution->stacks);
    return EXIT_USABLE;
}

static int check(const cli_call *call)
{
    mco_status st = MCO_OK;
    mco_context *ctx = call->ctx;
    int code = EXIT_USABLE;
    check_options options = {.orders = -1};
    mco_dtspms *problem = NULL;
    mco_dtspms_solution solution = {0};
    int64_t stated = -1;
    cli_arguments a = {.tables = {CLI_TABLE(check_table, &options)}, .positional_least = 2, .positional_most = 3,
                       .usage = "mco dtspms check [--capacity C] R00 --orders N | FILE.csv | PICKUP DELIVERY  SOLUTION"};
    MCO_TRY(cli_parse(call, &a));
    MCO_TRY(open_instance(ctx, a.positional, a.positional_count - 1, options.orders, &problem));
    st = mco_dtspms_read_solution(ctx, problem, a.positional[a.positional_count - 1], &solution, &stated);
    if (st == MCO_ERR_PARSE) {
        code = cli_tell(ctx, st, EXIT_NONE);
        st = MCO_OK;
        goto done;
    }
    MCO_TRY(st);
    code = check_solution(ctx, problem, &solution, options.capacity, stated);
done:
    code = cli_tell(ctx, st, code);
    mco_dtspms_solution_clear(ctx, &solution);
    mco_dtspms_destroy(ctx, &problem);
    return code;
}

// ---- generate

#define GENERATE_OPTIONS(INTEGER, TEXT)                                                                      \
    INTEGER(orders, "--orders", -1, 0, MCO_DTSPMS_MAX_ORDERS, -1, "N", "orders")                             \
    INTEGER(seed_pickup, "--seed-pickup", 1, 0, 9007199254740992, -1, "A", "seed of the pickup network")     \
    INTEGER(seed_delivery, "--seed-delivery", 2, 0, 9007199254740992, -1, "B", "seed of the delivery network") \
    TEXT(pickup, "--pickup", "F", "where to write the pickup network, - for standard output")                \
    TEXT(delivery, "--delivery", "F", "where to write the delivery network")

typedef struct generate_options {
    GENERATE_OPTIONS(MCO_FIELD_INTEGER, MCO_FIELD_TEXT)
} generate_options;
#undef MCO_OPTION_STRUCT
#define MCO_OPTION_STRUCT generate_options
static const mco_option generate_table[] = {GENERATE_OPTIONS(MCO_OPTION_INTEGER_ENTRY, MCO_OPTION_TEXT_ENTRY)};
static const generate_options generate_defaults = {.orders = -1, .seed_pickup = 1, .seed_delivery = 2};

static int generate(const cli_call *call)
{
    mco_status st = MCO_OK;
    mco_context *ctx = call->ctx;
    generate_options g = generate_defaults;
    mco_dtspms *problem = NULL;
    cli_arguments a = {.tables = {CLI_TABLE(generate_table, &g)},
                       .usage = "mco dtspms generate --orders N --pickup F --delivery F [OPTIONS] (see mco help dtspms)"};
    MCO_TRY(cli_parse(call, &a));
    if (g.orders < 0 || g.pickup == NULL || g.delivery == NULL)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "usage: %s", a.usage));
    const char *const paths[] = {g.pickup, g.delivery};
    MCO_TRY(cli_test_outputs(ctx, NULL, paths, sizeof paths / sizeof paths[0]));
    MCO_TRY(mco_dtspms_generate(ctx, (int32_t)g.orders, g.seed_pickup, g.seed_delivery, &problem));
    MCO_TRY(mco_dtspms_write(ctx, problem, MCO_DTSPMS_PICKUP, g.pickup));
    MCO_TRY(mco_dtspms_write(ctx, problem, MCO_DTSPMS_DELIVERY, g.delivery));
done:
    mco_dtspms_destroy(ctx, &problem);
    return cli_tell(ctx, st, EXIT_USABLE);
}

static void help(FILE *file)
{
    mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    input_options input = {.orders = -1};
    cli_outputs outputs = {0};
    check_options checked = {.orders = -1};
    generate_options g = generate_defaults;
    fputs("The double travelling salesman with multiple stacks: orders are picked up in one city, stacked, and delivered\n"
          "in another, last in, first out; find the loading plan and the two tours of least total length.\n\n"
          "  mco dtspms solve         [OPTIONS] INSTANCE\n"
          "  mco dtspms neighbourhood [OPTIONS] INSTANCE\n"
          "  mco dtspms check         [OPTIONS] INSTANCE SOLUTION\n"
          "  mco dtspms generate      --orders N --pickup F --delivery F [--seed-pickup A --seed-delivery B]\n\n"
          "INSTANCE is R00 to R19 with --orders N (Petersen and Madsen's; a file of that name goes first), a pair of\n"
          "TSPLIB files, PICKUP DELIVERY, or a CSV file of both networks (plain or gzip, - for standard input). SOLUTION\n"
          "is a result file or what --solution wrote; as a start its plan is enough. Defaults stand in brackets.\n\n"
          "solve:\n",
          file);
    cli_help(file, CLI_TABLE(solve_table, &params));
    cli_help(file, CLI_TABLE(input_table, &input));
    cli_help(file, CLI_TABLE(output_table, &outputs));
    fputs("\nneighbourhood: every move of a plan, evaluated; the best, its place among all, and the rate\n", file);
    cli_help(file, CLI_TABLE(neighbourhood_table, &params));
    cli_help(file, CLI_TABLE(input_table, &input));
    cli_help(file, CLI_TABLE(json_table, &outputs));
    fputs("\ncheck: whether the plan holds every order once, and both tours obey last in, first out; and the cost\n", file);
    cli_help(file, CLI_TABLE(check_table, &checked));
    fputs("\ngenerate:\n", file);
    cli_help(file, CLI_TABLE(generate_table, &g));
    fputs("\nexit codes: 0 usable result, 1 none found or check failed, 2 usage, 3 file, 4 memory or device, 5 internal\n",
          file);
}

const cli_problem cli_dtspms = {
    .name = "dtspms",
    .text = "double travelling salesman with multiple stacks: loading plan and both tours",
    .help = help,
    .actions = {{"solve", solve_action}, {"neighbourhood", neighbourhood_action}, {"check", check},
                {"generate", generate}},
};
