// SPDX-License-Identifier: MIT
// Taillard's instances against the collection in the folder that MCO_DATA names; skipped without this folder.
#include "test_support.h"

#include "base/text.h"
#include "flowshop/instance.h"

enum { INSTANCES = 120, SKIPPED = 77 };

static void facts_path(char *path, size_t size)
{
    const char *data = getenv("MCO_DATA");
    snprintf(path, size, "%s/flowshop/taillard-seeds.csv", data != NULL ? data : "");
}

// Sizes, seeds and best known values.
static void test_taillard_facts(void **state)
{
    (void)state;
    char path[4096], name[16];
    mco_text text;
    mco_slice line, field;
    int count = 0;
    facts_path(path, sizeof path);
    assert_ok(mco_text_open(test_ctx, path, &text));
    mco_text_line(&text, &line);
    for (; mco_text_line(&text, &line); count++) {
        int64_t value[5], makespan, bound;
        mco_slice_field(&line, ',', &field);
        snprintf(name, sizeof name, "%.*s", (int)field.size, field.data);
        for (int i = 0; i < 5; i++) {
            assert_true(mco_slice_field(&line, ',', &field));
            assert_ok(mco_slice_integer(&text, field, "a fact", 0, INT32_MAX, &value[i]));
        }
        mco_flowshop *shop = NULL;
        assert_ok(mco_flowshop_taillard(test_ctx, name, &shop));
        mco_flowshop_best_known(shop, &makespan, &bound);
        assert_int_equal(shop->jobs, value[0]);
        assert_int_equal(shop->machines, value[1]);
        assert_int_equal(shop->seed, value[2]);
        assert_int_equal(makespan, value[3]);
        assert_int_equal(bound, value[4]);
        mco_flowshop_destroy(test_ctx, &shop);
    }
    assert_int_equal(count, INSTANCES);
    mco_text_close(&text);
}

int main(void)
{
    char path[4096];
    facts_path(path, sizeof path);
    if (access(path, R_OK) != 0) {
        printf("skipped: %s cannot be read\n", path);
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {TEST(test_taillard_facts)};
    return cmocka_run_group_tests_name("flowshop_data", tests, NULL, NULL);
}
