// SPDX-License-Identifier: MIT
// Arrays that grow: items stay, the rest is zero, the room doubles, and a failing allocation changes nothing.
#include "test_support.h"

#include "base/grow.h"

static void test_nothing(void **state)
{
    (void)state;
    int32_t *items = NULL;
    int64_t room = 0;
    assert_ok(mco_grow(test_ctx, &items, &room, 0));
    assert_null(items);
    assert_int_equal(room, 0);
    mco_free(test_ctx, &items);
}

static void test_items_stay(void **state)
{
    (void)state;
    enum { COUNT = 10000 };
    int64_t *items = NULL;
    int64_t room = 0;
    const long calls = test_memory.calls;
    for (int64_t i = 0; i < COUNT; i++) {
        const int64_t before = room;
        assert_ok(mco_grow(test_ctx, &items, &room, i + 1));
        assert_true(room >= i + 1);
        if (room != before) {
            assert_true(room >= 2 * before);
            for (int64_t k = 0; k < room; k++)
                assert_int_equal(items[k], k < i ? k * k + 1 : 0);
        }
        items[i] = i * i + 1;
    }
    for (int64_t i = 0; i < COUNT; i++)
        assert_int_equal(items[i], i * i + 1);
    // Because of doubling there are few allocations, and the room is below twice the count.
    assert_true(test_memory.calls - calls <= 15);
    assert_true(room < 2 * COUNT);
    mco_free(test_ctx, &items);
    assert_null(items);
}

// Grows at once past several doublings. A smaller room than there is changes nothing.
static void test_far(void **state)
{
    (void)state;
    struct {
        char text[24];
    } *items = NULL, *before;
    int64_t room = 0;
    assert_ok(mco_grow(test_ctx, &items, &room, 1));
    memset(items, 'x', sizeof *items);
    assert_ok(mco_grow(test_ctx, &items, &room, 100001));
    assert_true(room >= 100001 && room < 4 * 100001);
    for (size_t k = 0; k < (size_t)room * sizeof *items; k++)
        assert_int_equal(((const char *)items)[k], k < sizeof *items ? 'x' : '\0');
    before = items;
    const int64_t same = room;
    const long calls = test_memory.calls;
    assert_ok(mco_grow(test_ctx, &items, &room, 5));
    assert_ok(mco_grow(test_ctx, &items, &room, room));
    assert_ptr_equal(items, before);
    assert_int_equal(room, same);
    assert_int_equal(test_memory.calls, calls);
    mco_free(test_ctx, &items);
}

static void test_allocation_fails(void **state)
{
    (void)state;
    int32_t *items = NULL;
    int64_t room = 0;
    test_fail_allocation(1);
    assert_int_equal(mco_grow(test_ctx, &items, &room, 1), MCO_ERR_MEMORY);
    assert_null(items);
    assert_int_equal(room, 0);
    test_fail_allocation(0);
    assert_ok(mco_grow(test_ctx, &items, &room, 1));
    for (int64_t k = 0; k < room; k++)
        items[k] = (int32_t)k + 7;
    const int32_t *before = items;
    const int64_t same = room;
    test_fail_allocation(1);
    assert_int_equal(mco_grow(test_ctx, &items, &room, room + 1), MCO_ERR_MEMORY);
    assert_ptr_equal(items, before);
    assert_int_equal(room, same);
    for (int64_t k = 0; k < room; k++)
        assert_int_equal(items[k], k + 7);
    test_fail_allocation(0);
    // More than any memory holds.
    assert_int_equal(mco_grow(test_ctx, &items, &room, (int64_t)1 << 62), MCO_ERR_MEMORY);
    assert_ptr_equal(items, before);
    assert_int_equal(room, same);
    mco_free(test_ctx, &items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_nothing), TEST(test_items_stay), TEST(test_far),
                                       TEST(test_allocation_fails)};
    return cmocka_run_group_tests_name("grow", tests, NULL, NULL);
}
