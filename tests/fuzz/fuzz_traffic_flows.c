// SPDX-License-Identifier: MIT
// Flows of links: the first byte says whether as TNTP, CSV or JSON. What is accepted must be numbers of 0 or more.
#include "traffic_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mco_context *ctx = NULL;
    double *flow = NULL, *class_flow = NULL;
    if (size == 0 || mco_context_create(&ctx, NULL) != MCO_OK)
        return 0;
    mco_traffic *traffic = fuzz_network(ctx);
    const char *path = fuzz_file(1, data[0] == 'c' ? "f.csv" : "f.tntp", data + 1, size - 1);
    const mco_status st = mco_traffic_read_flows(ctx, traffic, path, &flow, &class_flow);
    require((st == MCO_OK) == (flow != NULL));
    require(st == MCO_OK || mco_context_error(ctx)[0] != '\0');
    for (int32_t a = 0; flow != NULL && a < mco_traffic_view(traffic).links; a++)
        require(flow[a] >= 0);
    mco_traffic_flows_clear(ctx, &flow, &class_flow);
    mco_traffic_destroy(ctx, &traffic);
    fuzz_remove(path);
    mco_context_destroy(&ctx);
    return 0;
}
