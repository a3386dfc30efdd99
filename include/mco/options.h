// SPDX-License-Identifier: MIT
// Arguments of the option lists, PROBLEM_options.def: they make the fields of a parameter struct and its defaults.
// The head of flowshop_options.def says what the columns are.
#ifndef MCO_OPTIONS_H
#define MCO_OPTIONS_H

#include "mco/compiler.h"

#define MCO_FIELD_INTEGER(field, flag, def, low, high, unset, argument, help) int64_t field;
#define MCO_FIELD_REAL(field, flag, def, low, high, unset, argument, help) double field;
#define MCO_FIELD_CHOICE(field, flag, type, def, choices, help) type field;
#define MCO_FIELD_TEXT(field, flag, argument, help) const char *field;
#define MCO_FIELD_FLAG(field, flag, help) int field;

#define MCO_DEFAULT_INTEGER(field, flag, def, low, high, unset, argument, help) def,
#define MCO_DEFAULT_REAL(field, flag, def, low, high, unset, argument, help) def,
#define MCO_DEFAULT_CHOICE(field, flag, type, def, choices, help) def,
#define MCO_DEFAULT_TEXT(field, flag, argument, help) NULL,
#define MCO_DEFAULT_FLAG(field, flag, help) 0,

#endif
