// SPDX-License-Identifier: MIT
// Pictures of a journey over the streets around it, and of the streets that are reached, by bands.
#include "render/view.h"

#include <math.h>
#include <stdio.h>

#include "base/output.h"
#include "base/structs.h"
#include "paths/transit/city.h"

enum { MARGIN = 24, TOP = 64, SIDE = 900, LINE_HEIGHT = 18, TEXT_ROOM = 512, DOT = 4, NAME_WIDTH = 160, LEG_COLOURS = 6, BAND_COLOURS = 8 };
static const double RADIANS = 0.017453292519943295;
static const double CLEARANCE = 0.08;  // of the picture, around a journey

#define CSS MCO_VIEW_CSS                                                                                              \
    ".map{fill:#F7F7F7;stroke:#CCC}\n"                                                                                \
    "path{fill:none;stroke-linecap:round;stroke-linejoin:round}\n"                                                    \
    ".street{stroke:#D5D5D5;stroke-width:1}\n"                                                                        \
    ".walk{stroke:#555;stroke-width:3;stroke-dasharray:1 6}\n"                                                        \
    ".ride0,.ride1,.ride2,.ride3,.ride4,.ride5{stroke-width:5}\n"                                                     \
    ".ride0{stroke:#0072B2}.ride1{stroke:#D55E00}.ride2{stroke:#009E73}\n"                                            \
    ".ride3{stroke:#CC79A7}.ride4{stroke:#E69F00}.ride5{stroke:#56B4E9}\n"                                            \
    ".stop{stroke:#FFF;stroke-width:2.5}.dot{stroke:#111;stroke-width:8}.end{stroke:#B2182B;stroke-width:10}\n"         \
    ".band0,.band1,.band2,.band3,.band4,.band5,.band6,.band7{stroke-width:1.6}\n"                                     \
    ".band0{stroke:#08306B}.band1{stroke:#2171B5}.band2{stroke:#4EB3A0}.band3{stroke:#7FBC41}\n"                      \
    ".band4{stroke:#E6AB02}.band5{stroke:#E66101}.band6{stroke:#B2182B}.band7{stroke:#67001F}\n"

typedef struct picture {
    mco_context *ctx;
    const mco_transit *city;
    mco_svg svg;
    double south, west, north, east;  // what is shown
    double narrow, scale;             // degrees of longitude against latitude; pixels a degree of latitude
    double width, height;             // of the map, pixels
    mco_view_room *room;
} picture;

static mco_view_point point_of(const picture *p, double latitude, double longitude)
{
    return (mco_view_point){MARGIN + (longitude - p->west) * p->narrow * p->scale, TOP + (p->north - latitude) * p->scale};
}

static void cover(picture *p, double latitude, double longitude)
{
    p->south = fmin(p->south, latitude);
    p->north = fmax(p->north, latitude);
    p->west = fmin(p->west, longitude);
    p->east = fmax(p->east, longitude);
}

// Settles the scale, with some room around what is covered.
static void settle(picture *p, double clearance)
{
    p->narrow = cos((p->south + p->north) / 2 * RADIANS);
    const double extent = fmax(fmax(p->north - p->south, (p->east - p->west) * p->narrow), 1e-4), room = clearance * extent;
    p->south -= room;
    p->north += room;
    p->west -= room / p->narrow;
    p->east += room / p->narrow;
    p->scale = SIDE / (extent + 2 * room);
    p->width = (p->east - p->west) * p->narrow * p->scale;
    p->height = (p->north - p->south) * p->scale;
}

static bool is_shown(const picture *p, const transit_point *line, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (line[i].latitude < p->south || line[i].latitude > p->north || line[i].longitude < p->west || line[i].longitude > p->east)
            return false;
    return true;
}

// The streets of a band of a reach, or all streets.
static void draw_streets(picture *p, const char *class_name, const mco_transit_reach *reach, int32_t band)
{
    const transit_streets *s = &p->city->streets;
    mco_svg_path_begin(&p->svg, class_name);
    for (int32_t e = 0; e < s->pieces; e++) {
        int64_t count = 0;
        const transit_point *line = transit_piece_line(p->city, e, &count);
        if ((reach != NULL && transit_piece_band(p->city, reach, e) != band) || !is_shown(p, line, count))
            continue;
        for (int64_t i = 0; i < count; i++) {
            const mco_view_point at = point_of(p, line[i].latitude, line[i].longitude);
            if (i == 0)
                mco_svg_path_move(&p->svg, at.x, at.y);
            else
                mco_svg_path_line(&p->svg, at.x, at.y);
        }
    }
    mco_svg_path_end(&p->svg);
}

static void draw_dot(picture *p, const char *class_name, double latitude, double longitude)
{
    const mco_view_point at = point_of(p, latitude, longitude);
    mco_svg_path_begin(&p->svg, class_name);
    mco_svg_path_dot(&p->svg, at.x, at.y);
    mco_svg_path_end(&p->svg);
}

// ---- Journeys

static mco_status draw_leg(picture *p, const mco_transit_query *query, const mco_transit_leg *leg, int32_t ride)
{
    mco_status st = MCO_OK;
    mco_transit_place *way = NULL;
    int64_t count = 0;
    char class_name[16] = "walk";
    if (leg->move == MCO_TRANSIT_RIDE)
        snprintf(class_name, sizeof class_name, "ride%d", ride % LEG_COLOURS);
    MCO_TRY(transit_leg_way(p->ctx, p->city, query, leg, &way, &count));
    mco_svg_path_begin(&p->svg, class_name);
    for (int64_t i = 0; i < count; i++) {
        const mco_view_point at = point_of(p, way[i].latitude, way[i].longitude);
        if (i == 0)
            mco_svg_path_move(&p->svg, at.x, at.y);
        else
            mco_svg_path_line(&p->svg, at.x, at.y);
    }
    mco_svg_path_end(&p->svg);
    for (int64_t i = 0; i < count && leg->move == MCO_TRANSIT_RIDE; i++)
        draw_dot(p, "stop", way[i].latitude, way[i].longitude);
    for (int64_t i = 0; i < count && leg->move == MCO_TRANSIT_RIDE; i += count - 1)
        draw_dot(p, "dot", way[i].latitude, way[i].longitude);
done:
    mco_free(p->ctx, &way);
    return st;
}

static void name_stop(picture *p, int32_t stop)
{
    const transit_stop *row = &p->city->table.stop[stop];
    const mco_view_point at = point_of(p, row->latitude, row->longitude), neighbours[2] = {at, at};
    mco_view_name_beside(&p->svg, p->room, at, neighbours, DOT, NAME_WIDTH, MCO_VIEW_CELLS, transit_stop_name(p->city, stop));
}

// The stops where rides begin and end.
static mco_status draw_names(picture *p, const mco_transit_journey *j)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(p->ctx, &p->room, 1));
    mco_view_room_begin(p->room, MARGIN, TOP, fmax(p->width, p->height));
    mco_svg_group_begin(&p->svg, "names");
    for (int32_t k = 0; k < j->leg_count; k++)
        if (j->legs[k].move == MCO_TRANSIT_RIDE) {
            if (k == 0 || j->legs[k - 1].move != MCO_TRANSIT_RIDE)
                name_stop(p, j->legs[k].from);
            name_stop(p, j->legs[k].to);
        }
    mco_svg_group_end(&p->svg);
done:
    mco_free(p->ctx, &p->room);
    return st;
}

static mco_status cover_journey(picture *p, const mco_transit_query *query, const mco_transit_journey *j)
{
    mco_status st = MCO_OK;
    mco_transit_place *way = NULL;
    p->south = p->north = query->from.latitude;
    p->west = p->east = query->from.longitude;
    for (int32_t k = 0; k < j->leg_count; k++) {
        int64_t count = 0;
        MCO_TRY(transit_leg_way(p->ctx, p->city, query, &j->legs[k], &way, &count));
        for (int64_t i = 0; i < count; i++)
            cover(p, way[i].latitude, way[i].longitude);
        mco_free(p->ctx, &way);
    }
    settle(p, CLEARANCE);
done:
    mco_free(p->ctx, &way);
    return st;
}

static mco_status draw_journey(picture *p, const mco_transit_query *query, const mco_transit_journey *j, FILE *file)
{
    mco_status st = MCO_OK;
    char text[TEXT_ROOM], depart[16], arrive[16];
    const mco_view_known known = {.outcome = MCO_OUTCOME_UNKNOWN, .bound = NAN};
    const double height = TOP + p->height + MARGIN + LINE_HEIGHT * (j->leg_count + 1);
    mco_svg_begin(&p->svg, file, fmax(p->width, SIDE) + 2 * MARGIN, height, "#FFF", p->city->name);
    mco_svg_style(&p->svg, CSS);
    snprintf(text, sizeof text, "%s to %s", mco_transit_time_text(j->depart_s, depart), mco_transit_time_text(j->arrive_s, arrive));
    char summary[TEXT_ROOM];
    snprintf(summary, sizeof summary, "%d minutes, %d ride%s, %.0f m on foot", (j->arrive_s - j->depart_s + 59) / 60, j->rides, mco_plural(j->rides), j->metres);
    mco_view_header(&p->svg, MARGIN, SIDE, p->city->name, text, &known, summary);
    mco_svg_rect(&p->svg, "map", MARGIN, TOP, p->width, p->height, NULL);
    draw_streets(p, "street", NULL, 0);
    for (int32_t k = 0, ride = 0; k < j->leg_count; k++) {
        MCO_TRY(draw_leg(p, query, &j->legs[k], ride));
        ride += j->legs[k].move == MCO_TRANSIT_RIDE;
    }
    draw_dot(p, "end", query->from.latitude, query->from.longitude);
    draw_dot(p, "end", query->to.latitude, query->to.longitude);
    MCO_TRY(draw_names(p, j));
    for (int32_t k = 0; k < j->leg_count; k++)
        mco_svg_text(&p->svg, NULL, MCO_SVG_START, MARGIN, TOP + p->height + LINE_HEIGHT * (k + 1.5),
                     mco_transit_leg_text(p->city, &j->legs[k], text, sizeof text));
done:
    mco_svg_end(&p->svg);
    return st;
}

mco_status mco_transit_plot(mco_context *ctx, const mco_transit *transit, const mco_transit_query *query,
                            const mco_transit_result *result, const char *path)
{
    mco_status st = MCO_OK;
    mco_transit_result r = MCO_TRANSIT_RESULT_INIT;
    mco_output out = {0};
    picture p = {.ctx = ctx, .city = transit};
    if (ctx == NULL || transit == NULL || query == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, result, &r));
    if (r.journey_count < 1)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "there is no journey to draw");
    MCO_TRY(cover_journey(&p, query, &r.journeys[0]));
    MCO_TRY(mco_output_open(ctx, path, &out));
    MCO_TRY(draw_journey(&p, query, &r.journeys[0], out.file));
    MCO_TRY(mco_output_commit(ctx, &out, false));
done:
    mco_output_discard(&out);
    return st;
}

// ---- Reach

static void cover_reach(picture *p, const mco_transit_reach *r)
{
    const transit_streets *s = &p->city->streets;
    p->south = p->north = r->from.latitude;
    p->west = p->east = r->from.longitude;
    for (int32_t v = 0; v < s->vertices; v++)
        if (r->arrive[v] != MCO_TRANSIT_NEVER)
            cover(p, s->latitude[v], s->longitude[v]);
    settle(p, CLEARANCE / 4);
}

static void draw_reach(picture *p, const mco_transit_reach *r, FILE *file)
{
    char text[TEXT_ROOM], depart[16], class_name[16];
    const mco_view_known known = {.outcome = MCO_OUTCOME_UNKNOWN, .bound = NAN};
    mco_svg_begin(&p->svg, file, fmax(p->width, SIDE) + 2 * MARGIN, TOP + p->height + MARGIN + LINE_HEIGHT * (r->bands + 1), "#FFF", p->city->name);
    mco_svg_style(&p->svg, CSS);
    snprintf(text, sizeof text, "reach at %s", mco_transit_time_text(r->depart_s, depart));
    mco_view_header(&p->svg, MARGIN, SIDE, p->city->name, text, &known, "streets by the minutes on foot and by the timetable");
    mco_svg_rect(&p->svg, "map", MARGIN, TOP, p->width, p->height, NULL);
    for (int32_t k = r->bands; k >= 0; k--) {
        snprintf(class_name, sizeof class_name, k == r->bands ? "street" : "band%d", k % BAND_COLOURS);
        draw_streets(p, class_name, r, k);
    }
    draw_dot(p, "end", r->from.latitude, r->from.longitude);
    for (int32_t k = 0; k < r->bands; k++) {
        const double y = TOP + p->height + LINE_HEIGHT * (k + 1.5);
        snprintf(class_name, sizeof class_name, "band%d", k % BAND_COLOURS);
        mco_svg_path_begin(&p->svg, class_name);
        mco_svg_path_move(&p->svg, MARGIN, y - 4);
        mco_svg_path_line(&p->svg, MARGIN + 24, y - 4);
        mco_svg_path_end(&p->svg);
        snprintf(text, sizeof text, "%d minutes: %lld stops, %.1f km of streets, %.1f km²", r->minutes[k], (long long)r->stops[k], r->street_km[k], r->area_km2[k]);
        mco_svg_text(&p->svg, NULL, MCO_SVG_START, MARGIN + 32, y, text);
    }
    mco_svg_end(&p->svg);
}

mco_status mco_transit_plot_reach(mco_context *ctx, const mco_transit *transit, const mco_transit_reach *reach, const char *path)
{
    mco_status st = MCO_OK;
    mco_transit_reach r = MCO_TRANSIT_REACH_INIT;
    mco_output out = {0};
    picture p = {.ctx = ctx, .city = transit};
    if (ctx == NULL || transit == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, reach, &r));
    if (r.arrive == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "there is no reach to draw");
    cover_reach(&p, &r);
    MCO_TRY(mco_output_open(ctx, path, &out));
    draw_reach(&p, &r, out.file);
    MCO_TRY(mco_output_commit(ctx, &out, false));
done:
    mco_output_discard(&out);
    return st;
}
