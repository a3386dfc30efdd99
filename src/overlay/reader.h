// SPDX-License-Identifier: MIT
// What readers of instances share: CSV (formats.c) and JSON (json.c). A text is read twice: first for the most decimals of all bandwidths,
// which then are integers by this common power of ten.
#ifndef MCO_OVERLAY_READER_H
#define MCO_OVERLAY_READER_H

#include <stdio.h>

#include "base/names.h"
#include "base/table.h"
#include "overlay/formats.h"
#include "overlay/instance.h"

typedef enum overlay_limit { LIMIT_LEAST, LIMIT_MOST, LIMITS } overlay_limit;

// A text while it is read.
typedef struct overlay_reader {
    mco_context *ctx;
    mco_text *text;
    const mco_overlay_model *model;
    mco_slice limits[LIMITS];  // the number of each; data is NULL where the file has none
    char limit_separators[LIMITS];
    mco_table nodes, links;         // CSV
    mco_text node_rows, link_rows;  // where the rows begin
    bool has_links;
    bool has_names, has_weight, has_least, has_most;  // columns
    int64_t node_count, link_count;
    int places;                // decimals of bandwidths
    int64_t scale;             // 10^places
    mco_overlay_data data;
    double *uptime, *weight;
    int64_t *bandwidth, *least, *most;
    int32_t *from, *to;
    mco_names names;
    mco_name_finder finder;
} overlay_reader;

// One pass over a bandwidth: `out` NULL: only its decimals are looked at. Errors: PARSE.
mco_status overlay_read_bandwidth(overlay_reader *c, mco_slice cell, const char *what, char separator, int64_t *out);
// The scale, and the limits of all links: those of the file, and of the options. Errors: ARGUMENT, PARSE.
mco_status overlay_take_limits(overlay_reader *c);
// Arrays for the nodes and links that were counted. Errors: MEMORY.
mco_status overlay_open_arrays(overlay_reader *c);

// Reads all of a text that begins with {. Errors: ARGUMENT, PARSE with the place, LIMIT, MEMORY, STOPPED.
mco_status overlay_read_json(overlay_reader *c);
void overlay_write_json(const mco_overlay *o, FILE *file);

#endif
