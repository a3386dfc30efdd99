// SPDX-License-Identifier: MIT
#include "base/json.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/number.h"

void mco_json_begin(mco_json *json, FILE *file)
{
    *json = (mco_json){.file = file};
}

void mco_json_end(mco_json *json)
{
    fputc('\n', json->file);
}

// Unicode standard, table 3-7.
int mco_utf8_length(const unsigned char *c)
{
    int length = c[0] < 0x80 ? 1 : c[0] >= 0xc2 && c[0] < 0xe0 ? 2 : c[0] >= 0xe0 && c[0] < 0xf0 ? 3
               : c[0] >= 0xf0 && c[0] < 0xf5 ? 4 : 0;
    for (int i = 1; i < length; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    bool is_overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    bool is_surrogate = c[0] == 0xed && c[1] >= 0xa0;
    bool is_beyond = c[0] == 0xf4 && c[1] >= 0x90;
    return is_overlong || is_surrogate || is_beyond ? 0 : length;
}

// File names and names of jobs are any bytes, but JSON is UTF-8. A byte that is not valid UTF-8 becomes U+FFFD.
static void put_text(FILE *file, const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    fputc('"', file);
    while (*c != '\0') {
        int length = mco_utf8_length(c);
        if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else if (*c < ' ')
            fprintf(file, "\\u%04x", *c);
        else if (length == 0)
            fputs("\xef\xbf\xbd", file);
        else
            fwrite(c, 1, (size_t)length, file);
        c += length > 0 ? length : 1;
    }
    fputc('"', file);
}

// Writes everything before a value: comma, line break, indentation, key.
static void lead(mco_json *json, const char *key)
{
    if (json->has_item)
        fputc(',', json->file);
    if (json->inline_depth > 0 && json->has_item)
        fputc(' ', json->file);
    if (json->inline_depth == 0 && json->depth > 0)
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
    json->has_item = true;
    if (key != NULL) {
        put_text(json->file, key);
        fputs(": ", json->file);
    }
}

void mco_json_open(mco_json *json, const char *key, char bracket)
{
    lead(json, key);
    fputc(bracket, json->file);
    json->depth++;
    json->has_item = false;
}

void mco_json_close(mco_json *json, char bracket)
{
    json->depth--;
    if (json->has_item && json->inline_depth == 0)
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
    if (json->inline_depth > json->depth)
        json->inline_depth = 0;
    fputc(bracket, json->file);
    json->has_item = true;
}

void mco_json_integer(mco_json *json, const char *key, int64_t value)
{
    lead(json, key);
    mco_write_integer(value, 1, json->file);
}

void mco_json_number(mco_json *json, const char *key, const char *digits)
{
    lead(json, key);
    fputs(digits, json->file);
}

void mco_json_real(mco_json *json, const char *key, double value)
{
    if (!isfinite(value)) {
        mco_json_null(json, key);
        return;
    }
    lead(json, key);
    mco_write_number(value, json->file);
}

void mco_json_text(mco_json *json, const char *key, const char *value)
{
    if (value == NULL) {
        mco_json_null(json, key);
        return;
    }
    lead(json, key);
    put_text(json->file, value);
}

void mco_json_bool(mco_json *json, const char *key, bool value)
{
    lead(json, key);
    fputs(value ? "true" : "false", json->file);
}

void mco_json_null(mco_json *json, const char *key)
{
    lead(json, key);
    fputs("null", json->file);
}

void mco_json_open_line(mco_json *json, const char *key)
{
    mco_json_open(json, key, '[');
    if (json->inline_depth == 0)
        json->inline_depth = json->depth;
}

void mco_json_integers(mco_json *json, const char *key, const int32_t *values, int64_t count, int32_t offset)
{
    mco_json_open_line(json, key);
    for (int64_t i = 0; i < count; i++)
        mco_json_integer(json, NULL, (int64_t)values[i] + offset);
    mco_json_close(json, ']');
}

void mco_json_counts(mco_json *json, const char *key, const int64_t *values, int64_t count)
{
    mco_json_open_line(json, key);
    for (int64_t i = 0; i < count; i++)
        mco_json_integer(json, NULL, values[i]);
    mco_json_close(json, ']');
}

static char next_char(mco_text *t)
{
    return mco_text_skip_blank(t) ? t->data[t->at] : '\0';
}

static mco_status expect(mco_text *t, char c)
{
    char seen = next_char(t);
    if (seen == '\0')
        return mco_text_fail_here(t, "the text ends where '%c' was expected", c);
    if (seen != c)
        return mco_text_fail_here(t, "'%c' was expected, '%c' found", c, seen);
    t->at++;
    return MCO_OK;
}

mco_status mco_json_enter(mco_text *text, char bracket)
{
    return expect(text, bracket);
}

mco_status mco_json_next(mco_text *text, char bracket, bool *is_first, bool *has_next, char *key, size_t size)
{
    mco_status st = MCO_OK;
    char end = bracket == '{' ? '}' : ']';
    *has_next = next_char(text) != end;
    if (!*has_next) {
        text->at++;
        return MCO_OK;
    }
    if (!*is_first)
        MCO_TRY(expect(text, ','));
    *is_first = false;
    if (bracket == '{') {
        MCO_TRY(mco_json_read_text(text, key, size));
        MCO_TRY(expect(text, ':'));
    }
done:
    return st;
}

mco_slice mco_json_peek_word(mco_text *text)
{
    mco_text_skip_blank(text);
    size_t end = text->at;
    while (end < text->size && (isalnum((unsigned char)text->data[end]) || strchr("+-._", text->data[end]) != NULL))
        end++;
    return (mco_slice){text->data + text->at, end - text->at, text->line, (int64_t)(text->at - text->line_at) + 1};
}

bool mco_json_skip_word(mco_text *text, const char *word)
{
    const mco_slice seen = mco_json_peek_word(text);
    if (seen.size != strlen(word) || memcmp(seen.data, word, seen.size) != 0)
        return false;
    text->at += seen.size;
    return true;
}

mco_status mco_json_read_integer(mco_text *text, const char *what, int64_t low, int64_t high, int64_t *out)
{
    if (!mco_text_skip_blank(text))
        return mco_text_fail_here(text, "the text ends where %s was expected", what);
    const mco_slice number = mco_json_peek_word(text);
    mco_status st = mco_slice_integer(text, number, what, low, high, out);
    if (st == MCO_OK)
        text->at += number.size;
    return st;
}

// ---- Strings

enum { UTF8_MOST = 4 };  // bytes of a character

static int put_utf8(uint32_t point, char bytes[UTF8_MOST])
{
    static const unsigned char marks[UTF8_MOST + 1] = {0, 0, 0xc0, 0xe0, 0xf0};
    const int count = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (int i = count - 1; i > 0; i--, point >>= 6)
        bytes[i] = (char)(0x80 | (point & 0x3f));
    bytes[0] = (char)(marks[count] | point);
    return count;
}

// Reads the four hexadecimal digits behind "\u", which is at the next byte. False where they are not there.
static bool take_unit(mco_text *text, uint32_t *unit)
{
    enum { LENGTH = 6 };
    *unit = 0;
    if (text->size - text->at < LENGTH || text->data[text->at] != '\\' || text->data[text->at + 1] != 'u')
        return false;
    for (size_t i = text->at + 2; i < text->at + LENGTH; i++) {
        const int c = tolower((unsigned char)text->data[i]);
        if (!isxdigit(c))
            return false;
        *unit = 16 * *unit + (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    text->at += LENGTH;
    return true;
}

// Takes an escape of UTF-16: a unit, or two of them that are a pair. The names in memory end at a NUL, so none is in them.
static mco_status take_units(mco_text *text, char bytes[UTF8_MOST], int *count)
{
    const mco_text begin = *text;
    uint32_t point, low = 0;
    if (!take_unit(text, &point) || point == 0)
        return mco_text_fail(text, begin.line, (int64_t)(begin.at - begin.line_at) + 1,
                             "four hexadecimal digits, not all of them 0, were expected behind \\u");
    const bool is_high = point >= 0xd800 && point < 0xdc00;
    if (is_high && take_unit(text, &low) && low >= 0xdc00 && low < 0xe000)
        point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
    else if (is_high || (point >= 0xdc00 && point < 0xe000))
        return mco_text_fail(text, begin.line, (int64_t)(begin.at - begin.line_at) + 1,
                             "\\u%04x is half of a pair, and the other half is missing", (unsigned)point);
    *count = put_utf8(point, bytes);
    return MCO_OK;
}

// Takes the next character of a string, as it is or as an escape.
static mco_status take_character(mco_text *text, char bytes[UTF8_MOST], int *count)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    *count = 1;
    bytes[0] = text->data[text->at];
    const char letter = text->data[text->at + 1];  // the text ends with a NUL
    if (bytes[0] != '\\' || letter == '\n' || letter == '\0') {
        text->at++;
        return MCO_OK;
    }
    if (letter == 'u')
        return take_units(text, bytes, count);
    const char *known = strchr(letters, letter);
    if (known == NULL)
        return mco_text_fail_here(text, "one of \"\\/bfnrtu was expected behind a backslash");
    bytes[0] = meanings[known - letters];
    text->at += 2;
    return MCO_OK;
}

mco_status mco_json_read_text(mco_text *text, char *out, size_t size)
{
    mco_status st = MCO_OK;
    char bytes[UTF8_MOST];
    int count = 0;
    size_t used = 0;
    MCO_TRY(expect(text, '"'));
    while (text->at < text->size && text->data[text->at] != '"' && text->data[text->at] != '\n') {
        MCO_TRY(take_character(text, bytes, &count));
        for (int i = 0; i < count && used + 1 < size; i++)
            out[used++] = bytes[i];
    }
    if (size > 0)
        out[used] = '\0';
    if (text->at < text->size && text->data[text->at] == '\n')
        return mco_text_fail_here(text, "the line ends inside a string");
    MCO_TRY(expect(text, '"'));
done:
    return st;
}

mco_status mco_json_skip(mco_text *text)
{
    // Counts brackets instead of recursing, so deep nesting needs no stack.
    int64_t depth = 0;
    do {
        char c = next_char(text);
        if (c == '\0')
            return mco_text_fail_here(text, "the text ends inside a value");
        if (c == '"') {
            mco_status st = mco_json_read_text(text, NULL, 0);
            if (st != MCO_OK)
                return st;
        } else if (c == '{' || c == '[') {
            depth++;
            text->at++;
        } else if (c == '}' || c == ']') {
            if (depth == 0)
                return mco_text_fail_here(text, "a value was expected, '%c' found", c);
            depth--;
            text->at++;
        } else if (c == ',' || c == ':') {
            if (depth == 0)
                return mco_text_fail_here(text, "a value was expected, '%c' found", c);
            text->at++;
        } else {
            size_t from = text->at;
            while (text->at < text->size && (isalnum((unsigned char)text->data[text->at]) ||
                                             strchr("+-.", text->data[text->at])))
                text->at++;
            if (text->at == from)
                return mco_text_fail_here(text, "a value was expected, '%c' found", c);
        }
    } while (depth > 0);
    return MCO_OK;
}
