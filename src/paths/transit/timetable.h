// SPDX-License-Identifier: MIT
// A timetable of one or several days, as journeys are searched in it: routes are sets of trips with the same stops in the same
// order of which none overtakes another; every trip of a route is a row of times. Owned by its holder; zero before use.
#ifndef MCO_PATHS_TRANSIT_TIMETABLE_H
#define MCO_PATHS_TRANSIT_TIMETABLE_H

#include "base/context.h"

typedef struct transit_stop {
    double latitude, longitude;
    char *id, *name;
    int32_t station;  // parent station, a stop; -1: none
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

typedef struct transit_timetable {
    int32_t date;        // yyyymmdd: second 0 is that day's midnight, or noon less 12 hours
    int32_t stops, routes, trips, lines, feeds;
    transit_stop *stop;        // [stops]
    transit_line *line;        // [lines]
    char **feed;               // [feeds] name of the file
    int64_t *walk_first;       // [stops + 1] walks between stops, transfers of the feed and by the map
    transit_walk *walk;
    int32_t *change;           // [stops] least seconds between two trips at a stop
    // ---- routes
    int64_t *stop_first;       // [routes + 1] places in route_stop
    int32_t *route_stop;       // stops of a route in order
    uint8_t *use;              // bit 0: boarding allowed there, bit 1: leaving allowed there; as route_stop
    int32_t *trip_first;       // [routes + 1] trips trip_first[r] .. trip_first[r + 1] - 1, by time
    transit_trip *trip;        // [trips] of the day asked for, and of the day before if they run past midnight
    int64_t *time_first;       // [routes] trip t of route r arrives at its k-th stop at time[time_first[r] + 2 * ((t - trip_first[r]) * length + k)]
    int32_t *time;             // arrival, departure: seconds since second 0; a trip of the day before has 86400 less
    // ---- routes of a stop
    int64_t *serve_first;      // [stops + 1]
    int32_t *serve_route;      // routes that serve the stop
    int32_t *serve_place;      // its place in the route
} transit_timetable;

#endif
