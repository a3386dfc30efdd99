// SPDX-License-Identifier: MIT
// Parts of a map that are made when its streets are known.
#ifndef MCO_PATHS_TRANSIT_MAP_PARTS_H
#define MCO_PATHS_TRANSIT_MAP_PARTS_H

#include "paths/transit/map.h"

// Finds the streets that are joined with less than 1 % of all vertices, whatever their direction. Errors: MEMORY. O(streets).
mco_status map_find_remote(mco_context *ctx, transit_map *map);
// Sorts the segments of all streets into cells. Errors: MEMORY. O(segments * sqrt(segments)) at worst, O(segments) for maps.
mco_status map_make_cells(mco_context *ctx, transit_map *map);

#endif
