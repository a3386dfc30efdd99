// SPDX-License-Identifier: MIT
// Reads text a token at a time and knows the place of each, so that every message can say
// path:line:column. Plain or gzip, a file or "-" for standard input.
#ifndef MCO_BASE_TEXT_H
#define MCO_BASE_TEXT_H

#include "base/context.h"

// Larger inputs are refused: a compressed file of a few kilobytes can hold any size.
#define MCO_TEXT_MAX_BYTES ((size_t)1 << 30)

typedef struct mco_text {
    mco_context *ctx;
    char *name;      // for messages; owned
    char *data;      // [size + 1], NUL-terminated; owned
    size_t size;
    size_t at;       // next byte to read
    int64_t line;    // of the next byte, from 1
    size_t line_at;  // where that line begins
} mco_text;

// Part of the text, borrowed from it, with its place.
typedef struct mco_slice {
    const char *data;
    size_t size;
    int64_t line, column;
} mco_slice;

enum { MCO_SHOWN = 40 };  // longest part of a line repeated in a message

// Opens and reads everything. Errors: IO, PARSE (binary content), LIMIT (too large), MEMORY.
mco_status mco_text_open(mco_context *ctx, const char *path, mco_text *out);
// The same over `size` bytes in memory, copied.
mco_status mco_text_from_memory(mco_context *ctx, const char *name, const void *data, size_t size,
                                mco_text *out);
void mco_text_close(mco_text *text);
// What an instance is called that was read from `path`: the file without its folders, "stdin" for "-".
const char *mco_text_base_name(const char *path);

// Skips blanks and newlines; false at the end of the text.
bool mco_text_skip_blank(mco_text *text);
// Next token between blanks, without reading it; false at the end of the text.
bool mco_text_peek(mco_text *text, mco_slice *token);
// Rest of the current line without its newline; false at the end of the text.
bool mco_text_line(mco_text *text, mco_slice *line);
// The next line that is not blank, from its first character, without reading it; false at the end of the text.
bool mco_text_peek_line(mco_text *text, mco_slice *line);
// The next row of a table that has content; spreadsheets fill others with separators. False at the end of the text.
bool mco_text_row(mco_text *text, char separator, mco_slice *row);
// Next token as an integer in [low, high]; `what` names it in messages.
mco_status mco_text_integer(mco_text *text, const char *what, int64_t low, int64_t high, int64_t *out);

// The whole of a slice as an integer in [low, high]; the place of the slice goes into the message.
mco_status mco_slice_integer(mco_text *text, mco_slice slice, const char *what, int64_t low, int64_t high,
                             int64_t *out);
// The same as a decimal number, with a point in every locale.
mco_status mco_slice_real(mco_text *text, mco_slice slice, const char *what, double low, double high, double *out);
// The same where the number has to be an integer: "160.0" is one. Limits are exact in double precision.
mco_status mco_slice_whole(mco_text *text, mco_slice slice, const char *what, int64_t low, int64_t high, int64_t *out);
// The slice without blanks at both ends.
mco_slice mco_slice_trim(mco_slice slice);
// What follows its first `size` bytes.
mco_slice mco_slice_behind(mco_slice slice, size_t size);
// Next token between blanks, *rest behind it; false at the end of *rest.
bool mco_slice_token(mco_slice *rest, mco_slice *token);
// What stands before the first blank or `stop` in it.
mco_slice mco_slice_before(mco_slice slice, char stop);
// Moves *rest behind its first character and the blanks that follow, if that is `c`; false if not.
bool mco_slice_take(mco_slice *rest, char c);
// Whether it is this word, in upper or lower case.
bool mco_slice_is(mco_slice slice, const char *word);
// Index of it among words [count]; refuses another, which `what` describes ("TYPE is"), and lists these.
mco_status mco_slice_find(mco_text *text, mco_slice slice, const char *what, const char *const *words, int count, int *out);
// Bytes of it that a message repeats: "%.*s" takes them, and slice.data.
int mco_slice_shown(mco_slice slice);
// Whether nothing but separators and blanks is left.
bool mco_slice_is_blank(mco_slice slice, char separator);
// Field before the next `separator`, trimmed; *rest moves behind it. False when *rest is spent.
// A field in double quotes may hold the separator; the quotes are removed, a doubled quote inside
// stays doubled.
bool mco_slice_field(mco_slice *rest, char separator, mco_slice *field);
// The separator of a table by one of its lines: its first comma, semicolon or tab; a comma where it has none.
char mco_slice_separator(mco_slice line);
// Writes a field as a string to *next, which moves behind it: size + 1 bytes at most. A doubled quote becomes one.
char *mco_slice_copy(mco_slice field, char **next);

// Fails with MCO_ERR_PARSE at a place: "path:line:column: message".
mco_status mco_text_fail(mco_text *text, int64_t line, int64_t column, const char *format, ...)
    MCO_PRINTF(4, 5);
// The same at the place of the next byte.
#define mco_text_fail_here(text, ...) \
    mco_text_fail(text, (text)->line, (int64_t)((text)->at - (text)->line_at) + 1, __VA_ARGS__)

// A whole string as a number; false unless every character belongs to it and it lies in
// [low, high]. Used for options, where no place exists.
bool mco_parse_integer(const char *text, int64_t low, int64_t high, int64_t *out);
bool mco_parse_real(const char *text, double low, double high, double *out);

#endif
