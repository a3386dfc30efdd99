// SPDX-License-Identifier: MIT
// VRPLIB files.
#ifndef MCO_VRP_VRPLIB_H
#define MCO_VRP_VRPLIB_H

#include <stdio.h>

#include "base/text.h"
#include "routing/tsplib.h"
#include "vrp/draft.h"

extern const tsplib_entry vrp_keywords[TSPLIB_KEYWORDS];

// Errors: PARSE with the place, LIMIT, MEMORY.
mco_status vrp_read_vrplib(mco_context *ctx, mco_text *text, const mco_vrp_model *model, const char *name, mco_vrp **out);
void vrp_write_text(const mco_vrp *problem, FILE *file);

#endif
