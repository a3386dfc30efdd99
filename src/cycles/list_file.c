// SPDX-License-Identifier: MIT
// Writes lists of cycles: text, JSON lines, packed sets, factors (docs/formats.md).
//
// Text has the vertices in their order around the cycle. The walk along the set gives the order (walk.c); then each vertex is
// one copy of its word, which was made once for many batches, with what follows it. Memory depends on the graph alone.
#include <stdio.h>
#include <string.h>

#include "base/structs.h"
#include "cycles/solve.h"
#include "base/stream.h"

// A word of up to 8 bytes is one store. The buffer has room for the bytes behind a shorter one.
enum { SHORT = 8, TRIANGLES_ROOM = 16 };

typedef struct word {
    uint32_t at, size;  // in the words of the block
} word;

typedef struct writer {
    mco_context *ctx;
    const mco_graph *graph;
    mco_cycles_format format;
    mco_stream stream;
    const graph_simple *simple;  // the whole graph
    bool is_directed;
    int64_t listed;
    bool is_broken;              // a row was no cycle
    mco_status st;               // a failure while a batch was taken
    int32_t *local;              // [vertices of the graph] for cycles_induce()
    // Of the vertices of the last batches:
    int32_t *vertex;      // [vertices]
    int32_t vertices;
    bool is_ascending;
    graph_simple induced;
    cycles_walk walk;
    int32_t *order;       // [vertices] of a cycle
    int32_t *turned;      // [vertices] the same, from the least vertex on
    char *words;          // all words, with the blank or the comma behind each
    word *word;           // [vertices]
    uint64_t *short_word; // [vertices] if no word is longer than SHORT; else NULL
    uint8_t *short_size;
    size_t longest_line;
} writer;

static void clear_vertices(writer *w)
{
    mco_free(w->ctx, &w->vertex);
    graph_simple_clear(w->ctx, &w->induced);
    mco_free(w->ctx, &w->turned);
    cycles_walk_clear(w->ctx, &w->walk);
    mco_free(w->ctx, &w->order);
    mco_free(w->ctx, &w->words);
    mco_free(w->ctx, &w->word);
    mco_free(w->ctx, &w->short_word);
    mco_free(w->ctx, &w->short_size);
    w->vertices = 0;
}

// ---- Words

static char *put_integer(char *to, int64_t value)
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

// A name in double quotes. Text doubles each quote inside, JSON escapes it and what is no character of a line.
static char *put_quoted(char *to, const char *name, bool is_json)
{
    static const char hex[] = "0123456789abcdef";
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
    return to;
}

enum { NUMBER_ROOM = 24, GROWTH = 6 };  // bytes of a number; bytes for one of a name

static size_t name_room(const mco_graph *graph, int32_t vertex)
{
    char buffer[16];
    return mco_graph_has_names(graph) ? GROWTH * strlen(mco_graph_vertex_name(graph, vertex, buffer)) + NUMBER_ROOM : NUMBER_ROOM;
}

// Writes the word of a vertex. A text has quotes only where a reader needs them (base/names.h).
static char *put_vertex(const writer *w, char *to, int32_t vertex)
{
    char buffer[16];
    if (!mco_graph_has_names(w->graph))
        return put_integer(to, (int64_t)vertex + mco_graph_base(w->graph));
    const char *name = mco_graph_vertex_name(w->graph, vertex, buffer);
    const size_t size = strlen(name);
    if (w->format == MCO_CYCLES_FORMAT_JSONL)
        return put_quoted(to, name, true);
    if (size == 0 || name[0] == '#' || strpbrk(name, " \t\n\v\f\r\"") != NULL)
        return put_quoted(to, name, false);
    memcpy(to, name, size);
    return to + size;
}

static char separator_of(const writer *w)
{
    return w->format == MCO_CYCLES_FORMAT_JSONL ? ',' : ' ';
}

static mco_status make_words(writer *w)
{
    mco_status st = MCO_OK;
    const int32_t n = w->vertices;
    size_t room = 0, longest = 0, at = 0;
    for (int32_t v = 0; v < n; v++)
        room += name_room(w->graph, w->vertex[v]) + 1;
    if (room > UINT32_MAX)
        return mco_fail(w->ctx, MCO_ERR_LIMIT, "the names of a block have more than %u bytes", UINT32_MAX);
    MCO_TRY(mco_alloc(w->ctx, &w->words, room + SHORT));
    MCO_TRY(mco_alloc(w->ctx, &w->word, n));
    for (int32_t v = 0; v < n; v++) {
        char *end = put_vertex(w, w->words + at, w->vertex[v]);
        *end++ = separator_of(w);
        w->word[v] = (word){(uint32_t)at, (uint32_t)(end - (w->words + at))};
        longest = w->word[v].size > longest ? w->word[v].size : longest;
        at += w->word[v].size;
    }
    w->longest_line = at + NUMBER_ROOM * 2 + SHORT;
    if (longest > SHORT)
        return MCO_OK;
    MCO_TRY(mco_alloc(w->ctx, &w->short_word, n));
    MCO_TRY(mco_alloc(w->ctx, &w->short_size, n));
    for (int32_t v = 0; v < n; v++) {
        memcpy(&w->short_word[v], w->words + w->word[v].at, SHORT);
        w->short_size[v] = (uint8_t)w->word[v].size;
    }
done:
    return st;
}

// ---- Lines

static char *put_begin(const writer *w, char *to, int32_t length)
{
    static const char head[] = "{\"length\":", middle[] = ",\"vertices\":[";
    if (w->format != MCO_CYCLES_FORMAT_JSONL)
        return to;
    memcpy(to, head, sizeof head - 1);
    to = put_integer(to + sizeof head - 1, length);
    memcpy(to, middle, sizeof middle - 1);
    return to + sizeof middle - 1;
}

// Replaces the separator behind the last vertex.
static char *put_end(const writer *w, char *to)
{
    if (w->format != MCO_CYCLES_FORMAT_JSONL) {
        to[-1] = '\n';
        return to;
    }
    memcpy(to - 1, "]}\n", 3);
    return to + 2;
}

static char *put_short_words(const writer *w, char *to, int32_t length)
{
    for (int32_t k = 0; k < length; k++) {
        memcpy(to, &w->short_word[w->order[k]], SHORT);
        to += w->short_size[w->order[k]];
    }
    return to;
}

static char *put_words(const writer *w, char *to, int32_t length)
{
    for (int32_t k = 0; k < length; k++) {
        const word *next = &w->word[w->order[k]];
        memcpy(to, w->words + next->at, next->size);
        to += next->size;
    }
    return to;
}

// Turns the order around so that the least vertex comes first, then the lesser of its neighbours.
static void turn(writer *w, int32_t length)
{
    int32_t least = 0;
    for (int32_t k = 1; k < length; k++)
        least = w->vertex[w->order[k]] < w->vertex[w->order[least]] ? k : least;
    const int32_t after = w->order[least + 1 < length ? least + 1 : 0], before = w->order[least > 0 ? least - 1 : length - 1];
    const int32_t way = w->is_directed || w->vertex[after] < w->vertex[before] ? 1 : length - 1;
    for (int32_t k = 0, at = least; k < length; k++) {
        w->turned[k] = w->order[at];
        at = at + way < length ? at + way : at + way - length;
    }
    memcpy(w->order, w->turned, (size_t)length * sizeof *w->order);
}

static bool write_lines(writer *w, const mco_cycles_batch *batch)
{
    for (int64_t k = 0; k < batch->count; k++) {
        char *begin = mco_stream_reserve(&w->stream, w->longest_line);
        const int32_t length = cycles_walk_row(&w->walk, batch->rows + k * batch->words, w->order);
        w->is_broken |= length == 0;
        if (begin == NULL || length == 0)
            return false;
        if (!w->is_ascending)
            turn(w, length);
        char *to = put_begin(w, begin, length);
        to = w->short_word != NULL ? put_short_words(w, to, length) : put_words(w, to, length);
        w->stream.used += (size_t)(put_end(w, to) - begin);
    }
    return true;
}

static bool write_triangle_lines(writer *w, const int32_t (*triangles)[3], int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        size_t room = NUMBER_ROOM * 2;
        for (int i = 0; i < 3; i++)
            room += name_room(w->graph, triangles[k][i]) + 1;
        char *begin = mco_stream_reserve(&w->stream, room);
        if (begin == NULL)
            return false;
        char *to = put_begin(w, begin, 3);
        for (int i = 0; i < 3; i++) {
            to = put_vertex(w, to, triangles[k][i]);
            *to++ = separator_of(w);
        }
        w->stream.used += (size_t)(put_end(w, to) - begin);
    }
    return true;
}

// ---- Parts of a binary list

static bool is_binary(const writer *w)
{
    return w->format == MCO_CYCLES_FORMAT_BITS || w->format == MCO_CYCLES_FORMAT_FACTORED;
}

// Writes a part of `bytes`, padded.
static bool put_part(writer *w, uint32_t kind, int64_t a, int64_t count, const void *data, size_t bytes)
{
    static const char zeros[8];
    const cycles_part part = {.kind = kind, .a = (uint32_t)a, .count = (uint64_t)count};
    return mco_stream_put(&w->stream, &part, sizeof part) && mco_stream_put(&w->stream, data, bytes) &&
           mco_stream_put(&w->stream, zeros, -bytes % 8);
}

static bool write_rows(writer *w, const mco_cycles_batch *batch)
{
    return put_part(w, CYCLES_PART_ROWS, 0, batch->count, batch->rows,
                    (size_t)batch->count * (size_t)batch->words * sizeof *batch->rows);
}

// ---- The listener

static mco_status begin(void *user, const graph_simple *graph, bool is_directed)
{
    mco_status st = MCO_OK;
    writer *w = user;
    cycles_list_header header = {.is_factored = w->format == MCO_CYCLES_FORMAT_FACTORED, .is_directed = is_directed,
                                 .vertices = graph->vertices, .edges = is_directed ? graph->arcs : graph->arcs / 2};
    w->simple = graph;
    w->is_directed = is_directed;
    memcpy(header.magic, CYCLES_MAGIC, sizeof header.magic);
    if (is_binary(w))
        mco_stream_put(&w->stream, &header, sizeof header);  // the commit tells a failure
    MCO_TRY(mco_alloc(w->ctx, &w->local, graph->vertices));
    for (int32_t v = 0; v < graph->vertices; v++)
        w->local[v] = -1;
done:
    return st;
}

// Prepares for rows over these vertices, unless the last rows were over the same.
static mco_status settle_vertices(writer *w, const int32_t *vertex, int32_t n)
{
    mco_status st = MCO_OK;
    if (n == w->vertices && memcmp(vertex, w->vertex, (size_t)n * sizeof *vertex) == 0)
        return MCO_OK;
    clear_vertices(w);
    MCO_TRY(mco_alloc(w->ctx, &w->vertex, n));
    memcpy(w->vertex, vertex, (size_t)n * sizeof *vertex);
    if (is_binary(w)) {
        put_part(w, CYCLES_PART_VERTICES, n, (n + 63) / 64, vertex, (size_t)n * sizeof *vertex);
        w->vertices = n;
        return MCO_OK;
    }
    w->is_ascending = true;
    for (int32_t k = 1; k < n; k++)
        w->is_ascending = w->is_ascending && vertex[k - 1] < vertex[k];
    MCO_TRY(cycles_induce(w->ctx, w->simple, vertex, n, w->local, &w->induced));
    MCO_TRY(cycles_walk_make(w->ctx, &w->induced, w->is_directed, &w->walk));
    MCO_TRY(mco_alloc(w->ctx, &w->order, n));
    MCO_TRY(mco_alloc(w->ctx, &w->turned, n));
    w->vertices = n;
    MCO_TRY(make_words(w));
done:
    return st;
}

static bool take(const mco_cycles_batch *batch, void *user)
{
    writer *w = user;
    w->listed += batch->count;
    if (w->format == MCO_CYCLES_FORMAT_NONE)
        return true;
    w->st = settle_vertices(w, batch->vertex, batch->vertices);
    if (w->st != MCO_OK)
        return false;
    return is_binary(w) ? write_rows(w, batch) : write_lines(w, batch);
}

static bool take_triangles(void *user, const int32_t (*triangles)[3], int64_t count)
{
    writer *w = user;
    w->listed += count;
    if (w->format == MCO_CYCLES_FORMAT_NONE)
        return true;
    if (is_binary(w))
        return put_part(w, CYCLES_PART_TRIANGLES, 0, count, triangles, (size_t)count * sizeof *triangles);
    return write_triangle_lines(w, triangles, count);
}

static bool take_factors(void *user, const cycles_block *block, const cycles_factors *f)
{
    writer *w = user;
    w->st = settle_vertices(w, block->vertex, block->graph.vertices);
    if (w->st != MCO_OK)
        return false;
    const size_t row = (size_t)f->words * sizeof *f->left;
    const cycles_part part = {.kind = CYCLES_PART_FACTORS, .count = (uint64_t)f->segments};
    const cycles_part_factors counts = {f->left_count, f->right_count, f->single_count};
    if (__builtin_add_overflow(w->listed, f->cycles, &w->listed))  // such a list can be written, and never expanded
        w->listed = INT64_MAX;
    return mco_stream_put(&w->stream, &part, sizeof part) && mco_stream_put(&w->stream, &counts, sizeof counts) &&
           mco_stream_put(&w->stream, f->segment, (size_t)f->segments * sizeof *f->segment) &&
           mco_stream_put(&w->stream, f->left, (size_t)f->left_count * row) &&
           mco_stream_put(&w->stream, f->right, (size_t)f->right_count * row) &&
           mco_stream_put(&w->stream, f->single, (size_t)f->single_count * row);
}

// Writes the end and commits the file.
static mco_status end_list(writer *w)
{
    if (w->st != MCO_OK)
        return w->st;
    if (w->is_broken)
        return mco_fail(w->ctx, MCO_ERR_INTERNAL, "a set of vertices is no chordless cycle");
    if (is_binary(w))
        put_part(w, CYCLES_PART_END, 0, w->listed, NULL, 0);
    return w->format != MCO_CYCLES_FORMAT_NONE ? mco_stream_commit(&w->stream) : MCO_OK;
}

mco_status mco_cycles_write_list(mco_context *ctx, const mco_graph *graph, const mco_cycles_params *params,
                                 mco_cycles_format format, const char *path, mco_cycles_result *result)
{
    mco_status st = MCO_OK;
    writer w = {.ctx = ctx, .graph = graph, .format = format};
    const cycles_listener listener = {.take = take, .user = &w, .begin = begin, .take_triangles = take_triangles,
                                      .take_factors = format == MCO_CYCLES_FORMAT_FACTORED ? take_factors : NULL,
                                      .drops_cycles = format == MCO_CYCLES_FORMAT_NONE};
    if (ctx == NULL || graph == NULL || (path == NULL && format != MCO_CYCLES_FORMAT_NONE))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if ((int)format < MCO_CYCLES_FORMAT_TEXT || format > MCO_CYCLES_FORMAT_NONE)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "format %d, one of " MCO_CYCLES_FORMAT_NAMES " was expected", (int)format);
    MCO_TRY(mco_struct_test(ctx, "result", result, sizeof *result));
    if (format != MCO_CYCLES_FORMAT_NONE)
        MCO_TRY(mco_stream_open(ctx, path, &w.stream));
    MCO_TRY(cycles_solve(ctx, graph, params, &listener, result));
    st = end_list(&w);
    if (st != MCO_OK)
        mco_cycles_result_clear(ctx, result);
done:
    clear_vertices(&w);
    mco_free(ctx, &w.local);
    mco_stream_discard(&w.stream);
    return st;
}
