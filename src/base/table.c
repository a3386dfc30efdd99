// SPDX-License-Identifier: MIT
#include "base/table.h"

#include <string.h>

mco_status mco_table_open(mco_text *text, const char *const *columns, int count, mco_table *out)
{
    mco_status st = MCO_OK;
    mco_table t = {.text = text, .columns = columns};
    mco_slice cell;
    while (mco_text_skip_blank(text) && mco_text_line(text, &t.header) && t.header.data[0] == '#')
        continue;  // skip comments before the header
    t.separator = mco_slice_separator(t.header);
    mco_slice rest = t.header;
    while (rest.data != NULL && !mco_slice_is_blank(rest, t.separator)) {
        int kind;
        mco_slice_field(&rest, t.separator, &cell);
        MCO_TRY(mco_slice_find(text, cell, "the column is", columns, count, &kind));
        if (mco_table_has(&t, kind))
            MCO_TRY(mco_text_fail(text, cell.line, cell.column, "the column \"%s\" a second time, first at %lld:%lld",
                                  columns[kind], (long long)t.header.line, (long long)t.places[kind].column));
        t.places[kind] = cell;
        t.kinds[t.fields++] = kind;
    }
    *out = t;
done:
    return st;
}

bool mco_table_has(const mco_table *table, int column)
{
    return table->places[column].data != NULL;
}

mco_status mco_table_require(mco_table *t, int column)
{
    if (mco_table_has(t, column))
        return MCO_OK;
    return mco_text_fail(t->text, t->header.line, t->header.column, "the header has no column \"%s\"", t->columns[column]);
}

int64_t mco_table_count(const mco_table *table, mco_text *end)
{
    mco_slice row;
    int64_t rows = 0;
    *end = *table->text;
    while (mco_text_row(end, table->separator, &row))
        rows++;
    return rows;
}

mco_status mco_table_cells(mco_table *t, mco_slice row, int least, mco_slice cells[MCO_TABLE_COLUMNS])
{
    mco_slice rest = row, cell;
    memset(cells, 0, MCO_TABLE_COLUMNS * sizeof *cells);
    for (int i = 0; i < t->fields; i++)
        if (!mco_slice_field(&rest, t->separator, &cells[t->kinds[i]]) && i < least)
            return mco_text_fail(t->text, row.line, row.column, "the row has %d cells, %d were expected", i, t->fields);
    while (mco_slice_field(&rest, t->separator, &cell))
        if (cell.size > 0)
            return mco_text_fail(t->text, cell.line, cell.column, "the row has more than %d cells", t->fields);
    return MCO_OK;
}
