// SPDX-License-Identifier: MIT
// JSON (RFC 8259): a streaming writer, and a reader that walks a text without building a tree.
#ifndef MCO_BASE_JSON_H
#define MCO_BASE_JSON_H

#include <stdio.h>

#include "base/text.h"

// ---- Writing. `key` is NULL inside arrays. Errors of the stream appear when the caller commits the output.

typedef struct mco_json {
    FILE *file;
    int depth;
    bool has_item;     // the innermost open object or array has an item
    int inline_depth;  // depth of the array that is written on one line, 0 if none
} mco_json;

void mco_json_begin(mco_json *json, FILE *file);
void mco_json_end(mco_json *json);  // writes the final newline
void mco_json_open(mco_json *json, const char *key, char bracket);  // '{' or '['
void mco_json_close(mco_json *json, char bracket);                  // '}' or ']'
void mco_json_open_line(mco_json *json, const char *key);  // an array on one line; mco_json_close() ends it
void mco_json_integer(mco_json *json, const char *key, int64_t value);
void mco_json_number(mco_json *json, const char *key, const char *digits);  // as they are
void mco_json_real(mco_json *json, const char *key, double value);  // null for NaN and infinity
void mco_json_text(mco_json *json, const char *key, const char *value);  // null for NULL
void mco_json_bool(mco_json *json, const char *key, bool value);
void mco_json_null(mco_json *json, const char *key);
// Writes values [count] on one line, each plus `offset`.
void mco_json_integers(mco_json *json, const char *key, const int32_t *values, int64_t count, int32_t offset);
void mco_json_counts(mco_json *json, const char *key, const int64_t *values, int64_t count);

// ---- Reading. Failures are MCO_ERR_PARSE with the place.

// Enters the object or array that comes next: bracket '{' or '['.
mco_status mco_json_enter(mco_text *text, char bracket);
// Moves to the next member. At the end it passes the closing bracket and sets *has_next to false. *is_first is true
// before the first call. Inside an object `key` [size] receives the key, cut if it is longer. Inside an array `key` is
// NULL.
mco_status mco_json_next(mco_text *text, char bracket, bool *is_first, bool *has_next, char *key, size_t size);
mco_status mco_json_read_integer(mco_text *text, const char *what, int64_t low, int64_t high, int64_t *out);
// A string with its escapes decoded to UTF-8, cut if it is longer than `out` [size]. Errors: PARSE (also half of a pair of
// UTF-16, and a NUL).
mco_status mco_json_read_text(mco_text *text, char *out, size_t size);
mco_status mco_json_skip(mco_text *text);  // skips one value of any kind
// The next number, true, false or null. It is not consumed. Empty if there is none.
mco_slice mco_json_peek_word(mco_text *text);
// Consumes it if it is `word`; else returns false.
bool mco_json_skip_word(mco_text *text, const char *word);

// Number of bytes of the UTF-8 character at `c`, which a NUL ends; 0 if it is not valid UTF-8.
int mco_utf8_length(const unsigned char *c);

#endif
