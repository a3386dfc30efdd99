// SPDX-License-Identifier: MIT
#include "traffic/files/columns.h"

#include <string.h>
#include <strings.h>

bool traffic_is_name(mco_slice cell, const char *names)
{
    for (const char *begin = names;;) {
        const size_t size = strcspn(begin, "|");
        if (size == cell.size && size > 0 && strncasecmp(cell.data, begin, size) == 0)
            return true;
        if (begin[size] == '\0')
            return false;
        begin += size + 1;
    }
}

static int find_column(const traffic_columns *c, mco_slice cell)
{
    for (int k = 0; k < c->count; k++)
        if (!c->has[k] && traffic_is_name(cell, c->names[k]))
            return k;
    return -1;
}

void traffic_columns_take(mco_text *text, mco_slice header, const char *const *names, int count, traffic_columns *out)
{
    traffic_columns c = {.text = text, .names = names, .count = count, .separator = mco_slice_separator(header)};
    mco_slice cell;
    for (; mco_slice_field(&header, c.separator, &cell); c.fields++) {
        const int column = find_column(&c, cell);
        if (c.fields < TRAFFIC_FIELDS)
            c.kind[c.fields] = (int16_t)column;
        if (column >= 0 && c.fields < TRAFFIC_FIELDS)
            c.has[column] = true;
        c.ignored += column < 0;
    }
    *out = c;
}

mco_status traffic_columns_open(mco_text *text, const char *const *names, int count, traffic_columns *out)
{
    mco_slice line;
    do
        if (!mco_text_row(text, ',', &line))
            return mco_text_fail_here(text, "the table has no header");
    while (mco_slice_trim(line).data[0] == '#');
    traffic_columns_take(text, mco_slice_trim(line), names, count, out);
    return MCO_OK;
}

mco_status traffic_columns_require(const traffic_columns *c, int column)
{
    if (c->has[column])
        return MCO_OK;
    const int size = (int)strcspn(c->names[column], "|");
    return mco_text_fail(c->text, c->text->line > 1 ? c->text->line - 1 : 1, 1, "the header has no column \"%.*s\"", size, c->names[column]);
}

bool traffic_columns_row(const traffic_columns *c, mco_slice *row)
{
    while (mco_text_row(c->text, c->separator, row))
        if (mco_slice_trim(*row).data[0] != '#')
            return true;
    return false;
}

mco_status traffic_columns_cells(const traffic_columns *c, mco_slice row, mco_slice cells[TRAFFIC_COLUMNS])
{
    mco_slice cell;
    for (int k = 0; k < c->count; k++)
        cells[k] = (mco_slice){row.data, 0, row.line, row.column};
    for (int field = 0; mco_slice_field(&row, c->separator, &cell); field++) {
        if (field >= c->fields && cell.size > 0)
            return mco_text_fail(c->text, cell.line, cell.column, "the row has more than the %d cells of the header", c->fields);
        if (field < c->fields && field < TRAFFIC_FIELDS && c->kind[field] >= 0)
            cells[c->kind[field]] = cell;
    }
    return MCO_OK;
}

int64_t traffic_columns_count(const traffic_columns *c)
{
    mco_text ahead = *c->text;
    mco_slice row;
    int64_t rows = 0;
    while (mco_text_row(&ahead, c->separator, &row))
        rows++;
    return rows;
}

bool traffic_is_missing(mco_slice cell)
{
    return cell.size == 0 || traffic_is_name(cell, "nan|null|none|na");
}

mco_status traffic_columns_real(const traffic_columns *c, mco_slice cell, const char *what, double low, double high, double fallback,
                                double *out)
{
    *out = fallback;
    return traffic_is_missing(cell) ? MCO_OK : mco_slice_real_in(c->text, cell, what, c->separator, low, high, out);
}

bool traffic_next_token(mco_slice *rest, mco_slice *token)
{
    static const char blanks[] = " \t\r\f\v:;,";
    while (rest->size > 0 && strchr(blanks, rest->data[0]) != NULL)
        *rest = mco_slice_behind(*rest, 1);
    *token = *rest;
    token->size = 0;
    while (token->size < rest->size && strchr(blanks, rest->data[token->size]) == NULL)
        token->size++;
    *rest = mco_slice_behind(*rest, token->size);
    return token->size > 0;
}
