// SPDX-License-Identifier: MIT
// Files of the double TSP with multiple stacks, as streams. The public readers and writers and the fuzz targets share
// these functions.
#ifndef MCO_DTSPMS_FORMATS_H
#define MCO_DTSPMS_FORMATS_H

#include <stdio.h>

#include "base/text.h"
#include "dtspms/instance.h"
#include "routing/tsplib.h"

// ---- Instances

// Reads a pair of TSPLIB files, or a CSV file if `delivery` is NULL. Errors: PARSE with the place, MEMORY.
mco_status dtspms_read_texts(mco_context *ctx, mco_text *pickup, mco_text *delivery, const char *name, mco_dtspms **out);
void dtspms_write_network(const mco_dtspms *problem, mco_dtspms_network network, FILE *file);

// ---- Solutions, as in mco_dtspms_read_solution() and mco_dtspms_write_solution()
mco_status dtspms_read_solution_text(mco_context *ctx, const mco_dtspms *problem, mco_text *text,
                                     mco_dtspms_solution *solution, int64_t *cost);
void dtspms_write_solution_text(const mco_dtspms *problem, const mco_dtspms_solution *solution, int64_t cost, FILE *file);

// ---- Shared by the formats of instances

#define DTSPMS_MAX_COORDINATE 1e7

extern const tsplib_entry dtspms_keywords[TSPLIB_KEYWORDS];

mco_status dtspms_read_csv(mco_context *ctx, mco_text *text, const char *name, mco_dtspms **out);
mco_status dtspms_read_tsplib(mco_context *ctx, mco_text *const texts[2], const char *name, mco_dtspms **out);

#endif
