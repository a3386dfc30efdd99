// SPDX-License-Identifier: MIT
#include "paths/transit/csv.h"

#include <string.h>

#include "paths/transit/date.h"

static mco_status find_columns(csv_table *t, mco_slice header)
{
    mco_slice cell, rest = header;
    for (t->width = 0; mco_slice_field(&rest, ',', &cell); t->width++)
        for (int k = 0; k < t->columns; k++)
            if (mco_slice_is(cell, t->column[k].name)) {
                if (t->place[k] >= 0)
                    return mco_text_fail(&t->text, cell.line, cell.column, "the column %s is there twice", t->column[k].name);
                t->place[k] = t->width;
            }
    for (int k = 0; k < t->columns; k++)
        if (t->place[k] < 0 && t->column[k].is_needed)
            return mco_text_fail(&t->text, header.line, header.column, "the header has no column %s", t->column[k].name);
    return MCO_OK;
}

mco_status csv_begin(mco_text text, const csv_column *columns, int count, csv_table *out)
{
    mco_slice header;
    *out = (csv_table){.text = text, .column = columns, .columns = count};
    for (int k = 0; k < count; k++)
        out->place[k] = -1;
    if (!mco_text_row(&out->text, ',', &header))
        return mco_text_fail_here(&out->text, "the table has no header, which names its columns");
    return find_columns(out, header);
}

// Makes single quotes of doubled ones, in the text itself: it is not read again.
static void join_quotes(const csv_table *t, mco_slice *cell)
{
    if (cell->size == 0 || memchr(cell->data, '"', cell->size) == NULL)
        return;
    char *begin = t->text.data + (cell->data - t->text.data);
    size_t size = 0;
    for (size_t k = 0; k < cell->size; k++) {
        begin[size++] = cell->data[k];
        if (cell->data[k] == '"' && k + 1 < cell->size && cell->data[k + 1] == '"')
            k++;
    }
    cell->size = size;
}

// Takes the next cell of a row, which is not blank.
static mco_status take_cell(csv_table *t, mco_slice *cell)
{
    const bool is_quoted = cell->data > t->row.data && cell->data[-1] == '"';
    if (is_quoted)
        join_quotes(t, cell);
    else if (cell->size > 0 && cell->data[0] == '"')
        return mco_text_fail(&t->text, cell->line, cell->column, "the quote of \"%.*s\" is not closed before the next comma",
                             mco_slice_shown(*cell), cell->data);
    return MCO_OK;
}

mco_status csv_next(csv_table *t, bool *is_there)
{
    mco_status st = MCO_OK;
    mco_slice cell, rest;
    int width = 0;
    *is_there = mco_text_row(&t->text, ',', &t->row);
    if (!*is_there)
        return MCO_OK;
    MCO_TRY(mco_text_in_time(&t->text, ++t->rows));
    for (int k = 0; k < t->columns; k++)
        t->cell[k] = (mco_slice){t->row.data, 0, t->row.line, t->row.column + (int64_t)t->row.size};
    for (rest = t->row; mco_slice_field(&rest, ',', &cell); width++) {
        MCO_TRY(take_cell(t, &cell));
        if (width >= t->width && cell.size > 0)
            return mco_text_fail(&t->text, cell.line, cell.column, "the row has more than the %d cells of the header", t->width);
        for (int k = 0; k < t->columns; k++)
            if (t->place[k] == width)
                t->cell[k] = cell;
    }
done:
    return st;
}

int64_t csv_most_rows(const csv_table *t)
{
    int64_t rows = 1;
    for (const char *at = t->text.data + t->text.at; (at = memchr(at, '\n', (size_t)(t->text.data + t->text.size - at))) != NULL; at++)
        rows++;
    return rows;
}

void csv_end(csv_table *t)
{
    if (t->text.ctx != NULL)
        mco_text_close(&t->text);
    *t = (csv_table){0};
}

// ---- Cells

mco_status csv_text(csv_table *t, int column, mco_slice *out)
{
    *out = t->cell[column];
    if (out->size > 0)
        return MCO_OK;
    return mco_text_fail(&t->text, out->line, out->column, "%s is empty", t->column[column].name);
}

mco_status csv_integer(csv_table *t, int column, int64_t low, int64_t high, int64_t *out)
{
    return mco_slice_integer(&t->text, t->cell[column], t->column[column].name, low, high, out);
}

mco_status csv_integer_or(csv_table *t, int column, int64_t low, int64_t high, int64_t value, int64_t *out)
{
    *out = value;
    return t->cell[column].size == 0 ? MCO_OK : csv_integer(t, column, low, high, out);
}

mco_status csv_real(csv_table *t, int column, double low, double high, double *out)
{
    return mco_slice_real(&t->text, t->cell[column], t->column[column].name, low, high, out);
}

mco_status csv_date(csv_table *t, int column, int32_t *out)
{
    const mco_slice cell = t->cell[column];
    int32_t date = 0;
    bool is_number = cell.size == 8;
    for (size_t k = 0; is_number && k < cell.size; k++) {
        is_number = cell.data[k] >= '0' && cell.data[k] <= '9';
        date = is_number ? 10 * date + (cell.data[k] - '0') : 0;
    }
    if (!is_number || !date_is_valid(date))
        return mco_text_fail(&t->text, cell.line, cell.column, "%s is \"%.*s\", a day YYYYMMDD was expected", t->column[column].name,
                             mco_slice_shown(cell), cell.data);
    *out = date;
    return MCO_OK;
}

// Reads digits, at most three; -1 if there are none.
static int32_t take_digits(mco_slice *rest)
{
    int32_t value = -1;
    for (int k = 0; k < 3 && rest->size > 0 && rest->data[0] >= '0' && rest->data[0] <= '9'; k++) {
        value = 10 * (value < 0 ? 0 : value) + (rest->data[0] - '0');
        *rest = mco_slice_behind(*rest, 1);
    }
    return value;
}

mco_status csv_time(csv_table *t, int column, int32_t *out)
{
    const mco_slice cell = t->cell[column];
    int32_t part[3] = {-1, -1, -1};
    mco_slice rest = cell;
    *out = -1;
    if (cell.size == 0)
        return MCO_OK;
    for (int k = 0; k < 3; k++) {
        part[k] = take_digits(&rest);
        if (k < 2 && rest.size > 0 && rest.data[0] == ':')
            rest = mco_slice_behind(rest, 1);
        else if (k < 2)
            part[k] = -1;
    }
    const int64_t seconds = (int64_t)3600 * part[0] + 60 * part[1] + part[2];
    if (rest.size > 0 || part[0] < 0 || part[1] < 0 || part[1] > 59 || part[2] < 0 || part[2] > 59 || seconds > CSV_MAX_SECONDS)
        return mco_text_fail(&t->text, cell.line, cell.column, "%s is \"%.*s\", a time H:MM:SS up to %d:00:00 was expected",
                             t->column[column].name, mco_slice_shown(cell), cell.data, CSV_MAX_SECONDS / 3600);
    *out = (int32_t)seconds;
    return MCO_OK;
}
