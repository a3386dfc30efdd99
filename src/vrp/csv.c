// SPDX-License-Identifier: MIT
// CSV: rows of limits, a header, the row of the depot, a row per customer (name, place, demand, service time), and a
// matrix of distances where there is one. docs/formats.md describes it.
//
// A matrix is read twice: first for its greatest entry, from which the scale of real distances follows, then for all
// entries. Demands are integers of the decimals seen so far; a row with more of them scales those before it.
#include <string.h>

#include "base/names.h"
#include "base/table.h"
#include "routing/features.h"
#include "vrp/csv.h"

typedef enum column {
    COLUMN_NAME,
    COLUMN_ID,
    COLUMN_X,
    COLUMN_Y,
    COLUMN_DEMAND,
    COLUMN_SERVICE,
    COLUMN_LATITUDE,
    COLUMN_LONGITUDE,
    COLUMN_LAT,
    COLUMN_LON,
    COLUMNS
} column;

static const char *const columns[COLUMNS] = {"name",    "id",       "x",         "y",   "demand",
                                             "service", "latitude", "longitude", "lat", "lon"};

typedef enum limit { LIMIT_CAPACITY, LIMIT_VEHICLES, LIMIT_LENGTH, LIMIT_SERVICE, LIMITS } limit;

static const char *const limit_words[LIMITS] = {"capacity", "vehicles", "max-length", "service-time"};

static const double MAX_LENGTH_READ = 1e15;  // of a route or a service time; doubles hold it exactly

// Decimals of a demand; as for --vehicles; rows of a matrix.
enum { MOST_PLACES = 6, MOST_VEHICLES = 100000000, LARGE_MATRIX = 2000 };

typedef struct csv {
    mco_context *ctx;
    mco_text *text;
    mco_slice limits[LIMITS];  // the cell of the value; data is NULL where the file has no such row
    char limit_separators[LIMITS];
    mco_table table;
    int name, x, y;        // the columns of names and places: x is the longitude, y the latitude, where they are degrees
    bool has_places, has_matrix;
    mco_slice depot;       // its name
    mco_text matrix;       // the text from the head of the matrix on
    int32_t *nodes;        // [nodes of the instance] of the columns of the matrix
    int64_t count;         // of nodes
    int places;            // decimals of the demands so far, and of the capacity
    vrp_draft draft;
    mco_names names;       // reserved if the table has that column
    mco_name_finder finder;
} csv;

// ---- Limits: "capacity,100"

// Which limit a row is about, and its separator; LIMITS if it is no such row.
static int limit_of(mco_slice line, char *separator)
{
    mco_slice cell, rest = line;
    int k = 0;
    *separator = mco_slice_separator(line);
    if (memchr(line.data, *separator, line.size) == NULL || !mco_slice_field(&rest, *separator, &cell))
        return LIMITS;
    while (k < LIMITS && !mco_slice_is(cell, limit_words[k]))
        k++;
    return k;
}

// Takes the next row of a limit, behind comments. Returns its limit; LIMITS if the next row is none, which stays.
static int take_limit(mco_text *text, mco_slice *line, char *separator)
{
    while (mco_text_skip_blank(text)) {
        const mco_text before = *text;
        mco_text_line(text, line);
        const int k = line->data[0] == '#' ? LIMITS : limit_of(*line, separator);
        if (k < LIMITS)
            return k;
        if (line->data[0] != '#') {
            *text = before;
            break;
        }
    }
    return LIMITS;
}

void vrp_csv_skip_limits(mco_text *text)
{
    mco_slice line;
    char separator;
    while (take_limit(text, &line, &separator) < LIMITS)
        continue;
}

static mco_status read_limits(csv *c)
{
    mco_status st = MCO_OK;
    mco_slice line, cell;
    char separator;
    for (int k = take_limit(c->text, &line, &separator); k < LIMITS; k = take_limit(c->text, &line, &separator)) {
        mco_slice rest = line;
        mco_slice_field(&rest, separator, &cell);
        if (c->limits[k].data != NULL)
            MCO_TRY(mco_text_fail(c->text, line.line, line.column, "%s stands in line %lld and in line %lld", limit_words[k],
                                  (long long)c->limits[k].line, (long long)line.line));
        mco_slice_field(&rest, separator, &c->limits[k]);  // is there: the row has a separator
        c->limit_separators[k] = separator;
        while (mco_slice_field(&rest, separator, &cell))
            if (cell.size > 0)
                MCO_TRY(mco_text_fail(c->text, cell.line, cell.column, "the row has more than 2 cells"));
    }
done:
    return st;
}

// Gives the demands of nodes 0..count the scale of more decimals. `cell` is what asks for them.
static mco_status raise_places(csv *c, int places, int64_t count, mco_slice cell)
{
    mco_vrp *p = c->draft.problem;
    int32_t factor = 1;
    for (; c->places < places; c->places++)
        factor *= 10;  // places is at most 6
    for (int64_t i = 0; i < count; i++) {
        if (p->demand[i] > MCO_VRP_MAX_LENGTH / factor)
            return mco_text_fail(c->text, cell.line, cell.column,
                                 "%.*s has %d decimals, and the demand of customer %lld is %.15g: with so many decimals "
                                 "allowed is 0 to %d", mco_slice_shown(cell), cell.data, places, (long long)i,
                                 vrp_load(p, p->demand[i]), MCO_VRP_MAX_LENGTH / factor / p->load_scale);
        p->demand[i] *= factor;
    }
    p->load_scale *= factor;
    return MCO_OK;
}

// A load of at most 2^30, in units of all decimals seen so far; the product with 10^6 fits 64 bits. Nodes before
// `count` have their demands.
static mco_status read_load(csv *c, mco_slice cell, const char *what, char separator, int64_t most, int64_t count, int64_t *out)
{
    mco_status st = MCO_OK;
    int places = c->places;
    MCO_TRY(mco_slice_places(c->text, cell, what, separator, MOST_PLACES, &places));
    if (places > c->places)
        MCO_TRY(raise_places(c, places, count, cell));
    MCO_TRY(mco_slice_scaled(c->text, cell, what, separator, places, 0, most, out));
    if (*out > MCO_VRP_MAX_LENGTH)
        MCO_TRY(mco_text_fail(c->text, cell.line, cell.column, "%s is %.*s, with %d decimals in the file allowed is 0 to %d",
                              what, mco_slice_shown(cell), cell.data, places,
                              MCO_VRP_MAX_LENGTH / c->draft.problem->load_scale));
done:
    return st;
}

// Moves the limits into the draft, when all demands are read.
static mco_status take_limits(csv *c)
{
    mco_status st = MCO_OK;
    const mco_slice *at = c->limits;
    const char *separators = c->limit_separators;
    vrp_draft *d = &c->draft;
    double service = 0;
    if (at[LIMIT_CAPACITY].data != NULL)
        MCO_TRY(read_load(c, at[LIMIT_CAPACITY], "the capacity", separators[LIMIT_CAPACITY], MCO_VRP_MAX_LENGTH, c->count,
                          &d->capacity));
    if (d->capacity == 0)
        MCO_TRY(mco_text_fail(c->text, at[LIMIT_CAPACITY].line, at[LIMIT_CAPACITY].column,
                              "the capacity is 0, more than 0 was expected"));
    if (at[LIMIT_VEHICLES].data != NULL)
        MCO_TRY(mco_slice_whole(c->text, at[LIMIT_VEHICLES], "the number of vehicles", 0, MOST_VEHICLES, &d->vehicles));
    if (at[LIMIT_LENGTH].data != NULL)
        MCO_TRY(mco_slice_real_in(c->text, at[LIMIT_LENGTH], "the longest route", separators[LIMIT_LENGTH], 0, MAX_LENGTH_READ,
                                  &d->max_length));
    if (at[LIMIT_SERVICE].data == NULL)
        return MCO_OK;
    MCO_TRY(mco_slice_real_in(c->text, at[LIMIT_SERVICE], "the service time", separators[LIMIT_SERVICE], 0, MAX_LENGTH_READ,
                              &service));
    for (int64_t i = 1; i < c->count; i++)
        d->service[i] = service;
done:
    return st;
}

// ---- The header

// Of two columns that mean the same, the one that the table has; a table with both is refused.
static mco_status choose(csv *c, int first, int second, const char *what, int *out)
{
    const mco_slice *at = c->table.places;
    const bool has_second = mco_table_has(&c->table, second);
    *out = has_second ? second : first;
    if (!has_second || !mco_table_has(&c->table, first))
        return MCO_OK;
    const int later = at[first].column > at[second].column ? first : second;
    return mco_text_fail(c->text, at[later].line, at[later].column, "the columns \"%s\" and \"%s\" are both %s", columns[first],
                         columns[second], what);
}

static mco_status choose_places(csv *c)
{
    mco_status st = MCO_OK;
    int latitude, longitude;
    MCO_TRY(choose(c, COLUMN_LATITUDE, COLUMN_LAT, "latitudes", &latitude));
    MCO_TRY(choose(c, COLUMN_LONGITUDE, COLUMN_LON, "longitudes", &longitude));
    const bool is_geographic = mco_table_has(&c->table, latitude) || mco_table_has(&c->table, longitude);
    if (is_geographic && (mco_table_has(&c->table, COLUMN_X) || mco_table_has(&c->table, COLUMN_Y)))
        MCO_TRY(mco_text_fail(c->text, c->table.header.line, c->table.header.column,
                              "the header has x or y, and latitude or longitude; one kind of place was expected"));
    c->x = is_geographic ? longitude : COLUMN_X;
    c->y = is_geographic ? latitude : COLUMN_Y;
    c->has_places = !c->has_matrix || mco_table_has(&c->table, c->x) || mco_table_has(&c->table, c->y);
    if (c->has_places)
        MCO_TRY(mco_table_require(&c->table, c->x));
    if (c->has_places)
        MCO_TRY(mco_table_require(&c->table, c->y));
done:
    return st;
}

static mco_status refuse_features(csv *c)
{
    mco_status st = MCO_OK;
    mco_text ahead = *c->text;
    mco_slice line = {0}, cell;
    while (mco_text_skip_blank(&ahead) && mco_text_line(&ahead, &line) && line.data[0] == '#')
        continue;
    const char separator = mco_slice_separator(line);
    while (line.data != NULL && mco_slice_field(&line, separator, &cell))
        MCO_TRY(routing_refuse_feature(c->text, cell, "the column is"));
done:
    return st;
}

static mco_status read_header(csv *c)
{
    mco_status st = MCO_OK;
    MCO_TRY(refuse_features(c));
    MCO_TRY(mco_table_open(c->text, columns, COLUMNS, &c->table));
    MCO_TRY(choose(c, COLUMN_NAME, COLUMN_ID, "names", &c->name));
    MCO_TRY(mco_table_require(&c->table, COLUMN_DEMAND));
    if (c->limits[LIMIT_SERVICE].data != NULL && mco_table_has(&c->table, COLUMN_SERVICE))
        MCO_TRY(mco_text_fail(c->text, c->table.places[COLUMN_SERVICE].line, c->table.places[COLUMN_SERVICE].column,
                              "the column \"service\" and the row \"service-time\" in line %lld; one of them was expected",
                              (long long)c->limits[LIMIT_SERVICE].line));
done:
    return st;
}

// ---- The rows

static bool is_matrix_head(const csv *c, mco_slice row)
{
    mco_slice cell;
    return mco_slice_field(&row, c->table.separator, &cell) && mco_slice_is(cell, "distances");
}

// The next row that has content. The row of a depot may have separators alone where the header has no places.
static bool take_row(const csv *c, mco_text *text, bool is_depot, mco_slice *row)
{
    static const column places[] = {COLUMN_X, COLUMN_Y, COLUMN_LATITUDE, COLUMN_LONGITUDE, COLUMN_LAT, COLUMN_LON};
    const mco_table *t = &c->table;
    bool may_be_empty = is_depot;
    for (size_t k = 0; k < sizeof places / sizeof places[0]; k++)
        may_be_empty = may_be_empty && !mco_table_has(t, (int)places[k]);
    while (mco_text_line(text, row))
        if (!mco_slice_is_blank(*row, t->separator) || (may_be_empty && memchr(row->data, t->separator, row->size) != NULL))
            return true;
    return false;
}

// The next row of the table. False at its end, which is the end of the text or the head of the matrix.
static bool next_row(const csv *c, mco_text *text, bool is_depot, mco_slice *row)
{
    const mco_text before = *text;
    if (!take_row(c, text, is_depot, row))
        return false;
    if (!is_matrix_head(c, *row))
        return true;
    *text = before;
    return false;
}

// Counts the rows and finds the matrix.
static mco_status measure_rows(csv *c)
{
    mco_slice line;
    mco_text ahead = *c->text;
    while (next_row(c, &ahead, c->count == 0, &line))
        c->count++;
    if (c->count == 0)
        return mco_text_fail_here(&ahead, "the text ends where the row of the depot was expected");
    if (c->count > MCO_VRP_MAX_CUSTOMERS + 1)
        return mco_text_fail_here(c->text, "from here on a depot and %lld customers, allowed are 0 to %d",
                                  (long long)c->count - 1, MCO_VRP_MAX_CUSTOMERS);
    c->matrix = ahead;
    c->has_matrix = mco_text_skip_blank(&ahead);
    return MCO_OK;
}

static mco_status read_place(csv *c, mco_slice cell, double *out)
{
    return mco_slice_real_in(c->text, cell, "the coordinate", c->table.separator, -VRP_MAX_COORDINATE, VRP_MAX_COORDINATE,
                             out);
}

// The depot has no demand and no service time, so these cells of it may be empty.
static mco_status read_row(csv *c, mco_slice line, int32_t node)
{
    mco_status st = MCO_OK;
    mco_slice cells[MCO_TABLE_COLUMNS];
    mco_vrp *p = c->draft.problem;
    const bool is_depot = node == 0;
    int64_t demand = 0;
    MCO_TRY(mco_table_cells(&c->table, line, c->table.fields, cells));
    if (c->has_places) {
        MCO_TRY(read_place(c, cells[c->x], &p->x[node]));
        MCO_TRY(read_place(c, cells[c->y], &p->y[node]));
    }
    if (!is_depot || cells[COLUMN_DEMAND].size > 0)
        MCO_TRY(read_load(c, cells[COLUMN_DEMAND], is_depot ? "the demand of the depot" : "the demand", c->table.separator,
                          is_depot ? 0 : MCO_VRP_MAX_LENGTH, node, &demand));
    p->demand[node] = (int32_t)demand;
    if (mco_table_has(&c->table, COLUMN_SERVICE) && cells[COLUMN_SERVICE].size > 0)
        MCO_TRY(mco_slice_real_in(c->text, cells[COLUMN_SERVICE],
                                  is_depot ? "the service time of the depot" : "the service time", c->table.separator, 0,
                                  is_depot ? 0 : MAX_LENGTH_READ, &c->draft.service[node]));
    if (is_depot)
        c->depot = cells[c->name];
    else
        MCO_TRY(mco_names_give(&c->names, c->text, node - 1, cells[c->name]));
done:
    return st;
}

static mco_status reserve_rows(csv *c, const char *name)
{
    mco_status st = MCO_OK;
    MCO_TRY(vrp_draft_new(c->ctx, c->count - 1, c->has_matrix ? VRP_MATRIX : VRP_EUC_2D, name, &c->draft));
    c->draft.is_geographic = c->has_places && c->x != COLUMN_X && !c->has_matrix;
    if (c->has_places)
        MCO_TRY(vrp_draft_places(c->ctx, &c->draft));
    if (mco_table_has(&c->table, COLUMN_SERVICE) || c->limits[LIMIT_SERVICE].data != NULL)
        MCO_TRY(mco_alloc(c->ctx, &c->draft.service, c->count));
    if (mco_table_has(&c->table, c->name))
        MCO_TRY(mco_names_reserve(c->ctx, c->text, c->count - 1, &c->names));
done:
    return st;
}

static mco_status read_rows(csv *c, const char *name)
{
    mco_status st = MCO_OK;
    mco_slice line;
    MCO_TRY(reserve_rows(c, name));
    for (int32_t node = 0; next_row(c, c->text, node == 0, &line); node++) {
        MCO_TRY(mco_text_in_time(c->text, node + 1));
        MCO_TRY(read_row(c, line, node));
    }
    MCO_TRY(take_limits(c));
    if (c->names.count > 0)
        MCO_TRY(mco_names_test(&c->names, c->text, c->count - 1));
    c->finder = (mco_name_finder){.what = "the node", .names = c->names.count > 0 ? c->names.names : NULL,
                                  .rows = (int32_t)c->count - 1, .ids = MCO_IDS_NAMES};
done:
    return st;
}

// ---- The matrix: "distances,depot,A,B", then a row for each node: its name, and the distances from it to these

// The depot is called by its name, and one without a name by 0 or "depot".
static mco_status find_node(csv *c, mco_slice cell, int32_t *node)
{
    const mco_slice depot = c->depot;
    *node = 0;
    if (depot.size > 0 ? cell.size == depot.size && memcmp(cell.data, depot.data, cell.size) == 0
                       : mco_slice_is(cell, "0") || mco_slice_is(cell, "depot"))
        return MCO_OK;
    const mco_status st = mco_names_find_cell(&c->finder, c->text, cell, node);
    *node += 1;
    return st;
}

static mco_status read_matrix_head(csv *c, mco_text *text)
{
    mco_status st = MCO_OK;
    mco_slice line, cell;
    bool *has_column = NULL;
    int64_t count = 0;
    MCO_TRY(mco_alloc(c->ctx, &has_column, c->count));
    mco_text_row(text, c->table.separator, &line);
    mco_slice rest = line;
    mco_slice_field(&rest, c->table.separator, &cell);
    while (mco_slice_field(&rest, c->table.separator, &cell)) {
        if (cell.size == 0 && mco_slice_is_blank(rest, c->table.separator))
            break;
        int32_t node;
        MCO_TRY(find_node(c, cell, &node));
        if (has_column[node])
            MCO_TRY(mco_text_fail(c->text, cell.line, cell.column, "the node \"%.*s\" has two columns",
                                  mco_slice_shown(cell), cell.data));
        has_column[node] = true;
        c->nodes[count++] = node;  // there is room: no node comes twice
    }
    if (count < c->count)
        MCO_TRY(mco_text_fail(c->text, line.line, line.column,
                              "the matrix has %lld columns, the depot and %lld customers were expected", (long long)count,
                              (long long)c->count - 1));
done:
    mco_free(c->ctx, &has_column);
    return st;
}

// Entries are integers where distances are rounded.
static mco_status read_entry(csv *c, mco_slice cell, double *out)
{
    const mco_status st =
        mco_slice_real_in(c->text, cell, "the distance", c->table.separator, 0, MCO_VRP_MAX_DISTANCE, out);
    if (st != MCO_OK || c->draft.problem->distances != MCO_VRP_DISTANCES_ROUNDED || *out == (double)(int64_t)*out)
        return st;
    return mco_text_fail(c->text, cell.line, cell.column,
                         "the distance is %.*s, an integer was expected; --distance real keeps decimals", mco_slice_shown(cell),
                         cell.data);
}

static mco_status read_matrix_row(csv *c, mco_slice line, bool *has_row, int32_t *matrix)
{
    mco_status st = MCO_OK;
    mco_slice cell, rest = line;
    int32_t from;
    double value;
    mco_vrp *p = c->draft.problem;
    mco_slice_field(&rest, c->table.separator, &cell);
    MCO_TRY(find_node(c, cell, &from));
    if (has_row[from])
        MCO_TRY(mco_text_fail(c->text, cell.line, cell.column, "the node \"%.*s\" has two rows", mco_slice_shown(cell),
                              cell.data));
    has_row[from] = true;
    for (int64_t k = 0; k < c->count; k++) {
        const int32_t to = c->nodes[k];
        if (!mco_slice_field(&rest, c->table.separator, &cell))
            return mco_text_fail(c->text, line.line, line.column, "the row has %lld distances, %lld were expected",
                                 (long long)k, (long long)c->count);
        if (to == from)
            continue;
        MCO_TRY(read_entry(c, cell, &value));
        if (matrix == NULL)
            c->draft.longest = value > c->draft.longest ? value : c->draft.longest;
        else
            matrix[(int64_t)from * p->nodes + to] = (int32_t)(value * p->scale + 0.5);
    }
    while (mco_slice_field(&rest, c->table.separator, &cell))
        if (cell.size > 0)
            return mco_text_fail(c->text, cell.line, cell.column, "the row has more than %lld distances",
                                 (long long)c->count);
done:
    return st;
}

// With `matrix` NULL only the greatest entry is found. No memory is taken for a matrix that is not all there.
static mco_status read_matrix(csv *c, int32_t *matrix)
{
    mco_status st = MCO_OK;
    mco_text text = c->matrix;
    mco_slice line;
    bool *has_row = NULL;
    int64_t rows = 0;
    if (c->nodes == NULL)
        MCO_TRY(mco_alloc(c->ctx, &c->nodes, c->count));
    MCO_TRY(mco_alloc(c->ctx, &has_row, c->count));
    MCO_TRY(read_matrix_head(c, &text));
    for (; mco_text_row(&text, c->table.separator, &line); rows++) {
        MCO_TRY(mco_text_in_time(&text, c->count < LARGE_MATRIX));  // every row of a large one
        MCO_TRY(read_matrix_row(c, line, has_row, matrix));
    }
    if (rows < c->count)
        MCO_TRY(mco_text_fail_here(&text, "the matrix ends after %lld rows, the depot and %lld customers were expected",
                                   (long long)rows, (long long)c->count - 1));
done:
    mco_free(c->ctx, &has_row);
    return st;
}

// ---- All of it

mco_status vrp_read_csv(mco_context *ctx, mco_text *text, const mco_vrp_model *model, const char *name, mco_vrp **out)
{
    mco_status st = MCO_OK;
    csv c = {.ctx = ctx, .text = text};
    MCO_TRY(read_limits(&c));
    MCO_TRY(read_header(&c));
    if (c.limits[LIMIT_CAPACITY].data == NULL && (model == NULL || model->capacity < 0))
        MCO_TRY(mco_text_fail_here(text, "CSV holds no row \"capacity,Q\", and --capacity is not given"));
    MCO_TRY(measure_rows(&c));
    MCO_TRY(choose_places(&c));
    MCO_TRY(read_rows(&c, name));
    c.draft.problem->distances = model != NULL ? model->distance : MCO_VRP_DISTANCES_ROUNDED;
    if (c.has_matrix)
        MCO_TRY(read_matrix(&c, NULL));
    MCO_TRY(vrp_settle(ctx, model, &c.draft));
    if (c.has_matrix) {
        mco_vrp *p = c.draft.problem;
        MCO_TRY(mco_alloc(ctx, &p->matrix, (int64_t)p->nodes * p->nodes));
        MCO_TRY(read_matrix(&c, p->matrix));
    }
    if (c.names.count > 0) {
        c.draft.problem->names = c.names.names;
        c.names.names = NULL;
    }
    vrp_take(&c.draft, out);
done:
    mco_free(ctx, &c.finder.table.slots);
    mco_free(ctx, &c.nodes);
    mco_names_clear(ctx, &c.names);
    vrp_draft_clear(ctx, &c.draft);
    return st;
}
