// SPDX-License-Identifier: MIT
// mco dtspms solve | neighbourhood | check | generate
#include <ctype.h>
#include <stdio.h>
#include <unistd.h>

#include "base/names.h"
#include "cli/frame.h"
#include "mco/dtspms.h"

enum { MOST_PRINTED_ORDERS = 30 };  // of a stack, in the summary

static const char *const method_names[] = {"auto", "tabu", "ils", "exact"};
static const char *const move_names[] = {"swap", "3-exchange"};

// ---- The state of solve, neighbourhood and check

#define ORDERS_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                 \
    INTEGER(orders, "--orders", -1, 0, MCO_DTSPMS_MAX_ORDERS, -1, "N",    \
            "number of orders of R00 to R19; of files, use only the first N")
#define CAPACITY_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)               \
    INTEGER(capacity, "--capacity", 0, 1, 1000000000, 0, "C",             \
            "orders that a stack can hold; as few as hold all orders if not given")

typedef struct session {
    mco_dtspms_params params;
    MCO_FIELDS(ORDERS_OPTIONS)
    MCO_FIELDS(CAPACITY_OPTIONS)
    mco_dtspms *problem;
    const char *start;         // the file
    mco_dtspms_solution read;  // the start, or the solution to check
    int64_t stated;            // the cost that its file states; -1 if none
    mco_dtspms_result result;
    mco_dtspms_neighbourhood_result around;
} session;

#define MCO_OPTION_STRUCT session
static const mco_option orders_records[] = {MCO_OPTION_RECORDS(ORDERS_OPTIONS)};
static const mco_option capacity_records[] = {MCO_OPTION_RECORDS(CAPACITY_OPTIONS)};
static const mco_option_table orders_options = MCO_OPTION_TABLE(orders_records),
                              capacity_options = MCO_OPTION_TABLE(capacity_records);

static void begin(void *state)
{
    *(session *)state = (session){.params = MCO_DTSPMS_PARAMS_INIT, .orders = -1, .stated = -1,
                                  .result = MCO_DTSPMS_RESULT_INIT, .around = MCO_DTSPMS_NEIGHBOURHOOD_RESULT_INIT};
}

static void solve_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){mco_dtspms_solve_options(), &((session *)state)->params};
    out[1] = (mco_option_values){&orders_options, state};
}

static void neighbourhood_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){mco_dtspms_neighbourhood_options(), &((session *)state)->params};
    out[1] = (mco_option_values){&orders_options, state};
}

static void check_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){&orders_options, state};
    out[1] = (mco_option_values){&capacity_options, state};
}

// Whether the text is R and two digits, and no file has this name.
static bool is_named(const char *text)
{
    return (text[0] == 'R' || text[0] == 'r') && isdigit((unsigned char)text[1]) && isdigit((unsigned char)text[2]) &&
           text[3] == '\0' && access(text, F_OK) != 0;
}

// The inputs are a name, a CSV file, or a pair of TSPLIB files.
static mco_status open(cli_call *call)
{
    mco_status st = MCO_OK;
    session *s = call->state;
    mco_dtspms *whole = NULL;
    const char *const first = call->inputs[0];
    const bool has_orders = s->orders >= 0;
    if (call->input_count == 1 && is_named(first)) {
        if (!has_orders)
            return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "%s: instances with a name, R00 to R19, have any number of orders: say how many with --orders N", first);
        return mco_dtspms_named(call->ctx, first, (int32_t)s->orders, &s->problem);
    }
    MCO_TRY(mco_dtspms_read(call->ctx, first, call->input_count > 1 ? call->inputs[1] : NULL,
                            has_orders ? &whole : &s->problem));
    if (has_orders)
        MCO_TRY(mco_dtspms_prefix(call->ctx, whole, (int32_t)s->orders, &s->problem));
done:
    mco_dtspms_destroy(call->ctx, &whole);
    return st;
}

static mco_status read_solution(cli_call *call, const char *path)
{
    session *s = call->state;
    s->start = path;
    s->params.start = &s->read;
    return mco_dtspms_read_solution(call->ctx, s->problem, path, &s->read, &s->stated);
}

static void end(cli_call *call)
{
    session *s = call->state;
    mco_dtspms_result_clear(call->ctx, &s->result);
    mco_dtspms_neighbourhood_result_clear(call->ctx, &s->around);
    mco_dtspms_solution_clear(call->ctx, &s->read);
    mco_dtspms_destroy(call->ctx, &s->problem);
}

// ---- Summaries

static void print_instance(const mco_dtspms *problem, int64_t stacks, int64_t capacity)
{
    const int32_t orders = mco_dtspms_orders(problem);
    printf("instance   %s, %d order%s, %lld stack%s of %lld\n", mco_dtspms_name(problem), orders, mco_plural(orders), (long long)stacks,
           mco_plural(stacks), (long long)capacity);
}

static void print_cost(int64_t cost, const int64_t cost_of[2])
{
    printf("cost       %lld = %lld pickup + %lld delivery\n", (long long)cost, (long long)cost_of[MCO_DTSPMS_NETWORK_PICKUP],
           (long long)cost_of[MCO_DTSPMS_NETWORK_DELIVERY]);
}

static void print_stacks(const mco_dtspms *problem, const mco_dtspms_solution *solution)
{
    char buffer[16];
    const int32_t *order = solution->plan;
    if (mco_dtspms_has_names(problem))
        printf("ids        names\n");
    for (int32_t k = 0; k < solution->stacks; order += solution->heights[k++]) {
        const int32_t height = solution->heights[k], shown = height < MOST_PRINTED_ORDERS ? height : MOST_PRINTED_ORDERS;
        printf("stack %-4d", k + 1);
        for (int32_t i = 0; i < shown; i++) {
            printf(" ");
            mco_name_write(mco_dtspms_order_name(problem, order[i], buffer), stdout);
        }
        if (shown < height)
            printf(" ... %d more on top", height - shown);
        printf("\n");
    }
}

// If a GPU computed, rates count the time in kernels alone.
static void print_work(mco_context *ctx, const mco_work *w, const mco_dtspms_counters *c)
{
    const double seconds = w->gpus != 0 && w->device_s > 0 ? w->device_s : w->solve_s;
    printf("tours      %lld evaluated, %lld skipped, %lld relaxations", (long long)c->tours, (long long)c->tours_skipped,
           (long long)c->relaxations);
    if (seconds > 0)
        printf("; %.4g tours/s, %.4g relaxations/s", (double)c->tours / seconds, (double)c->relaxations / seconds);
    printf("\ntime       %.3f s, ", w->solve_s);
    cli_print_engine(ctx, w);
    printf("\n");
}

// ---- solve

static mco_status solve(cli_call *call)
{
    session *s = call->state;
    return mco_dtspms_solve(call->ctx, s->problem, &s->params, &s->result);
}

static bool has_solution(const void *state)
{
    return ((const session *)state)->result.cost >= 0;
}

static mco_status write_result(cli_call *call, const mco_option_values *more, const char *path)
{
    const session *s = call->state;
    return mco_dtspms_write_result(call->ctx, s->problem, &s->params, &s->result, more, path);
}

static mco_status write_solution(cli_call *call, const void *incumbent, double objective, const char *path)
{
    const session *s = call->state;
    const bool is_end = incumbent == NULL;
    return mco_dtspms_write_solution(call->ctx, s->problem, is_end ? &s->result.solution : incumbent,
                                     is_end ? s->result.cost : (int64_t)objective, path);
}

static mco_status plot(cli_call *call, const char *path)
{
    const session *s = call->state;
    return mco_dtspms_plot_result(call->ctx, s->problem, &s->result, path);
}

static mco_status print(cli_call *call)
{
    const session *s = call->state;
    const mco_dtspms_result *r = &s->result;
    print_instance(s->problem, r->cost >= 0 ? r->solution.stacks : s->params.stacks, r->capacity);
    cli_print_outcome(r->outcome, r->stop, r->reason);
    if (r->outcome == MCO_OUTCOME_INFEASIBLE)
        return MCO_OK;
    if (r->cost >= 0)
        print_cost(r->cost, r->cost_of);
    printf("bound      %lld", (long long)r->bound);
    if (r->cost > 0)
        printf("   gap %.2f%%", 100.0 * (double)(r->cost - r->bound) / (double)r->cost);
    printf("\nmethod     %s, %lld iteration%s", method_names[r->method], (long long)r->iterations,
           mco_plural(r->iterations));
    if (r->walks > 0)
        printf(", %d walk%s", r->walks, mco_plural(r->walks));
    printf("\n");
    print_work(call->ctx, &r->work, &r->counters);
    if (r->cost >= 0)
        print_stacks(s->problem, &r->solution);
    return MCO_OK;
}

// ---- neighbourhood

static mco_status scan(cli_call *call)
{
    session *s = call->state;
    return mco_dtspms_neighbourhood(call->ctx, s->problem, &s->params, &s->around);
}

static bool has_move(const void *state)
{
    return ((const session *)state)->around.best_move >= 0;
}

// A neighbourhood without moves is complete. Any other that lacks its best move was interrupted.
static bool is_complete(const void *state)
{
    return has_move(state) || ((const session *)state)->around.moves == 0;
}

static mco_status write_neighbourhood(cli_call *call, const mco_option_values *more, const char *path)
{
    const session *s = call->state;
    return mco_dtspms_write_neighbourhood(call->ctx, s->problem, &s->params, &s->around, more, path);
}

static mco_status print_neighbourhood(cli_call *call)
{
    const session *s = call->state;
    const mco_dtspms_neighbourhood_result *r = &s->around;
    print_instance(s->problem, has_move(s) ? r->solution.stacks : s->params.stacks, r->capacity);
    if (r->plan_cost >= 0)
        printf("plan       cost %lld, ", (long long)r->plan_cost);
    else
        printf("plan       cost unknown, ");
    if (s->start != NULL)
        printf("from %s\n", s->start);
    else
        printf("random, seed %lld\n", (long long)s->params.plan_seed);
    printf("moves      %lld of %s%s\n", (long long)r->moves, move_names[s->params.move],
           is_complete(s) ? "" : r->stop == MCO_STOP_TIME ? ", interrupted (time)" : ", interrupted");
    if (has_move(s)) {
        printf("best move  %lld, positions %d, %d", (long long)r->best_move, r->positions[0], r->positions[1]);
        if (r->positions[2] >= 0)
            printf(", %d, rotation %d", r->positions[2], r->rotation);
        printf("\n");
        print_cost(r->best_cost, r->best_cost_of);
    }
    print_work(call->ctx, &r->work, &r->counters);
    return MCO_OK;
}

// ---- check

// A solution fails the check if it breaks a rule or if its file states another cost.
static mco_status check(cli_call *call)
{
    mco_status st = MCO_OK;
    const session *s = call->state;
    int64_t cost = 0, cost_of[2] = {0, 0};
    MCO_TRY(mco_dtspms_check(call->ctx, s->problem, &s->read, s->capacity, &cost, cost_of));
    if (s->stated >= 0 && s->stated != cost)
        MCO_TRY(mco_fail(call->ctx, MCO_ERR_CHECK, "the solution costs %lld, its file says %lld", (long long)cost,
                         (long long)s->stated));
    printf("valid: cost %lld = %lld pickup + %lld delivery, %d stacks\n", (long long)cost,
           (long long)cost_of[MCO_DTSPMS_NETWORK_PICKUP], (long long)cost_of[MCO_DTSPMS_NETWORK_DELIVERY], s->read.stacks);
done:
    return st;
}

// ---- generate

#define GENERATE_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                      \
    INTEGER(orders, "--orders", -1, 0, MCO_DTSPMS_MAX_ORDERS, -1, "N", "orders")                             \
    INTEGER(seed_pickup, "--seed-pickup", 1, 0, 9007199254740992, -1, "A", "seed of the pickup network")     \
    INTEGER(seed_delivery, "--seed-delivery", 2, 0, 9007199254740992, -1, "B", "seed of the delivery network") \
    TEXT(pickup, "--pickup", "F", "where to write the pickup network, - for standard output")                \
    TEXT(delivery, "--delivery", "F", "where to write the delivery network")

typedef struct generation {
    MCO_FIELDS(GENERATE_OPTIONS)
    mco_dtspms *problem;
} generation;
#undef MCO_OPTION_STRUCT
#define MCO_OPTION_STRUCT generation
static const mco_option generate_records[] = {MCO_OPTION_RECORDS(GENERATE_OPTIONS)};
static const mco_option_table generate_options = MCO_OPTION_TABLE(generate_records);

static void begin_generation(void *state)
{
    *(generation *)state = (generation){.orders = -1, .seed_pickup = 1, .seed_delivery = 2};
}

static void generate_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){&generate_options, state};
}

static mco_status refuse_missing(cli_call *call)
{
    const generation *g = call->state;
    if (g->orders < 0 || g->pickup == NULL || g->delivery == NULL)
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--orders, --pickup and --delivery are needed");
    return MCO_OK;
}

static void generated_files(const void *state, const char *out[CLI_MORE_OUTPUTS])
{
    out[0] = ((const generation *)state)->pickup;
    out[1] = ((const generation *)state)->delivery;
}

static mco_status generate(cli_call *call)
{
    mco_status st = MCO_OK;
    generation *g = call->state;
    MCO_TRY(mco_dtspms_generate(call->ctx, (int32_t)g->orders, g->seed_pickup, g->seed_delivery, &g->problem));
    MCO_TRY(mco_dtspms_write(call->ctx, g->problem, MCO_DTSPMS_NETWORK_PICKUP, g->pickup));
    MCO_TRY(mco_dtspms_write(call->ctx, g->problem, MCO_DTSPMS_NETWORK_DELIVERY, g->delivery));
done:
    return st;
}

static void end_generation(cli_call *call)
{
    mco_dtspms_destroy(call->ctx, &((generation *)call->state)->problem);
}

const cli_problem cli_dtspms = {
    .name = "dtspms",
    .text = "double travelling salesman with multiple stacks: loading plan and both tours",
    .about = "The double travelling salesman with multiple stacks: orders are picked up in one city, stacked, and delivered\n"
             "in another, last in, first out; find the loading plan and the two tours of least total length.\n\n"
             "INSTANCE is R00 to R19 with --orders N (by Petersen and Madsen; a file of that name takes precedence), a pair\n"
             "of TSPLIB files, PICKUP DELIVERY, or a CSV file of both networks (plain or gzip, - for standard input).\n"
             "SOLUTION is a result file or a file that --solution wrote. To start from, its plan is enough.",
    .example = "solve examples/pallets.csv --solution plan.txt --plot tours.svg",
    .csv = {{"CSV of INSTANCE: a header, the row of the depots, then a row for each order (columns in any order, cells by\n"
             ", ; or tab; lines that begin with # before the header are comments):",
             {{"pickup_x, pickup_y", "place in the pickup city; distances are straight lines, rounded to integers; needed"},
              {"delivery_x, delivery_y", "place in the delivery city; needed"},
              {"name", "shown in the picture; if absent or empty, the number of the order from 1"}}}},
    .actions = {
        {.name = "solve", .arguments = "[OPTIONS] INSTANCE", .least = 1, .most = 2, .text = "10 s if no end is given",
         .state_bytes = sizeof(session), .begin = begin, .tables = solve_tables, .open = open,
         .start_text = "begin with the plan of the solution in F", .read_start = read_solution, .ranks = CLI_RANKS_SHARE, .solve = solve,
         .has_solution = has_solution, .write_result = write_result,
         .solution_text = "write stacks and tours, anew at improvements and at the end", .write_solution = write_solution,
         .plot_text = "draw both tours and the container", .plot = plot, .objective = "cost",
         .history = offsetof(session, result.history), .history_count = offsetof(session, result.history_count),
         .print = print, .end = end},
        {.name = "neighbourhood", .arguments = "[OPTIONS] INSTANCE", .least = 1, .most = 2,
         .text = "evaluate every move of a plan; print the best move, its number and the rate",
         .state_bytes = sizeof(session), .begin = begin, .tables = neighbourhood_tables, .open = open,
         .start_text = "begin with the plan of the solution in F", .read_start = read_solution, .solve = scan,
         .is_usable = is_complete, .has_solution = has_move, .write_result = write_neighbourhood,
         .print = print_neighbourhood, .end = end},
        {.name = "check", .arguments = "[--capacity C] [--orders N] INSTANCE SOLUTION", .least = 2, .most = 3,
         .text = "test that plan and tours hold every order once and obey last in, first out; print the cost",
         .state_bytes = sizeof(session), .begin = begin, .tables = check_tables, .open = open,
         .read_solution = read_solution, .check = check, .end = end},
        {.name = "generate", .arguments = "--orders N --pickup F --delivery F [--seed-pickup A --seed-delivery B]",
         .state_bytes = sizeof(generation), .begin = begin_generation, .tables = generate_tables, .open = refuse_missing,
         .more_outputs = generated_files, .run = generate, .end = end_generation},
    },
};
