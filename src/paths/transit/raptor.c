// SPDX-License-Identifier: MIT
// Rounds over routes (RAPTOR: Delling, Pajor, Werneck 2012). A round scans each route that a stop of the last round serves, once,
// from the first such stop on, and rides the earliest trip that can be boarded. Two labels belong to a stop: the arrival by a ride,
// from which walks begin, and the moment from which a trip can be boarded. Labels of round k hold for at most k rides.
//
// A stop is boarded only in the round after its label has improved: an older label was boarded in an earlier round, with arrivals that
// are no later and rides that are fewer. So a journey of k rides is a chain of improvements of rounds 1 to k.
//
// A label that does not arrive before the best known arrival at the target is dropped: all walks and rides take zero seconds or more.
// The oracle is ref.c.
#include "paths/transit/raptor.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

// ---- The index

static mco_status count_times(mco_context *ctx, const transit_timetable *t, int64_t *out)
{
    int64_t times = 0;
    for (int32_t r = 0; r < t->routes; r++) {
        const int64_t places = t->stop_first[r + 1] - t->stop_first[r];
        if (places > TRANSIT_MAX_PLACES)
            return mco_fail(ctx, MCO_ERR_LIMIT, "route %d has %lld stops, at most %d are supported", r, (long long)places,
                            TRANSIT_MAX_PLACES);
        times += places * (t->trip_first[r + 1] - t->trip_first[r]);
    }
    if (times > INT32_MAX || (t->routes > 0 && t->stop_first[t->routes] > INT32_MAX) || (t->stops > 0 && t->serve_first[t->stops] > INT32_MAX))
        return mco_fail(ctx, MCO_ERR_LIMIT, "the timetable has %lld times, at most %d are supported", (long long)times, INT32_MAX);
    *out = times;
    return MCO_OK;
}

static void turn_times(const transit_timetable *t, transit_index *index)
{
    int32_t next = 0;
    for (int32_t r = 0; r < t->routes; r++) {
        const int32_t trips = t->trip_first[r + 1] - t->trip_first[r];
        const int32_t places = (int32_t)(t->stop_first[r + 1] - t->stop_first[r]);
        const int32_t *time = t->time + t->time_first[r];
        index->first[r] = (int32_t)t->stop_first[r];
        index->time_first[r] = next;
        for (int32_t k = 0; k < places; k++)
            for (int32_t i = 0; i < trips; i++, next++) {
                index->arrive[next] = time[2 * ((int64_t)i * places + k)];
                index->depart[next] = time[2 * ((int64_t)i * places + k) + 1];
            }
    }
    index->first[t->routes] = t->routes > 0 ? (int32_t)t->stop_first[t->routes] : 0;
    for (int32_t s = 0; s <= t->stops; s++)
        index->serve_first[s] = (int32_t)t->serve_first[s];
}

mco_status transit_index_make(mco_context *ctx, const transit_timetable *table, transit_index *out)
{
    mco_status st = MCO_OK;
    transit_index index = {.table = table};
    MCO_TRY(count_times(ctx, table, &index.times));
    MCO_TRY(mco_alloc(ctx, &index.first, table->routes + 1));
    MCO_TRY(mco_alloc(ctx, &index.time_first, table->routes));
    MCO_TRY(mco_alloc(ctx, &index.arrive, index.times));
    MCO_TRY(mco_alloc(ctx, &index.depart, index.times));
    MCO_TRY(mco_alloc(ctx, &index.serve_first, table->stops + 1));
    turn_times(table, &index);
    *out = index;
    return MCO_OK;
done:
    transit_index_clear(ctx, &index);
    return st;
}

void transit_index_clear(mco_context *ctx, transit_index *index)
{
    mco_free(ctx, &index->serve_first);
    mco_free(ctx, &index->depart);
    mco_free(ctx, &index->arrive);
    mco_free(ctx, &index->time_first);
    mco_free(ctx, &index->first);
    *index = (transit_index){0};
}

// ---- The search

typedef struct boarded {
    int32_t trip;
    uint16_t board, leave;  // places of the route
} boarded;

enum { BOARDING = 1, LEAVING = 2 };  // bits of transit_timetable.use

struct transit_search {
    const transit_index *index;
    transit_watch *watch;
    int32_t stops, max_rides;
    int32_t rows;          // rows of labels that are filled
    int32_t *ride;         // [(max_rides + 1) * stops] least arrival by a ride with at most k rides
    int32_t *ready;        // [(max_rides + 1) * stops] least moment of boarding after at most k rides
    boarded *ride_by;      // [(max_rides + 1) * stops] the ride of a label that improved in round k
    int32_t *ready_by;     // [(max_rides + 1) * stops] the stop that the label of round k came from: itself, or the begin of a walk
    int32_t *egress;       // [stops] the walk to the target; TRANSIT_NEVER: none
    int32_t *route_from;   // [routes] first place to scan, where a route is marked
    uint64_t *marked;      // of stops whose `ready` improved in the last round
    uint64_t *ridden;      // of stops whose `ride` improved in this round
    uint64_t *routes;      // to scan in this round
    int32_t best[TRANSIT_MAX_RIDES + 1];       // earliest arrival at the target with at most k rides
    int32_t best_stop[TRANSIT_MAX_RIDES + 1];  // the last stop, where `is_new`
    bool is_new[TRANSIT_MAX_RIDES + 1];        // improved at this departure, in round k
    int32_t depart_s, limit;  // of the run: its departure, its most rides
};

static size_t words(int32_t bits)
{
    return ((size_t)bits + 63) / 64;
}

static void set_bit(uint64_t *set, int32_t at)
{
    set[at >> 6] |= UINT64_C(1) << (at & 63);
}

static bool has_bit(const uint64_t *set, int32_t at)
{
    return (set[at >> 6] >> (at & 63) & 1) != 0;
}

mco_status transit_search_open(mco_context *ctx, const transit_index *index, int32_t max_rides, transit_watch *watch,
                               transit_search **out)
{
    mco_status st = MCO_OK;
    transit_search *s = NULL;
    const int64_t stops = index->table->stops, labels = (max_rides + 1) * stops;
    MCO_TRY(mco_alloc(ctx, &s, 1));
    *s = (transit_search){.index = index, .watch = watch, .stops = (int32_t)stops, .max_rides = max_rides};
    MCO_TRY(mco_alloc(ctx, &s->ride, labels));
    MCO_TRY(mco_alloc(ctx, &s->ready, labels));
    MCO_TRY(mco_alloc(ctx, &s->ride_by, labels));
    MCO_TRY(mco_alloc(ctx, &s->ready_by, labels));
    MCO_TRY(mco_alloc(ctx, &s->egress, stops));
    MCO_TRY(mco_alloc(ctx, &s->route_from, index->table->routes));
    MCO_TRY(mco_alloc(ctx, &s->marked, words((int32_t)stops)));
    MCO_TRY(mco_alloc(ctx, &s->ridden, words((int32_t)stops)));
    MCO_TRY(mco_alloc(ctx, &s->routes, words(index->table->routes)));
    for (int64_t i = 0; i < stops; i++)
        s->egress[i] = TRANSIT_NEVER;
    *out = s;
    return MCO_OK;
done:
    transit_search_close(ctx, &s);
    return st;
}

void transit_search_close(mco_context *ctx, transit_search **search)
{
    transit_search *s = *search;
    if (s == NULL)
        return;
    mco_free(ctx, &s->routes);
    mco_free(ctx, &s->ridden);
    mco_free(ctx, &s->marked);
    mco_free(ctx, &s->route_from);
    mco_free(ctx, &s->egress);
    mco_free(ctx, &s->ready_by);
    mco_free(ctx, &s->ride_by);
    mco_free(ctx, &s->ready);
    mco_free(ctx, &s->ride);
    mco_free(ctx, search);
}

static int32_t *row_of(int32_t *labels, const transit_search *s, int32_t k)
{
    return labels + (size_t)k * (size_t)s->stops;
}

// Labels of row k hold for fewer rides too. Rows of earlier departures stay.
static void carry_row(const transit_search *s, int32_t *labels, int32_t k, bool is_first)
{
    const int32_t *from = row_of(labels, s, k - 1);
    int32_t *to = row_of(labels, s, k);
    if (is_first)
        memcpy(to, from, (size_t)s->stops * sizeof *to);
    for (int32_t i = 0; i < s->stops && !is_first; i++)
        to[i] = from[i] < to[i] ? from[i] : to[i];
}

static void begin_round(transit_search *s, int32_t k)
{
    const bool is_first = k == s->rows;
    carry_row(s, s->ride, k, is_first);
    carry_row(s, s->ready, k, is_first);
    s->rows += is_first;
    if (s->best[k - 1] < s->best[k])
        s->best[k] = s->best[k - 1];
}

// Marks the routes that leave marked stops, each from its first such place on.
static bool mark_routes(transit_search *s)
{
    const transit_index *x = s->index;
    const transit_timetable *t = x->table;
    bool has_any = false;
    memset(s->routes, 0, words(t->routes) * sizeof *s->routes);
    for (size_t w = 0; w < words(s->stops); w++)
        for (uint64_t set = s->marked[w]; set != 0; set &= set - 1) {
            const int32_t stop = (int32_t)(64 * w) + __builtin_ctzll(set);
            for (int32_t i = x->serve_first[stop]; i < x->serve_first[stop + 1]; i++) {
                const int32_t route = t->serve_route[i], place = t->serve_place[i];
                if ((t->use[x->first[route] + place] & BOARDING) == 0)
                    continue;
                if (!has_bit(s->routes, route) || place < s->route_from[route])
                    s->route_from[route] = place;
                set_bit(s->routes, route);
                has_any = true;
            }
        }
    return has_any;
}

// The first of trips [trips], which leave in this order, that leaves at `ready` or later and before trip `before`; `before` if
// there is none.
static int32_t first_trip(const int32_t *depart, int32_t before, int32_t ready)
{
    int32_t low = 0, high = before;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (depart[middle] >= ready)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

// A ride arrives at a stop.
static inline void take_ride(transit_search *s, int32_t k, int32_t stop, int32_t arrive, boarded by)
{
    const size_t at = (size_t)k * (size_t)s->stops + (size_t)stop;
    if (arrive >= s->ride[at] || arrive >= s->best[k])
        return;
    s->ride[at] = arrive;
    s->ride_by[at] = by;
    set_bit(s->ridden, stop);
    if (s->egress[stop] < s->best[k] - arrive) {
        s->best[k] = arrive + s->egress[stop];
        s->best_stop[k] = stop;
        s->is_new[k] = true;
    }
}

static void scan_route(transit_search *s, int32_t k, int32_t route)
{
    const transit_index *x = s->index;
    const transit_timetable *t = x->table;
    const int32_t *stop = t->route_stop + x->first[route], *ready = row_of(s->ready, s, k - 1);
    const uint8_t *use = t->use + x->first[route];
    const int32_t places = x->first[route + 1] - x->first[route], trips = t->trip_first[route + 1] - t->trip_first[route];
    const int32_t *arrive = x->arrive + x->time_first[route], *depart = x->depart + x->time_first[route];
    int32_t trip = trips, board = 0;  // trips: none is ridden
    for (int32_t p = s->route_from[route]; p < places; p++) {
        const int32_t at = p * trips;
        if (trip < trips && (use[p] & LEAVING) != 0)
            take_ride(s, k, stop[p], arrive[at + trip],
                      (boarded){t->trip_first[route] + trip, (uint16_t)board, (uint16_t)p});
        if ((use[p] & BOARDING) == 0 || !has_bit(s->marked, stop[p]))
            continue;
        const int32_t earlier = first_trip(depart + at, trip, ready[stop[p]]);
        if (earlier < trip) {
            trip = earlier;
            board = p;
        }
    }
}

static inline void take_ready(transit_search *s, int32_t k, int32_t stop, int32_t moment, int32_t from)
{
    const size_t at = (size_t)k * (size_t)s->stops + (size_t)stop;
    if (moment >= s->ready[at] || moment >= s->best[k])
        return;
    s->ready[at] = moment;
    s->ready_by[at] = from;
    set_bit(s->marked, stop);
}

// From the stops that this round has reached by rides: changes and walks.
static void leave_rides(transit_search *s, int32_t k)
{
    const transit_timetable *t = s->index->table;
    const int32_t *ride = row_of(s->ride, s, k);
    memset(s->marked, 0, words(s->stops) * sizeof *s->marked);
    for (size_t w = 0; w < words(s->stops); w++)
        for (uint64_t set = s->ridden[w]; set != 0; set &= set - 1) {
            const int32_t stop = (int32_t)(64 * w) + __builtin_ctzll(set);
            if (ride[stop] >= s->best[k])
                continue;
            if (t->change[stop] < TRANSIT_NEVER)
                take_ready(s, k, stop, ride[stop] + t->change[stop], stop);
            for (int64_t i = t->walk_first[stop]; i < t->walk_first[stop + 1]; i++)
                take_ready(s, k, t->walk[i].stop, ride[stop] + t->walk[i].seconds, stop);
        }
}

static bool run_rounds(transit_search *s, const transit_query *q, int32_t depart_s)
{
    s->depart_s = depart_s;
    memset(s->is_new, 0, sizeof s->is_new);
    memset(s->marked, 0, words(s->stops) * sizeof *s->marked);
    if (q->direct_s < TRANSIT_NEVER - depart_s && depart_s + q->direct_s < s->best[0]) {
        s->best[0] = depart_s + q->direct_s;
        s->is_new[0] = true;
    }
    for (int32_t i = 0; i < q->starts; i++)
        take_ready(s, 0, q->start[i].stop, depart_s + q->start[i].seconds, -1);
    for (int32_t k = 1; k <= s->limit; k++) {
        if (transit_is_stopped(s->watch))
            return false;
        begin_round(s, k);
        if (!mark_routes(s))
            break;
        memset(s->ridden, 0, words(s->stops) * sizeof *s->ridden);
        for (size_t w = 0; w < words(s->index->table->routes); w++)
            for (uint64_t set = s->routes[w]; set != 0; set &= set - 1) {
                if (transit_step_is_stopped(s->watch))
                    return false;
                scan_route(s, k, (int32_t)(64 * w) + __builtin_ctzll(set));
            }
        leave_rides(s, k);
    }
    return true;
}

static void begin_query(transit_search *s, const transit_query *q)
{
    s->limit = q->max_rides < s->max_rides ? q->max_rides : s->max_rides;
    s->rows = 1;
    for (int32_t i = 0; i < s->stops; i++)
        s->ride[i] = s->ready[i] = TRANSIT_NEVER;
    for (int32_t k = 0; k <= TRANSIT_MAX_RIDES; k++)
        s->best[k] = TRANSIT_NEVER;
    for (int32_t i = 0; i < q->targets; i++)
        if (q->target[i].seconds < s->egress[q->target[i].stop])
            s->egress[q->target[i].stop] = q->target[i].seconds;
}

static void end_query(transit_search *s, const transit_query *q)
{
    for (int32_t i = 0; i < q->targets; i++)
        s->egress[q->target[i].stop] = TRANSIT_NEVER;
}

bool transit_search_run(transit_search *search, const transit_query *query)
{
    begin_query(search, query);
    const bool is_whole = run_rounds(search, query, query->depart_s);
    end_query(search, query);
    return is_whole;
}

// ---- Journeys

// The place of a route's trip is on its row of stops.
static int32_t stop_at(const transit_index *x, int32_t trip, int32_t place)
{
    return x->table->route_stop[x->first[x->table->trip[trip].route] + place];
}

static void follow(const transit_search *s, int32_t rides, transit_found *out)
{
    *out = (transit_found){.depart_s = s->depart_s, .arrive_s = s->best[rides], .rides = rides};
    int32_t stop = s->best_stop[rides];
    for (int32_t k = rides; k > 0; k--) {
        const boarded by = s->ride_by[(size_t)k * (size_t)s->stops + (size_t)stop];
        out->ride[k - 1] = (transit_ride){by.trip, by.board, by.leave};
        stop = s->ready_by[(size_t)(k - 1) * (size_t)s->stops + (size_t)stop_at(s->index, by.trip, by.board)];
    }
}

int32_t transit_search_journeys(const transit_search *search, transit_found *out)
{
    int32_t count = 0;
    for (int32_t k = 0; k <= search->limit; k++)
        if (search->is_new[k])
            follow(search, k, &out[count++]);
    return count;
}

void transit_search_arrivals(const transit_search *search, int32_t *out)
{
    memcpy(out, search->ride + (size_t)(search->rows - 1) * (size_t)search->stops, (size_t)search->stops * sizeof *out);
}

// ---- Profiles

// The departures at which a trip can just be reached.
static mco_status list_departures(mco_context *ctx, const transit_index *x, const transit_query *q, int32_t **times, int64_t *count)
{
    mco_status st = MCO_OK;
    const transit_timetable *t = x->table;
    int64_t room = 0;
    for (int32_t i = 0; i < q->starts; i++)
        for (int32_t j = x->serve_first[q->start[i].stop]; j < x->serve_first[q->start[i].stop + 1]; j++) {
            const int32_t route = t->serve_route[j], place = t->serve_place[j];
            const int32_t trips = t->trip_first[route + 1] - t->trip_first[route];
            const int32_t *depart = x->depart + x->time_first[route] + place * trips;
            MCO_TRY(mco_grow(ctx, times, &room, *count + trips));
            for (int32_t k = 0; k < trips; k++)
                if (depart[k] - q->start[i].seconds >= q->depart_s && depart[k] - q->start[i].seconds <= q->until_s)
                    (*times)[(*count)++] = depart[k] - q->start[i].seconds;
        }
done:
    return st;
}

static int later_first(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x < y) - (x > y);
}

// Searches one departure and appends what it has improved.
static mco_status add_departure(mco_context *ctx, transit_search *search, const transit_query *query, int32_t depart_s,
                                transit_found_list *out)
{
    mco_status st = MCO_OK;
    if (!run_rounds(search, query, depart_s))
        MCO_TRY(mco_fail(ctx, MCO_ERR_STOPPED, "the profile was stopped"));
    MCO_TRY(mco_grow(ctx, &out->journey, &out->room, out->count + search->limit));
    for (int32_t k = 1; k <= search->limit; k++)
        if (search->is_new[k])
            follow(search, k, &out->journey[out->count++]);
done:
    return st;
}

// Drops the first journeys, which leave after the last departure, unless they are the only ones and there is no direct walk.
static void drop_later(const transit_query *query, int64_t later, transit_found_list *out)
{
    if (out->count == later && query->direct_s >= TRANSIT_NEVER)
        return;
    out->count -= later;
    for (int64_t i = 0; i < out->count; i++)
        out->journey[i] = out->journey[i + later];
}

// The search that sets out behind the last departure comes first. Its labels hold for all who wait at their place until then, so that what a
// departure improves leaves at that departure.
mco_status transit_search_profile(mco_context *ctx, transit_search *search, const transit_query *query, transit_found_list *out)
{
    mco_status st = MCO_OK;
    int32_t *times = NULL;
    int64_t count = 0, later;
    out->count = 0;
    begin_query(search, query);
    MCO_TRY(list_departures(ctx, search->index, query, &times, &count));
    if (count > 0)
        qsort(times, (size_t)count, sizeof *times, later_first);
    MCO_TRY(add_departure(ctx, search, query, query->until_s + 1, out));
    later = out->count;
    for (int64_t i = 0; i < count; i++)
        if (i == 0 || times[i] != times[i - 1])
            MCO_TRY(add_departure(ctx, search, query, times[i], out));
    drop_later(query, later, out);
done:
    end_query(search, query);
    mco_free(ctx, &times);
    return st;
}
