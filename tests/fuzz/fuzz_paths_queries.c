// SPDX-License-Identifier: MIT
// Takes any bytes as a CSV file of queries. What is accepted must be places on the earth and times of the day. What is refused must have a
// message.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/context.h"
#include "mco/mco.h"
#include "mco/transit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[64];

static void require(bool claim)
{
    if (!claim)
        abort();
}

static bool is_on_earth(mco_transit_place p)
{
    return p.latitude >= -90 && p.latitude <= 90 && p.longitude >= -180 && p.longitude <= 180;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mco_context *ctx = NULL;
    mco_transit_query *query = NULL;
    int64_t count = 0;
    snprintf(path, sizeof path, "/tmp/fuzz-paths-queries-%ld.csv", (long)getpid());
    FILE *file = fopen(path, "wb");
    require(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0);
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return 0;
    const mco_status st = mco_transit_read_queries(ctx, path, &query, &count);
    require(st == MCO_OK || mco_context_error(ctx)[0] != '\0');
    for (int64_t k = 0; k < count; k++)
        require(is_on_earth(query[k].from) && is_on_earth(query[k].to) && query[k].depart_s >= 0 && query[k].depart_s <= MCO_TRANSIT_MAX_TIME_S);
    mco_transit_queries_clear(ctx, &query);
    mco_context_destroy(&ctx);
    unlink(path);
    return 0;
}
