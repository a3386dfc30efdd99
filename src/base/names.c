// SPDX-License-Identifier: MIT
#include "base/names.h"

#include <ctype.h>
#include <string.h>

#include "base/number.h"

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

// ---- Finding

static mco_status fill_table(mco_context *ctx, mco_name_finder *f)
{
    const mco_status st = mco_name_table_new(ctx, f->names, f->rows, &f->table);
    for (int32_t i = 0; st == MCO_OK && i < f->rows; i++)
        if (f->names[i] != NULL)
            *mco_name_slot(&f->table, f->names[i], strlen(f->names[i])) = i + 1;
    return st;
}

// The row, from 0, that has no name and is called by this number; -1 if there is none.
static int32_t unnamed_row(const mco_name_finder *f, const char *name, size_t size)
{
    int64_t number = 0;
    for (size_t i = 0; i < size && number <= f->rows; i++) {
        if (!isdigit((unsigned char)name[i]) || (i == 0 && name[i] == '0'))
            return -1;
        number = 10 * number + (name[i] - '0');
    }
    const bool is_row = number >= 1 && number <= f->rows;
    return is_row && (f->names == NULL || f->names[number - 1] == NULL) ? (int32_t)number - 1 : -1;
}

mco_status mco_names_look_up(mco_name_finder *f, mco_context *ctx, const char *name, size_t size, int32_t *row)
{
    mco_status st = MCO_OK;
    *row = -1;
    if (f->names != NULL && f->table.slots == NULL)
        MCO_TRY(fill_table(ctx, f));
    if (f->names != NULL)
        *row = *mco_name_slot(&f->table, name, size) - 1;
    if (*row < 0)
        *row = unnamed_row(f, name, size);
done:
    return st;
}

static mco_status find_name(mco_name_finder *f, mco_text *text, mco_slice place, const char *name, size_t size, int32_t *row)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_names_look_up(f, text->ctx, name, size, row));
    if (*row < 0)
        return mco_text_fail(text, place.line, place.column,
                             f->ids == MCO_IDS_NAMES || mco_slice_is_number((mco_slice){name, size, 0, 0})
                                 ? "%s is \"%.*s\", a name of the instance was expected"
                                 : "%s is \"%.*s\", a number from 1 to %d or a name of the instance was expected",
                             f->what, size < MCO_SHOWN ? (int)size : MCO_SHOWN, name, f->rows);
done:
    return st;
}

mco_status mco_names_find_cell(mco_name_finder *f, mco_text *text, mco_slice cell, int32_t *row)
{
    mco_status st = MCO_OK;
    char *name = NULL, *next;
    if (cell.size == 0 || memchr(cell.data, '"', cell.size) == NULL)
        return find_name(f, text, cell, cell.data, cell.size, row);
    MCO_TRY(mco_alloc(text->ctx, &name, cell.size + 1));
    next = name;
    mco_slice_copy(cell, &next);
    MCO_TRY(find_name(f, text, cell, name, strlen(name), row));
done:
    mco_free(text->ctx, &name);
    return st;
}

static mco_status find_quoted(mco_name_finder *f, mco_text *text, mco_slice token, int32_t *row)
{
    if (token.size < 2 || token.data[token.size - 1] != '"')
        return mco_text_fail(text, token.line, token.column, "the quote before %s is not closed", f->what);
    mco_slice inside = mco_slice_behind(token, 1);
    inside.size--;
    return mco_names_find_cell(f, text, inside, row);
}

// A number means a row here. If another row has it as its name, the reader may have meant that one.
static mco_status find_number(mco_name_finder *f, mco_text *text, mco_slice token, int32_t *row)
{
    mco_status st = MCO_OK;
    int64_t number;
    int32_t named = -1;
    if (f->ids == MCO_IDS_UNSTATED && f->names != NULL && !f->has_warned)
        MCO_TRY(mco_names_look_up(f, text->ctx, token.data, token.size, &named));
    if (mco_slice_integer(text, token, f->what, 1, f->rows, &number) != MCO_OK) {
        if (named < 0)
            return MCO_ERR_PARSE;
        return mco_text_fail(text, token.line, token.column,
                             "%s is %.*s, allowed is 1 to %d; numbers are rows: if %.*s is meant as a name, begin the file "
                             "with the line \"# ids: names\"", f->what, mco_slice_shown(token), token.data, f->rows,
                             mco_slice_shown(token), token.data);
    }
    *row = (int32_t)number - 1;
    if (named >= 0 && named != *row) {
        mco_log(text->ctx, MCO_LOG_WARNING,
                "%s:%lld:%lld: %.*s is read as the number of a row, and row %d has it as its name; begin the file with "
                "\"# ids: rows\" or \"# ids: names\" to say which is meant", text->name, (long long)token.line,
                (long long)token.column, mco_slice_shown(token), token.data, named + 1);
        f->has_warned = true;
    }
done:
    return st;
}

mco_status mco_names_find(mco_name_finder *f, mco_text *text, mco_slice token, int32_t *row)
{
    if (token.size > 0 && token.data[0] == '"')
        return find_quoted(f, text, token, row);
    if (f->ids != MCO_IDS_NAMES && (f->names == NULL || mco_slice_is_number(token)))
        return find_number(f, text, token, row);
    return find_name(f, text, token, token.data, token.size, row);
}

mco_status mco_names_read_comment(mco_name_finder *f, mco_text *text, mco_slice line)
{
    static const char *const words[] = {"names", "rows"};
    mco_slice word;
    int kind = 0;
    mco_slice_take(&line, '#');
    const mco_slice head = mco_slice_before(line, ':');
    if (!mco_slice_is(head, "ids"))
        return MCO_OK;
    mco_slice rest = mco_slice_trim(mco_slice_behind(line, head.size));
    if (!mco_slice_take(&rest, ':'))
        return MCO_OK;
    word = mco_slice_before(rest, ',');
    const mco_status st = mco_slice_find(text, word, "ids are", words, sizeof words / sizeof words[0], &kind);
    if (st == MCO_OK)
        f->ids = kind == 0 ? MCO_IDS_NAMES : MCO_IDS_ROWS;
    return st;
}

bool mco_names_take(mco_slice *rest, mco_slice *token)
{
    *rest = mco_slice_trim(*rest);
    if (rest->size == 0 || rest->data[0] != '"')
        return mco_slice_token(rest, token);
    size_t end = 1;
    while (end < rest->size && (rest->data[end] != '"' || (end + 1 < rest->size && rest->data[end + 1] == '"')))
        end += rest->data[end] == '"' ? 2 : 1;
    *token = *rest;
    token->size = end < rest->size ? end + 1 : rest->size;
    *rest = mco_slice_behind(*rest, token->size);
    return true;
}

void mco_name_write(const char *name, FILE *file)
{
    bool is_plain = name[0] != '\0' && name[0] != '#';
    for (const char *c = name; *c != '\0' && is_plain; c++)
        is_plain = *c != '"' && !isspace((unsigned char)*c);
    if (is_plain)
        fputs(name, file);
    else
        mco_write_quoted(name, file);
}

// ---- Collecting

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

mco_status mco_names_test(const mco_names *names, mco_text *text, int64_t rows)
{
    const mco_name_finder f = {.names = names->names, .rows = (int32_t)rows};
    for (int64_t i = 0; names->count > 0 && names->count < rows && i < rows; i++) {
        const char *name = names->names[i];
        const int32_t other = name != NULL ? unnamed_row(&f, name, strlen(name)) : -1;
        if (other >= 0)
            return mco_text_fail(text, names->lines[i], 1,
                                 "the name \"%.*s\" is the number of another row, which has no name and is called by it; "
                                 "give that row a name", MCO_SHOWN, name);
    }
    return MCO_OK;
}

void mco_names_clear(mco_context *ctx, mco_names *names)
{
    mco_free(ctx, &names->table.slots);
    mco_free(ctx, &names->lines);
    mco_free(ctx, &names->names);
}
