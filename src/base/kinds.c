// SPDX-License-Identifier: MIT
#include "base/kinds.h"

#include <string.h>

enum { MARKS = 4 };

// Cells that a header of each problem has, whatever their order, up to the first NULL. No other problem has them all.
static const struct kind {
    const char *problem;
    const char *cells[MARKS];
} kinds[] = {
    {"vrp", {"x", "y", "demand"}},
    {"vrp", {"latitude", "longitude", "demand"}},
    {"vrp", {"lat", "lon", "demand"}},
    {"guillotine", {"width", "height"}},
    {"guillotine", {"plate"}},
    {"dtspms", {"pickup_x", "pickup_y", "delivery_x", "delivery_y"}},
    {"cycles", {"source", "target"}},
    {"cycles", {"from", "to"}},
};

static bool has_cell(mco_slice header, char separator, const char *word)
{
    mco_slice cell;
    while (header.data != NULL && mco_slice_field(&header, separator, &cell))
        if (mco_slice_is(cell, word))
            return true;
    return false;
}

// Keywords that begin TSPLIB and VRPLIB files.
static bool is_tsplib(mco_slice line)
{
    static const char *const words[] = {"NAME", "TYPE", "COMMENT", "DIMENSION"};
    const mco_slice word = mco_slice_trim(mco_slice_before(line, ':'));
    for (size_t i = 0; i < sizeof words / sizeof words[0] && memchr(line.data, ':', line.size) != NULL; i++)
        if (mco_slice_is(word, words[i]))
            return true;
    return false;
}

static const char *kind_of(mco_slice header, bool reads_tsplib)
{
    if (!reads_tsplib && is_tsplib(header))
        return "vrp";
    const char separator = mco_slice_separator(header);
    for (const struct kind *k = kinds; k < kinds + sizeof kinds / sizeof kinds[0]; k++) {
        bool has_all = true;
        for (int i = 0; i < MARKS && k->cells[i] != NULL; i++)
            has_all = has_all && has_cell(header, separator, k->cells[i]);
        if (has_all)
            return k->problem;
    }
    return NULL;
}

// Rows that may stand before the header of a vrp file.
static bool is_limit(mco_slice line)
{
    static const char *const words[] = {"capacity", "vehicles", "max-length", "service-time"};
    const char separator = mco_slice_separator(line);
    mco_slice cell;
    mco_slice_field(&line, separator, &cell);
    for (size_t i = 0; i < sizeof words / sizeof words[0] && line.data != NULL; i++)
        if (mco_slice_is(cell, words[i]))
            return true;
    return false;
}

// No line of another format begins so: graph6 has no quotes, and no graph with 60 vertices in one character.
static bool is_json(mco_slice line)
{
    return line.size > 0 && line.data[0] == '{' && (line.size == 1 || strchr(" \t\"", line.data[1]) != NULL);
}

mco_status mco_refuse_other_kind(const mco_text *text, const char *own)
{
    mco_text ahead = *text;
    mco_slice line = {0};
    while (mco_text_skip_blank(&ahead) && mco_text_line(&ahead, &line) && (line.data[0] == '#' || is_limit(line)))
        continue;
    if (is_json(line))
        return mco_text_fail(&ahead, line.line, line.column, "this is JSON, perhaps a result file, and an instance was expected");
    const bool reads_tsplib = strcmp(own, "vrp") == 0 || strcmp(own, "dtspms") == 0;
    const char *kind = line.size > 0 ? kind_of(line, reads_tsplib) : NULL;
    const bool is_graph = strcmp(own, "paths") == 0 && kind != NULL && strcmp(kind, "cycles") == 0;
    if (kind == NULL || strcmp(kind, own) == 0 || is_graph)
        return MCO_OK;
    return mco_text_fail(&ahead, line.line, line.column, "this is a file for mco %s, not for mco %s: try mco %s %s %s", kind, own,
                         kind, strcmp(kind, "cycles") == 0 ? "count" : "solve", text->name);
}
