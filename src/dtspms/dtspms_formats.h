// SPDX-License-Identifier: MIT
// Files of the double TSP with multiple stacks, as streams: what the public readers and writers and the fuzz targets share.
#ifndef MCO_DTSPMS_FORMATS_H
#define MCO_DTSPMS_FORMATS_H

#include <stdio.h>

#include "base/text.h"
#include "dtspms/dtspms_instance.h"

// ---- Instances: a pair of TSPLIB files, or CSV with `delivery` NULL. Errors: PARSE with the place, MEMORY.
mco_status dtspms_read_texts(mco_context *ctx, mco_text *pickup, mco_text *delivery, const char *name, mco_dtspms **out);
void dtspms_write_network(const mco_dtspms *problem, mco_dtspms_network network, FILE *file);

// ---- Solutions, as mco_dtspms_read_solution() and mco_dtspms_write_solution().
mco_status dtspms_read_solution_text(mco_context *ctx, const mco_dtspms *problem, mco_text *text,
                                     mco_dtspms_solution *solution, int64_t *cost);
void dtspms_write_solution_text(const mco_dtspms_solution *solution, int64_t cost, FILE *file);

// ---- What the formats of instances offer each other

// Index of a value among words [count]; refuses another, which `what` describes ("TYPE is"), and lists these.
mco_status dtspms_find_word(mco_text *text, mco_slice value, const char *what, const char *const *words, int count,
                            int *out);
mco_status dtspms_read_coordinate(mco_text *text, mco_slice cell, double *out);

mco_status dtspms_read_csv(mco_context *ctx, mco_text *text, const char *name, mco_dtspms **out);
mco_status dtspms_read_tsplib(mco_context *ctx, mco_text *const texts[2], const char *name, mco_dtspms **out);
// Whether a line holds a keyword of TSPLIB.
bool dtspms_is_tsplib_line(mco_slice line);

#endif
