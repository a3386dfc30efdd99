// SPDX-License-Identifier: MIT
// A city on a day: opening it, what it tells, and journeys of one query.
#include "paths/transit/city.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/options.h"
#include "base/run.h"
#include "base/structs.h"

#define MCO_OPTION_STRUCT mco_transit_params
static const mco_option records[] = {MCO_OPTION_RECORDS(MCO_TRANSIT_OPTIONS)};
static const mco_option_table options = MCO_OPTION_TABLE(records);

const mco_option_table *mco_transit_options(void)
{
    return &options;
}

// ---- Opening

static mco_status make_name(mco_context *ctx, mco_transit *city, const char *map)
{
    mco_status st = MCO_OK;
    const char *base = map != NULL ? mco_text_base_name(map) : city->table.feeds > 0 ? city->table.feed[0] : "city";
    MCO_TRY(mco_alloc(ctx, &city->name, strlen(base) + 1));
    strcpy(city->name, base);
done:
    return st;
}

static void note_facts(mco_transit *city, double begin_s)
{
    const transit_timetable *t = &city->table;
    const transit_streets *s = &city->streets;
    city->facts = (mco_transit_facts){.struct_size = sizeof city->facts, .date = t->date, .vertices = s->vertices, .streets = s->pieces,
                                      .stops = t->stops, .lines = t->lines, .routes = t->routes, .trips = t->trips,
                                      .times = city->index.times, .walks = t->stops > 0 ? t->walk_first[t->stops] : 0, .south = s->south, .west = s->west,
                                      .north = s->north, .east = s->east, .open_s = mco_clock_s() - begin_s};
}

static mco_status open_city(mco_context *ctx, const mco_transit_model *m, mco_transit *city)
{
    mco_status st = MCO_OK;
    transit_rules rules = TRANSIT_RULES_INIT;
    rules.date = m->date;
    rules.days = m->days != 0 ? m->days : 1;
    rules.walk_m = m->max_transfer_m > 0 ? m->max_transfer_m : rules.walk_m;
    rules.walk_m_per_s = m->walk_speed > 0 ? m->walk_speed : rules.walk_m_per_s;
    city->streets.walk_speed = rules.walk_m_per_s;
    if (m->map != NULL) {
        MCO_TRY(transit_map_read(ctx, m->map, PATHS_MAP_FOOT, &city->map));
        city->streets.map = &city->map;
        rules.map = &city->map;
    }
    MCO_TRY(transit_read(ctx, m->feeds, &rules, &city->table));
    if (city->table.trips == 0)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "no trip runs on %04d-%02d-%02d", m->date / 10000, m->date / 100 % 100, m->date % 100));
    MCO_TRY(transit_index_make(ctx, &city->table, &city->index));
    MCO_TRY(transit_streets_finish(ctx, &city->streets, &city->table));
    MCO_TRY(make_name(ctx, city, m->map));
done:
    return st;
}

mco_status mco_transit_open(mco_context *ctx, const mco_transit_model *model, mco_transit **out)
{
    mco_status st = MCO_OK;
    mco_transit_model m = MCO_TRANSIT_MODEL_INIT;
    mco_transit *city = NULL;
    const double begin_s = mco_clock_s();
    if (ctx == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, model, &m));
    if (m.feeds == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "no timetable is given");
    if (!(m.walk_speed >= 0 && m.walk_speed <= 10) || m.max_transfer_m < 0 || m.max_transfer_m > 50000)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the walking speed is %g m/s and the longest transfer %d m, at most 10 and 50000 are allowed",
                        m.walk_speed, m.max_transfer_m);
    MCO_TRY(mco_alloc(ctx, &city, 1));
    MCO_TRY(open_city(ctx, &m, city));
    note_facts(city, begin_s);
    *out = city;
    city = NULL;
done:
    mco_transit_destroy(ctx, &city);
    return st;
}

void mco_transit_destroy(mco_context *ctx, mco_transit **transit)
{
    if (transit == NULL || *transit == NULL)
        return;
    mco_free(ctx, &(*transit)->name);
    transit_streets_clear(ctx, &(*transit)->streets);
    transit_index_clear(ctx, &(*transit)->index);
    transit_clear(ctx, &(*transit)->table);
    transit_map_clear(ctx, &(*transit)->map);
    mco_free(ctx, transit);
}

mco_status mco_transit_tell(mco_context *ctx, const mco_transit *transit, mco_transit_facts *facts)
{
    mco_status st = MCO_OK;
    if (ctx == NULL || transit == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(mco_struct_test(ctx, "facts", facts, sizeof *facts));
    mco_transit_facts copy = transit->facts;
    mco_struct_give(facts, &copy, sizeof copy);
done:
    return st;
}

const char *mco_transit_name(const mco_transit *transit)
{
    return transit != NULL ? transit->name : NULL;
}

const char *transit_stop_name(const mco_transit *city, int32_t stop)
{
    const transit_stop *s = &city->table.stop[stop];
    return s->name != NULL && s->name[0] != '\0' ? s->name : s->id;
}

const transit_point *transit_piece_line(const mco_transit *city, int32_t piece, int64_t *count)
{
    const transit_street *street = &city->map.street[piece];
    *count = street[1].first_point - street->first_point;
    return city->map.point + street->first_point;
}

// ---- One query

static mco_status add_found(mco_context *ctx, transit_planner *p, const mco_transit_query *query, const mco_transit_params *params,
                            const transit_found *found, mco_transit_result *r, int64_t *room)
{
    mco_status st = MCO_OK;
    mco_transit_journey j = {0};
    MCO_TRY(mco_grow(ctx, &r->journeys, room, r->journey_count + 1));
    MCO_TRY(transit_planner_journey(ctx, p, found, &j));
    MCO_TRY(transit_planner_test(ctx, p, query, params, &j));
    r->journeys[r->journey_count++] = j;
    return MCO_OK;
done:
    mco_free(ctx, &j.legs);
    return st;
}

static mco_status find_profile(mco_context *ctx, transit_planner *p, const mco_transit_query *query, const mco_transit_params *params,
                               mco_transit_result *r)
{
    mco_status st = MCO_OK;
    int64_t room = 0;
    transit_found_list list = {0};
    static const double CHECK_S = 0.03;
    p->query.until_s = query->depart_s + 60 * (int32_t)params->window;
    st = transit_search_profile(ctx, p->search, &p->query, &list);
    if (st != MCO_OK && st != MCO_ERR_STOPPED)
        goto done;
    st = MCO_OK;
    // The journeys of a profile that was stopped are the last ones of its window, and best ones. They are checked for a moment yet.
    const double until_s = p->watch->is_stopped ? mco_clock_s() + CHECK_S : (double)INFINITY;
    if (p->watch->is_stopped)
        p->checker.watch = NULL;
    else if (list.count == 0 && p->query.direct_s < TRANSIT_NEVER) {
        const transit_found walk = {.depart_s = query->depart_s, .arrive_s = query->depart_s + p->query.direct_s};
        MCO_TRY(add_found(ctx, p, query, params, &walk, r, &room));
    }
    for (int64_t i = list.count; i-- > 0 && mco_clock_s() < until_s;)
        MCO_TRY(add_found(ctx, p, query, params, &list.journey[i], r, &room));
done:
    mco_free(ctx, &list.journey);
    return st;
}

static mco_status find_departure(mco_context *ctx, transit_planner *p, const mco_transit_query *query, const mco_transit_params *params,
                                 mco_transit_result *r)
{
    mco_status st = MCO_OK;
    int64_t room = 0;
    transit_found found[TRANSIT_MAX_RIDES + 1];
    if (!transit_search_run(p->search, &p->query))
        return mco_fail(ctx, MCO_ERR_STOPPED, "the search was stopped");
    const int32_t count = transit_search_journeys(p->search, found);
    for (int32_t k = count; k-- > 0;)
        if (params->all || k == count - 1)
            MCO_TRY(add_found(ctx, p, query, params, &found[k], r, &room));
done:
    return st;
}

// A search that is stopped leaves the journeys that it has checked.
static mco_status find_journeys(mco_context *ctx, transit_planner *p, const mco_transit_query *query, const mco_transit_params *params,
                                mco_transit_result *r)
{
    mco_status st = MCO_OK;
    MCO_TRY(transit_planner_prepare(ctx, p, query, params));
    MCO_TRY(params->window > 0 ? find_profile(ctx, p, query, params, r) : find_departure(ctx, p, query, params, r));
done:
    return st == MCO_ERR_STOPPED && p->watch->is_stopped ? MCO_OK : st;
}

static void say_why(const transit_planner *p, const mco_transit_params *params, mco_transit_result *r)
{
    const char *direct = "and the walk to the target is longer than twice that";
    if (params->modes == MCO_TRANSIT_MODES_WALK)
        snprintf(r->reason, sizeof r->reason, "no streets join the two places");
    else if (p->query.starts == 0 || p->query.targets == 0)
        snprintf(r->reason, sizeof r->reason, "no stop is within %lld m of the %s, %s", (long long)params->max_walk, p->query.starts == 0 ? "place" : "target", direct);
    else
        snprintf(r->reason, sizeof r->reason, "no journey with at most %lld rides leaves after that time in this timetable, %s", (long long)params->max_rides, direct);
}

static mco_status test_query(mco_context *ctx, const mco_transit_query *q)
{
    if (q->depart_s < 0 || q->depart_s > MCO_TRANSIT_MAX_TIME_S)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the departure is second %d of the day, 0 to %d are allowed", q->depart_s, MCO_TRANSIT_MAX_TIME_S);
    return MCO_OK;
}

mco_status mco_transit_find(mco_context *ctx, const mco_transit *transit, const mco_transit_query *query,
                            const mco_transit_params *params, mco_transit_result *result)
{
    mco_status st = MCO_OK;
    mco_transit_params p = MCO_TRANSIT_PARAMS_INIT;
    mco_transit_result r = MCO_TRANSIT_RESULT_INIT;
    transit_planner planner = {0};
    mco_run run = {0};
    transit_watch watch = {.run = &run};
    if (ctx == NULL || transit == NULL || query == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(mco_struct_test(ctx, "result", result, sizeof r));
    MCO_TRY(mco_options_validate(ctx, &options, &p));
    if (p.engine == MCO_ENGINE_GPU)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--engine is gpu, which answers many queries: one query is for a core");
    MCO_TRY(test_query(ctx, query));
    const mco_run_settings settings = {.time_limit_s = p.time_limit_s, .target = -1, .objective = "journeys"};
    run = mco_run_begin(ctx, &settings);
    MCO_TRY(transit_planner_open(ctx, transit, &p, &watch, &planner));
    MCO_TRY(find_journeys(ctx, &planner, query, &p, &r));
    r.stop = watch.is_stopped ? run.stop : MCO_STOP_FINISHED;
    r.from_stops = planner.query.starts;
    r.to_stops = planner.query.targets;
    r.outcome = r.stop != MCO_STOP_FINISHED ? MCO_OUTCOME_UNKNOWN : r.journey_count > 0 ? MCO_OUTCOME_OPTIMAL : MCO_OUTCOME_INFEASIBLE;
    if (r.outcome == MCO_OUTCOME_INFEASIBLE)
        say_why(&planner, &p, &r);
    r.work = (mco_work){.engine = MCO_ENGINE_CPU, .lane_bits = 32, .threads = 1, .solve_s = mco_run_time_s(&run)};
    mco_struct_give(result, &r, sizeof r);
done:
    transit_planner_close(ctx, &planner);
    mco_run_clear(&run);
    mco_transit_result_clear(ctx, &r);
    mco_clear_cancel(ctx);
    return st;
}

void mco_transit_result_clear(mco_context *ctx, mco_transit_result *result)
{
    mco_transit_result full = {0};
    if (result == NULL)
        return;
    mco_struct_clear(result, &full, sizeof full);
    for (int64_t i = 0; i < full.journey_count; i++)
        mco_free(ctx, &full.journeys[i].legs);
    mco_free(ctx, &full.journeys);
}

// ---- Texts

const char *mco_transit_time_text(int32_t seconds, char out[16])
{
    const int32_t day = 24 * 3600;
    const int32_t s = seconds < 0 ? seconds + day : seconds;
    snprintf(out, 16, "%02d:%02d", s / 3600 % 1000, s / 60 % 60);
    return out;
}

const char *transit_vehicle(int32_t type)
{
    static const char *const basic[] = {"tram", "metro", "train", "bus", "ferry", "cable tram", "cable car", "funicular"};
    if (type >= 0 && type < (int32_t)(sizeof basic / sizeof basic[0]))
        return basic[type];
    // The extended types of GTFS, by hundreds.
    switch (type / 100) {
    case 1: return "train";
    case 2: return "coach";
    case 4: return "metro";
    case 7: return "bus";
    case 8: return "trolleybus";
    case 9: return "tram";
    case 10: case 12: return "ferry";
    case 11: return "flight";
    case 13: return "cable car";
    case 14: return "funicular";
    default: return type == 11 ? "trolleybus" : type == 12 ? "monorail" : "line";
    }
}

const char *transit_line_name(const transit_line *line)
{
    return line->short_name != NULL && line->short_name[0] != '\0' ? line->short_name
           : line->long_name != NULL && line->long_name[0] != '\0' ? line->long_name : line->id;
}

// Where the trip ends, if the feed does not say where it goes.
const char *transit_headsign(const mco_transit *city, int32_t trip)
{
    const transit_timetable *t = &city->table;
    const transit_trip *row = &t->trip[trip];
    if (row->headsign != NULL && row->headsign[0] != '\0')
        return row->headsign;
    return transit_stop_name(city, t->route_stop[t->stop_first[row->route + 1] - 1]);
}

const char *mco_transit_leg_text(const mco_transit *transit, const mco_transit_leg *leg, char *out, size_t size)
{
    char depart[16], arrive[16];
    mco_transit_time_text(leg->depart_s, depart);
    mco_transit_time_text(leg->arrive_s, arrive);
    if (leg->move == MCO_TRANSIT_WALK) {
        const int32_t minutes = (leg->arrive_s - leg->depart_s + 59) / 60;
        snprintf(out, size, "%s walk %.0f m to %s (%d min)", depart, leg->metres, leg->to >= 0 ? transit_stop_name(transit, leg->to) : "the target", minutes);
        return out;
    }
    const transit_line *line = &transit->table.line[transit->table.trip[leg->trip].line];
    const int32_t stops = leg->leave - leg->board;
    snprintf(out, size, "%s %s %s from %s towards %s, %d stop%s, to %s %s", depart, transit_vehicle(line->type), transit_line_name(line),
             transit_stop_name(transit, leg->from), transit_headsign(transit, leg->trip), stops, mco_plural(stops), transit_stop_name(transit, leg->to), arrive);
    return out;
}
