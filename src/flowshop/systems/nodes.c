// SPDX-License-Identifier: MIT
#include "flowshop/systems/nodes.h"

// A block has about 16 KiB, so that nearly empty lists take little memory, and at least 4 rows.
static const int32_t BLOCK_BYTES = 16384;
static const int32_t LEAST_ROWS = 4;

typedef struct flowshop_pool_block {
    struct flowshop_pool_block *next;
    int32_t rows;
    _Alignas(16) unsigned char bytes[];
} block;

mco_status flowshop_pool_nodes_create(mco_context *ctx, int32_t jobs, int64_t least, int64_t upper,
                                      flowshop_pool_nodes *out)
{
    mco_status st = MCO_OK;
    flowshop_pool_nodes nodes = {
        .ctx = ctx, .jobs = jobs, .row_bytes = flowshop_row_bytes(jobs), .least = least, .deepest = -1};
    nodes.range = upper > least ? upper - least : 1;
    nodes.block_rows = BLOCK_BYTES / nodes.row_bytes > LEAST_ROWS ? BLOCK_BYTES / nodes.row_bytes : LEAST_ROWS;
    MCO_TRY(mco_alloc(ctx, &nodes.filled, jobs));
    MCO_TRY(mco_alloc(ctx, &nodes.lists, (int64_t)jobs * FLOWSHOP_POOL_CLASSES));
    *out = nodes;
done:
    if (st != MCO_OK)
        flowshop_pool_nodes_destroy(&nodes);
    return st;
}

static void free_list(mco_context *ctx, block **list)
{
    while (*list != NULL) {
        block *first = *list;
        *list = first->next;
        mco_free(ctx, &first);
    }
}

void flowshop_pool_nodes_destroy(flowshop_pool_nodes *nodes)
{
    for (int64_t i = 0; i < (int64_t)nodes->jobs * FLOWSHOP_POOL_CLASSES && nodes->lists != NULL; i++)
        free_list(nodes->ctx, &nodes->lists[i]);
    if (nodes->ctx == NULL)
        return;
    free_list(nodes->ctx, &nodes->spare);
    mco_free(nodes->ctx, &nodes->lists);
    mco_free(nodes->ctx, &nodes->filled);
}

static mco_status add_block(flowshop_pool_nodes *nodes, block **list)
{
    mco_status st = MCO_OK;
    unsigned char *memory = NULL;
    block *fresh = nodes->spare;
    if (fresh != NULL)
        nodes->spare = fresh->next;
    else {
        MCO_TRY(mco_alloc(nodes->ctx, &memory, sizeof(block) + (size_t)nodes->block_rows * (size_t)nodes->row_bytes));
        fresh = (block *)(void *)memory;
    }
    fresh->rows = 0;
    fresh->next = *list;
    *list = fresh;
done:
    return st;
}

mco_status flowshop_pool_nodes_add(flowshop_pool_nodes *nodes, int32_t depth, int64_t bound, flowshop_row **out)
{
    mco_status st = MCO_OK;
    const int64_t above = (bound - nodes->least) * FLOWSHOP_POOL_CLASSES / nodes->range;
    const int32_t class = above < 0 ? 0 : above < FLOWSHOP_POOL_CLASSES ? (int32_t)above : FLOWSHOP_POOL_CLASSES - 1;
    block **list = &nodes->lists[depth * FLOWSHOP_POOL_CLASSES + class];
    if (*list == NULL || (*list)->rows == nodes->block_rows)
        MCO_TRY(add_block(nodes, list));
    *out = (flowshop_row *)(void *)((*list)->bytes + (int64_t)(*list)->rows++ * nodes->row_bytes);
    nodes->filled[depth] |= (uint32_t)1 << class;
    nodes->deepest = depth > nodes->deepest ? depth : nodes->deepest;
    nodes->count++;
done:
    return st;
}

int32_t flowshop_pool_nodes_depth(flowshop_pool_nodes *nodes)
{
    while (nodes->deepest >= 0 && nodes->filled[nodes->deepest] == 0)
        nodes->deepest--;
    return nodes->deepest;
}

const flowshop_row *flowshop_pool_nodes_take(flowshop_pool_nodes *nodes)
{
    const int32_t depth = flowshop_pool_nodes_depth(nodes);
    if (depth < 0)
        return NULL;
    const int32_t class = __builtin_ctz(nodes->filled[depth]);
    block **list = &nodes->lists[depth * FLOWSHOP_POOL_CLASSES + class], *first = *list;
    const flowshop_row *row =
        (const flowshop_row *)(const void *)(first->bytes + (int64_t)--first->rows * nodes->row_bytes);
    if (first->rows == 0) {
        *list = first->next;
        first->next = nodes->spare;
        nodes->spare = first;
    }
    if (*list == NULL)
        nodes->filled[depth] &= ~((uint32_t)1 << class);
    nodes->count--;
    return row;
}
