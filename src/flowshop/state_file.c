// SPDX-License-Identifier: MIT
#include "flowshop/state_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "flowshop/instance.h"

static const char HASH_LINE[] = "# fnv1a ";

static const uint64_t HASH_BEGIN = 0xcbf29ce484222325u;

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
    return hash;
}

// ---- The binary form: the mark, four numbers, the JSON object, the tail, and the hash of all of it. Numbers have eight bytes,
// the lowest first.

enum { BINARY_VERSION = 1, MARK = sizeof FLOWSHOP_STATE_MARK - 1, WORD = 8, HEADER = MARK + 4 * WORD };

typedef struct header {
    uint64_t version, bytes;    // of the whole file
    uint64_t head, tail;  // bytes of the object and of what follows it
} header;

static void put_word(char *out, uint64_t value)
{
    for (int i = 0; i < WORD; i++)
        out[i] = (char)(value >> 8 * i & 0xff);
}

static uint64_t word_at(const char *data)
{
    uint64_t value = 0;
    for (int i = 0; i < WORD; i++)
        value |= (uint64_t)(unsigned char)data[i] << 8 * i;
    return value;
}

// ---- Writing

static void write_body(FILE *file, const mco_flowshop *shop, const flowshop_state_format *format, const void *state)
{
    mco_json json;
    char fingerprint[32];
    snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, flowshop_fingerprint(shop));
    mco_json_begin(&json, file);
    mco_json_open(&json, NULL, '{');
    mco_json_integer(&json, format->kind, format->version);
    mco_json_text(&json, "instance", fingerprint);
    mco_json_integer(&json, "jobs", shop->jobs);
    mco_json_integer(&json, "machines", shop->machines);
    format->write(&json, shop, state);
    mco_json_close(&json, '}');
    mco_json_end(&json);
}

// A file on its way, and the hash of what is in it.
typedef struct sink {
    mco_output o;
    uint64_t hash;
    int reason;  // errno of a failed write; 0: none
} sink;

static void put(sink *s, const void *data, size_t size)
{
    s->hash = hash_bytes(s->hash, data, size);
    errno = 0;
    if (s->reason == 0 && size > 0 && fwrite(data, 1, size, s->o.file) != size)
        s->reason = errno != 0 ? errno : EIO;
}

static void put_binary(sink *s, const char *head, size_t head_bytes, const flowshop_bytes *blocks, int64_t count)
{
    char words[HEADER] = FLOWSHOP_STATE_MARK;
    uint64_t tail = 0;
    for (int64_t b = 0; b < count; b++)
        tail += (uint64_t)blocks[b].count;
    put_word(words + MARK, BINARY_VERSION);
    put_word(words + MARK + WORD, HEADER + head_bytes + tail + WORD);
    put_word(words + MARK + 2 * WORD, head_bytes);
    put_word(words + MARK + 3 * WORD, tail);
    put(s, words, HEADER);
    put(s, head, head_bytes);
    for (int64_t b = 0; b < count && s->reason == 0; b++)
        put(s, blocks[b].data, (size_t)blocks[b].count);
    put_word(words, s->hash);
    put(s, words, WORD);
}

static void put_text(sink *s, const char *body, size_t size)
{
    char line[48];
    put(s, body, size);
    put(s, line, (size_t)snprintf(line, sizeof line, "%s%016" PRIx64 "\n", HASH_LINE, s->hash));
}

static mco_status commit(mco_context *ctx, sink *s)
{
    const long long size = ftell(s->o.file);
    if (s->reason == 0 && size <= MCO_TEXT_MAX_BYTES)
        return mco_output_commit(ctx, &s->o, true);
    mco_output_discard(&s->o);
    if (s->reason == 0)
        return mco_fail(ctx, MCO_ERR_LIMIT, "cannot write %s: a checkpoint of %lld bytes, at most %d are read again", s->o.path, size,
                        MCO_TEXT_MAX_BYTES);
    return mco_fail(ctx, MCO_ERR_IO, "cannot write %s: %s", s->o.path, strerror(s->reason));
}

mco_status flowshop_state_write(mco_context *ctx, const mco_flowshop *shop, const flowshop_state_format *format, const void *state,
                                const char *path)
{
    mco_status st = MCO_OK;
    char *body = NULL;
    size_t size = 0;
    sink s = {.hash = HASH_BEGIN};
    const flowshop_bytes *blocks = NULL;
    const int64_t count = format->tail != NULL ? format->tail(state, &blocks) : -1;
    FILE *memory = open_memstream(&body, &size);
    if (memory == NULL)
        return mco_fail(ctx, MCO_ERR_MEMORY, "out of memory for a checkpoint");
    write_body(memory, shop, format, state);
    if (fclose(memory) != 0)
        MCO_TRY(mco_fail(ctx, MCO_ERR_MEMORY, "out of memory for a checkpoint"));
    MCO_TRY(mco_output_open(ctx, path, &s.o));
    if (count >= 0)
        put_binary(&s, body, size, blocks, count);
    else
        put_text(&s, body, size);
    MCO_TRY(commit(ctx, &s));
done:
    free(body);
    return st;
}

// ---- Reading

// Fills `out` with what a user can do about a file that is refused. A file "name.prev" is the checkpoint before it.
static const char *advise(const char *name, char *out, size_t size)
{
    char previous[MCO_PATH_LENGTH + 8];
    snprintf(previous, sizeof previous, "%s.prev", name);
    const bool is_there = access(previous, R_OK) == 0;
    snprintf(out, size, is_there ? "The file is left as it is; --resume %s goes on from the checkpoint before it"
                                 : "The file is left as it is; there is no checkpoint before it (%s)", previous);
    return out;
}

static MCO_PRINTF(2, 3) mco_status refuse(mco_text *text, const char *format, ...)
{
    char reason[MCO_ERROR_LENGTH], advice[MCO_ERROR_LENGTH];
    va_list values;
    va_start(values, format);
    vsnprintf(reason, sizeof reason, format, values);
    va_end(values);
    return mco_fail(text->ctx, MCO_ERR_PARSE, "%s: %s. %s", text->name, reason, advise(text->name, advice, sizeof advice));
}

// Tests that the last line holds the hash of everything before it, and cuts that line off the text.
static mco_status verify_hash(mco_text *text)
{
    const size_t prefix = sizeof HASH_LINE - 1, line = prefix + 16 + 1;
    char expected[32];
    if (text->size < line || memcmp(text->data + text->size - line, HASH_LINE, prefix) != 0)
        return refuse(text, "not a whole checkpoint (%zu bytes without its last line: the file was cut, or is no checkpoint)", text->size);
    size_t size = text->size - line;
    snprintf(expected, sizeof expected, "%016" PRIx64 "\n", hash_bytes(HASH_BEGIN, text->data, size));
    if (memcmp(text->data + size + prefix, expected, 17) != 0)
        return refuse(text, "damaged: its hash does not match: its last line says %.16s, its %zu bytes before have %.16s",
                      text->data + size + prefix, size, expected);
    text->size = size;
    text->data[size] = '\0';
    return MCO_OK;
}

mco_status flowshop_state_name(mco_text *text, const char *const *names, int count, int *out)
{
    char name[32];
    mco_status st = mco_json_read_text(text, name, sizeof name);
    if (st != MCO_OK)
        return st;
    for (int i = 1; i < count; i++)
        if (strcmp(names[i], name) == 0) {
            *out = i;
            return MCO_OK;
        }
    return mco_text_fail_here(text, "\"%s\" is unknown", name);
}

mco_status flowshop_state_flag(mco_text *text, const char *what, bool *out)
{
    int64_t value;
    mco_status st = mco_json_read_integer(text, what, 0, 1, &value);
    if (st == MCO_OK)
        *out = value != 0;
    return st;
}

mco_status flowshop_state_counts(mco_text *text, const char *what, int64_t low, int64_t high, int64_t most, int64_t *out,
                              int64_t *count)
{
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    *count = 0;
    MCO_TRY(mco_json_enter(text, '['));
    for (;;) {
        MCO_TRY(mco_json_next(text, '[', &is_first, &has_next, NULL, 0));
        if (!has_next)
            break;
        if (*count == most)
            MCO_TRY(mco_text_fail_here(text, "more than %lld numbers for %s", (long long)most, what));
        MCO_TRY(mco_json_read_integer(text, what, low, high, &out[(*count)++]));
    }
done:
    return st;
}

mco_status flowshop_state_order(mco_context *ctx, mco_text *text, const mco_flowshop *shop, int32_t *order, int64_t *makespan)
{
    mco_status st = MCO_OK;
    int64_t *jobs = NULL, count;
    MCO_TRY(mco_alloc(ctx, &jobs, shop->jobs));
    MCO_TRY(flowshop_state_counts(text, "a job", 1, shop->jobs, shop->jobs, jobs, &count));
    for (int64_t k = 0; k < count; k++)
        order[k] = (int32_t)(jobs[k] - 1);
    // The makespan is computed from the order. The file does not hold it.
    if (count > 0)
        MCO_TRY(mco_flowshop_check(ctx, shop, order, count, makespan));
done:
    mco_free(ctx, &jobs);
    return st == MCO_ERR_CHECK ? refuse(text, "its order is no permutation of all jobs") : st;
}

enum { OF_INSTANCE = 3 };
static const char *const of_instance[OF_INSTANCE] = {"instance", "jobs", "machines"};

// The place of a member among those of the instance and those of the format; -1 if there is none.
static int find_member(const flowshop_state_format *format, const char *key)
{
    for (int i = 0; i < OF_INSTANCE; i++)
        if (strcmp(of_instance[i], key) == 0)
            return i;
    for (int i = 0; i < format->count; i++)
        if (strcmp(format->members[i], key) == 0)
            return OF_INSTANCE + i;
    return -1;
}

static mco_status read_instance(mco_text *text, const mco_flowshop *shop, int member)
{
    char expected[32], seen[32];
    int64_t value;
    mco_status st = MCO_OK;
    if (member > 0) {
        const int64_t size = member == 1 ? shop->jobs : shop->machines;
        return mco_json_read_integer(text, of_instance[member], size, size, &value);
    }
    snprintf(expected, sizeof expected, "%016" PRIx64, flowshop_fingerprint(shop));
    st = mco_json_read_text(text, seen, sizeof seen);
    return st == MCO_OK && strcmp(seen, expected) != 0 ? refuse(text, "the checkpoint of another instance") : st;
}

// Reads the members of the JSON object, each exactly once.
static mco_status read_members(mco_context *ctx, const mco_flowshop *shop, mco_text *text, const flowshop_state_format *format,
                               void *state)
{
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    char key[40];
    int64_t version;
    uint32_t seen = 0;
    MCO_TRY(mco_json_enter(text, '{'));
    MCO_TRY(mco_json_next(text, '{', &is_first, &has_next, key, sizeof key));
    if (!has_next || strcmp(key, format->kind) != 0)
        MCO_TRY(refuse(text, "not %s", format->name));
    MCO_TRY(mco_json_read_integer(text, "the version", 0, INT32_MAX, &version));
    if (version != format->version)
        MCO_TRY(refuse(text, "written by version %lld of the format, this mco reads version %d", (long long)version, format->version));
    for (;;) {
        MCO_TRY(mco_json_next(text, '{', &is_first, &has_next, key, sizeof key));
        if (!has_next)
            break;
        const int member = find_member(format, key);
        if (member < 0 || (seen >> member & 1) != 0)
            MCO_TRY(mco_text_fail_here(text, "\"%s\" is unknown or appears twice", key));
        seen |= (uint32_t)1 << member;
        MCO_TRY(member < OF_INSTANCE ? read_instance(text, shop, member) : format->read(ctx, text, shop, key, state));
    }
    if (seen != ((uint32_t)1 << (OF_INSTANCE + format->count)) - 1)
        MCO_TRY(refuse(text, "members are missing"));
done:
    return st;
}

static bool is_binary(const mco_text *text)
{
    return text->size >= MARK && memcmp(text->data, FLOWSHOP_STATE_MARK, MARK) == 0;
}

// Reads the header of the binary form and tests sizes and hash.
static mco_status verify_binary(mco_text *text, header *h)
{
    const uint64_t size = text->size;
    if (size < HEADER + WORD)
        return refuse(text, "cut: it has %zu bytes, its header alone %d", text->size, HEADER);
    *h = (header){.version = word_at(text->data + MARK), .bytes = word_at(text->data + MARK + WORD),
                  .head = word_at(text->data + MARK + 2 * WORD), .tail = word_at(text->data + MARK + 3 * WORD)};
    if (h->version != BINARY_VERSION)
        return refuse(text, "written by version %" PRIu64 " of the binary form, this mco reads version %d", h->version, BINARY_VERSION);
    if (h->bytes != size)
        return refuse(text, "%s: it has %" PRIu64 " bytes, its header says %" PRIu64, h->bytes > size ? "cut" : "damaged", size, h->bytes);
    if (h->head > size || h->tail > size || HEADER + h->head + h->tail + WORD != size)
        return refuse(text, "damaged: its header says %" PRIu64 " and %" PRIu64 " bytes of content in a file of %" PRIu64, h->head, h->tail,
                      size);
    const uint64_t said = word_at(text->data + size - WORD), found = hash_bytes(HASH_BEGIN, text->data, size - WORD);
    if (said != found)
        return refuse(text, "damaged: its hash does not match: its end says %016" PRIx64 ", its %" PRIu64 " bytes before have %016" PRIx64,
                      said, size - WORD, found);
    return MCO_OK;
}

static mco_status read_binary(mco_context *ctx, const mco_flowshop *shop, mco_text *text, const flowshop_state_format *format,
                              void *state)
{
    mco_status st = MCO_OK;
    header h = {0};
    mco_text head = {0};
    MCO_TRY(verify_binary(text, &h));
    MCO_TRY(mco_text_from_memory(ctx, text->name, text->data + HEADER, h.head, &head));
    MCO_TRY(read_members(ctx, shop, &head, format, state));
    if (format->read_tail == NULL)
        MCO_TRY(refuse(text, "%s has no binary form", format->name));
    flowshop_reader tail = {.data = (const uint8_t *)text->data, .at = (int64_t)(HEADER + h.head), .size = (int64_t)(h.bytes - WORD)};
    MCO_TRY(format->read_tail(ctx, text, shop, &tail, state));
done:
    mco_text_close(&head);
    return st;
}

mco_status flowshop_state_read_text(mco_context *ctx, const mco_flowshop *shop, mco_text *text, const flowshop_state_format *format,
                                    void *state)
{
    mco_status st = MCO_OK;
    if (is_binary(text)) {
        MCO_TRY(read_binary(ctx, shop, text, format, state));
    } else {
        MCO_TRY(verify_hash(text));
        MCO_TRY(read_members(ctx, shop, text, format, state));
    }
    if (!format->is_sound(shop, state))
        MCO_TRY(refuse(text, "its members contradict each other"));
done:
    return st;
}

mco_status flowshop_state_read(mco_context *ctx, const mco_flowshop *shop, const char *path, const flowshop_state_format *format,
                               void *state)
{
    mco_text text;
    char reason[MCO_ERROR_LENGTH], advice[MCO_ERROR_LENGTH];
    mco_status st = mco_text_open_marked(ctx, path, FLOWSHOP_STATE_MARK, &text);
    if (st == MCO_ERR_PARSE) {
        snprintf(reason, sizeof reason, "%s", mco_context_error(ctx));
        return mco_fail(ctx, st, "%s. %s", reason, advise(path, advice, sizeof advice));
    }
    if (st != MCO_OK)
        return st;
    st = flowshop_state_read_text(ctx, shop, &text, format, state);
    mco_text_close(&text);
    return st;
}
