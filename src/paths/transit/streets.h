// SPDX-License-Identifier: MIT
// The walking network as journeys read it: vertices, pieces of streets that may be walked both ways, and the stops on them.
// Lengths are centimetres, so that sums are exact. Without a map, walks are straight lines times a factor.
#ifndef MCO_PATHS_TRANSIT_STREETS_H
#define MCO_PATHS_TRANSIT_STREETS_H

#include "paths/transit/map.h"
#include "paths/transit/raptor.h"

enum { TRANSIT_MAX_WALK_CM = 500000000 };  // 5000 km

// A place on the network: a piece of street, and how far its two ends are on foot, the way from the place to the street included.
typedef struct transit_spot {
    int32_t piece;   // -1: there is no map
    int32_t end[2];  // vertices
    int32_t cm[2];   // to them
    int32_t along;   // cm from end[0] to the foot of the place
    int32_t off;     // cm from the place to its foot
    double latitude, longitude;
} transit_spot;

typedef struct transit_street_arc {
    int32_t head, cm;
} transit_street_arc;

typedef struct transit_at {  // a stop near a vertex
    int32_t stop, cm;
} transit_at;

// Owned by its holder; zero before use.
typedef struct transit_streets {
    const transit_map *map;              // borrowed; NULL: none, there are no vertices
    int32_t vertices, pieces, stops;
    double *latitude, *longitude;        // [vertices]
    int32_t *piece_from, *piece_to, *piece_cm;  // [pieces]
    int32_t *first;                      // [vertices + 1]
    transit_street_arc *arc;             // [2 * pieces]
    int32_t *arc_piece;                  // [2 * pieces]
    transit_spot *stop;                  // [stops]
    int32_t *at_first;                   // [vertices + 1]
    transit_at *at;                      // [2 * stops] stops by the vertices of their pieces
    double south, west, north, east;     // bounds
    double walk_speed;                   // metres a second
} transit_streets;

// Makes the network of streets->map, and puts the stops on it. Errors: LIMIT, MEMORY. O(streets + stops).
mco_status transit_streets_finish(mco_context *ctx, transit_streets *streets, const transit_timetable *table);
void transit_streets_clear(mco_context *ctx, transit_streets *streets);

// The nearest spot on the network. False: the place is farther off than TRANSIT_OFF_MAP_M from every street.
enum { TRANSIT_OFF_MAP_M = 500 };
bool transit_streets_near(const transit_streets *streets, double latitude, double longitude, transit_spot *out);

// Seconds of a walk, rounded up.
int32_t transit_walk_seconds(const transit_streets *streets, int32_t cm);
// Centimetres of a walk without a map.
int32_t transit_straight_cm(double latitude, double longitude, double to_latitude, double to_longitude);
double transit_beeline_m(double latitude, double longitude, double to_latitude, double to_longitude);
// Centimetres between two spots on one piece of street; -1 if they are on two.
int32_t transit_piece_cm(const transit_spot *a, const transit_spot *b);

// ---- Walks from a spot: Dijkstra's algorithm within a limit. Scratch of one thread.
typedef struct transit_walker {
    const transit_streets *streets;
    transit_watch *watch;  // borrowed; NULL: nobody stops it. A walk that is stopped is shorter than the limit allows
    int32_t *cm;        // [vertices] INT32_MAX: not reached
    int32_t *parent;    // [vertices] -1: the spot
    int32_t *touched;   // [vertices] reached, in no order
    int32_t touched_count;
    uint64_t *heap;     // cm above vertex
    int64_t heap_count;
    int32_t *stop_cm;   // [stops]
    transit_end *end;   // [end_count] stops within the limit, with seconds
    int32_t end_count;
} transit_walker;

mco_status transit_walker_open(mco_context *ctx, const transit_streets *streets, transit_watch *watch, transit_walker *out);
void transit_walker_close(mco_context *ctx, transit_walker *walker);
// Walks from a spot as far as limit_cm; `until` NULL, or a spot whose two ends end the search when they are reached.
void transit_walker_run(transit_walker *walker, const transit_spot *spot, int32_t limit_cm, const transit_spot *until);
// The same from a spot and from all stops, which have a head start of stop_cm [stops]; those above the limit have none.
void transit_walker_run_stops(transit_walker *walker, const transit_spot *spot, const int32_t *stop_cm, int32_t limit_cm);
// Finds the stops within limit_cm of the spot of the last run.
void transit_walker_find_stops(transit_walker *walker, const transit_spot *spot, int32_t limit_cm);
// The length of the walk to a spot, after a run; -1: out of reach. *via receives the end of its piece, -1: along the piece.
int32_t transit_walker_to(const transit_walker *walker, const transit_spot *from, const transit_spot *to, int32_t *via);

#endif
