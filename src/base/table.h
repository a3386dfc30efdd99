// SPDX-License-Identifier: MIT
// Tables of text: a header that names the columns, in any order, and a line for each row. The header tells whether cells are
// separated by commas, semicolons or tabs.
#ifndef MCO_BASE_TABLE_H
#define MCO_BASE_TABLE_H

#include "base/text.h"

enum { MCO_TABLE_COLUMNS = 8 };

typedef struct mco_table {
    mco_text *text;
    const char *const *columns;         // names; borrowed
    char separator;
    int fields;                         // of a row
    int kinds[MCO_TABLE_COLUMNS];       // [fields] index among the columns
    mco_slice header;                   // the line
    mco_slice places[MCO_TABLE_COLUMNS];  // of each column in it; data NULL where it is missing
} mco_table;

// Reads the header, the next line that is no comment (#): each cell one of the columns [count], none of them twice. The text
// has such a line. Errors: PARSE.
mco_status mco_table_open(mco_text *text, const char *const *columns, int count, mco_table *out);
bool mco_table_has(const mco_table *table, int column);
// Fails where the header lacks the column. Errors: PARSE.
mco_status mco_table_require(mco_table *table, int column);
// Rows of the rest of the text. *end is behind it.
int64_t mco_table_count(const mco_table *table, mco_text *end);
// Splits a row: cells[column], at least the first `least` of its fields; others are empty, as are all behind the last field.
// Errors: PARSE.
mco_status mco_table_cells(mco_table *table, mco_slice row, int least, mco_slice cells[MCO_TABLE_COLUMNS]);

#endif
