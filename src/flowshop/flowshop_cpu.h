// SPDX-License-Identifier: MIT
#ifndef MCO_FLOWSHOP_CPU_H
#define MCO_FLOWSHOP_CPU_H

#include "flowshop/flowshop_checkpoint.h"
#include "flowshop/flowshop_run.h"

// Depth-first branch and bound on run->threads explorers, from `state`: the intervals to explore, U,
// and the counters of earlier legs. Fills the counters of the result, lowers run->upper_bound with the
// incumbent, raises the bound, writes checkpoints where the parameters ask. *is_proved: nothing is left.
mco_status flowshop_cpu(flowshop_run *run, const flowshop_checkpoint *state, bool *is_proved, mco_stop *stop);

// Writes the checkpoint that the parameters ask for: `state` has the counters, what is open, and U; the
// incumbent comes from the run.
mco_status flowshop_run_write_checkpoint(flowshop_run *run, flowshop_checkpoint *state);

#endif
