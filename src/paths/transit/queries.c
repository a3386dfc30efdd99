// SPDX-License-Identifier: MIT
// Queries from a CSV file.
#include <stdio.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"
#include "paths/transit/city.h"

enum { COLUMNS = 5 };
static const char *const NAMES[COLUMNS] = {"from_lat", "from_lon", "to_lat", "to_lon", "depart"};

bool mco_transit_parse_time(const char *text, int32_t *out)
{
    int hours, minutes, seconds = 0, used = 0;
    if (sscanf(text, "%2d:%2d%n", &hours, &minutes, &used) != 2)
        return false;
    if (text[used] == ':') {
        int more = 0;
        if (sscanf(text + used, ":%2d%n", &seconds, &more) != 1)
            return false;
        used += more;
    }
    if (text[used] != '\0' || hours < 0 || hours > 47 || minutes < 0 || minutes > 59 || seconds < 0 || seconds > 59)
        return false;
    *out = 3600 * hours + 60 * minutes + seconds;
    return true;
}

// The field of each column, by the names of the first row.
static mco_status read_header(mco_text *text, char *separator, int column[COLUMNS])
{
    mco_status st = MCO_OK;
    mco_slice row, field;
    for (int c = 0; c < COLUMNS; c++)
        column[c] = -1;
    if (!mco_text_row(text, ',', &row))
        return mco_text_fail_here(text, "there are no queries");
    *separator = mco_slice_separator(row);
    const mco_slice header = row;
    for (int i = 0; mco_slice_field(&row, *separator, &field); i++)
        for (int c = 0; c < COLUMNS; c++)
            if (mco_slice_is(field, NAMES[c]))
                column[c] = i;
    for (int c = 0; c < COLUMNS; c++)
        if (column[c] < 0)
            MCO_TRY(mco_text_fail(text, header.line, header.column, "there is no column %s", NAMES[c]));
done:
    return st;
}

static mco_status read_query(mco_text *text, mco_slice row, char separator, const int column[COLUMNS], mco_transit_query *out)
{
    mco_status st = MCO_OK;
    double *const number[] = {&out->from.latitude, &out->from.longitude, &out->to.latitude, &out->to.longitude};
    mco_slice field;
    int seen = 0;
    const mco_slice whole = row;
    for (int i = 0; mco_slice_field(&row, separator, &field); i++)
        for (int c = 0; c < COLUMNS; c++) {
            char time[16] = "";
            if (column[c] != i)
                continue;
            seen++;
            if (c < COLUMNS - 1) {
                const double most = c % 2 == 0 ? 90 : 180;
                MCO_TRY(mco_slice_real_in(text, field, NAMES[c], separator, -most, most, number[c]));
                continue;
            }
            memcpy(time, field.data, field.size < sizeof time ? field.size : 0);
            if (!mco_transit_parse_time(time, &out->depart_s))
                MCO_TRY(mco_text_fail(text, field.line, field.column, "depart is \"%.*s\", a time like 08:30 was expected",
                                      mco_slice_shown(field), field.data));
        }
    if (seen < COLUMNS)
        MCO_TRY(mco_text_fail(text, whole.line, whole.column, "the row has %d of %d columns", seen, COLUMNS));
done:
    return st;
}

mco_status mco_transit_read_queries(mco_context *ctx, const char *path, mco_transit_query **queries, int64_t *count)
{
    mco_status st = MCO_OK;
    mco_text text = {0};
    mco_transit_query *q = NULL;
    int64_t room = 0, n = 0;
    int column[COLUMNS];
    char separator = ',';
    mco_slice row;
    if (ctx == NULL || path == NULL || queries == NULL || count == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(mco_text_open(ctx, path, &text));
    MCO_TRY(read_header(&text, &separator, column));
    while (mco_text_row(&text, separator, &row)) {
        MCO_TRY(mco_text_in_time(&text, n));
        MCO_TRY(mco_grow(ctx, &q, &room, n + 1));
        MCO_TRY(read_query(&text, row, separator, column, &q[n++]));
    }
    *queries = q;
    *count = n;
    q = NULL;
done:
    mco_free(ctx, &q);
    mco_text_close(&text);
    return st;
}

void mco_transit_queries_clear(mco_context *ctx, mco_transit_query **queries)
{
    mco_free(ctx, queries);
}
