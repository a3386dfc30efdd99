// SPDX-License-Identifier: MIT
// The method bb: a first schedule, or the one of a checkpoint, and the tree search behind it.
#ifndef MCO_FLOWSHOP_TREE_BRANCH_AND_BOUND_H
#define MCO_FLOWSHOP_TREE_BRANCH_AND_BOUND_H

#include "flowshop/run.h"

// Fills bound, schedule and counters of run->result. *stop tells why it returned. Errors: MEMORY, INTERNAL, IO and PARSE
// (checkpoints), LIMIT (a GPU asked for cannot search the tree), and those of a GPU.
mco_status flowshop_branch_and_bound(flowshop_run *run, mco_stop *stop);

#endif
