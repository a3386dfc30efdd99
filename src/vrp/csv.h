// SPDX-License-Identifier: MIT
// Instances as CSV.
#ifndef MCO_VRP_CSV_H
#define MCO_VRP_CSV_H

#include "base/text.h"
#include "vrp/draft.h"

// Errors: PARSE with the place, LIMIT, MEMORY.
mco_status vrp_read_csv(mco_context *ctx, mco_text *text, const mco_vrp_model *model, const char *name, mco_vrp **out);
// Skips comments and rows of limits, such as "capacity,100", that may stand before the header.
void vrp_csv_skip_limits(mco_text *text);

#endif
