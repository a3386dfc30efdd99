// SPDX-License-Identifier: MIT
// The walking network: its rows, the spots of places and stops, and walks within a limit.
#include "paths/transit/streets.h"

#include <math.h>
#include <string.h>

static const double METRES_A_DEGREE = 111194.92664;  // of a great circle, for a mean radius of 6371008.8 m
static const double RADIANS = 0.017453292519943295;
static const double DETOUR = 1.3;  // of streets against straight lines, where there is no map
static const double LONGEST_M = TRANSIT_MAX_WALK_CM / 100.0;

double transit_beeline_m(double latitude, double longitude, double to_latitude, double to_longitude)
{
    const double y = (to_latitude - latitude) * METRES_A_DEGREE;
    const double x = (to_longitude - longitude) * METRES_A_DEGREE * cos((latitude + to_latitude) / 2 * RADIANS);
    return sqrt(x * x + y * y);
}

int32_t transit_straight_cm(double latitude, double longitude, double to_latitude, double to_longitude)
{
    const double cm = ceil(100 * DETOUR * transit_beeline_m(latitude, longitude, to_latitude, to_longitude));
    return cm < TRANSIT_MAX_WALK_CM ? (int32_t)cm : TRANSIT_MAX_WALK_CM;
}

int32_t transit_walk_seconds(const transit_streets *streets, int32_t cm)
{
    return (int32_t)ceil(cm / (100 * streets->walk_speed));
}

int32_t transit_piece_cm(const transit_spot *a, const transit_spot *b)
{
    if (a->piece < 0 || a->piece != b->piece)
        return -1;
    return a->off + b->off + (a->along < b->along ? b->along - a->along : a->along - b->along);
}

// ---- The rows

static mco_status make_rows(mco_context *ctx, transit_streets *s)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(ctx, &s->first, s->vertices + 1));
    MCO_TRY(mco_alloc(ctx, &s->arc, 2 * (int64_t)s->pieces));
    MCO_TRY(mco_alloc(ctx, &s->arc_piece, 2 * (int64_t)s->pieces));
    for (int32_t e = 0; e < s->pieces; e++) {
        s->first[s->piece_from[e]]++;
        s->first[s->piece_to[e]]++;
    }
    int32_t sum = 0;
    for (int32_t v = 0; v <= s->vertices; v++) {
        sum += v < s->vertices ? s->first[v] : 0;
        s->first[v] = sum;  // one behind the row; the loop below brings it to its begin
    }
    for (int32_t e = s->pieces; e-- > 0;) {
        const int32_t forward = --s->first[s->piece_from[e]], backward = --s->first[s->piece_to[e]];
        s->arc[forward] = (transit_street_arc){s->piece_to[e], s->piece_cm[e]};
        s->arc[backward] = (transit_street_arc){s->piece_from[e], s->piece_cm[e]};
        s->arc_piece[forward] = s->arc_piece[backward] = e;
    }
done:
    return st;
}

// ---- The nearest street

static void find_bounds(transit_streets *s, const transit_timetable *table)
{
    const int32_t count = s->map != NULL ? s->vertices : table->stops;
    s->south = s->west = INFINITY;
    s->north = s->east = -INFINITY;
    for (int32_t i = 0; i < count; i++) {
        const double y = s->map != NULL ? s->latitude[i] : table->stop[i].latitude, x = s->map != NULL ? s->longitude[i] : table->stop[i].longitude;
        s->south = fmin(s->south, y);
        s->north = fmax(s->north, y);
        s->west = fmin(s->west, x);
        s->east = fmax(s->east, x);
    }
}

bool transit_streets_near(const transit_streets *s, double latitude, double longitude, transit_spot *out)
{
    transit_spot_on_map found;
    *out = (transit_spot){.piece = -1, .end = {-1, -1}, .latitude = latitude, .longitude = longitude};
    if (s->map == NULL)
        return transit_beeline_m(latitude, longitude, fmin(fmax(latitude, s->south), s->north), fmin(fmax(longitude, s->west), s->east)) <= TRANSIT_OFF_MAP_M;
    if (!transit_map_nearest(s->map, (transit_point){latitude, longitude}, TRANSIT_OFF_MAP_M, &found))
        return false;
    const int32_t e = found.street, along = (int32_t)lround(100 * found.along);
    out->piece = e;
    out->end[0] = s->piece_from[e];
    out->end[1] = s->piece_to[e];
    out->along = along < s->piece_cm[e] ? along : s->piece_cm[e];
    out->off = (int32_t)lround(100 * found.off);
    out->cm[0] = out->off + out->along;
    out->cm[1] = out->off + s->piece_cm[e] - out->along;
    return true;
}

// ---- The stops

// A stop off the map keeps ends of -1: no walk of the map leads to it. Stations, where no trip calls, have no place: no walk leads there.
static mco_status put_stops(mco_context *ctx, transit_streets *s, const transit_timetable *table)
{
    mco_status st = MCO_OK;
    s->stops = table->stops;
    MCO_TRY(mco_alloc(ctx, &s->stop, s->stops));
    MCO_TRY(mco_alloc(ctx, &s->at_first, s->vertices + 1));
    MCO_TRY(mco_alloc(ctx, &s->at, 2 * (int64_t)s->stops));
    for (int32_t i = 0; i < s->stops; i++) {
        const transit_stop *stop = &table->stop[i];
        (void)transit_streets_near(s, stop->is_station ? NAN : stop->latitude, stop->is_station ? NAN : stop->longitude, &s->stop[i]);
        for (int k = 0; k < 2 && s->stop[i].piece >= 0; k++)
            s->at_first[s->stop[i].end[k]]++;
    }
    int32_t sum = 0;
    for (int32_t v = 0; v <= s->vertices; v++) {
        sum += v < s->vertices ? s->at_first[v] : 0;
        s->at_first[v] = sum;
    }
    for (int32_t i = s->stops; i-- > 0;)
        for (int k = 0; k < 2 && s->stop[i].piece >= 0; k++)
            s->at[--s->at_first[s->stop[i].end[k]]] = (transit_at){i, s->stop[i].cm[k]};
done:
    return st;
}

// Takes vertices and streets of a map. A street may be walked both ways.
static mco_status take_map(mco_context *ctx, transit_streets *s)
{
    mco_status st = MCO_OK;
    const transit_map *map = s->map;
    s->vertices = map->vertices;
    s->pieces = map->streets;
    if (s->pieces > INT32_MAX / 2)
        return mco_fail(ctx, MCO_ERR_LIMIT, "the map has %d streets, at most %d are supported", s->pieces, INT32_MAX / 2);
    MCO_TRY(mco_alloc(ctx, &s->latitude, s->vertices));
    MCO_TRY(mco_alloc(ctx, &s->longitude, s->vertices));
    MCO_TRY(mco_alloc(ctx, &s->piece_from, s->pieces));
    MCO_TRY(mco_alloc(ctx, &s->piece_to, s->pieces));
    MCO_TRY(mco_alloc(ctx, &s->piece_cm, s->pieces));
    for (int32_t v = 0; v < s->vertices; v++) {
        s->latitude[v] = map->place[v].latitude;
        s->longitude[v] = map->place[v].longitude;
    }
    for (int32_t e = 0; e < s->pieces; e++) {
        s->piece_from[e] = map->street[e].from;
        s->piece_to[e] = map->street[e].to;
        s->piece_cm[e] = (int32_t)lround(100 * fmin(map->street[e].metres, LONGEST_M));
    }
done:
    return st;
}

mco_status transit_streets_finish(mco_context *ctx, transit_streets *streets, const transit_timetable *table)
{
    mco_status st = MCO_OK;
    if (streets->map != NULL)
        MCO_TRY(take_map(ctx, streets));
    find_bounds(streets, table);
    MCO_TRY(make_rows(ctx, streets));
    MCO_TRY(put_stops(ctx, streets, table));
done:
    return st;
}

void transit_streets_clear(mco_context *ctx, transit_streets *s)
{
    mco_free(ctx, &s->at);
    mco_free(ctx, &s->at_first);
    mco_free(ctx, &s->stop);
    mco_free(ctx, &s->arc_piece);
    mco_free(ctx, &s->arc);
    mco_free(ctx, &s->first);
    mco_free(ctx, &s->piece_cm);
    mco_free(ctx, &s->piece_to);
    mco_free(ctx, &s->piece_from);
    mco_free(ctx, &s->longitude);
    mco_free(ctx, &s->latitude);
    *s = (transit_streets){0};
}

// ---- Walks

mco_status transit_walker_open(mco_context *ctx, const transit_streets *streets, transit_watch *watch, transit_walker *out)
{
    mco_status st = MCO_OK;
    transit_walker w = {.streets = streets, .watch = watch};
    MCO_TRY(mco_alloc(ctx, &w.cm, streets->vertices));
    MCO_TRY(mco_alloc(ctx, &w.parent, streets->vertices));
    MCO_TRY(mco_alloc(ctx, &w.touched, streets->vertices));
    MCO_TRY(mco_alloc(ctx, &w.heap, 2 * (int64_t)streets->pieces + 2 * (int64_t)streets->stops + 2));  // an arc is pushed once, a spot twice
    MCO_TRY(mco_alloc(ctx, &w.stop_cm, streets->stops));
    MCO_TRY(mco_alloc(ctx, &w.end, streets->stops));
    for (int32_t v = 0; v < streets->vertices; v++)
        w.cm[v] = INT32_MAX;
    for (int32_t i = 0; i < streets->stops; i++)
        w.stop_cm[i] = INT32_MAX;
    *out = w;
    return MCO_OK;
done:
    transit_walker_close(ctx, &w);
    return st;
}

void transit_walker_close(mco_context *ctx, transit_walker *w)
{
    mco_free(ctx, &w->end);
    mco_free(ctx, &w->stop_cm);
    mco_free(ctx, &w->heap);
    mco_free(ctx, &w->touched);
    mco_free(ctx, &w->parent);
    mco_free(ctx, &w->cm);
    *w = (transit_walker){0};
}

static void push(transit_walker *w, int32_t vertex, int32_t cm, int32_t parent)
{
    if (cm >= w->cm[vertex])
        return;
    if (w->cm[vertex] == INT32_MAX)
        w->touched[w->touched_count++] = vertex;
    w->cm[vertex] = cm;
    w->parent[vertex] = parent;
    const uint64_t key = (uint64_t)cm << 32 | (uint32_t)vertex;
    int64_t at = w->heap_count++;
    for (; at > 0 && w->heap[(at - 1) / 2] > key; at = (at - 1) / 2)
        w->heap[at] = w->heap[(at - 1) / 2];
    w->heap[at] = key;
}

static uint64_t pop(transit_walker *w)
{
    const uint64_t least = w->heap[0], last = w->heap[--w->heap_count];
    int64_t at = 0;
    for (int64_t child; (child = 2 * at + 1) < w->heap_count; at = child) {
        child += child + 1 < w->heap_count && w->heap[child + 1] < w->heap[child];
        if (w->heap[child] >= last)
            break;
        w->heap[at] = w->heap[child];
    }
    w->heap[at] = last;
    return least;
}

static void begin_walk(transit_walker *w)
{
    for (int32_t i = 0; i < w->touched_count; i++)
        w->cm[w->touched[i]] = INT32_MAX;
    w->touched_count = 0;
    w->heap_count = 0;
}

static void set_out(transit_walker *w, const transit_spot *spot, int32_t head_start_cm, int32_t limit_cm)
{
    for (int k = 0; k < 2 && spot->piece >= 0; k++)
        if (spot->cm[k] <= limit_cm - head_start_cm)
            push(w, spot->end[k], head_start_cm + spot->cm[k], -1);
}

static void walk(transit_walker *w, int32_t limit_cm, const transit_spot *until)
{
    const transit_streets *s = w->streets;
    int32_t wanted = until != NULL ? 1 + (until->end[0] != until->end[1]) : -1;
    while (w->heap_count > 0 && !transit_step_is_stopped(w->watch)) {
        const uint64_t key = pop(w);
        const int32_t v = (int32_t)(uint32_t)key, cm = (int32_t)(key >> 32);
        if (cm > w->cm[v])
            continue;
        if (until != NULL && (v == until->end[0] || v == until->end[1]) && --wanted == 0)
            break;
        for (int32_t a = s->first[v]; a < s->first[v + 1]; a++)
            if (s->arc[a].cm <= limit_cm - cm)
                push(w, s->arc[a].head, cm + s->arc[a].cm, v);
    }
}

void transit_walker_run(transit_walker *w, const transit_spot *spot, int32_t limit_cm, const transit_spot *until)
{
    begin_walk(w);
    set_out(w, spot, 0, limit_cm);
    walk(w, limit_cm, until);
}

void transit_walker_run_stops(transit_walker *w, const transit_spot *spot, const int32_t *stop_cm, int32_t limit_cm)
{
    begin_walk(w);
    set_out(w, spot, 0, limit_cm);
    for (int32_t i = 0; i < w->streets->stops; i++)
        if (stop_cm[i] <= limit_cm)
            set_out(w, &w->streets->stop[i], stop_cm[i], limit_cm);
    walk(w, limit_cm, NULL);
}

static void reach_stop(transit_walker *w, int32_t stop, int32_t cm, int32_t limit_cm)
{
    if (cm > limit_cm || cm >= w->stop_cm[stop])
        return;
    if (w->stop_cm[stop] == INT32_MAX)
        w->end[w->end_count++].stop = stop;
    w->stop_cm[stop] = cm;
}

static void reach_straight(transit_walker *w, const transit_spot *spot, int32_t limit_cm)
{
    const transit_streets *s = w->streets;
    for (int32_t i = 0; i < s->stops; i++)
        reach_stop(w, i, transit_straight_cm(spot->latitude, spot->longitude, s->stop[i].latitude, s->stop[i].longitude), limit_cm);
}

void transit_walker_find_stops(transit_walker *w, const transit_spot *spot, int32_t limit_cm)
{
    const transit_streets *s = w->streets;
    w->end_count = 0;
    if (s->pieces == 0)
        reach_straight(w, spot, limit_cm);
    for (int32_t i = 0; i < w->touched_count; i++) {
        const int32_t v = w->touched[i];
        for (int32_t k = s->at_first[v]; k < s->at_first[v + 1]; k++)
            if (s->at[k].cm <= limit_cm - w->cm[v])
                reach_stop(w, s->at[k].stop, w->cm[v] + s->at[k].cm, limit_cm);
    }
    for (int e = 0; e < 2 && spot->piece >= 0; e++)
        for (int32_t k = s->at_first[spot->end[e]]; k < s->at_first[spot->end[e] + 1]; k++) {
            const int32_t cm = transit_piece_cm(spot, &s->stop[s->at[k].stop]);
            if (cm >= 0)
                reach_stop(w, s->at[k].stop, cm, limit_cm);
        }
    for (int32_t i = 0; i < w->end_count; i++) {
        const int32_t stop = w->end[i].stop;
        w->end[i].cm = w->stop_cm[stop];
        w->end[i].seconds = transit_walk_seconds(s, w->stop_cm[stop]);
        w->stop_cm[stop] = INT32_MAX;
    }
}

int32_t transit_walker_to(const transit_walker *w, const transit_spot *from, const transit_spot *to, int32_t *via)
{
    int32_t best = transit_piece_cm(from, to);
    *via = -1;
    if (w->streets->pieces == 0)
        return transit_straight_cm(from->latitude, from->longitude, to->latitude, to->longitude);
    for (int k = 0; k < 2 && to->piece >= 0; k++) {
        const int32_t cm = w->cm[to->end[k]];
        if (cm != INT32_MAX && (best < 0 || cm + to->cm[k] < best)) {
            best = cm + to->cm[k];
            *via = to->end[k];
        }
    }
    return best;
}
