// SPDX-License-Identifier: MIT
// Tables of others: a header that names columns, some of which a reader knows, in any order and case; and a row for each thing.
#ifndef MCO_TRAFFIC_COLUMNS_H
#define MCO_TRAFFIC_COLUMNS_H

#include "base/text.h"

enum { TRAFFIC_COLUMNS = 40, TRAFFIC_FIELDS = 512 };  // columns that a reader knows; fields of a header that are looked at

// Columns of flows of links, and the words by which the first line of TNTP flows is known to be names.
#define TRAFFIC_TAIL_NAMES "from_node_id|from|tail|init_node|init|a"
#define TRAFFIC_HEAD_NAMES "to_node_id|to|head|term_node|term|b"
#define TRAFFIC_FLOW_NAMES "volume|flow"

typedef struct traffic_columns {
    mco_text *text;
    const char *const *names;     // borrowed
    char separator;
    int fields;                   // of the header
    int count, ignored;           // columns that the reader knows; fields of the header that it does not
    int16_t kind[TRAFFIC_FIELDS]; // column of a field, -1: none
    bool has[TRAFFIC_COLUMNS];
} traffic_columns;

// Whether a cell is one of names, "from|from_node_id".
bool traffic_is_name(mco_slice cell, const char *names);
// Takes a line as the header. names [count]: the first of two fields with one name counts. Errors: none.
void traffic_columns_take(mco_text *text, mco_slice header, const char *const *names, int count, traffic_columns *out);
// Reads the header: the next line that is no comment. Errors: PARSE (no header).
mco_status traffic_columns_open(mco_text *text, const char *const *names, int count, traffic_columns *out);
// Fails where the header lacks a column. Errors: PARSE.
mco_status traffic_columns_require(const traffic_columns *columns, int column);
// The next row that is no comment; false at the end of the text.
bool traffic_columns_row(const traffic_columns *columns, mco_slice *row);
// Splits a row into cells [TRAFFIC_COLUMNS]; a cell that is missing is empty and has the place of the row. Errors: PARSE (more fields
// than the header has).
mco_status traffic_columns_cells(const traffic_columns *columns, mco_slice row, mco_slice cells[TRAFFIC_COLUMNS]);
// Rows of the rest of the text, comments included; the text stays where it is.
int64_t traffic_columns_count(const traffic_columns *columns);
// Whether the cell is empty or says that there is no value: "nan", "null", "none", "na".
bool traffic_is_missing(mco_slice cell);
// Reads a number; `fallback` where there is none. Errors: PARSE.
mco_status traffic_columns_real(const traffic_columns *columns, mco_slice cell, const char *what, double low, double high, double fallback,
                                double *out);
// The next token of a TNTP row of flows: published ones stand between blanks, colons, commas and semicolons. False: there is none.
bool traffic_next_token(mco_slice *rest, mco_slice *token);

#endif
