// SPDX-License-Identifier: MIT
// One GTFS feed as it stands in its files: stops, routes, trips and their times, services by day, transfers, frequencies. Shapes,
// fares, pathways, flexible zones and translations are not read.
#ifndef MCO_PATHS_TRANSIT_GTFS_H
#define MCO_PATHS_TRANSIT_GTFS_H

#include "paths/transit/pool.h"

typedef struct gtfs_stop {
    char *id, *name;
    double latitude, longitude;  // NaN where a station or a node has none
    int32_t type;                // location_type: 0 stop, 1 station, 2 entrance, 3 node, 4 boarding area
    int32_t station;             // parent, a stop of the feed; -1: none
} gtfs_stop;

typedef struct gtfs_route {
    char *id, *short_name, *long_name;
    int32_t type;
} gtfs_route;

typedef struct gtfs_trip {
    char *id, *headsign;
    int32_t route;
    int32_t service;      // -1: of no calendar; it never runs
    int32_t length;       // calls
    int64_t first;        // its calls are call[first] .. call[first + length - 1]
    int32_t frequencies;  // rows of frequencies; a trip with some is only a pattern for them
} gtfs_trip;

// A call of a trip at a stop. Times that the file leaves out are filled in.
typedef struct gtfs_call {
    int32_t trip, sequence;
    int32_t stop;
    int32_t arrival, departure;  // seconds
    int32_t line;                // of the file, for messages
    double distance;             // shape_dist_traveled, NaN: none
    uint8_t use;                 // bit 0: boarding allowed, bit 1: leaving allowed
} gtfs_call;

typedef struct gtfs_service {
    char *id;
    uint8_t days;        // bit 0: Monday
    int32_t first, last; // dates; 0: in calendar_dates alone
} gtfs_service;

typedef struct gtfs_exception {
    int32_t service, date;
    bool runs;
} gtfs_exception;

typedef struct gtfs_transfer {
    int32_t from, to;  // stops or stations
    int32_t type;      // 0 good, 1 timed, 2 takes `seconds`, 3 impossible
    int32_t seconds;   // -1: not stated
} gtfs_transfer;

typedef struct gtfs_frequency {
    int32_t trip, begin, end, headway;  // seconds
    bool is_exact;
} gtfs_frequency;

// Owned by its holder; zero before use.
typedef struct gtfs_feed {
    char *name;      // the file without folders and without .zip
    char *time_zone; // of the first agency, "" if there is none
    int32_t first_date, last_date;  // of all services; 0: none
    int32_t stops, routes, trips, services;
    int64_t calls, exceptions, transfers, frequencies;
    gtfs_stop *stop;            // [stops]
    gtfs_route *route;          // [routes]
    gtfs_trip *trip;            // [trips]
    gtfs_call *call;            // [calls] by trip and sequence
    gtfs_service *service;      // [services]
    gtfs_exception *exception;  // [exceptions]
    gtfs_transfer *transfer;    // [transfers]
    gtfs_frequency *frequency;  // [frequencies] by trip
    transit_pool text;          // of all strings above
} gtfs_feed;

// Reads a feed, a folder or a zip archive. What it leaves out and what it mends is in the log. Errors: IO, PARSE with
// path:line:column and the value, LIMIT, MEMORY, STOPPED. O(bytes + calls log calls of a trip).
mco_status gtfs_read(mco_context *ctx, const char *path, gtfs_feed *out);
void gtfs_clear(mco_context *ctx, gtfs_feed *feed);

// Whether each service runs on a day, runs [services].
void gtfs_find_services(const gtfs_feed *feed, int32_t date, bool *runs);

#endif
