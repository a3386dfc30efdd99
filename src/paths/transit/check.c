// SPDX-License-Identifier: MIT
// Verifies a journey leg by leg from the timetable's rows and the map's pieces of streets. It shares no search with the planner: lengths
// of walks come from a queue of vertices that corrects labels until none improves.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/structs.h"
#include "paths/transit/city.h"

mco_status transit_checker_open(mco_context *ctx, const mco_transit *city, transit_watch *watch, transit_checker *out)
{
    mco_status st = MCO_OK;
    const int32_t n = city->streets.vertices;
    transit_checker c = {.city = city, .watch = watch};
    MCO_TRY(mco_alloc(ctx, &c.cm, n));
    MCO_TRY(mco_alloc(ctx, &c.queue, n + 1));
    MCO_TRY(mco_alloc(ctx, &c.is_queued, n));
    MCO_TRY(mco_alloc(ctx, &c.touched, n));
    for (int32_t v = 0; v < n; v++)
        c.cm[v] = INT32_MAX;
    *out = c;
    return MCO_OK;
done:
    transit_checker_close(ctx, &c);
    return st;
}

void transit_checker_close(mco_context *ctx, transit_checker *c)
{
    mco_free(ctx, &c->touched);
    mco_free(ctx, &c->is_queued);
    mco_free(ctx, &c->queue);
    mco_free(ctx, &c->cm);
}

// ---- Lengths of walks

typedef struct ring {
    int64_t head, tail;  // places taken and filled so far; at most `vertices` entries are alive, each vertex once
    int32_t touched;
} ring;

static void improve(transit_checker *c, ring *r, int32_t vertex, int32_t cm, int32_t limit_cm)
{
    if (cm > limit_cm || cm >= c->cm[vertex])
        return;
    if (c->cm[vertex] == INT32_MAX)
        c->touched[r->touched++] = vertex;
    c->cm[vertex] = cm;
    if (!c->is_queued[vertex]) {
        c->is_queued[vertex] = true;
        c->queue[r->tail++ % c->city->streets.vertices] = vertex;
    }
}

// The shortest walk of at most limit_cm between two spots; -1: there is none. It ends: labels only fall, and they are whole numbers.
static int32_t shortest_cm(transit_checker *c, const transit_spot *from, const transit_spot *to, int32_t limit_cm)
{
    const transit_streets *s = &c->city->streets;
    ring r = {0};
    int32_t best = transit_piece_cm(from, to);
    if (s->pieces == 0)
        return transit_straight_cm(from->latitude, from->longitude, to->latitude, to->longitude);
    if (from->piece < 0 || to->piece < 0)
        return -1;
    for (int k = 0; k < 2; k++)
        improve(c, &r, from->end[k], from->cm[k], limit_cm);
    while (r.head < r.tail && !transit_step_is_stopped(c->watch)) {
        const int32_t v = c->queue[r.head++ % s->vertices];
        c->is_queued[v] = false;
        for (int32_t a = s->first[v]; a < s->first[v + 1]; a++)
            improve(c, &r, s->arc[a].head, c->cm[v] + s->arc[a].cm, limit_cm);
    }
    for (int k = 0; k < 2; k++)
        if (c->cm[to->end[k]] != INT32_MAX && (best < 0 || c->cm[to->end[k]] + to->cm[k] < best))
            best = c->cm[to->end[k]] + to->cm[k];
    for (int32_t i = 0; i < r.touched; i++) {
        c->cm[c->touched[i]] = INT32_MAX;
        c->is_queued[c->touched[i]] = false;
    }
    return best;
}

// ---- Legs

typedef struct subject {
    mco_context *ctx;
    transit_checker *checker;
    const mco_transit_query *query;
    const mco_transit_params *params;
    const mco_transit_journey *journey;
    int32_t leg;
} subject;

static mco_status fault(const subject *s, const char *format, ...) MCO_PRINTF(2, 3);
static mco_status fault(const subject *s, const char *format, ...)
{
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return mco_fail(s->ctx, MCO_ERR_CHECK, "leg %d: %s", s->leg + 1, text);
}

static mco_status test_ride(const subject *s, const mco_transit_leg *leg)
{
    const transit_timetable *t = &s->checker->city->table;
    if (leg->trip < 0 || leg->trip >= t->trips)
        return fault(s, "trip %d does not run on %d, trips are 0 to %d", leg->trip, t->date, t->trips - 1);
    const int32_t route = t->trip[leg->trip].route;
    const int64_t first = t->stop_first[route], places = t->stop_first[route + 1] - first;
    if (leg->board < 0 || leg->leave <= leg->board || leg->leave >= places)
        return fault(s, "it rides from place %d to place %d of a trip of %lld stops", leg->board, leg->leave, (long long)places);
    if (t->route_stop[first + leg->board] != leg->from || t->route_stop[first + leg->leave] != leg->to)
        return fault(s, "the trip calls at stops %d and %d there, the leg has %d and %d", t->route_stop[first + leg->board],
                     t->route_stop[first + leg->leave], leg->from, leg->to);
    if ((t->use[first + leg->board] & 1) == 0)
        return fault(s, "the trip may not be boarded at stop %d", leg->from);
    if ((t->use[first + leg->leave] & 2) == 0)
        return fault(s, "the trip may not be left at stop %d", leg->to);
    const int32_t *time = t->time + t->time_first[route] + 2 * (leg->trip - t->trip_first[route]) * places;
    if (time[2 * leg->board + 1] != leg->depart_s || time[2 * leg->leave] != leg->arrive_s)
        return fault(s, "the trip leaves at %d and arrives at %d, the leg has %d and %d", time[2 * leg->board + 1], time[2 * leg->leave],
                     leg->depart_s, leg->arrive_s);
    return MCO_OK;
}

// A walk between two stops is one of the timetable.
static mco_status test_change(const subject *s, const mco_transit_leg *leg)
{
    const transit_timetable *t = &s->checker->city->table;
    for (int64_t i = t->walk_first[leg->from]; i < t->walk_first[leg->from + 1]; i++)
        if (t->walk[i].stop == leg->to && t->walk[i].seconds == leg->arrive_s - leg->depart_s && fabs(t->walk[i].metres - leg->metres) < 0.01)
            return MCO_OK;
    return fault(s, "the timetable has no walk from stop %d to stop %d of %d seconds and %.2f m", leg->from, leg->to, leg->arrive_s - leg->depart_s,
                 leg->metres);
}

static void find_spot(const subject *s, int32_t stop, mco_transit_place place, transit_spot *out)
{
    if (stop >= 0)
        *out = s->checker->city->streets.stop[stop];
    else
        (void)transit_streets_near(&s->checker->city->streets, place.latitude, place.longitude, out);
}

// A walk from or to a place is a shortest one of the map.
static mco_status test_end(const subject *s, const mco_transit_leg *leg)
{
    const transit_streets *streets = &s->checker->city->streets;
    const double most_m = s->params->modes == MCO_TRANSIT_MODES_WALK ? TRANSIT_MAX_WALK_CM / 100.0
                                                                     : (double)s->params->max_walk * (leg->from < 0 && leg->to < 0 ? 2 : 1);
    transit_spot from, to;
    find_spot(s, leg->from, s->query->from, &from);
    find_spot(s, leg->to, s->query->to, &to);
    if (!(leg->metres >= 0) || leg->metres > most_m + 0.001)
        return fault(s, "a walk of %.2f m, at most %.0f m are allowed", leg->metres, most_m);
    const int32_t cm = shortest_cm(s->checker, &from, &to, (int32_t)lround(100 * leg->metres));
    if (cm < 0 || fabs(cm / 100.0 - leg->metres) > 0.005)
        return fault(s, "a walk of %.2f m, on the map it has %.2f m", leg->metres, cm / 100.0);
    const int32_t seconds = (int32_t)ceil(cm / (100 * streets->walk_speed));
    if (leg->arrive_s - leg->depart_s != seconds)
        return fault(s, "a walk of %.2f m in %d seconds, it takes %d", leg->metres, leg->arrive_s - leg->depart_s, seconds);
    return MCO_OK;
}

static bool is_end(const subject *s, int32_t stop, bool is_outer)
{
    return is_outer ? stop == -1 : stop >= 0 && stop < s->checker->city->table.stops;
}

// How a leg follows the one before it.
static mco_status test_join(const subject *s, const mco_transit_leg *leg)
{
    const transit_timetable *t = &s->checker->city->table;
    if (s->leg == 0)
        return leg->depart_s >= s->query->depart_s ? MCO_OK : fault(s, "it sets out at %d, before %d", leg->depart_s, s->query->depart_s);
    const mco_transit_leg *last = leg - 1;
    if (last->to != leg->from)
        return fault(s, "it begins at stop %d, the leg before ends at stop %d", leg->from, last->to);
    if (leg->depart_s < last->arrive_s)
        return fault(s, "it begins at %d, the leg before ends at %d", leg->depart_s, last->arrive_s);
    if (leg->move == MCO_TRANSIT_WALK && last->move == MCO_TRANSIT_WALK)
        return fault(s, "a walk follows a walk");
    if (leg->move == MCO_TRANSIT_RIDE && last->move == MCO_TRANSIT_RIDE && leg->depart_s - last->arrive_s < t->change[leg->from])
        return fault(s, "a change at stop %d in %d seconds, it takes %d", leg->from, leg->depart_s - last->arrive_s, t->change[leg->from]);
    return MCO_OK;
}

static mco_status test_leg(const subject *s)
{
    mco_status st = MCO_OK;
    const mco_transit_leg *leg = &s->journey->legs[s->leg];
    const bool is_walk = leg->move == MCO_TRANSIT_WALK;
    if (!is_end(s, leg->from, s->leg == 0) || !is_end(s, leg->to, s->leg == s->journey->leg_count - 1))
        return fault(s, "it leads from %d to %d", leg->from, leg->to);
    if (!is_walk && leg->move != MCO_TRANSIT_RIDE)
        return fault(s, "it is neither a walk nor a ride");
    MCO_TRY(test_join(s, leg));
    MCO_TRY(!is_walk ? test_ride(s, leg) : leg->from >= 0 && leg->to >= 0 ? test_change(s, leg) : test_end(s, leg));
done:
    return st;
}

static mco_status test_sums(const subject *s)
{
    const mco_transit_journey *j = s->journey;
    int32_t rides = 0;
    double metres = 0;
    for (int32_t k = 0; k < j->leg_count; k++) {
        rides += j->legs[k].move == MCO_TRANSIT_RIDE;
        metres += j->legs[k].move == MCO_TRANSIT_WALK ? j->legs[k].metres : 0;
    }
    if (j->rides != rides || rides > s->params->max_rides)
        return mco_fail(s->ctx, MCO_ERR_CHECK, "the journey states %d rides, it has %d, and %d are allowed", j->rides, rides, (int)s->params->max_rides);
    if (!(fabs(j->metres - metres) < 0.01))
        return mco_fail(s->ctx, MCO_ERR_CHECK, "the journey states %.2f m on foot, its legs have %.2f m", j->metres, metres);
    if (j->depart_s != j->legs[0].depart_s || j->arrive_s != j->legs[j->leg_count - 1].arrive_s)
        return mco_fail(s->ctx, MCO_ERR_CHECK, "the journey states %d to %d, its legs last from %d to %d", j->depart_s, j->arrive_s,
                        j->legs[0].depart_s, j->legs[j->leg_count - 1].arrive_s);
    return MCO_OK;
}

mco_status transit_checker_test(mco_context *ctx, transit_checker *checker, const mco_transit_query *query,
                                const mco_transit_params *params, const mco_transit_journey *journey)
{
    mco_status st = MCO_OK;
    subject s = {ctx, checker, query, params, journey, 0};
    if (journey->leg_count < 1 || journey->legs == NULL)
        return mco_fail(ctx, MCO_ERR_CHECK, "the journey has no legs");
    for (; s.leg < journey->leg_count; s.leg++)
        MCO_TRY(test_leg(&s));
    MCO_TRY(test_sums(&s));
done:
    return st;
}

mco_status mco_transit_check(mco_context *ctx, const mco_transit *transit, const mco_transit_query *query,
                             const mco_transit_params *params, const mco_transit_journey *journey)
{
    mco_status st = MCO_OK;
    mco_transit_params p = MCO_TRANSIT_PARAMS_INIT;
    transit_checker checker = {0};
    if (ctx == NULL || transit == NULL || query == NULL || journey == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(transit_checker_open(ctx, transit, NULL, &checker));
    MCO_TRY(transit_checker_test(ctx, &checker, query, &p, journey));
done:
    transit_checker_close(ctx, &checker);
    return st;
}
