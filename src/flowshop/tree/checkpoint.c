// SPDX-License-Identifier: MIT
#include "flowshop/tree/checkpoint.h"

#include <string.h>

#include "flowshop/instance.h"
#include "flowshop/state_file.h"

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

void flowshop_checkpoint_copy(const flowshop_checkpoint *from, flowshop_checkpoint *to)
{
    const int32_t jobs = from->open.jobs;
    int64_t *const rows = to->children_by_depth;
    int32_t *const order = to->order;
    const flowshop_intervals open = to->open;
    *to = *from;
    to->children_by_depth = rows;
    to->order = order;
    to->open = open;
    memcpy(rows, from->children_by_depth, ((size_t)jobs + 1) * (size_t)flowshop_children_columns(jobs) * sizeof *rows);
    memcpy(order, from->order, (size_t)jobs * sizeof *order);
}

// ---- Writing

// What is written.
typedef struct saved {
    const flowshop_checkpoint *c;
    const flowshop_packed *open;  // its intervals; NULL: those of c->open
    flowshop_interval v;          // room for one of `open`
} saved;

// The text form, unless there are too many intervals for it. Then they are packed.
static bool is_binary(const saved *s)
{
    return s->open != NULL && s->open->count > FLOWSHOP_MOST_IN_TEXT;
}

static int64_t tail(const void *state, const flowshop_bytes **blocks)
{
    const saved *s = state;
    *blocks = is_binary(s) ? s->open->blocks : NULL;
    return is_binary(s) ? s->open->block_count : -1;
}

static void write_interval(mco_json *json, const flowshop_interval *v)
{
    mco_json_open(json, NULL, '[');
    mco_json_integers(json, NULL, v->a, v->a_depth, 0);
    mco_json_integers(json, NULL, v->b, v->b_depth, 0);
    mco_json_close(json, ']');
}

// Writes the intervals; of those that follow as bytes only their number.
static void write_open(mco_json *json, const saved *s)
{
    const flowshop_intervals *list = &s->c->open;
    flowshop_packed_place place = {0};
    flowshop_interval v = s->v;
    if (is_binary(s)) {
        mco_json_integer(json, "open", s->open->count);
        return;
    }
    mco_json_open(json, "open", '[');
    if (s->open != NULL)
        while (flowshop_packed_next(s->open, list->jobs, &place, &v))
            write_interval(json, &v);
    else
        for (int64_t i = 0; i < list->count; i++)
            write_interval(json, &list->items[i]);
    mco_json_close(json, ']');
}

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

static void write_members(mco_json *json, const mco_flowshop *shop, const void *state)
{
    const saved *s = state;
    const flowshop_checkpoint *c = s->c;
    mco_json_text(json, "bound", bound_names[c->bound]);
    mco_json_text(json, "branching", branching_names[c->branching]);
    mco_json_integer(json, "rule_bound", c->rule_bound);
    mco_json_integer(json, "is_fixed", c->is_fixed);
    mco_json_integer(json, "is_slice", c->is_slice);
    mco_json_integer(json, "upper_bound", c->upper_bound);
    mco_json_integers(json, "order", c->order, c->makespan >= 0 ? shop->jobs : 0, 1);
    mco_json_integer(json, "leaves", c->leaves);
    mco_json_integer(json, "iterations", c->iterations);
    mco_json_integer(json, "steals", c->steals);
    write_rows(json, c, shop->jobs);
    write_open(json, s);
}

// ---- Reading

// What is read.
typedef struct loaded {
    flowshop_checkpoint *c;
    int64_t packed;  // intervals that follow as bytes and were not yet read; -1: none follow
} loaded;

// Tests the ends of an interval.
static bool ends_before_begin(const flowshop_interval *v)
{
    return v->b_depth > 0 && flowshop_path_compare(v->a, v->a_depth, v->b, v->b_depth) > 0;
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
    if (ends_before_begin(v))
        MCO_TRY(mco_text_fail_here(text, "an interval ends before it begins"));
done:
    return st;
}

static mco_status read_open(mco_context *ctx, mco_text *text, loaded *l)
{
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    flowshop_checkpoint *c = l->c;
    flowshop_interval v = {0};
    if (mco_json_peek_word(text).size > 0)  // the number of those that follow as bytes
        return mco_json_read_integer(text, "a number of intervals", 0, INT64_MAX, &l->packed);
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

static mco_status read_tail(mco_context *ctx, mco_text *text, const mco_flowshop *shop, flowshop_reader *r, void *state)
{
    enum { LEAST_BYTES = 2 };  // of an interval: two depths
    mco_status st = MCO_OK;
    loaded *l = state;
    flowshop_intervals *open = &l->c->open;
    const int64_t count = l->packed, bytes = r->size - r->at;
    if (count < 0 || count > bytes / LEAST_BYTES)
        return mco_fail(ctx, MCO_ERR_PARSE, "%s: %lld intervals in %lld bytes", text->name, (long long)count, (long long)bytes);
    MCO_TRY(flowshop_intervals_reserve(ctx, open, count));
    for (int64_t i = 0; i < count; i++) {
        flowshop_interval *v = flowshop_intervals_push(open);
        const int64_t at = r->at;
        flowshop_take_paths(r, shop->jobs, v);
        v->bound = 0;
        if (r->has_failed || ends_before_begin(v))
            MCO_TRY(mco_fail(ctx, MCO_ERR_PARSE, "%s: interval %lld of %lld, at byte %lld, is none of a tree of %d jobs", text->name,
                             (long long)i + 1, (long long)count, (long long)at, shop->jobs));
    }
    if (r->at != r->size)
        MCO_TRY(mco_fail(ctx, MCO_ERR_PARSE, "%s: %lld bytes follow the last of %lld intervals", text->name, (long long)(r->size - r->at),
                         (long long)count));
    l->packed = -1;
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
        MCO_TRY(flowshop_state_counts(text, "a count of nodes", 0, INT64_MAX / 4096, columns,
                            c->children_by_depth + (int64_t)d * columns, &count));
    }
done:
    return st;
}

static mco_status read_member(mco_context *ctx, mco_text *text, const mco_flowshop *shop, const char *key, void *state)
{
    loaded *l = state;
    flowshop_checkpoint *c = l->c;
    int choice = 0;
    mco_status st;
    if (strcmp(key, "bound") == 0) {
        st = flowshop_state_name(text, bound_names, 3, &choice);
        c->bound = (mco_flowshop_bound)choice;
        return st;
    }
    if (strcmp(key, "branching") == 0) {
        st = flowshop_state_name(text, branching_names, 7, &choice);
        c->branching = (mco_flowshop_branching)choice;
        return st;
    }
    if (strcmp(key, "rule_bound") == 0)
        return mco_json_read_integer(text, key, 0, INT32_MAX, &c->rule_bound);
    if (strcmp(key, "is_fixed") == 0)
        return flowshop_state_flag(text, key, &c->is_fixed);
    if (strcmp(key, "is_slice") == 0)
        return flowshop_state_flag(text, key, &c->is_slice);
    if (strcmp(key, "upper_bound") == 0)
        return mco_json_read_integer(text, key, 0, INT32_MAX, &c->upper_bound);
    if (strcmp(key, "order") == 0)
        return flowshop_state_order(ctx, text, shop, c->order, &c->makespan);
    if (strcmp(key, "leaves") == 0)
        return mco_json_read_integer(text, key, 0, FLOWSHOP_STATE_LARGEST, &c->leaves);
    if (strcmp(key, "iterations") == 0)
        return mco_json_read_integer(text, key, 0, FLOWSHOP_STATE_LARGEST, &c->iterations);
    if (strcmp(key, "steals") == 0)
        return mco_json_read_integer(text, key, 0, FLOWSHOP_STATE_LARGEST, &c->steals);
    if (strcmp(key, "children_by_depth") == 0)
        return read_rows(text, shop->jobs, c);
    if (strcmp(key, "open") == 0)
        return read_open(ctx, text, l);
    return MCO_ERR_INTERNAL;
}

static bool is_sound(const mco_flowshop *shop, const void *state)
{
    const loaded *l = state;
    const flowshop_checkpoint *c = l->c;
    (void)shop;
    return l->packed < 0 && c->upper_bound <= c->rule_bound && (c->makespan < 0 || c->upper_bound <= c->makespan);
}

static const char *const members[] = {"bound",    "branching", "rule_bound", "is_fixed", "is_slice",          "upper_bound", "order",
                                      "leaves",   "iterations", "steals",    "children_by_depth", "open"};
static const flowshop_state_format format = {.kind = "mco_flowshop_checkpoint", .name = "a checkpoint of --method bb", .version = 1,
                                             .members = members, .count = sizeof members / sizeof members[0],
                                             .write = write_members, .read = read_member, .is_sound = is_sound,
                                             .tail = tail, .read_tail = read_tail};

mco_status flowshop_checkpoint_write_packed(mco_context *ctx, const mco_flowshop *shop, const flowshop_checkpoint *c,
                                            const flowshop_packed *open, const char *path)
{
    mco_status st = MCO_OK;
    saved s = {.c = c, .open = open};
    MCO_TRY(flowshop_interval_create(ctx, shop->jobs, &s.v));
    MCO_TRY(flowshop_state_write(ctx, shop, &format, &s, path));
done:
    flowshop_interval_destroy(ctx, &s.v);
    return st;
}

mco_status flowshop_checkpoint_write(mco_context *ctx, const mco_flowshop *shop, const flowshop_checkpoint *c,
                                     const char *path)
{
    mco_status st = MCO_OK;
    flowshop_packed open = {0};
    const saved text = {.c = c};
    if (c->open.count <= FLOWSHOP_MOST_IN_TEXT)  // without memory of the context: it may be short
        return flowshop_state_write(ctx, shop, &format, &text, path);
    for (int64_t i = 0; i < c->open.count; i++)
        MCO_TRY(flowshop_packed_add(ctx, &open, &c->open.items[i]));
    MCO_TRY(flowshop_checkpoint_write_packed(ctx, shop, c, &open, path));
done:
    flowshop_packed_clear(ctx, &open);
    return st;
}

mco_status flowshop_checkpoint_read_text(mco_context *ctx, const mco_flowshop *shop, mco_text *text,
                                         flowshop_checkpoint *c)
{
    loaded l = {.c = c, .packed = -1};
    return flowshop_state_read_text(ctx, shop, text, &format, &l);
}

mco_status flowshop_checkpoint_read(mco_context *ctx, const mco_flowshop *shop, const char *path,
                                    flowshop_checkpoint *c)
{
    loaded l = {.c = c, .packed = -1};
    return flowshop_state_read(ctx, shop, path, &format, &l);
}
