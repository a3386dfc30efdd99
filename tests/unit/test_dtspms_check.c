// SPDX-License-Identifier: MIT
// The checker: valid solutions pass with their lengths; solutions broken in one place are refused with the order and
// the place.
#include "test_support.h"

#include "base/rng.h"
#include "mco/dtspms.h"

// ---- Five orders in three of four stacks: {1, 2, 3}, {}, {4}, {5}

enum { ORDERS = 5, NODES = ORDERS + 1 };

typedef struct example {
    mco_dtspms *problem;
    mco_dtspms_solution solution;
    int32_t plan[ORDERS], pickup[ORDERS], delivery[ORDERS];
    int64_t capacity, cost, cost_of[2];
} example;

static void create_example(example *e)
{
    int32_t distance[2][NODES * NODES];
    for (int32_t i = 0; i < NODES; i++)
        for (int32_t j = 0; j < NODES; j++) {
            distance[0][i * NODES + j] = 100 + 10 * i + j;
            distance[1][i * NODES + j] = 1000 + 7 * i + j * j;
        }
    *e = (example){.plan = {0, 1, 2, 3, 4}, .pickup = {3, 0, 1, 4, 2}, .delivery = {2, 4, 1, 3, 0}, .capacity = 3};
    e->cost = e->cost_of[0] = e->cost_of[1] = -7;
    e->solution = (mco_dtspms_solution){.orders = ORDERS, .stacks = 4, .heights = {3, 0, 1, 1}, .plan = e->plan,
                                        .pickup = e->pickup, .delivery = e->delivery};
    assert_ok(mco_dtspms_create(test_ctx, ORDERS, distance[0], distance[1], &e->problem));
}

static mco_status check(example *e)
{
    return mco_dtspms_check(test_ctx, e->problem, &e->solution, e->capacity, &e->cost, e->cost_of);
}

// Changes one thing of the solution or the call, and compares what the checker says.
#define ASSERT_FAILS(change, status, text)                  \
    do {                                                    \
        example e;                                          \
        create_example(&e);                                 \
        change;                                             \
        assert_fails(check(&e), status, text);              \
        assert_int_equal(e.cost, -7);                       \
        assert_int_equal(e.cost_of[0], -7);                 \
        assert_int_equal(e.cost_of[1], -7);                 \
        mco_dtspms_destroy(test_ctx, &e.problem);           \
    } while (0)
#define ASSERT_REFUSED(change, text) ASSERT_FAILS(change, MCO_ERR_CHECK, text)

#define ASSERT_COSTS(change, pickup_cost, delivery_cost)               \
    do {                                                               \
        example e;                                                     \
        create_example(&e);                                            \
        change;                                                        \
        assert_ok(check(&e));                                          \
        assert_int_equal(e.cost_of[0], pickup_cost);                   \
        assert_int_equal(e.cost_of[1], delivery_cost);                 \
        assert_int_equal(e.cost, (pickup_cost) + (delivery_cost));     \
        mco_dtspms_destroy(test_ctx, &e.problem);                      \
    } while (0)

static void swap(int32_t *a, int32_t *b)
{
    const int32_t c = *a;
    *a = *b;
    *b = c;
}

static void valid_solutions_pass(void **state)
{
    (void)state;
    // Every tour enters and leaves each node once: 6 * 100 + 10 * 15 + 15, 6 * 1000 + 7 * 15 + 55.
    ASSERT_COSTS(, 765, 6160);
    ASSERT_COSTS(e.capacity = 1000000000, 765, 6160);
    // A capacity of 0 means as many as the orders need with two stacks.
    ASSERT_COSTS((e.capacity = 0, e.solution.stacks = 2, e.solution.heights[1] = 2, swap(&e.delivery[1], &e.delivery[0])),
                 765, 6160);
    // A single stack, emptied in the opposite order.
    ASSERT_COSTS((e.capacity = 5, e.solution.stacks = 1, e.solution.heights[0] = 5,
                  memcpy(e.pickup, e.plan, sizeof e.pickup),
                  memcpy(e.delivery, (const int32_t[]){4, 3, 2, 1, 0}, sizeof e.delivery)),
                 765, 6160);
}

// Checks one by one which distances are added.
static void lengths_are_those_of_the_edges(void **state)
{
    int32_t distance[2][3 * 3] = {{0, 1, 2, 4, 0, 8, 16, 32, 0}, {0, 64, 128, 256, 0, 512, 1024, 2048, 0}};
    int32_t plan[] = {0, 1}, tours[2][2] = {{0, 1}, {1, 0}};
    mco_dtspms *problem = NULL;
    mco_dtspms_solution s = {2, 2, {1, 1}, plan, tours[0], tours[1]};
    int64_t cost, cost_of[2];
    (void)state;
    assert_ok(mco_dtspms_create(test_ctx, 2, distance[0], distance[1], &problem));
    assert_ok(mco_dtspms_check(test_ctx, problem, &s, 0, &cost, cost_of));
    assert_int_equal(cost_of[0], 1 + 8 + 16);
    assert_int_equal(cost_of[1], 128 + 2048 + 256);
    assert_int_equal(cost, 1 + 8 + 16 + 128 + 2048 + 256);
    cost = cost_of[0] = -7;
    assert_ok(mco_dtspms_check(test_ctx, problem, &s, 0, NULL, cost_of));
    assert_ok(mco_dtspms_check(test_ctx, problem, &s, 0, &cost, NULL));
    assert_ok(mco_dtspms_check(test_ctx, problem, &s, 0, NULL, NULL));
    assert_int_equal(cost_of[0], 25);
    assert_int_equal(cost, 25 + 2432);
    mco_dtspms_destroy(test_ctx, &problem);
}

static void nothing_to_carry_costs_nothing(void **state)
{
    const int32_t distance = 99;
    mco_dtspms *problem = NULL;
    mco_dtspms_solution s = {.stacks = 3};
    int64_t cost = -7;
    (void)state;
    assert_ok(mco_dtspms_create(test_ctx, 0, &distance, &distance, &problem));
    assert_ok(mco_dtspms_check(test_ctx, problem, &s, 0, &cost, NULL));
    assert_int_equal(cost, 0);
    s.heights[1] = 1;
    assert_fails(mco_dtspms_check(test_ctx, problem, &s, 0, &cost, NULL), MCO_ERR_CHECK,
                 "stack 2: 1 orders high, at most 0 are allowed");
    mco_dtspms_destroy(test_ctx, &problem);
}

// ---- What is wrong

static void wrong_shapes_are_refused(void **state)
{
    (void)state;
    ASSERT_REFUSED(e.solution.orders = 4, "the solution has 4 orders, the instance has 5");
    ASSERT_REFUSED(e.solution.orders = -1, "the solution has -1 orders, the instance has 5");
    ASSERT_REFUSED(e.solution.stacks = 0, "the solution has 0 stacks, 1 to 6 was expected");
    ASSERT_REFUSED(e.solution.stacks = 7, "the solution has 7 stacks, 1 to 6 was expected");
    ASSERT_REFUSED(e.solution.plan = NULL, "the solution has no plan, one of 5 orders was expected");
    ASSERT_REFUSED(e.solution.pickup = NULL, "the solution has no pickup tour, one of 5 orders was expected");
    ASSERT_REFUSED(e.solution.delivery = NULL, "the solution has no delivery tour, one of 5 orders was expected");
    ASSERT_FAILS(e.capacity = -1, MCO_ERR_ARGUMENT, "capacity is -1, at least 0 was expected");
}

static void wrong_heights_are_refused(void **state)
{
    (void)state;
    ASSERT_REFUSED(e.solution.heights[1] = -1, "stack 2: -1 orders high, at least 0 was expected");
    ASSERT_REFUSED(e.solution.heights[1] = INT32_MIN, "stack 2: -2147483648 orders high, at least 0 was expected");
    ASSERT_REFUSED(e.solution.heights[1] = INT32_MAX, "stack 2: 2147483647 orders high, at most 3 are allowed");
    ASSERT_REFUSED(e.capacity = 2, "stack 1: 3 orders high, at most 2 are allowed");
    // Five orders need no more than two in each of four stacks.
    ASSERT_REFUSED(e.capacity = 0, "stack 1: 3 orders high, at most 2 are allowed");
    ASSERT_REFUSED(e.solution.heights[3] = 2, "the stacks hold 6 orders, 5 were expected");
    ASSERT_REFUSED(e.solution.heights[2] = 0, "the stacks hold 4 orders, 5 were expected");
    // The heights beyond the last stack are not read.
    ASSERT_REFUSED(e.solution.stacks = 3, "the stacks hold 4 orders, 5 were expected");
    ASSERT_REFUSED((e.capacity = INT64_MAX, e.solution.heights[0] = e.solution.heights[1] = INT32_MAX),
                   "the stacks hold 4294967296 orders, 5 were expected");
}

static void what_is_no_permutation_is_refused(void **state)
{
    (void)state;
    ASSERT_REFUSED(e.plan[1] = 5, "stack 1, place 2 from the bottom: order 6, 1 to 5 was expected");
    ASSERT_REFUSED(e.plan[4] = -1, "stack 4, place 1 from the bottom: order 0, 1 to 5 was expected");
    ASSERT_REFUSED(e.plan[4] = INT32_MAX, "stack 4, place 1 from the bottom: order 2147483648, 1 to 5 was expected");
    ASSERT_REFUSED(e.plan[3] = 1,
                   "stack 3, place 1 from the bottom: order 2 lies there, and in stack 1, place 2 from the bottom");
    ASSERT_REFUSED(e.pickup[0] = INT32_MIN, "pickup position 1: order -2147483647, 1 to 5 was expected");
    ASSERT_REFUSED(e.pickup[4] = 5, "pickup position 5: order 6, 1 to 5 was expected");
    ASSERT_REFUSED(e.pickup[3] = 0, "pickup position 4: order 1 is visited again, first at position 2");
    ASSERT_REFUSED(e.delivery[0] = -1, "delivery position 1: order 0, 1 to 5 was expected");
    ASSERT_REFUSED(e.delivery[4] = 2, "delivery position 5: order 3 is visited again, first at position 1");
}

static void what_does_not_lie_on_top_is_refused(void **state)
{
    (void)state;
    // 4 3 2 5 1: nothing is on board yet.
    ASSERT_REFUSED(swap(&e.pickup[1], &e.pickup[4]),
                   "pickup position 2: order 3 is put on stack 1 while order 1, below it, is missing");
    ASSERT_REFUSED(swap(&e.pickup[2], &e.pickup[4]),
                   "pickup position 3: order 3 is put on stack 1 while order 2, below it, is missing");
    // 2 5 3 4 1: order 3 is still on board.
    ASSERT_REFUSED(swap(&e.delivery[0], &e.delivery[2]),
                   "delivery position 1: order 2 is taken while order 3 lies on it in stack 1");
    ASSERT_REFUSED(swap(&e.delivery[2], &e.delivery[4]),
                   "delivery position 3: order 1 is taken while order 2 lies on it in stack 1");
    // The plan alone changes.
    ASSERT_REFUSED(swap(&e.plan[2], &e.plan[3]),
                   "pickup position 1: order 4 is put on stack 1 while order 1, below it, is missing");
}

// ---- Names

static void names_are_told(void **state)
{
    // At most forty-eight bytes of a name are shown; fewer if a character would be cut.
#define EIGHT "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc"
#define TOLD  EIGHT EIGHT "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbcx"
    static const char table[] = "name,pickup_x,pickup_y,delivery_x,delivery_y\ndepot,0,0,0,0\n\"Aarhus, Nord\",1,0,1,0\n"
                                TOLD EIGHT ",0,1,0,1\n";
    mco_dtspms *problem = NULL;
    int32_t plan[] = {0, 1}, pickup[] = {1, 0}, delivery[] = {1, 0};
    const mco_dtspms_solution s = {2, 2, {2, 0}, plan, pickup, delivery};
    (void)state;
    assert_ok(mco_dtspms_read(test_ctx, test_file("named.csv", table), NULL, &problem));
    assert_fails(mco_dtspms_check(test_ctx, problem, &s, 2, NULL, NULL), MCO_ERR_CHECK,
                 "pickup position 1: order 2 (" TOLD ") is put on stack 1 "
                 "while order 1 (Aarhus, Nord), below it, is missing");
    mco_dtspms_destroy(test_ctx, &problem);
}

// ---- Random solutions

enum { MOST = 40 };

// Keeps the stacks as lists, and pushes and pops as a container would.
static bool obeys(const mco_dtspms_solution *s)
{
    int32_t stack_of[MOST], lists[MCO_DTSPMS_MAX_STACKS][MOST], heights[MCO_DTSPMS_MAX_STACKS] = {0};
    for (int32_t k = 0, i = 0; k < s->stacks; k++)
        for (int32_t h = 0; h < s->heights[k]; h++)
            stack_of[s->plan[i++]] = k;
    for (int32_t i = 0; i < s->orders; i++) {
        const int32_t k = stack_of[s->pickup[i]];
        lists[k][heights[k]++] = s->pickup[i];
    }
    for (int32_t k = 0, i = 0; k < s->stacks; k++)
        for (int32_t h = 0; h < s->heights[k]; h++)
            if (lists[k][h] != s->plan[i++])
                return false;
    for (int32_t i = 0; i < s->orders; i++) {
        const int32_t k = stack_of[s->delivery[i]];
        if (lists[k][--heights[k]] != s->delivery[i])
            return false;
    }
    return true;
}

// Draws any heights, any plan, and any feasible way through the stacks.
static void draw_solution(mco_rng *rng, mco_dtspms_solution *s)
{
    int32_t first[MCO_DTSPMS_MAX_STACKS + 1] = {0}, next[MCO_DTSPMS_MAX_STACKS], end[MCO_DTSPMS_MAX_STACKS], last = 0;
    memset(s->heights, 0, sizeof s->heights);
    for (int32_t i = 0; i < s->orders; i++) {
        const int32_t j = (int32_t)mco_rng_below(rng, (uint32_t)i + 1);
        s->heights[mco_rng_below(rng, (uint32_t)s->stacks)]++;
        s->plan[i] = s->plan[j];
        s->plan[j] = i;
    }
    for (int32_t k = 0; k < s->stacks; k++) {
        next[k] = first[k];
        first[k + 1] = end[k] = first[k] + s->heights[k];
    }
    for (int32_t i = 0; i < s->orders;) {
        const uint32_t k = mco_rng_below(rng, (uint32_t)s->stacks);
        if (next[k] < first[k + 1])
            s->pickup[i++] = s->plan[next[k]++];
    }
    while (last < s->orders) {
        const uint32_t k = mco_rng_below(rng, (uint32_t)s->stacks);
        if (end[k] > first[k])
            s->delivery[last++] = s->plan[--end[k]];
    }
}

static void any_swap_that_breaks_the_rule_is_found(void **state)
{
    static int32_t distance[(MOST + 1) * (MOST + 1)];
    int32_t plan[MOST], pickup[MOST], delivery[MOST];
    int64_t refused = 0, passed = 0;
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 1, 0);
    for (int k = 0; k < 120; k++) {
        mco_dtspms *problem = NULL;
        mco_dtspms_solution s = {.orders = k % MOST, .stacks = 2 + k % 5, .plan = plan, .pickup = pickup,
                                 .delivery = delivery};
        assert_ok(mco_dtspms_create(test_ctx, s.orders, distance, distance, &problem));
        draw_solution(&rng, &s);
        assert_true(obeys(&s));
        assert_ok(mco_dtspms_check(test_ctx, problem, &s, MOST, NULL, NULL));
        for (int list = 0; list < 3; list++)
            for (int32_t i = 0; i < s.orders; i++)
                for (int32_t j = i + 1; j < s.orders; j++) {
                    int32_t *tour = list == 0 ? plan : list == 1 ? pickup : delivery;
                    swap(&tour[i], &tour[j]);
                    const bool is_right = obeys(&s);
                    assert_int_equal(mco_dtspms_check(test_ctx, problem, &s, MOST, NULL, NULL),
                                     is_right ? MCO_OK : MCO_ERR_CHECK);
                    swap(&tour[i], &tour[j]);
                    passed += is_right;
                    refused += !is_right;
                }
        mco_dtspms_destroy(test_ctx, &problem);
    }
    assert_true(refused > 10000);
    assert_true(passed > 1000);
}

// ---- Wrong calls, no memory

static void wrong_calls_are_refused(void **state)
{
    example e;
    (void)state;
    create_example(&e);
    assert_int_equal(mco_dtspms_check(NULL, e.problem, &e.solution, 0, NULL, NULL), MCO_ERR_ARGUMENT);
    assert_fails(mco_dtspms_check(test_ctx, NULL, &e.solution, 0, NULL, NULL), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_fails(mco_dtspms_check(test_ctx, e.problem, NULL, 0, NULL, NULL), MCO_ERR_ARGUMENT, "a pointer is NULL");
    mco_dtspms_destroy(test_ctx, &e.problem);
}

static void failing_memory_is_told(void **state)
{
    example e;
    mco_status st = MCO_ERR_MEMORY;
    (void)state;
    create_example(&e);
    for (long k = 1; st != MCO_OK; k++) {
        test_fail_allocation(k);
        st = check(&e);
        assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
        assert_int_equal(e.cost, st == MCO_OK ? 765 + 6160 : -7);
    }
    test_fail_allocation(0);
    mco_dtspms_destroy(test_ctx, &e.problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(valid_solutions_pass),
        TEST(lengths_are_those_of_the_edges),
        TEST(nothing_to_carry_costs_nothing),
        TEST(wrong_shapes_are_refused),
        TEST(wrong_heights_are_refused),
        TEST(what_is_no_permutation_is_refused),
        TEST(what_does_not_lie_on_top_is_refused),
        TEST(names_are_told),
        TEST(any_swap_that_breaks_the_rule_is_found),
        TEST(wrong_calls_are_refused),
        TEST(failing_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
