// SPDX-License-Identifier: MIT
// Files of another problem: what they are, so that the message names the command that reads them.
#ifndef MCO_BASE_KINDS_H
#define MCO_BASE_KINDS_H

#include "base/text.h"

// Fails where the next line that is no comment heads a file of another problem than `own` ("vrp", ...): a CSV header with the
// columns that only that problem has, or a keyword of TSPLIB; or JSON, which only overlays have. Leaves the text as it is. Errors: PARSE with the place.
mco_status mco_refuse_other_kind(const mco_text *text, const char *own);

#endif
