// SPDX-License-Identifier: MIT
// Files of guillotine cutting as streams, for the public readers and writers, the command and the fuzz targets.
#ifndef MCO_GUILLOTINE_FORMATS_H
#define MCO_GUILLOTINE_FORMATS_H

#include <stdio.h>

#include "base/json.h"
#include "base/text.h"
#include "guillotine/instance.h"

// ---- Instances

// An instance of `count` pieces, all zero, to be filled by the caller; `name` is copied. Errors: LIMIT, MEMORY.
mco_status guillotine_instance_create(mco_context *ctx, int64_t width, int64_t height, int64_t count, const char *name,
                                      mco_guillotine **out);

// Reads any of the formats in docs/formats.md. Errors: PARSE with the place, MEMORY.
mco_status guillotine_read_text(mco_context *ctx, mco_text *text, const char *name, mco_guillotine **out);
void guillotine_write_text(const mco_guillotine *problem, FILE *file);
void guillotine_write_csv(const mco_guillotine *problem, FILE *file);

// Writes a member with a size or a value in the unit of the instance's file.
void guillotine_number_to_json(mco_json *json, const char *key, int64_t value, int64_t scale);

// ---- Plans: nodes [count], depth first. Trees may be thousands of levels deep, so nothing here is recursive.

// Reads a plan, as mco_guillotine_read_plan().
mco_status guillotine_read_plan_text(mco_context *ctx, const mco_guillotine *problem, mco_text *text,
                                     mco_guillotine_node **nodes, int64_t *count, int64_t *value);

// Writes the tree as the member `key` of the object that is open in `json`, one line for each node. Errors, found
// before anything is written: ARGUMENT (the nodes are no depth-first tree, or name a piece that the instance lacks),
// MEMORY. O(count).
mco_status guillotine_plan_to_json(mco_context *ctx, const mco_guillotine *problem, const mco_guillotine_node *nodes,
                                   int64_t count, mco_json *json, const char *key);

// Writes a checked plan for the operator of the saw: the numbered cuts, depth first, then the pieces with their counts,
// then the waste, which includes what the saw takes. Cut 7 divides rectangle R7. Errors: as above. O(count + pieces).
mco_status guillotine_plan_to_cuts(mco_context *ctx, const mco_guillotine *problem, const mco_guillotine_node *nodes,
                                   int64_t count, FILE *file);

#endif
