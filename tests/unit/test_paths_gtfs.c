// SPDX-License-Identifier: MIT
// GTFS feeds and their timetables: every feature, every refusal with its place and its values. If MCO_DATA names the folder of the
// public collections, the feeds of Porto Alegre are read.
#include "gtfs_support.h"

#include "paths/transit/date.h"
#include "paths/transit/map.h"

#define STOPS "stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station\n"
#define TRIPS "route_id,service_id,trip_id,trip_headsign\n"
#define CALLS "trip_id,arrival_time,departure_time,stop_id,stop_sequence\n"

static transit_rules rules_of(int32_t date)
{
    transit_rules rules = TRANSIT_RULES_INIT;
    rules.date = date;
    rules.walk_m = 0;
    return rules;
}

// The routes of a day, with one file of the base feed replaced.
static void assert_day(const char *name, const char *content, int32_t date, const char *expected)
{
    transit_timetable t;
    const transit_rules rules = rules_of(date);
    assert_ok(transit_read(test_ctx, feed_folder(name, content), &rules, &t));
    assert_string_equal(feed_routes(&t), expected);
    feed_require_sound(&t);
    transit_clear(test_ctx, &t);
}

// The feed is refused with this text behind its folder.
static void assert_refused(const char *name, const char *content, mco_status status, const char *expected)
{
    transit_timetable t;
    char text[MCO_ERROR_LENGTH];
    const transit_rules rules = rules_of(20240102);
    const char *folder = feed_folder(name, content);
    snprintf(text, sizeof text, "%s%s", folder, expected);
    assert_fails(transit_read(test_ctx, folder, &rules, &t), status, text);
    assert_null(t.stop);
}

#define assert_parse(name, content, expected) assert_refused(name, content, MCO_ERR_PARSE, "/" name expected)

// ---- Days

#define ONE_TWO "A- B C+; one 8:00 8:10 8:20; two 9:00 9:10 9:11 9:20"
#define LATE "C- S1 A+; late 23:50 24:10 24:12 25:00"

static void test_days(void **state)
{
    (void)state;
    assert_day(NULL, NULL, 20240101, ONE_TWO " / " LATE);  // Monday, the first day: nothing of the day before
    assert_day(NULL, NULL, 20240102, "C- S1 A+; late -0:10 0:10 0:12 1:00; late 23:50 24:10 24:12 25:00 / " ONE_TWO);
    assert_day(NULL, NULL, 20240106, "C- S1 A+; late -0:10 0:10 0:12 1:00");  // Saturday
    assert_day(NULL, NULL, 20240107, "");
    assert_day(NULL, NULL, 20240501, "C- S1 A+; late -0:10 0:10 0:12 1:00");  // Wednesday that was taken out
    assert_day(NULL, NULL, 20240504, "C- S1 A+; late -0:10 0:10 0:12 1:00; late 23:50 24:10 24:12 25:00 / " ONE_TWO);  // Saturday that was put in; Friday runs too
    assert_day(NULL, NULL, 20240505, "C- S1 A+; late -0:10 0:10 0:12 1:00 / C- A+; sunday 7:00 7:30");
    assert_day(NULL, NULL, 20250101, "C- S1 A+; late -0:10 0:10 0:12 1:00");  // the night of the last day
    assert_day(NULL, NULL, 20250102, "");
    assert_day("calendar.txt", NULL, 20240505, "C- S1 A+; late -0:10 0:10 0:12 1:00 / C- A+; sunday 7:00 7:30");
    assert_day("calendar_dates.txt", NULL, 20240501, "C- S1 A+; late -0:10 0:10 0:12 1:00; late 23:50 24:10 24:12 25:00 / " ONE_TWO);
    assert_day("agency.txt", NULL, 20240107, "");
}

static void test_several_days(void **state)
{
    (void)state;
    transit_timetable t;
    transit_rules rules = rules_of(20240505);
    rules.days = 2;
    assert_ok(transit_read(test_ctx, feed_folder(NULL, NULL), &rules, &t));
    assert_string_equal(feed_routes(&t), "C- S1 A+; late -0:10 0:10 0:12 1:00; late 47:50 48:10 48:12 49:00 / C- A+; sunday 7:00 7:30 / "
                                         "A- B C+; one 32:00 32:10 32:20; two 33:00 33:10 33:11 33:20");
    transit_clear(test_ctx, &t);
    rules.days = 8;
    assert_fails(transit_read(test_ctx, test_folder, &rules, &t), MCO_ERR_ARGUMENT, "8 days of service are asked for, 1 to 7 were expected");
    rules.days = 1;
    rules.date = 20240230;
    assert_fails(transit_read(test_ctx, test_folder, &rules, &t), MCO_ERR_ARGUMENT,
                 "the date is 20240230, a day YYYYMMDD from 1900 to 2199 was expected");
}

static void test_dates(void **state)
{
    (void)state;
    int32_t date = 20191230;
    for (int k = 0; k < 800; k++) {
        const int32_t next = date_add(date, 1);
        assert_true(date_is_valid(next));
        assert_int_equal(date_to_number(next), date_to_number(date) + 1);
        assert_int_equal(date_add(next, -1), date);
        assert_int_equal(date_weekday(next), (date_weekday(date) + 1) % 7);
        date = next;
    }
    assert_int_equal(date, 20220309);
    assert_int_equal(date_weekday(20190513), 0);
    assert_int_equal(date_weekday(19000101), 0);
    assert_false(date_is_valid(21000229));
    assert_true(date_is_valid(20000229));
}

// ---- Times

static void test_times(void **state)
{
    (void)state;
    assert_day("stop_times.txt", CALLS "one,8:00:00,8:00:00,A,1\none,,,B,2\none, ,,S1,3\none,8:00:10,8:00:10,C,4\n", 20240101,
               "A- B S1 C+; one 8:00 8:00:03 8:00:06 8:00:10");
    assert_day("stop_times.txt", CALLS "one,,8:00:00,A,1\none,8:05:00,,B,2\n", 20240101, "A- B+; one 8:00 8:05");  // one of the two
    assert_day("stop_times.txt", CALLS "one,9:00:00,9:00:00,C,9\none,8:00:00,8:00:00,A,3\none,,,B,4\n", 20240101,
               "A- B C+; one 8:00 8:30 9:00");  // in any order
    assert_day("stop_times.txt",
               "shape_dist_traveled,trip_id,arrival_time,departure_time,stop_id,stop_sequence\n"
               "0,one,8:00:00,8:00:00,A,1\n9,one,,,B,2\n10,one,8:10:00,8:10:00,C,3\n13,one,,,S1,4\n11,one,8:20:00,8:20:00,S2,5\n",
               20240101, "A- B C S1 S2+; one 8:00 8:09 8:10 8:15 8:20");  // by distances, and evenly where they go back
    assert_day("stop_times.txt", CALLS "one,8:00:00,8:00:00,A,1\none,8:00:00,8:00:00,A,2\n", 20240101, "A- A+; one 8:00 8:00");
    assert_day("stop_times.txt", CALLS "one,8:00:00,8:00:00,A,1\n", 20240101, "");  // one call is no trip
    assert_day("stop_times.txt", CALLS, 20240101, "");
}

static void test_times_refusals(void **state)
{
    (void)state;
    assert_parse("stop_times.txt", CALLS "one,8:00:00,7:59:59,A,1\n", ":2:13: departure_time \"7:59:59\" is before arrival_time \"8:00:00\"");
    assert_parse("stop_times.txt", CALLS "one,8:00:00,8:00:00,A,1\none,7:00:00,7:00:00,B,2\n",
                 ":3:1: trip \"one\", stop_sequence 2: arrival_time is before departure_time of an earlier call");
    assert_parse("stop_times.txt", CALLS "one,8:00:00,8:00:00,A,1\none,9:00:00,9:00:00,B,1\n",
                 ":3:1: trip \"one\", stop_sequence 1: this number is there twice");
    assert_parse("stop_times.txt", CALLS "one,,,A,1\none,9:00:00,9:00:00,B,2\n",
                 ":2:1: trip \"one\", stop_sequence 1: the first and the last call of a trip need a time");
    assert_parse("stop_times.txt", CALLS "one,9:00:00,9:00:00,A,1\none,,,B,2\n",
                 ":3:1: trip \"one\", stop_sequence 2: the first and the last call of a trip need a time");
    static const char *const wrong[] = {"8:60:00", "8:00", "8:00:60", "x", "-1:00:00", "240:00:01", "8:00:00x", "8::00", "1000:00:00"};
    for (int k = 0; k < COUNT_OF(wrong); k++) {
        char content[160], expected[160];
        snprintf(content, sizeof content, CALLS "one,%s,8:00:00,A,1\n", wrong[k]);
        snprintf(expected, sizeof expected, "/stop_times.txt:2:5: arrival_time is \"%s\", a time H:MM:SS up to 240:00:00 was expected", wrong[k]);
        assert_refused("stop_times.txt", content, MCO_ERR_PARSE, expected);
    }
}

// ---- Tables

static void test_tables(void **state)
{
    (void)state;
    static const char same[] = "A- B+; one 8:00 8:05";
    assert_day("stop_times.txt", "\xef\xbb\xbf" CALLS "one,8:00:00,8:00:00,A,1\none,8:05:00,8:05:00,B,2", 20240101, same);
    assert_day("stop_times.txt", "trip_id, arrival_time,departure_time ,stop_id,stop_sequence\r\none, 8:00:00,8:00:00,A,1\r\n\r\none,8:05:00,8:05:00 ,B,2\r\n",
               20240101, same);
    assert_day("stop_times.txt", "x,stop_sequence,\"stop_id\",trip_id,departure_time,arrival_time\n?,1,\"A\",one,8:00:00,8:00:00\n"
                                 "\"a,b\",2,\"B\",\"one\",8:05:00,\"8:05:00\"\n",
               20240101, same);
    assert_parse("stop_times.txt", "", ":1:1: the table has no header, which names its columns");
    assert_parse("stop_times.txt", "trip_id,arrival_time,stop_id,stop_sequence\n", ":1:1: the header has no column departure_time");
    assert_parse("stop_times.txt", CALLS "one,8:00:00,8:00:00,A,1,x\n", ":2:25: the row has more than the 5 cells of the header");
    assert_parse("stop_times.txt", CALLS "one,8:00:00,8:00:00,A,\n", ":2:23: stop_sequence is \"\", an integer was expected");
    assert_parse("stops.txt", "stop_id,stop_lat,stop_lon,stop_lat\n", ":1:27: the column stop_lat is there twice");
    assert_parse("stops.txt", STOPS "\"A,x,1,1\n", ":2:1: the quote of \"\"A\" is not closed before the next comma");
}

static void test_names(void **state)
{
    (void)state;
    transit_timetable t;
    int32_t stop;
    const transit_rules rules = rules_of(20240107);
    assert_ok(transit_read(test_ctx, feed_folder("stops.txt", STOPS "A,\"The \"\"Old\"\" Inn, gate\",1,2,,\n\"B\"\"\",,1,2\nC,,1,2\nS1,,3,4\nB,,0,0\n"), &rules, &t));
    assert_string_equal(t.stop[0].name, "The \"Old\" Inn, gate");
    assert_string_equal(t.stop[1].id, "B\"");
    assert_ok(transit_find_stop(test_ctx, &t, "B\"", &stop));
    assert_int_equal(stop, 1);
    assert_fails(transit_find_stop(test_ctx, &t, "Z", &stop), MCO_ERR_ARGUMENT, "no feed has the stop \"Z\"");
    transit_clear(test_ctx, &t);
}

// ---- Refusals of files, ids and numbers

static void test_files(void **state)
{
    (void)state;
    static const char *const needed[] = {"stops.txt", "routes.txt", "trips.txt", "stop_times.txt"};
    for (int k = 0; k < COUNT_OF(needed); k++) {
        char expected[80];
        snprintf(expected, sizeof expected, ": the feed has no file %s", needed[k]);
        assert_refused(needed[k], NULL, MCO_ERR_IO, expected);
    }
    transit_timetable t;
    char text[MCO_ERROR_LENGTH];
    const transit_rules rules = rules_of(20240102);
    feed_folder("calendar.txt", NULL);
    unlink(test_path("calendar_dates.txt"));
    snprintf(text, sizeof text, "%s: the feed has neither calendar.txt nor calendar_dates.txt", test_folder);
    assert_fails(transit_read(test_ctx, test_folder, &rules, &t), MCO_ERR_IO, text);
    assert_fails(transit_read(test_ctx, "no-such-feed.zip", &rules, &t), MCO_ERR_IO, "no-such-feed.zip: No such file or directory");
}

static void test_refusals(void **state)
{
    (void)state;
    assert_parse("stops.txt", STOPS "A,,1,1,,\nA,,2,2,,\n", ":3:1: stop_id \"A\" is there twice");
    assert_parse("stops.txt", STOPS ",,1,1,,\n", ":2:1: stop_id is empty");
    assert_parse("stops.txt", STOPS "A,,91,1,,\n", ":2:4: stop_lat is 91, allowed is -90 to 90");
    assert_parse("stops.txt", STOPS "A,,1,,,\n", ":2:6: stop_lon is \"\", a number was expected");
    assert_parse("stops.txt", STOPS "A,,1,1,5,\n", ":2:8: location_type is 5, allowed is 0 to 4");
    assert_parse("stops.txt", STOPS "A,,1,1,0,Q\n", ":2:1: parent_station of \"A\" is \"Q\", which stops.txt does not have");
    assert_parse("stops.txt", STOPS "A,,1,1,0,B\nB,,1,1,0,\n",
                 ":2:1: parent_station \"B\" has location_type 0, \"A\" has 0; a station, 1, was expected");
    assert_parse("routes.txt", "route_id,route_type\nr,x\n", ":2:3: route_type is \"x\", an integer was expected");
    assert_parse("calendar.txt", "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\nw,1,1,1,1,1,0,2,20240101,20241231\n",
                 ":2:15: sunday is 2, allowed is 0 to 1");
    assert_parse("calendar.txt", "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\nw,1,1,1,1,1,0,0,20240101,20231231\n",
                 ":2:26: end_date 20231231 is before start_date 20240101");
    assert_parse("calendar_dates.txt", "service_id,date,exception_type\nw,20230229,1\n", ":2:3: date is \"20230229\", a day YYYYMMDD was expected");
    assert_parse("calendar_dates.txt", "service_id,date,exception_type\nw,20230228,3\n", ":2:12: exception_type is 3, allowed is 1 to 2");
    assert_parse("trips.txt", TRIPS "z,w,one,\n", ":2:1: route_id is \"z\", which routes.txt does not have");
    assert_parse("trips.txt", TRIPS "r,w,one,\nr,w,one,\n", ":3:5: trip_id \"one\" is there twice");
    assert_parse("stop_times.txt", CALLS "z,8:00:00,8:00:00,A,1\n", ":2:1: trip_id is \"z\", which trips.txt does not have");
    assert_parse("stop_times.txt", CALLS "one,8:00:00,8:00:00,Z,1\n", ":2:21: stop_id is \"Z\", which stops.txt does not have");
    assert_parse("stop_times.txt", CALLS "one,8:00:00,8:00:00,S,1\n", ":2:21: stop_id \"S\" has location_type 1, trips call at stops, 0");
    assert_parse("transfers.txt", "from_stop_id,to_stop_id,transfer_type\nA,B,2\n", ":2:6: min_transfer_time is empty, transfer_type 2 needs it");
    assert_parse("frequencies.txt", "trip_id,start_time,end_time,headway_secs\none,9:00:00,8:00:00,60\n",
                 ":2:5: start_time is \"9:00:00\" and end_time \"8:00:00\", a later one was expected");
    assert_parse("frequencies.txt", "trip_id,start_time,end_time,headway_secs\none,8:00:00,9:00:00,0\n",
                 ":2:21: headway_secs is 0, allowed is 1 to 864000");
}

// ---- Routes

static void test_routes(void **state)
{
    (void)state;
    assert_day("stop_times.txt", CALLS "one,8:00:00,8:00:00,A,1\none,9:00:00,9:00:00,B,2\ntwo,8:10:00,8:10:00,A,1\ntwo,8:30:00,8:30:00,B,2\n",
               20240101, "A- B+; one 8:00 9:00 / A- B+; two 8:10 8:30");  // two overtakes one
    assert_day("stop_times.txt", CALLS "one,8:00:00,8:00:00,A,1\none,9:00:00,9:00:00,B,2\ntwo,8:00:00,8:00:00,A,1\ntwo,9:00:00,9:00:00,B,2\n",
               20240101, "A- B+; one 8:00 9:00; two 8:00 9:00");  // side by side
    assert_day("stop_times.txt",
               "pickup_type,drop_off_type," CALLS ",1,one,8:00:00,8:00:00,A,1\n0,1,one,8:10:00,8:10:00,B,2\n1,2,one,9:00:00,9:00:00,C,3\n"
               ",,two,8:00:00,8:00:00,A,1\n1,3,two,8:10:00,8:10:00,B,2\n,,two,9:00:00,9:00:00,C,3\n",
               20240101, "A- B- C+; one 8:00 8:10 9:00 / A- B+ C+; two 8:00 8:10 9:00");
}

static void test_frequencies(void **state)
{
    (void)state;
    static const char head[] = "trip_id,start_time,end_time,headway_secs,exact_times\n";
    char content[200];
    snprintf(content, sizeof content, "%s%s", head, "two,10:00:00,11:00:00,1800,1\none,6:00:00,6:10:01,600,\n");
    assert_day("frequencies.txt", content, 20240101,
               "A- B C+; one 6:00 6:10 6:20; one 6:10 6:20 6:30; two 10:00 10:10 10:11 10:20; two 10:30 10:40 10:41 10:50 / " LATE);
    snprintf(content, sizeof content, "%s%s", head, "late,22:00:00,24:00:00,3600,0\n");
    assert_day("frequencies.txt", content, 20240106, "C- S1 A+; late -1:00 -0:40 -0:38 0:10");  // 22:00 of Friday is over before midnight
}

// ---- Walks

static void assert_walks(const char *transfers, double walk_m, const char *expected)
{
    transit_timetable t;
    transit_rules rules = rules_of(20240107);
    rules.walk_m = walk_m;
    assert_ok(transit_read(test_ctx, feed_folder("transfers.txt", transfers), &rules, &t));
    assert_string_equal(feed_walks(&t), expected);
    feed_require_sound(&t);
    transit_clear(test_ctx, &t);
}

#define TRANSFERS "from_stop_id,to_stop_id,transfer_type,min_transfer_time\n"

static void test_walks(void **state)
{
    (void)state;
    // The platforms are 22.24 m apart: 28.9 m with the detour, 24.1 s. A and B are 1112 m apart: 1446 m, 1205 s.
    assert_walks(NULL, 0, "S1>S2 25, S2>S1 25");
    assert_walks(NULL, 1400, "S1>S2 25, S2>S1 25");
    assert_walks(NULL, 1450, "A>B 1205, B>A 1205, B>C 1205, C>B 1205, C>S1 1205, S1>C 1205, S1>S2 25, S2>S1 25");
    assert_walks(TRANSFERS "A,B,2,60\n", 0, "A>B 60, S1>S2 25, S2>S1 25");
    assert_walks(TRANSFERS "A,B,,\n", 0, "A>B 1205, S1>S2 25, S2>S1 25");
    assert_walks(TRANSFERS "A,S,2,300\n", 0, "A>S1 300, A>S2 300, S1>S2 25, S2>S1 25");
    assert_walks(TRANSFERS "A,S,2,300\nA,S1,2,400\n", 0, "A>S1 400, A>S2 300, S1>S2 25, S2>S1 25");  // a stop counts before its station
    assert_walks(TRANSFERS "S,S,2,120\n", 0, "S1 120, S1>S2 120, S2 120, S2>S1 120");
    assert_walks(TRANSFERS "S,S,2,120\nS1,S1,2,90\nS1,S2,3,\n", 0, "S1 90, S2 120, S2>S1 120");
    assert_walks(TRANSFERS "A,A,3,\nB,B,0,\nQ,A,2,5\nA,B,4,\n", 0, "A 536870912, S1>S2 25, S2>S1 25");
    assert_walks("from_stop_id,to_stop_id,transfer_type,min_transfer_time,from_trip_id\nA,B,2,60,one\n", 0, "S1>S2 25, S2>S1 25");
}

// Along a map: A and B are joined by a street of 1112 m; the platforms stand on it; C is off the map.
static void test_walks_on_map(void **state)
{
    (void)state;
    transit_timetable t;
    transit_map map;
    transit_rules rules = rules_of(20240107);
    rules.walk_m = 1120;
    const char *path = test_file("map.osm", "<osm><node id='1' lat='44.99' lon='7'/><node id='2' lat='45.01' lon='7'/>"
                                            "<node id='3' lat='45.03' lon='7'/><node id='4' lat='45.0301' lon='7'/>"
                                            "<way id='5'><nd ref='1'/><nd ref='2'/><tag k='highway' v='path'/></way>"
                                            "<way id='6'><nd ref='3'/><nd ref='4'/><tag k='highway' v='path'/></way></osm>");
    assert_ok(transit_map_read(test_ctx, path, PATHS_MAP_FOOT, &map));
    rules.map = &map;
    assert_ok(transit_read(test_ctx, feed_folder(NULL, NULL), &rules, &t));
    // From S1 to the end of its street 11.1 m, and from there 11.1 m to S2: 22.3 m, 18.6 s.
    assert_string_equal(feed_walks(&t), "A>B 927, B>A 927, S1>S2 19, S2>S1 19");
    feed_require_sound(&t);
    transit_clear(test_ctx, &t);
    transit_map_clear(test_ctx, &map);
}

// ---- Archives and several feeds

static char last_warning[200];

static void keep_warning(mco_log_level level, const char *line, void *user)
{
    (void)user;
    if (level == MCO_LOG_WARNING)
        snprintf(last_warning, sizeof last_warning, "%s", line);
}

static void test_warnings(void **state)
{
    (void)state;
    transit_timetable t;
    const transit_rules rules = rules_of(20300101);
    test_ctx->params.log = keep_warning;
    assert_ok(transit_read(test_ctx, feed_folder(NULL, NULL), &rules, &t));
    char expected[200];
    snprintf(expected, sizeof expected, "%s: no service on 20300101; its services run from 20240101 to 20241231", test_folder);
    assert_string_equal(last_warning, expected);
    assert_int_equal(t.trips, 0);
    assert_int_equal(t.stops, 6);
    feed_require_sound(&t);
    transit_clear(test_ctx, &t);
    assert_ok(transit_read(test_ctx, feed_folder("trips.txt", TRIPS "r,nothing,one,\nr,w,two,\nr,w,late,\nr,w,sunday,\n"), &rules, &t));
    transit_clear(test_ctx, &t);
    test_ctx->params.log = NULL;
}

#ifdef MCO_HAVE_LIBZIP
static void test_archives(void **state)
{
    (void)state;
    transit_timetable t;
    int32_t stop;
    char paths[400], expected[200];
    const transit_rules rules = rules_of(20240101);
    const char *a = feed_archive("a.zip", "", base_feed, FEED_FILES);
    const char *b = feed_archive("b.zip", "inner/", base_feed, FEED_FILES);
    snprintf(paths, sizeof paths, "%s,%s", a, b);
    assert_ok(transit_read(test_ctx, paths, &rules, &t));
    feed_require_sound(&t);
    assert_string_equal(feed_routes(&t), ONE_TWO " / " LATE " / " ONE_TWO " / " LATE);
    assert_int_equal(t.feeds, 2);
    assert_string_equal(t.feed[0], "a");
    assert_int_equal(t.stops, 12);
    assert_ok(transit_find_stop(test_ctx, &t, "b:C", &stop));
    assert_int_equal(stop, 8);
    assert_int_equal(t.stop[stop].feed, 1);
    assert_int_equal(t.stop[10].station, 9);
    assert_fails(transit_find_stop(test_ctx, &t, "C", &stop), MCO_ERR_ARGUMENT, "the stop \"C\" is in a and in b; write b:C");
    transit_clear(test_ctx, &t);
    snprintf(paths, sizeof paths, "%s,%s", a, "nothing.zip");
    assert_fails(transit_read(test_ctx, paths, &rules, &t), MCO_ERR_IO, "nothing.zip: No such file or directory");
    const char *lacks = feed_archive("c.zip", "", base_feed, 2);
    snprintf(expected, sizeof expected, "%s: the feed has no file routes.txt", lacks);
    assert_fails(transit_read(test_ctx, lacks, &rules, &t), MCO_ERR_IO, expected);
}

// Every shorter part of an archive, and every archive with one byte changed in a file, gives an error.
static void test_damaged_archives(void **state)
{
    (void)state;
    enum { ROOM = 1 << 14 };
    static char whole[ROOM];
    transit_timetable t;
    const transit_rules rules = rules_of(20240101);
    FILE *file = fopen(feed_archive("whole.zip", "", base_feed, FEED_FILES), "rb");
    assert_non_null(file);
    const size_t size = fread(whole, 1, ROOM, file);
    fclose(file);
    for (size_t cut = 0; cut < size; cut += TEST_IS_SANITIZED ? 29 : 7) {
        const mco_status st = transit_read(test_ctx, test_file_bytes("cut.zip", whole, cut), &rules, &t);
        assert_true(st == MCO_ERR_PARSE || st == MCO_ERR_IO);
        assert_true(mco_context_error(test_ctx)[0] != '\0');
    }
    char *calls = memmem(whole, size, "one,08:00", 9);
    assert_non_null(calls);
    calls[5] = '7';
    assert_int_equal(transit_read(test_ctx, test_file_bytes("cut.zip", whole, size), &rules, &t), MCO_ERR_PARSE);
    assert_non_null(strstr(mco_context_error(test_ctx), "stop_times.txt"));  // by its checksum
    assert_int_equal(transit_read(test_ctx, test_file("text.zip", "stop_id,stop_name\n"), &rules, &t), MCO_ERR_PARSE);
}
#else
static void test_archives(void **state)
{
    (void)state;
    transit_timetable t;
    const transit_rules rules = rules_of(20240101);
    assert_int_equal(transit_read(test_ctx, feed_archive("a.zip", "", base_feed, FEED_FILES), &rules, &t), MCO_ERR_IO);
    assert_non_null(strstr(mco_context_error(test_ctx), "libzip-dev"));
}
#endif

// ---- Memory, time

static void test_memory_fails(void **state)
{
    (void)state;
    transit_timetable t;
    transit_rules rules = rules_of(20240102);
    rules.walk_m = 1450;
    const char *folder = feed_folder("transfers.txt", TRANSFERS "A,S,2,300\nS,S,2,60\n");
    mco_status st = MCO_ERR_MEMORY;
    for (long k = 1; st != MCO_OK; k++) {
        test_fail_allocation(k);
        st = transit_read(test_ctx, folder, &rules, &t);
        assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
        assert_true(k < 1000);
    }
    test_fail_allocation(0);
    transit_clear(test_ctx, &t);
}

static void test_cancel(void **state)
{
    (void)state;
    transit_timetable t;
    const transit_rules rules = rules_of(20240101);
    // Ten thousand starts: more than one look at the clock.
    const char *folder = feed_folder("frequencies.txt", "trip_id,start_time,end_time,headway_secs\none,0:00:00,200:00:00,60\n");
    mco_cancel(test_ctx);
    assert_int_equal(transit_read(test_ctx, folder, &rules, &t), MCO_ERR_STOPPED);
    assert_ok(transit_read(test_ctx, folder, &rules, &t));
    transit_clear(test_ctx, &t);
}

// ---- Porto Alegre

static void test_porto_alegre(void **state)
{
    (void)state;
    const char *data = getenv("MCO_DATA");
    char paths[800];
    transit_timetable t;
    transit_rules rules = TRANSIT_RULES_INIT;
    rules.date = 20190513;
    if (data == NULL)
        skip();
#ifndef MCO_HAVE_LIBZIP
    skip();
#endif
    snprintf(paths, sizeof paths, "%s/roads/gtfs/poa_eptc.zip,%s/roads/gtfs/poa_trensurb.zip", data, data);
    if (access(strchr(paths, ',') + 1, R_OK) != 0)
        skip();
    assert_ok(transit_read(test_ctx, paths, &rules, &t));
    feed_require_sound(&t);
    assert_int_equal(t.stops, 3986 + 24);
    assert_int_equal(t.lines, 115 + 2);
    int32_t of_feed[2] = {0, 0};
    for (int32_t k = 0; k < t.trips; k++)
        of_feed[t.line[t.trip[k].line].feed]++;
    assert_int_equal(of_feed[0], 2374);  // as a count over the files without this reader gives them
    assert_int_equal(of_feed[1], 529);
    transit_clear(test_ctx, &t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_days), TEST(test_several_days), TEST(test_dates), TEST(test_times), TEST(test_times_refusals), TEST(test_tables),
        TEST(test_names), TEST(test_files), TEST(test_refusals), TEST(test_routes), TEST(test_frequencies), TEST(test_walks),
        TEST(test_walks_on_map),
        TEST(test_warnings), TEST(test_archives),
#ifdef MCO_HAVE_LIBZIP
        TEST(test_damaged_archives),
#endif
        TEST(test_memory_fails), TEST(test_cancel), TEST(test_porto_alegre),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
