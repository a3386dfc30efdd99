// SPDX-License-Identifier: MIT
#include "vrp/print.h"

#include <math.h>
#include <stdio.h>

#include "base/context.h"
#include "base/names.h"
#include "cli/frame.h"

// A printed summary shows no more than these; a file holds all.
enum { MOST_PRINTED_ROUTES = 30, MOST_PRINTED_CUSTOMERS = 30 };

static const char *const distance_names[] = {"rounded", "real", "geo"};

const char *vrp_distance_name(const mco_vrp *problem)
{
    return distance_names[mco_vrp_distance_rule(problem)];
}

double vrp_units(const mco_vrp *problem, int64_t scaled)
{
    return (double)scaled / mco_vrp_scale(problem);
}

static double loads(const mco_vrp *problem, int64_t load)
{
    return (double)load / mco_vrp_load_scale(problem);
}

// An integer with scale 1, else all decimals of the scale, at least two.
const char *vrp_cost_text(const mco_vrp *problem, double cost, char text[VRP_COST_TEXT])
{
    const double scale = mco_vrp_scale(problem);
    const int decimals = (int)lround(log10(scale));
    snprintf(text, VRP_COST_TEXT, "%.*f", scale <= 1 ? 0 : decimals < 2 ? 2 : decimals, cost);
    return text;
}

static int length_decimals(const mco_vrp *problem)
{
    return mco_vrp_scale(problem) > 1 ? 2 : 0;
}

void vrp_print_instance(const mco_vrp *p)
{
    const int32_t n = mco_vrp_customers(p), longest = mco_vrp_max_length(p), vehicles = mco_vrp_vehicles(p);
    printf("instance   %s, %d customer%s, capacity %.15g", mco_vrp_name(p), n, mco_plural(n), loads(p, mco_vrp_capacity(p)));
    if (longest < MCO_VRP_MAX_LENGTH)
        printf(", routes up to %.15g", vrp_units(p, longest));
    if (vehicles > 0)
        printf(", at most %d vehicle%s", vehicles, mco_plural(vehicles));
    printf(", distances %s", vrp_distance_name(p));
    if (mco_vrp_scale(p) > 1)
        printf(" in units of 1/%.0f", mco_vrp_scale(p));
    printf("\n");
}

void vrp_print_fleet_rule(const mco_vrp *problem, int64_t exactly)
{
    const long long most = mco_vrp_vehicles(problem);
    if (exactly > 0)
        printf("fleet      exactly %lld route%s\n", (long long)exactly, mco_plural(exactly));
    else if (most > 0)
        printf("fleet      at most %lld route%s\n", most, mco_plural(most));
    else
        printf("fleet      free: any number of routes\n");
}

void vrp_print_fleet(const mco_vrp *problem, const mco_vrp_solution *solution)
{
    double load = 0, longest = 0;
    for (int32_t r = 0; r < solution->routes; r++) {
        const mco_vrp_route route = mco_vrp_route_of(problem, solution, r);
        load += (double)route.load;
        longest = fmax(longest, vrp_units(problem, route.length));
    }
    printf("routes     %d", solution->routes);
    if (solution->routes > 0)
        printf(", %.1f%% loaded, the longest %.*f", 100 * load / ((double)mco_vrp_capacity(problem) * solution->routes),
               length_decimals(problem), longest);
    printf("\n");
}

static void print_customers(const mco_vrp *problem, const int32_t *order, int32_t count)
{
    char buffer[16];
    const int32_t shown = count <= MOST_PRINTED_CUSTOMERS ? count : MOST_PRINTED_CUSTOMERS;
    for (int32_t i = 0; i < shown; i++) {
        printf(" ");
        mco_name_write(mco_vrp_customer_name(problem, order[i], buffer), stdout);
    }
    if (shown < count)
        printf(" ... %d more", count - shown);
    printf("\n");
}

void vrp_print_routes(const mco_vrp *problem, const mco_vrp_solution *solution)
{
    const int32_t shown = solution->routes <= MOST_PRINTED_ROUTES ? solution->routes : MOST_PRINTED_ROUTES;
    if (shown > 0)
        printf("route       load     length  customers%s\n", mco_vrp_has_names(problem) ? " by name" : "");
    for (int32_t r = 0; r < shown; r++) {
        const mco_vrp_route route = mco_vrp_route_of(problem, solution, r);
        const int32_t *order = solution->order + solution->first[r], count = solution->first[r + 1] - solution->first[r];
        printf("%-6d %9.15g %10.*f  %5d:", r + 1, loads(problem, route.load), length_decimals(problem),
               vrp_units(problem, route.length), count);
        print_customers(problem, order, count);
    }
    if (shown < solution->routes)
        printf("... %d more routes\n", solution->routes - shown);
}

void vrp_print_time(mco_context *ctx, const mco_work *work)
{
    printf("time       %.3f s, ", work->solve_s);
    cli_print_engine(ctx, work);
    printf("\n");
}
