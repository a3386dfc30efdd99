// SPDX-License-Identifier: MIT
// Instances and orders: Taillard's generator against a second implementation and published facts, the worked example,
// every format, and every refusal with its place and its values.
#include "test_support.h"

#include <limits.h>
#include <math.h>

#include "base/text.h"
#include "flowshop/instance.h"

enum { INSTANCES = 120 };

static mco_flowshop *taillard(int number)
{
    char name[8];
    mco_flowshop *shop = NULL;
    snprintf(name, sizeof name, "ta%03d", number);
    assert_ok(mco_flowshop_taillard(test_ctx, name, &shop));
    assert_string_equal(mco_flowshop_name(shop), name);
    return shop;
}

static int64_t sum_of_times(const mco_flowshop *shop)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < mco_flowshop_machines(shop); i++)
        for (int32_t j = 0; j < mco_flowshop_jobs(shop); j++)
            sum += mco_flowshop_time(shop, i, j);
    return sum;
}

// ---- Taillard's instances

static void test_taillard_published(void **state)
{
    (void)state;
    static const struct {
        int number;
        int32_t first[4];
        int64_t sum;
    } cases[] = {{1, {54, 83, 15, 71}, 5153}, {56, {1, 96, 21, 57}, 49030}, {120, {69, 51, 9, 16}, 499516}};
    for (int c = 0; c < COUNT_OF(cases); c++) {
        mco_flowshop *shop = taillard(cases[c].number);
        for (int32_t j = 0; j < 4; j++)
            assert_int_equal(mco_flowshop_time(shop, 0, j), cases[c].first[j]);
        assert_int_equal(sum_of_times(shop), cases[c].sum);
        mco_flowshop_destroy(test_ctx, &shop);
    }
}

// The generator as the paper defines it, computed in 64 bits without Schrage's split.
static void test_taillard_generator(void **state)
{
    (void)state;
    const int64_t modulus = 2147483647;
    for (int number = 1; number <= INSTANCES; number++) {
        mco_flowshop *shop = taillard(number);
        int64_t x = shop->seed;
        for (int32_t i = 0; i < shop->machines; i++)
            for (int32_t j = 0; j < shop->jobs; j++) {
                x = x * 16807 % modulus;
                assert_int_equal(mco_flowshop_time(shop, i, j), 1 + (int)floor((double)x / (double)modulus * 99));
            }
        mco_flowshop_destroy(test_ctx, &shop);
    }
}

// Taillard's lower bound: the larger of a job's time and of a machine's load with the shortest ways to it and from it.
static int64_t machine_bound(const mco_flowshop *s)
{
    int64_t bound = 0;
    for (int32_t j = 0; j < s->jobs; j++) {
        int64_t length = 0;
        for (int32_t i = 0; i < s->machines; i++)
            length += mco_flowshop_time(s, i, j);
        bound = length > bound ? length : bound;
    }
    for (int32_t k = 0; k < s->machines; k++) {
        int64_t load = 0, head = INT64_MAX, tail = INT64_MAX;
        for (int32_t j = 0; j < s->jobs; j++) {
            int64_t before = 0, after = 0;
            for (int32_t i = 0; i < s->machines; i++) {
                before += i < k ? mco_flowshop_time(s, i, j) : 0;
                after += i > k ? mco_flowshop_time(s, i, j) : 0;
            }
            load += mco_flowshop_time(s, k, j);
            head = before < head ? before : head;
            tail = after < tail ? after : tail;
        }
        bound = head + load + tail > bound ? head + load + tail : bound;
    }
    return bound;
}

static void test_taillard_bounds(void **state)
{
    (void)state;
    static const int64_t published[] = {1911, 1711, 1844, 1810, 1899, 1875, 1875, 1880, 1840, 1900};  // ta021..
    for (int number = 1; number <= INSTANCES; number++) {
        int64_t makespan, bound;
        mco_flowshop *shop = taillard(number);
        mco_flowshop_best_known(shop, &makespan, &bound);
        assert_true(machine_bound(shop) <= bound && bound <= makespan);
        if (number >= 21 && number <= 30)
            assert_int_equal(machine_bound(shop), published[number - 21]);
        mco_flowshop_destroy(test_ctx, &shop);
    }
}

static void test_taillard_names(void **state)
{
    (void)state;
    mco_flowshop *shop = NULL;
    const char *bad[] = {"", "ta", "ta000", "ta121", "ta1", "ta001x", "001"};
    for (int i = 0; i < COUNT_OF(bad); i++) {
        char expected[100];
        snprintf(expected, sizeof expected, "\"%s\" names no instance of Taillard's: they are ta001 to ta120", bad[i]);
        assert_fails(mco_flowshop_taillard(test_ctx, bad[i], &shop), MCO_ERR_ARGUMENT, expected);
    }
    assert_null(shop);
    assert_ok(mco_flowshop_taillard(test_ctx, "TA007", &shop));
    assert_string_equal(mco_flowshop_name(shop), "ta007");
    mco_flowshop_destroy(test_ctx, &shop);
}

// ---- The worked example: 3 jobs, 4 machines

static const int32_t example_times[] = {5, 2, 1, 3, 2, 3, 4, 1, 5, 1, 4, 2};

#define EXAMPLE_PLAIN "3 4\n5 2 1\n3 2 3\n4 1 5\n1 4 2\n"
#define EXAMPLE_TAILLARD                                                                         \
    "number of jobs, number of machines, initial seed, upper bound and lower bound :\n"          \
    "           3           4           0          17          15\nprocessing times :\n" \
    " 5  2  1\n 3  2  3\n 4  1  5\n 1  4  2\n"
#define EXAMPLE_PAIRS "3 4\n0 5 1 3 2 4 3 1\n0 2 1 2 2 1 3 4\n0 1 1 3 2 5 3 2\n"
#define EXAMPLE_CSV "job,cut,drill,mill,paint\nJ1,5,3,4,1\nJ2,2,2,1,4\nJ3,1,3,5,2\n"

static void assert_example(const mco_flowshop *shop)
{
    assert_int_equal(mco_flowshop_jobs(shop), 3);
    assert_int_equal(mco_flowshop_machines(shop), 4);
    for (int32_t i = 0; i < 4; i++)
        for (int32_t j = 0; j < 3; j++)
            assert_int_equal(mco_flowshop_time(shop, i, j), example_times[i * 3 + j]);
}

static mco_status read_text(const char *content, int32_t which, mco_flowshop **shop)
{
    mco_text text;
    assert_ok(mco_text_from_memory(test_ctx, "f", content, strlen(content), &text));
    mco_status st = flowshop_read_text(test_ctx, &text, which, shop);
    mco_text_close(&text);
    return st;
}

static mco_flowshop *read_ok(const char *content, int32_t which)
{
    mco_flowshop *shop = NULL;
    assert_ok(read_text(content, which, &shop));
    return shop;
}

static void test_example_makespans(void **state)
{
    (void)state;
    static const struct {
        int32_t order[3];
        int64_t makespan;
    } cases[] = {{{0, 1, 2}, 20}, {{0, 2, 1}, 23}, {{1, 0, 2}, 21}, {{1, 2, 0}, 17}, {{2, 0, 1}, 18}, {{2, 1, 0}, 16}};
    mco_flowshop *shop = NULL;
    assert_ok(mco_flowshop_create(test_ctx, 3, 4, example_times, &shop));
    assert_example(shop);
    assert_string_equal(mco_flowshop_name(shop), "flowshop-3x4");
    assert_string_equal(mco_flowshop_job_name(shop, 2), "3");
    assert_string_equal(mco_flowshop_machine_name(shop, 3), "M4");
    for (int c = 0; c < COUNT_OF(cases); c++) {
        int64_t makespan;
        assert_ok(mco_flowshop_check(test_ctx, shop, cases[c].order, 3, &makespan));
        assert_int_equal(makespan, cases[c].makespan);
    }
    mco_flowshop_destroy(test_ctx, &shop);
    assert_null(shop);
    mco_flowshop_destroy(test_ctx, &shop);
}

static void test_check_refuses(void **state)
{
    (void)state;
    mco_flowshop *shop = read_ok(EXAMPLE_PLAIN, 0);
    const int32_t twice[] = {2, 0, 2}, beyond[] = {0, 3, 1}, negative[] = {-1, 0, 1}, huge[] = {0, INT_MAX, 1};
    int64_t makespan = -5;
    assert_fails(mco_flowshop_check(test_ctx, shop, twice, 3, &makespan), MCO_ERR_CHECK,
                 "job 3 stands at position 1 and again at position 3");
    assert_fails(mco_flowshop_check(test_ctx, shop, beyond, 3, &makespan), MCO_ERR_CHECK,
                 "position 2 holds job 4, jobs are 1 to 3");
    assert_fails(mco_flowshop_check(test_ctx, shop, negative, 3, &makespan), MCO_ERR_CHECK,
                 "position 1 holds job 0, jobs are 1 to 3");
    assert_fails(mco_flowshop_check(test_ctx, shop, huge, 3, &makespan), MCO_ERR_CHECK,
                 "position 2 holds job 2147483648, jobs are 1 to 3");
    assert_fails(mco_flowshop_check(test_ctx, shop, twice, 2, &makespan), MCO_ERR_CHECK,
                 "the order has 2 jobs, the instance has 3");
    assert_fails(mco_flowshop_check(test_ctx, shop, NULL, 3, &makespan), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_int_equal(makespan, -5);
    mco_flowshop_destroy(test_ctx, &shop);
}

// ---- Creation

static void test_create_refuses(void **state)
{
    (void)state;
    mco_flowshop *shop = NULL;
    int32_t times[] = {1, 2, 3, 4};
    assert_fails(mco_flowshop_create(test_ctx, -1, 2, times, &shop), MCO_ERR_LIMIT,
                 "-1 jobs and 2 machines, allowed are 0 to 20000 and 1 to 1000");
    assert_fails(mco_flowshop_create(test_ctx, 2, 0, times, &shop), MCO_ERR_LIMIT,
                 "2 jobs and 0 machines, allowed are 0 to 20000 and 1 to 1000");
    assert_fails(mco_flowshop_create(test_ctx, 20001, 1001, times, &shop), MCO_ERR_LIMIT,
                 "20001 jobs and 1001 machines, allowed are 0 to 20000 and 1 to 1000");
    times[2] = -1;
    assert_fails(mco_flowshop_create(test_ctx, 2, 2, times, &shop), MCO_ERR_LIMIT,
                 "the time of job 1 on machine 2 is -1, allowed is 0 to 1000000");
    times[2] = 1000001;
    assert_fails(mco_flowshop_create(test_ctx, 2, 2, times, &shop), MCO_ERR_LIMIT,
                 "the time of job 1 on machine 2 is 1000001, allowed is 0 to 1000000");
    assert_fails(mco_flowshop_create(test_ctx, 2, 2, NULL, &shop), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_fails(mco_flowshop_create(test_ctx, 2, 2, times, NULL), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_fails(mco_flowshop_generate(test_ctx, 2, 2, 0, &shop), MCO_ERR_ARGUMENT,
                 "the seed is 0, allowed is 1 to 2147483646");
    assert_fails(mco_flowshop_generate(test_ctx, 2, 2, INT32_MAX, &shop), MCO_ERR_ARGUMENT,
                 "the seed is 2147483647, allowed is 1 to 2147483646");
    assert_fails(mco_flowshop_generate(test_ctx, 20001, 2, 1, &shop), MCO_ERR_LIMIT,
                 "20001 jobs and 2 machines, allowed are 0 to 20000 and 1 to 1000");
    assert_null(shop);
}

// (jobs + machines - 1) * largest time: 2147 * 10^6 passes, 2148 * 10^6 does not.
static void test_longest_path_limit(void **state)
{
    (void)state;
    enum { JOBS = 2148 };
    static int32_t times[JOBS] = {[JOBS / 2] = 1000000};
    mco_flowshop *shop = NULL;
    assert_ok(mco_flowshop_create(test_ctx, JOBS - 1, 1, times, &shop));
    mco_flowshop_destroy(test_ctx, &shop);
    assert_fails(mco_flowshop_create(test_ctx, JOBS, 1, times, &shop), MCO_ERR_LIMIT,
                 "(jobs + machines - 1) * largest time = (2148 + 1 - 1) * 1000000 = 2148000000, allowed is 2147483647");
}

static void test_no_jobs(void **state)
{
    (void)state;
    mco_flowshop *shop = NULL;
    int64_t makespan = -1;
    assert_ok(mco_flowshop_create(test_ctx, 0, 3, NULL, &shop));
    assert_ok(mco_flowshop_check(test_ctx, shop, NULL, 0, &makespan));
    assert_int_equal(makespan, 0);
    const char *path = test_path("empty-instance");
    assert_ok(mco_flowshop_write(test_ctx, shop, path));
    mco_flowshop_destroy(test_ctx, &shop);
    assert_ok(mco_flowshop_read(test_ctx, path, 0, &shop));
    assert_int_equal(mco_flowshop_jobs(shop), 0);
    assert_int_equal(mco_flowshop_machines(shop), 3);
    mco_flowshop_destroy(test_ctx, &shop);
    const char *empty[] = {"0 3", "0 3\n", "job,M1,M2\n"};
    for (int i = 0; i < COUNT_OF(empty); i++) {
        shop = read_ok(empty[i], 0);
        assert_int_equal(mco_flowshop_jobs(shop), 0);
        mco_flowshop_destroy(test_ctx, &shop);
    }
}

// ---- Formats

static void test_formats(void **state)
{
    (void)state;
    static const char *const texts[] = {
        EXAMPLE_PLAIN, EXAMPLE_TAILLARD, EXAMPLE_PAIRS, EXAMPLE_CSV,
        "\n\n  3\t4 \r\n5 2 1\r\n3 2 3\r\n4 1 5\r\n1 4 2",                     // CRLF, no final newline
        "3 4 99 17 15\n5 2\n1\n3 2 3\n4\n1\n5\n1 4 2\n\n\n",                   // rows over several lines
        "Number of Jobs and machines\n3 4\nprocessing times\n5 2 1\n3 2 3\n4 1 5\n1 4 2\n",
        "3  4\r\n  0 5 1 3 2 4 3 1 \r\n 0 2 1 2 2 1 3 4\r\n0 1 1 3 2 5 3 2",
        "job;cut;drill;mill;paint\r\n\"J1\";5;3;4;1\r\n\r\n J2 ; 2 ; 2 ; 1 ; 4 \r\nJ3;1;3;5;2",
        "job\tcut\tdrill\tmill\tpaint\nJ1\t5\t3\t4\t1\nJ2\t2\t2\t1\t4\nJ3\t1\t3\t5\t2\n",
        "\xef\xbb\xbfjob,cut,drill,mill,paint\nJ1,5,3,4,1\nJ2,2,2,1,4\nJ3,1,3,5,2\n",
        ",cut,drill,mill,paint\nJ1,5,3,4,1\nJ2,2,2,1,4\nJ3,1,3,5,2\n",
        ("\xc3\x9c" "ber,cut,drill,mill,paint\nJ1,5,3,4,1\nJ2,2,2,1,4\nJ3,1,3,5,2\n"),
    };
    for (int i = 0; i < COUNT_OF(texts); i++) {
        mco_flowshop *shop = read_ok(texts[i], 0);
        assert_example(shop);
        mco_flowshop_destroy(test_ctx, &shop);
        shop = read_ok(texts[i], 1);
        assert_example(shop);
        mco_flowshop_destroy(test_ctx, &shop);
    }
}

static void test_facts_of_file(void **state)
{
    (void)state;
    int64_t makespan, bound;
    mco_flowshop *shop = read_ok(EXAMPLE_TAILLARD, 0);
    mco_flowshop_best_known(shop, &makespan, &bound);
    assert_int_equal(makespan, 17);
    assert_int_equal(bound, 15);
    mco_flowshop_destroy(test_ctx, &shop);
    shop = read_ok("1 1 5 0 0\n7\n", 0);
    mco_flowshop_best_known(shop, &makespan, &bound);
    assert_int_equal(makespan, -1);
    assert_int_equal(bound, -1);
    assert_int_equal(shop->seed, 5);
    mco_flowshop_destroy(test_ctx, &shop);
}

static void test_csv_names(void **state)
{
    (void)state;
    mco_flowshop *shop = read_ok("job;\"cut; fine\";\"12\"\" drill\"\nFront panel;1;2\n\"Rear;left\";3;4\n;5;6\n", 0);
    assert_string_equal(mco_flowshop_machine_name(shop, 0), "cut; fine");
    assert_string_equal(mco_flowshop_machine_name(shop, 1), "12\" drill");
    assert_string_equal(mco_flowshop_job_name(shop, 0), "Front panel");
    assert_string_equal(mco_flowshop_job_name(shop, 1), "Rear;left");
    assert_string_equal(mco_flowshop_job_name(shop, 2), "3");
    assert_int_equal(mco_flowshop_time(shop, 1, 2), 6);
    mco_flowshop_destroy(test_ctx, &shop);
}

// Two jobs and one machine: a row of two times may look like the pair "machine 0, time".
static void test_row_that_looks_like_pairs(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int32_t first, second;
    } cases[] = {{"2 1\n0 5\n", 0, 5}, {"2 1\n0 5\n0 7\n", 5, 7}, {"2 1\n0 0\n", 0, 0}, {"2 1\n3 5\n", 3, 5}};
    for (int i = 0; i < COUNT_OF(cases); i++) {
        mco_flowshop *shop = read_ok(cases[i].text, 0);
        assert_int_equal(mco_flowshop_time(shop, 0, 0), cases[i].first);
        assert_int_equal(mco_flowshop_time(shop, 0, 1), cases[i].second);
        mco_flowshop_destroy(test_ctx, &shop);
    }
}

static void test_several_instances(void **state)
{
    (void)state;
    const char *text = EXAMPLE_TAILLARD EXAMPLE_TAILLARD "\n" EXAMPLE_PLAIN "1 2\n8\n9\n" EXAMPLE_PAIRS;
    mco_flowshop *shop = NULL;
    for (int32_t which = 1; which <= 5; which++) {
        shop = read_ok(text, which);
        assert_int_equal(mco_flowshop_jobs(shop), which == 4 ? 1 : 3);
        mco_flowshop_destroy(test_ctx, &shop);
    }
    assert_fails(read_text(text, 0, &shop), MCO_ERR_ARGUMENT,
                 "f holds 5 instances: choose one with --instance 1..5");
    assert_fails(read_text(text, 6, &shop), MCO_ERR_ARGUMENT, "f holds 5 instances, number 6 was asked for");
    assert_fails(read_text(text, -1, &shop), MCO_ERR_ARGUMENT,
                 "instance -1 was asked for, they are numbered from 1");
    assert_fails(read_text(EXAMPLE_CSV, 2, &shop), MCO_ERR_ARGUMENT,
                 "f is CSV and holds 1 instance, number 2 was asked for");
    assert_null(shop);
}

static void test_round_trip(void **state)
{
    (void)state;
    const int numbers[] = {1, 21, 120};
    for (int i = 0; i < COUNT_OF(numbers); i++) {
        mco_flowshop *shop = taillard(numbers[i]), *back = NULL;
        int64_t known[2], read[2];
        const char *path = test_path("instance.txt");
        assert_ok(mco_flowshop_write(test_ctx, shop, path));
        assert_ok(mco_flowshop_read(test_ctx, path, 0, &back));
        assert_string_equal(mco_flowshop_name(back), "instance.txt");
        assert_true(flowshop_fingerprint(shop) == flowshop_fingerprint(back));
        assert_int_equal(shop->seed, back->seed);
        mco_flowshop_best_known(shop, &known[0], &known[1]);
        mco_flowshop_best_known(back, &read[0], &read[1]);
        assert_memory_equal(known, read, sizeof read);
        mco_flowshop_destroy(test_ctx, &back);
        assert_ok(mco_flowshop_read(test_ctx, path, 1, &back));
        assert_string_equal(mco_flowshop_name(back), "instance.txt#1");
        mco_flowshop_destroy(test_ctx, &back);
        mco_flowshop_destroy(test_ctx, &shop);
    }
}

static void test_fingerprint(void **state)
{
    (void)state;
    const int32_t times[] = {1, 2, 3, 4, 5, 6};
    mco_flowshop *a = NULL, *b = NULL;
    assert_ok(mco_flowshop_create(test_ctx, 2, 3, times, &a));
    assert_ok(mco_flowshop_create(test_ctx, 3, 2, times, &b));
    assert_true(flowshop_fingerprint(a) != flowshop_fingerprint(b));
    mco_flowshop_destroy(test_ctx, &a);
    mco_flowshop_destroy(test_ctx, &b);
}

// ---- Refusals of instance files

#define WORDS "number of jobs, number of machines\n"

static void test_instance_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        mco_status status;
        const char *message;
    } cases[] = {
        {"", MCO_ERR_PARSE, "f:1:1: the file is empty"},
        {" \n\n", MCO_ERR_PARSE, "f:3:1: the file is empty"},
        // Sizes
        {"3", MCO_ERR_PARSE, "f:1:1: the line of sizes holds 1 number, jobs and machines were expected"},
        {"3 4 1 2 3 4\n", MCO_ERR_PARSE,
         "f:1:11: a line of sizes holds 2 to 5 numbers, here is one more: \"4\""},
        {"1000000000 5\n1\n", MCO_ERR_PARSE, "f:1:1: the number of jobs is 1000000000, allowed is 0 to 20000"},
        {"3 1001\n", MCO_ERR_PARSE, "f:1:3: the number of machines is 1001, allowed is 1 to 1000"},
        {"3 0\n", MCO_ERR_PARSE, "f:1:3: the number of machines is 0, allowed is 1 to 1000"},
        {"-3 4\n", MCO_ERR_PARSE, "f:1:1: the number of jobs is -3, allowed is 0 to 20000"},
        {"3 4.0\n", MCO_ERR_PARSE, "f:1:3: the number of machines is \"4.0\", an integer was expected"},
        {"99999999999999999999 5\n", MCO_ERR_PARSE,
         "f:1:1: the number of jobs is 99999999999999999999, allowed is 0 to 20000"},
        {"#3 4\n", MCO_ERR_PARSE, "f:1:1: the number of jobs is \"#3\", an integer was expected"},
        // Times, machine by machine
        {"2 2\n1 2\n3", MCO_ERR_PARSE, "f:3:2: the text ends where the time of job 2 on machine 2 was expected"},
        {"2 2\n1 2\n", MCO_ERR_PARSE, "f:3:1: the text ends where the time of job 1 on machine 2 was expected"},
        {"2 2\n1 2\n3 -4\n", MCO_ERR_PARSE, "f:3:3: the time of job 2 on machine 2 is -4, allowed is 0 to 1000000"},
        {"2 2\n1 1000001\n3 4\n", MCO_ERR_PARSE,
         "f:2:3: the time of job 2 on machine 1 is 1000001, allowed is 0 to 1000000"},
        {"2 2\n1 2\n3 x4\n", MCO_ERR_PARSE,
         "f:3:3: the time of job 2 on machine 2 is \"x4\", a number was expected"},
        {"2 2\n1 2 3\n4 5\n", MCO_ERR_PARSE, "f:2:5: the row of machine 1 has more than 2 numbers"},
        {"2 2\n1 2\n3 4 5\n", MCO_ERR_PARSE, "f:3:5: the row of machine 2 has more than 2 numbers"},
        {"2 2\n1 2\n3 4\n5\n", MCO_ERR_PARSE,
         "f:4:1: the line of sizes holds 1 number, jobs and machines were expected"},
        // Taillard with words
        {WORDS, MCO_ERR_PARSE, "f:2:1: the text ends where the number of jobs was expected"},
        {WORDS "2 2\n", MCO_ERR_PARSE, "f:3:1: the line \"processing times :\" was expected"},
        {WORDS "2 2\n1 2\n3 4\n", MCO_ERR_PARSE, "f:3:1: the line \"processing times :\" was expected"},
        {WORDS "2 2\nprocessing times :\n1 2\n3", MCO_ERR_PARSE,
         "f:5:2: the text ends where the time of job 2 on machine 2 was expected"},
        {EXAMPLE_TAILLARD "number of jobs\n2 2\nprocessing times :\n1 2\n", MCO_ERR_PARSE,
         "f:12:1: the text ends where the time of job 1 on machine 2 was expected"},
        // Pairs
        {"2 2\n0 1 1 2\n0 3 2 4\n", MCO_ERR_PARSE, "f:3:5: pair 2 of job 2: the machine is 2, allowed is 1 to 1"},
        {"2 2\n0 1 1 2\n0 3 1\n", MCO_ERR_PARSE, "f:4:1: the text ends where the time of job 2 on machine 2 was expected"},
        {"2 2\n0 1 1 2\n0 3 1 4 2\n", MCO_ERR_PARSE, "f:3:9: the row of job 2 has more than 4 numbers"},
        {"2 2\n0 1 1 -2\n0 3 1 4\n", MCO_ERR_PARSE,
         "f:2:7: the time of job 1 on machine 2 is -2, allowed is 0 to 1000000"},
        // CSV
        {"job\n", MCO_ERR_PARSE, "f:1:1: neither sizes, nor \"number of jobs ...\", nor a CSV header: \"job\""},
        {"job,A,B\nJ1,1\n", MCO_ERR_PARSE, "f:2:1: the row of job 1 has 1 times, 2 were expected"},
        {"job,A,B\nJ1,1,2\nJ2,1,2,3\n", MCO_ERR_PARSE, "f:3:8: the row of job 2 has more than 2 times"},
        {"job,A,B\nJ1,1,2\n\nJ2,1,two\n", MCO_ERR_PARSE,
         "f:4:6: the time of job 2 on machine 2 is \"two\", a number was expected"},
        {"job,A,B\nJ1,1,\n", MCO_ERR_PARSE, "f:2:6: the time of job 1 on machine 2 is \"\", a number was expected"},
        {"job,A,B\nJ1,1,-2\n", MCO_ERR_PARSE,
         "f:2:6: the time of job 1 on machine 2 is -2, allowed is 0 to 1000000"},
        {"job,A,B\nJ1,1,2.5.5\n", MCO_ERR_PARSE,
         "f:2:6: the time of job 1 on machine 2 is \"2.5.5\", a number was expected"},
        {"job,A,B\nJ1,1,2,5\n", MCO_ERR_PARSE, "f:2:8: the row of job 1 has more than 2 times"},
        {"job;A;B\nJ1;1;2,5,5\n", MCO_ERR_PARSE,
         "f:2:6: the time of job 1 on machine 2 is \"2,5,5\", a number was expected"},
        {"job,A,B\nJ1,1,0.1234567\n", MCO_ERR_PARSE,
         "f:2:6: the time of job 1 on machine 2 is 0.1234567, at most 6 decimals are supported"},
        {"job,A,B\nJ1,1,-0.5\n", MCO_ERR_PARSE,
         "f:2:6: the time of job 1 on machine 2 is -0.5, allowed is 0 to 100000"},
        {"job,A,B\nJ1,1,10001\nJ2,1,2.25\n", MCO_ERR_PARSE,
         "f:3:6: the time 2.25 has 2 decimals. With so many, times are at most 10000; that of job 1 on machine 2 is greater"},
        {"job,A,B\nJ1,1,2.25\nJ2,1,10001\n", MCO_ERR_PARSE,
         "f:3:6: the time of job 2 on machine 2 (with 2 decimals in the file) is 10001, allowed is 0 to 10000"},
        {"2 2\n1 2\n3 10.123\n5 1.5\n3 1\n4 1001\n", MCO_ERR_PARSE,
         "f:4:3: the number of machines is \"1.5\", an integer was expected"},
        // Names
        {"job,A,A\nJ1,1,2\n", MCO_ERR_PARSE, "f:1:7: a second machine is named \"A\": a name may stand once"},
        {"job,A\nJ1,1\nJ2,1\nJ1,2\n", MCO_ERR_PARSE, "f:4:1: the name \"J1\" stands in line 2 and in line 4"},
        {"job,A\n2,1\n,1\n", MCO_ERR_PARSE, "f:2:1: job 1 is named 2, and so is called job 2, which has no name: name it"},
        {"job\tA\tB\nJ1\t\t5\n", MCO_ERR_PARSE,
         "f:2:4: the time of job 1 on machine 1 is \"\", a number was expected"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        mco_flowshop *shop = NULL;
        assert_fails(read_text(cases[i].text, 0, &shop), cases[i].status, cases[i].message);
        assert_null(shop);
    }
}

// The sizes and times are each within their limits, but their product is not.
static void test_product_limit_of_file(void **state)
{
    (void)state;
    enum { JOBS = 2148, ROOM = JOBS * 8 + 32 };
    char *text = malloc(ROOM), *at = text;
    mco_flowshop *shop = NULL;
    assert_non_null(text);
    at += sprintf(at, "%d 1\n", JOBS);
    for (int j = 0; j < JOBS; j++)
        at += sprintf(at, "1000000 ");
    assert_fails(read_text(text, 0, &shop), MCO_ERR_LIMIT,
                 "f: (jobs + machines - 1) * largest time = (2148 + 1 - 1) * 1000000 = 2148000000, "
                 "allowed is 2147483647");
    free(text);
}

static void test_csv_too_large(void **state)
{
    (void)state;
    enum { JOBS = 20001, ROOM = JOBS * 4 + 32 };
    char *text = malloc(ROOM), *at = text;
    mco_flowshop *shop = NULL;
    assert_non_null(text);
    at += sprintf(at, "job,A\n");
    for (int j = 0; j < JOBS; j++)
        at += sprintf(at, "J,1\n");
    assert_fails(read_text(text, 0, &shop), MCO_ERR_PARSE,
                 "f:1:1: 1 machines and 20001 jobs, allowed are 1 to 1000 and 0 to 20000");
    free(text);
}

static void test_unreadable_file(void **state)
{
    (void)state;
    mco_flowshop *shop = NULL;
    char expected[256];
    assert_fails(mco_flowshop_read(test_ctx, "no-such-file", 0, &shop), MCO_ERR_IO,
                 "cannot read no-such-file: No such file or directory");
    const char *path = test_file_bytes("binary", "\x89PNG\r\n\x1a\n", 8);
    snprintf(expected, sizeof expected, "%s: not a text file (byte 0x1a at offset 6)", path);
    assert_fails(mco_flowshop_read(test_ctx, path, 0, &shop), MCO_ERR_PARSE, expected);
    assert_fails(mco_flowshop_read(test_ctx, NULL, 0, &shop), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_null(shop);
}

// ---- Orders

static mco_status read_order(const mco_flowshop *shop, const char *content, int32_t *order)
{
    mco_text text;
    double makespan;
    assert_ok(mco_text_from_memory(test_ctx, "s", content, strlen(content), &text));
    mco_status st = flowshop_read_solution_text(test_ctx, shop, &text, order, &makespan);
    mco_text_close(&text);
    return st;
}

static void test_orders(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "2 3 1\n",
        "2\r\n3\r\n1",
        "# makespan 17\n2 3 1\n# 2 J2\n",
        "J2 J3 J1\n",
        "\"J2\" \"J3\"\n\"J1\"",
        "# ids: rows\n2 3 1\n",
        "#ids : NAMES\nJ2 J3 J1\n",
        "J2 3 J1\n",
        "{\"solution\": {\"order\": [2, 3, 1]}}\n",
        ("{\"schema\": 1, \"history\": [[0.1, 20, 15], [0.2, 17, null]], \"solution\": {\"x\": {\"order\": [9]},\n"
         " \"order\": [2,3,1], \"y\": \"}\"}, \"check\": {\"ok\": true}}"),
    };
    mco_flowshop *shop = read_ok(EXAMPLE_CSV, 0);
    for (int i = 0; i < COUNT_OF(texts); i++) {
        int32_t order[3] = {-1, -1, -1};
        assert_ok(read_order(shop, texts[i], order));
        assert_int_equal(order[0], 1);
        assert_int_equal(order[1], 2);
        assert_int_equal(order[2], 0);
    }
    mco_flowshop_destroy(test_ctx, &shop);
}

static void test_order_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "s:1:1: the order has 0 jobs, the instance has 3"},
        {"2 3\n", "s:2:1: the order has 2 jobs, the instance has 3"},
        {"2 3 1 1\n", "s:1:7: the order goes on after all 3 jobs"},
        {"2 3 2\n", "s:1:5: job J2 stands at position 1 and again at position 3"},
        {"2 J2 3\n", "s:1:3: job J2 stands at position 1 and again at position 2"},
        {"2 3 0\n", "s:1:5: a job is 0, allowed is 1 to 3"},
        {"2 3 4\n", "s:1:5: a job is 4, allowed is 1 to 3"},
        {"2 3 -1\n", "s:1:5: a job is -1, allowed is 1 to 3"},
        {"2 3 J4\n", "s:1:5: a job is \"J4\", a row's number or a name of the instance was expected"},
        {"2 3 1.5\n", "s:1:5: a job is \"1.5\", a row's number or a name of the instance was expected"},
        {"2,3,1\n", "s:1:1: a job is \"2,3,1\", a row's number or a name of the instance was expected"},
        {"# ids: rows\n2 3 J1\n", "s:2:5: a job is \"J1\", an integer was expected"},
        {"# ids: names\nJ2 J3 1\n", "s:2:7: a job is \"1\", a name of the instance was expected"},
        {"2 3\n# ids: rows\n1", "s:2:3: the statement of the ids stands behind 2 jobs, not before them"},
        {"# ids: numbers\n2 3 1", "s:1:8: the ids are \"numbers\", supported are rows and names"},
        {"# makespan: long\n2 3 1", "s:1:13: the makespan is \"long\", a number was expected"},
        {"2 3 \"J1\n", "s:1:5: a quote begins here, and the line ends before another one closes it"},
        {"2 3 \"", "s:1:5: a quote begins here, and the line ends before another one closes it"},
        {"2 3 \"J4\"", "s:1:5: a job is \"J4\", a row's number or a name of the instance was expected"},
        {"job,machine,start,end,row\nJ1,A,0,5,1\n",
         "s:1:1: this is the table of a schedule: give the order or the result file"},
        {"{\"solution\": {\"order\": [2, 3]}}", "s:1:32: the order has 2 jobs, the instance has 3"},
        {"{\"solution\": {\"order\": [2, 3, 1, 1]}}", "s:1:34: the order goes on after all 3 jobs"},
        {"{\"solution\": {\"order\": [2, 3, 2]}}", "s:1:31: job J2 stands at position 1 and again at position 3"},
        {"{\"solution\": {\"order\": [2, 3, 4]}}", "s:1:31: a job is 4, allowed is 1 to 3"},
        {"{\"solution\": {\"order\": [2, 3, \"1\"]}}", "s:1:31: a job is \"\", an integer was expected"},
        {"{\"solution\": {\"order\": [2, 3, 1", "s:1:32: the text ends where ',' was expected"},
        {"{\"solution\": {\"order\": [2, 3, 1]", "s:1:33: the text ends where ',' was expected"},
        {"{\"solution\": null}", "s:1:19: the order has 0 jobs, the instance has 3"},
        {"{\"solution\": 7}", "s:1:14: '{' was expected, '7' found"},
        {"{}", "s:1:3: the order has 0 jobs, the instance has 3"},
        {"{\"order\": [2, 3, 1]}", "s:1:21: the order has 0 jobs, the instance has 3"},
        {"{\"solution\": {\"order\": [2, 3, 1]}} x", "s:1:36: the result ends before \"x\""},
    };
    mco_flowshop *shop = read_ok(EXAMPLE_CSV, 0);
    for (int i = 0; i < COUNT_OF(cases); i++) {
        int32_t order[3] = {7, 8, 9};
        assert_fails(read_order(shop, cases[i].text, order), MCO_ERR_PARSE, cases[i].message);
        assert_int_equal(order[0] + order[1] + order[2], 24);
    }
    mco_flowshop_destroy(test_ctx, &shop);
}

// An order that is written reads back as the same order, even if jobs have the numbers of others as names.
static void test_order_round_trip(void **state)
{
    (void)state;
    static const char *const texts[] = {EXAMPLE_PLAIN, EXAMPLE_CSV, "job,A\n3,1\n1,2\n2,3\n", "job,A\n#1,1\n#2,2\n#3,3\n",
                                        "job;A\nx;1,5\ny;0,25\nz;2\n"};
    const int32_t order[] = {2, 0, 1};
    const char *path = test_path("order.txt");
    for (int i = 0; i < COUNT_OF(texts); i++) {
        int32_t back[3];
        mco_flowshop *shop = read_ok(texts[i], 0);
        assert_ok(mco_flowshop_write_order(test_ctx, shop, order, path));
        assert_ok(mco_flowshop_read_order(test_ctx, shop, path, back));
        assert_memory_equal(order, back, sizeof back);
        mco_flowshop_destroy(test_ctx, &shop);
    }
    mco_flowshop *shop = read_ok(EXAMPLE_CSV, 0);
    assert_ok(mco_flowshop_write_order(test_ctx, shop, order, path));
    assert_content(path, "# ids: rows\n3 1 2\n# 3 J3\n# 1 J1\n# 2 J2\n# makespan: 18\n");
    const int32_t bad[] = {2, 0, 3};
    assert_fails(mco_flowshop_write_order(test_ctx, shop, bad, path), MCO_ERR_CHECK,
                 "position 3 holds job 4, jobs are 1 to 3");
    assert_content(path, "# ids: rows\n3 1 2\n# 3 J3\n# 1 J1\n# 2 J2\n# makespan: 18\n");
    mco_flowshop_destroy(test_ctx, &shop);
}

// ---- Names that are numbers, or hold blanks

// A number is a row unless the file states that it is a name, or puts it in quotes.
static void test_numbers_as_names(void **state)
{
    (void)state;
    static const char instance[] = "job,A,B\n3,1,5\n101,2,2\n1,4,1\n";
    static const struct {
        const char *text;
        int32_t first, second, third;
    } cases[] = {
        {"3 1 2", 2, 0, 1},
        {"# makespan: 9\n# ids: rows\n3 1 2", 2, 0, 1},
        {"# ids: names\n3 1 101", 0, 2, 1},
        {"\"3\" \"1\" \"101\"", 0, 2, 1},
        {"# a comment: of no meaning\n# ids: names\n\"1\" 3 101", 2, 0, 1},
    };
    mco_flowshop *shop = read_ok(instance, 0);
    for (int i = 0; i < COUNT_OF(cases); i++) {
        int32_t order[3];
        assert_ok(read_order(shop, cases[i].text, order));
        assert_true(order[0] == cases[i].first && order[1] == cases[i].second && order[2] == cases[i].third);
    }
    int32_t order[3];
    assert_fails(read_order(shop, "3 1 101", order), MCO_ERR_PARSE,
                 "s:1:5: a job is 101, rows are 1 to 3. It is the name of row 2: for names put the line \"# ids: names\" before "
                 "the order");
    mco_flowshop_destroy(test_ctx, &shop);
}

static void test_quoted_names(void **state)
{
    (void)state;
    const int32_t order[] = {1, 0, 3, 2};
    int32_t back[4];
    const char *path = test_path("order.txt");
    mco_flowshop *shop = read_ok("job;A\nbig table;1\n\"say \"\"x\"\" now\";2\n{;3\n#4;4\n", 0);
    assert_ok(mco_flowshop_write_order(test_ctx, shop, order, path));
    assert_content(path, "# ids: rows\n2 1 4 3\n# 2 \"say \"\"x\"\" now\"\n"
                         "# 1 \"big table\"\n# 4 \"#4\"\n# 3 \"{\"\n# makespan: 10\n");
    assert_ok(read_order(shop, "\"say \"\"x\"\" now\" \"big table\" \"#4\"\n\"{\"", back));
    assert_memory_equal(order, back, sizeof back);
    mco_flowshop_destroy(test_ctx, &shop);
}

// ---- Decimals

static void test_decimals(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "job,A,B\nx,1.5,2\ny,0.25,4e0\nz,3,1.75\n",
        "job;A;B\nx;1,5;2\ny;0,25;4\nz;3;1.750\n",
        "3 2\n1.5 .25 3\n2 4 1.75\n",
        "3 2\n0 1.5 1 2\n0 0.25 1 4.00\n0 3 1 1.75\n",
        "number of jobs, number of machines\n3 2 0 9 8\nprocessing times :\n1.5 .25 3\n2 4 1.75\n",
    };
    const int32_t order[] = {1, 0, 2};
    int64_t makespan, best, bound;
    for (int i = 0; i < COUNT_OF(texts); i++) {
        mco_flowshop *shop = read_ok(texts[i], 0);
        assert_int_equal(mco_flowshop_scale(shop), 100);
        assert_int_equal(mco_flowshop_time(shop, 0, 0), 150);
        assert_int_equal(mco_flowshop_time(shop, 0, 1), 25);
        assert_int_equal(mco_flowshop_time(shop, 1, 2), 175);
        assert_ok(mco_flowshop_check(test_ctx, shop, order, 3, &makespan));
        assert_int_equal(makespan, 800);
        mco_flowshop_best_known(shop, &best, &bound);
        assert_true(best == (i == 4 ? 900 : -1) && bound == (i == 4 ? 800 : -1));
        mco_flowshop_destroy(test_ctx, &shop);
    }
    // Zeros behind the point are no decimals.
    mco_flowshop *shop = read_ok("job,A\nx,2.0\ny,3.000\n", 0);
    assert_int_equal(mco_flowshop_scale(shop), 1);
    assert_int_equal(mco_flowshop_time(shop, 0, 1), 3);
    mco_flowshop_destroy(test_ctx, &shop);
}

// An instance with decimals is written with them, and reads back as the same.
static void test_decimals_round_trip(void **state)
{
    (void)state;
    const char *path = test_path("shop.txt");
    mco_flowshop *back = NULL, *shop = read_ok("3 2 0 9 8\n1.5 .25 3\n2 4 1.75\n", 0);
    assert_ok(mco_flowshop_write(test_ctx, shop, path));
    assert_ok(mco_flowshop_read(test_ctx, path, 0, &back));
    assert_int_equal(mco_flowshop_scale(back), 100);
    assert_int_equal(flowshop_fingerprint(back), flowshop_fingerprint(shop));
    assert_true(back->best_makespan == 900 && back->best_bound == 800);
    mco_flowshop_destroy(test_ctx, &back);
    mco_flowshop_destroy(test_ctx, &shop);
}

static void test_stated_makespan(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double makespan;
    } cases[] = {{"1 2", (double)NAN}, {"# makespan 7\n1 2", (double)NAN}, {"1 2\n# makespan: 7.25\n", 7.25},
                 {"{\"objective\": 7.25, \"solution\": {\"order\": [1, 2]}}", 7.25},
                 {"{\"solution\": {\"order\": [1, 2]}, \"objective\": null}", (double)NAN}};
    mco_flowshop *shop = read_ok("job,A\nx,2.25\ny,5\n", 0);
    for (int i = 0; i < COUNT_OF(cases); i++) {
        mco_text text;
        int32_t order[2];
        double makespan = -1;
        assert_ok(mco_text_from_memory(test_ctx, "s", cases[i].text, strlen(cases[i].text), &text));
        assert_ok(flowshop_read_solution_text(test_ctx, shop, &text, order, &makespan));
        assert_true(makespan == cases[i].makespan || (isnan(makespan) && isnan(cases[i].makespan)));
        mco_text_close(&text);
    }
    mco_flowshop_destroy(test_ctx, &shop);
}

static void test_schedule_table(void **state)
{
    (void)state;
    const int32_t order[] = {1, 0};
    const char *path = test_path("schedule.csv");
    mco_flowshop *shop = read_ok("job;A;\"B;b\"\n\"big, red\";1,5;2\n7;0,25;4\n", 0);
    assert_ok(mco_flowshop_write_schedule(test_ctx, shop, order, path));
    assert_content(path, "job,machine,start,end,row\n7,A,0.00,0.25,2\n\"big, red\",A,0.25,1.75,1\n7,\"B;b\",0.25,4.25,2\n"
                         "\"big, red\",\"B;b\",4.25,6.25,1\n");
    mco_flowshop_destroy(test_ctx, &shop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_taillard_published),  TEST(test_taillard_generator),
        TEST(test_taillard_bounds),     TEST(test_taillard_names),
        TEST(test_example_makespans),   TEST(test_check_refuses),
        TEST(test_create_refuses),
        TEST(test_longest_path_limit),  TEST(test_no_jobs),
        TEST(test_formats),             TEST(test_facts_of_file),
        TEST(test_csv_names),           TEST(test_row_that_looks_like_pairs),
        TEST(test_several_instances),   TEST(test_round_trip),
        TEST(test_fingerprint),         TEST(test_instance_refusals),
        TEST(test_product_limit_of_file), TEST(test_csv_too_large),
        TEST(test_unreadable_file),     TEST(test_orders),
        TEST(test_order_refusals),      TEST(test_order_round_trip),
        TEST(test_numbers_as_names),    TEST(test_quoted_names),
        TEST(test_decimals),            TEST(test_decimals_round_trip),
        TEST(test_stated_makespan),     TEST(test_schedule_table),
    };
    return cmocka_run_group_tests_name("flowshop_instance", tests, NULL, NULL);
}
