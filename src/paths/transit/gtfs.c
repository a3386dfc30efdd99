// SPDX-License-Identifier: MIT
// Reads the files of a feed one after another: what refers to ids comes behind what defines them. Calls are collected as they
// come, brought to their trips by counting, sorted there if need be, and tested. Times between timepoints are filled in.
#include "paths/transit/gtfs.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/names.h"
#include "paths/transit/csv.h"
#include "paths/transit/date.h"
#include "paths/transit/feed.h"

enum { FEED_MAX_NUMBER = INT32_MAX };  // rows of a file, and numbers in it

// Ids of one kind of thing. Zero before use.
typedef struct id_list {
    char **id;  // [count] of the feed's strings
    int32_t count;
    mco_name_table table;
} id_list;

typedef struct reader {
    mco_context *ctx;
    gtfs_feed *feed;
    transit_folder folder;
    csv_table table;  // the file that is being read
    id_list stops, routes, trips, services;
    int64_t *parent_line;   // [stops] where the parent station of a stop is named; 0: nowhere
    char **parent;          // [stops] its id
    int64_t homeless;       // trips of services that no calendar has
    int64_t lost_transfers; // between stops that are not there
    int64_t special_transfers;  // of routes, trips, or within a vehicle
    int64_t filled;         // calls whose times are filled in
    int64_t by_distance;    // of those, by distances
    int64_t short_trips;    // with fewer than two calls
    gtfs_call *call;        // [feed->calls] as they come
    int64_t call_room;
} reader;

// ---- Ids

static mco_status make_ids(reader *r, int64_t rows, id_list *list)
{
    mco_status st = MCO_OK;
    if (rows > FEED_MAX_NUMBER)
        return mco_fail(r->ctx, MCO_ERR_LIMIT, "%s has %" PRId64 " rows, at most %d are supported", r->table.text.name, rows,
                        FEED_MAX_NUMBER);
    MCO_TRY(mco_alloc(r->ctx, &list->id, rows));
    MCO_TRY(mco_name_table_new(r->ctx, list->id, rows, &list->table));
done:
    return st;
}

static void clear_ids(mco_context *ctx, id_list *list)
{
    mco_free(ctx, &list->table.slots);
    mco_free(ctx, &list->id);
}

static mco_status keep(reader *r, mco_slice cell, char **out)
{
    return transit_pool_add(r->ctx, &r->feed->text, cell.data, cell.size, out);
}

// Adds the id in a cell. Errors: PARSE (empty, or there already), MEMORY.
static mco_status add_id(reader *r, id_list *list, int column, char **out)
{
    mco_status st = MCO_OK;
    mco_slice cell;
    MCO_TRY(csv_text(&r->table, column, &cell));
    int32_t *slot = mco_name_slot(&list->table, cell.data, cell.size);
    if (*slot != 0)
        return mco_text_fail(&r->table.text, cell.line, cell.column, "%s \"%.*s\" is there twice", r->table.column[column].name,
                             mco_slice_shown(cell), cell.data);
    MCO_TRY(keep(r, cell, out));
    list->id[list->count++] = *out;
    *slot = list->count;
done:
    return st;
}

static int32_t look_up(const id_list *list, mco_slice cell)
{
    return list->count == 0 ? -1 : *mco_name_slot(&list->table, cell.data, cell.size) - 1;
}

// The row of the id in a cell. Errors: PARSE (empty, or not in `file`).
static mco_status find_id(reader *r, const id_list *list, int column, const char *file, int32_t *out)
{
    mco_slice cell;
    const mco_status st = csv_text(&r->table, column, &cell);
    if (st != MCO_OK)
        return st;
    *out = look_up(list, cell);
    if (*out < 0)
        return mco_text_fail(&r->table.text, cell.line, cell.column, "%s is \"%.*s\", which %s does not have",
                             r->table.column[column].name, mco_slice_shown(cell), cell.data, file);
    return MCO_OK;
}

// ---- Files

// Opens a table. *is_there false: the file is missing; `is_needed`: that is an error.
static mco_status open_table(reader *r, const char *name, bool is_needed, const csv_column *columns, int count, bool *is_there)
{
    mco_status st = MCO_OK;
    mco_text text;
    csv_end(&r->table);
    MCO_TRY(transit_folder_text(&r->folder, name, is_there, &text));
    if (*is_there)
        MCO_TRY(csv_begin(text, columns, count, &r->table));
    else if (is_needed)
        return mco_fail(r->ctx, MCO_ERR_IO, "%s: the feed has no file %s", r->folder.path, name);
done:
    return st;
}

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

static mco_status read_agency(reader *r)
{
    static const csv_column columns[] = {{"agency_timezone", false}};
    mco_status st = MCO_OK;
    bool is_there;
    MCO_TRY(open_table(r, "agency.txt", false, columns, COUNT_OF(columns), &is_there));
    if (is_there)
        MCO_TRY(csv_next(&r->table, &is_there));
    MCO_TRY(keep(r, is_there ? r->table.cell[0] : (mco_slice){0}, &r->feed->time_zone));
done:
    return st;
}

// ---- Stops

enum { STOP_ID, STOP_NAME, STOP_LAT, STOP_LON, STOP_TYPE, STOP_PARENT };

static mco_status read_place(reader *r, gtfs_stop *stop)
{
    mco_status st = MCO_OK;
    const bool is_open = r->table.cell[STOP_LAT].size == 0 && r->table.cell[STOP_LON].size == 0;
    stop->latitude = stop->longitude = NAN;
    if (is_open && stop->type >= 3)  // nodes and boarding areas may have no place
        return MCO_OK;
    MCO_TRY(csv_real(&r->table, STOP_LAT, -90, 90, &stop->latitude));
    MCO_TRY(csv_real(&r->table, STOP_LON, -180, 180, &stop->longitude));
done:
    return st;
}

static mco_status read_stop(reader *r, gtfs_stop *stop)
{
    mco_status st = MCO_OK;
    int64_t type;
    const int32_t at = r->stops.count;
    const mco_slice parent = r->table.cell[STOP_PARENT];
    MCO_TRY(add_id(r, &r->stops, STOP_ID, &stop->id));
    MCO_TRY(keep(r, r->table.cell[STOP_NAME], &stop->name));
    MCO_TRY(csv_integer_or(&r->table, STOP_TYPE, 0, 4, 0, &type));
    stop->type = (int32_t)type;
    stop->station = -1;
    MCO_TRY(read_place(r, stop));
    r->parent_line[at] = parent.size > 0 ? parent.line : 0;
    if (parent.size > 0)
        MCO_TRY(keep(r, parent, &r->parent[at]));
done:
    return st;
}

// Parents stand anywhere in the file, so they are found at its end. A parent of a stop is a station.
static mco_status find_parents(reader *r)
{
    for (int32_t k = 0; k < r->feed->stops; k++) {
        if (r->parent_line[k] == 0)
            continue;
        gtfs_stop *stop = &r->feed->stop[k];
        const mco_slice id = {r->parent[k], strlen(r->parent[k]), r->parent_line[k], 1};
        stop->station = look_up(&r->stops, id);
        if (stop->station < 0)
            return mco_text_fail(&r->table.text, id.line, 1, "parent_station of \"%s\" is \"%s\", which stops.txt does not have", stop->id,
                                 id.data);
        const int32_t type = r->feed->stop[stop->station].type, expected = stop->type == 4 ? 0 : 1;
        if (stop->type == 1 || type != expected)
            return mco_text_fail(&r->table.text, id.line, 1, "parent_station \"%s\" has location_type %d, \"%s\" has %d; %s was expected",
                                 id.data, type, stop->id, stop->type,
                                 stop->type == 1 ? "a station without one" : expected == 1 ? "a station, 1," : "a stop, 0,");
    }
    return MCO_OK;
}

static mco_status read_stops(reader *r)
{
    static const csv_column columns[] = {{"stop_id", true},   {"stop_name", false},     {"stop_lat", true},
                                         {"stop_lon", true},  {"location_type", false}, {"parent_station", false}};
    mco_status st = MCO_OK;
    bool is_there;
    MCO_TRY(open_table(r, "stops.txt", true, columns, COUNT_OF(columns), &is_there));
    const int64_t rows = csv_most_rows(&r->table);
    MCO_TRY(make_ids(r, rows, &r->stops));
    MCO_TRY(mco_alloc(r->ctx, &r->feed->stop, rows));
    MCO_TRY(mco_alloc(r->ctx, &r->parent_line, rows));
    MCO_TRY(mco_alloc(r->ctx, &r->parent, rows));
    for (;;) {
        MCO_TRY(csv_next(&r->table, &is_there));
        if (!is_there)
            break;
        MCO_TRY(read_stop(r, &r->feed->stop[r->stops.count]));
        r->feed->stops = r->stops.count;
    }
    MCO_TRY(find_parents(r));
done:
    return st;
}

// ---- Routes

enum { ROUTE_ID, ROUTE_SHORT, ROUTE_LONG, ROUTE_TYPE };

static mco_status read_routes(reader *r)
{
    enum { MOST_TYPE = 1799 };  // of the extended types
    static const csv_column columns[] = {
        {"route_id", true}, {"route_short_name", false}, {"route_long_name", false}, {"route_type", true}};
    mco_status st = MCO_OK;
    bool is_there;
    int64_t type;
    MCO_TRY(open_table(r, "routes.txt", true, columns, COUNT_OF(columns), &is_there));
    const int64_t rows = csv_most_rows(&r->table);
    MCO_TRY(make_ids(r, rows, &r->routes));
    MCO_TRY(mco_alloc(r->ctx, &r->feed->route, rows));
    for (;;) {
        MCO_TRY(csv_next(&r->table, &is_there));
        if (!is_there)
            break;
        gtfs_route *route = &r->feed->route[r->routes.count];
        MCO_TRY(add_id(r, &r->routes, ROUTE_ID, &route->id));
        MCO_TRY(keep(r, r->table.cell[ROUTE_SHORT], &route->short_name));
        MCO_TRY(keep(r, r->table.cell[ROUTE_LONG], &route->long_name));
        MCO_TRY(csv_integer(&r->table, ROUTE_TYPE, 0, MOST_TYPE, &type));
        route->type = (int32_t)type;
        r->feed->routes = r->routes.count;
    }
done:
    return st;
}

// ---- Services

enum { CALENDAR_ID, CALENDAR_MONDAY, CALENDAR_START = CALENDAR_MONDAY + 7, CALENDAR_END };
enum { DATE_ID, DATE_DATE, DATE_TYPE };

static void widen_dates(gtfs_feed *feed, int32_t first, int32_t last)
{
    if (feed->first_date == 0 || first < feed->first_date)
        feed->first_date = first;
    if (last > feed->last_date)
        feed->last_date = last;
}

// A new service; the array grows in step with the ids.
static mco_status read_calendar_row(reader *r)
{
    mco_status st = MCO_OK;
    gtfs_service *service = &r->feed->service[r->services.count];
    MCO_TRY(add_id(r, &r->services, CALENDAR_ID, &service->id));
    r->feed->services = r->services.count;
    for (int day = 0; day < 7; day++) {
        int64_t runs;
        MCO_TRY(csv_integer(&r->table, CALENDAR_MONDAY + day, 0, 1, &runs));
        service->days |= (uint8_t)(runs << day);
    }
    MCO_TRY(csv_date(&r->table, CALENDAR_START, &service->first));
    MCO_TRY(csv_date(&r->table, CALENDAR_END, &service->last));
    const mco_slice end = r->table.cell[CALENDAR_END];
    if (service->last < service->first)
        return mco_text_fail(&r->table.text, end.line, end.column, "end_date %d is before start_date %d", service->last, service->first);
    widen_dates(r->feed, service->first, service->last);
done:
    return st;
}

static mco_status read_calendar(reader *r)
{
    mco_status st = MCO_OK;
    bool is_there;
    for (;;) {
        MCO_TRY(csv_next(&r->table, &is_there));
        if (!is_there)
            break;
        MCO_TRY(read_calendar_row(r));
    }
done:
    return st;
}

// Services of calendar_dates alone begin here.
static mco_status read_dates(reader *r)
{
    mco_status st = MCO_OK;
    bool is_there;
    int64_t type;
    mco_slice id;
    MCO_TRY(mco_alloc(r->ctx, &r->feed->exception, csv_most_rows(&r->table)));
    for (;;) {
        MCO_TRY(csv_next(&r->table, &is_there));
        if (!is_there)
            break;
        gtfs_exception *e = &r->feed->exception[r->feed->exceptions];
        MCO_TRY(csv_text(&r->table, DATE_ID, &id));
        e->service = look_up(&r->services, id);
        if (e->service < 0) {
            e->service = r->services.count;
            MCO_TRY(add_id(r, &r->services, DATE_ID, &r->feed->service[e->service].id));
            r->feed->services = r->services.count;
        }
        MCO_TRY(csv_date(&r->table, DATE_DATE, &e->date));
        MCO_TRY(csv_integer(&r->table, DATE_TYPE, 1, 2, &type));
        e->runs = type == 1;
        if (e->runs)
            widen_dates(r->feed, e->date, e->date);
        r->feed->exceptions++;
    }
done:
    return st;
}

static mco_status read_services(reader *r)
{
    static const csv_column calendar[] = {{"service_id", true}, {"monday", true},   {"tuesday", true},  {"wednesday", true},
                                          {"thursday", true},   {"friday", true},   {"saturday", true}, {"sunday", true},
                                          {"start_date", true}, {"end_date", true}};
    static const csv_column dates[] = {{"service_id", true}, {"date", true}, {"exception_type", true}};
    mco_status st = MCO_OK;
    bool has_calendar, has_dates;
    csv_table first = {0};
    MCO_TRY(open_table(r, "calendar.txt", false, calendar, COUNT_OF(calendar), &has_calendar));
    first = r->table;
    r->table = (csv_table){0};
    MCO_TRY(open_table(r, "calendar_dates.txt", false, dates, COUNT_OF(dates), &has_dates));
    if (!has_calendar && !has_dates)
        return mco_fail(r->ctx, MCO_ERR_IO, "%s: the feed has neither calendar.txt nor calendar_dates.txt", r->folder.path);
    const int64_t rows = (has_calendar ? csv_most_rows(&first) : 0) + (has_dates ? csv_most_rows(&r->table) : 0);
    MCO_TRY(make_ids(r, rows, &r->services));
    MCO_TRY(mco_alloc(r->ctx, &r->feed->service, rows));
    if (has_calendar) {
        const csv_table second = r->table;
        r->table = first;
        first = second;
        MCO_TRY(read_calendar(r));
        csv_end(&r->table);
        r->table = first;
        first = (csv_table){0};
    }
    if (has_dates)
        MCO_TRY(read_dates(r));
done:
    csv_end(&first);
    return st;
}

// ---- Trips

enum { TRIP_ROUTE, TRIP_SERVICE, TRIP_ID, TRIP_HEADSIGN };

static mco_status read_trips(reader *r)
{
    static const csv_column columns[] = {{"route_id", true}, {"service_id", true}, {"trip_id", true}, {"trip_headsign", false}};
    mco_status st = MCO_OK;
    bool is_there;
    mco_slice service;
    MCO_TRY(open_table(r, "trips.txt", true, columns, COUNT_OF(columns), &is_there));
    const int64_t rows = csv_most_rows(&r->table);
    MCO_TRY(make_ids(r, rows, &r->trips));
    MCO_TRY(mco_alloc(r->ctx, &r->feed->trip, rows));
    for (;;) {
        MCO_TRY(csv_next(&r->table, &is_there));
        if (!is_there)
            break;
        gtfs_trip *trip = &r->feed->trip[r->trips.count];
        MCO_TRY(add_id(r, &r->trips, TRIP_ID, &trip->id));
        MCO_TRY(find_id(r, &r->routes, TRIP_ROUTE, "routes.txt", &trip->route));
        MCO_TRY(csv_text(&r->table, TRIP_SERVICE, &service));
        trip->service = look_up(&r->services, service);
        r->homeless += trip->service < 0;
        MCO_TRY(keep(r, r->table.cell[TRIP_HEADSIGN], &trip->headsign));
        r->feed->trips = r->trips.count;
    }
done:
    return st;
}

// ---- Calls

enum { CALL_TRIP, CALL_ARRIVAL, CALL_DEPARTURE, CALL_STOP, CALL_SEQUENCE, CALL_PICKUP, CALL_DROP_OFF, CALL_DISTANCE };

// 0: by timetable, 1: none, 2 and 3: by arrangement with the agency or the driver, which counts as allowed.
static mco_status read_use(reader *r, gtfs_call *call)
{
    mco_status st = MCO_OK;
    int64_t pickup, drop_off;
    MCO_TRY(csv_integer_or(&r->table, CALL_PICKUP, 0, 3, 0, &pickup));
    MCO_TRY(csv_integer_or(&r->table, CALL_DROP_OFF, 0, 3, 0, &drop_off));
    call->use = (uint8_t)((pickup != 1) | (drop_off != 1) << 1);
done:
    return st;
}

static mco_status read_call(reader *r, gtfs_call *call)
{
    enum { MOST_DISTANCE = 1000000000 };
    mco_status st = MCO_OK;
    int64_t sequence;
    MCO_TRY(find_id(r, &r->trips, CALL_TRIP, "trips.txt", &call->trip));
    MCO_TRY(find_id(r, &r->stops, CALL_STOP, "stops.txt", &call->stop));
    const mco_slice stop = r->table.cell[CALL_STOP], departure = r->table.cell[CALL_DEPARTURE];
    if (r->feed->stop[call->stop].type != 0)
        return mco_text_fail(&r->table.text, stop.line, stop.column, "stop_id \"%.*s\" has location_type %d, trips call at stops, 0",
                             mco_slice_shown(stop), stop.data, r->feed->stop[call->stop].type);
    MCO_TRY(csv_integer(&r->table, CALL_SEQUENCE, 0, FEED_MAX_NUMBER, &sequence));
    MCO_TRY(csv_time(&r->table, CALL_ARRIVAL, &call->arrival));
    MCO_TRY(csv_time(&r->table, CALL_DEPARTURE, &call->departure));
    MCO_TRY(read_use(r, call));
    call->sequence = (int32_t)sequence;
    call->line = (int32_t)r->table.row.line;
    call->arrival = call->arrival < 0 ? call->departure : call->arrival;
    call->departure = call->departure < 0 ? call->arrival : call->departure;
    if (call->departure < call->arrival)
        return mco_text_fail(&r->table.text, departure.line, departure.column, "departure_time \"%.*s\" is before arrival_time \"%.*s\"",
                             mco_slice_shown(departure), departure.data, mco_slice_shown(r->table.cell[CALL_ARRIVAL]),
                             r->table.cell[CALL_ARRIVAL].data);
    call->distance = NAN;
    if (r->table.cell[CALL_DISTANCE].size > 0)
        MCO_TRY(csv_real(&r->table, CALL_DISTANCE, 0, MOST_DISTANCE, &call->distance));
done:
    return st;
}

static int by_sequence(const void *a, const void *b)
{
    const gtfs_call *x = a, *y = b;
    return x->sequence != y->sequence ? (x->sequence > y->sequence) - (x->sequence < y->sequence)
                                      : (x->line > y->line) - (x->line < y->line);
}

// Brings the calls to their trips, in the order of the file, by counting.
static mco_status sort_by_trip(reader *r)
{
    mco_status st = MCO_OK;
    gtfs_feed *f = r->feed;
    int64_t at = 0;
    MCO_TRY(mco_alloc(r->ctx, &f->call, f->calls));
    for (int64_t k = 0; k < f->calls; k++)
        f->trip[r->call[k].trip].length++;
    for (int32_t t = 0; t < f->trips; t++) {
        f->trip[t].first = at;
        at += f->trip[t].length;
        f->trip[t].length = 0;
    }
    for (int64_t k = 0; k < f->calls; k++) {
        gtfs_trip *trip = &f->trip[r->call[k].trip];
        f->call[trip->first + trip->length++] = r->call[k];
    }
    mco_free(r->ctx, &r->call);
done:
    return st;
}

// Whether distances ascend from call `a` to call `b`, so that they say where the stops between lie.
static bool has_distances(const gtfs_call *call, int32_t a, int32_t b)
{
    bool ascends = call[b].distance > call[a].distance;
    for (int32_t k = a; k < b && ascends; k++)
        ascends = call[k + 1].distance >= call[k].distance;  // false for NaN
    return ascends;
}

// Fills in the times between the timepoints `a` and `b`, rounded down to seconds: by distances, else each stop is one step.
static void fill_times(reader *r, gtfs_call *call, int32_t a, int32_t b)
{
    const int32_t begin = call[a].departure, length = call[b].arrival - begin;
    const bool by_distance = b > a + 1 && has_distances(call, a, b);
    const double way = call[b].distance - call[a].distance;
    for (int32_t k = a + 1; k < b; k++) {
        const int64_t step = by_distance ? (int64_t)((call[k].distance - call[a].distance) / way * length)
                                         : (int64_t)length * (k - a) / (b - a);
        call[k].arrival = call[k].departure = begin + (int32_t)step;
        r->filled++;
        r->by_distance += by_distance;
    }
}

static mco_status refuse_call(reader *r, const gtfs_call *call, const char *what)
{
    return mco_text_fail(&r->table.text, call->line, 1, "trip \"%s\", stop_sequence %d: %s", r->feed->trip[call->trip].id, call->sequence,
                         what);
}

// Tests the calls of a trip in their order, and fills in its times.
static mco_status finish_trip(reader *r, gtfs_trip *trip)
{
    gtfs_call *call = &r->feed->call[trip->first];
    bool is_sorted = true;
    for (int32_t k = 1; k < trip->length; k++)
        is_sorted = is_sorted && call[k - 1].sequence < call[k].sequence;
    if (!is_sorted)
        qsort(call, (size_t)trip->length, sizeof *call, by_sequence);
    r->short_trips += trip->length < 2;
    for (int32_t k = 1, last = 0; k < trip->length; k++) {
        if (call[k].sequence == call[k - 1].sequence)
            return refuse_call(r, &call[k], "this number is there twice");
        if (call[0].arrival < 0 || (k == trip->length - 1 && call[k].arrival < 0))
            return refuse_call(r, call[0].arrival < 0 ? &call[0] : &call[k], "the first and the last call of a trip need a time");
        if (call[k].arrival < 0)
            continue;
        if (call[k].arrival < call[last].departure)
            return refuse_call(r, &call[k], "arrival_time is before departure_time of an earlier call");
        fill_times(r, call, last, k);
        last = k;
    }
    return MCO_OK;
}

static mco_status read_calls(reader *r)
{
    static const csv_column columns[] = {{"trip_id", true},       {"arrival_time", true}, {"departure_time", true},
                                         {"stop_id", true},       {"stop_sequence", true}, {"pickup_type", false},
                                         {"drop_off_type", false}, {"shape_dist_traveled", false}};
    mco_status st = MCO_OK;
    bool is_there;
    MCO_TRY(open_table(r, "stop_times.txt", true, columns, COUNT_OF(columns), &is_there));
    for (;;) {
        MCO_TRY(csv_next(&r->table, &is_there));
        if (!is_there)
            break;
        MCO_TRY(mco_grow(r->ctx, &r->call, &r->call_room, r->feed->calls + 1));
        MCO_TRY(read_call(r, &r->call[r->feed->calls]));
        r->feed->calls++;
    }
    MCO_TRY(sort_by_trip(r));
    for (int32_t t = 0; t < r->feed->trips; t++)
        MCO_TRY(finish_trip(r, &r->feed->trip[t]));
done:
    return st;
}

// ---- Transfers and frequencies

enum { TRANSFER_FROM, TRANSFER_TO, TRANSFER_TYPE, TRANSFER_SECONDS, TRANSFER_SPECIAL };  // and the three behind it

static mco_status read_transfer(reader *r)
{
    mco_status st = MCO_OK;
    int64_t type, seconds;
    bool is_special = false;
    gtfs_transfer t;
    MCO_TRY(csv_integer_or(&r->table, TRANSFER_TYPE, 0, 5, 0, &type));
    MCO_TRY(csv_integer_or(&r->table, TRANSFER_SECONDS, 0, CSV_MAX_SECONDS, -1, &seconds));
    for (int k = 0; k < 4; k++)
        is_special = is_special || r->table.cell[TRANSFER_SPECIAL + k].size > 0;
    if (is_special || type > 3) {
        r->special_transfers++;
        return MCO_OK;
    }
    const mco_slice place = r->table.cell[TRANSFER_SECONDS];
    if (type == 2 && seconds < 0)
        return mco_text_fail(&r->table.text, place.line, place.column, "min_transfer_time is empty, transfer_type 2 needs it");
    t = (gtfs_transfer){look_up(&r->stops, r->table.cell[TRANSFER_FROM]), look_up(&r->stops, r->table.cell[TRANSFER_TO]), (int32_t)type,
                        (int32_t)seconds};
    if (t.from < 0 || t.to < 0)
        r->lost_transfers++;
    else
        r->feed->transfer[r->feed->transfers++] = t;
done:
    return st;
}

static mco_status read_transfers(reader *r)
{
    static const csv_column columns[] = {{"from_stop_id", true},   {"to_stop_id", true},   {"transfer_type", false},
                                         {"min_transfer_time", false}, {"from_route_id", false}, {"to_route_id", false},
                                         {"from_trip_id", false},  {"to_trip_id", false}};
    mco_status st = MCO_OK;
    bool is_there;
    MCO_TRY(open_table(r, "transfers.txt", false, columns, COUNT_OF(columns), &is_there));
    if (is_there)
        MCO_TRY(mco_alloc(r->ctx, &r->feed->transfer, csv_most_rows(&r->table)));
    while (is_there) {
        MCO_TRY(csv_next(&r->table, &is_there));
        if (is_there)
            MCO_TRY(read_transfer(r));
    }
done:
    return st;
}

enum { FREQUENCY_TRIP, FREQUENCY_BEGIN, FREQUENCY_END, FREQUENCY_HEADWAY, FREQUENCY_EXACT };

static mco_status read_frequency(reader *r, gtfs_frequency *f)
{
    mco_status st = MCO_OK;
    int64_t headway, is_exact;
    MCO_TRY(find_id(r, &r->trips, FREQUENCY_TRIP, "trips.txt", &f->trip));
    MCO_TRY(csv_time(&r->table, FREQUENCY_BEGIN, &f->begin));
    MCO_TRY(csv_time(&r->table, FREQUENCY_END, &f->end));
    const mco_slice begin = r->table.cell[FREQUENCY_BEGIN], end = r->table.cell[FREQUENCY_END];
    if (f->begin < 0 || f->end <= f->begin)
        return mco_text_fail(&r->table.text, begin.line, begin.column, "start_time is \"%.*s\" and end_time \"%.*s\", a later one was expected",
                             mco_slice_shown(begin), begin.data, mco_slice_shown(end), end.data);
    MCO_TRY(csv_integer(&r->table, FREQUENCY_HEADWAY, 1, CSV_MAX_SECONDS, &headway));
    MCO_TRY(csv_integer_or(&r->table, FREQUENCY_EXACT, 0, 1, 0, &is_exact));
    f->headway = (int32_t)headway;
    f->is_exact = is_exact == 1;
    r->feed->trip[f->trip].frequencies++;
done:
    return st;
}

static int by_trip(const void *a, const void *b)
{
    const gtfs_frequency *x = a, *y = b;
    return x->trip != y->trip ? (x->trip > y->trip) - (x->trip < y->trip) : (x->begin > y->begin) - (x->begin < y->begin);
}

static mco_status read_frequencies(reader *r)
{
    static const csv_column columns[] = {
        {"trip_id", true}, {"start_time", true}, {"end_time", true}, {"headway_secs", true}, {"exact_times", false}};
    mco_status st = MCO_OK;
    bool is_there;
    MCO_TRY(open_table(r, "frequencies.txt", false, columns, COUNT_OF(columns), &is_there));
    if (is_there)
        MCO_TRY(mco_alloc(r->ctx, &r->feed->frequency, csv_most_rows(&r->table)));
    while (is_there) {
        MCO_TRY(csv_next(&r->table, &is_there));
        if (is_there) {
            MCO_TRY(read_frequency(r, &r->feed->frequency[r->feed->frequencies]));
            r->feed->frequencies++;
        }
    }
    if (r->feed->frequencies > 0)
        qsort(r->feed->frequency, (size_t)r->feed->frequencies, sizeof *r->feed->frequency, by_trip);
done:
    return st;
}

// ---- The feed

// Says what was read, and what of it does not count.
static void tell(const reader *r)
{
    const gtfs_feed *f = r->feed;
    mco_log(r->ctx, MCO_LOG_INFO, "%s: %d stops, %d routes, %d trips, %" PRId64 " calls, services from %d to %d", r->folder.path, f->stops,
            f->routes, f->trips, f->calls, f->first_date, f->last_date);
    if (r->filled > 0)
        mco_log(r->ctx, MCO_LOG_INFO, "%s: times of %" PRId64 " calls are filled in between timepoints, %" PRId64 " of them by distances, "
                "the others evenly", r->folder.path, r->filled, r->by_distance);
    if (r->homeless > 0)
        mco_log(r->ctx, MCO_LOG_WARNING, "%s: %" PRId64 " trips never run: no calendar has their service", r->folder.path, r->homeless);
    if (r->short_trips > 0)
        mco_log(r->ctx, MCO_LOG_WARNING, "%s: %" PRId64 " trips have fewer than two calls and are left out", r->folder.path,
                r->short_trips);
    if (r->lost_transfers > 0)
        mco_log(r->ctx, MCO_LOG_WARNING, "%s: %" PRId64 " transfers name stops that stops.txt does not have; they are left out",
                r->folder.path, r->lost_transfers);
    if (r->special_transfers > 0)
        mco_log(r->ctx, MCO_LOG_WARNING, "%s: %" PRId64 " transfers of single routes or trips, or within a vehicle, are left out",
                r->folder.path, r->special_transfers);
}

// The last part of the path, without ".zip".
static mco_status set_name(reader *r, const char *path)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    size_t begin = end;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    if (end - begin > 4 && strncmp(path + end - 4, ".zip", 4) == 0)
        end -= 4;
    return transit_pool_add(r->ctx, &r->feed->text, path + begin, end - begin, &r->feed->name);
}

mco_status gtfs_read(mco_context *ctx, const char *path, gtfs_feed *out)
{
    mco_status st = MCO_OK;
    gtfs_feed feed = {0};
    reader r = {.ctx = ctx, .feed = &feed};
    MCO_TRY(transit_folder_open(ctx, path, &r.folder));
    MCO_TRY(set_name(&r, path));
    MCO_TRY(read_agency(&r));
    MCO_TRY(read_stops(&r));
    MCO_TRY(read_routes(&r));
    MCO_TRY(read_services(&r));
    MCO_TRY(read_trips(&r));
    MCO_TRY(read_calls(&r));
    MCO_TRY(read_transfers(&r));
    MCO_TRY(read_frequencies(&r));
    tell(&r);
done:
    csv_end(&r.table);
    transit_folder_close(&r.folder);
    clear_ids(ctx, &r.services);
    clear_ids(ctx, &r.trips);
    clear_ids(ctx, &r.routes);
    clear_ids(ctx, &r.stops);
    mco_free(ctx, &r.parent);
    mco_free(ctx, &r.parent_line);
    mco_free(ctx, &r.call);
    if (st != MCO_OK)
        gtfs_clear(ctx, &feed);
    *out = feed;
    return st;
}

void gtfs_clear(mco_context *ctx, gtfs_feed *feed)
{
    mco_free(ctx, &feed->frequency);
    mco_free(ctx, &feed->transfer);
    mco_free(ctx, &feed->exception);
    mco_free(ctx, &feed->service);
    mco_free(ctx, &feed->call);
    mco_free(ctx, &feed->trip);
    mco_free(ctx, &feed->route);
    mco_free(ctx, &feed->stop);
    transit_pool_clear(ctx, &feed->text);
    *feed = (gtfs_feed){0};
}

void gtfs_find_services(const gtfs_feed *feed, int32_t date, bool *runs)
{
    const int weekday = date_weekday(date);
    for (int32_t s = 0; s < feed->services; s++) {
        const gtfs_service *service = &feed->service[s];
        runs[s] = date >= service->first && date <= service->last && (service->days >> weekday & 1) != 0;
    }
    for (int64_t k = 0; k < feed->exceptions; k++)
        if (feed->exception[k].date == date)
            runs[feed->exception[k].service] = feed->exception[k].runs;
}
