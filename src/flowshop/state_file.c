// SPDX-License-Identifier: MIT
#include "flowshop/state_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "flowshop/instance.h"

static const char HASH_LINE[] = "# fnv1a ";

static uint64_t hash_bytes(const char *data, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)data[i]) * 0x100000001b3u;
    return hash;
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

mco_status flowshop_state_write(mco_context *ctx, const mco_flowshop *shop, const flowshop_state_format *format, const void *state,
                                const char *path)
{
    mco_status st = MCO_OK;
    char *body = NULL;
    size_t size = 0;
    mco_output o = {0};
    FILE *memory = open_memstream(&body, &size);
    if (memory == NULL)
        return mco_fail(ctx, MCO_ERR_MEMORY, "out of memory for a checkpoint");
    write_body(memory, shop, format, state);
    if (fclose(memory) != 0)
        MCO_TRY(mco_fail(ctx, MCO_ERR_MEMORY, "out of memory for a checkpoint"));
    MCO_TRY(mco_output_open(ctx, path, &o));
    fwrite(body, 1, size, o.file);
    fprintf(o.file, "%s%016" PRIx64 "\n", HASH_LINE, hash_bytes(body, size));
    MCO_TRY(mco_output_commit(ctx, &o, true));
done:
    free(body);
    return st;
}

// ---- Reading

static mco_status refuse(mco_text *text, const char *reason)
{
    return mco_fail(text->ctx, MCO_ERR_PARSE,
                    "%s: %s. The file is left as it is; if \"%s.prev\" exists, it is the previous checkpoint",
                    text->name, reason, text->name);
}

// Tests that the last line holds the hash of everything before it, and cuts that line off the text.
static mco_status verify_hash(mco_text *text)
{
    const size_t prefix = sizeof HASH_LINE - 1, line = prefix + 16 + 1;
    char expected[32];
    if (text->size < line || memcmp(text->data + text->size - line, HASH_LINE, prefix) != 0)
        return refuse(text, "not a whole checkpoint (its last line is missing: the file was cut, or is no checkpoint)");
    size_t size = text->size - line;
    snprintf(expected, sizeof expected, "%016" PRIx64 "\n", hash_bytes(text->data, size));
    if (memcmp(text->data + size + prefix, expected, 17) != 0)
        return refuse(text, "damaged: its hash does not match");
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

mco_status flowshop_state_read_text(mco_context *ctx, const mco_flowshop *shop, mco_text *text, const flowshop_state_format *format,
                                    void *state)
{
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    char key[40], reason[64];
    int64_t version;
    uint32_t seen = 0;
    MCO_TRY(verify_hash(text));
    MCO_TRY(mco_json_enter(text, '{'));
    MCO_TRY(mco_json_next(text, '{', &is_first, &has_next, key, sizeof key));
    snprintf(reason, sizeof reason, "not %s", format->name);
    if (!has_next || strcmp(key, format->kind) != 0)
        MCO_TRY(refuse(text, reason));
    MCO_TRY(mco_json_read_integer(text, "the version", 0, INT32_MAX, &version));
    if (version != format->version)
        MCO_TRY(refuse(text, "written by another version of the format"));
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
    if (seen != ((uint32_t)1 << (OF_INSTANCE + format->count)) - 1 || !format->is_sound(shop, state))
        MCO_TRY(refuse(text, "members are missing or contradict each other"));
done:
    return st;
}

mco_status flowshop_state_read(mco_context *ctx, const mco_flowshop *shop, const char *path, const flowshop_state_format *format,
                               void *state)
{
    mco_text text;
    mco_status st = mco_text_open(ctx, path, &text);
    if (st != MCO_OK)
        return st;
    st = flowshop_state_read_text(ctx, shop, &text, format, state);
    mco_text_close(&text);
    return st;
}
