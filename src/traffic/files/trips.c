// SPDX-License-Identifier: MIT
// Trips as tables: a matrix whose header has the destinations, or rows of origin, destination and trips. And lists of classes, a row for
// each, whose trips stand in files of any format.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/grow.h"
#include "traffic/files/columns.h"
#include "traffic/files/files.h"

enum { ORIGIN, DESTINATION, TRIPS, ROW_COLUMNS };
static const char *const row_columns[ROW_COLUMNS] = {
    "origin|o_zone_id|o_zone|orig|orig_zone_id|from|from_zone_id|o", "destination|d_zone_id|d_zone|dest|dest_zone_id|to|to_zone_id|d",
    "trips|volume|demand|amount|value|flow|total|total_trips"};

typedef struct draft {
    mco_context *ctx;
    mco_text *text;
    const mco_traffic *traffic;
    mco_name_finder finder;
    traffic_trip *trip;
    int64_t count, room;
} draft;

static mco_status read_amount(draft *d, mco_slice cell, char separator, double *out)
{
    *out = 0;
    return traffic_is_missing(cell) ? MCO_OK : mco_slice_real_in(d->text, cell, "the number of trips", separator, 0, TRAFFIC_MAX_VALUE, out);
}

static mco_status add_trip(draft *d, int32_t from, int32_t to, double amount)
{
    if (amount == 0)
        return MCO_OK;
    const mco_status st = mco_grow(d->ctx, &d->trip, &d->room, d->count + 1);
    if (st == MCO_OK)
        d->trip[d->count++] = (traffic_trip){from, to, amount};
    return st;
}

// ---- Rows

static mco_status read_row(draft *d, const traffic_columns *columns, mco_slice row)
{
    mco_status st = MCO_OK;
    mco_slice cells[TRAFFIC_COLUMNS];
    int32_t from, to;
    double amount;
    MCO_TRY(traffic_columns_cells(columns, row, cells));
    if (cells[TRIPS].size == 0 && cells[TRIPS].data == row.data && columns->kind[0] != TRIPS)  // there is no such cell
        MCO_TRY(mco_text_fail(d->text, row.line, row.column, "the row ends before its trips"));
    d->finder.what = "the origin";
    MCO_TRY(mco_names_find_cell(&d->finder, d->text, cells[ORIGIN], &from));
    d->finder.what = "the destination";
    MCO_TRY(mco_names_find_cell(&d->finder, d->text, cells[DESTINATION], &to));
    MCO_TRY(read_amount(d, cells[TRIPS], columns->separator, &amount));
    MCO_TRY(add_trip(d, from, to, amount));
done:
    return st;
}

static mco_status read_rows(draft *d, const traffic_columns *columns)
{
    mco_status st = MCO_OK;
    mco_slice row;
    for (int64_t rows = 1; traffic_columns_row(columns, &row); rows++) {
        MCO_TRY(mco_text_in_time(d->text, rows));
        MCO_TRY(read_row(d, columns, row));
    }
done:
    return st;
}

// ---- Matrices

// Reads the destinations of the header into *zones [*count], without its first cell.
static mco_status read_destinations(draft *d, mco_slice header, char separator, int32_t **zones, int64_t *count)
{
    mco_status st = MCO_OK;
    mco_slice cell;
    int64_t room = 0;
    d->finder.what = "the destination in the header";
    mco_slice_field(&header, separator, &cell);
    for (*count = 0; mco_slice_field(&header, separator, &cell); ++*count) {
        if (cell.size == 0 && mco_slice_is_blank(header, separator))
            break;
        MCO_TRY(mco_grow(d->ctx, zones, &room, *count + 1));
        MCO_TRY(mco_names_find_cell(&d->finder, d->text, cell, &(*zones)[*count]));
        MCO_TRY(mco_text_in_time(d->text, *count + 1));
    }
done:
    return st;
}

static mco_status read_matrix_row(draft *d, mco_slice row, char separator, const int32_t *zones, int64_t count)
{
    mco_status st = MCO_OK;
    mco_slice cell;
    int32_t from;
    double amount;
    mco_slice_field(&row, separator, &cell);
    d->finder.what = "the origin";
    MCO_TRY(mco_names_find_cell(&d->finder, d->text, cell, &from));
    int64_t cells = 0;
    for (int64_t k = 0; mco_slice_field(&row, separator, &cell); k++, cells++) {
        if (k >= count && cell.size > 0)
            return mco_text_fail(d->text, cell.line, cell.column, "the row has more than the %" PRId64 " destinations of the header", count);
        MCO_TRY(read_amount(d, cell, separator, &amount));
        if (amount > 0)
            MCO_TRY(add_trip(d, from, zones[k], amount));
        MCO_TRY(mco_text_in_time(d->text, k + 1));
    }
    if (cells < count)
        MCO_TRY(mco_text_fail(d->text, row.line, row.column, "the row has %" PRId64 " cells of trips, the header has %" PRId64 " destinations", cells, count));
done:
    return st;
}

static mco_status read_matrix(draft *d, mco_slice header)
{
    mco_status st = MCO_OK;
    const char separator = mco_slice_separator(header);
    int32_t *zones = NULL;
    int64_t count = 0;
    mco_slice row;
    MCO_TRY(read_destinations(d, header, separator, &zones, &count));
    for (int64_t rows = 1; mco_text_row(d->text, separator, &row); rows++) {
        MCO_TRY(mco_text_in_time(d->text, rows));
        if (mco_slice_trim(row).data[0] != '#')
            MCO_TRY(read_matrix_row(d, row, separator, zones, count));
    }
done:
    mco_free(d->ctx, &zones);
    return st;
}

static mco_status read_table(draft *d)
{
    traffic_columns columns;
    mco_slice header;
    do
        if (!mco_text_row(d->text, ',', &header))
            return mco_text_fail_here(d->text, "the table has no header");
    while (mco_slice_trim(header).data[0] == '#');
    traffic_columns_take(d->text, mco_slice_trim(header), row_columns, ROW_COLUMNS, &columns);
    if (columns.has[ORIGIN] && columns.has[DESTINATION]) {
        const mco_status st = traffic_columns_require(&columns, TRIPS);
        return st == MCO_OK ? read_rows(d, &columns) : st;
    }
    return read_matrix(d, header);
}

mco_status traffic_read_csv_trips(mco_context *ctx, const char *path, const mco_traffic *traffic, mco_traffic_class *out)
{
    mco_status st = MCO_OK;
    mco_text text = {.ctx = ctx};
    draft d = {.ctx = ctx, .text = &text, .traffic = traffic, .finder = traffic_find_zones(traffic, "the zone")};
    MCO_TRY(mco_text_open(ctx, path, &text));
    MCO_TRY(read_table(&d));
    MCO_TRY(traffic_class_fill(ctx, traffic->view.zones, d.count, d.trip, out));
done:
    mco_free(ctx, &d.trip);
    mco_free(ctx, &d.finder.table.slots);
    mco_text_close(&text);
    return st;
}

// ---- Lists of classes

enum { CLASS, FILE_OF_TRIPS, MATRIX, TOLL_FACTOR, DISTANCE_FACTOR, VALUE_OF_TIME, CAR_EQUIVALENT, DEMAND_FACTOR, CLASS_COLUMNS };
static const char *const class_columns[CLASS_COLUMNS] = {"class",         "trips",          "matrix",        "toll_factor", "distance_factor",
                                                         "value_of_time", "car_equivalent", "demand_factor"};

// A cell as a string of its own. Errors: MEMORY.
static mco_status take_cell(mco_context *ctx, mco_slice cell, char **out)
{
    char *next;
    const mco_status st = mco_alloc(ctx, out, cell.size + 1);
    next = *out;
    if (st == MCO_OK)
        mco_slice_copy(cell, &next);
    return st;
}

static mco_status read_one(mco_context *ctx, const char *path, const char *matrix, const mco_traffic *traffic, mco_traffic_class *out)
{
    if (traffic_ends_with(path, ".omx"))
        return traffic_read_omx_trips(ctx, path, matrix, traffic, out);
    if (traffic_ends_with(path, ".csv"))
        return traffic_read_csv_trips(ctx, path, traffic, out);
    return traffic_read_tntp_trips(ctx, path, traffic, out);
}

// The path of a file that a list names: relative to the folder of the list.
static mco_status path_of(mco_context *ctx, const char *list, const char *file, char out[MCO_PATH_LENGTH])
{
    const char *slash = strrchr(list, '/');
    const int folder = slash != NULL && file[0] != '/' ? (int)(slash - list) + 1 : 0;
    if (snprintf(out, MCO_PATH_LENGTH, "%.*s%s", folder, list, file) < MCO_PATH_LENGTH)
        return MCO_OK;
    return mco_fail(ctx, MCO_ERR_IO, "%s: the path of %s is longer than %d bytes", list, file, MCO_PATH_LENGTH - 1);
}

static mco_status read_factors(const traffic_columns *c, const mco_slice *cells, mco_traffic_class *k, double *demand)
{
    mco_status st = MCO_OK;
    MCO_TRY(traffic_columns_real(c, cells[TOLL_FACTOR], "the toll factor", 0, TRAFFIC_MAX_VALUE, -1, &k->toll_factor));
    MCO_TRY(traffic_columns_real(c, cells[DISTANCE_FACTOR], "the distance factor", 0, TRAFFIC_MAX_VALUE, -1, &k->distance_factor));
    MCO_TRY(traffic_columns_real(c, cells[VALUE_OF_TIME], "the value of time", 0, TRAFFIC_MAX_VALUE, 0, &k->value_of_time));
    MCO_TRY(traffic_columns_real(c, cells[CAR_EQUIVALENT], "the car equivalent", 0, TRAFFIC_MAX_VALUE, 1, &k->car_equivalent));
    MCO_TRY(traffic_columns_real(c, cells[DEMAND_FACTOR], "the demand factor", 0, TRAFFIC_MAX_VALUE, 1, demand));
    if (!(k->car_equivalent > 0))
        return mco_text_fail(c->text, cells[CAR_EQUIVALENT].line, cells[CAR_EQUIVALENT].column, "the car equivalent is 0, a number above 0 was expected");
done:
    return st;
}

// Multiplies the trips. Entries that become 0 vanish.
static mco_status scale_trips(const traffic_columns *c, mco_slice place, int32_t zones, double factor, mco_traffic_class *k)
{
    int64_t used = 0, entry = 0;
    for (int32_t o = 0; o < zones; o++) {
        for (; entry < k->first[o + 1]; entry++) {
            const double amount = k->amount[entry] * factor;
            if (!(amount < INFINITY))
                return mco_text_fail(c->text, place.line, place.column, "%g trips times the demand factor %g are no number", k->amount[entry], factor);
            k->to[used] = k->to[entry];
            k->amount[used] = amount;
            used += amount > 0;
        }
        k->first[o + 1] = used;
    }
    return MCO_OK;
}

static mco_status read_class(const traffic_columns *c, const mco_slice *cells, const char *list, mco_traffic *traffic, mco_traffic_class *k)
{
    mco_status st = MCO_OK;
    mco_context *ctx = c->text->ctx;
    char *file = NULL, *matrix = NULL, *name = NULL, path[MCO_PATH_LENGTH];
    double demand = 1;
    mco_traffic_class factors = {0};
    MCO_TRY(take_cell(ctx, cells[FILE_OF_TRIPS], &file));
    MCO_TRY(take_cell(ctx, cells[MATRIX], &matrix));
    MCO_TRY(take_cell(ctx, cells[CLASS], &name));
    MCO_TRY(path_of(ctx, list, file, path));
    MCO_TRY(read_factors(c, cells, &factors, &demand));
    MCO_TRY(read_one(ctx, path, matrix[0] != '\0' ? matrix : NULL, traffic, k));
    mco_free_bytes(ctx, (void **)(uintptr_t)&k->name);
    k->name = name;
    name = NULL;
    k->toll_factor = factors.toll_factor;
    k->distance_factor = factors.distance_factor;
    k->value_of_time = factors.value_of_time;
    k->car_equivalent = factors.car_equivalent;
    if (demand != 1) {
        k->stated_total *= demand;
        MCO_TRY(scale_trips(c, cells[DEMAND_FACTOR], traffic->view.zones, demand, k));
    }
done:
    mco_free(ctx, &file);
    mco_free(ctx, &matrix);
    mco_free(ctx, &name);
    return st;
}

// Refuses a class without name or trips, and a name that another class has.
static mco_status test_class(const traffic_columns *c, mco_slice row, const mco_slice *cells, const mco_traffic *traffic)
{
    if (cells[CLASS].size == 0 || cells[FILE_OF_TRIPS].size == 0)
        return mco_text_fail(c->text, row.line, row.column, "the class has no %s", cells[CLASS].size == 0 ? "name" : "file of trips");
    for (int32_t k = 0; k < traffic->class_count; k++) {
        const char *other = traffic->classes[k].name;
        if (other != NULL && mco_slice_is(cells[CLASS], other))
            return mco_text_fail(c->text, cells[CLASS].line, cells[CLASS].column, "a second class is called \"%s\"", other);
    }
    if (traffic->class_count == MCO_TRAFFIC_MAX_CLASSES)
        return mco_fail(c->text->ctx, MCO_ERR_LIMIT, "%s: more than the %d classes that are supported", c->text->name, MCO_TRAFFIC_MAX_CLASSES);
    return MCO_OK;
}

static mco_status read_classes(mco_context *ctx, mco_text *text, const char *path, mco_traffic *traffic)
{
    mco_status st = MCO_OK;
    traffic_columns columns;
    mco_slice row, cells[TRAFFIC_COLUMNS];
    MCO_TRY(traffic_columns_open(text, class_columns, CLASS_COLUMNS, &columns));
    MCO_TRY(traffic_columns_require(&columns, CLASS));
    MCO_TRY(traffic_columns_require(&columns, FILE_OF_TRIPS));
    MCO_TRY(mco_alloc(ctx, &traffic->classes, MCO_TRAFFIC_MAX_CLASSES));
    while (traffic_columns_row(&columns, &row)) {
        MCO_TRY(traffic_columns_cells(&columns, row, cells));
        MCO_TRY(test_class(&columns, row, cells, traffic));
        st = read_class(&columns, cells, path, traffic, &traffic->classes[traffic->class_count++]);
        if (st != MCO_OK)
            goto done;
    }
    if (traffic->class_count == 0)
        MCO_TRY(mco_text_fail_here(text, "the list has no class"));
done:
    return st;
}

// Whether the file is a table whose header names class and trips. The text is open then.
static mco_status open_list(mco_context *ctx, const char *path, bool *is_list, mco_text *text)
{
    mco_slice line = {0}, cell;
    bool has_class = false, has_trips = false;
    *is_list = false;
    if (!traffic_ends_with(path, ".csv") || !traffic_is_file(path))
        return MCO_OK;
    const mco_status st = mco_text_open(ctx, path, text);
    if (st != MCO_OK)
        return st;
    mco_text ahead = *text;
    while (mco_text_row(&ahead, ',', &line) && mco_slice_trim(line).data[0] == '#')
        line.size = 0;
    for (const char separator = mco_slice_separator(line); line.size > 0 && mco_slice_field(&line, separator, &cell);) {
        has_class = has_class || mco_slice_is(cell, "class");
        has_trips = has_trips || mco_slice_is(cell, "trips");
    }
    *is_list = has_class && has_trips;
    return MCO_OK;
}

mco_status traffic_read_trips(mco_context *ctx, const char *path, mco_traffic *traffic)
{
    mco_status st = MCO_OK;
    mco_text text = {.ctx = ctx};
    bool is_list;
    MCO_TRY(open_list(ctx, path, &is_list, &text));
    if (is_list) {
        MCO_TRY(read_classes(ctx, &text, path, traffic));
    } else {
        mco_text_close(&text);
        MCO_TRY(mco_alloc(ctx, &traffic->classes, 1));
        MCO_TRY(read_one(ctx, path, NULL, traffic, &traffic->classes[0]));
        traffic->class_count = 1;
        if (traffic->classes[0].name == NULL)
            MCO_TRY(traffic_copy_text(ctx, "trips", 5, &traffic->classes[0].name));
    }
done:
    mco_text_close(&text);
    return st;
}
