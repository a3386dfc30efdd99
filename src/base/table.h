// SPDX-License-Identifier: MIT
// Tables of text. A header names the columns, in any order. A line for each row follows. The header shows whether
// commas, semicolons or tabs separate the cells.
#ifndef MCO_BASE_TABLE_H
#define MCO_BASE_TABLE_H

#include "base/text.h"

enum { MCO_TABLE_COLUMNS = 10 };

typedef struct mco_table {
    mco_text *text;
    const char *const *columns;         // names; borrowed
    char separator;
    int fields;                         // number of cells in a row
    int kinds[MCO_TABLE_COLUMNS];       // [fields] index of each field among `columns`
    mco_slice header;                   // the header line
    mco_slice places[MCO_TABLE_COLUMNS];  // place of each column in the header; data is NULL if the column is missing
} mco_table;

// Reads the header: the next line that is no comment (#). The text must have such a line. Each cell must be one of
// columns [count], and no column may appear twice. Errors: PARSE.
mco_status mco_table_open(mco_text *text, const char *const *columns, int count, mco_table *out);
bool mco_table_has(const mco_table *table, int column);
// Fails if the header lacks the column. Errors: PARSE.
mco_status mco_table_require(mco_table *table, int column);
// Number of rows in the rest of the text. *end becomes the text after them; the table's text stays where it is.
int64_t mco_table_count(const mco_table *table, mco_text *end);
// Splits a row into cells[column]. The row must have at least `least` fields; cells that it lacks are empty. Cells
// after the last column of the header must be empty. Errors: PARSE.
mco_status mco_table_cells(mco_table *table, mco_slice row, int least, mco_slice cells[MCO_TABLE_COLUMNS]);

#endif
