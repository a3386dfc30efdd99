// SPDX-License-Identifier: MIT
// Takes any bytes as TNTP trips of a network with five zones. What is accepted must be rows of trips above 0.
#include <math.h>
#include <stdlib.h>

#include "traffic/model/network.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ZONES = 5 };

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void examine(const mco_traffic_class *c)
{
    require(c->first[0] == 0);
    for (int32_t o = 0; o < ZONES; o++)
        for (int64_t i = c->first[o]; i < c->first[o + 1]; i++)
            require(c->to[i] >= 0 && c->to[i] < ZONES && (i == c->first[o] || c->to[i] > c->to[i - 1]) && c->amount[i] > 0 &&
                    isfinite(c->amount[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mco_context *ctx = NULL;
    mco_text text;
    mco_traffic *traffic = NULL;
    mco_traffic_class trips = {0};
    const mco_traffic_network net = {.nodes = ZONES, .zones = ZONES};
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return 0;
    require(mco_traffic_create(ctx, "network", &net, 0, NULL, &traffic) == MCO_OK);
    if (mco_text_from_memory(ctx, "input", data, size, &text) == MCO_OK) {
        const mco_status st = traffic_parse_tntp_trips(&text, traffic, &trips);
        require(st == MCO_OK ? trips.first != NULL : mco_context_error(ctx)[0] != '\0');
        if (st == MCO_OK)
            examine(&trips);
        traffic_class_clear(ctx, &trips);
        mco_text_close(&text);
    }
    mco_traffic_destroy(ctx, &traffic);
    mco_context_destroy(&ctx);
    return 0;
}
