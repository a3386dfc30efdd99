// SPDX-License-Identifier: MIT
// CSV: a header, the row of the depot, a row for each customer with its name, its place, its demand and its service time.
#include "base/names.h"
#include "vrp/vrp_formats.h"

typedef enum column { COLUMN_NAME, COLUMN_ID, COLUMN_X, COLUMN_Y, COLUMN_DEMAND, COLUMN_SERVICE, COLUMNS } column;

static const char *const columns[COLUMNS] = {"name", "id", "x", "y", "demand", "service"};

static const double MAX_SERVICE_READ = 1e15;

typedef struct csv {
    mco_context *ctx;
    mco_text *text;
    char separator;
    int fields;            // of a row
    int kinds[COLUMNS];    // [fields]
    bool has[COLUMNS];
    vrp_draft draft;
    mco_names names;       // reserved where the table has that column
} csv;

static mco_status read_header(csv *c)
{
    mco_status st = MCO_OK;
    mco_slice line, cell, at[COLUMNS] = {{0}};
    while (mco_text_skip_blank(c->text) && mco_text_line(c->text, &line) && line.data[0] == '#')
        continue;  // comments before the header
    c->separator = mco_slice_separator(line);
    mco_slice rest = line;
    while (rest.data != NULL && !mco_slice_is_blank(rest, c->separator)) {
        int kind;
        mco_slice_field(&rest, c->separator, &cell);
        MCO_TRY(vrp_find_word(c->text, cell, "the column is", columns, COLUMNS, &kind));
        kind = kind == COLUMN_ID ? COLUMN_NAME : kind;
        if (c->has[kind])
            MCO_TRY(mco_text_fail(c->text, cell.line, cell.column, "the column \"%s\" a second time, first at %lld:%lld",
                                  columns[kind], (long long)line.line, (long long)at[kind].column));
        c->has[kind] = true;
        at[kind] = cell;
        c->kinds[c->fields++] = kind;
    }
    for (int needed = COLUMN_X; needed <= COLUMN_DEMAND; needed++)
        if (!c->has[needed])
            MCO_TRY(mco_text_fail(c->text, line.line, line.column, "the header has no column \"%s\"", columns[needed]));
done:
    return st;
}

// The depot has no demand and takes no time: its cells may be empty.
static mco_status read_row(csv *c, mco_slice line, int32_t node)
{
    mco_status st = MCO_OK;
    mco_slice rest = line, cell, cells[COLUMNS] = {{0}};
    mco_vrp *p = c->draft.problem;
    int64_t demand = 0;
    const int32_t most = node == 0 ? 0 : MCO_VRP_MAX_LENGTH;
    for (int i = 0; i < c->fields; i++)
        if (!mco_slice_field(&rest, c->separator, &cells[c->kinds[i]]))
            return mco_text_fail(c->text, line.line, line.column, "the row has %d cells, %d were expected", i, c->fields);
    while (mco_slice_field(&rest, c->separator, &cell))
        if (cell.size > 0)
            return mco_text_fail(c->text, cell.line, cell.column, "the row has more than %d cells", c->fields);
    MCO_TRY(vrp_slice_number(c->text, cells[COLUMN_X], "the coordinate", -VRP_MAX_COORDINATE, VRP_MAX_COORDINATE, &p->x[node]));
    MCO_TRY(vrp_slice_number(c->text, cells[COLUMN_Y], "the coordinate", -VRP_MAX_COORDINATE, VRP_MAX_COORDINATE, &p->y[node]));
    if (node > 0 || cells[COLUMN_DEMAND].size > 0)
        MCO_TRY(vrp_slice_whole(c->text, cells[COLUMN_DEMAND], node == 0 ? "the demand of the depot" : "the demand", 0, most,
                                &demand));
    p->demand[node] = (int32_t)demand;
    if (c->draft.service != NULL && cells[COLUMN_SERVICE].size > 0)
        MCO_TRY(vrp_slice_number(c->text, cells[COLUMN_SERVICE],
                                 node == 0 ? "the service time of the depot" : "the service time", 0,
                                 node == 0 ? 0 : MAX_SERVICE_READ, &c->draft.service[node]));
    if (node > 0 && c->has[COLUMN_NAME])
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
    while (mco_text_row(&ahead, c->separator, &line))
        nodes++;
    if (nodes == 0)
        return mco_text_fail_here(&ahead, "the text ends where the row of the depot was expected");
    if (nodes > MCO_VRP_MAX_CUSTOMERS + 1)
        return mco_text_fail_here(c->text, "from here on a depot and %lld customers, allowed are 0 to %d",
                                  (long long)nodes - 1, MCO_VRP_MAX_CUSTOMERS);
    MCO_TRY(vrp_draft_new(c->ctx, nodes - 1, VRP_EUC_2D, name, &c->draft));
    MCO_TRY(vrp_draft_places(c->ctx, &c->draft));
    if (c->has[COLUMN_SERVICE])
        MCO_TRY(mco_alloc(c->ctx, &c->draft.service, nodes));
    if (c->has[COLUMN_NAME])
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
    for (int32_t node = 0; mco_text_row(text, c.separator, &line); node++)
        MCO_TRY(read_row(&c, line, node));
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
