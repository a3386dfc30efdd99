// SPDX-License-Identifier: MIT
// The context: arguments, memory, log, cancellation; and the k-th allocation fails while instances and orders are read,
// checked and written.
#include "test_support.h"

#include "flowshop/instance.h"
#include "mco/mco.h"

static void test_texts(void **state)
{
    (void)state;
    assert_string_equal(mco_status_text(MCO_OK), "success");
    assert_string_equal(mco_status_text(MCO_ERR_LIMIT), "beyond a stated limit");
    assert_string_equal(mco_status_text((mco_status)99), "?");
    assert_string_equal(mco_outcome_text(MCO_OUTCOME_OPTIMAL), "optimal");
    assert_string_equal(mco_outcome_text((mco_outcome)-1), "?");
    assert_string_equal(mco_stop_text(MCO_STOP_CANCELLED), "cancelled");
    assert_string_equal(mco_stop_text((mco_stop)99), "?");
}

static void test_version(void **state)
{
    (void)state;
    assert_string_equal(mco_version(), MCO_VERSION);
    assert_true(strlen(mco_version_git()) > 0);
    assert_non_null(strstr(mco_version_build(), "zlib"));
    assert_true(mco_cpu_count() >= 1);
}

static void count_lines(mco_log_level level, const char *line, void *user)
{
    assert_true(level <= MCO_LOG_WARNING);
    assert_string_equal(line, "seen 7");
    ++*(int *)user;
}

static void test_create(void **state)
{
    (void)state;
    mco_context *ctx = NULL;
    mco_context_params params = MCO_CONTEXT_PARAMS_INIT;
    assert_int_equal(mco_context_create(NULL, NULL), MCO_ERR_ARGUMENT);
    params.struct_size = 0;
    assert_int_equal(mco_context_create(&ctx, &params), MCO_ERR_ARGUMENT);
    params.struct_size = sizeof params + 1;
    assert_int_equal(mco_context_create(&ctx, &params), MCO_ERR_ARGUMENT);
    // No header had a struct that ends before the log.
    params = (mco_context_params){.struct_size = offsetof(mco_context_params, log), .log = count_lines};
    assert_int_equal(mco_context_create(&ctx, &params), MCO_ERR_ARGUMENT);
    assert_null(ctx);
    params = (mco_context_params)MCO_CONTEXT_PARAMS_INIT;
    params.allocate = test_allocate;
    assert_int_equal(mco_context_create(&ctx, &params), MCO_ERR_ARGUMENT);
    params.release = test_release;
    test_fail_allocation(1);
    assert_int_equal(mco_context_create(&ctx, &params), MCO_ERR_MEMORY);
    assert_null(ctx);
    assert_int_equal(mco_context_create(&ctx, NULL), MCO_OK);
    assert_string_equal(mco_context_error(ctx), "");
    mco_context_destroy(&ctx);
    assert_null(ctx);
    mco_context_destroy(&ctx);
    mco_context_destroy(NULL);
    assert_string_equal(mco_context_error(NULL), "");
}

// The context of a worker thread: it has the memory of its parent's allocator and its own errors, but no log and no
// callback.
static void test_child(void **state)
{
    (void)state;
    mco_context *child = NULL;
    int32_t *numbers = NULL;
    const long before = test_memory.live;
    test_fail_allocation(1);
    assert_int_equal(mco_context_create_child(test_ctx, &child), MCO_ERR_MEMORY);
    assert_null(child);
    test_fail_allocation(0);
    assert_ok(mco_context_create_child(test_ctx, &child));
    assert_ok(mco_alloc(child, &numbers, 10));
    assert_int_equal(test_memory.live, before + 2);
    assert_false(mco_wants_log(child, MCO_LOG_WARNING));
    mco_fail(test_ctx, MCO_ERR_IO, "of the parent");
    mco_fail(child, MCO_ERR_IO, "of the child");
    assert_string_equal(mco_context_error(test_ctx), "of the parent");
    assert_string_equal(mco_context_error(child), "of the child");
    mco_free(child, &numbers);
    mco_context_destroy(&child);
    assert_int_equal(test_memory.live, before);
}

static void test_alloc(void **state)
{
    (void)state;
    for (size_t count = 0; count < 100; count++) {
        unsigned char *bytes = NULL;
        assert_ok(mco_alloc(test_ctx, &bytes, count));
        assert_int_equal((uintptr_t)bytes % 64, 0);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(bytes[i], 0);
        memset(bytes, 0xff, count);
        mco_free(test_ctx, &bytes);
        assert_null(bytes);
        mco_free(test_ctx, &bytes);
    }
    int64_t *huge = NULL;
    assert_fails(mco_alloc(test_ctx, &huge, SIZE_MAX / 8 + 1), MCO_ERR_MEMORY,
                 "out of memory: 2305843009213693952 items of 8 bytes were asked for");
    assert_int_equal(mco_alloc(test_ctx, &huge, SIZE_MAX / 8), MCO_ERR_MEMORY);
    assert_null(huge);
}

static void test_long_message(void **state)
{
    (void)state;
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_int_equal(mco_fail(test_ctx, MCO_ERR_LIMIT, "%s", text), MCO_ERR_LIMIT);
    assert_int_equal(strlen(mco_context_error(test_ctx)), MCO_ERROR_LENGTH - 1);
    assert_int_equal(mco_fail(NULL, MCO_ERR_IO, "%d", 1), MCO_ERR_IO);
}

static void test_log(void **state)
{
    (void)state;
    mco_context *ctx = NULL;
    int lines = 0;
    mco_context_params params = MCO_CONTEXT_PARAMS_INIT;
    params.log = count_lines;
    params.log_user = &lines;
    params.log_level = MCO_LOG_WARNING;
    assert_int_equal(mco_context_create(&ctx, &params), MCO_OK);
    mco_log(ctx, MCO_LOG_WARNING, "seen %d", 7);
    mco_log(ctx, MCO_LOG_WARNING, "seen %d", 7);
    mco_log(ctx, MCO_LOG_INFO, "not seen");
    assert_int_equal(lines, 2);
    mco_context_destroy(&ctx);
}

static int stop_at_ten(const mco_progress *progress, void *user)
{
    ++*(int *)user;
    return progress->work >= 10;
}

static void test_report(void **state)
{
    (void)state;
    int calls = 0;
    mco_progress progress = {.event = MCO_EVENT_PROGRESS, .work = 9};
    assert_false(mco_call_back(test_ctx, &progress));
    mco_context_set_callback(test_ctx, stop_at_ten, &calls);
    assert_false(mco_call_back(test_ctx, &progress));
    progress.work = 10;
    assert_true(mco_call_back(test_ctx, &progress));
    assert_int_equal(calls, 2);
    mco_context_set_callback(test_ctx, NULL, NULL);
    mco_cancel(test_ctx);
    assert_true(mco_call_back(test_ctx, &progress));
    mco_clear_cancel(test_ctx);
    assert_false(mco_call_back(test_ctx, &progress));
}

// ---- The k-th allocation fails

// Reads an instance and an order, checks and writes; everything allocated must be released.
static mco_status read_and_check(const char *instance, const char *order_file, const char *output)
{
    mco_status st = MCO_OK;
    mco_flowshop *shop = NULL;
    int32_t order[8];
    int64_t makespan = -1;
    MCO_TRY(mco_flowshop_read(test_ctx, instance, 0, &shop));
    MCO_TRY(mco_flowshop_read_order(test_ctx, shop, order_file, order));
    MCO_TRY(mco_flowshop_check(test_ctx, shop, order, mco_flowshop_jobs(shop), &makespan));
    MCO_TRY(mco_flowshop_write(test_ctx, shop, output));
    MCO_TRY(mco_flowshop_write_order(test_ctx, shop, order, output));
    assert_int_equal(makespan, 17);
done:
    mco_flowshop_destroy(test_ctx, &shop);
    return st;
}

static void fail_every_allocation(const char *instance, const char *order)
{
    const char *instance_path = test_file("instance", instance);
    const char *order_path = test_file("order", order);
    const char *output = test_path("output");
    const long before = test_memory.live;
    mco_status st = MCO_ERR_MEMORY;
    long k = 0;
    while (st != MCO_OK) {
        test_fail_allocation(++k);
        st = read_and_check(instance_path, order_path, output);
        if (st != MCO_OK) {
            assert_int_equal(st, MCO_ERR_MEMORY);
            assert_non_null(strstr(mco_context_error(test_ctx), "out of memory: "));
        }
        assert_int_equal(test_memory.live, before);
        assert_true(k < 1000);
    }
    assert_true(k > 10);
}

static void test_reading_without_memory(void **state)
{
    (void)state;
    fail_every_allocation("3 4\n5 2 1\n3 2 3\n4 1 5\n1 4 2\n", "2 3 1\n");
    fail_every_allocation("3 4\n0 5 1 3 2 4 3 1\n0 2 1 2 2 1 3 4\n0 1 1 3 2 5 3 2\n", "2 3 1\n");
    fail_every_allocation("job,A,B,C,D\nJ1,5,3,4,1\nJ2,2,2,1,4\nJ3,1,3,5,2\n",
                          "{\"solution\": {\"order\": [2, 3, 1]}}");
}

static void test_generating_without_memory(void **state)
{
    (void)state;
    const long before = test_memory.live;
    mco_status st = MCO_ERR_MEMORY;
    for (long k = 1; st != MCO_OK; k++) {
        mco_flowshop *shop = NULL;
        test_fail_allocation(k);
        st = mco_flowshop_taillard(test_ctx, "ta001", &shop);
        assert_true(st == MCO_OK || (st == MCO_ERR_MEMORY && shop == NULL));
        mco_flowshop_destroy(test_ctx, &shop);
        assert_int_equal(test_memory.live, before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_texts), TEST(test_version),      TEST(test_create), TEST(test_child),
        TEST(test_alloc), TEST(test_long_message), TEST(test_log),    TEST(test_report),
        TEST(test_reading_without_memory), TEST(test_generating_without_memory),
    };
    return cmocka_run_group_tests_name("context", tests, NULL, NULL);
}
