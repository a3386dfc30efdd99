// SPDX-License-Identifier: MIT
// Readers of instance and solution files. docs/formats.md describes the formats.
//
// One block is one instance. Its first line tells the format:
// - A line that begins with "number of jobs": Taillard.
// - Another line that begins with a word: CSV with names.
// - Two integers n m, then n rows of pairs "machine time": Vallada, Ruiz, Framinan.
// - Two integers n m, then m rows of n times: Taillard without the words.
// Several blocks may follow each other, except in CSV.
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/kinds.h"
#include "base/json.h"
#include "base/output.h"
#include "flowshop/instance.h"
#include "render/report.h"

typedef struct block {
    int64_t jobs, machines, seed, best_makespan, best_bound;
    int32_t *times;
} block;

// A line of words begins with a letter (also one beyond ASCII), a quote or an underscore; a CSV header may also begin
// with a separator, when its first field is empty.
static bool is_word_line(mco_slice line)
{
    line = mco_slice_trim(line);
    if (line.size == 0)
        return false;
    unsigned char c = (unsigned char)line.data[0];
    return isalpha(c) || c >= 0x80 || strchr("\"_,;", c) != NULL;
}

// Reads "jobs machines [seed upper lower]". The values in brackets are information about the instance, not limits.
static mco_status read_sizes(mco_text *text, block *b)
{
    mco_status st = MCO_OK;
    mco_slice line, field;
    int64_t *values[] = {&b->jobs, &b->machines, &b->seed, &b->best_makespan, &b->best_bound};
    const char *names[] = {"the number of jobs", "the number of machines", "the seed", "the upper bound",
                           "the lower bound"};
    const int64_t highest[] = {MCO_FLOWSHOP_MAX_JOBS, MCO_FLOWSHOP_MAX_MACHINES, INT64_MAX, INT64_MAX, INT64_MAX};
    size_t count = 0;
    if (!mco_text_skip_blank(text) || !mco_text_line(text, &line))
        return mco_text_fail_here(text, "the text ends where the number of jobs was expected");
    const mco_slice whole = mco_slice_trim(line);
    for (line = mco_slice_trim(line); line.size > 0; count++) {
        field = line;
        field.size = 0;
        while (field.size < line.size && !isspace((unsigned char)line.data[field.size]))
            field.size++;
        if (count == sizeof values / sizeof values[0])
            return mco_text_fail(text, field.line, field.column,
                                 "a line of sizes holds 2 to 5 numbers, here is one more: \"%.*s\"",
                                 field.size < 40 ? (int)field.size : 40, field.data);
        MCO_TRY(mco_slice_integer(text, field, names[count], count == 1 ? 1 : 0, highest[count], values[count]));
        line.data += field.size;
        line.column += (int64_t)field.size;
        line.size -= field.size;
        line = mco_slice_trim(line);
    }
    if (count < 2)
        return mco_text_fail(text, whole.line, whole.column,
                             "the line of sizes holds 1 number, jobs and machines were expected");
done:
    return st;
}

// After a row, the rest of the line must be blank.
static mco_status expect_line_end(mco_text *text, const char *row, int64_t index, int64_t expected)
{
    mco_slice line;
    if (!mco_text_line(text, &line))
        return MCO_OK;
    line = mco_slice_trim(line);
    if (line.size > 0)
        return mco_text_fail(text, line.line, line.column, "%s %lld has more than %lld numbers", row,
                             (long long)index, (long long)expected);
    return MCO_OK;
}

// Reads m rows of n times, a row for each machine. A row may take several lines.
static mco_status read_machine_rows(mco_text *text, block *b)
{
    mco_status st = MCO_OK;
    char what[80];
    int64_t value;
    for (int64_t i = 0; i < b->machines; i++) {
        for (int64_t j = 0; j < b->jobs; j++) {
            snprintf(what, sizeof what, "the time of job %lld on machine %lld", (long long)j + 1, (long long)i + 1);
            MCO_TRY(mco_text_integer(text, what, 0, MCO_FLOWSHOP_MAX_TIME, &value));
            b->times[i * b->jobs + j] = (int32_t)value;
        }
        if (b->jobs > 0)
            MCO_TRY(expect_line_end(text, "the row of machine", i + 1, b->jobs));
    }
done:
    return st;
}

// Reads n rows of m pairs "machine time", with the machines in order from 0.
static mco_status read_job_pairs(mco_text *text, block *b)
{
    mco_status st = MCO_OK;
    char what[80];
    int64_t value;
    for (int64_t j = 0; j < b->jobs; j++) {
        for (int64_t i = 0; i < b->machines; i++) {
            snprintf(what, sizeof what, "pair %lld of job %lld: the machine", (long long)i + 1, (long long)j + 1);
            MCO_TRY(mco_text_integer(text, what, i, i, &value));
            snprintf(what, sizeof what, "the time of job %lld on machine %lld", (long long)j + 1, (long long)i + 1);
            MCO_TRY(mco_text_integer(text, what, 0, MCO_FLOWSHOP_MAX_TIME, &value));
            b->times[i * b->jobs + j] = (int32_t)value;
        }
        MCO_TRY(expect_line_end(text, "the row of job", j + 1, 2 * b->machines));
    }
done:
    return st;
}

// True if the next line reads 0 t 1 t 2 t ... with m pairs. Then `ahead` stands behind it.
static bool is_pair_row(mco_text *ahead, int64_t machines)
{
    mco_slice token;
    int64_t numbers = 0, value;
    if (!mco_text_skip_blank(ahead))
        return false;
    int64_t first_line = ahead->line;
    for (; mco_text_peek(ahead, &token) && ahead->line == first_line; numbers++) {
        char number[24];
        if (token.size >= sizeof number)
            return false;
        memcpy(number, token.data, token.size);
        number[token.size] = '\0';
        if (numbers % 2 == 0 && !mco_parse_integer(number, numbers / 2, numbers / 2, &value))
            return false;
        ahead->at += token.size;
    }
    return numbers == 2 * machines;
}

// With n = 2 m jobs, the row of a machine may look like a row of pairs by chance. Then the next row decides.
static bool are_pair_rows(mco_text ahead, const block *b)
{
    return is_pair_row(&ahead, b->machines) && (b->jobs != 2 * b->machines || is_pair_row(&ahead, b->machines));
}

static mco_status read_block(mco_context *ctx, mco_text *text, block *b)
{
    mco_status st = MCO_OK;
    mco_slice line;
    mco_text ahead = *text;
    bool has_words = mco_text_line(&ahead, &line) && is_word_line(line);
    *b = (block){.best_makespan = -1, .best_bound = -1};
    if (has_words)
        *text = ahead;
    MCO_TRY(read_sizes(text, b));
    MCO_TRY(mco_alloc(ctx, &b->times, b->jobs * b->machines));
    if (has_words) {
        mco_text_skip_blank(text);
        ahead = *text;
        if (!mco_text_line(&ahead, &line) || !is_word_line(line))
            MCO_TRY(mco_text_fail_here(text, "the line \"processing times :\" was expected"));
        *text = ahead;
    }
    if (!has_words && are_pair_rows(*text, b))
        MCO_TRY(read_job_pairs(text, b));
    else
        MCO_TRY(read_machine_rows(text, b));
done:
    return st;
}

static mco_status finish_block(mco_context *ctx, mco_text *text, const block *b, mco_flowshop **out)
{
    mco_status st = mco_flowshop_create(ctx, (int32_t)b->jobs, (int32_t)b->machines, b->times, out);
    if (st != MCO_OK) {
        char reason[MCO_ERROR_LENGTH];
        snprintf(reason, sizeof reason, "%s", mco_context_error(ctx));
        return mco_fail(ctx, st, "%.200s: %.280s", text->name, reason);
    }
    mco_flowshop *s = *out;
    // A bound of 0 in the sizes line means that none is known.
    s->best_makespan = b->best_makespan > 0 ? b->best_makespan : -1;
    s->best_bound = b->best_bound > 0 ? b->best_bound : -1;
    s->seed = b->seed > 0 && b->seed < INT32_MAX ? (int32_t)b->seed : 0;
    return MCO_OK;
}

static mco_status read_blocks(mco_context *ctx, mco_text *text, int32_t which, mco_flowshop **out)
{
    mco_status st = MCO_OK;
    mco_flowshop *chosen = NULL;
    block b = {0};
    int64_t count = 0;
    while (mco_text_skip_blank(text)) {
        MCO_TRY(read_block(ctx, text, &b));
        count++;
        if (chosen == NULL && (which == 0 || count == which))
            MCO_TRY(finish_block(ctx, text, &b, &chosen));
        mco_free(ctx, &b.times);
    }
    if (which == 0 && count > 1)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "%s holds %lld instances: choose one with --instance 1..%lld",
                         text->name, (long long)count, (long long)count));
    if (chosen == NULL)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "%s holds %lld instances, number %d was asked for", text->name,
                         (long long)count, which));
    *out = chosen;
    chosen = NULL;
done:
    mco_free(ctx, &b.times);
    mco_flowshop_destroy(ctx, &chosen);
    return st;
}

// ---- CSV

// Counts the machines (the fields of the header after the first) and the jobs (the lines that are not blank).
static void measure_csv(mco_text text, mco_slice header, char separator, int64_t *machines, int64_t *jobs)
{
    mco_slice field, line;
    *machines = -1;
    *jobs = 0;
    while (mco_slice_field(&header, separator, &field))
        (*machines)++;
    while (mco_text_line(&text, &line))
        *jobs += mco_slice_trim(line).size > 0;
}

static mco_status read_csv_row(mco_text *text, mco_slice line, char separator, int64_t job, mco_flowshop *s,
                               int32_t *times, char **next_name)
{
    mco_slice field;
    char what[80];
    int64_t value, i = 0;
    mco_slice rest = line;
    mco_slice_field(&rest, separator, &field);
    s->job_names[job] = mco_slice_copy(field, next_name);
    for (; mco_slice_field(&rest, separator, &field); i++) {
        if (i == s->machines)
            return mco_text_fail(text, field.line, field.column, "the row of job %lld has more than %d times",
                                 (long long)job + 1, s->machines);
        snprintf(what, sizeof what, "the time of job %lld on machine %lld", (long long)job + 1, (long long)i + 1);
        mco_status st = mco_slice_integer(text, field, what, 0, MCO_FLOWSHOP_MAX_TIME, &value);
        if (st != MCO_OK)
            return st;
        times[i * s->jobs + job] = (int32_t)value;
    }
    if (i < s->machines)
        return mco_text_fail(text, line.line, line.column, "the row of job %lld has %lld times, %d were expected",
                             (long long)job + 1, (long long)i, s->machines);
    return MCO_OK;
}

static mco_status read_csv(mco_context *ctx, mco_text *text, mco_flowshop **out)
{
    mco_status st = MCO_OK;
    mco_flowshop *s = NULL;
    int32_t *times = NULL;
    int64_t machines, jobs;
    mco_slice header, line, field;
    mco_text_line(text, &header);
    char separator = mco_slice_separator(header);
    measure_csv(*text, header, separator, &machines, &jobs);
    if (machines < 1 || machines > MCO_FLOWSHOP_MAX_MACHINES || jobs > MCO_FLOWSHOP_MAX_JOBS)
        MCO_TRY(mco_text_fail(text, header.line, header.column,
                              "%lld machines and %lld jobs, allowed are 1 to %d and 0 to %d", (long long)machines,
                              (long long)jobs, MCO_FLOWSHOP_MAX_MACHINES, MCO_FLOWSHOP_MAX_JOBS));
    MCO_TRY(mco_alloc(ctx, &times, jobs * machines));
    // `s` has times of zero. Its arrays receive the names below. The times are tested afterwards, in a second instance.
    MCO_TRY(mco_flowshop_create(ctx, (int32_t)jobs, (int32_t)machines, times, &s));
    mco_free(ctx, &s->names);
    MCO_TRY(mco_alloc(ctx, &s->names, text->size + (size_t)(jobs + machines) + 2));
    char *next_name = s->names;
    mco_slice_field(&header, separator, &field);
    for (int64_t i = 0; mco_slice_field(&header, separator, &field); i++)
        s->machine_names[i] = mco_slice_copy(field, &next_name);
    for (int64_t j = 0; mco_text_line(text, &line);)
        if (mco_slice_trim(line).size > 0) {
            MCO_TRY(read_csv_row(text, line, separator, j, s, times, &next_name));
            j++;
        }
    block b = {.jobs = jobs, .machines = machines, .times = times, .best_makespan = -1, .best_bound = -1};
    mco_flowshop *tested = NULL;
    MCO_TRY(finish_block(ctx, text, &b, &tested));
    // The tested instance keeps its times and takes the names of `s`.
    char **job_names = tested->job_names, **machine_names = tested->machine_names, *names = tested->names;
    tested->job_names = s->job_names;
    tested->machine_names = s->machine_names;
    tested->names = s->names;
    s->job_names = job_names;
    s->machine_names = machine_names;
    s->names = names;
    *out = tested;
done:
    mco_flowshop_destroy(ctx, &s);
    mco_free(ctx, &times);
    return st;
}

mco_status flowshop_read_text(mco_context *ctx, mco_text *text, int32_t which, mco_flowshop **out)
{
    mco_slice line;
    if (which < 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "instance %d was asked for, they are numbered from 1", which);
    if (!mco_text_skip_blank(text))
        return mco_text_fail_here(text, "the file is empty");
    mco_text ahead = *text;
    mco_text_line(&ahead, &line);
    bool is_taillard = line.size >= 14 && strncasecmp(line.data, "number of jobs", 14) == 0;
    if (!is_word_line(line) || is_taillard)
        return read_blocks(ctx, text, which, out);
    const mco_status st = mco_refuse_other_kind(text, "flowshop");
    if (st != MCO_OK)
        return st;
    if (memchr(line.data, ',', line.size) == NULL && memchr(line.data, ';', line.size) == NULL &&
        memchr(line.data, '\t', line.size) == NULL)
        return mco_text_fail(text, line.line, line.column,
                             "neither sizes, nor \"number of jobs ...\", nor a CSV header: \"%.*s\"",
                             line.size < 40 ? (int)line.size : 40, line.data);
    if (which > 1)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s is CSV and holds 1 instance, number %d was asked for", text->name,
                        which);
    return read_csv(ctx, text, out);
}

mco_status mco_flowshop_read(mco_context *ctx, const char *path, int32_t which, mco_flowshop **out)
{
    mco_text text;
    if (ctx == NULL || path == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    mco_status st = mco_text_open(ctx, path, &text);
    if (st != MCO_OK)
        return st;
    st = flowshop_read_text(ctx, &text, which, out);
    if (st == MCO_OK) {
        const char *base = mco_text_base_name(path);
        if (which > 0)
            snprintf((*out)->name, sizeof (*out)->name, "%.48s#%d", base, which);
        else
            snprintf((*out)->name, sizeof (*out)->name, "%.60s", base);
    }
    mco_text_close(&text);
    return st;
}

// ---- Orders

static int32_t job_by_name(const mco_flowshop *s, mco_slice name)
{
    for (int32_t j = 0; j < s->jobs; j++)
        if (strlen(s->job_names[j]) == name.size && memcmp(s->job_names[j], name.data, name.size) == 0)
            return j;
    return -1;
}

// Places one job. Refuses a job that is placed already, and a job too many.
static mco_status place_job(mco_text *text, const mco_flowshop *s, mco_slice token, int64_t job, int64_t position,
                            int32_t *order)
{
    if (position == s->jobs)
        return mco_text_fail(text, token.line, token.column, "the order goes on after all %d jobs", s->jobs);
    for (int64_t k = 0; k < position; k++)
        if (order[k] == job)
            return mco_text_fail(text, token.line, token.column,
                                 "job %s stands at position %lld and again at position %lld", s->job_names[job],
                                 (long long)k + 1, (long long)position + 1);
    order[position] = (int32_t)job;
    return MCO_OK;
}

static bool is_number(mco_slice token)
{
    for (size_t i = 0; i < token.size; i++)
        if (!isdigit((unsigned char)token.data[i]))
            return false;
    return true;
}

// Reads job numbers 1..n or job names. A token of digits is always a number. '#' begins a comment, up to the end of the
// line.
static mco_status read_plain_order(mco_text *text, const mco_flowshop *s, int64_t *count, int32_t *order)
{
    mco_status st = MCO_OK;
    mco_slice token, line;
    while (mco_text_peek(text, &token)) {
        if (token.data[0] == '#') {
            mco_text_line(text, &line);
            continue;
        }
        int64_t job = is_number(token) ? -1 : job_by_name(s, token);
        if (job < 0) {
            MCO_TRY(mco_slice_integer(text, token, "a job", 1, s->jobs, &job));
            job--;
        }
        MCO_TRY(place_job(text, s, token, job, *count, order));
        (*count)++;
        text->at += token.size;
    }
done:
    return st;
}

static mco_status read_json_array(mco_text *text, const mco_flowshop *s, int64_t *count, int32_t *order)
{
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    int64_t job;
    MCO_TRY(mco_json_enter(text, '['));
    for (;;) {
        MCO_TRY(mco_json_next(text, '[', &is_first, &has_next, NULL, 0));
        if (!has_next)
            break;
        mco_text_skip_blank(text);
        mco_slice place = {NULL, 0, text->line, (int64_t)(text->at - text->line_at) + 1};
        MCO_TRY(mco_json_read_integer(text, "a job", 1, s->jobs, &job));
        MCO_TRY(place_job(text, s, place, job - 1, *count, order));
        (*count)++;
    }
done:
    return st;
}

// What read_order_member() needs to read the order of a result file.
typedef struct order_reader {
    const mco_flowshop *shop;
    int64_t *count;
    int32_t *order;
} order_reader;

static mco_status read_order_member(mco_text *text, void *user)
{
    const order_reader *r = user;
    return read_json_array(text, r->shop, r->count, r->order);
}

mco_status flowshop_read_order_text(mco_context *ctx, const mco_flowshop *shop, mco_text *text, int32_t *order)
{
    mco_status st = MCO_OK;
    int64_t count = 0;
    int32_t *read = NULL;
    MCO_TRY(mco_alloc(ctx, &read, shop->jobs));
    if (mco_text_skip_blank(text) && text->data[text->at] == '{') {
        static const mco_report_member members[] = {{"order", true, read_order_member}};
        order_reader r = {shop, &count, read};
        MCO_TRY(mco_report_read(text, "flowshop", members, sizeof members / sizeof members[0], &r));
    } else
        MCO_TRY(read_plain_order(text, shop, &count, read));
    if (count < shop->jobs)
        MCO_TRY(mco_text_fail_here(text, "the order has %lld jobs, the instance has %d", (long long)count,
                                   shop->jobs));
    if (shop->jobs > 0)
        memcpy(order, read, (size_t)shop->jobs * sizeof *order);
done:
    mco_free(ctx, &read);
    return st;
}

mco_status mco_flowshop_read_order(mco_context *ctx, const mco_flowshop *shop, const char *path, int32_t *order)
{
    mco_text text;
    if (ctx == NULL || shop == NULL || path == NULL || (order == NULL && shop->jobs > 0))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    mco_status st = mco_text_open(ctx, path, &text);
    if (st != MCO_OK)
        return st;
    st = flowshop_read_order_text(ctx, shop, &text, order);
    mco_text_close(&text);
    return st;
}

mco_status mco_flowshop_write_order(mco_context *ctx, const mco_flowshop *shop, const int32_t *order,
                                    const char *path)
{
    mco_output o;
    int64_t makespan;
    if (ctx == NULL || shop == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    mco_status st = mco_flowshop_check(ctx, shop, order, shop->jobs, &makespan);
    if (st == MCO_OK)
        st = mco_output_open(ctx, path, &o);
    if (st != MCO_OK)
        return st;
    for (int32_t k = 0; k < shop->jobs; k++)
        fprintf(o.file, k == 0 ? "%d" : " %d", order[k] + 1);
    fputc('\n', o.file);
    for (int32_t k = 0; k < shop->jobs; k++) {
        char number[12];
        snprintf(number, sizeof number, "%d", order[k] + 1);
        if (strcmp(number, shop->job_names[order[k]]) != 0)
            fprintf(o.file, "# %d %s\n", order[k] + 1, shop->job_names[order[k]]);
    }
    return mco_output_commit(ctx, &o, false);
}
