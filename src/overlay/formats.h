// SPDX-License-Identifier: MIT
// Instance files from texts, for the reader and for fuzzing.
#ifndef MCO_OVERLAY_FORMATS_H
#define MCO_OVERLAY_FORMATS_H

#include "base/text.h"
#include "mco/overlay.h"

// As mco_overlay_read(), from the rest of a text.
mco_status overlay_read_text(mco_context *ctx, mco_text *text, const mco_overlay_model *model, const char *name, mco_overlay **out);
// As mco_overlay_read_events(), from the rest of a text.
mco_status overlay_read_events_text(mco_context *ctx, mco_text *text, const mco_overlay *o, mco_overlay_events *out);

#endif
