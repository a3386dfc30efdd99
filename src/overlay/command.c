// SPDX-License-Identifier: MIT
// mco overlay solve | bound | check | export | generate
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "base/ranks.h"
#include "cli/frame.h"
#include "mco/overlay.h"

typedef enum program_format { PROGRAM_LP, PROGRAM_MPS } program_format;

typedef struct session {
    mco_overlay_model model;
    mco_overlay_bound_params bound_params;
    mco_overlay_params params;
    mco_overlay_bound_result bound;
    mco_overlay_result result;
    mco_overlay_live_params live_params;
    const char *events_path;    // NULL: none
    const char *files[2];       // of bound, besides its input
    mco_overlay_events events;
    mco_overlay_solution read;  // of check
    double stated;              // by its file
    cli_generated file;         // of export
    program_format format;
    mco_overlay *instance;
} session;

static void begin(void *state)
{
    *(session *)state = (session){.model = MCO_OVERLAY_MODEL_INIT,
                                  .bound_params = MCO_OVERLAY_BOUND_PARAMS_INIT,
                                  .params = MCO_OVERLAY_PARAMS_INIT,
                                  .live_params = MCO_OVERLAY_LIVE_PARAMS_INIT,
                                  .bound = MCO_OVERLAY_BOUND_RESULT_INIT,
                                  .result = MCO_OVERLAY_RESULT_INIT};
}

static mco_status open(cli_call *call)
{
    session *s = call->state;
    return mco_overlay_read(call->ctx, call->inputs[0], &s->model, &s->instance);
}

static void end(cli_call *call)
{
    session *s = call->state;
    mco_overlay_bound_result_clear(call->ctx, &s->bound);
    mco_overlay_result_clear(call->ctx, &s->result);
    mco_overlay_events_clear(call->ctx, &s->events);
    mco_overlay_solution_clear(call->ctx, &s->read);
    mco_overlay_destroy(call->ctx, &s->instance);
}

static const char *const *graph_of(const void *state, int64_t *count)
{
    *count = 1;
    return &((const session *)state)->model.links;
}

static void print_instance(const session *s)
{
    const long long links = mco_overlay_links(s->instance);
    const int32_t nodes = mco_overlay_nodes(s->instance);
    printf("instance   %s: %d node%s, %lld possible link%s\n", mco_overlay_name(s->instance), nodes, mco_plural(nodes), links,
           mco_plural(links));
}

static void print_time(cli_call *call, const mco_work *work)
{
    printf("time       %.3f s, ", work->solve_s);
    cli_print_engine(call->ctx, work);
    printf("\n");
}

// ---- bound

#define EVENT_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG) \
    TEXT(events_path, "--events", "EVENTS", "CSV of nodes that join and leave: bound and overlay after each round; a round goes on by jumps")
#define MCO_OPTION_STRUCT session
static const mco_option event_records[] = {MCO_OPTION_RECORDS(EVENT_OPTIONS)};
static const mco_option_table event_options = MCO_OPTION_TABLE(event_records);
#undef MCO_OPTION_STRUCT

static void bound_tables(void *state, mco_option_values *out)
{
    session *s = state;
    out[0] = (mco_option_values){mco_overlay_bound_options(), &s->bound_params};
    out[1] = (mco_option_values){mco_overlay_model_options(), &s->model};
    out[2] = (mco_option_values){&event_options, s};
    out[3] = (mco_option_values){mco_overlay_live_options(), &s->live_params};
}

static const char *const *files_of_bound(const void *state, int64_t *count)
{
    const session *s = state;
    *count = 2;
    ((session *)s)->files[0] = s->model.links;
    ((session *)s)->files[1] = s->events_path;
    return s->files;
}

// They would do nothing without events.
static mco_status refuse_live_options(const cli_call *call)
{
    static const char *const flags[] = {"--sweeps", "--shakes", "--seed"};
    for (size_t k = 0; k < sizeof flags / sizeof *flags && ((const session *)call->state)->events_path == NULL; k++)
        if (cli_has(call, flags[k]))
            return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "%s is for --events, and there are none", flags[k]);
    return MCO_OK;
}

// They are for one method each.
static mco_status refuse_options_of_methods(const cli_call *call)
{
    static const struct {
        const char *flag, *name;
        mco_overlay_method method;
    } of[] = {{"--std-constant", "std", MCO_OVERLAY_METHOD_STD},
              {"--std-norm", "std", MCO_OVERLAY_METHOD_STD},
              {"--dist-step", "dist", MCO_OVERLAY_METHOD_DIST},
              {"--dist-keep", "dist", MCO_OVERLAY_METHOD_DIST}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++)
        if (cli_has(call, of[k].flag) && ((const session *)call->state)->bound_params.method != of[k].method)
            return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "%s is for --method %s", of[k].flag, of[k].name);
    if (cli_has(call, "--silence") && !((const session *)call->state)->bound_params.asynchronous)
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--silence is for --asynchronous");
    return MCO_OK;
}

static mco_status open_bound(cli_call *call)
{
    mco_status st = MCO_OK;
    session *s = call->state;
    MCO_TRY(refuse_live_options(call));
    MCO_TRY(refuse_options_of_methods(call));
    MCO_TRY(open(call));
    if (s->events_path != NULL)
        MCO_TRY(mco_overlay_read_events(call->ctx, s->instance, s->events_path, &s->events));
done:
    return st;
}

static mco_status find_bound(cli_call *call)
{
    session *s = call->state;
    if (s->events_path != NULL && mco_rank_count(call->ctx) > 1)
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--events runs in one process, %d were started", mco_rank_count(call->ctx));
    if (s->events_path != NULL)
        return mco_overlay_follow(call->ctx, s->instance, &s->events, &s->bound_params, &s->live_params, &s->bound, NULL);
    return mco_overlay_bound(call->ctx, s->instance, &s->bound_params, &s->bound);
}

static bool has_bound(const void *state)
{
    const session *s = state;
    return s->bound.duals != NULL || s->bound.round_count > 0;
}

static mco_status write_bound(cli_call *call, const mco_option_values *more, const char *path)
{
    const session *s = call->state;
    return mco_overlay_write_bound(call->ctx, s->instance, &s->bound_params, &s->bound, more, path);
}

static mco_status plot_bound(cli_call *call, const char *path)
{
    const session *s = call->state;
    return mco_overlay_plot_bound(call->ctx, s->instance, &s->bound, path);
}

// The rounds behind the first one, which has no events.
static void print_rounds(const mco_overlay_bound_result *r)
{
    const mco_overlay_round *last = &r->rounds[r->round_count - 1];
    const int64_t rounds = r->round_count - 1;
    int64_t joins = 0, leaves = 0;
    double bound_s = 0, overlay_s = 0, widest = 0;
    for (int64_t k = 0; k < r->round_count; k++) {
        const mco_overlay_round *one = &r->rounds[k];
        joins += one->joins;
        leaves += one->leaves;
        bound_s += k > 0 ? one->bound_s : 0;
        overlay_s += k > 0 ? one->overlay_s : 0;
        widest = one->worth > 0 ? fmax(widest, (one->bound - one->worth) / one->worth) : widest;
    }
    printf("rounds     %lld, with %lld join%s and %lld leave%s\n", (long long)rounds, (long long)joins, mco_plural(joins), (long long)leaves,
           mco_plural(leaves));
    printf("at last    %d node%s, bound %.10g, overlay %.10g of %lld kept link%s", last->nodes, mco_plural(last->nodes), last->bound, last->worth,
           (long long)last->kept, mco_plural(last->kept));
    if (last->worth > 0)
        printf(", gap %.4f%%, greatest %.4f%%", 100 * (last->bound - last->worth) / last->worth, 100 * widest);
    printf("\n");
    if (rounds > 0)
        printf("a round    %.6f s for the bound, %.6f s for the overlay\n", bound_s / (double)rounds, overlay_s / (double)rounds);
}

static mco_status print_bound(cli_call *call)
{
    const session *s = call->state;
    const mco_overlay_bound_result *r = &s->bound;
    if (r->round_count > 0) {
        print_instance(s);
        cli_print_outcome(r->outcome, r->stop, r->reason);
        print_rounds(r);
        print_time(call, &r->work);
        return MCO_OK;
    }
    print_instance(s);
    cli_print_outcome(r->outcome, r->stop, r->reason);
    printf("bound      %.10g\n", r->bound);
    if (r->value > 0)
        printf("fractional %.10g, the worth of links of any bandwidth, gap %.5f%%\n", r->value, 100 * (r->bound - r->value) / r->value);
    printf("iterations %lld, the best is %lld\n", (long long)r->iterations, (long long)r->best);
    print_time(call, &r->work);
    return MCO_OK;
}

// ---- solve

static void solve_tables(void *state, mco_option_values *out)
{
    session *s = state;
    out[0] = (mco_option_values){mco_overlay_options(), &s->params};
    out[1] = (mco_option_values){mco_overlay_model_options(), &s->model};
}

static mco_status solve(cli_call *call)
{
    session *s = call->state;
    return mco_overlay_solve(call->ctx, s->instance, &s->params, &s->result);
}

static bool has_solution(const void *state)
{
    return ((const session *)state)->result.history_count > 0;
}

static mco_status write_result(cli_call *call, const mco_option_values *more, const char *path)
{
    const session *s = call->state;
    return mco_overlay_write_result(call->ctx, s->instance, &s->params, &s->result, more, path);
}

static mco_status write_solution(cli_call *call, const void *incumbent, double objective, const char *path)
{
    const session *s = call->state;
    (void)objective;
    return mco_overlay_write_solution(call->ctx, s->instance, incumbent != NULL ? incumbent : &s->result.solution, path);
}

static mco_status plot(cli_call *call, const char *path)
{
    const session *s = call->state;
    return mco_overlay_plot(call->ctx, s->instance, &s->result, path);
}

static mco_status print_solution(cli_call *call)
{
    const session *s = call->state;
    const mco_overlay_result *r = &s->result;
    print_instance(s);
    cli_print_outcome(r->outcome, r->stop, r->reason);
    printf("worth      %.10g of %lld kept link%s\n", r->worth, (long long)r->solution.count, mco_plural(r->solution.count));
    printf("bound      %.10g", r->bound);
    if (r->worth > 0)
        printf("   gap %.4f%%", 100 * (r->bound - r->worth) / r->worth);
    printf("\n");
    print_time(call, &r->work);
    return MCO_OK;
}

// ---- check

static void check_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){mco_overlay_model_options(), &((session *)state)->model};
}

static mco_status read_solution(cli_call *call, const char *path)
{
    session *s = call->state;
    return mco_overlay_read_solution(call->ctx, s->instance, path, &s->read, &s->stated);
}

static mco_status check(cli_call *call)
{
    static const double TOLERANCE = 1e-9;  // of the worth that a file states
    mco_status st = MCO_OK;
    const session *s = call->state;
    double worth = 0;
    MCO_TRY(mco_overlay_check(call->ctx, s->instance, &s->read, &worth));
    if (!isnan(s->stated) && fabs(s->stated - worth) > TOLERANCE * fmax(worth, 1))
        MCO_TRY(mco_fail(call->ctx, MCO_ERR_CHECK, "the overlay is worth %.12g, its file says %.12g", worth, s->stated));
    printf("valid: worth %.10g, %lld link%s\n", worth, (long long)s->read.count, mco_plural(s->read.count));
done:
    return st;
}

// ---- export

#define EXPORT_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG) \
    CHOICE(format, "--format", program_format, PROGRAM_LP, "lp|mps", "the LP format of CPLEX, or free MPS")
#define MCO_OPTION_STRUCT session
static const mco_option export_records[] = {MCO_OPTION_RECORDS(EXPORT_OPTIONS)};
static const mco_option_table export_options = MCO_OPTION_TABLE(export_records);

static void export_tables(void *state, mco_option_values *out)
{
    session *s = state;
    out[0] = (mco_option_values){mco_overlay_model_options(), &s->model};
    out[1] = (mco_option_values){&export_options, s};
    out[2] = (mco_option_values){&cli_generated_options, &s->file};
}

static void exported_file(const void *state, const char *out[CLI_MORE_OUTPUTS])
{
    out[0] = ((const session *)state)->file.output;
}

static mco_status export_program(cli_call *call)
{
    const session *s = call->state;
    return mco_overlay_export(call->ctx, s->instance, s->format == PROGRAM_MPS, cli_generated_path(&s->file));
}

// ---- generate

typedef struct generation {
    mco_overlay_generation params;
    cli_generated file;
    mco_overlay *instance;
    mco_overlay_events events;
} generation;

static void begin_generation(void *state)
{
    ((generation *)state)->params = (mco_overlay_generation)MCO_OVERLAY_GENERATION_INIT;
}

static void generate_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){mco_overlay_generation_options(), &((generation *)state)->params};
    out[1] = (mco_option_values){&cli_generated_options, &((generation *)state)->file};
}

static void generated_file(const void *state, const char *out[CLI_MORE_OUTPUTS])
{
    out[0] = ((const generation *)state)->file.output;
}

static mco_status generate(cli_call *call)
{
    mco_status st = MCO_OK;
    generation *g = call->state;
    MCO_TRY(mco_overlay_generate(call->ctx, &g->params, &g->instance));
    if (g->params.events >= 0) {
        MCO_TRY(mco_overlay_generate_events(call->ctx, g->instance, &g->params, &g->events));
        MCO_TRY(mco_overlay_write_events(call->ctx, g->instance, &g->events, cli_generated_path(&g->file)));
    } else
        MCO_TRY(mco_overlay_write(call->ctx, g->instance, cli_generated_path(&g->file)));
done:
    mco_overlay_events_clear(call->ctx, &g->events);
    return st;
}

static void end_generation(cli_call *call)
{
    mco_overlay_destroy(call->ctx, &((generation *)call->state)->instance);
}

const cli_problem cli_overlay = {
    .name = "overlay",
    .text = "membership overlay: which links peers of limited bandwidth and uptime keep, and how good that can be",
    .about = "Membership overlay: peers with an uptime and a bandwidth; find links, and the bandwidth of each, of the greatest sum of\n"
             "bandwidth times the probability that both ends are up.\n\n"
             "INSTANCE is CSV or JSON (plain or gzip, - for standard input). SOLUTION is CSV with the columns from, to, bandwidth, or a result file.",
    .example = "solve examples/peers.csv --solution kept.csv",
    .csv = {{"CSV of INSTANCE: rows of limits (least,L and most,U of a link), a header, a row for each node; where not all pairs may\n"
             "be linked, a second header that begins with from, and a row for each possible link",
             {{"uptime", "probability that the node is up, 0 to 1; needed"},
              {"bandwidth", "what its links carry at most, of up to 6 decimals; needed"},
              {"name", "its name; if absent or empty, its number from 1"},
              {"from, to", "both ends of a link, by name or number"},
              {"weight", "worth of a unit of bandwidth; if absent, the product of both uptimes"},
              {"least, most", "limits of the bandwidth of this link"}}},
            {"CSV of EVENTS, a row for each: nodes join and leave, links become possible where not all pairs are",
             {{"event", "join, leave or link; needed"},
              {"node", "name of the node; it may be a new one, or one that left; needed"},
              {"round", "events of one number are one round; if absent, each join and each leave is one"},
              {"uptime, bandwidth", "of a node that joins"},
              {"to", "other end of a link"},
              {"weight", "of a link; if absent, the product of both uptimes"},
              {"least, most", "limits of the bandwidth of a link"}}}},
    .actions = {
        {.name = "solve", .arguments = "[OPTIONS] INSTANCE", .least = 1, .most = 1,
         .text = "an overlay and an upper bound: what to keep, and how good that is", .state_bytes = sizeof(session), .begin = begin,
         .tables = solve_tables, .open = open, .more_inputs = graph_of, .solve = solve, .has_solution = has_solution,
         .write_result = write_result, .solution_text = "write the kept links (CSV), anew at improvements and at the end",
         .write_solution = write_solution,
         .plot_text = "draw the kept links: up to 120 nodes on a circle, more as a matrix", .plot = plot, .objective = "worth", .history = offsetof(session, result.history),
         .history_count = offsetof(session, result.history_count), .print = print_solution, .end = end},
        {.name = "bound", .arguments = "[OPTIONS] INSTANCE", .least = 1, .most = 1,
         .text = "an upper bound of what any overlay is worth, proved in integers", .state_bytes = sizeof(session), .begin = begin,
         .tables = bound_tables, .open = open_bound, .more_inputs = files_of_bound, .ranks = CLI_RANKS_SHARE,
         .solve = find_bound, .has_solution = has_bound, .write_result = write_bound, .plot_text = "draw how the bound fell; with --events, bound and overlay by round",
         .plot = plot_bound, .objective = "bound", .history = offsetof(session, bound.history),
         .history_count = offsetof(session, bound.history_count), .print = print_bound, .end = end},
        {.name = "check", .arguments = "[OPTIONS] INSTANCE SOLUTION", .least = 2, .most = 2,
         .text = "test that links are possible and no limit is exceeded; print the worth", .state_bytes = sizeof(session),
         .begin = begin, .tables = check_tables, .open = open, .more_inputs = graph_of, .read_solution = read_solution, .check = check,
         .end = end},
        {.name = "export", .arguments = "[OPTIONS] INSTANCE", .least = 1, .most = 1,
         .text = "the mixed-integer program, for any solver", .state_bytes = sizeof(session), .begin = begin, .tables = export_tables,
         .open = open, .more_inputs = graph_of, .more_outputs = exported_file, .run = export_program, .end = end},
        {.name = "generate", .arguments = "--group NAME | --nodes N [OPTIONS]", .text = "a random instance", .state_bytes = sizeof(generation),
         .begin = begin_generation, .tables = generate_tables, .more_outputs = generated_file, .run = generate, .end = end_generation},
    },
};
