// SPDX-License-Identifier: MIT
// Customers that no vehicle can serve, with a proof. The way from the depot to a customer and back is no proof: where
// the triangle inequality fails, a way through other customers may be shorter. Rounding and matrices of roads break it.
// Up to MCO_VRP_MAX_MATRIX_CUSTOMERS customers the proof is by shortest paths (Dijkstra 1959). With more there are
// places, and the real distances of places obey the inequality; then it is by the most that rounding takes off a route.
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "vrp/instance.h"

enum { LONGEST_NAME = 48, NAME_ROOM = LONGEST_NAME + 4 };  // bytes of a name in a message; the same with " ()"

// There, the service, and back. Two distances up to 2^24 and a service time below 2^30 fit into 31 bits.
static int64_t direct_length(const mco_vrp *p, int32_t node)
{
    return vrp_distance(p, 0, node) + vrp_service(p, node) + vrp_distance(p, node, 0);
}

static bool is_too_long(const mco_vrp *p, int64_t length)
{
    return vrp_has_max_length(p) && length > p->max_length;
}

// ---- The message

// " (Berger)"; empty for a customer without a name. A long name is cut between characters of UTF-8.
static void show_name(const mco_vrp *p, int32_t customer, char shown[NAME_ROOM])
{
    char number[16];
    const char *name = mco_vrp_customer_name(p, customer, number);
    int length = (int)strnlen(name, LONGEST_NAME);
    while (length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80)
        length--;
    shown[0] = '\0';
    if (name != number)
        snprintf(shown, NAME_ROOM, " (%.*s)", length, name);
}

static mco_status fail_demand(mco_context *ctx, const mco_vrp *p, int32_t node)
{
    char shown[NAME_ROOM];
    show_name(p, node - 1, shown);
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "customer %d%s: the demand is %.15g, the capacity of a vehicle %.15g", node, shown,
                    vrp_load(p, p->demand[node]), vrp_load(p, p->capacity));
}

static mco_status fail_length(mco_context *ctx, const mco_vrp *p, int32_t node, int64_t least)
{
    char shown[NAME_ROOM];
    show_name(p, node - 1, shown);
    return mco_fail(ctx, MCO_ERR_ARGUMENT,
                    "customer %d%s: there and back is at least %.10g with its service, the longest route allowed %.10g", node,
                    shown, (double)least / p->scale, p->max_length / p->scale);
}

// ---- Proofs

// Sets way [nodes] to the length of the shortest path from the depot to each node, or home from it, with the service
// times of all customers on it. is_final [nodes] is working memory. No sum overflows: paths have at most 20,000 edges.
// Returns false if time is over before all ways are known.
static bool find_ways(mco_context *ctx, const mco_vrp *p, bool is_home, double stop_s, int64_t *way, bool *is_final)
{
    for (int32_t i = 0; i < p->nodes; i++) {
        way[i] = i == 0 ? 0 : INT64_MAX;
        is_final[i] = false;
    }
    for (int32_t at = 0; at >= 0;) {
        int32_t next = -1;
        if (mco_is_cancelled(ctx) || mco_clock_s() >= stop_s)
            return false;
        is_final[at] = true;
        for (int32_t i = 1; i < p->nodes; i++) {
            if (is_final[i])
                continue;
            const int64_t length = way[at] + (is_home ? vrp_distance(p, i, at) : vrp_distance(p, at, i)) + vrp_service(p, i);
            way[i] = length < way[i] ? length : way[i];
            next = next < 0 || way[i] < way[next] ? i : next;
        }
        at = next;
    }
    return true;
}

// A route through a customer is a path to it and a path home. Both may meet the same customers, so the bound is a
// relaxation.
static mco_status refuse_by_paths(mco_context *ctx, const mco_vrp *p, double stop_s)
{
    mco_status st = MCO_OK;
    int64_t *out = NULL, *home = NULL;
    bool *is_final = NULL;
    MCO_TRY(mco_alloc(ctx, &out, p->nodes));
    MCO_TRY(mco_alloc(ctx, &home, p->nodes));
    MCO_TRY(mco_alloc(ctx, &is_final, p->nodes));
    const bool is_known = find_ways(ctx, p, false, stop_s, out, is_final) && find_ways(ctx, p, true, stop_s, home, is_final);
    for (int32_t i = 1; i < p->nodes && st == MCO_OK && is_known; i++)
        if (is_too_long(p, out[i] + home[i] - vrp_service(p, i)))
            st = fail_length(ctx, p, i, out[i] + home[i] - vrp_service(p, i));
done:
    mco_free(ctx, &is_final);
    mco_free(ctx, &home);
    mco_free(ctx, &out);
    return st;
}

// How many customers a route can hold at most.
static int64_t most_of_route(const mco_vrp *p)
{
    int32_t least = INT32_MAX, free_of_load = 0;
    for (int32_t i = 1; i < p->nodes; i++) {
        free_of_load += p->demand[i] == 0;
        least = p->demand[i] > 0 && p->demand[i] < least ? p->demand[i] : least;
    }
    const int64_t most = (int64_t)free_of_load + p->capacity / least;
    return most < p->customers ? most : p->customers;
}

// A rounded distance is at most half a unit below the real one, and at most a unit above. So a route through a customer
// is longer than the direct way less two units and half a unit for each of its edges.
static mco_status refuse_by_rounding(mco_context *ctx, const mco_vrp *p)
{
    const int64_t slack = 2 + (most_of_route(p) + 2) / 2;
    for (int32_t i = 1; i < p->nodes; i++)
        if (is_too_long(p, direct_length(p, i) - slack))
            return fail_length(ctx, p, i, direct_length(p, i) - slack);
    return MCO_OK;
}

mco_status vrp_refuse_unservable(mco_context *ctx, const mco_vrp *problem, double stop_s)
{
    bool is_doubtful = false;
    for (int32_t i = 1; i < problem->nodes; i++) {
        if (problem->demand[i] > problem->capacity)
            return fail_demand(ctx, problem, i);
        is_doubtful |= is_too_long(problem, direct_length(problem, i));
    }
    if (!is_doubtful)
        return MCO_OK;
    return problem->customers <= MCO_VRP_MAX_MATRIX_CUSTOMERS ? refuse_by_paths(ctx, problem, stop_s)
                                                               : refuse_by_rounding(ctx, problem);
}

mco_status vrp_find_conflict(mco_context *ctx, const mco_vrp *problem, double stop_s)
{
    const mco_status st = vrp_refuse_unservable(ctx, problem, stop_s);
    int64_t demand = 0;
    if (st != MCO_OK)
        return st;
    for (int32_t i = 1; i < problem->nodes; i++)
        demand += problem->demand[i];
    const int64_t room = (int64_t)problem->vehicles * problem->capacity;
    if (problem->vehicles > 0 && demand > room)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "all demands are %.15g, the vehicles carry %.15g: %d of capacity %.15g",
                        vrp_load(problem, demand), vrp_load(problem, room), problem->vehicles,
                        vrp_load(problem, problem->capacity));
    return MCO_OK;
}
