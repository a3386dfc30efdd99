// SPDX-License-Identifier: MIT
// A timetable of one or several days, as journeys are searched in it: routes are sets of trips with the same stops in the same
// order of which none overtakes another; every trip of a route is a row of times. Owned by its holder; zero before use.
#ifndef MCO_PATHS_TRANSIT_TIMETABLE_H
#define MCO_PATHS_TRANSIT_TIMETABLE_H

#include "paths/transit/gtfs.h"

typedef struct transit_stop {
    double latitude, longitude;
    char *id, *name;
    int32_t station;  // parent station, a stop; -1: none
    int32_t feed;
    bool is_station;  // no trip calls there
} transit_stop;

typedef struct transit_walk {
    int32_t stop;
    int32_t seconds;
    double metres;
} transit_walk;

typedef struct transit_trip {
    int32_t route;
    char *id;
    char *headsign;      // "" if there is none
    int32_t line;        // of `lines`
} transit_trip;

typedef struct transit_line {  // a route of the feed
    char *id, *short_name, *long_name;
    int32_t type;        // of GTFS: 0 tram, 1 metro, 2 rail, 3 bus, 4 ferry, ...
    int32_t feed;
} transit_line;

// Seconds of a change that is forbidden; far above all times, and far from the end of the type.
#define TRANSIT_NEVER (1 << 29)

typedef struct transit_timetable {
    int32_t date;        // yyyymmdd: second 0 is that day's midnight, or noon less 12 hours
    int32_t stops, routes, trips, lines, feeds;
    transit_stop *stop;        // [stops]
    transit_line *line;        // [lines]
    char **feed;               // [feeds] name of the file
    int64_t *walk_first;       // [stops + 1] walks between stops, transfers of the feed and by the map; not transitive
    transit_walk *walk;        // by stop; none from a stop to itself
    int32_t *change;           // [stops] least seconds between two trips at a stop; TRANSIT_NEVER: forbidden
    // ---- routes
    int64_t *stop_first;       // [routes + 1] places in route_stop
    int32_t *route_stop;       // stops of a route in order
    uint8_t *use;              // bit 0: boarding allowed there, bit 1: leaving allowed there; as route_stop
    int32_t *trip_first;       // [routes + 1] trips trip_first[r] .. trip_first[r + 1] - 1, by time
    transit_trip *trip;        // [trips] of the days asked for, and of days before if they run past midnight
    int64_t *time_first;       // [routes] trip t of route r arrives at its k-th stop at time[time_first[r] + 2 * ((t - trip_first[r]) * length + k)]
    int32_t *time;             // arrival, departure: seconds since second 0; a trip of the day before has 86400 less; below 0 there
    // ---- routes of a stop
    int64_t *serve_first;      // [stops + 1]
    int32_t *serve_route;      // routes that serve the stop
    int32_t *serve_place;      // its place in the route
    transit_pool text;         // of all strings above
} transit_timetable;

// How a timetable is made.
typedef struct transit_rules {
    int32_t date;         // yyyymmdd
    int32_t days;         // of service from that date on, 1 to 7: a journey that begins late may need the next day's first trips
    int32_t change_s;     // least seconds of a change at a stop where the feed states none
    double walk_m;        // most metres of a walk between stops; 0: only what the feeds state
    double walk_m_per_s;
    double detour;        // metres along streets for a metre of straight line, where no map says it
    struct transit_map *map;  // NULL: none
} transit_rules;
// 500 m at 1.2 m/s (4.3 km/h), straight lines times 1.3, no time for a change.
#define TRANSIT_RULES_INIT { 0, 1, 0, 500.0, 1.2, 1.3, NULL }

// Makes the timetable of a day. A day without service gives one without trips, and a warning with the dates of the feeds. Errors:
// ARGUMENT (no such day), LIMIT, MEMORY, STOPPED. O(calls of the day * log) where no trips overtake.
mco_status transit_make(mco_context *ctx, const gtfs_feed *feed, int32_t feeds, const transit_rules *rules, transit_timetable *out);
// The same from files: one feed, or several with commas between them. Errors: also those of gtfs_read().
mco_status transit_read(mco_context *ctx, const char *paths, const transit_rules *rules, transit_timetable *out);
void transit_clear(mco_context *ctx, transit_timetable *timetable);

// Finds a stop by "id", or by "feed:id" where feeds share it. Errors: ARGUMENT (none, or several). O(stops).
mco_status transit_find_stop(mco_context *ctx, const transit_timetable *timetable, const char *name, int32_t *stop);
// The times of a trip, {arrival, departure} at each stop of its route.
static inline const int32_t *transit_times(const transit_timetable *t, int32_t trip)
{
    const int32_t route = t->trip[trip].route;
    return t->time + t->time_first[route] + 2 * (trip - t->trip_first[route]) * (t->stop_first[route + 1] - t->stop_first[route]);
}

#endif
