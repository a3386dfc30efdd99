// SPDX-License-Identifier: MIT
// Instances of all formats as streams, for the readers, the writers and the fuzz targets.
#ifndef MCO_VRP_FORMATS_H
#define MCO_VRP_FORMATS_H

#include <stdio.h>

#include "base/text.h"
#include "vrp/draft.h"

// Reads an instance, VRPLIB or CSV. Errors: PARSE with the place, LIMIT, MEMORY.
mco_status vrp_read_text(mco_context *ctx, mco_text *text, const mco_vrp_model *model, const char *name, mco_vrp **out);

// Writes a scaled value in units of the file: with all decimals of the scale, or as an integer where the scale is 1.
void vrp_write_scaled(const mco_vrp *problem, int64_t value, FILE *file);

#endif
