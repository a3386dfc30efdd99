// SPDX-License-Identifier: MIT
// A user's small program: solves an instance of six jobs and writes the result file that its argument names.
#include <mco/mco.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    char version[32];
    mco_context *ctx = NULL;
    mco_flowshop *shop = NULL;
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    mco_flowshop_result result = MCO_FLOWSHOP_RESULT_INIT;
    snprintf(version, sizeof version, "%d.%d.%d", MCO_VERSION_MAJOR, MCO_VERSION_MINOR, MCO_VERSION_PATCH);
    if (argc != 2 || strcmp(mco_version(), MCO_VERSION) != 0 || strcmp(version, MCO_VERSION) != 0)
        return 1;
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return 1;
    mco_status st = mco_options_set(ctx, mco_flowshop_options(), &params, "threads", "1");
    if (st == MCO_OK)
        st = mco_flowshop_generate(ctx, 6, 3, 1, &shop);
    if (st == MCO_OK)
        st = mco_flowshop_solve(ctx, shop, &params, &result);
    if (st == MCO_OK)
        st = mco_flowshop_write_result(ctx, shop, &params, &result, NULL, argv[1]);
    if (st == MCO_OK)
        printf("mco %s: makespan %lld, %s\n", mco_version(), (long long)result.makespan, mco_outcome_text(result.outcome));
    else
        printf("%s: %s\n", mco_status_text(st), mco_context_error(ctx));
    int is_good = st == MCO_OK && result.outcome == MCO_OUTCOME_OPTIMAL;
    mco_flowshop_result_clear(ctx, &result);
    mco_flowshop_destroy(ctx, &shop);
    mco_context_destroy(&ctx);
    return is_good ? 0 : 1;
}
