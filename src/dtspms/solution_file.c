// SPDX-License-Identifier: MIT
// Solutions as files: a line per stack and per tour, or the "solution" of a result file. docs/formats.md describes
// both.
//
// The reader accepts what has the shape of a solution: the stacks, and each tour, hold as many orders as the instance
// has, and all orders are known. A tour that is absent is NULL, since the plan alone is enough for a start. The checker
// tests whether each order is there once, and whether both tours are there and obey the stacks.
#include <string.h>

#include "base/json.h"
#include "base/names.h"
#include "base/output.h"
#include "dtspms/formats.h"
#include "render/report.h"

static const int64_t MAX_COST = (int64_t)1 << 62;

typedef enum part { PICKUP, DELIVERY, STACKS, PARTS } part;

static const char *const part_names[PARTS] = {"the pickup tour", "the delivery tour", "the stacks"};

typedef struct reader {
    mco_context *ctx;
    const mco_dtspms *problem;
    mco_text *text;
    mco_name_finder orders;
    mco_dtspms_solution s;     // its arrays have room for all orders from the start
    int64_t seen[PARTS];       // number of orders read so far
    mco_slice places[PARTS];   // where each part begins; line 0 until the part is seen
    int64_t cost;              // -1 until it is seen
} reader;

static int32_t *array_of(reader *r, part p)
{
    return p == PICKUP ? r->s.pickup : p == DELIVERY ? r->s.delivery : r->s.plan;
}

static mco_slice here(mco_text *text)
{
    mco_text_skip_blank(text);
    return (mco_slice){text->data + text->at, 0, text->line, (int64_t)(text->at - text->line_at) + 1};
}

// ---- Parts, whatever the format

static mco_status begin_part(reader *r, part p, mco_slice place)
{
    if (r->places[p].line != 0)
        return mco_text_fail(r->text, place.line, place.column, "%s a second time, first in line %lld", part_names[p],
                             (long long)r->places[p].line);
    r->places[p] = place;
    return MCO_OK;
}

static mco_status begin_stack(reader *r, mco_slice place)
{
    if (r->s.stacks == MCO_DTSPMS_MAX_STACKS)
        return mco_text_fail(r->text, place.line, place.column, "one stack more than the %d allowed",
                             MCO_DTSPMS_MAX_STACKS);
    r->places[STACKS] = place;
    r->s.stacks++;
    return MCO_OK;
}

static mco_status add_order(reader *r, part p, mco_slice place, int32_t order)
{
    if (r->seen[p] == r->problem->orders)
        return mco_text_fail(r->text, place.line, place.column, "%s: one order more than the %d of the instance",
                             part_names[p], r->problem->orders);
    array_of(r, p)[r->seen[p]++] = order;
    if (p == STACKS)
        r->s.heights[r->s.stacks - 1]++;
    return MCO_OK;
}

static mco_status end_parts(reader *r)
{
    if (r->places[PICKUP].line + r->places[DELIVERY].line + r->places[STACKS].line == 0)
        return mco_text_fail_here(r->text, "the file holds no solution");
    for (int p = 0; p < PARTS; p++) {
        const mco_slice at = r->places[p];
        if (at.line == 0 && p == STACKS)
            return mco_text_fail_here(r->text, "the solution ends without %s", part_names[p]);
        if (at.line == 0)
            mco_free(r->ctx, p == PICKUP ? &r->s.pickup : &r->s.delivery);
        else if (r->seen[p] < r->problem->orders)
            return mco_text_fail(r->text, at.line, at.column, "%s: %lld orders, the instance has %d", part_names[p],
                                 (long long)r->seen[p], r->problem->orders);
    }
    return MCO_OK;
}

// ---- Text

// Takes a word up to a blank or a colon; *rest begins after it.
static mco_slice take_word(mco_slice *rest)
{
    const mco_slice word = mco_slice_before(mco_slice_trim(*rest), ':');
    *rest = mco_slice_trim(mco_slice_behind(mco_slice_trim(*rest), word.size));
    return word;
}

static mco_status read_orders(reader *r, part p, mco_slice rest)
{
    mco_status st = MCO_OK;
    mco_slice token;
    int32_t order;
    while (mco_names_take(&rest, &token)) {
        MCO_TRY(mco_names_find(&r->orders, r->text, token, &order));
        MCO_TRY(add_order(r, p, token, order));
    }
done:
    return st;
}

// "stack K:", numbered from 1 in order.
static mco_status read_stack_head(reader *r, mco_slice line, mco_slice *rest)
{
    mco_status st = MCO_OK;
    const mco_slice number = take_word(rest);
    int64_t stack;
    MCO_TRY(begin_stack(r, line));
    MCO_TRY(mco_slice_integer(r->text, number, "the number of the stack", r->s.stacks, r->s.stacks, &stack));
done:
    return st;
}

static mco_status read_text_line(reader *r, mco_slice line)
{
    mco_status st = MCO_OK;
    mco_slice rest = line;
    const mco_slice word = take_word(&rest);
    part p = PARTS;
    if (mco_slice_is(word, "cost")) {
        mco_slice_take(&rest, ':');
        if (r->cost >= 0)
            return mco_text_fail(r->text, line.line, line.column, "the cost a second time, it was %lld", (long long)r->cost);
        return mco_slice_integer(r->text, rest, "the cost", 0, MAX_COST, &r->cost);
    }
    if (mco_slice_is(word, "stack")) {
        p = STACKS;
        MCO_TRY(read_stack_head(r, line, &rest));
    } else if (mco_slice_is(word, "pickup") || mco_slice_is(word, "delivery")) {
        p = mco_slice_is(word, "pickup") ? PICKUP : DELIVERY;
        MCO_TRY(begin_part(r, p, line));
    } else {
        return mco_text_fail(r->text, line.line, line.column,
                             "the line begins with \"%.*s\", lines are \"cost N\", \"stack K: ...\", \"pickup: ...\" and "
                             "\"delivery: ...\"",
                             mco_slice_shown(word), word.data);
    }
    if (!mco_slice_take(&rest, ':'))
        return mco_text_fail(r->text, rest.line, rest.column, "a colon was expected before the orders");
    MCO_TRY(read_orders(r, p, rest));
done:
    return st;
}

static mco_status read_lines(reader *r)
{
    mco_status st = MCO_OK;
    mco_slice line;
    while (mco_text_skip_blank(r->text) && mco_text_line(r->text, &line))
        MCO_TRY(line.data[0] == '#' ? mco_names_read_comment(&r->orders, r->text, line) : read_text_line(r, line));
done:
    return st;
}

// ---- Result files

static mco_status read_array(reader *r, part p)
{
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    int64_t number;
    MCO_TRY(mco_json_enter(r->text, '['));
    for (;;) {
        MCO_TRY(mco_json_next(r->text, '[', &is_first, &has_next, NULL, 0));
        if (!has_next)
            break;
        const mco_slice place = here(r->text);
        MCO_TRY(mco_json_read_integer(r->text, "the order", 1, r->problem->orders, &number));
        MCO_TRY(add_order(r, p, place, (int32_t)number - 1));
    }
done:
    return st;
}

static mco_status read_stacks(reader *r)
{
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    MCO_TRY(begin_part(r, STACKS, here(r->text)));
    const mco_slice place = r->places[STACKS];
    MCO_TRY(mco_json_enter(r->text, '['));
    for (;;) {
        MCO_TRY(mco_json_next(r->text, '[', &is_first, &has_next, NULL, 0));
        if (!has_next)
            break;
        MCO_TRY(begin_stack(r, here(r->text)));
        MCO_TRY(read_array(r, STACKS));
    }
    r->places[STACKS] = place;
    if (r->s.stacks == 0)
        return mco_text_fail(r->text, place.line, place.column, "there are 0 stacks, allowed are 1 to %d",
                             MCO_DTSPMS_MAX_STACKS);
done:
    return st;
}

static mco_status read_tour(reader *r, part p)
{
    mco_status st = MCO_OK;
    MCO_TRY(begin_part(r, p, here(r->text)));
    MCO_TRY(read_array(r, p));
done:
    return st;
}

static mco_status read_pickup(mco_text *text, void *user)
{
    (void)text;
    return read_tour(user, PICKUP);
}

static mco_status read_delivery(mco_text *text, void *user)
{
    (void)text;
    return read_tour(user, DELIVERY);
}

static mco_status read_stacks_member(mco_text *text, void *user)
{
    (void)text;
    return read_stacks(user);
}

static mco_status read_objective(mco_text *text, void *user)
{
    return mco_json_read_integer(text, "\"objective\"", 0, MAX_COST, &((reader *)user)->cost);
}

static mco_status read_result(reader *r)
{
    static const mco_report_member members[] = {{"objective", false, read_objective},
                                                {"pickup", true, read_pickup},
                                                {"delivery", true, read_delivery},
                                                {"stacks", true, read_stacks_member}};
    return mco_report_read(r->text, "dtspms", members, sizeof members / sizeof members[0], r);
}

// ---- Files

mco_status dtspms_read_solution_text(mco_context *ctx, const mco_dtspms *problem, mco_text *text,
                                     mco_dtspms_solution *solution, int64_t *cost)
{
    mco_status st = MCO_OK;
    reader r = {.ctx = ctx, .problem = problem, .text = text, .cost = -1, .s.orders = problem->orders,
                .orders = {.what = "the order", .names = problem->names, .rows = problem->orders}};
    if (!mco_text_skip_blank(text))
        return mco_text_fail_here(text, "the file is empty");
    const bool is_json = text->data[text->at] == '{';
    for (int p = 0; p < PARTS; p++)
        MCO_TRY(mco_alloc(ctx, p == PICKUP ? &r.s.pickup : p == DELIVERY ? &r.s.delivery : &r.s.plan, problem->orders));
    MCO_TRY(is_json ? read_result(&r) : read_lines(&r));
    MCO_TRY(end_parts(&r));
    *solution = r.s;
    *cost = r.cost;
    r.s = (mco_dtspms_solution){0};
done:
    mco_free(ctx, &r.orders.table.slots);
    mco_dtspms_solution_clear(ctx, &r.s);
    return st;
}

mco_status mco_dtspms_read_solution(mco_context *ctx, const mco_dtspms *problem, const char *path,
                                    mco_dtspms_solution *solution, int64_t *cost)
{
    mco_text text;
    if (ctx == NULL || problem == NULL || path == NULL || solution == NULL || cost == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    mco_status st = mco_text_open(ctx, path, &text);
    if (st != MCO_OK)
        return st;
    st = dtspms_read_solution_text(ctx, problem, &text, solution, cost);
    mco_text_close(&text);
    return st;
}

static void write_orders(const mco_dtspms *problem, const int32_t *orders, int32_t count, FILE *file)
{
    char buffer[16];
    for (int32_t i = 0; i < count; i++) {
        fputc(' ', file);
        if (orders[i] >= 0 && orders[i] < problem->orders)
            mco_name_write(mco_dtspms_order_name(problem, orders[i], buffer), file);
        else
            fprintf(file, "%lld", orders[i] + 1LL);  // of a solution that nobody has checked
    }
    fputc('\n', file);
}

static void write_tour(const mco_dtspms *problem, const char *head, const int32_t *tour, FILE *file)
{
    if (tour == NULL)
        return;
    fputs(head, file);
    write_orders(problem, tour, problem->orders, file);
}

void dtspms_write_solution_text(const mco_dtspms *problem, const mco_dtspms_solution *solution, int64_t cost, FILE *file)
{
    int32_t first = 0;
    if (problem->names != NULL)
        fputs("# ids: names\n", file);
    if (cost >= 0)
        fprintf(file, "cost %lld\n", (long long)cost);
    for (int32_t k = 0; k < solution->stacks; k++) {
        fprintf(file, "stack %d:", k + 1);
        write_orders(problem, solution->plan + first, solution->heights[k], file);
        first += solution->heights[k];
    }
    write_tour(problem, "pickup:", solution->pickup, file);
    write_tour(problem, "delivery:", solution->delivery, file);
}

// Refuses a solution whose heights or orders do not fit. Else the writer could read beyond the arrays, or write a file
// that cannot be read back.
static mco_status test_shape(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_solution *s)
{
    int64_t placed = 0;
    if (s->orders != problem->orders)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the solution has %d orders, the instance %d", s->orders, problem->orders);
    if (s->stacks < 1 || s->stacks > MCO_DTSPMS_MAX_STACKS)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the solution has %d stacks, allowed are 1 to %d", s->stacks,
                        MCO_DTSPMS_MAX_STACKS);
    for (int32_t k = 0; k < s->stacks; k++) {
        if (s->heights[k] < 0)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "stack %d holds %d orders, at least 0 are needed", k + 1, s->heights[k]);
        placed += s->heights[k];
    }
    if (placed != s->orders)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the stacks hold %lld orders, the instance has %d", (long long)placed,
                        s->orders);
    return MCO_OK;
}

mco_status mco_dtspms_write_solution(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_solution *solution,
                                     int64_t cost, const char *path)
{
    mco_status st = MCO_OK;
    mco_output o;
    if (ctx == NULL || problem == NULL || solution == NULL || path == NULL || solution->plan == NULL ||
        solution->pickup == NULL || solution->delivery == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(test_shape(ctx, problem, solution));
    MCO_TRY(mco_output_open(ctx, path, &o));
    dtspms_write_solution_text(problem, solution, cost, o.file);
    st = mco_output_commit(ctx, &o, false);
done:
    return st;
}

void mco_dtspms_solution_clear(mco_context *ctx, mco_dtspms_solution *solution)
{
    if (solution == NULL)
        return;
    mco_free(ctx, &solution->delivery);
    mco_free(ctx, &solution->pickup);
    mco_free(ctx, &solution->plan);
    *solution = (mco_dtspms_solution){0};
}
