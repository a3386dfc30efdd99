// SPDX-License-Identifier: MIT
// What the parts that make a timetable share.
#ifndef MCO_PATHS_TRANSIT_BUILD_H
#define MCO_PATHS_TRANSIT_BUILD_H

#include "paths/transit/timetable.h"

// Fills in walks and changes of a timetable that has its stops: transfers of the feeds, walks within a station, walks up to
// rules->walk_m. first_stop [feeds] is the number of each feed's first stop. Errors: MEMORY, STOPPED. O(stops + walks log walks).
mco_status transit_walks_make(mco_context *ctx, const gtfs_feed *feed, int32_t feeds, const int32_t *first_stop,
                              const transit_rules *rules, transit_timetable *t);

// Metres of the great circle between two places in degrees (haversine, mean radius of the earth 6371008.8 m).
double transit_metres(double latitude_a, double longitude_a, double latitude_b, double longitude_b);

#endif
