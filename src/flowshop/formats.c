// SPDX-License-Identifier: MIT
// Readers of instance files. docs/formats.md describes the formats. flowshop/orders.c reads solutions.
//
// One block is one instance. Its first line tells the format:
// - A line that begins with "number of jobs": Taillard.
// - Another line that begins with a word: CSV with names.
// - Two integers n m, then n rows of pairs "machine time": Vallada, Ruiz, Framinan.
// - Two integers n m, then m rows of n times: Taillard without the words.
// Several blocks may follow each other, except in CSV.
//
// Times may have decimals. All times of an instance are integers by a common power of ten, which grows with the
// decimals that are read; the times read before are then brought to it.
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/kinds.h"
#include "base/names.h"
#include "flowshop/instance.h"

typedef struct block {
    int64_t jobs, machines, seed, best_makespan, best_bound;
    int32_t *times;
    int places;      // most decimals of the times read so far
    char separator;  // of the cells
} block;

static const int64_t SCALES[FLOWSHOP_MOST_PLACES + 1] = {1, 10, 100, 1000, 10000, 100000, 1000000};

// ---- One time

// A number of few digits, of which *decimals stand behind the point; nothing else. Most cells are such numbers.
static bool read_digits(const char *text, size_t size, char separator, int64_t *digits, int *decimals)
{
    enum { MOST = 12 };  // 10^12 by the greatest scale, 10^6, stays below 2^63
    const char *point = NULL;
    *digits = 0;
    if (size == 0 || size > MOST)
        return false;
    for (const char *c = text; c < text + size; c++) {
        if (point == NULL && size > 1 && (*c == '.' || (*c == ',' && separator == ';')))
            point = c;
        else if ((unsigned)(*c - '0') <= 9)
            *digits = *digits * 10 + (*c - '0');
        else
            return false;
    }
    *decimals = point != NULL ? (int)(text + size - point) - 1 : 0;
    for (; *decimals > 0 && *digits % 10 == 0; (*decimals)--)
        *digits /= 10;
    return true;
}

// Reads a number as an integer by the scale of b->places, which grows with its decimals. Signs and exponents go this
// way, and all that is refused.
static mco_status read_number(mco_text *text, mco_slice cell, const char *what, const block *b, int *places, int64_t *value)
{
    mco_status st = MCO_OK;
    *places = b->places;
    MCO_TRY(mco_slice_places(text, cell, what, b->separator, FLOWSHOP_MOST_PLACES, places));
    MCO_TRY(mco_slice_scaled(text, cell, what, b->separator, *places, 0, MCO_FLOWSHOP_MAX_TIME / SCALES[*places], value));
done:
    return st;
}

// Brings the times read so far to the scale of more decimals, which the cell has. The others are 0.
static mco_status raise_places(mco_text *text, mco_slice cell, block *b, int places)
{
    const int64_t factor = SCALES[places] / SCALES[b->places];
    for (int64_t c = 0; c < b->jobs * b->machines; c++) {
        if (b->times[c] * factor > MCO_FLOWSHOP_MAX_TIME)
            return mco_text_fail(text, cell.line, cell.column,
                                 "the time %.*s has %d decimal%s. With so many, times are at most %lld; that of job %lld on "
                                 "machine %lld is greater", mco_slice_shown(cell), cell.data, places, mco_plural(places),
                                 (long long)(MCO_FLOWSHOP_MAX_TIME / SCALES[places]), (long long)(c % b->jobs) + 1,
                                 (long long)(c / b->jobs) + 1);
        b->times[c] = (int32_t)(b->times[c] * factor);
    }
    b->places = places;
    return MCO_OK;
}

static mco_status read_time(mco_text *text, mco_slice cell, block *b, int64_t machine, int64_t job)
{
    mco_status st = MCO_OK;
    int64_t value;
    int places = b->places, decimals;
    if (read_digits(cell.data, cell.size, b->separator, &value, &decimals) && decimals <= FLOWSHOP_MOST_PLACES) {
        places = decimals > places ? decimals : places;
        value *= SCALES[places - decimals];
    } else {
        value = INT64_MAX;
    }
    if (value > MCO_FLOWSHOP_MAX_TIME) {
        char what[120], scale[40] = "";
        if (b->places > 0)
            snprintf(scale, sizeof scale, " (with %d decimal%s in the file)", b->places, mco_plural(b->places));
        snprintf(what, sizeof what, "the time of job %lld on machine %lld%s", (long long)job + 1, (long long)machine + 1,
                 scale);
        MCO_TRY(read_number(text, cell, what, b, &places, &value));
    }
    if (places > b->places)
        MCO_TRY(raise_places(text, cell, b, places));
    b->times[machine * b->jobs + job] = (int32_t)value;
done:
    return st;
}

// Passes an integer behind blanks of this line, as most times are. False at anything else; the text then stays where it
// is.
static bool pass_digits(mco_text *text, int64_t *value)
{
    size_t begin = text->at;
    while (text->data[begin] == ' ')
        begin++;
    size_t end = begin;
    while ((unsigned)(text->data[end] - '0') <= 9)
        end++;
    int decimals;
    // The byte behind the text is a NUL, which ends both loops.
    const bool is_word = end == text->size || isspace((unsigned char)text->data[end]);
    if (!is_word || !read_digits(text->data + begin, end - begin, ' ', value, &decimals) || *value > MCO_FLOWSHOP_MAX_TIME)
        return false;
    text->at = end;
    return true;
}

// The same for the next word of the text.
static mco_status read_next_time(mco_text *text, block *b, int64_t machine, int64_t job)
{
    mco_slice word;
    int64_t value;
    if (b->places == 0 && pass_digits(text, &value)) {
        b->times[machine * b->jobs + job] = (int32_t)value;
        return MCO_OK;
    }
    if (!mco_text_peek(text, &word))
        return mco_text_fail_here(text, "the text ends where the time of job %lld on machine %lld was expected",
                                  (long long)job + 1, (long long)machine + 1);
    const mco_status st = read_time(text, word, b, machine, job);
    text->at += word.size;
    return st;
}

// ---- Blocks

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

// Rows of so many times look at the clock, each of them; the files of shorter rows are small.
enum { LONG_ROW = 100 };

// Reads m rows of n times, a row for each machine. A row may take several lines.
static mco_status read_machine_rows(mco_text *text, block *b)
{
    mco_status st = MCO_OK;
    for (int64_t i = 0; i < b->machines; i++) {
        MCO_TRY(mco_text_in_time(text, b->jobs < LONG_ROW));
        for (int64_t j = 0; j < b->jobs; j++)
            MCO_TRY(read_next_time(text, b, i, j));
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
        MCO_TRY(mco_text_in_time(text, b->machines < LONG_ROW));
        for (int64_t i = 0; i < b->machines; i++) {
            snprintf(what, sizeof what, "pair %lld of job %lld: the machine", (long long)i + 1, (long long)j + 1);
            MCO_TRY(mco_text_integer(text, what, i, i, &value));
            MCO_TRY(read_next_time(text, b, i, j));
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

// A value of the sizes line in the instance's unit. 0 or less means that none is known, and so does one beyond all
// makespans.
static int64_t known_value(const block *b, int64_t value)
{
    return value > 0 && value <= INT32_MAX / SCALES[b->places] ? value * SCALES[b->places] : -1;
}

static mco_status finish_block(mco_context *ctx, mco_text *text, const block *b, mco_flowshop **out)
{
    mco_status st = mco_flowshop_create(ctx, (int32_t)b->jobs, (int32_t)b->machines, b->times, out);
    if (st != MCO_OK) {
        char reason[MCO_ERROR_LENGTH], unit[64] = "";
        snprintf(reason, sizeof reason, "%s", mco_context_error(ctx));
        if (b->places > 0)
            snprintf(unit, sizeof unit, ", in units of 1/%lld for %d decimal%s", (long long)SCALES[b->places], b->places,
                     mco_plural(b->places));
        return mco_fail(ctx, st, "%.200s: %.240s%s", text->name, reason, unit);
    }
    mco_flowshop *s = *out;
    s->places = b->places;
    s->scale = (int32_t)SCALES[b->places];
    s->best_makespan = known_value(b, b->best_makespan);
    s->best_bound = known_value(b, b->best_bound);
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

// What a table has besides its times. The header stands before the rows, which `text` holds.
typedef struct csv {
    block b;
    mco_names jobs, machines;
} csv;

// Counts the machines (the fields of the header after the first) and the jobs (the rows with content).
static void measure_csv(mco_text text, mco_slice header, block *b)
{
    mco_slice field, row;
    b->machines = -1;
    b->jobs = 0;
    while (mco_slice_field(&header, b->separator, &field))
        b->machines++;
    while (mco_text_row(&text, b->separator, &row))
        b->jobs++;
}

static mco_status read_csv_row(mco_text *text, mco_slice row, block *b, int64_t job)
{
    mco_status st = MCO_OK;
    mco_slice cell, rest = row;
    int64_t i = 0;
    mco_slice_field(&rest, b->separator, &cell);  // the name
    for (; mco_slice_field(&rest, b->separator, &cell); i++) {
        if (i == b->machines)
            return mco_text_fail(text, cell.line, cell.column, "the row of job %lld has more than %lld times",
                                 (long long)job + 1, (long long)b->machines);
        MCO_TRY(read_time(text, cell, b, i, job));
    }
    if (i < b->machines)
        return mco_text_fail(text, row.line, row.column, "the row of job %lld has %lld times, %lld were expected",
                             (long long)job + 1, (long long)i, (long long)b->machines);
done:
    return st;
}

static mco_status read_csv_times(mco_text *text, block *b)
{
    mco_status st = MCO_OK;
    mco_slice row;
    for (int64_t job = 0; mco_text_row(text, b->separator, &row); job++) {
        MCO_TRY(mco_text_in_time(text, b->machines < LONG_ROW));
        MCO_TRY(read_csv_row(text, row, b, job));
    }
done:
    return st;
}

// Two machines of one name would be one in every output.
static mco_status read_machine_names(mco_text *text, mco_slice header, csv *c)
{
    mco_slice cell;
    mco_slice_field(&header, c->b.separator, &cell);
    for (int64_t i = 0; mco_slice_field(&header, c->b.separator, &cell); i++)
        if (mco_names_give(&c->machines, text, i, cell) != MCO_OK)
            return mco_text_fail(text, cell.line, cell.column, "a second machine is named \"%.*s\": a name may stand once",
                                 mco_slice_shown(cell), cell.data);
    return MCO_OK;
}

static mco_status read_job_names(mco_text text, csv *c)
{
    mco_status st = MCO_OK;
    mco_slice row, cell;
    for (int64_t job = 0; mco_text_row(&text, c->b.separator, &row); job++) {
        mco_slice_field(&row, c->b.separator, &cell);
        MCO_TRY(mco_names_give(&c->jobs, &text, job, cell));
    }
done:
    return st;
}

// A job or machine without a name keeps its default name. No other one may be given that name.
static mco_status take_names(mco_text *text, mco_names *names, const char *what, char **out, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        const int32_t other = *mco_name_slot(&names->table, out[i], strlen(out[i])) - 1;
        if (names->names[i] == NULL && other >= 0)
            return mco_text_fail(text, names->lines[other], 1,
                                 "%s %d is named %s, and so is called %s %d, which has no name: name it", what, other + 1,
                                 out[i], what, i + 1);
    }
    for (int32_t i = 0; i < count; i++)
        out[i] = names->names[i] != NULL ? names->names[i] : out[i];
    return MCO_OK;
}

// Whether some job's name is a number other than its own row's.
static bool has_other_numbers(const mco_flowshop *s)
{
    int64_t number;
    for (int32_t j = 0; j < s->jobs; j++) {
        const char *name = s->job_names[j];
        if (mco_slice_is_number((mco_slice){name, strlen(name), 0, 0}) &&
            (!mco_parse_integer(name, 1, s->jobs, &number) || number != j + 1))
            return true;
    }
    return false;
}

// The instance takes over the names.
static mco_status name_all(mco_text *text, csv *c, mco_flowshop *s)
{
    mco_status st = MCO_OK;
    mco_names *const names[2] = {&c->jobs, &c->machines};
    MCO_TRY(take_names(text, &c->jobs, "job", s->job_names, s->jobs));
    MCO_TRY(take_names(text, &c->machines, "machine", s->machine_names, s->machines));
    s->has_names = c->jobs.count > 0;
    s->has_numbers = has_other_numbers(s);
    for (int i = 0; i < 2; i++) {
        s->given_names[i] = names[i]->names;
        names[i]->names = NULL;
    }
done:
    return st;
}

static mco_status read_csv(mco_context *ctx, mco_text *text, mco_flowshop **out)
{
    mco_status st = MCO_OK;
    mco_flowshop *s = NULL;
    csv c = {.b = {.best_makespan = -1, .best_bound = -1}};
    block *b = &c.b;
    mco_slice header;
    mco_text head = *text;  // ends behind the header
    mco_text_line(text, &header);
    head.size = text->at;
    b->separator = mco_slice_separator(header);
    measure_csv(*text, header, b);
    if (b->machines < 1 || b->machines > MCO_FLOWSHOP_MAX_MACHINES || b->jobs > MCO_FLOWSHOP_MAX_JOBS)
        MCO_TRY(mco_text_fail(text, header.line, header.column,
                              "%lld machines and %lld jobs, allowed are 1 to %d and 0 to %d", (long long)b->machines,
                              (long long)b->jobs, MCO_FLOWSHOP_MAX_MACHINES, MCO_FLOWSHOP_MAX_JOBS));
    MCO_TRY(mco_names_reserve(ctx, &head, b->machines, &c.machines));
    MCO_TRY(read_machine_names(text, header, &c));
    MCO_TRY(mco_names_reserve(ctx, text, b->jobs, &c.jobs));
    MCO_TRY(read_job_names(*text, &c));
    MCO_TRY(mco_alloc(ctx, &b->times, b->jobs * b->machines));
    MCO_TRY(read_csv_times(text, b));
    MCO_TRY(finish_block(ctx, text, b, &s));
    MCO_TRY(name_all(text, &c, s));
    *out = s;
    s = NULL;
done:
    mco_flowshop_destroy(ctx, &s);
    mco_free(ctx, &b->times);
    mco_names_clear(ctx, &c.jobs);
    mco_names_clear(ctx, &c.machines);
    return st;
}

mco_status flowshop_read_text(mco_context *ctx, mco_text *text, int32_t which, mco_flowshop **out)
{
    mco_slice line;
    if (which < 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "instance %d was asked for, they are numbered from 1", which);
    if (!mco_text_skip_blank(text))
        return mco_text_fail_here(text, "the file is empty");
    const mco_status st = mco_refuse_other_kind(text, "flowshop");
    if (st != MCO_OK)
        return st;
    mco_text ahead = *text;
    mco_text_line(&ahead, &line);
    bool is_taillard = line.size >= 14 && strncasecmp(line.data, "number of jobs", 14) == 0;
    if (!is_word_line(line) || is_taillard)
        return read_blocks(ctx, text, which, out);
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
