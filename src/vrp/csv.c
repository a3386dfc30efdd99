// SPDX-License-Identifier: MIT
// CSV: a header, the row of the depot, then a row per customer: name, coordinates, demand, service time.
#include "base/names.h"
#include "base/table.h"
#include "vrp/csv.h"

typedef enum column { COLUMN_NAME, COLUMN_ID, COLUMN_X, COLUMN_Y, COLUMN_DEMAND, COLUMN_SERVICE, COLUMNS } column;

static const char *const columns[COLUMNS] = {"name", "id", "x", "y", "demand", "service"};

static const double MAX_SERVICE_READ = 1e15;

typedef struct csv {
    mco_context *ctx;
    mco_text *text;
    mco_table table;
    int name;              // the column that holds names: COLUMN_NAME or COLUMN_ID
    vrp_draft draft;
    mco_names names;       // reserved if the table has that column
} csv;

static mco_status read_header(csv *c)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_table_open(c->text, columns, COLUMNS, &c->table));
    const mco_slice *at = c->table.places;
    if (mco_table_has(&c->table, COLUMN_NAME) && mco_table_has(&c->table, COLUMN_ID)) {
        const int later = at[COLUMN_NAME].column > at[COLUMN_ID].column ? COLUMN_NAME : COLUMN_ID;
        MCO_TRY(mco_text_fail(c->text, at[later].line, at[later].column, "the columns \"name\" and \"id\" are both names"));
    }
    c->name = mco_table_has(&c->table, COLUMN_ID) ? COLUMN_ID : COLUMN_NAME;
    for (int needed = COLUMN_X; needed <= COLUMN_DEMAND; needed++)
        MCO_TRY(mco_table_require(&c->table, needed));
done:
    return st;
}

static mco_status read_place(csv *c, mco_slice cell, double *out)
{
    return mco_slice_real(c->text, cell, "the coordinate", -VRP_MAX_COORDINATE, VRP_MAX_COORDINATE, out);
}

// The depot has no demand and no service time, so these cells of it may be empty.
static mco_status read_row(csv *c, mco_slice line, int32_t node)
{
    mco_status st = MCO_OK;
    mco_slice cells[MCO_TABLE_COLUMNS];
    mco_vrp *p = c->draft.problem;
    int64_t demand = 0;
    const bool is_depot = node == 0;
    MCO_TRY(mco_table_cells(&c->table, line, c->table.fields, cells));
    MCO_TRY(read_place(c, cells[COLUMN_X], &p->x[node]));
    MCO_TRY(read_place(c, cells[COLUMN_Y], &p->y[node]));
    if (!is_depot || cells[COLUMN_DEMAND].size > 0)
        MCO_TRY(mco_slice_whole(c->text, cells[COLUMN_DEMAND], is_depot ? "the demand of the depot" : "the demand", 0,
                                is_depot ? 0 : MCO_VRP_MAX_LENGTH, &demand));
    p->demand[node] = (int32_t)demand;
    if (c->draft.service != NULL && cells[COLUMN_SERVICE].size > 0)
        MCO_TRY(mco_slice_real(c->text, cells[COLUMN_SERVICE],
                               is_depot ? "the service time of the depot" : "the service time", 0,
                               is_depot ? 0 : MAX_SERVICE_READ, &c->draft.service[node]));
    if (!is_depot)
        MCO_TRY(mco_names_give(&c->names, c->text, node - 1, cells[c->name]));
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
    if (nodes > MCO_VRP_MAX_CUSTOMERS + 1)
        return mco_text_fail_here(c->text, "from here on a depot and %lld customers, allowed are 0 to %d",
                                  (long long)nodes - 1, MCO_VRP_MAX_CUSTOMERS);
    MCO_TRY(vrp_draft_new(c->ctx, nodes - 1, VRP_EUC_2D, name, &c->draft));
    MCO_TRY(vrp_draft_places(c->ctx, &c->draft));
    if (mco_table_has(&c->table, COLUMN_SERVICE))
        MCO_TRY(mco_alloc(c->ctx, &c->draft.service, nodes));
    if (mco_table_has(&c->table, c->name))
        MCO_TRY(mco_names_reserve(c->ctx, c->text, nodes - 1, &c->names));
done:
    return st;
}

mco_status vrp_read_csv(mco_context *ctx, mco_text *text, const mco_vrp_model *model, const char *name, mco_vrp **out)
{
    mco_status st = MCO_OK;
    csv c = {.ctx = ctx, .text = text};
    mco_slice line;
    MCO_TRY(read_header(&c));
    if (model == NULL || model->capacity < 0)
        MCO_TRY(mco_text_fail_here(text, "CSV holds no capacity, and --capacity is not given"));
    MCO_TRY(reserve_rows(&c, name));
    for (int32_t node = 0; mco_text_row(text, c.table.separator, &line); node++) {
        MCO_TRY(mco_text_in_time(text, node));
        MCO_TRY(read_row(&c, line, node));
    }
    MCO_TRY(vrp_settle(ctx, model, &c.draft));
    if (c.names.count > 0) {
        c.draft.problem->names = c.names.names;
        c.names.names = NULL;
    }
    vrp_take(&c.draft, out);
done:
    mco_names_clear(ctx, &c.names);
    vrp_draft_clear(ctx, &c.draft);
    return st;
}
