// SPDX-License-Identifier: MIT
// Files of the double TSP with multiple stacks, as streams: what the public readers and writers and the fuzz targets share.
#ifndef MCO_DTSPMS_FORMATS_H
#define MCO_DTSPMS_FORMATS_H

#include <stdio.h>

#include "base/text.h"
#include "dtspms/dtspms_instance.h"

// ---- Instances: a pair of TSPLIB files, or CSV with `delivery` NULL. Errors: PARSE with the place, MEMORY.
mco_status dtspms_read_texts(mco_context *ctx, mco_text *pickup, mco_text *delivery, const char *name, mco_dtspms **out);
void dtspms_write_network(const mco_dtspms *problem, mco_dtspms_network network, FILE *file);

// ---- Solutions, as mco_dtspms_read_solution() and mco_dtspms_write_solution().
mco_status dtspms_read_solution_text(mco_context *ctx, const mco_dtspms *problem, mco_text *text,
                                     mco_dtspms_solution *solution, int64_t *cost);
void dtspms_write_solution_text(const mco_dtspms_solution *solution, int64_t cost, FILE *file);

// ---- Orders by name: a hash table with open addressing over names [orders] of an instance.

typedef struct dtspms_name_table {
    int32_t *slots;      // [slot_count] order + 1, 0 where empty
    uint64_t slot_count; // a power of two, more than twice the orders
} dtspms_name_table;

// An empty table. Errors: MEMORY. The caller releases the slots.
mco_status dtspms_name_table_new(mco_context *ctx, int64_t orders, dtspms_name_table *out);
// The slot of the order in the table that has this name, else the empty slot where it belongs.
int32_t *dtspms_name_slot(const dtspms_name_table *table, char *const *names, const char *name, size_t size);

#endif
