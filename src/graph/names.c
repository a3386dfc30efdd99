// SPDX-License-Identifier: MIT
#include "graph/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/grow.h"

enum { FIRST_SLOTS = 64, INDEX_BITS = 32, NUMBER_ROOM = 16 };

static const uint64_t INDEX_MASK = UINT32_MAX;

static uint64_t hash_of(const char *name)
{
    // FNV-1a. Its high bits are folded into the low ones, which choose the slot.
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
    return hash ^ (hash >> INDEX_BITS);
}

const char *graph_names_get(const graph_names *names, int32_t index)
{
    return names->chars + names->at[index];
}

// The slot of this name, or the empty slot where it belongs.
static uint64_t *find_slot(const graph_names *n, const char *name, uint64_t hash)
{
    uint64_t slot = hash & (n->slot_count - 1);
    for (; n->slots[slot] != 0; slot = (slot + 1) & (n->slot_count - 1)) {
        const uint64_t entry = n->slots[slot];
        if (((entry ^ hash) & ~INDEX_MASK) == 0 && strcmp(graph_names_get(n, (int32_t)((entry & INDEX_MASK) - 1)), name) == 0)
            break;
    }
    return &n->slots[slot];
}

static mco_status grow_slots(mco_context *ctx, graph_names *n)
{
    mco_status st = MCO_OK;
    uint64_t *old = n->slots;
    const uint64_t old_count = n->slot_count;
    if (2 * ((uint64_t)n->count + 1) <= old_count)
        return MCO_OK;
    uint64_t *slots = NULL;
    const uint64_t count = old_count == 0 ? FIRST_SLOTS : 2 * old_count;
    MCO_TRY(mco_alloc(ctx, &slots, count));
    n->slots = slots;
    n->slot_count = count;
    for (int32_t k = 0; k < n->count; k++) {
        const uint64_t hash = hash_of(graph_names_get(n, k));
        *find_slot(n, graph_names_get(n, k), hash) = (hash & ~INDEX_MASK) | ((uint64_t)k + 1);
    }
    mco_free(ctx, &old);
done:
    return st;
}

mco_status graph_names_add(mco_context *ctx, graph_names *n, mco_slice name, bool is_cell, int32_t *index)
{
    mco_status st = MCO_OK;
    MCO_TRY(grow_slots(ctx, n));
    MCO_TRY(mco_grow(ctx, &n->chars, &n->chars_room, n->used + (int64_t)name.size + 1));
    MCO_TRY(mco_grow(ctx, &n->at, &n->at_room, (int64_t)n->count + 1));
    char *text = n->chars + n->used, *end = text;
    if (is_cell && memchr(name.data, '"', name.size) != NULL) {
        mco_slice_copy(name, &end);
    } else {
        memcpy(text, name.data, name.size);
        end = text + name.size;
        *end++ = '\0';
    }
    const uint64_t hash = hash_of(text);
    uint64_t *slot = find_slot(n, text, hash);
    if (*slot == 0) {
        n->at[n->count++] = n->used;
        n->used += end - text;
        *slot = (hash & ~INDEX_MASK) | (uint64_t)n->count;
    }
    *index = (int32_t)((*slot & INDEX_MASK) - 1);
done:
    return st;
}

// Whether every vertex is called by its number, from `base` on.
static bool are_numbers(const graph_names *n, const int32_t *order, int32_t base)
{
    char number[NUMBER_ROOM];
    for (int32_t v = 0; v < n->count; v++) {
        snprintf(number, sizeof number, "%" PRId64, (int64_t)v + base);
        if (strcmp(graph_names_get(n, order != NULL ? order[v] : v), number) != 0)
            return false;
    }
    return n->count > 0;
}

mco_status graph_names_block(mco_context *ctx, const graph_names *n, const int32_t *order, char ***out, int32_t *base)
{
    char *block = NULL;
    for (int32_t b = 0; b <= 1; b++)
        if (are_numbers(n, order, b)) {
            *base = b;
            return MCO_OK;
        }
    *base = 1;
    if (n->count == 0)
        return MCO_OK;
    const size_t pointers = (size_t)n->count * sizeof(char *);
    const mco_status st = mco_alloc(ctx, &block, pointers + (size_t)n->used);
    if (st != MCO_OK)
        return st;
    char **names = (char **)(void *)block, *chars = block + pointers;
    memcpy(chars, n->chars, (size_t)n->used);
    for (int32_t v = 0; v < n->count; v++)
        names[v] = chars + n->at[order != NULL ? order[v] : v];
    *out = names;
    return MCO_OK;
}

mco_status graph_numbers_block(mco_context *ctx, const int32_t *numbers, int32_t count, char ***out, int32_t *base)
{
    int32_t dense = 0;
    *base = count > 0 && numbers[0] == 0 ? 0 : 1;
    while (dense < count && numbers[dense] == dense + *base)
        dense++;
    if (dense == count)
        return MCO_OK;
    *base = 1;
    char *block = NULL, number[NUMBER_ROOM];
    size_t used = (size_t)count * sizeof(char *), bytes = used;
    for (int32_t v = 0; v < count; v++)
        bytes += (size_t)snprintf(number, sizeof number, "%d", numbers[v]) + 1;
    const mco_status st = mco_alloc(ctx, &block, bytes);
    if (st != MCO_OK)
        return st;
    char **names = (char **)(void *)block;
    for (int32_t v = 0; v < count; v++) {
        names[v] = block + used;
        used += (size_t)snprintf(block + used, bytes - used, "%d", numbers[v]) + 1;
    }
    *out = names;
    return MCO_OK;
}

void graph_names_clear(mco_context *ctx, graph_names *names)
{
    mco_free(ctx, &names->chars);
    mco_free(ctx, &names->at);
    mco_free(ctx, &names->slots);
    *names = (graph_names){0};
}
