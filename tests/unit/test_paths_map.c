// SPDX-License-Identifier: MIT
// Maps of OpenStreetMap: classes, speeds, access, directions, turns, barriers, lines, names, the nearest street; both formats; every
// refusal. If MCO_DATA names the folder of the public collections, the map of Porto Alegre is read.
#include <inttypes.h>
#include <math.h>

#include "paths/transit/build.h"
#include "paths/transit/map.h"
#include "test_support.h"

// Nodes 1 to 9 in a row to the north, 0.001 degrees (111.195 m) apart; 10 is east of 2, 11 west of 2.
#define NODES                                                                                                              \
    "<node id='1' lat='0.001' lon='0'/><node id='2' lat='0.002' lon='0'/><node id='3' lat='0.003' lon='0'/>"                \
    "<node id='4' lat='0.004' lon='0'/><node id='5' lat='0.005' lon='0'/><node id='6' lat='0.006' lon='0'/>"                \
    "<node id='10' lat='0.002' lon='0.001'/><node id='11' lat='0.002' lon='-0.001'/>"
#define WAY(id, nodes, tags) "<way id='" #id "'>" nodes tags "</way>"
#define ND(id) "<nd ref='" #id "'/>"
#define TAG(key, value) "<tag k='" key "' v='" value "'/>"
#define ROAD TAG("highway", "residential")

static transit_map map;

static void read_map(const char *objects, paths_map_mode mode)
{
    static char text[1 << 14];
    snprintf(text, sizeof text, "<?xml version='1.0'?>\n<osm version='0.6'>%s</osm>\n", objects);
    assert_ok(transit_map_read(test_ctx, test_file("map.osm", text), mode, &map));
}

// Streets as lines "from-to metres" with ">" or "<" where they are one-way, and the seconds of their first arc.
static const char *streets(void)
{
    static char text[1 << 12];
    char *out = text;
    *out = '\0';
    for (int32_t k = 0; k < map.streets; k++) {
        const transit_street *s = &map.street[k];
        out += sprintf(out, "%s%" PRId64 "%s%" PRId64 " %.1fs", k > 0 ? ", " : "", map.node[s->from],
                       s->forward >= 0 && s->backward >= 0 ? "-" : s->forward >= 0 ? ">" : "<", map.node[s->to],
                       map.weight[s->forward >= 0 ? s->forward : s->backward] / 1000.0);
    }
    return text;
}

static void assert_streets(const char *objects, paths_map_mode mode, const char *expected)
{
    read_map(objects, mode);
    assert_string_equal(streets(), expected);
    transit_map_clear(test_ctx, &map);
}

// A way of nodes 1 and 2 with these tags: what cars, bicycles and walkers make of it.
static void assert_way(const char *tags, const char *car, const char *bicycle, const char *foot)
{
    char objects[1000];
    snprintf(objects, sizeof objects, NODES "<way id='7'>" ND(1) ND(2) "%s</way>", tags);
    assert_streets(objects, PATHS_MAP_CAR, car);
    assert_streets(objects, PATHS_MAP_BICYCLE, bicycle);
    assert_streets(objects, PATHS_MAP_FOOT, foot);
}

#define WALK "1-2 92.7s"  // 111.195 m at 1.2 m/s

static void test_classes(void **state)
{
    (void)state;
    assert_way(TAG("highway", "motorway"), "1>2 3.6s", "", "");
    assert_way(TAG("highway", "primary"), "1-2 6.2s", "1-2 22.2s", WALK);
    assert_way(ROAD, "1-2 16.0s", "1-2 22.2s", WALK);
    assert_way(TAG("highway", "footway"), "", "", WALK);
    assert_way(TAG("highway", "footway") TAG("bicycle", "yes"), "", "1-2 50.0s", WALK);
    assert_way(TAG("highway", "footway") TAG("access", "yes"), "", "", WALK);
    assert_way(TAG("highway", "cycleway"), "", "1-2 22.2s", WALK);
    assert_way(TAG("highway", "steps") TAG("bicycle", "yes"), "", "", WALK);
    assert_way(TAG("highway", "track"), "", "1-2 33.4s", WALK);
    assert_way(TAG("highway", "track") TAG("motor_vehicle", "yes"), "1-2 26.7s", "1-2 33.4s", WALK);
    assert_way(TAG("highway", "construction"), "", "", "");
    assert_way(TAG("building", "yes"), "", "", "");
    assert_way(TAG("highway", "trunk") TAG("motorroad", "yes"), "1-2 4.7s", "", "");
}

static void test_limits(void **state)
{
    (void)state;
    read_map(NODES WAY(7, ND(1) ND(2), ROAD TAG("maxspeed", "50") TAG("maxspeed:backward", "30 mph")), PATHS_MAP_CAR);
    assert_int_equal(map.weight[map.street[0].forward], lround(1000 * map.street[0].metres / (0.8 * 50 / 3.6)));
    assert_int_equal(map.weight[map.street[0].backward], lround(1000 * map.street[0].metres / (0.8 * 30 * 1.609344 / 3.6)));
    transit_map_clear(test_ctx, &map);
    assert_way(ROAD TAG("maxspeed", "10"), "1-2 50.0s", "1-2 40.0s", WALK);
    assert_way(ROAD TAG("maxspeed", "50 km/h"), "1-2 10.0s", "1-2 22.2s", WALK);
    assert_way(ROAD TAG("maxspeed", "BR:urban"), "1-2 16.0s", "1-2 22.2s", WALK);
    assert_way(ROAD TAG("maxspeed", "none"), "1-2 16.0s", "1-2 22.2s", WALK);
}

static void test_access(void **state)
{
    (void)state;
    assert_way(ROAD TAG("access", "no"), "", "", "");
    assert_way(ROAD TAG("access", "private") TAG("foot", "yes"), "", "", WALK);
    assert_way(ROAD TAG("access", "no") TAG("motor_vehicle", "destination"), "1-2 16.0s", "", "");
    assert_way(ROAD TAG("motor_vehicle", "no"), "", "1-2 22.2s", WALK);
    assert_way(ROAD TAG("motor_vehicle", "no") TAG("motorcar", "yes"), "1-2 16.0s", "1-2 22.2s", WALK);
    assert_way(ROAD TAG("vehicle", "no"), "", "", WALK);
    assert_way(ROAD TAG("vehicle", "no") TAG("bicycle", "yes"), "", "1-2 22.2s", WALK);
    assert_way(ROAD TAG("foot", "no") TAG("bicycle", "use_sidepath"), "1-2 16.0s", "", "");
    assert_way(ROAD TAG("access", "of some kind"), "1-2 16.0s", "1-2 22.2s", WALK);
}

static void test_directions(void **state)
{
    (void)state;
    assert_way(ROAD TAG("oneway", "yes"), "1>2 16.0s", "1>2 22.2s", WALK);
    assert_way(ROAD TAG("oneway", "-1"), "1<2 16.0s", "1<2 22.2s", WALK);
    assert_way(ROAD TAG("oneway", "no"), "1-2 16.0s", "1-2 22.2s", WALK);
    assert_way(ROAD TAG("oneway", "reversible"), "", "", WALK);
    assert_way(ROAD TAG("oneway", "yes") TAG("oneway:bicycle", "no"), "1>2 16.0s", "1-2 22.2s", WALK);
    assert_way(ROAD TAG("oneway", "yes") TAG("cycleway:left", "opposite_lane"), "1>2 16.0s", "1-2 22.2s", WALK);
    assert_way(ROAD TAG("junction", "roundabout"), "1>2 16.0s", "1>2 22.2s", WALK);
    assert_way(ROAD TAG("junction", "roundabout") TAG("oneway", "-1"), "1<2 16.0s", "1<2 22.2s", WALK);
    assert_way(TAG("highway", "motorway") TAG("oneway", "no"), "1-2 3.6s", "", "");
    assert_way(TAG("highway", "footway") TAG("oneway:foot", "yes"), "", "", "1>2 92.7s");
}

static void test_junctions(void **state)
{
    (void)state;
    // The long way is cut where the other one crosses, and nowhere else.
    assert_streets(NODES WAY(7, ND(1) ND(2) ND(3) ND(4), ROAD) WAY(8, ND(11) ND(2) ND(10), ROAD), PATHS_MAP_CAR,
                   "1-2 16.0s, 2-4 32.0s, 11-2 16.0s, 2-10 16.0s");
    assert_streets(NODES WAY(7, ND(1) ND(2) ND(3), ROAD) WAY(8, ND(11) ND(2) ND(10), TAG("highway", "footway")), PATHS_MAP_CAR, "1-3 32.0s");
    assert_streets(NODES WAY(7, ND(1) ND(2) ND(10) ND(1), ROAD), PATHS_MAP_CAR, "1-1 54.7s");  // a ring
    assert_streets(NODES WAY(7, ND(1) ND(2) ND(10) ND(3) ND(2) ND(4), ROAD), PATHS_MAP_CAR, "1-2 16.0s, 2-2 54.7s, 2-4 32.0s");
    assert_streets(NODES WAY(7, ND(1) ND(1) ND(2) ND(2), ROAD), PATHS_MAP_CAR, "1-2 16.0s");  // nodes that are there twice
    assert_streets(NODES WAY(7, ND(1) ND(2) ND(99) ND(3) ND(98) ND(4) ND(5), ROAD), PATHS_MAP_CAR, "1-2 16.0s, 4-5 16.0s");  // missing nodes
    assert_streets(WAY(7, ND(1) ND(2), ROAD) NODES, PATHS_MAP_CAR, "1-2 16.0s");  // nodes behind ways
    assert_streets("", PATHS_MAP_CAR, "");
    assert_streets(NODES WAY(7, ND(1), ROAD), PATHS_MAP_CAR, "");
}

static void test_lines(void **state)
{
    (void)state;
    read_map(NODES WAY(7, ND(1) ND(2) ND(3) ND(10), ROAD TAG("name", "Rua d&apos;&#x41;lva")) WAY(8, ND(3) ND(4), ROAD TAG("ref", "BR-116"))
             WAY(9, ND(4) ND(5), ROAD), PATHS_MAP_CAR);
    assert_string_equal(map.way_name[0], "Rua d'Alva");
    assert_string_equal(map.way_name[1], "BR-116");
    assert_string_equal(map.way_name[2], "");
    assert_int_equal(map.way_id[map.street[1].way], 7);
    assert_int_equal(map.street[1].first_point - map.street[0].first_point, 3);
    assert_true(map.point[1].latitude == 0.002 && map.point[1].longitude == 0);
    for (int32_t k = 0; k < map.streets; k++) {
        const transit_street *s = &map.street[k];
        const transit_point *a = &map.point[s->first_point], *b = &map.point[map.street[k + 1].first_point - 1];
        assert_true(a->latitude == map.place[s->from].latitude && b->longitude == map.place[s->to].longitude);
        assert_int_equal(map.head[s->forward], s->to);
        assert_int_equal(map.arc_street[s->backward], k);
    }
    transit_map_clear(test_ctx, &map);
}

static void test_barriers(void **state)
{
    (void)state;
#define BOLLARD "<node id='3' lat='0.003' lon='0'>" TAG("barrier", "bollard") "</node><node id='1' lat='0.001' lon='0'/><node id='5' lat='0.005' lon='0'/>"
    assert_streets(BOLLARD WAY(7, ND(1) ND(3) ND(5), ROAD), PATHS_MAP_CAR, "1-3 32.0s, 0-5 32.0s");
    assert_streets(BOLLARD WAY(7, ND(1) ND(3) ND(5), ROAD), PATHS_MAP_FOOT, "1-5 370.6s");
    read_map(BOLLARD WAY(7, ND(1) ND(3) ND(5), ROAD), PATHS_MAP_CAR);
    assert_int_not_equal(map.street[0].to, map.street[1].from);
    transit_map_clear(test_ctx, &map);
    assert_streets("<node id='3' lat='0' lon='0'>" TAG("barrier", "gate") TAG("access", "private") TAG("foot", "yes")
                   "</node><node id='1' lat='0.001' lon='0'/><node id='5' lat='-0.001' lon='0'/>" WAY(7, ND(1) ND(3) ND(5), ROAD),
                   PATHS_MAP_BICYCLE, "1-3 22.2s, 0-5 22.2s");
}

// ---- Turns

#define CROSS NODES WAY(7, ND(1) ND(2) ND(3), ROAD) WAY(8, ND(11) ND(2), ROAD) WAY(9, ND(2) ND(10), ROAD)
#define RULE(members, tags) "<relation id='1'>" members TAG("type", "restriction") tags "</relation>"
#define MEMBER(kind, id, role) "<member type='" kind "' ref='" #id "' role='" role "'/>"
#define FROM_VIA_TO(from, via, to) MEMBER("way", from, "from") MEMBER("node", via, "via") MEMBER("way", to, "to")

// Forbidden turns as "tail>via>head".
static void assert_turns(const char *objects, paths_map_mode mode, const char *expected)
{
    char text[400] = "", *out = text;
    read_map(objects, mode);
    for (int64_t k = 0; k < map.turns; k++) {
        const mco_paths_turn *t = &map.turn[k];
        int32_t tail = 0;
        while (map.first[tail + 1] <= t->from)
            tail++;
        assert_true(t->to >= map.first[map.head[t->from]] && t->to < map.first[map.head[t->from] + 1]);
        assert_int_equal(t->cost, -1);
        out += sprintf(out, "%s%d>%d>%d", k > 0 ? " " : "", (int)map.node[tail], (int)map.node[map.head[t->from]], (int)map.node[map.head[t->to]]);
    }
    assert_string_equal(text, expected);
    transit_map_clear(test_ctx, &map);
}

static void test_turns(void **state)
{
    (void)state;
    assert_turns(CROSS RULE(FROM_VIA_TO(8, 2, 9), TAG("restriction", "no_straight_on")), PATHS_MAP_CAR, "11>2>10");
    assert_turns(CROSS RULE(FROM_VIA_TO(8, 2, 9), TAG("restriction", "no_straight_on")), PATHS_MAP_BICYCLE, "");
    assert_turns(CROSS RULE(FROM_VIA_TO(8, 2, 9), TAG("restriction", "only_straight_on")), PATHS_MAP_CAR, "11>2>1 11>2>3 11>2>11");
    assert_turns(CROSS RULE(FROM_VIA_TO(8, 2, 8), TAG("restriction", "no_u_turn")), PATHS_MAP_CAR, "11>2>11");
    assert_turns(CROSS RULE(FROM_VIA_TO(7, 2, 7), TAG("restriction", "no_u_turn")), PATHS_MAP_CAR, "1>2>1 3>2>3");
    assert_turns(CROSS RULE(FROM_VIA_TO(7, 2, 9), TAG("restriction", "no_right_turn")), PATHS_MAP_CAR, "1>2>10 3>2>10");
    assert_turns(CROSS RULE(FROM_VIA_TO(8, 2, 9), TAG("restriction", "no_left_turn") TAG("except", "bicycle; motorcar")), PATHS_MAP_CAR, "");
    assert_turns(CROSS RULE(FROM_VIA_TO(8, 2, 9), TAG("restriction:hgv", "no_left_turn")), PATHS_MAP_CAR, "");
    assert_turns(CROSS RULE(MEMBER("way", 8, "from") MEMBER("way", 7, "via") MEMBER("way", 9, "to"), TAG("restriction", "no_left_turn")),
                 PATHS_MAP_CAR, "");
    assert_turns(CROSS RULE(FROM_VIA_TO(8, 3, 9), TAG("restriction", "no_left_turn")), PATHS_MAP_CAR, "");
    assert_turns(CROSS RULE(FROM_VIA_TO(8, 77, 78), TAG("restriction", "only_left_turn")), PATHS_MAP_CAR, "");
    assert_turns(CROSS RULE(MEMBER("way", 9, "to") FROM_VIA_TO(8, 2, 7), TAG("restriction", "no_exit")), PATHS_MAP_CAR,
                 "11>2>1 11>2>3 11>2>10");
    // The way "to" cannot be entered: nothing is left to be the only one.
    assert_turns(NODES WAY(7, ND(1) ND(2) ND(3), ROAD) WAY(8, ND(11) ND(2), ROAD TAG("oneway", "yes"))
                 RULE(FROM_VIA_TO(7, 2, 8), TAG("restriction", "only_left_turn")), PATHS_MAP_CAR, "");
}

static void test_network(void **state)
{
    (void)state;
    mco_paths_network *network = NULL;
    int32_t vertex;
    char buffer[16];
    read_map(CROSS RULE(FROM_VIA_TO(8, 2, 9), TAG("restriction", "no_straight_on")), PATHS_MAP_CAR);
    transit_map_clear(test_ctx, &map);
    assert_ok(paths_read_map(test_ctx, test_path("map.osm"), PATHS_MAP_CAR, &network));
    const mco_paths_rows rows = mco_paths_view(network);
    assert_int_equal(rows.vertices, 5);
    assert_int_equal(rows.arcs, 8);
    assert_int_equal(rows.turn_count, 1);
    assert_true(rows.is_map && rows.scale == 1000);
    assert_ok(mco_paths_find_vertex(test_ctx, network, "10", &vertex));
    assert_true(rows.x[vertex] == 0.001 && rows.y[vertex] == 0.002);
    assert_string_equal(mco_paths_vertex_name(network, vertex, buffer), "10");
    assert_string_equal(mco_paths_name(network), "map.osm");
    mco_paths_destroy(test_ctx, &network);
}

// ---- The nearest street

static double metres_to(const transit_map *m, transit_point p, int64_t k)
{
    double best = INFINITY;
    for (int i = 0; i <= 1000; i++) {
        const double a = i / 1000.0, b = 1 - a;
        best = fmin(best, transit_metres(p.latitude, p.longitude, b * m->point[k].latitude + a * m->point[k + 1].latitude,
                                         b * m->point[k].longitude + a * m->point[k + 1].longitude));
    }
    return best;
}

static void test_nearest(void **state)
{
    (void)state;
    transit_spot_on_map spot;
    read_map(CROSS, PATHS_MAP_FOOT);
    for (int k = 0; k < 400; k++) {
        const transit_point p = {-0.003 + 0.0005 * (k % 20), -0.004 + 0.0004 * (k / 20)};
        double best = INFINITY;
        for (int32_t s = 0; s < map.streets; s++)
            for (int64_t i = map.street[s].first_point; i + 1 < map.street[s + 1].first_point; i++)
                best = fmin(best, metres_to(&map, p, i));
        assert_true(transit_map_nearest(&map, p, 1e6, &spot));
        assert_true(fabs(spot.off - best) < 0.01 + 1e-4 * best);
        assert_true(spot.along >= 0 && spot.along <= map.street[spot.street].metres * (1 + 1e-12));
        assert_true(fabs(transit_metres(p.latitude, p.longitude, spot.place.latitude, spot.place.longitude) - best) < 0.01 + 1e-4 * best);
        assert_false(transit_map_nearest(&map, p, 0.9 * best - 0.1, &spot));
    }
    // At a pole all cells of a row are near each other, and beyond it there is nothing.
    assert_false(transit_map_nearest(&map, (transit_point){90, 0}, 500, &spot));
    assert_true(transit_map_nearest(&map, (transit_point){90, 77}, 1.1e7, &spot));
    assert_true(fabs(spot.off / transit_metres(90, 77, spot.place.latitude, spot.place.longitude) - 1) < 1e-6);
    assert_false(transit_map_nearest(&map, (transit_point){180, 0}, 1e9, &spot));
    assert_false(transit_map_nearest(&map, (transit_point){0, 1e300}, 1e9, &spot));
    transit_map_clear(test_ctx, &map);
    read_map("", PATHS_MAP_FOOT);
    assert_false(transit_map_nearest(&map, (transit_point){0, 0}, 1e6, &spot));
    transit_map_clear(test_ctx, &map);
}

// ---- Refusals

static void assert_refused(const char *text, const char *expected)
{
    char message[MCO_ERROR_LENGTH];
    const char *path = test_file("map.osm", text);
    snprintf(message, sizeof message, "%s%s", path, expected);
    assert_fails(transit_map_read(test_ctx, path, PATHS_MAP_CAR, &map), MCO_ERR_PARSE, message);
}

static void test_refusals(void **state)
{
    (void)state;
    assert_refused("<osm><way><nd ref='1'/></way></osm>", ":1:7: <way> has no id");
    assert_refused("<osm><way id='7'><nd ref='x'/></way></osm>", ":1:27: ref is \"x\", an integer was expected");
    assert_refused("<osm>" WAY(7, ND(1) ND(2), ROAD) "<node id='1' lat='91' lon='0'/></osm>", ":1:102: lat is 91, allowed is -90 to 90");
    assert_refused("<osm><relation id='1'><member ref='1' type='tree'/></relation></osm>",
                   ":1:45: the type is \"tree\", supported are node, way and relation");
}

static void test_memory_fails(void **state)
{
    (void)state;
    mco_paths_network *network = NULL;
    mco_status st = MCO_ERR_MEMORY;
    read_map(CROSS RULE(FROM_VIA_TO(8, 2, 9), TAG("restriction", "no_straight_on")), PATHS_MAP_CAR);
    transit_map_clear(test_ctx, &map);
    for (long k = 1; st != MCO_OK; k++) {
        test_fail_allocation(k);
        st = paths_read_map(test_ctx, test_path("map.osm"), PATHS_MAP_CAR, &network);
        assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
        assert_true(k < 1000);
    }
    test_fail_allocation(0);
    mco_paths_destroy(test_ctx, &network);
}

// ---- Porto Alegre

#ifdef MCO_HAVE_PROTOBUF
static char *porto_alegre(size_t *size)
{
    char path[400];
    const char *data = getenv("MCO_DATA");
    if (data == NULL)
        skip();
    snprintf(path, sizeof path, "%s/roads/osm/poa.osm.pbf", data);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        skip();
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void test_porto_alegre(void **state)
{
    (void)state;
    static const struct {
        int32_t vertices, streets;
        int64_t arcs;
    } counts[] = {{14169, 19475, 31664}, {14624, 19759, 32898}, {19200, 26442, 52884}};
    size_t size;
    char *bytes = porto_alegre(&size);
    const char *path = test_file_bytes("poa.osm.pbf", bytes, size);
    for (int mode = 0; mode < 3; mode++) {
        assert_ok(transit_map_read(test_ctx, path, (paths_map_mode)mode, &map));
        assert_int_equal(map.vertices, counts[mode].vertices);
        assert_int_equal(map.streets, counts[mode].streets);
        assert_int_equal(map.arcs, counts[mode].arcs);
        for (int32_t k = 0; k < map.streets; k++) {
            const transit_street *s = &map.street[k];
            const double chord = transit_metres(map.place[s->from].latitude, map.place[s->from].longitude, map.place[s->to].latitude,
                                                map.place[s->to].longitude);
            assert_true(s->metres >= chord - 1e-6 && s->metres < 20000);
            assert_true(s->forward < 0 || map.weight[s->forward] >= (int32_t)(s->metres / (150 / 3.6) * 1000));
        }
        transit_map_clear(test_ctx, &map);
    }
    free(bytes);
}

// Every part of a map, and maps with bytes changed, end in an error or a map.
static void test_damaged(void **state)
{
    (void)state;
    enum { CUTS = 40, CHANGES = 60 };
    size_t size;
    char *bytes = porto_alegre(&size);
    for (size_t k = 0; k < CUTS; k++) {
        const size_t cut = k < 20 ? 13 * k : size * (k - 19) / (CUTS - 19) - (k % 2) * 7 - 1;
        const mco_status st = transit_map_read(test_ctx, test_file_bytes("cut.osm.pbf", bytes, cut), PATHS_MAP_CAR, &map);
        assert_int_equal(st, MCO_ERR_PARSE);
        assert_true(mco_context_error(test_ctx)[0] != '\0');
        transit_map_clear(test_ctx, &map);
    }
    uint32_t random = 1;
    for (int k = 0; k < CHANGES; k++) {
        random = 1664525 * random + 1013904223;
        const size_t at = k < CHANGES / 2 ? random % 400 : random % size;
        const char before = bytes[at];
        bytes[at] = (char)(random >> 24);
        const mco_status st = transit_map_read(test_ctx, test_file_bytes("cut.osm.pbf", bytes, size), PATHS_MAP_CAR, &map);
        assert_true(st == MCO_OK || mco_context_error(test_ctx)[0] != '\0');
        transit_map_clear(test_ctx, &map);
        bytes[at] = before;
    }
    free(bytes);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_classes), TEST(test_limits), TEST(test_access), TEST(test_directions), TEST(test_junctions), TEST(test_lines),
        TEST(test_barriers), TEST(test_turns), TEST(test_network), TEST(test_nearest), TEST(test_refusals), TEST(test_memory_fails),
#ifdef MCO_HAVE_PROTOBUF
        TEST(test_porto_alegre), TEST(test_damaged),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
