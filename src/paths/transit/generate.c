// SPDX-License-Identifier: MIT
// Timetables by rule: a grid of stops, a line along each row and each column, both ways, written as GTFS files.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/output.h"
#include "mco/transit.h"

enum { MOST_STOPS = 1000000, DWELL_S = 20 };
static const double METRES_A_DEGREE = 111194.92664, RADIANS = 0.017453292519943295;
static const double MOST_CALLS = 2e8;  // rows of stop_times.txt
static const double BUS_M_PER_S = 6;   // 21.6 km/h between stops

static mco_status settle(mco_context *ctx, mco_transit_shape *s)
{
    s->spacing_m = s->spacing_m > 0 ? s->spacing_m : 400;
    s->headway_s = s->headway_s > 0 ? s->headway_s : 600;
    if (s->last_s <= 0) {
        s->first_s = 5 * 3600;
        s->last_s = 23 * 3600 + 1800;
    }
    s->date = s->date > 0 ? s->date : 20190101;
    if (s->rows < 2 || s->columns < 2 || (int64_t)s->rows * s->columns > MOST_STOPS)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%d rows and %d columns, at least 2 of each and at most %d stops are supported", s->rows, s->columns, MOST_STOPS);
    if (s->first_s < 0 || s->last_s < s->first_s || s->last_s > MCO_TRANSIT_MAX_TIME_S)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "trips begin at second %d to %d, 0 to %d are supported", s->first_s, s->last_s, MCO_TRANSIT_MAX_TIME_S);
    if (!(fabs(s->latitude) <= 80) || !(fabs(s->longitude) <= 170))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the corner is %g,%g, latitudes to 80 and longitudes to 170 degrees are supported", s->latitude, s->longitude);
    const double calls = 4.0 * s->rows * s->columns * ((s->last_s - s->first_s) / s->headway_s + 1);
    if (calls > MOST_CALLS)
        return mco_fail(ctx, MCO_ERR_LIMIT, "the timetable has %.0f calls, at most %.0f are supported", calls, MOST_CALLS);
    return MCO_OK;
}

static void write_time(FILE *file, int32_t seconds)
{
    fprintf(file, "%02d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

static void write_agency(FILE *file, const mco_transit_shape *s)
{
    (void)s;
    fprintf(file, "agency_id,agency_name,agency_url,agency_timezone\n1,Grid City,https://example.org,Etc/UTC\n");
}

static void write_calendar(FILE *file, const mco_transit_shape *s)
{
    fprintf(file, "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\n");
    fprintf(file, "daily,1,1,1,1,1,1,1,%08d,%08d\n", s->date, s->date + 10000);
}

// Millionths of a degree, written without floating point: equal in every locale.
static void write_degrees(FILE *file, double degrees)
{
    const long long micro = llround(degrees * 1e6), whole = micro < 0 ? -micro : micro;
    fprintf(file, "%s%lld.%06lld", micro < 0 ? "-" : "", whole / 1000000, whole % 1000000);
}

static void write_stops(FILE *file, const mco_transit_shape *s)
{
    const double step = s->spacing_m / METRES_A_DEGREE;
    fprintf(file, "stop_id,stop_name,stop_lat,stop_lon\n");
    for (int32_t r = 0; r < s->rows; r++)
        for (int32_t c = 0; c < s->columns; c++) {
            fprintf(file, "s%d_%d,Street %d at Avenue %d,", r, c, r + 1, c + 1);
            write_degrees(file, s->latitude + r * step);
            fputc(',', file);
            write_degrees(file, s->longitude + c * step / cos(s->latitude * RADIANS));
            fputc('\n', file);
        }
}

static void write_routes(FILE *file, const mco_transit_shape *s)
{
    fprintf(file, "route_id,agency_id,route_short_name,route_long_name,route_type\n");
    for (int32_t r = 0; r < s->rows; r++)
        fprintf(file, "row%d,1,S%d,Street %d,3\n", r, r + 1, r + 1);
    for (int32_t c = 0; c < s->columns; c++)
        fprintf(file, "column%d,1,A%d,Avenue %d,0\n", c, c + 1, c + 1);
}

typedef struct trip {
    const char *kind;       // "row" or "column"
    int32_t line, way, number, start_s;
    int32_t stops;
} trip;

// Calls visit() for every trip. Lines begin one after the other within a headway.
static void each_trip(FILE *file, const mco_transit_shape *s, void (*visit)(FILE *, const mco_transit_shape *, const trip *))
{
    for (int32_t line = 0; line < s->rows + s->columns; line++)
        for (int32_t way = 0; way < 2; way++) {
            const bool is_row = line < s->rows;
            const int32_t shift = (int32_t)((int64_t)(2 * line + way) * 97 % s->headway_s);
            int32_t number = 0;
            for (int32_t start = s->first_s + shift; start <= s->last_s; start += s->headway_s) {
                const trip t = {is_row ? "row" : "column", is_row ? line : line - s->rows, way, number++, start, is_row ? s->columns : s->rows};
                visit(file, s, &t);
            }
        }
}

static void write_trip(FILE *file, const mco_transit_shape *s, const trip *t)
{
    static const char *const goals[2][2] = {{"East", "West"}, {"North", "South"}};
    (void)s;
    fprintf(file, "%s%d,daily,%s%d_%d_%d,%s,%d\n", t->kind, t->line, t->kind, t->line, t->way, t->number, goals[t->kind[0] == 'c'][t->way], t->way);
}

static void write_trips(FILE *file, const mco_transit_shape *s)
{
    fprintf(file, "route_id,service_id,trip_id,trip_headsign,direction_id\n");
    each_trip(file, s, write_trip);
}

static void write_calls(FILE *file, const mco_transit_shape *s, const trip *t)
{
    const int32_t drive = (int32_t)ceil(s->spacing_m / BUS_M_PER_S);
    for (int32_t k = 0; k < t->stops; k++) {
        const int32_t at = t->way == 0 ? k : t->stops - 1 - k, arrive = t->start_s + k * (drive + DWELL_S);
        fprintf(file, "%s%d_%d_%d,", t->kind, t->line, t->way, t->number);
        write_time(file, arrive);
        fputc(',', file);
        write_time(file, arrive + DWELL_S);
        if (t->kind[0] == 'r')
            fprintf(file, ",s%d_%d,%d\n", t->line, at, k + 1);
        else
            fprintf(file, ",s%d_%d,%d\n", at, t->line, k + 1);
    }
}

static void write_stop_times(FILE *file, const mco_transit_shape *s)
{
    fprintf(file, "trip_id,arrival_time,departure_time,stop_id,stop_sequence\n");
    each_trip(file, s, write_calls);
}

mco_status mco_transit_generate(mco_context *ctx, const mco_transit_shape *shape, const char *folder)
{
    static const struct {
        const char *name;
        void (*write)(FILE *file, const mco_transit_shape *shape);
    } files[] = {{"agency.txt", write_agency}, {"calendar.txt", write_calendar}, {"stops.txt", write_stops},
                 {"routes.txt", write_routes}, {"trips.txt", write_trips}, {"stop_times.txt", write_stop_times}};
    mco_status st = MCO_OK;
    mco_output out = {0};
    char path[MCO_PATH_LENGTH];
    if (ctx == NULL || shape == NULL || folder == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    mco_transit_shape s = *shape;
    MCO_TRY(settle(ctx, &s));
    if (strlen(folder) + 32 > sizeof path)
        return mco_fail(ctx, MCO_ERR_IO, "the path of the folder has %zu bytes, at most %zu are supported", strlen(folder), sizeof path - 32);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return mco_fail(ctx, MCO_ERR_IO, "the folder %s cannot be made: %s", folder, strerror(errno));
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[k].name);
        MCO_TRY(mco_output_open(ctx, path, &out));
        files[k].write(out.file, &s);
        MCO_TRY(mco_output_commit(ctx, &out, false));
    }
done:
    mco_output_discard(&out);
    return st;
}
