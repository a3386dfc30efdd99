// SPDX-License-Identifier: MIT
// TSPLIB (Reinelt 1991, 1995) and its extension VRPLIB. A file has lines "KEYWORD : value" and sections of numbers, in
// any order.
//
// The text is read in two passes. tsplib_scan() reads the values and finds where each section lies. Then the sections
// are read; DIMENSION and the other values are known by then, wherever they stand. A table of the problem says which
// keywords it takes and what may follow them. Messages give the place, the value seen and the value expected.
#ifndef MCO_ROUTING_TSPLIB_H
#define MCO_ROUTING_TSPLIB_H

#include <stdio.h>

#include "base/text.h"

typedef enum tsplib_keyword {
    TSPLIB_NAME,
    TSPLIB_COMMENT,
    TSPLIB_TYPE,
    TSPLIB_DIMENSION,
    TSPLIB_CAPACITY,
    TSPLIB_DISTANCE,
    TSPLIB_SERVICE_TIME,
    TSPLIB_VEHICLES,
    TSPLIB_EDGE_WEIGHT_TYPE,
    TSPLIB_EDGE_WEIGHT_FORMAT,
    TSPLIB_NODE_COORD_TYPE,
    TSPLIB_DISPLAY_DATA_TYPE,
    TSPLIB_NODE_COORD_SECTION,
    TSPLIB_DEMAND_SECTION,
    TSPLIB_DEPOT_SECTION,
    TSPLIB_EDGE_WEIGHT_SECTION,
    TSPLIB_SERVICE_TIME_SECTION,
    TSPLIB_DISPLAY_DATA_SECTION,
    TSPLIB_EOF,
    TSPLIB_KEYWORDS
} tsplib_keyword;

extern const char *const tsplib_names[TSPLIB_KEYWORDS];  // "NAME", ...

// What may follow a keyword.
typedef enum tsplib_kind {
    TSPLIB_REFUSED,  // the problem does not take the keyword
    TSPLIB_TEXT,     // anything
    TSPLIB_WORD,     // one of `words`
    TSPLIB_WHOLE,    // an integer from `low` to `high`
    TSPLIB_REAL,     // a number from `low` to `high`
    TSPLIB_SECTION   // nothing on its line; the rows are on the next lines
} tsplib_kind;

typedef struct tsplib_entry {
    tsplib_kind kind;
    double low, high;
    const char *const *words;  // [count]
    int count;
    mco_status (*refuse)(mco_text *text, mco_slice value);  // refuses some words with a better message; may be NULL
} tsplib_entry;

enum { TSPLIB_FORMATS = 9 };
extern const char *const tsplib_formats[TSPLIB_FORMATS];  // "FULL_MATRIX", ...

// Entries that are the same for every problem. A problem adds at least TYPE, DIMENSION and EDGE_WEIGHT_TYPE. The last
// word of EDGE_WEIGHT_TYPE may be EXPLICIT, a matrix.
#define TSPLIB_COMMON_ENTRIES                                                                                      \
    [TSPLIB_NAME] = {.kind = TSPLIB_TEXT}, [TSPLIB_COMMENT] = {.kind = TSPLIB_TEXT},                                \
    [TSPLIB_EDGE_WEIGHT_FORMAT] = {.kind = TSPLIB_WORD, .words = tsplib_formats, .count = TSPLIB_FORMATS},          \
    [TSPLIB_DISPLAY_DATA_TYPE] = {.kind = TSPLIB_TEXT}, [TSPLIB_NODE_COORD_SECTION] = {.kind = TSPLIB_SECTION},     \
    [TSPLIB_EDGE_WEIGHT_SECTION] = {.kind = TSPLIB_SECTION},                                                        \
    [TSPLIB_DISPLAY_DATA_SECTION] = {.kind = TSPLIB_SECTION}, [TSPLIB_EOF] = {.kind = TSPLIB_SECTION}

typedef struct tsplib {
    mco_text *text;
    const tsplib_entry *table;         // [TSPLIB_KEYWORDS]
    mco_slice heads[TSPLIB_KEYWORDS];  // the keyword in the text; its line is 0 if the file lacks it
    mco_slice values[TSPLIB_KEYWORDS]; // what follows the keyword
    double numbers[TSPLIB_KEYWORDS];   // the value of a number; 0 if the file lacks the keyword
    int words[TSPLIB_KEYWORDS];        // the value of a word: its index among the entry's words
    mco_text sections[TSPLIB_KEYWORDS];  // the section, from its first row to its end; the text is borrowed
    int64_t nodes;                     // value of DIMENSION
    bool is_explicit;                  // whether EDGE_WEIGHT_TYPE is EXPLICIT
    int64_t base;                      // number of the first node: 0 if a row has node 0, else 1
} tsplib;

// ---- The text

// Tells CSV from TSPLIB by the first line that is no comment, which becomes *line. The file is CSV if this line has a
// separator and is not a line of TSPLIB. Errors: PARSE (the file is empty).
mco_status tsplib_tell_csv(mco_text *text, const tsplib_entry *table, bool *is_csv, mco_slice *line);

// Reads the values of all keywords and finds the sections. The text and the table are borrowed. Errors: PARSE.
mco_status tsplib_scan(mco_text *text, const tsplib_entry *table, tsplib *out);
bool tsplib_has(const tsplib *t, tsplib_keyword keyword);
// Fails if the file lacks the keyword. Errors: PARSE.
mco_status tsplib_require(tsplib *t, tsplib_keyword keyword);
// The same for DIMENSION and all keywords that the distances need. A matrix may have at most `matrix_nodes` nodes.
mco_status tsplib_require_distances(tsplib *t, int64_t matrix_nodes);

// ---- Sections

// The next token that is not in a comment. It is not consumed. False at the end of the section.
bool tsplib_peek(mco_text *section, mco_slice *token);

// The layout of a section with a row for each node: "node number ...".
typedef struct tsplib_layout {
    const char *what, *row;  // in messages: the name of a number, "the demand", and of a row, "node, demand"
    int columns;             // numbers after the node, 1 or 2
    bool is_whole;           // whether these numbers are integers
    bool is_complete;        // whether every node has a row; else one may lack it, and the caller tests which
    double low, high;
} tsplib_layout;

// The rows of a section. Zero before they are read.
typedef struct tsplib_rows {
    double *value[2];  // [nodes + 1] values by the number of the node; owned
    int32_t *lines;    // [nodes + 1] line of the node's row, 0: no row; NULL: no such section; owned
    int64_t count;
} tsplib_rows;

// Fail if the section is too short for these rows, or for the matrix. So no memory is taken for data that cannot be
// there. Errors: PARSE.
mco_status tsplib_expect_rows(tsplib *t, tsplib_keyword section, const tsplib_layout *layout);
mco_status tsplib_expect_matrix(tsplib *t);

// Reads the rows of a section into *rows; tsplib_clear_rows() releases them, also after a failure. Errors: PARSE,
// MEMORY.
mco_status tsplib_read_rows(tsplib *t, tsplib_keyword section, const tsplib_layout *layout, tsplib_rows *rows);
void tsplib_clear_rows(mco_context *ctx, tsplib_rows *rows);
// Fails unless the numbers of all nodes are 0..nodes - 1 or 1..nodes. Needs all sections to be read before. Errors:
// PARSE.
mco_status tsplib_test_numbers(tsplib *t, tsplib_keyword section, const tsplib_rows *rows);
// Reorders values [nodes + 1] from numbers of nodes to indices from 0. The node with number `first` comes first; the
// others keep their order.
void tsplib_arrange(const tsplib *t, int64_t first, double *values);

// Reads the matrix. `matrix` [nodes * nodes] receives all entries, scaled and rounded, except the diagonal. The
// diagonal of the file may hold any numbers. If `matrix` is NULL, *longest becomes the greatest entry, if that is
// greater than its value before. Entries are 0 to `most`. If `hint` is not NULL, they must be integers, and the message
// about another number ends with the hint. Errors: PARSE.
mco_status tsplib_read_matrix(tsplib *t, double most, const char *hint, double scale, int32_t *matrix, double *longest);

// ---- Writing

void tsplib_write_name(const char *name, FILE *file);
void tsplib_write_places(const double *x, const double *y, int64_t nodes, int64_t base, FILE *file);
void tsplib_write_matrix(const int32_t *matrix, int64_t nodes, double scale, FILE *file);

#endif
