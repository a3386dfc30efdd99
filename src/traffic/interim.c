// SPDX-License-Identifier: MIT
// Until the readers of other formats are here: trips are TNTP. Whoever brings trips.c removes this file.
#include <string.h>

#include "traffic/network.h"

__attribute__((weak)) bool traffic_is_gmns(const char *path)
{
    (void)path;
    return false;
}

__attribute__((weak)) mco_status traffic_read_gmns(mco_context *ctx, const char *path, const char *nodes, mco_traffic *traffic)
{
    (void)nodes;
    (void)traffic;
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s: this format is not supported", path);
}

__attribute__((weak)) mco_status traffic_read_streets(mco_context *ctx, const char *path, mco_traffic *traffic)
{
    (void)traffic;
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s: this format is not supported", path);
}

__attribute__((weak)) mco_status traffic_read_turns(mco_context *ctx, const char *path, mco_traffic *traffic)
{
    (void)traffic;
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s: this format is not supported", path);
}

__attribute__((weak)) mco_status traffic_read_trips(mco_context *ctx, const char *path, mco_traffic *traffic)
{
    static const char name[] = "trips";
    mco_status st = MCO_OK;
    char *copy = NULL;
    MCO_TRY(mco_alloc(ctx, &traffic->classes, 1));
    MCO_TRY(traffic_read_tntp_trips(ctx, path, traffic, &traffic->classes[0]));
    traffic->class_count = 1;
    MCO_TRY(mco_alloc(ctx, &copy, sizeof name));
    memcpy(copy, name, sizeof name);
    traffic->classes[0].name = copy;
done:
    return st;
}
