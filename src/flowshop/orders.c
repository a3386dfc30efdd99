// SPDX-License-Identifier: MIT
// Files of solutions: orders of jobs, which are written and read, and tables of a schedule, which are only written.
// docs/formats.md describes them.
//
// A job is its row's number or its name. A name may be a number, so a file states which it holds: "# ids: rows" or
// "# ids: names". Without a statement a number is a row. Whatever stands in quotes is a name.
#include <math.h>
#include <string.h>

#include "base/names.h"
#include "base/number.h"
#include "base/output.h"
#include "flowshop/view.h"
#include "render/report.h"

typedef enum ids { IDS_ROWS, IDS_NAMES, IDS_UNSTATED } ids;

typedef struct reader {
    const mco_flowshop *shop;
    mco_text *text;
    int32_t *order;        // [jobs]
    int64_t *place;        // [jobs] position from 1; 0: not yet placed
    int64_t count;         // jobs placed
    ids ids;
    mco_name_table names;  // has no slots until a name is looked up
    double makespan;       // as the file states it; NaN if it does not
} reader;

// ---- Jobs

// Refuses a job that is placed already, and a job too many.
static mco_status place_job(reader *r, mco_slice token, int32_t job)
{
    const mco_flowshop *s = r->shop;
    if (r->count == s->jobs)
        return mco_text_fail(r->text, token.line, token.column, "the order goes on after all %d jobs", s->jobs);
    if (r->place[job] != 0)
        return mco_text_fail(r->text, token.line, token.column, "job %s stands at position %lld and again at position %lld",
                             s->job_names[job], (long long)r->place[job], (long long)r->count + 1);
    r->order[r->count] = job;
    r->place[job] = ++r->count;
    return MCO_OK;
}

// *job is the row of the job with this name from 0, or -1. Errors: MEMORY.
static mco_status find_name(reader *r, mco_slice name, int32_t *job)
{
    mco_status st = MCO_OK;
    const mco_flowshop *s = r->shop;
    char *copy = NULL, *next;
    if (r->names.slots == NULL) {
        MCO_TRY(mco_name_table_new(r->text->ctx, s->job_names, s->jobs, &r->names));
        for (int32_t j = 0; j < s->jobs; j++)
            *mco_name_slot(&r->names, s->job_names[j], strlen(s->job_names[j])) = j + 1;
    }
    if (memchr(name.data, '"', name.size) != NULL) {
        MCO_TRY(mco_alloc(r->text->ctx, &copy, name.size + 1));
        next = copy;
        mco_slice_copy(name, &next);
    }
    *job = *mco_name_slot(&r->names, copy != NULL ? copy : name.data, copy != NULL ? strlen(copy) : name.size) - 1;
done:
    mco_free(r->text->ctx, &copy);
    return st;
}


static mco_status read_job(reader *r, mco_slice token, bool is_quoted)
{
    mco_status st = MCO_OK;
    const mco_flowshop *s = r->shop;
    const bool is_name = is_quoted || r->ids == IDS_NAMES ||
                         (r->ids == IDS_UNSTATED && s->has_names && !mco_slice_is_number(token));
    int32_t named = -1;
    int64_t row = 0;
    if (is_name || s->has_numbers)
        MCO_TRY(find_name(r, token, &named));
    if (is_name) {
        if (named < 0)
            return mco_text_fail(r->text, token.line, token.column, "a job is \"%.*s\", %sa name of the instance was expected",
                                 mco_slice_shown(token), token.data, r->ids == IDS_UNSTATED ? "a row's number or " : "");
        return place_job(r, token, named);
    }
    st = mco_slice_integer(r->text, token, "a job", 1, s->jobs, &row);
    if (st != MCO_OK && named >= 0 && r->ids == IDS_UNSTATED)
        return mco_text_fail(r->text, token.line, token.column,
                             "a job is %.*s, rows are 1 to %d. It is the name of row %d: for names put the line "
                             "\"# ids: names\" before the order", mco_slice_shown(token), token.data, s->jobs, named + 1);
    MCO_TRY(st);
    MCO_TRY(place_job(r, token, (int32_t)row - 1));
done:
    return st;
}

// ---- Orders as text

// A comment that states something: "# ids: names", "# makespan: 27.5".
static mco_status read_comment(reader *r)
{
    static const char *const kinds[] = {"rows", "names"};
    mco_slice rest;
    int kind;
    mco_text_line(r->text, &rest);
    mco_slice_take(&rest, '#');
    const mco_slice word = mco_slice_before(rest, ':');
    rest = mco_slice_trim(mco_slice_behind(rest, word.size));
    if (!mco_slice_take(&rest, ':'))
        return MCO_OK;
    if (mco_slice_is(word, "makespan"))
        return mco_slice_real(r->text, rest, "the makespan", 0, INT32_MAX, &r->makespan);
    if (!mco_slice_is(word, "ids"))
        return MCO_OK;
    if (r->count > 0)
        return mco_text_fail(r->text, word.line, word.column,
                             "the statement of the ids stands behind %lld jobs, not before them", (long long)r->count);
    const mco_status st = mco_slice_find(r->text, rest, "the ids are", kinds, 2, &kind);
    r->ids = (ids)kind;
    return st;
}

// A name in quotes, which ends in its line; a quote inside is doubled. `text` stands at the first quote.
static mco_status read_quoted(reader *r)
{
    mco_text *text = r->text;
    mco_slice token;
    const size_t begin = text->at + 1;
    mco_text_peek(text, &token);
    size_t end = begin;
    while (end < text->size && text->data[end] != '\n' && (text->data[end] != '"' || text->data[end + 1] == '"'))
        end += text->data[end] == '"' ? 2 : 1;
    if (end >= text->size || text->data[end] != '"')
        return mco_text_fail(text, token.line, token.column,
                             "a quote begins here, and the line ends before another one closes it");
    token.data = text->data + begin;
    token.size = end - begin;
    text->at = end + 1;
    return read_job(r, token, true);
}

static mco_status read_jobs(reader *r)
{
    mco_status st = MCO_OK;
    mco_slice token;
    while (mco_text_peek(r->text, &token)) {
        if (token.data[0] == '#') {
            MCO_TRY(read_comment(r));
        } else if (token.data[0] == '"') {
            MCO_TRY(read_quoted(r));
        } else {
            MCO_TRY(read_job(r, token, false));
            r->text->at += token.size;
        }
    }
done:
    return st;
}

// ---- Result files: rows

static mco_status read_order_member(mco_text *text, void *user)
{
    reader *r = user;
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    int64_t row;
    MCO_TRY(mco_json_enter(text, '['));
    for (;;) {
        MCO_TRY(mco_json_next(text, '[', &is_first, &has_next, NULL, 0));
        if (!has_next)
            break;
        mco_text_skip_blank(text);
        const mco_slice place = {NULL, 0, text->line, (int64_t)(text->at - text->line_at) + 1};
        MCO_TRY(mco_json_read_integer(text, "a job", 1, r->shop->jobs, &row));
        MCO_TRY(place_job(r, place, (int32_t)row - 1));
    }
done:
    return st;
}

static mco_status read_objective_member(mco_text *text, void *user)
{
    reader *r = user;
    const mco_slice word = mco_json_peek_word(text);
    const mco_status st = mco_slice_real(text, word, "the objective", 0, INT32_MAX, &r->makespan);
    if (st == MCO_OK)
        text->at += word.size;
    return st;
}

// ---- Files

static const char TABLE_HEADER[] = "job,machine,start,end,row";

mco_status flowshop_read_solution_text(mco_context *ctx, const mco_flowshop *shop, mco_text *text, int32_t *order,
                                       double *makespan)
{
    static const mco_report_member members[] = {{"order", true, read_order_member},
                                                {"objective", false, read_objective_member}};
    mco_status st = MCO_OK;
    mco_slice line;
    reader r = {.shop = shop, .text = text, .ids = IDS_UNSTATED, .makespan = (double)NAN};
    MCO_TRY(mco_alloc(ctx, &r.order, shop->jobs));
    MCO_TRY(mco_alloc(ctx, &r.place, shop->jobs));
    if (mco_text_peek_line(text, &line) && mco_slice_is(mco_slice_trim(line), TABLE_HEADER))
        MCO_TRY(mco_text_fail(text, line.line, line.column,
                              "this is the table of a schedule: give the order or the result file"));
    if (mco_text_skip_blank(text) && text->data[text->at] == '{')
        MCO_TRY(mco_report_read(text, "flowshop", members, sizeof members / sizeof members[0], &r));
    else
        MCO_TRY(read_jobs(&r));
    if (r.count < shop->jobs)
        MCO_TRY(mco_text_fail_here(text, "the order has %lld jobs, the instance has %d", (long long)r.count, shop->jobs));
    if (shop->jobs > 0)
        memcpy(order, r.order, (size_t)shop->jobs * sizeof *order);
    *makespan = r.makespan;
done:
    mco_free(ctx, &r.names.slots);
    mco_free(ctx, &r.place);
    mco_free(ctx, &r.order);
    return st;
}

mco_status mco_flowshop_read_solution(mco_context *ctx, const mco_flowshop *shop, const char *path, int32_t *order,
                                      double *makespan)
{
    mco_text text;
    if (ctx == NULL || shop == NULL || path == NULL || makespan == NULL || (order == NULL && shop->jobs > 0))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    mco_status st = mco_text_open(ctx, path, &text);
    if (st != MCO_OK)
        return st;
    st = flowshop_read_solution_text(ctx, shop, &text, order, makespan);
    mco_text_close(&text);
    return st;
}

mco_status mco_flowshop_read_order(mco_context *ctx, const mco_flowshop *shop, const char *path, int32_t *order)
{
    double makespan;
    return mco_flowshop_read_solution(ctx, shop, path, order, &makespan);
}

void flowshop_write_name(const mco_flowshop *shop, int32_t job, FILE *file)
{
    const char *name = shop->job_names[job];
    // '#' begins a comment, '{' a result file.
    if (strpbrk(name, " \t\v\f\r") != NULL || strchr("#{\"", name[0]) != NULL)
        mco_write_quoted(name, file);
    else
        fputs(name, file);
}

mco_status mco_flowshop_write_order(mco_context *ctx, const mco_flowshop *shop, const int32_t *order,
                                    const char *path)
{
    mco_output o;
    int64_t makespan;
    char text[FLOWSHOP_UNITS_TEXT];
    if (ctx == NULL || shop == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    mco_status st = mco_flowshop_check(ctx, shop, order, shop->jobs, &makespan);
    if (st == MCO_OK)
        st = mco_output_open(ctx, path, &o);
    if (st != MCO_OK)
        return st;
    if (shop->has_names)
        fputs("# ids: rows\n", o.file);
    for (int32_t k = 0; k < shop->jobs; k++)
        fprintf(o.file, k == 0 ? "%d" : " %d", order[k] + 1);
    fputc('\n', o.file);
    for (int32_t k = 0; k < shop->jobs && shop->has_names; k++) {
        fprintf(o.file, "# %d ", order[k] + 1);
        flowshop_write_name(shop, order[k], o.file);
        fputc('\n', o.file);
    }
    fprintf(o.file, "# makespan: %s\n", flowshop_units_text(shop, makespan, text));
    return mco_output_commit(ctx, &o, false);
}

static void write_operation(const mco_flowshop *shop, int32_t machine, int32_t job, int32_t end, FILE *file)
{
    char text[FLOWSHOP_UNITS_TEXT];
    mco_write_cell(shop->job_names[job], file);
    fputc(',', file);
    mco_write_cell(shop->machine_names[machine], file);
    fprintf(file, ",%s", flowshop_units_text(shop, end - mco_flowshop_time(shop, machine, job), text));
    fprintf(file, ",%s,%d\n", flowshop_units_text(shop, end, text), job + 1);
}

mco_status mco_flowshop_write_schedule(mco_context *ctx, const mco_flowshop *shop, const int32_t *order, const char *path)
{
    mco_status st = MCO_OK;
    mco_output o = {0};
    int32_t *ends = NULL;  // [machines * jobs] by machine, then by position
    int64_t makespan;
    if (ctx == NULL || shop == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(mco_flowshop_check(ctx, shop, order, shop->jobs, &makespan));
    MCO_TRY(mco_alloc(ctx, &ends, (int64_t)shop->jobs * shop->machines));
    flowshop_schedule(shop, order, ends);
    MCO_TRY(mco_output_open(ctx, path, &o));
    fprintf(o.file, "%s\n", TABLE_HEADER);
    for (int32_t k = 0; k < shop->machines; k++)
        for (int32_t t = 0; t < shop->jobs; t++)
            write_operation(shop, k, order[t], ends[(int64_t)k * shop->jobs + t], o.file);
    st = mco_output_commit(ctx, &o, false);
done:
    mco_free(ctx, &ends);
    return st;
}
