// SPDX-License-Identifier: MIT
// The state of a search in a file: intervals to explore, incumbent, counters, U. docs/formats.md describes the format.
#ifndef MCO_FLOWSHOP_TREE_CHECKPOINT_H
#define MCO_FLOWSHOP_TREE_CHECKPOINT_H

#include "base/text.h"
#include "flowshop/tree/packed.h"
#include "mco/flowshop.h"

typedef struct flowshop_checkpoint {
    mco_flowshop_bound bound;
    mco_flowshop_branching branching;
    int64_t rule_bound;       // U
    bool is_fixed;            // U was given by the user: the fixed-incumbent protocol
    bool is_slice;            // the search began on a slice of the tree, so its end proves nothing about the instance
    int64_t upper_bound;      // only shorter schedules count
    int64_t makespan;         // of `order`; -1 while none is known
    int32_t *order;           // [jobs]
    int64_t leaves, iterations, steals;
    int64_t *children_by_depth;  // [(jobs + 1) * flowshop_children_columns]
    flowshop_intervals open;
} flowshop_checkpoint;

enum { FLOWSHOP_MOST_IN_TEXT = 100000 };  // with more intervals a file is binary: text would take seconds

// An empty checkpoint with room for the instance's arrays.
mco_status flowshop_checkpoint_create(mco_context *ctx, int32_t jobs, flowshop_checkpoint *out);
void flowshop_checkpoint_destroy(mco_context *ctx, flowshop_checkpoint *checkpoint);

// Copies all but the intervals.
void flowshop_checkpoint_copy(const flowshop_checkpoint *from, flowshop_checkpoint *to);

// Replaces the file as a whole. The previous file stays as "path.prev". Errors: IO, MEMORY, LIMIT.
mco_status flowshop_checkpoint_write(mco_context *ctx, const mco_flowshop *shop, const flowshop_checkpoint *c,
                                     const char *path);
// The same with the intervals of `open` in place of c->open.
mco_status flowshop_checkpoint_write_packed(mco_context *ctx, const mco_flowshop *shop, const flowshop_checkpoint *c,
                                            const flowshop_packed *open, const char *path);
// Read into a created checkpoint. Errors: IO, MEMORY; PARSE for a cut or damaged file, another instance or another
// version. The message then says what to do.
mco_status flowshop_checkpoint_read(mco_context *ctx, const mco_flowshop *shop, const char *path,
                                    flowshop_checkpoint *c);
mco_status flowshop_checkpoint_read_text(mco_context *ctx, const mco_flowshop *shop, mco_text *text,
                                         flowshop_checkpoint *c);

#endif
