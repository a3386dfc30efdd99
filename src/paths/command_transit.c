// SPDX-License-Identifier: MIT
// mco paths itinerary | itineraries | isochrone | check-journeys | timetable
#include "paths/command_transit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "mco/transit.h"

#define CITY_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                        \
    TEXT(osm, "--osm", "F", "street map, .osm.pbf; if not given, walks are straight lines times 1.3")                          \
    TEXT(gtfs, "--gtfs", "A,B", "timetables: GTFS feeds, zip archives or folders")                                             \
    TEXT(date, "--date", "YYYY-MM-DD", "day of the journey")                                                                   \
    INTEGER(days, "--days", 0, 1, 7, 0, "N",                                                                                   \
            "days of service from the date on; if not given: 2 if a journey may begin at 22:00 or later, else 1")              \
    REAL(walk_speed, "--walk-speed", 1.2, 0.1, 10, -1, "V", "metres a second on foot")                                         \
    INTEGER(max_transfer, "--max-transfer", 500, 1, 50000, -1, "M", "most metres of a walk between two stops")

#define FROM_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                        \
    TEXT(from, "--from", "LAT,LON", "place in degrees where the journey begins, such as -30.03,-51.23")                        \
    TEXT(depart, "--depart", "HH:MM", "earliest departure")                                                                    \
    TEXT(geojson, "--geojson", "F", "write lines as GeoJSON")
#define ITINERARY_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG) \
    FROM_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)          \
    TEXT(to, "--to", "LAT,LON", "place in degrees where it ends")
#define REACH_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG) \
    FROM_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)      \
    TEXT(minutes, "--minutes", "A,B,...", "minutes of each band; 15,30,45 if not given")
#define QUERIES_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG) \
    TEXT(queries, "--queries", "F", "CSV file with the columns from_lat, from_lon, to_lat, to_lon, depart")
#define RULES_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                      \
    CHOICE(modes, "--modes", mco_transit_modes, MCO_TRANSIT_MODES_ALL, "walk,transit|walk", "how a journey may move")          \
    INTEGER(max_walk, "--max-walk", 1200, 0, 50000, -1, "M", "most metres on foot to the first stop, and from the last stop")  \
    INTEGER(max_rides, "--max-rides", 6, 0, 16, -1, "N", "most rides of a journey")
#define TIMETABLE_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                   \
    TEXT(grid, "--grid", "AxB", "A streets and B avenues, with a stop at each crossing")                                       \
    TEXT(output, "--output", "FOLDER", "folder that takes the files")                                                          \
    INTEGER(spacing, "--spacing", 400, 10, 10000, -1, "M", "metres between two stops")                                         \
    INTEGER(headway, "--headway", 600, 10, 86400, -1, "S", "seconds between two trips of a line")

typedef struct session {
    mco_transit_params params;
    struct {
        MCO_FIELDS(CITY_OPTIONS)
    } city;
    struct request {
        MCO_FIELDS(ITINERARY_OPTIONS)
        const char *minutes, *queries;
    } asked;
    struct {
        MCO_FIELDS(TIMETABLE_OPTIONS)
    } made;
    mco_transit *transit;
    mco_transit_query query;
    mco_transit_result result;
    mco_transit_query *queries;  // [count]
    int64_t count;
    mco_transit_batch batch;
    mco_transit_journey *journeys;  // [count] of a file, with its queries
    int32_t minutes[MCO_TRANSIT_MAX_BANDS], bands;
    mco_transit_reach reach;
    const char *inputs[3];  // files that the run reads; NULL: not given
} session;
_Static_assert(sizeof(session) <= TRANSIT_COMMAND_BYTES, "the table states fewer bytes than the state has");

#define MCO_OPTION_STRUCT session
#define IN_CITY_REAL(field, flag, def, low, high, unset, argument, help) MCO_OPTION_REAL_ENTRY(city.field, flag, def, low, high, unset, argument, help)
#define IN_CITY_INTEGER(field, flag, def, low, high, unset, argument, help) MCO_OPTION_INTEGER_ENTRY(city.field, flag, def, low, high, unset, argument, help)
#define IN_CITY_TEXT(field, flag, argument, help) MCO_OPTION_TEXT_ENTRY(city.field, flag, argument, help)
#define IN_ASKED_TEXT(field, flag, argument, help) MCO_OPTION_TEXT_ENTRY(asked.field, flag, argument, help)
#define IN_MADE_INTEGER(field, flag, def, low, high, unset, argument, help) MCO_OPTION_INTEGER_ENTRY(made.field, flag, def, low, high, unset, argument, help)
#define IN_MADE_TEXT(field, flag, argument, help) MCO_OPTION_TEXT_ENTRY(made.field, flag, argument, help)
#define IN_PARAMS_INTEGER(field, flag, def, low, high, unset, argument, help) MCO_OPTION_INTEGER_ENTRY(params.field, flag, def, low, high, unset, argument, help)
#define IN_PARAMS_CHOICE(field, flag, type, def, choices, help) MCO_OPTION_CHOICE_ENTRY(params.field, flag, type, def, choices, help)
#define NO_CHOICE(...)
static const mco_option city_records[] = {CITY_OPTIONS(IN_CITY_INTEGER, IN_CITY_REAL, NO_CHOICE, IN_CITY_TEXT, NO_CHOICE)};
static const mco_option itinerary_records[] = {ITINERARY_OPTIONS(NO_CHOICE, NO_CHOICE, NO_CHOICE, IN_ASKED_TEXT, NO_CHOICE)};
static const mco_option reach_records[] = {REACH_OPTIONS(NO_CHOICE, NO_CHOICE, NO_CHOICE, IN_ASKED_TEXT, NO_CHOICE)};
static const mco_option queries_records[] = {QUERIES_OPTIONS(NO_CHOICE, NO_CHOICE, NO_CHOICE, IN_ASKED_TEXT, NO_CHOICE)};
static const mco_option rules_records[] = {RULES_OPTIONS(IN_PARAMS_INTEGER, NO_CHOICE, IN_PARAMS_CHOICE, NO_CHOICE, NO_CHOICE)};
static const mco_option timetable_records[] = {TIMETABLE_OPTIONS(IN_MADE_INTEGER, NO_CHOICE, NO_CHOICE, IN_MADE_TEXT, NO_CHOICE)};
static const mco_option_table city_options = MCO_OPTION_TABLE(city_records);
static const mco_option_table itinerary_options = MCO_OPTION_TABLE(itinerary_records);
static const mco_option_table reach_options = MCO_OPTION_TABLE(reach_records);
static const mco_option_table queries_options = MCO_OPTION_TABLE(queries_records);
static const mco_option_table rules_options = MCO_OPTION_TABLE(rules_records);
static const mco_option_table timetable_options = MCO_OPTION_TABLE(timetable_records);

void transit_command_begin(void *state)
{
    *(session *)state = (session){.params = MCO_TRANSIT_PARAMS_INIT, .city = {MCO_DEFAULTS(CITY_OPTIONS)}, .made = {MCO_DEFAULTS(TIMETABLE_OPTIONS)},
                                  .result = MCO_TRANSIT_RESULT_INIT, .batch = MCO_TRANSIT_BATCH_INIT, .reach = MCO_TRANSIT_REACH_INIT};
}

void transit_command_end(cli_call *call)
{
    session *s = call->state;
    mco_transit_reach_clear(call->ctx, &s->reach);
    mco_transit_batch_clear(call->ctx, &s->batch);
    mco_transit_journeys_clear(call->ctx, s->count, &s->queries, &s->journeys);
    mco_transit_result_clear(call->ctx, &s->result);
    mco_transit_destroy(call->ctx, &s->transit);
}

// ---- The city

static mco_status need(mco_context *ctx, const char *flag, const char *value)
{
    return value != NULL ? MCO_OK : mco_fail(ctx, MCO_ERR_ARGUMENT, "%s is needed (see mco help paths)", flag);
}

static mco_status read_date(mco_context *ctx, const char *text, int32_t *out)
{
    int year, month, day, used = 0;
    if (sscanf(text, "%4d-%2d-%2d%n", &year, &month, &day, &used) != 3 || text[used] != '\0' || year < 1 || month < 1 || month > 12 || day < 1 || day > 31)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--date is \"%.20s\", a day like 2019-05-15 was expected", text);
    *out = 10000 * year + 100 * month + day;
    return MCO_OK;
}

// latest_s: when a journey may begin at the latest.
static mco_status open_city(mco_context *ctx, session *s, int32_t latest_s)
{
    static const int32_t LATE_S = 22 * 3600;
    mco_status st = MCO_OK;
    mco_transit_model model = MCO_TRANSIT_MODEL_INIT;
    MCO_TRY(need(ctx, "--gtfs", s->city.gtfs));
    MCO_TRY(need(ctx, "--date", s->city.date));
    MCO_TRY(read_date(ctx, s->city.date, &model.date));
    model.map = s->city.osm;
    model.feeds = s->city.gtfs;
    model.walk_speed = s->city.walk_speed;
    model.max_transfer_m = (int32_t)s->city.max_transfer;
    if (s->city.days == 0)
        s->city.days = latest_s >= LATE_S ? 2 : 1;
    model.days = (int32_t)s->city.days;
    MCO_TRY(mco_transit_open(ctx, &model, &s->transit));
done:
    return st;
}

static mco_status read_place(mco_context *ctx, const char *flag, const char *text, mco_transit_place *out)
{
    mco_status st = MCO_OK;
    char latitude[32] = "";
    MCO_TRY(need(ctx, flag, text));
    const size_t size = strcspn(text, ",");
    if (size < sizeof latitude)
        memcpy(latitude, text, size);
    if (text[size] != ',' || !mco_parse_real(latitude, -90, 90, &out->latitude) || !mco_parse_real(text + size + 1, -180, 180, &out->longitude))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s is \"%.40s\", latitude and longitude in degrees like -30.03,-51.23 were expected", flag, text);
done:
    return st;
}

static mco_status read_depart(mco_context *ctx, const char *text, int32_t *out)
{
    mco_status st = MCO_OK;
    MCO_TRY(need(ctx, "--depart", text));
    if (!mco_transit_parse_time(text, out))
        st = mco_fail(ctx, MCO_ERR_ARGUMENT, "--depart is \"%.20s\", a time like 08:30 was expected", text);
done:
    return st;
}

static void print_city(mco_context *ctx, const session *s)
{
    mco_transit_facts f = MCO_TRANSIT_FACTS_INIT;
    (void)mco_transit_tell(ctx, s->transit, &f);
    printf("city       %s, %d stop%s, %d line%s, %d trip%s on %04d-%02d-%02d%s", mco_transit_name(s->transit), f.stops, mco_plural(f.stops), f.lines,
           mco_plural(f.lines), f.trips, mco_plural(f.trips), f.date / 10000, f.date / 100 % 100, f.date % 100, s->city.days > 1 ? " and later" : "");
    if (f.vertices > 0)
        printf("; %d vertices, %" PRId64 " streets", f.vertices, f.streets);
    printf("\n");
}

const char *const *transit_inputs(const void *state, int64_t *count)
{
    session *s = (session *)state;
    *count = (int64_t)(sizeof s->inputs / sizeof s->inputs[0]);
    s->inputs[0] = s->city.osm;
    s->inputs[1] = s->city.gtfs;
    s->inputs[2] = s->asked.queries;
    return s->inputs;
}

void transit_itinerary_outputs(const void *state, const char *out[CLI_MORE_OUTPUTS])
{
    out[0] = ((const session *)state)->asked.geojson;
}

// ---- itinerary

void transit_itinerary_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){mco_transit_options(), &((session *)state)->params};
    out[1] = (mco_option_values){&city_options, state};
    out[2] = (mco_option_values){&itinerary_options, state};
}

mco_status transit_itinerary_open(cli_call *call)
{
    mco_status st = MCO_OK;
    session *s = call->state;
    MCO_TRY(read_place(call->ctx, "--from", s->asked.from, &s->query.from));
    MCO_TRY(read_place(call->ctx, "--to", s->asked.to, &s->query.to));
    MCO_TRY(read_depart(call->ctx, s->asked.depart, &s->query.depart_s));
    MCO_TRY(open_city(call->ctx, s, s->query.depart_s + 60 * (int32_t)s->params.window));
done:
    return st;
}

mco_status transit_itinerary_solve(cli_call *call)
{
    session *s = call->state;
    return mco_transit_find(call->ctx, s->transit, &s->query, &s->params, &s->result);
}

bool transit_itinerary_has(const void *state)
{
    return ((const session *)state)->result.journey_count > 0;
}

mco_status transit_itinerary_json(cli_call *call, const mco_option_values *more, const char *path)
{
    const session *s = call->state;
    return mco_transit_write_result(call->ctx, s->transit, &s->query, &s->params, &s->result, more, path);
}

mco_status transit_itinerary_plot(cli_call *call, const char *path)
{
    const session *s = call->state;
    return mco_transit_plot(call->ctx, s->transit, &s->query, &s->result, path);
}

mco_status transit_itinerary_more(cli_call *call)
{
    const session *s = call->state;
    if (s->asked.geojson == NULL)
        return MCO_OK;
    return mco_transit_write_geojson(call->ctx, s->transit, &s->query, &s->result, s->asked.geojson);
}

static void print_journey(const session *s, const mco_transit_journey *j)
{
    char depart[16], arrive[16], text[512];
    printf("journey    %s to %s, %d minutes, %d ride%s, %.0f m on foot\n", mco_transit_time_text(j->depart_s, depart),
           mco_transit_time_text(j->arrive_s, arrive), (j->arrive_s - j->depart_s + 59) / 60, j->rides, mco_plural(j->rides), j->metres);
    for (int32_t k = 0; k < j->leg_count; k++)
        printf("  %s\n", mco_transit_leg_text(s->transit, &j->legs[k], text, sizeof text));
    printf("  %s arrival\n", arrive);
}

mco_status transit_itinerary_print(cli_call *call)
{
    const session *s = call->state;
    const mco_transit_result *r = &s->result;
    print_city(call->ctx, s);
    cli_print_outcome(r->outcome, r->stop, r->reason);
    for (int64_t i = 0; i < r->journey_count; i++)
        print_journey(s, &r->journeys[i]);
    printf("effort     %d stop%s near the place, %d near the target\n", r->from_stops, mco_plural(r->from_stops), r->to_stops);
    printf("time       %.6f s, ", r->work.solve_s);
    cli_print_engine(call->ctx, &r->work);
    printf("\n");
    return MCO_OK;
}

// ---- itineraries

void transit_batch_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){mco_transit_options(), &((session *)state)->params};
    out[1] = (mco_option_values){&city_options, state};
    out[2] = (mco_option_values){&queries_options, state};
}

static int32_t latest_query(const session *s)
{
    int32_t latest_s = 0;
    for (int64_t i = 0; i < s->count; i++)
        latest_s = s->queries[i].depart_s > latest_s ? s->queries[i].depart_s : latest_s;
    return latest_s;
}

mco_status transit_batch_open(cli_call *call)
{
    mco_status st = MCO_OK;
    session *s = call->state;
    MCO_TRY(need(call->ctx, "--queries", s->asked.queries));
    if (s->params.window > 0 || s->params.all)
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "%s is of one itinerary, many queries have one journey each", s->params.all ? "--all" : "--window");
    MCO_TRY(mco_transit_read_queries(call->ctx, s->asked.queries, &s->queries, &s->count));
    MCO_TRY(open_city(call->ctx, s, latest_query(s)));
done:
    return st;
}

mco_status transit_batch_solve(cli_call *call)
{
    session *s = call->state;
    return mco_transit_find_many(call->ctx, s->transit, s->count, s->queries, &s->params, &s->batch);
}

bool transit_batch_has(const void *state)
{
    return ((const session *)state)->batch.outcome == MCO_OUTCOME_OPTIMAL;
}

mco_status transit_batch_json(cli_call *call, const mco_option_values *more, const char *path)
{
    const session *s = call->state;
    return mco_transit_write_batch(call->ctx, s->transit, s->queries, &s->params, &s->batch, more, path);
}

mco_status transit_batch_print(cli_call *call)
{
    const session *s = call->state;
    const mco_transit_batch *b = &s->batch;
    print_city(call->ctx, s);
    cli_print_outcome(b->outcome, b->stop, "");
    printf("queries    %" PRId64 " of %" PRId64 ", %" PRId64 " with a journey, %" PRId64 " with a place off the map\n", b->done, b->count, b->found, b->off_map);
    printf("journeys   %" PRId64 " on foot alone, %" PRId64 " ride%s in all\n", b->walks, b->rides, mco_plural(b->rides));
    printf("rate       %.0f queries a second\n", b->work.solve_s > 0 ? (double)b->done / b->work.solve_s : 0);
    printf("time       %.6f s, ", b->work.solve_s);
    cli_print_engine(call->ctx, &b->work);
    printf("\n");
    return MCO_OK;
}

// ---- isochrone

void transit_reach_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){mco_transit_options(), &((session *)state)->params};
    out[1] = (mco_option_values){&city_options, state};
    out[2] = (mco_option_values){&reach_options, state};
}

static mco_status read_minutes(mco_context *ctx, session *s)
{
    const char *at = s->asked.minutes != NULL ? s->asked.minutes : "15,30,45";
    for (bool goes_on = true; goes_on; s->bands++) {
        char text[16] = "";
        int64_t value = 0;
        const size_t size = strcspn(at, ",");
        if (size < sizeof text)
            memcpy(text, at, size);
        if (s->bands == MCO_TRANSIT_MAX_BANDS || !mco_parse_integer(text, 1, 1440, &value))
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "--minutes is \"%.60s\", up to %d numbers of 1 to 1440 like 15,30,45 were expected", s->asked.minutes, MCO_TRANSIT_MAX_BANDS);
        s->minutes[s->bands] = (int32_t)value;
        goes_on = at[size] == ',';
        at += size + 1;
    }
    return MCO_OK;
}

mco_status transit_reach_open(cli_call *call)
{
    mco_status st = MCO_OK;
    session *s = call->state;
    MCO_TRY(read_place(call->ctx, "--from", s->asked.from, &s->query.from));
    MCO_TRY(read_depart(call->ctx, s->asked.depart, &s->query.depart_s));
    MCO_TRY(read_minutes(call->ctx, s));
    MCO_TRY(open_city(call->ctx, s, s->query.depart_s + 60 * s->minutes[s->bands - 1]));
done:
    return st;
}

mco_status transit_reach_solve(cli_call *call)
{
    session *s = call->state;
    return mco_transit_find_reach(call->ctx, s->transit, s->query.from, s->query.depart_s, s->bands, s->minutes, &s->params, &s->reach);
}

bool transit_reach_has(const void *state)
{
    return ((const session *)state)->reach.outcome == MCO_OUTCOME_OPTIMAL;
}

mco_status transit_reach_json(cli_call *call, const mco_option_values *more, const char *path)
{
    const session *s = call->state;
    return mco_transit_write_reach(call->ctx, s->transit, &s->params, &s->reach, more, path);
}

mco_status transit_reach_plot(cli_call *call, const char *path)
{
    const session *s = call->state;
    return mco_transit_plot_reach(call->ctx, s->transit, &s->reach, path);
}

mco_status transit_reach_more(cli_call *call)
{
    const session *s = call->state;
    if (s->asked.geojson == NULL)
        return MCO_OK;
    return mco_transit_write_reach_geojson(call->ctx, s->transit, &s->reach, s->asked.geojson);
}

mco_status transit_reach_print(cli_call *call)
{
    const session *s = call->state;
    const mco_transit_reach *r = &s->reach;
    print_city(call->ctx, s);
    cli_print_outcome(r->outcome, r->stop, "");
    for (int32_t k = 0; k < r->bands; k++)
        printf("%4d min   %" PRId64 " stops, %.1f km of streets, %.1f km2\n", r->minutes[k], r->stops[k], r->street_km[k], r->area_km2[k]);
    printf("time       %.6f s, ", r->work.solve_s);
    cli_print_engine(call->ctx, &r->work);
    printf("\n");
    return MCO_OK;
}

// ---- check-journeys

void transit_check_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){&rules_options, state};
    out[1] = (mco_option_values){&city_options, state};
}

// A second day of service adds trips, and takes none.
mco_status transit_check_open(cli_call *call)
{
    return open_city(call->ctx, call->state, MCO_TRANSIT_MAX_TIME_S);
}

mco_status transit_check_read(cli_call *call, const char *path)
{
    session *s = call->state;
    return mco_transit_read_journeys(call->ctx, s->transit, path, &s->count, &s->queries, &s->journeys);
}

mco_status transit_check_journeys(cli_call *call)
{
    mco_status st = MCO_OK;
    const session *s = call->state;
    MCO_TRY(mco_transit_check_many(call->ctx, s->transit, s->count, s->queries, &s->params, s->journeys));
    printf("valid      %" PRId64 " journey%s\n", s->count, mco_plural(s->count));
done:
    return st;
}

// ---- timetable

void transit_timetable_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){&timetable_options, state};
}

mco_status transit_timetable_run(cli_call *call)
{
    mco_status st = MCO_OK;
    const session *s = call->state;
    int rows = 0, columns = 0, used = 0;
    MCO_TRY(need(call->ctx, "--grid", s->made.grid));
    MCO_TRY(need(call->ctx, "--output", s->made.output));
    if (sscanf(s->made.grid, "%7dx%7d%n", &rows, &columns, &used) != 2 || s->made.grid[used] != '\0')
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--grid is \"%.40s\", two numbers like 7x10 were expected", s->made.grid);
    const mco_transit_shape shape = {.rows = rows, .columns = columns, .spacing_m = (int32_t)s->made.spacing, .headway_s = (int32_t)s->made.headway};
    MCO_TRY(mco_transit_generate(call->ctx, &shape, s->made.output));
done:
    return st;
}
