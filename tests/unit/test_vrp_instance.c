// SPDX-License-Identifier: MIT
// Instances of vehicle routing made by a program: distances and the scale of real ones, limits, what no vehicle can
// serve.
#include "test_support.h"

#include "base/rng.h"
#include "vrp/instance.h"

static mco_vrp_model model_of(int64_t capacity)
{
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.capacity = capacity;
    return model;
}

static void test_create(void **state)
{
    (void)state;
    const int32_t distances[] = {-7, 1, 2, 3, -7, 4, 5, 16777216, -7}, symmetric[] = {0, 1, 2, 1, 0, 3, 2, 3, 0};
    const int32_t demands[] = {4, 0};
    mco_vrp_model model = model_of(4);
    mco_vrp *p = NULL;
    char number[16];
    double x, y;
    assert_ok(mco_vrp_create(test_ctx, 2, distances, demands, &model, &p));
    assert_string_equal(mco_vrp_name(p), "vrp-2");
    assert_string_equal(mco_vrp_customer_name(p, 1, number), "2");
    assert_false(mco_vrp_coordinates(p, 0, &x, &y));
    assert_false(p->is_symmetric);
    assert_int_equal(mco_vrp_distance_rule(p), MCO_VRP_DISTANCES_ROUNDED);
    for (int32_t i = 0; i < 9; i++)
        assert_int_equal(mco_vrp_distance(p, i / 3, i % 3), i % 4 == 0 ? 0 : distances[i]);
    assert_int_equal(p->longest, 16777216);
    mco_vrp_destroy(test_ctx, &p);
    model.distance = MCO_VRP_DISTANCES_REAL;
    assert_ok(mco_vrp_create(test_ctx, 2, symmetric, demands, &model, &p));
    assert_true(p->is_symmetric);
    assert_true(mco_vrp_scale(p) == 1e6);
    assert_int_equal(mco_vrp_distance(p, 2, 1), 3000000);
    mco_vrp_destroy(test_ctx, &p);
    assert_ok(mco_vrp_create(test_ctx, 0, symmetric, demands, &model, &p));
    assert_int_equal(mco_vrp_customers(p), 0);
    mco_vrp_destroy(test_ctx, &p);
    mco_vrp_destroy(test_ctx, &p);
    mco_vrp_destroy(test_ctx, NULL);
}

// Compares with the plain formula; no distance may exceed the bound of the instance.
static void test_coordinates(void **state)
{
    (void)state;
    enum { CUSTOMERS = 60 };
    double x[CUSTOMERS + 1], y[CUSTOMERS + 1];
    int32_t demands[CUSTOMERS];
    mco_rng rng;
    mco_rng_seed(&rng, 7, 0);
    for (int round = 0; round < 40; round++) {
        const double side = pow(10, round % 7);
        mco_vrp_model model = model_of(100);
        mco_vrp *p = NULL;
        double longest = 0;
        for (int i = 0; i <= CUSTOMERS; i++) {
            x[i] = mco_rng_real(&rng) * side - side / 3;
            y[i] = mco_rng_real(&rng) * (round % 2 == 0 ? side : 1);
            demands[i < CUSTOMERS ? i : 0] = i;
        }
        model.distance = round % 3 == 0 ? MCO_VRP_DISTANCES_ROUNDED : MCO_VRP_DISTANCES_REAL;
        assert_ok(mco_vrp_from_coordinates(test_ctx, CUSTOMERS, x, y, demands, &model, &p));
        assert_true(p->is_symmetric);
        for (int32_t i = 0; i <= CUSTOMERS; i++)
            for (int32_t j = 0; j <= CUSTOMERS; j++) {
                const double exact = sqrt((x[i] - x[j]) * (x[i] - x[j]) + (y[i] - y[j]) * (y[i] - y[j]));
                assert_int_equal(mco_vrp_distance(p, i, j), (int32_t)floor(exact * p->scale + 0.5));
                assert_true(mco_vrp_distance(p, i, j) <= p->longest);
                longest = fmax(longest, exact);
            }
        assert_true(p->longest <= MCO_VRP_MAX_DISTANCE);
        // The next scale is too large, even if the bound on the distances is half as large again as the longest one.
        if (model.distance == MCO_VRP_DISTANCES_ROUNDED)
            assert_true(p->scale == 1);
        else
            assert_true(p->scale == 1e6 || longest * 1.5 * p->scale * 10 > MCO_VRP_MAX_DISTANCE);
        mco_vrp_destroy(test_ctx, &p);
    }
}

// The bound by the depot is the smaller one if the depot is in the middle of a line; that by the rectangle is smaller
// at its end.
static void test_longest(void **state)
{
    (void)state;
    const double middle[] = {5, 0, 10}, end[] = {0, 5, 10}, y[] = {0, 0, 0};
    const int32_t demands[] = {1, 1};
    const mco_vrp_model model = model_of(1);
    mco_vrp *p = NULL;
    assert_ok(mco_vrp_from_coordinates(test_ctx, 2, middle, y, demands, &model, &p));
    assert_int_equal(p->longest, 10);
    mco_vrp_destroy(test_ctx, &p);
    assert_ok(mco_vrp_from_coordinates(test_ctx, 2, end, y, demands, &model, &p));
    assert_int_equal(p->longest, 10);
    mco_vrp_destroy(test_ctx, &p);
}

// One customer 3 from the depot, whose route has a length of 6 and a service time.
static mco_vrp *pair(double max_length, double service, mco_vrp_distances distances)
{
    const double x[] = {0, 3}, y[] = {0, 0};
    mco_vrp_model model = model_of(1);
    mco_vrp *p = NULL;
    model.distance = distances;
    model.max_length = max_length;
    model.service_time = service;
    assert_ok(mco_vrp_from_coordinates(test_ctx, 1, x, y, (const int32_t[]){1}, &model, &p));
    return p;
}

static void assert_pair(double max_length, double service, mco_vrp_distances distances, double scale, int32_t expected)
{
    mco_vrp *p = pair(max_length, service, distances);
    assert_true(mco_vrp_scale(p) == scale);
    assert_int_equal(mco_vrp_max_length(p), expected);
    mco_vrp_destroy(test_ctx, &p);
}

static void test_max_length(void **state)
{
    (void)state;
    const int32_t none = MCO_VRP_MAX_LENGTH;
    assert_pair(-1, -1, MCO_VRP_DISTANCES_ROUNDED, 1, none);
    assert_pair(0, -1, MCO_VRP_DISTANCES_ROUNDED, 1, 0);
    assert_pair(5.999, -1, MCO_VRP_DISTANCES_ROUNDED, 1, 5);
    assert_pair(6, -1, MCO_VRP_DISTANCES_ROUNDED, 1, none);  // no route is longer
    assert_pair(6.5, 2, MCO_VRP_DISTANCES_ROUNDED, 1, 6);
    assert_pair(1e9, 2, MCO_VRP_DISTANCES_ROUNDED, 1, none);
    assert_pair(4.1, -1, MCO_VRP_DISTANCES_REAL, 1e6, 4100000);  // 4.1 * 10^6 is 4099999.9999999995 in double precision
    assert_pair(265368.133, 300000, MCO_VRP_DISTANCES_REAL, 1e3, 265368133);  // the product is 265368132.99999997
    assert_pair(265368.1329, 300000, MCO_VRP_DISTANCES_REAL, 1e3, 265368132);
    assert_pair(4.00000099, -1, MCO_VRP_DISTANCES_REAL, 1e6, 4000000);
    assert_pair(2000, 1000, MCO_VRP_DISTANCES_REAL, 1e5, none);
    assert_pair(1000, 999, MCO_VRP_DISTANCES_REAL, 1e5, 100000000);
    assert_pair(-1, 12345.5, MCO_VRP_DISTANCES_REAL, 1e4, none);
}

static void test_service(void **state)
{
    (void)state;
    mco_vrp *p = pair(-1, 0.6, MCO_VRP_DISTANCES_ROUNDED);
    assert_int_equal(mco_vrp_service(p, 0), 1);
    mco_vrp_destroy(test_ctx, &p);
    p = pair(-1, 0.6, MCO_VRP_DISTANCES_REAL);
    assert_int_equal(mco_vrp_service(p, 0), 600000);
    mco_vrp_destroy(test_ctx, &p);
    p = pair(-1, 0, MCO_VRP_DISTANCES_REAL);
    assert_null(p->service);
    assert_int_equal(mco_vrp_service(p, 0), 0);
    mco_vrp_destroy(test_ctx, &p);
}

static void test_unservable(void **state)
{
    (void)state;
    const double x[] = {0, 3, 3}, y[] = {0, 4, 4};
    mco_vrp_model model = model_of(7);
    mco_vrp *p = NULL;
    assert_ok(mco_vrp_from_coordinates(test_ctx, 2, x, y, (const int32_t[]){7, 8}, &model, &p));
    assert_fails(vrp_refuse_unservable(test_ctx, p, (double)INFINITY), MCO_ERR_ARGUMENT,
                 "customer 2: the demand is 8, the capacity of a vehicle 7");
    mco_vrp_destroy(test_ctx, &p);
    model.distance = MCO_VRP_DISTANCES_REAL;
    model.max_length = 11.5;
    model.service_time = 1.25;
    assert_ok(mco_vrp_from_coordinates(test_ctx, 2, x, y, (const int32_t[]){7, 7}, &model, &p));
    assert_ok(vrp_refuse_unservable(test_ctx, p, (double)INFINITY));
    mco_vrp_destroy(test_ctx, &p);
    model.max_length = 11.125;
    assert_ok(mco_vrp_from_coordinates(test_ctx, 2, x, y, (const int32_t[]){7, 7}, &model, &p));
    assert_fails(vrp_refuse_unservable(test_ctx, p, (double)INFINITY), MCO_ERR_ARGUMENT,
                 "customer 1: there and back is at least 11.25 with its service, the longest route allowed 11.125");
    mco_vrp_destroy(test_ctx, &p);
}

// Rounding, or a matrix, can make a way through other customers shorter than the direct one. Only the shortest way is a
// proof. The customer in the middle has its service on it.
static void test_ways_through_others(void **state)
{
    static const int32_t line[] = {0, 1, 9, 1, 0, 1, 9, 1, 0};  // 9 from the depot to customer 2, 1 + 1 through customer 1
    static const int32_t out[] = {0, 1, 9, 9, 0, 1, 2, 9, 0};   // one-way: 0, 1, 2 and home
    static const struct {
        const int32_t *matrix;
        double service, most;
        const char *message;  // NULL: not refused
    } cases[] = {
        {line, -1, 4, NULL},
        {line, -1, 3, "customer 2: there and back is at least 4 with its service, the longest route allowed 3"},
        {line, 2, 10, NULL},
        {line, 2, 9, "customer 2: there and back is at least 10 with its service, the longest route allowed 9"},
        {out, -1, 4, NULL},
        {out, -1, 3, "customer 1: there and back is at least 4 with its service, the longest route allowed 3"}};
    (void)state;
    for (int k = 0; k < COUNT_OF(cases); k++) {
        mco_vrp_model model = model_of(2);
        mco_vrp *p = NULL;
        model.max_length = cases[k].most;
        model.service_time = cases[k].service;
        assert_ok(mco_vrp_create(test_ctx, 2, cases[k].matrix, (const int32_t[]){1, 1}, &model, &p));
        if (cases[k].message == NULL)
            assert_ok(vrp_refuse_unservable(test_ctx, p, (double)INFINITY));
        else
            assert_fails(vrp_refuse_unservable(test_ctx, p, (double)INFINITY), MCO_ERR_ARGUMENT, cases[k].message);
        for (long fails = 1; fails <= 3 && cases[k].message != NULL; fails++) {
            test_fail_allocation(fails);
            assert_int_equal(vrp_refuse_unservable(test_ctx, p, (double)INFINITY), MCO_ERR_MEMORY);
        }
        test_fail_allocation(0);
        mco_vrp_destroy(test_ctx, &p);
    }
}

// Beyond the size of a matrix the proof is by rounding: with two customers to a route, 2 + 2 units.
static void test_many_customers_far_away(void **state)
{
    enum { N = MCO_VRP_MAX_MATRIX_CUSTOMERS + 1, FAR = 1000 };
    double *x = calloc(N + 1, sizeof *x), *y = calloc(N + 1, sizeof *y);
    int32_t *demands = calloc(N, sizeof *demands);
    (void)state;
    assert_true(x != NULL && y != NULL && demands != NULL);
    for (int32_t c = 0; c < N; c++)
        demands[c] = 1;
    x[N] = FAR;
    for (int below = 0; below <= 8; below++) {
        mco_vrp_model model = model_of(2);
        mco_vrp *p = NULL;
        model.max_length = 2 * FAR - below;
        assert_ok(mco_vrp_from_coordinates(test_ctx, N, x, y, demands, &model, &p));
        if (below <= 4)
            assert_ok(vrp_refuse_unservable(test_ctx, p, (double)INFINITY));
        else
            assert_int_equal(vrp_refuse_unservable(test_ctx, p, (double)INFINITY), MCO_ERR_ARGUMENT);
        mco_vrp_destroy(test_ctx, &p);
    }
    free(x);
    free(y);
    free(demands);
}

// A name of 51 bytes, cut at 48 or before, between the characters of UTF-8.
static void test_long_names_are_cut_between_characters(void **state)
{
    const char *const text = "name,x,y,demand\ndepot,0,0,0\n"
                             "\"n2345678901234567890123456789012345678901234567\xc3\xa4\xc3\xb6\",1,1,9\n";
    mco_vrp_model model = model_of(5);
    mco_vrp *p = NULL;
    (void)state;
    assert_ok(mco_vrp_read(test_ctx, test_file("names.csv", text), &model, &p));
    assert_fails(vrp_refuse_unservable(test_ctx, p, (double)INFINITY), MCO_ERR_ARGUMENT,
                 "customer 1 (n2345678901234567890123456789012345678901234567): the demand is 9, the capacity of a vehicle 5");
    mco_vrp_destroy(test_ctx, &p);
}

static void test_refusals(void **state)
{
    (void)state;
    const int32_t distances[] = {0, 1, -2, 0}, demands[] = {1, -1}, large[] = {1 << 30, 1};
    const double x[] = {0, 1, 2}, y[] = {0, 0, (double)NAN}, far[] = {0, 1.7e7, 0};
    mco_vrp_model model = model_of(5);
    mco_vrp *p = NULL;
    assert_fails(mco_vrp_create(test_ctx, 1, distances, demands, &model, &p), MCO_ERR_ARGUMENT,
                 "the distance from node 1 to node 0 is -2, at least 0 was expected");
    assert_fails(mco_vrp_create(test_ctx, 1, (const int32_t[]){0, 16777217, 1, 0}, demands, &model, &p), MCO_ERR_LIMIT,
                 "vrp-1: distances up to 16777217, at most 16777216 supported");
    assert_fails(mco_vrp_create(test_ctx, 20001, distances, demands, &model, &p), MCO_ERR_LIMIT,
                 "20001 customers, allowed are 0 to 20000 with a matrix");
    assert_fails(mco_vrp_create(test_ctx, -1, distances, demands, &model, &p), MCO_ERR_LIMIT,
                 "-1 customers, allowed are 0 to 20000 with a matrix");
    assert_fails(mco_vrp_from_coordinates(test_ctx, 10000001, x, x, demands, &model, &p), MCO_ERR_LIMIT,
                 "10000001 customers, allowed are 0 to 10000000");
    assert_fails(mco_vrp_from_coordinates(test_ctx, 2, x, y, demands, &model, &p), MCO_ERR_ARGUMENT,
                 "node 2 is at (2, nan), coordinates are at most 1e+09");
    assert_fails(mco_vrp_from_coordinates(test_ctx, 2, x, x, demands, &model, &p), MCO_ERR_ARGUMENT,
                 "vrp-2: the demand of customer 2 is -1, at least 0 was expected");
    assert_fails(mco_vrp_from_coordinates(test_ctx, 2, x, x, large, &model, &p), MCO_ERR_LIMIT,
                 "vrp-2: the demands sum up to 1073741825, at most 1073741824 supported");
    assert_fails(mco_vrp_from_coordinates(test_ctx, 1, far, x, demands, &model, &p), MCO_ERR_LIMIT,
                 "vrp-1: distances up to 17000000, at most 16777216 supported");
    assert_fails(mco_vrp_from_coordinates(test_ctx, 1, x, x, demands, NULL, &p), MCO_ERR_ARGUMENT,
                 "vrp-1: the capacity is not given, in the model it is --capacity");
    model.capacity = 0;
    assert_fails(mco_vrp_from_coordinates(test_ctx, 1, x, x, demands, &model, &p), MCO_ERR_ARGUMENT,
                 "capacity is 0, allowed is 1 to 1000000000");
    model = model_of(5);
    model.struct_size = 3;
    assert_int_equal(mco_vrp_from_coordinates(test_ctx, 1, x, x, demands, &model, &p), MCO_ERR_ARGUMENT);
    assert_non_null(strstr(mco_context_error(test_ctx), "struct_size of the model is 3, "));
    model.struct_size = sizeof model + 1;
    assert_int_equal(mco_vrp_from_coordinates(test_ctx, 1, x, x, demands, &model, &p), MCO_ERR_ARGUMENT);
    assert_fails(mco_vrp_from_coordinates(test_ctx, 1, NULL, x, demands, NULL, &p), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_fails(mco_vrp_create(test_ctx, 1, NULL, demands, NULL, &p), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_null(p);
}

static void test_memory_failures(void **state)
{
    (void)state;
    const int32_t distances[] = {0, 1, 2, 0};
    const double x[] = {0, 1}, y[] = {0, 0};
    mco_vrp_model model = model_of(5);
    model.service_time = 2;
    for (int kind = 0; kind < 2; kind++) {
        mco_status st = MCO_ERR_MEMORY;
        long k = 0;
        while (st == MCO_ERR_MEMORY) {
            mco_vrp *p = NULL;
            test_fail_allocation(++k);
            st = kind == 0 ? mco_vrp_create(test_ctx, 1, distances, (const int32_t[]){1}, &model, &p)
                           : mco_vrp_from_coordinates(test_ctx, 1, x, y, (const int32_t[]){1}, &model, &p);
            test_fail_allocation(0);
            assert_int_equal(p != NULL, st == MCO_OK);
            mco_vrp_destroy(test_ctx, &p);
        }
        assert_ok(st);
        assert_true(k > 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_create),  TEST(test_coordinates), TEST(test_longest),  TEST(test_max_length),
        TEST(test_service), TEST(test_unservable),  TEST(test_refusals), TEST(test_memory_failures),
        TEST(test_ways_through_others), TEST(test_many_customers_far_away),
        TEST(test_long_names_are_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
