// SPDX-License-Identifier: MIT
#include "cli/cmd_dtspms_report.h"

enum { MOST_PRINTED_ORDERS = 30 };  // of a stack, in the summary; more are for a file

const char *const dtspms_engine_names[] = {"auto", "cpu", "gpu", "reference"};
static const char *const method_names[] = {"auto", "tabu", "ils", "exact"};
static const char *const move_names[] = {"swap", "3-exchange"};

const mco_dtspms_solution *dtspms_report_solution(const mco_dtspms_result *r)
{
    return r->cost >= 0 ? &r->solution : NULL;
}

const mco_dtspms_solution *dtspms_report_neighbour(const mco_dtspms_neighbourhood_result *r)
{
    return r->best_move >= 0 ? &r->solution : NULL;
}

bool dtspms_report_is_complete(const mco_dtspms_neighbourhood_result *r)
{
    return r->best_move >= 0 || r->moves == 0;
}

// ---- Result files

void dtspms_report_write_sizes(mco_json *json, const mco_dtspms *problem, int64_t stacks, int64_t capacity,
                               const mco_dtspms_solution *solution)
{
    mco_json_integer(json, "orders", mco_dtspms_orders(problem));
    mco_json_integer(json, "stacks", solution != NULL ? solution->stacks : stacks);
    mco_json_integer(json, "capacity", capacity);
    if (solution != NULL)
        mco_json_integers(json, "heights", solution->heights, solution->stacks, 0);
    else
        mco_json_null(json, "heights");
}

void dtspms_report_write_solution(mco_json *json, const mco_dtspms_solution *solution)
{
    if (solution == NULL) {
        mco_json_null(json, "pickup");
        mco_json_null(json, "delivery");
        mco_json_null(json, "stacks");
        return;
    }
    mco_json_integers(json, "pickup", solution->pickup, solution->orders, 1);
    mco_json_integers(json, "delivery", solution->delivery, solution->orders, 1);
    mco_json_open(json, "stacks", '[');
    const int32_t *stack = solution->plan;
    for (int32_t k = 0; k < solution->stacks; stack += solution->heights[k++])
        mco_json_integers(json, NULL, stack, solution->heights[k], 1);
    mco_json_close(json, ']');
}

static void write_work(mco_json *json, const mco_dtspms_work *w)
{
    mco_json_integer(json, "tours", w->tours);
    mco_json_integer(json, "relaxations", w->relaxations);
    mco_json_integer(json, "tours_skipped", w->tours_skipped);
    mco_json_integer(json, "lane_bits", w->lane_bits);
    mco_json_text(json, "simd", w->simd_used);
}

void dtspms_report_write_counters(mco_json *json, const mco_dtspms_result *r)
{
    mco_json_text(json, "method", method_names[r->method]);
    mco_json_integer(json, "iterations", r->iterations);
    mco_json_integer(json, "walks", r->walks);
    write_work(json, &r->work);
}

static void write_known(mco_json *json, const char *key, int64_t value)
{
    if (value >= 0)
        mco_json_integer(json, key, value);
    else
        mco_json_null(json, key);
}

void dtspms_report_write_move(mco_json *json, const mco_dtspms_neighbourhood_result *r)
{
    const bool has_move = r->best_move >= 0;
    mco_json_integer(json, "moves", r->moves);
    mco_json_integer(json, "plan_cost", r->plan_cost);
    write_known(json, "best_move", r->best_move);
    write_known(json, "cost_sum", r->cost_sum);
    if (has_move)
        mco_json_integers(json, "positions", r->positions, r->positions[2] < 0 ? 2 : 3, 0);
    else
        mco_json_null(json, "positions");
    write_known(json, "rotation", has_move ? r->rotation : -1);
    write_work(json, &r->work);
}

// ---- Summaries

static void print_instance(const mco_dtspms *problem, int64_t stacks, int64_t capacity)
{
    printf("instance   %s, %d orders, %lld stacks of %lld\n", mco_dtspms_name(problem), mco_dtspms_orders(problem),
           (long long)stacks, (long long)capacity);
}

static void print_cost(int64_t cost, const int64_t cost_of[2])
{
    printf("cost       %lld = %lld pickup + %lld delivery\n", (long long)cost, (long long)cost_of[MCO_DTSPMS_PICKUP],
           (long long)cost_of[MCO_DTSPMS_DELIVERY]);
}

static void print_stacks(const mco_dtspms *problem, const mco_dtspms_solution *solution)
{
    char buffer[16];
    const int32_t *order = solution->plan;
    for (int32_t k = 0; k < solution->stacks; order += solution->heights[k++]) {
        const int32_t height = solution->heights[k], shown = height < MOST_PRINTED_ORDERS ? height : MOST_PRINTED_ORDERS;
        printf("stack %-4d", k + 1);
        for (int32_t i = 0; i < shown; i++)
            printf(" %s", mco_dtspms_order_name(problem, order[i], buffer));
        if (shown < height)
            printf(" ... %d more on top", height - shown);
        printf("\n");
    }
}

// Rates count the kernels where a GPU computed.
static void print_work(const mco_dtspms_work *w)
{
    const double seconds = w->has_gpu && w->device_s > 0 ? w->device_s : w->solve_s;
    printf("tours      %lld evaluated, %lld skipped, %lld relaxations", (long long)w->tours, (long long)w->tours_skipped,
           (long long)w->relaxations);
    if (seconds > 0)
        printf("; %.4g tours/s, %.4g relaxations/s", (double)w->tours / seconds, (double)w->relaxations / seconds);
    printf("\ntime       %.3f s, ", w->solve_s);
    cli_print_engine(dtspms_engine_names[w->engine], w->has_gpu ? &w->gpu : NULL, w->device_s, w->threads_used, w->simd_used);
    printf("\n");
}

void dtspms_report_print_result(const mco_dtspms *problem, const mco_dtspms_params *params, const mco_dtspms_result *r)
{
    const mco_dtspms_solution *solution = dtspms_report_solution(r);
    print_instance(problem, solution != NULL ? solution->stacks : params->stacks, r->capacity);
    printf("outcome    %s (%s)\n", mco_outcome_text(r->outcome), mco_stop_text(r->stop));
    if (r->outcome == MCO_OUTCOME_INFEASIBLE)
        return;
    if (solution != NULL)
        print_cost(r->cost, r->cost_of);
    printf("bound      %lld", (long long)r->bound);
    if (r->cost > 0)
        printf("   gap %.2f%%", 100.0 * (double)(r->cost - r->bound) / (double)r->cost);
    printf("\nmethod     %s, %lld iteration%s", method_names[r->method], (long long)r->iterations,
           mco_plural(r->iterations));
    if (r->walks > 0)
        printf(", %d walk%s", r->walks, mco_plural(r->walks));
    printf("\n");
    print_work(&r->work);
    if (solution != NULL)
        print_stacks(problem, solution);
}

void dtspms_report_print_neighbourhood(const mco_dtspms *problem, const mco_dtspms_params *params, int64_t capacity,
                                       const char *start, const mco_dtspms_neighbourhood_result *r)
{
    const mco_dtspms_solution *neighbour = dtspms_report_neighbour(r);
    print_instance(problem, neighbour != NULL ? neighbour->stacks : params->stacks, capacity);
    printf("plan       cost %lld, ", (long long)r->plan_cost);
    if (start != NULL)
        printf("from %s\n", start);
    else
        printf("random, seed %lld\n", (long long)params->plan_seed);
    printf("moves      %lld of %s%s\n", (long long)r->moves, move_names[params->move],
           dtspms_report_is_complete(r) ? "" : ", interrupted");
    if (neighbour != NULL) {
        printf("best move  %lld, positions %d, %d", (long long)r->best_move, r->positions[0], r->positions[1]);
        if (r->positions[2] >= 0)
            printf(", %d, rotation %d", r->positions[2], r->rotation);
        printf("\n");
        print_cost(r->best_cost, r->best_cost_of);
    }
    print_work(&r->work);
}
