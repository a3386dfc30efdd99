// SPDX-License-Identifier: MIT
// Solutions of the double TSP with multiple stacks as files: what is written byte for byte, what is read, every refusal
// with its place.
#include "test_support.h"

#include "dtspms/formats.h"

enum { ORDERS = 6 };

#define NAMED_INSTANCE                                                                                          \
    "name,pickup_x,pickup_y,delivery_x,delivery_y\ndepot,0,0,0,0\nA,1,0,1,0\nq,2,0,2,0\nc:d,3,0,3,0\n4,4,0,4,0\n" \
    "2,5,0,5,0\n#,6,0,6,0\n"

#define ORDERS_TEXT "stack 1: 1 4\nstack 2:\nstack 3: 2 5 3 6\npickup: 2 1 3 6 4 5\ndelivery: 6 3 4 1 5 2\n"
#define TEXT "cost 97\n" ORDERS_TEXT

#define RESULT(objective, solution) \
    "{\"schema\": 1, \"tool\": {\"stacks\": [1]}, \"objective\": " objective ", \"solution\": " solution \
    ", \"history\": [[0, 97, 36]]}"
#define SOLUTION \
    "{\"stacks\": [[1, 4], [], [2, 5, 3, 6]], \"a\": null, \"pickup\": [2, 1, 3, 6, 4, 5],\n\"delivery\":[6,3,4,1,5,2]}"

static mco_dtspms *read_instance(const char *content)
{
    mco_text text;
    mco_dtspms *d = NULL;
    assert_ok(mco_text_from_memory(test_ctx, "instance", content, strlen(content), &text));
    assert_ok(dtspms_read_texts(test_ctx, &text, NULL, "instance", &d));
    mco_text_close(&text);
    return d;
}

static mco_dtspms *instance(int32_t orders)
{
    mco_dtspms *d = NULL;
    assert_ok(mco_dtspms_named(test_ctx, "R00", orders, &d));
    return d;
}

static mco_status read_text(const mco_dtspms *d, const char *content, mco_dtspms_solution *s, int64_t *cost)
{
    mco_text text;
    assert_ok(mco_text_from_memory(test_ctx, "s", content, strlen(content), &text));
    mco_status st = dtspms_read_solution_text(test_ctx, d, &text, s, cost);
    mco_text_close(&text);
    return st;
}

static void assert_orders(const int32_t *seen, const int32_t *expected, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        assert_int_equal(seen[i] + 1, expected[i]);
}

// Expects the solution that TEXT holds.
static void assert_example(const mco_dtspms_solution *s)
{
    assert_int_equal(s->orders, ORDERS);
    assert_int_equal(s->stacks, 3);
    assert_orders(s->plan, (const int32_t[]){1, 4, 2, 5, 3, 6}, ORDERS);
    assert_orders(s->pickup, (const int32_t[]){2, 1, 3, 6, 4, 5}, ORDERS);
    assert_orders(s->delivery, (const int32_t[]){6, 3, 4, 1, 5, 2}, ORDERS);
    for (int k = 0; k < MCO_DTSPMS_MAX_STACKS; k++)
        assert_int_equal(s->heights[k], k == 0 ? 2 : k == 2 ? 4 : 0);
}

// ---- What is read

static void test_round_trip(void **state)
{
    (void)state;
    mco_dtspms *d = instance(ORDERS);
    mco_dtspms_solution s = {0};
    int64_t cost = 0;
    const char *path = test_file("s.txt", TEXT);
    assert_ok(mco_dtspms_read_solution(test_ctx, d, path, &s, &cost));
    assert_example(&s);
    assert_int_equal(cost, 97);
    assert_ok(mco_dtspms_write_solution(test_ctx, d, &s, cost, test_path("again.txt")));
    assert_content(test_path("again.txt"), TEXT);
    assert_ok(mco_dtspms_write_solution(test_ctx, d, &s, -1, test_path("again.txt")));
    assert_content(test_path("again.txt"), ORDERS_TEXT);
    mco_dtspms_solution_clear(test_ctx, &s);
    assert_null(s.plan);
    assert_int_equal(s.stacks, 0);
    assert_ok(mco_dtspms_read_solution(test_ctx, d, test_path("again.txt"), &s, &cost));
    assert_example(&s);
    assert_int_equal(cost, -1);
    mco_dtspms_solution_clear(test_ctx, &s);
    mco_dtspms_solution_clear(test_ctx, &s);
    mco_dtspms_solution_clear(test_ctx, NULL);
    mco_dtspms_destroy(test_ctx, &d);
}

// A plan without tours can be a start, but passes no check.
static void test_plan_alone(void **state)
{
    (void)state;
    static const char *const texts[] = {"Stack 1: 1 4\nSTACK 2:\nstack 3: 2 5 3 6\n",
                                        "{\"solution\": {\"stacks\": [[1, 4], [], [2, 5, 3, 6]]}}"};
    mco_dtspms *d = instance(ORDERS);
    for (int i = 0; i < COUNT_OF(texts); i++) {
        mco_dtspms_solution s = {0};
        mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
        mco_dtspms_neighbourhood_result r = MCO_DTSPMS_NEIGHBOURHOOD_RESULT_INIT;
        int64_t cost;
        assert_ok(read_text(d, texts[i], &s, &cost));
        assert_orders(s.plan, (const int32_t[]){1, 4, 2, 5, 3, 6}, ORDERS);
        assert_null(s.pickup);
        assert_null(s.delivery);
        assert_fails(mco_dtspms_check(test_ctx, d, &s, ORDERS, &cost, NULL), MCO_ERR_CHECK,
                     "the solution has no pickup tour, one of 6 orders was expected");
        assert_fails(mco_dtspms_write_solution(test_ctx, d, &s, -1, test_path("none.txt")), MCO_ERR_ARGUMENT,
                     "a pointer is NULL");
        params.start = &s;
        params.capacity = ORDERS;
        params.engine = MCO_ENGINE_REFERENCE;
        assert_ok(mco_dtspms_neighbourhood(test_ctx, d, &params, &r));
        assert_int_equal(r.moves, ORDERS * (ORDERS - 1) * (ORDERS - 2) / 3);
        mco_dtspms_neighbourhood_result_clear(test_ctx, &r);
        mco_dtspms_solution_clear(test_ctx, &s);
    }
    mco_dtspms_destroy(test_ctx, &d);
}

static void test_spellings(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t cost;
    } cases[] = {
        {"delivery: 6 3 4 1 5 2\npickup: 2 1 3 6 4 5\nstack 1: 1 4\nstack 2:\nstack 3: 2 5 3 6", -1},
        {"\xef\xbb\xbf# a\r\n\r\n  stack 1 :1\t4  \r\nstack 2 : \r\n#stack 3: 9\r\n"
         "pickup :2 1 3 6 4 5\r\nstack 3:2 5 3 6\r\n"
         "delivery:   06 +3 4 1 5 2\r\ncost: 0",
         0},
        {"pickup: 2 1 3 6 4 5\ncost 4611686018427387904\nstack 1: 1 4\nstack 2:\ndelivery: 6 3 4 1 5 2\nstack 3: 2 5 3 6",
         4611686018427387904},
        {RESULT("97", SOLUTION), 97},
        {RESULT("null", SOLUTION), -1},
        {"  {\"solution\": " SOLUTION "}\n", -1},
        {"{\"solution\": " SOLUTION ", \"solution\": null, \"objective\": 12345678901}", 12345678901},
    };
    mco_dtspms *d = instance(ORDERS);
    for (int i = 0; i < COUNT_OF(cases); i++) {
        mco_dtspms_solution s = {0};
        int64_t cost;
        assert_ok(read_text(d, cases[i].text, &s, &cost));
        assert_example(&s);
        assert_int_equal(cost, cases[i].cost);
        mco_dtspms_solution_clear(test_ctx, &s);
    }
    mco_dtspms_destroy(test_ctx, &d);
}

// An order that occurs twice and tours against the stacks are for the check, not for the reader.
static void test_wrong_solutions_are_read(void **state)
{
    (void)state;
    mco_dtspms *d = instance(2);
    mco_dtspms_solution s = {0};
    int64_t cost;
    assert_ok(read_text(d, "stack 1: 1 1\npickup: 2 2\ndelivery: 1 1\n", &s, &cost));
    assert_int_equal(s.stacks, 1);
    assert_orders(s.plan, (const int32_t[]){1, 1}, 2);
    assert_orders(s.pickup, (const int32_t[]){2, 2}, 2);
    mco_dtspms_solution_clear(test_ctx, &s);
    mco_dtspms_destroy(test_ctx, &d);
}

static void test_no_orders(void **state)
{
    (void)state;
    static const char *const texts[] = {"stack 1:\nstack 2:\npickup:\ndelivery:\n",
                                        "{\"solution\": {\"stacks\": [[], []], \"pickup\": [], \"delivery\": []}}"};
    mco_dtspms *d = instance(0);
    for (int i = 0; i < COUNT_OF(texts); i++) {
        mco_dtspms_solution s = {0};
        int64_t cost;
        assert_ok(read_text(d, texts[i], &s, &cost));
        assert_int_equal(s.orders, 0);
        assert_int_equal(s.stacks, 2);
        assert_ok(mco_dtspms_write_solution(test_ctx, d, &s, -1, test_path("none.txt")));
        assert_content(test_path("none.txt"), texts[0]);
        mco_dtspms_solution_clear(test_ctx, &s);
    }
    mco_dtspms_destroy(test_ctx, &d);
}

// A text that looks like a number is the order of that number, whatever the names are.
static void test_names(void **state)
{
    (void)state;
    mco_dtspms *d = read_instance(NAMED_INSTANCE);
    mco_dtspms_solution s = {0};
    int64_t cost;
    static const char text[] = "stack 1: A 4\nstack 2:\nstack 3: 2 5 c:d #\n"
                               "pickup: 2 A c:d # 4 5\ndelivery: 6 c:d 4 1 5 2\n";
    assert_ok(read_text(d, text, &s, &cost));
    assert_example(&s);
    assert_ok(mco_dtspms_write_solution(test_ctx, d, &s, 97, test_path("named.txt")));
    static const char by_name[] = "# ids: names\ncost 97\nstack 1: A 4\nstack 2:\nstack 3: q 2 c:d \"#\"\n"
                                  "pickup: q A c:d \"#\" 4 2\ndelivery: \"#\" c:d 4 A 2 q\n";
    assert_content(test_path("named.txt"), by_name);
    mco_dtspms_solution_clear(test_ctx, &s);
    assert_ok(read_text(d, by_name, &s, &cost));  // 2 is the name of order 5 here
    assert_example(&s);
    mco_dtspms_solution_clear(test_ctx, &s);
    assert_fails(read_text(d, "stack 1: A B", &s, &cost), MCO_ERR_PARSE,
                 "s:1:12: the order is \"B\", a number from 1 to 6 or a name of the instance was expected");
    assert_fails(read_text(d, "stack 1: a", &s, &cost), MCO_ERR_PARSE,
                 "s:1:10: the order is \"a\", a number from 1 to 6 or a name of the instance was expected");
    assert_fails(read_text(d, "stack 1: A 7", &s, &cost), MCO_ERR_PARSE, "s:1:12: the order is 7, allowed is 1 to 6");
    mco_dtspms_destroy(test_ctx, &d);
}

// ---- Refusals

static void test_refusals(void **state)
{
    (void)state;
#define STACKS "stack 1: 1 4\nstack 2:\nstack 3: 2 5 3 6\n"
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "s:1:1: the file is empty"},
        {"\n \n", "s:3:1: the file is empty"},
        // Lines
        {"# nothing\n", "s:2:1: the file holds no solution"},
        {"pickup: 1 2 3 4 5 6\ndelivery: 1 2 3 4 5 6", "s:2:22: the solution ends without the stacks"},
        {"1 2 3",
         "s:1:1: the line begins with \"1\", lines are \"cost N\", \"stack K: ...\", \"pickup: ...\" and \"delivery: ...\""},
        {STACKS " : 3",
         "s:4:2: the line begins with \"\", lines are \"cost N\", \"stack K: ...\", \"pickup: ...\" and \"delivery: ...\""},
        {"<svg>",
         "s:1:1: the line begins with \"<svg>\", lines are \"cost N\", \"stack K: ...\", \"pickup: ...\" and "
         "\"delivery: ...\""},
        {"pickup 1 2", "s:1:8: a colon was expected before the orders"},
        {"stack 1 2", "s:1:9: a colon was expected before the orders"},
        {"stack: 1", "s:1:6: the number of the stack is \"\", an integer was expected"},
        {"stack 0: 1", "s:1:7: the number of the stack is 0, allowed is 1 to 1"},
        {"stack 1: 1\nstack 3: 2", "s:2:7: the number of the stack is 3, allowed is 2 to 2"},
        {"stack 1:\nstack 2:\nstack 3:\nstack 4:\nstack 5:\nstack 6:\n stack 7:\n",
         "s:7:2: one stack more than the 6 allowed"},
        {"cost 1\ncost 2", "s:2:1: the cost a second time, it was 1"},
        {"cost -1", "s:1:6: the cost is -1, allowed is 0 to 4611686018427387904"},
        {"cost 1.5", "s:1:6: the cost is \"1.5\", an integer was expected"},
        {"cost", "s:1:5: the cost is \"\", an integer was expected"},
        {"pickup: 1 2 3 4 5 6\n\npickup: 1 2", "s:3:1: the pickup tour a second time, first in line 1"},
        // Counts and orders
        {STACKS "pickup: 1 2 3 4 5\ndelivery: 1 2 3 4 5 6", "s:4:1: the pickup tour: 5 orders, the instance has 6"},
        {STACKS "pickup: 1 2 3 4 5 6 1\n", "s:4:21: the pickup tour: one order more than the 6 of the instance"},
        {STACKS "delivery: 1 2 3 4 5 6 6", "s:4:23: the delivery tour: one order more than the 6 of the instance"},
        {STACKS "stack 4: 1", "s:4:10: the stacks: one order more than the 6 of the instance"},
        {"stack 1: 1 2\nstack 2: 3\npickup: 1 2 3 4 5 6\ndelivery: 1 2 3 4 5 6\n",
         "s:2:1: the stacks: 3 orders, the instance has 6"},
        {"stack 1: 1 0", "s:1:12: the order is 0, allowed is 1 to 6"},
        {"stack 1: 1 7", "s:1:12: the order is 7, allowed is 1 to 6"},
        {"stack 1: 1 A", "s:1:12: the order is \"A\", an integer was expected"},
        {"stack 1: 1,2", "s:1:10: the order is \"1,2\", an integer was expected"},
        {"pickup: 99999999999999999999", "s:1:9: the order is 99999999999999999999, allowed is 1 to 6"},
        // Result files
        {"{}", "s:1:3: the file holds no solution"},
        {RESULT("null", "null"), "s:1:102: the file holds no solution"},
        {RESULT("97", "{}") "}", "s:1:98: the result ends before \"}\""},
        {"{\"objective\": 97.5}", "s:1:15: \"objective\" is \"97.5\", an integer was expected"},
        {"{\"objective\": nullx}", "s:1:15: \"objective\" is \"nullx\", an integer was expected"},
        {"{\"objective\": -97}", "s:1:15: \"objective\" is -97, allowed is 0 to 4611686018427387904"},
        {"{\"solution\": 3}", "s:1:14: '{' was expected, '3' found"},
        {"{\"solution\": {\"stacks\": 3}}", "s:1:25: '[' was expected, '3' found"},
        {"{\"solution\": {\"stacks\": []}}", "s:1:25: there are 0 stacks, allowed are 1 to 6"},
        {"{\"solution\": {\"stacks\": [3]}}", "s:1:26: '[' was expected, '3' found"},
        {"{\"solution\": {\"stacks\": [[[3]]]}}", "s:1:27: the order is \"\", an integer was expected"},
        {"{\"solution\": {\"stacks\": [[],[],[],[],[],[],[]]}}", "s:1:44: one stack more than the 6 allowed"},
        {"{\"solution\": {\"stacks\": [[1]], \"stacks\": []}}", "s:1:42: the stacks a second time, first in line 1"},
        {"{\"solution\": {\"pickup\": [1, 2, 3, 4, 5, 6,\n 1]}}",
         "s:2:2: the pickup tour: one order more than the 6 of the instance"},
        {"{\"solution\": {\"pickup\": [], \"pickup\": []}}", "s:1:39: the pickup tour a second time, first in line 1"},
        {"{\"solution\": {\"pickup\": [0]}}", "s:1:26: the order is 0, allowed is 1 to 6"},
        {"{\"solution\": {\"pickup\": [1.0]}}", "s:1:26: the order is \"1.0\", an integer was expected"},
        {"{\"solution\": {\"pickup\": [1]}}", "s:1:25: the pickup tour: 1 orders, the instance has 6"},
        {"{\"solution\": {\"pickup\": [1, 2", "s:1:30: the text ends where ',' was expected"},
        {"{\"solution\": {\"pickup\": 1, \"plan\"", "s:1:25: '[' was expected, '1' found"},
        {"[1]", "s:1:1: the line begins with \"[1]\", lines are \"cost N\", \"stack K: ...\", \"pickup: ...\" and "
                "\"delivery: ...\""},
    };
    mco_dtspms *d = instance(ORDERS);
    for (int i = 0; i < COUNT_OF(cases); i++) {
        mco_dtspms_solution s = {0};
        int64_t cost;
        assert_fails(read_text(d, cases[i].text, &s, &cost), MCO_ERR_PARSE, cases[i].message);
        assert_null(s.plan);
    }
    mco_dtspms_destroy(test_ctx, &d);
}

static void test_arguments(void **state)
{
    (void)state;
    mco_dtspms *d = instance(2);
    int32_t orders[] = {0, 1};
    const mco_dtspms_solution good = {.orders = 2, .stacks = 2, .heights = {1, 1}, .plan = orders,
                                      .pickup = orders, .delivery = orders};
    mco_dtspms_solution s = good, none = {0};
    int64_t cost;
    const char *path = test_path("never.txt");
    assert_fails(mco_dtspms_read_solution(test_ctx, d, "no-such-file", &none, &cost), MCO_ERR_IO,
                 "cannot read no-such-file: No such file or directory");
    assert_fails(mco_dtspms_read_solution(test_ctx, d, NULL, &none, &cost), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_fails(mco_dtspms_write_solution(test_ctx, d, &good, 5, "no-such-folder/f"), MCO_ERR_IO,
                 "cannot write no-such-folder/f: No such file or directory");
    s.pickup = NULL;
    assert_fails(mco_dtspms_write_solution(test_ctx, d, &s, 5, path), MCO_ERR_ARGUMENT, "a pointer is NULL");
    s = good;
    s.orders = 1;
    assert_fails(mco_dtspms_write_solution(test_ctx, d, &s, 5, path), MCO_ERR_ARGUMENT,
                 "the solution has 1 orders, the instance 2");
    s = good;
    s.stacks = 7;
    assert_fails(mco_dtspms_write_solution(test_ctx, d, &s, 5, path), MCO_ERR_ARGUMENT,
                 "the solution has 7 stacks, allowed are 1 to 6");
    s = good;
    s.heights[1] = 2;
    assert_fails(mco_dtspms_write_solution(test_ctx, d, &s, 5, path), MCO_ERR_ARGUMENT,
                 "the stacks hold 3 orders, the instance has 2");
    s.heights[0] = 3;
    s.heights[1] = -1;
    assert_fails(mco_dtspms_write_solution(test_ctx, d, &s, 5, path), MCO_ERR_ARGUMENT,
                 "stack 2 holds -1 orders, at least 0 are needed");
    assert_int_equal(access(path, F_OK), -1);
    mco_dtspms_destroy(test_ctx, &d);
}

// Whether the first bytes of TEXT are a plan, with or without whole tours.
static bool is_part(size_t size)
{
    static const char text[] = TEXT;
    const size_t ends[] = {(size_t)(strstr(text, "pickup") - text), (size_t)(strstr(text, "delivery") - text),
                           sizeof text - 1};
    for (int k = 0; k < COUNT_OF(ends); k++)
        if (size == ends[k] || size + 1 == ends[k])  // also without its last newline
            return true;
    return false;
}

// Cut at every byte, a file is refused with a place, unless only optional parts are missing.
static void test_cut(void **state)
{
    (void)state;
    static const char *const texts[] = {TEXT, RESULT("97", SOLUTION)};
    mco_dtspms *d = instance(ORDERS);
    for (int i = 0; i < COUNT_OF(texts); i++)
        for (size_t size = 0; size <= strlen(texts[i]); size++) {
            char cut[400];
            mco_dtspms_solution s = {0};
            int64_t cost;
            snprintf(cut, sizeof cut, "%.*s", (int)size, texts[i]);
            mco_status st = read_text(d, cut, &s, &cost);
            assert_int_equal(st, (i == 0 ? is_part(size) : size == strlen(texts[i])) ? MCO_OK : MCO_ERR_PARSE);
            assert_true(st == MCO_OK ? s.plan != NULL : s.plan == NULL);
            assert_true(st == MCO_OK || strncmp(mco_context_error(test_ctx), "s:", 2) == 0);
            mco_dtspms_solution_clear(test_ctx, &s);
        }
    mco_dtspms_destroy(test_ctx, &d);
}

// A hundred thousand orders are read by name in a moment.
static void test_many_names(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    char *content = malloc((size_t)MANY * 40 + 200), *at = content;
    mco_dtspms_solution s = {0};
    int64_t cost;
    assert_non_null(content);
    at += sprintf(at, "name,pickup_x,pickup_y,delivery_x,delivery_y\n,0,0,0,0\n");
    for (int i = 0; i < MANY; i++)
        at += sprintf(at, "P%d,%d,1,2,3\n", i, i);
    mco_dtspms *d = read_instance(content);
    at = content;
    for (int part = 0; part < 3; part++) {
        at += sprintf(at, "%s", part == 0 ? "stack 1:" : part == 1 ? "\npickup:" : "\ndelivery:");
        for (int i = 0; i < MANY; i++)
            at += sprintf(at, " P%d", i);
    }
    assert_ok(read_text(d, content, &s, &cost));
    for (int i = 0; i < MANY; i++)
        assert_true(s.plan[i] == i && s.pickup[i] == i && s.delivery[i] == i);
    mco_dtspms_solution_clear(test_ctx, &s);
    mco_dtspms_destroy(test_ctx, &d);
    free(content);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    mco_dtspms *d = read_instance(NAMED_INSTANCE);
    const char *path = test_file("memory.txt", "stack 1: A 4 2 5 c:d 6\npickup: 1 2 3 4 5 6\ndelivery: 1 2 3 4 5 6\n");
    const long before = test_memory.live;
    mco_dtspms_solution s = {0};
    int64_t cost;
    long k = 1;
    for (; s.plan == NULL; k++) {
        test_fail_allocation(k);
        mco_status st = mco_dtspms_read_solution(test_ctx, d, path, &s, &cost);
        assert_int_equal(st, s.plan != NULL ? MCO_OK : MCO_ERR_MEMORY);
        assert_true(s.plan != NULL || test_memory.live == before);
        assert_true(k < 100);
    }
    test_fail_allocation(0);
    assert_true(k > 6);  // name and content of the text, three arrays, the table of names
    mco_dtspms_solution_clear(test_ctx, &s);
    assert_int_equal(test_memory.live, before);
    mco_dtspms_destroy(test_ctx, &d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_round_trip), TEST(test_plan_alone), TEST(test_spellings), TEST(test_wrong_solutions_are_read),
        TEST(test_no_orders),  TEST(test_names),      TEST(test_refusals),  TEST(test_arguments),
        TEST(test_cut),        TEST(test_many_names), TEST(test_out_of_memory),
    };
    return cmocka_run_group_tests_name("dtspms_solution_file", tests, NULL, NULL);
}
