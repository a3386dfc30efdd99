// SPDX-License-Identifier: MIT
// Instance files of all formats; docs/formats.md describes them. The first line tells VRPLIB from CSV.
//
// Files of a million customers are common, so numbers are not read by the C library: a decimal number of up to 19 digits is
// an integer times a power of ten, and where both are exact in double precision one operation rounds it correctly (Clinger
// 1990). The few others take the long way.
#include "vrp/vrp_formats.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"

enum { LIST_ROOM = 320 };  // of all words allowed at a place

// ---- Numbers

enum {
    SAFE_DIGITS = 19,  // of any kind, below 2^64
    EXACT_POWER = 22,  // 10^22 is the greatest power of ten that is exact in double precision
    MAX_EXPONENT = 9999
};

static const uint64_t EXACT_INTEGER = (uint64_t)1 << 53;

// [+-]digits[.digits][e[+-]digits], at least one digit before the exponent. *mantissa * 10^*power is the value without its
// sign, unless there are more digits than fit: then *digits exceeds SAFE_DIGITS.
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

mco_status vrp_slice_number(mco_text *text, mco_slice slice, const char *what, double low, double high, double *out)
{
    static const double powers[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    uint64_t mantissa;
    int power, digits;
    if (!scan_decimal(slice.data, slice.size, &mantissa, &power, &digits) || digits > SAFE_DIGITS ||
        mantissa > EXACT_INTEGER || abs(power) > EXACT_POWER)
        return mco_slice_real(text, slice, what, low, high, out);
    double value = (double)mantissa;
    value = power < 0 ? value / powers[-power] : value * powers[power];
    value = slice.data[0] == '-' ? -value : value;
    if (!(value >= low && value <= high))
        return mco_slice_real(text, slice, what, low, high, out);  // which says so
    *out = value;
    return MCO_OK;
}

mco_status vrp_slice_whole(mco_text *text, mco_slice slice, const char *what, int64_t low, int64_t high, int64_t *out)
{
    double value;
    // All limits of ours are exact in double precision, and integers within them.
    mco_status st = vrp_slice_number(text, slice, what, (double)low, (double)high, &value);
    if (st == MCO_OK && value != floor(value))
        st = mco_text_fail(text, slice.line, slice.column, "%s is %.*s, an integer was expected", what, mco_slice_shown(slice),
                           slice.data);
    if (st == MCO_OK)
        *out = (int64_t)value;
    return st;
}

// Few decimals: an integer over a power of ten, both exact, so that reading divides to the same number.
static bool write_decimals(double value, FILE *file)
{
    enum { MOST_DECIMALS = 6 };
    static const double EXACT = 1e15;  // all integers below it are
    const double positive = fabs(value);
    double power = 1;
    for (int decimals = 0; decimals <= MOST_DECIMALS; decimals++, power *= 10) {
        const double whole = rint(positive * power);
        if (whole >= EXACT)
            return false;
        if (whole / power != positive)
            continue;
        const int64_t digits = (int64_t)whole, unit = (int64_t)power;
        fprintf(file, "%s%lld", value < 0 ? "-" : "", (long long)(digits / unit));
        if (decimals > 0)
            fprintf(file, ".%0*lld", decimals, (long long)(digits % unit));
        return true;
    }
    return false;
}

void vrp_write_number(double value, FILE *file)
{
    char digits[32];
    if (write_decimals(value, file))
        return;
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    const size_t whole = strspn(digits, "-0123456789"), point = strcspn(digits + whole, "0123456789e");
    fprintf(file, "%.*s%s%s", (int)whole, digits, point > 0 ? "." : "", digits + whole + point);
}

void vrp_write_scaled(const mco_vrp *problem, int64_t value, FILE *file)
{
    const int64_t scale = (int64_t)problem->scale;
    int digits = 0;
    for (int64_t rest = scale; rest > 1; rest /= 10)
        digits++;
    if (digits == 0)
        fprintf(file, "%lld", (long long)value);
    else
        fprintf(file, "%lld.%0*lld", (long long)(value / scale), digits, (long long)(value % scale));
}

// ---- What the formats share

mco_status vrp_find_word(mco_text *text, mco_slice value, const char *what, const char *const *words, int count, int *out)
{
    char list[LIST_ROOM] = "";
    for (*out = 0; *out < count; (*out)++)
        if (mco_slice_is(value, words[*out]))
            return MCO_OK;
    for (int i = 0, used = 0; i < count && used < LIST_ROOM; i++)
        used += snprintf(list + used, sizeof list - (size_t)used, "%s%s", i == 0 ? "" : i < count - 1 ? ", " : " and ",
                         words[i]);
    return mco_text_fail(text, value.line, value.column, "%s \"%.*s\", supported are %s", what, mco_slice_shown(value),
                         value.data, list);
}

// ---- Writing: VRPLIB, the depot first

static void write_head(const mco_vrp *p, FILE *file)
{
    fputs("NAME : ", file);
    for (const char *c = p->name; *c != '\0'; c++)  // a file's name may hold the end of a line
        fputc((unsigned char)*c < ' ' ? '_' : *c, file);
    fprintf(file, "\nTYPE : %s\nDIMENSION : %d\nEDGE_WEIGHT_TYPE : %s\n", p->is_symmetric ? "CVRP" : "ACVRP", p->nodes,
            vrp_rule_names[p->rule]);
    if (p->rule == VRP_MATRIX)
        fputs("EDGE_WEIGHT_FORMAT : FULL_MATRIX\n", file);
    fprintf(file, "CAPACITY : %d\n", p->capacity);
    if (vrp_has_max_length(p)) {
        fputs("DISTANCE : ", file);
        vrp_write_number(p->max_length / p->scale, file);
        fputc('\n', file);
    }
    if (p->vehicles > 0)
        fprintf(file, "VEHICLES : %d\n", p->vehicles);
}

static void write_places(const mco_vrp *p, FILE *file)
{
    if (p->x == NULL)
        return;
    fputs(p->rule == VRP_MATRIX ? "DISPLAY_DATA_SECTION\n" : "NODE_COORD_SECTION\n", file);
    for (int32_t i = 0; i < p->nodes; i++) {
        fprintf(file, "%d ", i + 1);
        vrp_write_number(p->x[i], file);
        fputc(' ', file);
        vrp_write_number(p->y[i], file);
        fputc('\n', file);
    }
}

static bool is_service_equal(const mco_vrp *p)
{
    for (int32_t i = 2; i < p->nodes; i++)
        if (vrp_service(p, i) != vrp_service(p, 1))
            return false;
    return true;
}

void vrp_write_text(const mco_vrp *problem, FILE *file)
{
    const mco_vrp *p = problem;
    const bool has_service = p->service != NULL, is_equal = is_service_equal(p);
    write_head(p, file);
    if (has_service && is_equal && p->customers > 0) {
        fputs("SERVICE_TIME : ", file);
        vrp_write_number(p->service[1] / p->scale, file);
        fputc('\n', file);
    }
    if (p->rule == VRP_MATRIX) {
        fputs("EDGE_WEIGHT_SECTION\n", file);
        for (int64_t i = 0; i < (int64_t)p->nodes * p->nodes; i++) {
            vrp_write_number(p->matrix[i] / p->scale, file);
            fputc(i % p->nodes == p->nodes - 1 ? '\n' : ' ', file);
        }
    }
    write_places(p, file);
    fputs("DEMAND_SECTION\n", file);
    for (int32_t i = 0; i < p->nodes; i++)
        fprintf(file, "%d %d\n", i + 1, p->demand[i]);
    if (has_service && !is_equal) {
        fputs("SERVICE_TIME_SECTION\n", file);
        for (int32_t i = 1; i < p->nodes; i++) {
            fprintf(file, "%d ", i + 1);
            vrp_write_number(p->service[i] / p->scale, file);
            fputc('\n', file);
        }
    }
    fputs("DEPOT_SECTION\n1\n-1\nEOF\n", file);
}

// ---- All formats

// The first line that is no comment.
static bool first_line(const mco_text *text, mco_slice *line)
{
    mco_text ahead = *text;
    while (mco_text_skip_blank(&ahead) && mco_text_line(&ahead, line))
        if (line->data[0] != '#')
            return true;
    return false;
}

// A line with a separator is a header, unless it is a line of VRPLIB.
static bool is_csv(mco_slice line)
{
    if (vrp_is_vrplib_line(line))
        return false;
    for (size_t i = 0; i < line.size; i++)
        if (strchr(",;\t", line.data[i]) != NULL)
            return true;
    return false;
}

mco_status vrp_read_text(mco_context *ctx, mco_text *text, const mco_vrp_model *model, const char *name, mco_vrp **out)
{
    mco_slice line;
    if (!first_line(text, &line)) {
        while (mco_text_line(text, &line))
            continue;
        return mco_text_fail_here(text, "the file is empty");
    }
    return is_csv(line) ? vrp_read_csv(ctx, text, model, name, out) : vrp_read_vrplib(ctx, text, model, name, out);
}

mco_status mco_vrp_read(mco_context *ctx, const char *path, const mco_vrp_model *model, mco_vrp **out)
{
    mco_text text;
    if (ctx == NULL || path == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    const char *base = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    mco_status st = mco_text_open(ctx, path, &text);
    if (st != MCO_OK)
        return st;
    st = vrp_read_text(ctx, &text, model, strcmp(path, "-") == 0 ? "stdin" : base, out);
    mco_text_close(&text);
    return st;
}

mco_status mco_vrp_write(mco_context *ctx, const mco_vrp *problem, const char *path)
{
    mco_output o;
    if (ctx == NULL || problem == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    mco_status st = mco_output_open(ctx, path, &o);
    if (st != MCO_OK)
        return st;
    vrp_write_text(problem, o.file);
    return mco_output_commit(ctx, &o, false);
}
