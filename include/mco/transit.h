// SPDX-License-Identifier: MIT
// Journeys on foot and by public transport: a street map, the timetables of a day, and the journeys that arrive first.
//
//     mco_transit *city = NULL;
//     mco_transit_model model = MCO_TRANSIT_MODEL_INIT;
//     mco_transit_query query = {{-30.03, -51.23}, {-30.06, -51.17}, 8 * 3600};
//     mco_transit_params params = MCO_TRANSIT_PARAMS_INIT;
//     mco_transit_result result = MCO_TRANSIT_RESULT_INIT;
//     model.map = "city.osm.pbf", model.feeds = "buses.zip,metro.zip", model.date = 20190515;
//     if (mco_transit_open(ctx, &model, &city) == MCO_OK &&
//         mco_transit_find(ctx, city, &query, &params, &result) == MCO_OK && result.journey_count > 0)
//         printf("%d\n", result.journeys[0].arrive_s);
//     mco_transit_result_clear(ctx, &result);
//     mco_transit_destroy(ctx, &city);
//
// A journey walks from its place to a stop, rides, and walks from a stop to its target; between two rides it keeps the change time
// of the stop, or takes one walk to another stop. All times are seconds since midnight of the day (noon less 12 hours where
// clocks change).
//
// Source: Delling, Pajor, Werneck (2012, RAPTOR).
#ifndef MCO_TRANSIT_H
#define MCO_TRANSIT_H

#include "mco/engine.h"
#include "mco/transit_options.def"

MCO_BEGIN_C

#define MCO_TRANSIT_NEVER (INT32_C(1) << 29)
#define MCO_TRANSIT_MAX_BANDS 8
#define MCO_TRANSIT_MAX_TIME_S (48 * 3600)  // of a departure

// ---- A city on a day

// Immutable after opening; threads may share it.
typedef struct mco_transit mco_transit;

typedef struct mco_transit_model {
    size_t struct_size;
    const char *map;           // .osm.pbf; NULL: walks are straight lines times 1.3
    const char *feeds;         // GTFS: zip archives or folders, with commas between them
    int32_t date;              // yyyymmdd
    double walk_speed;         // metres a second; 0: 1.2
    int32_t max_transfer_m;    // most metres of a walk between two stops; 0: 500
    int32_t days;              // of service from the date on, 1 to 7; 0: 1. Journeys late in the evening may need the next day's trips
} mco_transit_model;
#define MCO_TRANSIT_MODEL_INIT MCO_SIZED(mco_transit_model)

// Reads a map and feeds and makes the timetable of the day. The model is copied as far as it is needed. Errors: ARGUMENT (no
// such date, a date without service, with the days that have some), IO, PARSE with the place, LIMIT, MEMORY, STOPPED.
MCO_API mco_status mco_transit_open(mco_context *ctx, const mco_transit_model *model, mco_transit **out);
MCO_API void mco_transit_destroy(mco_context *ctx, mco_transit **transit);

typedef struct mco_transit_facts {
    size_t struct_size;
    int32_t date;
    int32_t vertices;  // of the walking network
    int64_t streets;   // pieces of streets between two vertices
    int32_t stops, lines, routes, trips;
    int64_t times, walks;  // arrivals of the day; walks between two stops
    double south, west, north, east;  // bounds of the map, degrees
    double open_s;
} mco_transit_facts;
#define MCO_TRANSIT_FACTS_INIT MCO_SIZED(mco_transit_facts)
MCO_API mco_status mco_transit_tell(mco_context *ctx, const mco_transit *transit, mco_transit_facts *facts);
MCO_API const char *mco_transit_name(const mco_transit *transit);

// ---- Journeys

typedef struct mco_transit_place {
    double latitude, longitude;  // degrees
} mco_transit_place;

typedef struct mco_transit_query {
    mco_transit_place from, to;
    int32_t depart_s;
} mco_transit_query;

typedef enum mco_transit_modes { MCO_TRANSIT_MODES_ALL, MCO_TRANSIT_MODES_WALK } mco_transit_modes;

// transit_options.def lists the fields, their defaults and their meanings.
typedef struct mco_transit_params {
    size_t struct_size;
    MCO_FIELDS(MCO_TRANSIT_OPTIONS)
} mco_transit_params;
#define MCO_TRANSIT_PARAMS_INIT { sizeof(mco_transit_params), MCO_DEFAULTS(MCO_TRANSIT_OPTIONS) }
MCO_API const mco_option_table *mco_transit_options(void);

typedef enum mco_transit_move { MCO_TRANSIT_WALK, MCO_TRANSIT_RIDE } mco_transit_move;

typedef struct mco_transit_leg {
    mco_transit_move move;
    int32_t from, to;            // stops; -1: the place the journey begins or ends at
    int32_t depart_s, arrive_s;
    double metres;               // of a walk
    int32_t trip, board, leave;  // of a ride: the trip, and the places of both stops in its row of stops
} mco_transit_leg;

typedef struct mco_transit_journey {
    int32_t depart_s, arrive_s, rides;
    double metres;               // on foot
    mco_transit_leg *legs;       // [leg_count] owned
    int32_t leg_count;
} mco_transit_journey;

typedef struct mco_transit_result {
    size_t struct_size;
    mco_outcome outcome;            // OPTIMAL; INFEASIBLE: there is no journey; UNKNOWN: a limit or a request ended it
    mco_stop stop;
    mco_transit_journey *journeys;  // [journey_count] owned; by departure, then by arrival
    int64_t journey_count;
    int32_t from_stops, to_stops;   // stops near enough to the place and to the target
    mco_work work;
    char reason[MCO_REASON_ROOM];   // why there is no journey
} mco_transit_result;
#define MCO_TRANSIT_RESULT_INIT MCO_SIZED(mco_transit_result)

// Finds the journey that arrives first, and of those one with the fewest rides; or all that --all and --window ask for. It sets
// out as late as its first ride allows. Every journey has been checked as mco_transit_check() does. Errors: ARGUMENT (a place
// off the map, with the map's bounds), MEMORY, INTERNAL.
MCO_API mco_status mco_transit_find(mco_context *ctx, const mco_transit *transit, const mco_transit_query *query,
                                    const mco_transit_params *params, mco_transit_result *result);
MCO_API void mco_transit_result_clear(mco_context *ctx, mco_transit_result *result);

// Verifies a journey leg by leg: every trip runs that day, calls at both stops in this order at these times, may be boarded and left
// there; changes keep their time; walks are as long as the map says; legs join. Errors: CHECK with the leg at fault, MEMORY.
MCO_API mco_status mco_transit_check(mco_context *ctx, const mco_transit *transit, const mco_transit_query *query,
                                     const mco_transit_params *params, const mco_transit_journey *journey);

// The same of journeys [count], each of its query. A fault names the journey, counted from 1. Errors: CHECK, MEMORY.
MCO_API mco_status mco_transit_check_many(mco_context *ctx, const mco_transit *transit, int64_t count, const mco_transit_query *queries,
                                          const mco_transit_params *params, const mco_transit_journey *journeys);
// Reads the journeys of a result file of the same city, of one query or of many; queries without a journey are left out. The query of
// a journey has the places of its legs and the departure that the file states, or else the journey's own. *queries and *journeys [*count]
// are released by mco_transit_journeys_clear(). Errors: CHECK (a trip that does not run so, with journey and leg), IO, PARSE with the
// place, LIMIT, MEMORY. O(bytes + rides * log trips) where ids are unique.
MCO_API mco_status mco_transit_read_journeys(mco_context *ctx, const mco_transit *transit, const char *path, int64_t *count,
                                             mco_transit_query **queries, mco_transit_journey **journeys);
MCO_API void mco_transit_journeys_clear(mco_context *ctx, int64_t count, mco_transit_query **queries, mco_transit_journey **journeys);

// The answers of many queries, each the journey that arrives first.
typedef struct mco_transit_batch {
    size_t struct_size;
    mco_outcome outcome;            // OPTIMAL; UNKNOWN: a limit or a request ended it
    mco_stop stop;
    int64_t count, done, found;     // queries, those answered, those with a journey
    mco_transit_journey *journeys;  // [count] owned; without a journey: leg_count 0, arrive_s MCO_TRANSIT_NEVER
    int64_t off_map;                // queries with a place off the map
    int64_t walks, rides;           // direct walks among the journeys; rides in all of them
    mco_work work;                  // solve_s: the search with its checks
} mco_transit_batch;
#define MCO_TRANSIT_BATCH_INIT MCO_SIZED(mco_transit_batch)

// Answers queries [count] on all cores, or by a GPU. Answers depend neither on the number of threads nor on the engine. Errors: ARGUMENT,
// MEMORY, INTERNAL; with a GPU also DEVICE and LIMIT (stops and routes).
MCO_API mco_status mco_transit_find_many(mco_context *ctx, const mco_transit *transit, int64_t count,
                                         const mco_transit_query *queries, const mco_transit_params *params,
                                         mco_transit_batch *batch);
MCO_API void mco_transit_batch_clear(mco_context *ctx, mco_transit_batch *batch);

// Reads a CSV file of queries with the columns from_lat, from_lon, to_lat, to_lon, depart (HH:MM or HH:MM:SS). *queries [*count] is
// released by mco_transit_queries_clear(). Errors: IO, PARSE with the place, LIMIT, MEMORY.
MCO_API mco_status mco_transit_read_queries(mco_context *ctx, const char *path, mco_transit_query **queries, int64_t *count);
MCO_API void mco_transit_queries_clear(mco_context *ctx, mco_transit_query **queries);

// ---- Reach

// The reach of a place: the earliest arrival at each vertex of the walking network, on foot and by the timetable.
typedef struct mco_transit_reach {
    size_t struct_size;
    mco_outcome outcome;  // OPTIMAL; UNKNOWN: a limit or a request ended it
    mco_stop stop;
    mco_transit_place from;
    int32_t depart_s;
    int32_t bands;
    int32_t minutes[MCO_TRANSIT_MAX_BANDS];     // ascending
    int64_t stops[MCO_TRANSIT_MAX_BANDS];       // reached within so many minutes
    double street_km[MCO_TRANSIT_MAX_BANDS];    // of streets reached; a piece counts when both ends are
    double area_km2[MCO_TRANSIT_MAX_BANDS];     // of squares of 100 m with a vertex that is reached
    int32_t vertices;
    int32_t *arrive;      // [vertices] MCO_TRANSIT_NEVER: not within the last band; owned
    mco_work work;
} mco_transit_reach;
#define MCO_TRANSIT_REACH_INIT MCO_SIZED(mco_transit_reach)

// Finds the reach within minutes [bands]. Walks are bounded by the time alone. Errors: ARGUMENT (a place off the map, bands that do
// not ascend), MEMORY.
MCO_API mco_status mco_transit_find_reach(mco_context *ctx, const mco_transit *transit, mco_transit_place from, int32_t depart_s,
                                          int32_t bands, const int32_t *minutes, const mco_transit_params *params,
                                          mco_transit_reach *reach);
MCO_API void mco_transit_reach_clear(mco_context *ctx, mco_transit_reach *reach);

// ---- Texts, files, pictures

// Writes a leg as a person reads it, such as "08:04 bus 175 towards Centre, 3 stops, to Market 08:11", to `out` [size] and returns it.
MCO_API const char *mco_transit_leg_text(const mco_transit *transit, const mco_transit_leg *leg, char *out, size_t size);
// Writes HH:MM of a time to `out` and returns it; hours go on beyond 24.
MCO_API const char *mco_transit_time_text(int32_t seconds, char out[16]);
// Reads HH:MM or HH:MM:SS, up to 47:59:59; false if the text is something else.
MCO_API bool mco_transit_parse_time(const char *text, int32_t *out);

// Write result files (docs/formats.md). `more`: further options to echo, or NULL. Errors: ARGUMENT, IO.
MCO_API mco_status mco_transit_write_result(mco_context *ctx, const mco_transit *transit, const mco_transit_query *query,
                                            const mco_transit_params *params, const mco_transit_result *result,
                                            const mco_option_values *more, const char *path);
MCO_API mco_status mco_transit_write_batch(mco_context *ctx, const mco_transit *transit, const mco_transit_query *queries,
                                           const mco_transit_params *params, const mco_transit_batch *batch,
                                           const mco_option_values *more, const char *path);
MCO_API mco_status mco_transit_write_reach(mco_context *ctx, const mco_transit *transit, const mco_transit_params *params,
                                           const mco_transit_reach *reach, const mco_option_values *more, const char *path);
// Write a GeoJSON FeatureCollection: a line for each leg of the first journey; a MultiLineString for each band.
MCO_API mco_status mco_transit_write_geojson(mco_context *ctx, const mco_transit *transit, const mco_transit_query *query,
                                             const mco_transit_result *result, const char *path);
MCO_API mco_status mco_transit_write_reach_geojson(mco_context *ctx, const mco_transit *transit, const mco_transit_reach *reach,
                                                   const char *path);
// Draw the first journey over the streets around it, or the streets by their band (SVG). Errors: ARGUMENT (no journey), IO.
MCO_API mco_status mco_transit_plot(mco_context *ctx, const mco_transit *transit, const mco_transit_query *query,
                                    const mco_transit_result *result, const char *path);
MCO_API mco_status mco_transit_plot_reach(mco_context *ctx, const mco_transit *transit, const mco_transit_reach *reach,
                                          const char *path);

// ---- Timetables by rule

// A city of a grid: a stop at each crossing, a line along each row and each column, both ways.
typedef struct mco_transit_shape {
    int32_t rows, columns;   // 2 or more each, at most 10^6 stops
    int32_t spacing_m;       // between two stops; 0: 400
    int32_t headway_s;       // between two trips; 0: 600
    int32_t first_s, last_s; // departures of the day; last_s 0: 5:00 to 23:30
    int32_t date;            // the timetable runs from this day on, for a year; 0: 20190101
    double latitude, longitude;  // of the south-west corner
} mco_transit_shape;

// Writes the timetable as a folder of GTFS files. Equal shapes give equal files. Errors: ARGUMENT, LIMIT, IO.
MCO_API mco_status mco_transit_generate(mco_context *ctx, const mco_transit_shape *shape, const char *folder);

MCO_END_C
#endif
