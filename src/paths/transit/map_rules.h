// SPDX-License-Identifier: MIT
// What the tags of OpenStreetMap mean for a car, a bicycle, a walker: classes of ways with their speeds, access, directions, barriers,
// limits of speed, turns. docs/formats.md has the same table in words.
#ifndef MCO_PATHS_TRANSIT_MAP_RULES_H
#define MCO_PATHS_TRANSIT_MAP_RULES_H

#include "paths/transit/map.h"
#include "paths/transit/osm.h"

// How a way may be used; speed 0: not in this direction.
typedef struct map_use {
    double forward_m_per_s, backward_m_per_s;
} map_use;

map_use map_use_of_way(paths_map_mode mode, const osm_object *way);
// Whether a node stops the traffic that comes to it: a bollard for cars, a gate with private access.
bool map_blocks(paths_map_mode mode, const osm_object *node);

typedef enum map_turn_rule {
    MAP_TURN_NONE,  // no restriction of turns, or one that is not for this mode
    MAP_TURN_NO,
    MAP_TURN_ONLY
} map_turn_rule;
map_turn_rule map_turn_rule_of(paths_map_mode mode, const osm_object *relation);

#endif
