// SPDX-License-Identifier: MIT
// The checker replays both tours on the stacks of the plan and adds up the raw distances. It shares nothing with the
// solvers.
//
// Once the plan and both tours are known to hold every order once, a counter for each stack is enough. A pickup is
// right if all orders below it are on board. A delivery is right if no order is left above it.
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "mco/dtspms.h"

enum { LONGEST_NAME = 48 };  // bytes of a name in a message

typedef struct check {
    mco_context *ctx;
    const mco_dtspms *problem;
    const mco_dtspms_solution *solution;
    int32_t orders, stacks;
    int32_t first[MCO_DTSPMS_MAX_STACKS + 1];  // position in the plan of the lowest order of each stack
    int32_t *place;                            // [orders] position in the plan plus one; 0 before the order is seen
    int32_t *visit;                            // [orders] the same in the current tour
} check;

static const char *const NETWORKS[] = {"pickup", "delivery"};

// ---- Texts: orders, stacks and positions are counted from 1

typedef struct order_text {
    char text[80];
} order_text;

// "order 12", "order 12 (Aarhus)". A long name is cut after a whole character of UTF-8.
static order_text describe(const check *c, int32_t order)
{
    order_text t;
    char buffer[16];
    const char *name = mco_dtspms_order_name(c->problem, order, buffer);
    int length = (int)strnlen(name, LONGEST_NAME);
    while (length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80)
        length--;
    if (name == buffer)
        snprintf(t.text, sizeof t.text, "order %d", order + 1);
    else
        snprintf(t.text, sizeof t.text, "order %d (%.*s)", order + 1, length, name);
    return t;
}

static int32_t stack_of(const check *c, int32_t position)
{
    int32_t stack = 0;
    while (position >= c->first[stack + 1])
        stack++;
    return stack;
}

typedef struct place_text {
    char text[64];
} place_text;

// "stack 2, place 3 from the bottom"
static place_text describe_place(const check *c, int32_t position)
{
    place_text t;
    const int32_t stack = stack_of(c, position);
    snprintf(t.text, sizeof t.text, "stack %d, place %d from the bottom", stack + 1,
             position - c->first[stack] + 1);
    return t;
}

// ---- The plan

static mco_status check_heights(check *c, int64_t capacity)
{
    const int64_t most = capacity > 0 ? capacity : ((int64_t)c->orders + c->stacks - 1) / c->stacks;
    int64_t sum = 0;
    for (int32_t k = 0; k < c->stacks; k++) {
        const int32_t height = c->solution->heights[k];
        if (height < 0)
            return mco_fail(c->ctx, MCO_ERR_CHECK, "stack %d: %d orders high, at least 0 was expected", k + 1, height);
        if (height > most)
            return mco_fail(c->ctx, MCO_ERR_CHECK, "stack %d: %d orders high, at most %lld are allowed", k + 1, height,
                            (long long)most);
        sum += height;
    }
    if (sum != c->orders)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "the stacks hold %lld orders, %d were expected", (long long)sum,
                        c->orders);
    for (int32_t k = 0; k < c->stacks; k++)
        c->first[k + 1] = c->first[k] + c->solution->heights[k];
    return MCO_OK;
}

static mco_status check_plan(check *c)
{
    for (int32_t i = 0; i < c->orders; i++) {
        const int32_t order = c->solution->plan[i];
        if (order < 0 || order >= c->orders)
            return mco_fail(c->ctx, MCO_ERR_CHECK, "%s: order %lld, 1 to %d was expected", describe_place(c, i).text,
                            (long long)order + 1, c->orders);
        if (c->place[order] > 0)
            return mco_fail(c->ctx, MCO_ERR_CHECK, "%s: %s lies there, and in %s", describe_place(c, i).text,
                            describe(c, order).text, describe_place(c, c->place[order] - 1).text);
        c->place[order] = i + 1;
    }
    return MCO_OK;
}

// ---- Tours

static mco_status check_visits(check *c, mco_dtspms_network network, const int32_t *tour)
{
    memset(c->visit, 0, (size_t)c->orders * sizeof *c->visit);
    for (int32_t i = 0; i < c->orders; i++) {
        const int32_t order = tour[i];
        if (order < 0 || order >= c->orders)
            return mco_fail(c->ctx, MCO_ERR_CHECK, "%s position %d: order %lld, 1 to %d was expected", NETWORKS[network],
                            i + 1, (long long)order + 1, c->orders);
        if (c->visit[order] > 0)
            return mco_fail(c->ctx, MCO_ERR_CHECK, "%s position %d: %s is visited again, first at position %d",
                            NETWORKS[network], i + 1, describe(c, order).text, c->visit[order]);
        c->visit[order] = i + 1;
    }
    return MCO_OK;
}

// next: the position in the plan of each stack's next order, the lowest that is not on board.
static mco_status replay_pickup(const check *c)
{
    int32_t next[MCO_DTSPMS_MAX_STACKS];
    memcpy(next, c->first, sizeof next);
    for (int32_t i = 0; i < c->orders; i++) {
        const int32_t order = c->solution->pickup[i], stack = stack_of(c, c->place[order] - 1);
        const int32_t expected = c->solution->plan[next[stack]++];
        if (order != expected)
            return mco_fail(c->ctx, MCO_ERR_CHECK,
                            "pickup position %d: %s is put on stack %d while %s, below it, is missing", i + 1,
                            describe(c, order).text, stack + 1, describe(c, expected).text);
    }
    return MCO_OK;
}

// end: the position after each stack's highest order on board, which is the next to leave.
static mco_status replay_delivery(const check *c)
{
    int32_t end[MCO_DTSPMS_MAX_STACKS];
    memcpy(end, c->first + 1, sizeof end);
    for (int32_t i = 0; i < c->orders; i++) {
        const int32_t order = c->solution->delivery[i], stack = stack_of(c, c->place[order] - 1);
        const int32_t expected = c->solution->plan[--end[stack]];
        if (order != expected)
            return mco_fail(c->ctx, MCO_ERR_CHECK, "delivery position %d: %s is taken while %s lies on it in stack %d",
                            i + 1, describe(c, order).text, describe(c, expected).text, stack + 1);
    }
    return MCO_OK;
}

// Length of the closed tour from depot to depot. The sum of fewer than 2^24 distances below 2^31 fits 64 bits.
static int64_t length_of(const check *c, mco_dtspms_network network, const int32_t *tour)
{
    int64_t length = 0;
    int32_t at = 0;
    for (int32_t i = 0; i < c->orders; i++) {
        length += mco_dtspms_distance(c->problem, network, at, tour[i] + 1);
        at = tour[i] + 1;
    }
    return c->orders > 0 ? length + mco_dtspms_distance(c->problem, network, at, 0) : 0;
}

// ---- All of it

static mco_status refuse(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_solution *s, int64_t capacity)
{
    if (s->orders != mco_dtspms_orders(problem))
        return mco_fail(ctx, MCO_ERR_CHECK, "the solution has %d orders, the instance has %d", s->orders,
                        mco_dtspms_orders(problem));
    if (s->stacks < 1 || s->stacks > MCO_DTSPMS_MAX_STACKS)
        return mco_fail(ctx, MCO_ERR_CHECK, "the solution has %d stacks, 1 to %d was expected", s->stacks,
                        MCO_DTSPMS_MAX_STACKS);
    if (s->orders > 0 && (s->plan == NULL || s->pickup == NULL || s->delivery == NULL))
        return mco_fail(ctx, MCO_ERR_CHECK, "the solution has no %s, one of %d orders was expected",
                        s->plan == NULL ? "plan" : s->pickup == NULL ? "pickup tour" : "delivery tour", s->orders);
    if (capacity < 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "capacity is %lld, at least 0 was expected", (long long)capacity);
    return MCO_OK;
}

mco_status mco_dtspms_check(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_solution *solution,
                            int64_t capacity, int64_t *cost, int64_t cost_of[2])
{
    mco_status st = MCO_OK;
    int64_t lengths[2];
    if (ctx == NULL || problem == NULL || solution == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    check c = {.ctx = ctx, .problem = problem, .solution = solution, .orders = solution->orders, .stacks = solution->stacks};
    MCO_TRY(refuse(ctx, problem, solution, capacity));
    MCO_TRY(check_heights(&c, capacity));
    MCO_TRY(mco_alloc(ctx, &c.place, c.orders));
    MCO_TRY(mco_alloc(ctx, &c.visit, c.orders));
    MCO_TRY(check_plan(&c));
    MCO_TRY(check_visits(&c, MCO_DTSPMS_NETWORK_PICKUP, solution->pickup));
    MCO_TRY(check_visits(&c, MCO_DTSPMS_NETWORK_DELIVERY, solution->delivery));
    MCO_TRY(replay_pickup(&c));
    MCO_TRY(replay_delivery(&c));
    lengths[MCO_DTSPMS_NETWORK_PICKUP] = length_of(&c, MCO_DTSPMS_NETWORK_PICKUP, solution->pickup);
    lengths[MCO_DTSPMS_NETWORK_DELIVERY] = length_of(&c, MCO_DTSPMS_NETWORK_DELIVERY, solution->delivery);
    if (cost != NULL)
        *cost = lengths[0] + lengths[1];
    if (cost_of != NULL)
        memcpy(cost_of, lengths, sizeof lengths);
done:
    mco_free(ctx, &c.visit);
    mco_free(ctx, &c.place);
    return st;
}
