// SPDX-License-Identifier: MIT
// One query: the walks from both places, the rounds between them, and the legs of what they found.
//
// A walk from place to target may be twice as long as one to a stop: two searches of that reach meet. On a shortest walk the last
// vertex within reach of the place is joined by one arc to a vertex within reach of the target.
#include "base/grow.h"
#include "paths/transit/city.h"

mco_status transit_planner_open(mco_context *ctx, const mco_transit *city, const mco_transit_params *params,
                                transit_watch *watch, transit_planner *out)
{
    mco_status st = MCO_OK;
    transit_planner p = {.city = city, .watch = watch};
    MCO_TRY(transit_walker_open(ctx, &city->streets, watch, &p.from));
    MCO_TRY(transit_walker_open(ctx, &city->streets, watch, &p.to));
    MCO_TRY(transit_search_open(ctx, &city->index, (int32_t)params->max_rides, watch, &p.search));
    MCO_TRY(transit_checker_open(ctx, city, watch, &p.checker));
    *out = p;
    return MCO_OK;
done:
    transit_planner_close(ctx, &p);
    return st;
}

void transit_planner_close(mco_context *ctx, transit_planner *p)
{
    transit_checker_close(ctx, &p->checker);
    transit_search_close(ctx, &p->search);
    transit_walker_close(ctx, &p->to);
    transit_walker_close(ctx, &p->from);
}

// ---- Walks of a query

static int32_t least(int32_t a, int32_t b)
{
    return b >= 0 && (a < 0 || b < a) ? b : a;
}

// The shortest walk of at most limit_cm; -1: none.
static int32_t meet(const transit_planner *p, int32_t limit_cm)
{
    const transit_streets *s = &p->city->streets;
    int32_t via, best = transit_walker_to(&p->from, &p->origin, &p->target, &via);
    best = least(best, transit_walker_to(&p->to, &p->target, &p->origin, &via));
    for (int32_t i = 0; i < p->from.touched_count; i++) {
        const int32_t v = p->from.touched[i], cm = p->from.cm[v];
        for (int32_t a = s->first[v]; a < s->first[v + 1]; a++)
            if (p->to.cm[s->arc[a].head] != INT32_MAX)
                best = least(best, cm + s->arc[a].cm + p->to.cm[s->arc[a].head]);
    }
    return best <= limit_cm ? best : -1;
}

static mco_status off_map(mco_context *ctx, const mco_transit *city, const char *what, mco_transit_place place)
{
    const transit_streets *s = &city->streets;
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s is %.6f,%.6f, and no street within %d m is on the map, which has latitudes %.6f to %.6f and longitudes %.6f to %.6f",
                    what, place.latitude, place.longitude, TRANSIT_OFF_MAP_M, s->south, s->north, s->west, s->east);
}

mco_status transit_planner_locate(mco_context *ctx, transit_planner *p, const mco_transit_query *query)
{
    const transit_streets *s = &p->city->streets;
    if (!transit_streets_near(s, query->from.latitude, query->from.longitude, &p->origin))
        return off_map(ctx, p->city, "the place", query->from);
    if (!transit_streets_near(s, query->to.latitude, query->to.longitude, &p->target))
        return off_map(ctx, p->city, "the target", query->to);
    return MCO_OK;
}

mco_status transit_planner_prepare(mco_context *ctx, transit_planner *p, const mco_transit_query *query,
                                   const mco_transit_params *params)
{
    mco_status st = MCO_OK;
    const transit_streets *s = &p->city->streets;
    const bool rides = params->modes != MCO_TRANSIT_MODES_WALK;
    const int32_t limit_cm = rides ? (int32_t)params->max_walk * 100 : TRANSIT_MAX_WALK_CM;
    MCO_TRY(transit_planner_locate(ctx, p, query));
    p->from.end_count = p->to.end_count = 0;
    transit_walker_run(&p->from, &p->origin, limit_cm, rides ? NULL : &p->target);
    if (rides) {
        transit_walker_run(&p->to, &p->target, limit_cm, NULL);
        transit_walker_find_stops(&p->from, &p->origin, limit_cm);
        transit_walker_find_stops(&p->to, &p->target, limit_cm);
    }
    if (transit_is_stopped(p->watch))
        MCO_TRY(mco_fail(ctx, MCO_ERR_STOPPED, "the walks were stopped"));
    int32_t via;
    const int32_t cm = rides ? meet(p, 2 * limit_cm) : transit_walker_to(&p->from, &p->origin, &p->target, &via);
    p->query = (transit_query){.depart_s = query->depart_s, .until_s = query->depart_s, .max_rides = rides ? (int32_t)params->max_rides : 0,
                               .direct_s = cm >= 0 ? transit_walk_seconds(s, cm) : TRANSIT_NEVER, .direct_cm = cm,
                               .start = p->from.end, .starts = p->from.end_count, .target = p->to.end, .targets = p->to.end_count};
done:
    return st;
}

// ---- Legs

static mco_transit_leg ride_leg(const mco_transit *city, const transit_ride *ride)
{
    const transit_timetable *t = &city->table;
    const int32_t route = t->trip[ride->trip].route;
    const int64_t first = t->stop_first[route];
    const int32_t *time = transit_times(t, ride->trip);
    return (mco_transit_leg){.move = MCO_TRANSIT_RIDE, .from = t->route_stop[first + ride->board], .to = t->route_stop[first + ride->leave],
                             .depart_s = time[2 * ride->board + 1], .arrive_s = time[2 * ride->leave], .trip = ride->trip,
                             .board = ride->board, .leave = ride->leave};
}

static mco_transit_leg walk_leg(int32_t from, int32_t to, int32_t depart_s, int32_t seconds, double metres)
{
    return (mco_transit_leg){.move = MCO_TRANSIT_WALK, .from = from, .to = to, .depart_s = depart_s, .arrive_s = depart_s + seconds,
                             .metres = metres, .trip = -1, .board = -1, .leave = -1};
}

// The shortest walk of the timetable between two stops.
static mco_transit_leg change_leg(const transit_timetable *t, int32_t from, int32_t to, int32_t depart_s)
{
    mco_transit_leg best = walk_leg(from, to, depart_s, TRANSIT_NEVER, 0);
    for (int64_t i = t->walk_first[from]; i < t->walk_first[from + 1]; i++)
        if (t->walk[i].stop == to && t->walk[i].seconds < best.arrive_s - depart_s)
            best = walk_leg(from, to, depart_s, t->walk[i].seconds, t->walk[i].metres);
    return best;
}

// The walk between a place and a stop, which takes no part of the search.
static mco_transit_leg end_leg(const transit_streets *s, bool is_first, int32_t stop, int32_t moment, int32_t cm)
{
    const int32_t seconds = transit_walk_seconds(s, cm);
    return is_first ? walk_leg(-1, stop, moment - seconds, seconds, cm / 100.0) : walk_leg(stop, -1, moment, seconds, cm / 100.0);
}

static void add_leg(mco_transit_journey *j, mco_transit_leg leg)
{
    j->legs[j->leg_count++] = leg;
    j->metres += leg.metres;
    j->rides += leg.move == MCO_TRANSIT_RIDE;
}

mco_status transit_journey_make(mco_context *ctx, const mco_transit *city, const transit_found *found, const transit_end_walks *walks,
                                mco_transit_journey *out)
{
    mco_status st = MCO_OK;
    const transit_streets *s = &city->streets;
    mco_transit_journey j = {0};
    MCO_TRY(mco_alloc(ctx, &j.legs, 2 * found->rides + 1));
    if (found->rides == 0)
        add_leg(&j, walk_leg(-1, -1, found->depart_s, transit_walk_seconds(s, walks->direct_cm), walks->direct_cm / 100.0));
    for (int32_t k = 0; k < found->rides; k++) {
        const mco_transit_leg ride = ride_leg(city, &found->ride[k]);
        const mco_transit_leg *last = k > 0 ? &j.legs[j.leg_count - 1] : NULL;
        if (last == NULL)
            add_leg(&j, end_leg(s, true, ride.from, ride.depart_s, walks->first_cm));
        else if (last->to != ride.from)
            add_leg(&j, change_leg(&city->table, last->to, ride.from, last->arrive_s));
        add_leg(&j, ride);
    }
    if (found->rides > 0)
        add_leg(&j, end_leg(s, false, j.legs[j.leg_count - 1].to, j.legs[j.leg_count - 1].arrive_s, walks->last_cm));
    j.depart_s = j.legs[0].depart_s;
    j.arrive_s = j.legs[j.leg_count - 1].arrive_s;
    *out = j;
done:
    return st;
}

mco_status transit_planner_journey(mco_context *ctx, transit_planner *p, const transit_found *found, mco_transit_journey *out)
{
    const transit_spot *stop = p->city->streets.stop;
    transit_end_walks walks = {.direct_cm = p->query.direct_cm};
    int32_t via;
    if (found->rides > 0) {
        walks.first_cm = transit_walker_to(&p->from, &p->origin, &stop[ride_leg(p->city, &found->ride[0]).from], &via);
        walks.last_cm = transit_walker_to(&p->to, &p->target, &stop[ride_leg(p->city, &found->ride[found->rides - 1]).to], &via);
    }
    return transit_journey_make(ctx, p->city, found, &walks, out);
}

mco_status transit_planner_test(mco_context *ctx, transit_planner *p, const mco_transit_query *query,
                                const mco_transit_params *params, const mco_transit_journey *journey)
{
    const mco_status st = transit_checker_test(ctx, &p->checker, query, params, journey);
    if (st != MCO_OK && p->watch != NULL && p->watch->is_stopped)
        return mco_fail(ctx, MCO_ERR_STOPPED, "the check was stopped");
    return st == MCO_ERR_CHECK ? mco_fail(ctx, MCO_ERR_INTERNAL, "a journey fails its check: %.300s", mco_context_error(ctx)) : st;
}

mco_status transit_planner_earliest(mco_context *ctx, transit_planner *p, const mco_transit_query *query,
                                    const mco_transit_params *params, mco_transit_journey *out)
{
    mco_status st = MCO_OK;
    transit_found found[TRANSIT_MAX_RIDES + 1];
    mco_transit_journey j = {.arrive_s = MCO_TRANSIT_NEVER};
    MCO_TRY(transit_planner_prepare(ctx, p, query, params));
    if (!transit_search_run(p->search, &p->query))
        MCO_TRY(mco_fail(ctx, MCO_ERR_STOPPED, "the search was stopped"));
    const int32_t count = transit_search_journeys(p->search, found);
    if (count > 0) {
        MCO_TRY(transit_planner_journey(ctx, p, &found[count - 1], &j));
        if (j.arrive_s != found[count - 1].arrive_s)
            MCO_TRY(mco_fail(ctx, MCO_ERR_INTERNAL, "a journey arrives at %d, the search found %d", j.arrive_s, found[count - 1].arrive_s));
        MCO_TRY(transit_planner_test(ctx, p, query, params, &j));
    }
    *out = j;
    return MCO_OK;
done:
    mco_free(ctx, &j.legs);
    return st;
}

// ---- Ways

static mco_status put_point(mco_context *ctx, mco_transit_place **points, int64_t *count, int64_t *room, double latitude, double longitude)
{
    const mco_status st = mco_grow(ctx, points, room, *count + 1);
    if (st == MCO_OK)
        (*points)[(*count)++] = (mco_transit_place){latitude, longitude};
    return st;
}

// The shortest street between two neighbours.
static int32_t street_between(const transit_streets *s, int32_t u, int32_t v)
{
    int32_t best = -1, least_cm = INT32_MAX;
    for (int32_t a = s->first[u]; a < s->first[u + 1]; a++)
        if (s->arc[a].head == v && s->arc[a].cm < least_cm) {
            least_cm = s->arc[a].cm;
            best = s->arc_piece[a];
        }
    return best;
}

// The points of a street's line between two distances from its begin, in the direction of the walk. A street is drawn as
// its own line; distances along it are shares of its length.
static mco_status put_line(mco_context *ctx, const mco_transit *city, int32_t piece, double from_m, double to_m, mco_transit_place **points,
                           int64_t *count, int64_t *room)
{
    mco_status st = MCO_OK;
    int64_t n = 0;
    const transit_point *line = transit_piece_line(city, piece, &n);
    const bool is_forward = from_m <= to_m;
    double at = 0;
    const double low = is_forward ? from_m : to_m, high = is_forward ? to_m : from_m;
    const int64_t begin = *count;
    for (int64_t i = 0; i < n; i++) {
        at += i > 0 ? transit_beeline_m(line[i - 1].latitude, line[i - 1].longitude, line[i].latitude, line[i].longitude) : 0;
        if (at >= low && at <= high)
            MCO_TRY(put_point(ctx, points, count, room, line[i].latitude, line[i].longitude));
    }
    for (int64_t i = begin, k = *count - 1; !is_forward && i < k; i++, k--) {
        const mco_transit_place swap = (*points)[i];
        (*points)[i] = (*points)[k];
        (*points)[k] = swap;
    }
done:
    return st;
}

// From a spot to an end of its street, or back.
static mco_status put_stub(mco_context *ctx, const mco_transit *city, const transit_spot *spot, int32_t end, bool is_towards_end,
                           mco_transit_place **points, int64_t *count, int64_t *room)
{
    const transit_streets *s = &city->streets;
    const double length = s->piece_cm[spot->piece] / 100.0, along = spot->along / 100.0;
    // A ring has both ends at one vertex: the shorter way.
    const bool is_first = spot->end[0] == end && (spot->end[1] != end || spot->cm[0] <= spot->cm[1]);
    const double far = is_first ? 0 : 2 * length;
    return is_towards_end ? put_line(ctx, city, spot->piece, along, far, points, count, room) : put_line(ctx, city, spot->piece, far, along, points, count, room);
}

// The walk is searched from its end: the parents then lead from its begin.
static mco_status walk_way(mco_context *ctx, const mco_transit *city, const transit_spot *from, const transit_spot *to,
                           mco_transit_place **points, int64_t *count)
{
    mco_status st = MCO_OK;
    const transit_streets *s = &city->streets;
    transit_walker w = {0};
    int64_t room = 0;
    int32_t v = -1, last = -1;
    MCO_TRY(transit_walker_open(ctx, s, NULL, &w));
    transit_walker_run(&w, to, TRANSIT_MAX_WALK_CM, from);
    (void)transit_walker_to(&w, to, from, &v);
    MCO_TRY(put_point(ctx, points, count, &room, from->latitude, from->longitude));
    if (v >= 0)
        MCO_TRY(put_stub(ctx, city, from, v, true, points, count, &room));
    else if (s->pieces > 0 && from->piece >= 0 && from->piece == to->piece)
        MCO_TRY(put_line(ctx, city, from->piece, from->along / 100.0, to->along / 100.0, points, count, &room));
    for (; v >= 0; last = v, v = w.parent[v])
        if (last >= 0) {
            const int32_t e = street_between(s, last, v);
            const double far = 2 * s->piece_cm[e] / 100.0;
            MCO_TRY(s->piece_from[e] == last ? put_line(ctx, city, e, 0, far, points, count, &room) : put_line(ctx, city, e, far, 0, points, count, &room));
        }
    if (last >= 0)
        MCO_TRY(put_stub(ctx, city, to, last, false, points, count, &room));
    MCO_TRY(put_point(ctx, points, count, &room, to->latitude, to->longitude));
done:
    transit_walker_close(ctx, &w);
    return st;
}

static transit_spot spot_of(const mco_transit *city, int32_t stop, mco_transit_place place)
{
    transit_spot spot;
    if (stop >= 0)
        return city->streets.stop[stop];
    (void)transit_streets_near(&city->streets, place.latitude, place.longitude, &spot);
    return spot;
}

mco_status transit_leg_way(mco_context *ctx, const mco_transit *city, const mco_transit_query *query, const mco_transit_leg *leg,
                           mco_transit_place **points, int64_t *count)
{
    mco_status st = MCO_OK;
    const transit_timetable *t = &city->table;
    int64_t room = 0;
    *count = 0;
    if (leg->move == MCO_TRANSIT_WALK) {
        const transit_spot from = spot_of(city, leg->from, query->from), to = spot_of(city, leg->to, query->to);
        return walk_way(ctx, city, &from, &to, points, count);
    }
    const int64_t first = t->stop_first[t->trip[leg->trip].route];
    for (int64_t p = first + leg->board; p <= first + leg->leave; p++)
        MCO_TRY(put_point(ctx, points, count, &room, t->stop[t->route_stop[p]].latitude, t->stop[t->route_stop[p]].longitude));
done:
    return st;
}
