// SPDX-License-Identifier: MIT
// Routes as GeoJSON (RFC 7946): a feature for each query, with a line through the places of its vertices. A query without arcs has no
// line: its geometry is null.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/stream.h"
#include "mco/paths.h"

static bool put(mco_stream *stream, const char *text)
{
    return mco_stream_put(stream, text, strlen(text));
}

static bool put_place(mco_stream *stream, const mco_paths_rows *rows, int32_t vertex, const char *before)
{
    char x[MCO_NUMBER_TEXT], y[MCO_NUMBER_TEXT], text[2 * MCO_NUMBER_TEXT + 16];
    snprintf(text, sizeof text, "%s[%s,%s]", before, mco_number_text(rows->x[vertex], x), mco_number_text(rows->y[vertex], y));
    return put(stream, text);
}

static bool put_line(mco_stream *stream, const mco_paths_rows *rows, const mco_paths_routes *routes, int64_t q, int32_t source)
{
    const int64_t begin = routes->first[q], end = routes->first[q + 1];
    if (begin == end)
        return put(stream, "null");
    bool is_written = put(stream, "{\"type\":\"LineString\",\"coordinates\":") && put_place(stream, rows, source, "[");
    for (int64_t k = begin; is_written && k < end; k++)
        is_written = put_place(stream, rows, rows->head[routes->arc[k]], ",");
    return is_written && put(stream, "]}");
}

// A name as a string of JSON.
static bool put_name(mco_stream *stream, const char *key, const char *name)
{
    char text[8];
    bool is_written = put(stream, key) && put(stream, "\"");
    for (; is_written && *name != '\0'; name++) {
        const unsigned char c = (unsigned char)*name;
        if (c < ' ' || c == '"' || c == '\\')
            snprintf(text, sizeof text, "\\u%04x", c);
        else
            snprintf(text, sizeof text, "%c", c);
        is_written = put(stream, text);
    }
    return is_written && put(stream, "\"");
}

static bool put_feature(mco_stream *stream, const mco_paths_network *network, const mco_paths_rows *rows, const mco_paths_routes *routes,
                        int64_t q, int32_t source, int32_t target, int32_t distance)
{
    char buffer[16], number[32] = "null";
    if (distance < MCO_PATHS_NONE)
        snprintf(number, sizeof number, "%" PRId32, distance);
    return put(stream, q > 0 ? ",\n" : "\n") && put(stream, "{\"type\":\"Feature\",\"properties\":{") &&
           put_name(stream, "\"source\":", mco_paths_vertex_name(network, source, buffer)) &&
           put_name(stream, ",\"target\":", mco_paths_vertex_name(network, target, buffer)) && put(stream, ",\"distance\":") &&
           put(stream, number) && put(stream, "},\"geometry\":") && put_line(stream, rows, routes, q, source) && put(stream, "}");
}

mco_status mco_paths_write_geojson(mco_context *ctx, const mco_paths_network *network, const mco_paths_routes *routes,
                                   const int32_t *source, const int32_t *target, const int32_t *distance, const char *path)
{
    mco_status st = MCO_OK;
    mco_stream stream = {0};
    if (ctx == NULL || network == NULL || routes == NULL || path == NULL ||
        (routes->count > 0 && (source == NULL || target == NULL || distance == NULL || routes->first == NULL)))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    const mco_paths_rows rows = mco_paths_view(network);
    if (rows.x == NULL || rows.y == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the places of %s are unknown: GeoJSON has nothing to show", mco_paths_name(network));
    MCO_TRY(mco_stream_open(ctx, path, &stream));
    bool is_written = put(&stream, "{\"type\":\"FeatureCollection\",\"features\":[");
    for (int64_t q = 0; is_written && q < routes->count; q++)
        is_written = put_feature(&stream, network, &rows, routes, q, source[q], target[q], distance[q]);
    if (is_written)
        put(&stream, "\n]}\n");
    MCO_TRY(mco_stream_commit(&stream));
done:
    mco_stream_discard(&stream);
    return st;
}
