// SPDX-License-Identifier: MIT
// Names of the rows of a table, each used once, and the search of rows by name in a hash table with open addressing.
#ifndef MCO_BASE_NAMES_H
#define MCO_BASE_NAMES_H

#include <stdio.h>

#include "base/text.h"

typedef struct mco_name_table {
    char *const *names;   // [rows] NULL for a row without a name; borrowed
    int32_t *slots;       // [slot_count] row + 1, or 0 if empty
    uint64_t slot_count;  // a power of two, more than twice the rows
} mco_name_table;

// Makes an empty table over names [rows]. The caller releases the slots. Errors: MEMORY.
mco_status mco_name_table_new(mco_context *ctx, char *const *names, int64_t rows, mco_name_table *out);
// The slot of the row with this name; else the empty slot where the name belongs.
int32_t *mco_name_slot(const mco_name_table *table, const char *name, size_t size);

// What tokens without quotes mean in a file. A file says so by "ids: rows" or "ids: names" behind #.
typedef enum mco_ids {
    MCO_IDS_UNSTATED,  // as ROWS
    MCO_IDS_ROWS,      // digits are the number of a row, other tokens are names
    MCO_IDS_NAMES      // all are names; a row without a name is called by its number
} mco_ids;

// Finds a row by a token of another text: by its number from 1, or by its name if there are names. Zero before it is
// used, except for the first three members.
typedef struct mco_name_finder {
    const char *what;     // what messages call the row: "the customer"
    char *const *names;   // [rows]; NULL if rows have numbers only; borrowed
    int32_t rows;
    mco_ids ids;
    mco_name_table table; // has no slots until a name is looked up; the caller releases them
    bool has_warned;
} mco_name_finder;

// Finds the row of a token; *row counts from 0. A token in double quotes is a name; others are what `ids` says. Warns
// once if a number is also the name of another row, and the file does not say which is meant. Errors: PARSE, MEMORY.
mco_status mco_names_find(mco_name_finder *finder, mco_text *text, mco_slice token, int32_t *row);
// The same for the cell of a table that holds a name.
mco_status mco_names_find_cell(mco_name_finder *finder, mco_text *text, mco_slice cell, int32_t *row);
// The row of a name, from 0; -1 if no row is called so. Quotes are part of the name. Errors: MEMORY.
mco_status mco_names_look_up(mco_name_finder *finder, mco_context *ctx, const char *name, size_t size, int32_t *row);
// Reads what a comment states about ids, "# ids: names", into finder->ids; other comments say nothing. Errors: PARSE.
mco_status mco_names_read_comment(mco_name_finder *finder, mco_text *text, mco_slice line);
// Takes the next token off *rest: a word between blanks, or a name with its double quotes. False at the end of *rest.
bool mco_names_take(mco_slice *rest, mco_slice *token);
// Writes a name as one token of a line: in double quotes if it has a blank or a quote, or begins with '#'.
void mco_name_write(const char *name, FILE *file);

// Collects the names of a text while its rows are read.
typedef struct mco_names {
    char **names;  // [rows] one block, with the characters behind the pointers; who takes it sets this to NULL
    char *next;    // where the characters of the next name go
    int64_t count;
    int64_t *lines;  // [rows] line of each row's name in the text
    mco_name_table table;
} mco_names;

// Makes room for all names in the rest of the text. Errors: MEMORY.
mco_status mco_names_reserve(mco_context *ctx, const mco_text *text, int64_t rows, mco_names *out);
// Gives a row the name in a cell of its line, unless the cell is empty. Errors: PARSE (another row has this name).
mco_status mco_names_give(mco_names *names, mco_text *text, int64_t row, mco_slice cell);
// Tests all names when every row is read: no name may be the number of a row without a name, which is called by that
// number. Errors: PARSE.
mco_status mco_names_test(const mco_names *names, mco_text *text, int64_t rows);
// Releases everything that nobody has taken.
void mco_names_clear(mco_context *ctx, mco_names *names);

#endif
