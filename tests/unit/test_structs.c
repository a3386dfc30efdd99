// SPDX-License-Identifier: MIT
// Structs of callers: shorter structs, of older headers, are taken and filled as far as they reach. Nothing behind them
// is read or written.
#include "test_support.h"

#include "base/structs.h"
#include "mco/mco.h"

// ---- Taking, filling, releasing

typedef struct sample {
    size_t struct_size;
    int64_t first, second;
    char *text;
} sample;

static const sample defaults = {sizeof(sample), 10, 20, NULL};

static void test_take(void **state)
{
    (void)state;
    sample given = {sizeof(sample), 1, 2, (char *)&given}, full = defaults;
    assert_ok(MCO_TAKE(test_ctx, &given, &full));
    assert_memory_equal(&full, &given, sizeof full);
    // A member that the shorter struct lacks keeps its default; the copy is complete.
    given.struct_size = offsetof(sample, second);
    full = defaults;
    assert_ok(MCO_TAKE(test_ctx, &given, &full));
    assert_int_equal(full.struct_size, sizeof full);
    assert_int_equal(full.first, 1);
    assert_int_equal(full.second, 20);
    assert_null(full.text);
    given.struct_size = sizeof given.struct_size;
    full = defaults;
    assert_ok(MCO_TAKE(test_ctx, &given, &full));
    assert_memory_equal(&full, &defaults, sizeof full);
}

static void test_refusals(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, sizeof(size_t) - 1, sizeof(sample) + 1, SIZE_MAX};
    sample given = defaults, full = defaults;
    const sample *params = NULL;
    char expected[300];
    assert_fails(MCO_TAKE(test_ctx, params, &full), MCO_ERR_ARGUMENT, "params is NULL");
    assert_fails(mco_struct_test(test_ctx, "result", NULL, sizeof full), MCO_ERR_ARGUMENT, "result is NULL");
    params = &given;
    for (int i = 0; i < COUNT_OF(sizes); i++) {
        given = (sample){sizes[i], 1, 2, NULL};
        const sample before = given;
        snprintf(expected, sizeof expected,
                 "struct_size of params is %zu, 8 to 32 was expected: fill it by its _INIT macro, from the headers of this "
                 "library or older ones", sizes[i]);
        assert_fails(MCO_TAKE(test_ctx, params, &full), MCO_ERR_ARGUMENT, expected);
        assert_fails(mco_struct_test(test_ctx, "params", params, sizeof full), MCO_ERR_ARGUMENT, expected);
        assert_memory_equal(&full, &defaults, sizeof full);
        assert_memory_equal(&given, &before, sizeof given);
    }
    given.struct_size = sizeof given;
    assert_ok(mco_struct_test(test_ctx, "params", params, sizeof full));
    given.struct_size = sizeof given.struct_size;
    assert_ok(mco_struct_test(test_ctx, "params", params, sizeof full));
}

// What the caller's struct receives leaves the full one; the rest stays there, to be released.
static void test_give(void **state)
{
    (void)state;
    char text;
    sample full = {sizeof full, 1, 2, &text}, given = {sizeof given, 7, 8, NULL};
    mco_struct_give(&given, &full, sizeof full);
    assert_true(given.first == 1 && given.second == 2 && given.text == &text);
    assert_true(full.first == 0 && full.second == 0 && full.text == NULL);
    full = (sample){sizeof full, 1, 2, &text};
    given = (sample){offsetof(sample, second), 7, 8, NULL};
    mco_struct_give(&given, &full, sizeof full);
    assert_true(given.struct_size == offsetof(sample, second) && given.first == 1 && given.second == 8 && given.text == NULL);
    assert_true(full.first == 0 && full.second == 2 && full.text == &text);
    full = (sample){sizeof full, 1, 2, &text};
    given = (sample){sizeof given.struct_size, 7, 8, NULL};
    mco_struct_give(&given, &full, sizeof full);
    assert_true(given.first == 7 && given.second == 8);
    assert_true(full.first == 1 && full.second == 2 && full.text == &text);
}

static void test_clear(void **state)
{
    (void)state;
    char text;
    sample full = {0}, given = {sizeof given, 1, 2, &text};
    mco_struct_clear(&given, &full, sizeof full);
    assert_true(full.first == 1 && full.second == 2 && full.text == &text);
    assert_true(given.struct_size == sizeof given && given.first == 0 && given.second == 0 && given.text == NULL);
    full = (sample){0};
    given = (sample){offsetof(sample, text), 1, 2, &text};
    mco_struct_clear(&given, &full, sizeof full);
    assert_true(full.first == 1 && full.second == 2 && full.text == NULL);
    assert_true(given.struct_size == offsetof(sample, text) && given.first == 0 && given.text == &text);
    // A struct that nobody initialised is left alone.
    full = (sample){0};
    given = (sample){0, 1, 2, &text};
    mco_struct_clear(&given, &full, sizeof full);
    assert_true(full.first == 0 && full.second == 0 && full.text == NULL);
    assert_true(given.first == 1 && given.text == &text);
}

// ---- Parameters of an older header

enum { JOBS = 7, MACHINES = 4, THREADS = 1 };

static mco_flowshop *a_shop(void)
{
    mco_flowshop *shop = NULL;
    assert_ok(mco_flowshop_generate(test_ctx, JOBS, MACHINES, 1, &shop));
    return shop;
}

static mco_flowshop_params quick_params(void)
{
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    params.engine = MCO_ENGINE_REFERENCE;
    params.branching = MCO_FLOWSHOP_BRANCHING_MINMIN;
    params.threads = THREADS;
    return params;
}

// Fills the memory behind the struct of an older header with values that no solver may read.
static void spoil(mco_flowshop_params *params, size_t size)
{
    memset((char *)params + size, 0xa5, sizeof *params - size);
    params->struct_size = size;
}

// No header had a struct of flow shop parameters without the last member of the first release.
static void test_short_params(void **state)
{
    (void)state;
    mco_flowshop *shop = a_shop();
    const mco_option_table *options = mco_flowshop_options();
    const mco_flowshop_params whole = quick_params();
    mco_flowshop_result result = MCO_FLOWSHOP_RESULT_INIT;
    char expected[200];
    for (size_t i = 0; i < options->count; i++) {
        mco_flowshop_params params = whole;
        spoil(&params, options->options[i].offset);
        snprintf(expected, sizeof expected, "struct_size of params is %zu, %zu to %zu was expected", params.struct_size,
                 offsetof(mco_flowshop_params, start) + sizeof params.start, sizeof params);
        assert_int_equal(mco_flowshop_solve(test_ctx, shop, &params, &result), MCO_ERR_ARGUMENT);
        assert_non_null(strstr(mco_context_error(test_ctx), expected));
    }
    mco_flowshop_destroy(test_ctx, &shop);
}

// The result file is made of what the struct has.
static void test_write_with_short_structs(void **state)
{
    (void)state;
    mco_flowshop *shop = a_shop();
    const mco_flowshop_params params = quick_params();
    mco_flowshop_result result = MCO_FLOWSHOP_RESULT_INIT;
    const char *path = test_path("result.json");
    assert_ok(mco_flowshop_solve(test_ctx, shop, &params, &result));
    mco_flowshop_result part = result;
    memset((char *)&part + offsetof(mco_flowshop_result, reason), 'x', sizeof part - offsetof(mco_flowshop_result, reason));
    part.struct_size = offsetof(mco_flowshop_result, reason);
    assert_ok(mco_flowshop_write_result(test_ctx, shop, &params, &part, NULL, path));
    char *text = test_content(path);
    assert_non_null(text);
    assert_non_null(strstr(text, "\"order\": ["));
    assert_non_null(strstr(text, "\"nodes_by_depth\": ["));
    assert_null(strstr(text, "xxx"));
    free(text);
    mco_flowshop_result_clear(test_ctx, &result);
    mco_flowshop_destroy(test_ctx, &shop);
}

// ---- Results of an older header

// A struct of any size is filled as far as it reaches. No byte behind it is written, and clearing it releases
// everything.
static void test_short_results(void **state)
{
    (void)state;
    enum { GUARD = 0xa5 };
    mco_flowshop *shop = a_shop();
    const mco_flowshop_params params = quick_params();
    mco_flowshop_result whole = MCO_FLOWSHOP_RESULT_INIT;
    assert_ok(mco_flowshop_solve(test_ctx, shop, &params, &whole));
    const long before = test_memory.live;
    for (size_t size = offsetof(mco_flowshop_result, reason); size <= sizeof whole; size += sizeof(void *)) {
        union {
            mco_flowshop_result result;
            unsigned char bytes[2 * sizeof(mco_flowshop_result)];
        } u;
        memset(&u, GUARD, sizeof u);
        memset(&u, 0, size);
        u.result.struct_size = size;
        assert_ok(mco_flowshop_solve(test_ctx, shop, &params, &u.result));
        assert_int_equal(u.result.struct_size, size);
        if (size > offsetof(mco_flowshop_result, makespan))
            assert_int_equal(u.result.makespan, whole.makespan);
        if (size > offsetof(mco_flowshop_result, order))
            assert_memory_equal(u.result.order, whole.order, JOBS * sizeof *whole.order);
        if (size > offsetof(mco_flowshop_result, nodes))
            assert_int_equal(u.result.nodes, whole.nodes);
        if (size > offsetof(mco_flowshop_result, nodes_by_depth))
            assert_memory_equal(u.result.nodes_by_depth, whole.nodes_by_depth, (JOBS + 1) * sizeof *whole.nodes_by_depth);
        if (size > offsetof(mco_flowshop_result, history_count))
            assert_int_equal(u.result.history_count, whole.history_count);
        for (size_t b = size; b < sizeof u; b++)
            assert_int_equal(u.bytes[b], GUARD);
        mco_flowshop_result_clear(test_ctx, &u.result);
        assert_int_equal(test_memory.live, before);
        assert_int_equal(u.result.struct_size, size);
        for (size_t b = sizeof size; b < sizeof u; b++)
            assert_int_equal(u.bytes[b], b < size ? 0 : GUARD);
    }
    // A failure leaves the struct as it was.
    mco_flowshop_result untouched = {.struct_size = offsetof(mco_flowshop_result, reason), .makespan = 123};
    mco_flowshop_params wrong = params;
    wrong.iterations = -7;
    const mco_flowshop_result same = untouched;
    assert_int_equal(mco_flowshop_solve(test_ctx, shop, &wrong, &untouched), MCO_ERR_ARGUMENT);
    assert_memory_equal(&untouched, &same, sizeof same);
    mco_flowshop_result_clear(test_ctx, &whole);
    mco_flowshop_destroy(test_ctx, &shop);
}

// ---- Other problems

// A struct one byte shorter than that of the first release is refused, and nothing of it is used. This list never changes
// for a struct that has been released.
static void test_least_sizes(void **state)
{
    (void)state;
#define TEST_LEAST(type, last)                                                                                      \
    {                                                                                                               \
        type given = {.struct_size = offsetof(type, last) + sizeof given.last}, full = {.struct_size = 1};          \
        assert_ok(MCO_TAKE(test_ctx, &given, &full));                                                               \
        assert_int_equal(full.struct_size, sizeof full);                                                            \
        given.struct_size--;                                                                                        \
        full.struct_size = 1;                                                                                       \
        assert_int_equal(MCO_TAKE(test_ctx, &given, &full), MCO_ERR_ARGUMENT);                                      \
        assert_int_equal(mco_struct_test(test_ctx, #type, &given, sizeof full), MCO_ERR_ARGUMENT);                  \
        assert_int_equal(full.struct_size, 1);                                                                      \
    }
    TEST_LEAST(mco_context_params, log_level)
    TEST_LEAST(mco_dtspms_neighbourhood_result, counters)
    TEST_LEAST(mco_dtspms_params, start)
    TEST_LEAST(mco_dtspms_result, history_count)
    TEST_LEAST(mco_flowshop_params, start)
    TEST_LEAST(mco_flowshop_result, heuristic_s)
    TEST_LEAST(mco_guillotine_params, wants_table)
    TEST_LEAST(mco_guillotine_result, history_count)
    TEST_LEAST(mco_reduce_params, check)
    TEST_LEAST(mco_reduce_result, bytes_per_s)
    TEST_LEAST(mco_vrp_generation, seed)
    TEST_LEAST(mco_vrp_model, vehicles)
    TEST_LEAST(mco_vrp_neighbourhood_result, work)
    TEST_LEAST(mco_vrp_params, start)
    TEST_LEAST(mco_vrp_result, history_count)
}

// Instances, reductions and batches are made from structs too.
static void test_other_problems(void **state)
{
    (void)state;
    static const int32_t distances[4] = {0, 1, 1, 0}, demands[1] = {1};
    const float data[2] = {1, 2};
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp_generation generation = MCO_VRP_GENERATION_INIT;
    mco_reduce_params params = MCO_REDUCE_PARAMS_INIT;
    mco_reduce_result result = MCO_REDUCE_RESULT_INIT;
    mco_vrp *made = NULL;
    model.struct_size = offsetof(mco_vrp_model, vehicles);
    assert_int_equal(mco_vrp_create(test_ctx, 1, distances, demands, &model, &made), MCO_ERR_ARGUMENT);
    generation.struct_size = offsetof(mco_vrp_generation, seed);
    assert_int_equal(mco_vrp_generate(test_ctx, &generation, &made), MCO_ERR_ARGUMENT);
    assert_null(made);
    params.struct_size = offsetof(mco_reduce_params, repeat);
    assert_int_equal(mco_reduce(test_ctx, MCO_REDUCE_OP_SUM, MCO_REDUCE_TYPE_F32, data, 2, &params, &result), MCO_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_take),          TEST(test_refusals),
        TEST(test_give),          TEST(test_clear),
        TEST(test_short_params),  TEST(test_short_results),
        TEST(test_least_sizes),   TEST(test_write_with_short_structs),
        TEST(test_other_problems),
    };
    return cmocka_run_group_tests_name("structs", tests, NULL, NULL);
}
