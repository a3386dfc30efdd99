// SPDX-License-Identifier: MIT
// The same from C++.
#include <mco/mco.h>

int main(int argc, char **argv)
{
    mco_context_params context_params = MCO_CONTEXT_PARAMS_INIT;
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    mco_flowshop_result result = MCO_FLOWSHOP_RESULT_INIT;
    mco_context *ctx = nullptr;
    mco_flowshop *shop = nullptr;
    if (argc != 2 || mco_context_create(&ctx, &context_params) != MCO_OK)
        return 1;
    const bool is_good = mco_options_set(ctx, mco_flowshop_options(), &params, "threads", "1") == MCO_OK &&
                         mco_flowshop_generate(ctx, 6, 3, 1, &shop) == MCO_OK &&
                         mco_flowshop_solve(ctx, shop, &params, &result) == MCO_OK &&
                         mco_flowshop_write_result(ctx, shop, &params, &result, nullptr, argv[1]) == MCO_OK &&
                         result.outcome == MCO_OUTCOME_OPTIMAL;
    mco_flowshop_result_clear(ctx, &result);
    mco_flowshop_destroy(ctx, &shop);
    mco_context_destroy(&ctx);
    return is_good ? 0 : 1;
}
