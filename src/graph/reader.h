// SPDX-License-Identifier: MIT
// What the readers of graphs share: the draft that each of them fills, and scanners of plain numbers.
#ifndef MCO_GRAPH_READER_H
#define MCO_GRAPH_READER_H

#include <stdio.h>

#include "base/text.h"
#include "graph/graph.h"

#define GRAPH_MAX_WEIGHT 1e300  // of an edge in a file, either sign; doubles can add many of them
#define GRAPH_MAX_METIS_WEIGHT ((int64_t)1 << 53)  // integers that doubles hold exactly

// A graph while its file is read. Readers fill what stands behind `asked`.
typedef struct graph_draft {
    mco_context *ctx;
    mco_text *text;
    mco_graph_format format;
    mco_graph_direction asked;
    bool is_directed;   // what the file says
    int32_t vertices;
    int32_t base;       // number of vertex 0 in the file
    graph_edges edges;  // ends from 0
    char **names;       // as in mco_graph; NULL: none
    double *x, *y;      // [vertices] or NULL
    bool wants_times;   // of TNTP: weights are free-flow times
    int32_t first_through;  // of TNTP: paths pass through vertices from this one on only; 0: all
} graph_draft;

// Each reads the whole text. Errors: PARSE with the place, LIMIT, STOPPED, MEMORY.
mco_status graph_read_edges(graph_draft *draft);  // EDGES and SNAP
mco_status graph_read_csv(graph_draft *draft);
mco_status graph_read_dimacs(graph_draft *draft);
mco_status graph_read_metis(graph_draft *draft);
mco_status graph_read_graphml(graph_draft *draft);
mco_status graph_read_tntp(graph_draft *draft);
mco_status graph_read_matrix(graph_draft *draft);

// Finds the format from the end of the name and from the first lines of the text, which stays as it is. `name` is without
// folders. An end that names a format decides, except .csv, which edges, tables and matrices share.
mco_graph_format graph_find_format(const mco_text *text, const char *name);
// The format that the end of a name tells, behind ".gz"; AUTO if it tells nothing.
mco_graph_format graph_format_of_name(const char *name);
// Whether the cells of a line head a table of edges; *from, *to and *weight (or -1) are the columns.
bool graph_is_header(mco_slice line, char separator, int *from, int *to, int *weight);
// The first comma or semicolon of a line outside of quotes; a blank if it has none.
char graph_separator(mco_slice line);

// Reads all of a text. `file` and `name` as for mco_graph_read. Errors as there.
mco_status graph_read_text(mco_context *ctx, mco_text *text, const mco_graph_file *file, const char *name, mco_graph **out);
// The same for shortest paths: the weights of TNTP links are free-flow times, and *first_through is the first vertex, from 0, that
// paths may pass through; 0 for other formats.
mco_status graph_read_roads(mco_context *ctx, mco_text *text, const mco_graph_file *file, const char *name, int32_t *first_through,
                            mco_graph **out);
// Writes the graph; errors of the stream appear later. Errors: ARGUMENT, MEMORY.
mco_status graph_write_text(mco_context *ctx, const mco_graph *graph, mco_graph_format format, FILE *file);

// Refuses a stated number of vertices that the text is far too short for: nobody writes so many vertices without edges, and
// their rows would fill the memory. Errors: LIMIT.
mco_status graph_refuse_vertices(mco_text *text, mco_slice place, int64_t vertices);
// Reads the weight of an edge, any finite number. Errors: PARSE.
mco_status graph_read_weight(mco_text *text, mco_slice cell, double *out);
// Takes over whether edges have weights from the first edge, and refuses later ones that differ. Errors: PARSE.
mco_status graph_draft_weighs(graph_draft *draft, mco_slice place, bool has_weight);

// ---- Plain numbers, by hand: a file may have millions of lines. The text ends with a NUL, so no scanner leaves it.

static inline const char *graph_scan_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

// Whether a line ends here; the NUL is the end of the text, because a text has no other.
static inline bool graph_is_line_end(const char *p)
{
    return *p == '\n' || *p == '\0' || (*p == '\r' && (p[1] == '\n' || p[1] == '\0'));
}

// Reads digits without a zero before them, up to MCO_GRAPH_MAX_VERTICES. Returns what follows, NULL if this is no such number.
static inline const char *graph_scan_vertex(const char *p, int32_t *out)
{
    enum { DIGITS = 10 };
    const char *begin = p;
    int64_t value = 0;
    for (; (unsigned)(*p - '0') < 10 && p - begin <= DIGITS; p++)
        value = 10 * value + (*p - '0');
    if (p == begin || value > MCO_GRAPH_MAX_VERTICES || (*begin == '0' && p - begin > 1))
        return NULL;
    *out = (int32_t)value;
    return p;
}

// Reads [-]digits[.digits] of up to 15 digits, which are exact. Returns what follows, NULL if this is no such number.
static inline const char *graph_scan_weight(const char *p, double *out)
{
    enum { DIGITS = 15 };
    static const double powers[DIGITS + 1] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const bool is_negative = *p == '-';
    int64_t value = 0;
    int digits = 0, decimals = 0;
    for (p += is_negative; (unsigned)(*p - '0') < 10 && digits <= DIGITS; p++, digits++)
        value = 10 * value + (*p - '0');
    if (*p == '.' && digits > 0)
        for (p++; (unsigned)(*p - '0') < 10 && digits <= DIGITS; p++, digits++, decimals++)
            value = 10 * value + (*p - '0');
    if (digits == 0 || digits > DIGITS)
        return NULL;
    const double size = (double)value / powers[decimals];
    *out = is_negative ? -size : size;
    return p;
}

// Moves the text behind the line that ends at `p`.
static inline void graph_end_line(mco_text *text, const char *p)
{
    text->at = (size_t)(p - text->data) + (*p == '\r');
    if (text->data[text->at] == '\n') {
        text->at++;
        text->line++;
        text->line_at = text->at;
    }
}

#endif
