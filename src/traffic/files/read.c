// SPDX-License-Identifier: MIT
// Reads a network and its trips: chooses the readers, and says what is odd about what they found.
#include <string.h>

#include "base/text.h"
#include "traffic/files/files.h"

static bool is_gmns(const char *path)
{
    return !traffic_ends_with(path, ".tntp") && strcmp(path, "-") != 0 && traffic_is_gmns(path);
}

static mco_status read_network(mco_context *ctx, const mco_traffic_files *files, mco_traffic *traffic)
{
    mco_status st = MCO_OK;
    const char *path = files->network;
    const bool is_tntp = traffic_ends_with(path, ".tntp") || strcmp(path, "-") == 0;
    if (is_gmns(path))
        return traffic_read_gmns(ctx, path, files->nodes, files->turns, traffic);
    MCO_TRY(!is_tntp && traffic_ends_with(path, ".csv") ? traffic_read_streets(ctx, path, traffic) : traffic_read_tntp_network(ctx, path, traffic));
    if (files->nodes != NULL)
        MCO_TRY(traffic_ends_with(files->nodes, ".csv") ? traffic_read_csv_nodes(ctx, files->nodes, traffic) :
                                               traffic_read_tntp_nodes(ctx, files->nodes, traffic));
done:
    return st;
}

// Links that join the same nodes as an earlier one: they are kept, and said. O(nodes + links).
static mco_status say_parallel(mco_context *ctx, const mco_traffic *traffic, const char *where)
{
    mco_status st = MCO_OK;
    const mco_traffic_network *net = &traffic->view;
    int32_t *next = NULL, *first = NULL, *seen = NULL;
    int32_t count = 0, example = -1;
    MCO_TRY(mco_alloc(ctx, &first, net->nodes));
    MCO_TRY(mco_alloc(ctx, &next, net->links));
    MCO_TRY(mco_alloc(ctx, &seen, net->nodes));
    for (int32_t a = net->links - 1; a >= 0; a--) {  // lists of links + 1 by tail
        next[a] = first[net->tail[a]];
        first[net->tail[a]] = a + 1;
    }
    for (int32_t v = 0; v < net->nodes; v++)
        for (int32_t a = first[v]; a > 0; a = next[a - 1]) {
            int32_t *mark = &seen[net->head[a - 1]];
            if (*mark == v + 1) {
                count++;
                example = example < 0 || a - 1 < example ? a - 1 : example;
            }
            *mark = v + 1;
        }
    if (count > 0) {
        char from[16], to[16];
        mco_log(ctx, MCO_LOG_WARNING, "%s: %d link%s from a node to one that an earlier link joins it to, the first from %s to %s; all are kept",
                where, count, count == 1 ? " leads" : "s lead", mco_traffic_node_name(traffic, net->tail[example], from),
                mco_traffic_node_name(traffic, net->head[example], to));
    }
done:
    mco_free(ctx, &first);
    mco_free(ctx, &next);
    mco_free(ctx, &seen);
    return st;
}

mco_status mco_traffic_read(mco_context *ctx, const mco_traffic_files *files, mco_traffic **out)
{
    mco_status st = MCO_OK;
    mco_traffic *traffic = NULL;
    if (ctx == NULL || files == NULL || out == NULL || files->network == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s is NULL", ctx == NULL ? "the context" : files == NULL ? "the list of files" :
                        out == NULL ? "the place of the result" : "the path of the network");
    MCO_TRY(traffic_network_new(ctx, mco_text_base_name(files->network), &traffic));
    MCO_TRY(read_network(ctx, files, traffic));
    if (files->turns != NULL && !(is_gmns(files->network) && traffic_is_movements(files->turns)))
        MCO_TRY(traffic_read_turns(ctx, files->turns, traffic));
    if (files->trips != NULL)
        MCO_TRY(traffic_read_trips(ctx, files->trips, traffic));
    MCO_TRY(traffic_network_complete(ctx, traffic, files->network));
    MCO_TRY(say_parallel(ctx, traffic, files->network));
    *out = traffic;
    traffic = NULL;
done:
    mco_traffic_destroy(ctx, &traffic);
    return st;
}
