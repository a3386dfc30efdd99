// SPDX-License-Identifier: MIT
// Reads the journeys of a result file, and checks many journeys. A file states trips and stops by their ids; the runs of the
// timetable with these ids, stops and times say which trips they are.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/structs.h"
#include "paths/transit/city.h"
#include "render/report.h"

enum { ID_ROOM = 512, KEY_ROOM = 32, MOST_LEGS = 2 * TRANSIT_MAX_RIDES + 1, UNKNOWN_STOP = -2, UNKNOWN_S = -1 };
// Ids of ID_ROOM bytes or more are cut, and then no trip has them.

typedef struct stated_stop {
    bool is_stop;  // else a place, the begin or the end of a journey
    char id[ID_ROOM];
    mco_transit_place at;
} stated_stop;

typedef struct stated_leg {
    char move[KEY_ROOM], trip[ID_ROOM];
    stated_stop from, to;
    int32_t depart_s, arrive_s;
    int64_t stops;
    double metres;
} stated_leg;

typedef struct named_trip {
    const char *id;
    int32_t trip;
} named_trip;

typedef struct reader {
    mco_context *ctx;
    const mco_transit *city;
    named_trip *trip;  // [trips] by id
    mco_transit_query *query;      // [count]
    mco_transit_journey *journey;  // [count]
    int64_t count, query_room, journey_room;
    mco_transit_query asked;  // of the whole file
    bool has_from, has_to, has_depart, has_journeys;
    stated_leg leg;     // that was read last
    stated_stop to;     // of the leg before
    mco_transit_leg legs[MOST_LEGS];
    int32_t leg_count;
} reader;

static mco_status fault(const reader *r, const char *format, ...) MCO_PRINTF(2, 3);
static mco_status fault(const reader *r, const char *format, ...)
{
    char text[MCO_ERROR_LENGTH];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return mco_fail(r->ctx, MCO_ERR_CHECK, "journey %lld, leg %d: %.400s", (long long)r->count + 1, r->leg_count + 1, text);
}

// ---- Values

static mco_status read_real(mco_text *text, const char *what, double low, double high, double *out)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_slice_real(text, mco_json_peek_word(text), what, low, high, out));
    MCO_TRY(mco_json_skip(text));
done:
    return st;
}

// HH:MM:SS; hours go on beyond 24.
static mco_status read_time(mco_text *text, int32_t *out)
{
    mco_status st = MCO_OK;
    char value[16];
    int hours, minutes, seconds, used = 0;
    MCO_TRY(mco_json_read_text(text, value, sizeof value));
    if (sscanf(value, "%3d:%2d:%2d%n", &hours, &minutes, &seconds, &used) != 3 || value[used] != '\0' || hours < 0 || minutes < 0 ||
        minutes > 59 || seconds < 0 || seconds > 59)
        MCO_TRY(mco_text_fail_here(text, "the time is \"%s\", HH:MM:SS was expected", value));
    *out = 3600 * hours + 60 * minutes + seconds;
done:
    return st;
}

static mco_status read_place(mco_text *text, mco_transit_place *out)
{
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    double *const value[] = {&out->latitude, &out->longitude};
    int count = 0;
    MCO_TRY(mco_json_enter(text, '['));
    for (;; count++) {
        MCO_TRY(mco_json_next(text, '[', &is_first, &has_next, NULL, 0));
        if (!has_next || count == 2)
            break;
        MCO_TRY(read_real(text, "a place", count == 0 ? -90 : -180, count == 0 ? 90 : 180, value[count]));
    }
    if (has_next || count != 2)
        MCO_TRY(mco_text_fail_here(text, "a place is [latitude, longitude]"));
done:
    return st;
}

static mco_status read_stop(mco_text *text, stated_stop *out)
{
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    char key[KEY_ROOM];
    MCO_TRY(mco_json_enter(text, '{'));
    for (;;) {
        MCO_TRY(mco_json_next(text, '{', &is_first, &has_next, key, sizeof key));
        if (!has_next)
            break;
        if (strcmp(key, "stop") == 0) {
            out->is_stop = !mco_json_skip_word(text, "null");
            if (out->is_stop)
                MCO_TRY(mco_json_read_text(text, out->id, sizeof out->id));
        } else {
            MCO_TRY(strcmp(key, "at") == 0 ? read_place(text, &out->at) : mco_json_skip(text));
        }
    }
    if (isnan(out->at.latitude))
        MCO_TRY(mco_text_fail_here(text, "a stop has no \"at\""));
done:
    return st;
}

// ---- Rides

static bool is_near(mco_transit_place a, mco_transit_place b)
{
    static const double NEAR = 1e-7;  // degrees, a centimetre
    return fabs(a.latitude - b.latitude) < NEAR && fabs(a.longitude - b.longitude) < NEAR;
}

static bool is_it(const reader *r, int32_t stop, const stated_stop *stated)
{
    const transit_stop *row = &r->city->table.stop[stop];
    return stated->is_stop && strcmp(row->id, stated->id) == 0 && is_near((mco_transit_place){row->latitude, row->longitude}, stated->at);
}

static int by_id(const void *a, const void *b)
{
    const named_trip *x = a, *y = b;
    const int order = strcmp(x->id, y->id);
    return order != 0 ? order : x->trip < y->trip ? -1 : 1;
}

static mco_status sort_trips(reader *r)
{
    mco_status st = MCO_OK;
    const transit_timetable *t = &r->city->table;
    MCO_TRY(mco_alloc(r->ctx, &r->trip, t->trips));
    for (int32_t k = 0; k < t->trips; k++)
        r->trip[k] = (named_trip){t->trip[k].id, k};
    if (t->trips > 0)
        qsort(r->trip, (size_t)t->trips, sizeof r->trip[0], by_id);
done:
    return st;
}

// The first place of the order whose id is not less.
static int32_t find_trip(const reader *r, const char *id)
{
    int32_t low = 0, high = r->city->table.trips;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (strcmp(r->trip[middle].id, id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Takes the run if it goes from stop to stop, and fits the times better than `best`.
static void try_run(const reader *r, int32_t trip, mco_transit_leg *best)
{
    const transit_timetable *t = &r->city->table;
    const stated_leg *leg = &r->leg;
    const int32_t route = t->trip[trip].route, *time = transit_times(t, trip);
    const int64_t first = t->stop_first[route], last = t->stop_first[route + 1] - first - leg->stops;
    for (int64_t board = 0; board < last; board++) {
        const int64_t leave = board + leg->stops;
        const int32_t depart_s = time[2 * board + 1], arrive_s = time[2 * leave], from = t->route_stop[first + board], to = t->route_stop[first + leave];
        const int64_t off = llabs((long long)depart_s - leg->depart_s) + llabs((long long)arrive_s - leg->arrive_s);
        const int64_t best_off = llabs((long long)best->depart_s - leg->depart_s) + llabs((long long)best->arrive_s - leg->arrive_s);
        if ((best->trip < 0 || off < best_off) && is_it(r, from, &leg->from) && is_it(r, to, &leg->to))
            *best = (mco_transit_leg){.move = MCO_TRANSIT_RIDE, .from = from, .to = to, .depart_s = depart_s, .arrive_s = arrive_s,
                                      .trip = trip, .board = (int32_t)board, .leave = (int32_t)leave};
    }
}

static const char *clock_text(int32_t seconds, char out[24])
{
    snprintf(out, 24, "%02d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60);
    return out;
}

static mco_status find_ride(const reader *r, mco_transit_leg *out)
{
    const transit_timetable *t = &r->city->table;
    const stated_leg *leg = &r->leg;
    mco_transit_leg best = {.trip = -1};
    char text[4][24];
    int32_t k = find_trip(r, leg->trip);
    if (k == t->trips || strcmp(r->trip[k].id, leg->trip) != 0)
        return fault(r, "no trip \"%.60s\" runs on %d", leg->trip, t->date);
    for (; leg->stops > 0 && k < t->trips && strcmp(r->trip[k].id, leg->trip) == 0; k++)
        try_run(r, r->trip[k].trip, &best);
    if (best.trip < 0)
        return fault(r, "trip \"%.60s\" does not go from stop \"%.60s\" to stop \"%.60s\" as its stop %lld from there", leg->trip, leg->from.id, leg->to.id,
                     (long long)leg->stops);
    if (best.depart_s != leg->depart_s || best.arrive_s != leg->arrive_s)
        return fault(r, "trip \"%.60s\" leaves at %s and arrives at %s, the leg has %s and %s", leg->trip, clock_text(best.depart_s, text[0]),
                     clock_text(best.arrive_s, text[1]), clock_text(leg->depart_s, text[2]), clock_text(leg->arrive_s, text[3]));
    *out = best;
    return MCO_OK;
}

// ---- Legs

static mco_status read_leg_members(reader *r, mco_text *text)
{
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    char key[KEY_ROOM];
    stated_leg *leg = &r->leg;
    MCO_TRY(mco_json_enter(text, '{'));
    for (;;) {
        MCO_TRY(mco_json_next(text, '{', &is_first, &has_next, key, sizeof key));
        if (!has_next)
            break;
        if (strcmp(key, "move") == 0)
            MCO_TRY(mco_json_read_text(text, leg->move, sizeof leg->move));
        else if (strcmp(key, "trip") == 0)
            MCO_TRY(mco_json_read_text(text, leg->trip, sizeof leg->trip));
        else if (strcmp(key, "stops") == 0)
            MCO_TRY(mco_json_read_integer(text, "stops", 1, INT32_MAX, &leg->stops));
        else if (strcmp(key, "metres") == 0)
            MCO_TRY(read_real(text, "metres", 0, 1e9, &leg->metres));
        else if (strcmp(key, "depart") == 0 || strcmp(key, "arrive") == 0)
            MCO_TRY(read_time(text, key[0] == 'd' ? &leg->depart_s : &leg->arrive_s));
        else
            MCO_TRY(strcmp(key, "from") == 0 ? read_stop(text, &leg->from) : strcmp(key, "to") == 0 ? read_stop(text, &leg->to) : mco_json_skip(text));
    }
done:
    return st;
}

static stated_leg no_leg(void)
{
    const stated_stop none = {.at = {NAN, NAN}};
    return (stated_leg){.from = none, .to = none, .depart_s = UNKNOWN_S, .arrive_s = UNKNOWN_S, .metres = NAN};
}

// A walk begins where the leg before ends. Where it ends is known with the next leg.
static mco_status find_walk(const reader *r, mco_transit_leg *out)
{
    const mco_transit_leg *last = r->leg_count > 0 ? &r->legs[r->leg_count - 1] : NULL;
    const stated_leg *leg = &r->leg;
    int32_t from = -1;
    if (leg->from.is_stop) {
        from = last != NULL && last->to >= 0 && is_it(r, last->to, &leg->from) ? last->to : UNKNOWN_STOP;
        if (from < 0)
            return fault(r, "the walk begins at stop \"%.60s\", and the leg before does not end there", leg->from.id);
    }
    *out = (mco_transit_leg){.move = MCO_TRANSIT_WALK, .from = from, .to = leg->to.is_stop ? UNKNOWN_STOP : -1, .depart_s = leg->depart_s,
                             .arrive_s = leg->arrive_s, .metres = leg->metres, .trip = -1, .board = -1, .leave = -1};
    return MCO_OK;
}

static mco_status read_leg(reader *r, mco_text *text)
{
    mco_status st = MCO_OK;
    mco_transit_leg leg = {0}, *last = r->leg_count > 0 ? &r->legs[r->leg_count - 1] : NULL;
    r->to = r->leg.to;
    r->leg = no_leg();
    MCO_TRY(read_leg_members(r, text));
    if (r->leg_count == MOST_LEGS)
        MCO_TRY(fault(r, "a journey has at most %d legs", MOST_LEGS));
    const bool is_ride = strcmp(r->leg.move, "ride") == 0;
    if (!is_ride && strcmp(r->leg.move, "walk") != 0)
        MCO_TRY(fault(r, "it is neither a walk nor a ride"));
    if (isnan(r->leg.from.at.latitude) || isnan(r->leg.to.at.latitude) || r->leg.depart_s < 0 || r->leg.arrive_s < 0)
        MCO_TRY(fault(r, "it lacks \"from\", \"to\", \"depart\" or \"arrive\""));
    MCO_TRY(is_ride ? find_ride(r, &leg) : find_walk(r, &leg));
    if (last != NULL && last->to == UNKNOWN_STOP) {
        if (leg.from < 0 || !is_it(r, leg.from, &r->to))
            MCO_TRY(fault(r, "it begins at stop \"%.60s\", the walk before ends at stop \"%.60s\"", r->leg.from.id, r->to.id));
        last->to = leg.from;
    }
    r->legs[r->leg_count++] = leg;
    if (r->leg_count == 1)
        r->query[r->count].from = r->leg.from.at;
done:
    return st;
}

static mco_status read_legs(reader *r, mco_text *text)
{
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    r->leg_count = 0;
    MCO_TRY(mco_json_enter(text, '['));
    for (;;) {
        MCO_TRY(mco_json_next(text, '[', &is_first, &has_next, NULL, 0));
        if (!has_next)
            break;
        MCO_TRY(read_leg(r, text));
    }
done:
    return st;
}

// ---- Journeys

static mco_status read_journey(reader *r, mco_text *text)
{
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    char key[KEY_ROOM];
    int64_t rides = -1;
    MCO_TRY(mco_grow(r->ctx, &r->query, &r->query_room, r->count + 1));
    MCO_TRY(mco_grow(r->ctx, &r->journey, &r->journey_room, r->count + 1));
    mco_transit_journey *j = &r->journey[r->count];
    *j = (mco_transit_journey){.depart_s = UNKNOWN_S, .arrive_s = UNKNOWN_S, .metres = NAN};
    r->leg = no_leg();
    r->leg_count = 0;
    MCO_TRY(mco_json_enter(text, '{'));
    for (;;) {
        MCO_TRY(mco_json_next(text, '{', &is_first, &has_next, key, sizeof key));
        if (!has_next)
            break;
        if (strcmp(key, "depart") == 0 || strcmp(key, "arrive") == 0)
            MCO_TRY(read_time(text, key[0] == 'd' ? &j->depart_s : &j->arrive_s));
        else if (strcmp(key, "rides") == 0)
            MCO_TRY(mco_json_read_integer(text, "rides", 0, TRANSIT_MAX_RIDES, &rides));
        else
            MCO_TRY(strcmp(key, "metres") == 0 ? read_real(text, "metres", 0, 1e9, &j->metres)
                    : strcmp(key, "legs") == 0 ? read_legs(r, text) : mco_json_skip(text));
    }
    j->rides = (int32_t)rides;
    MCO_TRY(mco_alloc(r->ctx, &j->legs, r->leg_count));
    memcpy(j->legs, r->legs, (size_t)r->leg_count * sizeof *j->legs);
    j->leg_count = r->leg_count;
    r->query[r->count].to = r->leg.to.at;
    r->query[r->count].depart_s = j->depart_s;
    r->count++;
done:
    return st;
}

static mco_status read_journeys(mco_text *text, void *user)
{
    mco_status st = MCO_OK;
    reader *r = user;
    bool is_first = true, has_next;
    r->has_journeys = true;
    MCO_TRY(mco_json_enter(text, '['));
    for (int64_t k = 0;; k++) {
        MCO_TRY(mco_json_next(text, '[', &is_first, &has_next, NULL, 0));
        if (!has_next)
            break;
        MCO_TRY(mco_text_in_time(text, k));
        if (!mco_json_skip_word(text, "null"))
            MCO_TRY(read_journey(r, text));
    }
done:
    return st;
}

static mco_status read_from(mco_text *text, void *user)
{
    ((reader *)user)->has_from = true;
    return read_place(text, &((reader *)user)->asked.from);
}

static mco_status read_to(mco_text *text, void *user)
{
    ((reader *)user)->has_to = true;
    return read_place(text, &((reader *)user)->asked.to);
}

static mco_status read_depart(mco_text *text, void *user)
{
    ((reader *)user)->has_depart = true;
    return read_time(text, &((reader *)user)->asked.depart_s);
}

// What the file asked for holds for each of its journeys; a file of many queries has it in the legs alone.
static mco_status take_asked(reader *r)
{
    for (int64_t i = 0; i < r->count; i++) {
        mco_transit_query *q = &r->query[i];
        if ((r->has_from && !is_near(q->from, r->asked.from)) || (r->has_to && !is_near(q->to, r->asked.to)))
            return mco_fail(r->ctx, MCO_ERR_CHECK, "journey %lld: it leads from %.6f,%.6f to %.6f,%.6f, which is not what was asked for",
                            (long long)i + 1, q->from.latitude, q->from.longitude, q->to.latitude, q->to.longitude);
        if (r->has_depart)
            q->depart_s = r->asked.depart_s;
    }
    return MCO_OK;
}

void mco_transit_journeys_clear(mco_context *ctx, int64_t count, mco_transit_query **queries, mco_transit_journey **journeys)
{
    for (int64_t i = 0; *journeys != NULL && i < count; i++)
        mco_free(ctx, &(*journeys)[i].legs);
    mco_free(ctx, journeys);
    mco_free(ctx, queries);
}

mco_status mco_transit_read_journeys(mco_context *ctx, const mco_transit *transit, const char *path, int64_t *count,
                                     mco_transit_query **queries, mco_transit_journey **journeys)
{
    static const mco_report_member members[] = {
        {"from", true, read_from}, {"to", true, read_to}, {"depart", true, read_depart}, {"journeys", true, read_journeys}};
    mco_status st = MCO_OK;
    mco_text text = {0};
    reader r = {.ctx = ctx, .city = transit};
    if (ctx == NULL || transit == NULL || path == NULL || count == NULL || queries == NULL || journeys == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(mco_text_open(ctx, path, &text));
    MCO_TRY(sort_trips(&r));
    MCO_TRY(mco_report_read(&text, "transit", members, sizeof members / sizeof members[0], &r));
    if (!r.has_journeys)
        MCO_TRY(mco_text_fail(&text, 1, 1, "the result has no journeys"));
    MCO_TRY(take_asked(&r));
    *count = r.count;
    *queries = r.query;
    *journeys = r.journey;
    r.query = NULL;
    r.journey = NULL;
done:
    mco_transit_journeys_clear(ctx, r.count, &r.query, &r.journey);
    mco_free(ctx, &r.trip);
    mco_text_close(&text);
    return st;
}

// ---- Checks

mco_status mco_transit_check_many(mco_context *ctx, const mco_transit *transit, int64_t count, const mco_transit_query *queries,
                                  const mco_transit_params *params, const mco_transit_journey *journeys)
{
    mco_status st = MCO_OK;
    mco_transit_params p = MCO_TRANSIT_PARAMS_INIT;
    transit_checker checker = {0};
    char why[MCO_ERROR_LENGTH];
    if (ctx == NULL || transit == NULL || (count > 0 && (queries == NULL || journeys == NULL)))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(transit_checker_open(ctx, transit, NULL, &checker));
    for (int64_t i = 0; i < count; i++) {
        st = transit_checker_test(ctx, &checker, &queries[i], &p, &journeys[i]);
        if (st == MCO_ERR_CHECK) {
            snprintf(why, sizeof why, "%s", mco_context_error(ctx));
            MCO_TRY(mco_fail(ctx, MCO_ERR_CHECK, "journey %lld%s %.400s", (long long)i + 1, strncmp(why, "leg ", 4) == 0 ? "," : ":", why));
        }
        MCO_TRY(st);
    }
done:
    transit_checker_close(ctx, &checker);
    return st;
}
