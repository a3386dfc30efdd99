// SPDX-License-Identifier: MIT
// Numbers and cells as text that reads back as the same.
#ifndef MCO_BASE_NUMBER_H
#define MCO_BASE_NUMBER_H

#include <stdbool.h>
#include <stdio.h>

enum { MCO_NUMBER_TEXT = 32 };  // bytes of a number as text

// The fewest digits, at least `least`, that read back as the same number, with a point in every locale; a float's where
// `is_single`. Returns `out`.
const char *mco_shortest_digits(double value, int least, bool is_single, char out[MCO_NUMBER_TEXT]);
// The same without an exponent where that is short: whole numbers and those of few decimals.
const char *mco_number_text(double value, char out[MCO_NUMBER_TEXT]);
void mco_write_number(double value, FILE *file);

// A cell of a table: in quotes, each quote in it twice; and only where a reader would cut or trim it.
void mco_write_quoted(const char *text, FILE *file);
void mco_write_cell(const char *text, FILE *file);

#endif
