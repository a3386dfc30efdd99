// SPDX-License-Identifier: MIT
// Published trees that take seconds; each has at least ten million nodes.
#include "test_support.h"

#include "mco/mco.h"

typedef struct tree {
    const char *name;
    mco_flowshop_branching branching;
    int64_t upper_bound;  // -1: the optimum
    int64_t nodes;
} tree;

static const tree trees[] = {
    {"ta028", MCO_FLOWSHOP_BRANCHING_MINMIN, -1, 15297804},     {"ta029", MCO_FLOWSHOP_BRANCHING_MINMIN, -1, 14470357},
    {"ta017", MCO_FLOWSHOP_BRANCHING_MINMIN, -1, 40550069},     {"ta028", MCO_FLOWSHOP_BRANCHING_MINBRANCH, -1, 12869871},
    {"ta029", MCO_FLOWSHOP_BRANCHING_MINBRANCH, -1, 12233362},  {"ta022", MCO_FLOWSHOP_BRANCHING_MINBRANCH, -1, 45955934},
    {"ta056", MCO_FLOWSHOP_BRANCHING_MINBRANCH, 3650, 3709888},
};

static void test_published_trees(void **state)
{
    (void)state;
    mco_context *ctx = NULL;
    assert_int_equal(mco_context_create(&ctx, NULL), MCO_OK);
    for (int i = 0; i < COUNT_OF(trees); i++) {
        mco_flowshop *shop = NULL;
        mco_flowshop_result r = MCO_FLOWSHOP_RESULT_INIT;
        mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
        int64_t best, bound;
        assert_int_equal(mco_flowshop_taillard(ctx, trees[i].name, &shop), MCO_OK);
        mco_flowshop_best_known(shop, &best, &bound);
        p.upper_bound = trees[i].upper_bound >= 0 ? trees[i].upper_bound : best;
        p.branching = trees[i].branching;
        assert_int_equal(mco_flowshop_solve(ctx, shop, &p, &r), MCO_OK);
        assert_int_equal(r.nodes, trees[i].nodes);
        mco_flowshop_result_clear(ctx, &r);
        mco_flowshop_destroy(ctx, &shop);
    }
    mco_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_published_trees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
