// SPDX-License-Identifier: MIT
// Takes any bytes as an instance file. The first byte chooses the instance asked for; the rest is the file. What is
// accepted must be within the limits; what is refused must have a message.
#include <stdlib.h>

#include "flowshop/instance.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void examine(const mco_flowshop *shop)
{
    int64_t largest = 0;
    for (int32_t i = 0; i < shop->machines; i++) {
        require(mco_flowshop_machine_name(shop, i) != NULL);
        for (int32_t j = 0; j < shop->jobs; j++) {
            int32_t time = mco_flowshop_time(shop, i, j);
            require(time >= 0 && time <= MCO_FLOWSHOP_MAX_TIME);
            largest = time > largest ? time : largest;
        }
    }
    for (int32_t j = 0; j < shop->jobs; j++)
        require(mco_flowshop_job_name(shop, j) != NULL);
    require((shop->jobs + shop->machines - 1) * largest <= INT32_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mco_context *ctx = NULL;
    mco_flowshop *shop = NULL;
    mco_text text;
    if (size == 0 || mco_context_create(&ctx, NULL) != MCO_OK)
        return 0;
    if (mco_text_from_memory(ctx, "input", data + 1, size - 1, &text) == MCO_OK) {
        mco_status st = flowshop_read_text(ctx, &text, data[0] % 4, &shop);
        require((st == MCO_OK) == (shop != NULL));
        require(st == MCO_OK || mco_context_error(ctx)[0] != '\0');
        if (shop != NULL)
            examine(shop);
        mco_text_close(&text);
    }
    mco_flowshop_destroy(ctx, &shop);
    mco_context_destroy(&ctx);
    return 0;
}
