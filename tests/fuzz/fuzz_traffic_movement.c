// SPDX-License-Identifier: MIT
// Movements of GMNS between links of one and of two directions, parallel ones and one that cars may not use.
#include "traffic_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char links[] = "link_id,from_node_id,to_node_id,directed,vdf_fftt,capacity,allowed_uses\n"
                                "in,1,2,1,1,10,\nahead,2,3,1,1,10,\nahead2,2,3,1,1,10,\n\"ba ck\",2,5,0,1,10,\nfoot,1,2,1,1,10,walk\n,3,1,1,1,10,\n";
    mco_context *ctx = NULL;
    mco_traffic *traffic = NULL;
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return 0;
    const mco_traffic_files files = {.network = fuzz_file(0, "small-link.csv", links, sizeof links - 1),
                                     .turns = fuzz_file(1, "movement.csv", data, size)};
    const mco_status st = mco_traffic_read(ctx, &files, &traffic);
    require(st == MCO_OK || mco_context_error(ctx)[0] != '\0');
    if (st == MCO_OK)
        require(traffic_network_check(ctx, traffic, "input") == MCO_OK);
    mco_traffic_destroy(ctx, &traffic);
    fuzz_remove(files.network);
    fuzz_remove(files.turns);
    mco_context_destroy(&ctx);
    return 0;
}
