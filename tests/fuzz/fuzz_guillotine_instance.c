// SPDX-License-Identifier: MIT
// Takes any bytes as an instance file. What is accepted must be within the limits, and the same after writing and
// reading again. What is refused must have a message.
#include <stdlib.h>
#include <string.h>

#include "guillotine/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool claim)
{
    if (!claim)
        abort();
}

static bool is_side(int32_t side)
{
    return side >= 1 && side <= MCO_GUILLOTINE_MAX_SIDE;
}

static void examine(const mco_guillotine *g)
{
    require(is_side(g->width) && is_side(g->height) && g->pieces >= 0 && g->pieces <= MCO_GUILLOTINE_MAX_PIECES);
    for (int64_t p = 0; p < g->pieces; p++) {
        const mco_guillotine_piece *piece = &g->piece[p];
        require(is_side(piece->width) && is_side(piece->height));
        require(piece->value >= 0 && piece->value <= MCO_GUILLOTINE_MAX_VALUE);
        require(g->piece_names == NULL || g->piece_names[p] == NULL || g->piece_names[p][0] != '\0');
    }
}

__extension__ typedef __int128 wide;

// Equal in the file's unit. A value that is an area is written with the decimals that it needs, which may be fewer than
// those that the first file gave to areas.
static bool is_same(int64_t a, int64_t a_scale, int64_t b, int64_t b_scale)
{
    return (wide)a * b_scale == (wide)b * a_scale;
}

static void compare(const mco_guillotine *a, const mco_guillotine *b)
{
    char first[24], second[24];
    require(is_same(a->width, a->scale, b->width, b->scale) && is_same(a->height, a->scale, b->height, b->scale));
    require(a->pieces == b->pieces);
    for (int64_t p = 0; p < a->pieces; p++) {
        const mco_guillotine_piece *u = &a->piece[p], *v = &b->piece[p];
        require(is_same(u->width, a->scale, v->width, b->scale) && is_same(u->height, a->scale, v->height, b->scale));
        require(is_same(u->value, a->value_scale, v->value, b->value_scale));
        require(u->is_rotatable == v->is_rotatable);
        require(strcmp(mco_guillotine_piece_name(a, p, first), mco_guillotine_piece_name(b, p, second)) == 0);
    }
}

static void write_and_read(mco_context *ctx, const mco_guillotine *g)
{
    char *content = NULL;
    size_t size = 0;
    mco_guillotine *back = NULL;
    mco_text text;
    FILE *file = open_memstream(&content, &size);
    require(file != NULL);
    guillotine_write_csv(g, file);
    require(fclose(file) == 0);
    require(mco_text_from_memory(ctx, "again", content, size, &text) == MCO_OK);
    require(guillotine_read_text(ctx, &text, "again", &back) == MCO_OK);
    compare(g, back);
    mco_text_close(&text);
    mco_guillotine_destroy(ctx, &back);
    free(content);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mco_context *ctx = NULL;
    mco_guillotine *g = NULL;
    mco_text text;
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return 0;
    if (mco_text_from_memory(ctx, "input", data, size, &text) == MCO_OK) {
        mco_status st = guillotine_read_text(ctx, &text, "input", &g);
        require((st == MCO_OK) == (g != NULL));
        require(st == MCO_OK || mco_context_error(ctx)[0] != '\0');
        if (g != NULL) {
            examine(g);
            write_and_read(ctx, g);
        }
        mco_text_close(&text);
    }
    mco_guillotine_destroy(ctx, &g);
    mco_context_destroy(&ctx);
    return 0;
}
