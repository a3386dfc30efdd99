// SPDX-License-Identifier: MIT
// Programs at rest, and their files: free MPS, and the LP format of CPLEX. Both are written without a solver. Rows are r0, r1, ...,
// columns x0, x1, ... The formats have no rows without bounds, so such a row is at least -10^30, which readers take as -infinity. A row
// between two bounds has its width in MPS, where all other numbers are exact; in LP it is two rows, r3 and r3_most, as not all
// readers take two bounds.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/stream.h"
#include "lp/lp.h"

enum { LINE_ROOM = 192, TERMS_IN_LINE = 8 };  // CPLEX takes lines of 560 characters
static const double NO_BOUND = -1e30;

void mco_lp_model_clear(mco_context *ctx, mco_lp_model *model)
{
    mco_free(ctx, &model->is_integer);
    mco_free(ctx, &model->value);
    mco_free(ctx, &model->row);
    mco_free(ctx, &model->first);
    mco_free(ctx, &model->row_most);
    mco_free(ctx, &model->row_least);
    mco_free(ctx, &model->column_most);
    mco_free(ctx, &model->column_least);
    mco_free(ctx, &model->cost);
    *model = (mco_lp_model){0};
}

// Writes at most LINE_ROOM bytes. What could not be written shows at the commit.
static void MCO_PRINTF(2, 3) put(mco_stream *stream, const char *format, ...)
{
    va_list list;
    char *at = mco_stream_reserve(stream, LINE_ROOM);
    if (at == NULL)
        return;
    va_start(list, format);
    const int size = vsnprintf(at, LINE_ROOM, format, list);
    va_end(list);
    stream->used += (size_t)size;
}

static bool is_integer(const mco_lp_model *m, int32_t column)
{
    return m->is_integer != NULL && m->is_integer[column];
}

// ---- MPS

// What a row is compared with, and how: E, G or L. Rows with two bounds are G and have a range.
static char mps_sense(const mco_lp_model *m, int32_t row)
{
    if (m->row_least[row] == m->row_most[row])
        return 'E';
    return m->row_least[row] == -INFINITY && m->row_most[row] < INFINITY ? 'L' : 'G';
}

static double mps_side(const mco_lp_model *m, int32_t row)
{
    return mps_sense(m, row) == 'L' ? m->row_most[row] : m->row_least[row] == -INFINITY ? NO_BOUND : m->row_least[row];
}

static void write_mps_columns(mco_stream *stream, const mco_lp_model *m)
{
    char text[MCO_NUMBER_TEXT];
    bool is_in = false;
    put(stream, "COLUMNS\n");
    for (int32_t j = 0; j < m->columns; j++) {
        if (is_integer(m, j) != is_in)
            put(stream, " MARKER%d 'MARKER' '%s'\n", j, is_in ? "INTEND" : "INTORG");
        is_in = is_integer(m, j);
        put(stream, " x%d obj %s\n", j, mco_number_text(m->cost[j], text));
        for (int64_t k = m->first[j]; k < m->first[j + 1]; k++)
            put(stream, " x%d r%d %s\n", j, m->row[k], mco_number_text(m->value[k], text));
    }
    if (is_in)
        put(stream, " MARKER%d 'MARKER' 'INTEND'\n", m->columns);
}

// A reader's own bounds are 0 and infinity, but 1 for integers in CPLEX: these always have both.
static void write_mps_bound(mco_stream *stream, const mco_lp_model *m, int32_t j)
{
    char text[MCO_NUMBER_TEXT];
    const double least = m->column_least[j], most = m->column_most[j];
    if (least == most) {
        put(stream, " FX bound x%d %s\n", j, mco_number_text(least, text));
        return;
    }
    if (least == -INFINITY)
        put(stream, " %s bound x%d\n", most == INFINITY ? "FR" : "MI", j);
    else if (least != 0 || most < 0 || is_integer(m, j))
        put(stream, " LO bound x%d %s\n", j, mco_number_text(least, text));
    if (most < INFINITY)
        put(stream, " UP bound x%d %s\n", j, mco_number_text(most, text));
    else if (least > -INFINITY && is_integer(m, j))
        put(stream, " PL bound x%d\n", j);
}

static void write_mps(mco_stream *stream, const mco_lp_model *m)
{
    char text[MCO_NUMBER_TEXT];
    put(stream, "NAME mco FREE\nROWS\n N obj\n");
    for (int32_t i = 0; i < m->rows; i++)
        put(stream, " %c r%d\n", mps_sense(m, i), i);
    write_mps_columns(stream, m);
    put(stream, "RHS\n");
    for (int32_t i = 0; i < m->rows; i++)
        if (mps_side(m, i) != 0)
            put(stream, " rhs r%d %s\n", i, mco_number_text(mps_side(m, i), text));
    put(stream, "RANGES\n");
    for (int32_t i = 0; i < m->rows; i++)
        if (mps_sense(m, i) == 'G' && m->row_least[i] > -INFINITY && m->row_most[i] < INFINITY)
            put(stream, " range r%d %s\n", i, mco_number_text(m->row_most[i] - m->row_least[i], text));
    put(stream, "BOUNDS\n");
    for (int32_t j = 0; j < m->columns; j++)
        write_mps_bound(stream, m, j);
    put(stream, "ENDATA\n");
}

// ---- The LP format

// The matrix by rows: row i has the entries first[i]..first[i + 1].
typedef struct by_rows {
    int64_t *first;
    int32_t *column;
    double *value;
} by_rows;

static mco_status make_rows(mco_context *ctx, const mco_lp_model *m, by_rows *out)
{
    mco_status st = MCO_OK;
    const int64_t entries = m->first[m->columns];
    MCO_TRY(mco_alloc(ctx, &out->first, (int64_t)m->rows + 2));
    MCO_TRY(mco_alloc(ctx, &out->column, entries));
    MCO_TRY(mco_alloc(ctx, &out->value, entries));
    for (int64_t k = 0; k < entries; k++)
        out->first[m->row[k] + 2]++;
    for (int32_t i = 0; i < m->rows; i++)
        out->first[i + 2] += out->first[i + 1];  // first[i + 1] is now where row i begins; filling moves it to its end
    for (int32_t j = 0; j < m->columns; j++)
        for (int64_t k = m->first[j]; k < m->first[j + 1]; k++) {
            const int64_t at = out->first[m->row[k] + 1]++;
            out->column[at] = j;
            out->value[at] = m->value[k];
        }
done:
    return st;
}

// " + 3 x5"; a sum begins with its first term, number 0.
static void write_term(mco_stream *stream, int64_t number, double value, int32_t column)
{
    char text[MCO_NUMBER_TEXT];
    put(stream, "%s%s %s x%d", number > 0 && number % TERMS_IN_LINE == 0 ? "\n " : "", value < 0 ? " -" : number > 0 ? " +" : "",
        mco_number_text(fabs(value), text), column);
}

// " r3_most: 2 x0 + 1 x1 <= 5". A row without entries has the entry 0 x0.
static void write_lp_side(mco_stream *stream, const by_rows *rows, int32_t i, const char *suffix, const char *sense, double side)
{
    char text[MCO_NUMBER_TEXT];
    put(stream, " r%d%s:", i, suffix);
    for (int64_t k = rows->first[i]; k < rows->first[i + 1]; k++)
        write_term(stream, k - rows->first[i], rows->value[k], rows->column[k]);
    put(stream, "%s %s %s\n", rows->first[i] == rows->first[i + 1] ? " 0 x0" : "", sense, mco_number_text(side, text));
}

static void write_lp_row(mco_stream *stream, const mco_lp_model *m, const by_rows *rows, int32_t i)
{
    const double least = m->row_least[i], most = m->row_most[i];
    if (least == most)
        write_lp_side(stream, rows, i, "", "=", least);
    else if (least > -INFINITY || most == INFINITY)
        write_lp_side(stream, rows, i, "", ">=", least > -INFINITY ? least : NO_BOUND);
    if (most < INFINITY && least != most)
        write_lp_side(stream, rows, i, least > -INFINITY ? "_most" : "", "<=", most);
}

static void write_lp_bound(mco_stream *stream, const mco_lp_model *m, int32_t j)
{
    char low[MCO_NUMBER_TEXT], high[MCO_NUMBER_TEXT];
    const double least = m->column_least[j], most = m->column_most[j];
    if (least == most)
        put(stream, " x%d = %s\n", j, mco_number_text(least, low));
    else if (least == -INFINITY && most == INFINITY)
        put(stream, " x%d free\n", j);
    else if (most < INFINITY)
        put(stream, " %s <= x%d <= %s\n", least > -INFINITY ? mco_number_text(least, low) : "-inf", j, mco_number_text(most, high));
    else if (least != 0)
        put(stream, " x%d >= %s\n", j, mco_number_text(least, low));
}

static void write_lp(mco_stream *stream, const mco_lp_model *m, const by_rows *rows)
{
    int64_t terms = 0;
    put(stream, "Minimize\n obj:");
    for (int32_t j = 0; j < m->columns; j++)
        write_term(stream, terms++, m->cost[j], j);
    put(stream, "%s\nSubject To\n", terms == 0 ? " 0 x0" : "");
    for (int32_t i = 0; i < m->rows; i++)
        write_lp_row(stream, m, rows, i);
    put(stream, "Bounds\n");
    for (int32_t j = 0; j < m->columns; j++)
        write_lp_bound(stream, m, j);
    terms = 0;
    for (int32_t j = 0; j < m->columns; j++)
        if (is_integer(m, j))
            put(stream, "%sx%d", terms++ == 0 ? "General\n " : terms % TERMS_IN_LINE == 0 ? "\n " : " ", j);
    put(stream, "%sEnd\n", terms > 0 ? "\n" : "");
}

static bool ends_in(const char *path, const char *end)
{
    const size_t length = strlen(path), size = strlen(end);
    return length >= size && strcmp(path + length - size, end) == 0;
}

bool mco_lp_is_mps(const char *path)
{
    return ends_in(path, ".mps") || ends_in(path, ".mps.gz");
}

mco_status mco_lp_model_write(mco_context *ctx, const mco_lp_model *model, bool is_mps, const char *path)
{
    mco_status st = MCO_OK;
    mco_stream stream = {0};
    by_rows rows = {0};
    if (!is_mps)
        MCO_TRY(make_rows(ctx, model, &rows));
    MCO_TRY(mco_stream_open(ctx, path, &stream));
    if (is_mps)
        write_mps(&stream, model);
    else
        write_lp(&stream, model, &rows);
    MCO_TRY(mco_stream_commit(&stream));
done:
    mco_stream_discard(&stream);
    mco_free(ctx, &rows.value);
    mco_free(ctx, &rows.column);
    mco_free(ctx, &rows.first);
    return st;
}
