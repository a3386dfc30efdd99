// SPDX-License-Identifier: MIT
// Instance files of all formats; docs/formats.md describes them. The first line shows whether a file is VRPLIB or CSV.
#include "vrp/formats.h"

#include "base/kinds.h"
#include "base/number.h"
#include "base/output.h"
#include "routing/features.h"
#include "vrp/csv.h"
#include "vrp/vrplib.h"

void vrp_write_scaled(const mco_vrp *problem, int64_t value, FILE *file)
{
    const int64_t scale = (int64_t)problem->scale;
    int digits = 0;
    for (int64_t rest = scale; rest > 1; rest /= 10)
        digits++;
    mco_write_integer(value / scale, 1, file);
    if (digits == 0)
        return;
    fputc('.', file);
    mco_write_integer(value % scale, digits, file);
}

mco_status vrp_read_text(mco_context *ctx, mco_text *text, const mco_vrp_model *model, const char *name, mco_vrp **out)
{
    mco_status st = MCO_OK;
    mco_slice line;
    bool is_csv;
    mco_text head = *text;
    MCO_TRY(mco_refuse_other_kind(text, "vrp"));
    MCO_TRY(routing_refuse_format(text));
    vrp_csv_skip_limits(&head);
    MCO_TRY(tsplib_tell_csv(&head, vrp_keywords, &is_csv, &line));
    MCO_TRY((is_csv ? vrp_read_csv : vrp_read_vrplib)(ctx, text, model, name, out));
done:
    return st;
}

mco_status mco_vrp_read(mco_context *ctx, const char *path, const mco_vrp_model *model, mco_vrp **out)
{
    mco_text text;
    if (ctx == NULL || path == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    mco_status st = mco_text_open(ctx, path, &text);
    if (st != MCO_OK)
        return st;
    st = vrp_read_text(ctx, &text, model, mco_text_base_name(path), out);
    mco_text_close(&text);
    return st;
}

mco_status mco_vrp_write(mco_context *ctx, const mco_vrp *problem, const char *path)
{
    mco_output o;
    if (ctx == NULL || problem == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    mco_status st = mco_output_open(ctx, path, &o);
    if (st != MCO_OK)
        return st;
    vrp_write_text(problem, o.file);
    return mco_output_commit(ctx, &o, false);
}
