// SPDX-License-Identifier: MIT
// The public headers are C++ too, the initialisers included.
#include <mco/mco.h>

int main()
{
    mco_context_params context_params = MCO_CONTEXT_PARAMS_INIT;
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    mco_flowshop_result result = MCO_FLOWSHOP_RESULT_INIT;
    mco_context *ctx = nullptr;
    mco_flowshop *shop = nullptr;
    if (mco_context_create(&ctx, &context_params) != MCO_OK)
        return 1;
    params.threads = 1;
    const bool is_solved = mco_flowshop_generate(ctx, 6, 3, 1, &shop) == MCO_OK &&
                           mco_flowshop_solve(ctx, shop, &params, &result) == MCO_OK &&
                           result.outcome == MCO_OUTCOME_OPTIMAL;
    mco_flowshop_result_clear(ctx, &result);
    mco_flowshop_destroy(ctx, &shop);
    mco_context_destroy(&ctx);
    return is_solved ? 0 : 1;
}
