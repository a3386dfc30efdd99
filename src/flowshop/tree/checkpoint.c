// SPDX-License-Identifier: MIT
// A checkpoint is a JSON object and a last line with the FNV-1a hash of all bytes before that line. So the reader
// refuses a cut or changed file before it uses anything of it.
#include "flowshop/tree/checkpoint.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/output.h"
#include "flowshop/instance.h"

enum { VERSION = 1 };
static const char HASH_LINE[] = "# fnv1a ";

static const char *const bound_names[] = {"auto", "lb1", "lb2"};
static const char *const branching_names[] = {"auto", "forward", "backward", "alternate", "minbranch", "minmin",
                                              "maxsum"};

mco_status flowshop_checkpoint_create(mco_context *ctx, int32_t jobs, flowshop_checkpoint *out)
{
    mco_status st = MCO_OK;
    flowshop_checkpoint c = {.makespan = -1, .open.jobs = jobs};
    MCO_TRY(mco_alloc(ctx, &c.order, jobs));
    MCO_TRY(mco_alloc(ctx, &c.children_by_depth, ((int64_t)jobs + 1) * flowshop_children_columns(jobs)));
    *out = c;
done:
    if (st != MCO_OK)
        flowshop_checkpoint_destroy(ctx, &c);
    return st;
}

void flowshop_checkpoint_destroy(mco_context *ctx, flowshop_checkpoint *c)
{
    flowshop_intervals_clear(ctx, &c->open);
    mco_free(ctx, &c->children_by_depth);
    mco_free(ctx, &c->order);
}

static uint64_t hash_bytes(const char *data, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)data[i]) * 0x100000001b3u;
    return hash;
}

// ---- Writing

// Writes each row of counts without the zeros at its end. The row of a depth that was not reached is empty.
static void write_rows(mco_json *json, const flowshop_checkpoint *c, int32_t jobs)
{
    mco_json_open(json, "children_by_depth", '[');
    const int32_t columns = flowshop_children_columns(jobs);
    for (int32_t d = 0; d <= jobs; d++) {
        const int64_t *row = c->children_by_depth + (int64_t)d * columns;
        int64_t used = columns;
        while (used > 0 && row[used - 1] == 0)
            used--;
        mco_json_counts(json, NULL, row, used);
    }
    mco_json_close(json, ']');
}

static void write_body(FILE *file, const mco_flowshop *shop, const flowshop_checkpoint *c)
{
    mco_json json;
    char fingerprint[32];
    snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, flowshop_fingerprint(shop));
    mco_json_begin(&json, file);
    mco_json_open(&json, NULL, '{');
    mco_json_integer(&json, "mco_flowshop_checkpoint", VERSION);
    mco_json_text(&json, "instance", fingerprint);
    mco_json_integer(&json, "jobs", shop->jobs);
    mco_json_integer(&json, "machines", shop->machines);
    mco_json_text(&json, "bound", bound_names[c->bound]);
    mco_json_text(&json, "branching", branching_names[c->branching]);
    mco_json_integer(&json, "rule_bound", c->rule_bound);
    mco_json_integer(&json, "is_fixed", c->is_fixed);
    mco_json_integer(&json, "is_slice", c->is_slice);
    mco_json_integer(&json, "upper_bound", c->upper_bound);
    mco_json_integers(&json, "order", c->order, c->makespan >= 0 ? shop->jobs : 0, 1);
    mco_json_integer(&json, "leaves", c->leaves);
    mco_json_integer(&json, "iterations", c->iterations);
    mco_json_integer(&json, "steals", c->steals);
    write_rows(&json, c, shop->jobs);
    mco_json_open(&json, "open", '[');
    for (int64_t i = 0; i < c->open.count; i++) {
        const flowshop_interval *v = &c->open.items[i];
        mco_json_open(&json, NULL, '[');
        mco_json_integers(&json, NULL, v->a, v->a_depth, 0);
        mco_json_integers(&json, NULL, v->b, v->b_depth, 0);
        mco_json_close(&json, ']');
    }
    mco_json_close(&json, ']');
    mco_json_close(&json, '}');
    mco_json_end(&json);
}

mco_status flowshop_checkpoint_write(mco_context *ctx, const mco_flowshop *shop, const flowshop_checkpoint *c,
                                     const char *path)
{
    mco_status st = MCO_OK;
    char *body = NULL;
    size_t size = 0;
    mco_output o = {0};
    FILE *memory = open_memstream(&body, &size);
    if (memory == NULL)
        return mco_fail(ctx, MCO_ERR_MEMORY, "out of memory for a checkpoint");
    write_body(memory, shop, c);
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

static mco_status read_name(mco_text *text, const char *const *names, int count, int *out)
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

static mco_status read_flag(mco_text *text, const char *what, bool *out)
{
    int64_t value;
    mco_status st = mco_json_read_integer(text, what, 0, 1, &value);
    if (st == MCO_OK)
        *out = value != 0;
    return st;
}

// Reads the digits of a path. Digit d must be below jobs - d.
static mco_status read_path(mco_text *text, int32_t jobs, int32_t *digits, int32_t *depth)
{
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    int64_t digit;
    *depth = 0;
    MCO_TRY(mco_json_enter(text, '['));
    for (;;) {
        MCO_TRY(mco_json_next(text, '[', &is_first, &has_next, NULL, 0));
        if (!has_next)
            break;
        if (*depth == jobs)
            MCO_TRY(mco_text_fail_here(text, "a path has more than %d digits", jobs));
        MCO_TRY(mco_json_read_integer(text, "a digit", 0, jobs - *depth - 1, &digit));
        digits[(*depth)++] = (int32_t)digit;
    }
done:
    return st;
}

static mco_status read_interval(mco_text *text, int32_t jobs, flowshop_interval *v)
{
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    MCO_TRY(mco_json_enter(text, '['));
    MCO_TRY(mco_json_next(text, '[', &is_first, &has_next, NULL, 0));
    MCO_TRY(read_path(text, jobs, v->a, &v->a_depth));
    MCO_TRY(mco_json_next(text, '[', &is_first, &has_next, NULL, 0));
    MCO_TRY(read_path(text, jobs, v->b, &v->b_depth));
    MCO_TRY(mco_json_next(text, '[', &is_first, &has_next, NULL, 0));
    if (has_next)
        MCO_TRY(mco_text_fail_here(text, "an interval has two paths"));
    if (v->b_depth > 0 && flowshop_path_compare(v->a, v->a_depth, v->b, v->b_depth) > 0)
        MCO_TRY(mco_text_fail_here(text, "an interval ends before it begins"));
done:
    return st;
}

static mco_status read_open(mco_context *ctx, mco_text *text, flowshop_checkpoint *c)
{
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    flowshop_interval v = {0};
    MCO_TRY(flowshop_interval_create(ctx, c->open.jobs, &v));
    MCO_TRY(mco_json_enter(text, '['));
    for (;;) {
        MCO_TRY(mco_json_next(text, '[', &is_first, &has_next, NULL, 0));
        if (!has_next)
            break;
        MCO_TRY(read_interval(text, c->open.jobs, &v));
        v.bound = 0;
        MCO_TRY(flowshop_intervals_add(ctx, &c->open, &v));
    }
done:
    flowshop_interval_destroy(ctx, &v);
    return st;
}

// Reads an array of at most `most` integers, each in [low, high]. *count receives their number.
static mco_status read_counts(mco_text *text, const char *what, int64_t low, int64_t high, int64_t most, int64_t *out,
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

static mco_status read_rows(mco_text *text, int32_t jobs, flowshop_checkpoint *c)
{
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    int64_t count;
    const int32_t columns = flowshop_children_columns(jobs);
    MCO_TRY(mco_json_enter(text, '['));
    for (int32_t d = 0;; d++) {
        MCO_TRY(mco_json_next(text, '[', &is_first, &has_next, NULL, 0));
        if (!has_next)
            break;
        if (d > jobs)
            MCO_TRY(mco_text_fail_here(text, "more than %d depths", jobs + 1));
        MCO_TRY(read_counts(text, "a count of nodes", 0, INT64_MAX / 4096, columns,
                            c->children_by_depth + (int64_t)d * columns, &count));
    }
done:
    return st;
}

static mco_status read_order(mco_context *ctx, mco_text *text, const mco_flowshop *shop, flowshop_checkpoint *c)
{
    mco_status st = MCO_OK;
    int64_t *jobs = NULL, count;
    MCO_TRY(mco_alloc(ctx, &jobs, shop->jobs));
    MCO_TRY(read_counts(text, "a job", 1, shop->jobs, shop->jobs, jobs, &count));
    for (int64_t k = 0; k < count; k++)
        c->order[k] = (int32_t)(jobs[k] - 1);
    // The makespan is computed from the order. The file does not hold it.
    if (count > 0)
        MCO_TRY(mco_flowshop_check(ctx, shop, c->order, count, &c->makespan));
done:
    mco_free(ctx, &jobs);
    return st == MCO_ERR_CHECK ? refuse(text, "its order is no permutation of all jobs") : st;
}

// The members behind the version. A valid file holds each exactly once.
static const char *const member_names[] = {"instance", "jobs",    "machines", "bound",      "branching",
                                           "rule_bound", "is_fixed", "is_slice", "upper_bound", "order",
                                           "leaves",   "iterations", "steals",   "children_by_depth", "open"};
enum { MEMBERS = sizeof member_names / sizeof member_names[0] };

static int find_member(const char *key)
{
    for (int i = 0; i < MEMBERS; i++)
        if (strcmp(member_names[i], key) == 0)
            return i;
    return -1;
}

static mco_status read_member(mco_context *ctx, mco_text *text, const mco_flowshop *shop, const char *key,
                              flowshop_checkpoint *c)
{
    char expected[32], seen[32];
    int64_t value;
    int choice = 0;
    mco_status st;
    if (strcmp(key, "instance") == 0) {
        snprintf(expected, sizeof expected, "%016" PRIx64, flowshop_fingerprint(shop));
        st = mco_json_read_text(text, seen, sizeof seen);
        return st == MCO_OK && strcmp(seen, expected) != 0 ? refuse(text, "the checkpoint of another instance") : st;
    }
    if (strcmp(key, "jobs") == 0)
        return mco_json_read_integer(text, "jobs", shop->jobs, shop->jobs, &value);
    if (strcmp(key, "machines") == 0)
        return mco_json_read_integer(text, "machines", shop->machines, shop->machines, &value);
    if (strcmp(key, "bound") == 0) {
        st = read_name(text, bound_names, 3, &choice);
        c->bound = (mco_flowshop_bound)choice;
        return st;
    }
    if (strcmp(key, "branching") == 0) {
        st = read_name(text, branching_names, 7, &choice);
        c->branching = (mco_flowshop_branching)choice;
        return st;
    }
    if (strcmp(key, "rule_bound") == 0)
        return mco_json_read_integer(text, key, 0, INT32_MAX, &c->rule_bound);
    if (strcmp(key, "is_fixed") == 0)
        return read_flag(text, key, &c->is_fixed);
    if (strcmp(key, "is_slice") == 0)
        return read_flag(text, key, &c->is_slice);
    if (strcmp(key, "upper_bound") == 0)
        return mco_json_read_integer(text, key, 0, INT32_MAX, &c->upper_bound);
    if (strcmp(key, "order") == 0)
        return read_order(ctx, text, shop, c);
    if (strcmp(key, "leaves") == 0)
        return mco_json_read_integer(text, key, 0, INT64_MAX / 4096, &c->leaves);
    if (strcmp(key, "iterations") == 0)
        return mco_json_read_integer(text, key, 0, INT64_MAX / 4096, &c->iterations);
    if (strcmp(key, "steals") == 0)
        return mco_json_read_integer(text, key, 0, INT64_MAX / 4096, &c->steals);
    if (strcmp(key, "children_by_depth") == 0)
        return read_rows(text, shop->jobs, c);
    if (strcmp(key, "open") == 0)
        return read_open(ctx, text, c);
    return MCO_ERR_INTERNAL;
}

mco_status flowshop_checkpoint_read_text(mco_context *ctx, const mco_flowshop *shop, mco_text *text,
                                         flowshop_checkpoint *c)
{
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    char key[40];
    int64_t version;
    uint32_t seen = 0;
    MCO_TRY(verify_hash(text));
    MCO_TRY(mco_json_enter(text, '{'));
    MCO_TRY(mco_json_next(text, '{', &is_first, &has_next, key, sizeof key));
    if (!has_next || strcmp(key, "mco_flowshop_checkpoint") != 0)
        MCO_TRY(refuse(text, "not a flow shop checkpoint"));
    MCO_TRY(mco_json_read_integer(text, "the version", 0, INT32_MAX, &version));
    if (version != VERSION)
        MCO_TRY(refuse(text, "written by another version of the format"));
    for (;;) {
        MCO_TRY(mco_json_next(text, '{', &is_first, &has_next, key, sizeof key));
        if (!has_next)
            break;
        int member = find_member(key);
        if (member < 0 || (seen >> member & 1) != 0)
            MCO_TRY(mco_text_fail_here(text, "\"%s\" is unknown or appears twice", key));
        seen |= (uint32_t)1 << member;
        MCO_TRY(read_member(ctx, text, shop, key, c));
    }
    if (seen != ((uint32_t)1 << MEMBERS) - 1 || c->upper_bound > c->rule_bound || c->bound == MCO_FLOWSHOP_BOUND_AUTO ||
        c->branching == MCO_FLOWSHOP_BRANCHING_AUTO || (c->makespan >= 0 && c->upper_bound > c->makespan))
        MCO_TRY(refuse(text, "members are missing or contradict each other"));
done:
    return st;
}

mco_status flowshop_checkpoint_read(mco_context *ctx, const mco_flowshop *shop, const char *path,
                                    flowshop_checkpoint *c)
{
    mco_text text;
    mco_status st = mco_text_open(ctx, path, &text);
    if (st != MCO_OK)
        return st;
    st = flowshop_checkpoint_read_text(ctx, shop, &text, c);
    mco_text_close(&text);
    return st;
}
