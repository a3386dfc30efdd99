// SPDX-License-Identifier: MIT
// Random timetables of a few stops: overtaking-free routes, changes, walks, places where boarding or leaving is not allowed,
// trips of the day before and trips past midnight.
#ifndef MCO_TRANSIT_SUPPORT_H
#define MCO_TRANSIT_SUPPORT_H

#include "base/rng.h"
#include "paths/transit/timetable.h"
#include "test_support.h"

typedef struct test_city {
    int32_t stops, routes, most_places, most_trips, most_walks;
    int32_t day;         // seconds in which trips begin
    int32_t granularity; // of times: many equal ones where it is large
} test_city;

static inline int32_t test_draw(mco_rng *rng, int32_t low, int32_t high)
{
    return low + (int32_t)mco_rng_below(rng, (uint32_t)(high - low + 1));
}

static void *test_room(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    assert_non_null(memory);
    return memory;
}

static char *test_name(const char *prefix, int32_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%s%d", prefix, number);
    char *copy = test_room(strlen(text) + 1, 1);
    strcpy(copy, text);
    return copy;
}

static void test_city_stops(transit_timetable *t, const test_city *c, mco_rng *rng)
{
    t->stops = c->stops;
    t->stop = test_room((size_t)t->stops, sizeof *t->stop);
    t->change = test_room((size_t)t->stops, sizeof *t->change);
    t->walk_first = test_room((size_t)t->stops + 1, sizeof *t->walk_first);
    t->walk = test_room((size_t)t->stops * (size_t)c->most_walks, sizeof *t->walk);
    for (int32_t s = 0; s < t->stops; s++) {
        t->stop[s] = (transit_stop){.latitude = -30 + 0.001 * s, .longitude = -51, .id = test_name("s", s), .name = test_name("Stop ", s), .station = -1};
        t->change[s] = test_draw(rng, 0, 3) * c->granularity;
        t->walk_first[s + 1] = t->walk_first[s];
        for (int32_t k = test_draw(rng, 0, c->most_walks); k > 0; k--) {
            const int32_t to = test_draw(rng, 0, t->stops - 1), seconds = test_draw(rng, 0, 5) * c->granularity;
            if (to != s)
                t->walk[t->walk_first[s + 1]++] = (transit_walk){to, seconds, 1.25 * seconds};
        }
    }
}

// The times of a trip are never before those of the trip before it.
static void test_city_trip(const test_city *c, mco_rng *rng, int32_t places, int32_t start, const int32_t *before, int32_t *time)
{
    int32_t now = start;
    for (int32_t p = 0; p < places; p++) {
        now += p > 0 ? test_draw(rng, 0, 6) * c->granularity : 0;
        if (before != NULL && before[2 * p] > now)
            now = before[2 * p];
        time[2 * p] = now;
        now += test_draw(rng, 0, 3) == 0 ? c->granularity : 0;
        if (before != NULL && before[2 * p + 1] > now)
            now = before[2 * p + 1];
        time[2 * p + 1] = now;
    }
}

static int test_by_number(const void *a, const void *b)
{
    return *(const int32_t *)a - *(const int32_t *)b;
}

static void test_city_routes(transit_timetable *t, const test_city *c, mco_rng *rng)
{
    const size_t routes = (size_t)c->routes, places = routes * (size_t)c->most_places, trips = routes * (size_t)c->most_trips;
    t->routes = c->routes;
    t->stop_first = test_room(routes + 1, sizeof *t->stop_first);
    t->route_stop = test_room(places, sizeof *t->route_stop);
    t->use = test_room(places, 1);
    t->trip_first = test_room(routes + 1, sizeof *t->trip_first);
    t->trip = test_room(trips, sizeof *t->trip);
    t->time_first = test_room(routes, sizeof *t->time_first);
    t->time = test_room(2 * trips * (size_t)c->most_places, sizeof *t->time);
    int64_t next = 0;
    for (int32_t r = 0; r < t->routes; r++) {
        const int32_t length = test_draw(rng, 2, c->most_places), count = test_draw(rng, 1, c->most_trips);
        int32_t starts[64];
        t->stop_first[r + 1] = t->stop_first[r] + length;
        t->trip_first[r + 1] = t->trip_first[r] + count;
        t->time_first[r] = next;
        for (int64_t p = t->stop_first[r]; p < t->stop_first[r + 1]; p++) {
            t->route_stop[p] = test_draw(rng, 0, t->stops - 1);
            t->use[p] = (uint8_t)(test_draw(rng, 0, 9) == 0 ? test_draw(rng, 0, 3) : 3);
        }
        for (int32_t i = 0; i < count; i++)
            starts[i] = test_draw(rng, -c->day / 8, c->day) / c->granularity * c->granularity;
        qsort(starts, (size_t)count, sizeof starts[0], test_by_number);
        for (int32_t i = 0; i < count; i++, next += 2 * length) {
            test_city_trip(c, rng, length, starts[i], i > 0 ? t->time + next - 2 * length : NULL, t->time + next);
            t->trip[t->trip_first[r] + i] = (transit_trip){.route = r, .id = test_name("t", t->trip_first[r] + i), .headsign = test_name("End ", r), .line = r};
        }
    }
    t->trips = t->trip_first[t->routes];
}

static void test_city_lines(transit_timetable *t)
{
    const int64_t places = t->stop_first[t->routes];
    t->lines = t->routes;
    t->line = test_room((size_t)t->lines, sizeof *t->line);
    for (int32_t r = 0; r < t->lines; r++)
        t->line[r] = (transit_line){.id = test_name("l", r), .short_name = test_name("", r), .long_name = test_name("Line ", r), .type = 3};
    t->feeds = 1;
    t->feed = test_room(1, sizeof *t->feed);
    t->feed[0] = test_name("feed", 0);
    t->serve_first = test_room((size_t)t->stops + 1, sizeof *t->serve_first);
    t->serve_route = test_room((size_t)places, sizeof *t->serve_route);
    t->serve_place = test_room((size_t)places, sizeof *t->serve_place);
    int64_t next = 0;
    for (int32_t s = 0; s < t->stops; s++) {
        for (int32_t r = 0; r < t->routes; r++)
            for (int64_t p = t->stop_first[r]; p < t->stop_first[r + 1]; p++)
                if (t->route_stop[p] == s) {
                    t->serve_route[next] = r;
                    t->serve_place[next++] = (int32_t)(p - t->stop_first[r]);
                }
        t->serve_first[s + 1] = next;
    }
}

// Makes a timetable of 2019-05-15; test_city_free() releases it.
TEST_UNUSED static transit_timetable test_city_make(const test_city *city, uint64_t seed)
{
    transit_timetable t = {.date = 20190515};
    mco_rng rng;
    mco_rng_seed(&rng, seed, 0);
    test_city_stops(&t, city, &rng);
    test_city_routes(&t, city, &rng);
    test_city_lines(&t);
    return t;
}

TEST_UNUSED static void test_city_free(transit_timetable *t)
{
    for (int32_t s = 0; s < t->stops; s++) {
        free(t->stop[s].id);
        free(t->stop[s].name);
    }
    for (int32_t i = 0; i < t->trips; i++) {
        free(t->trip[i].id);
        free(t->trip[i].headsign);
    }
    for (int32_t i = 0; i < t->lines; i++) {
        free(t->line[i].id);
        free(t->line[i].short_name);
        free(t->line[i].long_name);
    }
    free(t->feed[0]);
    void *const rows[] = {t->stop, t->line, t->feed, t->walk_first, t->walk, t->change, t->stop_first, t->route_stop, t->use, t->trip_first,
                          t->trip, t->time_first, t->time, t->serve_first, t->serve_route, t->serve_place};
    for (int i = 0; i < COUNT_OF(rows); i++)
        free(rows[i]);
}

#endif
