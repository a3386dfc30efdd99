// SPDX-License-Identifier: MIT
#include "base/number.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Writes the digits of `value`, at least `width` of them and a NUL, to out [MCO_NUMBER_TEXT]. Returns how many.
static int put_digits(uint64_t value, int width, char *out)
{
    char digits[MCO_NUMBER_TEXT];
    int at = MCO_NUMBER_TEXT;
    for (; value > 0 || MCO_NUMBER_TEXT - at < width; value /= 10)
        digits[--at] = (char)('0' + value % 10);
    memcpy(out, digits + at, (size_t)(MCO_NUMBER_TEXT - at));
    out[MCO_NUMBER_TEXT - at] = '\0';
    return MCO_NUMBER_TEXT - at;
}

void mco_write_integer(int64_t value, int width, FILE *file)
{
    char text[MCO_NUMBER_TEXT + 1];
    text[0] = '-';
    const int size = put_digits(value < 0 ? 0 - (uint64_t)value : (uint64_t)value, width > 1 ? width : 1, text + 1);
    fwrite(value < 0 ? text : text + 1, 1, (size_t)size + (value < 0), file);
}

// Replaces the decimal sign by a point. The program that uses the library may have a locale whose sign is a comma, or
// takes two bytes.
static void use_decimal_point(char *digits)
{
    const size_t at = strspn(digits, "-0123456789"), size = strcspn(digits + at, "0123456789e");
    if (size > 0 && digits[at] != '\0') {
        digits[at] = '.';
        memmove(digits + at + 1, digits + at + size, strlen(digits + at + size) + 1);
    }
}

const char *mco_shortest_digits(double value, int least, bool is_single, char out[MCO_NUMBER_TEXT])
{
    enum { MOST_DIGITS = 17 };  // enough for any double
    for (int digits = least; digits <= MOST_DIGITS; digits++) {
        snprintf(out, MCO_NUMBER_TEXT, "%.*g", digits, value);
        if ((is_single ? (double)strtof(out, NULL) : strtod(out, NULL)) == value)
            break;
    }
    if (isfinite(value))
        use_decimal_point(out);
    return out;
}

// Writes a number with few decimals, an integer divided by a power of ten. Both are exact, so a reader that divides
// them gets the same number.
static bool put_decimals(double value, char out[MCO_NUMBER_TEXT])
{
    enum { MOST_DECIMALS = 6 };
    static const double EXACT = 1e15;  // all integers below it are exact
    const double positive = fabs(value);
    double power = 1;
    for (int decimals = 0; decimals <= MOST_DECIMALS; decimals++, power *= 10) {
        const double whole = rint(positive * power);
        if (!(whole < EXACT))
            return false;
        if (whole / power != positive)
            continue;
        const int64_t digits = (int64_t)whole, unit = (int64_t)power;
        int used = signbit(value) ? 1 : 0;
        out[0] = '-';
        used += put_digits((uint64_t)(digits / unit), 1, out + used);
        if (decimals > 0) {
            out[used] = '.';
            put_digits((uint64_t)(digits % unit), decimals, out + used + 1);
        }
        return true;
    }
    return false;
}

const char *mco_number_text(double value, char out[MCO_NUMBER_TEXT])
{
    enum { LEAST_DIGITS = 15 };  // also gives shorter numbers, because %g drops trailing zeros
    if (put_decimals(value, out))
        return out;
    if (fabs(value) < 0x1p53 && value == floor(value)) {
        snprintf(out, MCO_NUMBER_TEXT, "%.0f", value);
        return out;
    }
    return mco_shortest_digits(value, LEAST_DIGITS, false, out);
}

void mco_write_number(double value, FILE *file)
{
    char text[MCO_NUMBER_TEXT];
    fputs(mco_number_text(value, text), file);
}

void mco_write_quoted(const char *text, FILE *file)
{
    fputc('"', file);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

void mco_write_cell(const char *text, FILE *file)
{
    const size_t size = strlen(text);
    const bool is_plain = strpbrk(text, ",;\t\"") == NULL && (size == 0 || (!isspace((unsigned char)text[0]) &&
                                                                        !isspace((unsigned char)text[size - 1])));
    if (is_plain)
        fputs(text, file);
    else
        mco_write_quoted(text, file);
}

const char *mco_scaled_text(int64_t value, int64_t scale, char out[MCO_NUMBER_TEXT])
{
    const uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value, unit = (uint64_t)scale;
    uint64_t rest = size % unit;
    int at = snprintf(out, MCO_NUMBER_TEXT, "%s%llu", value < 0 ? "-" : "", (unsigned long long)(size / unit));
    if (rest > 0)
        out[at++] = '.';
    // At most 20 digits, a sign and a point: whole part and decimals together are the digits of the value, or zeros of the scale.
    for (uint64_t power = unit / 10; rest > 0; rest %= power, power /= 10)
        out[at++] = (char)('0' + rest / power);
    out[at] = '\0';
    return out;
}
