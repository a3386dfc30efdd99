// SPDX-License-Identifier: MIT
// Takes any bytes as a map: the first byte says whether it is .osm or .osm.pbf. What is accepted must be a sound map, on which the
// nearest street of a place can be found. What is refused must have a message of plain characters.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "paths/transit/map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void examine(const transit_map *m)
{
    transit_spot_on_map spot;
    for (int32_t s = 0; s < m->streets; s++) {
        require(m->street[s].from >= 0 && m->street[s].from < m->vertices && m->street[s].to >= 0 && m->street[s].to < m->vertices);
        require(m->street[s].metres >= 0 && m->street[s].first_point <= m->street[s + 1].first_point);
    }
    for (int32_t v = 0; v < m->vertices && v < 8; v++)
        if (transit_map_nearest(m, (transit_point){m->place[v].latitude, m->place[v].longitude}, 100, &spot))
            require(spot.street >= 0 && spot.street < m->streets && spot.along >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    mco_context *ctx = NULL;
    transit_map map = {0};
    if (size == 0 || mco_context_create(&ctx, NULL) != MCO_OK)
        return 0;
    snprintf(path, sizeof path, "/tmp/fuzz-paths-map-%ld.osm%s", (long)getpid(), data[0] % 2 == 1 ? ".pbf" : "");
    FILE *file = fopen(path, "wb");
    require(file != NULL && fwrite(data + 1, 1, size - 1, file) == size - 1 && fclose(file) == 0);
    const mco_status st = transit_map_read(ctx, path, PATHS_MAP_FOOT, &map);
    const char *message = mco_context_error(ctx);
    require(st == MCO_OK || message[0] != '\0');
    for (size_t k = 0; st != MCO_OK && message[k] != '\0'; k++)
        require((unsigned char)message[k] >= ' ');
    if (st == MCO_OK)
        examine(&map);
    transit_map_clear(ctx, &map);
    mco_context_destroy(&ctx);
    unlink(path);
    return 0;
}
