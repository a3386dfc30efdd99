// SPDX-License-Identifier: MIT
// The oracle of journeys: Dijkstra's algorithm over (stop, rides, has walked or waited). From a moment of boarding it takes every trip
// that leaves later, to every later stop; it neither knows rounds nor that no trip of a route overtakes another.
#include <string.h>

#include "paths/moments.h"
#include "paths/transit/raptor.h"

typedef struct oracle {
    mco_context *ctx;
    const transit_timetable *table;
    int32_t max_rides;
    int32_t *time;  // [states]
    paths_moments queue;  // of states
} oracle;

// A state: a stop after `rides` rides, where a ride has ended or a trip can be boarded.
static int32_t state_of(const oracle *o, int32_t stop, int32_t rides, int is_ready)
{
    return 2 * (stop * (o->max_rides + 1) + rides) + is_ready;
}

static mco_status relax(oracle *o, int32_t state, int32_t time)
{
    if (time >= o->time[state])
        return MCO_OK;
    o->time[state] = time;
    return paths_moments_put(o->ctx, &o->queue, (paths_moment){time, state});
}

static mco_status ride_all(oracle *o, int32_t stop, int32_t rides, int32_t now)
{
    mco_status st = MCO_OK;
    const transit_timetable *t = o->table;
    for (int64_t i = t->serve_first[stop]; i < t->serve_first[stop + 1]; i++) {
        const int32_t r = t->serve_route[i], from = t->serve_place[i];
        const int64_t first = t->stop_first[r], places = t->stop_first[r + 1] - first;
        for (int32_t trip = t->trip_first[r]; trip < t->trip_first[r + 1] && (t->use[first + from] & 1) != 0; trip++) {
            const int32_t *time = t->time + t->time_first[r] + 2 * (trip - t->trip_first[r]) * places;
            for (int64_t p = from + 1; p < places && time[2 * from + 1] >= now; p++)
                if ((t->use[first + p] & 2) != 0)
                    MCO_TRY(relax(o, state_of(o, t->route_stop[first + p], rides + 1, 0), time[2 * p]));
        }
    }
done:
    return st;
}

static mco_status settle(oracle *o, int32_t state, int32_t time)
{
    mco_status st = MCO_OK;
    const transit_timetable *t = o->table;
    const int32_t stop = state / 2 / (o->max_rides + 1), rides = state / 2 % (o->max_rides + 1);
    if (state % 2 != 0) {
        if (rides < o->max_rides)
            MCO_TRY(ride_all(o, stop, rides, time));
    } else {
        if (t->change[stop] < TRANSIT_NEVER)
            MCO_TRY(relax(o, state_of(o, stop, rides, 1), time + t->change[stop]));
        for (int64_t i = t->walk_first[stop]; i < t->walk_first[stop + 1]; i++)
            MCO_TRY(relax(o, state_of(o, t->walk[i].stop, rides, 1), time + t->walk[i].seconds));
    }
done:
    return st;
}

static void read_off(const oracle *o, const transit_query *q, int32_t *best, int32_t *arrive)
{
    for (int32_t k = 0; best != NULL && k <= o->max_rides; k++) {
        best[k] = k > 0 ? best[k - 1] : q->direct_s < TRANSIT_NEVER ? q->depart_s + q->direct_s : TRANSIT_NEVER;
        for (int32_t i = 0; i < q->targets; i++) {
            const int32_t time = o->time[state_of(o, q->target[i].stop, k, 0)];
            if (time < TRANSIT_NEVER && time + q->target[i].seconds < best[k])
                best[k] = time + q->target[i].seconds;
        }
    }
    for (int32_t s = 0; arrive != NULL && s < o->table->stops; s++) {
        arrive[s] = TRANSIT_NEVER;
        for (int32_t k = 0; k <= o->max_rides; k++)
            if (o->time[state_of(o, s, k, 0)] < arrive[s])
                arrive[s] = o->time[state_of(o, s, k, 0)];
    }
}

mco_status transit_ref_search(mco_context *ctx, const transit_timetable *table, const transit_query *query, int32_t *best,
                              int32_t *arrive)
{
    mco_status st = MCO_OK;
    oracle o = {.ctx = ctx, .table = table, .max_rides = query->max_rides};
    const int64_t states = 2 * (int64_t)table->stops * (query->max_rides + 1);
    MCO_TRY(mco_alloc(ctx, &o.time, states));
    for (int64_t i = 0; i < states; i++)
        o.time[i] = TRANSIT_NEVER;
    for (int32_t i = 0; i < query->starts; i++)
        MCO_TRY(relax(&o, state_of(&o, query->start[i].stop, 0, 1), query->depart_s + query->start[i].seconds));
    while (o.queue.count > 0) {
        const paths_moment at = paths_moments_take(&o.queue);
        if (at.time == o.time[at.what])
            MCO_TRY(settle(&o, (int32_t)at.what, at.time));
    }
    read_off(&o, query, best, arrive);
done:
    mco_free(ctx, &o.queue.item);
    mco_free(ctx, &o.time);
    return st;
}
