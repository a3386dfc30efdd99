// SPDX-License-Identifier: MIT
// Instance files of all formats (docs/formats.md). A CSV file holds both networks and the names of the orders; a TSPLIB
// file holds one network. The first line tells which format a file has.
#include "dtspms/formats.h"

#include <string.h>

#include "base/kinds.h"
#include "base/output.h"

mco_status dtspms_read_texts(mco_context *ctx, mco_text *pickup, mco_text *delivery, const char *name, mco_dtspms **out)
{
    mco_status st = MCO_OK;
    mco_text *const texts[2] = {pickup, delivery};
    mco_slice line;
    bool is_csv[2] = {false, false};
    for (int k = 0; k < 2 && texts[k] != NULL; k++) {
        MCO_TRY(mco_refuse_other_kind(texts[k], "dtspms"));
        MCO_TRY(tsplib_tell_csv(texts[k], dtspms_keywords, &is_csv[k], &line));
        if (delivery != NULL && is_csv[k])
            return mco_text_fail(texts[k], line.line, line.column,
                                 "a CSV file holds both networks and stands alone, a pair of files is TSPLIB");
    }
    if (is_csv[0])
        return dtspms_read_csv(ctx, pickup, name, out);
    if (delivery == NULL)
        return mco_text_fail_here(pickup, "one network of two: TSPLIB needs two files, pickup and delivery; CSV begins with "
                                          "name,pickup_x,pickup_y,delivery_x,delivery_y");
    MCO_TRY(dtspms_read_tsplib(ctx, texts, name, out));
done:
    return st;
}

mco_status mco_dtspms_read(mco_context *ctx, const char *pickup, const char *delivery, mco_dtspms **out)
{
    mco_status st = MCO_OK;
    mco_text texts[2] = {{.ctx = ctx}, {.ctx = ctx}};
    if (ctx == NULL || pickup == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (delivery != NULL && strcmp(pickup, "-") == 0 && strcmp(delivery, "-") == 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "both networks are \"-\", standard input can be one of them");
    MCO_TRY(mco_text_open(ctx, pickup, &texts[0]));
    if (delivery != NULL)
        MCO_TRY(mco_text_open(ctx, delivery, &texts[1]));
    MCO_TRY(dtspms_read_texts(ctx, &texts[0], delivery != NULL ? &texts[1] : NULL, mco_text_base_name(pickup), out));
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
