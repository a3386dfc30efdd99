// SPDX-License-Identifier: MIT
// Small GTFS feeds for tests: files in the folder of the test, perhaps packed into archives without compression.
#ifndef MCO_GTFS_SUPPORT_H
#define MCO_GTFS_SUPPORT_H

#include "paths/transit/timetable.h"
#include "test_support.h"

typedef struct feed_file {
    const char *name, *content;  // content NULL: the file is left out
} feed_file;

enum { FEED_FILES = 9 };

// Three stops in a row and a station of two platforms, on weekdays of 2024. Trip "late" runs past midnight.
static const feed_file base_feed[FEED_FILES] = {
    {"agency.txt", "agency_name,agency_url,agency_timezone\nX,http://x,Europe/Paris\n"},
    {"stops.txt", "stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station\n"
                  "A,Alpha,45.00,7.00,,\nB,Beta,45.01,7.00,0,\nC,Gamma,45.02,7.00,0,\n"
                  "S,Station,45.03,7.00,1,\nS1,Platform 1,45.0300,7.00,0,S\nS2,Platform 2,45.0302,7.00,0,S\n"},
    {"routes.txt", "route_id,route_short_name,route_long_name,route_type\nr,1,Line one,3\nq,2,Line two,1\n"},
    {"calendar.txt", "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\n"
                     "w,1,1,1,1,1,0,0,20240101,20241231\n"},
    {"calendar_dates.txt", "service_id,date,exception_type\nw,20240501,2\nw,20240504,1\nx,20240505,1\n"},
    {"trips.txt", "route_id,service_id,trip_id,trip_headsign\nr,w,one,Gamma\nr,w,two,Gamma\nq,w,late,\nq,x,sunday,\n"},
    {"stop_times.txt", "trip_id,arrival_time,departure_time,stop_id,stop_sequence\n"
                       "one,08:00:00,08:00:00,A,1\none,,,B,2\none,08:20:00,08:20:00,C,3\n"
                       "two,09:00:00,09:00:00,A,10\ntwo,09:10:00,09:11:00,B,20\ntwo,09:20:00,09:20:00,C,30\n"
                       "late,23:50:00,23:50:00,C,1\nlate,24:10:00,24:12:00,S1,2\nlate,25:00:00,25:00:00,A,3\n"
                       "sunday,7:00:00,7:00:00,C,0\nsunday,7:30:00,7:30:00,A,5\n"},
    {"transfers.txt", NULL},
    {"frequencies.txt", NULL},
};

// Writes the base feed into the folder, with another content of one file; NULL leaves it out. `name` NULL: as it is. Returns the folder.
TEST_UNUSED static const char *feed_folder(const char *name, const char *content)
{
    bool is_known = name == NULL;
    for (int k = 0; k < FEED_FILES; k++) {
        const bool is_it = name != NULL && strcmp(base_feed[k].name, name) == 0;
        const char *text = is_it ? content : base_feed[k].content;
        is_known = is_known || is_it;
        if (text != NULL)
            test_file(base_feed[k].name, text);
        else
            unlink(test_path(base_feed[k].name));
    }
    assert_true(is_known);
    return test_folder;
}

// ---- Archives: entries that are stored, the directory, its end

static uint32_t feed_checksum(const void *data, size_t size)
{
    uint32_t sum = 0xffffffffu;
    for (size_t k = 0; k < size; k++) {
        sum ^= ((const uint8_t *)data)[k];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (0xedb88320u & (0u - (sum & 1)));
    }
    return ~sum;
}

static void feed_put(FILE *file, uint32_t value, int bytes)
{
    for (int k = 0; k < bytes; k++)
        fputc(k < 4 ? (int)(value >> 8 * k & 255) : 0, file);
}

static void feed_put_entry(FILE *file, const char *folder, const feed_file *f, bool is_directory, uint32_t at)
{
    const uint32_t size = (uint32_t)strlen(f->content);
    feed_put(file, is_directory ? 0x02014b50u : 0x04034b50u, 4);
    if (is_directory)
        feed_put(file, 20, 2);
    feed_put(file, 20, 2);
    feed_put(file, 0, 2);
    feed_put(file, 0, 2);  // stored
    feed_put(file, 0x58210000u, 4);
    feed_put(file, feed_checksum(f->content, size), 4);
    feed_put(file, size, 4);
    feed_put(file, size, 4);
    feed_put(file, (uint32_t)(strlen(folder) + strlen(f->name)), 2);
    feed_put(file, 0, 2);
    if (is_directory) {
        feed_put(file, 0, 10);
        feed_put(file, at, 4);
    }
    fprintf(file, "%s%s", folder, f->name);
    if (!is_directory)
        fwrite(f->content, 1, size, file);
}

// Packs the files of a feed; those without content are left out. Returns the path.
TEST_UNUSED static const char *feed_archive(const char *name, const char *folder, const feed_file *files, int count)
{
    const char *path = test_path(name);
    uint32_t at[FEED_FILES], entries = 0;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (int k = 0; k < count; k++) {
        at[k] = (uint32_t)ftell(file);
        if (files[k].content != NULL)
            feed_put_entry(file, folder, &files[k], false, 0);
        entries += files[k].content != NULL;
    }
    const uint32_t begin = (uint32_t)ftell(file);
    for (int k = 0; k < count; k++)
        if (files[k].content != NULL)
            feed_put_entry(file, folder, &files[k], true, at[k]);
    const uint32_t end = (uint32_t)ftell(file);
    feed_put(file, 0x06054b50u, 4);
    feed_put(file, 0, 4);
    feed_put(file, entries, 2);
    feed_put(file, entries, 2);
    feed_put(file, end - begin, 4);
    feed_put(file, begin, 4);
    feed_put(file, 0, 2);
    assert_int_equal(fclose(file), 0);
    return path;
}

// ---- What a timetable holds

// Adds a time as minutes of the day, seconds only where there are some: "8:00", "-0:50".
static void feed_add_time(char **out, int32_t seconds)
{
    const int32_t size = seconds < 0 ? -seconds : seconds;
    *out += sprintf(*out, " %s%d:%02d", seconds < 0 ? "-" : "", size / 3600, size / 60 % 60);
    if (size % 60 != 0)
        *out += sprintf(*out, ":%02d", size % 60);
}

// Routes with their stops, "+" where nobody boards and "-" where nobody leaves, and their trips with all times: valid until the next call.
TEST_UNUSED static const char *feed_routes(const transit_timetable *t)
{
    static char text[1 << 14];
    char *out = text;
    *out = '\0';
    for (int32_t r = 0; r < t->routes; r++) {
        out += sprintf(out, "%s", r > 0 ? " / " : "");
        for (int64_t k = t->stop_first[r]; k < t->stop_first[r + 1]; k++)
            out += sprintf(out, "%s%s%s%s", k > t->stop_first[r] ? " " : "", t->stop[t->route_stop[k]].id, (t->use[k] & 1) == 0 ? "+" : "",
                           (t->use[k] & 2) == 0 ? "-" : "");
        for (int32_t trip = t->trip_first[r]; trip < t->trip_first[r + 1]; trip++) {
            out += sprintf(out, "; %s", t->trip[trip].id);
            const int32_t *time = transit_times(t, trip);
            for (int64_t k = 0; k < t->stop_first[r + 1] - t->stop_first[r]; k++) {
                feed_add_time(&out, time[2 * k]);
                if (time[2 * k + 1] != time[2 * k])
                    feed_add_time(&out, time[2 * k + 1]);
            }
        }
    }
    return text;
}

// Walks and changes that are stated: "A>B 600, S1 120".
TEST_UNUSED static const char *feed_walks(const transit_timetable *t)
{
    static char text[1 << 12];
    char *out = text;
    *out = '\0';
    for (int32_t s = 0; s < t->stops; s++) {
        if (t->change[s] != 0)
            out += sprintf(out, "%s%s %d", out > text ? ", " : "", t->stop[s].id, t->change[s]);
        for (int64_t k = t->walk_first[s]; k < t->walk_first[s + 1]; k++)
            out += sprintf(out, "%s%s>%s %d", out > text ? ", " : "", t->stop[s].id, t->stop[t->walk[k].stop].id, t->walk[k].seconds);
    }
    return text;
}

// What must hold in every timetable: rows fit, times ascend along a trip and from trip to trip, stops list their routes.
TEST_UNUSED static void feed_require_sound(const transit_timetable *t)
{
    int64_t served = 0;
    for (int32_t r = 0; r < t->routes; r++) {
        const int64_t length = t->stop_first[r + 1] - t->stop_first[r];
        assert_true(length >= 2 && t->trip_first[r] < t->trip_first[r + 1]);
        for (int32_t trip = t->trip_first[r]; trip < t->trip_first[r + 1]; trip++) {
            const int32_t *time = transit_times(t, trip);
            assert_int_equal(t->trip[trip].route, r);
            assert_true(time[2 * length - 2] >= 0);
            for (int64_t k = 1; k < 2 * length; k++)
                assert_true(time[k - 1] <= time[k]);
            for (int64_t k = 0; k < 2 * length && trip > t->trip_first[r]; k++)
                assert_true(transit_times(t, trip - 1)[k] <= time[k]);
        }
    }
    assert_int_equal(t->routes > 0 ? t->trip_first[t->routes] : 0, t->trips);
    for (int32_t s = 0; s < t->stops; s++)
        for (int64_t k = t->serve_first[s]; k < t->serve_first[s + 1]; k++, served++)
            assert_int_equal(t->route_stop[t->stop_first[t->serve_route[k]] + t->serve_place[k]], s);
    assert_int_equal(served, t->stop_first[t->routes]);
    for (int32_t s = 0; s < t->stops; s++)
        for (int64_t k = t->walk_first[s]; k < t->walk_first[s + 1]; k++)
            assert_true(t->walk[k].stop != s && t->walk[k].seconds >= 0 && !t->stop[t->walk[k].stop].is_station);
}

#endif
