// SPDX-License-Identifier: MIT
// Routes along a space-filling curve (Bartholdi, Platzman 1988), the first ones of instances whose savings take seconds.
// Customers are sorted by their places on a Hilbert curve through the square around them, and each route takes the next
// ones while its limits allow it. Neighbours on the curve lie near each other. Without places the order is that of the
// numbers. The time is linear: a radix sort, then one walk along the curve.
#include <math.h>
#include <string.h>

#include "vrp/search/curve.h"
#include "vrp/solution.h"

enum {
    AXIS_BITS = 16,                                // of a place on either axis
    DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS,     // of a step of the sort
    KEY_BITS = 2 * AXIS_BITS,
    UNWATCHED_CUSTOMERS = 200000                   // up to here there is no time limit too short for routes
};

// How far along the curve a cell lies. The square is cut into four again and again; each quarter is turned so that the
// curve goes on where it left the quarter before.
static uint32_t place_on_curve(uint32_t x, uint32_t y)
{
    uint32_t place = 0;
    for (uint32_t side = 1u << (AXIS_BITS - 1); side > 0; side /= 2) {
        const uint32_t right = (x & side) > 0, upper = (y & side) > 0;
        place += side * side * ((3 * right) ^ upper);
        if (upper)
            continue;
        const uint32_t old = x;
        x = right ? ~y : y;  // only the lower bits count from here on
        y = right ? ~old : old;
    }
    return place;
}

static mco_status fill_keys(mco_context *ctx, const mco_vrp *p, const vrp_watch *watch, uint64_t *keys)
{
    mco_status st = MCO_OK;
    double left = INFINITY, right = -INFINITY, bottom = INFINITY, top = -INFINITY;
    for (int32_t i = 1; p->x != NULL && i < p->nodes; i++) {
        left = fmin(left, p->x[i]);
        right = fmax(right, p->x[i]);
        bottom = fmin(bottom, p->y[i]);
        top = fmax(top, p->y[i]);
    }
    const double side = fmax(right - left, top - bottom), scale = side > 0 ? ((1 << AXIS_BITS) - 1) / side : 0;
    for (int32_t c = 0; c < p->customers; c++) {
        MCO_TRY(vrp_watch_item(ctx, watch, c));
        const uint32_t place = p->x == NULL ? 0 : place_on_curve((uint32_t)((p->x[c + 1] - left) * scale),
                                                                 (uint32_t)((p->y[c + 1] - bottom) * scale));
        keys[c] = (uint64_t)place << 32 | (uint32_t)c;
    }
done:
    return st;
}

// Sorts by the upper halves; equal ones stay in their order. `spare` [count] is overwritten; *sorted is one of both.
static mco_status sort_keys(mco_context *ctx, int32_t count, const vrp_watch *watch, uint64_t *keys, uint64_t *spare,
                            const uint64_t **sorted)
{
    mco_status st = MCO_OK;
    for (int shift = 32; shift < 32 + KEY_BITS; shift += DIGIT_BITS) {
        int32_t place[DIGITS + 1] = {0};
        for (int32_t k = 0; k < count; k++)
            place[(keys[k] >> shift & (DIGITS - 1)) + 1]++;
        for (int32_t d = 0; d < DIGITS; d++)
            place[d + 1] += place[d];
        for (int32_t k = 0; k < count; k++) {
            MCO_TRY(vrp_watch_item(ctx, watch, k));
            spare[place[keys[k] >> shift & (DIGITS - 1)]++] = keys[k];
        }
        uint64_t *const swap = keys;
        keys = spare;
        spare = swap;
    }
    *sorted = keys;
done:
    return st;
}

// Cuts the sorted customers into routes.
static mco_status cut_routes(mco_context *ctx, const mco_vrp *p, const vrp_watch *watch, const uint64_t *sorted,
                             mco_vrp_solution *out)
{
    mco_status st = MCO_OK;
    int64_t load = 0, length = 0;  // the length without the way back
    int32_t at = 0;
    out->routes = 0;
    for (int32_t k = 0; k < p->customers; k++) {
        MCO_TRY(vrp_watch_item(ctx, watch, k));
        const int32_t node = (int32_t)(uint32_t)sorted[k] + 1;
        const int64_t longer = length + vrp_distance(p, at, node) + vrp_service(p, node);
        const bool fits = load + p->demand[node] <= p->capacity &&
                          (!vrp_has_max_length(p) || longer + vrp_distance(p, node, 0) <= p->max_length);
        if (at == 0 || !fits) {
            out->first[out->routes++] = k;
            load = 0;
            length = (int64_t)vrp_distance(p, 0, node) + vrp_service(p, node);
        } else {
            length = longer;
        }
        load += p->demand[node];
        out->order[k] = node - 1;
        at = node;
    }
    out->first[out->routes] = p->customers;
done:
    return st;
}

mco_status vrp_construct_along_curve(mco_context *ctx, const mco_vrp *problem, const vrp_watch *watch,
                                     mco_vrp_solution *out)
{
    mco_status st = MCO_OK;
    const int32_t n = problem->customers;
    uint64_t *keys = NULL, *spare = NULL;
    const uint64_t *sorted = NULL;
    mco_vrp_solution routes = {0};
    if (n <= UNWATCHED_CUSTOMERS)
        watch = NULL;
    MCO_TRY(mco_alloc(ctx, &keys, n));
    MCO_TRY(mco_alloc(ctx, &spare, n));
    MCO_TRY(vrp_solution_new(ctx, n, n, &routes));
    MCO_TRY(fill_keys(ctx, problem, watch, keys));
    MCO_TRY(sort_keys(ctx, n, watch, keys, spare, &sorted));
    MCO_TRY(cut_routes(ctx, problem, watch, sorted, &routes));
    *out = routes;
    routes = (mco_vrp_solution){0};
done:
    mco_vrp_solution_clear(ctx, &routes);
    mco_free(ctx, &spare);
    mco_free(ctx, &keys);
    return st;
}
