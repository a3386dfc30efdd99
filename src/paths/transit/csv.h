// SPDX-License-Identifier: MIT
// Tables of GTFS, row by row: a header names the columns, in any order; columns that nobody asks for are not read. Cells may stand
// in double quotes and between blanks.
#ifndef MCO_PATHS_TRANSIT_CSV_H
#define MCO_PATHS_TRANSIT_CSV_H

#include "base/text.h"

enum { CSV_MAX_COLUMNS = 12 };  // that one reader asks for

typedef struct csv_column {
    const char *name;
    bool is_needed;  // a table without it is refused
} csv_column;

typedef struct csv_table {
    mco_text text;             // owned
    const csv_column *column;  // [columns] borrowed, in the order of the reader
    int columns;
    int place[CSV_MAX_COLUMNS];       // in the file; -1: the file has no such column
    int width;                        // cells of the header
    mco_slice cell[CSV_MAX_COLUMNS];  // of the row that was read last; empty where there is none
    mco_slice row;
    int64_t rows;
} csv_table;

// Reads the header of a text, which the table owns from now on, whatever is returned. Errors: PARSE (no header, a column that is
// missing or there twice).
mco_status csv_begin(mco_text text, const csv_column *columns, int count, csv_table *out);
// Reads the next row that is not blank; *is_there false: there is none. Doubled quotes have become single ones. Errors: PARSE (more
// cells than the header, a quote that is not closed), STOPPED.
mco_status csv_next(csv_table *table, bool *is_there);
// Most rows that the rest of the text may have.
int64_t csv_most_rows(const csv_table *table);
void csv_end(csv_table *table);

// Each reads a cell of the row. Errors: PARSE with the place, the name of the column and the value.
mco_status csv_text(csv_table *table, int column, mco_slice *out);  // not empty
mco_status csv_integer(csv_table *table, int column, int64_t low, int64_t high, int64_t *out);
// The same, and `value` for an empty cell.
mco_status csv_integer_or(csv_table *table, int column, int64_t low, int64_t high, int64_t value, int64_t *out);
mco_status csv_real(csv_table *table, int column, double low, double high, double *out);
mco_status csv_date(csv_table *table, int column, int32_t *out);  // YYYYMMDD, a day that exists
// Seconds of H:MM:SS since the midnight of the day of service, up to CSV_MAX_SECONDS; -1 for an empty cell.
#define CSV_MAX_SECONDS 864000  // ten days
mco_status csv_time(csv_table *table, int column, int32_t *out);

#endif
