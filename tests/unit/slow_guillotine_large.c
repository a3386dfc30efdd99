// SPDX-License-Identifier: MIT
// Plates of the thesis' sizes whose optimum is known by construction, and (with MCO_DATA) the two largest of the
// collection. Takes minutes.
#include "test_support.h"

#include "mco/guillotine.h"

static void solve(mco_guillotine *g, int wants_table, int64_t value)
{
    mco_guillotine_params params = MCO_GUILLOTINE_PARAMS_INIT;
    mco_guillotine_result result = MCO_GUILLOTINE_RESULT_INIT;
    params.engine = MCO_ENGINE_CPU;
    params.wants_table = wants_table;
    assert_ok(mco_guillotine_solve(test_ctx, g, &params, &result));
    assert_int_equal(result.outcome, MCO_OUTCOME_OPTIMAL);
    assert_int_equal(result.value, value);
    mco_guillotine_result_clear(test_ctx, &result);
}

static void test_randcut_leaves_no_waste(void **state)
{
    (void)state;
    static const int32_t sides[] = {2000, 6000, 10000};
    for (int k = 0; k < COUNT_OF(sides); k++) {
        mco_guillotine *g = NULL;
        assert_ok(mco_guillotine_randcut(test_ctx, sides[k], sides[k], 40, 1, &g));
        solve(g, 0, (int64_t)sides[k] * sides[k]);
        if (sides[k] <= 6000)
            solve(g, 1, (int64_t)sides[k] * sides[k]);
        mco_guillotine_destroy(test_ctx, &g);
    }
}

// LW1 and LU1: one plate of 20789 x 23681, weighted and unweighted. LU1 is solved by waste in 16 bits; a GPU finds the
// same in 32.
static void test_largest_of_the_collection(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t value;
    } known[] = {{"LW1", 171257398}, {"LU1", 492279580}};
    const char *data = getenv("MCO_DATA");
    if (data == NULL)
        skip();
    for (int k = 0; k < COUNT_OF(known); k++) {
        mco_guillotine *g = NULL;
        char path[4096];
        snprintf(path, sizeof path, "%.3000s/cutting/hifi2001/%s.txt", data, known[k].name);
        assert_ok(mco_guillotine_read(test_ctx, path, &g));
        solve(g, 0, known[k].value);
        mco_guillotine_destroy(test_ctx, &g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_randcut_leaves_no_waste), TEST(test_largest_of_the_collection)};
    return cmocka_run_group_tests_name("guillotine_large", tests, NULL, NULL);
}
