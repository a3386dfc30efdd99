// SPDX-License-Identifier: MIT
// Takes any bytes as a prepared hierarchy. If the first byte is '#', the other bytes get their length and their checksum, so that
// what is behind these is reached. What is accepted must have the metric of the oracle.
#include <stdlib.h>
#include <string.h>

#include "paths/hierarchy/prepare.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LENGTH_AT = 16, WORD = 8 };  // where the header has the length

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void examine(mco_context *ctx, const mco_paths_hierarchy *h)
{
    const mco_paths_rows rows = mco_paths_view(h->expanded != NULL ? h->expanded : h->network);
    paths_metric expected = {0};
    if (paths_metric_open(ctx, &h->topology, &expected) != MCO_OK)
        return;
    paths_metric_ref(&h->topology, rows.arcs, rows.weight, &expected);
    require(memcmp(expected.pair, h->metric.pair, 2 * (size_t)h->topology.arcs * sizeof *expected.pair) == 0);
    paths_metric_clear(ctx, &expected);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mco_context *ctx = NULL;
    mco_paths_hierarchy *h = NULL;
    char *copy = calloc(1, size + WORD);
    if (copy == NULL || size == 0 || mco_context_create(&ctx, NULL) != MCO_OK) {
        free(copy);
        return 0;
    }
    int64_t bytes = (int64_t)size;
    memcpy(copy, data, size);
    if (data[0] == '#') {
        bytes = (int64_t)(size - 1) / WORD * WORD + WORD;
        memmove(copy, data + 1, (size_t)bytes - WORD);
        if (bytes > LENGTH_AT + WORD)
            memcpy(copy + LENGTH_AT, &bytes, sizeof bytes);
        const uint64_t sum = paths_hierarchy_checksum(copy, bytes - WORD);
        memcpy(copy + bytes - WORD, &sum, sizeof sum);
    }
    const mco_status st = paths_hierarchy_parse(ctx, "input", copy, bytes, &h);
    require((st == MCO_OK) == (h != NULL));
    require(st == MCO_OK || mco_context_error(ctx)[0] != '\0');
    if (h != NULL)
        examine(ctx, h);
    mco_paths_hierarchy_destroy(ctx, &h);
    mco_context_destroy(&ctx);
    free(copy);
    return 0;
}
