// SPDX-License-Identifier: MIT
// Takes any bytes as a plan for an instance of four pieces. What is accepted must be a tree of rectangles, and the same
// after writing and reading again.
#include <stdlib.h>
#include <string.h>

#include "guillotine/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PIECES = 4 };

static const mco_guillotine_piece pieces[PIECES] = {{10, 20, 200, true}, {18, 9, 162, true}, {10, 9, 90, false}, {5, 5, 25, true}};

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void examine(const mco_guillotine_node *nodes, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        const mco_guillotine_node *node = &nodes[k];
        require(node->x >= 0 && node->y >= 0 && node->width >= 0 && node->height >= 0 && node->at >= 0);
        require(node->kind != MCO_GUILLOTINE_NODE_PIECE || (node->piece >= 0 && node->piece < PIECES));
        if (node->kind == MCO_GUILLOTINE_NODE_CUT)
            require(node->parts[0] == k + 1 && node->parts[1] > k + 1 && node->parts[1] < count);
    }
}

static void compare(const mco_guillotine_node *a, const mco_guillotine_node *b, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        const mco_guillotine_node *u = &a[k], *v = &b[k];
        require(u->kind == v->kind && u->cut == v->cut && u->at == v->at && u->piece == v->piece);
        require(u->x == v->x && u->y == v->y && u->width == v->width && u->height == v->height);
        require(u->parts[0] == v->parts[0] && u->parts[1] == v->parts[1] && u->is_rotated == v->is_rotated);
    }
}

static void write_and_read(mco_context *ctx, const mco_guillotine *g, const mco_guillotine_node *nodes, int64_t count)
{
    char *content = NULL;
    size_t size = 0;
    mco_guillotine_node *back = NULL;
    mco_json json;
    mco_text text;
    int64_t again, value;
    FILE *file = open_memstream(&content, &size);
    require(file != NULL);
    mco_json_begin(&json, file);
    mco_json_open(&json, NULL, '{');
    require(guillotine_plan_to_json(ctx, g, nodes, count, &json, "plan") == MCO_OK);
    mco_json_close(&json, '}');
    require(fclose(file) == 0);
    require(mco_text_from_memory(ctx, "again", content, size, &text) == MCO_OK);
    require(guillotine_read_plan_text(ctx, g, &text, &back, &again, &value) == MCO_OK && again == count);
    compare(nodes, back, count);
    mco_text_close(&text);
    mco_guillotine_nodes_free(ctx, &back);
    free(content);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mco_context *ctx = NULL;
    mco_guillotine *g = NULL;
    mco_guillotine_node *nodes = NULL;
    mco_text text;
    int64_t count, value;
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return 0;
    require(mco_guillotine_create(ctx, 30, 20, pieces, PIECES, &g) == MCO_OK);
    if (mco_text_from_memory(ctx, "input", data, size, &text) == MCO_OK) {
        mco_status st = guillotine_read_plan_text(ctx, g, &text, &nodes, &count, &value);
        require((st == MCO_OK) == (nodes != NULL));
        require(st == MCO_OK || mco_context_error(ctx)[0] != '\0');
        if (nodes != NULL) {
            require(count >= 1 && value >= -1);
            examine(nodes, count);
            write_and_read(ctx, g, nodes, count);
        }
        mco_text_close(&text);
    }
    mco_guillotine_nodes_free(ctx, &nodes);
    mco_guillotine_destroy(ctx, &g);
    mco_context_destroy(&ctx);
    return 0;
}
