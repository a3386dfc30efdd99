// SPDX-License-Identifier: MIT
// Writes numbers and table cells as text that reads back as the same value.
#ifndef MCO_BASE_NUMBER_H
#define MCO_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { MCO_NUMBER_TEXT = 32 };  // room for a number as text, in bytes

// Writes the fewest digits, at least `least`, that read back as the same number: as a float with `is_single`, else as a
// double. The decimal sign is a point in every locale. Returns `out`.
const char *mco_shortest_digits(double value, int least, bool is_single, char out[MCO_NUMBER_TEXT]);
// The same, but without an exponent for integers and for numbers with few decimals.
const char *mco_number_text(double value, char out[MCO_NUMBER_TEXT]);
// value / scale exactly, without zeros at the end; scale is a power of ten.
const char *mco_scaled_text(int64_t value, int64_t scale, char out[MCO_NUMBER_TEXT]);
void mco_write_number(double value, FILE *file);
// Writes the digits of an integer, with zeros before them up to `width` digits. Much faster than fprintf().
void mco_write_integer(int64_t value, int width, FILE *file);

// Write a cell of a table. The first puts it in quotes and doubles each quote in it. The second does so only if a
// reader would otherwise cut or trim the cell.
void mco_write_quoted(const char *text, FILE *file);
void mco_write_cell(const char *text, FILE *file);

#endif
