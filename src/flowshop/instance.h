// SPDX-License-Identifier: MIT
// The members of an instance.
#ifndef MCO_FLOWSHOP_INSTANCE_H
#define MCO_FLOWSHOP_INSTANCE_H

#include "base/context.h"
#include "base/text.h"
#include "mco/flowshop.h"

struct mco_flowshop {
    int32_t jobs, machines;
    int32_t *times;       // [machines * jobs], machine-major
    char **job_names;     // [jobs]
    char **machine_names; // [machines]
    char *names;          // the characters of all names
    char name[64];
    int32_t seed;                    // of Taillard's generator; 0 if there is none
    int64_t best_makespan, best_bound;  // -1 while unknown
};

// Read from an open text. The readers of files and the fuzz targets share these functions.
mco_status flowshop_read_text(mco_context *ctx, mco_text *text, int32_t which, mco_flowshop **out);
mco_status flowshop_read_order_text(mco_context *ctx, const mco_flowshop *shop, mco_text *text, int32_t *order);

// FNV-1a hash of the sizes and times. It ties a checkpoint to its instance.
uint64_t flowshop_fingerprint(const mco_flowshop *shop);

#endif
