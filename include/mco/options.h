// SPDX-License-Identifier: MIT
// Options by table. Each problem has list macros (PROBLEM_options.def). A list makes the
// fields of the parameter struct, their defaults, the command's flags and help, the range test, and the echo in the
// result file. A program can walk through a table and set fields by name:
//
//     mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
//     mco_options_set(ctx, mco_flowshop_options(), &params, "time-limit", "60");
//
// All lists have one shape, LIST(INTEGER, REAL, CHOICE, TEXT, FLAG), with one line per option:
//
//     INTEGER(field, flag, default, low, high, unset, argument, help)   int64_t; `unset` means "not given"
//     REAL   (field, flag, default, low, high, unset, argument, help)   double
//     CHOICE (field, flag, enum, default, names, help)                  names "a|b|c" by value; after "||": for study
//     TEXT   (field, flag, argument, help)                              const char *, borrowed; NULL means "not given"
//     FLAG   (field, flag, help)                                        int, 0 or 1
#ifndef MCO_OPTIONS_H
#define MCO_OPTIONS_H

#include <float.h>

#include "mco/context.h"

// A limit that was given and is none, such as `--time-limit inf`. It differs from infinity, which means that a time limit
// is not given: then a search that would never end takes an end of its own.
#define MCO_NO_LIMIT DBL_MAX

// Fields of a parameter struct, and their defaults.
#define MCO_FIELD_INTEGER(field, flag, def, low, high, unset, argument, help) int64_t field;
#define MCO_FIELD_REAL(field, flag, def, low, high, unset, argument, help) double field;
#define MCO_FIELD_CHOICE(field, flag, type, def, choices, help) type field;
#define MCO_FIELD_TEXT(field, flag, argument, help) const char *field;
#define MCO_FIELD_FLAG(field, flag, help) int field;
#define MCO_FIELDS(LIST) LIST(MCO_FIELD_INTEGER, MCO_FIELD_REAL, MCO_FIELD_CHOICE, MCO_FIELD_TEXT, MCO_FIELD_FLAG)

#define MCO_DEFAULT_INTEGER(field, flag, def, low, high, unset, argument, help) def,
#define MCO_DEFAULT_REAL(field, flag, def, low, high, unset, argument, help) def,
#define MCO_DEFAULT_CHOICE(field, flag, type, def, choices, help) def,
#define MCO_DEFAULT_TEXT(field, flag, argument, help) NULL,
#define MCO_DEFAULT_FLAG(field, flag, help) 0,
#define MCO_DEFAULTS(LIST) LIST(MCO_DEFAULT_INTEGER, MCO_DEFAULT_REAL, MCO_DEFAULT_CHOICE, MCO_DEFAULT_TEXT, MCO_DEFAULT_FLAG)

MCO_BEGIN_C

typedef enum mco_option_kind {
    MCO_OPTION_INTEGER,  // int64_t
    MCO_OPTION_REAL,     // double
    MCO_OPTION_CHOICE,   // int, the index of a choice
    MCO_OPTION_TEXT,     // const char *, borrowed
    MCO_OPTION_FLAG      // int, 0 or 1, no argument
} mco_option_kind;

typedef struct mco_option {
    mco_option_kind kind;
    size_t offset;         // of the field in the parameter struct
    const char *flag;      // "--time-limit"; its name is the part after the dashes
    const char *argument;  // name of the value in the help, such as "S"; NULL for choices and flags
    const char *choices;   // "auto|cpu|reference"
    double low, high;      // allowed range of a number
    double unset;          // the number that means "not given", echoed as null; NaN if there is none
    const char *help;
} mco_option;

typedef struct mco_option_table {
    const mco_option *options;  // [count] options for users first, then options for study
    size_t count, user_count;
    size_t struct_size;         // of the parameter struct
} mco_option_table;

// Options and the struct that holds their values. An array of these ends with an entry whose table is NULL.
typedef struct mco_option_values {
    const mco_option_table *table;
    void *params;
} mco_option_values;

// The option with this name, "time-limit" or "--time-limit"; NULL if the table has no such option.
MCO_API const mco_option *mco_options_find(const mco_option_table *table, const char *name);
// Sets one field of `params` from text. A text option borrows `value`; a flag takes "0" or "1". Errors: ARGUMENT (no
// such option, or a value out of its range: the message names the value and the range). O(options).
MCO_API mco_status mco_options_set(mco_context *ctx, const mco_option_table *table, void *params, const char *name,
                                   const char *value);
// Writes the name of choice `index` to `out` [size] and returns `out`; NULL if there is no such choice.
MCO_API const char *mco_option_choice(const mco_option *option, int index, char *out, size_t size);

MCO_END_C
#endif
