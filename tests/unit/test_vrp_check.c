// SPDX-License-Identifier: MIT
// The checker of vehicle routing, with each rule broken once; and solutions as files: what is written byte for byte,
// what is read, every refusal with its place.
#include "test_support.h"

#include "vrp/formats.h"
#include "vrp/solution_file.h"

enum { CUSTOMERS = 6 };

#define NAMED                                                                                                              \
    "name,x,y,demand,service\ndepot,0,0,0,0\nA,1,0,1,1\n,2,0,1,1\n\"c, \"\"d\"\"\",3,0,1,1\n4,4,0,1,1\n5x,5,0,1,1\n#,6,0,5,1\n"

// Customers k = 1..6 are at (k, 0) with demand 1; only the last has demand 5. The capacity is 6.
static mco_vrp *instance(double max_length, int64_t vehicles, mco_vrp_distances distances)
{
    mco_text text;
    mco_vrp *p = NULL;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.capacity = 6;
    model.max_length = max_length;
    model.vehicles = vehicles;
    model.distance = distances;
    assert_ok(mco_text_from_memory(test_ctx, "instance", NAMED, sizeof NAMED - 1, &text));
    assert_ok(vrp_read_text(test_ctx, &text, &model, "instance", &p));
    mco_text_close(&text);
    return p;
}

static mco_status read_text(const mco_vrp *p, const char *content, mco_vrp_solution *s, double *cost)
{
    mco_text text;
    assert_ok(mco_text_from_memory(test_ctx, "s", content, strlen(content), &text));
    const mco_status st = vrp_read_solution_text(test_ctx, p, &text, s, cost);
    mco_text_close(&text);
    return st;
}

static mco_status check_text(const mco_vrp *p, const char *content, int64_t *cost)
{
    mco_vrp_solution s = {0};
    double stated;
    assert_ok(read_text(p, content, &s, &stated));
    const mco_status st = mco_vrp_check(test_ctx, p, &s, cost);
    mco_vrp_solution_clear(test_ctx, &s);
    return st;
}

#define GOOD "Route #1: 1 2 3 4\nRoute #2: 6 5\nCost 20\n"

// ---- The check

static void test_check(void **state)
{
    (void)state;
    int64_t cost = 0;
    mco_vrp *p = instance(-1, 2, MCO_VRP_DISTANCES_ROUNDED);
    assert_ok(check_text(p, GOOD, &cost));
    assert_int_equal(cost, 20);
    assert_ok(check_text(p, GOOD, NULL));
    cost = -5;
    assert_fails(check_text(p, "Route #1: 1 2 3\nRoute #2: 6 5\n", &cost), MCO_ERR_CHECK,
                 "customer 4 (4) is in no route; the routes visit 5 of 6 customers");
    assert_fails(check_text(p, "Cost 3\n", &cost), MCO_ERR_CHECK,
                 "customer 1 (A) is in no route; the routes visit 0 of 6 customers");
    assert_fails(check_text(p, "Route #1: 1 2 3 4\nRoute #2: 6 5 2\n", &cost), MCO_ERR_CHECK,
                 "customer 2 is in route 1 and again in route 2, once was expected");
    assert_fails(check_text(p, "Route #1: 1 2 3 1\n", &cost), MCO_ERR_CHECK,
                 "customer 1 (A) is in route 1 and again in route 1, once was expected");
    assert_fails(check_text(p, "Route #1: 1 2 3\nRoute #2: 6 5 4\n", &cost), MCO_ERR_CHECK,
                 "route 2: the load is 7, at most 6 is allowed");
    assert_fails(check_text(p, "Route #1: 1 2\nRoute #2: 6 5\nRoute #3: 3 4\n", &cost), MCO_ERR_CHECK,
                 "3 routes, there are at most 2 vehicles");
    assert_int_equal(cost, -5);
    mco_vrp_destroy(test_ctx, &p);
    p = instance(13.5, 0, MCO_VRP_DISTANCES_REAL);
    assert_fails(check_text(p, GOOD, &cost), MCO_ERR_CHECK, "route 2: the length is 14, at most 13.5 is allowed");
    mco_vrp_destroy(test_ctx, &p);
    p = instance(14, 0, MCO_VRP_DISTANCES_REAL);
    assert_ok(check_text(p, "Route #1: 1 2\nRoute #2: 6 5\nRoute #3: 3 4\n", &cost));
    assert_true((double)cost / mco_vrp_scale(p) == 24);
    mco_vrp_destroy(test_ctx, &p);
}

static void test_route(void **state)
{
    (void)state;
    mco_vrp *p = instance(-1, 0, MCO_VRP_DISTANCES_ROUNDED);
    int32_t order[] = {5, 0, 3}, first[] = {0, 1, 3};
    const mco_vrp_solution s = {.customers = 3, .routes = 2, .order = order, .first = first};
    mco_vrp_route r = mco_vrp_route_of(p, &s, 0);
    assert_int_equal(r.load, 5);
    assert_int_equal(r.cost, 12);
    assert_int_equal(r.length, 13);
    r = mco_vrp_route_of(p, &s, 1);
    assert_int_equal(r.load, 2);
    assert_int_equal(r.cost, 8);
    assert_int_equal(r.length, 10);
    mco_vrp_destroy(test_ctx, &p);
}

static void test_shapes(void **state)
{
    (void)state;
    mco_vrp *p = instance(-1, 0, MCO_VRP_DISTANCES_ROUNDED);
    int32_t order[CUSTOMERS] = {0, 1, 2, 3, 4, 5}, first[] = {0, 4, CUSTOMERS}, empty[] = {0, 0, CUSTOMERS};
    mco_vrp_solution s = {.customers = CUSTOMERS, .routes = 2, .order = order, .first = first};
    const char *path = test_path("s.sol");
    assert_ok(mco_vrp_check(test_ctx, p, &s, NULL));
    order[3] = CUSTOMERS;
    assert_fails(mco_vrp_check(test_ctx, p, &s, NULL), MCO_ERR_CHECK, "route 1: customer 7, 1 to 6 was expected");
    assert_fails(mco_vrp_write_solution(test_ctx, p, &s, path), MCO_ERR_ARGUMENT,
                 "the solution visits customer 7, the instance has 6");
    order[3] = INT32_MAX;
    assert_fails(mco_vrp_check(test_ctx, p, &s, NULL), MCO_ERR_CHECK,
                 "route 1: customer 2147483648, 1 to 6 was expected");
    order[3] = 3;
    first[1] = -1;
    assert_fails(mco_vrp_check(test_ctx, p, &s, NULL), MCO_ERR_CHECK, "route 1 holds -1 customers, at least 1 was expected");
    assert_fails(mco_vrp_write_solution(test_ctx, p, &s, path), MCO_ERR_ARGUMENT,
                 "route 1 holds -1 customers, at least 0 were expected");
    s.first = empty;
    assert_fails(mco_vrp_check(test_ctx, p, &s, NULL), MCO_ERR_CHECK, "route 1 holds 0 customers, at least 1 was expected");
    first[1] = 4;
    s.first = first;
    s.customers = 5;
    assert_fails(mco_vrp_check(test_ctx, p, &s, NULL), MCO_ERR_CHECK,
                 "the routes hold customers 0 to 6 of the order, expected were 0 to 5");
    assert_fails(mco_vrp_write_solution(test_ctx, p, &s, path), MCO_ERR_ARGUMENT,
                 "the solution's 2 routes do not hold its 5 customers");
    s.routes = -1;
    assert_fails(mco_vrp_check(test_ctx, p, &s, NULL), MCO_ERR_CHECK,
                 "the solution has 5 customers and -1 routes, at least 0 were expected");
    s = (mco_vrp_solution){.routes = 0};
    assert_fails(mco_vrp_check(test_ctx, p, &s, NULL), MCO_ERR_CHECK, "the solution has no routes");
    assert_fails(mco_vrp_check(test_ctx, p, NULL, NULL), MCO_ERR_ARGUMENT, "a pointer is NULL");
    mco_vrp_destroy(test_ctx, &p);
}

// ---- Reading

// Expects the solution that GOOD holds.
static void assert_good(const mco_vrp *p, const char *content, double expected)
{
    static const int32_t order[CUSTOMERS] = {1, 2, 3, 4, 6, 5};
    mco_vrp_solution s = {0};
    double cost = 0;
    assert_ok(read_text(p, content, &s, &cost));
    assert_int_equal(s.customers, CUSTOMERS);
    assert_int_equal(s.routes, 2);
    assert_int_equal(s.first[0], 0);
    assert_int_equal(s.first[1], 4);
    assert_int_equal(s.first[2], CUSTOMERS);
    for (int i = 0; i < CUSTOMERS; i++)
        assert_int_equal(s.order[i] + 1, order[i]);
    assert_true(isnan(expected) ? isnan(cost) : cost == expected);
    mco_vrp_solution_clear(test_ctx, &s);
}

static void test_read(void **state)
{
    (void)state;
    mco_vrp *p = instance(-1, 0, MCO_VRP_DISTANCES_ROUNDED);
    assert_good(p, GOOD, 20);
    assert_good(p, "cost : 20.5\r\n# none\r\nROUTE #7 :\t1 2 3 4 \r\nroute 1:\r\nRoute#2:6 5\r\nTime 3.5\r\n", 20.5);
    assert_good(p, "Route #0:\nRoute #1: A 2 3 4\nRoute #2: # 5x\nRoute #3:\n", (double)NAN);
    assert_good(p, "route,customer\n1,1\n1,2\n1,3\n1,4\n3,6\n3,5\n", (double)NAN);
    assert_good(p, "Route;Name;customer\r\n1;A;\r\n1;;2\r\n1;\"c, \"\"d\"\"\"\r\n1;4;\r\n\r\n2;#\r\n2;5x;5;;\r\n", (double)NAN);
    assert_good(p, "route\tcustomer\n1\tA\n1\t2\n1\t\"c, \"\"d\"\"\"\n1\t4\n9\t6\n9\t5\n", (double)NAN);
    assert_good(p, "{\"schema\": 1, \"objective\": 20, \"history\": [[0, 1]], \"solution\":\n"
                   "{\"loads\": [4, 6], \"routes\": [[], [1, 2, 3, 4], [6, 5]]}}",
                20);
    assert_good(p, "{\"solution\":{\"routes\":[[1,2,3,4],[6,5]]},\"objective\":null}\n", (double)NAN);
    assert_good(p, "{\"solution\":{\"routes\":[[1,2,3,4],[6,5],[]]},\"objective\":20.125}\n", 20.125);
    // Names in quotes, as names alone, and beside the numbers.
    assert_good(p, "Route #1: A 2 \"c, \"\"d\"\"\" 4\nRoute #2: \"#\" 5x\n", (double)NAN);
    assert_good(p, "# ids: names, by hand\nRoute #1: A 2 \"c, \"\"d\"\"\" 4\nRoute #2: # \"5x\"\n", (double)NAN);
    assert_good(p, "# ids: rows\n# names: are not read\nRoute #1: A 2 3 \"4\"\nRoute #2: # 5x\n", (double)NAN);
    assert_good(p, "route,stop,customer,name,load,distance\n1,1,1,A,1,1\n1,2,2,2,2,2\n1,3,3,\"c, \"\"d\"\"\",3,3\n1,4,4,4\n"
                   "2,1,6,#,,\n2,2,,5x\n", (double)NAN);
    assert_good(p, "{\"solution\":{\"names\":[[\"A\",\"2\",\"?\",\"4\"],[\"#\",\"5x\"]],\"routes\":[[1,2,3,4],[6,5]]}}", (double)NAN);
    assert_good(p, "{\"solution\":{\"routes\":[[\"\\u0041\",2,3,4],[\"#\",5]]}}", (double)NAN);
    assert_good(p, "{\"solution\":{\"routes\":[[\"A\",2,\"c, \\\"d\\\"\",4],[\"#\",5]]}}", (double)NAN);
    mco_vrp_destroy(test_ctx, &p);
}

static void test_read_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "s:1:1: the file is empty"},
        {" \n \n", "s:3:1: the file is empty"},
        {"# 1 2 3\n", "s:2:1: the file holds no solution"},
        {"1 2 3\n", "s:1:1: the line is \"1 2 3\", lines are \"Route #1: ...\" and \"Cost ...\""},
        {"Route #1: 1\nRoutes: 2\n", "s:2:1: the line is \"Routes: 2\", lines are \"Route #1: ...\" and \"Cost ...\""},
        {"Route 1 2 3\n", "s:1:9: a colon was expected before the customers"},
        {"Route #x: 2 3\n", "s:1:8: the number of the route is \"x\", an integer was expected"},
        {"Route #: 2 3\n", "s:1:8: the number of the route is \"\", an integer was expected"},
        {"Route #1: 0 2\n", "s:1:11: the customer is 0, allowed is 1 to 6"},
        {"Route #1: 1 7\n", "s:1:13: the customer is 7, allowed is 1 to 6"},
        {"Route #1: 1 -2\n", "s:1:13: the customer is -2, allowed is 1 to 6"},
        {"Route #1: \"1\"\n", "s:1:12: the customer is \"1\", a name of the instance was expected"},
        {"Route #1: 2 \"c, \n", "s:1:13: the quote before the customer is not closed"},
        {"# ids: names\nRoute #1: 1\n", "s:2:11: the customer is \"1\", a name of the instance was expected"},
        {"# ids: numbers\n", "s:1:8: ids are \"numbers\", supported are names and rows"},
        {"Route #1: 1 B\n", "s:1:13: the customer is \"B\", a number from 1 to 6 or a name of the instance was expected"},
        {"Cost 3\nCost 4\n", "s:2:6: the cost a second time, it was 3"},
        {"Cost x\n", "s:1:6: the cost is \"x\", a number was expected"},
        {"Cost\n", "s:1:5: the cost is \"\", a number was expected"},
        {"Cost -1\n", "s:1:6: the cost is -1, allowed is 0 to 1e+18"},
        // CSV
        {"route,city\n", "s:1:7: the column is \"city\", supported are route, stop, customer, name, load and distance"},
        {"route,route\n", "s:1:7: the column \"route\" a second time, first at 1:1"},
        {"customer,name\n", "s:1:1: the header has no column \"route\""},
        {"route,\n", "s:1:1: the header has no column \"customer\""},
        {"route,customer\n1\n", "s:2:1: the row has 1 cells, 2 were expected"},
        {"route,customer\n1,2,3\n", "s:2:5: the row has more than 2 cells"},
        {"route,customer\n1,9\n", "s:2:3: the customer is 9, allowed is 1 to 6"},
        {"route,customer\n1,\n", "s:2:3: the customer is \"\", a number from 1 to 6 or a name of the instance was expected"},
        {"route,customer\nx,1\n", "s:2:1: the route, after those before it, is \"x\", an integer was expected"},
        {"route,customer\n2,1\n1,2\n", "s:3:1: the route, after those before it, is 1, allowed is 2 to 2147483647"},
        {"route,customer,name\n1,1,5x\n",
         "s:2:5: customer 1 is \"5x\" here, which is the name of customer 5: the rows of the instance have changed"},
        {"route,name\n1,9\n", "s:2:3: the customer is \"9\", a name of the instance was expected"},
        // Results
        {"{\"solution\": {\"routes\": [[\"B\"]]}}", "s:1:27: the customer is \"B\", a name of the instance was expected"},
        {"{\"solution\": {\"routes\": [[1, 5]], \"names\": [[\"A\", \"#\"]]}}",
         "s:1:58: customer 5 has the name of customer 6 here, \"#\": the rows of the instance have changed"},
        {"{\"solution\": {\"names\": [[\"A\"]], \"names\": []}}", "s:1:42: \"names\" a second time"},
        {"{", "s:1:2: the text ends where '\"' was expected"},
        {"{}", "s:1:3: the file holds no solution"},
        {"{\"solution\": null}", "s:1:19: the file holds no solution"},
        {"{\"solution\": {\"routes\": null}}\n", "s:2:1: the file holds no solution"},
        {"{\"solution\": {\"routes\": [1]}}", "s:1:26: '[' was expected, '1' found"},
        {"{\"solution\": {\"routes\": [[1.5]]}}", "s:1:27: the customer is \"1.5\", an integer was expected"},
        {"{\"solution\": {\"routes\": [[7]]}}", "s:1:27: the customer is 7, allowed is 1 to 6"},
        {"{\"solution\": {\"routes\": [[1]], \"routes\": []}}", "s:1:42: \"routes\" a second time"},
        {"{\"objective\": \"x\"}", "s:1:15: the cost is \"\", a number was expected"},
        {"{\"solution\": {\"routes\": [[1]]}} {", "s:1:33: the result ends before \"{\""},
    };
    mco_vrp *p = instance(-1, 0, MCO_VRP_DISTANCES_ROUNDED);
    for (int i = 0; i < COUNT_OF(cases); i++) {
        mco_vrp_solution s = {0};
        double cost;
        assert_fails(read_text(p, cases[i].text, &s, &cost), MCO_ERR_PARSE, cases[i].message);
        assert_null(s.order);
    }
    mco_vrp_destroy(test_ctx, &p);
}

// ---- Writing

static void test_write(void **state)
{
    (void)state;
    mco_vrp_solution s = {0};
    double cost;
    mco_vrp *p = instance(-1, 0, MCO_VRP_DISTANCES_ROUNDED);
    assert_ok(read_text(p, GOOD, &s, &cost));
    assert_ok(mco_vrp_write_solution(test_ctx, p, &s, test_path("s.sol")));
    assert_content(test_path("s.sol"), "# ids: rows, the first customer's is 1; names stand in comments\n"
                                       "Route #1: 1 2 3 4\n# names: A 2 \"c, \"\"d\"\"\" 4\nRoute #2: 6 5\n# names: \"#\" 5x\n"
                                       "Cost 20\n");
    assert_ok(mco_vrp_write_solution(test_ctx, p, &s, test_path("s.CSV")));
    assert_content(test_path("s.CSV"),
                   "route,stop,customer,name,load,distance\n1,1,1,A,1,1\n1,2,2,2,2,2\n1,3,3,\"c, \"\"d\"\"\",3,3\n1,4,4,4,4,4\n"
                   "2,1,6,#,5,6\n2,2,5,5x,6,7\n");
    mco_vrp_destroy(test_ctx, &p);
    p = instance(-1, 0, MCO_VRP_DISTANCES_REAL);
    assert_ok(mco_vrp_write_solution(test_ctx, p, &s, test_path("s.sol")));
    assert_content(test_path("s.sol"), "# ids: rows, the first customer's is 1; names stand in comments\n"
                                       "Route #1: 1 2 3 4\n# names: A 2 \"c, \"\"d\"\"\" 4\nRoute #2: 6 5\n# names: \"#\" 5x\n"
                                       "Cost 20.000000\n");
    mco_vrp_solution_clear(test_ctx, &s);
    assert_ok(mco_vrp_read_solution(test_ctx, p, test_path("s.sol"), &s, &cost));
    assert_true(cost == 20);
    mco_vrp_solution_clear(test_ctx, &s);
    assert_ok(mco_vrp_read_solution(test_ctx, p, test_path("s.CSV"), &s, &cost));
    assert_ok(mco_vrp_check(test_ctx, p, &s, NULL));
    assert_fails(mco_vrp_write_solution(test_ctx, p, &s, "no-such-folder/s"), MCO_ERR_IO,
                 "cannot write no-such-folder/s: No such file or directory");
    mco_vrp_solution_clear(test_ctx, &s);
    mco_vrp_solution_clear(test_ctx, NULL);
    assert_fails(mco_vrp_read_solution(test_ctx, p, "no-such-file", &s, &cost), MCO_ERR_IO,
                 "cannot read no-such-file: No such file or directory");
    assert_fails(mco_vrp_write_solution(test_ctx, p, &s, "s"), MCO_ERR_ARGUMENT, "a pointer is NULL");
    mco_vrp_destroy(test_ctx, &p);
}

// Names that are numbers of other rows: every file that is written reads back, and a file by hand says what its numbers
// are.
static void test_number_names(void **state)
{
    (void)state;
    static const char *const paths[] = {"n.sol", "n.csv"};
    static const int32_t order[] = {0, 1, 2}, by_name[] = {1, 2, 0};
    mco_vrp *p = NULL;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_text text;
    double cost;
    const char *const content = "capacity,9\nid,x,y,demand\n,0,0,\n3,1,0,1\n1,2,0,1\n2,3,0,1\n";
    assert_ok(mco_text_from_memory(test_ctx, "instance", content, strlen(content), &text));
    assert_ok(vrp_read_text(test_ctx, &text, &model, "instance", &p));
    mco_text_close(&text);
    assert_true(mco_vrp_has_names(p));
    for (int i = 0; i < COUNT_OF(paths); i++) {
        mco_vrp_solution s = {0};
        assert_ok(read_text(p, "Route #1: 1 2 3\n", &s, &cost));
        assert_ok(mco_vrp_write_solution(test_ctx, p, &s, test_path(paths[i])));
        mco_vrp_solution_clear(test_ctx, &s);
        assert_ok(mco_vrp_read_solution(test_ctx, p, test_path(paths[i]), &s, &cost));
        assert_memory_equal(s.order, order, sizeof order);
        mco_vrp_solution_clear(test_ctx, &s);
    }
    static const char *const named[] = {"# ids: names\nRoute #1: 1 2 3\n", "Route #1: \"1\" \"2\" \"3\"\n",
                                        "route,name\n1,1\n1,2\n1,3\n", "{\"solution\":{\"routes\":[[\"1\",\"2\",\"3\"]]}}"};
    for (int i = 0; i < COUNT_OF(named); i++) {
        mco_vrp_solution s = {0};
        assert_ok(read_text(p, named[i], &s, &cost));
        assert_memory_equal(s.order, by_name, sizeof by_name);
        mco_vrp_solution_clear(test_ctx, &s);
    }
    mco_vrp_destroy(test_ctx, &p);
}

// A sign without digits is no number.
static void test_sign_as_name(void **state)
{
    (void)state;
    static const char *const texts[] = {"Route #1: - + A\n", "# ids: rows\nRoute #1: - + A\n", "route,customer\n1,-\n1,+\n1,A\n"};
    static const int32_t order[] = {0, 1, 2};
    mco_text text;
    mco_vrp *p = NULL;
    double cost;
    const char *const rows = "capacity,9\nname,x,y,demand\nd,0,0,\n-,1,1,1\n+,2,2,1\nA,3,3,1\n";
    assert_ok(mco_text_from_memory(test_ctx, "p", rows, strlen(rows), &text));
    assert_ok(vrp_read_text(test_ctx, &text, NULL, "p", &p));
    mco_text_close(&text);
    for (int i = 0; i < COUNT_OF(texts); i++) {
        mco_vrp_solution s = {0};
        assert_ok(read_text(p, texts[i], &s, &cost));
        assert_memory_equal(s.order, order, sizeof order);
        mco_vrp_solution_clear(test_ctx, &s);
    }
    mco_vrp_destroy(test_ctx, &p);
}

static void test_memory_failures(void **state)
{
    (void)state;
    static const char *const texts[] = {"Route #1: A 2 3 4\nRoute #2: 6 5\n",
                                        "route,customer\n1,1\n1,2\n1,\"c, \"\"d\"\"\"\n1,4\n3,6\n3,5\n",
                                        "{\"solution\":{\"routes\":[[1,2,\"c, \\\"d\\\"\",4],[6,5]],\"names\":[[\"A\"]]}}",
                                        "# ids: names\nRoute #1: A 2 \"c, \"\"d\"\"\" 4\nRoute #2: # 5x\n"};
    mco_vrp *p = instance(-1, 0, MCO_VRP_DISTANCES_ROUNDED);
    for (int i = 0; i < COUNT_OF(texts); i++) {
        mco_text text;
        long k = 0;
        mco_status st = MCO_ERR_MEMORY;
        while (st == MCO_ERR_MEMORY) {
            mco_vrp_solution s = {0};
            double cost;
            assert_ok(mco_text_from_memory(test_ctx, "s", texts[i], strlen(texts[i]), &text));
            test_fail_allocation(++k);
            st = vrp_read_solution_text(test_ctx, p, &text, &s, &cost);
            if (st == MCO_OK)
                st = mco_vrp_check(test_ctx, p, &s, NULL);
            test_fail_allocation(0);
            mco_vrp_solution_clear(test_ctx, &s);
            mco_text_close(&text);
        }
        assert_ok(st);
        assert_true(k > 4);
    }
    mco_vrp_destroy(test_ctx, &p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_check),         TEST(test_route), TEST(test_shapes),          TEST(test_read),
        TEST(test_read_refusals), TEST(test_write), TEST(test_number_names),    TEST(test_memory_failures),
        TEST(test_sign_as_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
