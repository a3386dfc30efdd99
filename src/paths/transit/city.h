// SPDX-License-Identifier: MIT
// The inside of a city, and what plans journeys in it.
#ifndef MCO_PATHS_TRANSIT_CITY_H
#define MCO_PATHS_TRANSIT_CITY_H

#include "mco/transit.h"
#include "paths/transit/streets.h"

struct mco_transit {
    transit_map map;
    transit_timetable table;
    transit_index index;
    transit_streets streets;
    char *name;
    mco_transit_facts facts;
};

// Names, never NULL: of a stop, of a vehicle by the type of GTFS, of a line, of where a trip goes.
const char *transit_stop_name(const mco_transit *city, int32_t stop);
const char *transit_vehicle(int32_t type);
const char *transit_line_name(const transit_line *line);
const char *transit_headsign(const mco_transit *city, int32_t trip);

// ---- check.c

// Scratch of one thread.
typedef struct transit_checker {
    const mco_transit *city;
    int32_t *cm;       // [vertices] INT32_MAX: not reached
    int32_t *queue;    // [vertices] a ring
    bool *is_queued;   // [vertices]
    int32_t *touched;  // [vertices]
    transit_watch *watch;
} transit_checker;

mco_status transit_checker_open(mco_context *ctx, const mco_transit *city, transit_watch *watch, transit_checker *out);
void transit_checker_close(mco_context *ctx, transit_checker *checker);
mco_status transit_checker_test(mco_context *ctx, transit_checker *checker, const mco_transit_query *query,
                                const mco_transit_params *params, const mco_transit_journey *journey);

// ---- planner.c

// Plans journeys on one thread.
typedef struct transit_planner {
    const mco_transit *city;
    transit_watch *watch;  // borrowed; NULL: nobody stops it
    transit_walker from, to;
    transit_search *search;
    transit_checker checker;
    transit_spot origin, target;
    transit_query query;  // of the last preparation
} transit_planner;

mco_status transit_planner_open(mco_context *ctx, const mco_transit *city, const mco_transit_params *params,
                                transit_watch *watch, transit_planner *out);
void transit_planner_close(mco_context *ctx, transit_planner *planner);
// Finds the spots of both places. Errors: ARGUMENT (a place off the map).
mco_status transit_planner_locate(mco_context *ctx, transit_planner *planner, const mco_transit_query *query);
// Finds the spots of both places, and the walks from them. Errors: ARGUMENT (a place off the map), STOPPED.
mco_status transit_planner_prepare(mco_context *ctx, transit_planner *planner, const mco_transit_query *query,
                                   const mco_transit_params *params);

// The lengths of a journey's walks from its place and to its target, or of the direct walk.
typedef struct transit_end_walks {
    int32_t first_cm, last_cm, direct_cm;
} transit_end_walks;
// Makes the journey of rides and walks; the caller releases its legs. Errors: MEMORY.
mco_status transit_journey_make(mco_context *ctx, const mco_transit *city, const transit_found *found, const transit_end_walks *walks,
                                mco_transit_journey *out);
// Makes the journey of what a search found; the caller releases its legs. Errors: MEMORY.
mco_status transit_planner_journey(mco_context *ctx, transit_planner *planner, const transit_found *found, mco_transit_journey *out);
// Finds the earliest arrival, checked. Without a journey leg_count is 0. Errors: MEMORY, INTERNAL, STOPPED.
mco_status transit_planner_earliest(mco_context *ctx, transit_planner *planner, const mco_transit_query *query,
                                    const mco_transit_params *params, mco_transit_journey *out);
// Checks a journey that is about to leave; a fault is INTERNAL. Errors: also STOPPED.
mco_status transit_planner_test(mco_context *ctx, transit_planner *planner, const mco_transit_query *query,
                                const mco_transit_params *params, const mco_transit_journey *journey);

// ---- The way of a leg on the map, for pictures and files: points [*count], which the caller frees. Errors: MEMORY.
mco_status transit_leg_way(mco_context *ctx, const mco_transit *city, const mco_transit_query *query, const mco_transit_leg *leg,
                           mco_transit_place **points, int64_t *count);

// The line of a street on the map, [*count] points.
const transit_point *transit_piece_line(const mco_transit *city, int32_t piece, int64_t *count);

// The band of a piece of street: that of its later end; `bands`: none.
int32_t transit_piece_band(const mco_transit *city, const mco_transit_reach *reach, int32_t piece);

#endif
