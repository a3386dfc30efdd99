// SPDX-License-Identifier: MIT
// Takes any bytes as the vectors of a folder, or as a file of places. The first byte says which; then each vector has two bytes for its
// size, 0xffff if it is absent. What is accepted must be a sound network, and its distances must pass the check.
#include <stdlib.h>
#include <string.h>

#include "paths/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool claim)
{
    if (!claim)
        abort();
}

static size_t take_vector(mco_context *ctx, paths_folder *f, int k, const uint8_t *data, size_t size)
{
    enum { ABSENT = 0xffff };
    if (size < 2)
        return size;
    size_t bytes = (size_t)data[0] | (size_t)data[1] << 8;
    if (bytes == ABSENT)
        return 2;
    bytes = bytes < size - 2 ? bytes : size - 2;
    require(mco_alloc_bytes(ctx, &f->data[k], bytes + 1, 1) == MCO_OK);
    memcpy(f->data[k], data + 2, bytes);
    f->bytes[k] = (int64_t)bytes;
    return 2 + bytes;
}

static void examine(mco_context *ctx, const mco_paths_network *network)
{
    const mco_paths_rows r = mco_paths_view(network);
    int32_t *distance = NULL;
    for (int32_t v = 0; v < r.vertices; v++)
        require(r.first[v] <= r.first[v + 1]);
    for (int64_t a = 0; a < r.arcs; a++)
        require(r.head[a] >= 0 && r.head[a] < r.vertices && r.weight[a] >= 0 && r.weight[a] <= MCO_PATHS_NONE);
    if (r.vertices == 0)
        return;
    require(mco_alloc(ctx, &distance, r.vertices) == MCO_OK);
    const mco_status st = paths_ref_tree(ctx, &r, 0, distance, NULL);
    require(st == MCO_ERR_LIMIT || (st == MCO_OK && mco_paths_check(ctx, network, 0, distance) == MCO_OK));
    mco_free(ctx, &distance);
}

static void take_folder(mco_context *ctx, const uint8_t *data, size_t size)
{
    paths_folder f = {.name = "folder"};
    mco_paths_network *network = NULL;
    for (int k = 0; k < PATHS_VECTORS; k++) {
        f.file[k] = "vector";
        const size_t used = take_vector(ctx, &f, k, data, size);
        data += used;
        size -= used;
    }
    const mco_status st = paths_folder_build(ctx, &f, 0, &network);
    require((st == MCO_OK) == (network != NULL));
    require(st == MCO_OK || mco_context_error(ctx)[0] != '\0');
    if (network != NULL)
        examine(ctx, network);
    mco_paths_destroy(ctx, &network);
    paths_folder_clear(ctx, &f);
}

static void take_places(mco_context *ctx, const uint8_t *data, size_t size)
{
    mco_text text;
    double *x = NULL, *y = NULL;
    bool is_map;
    if (mco_text_from_memory(ctx, "input", data, size, &text) != MCO_OK)
        return;
    const mco_status st = paths_places_read(ctx, &text, 3, &x, &y, &is_map);
    require((st == MCO_OK) == (x != NULL && y != NULL));
    require(st == MCO_OK || mco_context_error(ctx)[0] != '\0');
    mco_free(ctx, &x);
    mco_free(ctx, &y);
    mco_text_close(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mco_context *ctx = NULL;
    if (size == 0 || mco_context_create(&ctx, NULL) != MCO_OK)
        return 0;
    if (data[0] == 'c')
        take_places(ctx, data + 1, size - 1);
    else
        take_folder(ctx, data + 1, size - 1);
    mco_context_destroy(&ctx);
    return 0;
}
