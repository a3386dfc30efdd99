// SPDX-License-Identifier: MIT
#include "base/names.h"

#include <ctype.h>
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
    // Hash FNV-1a. Its high bits are folded into the low ones, which choose the slot.
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

static bool is_number(mco_slice token)
{
    size_t i = token.size > 0 && (token.data[0] == '-' || token.data[0] == '+');
    while (i < token.size && isdigit((unsigned char)token.data[i]))
        i++;
    return i == token.size;
}

static mco_status fill_table(mco_context *ctx, mco_name_finder *f)
{
    const mco_status st = mco_name_table_new(ctx, f->names, f->rows, &f->table);
    for (int32_t i = 0; st == MCO_OK && i < f->rows; i++)
        if (f->names[i] != NULL)
            *mco_name_slot(&f->table, f->names[i], strlen(f->names[i])) = i + 1;
    return st;
}

mco_status mco_names_find(mco_name_finder *f, mco_text *text, mco_slice token, int32_t *row)
{
    mco_status st = MCO_OK;
    int64_t number;
    if (f->names == NULL || is_number(token)) {
        MCO_TRY(mco_slice_integer(text, token, f->what, 1, f->rows, &number));
        *row = (int32_t)number - 1;
        return MCO_OK;
    }
    if (f->table.slots == NULL)
        MCO_TRY(fill_table(text->ctx, f));
    *row = *mco_name_slot(&f->table, token.data, token.size) - 1;
    if (*row < 0)
        return mco_text_fail(text, token.line, token.column,
                             "%s is \"%.*s\", a number from 1 to %d or a name of the instance was expected", f->what,
                             mco_slice_shown(token), token.data, f->rows);
done:
    return st;
}

mco_status mco_names_reserve(mco_context *ctx, const mco_text *text, int64_t rows, mco_names *out)
{
    mco_status st = MCO_OK;
    const size_t pointers = (size_t)rows * sizeof *out->names;
    char *block = NULL;
    mco_names n = {0};
    // A name with its NUL is never longer than its cell with the separator.
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
