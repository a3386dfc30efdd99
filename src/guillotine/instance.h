// SPDX-License-Identifier: MIT
#ifndef MCO_GUILLOTINE_INSTANCE_H
#define MCO_GUILLOTINE_INSTANCE_H

#include "base/context.h"
#include "mco/guillotine.h"

struct mco_guillotine {
    int32_t width, height;
    int64_t pieces;
    mco_guillotine_piece *piece;  // [pieces]
    char *name;
    char **piece_names;  // [pieces], NULL for a piece without a name; the array is NULL if no piece has one
};

#endif
