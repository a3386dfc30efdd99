// SPDX-License-Identifier: MIT
#include "base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/blocks.h"
#include "base/json.h"
#include "base/grow.h"

// Makes room for `size` bytes and the NUL at the end of the text.
static mco_status reserve(mco_text *t, int64_t *room, size_t size)
{
    return mco_grow(t->ctx, &t->data, room, (int64_t)size + 1);
}

static mco_status set_name(mco_text *t, const char *name)
{
    mco_status st = mco_alloc(t->ctx, &t->name, strlen(name) + 1);
    if (st == MCO_OK)
        memcpy(t->name, name, strlen(name) + 1);
    return st;
}

// Whether a byte is a control character other than \t, \n, \v, \f and \r, which follow each other.
static inline unsigned is_binary(unsigned char c)
{
    return (unsigned)(c < ' ') & (unsigned)((unsigned char)(c - '\t') > '\r' - '\t');
}

// Whether the content is bytes, which begin with `mark`; NULL: it is text.
static bool is_marked(const mco_text *t, const char *mark)
{
    const size_t size = mark != NULL ? strlen(mark) : 0;
    return size > 0 && t->size >= size && memcmp(t->data, mark, size) == 0;
}

// Refuses content that is no text, from byte `from` on. Text has no control characters except those for space. A picture
// or a program has others. The message gives the place of the first one.
static mco_status refuse_binary(mco_text *t, size_t from)
{
    unsigned found = 0;
    for (size_t i = from; i < t->size; i++)  // without branches, so vectors do it: text is seldom binary
        found |= is_binary((unsigned char)t->data[i]);
    for (size_t i = from; found != 0 && i < t->size; i++) {
        const unsigned char c = (unsigned char)t->data[i];
        if (!is_binary(c))
            continue;
        if (i == 0 && mco_is_gzip(t->data, t->size))
            return mco_fail(t->ctx, MCO_ERR_PARSE, "%s: compressed twice: decompress it once, by gzip -d", t->name);
        return mco_fail(t->ctx, MCO_ERR_PARSE, "%s: not a text file (byte 0x%02x at offset %zu)", t->name, c,
                        i);
    }
    return MCO_OK;
}

// Skips the byte order mark that spreadsheets write before UTF-8 text.
static void start(mco_text *t)
{
    bool has_mark = t->size >= 3 && memcmp(t->data, "\xef\xbb\xbf", 3) == 0;
    t->at = t->line_at = has_mark ? 3 : 0;
    t->line = 1;
}

mco_status mco_text_in_time(mco_text *text, int64_t count)
{
    enum { LOOK = 4096 };
    return count % LOOK == 0 ? mco_read_in_time(text->ctx, text->name) : MCO_OK;
}

static mco_status refuse_larger(mco_text *t, int64_t size)
{
    if (size <= MCO_TEXT_MAX_BYTES)
        return MCO_OK;
    return mco_fail(t->ctx, MCO_ERR_LIMIT, "%s has more than %d bytes of text, the most that is supported", t->name,
                    MCO_TEXT_MAX_BYTES);
}

// Reads up to MCO_TEXT_MAX_BYTES + 1 bytes. Each block is tested at once: a picture ends with its first block.
static mco_status read_text(mco_text *t, const char *mark, mco_blocks *blocks)
{
    enum { BLOCK = 1 << 16, LINES_OF_BLOCK = 64 };  // about as much work as so many lines
    mco_status st = MCO_OK;
    int64_t room = 0, blocks_read = 0;
    size_t got, part;
    MCO_TRY(mco_blocks_measure(blocks, MCO_TEXT_MAX_BYTES));
    MCO_TRY(refuse_larger(t, blocks->size));
    if (blocks->size >= 0) {  // a byte more shows the end of the file without another block
        room = blocks->size + 2;
        MCO_TRY(mco_alloc_unset(t->ctx, &t->data, room));
    }
    do {
        if (t->size + 2 > (size_t)room)
            MCO_TRY(reserve(t, &room, t->size + BLOCK));
        part = (size_t)room - 1 - t->size;
        part = part < BLOCK ? part : BLOCK;
        MCO_TRY(mco_blocks_read(blocks, t->data + t->size, part, &got));
        t->size += got;
        MCO_TRY(mco_text_in_time(t, ++blocks_read * LINES_OF_BLOCK));
        MCO_TRY(refuse_larger(t, (int64_t)t->size));
        if (!is_marked(t, mark))
            MCO_TRY(refuse_binary(t, t->size - got));
    } while (got == part);
    t->data[t->size] = '\0';
done:
    return st;
}

mco_status mco_text_open_marked(mco_context *ctx, const char *path, const char *mark, mco_text *out)
{
    mco_status st = MCO_OK;
    mco_text t = {.ctx = ctx};
    mco_blocks blocks = {0};
    MCO_TRY(set_name(&t, strcmp(path, "-") == 0 ? "standard input" : path));
    MCO_TRY(mco_blocks_open(ctx, path, MCO_PACKING_BY_CONTENT, &blocks));
    MCO_TRY(read_text(&t, mark, &blocks));
    start(&t);
    *out = t;
done:
    mco_blocks_close(&blocks);
    if (st != MCO_OK)
        mco_text_close(&t);
    return st;
}

mco_status mco_text_open(mco_context *ctx, const char *path, mco_text *out)
{
    return mco_text_open_marked(ctx, path, NULL, out);
}

mco_status mco_text_from_memory_marked(mco_context *ctx, const char *name, const void *data, size_t size, const char *mark,
                                       mco_text *out)
{
    mco_status st = MCO_OK;
    mco_text t = {.ctx = ctx};
    int64_t room = 0;
    MCO_TRY(set_name(&t, name));
    MCO_TRY(reserve(&t, &room, size));
    if (size > 0)
        memcpy(t.data, data, size);
    t.size = size;
    if (!is_marked(&t, mark))
        MCO_TRY(refuse_binary(&t, 0));
    start(&t);
    *out = t;
done:
    if (st != MCO_OK)
        mco_text_close(&t);
    return st;
}

mco_status mco_text_from_memory(mco_context *ctx, const char *name, const void *data, size_t size, mco_text *out)
{
    return mco_text_from_memory_marked(ctx, name, data, size, NULL, out);
}

void mco_text_close(mco_text *text)
{
    mco_free(text->ctx, &text->data);
    mco_free(text->ctx, &text->name);
}

const char *mco_text_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strcmp(path, "-") == 0 ? "stdin" : slash != NULL ? slash + 1 : path;
}

static void advance(mco_text *t)
{
    if (t->data[t->at++] == '\n') {
        t->line++;
        t->line_at = t->at;
    }
}

bool mco_text_skip_blank(mco_text *t)
{
    while (t->at < t->size && isspace((unsigned char)t->data[t->at]))
        advance(t);
    return t->at < t->size;
}

static mco_slice slice_at(const mco_text *t, size_t from, size_t to)
{
    return (mco_slice){t->data + from, to - from, t->line, (int64_t)(from - t->line_at) + 1};
}

bool mco_text_peek(mco_text *t, mco_slice *token)
{
    if (!mco_text_skip_blank(t))
        return false;
    size_t end = t->at;
    while (end < t->size && !isspace((unsigned char)t->data[end]))
        end++;
    *token = slice_at(t, t->at, end);
    return true;
}

bool mco_text_line(mco_text *t, mco_slice *line)
{
    if (t->at >= t->size)
        return false;
    const char *newline = memchr(t->data + t->at, '\n', t->size - t->at);
    const size_t end = newline != NULL ? (size_t)(newline - t->data) : t->size;
    *line = slice_at(t, t->at, end);
    while (line->size > 0 && line->data[line->size - 1] == '\r')
        line->size--;
    t->at = end;
    if (end < t->size)
        advance(t);
    return true;
}

bool mco_text_peek_line(mco_text *t, mco_slice *line)
{
    if (!mco_text_skip_blank(t))
        return false;
    mco_text ahead = *t;
    return mco_text_line(&ahead, line);
}

bool mco_text_row(mco_text *t, char separator, mco_slice *row)
{
    while (mco_text_line(t, row))
        if (!mco_slice_is_blank(*row, separator))
            return true;
    return false;
}

// Messages repeat words of files, which may hold any bytes. A control character or a byte that is not UTF-8 becomes a question mark.
static void clean_message(char *message)
{
    for (unsigned char *c = (unsigned char *)message; *c != '\0';) {
        const int length = mco_utf8_length(c);
        if (length == 0 || *c < ' ' || *c == 0x7f)
            *c = '?';
        c += length > 0 ? length : 1;
    }
}

mco_status mco_text_fail(mco_text *text, int64_t line, int64_t column, const char *format, ...)
{
    char message[MCO_ERROR_LENGTH];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    clean_message(message);
    return mco_fail(text->ctx, MCO_ERR_PARSE, "%s:%lld:%lld: %s", text->name, (long long)line,
                    (long long)column, message);
}

int mco_slice_shown(mco_slice slice)
{
    return slice.size < MCO_SHOWN ? (int)slice.size : MCO_SHOWN;
}

mco_slice mco_slice_behind(mco_slice s, size_t size)
{
    return (mco_slice){s.data + size, s.size - size, s.line, s.column + (int64_t)size};
}

// Removes the blanks at both ends, but not the separator, which may be a tab.
static mco_slice trim_field(mco_slice s, char separator)
{
    while (s.size > 0 && isspace((unsigned char)s.data[0]) && s.data[0] != separator)
        s = mco_slice_behind(s, 1);
    while (s.size > 0 && isspace((unsigned char)s.data[s.size - 1]) && s.data[s.size - 1] != separator)
        s.size--;
    return s;
}

mco_slice mco_slice_trim(mco_slice s)
{
    return trim_field(s, '\0');
}

mco_slice mco_slice_before(mco_slice s, char stop)
{
    size_t size = 0;
    while (size < s.size && !isspace((unsigned char)s.data[size]) && s.data[size] != stop)
        size++;
    s.size = size;
    return s;
}

bool mco_slice_take(mco_slice *rest, char c)
{
    if (rest->size == 0 || rest->data[0] != c)
        return false;
    *rest = mco_slice_trim(mco_slice_behind(*rest, 1));
    return true;
}

bool mco_slice_token(mco_slice *rest, mco_slice *token)
{
    *rest = mco_slice_trim(*rest);
    *token = mco_slice_before(*rest, ' ');
    *rest = mco_slice_behind(*rest, token->size);
    return token->size > 0;
}

bool mco_slice_is(mco_slice s, const char *word)
{
    return s.size == strlen(word) && (s.size == 0 || strncasecmp(s.data, word, s.size) == 0);
}

mco_status mco_slice_find(mco_text *text, mco_slice s, const char *what, const char *const *words, int count, int *out)
{
    enum { LIST_ROOM = 320 };  // bytes for the list of all words that are allowed at a place
    char list[LIST_ROOM] = "";
    for (*out = 0; *out < count; (*out)++)
        if (mco_slice_is(s, words[*out]))
            return MCO_OK;
    for (int i = 0, used = 0; i < count && used < LIST_ROOM; i++)
        used += snprintf(list + used, sizeof list - (size_t)used, "%s%s", i == 0 ? "" : i < count - 1 ? ", " : " and ",
                         words[i]);
    return mco_text_fail(text, s.line, s.column, "%s \"%.*s\", supported are %s", what, mco_slice_shown(s), s.data,
                         list);
}

bool mco_slice_is_blank(mco_slice s, char separator)
{
    for (size_t i = 0; i < s.size; i++)
        if (s.data[i] != separator && !isspace((unsigned char)s.data[i]))
            return false;
    return true;
}

// Index of the quote that closes a field that begins with a quote. s.size if there is none, or if anything but blanks
// is between it and the separator.
static size_t closing_quote(mco_slice s, char separator)
{
    size_t end = 1;
    while (end < s.size && (s.data[end] != '"' || (end + 1 < s.size && s.data[end + 1] == '"')))
        end += s.data[end] == '"' ? 2 : 1;
    if (end >= s.size)
        return s.size;
    mco_slice after = trim_field(mco_slice_behind(s, end + 1), separator);
    return after.size == 0 || after.data[0] == separator ? end : s.size;
}

bool mco_slice_field(mco_slice *rest, char separator, mco_slice *field)
{
    if (rest->data == NULL)
        return false;
    mco_slice s = trim_field(*rest, separator);
    size_t quote = s.size > 0 && s.data[0] == '"' ? closing_quote(s, separator) : s.size;
    size_t end = quote < s.size ? quote : 0;
    while (end < s.size && s.data[end] != separator)
        end++;
    *field = s;
    field->size = end;
    if (quote < s.size) {
        *field = mco_slice_behind(s, 1);
        field->size = quote - 1;
    } else {
        *field = mco_slice_trim(*field);
    }
    *rest = end < s.size ? mco_slice_behind(s, end + 1) : (mco_slice){NULL, 0, s.line, s.column + (int64_t)end};
    return true;
}

char mco_slice_separator(mco_slice line)
{
    for (size_t i = 0; i < line.size; i++)
        if (line.data[i] == ',' || line.data[i] == ';' || line.data[i] == '\t')
            return line.data[i];
    return ',';
}

char *mco_slice_copy(mco_slice field, char **next)
{
    char *start = *next;
    for (size_t i = 0; i < field.size; i++) {
        *(*next)++ = field.data[i];
        if (field.data[i] == '"' && i + 1 < field.size && field.data[i + 1] == '"')
            i++;
    }
    *(*next)++ = '\0';
    return start;
}
