// SPDX-License-Identifier: MIT
// Places of the vertices of DIMACS networks: a .co file beside the .gr file, "p aux sp co VERTICES", then "v VERTEX X Y".
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "graph/reader.h"
#include "paths/file.h"

static const double MICRO = 1e-6;          // degrees in a unit of a map
static const double MAX_PLACE = 1e15;      // of a coordinate, either sign

bool paths_places_path(const char *path, char *out, size_t room)
{
    size_t size = strlen(path);
    if (size > 3 && strcasecmp(path + size - 3, ".gz") == 0)
        size -= 3;
    if (size <= 3 || strncasecmp(path + size - 3, ".gr", 3) != 0 || size + 1 > room)
        return false;
    memcpy(out, path, size - 2);
    memcpy(out + size - 2, "co", 3);
    return true;
}

typedef struct places {
    mco_text *text;
    int32_t vertices;
    double *x, *y;
    bool *is_there;  // [vertices]
    int64_t count;
    bool has_head, is_map;
} places;

static mco_status read_head(places *p, mco_slice line, mco_slice rest)
{
    static const char *const words[] = {"aux", "sp", "co"};
    mco_slice cell;
    int64_t vertices;
    mco_status st = MCO_OK;
    for (int k = 0; k < 3; k++)
        if (!mco_slice_token(&rest, &cell) || !mco_slice_is(cell, words[k]))
            return mco_text_fail(p->text, line.line, line.column, "\"p aux sp co VERTICES\" was expected");
    mco_slice_token(&rest, &cell);
    MCO_TRY(mco_slice_integer(p->text, cell, "the number of vertices", 0, MCO_GRAPH_MAX_VERTICES, &vertices));
    if (p->has_head || vertices != p->vertices)
        return mco_text_fail(p->text, line.line, line.column, "places of %" PRId64 " vertices are stated%s, the network has %d", vertices,
                             p->has_head ? " again" : "", p->vertices);
    p->has_head = true;
done:
    return st;
}

static mco_status read_place(places *p, mco_slice line, mco_slice rest)
{
    mco_slice cell;
    int64_t vertex;
    mco_status st = MCO_OK;
    if (!p->has_head)
        return mco_text_fail(p->text, line.line, line.column, "a place before the line \"p aux sp co\"");
    mco_slice_token(&rest, &cell);
    MCO_TRY(mco_slice_integer(p->text, cell, "the vertex", 1, p->vertices, &vertex));
    if (p->is_there[vertex - 1])
        return mco_text_fail(p->text, cell.line, cell.column, "vertex %" PRId64 " has a place already", vertex);
    mco_slice_token(&rest, &cell);
    MCO_TRY(mco_slice_real(p->text, cell, "x", -MAX_PLACE, MAX_PLACE, &p->x[vertex - 1]));
    mco_slice_token(&rest, &cell);
    MCO_TRY(mco_slice_real(p->text, cell, "y", -MAX_PLACE, MAX_PLACE, &p->y[vertex - 1]));
    if (mco_slice_token(&rest, &cell))
        return mco_text_fail(p->text, cell.line, cell.column, "the line has more than a vertex and its place");
    p->is_there[vertex - 1] = true;
    p->count++;
done:
    return st;
}

static mco_status read_line(places *p, mco_slice line)
{
    mco_slice word, rest = line;
    mco_slice_token(&rest, &word);
    const char kind = word.size == 1 ? word.data[0] : '\0';
    if (kind == 'p')
        return read_head(p, line, rest);
    if (kind == 'v')
        return read_place(p, line, rest);
    if (kind != 'c')
        return mco_text_fail(p->text, line.line, line.column, "the line begins with \"%.*s\", c, p or v was expected", mco_slice_shown(word),
                             word.data);
    p->is_map = p->is_map || mco_slice_is(mco_slice_trim(rest), PATHS_MAP_COMMENT);
    return MCO_OK;
}

mco_status paths_places_read(mco_context *ctx, mco_text *text, int32_t vertices, double **x, double **y, bool *is_map)
{
    mco_status st = MCO_OK;
    places p = {.text = text, .vertices = vertices};
    mco_slice line;
    MCO_TRY(mco_alloc(ctx, &p.x, vertices));
    MCO_TRY(mco_alloc(ctx, &p.y, vertices));
    MCO_TRY(mco_alloc(ctx, &p.is_there, vertices));
    for (int64_t lines = 1; mco_text_line(text, &line); lines++) {
        MCO_TRY(mco_text_in_time(text, lines));
        line = mco_slice_trim(line);
        if (line.size > 0)
            MCO_TRY(read_line(&p, line));
    }
    if (!p.has_head || p.count != vertices)
        MCO_TRY(mco_text_fail_here(text, "the file has places of %" PRId64 " vertices, the network has %d", p.count, vertices));
    for (int32_t v = 0; p.is_map && v < vertices; v++) {
        p.x[v] *= MICRO;
        p.y[v] *= MICRO;
    }
    *x = p.x;
    *y = p.y;
    *is_map = p.is_map;
    p.x = p.y = NULL;
done:
    mco_free(ctx, &p.is_there);
    mco_free(ctx, &p.y);
    mco_free(ctx, &p.x);
    return st;
}
