// SPDX-License-Identifier: MIT
// Journeys through a timetable by rounds (RAPTOR: Delling, Pajor, Werneck 2012). Round k finds the earliest arrivals with k rides.
// Times are seconds since second 0 of the timetable's day.
//
// The model. A journey walks from its place to a stop, rides, and walks from a stop to its target. Between two rides it stays at
// the stop for at least that stop's change time, or takes one walk of the timetable. A change time is not added to a walk.
#ifndef MCO_PATHS_TRANSIT_RAPTOR_H
#define MCO_PATHS_TRANSIT_RAPTOR_H

#include "paths/transit/timetable.h"
#include "paths/transit/watch.h"

enum { TRANSIT_MAX_RIDES = 16, TRANSIT_MAX_PLACES = 65535 };  // rides of a journey, stops of a route

// The times of a timetable, place by place: the trips of a route lie side by side. Plain arrays of int32_t, so that a device
// can hold them as they are.
typedef struct transit_index {
    const transit_timetable *table;  // borrowed
    int32_t *first;      // [routes + 1] places of a route in table->route_stop
    int32_t *time_first; // [routes] trip t of route r leaves place k at depart[time_first[r] + k * trips of r + t]
    int32_t *arrive;     // [times]
    int32_t *depart;     // [times]
    int32_t *serve_first;// [stops + 1]
    int64_t times;
} transit_index;

// Makes the index; the table outlives it. Errors: LIMIT (a route with more than TRANSIT_MAX_PLACES stops, more than 2^31 - 1
// times), MEMORY. O(times).
mco_status transit_index_make(mco_context *ctx, const transit_timetable *table, transit_index *out);
void transit_index_clear(mco_context *ctx, transit_index *index);

// A walk between a place and a stop.
typedef struct transit_end {
    int32_t stop, seconds;
    int32_t cm;   // 0 where nobody asks
} transit_end;

typedef struct transit_query {
    int32_t depart_s;
    int32_t until_s;           // last departure of a profile
    int32_t direct_s, direct_cm;  // the walk from the place to the target; TRANSIT_NEVER: none
    int32_t max_rides;         // 0 to that of the search
    const transit_end *start;  // [starts] stops that can be reached by a walk
    const transit_end *target; // [targets] stops from which a walk leads to the target; none: all stops are wanted
    int32_t starts, targets;
} transit_query;

// A ride: a trip of the timetable from one place of its route to a later one.
typedef struct transit_ride {
    int32_t trip, board, leave;
} transit_ride;

// A journey as the search finds it. Walks are what is between the rides.
typedef struct transit_found {
    int32_t depart_s, arrive_s;  // depart_s: when the search set out, at the earliest
    int32_t rides;               // 0: the direct walk
    transit_ride ride[TRANSIT_MAX_RIDES];
} transit_found;

typedef struct transit_found_list {  // zero before use
    transit_found *journey;          // [count] owned
    int64_t count, room;
} transit_found_list;

// Scratch of one thread.
typedef struct transit_search transit_search;
// `watch` may be NULL, and outlives the search; once it says stop, a search ends and finds nothing. Errors: MEMORY.
mco_status transit_search_open(mco_context *ctx, const transit_index *index, int32_t max_rides, transit_watch *watch,
                               transit_search **out);
void transit_search_close(mco_context *ctx, transit_search **search);

// Searches from one departure. False: it was stopped. O(rounds * (places + trips of boardings)).
bool transit_search_run(transit_search *search, const transit_query *query);
// Writes all Pareto-optimal journeys of the last run by (arrival, rides) to out [max_rides + 1], by ascending rides. The last
// one arrives first of all. Returns how many they are.
int32_t transit_search_journeys(const transit_search *search, transit_found *out);
// Writes the earliest arrival by a ride at each stop, out [stops]; TRANSIT_NEVER: none.
void transit_search_arrivals(const transit_search *search, int32_t *out);

// Searches all departures from depart_s to until_s, the latest first. *out receives the journeys that leave their place then and are
// Pareto-optimal by (departure, arrival, rides) among all, those that leave later included. If there is none and no direct walk, it
// receives the best ones behind until_s. A journey that is no faster than the direct walk is left out. Labels of later
// departures stay (range search). Errors: MEMORY; STOPPED if it was stopped.
mco_status transit_search_profile(mco_context *ctx, transit_search *search, const transit_query *query, transit_found_list *out);

// ---- ref.c: the oracle. Dijkstra's algorithm over (stop, rides), of which a step takes any trip whatever. best [max_rides + 1]
// receives the earliest arrivals at the target with at most so many rides, arrive [stops] those by a ride. Either may be NULL.
mco_status transit_ref_search(mco_context *ctx, const transit_timetable *table, const transit_query *query, int32_t *best,
                              int32_t *arrive);

#endif
