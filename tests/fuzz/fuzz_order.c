// SPDX-License-Identifier: MIT
// Takes any bytes as a solution file for an instance of five jobs with names. What is accepted must be a permutation.
#include <stdlib.h>
#include <string.h>

#include "flowshop/instance.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char instance[] = "job,A,B\nJ1,5,3\nJ2,2,2\n7,1,3\nfour,4,4\nJ5,9,1\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mco_context *ctx = NULL;
    mco_flowshop *shop = NULL;
    mco_text text;
    int32_t order[5];
    int64_t makespan;
    double stated;
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return 0;
    if (mco_text_from_memory(ctx, "instance", instance, strlen(instance), &text) != MCO_OK ||
        flowshop_read_text(ctx, &text, 0, &shop) != MCO_OK)
        abort();
    mco_text_close(&text);
    if (mco_text_from_memory(ctx, "input", data, size, &text) == MCO_OK) {
        if (flowshop_read_solution_text(ctx, shop, &text, order, &stated) == MCO_OK &&
            mco_flowshop_check(ctx, shop, order, 5, &makespan) != MCO_OK)
            abort();
        mco_text_close(&text);
    }
    mco_flowshop_destroy(ctx, &shop);
    mco_context_destroy(&ctx);
    return 0;
}
