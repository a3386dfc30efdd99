// SPDX-License-Identifier: MIT
// The state of a search in a file: a JSON object, and a last line with the FNV-1a hash of all bytes before that line. So the
// reader refuses a cut or changed file before it uses anything of it. Its first members tie it to the instance. A long list
// stands as bytes behind the object, in the binary form. docs/formats.md describes both; one reader takes both.
#ifndef MCO_FLOWSHOP_STATE_FILE_H
#define MCO_FLOWSHOP_STATE_FILE_H

#include "base/json.h"
#include "base/text.h"
#include "flowshop/tree/bytes.h"
#include "mco/flowshop.h"

#define FLOWSHOP_STATE_MARK "mcoflow\n"             // a file of the binary form begins with it
#define FLOWSHOP_STATE_LARGEST (INT64_MAX / 4096)  // counters: sums of some of them do not overflow

typedef struct flowshop_state_format {
    const char *kind;             // the first member; its value is the version
    const char *name;             // with its article, for messages
    int version;
    const char *const *members;   // [count] behind those of the instance; a valid file holds each exactly once
    int count;                    // at most 28
    void (*write)(mco_json *json, const mco_flowshop *shop, const void *state);
    mco_status (*read)(mco_context *ctx, mco_text *text, const mco_flowshop *shop, const char *member, void *state);
    bool (*is_sound)(const mco_flowshop *shop, const void *state);  // the members do not contradict each other
    // The binary form; NULL, NULL for a format without one. tail() returns the number of blocks, or -1 for the text form.
    int64_t (*tail)(const void *state, const flowshop_bytes **blocks);
    mco_status (*read_tail)(mco_context *ctx, mco_text *text, const mco_flowshop *shop, flowshop_reader *tail, void *state);
} flowshop_state_format;

// Replaces the file as a whole. The previous file stays as "path.prev". Errors: IO, MEMORY; LIMIT for more bytes than are
// read again. O(bytes).
mco_status flowshop_state_write(mco_context *ctx, const mco_flowshop *shop, const flowshop_state_format *format, const void *state,
                                const char *path);
// Errors: IO, MEMORY; PARSE for a cut or damaged file, another instance, kind or version. The message then says what to do.
mco_status flowshop_state_read(mco_context *ctx, const mco_flowshop *shop, const char *path, const flowshop_state_format *format,
                               void *state);
// The same from a text, or from bytes behind FLOWSHOP_STATE_MARK.
mco_status flowshop_state_read_text(mco_context *ctx, const mco_flowshop *shop, mco_text *text, const flowshop_state_format *format,
                                    void *state);

// ---- Values of members. Errors: PARSE, with the place.

// One of names[1..count): *out is its place.
mco_status flowshop_state_name(mco_text *text, const char *const *names, int count, int *out);
mco_status flowshop_state_flag(mco_text *text, const char *what, bool *out);
// An array of at most `most` integers, each in [low, high]. *count receives their number.
mco_status flowshop_state_counts(mco_text *text, const char *what, int64_t low, int64_t high, int64_t most, int64_t *out, int64_t *count);
// An order of all jobs, or none: then *makespan stays as it is. Else it receives the makespan, which the file does not hold.
mco_status flowshop_state_order(mco_context *ctx, mco_text *text, const mco_flowshop *shop, int32_t *order, int64_t *makespan);

#endif
