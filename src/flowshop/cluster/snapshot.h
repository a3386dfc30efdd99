// SPDX-License-Identifier: MIT
// A copy of what a coordinator knows at one moment, for a checkpoint. A million intervals take a tenth of a second to copy, and
// workers would wait. So the copy is made in slices between messages. What a message changes in the meantime is copied
// before the change. So the copy is that of the moment at which it began.
#ifndef MCO_FLOWSHOP_CLUSTER_SNAPSHOT_H
#define MCO_FLOWSHOP_CLUSTER_SNAPSHOT_H

#include "flowshop/tree/checkpoint.h"

struct flowshop_coordinator;
struct flowshop_record;

typedef struct flowshop_snapshot {
    flowshop_checkpoint state;  // counters and incumbent; the intervals are in `open`
    flowshop_packed open;
    bool is_open;        // it has begun and is not yet whole
    bool has_failed;     // memory was short
    int64_t number;      // of this snapshot; a record that has it is copied
    int64_t queue;       // of the queue of that moment, items [0, queue) are still to be copied
    int64_t record, at;  // of the records before this one, and of its intervals before this one, none
} flowshop_snapshot;

// Begins another snapshot. The coordinator must not be in the middle of one, and nobody reads the last one any more. Errors: MEMORY.
mco_status flowshop_snapshot_begin(struct flowshop_coordinator *c);
// Copies about `most` intervals more. True: it is whole. Must not be called again then.
bool flowshop_snapshot_go_on(struct flowshop_coordinator *c, int64_t most);
void flowshop_snapshot_end(struct flowshop_coordinator *c);

// ---- For the coordinator

// To be called before the intervals of a record change.
void flowshop_snapshot_keep(struct flowshop_coordinator *c, struct flowshop_record *r);
// To be called before the last interval of the queue is taken.
void flowshop_snapshot_keep_last(struct flowshop_coordinator *c);

#endif
