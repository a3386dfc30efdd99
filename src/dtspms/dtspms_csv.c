// SPDX-License-Identifier: MIT
// CSV: a header, the row of the depot, a row for each order with its name and the coordinates of both networks.
#include "base/names.h"
#include "dtspms/dtspms_formats.h"

typedef enum column { COLUMN_NAME, PICKUP_X, PICKUP_Y, DELIVERY_X, DELIVERY_Y, COLUMNS } column;

static const char *const columns[COLUMNS] = {"name", "pickup_x", "pickup_y", "delivery_x", "delivery_y"};

typedef struct csv {
    mco_context *ctx;
    mco_text *text;
    mco_dtspms *d;
    char separator;
    int fields;            // of a row
    int kinds[COLUMNS];    // [fields]
    mco_names names;       // reserved where the table has that column
} csv;

static mco_status read_header(csv *c)
{
    mco_status st = MCO_OK;
    mco_slice line, cell, at[COLUMNS] = {{0}};
    mco_text_line(c->text, &line);
    c->separator = mco_slice_separator(line);
    mco_slice rest = line;
    while (rest.data != NULL && !mco_slice_is_blank(rest, c->separator)) {
        int kind;
        mco_slice_field(&rest, c->separator, &cell);
        MCO_TRY(dtspms_find_word(c->text, cell, "the column is", columns, COLUMNS, &kind));
        if (at[kind].data != NULL)
            MCO_TRY(mco_text_fail(c->text, cell.line, cell.column, "the column \"%s\" a second time, first at %lld:%lld",
                                  columns[kind], (long long)line.line, (long long)at[kind].column));
        at[kind] = cell;
        c->kinds[c->fields++] = kind;
    }
    for (int needed = PICKUP_X; needed < COLUMNS; needed++)
        if (at[needed].data == NULL)
            MCO_TRY(mco_text_fail(c->text, line.line, line.column, "the header has no column \"%s\"", columns[needed]));
done:
    return st;
}

static mco_status read_row(csv *c, mco_slice line, int32_t node)
{
    mco_status st = MCO_OK;
    mco_slice rest = line, cell, cells[COLUMNS] = {{0}};
    dtspms_network *n = c->d->network;
    for (int i = 0; i < c->fields; i++)
        if (!mco_slice_field(&rest, c->separator, &cells[c->kinds[i]]))
            return mco_text_fail(c->text, line.line, line.column, "the row has %d cells, %d were expected", i, c->fields);
    while (mco_slice_field(&rest, c->separator, &cell))
        if (cell.size > 0)
            return mco_text_fail(c->text, cell.line, cell.column, "the row has more than %d cells", c->fields);
    MCO_TRY(dtspms_read_coordinate(c->text, cells[PICKUP_X], &n[0].x[node]));
    MCO_TRY(dtspms_read_coordinate(c->text, cells[PICKUP_Y], &n[0].y[node]));
    MCO_TRY(dtspms_read_coordinate(c->text, cells[DELIVERY_X], &n[1].x[node]));
    MCO_TRY(dtspms_read_coordinate(c->text, cells[DELIVERY_Y], &n[1].y[node]));
    if (node > 0)
        MCO_TRY(mco_names_give(&c->names, c->text, node - 1, cells[COLUMN_NAME]));
done:
    return st;
}

static mco_status reserve_rows(csv *c, const char *name)
{
    mco_status st = MCO_OK;
    mco_text ahead = *c->text;
    mco_slice line;
    int64_t nodes = 0;
    bool has_names = false;
    while (mco_text_row(&ahead, c->separator, &line))
        nodes++;
    if (nodes == 0)
        return mco_text_fail_here(&ahead, "the text ends where the row of the depot was expected");
    if (nodes > MCO_DTSPMS_MAX_ORDERS + 1)
        return mco_text_fail_here(c->text, "from here on a depot and %lld orders, allowed are 0 to %d",
                                  (long long)nodes - 1, MCO_DTSPMS_MAX_ORDERS);
    MCO_TRY(dtspms_instance_new(c->ctx, (int32_t)nodes - 1, name, &c->d));
    for (int k = 0; k < 2; k++) {
        c->d->network[k].rule = DTSPMS_EUC_2D;
        MCO_TRY(mco_alloc(c->ctx, &c->d->network[k].x, nodes));
        MCO_TRY(mco_alloc(c->ctx, &c->d->network[k].y, nodes));
    }
    for (int i = 0; i < c->fields; i++)
        has_names |= c->kinds[i] == COLUMN_NAME;
    if (has_names)
        MCO_TRY(mco_names_reserve(c->ctx, c->text, c->d->orders, &c->names));
done:
    return st;
}

mco_status dtspms_read_csv(mco_context *ctx, mco_text *text, const char *name, mco_dtspms **out)
{
    mco_status st = MCO_OK;
    csv c = {.ctx = ctx, .text = text};
    mco_slice line;
    MCO_TRY(read_header(&c));
    MCO_TRY(reserve_rows(&c, name));
    for (int32_t node = 0; mco_text_row(text, c.separator, &line); node++)
        MCO_TRY(read_row(&c, line, node));
    if (c.names.count > 0) {
        c.d->names = c.names.names;
        c.names.names = NULL;
    }
    *out = c.d;
    c.d = NULL;
done:
    mco_names_clear(ctx, &c.names);
    mco_dtspms_destroy(ctx, &c.d);
    return st;
}
