// SPDX-License-Identifier: MIT
// CSV: a header, a row for the depot, and a row for each order with its name and its coordinates in both networks.
#include "base/names.h"
#include "base/table.h"
#include "dtspms/formats.h"

typedef enum column { COLUMN_NAME, PICKUP_X, PICKUP_Y, DELIVERY_X, DELIVERY_Y, COLUMNS } column;

static const char *const columns[COLUMNS] = {"name", "pickup_x", "pickup_y", "delivery_x", "delivery_y"};

typedef struct csv {
    mco_context *ctx;
    mco_text *text;
    mco_dtspms *d;
    mco_table table;
    mco_names names;       // reserved if the table has the column of names
} csv;

static mco_status read_row(csv *c, mco_slice line, int32_t node)
{
    mco_status st = MCO_OK;
    mco_slice cells[MCO_TABLE_COLUMNS];
    dtspms_network *n = c->d->network;
    MCO_TRY(mco_table_cells(&c->table, line, c->table.fields, cells));
    double *const out[] = {&n[0].x[node], &n[0].y[node], &n[1].x[node], &n[1].y[node]};
    for (int k = PICKUP_X; k < COLUMNS; k++)
        MCO_TRY(mco_slice_real_in(c->text, cells[k], "the coordinate", c->table.separator, -DTSPMS_MAX_COORDINATE,
                                  DTSPMS_MAX_COORDINATE, out[k - PICKUP_X]));
    if (node > 0)
        MCO_TRY(mco_names_give(&c->names, c->text, node - 1, cells[COLUMN_NAME]));
done:
    return st;
}

static mco_status reserve_rows(csv *c, const char *name)
{
    mco_status st = MCO_OK;
    mco_text end;
    const int64_t nodes = mco_table_count(&c->table, &end);
    if (nodes == 0)
        return mco_text_fail_here(&end, "the text ends where the row of the depot was expected");
    if (nodes > MCO_DTSPMS_MAX_ORDERS + 1)
        return mco_text_fail_here(c->text, "from here on a depot and %lld orders, allowed are 0 to %d",
                                  (long long)nodes - 1, MCO_DTSPMS_MAX_ORDERS);
    MCO_TRY(dtspms_instance_new(c->ctx, (int32_t)nodes - 1, name, &c->d));
    for (int k = 0; k < 2; k++) {
        c->d->network[k].rule = DTSPMS_EUC_2D;
        MCO_TRY(mco_alloc(c->ctx, &c->d->network[k].x, nodes));
        MCO_TRY(mco_alloc(c->ctx, &c->d->network[k].y, nodes));
    }
    if (mco_table_has(&c->table, COLUMN_NAME))
        MCO_TRY(mco_names_reserve(c->ctx, c->text, c->d->orders, &c->names));
done:
    return st;
}

mco_status dtspms_read_csv(mco_context *ctx, mco_text *text, const char *name, mco_dtspms **out)
{
    mco_status st = MCO_OK;
    csv c = {.ctx = ctx, .text = text};
    mco_slice line;
    MCO_TRY(mco_table_open(text, columns, COLUMNS, &c.table));
    for (int needed = PICKUP_X; needed < COLUMNS; needed++)
        MCO_TRY(mco_table_require(&c.table, needed));
    MCO_TRY(reserve_rows(&c, name));
    for (int32_t node = 0; mco_text_row(text, c.table.separator, &line); node++)
        MCO_TRY(read_row(&c, line, node));
    MCO_TRY(mco_names_test(&c.names, text, c.d->orders));
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
