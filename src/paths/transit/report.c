// SPDX-License-Identifier: MIT
// The result files of journeys, of many queries, and of the reach of a place.
#include "render/report.h"

#include <math.h>
#include <stdio.h>

#include "base/structs.h"
#include "paths/transit/city.h"

typedef struct subject {
    const mco_transit *city;
    const mco_transit_query *query;  // [count] of many
    const mco_transit_result *result;
    const mco_transit_batch *batch;
    const mco_transit_reach *reach;
} subject;

static void write_sizes(mco_json *json, const void *user)
{
    const mco_transit_facts *f = &((const subject *)user)->city->facts;
    mco_json_integer(json, "date", f->date);
    mco_json_integer(json, "vertices", f->vertices);
    mco_json_integer(json, "streets", f->streets);
    mco_json_integer(json, "stops", f->stops);
    mco_json_integer(json, "lines", f->lines);
    mco_json_integer(json, "routes", f->routes);
    mco_json_integer(json, "trips", f->trips);
    mco_json_integer(json, "times", f->times);
    mco_json_integer(json, "walks", f->walks);
}

static void write_time(mco_json *json, const char *key, int32_t seconds)
{
    char text[32];
    const int32_t s = seconds < 0 ? seconds + 24 * 3600 : seconds;
    snprintf(text, sizeof text, "%02d:%02d:%02d", s / 3600, s / 60 % 60, s % 60);
    mco_json_text(json, key, text);
}

static void write_place(mco_json *json, const char *key, mco_transit_place place)
{
    mco_json_open_line(json, key);
    mco_json_real(json, NULL, place.latitude);
    mco_json_real(json, NULL, place.longitude);
    mco_json_close(json, ']');
}

static void write_stop(mco_json *json, const char *key, const subject *s, int32_t stop, mco_transit_place place)
{
    const transit_stop *row = stop >= 0 ? &s->city->table.stop[stop] : NULL;
    mco_json_open(json, key, '{');
    mco_json_text(json, "stop", row != NULL ? row->id : NULL);
    mco_json_text(json, "name", row != NULL ? transit_stop_name(s->city, stop) : NULL);
    write_place(json, "at", row != NULL ? (mco_transit_place){row->latitude, row->longitude} : place);
    mco_json_close(json, '}');
}

static void write_leg(mco_json *json, const subject *s, const mco_transit_query *query, const mco_transit_leg *leg)
{
    const transit_timetable *t = &s->city->table;
    mco_json_open(json, NULL, '{');
    mco_json_text(json, "move", leg->move == MCO_TRANSIT_WALK ? "walk" : "ride");
    write_stop(json, "from", s, leg->from, query->from);
    write_stop(json, "to", s, leg->to, query->to);
    write_time(json, "depart", leg->depart_s);
    write_time(json, "arrive", leg->arrive_s);
    if (leg->move == MCO_TRANSIT_WALK) {
        mco_json_real(json, "metres", leg->metres);
    } else {
        const transit_line *line = &t->line[t->trip[leg->trip].line];
        mco_json_text(json, "vehicle", transit_vehicle(line->type));
        mco_json_text(json, "line", transit_line_name(line));
        mco_json_text(json, "headsign", transit_headsign(s->city, leg->trip));
        mco_json_text(json, "trip", t->trip[leg->trip].id);
        mco_json_integer(json, "stops", leg->leave - leg->board);
    }
    mco_json_close(json, '}');
}

static void write_journey(mco_json *json, const subject *s, const mco_transit_query *query, const mco_transit_journey *j)
{
    mco_json_open(json, NULL, '{');
    write_time(json, "depart", j->depart_s);
    write_time(json, "arrive", j->arrive_s);
    mco_json_integer(json, "rides", j->rides);
    mco_json_real(json, "metres", j->metres);
    mco_json_open(json, "legs", '[');
    for (int32_t k = 0; k < j->leg_count; k++)
        write_leg(json, s, query, &j->legs[k]);
    mco_json_close(json, ']');
    mco_json_close(json, '}');
}

static mco_status write_file(mco_context *ctx, const subject *s, mco_report report, const mco_option_values *more, const char *path)
{
    report.kind = "transit";
    report.name = s->city->name;
    report.bound = NAN;
    report.more = more;
    report.user = s;
    report.write_sizes = write_sizes;
    return mco_report_write(ctx, &report, path);
}

// ---- Journeys

static void write_result_counters(mco_json *json, const void *user)
{
    const subject *s = user;
    mco_json_integer(json, "journeys", s->result->journey_count);
    mco_json_integer(json, "from_stops", s->result->from_stops);
    mco_json_integer(json, "to_stops", s->result->to_stops);
}

static void write_result_solution(mco_json *json, const void *user)
{
    const subject *s = user;
    write_place(json, "from", s->query->from);
    write_place(json, "to", s->query->to);
    write_time(json, "depart", s->query->depart_s);
    mco_json_open(json, "journeys", '[');
    for (int64_t i = 0; i < s->result->journey_count; i++)
        write_journey(json, s, s->query, &s->result->journeys[i]);
    mco_json_close(json, ']');
}

mco_status mco_transit_write_result(mco_context *ctx, const mco_transit *transit, const mco_transit_query *query,
                                    const mco_transit_params *params, const mco_transit_result *result,
                                    const mco_option_values *more, const char *path)
{
    mco_status st = MCO_OK;
    mco_transit_params p = MCO_TRANSIT_PARAMS_INIT;
    mco_transit_result r = MCO_TRANSIT_RESULT_INIT;
    const subject s = {.city = transit, .query = query, .result = &r};
    if (ctx == NULL || transit == NULL || query == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(MCO_TAKE(ctx, result, &r));
    const double travel_s = r.journey_count > 0 ? (double)(r.journeys[0].arrive_s - query->depart_s) : (double)NAN;
    MCO_TRY(write_file(ctx, &s, (mco_report){.outcome = r.outcome, .stop = r.stop, .reason = r.reason, .objective = travel_s,
                                             .options = {mco_transit_options(), &p}, .work = &r.work, .write_counters = write_result_counters,
                                             .write_solution = write_result_solution}, more, path));
done:
    return st;
}

// ---- Many queries

static void write_batch_counters(mco_json *json, const void *user)
{
    const mco_transit_batch *b = ((const subject *)user)->batch;
    mco_json_integer(json, "queries", b->count);
    mco_json_integer(json, "done", b->done);
    mco_json_integer(json, "found", b->found);
    mco_json_integer(json, "off_map", b->off_map);
    mco_json_integer(json, "direct_walks", b->walks);
    mco_json_integer(json, "rides", b->rides);
    mco_json_real(json, "queries_per_s", b->work.solve_s > 0 ? (double)b->done / b->work.solve_s : NAN);
}

// An entry of a query without a journey is null.
static void write_batch_solution(mco_json *json, const void *user)
{
    const subject *s = user;
    mco_json_open(json, "journeys", '[');
    for (int64_t i = 0; i < s->batch->count; i++)
        if (s->batch->journeys[i].leg_count > 0)
            write_journey(json, s, &s->query[i], &s->batch->journeys[i]);
        else
            mco_json_null(json, NULL);
    mco_json_close(json, ']');
}

mco_status mco_transit_write_batch(mco_context *ctx, const mco_transit *transit, const mco_transit_query *queries,
                                   const mco_transit_params *params, const mco_transit_batch *batch,
                                   const mco_option_values *more, const char *path)
{
    mco_status st = MCO_OK;
    mco_transit_params p = MCO_TRANSIT_PARAMS_INIT;
    mco_transit_batch b = MCO_TRANSIT_BATCH_INIT;
    const subject s = {.city = transit, .query = queries, .batch = &b};
    if (ctx == NULL || transit == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(MCO_TAKE(ctx, batch, &b));
    if (queries == NULL && b.count > 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(write_file(ctx, &s, (mco_report){.outcome = b.outcome, .stop = b.stop, .objective = (double)b.found,
                                             .options = {mco_transit_options(), &p}, .work = &b.work, .write_counters = write_batch_counters,
                                             .write_solution = write_batch_solution}, more, path));
done:
    return st;
}

// ---- Reach

static void write_reach_counters(mco_json *json, const void *user)
{
    const mco_transit_reach *r = ((const subject *)user)->reach;
    mco_json_open(json, "bands", '[');
    for (int32_t k = 0; k < r->bands; k++) {
        mco_json_open(json, NULL, '{');
        mco_json_integer(json, "minutes", r->minutes[k]);
        mco_json_integer(json, "stops", r->stops[k]);
        mco_json_real(json, "street_km", r->street_km[k]);
        mco_json_real(json, "area_km2", r->area_km2[k]);
        mco_json_close(json, '}');
    }
    mco_json_close(json, ']');
}

static void write_reach_solution(mco_json *json, const void *user)
{
    const subject *s = user;
    write_place(json, "from", s->reach->from);
    write_time(json, "depart", s->reach->depart_s);
}

mco_status mco_transit_write_reach(mco_context *ctx, const mco_transit *transit, const mco_transit_params *params,
                                   const mco_transit_reach *reach, const mco_option_values *more, const char *path)
{
    mco_status st = MCO_OK;
    mco_transit_params p = MCO_TRANSIT_PARAMS_INIT;
    mco_transit_reach r = MCO_TRANSIT_REACH_INIT;
    const subject s = {.city = transit, .reach = &r};
    if (ctx == NULL || transit == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(MCO_TAKE(ctx, reach, &r));
    MCO_TRY(write_file(ctx, &s, (mco_report){.outcome = r.outcome, .stop = r.stop, .objective = NAN, .options = {mco_transit_options(), &p},
                                             .work = &r.work, .write_counters = write_reach_counters, .write_solution = write_reach_solution},
                       more, path));
done:
    return st;
}
