// SPDX-License-Identifier: MIT
#ifndef MCO_GUILLOTINE_INSTANCE_H
#define MCO_GUILLOTINE_INSTANCE_H

#include "base/context.h"
#include "base/number.h"
#include "mco/guillotine.h"

enum { GUILLOTINE_MOST_PLACES = 6 };  // decimals of sizes; values may have twice as many

struct mco_guillotine {
    int32_t width, height;
    int places, value_places;  // decimals of the file: the unit is 10^-places of the file's
    int64_t scale, value_scale;  // 10^places, 10^value_places
    int64_t pieces;
    mco_guillotine_piece *piece;  // [pieces]
    char *name;
    char **piece_names;  // [pieces], NULL for a piece without a name; the array is NULL if no piece has one
};

int64_t guillotine_power(int places);  // of ten; at most 10^18
// A size or a value as the file has it, exactly: value / scale without zeros at its end. The value is at least 0.
const char *guillotine_text(int64_t value, int64_t scale, char out[MCO_NUMBER_TEXT]);
// Sets params->kerf from its kerf_width. Errors: ARGUMENT (no whole number of the instance's units).
mco_status guillotine_settle_kerf(mco_context *ctx, const mco_guillotine *problem, mco_guillotine_params *params);

#endif
