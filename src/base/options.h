// SPDX-License-Identifier: MIT
// Options by table. One list macro per problem (include/mco/*_options.def) makes the fields of the
// parameter struct, their defaults, the command's flags and help, the range test, and the echo in
// the result file.
#ifndef MCO_BASE_OPTIONS_H
#define MCO_BASE_OPTIONS_H

#include "base/json.h"

typedef enum mco_option_kind {
    MCO_OPTION_INTEGER,  // int64_t
    MCO_OPTION_REAL,     // double
    MCO_OPTION_CHOICE,   // int, index into `choices`
    MCO_OPTION_TEXT,     // const char *, borrowed
    MCO_OPTION_FLAG      // int, 0 or 1, no argument
} mco_option_kind;

typedef struct mco_option {
    mco_option_kind kind;
    size_t offset;         // of the field in the parameter struct
    const char *flag;      // "--time-limit"
    const char *argument;  // "S" in the help; NULL for choices and flags
    const char *choices;   // "auto|cpu|reference"
    double low, high;      // range of a number
    double unset;          // the number that means "not given" and is echoed as null; NaN if none
    const char *help;
} mco_option;

// Entries of a table, from the arguments of the list macros.
#define MCO_OPTION_INTEGER_ENTRY(field, flag, def, low, high, unset, argument, help) \
    {MCO_OPTION_INTEGER, offsetof(MCO_OPTION_STRUCT, field), flag, argument, NULL, (double)(low), (double)(high), unset, help},
#define MCO_OPTION_REAL_ENTRY(field, flag, def, low, high, unset, argument, help) \
    {MCO_OPTION_REAL, offsetof(MCO_OPTION_STRUCT, field), flag, argument, NULL, low, high, unset, help},
#define MCO_OPTION_CHOICE_ENTRY(field, flag, type, def, choices, help) \
    {MCO_OPTION_CHOICE, offsetof(MCO_OPTION_STRUCT, field), flag, NULL, choices, 0, 0, 0, help},
#define MCO_OPTION_TEXT_ENTRY(field, flag, argument, help) \
    {MCO_OPTION_TEXT, offsetof(MCO_OPTION_STRUCT, field), flag, argument, NULL, 0, 0, 0, help},
#define MCO_OPTION_FLAG_ENTRY(field, flag, help) \
    {MCO_OPTION_FLAG, offsetof(MCO_OPTION_STRUCT, field), flag, NULL, NULL, 0, 0, 0, help},

// Sets one field from text. Errors: ARGUMENT, with the flag, the value and what is allowed.
mco_status mco_option_set(mco_context *ctx, const mco_option *option, void *params, const char *value);
// Tests every field against its range; for callers of the C interface.
mco_status mco_options_validate(mco_context *ctx, const mco_option *options, size_t count, const void *params);
// Writes every field as a member of the open object, keyed by its flag without the dashes.
void mco_options_echo(mco_json *json, const mco_option *options, size_t count, const void *params);
// Writes a line per option.
void mco_options_help(FILE *file, const mco_option *options, size_t count, const void *defaults);
// The name of choice `index`, in a buffer of at least 32 bytes.
const char *mco_option_choice(const mco_option *option, int index, char *buffer, size_t size);

#endif
