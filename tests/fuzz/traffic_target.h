// SPDX-License-Identifier: MIT
// Takes any bytes as a file of traffic assignment. What is accepted must be a sound network; what is refused must have a message.
#ifndef MCO_FUZZ_TRAFFIC_TARGET_H
#define MCO_FUZZ_TRAFFIC_TARGET_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traffic/model/network.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(bool claim)
{
    if (!claim)
        abort();
}

// Writes a file into the folder of this process and returns its path, valid until the next call with the same slot.
static inline const char *fuzz_file(int slot, const char *name, const void *data, size_t size)
{
    static char paths[3][128];
    char folder[64];
    snprintf(folder, sizeof folder, "/tmp/fuzz-traffic-%ld", (long)getpid());
    mkdir(folder, 0700);
    snprintf(paths[slot], sizeof paths[slot], "%s/%s", folder, name);
    FILE *file = fopen(paths[slot], "wb");
    require(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0);
    return paths[slot];
}

static inline void fuzz_remove(const char *path)
{
    char folder[128];
    unlink(path);
    snprintf(folder, sizeof folder, "/tmp/fuzz-traffic-%ld", (long)getpid());
    rmdir(folder);  // fails while other files are there
}

// A triangle with parallel links; its nodes have names.
static inline mco_traffic *fuzz_network(mco_context *ctx)
{
    static const char links[] = "from_node_id,to_node_id,vdf_fftt,capacity\nA,2,1,5\n2,\"C D\",1,5\n2,\"C D\",2,5\n\"C D\",A,1,5\n";
    const char *path = fuzz_file(0, "small-link.csv", links, sizeof links - 1);
    const mco_traffic_files files = {.network = path};
    mco_traffic *traffic = NULL;
    require(mco_traffic_read(ctx, &files, &traffic) == MCO_OK);
    fuzz_remove(path);
    return traffic;
}

// Takes the bytes as a file of a network, of trips, or of turns.
static inline int take_file(const uint8_t *data, size_t size, const char *name, bool is_network, bool is_turns)
{
    mco_context *ctx = NULL;
    mco_traffic *traffic = NULL;
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return 0;
    const char *path = fuzz_file(1, name, data, size);
    mco_status st;
    if (is_network) {
        const mco_traffic_files files = {.network = path};
        st = mco_traffic_read(ctx, &files, &traffic);
    } else {
        traffic = fuzz_network(ctx);
        st = is_turns ? traffic_read_turns(ctx, path, traffic) : traffic_read_trips(ctx, path, traffic);
    }
    require(st == MCO_OK || mco_context_error(ctx)[0] != '\0');
    if (st == MCO_OK)
        require(traffic_network_check(ctx, traffic, "input") == MCO_OK);
    mco_traffic_destroy(ctx, &traffic);
    fuzz_remove(path);
    mco_context_destroy(&ctx);
    return 0;
}

#endif
