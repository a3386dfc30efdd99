// SPDX-License-Identifier: MIT
#include "base/names.h"

#include <string.h>

mco_status mco_name_table_new(mco_context *ctx, char *const *names, int64_t rows, mco_name_table *out)
{
    *out = (mco_name_table){.names = names, .slot_count = 2};
    while (out->slot_count <= 2 * (uint64_t)rows)
        out->slot_count *= 2;
    return mco_alloc(ctx, &out->slots, out->slot_count);
}

int32_t *mco_name_slot(const mco_name_table *table, const char *name, size_t size)
{
    // FNV-1a, its high bits folded into the low ones that choose a slot.
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)name[i]) * 0x100000001b3u;
    uint64_t slot = (hash ^ (hash >> 32)) & (table->slot_count - 1);
    for (; table->slots[slot] != 0; slot = (slot + 1) & (table->slot_count - 1)) {
        const char *other = table->names[table->slots[slot] - 1];
        if (strncmp(other, name, size) == 0 && other[size] == '\0')
            break;
    }
    return &table->slots[slot];
}

mco_status mco_names_reserve(mco_context *ctx, const mco_text *text, int64_t rows, mco_names *out)
{
    mco_status st = MCO_OK;
    const size_t pointers = (size_t)rows * sizeof *out->names;
    char *block = NULL;
    mco_names n = {0};
    // A name and its end are never longer than its cell and separator.
    MCO_TRY(mco_alloc(ctx, &block, pointers + (text->size - text->at) + 1));
    n.names = (char **)(void *)block;
    n.next = block + pointers;
    MCO_TRY(mco_alloc(ctx, &n.lines, rows));
    MCO_TRY(mco_name_table_new(ctx, n.names, rows, &n.table));
    *out = n;
done:
    if (st != MCO_OK)
        mco_names_clear(ctx, &n);
    return st;
}

mco_status mco_names_give(mco_names *names, mco_text *text, int64_t row, mco_slice cell)
{
    if (cell.size == 0)
        return MCO_OK;
    char *name = mco_slice_copy(cell, &names->next);
    int32_t *slot = mco_name_slot(&names->table, name, strlen(name));
    if (*slot != 0)
        return mco_text_fail(text, cell.line, cell.column, "the name \"%.*s\" stands in line %lld and in line %lld",
                             MCO_SHOWN, name, (long long)names->lines[*slot - 1], (long long)cell.line);
    *slot = (int32_t)row + 1;
    names->lines[row] = cell.line;
    names->names[row] = name;
    names->count++;
    return MCO_OK;
}

void mco_names_clear(mco_context *ctx, mco_names *names)
{
    mco_free(ctx, &names->table.slots);
    mco_free(ctx, &names->lines);
    mco_free(ctx, &names->names);
}
