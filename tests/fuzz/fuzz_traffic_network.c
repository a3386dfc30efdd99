// SPDX-License-Identifier: MIT
// Takes any bytes as a TNTP network. What is accepted must pass the check of networks, and its problem must be sound.
#include <stdlib.h>

#include "traffic/model/network.h"
#include "traffic/model/problem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_SETTLED = 1000 };  // nodes of a network that is settled

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void examine(mco_context *ctx, const mco_traffic *traffic)
{
    static const mco_traffic_unreachable rules[] = {MCO_TRAFFIC_DROP, MCO_TRAFFIC_ARC};
    if (traffic->view.nodes > MOST_SETTLED)
        return;
    for (int k = 0; k < 2; k++) {
        mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
        traffic_problem p = {0};
        params.unreachable = rules[k];
        const mco_status st = traffic_problem_make(ctx, traffic, &params, &p);
        require(st == MCO_OK || st == MCO_ERR_ARGUMENT || st == MCO_ERR_MEMORY);
        for (int32_t e = 0; e < p.links; e++)
            require(p.head[e] >= 0 && p.head[e] < p.nodes && traffic_cost(&p.costs, e, 0) >= 0);
        traffic_problem_clear(ctx, &p);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mco_context *ctx = NULL;
    mco_text text;
    mco_traffic *traffic = NULL;
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return 0;
    if (mco_text_from_memory(ctx, "input", data, size, &text) == MCO_OK) {
        require(traffic_network_new(ctx, "input", &traffic) == MCO_OK);
        const mco_status st = traffic_parse_tntp_network(&text, traffic);
        require(st == MCO_OK || mco_context_error(ctx)[0] != '\0');
        if (st == MCO_OK) {
            require(traffic_network_complete(ctx, traffic, "input") == MCO_OK);
            examine(ctx, traffic);
        }
        mco_traffic_destroy(ctx, &traffic);
        mco_text_close(&text);
    }
    mco_context_destroy(&ctx);
    return 0;
}
