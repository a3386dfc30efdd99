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

static void write_members(mco_json *json, const mco_flowshop *shop, const void *state)
{
    const flowshop_checkpoint *c = state;
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
    mco_json_open(json, "open", '[');
    for (int64_t i = 0; i < c->open.count; i++) {
        const flowshop_interval *v = &c->open.items[i];
        mco_json_open(json, NULL, '[');
        mco_json_integers(json, NULL, v->a, v->a_depth, 0);
        mco_json_integers(json, NULL, v->b, v->b_depth, 0);
        mco_json_close(json, ']');
    }
    mco_json_close(json, ']');
}

// ---- Reading

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
    flowshop_checkpoint *c = state;
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
        return read_open(ctx, text, c);
    return MCO_ERR_INTERNAL;
}

static bool is_sound(const mco_flowshop *shop, const void *state)
{
    const flowshop_checkpoint *c = state;
    (void)shop;
    return c->upper_bound <= c->rule_bound && (c->makespan < 0 || c->upper_bound <= c->makespan);
}

static const char *const members[] = {"bound",    "branching", "rule_bound", "is_fixed", "is_slice",          "upper_bound", "order",
                                      "leaves",   "iterations", "steals",    "children_by_depth", "open"};
static const flowshop_state_format format = {.kind = "mco_flowshop_checkpoint", .name = "a flow shop checkpoint", .version = 1,
                                             .members = members, .count = sizeof members / sizeof members[0],
                                             .write = write_members, .read = read_member, .is_sound = is_sound};

mco_status flowshop_checkpoint_write(mco_context *ctx, const mco_flowshop *shop, const flowshop_checkpoint *c,
                                     const char *path)
{
    return flowshop_state_write(ctx, shop, &format, c, path);
}

mco_status flowshop_checkpoint_read_text(mco_context *ctx, const mco_flowshop *shop, mco_text *text,
                                         flowshop_checkpoint *c)
{
    return flowshop_state_read_text(ctx, shop, text, &format, c);
}

mco_status flowshop_checkpoint_read(mco_context *ctx, const mco_flowshop *shop, const char *path,
                                    flowshop_checkpoint *c)
{
    return flowshop_state_read(ctx, shop, path, &format, c);
}
