// SPDX-License-Identifier: MIT
// Instance files of all formats; docs/formats.md describes them. The first line tells CSV, which holds both networks and the
// names of the orders, from TSPLIB, which describes one network in a file.
#include "dtspms/dtspms_formats.h"

#include <string.h>

#include "base/output.h"

enum { LIST_ROOM = 240 };  // of all words allowed at a place

static const double MAX_COORDINATE = 1e7;

// ---- What the formats share

mco_status dtspms_find_word(mco_text *text, mco_slice value, const char *what, const char *const *words, int count, int *out)
{
    char list[LIST_ROOM] = "";
    for (*out = 0; *out < count; (*out)++)
        if (mco_slice_is(value, words[*out]))
            return MCO_OK;
    for (int i = 0, used = 0; i < count; i++)
        used += snprintf(list + used, sizeof list - (size_t)used, "%s%s", i == 0 ? "" : i < count - 1 ? ", " : " and ",
                         words[i]);
    return mco_text_fail(text, value.line, value.column, "%s \"%.*s\", supported are %s", what, mco_slice_shown(value),
                         value.data, list);
}

mco_status dtspms_read_coordinate(mco_text *text, mco_slice cell, double *out)
{
    return mco_slice_real(text, cell, "the coordinate", -MAX_COORDINATE, MAX_COORDINATE, out);
}

// ---- All formats

// A line with a separator is a header, unless it is a line of TSPLIB.
static bool is_csv(mco_text *text, mco_slice *line)
{
    if (!mco_text_peek_line(text, line) || dtspms_is_tsplib_line(*line))
        return false;
    for (size_t i = 0; i < line->size; i++)
        if (strchr(",;\t", line->data[i]) != NULL)
            return true;
    return false;
}

mco_status dtspms_read_texts(mco_context *ctx, mco_text *pickup, mco_text *delivery, const char *name, mco_dtspms **out)
{
    mco_text *texts[2] = {pickup, delivery};
    mco_slice line = {0};
    const bool holds_both = is_csv(pickup, &line);
    for (int k = 0; k < 2; k++) {
        if (texts[k] == NULL)
            continue;
        if (!mco_text_skip_blank(texts[k]))
            return mco_text_fail_here(texts[k], "the file is empty");
        if (delivery != NULL && is_csv(texts[k], &line))
            return mco_text_fail(texts[k], line.line, line.column,
                                 "a CSV file holds both networks and stands alone, a pair of files is TSPLIB");
    }
    if (holds_both)
        return dtspms_read_csv(ctx, pickup, name, out);
    if (delivery == NULL)
        return mco_text_fail_here(pickup, "one network of two: TSPLIB needs two files, pickup and delivery; CSV begins with "
                                          "name,pickup_x,pickup_y,delivery_x,delivery_y");
    return dtspms_read_tsplib(ctx, texts, name, out);
}

mco_status mco_dtspms_read(mco_context *ctx, const char *pickup, const char *delivery, mco_dtspms **out)
{
    mco_status st = MCO_OK;
    mco_text texts[2] = {{.ctx = ctx}, {.ctx = ctx}};
    if (ctx == NULL || pickup == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (delivery != NULL && strcmp(pickup, "-") == 0 && strcmp(delivery, "-") == 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "both networks are \"-\", standard input can be one of them");
    const char *base = strrchr(pickup, '/') != NULL ? strrchr(pickup, '/') + 1 : pickup;
    MCO_TRY(mco_text_open(ctx, pickup, &texts[0]));
    if (delivery != NULL)
        MCO_TRY(mco_text_open(ctx, delivery, &texts[1]));
    MCO_TRY(dtspms_read_texts(ctx, &texts[0], delivery != NULL ? &texts[1] : NULL,
                              strcmp(pickup, "-") == 0 ? "stdin" : base, out));
done:
    mco_text_close(&texts[1]);
    mco_text_close(&texts[0]);
    return st;
}

mco_status mco_dtspms_write(mco_context *ctx, const mco_dtspms *problem, mco_dtspms_network network, const char *path)
{
    mco_output o;
    if (ctx == NULL || problem == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    mco_status st = mco_output_open(ctx, path, &o);
    if (st != MCO_OK)
        return st;
    dtspms_write_network(problem, network, o.file);
    return mco_output_commit(ctx, &o, false);
}
