// SPDX-License-Identifier: MIT
// A map of OpenStreetMap as streets between junctions: a network for one mode of traffic, with the lines and the names of its streets,
// and the search of the street nearest to a place.
#ifndef MCO_PATHS_TRANSIT_MAP_H
#define MCO_PATHS_TRANSIT_MAP_H

#include "mco/paths.h"
#include "paths/transit/pool.h"

typedef enum paths_map_mode { PATHS_MAP_CAR, PATHS_MAP_BICYCLE, PATHS_MAP_FOOT } paths_map_mode;
#define PATHS_MAP_MODE_NAMES "car|bicycle|foot"
#define PATHS_MAP_WALK_M_PER_S 1.2  // weights of PATHS_MAP_FOOT

typedef struct transit_point {
    double latitude, longitude;  // degrees
} transit_point;

// A street between two vertices, without a junction inside.
typedef struct transit_street {
    int32_t from, to;      // vertices; equal for a ring
    int32_t way;           // of `way_name` and `way_id`
    int64_t first_point;   // its line is point[first_point] .. point[next street's first_point - 1], at `from` and at `to` the ends
    double metres;
    int64_t forward, backward;  // arcs; -1: no traffic in this direction
} transit_street;

// Owned by its holder; zero before use.
typedef struct transit_map {
    paths_map_mode mode;
    int32_t vertices, streets, ways;
    int64_t arcs, points;
    int64_t *node;           // [vertices] number in OpenStreetMap; 0: one more vertex at a barrier, which has several
    transit_point *place;    // [vertices]
    transit_street *street;  // [streets + 1] the last one has first_point alone
    transit_point *point;    // [points]
    char **way_name;         // [ways] its name, else its number ("BR-116"), else ""
    int64_t *way_id;
    // ---- arcs, by tail
    int64_t *first;          // [vertices + 1]
    int32_t *head, *weight;  // [arcs] weight: milliseconds, rounded
    int32_t *arc_street;     // [arcs]
    mco_paths_turn *turn;    // [turns] forbidden ones, without order
    int64_t turns;
    // ---- cells of equal size in degrees, by rows from the south-west
    int32_t cells_x, cells_y;
    double south, west, cell;
    int64_t *cell_first;     // [cells_x * cells_y + 1]
    int64_t *cell_segment;   // segments, by their first point
    int32_t *point_street;   // [points]
    bool *is_remote;         // [streets] of a part of the map with less than 1 % of all vertices
    transit_pool text;       // of the names
} transit_map;

// Reads a map, .osm.pbf or .osm. Errors: IO, PARSE with the place, LIMIT, MEMORY, STOPPED. O(bytes + nodes log nodes), twice over the
// file.
mco_status transit_map_read(mco_context *ctx, const char *path, paths_map_mode mode, transit_map *out);
void transit_map_clear(mco_context *ctx, transit_map *map);

// The network of a map: vertices are called by their numbers in OpenStreetMap, arcs are those of the map. Errors: MEMORY, LIMIT.
mco_status transit_map_network(mco_context *ctx, const transit_map *map, const char *name, mco_paths_network **out);
// Both in one, without lines and names.
mco_status paths_read_map(mco_context *ctx, const char *path, paths_map_mode mode, mco_paths_network **out);

// A place on a street.
typedef struct transit_spot_on_map {
    int32_t street;
    double along, off;     // metres from street.from along its line, and from the place asked for to the street
    transit_point place;
} transit_spot_on_map;

// Finds the street nearest to a place, no farther than `most_m` metres; false if there is none. Streets of remote parts of the map do
// not count. Latitudes are -90 to 90; nothing is near another one. The map is a plane: the sides of 180 degrees of longitude do not
// meet. O(streets near the place); near a pole all streets may be near.
bool transit_map_nearest(const transit_map *map, transit_point place, double most_m, transit_spot_on_map *out);

#endif
