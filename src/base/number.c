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

// ---- Decimals by whole numbers: what "%.*g" and strtod() do to numbers of usual size, many times faster

__extension__ typedef unsigned __int128 wide;

enum { MOST_DIGITS = 17 };  // enough for any double

typedef struct binary {
    uint64_t mantissa;  // 2^52 or more: value = mantissa * 2^exponent
    int exponent;
} binary;

// mantissa * 5^power, which is below 2^116, with power from 0 to 27.
static wide scaled(const binary *b, int power, uint64_t *five)
{
    uint64_t factor = 1;
    for (int k = 0; k < power; k++)
        factor *= 5;
    *five = factor;
    return (wide)b->mantissa * factor;
}

static uint64_t power_of_ten(int power)
{
    uint64_t value = 1;
    for (; power > 0; power--)
        value *= 10;
    return value;
}

// Rounds to a number of digits, the first of which has the place 10^*place. Sets *is_same if they read back as the number. Returns 0 if the
// place is another one, which *place is then moved to; more if the number is not of usual size.
static uint64_t round_digits(const binary *b, int digits, int *place, bool *is_same)
{
    const int power = digits - 1 - *place, shift = -(b->exponent + power);
    uint64_t five;
    if (shift < 1 || shift > 110)
        return UINT64_MAX;
    const wide exact = scaled(b, power, &five), one = (wide)1 << shift, floor = exact >> shift, rest = exact - (floor << shift);
    if (floor < power_of_ten(digits - 1) || floor >= power_of_ten(digits)) {
        *place += floor < power_of_ten(digits - 1) ? -1 : 1;
        return 0;
    }
    const bool is_up = 2 * rest > one || (2 * rest == one && (floor & 1) == 1);
    const wide miss = is_up ? one - rest : rest;
    *is_same = 2 * miss < five || (2 * miss == five && b->mantissa % 2 == 0);
    return (uint64_t)floor + is_up;
}

// Writes `digits` decimal digits as "%g" does from 0.0001 up: without zeros at the end.
static void put_fixed(bool is_negative, uint64_t value, int digits, int place, char *out)
{
    char text[MCO_NUMBER_TEXT];
    for (; digits > 1 && value % 10 == 0; value /= 10)
        digits--;
    const int count = put_digits(value, 1, text);
    if (is_negative)
        *out++ = '-';
    if (place < 0) {
        memcpy(out, "0.0000", 6);
        memcpy(out + 1 - place, text, (size_t)count + 1);
        return;
    }
    const int whole = place + 1 < count ? place + 1 : count;
    memcpy(out, text, (size_t)whole);
    out += whole;
    for (int k = count; k < place + 1; k++)
        *out++ = '0';
    if (count > place + 1) {
        *out++ = '.';
        memcpy(out, text + whole, (size_t)(count - whole));
        out += count - whole;
    }
    *out = '\0';
}

// As mco_shortest_digits() for numbers from 0.0001 to 10^14; returns false for others.
static bool put_shortest(double value, int least, char *out)
{
    const double positive = fabs(value);
    binary b;
    int place;
    if (!(positive >= 1e-4 && positive < 1e14) || least < 15)
        return false;
    b.mantissa = (uint64_t)ldexp(frexp(positive, &b.exponent), 53);
    b.exponent -= 53;
    if (b.mantissa == (uint64_t)1 << 52)  // the number below is nearer than the one above
        return false;
    place = (int)floor(log10(positive));
    for (int digits = least; digits <= MOST_DIGITS;) {
        bool is_same;
        uint64_t rounded = round_digits(&b, digits, &place, &is_same);
        if (rounded == UINT64_MAX)
            return false;
        if (rounded == 0)
            continue;
        if (is_same || digits == MOST_DIGITS) {
            const bool is_longer = rounded == power_of_ten(digits);
            put_fixed(value < 0, is_longer ? rounded / 10 : rounded, digits, place + is_longer, out);
            return true;
        }
        digits++;
    }
    return false;
}

const char *mco_shortest_digits(double value, int least, bool is_single, char out[MCO_NUMBER_TEXT])
{
    if (!is_single && put_shortest(value, least, out))
        return out;
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
