// SPDX-License-Identifier: MIT
// Names of the rows of a table, each given once, and rows by name: a hash table with open addressing.
#ifndef MCO_BASE_NAMES_H
#define MCO_BASE_NAMES_H

#include "base/text.h"

typedef struct mco_name_table {
    char *const *names;   // [rows] NULL where a row has none; borrowed
    int32_t *slots;       // [slot_count] row + 1, 0 where empty
    uint64_t slot_count;  // a power of two, more than twice the rows
} mco_name_table;

// An empty table over names [rows]. Errors: MEMORY. The caller releases the slots.
mco_status mco_name_table_new(mco_context *ctx, char *const *names, int64_t rows, mco_name_table *out);
// The slot of the row in the table that has this name, else the empty slot where it belongs.
int32_t *mco_name_slot(const mco_name_table *table, const char *name, size_t size);

// What finds a row by a token of another text: by its number from 1, or by its name where there are names.
typedef struct mco_name_finder {
    const char *what;     // the row in messages: "the customer"
    char *const *names;   // [rows], NULL where rows are numbers; borrowed
    int32_t rows;
    mco_name_table table; // without slots until a name is looked up; the caller releases them
} mco_name_finder;

// What consists of digits is a number, whatever names there are: files of ours hold numbers. *row from 0. Errors: PARSE,
// MEMORY.
mco_status mco_names_find(mco_name_finder *finder, mco_text *text, mco_slice token, int32_t *row);

// The names of a text while its rows are read.
typedef struct mco_names {
    char **names;  // [rows] one block with the characters behind it; whoever takes it sets NULL here
    char *next;
    int64_t count;
    int64_t *lines;  // [rows] of the text
    mco_name_table table;
} mco_names;

// Room for all names in the rest of the text. Errors: MEMORY.
mco_status mco_names_reserve(mco_context *ctx, const mco_text *text, int64_t rows, mco_names *out);
// Names a row by a cell of its line, if that is not empty. Errors: PARSE (another row has this name).
mco_status mco_names_give(mco_names *names, mco_text *text, int64_t row, mco_slice cell);
// Releases all that has not been taken.
void mco_names_clear(mco_context *ctx, mco_names *names);

#endif
