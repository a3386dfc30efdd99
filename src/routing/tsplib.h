// SPDX-License-Identifier: MIT
// TSPLIB (Reinelt 1991, 1995) and its extension VRPLIB: lines "KEYWORD : value" and sections of numbers, in any order.
//
// The text is gone through twice: tsplib_scan() reads the values and finds where each section lies; then the sections are
// read, which by then have DIMENSION and the rest before them. A problem says in a table which keywords it takes, and what may
// stand behind them. Messages give the place, the value seen and the value expected.
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

// What may stand behind a keyword.
typedef enum tsplib_kind {
    TSPLIB_REFUSED,  // the problem does not take the keyword
    TSPLIB_TEXT,     // anything
    TSPLIB_WORD,     // one of `words`
    TSPLIB_WHOLE,    // an integer from `low` to `high`
    TSPLIB_REAL,     // a number from `low` to `high`
    TSPLIB_SECTION   // nothing: rows follow
} tsplib_kind;

typedef struct tsplib_entry {
    tsplib_kind kind;
    double low, high;
    const char *const *words;  // [count]
    int count;
    mco_status (*refuse)(mco_text *text, mco_slice value);  // says more about words that are none of these; may be NULL
} tsplib_entry;

enum { TSPLIB_FORMATS = 9 };
extern const char *const tsplib_formats[TSPLIB_FORMATS];  // "FULL_MATRIX", ...

// Entries that are the same for every problem. Of its own it has at least TYPE, DIMENSION and EDGE_WEIGHT_TYPE; the last word
// of that may be EXPLICIT, a matrix.
#define TSPLIB_COMMON_ENTRIES                                                                                      \
    [TSPLIB_NAME] = {.kind = TSPLIB_TEXT}, [TSPLIB_COMMENT] = {.kind = TSPLIB_TEXT},                                \
    [TSPLIB_EDGE_WEIGHT_FORMAT] = {.kind = TSPLIB_WORD, .words = tsplib_formats, .count = TSPLIB_FORMATS},          \
    [TSPLIB_DISPLAY_DATA_TYPE] = {.kind = TSPLIB_TEXT}, [TSPLIB_NODE_COORD_SECTION] = {.kind = TSPLIB_SECTION},     \
    [TSPLIB_EDGE_WEIGHT_SECTION] = {.kind = TSPLIB_SECTION},                                                        \
    [TSPLIB_DISPLAY_DATA_SECTION] = {.kind = TSPLIB_SECTION}, [TSPLIB_EOF] = {.kind = TSPLIB_SECTION}

typedef struct tsplib {
    mco_text *text;
    const tsplib_entry *table;         // [TSPLIB_KEYWORDS]
    mco_slice heads[TSPLIB_KEYWORDS];  // the word; line 0 where the keyword has not been seen
    mco_slice values[TSPLIB_KEYWORDS]; // what follows it
    double numbers[TSPLIB_KEYWORDS];   // the same, of numbers; 0 where the keyword has not been seen
    int words[TSPLIB_KEYWORDS];        // the same, as an index among the words
    mco_text sections[TSPLIB_KEYWORDS];  // from behind the head to the end of the section; the text is borrowed
    int64_t nodes;                     // DIMENSION
    bool is_explicit;                  // EDGE_WEIGHT_TYPE
    int64_t base;                      // number of the first node: 0 where a node 0 is named, else 1
} tsplib;

// ---- The text

// Whether the file is CSV by its first line that is no comment, *line: one with a separator, unless it is a line of TSPLIB.
// Errors: PARSE (the file is empty).
mco_status tsplib_tell_csv(mco_text *text, const tsplib_entry *table, bool *is_csv, mco_slice *line);

// Values of all keywords, and where the sections lie. The text and the table are borrowed. Errors: PARSE.
mco_status tsplib_scan(mco_text *text, const tsplib_entry *table, tsplib *out);
bool tsplib_has(const tsplib *t, tsplib_keyword keyword);
// Fails where the keyword has not been seen. Errors: PARSE.
mco_status tsplib_require(tsplib *t, tsplib_keyword keyword);
// The same for DIMENSION and all that distances need, of a matrix of at most `matrix_nodes` nodes.
mco_status tsplib_require_distances(tsplib *t, int64_t matrix_nodes);

// ---- Sections

// The next token that is no comment, without reading it; false at the end of the section.
bool tsplib_peek(mco_text *section, mco_slice *token);

// What a section has for the nodes: rows "node number ...".
typedef struct tsplib_layout {
    const char *what, *row;  // in messages: a number, "the demand"; a row, "node, demand"
    int columns;             // numbers behind the node's, 1 or 2
    bool is_whole;           // they are integers
    bool is_complete;        // every node has a row; else one may be missing, the caller tests which
    double low, high;
} tsplib_layout;

// Zero before it is read.
typedef struct tsplib_rows {
    double *value[2];  // [nodes + 1] by the number of the node; owned
    int32_t *lines;    // [nodes + 1] where the row stands, 0: nowhere; NULL: the section is not there; owned
    int64_t count;
} tsplib_rows;

// Fails if the section is too short for these rows, or for the matrix: no memory for what cannot be there. Errors: PARSE.
mco_status tsplib_expect_rows(tsplib *t, tsplib_keyword section, const tsplib_layout *layout);
mco_status tsplib_expect_matrix(tsplib *t);

// Errors: PARSE, MEMORY.
mco_status tsplib_read_rows(tsplib *t, tsplib_keyword section, const tsplib_layout *layout, tsplib_rows *rows);
void tsplib_clear_rows(mco_context *ctx, tsplib_rows *rows);
// All numbers are 0..nodes - 1 or all are 1..nodes; known once every section is read. Errors: PARSE.
mco_status tsplib_test_numbers(tsplib *t, tsplib_keyword section, const tsplib_rows *rows);
// From numbers to nodes: values [nodes + 1] begin at 0 then, and node number `first` comes first, the others as they were.
void tsplib_arrange(const tsplib *t, int64_t first, double *values);

// Goes through the matrix. `matrix` [nodes * nodes]: all entries, scaled and rounded, but the diagonal, which may hold
// anything; with NULL *longest becomes the greatest. Entries are 0 to `most`, and integers unless `hint` is NULL; the hint
// ends the message about others. Errors: PARSE.
mco_status tsplib_read_matrix(tsplib *t, double most, const char *hint, double scale, int32_t *matrix, double *longest);

// ---- Writing

void tsplib_write_name(const char *name, FILE *file);
void tsplib_write_places(const double *x, const double *y, int64_t nodes, int64_t base, FILE *file);
void tsplib_write_matrix(const int32_t *matrix, int64_t nodes, double scale, FILE *file);

#endif
