// SPDX-License-Identifier: MIT
#include "cli/cmd_vrp_report.h"

#include <math.h>

// In a summary; more are for a file.
enum { MOST_PRINTED_ROUTES = 30, MOST_PRINTED_CUSTOMERS = 30 };

const char *const vrp_engine_names[] = {"auto", "cpu", "gpu", "reference"};
const char *const vrp_distance_names[] = {"rounded", "real"};

// ---- Costs

double vrp_report_units(const mco_vrp *problem, int64_t value)
{
    return (double)value / mco_vrp_scale(problem);
}

const char *vrp_report_cost(const mco_vrp *problem, int64_t cost, char text[VRP_COST_TEXT])
{
    const double scale = mco_vrp_scale(problem);
    const int decimals = (int)lround(log10(scale));
    if (scale <= 1)
        snprintf(text, VRP_COST_TEXT, "%lld", (long long)cost);
    else
        snprintf(text, VRP_COST_TEXT, "%.*f", decimals < 2 ? 2 : decimals, vrp_report_units(problem, cost));
    return text;
}

static int length_decimals(const mco_vrp *problem)
{
    return mco_vrp_scale(problem) > 1 ? 2 : 0;
}

static bool has_max_length(const mco_vrp *problem)
{
    return mco_vrp_max_length(problem) < MCO_VRP_MAX_LENGTH;
}

// ---- Result files and summaries

void vrp_report_write_sizes(mco_json *json, const mco_vrp *p)
{
    mco_json_integer(json, "customers", mco_vrp_customers(p));
    mco_json_integer(json, "capacity", mco_vrp_capacity(p));
    mco_json_real(json, "max_length", has_max_length(p) ? vrp_report_units(p, mco_vrp_max_length(p)) : NAN);
    if (mco_vrp_vehicles(p) > 0)
        mco_json_integer(json, "vehicles", mco_vrp_vehicles(p));
    else
        mco_json_null(json, "vehicles");
}

void vrp_report_write_solution(mco_json *json, const mco_vrp *problem, const mco_vrp_solution *solution)
{
    if (solution == NULL) {
        mco_json_null(json, "routes");
        mco_json_null(json, "loads");
        mco_json_null(json, "lengths");
        return;
    }
    mco_json_open(json, "routes", '[');
    for (int32_t r = 0; r < solution->routes; r++)
        mco_json_integers(json, NULL, solution->order + solution->first[r], solution->first[r + 1] - solution->first[r], 1);
    mco_json_close(json, ']');
    mco_json_open(json, "loads", '[');
    for (int32_t r = 0; r < solution->routes; r++)
        mco_json_integer(json, NULL, mco_vrp_route_of(problem, solution, r).load);
    mco_json_close(json, ']');
    mco_json_open(json, "lengths", '[');
    for (int32_t r = 0; r < solution->routes; r++)
        mco_json_real(json, NULL, vrp_report_units(problem, mco_vrp_route_of(problem, solution, r).length));
    mco_json_close(json, ']');
}

void vrp_report_print_instance(const mco_vrp *p)
{
    printf("instance   %s, %d customer%s, capacity %d", mco_vrp_name(p), mco_vrp_customers(p), mco_plural(mco_vrp_customers(p)),
           mco_vrp_capacity(p));
    if (has_max_length(p))
        printf(", routes up to %.15g", vrp_report_units(p, mco_vrp_max_length(p)));
    if (mco_vrp_vehicles(p) > 0)
        printf(", at most %d vehicle%s", mco_vrp_vehicles(p), mco_plural(mco_vrp_vehicles(p)));
    printf(", distances %s", vrp_distance_names[mco_vrp_distance_rule(p)]);
    if (mco_vrp_scale(p) > 1)
        printf(" in units of 1/%.0f", mco_vrp_scale(p));
    printf("\n");
}

void vrp_report_print_engine(const mco_vrp_work *w)
{
    printf("time       %.3f s, ", w->solve_s);
    cli_print_engine(vrp_engine_names[w->engine], w->has_gpu ? &w->gpu : NULL, w->device_s, w->threads_used, w->simd_used);
    printf("\n");
}

static void print_customers(const mco_vrp *problem, const int32_t *order, int32_t count)
{
    char buffer[16];
    const int32_t shown = count <= MOST_PRINTED_CUSTOMERS ? count : MOST_PRINTED_CUSTOMERS;
    for (int32_t i = 0; i < shown; i++)
        printf(" %s", mco_vrp_customer_name(problem, order[i], buffer));
    if (shown < count)
        printf(" ... %d more", count - shown);
    printf("\n");
}

void vrp_report_print_routes(const mco_vrp *problem, const mco_vrp_solution *solution)
{
    const int32_t shown = solution->routes <= MOST_PRINTED_ROUTES ? solution->routes : MOST_PRINTED_ROUTES;
    if (shown > 0)
        printf("route       load     length  customers\n");
    for (int32_t r = 0; r < shown; r++) {
        const mco_vrp_route route = mco_vrp_route_of(problem, solution, r);
        const int32_t *order = solution->order + solution->first[r], count = solution->first[r + 1] - solution->first[r];
        printf("%-6d %9lld %10.*f  %5d:", r + 1, (long long)route.load, length_decimals(problem),
               vrp_report_units(problem, route.length), count);
        print_customers(problem, order, count);
    }
    if (shown < solution->routes)
        printf("... %d more routes\n", solution->routes - shown);
}

void vrp_report_print_fleet(const mco_vrp *problem, const mco_vrp_solution *solution)
{
    double load = 0, longest = 0;
    for (int32_t r = 0; r < solution->routes; r++) {
        const mco_vrp_route route = mco_vrp_route_of(problem, solution, r);
        load += (double)route.load;
        longest = fmax(longest, vrp_report_units(problem, route.length));
    }
    printf("routes     %d", solution->routes);
    if (solution->routes > 0)
        printf(", %.1f%% loaded, the longest %.*f", 100 * load / ((double)mco_vrp_capacity(problem) * solution->routes),
               length_decimals(problem), longest);
    printf("\n");
}
