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
                 "struct_size of params is %zu, at most 32 was expected: fill it by its _INIT macro, from the headers of this "
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

static void test_short_params(void **state)
{
    (void)state;
    mco_flowshop *shop = a_shop();
    const mco_option_table *options = mco_flowshop_options();
    const mco_flowshop_params whole = quick_params();
    mco_flowshop_result expected = MCO_FLOWSHOP_RESULT_INIT;
    const size_t given = mco_options_find(options, "branching")->offset;  // the last option that quick_params() sets
    assert_ok(mco_flowshop_solve(test_ctx, shop, &whole, &expected));
    int tried = 0;
    for (size_t i = 0; i < options->count; i++) {
        mco_flowshop_params params = whole;
        mco_flowshop_result result = MCO_FLOWSHOP_RESULT_INIT;
        if (options->options[i].offset <= given)
            continue;
        spoil(&params, options->options[i].offset);
        assert_ok(mco_flowshop_solve(test_ctx, shop, &params, &result));
        assert_int_equal(result.makespan, expected.makespan);
        assert_int_equal(result.nodes, expected.nodes);
        assert_int_equal(result.iterations, expected.iterations);
        mco_flowshop_result_clear(test_ctx, &result);
        tried++;
    }
    assert_true(tried >= 10);
    mco_flowshop_result_clear(test_ctx, &expected);
    mco_flowshop_destroy(test_ctx, &shop);
}

// A struct that ends before some options does what their defaults do; the options that it has count.
static void test_missing_options_take_defaults(void **state)
{
    (void)state;
    mco_flowshop *shop = a_shop();
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    mco_flowshop_result result = MCO_FLOWSHOP_RESULT_INIT;
    spoil(&params, sizeof params.struct_size);
    assert_ok(mco_flowshop_solve(test_ctx, shop, &params, &result));
    assert_int_equal(result.outcome, MCO_OUTCOME_OPTIMAL);
    assert_int_equal(result.branching_used, MCO_FLOWSHOP_BRANCHING_MINBRANCH);
    mco_flowshop_result_clear(test_ctx, &result);
    params = quick_params();
    params.time_limit_s = 0;
    params.iterations = 0;
    spoil(&params, offsetof(mco_flowshop_params, seed));
    assert_ok(mco_flowshop_solve(test_ctx, shop, &params, &result));
    assert_int_equal(result.stop, MCO_STOP_TIME);
    assert_int_equal(result.work.engine, MCO_ENGINE_REFERENCE);
    mco_flowshop_result_clear(test_ctx, &result);
    mco_flowshop_destroy(test_ctx, &shop);
}

// The result file shows the defaults of what the struct lacks.
static void test_write_with_short_structs(void **state)
{
    (void)state;
    mco_flowshop *shop = a_shop();
    mco_flowshop_params params = quick_params();
    mco_flowshop_result result = MCO_FLOWSHOP_RESULT_INIT;
    const char *path = test_path("result.json");
    params.seed = 77;
    assert_ok(mco_flowshop_solve(test_ctx, shop, &params, &result));
    spoil(&params, offsetof(mco_flowshop_params, seed));
    assert_ok(mco_flowshop_write_result(test_ctx, shop, &params, &result, NULL, path));
    char *text = test_content(path);
    assert_non_null(text);
    assert_non_null(strstr(text, "\"branching\": \"minmin\""));
    assert_non_null(strstr(text, "\"seed\": 1"));
    assert_non_null(strstr(text, "\"order\": ["));
    assert_non_null(strstr(text, "\"nodes_by_depth\": ["));
    assert_non_null(strstr(text, "\"history\""));
    free(text);
    mco_flowshop_result part = result;
    part.struct_size = offsetof(mco_flowshop_result, nodes_by_depth);
    assert_ok(mco_flowshop_write_result(test_ctx, shop, &params, &part, NULL, path));
    text = test_content(path);
    assert_non_null(text);
    assert_non_null(strstr(text, "\"order\": ["));
    assert_null(strstr(text, "\"nodes_by_depth\": ["));
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
    for (size_t size = sizeof whole.struct_size; size <= sizeof whole; size += sizeof(void *)) {
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
    mco_flowshop_result untouched = {.struct_size = offsetof(mco_flowshop_result, nodes), .makespan = 123};
    mco_flowshop_params wrong = params;
    wrong.iterations = -7;
    const mco_flowshop_result same = untouched;
    assert_int_equal(mco_flowshop_solve(test_ctx, shop, &wrong, &untouched), MCO_ERR_ARGUMENT);
    assert_memory_equal(&untouched, &same, sizeof same);
    mco_flowshop_result_clear(test_ctx, &whole);
    mco_flowshop_destroy(test_ctx, &shop);
}

// ---- Other problems

// Instances are made from structs too.
static void test_vrp(void **state)
{
    (void)state;
    static const int32_t distances[4] = {0, 1, 1, 0}, demands[1] = {1};
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp_generation generation = MCO_VRP_GENERATION_INIT;
    mco_vrp *made = NULL;
    model.capacity = 10;
    model.struct_size = offsetof(mco_vrp_model, vehicles);
    model.vehicles = -77;
    assert_ok(mco_vrp_create(test_ctx, 1, distances, demands, &model, &made));
    assert_int_equal(mco_vrp_vehicles(made), 0);
    mco_vrp_destroy(test_ctx, &made);
    generation.customers = 2;
    generation.struct_size = offsetof(mco_vrp_generation, seed);
    generation.seed = -77;
    assert_ok(mco_vrp_generate(test_ctx, &generation, &made));
    mco_vrp_destroy(test_ctx, &made);
}

static void test_reduce(void **state)
{
    (void)state;
    const float data[2] = {1, 2};
    mco_reduce_params params = MCO_REDUCE_PARAMS_INIT;
    mco_reduce_result result = MCO_REDUCE_RESULT_INIT;
    params.struct_size = offsetof(mco_reduce_params, repeat);
    params.repeat = -77;
    params.compensated = 1;
    result.struct_size = offsetof(mco_reduce_result, bytes);
    result.bytes = 123;
    assert_ok(mco_reduce(test_ctx, MCO_REDUCE_OP_SUM, MCO_REDUCE_TYPE_F32, data, 2, &params, &result));
    assert_true(result.value.f == 3);
    assert_int_equal(result.bytes, 123);
}

// Results of a batch are as far apart as the caller's header says.
static void test_short_results_of_a_batch(void **state)
{
    (void)state;
    enum { COUNT = 3, ROOM = offsetof(mco_guillotine_result, copy_s), GUARD = 0xa5 };
    mco_guillotine *problems[COUNT] = {NULL};
    mco_guillotine_params params = MCO_GUILLOTINE_PARAMS_INIT;
    _Alignas(mco_guillotine_result) unsigned char bytes[COUNT * ROOM + sizeof(mco_guillotine_result)];
    _Static_assert(ROOM % sizeof(void *) == 0, "results stay aligned");
    memset(bytes, GUARD, sizeof bytes);
    memset(bytes, 0, COUNT * ROOM);
    params.threads = 2;
    for (int k = 0; k < COUNT; k++) {
        const size_t size = ROOM;
        memcpy(bytes + k * ROOM, &size, sizeof size);
        assert_ok(mco_guillotine_randcut(test_ctx, 20 + k, 20, 5, 1, &problems[k]));
    }
    assert_ok(mco_guillotine_solve_batch(test_ctx, (const mco_guillotine *const *)problems, COUNT, &params,
                                         (mco_guillotine_result *)(void *)bytes));
    for (int k = 0; k < COUNT; k++) {
        mco_guillotine_result *result = (mco_guillotine_result *)(void *)(bytes + k * ROOM);
        assert_int_equal(result->struct_size, ROOM);
        assert_int_equal(result->outcome, MCO_OUTCOME_OPTIMAL);
        assert_int_equal(result->value, (20 + k) * 20);  // all of the plate
        mco_guillotine_result_clear(test_ctx, result);
        mco_guillotine_destroy(test_ctx, &problems[k]);
    }
    for (size_t b = COUNT * ROOM; b < sizeof bytes; b++)
        assert_int_equal(bytes[b], GUARD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_take),          TEST(test_refusals),
        TEST(test_give),          TEST(test_clear),
        TEST(test_short_params),  TEST(test_missing_options_take_defaults),
        TEST(test_short_results), TEST(test_write_with_short_structs),
        TEST(test_vrp),           TEST(test_reduce),
        TEST(test_short_results_of_a_batch),
    };
    return cmocka_run_group_tests_name("structs", tests, NULL, NULL);
}
