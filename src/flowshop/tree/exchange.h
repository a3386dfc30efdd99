// SPDX-License-Identifier: MIT
// How a search takes part in a larger one: it reports, takes work and gives work away while it runs. The search knows
// only this port. The supervisor of a leg calls it, in the calling thread, so its functions need no locks.
//
// The rules that keep the counts exact (src/flowshop/README.md): a report tells what is left and what is done at one
// moment; a gift lies inside what the last report left, plus the work taken since; a schedule is told before any report
// whose nodes it pruned.
#ifndef MCO_FLOWSHOP_TREE_EXCHANGE_H
#define MCO_FLOWSHOP_TREE_EXCHANGE_H

#include "flowshop/tree/checkpoint.h"

// What the outside wants at this moment.
typedef struct flowshop_wish {
    bool report;
    bool gift;                       // stays a wish until give() is called
    bool end;                        // no work will come any more: an idle search ends
    int64_t incumbent;               // the least makespan known outside; INT64_MAX: none
    const flowshop_intervals *work;  // to be searched too, copied at once; NULL: none
} flowshop_wish;

typedef struct flowshop_exchange {
    void *self;
    // Called often. `is_idle`: nothing is left to search, and all workers wait.
    mco_status (*look)(void *self, bool is_idle, flowshop_wish *out);
    // A schedule shorter than all that the search knew.
    mco_status (*found)(void *self, int64_t makespan, const int32_t *order);
    // What is left and what is done since the beginning of the leg's state. `note` is borrowed until the return.
    mco_status (*report)(void *self, const flowshop_checkpoint *note);
    // Work that the search gives away; count 0: it has nothing to give. `given` is borrowed and may be sorted.
    mco_status (*give)(void *self, flowshop_intervals *given);
} flowshop_exchange;

#endif
