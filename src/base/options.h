// SPDX-License-Identifier: MIT
// Options by table (mco/options.h): the records of a list, range tests, help, and the echo in the result file.
#ifndef MCO_BASE_OPTIONS_H
#define MCO_BASE_OPTIONS_H

#include "base/json.h"
#include "mco/options.h"

// The records of a list of options: `static const mco_option options[] = {MCO_OPTION_RECORDS(LIST)};`.
// MCO_OPTION_STRUCT must be defined as the parameter struct.
#define MCO_OPTION_RECORDS(LIST)                                                                                   \
    LIST(MCO_OPTION_INTEGER_ENTRY, MCO_OPTION_REAL_ENTRY, MCO_OPTION_CHOICE_ENTRY, MCO_OPTION_TEXT_ENTRY,          \
         MCO_OPTION_FLAG_ENTRY)
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

// A table over records. All of them are for users, or the last `study` of them are for study.
#define MCO_OPTION_TABLE(records) MCO_STUDY_TABLE(records, 0)
#define MCO_STUDY_TABLE(records, study)                                                                            \
    {records, sizeof(records) / sizeof((records)[0]), sizeof(records) / sizeof((records)[0]) - (study),            \
     sizeof(MCO_OPTION_STRUCT)}

// Tests every field against its range, because callers of the C interface set fields directly. Errors: ARGUMENT.
mco_status mco_options_validate(mco_context *ctx, const mco_option_table *table, const void *params);
// Sets one field from text; NULL turns a flag on. Errors: ARGUMENT, with the flag, the value and what is allowed.
mco_status mco_option_set(mco_context *ctx, const mco_option *option, void *params, const char *value);
// Writes every field as a member of the open JSON object. The key is the option's name.
void mco_options_echo(mco_json *json, const mco_option_table *table, const void *params);
// Writes a line of help for each option, with its value in `defaults`. `has_study` adds the options for study.
void mco_options_help(FILE *file, const mco_option_table *table, const void *defaults, bool has_study);

#endif
