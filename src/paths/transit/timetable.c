// SPDX-License-Identifier: MIT
// Makes the timetable of a day from feeds. Runs are trips on a day: each trip of a service that runs, and each start that
// frequencies give. Runs with the same stops and the same use of them are of one pattern. Runs of a pattern are taken in the order
// of their times; each joins the first route of its pattern whose last run it does not overtake, else it begins a route (Delling,
// Pajor, Werneck 2015, round-based public transit routing). So within a route all columns of times ascend.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/blocks.h"
#include "base/grow.h"
#include "paths/transit/build.h"
#include "paths/transit/date.h"

enum { DAY = 86400 };

typedef struct run {
    const gtfs_call *call;  // [length] of its trip
    int32_t feed, trip;
    int32_t length;
    int32_t shift;     // is added to the times of the trip
    int32_t pattern;
    int32_t begin, end;  // first departure, last arrival
    int32_t route;
    int32_t next;      // of the same route
} run;

typedef struct builder {
    mco_context *ctx;
    const gtfs_feed *feed;
    int32_t feeds;
    const transit_rules *rules;
    transit_timetable *t;
    int32_t *first_stop, *first_line;  // [feeds]
    run *runs;
    int64_t count, room;
    int32_t *pattern_of;  // [trips of all feeds] by first_trip
    int64_t *first_trip;  // [feeds]
    int32_t *slot;        // hash table of patterns: run + 1 of their first one
    uint64_t slots;
    int32_t patterns;
    int32_t *last_run;    // [routes] while runs are handed out
    int32_t *first_run;
    int32_t *length;      // [routes] runs
    int64_t route_room[3];
    int64_t looks;
} builder;

// ---- Stops and lines

static mco_status copy(builder *b, const char *text, char **out)
{
    return transit_pool_add(b->ctx, &b->t->text, text, strlen(text), out);
}

static mco_status refuse_many(builder *b, int64_t count, const char *what)
{
    return count <= INT32_MAX ? MCO_OK : mco_fail(b->ctx, MCO_ERR_LIMIT, "%" PRId64 " %s, at most %d are supported", count, what, INT32_MAX);
}

static mco_status copy_stops(builder *b)
{
    mco_status st = MCO_OK;
    transit_timetable *t = b->t;
    int32_t at = 0;
    for (int32_t f = 0; f < b->feeds; f++)
        for (int32_t k = 0; k < b->feed[f].stops; k++) {
            const gtfs_stop *from = &b->feed[f].stop[k];
            transit_stop *to = &t->stop[at++];
            to->latitude = from->latitude;
            to->longitude = from->longitude;
            to->feed = f;
            to->is_station = from->type != 0;
            to->station = from->station < 0 ? -1 : b->first_stop[f] + from->station;
            MCO_TRY(copy(b, from->id, &to->id));
            MCO_TRY(copy(b, from->name, &to->name));
        }
done:
    return st;
}

static mco_status copy_lines(builder *b)
{
    mco_status st = MCO_OK;
    int32_t at = 0;
    for (int32_t f = 0; f < b->feeds; f++)
        for (int32_t k = 0; k < b->feed[f].routes; k++) {
            const gtfs_route *from = &b->feed[f].route[k];
            transit_line *to = &b->t->line[at++];
            to->type = from->type;
            to->feed = f;
            MCO_TRY(copy(b, from->id, &to->id));
            MCO_TRY(copy(b, from->short_name, &to->short_name));
            MCO_TRY(copy(b, from->long_name, &to->long_name));
        }
done:
    return st;
}

static mco_status make_places(builder *b)
{
    mco_status st = MCO_OK;
    transit_timetable *t = b->t;
    int64_t stops = 0, lines = 0, trips = 0;
    MCO_TRY(mco_alloc(b->ctx, &b->first_stop, b->feeds));
    MCO_TRY(mco_alloc(b->ctx, &b->first_line, b->feeds));
    MCO_TRY(mco_alloc(b->ctx, &b->first_trip, b->feeds));
    for (int32_t f = 0; f < b->feeds; f++) {
        b->first_stop[f] = (int32_t)stops;
        b->first_line[f] = (int32_t)lines;
        b->first_trip[f] = trips;
        stops += b->feed[f].stops;
        lines += b->feed[f].routes;
        trips += b->feed[f].trips;
        MCO_TRY(refuse_many(b, stops, "stops"));
        MCO_TRY(refuse_many(b, lines, "lines"));
    }
    t->feeds = b->feeds;
    t->stops = (int32_t)stops;
    t->lines = (int32_t)lines;
    MCO_TRY(mco_alloc(b->ctx, &b->pattern_of, trips));
    memset(b->pattern_of, -1, (size_t)trips * sizeof *b->pattern_of);
    MCO_TRY(mco_alloc(b->ctx, &t->feed, b->feeds));
    MCO_TRY(mco_alloc(b->ctx, &t->stop, stops));
    MCO_TRY(mco_alloc(b->ctx, &t->line, lines));
    for (int32_t f = 0; f < b->feeds; f++)
        MCO_TRY(copy(b, b->feed[f].name, &t->feed[f]));
    MCO_TRY(copy_stops(b));
    MCO_TRY(copy_lines(b));
done:
    return st;
}

// ---- Runs

// Adds a run unless it is over before second 0.
static mco_status add_run(builder *b, int32_t f, int32_t t, int32_t shift)
{
    mco_status st = MCO_OK;
    const gtfs_trip *trip = &b->feed[f].trip[t];
    const gtfs_call *call = &b->feed[f].call[trip->first];
    const int32_t end = call[trip->length - 1].arrival + shift;
    if (end < 0)
        return MCO_OK;
    MCO_TRY(refuse_many(b, b->count + 1, "trips of the day"));
    MCO_TRY(mco_grow(b->ctx, &b->runs, &b->room, b->count + 1));
    if (b->count % 4096 == 0)
        MCO_TRY(mco_read_in_time(b->ctx, b->feed[f].name));
    b->runs[b->count++] = (run){.call = call, .feed = f, .trip = t, .length = trip->length, .shift = shift,
                                .begin = call[0].departure + shift, .end = end, .route = -1, .next = -1};
done:
    return st;
}

// Adds the runs that frequencies give a trip: its first departure is moved to each start. Starts that are over before second 0 are
// left out in one step.
static mco_status add_frequencies(builder *b, int32_t f, const gtfs_frequency *q, int32_t day)
{
    mco_status st = MCO_OK;
    const int32_t departure = b->feed[f].call[b->feed[f].trip[q->trip].first].departure;
    for (int64_t start = q->begin; start < q->end; start += q->headway)
        MCO_TRY(add_run(b, f, q->trip, (int32_t)(start - departure) + day * DAY));
done:
    return st;
}

// Adds all runs of a feed on one day of service, `day` days from the date asked for.
static mco_status add_day(builder *b, int32_t f, int32_t day, bool *runs, int64_t *of_day)
{
    mco_status st = MCO_OK;
    const gtfs_feed *feed = &b->feed[f];
    const int64_t before = b->count;
    int64_t q = 0;
    gtfs_find_services(feed, date_add(b->rules->date, day), runs);
    for (int32_t t = 0; t < feed->trips; t++) {
        const gtfs_trip *trip = &feed->trip[t];
        const int64_t end = q + trip->frequencies;
        const bool counts = trip->service >= 0 && runs[trip->service] && trip->length >= 2;
        if (counts && trip->frequencies == 0)
            MCO_TRY(add_run(b, f, t, day * DAY));
        for (; q < end; q++)
            if (counts)
                MCO_TRY(add_frequencies(b, f, &feed->frequency[q], day));
    }
    *of_day = b->count - before;
done:
    return st;
}

static void warn_of_no_service(const builder *b, int32_t f)
{
    const gtfs_feed *feed = &b->feed[f];
    if (feed->first_date == 0)
        mco_log(b->ctx, MCO_LOG_WARNING, "%s: no service on any day", feed->name);
    else
        mco_log(b->ctx, MCO_LOG_WARNING, "%s: no service on %d; its services run from %d to %d", feed->name, b->rules->date,
                feed->first_date, feed->last_date);
}

// The days of service of which a run may be under way at second 0 or later: the latest time of a feed says how many come before.
static int32_t days_before(const gtfs_feed *feed)
{
    int64_t latest = 0;
    for (int32_t t = 0; t < feed->trips; t++) {
        const gtfs_trip *trip = &feed->trip[t];
        if (trip->length >= 2 && feed->call[trip->first + trip->length - 1].arrival > latest)
            latest = feed->call[trip->first + trip->length - 1].arrival;
    }
    for (int64_t k = 0; k < feed->frequencies; k++) {
        const gtfs_trip *trip = &feed->trip[feed->frequency[k].trip];
        if (trip->length < 2)
            continue;
        const gtfs_call *call = &feed->call[trip->first];
        const int64_t end = (int64_t)feed->frequency[k].end + call[trip->length - 1].arrival - call[0].departure;
        latest = end > latest ? end : latest;
    }
    return (int32_t)(latest / DAY);
}

static mco_status add_runs(builder *b)
{
    mco_status st = MCO_OK;
    bool *runs = NULL;
    for (int32_t f = 0; f < b->feeds; f++) {
        int64_t of_day = 0, of_date = 0, before = 0;
        MCO_TRY(mco_alloc(b->ctx, &runs, b->feed[f].services));
        for (int32_t day = -days_before(&b->feed[f]); day < b->rules->days; day++) {
            MCO_TRY(add_day(b, f, day, runs, &of_day));
            of_date += day == 0 ? of_day : 0;
            before += day < 0 ? of_day : 0;
        }
        mco_free(b->ctx, &runs);
        if (of_date == 0)
            warn_of_no_service(b, f);
        if (before > 0)
            mco_log(b->ctx, MCO_LOG_INFO, "%s: %" PRId64 " trips of earlier days run past midnight into %d", b->feed[f].name, before,
                    b->rules->date);
    }
done:
    mco_free(b->ctx, &runs);
    return st;
}

// ---- Patterns

// What may be done at a place of a run. Nobody leaves where it begins and boards where it ends.
static uint8_t use_at(const run *r, int32_t k)
{
    const uint8_t allowed = k == 0 ? 1 : k == r->length - 1 ? 2 : 3;
    return r->call[k].use & allowed;
}

static uint64_t hash_run(const builder *b, const run *r)
{
    uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a, over numbers instead of bytes
    for (int32_t k = 0; k < r->length; k++)
        hash = (hash ^ ((uint64_t)(b->first_stop[r->feed] + r->call[k].stop) << 2 | use_at(r, k))) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

static bool is_same_pattern(const run *x, const run *y)
{
    bool is_same = x->feed == y->feed && x->length == y->length;  // feeds share no stops
    for (int32_t k = 0; k < x->length && is_same; k++)
        is_same = x->call[k].stop == y->call[k].stop && use_at(x, k) == use_at(y, k);
    return is_same;
}

static mco_status find_patterns(builder *b)
{
    mco_status st = MCO_OK;
    for (b->slots = 2; b->slots <= 2 * (uint64_t)b->count;)
        b->slots *= 2;
    MCO_TRY(mco_alloc(b->ctx, &b->slot, b->slots));
    for (int64_t k = 0; k < b->count; k++) {
        run *r = &b->runs[k];
        int32_t *known = &b->pattern_of[b->first_trip[r->feed] + r->trip];
        if (*known < 0) {
            uint64_t at = hash_run(b, r) & (b->slots - 1);
            while (b->slot[at] != 0 && !is_same_pattern(r, &b->runs[b->slot[at] - 1]))
                at = (at + 1) & (b->slots - 1);
            if (b->slot[at] == 0) {
                b->slot[at] = (int32_t)k + 1;
                r->pattern = b->patterns++;
            }
            *known = b->runs[b->slot[at] - 1].pattern;
        }
        r->pattern = *known;
    }
done:
    return st;
}

// By pattern, then by times; equal runs by feed, trip and shift, so that the order is the same everywhere.
static int by_time(const void *a, const void *b)
{
    const run *x = a, *y = b;
    if (x->pattern != y->pattern)
        return x->pattern < y->pattern ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    if (x->trip != y->trip)
        return x->trip < y->trip ? -1 : 1;
    return (x->shift > y->shift) - (x->shift < y->shift);
}

// ---- Routes

// Whether no time of `y` is before that of `x`.
static bool follows(const run *x, const run *y)
{
    bool is_behind = true;
    for (int32_t k = 0; k < x->length && is_behind; k++)
        is_behind = x->call[k].arrival + x->shift <= y->call[k].arrival + y->shift &&
                    x->call[k].departure + x->shift <= y->call[k].departure + y->shift;
    return is_behind;
}

static mco_status begin_route(builder *b, int32_t k)
{
    mco_status st = MCO_OK;
    const int64_t count = (int64_t)b->t->routes + 1;
    MCO_TRY(mco_grow(b->ctx, &b->first_run, &b->route_room[0], count));
    MCO_TRY(mco_grow(b->ctx, &b->last_run, &b->route_room[1], count));
    MCO_TRY(mco_grow(b->ctx, &b->length, &b->route_room[2], count));
    b->runs[k].route = b->t->routes++;
    b->first_run[count - 1] = b->last_run[count - 1] = k;
    b->length[count - 1] = 1;
done:
    return st;
}

// Hands the runs, in their order, to routes.
static mco_status find_routes(builder *b)
{
    mco_status st = MCO_OK;
    int32_t first_route = 0;  // of the pattern
    for (int32_t k = 0; k < (int32_t)b->count; k++) {
        if (k == 0 || b->runs[k].pattern != b->runs[k - 1].pattern)
            first_route = b->t->routes;
        int32_t route = first_route;
        while (route < b->t->routes && !follows(&b->runs[b->last_run[route]], &b->runs[k])) {
            route++;
            if (++b->looks % 4096 == 0)
                MCO_TRY(mco_read_in_time(b->ctx, b->feed[b->runs[k].feed].name));
        }
        if (route == b->t->routes) {
            MCO_TRY(begin_route(b, k));
            continue;
        }
        b->runs[k].route = route;
        b->runs[b->last_run[route]].next = k;
        b->last_run[route] = k;
        b->length[route]++;
    }
done:
    return st;
}

static mco_status write_run(builder *b, const run *r, int32_t trip, int32_t *time)
{
    mco_status st = MCO_OK;
    const gtfs_trip *from = &b->feed[r->feed].trip[r->trip];
    transit_trip *to = &b->t->trip[trip];
    to->route = r->route;
    to->line = b->first_line[r->feed] + from->route;
    MCO_TRY(copy(b, from->id, &to->id));
    MCO_TRY(copy(b, from->headsign, &to->headsign));
    for (int32_t k = 0; k < r->length; k++) {
        time[2 * k] = r->call[k].arrival + r->shift;
        time[2 * k + 1] = r->call[k].departure + r->shift;
    }
done:
    return st;
}

static mco_status write_routes(builder *b)
{
    mco_status st = MCO_OK;
    transit_timetable *t = b->t;
    int64_t places = 0, times = 0;
    MCO_TRY(mco_alloc(b->ctx, &t->stop_first, (int64_t)t->routes + 1));
    MCO_TRY(mco_alloc(b->ctx, &t->trip_first, (int64_t)t->routes + 1));
    MCO_TRY(mco_alloc(b->ctx, &t->time_first, (int64_t)t->routes + 1));
    for (int32_t r = 0; r < t->routes; r++) {
        const int64_t length = b->runs[b->first_run[r]].length;
        t->time_first[r] = times;
        places += length;
        times += 2 * length * b->length[r];
        t->stop_first[r + 1] = places;
        t->trip_first[r + 1] = t->trip_first[r] + b->length[r];
    }
    t->trips = (int32_t)b->count;
    MCO_TRY(mco_alloc(b->ctx, &t->route_stop, places));
    MCO_TRY(mco_alloc(b->ctx, &t->use, places));
    MCO_TRY(mco_alloc(b->ctx, &t->time, times));
    MCO_TRY(mco_alloc(b->ctx, &t->trip, t->trips));
    for (int32_t r = 0; r < t->routes; r++) {
        const run *first = &b->runs[b->first_run[r]];
        int32_t trip = t->trip_first[r];
        int32_t *time = t->time + t->time_first[r];
        for (int32_t k = 0; k < first->length; k++) {
            t->route_stop[t->stop_first[r] + k] = b->first_stop[first->feed] + first->call[k].stop;
            t->use[t->stop_first[r] + k] = use_at(first, k);
        }
        for (int32_t k = b->first_run[r]; k >= 0; k = b->runs[k].next, trip++, time += 2 * first->length)
            MCO_TRY(write_run(b, &b->runs[k], trip, time));
    }
done:
    return st;
}

// Lists the routes of each stop, by counting.
static mco_status write_serves(builder *b)
{
    mco_status st = MCO_OK;
    transit_timetable *t = b->t;
    const int64_t places = t->stop_first[t->routes];
    MCO_TRY(mco_alloc(b->ctx, &t->serve_first, (int64_t)t->stops + 1));
    MCO_TRY(mco_alloc(b->ctx, &t->serve_route, places));
    MCO_TRY(mco_alloc(b->ctx, &t->serve_place, places));
    for (int64_t k = 0; k < places; k++)
        t->serve_first[t->route_stop[k]]++;
    int64_t begin = 0;
    for (int32_t s = 0; s <= t->stops; s++) {
        const int64_t count = t->serve_first[s];
        t->serve_first[s] = begin;
        begin += count;
    }
    for (int32_t r = 0; r < t->routes; r++)
        for (int64_t k = t->stop_first[r]; k < t->stop_first[r + 1]; k++) {
            const int64_t at = t->serve_first[t->route_stop[k]]++;
            t->serve_route[at] = r;
            t->serve_place[at] = (int32_t)(k - t->stop_first[r]);
        }
    for (int32_t s = t->stops; s > 0; s--)  // each has moved to the next one's begin
        t->serve_first[s] = t->serve_first[s - 1];
    t->serve_first[0] = 0;
done:
    return st;
}

// ---- The timetable

static mco_status refuse_rules(mco_context *ctx, const transit_rules *rules)
{
    if (!date_is_valid(rules->date))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the date is %d, a day YYYYMMDD from 1900 to 2199 was expected", rules->date);
    if (rules->days < 1 || rules->days > 7)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%d days of service are asked for, 1 to 7 were expected", rules->days);
    if (rules->change_s < 0 || rules->change_s > DAY)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a change takes %d s, 0 to %d were expected", rules->change_s, DAY);
    if (!(rules->walk_m >= 0 && rules->walk_m <= 100000))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "walks between stops have up to %g m, 0 to 100000 were expected", rules->walk_m);
    if (!(rules->walk_m_per_s >= 0.1 && rules->walk_m_per_s <= 10))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the walking speed is %g m/s, 0.1 to 10 were expected", rules->walk_m_per_s);
    if (!(rules->detour >= 1 && rules->detour <= 10))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the detour of walks is %g, 1 to 10 were expected", rules->detour);
    return MCO_OK;
}

static void clear_builder(builder *b)
{
    mco_free(b->ctx, &b->length);
    mco_free(b->ctx, &b->last_run);
    mco_free(b->ctx, &b->first_run);
    mco_free(b->ctx, &b->slot);
    mco_free(b->ctx, &b->runs);
    mco_free(b->ctx, &b->pattern_of);
    mco_free(b->ctx, &b->first_trip);
    mco_free(b->ctx, &b->first_line);
    mco_free(b->ctx, &b->first_stop);
}

static void warn_of_zones(mco_context *ctx, const gtfs_feed *feed, int32_t feeds)
{
    for (int32_t f = 1; f < feeds; f++)
        if (strcmp(feed[f].time_zone, feed[0].time_zone) != 0)
            mco_log(ctx, MCO_LOG_WARNING, "%s has the time zone \"%s\", %s \"%s\"; times are taken as they stand", feed[f].name,
                    feed[f].time_zone, feed[0].name, feed[0].time_zone);
}

mco_status transit_make(mco_context *ctx, const gtfs_feed *feed, int32_t feeds, const transit_rules *rules, transit_timetable *out)
{
    mco_status st = MCO_OK;
    transit_timetable t = {.date = rules->date};
    builder b = {.ctx = ctx, .feed = feed, .feeds = feeds, .rules = rules, .t = &t};
    MCO_TRY(refuse_rules(ctx, rules));
    warn_of_zones(ctx, feed, feeds);
    MCO_TRY(make_places(&b));
    MCO_TRY(add_runs(&b));
    MCO_TRY(find_patterns(&b));
    if (b.count > 0)
        qsort(b.runs, (size_t)b.count, sizeof *b.runs, by_time);
    MCO_TRY(find_routes(&b));
    MCO_TRY(write_routes(&b));
    MCO_TRY(write_serves(&b));
    MCO_TRY(transit_walks_make(ctx, feed, feeds, b.first_stop, rules, &t));
    mco_log(ctx, MCO_LOG_INFO, "timetable of %d: %d stops, %d trips on %d routes of %d patterns, %" PRId64 " walks", t.date, t.stops,
            t.trips, t.routes, b.patterns, t.walk_first[t.stops]);
done:
    clear_builder(&b);
    if (st != MCO_OK)
        transit_clear(ctx, &t);
    *out = t;
    return st;
}

void transit_clear(mco_context *ctx, transit_timetable *t)
{
    mco_free(ctx, &t->serve_place);
    mco_free(ctx, &t->serve_route);
    mco_free(ctx, &t->serve_first);
    mco_free(ctx, &t->time);
    mco_free(ctx, &t->time_first);
    mco_free(ctx, &t->trip);
    mco_free(ctx, &t->trip_first);
    mco_free(ctx, &t->use);
    mco_free(ctx, &t->route_stop);
    mco_free(ctx, &t->stop_first);
    mco_free(ctx, &t->change);
    mco_free(ctx, &t->walk);
    mco_free(ctx, &t->walk_first);
    mco_free(ctx, &t->feed);
    mco_free(ctx, &t->line);
    mco_free(ctx, &t->stop);
    transit_pool_clear(ctx, &t->text);
    *t = (transit_timetable){0};
}

// ---- Files

static int32_t count_commas(const char *text)
{
    int32_t count = 0;
    for (; (text = strchr(text, ',')) != NULL; text++)
        count++;
    return count;
}

mco_status transit_read(mco_context *ctx, const char *paths, const transit_rules *rules, transit_timetable *out)
{
    mco_status st = MCO_OK;
    struct stat info;
    gtfs_feed *feed = NULL;
    char *list = NULL;
    const bool is_one = stat(paths, &info) == 0;  // a path with a comma in it
    const int32_t feeds = is_one ? 1 : count_commas(paths) + 1;
    *out = (transit_timetable){0};
    MCO_TRY(refuse_rules(ctx, rules));
    MCO_TRY(mco_alloc(ctx, &feed, feeds));
    MCO_TRY(mco_alloc(ctx, &list, strlen(paths) + 1));
    memcpy(list, paths, strlen(paths) + 1);
    char *path = list;
    for (int32_t f = 0; f < feeds; f++) {
        char *comma = is_one ? NULL : strchr(path, ',');
        if (comma != NULL)
            *comma = '\0';
        MCO_TRY(gtfs_read(ctx, path, &feed[f]));
        path = comma != NULL ? comma + 1 : path;
    }
    MCO_TRY(transit_make(ctx, feed, feeds, rules, out));
done:
    for (int32_t f = 0; feed != NULL && f < feeds; f++)
        gtfs_clear(ctx, &feed[f]);
    mco_free(ctx, &list);
    mco_free(ctx, &feed);
    return st;
}

// Whether a stop is called so: "id", or "feed:id".
static bool is_called(const transit_timetable *t, const transit_stop *stop, const char *name)
{
    const char *feed = t->feed[stop->feed];
    const size_t size = strlen(feed);
    return strcmp(name, stop->id) == 0 || (strncmp(name, feed, size) == 0 && name[size] == ':' && strcmp(name + size + 1, stop->id) == 0);
}

mco_status transit_find_stop(mco_context *ctx, const transit_timetable *t, const char *name, int32_t *stop)
{
    *stop = -1;
    for (int32_t s = 0; s < t->stops; s++) {
        if (!is_called(t, &t->stop[s], name))
            continue;
        if (*stop >= 0)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "the stop \"%s\" is in %s and in %s; write %s:%s", name, t->feed[t->stop[*stop].feed],
                            t->feed[t->stop[s].feed], t->feed[t->stop[s].feed], t->stop[s].id);
        *stop = s;
    }
    return *stop >= 0 ? MCO_OK : mco_fail(ctx, MCO_ERR_ARGUMENT, "no feed has the stop \"%s\"", name);
}
