// SPDX-License-Identifier: MIT
// How far a sequence of beams has come, and its file. docs/formats.md describes the format.
#ifndef MCO_FLOWSHOP_BEAM_CAMPAIGN_H
#define MCO_FLOWSHOP_BEAM_CAMPAIGN_H

#include "base/text.h"
#include "mco/flowshop.h"

enum { FLOWSHOP_BEAM_LARGEST_WIDTH = 1 << 24, FLOWSHOP_BEAM_WHOLE = 1000000 };

typedef struct flowshop_campaign {
    int64_t makespan;   // of `order`; -1 while none is known
    int32_t *order;     // [jobs]
    int64_t bound;      // proven
    int64_t beams;      // complete
    int64_t reached;    // width of the widest complete beam, as it began; 0 while there is none
    // The next beam.
    int64_t width;
    int64_t share;      // of the gap between bound and incumbent, in millionths: where its target is; all of it without targets
    bool has_targets;
} flowshop_campaign;

mco_status flowshop_campaign_create(mco_context *ctx, int32_t jobs, flowshop_campaign *out);
void flowshop_campaign_destroy(mco_context *ctx, flowshop_campaign *campaign);

// As flowshop_checkpoint_write() and flowshop_checkpoint_read().
mco_status flowshop_campaign_write(mco_context *ctx, const mco_flowshop *shop, const flowshop_campaign *c, const char *path);
mco_status flowshop_campaign_read(mco_context *ctx, const mco_flowshop *shop, const char *path, flowshop_campaign *c);
mco_status flowshop_campaign_read_text(mco_context *ctx, const mco_flowshop *shop, mco_text *text, flowshop_campaign *c);

#endif
