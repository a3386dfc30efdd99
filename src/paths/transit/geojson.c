// SPDX-License-Identifier: MIT
// Journeys and reaches as GeoJSON (RFC 7946).
#include <stdio.h>

#include "base/json.h"
#include "base/output.h"
#include "base/structs.h"
#include "paths/transit/city.h"

static void write_point(mco_json *json, double latitude, double longitude)
{
    mco_json_open_line(json, NULL);
    mco_json_real(json, NULL, longitude);
    mco_json_real(json, NULL, latitude);
    mco_json_close(json, ']');
}

static void begin_feature(mco_json *json, const char *geometry)
{
    mco_json_open(json, NULL, '{');
    mco_json_text(json, "type", "Feature");
    mco_json_open(json, "geometry", '{');
    mco_json_text(json, "type", geometry);
    mco_json_open(json, "coordinates", '[');
}

// Ends the coordinates and begins the properties.
static void begin_properties(mco_json *json)
{
    mco_json_close(json, ']');
    mco_json_close(json, '}');
    mco_json_open(json, "properties", '{');
}

static void end_feature(mco_json *json)
{
    mco_json_close(json, '}');
    mco_json_close(json, '}');
}

static mco_status write_leg(mco_context *ctx, mco_json *json, const mco_transit *city, const mco_transit_query *query, const mco_transit_leg *leg)
{
    mco_status st = MCO_OK;
    mco_transit_place *way = NULL;
    int64_t count = 0;
    char text[512];
    MCO_TRY(transit_leg_way(ctx, city, query, leg, &way, &count));
    begin_feature(json, "LineString");
    for (int64_t i = 0; i < count; i++)
        write_point(json, way[i].latitude, way[i].longitude);
    begin_properties(json);
    mco_json_text(json, "move", leg->move == MCO_TRANSIT_WALK ? "walk" : "ride");
    mco_json_text(json, "text", mco_transit_leg_text(city, leg, text, sizeof text));
    mco_json_integer(json, "depart_s", leg->depart_s);
    mco_json_integer(json, "arrive_s", leg->arrive_s);
    end_feature(json);
done:
    mco_free(ctx, &way);
    return st;
}

static void begin_file(mco_json *json, FILE *file)
{
    mco_json_begin(json, file);
    mco_json_open(json, NULL, '{');
    mco_json_text(json, "type", "FeatureCollection");
    mco_json_open(json, "features", '[');
}

static void end_file(mco_json *json)
{
    mco_json_close(json, ']');
    mco_json_close(json, '}');
    mco_json_end(json);
}

mco_status mco_transit_write_geojson(mco_context *ctx, const mco_transit *transit, const mco_transit_query *query,
                                     const mco_transit_result *result, const char *path)
{
    mco_status st = MCO_OK;
    mco_transit_result r = MCO_TRANSIT_RESULT_INIT;
    mco_output out = {0};
    mco_json json;
    if (ctx == NULL || transit == NULL || query == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, result, &r));
    MCO_TRY(mco_output_open(ctx, path, &out));
    begin_file(&json, out.file);
    for (int32_t k = 0; r.journey_count > 0 && k < r.journeys[0].leg_count; k++)
        MCO_TRY(write_leg(ctx, &json, transit, query, &r.journeys[0].legs[k]));
    end_file(&json);
    MCO_TRY(mco_output_commit(ctx, &out, false));
done:
    mco_output_discard(&out);
    return st;
}

int32_t transit_piece_band(const mco_transit *city, const mco_transit_reach *reach, int32_t piece)
{
    const int32_t from = reach->arrive[city->streets.piece_from[piece]], to = reach->arrive[city->streets.piece_to[piece]];
    const int32_t last = from > to ? from : to;
    int32_t band = 0;
    while (band < reach->bands && last > reach->depart_s + 60 * reach->minutes[band])
        band++;
    return band;
}

mco_status mco_transit_write_reach_geojson(mco_context *ctx, const mco_transit *transit, const mco_transit_reach *reach, const char *path)
{
    mco_status st = MCO_OK;
    mco_transit_reach r = MCO_TRANSIT_REACH_INIT;
    mco_output out = {0};
    mco_json json;
    if (ctx == NULL || transit == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, reach, &r));
    const transit_streets *s = &transit->streets;
    if (r.arrive == NULL && s->pieces > 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "there is no reach to write");
    MCO_TRY(mco_output_open(ctx, path, &out));
    begin_file(&json, out.file);
    for (int32_t k = 0; k < r.bands; k++) {
        begin_feature(&json, "MultiLineString");
        for (int32_t e = 0; e < s->pieces; e++)
            if (transit_piece_band(transit, &r, e) == k) {
                mco_json_open(&json, NULL, '[');
                int64_t count = 0;
                const transit_point *line = transit_piece_line(transit, e, &count);
                for (int64_t i = 0; i < count; i++)
                    write_point(&json, line[i].latitude, line[i].longitude);
                mco_json_close(&json, ']');
            }
        begin_properties(&json);
        mco_json_integer(&json, "minutes", r.minutes[k]);
        end_feature(&json);
    }
    end_file(&json);
    MCO_TRY(mco_output_commit(ctx, &out, false));
done:
    mco_output_discard(&out);
    return st;
}
