// SPDX-License-Identifier: MIT
// The numbers of base/text.h.
//
// Files of a million rows are common, and the C library reads decimal numbers slowly. A number of up to 19 digits is an
// integer times a power of ten. Mostly both are exact in double precision (Clinger 1990), and one operation gives the
// value. The few other numbers go through strtod.
#include <ctype.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum {
    SAFE_DIGITS = 19,  // any integer of so many digits is below 2^64
    EXACT_POWER = 22,  // 10^22 is the greatest power of ten that is exact in double precision
    MAX_EXPONENT = 9999
};

static const uint64_t EXACT_INTEGER = (uint64_t)1 << 53;

// Reads digits with an optional sign; false if there is anything else. Values beyond int64_t saturate, so the caller's
// range test refuses them and its message has the number and the range.
static bool parse_digits(const char *s, size_t size, int64_t *out)
{
    size_t i = 0;
    bool is_negative = false;
    if (i < size && (s[i] == '-' || s[i] == '+'))
        is_negative = s[i++] == '-';
    if (i == size)
        return false;
    int64_t value = 0;
    for (; i < size; i++) {
        if (!isdigit((unsigned char)s[i]))
            return false;
        int64_t digit = s[i] - '0';
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, is_negative ? -digit : digit, &value))
            value = is_negative ? INT64_MIN : INT64_MAX;
    }
    *out = value;
    return true;
}

bool mco_slice_is_number(mco_slice slice)
{
    int64_t value;
    return parse_digits(slice.data, slice.size, &value);
}

mco_status mco_slice_integer(mco_text *text, mco_slice slice, const char *what, int64_t low, int64_t high,
                             int64_t *out)
{
    int64_t value;
    int shown = mco_slice_shown(slice);
    if (!parse_digits(slice.data, slice.size, &value))
        return mco_text_fail(text, slice.line, slice.column, "%s is \"%.*s\", an integer was expected", what,
                             shown, slice.data);
    if (value < low || value > high)
        return mco_text_fail(text, slice.line, slice.column, "%s is %.*s, allowed is %lld to %lld", what, shown,
                             slice.data, (long long)low, (long long)high);
    *out = value;
    return MCO_OK;
}

mco_status mco_text_integer(mco_text *text, const char *what, int64_t low, int64_t high, int64_t *out)
{
    mco_slice token;
    if (!mco_text_peek(text, &token))
        return mco_text_fail_here(text, "the text ends where %s was expected", what);
    mco_status st = mco_slice_integer(text, token, what, low, high, out);
    if (st == MCO_OK)
        text->at += token.size;
    return st;
}

// Reads [+-]digits[.digits][e[+-]digits], with at least one digit before the exponent. The value without its sign is
// *mantissa * 10^*power, unless there are too many digits for *mantissa. Then *digits exceeds SAFE_DIGITS.
static bool scan_decimal(const char *s, size_t size, uint64_t *mantissa, int *power, int *digits)
{
    size_t i = size > 0 && (s[0] == '-' || s[0] == '+') ? 1 : 0;
    const size_t begin = i;
    uint64_t m = 0;
    int scale = 0, count = 0, exponent = 0;
    for (; i < size && (unsigned)(s[i] - '0') < 10; i++, count += m > 0)
        m = m * 10 + (unsigned)(s[i] - '0');
    size_t seen = i - begin;
    if (i < size && s[i] == '.') {
        const size_t point = ++i;
        for (; i < size && (unsigned)(s[i] - '0') < 10; i++, count += m > 0)
            m = m * 10 + (unsigned)(s[i] - '0');
        seen += i - point;
        if (i - point > MAX_EXPONENT)
            return false;
        scale = -(int)(i - point);
    }
    if (seen == 0)
        return false;
    if (i < size && (s[i] == 'e' || s[i] == 'E')) {
        const bool is_negative = ++i < size && s[i] == '-';
        i += i < size && (s[i] == '-' || s[i] == '+');
        if (i == size)
            return false;
        for (; i < size && (unsigned)(s[i] - '0') < 10; i++)
            exponent = exponent > MAX_EXPONENT ? exponent : exponent * 10 + (s[i] - '0');
        scale += is_negative ? -exponent : exponent;
    }
    *mantissa = m;
    *power = scale;
    *digits = count;
    return i == size;
}

// If the mantissa and the power of ten are both exact in double precision, one operation rounds the number correctly.
// Else returns false.
static bool read_exactly(mco_slice slice, double *out)
{
    static const double powers[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    uint64_t mantissa;
    int power, digits;
    if (!scan_decimal(slice.data, slice.size, &mantissa, &power, &digits) || digits > SAFE_DIGITS ||
        mantissa > EXACT_INTEGER || abs(power) > EXACT_POWER)
        return false;
    double value = (double)mantissa;
    value = power < 0 ? value / powers[-power] : value * powers[power];
    *out = slice.data[0] == '-' ? -value : value;
    return true;
}

// Reads the number by strtod. That also accepts hexadecimal digits, "inf" and "nan", which are refused here. It knows
// only the decimal sign of the program's locale, which replaces the point here.
static bool parse_digits_and_point(const char *s, size_t size, double *out)
{
    enum { ROOM = 400 };
    char digits[ROOM], *end;
    const char *point = localeconv()->decimal_point;
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        const bool is_point = s[i] == '.';
        const size_t length = is_point ? strlen(point) : 1;
        if (strchr("0123456789+-.eE", s[i]) == NULL || used + length >= ROOM)
            return false;
        memcpy(digits + used, is_point ? point : s + i, length);
        used += length;
    }
    digits[used] = '\0';
    *out = strtod(digits, &end);
    return end != digits && *end == '\0';
}

mco_status mco_slice_real(mco_text *text, mco_slice slice, const char *what, double low, double high, double *out)
{
    double value;
    if (!read_exactly(slice, &value) && !parse_digits_and_point(slice.data, slice.size, &value))
        return mco_text_fail(text, slice.line, slice.column, "%s is \"%.*s\", a number was expected", what,
                             mco_slice_shown(slice), slice.data);
    if (!(value >= low && value <= high))
        return mco_text_fail(text, slice.line, slice.column, "%s is %.*s, allowed is %.15g to %.15g", what,
                             mco_slice_shown(slice), slice.data, low, high);
    *out = value;
    return MCO_OK;
}

mco_status mco_slice_whole(mco_text *text, mco_slice slice, const char *what, int64_t low, int64_t high, int64_t *out)
{
    double value = 0;
    mco_status st = mco_slice_real(text, slice, what, (double)low, (double)high, &value);
    if (st == MCO_OK && value != (double)(int64_t)value)
        st = mco_text_fail(text, slice.line, slice.column, "%s is %.*s, an integer was expected", what, mco_slice_shown(slice),
                           slice.data);
    if (st == MCO_OK)
        *out = (int64_t)value;
    return st;
}

// ---- Decimals by a common power of ten

enum { CELL_ROOM = 64 };

// The cell with a point for a decimal comma, in `buffer` [CELL_ROOM]; the slice itself where it has none.
static mco_slice with_point(mco_slice slice, char separator, char *buffer)
{
    char *comma;
    if (separator != ';' || slice.size >= CELL_ROOM || memchr(slice.data, ',', slice.size) == NULL)
        return slice;
    memcpy(buffer, slice.data, slice.size);
    comma = memchr(buffer, ',', slice.size);
    *comma = '.';
    slice.data = buffer;
    return slice;
}

// Mantissa and decimals without zeros at the end; false where it is no decimal number of up to 18 digits.
static bool read_decimals(mco_slice slice, char separator, uint64_t *mantissa, int *decimals)
{
    char buffer[CELL_ROOM];
    int power, digits;
    const mco_slice number = with_point(slice, separator, buffer);
    if (!scan_decimal(number.data, number.size, mantissa, &power, &digits) || digits >= SAFE_DIGITS)
        return false;
    for (; power < 0 && *mantissa % 10 == 0; power++)
        *mantissa /= 10;
    for (; power > 0 && *mantissa > 0; power--)
        if (__builtin_mul_overflow(*mantissa, 10, mantissa))
            return false;
    *decimals = power < 0 && *mantissa > 0 ? -power : 0;
    return true;
}

static mco_status fail_number(mco_text *text, mco_slice slice, const char *what)
{
    return mco_text_fail(text, slice.line, slice.column, "%s is \"%.*s\", a number was expected", what, mco_slice_shown(slice),
                         slice.data);
}

mco_status mco_slice_places(mco_text *text, mco_slice slice, const char *what, char separator, int most, int *places)
{
    uint64_t mantissa;
    int decimals;
    if (!read_decimals(slice, separator, &mantissa, &decimals))
        return fail_number(text, slice, what);
    if (decimals > most)
        return mco_text_fail(text, slice.line, slice.column, "%s is %.*s, at most %d decimals are supported", what,
                             mco_slice_shown(slice), slice.data, most);
    *places = decimals > *places ? decimals : *places;
    return MCO_OK;
}

mco_status mco_slice_scaled(mco_text *text, mco_slice slice, const char *what, char separator, int places, int64_t low, int64_t high,
                            int64_t *out)
{
    uint64_t mantissa, scale = 1;
    int decimals;
    if (!read_decimals(slice, separator, &mantissa, &decimals))
        return fail_number(text, slice, what);
    if (decimals > places)
        return mco_text_fail(text, slice.line, slice.column, "%s is %.*s, at most %d decimal%s %s allowed", what, mco_slice_shown(slice),
                             slice.data, places, mco_plural(places), places == 1 ? "is" : "are");
    for (int k = 0; k < places; k++)
        scale *= 10;
    bool is_beyond = mantissa > INT64_MAX;
    for (int k = decimals; k < places && !is_beyond; k++)
        is_beyond = __builtin_mul_overflow(mantissa, 10, &mantissa) || mantissa > INT64_MAX;
    const int64_t value = slice.data[0] == '-' ? -(int64_t)mantissa : (int64_t)mantissa;
    if (is_beyond || value < low * (int64_t)scale || value > high * (int64_t)scale)
        return mco_text_fail(text, slice.line, slice.column, "%s is %.*s, allowed is %lld to %lld", what, mco_slice_shown(slice),
                             slice.data, (long long)low, (long long)high);
    *out = value;
    return MCO_OK;
}

mco_status mco_slice_real_in(mco_text *text, mco_slice slice, const char *what, char separator, double low, double high,
                             double *out)
{
    char buffer[CELL_ROOM];
    const mco_slice number = with_point(slice, separator, buffer);
    return mco_slice_real(text, number, what, low, high, out);
}

bool mco_parse_integer(const char *text, int64_t low, int64_t high, int64_t *out)
{
    int64_t value;
    if (!parse_digits(text, strlen(text), &value) || value < low || value > high)
        return false;
    *out = value;
    return true;
}

bool mco_parse_real(const char *text, double low, double high, double *out)
{
    double value;
    if (!parse_digits_and_point(text, strlen(text), &value) || value < low || value > high)
        return false;
    *out = value;
    return true;
}
