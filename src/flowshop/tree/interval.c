// SPDX-License-Identifier: MIT
#include "flowshop/tree/interval.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

mco_status flowshop_interval_create(mco_context *ctx, int32_t jobs, flowshop_interval *out)
{
    int32_t *digits = NULL;
    mco_status st = mco_alloc(ctx, &digits, 2 * (int64_t)jobs);
    if (st == MCO_OK)
        *out = (flowshop_interval){.a = digits, .b = digits + jobs};
    return st;
}

void flowshop_interval_destroy(mco_context *ctx, flowshop_interval *interval)
{
    mco_free(ctx, &interval->a);
    interval->b = NULL;
}

void flowshop_interval_copy(const flowshop_interval *from, flowshop_interval *to)
{
    to->a_depth = from->a_depth;
    to->b_depth = from->b_depth;
    to->bound = from->bound;
    memcpy(to->a, from->a, (size_t)from->a_depth * sizeof *from->a);
    memcpy(to->b, from->b, (size_t)from->b_depth * sizeof *from->b);
}

mco_status flowshop_intervals_reserve(mco_context *ctx, flowshop_intervals *list, int64_t room)
{
    mco_status st = MCO_OK;
    flowshop_interval *items = NULL;
    int32_t *digits = NULL;
    if (room <= list->room)
        return MCO_OK;
    const int64_t length = 2 * (int64_t)list->jobs;  // room for the digits of one interval
    MCO_TRY(mco_alloc(ctx, &items, room));
    MCO_TRY(mco_alloc_bytes(ctx, (void **)&digits, (size_t)room, (size_t)length * sizeof *digits));
    for (int64_t i = 0; i < room; i++)
        items[i] = (flowshop_interval){.a = digits + i * length, .b = digits + i * length + list->jobs};
    for (int64_t i = 0; i < list->count; i++)
        flowshop_interval_copy(&list->items[i], &items[i]);
    mco_free(ctx, &list->digits);
    mco_free(ctx, &list->items);
    list->items = items;
    list->digits = digits;
    list->room = room;
    items = NULL;
done:
    mco_free(ctx, &items);
    return st;
}

flowshop_interval *flowshop_intervals_push(flowshop_intervals *list)
{
    assert(list->count < list->room);
    return &list->items[list->count++];
}

mco_status flowshop_intervals_add(mco_context *ctx, flowshop_intervals *list, const flowshop_interval *interval)
{
    enum { FIRST_ROOM = 16 };
    mco_status st = MCO_OK;
    if (list->count == list->room)
        MCO_TRY(flowshop_intervals_reserve(ctx, list, list->room > 0 ? 2 * list->room : FIRST_ROOM));
    flowshop_interval_copy(interval, flowshop_intervals_push(list));
done:
    return st;
}

void flowshop_intervals_clear(mco_context *ctx, flowshop_intervals *list)
{
    mco_free(ctx, &list->digits);
    mco_free(ctx, &list->items);
    list->count = list->room = 0;
}

int32_t flowshop_path_trim(const int32_t *digits, int32_t depth)
{
    while (depth > 0 && digits[depth - 1] == 0)
        depth--;
    return depth;
}

int flowshop_path_compare(const int32_t *a, int32_t a_depth, const int32_t *b, int32_t b_depth)
{
    for (int32_t d = 0; d < a_depth || d < b_depth; d++) {
        int32_t x = d < a_depth ? a[d] : 0, y = d < b_depth ? b[d] : 0;
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

// ---- Sets of intervals

int flowshop_node_compare(const int32_t *a, int32_t a_depth, const int32_t *b, int32_t b_depth)
{
    for (int32_t d = 0; d < a_depth && d < b_depth; d++)
        if (a[d] != b[d])
            return a[d] < b[d] ? -1 : 1;
    return (a_depth > b_depth) - (a_depth < b_depth);
}

// The same for an end B: depth 0 is the end of the tree, behind all nodes.
static int compare_ends(const int32_t *a, int32_t a_depth, const int32_t *b, int32_t b_depth)
{
    if (a_depth == 0 || b_depth == 0)
        return (a_depth == 0) - (b_depth == 0);
    return flowshop_node_compare(a, a_depth, b, b_depth);
}

// True if node `a` lies before the end B of `v`.
static bool lies_before_end(const int32_t *a, int32_t a_depth, const flowshop_interval *v)
{
    return v->b_depth == 0 || flowshop_node_compare(a, a_depth, v->b, v->b_depth) < 0;
}

static int compare_begins(const void *a, const void *b)
{
    const flowshop_interval *x = a, *y = b;
    return flowshop_node_compare(x->a, x->a_depth, y->a, y->a_depth);
}

// Items move with their pointers, which still are the parts of list->digits.
void flowshop_intervals_sort(flowshop_intervals *list)
{
    if (list->count > 1)
        qsort(list->items, (size_t)list->count, sizeof *list->items, compare_begins);
}

static void copy_path(const int32_t *from, int32_t depth, int32_t *to, int32_t *to_depth)
{
    memcpy(to, from, (size_t)depth * sizeof *to);
    *to_depth = depth;
}

// Appends to `out` what the gifts from number *next on leave of `v`, which is changed. False if a gift does not lie inside.
static bool cut_out(flowshop_interval *v, const flowshop_intervals *given, int64_t *next, flowshop_intervals *out)
{
    for (; *next < given->count; ++*next) {
        const flowshop_interval *g = &given->items[*next];
        if (!lies_before_end(g->a, g->a_depth, v))
            break;
        const int begin = flowshop_node_compare(v->a, v->a_depth, g->a, g->a_depth);
        const int end = compare_ends(g->b, g->b_depth, v->b, v->b_depth);
        if (begin > 0 || end > 0 || !lies_before_end(g->a, g->a_depth, g))
            return false;
        if (begin < 0) {
            flowshop_interval *before = flowshop_intervals_push(out);
            flowshop_interval_copy(v, before);
            copy_path(g->a, g->a_depth, before->b, &before->b_depth);
        }
        if (end == 0) {
            ++*next;
            return true;
        }
        copy_path(g->b, g->b_depth, v->a, &v->a_depth);
    }
    flowshop_interval_copy(v, flowshop_intervals_push(out));
    return true;
}

mco_status flowshop_intervals_subtract(mco_context *ctx, flowshop_intervals *list, flowshop_intervals *given,
                                       bool *is_inside)
{
    mco_status st = MCO_OK;
    flowshop_intervals out = {.jobs = list->jobs};
    flowshop_interval v = {0};
    int64_t next = 0;
    MCO_TRY(flowshop_interval_create(ctx, list->jobs, &v));
    MCO_TRY(flowshop_intervals_reserve(ctx, &out, list->count + given->count));
    flowshop_intervals_sort(list);
    flowshop_intervals_sort(given);
    *is_inside = true;
    for (int64_t i = 0; i < list->count && *is_inside; i++) {
        flowshop_interval_copy(&list->items[i], &v);
        *is_inside = cut_out(&v, given, &next, &out);
    }
    *is_inside &= next == given->count;
    if (*is_inside) {
        flowshop_intervals_clear(ctx, list);
        *list = out;
        out = (flowshop_intervals){0};
    }
done:
    flowshop_intervals_clear(ctx, &out);
    flowshop_interval_destroy(ctx, &v);
    return st;
}

// ---- The slice of a user

// Reads one path, such as "3.0.1". Then *text is the character behind it.
static mco_status parse_path(mco_context *ctx, const char **text, int32_t jobs, int32_t *digits, int32_t *depth)
{
    *depth = 0;
    for (const char *c = *text; *c != '\0' && *c != ',';) {
        char number[16];
        size_t size = strcspn(c, ".,");
        int64_t digit;
        if (*depth == jobs)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "--interval: a path has at most %d digits", jobs);
        snprintf(number, sizeof number, "%.*s", size < 15 ? (int)size : 15, c);
        if (size >= sizeof number || !mco_parse_integer(number, 0, jobs - *depth - 1, &digit))
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "--interval: digit %d is \"%s\", allowed is 0 to %d", *depth + 1,
                            number, jobs - *depth - 1);
        digits[(*depth)++] = (int32_t)digit;
        c += size;
        if (c[0] == '.' && (c[1] < '0' || c[1] > '9'))
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "--interval: a digit was expected behind \"%.*s\"",
                            (int)(c + 1 - *text), *text);
        *text = c;
        c += *c == '.';
    }
    return MCO_OK;
}

mco_status flowshop_interval_parse(mco_context *ctx, const char *text, int32_t jobs, flowshop_interval *out)
{
    mco_status st = MCO_OK;
    const char *c = text;
    if (strchr(text, ',') == NULL)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "--interval is \"%.60s\", two paths A,B were expected", text));
    MCO_TRY(parse_path(ctx, &c, jobs, out->a, &out->a_depth));
    c++;
    MCO_TRY(parse_path(ctx, &c, jobs, out->b, &out->b_depth));
    if (*c != '\0')
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "--interval: \"%.60s\" follows the second path", c));
    // The slice of a user holds all nodes whose number lies in [A, B), also ancestors of A with the number of A.
    out->a_depth = flowshop_path_trim(out->a, out->a_depth);
    bool has_end = out->b_depth > 0;
    out->b_depth = flowshop_path_trim(out->b, out->b_depth);
    if (has_end && flowshop_path_compare(out->a, out->a_depth, out->b, out->b_depth) >= 0)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "--interval %.60s: A is not below B", text));
done:
    return st;
}
