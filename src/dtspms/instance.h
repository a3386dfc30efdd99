// SPDX-License-Identifier: MIT
// The inside of an instance: for each network, coordinates with a rule for distances, or a matrix.
#ifndef MCO_DTSPMS_INSTANCE_H
#define MCO_DTSPMS_INSTANCE_H

#include "base/context.h"
#include "mco/dtspms.h"

typedef enum dtspms_rule {
    DTSPMS_EUC_2D,   // nint(sqrt(dx^2 + dy^2)) = floor(... + 0.5)
    DTSPMS_CEIL_2D,  // ceil(sqrt(dx^2 + dy^2))
    DTSPMS_MATRIX
} dtspms_rule;

typedef struct dtspms_network {
    dtspms_rule rule;
    double *x, *y;     // [orders + 1]; NULL for a matrix
    int32_t *matrix;   // [(orders + 1)^2], row i from node i; NULL with coordinates
} dtspms_network;

struct mco_dtspms {
    int32_t orders;
    dtspms_network network[2];  // by mco_dtspms_network
    char *name;
    char **names;  // [orders]; NULL, or an entry NULL, where an order has only its number
};

// Makes an instance without networks and names of orders, which the caller fills in. `name` is copied. Errors: MEMORY.
mco_status dtspms_instance_new(mco_context *ctx, int32_t orders, const char *name, mco_dtspms **out);

#endif
