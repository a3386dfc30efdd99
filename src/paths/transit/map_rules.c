// SPDX-License-Identifier: MIT
#include "paths/transit/map_rules.h"

#include <stdlib.h>
#include <string.h>

// Speeds in km/h, 0: not allowed. A negative speed counts only where a tag of the mode allows the way.
static const struct {
    const char *name;
    int car, bicycle, foot;  // foot: 1 or 0
} classes[] = {
    {"motorway", 110, 0, 0},       {"motorway_link", 50, 0, 0},   {"trunk", 85, 15, 1},         {"trunk_link", 40, 15, 1},
    {"primary", 65, 18, 1},        {"primary_link", 30, 18, 1},   {"secondary", 55, 18, 1},     {"secondary_link", 25, 18, 1},
    {"tertiary", 40, 18, 1},       {"tertiary_link", 20, 18, 1},  {"unclassified", 30, 18, 1},  {"residential", 25, 18, 1},
    {"living_street", 10, 15, 1},  {"service", 15, 15, 1},        {"road", 25, 15, 1},          {"track", -15, 12, 1},
    {"pedestrian", -10, -8, 1},    {"footway", 0, -8, 1},         {"path", 0, 12, 1},           {"cycleway", 0, 18, 1},
    {"bridleway", 0, -8, 1},       {"steps", 0, 0, 1},            {"corridor", 0, 0, 1},        {"platform", 0, 0, 1},
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

typedef enum access { UNSTATED, DENIED, ALLOWED } access;

static access read_access(osm_string value)
{
    static const char *const denied[] = {"no",       "private", "agricultural", "forestry", "agricultural;forestry", "military",
                                         "emergency", "psv",     "bus",          "use_sidepath", "dismount"};
    static const char *const allowed[] = {"yes", "designated", "official", "permissive", "destination", "customers", "delivery"};
    for (size_t k = 0; k < COUNT_OF(denied); k++)
        if (osm_is(value, denied[k]))
            return DENIED;
    for (size_t k = 0; k < COUNT_OF(allowed); k++)
        if (osm_is(value, allowed[k]))
            return ALLOWED;
    return UNSTATED;
}

// What the most particular tag says. *is_own: it is one of the mode itself, and not of all traffic.
static access find_access(paths_map_mode mode, const osm_object *object, bool *is_own)
{
    static const char *const keys[3][4] = {{"motorcar", "motor_vehicle", "vehicle", "access"}, {"bicycle", "vehicle", "access", NULL},
                                           {"foot", "access", NULL, NULL}};
    static const int own[3] = {2, 1, 1};
    for (int k = 0; k < 4 && keys[mode][k] != NULL; k++) {
        const osm_string value = osm_value(object, keys[mode][k]);
        const access a = value.data != NULL ? read_access(value) : UNSTATED;
        *is_own = k < own[mode];
        if (a != UNSTATED)
            return a;
    }
    return UNSTATED;
}

// ---- Directions

enum { FORWARD = 1, BACKWARD = 2 };

// What a tag of one-way traffic says; `otherwise` where it says nothing.
static int read_oneway(osm_string value, int otherwise)
{
    if (value.data == NULL)
        return otherwise;
    if (osm_is(value, "yes") || osm_is(value, "true") || osm_is(value, "1"))
        return FORWARD;
    if (osm_is(value, "-1") || osm_is(value, "reverse"))
        return BACKWARD;
    if (osm_is(value, "reversible"))  // nobody knows when
        return 0;
    if (osm_is(value, "no") || osm_is(value, "false") || osm_is(value, "0") || osm_is(value, "alternating"))
        return FORWARD | BACKWARD;
    return otherwise;
}

static bool begins_with(osm_string s, const char *word)
{
    const size_t size = strlen(word);
    return s.size >= size && memcmp(s.data, word, size) == 0;
}

static int find_directions(paths_map_mode mode, const osm_object *way, osm_string class)
{
    static const char *const lanes[] = {"cycleway", "cycleway:left", "cycleway:right", "cycleway:both"};
    const osm_string junction = osm_value(way, "junction");
    if (mode == PATHS_MAP_FOOT)
        return read_oneway(osm_value(way, "oneway:foot"), FORWARD | BACKWARD);
    const bool is_round = osm_is(junction, "roundabout") || osm_is(junction, "circular");
    const bool is_motorway = osm_is(class, "motorway") || osm_is(class, "motorway_link");
    int directions = read_oneway(osm_value(way, "oneway"), is_round || is_motorway ? FORWARD : FORWARD | BACKWARD);
    if (mode == PATHS_MAP_CAR)
        return read_oneway(osm_value(way, "oneway:motor_vehicle"), directions);
    for (size_t k = 0; k < COUNT_OF(lanes); k++)
        if (begins_with(osm_value(way, lanes[k]), "opposite"))
            directions = FORWARD | BACKWARD;
    return read_oneway(osm_value(way, "oneway:bicycle"), directions);
}

// ---- Speeds

// Reads a limit of speed in km/h: a number, "30 mph", "walk". 0: none of these.
static double read_limit(osm_string value)
{
    enum { ROOM = 32, LOWEST = 5, HIGHEST = 150 };
    static const double km_of_mile = 1.609344, walk_kmh = 7;
    char text[ROOM];
    double kmh = 0;
    size_t at = 0;
    if (value.size == 0 || value.size >= ROOM)
        return 0;
    if (osm_is(value, "walk"))
        return walk_kmh;
    memcpy(text, value.data, value.size);
    text[value.size] = '\0';
    for (; text[at] >= '0' && text[at] <= '9' && kmh < 1000; at++)
        kmh = 10 * kmh + (text[at] - '0');
    if (at == 0)
        return 0;
    while (text[at] == ' ')
        at++;
    if (strcmp(text + at, "mph") == 0)
        kmh *= km_of_mile;
    else if (text[at] != '\0' && strcmp(text + at, "km/h") != 0 && strcmp(text + at, "kmh") != 0)
        return 0;
    return kmh < LOWEST ? LOWEST : kmh > HIGHEST ? HIGHEST : kmh;
}

// A car drives at 0.8 of a stated limit, a bicycle at its own speed or at the limit if that is less.
static double with_limit(paths_map_mode mode, double kmh, double limit)
{
    static const double share_of_limit = 0.8;
    if (limit == 0)
        return kmh;
    return mode == PATHS_MAP_CAR ? share_of_limit * limit : limit < kmh ? limit : kmh;
}

static double speed_of(paths_map_mode mode, const osm_object *way, double kmh, const char *direction)
{
    double limit = read_limit(osm_value(way, direction));
    if (limit == 0)
        limit = read_limit(osm_value(way, "maxspeed"));
    return with_limit(mode, kmh, limit) / 3.6;
}

map_use map_use_of_way(paths_map_mode mode, const osm_object *way)
{
    map_use use = {0, 0};
    const osm_string class = osm_value(way, "highway");
    double kmh = 0;
    bool is_own = false;
    if (class.data == NULL)
        return use;
    for (size_t k = 0; k < COUNT_OF(classes); k++)
        if (osm_is(class, classes[k].name))
            kmh = mode == PATHS_MAP_CAR ? classes[k].car : mode == PATHS_MAP_BICYCLE ? classes[k].bicycle : classes[k].foot;
    const access a = find_access(mode, way, &is_own);
    const bool is_motorroad = osm_is(osm_value(way, "motorroad"), "yes") && mode != PATHS_MAP_CAR;
    if (kmh == 0 || a == DENIED || ((kmh < 0 || is_motorroad) && !(a == ALLOWED && is_own)))
        return use;
    const int directions = find_directions(mode, way, class);
    if (mode == PATHS_MAP_FOOT)
        return (map_use){directions & FORWARD ? PATHS_MAP_WALK_M_PER_S : 0, directions & BACKWARD ? PATHS_MAP_WALK_M_PER_S : 0};
    kmh = kmh < 0 ? -kmh : kmh;
    if ((directions & FORWARD) != 0)
        use.forward_m_per_s = speed_of(mode, way, kmh, "maxspeed:forward");
    if ((directions & BACKWARD) != 0)
        use.backward_m_per_s = speed_of(mode, way, kmh, "maxspeed:backward");
    return use;
}

bool map_blocks(paths_map_mode mode, const osm_object *node)
{
    static const char *const for_cars[] = {"bollard", "block", "jersey_barrier", "log", "cycle_barrier", "kissing_gate", "stile",
                                           "turnstile", "full-height_turnstile", "motorcycle_barrier", "debris", "chain", "bus_trap"};
    bool is_own = false;
    const osm_string barrier = osm_value(node, "barrier");
    if (barrier.data == NULL)
        return false;
    const access a = find_access(mode, node, &is_own);
    if (a != UNSTATED)
        return a == DENIED;
    for (size_t k = 0; k < COUNT_OF(for_cars) && mode == PATHS_MAP_CAR; k++)
        if (osm_is(barrier, for_cars[k]))
            return true;
    return false;
}

// Whether a list of values between semicolons has a word.
static bool has_word(osm_string list, const char *word)
{
    while (list.size > 0) {
        const char *end = memchr(list.data, ';', list.size);
        const size_t size = end != NULL ? (size_t)(end - list.data) : list.size;
        osm_string one = {list.data, size};
        while (one.size > 0 && one.data[0] == ' ') {
            one.data++;
            one.size--;
        }
        if (osm_is(one, word))
            return true;
        list.data += end != NULL ? size + 1 : size;
        list.size -= end != NULL ? size + 1 : size;
    }
    return false;
}

map_turn_rule map_turn_rule_of(paths_map_mode mode, const osm_object *relation)
{
    static const char *const keys[] = {"restriction:motorcar", "restriction:motor_vehicle", "restriction"};
    const osm_string except = osm_value(relation, "except");
    osm_string rule = {0};
    if (mode != PATHS_MAP_CAR || !osm_is(osm_value(relation, "type"), "restriction"))
        return MAP_TURN_NONE;
    for (size_t k = 0; k < COUNT_OF(keys) && rule.data == NULL; k++)
        rule = osm_value(relation, keys[k]);
    if (has_word(except, "motorcar") || has_word(except, "motor_vehicle"))
        return MAP_TURN_NONE;
    return begins_with(rule, "no_") ? MAP_TURN_NO : begins_with(rule, "only_") ? MAP_TURN_ONLY : MAP_TURN_NONE;
}
