// SPDX-License-Identifier: MIT
// Takes any text as the argument of --interval for trees of 0 to 7 jobs. What is accepted must lie inside the tree and
// be in order.
#include <stdlib.h>
#include <string.h>

#include "flowshop/tree/interval.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void examine_path(const int32_t *digits, int32_t depth, int32_t jobs)
{
    require(depth >= 0 && depth <= jobs);
    for (int32_t d = 0; d < depth; d++)
        require(digits[d] >= 0 && digits[d] < jobs - d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mco_context *ctx = NULL;
    flowshop_interval interval = {0};
    if (size == 0 || mco_context_create(&ctx, NULL) != MCO_OK)
        return 0;
    const int32_t jobs = data[0] % 8;
    char *text = malloc(size);
    require(text != NULL && flowshop_interval_create(ctx, jobs, &interval) == MCO_OK);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    if (flowshop_interval_parse(ctx, text, jobs, &interval) == MCO_OK) {
        examine_path(interval.a, interval.a_depth, jobs);
        examine_path(interval.b, interval.b_depth, jobs);
        require(interval.b_depth == 0 ||
                flowshop_path_compare(interval.a, interval.a_depth, interval.b, interval.b_depth) < 0);
    }
    free(text);
    flowshop_interval_destroy(ctx, &interval);
    mco_context_destroy(&ctx);
    return 0;
}
