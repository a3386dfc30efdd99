// SPDX-License-Identifier: MIT
// Takes any bytes as an instance: CSV, or a pair of TSPLIB files with a line "%%%" between them. What is accepted must
// be within the limits, and the same after writing and reading again. What is refused must have a message.
#include <stdlib.h>
#include <string.h>

#include "dtspms/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { COMPARED = 50 };  // nodes whose distances are all compared

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void examine(const mco_dtspms *d)
{
    const int32_t orders = mco_dtspms_orders(d), nodes = orders < COMPARED ? orders + 1 : COMPARED;
    char number[16];
    require(orders >= 0 && orders <= MCO_DTSPMS_MAX_ORDERS);
    for (int k = 0; k < 2; k++)
        for (int32_t i = 0; i < nodes; i++) {
            double x, y;
            require(mco_dtspms_distance(d, (mco_dtspms_network)k, i, i) == 0);
            if (mco_dtspms_coordinates(d, (mco_dtspms_network)k, i, &x, &y))
                require(fabs(x) <= 1e7 && fabs(y) <= 1e7);
            for (int32_t j = 0; j < nodes; j++)
                require(mco_dtspms_distance(d, (mco_dtspms_network)k, i, j) >= 0);
        }
    for (int32_t i = 0; i < orders; i++)
        require(mco_dtspms_order_name(d, i, number)[0] != '\0');
}

static void compare(const mco_dtspms *a, const mco_dtspms *b)
{
    require(a->orders == b->orders);
    const size_t nodes = (size_t)a->orders + 1;
    for (int k = 0; k < 2; k++) {
        const dtspms_network *u = &a->network[k], *v = &b->network[k];
        require(u->rule == v->rule);
        if (u->rule == DTSPMS_MATRIX)
            require(memcmp(u->matrix, v->matrix, nodes * nodes * sizeof *u->matrix) == 0);
        for (size_t i = 0; u->rule != DTSPMS_MATRIX && i < nodes; i++)
            require(u->x[i] == v->x[i] && u->y[i] == v->y[i]);
    }
}

static void write_and_read(mco_context *ctx, const mco_dtspms *d)
{
    char *content[2] = {NULL, NULL};
    mco_text texts[2];
    mco_dtspms *back = NULL;
    for (int k = 0; k < 2; k++) {
        size_t size = 0;
        FILE *file = open_memstream(&content[k], &size);
        require(file != NULL);
        dtspms_write_network(d, (mco_dtspms_network)k, file);
        require(fclose(file) == 0);
        require(mco_text_from_memory(ctx, "again", content[k], size, &texts[k]) == MCO_OK);
    }
    require(dtspms_read_texts(ctx, &texts[0], &texts[1], "again", &back) == MCO_OK);
    compare(d, back);
    mco_dtspms_destroy(ctx, &back);
    for (int k = 0; k < 2; k++) {
        mco_text_close(&texts[k]);
        free(content[k]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char mark[] = "\n%%%\n";
    const size_t mark_size = sizeof mark - 1;
    mco_context *ctx = NULL;
    mco_dtspms *d = NULL;
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return 0;
    mco_text texts[2] = {{.ctx = ctx}, {.ctx = ctx}};
    const uint8_t *found = size > 0 ? memmem(data, size, mark, mark_size) : NULL;
    const size_t first = found != NULL ? (size_t)(found - data) : size;
    if (mco_text_from_memory(ctx, "p", data, first, &texts[0]) == MCO_OK &&
        (found == NULL ||
         mco_text_from_memory(ctx, "d", found + mark_size, size - first - mark_size, &texts[1]) == MCO_OK)) {
        mco_status st = dtspms_read_texts(ctx, &texts[0], found != NULL ? &texts[1] : NULL, "input", &d);
        require((st == MCO_OK) == (d != NULL));
        require(st == MCO_OK || mco_context_error(ctx)[0] != '\0');
        if (d != NULL) {
            examine(d);
            write_and_read(ctx, d);
        }
    }
    mco_text_close(&texts[1]);
    mco_text_close(&texts[0]);
    mco_dtspms_destroy(ctx, &d);
    mco_context_destroy(&ctx);
    return 0;
}
