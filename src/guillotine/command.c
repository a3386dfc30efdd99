// SPDX-License-Identifier: MIT
// mco guillotine solve | check | generate
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"
#include "cli/frame.h"
#include "mco/guillotine.h"

// Most lines in the summary; longer lists go to a file only.
enum { MOST_PRINTED_CUTS = 40, MOST_PRINTED_FILES = 40 };

#define FILE_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                 \
    TEXT(batch, "--batch", "LIST",                                                                                      \
         "solve the files that LIST names, one per line, relative to LIST; \"FILE x8\" counts 8 times; # begins a comment") \
    TEXT(table, "--table", "F", "compute the values of all rectangles and write them: CSV if F ends in .csv, else binary")

// The problems of --batch.
typedef struct batch {
    cli_list list;
    mco_guillotine **files;           // [list.file_count]
    const mco_guillotine **problems;  // [list.count] each is one of `files`
    const char **names;               // [list.count]
    mco_guillotine_result *results;   // [list.count]
    double solve_s;
} batch;

typedef struct session {
    mco_guillotine_params params;
    MCO_FIELDS(FILE_OPTIONS)
    mco_guillotine *problem;
    mco_guillotine_result result;
    batch many;                  // with --batch
    mco_guillotine_node *nodes;  // [node_count] the plan that is checked
    int64_t node_count, stated;  // stated: the value that the plan's file states; -1: none
} session;

#define MCO_OPTION_STRUCT session
static const mco_option file_records[] = {MCO_OPTION_RECORDS(FILE_OPTIONS)};
static const mco_option_table file_options = MCO_OPTION_TABLE(file_records);

static void begin(void *state)
{
    *(session *)state = (session){.params = MCO_GUILLOTINE_PARAMS_INIT, .result = MCO_GUILLOTINE_RESULT_INIT, .stated = -1};
}

static void solve_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){mco_guillotine_options(), &((session *)state)->params};
    out[1] = (mco_option_values){&file_options, state};
}

static void check_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){mco_guillotine_plan_options(), &((session *)state)->params};
}

// Reads an instance in a unit that holds the kerf too.
static mco_status read_instance(mco_context *ctx, const char *path, double kerf, mco_guillotine **out)
{
    mco_status st = MCO_OK;
    mco_guillotine *as_read = NULL;
    const int places = kerf > 0 ? mco_guillotine_places_of(kerf) : 0;
    if (places < 0)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "--kerf is %.15g, at most 6 decimals are supported", kerf));
    MCO_TRY(mco_guillotine_read(ctx, path, &as_read));
    if (mco_guillotine_scale(as_read) < llround(pow(10, places))) {
        MCO_TRY(mco_guillotine_refine(ctx, as_read, places, out));
    } else {
        *out = as_read;
        as_read = NULL;
    }
done:
    mco_guillotine_destroy(ctx, &as_read);
    return st;
}

static mco_status open_file(cli_call *call)
{
    session *s = call->state;
    return read_instance(call->ctx, call->inputs[0], s->params.kerf_width, &s->problem);
}

static void clear_batch(mco_context *ctx, batch *b)
{
    for (int64_t k = 0; b->results != NULL && k < b->list.count; k++)
        mco_guillotine_result_clear(ctx, &b->results[k]);
    for (int64_t k = 0; b->files != NULL && k < b->list.file_count; k++)
        mco_guillotine_destroy(ctx, &b->files[k]);
    mco_free(ctx, &b->results);
    mco_free(ctx, &b->names);
    mco_free(ctx, &b->problems);
    mco_free(ctx, &b->files);
    cli_clear_list(ctx, &b->list);
}

static void end(cli_call *call)
{
    session *s = call->state;
    clear_batch(call->ctx, &s->many);
    mco_guillotine_result_clear(call->ctx, &s->result);
    mco_guillotine_nodes_free(call->ctx, &s->nodes);
    mco_guillotine_destroy(call->ctx, &s->problem);
}

// ---- solve: the input, one file or a batch

static mco_status read_batch(mco_context *ctx, const char *path, double kerf, batch *b)
{
    mco_status st = MCO_OK;
    MCO_TRY(cli_read_list(ctx, path, &b->list));
    MCO_TRY(mco_alloc(ctx, &b->files, b->list.file_count));
    MCO_TRY(mco_alloc(ctx, &b->problems, b->list.count));
    MCO_TRY(mco_alloc(ctx, &b->names, b->list.count));
    MCO_TRY(mco_alloc(ctx, &b->results, b->list.count));
    for (int64_t k = 0; k < b->list.file_count; k++)
        MCO_TRY(read_instance(ctx, b->list.paths[k], kerf, &b->files[k]));
    for (int64_t k = 0; k < b->list.count; k++) {
        b->problems[k] = b->files[b->list.file_of[k]];
        b->names[k] = b->list.names[b->list.file_of[k]];
        b->results[k] = (mco_guillotine_result)MCO_GUILLOTINE_RESULT_INIT;
    }
done:
    return st;
}

static mco_status open(cli_call *call)
{
    session *s = call->state;
    const bool has_file = call->input_count > 0;
    if (has_file == (s->batch != NULL))
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT,
                        "%s; usage: mco guillotine solve [OPTIONS] FILE | --batch LIST (see mco help guillotine)",
                        has_file ? "a file and --batch exclude each other" : "a file or --batch is needed");
    if (s->batch != NULL && s->table != NULL)
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--table is for one problem: leave it out with --batch");
    s->params.wants_table = s->table != NULL;
    if (s->batch == NULL)
        return open_file(call);
    call->inputs[call->input_count++] = s->batch;  // so that no output may replace it
    return read_batch(call->ctx, s->batch, s->params.kerf_width, &s->many);
}

static const char *const *more_inputs(const void *state, int64_t *count)
{
    const cli_list *list = &((const session *)state)->many.list;
    *count = list->file_count;
    return (const char *const *)list->paths;
}

static void more_outputs(const void *state, const char *out[CLI_MORE_OUTPUTS])
{
    out[0] = ((const session *)state)->table;
}

static mco_status solve(cli_call *call)
{
    session *s = call->state;
    batch *b = &s->many;
    if (s->batch == NULL)
        return mco_guillotine_solve(call->ctx, s->problem, &s->params, &s->result);
    const double begin_s = mco_clock_s();
    const mco_status st = mco_guillotine_solve_batch(call->ctx, b->problems, b->list.count, &s->params, b->results);
    b->solve_s = mco_clock_s() - begin_s;
    return st;
}

static mco_guillotine_batch batch_of(const session *s)
{
    const batch *b = &s->many;
    return (mco_guillotine_batch){.name = strcmp(s->batch, "-") == 0 ? "stdin" : s->batch,
                                  .names = b->names,
                                  .results = b->results,
                                  .count = b->list.count,
                                  .files = b->list.file_count,
                                  .solve_s = b->solve_s};
}

static mco_guillotine_totals totals_of(const session *s)
{
    const mco_guillotine_batch b = batch_of(s);
    return mco_guillotine_sum(&b, &s->params);
}

static bool is_usable(const void *state)
{
    const session *s = state;
    return s->batch == NULL ? s->result.nodes != NULL : totals_of(s).with_plan > 0;
}

// ---- solve: the files

static bool has_solution(const void *state)
{
    return ((const session *)state)->result.nodes != NULL;
}

static mco_status refuse_with_batch(cli_call *call, const char *flag)
{
    if (((const session *)call->state)->batch == NULL)
        return MCO_OK;
    return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "%s is for one problem: leave it out with --batch", flag);
}

static mco_status write_result(cli_call *call, const mco_option_values *more, const char *path)
{
    const session *s = call->state;
    if (s->batch == NULL)
        return mco_guillotine_write_result(call->ctx, s->problem, &s->params, &s->result, more, path);
    const mco_guillotine_batch b = batch_of(s);
    return mco_guillotine_write_batch(call->ctx, &b, &s->params, more, path);
}

static mco_status write_solution(cli_call *call, const void *incumbent, double objective, const char *path)
{
    const session *s = call->state;
    const mco_guillotine_result *r = &s->result;
    (void)objective;
    if (incumbent != NULL)
        return MCO_OK;  // the solution exists only at the end
    if (cli_ends_with(path, ".txt"))
        return mco_guillotine_write_cuts(call->ctx, s->problem, r->nodes, r->node_count, path);
    return mco_guillotine_write_plan(call->ctx, s->problem, r->nodes, r->node_count, r->value, path);
}

static mco_status plot(cli_call *call, const char *path)
{
    const session *s = call->state;
    return mco_guillotine_plot_result(call->ctx, s->problem, &s->params, &s->result, path);
}

static mco_status write_table(cli_call *call)
{
    const session *s = call->state;
    const mco_guillotine_result *r = &s->result;
    if (s->table == NULL)
        return MCO_OK;
    if (r->stop != MCO_STOP_FINISHED)
        return mco_fail(call->ctx, MCO_ERR_CHECK, "nothing is written to %s: the table is not complete (%s)", s->table,
                        mco_stop_text(r->stop));
    return mco_guillotine_write_values(call->ctx, s->problem, &r->table, s->table);
}

// ---- solve: the summary

static void print_relaxations(int64_t evaluated, int64_t skipped)
{
    const double all = (double)evaluated + (double)skipped;
    printf(", %lld relaxations, %lld skipped (%.1f%%)", (long long)evaluated, (long long)skipped,
           all > 0 ? 100.0 * (double)skipped / all : 0.0);
}

static mco_status print_plan(cli_call *call)
{
    const session *s = call->state;
    const mco_guillotine_result *r = &s->result;
    int64_t cuts = 0;
    for (int64_t k = 0; k < r->node_count; k++)
        cuts += r->nodes[k].kind == MCO_GUILLOTINE_NODE_CUT;
    printf("waste      %.3f%%\n", 100.0 * r->waste);
    printf("pieces     %lld on the plate\n", (long long)r->pieces_used);
    printf("cuts       %lld%s\n", (long long)cuts, cuts > MOST_PRINTED_CUTS ? " (--solution F.txt lists them)" : "");
    fflush(stdout);
    if (cuts > MOST_PRINTED_CUTS)
        return MCO_OK;
    return mco_guillotine_write_cuts(call->ctx, s->problem, r->nodes, r->node_count, "-");
}

static void print_batch(mco_context *ctx, const session *s)
{
    const batch *b = &s->many;
    const mco_guillotine_totals t = totals_of(s);
    printf("batch      %s, %lld problem%s from %lld file%s\n", s->batch, (long long)b->list.count, mco_plural(b->list.count),
           (long long)b->list.file_count, mco_plural(b->list.file_count));
    cli_print_outcome(t.outcome, t.stop, "");
    printf("solved     %lld", (long long)t.solved);
    print_relaxations(t.relaxations, t.relaxations_skipped);
    printf("\ntime       %.3f s, %.1f problems/s, ", b->solve_s, b->solve_s > 0 ? (double)t.solved / b->solve_s : NAN);
    cli_print_engine(ctx, &t.work);
    printf("\n");
    if (b->list.file_count > MOST_PRINTED_FILES) {
        printf("values     of %lld files (--json F lists them)\n", (long long)b->list.file_count);
        return;
    }
    for (int64_t k = 0; k < b->list.file_count; k++) {
        const mco_guillotine_result *r = &b->results[b->list.first[k]];
        const int64_t scale = mco_guillotine_value_scale(b->files[k]);
        char text[MCO_NUMBER_TEXT];
        if (r->nodes != NULL)
            printf("value      %12s  waste %7.3f%%  %s", mco_scaled_text(r->value, scale, text), 100.0 * r->waste, b->list.names[k]);
        else
            printf("value      %12s  %s", mco_outcome_text(r->outcome), b->list.names[k]);
        if (r->outcome == MCO_OUTCOME_FEASIBLE)
            printf(" (feasible, bound %s)", mco_scaled_text(r->bound, scale, text));
        printf("\n");
    }
}

static mco_status print(cli_call *call)
{
    const session *s = call->state;
    const mco_guillotine_result *r = &s->result;
    if (s->batch != NULL) {
        print_batch(call->ctx, s);
        return MCO_OK;
    }
    const int64_t scale = mco_guillotine_scale(s->problem), value_scale = mco_guillotine_value_scale(s->problem);
    char a[MCO_NUMBER_TEXT], c[MCO_NUMBER_TEXT];
    printf("instance   %s, plate %s x %s, %lld piece%s", mco_guillotine_name(s->problem),
           mco_scaled_text(mco_guillotine_width(s->problem), scale, a), mco_scaled_text(mco_guillotine_height(s->problem), scale, c),
           (long long)mco_guillotine_pieces(s->problem), mco_plural(mco_guillotine_pieces(s->problem)));
    if (r->pieces_too_large > 0)
        printf(", %lld of them larger than the plate", (long long)r->pieces_too_large);
    printf("\n");
    cli_print_outcome(r->outcome, r->stop, "");
    printf("value      %s\n", mco_scaled_text(r->value, value_scale, a));
    printf("bound      %s", mco_scaled_text(r->bound, value_scale, a));
    if (r->value > 0)
        printf("   gap %.2f%%", 100.0 * (double)(r->bound - r->value) / (double)r->value);
    printf("\npatterns   |X| %lld, |Y| %lld", (long long)r->patterns_x, (long long)r->patterns_y);
    if (r->stop == MCO_STOP_FINISHED)
        print_relaxations(r->relaxations, r->relaxations_skipped);
    printf("\ntime       %.3f s, ", r->work.solve_s);
    cli_print_engine(call->ctx, &r->work);
    printf("\n");
    return print_plan(call);
}

// ---- check

static mco_status read_plan(cli_call *call, const char *path)
{
    session *s = call->state;
    return mco_guillotine_read_plan(call->ctx, s->problem, path, &s->nodes, &s->node_count, &s->stated);
}

// A plan fails the check if it is invalid, or if its value is not the one that its file states.
static mco_status check(cli_call *call)
{
    mco_status st = MCO_OK;
    const session *s = call->state;
    const int64_t scale = mco_guillotine_value_scale(s->problem);
    int64_t value = 0, area = 0, pieces = 0;
    char a[MCO_NUMBER_TEXT], c[MCO_NUMBER_TEXT];
    MCO_TRY(mco_guillotine_check(call->ctx, s->problem, &s->params, s->nodes, s->node_count, &value));
    for (int64_t k = 0; k < s->node_count; k++)
        if (s->nodes[k].kind == MCO_GUILLOTINE_NODE_PIECE) {
            area += (int64_t)s->nodes[k].width * s->nodes[k].height;
            pieces++;
        }
    const double plate = (double)mco_guillotine_width(s->problem) * mco_guillotine_height(s->problem);
    if (s->stated >= 0 && s->stated != value)
        MCO_TRY(mco_fail(call->ctx, MCO_ERR_CHECK, "the plan is worth %s, its file says %s", mco_scaled_text(value, scale, a),
                         mco_scaled_text(s->stated, scale, c)));
    printf("valid: value %s, %lld piece%s, waste %.3f%%\n", mco_scaled_text(value, scale, a), (long long)pieces, mco_plural(pieces),
           100.0 * (1 - (double)area / plate));
done:
    return st;
}

// ---- generate

#define GENERATE_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                      \
    INTEGER(width, "--width", -1, 1, MCO_GUILLOTINE_MAX_SIDE, -1, "W", "width of the plate")     \
    INTEGER(height, "--height", -1, 1, MCO_GUILLOTINE_MAX_SIDE, -1, "H", "height of the plate") \
    INTEGER(pieces, "--pieces", -1, 1, MCO_GUILLOTINE_MAX_PIECES, -1, "N", "number of pieces")   \
    INTEGER(seed, "--seed", 1, 0, 9007199254740992, -1, "K", "seed")

typedef struct generation {
    MCO_FIELDS(GENERATE_OPTIONS)
    cli_generated file;
    mco_guillotine *problem;
} generation;
#undef MCO_OPTION_STRUCT
#define MCO_OPTION_STRUCT generation
static const mco_option generate_records[] = {MCO_OPTION_RECORDS(GENERATE_OPTIONS)};
static const mco_option_table generate_options = MCO_OPTION_TABLE(generate_records);

static void begin_generation(void *state)
{
    *(generation *)state = (generation){.width = -1, .height = -1, .pieces = -1, .seed = 1};
}

static void generate_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){&generate_options, state};
    out[1] = (mco_option_values){&cli_generated_options, &((generation *)state)->file};
}

static mco_status generate(cli_call *call)
{
    mco_status st = MCO_OK;
    mco_context *ctx = call->ctx;
    generation *g = call->state;
    const bool is_testcut = strcmp(call->inputs[0], "testcut") == 0;
    if (!is_testcut && strcmp(call->inputs[0], "randcut") != 0)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "\"%s\" cannot be generated, one of testcut|randcut was expected",
                         call->inputs[0]));
    if (g->width < 0 || g->height < 0 || g->pieces < 0)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "--width, --height and --pieces are needed"));
    if (is_testcut)
        MCO_TRY(mco_guillotine_testcut(ctx, (int32_t)g->width, (int32_t)g->height, (int32_t)g->pieces, g->seed, &g->problem));
    else
        MCO_TRY(mco_guillotine_randcut(ctx, (int32_t)g->width, (int32_t)g->height, (int32_t)g->pieces, g->seed, &g->problem));
    MCO_TRY(mco_guillotine_write(ctx, g->problem, cli_generated_path(&g->file)));
done:
    return st;
}

static void end_generation(cli_call *call)
{
    mco_guillotine_destroy(call->ctx, &((generation *)call->state)->problem);
}

const cli_problem cli_guillotine = {
    .name = "guillotine",
    .text = "two-dimensional guillotine cutting of a plate: proven optimum and plan of cuts",
    .about = "Guillotine cutting of a plate: cuts from edge to edge, any number of each piece, greatest value.\n\n"
             "FILE holds a plate and its pieces (OR-Library's format or CSV, plain or gzip, - for standard input).\n"
             "SOLUTION is a result file or the JSON that --solution wrote.",
    .example = "solve examples/boards.csv --rotate --kerf 4 --solution cuts.txt --plot sheet.svg",
    .csv = {{"CSV of FILE: a row plate,W,H, a header, then a row for each piece (columns in any order, cells by , ; or tab):",
             {{"width, height", "sides of the piece, integers in the unit of W and H; needed"},
              {"name", "shown in plan and picture; if absent or empty, the number of the row from 1"},
              {"value", "integer; if absent or empty, the area"},
              {"rotatable", "whether --rotate may turn the piece: yes, no, 1, 0, true or false; if absent or empty, yes"}}},
            {"CSV of --table F.csv: a row for each pair of positions:",
             {{"x, y", "width and height of a rectangle"}, {"value", "the greatest value of pieces cut from it"}}}},
    .actions = {
        {.name = "solve", .arguments = "[OPTIONS] FILE | --batch LIST", .most = 1, .state_bytes = sizeof(session),
         .begin = begin, .tables = solve_tables, .open = open, .more_inputs = more_inputs, .more_outputs = more_outputs,
         .solve = solve, .is_usable = is_usable, .has_solution = has_solution, .write_result = write_result,
         .solution_text = "write the plan: a list of cuts if F ends in .txt, else a JSON tree",
         .write_solution = write_solution, .plot_text = "draw the plan", .plot = plot, .refuse_output = refuse_with_batch,
         .write_more = write_table, .print = print, .end = end},
        {.name = "check", .arguments = "[--rotate] [--stages K] [--first-cut C] [--kerf U] FILE SOLUTION", .least = 2,
         .most = 2, .state_bytes = sizeof(session), .begin = begin, .tables = check_tables, .open = open_file,
         .read_solution = read_plan, .check = check, .end = end},
        {.name = "generate", .arguments = "testcut|randcut --width W --height H --pieces N [--seed K] [--output F]",
         .text = "testcut: random small, medium and large pieces; randcut: a plate cut at random, without waste",
         .least = 1, .most = 1, .state_bytes = sizeof(generation), .begin = begin_generation, .tables = generate_tables,
         .run = generate, .end = end_generation},
    },
};
