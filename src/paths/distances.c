// SPDX-License-Identifier: MIT
// Files of distances (docs/formats.md). Text has "# source NAME" before each tree and a line for each vertex that is reached. Binary
// files have a head and 32-bit numbers. JSON has null where there is no path.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/blocks.h"
#include "base/grow.h"
#include "base/json.h"
#include "base/names.h"
#include "base/stream.h"
#include "paths/file.h"

static const char MAGIC[8] = {'M', 'C', 'O', 'D', 'I', 'S', 'T', '1'};
enum { HEAD_BYTES = 24, LINE_ROOM = 32, GROWTH = 6 };  // magic, vertices, 0, count; bytes of numbers in a line, and for one of a name

static bool ends_with(const char *path, const char *end)
{
    size_t size = strlen(path);
    const size_t of_end = strlen(end);
    if (size > 3 && strcasecmp(path + size - 3, ".gz") == 0)
        size -= 3;
    return size > of_end && strncasecmp(path + size - of_end, end, of_end) == 0;
}

static mco_paths_format format_of(mco_paths_format asked, const char *path)
{
    if (asked != MCO_PATHS_FORMAT_AUTO)
        return asked;
    return ends_with(path, ".bin") ? MCO_PATHS_FORMAT_BINARY : ends_with(path, ".json") ? MCO_PATHS_FORMAT_JSON : MCO_PATHS_FORMAT_TEXT;
}

// ---- Writing

typedef struct writer {
    const mco_paths_network *network;
    mco_stream stream;
    bool has_failed;  // no more can be written
} writer;

static char *reserve(writer *w, size_t bytes)
{
    char *to = w->has_failed ? NULL : mco_stream_reserve(&w->stream, bytes);
    w->has_failed = to == NULL;
    return to;
}

static void put_text(writer *w, const char *text)
{
    w->has_failed = w->has_failed || !mco_stream_put(&w->stream, text, strlen(text));
}

static char *put_digits(char *to, int64_t value)
{
    char digits[20];
    int count = 0;
    do
        digits[count++] = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    while (count > 0)
        *to++ = digits[--count];
    return to;
}

static void put_integer(writer *w, int64_t value)
{
    char *to = reserve(w, LINE_ROOM);
    if (to != NULL)
        w->stream.used += (size_t)(put_digits(to, value) - to);
}

// A name in double quotes. Text doubles each quote inside, JSON escapes it and what is no character of a line.
static void put_quoted(writer *w, const char *name, bool is_json)
{
    static const char hex[] = "0123456789abcdef";
    char *to = reserve(w, GROWTH * strlen(name) + 2), *const begin = to;
    if (to == NULL)
        return;
    *to++ = '"';
    for (const unsigned char *c = (const unsigned char *)name; *c != '\0'; c++)
        if (is_json && *c < 0x20) {
            memcpy(to, "\\u00", 4);
            to[4] = hex[*c >> 4];
            to[5] = hex[*c & 15];
            to += 6;
        } else {
            if (*c == '"' || (is_json && *c == '\\'))
                *to++ = is_json ? '\\' : '"';
            *to++ = (char)*c;
        }
    *to++ = '"';
    w->stream.used += (size_t)(to - begin);
}

static void put_name(writer *w, int32_t v, bool is_json)
{
    char buffer[16];
    if (!is_json && !mco_graph_has_names(w->network->graph)) {
        put_integer(w, (int64_t)v + mco_graph_base(w->network->graph));
        return;
    }
    const char *name = mco_paths_vertex_name(w->network, v, buffer);
    if (is_json || name[0] == '\0' || name[0] == '#' || strpbrk(name, " \t\n\v\f\r\"") != NULL)
        put_quoted(w, name, is_json);
    else
        put_text(w, name);
}

static void write_text(writer *w, int32_t source, const int32_t *distance)
{
    put_text(w, "# source ");
    put_name(w, source, false);
    put_text(w, "\n");
    for (int32_t v = 0; v < w->network->rows.vertices; v++) {
        if (distance[v] == MCO_PATHS_NONE)
            continue;
        put_name(w, v, false);
        put_text(w, " ");
        put_integer(w, distance[v]);
        put_text(w, "\n");
    }
}

static void write_json(writer *w, int32_t source, const int32_t *distance, bool is_first)
{
    put_text(w, is_first ? "\n  {\"source\": " : ",\n  {\"source\": ");
    put_name(w, source, true);
    put_text(w, ", \"distance\": [");
    for (int32_t v = 0; v < w->network->rows.vertices; v++) {
        put_text(w, v == 0 ? "" : ",");
        if (distance[v] == MCO_PATHS_NONE)
            put_text(w, "null");
        else
            put_integer(w, distance[v]);
    }
    put_text(w, "]}");
}

static void put_bytes(writer *w, const void *data, size_t bytes)
{
    w->has_failed = w->has_failed || !mco_stream_put(&w->stream, data, bytes);
}

static void write_binary(writer *w, int64_t count, const int32_t *source, const int32_t *distance, int64_t stride)
{
    const int32_t head[2] = {w->network->rows.vertices, 0};
    put_bytes(w, MAGIC, sizeof MAGIC);
    put_bytes(w, head, sizeof head);
    put_bytes(w, &count, sizeof count);
    put_bytes(w, source, (size_t)count * sizeof *source);
    for (int64_t k = 0; k < count; k++)
        put_bytes(w, distance + k * stride, (size_t)head[0] * sizeof *distance);
}

static void write_trees(writer *w, mco_paths_format format, int64_t count, const int32_t *source, const int32_t *distance, int64_t stride)
{
    if (format == MCO_PATHS_FORMAT_BINARY) {
        write_binary(w, count, source, distance, stride);
        return;
    }
    if (format == MCO_PATHS_FORMAT_JSON) {
        put_text(w, "{\"vertices\": ");
        put_integer(w, w->network->rows.vertices);
        put_text(w, ", \"trees\": [");
    }
    for (int64_t k = 0; k < count; k++)
        if (format == MCO_PATHS_FORMAT_JSON)
            write_json(w, source[k], distance + k * stride, k == 0);
        else
            write_text(w, source[k], distance + k * stride);
    if (format == MCO_PATHS_FORMAT_JSON)
        put_text(w, "]}\n");
}

static mco_status refuse_trees(mco_context *ctx, const mco_paths_network *network, mco_paths_format format, int64_t count,
                               const int32_t *source, int64_t stride)
{
    const int32_t n = network->rows.vertices;
    if (format < MCO_PATHS_FORMAT_AUTO || format > MCO_PATHS_FORMAT_JSON || count < 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "format %d of %" PRId64 " trees, formats are 0 to %d", (int)format, count, MCO_PATHS_FORMAT_JSON);
    if (stride < n && count > 1)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "rows of %" PRId64 " distances, %d or more were expected", stride, n);
    for (int64_t k = 0; k < count; k++)
        if (source[k] < 0 || source[k] >= n)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "source %" PRId64 " is vertex %d, there are vertices 0 to %d", k, source[k], n - 1);
    return MCO_OK;
}

mco_status mco_paths_write_distances(mco_context *ctx, const mco_paths_network *network, mco_paths_format format, int64_t count,
                                     const int32_t *source, const int32_t *distance, int64_t stride, const char *path)
{
    mco_status st = MCO_OK;
    writer w = {.network = network};
    if (ctx == NULL || network == NULL || source == NULL || distance == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(refuse_trees(ctx, network, format, count, source, stride));
    MCO_TRY(mco_stream_open(ctx, path, &w.stream));
    write_trees(&w, format_of(format, path), count, source, distance, stride);
    MCO_TRY(mco_stream_commit(&w.stream));
done:
    mco_stream_discard(&w.stream);
    return st;
}

// ---- Reading

// Trees while their file is read.
typedef struct reader {
    mco_context *ctx;
    const mco_paths_network *network;
    mco_text *text;
    mco_name_finder finder;  // of names, where the network has them
    int64_t count, source_room, distance_room;
    int32_t *source, *distance;
} reader;

static mco_status add_tree(reader *r, int32_t source)
{
    mco_status st = MCO_OK;
    const int64_t n = r->network->rows.vertices;
    MCO_TRY(mco_grow(r->ctx, &r->source, &r->source_room, r->count + 1));
    MCO_TRY(mco_grow(r->ctx, &r->distance, &r->distance_room, (r->count + 1) * n));
    for (int64_t v = 0; v < n; v++)
        r->distance[r->count * n + v] = MCO_PATHS_NONE;
    r->source[r->count++] = source;
done:
    return st;
}

static mco_status find_vertex(reader *r, mco_slice token, int32_t *out)
{
    mco_status st = MCO_OK;
    int64_t number;
    const mco_graph *graph = r->network->graph;
    if (mco_graph_has_names(graph))
        return mco_names_find(&r->finder, r->text, token, out);
    const int64_t base = mco_graph_base(graph);
    MCO_TRY(mco_slice_integer(r->text, token, "the vertex", base, base + r->network->rows.vertices - 1, &number));
    *out = (int32_t)(number - base);
done:
    return st;
}

static mco_status read_line(reader *r, mco_slice line)
{
    mco_status st = MCO_OK;
    mco_slice token, rest = line;
    int32_t vertex = 0;
    int64_t distance;
    if (line.data[0] == '#') {
        rest = mco_slice_behind(line, 1);
        if (!mco_slice_token(&rest, &token) || !mco_slice_is(token, "source"))
            return MCO_OK;
        if (!mco_names_take(&rest, &token))
            return mco_text_fail(r->text, line.line, line.column, "the source has no name");
        MCO_TRY(find_vertex(r, token, &vertex));
        return add_tree(r, vertex);
    }
    mco_names_take(&rest, &token);
    if (r->count == 0)
        return mco_text_fail(r->text, line.line, line.column, "a distance before the line \"# source VERTEX\"");
    MCO_TRY(find_vertex(r, token, &vertex));
    int32_t *at = r->distance + (r->count - 1) * r->network->rows.vertices + vertex;
    if (*at != MCO_PATHS_NONE)
        return mco_text_fail(r->text, token.line, token.column, "the vertex has distance %d already", *at);
    mco_slice_token(&rest, &token);
    MCO_TRY(mco_slice_integer(r->text, token, "the distance", 0, MCO_PATHS_NONE - 1, &distance));
    if (mco_slice_token(&rest, &token))
        return mco_text_fail(r->text, token.line, token.column, "the line has more than a vertex and its distance");
    *at = (int32_t)distance;
done:
    return st;
}

static mco_status read_lines(reader *r)
{
    mco_status st = MCO_OK;
    mco_slice line;
    for (int64_t lines = 1; mco_text_line(r->text, &line); lines++) {
        MCO_TRY(mco_text_in_time(r->text, lines));
        line = mco_slice_trim(line);
        if (line.size > 0)
            MCO_TRY(read_line(r, line));
    }
    if (r->count == 0)
        st = mco_text_fail_here(r->text, "the file has no line \"# source VERTEX\"");
done:
    return st;
}

// ---- JSON

static mco_status read_row(reader *r)
{
    mco_status st = MCO_OK;
    const int64_t n = r->network->rows.vertices;
    bool is_first = true, has_next;
    int64_t k = 0, value;
    MCO_TRY(mco_json_enter(r->text, '['));
    for (;; k++) {
        MCO_TRY(mco_json_next(r->text, '[', &is_first, &has_next, NULL, 0));
        if (!has_next)
            break;
        if (k >= n)
            return mco_text_fail_here(r->text, "the tree has more than %" PRId64 " distances", n);
        if (mco_json_skip_word(r->text, "null"))
            continue;
        MCO_TRY(mco_json_read_integer(r->text, "the distance", 0, MCO_PATHS_NONE - 1, &value));
        r->distance[(r->count - 1) * n + k] = (int32_t)value;
    }
    if (k < n)
        st = mco_text_fail_here(r->text, "the tree has %" PRId64 " distances, %" PRId64 " were expected", k, n);
done:
    return st;
}

// An object with the source, then its distances.
static mco_status read_tree(reader *r)
{
    enum { NAME = 4096 };
    mco_status st = MCO_OK;
    char key[16], name[NAME];
    bool is_first = true, has_next, has_source = false, has_row = false;
    int32_t source;
    MCO_TRY(mco_json_enter(r->text, '{'));
    for (;;) {
        MCO_TRY(mco_json_next(r->text, '{', &is_first, &has_next, key, sizeof key));
        if (!has_next)
            break;
        if (strcmp(key, "source") == 0 && !has_source) {
            MCO_TRY(mco_json_read_text(r->text, name, sizeof name));
            if (mco_paths_find_vertex(r->ctx, r->network, name, &source) != MCO_OK)
                return mco_text_fail_here(r->text, "the network has no vertex \"%.40s\"", name);
            MCO_TRY(add_tree(r, source));
            has_source = true;
        } else if (strcmp(key, "distance") == 0 && has_source && !has_row) {
            MCO_TRY(read_row(r));
            has_row = true;
        } else {
            MCO_TRY(mco_json_skip(r->text));
        }
    }
    if (!has_row)
        st = mco_text_fail_here(r->text, "a tree has no \"%s\"", has_source ? "distance" : "source");
done:
    return st;
}

static mco_status read_json(reader *r)
{
    mco_status st = MCO_OK;
    char key[16];
    bool is_first = true, has_next, has_trees = false;
    MCO_TRY(mco_json_enter(r->text, '{'));
    for (;;) {
        bool is_first_tree = true, has_tree;
        MCO_TRY(mco_json_next(r->text, '{', &is_first, &has_next, key, sizeof key));
        if (!has_next)
            break;
        if (strcmp(key, "trees") != 0) {
            MCO_TRY(mco_json_skip(r->text));
            continue;
        }
        has_trees = true;
        MCO_TRY(mco_json_enter(r->text, '['));
        for (;;) {
            MCO_TRY(mco_json_next(r->text, '[', &is_first_tree, &has_tree, NULL, 0));
            if (!has_tree)
                break;
            MCO_TRY(read_tree(r));
        }
    }
    if (!has_trees)
        st = mco_text_fail_here(r->text, "the file has no member \"trees\"");
done:
    return st;
}

static mco_status give(reader *r, mco_status st, int64_t *count, int32_t **source, int32_t **distance)
{
    mco_free(r->ctx, &r->finder.table.slots);
    if (st == MCO_OK) {
        *count = r->count;
        *source = r->source;
        *distance = r->distance;
    } else {
        mco_free(r->ctx, &r->source);
        mco_free(r->ctx, &r->distance);
    }
    return st;
}

mco_status paths_distances_from_text(mco_context *ctx, const mco_paths_network *network, mco_text *text, int64_t *count, int32_t **source,
                                     int32_t **distance)
{
    mco_slice line;
    reader r = {.ctx = ctx, .network = network, .text = text,
                .finder = {.what = "the vertex", .names = network->graph->names, .rows = network->rows.vertices, .ids = MCO_IDS_NAMES}};
    const bool is_json = mco_text_peek_line(text, &line) && line.data[0] == '{';
    return give(&r, is_json ? read_json(&r) : read_lines(&r), count, source, distance);
}

// ---- Binary

static mco_status take_rows(reader *r, const char *name, const char *data, int64_t bytes)
{
    mco_status st = MCO_OK;
    const int64_t n = r->network->rows.vertices;
    int32_t head[2];
    int64_t count;
    if (bytes < HEAD_BYTES || memcmp(data, MAGIC, sizeof MAGIC) != 0)
        return mco_fail(r->ctx, MCO_ERR_PARSE, "%s: the file does not begin with %.8s", name, MAGIC);
    memcpy(head, data + sizeof MAGIC, sizeof head);
    memcpy(&count, data + sizeof MAGIC + sizeof head, sizeof count);
    if (head[0] != n)
        return mco_fail(r->ctx, MCO_ERR_PARSE, "%s: distances of %d vertices, the network has %" PRId64, name, head[0], n);
    if (count < 0 || count > bytes / (n + 1) || bytes != HEAD_BYTES + count * (n + 1) * (int64_t)sizeof(int32_t))
        return mco_fail(r->ctx, MCO_ERR_PARSE, "%s: %" PRId64 " trees are stated, and the file has %" PRId64 " bytes", name, count, bytes);
    MCO_TRY(mco_alloc(r->ctx, &r->source, count));
    MCO_TRY(mco_alloc(r->ctx, &r->distance, count * n));
    memcpy(r->source, data + HEAD_BYTES, (size_t)count * sizeof *r->source);
    memcpy(r->distance, data + HEAD_BYTES + count * (int64_t)sizeof *r->source, (size_t)(count * n) * sizeof *r->distance);
    r->count = count;
    for (int64_t k = 0; k < count; k++)
        if (r->source[k] < 0 || r->source[k] >= n)
            return mco_fail(r->ctx, MCO_ERR_PARSE, "%s: source %" PRId64 " is %d, there are vertices 0 to %" PRId64, name, k, r->source[k], n - 1);
    for (int64_t k = 0; k < count * n; k++)
        if (r->distance[k] < 0 || r->distance[k] > MCO_PATHS_NONE)
            return mco_fail(r->ctx, MCO_ERR_PARSE, "%s: distance %" PRId64 " is %d, 0 to %d were expected", name, k, r->distance[k], MCO_PATHS_NONE);
done:
    return st;
}

mco_status paths_distances_from_bytes(mco_context *ctx, const mco_paths_network *network, const char *name, const void *data, int64_t bytes,
                                      int64_t *count, int32_t **source, int32_t **distance)
{
    reader r = {.ctx = ctx, .network = network};
    return give(&r, take_rows(&r, name, data, bytes), count, source, distance);
}

static mco_status read_binary(mco_context *ctx, const mco_paths_network *network, const char *path, int64_t *count, int32_t **source,
                              int32_t **distance)
{
    mco_status st = MCO_OK;
    mco_blocks blocks = {0};
    void *data = NULL;
    int64_t bytes = 0;
    MCO_TRY(mco_blocks_open(ctx, path, MCO_PACKING_BY_NAME, &blocks));
    MCO_TRY(mco_blocks_read_all(&blocks, &data, &bytes));
    MCO_TRY(paths_distances_from_bytes(ctx, network, path, data, bytes, count, source, distance));
done:
    mco_free_bytes(ctx, &data);
    mco_blocks_close(&blocks);
    return st;
}

mco_status mco_paths_read_distances(mco_context *ctx, const mco_paths_network *network, const char *path, int64_t *count, int32_t **source,
                                    int32_t **distance)
{
    mco_status st = MCO_OK;
    mco_text text = {.ctx = ctx};
    if (ctx == NULL || network == NULL || path == NULL || count == NULL || source == NULL || distance == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (ends_with(path, ".bin"))
        return read_binary(ctx, network, path, count, source, distance);
    MCO_TRY(mco_text_open(ctx, path, &text));
    MCO_TRY(paths_distances_from_text(ctx, network, &text, count, source, distance));
done:
    mco_text_close(&text);
    return st;
}

void mco_paths_distances_clear(mco_context *ctx, int32_t **source, int32_t **distance)
{
    mco_free(ctx, source);
    mco_free(ctx, distance);
}
