// SPDX-License-Identifier: MIT
// Reads text token by token and keeps the place of each token, so that every message can say path:line:column. The text
// comes from a file or from standard input ("-"), plain or compressed by gzip.
#ifndef MCO_BASE_TEXT_H
#define MCO_BASE_TEXT_H

#include "base/context.h"

// Larger inputs are refused, because a compressed file of a few kilobytes can unpack to any size. 2^30 bytes also have room
// for a byte too many and for the NUL.
enum { MCO_TEXT_MAX_BYTES = (1 << 30) - 2 };

typedef struct mco_text {
    mco_context *ctx;
    char *name;      // for messages; owned
    char *data;      // [size + 1], NUL-terminated; owned
    size_t size;
    size_t at;       // next byte to read
    int64_t line;    // line of the next byte, from 1
    size_t line_at;  // index of the first byte of that line
} mco_text;

// A part of the text with its place. The bytes are borrowed from the text.
typedef struct mco_slice {
    const char *data;
    size_t size;
    int64_t line, column;
} mco_slice;

enum { MCO_SHOWN = 40 };  // most bytes of a line that a message repeats

// Opens a file and reads all of it. Errors: IO, PARSE (binary content), LIMIT (too large), MEMORY, STOPPED.
mco_status mco_text_open(mco_context *ctx, const char *path, mco_text *out);
// The same from `size` bytes in memory, which are copied.
mco_status mco_text_from_memory(mco_context *ctx, const char *name, const void *data, size_t size,
                                mco_text *out);
// The same for a format with a binary form: content that begins with `mark` is bytes, which are not refused.
mco_status mco_text_open_marked(mco_context *ctx, const char *path, const char *mark, mco_text *out);
mco_status mco_text_from_memory_marked(mco_context *ctx, const char *name, const void *data, size_t size, const char *mark,
                                       mco_text *out);
void mco_text_close(mco_text *text);
// The name of an instance that comes from `path`: the file without its folders, "stdin" for "-".
const char *mco_text_base_name(const char *path);

// Skips blanks and newlines; false at the end of the text.
bool mco_text_skip_blank(mco_text *text);
// The next token between blanks. It is not consumed. False at the end of the text.
bool mco_text_peek(mco_text *text, mco_slice *token);
// Reads the rest of the current line, without its newline; false at the end of the text.
bool mco_text_line(mco_text *text, mco_slice *line);
// The next line that is not blank, from its first character that is no blank. It is not consumed. False at the end of
// the text.
bool mco_text_peek_line(mco_text *text, mco_slice *line);
// Reads the next row of a table that has content. Rows of separators alone, which spreadsheets write, are skipped.
// False at the end of the text.
bool mco_text_row(mco_text *text, char separator, mco_slice *row);
// Reads the next token as an integer in [low, high]. `what` names it in messages. Errors: PARSE.
mco_status mco_text_integer(mco_text *text, const char *what, int64_t low, int64_t high, int64_t *out);

// A whole slice as an integer in [low, high]. The message gives the place of the slice. Errors: PARSE.
mco_status mco_slice_integer(mco_text *text, mco_slice slice, const char *what, int64_t low, int64_t high,
                             int64_t *out);
// The same for a decimal number. Its decimal sign is a point in every locale.
mco_status mco_slice_real(mco_text *text, mco_slice slice, const char *what, double low, double high, double *out);
// The same for a decimal number that must be an integer: "160.0" is one. `low` and `high` must be exact in double
// precision.
mco_status mco_slice_whole(mco_text *text, mco_slice slice, const char *what, int64_t low, int64_t high, int64_t *out);

// ---- Decimal numbers, read exactly: a first pass over all cells finds the places, a second one brings them to integers by this
// common power of ten. A point stands before the decimals, or a comma in a table whose cells are separated by semicolons.

// Raises *places to the number of decimals of the slice, without zeros at the end; 0 to `most`. Errors: PARSE (no number, more
// decimals).
mco_status mco_slice_places(mco_text *text, mco_slice slice, const char *what, char separator, int most, int *places);
// The number times 10^places as an integer, where all its decimals are among these; the number is in [low, high]. 10^places *
// high is below 2^63. Errors: PARSE.
mco_status mco_slice_scaled(mco_text *text, mco_slice slice, const char *what, char separator, int places, int64_t low, int64_t high,
                            int64_t *out);
// As mco_slice_real(), with a comma for the point where semicolons separate cells.
mco_status mco_slice_real_in(mco_text *text, mco_slice slice, const char *what, char separator, double low, double high,
                             double *out);

// The slice without blanks at both ends.
mco_slice mco_slice_trim(mco_slice slice);
// The slice without its first `size` bytes.
mco_slice mco_slice_behind(mco_slice slice, size_t size);
// Takes the next token between blanks off *rest; false at the end of *rest.
bool mco_slice_token(mco_slice *rest, mco_slice *token);
// The part of the slice before its first blank or `stop`.
mco_slice mco_slice_before(mco_slice slice, char stop);
// If *rest begins with `c`, removes it and the blanks at both ends of the rest. Returns false if it does not.
bool mco_slice_take(mco_slice *rest, char c);
// Whether the slice is this word, in upper or lower case.
bool mco_slice_is(mco_slice slice, const char *word);
// Whether the slice is digits behind at most one sign.
bool mco_slice_is_number(mco_slice slice);
// Finds the index of the slice among words [count]. Errors: PARSE, with `what` before the slice ("TYPE is") and the
// list of words.
mco_status mco_slice_find(mco_text *text, mco_slice slice, const char *what, const char *const *words, int count, int *out);
// How many bytes of the slice a message repeats. "%.*s" takes this number and slice.data.
int mco_slice_shown(mco_slice slice);
// Whether the slice has only separators and blanks.
bool mco_slice_is_blank(mco_slice slice, char separator);
// Takes the field before the next `separator` off *rest and trims it. Returns false when *rest has no field left. A
// field in double quotes may hold the separator. Its quotes are removed; a doubled quote inside stays doubled.
bool mco_slice_field(mco_slice *rest, char separator, mco_slice *field);
// The separator of a table, from one of its lines: the first comma, semicolon or tab, or a comma if the line has none
// of them.
char mco_slice_separator(mco_slice line);
// Writes a field as a string to *next and moves *next behind it. It takes at most size + 1 bytes. A doubled quote
// becomes one quote. Returns the string.
char *mco_slice_copy(mco_slice field, char **next);

// Every 4096th count, of lines say, asks mco_read_in_time(): a short file is always read. Errors: STOPPED.
mco_status mco_text_in_time(mco_text *text, int64_t count);

// Records the message "path:line:column: ..." and returns MCO_ERR_PARSE.
mco_status mco_text_fail(mco_text *text, int64_t line, int64_t column, const char *format, ...)
    MCO_PRINTF(4, 5);
// The same at the place of the next byte.
#define mco_text_fail_here(text, ...) \
    mco_text_fail(text, (text)->line, (int64_t)((text)->at - (text)->line_at) + 1, __VA_ARGS__)

// Reads a whole string as a number in [low, high]; false if it is not one. For options, which have no place in a text.
bool mco_parse_integer(const char *text, int64_t low, int64_t high, int64_t *out);
bool mco_parse_real(const char *text, double low, double high, double *out);

#endif
