// SPDX-License-Identifier: MIT
// Files of traffic assignment: GMNS, streets, trips, turns, flows, matrices; what is written reads back; networks by rule.
#include "test_support.h"

#include <math.h>
#include <sys/stat.h>

#include "traffic/files/files.h"

static mco_traffic *read_city(const char *network, const char *nodes, const char *trips, const char *turns)
{
    const mco_traffic_files files = {network, nodes, trips, turns};
    mco_traffic *traffic = NULL;
    assert_ok(mco_traffic_read(test_ctx, &files, &traffic));
    return traffic;
}

// What reading ends with; the message follows the path.
static void assert_refused(const char *network, const char *trips, const char *turns, mco_status status, const char *text)
{
    const mco_traffic_files files = {network, NULL, trips, turns};
    mco_traffic *traffic = NULL;
    const mco_status st = mco_traffic_read(test_ctx, &files, &traffic);
    if (strstr(mco_context_error(test_ctx), text) == NULL)
        fail_msg("\"%s\" was expected in \"%s\"", text, mco_context_error(test_ctx));
    assert_int_equal(st, status);
    assert_null(traffic);
}

static void assert_doubles(const double *a, const double *b, int64_t count)
{
    assert_true((a == NULL) == (b == NULL));
    for (int64_t k = 0; a != NULL && k < count; k++)
        assert_true(a[k] == b[k]);
}

static void assert_same_trips(const mco_traffic_class *a, const mco_traffic_class *b, int32_t zones)
{
    for (int32_t o = 0; o <= zones; o++)
        assert_int_equal(a->first[o], b->first[o]);
    for (int64_t k = 0; k < a->first[zones]; k++)
        assert_true(a->to[k] == b->to[k] && a->amount[k] == b->amount[k]);
}

static void assert_same_network(const mco_traffic *a, const mco_traffic *b)
{
    const mco_traffic_network m = mco_traffic_view(a), n = mco_traffic_view(b);
    char of_a[16], of_b[16];
    assert_true(m.nodes == n.nodes && m.zones == n.zones && m.links == n.links && m.first_through == n.first_through);
    assert_int_equal(m.turn_count, n.turn_count);
    for (int32_t k = 0; k < m.links; k++)
        assert_true(m.tail[k] == n.tail[k] && m.head[k] == n.head[k] && m.type[k] == n.type[k]);
    assert_doubles(m.capacity, n.capacity, m.links);
    assert_doubles(m.length, n.length, m.links);
    assert_doubles(m.free_time, n.free_time, m.links);
    assert_doubles(m.b, n.b, m.links);
    assert_doubles(m.power, n.power, m.links);
    assert_doubles(m.speed, n.speed, m.links);
    assert_doubles(m.toll, n.toll, m.links);
    assert_doubles(m.x, n.x, m.nodes);
    assert_doubles(m.y, n.y, m.nodes);
    assert_true((m.street == NULL) == (n.street == NULL));
    if (m.street != NULL)
        assert_memory_equal(m.street, n.street, (size_t)m.links * sizeof *m.street);
    for (int64_t k = 0; k < m.turn_count; k++)
        assert_true(m.turns[k].from == n.turns[k].from && m.turns[k].to == n.turns[k].to && m.turns[k].cost == n.turns[k].cost);
    for (int32_t v = 0; v < m.nodes; v++)
        assert_string_equal(mco_traffic_node_name(a, v, of_a), mco_traffic_node_name(b, v, of_b));
    for (int32_t z = 0; z < m.zones; z++)
        assert_string_equal(traffic_zone_name(a, z, of_a), traffic_zone_name(b, z, of_b));
}

// A folder below that of the tests; its files are removed with their names.
static const char *make_folder(const char *name)
{
    test_file("keep", "");  // makes the folder of the tests
    const char *path = test_path(name);
    mkdir(path, 0777);
    return path;
}

static void remove_folder(const char *name)
{
    static const char *const files[] = {"node.csv", "link.csv", "turns.csv", "config.csv", "movement.csv"};
    char path[256];
    for (int k = 0; k < COUNT_OF(files); k++) {
        snprintf(path, sizeof path, "%s/%s", test_path(name), files[k]);
        unlink(path);
    }
    rmdir(test_path(name));
}

static void put_in(const char *folder, const char *name, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    test_file(path, text);
}

// ---- GMNS

static void test_gmns_reading(void **state)
{
    (void)state;
    make_folder("gmns");
    put_in("gmns", "node.csv",
           "name,node_id,x_coord,y_coord,zone_id\n"
           "\"Main, East\",b,6.5,49.5,20\n,a,6.25,49.25,3\n,\"c, d\",7,50,\n");
    put_in("gmns", "config.csv", "dataset_name,short_length,long_length,speed\ntest,m,m,km/h\n");
    put_in("gmns", "link.csv",
           "link_id,from_node_id,to_node_id,directed,geometry,length,free_speed,lanes,capacity,toll,vdf_alpha,allowed_uses\n"
           "1,a,b,true,\"LINESTRING(1 2, 3 4)\",1000,50,2,800,1.5,0.2,\"walk,auto\"\n"
           "2,b,\"c, d\",0,,500,30,,600,,NaN,\n"
           "3,a,b,1,,10,5,,100,,,\"walk, bike\"\n");
    mco_traffic *traffic = read_city(test_path("gmns"), NULL, NULL, NULL);
    const mco_traffic_network n = mco_traffic_view(traffic);
    char buffer[16];
    assert_int_equal(n.nodes, 3);
    assert_int_equal(n.zones, 2);
    assert_int_equal(n.first_through, 0);
    assert_int_equal(n.links, 3);  // one of the links is two, one is for walkers
    assert_string_equal(mco_traffic_node_name(traffic, 0, buffer), "a");
    assert_string_equal(mco_traffic_node_name(traffic, 2, buffer), "c, d");
    assert_string_equal(traffic_zone_name(traffic, 1, buffer), "20");
    assert_true(n.is_map && n.x[0] == 6.25 && n.y[2] == 50);
    assert_true(n.tail[0] == 0 && n.head[0] == 1 && n.tail[1] == 1 && n.head[1] == 2 && n.tail[2] == 2 && n.head[2] == 1);
    assert_true(n.capacity[0] == 1600 && n.capacity[1] == 600 && n.toll[0] == 1.5 && n.toll[1] == 0);
    assert_true(n.b[0] == 0.2 && n.b[1] == 0.15 && n.power[0] == 4);
    assert_true(fabs(n.free_time[0] - 1.2) < 1e-12 && fabs(n.free_time[2] - 1) < 1e-12);  // minutes
    mco_traffic_destroy(test_ctx, &traffic);
    test_file("rows.csv", "o_zone_id,d_zone_id,note,volume\n3,20,x,7.5\n20,3,,1\n3,20,,0.5\n3,3,,4\n");
    traffic = read_city(test_path("gmns"), NULL, test_path("rows.csv"), NULL);
    const mco_traffic_class *c = mco_traffic_class_at(traffic, 0);
    assert_int_equal(c->first[2], 3);
    assert_true(c->to[0] == 0 && c->amount[0] == 4 && c->to[1] == 1 && c->amount[1] == 8 && c->amount[2] == 1);
    assert_true(isnan(c->stated_total) && c->toll_factor == -1 && c->car_equivalent == 1);
    mco_traffic_destroy(test_ctx, &traffic);
    remove_folder("gmns");
}

static void test_gmns_centroids(void **state)
{
    (void)state;
    make_folder("centroids");
    put_in("centroids", "node.csv", "node_id,node_type,zone_id\n7,,1\n8,centroid,1\n9,centroid,2\n5,,1\n");
    put_in("centroids", "link.csv", "from_node_id,to_node_id,capacity,vdf_fftt\n8,7,10,1\n7,9,10,2\n9,5,,3\n");
    mco_traffic *traffic = read_city(test_path("centroids"), NULL, NULL, NULL);
    const mco_traffic_network n = mco_traffic_view(traffic);
    assert_true(n.nodes == 4 && n.zones == 2 && n.first_through == 2);
    assert_true(n.tail[0] == 0 && n.head[0] == 2 && n.head[1] == 1);
    assert_true(n.capacity[2] == 1 && n.b[2] == 0 && n.free_time[2] == 3);  // without capacity: a constant cost
    mco_traffic_destroy(test_ctx, &traffic);
    put_in("centroids", "node.csv", "node_id,zone_id\n7,1\n8,1\n9,2\n5,\n");
    assert_refused(test_path("centroids"), NULL, NULL, MCO_ERR_PARSE, "node.csv:3:3: zone 1 has a second node, its first stands in line 2");
    remove_folder("centroids");
}

static void test_gmns_without_nodes(void **state)
{
    (void)state;
    test_file("link.csv", "from_node_id,to_node_id,length,free_speed,capacity\n30,4,2,60,5\n4,12,1,30,5\n");
    mco_traffic *traffic = read_city(test_path("link.csv"), NULL, NULL, NULL);
    const mco_traffic_network n = mco_traffic_view(traffic);
    char buffer[16];
    assert_true(n.nodes == 3 && n.zones == 3 && n.free_time[0] == 2 && n.free_time[1] == 2);
    assert_string_equal(mco_traffic_node_name(traffic, 0, buffer), "4");
    assert_string_equal(mco_traffic_node_name(traffic, 2, buffer), "30");
    mco_traffic_destroy(test_ctx, &traffic);
}

static void test_gmns_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *links, *text;
    } bad[] = {
        {"", "the table has no header"},
        {"from_node_id,capacity\n1,2\n", ":1:1: the header has no column \"to_node_id\""},
        {"from_node_id,to_node_id\n1,2\n", ":2:1: the link has no free-flow time"},
        {"from_node_id,to_node_id,vdf_fftt,capacity\n1,2,1,0\n", ":2:7: capacity is 0, a number above 0 was expected"},
        {"from_node_id,to_node_id,vdf_fftt,capacity\n1,2,1,-5\n", ":2:7: capacity is -5, allowed is 0 to"},
        {"from_node_id,to_node_id,vdf_fftt,capacity\n1,2,-1,5\n", ":2:5: the free-flow time is -1, allowed is 0 to"},
        {"from_node_id,to_node_id,vdf_fftt,capacity\n1,2,x,5\n", ":2:5: the free-flow time is \"x\", a number was expected"},
        {"from_node_id,to_node_id,vdf_fftt,capacity\n1,,1,5\n", ":2:1: the link has no to_node_id"},
        {"from_node_id,to_node_id,vdf_fftt,capacity\n1,2,1,5,9\n", "more than the 4 cells of the header"},
        {"from_node_id,to_node_id,length,free_speed\n1,2,1,0\n", "neither vdf_fftt, nor length and a free_speed above 0"},
    };
    for (int k = 0; k < COUNT_OF(bad); k++)
        assert_refused(test_file("link.csv", bad[k].links), NULL, NULL, MCO_ERR_PARSE, bad[k].text);
    make_folder("bad");
    put_in("bad", "link.csv", "from_node_id,to_node_id,vdf_fftt,capacity\n1,3,1,5\n");
    put_in("bad", "node.csv", "node_id\n1\n2\n");
    assert_refused(test_path("bad"), NULL, NULL, MCO_ERR_PARSE, "link.csv:2:3: to_node_id is \"3\", a name of the instance was expected");
    put_in("bad", "node.csv", "node_id\n1\n1\n");
    assert_refused(test_path("bad"), NULL, NULL, MCO_ERR_PARSE, "the name \"1\" stands in line 2 and in line 3");
    put_in("bad", "config.csv", "long_length,speed\nparsec,mph\n");
    assert_refused(test_path("bad"), NULL, NULL, MCO_ERR_PARSE, "the unit of lengths is \"parsec\"");
    remove_folder("bad");
}

// ---- Streets

static const char STREETS[] =
    "# zones: 2\n# first through node: 3\n"
    "from,to,type,length,speed,lanes,signal,reverse,y1,y2,w1\n"
    "1,3,9,100,50,1,0,3-1,2-3,,\n"
    "2,3,5,200,40,2,,,,,\n"
    "3,1,3,100,50,1,0.5,1,,,\n"
    "3,2,10,300,60,1,,,,,3\n";

static void test_streets(void **state)
{
    (void)state;
    mco_traffic *traffic = read_city(test_file("streets.csv", STREETS), NULL, NULL, NULL);
    const mco_traffic_network n = mco_traffic_view(traffic);
    assert_true(n.nodes == 3 && n.zones == 2 && n.first_through == 2 && n.links == 4);
    assert_true(n.street[0].type == 9 && n.street[0].reverse == 2 && n.street[0].preferential[0] == 1 && n.street[0].preferential[1] == -1);
    assert_true(n.street[2].reverse == 0 && n.street[2].signal == 0.5 && n.street[3].circulating[0] == 2);
    assert_true(n.street[1].lanes == 2 && n.capacity[1] == 1800 && n.free_time[0] == traffic_street_time(100, 50));
    mco_traffic_destroy(test_ctx, &traffic);
    static const struct {
        const char *rows, *text;
    } bad[] = {
        {"from,to,type,length\n", "the header has no column \"speed\""},
        {"o_zone_id,d_zone_id,volume\n1,2,3\n", "this is a table of trips; the network comes before it"},
        {"node_id,x_coord,y_coord\n1,2,3\n", "this is a table of nodes"},
        {"head,to,type,length\n", "the header has no column \"from\""},
        {"from,to,type,length,speed\n1,2,13,5,5\n", ":2:5: the type is 13, allowed is 1 to 12"},
        {"from,to,type,length,speed\n0,2,1,5,5\n", ":2:1: from is 0, allowed is 1 to"},
        {"from,to,type,length,speed\n1,2,1,5,0\n", "the speed is 0, a number above 0 was expected"},
        {"from,to,type,length,speed,reverse\n1,2,1,5,5,2\n", "reverse is 2, allowed is 1 to 1"},
        {"from,to,type,length,speed,reverse\n1,2,1,5,5,2-1\n", "reverse is 2-1, no link goes so"},
        {"# nodes: 1\nfrom,to,type,length,speed\n1,2,1,5,5\n", "to is 2, allowed is 1 to 1"},
        {"# zones: 9\nfrom,to,type,length,speed\n1,2,1,5,5\n", "9 zones and the first through node 1, there are 2 nodes"},
    };
    for (int k = 0; k < COUNT_OF(bad); k++)
        assert_refused(test_file("streets.csv", bad[k].rows), NULL, NULL, MCO_ERR_PARSE, bad[k].text);
}

// ---- Trips

static const char THREE[] = "# zones: 3\nfrom,to,type,length,speed\n1,2,1,100,50\n2,3,1,100,50\n3,1,1,100,50\n";

static void test_matrix(void **state)
{
    (void)state;
    test_file("three.csv", THREE);
    mco_traffic *traffic = read_city(test_path("three.csv"), NULL, test_file("m.csv", "zone;3;1\n2;1,5;\n\n1;0;2,25\n"), NULL);
    const mco_traffic_class *c = mco_traffic_class_at(traffic, 0);
    assert_string_equal(c->name, "trips");
    assert_true(c->first[1] == 1 && c->first[2] == 2 && c->first[3] == 2);
    assert_true(c->to[0] == 0 && c->amount[0] == 2.25 && c->to[1] == 2 && c->amount[1] == 1.5);
    mco_traffic_destroy(test_ctx, &traffic);
    static const struct {
        const char *trips, *text;
    } bad[] = {
        {"", "the table has no header"},
        {"zone,1,9\n", "m.csv:1:8: the destination in the header is \"9\", a"},
        {"zone,1,2\n4,1,1\n", "m.csv:2:1: the origin is \"4\", a"},
        {"zone,1,2\n1,1,-1\n", "m.csv:2:5: the number of trips is -1, allowed is 0 to"},
        {"zone,1,2\n1,1,1,1\n", "m.csv:2:7: the row has more than the 2 destinations of the header"},
        {"zone,1,2\n1,1,inf\n", "the number of trips is \"inf\", a number was expected"},
        {"origin,destination\n1,2\n", "the header has no column \"trips\""},
        {"origin,destination,trips\n1,,2\n", "m.csv:2:3: the destination is \"\""},
    };
    for (int k = 0; k < COUNT_OF(bad); k++)
        assert_refused(test_path("three.csv"), test_file("m.csv", bad[k].trips), NULL, MCO_ERR_PARSE, bad[k].text);
}

static void test_classes(void **state)
{
    (void)state;
    test_file("three.csv", THREE);
    test_file("cars.csv", "origin,destination,trips\n1,2,10\n2,3,4\n");
    test_file("vans.tntp", "<NUMBER OF ZONES> 3\n<TOTAL OD FLOW> 7\n<END OF METADATA>\nOrigin 3\n1 : 7;\n");
    const char list[] =
        "class,trips,toll_factor,value_of_time,car_equivalent,demand_factor\ncars,cars.csv,,12,,\nvans,vans.tntp,0.5,,2.5,0.5\n";
    mco_traffic *traffic = read_city(test_path("three.csv"), NULL, test_file("list.csv", list), NULL);
    assert_int_equal(mco_traffic_class_count(traffic), 2);
    const mco_traffic_class *cars = mco_traffic_class_at(traffic, 0), *vans = mco_traffic_class_at(traffic, 1);
    assert_string_equal(cars->name, "cars");
    assert_string_equal(vans->name, "vans");
    assert_true(cars->toll_factor == -1 && cars->value_of_time == 12 && cars->car_equivalent == 1 && cars->amount[1] == 4);
    assert_true(vans->toll_factor == 0.5 && vans->distance_factor == -1 && vans->car_equivalent == 2.5 && vans->amount[0] == 3.5);
    assert_true(vans->stated_total == 3.5);
    mco_traffic_destroy(test_ctx, &traffic);
    static const struct {
        const char *list;
        mco_status status;
        const char *text;
    } bad[] = {
        {"class,trips\n", MCO_ERR_PARSE, "the list has no class"},
        {"class,trips\ncars,\n", MCO_ERR_PARSE, "list.csv:2:1: the class has no file of trips"},
        {"class,trips\ncars,cars.csv\nCARS,cars.csv\n", MCO_ERR_PARSE, "list.csv:3:1: a second class is called \"cars\""},
        {"class,trips\ncars,none.csv\n", MCO_ERR_IO, "none.csv"},
        {"class,trips,car_equivalent\ncars,cars.csv,0\n", MCO_ERR_PARSE, "the car equivalent is 0"},
        {"class,trips,demand_factor\ncars,cars.csv,-1\n", MCO_ERR_PARSE, "the demand factor is -1"},
    };
    for (int k = 0; k < COUNT_OF(bad); k++)
        assert_refused(test_path("three.csv"), test_file("list.csv", bad[k].list), NULL, bad[k].status, bad[k].text);
}

// ---- Turns

static void test_turns(void **state)
{
    (void)state;
    static const char net[] = "from,to,type,length,speed\n1,2,1,100,50\n2,3,1,100,50\n2,3,1,100,50\n3,1,1,100,50\n";
    mco_traffic *traffic = read_city(test_file("net.csv", net), NULL, NULL, test_file("t.csv", "from,via,to,cost\n1,2,3,2.5\n2,3,1,no\n"));
    const mco_traffic_network n = mco_traffic_view(traffic);
    assert_int_equal(n.turn_count, 4);  // each of the two parallel links
    assert_true(n.turns[0].from == 0 && n.turns[0].to == 1 && n.turns[0].cost == 2.5 && n.turns[1].to == 2);
    assert_true(isinf(n.turns[2].cost) && n.turns[2].from == 1 && n.turns[3].from == 2 && n.turns[3].to == 3);
    mco_traffic_destroy(test_ctx, &traffic);
    assert_refused(test_path("net.csv"), NULL, test_file("t.csv", "from,via,to\n1,2,3\n"), MCO_ERR_PARSE, "the header has no column \"cost\"");
    assert_refused(test_path("net.csv"), NULL, test_file("t.csv", "from,via,to,cost\n1,3,1,1\n"), MCO_ERR_PARSE,
                   "t.csv:2:1: the turn needs a link from node 1 to node 3, there is none");
    assert_refused(test_path("net.csv"), NULL, test_file("t.csv", "from,via,to,cost\n1,2,3,-1\n"), MCO_ERR_PARSE, "the cost is -1");
    assert_refused(test_path("net.csv"), NULL, test_file("t.csv", "from,via,to,cost\n1,2,8,1\n"), MCO_ERR_PARSE, "t.csv:2:5: to is \"8\"");
}

// Links A-B, B-C, B-D one way, B-E both ways, and a footway; nodes 1 to 5.
#define CROSSING                                                                                                         \
    "link_id,from_node_id,to_node_id,directed,vdf_fftt,capacity,allowed_uses\n"                                          \
    "in,1,2,1,1,10,\nahead,2,3,1,1,10,\nright,2,4,1,1,10,\nback,2,5,0,1,10,\nfoot,1,2,1,1,10,walk\n,3,1,1,1,10,\n"

static void test_movements(void **state)
{
    (void)state;
    make_folder("moves");
    put_in("moves", "link.csv", CROSSING);
    // Lanes of one movement count once, by the least penalty; free movements are no turns.
    put_in("moves", "movement.csv",
           "mvmt_id,node_id,name,ib_link_id,ob_link_id,type,penalty,allowed_uses\n"
           "1,2,,in,ahead,thru,,\n2,2,\"to the right\",in,right,right,30,auto\n3,2,,in,right,right,12,\n4,2,,in,right,right,12,bike\n"
           "5,2,,in,back,left,,none\n6,2,,back,back,uturn,,bike;walk\n7,2,,back,ahead,left,6,\n8,2,,foot,ahead,,99,\n");
    mco_traffic *traffic = read_city(test_path("moves"), NULL, NULL, NULL);
    const mco_traffic_network n = mco_traffic_view(traffic);
    assert_true(n.links == 6 && n.tail[4] == 4 && n.head[4] == 1);  // the second of `back`
    assert_int_equal(n.turn_count, 4);
    assert_true(n.turns[0].from == 0 && n.turns[0].to == 2 && n.turns[0].cost == 0.2);  // minutes
    assert_true(n.turns[1].from == 0 && n.turns[1].to == 3 && isinf(n.turns[1].cost));
    assert_true(n.turns[2].from == 4 && n.turns[2].to == 1 && n.turns[2].cost == 0.1);
    assert_true(n.turns[3].from == 4 && n.turns[3].to == 3 && isinf(n.turns[3].cost));
    mco_traffic_destroy(test_ctx, &traffic);
    // Turns that are given come before those of the folder; a table of movements may have any name.
    traffic = read_city(test_path("moves"), NULL, NULL, test_file("t.csv", "from,via,to,cost\n1,2,3,7\n"));
    assert_int_equal(mco_traffic_view(traffic).turn_count, 1);
    mco_traffic_destroy(test_ctx, &traffic);
    traffic = read_city(test_path("moves"), NULL, NULL, test_file("t.csv", "ob_link_id,ib_link_id\nahead,in\n"));
    assert_int_equal(mco_traffic_view(traffic).turn_count, 0);
    mco_traffic_destroy(test_ctx, &traffic);
    remove_folder("moves");
}

static void test_movement_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *rows, *text;
    } bad[] = {
        {"", "the table has no header"},
        {"ib_link_id,penalty\nin,1\n", ":1:1: the header has no column \"ob_link_id\""},
        {"ib_link_id,ob_link_id\nin,ahead\nin,\n", ":3:1: the movement has no ob_link_id"},
        {"ib_link_id,ob_link_id\nin,far\n", ":2:4: ob_link_id is \"far\", a name of the instance was expected"},
        {"ib_link_id,ob_link_id,node_id\nin,ahead,9\n", ":2:10: node_id is \"9\""},
        {"ib_link_id,ob_link_id,penalty\nin,ahead,-4\n", ":2:10: the penalty is -4, allowed is 0 to"},
        {"ib_link_id,ob_link_id,penalty\nin,ahead,long\n", ":2:10: the penalty is \"long\", a number was expected"},
        {"ib_link_id,ob_link_id\nin,ahead\nahead,in\n", ":3:1: link ahead joins nodes 2 and 3, link in nodes 1 and 2: the one does not lead into the other"},
        {"ib_link_id,ob_link_id,node_id\nin,ahead,3\n", "does not lead into the other at node 3"},
        {"ib_link_id,ob_link_id\nback,back\n", ":2:1: link back joins nodes 2 and 5, link back nodes 2 and 5: a node_id is needed that says where they meet"},
    };
    make_folder("moves");
    put_in("moves", "link.csv", CROSSING);
    for (int k = 0; k < COUNT_OF(bad); k++) {
        put_in("moves", "movement.csv", bad[k].rows);
        assert_refused(test_path("moves"), NULL, NULL, MCO_ERR_PARSE, bad[k].text);
    }
    put_in("moves", "movement.csv", "ib_link_id,ob_link_id\n");
    put_in("moves", "link.csv", "link_id,from_node_id,to_node_id,vdf_fftt,capacity\na,1,2,1,5\na,2,3,1,5\n");
    assert_refused(test_path("moves"), NULL, NULL, MCO_ERR_PARSE, "the name \"a\" stands in line 2 and in line 3");
    put_in("moves", "link.csv", "from_node_id,to_node_id,vdf_fftt,capacity\n1,2,1,5\n");
    assert_refused(test_path("moves"), NULL, NULL, MCO_ERR_PARSE, "link.csv:1:1: the header has no column \"link_id\"");
    remove_folder("moves");
}

// ---- Round trips of generated networks

static mco_traffic *generate(mco_traffic_family family, int64_t rows, int64_t columns, int32_t zones, int32_t destinations)
{
    const mco_traffic_shape shape = {family, rows, columns, zones, destinations, 0.5, 7};
    mco_traffic *traffic = NULL;
    assert_ok(mco_traffic_generate(test_ctx, &shape, &traffic));
    return traffic;
}

static void test_round_trip_tntp(void **state)
{
    (void)state;
    mco_traffic *city = generate(MCO_TRAFFIC_ROAD, 12, 15, 20, 7);
    assert_ok(mco_traffic_write_network(test_ctx, city, test_path("city.tntp")));
    assert_ok(mco_traffic_write_trips(test_ctx, city, 0, test_path("trips.tntp")));
    assert_ok(mco_traffic_write_trips(test_ctx, city, 0, test_path("trips.csv")));
    mco_traffic *back = read_city(test_path("city.tntp"), test_path("city_node.tntp"), test_path("trips.tntp"), NULL);
    assert_same_network(city, back);
    assert_same_trips(mco_traffic_class_at(city, 0), mco_traffic_class_at(back, 0), 20);
    mco_traffic_destroy(test_ctx, &back);
    back = read_city(test_path("city.tntp"), NULL, test_path("trips.csv"), NULL);
    assert_same_trips(mco_traffic_class_at(city, 0), mco_traffic_class_at(back, 0), 20);
    mco_traffic_destroy(test_ctx, &back);
    mco_traffic_destroy(test_ctx, &city);
}

static void test_round_trip_gmns(void **state)
{
    (void)state;
    make_folder("out");
    mco_traffic *city = generate(MCO_TRAFFIC_GRID, 6, 5, 9, 0);
    mco_traffic_network *view = &city->view;
    ((double *)(uintptr_t)view->toll)[3] = -0.1;
    ((double *)(uintptr_t)view->capacity)[4] = 1e-7 / 3;
    view->first_through = view->zones;
    assert_ok(mco_traffic_write_network(test_ctx, city, test_path("out")));
    mco_traffic *back = read_city(test_path("out"), NULL, NULL, NULL);
    assert_same_network(city, back);
    mco_traffic_destroy(test_ctx, &back);
    view->first_through = 3;
    assert_int_equal(mco_traffic_write_network(test_ctx, city, test_path("out")), MCO_ERR_ARGUMENT);
    assert_non_null(strstr(mco_context_error(test_ctx), "the first through node is 4; GMNS holds 1, or 10 behind the zones"));
    mco_traffic_destroy(test_ctx, &city);
    remove_folder("out");
}

static void test_round_trip_streets(void **state)
{
    (void)state;
    mco_traffic *city = generate(MCO_TRAFFIC_STREETS, 24, 24, 8, 3);
    int types[13] = {0};
    for (int32_t a = 0; a < city->view.links; a++)
        types[city->view.street[a].type]++;
    for (int type = 1; type <= 12; type++)
        assert_true(types[type] > 0);
    assert_ok(mco_traffic_write_network(test_ctx, city, test_path("city.csv")));
    mco_traffic *back = read_city(test_path("city.csv"), test_path("city_node.tntp"), NULL, NULL);
    assert_same_network(city, back);
    mco_traffic_destroy(test_ctx, &back);
    assert_int_equal(mco_traffic_write_network(test_ctx, city, test_path("city.tntp")), MCO_ERR_ARGUMENT);
    mco_traffic_destroy(test_ctx, &city);
}

static void test_round_trip_turns(void **state)
{
    (void)state;
    static const char net[] = "from,to,type,length,speed\n1,2,1,100,50\n2,3,1,100,50\n3,1,1,100,50\n";
    mco_traffic *traffic = read_city(test_file("net.csv", net), NULL, NULL, test_file("t.csv", "from,via,to,cost\n1,2,3,0.1\n2,3,1,no\n"));
    assert_ok(mco_traffic_write_network(test_ctx, traffic, test_path("net.csv")));
    mco_traffic *back = read_city(test_path("net.csv"), NULL, NULL, test_path("net_turns.csv"));
    assert_same_network(traffic, back);
    mco_traffic_destroy(test_ctx, &back);
    mco_traffic_destroy(test_ctx, &traffic);
}

// ---- Flows

static const char TNTP_NET[] =
    "<NUMBER OF ZONES> 2\n<NUMBER OF NODES> 3\n<FIRST THRU NODE> 1\n<NUMBER OF LINKS> 4\n<END OF METADATA>\n"
    "1 2 5 1 1 0.15 4 0 0 1 ;\n1 3 5 1 1 0.15 4 0 0 1 ;\n1 2 5 1 2 0.15 4 0 0 1 ;\n3 2 10 1 1 0.15 4 0 0 1 ;\n";

static void assert_flows(const mco_traffic *traffic, const char *text, const char *name)
{
    static const double expected[] = {1.5, 2, 0.25, 1e-9};
    double *flow = NULL, *class_flow = NULL;
    assert_ok(mco_traffic_read_flows(test_ctx, traffic, text != NULL ? test_file(name, text) : test_path(name), &flow, &class_flow));
    assert_doubles(flow, expected, 4);
    assert_null(class_flow);
    mco_traffic_flows_clear(test_ctx, &flow, &class_flow);
}

static void test_flow_layouts(void **state)
{
    (void)state;
    mco_traffic *traffic = read_city(test_file("net.tntp", TNTP_NET), NULL, NULL, NULL);
    assert_flows(traffic, "From \tTo \tVolume \tCost \n1 \t2 \t1.5 \t3 \n1 \t2 \t0.25 \t3 \n3 \t2 \t1e-9 \t3 \n1 \t3 \t2 \t1 \n", "f.tntp");
    assert_flows(traffic,
                 "<NUMBER OF ZONES> -1\n<ORIGINAL HEADER>Tail \tHead \tVolume \tCost \t;\n<END OF METADATA>\n\n\nTail \tHead \tVolume \tCost \t;\n"
                 "\t1 \t2 \t1.5 \t0.1 \t;\n\t1 \t2 \t.25 \t0.1 \t;\n\t1 \t3 \t2 \t0 \t;\n\t3 \t2 \t0.000000001 \t;\n", "f.tntp");
    assert_flows(traffic, "~ a comment\n1 2 : 1.5 3;\n1 3 : 2 3 ;\n1 2 : 0.25;\n3 2 : 1e-9\n", "f.txt");
    assert_flows(traffic, "volume,from,to\n1.5,1,2\n2,1,3\n0.25,1,2\n1e-9,3,2\n", "f.csv");
    static const struct {
        const char *name, *text, *error;
    } bad[] = {
        {"f.tntp", "1 2 1 1\n", "3 of 4 links have no flow, one of them leads from 1 to 2"},
        {"f.tntp", "2 1 1 1\n", "f.tntp:1:1: a flow from 2 to 1, the network has no such link"},
        {"f.tntp", "1 2 1\n1 2 1\n1 2 1\n", "f.tntp:3:1: a flow from 1 to 2, the network has no further link so"},
        {"f.tntp", "1 2 -1\n", "the volume is -1, allowed is 0 to"},
        {"f.tntp", "1 2\n", "f.tntp:1:1: the row has no volume"},
        {"f.tntp", "1 7 2\n", "f.tntp:1:3: the head is \"7\""},
        {"f.csv", "from,to\n1,2\n", "the header has no column \"volume\""},
        {"f.json", "{}", "f.json"},
        {"f.json", "{\"solution\": {\"flow\": [1", "f.json"},
    };
    for (int k = 0; k < COUNT_OF(bad); k++) {
        double *flow = NULL, *class_flow = NULL;
        assert_int_equal(mco_traffic_read_flows(test_ctx, traffic, test_file(bad[k].name, bad[k].text), &flow, &class_flow), MCO_ERR_PARSE);
        if (strstr(mco_context_error(test_ctx), bad[k].error) == NULL)
            fail_msg("\"%s\" was expected in \"%s\"", bad[k].error, mco_context_error(test_ctx));
        assert_true(flow == NULL && class_flow == NULL);
    }
    mco_traffic_destroy(test_ctx, &traffic);
}

static void test_flows_written(void **state)
{
    (void)state;
    mco_traffic *traffic = read_city(test_file("net.tntp", TNTP_NET), NULL, NULL, NULL);
    double flow[4] = {1.5, 2, 0.25, 1e-9}, cost[4] = {1, 1.25, 0.1, 3};
    mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
    r.links = 4;
    r.flow = flow;
    r.cost = cost;
    assert_ok(mco_traffic_write_flows(test_ctx, traffic, &r, test_path("w.tntp")));
    assert_content(test_path("w.tntp"), "From \tTo \tVolume \tCost \n1 \t2 \t1.5 \t1 \n1 \t3 \t2 \t1.25 \n1 \t2 \t0.25 \t0.1 \n3 \t2 \t1e-09 \t3 \n");
    assert_flows(traffic, NULL, "w.tntp");
    assert_ok(mco_traffic_write_flows(test_ctx, traffic, &r, test_path("w.csv")));
    assert_flows(traffic, NULL, "w.csv");
    assert_fails(mco_traffic_write_flows(test_ctx, traffic, &r, test_path("w.geojson")), MCO_ERR_ARGUMENT,
                 "net.tntp has no places, which GeoJSON needs: --nodes names a file of them");
    r.links = 3;
    assert_fails(mco_traffic_write_flows(test_ctx, traffic, &r, test_path("w.csv")), MCO_ERR_ARGUMENT,
                 "the result has flows of 3 links, the network has 4");
    mco_traffic_destroy(test_ctx, &traffic);
}

// A result file holds the flows exactly.
static void test_flows_of_result(void **state)
{
    (void)state;
    mco_traffic *traffic = generate(MCO_TRAFFIC_GRID, 5, 5, 6, 4);
    mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
    mco_traffic_result result = MCO_TRAFFIC_RESULT_INIT;
    double *flow = NULL, *class_flow = NULL;
    params.engine = MCO_ENGINE_REFERENCE;
    params.method = MCO_TRAFFIC_METHOD_BFW;
    params.iterations = 5;
    assert_ok(mco_traffic_assign(test_ctx, traffic, &params, NULL, &result));
    assert_ok(mco_traffic_write_result(test_ctx, traffic, &params, &result, NULL, test_path("r.json")));
    assert_ok(mco_traffic_read_flows(test_ctx, traffic, test_path("r.json"), &flow, &class_flow));
    assert_doubles(flow, result.flow, result.links);
    mco_traffic_flows_clear(test_ctx, &flow, &class_flow);
    assert_ok(mco_traffic_write_flows(test_ctx, traffic, &result, test_path("r.tntp")));
    assert_ok(mco_traffic_read_flows(test_ctx, traffic, test_path("r.tntp"), &flow, &class_flow));
    assert_doubles(flow, result.flow, result.links);
    mco_traffic_flows_clear(test_ctx, &flow, &class_flow);
    mco_traffic_result_clear(test_ctx, &result);
    mco_traffic_destroy(test_ctx, &traffic);
}

static void test_class_flows(void **state)
{
    (void)state;
    test_file("three.csv", THREE);
    test_file("cars.csv", "origin,destination,trips\n1,2,10\n");
    mco_traffic *traffic = read_city(test_path("three.csv"), NULL, test_file("list.csv", "class,trips\na,cars.csv\n\"b, c\",cars.csv\n"), NULL);
    double flow[3] = {3, 2, 1}, class_flow[6] = {1, 2, 0.5, 2, 0, 0.5}, *f = NULL, *c = NULL;
    mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
    r.links = 3;
    r.classes = 2;
    r.flow = flow;
    r.class_flow = class_flow;
    assert_ok(mco_traffic_write_flows(test_ctx, traffic, &r, test_path("w.csv")));
    assert_ok(mco_traffic_read_flows(test_ctx, traffic, test_path("w.csv"), &f, &c));
    assert_doubles(f, flow, 3);
    assert_doubles(c, class_flow, 6);
    mco_traffic_flows_clear(test_ctx, &f, &c);
    mco_traffic_destroy(test_ctx, &traffic);
}

static void test_geojson(void **state)
{
    (void)state;
    mco_traffic *traffic = generate(MCO_TRAFFIC_BRAESS, 1, 1, 1, 0);
    double flow[5] = {1, 2, 3, 4, 5};
    mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
    r.links = 5;
    r.flow = flow;
    assert_ok(mco_traffic_write_flows(test_ctx, traffic, &r, test_path("w.geojson")));
    char *content = test_content(test_path("w.geojson"));
    assert_non_null(strstr(content, "{\"type\":\"Feature\",\"geometry\":{\"type\":\"LineString\",\"coordinates\":[[0,1],[1,2]]},\"properties\":"
                                    "{\"link\":1,\"from\":\"1\",\"to\":\"3\",\"volume\":1,\"volume_over_capacity\":1}},\n"));
    free(content);
    mco_traffic_destroy(test_ctx, &traffic);
}

// ---- Matrices

static void test_matrices(void **state)
{
    (void)state;
    test_file("three.csv", THREE);
    mco_traffic *traffic = read_city(test_path("three.csv"), NULL, NULL, NULL);
    static const double matrix[9] = {0, 1.5, INFINITY, 2, 0, 1e-3, 0.1, 4, 0};
    assert_ok(mco_traffic_write_matrix(test_ctx, traffic, "cost", matrix, test_path("m.csv")));
    assert_content(test_path("m.csv"), "cost,1,2,3\n1,0,1.5,\n2,2,0,0.001\n3,0.1,4,0\n");
    mco_traffic *back = read_city(test_path("three.csv"), NULL, test_path("m.csv"), NULL);
    assert_int_equal(mco_traffic_class_at(back, 0)->first[3], 5);
    mco_traffic_destroy(test_ctx, &back);
    mco_traffic_destroy(test_ctx, &traffic);
}

#ifdef MCO_HAVE_HDF5
static void test_omx(void **state)
{
    (void)state;
    mco_traffic *city = generate(MCO_TRAFFIC_GRID, 5, 5, 6, 4);
    assert_ok(mco_traffic_write_network(test_ctx, city, test_path("city.tntp")));
    assert_ok(mco_traffic_write_trips(test_ctx, city, 0, test_path("trips.omx")));
    mco_traffic *back = read_city(test_path("city.tntp"), NULL, test_path("trips.omx"), NULL);
    assert_same_trips(mco_traffic_class_at(city, 0), mco_traffic_class_at(back, 0), 6);
    mco_traffic_destroy(test_ctx, &back);
    test_file("list.csv", "class,trips,matrix\na,trips.omx,trips\n");
    back = read_city(test_path("city.tntp"), NULL, test_path("list.csv"), NULL);
    assert_same_trips(mco_traffic_class_at(city, 0), mco_traffic_class_at(back, 0), 6);
    mco_traffic_destroy(test_ctx, &back);
    assert_refused(test_path("city.tntp"), test_file("list.csv", "class,trips,matrix\na,trips.omx,none\n"), NULL, MCO_ERR_PARSE,
                   "there is no matrix /data/none, there are trips");
    assert_refused(test_file("net.tntp", TNTP_NET), test_path("trips.omx"), NULL, MCO_ERR_PARSE,
                   "the matrix has 6 rows and 6 columns, the network has 2 zones");
    assert_refused(test_path("net.tntp"), test_file("bad.omx", "no such format"), NULL, MCO_ERR_PARSE, "not an HDF5 file");
    assert_refused(test_path("net.tntp"), test_path("none.omx"), NULL, MCO_ERR_IO, "there is no such file");
    mco_traffic_destroy(test_ctx, &city);
}

// A matrix whose lookup names other zones, in another order.
static void test_omx_lookup(void **state)
{
    (void)state;
    make_folder("omx");
    put_in("omx", "node.csv", "node_id,zone_id\n1,30\n2,20\n3,10\n");
    put_in("omx", "link.csv", "from_node_id,to_node_id,vdf_fftt,capacity\n1,2,1,5\n2,3,1,5\n");
    mco_traffic *traffic = read_city(test_path("omx"), NULL, NULL, NULL);
    static const double matrix[9] = {0, 1, 2, 3, 0, 4, 5, 6, 0};
    assert_ok(mco_traffic_write_matrix(test_ctx, traffic, "cost", matrix, test_path("m.omx")));
    mco_traffic_destroy(test_ctx, &traffic);
    put_in("omx", "node.csv", "node_id,zone_id\n1,20\n2,30\n3,10\n");
    traffic = read_city(test_path("omx"), NULL, test_path("m.omx"), NULL);
    assert_int_equal(mco_traffic_class_at(traffic, 0)->first[3], 6);
    assert_true(mco_traffic_class_at(traffic, 0)->amount[0] == 1);
    mco_traffic_destroy(test_ctx, &traffic);
    put_in("omx", "node.csv", "node_id,zone_id\n1,20\n2,30\n3,11\n");
    assert_refused(test_path("omx"), test_path("m.omx"), NULL, MCO_ERR_PARSE, "/lookup/zone[0] is 10, the network has no such zone");
    remove_folder("omx");
}
#else
static void test_omx_missing(void **state)
{
    (void)state;
    assert_refused(test_file("net.tntp", TNTP_NET), test_file("t.omx", "x"), NULL, MCO_ERR_IO, "this build lacks HDF5");
}
#endif

// ---- Pictures

static void assert_holds(const char *path, const char *text)
{
    char *content = test_content(path);
    assert_non_null(content);
    if (strstr(content, text) == NULL)
        fail_msg("%s lacks \"%s\"", path, text);
    free(content);
}

static void test_pictures(void **state)
{
    (void)state;
    mco_traffic *traffic = generate(MCO_TRAFFIC_BRAESS, 1, 1, 1, 0);
    double flow[5] = {4, 2, 2, 0.01, 4}, after[5] = {3, 3, 3, 0, 3};
    const mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
    mco_traffic_pass pass[3] = {{0, 5, 0.5}, {0.01, 4, 0.1}, {0.1, 3, 0.001}};
    mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
    r.links = 5;
    r.flow = flow;
    r.history = pass;
    r.history_count = 3;
    assert_ok(mco_traffic_plot_flows(test_ctx, traffic, &params, &r, test_path("p.svg")));
    assert_holds(test_path("p.svg"), "class=\"c5 w12\"");  // 4 cars on capacity 1
    assert_holds(test_path("p.svg"), "class=\"base\"");    // the link with hardly any
    assert_holds(test_path("p.svg"), "</svg>");
    assert_ok(mco_traffic_plot_history(test_ctx, traffic, &r, test_path("h.svg")));
    assert_holds(test_path("h.svg"), ">1e-3<");
    assert_ok(mco_traffic_plot_difference(test_ctx, traffic, flow, after, test_path("d.svg")));
    assert_holds(test_path("d.svg"), "5 links: 2 with more flow, 3 with less");
    assert_holds(test_path("d.svg"), "class=\"more w12\"");
    r.history_count = 0;
    assert_ok(mco_traffic_plot_history(test_ctx, traffic, &r, test_path("h.svg")));
    assert_holds(test_path("h.svg"), "0 passes");
    mco_traffic_destroy(test_ctx, &traffic);
    traffic = read_city(test_file("net.tntp", TNTP_NET), NULL, NULL, NULL);
    assert_fails(mco_traffic_plot_difference(test_ctx, traffic, flow, after, test_path("d.svg")), MCO_ERR_ARGUMENT,
                 "net.tntp has no places, which a map needs: --nodes names a file of them");
    r.links = 4;
    assert_ok(mco_traffic_plot_flows(test_ctx, traffic, &params, &r, test_path("p.svg")));  // the convergence instead
    assert_holds(test_path("p.svg"), "relative gap");
    mco_traffic_destroy(test_ctx, &traffic);
}

// ---- Networks by rule

static void test_generated(void **state)
{
    (void)state;
    mco_traffic *a = generate(MCO_TRAFFIC_ROAD, 30, 40, 100, 16), *b = generate(MCO_TRAFFIC_ROAD, 30, 40, 100, 16);
    const mco_traffic_network n = mco_traffic_view(a);
    const mco_traffic_class *c = mco_traffic_class_at(a, 0);
    assert_same_network(a, b);
    assert_same_trips(c, mco_traffic_class_at(b, 0), 100);
    assert_true(n.nodes == 1200 && n.zones == 100);
    for (int32_t o = 0; o < 100; o++) {
        assert_int_equal(c->first[o + 1] - c->first[o], 16);
        for (int64_t k = c->first[o]; k < c->first[o + 1]; k++) {
            assert_int_not_equal(c->to[k], o);
            assert_true(c->amount[k] > 0 && (k == c->first[o] || c->to[k] > c->to[k - 1]));
        }
    }
    // Numbers of this shape and seed on every machine.
    assert_int_equal(n.links, 2926);
    assert_int_equal(c->to[0], 10); 
    assert_true(c->amount[0] == 40.767);
    mco_traffic_destroy(test_ctx, &a);
    mco_traffic_destroy(test_ctx, &b);
}

// The load is about the mean of flow over capacity of shortest paths, measured by the reference.
static void test_load(void **state)
{
    (void)state;
    const mco_traffic_shape shape = {MCO_TRAFFIC_GRID, 20, 20, 40, 10, 0.5, 3};
    mco_traffic *traffic = NULL;
    mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
    mco_traffic_result result = MCO_TRAFFIC_RESULT_INIT;
    double mean = 0;
    assert_ok(mco_traffic_generate(test_ctx, &shape, &traffic));
    params.engine = MCO_ENGINE_REFERENCE;
    params.method = MCO_TRAFFIC_METHOD_FW;
    params.iterations = 1;
    params.gap = 0;
    assert_ok(mco_traffic_assign(test_ctx, traffic, &params, NULL, &result));
    for (int32_t a = 0; a < result.links; a++)
        mean += result.flow[a] / mco_traffic_view(traffic).capacity[a] / result.links;
    if (!(mean > 0.4 && mean < 0.8))
        fail_msg("the mean is %g", mean);
    mco_traffic_result_clear(test_ctx, &result);
    mco_traffic_destroy(test_ctx, &traffic);
}

static void test_shapes_refused(void **state)
{
    (void)state;
    static const struct {
        mco_traffic_shape shape;
        mco_status status;
        const char *text;
    } bad[] = {
        {{(mco_traffic_family)9, 2, 2, 2, 1, 1, 1}, MCO_ERR_ARGUMENT, "family 9, 0 to 3 were expected"},
        {{MCO_TRAFFIC_GRID, 0, 2, 2, 1, 1, 1}, MCO_ERR_ARGUMENT, "0 rows and 2 columns, 1 or more were expected"},
        {{MCO_TRAFFIC_GRID, 2, 2, 5, 1, 1, 1}, MCO_ERR_ARGUMENT, "5 zones, 1 to 4 were expected: one at a node"},
        {{MCO_TRAFFIC_GRID, 2, 2, 4, 4, 1, 1}, MCO_ERR_ARGUMENT, "4 destinations of each zone, allowed is 0 to 3, the other zones"},
        {{MCO_TRAFFIC_GRID, 2, 2, 4, 1, NAN, 1}, MCO_ERR_ARGUMENT, "the load is nan, allowed is 0 to 1e9"},
        {{MCO_TRAFFIC_ROAD, 100000, 100000, 4, 1, 1, 1}, MCO_ERR_LIMIT, "100000 rows of 100000 nodes, at most 50000000 nodes supported"},
    };
    for (int k = 0; k < COUNT_OF(bad); k++) {
        mco_traffic *traffic = NULL;
        assert_fails(mco_traffic_generate(test_ctx, &bad[k].shape, &traffic), bad[k].status, bad[k].text);
        assert_null(traffic);
    }
}

// ---- Memory: the k-th allocation fails; nothing is left over

typedef mco_status whole_call(void);

static mco_status read_all(const char *network, const char *trips, const char *turns)
{
    const mco_traffic_files files = {network, NULL, trips, turns};
    mco_traffic *traffic = NULL;
    const mco_status st = mco_traffic_read(test_ctx, &files, &traffic);
    assert_true((st == MCO_OK) == (traffic != NULL));
    mco_traffic_destroy(test_ctx, &traffic);
    return st;
}

static mco_status call_gmns(void) { return read_all(test_path("link.csv"), test_path("g.csv"), NULL); }
static mco_status call_movements(void) { return read_all(test_path("link.csv"), NULL, test_path("moves.csv")); }
static mco_status call_streets(void) { return read_all(test_path("streets.csv"), test_path("list.csv"), test_path("t.csv")); }
static mco_status call_generate(void)
{
    const mco_traffic_shape shape = {MCO_TRAFFIC_STREETS, 6, 6, 5, 2, 0.5, 7};
    mco_traffic *traffic = NULL;
    const mco_status st = mco_traffic_generate(test_ctx, &shape, &traffic);
    mco_traffic_destroy(test_ctx, &traffic);
    return st;
}
static mco_traffic *flow_network;
static mco_status call_flows(void)
{
    double *flow = NULL, *class_flow = NULL;
    const mco_status st = mco_traffic_read_flows(test_ctx, flow_network, test_path("f.csv"), &flow, &class_flow);
    mco_traffic_flows_clear(test_ctx, &flow, &class_flow);
    return st;
}
static mco_status call_write(void) { return mco_traffic_write_network(test_ctx, flow_network, test_path("w.tntp")); }

static void assert_survives(whole_call *call)
{
    enum { MOST = 5000 };
    long k = 1;
    for (; k < MOST; k++) {
        const long live = test_memory.live;
        test_fail_allocation(k);
        const mco_status st = call();
        const bool has_failed = test_memory.calls >= k;
        test_fail_allocation(0);
        assert_int_equal(test_memory.live, live);
        if (!has_failed) {
            assert_int_equal(st, MCO_OK);
            break;
        }
        assert_int_equal(st, MCO_ERR_MEMORY);
    }
    assert_true(k > 1 && k < MOST);
}

static void test_memory_failures(void **state)
{
    (void)state;
    test_file("link.csv", "from_node_id,to_node_id,length,free_speed,capacity\na,4,2,60,5\n4,12,1,30,5\n");
    test_file("g.csv", "origin,destination,trips\na,12,3\n");
    test_file("streets.csv", STREETS);
    test_file("one.csv", "z,1,2\n1,,3\n");
    test_file("list.csv", "class,trips\na,one.csv\nb,one.csv\n");
    test_file("t.csv", "from,via,to,cost\n1,3,2,5\n");
    test_file("f.csv", "from,to,volume\n1,2,1\n1,3,2\n1,2,1\n3,2,1\n");
    assert_survives(call_gmns);
    test_file("link.csv", CROSSING);
    test_file("moves.csv", "ib_link_id,ob_link_id,node_id,penalty\nin,ahead,2,6\nback,ahead,2,3\n");
    assert_survives(call_movements);
    assert_survives(call_streets);
    assert_survives(call_generate);
    flow_network = read_city(test_file("net.tntp", TNTP_NET), NULL, NULL, NULL);
    assert_survives(call_flows);
    assert_survives(call_write);
    mco_traffic_destroy(test_ctx, &flow_network);
}

// Every text cut anywhere is read or refused with a message.
static void test_cut_files(void **state)
{
    (void)state;
    char text[sizeof STREETS];
    for (size_t size = 0; size < sizeof STREETS; size += 3) {
        memcpy(text, STREETS, size);
        text[size] = '\0';
        const mco_status st = read_all(test_file("streets.csv", text), NULL, NULL);
        assert_true(st == MCO_OK || mco_context_error(test_ctx)[0] != '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_gmns_reading), TEST(test_gmns_centroids), TEST(test_gmns_without_nodes), TEST(test_gmns_refusals), TEST(test_streets),
        TEST(test_matrix), TEST(test_classes), TEST(test_turns), TEST(test_movements), TEST(test_movement_refusals), TEST(test_round_trip_tntp), TEST(test_round_trip_gmns),
        TEST(test_round_trip_streets), TEST(test_round_trip_turns), TEST(test_flow_layouts), TEST(test_flows_written), TEST(test_flows_of_result), TEST(test_class_flows),
        TEST(test_geojson), TEST(test_matrices),
#ifdef MCO_HAVE_HDF5
        TEST(test_omx), TEST(test_omx_lookup),
#else
        TEST(test_omx_missing),
#endif
        TEST(test_pictures), TEST(test_generated), TEST(test_load), TEST(test_shapes_refused), TEST(test_memory_failures), TEST(test_cut_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
