// SPDX-License-Identifier: MIT
// Proves the optima of the first 12 orders of R00 to R09 in three stacks of four (Petersen, Madsen 2009, table 3).
#include "test_support.h"

#include "mco/mco.h"

static void optima_of_twelve_orders_are_proved(void **state)
{
    (void)state;
    static const int64_t optima[] = {694, 710, 606, 680, 607, 567, 747, 557, 690, 669};
    for (int k = 0; k < COUNT_OF(optima); k++) {
        const char name[] = {'R', '0', (char)('0' + k), '\0'};
        mco_dtspms *problem = NULL;
        mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
        mco_dtspms_result r = MCO_DTSPMS_RESULT_INIT;
        params.method = MCO_DTSPMS_METHOD_EXACT;
        assert_ok(mco_dtspms_named(test_ctx, name, MCO_DTSPMS_MAX_EXACT_ORDERS, &problem));
        assert_ok(mco_dtspms_solve(test_ctx, problem, &params, &r));
        assert_int_equal(r.cost, optima[k]);
        assert_int_equal(r.bound, optima[k]);
        assert_int_equal(r.outcome, MCO_OUTCOME_OPTIMAL);
        assert_int_equal(r.stop, MCO_STOP_FINISHED);
        mco_dtspms_result_clear(test_ctx, &r);
        mco_dtspms_destroy(test_ctx, &problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(optima_of_twelve_orders_are_proved)};
    return cmocka_run_group_tests_name("dtspms_exact", tests, NULL, NULL);
}
