// SPDX-License-Identifier: MIT
// Walks between stops. What a feed states about a pair of stops counts first, a row about stops before one about stations; then come
// walks within a station, and walks up to the longest one allowed. Walks are not closed under chains: a walk and a walk behind it
// are no walk, so a journey has at most one walk between two rides.
#include <math.h>
#include <stdlib.h>

#include "base/blocks.h"
#include "base/grow.h"
#include "paths/transit/build.h"
#include "paths/transit/streets.h"

enum { BY_NEARNESS = 3 };  // rank of a walk that no feed states; below it, the number of stations in the row of transfers

typedef struct pair {
    int32_t from, to;
    int32_t rank;
    int32_t seconds;  // TRANSIT_NEVER: the feed forbids it
    double metres;
} pair;

typedef struct walks {
    mco_context *ctx;
    const transit_rules *rules;
    transit_timetable *t;
    pair *pairs;
    int64_t count, room;
    int32_t *child_first;  // [stops + 1] of a station
    int32_t *child;        // stops where trips call
    int8_t *change_rank;   // [stops] of the row that stated change[stop]
    int64_t looks;
} walks;

double transit_metres(double latitude_a, double longitude_a, double latitude_b, double longitude_b)
{
    static const double radius_m = 6371008.8, degree = 3.14159265358979323846 / 180;
    const double y = sin((latitude_b - latitude_a) * degree / 2), x = sin((longitude_b - longitude_a) * degree / 2);
    const double h = y * y + cos(latitude_a * degree) * cos(latitude_b * degree) * x * x;
    return 2 * radius_m * asin(sqrt(h < 1 ? h : 1));
}

static mco_status look_at_clock(walks *w)
{
    return ++w->looks % 4096 == 0 ? mco_read_in_time(w->ctx, "walks") : MCO_OK;
}

static mco_status add_pair(walks *w, int32_t from, int32_t to, int32_t rank, int32_t seconds, double metres)
{
    mco_status st = MCO_OK;
    MCO_TRY(look_at_clock(w));
    MCO_TRY(mco_grow(w->ctx, &w->pairs, &w->room, w->count + 1));
    w->pairs[w->count++] = (pair){from, to, rank, seconds, metres};
done:
    return st;
}

static double metres_between(const walks *w, int32_t a, int32_t b)
{
    const transit_stop *x = &w->t->stop[a], *y = &w->t->stop[b];
    return w->rules->detour * transit_metres(x->latitude, x->longitude, y->latitude, y->longitude);
}

// Adds the walk along a straight line, times the detour.
static mco_status add_line(walks *w, int32_t from, int32_t to)
{
    const double metres = metres_between(w, from, to);
    return add_pair(w, from, to, BY_NEARNESS, (int32_t)ceil(metres / w->rules->walk_m_per_s), metres);
}

// ---- Stations

static mco_status list_children(walks *w)
{
    mco_status st = MCO_OK;
    const transit_timetable *t = w->t;
    MCO_TRY(mco_alloc(w->ctx, &w->child_first, (int64_t)t->stops + 2));
    MCO_TRY(mco_alloc(w->ctx, &w->child, t->stops));
    for (int32_t s = 0; s < t->stops; s++)
        if (!t->stop[s].is_station && t->stop[s].station >= 0)
            w->child_first[t->stop[s].station + 2]++;
    for (int32_t s = 0; s < t->stops; s++)
        w->child_first[s + 2] += w->child_first[s + 1];
    for (int32_t s = 0; s < t->stops; s++)
        if (!t->stop[s].is_station && t->stop[s].station >= 0)
            w->child[w->child_first[t->stop[s].station + 1]++] = s;
done:
    return st;
}

static mco_status join_stations(walks *w)
{
    mco_status st = MCO_OK;
    for (int32_t s = 0; s < w->t->stops; s++)
        for (int32_t a = w->child_first[s]; a < w->child_first[s + 1]; a++)
            for (int32_t b = w->child_first[s]; b < w->child_first[s + 1]; b++)
                if (a != b)
                    MCO_TRY(add_line(w, w->child[a], w->child[b]));
done:
    return st;
}

// ---- Transfers

// The stops that an end of a row means: itself, or all of a station.
static const int32_t *stops_of(const walks *w, const int32_t *stop, int32_t *count)
{
    if (!w->t->stop[*stop].is_station) {
        *count = 1;
        return stop;
    }
    *count = w->child_first[*stop + 1] - w->child_first[*stop];
    return w->child + w->child_first[*stop];
}

static mco_status add_transfer(walks *w, const gtfs_transfer *row, int32_t from, int32_t to, int8_t rank)
{
    const int32_t seconds = row->type == 3 ? TRANSIT_NEVER : row->seconds;
    if (from == to) {
        if (row->type >= 2 && rank < w->change_rank[from]) {
            w->t->change[from] = seconds;
            w->change_rank[from] = rank;
        }
        return MCO_OK;
    }
    if (row->type < 2)
        return add_line(w, from, to);
    return add_pair(w, from, to, rank, seconds, metres_between(w, from, to));
}

static mco_status add_transfers(walks *w, const gtfs_feed *feed, int32_t first_stop)
{
    mco_status st = MCO_OK;
    for (int64_t k = 0; k < feed->transfers; k++) {
        const int32_t from = first_stop + feed->transfer[k].from, to = first_stop + feed->transfer[k].to;
        int32_t from_count, to_count;
        const int32_t *from_stop = stops_of(w, &from, &from_count), *to_stop = stops_of(w, &to, &to_count);
        const int8_t rank = (int8_t)(w->t->stop[from].is_station + w->t->stop[to].is_station);
        for (int32_t a = 0; a < from_count; a++)
            for (int32_t b = 0; b < to_count; b++)
                MCO_TRY(add_transfer(w, &feed->transfer[k], from_stop[a], to_stop[b], rank));
    }
done:
    return st;
}

// ---- Near stops

typedef struct place {
    double latitude;
    int32_t stop;
} place;

static int by_latitude(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->latitude != y->latitude)
        return x->latitude < y->latitude ? -1 : 1;
    return (x->stop > y->stop) - (x->stop < y->stop);
}

// Joins all stops whose straight line, times the detour, is short enough; with a map, only those of which one is off it. It looks at the stops of a band of latitudes: a degree has
// 111195 m on the sphere of transit_metres().
static mco_status join_near(walks *w, const transit_spot *spot)
{
    static const double metres_of_degree = 111195.0;
    mco_status st = MCO_OK;
    const transit_timetable *t = w->t;
    place *places = NULL;
    int32_t count = 0;
    const double band = w->rules->walk_m / w->rules->detour / metres_of_degree * 1.001;
    MCO_TRY(mco_alloc(w->ctx, &places, t->stops));
    for (int32_t s = 0; s < t->stops; s++)
        if (!t->stop[s].is_station)
            places[count++] = (place){t->stop[s].latitude, s};
    qsort(places, (size_t)count, sizeof *places, by_latitude);
    for (int32_t a = 0; a < count; a++)
        for (int32_t b = a + 1; b < count && places[b].latitude - places[a].latitude <= band; b++) {
            MCO_TRY(look_at_clock(w));
            if (spot != NULL && spot[places[a].stop].piece >= 0 && spot[places[b].stop].piece >= 0)
                continue;
            if (metres_between(w, places[a].stop, places[b].stop) > w->rules->walk_m)
                continue;
            MCO_TRY(add_line(w, places[a].stop, places[b].stop));
            MCO_TRY(add_line(w, places[b].stop, places[a].stop));
        }
done:
    mco_free(w->ctx, &places);
    return st;
}

// Joins the stops on the map along its streets: from each of them one search that ends at the longest walk. Its metres are those of its
// whole seconds.
static mco_status join_on_map(walks *w)
{
    mco_status st = MCO_OK;
    const int32_t limit_cm = (int32_t)(100 * w->rules->walk_m);
    transit_streets streets = {.map = w->rules->map, .walk_speed = w->rules->walk_m_per_s};
    transit_walker walker = {0};
    MCO_TRY(transit_streets_finish(w->ctx, &streets, w->t));
    MCO_TRY(transit_walker_open(w->ctx, &streets, NULL, &walker));
    for (int32_t s = 0; s < w->t->stops; s++) {
        if (w->t->stop[s].is_station || streets.stop[s].piece < 0)
            continue;
        MCO_TRY(mco_read_in_time(w->ctx, "walks"));
        transit_walker_run(&walker, &streets.stop[s], limit_cm, NULL);
        transit_walker_find_stops(&walker, &streets.stop[s], limit_cm);
        for (int32_t k = 0; k < walker.end_count; k++) {
            const transit_end *end = &walker.end[k];
            if (end->stop != s && !w->t->stop[end->stop].is_station)
                MCO_TRY(add_pair(w, s, end->stop, BY_NEARNESS, end->seconds, w->rules->walk_m_per_s * end->seconds));
        }
    }
    MCO_TRY(join_near(w, streets.stop));
done:
    transit_walker_close(w->ctx, &walker);
    transit_streets_clear(w->ctx, &streets);
    return st;
}

// ---- Rows

static int by_ends(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

// Of the walks of a pair the first one stays, unless it is forbidden.
static mco_status write_rows(walks *w)
{
    mco_status st = MCO_OK;
    transit_timetable *t = w->t;
    if (w->count > 0)
        qsort(w->pairs, (size_t)w->count, sizeof *w->pairs, by_ends);
    MCO_TRY(mco_alloc(w->ctx, &t->walk_first, (int64_t)t->stops + 1));
    MCO_TRY(mco_alloc(w->ctx, &t->walk, w->count));
    int64_t count = 0;
    for (int64_t k = 0; k < w->count; k++) {
        const pair *p = &w->pairs[k];
        const bool is_first = k == 0 || p[-1].from != p->from || p[-1].to != p->to;
        if (!is_first || p->seconds >= TRANSIT_NEVER)
            continue;
        t->walk[count++] = (transit_walk){p->to, p->seconds, p->metres};
        t->walk_first[p->from + 1] = count;
    }
    for (int32_t s = 0; s < t->stops; s++)  // stops without a walk
        if (t->walk_first[s + 1] < t->walk_first[s])
            t->walk_first[s + 1] = t->walk_first[s];
done:
    return st;
}

mco_status transit_walks_make(mco_context *ctx, const gtfs_feed *feed, int32_t feeds, const int32_t *first_stop,
                              const transit_rules *rules, transit_timetable *t)
{
    mco_status st = MCO_OK;
    walks w = {.ctx = ctx, .rules = rules, .t = t};
    MCO_TRY(mco_alloc(ctx, &t->change, t->stops));
    MCO_TRY(mco_alloc(ctx, &w.change_rank, t->stops));
    for (int32_t s = 0; s < t->stops; s++) {
        t->change[s] = rules->change_s;
        w.change_rank[s] = BY_NEARNESS;
    }
    MCO_TRY(list_children(&w));
    MCO_TRY(join_stations(&w));
    for (int32_t f = 0; f < feeds; f++)
        MCO_TRY(add_transfers(&w, &feed[f], first_stop[f]));
    if (rules->walk_m > 0)
        MCO_TRY(rules->map != NULL ? join_on_map(&w) : join_near(&w, NULL));
    MCO_TRY(write_rows(&w));
done:
    mco_free(ctx, &w.change_rank);
    mco_free(ctx, &w.child);
    mco_free(ctx, &w.child_first);
    mco_free(ctx, &w.pairs);
    return st;
}
